//! Softmax, log_softmax and their gradients. Each line along the dimension is gathered into scratch memory.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num, Real};
use super::reduce_tree::{CHUNK, COLUMNS, Combine, LANES, TreeOp, fold, sum, sum_of_products, tree_values};
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{slice_change, slice1, slice2};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::softmax::Softmax;
use crate::ops::softmax_backward::SoftmaxBackward;
use crate::{Element, Error, Result};

/// Returns the elements of an operand in row-major order: the operand itself, or a copy stored in `hold`.
pub(super) fn row_major<'a, T: Element>(s: Src<'a>, hold: &'a mut Option<CpuStorage>) -> Result<&'a [T]> {
    if let Some((start, end)) = s.1.contiguous_offsets() {
        let all = src::<T>(s)?.0;
        return match all.get(start..end) {
            Some(part) => Ok(part),
            // The offset of an empty view may be out of bounds.
            None if start == end => Ok(&[]),
            None => Err(Error::invalid("layout", "a layout reaches outside its storage")),
        };
    }
    hold.insert(s.0.to_contiguous(s.1)?).as_slice()
}

/// Number of lines gathered together, if adjacent elements belong to different lines.
const WIDTH: usize = 16;

/// Calls `f(line of a, line of b, result)` for every line of `n` elements, which are `inner` apart. Without `b`, the second
/// line is empty.
fn lines<T: Num>(
    a: &[T],
    b: Option<&[T]>,
    out: &mut [T],
    n: usize,
    inner: usize,
    f: impl Fn(&[T::Acc], &[T::Acc], &mut [T::Acc]) + Sync,
) -> Result<()> {
    let block = n * inner;
    if block == 0 {
        return Ok(());
    }
    let per = per_task(out.len() / block, 8 * block) * block;
    let width = WIDTH.min(inner);
    try_chunks(out, per, &|t, part| {
        let mut x = scratch::filled(width * n, T::Acc::ZERO)?;
        let mut y = scratch::filled(if b.is_some() { width * n } else { 0 }, T::Acc::ZERO)?;
        let mut z = scratch::filled(width * n, T::Acc::ZERO)?;
        for (i, out) in part.chunks_mut(block).enumerate() {
            let start = t * per + i * block;
            if inner == 1 {
                let x = T::widened(&a[start..][..n], &mut x);
                let y = b.map_or(&[][..], |b| T::widened(&b[start..][..n], &mut y));
                T::rounded(out, &mut z, |z| f(x, y, z));
                continue;
            }
            for col in (0..inner).step_by(width) {
                let w = width.min(inner - col);
                let gather = |from: &[T], to: &mut [T::Acc]| {
                    for j in 0..n {
                        for (k, v) in from[start + j * inner + col..][..w].iter().enumerate() {
                            to[k * n + j] = v.acc();
                        }
                    }
                };
                gather(a, &mut x);
                if let Some(b) = b {
                    gather(b, &mut y);
                }
                for (k, z) in z.chunks_mut(n).enumerate().take(w) {
                    f(&x[k * n..][..n], if b.is_some() { &y[k * n..][..n] } else { &[] }, z);
                }
                for j in 0..n {
                    for (k, o) in out[j * inner + col..][..w].iter_mut().enumerate() {
                        *o = T::from_acc(z[k * n + j]);
                    }
                }
            }
        }
        Ok(())
    })
}

/// A search for the largest element of a line.
struct Largest<'a, A>(&'a [A]);

impl<A: Arith> Work for Largest<'_, A> {
    type Output = A;
    #[inline(always)]
    fn run(self) -> A {
        // Lanes, so that the loop vectorizes.
        let mut lanes = [self.0[0]; LANES];
        let groups = self.0.chunks_exact(LANES);
        let rest = groups.remainder();
        for group in groups {
            for l in 0..LANES {
                lanes[l] = lanes[l].max(group[l]);
            }
        }
        for (lane, &v) in lanes.iter_mut().zip(rest) {
            *lane = lane.max(v);
        }
        fold(lanes, A::max)
    }
}

/// Returns the largest element of a line, or NaN if it contains one. The line must not be empty.
pub(super) fn largest<A: Arith>(line: &[A]) -> A {
    simd_isa::run_small(Largest(line))
}

/// Writes `e^(x - max)` to `e`; returns the maximum and the sum of `e`.
pub(super) fn exponents<A: Real>(x: &[A], e: &mut [A]) -> (A, A) {
    let m = largest(x);
    slice1(x, e, move |x| Elementary::exp(Arith::sub(x, m)));
    (m, sum(e))
}

/// Number of adjacent lines that are computed together.
const PANEL: usize = COLUMNS;

/// Rows of [`PANEL`] elements, each of another line, that change with a number of each line: `x = f(x, number)`.
struct Panel<'a, A, F> {
    rows: &'a mut [[A; PANEL]],
    numbers: [A; PANEL],
    f: F,
}

impl<A: Copy, F: Fn(A, A) -> A> Work for Panel<'_, A, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for row in self.rows {
            for (x, number) in row.iter_mut().zip(&self.numbers) {
                *x = (self.f)(*x, *number);
            }
        }
    }
}

/// The largest element of each line of a panel.
struct PanelLargest<'a, A>(&'a [[A; PANEL]]);

impl<A: Arith> Work for PanelLargest<'_, A> {
    type Output = [A; PANEL];
    #[inline(always)]
    fn run(self) -> [A; PANEL] {
        let mut largest = self.0[0];
        for row in self.0 {
            for (largest, x) in largest.iter_mut().zip(row) {
                *largest = largest.max(*x);
            }
        }
        largest
    }
}

/// Returns `e^(x - m)`.
#[inline(always)]
fn exp_from<A: Real>(x: A, m: A) -> A {
    Elementary::exp(Arith::sub(x, m))
}

/// Returns the sum of each line of a panel by the tree.
fn panel_sums<A: Real>(rows: &[[A; PANEL]]) -> [A; PANEL] {
    let op = Combine { identity: A::ZERO, combine: <A as Arith>::add };
    let chunks: Vec<[A; PANEL]> = rows
        .chunks(CHUNK)
        .map(|chunk| {
            let mut lanes = [[A::ZERO; COLUMNS]; LANES];
            op.columns(&mut lanes, 0, chunk.as_flattened(), chunk.len(), PANEL, PANEL);
            op.fold_columns(&mut lanes);
            std::array::from_fn(|k| lanes[0][k])
        })
        .collect();
    match &chunks[..] {
        [one] => *one,
        all => std::array::from_fn(|k| {
            let line: Vec<A> = all.iter().map(|chunk| chunk[k]).collect();
            tree_values(&line, &op)
        }),
    }
}

/// Computes the softmax of lines of `n` elements that are `inner` apart, several adjacent lines at a time. The results are those
/// of single lines.
fn panels<T: Num<Acc: Real>>(x: &[T], out: &mut [T], n: usize, inner: usize, log: bool) -> Result<()> {
    let block = n * inner;
    if block == 0 {
        return Ok(());
    }
    let per = per_task(out.len() / block, 8 * block) * block;
    try_chunks(out, per, &|t, part| {
        let mut rows = scratch::filled(n, [T::Acc::ZERO; PANEL])?;
        for (i, out) in part.chunks_mut(block).enumerate() {
            let x = &x[t * per + i * block..][..block];
            for first in (0..inner).step_by(PANEL) {
                let w = PANEL.min(inner - first);
                let read = |rows: &mut [[T::Acc; PANEL]]| {
                    for (row, x) in rows.iter_mut().zip(x.chunks(inner)) {
                        T::widen(&x[first..][..w], &mut row[..w]);
                    }
                };
                read(&mut rows);
                let numbers = simd_isa::run_small(PanelLargest(&rows));
                simd_isa::run(Panel { rows: &mut rows, numbers, f: exp_from });
                let sums = panel_sums(&rows);
                if log {
                    read(&mut rows);
                    simd_isa::run_small(Panel { rows: &mut rows, numbers, f: Arith::sub });
                    let numbers = sums.map(Elementary::ln);
                    simd_isa::run_small(Panel { rows: &mut rows, numbers, f: Arith::sub });
                } else {
                    simd_isa::run_small(Panel { rows: &mut rows, numbers: sums, f: Arith::div });
                }
                for (row, out) in rows.iter().zip(out.chunks_mut(inner)) {
                    T::round_all(&row[..w], &mut out[first..][..w]);
                }
            }
        }
        Ok(())
    })
}

pub fn softmax(c: &Softmax, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, inner) = (x.1.dims()[c.dim], x.1.dims()[c.dim + 1..].iter().product());
    let log = c.log;
    dispatch!(x.0.dtype(), "softmax", FLOAT => T {
        let mut hold = None;
        let x = row_major::<T>(x, &mut hold)?;
        if inner >= PANEL / 2 {
            return panels::<T>(x, dst::<T>(&mut out)?.0, n, inner, log);
        }
        lines(x, None, dst::<T>(&mut out)?.0, n, inner, |x, _, out| {
            let (m, s) = exponents(x, out);
            if log {
                let l = Elementary::ln(s);
                slice1(x, out, move |x| Arith::sub(Arith::sub(x, m), l));
            } else {
                slice_change(out, move |e| Arith::div(e, s));
            }
        })
    })
}

pub fn softmax_backward(c: &SoftmaxBackward, g: Src<'_>, y: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, inner) = (g.1.dims()[c.dim], g.1.dims()[c.dim + 1..].iter().product());
    let log = c.log;
    dispatch!(g.0.dtype(), "softmax_backward", FLOAT => T {
        let (mut hold_g, mut hold_y) = (None, None);
        let (g, y) = (row_major::<T>(g, &mut hold_g)?, row_major::<T>(y, &mut hold_y)?);
        lines(g, Some(y), dst::<T>(&mut out)?.0, n, inner, |g, y, out| {
            if log {
                let s = sum(g);
                slice2(g, y, out, move |g, y| Arith::sub(g, Arith::mul(Elementary::exp(y), s)));
            } else {
                let s = sum_of_products(g, y);
                slice2(g, y, out, move |g, y| Arith::mul(y, Arith::sub(g, s)));
            }
        })
    })
}
