//! Sorting along a dimension.
use super::elementwise::{Dst, Src, dst, src};
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::arg_sort::ArgSort;
use crate::shape::DimVec;
use crate::{Element, Kind, Layout, Result};

/// Returns an integer key with the order of the elements, so that one sort serves every dtype. NaN is the greatest; -0
/// equals +0.
#[inline(always)]
fn key<T: Element>(v: T) -> u64 {
    const TOP: u64 = 1 << 63;
    match T::DTYPE.kind() {
        Kind::Bool | Kind::UInt => v.to_i128().unwrap_or(0) as u64,
        Kind::Int => v.to_i128().unwrap_or(0) as u64 ^ TOP,
        Kind::Float | Kind::Complex => {
            let v = v.to_f64();
            if v.is_nan() {
                return u64::MAX;
            }
            // Adding 0 makes -0 a +0.
            let bits = (v + 0.0).to_bits();
            if bits & TOP != 0 { !bits } else { bits | TOP }
        }
    }
}

pub fn argsort(c: &ArgSort, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let rank = x.1.dims().len();
    let n = x.1.dims()[c.dim];
    if x.1.shape().elem_count() == 0 {
        return Ok(());
    }
    // Move the sorted dimension to the end, so that a lane is contiguous in the output.
    let last: DimVec = (0..rank).filter(|d| *d != c.dim).chain([c.dim]).collect();
    let lanes = x.1.permute(&last)?;
    dispatch!(out.0.dtype(), "argsort", (U32, I64) => P {
        if c.dim + 1 == rank {
            return order::<P>(c, n, (x.0, &lanes), dst::<P>(&mut out)?.0);
        }
        let mut side = CpuStorage::uninit(P::DTYPE, x.1.shape().elem_count())?;
        let side_l = Layout::contiguous(lanes.shape().clone());
        order::<P>(c, n, (x.0, &lanes), dst::<P>(&mut (&mut side, &side_l))?.0)?;
        let mut back: DimVec = (0..rank - 1).collect();
        back.insert(c.dim, rank - 1);
        super::copy::copy(&side, &side_l.permute(&back)?, out.0, out.1)
    })
}

/// Writes the sorting order of each lane of `n` elements.
fn order<P: Element>(c: &ArgSort, n: usize, x: Src<'_>, out: &mut [P]) -> Result<()> {
    let flip = if c.descending { u64::MAX } else { 0 };
    let per = per_task(out.len() / n, n.saturating_mul(8));
    // Replaces the first number of each pair, the position in the input, by the element's key.
    type Keys<'a> = &'a (dyn Fn(&mut [(u64, u64)]) + Sync);
    let mut sort = |keys: Keys<'_>| {
        try_chunks(out, per * n, &|task, part| {
            let mut elements = x.1.strided_index_from(task * per * n);
            let mut pairs: Vec<(u64, u64)> = scratch::room(n)?;
            for lane in part.chunks_mut(n) {
                pairs.clear();
                pairs.extend(elements.by_ref().take(n).map(|p| p as u64).zip(0..));
                keys(&mut pairs);
                // The index breaks ties, so equal elements keep their order.
                pairs.sort_unstable();
                for (o, (_, index)) in lane.iter_mut().zip(&pairs) {
                    *o = P::from_i128(*index as i128);
                }
            }
            Ok(())
        })
    };
    dispatch!(x.0.dtype(), "argsort", ORDERED => T {
        let data = src::<T>(x)?.0;
        sort(&|pairs| pairs.iter_mut().for_each(|p| p.0 = key(data[p.0 as usize]) ^ flip))
    })
}
