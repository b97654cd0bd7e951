//! Copies between layouts. Dimensions are visited in the order of the output's memory; where adjacent elements of the input
//! are in another dimension, planes are transposed.
use super::shift::shift;
use super::space::Space;
use super::transpose::{Plane, STREAM, Word, plane};
use super::walk::{Operand, args, outside};
use crate::Result;
use crate::cpu::simd_isa::{self, Work};
use std::mem::size_of;

/// Elements of a copy that is made in one piece if both sides are contiguous.
const SMALL: usize = 64 * 1024;

/// Copies operand 1 to operand 0, which has the same element size. In the dimensions for which `flips` is true, element i is
/// read from the end.
pub fn copy(operands: [Operand<'_>; 2], flips: &dyn Fn(usize) -> bool) -> Result<()> {
    let [to, from] = &operands;
    let n = to.layout.shape().elem_count();
    let usable = to.problem.is_none() && from.problem.is_none() && to.layout.shape() == from.layout.shape();
    let dims = to.layout.dims();
    let flipped = (0..dims.len()).any(flips);
    if usable && n < SMALL && !flipped && to.layout.is_contiguous() && from.layout.is_contiguous() {
        let fits = |o: &Operand<'_>| o.len.checked_sub(n).is_some_and(|room| o.layout.start_offset() <= room);
        if n > 0 && !operands.iter().all(fits) {
            return Err(outside("layout"));
        }
        if n > 0 {
            // SAFETY: the start and the `n` elements after it lie inside the storage, as just checked; the output is
            // borrowed uniquely, so it does not overlap the input.
            unsafe {
                let [to, from] = operands.map(|o| o.ptr.add(o.layout.start_offset() * o.size));
                std::ptr::copy_nonoverlapping(from, to, n * operands[0].size);
            }
        }
        return Ok(());
    }
    let mut args = args(&operands, 1)?;
    if n == 0 {
        return Ok(());
    }
    for d in (0..dims.len()).filter(|d| flips(*d)) {
        let from = &mut args[1];
        from.ptr = from.ptr.wrapping_add((dims[d] - 1) * from.strides[d]);
        from.strides[d] = from.strides[d].wrapping_neg();
    }
    let size = args[0].size;
    let space = Space::new(dims, args).sorted().merged();
    let (part, stream) = (part_of(size), n.saturating_mul(size) >= STREAM);
    space.parallel(2 * size, None, &|s| part(s, stream));
    Ok(())
}

/// Copies operands of the same element size one after the other along a dimension of the operand `to`.
pub fn join(from: &[Operand<'_>], dim: usize, to: &Operand<'_>) -> Result<()> {
    let mut spaces = Vec::with_capacity(from.len());
    let mut start = 0;
    for from in from {
        let len = from.layout.shape().dim(dim)?;
        let layout = to.layout.narrow(dim, start, len)?;
        start += len;
        let args = args(&[Operand { layout: &layout, ..*to }, *from], 1)?;
        if layout.shape().elem_count() > 0 {
            spaces.push(Space::new(layout.dims(), args).sorted().merged());
        }
    }
    let size = to.size;
    let (part, stream) = (part_of(size), to.layout.shape().elem_count().saturating_mul(size) >= STREAM);
    Space::parallel_all(&spaces, 2 * size, &|s| part(s, stream));
    Ok(())
}

/// Returns the function that copies elements of a size.
fn part_of(size: usize) -> fn(&Space<2>, bool) {
    match size {
        1 => part::<u8>,
        2 => part::<u16>,
        4 => part::<u32>,
        8 => part::<u64>,
        _ => part::<[u64; 2]>,
    }
}

/// A copy of a row in reverse order.
struct Reversed<'a, W> {
    from: &'a [W],
    to: &'a mut [W],
}

impl<W: Copy> Work for Reversed<'_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (to, from) in self.to.iter_mut().zip(self.from.iter().rev()) {
            *to = *from;
        }
    }
}

/// Sizes in bytes of runs for which a call of the C library's copy is a large part of the time.
const RUN: std::ops::Range<usize> = 64..1024;

/// Copies of runs of `bytes` bytes each, in [`RUN`].
struct Runs {
    /// The first runs of the output and of the input, and the bytes from one to the next.
    at: [*mut u8; 2],
    steps: [usize; 2],
    count: usize,
    bytes: usize,
}

impl Work for Runs {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        type Line = [u8; 64];
        let [mut to, mut from] = self.at;
        for _ in 0..self.count {
            let mut at = 0;
            while at < self.bytes {
                // The last line begins earlier if the run is not a multiple of one.
                let line = at.min(self.bytes - size_of::<Line>());
                // SAFETY: the line lies inside the runs, which the layouts have, as `part` says; they do not overlap.
                unsafe {
                    let value = from.add(line).cast::<Line>().read_unaligned();
                    to.add(line).cast::<Line>().write_unaligned(value);
                }
                at += size_of::<Line>();
            }
            (to, from) = (to.wrapping_add(self.steps[0]), from.wrapping_add(self.steps[1]));
        }
    }
}

/// Copies the elements of a space that one thread handles. `stream` is for large outputs.
fn part<W: Word>(s: &Space<2>, stream: bool) {
    let size = size_of::<W>();
    let s = &s.merged();
    let last = s.rank - 1;
    let [to, from] = s.args.map(|a| a.strides);
    // The dimension in which elements of the input are nearest to each other.
    let near = (0..s.rank).rev().filter(|k| from[*k] != 0).min_by_key(|k| s.distance(1, *k));
    if let Some(near) = near
        && near != last
        && from[last] != 0
    {
        let s = s.moved(near, last - 1);
        let (rows, cols) = (s.dims[last - 1], s.dims[last]);
        let [to, from] = s.args.map(|a| (a.strides[last - 1], a.strides[last]));
        return s.each(2, |[t, f]| {
            let (to, from) =
                (Plane { ptr: t, row: to.0, col: to.1 }, Plane { ptr: f, row: from.0, col: from.1 });
            // SAFETY: the layouts lie inside their storages and the output does not overlap itself, as `args` checks; the
            // output is borrowed uniquely, so it does not overlap the input.
            unsafe { plane::<W>(from, to, rows, cols, stream) };
        });
    }
    let n = s.dims[last];
    if to[last] == size && from[last] == size.wrapping_neg() {
        return s.each(1, |[t, f]| {
            // SAFETY: as above; the last element of a row that is read backwards lies first in memory, and the storages are
            // aligned for their elements.
            let (to, from) = unsafe {
                let first = f.wrapping_sub((n - 1) * size).cast::<W>();
                (std::slice::from_raw_parts_mut(t.cast::<W>(), n), std::slice::from_raw_parts(first, n))
            };
            simd_isa::run_small(Reversed { from, to });
        });
    }
    let runs = to[last] == size && from[last] == size;
    if runs && last > 0 && RUN.contains(&(n * size)) {
        let (steps, count) = (s.args.map(|a| a.strides[last - 1]), s.dims[last - 1]);
        return s.each(2, |at| simd_isa::run_small(Runs { at, steps, count, bytes: n * size }));
    }
    if runs && (last == 0 || n * size >= 32) {
        // SAFETY: as above.
        return s.each(1, |[t, f]| unsafe { std::ptr::copy_nonoverlapping(f, t, n * size) });
    }
    if last == 0 || n > 16 {
        // SAFETY: as above.
        return s.each(1, |[t, f]| unsafe { shift(size, (f, from[last]), (t, to[last]), n) });
    }
    let rows = s.dims[last - 1];
    let (to, from) = ((to[last - 1], to[last]), (from[last - 1], from[last]));
    s.each(2, |[t, f]| {
        for r in 0..rows {
            let t = t.wrapping_add(r.wrapping_mul(to.0));
            let f = f.wrapping_add(r.wrapping_mul(from.0));
            for c in 0..n {
                let (t, f) = (t.wrapping_add(c.wrapping_mul(to.1)), f.wrapping_add(c.wrapping_mul(from.1)));
                // SAFETY: as above.
                unsafe { *t.cast::<W>() = *f.cast::<W>() };
            }
        }
    });
}
