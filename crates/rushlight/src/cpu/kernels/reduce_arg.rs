//! Positions of extremes: `argmin` and `argmax`.
use super::reduce::Plan;
use super::reduce_tree::{CHUNK, LANES, fold, lanes};
use crate::Element;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::simd_isa::{self, Work};

/// A search of a slice, which is not empty, for an element such that `better` prefers no other.
struct Best<'a, T, F>(&'a [T], F);

impl<T: Copy, F: Fn(T, T) -> bool> Work for Best<'_, T, F> {
    type Output = T;
    #[inline(always)]
    fn run(self) -> T {
        let better = |a, b| if self.1(b, a) { b } else { a };
        fold(lanes(self.0[0], self.0, better), better)
    }
}

/// A search of a slice for the first element to which `better` does not prefer a given one.
struct Position<'a, T, F>(&'a [T], T, F);

impl<T: Copy, F: Fn(T, T) -> bool> Work for Position<'_, T, F> {
    type Output = usize;
    #[inline(always)]
    fn run(self) -> usize {
        // Groups are searched without an early end, so that the search vectorizes. (Loops: an iterator's functions would be
        // compiled without the level's instructions.)
        let mut first = 0;
        for group in self.0.chunks_exact(LANES) {
            let mut found = false;
            for &v in group {
                found |= !self.2(self.1, v);
            }
            if found {
                break;
            }
            first += LANES;
        }
        while first < self.0.len() && self.2(self.1, self.0[first]) {
            first += 1;
        }
        first
    }
}

/// Returns the index of the first element such that `better` prefers no other.
fn best<T: Copy>(p: &Plan, x: &[T], base: usize, better: impl Fn(T, T) -> bool + Copy) -> usize {
    let mut best: Option<(T, usize)> = None;
    let mut at = 0;
    p.runs(base, 0, p.n, &mut |offset, step, count| {
        // A local copy for the loop: a variable that a closure borrows is read from memory each time.
        let mut found = best;
        if step == 1 {
            for (i, block) in x[offset..offset + count].chunks(CHUNK).enumerate() {
                let v = simd_isa::run_small(Best(block, better));
                if found.is_none_or(|(b, _)| better(v, b)) {
                    found = Some((v, at + i * CHUNK + simd_isa::run_small(Position(block, v, better))));
                }
            }
            best = found;
            at += count;
            return;
        }
        for j in 0..count {
            let v = x[offset + j * step];
            if found.is_none_or(|(b, _)| better(v, b)) {
                found = Some((v, at + j));
            }
        }
        best = found;
        at += count;
    });
    best.map_or(0, |b| b.1)
}

/// Returns a function that finds the position of the first extreme among the elements of an output, given their start.
pub(super) fn finder<'a, T: Copy + PartialOrd + Sync>(
    p: &'a Plan,
    x: &'a [T],
    max: bool,
) -> impl Fn(usize) -> usize + Sync + 'a {
    // (Without branches, so that loops vectorize.)
    let better = move |v, b| !nan(b) & (nan(v) | if max { v > b } else { v < b });
    move |base| best(p, x, base, better)
}

/// Writes, for each output, the index that `best(base)` returns.
pub(super) fn reduce_arg<R: Element>(p: &Plan, out: &mut [R], best: &(dyn Fn(usize) -> usize + Sync)) {
    if p.one_element() || p.n == 1 {
        return out.fill(R::from_i128(0));
    }
    let per = per_task(out.len(), p.n);
    chunks(out, per, &|t, part| {
        for (i, o) in part.iter_mut().enumerate() {
            *o = R::from_i128(best(p.base(t * per + i)) as i128);
        }
    });
}

/// Whether a value is NaN, for types that have one.
#[inline(always)]
fn nan<T: PartialEq + Copy>(v: T) -> bool {
    #[allow(clippy::eq_op)]
    {
        v != v
    }
}
