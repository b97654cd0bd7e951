//! Dequantization.
use crate::levels::{Leveled, Visitor, f16_at, numbers, visit};
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
    let count = (blocks.len() / dtype.type_size()).min(out.len() / dtype.block_size());
    let (blocks, out) = (&blocks[..count * dtype.type_size()], &mut out[..count * dtype.block_size()]);
    if let Err(Numbers { blocks, out }) = visit(dtype, Numbers { blocks, out }) {
        widen_blocks(dtype, blocks, out);
    }
}

/// Converts blocks of the types F32, F16 and BF16, which are single numbers, to f32, as many as `blocks` and `out` both have.
#[inline(always)]
pub fn widen_blocks(dtype: GgmlDType, blocks: &[u8], out: &mut [f32]) {
    // (Loops over arrays, since closures may be compiled on their own, without the caller's instructions.)
    macro_rules! each {
        ($from:expr) => {
            for (b, y) in blocks.as_chunks().0.iter().zip(out) {
                *y = $from(b);
            }
        };
    }
    match dtype {
        GgmlDType::F16 => each!(half),
        GgmlDType::BF16 => each!(bfloat),
        _ => each!(single),
    }
}

/// Computes the numbers of blocks.
struct Numbers<'a> {
    blocks: &'a [u8],
    out: &'a mut [f32],
}

impl Visitor for Numbers<'_> {
    type Output = ();
    #[inline(always)]
    fn visit<L: Leveled>(self) {
        numbers::<L>(self.blocks, self.out);
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
fn single(b: &[u8; 4]) -> f32 {
    f32::from_le_bytes(*b)
}

#[inline(always)]
fn half(b: &[u8; 2]) -> f32 {
    f16_at(b, 0)
}

#[inline(always)]
fn bfloat(b: &[u8; 2]) -> f32 {
    f32::from_bits(u32::from(u16::from_le_bytes(*b)) << 16)
}
