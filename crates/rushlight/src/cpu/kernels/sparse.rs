//! Products of sparse and dense matrices.
use super::elementwise::{Dst, Src, dst};
use super::index::ids;
use super::num::{Arith, Num};
use super::reduce_tree::{LANES, fold};
use super::softmax::row_major;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{CpuStorage, dispatch};
use crate::ops::IndexMode;
use crate::{Error, Result};

/// Columns that are summed at once, in registers.
const COLUMNS: usize = 32;

/// Some rows of a product. `starts` has their first entries, and the end of the last one.
struct Rows<'a, T> {
    starts: &'a [i64],
    col: &'a [i64],
    values: &'a [T],
    dense: &'a [T],
    columns: usize,
    out: &'a mut [T],
}

impl<T: Num> Work for Rows<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.columns;
        for (row, ends) in self.out.chunks_exact_mut(n).zip(self.starts.windows(2)) {
            let entries = ends[0] as usize..Ord::max(ends[0], ends[1]) as usize;
            let (col, values) = (&self.col[entries.clone()], &self.values[entries]);
            let mut first = 0;
            while first + COLUMNS <= n {
                let sums = part::<T, COLUMNS>(col, values, &self.dense[first..], n, COLUMNS);
                row[first..first + COLUMNS].iter_mut().zip(sums).for_each(|(to, v)| *to = T::from_acc(v));
                first += COLUMNS;
            }
            match n - first {
                0 => {}
                1 => row[first] = T::from_acc(part::<T, 1>(col, values, &self.dense[first..], n, 1)[0]),
                rest => {
                    let sums = part::<T, COLUMNS>(col, values, &self.dense[first..], n, rest);
                    row[first..].iter_mut().zip(sums).for_each(|(to, v)| *to = T::from_acc(v));
                }
            }
        }
    }
}

/// Returns the first `width` columns of a row of the product; `dense` begins at the first of them, and its rows have `n` elements.
/// An entry with a negative column is left out.
#[inline(always)]
fn part<T: Num, const W: usize>(
    col: &[i64],
    values: &[T],
    dense: &[T],
    n: usize,
    width: usize,
) -> [T::Acc; W] {
    let mut sums = [T::Acc::ZERO; W];
    for (&c, &v) in col.iter().zip(values) {
        if c < 0 {
            continue;
        }
        let (at, v) = (c as usize * n, v.acc());
        if width == W {
            let row = &dense[at..at + W];
            for l in 0..W {
                sums[l] = sums[l].add(v.mul(row[l].acc()));
            }
        } else {
            for (sum, x) in sums.iter_mut().zip(&dense[at..at + width]) {
                *sum = sum.add(v.mul(x.acc()));
            }
        }
    }
    sums
}

/// Multiplies a matrix in CSR form by a dense one.
pub fn csr_matmul(rule: IndexMode, [values, dense, crow, col]: [Src<'_>; 4], mut out: Dst<'_>) -> Result<()> {
    let op = "csr_matmul";
    let (entries, &[inner, columns]) = (values.1.shape().elem_count(), dense.1.dims()) else {
        return Err(Error::invalid(op, "dense is not a matrix"));
    };
    let starts = ids(op, crow, entries + 1, IndexMode::Within)?;
    let col = ids(op, col, inner, rule)?;
    dispatch!(out.0.dtype(), op, NUMERIC => T {
        let [mut v_hold, mut d_hold]: [Option<CpuStorage>; 2] = [None, None];
        let values: &[T] = row_major(values, &mut v_hold)?;
        let dense: &[T] = row_major(dense, &mut d_hold)?;
        let (to, layout) = dst::<T>(&mut out)?;
        let from = layout.start_offset();
        let to = &mut to[from..from + layout.shape().elem_count()];
        if to.is_empty() {
            return Ok(());
        }
        let rows = starts.len() - 1;
        let per = per_task(rows, columns * (1 + entries / rows));
        chunks(to, per * columns, &|task, out: &mut [T]| {
            let first = task * per;
            let starts = &starts[first..=first + out.len() / columns];
            simd_isa::run(Rows { starts, col: &col, values, dense, columns, out });
        });
        Ok(())
    })
}

/// A sum of products of two rows.
struct Dot<'a, T>(&'a [T], &'a [T]);

impl<T: Num> Work for Dot<'_, T> {
    type Output = T::Acc;
    #[inline(always)]
    fn run(self) -> T::Acc {
        let mut lanes = [T::Acc::ZERO; LANES];
        let (a, a_rest) = self.0.as_chunks::<LANES>();
        let (b, b_rest) = self.1.as_chunks::<LANES>();
        for (a, b) in a.iter().zip(b) {
            for l in 0..LANES {
                lanes[l] = lanes[l].add(a[l].acc().mul(b[l].acc()));
            }
        }
        for ((lane, a), b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
            *lane = lane.add(a.acc().mul(b.acc()));
        }
        fold(lanes, Arith::add)
    }
}

/// Computes elements of the product of `a` and the transpose of `b`.
pub fn sampled_matmul(rule: IndexMode, [a, b, row, col]: [Src<'_>; 4], mut out: Dst<'_>) -> Result<()> {
    let op = "sampled_matmul";
    let (&[rows, depth], &[columns, _]) = (a.1.dims(), b.1.dims()) else {
        return Err(Error::invalid(op, "an operand is not a matrix"));
    };
    let row = ids(op, row, rows, rule)?;
    let col = ids(op, col, columns, rule)?;
    dispatch!(out.0.dtype(), op, NUMERIC => T {
        let [mut a_hold, mut b_hold]: [Option<CpuStorage>; 2] = [None, None];
        let a: &[T] = row_major(a, &mut a_hold)?;
        let b: &[T] = row_major(b, &mut b_hold)?;
        let (to, layout) = dst::<T>(&mut out)?;
        let from = layout.start_offset();
        let to = &mut to[from..from + layout.shape().elem_count()];
        let per = per_task(to.len(), depth.max(1));
        chunks(to, per, &|task, out: &mut [T]| {
            let first = task * per;
            for ((to, &r), &c) in out.iter_mut().zip(&row[first..]).zip(&col[first..]) {
                // A negative index leaves the element out.
                let both = usize::try_from(r).ok().zip(usize::try_from(c).ok());
                let sum = both.map(|(r, c)| {
                    simd_isa::run_small(Dot(&a[r * depth..][..depth], &b[c * depth..][..depth]))
                });
                *to = T::from_acc(sum.unwrap_or(<T as Num>::Acc::ZERO));
            }
        });
        Ok(())
    })
}
