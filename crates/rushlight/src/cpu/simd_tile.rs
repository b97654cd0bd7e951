//! Tiles: the inner loop of convolutions and of products of small matrices, a few rows by one or two vectors of columns.
//!
//! A tile reads one factor element by element through two lists of offsets, so that a window of an image need not be copied
//! to a row of a matrix. Every sum runs in the order of the inner dimension, with fused multiply-add where the processor has
//! it: its bits do not depend on how rows, columns and terms are split. As for the library's products, the instructions are
//! the best of the processor, whatever level is in use.
#![allow(unsafe_code)]
use super::simd_isa::{SimdLevel, highest_simd_level};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A row of a tile.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Index of the row's first element; those of its terms are this many elements after the steps.
    pub from: usize,
    /// Number of the row of sums that it is added to.
    pub to: usize,
}

/// The factors of a block: `sums[row.to][c] (+)= data[row.from + steps[k]] * panel[k][c]`, summed over k.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a, T> {
    /// Elements of the first factor.
    pub data: &'a [T],
    /// Rows of the first factor.
    pub rows: &'a [Row],
    /// Offsets of the terms.
    pub steps: &'a [usize],
    /// The second factor: a row of `width` elements for each term, `pitch` elements apart.
    pub panel: &'a [T],
    /// Distance of rows of the panel.
    pub pitch: usize,
    /// Columns: one or two vectors.
    pub width: usize,
    /// Distance of rows of sums.
    pub apart: usize,
}

/// Returns the level of the processor. (Without a lock, which a forked child would keep.)
fn level() -> SimdLevel {
    static LEVEL: AtomicU8 = AtomicU8::new(0);
    match LEVEL.load(Relaxed) {
        1 => SimdLevel::Base,
        2 => SimdLevel::V3,
        3 => SimdLevel::V4,
        _ => {
            let level = highest_simd_level();
            LEVEL.store(level as u8, Relaxed);
            level
        }
    }
}

/// Element types of tiles.
pub trait Tile: Copy + Default + Send + Sync + 'static {
    /// Returns the number of elements of a vector.
    fn lanes() -> usize;
    /// Runs a block whose bounds have been checked.
    ///
    /// # Safety
    /// All elements lie inside their slices, and `block.width` is one or two vectors.
    #[doc(hidden)]
    unsafe fn run(block: &Block<'_, Self>, sums: *mut Self, add: bool);
    /// Runs a strip whose bounds have been checked.
    ///
    /// # Safety
    /// All elements lie inside their slices, and [`slack`] elements after them.
    #[doc(hidden)]
    unsafe fn run_strip(strip: &Strip<'_, Self>, sums: *mut Self);
}

/// A weighted sum of runs of elements: `sums[row.to + j * apart] = data[row.from + steps[k] + j] * factors[k]`, summed over k,
/// for each row and `j < len`.
#[derive(Debug, Clone, Copy)]
pub struct Strip<'a, T> {
    /// Elements of the runs.
    pub data: &'a [T],
    /// Where the runs begin, and where their sums go.
    pub rows: &'a [Row],
    /// Offsets of the terms.
    pub steps: &'a [usize],
    /// Factors of the terms.
    pub factors: &'a [T],
    /// Length of a run.
    pub len: usize,
    /// Distance of the sums of a run.
    pub apart: usize,
}

/// Vectors of a strip that are computed together.
const TOGETHER: usize = 4;

/// Returns the number of elements after a run that a strip may read, though it does not use them.
pub fn slack<T: Tile>() -> usize {
    TOGETHER * T::lanes()
}

/// Computes a strip. Returns false, and writes nothing, if an element lies outside its slice.
#[must_use]
pub fn strip<T: Tile>(strip: Strip<'_, T>, sums: &mut [T]) -> bool {
    let s = &strip;
    let (Some(to), Some(from)) = (s.rows.iter().map(|r| r.to).max(), s.rows.iter().map(|r| r.from).max())
    else {
        return true;
    };
    if s.len == 0 {
        return true;
    }
    let step = s.steps.iter().max().copied().unwrap_or(0);
    let reads = from.checked_add(step).and_then(|i| i.checked_add(s.len)?.checked_add(slack::<T>()));
    let end = (s.len - 1).checked_mul(s.apart).and_then(|i| i.checked_add(to));
    let inside = reads.is_some_and(|end| end <= s.data.len()) && end.is_some_and(|end| end < sums.len());
    if !inside || s.factors.len() != s.steps.len() {
        return false;
    }
    // SAFETY: the largest index into each slice is inside it, as just checked.
    unsafe { T::run_strip(s, sums.as_mut_ptr()) };
    true
}

/// Computes a block of sums. Returns false, and writes nothing, if an element lies
/// outside its slice or the width is not one or two vectors.
#[must_use]
pub fn block<T: Tile>(block: Block<'_, T>, sums: &mut [T], add: bool) -> bool {
    let (b, width) = (&block, block.width);
    let Some(rows) = b.rows.iter().map(|r| r.to).max() else { return true };
    let first = b.rows.iter().map(|r| r.from).max().unwrap_or(0);
    let ends =
        b.steps.iter().max().is_none_or(|step| first.checked_add(*step).is_some_and(|i| i < b.data.len()));
    let inside = |rows: usize, pitch: usize, len: usize| {
        rows.checked_mul(pitch).and_then(|i| i.checked_add(width)).is_some_and(|end| end <= len)
    };
    let panel = b.steps.is_empty() || inside(b.steps.len() - 1, b.pitch, b.panel.len());
    let lanes = T::lanes();
    if !(ends && panel && inside(rows, b.apart, sums.len()) && (width == lanes || width == 2 * lanes)) {
        return false;
    }
    // SAFETY: the largest index into each slice is inside it, as just checked.
    unsafe { T::run(b, sums.as_mut_ptr(), add) };
    true
}

/// A vector of elements.
trait Vector: Copy {
    type Element: Copy;
    const LANES: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(v: Self::Element) -> Self;
    unsafe fn load(p: *const Self::Element) -> Self;
    unsafe fn store(self, p: *mut Self::Element);
    /// Returns `a * b + self`.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
}

macro_rules! vector {
    ($($vector:ty, $element:ty, $lanes:literal, $zero:ident, $splat:ident, $load:ident, $store:ident,
        |$s:ident, $a:ident, $b:ident| $product:expr);*) => {$(
        impl Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller's condition, as below.
                unsafe { $zero() }
            }
            #[inline(always)]
            unsafe fn splat(v: $element) -> Self {
                // SAFETY: the caller's condition, as below.
                unsafe { $splat(v) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $element) -> Self {
                // SAFETY: as above.
                unsafe { $load(p.cast()) }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $element) {
                // SAFETY: as above.
                unsafe { $store(p.cast(), self) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, $a: Self, $b: Self) -> Self {
                let $s = self;
                // SAFETY: as above.
                unsafe { $product }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Vector;
    use std::arch::x86_64::*;
    vector!(
        __m256, f32, 8, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, |s, a, b| _mm256_fmadd_ps(a, b, s);
        __m256d, f64, 4, _mm256_setzero_pd, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, |s, a, b| _mm256_fmadd_pd(a, b, s);
        __m256i, i32, 8, _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256,
            |s, a, b| _mm256_add_epi32(s, _mm256_mullo_epi32(a, b));
        __m512, f32, 16, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, |s, a, b| _mm512_fmadd_ps(a, b, s);
        __m512d, f64, 8, _mm512_setzero_pd, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, |s, a, b| _mm512_fmadd_pd(a, b, s);
        __m512i, i32, 16, _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_storeu_si512,
            |s, a, b| _mm512_add_epi32(s, _mm512_mullo_epi32(a, b))
    );
}

/// Lanes of a vector without instructions of a level.
const PLAIN: usize = 4;

/// A vector of plain code.
#[derive(Clone, Copy)]
struct Plain<T>([T; PLAIN]);

macro_rules! plain {
    ($($t:ty, |$s:ident, $a:ident, $b:ident| $product:expr);*) => {$(
        impl Vector for Plain<$t> {
            type Element = $t;
            const LANES: usize = PLAIN;
            #[inline(always)]
            unsafe fn zero() -> Self {
                Self([<$t>::default(); PLAIN])
            }
            #[inline(always)]
            unsafe fn splat(v: $t) -> Self {
                Self([v; PLAIN])
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller's condition.
                Self(unsafe { p.cast::<[$t; PLAIN]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { p.cast::<[$t; PLAIN]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, x: Self, y: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    let ($s, $a, $b) = (self.0[i], x.0[i], y.0[i]);
                    $product
                }))
            }
        }
    )*};
}
plain!(
    f32, |s, a, b| s + a * b;
    f64, |s, a, b| s + a * b;
    i32, |s, a, b| s.wrapping_add(a.wrapping_mul(b))
);

/// Computes the sums of `R` rows and `N` vectors of columns.
///
/// # Safety
/// As for [`Tile::run`]; the processor has the vector's instructions.
#[inline(always)]
unsafe fn tile<V: Vector, const R: usize, const N: usize>(
    b: &Block<'_, V::Element>,
    rows: &[Row],
    sums: *mut V::Element,
    add: bool,
) {
    let data = b.data.as_ptr();
    // Rows that are missing repeat the last one.
    let row = |r: usize| rows[r.min(rows.len() - 1)];
    // SAFETY: the caller's condition.
    unsafe {
        let from: [*const V::Element; R] = std::array::from_fn(|r| data.add(row(r).from));
        let to: [*mut V::Element; R] = std::array::from_fn(|r| sums.add(row(r).to * b.apart));
        let mut acc: [[V; N]; R] = if add {
            std::array::from_fn(|r| std::array::from_fn(|j| V::load(to[r].add(j * V::LANES))))
        } else {
            std::array::from_fn(|_| std::array::from_fn(|_| V::zero()))
        };
        let mut panel = b.panel.as_ptr();
        for step in b.steps {
            let columns: [V; N] = std::array::from_fn(|j| V::load(panel.add(j * V::LANES)));
            for r in 0..R {
                let a = V::splat(*from[r].add(*step));
                for j in 0..N {
                    acc[r][j] = acc[r][j].plus_product(a, columns[j]);
                }
            }
            panel = panel.wrapping_add(b.pitch);
        }
        for r in 0..R {
            for j in 0..N {
                acc[r][j].store(to[r].add(j * V::LANES));
            }
        }
    }
}

/// Computes a block, `R` rows at a time.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn tiles<V: Vector, const R: usize>(b: &Block<'_, V::Element>, sums: *mut V::Element, add: bool) {
    for rows in b.rows.chunks(R) {
        // SAFETY: the caller's condition.
        unsafe {
            if b.width == V::LANES {
                tile::<V, R, 1>(b, rows, sums, add);
            } else {
                tile::<V, R, 2>(b, rows, sums, add);
            }
        }
    }
}

/// Computes `N` vectors of a row of a strip from element `first` on, of which `len` elements are used.
///
/// # Safety
/// As for [`Tile::run_strip`]; the processor has the vector's instructions.
#[inline(always)]
unsafe fn run_of<V: Vector, const N: usize>(
    s: &Strip<'_, V::Element>,
    row: Row,
    first: usize,
    len: usize,
    sums: *mut V::Element,
) {
    // SAFETY: the caller's condition; the buffer has room for `TOGETHER` vectors of 64 bytes.
    unsafe {
        let from = s.data.as_ptr().add(row.from + first);
        let to = sums.add(row.to + first * s.apart);
        let mut acc: [V; N] = std::array::from_fn(|_| V::zero());
        for (step, factor) in s.steps.iter().zip(s.factors) {
            let (from, factor) = (from.add(*step), V::splat(*factor));
            for (j, acc) in acc.iter_mut().enumerate() {
                *acc = acc.plus_product(factor, V::load(from.add(j * V::LANES)));
            }
        }
        if len == N * V::LANES && s.apart == 1 {
            acc.iter().enumerate().for_each(|(j, v)| v.store(to.add(j * V::LANES)));
            return;
        }
        let mut buffer = std::mem::MaybeUninit::<[[u8; 64]; TOGETHER]>::uninit();
        let buffer = buffer.as_mut_ptr().cast::<V::Element>();
        acc.iter().enumerate().for_each(|(j, v)| v.store(buffer.add(j * V::LANES)));
        for j in 0..len {
            *to.add(j * s.apart) = *buffer.add(j);
        }
    }
}

/// Computes a strip.
///
/// # Safety
/// As for [`run_of`].
#[inline(always)]
unsafe fn strips<V: Vector>(s: &Strip<'_, V::Element>, sums: *mut V::Element) {
    let together = TOGETHER * V::LANES;
    for row in s.rows {
        for first in (0..s.len).step_by(together) {
            let len = together.min(s.len - first);
            // SAFETY: the caller's condition.
            unsafe {
                match len.div_ceil(V::LANES) {
                    1 => run_of::<V, 1>(s, *row, first, len, sums),
                    2 => run_of::<V, 2>(s, *row, first, len, sums),
                    3 => run_of::<V, 3>(s, *row, first, len, sums),
                    _ => run_of::<V, TOGETHER>(s, *row, first, len, sums),
                }
            }
        }
    }
}

macro_rules! types {
    ($($t:ty, $module:ident, $v3:ident, $v4:ident);*) => {$(
        /// The loops with the instructions of each level.
        #[cfg(target_arch = "x86_64")]
        mod $module {
            use super::{Block, Strip, strips, tiles};
            use std::arch::x86_64::{$v3, $v4};
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn v3(b: &Block<'_, $t>, sums: *mut $t, add: bool) {
                // SAFETY: the caller's condition.
                unsafe { tiles::<$v3, 6>(b, sums, add) };
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            pub(super) unsafe fn v4(b: &Block<'_, $t>, sums: *mut $t, add: bool) {
                // SAFETY: the caller's condition.
                unsafe { tiles::<$v4, 8>(b, sums, add) };
            }
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn strip_v3(s: &Strip<'_, $t>, sums: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { strips::<$v3>(s, sums) };
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            pub(super) unsafe fn strip_v4(s: &Strip<'_, $t>, sums: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { strips::<$v4>(s, sums) };
            }
        }
        impl Tile for $t {
            fn lanes() -> usize {
                match level() {
                    SimdLevel::V4 => 64 / size_of::<$t>(),
                    SimdLevel::V3 => 32 / size_of::<$t>(),
                    SimdLevel::Base => PLAIN,
                }
            }
            unsafe fn run(b: &Block<'_, Self>, sums: *mut Self, add: bool) {
                #[cfg(target_arch = "x86_64")]
                match level() {
                    // SAFETY: the caller's condition, and the processor has the level, as below.
                    SimdLevel::V4 => return unsafe { $module::v4(b, sums, add) },
                    // SAFETY: as above.
                    SimdLevel::V3 => return unsafe { $module::v3(b, sums, add) },
                    SimdLevel::Base => {}
                }
                // SAFETY: the caller's condition.
                unsafe { tiles::<Plain<$t>, 4>(b, sums, add) }
            }
            unsafe fn run_strip(s: &Strip<'_, Self>, sums: *mut Self) {
                #[cfg(target_arch = "x86_64")]
                match level() {
                    // SAFETY: as for `run`.
                    SimdLevel::V4 => return unsafe { $module::strip_v4(s, sums) },
                    // SAFETY: as above.
                    SimdLevel::V3 => return unsafe { $module::strip_v3(s, sums) },
                    SimdLevel::Base => {}
                }
                // SAFETY: the caller's condition.
                unsafe { strips::<Plain<$t>>(s, sums) }
            }
        }
    )*};
}
types!(
    f32, of_f32, __m256, __m512;
    f64, of_f64, __m256d, __m512d;
    i32, of_i32, __m256i, __m512i
);
