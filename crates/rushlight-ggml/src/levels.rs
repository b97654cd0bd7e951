//! Levels: the small integers of quantized blocks, and the factors that make numbers of them.
//!
//! Each function is plain code over arrays of known lengths, and is inlined into its caller, so that a caller compiled for newer
//! instructions gets loops in them. `black_box` keeps the compiler from combining the loops of several blocks, byte by byte.
use crate::GgmlDType;
use std::hint::black_box;

/// Number of elements of a group of blocks: a large block, or eight small ones.
pub const GROUP: usize = 256;
/// Most bytes of a group of blocks.
pub const MOST: usize = 292;
/// Number of elements that have a scale together.
pub const SHARE: usize = 16;

/// The levels of a group of blocks. The number of element `i` is `levels[i] * scales[i / 16]`, and `minima[i / 16]` is added
/// to it if the type has minima; each operation is rounded.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct Levels {
    /// The levels.
    pub levels: [i8; GROUP],
    /// Factors of 16 levels each.
    pub scales: [f32; GROUP / SHARE],
    /// Numbers that are added to 16 products each.
    pub minima: [f32; GROUP / SHARE],
}

impl Levels {
    /// Levels of which all numbers are 0.
    pub const ZERO: Self =
        Self { levels: [0; GROUP], scales: [0.0; GROUP / SHARE], minima: [0.0; GROUP / SHARE] };

    /// Computes the numbers.
    #[inline(always)]
    pub fn numbers<L: Leveled>(&self, to: &mut [f32; GROUP]) {
        for (i, to) in to.as_chunks_mut::<SHARE>().0.iter_mut().enumerate() {
            let levels = &self.levels.as_chunks::<SHARE>().0[i];
            // (The scale is hidden, since the compiler would gather scales for elements of several shares; the array, since the
            // compiler does not know that `to` lies elsewhere than the levels.)
            let (scale, minimum, mut numbers) = (black_box(self.scales[i]), self.minima[i], [0.0; SHARE]);
            for (number, level) in numbers.iter_mut().zip(levels) {
                let product = f32::from(*level) * scale;
                *number = if L::MINIMA { product + minimum } else { product };
            }
            *to = numbers;
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, levels: [u8; 32], offset: i8) {
        for (to, level) in self.levels[at * 32..][..32].iter_mut().zip(levels) {
            *to = level as i8 - offset;
        }
    }
}

/// A type of blocks with levels.
pub trait Leveled {
    /// The type.
    const DTYPE: GgmlDType;
    /// Size of a group of blocks in bytes.
    const BYTES: usize;
    /// Whether the type has minima.
    const MINIMA: bool;
    /// Number of elements, at most 32, that certainly have a scale together: 32 or 16.
    const SHARED: usize;
    /// The number to add to levels so that none is negative.
    const OFFSET: u8;

    /// Reads the levels and factors of a group of blocks; minima only if the type has them.
    ///
    /// # Panics
    /// If the group has fewer bytes.
    fn unpack(group: &[u8], to: &mut Levels);
}

/// Reads the levels and factors of the blocks that are left at the end of a row, fewer than a group; the rest are numbers 0.
#[inline(always)]
pub fn unpack_some<L: Leveled>(blocks: &[u8], to: &mut Levels) {
    let mut group = [0; MOST];
    group[..blocks.len()].copy_from_slice(blocks);
    L::unpack(&group, to);
}

/// Computes the numbers of whole blocks; `out` has as many elements.
#[inline(always)]
pub fn numbers<L: Leveled>(blocks: &[u8], out: &mut [f32]) {
    let mut levels = Levels::ZERO;
    let (groups, rest) = blocks.split_at(blocks.len() / L::BYTES * L::BYTES);
    let (whole, part) = out.as_chunks_mut::<GROUP>();
    for (group, out) in groups.chunks_exact(L::BYTES).zip(whole) {
        L::unpack(group, &mut levels);
        levels.numbers::<L>(out);
    }
    if !rest.is_empty() {
        let mut numbers = [0.0; GROUP];
        unpack_some::<L>(rest, &mut levels);
        levels.numbers::<L>(&mut numbers);
        part.copy_from_slice(&numbers[..part.len()]);
    }
}

/// A function for every type of blocks with levels.
pub trait Visitor {
    /// The result.
    type Output;
    /// Runs the function for a type.
    fn visit<L: Leveled>(self) -> Self::Output;
}

/// Runs a function for a type; returns the visitor if blocks of the type are single numbers.
///
/// # Errors
/// The visitor, for the types F32, F16 and BF16.
#[inline(always)]
pub fn visit<V: Visitor>(dtype: GgmlDType, visitor: V) -> Result<V::Output, V> {
    Ok(match dtype {
        GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => return Err(visitor),
        GgmlDType::Q4_0 => visitor.visit::<Q4_0>(),
        GgmlDType::Q4_1 => visitor.visit::<Q4_1>(),
        GgmlDType::Q5_0 => visitor.visit::<Q5_0>(),
        GgmlDType::Q5_1 => visitor.visit::<Q5_1>(),
        GgmlDType::Q8_0 => visitor.visit::<Q8_0>(),
        GgmlDType::Q8_1 => visitor.visit::<Q8_1>(),
        GgmlDType::Q2K => visitor.visit::<Q2K>(),
        GgmlDType::Q3K => visitor.visit::<Q3K>(),
        GgmlDType::Q4K => visitor.visit::<Q4K>(),
        GgmlDType::Q5K => visitor.visit::<Q5K>(),
        GgmlDType::Q6K => visitor.visit::<Q6K>(),
        GgmlDType::Q8K => visitor.visit::<Q8K>(),
    })
}

/// Widens half-precision numbers: moves the exponent, which an infinity or NaN keeps, and normalizes a subnormal number by a
/// subtraction. (Processors multiply subnormal numbers slowly.)
#[inline(always)]
pub(crate) fn widened<const N: usize>(bits: [u16; N]) -> [f32; N] {
    const MOVED: u32 = 112 << 23;
    const LEAST: u32 = MOVED + (1 << 23);
    let mut numbers = [0.0; N];
    for i in 0..N {
        let bits = u32::from(bits[i]);
        let number = (bits & 0x7fff) << 13;
        let subnormal = f32::from_bits(number + LEAST) - f32::from_bits(LEAST);
        let special = if number >= 0x0f80_0000 { 0x7f80_0000 } else { 0 };
        let moved = if number < 1 << 23 { subnormal.to_bits() } else { number + MOVED };
        numbers[i] = f32::from_bits(moved | special | (bits & 0x8000) << 16);
    }
    numbers
}

/// Reads the bits of a half-precision number.
#[inline(always)]
fn half_at(b: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([b[at], b[at + 1]])
}

/// Reads a half-precision number.
#[inline(always)]
pub(crate) fn f16_at(b: &[u8], at: usize) -> f32 {
    widened([half_at(b, at)])[0]
}

#[inline(always)]
fn word(b: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([b[at], b[at + 1], b[at + 2], b[at + 3]])
}

/// Returns `N` bytes from one on.
#[inline(always)]
fn bytes<const N: usize>(b: &[u8], at: usize) -> [u8; N] {
    let mut found = [0; N];
    found.copy_from_slice(&b[at..at + N]);
    found
}

/// Returns some bits of 32 bytes from one on.
#[inline(always)]
fn bits<const SHIFT: u32, const MASK: u8>(b: &[u8], at: usize) -> [u8; 32] {
    let mut found = bytes::<32>(b, at);
    for v in &mut found {
        *v = *v >> SHIFT & MASK;
    }
    found
}

/// Returns `value` for each byte of which a bit is set, and zeros.
#[inline(always)]
fn where_set<const BIT: u32>(b: &[u8; 32], value: u8) -> [u8; 32] {
    let mut found = [0; 32];
    for i in 0..32 {
        found[i] = if b[i] & 1 << BIT != 0 { value } else { 0 };
    }
    found
}

#[inline(always)]
fn or(mut a: [u8; 32], b: [u8; 32]) -> [u8; 32] {
    for i in 0..32 {
        a[i] |= b[i];
    }
    a
}

/// Returns the levels of 16 bytes of two levels each: low halves first, then high halves.
#[inline(always)]
fn halves(b: &[u8], at: usize) -> [u8; 32] {
    let (b, mut levels) = (bytes::<16>(b, at), [0; 32]);
    for i in 0..16 {
        levels[i] = b[i] & 15;
        levels[i + 16] = b[i] >> 4;
    }
    levels
}

/// Returns 16 for each bit of four bytes that is set, and zeros.
#[inline(always)]
fn fifths(b: &[u8], at: usize) -> [u8; 32] {
    /// The results for each byte.
    static OF_BYTES: [[u8; 8]; 256] = {
        let (mut table, mut i) = ([[0; 8]; 256], 0);
        while i < 8 * 256 {
            table[i / 8][i % 8] = (((i / 8) >> (i % 8)) % 2 * 16) as u8;
            i += 1;
        }
        table
    };
    let mut found = [0; 32];
    for i in 0..4 {
        found[8 * i..8 * i + 8].copy_from_slice(&OF_BYTES[usize::from(b[at + i])]);
    }
    found
}

/// Types of 32 elements: size, whether there are minima, the levels of a block, the level of the number 0, and the magnitude of the
/// least level.
macro_rules! small {
    ($($name:ident, $size:literal, $minima:literal, |$b:ident| $levels:expr, $offset:literal, $below:literal;)*) => {$(
        struct $name;
        impl Leveled for $name {
            const DTYPE: GgmlDType = GgmlDType::$name;
            const BYTES: usize = 8 * $size;
            const MINIMA: bool = $minima;
            const SHARED: usize = 32;
            const OFFSET: u8 = $below;
            #[inline(always)]
            fn unpack(group: &[u8], to: &mut Levels) {
                let (blocks, _) = group[..Self::BYTES].as_chunks::<$size>();
                let (mut scales, mut minima) = ([0; 8], [0; 8]);
                for (i, block) in blocks.iter().enumerate() {
                    (scales[i], minima[i]) = (half_at(block, 0), half_at(block, 2));
                }
                let (scales, minima) = (widened(scales), widened(minima));
                for (i, scale) in to.scales.iter_mut().enumerate() {
                    *scale = scales[i / 2];
                }
                if Self::MINIMA {
                    for (i, minimum) in to.minima.iter_mut().enumerate() {
                        *minimum = minima[i / 2];
                    }
                }
                for (i, block) in blocks.iter().enumerate() {
                    let $b = black_box(block);
                    to.put(i, $levels, $offset);
                }
            }
        }
    )*};
}

small! {
    Q4_0, 18, false, |b| halves(b, 2), 8, 8;
    Q4_1, 20, true, |b| halves(b, 4), 0, 0;
    Q5_0, 22, false, |b| or(halves(b, 6), fifths(b, 2)), 16, 16;
    Q5_1, 24, true, |b| or(halves(b, 8), fifths(b, 4)), 0, 0;
    Q8_0, 34, false, |b| bytes(b, 2), 0, 128;
    Q8_1, 36, false, |b| bytes(b, 4), 0, 128;
}

/// Types of 256 elements: size, whether there are minima, the number of elements with a scale, the magnitude of the least level, and how
/// a block is unpacked.
macro_rules! large {
    ($($name:ident, $size:literal, $minima:literal, $shared:literal, $below:literal, |$b:ident, $to:ident| $unpack:block)*) => {$(
        struct $name;
        impl Leveled for $name {
            const DTYPE: GgmlDType = GgmlDType::$name;
            const BYTES: usize = $size;
            const MINIMA: bool = $minima;
            const SHARED: usize = $shared;
            const OFFSET: u8 = $below;
            #[inline(always)]
            fn unpack(group: &[u8], $to: &mut Levels) {
                let (blocks, _) = group.as_chunks::<$size>();
                let $b = black_box(&blocks[0]);
                $unpack
            }
        }
    )*};
}

/// Returns the scales and the minima, of 6 bits, of a Q4K or Q5K block, from their 12 bytes.
#[inline(always)]
pub fn scales_and_minima(b: &[u8]) -> ([u8; 8], [u8; 8]) {
    let (first, second, third) = (word(b, 0), word(b, 4), word(b, 8));
    let both = |low: u32, high: u32, rest: u32| {
        let upper = high & 0x0f0f_0f0f | (rest >> 6 & 0x0303_0303) << 4;
        (u64::from(low & 0x3f3f_3f3f) | u64::from(upper) << 32).to_le_bytes()
    };
    (both(first, third, first), both(second, third >> 4, second))
}

/// Sets the scales and minima of a Q4K or Q5K block.
#[inline(always)]
fn eight_scales(b: &[u8], to: &mut Levels) {
    let [d, m] = widened([half_at(b, 0), half_at(b, 2)]);
    let (scales, minima) = scales_and_minima(&b[4..16]);
    for i in 0..16 {
        to.scales[i] = d * f32::from(scales[i / 2]);
        to.minima[i] = -(m * f32::from(minima[i / 2]));
    }
}

/// Returns the scales, of 6 bits, of a Q3K block, minus 32, from their 12 bytes.
#[inline(always)]
pub fn q3k_scales(b: &[u8]) -> [i8; 16] {
    let (first, second, high) = (word(b, 0), word(b, 4), word(b, 8));
    let four = |low: u32, high: u32| low & 0x0f0f_0f0f | (high & 0x0303_0303) << 4;
    let words = [
        four(first, high),
        four(second, high >> 2),
        four(first >> 4, high >> 4),
        four(second >> 4, high >> 6),
    ];
    let mut scales = [0; 16];
    for (i, scale) in scales.iter_mut().enumerate() {
        *scale = (words[i / 4] >> (i % 4 * 8)) as u8 as i8 - 32;
    }
    scales
}

// Blocks of 256 elements are two halves of 128, for which 32 bytes hold two bits each of four groups of 32 elements:
// group g is the bits 2g and 2g + 1. Each 16 elements have a scale. (Macros write the groups out, since shifts by
// a loop's counter are not vectorized well.)
large! {
    Q2K, 84, true, 16, 0, |b, to| {
        let [d, m] = widened([half_at(b, 80), half_at(b, 82)]);
        let factors = bytes::<16>(b, 0);
        for (i, factor) in factors.iter().enumerate() {
            to.scales[i] = d * f32::from(factor & 15);
            to.minima[i] = -(m * f32::from(factor >> 4));
        }
        for half in 0..2 {
            let at = 16 + half * 32;
            to.put(half * 4, bits::<0, 3>(b, at), 0);
            to.put(half * 4 + 1, bits::<2, 3>(b, at), 0);
            to.put(half * 4 + 2, bits::<4, 3>(b, at), 0);
            to.put(half * 4 + 3, bits::<6, 3>(b, at), 0);
        }
    }
    Q3K, 110, false, 16, 4, |b, to| {
        let (d, scales, high) = (f16_at(b, 108), q3k_scales(&b[96..108]), bytes(b, 0));
        for (to, scale) in to.scales.iter_mut().zip(scales) {
            *to = d * f32::from(scale);
        }
        // A missing third bit means minus 4.
        macro_rules! groups {
            ($($g:literal $at:literal $shift:literal)*) => {
                $(to.put($g, or(bits::<$shift, 3>(b, $at), where_set::<$g>(&high, 4)), 4);)*
            };
        }
        groups!(0 32 0 1 32 2 2 32 4 3 32 6 4 64 0 5 64 2 6 64 4 7 64 6);
    }
    Q4K, 144, true, 32, 0, |b, to| {
        eight_scales(b, to);
        for pair in 0..4 {
            to.put(2 * pair, bits::<0, 15>(b, 16 + pair * 32), 0);
            to.put(2 * pair + 1, bits::<4, 15>(b, 16 + pair * 32), 0);
        }
    }
    Q5K, 176, true, 32, 0, |b, to| {
        eight_scales(b, to);
        let high = bytes(b, 16);
        macro_rules! groups {
            ($($g:literal $at:literal $shift:literal)*) => {
                $(to.put($g, or(bits::<$shift, 15>(b, $at), where_set::<$g>(&high, 16)), 0);)*
            };
        }
        groups!(0 48 0 1 48 4 2 80 0 3 80 4 4 112 0 5 112 4 6 144 0 7 144 4);
    }
    Q6K, 210, false, 16, 32, |b, to| {
        let (d, scales) = (f16_at(b, 208), bytes::<16>(b, 192));
        for (to, scale) in to.scales.iter_mut().zip(scales) {
            *to = d * f32::from(scale as i8);
        }
        // Of each half, 64 bytes hold the low four bits, 32 bytes the high two.
        for half in 0..2 {
            macro_rules! groups {
                ($($g:literal $at:literal $shift:literal $up:literal)*) => {$(
                    let mut high = bits::<$up, 3>(b, 128 + half * 32);
                    for v in &mut high {
                        *v <<= 4;
                    }
                    to.put(half * 4 + $g, or(bits::<$shift, 15>(b, half * 64 + $at), high), 32);
                )*};
            }
            groups!(0 0 0 0 1 32 0 2 2 0 4 4 3 32 4 6);
        }
    }
    Q8K, 292, false, 32, 128, |b, to| {
        to.scales = [f32::from_bits(word(b, 0)); 16];
        for (to, level) in to.levels.iter_mut().zip(bytes::<256>(b, 4)) {
            *to = level as i8;
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
