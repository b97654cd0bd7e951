//! Index kernels. Values are moved by element size.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use crate::cpu::driver::{self, Bits, Indices};
use crate::cpu::map::map1;
use crate::cpu::{Buffer, CpuStorage, dispatch};
use crate::ops::IndexMode;
use crate::ops::gather::Gather;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::ops::scatter_reduce::{ScatterReduce, ScatterReduceOp};
use crate::shape::DimVec;
use crate::{DType, Element, Error, Layout, Result};
use std::borrow::Cow;
use std::ops::Range;

/// Returns the indices as i64, row-major, each checked against `size`. An index to skip becomes -1.
pub fn ids(op: &'static str, from: Src<'_>, size: usize, rule: IndexMode) -> Result<Vec<i64>> {
    let ids = Indices { from, size, rule };
    driver::indices(ids)?.ok_or_else(|| out_of_range(op, ids))
}

/// Returns the error for the first index that is out of range, in row-major order.
#[cold]
fn out_of_range(op: &'static str, ids: Indices<'_>) -> Error {
    let Indices { from, size, rule } = ids;
    let error = || {
        dispatch!(from.0.dtype(), op, INDEX => T {
            let (data, layout) = src::<T>(from)?;
            for id in layout.strided_index().map(|i| data[i]) {
                let v = id.to_i128().unwrap_or(0) as i64;
                let index = if rule == IndexMode::FromEnd && v < 0 { v + size as i64 } else { v };
                if !(0..size as i64).contains(&index) && (rule != IndexMode::MaxSkips || id != T::MAX) {
                    return Ok(Error::InvalidIndex { op: crate::error::name_of_call(op), index: v, size }.bt());
                }
            }
            Ok(Error::invalid(op, "the indices changed during the call"))
        })
    };
    error().unwrap_or_else(|e| e)
}

/// Returns an operand in row-major order, copied only if needed, and the range of its elements.
pub fn flat<'a>(x: Src<'a>) -> Result<(Cow<'a, CpuStorage>, Range<usize>)> {
    let n = x.1.shape().elem_count();
    if n == 0 {
        return Ok((Cow::Borrowed(x.0), 0..0));
    }
    match x.1.contiguous_offsets() {
        Some((from, to)) => Ok((Cow::Borrowed(x.0), from..to)),
        None => Ok((Cow::Owned(x.0.to_contiguous(x.1)?), 0..n)),
    }
}

/// Returns the layout of one element, broadcast to a layout's shape.
pub(super) fn one_element(l: &Layout) -> Layout {
    let stride: DimVec = l.dims().iter().map(|_| 0).collect();
    Layout::new(l.shape().clone(), stride, 0)
}

/// Returns the layout of a vector of indices for dimension `dim`, broadcast to the other dimensions of a shape.
fn broadcast(ids: &Layout, dim: usize, shape: &crate::Shape) -> Result<Layout> {
    let &[n] = ids.dims() else {
        return Err(Error::UnexpectedNumberOfDims {
            expected: 1,
            got: ids.dims().len(),
            shape: ids.shape().clone(),
        }
        .bt());
    };
    let mut dims = DimVec::from_slice(shape.dims());
    let mut stride = DimVec::from_elem(0, dims.len());
    (dims[dim], stride[dim]) = (n, ids.stride()[0]);
    Ok(Layout::new(dims.into(), stride, ids.start_offset()))
}

pub fn index_select(dim: usize, rule: IndexMode, x: Src<'_>, i: Src<'_>, out: Dst<'_>) -> Result<()> {
    let size = x.1.dims()[dim];
    if out.1.shape().elem_count() == 0 {
        return ids("index_select", i, size, rule).map(drop);
    }
    let all = broadcast(i.1, dim, out.1.shape())?;
    let each = Indices { from: (i.0, &all), size, rule };
    let right = driver::gather(dim, each, x, out)?;
    if right { Ok(()) } else { Err(out_of_range("index_select", Indices { from: i, ..each })) }
}

/// Computes `out = x; out[.., ids[j], ..] += add[.., j, ..]`, in the order of j and in the accumulation type.
pub fn index_add(
    dim: usize,
    rule: IndexMode,
    x: Src<'_>,
    i: Src<'_>,
    add: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let op = "index_add";
    super::copy::copy(x.0, x.1, out.0, out.1)?;
    let all = broadcast(i.1, dim, add.1.shape())?;
    let size = x.1.dims()[dim];
    if add.1.shape().elem_count() == 0 {
        return ids(op, i, size, rule).map(drop);
    }
    let each = Indices { from: (i.0, &all), size, rule };
    let right = add_at(op, dim, each, add, &mut out)?;
    if right { Ok(()) } else { Err(out_of_range(op, Indices { from: i, ..each })) }
}

/// Combines elements with those of `out` at indices, in the accumulation type. Returns false if an index is out of range.
macro_rules! combine_at {
    ($op:expr, $dim:expr, $ids:expr, $from:expr, $out:expr, $A:ident, $put:expr) => {
        match $from.0.dtype() {
            dtype @ (DType::BF16 | DType::F16) => dispatch!(dtype, $op, (BF16, F16) => T {
                type $A = f32;
                // Results are computed in f32 and rounded once.
                let (o, l) = dst::<T>($out)?;
                let flat = Layout::contiguous(l.shape().clone());
                let mut wide = Buffer::<f32>::uninit(l.shape().elem_count())?;
                map1((&*o, l), (&mut wide[..], &flat), |v: T| v.acc())?;
                let put = |o: f32, v: T| $put(o, v.acc());
                let right = driver::scatter($dim, $ids, src::<T>($from)?, (&mut wide[..], &flat), &put)?;
                map1((&wide[..], &flat), (o, l), T::from_acc)?;
                Ok(right)
            }),
            dtype => dispatch!(dtype, $op, (U8, I8, U16, I16, U32, I32, U64, I64, F32, F64) => $A {
                driver::scatter($dim, $ids, src::<$A>($from)?, dst::<$A>($out)?, &$put)
            }),
        }
    };
}

fn add_at(op: &'static str, dim: usize, ids: Indices<'_>, add: Src<'_>, out: &mut Dst<'_>) -> Result<bool> {
    combine_at!(op, dim, ids, add, out, A, |o: A, v: A| Arith::add(o, v))
}

/// Combines `s` with the indexed elements of `out`, which holds the base values.
pub fn scatter_reduce(
    c: &ScatterReduce,
    op: &'static str,
    i: Src<'_>,
    s: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let ids = Indices { from: i, size: out.1.dims()[c.dim], rule: c.rule };
    if i.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let out = &mut out;
    let right: Result<bool> = match c.op {
        ScatterReduceOp::Prod => {
            combine_at!(op, c.dim, ids, s, out, A, |o: A, v: A| Arith::mul(o, v))
        }
        // Of two zeros, which are equal, 0 is the larger one.
        ScatterReduceOp::Max => combine_at!(op, c.dim, ids, s, out, A, |o: A, v: A| {
            if v > o || v.is_nan() || (v == o && o.sign_bit()) { v } else { o }
        }),
        ScatterReduceOp::Min => combine_at!(op, c.dim, ids, s, out, A, |o: A, v: A| {
            if v < o || v.is_nan() || (v == o && v.sign_bit()) { v } else { o }
        }),
    };
    if right? { Ok(()) } else { Err(out_of_range(op, ids)) }
}

pub fn gather(c: &Gather, x: Src<'_>, i: Src<'_>, out: Dst<'_>) -> Result<()> {
    let ids = Indices { from: i, size: x.1.dims()[c.dim], rule: c.rule };
    if driver::gather(c.dim, ids, x, out)? { Ok(()) } else { Err(out_of_range("gather", ids)) }
}

/// Writes `s` to the indexed elements of `out`, or adds it. `out` holds the base values. If the op is in place, all indices
/// are checked before the first write.
pub fn scatter(c: &Scatter, op: &'static str, i: Src<'_>, s: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let ids = Indices { from: i, size: out.1.dims()[c.dim], rule: c.rule };
    if c.in_place && !driver::in_range(ids)? {
        return Err(out_of_range(op, ids));
    }
    if i.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let right = match c.mode {
        ScatterMode::Set => super::elementwise::by_word!(s.0.dtype(), W => {
            driver::scatter(c.dim, ids, Bits(s), Bits(out), &|_: W, v: W| v)
        }),
        ScatterMode::Add => add_at(op, c.dim, ids, s, &mut out),
    }?;
    if right { Ok(()) } else { Err(out_of_range(op, ids)) }
}
