//! Pooling: plain loops over the elements of each window; rows or planes are split over the threads.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::simd_panel::FirstError;
use crate::ops::avg_pool::AvgPool;
use crate::ops::window::{Pool, last3, sizes};
use std::ops::Range;

/// The part of each window that lies inside the input, per dimension, and sizes.
struct Windows {
    inside: [Vec<Range<usize>>; 3],
    /// Sizes of an input plane.
    i: [usize; 3],
    /// Number of elements of a whole window, padding included.
    positions: usize,
}

impl Windows {
    fn new(pool: &Pool, input: &crate::Shape, output: &crate::Shape) -> Result<Self> {
        let n = pool.window().spatial();
        let (i, o) = (last3(sizes(input, n)?), last3(sizes(output, n)?));
        let (k, s, p) = (pool.kernel(), pool.window().stride(), pool.window().padding());
        let inside = std::array::from_fn(|d| {
            (0..o[d])
                .map(|o| (o * s[d]).saturating_sub(p[d])..(o * s[d] + k[d]).saturating_sub(p[d]).min(i[d]))
                .collect()
        });
        Ok(Self { inside, i, positions: k.iter().product() })
    }

    fn input_plane(&self) -> usize {
        self.i.iter().product()
    }

    fn output_plane(&self) -> usize {
        self.inside.iter().map(Vec::len).product()
    }

    /// Splits the index of an output row into its plane and the input ranges of its first two dimensions.
    fn row(&self, row: usize) -> (usize, Range<usize>, Range<usize>) {
        let (h, d) = (self.inside[1].len(), self.inside[0].len());
        let (o0, o1) = (row / h % d, row % h);
        (row / (h * d), self.inside[0][o0].clone(), self.inside[1][o1].clone())
    }

    /// Calls `f` with the indices of a window's elements in an input plane, row by row.
    fn each(&self, r0: &Range<usize>, r1: &Range<usize>, r2: &Range<usize>, mut f: impl FnMut(Range<usize>)) {
        for a in r0.clone() {
            for b in r1.clone() {
                let row = (a * self.i[1] + b) * self.i[2];
                f(row + r2.start..row + r2.end);
            }
        }
    }

    /// Calls `f(index in the output plane, window ranges)` for every window of a plane.
    fn all(&self, mut f: impl FnMut(usize, [&Range<usize>; 3])) {
        let mut at = 0;
        for r0 in &self.inside[0] {
            for r1 in &self.inside[1] {
                for r2 in &self.inside[2] {
                    f(at, [r0, r1, r2]);
                    at += 1;
                }
            }
        }
    }

    /// Returns the index of the first largest element of a window, or of the first NaN.
    fn largest<A: Arith>(&self, x: &[A], r: [&Range<usize>; 3]) -> usize {
        let mut best = (r[0].start * self.i[1] + r[1].start) * self.i[2] + r[2].start;
        let mut most = x[best];
        self.each(r[0], r[1], r[2], |positions| {
            for at in positions {
                if x[at] > most || (x[at].is_nan() && !most.is_nan()) {
                    (best, most) = (at, x[at]);
                }
            }
        });
        best
    }

    /// Returns the divisor of a window's mean.
    fn count<A: Arith>(&self, include_pad: bool, r: [&Range<usize>; 3]) -> A {
        let positions = if include_pad { self.positions } else { r.iter().map(|r| r.len()).product() };
        A::of(positions as f64)
    }
}

pub fn max_pool(pool: &Pool, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(pool, x.1.shape(), out.1.shape())?;
    dispatch!(x.0.dtype(), "max_pool", NUMERIC => T {
        let x = T::wide(x)?;
        let plane = w.input_plane();
        runs(dst::<T>(&mut out)?.0, w.inside[2].len(), w.positions, &|row, line| {
            let (p, r0, r1) = w.row(row);
            let x = &x[p * plane..][..plane];
            for (o, r2) in line.iter_mut().zip(&w.inside[2]) {
                *o = T::from_acc(x[w.largest(x, [&r0, &r1, r2])]);
            }
        });
        Ok(())
    })
}

pub fn max_pool_backward(pool: &Pool, x: Src<'_>, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(pool, x.1.shape(), g.1.shape())?;
    dispatch!(x.0.dtype(), "max_pool_backward", FLOAT => T {
        let (x, g) = (T::wide(x)?, T::wide(g)?);
        let (from, to) = (w.output_plane(), w.input_plane());
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, to, w.positions, &|plane, part| {
            let (x, g) = (&x[plane * to..][..to], &g[plane * from..][..from]);
            error.note(T::sums(part, &mut |sums| {
                w.all(|at, r| {
                    let best = &mut sums[w.largest(x, r)];
                    *best = best.add(g[at]);
                });
                Ok(())
            }));
        });
        error.result()
    })
}

pub fn avg_pool(definition: &AvgPool, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(&definition.pool, x.1.shape(), out.1.shape())?;
    dispatch!(x.0.dtype(), "avg_pool", FLOAT => T {
        let x = T::wide(x)?;
        let plane = w.input_plane();
        runs(dst::<T>(&mut out)?.0, w.inside[2].len(), w.positions, &|row, line| {
            let (p, r0, r1) = w.row(row);
            let x = &x[p * plane..][..plane];
            for (o, r2) in line.iter_mut().zip(&w.inside[2]) {
                let mut sum = <T as Num>::Acc::ZERO;
                w.each(&r0, &r1, r2, |positions| x[positions].iter().for_each(|v| sum = sum.add(*v)));
                *o = T::from_acc(sum.div(w.count(definition.count_include_pad, [&r0, &r1, r2])));
            }
        });
        Ok(())
    })
}

pub fn avg_pool_backward(definition: &AvgPool, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(&definition.pool, out.1.shape(), g.1.shape())?;
    dispatch!(g.0.dtype(), "avg_pool_backward", FLOAT => T {
        let g = T::wide(g)?;
        let (from, to) = (w.output_plane(), w.input_plane());
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, to, w.positions, &|plane, part| {
            let g = &g[plane * from..][..from];
            error.note(T::sums(part, &mut |sums| {
                w.all(|at, r| {
                    let share = g[at].div(w.count(definition.count_include_pad, r));
                    w.each(r[0], r[1], r[2], |positions| {
                        sums[positions].iter_mut().for_each(|s| *s = s.add(share));
                    });
                });
                Ok(())
            }));
        });
        error.result()
    })
}
