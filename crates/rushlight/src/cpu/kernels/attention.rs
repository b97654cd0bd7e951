//! Attention and its gradients: blocks of rows (queries; for the gradients of keys and values, keys) against blocks of columns,
//! so that no more than a block of the weights is in memory.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num, Real};
use super::softmax::{largest, row_major};
use crate::cpu::driver::{In, try_chunks};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{slice_change, slice_combine};
use crate::cpu::simd_gemm::{Gemm, Mat, gemm};
use crate::cpu::{dispatch, scratch};
use crate::ops::attention::{Attention, Sizes};
use crate::rng;
use crate::{Element, Error, Layout, Result};
use num_traits::Float;
use std::borrow::Cow;
use std::ops::Range;

/// Rows and columns of a block.
const ROWS: usize = 64;
const COLUMNS: usize = 256;

/// A row-major matrix for each head, in the type that is computed in.
struct Matrices<'a, A: Clone> {
    values: Cow<'a, [A]>,
    columns: usize,
    /// Whether every element is.
    finite: bool,
}

impl<'a, A: Real + Gemm + Element> Matrices<'a, A> {
    fn of<T: Num<Acc = A>>(s: Src<'a>) -> Result<Self> {
        let values: Cow<'a, [A]> = match s.1.contiguous_offsets() {
            Some((start, end)) if T::DTYPE == A::DTYPE && start < end => {
                let part = src::<A>(s)?.0.get(start..end);
                Cow::Borrowed(
                    part.ok_or_else(|| Error::invalid("layout", "a layout reaches outside its storage"))?,
                )
            }
            _ => {
                let mut hold = None;
                let from = row_major::<T>(s, &mut hold)?;
                let mut values = scratch::filled(from.len(), zero())?;
                T::widen(from, &mut values);
                Cow::Owned(values)
            }
        };
        // (Parts without a branch for each element.)
        let part = |p: &[A]| p.iter().fold(true, |all, v| all & v.is_finite());
        let finite = values.chunks(4096).all(part);
        Ok(Self { values, columns: s.1.dims().last().copied().unwrap_or(0), finite })
    }

    /// The matrix from a row on.
    fn rows(&self, first: usize) -> (&[A], Mat) {
        (&self.values, Mat { start: first * self.columns, rs: self.columns, cs: 1 })
    }

    /// `out = a b^T`, of rows of both from `a0` and `b0` on.
    fn products(&self, a0: usize, b: &Self, b0: usize, n: usize, m: usize, out: &mut [A]) -> Result<()> {
        let (values, rows) = b.rows(b0);
        let t = Mat { start: rows.start, rs: 1, cs: rows.rs };
        inside(gemm(n, m, self.columns, self.rows(a0), (values, t), out, m))
    }

    /// `out += w x`, of `m` rows of x from `x0` on. Weights of 0 exclude a row, whatever it holds.
    fn add(&self, w: &[A], m: usize, x0: usize, out: &mut [A], scratch: &mut [A]) -> Result<()> {
        let width = self.columns;
        if width == 0 || m == 0 {
            return Ok(());
        }
        let n = w.len() / m;
        if self.finite {
            inside(gemm(n, width, m, (w, Mat { start: 0, rs: m, cs: 1 }), self.rows(x0), scratch, width))?;
            out.iter_mut().zip(scratch.iter()).for_each(|(o, v)| *o = Arith::add(*o, *v));
            return Ok(());
        }
        for (w, out) in w.chunks(m).zip(out.chunks_mut(width)) {
            for (w, x) in w.iter().zip(self.values[x0 * width..].chunks(width)) {
                if *w != zero() {
                    out.iter_mut().zip(x).for_each(|(o, x)| *o = Arith::add(*o, Arith::mul(*w, *x)));
                }
            }
        }
        Ok(())
    }
}

fn inside(done: bool) -> Result<()> {
    if done { Ok(()) } else { Err(Error::invalid("attention", "a matrix reaches outside its storage")) }
}

/// The inputs after queries, keys and values.
#[derive(Default)]
pub struct More<'a> {
    /// Mask and bias.
    pub masks: [Option<Src<'a>>; 2],
    /// First rows of the sequences of queries and of keys in a packed batch, and their end.
    pub offsets: Option<[Src<'a>; 2]>,
}

/// Queries and keys that belong together: all of a head, or those of a sequence in a packed batch.
struct Sequence {
    queries: Range<usize>,
    keys: Range<usize>,
    /// A causal query i attends to the keys up to `i + diagonal`.
    diagonal: isize,
}

impl Sequence {
    /// Those of a call, in order. Each query and each key belongs to one.
    fn all(op: &'static str, s: &Sizes, offsets: Option<[Src<'_>; 2]>) -> Result<Vec<Self>> {
        let Some(offsets) = offsets else {
            return Ok(vec![Self { queries: 0..s.queries, keys: 0..s.keys, diagonal: 0 }]);
        };
        let checked = |offsets: Src<'_>, rows: usize| -> Result<Vec<usize>> {
            let mut hold = None;
            let mut before = 0;
            let all = row_major::<i64>(offsets, &mut hold)?.iter().enumerate().map(|(i, &v)| {
                let most = if i == 0 { 0 } else { rows };
                match usize::try_from(v) {
                    Ok(at) if (before..=most).contains(&at) => {
                        before = at;
                        Ok(at)
                    }
                    _ => Err(Error::InvalidIndex { op, index: v, size: most + 1 }.bt()),
                }
            });
            all.collect()
        };
        let (a, b) = (checked(offsets[0], s.queries)?, checked(offsets[1], s.keys)?);
        let pairs = a.windows(2).zip(b.windows(2)).map(|(a, b)| (a[0]..a[1], b[0]..b[1]));
        let (end_a, end_b) = (a.last().copied().unwrap_or(0), b.last().copied().unwrap_or(0));
        let none = [(end_a..s.queries, end_b..end_b), (s.queries..s.queries, end_b..s.keys)];
        let of = |(queries, keys): (Range<usize>, Range<usize>)| {
            let diagonal = keys.end as isize - queries.end as isize;
            Self { queries, keys, diagonal }
        };
        Ok(pairs.chain(none).map(of).collect())
    }

    fn rows(&self, by_key: bool) -> &Range<usize> {
        if by_key { &self.keys } else { &self.queries }
    }

    /// The end of the keys that queries below `end` may attend to.
    fn keys_end(&self, causal: bool, end: usize) -> usize {
        let n = if causal { (end as isize + self.diagonal).max(0) as usize } else { usize::MAX };
        n.clamp(self.keys.start, self.keys.end)
    }

    /// The first query that may attend to keys from `start` on.
    fn first_query(&self, causal: bool, start: usize) -> usize {
        let n = if causal { (start as isize - self.diagonal).max(0) as usize } else { 0 };
        n.clamp(self.queries.start, self.queries.end)
    }
}

/// The inputs of the scores.
struct Scores<'a, T: Num> {
    op: Attention,
    s: Sizes,
    q: Matrices<'a, T::Acc>,
    k: Matrices<'a, T::Acc>,
    mask: Option<In<'a, bool>>,
    bias: Option<In<'a, T>>,
    sequences: Vec<Sequence>,
}

impl<'a, T: Num> Scores<'a, T>
where
    T::Acc: Real + Gemm + Element,
{
    fn new(op: &Attention, s: Sizes, q: Src<'a>, k: Src<'a>, more: More<'a>) -> Result<Self> {
        let [mask, bias] = more.masks;
        Ok(Self {
            op: *op,
            s,
            q: Matrices::of::<T>(q)?,
            k: Matrices::of::<T>(k)?,
            mask: mask.map(src::<bool>).transpose()?,
            bias: bias.map(src::<T>).transpose()?,
            sequences: Sequence::all("attention", &s, more.offsets)?,
        })
    }

    /// The row of the keys of a head of queries.
    fn keys(&self, head: usize) -> usize {
        let s = &self.s;
        (head / s.heads * s.groups + head % s.heads / (s.heads / s.groups)) * s.keys
    }

    /// The scores of some queries and keys of a head: rows are queries, or keys if `by_key`. Excluded keys have negative infinity.
    fn block(
        &self,
        (head, sequence): (usize, &Sequence),
        queries: Range<usize>,
        keys: Range<usize>,
        by_key: bool,
        out: &mut [T::Acc],
    ) -> Result<()> {
        let (n, m) = (queries.len(), keys.len());
        let (q0, k0) = (head * self.s.queries + queries.start, self.keys(head) + keys.start);
        if by_key {
            self.k.products(k0, &self.q, q0, m, n, out)?;
        } else {
            self.q.products(q0, &self.k, k0, n, m, out)?;
        }
        let scale: T::Acc = Arith::of(self.op.scale);
        out.iter_mut().for_each(|v| *v = Arith::mul(*v, scale));
        if self.mask.is_some() || self.bias.is_some() {
            self.apply_masks(head, queries.clone(), keys.clone(), by_key, out);
        }
        if !self.op.causal {
            return Ok(());
        }
        let columns = if by_key { n } else { m };
        for (i, row) in out.chunks_mut(columns.max(1)).enumerate() {
            let excluded = match by_key {
                false => {
                    let end = sequence.keys_end(true, queries.start + i + 1);
                    end.saturating_sub(keys.start).min(columns)..columns
                }
                true => {
                    let first = sequence.first_query(true, keys.start + i);
                    0..first.saturating_sub(queries.start).min(columns)
                }
            };
            row[excluded].fill(Float::neg_infinity());
        }
        Ok(())
    }

    /// Applies dropout to a block of weights, or of their gradients.
    fn drop_some(
        &self,
        (head, sequence): (usize, &Sequence),
        queries: Range<usize>,
        keys: Range<usize>,
        by_key: bool,
        out: &mut [T::Acc],
    ) {
        let p = self.op.dropout.p;
        if p == 0.0 {
            return;
        }
        let factor = if p < 1.0 { <T::Acc as Arith>::of(1.0 / (1.0 - p)) } else { zero() };
        let (t, per_query) = (rng::threshold(1.0 - p), self.s.keys.div_ceil(4));
        let (n, first) = (queries.len(), keys.start - sequence.keys.start);
        let (across, down) = if by_key { (1, n) } else { (keys.len(), 1) };
        for (row, query) in queries.enumerate() {
            let from = ((head * self.s.queries + query) * per_query) as u64;
            let mut words = [0; 4];
            for (column, key) in (first..first + keys.len()).enumerate() {
                if column == 0 || key % 4 == 0 {
                    words = rng::block(self.op.dropout.key, from + (key / 4) as u64);
                }
                let v = &mut out[row * across + column * down];
                *v = if (words[key % 4] as u64) < t { Arith::mul(*v, factor) } else { zero() };
            }
        }
    }

    /// Adds the bias to scaled products, and excludes keys by the mask.
    fn apply_masks(
        &self,
        head: usize,
        queries: Range<usize>,
        keys: Range<usize>,
        by_key: bool,
        out: &mut [T::Acc],
    ) {
        let (n, m) = (queries.len(), keys.len());
        let (b, h) = (head / self.s.heads, head % self.s.heads);
        let at = |l: &Layout, i: usize, j: usize| {
            let s = l.stride();
            let parts =
                [b.wrapping_mul(s[0]), h.wrapping_mul(s[1]), i.wrapping_mul(s[2]), j.wrapping_mul(s[3])];
            parts.iter().fold(l.start_offset(), |at, part| at.wrapping_add(*part))
        };
        let (across, down) = if by_key { (1, n) } else { (m, 1) };
        for (row, i) in queries.enumerate() {
            for (column, j) in keys.clone().enumerate() {
                let v = &mut out[row * across + column * down];
                if self.mask.is_some_and(|(mask, l)| !mask[at(l, i, j)]) {
                    *v = Float::neg_infinity();
                } else if let Some((bias, l)) = self.bias {
                    *v = Arith::add(*v, bias[at(l, i, j)].acc());
                }
            }
        }
    }

    /// Blocks of keys that some query below `end` may attend to.
    fn key_blocks(&self, sequence: &Sequence, end: usize) -> impl Iterator<Item = Range<usize>> {
        let n = sequence.keys_end(self.op.causal, end);
        (sequence.keys.start..n).step_by(COLUMNS).map(move |k| k..n.min(k + COLUMNS))
    }

    /// Goes over the keys of some queries with the online softmax: the largest score and the sum of each query.
    /// `f(keys, weights, factor that each earlier sum is multiplied by)`.
    #[allow(clippy::type_complexity)]
    fn online(
        &self,
        at: (usize, &Sequence),
        queries: Range<usize>,
        mut f: impl FnMut(Range<usize>, &mut [T::Acc], &[T::Acc]) -> Result<()>,
    ) -> Result<(Vec<T::Acc>, Vec<T::Acc>)> {
        let n = queries.len();
        let mut peaks = scratch::filled(n, <T::Acc as Float>::neg_infinity())?;
        let (mut sums, mut factors) = (scratch::filled(n, zero())?, scratch::filled(n, zero())?);
        let mut scores = scratch::filled(n * COLUMNS.min(self.s.keys), zero())?;
        for keys in self.key_blocks(at.1, queries.end) {
            let m = keys.len();
            let block = &mut scores[..n * m];
            self.block(at, queries.clone(), keys.clone(), false, block)?;
            for (i, row) in block.chunks_mut(m).enumerate() {
                let old = peaks[i];
                let peak = Arith::max(old, largest(row));
                slice_change(row, move |v| weight(v, peak));
                let sum = row.iter().fold(zero(), |s, v| Arith::add(s, *v));
                factors[i] = weight(old, peak);
                sums[i] = Arith::add(Arith::mul(sums[i], factors[i]), sum);
                peaks[i] = peak;
            }
            f(keys, block, &factors)?;
        }
        Ok((peaks, sums))
    }
}

fn zero<A: Arith>() -> A {
    A::ZERO
}

/// `e^(score - base)`, 0 for an excluded key.
#[inline(always)]
fn weight<A: Real>(score: A, base: A) -> A {
    if score == Float::neg_infinity() { zero() } else { Elementary::exp(Arith::sub(score, base)) }
}

/// Calls `f((head, sequence), rows of the head, their part of the output)` for blocks of `width` elements a row. Rows are queries,
/// or keys if `by_key`, `length` of them in a head.
fn blocks<T: Send>(
    out: &mut [T],
    sequences: &[Sequence],
    by_key: bool,
    (length, width): (usize, usize),
    f: impl Fn((usize, &Sequence), Range<usize>, &mut [T]) -> Result<()> + Sync,
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    try_chunks(out, ROWS * width, &|t, part| {
        let (mut row, mut part) = (t * ROWS, part);
        while !part.is_empty() {
            let first = row % length;
            let Some(s) = sequences.get(sequences.partition_point(|s| s.rows(by_key).end <= first)) else {
                return inside(false);
            };
            let n = (s.rows(by_key).end - first).min(part.len() / width);
            let (now, rest) = part.split_at_mut(n * width);
            f((row / length, s), first..first + n, now)?;
            part = rest;
            row += n;
        }
        Ok(())
    })
}

pub fn attention(c: &Attention, [q, k, v]: [Src<'_>; 3], more: More<'_>, mut out: Dst<'_>) -> Result<()> {
    let s = Sizes::of(q.1.dims(), k.1.dims(), v.1.dims());
    dispatch!(q.0.dtype(), "attention", FLOAT => T {
        type A = <T as Num>::Acc;
        let scores = Scores::<T>::new(c, s, q, k, more)?;
        let v: Matrices<'_, A> = Matrices::of::<T>(v)?;
        let w = s.width;
        blocks(dst::<T>(&mut out)?.0, &scores.sequences, false, (s.queries, w), |at, queries, out| {
            let (mut sum, mut product) = (scratch::filled(out.len(), zero())?, scratch::filled(out.len(), zero())?);
            let (_, sums) = scores.online(at, queries.clone(), |keys, weights, factors| {
                scores.drop_some(at, queries.clone(), keys.clone(), false, weights);
                for (sum, factor) in sum.chunks_mut(w).zip(factors) {
                    if *factor == zero::<A>() {
                        sum.fill(zero());
                    } else if *factor != <A as Arith>::ONE {
                        sum.iter_mut().for_each(|v| *v = Arith::mul(*v, *factor));
                    }
                }
                v.add(weights, keys.len(), scores.keys(at.0) + keys.start, &mut sum, &mut product)
            })?;
            for ((out, sum), all) in out.chunks_mut(w).zip(sum.chunks(w)).zip(sums) {
                let one = |v: A| if all == zero::<A>() { zero() } else { Arith::div(v, all) };
                out.iter_mut().zip(sum).for_each(|(o, v)| *o = T::from_acc(one(*v)));
            }
            Ok(())
        })
    })
}

pub fn attention_stats(
    c: &Attention,
    [g, y, q, k]: [Src<'_>; 4],
    more: More<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let s = Sizes { width: g.1.dims()[3], ..Sizes::of(q.1.dims(), k.1.dims(), k.1.dims()) };
    dispatch!(q.0.dtype(), "attention_stats", FLOAT => T {
        type A = <T as Num>::Acc;
        let scores = Scores::<T>::new(c, s, q, k, more)?;
        let (g, y): (Matrices<'_, A>, Matrices<'_, A>) = (Matrices::of::<T>(g)?, Matrices::of::<T>(y)?);
        let out = dst::<A>(&mut out)?.0;
        let mut pairs = scratch::filled(out.len() / 2, [zero(); 2])?;
        blocks(&mut pairs, &scores.sequences, false, (s.queries, 1), |at, queries, out| {
            let first = at.0 * s.queries + queries.start;
            let (peaks, sums) = scores.online(at, queries, |_, _, _| Ok(()))?;
            for (i, out) in out.iter_mut().enumerate() {
                let row = (first + i) * s.width..(first + i + 1) * s.width;
                let products = g.values[row.clone()].iter().zip(&y.values[row]);
                let dot = products.fold(zero(), |s, (g, y)| Arith::add(s, Arith::mul(*g, *y)));
                let none = sums[i] == zero::<A>();
                let all = if none { Float::neg_infinity() } else { Arith::add(peaks[i], Float::ln(sums[i])) };
                *out = [all, dot];
            }
            Ok(())
        })?;
        let (all, dots) = out.split_at_mut(pairs.len());
        for ((a, d), pair) in all.iter_mut().zip(dots).zip(pairs) {
            [*a, *d] = pair;
        }
        Ok(())
    })
}

/// The gradients' own inputs.
struct Gradient<'a, A: Clone> {
    g: Matrices<'a, A>,
    v: Matrices<'a, A>,
    /// For each query the logarithm of the sum, then for each the product of result and gradient.
    stats: Vec<A>,
}

impl<'a, A: Real + Gemm + Element> Gradient<'a, A> {
    fn new<T: Num<Acc = A>>(g: Src<'a>, v: Src<'a>, stats: Src<'_>) -> Result<Self> {
        let mut hold = None;
        let stats = scratch::copied(row_major::<A>(stats, &mut hold)?)?;
        Ok(Self { g: Matrices::of::<T>(g)?, v: Matrices::of::<T>(v)?, stats })
    }

    /// The sum's logarithm and the product of a query.
    fn stats(&self, query: usize) -> (A, A) {
        (self.stats[query], self.stats[self.stats.len() / 2 + query])
    }
}

/// The gradient of a score: `weight (product - dot)`.
#[inline(always)]
fn score_grad<A: Real>(weight: A, product: A, dot: A) -> A {
    if weight == zero() { zero() } else { Arith::mul(weight, Arith::sub(product, dot)) }
}

pub fn attention_query_grad(
    c: &Attention,
    [g, q, k, v, stats]: [Src<'_>; 5],
    more: More<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let s = Sizes::of(q.1.dims(), k.1.dims(), v.1.dims());
    dispatch!(q.0.dtype(), "attention_query_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let scores = Scores::<T>::new(c, s, q, k, more)?;
        let own: Gradient<'_, A> = Gradient::new::<T>(g, v, stats)?;
        let scale: A = Arith::of(c.scale);
        blocks(dst::<T>(&mut out)?.0, &scores.sequences, false, (s.queries, s.depth), |at, queries, out| {
            let (mut sum, mut product) = (scratch::filled(out.len(), zero())?, scratch::filled(out.len(), zero())?);
            let size = queries.len() * COLUMNS.min(s.keys);
            let (mut weights, mut products) = (scratch::filled(size, zero())?, scratch::filled(size, zero())?);
            let first = at.0 * s.queries + queries.start;
            for keys in scores.key_blocks(at.1, queries.end) {
                let (n, m, row) = (queries.len(), keys.len(), scores.keys(at.0) + keys.start);
                let (weights, products) = (&mut weights[..n * m], &mut products[..n * m]);
                scores.block(at, queries.clone(), keys.clone(), false, weights)?;
                own.g.products(first, &own.v, row, n, m, products)?;
                scores.drop_some(at, queries.clone(), keys, false, products);
                for (i, (row, products)) in weights.chunks_mut(m).zip(products.chunks(m)).enumerate() {
                    let (all, dot) = own.stats(first + i);
                    slice_combine(row, products, move |w, p| score_grad(weight(w, all), p, dot));
                }
                scores.k.add(weights, m, row, &mut sum, &mut product)?;
            }
            out.iter_mut().zip(sum).for_each(|(o, v)| *o = T::from_acc(Arith::mul(v, scale)));
            Ok(())
        })
    })
}

pub fn attention_key_grad(
    c: &Attention,
    [g, q, k, v, stats]: [Src<'_>; 5],
    more: More<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let s = Sizes::of(q.1.dims(), k.1.dims(), v.1.dims());
    dispatch!(q.0.dtype(), "attention_key_grad", FLOAT => T {
        type A = <T as Num>::Acc;
        let scores = Scores::<T>::new(c, s, q, k, more)?;
        let own: Gradient<'_, A> = Gradient::new::<T>(g, v, stats)?;
        let scale: A = Arith::of(c.scale);
        let (depth, width) = (s.depth, s.width);
        blocks(dst::<T>(&mut out)?.0, &scores.sequences, true, (s.keys, depth + width), |(group, sequence), keys, out| {
            let n = keys.len();
            let (mut dk, mut dv) = (scratch::filled(n * depth, zero())?, scratch::filled(n * width, zero())?);
            let mut product = scratch::filled(n * depth.max(width), zero())?;
            let size = n * COLUMNS.min(s.queries);
            let (mut weights, mut products) = (scratch::filled(size, zero())?, scratch::filled(size, zero())?);
            let shared = s.heads / s.groups;
            let heads = group / s.groups * s.heads + group % s.groups * shared;
            let start = sequence.first_query(c.causal, keys.start);
            for head in heads..heads + shared {
                let pair = (head, sequence);
                for first in (start..sequence.queries.end).step_by(COLUMNS) {
                    let queries = first..sequence.queries.end.min(first + COLUMNS);
                    let (m, at) = (queries.len(), head * s.queries + first);
                    let (weights, products) = (&mut weights[..n * m], &mut products[..n * m]);
                    scores.block(pair, queries.clone(), keys.clone(), true, weights)?;
                    for row in weights.chunks_mut(m) {
                        slice_combine(row, &own.stats[at..], weight);
                    }
                    if c.dropout.p == 0.0 {
                        own.g.add(weights, m, at, &mut dv, &mut product[..n * width])?;
                    } else {
                        products.copy_from_slice(weights);
                        scores.drop_some(pair, queries.clone(), keys.clone(), true, products);
                        own.g.add(products, m, at, &mut dv, &mut product[..n * width])?;
                    }
                    own.v.products(group * s.keys + keys.start, &own.g, at, n, m, products)?;
                    scores.drop_some(pair, queries, keys.clone(), true, products);
                    for (row, products) in weights.chunks_mut(m).zip(products.chunks(m)) {
                        let dots = &own.stats[own.stats.len() / 2 + at..];
                        for ((w, p), dot) in row.iter_mut().zip(products).zip(dots) {
                            *w = score_grad(*w, *p, *dot);
                        }
                    }
                    scores.q.add(weights, m, at, &mut dk, &mut product[..n * depth])?;
                }
            }
            for (i, out) in out.chunks_mut(depth + width).enumerate() {
                let (to_k, to_v) = out.split_at_mut(depth);
                let dk = &dk[i * depth..][..depth];
                to_k.iter_mut().zip(dk).for_each(|(o, v)| *o = T::from_acc(Arith::mul(*v, scale)));
                T::round_all(&dv[i * width..][..width], to_v);
            }
            Ok(())
        })
    })
}
