//! Sorting along a dimension.
use super::elementwise::{Dst, Src, dst, src};
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::arg_sort::ArgSort;
use crate::shape::DimVec;
use crate::{Element, Kind, Layout, Result};

/// Returns an integer key with the order of the elements: of 32 bits for dtypes of up to 4 bytes, else of 64. NaN has the
/// greatest key, and -0 that of +0.
#[inline(always)]
fn key<T: Element>(v: T) -> u64 {
    let sign = if size_of::<T>() <= 4 { 1 << 31 } else { 1 << 63 };
    match T::DTYPE.kind() {
        Kind::Bool | Kind::UInt => v.to_i128().unwrap_or(0) as u64,
        Kind::Int if sign < 1 << 63 => (v.to_i128().unwrap_or(0) + i128::from(sign)) as u64,
        Kind::Int => v.to_i128().unwrap_or(0) as u64 ^ sign,
        Kind::Float | Kind::Complex => {
            let v = v.to_f64();
            if v.is_nan() {
                return 2 * (sign - 1) + 1;
            }
            // Adding 0 makes -0 a +0. An f32 holds every element of up to 4 bytes.
            let bits =
                if sign < 1 << 63 { u64::from((v as f32 + 0.0).to_bits()) } else { (v + 0.0).to_bits() };
            if bits & sign != 0 { bits ^ (2 * (sign - 1) + 1) } else { bits | sign }
        }
    }
}

/// Bits of a digit of the radix sort, and the number of elements from which it is faster than a sort by comparisons.
const DIGIT: u32 = 11;
const MANY: usize = 1 << 10;

/// Sorts items by a key of some bits, in which their order agrees with that of the items.
fn sort<I: Copy + Ord>(items: &mut Vec<I>, bits: u32, key: impl Fn(&I) -> u64) -> Result<()> {
    if items.len() < MANY {
        items.sort_unstable();
        return Ok(());
    }
    // A stable distribution by each digit, the lowest first (Knuth, volume 3, algorithm 5.2.5R).
    const SIZE: usize = 1 << DIGIT;
    let digit = |item: &I, pass: usize| (key(item) >> (pass as u32 * DIGIT)) as usize % SIZE;
    let mut counts = vec![[0usize; SIZE]; bits.div_ceil(DIGIT) as usize];
    for item in &*items {
        for (pass, count) in counts.iter_mut().enumerate() {
            count[digit(item, pass)] += 1;
        }
    }
    let mut spare: Vec<I> = scratch::room(items.len())?;
    spare.extend_from_slice(items);
    for (pass, mut next) in counts.into_iter().enumerate() {
        if next.contains(&items.len()) {
            // All items have the same digit.
            continue;
        }
        let mut sum = 0;
        for n in &mut next {
            sum += std::mem::replace(n, sum);
        }
        for item in &*items {
            let at = &mut next[digit(item, pass)];
            spare[*at] = *item;
            *at += 1;
        }
        std::mem::swap(items, &mut spare);
    }
    Ok(())
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
    let bits = if x.0.dtype().size_in_bytes() <= 4 { 32 } else { 64 };
    let flip = if c.descending { u64::MAX >> (64 - bits) } else { 0 };
    // Replaces positions in memory by the keys of the elements there.
    dispatch!(x.0.dtype(), "argsort", ORDERED => T {
        let data = src::<T>(x)?.0;
        lanes(n, x.1, bits, &|keys| keys.iter_mut().for_each(|k| *k = key(data[*k as usize]) ^ flip), out)
    })
}

fn lanes<P: Element>(
    n: usize,
    layout: &Layout,
    bits: u32,
    to_keys: &(dyn Fn(&mut [u64]) + Sync),
    out: &mut [P],
) -> Result<()> {
    let per = per_task(out.len() / n, n.saturating_mul(8));
    try_chunks(out, per * n, &|task, part| {
        let mut elements = layout.strided_index_from(task * per * n);
        let mut keys: Vec<u64> = scratch::room(n)?;
        let fits = bits == 32 && n <= u32::MAX as usize;
        let mut pairs: Vec<(u64, u64)> = scratch::room(if fits { 0 } else { n })?;
        for lane in part.chunks_mut(n) {
            keys.clear();
            keys.extend(elements.by_ref().take(n).map(|p| p as u64));
            to_keys(&mut keys);
            // The index breaks ties, so equal elements keep their order.
            if fits {
                for (key, index) in keys.iter_mut().zip(0..) {
                    *key = *key << 32 | index;
                }
                sort(&mut keys, 32, |item| item >> 32)?;
                for (o, item) in lane.iter_mut().zip(&keys) {
                    *o = P::from_i128(i128::from(*item as u32));
                }
            } else {
                pairs.clear();
                pairs.extend(keys.iter().copied().zip(0..));
                sort(&mut pairs, bits, |item| item.0)?;
                for (o, item) in lane.iter_mut().zip(&pairs) {
                    *o = P::from_i128(item.1.into());
                }
            }
        }
        Ok(())
    })
}
