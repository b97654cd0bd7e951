//! The walk over the elements of operands of one shape, compiled once for each number of operands.
use super::shift::{LINE, Side, gather, shift, shift_tile};
use super::space::Space;
use crate::cpu::buffer;
use crate::cpu::thread_pool::{parallel_short, tasks};
use crate::shape::MAX_RANK;
use crate::{DType, Error, Layout, Result};
use std::mem::MaybeUninit;

/// Least number of elements of a task. An op on fewer than twice as many elements runs on the calling thread.
pub const GRAIN: usize = 16 * 1024;

/// Size in bytes of the buffer into which a block of an operand's elements is gathered.
const BLOCK: usize = 4096;
/// Length from which runs of the innermost dimension are handled one by one; shorter runs are handled in blocks of
/// several.
const LONG: usize = 16;
/// Same as `LONG`, if an operand has the same run throughout.
const REPEATED: usize = 256;
/// Columns of a tile.
const COLUMNS: usize = BLOCK / LINE;

/// One operand: a pointer to `len` elements of `size` bytes, and the layout that selects some of them.
#[derive(Clone, Copy, Debug)]
pub struct Operand<'a> {
    pub(super) ptr: *mut u8,
    pub(super) len: usize,
    pub(super) size: usize,
    pub(super) layout: &'a Layout,
    /// The reason why the operand cannot be used, if there is one.
    pub(super) problem: Option<Problem>,
}

#[derive(Clone, Copy, Debug)]
pub enum Problem {
    DType { expected: DType, got: DType },
    Memory,
}

/// Returns the error for the first problem among the operands; the output comes first.
#[cold]
pub fn problem(operands: &[Operand<'_>]) -> Error {
    for (i, o) in operands.iter().enumerate() {
        match o.problem {
            Some(Problem::Memory) => return buffer::no_memory(o.len * o.size),
            Some(Problem::DType { expected, got }) => {
                return Error::dtype(if i == 0 { "output" } else { "unexpected dtype" }, expected, got);
            }
            None => {}
        }
    }
    Error::invalid("layout", "an operand cannot be used")
}

/// One operand of a walk: first element, element size, and byte strides per dimension.
#[derive(Clone, Copy)]
pub struct Arg {
    pub ptr: *mut u8,
    pub size: usize,
    pub strides: [usize; MAX_RANK],
}

// SAFETY: an `Arg` only holds an address; the walk gives every thread its own elements.
unsafe impl Send for Arg {}
// SAFETY: as above.
unsafe impl Sync for Arg {}

pub fn outside(op: &'static str) -> Error {
    Error::invalid(op, "a layout reaches outside its storage")
}

/// Checks that a layout lies inside the operand's memory, and returns the first element and byte strides.
pub fn arg(o: &Operand<'_>) -> Result<Arg> {
    let l = o.layout;
    let empty = l.shape().elem_count() == 0;
    if !empty && l.end().is_none_or(|e| e > o.len) {
        return Err(outside("layout"));
    }
    let mut strides = [0; MAX_RANK];
    for (s, l) in strides.iter_mut().zip(l.stride()) {
        *s = l * o.size;
    }
    let start = if empty { 0 } else { l.start_offset() };
    // SAFETY: `start` is at most `len` (checked through `end`).
    Ok(Arg { ptr: unsafe { o.ptr.add(start * o.size) }, size: o.size, strides })
}

/// A row kernel. (A trait and not a `dyn Fn`, whose vtable would contain the loop three times: for `call`, `call_mut`
/// and `call_once`.)
pub trait Row<const N: usize>: Sync {
    /// Runs on `n` contiguous elements of each operand.
    fn run(&self, starts: [*mut u8; N], n: usize);
    /// Whether `run_scalar` differs from `run`.
    fn has_scalar(&self) -> bool {
        false
    }
    /// Same as `run`, but the last operand has one element, used for all `n` elements of the others.
    fn run_scalar(&self, starts: [*mut u8; N], n: usize) {
        self.run(starts, n);
    }
}

/// A closure as a [`Row`].
pub struct Kernel<F>(pub F);

/// Two closures as a [`Row`]: `run`, and `run_scalar` for a last operand of one element.
pub struct WithScalar<F, G>(pub F, pub G);

impl<const N: usize, F, G> Row<N> for WithScalar<F, G>
where
    F: Fn([*mut u8; N], usize) + Sync,
    G: Fn([*mut u8; N], usize) + Sync,
{
    fn run(&self, starts: [*mut u8; N], n: usize) {
        (self.0)(starts, n);
    }
    fn has_scalar(&self) -> bool {
        true
    }
    fn run_scalar(&self, starts: [*mut u8; N], n: usize) {
        (self.1)(starts, n);
    }
}

impl<const N: usize, F: Fn([*mut u8; N], usize) + Sync> Row<N> for Kernel<F> {
    fn run(&self, starts: [*mut u8; N], n: usize) {
        (self.0)(starts, n);
    }
}

pub fn kernel<const N: usize, F: Fn([*mut u8; N], usize) + Sync>(f: F) -> Kernel<F> {
    Kernel(f)
}

/// The work to do on the elements of a walk.
#[derive(Clone, Copy)]
pub enum Work<'a, const N: usize> {
    /// Operand 0 is computed from the others.
    Compute(&'a dyn Row<N>),
    /// All operands but the last are computed from themselves and the last.
    Update(&'a dyn Row<N>),
}

/// Checks operands of one shape, the first `outs` of which are written, and returns them with byte strides.
pub fn args<const N: usize>(operands: &[Operand<'_>; N], outs: usize) -> Result<[Arg; N]> {
    if operands.iter().any(|o| o.problem.is_some()) {
        return Err(problem(operands));
    }
    let shape = operands[0].layout.shape();
    if operands.iter().any(|o| o.layout.shape() != shape) {
        return Err(Error::invalid("layout", "operands of a walk have different shapes"));
    }
    if operands[..outs].iter().any(|o| o.layout.may_overlap_itself()) {
        return Err(Error::invalid("layout", "an output names the same element twice"));
    }
    let mut args = [Arg { ptr: std::ptr::null_mut(), size: 0, strides: [0; MAX_RANK] }; N];
    for (a, o) in args.iter_mut().zip(operands) {
        *a = arg(o)?;
    }
    Ok(args)
}

/// Does the work over operands of one shape: as one run if all are row-major and small, else by a walk.
pub fn run<const N: usize>(operands: [Operand<'_>; N], work: Work<'_, N>) -> Result<()> {
    if operands.iter().any(|o| o.problem.is_some()) {
        return Err(problem(&operands));
    }
    let first = operands[0].layout;
    let shape = first.shape();
    // Usually a new output and its input share one layout object.
    let mut contiguous = first.is_contiguous();
    for o in &operands[1..] {
        if std::ptr::eq(o.layout, first) {
            continue;
        }
        if o.layout.shape() != shape {
            return Err(Error::invalid("layout", "operands of a walk have different shapes"));
        }
        contiguous &= o.layout.is_contiguous();
    }
    if contiguous {
        let n = shape.elem_count();
        if n == 0 {
            return Ok(());
        }
        if n < 2 * GRAIN {
            let fits =
                |o: &Operand<'_>| o.len.checked_sub(n).is_some_and(|room| o.layout.start_offset() <= room);
            if !operands.iter().all(fits) {
                return Err(outside("layout"));
            }
            // SAFETY: the start and the `n` elements after it lie inside the storage, as just checked.
            let starts = operands.map(|o| unsafe { o.ptr.add(o.layout.start_offset() * o.size) });
            match work {
                Work::Compute(row) | Work::Update(row) => row.run(starts, n),
            }
            return Ok(());
        }
    }
    let outs = if let Work::Update(_) = work { N - 1 } else { 1 };
    walk(shape.dims(), args(&operands, outs)?, work);
    Ok(())
}

/// Merges dimensions, and does the work, on several threads if there is much of it.
fn walk<const N: usize>(dims: &[usize], args: [Arg; N], work: Work<'_, N>) {
    let space = Space::new(dims, args).merged();
    let total = space.count();
    if total == 0 {
        return;
    }
    let part = Part { dims: &space.dims[..space.rank], args: space.args, work };
    if total < 2 * GRAIN {
        return part.range(0, total);
    }
    let per = total.div_ceil(tasks(total / GRAIN)).next_multiple_of(64);
    parallel_short(total.div_ceil(per), &|t| part.range(t * per, ((t + 1) * per).min(total)));
}

/// A walk with collapsed dimensions (at least one).
struct Part<'a, const N: usize> {
    dims: &'a [usize],
    args: [Arg; N],
    work: Work<'a, N>,
}

/// A position in a walk: the indices of all dimensions but the innermost, the address of that row in each operand, and
/// the column in it.
#[derive(Clone, Copy)]
struct Position<const N: usize> {
    index: [usize; MAX_RANK],
    rows: [*mut u8; N],
    col: usize,
}

/// Options for the elements of a range.
struct Plan<'a, const N: usize> {
    row: &'a dyn Row<N>,
    /// Number of operands that are written.
    outs: usize,
    /// Whether the outputs are read, too.
    update: bool,
    /// Whether to call `run_scalar`.
    scalar: bool,
    /// For each operand, whether the kernel uses its memory directly, without a buffer.
    direct: [bool; N],
}

impl<const N: usize> Plan<'_, N> {
    fn first_input(&self) -> usize {
        if self.update { 0 } else { self.outs }
    }
}

/// A buffer for a block of elements of one operand.
type Buffer = MaybeUninit<[u64; BLOCK / 8]>;

impl<const N: usize> Part<'_, N> {
    fn position(&self, start: usize) -> Position<N> {
        let (outer, inner) = (self.dims.len() - 1, self.dims[self.dims.len() - 1]);
        let mut index = [0usize; MAX_RANK];
        let mut rest = start / inner;
        for i in (0..outer).rev() {
            index[i] = rest % self.dims[i];
            rest /= self.dims[i];
        }
        let rows = self.args.map(|a| {
            let off: usize = (0..outer).map(|i| index[i] * a.strides[i]).sum();
            a.ptr.wrapping_add(off)
        });
        Position { index, rows, col: start % inner }
    }

    /// Advances by `n` elements. Calls `f(addresses, elements before, elements)` for each run on the way.
    fn advance(&self, p: &mut Position<N>, n: usize, mut f: impl FnMut(&[*mut u8; N], usize, usize)) {
        let (outer, inner) = (self.dims.len() - 1, self.dims[self.dims.len() - 1]);
        let mut done = 0;
        while done < n {
            let m = (inner - p.col).min(n - done);
            f(&self.starts(p), done, m);
            done += m;
            p.col += m;
            if p.col < inner {
                return;
            }
            p.col = 0;
            for i in (0..outer).rev() {
                p.index[i] += 1;
                if p.index[i] < self.dims[i] {
                    for k in 0..N {
                        p.rows[k] = p.rows[k].wrapping_add(self.args[k].strides[i]);
                    }
                    break;
                }
                p.index[i] = 0;
                for k in 0..N {
                    p.rows[k] = p.rows[k].wrapping_sub((self.dims[i] - 1) * self.args[k].strides[i]);
                }
            }
        }
    }

    /// Returns the address of each operand's element at a position.
    fn starts(&self, p: &Position<N>) -> [*mut u8; N] {
        let last = self.dims.len() - 1;
        std::array::from_fn(|k| p.rows[k].wrapping_add(p.col * self.args[k].strides[last]))
    }

    /// Does the work for the elements `start..end` of the walk.
    fn range(&self, start: usize, end: usize) {
        let last = self.dims.len() - 1;
        let inner = self.dims[last];
        let (row, update) = match self.work {
            Work::Compute(row) => (row, false),
            Work::Update(row) => (row, true),
        };
        let long = last == 0 || inner >= if self.repeats_rows() { REPEATED } else { LONG };
        let steps = self.args.map(|a| a.strides[last]);
        let scalar = long && !update && steps[N - 1] == 0 && row.has_scalar();
        // Operands whose elements are contiguous within a block.
        let mut direct: [bool; N] = std::array::from_fn(|k| {
            let a = &self.args[k];
            steps[k] == a.size && (long || self.contiguous(a))
        });
        direct[N - 1] |= scalar;
        let plan = Plan { row, outs: if update { N - 1 } else { 1 }, update, scalar, direct };
        // Adjacent elements of such an operand are in the second-last dimension: tiles use whole cache lines of it at
        // once.
        let across = |a: &Arg| last > 0 && (1..a.strides[last]).contains(&a.strides[last - 1]);
        if inner < COLUMNS / 2 || !self.args.iter().any(across) {
            return self.blocks(&plan, long, start, end);
        }
        let most = LINE / self.args.iter().map(|a| a.size).max().unwrap_or(1);
        let rows = self.dims[last - 1];
        let mut at = start;
        while at < end {
            let (i, col) = (at / inner, at % inner);
            let r = (rows - i % rows).min((end - at) / inner).min(most);
            let next = if col == 0 && r > 0 { at + r * inner } else { end.min((i + 1) * inner) };
            if col == 0 && r > 0 {
                self.tiles(&plan, at, r);
            } else {
                self.blocks(&plan, long, at, next);
            }
            at = next;
        }
    }

    /// Calls `f(addresses, elements)` for each run of the elements `start..end`.
    fn runs(&self, start: usize, end: usize, f: impl Fn([*mut u8; N], usize)) {
        let mut at = self.position(start);
        self.advance(&mut at, end - start, |starts, _, n| f(*starts, n));
    }

    /// Does the work for `r` whole rows of the innermost dimension, in tiles.
    fn tiles(&self, plan: &Plan<'_, N>, start: usize, r: usize) {
        let (last, first) = (self.dims.len() - 1, self.position(start).rows);
        let mut buffers = [Buffer::uninit(); N];
        let buffers: [*mut u8; N] = std::array::from_fn(|k| buffers[k].as_mut_ptr().cast());
        for col in (0..self.dims[last]).step_by(COLUMNS) {
            let n = COLUMNS.min(self.dims[last] - col);
            // The tile of each operand in its own memory.
            let own: [Side; N] = std::array::from_fn(|k| {
                let a = &self.args[k];
                Side {
                    ptr: first[k].wrapping_add(col * a.strides[last]),
                    step: a.strides[last],
                    row: a.strides[last - 1],
                }
            });
            let used: [Side; N] = std::array::from_fn(|k| {
                let size = self.args[k].size;
                if plan.direct[k] { own[k] } else { Side { ptr: buffers[k], step: size, row: n * size } }
            });
            for k in (plan.first_input()..N).filter(|k| !plan.direct[*k]) {
                // SAFETY: as above; a buffer has room for `r` rows of `n` elements.
                unsafe { shift_tile(self.args[k].size, &own[k], &used[k], n, r) };
            }
            for i in 0..r {
                let starts = used.map(|u| u.ptr.wrapping_add(i * u.row));
                if plan.scalar { plan.row.run_scalar(starts, n) } else { plan.row.run(starts, n) }
            }
            for k in (0..plan.outs).filter(|k| !plan.direct[*k]) {
                // SAFETY: as above; no other tile contains these output elements.
                unsafe { shift_tile(self.args[k].size, &used[k], &own[k], n, r) };
            }
        }
    }

    /// Does the work for the elements `start..end`, in runs of the innermost dimension or in blocks of several runs.
    fn blocks(&self, plan: &Plan<'_, N>, long: bool, start: usize, end: usize) {
        let last = self.dims.len() - 1;
        let inner = self.dims[last];
        let Plan { row, outs, scalar, direct, .. } = *plan;
        let steps = self.args.map(|a| a.strides[last]);
        let sizes = self.args.map(|a| a.size);
        if long && direct == [true; N] {
            return match scalar {
                true => self.runs(start, end, |p, n| row.run_scalar(p, n)),
                false => self.runs(start, end, |p, n| row.run(p, n)),
            };
        }
        let buffered = direct.contains(&false);
        let block = if buffered { BLOCK / sizes.into_iter().max().unwrap_or(1) } else { usize::MAX };
        // Operands whose blocks are equal, if they begin in the same column.
        let repeats: [bool; N] = std::array::from_fn(|k| !long && !direct[k] && self.repeats(&self.args[k]));
        let block = if repeats.contains(&true) && block > inner { block - block % inner } else { block };
        let mut buffers = [Buffer::uninit(); N];
        let buffers: [*mut u8; N] = std::array::from_fn(|k| buffers[k].as_mut_ptr().cast());
        // For an operand of stride 0: the address of the element with which its buffer is filled, and the number of
        // copies. For one that repeats: the address of the first element of its buffer, and the number of elements.
        let mut filled = [(std::ptr::null_mut(), 0usize); N];
        let mut at = self.position(start);
        let mut left = end - start;
        while left > 0 {
            let n = if long { left.min(inner - at.col) } else { left }.min(block);
            left -= n;
            let begin = at;
            let starts = self.starts(&at);
            let rows: [*mut u8; N] = std::array::from_fn(|k| if direct[k] { starts[k] } else { buffers[k] });
            let held: [bool; N] =
                std::array::from_fn(|k| repeats[k] && filled[k].0 == starts[k] && filled[k].1 >= n);
            if (plan.first_input()..N).all(|k| direct[k] || held[k]) {
                at = self.position(end - left);
            } else if !long {
                for k in (plan.first_input()..N).filter(|k| !direct[*k] && !held[*k]) {
                    // SAFETY: `run` has checked that layouts lie inside their storages; a buffer has room for `n` elements.
                    unsafe { self.gather(k, &begin, n, rows[k]) };
                }
                at = self.position(end - left);
                for k in (0..N).filter(|k| repeats[*k] && !held[*k]) {
                    filled[k] = (starts[k], n);
                }
            } else {
                self.advance(&mut at, n, |from, before, m| {
                    for k in plan.first_input()..N {
                        let same = steps[k] == 0 && filled[k].0 == from[k] && filled[k].1 >= m;
                        if direct[k] || same {
                            continue;
                        }
                        // SAFETY: `run` has checked that layouts lie inside their storages, and gives runs of them; a
                        // buffer has room for `n` elements.
                        unsafe {
                            shift(
                                sizes[k],
                                (from[k], steps[k]),
                                (rows[k].add(before * sizes[k]), sizes[k]),
                                m,
                            )
                        };
                        filled[k] = (from[k], m);
                    }
                });
            }
            if scalar {
                row.run_scalar(rows, n)
            } else {
                row.run(rows, n)
            }
            if direct[..outs].contains(&false) {
                let mut to = begin;
                self.advance(&mut to, n, |to, before, m| {
                    for k in (0..outs).filter(|k| !direct[*k]) {
                        // SAFETY: as above; no other run contains these output elements.
                        unsafe {
                            shift(sizes[k], (rows[k].add(before * sizes[k]), sizes[k]), (to[k], steps[k]), m)
                        };
                    }
                });
            }
        }
    }

    /// Copies the `n` elements of operand `k` from a position on to a buffer. Runs of the innermost dimension are short.
    ///
    /// # Safety
    /// The layout lies inside its storage from the position on, and the buffer has room.
    unsafe fn gather(&self, k: usize, at: &Position<N>, n: usize, to: *mut u8) {
        let strides = &self.args[k].strides;
        // SAFETY: the caller's condition.
        unsafe {
            match self.args[k].size {
                1 => gather::<u8>(self.dims, strides, (at.index, at.rows[k], at.col), n, to.cast()),
                2 => gather::<u16>(self.dims, strides, (at.index, at.rows[k], at.col), n, to.cast()),
                4 => gather::<u32>(self.dims, strides, (at.index, at.rows[k], at.col), n, to.cast()),
                8 => gather::<u64>(self.dims, strides, (at.index, at.rows[k], at.col), n, to.cast()),
                _ => gather::<[u64; 2]>(self.dims, strides, (at.index, at.rows[k], at.col), n, to.cast()),
            }
        }
    }

    /// Whether all runs of the innermost dimension are the same elements of an operand.
    fn repeats(&self, a: &Arg) -> bool {
        a.strides[..self.dims.len() - 1].iter().all(|s| *s == 0)
    }

    /// Whether an operand has the same run throughout, and the others are contiguous.
    fn repeats_rows(&self) -> bool {
        let last = self.dims.len() - 1;
        let repeats = |a: &Arg| a.strides[last] == a.size && self.repeats(a);
        self.args.iter().any(repeats) && self.args.iter().all(|a| repeats(a) || self.contiguous(a))
    }

    /// Whether the elements of an operand are contiguous over all dimensions.
    fn contiguous(&self, a: &Arg) -> bool {
        let mut step = a.size;
        self.dims.iter().zip(&a.strides).rev().all(|(&d, &s)| {
            let fits = s == step;
            step *= d;
            fits
        })
    }
}
