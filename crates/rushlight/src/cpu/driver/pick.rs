//! Reads and writes at indices. A walk over the index tensor gives runs of indices, which are converted and checked in
//! small blocks, and the addresses of the lines that they select from.
use super::space::Space;
use super::walk::{Arg, Operand, arg, args, problem, shift};
use super::{Dst, Sink, Source, Src, input, output};
use crate::cpu::{dispatch, scratch};
use crate::ops::IndexMode;
use crate::{Element, Error, Result, Shape};
use std::mem::size_of;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// The converted value of an index that is skipped: the largest number of its index dtype.
pub const SENTINEL: i64 = -1;

/// Number of indices that are converted at a time.
const BLOCK: usize = 512;

/// An index tensor for a dimension of `size` elements.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    pub from: Src<'a>,
    pub size: usize,
    pub rule: IndexMode,
}

/// An integer type of indices.
trait Number: Element + Into<i64> + num_traits::Bounded {}
impl<T: Element + Into<i64> + num_traits::Bounded> Number for T {}

/// Converts `out.len()` indices, `step` bytes apart, to i64, and returns whether all are valid. An index to skip becomes
/// [`SENTINEL`].
type Load = unsafe fn(from: *const u8, step: usize, size: i64, rule: IndexMode, out: &mut [i64]) -> bool;

/// See [`Load`].
///
/// # Safety
/// The indices are initialized.
unsafe fn load<T: Number>(from: *const u8, step: usize, size: i64, rule: IndexMode, out: &mut [i64]) -> bool {
    #[inline(always)]
    fn each<T: Number>(size: i64, rule: IndexMode, out: &mut [i64], read: impl Fn(usize) -> T) -> bool {
        // Negative if an index is negative or beyond the last.
        let mut wrong = 0i64;
        match rule {
            IndexMode::Within => out.iter_mut().enumerate().for_each(|(i, o)| {
                *o = read(i).into();
                wrong |= *o | ((size - 1).wrapping_sub(*o));
            }),
            IndexMode::FromEnd => out.iter_mut().enumerate().for_each(|(i, o)| {
                let v: i64 = read(i).into();
                *o = v + (size & (v >> 63));
                wrong |= *o | ((size - 1).wrapping_sub(*o));
            }),
            IndexMode::MaxSkips => out.iter_mut().enumerate().for_each(|(i, o)| {
                let v = read(i);
                if v == T::max_value() {
                    *o = SENTINEL;
                } else {
                    *o = v.into();
                    wrong |= *o | ((size - 1).wrapping_sub(*o));
                }
            }),
        }
        wrong >= 0
    }
    // SAFETY: the caller's condition; indices are aligned.
    let at = |i: usize, step: usize| unsafe { *from.wrapping_add(i.wrapping_mul(step)).cast::<T>() };
    if step == size_of::<T>() {
        each(size, rule, out, |i| at(i, size_of::<T>()))
    } else {
        each(size, rule, out, |i| at(i, step))
    }
}

impl Indices<'_> {
    fn load(&self) -> Result<Load> {
        dispatch!(self.from.0.dtype(), "index", INDEX => T { Ok(load::<T> as Load) })
    }

    /// Returns the index tensor as an operand of a walk, and its shape.
    fn operand(&self) -> (Operand<'_>, &Shape) {
        (input(self.from, self.from.0.dtype()), self.from.1.shape())
    }
}

/// Returns all indices as i64 in row-major order, or `None` if one is out of range. An index to skip becomes [`SENTINEL`].
pub fn indices(ids: Indices<'_>) -> Result<Option<Vec<i64>>> {
    let (from, shape) = ids.operand();
    let (load, from) = (ids.load()?, args(&[from], 0)?);
    let mut out = scratch::filled(shape.elem_count(), 0i64)?;
    if out.is_empty() {
        return Ok(Some(out));
    }
    let space = Space::new(shape.dims(), from).merged();
    let (n, step) = (space.dims[space.rank - 1], space.args[0].strides[space.rank - 1]);
    let (mut right, mut lines) = (true, out.chunks_mut(n));
    space.each(1, |[p]| {
        // SAFETY: the layout lies inside its storage, as `args` checks.
        right &= lines.next().is_some_and(|line| unsafe { load(p, step, ids.size as i64, ids.rule, line) });
    });
    Ok(right.then_some(out))
}

/// Returns whether all indices are in range or skipped.
pub fn in_range(ids: Indices<'_>) -> Result<bool> {
    let (from, shape) = ids.operand();
    let (load, size, from) = (ids.load()?, ids.size as i64, args(&[from], 0)?);
    let wrong = AtomicBool::new(false);
    Space::new(shape.dims(), from).merged().parallel(8, None, &|s| {
        let (n, step) = (s.dims[s.rank - 1], s.args[0].strides[s.rank - 1]);
        let mut block = [0; BLOCK];
        let mut right = true;
        s.each(1, |[p]| {
            for first in (0..n).step_by(BLOCK) {
                let block = &mut block[..BLOCK.min(n - first)];
                // SAFETY: as for `indices`.
                right &=
                    unsafe { load(p.wrapping_add(first.wrapping_mul(step)), step, size, ids.rule, block) };
            }
        });
        if !right {
            wrong.store(true, Relaxed);
        }
    });
    Ok(!wrong.into_inner())
}

/// Returns the lines of an operand that indices in dimension `dim` select from, as an operand of the shape of the indices,
/// and the byte stride along the lines.
fn lines(o: &Operand<'_>, dim: usize, shape: &Shape) -> Result<(Arg, usize)> {
    let (dims, all) = (shape.dims(), o.layout.dims());
    let fits = dims.len() == all.len() && (0..dims.len()).all(|d| d == dim || dims[d] <= all[d]);
    if !fits || dim >= dims.len() {
        return Err(Error::invalid("layout", "an index has another shape than its tensor"));
    }
    let mut line = arg(o)?;
    let along = std::mem::take(&mut line.strides[dim]);
    Ok((line, along))
}

/// A run of elements at indices. Operands are given by an address and a byte stride.
struct Run<'a> {
    /// The indices: one for all elements, or one for each.
    ids: &'a [i64],
    n: usize,
    /// The elements that index 0 selects.
    line: (*mut u8, usize),
    /// Byte stride along a line.
    along: usize,
    /// The elements that the op reads or writes in the order of the indices.
    other: (*mut u8, usize),
}

/// Calls `f` for the runs of a walk over `[other, indices, lines]`, on several threads if there is much work, and returns
/// whether all indices were right. Runs that go to one line are given in row-major order if `ordered`, and the calls of one
/// line come from one thread.
fn runs(
    ids: &Indices<'_>,
    (line, along): (Arg, usize),
    other: Arg,
    ordered: bool,
    f: &(dyn Fn(Run<'_>) + Sync),
) -> Result<bool> {
    let (from, shape) = ids.operand();
    let (load, size, [from]) = (ids.load()?, ids.size as i64, args(&[from], 0)?);
    let wrong = AtomicBool::new(false);
    // A dimension of stride 0 in the lines is the indexed one: it is not merged with another.
    let space = Space::new(shape.dims(), [other, from, line]).merged();
    let whole = (0..space.rank).find(|k| ordered && space.args[2].strides[*k] == 0);
    space.parallel(2 * other.size + 24, whole, &|s| {
        // Runs along a long dimension are cheaper than short ones.
        let last = s.rank - 1;
        let long = (0..last).max_by_key(|k| s.dims[*k]).filter(|k| s.dims[last] < 8 && s.dims[*k] >= 64);
        let s = s.moved(long.unwrap_or(last), last);
        let (n, steps) = (s.dims[last], s.args.map(|a| a.strides[last]));
        let mut block = [0; BLOCK];
        let piece = if steps[1] == 0 { n } else { BLOCK };
        let part = if long.is_some() { piece } else { n };
        for start in (0..n).step_by(part) {
            let end = n.min(start + part);
            s.cut(last, start, end).each(1, |at| {
                for first in (0..end - start).step_by(piece) {
                    let n = piece.min(end - start - first);
                    let ids_of = &mut block[..if steps[1] == 0 { 1 } else { n }];
                    let [other, from, line] =
                        std::array::from_fn(|k| at[k].wrapping_add(first.wrapping_mul(steps[k])));
                    // SAFETY: the layout lies inside its storage, as `args` checks.
                    if unsafe { load(from, steps[1], size, ids.rule, ids_of) } {
                        f(Run { ids: ids_of, n, line: (line, steps[2]), along, other: (other, steps[0]) });
                    } else {
                        wrong.store(true, Relaxed);
                    }
                }
            });
        }
    });
    Ok(!wrong.into_inner())
}

/// Computes `out[.., j, ..] = x[.., ids[.., j, ..], ..]`, with 0 for indices to skip. Returns false, with unspecified elements,
/// if an index is out of range.
pub fn gather(dim: usize, ids: Indices<'_>, x: Src<'_>, out: Dst<'_>) -> Result<bool> {
    let dtype = x.0.dtype();
    let (x, out) = (input(x, dtype), output(out, dtype));
    if out.layout.shape() != ids.from.1.shape() {
        return Err(Error::invalid("layout", "operands of a walk have different shapes"));
    }
    let [to] = args(&[out], 1)?;
    let pick = match to.size {
        1 => pick::<u8>,
        2 => pick::<u16>,
        4 => pick::<u32>,
        _ => pick::<u64>,
    };
    // SAFETY: indices are in range, so that elements lie inside the storages, as `lines` and `args` check.
    runs(&ids, lines(&x, dim, ids.from.1.shape())?, to, false, &|run| unsafe { pick(run) })
}

/// Reads a run of elements.
///
/// # Safety
/// The indices are in range or [`SENTINEL`], the elements are initialized, and those of `other` may be written.
unsafe fn pick<W: Copy + Default>(run: Run<'_>) {
    let Run { ids, n, line, along, other } = run;
    let size = size_of::<W>();
    let far = |id: i64, step: usize| line.0.wrapping_add((id as usize).wrapping_mul(step));
    // SAFETY: the caller's condition.
    unsafe {
        if let [id] = *ids {
            if id == SENTINEL {
                let zero = W::default();
                return shift(size, ((&raw const zero).cast_mut().cast(), 0), other, n);
            }
            return shift(size, (far(id, along), line.1), other, n);
        }
        if other.1 == size && line.1 == 0 && along == size {
            for (j, &id) in ids.iter().enumerate() {
                let v = if id == SENTINEL { W::default() } else { *far(id, size).cast::<W>() };
                *other.0.cast::<W>().add(j) = v;
            }
            return;
        }
        for (j, &id) in ids.iter().enumerate() {
            let from = far(id, along).wrapping_add(j.wrapping_mul(line.1));
            let v = if id == SENTINEL { W::default() } else { *from.cast::<W>() };
            *other.0.wrapping_add(j.wrapping_mul(other.1)).cast::<W>() = v;
        }
    }
}

/// Computes `out[.., ids[.., j, ..], ..] = put(that element, from[.., j, ..])` for each index that is not skipped, in row-major
/// order for each element of `out`. If an index is out of range, returns false, with unspecified elements.
pub fn scatter<'a, O: Copy, S: Copy>(
    dim: usize,
    ids: Indices<'_>,
    from: impl Source<'a, S>,
    out: impl Sink<'a, O>,
    put: &(impl Fn(O, S) -> O + Sync),
) -> Result<bool> {
    let (from, out) = (from.operand(), out.operand());
    if out.problem.is_some() {
        return Err(problem(&[out]));
    }
    let [read] = args(&[from], 0)?;
    if from.layout.shape() != ids.from.1.shape() {
        return Err(Error::invalid("layout", "operands of a walk have different shapes"));
    }
    if out.layout.may_overlap_itself() {
        return Err(Error::invalid("layout", "an output names the same element twice"));
    }
    let line = lines(&out, dim, ids.from.1.shape())?;
    runs(&ids, line, read, true, &|run| {
        let Run { ids, n, line, along, other } = run;
        let (o_size, s_size) = (size_of::<O>(), size_of::<S>());
        // SAFETY: indices are in range, so that elements lie inside the storages, as `lines` and `args` check; `out` is
        // borrowed uniquely, does not overlap itself, and one thread writes a line.
        let change = |to: *mut u8, from: *mut u8| unsafe {
            *to.cast::<O>() = put(*to.cast::<O>(), *from.cast::<S>());
        };
        if let [id] = *ids {
            if id == SENTINEL {
                return;
            }
            let to = line.0.wrapping_add((id as usize).wrapping_mul(along));
            if (line.1, other.1) == (o_size, s_size) {
                // A constant stride, for the compiler.
                (0..n).for_each(|j| change(to.wrapping_add(j * o_size), other.0.wrapping_add(j * s_size)));
            } else {
                let at = |p: *mut u8, j: usize, step: usize| p.wrapping_add(j.wrapping_mul(step));
                (0..n).for_each(|j| change(at(to, j, line.1), at(other.0, j, other.1)));
            }
            return;
        }
        for (j, &id) in ids.iter().enumerate() {
            if id != SENTINEL {
                let to = line.0.wrapping_add((id as usize).wrapping_mul(along));
                change(
                    to.wrapping_add(j.wrapping_mul(line.1)),
                    other.0.wrapping_add(j.wrapping_mul(other.1)),
                );
            }
        }
    })
}
