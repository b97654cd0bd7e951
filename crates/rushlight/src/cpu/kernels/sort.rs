//! Sorting along a dimension.
use super::elementwise::{Dst, Src, dst};
use super::softmax::row_major;
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::map::{slice_any, slice1};
use crate::cpu::{CpuStorage, dispatch, scratch};
use crate::ops::arg_sort::ArgSort;
use crate::shape::DimVec;
use crate::{Element, Kind, Layout, Result};
use std::ops::Range;

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

/// Number of keys that are made at a time, and of those that are compared with a bound at a time.
const BLOCK: usize = 1024;
const GROUP: usize = 64;
/// The first elements of a lane are few if they are at most one in this many. A part of the order that is larger than one in
/// `PART` costs as much as all of it.
const FEW: usize = 16;
const PART: usize = 4;

/// Sorts items by a key of some bits. Those with equal keys are in order already.
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

/// A sorted item: a key with the position of its element, which breaks ties, so that equal elements keep their order.
trait Item: Copy + Ord {
    fn new(key: u64, position: usize) -> Self;
    fn key(&self) -> u64;
    fn position(&self) -> usize;
}

/// A key of 32 bits above a position.
impl Item for u64 {
    fn new(key: u64, position: usize) -> Self {
        key << 32 | position as u64
    }
    fn key(&self) -> u64 {
        self >> 32
    }
    fn position(&self) -> usize {
        *self as u32 as usize
    }
}

impl Item for (u64, u64) {
    fn new(key: u64, position: usize) -> Self {
        (key, position as u64)
    }
    fn key(&self) -> u64 {
        self.0
    }
    fn position(&self) -> usize {
        self.1 as usize
    }
}

pub fn argsort(c: &ArgSort, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let rank = x.1.dims().len();
    let ranks = c.ranks(x.1.dims()[c.dim]);
    if out.1.shape().elem_count() == 0 {
        return Ok(());
    }
    // Move the sorted dimension to the end, so that a lane is contiguous in the output.
    let last: DimVec = (0..rank).filter(|d| *d != c.dim).chain([c.dim]).collect();
    let lanes = x.1.permute(&last)?;
    dispatch!(out.0.dtype(), "argsort", (U32, I64) => P {
        if c.dim + 1 == rank {
            return order::<P>(c, (x.0, &lanes), dst::<P>(&mut out)?.0);
        }
        let mut dims = DimVec::from_slice(lanes.dims());
        dims[rank - 1] = ranks.len();
        let side_l = Layout::contiguous(dims);
        let mut side = CpuStorage::uninit(P::DTYPE, side_l.shape().elem_count())?;
        order::<P>(c, (x.0, &lanes), dst::<P>(&mut (&mut side, &side_l))?.0)?;
        let mut back: DimVec = (0..rank - 1).collect();
        back.insert(c.dim, rank - 1);
        super::copy::copy(&side, &side_l.permute(&back)?, out.0, out.1)
    })
}

/// Writes the order of each lane, which is the last dimension.
fn order<P: Element>(c: &ArgSort, x: Src<'_>, out: &mut [P]) -> Result<()> {
    let n = x.1.dims().last().copied().unwrap_or(1);
    let bits = if x.0.dtype().size_in_bytes() <= 4 { 32 } else { 64 };
    let flip = if c.descending { u64::MAX >> (64 - bits) } else { 0 };
    dispatch!(x.0.dtype(), "argsort", ORDERED => T {
        let mut hold = None;
        let x = row_major::<T>(x, &mut hold)?;
        let keys = |at: usize, keys: &mut [u64]| slice1(&x[at..][..keys.len()], keys, move |v| key(v) ^ flip);
        if bits == 32 && n <= u32::MAX as usize {
            lanes::<P, u64>(n, c.ranks(n), bits, &keys, out)
        } else {
            lanes::<P, (u64, u64)>(n, c.ranks(n), bits, &keys, out)
        }
    })
}

/// Writes the positions of the elements of some ranks of each lane. `keys` writes the keys of the elements from a position on.
fn lanes<P: Element, I: Item>(
    n: usize,
    ranks: Range<usize>,
    bits: u32,
    keys: &(dyn Fn(usize, &mut [u64]) + Sync),
    out: &mut [P],
) -> Result<()> {
    let per = per_task(out.len() / ranks.len(), n.saturating_mul(8));
    // The first few of many are found without a list of all.
    let few = ranks.start == 0 && ranks.end <= n / FEW;
    try_chunks(out, per * ranks.len(), &|task, part| {
        let mut items: Vec<I> = scratch::room(if few { 4 * ranks.end + 2 * BLOCK } else { n })?;
        for (i, lane) in part.chunks_mut(ranks.len()).enumerate() {
            let first = (task * per + i) * n;
            let mut block = [0u64; BLOCK];
            items.clear();
            let mut bound = None;
            for at in (0..n).step_by(BLOCK) {
                let block = &mut block[..BLOCK.min(n - at)];
                keys(first + at, block);
                let all = block.iter().zip(at..).map(|(key, position)| I::new(*key, position));
                if !few {
                    items.extend(all);
                    continue;
                }
                match bound {
                    None => items.extend(all),
                    Some(bound) => below(block, bound, &mut |i| items.push(I::new(block[i], at + i))),
                }
                if items.len() >= 4 * ranks.end + BLOCK {
                    bound = Some(items.select_nth_unstable(ranks.end - 1).1.key());
                    items.truncate(ranks.end);
                }
            }
            let count = items.len();
            if few || ranks.len() <= count / PART {
                // Selection changes the order of equal keys, so the rest is sorted by positions, too.
                if ranks.end < count {
                    items.select_nth_unstable(ranks.end - 1);
                    items.truncate(ranks.end);
                }
                if ranks.start > 0 {
                    items.select_nth_unstable(ranks.start);
                    items.drain(..ranks.start);
                }
                items.sort_unstable();
            } else {
                sort(&mut items, bits, I::key)?;
                items.truncate(ranks.end);
                items.drain(..ranks.start);
            }
            for (o, item) in lane.iter_mut().zip(&items) {
                *o = P::from_i128(item.position() as i128);
            }
        }
        Ok(())
    })
}

/// Calls `f` for the index of each key that is below a bound. (A later element with an equal key is behind the earlier ones.)
fn below(keys: &[u64], bound: u64, f: &mut dyn FnMut(usize)) {
    for (k, group) in keys.chunks(GROUP).enumerate() {
        if slice_any(group, move |key| key < bound) {
            let found = group.iter().enumerate().filter(|(_, key)| **key < bound);
            found.for_each(|(i, _)| f(k * GROUP + i));
        }
    }
}
