//! Sampling at given positions. The input elements of each position are computed once for all channels of a batch
//! element.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::cpu::dispatch;
use crate::ops::grid_sample::{GridSample, SampleMode, SamplePadding, SampleUnit};
use crate::ops::grid_sample_backward::{GridSampleGridGrad, GridSampleInputGrad};
use crate::ops::window::{last3, sizes};
use crate::{Element, Layout, Result};

/// Number of positions of a task.
const PART: usize = 64;

/// An input index that a position reads along one dimension (`None` outside the input), its weight, and the derivative
/// of the weight by the grid's coordinate.
#[derive(Clone, Copy)]
struct Tap {
    at: Option<usize>,
    weight: f64,
    slope: f64,
}

/// Applies the padding mode to a coordinate in a dimension of `size` elements, and returns the result and its
/// derivative.
fn padded(c: &GridSample, size: usize, at: f64) -> (f64, f64) {
    let last = (size - 1) as f64;
    let clipped = |v: f64, slope: f64| {
        if v > 0.0 && v < last {
            (v, slope)
        } else if v >= last && last > 0.0 {
            (last, 0.0)
        } else {
            (0.0, 0.0)
        }
    };
    match c.padding {
        SamplePadding::Zeros => (at, 1.0),
        SamplePadding::Border => clipped(at, 1.0),
        SamplePadding::Reflection => {
            // The coordinates of the mirrors: the centres of the first and last element, or their outer edges.
            let (low, span) = if c.unit == SampleUnit::Edges { (-0.5, size as f64) } else { (0.0, last) };
            if span == 0.0 {
                return (0.0, 0.0);
            }
            let (off, sign) = if at < low { (low - at, -1.0) } else { (at - low, 1.0) };
            let flips = (off / span).floor();
            // Exact, since the span is a whole number.
            let rest = off - flips * span;
            if flips % 2.0 == 0.0 { clipped(rest + low, sign) } else { clipped(span - rest + low, -sign) }
        }
    }
}

/// Returns the weights of cubic convolution and their derivatives for four adjacent elements. `t` is the distance from
/// the second.
fn cubic(t: f64) -> [(f64, f64); 4] {
    const A: f64 = -0.75;
    let near = |x: f64| ((A + 2.0) * x - (A + 3.0)) * x * x + 1.0;
    let far = |x: f64| ((A * x - 5.0 * A) * x + 8.0 * A) * x - 4.0 * A;
    let near_slope = |x: f64| (3.0 * (A + 2.0) * x - 2.0 * (A + 3.0)) * x;
    let far_slope = |x: f64| (3.0 * A * x - 10.0 * A) * x + 8.0 * A;
    let u = 1.0 - t;
    [
        (far(t + 1.0), far_slope(t + 1.0)),
        (near(t), near_slope(t)),
        (near(u), -near_slope(u)),
        (far(u + 1.0), -far_slope(u + 1.0)),
    ]
}

/// Returns the elements that a coordinate of the grid reads along a dimension of `size` elements.
fn taps(c: &GridSample, size: usize, coordinate: f64) -> [Tap; 4] {
    let n = size as f64;
    let (raw, scale) = match c.unit {
        SampleUnit::Edges => (((coordinate + 1.0) * n - 1.0) / 2.0, n / 2.0),
        SampleUnit::Centers => ((coordinate + 1.0) / 2.0 * (n - 1.0), (n - 1.0) / 2.0),
        SampleUnit::Pixels => (coordinate, 1.0),
    };
    // Coordinates beyond this limit, and NaN, are outside of every image.
    let (raw, scale) = if raw.abs() < 1073741824.0 { (raw, scale) } else { (-100.0, 0.0) };
    let inside = |at: f64| (at >= 0.0 && at < n).then_some(at as usize);
    let none = Tap { at: None, weight: 0.0, slope: 0.0 };
    match c.mode {
        SampleMode::Nearest => {
            let at = padded(c, size, raw).0.round_ties_even();
            [Tap { at: inside(at), weight: 1.0, slope: 0.0 }, none, none, none]
        }
        SampleMode::Bilinear => {
            let (at, slope) = padded(c, size, raw);
            let (low, slope) = (at.floor(), slope * scale);
            let t = at - low;
            let near = Tap { at: inside(low), weight: 1.0 - t, slope: -slope };
            [near, Tap { at: inside(low + 1.0), weight: t, slope }, none, none]
        }
        SampleMode::Bicubic => {
            let low = raw.floor();
            let weights = cubic(raw - low);
            std::array::from_fn(|k| {
                let at = padded(c, size, low - 1.0 + k as f64).0;
                Tap { at: inside(at), weight: weights[k].0, slope: weights[k].1 * scale }
            })
        }
    }
}

/// The grid of one call, and the data needed to interpret its coordinates.
struct Grid<'a, A> {
    op: &'a GridSample,
    /// The coordinates of every position, row-major.
    values: &'a [A],
    /// Number of spatial dimensions.
    dims: usize,
    /// Sizes of the input's spatial dimensions, with leading 1s.
    size: [usize; 3],
}

impl<A: Arith + Element> Grid<'_, A> {
    /// Returns the index of the coordinate for dimension `d` of three, or `None` for the first dimension of a 2-d
    /// image.
    fn coordinate(&self, d: usize) -> Option<usize> {
        let mine = (d + self.dims).checked_sub(3)?;
        Some(if self.op.unit == SampleUnit::Pixels { mine } else { 2 - d })
    }

    /// Returns the elements that position `p` reads along each of three dimensions.
    fn taps(&self, p: usize) -> [[Tap; 4]; 3] {
        let whole = Tap { at: Some(0), weight: 1.0, slope: 0.0 };
        let coordinates = &self.values[p * self.dims..][..self.dims];
        std::array::from_fn(|d| match self.coordinate(d) {
            Some(j) => taps(self.op, self.size[d], coordinates[j].to_f64()),
            None => [whole; 4],
        })
    }

    /// Calls `f(index in the plane, taps)` for each element that position `p` reads, row-major.
    fn each(&self, p: usize, mut f: impl FnMut(usize, [&Tap; 3])) {
        let all = self.taps(p);
        let n = self.op.taps();
        let depth = if self.dims == 3 { n } else { 1 };
        for a in &all[0][..depth] {
            for b in &all[1][..n] {
                for c in &all[2][..n] {
                    if let (Some(i), Some(j), Some(k)) = (a.at, b.at, c.at) {
                        f((i * self.size[1] + j) * self.size[2] + k, [a, b, c]);
                    }
                }
            }
        }
    }

    fn reads(&self) -> usize {
        self.op.taps().pow(self.dims as u32)
    }
}

/// The input elements and weights of the positions of one batch element. The entries of position `p` end at `ends[p]`.
struct List<A> {
    ends: Vec<usize>,
    all: Vec<(usize, A)>,
}

impl<A: Arith + Element> List<A> {
    /// Makes the list of positions `from..to`.
    fn new(grid: &Grid<'_, A>, from: usize, to: usize) -> Self {
        let mut list = Self { ends: Vec::with_capacity(to - from), all: Vec::new() };
        for p in from..to {
            grid.each(p, |at, [a, b, c]| list.all.push((at, A::of(a.weight * b.weight * c.weight))));
            list.ends.push(list.all.len());
        }
        list
    }

    fn of(&self, p: usize) -> &[(usize, A)] {
        &self.all[if p == 0 { 0 } else { self.ends[p - 1] }..self.ends[p]]
    }
}

/// Returns `[batch, channels]`, the sizes of a plane, and their product.
fn geometry(l: &Layout) -> Result<([usize; 2], [usize; 3], usize)> {
    let all = sizes(l.shape(), l.shape().rank() - 2)?;
    let size = last3(all);
    Ok(([all[0], all[1]], size, size.iter().product()))
}

/// Returns the lists of all positions of a call, by batch element, in parts that are computed on several threads.
fn lists<A: Arith + Element>(grid: &Grid<'_, A>, batch: usize, positions: usize) -> Vec<List<A>> {
    let parts = positions.div_ceil(PART).max(1);
    let mut all: Vec<Option<List<A>>> = (0..batch * parts).map(|_| None).collect();
    runs(&mut all, 1, PART * grid.reads() * 8, &|i, one| {
        let (n, part) = (i / parts, i % parts);
        let (from, to) = (part * PART, ((part + 1) * PART).min(positions));
        one[0] = Some(List::new(grid, n * positions + from, n * positions + to));
    });
    all.into_iter().flatten().collect()
}

pub fn grid_sample(c: &GridSample, x: Src<'_>, grid: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let ([batch, channels], size, plane) = geometry(x.1)?;
    let (_, _, positions) = geometry(out.1)?;
    if out.1.shape().elem_count() == 0 {
        return Ok(());
    }
    dispatch!(x.0.dtype(), "grid_sample", FLOAT => T {
        let (x, values) = (T::wide(x)?, T::wide(grid)?);
        let grid = Grid { op: c, values: &values[..], dims: g_dims(out.1), size };
        let all = lists(&grid, batch, positions);
        let parts = all.len() / batch;
        runs(dst::<T>(&mut out)?.0, positions, grid.reads(), &|row, line| {
            let x = &x[row * plane..][..plane];
            let mine = &all[row / channels * parts..][..parts];
            for (list, line) in mine.iter().zip(line.chunks_mut(PART)) {
                for (p, o) in line.iter_mut().enumerate() {
                    let sum = list.of(p).iter().fold(<T as Num>::Acc::ZERO, |s, (at, w)| s.add(x[*at].mul(*w)));
                    *o = T::from_acc(sum);
                }
            }
        });
        Ok(())
    })
}

pub fn input_grad(c: &GridSampleInputGrad, g: Src<'_>, grid: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let ([batch, channels], size, plane) = geometry(out.1)?;
    let (_, _, positions) = geometry(g.1)?;
    if out.1.shape().elem_count() == 0 {
        return Ok(());
    }
    dispatch!(g.0.dtype(), "grid_sample_input_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let (g, values) = (T::wide(g)?, T::wide(grid)?);
        let grid = Grid { op: &c.forward, values: &values[..], dims: g_dims(out.1), size };
        let all = lists(&grid, batch, positions);
        let parts = all.len() / batch;
        runs(dst::<A>(&mut out)?.0, plane, positions * grid.reads() / plane.max(1) + 1, &|row, sums| {
            sums.fill(A::ZERO);
            let g = &g[row * positions..][..positions];
            let mine = &all[row / channels * parts..][..parts];
            for (list, g) in mine.iter().zip(g.chunks(PART)) {
                for (p, g) in g.iter().enumerate() {
                    list.of(p).iter().for_each(|(at, w)| sums[*at] = sums[*at].add(g.mul(*w)));
                }
            }
        });
        Ok(())
    })
}

fn g_dims(l: &Layout) -> usize {
    l.shape().rank() - 2
}

pub fn grid_grad(
    c: &GridSampleGridGrad,
    g: Src<'_>,
    x: Src<'_>,
    grid: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let ([_, channels], size, plane) = geometry(x.1)?;
    let (_, _, positions) = geometry(g.1)?;
    let dims = g_dims(x.1);
    dispatch!(g.0.dtype(), "grid_sample_grid_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let (g, x, values) = (T::wide(g)?, T::wide(x)?, T::wide(grid)?);
        let grid = Grid { op: &c.0, values: &values[..], dims, size };
        runs(dst::<T>(&mut out)?.0, dims, channels * grid.reads(), &|p, line| {
            let (n, at) = (p / positions, p % positions);
            let mut sums = [A::ZERO; 3];
            if c.0.mode != SampleMode::Nearest {
                grid.each(p, |e, t| {
                    let products = (0..channels).map(|k| {
                        let row = n * channels + k;
                        x[row * plane + e].mul(g[row * positions + at])
                    });
                    let sum = products.fold(A::ZERO, |s, v| s.add(v));
                    for (d, to) in sums.iter_mut().enumerate() {
                        let of = |k: usize| if k == d { t[k].slope } else { t[k].weight };
                        *to = to.add(sum.mul(A::of(of(0) * of(1) * of(2))));
                    }
                });
            }
            for (d, sum) in sums.into_iter().enumerate() {
                if let Some(j) = grid.coordinate(d) {
                    line[j] = T::from_acc(sum);
                }
            }
        });
        Ok(())
    })
}
