//! Dequantization. Each function is plain code over arrays of known lengths, and is inlined into its caller, so that a
//! caller compiled for newer instructions gets loops in them.
use crate::{Error, GgmlDType, Result};

/// Converts blocks to f32. Fails if `out` does not have as many elements as the blocks.
pub fn dequantize(dtype: GgmlDType, blocks: &[u8], out: &mut [f32]) -> Result<()> {
    let expected = dtype.bytes_of(out.len())?;
    if blocks.len() != expected {
        let (count, got) = (out.len(), blocks.len());
        return Err(Error::Length { op: "dequantize", dtype, unit: "bytes", count, expected, got });
    }
    dequantize_blocks(dtype, blocks, out);
    Ok(())
}

/// Converts whole blocks to f32, as many as `blocks` and `out` both have.
#[inline(always)]
pub fn dequantize_blocks(dtype: GgmlDType, blocks: &[u8], out: &mut [f32]) {
    match dtype {
        GgmlDType::F32 => each(blocks, out, |b, y: &mut [f32; 1]| y[0] = f32::from_le_bytes(*b)),
        GgmlDType::F16 => each(blocks, out, |b: &[u8; 2], y: &mut [f32; 1]| y[0] = f16_at(b, 0)),
        GgmlDType::BF16 => each(blocks, out, |b: &[u8; 2], y: &mut [f32; 1]| {
            y[0] = f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16);
        }),
        GgmlDType::Q4_0 => each(blocks, out, q4_0),
        GgmlDType::Q4_1 => each(blocks, out, q4_1),
        GgmlDType::Q5_0 => each(blocks, out, q5_0),
        GgmlDType::Q5_1 => each(blocks, out, q5_1),
        GgmlDType::Q8_0 => each(blocks, out, |b: &[u8; 34], y| q8::<2>(f16_at(b, 0), b, y)),
        GgmlDType::Q8_1 => each(blocks, out, |b: &[u8; 36], y| q8::<4>(f16_at(b, 0), b, y)),
        GgmlDType::Q2K => each(blocks, out, q2k),
        GgmlDType::Q3K => each(blocks, out, q3k),
        GgmlDType::Q4K => each(blocks, out, q4k),
        GgmlDType::Q5K => each(blocks, out, q5k),
        GgmlDType::Q6K => each(blocks, out, q6k),
        GgmlDType::Q8K => each(blocks, out, |b: &[u8; 292], y: &mut [f32; 256]| {
            let d = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            y.iter_mut().zip(&b[4..260]).for_each(|(y, &q)| *y = d * f32::from(q as i8));
        }),
    }
}

#[inline(always)]
fn each<const B: usize, const N: usize>(
    blocks: &[u8],
    out: &mut [f32],
    one: impl Fn(&[u8; B], &mut [f32; N]),
) {
    let (blocks, out) = (blocks.as_chunks::<B>().0, out.as_chunks_mut::<N>().0);
    blocks.iter().zip(out).for_each(|(b, y)| one(b, y));
}

/// Reads a half-precision number. The product with 2^112 moves the exponent, also that of a subnormal number; the
/// exponent of an infinity or NaN is set.
#[inline(always)]
pub(crate) fn f16_at(block: &[u8], at: usize) -> f32 {
    let bits = u32::from(u16::from_le_bytes([block[at], block[at + 1]]));
    let number = f32::from_bits((bits & 0x7fff) << 13) * f32::from_bits((112 + 127) << 23);
    let special = if bits & 0x7c00 == 0x7c00 { 0x7f80_0000 } else { 0 };
    f32::from_bits(number.to_bits() | special | (bits & 0x8000) << 16)
}

/// Writes 16 bytes of two levels each: low halves first, then high halves.
#[inline(always)]
fn halves(qs: &[u8], y: &mut [f32; 32], f: impl Fn(u8, usize) -> f32) {
    let (low, high) = y.split_at_mut(16);
    low.iter_mut().zip(qs).enumerate().for_each(|(i, (y, q))| *y = f(q & 15, i));
    high.iter_mut().zip(qs).enumerate().for_each(|(i, (y, q))| *y = f(q >> 4, i + 16));
}

#[inline(always)]
fn q4_0(b: &[u8; 18], y: &mut [f32; 32]) {
    let d = f16_at(b, 0);
    halves(&b[2..], y, |q, _| f32::from(q as i8 - 8) * d);
}

#[inline(always)]
fn q4_1(b: &[u8; 20], y: &mut [f32; 32]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    halves(&b[4..], y, |q, _| f32::from(q) * d + m);
}

/// Returns the fifth bit of element `i`, as 0 or 16.
#[inline(always)]
fn fifth(bits: u32, i: usize) -> u8 {
    ((bits >> i & 1) << 4) as u8
}

#[inline(always)]
fn q5_0(b: &[u8; 22], y: &mut [f32; 32]) {
    let (d, bits) = (f16_at(b, 0), u32::from_le_bytes([b[2], b[3], b[4], b[5]]));
    halves(&b[6..], y, |q, i| f32::from((q | fifth(bits, i)) as i8 - 16) * d);
}

#[inline(always)]
fn q5_1(b: &[u8; 24], y: &mut [f32; 32]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    let bits = u32::from_le_bytes([b[4], b[5], b[6], b[7]]);
    halves(&b[8..], y, |q, i| f32::from(q | fifth(bits, i)) * d + m);
}

#[inline(always)]
fn q8<const START: usize>(d: f32, b: &[u8], y: &mut [f32; 32]) {
    y.iter_mut().zip(&b[START..]).for_each(|(y, &q)| *y = f32::from(q as i8) * d);
}

// Blocks of 256 elements are two halves of 128, for which 32 bytes hold two bits each of four groups of 32 elements:
// group g is the bits 2g and 2g + 1. Each 16 elements have a scale.

#[inline(always)]
fn q2k(b: &[u8; 84], y: &mut [f32; 256]) {
    let (d, m) = (f16_at(b, 80), f16_at(b, 82));
    for (s, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let (dl, ml) = (d * f32::from(b[s] & 15), m * f32::from(b[s] >> 4));
        let qs = &b[16 + s / 8 * 32 + s % 2 * 16..][..16];
        let shift = s % 8 / 2 * 2;
        y.iter_mut().zip(qs).for_each(|(y, q)| *y = dl * f32::from(q >> shift & 3) - ml);
    }
}

/// Returns the scale of 6 bits of 16 elements of a Q3K block, minus 32.
#[inline(always)]
pub(crate) fn q3k_scale(scales: &[u8], s: usize) -> i8 {
    let low = scales[s % 8] >> (s / 8 * 4) & 15;
    let high = scales[8 + s % 4] >> (s / 4 * 2) & 3;
    (low | high << 4) as i8 - 32
}

#[inline(always)]
fn q3k(b: &[u8; 110], y: &mut [f32; 256]) {
    let d = f16_at(b, 108);
    for (s, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let dl = d * f32::from(q3k_scale(&b[96..108], s));
        let (part, shift, bit) = (s % 2 * 16, s % 8 / 2 * 2, s / 2);
        let (high, qs) = (&b[part..][..16], &b[32 + s / 8 * 32 + part..][..16]);
        for ((y, q), h) in y.iter_mut().zip(qs).zip(high) {
            // A missing third bit means minus 4.
            *y = dl * f32::from((q >> shift & 3 | (h >> bit & 1) << 2) as i8 - 4);
        }
    }
}

/// Returns the scale and the minimum, of 6 bits, of 32 elements of a Q4K or Q5K block.
#[inline(always)]
pub(crate) fn scale_min(scales: &[u8], s: usize) -> (u8, u8) {
    if s < 4 {
        return (scales[s] & 63, scales[s + 4] & 63);
    }
    let low = scales[s + 4];
    (low & 15 | scales[s - 4] >> 6 << 4, low >> 4 | scales[s] >> 6 << 4)
}

#[inline(always)]
fn q4k(b: &[u8; 144], y: &mut [f32; 256]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    for (s, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (scale, min) = scale_min(&b[4..16], s);
        let (dl, ml) = (d * f32::from(scale), m * f32::from(min));
        let (qs, shift) = (&b[16 + s / 2 * 32..][..32], s % 2 * 4);
        y.iter_mut().zip(qs).for_each(|(y, q)| *y = dl * f32::from(q >> shift & 15) - ml);
    }
}

#[inline(always)]
fn q5k(b: &[u8; 176], y: &mut [f32; 256]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    let high = &b[16..48];
    for (s, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (scale, min) = scale_min(&b[4..16], s);
        let (dl, ml) = (d * f32::from(scale), m * f32::from(min));
        let (qs, shift) = (&b[48 + s / 2 * 32..][..32], s % 2 * 4);
        for ((y, q), h) in y.iter_mut().zip(qs).zip(high) {
            *y = dl * f32::from(q >> shift & 15 | (h >> s & 1) << 4) - ml;
        }
    }
}

#[inline(always)]
fn q6k(b: &[u8; 210], y: &mut [f32; 256]) {
    let d = f16_at(b, 208);
    for (s, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
        let dl = d * f32::from(b[192 + s] as i8);
        // Of each half, 64 bytes hold the low four bits, 32 bytes the high two.
        let (half, group, part) = (s / 8, s % 8 / 2, s % 2 * 16);
        let low = &b[half * 64 + group % 2 * 32 + part..][..16];
        let high = &b[128 + half * 32 + part..][..16];
        let (shift, bits) = (group / 2 * 4, group * 2);
        for ((y, q), h) in y.iter_mut().zip(low).zip(high) {
            *y = dl * f32::from((q >> shift & 15 | (h >> bits & 3) << 4) as i8 - 32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_numbers_are_widened_exactly() {
        for bits in 0..=u16::MAX {
            let (ours, theirs) = (f16_at(&bits.to_le_bytes(), 0), half::f16::from_bits(bits).to_f32());
            assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{bits:#x}");
        }
    }
}
