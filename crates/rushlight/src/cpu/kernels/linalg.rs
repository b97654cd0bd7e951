//! Factorizations of matrices, and the solution of triangular systems.
//!
//! A factor is computed a block of columns at a time, of which `W` columns lie side by side in a buffer. Each element is changed
//! by one fused multiply-add for each term, in the order of the terms, and by one division: blocks, threads and instructions do
//! not change its bits.
use super::elementwise::{Dst, Src, dst};
use super::num::Real;
use super::softmax::row_major;
use crate::cpu::driver::{chunks, per_task, per_thread, try_chunks};
use crate::cpu::simd_isa::{self, SimdLevel, Work, highest_simd_level};
use crate::cpu::simd_panel::panels;
use crate::cpu::simd_tile::{self, Block, Row, Tile};
use crate::cpu::{dispatch, scratch};
use crate::ops::solve_triangular::SolveTriangular;
use crate::{Element, Error, Result};
use num_traits::Float;

/// Columns of a block: a multiple of two vectors of every level.
const WIDE: usize = 32;
/// Columns of a block of small matrices, which is never updated by tiles.
const NARROW: usize = 8;
/// Terms that are added at a time, and rows for which they stay in the L2 cache.
const TERMS: usize = 256;
const ROWS: usize = 96;

/// Element types of factorizations.
pub(super) trait Number: Real + Tile + Element {}
impl<T: Real + Tile + Element> Number for T {}

/// The elements of an output, row-major.
pub(super) fn written<'a, T: Element>(out: &'a mut Dst<'_>) -> Result<&'a mut [T]> {
    let (to, layout) = dst::<T>(out)?;
    let from = layout.start_offset();
    to.get_mut(from..from + layout.shape().elem_count())
        .ok_or_else(|| Error::invalid("layout", "a layout reaches outside its storage"))
}

/// Rows of a factor, each of which begins `pitch` elements after the last one.
#[derive(Clone, Copy)]
struct Factor<'a, T> {
    data: &'a [T],
    pitch: usize,
}

impl<'a, T> Factor<'a, T> {
    fn from(self, row: usize, column: usize) -> Self {
        Self { data: self.data.get(row * self.pitch + column..).unwrap_or(&[]), ..self }
    }
}

/// A row of a block times another one, added: `row += by * other`.
#[inline(always)]
fn add_row<T: Number, const W: usize>(row: &mut [T; W], by: T, other: &[T; W]) {
    for c in 0..W {
        row[c] = by.mul_add(other[c], row[c]);
    }
}

/// Same as [`add_row`], but for the first `skip` columns.
#[inline(always)]
fn add_row_from<T: Number, const W: usize>(row: &mut [T; W], by: T, other: &[T; W], skip: usize) {
    let mut sums = *row;
    for c in 0..W {
        let sum = by.mul_add(other[c], row[c]);
        sums[c] = if c >= skip { sum } else { row[c] };
    }
    // (Hiding the pointer keeps the compiler from masked stores, which are slow on AMD's processors.)
    *std::hint::black_box(row) = sums;
}

/// An update of rows without the instructions of tiles.
struct Update<'a, T, const W: usize> {
    rows: &'a mut [[T; W]],
    factor: Factor<'a, T>,
    minus: &'a [[T; W]],
}

impl<T: Number, const W: usize> Work for Update<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (row, data) in self.rows.iter_mut().zip(self.factor.data.chunks(self.factor.pitch.max(1))) {
            for (minus, &by) in self.minus.iter().zip(data) {
                add_row(row, by, minus);
            }
        }
    }
}

/// Adds the product of a factor and of the negative rows `minus` to the rows of a block, of which `used` columns count.
fn update<T: Number, const W: usize>(
    rows: &mut [[T; W]],
    factor: Factor<'_, T>,
    minus: &[[T; W]],
    used: usize,
) -> Result<()> {
    if minus.is_empty() || rows.is_empty() {
        return Ok(());
    }
    let per = per_thread(rows.len(), used * minus.len() / 8).next_multiple_of(ROWS);
    try_chunks(rows, per, &|i, rows| update_rows(rows, factor.from(i * per, 0), minus, used))
}

fn update_rows<T: Number, const W: usize>(
    rows: &mut [[T; W]],
    factor: Factor<'_, T>,
    minus: &[[T; W]],
    used: usize,
) -> Result<()> {
    const STEPS: [usize; TERMS] = {
        let mut steps = [0; TERMS];
        let mut k = 0;
        while k < TERMS {
            steps[k] = k;
            k += 1;
        }
        steps
    };
    let lanes = T::lanes();
    // Without fused instructions tiles would round each product.
    if highest_simd_level() == SimdLevel::Base || !W.is_multiple_of(2 * lanes) {
        simd_isa::run(Update { rows, factor, minus });
        return Ok(());
    }
    let places: [Row; ROWS] = std::array::from_fn(|r| Row { from: r * factor.pitch, to: r });
    for (i, rows) in rows.chunks_mut(ROWS).enumerate() {
        let places = &places[..rows.len()];
        for (k, minus) in minus.chunks(TERMS).enumerate() {
            let data = factor.from(i * ROWS, k * TERMS).data;
            for column in (0..used).step_by(2 * lanes) {
                let width = if used - column > lanes { 2 * lanes } else { lanes };
                let block = Block {
                    data,
                    rows: places,
                    steps: &STEPS[..minus.len()],
                    panel: &minus.as_flattened()[column..],
                    pitch: W,
                    width,
                    apart: W,
                };
                if !simd_tile::block(block, &mut rows.as_flattened_mut()[column..], true) {
                    return Err(Error::invalid("linalg", "a block reaches outside its factor"));
                }
            }
        }
    }
    Ok(())
}

/// Solves a block's rows for a lower triangular factor; `unit` takes its diagonal as ones.
struct Substitute<'a, T, const W: usize> {
    rows: &'a mut [[T; W]],
    factor: Factor<'a, T>,
    unit: bool,
}

impl<T: Number, const W: usize> Work for Substitute<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for i in 0..self.rows.len() {
            let data = &self.factor.data[i * self.factor.pitch..];
            let (before, rest) = self.rows.split_at_mut(i);
            let row = &mut rest[0];
            for (other, &by) in before.iter().zip(data) {
                add_row(row, -by, other);
            }
            if !self.unit {
                row.iter_mut().for_each(|v| *v = *v / data[i]);
            }
        }
    }
}

/// Solves a lower triangular system in place for the columns of a block, and writes the negative solutions to `minus`.
fn substitute<T: Number, const W: usize>(
    rows: &mut [[T; W]],
    factor: Factor<'_, T>,
    unit: bool,
    minus: &mut [[T; W]],
    used: usize,
) -> Result<()> {
    for first in (0..rows.len()).step_by(W) {
        let part = W.min(rows.len() - first);
        let rows = &mut rows[first..first + part];
        update(rows, factor.from(first, 0), &minus[..first], used)?;
        simd_isa::run(Substitute { rows, factor: factor.from(first, first), unit });
        for (to, from) in minus[first..].iter_mut().zip(rows) {
            *to = from.map(|v| -v);
        }
    }
    Ok(())
}

/// Gaussian elimination of the first columns of a block. `pivots` gets the row that each row is exchanged with.
struct Eliminate<'a, T, const W: usize> {
    rows: &'a mut [[T; W]],
    pivots: &'a mut [usize],
}

impl<T: Number, const W: usize> Work for Eliminate<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (k, to) in self.pivots.iter_mut().enumerate() {
            // The first of the largest elements; one that is NaN is never exchanged for another.
            let (mut pivot, mut size) = (k, Float::abs(self.rows[k][k]));
            for (i, row) in self.rows.iter().enumerate().skip(k + 1) {
                let other = Float::abs(row[k]);
                if other > size {
                    (pivot, size) = (i, other);
                }
            }
            *to = pivot;
            self.rows.swap(k, pivot);
            let (above, below) = self.rows.split_at_mut(k + 1);
            let other = above[k];
            let divisor = other[k];
            for row in below {
                if divisor != T::zero() {
                    row[k] = row[k] / divisor;
                }
                add_row_from(row, -row[k], &other, k + 1);
            }
        }
    }
}

/// Cholesky's factorization of a block whose first rows are those of the diagonal.
struct Root<'a, T, const W: usize> {
    rows: &'a mut [[T; W]],
    columns: usize,
}

impl<T: Number, const W: usize> Work for Root<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.columns;
        // Row k has column k of the factor.
        let mut factor = [[T::zero(); W]; W];
        let (top, below) = self.rows.split_at_mut(n);
        for k in 0..n {
            let square = top[k][k];
            let root = if square > T::zero() { Float::sqrt(square) } else { T::nan() };
            top[k][k] = root;
            for i in k + 1..n {
                top[i][k] = top[i][k] / root;
                factor[k][i] = top[i][k];
            }
            for row in &mut top[k + 1..] {
                add_row_from(row, -row[k], &factor[k], k + 1);
            }
        }
        for row in below {
            for k in 0..n {
                row[k] = row[k] / top[k][k];
                add_row_from(row, -row[k], &factor[k], k + 1);
            }
        }
    }
}

/// Buffers of a factorization of matrices with some rows.
struct Room<T, const W: usize> {
    rows: Vec<[T; W]>,
    minus: Vec<[T; W]>,
    order: Vec<usize>,
}

impl<T: Number, const W: usize> Room<T, W> {
    fn new(rows: usize) -> Result<Self> {
        let zeros = || scratch::filled(rows, [T::zero(); W]);
        Ok(Self { rows: zeros()?, minus: zeros()?, order: scratch::filled(rows, 0)? })
    }

    /// Writes the lower factor of the `n x n` matrix `a`.
    fn cholesky(&mut self, a: &[T], n: usize, out: &mut [T]) -> Result<()> {
        out.fill(T::zero());
        for first in (0..n).step_by(W) {
            let columns = W.min(n - first);
            let rows = &mut self.rows[first..n];
            for (row, a) in rows.iter_mut().zip(a[first * n..].chunks(n)) {
                row[..columns].copy_from_slice(&a[first..first + columns]);
            }
            let factor = Factor { data: &out[first * n..], pitch: n };
            for (k, minus) in self.minus[..first].iter_mut().enumerate() {
                *minus =
                    std::array::from_fn(|c| if c < columns { -factor.data[c * n + k] } else { T::zero() });
            }
            update(rows, factor, &self.minus[..first], columns)?;
            simd_isa::run(Root { rows, columns });
            for (i, (row, out)) in rows.iter().zip(out[first * n..].chunks_mut(n)).enumerate() {
                let columns = columns.min(i + 1);
                out[first..first + columns].copy_from_slice(&row[..columns]);
            }
        }
        Ok(())
    }

    /// Writes the factors of the `m x n` matrix `a`, and below them the pivots.
    fn lu(&mut self, a: &[T], (m, n): (usize, usize), out: &mut [T]) -> Result<()> {
        let (out, below) = out.split_at_mut(m * n);
        below.fill(T::zero());
        self.order[..m].iter_mut().enumerate().for_each(|(i, at)| *at = i);
        for first in (0..n).step_by(W) {
            let columns = W.min(n - first);
            let rows = &mut self.rows[..m];
            for (row, at) in rows.iter_mut().zip(&self.order) {
                row[..columns].copy_from_slice(&a[at * n + first..][..columns]);
            }
            let done = first.min(m);
            let (top, rest) = rows.split_at_mut(done);
            let factor = Factor { data: out, pitch: n };
            substitute(top, factor, true, &mut self.minus[..done], columns)?;
            update(rest, factor.from(done, 0), &self.minus[..done], columns)?;
            let mut pivots = [0; W];
            let pivots = &mut pivots[..columns.min(m - done)];
            simd_isa::run(Eliminate { rows: rest, pivots });
            for (k, &pivot) in pivots.iter().enumerate() {
                let (k, pivot) = (done + k, done + pivot);
                below[k] = T::of((pivot) as f64);
                if pivot != k {
                    self.order.swap(k, pivot);
                    let (upper, lower) = out.split_at_mut(pivot * n);
                    upper[k * n..][..first].swap_with_slice(&mut lower[..first]);
                }
            }
            for (row, out) in rows.iter().zip(out.chunks_mut(n)) {
                out[first..first + columns].copy_from_slice(&row[..columns]);
            }
        }
        Ok(())
    }
}

/// Factorizes consecutive matrices; `size` is that of an input, `written` that of an output, and `rows` the number of rows. Each task
/// makes its buffers with `room`.
pub(super) fn each<T: Element + num_traits::Zero, R>(
    (a, size): (&[T], usize),
    (out, written): (&mut [T], usize),
    rows: usize,
    room: impl Fn() -> Result<R> + Sync,
    f: impl Fn(&mut R, &[T], &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    if size == 0 {
        out.fill(T::zero());
        return Ok(());
    }
    let per = per_task(a.len() / size, size * (rows / 4 + 1));
    try_chunks(out, per * written, &|task, out: &mut [T]| {
        let mut room = room()?;
        let a = a[task * per * size..].chunks_exact(size);
        out.chunks_exact_mut(written).zip(a).try_for_each(|(out, a)| f(&mut room, a, out))
    })
}

/// Returns the sizes of the last two dimensions.
pub(super) fn last_two(x: &Src<'_>) -> (usize, usize) {
    let dims = x.1.dims();
    (dims[dims.len() - 2], dims[dims.len() - 1])
}

pub fn cholesky(x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, _) = last_two(&x);
    dispatch!(x.0.dtype(), "cholesky", (F32, F64) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        if n <= NARROW {
            each((a, n * n), (out, n * n), n, || Room::<T, NARROW>::new(n), |room, a, out| room.cholesky(a, n, out))
        } else {
            each((a, n * n), (out, n * n), n, || Room::<T, WIDE>::new(n), |room, a, out| room.cholesky(a, n, out))
        }
    })
}

pub fn lu_factor(x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (m, n) = last_two(&x);
    let (size, all) = (m * n, (m + 1) * n);
    dispatch!(x.0.dtype(), "lu_factor", (F32, F64) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        if m.min(n) <= NARROW {
            each((a, size), (out, all), m, || Room::<T, NARROW>::new(m), |room, a, out| room.lu(a, (m, n), out))
        } else {
            each((a, size), (out, all), m, || Room::<T, WIDE>::new(m), |room, a, out| room.lu(a, (m, n), out))
        }
    })
}

pub fn solve_triangular(c: &SolveTriangular, a: Src<'_>, b: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, columns) = last_two(&b);
    dispatch!(a.0.dtype(), "solve_triangular", (F32, F64) => T {
        let (mut hold_a, mut hold_b) = (None, None);
        let a: &[T] = row_major(a, &mut hold_a)?;
        let b: &[T] = row_major(b, &mut hold_b)?;
        let out = written::<T>(&mut out)?;
        if n <= NARROW {
            solve::<T, NARROW>(c, a, b, out, (n, columns))
        } else {
            solve::<T, WIDE>(c, a, b, out, (n, columns))
        }
    })
}

fn solve<T: Number, const W: usize>(
    c: &SolveTriangular,
    a: &[T],
    b: &[T],
    out: &mut [T],
    (n, columns): (usize, usize),
) -> Result<()> {
    panels(out, (n, columns), W, n * (n / 4 + 1), &|matrix, first, mut panel| {
        let a = &a[matrix * n * n..][..n * n];
        // An upper factor is a lower one if rows and columns are reversed.
        let reversed = if c.upper {
            scratch::copied(a).map(|mut a| {
                a.reverse();
                a
            })?
        } else {
            Vec::new()
        };
        let a = if c.upper { &reversed[..] } else { a };
        let place = |i: usize| if c.upper { n - 1 - i } else { i };
        let used = panel.cols();
        let mut room = Room::<T, W>::new(n)?;
        for (i, row) in room.rows.iter_mut().enumerate() {
            let at = (matrix * n + place(i)) * columns + first;
            row[..used].copy_from_slice(&b[at..at + used]);
        }
        substitute(&mut room.rows, Factor { data: a, pitch: n }, c.unit, &mut room.minus, used)?;
        for (i, row) in room.rows.iter().enumerate() {
            panel.row(place(i)).copy_from_slice(&row[..used]);
        }
        Ok(())
    })
}

/// Returns the row that a pivot names, from 1 on, if it exists.
fn row_of(pivot: impl Into<i64>, rows: usize) -> Option<usize> {
    usize::try_from(pivot.into()).ok()?.checked_sub(1).filter(|row| *row < rows)
}

/// Writes the order of `rows` rows that exchanges make: row i of the result is row `out[i]`. An exchange with a row that does not
/// exist is left out.
pub fn pivots_to_permutation(rows: usize, pivots: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let count = pivots.1.dims().last().copied().unwrap_or(0);
    dispatch!(pivots.0.dtype(), "pivots_to_permutation", (I32, I64) => T {
        let mut hold = None;
        let pivots: &[T] = row_major(pivots, &mut hold)?;
        let out = written::<i64>(&mut out)?;
        chunks(out, rows, &|matrix, order: &mut [i64]| {
            order.iter_mut().enumerate().for_each(|(i, to)| *to = i as i64);
            for (k, &pivot) in pivots[matrix * count..][..count].iter().enumerate() {
                if let Some(other) = row_of(pivot, rows) {
                    order.swap(k, other);
                }
            }
        });
        Ok(())
    })
}
