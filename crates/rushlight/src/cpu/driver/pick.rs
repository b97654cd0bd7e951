//! Reads and writes at indices. A walk over the index tensor gives runs of indices, which are converted and checked in
//! small blocks, and the addresses of the lines that they select from.
use super::shift::shift;
use super::space::Space;
use super::walk::{Arg, Operand, arg, args, problem};
use super::{Dst, Sink, Source, Src, input, output};
use crate::cpu::map::slice_combine;
use crate::cpu::{dispatch, scratch};
use crate::ops::IndexMode;
use crate::{DType, Element, Error, Result, Shape};
use std::mem::size_of;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Number of indices that are converted at a time.
const BLOCK: usize = 512;
/// Runs of fewer elements are replaced by runs along a longer dimension.
const FEW: usize = 8;

/// An index tensor for a dimension of `size` elements.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'a> {
    pub from: Src<'a>,
    pub size: usize,
    pub rule: IndexMode,
}

/// The element that an index selects.
enum Index {
    At(usize),
    Skipped,
    OutOfRange,
}

/// An integer type of indices.
trait Number: Element + Into<i64> + num_traits::Bounded {}
impl<T: Element + Into<i64> + num_traits::Bounded> Number for T {}

/// Converts `out.len()` indices, `step` bytes apart, to i64. The largest number of the dtype, where it is to be skipped,
/// becomes the largest i64.
type Load = unsafe fn(from: *const u8, step: usize, rule: IndexMode, out: &mut [i64]);

/// See [`Load`].
///
/// # Safety
/// The indices are initialized.
unsafe fn load<T: Number>(from: *const u8, step: usize, rule: IndexMode, out: &mut [i64]) {
    let skips = rule == IndexMode::MaxSkips;
    for (i, o) in out.iter_mut().enumerate() {
        // SAFETY: the caller's condition; indices are aligned.
        let v = unsafe { *from.wrapping_add(i.wrapping_mul(step)).cast::<T>() };
        *o = if skips && v == T::max_value() { i64::MAX } else { v.into() };
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

    /// Returns the element that a converted index selects.
    #[inline(always)]
    fn at(&self, id: i64) -> Index {
        if (id as u64) < self.size as u64 { Index::At(id as usize) } else { self.rare(id) }
    }

    #[cold]
    fn rare(&self, id: i64) -> Index {
        let from_end = id.wrapping_add(self.size as i64);
        match self.rule {
            IndexMode::FromEnd if id < 0 && from_end >= 0 => Index::At(from_end as usize),
            IndexMode::MaxSkips if id == i64::MAX => Index::Skipped,
            _ => Index::OutOfRange,
        }
    }
}

/// Returns all indices as i64 in row-major order, or `None` if one is out of range. An index to skip becomes -1.
pub fn indices(ids: Indices<'_>) -> Result<Option<Vec<i64>>> {
    let (from, shape) = ids.operand();
    let (load, from) = (ids.load()?, args(&[from], 0)?);
    let mut out = scratch::filled(shape.elem_count(), 0i64)?;
    if out.is_empty() {
        return Ok(Some(out));
    }
    let space = Space::new(shape.dims(), from).merged();
    let (n, step) = (space.dims[space.rank - 1], space.args[0].strides[space.rank - 1]);
    let mut lines = out.chunks_mut(n);
    space.each(1, |[p]| {
        if let Some(line) = lines.next() {
            // SAFETY: the layout lies inside its storage, as `args` checks.
            unsafe { load(p, step, ids.rule, line) };
        }
    });
    for id in &mut out {
        *id = match ids.at(*id) {
            Index::At(at) => at as i64,
            Index::Skipped => -1,
            Index::OutOfRange => return Ok(None),
        };
    }
    Ok(Some(out))
}

/// Returns whether all indices are in range or skipped.
pub fn in_range(ids: Indices<'_>) -> Result<bool> {
    let (from, shape) = ids.operand();
    let (load, from) = (ids.load()?, args(&[from], 0)?);
    let wrong = AtomicBool::new(false);
    Space::new(shape.dims(), from).merged().parallel(8, None, &|s| {
        let (n, step) = (s.dims[s.rank - 1], s.args[0].strides[s.rank - 1]);
        let mut block = [0; BLOCK];
        s.each(1, |[p]| {
            for first in (0..n).step_by(BLOCK) {
                let block = &mut block[..BLOCK.min(n - first)];
                // SAFETY: as for `indices`.
                unsafe { load(p.wrapping_add(first.wrapping_mul(step)), step, ids.rule, block) };
                if block.iter().any(|id| matches!(ids.at(*id), Index::OutOfRange)) {
                    wrong.store(true, Relaxed);
                }
            }
        });
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
#[derive(Clone, Copy)]
struct Run {
    /// The converted indices: one for all elements if the stride is 0, else one for each.
    ids: (*const i64, usize),
    n: usize,
    /// The elements that index 0 selects.
    line: (*mut u8, usize),
    /// Byte stride along a line.
    along: usize,
    /// The elements that the op reads or writes in the order of the indices.
    other: (*mut u8, usize),
}

impl Run {
    /// Calls `f(index, addresses of the elements of the line and of the other operand)` for each element with an index that is
    /// in range, or skipped, and returns whether all are. Strides in bytes that are known to the caller are constants for
    /// the compiler.
    ///
    /// # Safety
    /// The indices are initialized.
    #[inline(always)]
    unsafe fn each(
        &self,
        ids: &Indices<'_>,
        (step, along, other): (usize, usize, usize),
        f: impl Fn(bool, *mut u8, *mut u8),
    ) -> bool {
        let mut right = true;
        for j in 0..self.n {
            // SAFETY: the caller's condition. Another program's memory may change meanwhile, so an index is read once.
            let id = unsafe { self.ids.0.add(j).read_volatile() };
            let to = self.other.0.wrapping_add(j.wrapping_mul(other));
            match ids.at(id) {
                Index::At(at) => {
                    let far = self.line.0.wrapping_add(at.wrapping_mul(along));
                    f(true, far.wrapping_add(j.wrapping_mul(step)), to);
                }
                Index::Skipped => f(false, self.line.0, to),
                Index::OutOfRange => right = false,
            }
        }
        right
    }
}

/// Calls `f` for the runs of a walk over `[other, indices, lines]`, on several threads if there is much work, and returns
/// whether all calls return true. Runs that go to one line are given in row-major order if `ordered`, and the calls of one
/// line come from one thread.
fn runs(
    ids: &Indices<'_>,
    (line, along): (Arg, usize),
    other: Arg,
    ordered: bool,
    f: &(dyn Fn(Run) -> bool + Sync),
) -> Result<bool> {
    let (from, shape) = ids.operand();
    let (load, [from]) = (ids.load()?, args(&[from], 0)?);
    let converted = ids.from.0.dtype() == DType::I64;
    let wrong = AtomicBool::new(false);
    // A dimension of stride 0 in the lines is the indexed one: it is not merged with another.
    let space = Space::new(shape.dims(), [other, from, line]).merged();
    let whole = (0..space.rank).find(|k| ordered && space.args[2].strides[*k] == 0);
    space.parallel(2 * other.size + 24, whole, &|s| {
        // Runs along a long dimension are cheaper than short ones.
        let last = s.rank - 1;
        let long = (0..last).max_by_key(|k| s.dims[*k]).filter(|k| s.dims[last] < FEW && s.dims[*k] >= 64);
        let s = s.moved(long.unwrap_or(last), last);
        let (n, steps) = (s.dims[last], s.args.map(|a| a.strides[last]));
        let direct = converted && (steps[1] == 0 || steps[1] == size_of::<i64>());
        let piece = if direct || steps[1] == 0 { n } else { BLOCK };
        let part = if long.is_some() { BLOCK } else { n };
        let mut block = [0i64; BLOCK];
        let mut right = true;
        for start in (0..n).step_by(part) {
            let end = n.min(start + part);
            s.cut(last, start, end).each(1, |at| {
                for first in (0..end - start).step_by(piece) {
                    let n = piece.min(end - start - first);
                    let [other, from, line] =
                        std::array::from_fn(|k| at[k].wrapping_add(first.wrapping_mul(steps[k])));
                    let mut ids_of = from.cast_const().cast::<i64>();
                    if !direct {
                        let block = &mut block[..if steps[1] == 0 { 1 } else { n }];
                        // SAFETY: the layout lies inside its storage, as `args` checks.
                        unsafe { load(from, steps[1], ids.rule, block) };
                        ids_of = block.as_ptr();
                    }
                    let (line, other) = ((line, steps[2]), (other, steps[0]));
                    right &= f(Run { ids: (ids_of, steps[1]), n, line, along, other });
                }
            });
        }
        if !right {
            wrong.store(true, Relaxed);
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
        8 => pick::<u64>,
        _ => pick::<[u64; 2]>,
    };
    // SAFETY: elements at indices in range lie inside the storages, as `lines` and `args` check.
    runs(&ids, lines(&x, dim, ids.from.1.shape())?, to, false, &|run| unsafe { pick(&ids, run) })
}

/// Reads a run of elements, and returns whether all indices are in range.
///
/// # Safety
/// The indices are initialized, so are the elements at those in range, and those of `other` may be written.
unsafe fn pick<W: Copy + Default>(ids: &Indices<'_>, run: Run) -> bool {
    let size = size_of::<W>();
    if run.ids.1 == 0 {
        let zero = W::default();
        // SAFETY: the caller's condition.
        return unsafe {
            let from = match ids.at(run.ids.0.read_volatile()) {
                Index::At(at) => (run.line.0.wrapping_add(at.wrapping_mul(run.along)), run.line.1),
                Index::Skipped => ((&raw const zero).cast_mut().cast(), 0),
                Index::OutOfRange => return false,
            };
            shift(size, from, run.other, run.n);
            true
        };
    }
    // SAFETY: the caller's condition.
    let one = |some: bool, from: *mut u8, to: *mut u8| unsafe {
        *to.cast::<W>() = if some { *from.cast::<W>() } else { W::default() };
    };
    // SAFETY: as above.
    unsafe {
        match (run.line.1, run.along, run.other.1) {
            (0, along, other) if (along, other) == (size, size) => run.each(ids, (0, size, size), one),
            (step, along, other) => run.each(ids, (step, along, other), one),
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
        let (o_size, s_size) = (size_of::<O>(), size_of::<S>());
        // SAFETY: elements at indices in range lie inside the storages, as `lines` and `args` check; `out` is borrowed
        // uniquely, does not overlap itself, and one thread writes a line.
        let change = |some: bool, to: *mut u8, from: *mut u8| unsafe {
            if some {
                *to.cast::<O>() = put(*to.cast::<O>(), *from.cast::<S>());
            }
        };
        if run.ids.1 == 0 {
            // SAFETY: there is one index.
            let to = match ids.at(unsafe { run.ids.0.read_volatile() }) {
                Index::At(at) => run.line.0.wrapping_add(at.wrapping_mul(run.along)),
                Index::Skipped => return true,
                Index::OutOfRange => return false,
            };
            let (step, other) = (run.line.1, run.other.1);
            if (step, other) == (o_size, s_size) {
                // SAFETY: as above; the operands are different storages, and their elements are contiguous.
                let (to, from) = unsafe {
                    (
                        std::slice::from_raw_parts_mut(to.cast::<O>(), run.n),
                        std::slice::from_raw_parts(run.other.0.cast_const().cast::<S>(), run.n),
                    )
                };
                slice_combine(to, from, put);
            } else {
                let at = |p: *mut u8, j: usize, step: usize| p.wrapping_add(j.wrapping_mul(step));
                (0..run.n).for_each(|j| change(true, at(to, j, step), at(run.other.0, j, other)));
            }
            return true;
        }
        // SAFETY: the layout of the indices lies inside its storage, as `args` checks.
        unsafe {
            match (run.line.1, run.along, run.other.1) {
                (0, along, other) if (along, other) == (o_size, s_size) => {
                    run.each(&ids, (0, o_size, s_size), change)
                }
                (step, along, other) => run.each(&ids, (step, along, other), change),
            }
        }
    })
}
