//! Index kernels. Index tensors become i64 once; values only move, by size.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use crate::cpu::dispatch;
use crate::cpu::driver::{Words, WordsMut, words, words_mut};
use crate::{Element, Error, IntDType, Layout, Result};

/// What stands for an id equal to its type's MAX.
pub const SENTINEL: i64 = -1;

/// The ids as i64, row-major, each checked against `size`. With `sentinel`, an id of its type's MAX is [`SENTINEL`].
pub fn ids(op: &'static str, ids: Src<'_>, size: usize, sentinel: bool) -> Result<Vec<i64>> {
    dispatch!(ids.0.dtype(), op, INDEX => T {
        let (data, layout) = src::<T>(ids)?;
        layout
            .strided_index()
            .map(|i| {
                let id = data[i];
                if sentinel && id == T::MAX {
                    return Ok(SENTINEL);
                }
                let inside = id.to_i128().is_some_and(|v| v >= 0 && v < size as i128);
                if inside {
                    Ok(id.as_usize() as i64)
                } else {
                    Err(Error::InvalidIndex { op, index: id.to_i128().unwrap_or(0) as i64, size }.bt())
                }
            })
            .collect()
    })
}

pub fn index_select(dim: usize, sentinel: bool, x: Src<'_>, i: Src<'_>, out: Dst<'_>) -> Result<()> {
    let ids = ids("index_select", i, x.1.dims()[dim], sentinel)?;
    let flat = x.0.to_contiguous(x.1)?;
    let dims = x.1.dims();
    let inner: usize = dims[dim + 1..].iter().product();
    let block = dims[dim] * inner;
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(&flat), words_mut(out.0)?) {
                $((Words::$w(x), WordsMut::$w(o)) => {
                    if inner > 0 && !ids.is_empty() {
                        for (left, rows) in o.chunks_mut(ids.len() * inner).enumerate() {
                            for (row, &id) in rows.chunks_mut(inner).zip(&ids) {
                                if id == SENTINEL {
                                    row.fill(0);
                                } else {
                                    let at = left * block + id as usize * inner;
                                    row.copy_from_slice(&x[at..at + inner]);
                                }
                            }
                        }
                    }
                    Ok(())
                })*
                _ => Err(Error::invalid("index_select", "operands of different dtypes")),
            }
        };
    }
    let _: &Layout = out.1;
    pick!(W1, W2, W4, W8)
}

/// `out = x; out[.., ids[j], ..] += add[.., j, ..]`: sums in the order of j, in the accumulation type.
pub fn index_add(
    dim: usize,
    sentinel: bool,
    x: Src<'_>,
    i: Src<'_>,
    add: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let ids = ids("index_add", i, x.1.dims()[dim], sentinel)?;
    super::copy::copy(x.0, x.1, out.0, out.1)?;
    let add = add.0.to_contiguous(add.1)?;
    let dims = x.1.dims();
    let inner: usize = dims[dim + 1..].iter().product();
    let block = dims[dim] * inner;
    dispatch!(x.0.dtype(), "index_add", NUMERIC => T {
        let o = dst::<T>(&mut out)?.0;
        let add = T::cpu_storage_as_slice(&add)?;
        if inner == 0 || ids.is_empty() {
            return Ok(());
        }
        // Sums are kept in the accumulation type until the end, so that f16 does not round at each step.
        let mut sums: Vec<<T as Num>::Acc> = Vec::with_capacity(block);
        for (part, rows) in o.chunks_mut(block).zip(add.chunks(ids.len() * inner)) {
            sums.clear();
            sums.extend(part.iter().map(|v| v.acc()));
            for (row, &id) in rows.chunks(inner).zip(&ids) {
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
        }
        Ok(())
    })
}
