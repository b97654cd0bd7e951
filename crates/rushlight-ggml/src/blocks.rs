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

/// Calls a function for each block and its elements. A macro, since a function that takes a function may be compiled on its own,
/// without its caller's instructions; the same holds for `for_each`.
macro_rules! each {
    ($blocks:expr, $out:expr, $function:path) => {
        for (b, y) in $blocks.as_chunks().0.iter().zip($out.as_chunks_mut().0) {
            // (Hiding the pointer keeps the compiler from working on eight blocks at once, byte by byte.)
            $function(std::hint::black_box(b), y);
        }
    };
    ($blocks:expr, $out:expr, number $function:path) => {
        for (b, y) in $blocks.as_chunks().0.iter().zip($out.as_chunks_mut().0) {
            $function(b, y);
        }
    };
}

/// Converts whole blocks to f32, as many as `blocks` and `out` both have.
#[inline(always)]
pub fn dequantize_blocks(dtype: GgmlDType, blocks: &[u8], out: &mut [f32]) {
    match dtype {
        GgmlDType::F32 => each!(blocks, out, number single),
        GgmlDType::F16 => each!(blocks, out, number half),
        GgmlDType::BF16 => each!(blocks, out, number bfloat),
        GgmlDType::Q4_0 => each!(blocks, out, q4_0),
        GgmlDType::Q4_1 => each!(blocks, out, q4_1),
        GgmlDType::Q5_0 => each!(blocks, out, q5_0),
        GgmlDType::Q5_1 => each!(blocks, out, q5_1),
        GgmlDType::Q8_0 => each!(blocks, out, q8_0),
        GgmlDType::Q8_1 => each!(blocks, out, q8_1),
        GgmlDType::Q2K => each!(blocks, out, q2k),
        GgmlDType::Q3K => each!(blocks, out, q3k),
        GgmlDType::Q4K => each!(blocks, out, q4k),
        GgmlDType::Q5K => each!(blocks, out, q5k),
        GgmlDType::Q6K => each!(blocks, out, q6k),
        GgmlDType::Q8K => each!(blocks, out, q8k),
    }
}

/// Changes the exponents of the scales of blocks, so that blocks of random bytes have numbers of a usual size. Tests make blocks
/// in this way.
///
/// ```
/// use rushlight_ggml::{GgmlDType, dequantize, limit_scales};
/// let mut block = [0xff; 18]; // its scale is NaN
/// limit_scales(GgmlDType::Q4_0, &mut block);
/// let mut numbers = [0.0; 32];
/// dequantize(GgmlDType::Q4_0, &block, &mut numbers)?;
/// assert!(numbers.iter().all(|x| x.abs() < 16.0));
/// # Ok::<(), rushlight_ggml::Error>(())
/// ```
pub fn limit_scales(dtype: GgmlDType, blocks: &mut [u8]) {
    // Positions of numbers in half precision; of longer numbers the upper half counts.
    let (at, exponent_bits): (&[usize], u32) = match dtype {
        GgmlDType::F32 | GgmlDType::Q8K => (&[2], 8),
        GgmlDType::BF16 => (&[0], 8),
        GgmlDType::F16 | GgmlDType::Q4_0 | GgmlDType::Q5_0 | GgmlDType::Q8_0 => (&[0], 5),
        GgmlDType::Q4_1 | GgmlDType::Q5_1 | GgmlDType::Q8_1 | GgmlDType::Q4K | GgmlDType::Q5K => (&[0, 2], 5),
        GgmlDType::Q2K => (&[80, 82], 5),
        GgmlDType::Q3K => (&[108], 5),
        GgmlDType::Q6K => (&[208], 5),
    };
    let shift = 15 - exponent_bits;
    let (mask, lowest) = ((1 << exponent_bits) - 1, (1 << (exponent_bits - 1)) - 5);
    for block in blocks.chunks_exact_mut(dtype.type_size()) {
        for &at in at {
            let bits = u16::from_le_bytes([block[at], block[at + 1]]);
            let exponent = lowest + (bits >> shift & 3);
            let bits = bits & !(mask << shift) | exponent << shift;
            block[at..at + 2].copy_from_slice(&bits.to_le_bytes());
        }
    }
}

#[inline(always)]
fn single(b: &[u8; 4], y: &mut [f32; 1]) {
    y[0] = f32::from_le_bytes(*b);
}

#[inline(always)]
fn half(b: &[u8; 2], y: &mut [f32; 1]) {
    y[0] = f16_at(b, 0);
}

#[inline(always)]
fn bfloat(b: &[u8; 2], y: &mut [f32; 1]) {
    y[0] = f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16);
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

/// Returns the levels of 16 bytes of two levels each: low halves first, then high halves.
#[inline(always)]
fn halves(qs: &[u8]) -> [u8; 32] {
    let (qs, mut levels) = (bytes::<16>(qs, 0), [0; 32]);
    for i in 0..16 {
        levels[i] = qs[i] & 15;
        levels[i + 16] = qs[i] >> 4;
    }
    levels
}

/// Adds the fifth bits of 32 levels, as 0 or 16.
#[inline(always)]
fn with_fifth(mut levels: [u8; 32], bits: &[u8]) -> [u8; 32] {
    for i in 0..32 {
        levels[i] |= (bits[i / 8] >> (i % 8) & 1) << 4;
    }
    levels
}

#[inline(always)]
fn q4_0(b: &[u8; 18], y: &mut [f32; 32]) {
    let (d, levels) = (f16_at(b, 0), halves(&b[2..]));
    for (y, q) in y.iter_mut().zip(levels) {
        *y = f32::from(q as i8 - 8) * d;
    }
}

#[inline(always)]
fn q4_1(b: &[u8; 20], y: &mut [f32; 32]) {
    let (d, m, levels) = (f16_at(b, 0), f16_at(b, 2), halves(&b[4..]));
    for (y, q) in y.iter_mut().zip(levels) {
        *y = f32::from(q as i8) * d + m;
    }
}

#[inline(always)]
fn q5_0(b: &[u8; 22], y: &mut [f32; 32]) {
    let (d, levels) = (f16_at(b, 0), with_fifth(halves(&b[6..]), &b[2..6]));
    for (y, q) in y.iter_mut().zip(levels) {
        *y = f32::from(q as i8 - 16) * d;
    }
}

#[inline(always)]
fn q5_1(b: &[u8; 24], y: &mut [f32; 32]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    let levels = with_fifth(halves(&b[8..]), &b[4..8]);
    for (y, q) in y.iter_mut().zip(levels) {
        *y = f32::from(q as i8) * d + m;
    }
}

#[inline(always)]
fn q8_0(b: &[u8; 34], y: &mut [f32; 32]) {
    let d = f16_at(b, 0);
    for (y, q) in y.iter_mut().zip(bytes::<32>(b, 2)) {
        *y = f32::from(q as i8) * d;
    }
}

#[inline(always)]
fn q8_1(b: &[u8; 36], y: &mut [f32; 32]) {
    let d = f16_at(b, 0);
    for (y, q) in y.iter_mut().zip(bytes::<32>(b, 4)) {
        *y = f32::from(q as i8) * d;
    }
}

#[inline(always)]
fn q8k(b: &[u8; 292], y: &mut [f32; 256]) {
    let d = f32::from_le_bytes([b[0], b[1], b[2], b[3]]);
    for (y, &q) in y.iter_mut().zip(&b[4..260]) {
        *y = d * f32::from(q as i8);
    }
}

// Blocks of 256 elements are two halves of 128, for which 32 bytes hold two bits each of four groups of 32 elements:
// group g is the bits 2g and 2g + 1. Each 16 elements have a scale.

/// Returns `N` bytes from one on.
#[inline(always)]
fn bytes<const N: usize>(b: &[u8], at: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&b[at..at + N]);
    found
}

#[inline(always)]
fn q2k(b: &[u8; 84], y: &mut [f32; 256]) {
    let (d, m) = (f16_at(b, 80), f16_at(b, 82));
    let (scales, mut dl, mut ml) = (bytes::<16>(b, 0), [0.0; 16], [0.0; 16]);
    for s in 0..16 {
        (dl[s], ml[s]) = (d * f32::from(scales[s] & 15), m * f32::from(scales[s] >> 4));
    }
    for (g, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (mut levels, shift) = (bytes::<32>(b, 16 + g / 4 * 32), g % 4 * 2);
        for q in &mut levels {
            *q = *q >> shift & 3;
        }
        for (part, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let (dl, ml) = (dl[g * 2 + part], ml[g * 2 + part]);
            for (y, q) in y.iter_mut().zip(&levels[part * 16..]) {
                *y = dl * f32::from(*q) - ml;
            }
        }
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
    let (d, high) = (f16_at(b, 108), bytes::<32>(b, 0));
    for (g, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (mut levels, shift) = (bytes::<32>(b, 32 + g / 4 * 32), g % 4 * 2);
        for (q, h) in levels.iter_mut().zip(high) {
            *q = *q >> shift & 3 | (h >> g & 1) << 2;
        }
        for (part, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let dl = d * f32::from(q3k_scale(&b[96..108], g * 2 + part));
            // A missing third bit means minus 4.
            for (y, q) in y.iter_mut().zip(&levels[part * 16..]) {
                *y = dl * f32::from(*q as i8 - 4);
            }
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
        let (mut levels, shift) = (bytes::<32>(b, 16 + s / 2 * 32), s % 2 * 4);
        for q in &mut levels {
            *q = *q >> shift & 15;
        }
        for (y, q) in y.iter_mut().zip(levels) {
            *y = dl * f32::from(q) - ml;
        }
    }
}

#[inline(always)]
fn q5k(b: &[u8; 176], y: &mut [f32; 256]) {
    let (d, m) = (f16_at(b, 0), f16_at(b, 2));
    let high = bytes::<32>(b, 16);
    for (s, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        let (scale, min) = scale_min(&b[4..16], s);
        let (dl, ml) = (d * f32::from(scale), m * f32::from(min));
        let (mut levels, shift) = (bytes::<32>(b, 48 + s / 2 * 32), s % 2 * 4);
        for (q, h) in levels.iter_mut().zip(high) {
            *q = *q >> shift & 15 | (h >> s & 1) << 4;
        }
        for (y, q) in y.iter_mut().zip(levels) {
            *y = dl * f32::from(q) - ml;
        }
    }
}

#[inline(always)]
fn q6k(b: &[u8; 210], y: &mut [f32; 256]) {
    let d = f16_at(b, 208);
    for (g, y) in y.as_chunks_mut::<32>().0.iter_mut().enumerate() {
        // Of each half, 64 bytes hold the low four bits, 32 bytes the high two.
        let (half, group) = (g / 4, g % 4);
        let mut levels = bytes::<32>(b, half * 64 + group % 2 * 32);
        let (high, shift, bits) = (bytes::<32>(b, 128 + half * 32), group / 2 * 4, group * 2);
        for (q, h) in levels.iter_mut().zip(high) {
            *q = *q >> shift & 15 | (h >> bits & 3) << 4;
        }
        for (part, y) in y.as_chunks_mut::<16>().0.iter_mut().enumerate() {
            let dl = d * f32::from(b[192 + g * 2 + part] as i8);
            for (y, q) in y.iter_mut().zip(&levels[part * 16..]) {
                *y = dl * f32::from(*q as i8 - 32);
            }
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
