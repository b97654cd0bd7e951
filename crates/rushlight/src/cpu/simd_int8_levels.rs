//! The levels of quantized blocks in the registers of AVX-512.
#![allow(unsafe_code)]
use rushlight_ggml::GgmlDType;
use rushlight_ggml::levels::{Leveled, q3k_scales};
use std::arch::x86_64::*;

/// The levels and factors of a group of 256 elements.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    /// The levels plus the type's offset: each half of a vector has a block of 32 elements, see [`order`].
    pub levels: [__m512i; 4],
    /// The scales of the first halves of the eight blocks, and of the second halves, which are used if the type has other ones.
    pub scales: [__m256; 2],
    /// As the scales, if the type has minima.
    pub minima: [__m256; 2],
}

/// Returns the blocks of the halves of the four vectors of levels.
pub(super) const fn order<L: Leveled>() -> [usize; 8] {
    match L::DTYPE {
        // Bytes with the levels of two blocks each.
        GgmlDType::Q4K | GgmlDType::Q5K => [0, 2, 1, 3, 4, 6, 5, 7],
        _ => [0, 1, 2, 3, 4, 5, 6, 7],
    }
}

/// The bytes of a group.
#[derive(Clone, Copy)]
struct Bytes<'a>(&'a [u8]);

#[allow(clippy::missing_safety_doc)]
impl Bytes<'_> {
    #[inline(always)]
    fn half(self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }

    #[inline(always)]
    fn word(self, at: usize) -> u32 {
        u32::from(self.half(at)) | u32::from(self.half(at + 2)) << 16
    }

    #[inline(always)]
    unsafe fn v128(self, at: usize) -> __m128i {
        let from = &self.0[at..at + 16];
        // SAFETY: the caller's condition (the processor has the instructions), as in all functions here; the slice is as long.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn v256(self, at: usize) -> __m256i {
        let from = &self.0[at..at + 32];
        // SAFETY: as above.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    unsafe fn v512(self, at: usize) -> __m512i {
        let from = &self.0[at..at + 64];
        // SAFETY: as above.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    /// Returns 32 bytes twice.
    #[inline(always)]
    unsafe fn twice(self, at: usize) -> __m512i {
        // SAFETY: as above.
        unsafe { _mm512_broadcast_i64x4(self.v256(at)) }
    }

    /// Returns two numbers of half precision, each in all elements.
    #[inline(always)]
    unsafe fn two_halves(self, at: usize) -> [__m256; 2] {
        // SAFETY: as above.
        unsafe {
            let both = _mm_cvtph_ps(_mm_cvtsi32_si128(self.word(at) as i32));
            [_mm256_broadcastss_ps(both), _mm256_broadcastss_ps(_mm_movehdup_ps(both))]
        }
    }

    /// Returns numbers of half precision, `step` bytes apart.
    #[inline(always)]
    unsafe fn halves(self, at: usize, step: usize) -> __m256 {
        let mut all = [0; 8];
        for (i, one) in all.iter_mut().enumerate() {
            *one = self.half(at + i * step) as i16;
        }
        let [a, b, c, d, e, f, g, h] = all;
        // SAFETY: as above.
        unsafe { _mm256_cvtph_ps(_mm_setr_epi16(a, b, c, d, e, f, g, h)) }
    }

    /// Returns the scales and the minima of a Q4K or Q5K block: numbers of 6 bits, as [`rushlight_ggml::levels::scales_and_minima`] reads them, times two numbers
    /// of half precision.
    #[inline(always)]
    unsafe fn six_bits(self) -> [__m256; 2] {
        // SAFETY: as above.
        unsafe {
            // Words of four numbers each: the first and the second have six bits of a first half of the scales, and of the minima, and the
            // upper two bits of the second halves, of which the third word has four bits each.
            let words = self.v128(4);
            let first = _mm_and_si128(words, _mm_set1_epi8(63));
            let rest = _mm_srlv_epi32(_mm_shuffle_epi32::<0xaa>(words), _mm_setr_epi32(0, 4, 0, 0));
            let upper = _mm_and_si128(_mm_srli_epi32::<2>(words), _mm_set1_epi8(48));
            let second = _mm_or_si128(_mm_and_si128(rest, _mm_set1_epi8(15)), upper);
            let integers = _mm512_cvtepu8_epi32(_mm_unpacklo_epi32(first, second));
            let both = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_cvtsi32_si128(self.word(0) as i32)));
            let order = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
            let all = _mm512_mul_ps(_mm512_cvtepi32_ps(integers), _mm512_permutexvar_ps(order, both));
            [_mm512_castps512_ps256(all), negated(_mm512_extractf32x8_ps::<1>(all))]
        }
    }

    /// Returns the levels of two times 16 bytes of two levels each.
    #[inline(always)]
    unsafe fn nibbles(self, first: usize, second: usize) -> __m512i {
        // SAFETY: as above.
        unsafe {
            let first = _mm256_broadcastsi128_si256(self.v128(first));
            let both = joined(first, _mm256_broadcastsi128_si256(self.v128(second)));
            let moved = _mm512_srlv_epi64(both, _mm512_setr_epi64(0, 0, 4, 4, 0, 0, 4, 4));
            _mm512_and_si512(moved, _mm512_set1_epi8(15))
        }
    }
}

#[inline(always)]
unsafe fn joined(low: __m256i, high: __m256i) -> __m512i {
    // SAFETY: as above.
    unsafe { _mm512_inserti64x4::<1>(_mm512_castsi256_si512(low), high) }
}

/// Returns bits of each half of a vector, from the given one on.
#[inline(always)]
unsafe fn bits(of: __m512i, low: i64, high: i64, mask: i8) -> __m512i {
    // SAFETY: as above.
    unsafe {
        let by = _mm512_setr_epi64(low, low, low, low, high, high, high, high);
        _mm512_and_si512(_mm512_srlv_epi64(of, by), _mm512_set1_epi8(mask))
    }
}

/// Adds a number where a bit of the low half, or another one of the high half, is set.
#[inline(always)]
unsafe fn add_where(levels: __m512i, of: __m512i, [low, high]: [usize; 2], value: i8) -> __m512i {
    // SAFETY: as above.
    unsafe {
        let bits = joined(_mm256_set1_epi8((1u8 << low) as i8), _mm256_set1_epi8((1u8 << high) as i8));
        _mm512_mask_add_epi8(levels, _mm512_test_epi8_mask(of, bits), levels, _mm512_set1_epi8(value))
    }
}

/// Multiplies 16 integers by a factor, and takes those with even and with odd numbers apart.
#[inline(always)]
unsafe fn sixteen(integers: __m512i, factor: __m256) -> [__m256; 2] {
    // SAFETY: as above.
    unsafe {
        let order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
        let all = _mm512_permutexvar_ps(order, _mm512_cvtepi32_ps(integers));
        [_mm512_castps512_ps256(all), _mm512_extractf32x8_ps::<1>(all)].map(|v| _mm256_mul_ps(v, factor))
    }
}

#[inline(always)]
unsafe fn negated(of: __m256) -> __m256 {
    // SAFETY: as above.
    unsafe { _mm256_xor_ps(of, _mm256_set1_ps(-0.0)) }
}

/// Reads a group: `L::BYTES` bytes.
///
/// # Safety
/// The processor has AVX-512 F, BW, DQ and VL, and F16C.
#[inline(always)]
pub(super) unsafe fn unpack<L: Leveled>(group: &[u8]) -> Unpacked {
    let b = Bytes(&group[..L::BYTES]);
    let size = L::BYTES / 8;
    // SAFETY: the caller's condition.
    unsafe {
        let mut to = Unpacked {
            levels: [_mm512_setzero_si512(); 4],
            scales: [_mm256_setzero_ps(); 2],
            minima: [_mm256_setzero_ps(); 2],
        };
        match L::DTYPE {
            GgmlDType::Q4_0 | GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1 => {
                let head = if L::MINIMA { 4 } else { 2 };
                let fifths = matches!(L::DTYPE, GgmlDType::Q5_0 | GgmlDType::Q5_1);
                let start = if fifths { head + 4 } else { head };
                for i in 0..4 {
                    let (first, second) = (2 * i * size, (2 * i + 1) * size);
                    to.levels[i] = b.nibbles(first + start, second + start);
                    if fifths {
                        let mask = u64::from(b.word(first + head)) | u64::from(b.word(second + head)) << 32;
                        let levels = to.levels[i];
                        to.levels[i] = _mm512_mask_add_epi8(levels, mask, levels, _mm512_set1_epi8(16));
                    }
                }
                to.scales[0] = b.halves(0, size);
                if L::MINIMA {
                    to.minima[0] = b.halves(2, size);
                }
            }
            GgmlDType::Q8_0 | GgmlDType::Q8_1 => {
                let start = size - 32;
                for i in 0..4 {
                    let both = joined(b.v256(2 * i * size + start), b.v256((2 * i + 1) * size + start));
                    to.levels[i] = _mm512_xor_si512(both, _mm512_set1_epi8(-128));
                }
                to.scales[0] = b.halves(0, size);
            }
            GgmlDType::Q8K => {
                for i in 0..4 {
                    to.levels[i] = _mm512_xor_si512(b.v512(4 + 64 * i), _mm512_set1_epi8(-128));
                }
                to.scales[0] = _mm256_set1_ps(f32::from_bits(b.word(0)));
            }
            GgmlDType::Q4K | GgmlDType::Q5K => {
                let fifths = L::DTYPE == GgmlDType::Q5K;
                let (start, low) = (if fifths { 48 } else { 16 }, _mm512_set1_epi8(15));
                for i in 0..2 {
                    let both = b.v512(start + 64 * i);
                    to.levels[2 * i] = _mm512_and_si512(both, low);
                    to.levels[2 * i + 1] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), low);
                }
                if fifths {
                    let high = b.twice(16);
                    for i in 0..4 {
                        // The bits of the blocks 0 and 2, of 1 and 3, of 4 and 6, and of 5 and 7.
                        let first = [0, 1, 4, 5][i];
                        to.levels[i] = add_where(to.levels[i], high, [first, first + 2], 16);
                    }
                }
                [to.scales[0], to.minima[0]] = b.six_bits();
            }
            GgmlDType::Q2K => {
                for i in 0..2 {
                    let all = b.twice(16 + 32 * i);
                    to.levels[2 * i] = bits(all, 0, 2, 3);
                    to.levels[2 * i + 1] = bits(all, 4, 6, 3);
                }
                let ([d, m], factors) = (b.two_halves(80), _mm512_cvtepu8_epi32(b.v128(0)));
                to.scales = sixteen(_mm512_and_si512(factors, _mm512_set1_epi32(15)), d);
                to.minima = sixteen(_mm512_srli_epi32::<4>(factors), m).map(|v| negated(v));
            }
            GgmlDType::Q3K => {
                let high = b.twice(0);
                for i in 0..4 {
                    let at = 4 * (i as i64 % 2);
                    let two = bits(b.twice(32 + 32 * (i / 2)), at, at + 2, 3);
                    to.levels[i] = add_where(two, high, [2 * i, 2 * i + 1], 4);
                }
                let scales = q3k_scales(&b.0[96..108]).map(|s| s as u8);
                let scales = _mm_loadu_si128(scales.as_ptr().cast());
                let d =
                    _mm256_set1_ps(_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(b.half(108))))));
                to.scales = sixteen(_mm512_cvtepi8_epi32(scales), d);
            }
            GgmlDType::Q6K => {
                let low = _mm512_set1_epi8(15);
                for i in 0..2 {
                    let (four, two) = (b.v512(64 * i), b.twice(128 + 32 * i));
                    let up = _mm512_setr_epi64(4, 4, 4, 4, 2, 2, 2, 2);
                    let first = _mm512_and_si512(_mm512_sllv_epi64(two, up), _mm512_set1_epi8(48));
                    to.levels[2 * i] = _mm512_or_si512(_mm512_and_si512(four, low), first);
                    let four = _mm512_and_si512(_mm512_srli_epi16::<4>(four), low);
                    to.levels[2 * i + 1] = _mm512_or_si512(four, bits(two, 0, 2, 48));
                }
                let d =
                    _mm256_set1_ps(_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(i32::from(b.half(208))))));
                to.scales = sixteen(_mm512_cvtepi8_epi32(b.v128(192)), d);
            }
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => {}
        }
        to
    }
}
