//! Loops over the channels of tensors `[n, channels, inner]`, in runs of neighbouring elements. Closures get whole runs, so
//! that they can compute them in vectors.
use super::num::{Arith, Num};
use super::reduce_tree::{CHUNK, Combine, LANES, TreeOp, tree, tree_values};
use crate::Result;
use crate::cpu::driver::{chunks, per_task, per_thread, try_chunks};
use crate::cpu::map::slice_combine;
use crate::cpu::scratch;
use std::ops::Range;

/// Number of neighbouring channels that are summed together, so that the sums of all lanes stay in the L2 cache, and the least
/// for a task.
const WIDTH: usize = 1024;
const LEAST: usize = 32;

/// A run of elements: of one channel, or, where `inner` is 1, of neighbouring channels from `channel` on.
#[derive(Clone, Copy)]
pub(super) struct Run {
    /// Position of the first element.
    pub(super) at: usize,
    /// Index in the first dimension.
    pub(super) n: usize,
    pub(super) channel: usize,
}

/// K numbers for each element, which are summed over the elements of a channel.
pub(super) trait Summands<A: Arith, const K: usize>: Sync {
    /// Adds the numbers of a run of neighbouring channels to their sums. `room` has the length of the run.
    fn add(&self, run: Run, sums: [&mut [A]; K], room: [&mut [A]; K]);
    /// Same as `add` for two runs of the same channels, one after the other.
    fn add_two(&self, [first, second]: [Run; 2], mut sums: [&mut [A]; K], mut room: [&mut [A]; K]) {
        self.add(first, sums.each_mut().map(|s| &mut **s), room.each_mut().map(|r| &mut **r));
        self.add(second, sums, room);
    }
    /// Returns the sums of a range of a channel's elements, which is a chunk. `runs` calls a function with each run of them, and its
    /// position in the chunk and length.
    fn chunk(
        &self,
        n: usize,
        runs: &dyn Fn(&mut dyn FnMut(Run, Range<usize>)),
        room: &mut [[A; CHUNK]; K],
    ) -> [A; K];
}

/// A closure that computes the numbers of a run.
impl<A: Arith, const K: usize, F: Fn(Run, [&mut [A]; K]) + Sync> Summands<A, K> for F {
    fn add(&self, run: Run, sums: [&mut [A]; K], mut room: [&mut [A]; K]) {
        self(run, room.each_mut().map(|r| &mut **r));
        for (sums, row) in sums.into_iter().zip(room) {
            slice_combine(sums, row, A::add);
        }
    }

    fn chunk(
        &self,
        n: usize,
        runs: &dyn Fn(&mut dyn FnMut(Run, Range<usize>)),
        room: &mut [[A; CHUNK]; K],
    ) -> [A; K] {
        runs(&mut |run, part| self(run, room.each_mut().map(|v| &mut v[part.clone()])));
        let sum = Combine { identity: A::ZERO, combine: A::add };
        room.each_ref().map(|v| sum.chunk(&v[..n]))
    }
}

/// For each channel the sums by the tree, over the other two dimensions, of the K numbers of each element.
pub(super) fn channel_sums<A: Arith, const K: usize>(
    sizes: [usize; 3],
    values: impl Summands<A, K>,
) -> Result<Vec<[A; K]>> {
    let [n, channels, inner] = sizes;
    if inner != 1 {
        return each_channel(sizes, |channel| channel_sum(sizes, channel, &values));
    }
    let mut out = scratch::filled(channels, [A::ZERO; K])?;
    // Long rows are read faster than short ones.
    let per = per_thread(channels, 4 * n).next_multiple_of(LEAST);
    try_chunks(&mut out, per, &|t, part| neighbours(sizes, t * per, part, &values))?;
    Ok(out)
}

/// Computes `f(channel)` for each channel.
pub(super) fn each_channel<A: Arith, const K: usize>(
    [n, channels, inner]: [usize; 3],
    f: impl Fn(usize) -> [A; K] + Sync,
) -> Result<Vec<[A; K]>> {
    let mut out = scratch::filled(channels, [A::ZERO; K])?;
    let per = per_task(channels, 4 * n * inner);
    chunks(&mut out, per, &|t, part| {
        part.iter_mut().enumerate().for_each(|(i, o)| *o = f(t * per + i));
    });
    Ok(out)
}

/// The sums of one channel.
pub(super) fn channel_sum<A: Arith, const K: usize>(
    [n, channels, inner]: [usize; 3],
    channel: usize,
    values: &impl Summands<A, K>,
) -> [A; K] {
    let add = |a: [A; K], b: [A; K]| std::array::from_fn(|k| a[k].add(b[k]));
    let sums = Combine { identity: [A::ZERO; K], combine: add };
    let mut room = [[A::ZERO; CHUNK]; K];
    let count = n * inner;
    tree(count, &sums, &mut |k| {
        let (from, to) = (k * CHUNK, count.min((k + 1) * CHUNK));
        let runs = |f: &mut dyn FnMut(Run, Range<usize>)| {
            let mut at = from;
            while at < to {
                let (n, s) = (at / inner, at % inner);
                let end = to.min(at + inner - s);
                let start = (n * channels + channel) * inner + s;
                f(Run { at: start, n, channel }, at - from..end - from);
                at = end;
            }
        };
        values.chunk(to - from, &runs, &mut room)
    })
}

/// The sums of neighbouring channels from `first` on, where `inner` is 1.
fn neighbours<A: Arith, const K: usize>(
    [n, channels, _]: [usize; 3],
    first: usize,
    out: &mut [[A; K]],
    values: &impl Summands<A, K>,
) -> Result<()> {
    let most = WIDTH.min(out.len());
    let parts = n.div_ceil(CHUNK);
    let mut row = scratch::filled(K * most, A::ZERO)?;
    let mut lanes = scratch::filled(K * LANES * most, A::ZERO)?;
    let mut sums = scratch::filled(K * most * parts, A::ZERO)?;
    for (i, out) in out.chunks_mut(WIDTH).enumerate() {
        let (channel, width) = (first + i * WIDTH, out.len());
        for part in 0..parts {
            let rows = part * CHUNK..n.min((part + 1) * CHUNK);
            lanes.fill(A::ZERO);
            // Two rows of each lane at a time: all rows of one lane, which are far apart, would be read slowly.
            for first in rows.clone().step_by(2 * LANES) {
                for lane in 0..LANES.min(rows.end - first) {
                    let mut rooms = row.chunks_mut(most);
                    let room = std::array::from_fn(|_| &mut rooms.next().unwrap_or_default()[..width]);
                    let mut lanes = lanes.chunks_mut(LANES * most);
                    let sums = std::array::from_fn(|_| {
                        &mut lanes.next().unwrap_or_default()[lane * most..][..width]
                    });
                    let run = |n: usize| Run { at: n * channels + channel, n, channel };
                    let (n, next) = (first + lane, first + lane + LANES);
                    if next < rows.end {
                        values.add_two([run(n), run(next)], sums, room);
                    } else {
                        values.add(run(n), sums, room);
                    }
                }
            }
            for (k, lanes) in lanes.chunks_mut(LANES * most).enumerate() {
                let mut half = LANES / 2;
                while half > 0 {
                    let (low, high) = lanes.split_at_mut(half * most);
                    slice_combine(low, high, A::add);
                    half /= 2;
                }
                for (j, sum) in lanes[..width].iter().enumerate() {
                    sums[(k * most + j) * parts + part] = *sum;
                }
            }
        }
        let sum = Combine { identity: A::ZERO, combine: A::add };
        for (j, o) in out.iter_mut().enumerate() {
            *o = std::array::from_fn(|k| match &sums[(k * most + j) * parts..][..parts] {
                [one] => *one,
                several => tree_values(several, &sum),
            });
        }
    }
    Ok(())
}

/// Calls `f(run, its part of the output, two slices of its length)` for runs of at most a chunk.
pub(super) fn each_run<T: Num>(
    [_, channels, inner]: [usize; 3],
    out: &mut [T],
    f: impl Fn(Run, &mut [T], [&mut [T::Acc]; 2]) + Sync,
) {
    let line = if inner == 1 { channels } else { inner };
    let per = per_task(out.len(), 8);
    chunks(out, per, &|t, mut rest| {
        let mut room = [[T::Acc::ZERO; CHUNK]; 2];
        let mut at = t * per;
        while !rest.is_empty() {
            let (k, i) = (at / line, at % line);
            let (now, later) = rest.split_at_mut((line - i).min(rest.len()).min(CHUNK));
            let (n, channel) = if inner == 1 { (k, i) } else { (k / channels, k % channels) };
            let length = now.len();
            f(Run { at, n, channel }, now, room.each_mut().map(|r| &mut r[..length]));
            at += length;
            rest = later;
        }
    });
}
