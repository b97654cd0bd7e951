//! Softmax, log_softmax and their gradients. Each line along the dimension is gathered into scratch memory.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num, Real};
use super::reduce_tree::{LANES, fold, sum, sum_of_products};
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{slice_change, slice1, slice2};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::simd_panel::panels;
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
    T::cpu_storage_as_slice(hold.insert(s.0.to_contiguous(s.1)?))
}

/// Number of lines gathered together, if adjacent elements belong to different lines, and of those of a task.
const WIDTH: usize = 16;
const COLUMNS: usize = 64;

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
    if inner == 1 {
        let per = per_task(out.len() / n, 8 * n) * n;
        return try_chunks(out, per, &|t, part| {
            let mut x = scratch::filled(n, T::Acc::ZERO)?;
            let mut y = scratch::filled(if b.is_some() { n } else { 0 }, T::Acc::ZERO)?;
            let mut z = scratch::filled(n, T::Acc::ZERO)?;
            for (i, out) in part.chunks_mut(n).enumerate() {
                let start = t * per + i * n;
                let x = T::widened(&a[start..][..n], &mut x);
                let y = b.map_or(&[][..], |b| T::widened(&b[start..][..n], &mut y));
                T::rounded(out, &mut z, |z| f(x, y, z));
            }
            Ok(())
        });
    }
    panels(out, (n, inner), COLUMNS, 8 * n, &|matrix, first, mut panel| {
        let width = WIDTH.min(panel.cols());
        let mut x = scratch::filled(width * n, T::Acc::ZERO)?;
        let mut y = scratch::filled(if b.is_some() { width * n } else { 0 }, T::Acc::ZERO)?;
        let mut z = scratch::filled(width * n, T::Acc::ZERO)?;
        for col in (0..panel.cols()).step_by(width) {
            let w = width.min(panel.cols() - col);
            let gather = |from: &[T], to: &mut [T::Acc]| {
                for j in 0..n {
                    let row = &from[matrix * block + j * inner + first + col..][..w];
                    for (k, v) in row.iter().enumerate() {
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
                for (k, o) in panel.row(j)[col..][..w].iter_mut().enumerate() {
                    *o = T::from_acc(z[k * n + j]);
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

pub fn softmax(c: &Softmax, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, inner) = (x.1.dims()[c.dim], x.1.dims()[c.dim + 1..].iter().product());
    let log = c.log;
    dispatch!(x.0.dtype(), "softmax", FLOAT => T {
        let mut hold = None;
        let x = row_major::<T>(x, &mut hold)?;
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
