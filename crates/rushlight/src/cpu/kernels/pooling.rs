//! Pooling: plain loops over the elements of each window, rows or planes split over the threads.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::simd_panel::FirstError;
use crate::ops::avg_pool::AvgPool;
use crate::ops::pool::Pool;
use crate::ops::window::{last3, sizes};
use smallvec::SmallVec;
use std::ops::Range;

/// Windows whose largest elements are found together.
const TOGETHER: usize = 64;

/// The largest elements of windows `S` elements apart: their indices and values.
struct Largest<'a, A, const S: usize> {
    x: &'a [A],
    /// Indices of the elements of the first window.
    first: &'a [usize],
    best: &'a mut [u32],
    most: &'a mut [A],
}

impl<A: Arith, const S: usize> Work for Largest<'_, A, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.best.len().min(self.most.len());
        let (best, most) = (&mut self.best[..n], &mut self.most[..n]);
        let Some((&start, others)) = self.first.split_first() else { return };
        for (c, (best, most)) in best.iter_mut().zip(most.iter_mut()).enumerate() {
            (*best, *most) = ((start + c * S) as u32, self.x[start + c * S]);
        }
        for &at in others {
            // The last window's element is the last one here.
            let elements = &self.x[at..][..(n - 1) * S + 1];
            let last = elements[elements.len() - 1];
            // Without a branch, which would often be mispredicted.
            let one = |c: usize, v: A, best: &mut u32, most: &mut A| {
                let larger = (v > *most) | (v.is_nan() & !most.is_nan());
                *best = if larger { (at + c * S) as u32 } else { *best };
                *most = if larger { v } else { *most };
            };
            let windows = best[..n - 1].iter_mut().zip(&mut most[..n - 1]);
            for (c, (v, (best, most))) in elements.as_chunks::<S>().0.iter().zip(windows).enumerate() {
                one(c, v[0], best, most);
            }
            one(n - 1, last, &mut best[n - 1], &mut most[n - 1]);
        }
    }
}

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
    /// The windows that lie inside the input in the last dimension, and their distance.
    whole: (Range<usize>, usize),
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
        let whole = match pool.is_adaptive() {
            true => 0..0,
            false => {
                let span = step[2] * k[2].saturating_sub(1) + 1;
                let end = ((i[2] + p[2] + 1).saturating_sub(span)).div_ceil(s[2]).min(o[2]);
                p[2].div_ceil(s[2]).min(end)..end
            }
        };
        Ok(Self { inside, step, padded, i, most, whole: (whole, s[2]) })
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

    /// Calls `f(window, index, value)` with the largest element of each window of a row.
    fn largest_of_row<A: Arith>(&self, x: &[A], [a, b]: [usize; 2], mut f: impl FnMut(usize, usize, A)) {
        let (whole, stride) = &self.whole;
        let known = (1..=3).contains(stride) && u32::try_from(x.len()).is_ok();
        let (mut best, mut most) = ([0; TOGETHER], [A::ZERO; TOGETHER]);
        let mut c = 0;
        while c < self.inside[2].len() {
            // (A few windows may be large.)
            if !known || !whole.contains(&c) || whole.end - c < 4 {
                let at = self.largest(x, [a, b, c]);
                f(c, at, x[at]);
                c += 1;
                continue;
            }
            let n = TOGETHER.min(whole.end - c);
            let mut first = SmallVec::<[usize; 16]>::new();
            self.each([a, b, c], |indices| first.extend(indices));
            let (best, most) = (&mut best[..n], &mut most[..n]);
            let first = &first[..];
            match stride {
                1 => simd_isa::run_small(Largest::<_, 1> { x, first, best, most }),
                2 => simd_isa::run_small(Largest::<_, 2> { x, first, best, most }),
                _ => simd_isa::run_small(Largest::<_, 3> { x, first, best, most }),
            }
            best.iter().zip(most).enumerate().for_each(|(i, (at, v))| f(c + i, *at as usize, *v));
            c += n;
        }
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
            w.largest_of_row(x, [a, b], |c, _, v| line[c] = T::from_acc(v));
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
            w.largest_of_row(x, [a, b], |c, at, _| line[c] = at as i64);
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
                for row in 0..w.inside[0].len() * w.inside[1].len() {
                    let (_, a, b) = w.row(row);
                    let g = &g[row * w.inside[2].len()..];
                    w.largest_of_row(x, [a, b], |c, at, _| sums[at] = sums[at].add(g[c]));
                }
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
