//! The levels of quantized blocks in the registers of AVX-512.
// (Loops by index keep the arrays of vectors in registers.)
#![allow(unsafe_code, clippy::needless_range_loop)]
use rushlight_ggml::GgmlDType;
use rushlight_ggml::levels::Leveled;
use std::arch::x86_64::*;

/// The levels and factors of a group of 256 elements of two rows.
#[derive(Clone, Copy)]
pub(super) struct Unpacked {
    /// For each row the levels plus the type's offset: each half of a vector has a block of 32 elements, see [`order`].
    pub levels: [[__m512i; 4]; 2],
    /// The scales of the first halves of the eight blocks, and of the second halves, which are used if the type has other ones: for the
    /// blocks of the first row, then for those of the second, see [`places`].
    pub scales: [__m512; 2],
    /// As the scales, if the type has minima.
    pub minima: [__m512; 2],
}

/// Returns the blocks of the halves of the four vectors of levels.
pub(super) const fn order<L: Leveled>() -> [usize; 8] {
    match L::DTYPE {
        // Bytes with the levels of two blocks each.
        GgmlDType::Q4K | GgmlDType::Q5K => [0, 2, 1, 3, 4, 6, 5, 7],
        _ => [0, 1, 2, 3, 4, 5, 6, 7],
    }
}

/// Returns the blocks of scales and sums: those of the first halves of the vectors of levels, then those of the second halves.
pub(super) const fn places<L: Leveled>() -> [usize; 8] {
    let (order, mut places) = (order::<L>(), [0; 8]);
    let mut at = 0;
    while at < 8 {
        places[at % 2 * 4 + at / 2] = order[at];
        at += 1;
    }
    places
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

    /// Returns the bits of a number of half precision of each block of [`places`]. (Read one by one: from vectors of all bytes the
    /// compiler would take the levels as well, by slow permutations.)
    #[inline(always)]
    unsafe fn halves<L: Leveled>(self, at: usize) -> __m128i {
        let mut all = [0; 8];
        for (i, one) in all.iter_mut().enumerate() {
            *one = self.half(at + const { places::<L>() }[i] * (L::BYTES / 8)) as i16;
        }
        let [a, b, c, d, e, f, g, h] = all;
        // SAFETY: as above.
        unsafe { _mm_setr_epi16(a, b, c, d, e, f, g, h) }
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

/// The groups of two rows.
#[derive(Clone, Copy)]
struct Two<'a>([Bytes<'a>; 2]);

#[allow(clippy::missing_safety_doc)]
impl Two<'_> {
    /// Returns a number of half precision of each block of [`places`].
    #[inline(always)]
    unsafe fn halves<L: Leveled>(self, at: usize) -> __m512 {
        // SAFETY: as above.
        unsafe {
            let (a, b) = (self.0[0].halves::<L>(at), self.0[1].halves::<L>(at));
            _mm512_cvtph_ps(_mm256_inserti128_si256::<1>(_mm256_castsi128_si256(a), b))
        }
    }

    /// Returns a number of half precision of each row, in the row's eight elements.
    #[inline(always)]
    unsafe fn half(self, at: usize) -> __m512 {
        let [a, b] = [u32::from(self.0[0].half(at)), u32::from(self.0[1].half(at))];
        // SAFETY: as above.
        unsafe {
            let both = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_cvtsi32_si128((a | b << 16) as i32)));
            _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1), both)
        }
    }

    /// Returns two numbers of half precision of each row, as [`Self::half`].
    #[inline(always)]
    unsafe fn two_halves(self, at: usize) -> [__m512; 2] {
        let [a, b] = [self.0[0].word(at) as i32, self.0[1].word(at) as i32];
        // SAFETY: as above.
        unsafe {
            let four = _mm512_castps128_ps512(_mm_cvtph_ps(_mm_insert_epi32::<1>(_mm_cvtsi32_si128(a), b)));
            let first = _mm512_setr_epi32(0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2);
            let second = _mm512_setr_epi32(1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 3, 3);
            [_mm512_permutexvar_ps(first, four), _mm512_permutexvar_ps(second, four)]
        }
    }

    /// Returns 16 bytes of each row.
    #[inline(always)]
    unsafe fn v128(self, at: usize) -> __m256i {
        // SAFETY: as above.
        unsafe {
            _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(self.0[0].v128(at)), self.0[1].v128(at))
        }
    }

    /// Returns the scales and the minima of Q4K or Q5K blocks: numbers of 6 bits, as [`rushlight_ggml::levels::scales_and_minima`] reads them, times two numbers
    /// of half precision.
    #[inline(always)]
    unsafe fn six_bits(self) -> [__m512; 2] {
        // SAFETY: as above.
        unsafe {
            // Words of four numbers each: the first and the second have six bits of a first half of the scales, and of the minima, and the
            // upper two bits of the second halves, of which the third word has four bits each.
            let words = self.v128(4);
            let first = _mm256_and_si256(words, _mm256_set1_epi8(63));
            let moved = _mm256_setr_epi32(0, 4, 0, 0, 0, 4, 0, 0);
            let rest = _mm256_srlv_epi32(_mm256_shuffle_epi32::<0xaa>(words), moved);
            let upper = _mm256_and_si256(_mm256_srli_epi32::<2>(words), _mm256_set1_epi8(48));
            let second = _mm256_or_si256(_mm256_and_si256(rest, _mm256_set1_epi8(15)), upper);
            // (This is the order of `places`.)
            let [scales, minima] = apart(_mm256_unpacklo_epi16(first, second));
            let [scale, minimum] = self.two_halves(0);
            let minima = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(minima)), minimum);
            [_mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(scales)), scale), negated(minima)]
        }
    }

    /// Returns the scales of Q3K blocks, as [`rushlight_ggml::levels::q3k_scales`] reads them.
    #[inline(always)]
    unsafe fn q3k_scales(self) -> __m256i {
        // SAFETY: as above.
        unsafe {
            // Eight bytes with the low four bits of two scales each, then four with the upper two bits of four scales each.
            let bytes = self.v128(94);
            let eight =
                _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5, 6, 7, 8, 9));
            let low = _mm256_srlv_epi64(_mm256_shuffle_epi8(bytes, eight), _mm256_setr_epi64x(0, 4, 0, 4));
            let four = _mm256_broadcastsi128_si256(_mm_set1_epi32(0x0d0c_0b0a));
            let moved = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
            let high = _mm256_srlv_epi32(_mm256_shuffle_epi8(bytes, four), moved);
            let high = _mm256_slli_epi16::<4>(_mm256_and_si256(high, _mm256_set1_epi8(3)));
            let all = _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi8(15)), high);
            _mm256_sub_epi8(all, _mm256_set1_epi8(32))
        }
    }
}

/// Returns the first eight bytes of each half, and the last eight.
#[inline(always)]
unsafe fn apart(bytes: __m256i) -> [__m128i; 2] {
    // SAFETY: as above.
    unsafe {
        let all = _mm256_permute4x64_epi64::<0xd8>(bytes);
        [_mm256_castsi256_si128(all), _mm256_extracti128_si256::<1>(all)]
    }
}

/// Takes the bytes of each row apart: those of the first halves of blocks, and of the second halves, for the blocks of [`places`].
#[inline(always)]
unsafe fn shares<L: Leveled>(bytes: __m256i) -> [__m128i; 2] {
    const fn from<L: Leveled>() -> [u8; 32] {
        let (places, mut from) = (places::<L>(), [0; 32]);
        let mut i = 0;
        while i < 32 {
            from[i] = (2 * places[i % 8] + i / 8 % 2) as u8;
            i += 1;
        }
        from
    }
    // SAFETY: as above; the vector has the size of the array.
    unsafe {
        let from = _mm256_loadu_si256(const { from::<L>() }.as_ptr().cast());
        apart(_mm256_shuffle_epi8(bytes, from))
    }
}

#[inline(always)]
unsafe fn negated(of: __m512) -> __m512 {
    // SAFETY: as above.
    unsafe { _mm512_xor_ps(of, _mm512_set1_ps(-0.0)) }
}

/// Reads the levels of a group.
#[inline(always)]
unsafe fn levels<L: Leveled>(b: Bytes) -> [__m512i; 4] {
    let size = L::BYTES / 8;
    // SAFETY: as above.
    unsafe {
        let mut to = [_mm512_setzero_si512(); 4];
        match L::DTYPE {
            GgmlDType::Q4_0 | GgmlDType::Q4_1 | GgmlDType::Q5_0 | GgmlDType::Q5_1 => {
                let head = if L::MINIMA { 4 } else { 2 };
                let fifths = matches!(L::DTYPE, GgmlDType::Q5_0 | GgmlDType::Q5_1);
                let start = if fifths { head + 4 } else { head };
                for i in 0..4 {
                    let (first, second) = (2 * i * size, (2 * i + 1) * size);
                    to[i] = b.nibbles(first + start, second + start);
                    if fifths {
                        let mask = u64::from(b.word(first + head)) | u64::from(b.word(second + head)) << 32;
                        to[i] = _mm512_mask_add_epi8(to[i], mask, to[i], _mm512_set1_epi8(16));
                    }
                }
            }
            GgmlDType::Q8_0 | GgmlDType::Q8_1 => {
                let start = size - 32;
                for i in 0..4 {
                    let both = joined(b.v256(2 * i * size + start), b.v256((2 * i + 1) * size + start));
                    to[i] = _mm512_xor_si512(both, _mm512_set1_epi8(-128));
                }
            }
            GgmlDType::Q8K => {
                for i in 0..4 {
                    to[i] = _mm512_xor_si512(b.v512(4 + 64 * i), _mm512_set1_epi8(-128));
                }
            }
            GgmlDType::Q4K | GgmlDType::Q5K => {
                let fifths = L::DTYPE == GgmlDType::Q5K;
                let (start, low) = (if fifths { 48 } else { 16 }, _mm512_set1_epi8(15));
                for i in 0..2 {
                    let both = b.v512(start + 64 * i);
                    to[2 * i] = _mm512_and_si512(both, low);
                    to[2 * i + 1] = _mm512_and_si512(_mm512_srli_epi16::<4>(both), low);
                }
                if fifths {
                    let high = b.twice(16);
                    for i in 0..4 {
                        // The bits of the blocks 0 and 2, of 1 and 3, of 4 and 6, and of 5 and 7.
                        let first = [0, 1, 4, 5][i];
                        to[i] = add_where(to[i], high, [first, first + 2], 16);
                    }
                }
            }
            GgmlDType::Q2K => {
                for i in 0..2 {
                    let all = b.twice(16 + 32 * i);
                    to[2 * i] = bits(all, 0, 2, 3);
                    to[2 * i + 1] = bits(all, 4, 6, 3);
                }
            }
            GgmlDType::Q3K => {
                let high = b.twice(0);
                for i in 0..4 {
                    let at = 4 * (i as i64 % 2);
                    let two = bits(b.twice(32 + 32 * (i / 2)), at, at + 2, 3);
                    to[i] = add_where(two, high, [2 * i, 2 * i + 1], 4);
                }
            }
            GgmlDType::Q6K => {
                let low = _mm512_set1_epi8(15);
                for i in 0..2 {
                    let (four, two) = (b.v512(64 * i), b.twice(128 + 32 * i));
                    let up = _mm512_setr_epi64(4, 4, 4, 4, 2, 2, 2, 2);
                    let first = _mm512_and_si512(_mm512_sllv_epi64(two, up), _mm512_set1_epi8(48));
                    to[2 * i] = _mm512_or_si512(_mm512_and_si512(four, low), first);
                    let four = _mm512_and_si512(_mm512_srli_epi16::<4>(four), low);
                    to[2 * i + 1] = _mm512_or_si512(four, bits(two, 0, 2, 48));
                }
            }
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => {}
        }
        to
    }
}

/// Reads a group of each of two rows: `L::BYTES` bytes.
///
/// # Safety
/// The processor has AVX-512 F, BW, DQ and VL, and F16C.
#[inline(always)]
pub(super) unsafe fn unpack<L: Leveled>(rows: [&[u8]; 2]) -> Unpacked {
    let rows = [Bytes(&rows[0][..L::BYTES]), Bytes(&rows[1][..L::BYTES])];
    let two = Two(rows);
    // SAFETY: the caller's condition.
    unsafe {
        let zero = [_mm512_setzero_ps(); 2];
        let (mut scales, mut minima) = (zero, zero);
        match L::DTYPE {
            GgmlDType::Q8K => {
                let a = _mm256_set1_ps(f32::from_bits(rows[0].word(0)));
                let b = _mm256_set1_ps(f32::from_bits(rows[1].word(0)));
                scales[0] = _mm512_insertf32x8::<1>(_mm512_castps256_ps512(a), b);
            }
            GgmlDType::Q4K | GgmlDType::Q5K => [scales[0], minima[0]] = two.six_bits(),
            GgmlDType::Q2K => {
                let (factors, low, [d, m]) = (two.v128(0), _mm256_set1_epi8(15), two.two_halves(80));
                let high = _mm256_and_si256(_mm256_srli_epi16::<4>(factors), low);
                let (low, high) = (shares::<L>(_mm256_and_si256(factors, low)), shares::<L>(high));
                for half in 0..2 {
                    scales[half] = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(low[half])), d);
                    let m = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(high[half])), m);
                    minima[half] = negated(m);
                }
            }
            GgmlDType::Q3K | GgmlDType::Q6K => {
                let (factors, d) = match L::DTYPE {
                    GgmlDType::Q6K => (two.v128(192), two.half(208)),
                    _ => (two.q3k_scales(), two.half(108)),
                };
                let factors = shares::<L>(factors);
                for half in 0..2 {
                    scales[half] = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(factors[half])), d);
                }
            }
            _ => {
                scales[0] = two.halves::<L>(0);
                if L::MINIMA {
                    minima[0] = two.halves::<L>(2);
                }
            }
        }
        Unpacked { levels: [levels::<L>(rows[0]), levels::<L>(rows[1])], scales, minima }
    }
}
