//! Sampling at given positions. The input elements of each position are computed once for all channels of a batch
//! element.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::cpu::dispatch;
use crate::cpu::simd_isa::{self, Work};
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
#[inline(always)]
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
#[inline(always)]
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

/// Returns the position of a coordinate of the grid among the elements of a dimension, and its derivative.
#[inline(always)]
fn position(c: &GridSample, size: usize, coordinate: f64) -> (f64, f64) {
    let n = size as f64;
    let (raw, scale) = match c.unit {
        SampleUnit::Edges => (((coordinate + 1.0) * n - 1.0) / 2.0, n / 2.0),
        SampleUnit::Centers => ((coordinate + 1.0) / 2.0 * (n - 1.0), (n - 1.0) / 2.0),
        SampleUnit::Pixels => (coordinate, 1.0),
    };
    // Coordinates beyond this limit, and NaN, are outside of every image.
    if raw.abs() < 1073741824.0 { (raw, scale) } else { (-100.0, 0.0) }
}

/// Returns the elements that a coordinate of the grid reads along a dimension of `size` elements.
#[inline(always)]
fn taps(c: &GridSample, size: usize, coordinate: f64) -> [Tap; 4] {
    let n = size as f64;
    let (raw, scale) = position(c, size, coordinate);
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
            let mut all = [none; 4];
            for k in 0..4 {
                let at = padded(c, size, low - 1.0 + k as f64).0;
                all[k] = Tap { at: inside(at), weight: weights[k].0, slope: weights[k].1 * scale };
            }
            all
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
    #[inline(always)]
    fn coordinate(&self, d: usize) -> Option<usize> {
        let mine = (d + self.dims).checked_sub(3)?;
        Some(if self.op.unit == SampleUnit::Pixels { mine } else { 2 - d })
    }

    /// Returns the elements that position `p` reads along each of three dimensions.
    #[inline(always)]
    fn taps(&self, p: usize) -> [[Tap; 4]; 3] {
        let whole = Tap { at: Some(0), weight: 1.0, slope: 0.0 };
        let coordinates = &self.values[p * self.dims..][..self.dims];
        // (`array::from_fn` would call a function compiled without the level's instructions.)
        let mut all = [[whole; 4]; 3];
        for (d, all) in all.iter_mut().enumerate() {
            if let Some(j) = self.coordinate(d) {
                *all = taps(self.op, self.size[d], coordinates[j].to_f64());
            }
        }
        all
    }

    /// Calls `f(number, index in the plane, taps)` for each element that position `p` reads, row-major, where `number` also counts
    /// those that are outside of the input.
    #[inline(always)]
    fn each(&self, p: usize, mut f: impl FnMut(usize, usize, [&Tap; 3])) {
        let all = self.taps(p);
        let n = self.op.taps();
        let depth = if self.dims == 3 { n } else { 1 };
        let mut number = 0;
        for a in &all[0][..depth] {
            for b in &all[1][..n] {
                for c in &all[2][..n] {
                    if let (Some(i), Some(j), Some(k)) = (a.at, b.at, c.at) {
                        f(number, (i * self.size[1] + j) * self.size[2] + k, [a, b, c]);
                    }
                    number += 1;
                }
            }
        }
    }

    fn reads(&self) -> usize {
        self.op.taps().pow(self.dims as u32)
    }
}

/// The index of an element that is outside of the input.
const OUTSIDE: usize = usize::MAX;

/// The indices in the plane and the weights of the input elements of at most [`PART`] positions of a batch element: the first
/// elements of all positions, then the second ones, ...
struct List<A> {
    count: usize,
    at: Vec<[usize; PART]>,
    weights: Vec<[A; PART]>,
}

impl<A: Arith + Element> List<A> {
    /// Makes the list of positions `from..to`.
    fn new(grid: &Grid<'_, A>, from: usize, to: usize) -> Self {
        // (Rounding down is one instruction from SSE 4.1 on.)
        simd_isa::run_small(Entries { grid, from, to })
    }
}

/// The arguments of [`List::new`].
struct Entries<'a, 'b, A> {
    grid: &'a Grid<'b, A>,
    from: usize,
    to: usize,
}

impl<A: Arith + Element> Work for Entries<'_, '_, A> {
    type Output = List<A>;
    #[inline(always)]
    fn run(self) -> List<A> {
        let (most, count) = (self.grid.reads(), self.to - self.from);
        let mut list = List { count, at: vec![[OUTSIDE; PART]; most], weights: vec![[A::ZERO; PART]; most] };
        if self.grid.dims == 2 && self.grid.op.mode == SampleMode::Bilinear {
            self.bilinear(&mut list);
            return list;
        }
        for p in 0..count.min(PART) {
            self.grid.each(self.from + p, |n, at, [a, b, c]| {
                list.at[n][p] = at;
                list.weights[n][p] = A::of(a.weight * b.weight * c.weight);
            });
        }
        list
    }
}

impl<A: Arith + Element> Entries<'_, '_, A> {
    /// Makes the list of the most usual samples, in loops that the compiler vectorizes.
    #[inline(always)]
    fn bilinear(self, list: &mut List<A>) {
        let Entries { grid, from, to } = self;
        let (Some(j_y), Some(j_x)) = (grid.coordinate(1), grid.coordinate(2)) else { return };
        let [_, height, width] = grid.size;
        let values = &grid.values[2 * from..2 * to];
        // The elements before the positions, and the weights of those after them.
        let (mut y, mut x) = ([(0, 0.0); PART], [(0, 0.0); PART]);
        for (all, j, size) in [(&mut y, j_y, height), (&mut x, j_x, width)] {
            for (one, v) in all.iter_mut().zip(values.chunks_exact(2)) {
                let at = padded(grid.op, size, position(grid.op, size, v[j].to_f64()).0).0;
                let low = at.floor();
                // (`position` is below 2^30.)
                *one = (low as i32, at - low);
            }
        }
        let inside = |at: i32, size: usize| at >= 0 && (at as usize) < size;
        for (n, (at, weights)) in list.at.iter_mut().zip(&mut list.weights).enumerate() {
            let (down, right) = ((n / 2) as i32, (n % 2) as i32);
            for p in 0..PART.min(to - from) {
                let ((y, t_y), (x, t_x)) = (y[p], x[p]);
                let (y, x) = (y + down, x + right);
                let weight = |t: f64, after: i32| if after == 1 { t } else { 1.0 - t };
                weights[p] = A::of(weight(t_y, down) * weight(t_x, right));
                let element = (y as usize).wrapping_mul(width).wrapping_add(x as usize);
                at[p] = if inside(y, height) & inside(x, width) { element } else { OUTSIDE };
            }
        }
    }
}

/// Adds the products of the elements of a plane at some indices, of which those outside count as 0, and of factors to sums.
#[inline(always)]
fn add_products<A: Arith>(plane: &[A], at: &[usize], factors: &[A], sums: &mut [A]) {
    // (An input without elements is an error.)
    let Some(last) = plane.len().checked_sub(1) else { return };
    for ((sum, at), factor) in sums.iter_mut().zip(at).zip(factors) {
        // Sums begin with 0 and never become -0, so that adding a zero changes nothing, and an element outside needs no branch.
        let element = plane[(*at).min(last)];
        let element = if *at > last { A::ZERO } else { element };
        *sum = sum.add(element.mul(*factor));
    }
}

/// The samples of a plane at the positions of a list: the sums, in order, of weights times elements inside the input.
struct Samples<'a, A> {
    list: &'a List<A>,
    plane: &'a [A],
    out: &'a mut [A; PART],
}

impl<A: Arith + Element> Work for Samples<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Samples { list, plane, out } = self;
        let mut sums = [A::ZERO; PART];
        for (at, weights) in list.at.iter().zip(&list.weights) {
            add_products(plane, at, weights, &mut sums);
        }
        *out = sums;
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
            let mut sums = [<T as Num>::Acc::ZERO; PART];
            for (list, line) in mine.iter().zip(line.chunks_mut(PART)) {
                simd_isa::run_small(Samples { list, plane: x, out: &mut sums });
                T::round_all(&sums[..line.len()], line);
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
            // (An output without elements has returned above.)
            let Some(last) = sums.len().checked_sub(1) else { return };
            let g = &g[row * positions..][..positions];
            let mine = &all[row / channels * parts..][..parts];
            let mut products = vec![[A::ZERO; PART]; grid.reads()];
            for (list, g) in mine.iter().zip(g.chunks(PART)) {
                simd_isa::run_small(Products { list, g, last, out: &mut products });
                for p in 0..list.count {
                    for (at, products) in list.at.iter().zip(&products) {
                        // For an element outside the product is 0, and adding it changes no sum: none is -0.
                        let sum = &mut sums[at[p].min(last)];
                        *sum = sum.add(products[p]);
                    }
                }
            }
        });
        Ok(())
    })
}

/// The products of the gradients of a list's positions with the weights of the elements that they read, 0 for elements after the
/// last one.
struct Products<'a, A> {
    list: &'a List<A>,
    g: &'a [A],
    last: usize,
    out: &'a mut [[A; PART]],
}

impl<A: Arith> Work for Products<'_, A> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Products { list, g, last, out } = self;
        for ((out, at), weights) in out.iter_mut().zip(&list.at).zip(&list.weights) {
            for (((out, at), weight), g) in out.iter_mut().zip(at).zip(weights).zip(g) {
                *out = if *at > last { A::ZERO } else { g.mul(*weight) };
            }
        }
    }
}

fn g_dims(l: &Layout) -> usize {
    l.shape().rank() - 2
}

/// The arguments for the gradients of the positions from `from` on, whose coordinates `lines` has.
struct Slopes<'a, 'b, T: Num> {
    grid: &'a Grid<'b, T::Acc>,
    x: &'a [T::Acc],
    g: &'a [T::Acc],
    plane: usize,
    positions: usize,
    channels: usize,
    from: usize,
    lines: &'a mut [T],
}

impl<T: Num<Acc: Element>> Work for Slopes<'_, '_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Slopes { grid, x, g, plane, positions, channels, from, lines } = self;
        let (dims, most) = (grid.dims, grid.reads());
        let count = lines.len() / dims;
        // For each position and each element that it reads the sum of the products over the channels; channel by channel, as
        // the elements of one position are far apart.
        let list = Entries { grid, from, to: from + count }.run();
        let mut sums = vec![[T::Acc::ZERO; PART]; most];
        let mut p = 0;
        while p < count {
            // The positions of one batch element.
            let (n, first) = ((from + p) / positions, (from + p) % positions);
            let part = p..count.min(p + positions - first);
            for row in n * channels..(n + 1) * channels {
                let x = &x[row * plane..][..plane];
                let g = &g[row * positions + first..][..part.len()];
                for (sums, at) in sums.iter_mut().zip(&list.at) {
                    add_products(x, &at[part.clone()], g, &mut sums[part.clone()]);
                }
            }
            p = part.end;
        }
        for (i, line) in lines.chunks_mut(dims).enumerate() {
            let mut of_dims = [T::Acc::ZERO; 3];
            grid.each(from + i, |number, _, t| {
                let sum = sums[number][i];
                for (d, to) in of_dims.iter_mut().enumerate() {
                    let of = |k: usize| if k == d { t[k].slope } else { t[k].weight };
                    *to = to.add(sum.mul(T::Acc::of(of(0) * of(1) * of(2))));
                }
            });
            for (d, sum) in of_dims.into_iter().enumerate() {
                if let Some(j) = grid.coordinate(d) {
                    line[j] = T::from_acc(sum);
                }
            }
        }
    }
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
        let most = grid.reads();
        runs(dst::<T>(&mut out)?.0, dims * PART, channels * most, &|part, lines| {
            if c.0.mode == SampleMode::Nearest {
                return lines.fill(T::from_acc(A::ZERO));
            }
            simd_isa::run_small(Slopes { grid: &grid, x: &x, g: &g, plane, positions, channels, from: part * PART, lines });
        });
        Ok(())
    })
}
