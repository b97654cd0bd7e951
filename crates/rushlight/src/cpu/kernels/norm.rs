//! Normalizations and their gradients. Each sum follows the tree over the elements in row-major order; a line is copied to
//! scratch memory, where it stays in the cache between the sums.
use super::channels::{Run, Summands, channel_sum, channel_sums, each_channel, each_run};
use super::elementwise::{Dst, Src, dst};
use super::index;
use super::num::{Arith, Num, Real};
use super::reduce_tree::{CHUNK, LANES, add_pairs, fold, moments, pair_sums, sum, sum_of_products};
use super::softmax::row_major;
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::map::{
    slice_add_pairs, slice_add_two_pairs, slice_change, slice_combine, slice1, slice2, slice3,
};
use crate::cpu::{dispatch, scratch};
use crate::ops::batch_norm::BatchNorm;
use crate::ops::batch_norm_backward::BatchNormBackward;
use crate::ops::batch_norm_stats::sizes;
use crate::ops::batch_norm_weight_grad::BatchNormWeightGrad;
use crate::ops::fused_norm::{FusedNorm, FusedWith};
use crate::ops::norm::{Geometry, Norm};
use crate::ops::norm_backward::NormBackward;
use crate::ops::norm_weight_grad::NormWeightGrad;
use crate::ops::{IndexMode, OpDef as _};
use crate::{Element, Result};
use num_traits::Float;
use std::ops::Range;

/// The values of an operand that not every call has, in the type that is computed in.
fn parameter<T: Num>(s: Option<Src<'_>>) -> Result<Option<Vec<T::Acc>>> {
    s.map(|s| {
        let mut hold = None;
        let v = row_major::<T>(s, &mut hold)?;
        scratch::collected(v.len(), v.iter().map(|v| Ok(v.acc())))
    })
    .transpose()
}

/// `1 / sqrt(variance + eps)`.
fn inverse_root<A: Real>(variance: A, eps: A) -> A {
    <A as Arith>::ONE / Float::sqrt(variance + eps)
}

/// The sum of squared differences from the mean, from the sums of the differences from about the mean and of their squares.
fn spread<A: Arith>(sum: A, squares: A, correction: A) -> A {
    Arith::max(squares.sub(sum.mul(correction)), A::ZERO)
}

/// The numbers that a line is normalized by: `((x - mean) - correction) * scale`.
#[derive(Clone, Copy, Default)]
struct Scale<A> {
    centers: bool,
    mean: A,
    correction: A,
    scale: A,
}

impl<A: Real> Scale<A> {
    /// Returns the numbers of a line.
    fn of(c: &Norm, x: &[A]) -> Self {
        let (n, eps) = (A::of(x.len() as f64), A::of(c.eps));
        if !c.centers() {
            let squares = sum_of_products(x, x);
            return Self { scale: inverse_root(squares / n, eps), ..Self::default() };
        }
        let mean = sum(x) / n;
        let [s, squares] = moments(x, mean);
        let correction = s / n;
        Self { centers: true, mean, correction, scale: inverse_root(spread(s, squares, correction) / n, eps) }
    }

    /// Normalizes a line.
    fn normalize(self, x: &[A], out: &mut [A]) {
        slice1(x, out, move |x| self.apply(x));
    }

    /// One element normalized.
    #[inline(always)]
    fn apply(&self, v: A) -> A {
        ((v - self.mean) - self.correction) * self.scale
    }

    /// Writes the gradient of a line from slices of the input and of two factors of its gradient, whose product `h` returns. `room`
    /// has the length of the line.
    fn gradient<T: Num<Acc = A>>(
        self,
        [x, g, w]: [&[A]; 3],
        h: impl Fn(A, A) -> A + Copy,
        out: &mut [T],
        room: &mut [A],
    ) {
        let sums = pair_sums([x, g, w], move |[x, g, w]| {
            let h = h(g, w);
            [h, h * self.apply(x)]
        });
        let [mean, along] = sums.map(|s| s / A::of(x.len() as f64));
        let mean = if self.centers { mean } else { <A as Arith>::ZERO };
        T::rounded(out, room, |out| {
            slice3(x, g, w, out, move |x, g, w| ((h(g, w) - mean) - self.apply(x) * along) * self.scale);
        });
    }
}

impl Geometry {
    /// Returns the weights or biases of a line.
    fn own<'a, A>(&self, line: usize, parameters: &'a [A]) -> &'a [A] {
        &parameters[line % self.groups * self.per..][..self.per]
    }

    /// Combines each element of a line with its weight or bias.
    #[inline(always)]
    fn combine<A: Arith>(&self, line: usize, parameters: &[A], v: &mut [A], f: impl Fn(A, A) -> A + Copy) {
        let parameters = self.own(line, parameters);
        if self.inner == 1 {
            slice_combine(v, parameters, f);
        } else {
            for (part, p) in v.chunks_mut(self.inner).zip(parameters) {
                let p = *p;
                slice_change(part, move |v| f(v, p));
            }
        }
    }
}

/// Calls `f(line, its part of the output, slices of its length)` for each line.
fn lines<T: Num, const K: usize>(
    g: &Geometry,
    out: &mut [T],
    f: impl Fn(usize, &mut [T], [&mut [T::Acc]; K]) + Sync,
) -> Result<()> {
    let n = g.length;
    if out.is_empty() {
        return Ok(());
    }
    let per = per_task(g.lines, 8 * n);
    try_chunks(out, per * n, &|t, part| {
        let mut room = scratch::filled(K * n, T::Acc::ZERO)?;
        for (i, out) in part.chunks_mut(n).enumerate() {
            let mut rooms = room.chunks_mut(n);
            f(t * per + i, out, std::array::from_fn(|_| rooms.next().unwrap_or_default()));
        }
        Ok(())
    })
}

/// Where the elements of lines come from.
enum Source<'a, T> {
    /// The input.
    Own(&'a [T]),
    /// The rounded sums of two tensors.
    Sum(&'a [T], &'a [T]),
    /// Rows of a table, by index.
    Rows(&'a [T], Vec<i64>),
}

impl<T: Num> Source<'_, T> {
    /// Returns a line: itself, or computed in `room`.
    fn line<'b>(&'b self, line: usize, room: &'b mut [T::Acc]) -> &'b [T::Acc] {
        let n = room.len();
        match self {
            Self::Own(x) => T::widened(&x[line * n..][..n], room),
            Self::Rows(table, ids) => T::widened(&table[ids[line] as usize * n..][..n], room),
            Self::Sum(x, y) => {
                let (x, y) = (&x[line * n..][..n], &y[line * n..][..n]);
                slice2(x, y, room, |x: T, y: T| T::from_acc(Arith::add(x.acc(), y.acc())).acc());
                room
            }
        }
    }
}

pub fn norm(c: &Norm, x: Src<'_>, w: Option<Src<'_>>, b: Option<Src<'_>>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "norm", FLOAT => T {
        let mut hold = None;
        let x = Source::Own(row_major::<T>(x, &mut hold)?);
        norm_of(c, &x, [w, b], out, |_| {})
    })
}

/// `y` is the second tensor of a sum, or the indices of a look-up.
pub fn fused_norm(
    c: &FusedNorm,
    x: Src<'_>,
    y: Option<Src<'_>>,
    w: Option<Src<'_>>,
    b: Option<Src<'_>>,
    out: Dst<'_>,
) -> Result<()> {
    let norm = &c.norm();
    dispatch!(x.0.dtype(), "norm", FLOAT => T {
        let (mut hold_x, mut hold_y) = (None, None);
        let rows = x.1.dims().first().copied().unwrap_or(0);
        let x = row_major::<T>(x, &mut hold_x)?;
        let source = match (c.with, y) {
            (FusedWith::Residual, Some(y)) => Source::Sum(x, row_major::<T>(y, &mut hold_y)?),
            (FusedWith::Lookup, Some(y)) => Source::Rows(x, index::ids(c.name(), y, rows, IndexMode::Within)?),
            _ => Source::Own(x),
        };
        match c.with {
            FusedWith::Relu => norm_of(norm, &source, [w, b], out, |v| slice_change(v, |v| Arith::max(v, Arith::ZERO))),
            FusedWith::Gelu => norm_of(norm, &source, [w, b], out, |v| slice_change(v, |v: <T as Num>::Acc| v.gelu_erf())),
            FusedWith::Residual | FusedWith::Lookup => norm_of(norm, &source, [w, b], out, |_| {}),
        }
    })
}

/// Normalizes lines, and applies `f` to each of them before it is rounded.
fn norm_of<T: Num>(
    c: &Norm,
    x: &Source<'_, T>,
    [w, b]: [Option<Src<'_>>; 2],
    mut out: Dst<'_>,
    f: impl Fn(&mut [T::Acc]) + Sync,
) -> Result<()>
where
    T::Acc: Real,
{
    let geometry = c.geometry(out.1.dims());
    let (w, b) = (parameter::<T>(w)?, parameter::<T>(b)?);
    lines(&geometry, dst::<T>(&mut out)?.0, |line, out, [room, v]| {
        let x = x.line(line, room);
        let scale = Scale::of(c, x);
        T::rounded(out, v, |v| {
            match (&w, &b) {
                (Some(w), Some(b)) => {
                    let (w, b) = (geometry.own(line, w), geometry.own(line, b));
                    if geometry.inner == 1 {
                        slice3(x, w, b, v, move |x, w, b| Arith::add(Arith::mul(scale.apply(x), w), b));
                        return f(v);
                    }
                    for (k, (x, v)) in x.chunks(geometry.inner).zip(v.chunks_mut(geometry.inner)).enumerate()
                    {
                        let (w, b) = (w[k], b[k]);
                        slice1(x, v, move |x| Arith::add(Arith::mul(scale.apply(x), w), b));
                    }
                }
                _ => {
                    scale.normalize(x, v);
                    if let Some(w) = &w {
                        geometry.combine(line, w, v, Arith::mul);
                    }
                    if let Some(b) = &b {
                        geometry.combine(line, b, v, Arith::add);
                    }
                }
            }
            f(v);
        });
    })
}

pub fn norm_backward(
    c: &NormBackward,
    g: Src<'_>,
    x: Src<'_>,
    w: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    let geometry = c.0.geometry(x.1.dims());
    dispatch!(x.0.dtype(), "norm_backward", FLOAT => T {
        let (mut hold_g, mut hold_x) = (None, None);
        let (g, x) = (row_major::<T>(g, &mut hold_g)?, row_major::<T>(x, &mut hold_x)?);
        let w = parameter::<T>(w)?;
        lines(&geometry, dst::<T>(&mut out)?.0, |line, out, [room, g_room, v]| {
            let n = room.len();
            let x = T::widened(&x[line * n..][..n], room);
            let scale = Scale::of(&c.0, x);
            let g = &g[line * n..][..n];
            match &w {
                Some(w) if geometry.inner == 1 => {
                    let g = T::widened(g, g_room);
                    scale.gradient([x, g, geometry.own(line, w)], Arith::mul, out, v);
                }
                Some(w) => {
                    let g = T::widened(g, g_room);
                    let parts = g.chunks(geometry.inner).zip(v.chunks_mut(geometry.inner));
                    for ((g, v), w) in parts.zip(geometry.own(line, w)) {
                        let w = *w;
                        slice1(g, v, move |g| Arith::mul(g, w));
                    }
                    scale.gradient([x, v, v], |g, _| g, out, g_room);
                }
                None => {
                    let g = T::widened(g, g_room);
                    scale.gradient([x, g, g], |g, _| g, out, v);
                }
            }
        })
    })
}

pub fn norm_weight_grad(c: &NormWeightGrad, g: Src<'_>, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let geometry = c.0.geometry(x.1.dims());
    let Geometry { lines, length, groups, per, inner } = geometry;
    dispatch!(x.0.dtype(), "norm_weight_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold_g, mut hold_x) = (None, None);
        let (g, x) = (row_major::<T>(g, &mut hold_g)?, row_major::<T>(x, &mut hold_x)?);
        let mut scales = scratch::filled(lines, Scale::<A>::default())?;
        let each = per_task(lines, 8 * length);
        try_chunks(&mut scales, each, &|t, part| {
            let mut room = scratch::filled(length, A::ZERO)?;
            for (i, scale) in part.iter_mut().enumerate() {
                let x = T::widened(&x[(t * each + i) * length..][..length], &mut room);
                *scale = Scale::of(&c.0, x);
            }
            Ok(())
        })?;
        let sums = channel_sums([lines / groups, groups * per, inner], WeightGrad { x, g, scales: &scales, geometry })?;
        rows::<A>(&sums, 1 + usize::from(c.0.biased), dst(&mut out)?.0);
        Ok(())
    })
}

/// The products of each element's gradient with its normalized input, and the gradients.
struct WeightGrad<'a, T: Num> {
    x: &'a [T],
    g: &'a [T],
    scales: &'a [Scale<T::Acc>],
    geometry: Geometry,
}

impl<T: Num> WeightGrad<'_, T>
where
    T::Acc: Real,
{
    /// Returns a function of an input and its gradient, in the line of a channel.
    #[inline(always)]
    fn of_line(&self, n: usize, channel: usize) -> impl Fn(T::Acc, T::Acc) -> [T::Acc; 2] + Copy + use<T> {
        let scale = self.scales[n * self.geometry.groups + channel / self.geometry.per];
        move |x, g| [g * scale.apply(x), g]
    }

    /// Calls `f(channel, range)` for the parts of `n` channels from `first` on that belong to one line each.
    fn each_line(&self, first: usize, n: usize, mut f: impl FnMut(usize, Range<usize>)) {
        let per = self.geometry.per;
        let mut done = 0;
        while done < n {
            let channel = first + done;
            let end = n.min(done + per - channel % per);
            f(channel, done..end);
            done = end;
        }
    }
}

impl<'a, T: Num> Summands<T::Acc, 2> for WeightGrad<'a, T>
where
    T::Acc: Real,
{
    fn add(&self, run: Run, [first, second]: [&mut [T::Acc]; 2], [x_room, g_room]: [&mut [T::Acc]; 2]) {
        let n = first.len();
        let (x, g) = (&self.x[run.at..][..n], &self.g[run.at..][..n]);
        let (x, g) = (T::widened(x, x_room), T::widened(g, g_room));
        self.each_line(run.channel, n, |channel, part| {
            let sums = [&mut first[part.clone()], &mut second[part.clone()]];
            slice_add_pairs(sums, &x[part.clone()], &g[part], self.of_line(run.n, channel));
        });
    }

    fn add_two(
        &self,
        runs: [Run; 2],
        [first, second]: [&mut [T::Acc]; 2],
        [x_room, g_room]: [&mut [T::Acc]; 2],
    ) {
        if size_of::<T>() < size_of::<T::Acc>() {
            // There is room for one widened run.
            for run in runs {
                self.add(run, [&mut *first, &mut *second], [&mut *x_room, &mut *g_room]);
            }
            return;
        }
        let n = first.len();
        let of = |values: &'a [T]| runs.map(|run| T::widened(&values[run.at..][..n], &mut []));
        let ([x, next_x], [g, next_g]) = (of(self.x), of(self.g));
        self.each_line(runs[0].channel, n, |channel, part| {
            let sums = [&mut first[part.clone()], &mut second[part.clone()]];
            let pairs = [[&x[part.clone()], &g[part.clone()]], [&next_x[part.clone()], &next_g[part]]];
            slice_add_two_pairs(sums, pairs, runs.map(|run| self.of_line(run.n, channel)));
        });
    }

    fn chunk(
        &self,
        _: usize,
        runs: &dyn Fn(&mut dyn FnMut(Run, Range<usize>)),
        [x_room, g_room]: &mut [[T::Acc; CHUNK]; 2],
    ) -> [T::Acc; 2] {
        let mut lanes = [[T::Acc::ZERO; LANES]; 2];
        runs(&mut |run, part| {
            let n = part.len();
            let x = T::widened(&self.x[run.at..][..n], &mut x_room[..n]);
            let g = T::widened(&self.g[run.at..][..n], &mut g_room[..n]);
            let pair = self.of_line(run.n, run.channel);
            add_pairs(&mut lanes, part.start, [x, g, g], move |[x, g, _]| pair(x, g));
        });
        lanes.map(|lanes| fold(lanes, Arith::add))
    }
}

/// Writes the first number of each channel, then the second of each.
fn rows<A: Element + Copy>(sums: &[[A; 2]], count: usize, out: &mut [A]) {
    if sums.is_empty() {
        return;
    }
    for (k, row) in out.chunks_mut(sums.len()).enumerate().take(count) {
        row.iter_mut().zip(sums).for_each(|(o, s)| *o = s[k]);
    }
}

pub fn batch_norm_stats(x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let sizes = sizes(x.1.dims());
    dispatch!(x.0.dtype(), "batch_norm_stats", FLOAT => T {
        type A = <T as Num>::Acc;
        let mut hold = None;
        let x = row_major::<T>(x, &mut hold)?;
        let n: A = Arith::of((sizes[0] * sizes[2]) as f64);
        let elements = |run: Run, [v]: [&mut [A]; 1]| T::widen(&x[run.at..][..v.len()], v);
        let differences = |run: Run, [d, squares]: [&mut [A]; 2], mean: &[A]| {
            let x = &x[run.at..][..d.len()];
            if let [mean] = *mean {
                slice1(x, d, move |x: T| Arith::sub(x.acc(), mean));
            } else {
                slice2(x, &mean[..d.len()], d, |x: T, mean| Arith::sub(x.acc(), mean));
            }
            slice1(d, squares, |d: A| Arith::mul(d, d));
        };
        let result = |mean: A, [s, squares]: [A; 2]| {
            let correction = Arith::div(s, n);
            [Arith::add(mean, correction), Arith::div(spread(s, squares, correction), n)]
        };
        let sums = if sizes[2] == 1 {
            let means = channel_sums(sizes, elements)?;
            let means: Vec<A> = means.iter().map(|[s]| Arith::div(*s, n)).collect();
            let mut sums = channel_sums(sizes, |run: Run, out: [&mut [A]; 2]| {
                differences(run, out, &means[run.channel..])
            })?;
            sums.iter_mut().zip(means).for_each(|(s, mean)| *s = result(mean, *s));
            sums
        } else {
            // Both sums of a channel, one after the other, while its elements are in the cache.
            each_channel(sizes, |channel| {
                let [sum] = channel_sum(sizes, channel, &elements);
                let mean = Arith::div(sum, n);
                let both = |run: Run, out: [&mut [A]; 2]| differences(run, out, &[mean]);
                result(mean, channel_sum(sizes, channel, &both))
            })?
        };
        rows::<A>(&sums, 2, dst(&mut out)?.0);
        Ok(())
    })
}

/// `weight / sqrt(var + eps)` of each channel.
fn factors<A: Real>(var: &[A], weight: Option<&[A]>, eps: f64) -> Result<Vec<A>> {
    let one = |(i, v): (usize, &A)| {
        let r = inverse_root(*v, A::of(eps));
        Ok(weight.map_or(r, |w| r * w[i]))
    };
    scratch::collected(var.len(), var.iter().enumerate().map(one))
}

pub fn batch_norm(
    c: &BatchNorm,
    x: Src<'_>,
    [mean, var]: [Src<'_>; 2],
    w: Option<Src<'_>>,
    b: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    let sizes = sizes(x.1.dims());
    dispatch!(x.0.dtype(), "batch_norm", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold, mut hold_mean, mut hold_var) = (None, None, None);
        let x = row_major::<T>(x, &mut hold)?;
        let (mean, var) = (row_major::<A>(mean, &mut hold_mean)?, row_major::<A>(var, &mut hold_var)?);
        let (w, b) = (parameter::<T>(w)?, parameter::<T>(b)?);
        let factor = factors(var, w.as_deref(), c.eps)?;
        let out = dst::<T>(&mut out)?.0;
        each_run(sizes, out, |run, out, [v, room]| {
            let n = out.len();
            let x = T::widened(&x[run.at..][..n], room);
            T::rounded(out, v, |v| {
                let (mean, factor) = (&mean[run.channel..], &factor[run.channel..]);
                let bias = b.as_ref().map(|b| &b[run.channel..]);
                if sizes[2] == 1 {
                    slice3(x, &mean[..n], &factor[..n], v, |x, m, f| Arith::mul(Arith::sub(x, m), f));
                    if let Some(bias) = bias {
                        slice_combine(v, bias, Arith::add);
                    }
                    return;
                }
                let (mean, factor) = (mean[0], factor[0]);
                match bias {
                    Some(&[bias, ..]) => slice1(x, v, move |x| {
                        Arith::add(Arith::mul(Arith::sub(x, mean), factor), bias)
                    }),
                    _ => slice1(x, v, move |x| Arith::mul(Arith::sub(x, mean), factor)),
                }
            });
        });
        Ok(())
    })
}

pub fn batch_norm_weight_grad(
    c: &BatchNormWeightGrad,
    g: Src<'_>,
    x: Src<'_>,
    [mean, var]: [Src<'_>; 2],
    mut out: Dst<'_>,
) -> Result<()> {
    let sizes = sizes(x.1.dims());
    dispatch!(x.0.dtype(), "batch_norm_weight_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold_g, mut hold_x, mut hold_mean, mut hold_var) = (None, None, None, None);
        let (g, x) = (row_major::<T>(g, &mut hold_g)?, row_major::<T>(x, &mut hold_x)?);
        let (mean, var) = (row_major::<A>(mean, &mut hold_mean)?, row_major::<A>(var, &mut hold_var)?);
        let root = factors(var, None, c.eps)?;
        let sums = channel_sums(sizes, |run: Run, [v, g_row]: [&mut [A]; 2]| {
            let n = v.len();
            T::widen(&g[run.at..][..n], g_row);
            let (x, mean, root) = (&x[run.at..][..n], &mean[run.channel..], &root[run.channel..]);
            if sizes[2] == 1 {
                slice3(x, &mean[..n], &root[..n], v, |x: T, m, r| Arith::mul(Arith::sub(x.acc(), m), r));
                slice_combine(v, g_row, |v, g| Arith::mul(g, v));
            } else {
                let (mean, root) = (mean[0], root[0]);
                slice2(x, g_row, v, move |x: T, g| {
                    Arith::mul(g, Arith::mul(Arith::sub(x.acc(), mean), root))
                });
            }
        })?;
        rows::<A>(&sums, 2, dst(&mut out)?.0);
        Ok(())
    })
}

pub fn batch_norm_backward(
    c: &BatchNormBackward,
    g: Src<'_>,
    x: Src<'_>,
    [mean, var, sums]: [Src<'_>; 3],
    w: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    let sizes = sizes(x.1.dims());
    dispatch!(x.0.dtype(), "batch_norm_backward", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold_g, mut hold_x, mut hold_mean, mut hold_var, mut hold_sums) = (None, None, None, None, None);
        let (g, x) = (row_major::<T>(g, &mut hold_g)?, row_major::<T>(x, &mut hold_x)?);
        let (mean, var) = (row_major::<A>(mean, &mut hold_mean)?, row_major::<A>(var, &mut hold_var)?);
        let sums = row_major::<A>(sums, &mut hold_sums)?;
        let w = parameter::<T>(w)?;
        let (root, factor) = (factors(var, None, c.eps)?, factors(var, w.as_deref(), c.eps)?);
        let n: A = Arith::of((sizes[0] * sizes[2]) as f64);
        let means: Vec<A> = sums.iter().map(|s| Arith::div(*s, n)).collect();
        let (along, mean_g) = means.split_at(sizes[1]);
        each_run(sizes, dst::<T>(&mut out)?.0, |run, out, [v, room]| {
            let (c, n) = (run.channel, out.len());
            let (g, x) = (&g[run.at..][..n], &x[run.at..][..n]);
            if sizes[2] == 1 {
                slice3(x, &mean[c..][..n], &root[c..][..n], v, |x: T, m, r| {
                    Arith::mul(Arith::sub(x.acc(), m), r)
                });
                slice_combine(v, &along[c..], Arith::mul);
                slice3(g, &mean_g[c..][..n], v, room, |g: T, m, y| Arith::sub(Arith::sub(g.acc(), m), y));
                slice2(room, &factor[c..][..n], out, |v, f| T::from_acc(Arith::mul(v, f)));
                return;
            }
            let (mean, root, along, mean_g, factor) = (mean[c], root[c], along[c], mean_g[c], factor[c]);
            let one = move |x: A, g: A| {
                let y = Arith::mul(Arith::sub(x, mean), root);
                Arith::mul(Arith::sub(Arith::sub(g, mean_g), Arith::mul(y, along)), factor)
            };
            T::rounded(out, v, |v| slice2(g, x, v, move |g: T, x: T| one(x.acc(), g.acc())));
        });
        Ok(())
    })
}
