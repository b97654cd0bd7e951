//! Reductions. Sums, means and products follow the reduction tree of docs/NUMERICS.md, for any layout and number of
//! threads.
//!
//! The walk over the tree is compiled once for each accumulation type. An operation supplies two functions: one reduces
//! a chunk, the other reduces adjacent columns. Elements of other types are converted a chunk at a time.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use super::predicate::magnitude;
use super::reduce_arg::{finder, reduce_arg};
use super::reduce_columns::reduce_columns;
use super::reduce_complex;
use super::reduce_extreme::{Extreme, Ordered};
use super::reduce_half::Halves;
use super::reduce_tree::{
    CHUNK, Combine, TreeOp, chunk_values, group, repeated, sums_of_runs, tree, tree_values,
};
use super::reduce_widened::widened;
use crate::cpu::driver::{Words, WordsMut, chunks, per_task, words, words_mut};
use crate::cpu::map::slice1;
use crate::cpu::{dispatch, scratch};
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::shape::DimVec;
use crate::{DType, Error, Layout, Result};
use std::ops::{BitAnd, BitOr};

/// The geometry of a reduction: its outputs, and the reduced elements of each in row-major order of the reduced axes.
pub(super) struct Plan {
    pub(super) kept_dims: DimVec,
    kept_strides: DimVec,
    red_dims: DimVec,
    red_strides: DimVec,
    /// Number of elements that are reduced into each output.
    pub(super) n: usize,
    start: usize,
}

impl Plan {
    /// Makes a reduction over the dimensions for which `reduces` is true.
    fn new(l: &Layout, reduces: impl Fn(usize) -> bool) -> Self {
        let mut p = Self {
            kept_dims: DimVec::new(),
            kept_strides: DimVec::new(),
            red_dims: DimVec::new(),
            red_strides: DimVec::new(),
            n: 1,
            start: l.start_offset(),
        };
        for (i, (&d, &s)) in l.dims().iter().zip(l.stride()).enumerate() {
            let (dims, strides) = if reduces(i) {
                p.n *= d;
                (&mut p.red_dims, &mut p.red_strides)
            } else {
                (&mut p.kept_dims, &mut p.kept_strides)
            };
            if d == 1 {
                continue;
            }
            // Merge with the previous dimension if the strides are even.
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

    /// Returns the storage offset of output `i`'s first element.
    pub(super) fn base(&self, mut i: usize) -> usize {
        let mut offset = self.start;
        for (&d, &s) in self.kept_dims.iter().zip(&self.kept_strides).rev() {
            offset += i % d * s;
            i /= d;
        }
        offset
    }

    /// Whether each output reduces one element many times, because the input was broadcast.
    pub(super) fn one_element(&self) -> bool {
        self.n > CHUNK && self.red_strides.iter().all(|s| *s == 0)
    }

    /// Whether the reduced elements of an output follow one another in memory.
    fn contiguous(&self) -> bool {
        self.red_strides.len() <= 1 && self.red_strides.last().is_none_or(|s| *s == 1)
    }

    /// Calls `f(offset, stride, count)`, in order, for the runs of the reduced elements `from..to` of an output.
    pub(super) fn runs(&self, base: usize, from: usize, to: usize, f: &mut dyn FnMut(usize, usize, usize)) {
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
            let mut offset = base + col * step;
            for k in (0..outer).rev() {
                offset += row % self.red_dims[k] * self.red_strides[k];
                row /= self.red_dims[k];
            }
            let count = (inner - col).min(to - at);
            f(offset, step, count);
            at += count;
        }
    }
}

/// The elements of a reduction, in the accumulation type.
#[derive(Clone, Copy)]
pub(super) enum Values<'a, C> {
    Own(&'a [C]),
    Converted(&'a dyn Convert<C>),
}

/// Elements that are converted to the accumulation type.
pub(super) trait Convert<C>: Sync {
    /// Converts elements from `offset` on, `step` apart.
    fn read(&self, offset: usize, step: usize, out: &mut [C]);
    /// Reduces runs of `n` elements, at most a chunk each, that follow one another from `offset` on, without a buffer of their
    /// converted values. Returns false, and writes nothing, if that is not possible or not faster.
    fn chunks(&self, _offset: usize, _n: usize, _out: &mut [C]) -> bool {
        false
    }
    /// Combines `n` rows of adjacent elements, `step` elements apart, one after the other with `sums`, which has their width. Returns
    /// false as `chunks` does.
    fn rows(&self, _sums: &mut [C], _offset: usize, _n: usize, _step: usize) -> bool {
        false
    }
}

/// Reduces runs of `n` elements, at most a chunk each, that follow one another. Several runs are converted at a time.
fn converted_runs<C: Copy>(x: &dyn Convert<C>, offset: usize, n: usize, op: &dyn TreeOp<C>, out: &mut [C]) {
    if x.chunks(offset, n, out) {
        return;
    }
    let mut room = [op.identity(); 4 * CHUNK];
    let several = room.len() / n;
    for (i, out) in out.chunks_mut(several).enumerate() {
        let room = &mut room[..out.len() * n];
        x.read(offset + i * several * n, 1, room);
        op.chunks(room, n, out);
    }
}

impl<C, F: Fn(usize, usize, &mut [C]) + Sync> Convert<C> for F {
    fn read(&self, offset: usize, step: usize, out: &mut [C]) {
        self(offset, step, out);
    }
}

impl<C: Copy> Values<'_, C> {
    fn read(&self, offset: usize, step: usize, out: &mut [C]) {
        match self {
            Self::Own(x) => read(x, offset, step, out, |v| v),
            Self::Converted(x) => x.read(offset, step, out),
        }
    }
}

/// Converts elements of a slice, from `offset` on and `step` apart.
#[inline(always)]
pub(super) fn read<T: Copy, C>(x: &[T], offset: usize, step: usize, out: &mut [C], convert: impl Fn(T) -> C) {
    if step == 1 {
        slice1(&x[offset..offset + out.len()], out, convert);
    } else {
        out.iter_mut().enumerate().for_each(|(i, o)| *o = convert(x[offset + i * step]));
    }
}

/// Reduces chunk `k` of one output's elements. `room` has space for a chunk of values.
fn chunk_value<C: Copy>(
    x: Values<'_, C>,
    p: &Plan,
    base: usize,
    k: usize,
    op: &dyn TreeOp<C>,
    room: &mut [C],
) -> C {
    let (from, to) = (k * CHUNK, p.n.min((k + 1) * CHUNK));
    let mut whole = None;
    let mut at = 0;
    p.runs(base, from, to, &mut |offset, step, count| {
        if step == 1 && count == to - from {
            whole = match x {
                Values::Own(x) => Some(op.chunk(&x[offset..offset + count])),
                Values::Converted(x) => {
                    let mut value = [op.identity()];
                    x.chunks(offset, count, &mut value).then(|| value[0])
                }
            };
        }
        if whole.is_none() {
            x.read(offset, step, &mut room[at..at + count]);
        }
        at += count;
    });
    match whole {
        Some(value) => value,
        None => op.chunk(&room[..at]),
    }
}

/// Calls `f` with a buffer for a chunk of values, or for [`FEW`] values.
fn with_room<C: Copy>(large: bool, value: C, f: &mut dyn FnMut(&mut [C])) {
    if large { f(&mut [value; CHUNK]) } else { f(&mut [value; FEW]) }
}

/// Reductions of up to this many elements use the smaller buffer for converted elements.
const FEW: usize = 64;

/// Reduces by the tree, into a row-major output.
pub(super) fn reduce_tree<C: Copy + Send + Sync>(
    p: &Plan,
    x: Values<'_, C>,
    out: &mut [C],
    op: &dyn TreeOp<C>,
) -> Result<()> {
    if p.one_element() {
        for (i, o) in out.iter_mut().enumerate() {
            let mut value = [op.identity()];
            x.read(p.base(i), 1, &mut value);
            *o = repeated(p.n, value[0], op);
        }
        return Ok(());
    }
    if out.len() == 1 && p.n >= 64 * CHUNK {
        // One long reduction: the chunks are split over the threads, and very many chunks are grouped before the tree reduces them.
        let (base, count) = (p.base(0), p.n.div_ceil(CHUNK));
        let far = count > 64 * CHUNK;
        let (len, cost) = if far { (count.div_ceil(CHUNK), CHUNK * CHUNK) } else { (count, CHUNK) };
        let mut values = scratch::filled(len, op.identity())?;
        let per = per_task(len, cost);
        chunks(&mut values, per, &|t, part| {
            if let (Values::Own(x), true, false) = (x, p.contiguous(), far) {
                let all = &x[base..base + p.n];
                let (from, to) = (t * per * CHUNK, p.n.min((t * per + part.len()) * CHUNK));
                return chunk_values(&all[from..to], op, part);
            }
            let mut done = 0;
            if let (Values::Converted(x), true, false) = (x, p.contiguous(), far) {
                done = part.len().min(p.n / CHUNK - t * per);
                converted_runs(x, base + t * per * CHUNK, CHUNK, op, &mut part[..done]);
            }
            with_room(true, op.identity(), &mut |room| {
                let mut chunk = |k| chunk_value(x, p, base, k, op, room);
                for (i, v) in part.iter_mut().enumerate().skip(done) {
                    let k = t * per + i;
                    *v = if far { group(k, count, op, &mut chunk) } else { chunk(k) };
                }
            });
        });
        out[0] = tree_values(&values, op);
        return Ok(());
    }
    let per = per_task(out.len(), p.n);
    let rows_follow = p.kept_dims.is_empty() || (p.kept_dims.len() == 1 && p.kept_strides[0] == p.n);
    // (The offset of an empty view may be out of bounds.)
    let contiguous = p.n > 0 && p.contiguous();
    if let (Values::Converted(x), true) = (x, contiguous && p.n <= CHUNK && rows_follow) {
        chunks(out, per, &|t, part| converted_runs(x, p.start + t * per * p.n, p.n, op, part));
        return Ok(());
    }
    if p.n == 1 && !rows_follow {
        // Each output is an element of the input: they are read in runs of the innermost dimension.
        let inner = p.kept_dims.last().copied().unwrap_or(1);
        let step = p.kept_strides.last().copied().unwrap_or(1);
        chunks(out, per, &|t, part| {
            with_room(true, op.identity(), &mut |room| {
                let mut done = 0;
                while done < part.len() {
                    let o = t * per + done;
                    let n = (inner - o % inner).min(part.len() - done).min(room.len());
                    x.read(p.base(o), step, &mut room[..n]);
                    op.chunks(&room[..n], 1, &mut part[done..done + n]);
                    done += n;
                }
            });
        });
        return Ok(());
    }
    if let (Values::Own(x), true) = (x, contiguous) {
        if p.n <= CHUNK && rows_follow {
            chunks(out, per, &|t, part| op.chunks(&x[p.start + t * per * p.n..], p.n, part));
        } else {
            chunks(out, per, &|t, part| {
                for (i, o) in part.iter_mut().enumerate() {
                    *o = tree_values(&x[p.base(t * per + i)..][..p.n], op);
                }
            });
        }
        return Ok(());
    }
    let neighbours = p.kept_strides.last() == Some(&1) && p.red_strides.last().is_some_and(|s| *s > 1);
    if neighbours && p.n > 1 {
        return reduce_columns(p, x, out, per, op);
    }
    let large = p.n > FEW;
    chunks(out, per, &|t, part| {
        with_room(large, op.identity(), &mut |room| {
            for (i, o) in part.iter_mut().enumerate() {
                let base = p.base(t * per + i);
                *o = tree(p.n, op, &mut |k| chunk_value(x, p, base, k, op, room));
            }
        });
    });
    Ok(())
}

/// Calls `f(values, out)` for a float dtype, with the elements and the output in the accumulation type. `sum` tells whether it
/// adds them.
macro_rules! in_f32_or_f64 {
    ($name:expr, $sum:expr, $x:expr, $out:expr, |$values:ident, $o:ident| $body:expr) => {
        match $x.0.dtype() {
            DType::F64 => {
                let ($values, $o) = (Values::Own(src::<f64>($x)?.0), dst::<f64>(&mut $out)?.0);
                $body
            }
            DType::F32 => {
                let ($values, $o) = (Values::Own(src::<f32>($x)?.0), dst::<f32>(&mut $out)?.0);
                $body
            }
            dtype => dispatch!(dtype, $name, (F16, BF16) => T {
                let (x, o) = (src::<T>($x)?.0, dst::<T>(&mut $out)?.0);
                let convert = Halves { x, sum: $sum };
                let mut sums = scratch::filled(o.len(), 0f32)?;
                let ($values, $o) = (Values::Converted(&convert), &mut sums[..]);
                let done: Result<()> = $body;
                done?;
                T::round_all(&sums, o);
                Ok(())
            }),
        }
    };
}

/// Computes a sum or product in one type, or a mean if `n` is given.
pub(super) fn sum_or_product<C: Arith>(
    c: &Reduce,
    p: &Plan,
    x: Values<'_, C>,
    out: &mut [C],
    n: Option<usize>,
) -> Result<()> {
    if c.op == ReduceOp::Prod {
        return reduce_tree(p, x, out, &Combine { identity: C::ONE, combine: C::mul });
    }
    reduce_tree(p, x, out, &Combine { identity: C::ZERO, combine: C::add })?;
    if let Some(n) = n {
        let n = C::of(n as f64);
        out.iter_mut().for_each(|o| *o = o.div(n));
    }
    Ok(())
}

/// Computes a minimum or maximum.
fn extremum<C: Arith>(
    p: &Plan,
    max: bool,
    least: C,
    greatest: C,
    x: Values<'_, C>,
    out: &mut [C],
) -> Result<()> {
    if max {
        reduce_tree(p, x, out, &Combine { identity: least, combine: C::max })
    } else {
        reduce_tree(p, x, out, &Combine { identity: greatest, combine: C::min })
    }
}

/// Same as [`extremum`], for floats.
fn float_extremum<C: Arith + Ordered>(p: &Plan, max: bool, x: Values<'_, C>, out: &mut [C]) -> Result<()> {
    let infinity = C::of(f64::INFINITY);
    if max {
        let exact = Combine { identity: infinity.neg(), combine: C::max };
        reduce_tree(p, x, out, &Extreme::<_, _, true> { exact })
    } else {
        let exact = Combine { identity: infinity, combine: C::min };
        reduce_tree(p, x, out, &Extreme::<_, _, false> { exact })
    }
}

/// Writes 1 if all elements, or any, have bits of the mask, else 0.
fn truth<W: Arith + Eq + BitAnd<Output = W> + BitOr<Output = W>>(
    p: &Plan,
    all: bool,
    x: &[W],
    mask: W,
    out: &mut [u8],
) -> Result<()> {
    let mut found = scratch::filled(out.len(), W::ZERO)?;
    if all {
        let both = move |a, b| if b & mask == W::ZERO { W::ZERO } else { a };
        reduce_tree(p, Values::Own(x), &mut found, &Combine { identity: mask, combine: both })?;
    } else {
        reduce_tree(p, Values::Own(x), &mut found, &Combine { identity: W::ZERO, combine: |a, b| a | b })?;
    }
    slice1(&found, out, move |v| u8::from(v & mask != W::ZERO));
    Ok(())
}

pub fn reduce(c: &Reduce, name: &'static str, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let plan = Plan::new(x.1, |d| c.reduces(d));
    if out.0.is_empty() {
        return Ok(());
    }
    let p = &plan;
    let from = x.0.dtype();
    let mean = (c.op == ReduceOp::Mean).then_some(p.n);
    match from {
        DType::C64 => return reduce_complex::reduce::<f32>(c, name, p, x, out),
        DType::C128 => return reduce_complex::reduce::<f64>(c, name, p, x, out),
        _ => {}
    }
    match c.op {
        ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Mean if c.dtype == from => {
            if !from.is_int() {
                return in_f32_or_f64!(name, c.op != ReduceOp::Prod, x, out, |x, o| sum_or_product(
                    c, p, x, o, mean
                ));
            }
            // Wrapping sums and products do not depend on the signedness.
            match (words(x.0), words_mut(out.0)?) {
                (Words::W1(x), WordsMut::W1(o)) => sum_or_product(c, p, Values::Own(x), o, None),
                (Words::W2(x), WordsMut::W2(o)) => sum_or_product(c, p, Values::Own(x), o, None),
                (Words::W4(x), WordsMut::W4(o)) => sum_or_product(c, p, Values::Own(x), o, None),
                (Words::W8(x), WordsMut::W8(o)) => sum_or_product(c, p, Values::Own(x), o, None),
                _ => Err(Error::dtype("output", from, c.dtype)),
            }
        }
        ReduceOp::Sum | ReduceOp::Prod => widened(c, name, p, x, out),
        ReduceOp::Min | ReduceOp::Max => {
            let max = c.op == ReduceOp::Max;
            match from {
                DType::Bool => match (words(x.0), words_mut(out.0)?) {
                    (Words::W1(x), WordsMut::W1(o)) => extremum(p, max, 0, 1, Values::Own(x), o),
                    _ => Err(Error::dtype("output", from, c.dtype)),
                },
                _ if from.is_int() => dispatch!(from, name, INT => T {
                    let (x, o) = (src::<T>(x)?.0, dst::<T>(&mut out)?.0);
                    extremum(p, max, T::MIN, T::MAX, Values::Own(x), o)
                }),
                _ => in_f32_or_f64!(name, false, x, out, |x, o| float_extremum(p, max, x, o)),
            }
        }
        ReduceOp::ArgMin | ReduceOp::ArgMax => {
            let max = c.op == ReduceOp::ArgMax;
            macro_rules! arg {
                ($x:expr) => {{
                    let find = finder(p, $x, max);
                    match c.dtype {
                        DType::I64 => reduce_arg(p, dst::<i64>(&mut out)?.0, &find),
                        _ => reduce_arg(p, dst::<u32>(&mut out)?.0, &find),
                    }
                    Ok(())
                }};
            }
            match (from, words(x.0)) {
                (DType::Bool, Words::W1(x)) => arg!(x),
                _ => dispatch!(from, name, NUMERIC => T { arg!(src::<T>(x)?.0) }),
            }
        }
        ReduceOp::Any | ReduceOp::All => {
            // For outputs of dtype U8 and of Bool.
            let WordsMut::W1(o) = words_mut(out.0)? else {
                return Err(Error::UnsupportedDTypeForOp(c.dtype, name).bt());
            };
            let (all, mask) = (c.op == ReduceOp::All, magnitude(from));
            match words(x.0) {
                Words::W1(x) => truth(p, all, x, mask as u8, o),
                Words::W2(x) => truth(p, all, x, mask as u16, o),
                Words::W4(x) => truth(p, all, x, mask as u32, o),
                Words::W8(x) => truth(p, all, x, mask, o),
                Words::W16(_) => Err(Error::UnsupportedDTypeForOp(from, name).bt()),
            }
        }
        ReduceOp::Mean => Err(Error::UnsupportedDTypeForOp(c.dtype, name).bt()),
    }
}

/// Reduces `f` of all elements, in row-major order, to one value.
pub(super) fn reduce_all<T: Num>(
    x: Src<'_>,
    op: &dyn TreeOp<T::Acc>,
    f: impl Fn(T::Acc) -> T::Acc + Sync,
) -> Result<T::Acc> {
    let (data, layout) = src::<T>(x)?;
    let convert = |offset: usize, step: usize, out: &mut [T::Acc]| {
        read(
            data,
            offset,
            step,
            out,
            #[inline(always)]
            |v: T| f(v.acc()),
        );
    };
    let mut out = [op.identity()];
    reduce_tree(&Plan::new(layout, |_| true), Values::Converted(&convert), &mut out, op)?;
    Ok(out[0])
}

/// Elements whose squares are summed.
struct Squares<'a, T>(&'a [T]);

impl<T: Num> Convert<T::Acc> for Squares<'_, T> {
    fn read(&self, offset: usize, step: usize, out: &mut [T::Acc]) {
        read(
            self.0,
            offset,
            step,
            out,
            #[inline(always)]
            |v: T| v.acc().mul(v.acc()),
        );
    }
    fn chunks(&self, offset: usize, n: usize, out: &mut [T::Acc]) -> bool {
        // (The elements themselves, unless they must be widened.)
        let own = size_of::<T>() == size_of::<T::Acc>();
        if own {
            let values = T::widened(&self.0[offset..offset + n * out.len()], &mut []);
            sums_of_runs(values, n, |sum: T::Acc, v: T::Acc| sum.add(v.mul(v)), out);
        }
        own
    }
}

/// Returns the sum of the squares of all elements, in row-major order.
pub(super) fn sum_of_squares<T: Num>(x: Src<'_>) -> Result<T::Acc> {
    let (data, layout) = src::<T>(x)?;
    let op = Combine { identity: T::Acc::ZERO, combine: T::Acc::add };
    let mut out = [T::Acc::ZERO];
    reduce_tree(&Plan::new(layout, |_| true), Values::Converted(&Squares(data)), &mut out, &op)?;
    Ok(out[0])
}
