//! Index kernels. Indices are converted to i64 once; values are moved by element size.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use crate::cpu::driver::{Words, WordsMut, chunks, copy, per_task, words, words_mut};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::IndexMode;
use crate::ops::gather::Gather;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::shape::DimVec;
use crate::{DType, Element, Error, Layout, Result};
use std::borrow::Cow;
use std::ops::Range;

/// The converted value of an index that is skipped: the largest number of its index dtype.
pub const SENTINEL: i64 = -1;

/// Returns the indices as i64, row-major, each checked against `size`. An index to skip becomes [`SENTINEL`].
pub fn ids(op: &'static str, ids: Src<'_>, size: usize, rule: IndexMode) -> Result<Vec<i64>> {
    dispatch!(ids.0.dtype(), op, INDEX => T {
        let (data, layout) = src::<T>(ids)?;
        let ids = layout.strided_index().map(|i| {
                let id = data[i];
                if rule == IndexMode::MaxSkips && id == T::MAX {
                    return Ok(SENTINEL);
                }
                let (v, n) = (id.to_i128().unwrap_or(i128::MAX), size as i128);
                let index = if rule == IndexMode::FromEnd && v < 0 { v + n } else { v };
                if (0..n).contains(&index) {
                    Ok(index as i64)
                } else {
                    let op = crate::error::name_of_call(op);
                    Err(Error::InvalidIndex { op, index: v as i64, size }.bt())
                }
            });
        scratch::collected(layout.shape().elem_count(), ids)
    })
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

fn different_dtypes(op: &'static str) -> Error {
    Error::invalid(op, "operands of different dtypes")
}

pub fn index_select(dim: usize, rule: IndexMode, x: Src<'_>, i: Src<'_>, out: Dst<'_>) -> Result<()> {
    let op = "index_select";
    let ids = ids(op, i, x.1.dims()[dim], rule)?;
    if out.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let dims = x.1.dims();
    let inner: usize = dims[dim + 1..].iter().product();
    let block = dims[dim] * inner;
    let (x_l, out_l) = (x.1, out.1);
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(x.0), words_mut(out.0)?) {
                $((Words::$w(x), WordsMut::$w(o)) => match x_l.contiguous_offsets() {
                    Some((from, to)) => rows(&x[from..to], o, &ids, inner, block),
                    None => {
                        for (j, &id) in ids.iter().enumerate() {
                            let to = out_l.narrow(dim, j, 1)?;
                            if id == SENTINEL {
                                copy((&[0; 1][..], &one_element(&to)), (&mut *o, &to))?;
                            } else {
                                copy((x, &x_l.narrow(dim, id as usize, 1)?), (&mut *o, &to))?;
                            }
                        }
                    }
                })*
                _ => return Err(different_dtypes(op)),
            }
        };
    }
    pick!(W1, W2, W4, W8);
    Ok(())
}

/// Returns the layout of one element, broadcast to a layout's shape.
pub(super) fn one_element(l: &Layout) -> Layout {
    let stride: DimVec = l.dims().iter().map(|_| 0).collect();
    Layout::new(l.shape().clone(), stride, 0)
}

/// Copies the rows of `inner` elements selected by `ids` from each block of `block` elements.
fn rows<W: Copy + Default + Send + Sync>(x: &[W], o: &mut [W], ids: &[i64], inner: usize, block: usize) {
    let per = per_task(o.len() / inner, inner);
    chunks(o, per * inner, &|task, part| {
        for (k, row) in part.chunks_exact_mut(inner).enumerate() {
            let k = task * per + k;
            let (left, id) = (k / ids.len(), ids[k % ids.len()]);
            if id == SENTINEL {
                row.fill(W::default());
            } else {
                let at = left * block + id as usize * inner;
                row.copy_from_slice(&x[at..at + inner]);
            }
        }
    });
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
    let ids = ids("index_add", i, x.1.dims()[dim], rule)?;
    super::copy::copy(x.0, x.1, out.0, out.1)?;
    let dims = x.1.dims();
    let inner: usize = dims[dim + 1..].iter().product();
    let block = dims[dim] * inner;
    if block == 0 || ids.is_empty() {
        return Ok(());
    }
    let (add, range) = flat(add)?;
    dispatch!(x.0.dtype(), "index_add", NUMERIC => T {
        let o = dst::<T>(&mut out)?.0;
        let add = &T::cpu_storage_as_slice(&add)?[range];
        chunks(o, block, &|left, part| {
            // Sums stay in the accumulation type until the end, so that f16 is rounded once.
            let mut sums: Vec<<T as Num>::Acc> = part.iter().map(|v| v.acc()).collect();
            let from = &add[left * ids.len() * inner..][..ids.len() * inner];
            for (row, &id) in from.chunks(inner).zip(&ids) {
                if id != SENTINEL {
                    let at = id as usize * inner;
                    for (s, &v) in sums[at..at + inner].iter_mut().zip(row) {
                        *s = s.add(v.acc());
                    }
                }
            }
            for (p, &s) in part.iter_mut().zip(&sums) {
                *p = T::from_acc(s);
            }
        });
        Ok(())
    })
}

/// Returns the layout of the elements that index 0 would select: a layout over the shape of the indices, whose dimension `dim` has stride 0.
fn base(l: &Layout, dim: usize, ids: &Layout) -> Layout {
    let mut stride = DimVec::from_slice(l.stride());
    stride[dim] = 0;
    Layout::new(ids.shape().clone(), stride, l.start_offset())
}

pub fn gather(c: &Gather, x: Src<'_>, i: Src<'_>, out: Dst<'_>) -> Result<()> {
    let ids = ids("gather", i, x.1.dims()[c.dim], c.rule)?;
    let base = base(x.1, c.dim, i.1);
    let step = x.1.stride()[c.dim];
    let per = per_task(ids.len(), 4);
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(x.0), words_mut(out.0)?) {
                $((Words::$w(x), WordsMut::$w(o)) => chunks(o, per, &|task, part| {
                    let at = task * per;
                    let offsets = base.strided_index_from(at);
                    for ((o, offset), &id) in part.iter_mut().zip(offsets).zip(&ids[at..]) {
                        *o = if id == SENTINEL { 0 } else { x[offset + id as usize * step] };
                    }
                }),)*
                _ => return Err(different_dtypes("gather")),
            }
        };
    }
    pick!(W1, W2, W4, W8);
    Ok(())
}

/// A scatter: checked indices, and the layouts of the target and the source.
struct ScatterWalk<'a> {
    ids: Vec<i64>,
    dim: usize,
    out: &'a Layout,
    src: &'a Layout,
}

impl ScatterWalk<'_> {
    /// Calls `put(target, source)` for each index; the calls for one target are in row-major order.
    fn run<O: Send, S: Copy + Sync>(&self, out: &mut [O], src: &[S], put: impl Fn(&mut O, S) + Sync) {
        if self.ids.is_empty() || self.out.shape().elem_count() == 0 {
            return;
        }
        let base = base(self.out, self.dim, self.src);
        let step = self.out.stride()[self.dim];
        // Rows of the first dimension are independent, unless that is the indexed dimension.
        let (rows, id_rows) = (self.out.dims()[0], self.src.dims()[0]);
        let (block, ids_block) = (self.out.shape().elem_count() / rows, self.ids.len() / id_rows);
        let apart = self.dim > 0 && self.out.contiguous_offsets() == Some((0, out.len()));
        let per = if apart { per_task(rows, ids_block.saturating_mul(4)) } else { rows };
        let size = if apart { per * block } else { out.len() };
        chunks(out, size, &|task, part| {
            let end = if apart { (task + 1) * per * ids_block } else { usize::MAX };
            let (from, to) = (task * per * ids_block, self.ids.len().min(end));
            if from >= to {
                return;
            }
            let offsets = base.strided_index_from(from).zip(self.src.strided_index_from(from));
            for ((o, s), &id) in offsets.zip(&self.ids[from..to]) {
                if id != SENTINEL {
                    put(&mut part[o + id as usize * step - task * size], src[s]);
                }
            }
        });
    }
}

/// Writes `s` to the indexed elements of `out`, or adds it. `out` holds the base values. All indices are checked before
/// the first write.
pub fn scatter(c: &Scatter, op: &'static str, i: Src<'_>, s: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let ids = ids(op, i, out.1.dims()[c.dim], c.rule)?;
    let spread = ScatterWalk { ids, dim: c.dim, out: out.1, src: s.1 };
    if spread.ids.is_empty() {
        return Ok(());
    }
    macro_rules! set {
        ($($w:ident),*) => {
            match (words(s.0), words_mut(out.0)?) {
                $((Words::$w(s), WordsMut::$w(o)) => spread.run(o, s, |o, s| *o = s),)*
                _ => return Err(different_dtypes(op)),
            }
        };
    }
    match (c.mode, s.0.dtype()) {
        (ScatterMode::Set, _) => {
            set!(W1, W2, W4, W8);
            Ok(())
        }
        (ScatterMode::Add, dtype @ (DType::BF16 | DType::F16)) => dispatch!(dtype, op, (BF16, F16) => T {
            // Sums are computed in f32 and rounded once.
            let (o, l) = dst::<T>(&mut out)?;
            let mut sums: Vec<f32> = l.strided_index().map(|p| o[p].acc()).collect();
            let flat = Layout::contiguous(l.shape().clone());
            let spread = ScatterWalk { out: &flat, ..spread };
            spread.run(&mut sums, src::<T>(s)?.0, |o, s| *o += s.acc());
            for (p, sum) in l.strided_index().zip(sums) {
                o[p] = T::from_acc(sum);
            }
            Ok(())
        }),
        (ScatterMode::Add, dtype) => {
            dispatch!(dtype, op, (U8, I8, U16, I16, U32, I32, U64, I64, F32, F64) => T {
                let o = dst::<T>(&mut out)?.0;
                spread.run(o, src::<T>(s)?.0, |o, s| *o = T::from_acc(o.acc().add(s.acc())));
                Ok(())
            })
        }
    }
}
