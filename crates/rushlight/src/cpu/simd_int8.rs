//! Products of quantized blocks with rows in 8 bits, by the instructions that add products of bytes: those of AVX-512 (VNNI), or of AVX2.
//!
//! Integers are added exactly and terms of blocks in the documented order, so the bits are those of the plain loops
//! (`kernels/quantized_int8.rs`).
#![allow(unsafe_code)]
use super::kernels::quantized_int8::{Group, PARTS};
#[cfg(target_arch = "x86_64")]
use super::simd_int8_levels::{order as levels_order, places};
use super::simd_isa::{SimdLevel, simd_level};
use rushlight_ggml::levels::{Leveled, Levels};

/// Outputs of a tile: rows of blocks that are unpacked together.
pub(super) const COLUMNS: usize = 32;
/// Outputs of a vector, and vectors of a tile.
const LANES: usize = 16;
const VECTORS: usize = COLUMNS / LANES;

/// A block of a row in 8 bits: what a tile reads of it, in one line of the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Block {
    levels: [i8; 32],
    scale: f32,
    sums: [f32; 2],
    /// The offsets of the sums of products.
    starts: [i32; 2],
}

impl Block {
    pub const ZERO: Self = Self { levels: [0; 32], scale: 0.0, sums: [0.0; 2], starts: [0; 2] };

    /// Arranges the groups of a row by partial sums: the first block of each group, then the second of each, ..
    pub fn arrange(row: &[Group], to: &mut [Self]) {
        for (i, to) in to.iter_mut().enumerate() {
            let (part, group) = (i / row.len(), &row[i % row.len()]);
            to.levels.copy_from_slice(&group.levels[part * 32..][..32]);
            to.scale = group.scales[part];
            to.sums = [group.sums[part], group.sums[PARTS + part]];
            to.starts = [-group.offsets[part], -group.offsets[PARTS + part]];
        }
    }
}

/// A block of each row of a tile.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct TileBlock {
    /// For each four elements and each vector the four levels of each row, which are not negative.
    levels: [[[u8; 4 * LANES]; VECTORS]; 8],
    /// The scales of the first half of the elements, and of the second.
    scales: [[[f32; LANES]; VECTORS]; 2],
    minima: [[[f32; LANES]; VECTORS]; 2],
}

impl TileBlock {
    pub const ZERO: Self = Self {
        levels: [[[0; 4 * LANES]; VECTORS]; 8],
        scales: [[[0.0; LANES]; VECTORS]; 2],
        minima: [[[0.0; LANES]; VECTORS]; 2],
    };
}

/// Stands for the instructions, which the processor has.
#[derive(Clone, Copy)]
pub(super) struct Vnni(());

/// Returns the instructions if the level in use and the processor have them. (The level may change while an op runs.)
pub(super) fn vnni() -> Option<Vnni> {
    #[cfg(target_arch = "x86_64")]
    if simd_level() == SimdLevel::V4 && std::arch::is_x86_feature_detected!("avx512vnni") {
        return Some(Vnni(()));
    }
    None
}

/// Puts the blocks of a row in 8 bits in the order in which [`row`] reads them.
pub(super) fn order<L: Leveled>(_: Vnni, x: &mut [Group]) {
    #[cfg(target_arch = "x86_64")]
    x.iter_mut().for_each(|x| x.order(levels_order::<L>(), places::<L>()));
}

/// Multiplies a row in 8 bits, which [`order`] has ordered, by rows of blocks. Returns false, and does nothing, if the lengths do
/// not fit.
pub(super) fn row<L: Leveled>(
    _: Vnni,
    x: &[Group],
    blocks: &[u8],
    row_bytes: usize,
    out: &mut [f32],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    if row_bytes.div_ceil(L::BYTES) == x.len() && blocks.len() == row_bytes * out.len() {
        // SAFETY: the processor has the instructions, for which the argument stands.
        unsafe { x86::row::<L>(x, blocks, row_bytes, out) };
        return true;
    }
    false
}

/// Multiplies rows in 8 bits, each of which [`Block::arrange`] has arranged, by at most `COLUMNS` rows of blocks. `tile` has a block
/// for each block of a row. Returns false, and does nothing, if the lengths do not fit.
pub(super) fn tile<L: Leveled>(
    _: Vnni,
    x: &[Block],
    blocks: &[u8],
    row_bytes: usize,
    tile: &mut [TileBlock],
    out: &mut [[f32; COLUMNS]],
) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        let groups = row_bytes.div_ceil(L::BYTES);
        let fits = tile.len() == groups * PARTS && x.len() == tile.len() * out.len();
        if fits && blocks.len() <= COLUMNS * row_bytes {
            // SAFETY: the processor has the instructions, for which the argument stands.
            unsafe {
                x86::fill::<L>(blocks, row_bytes, tile);
                x86::multiply::<L>(x, tile, out);
            }
            return true;
        }
    }
    false
}

/// Multiplies rows in 8 bits by a row of blocks, which has these levels. Returns false, and does nothing, if AVX2 is missing.
pub(super) fn column<L: Leveled>(x: &[Group], levels: &[Levels], out: &mut [f32]) -> bool {
    #[cfg(target_arch = "x86_64")]
    if simd_level() >= SimdLevel::V3 {
        // SAFETY: the processor has the instructions.
        unsafe { avx2::column::<L>(x, levels, out) };
        return true;
    }
    false
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Group, PARTS};
    use rushlight_ggml::levels::{Leveled, Levels};
    use std::arch::x86_64::*;

    /// Returns the sums of products of the first halves of blocks, and of the second halves.
    #[inline(always)]
    unsafe fn dots(w: &[i8; 256], x: &[i8; 256]) -> [__m256i; 2] {
        // SAFETY: the caller's condition, as below; vectors lie inside the arrays.
        unsafe {
            let mut sums = [_mm256_setzero_si256(); PARTS];
            for (i, sum) in sums.iter_mut().enumerate() {
                let w = _mm256_loadu_si256(w.as_chunks::<32>().0[i].as_ptr().cast());
                let x = _mm256_loadu_si256(x.as_chunks::<32>().0[i].as_ptr().cast());
                // Two products of at most 128 * 127 fit 16 bits.
                let pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(w), _mm256_sign_epi8(x, w));
                *sum = _mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
            }
            // 128 bits are the half of a block, whose four sums are added.
            let [a, b, c, d, e, f, g, h] = sums;
            let low = _mm256_hadd_epi32(_mm256_hadd_epi32(a, b), _mm256_hadd_epi32(c, d));
            let high = _mm256_hadd_epi32(_mm256_hadd_epi32(e, f), _mm256_hadd_epi32(g, h));
            [_mm256_permute2x128_si256::<0x20>(low, high), _mm256_permute2x128_si256::<0x31>(low, high)]
        }
    }

    /// Returns the factors of the first halves of blocks, and of the second halves.
    #[inline(always)]
    unsafe fn split(of: &[f32; 2 * PARTS]) -> [__m256; 2] {
        // SAFETY: as above.
        unsafe {
            let (low, high) = (_mm256_loadu_ps(of.as_ptr()), _mm256_loadu_ps(of.as_ptr().add(PARTS)));
            let order = |v| _mm256_castpd_ps(_mm256_permute4x64_pd::<0xd8>(_mm256_castps_pd(v)));
            [order(_mm256_shuffle_ps::<0x88>(low, high)), order(_mm256_shuffle_ps::<0xdd>(low, high))]
        }
    }

    /// Multiplies rows by a row of blocks.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    pub unsafe fn column<L: Leveled>(x: &[Group], levels: &[Levels], out: &mut [f32]) {
        for (x, to) in x.chunks_exact(levels.len()).zip(out) {
            let mut parts = _mm256_setzero_ps();
            for (w, x) in levels.iter().zip(x) {
                // SAFETY: the caller's condition; vectors lie inside the arrays.
                unsafe {
                    let products = dots(&w.levels, &x.levels);
                    let (scales, minima) = (split(&w.scales), split(&w.minima));
                    let scale = _mm256_loadu_ps(x.scales.as_ptr());
                    for half in 0..32 / L::SHARED {
                        let product = match L::SHARED {
                            32 => _mm256_add_epi32(products[0], products[1]),
                            _ => products[half],
                        };
                        let factor = _mm256_mul_ps(scales[half], scale);
                        parts = _mm256_fmadd_ps(factor, _mm256_cvtepi32_ps(product), parts);
                        if L::MINIMA {
                            let sums = _mm256_loadu_ps(x.sums.as_ptr().add(half * PARTS));
                            parts = _mm256_fmadd_ps(_mm256_mul_ps(minima[half], scale), sums, parts);
                        }
                    }
                }
            }
            // SAFETY: as above.
            *to = unsafe { fold(parts) };
        }
    }

    /// Folds partial sums.
    #[inline(always)]
    pub unsafe fn fold(parts: __m256) -> f32 {
        // SAFETY: the caller's condition.
        unsafe {
            let four = _mm_add_ps(_mm256_castps256_ps128(parts), _mm256_extractf128_ps::<1>(parts));
            let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
            _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)))
        }
    }
}

// (Loops by index keep the arrays of vectors in registers.)
#[cfg(target_arch = "x86_64")]
#[allow(clippy::needless_range_loop)]
mod x86 {
    use super::super::simd_int8_levels::{Unpacked, order, places, unpack};
    use super::avx2::fold;
    use super::{Block, COLUMNS, Group, LANES, PARTS, TileBlock, VECTORS};
    use rushlight_ggml::GgmlDType;
    use rushlight_ggml::levels::{Leveled, MOST};
    use std::arch::x86_64::*;

    /// Reads group `i` of two rows of blocks, which may end before it does.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn group<L: Leveled>(rows: [&[u8]; 2], i: usize) -> Unpacked {
        let from = [&rows[0][i * L::BYTES..], &rows[1][i * L::BYTES..]];
        // SAFETY: the caller's condition.
        unsafe {
            if from[0].len() >= L::BYTES {
                return unpack::<L>(from);
            }
            let mut whole = [[0; MOST]; 2];
            for (to, from) in whole.iter_mut().zip(from) {
                to[..from.len()].copy_from_slice(from);
            }
            unpack::<L>([&whole[0], &whole[1]])
        }
    }

    /// Returns whether a sum of eight products has 16 bits: levels are at most 31, and integers at most 127.
    const fn short<L: Leveled>() -> bool {
        use GgmlDType::{Q2K, Q3K, Q4_0, Q4_1, Q4K, Q5_0, Q5_1, Q5K};
        matches!(L::DTYPE, Q4_0 | Q4_1 | Q5_0 | Q5_1 | Q2K | Q3K | Q4K | Q5K)
    }

    /// Returns the sums of products of 16 elements each: those of the first halves of the blocks of both rows, then of the second halves.
    #[inline(always)]
    unsafe fn dots<L: Leveled>(w: &Unpacked, x: &Group) -> [__m512i; 2] {
        // SAFETY: the caller's condition, as below; vectors lie inside the arrays.
        unsafe {
            let mut rows = [_mm512_setzero_si512(); 2];
            for r in 0..2 {
                let mut sums = [_mm512_setzero_si512(); 4];
                for i in 0..4 {
                    let x = _mm512_load_si512(x.levels.as_chunks::<64>().0[i].as_ptr().cast());
                    sums[i] = _mm512_dpbusd_epi32(sums[i], w.levels[r][i], x);
                }
                // Each 128 bits are a half of a block, whose four sums are added.
                let [a, b, c, d] = sums;
                rows[r] = if short::<L>() {
                    let pairs = |a, b| _mm512_madd_epi16(_mm512_packs_epi32(a, b), _mm512_set1_epi16(1));
                    pairs(pairs(a, b), pairs(c, d))
                } else {
                    let ab = _mm512_add_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
                    let cd = _mm512_add_epi32(_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
                    _mm512_add_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd))
                };
            }
            let [a, b] = rows;
            [_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0xdd>(a, b)]
        }
    }

    /// Adds the terms of eight blocks of two rows to their partial sums.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn add_terms<L: Leveled>(w: &Unpacked, x: &Group, mut parts: __m512) -> __m512 {
        // SAFETY: the caller's condition; vectors lie inside the arrays.
        unsafe {
            let halves = dots::<L>(w, x);
            let scale = _mm512_broadcast_f32x8(_mm256_load_ps(x.scales.as_ptr()));
            for half in 0..32 / L::SHARED {
                let mut sums =
                    if L::SHARED == 32 { _mm512_add_epi32(halves[0], halves[1]) } else { halves[half] };
                if L::OFFSET > 0 {
                    let offsets = _mm256_load_si256(x.offsets.as_ptr().add(half * PARTS).cast());
                    sums = _mm512_sub_epi32(sums, _mm512_broadcast_i64x4(offsets));
                }
                parts =
                    _mm512_fmadd_ps(_mm512_mul_ps(w.scales[half], scale), _mm512_cvtepi32_ps(sums), parts);
                if L::MINIMA {
                    let sums = _mm512_broadcast_f32x8(_mm256_load_ps(x.sums.as_ptr().add(half * PARTS)));
                    parts = _mm512_fmadd_ps(_mm512_mul_ps(w.minima[half], scale), sums, parts);
                }
            }
            parts
        }
    }

    /// Multiplies a row by two rows of blocks.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[inline(always)]
    unsafe fn two_rows<L: Leveled>(x: &[Group], rows: [&[u8]; 2]) -> [f32; 2] {
        /// Returns where the partial sums of the blocks are.
        const fn from<L: Leveled>() -> [i32; 2 * PARTS] {
            let (places, mut from) = (places::<L>(), [0; 2 * PARTS]);
            let mut at = 0;
            while at < PARTS {
                (from[places[at]], from[PARTS + places[at]]) = (at as i32, (PARTS + at) as i32);
                at += 1;
            }
            from
        }
        // SAFETY: the caller's condition; the vector has the size of the array.
        unsafe {
            let mut parts = _mm512_setzero_ps();
            for (i, x) in x.iter().enumerate() {
                parts = add_terms::<L>(&group::<L>(rows, i), x, parts);
            }
            let from = _mm512_loadu_si512(const { from::<L>() }.as_ptr().cast());
            let parts = _mm512_permutexvar_ps(from, parts);
            [fold(_mm512_castps512_ps256(parts)), fold(_mm512_extractf32x8_ps::<1>(parts))]
        }
    }

    /// Multiplies a row by rows of blocks.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni")]
    pub unsafe fn row<L: Leveled>(x: &[Group], blocks: &[u8], row_bytes: usize, out: &mut [f32]) {
        // (A row of each half: processors read ahead of two such streams of addresses, and not of two neighbouring rows that are read alternately.)
        let half = out.len() / 2;
        let (first, rest) = out.split_at_mut(half);
        for (i, (a, b)) in first.iter_mut().zip(rest.iter_mut()).enumerate() {
            let row = |i: usize| &blocks[i * row_bytes..][..row_bytes];
            // SAFETY: the caller's condition.
            [*a, *b] = unsafe { two_rows::<L>(x, [row(i), row(half + i)]) };
        }
        if let Some(last) = rest.get_mut(half) {
            let row = &blocks[blocks.len() - row_bytes..];
            // SAFETY: as above.
            [*last, _] = unsafe { two_rows::<L>(x, [row, row]) };
        }
    }

    /// Transposes 16 vectors of 16 words.
    #[inline(always)]
    unsafe fn transposed(rows: [__m512i; LANES]) -> [__m512i; LANES] {
        // SAFETY: the caller's condition.
        unsafe {
            let (mut a, mut b) = (rows, rows);
            for i in 0..8 {
                a[2 * i] = _mm512_unpacklo_epi32(rows[2 * i], rows[2 * i + 1]);
                a[2 * i + 1] = _mm512_unpackhi_epi32(rows[2 * i], rows[2 * i + 1]);
            }
            for i in 0..4 {
                for j in 0..2 {
                    b[4 * i + 2 * j] = _mm512_unpacklo_epi64(a[4 * i + j], a[4 * i + 2 + j]);
                    b[4 * i + 2 * j + 1] = _mm512_unpackhi_epi64(a[4 * i + j], a[4 * i + 2 + j]);
                }
            }
            // Vector 4 i + j has word j of each 128 bits of the rows 4 i to 4 i + 3.
            for j in 0..4 {
                let low = _mm512_shuffle_i32x4::<0x88>(b[j], b[4 + j]);
                let high = _mm512_shuffle_i32x4::<0xdd>(b[j], b[4 + j]);
                let low_rest = _mm512_shuffle_i32x4::<0x88>(b[8 + j], b[12 + j]);
                let high_rest = _mm512_shuffle_i32x4::<0xdd>(b[8 + j], b[12 + j]);
                a[j] = _mm512_shuffle_i32x4::<0x88>(low, low_rest);
                a[8 + j] = _mm512_shuffle_i32x4::<0xdd>(low, low_rest);
                a[4 + j] = _mm512_shuffle_i32x4::<0x88>(high, high_rest);
                a[12 + j] = _mm512_shuffle_i32x4::<0xdd>(high, high_rest);
            }
            a
        }
    }

    /// Returns the factors of a row: those of the first halves of blocks, then of the second halves.
    #[inline(always)]
    unsafe fn of_row([first, second]: [__m512; 2], row: usize) -> __m512i {
        // SAFETY: the caller's condition.
        unsafe {
            _mm512_castps_si512(match row {
                0 => _mm512_shuffle_f32x4::<0x44>(first, second),
                _ => _mm512_shuffle_f32x4::<0xee>(first, second),
            })
        }
    }

    /// Unpacks rows of blocks, at most `COLUMNS`, to a tile.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni")]
    pub unsafe fn fill<L: Leveled>(blocks: &[u8], row_bytes: usize, tile: &mut [TileBlock]) {
        let groups = tile.len() / PARTS;
        // SAFETY: the caller's condition; vectors have the size of the arrays.
        unsafe {
            for (v, blocks) in (0..VECTORS).zip(blocks.chunks(LANES * row_bytes).chain([&[][..]; VECTORS])) {
                for i in 0..groups {
                    // Missing rows have zeros.
                    let zero = [_mm512_setzero_si512(); LANES];
                    let (mut levels, mut scales, mut minima) = ([zero; 4], zero, zero);
                    for (pair, rows) in blocks.chunks(2 * row_bytes).enumerate() {
                        let last = rows.len() - row_bytes;
                        let from = group::<L>([&rows[..row_bytes], &rows[last..]], i);
                        for lane in 0..rows.len() / row_bytes {
                            for four in 0..4 {
                                levels[four][2 * pair + lane] = from.levels[lane][four];
                            }
                            scales[2 * pair + lane] = of_row(from.scales, lane);
                            minima[2 * pair + lane] = of_row(from.minima, lane);
                        }
                    }
                    for (four, levels) in levels.into_iter().enumerate() {
                        for (k, word) in transposed(levels).into_iter().enumerate() {
                            let block = order::<L>()[2 * four + k / 8];
                            let to = &mut tile[block * groups + i].levels[k % 8][v];
                            _mm512_store_si512(to.as_mut_ptr().cast(), word);
                        }
                    }
                    let used = PARTS * (32 / L::SHARED);
                    for (k, word) in transposed(scales).into_iter().take(used).enumerate() {
                        let to = &mut tile[places::<L>()[k % PARTS] * groups + i].scales[k / PARTS][v];
                        _mm512_store_si512(to.as_mut_ptr().cast(), word);
                    }
                    if L::MINIMA {
                        for (k, word) in transposed(minima).into_iter().take(used).enumerate() {
                            let to = &mut tile[places::<L>()[k % PARTS] * groups + i].minima[k / PARTS][v];
                            _mm512_store_si512(to.as_mut_ptr().cast(), word);
                        }
                    }
                }
            }
        }
    }

    type Sums<const R: usize> = [[__m512; VECTORS]; R];

    /// Adds the terms of some blocks to a partial sum of each result.
    #[inline(always)]
    unsafe fn part<L: Leveled, const R: usize>(x: [&[Block]; R], tile: &[TileBlock]) -> Sums<R> {
        // SAFETY: the caller's condition; vectors lie inside the arrays.
        unsafe {
            let mut sums = [[_mm512_setzero_ps(); VECTORS]; R];
            for (i, w) in tile.iter().enumerate() {
                let mut blocks = [&Block::ZERO; R];
                for r in 0..R {
                    blocks[r] = &x[r][i];
                }
                for half in 0..32 / L::SHARED {
                    let mut products = [[_mm512_setzero_si512(); VECTORS]; R];
                    if L::OFFSET > 0 {
                        for r in 0..R {
                            products[r] = [_mm512_set1_epi32(blocks[r].starts[half]); VECTORS];
                        }
                    }
                    for k in 0..L::SHARED / 4 {
                        let k = half * 4 + k;
                        let mut levels = [_mm512_setzero_si512(); VECTORS];
                        for v in 0..VECTORS {
                            levels[v] = _mm512_load_si512(w.levels[k][v].as_ptr().cast());
                        }
                        for r in 0..R {
                            let x = _mm512_set1_epi32(blocks[r].levels.as_ptr().cast::<i32>().add(k).read());
                            for v in 0..VECTORS {
                                products[r][v] = _mm512_dpbusd_epi32(products[r][v], levels[v], x);
                            }
                        }
                    }
                    for r in 0..R {
                        let scale = _mm512_set1_ps(blocks[r].scale);
                        for v in 0..VECTORS {
                            let factor = _mm512_mul_ps(_mm512_load_ps(w.scales[half][v].as_ptr()), scale);
                            sums[r][v] =
                                _mm512_fmadd_ps(factor, _mm512_cvtepi32_ps(products[r][v]), sums[r][v]);
                        }
                        if L::MINIMA {
                            let sum = _mm512_set1_ps(blocks[r].sums[half]);
                            for v in 0..VECTORS {
                                let factor = _mm512_mul_ps(_mm512_load_ps(w.minima[half][v].as_ptr()), scale);
                                sums[r][v] = _mm512_fmadd_ps(factor, sum, sums[r][v]);
                            }
                        }
                    }
                }
            }
            sums
        }
    }

    /// Multiplies R rows by a tile.
    #[inline(always)]
    unsafe fn rows<L: Leveled, const R: usize>(x: &[Block], tile: &[TileBlock], out: &mut [[f32; COLUMNS]]) {
        let groups = tile.len() / PARTS;
        // SAFETY: the caller's condition, as below.
        let mut parts = [[[unsafe { _mm512_setzero_ps() }; VECTORS]; R]; PARTS];
        for (i, part) in parts.iter_mut().enumerate() {
            let mut x_parts = [&[][..]; R];
            for (r, x_part) in x_parts.iter_mut().enumerate() {
                *x_part = &x[r * tile.len()..][..tile.len()][i * groups..][..groups];
            }
            // SAFETY: as above.
            *part = unsafe { self::part::<L, R>(x_parts, &tile[i * groups..][..groups]) };
        }
        for half in [4, 2, 1] {
            for i in 0..half {
                for r in 0..R {
                    for v in 0..VECTORS {
                        // SAFETY: as above.
                        parts[i][r][v] = unsafe { _mm512_add_ps(parts[i][r][v], parts[i + half][r][v]) };
                    }
                }
            }
        }
        for r in 0..R {
            for v in 0..VECTORS {
                let to = &mut out[r][v * LANES..][..LANES];
                // SAFETY: as above; the vector has the slice's size.
                unsafe { _mm512_storeu_ps(to.as_mut_ptr(), parts[0][r][v]) };
            }
        }
    }

    /// Multiplies rows by a tile.
    ///
    /// # Safety
    /// The processor has the instructions.
    #[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
    #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vnni")]
    pub unsafe fn multiply<L: Leveled>(x: &[Block], tile: &[TileBlock], out: &mut [[f32; COLUMNS]]) {
        let mut row = 0;
        while row < out.len() {
            let (x, to) = (&x[row * tile.len()..], &mut out[row..]);
            // SAFETY: the caller's condition, as below.
            row += unsafe {
                match to.len() {
                    1 => (rows::<L, 1>(x, tile, to), 1).1,
                    2 | 3 => (rows::<L, 2>(x, tile, to), 2).1,
                    _ => (rows::<L, 4>(x, tile, to), 4).1,
                }
            };
        }
    }
}
