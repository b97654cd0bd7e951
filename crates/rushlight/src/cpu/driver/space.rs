//! The common dimensions of the operands of a walk: merging them, splitting them over threads, and visiting runs of
//! elements in row-major order without a division for each.
use super::walk::Arg;
use crate::cpu::thread_pool::{parallel_short, tasks};
use crate::shape::MAX_RANK;

/// Bytes that a task should read and write at least: about 10 microseconds of work.
const TASK: usize = 128 * 1024;

/// The dimensions of a walk (at least one), and the operands' byte strides. Strides may be negative, in two's complement.
#[derive(Clone, Copy)]
pub struct Space<const N: usize> {
    pub rank: usize,
    pub dims: [usize; MAX_RANK],
    pub args: [Arg; N],
}

impl<const N: usize> Space<N> {
    /// Makes a space without dimensions of size 1.
    pub fn new(dims: &[usize], mut args: [Arg; N]) -> Self {
        let mut d = [0usize; MAX_RANK];
        let mut rank = 0;
        for (i, &size) in dims.iter().enumerate() {
            if size != 1 {
                d[rank] = size;
                args.iter_mut().for_each(|a| a.strides[rank] = a.strides[i]);
                rank += 1;
            }
        }
        if rank == 0 {
            // One element: treat it as a contiguous dimension of size 1.
            (d[0], rank) = (1, 1);
            args.iter_mut().for_each(|a| a.strides[0] = a.size);
        }
        Self { rank, dims: d, args }
    }

    /// Returns the number of elements.
    pub fn count(&self) -> usize {
        self.dims[..self.rank].iter().product()
    }

    /// Merges adjacent dimensions that have even strides in every operand.
    pub fn merged(mut self) -> Self {
        let mut rank = 1;
        for i in 1..self.rank {
            let size = self.dims[i];
            let even = |a: &Arg| a.strides[rank - 1] == size.wrapping_mul(a.strides[i]);
            if self.args.iter().all(even) {
                self.dims[rank - 1] *= size;
                self.args.iter_mut().for_each(|a| a.strides[rank - 1] = a.strides[i]);
            } else {
                self.dims[rank] = size;
                self.args.iter_mut().for_each(|a| a.strides[rank] = a.strides[i]);
                rank += 1;
            }
        }
        self.rank = rank;
        self
    }

    /// Returns the distance in bytes of adjacent elements of a dimension.
    pub fn distance(&self, arg: usize, dim: usize) -> usize {
        (self.args[arg].strides[dim] as isize).unsigned_abs()
    }

    /// Orders the dimensions by the strides of the first operand, largest first.
    pub fn sorted(mut self) -> Self {
        for i in 1..self.rank {
            for k in (0..i).rev() {
                if self.distance(0, k) >= self.distance(0, k + 1) {
                    break;
                }
                self.swap(k, k + 1);
            }
        }
        self
    }

    fn swap(&mut self, i: usize, k: usize) {
        self.dims.swap(i, k);
        self.args.iter_mut().for_each(|a| a.strides.swap(i, k));
    }

    /// Moves a dimension to another position, and keeps the order of the others.
    pub fn moved(mut self, from: usize, to: usize) -> Self {
        for k in from..to {
            self.swap(k, k + 1);
        }
        self
    }

    /// Returns the part in which the index of a dimension is in `from..to`.
    pub fn cut(mut self, dim: usize, from: usize, to: usize) -> Self {
        self.dims[dim] = to - from;
        for a in &mut self.args {
            a.ptr = a.ptr.wrapping_add(from.wrapping_mul(a.strides[dim]));
        }
        self
    }

    /// Returns part `t` of `tasks` parts of about equal size, which may be empty. No part cuts dimension `whole`.
    fn part(self, mut t: usize, mut tasks: usize, whole: Option<usize>) -> Self {
        let mut s = self;
        while tasks > 1 {
            let free = || (0..s.rank).filter(|k| Some(*k) != whole);
            let large = free().find(|k| s.dims[*k] >= 4 * tasks);
            let Some(k) = large.or_else(|| free().max_by_key(|k| s.dims[*k])) else {
                return if t == 0 { s } else { s.cut(0, 0, 0) };
            };
            let left = tasks / 2;
            let mut at = (s.dims[k] as u128 * left as u128 / tasks as u128) as usize;
            if at >= 64 && s.distance(0, k) == s.args[0].size {
                // Threads do not share cache lines of the output.
                at &= !63;
            }
            (t, tasks, s) = match t < left {
                true => (t, left, s.cut(k, 0, at)),
                false => (t - left, tasks - left, s.cut(k, at, s.dims[k])),
            };
        }
        s
    }

    /// Calls `f` for parts of the space, on several threads if there is much work: `cost` is the number of bytes that are
    /// read and written for an element. No part cuts dimension `whole`.
    pub fn parallel(self, cost: usize, whole: Option<usize>, f: &(impl Fn(&Self) + Sync)) {
        let count = self.count();
        if count == 0 {
            return;
        }
        let tasks = tasks(count.saturating_mul(cost) / TASK);
        if tasks <= 1 {
            return f(&self);
        }
        parallel_short(tasks, &|t| {
            let part = self.part(t, tasks, whole);
            if part.count() > 0 {
                f(&part);
            }
        });
    }

    /// Same as [`Self::parallel`] for each of several spaces, in one parallel run.
    pub fn parallel_all(spaces: &[Self], cost: usize, f: &(impl Fn(&Self) + Sync)) {
        let all = spaces.iter().map(Self::count).fold(0, usize::saturating_add);
        let tasks = tasks(all.saturating_mul(cost) / TASK);
        if tasks <= 1 {
            return spaces.iter().filter(|s| s.count() > 0).for_each(f);
        }
        let share = |n: usize, of: usize, parts: usize| (n as u128 * of as u128 / parts as u128) as usize;
        // The elements of all spaces are counted through. A space is cut into parts of at most a task's elements, and a task
        // does the parts that begin among its own elements.
        parallel_short(tasks, &|t| {
            let (from, to) = (share(all, t, tasks), share(all, t + 1, tasks));
            let mut at = 0;
            for s in spaces {
                let count = s.count();
                if at < to && at + count > from {
                    let parts = (count as u128 * tasks as u128).div_ceil(all as u128) as usize;
                    for part in (0..parts).filter(|p| (from..to).contains(&(at + share(count, *p, parts)))) {
                        let part = s.part(part, parts, None);
                        if part.count() > 0 {
                            f(&part);
                        }
                    }
                }
                at += count;
            }
        });
    }

    /// Calls `f` with the operands' addresses for each index of all but the last `inner` dimensions, in row-major order.
    pub fn each(&self, inner: usize, mut f: impl FnMut([*mut u8; N])) {
        let mut at = self.args.map(|a| a.ptr);
        let Some(last) = self.rank.saturating_sub(inner).checked_sub(1) else {
            return f(at);
        };
        let mut index = [0usize; MAX_RANK];
        loop {
            let mut p = at;
            for _ in 0..self.dims[last] {
                f(p);
                for (p, a) in p.iter_mut().zip(&self.args) {
                    *p = p.wrapping_add(a.strides[last]);
                }
            }
            let mut k = last;
            loop {
                if k == 0 {
                    return;
                }
                k -= 1;
                index[k] += 1;
                if index[k] < self.dims[k] {
                    for (p, a) in at.iter_mut().zip(&self.args) {
                        *p = p.wrapping_add(a.strides[k]);
                    }
                    break;
                }
                index[k] = 0;
                for (p, a) in at.iter_mut().zip(&self.args) {
                    *p = p.wrapping_sub((self.dims[k] - 1).wrapping_mul(a.strides[k]));
                }
            }
        }
    }
}
