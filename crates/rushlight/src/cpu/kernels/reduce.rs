//! Reductions. Sums, means and products follow the tree of docs/NUMERICS.md, whatever the layout or thread count.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use crate::cpu::driver::{chunks, per_task, try_chunks};
use crate::cpu::{dispatch, scratch};
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::shape::DimVec;
use crate::{DType, Element, Error, Layout, Result};

/// Elements of a chunk, the tree's leaf.
const CHUNK: usize = 1024;
/// Lanes of a chunk: lane l takes elements l, l + 32, l + 64, ..
const LANES: usize = 32;

/// What a reduction walks: output places, and the reduced elements of each in row-major order of the reduced axes.
struct Plan {
    kept_dims: DimVec,
    kept_strides: DimVec,
    red_dims: DimVec,
    red_strides: DimVec,
    /// Elements reduced into each output.
    n: usize,
    start: usize,
}

impl Plan {
    fn new(c: &Reduce, l: &Layout) -> Self {
        let mut p = Self {
            kept_dims: DimVec::new(),
            kept_strides: DimVec::new(),
            red_dims: DimVec::new(),
            red_strides: DimVec::new(),
            n: 1,
            start: l.start_offset(),
        };
        for (i, (&d, &s)) in l.dims().iter().zip(l.stride()).enumerate() {
            let (dims, strides) = if c.reduces(i) {
                p.n *= d;
                (&mut p.red_dims, &mut p.red_strides)
            } else {
                (&mut p.kept_dims, &mut p.kept_strides)
            };
            if d == 1 {
                continue;
            }
            // Merge with the dimension before it when it steps evenly.
            match (dims.last_mut(), strides.last_mut()) {
                (Some(ld), Some(ls)) if *ls == d * s => {
                    *ld *= d;
                    *ls = s;
                }
                _ => {
                    dims.push(d);
                    strides.push(s);
                }
            }
        }
        p
    }

    /// Place of output `i`'s first element.
    fn base(&self, mut i: usize) -> usize {
        let mut place = self.start;
        for (&d, &s) in self.kept_dims.iter().zip(&self.kept_strides).rev() {
            place += i % d * s;
            i /= d;
        }
        place
    }

    /// Each output is made of one element, many times: it was stretched.
    fn one_element(&self) -> bool {
        self.n > CHUNK && self.red_strides.iter().all(|s| *s == 0)
    }

    /// Calls `f(place, stride, count)` for the runs of reduced elements `from..to` of an output, in order.
    fn runs(&self, base: usize, from: usize, to: usize, mut f: impl FnMut(usize, usize, usize)) {
        if from >= to {
            return;
        }
        let (inner, step) = match (self.red_dims.last(), self.red_strides.last()) {
            (Some(&d), Some(&s)) => (d, s),
            _ => (1, 0),
        };
        let outer = self.red_dims.len().saturating_sub(1);
        let mut at = from;
        while at < to {
            let (mut row, col) = (at / inner, at % inner);
            let mut place = base + col * step;
            for k in (0..outer).rev() {
                place += row % self.red_dims[k] * self.red_strides[k];
                row /= self.red_dims[k];
            }
            let count = (inner - col).min(to - at);
            f(place, step, count);
            at += count;
        }
    }
}

/// The tree over a sequence whose chunk values are given by `chunk(k)`: chunks of chunks, until one value is left.
fn tree<C: Copy>(n: usize, identity: C, combine: impl Fn(C, C) -> C + Copy, chunk: impl Fn(usize) -> C) -> C {
    let count = n.div_ceil(CHUNK);
    if count <= 1 {
        return if count == 0 { identity } else { chunk(0) };
    }
    // Of a long sequence only the values of a chunk of chunks are kept.
    let values: Vec<C> = if count > CHUNK {
        (0..count.div_ceil(CHUNK)).map(|g| group(g, count, identity, combine, &chunk)).collect()
    } else {
        (0..count).map(chunk).collect()
    };
    tree_values(&values, identity, combine)
}

/// The value of the tree's chunk `g` of `count` chunks' values.
fn group<C: Copy>(
    g: usize,
    count: usize,
    identity: C,
    combine: impl Fn(C, C) -> C,
    chunk: impl Fn(usize) -> C,
) -> C {
    let mut lanes = [identity; LANES];
    for k in g * CHUNK..count.min((g + 1) * CHUNK) {
        lanes[k % LANES] = combine(lanes[k % LANES], chunk(k));
    }
    fold(lanes, combine)
}

/// The tree over `n` times one value, in the logarithm of `n`: all chunks but the last have one value again.
fn repeated<C: Copy>(n: usize, value: C, identity: C, combine: impl Fn(C, C) -> C + Copy) -> C {
    // A sequence of `n` times `value`, and then `last`.
    let (mut n, mut value, mut last) = (n, value, None);
    let chunk = |n: usize, value: C, last: Option<C>| {
        let mut lanes = [identity; LANES];
        for (i, v) in std::iter::repeat_n(value, n).chain(last).enumerate() {
            lanes[i % LANES] = combine(lanes[i % LANES], v);
        }
        fold(lanes, combine)
    };
    while n + usize::from(last.is_some()) > CHUNK {
        let rest = n % CHUNK;
        last = (rest > 0 || last.is_some()).then(|| chunk(rest, value, last));
        (n, value) = (n / CHUNK, chunk(CHUNK, value, None));
    }
    chunk(n, value, last)
}

fn tree_values<C: Copy>(values: &[C], identity: C, combine: impl Fn(C, C) -> C + Copy) -> C {
    tree(values.len(), identity, combine, |k| {
        let mut lanes = [identity; LANES];
        let part = &values[k * CHUNK..values.len().min((k + 1) * CHUNK)];
        for (i, &v) in part.iter().enumerate() {
            lanes[i % LANES] = combine(lanes[i % LANES], v);
        }
        fold(lanes, combine)
    })
}

/// The sum of a slice by the tree, for kernels that reduce what they compute.
pub(super) fn sum<A: Arith>(values: &[A]) -> A {
    tree_values(values, A::ZERO, A::add)
}

/// The sum of `value(0..n)` by the tree.
pub(super) fn sum_of<A: Arith>(n: usize, value: impl Fn(usize) -> A) -> A {
    tree(n, A::ZERO, A::add, |k| {
        let mut lanes = [A::ZERO; LANES];
        for i in k * CHUNK..n.min((k + 1) * CHUNK) {
            lanes[i % LANES] = lanes[i % LANES].add(value(i));
        }
        fold(lanes, A::add)
    })
}

/// Lanes to one value: halves added, 16, 8, 4, 2, 1 apart.
#[inline(always)]
fn fold<C: Copy>(mut lanes: [C; LANES], combine: impl Fn(C, C) -> C) -> C {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = combine(lanes[l], lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// One chunk of one output's elements.
#[inline(always)]
fn chunk_value<T: Copy, C: Copy>(
    x: &[T],
    p: &Plan,
    base: usize,
    k: usize,
    identity: C,
    load: impl Fn(T) -> C + Copy,
    combine: impl Fn(C, C) -> C + Copy,
) -> C {
    let mut lanes = [identity; LANES];
    let mut pos = 0usize;
    p.runs(base, k * CHUNK, p.n.min((k + 1) * CHUNK), |place, step, count| {
        if step == 1 && pos.is_multiple_of(LANES) {
            let part = &x[place..place + count];
            let whole = part.chunks_exact(LANES);
            let rest = whole.remainder();
            for group in whole {
                for l in 0..LANES {
                    lanes[l] = combine(lanes[l], load(group[l]));
                }
            }
            for (l, &v) in rest.iter().enumerate() {
                lanes[l] = combine(lanes[l], load(v));
            }
        } else {
            for i in 0..count {
                let l = (pos + i) % LANES;
                lanes[l] = combine(lanes[l], load(x[place + i * step]));
            }
        }
        pos += count;
    });
    fold(lanes, combine)
}

/// Columns reduced together when the kept elements are the neighbours.
const COLUMNS: usize = 32;

/// Neighbouring outputs at once: the same tree, a vector of columns wide.
fn columns<T: Copy, C: Copy>(
    x: &[T],
    p: &Plan,
    base: usize,
    width: usize,
    identity: C,
    load: impl Fn(T) -> C + Copy,
    combine: impl Fn(C, C) -> C + Copy,
    out: &mut [C],
) -> Result<()> {
    let count = p.n.div_ceil(CHUNK);
    let chunk = |k: usize, put: &mut dyn FnMut(usize, C)| {
        let mut lanes = [[identity; COLUMNS]; LANES];
        let mut pos = 0;
        p.runs(base, k * CHUNK, p.n.min((k + 1) * CHUNK), |place, step, n| {
            for i in 0..n {
                let row = &x[place + i * step..][..width];
                let lane = &mut lanes[(pos + i) % LANES];
                for (acc, &v) in lane.iter_mut().zip(row) {
                    *acc = combine(*acc, load(v));
                }
            }
            pos += n;
        });
        (0..width).for_each(|w| put(w, fold(std::array::from_fn(|l| lanes[l][w]), combine)));
    };
    if count == 1 {
        chunk(0, &mut |w, v| out[w] = v);
        return Ok(());
    }
    let mut values = scratch::filled(count * width, identity)?;
    for k in 0..count {
        chunk(k, &mut |w, v| values[w * count + k] = v);
    }
    for (w, o) in out.iter_mut().enumerate() {
        *o = tree_values(&values[w * count..(w + 1) * count], identity, combine);
    }
    Ok(())
}

/// A reduction by the tree into a row-major output.
fn reduce_tree<T: Element, C: Copy + Send + Sync, R: Element>(
    p: &Plan,
    x: &[T],
    out: &mut [R],
    identity: C,
    load: impl Fn(T) -> C + Copy + Sync,
    combine: impl Fn(C, C) -> C + Copy + Sync,
    finish: impl Fn(C) -> R + Copy + Sync,
) -> Result<()> {
    if p.one_element() {
        for (i, o) in out.iter_mut().enumerate() {
            *o = finish(repeated(p.n, load(x[p.base(i)]), identity, combine));
        }
        return Ok(());
    }
    if out.len() == 1 && p.n >= 64 * CHUNK {
        // One long reduction: chunks over the threads, then their tree; chunks of chunks where they are many.
        let (base, count) = (p.base(0), p.n.div_ceil(CHUNK));
        let chunk = |k| chunk_value(x, p, base, k, identity, load, combine);
        let far = count > 64 * CHUNK;
        let (len, cost) = if far { (count.div_ceil(CHUNK), CHUNK * CHUNK) } else { (count, CHUNK) };
        let mut values = scratch::filled(len, identity)?;
        let per = per_task(len, cost);
        chunks(&mut values, per, &|t, part| {
            for (i, v) in part.iter_mut().enumerate() {
                let k = t * per + i;
                *v = if far { group(k, count, identity, combine, chunk) } else { chunk(k) };
            }
        });
        out[0] = finish(tree_values(&values, identity, combine));
        return Ok(());
    }
    let per = per_task(out.len(), p.n);
    let neighbours = p.kept_strides.last() == Some(&1) && p.red_strides.last().is_some_and(|s| *s > 1);
    if neighbours && p.n > 1 {
        let run = p.kept_dims.last().copied().unwrap_or(1);
        return try_chunks(out, per.next_multiple_of(COLUMNS), &|t, part| {
            let first = t * per.next_multiple_of(COLUMNS);
            let mut buffer = [identity; COLUMNS];
            let mut i = 0;
            while i < part.len() {
                let o = first + i;
                let width = COLUMNS.min(part.len() - i).min(run - o % run);
                columns(x, p, p.base(o), width, identity, load, combine, &mut buffer[..width])?;
                for (r, &c) in part[i..].iter_mut().zip(&buffer[..width]) {
                    *r = finish(c);
                }
                i += width;
            }
            Ok(())
        });
    }
    chunks(out, per, &|t, part| {
        for (i, o) in part.iter_mut().enumerate() {
            let base = p.base(t * per + i);
            let value = tree(p.n, identity, combine, |k| chunk_value(x, p, base, k, identity, load, combine));
            *o = finish(value);
        }
    });
    Ok(())
}

/// The first element for which no other is better; NaN beats all.
fn reduce_arg<T: Element, R: Element>(
    p: &Plan,
    x: &[T],
    out: &mut [R],
    better: impl Fn(T, T) -> bool + Copy + Sync,
) {
    if p.one_element() {
        return out.fill(R::from_i128(0));
    }
    let per = per_task(out.len(), p.n);
    chunks(out, per, &|t, part| {
        for (i, o) in part.iter_mut().enumerate() {
            let mut best: Option<(T, usize)> = None;
            let mut at = 0;
            p.runs(p.base(t * per + i), 0, p.n, |place, step, count| {
                for j in 0..count {
                    let v = x[place + j * step];
                    if best.is_none_or(|(b, _)| better(v, b)) {
                        best = Some((v, at + j));
                    }
                }
                at += count;
            });
            *o = R::from_i128(best.map_or(0, |b| b.1) as i128);
        }
    });
}

/// NaN, for types that have one.
#[inline(always)]
fn nan<T: PartialEq + Copy>(v: T) -> bool {
    #[allow(clippy::eq_op)]
    {
        v != v
    }
}

#[allow(clippy::bool_comparison)] // bool is one of the types that are compared
pub fn reduce(c: &Reduce, name: &'static str, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let plan = Plan::new(c, x.1);
    if out.0.is_empty() {
        return Ok(());
    }
    let p = &plan;
    let from = x.0.dtype();
    match c.op {
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Mean if c.dtype == from => {
            dispatch!(from, name, NUMERIC => T {
                type A = <T as Num>::Acc;
                let (x, out) = (src::<T>(x)?.0, dst::<T>(&mut out)?.0);
                match c.op {
                    ReduceOp::Sum => reduce_tree(p, x, out, A::ZERO, T::acc, A::add, T::from_acc),
                    ReduceOp::Prod => reduce_tree(p, x, out, A::ONE, T::acc, A::mul, T::from_acc),
                    _ => {
                        let n = A::of(p.n as f64);
                        reduce_tree(p, x, out, A::ZERO, T::acc, A::add, |s| T::from_acc(s.div(n)))
                    }
                }
            })
        }
        ReduceOp::Sum | ReduceOp::Prod => widened(c, name, p, x, &mut out),
        ReduceOp::Min | ReduceOp::Max => {
            let max = c.op == ReduceOp::Max;
            dispatch!(from, name, ORDERED => T {
                let (x, out) = (src::<T>(x)?.0, dst::<T>(&mut out)?.0);
                // There is at least one element, so the first one is the identity.
                let load = |v: T| Some(v);
                let pick = |a: Option<T>, b: Option<T>| match (a, b) {
                    (Some(a), Some(b)) => {
                        let keep = nan(a) || (!nan(b) && if max { a >= b } else { a <= b });
                        Some(if keep { a } else { b })
                    }
                    (a, b) => a.or(b),
                };
                reduce_tree(p, x, out, None, load, pick, |v| v.unwrap_or_default())
            })
        }
        ReduceOp::ArgMin | ReduceOp::ArgMax => {
            let max = c.op == ReduceOp::ArgMax;
            dispatch!(from, name, ORDERED => T {
                let better = |v: T, b: T| !nan(b) && (nan(v) || if max { v > b } else { v < b });
                let x = src::<T>(x)?.0;
                match c.dtype {
                    DType::I64 => reduce_arg(p, x, dst::<i64>(&mut out)?.0, better),
                    _ => reduce_arg(p, x, dst::<u32>(&mut out)?.0, better),
                }
                Ok(())
            })
        }
        ReduceOp::Any | ReduceOp::All => {
            let all = c.op == ReduceOp::All;
            dispatch!(from, name, ORDERED => T {
                let x = src::<T>(x)?.0;
                let load = |v: T| v != T::default();
                let join = |a: bool, b: bool| if all { a & b } else { a | b };
                match c.dtype {
                    DType::Bool => reduce_tree(p, x, dst::<bool>(&mut out)?.0, all, load, join, |v| v),
                    _ => reduce_tree(p, x, dst::<u8>(&mut out)?.0, all, load, join, u8::from),
                }
            })
        }
        ReduceOp::Mean => Err(Error::UnsupportedDTypeForOp(c.dtype, name).bt()),
    }
}

/// Sums and products of integers in I64 or U64.
fn widened(c: &Reduce, name: &'static str, p: &Plan, x: Src<'_>, out: &mut Dst<'_>) -> Result<()> {
    let sum = c.op == ReduceOp::Sum;
    macro_rules! wide {
        ($acc:ty) => {
            dispatch!(x.0.dtype(), name, INT => T {
                let (x, out) = (src::<T>(x)?.0, dst::<$acc>(out)?.0);
                let load = |v: T| v as $acc;
                if sum {
                    reduce_tree(p, x, out, 0, load, <$acc>::wrapping_add, |v| v)
                } else {
                    reduce_tree(p, x, out, 1, load, <$acc>::wrapping_mul, |v| v)
                }
            })
        };
    }
    match c.dtype {
        DType::I64 => wide!(i64),
        DType::U64 => wide!(u64),
        other => Err(Error::UnsupportedDTypeForOp(other, name).bt()),
    }
}
