//! Tiles: the inner loop of convolutions and of products of small matrices, a few rows by one or two vectors of columns.
//!
//! A tile reads one factor element by element through two lists of offsets, so that a window of an image need not be copied
//! to a row of a matrix. Every sum runs in the order of the inner dimension, with fused multiply-add where the processor has
//! it: its bits do not depend on how rows, columns and terms are split. As for the library's products, the instructions are
//! the best of the processor, whatever level is in use.
#![allow(unsafe_code)]
use super::simd_isa::{SimdLevel, highest_simd_level};
use super::simd_vector::{PLAIN, Plain, Vector};
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
    /// Runs strips whose bounds have been checked.
    ///
    /// # Safety
    /// All elements lie inside their slices, and [`slack`] elements after the runs. There is a factor for each step.
    #[doc(hidden)]
    unsafe fn run_strips<const C: usize>(
        strip: &Strip<'_, Self>,
        factors: [*const Self; C],
        sums: [*mut Self; C],
    );
    /// Computes dot products whose bounds have been checked.
    ///
    /// # Safety
    /// All elements lie inside their slices.
    #[doc(hidden)]
    unsafe fn run_dots(dots: &Dots<'_, Self>, sums: *mut Self);
}

/// Dot products of runs of two factors: `sums[k] += data[row.from + steps[k] + j] * other[row.to + j]`, summed over the rows
/// and `j < len`. The elements of a vector are summed at the end.
#[derive(Debug, Clone, Copy)]
pub struct Dots<'a, T> {
    /// Elements of the first factor.
    pub data: &'a [T],
    /// Elements of the second factor.
    pub other: &'a [T],
    /// Where the runs of both begin.
    pub rows: &'a [Row],
    /// Offsets of the dot products' runs.
    pub steps: &'a [usize],
    /// Length of a run.
    pub len: usize,
}

/// Returns the largest starts of rows in both slices, or `None` without rows.
fn ends(rows: &[Row]) -> Option<(usize, usize)> {
    Some((rows.iter().map(|r| r.from).max()?, rows.iter().map(|r| r.to).max()?))
}

/// Adds dot products to `sums`. Returns false, and writes nothing, if an element lies outside its slice.
#[must_use]
pub fn dots<T: Tile>(dots: Dots<'_, T>, sums: &mut [T]) -> bool {
    let d = &dots;
    let (Some((from, to)), Some(step)) = (ends(d.rows), d.steps.iter().max()) else { return true };
    let inside = |start: Option<usize>, len: usize| {
        start.and_then(|i| i.checked_add(d.len)).is_some_and(|end| end <= len)
    };
    let fits = inside(from.checked_add(*step), d.data.len()) && inside(Some(to), d.other.len());
    if !fits || sums.len() != d.steps.len() {
        return false;
    }
    // SAFETY: the largest index into each slice is inside it, as just checked.
    unsafe { T::run_dots(d, sums.as_mut_ptr()) };
    true
}

/// Weighted sums of runs of elements: `sums[row.to + j * apart] = data[row.from + steps[k] + j] * factors[k]`, summed over k,
/// for each row and `j < len`.
#[derive(Debug, Clone, Copy)]
pub struct Strip<'a, T> {
    /// Elements of the runs.
    pub data: &'a [T],
    /// Where the runs begin, and where their sums go.
    pub rows: &'a [Row],
    /// Offsets of the terms.
    pub steps: &'a [usize],
    /// Length of a run.
    pub len: usize,
    /// Distance of the sums of a run.
    pub apart: usize,
}

/// Vectors of a run that are computed together.
const TOGETHER: usize = 4;

/// Returns the number of elements after a run that a strip may read, though it does not use them.
pub fn slack<T: Tile>() -> usize {
    TOGETHER * T::lanes()
}

/// Computes `C` strips of the same runs, each with its factors and sums. Returns false, and writes nothing, if an element lies
/// outside its slice.
#[must_use]
pub fn strips<T: Tile, const C: usize>(strip: Strip<'_, T>, factors: [&[T]; C], sums: [&mut [T]; C]) -> bool {
    let s = &strip;
    let Some((from, to)) = ends(s.rows).filter(|_| s.len > 0) else { return true };
    let step = s.steps.iter().max().copied().unwrap_or(0);
    let reads = from.checked_add(step).and_then(|i| i.checked_add(s.len)?.checked_add(slack::<T>()));
    let end = (s.len - 1).checked_mul(s.apart).and_then(|i| i.checked_add(to));
    let all_sums = end.is_some_and(|end| sums.iter().all(|s| end < s.len()));
    let all_factors = factors.iter().all(|f| f.len() == s.steps.len());
    if !(reads.is_some_and(|end| end <= s.data.len()) && all_sums && all_factors) {
        return false;
    }
    // SAFETY: the largest index into each slice is inside it, as just checked.
    unsafe { T::run_strips(s, factors.map(<[T]>::as_ptr), sums.map(<[T]>::as_mut_ptr)) };
    true
}

/// Computes a block of sums. Returns false, and writes nothing, if an element lies
/// outside its slice or the width is not one or two vectors.
#[must_use]
pub fn block<T: Tile>(block: Block<'_, T>, sums: &mut [T], add: bool) -> bool {
    let (b, width) = (&block, block.width);
    let Some((first, rows)) = ends(b.rows) else { return true };
    let reads =
        b.steps.iter().max().is_none_or(|step| first.checked_add(*step).is_some_and(|i| i < b.data.len()));
    let inside = |rows: usize, pitch: usize, len: usize| {
        rows.checked_mul(pitch).and_then(|i| i.checked_add(width)).is_some_and(|end| end <= len)
    };
    let panel = b.steps.is_empty() || inside(b.steps.len() - 1, b.pitch, b.panel.len());
    let lanes = T::lanes();
    if !(reads && panel && inside(rows, b.apart, sums.len()) && (width == lanes || width == 2 * lanes)) {
        return false;
    }
    // SAFETY: the largest index into each slice is inside it, as just checked.
    unsafe { T::run(b, sums.as_mut_ptr(), add) };
    true
}

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
        for (acc, to) in acc.iter().zip(to) {
            acc.iter().enumerate().for_each(|(j, v)| v.store(to.add(j * V::LANES)));
        }
    }
}

/// Computes a block in tiles of about one number of rows: up to `MOST`, and `LESS` or `LEAST` where these suffice.
///
/// # Safety
/// As for [`tile`].
#[inline(always)]
unsafe fn tiles<V: Vector, const MOST: usize, const LESS: usize, const LEAST: usize>(
    b: &Block<'_, V::Element>,
    sums: *mut V::Element,
    add: bool,
) {
    let count = b.rows.len().div_ceil(MOST);
    let mut rest = b.rows;
    for left in (1..=count).rev() {
        let (rows, others) = rest.split_at(rest.len().div_ceil(left));
        rest = others;
        // SAFETY: the caller's condition.
        unsafe {
            match (b.width == V::LANES, rows.len()) {
                (true, n) if n <= LEAST => tile::<V, LEAST, 1>(b, rows, sums, add),
                (true, _) => tile::<V, MOST, 1>(b, rows, sums, add),
                (false, n) if n <= LEAST => tile::<V, LEAST, 2>(b, rows, sums, add),
                (false, n) if n <= LESS => tile::<V, LESS, 2>(b, rows, sums, add),
                _ => tile::<V, MOST, 2>(b, rows, sums, add),
            }
        }
    }
}

/// Computes `N` vectors of a run of `C` strips from element `first` on, of which `len` elements are used.
///
/// # Safety
/// As for [`Tile::run_strips`]; the processor has the vector's instructions.
#[inline(always)]
unsafe fn run_of<V: Vector, const N: usize, const C: usize>(
    s: &Strip<'_, V::Element>,
    row: Row,
    (first, len): (usize, usize),
    factors: [*const V::Element; C],
    sums: [*mut V::Element; C],
) {
    // SAFETY: the caller's condition; the buffer has room for a vector.
    unsafe {
        let from = s.data.as_ptr().add(row.from + first);
        let mut acc: [[V; N]; C] = std::array::from_fn(|_| std::array::from_fn(|_| V::zero()));
        for (k, step) in s.steps.iter().enumerate() {
            let run: [V; N] = std::array::from_fn(|j| V::load(from.add(step + j * V::LANES)));
            for c in 0..C {
                let factor = V::splat(*factors[c].add(k));
                for j in 0..N {
                    acc[c][j] = acc[c][j].plus_product(factor, run[j]);
                }
            }
        }
        let mut buffer = std::mem::MaybeUninit::<[u8; 64]>::uninit();
        let buffer = buffer.as_mut_ptr().cast::<V::Element>();
        for c in 0..C {
            let to = sums[c].add(row.to + first * s.apart);
            for (j, v) in acc[c].iter().enumerate() {
                let (to, left) = (to.add(j * V::LANES * s.apart), (len - j * V::LANES).min(V::LANES));
                if left == V::LANES && s.apart == 1 {
                    v.store(to);
                } else {
                    v.store(buffer);
                    spread(buffer, to, left, s.apart);
                }
            }
        }
    }
}

/// Copies `n` elements to slots that are `apart` elements apart. (Not inlined, since its addresses would take the
/// registers of the loops.)
///
/// # Safety
/// The elements may be read, and the slots written.
#[inline(never)]
unsafe fn spread<T: Copy>(from: *const T, to: *mut T, n: usize, apart: usize) {
    for i in 0..n {
        // SAFETY: the caller's condition.
        unsafe { *to.add(i * apart) = *from.add(i) };
    }
}

/// Computes `C` strips.
///
/// # Safety
/// As for [`run_of`].
#[inline(always)]
unsafe fn all_strips<V: Vector, const C: usize>(
    s: &Strip<'_, V::Element>,
    factors: [*const V::Element; C],
    sums: [*mut V::Element; C],
) {
    let together = TOGETHER * V::LANES;
    for row in s.rows {
        for first in (0..s.len).step_by(together) {
            let len = together.min(s.len - first);
            // SAFETY: the caller's condition.
            unsafe {
                match len.div_ceil(V::LANES) {
                    1 => run_of::<V, 1, C>(s, *row, (first, len), factors, sums),
                    2 => run_of::<V, 2, C>(s, *row, (first, len), factors, sums),
                    3 => run_of::<V, 3, C>(s, *row, (first, len), factors, sums),
                    _ => run_of::<V, TOGETHER, C>(s, *row, (first, len), factors, sums),
                }
            }
        }
    }
}

/// Dot products that are computed together.
const DOTS: usize = 9;

/// Computes up to [`DOTS`] dot products.
///
/// # Safety
/// As for [`Tile::run_dots`]; the processor has the vector's instructions.
#[inline(always)]
unsafe fn dots_of<V: Vector>(d: &Dots<'_, V::Element>, steps: &[usize], sums: *mut V::Element) {
    // Steps that are missing repeat the last one.
    let step: [usize; DOTS] = std::array::from_fn(|k| steps[k.min(steps.len() - 1)]);
    let whole = d.len / V::LANES * V::LANES;
    // SAFETY: the caller's condition; the buffer has room for a vector.
    unsafe {
        let mut acc: [V; DOTS] = std::array::from_fn(|_| V::zero());
        for row in d.rows {
            let (data, other) = (d.data.as_ptr().add(row.from), d.other.as_ptr().add(row.to));
            for j in (0..whole).step_by(V::LANES) {
                let y = V::load(other.add(j));
                for k in 0..DOTS {
                    acc[k] = acc[k].plus_product(V::load(data.add(step[k] + j)), y);
                }
            }
            if whole < d.len {
                let rest = d.len - whole;
                let y = V::load_some(other.add(whole), rest);
                for k in 0..DOTS {
                    acc[k] = acc[k].plus_product(V::load_some(data.add(step[k] + whole), rest), y);
                }
            }
        }
        let mut buffer = std::mem::MaybeUninit::<[u8; 64]>::uninit();
        let buffer = buffer.as_mut_ptr().cast::<V::Element>();
        for (k, acc) in acc.iter().enumerate().take(steps.len()) {
            acc.store(buffer);
            (0..V::LANES).for_each(|i| *sums.add(k) = V::plus(*sums.add(k), *buffer.add(i)));
        }
    }
}

/// Computes dot products.
///
/// # Safety
/// As for [`dots_of`].
#[inline(always)]
unsafe fn all_dots<V: Vector>(d: &Dots<'_, V::Element>, sums: *mut V::Element) {
    for (i, steps) in d.steps.chunks(DOTS).enumerate() {
        // SAFETY: the caller's condition.
        unsafe { dots_of::<V>(d, steps, sums.add(i * DOTS)) };
    }
}

macro_rules! types {
    ($($t:ty, $module:ident, $v3:ident, $v4:ident);*) => {$(
        /// The loops with the instructions of each level.
        #[cfg(target_arch = "x86_64")]
        mod $module {
            use super::{Block, Dots, Strip, all_dots, all_strips, tiles};
            use std::arch::x86_64::{$v3, $v4};
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn v3(b: &Block<'_, $t>, sums: *mut $t, add: bool) {
                // SAFETY: the caller's condition.
                unsafe { tiles::<$v3, 6, 5, 4>(b, sums, add) };
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            pub(super) unsafe fn v4(b: &Block<'_, $t>, sums: *mut $t, add: bool) {
                // SAFETY: the caller's condition.
                unsafe { tiles::<$v4, 8, 7, 6>(b, sums, add) };
            }
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn strips_v3<const C: usize>(s: &Strip<'_, $t>, factors: [*const $t; C], sums: [*mut $t; C]) {
                // SAFETY: the caller's condition.
                unsafe { all_strips::<$v3, C>(s, factors, sums) };
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            pub(super) unsafe fn strips_v4<const C: usize>(s: &Strip<'_, $t>, factors: [*const $t; C], sums: [*mut $t; C]) {
                // SAFETY: the caller's condition.
                unsafe { all_strips::<$v4, C>(s, factors, sums) };
            }
            #[target_feature(enable = "avx2,fma")]
            pub(super) unsafe fn dots_v3(d: &Dots<'_, $t>, sums: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { all_dots::<$v3>(d, sums) };
            }
            #[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
            pub(super) unsafe fn dots_v4(d: &Dots<'_, $t>, sums: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { all_dots::<$v4>(d, sums) };
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
                unsafe { tiles::<Plain<$t>, 4, 3, 2>(b, sums, add) }
            }
            unsafe fn run_strips<const C: usize>(s: &Strip<'_, Self>, factors: [*const Self; C], sums: [*mut Self; C]) {
                #[cfg(target_arch = "x86_64")]
                match level() {
                    // SAFETY: as for `run`.
                    SimdLevel::V4 => return unsafe { $module::strips_v4(s, factors, sums) },
                    // SAFETY: as above.
                    SimdLevel::V3 => return unsafe { $module::strips_v3(s, factors, sums) },
                    SimdLevel::Base => {}
                }
                // SAFETY: the caller's condition.
                unsafe { all_strips::<Plain<$t>, C>(s, factors, sums) }
            }
            unsafe fn run_dots(d: &Dots<'_, Self>, sums: *mut Self) {
                #[cfg(target_arch = "x86_64")]
                match level() {
                    // SAFETY: as for `run`.
                    SimdLevel::V4 => return unsafe { $module::dots_v4(d, sums) },
                    // SAFETY: as above.
                    SimdLevel::V3 => return unsafe { $module::dots_v3(d, sums) },
                    SimdLevel::Base => {}
                }
                // SAFETY: the caller's condition.
                unsafe { all_dots::<Plain<$t>>(d, sums) }
            }
        }
    )*};
}
types!(
    f32, of_f32, __m256, __m512;
    f64, of_f64, __m256d, __m512d;
    i32, of_i32, __m256i, __m512i
);

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the loops with plain sums, by plain vectors and by those of the processor. All numbers are whole and small, so
    /// that they are exact.
    macro_rules! exact {
        ($name:ident, $t:ty) => {
            #[test]
            fn $name() {
                let number = |i: usize| ((i * 7 + i / 5) % 11) as $t;
                let data: Vec<$t> = (0..700).map(number).collect();
                let rows: Vec<Row> = (0..11).map(|r| Row { from: r * 13 % 40, to: 10 - r }).collect();
                let steps: Vec<usize> = (0..23).map(|k| k * 17 % 90).collect();
                for (plain, lanes) in [(true, PLAIN), (false, <$t>::lanes())] {
                    for width in [lanes, 2 * lanes] {
                        let panel: Vec<$t> = (0..23 * (width + 1)).map(|i| number(i + 3)).collect();
                        let block = Block {
                            data: &data,
                            rows: &rows,
                            steps: &steps,
                            panel: &panel,
                            pitch: width + 1,
                            width,
                            apart: width,
                        };
                        for add in [false, true] {
                            let mut sums = vec![1 as $t; 11 * width];
                            if plain {
                                // SAFETY: all indices lie inside the slices.
                                unsafe { tiles::<Plain<$t>, 4, 3, 2>(&block, sums.as_mut_ptr(), add) };
                            } else {
                                assert!(super::block(block, &mut sums, add));
                            }
                            for row in &rows {
                                for c in 0..width {
                                    let term = |(k, s): (usize, &usize)| {
                                        data[row.from + s] * panel[k * (width + 1) + c]
                                    };
                                    let sum: $t = steps.iter().enumerate().map(term).sum();
                                    assert_eq!(
                                        sums[row.to * width + c],
                                        sum + if add { 1 as $t } else { 0 as $t }
                                    );
                                }
                            }
                        }
                    }
                    for (len, apart) in
                        [(1, 1), (lanes - 1, 3), (3 * lanes + 2, 1), (5 * lanes, 1), (4 * lanes + 1, 2)]
                    {
                        let lines: Vec<Row> =
                            (0..3).map(|r| Row { from: r * 5, to: r * len * apart }).collect();
                        let strip = Strip { data: &data, rows: &lines, steps: &steps, len, apart };
                        let factors: [Vec<$t>; 2] = [5, 9].map(|s| (0..23).map(|i| number(i + s)).collect());
                        let factors = [&factors[0][..], &factors[1][..]];
                        let mut sums = [vec![0 as $t; 3 * len * apart], vec![0 as $t; 3 * len * apart]];
                        let [a, b] = &mut sums;
                        if plain {
                            let to = [a.as_mut_ptr(), b.as_mut_ptr()];
                            // SAFETY: all indices lie inside the slices.
                            unsafe { all_strips::<Plain<$t>, 2>(&strip, factors.map(<[$t]>::as_ptr), to) };
                        } else {
                            assert!(strips(strip, factors, [a, b]));
                        }
                        let mut products = vec![2 as $t; 23];
                        let dots = Dots { data: &data, other: &data[9..], rows: &lines, steps: &steps, len };
                        if plain {
                            // SAFETY: all indices lie inside the slices.
                            unsafe { all_dots::<Plain<$t>>(&dots, products.as_mut_ptr()) };
                        } else {
                            assert!(super::dots(dots, &mut products));
                        }
                        let mut want = vec![2 as $t; 23];
                        for row in &lines {
                            for j in 0..len {
                                let term = |k: usize| data[row.from + steps[k] + j];
                                for (sums, factors) in sums.iter().zip(factors) {
                                    let sum: $t = (0..23).map(|k| term(k) * factors[k]).sum();
                                    assert_eq!(sums[row.to + j * apart], sum);
                                }
                                (0..23).for_each(|k| want[k] += term(k) * data[9 + row.to + j]);
                            }
                        }
                        assert_eq!(products, want);
                    }
                }
            }
        };
    }
    exact!(f32_sums_are_those_of_plain_loops, f32);
    exact!(f64_sums_are_those_of_plain_loops, f64);
    exact!(i32_sums_are_those_of_plain_loops, i32);

    #[test]
    fn indices_outside_are_refused() {
        let (data, mut sums) = ([0f32; 100], [0f32; 64]);
        let rows = [Row { from: 90, to: 0 }];
        let (steps, width) = ([10], f32::lanes());
        let panel = [0f32; 64];
        let block = Block {
            data: &data,
            rows: &rows,
            steps: &steps,
            panel: &panel,
            pitch: width,
            width,
            apart: width,
        };
        assert!(!super::block(block, &mut sums, false));
        assert!(!super::block(Block { steps: &[9], width: width + 1, ..block }, &mut sums, false));
        assert!(super::block(Block { steps: &[9], ..block }, &mut sums, false));
        let strip = Strip { data: &data, rows: &rows, steps: &[0], len: 10, apart: 1 };
        assert!(!strips(strip, [&[1.0]], [&mut sums]));
        assert!(!super::dots(
            Dots { data: &data, other: &sums, rows: &rows, steps: &[1], len: 10 },
            &mut [0.0]
        ));
    }
}
