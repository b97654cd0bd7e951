//! Blocks with one scale: 32 elements, and Q8K.
use super::{extreme, put_f16};
use half::f16;

/// Returns `1 / d`, and 0 for a block of zeros.
fn inverse(d: f32) -> f32 {
    if d != 0.0 { 1.0 / d } else { 0.0 }
}

/// Writes levels of four bits: element i in the low half, element i + 16 in the high half of a byte.
fn put_halves(block: &mut [u8], levels: &[u8; 32]) {
    let (low, high) = levels.split_at(16);
    for ((b, low), high) in block.iter_mut().zip(low).zip(high) {
        *b = low & 15 | (high & 15) << 4;
    }
}

/// Writes the fifth bits of all levels.
fn put_fifth(block: &mut [u8], at: usize, levels: &[u8; 32]) {
    let bits = levels.iter().enumerate().fold(0, |bits, (i, q)| bits | u32::from(q >> 4 & 1) << i);
    block[at..at + 4].copy_from_slice(&bits.to_le_bytes());
}

/// Returns the smallest and the largest element, without NaN.
fn range(x: &[f32]) -> (f32, f32) {
    x.iter().fold((f32::INFINITY, f32::NEG_INFINITY), |(min, max), &x| (x.min(min), x.max(max)))
}

pub fn q4_0(x: &[f32; 32], block: &mut [u8; 18]) {
    let d = extreme(x) / -8.0;
    let id = inverse(d);
    put_f16(block, 0, d);
    put_halves(&mut block[2..], &x.map(|x| ((x * id + 8.5) as u8).min(15)));
}

pub fn q4_1(x: &[f32; 32], block: &mut [u8; 20]) {
    let (min, max) = range(x);
    let d = (max - min) / 15.0;
    let id = inverse(d);
    put_f16(block, 0, d);
    put_f16(block, 2, min);
    put_halves(&mut block[4..], &x.map(|x| (((x - min) * id + 0.5) as u8).min(15)));
}

pub fn q5_0(x: &[f32; 32], block: &mut [u8; 22]) {
    let d = extreme(x) / -16.0;
    let id = inverse(d);
    put_f16(block, 0, d);
    let levels = x.map(|x| ((x * id + 16.5) as i8).min(31) as u8);
    put_fifth(block, 2, &levels);
    put_halves(&mut block[6..], &levels);
}

pub fn q5_1(x: &[f32; 32], block: &mut [u8; 24]) {
    let (min, max) = range(x);
    let d = (max - min) / 31.0;
    let id = inverse(d);
    put_f16(block, 0, d);
    put_f16(block, 2, min);
    let levels = x.map(|x| ((x - min) * id + 0.5) as u8);
    put_fifth(block, 4, &levels);
    put_halves(&mut block[8..], &levels);
}

/// Returns the scale of 8 bits and the levels.
fn eight(x: &[f32; 32]) -> (f32, [i8; 32]) {
    let d = x.iter().fold(0.0, |most: f32, x| most.max(x.abs())) / 127.0;
    let id = inverse(d);
    (d, x.map(|x| (x * id).round() as i8))
}

pub fn q8_0(x: &[f32; 32], block: &mut [u8; 34]) {
    let (d, levels) = eight(x);
    put_f16(block, 0, d);
    block[2..].iter_mut().zip(levels).for_each(|(b, q)| *b = q as u8);
}

pub fn q8_1(x: &[f32; 32], block: &mut [u8; 36]) {
    let (d, levels) = eight(x);
    put_f16(block, 0, d);
    let sum: i32 = levels.iter().map(|&q| i32::from(q)).sum();
    let sum = f16::from_f32(sum as f32) * f16::from_f32(d);
    block[2..4].copy_from_slice(&sum.to_le_bytes());
    block[4..].iter_mut().zip(levels).for_each(|(b, q)| *b = q as u8);
}

pub fn q8k(x: &[f32; 256], block: &mut [u8; 292]) {
    block.fill(0);
    let extreme = extreme(x);
    if extreme == 0.0 {
        return;
    }
    let id = -127.0 / extreme;
    let levels = x.map(|x| (id * x).round().clamp(-128.0, 127.0) as i8);
    block[..4].copy_from_slice(&(1.0 / id).to_le_bytes());
    block[4..260].iter_mut().zip(levels).for_each(|(b, q)| *b = q as u8);
    for (sum, levels) in block[260..].chunks_exact_mut(2).zip(levels.chunks_exact(16)) {
        let total: i16 = levels.iter().map(|&q| i16::from(q)).sum();
        sum.copy_from_slice(&total.to_le_bytes());
    }
}
