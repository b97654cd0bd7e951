//! Pooling: plain loops over the elements of each window, rows or planes split over the threads.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::simd_panel::FirstError;
use crate::ops::avg_pool::AvgPool;
use crate::ops::pool::Pool;
use crate::ops::window::{last3, sizes};
use std::ops::Range;

/// The windows along each dimension, and the sizes.
struct Windows {
    /// The first and one past the last element of each window inside the input.
    inside: [Vec<Range<usize>>; 3],
    /// Steps between the elements of a window.
    step: [usize; 3],
    /// Elements of each window that lie inside the padded input.
    padded: [Vec<usize>; 3],
    /// Sizes of an input plane.
    i: [usize; 3],
    /// Elements of the largest window.
    most: usize,
}

impl Windows {
    fn new(pool: &Pool, input: &crate::Shape, output: &crate::Shape) -> Result<Self> {
        let n = pool.window().spatial();
        let (i, o) = (last3(sizes(input, n)?), last3(sizes(output, n)?));
        let (k, s, p) = (pool.kernel(), pool.window().stride(), pool.window().padding());
        let step = pool.window().dilation();
        let one = |d: usize, at: usize| {
            if pool.is_adaptive() {
                let range = at * i[d] / o[d]..((at + 1) * i[d]).div_ceil(o[d]);
                return (range.clone(), range.len());
            }
            let (start, span) = (at * s[d], step[d] * k[d].saturating_sub(1) + 1);
            // The first element that is not in the padding before the input.
            let skipped = p[d].saturating_sub(start).div_ceil(step[d]) * step[d];
            let range = start + skipped - p[d]..(start + span).saturating_sub(p[d]).min(i[d]);
            (range, (i[d] + 2 * p[d]).min(start + span) - start)
        };
        let both = |d: usize| (0..o[d]).map(|at| one(d, at)).unzip::<_, _, Vec<_>, Vec<_>>();
        let [a, b, c] = std::array::from_fn(both);
        let (inside, padded) = ([a.0, b.0, c.0], [a.1, b.1, c.1]);
        let most = padded.iter().map(|v| v.iter().copied().max().unwrap_or(0)).product();
        Ok(Self { inside, step, padded, i, most })
    }

    fn input_plane(&self) -> usize {
        self.i.iter().product()
    }

    fn output_plane(&self) -> usize {
        self.inside.iter().map(Vec::len).product()
    }

    /// Splits number `row` of the output's rows into plane and the windows of the first two dimensions.
    fn row(&self, row: usize) -> (usize, usize, usize) {
        let (h, d) = (self.inside[1].len(), self.inside[0].len());
        (row / (h * d), row / h % d, row % h)
    }

    /// Calls `f` with the indices of a window's elements in an input plane, row by row.
    fn each(&self, o: [usize; 3], mut f: impl FnMut(Range<usize>)) {
        let [r0, r1, r2] = std::array::from_fn(|d| self.inside[d][o[d]].clone());
        for a in r0.step_by(self.step[0]) {
            for b in r1.clone().step_by(self.step[1]) {
                let row = (a * self.i[1] + b) * self.i[2];
                if self.step[2] == 1 {
                    f(row + r2.start..row + r2.end);
                } else {
                    r2.clone().step_by(self.step[2]).for_each(|c| f(row + c..row + c + 1));
                }
            }
        }
    }

    /// Calls `f(index in the output plane, window)` for every window of a plane.
    fn all(&self, mut f: impl FnMut(usize, [usize; 3])) {
        let mut at = 0;
        for a in 0..self.inside[0].len() {
            for b in 0..self.inside[1].len() {
                for c in 0..self.inside[2].len() {
                    f(at, [a, b, c]);
                    at += 1;
                }
            }
        }
    }

    /// The first index of a window with its largest value; the first NaN if it holds one.
    fn largest<A: Arith>(&self, x: &[A], o: [usize; 3]) -> usize {
        let [a, b, c] = std::array::from_fn(|d| self.inside[d][o[d]].start);
        let mut best = (a * self.i[1] + b) * self.i[2] + c;
        let mut most = x[best];
        self.each(o, |indices| {
            for at in indices {
                if x[at] > most || (x[at].is_nan() && !most.is_nan()) {
                    (best, most) = (at, x[at]);
                }
            }
        });
        best
    }

    /// Returns the divisor of a window's mean.
    fn divisor<A: Arith>(&self, avg: &AvgPool, o: [usize; 3]) -> A {
        let elements = |d: usize| match avg.count_include_pad {
            true => self.padded[d][o[d]],
            false => self.inside[d][o[d]].len(),
        };
        let of = if avg.divisor == 0 {
            (0..3).map(elements).product::<usize>() as f64
        } else {
            avg.divisor as f64
        };
        A::of(of)
    }
}

pub fn max_pool(pool: &Pool, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(pool, x.1.shape(), out.1.shape())?;
    dispatch!(x.0.dtype(), "max_pool", NUMERIC => T {
        let x = T::wide(x)?;
        let plane = w.input_plane();
        runs(dst::<T>(&mut out)?.0, w.inside[2].len(), w.most, &|row, line| {
            let (p, a, b) = w.row(row);
            let x = &x[p * plane..][..plane];
            for (c, o) in line.iter_mut().enumerate() {
                *o = T::from_acc(x[w.largest(x, [a, b, c])]);
            }
        });
        Ok(())
    })
}

pub fn max_pool_indices(pool: &Pool, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let w = Windows::new(pool, x.1.shape(), out.1.shape())?;
    dispatch!(x.0.dtype(), "max_pool_indices", NUMERIC => T {
        let x = T::wide(x)?;
        let plane = w.input_plane();
        runs(dst::<i64>(&mut out)?.0, w.inside[2].len(), w.most, &|row, line| {
            let (p, a, b) = w.row(row);
            let x = &x[p * plane..][..plane];
            for (c, o) in line.iter_mut().enumerate() {
                *o = w.largest(x, [a, b, c]) as i64;
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
        runs(dst::<T>(&mut out)?.0, to, w.most, &|plane, part| {
            let (x, g) = (&x[plane * to..][..to], &g[plane * from..][..from]);
            error.note(T::sums(part, &mut |sums| {
                w.all(|at, o| {
                    let best = &mut sums[w.largest(x, o)];
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
        runs(dst::<T>(&mut out)?.0, w.inside[2].len(), w.most, &|row, line| {
            let (p, a, b) = w.row(row);
            let x = &x[p * plane..][..plane];
            for (c, o) in line.iter_mut().enumerate() {
                let mut sum = <T as Num>::Acc::ZERO;
                w.each([a, b, c], |indices| x[indices].iter().for_each(|v| sum = sum.add(*v)));
                *o = T::from_acc(sum.div(w.divisor(definition, [a, b, c])));
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
        runs(dst::<T>(&mut out)?.0, to, w.most, &|plane, part| {
            let g = &g[plane * from..][..from];
            error.note(T::sums(part, &mut |sums| {
                w.all(|at, o| {
                    let share = g[at].div(w.divisor(definition, o));
                    w.each(o, |indices| sums[indices].iter_mut().for_each(|s| *s = s.add(share)));
                });
                Ok(())
            }));
        });
        error.result()
    })
}
