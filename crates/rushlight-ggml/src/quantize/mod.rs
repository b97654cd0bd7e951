//! Quantization: the blocks are those of candle-core 0.11.1 to the bit, also where a number is NaN or infinite.
//!
//! A block of 256 elements first gets a scale (and a minimum) for each 16 or 32 elements by a search ([`search`]). The
//! scales are quantized by a scale of the block, and then the elements are quantized again with the rounded scales.
mod groups;
mod search;
mod simple;

use crate::{Error, GgmlDType, Result};
use half::{bf16, f16};

/// Converts f32 numbers to blocks. Fails if the numbers are not whole blocks, or if `blocks` has another length.
pub fn quantize(dtype: GgmlDType, x: &[f32], blocks: &mut [u8]) -> Result<()> {
    check("quantize", dtype, x, blocks)?;
    match dtype {
        GgmlDType::F32 => each(x, blocks, |x: &[f32; 1], b: &mut [u8; 4]| *b = x[0].to_le_bytes()),
        GgmlDType::F16 => each(x, blocks, |x: &[f32; 1], b| *b = f16::from_f32(x[0]).to_le_bytes()),
        GgmlDType::BF16 => each(x, blocks, |x: &[f32; 1], b| *b = bf16::from_f32(x[0]).to_le_bytes()),
        GgmlDType::Q4_0 => each(x, blocks, simple::q4_0),
        GgmlDType::Q4_1 => each(x, blocks, simple::q4_1),
        GgmlDType::Q5_0 => each(x, blocks, simple::q5_0),
        GgmlDType::Q5_1 => each(x, blocks, simple::q5_1),
        GgmlDType::Q8_0 => each(x, blocks, simple::q8_0),
        GgmlDType::Q8_1 => each(x, blocks, simple::q8_1),
        GgmlDType::Q2K => each(x, blocks, |x, b| groups::q2k(x, None, b)),
        GgmlDType::Q3K => each(x, blocks, |x, b| groups::q3k(x, None, b)),
        GgmlDType::Q4K => each(x, blocks, |x, b| groups::q4k(x, None, b)),
        GgmlDType::Q5K => each(x, blocks, |x, b| groups::q5k(x, None, b)),
        GgmlDType::Q6K => each(x, blocks, |x, b| groups::q6k(x, None, b)),
        GgmlDType::Q8K => each(x, blocks, simple::q8k),
    }
    Ok(())
}

/// Converts f32 numbers to blocks, with an importance for each element of a row: the squared error of an element counts
/// that much. `weights` has the length of a row, and is used for each row. Fails for other types than Q2K to Q6K, if
/// a row is not whole blocks, or if the lengths do not agree.
pub fn quantize_imatrix(dtype: GgmlDType, x: &[f32], weights: &[f32], blocks: &mut [u8]) -> Result<()> {
    const OP: &str = "quantize_imatrix";
    check(OP, dtype, x, blocks)?;
    let one: fn(&[f32; 256], &[f32; 256], &mut [u8]) = match dtype {
        GgmlDType::Q2K => |x, w, b| exact(b, |b| groups::q2k(x, Some(w), b)),
        GgmlDType::Q3K => |x, w, b| exact(b, |b| groups::q3k(x, Some(w), b)),
        GgmlDType::Q4K => |x, w, b| exact(b, |b| groups::q4k(x, Some(w), b)),
        GgmlDType::Q5K => |x, w, b| exact(b, |b| groups::q5k(x, Some(w), b)),
        GgmlDType::Q6K => |x, w, b| exact(b, |b| groups::q6k(x, Some(w), b)),
        _ => return Err(Error::NoImatrix(dtype)),
    };
    let (weights, rest) = weights.as_chunks::<256>();
    if !rest.is_empty() || (weights.is_empty() && !x.is_empty()) {
        return Err(Error::Blocks { dtype, count: weights.len() * 256 + rest.len() });
    }
    let (x, rows) = (x.as_chunks::<256>().0, weights.len().max(1));
    if !x.len().is_multiple_of(rows) {
        let (count, expected) = (x.len() * 256, rows * 256);
        return Err(Error::Length { op: OP, dtype, unit: "weights in a row", count, expected, got: count });
    }
    let blocks = blocks.chunks_exact_mut(dtype.type_size());
    x.iter().zip(weights.iter().cycle()).zip(blocks).for_each(|((x, w), b)| one(x, w, b));
    Ok(())
}

fn check(op: &'static str, dtype: GgmlDType, x: &[f32], blocks: &[u8]) -> Result<()> {
    let (expected, got) = (dtype.bytes_of(x.len())?, blocks.len());
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { op, dtype, unit: "bytes", count: x.len(), expected, got })
}

fn each<const N: usize, const B: usize>(x: &[f32], blocks: &mut [u8], one: impl Fn(&[f32; N], &mut [u8; B])) {
    x.as_chunks::<N>().0.iter().zip(blocks.as_chunks_mut::<B>().0).for_each(|(x, b)| one(x, b));
}

fn exact<const B: usize>(block: &mut [u8], one: impl Fn(&mut [u8; B])) {
    block.as_chunks_mut::<B>().0.iter_mut().for_each(one);
}

/// Writes a number in half precision, and returns its value.
fn put_f16(block: &mut [u8], at: usize, value: f32) -> f32 {
    let half = f16::from_f32(value);
    block[at..at + 2].copy_from_slice(&half.to_le_bytes());
    half.to_f32()
}

/// Returns the element of the largest absolute value, the first of several.
fn extreme(x: &[f32]) -> f32 {
    x.iter().fold((0.0, 0.0), |(most, max), &x| if most < x.abs() { (x.abs(), x) } else { (most, max) }).1
}
