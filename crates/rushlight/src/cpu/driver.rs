//! Runs typed kernels over operands of any layout. The walk is compiled once: it merges dimensions, splits work over
//! threads, and passes runs of elements to the kernel.
//!
//! A row kernel gets pointers to contiguous elements and a length, so it is a plain loop over slices that vectorizes.
//! Operands with other strides are gathered into small buffers by element size, and results are scattered from them.
//!
//! All conditions are checked once per call, so the functions are safe: each layout must lie inside its storage, and an
//! output layout must not select an element twice.
#![allow(unsafe_code)]
mod copy;
mod job;
mod pick;
mod shift;
mod space;
mod transpose;
mod walk;

use super::CpuStorage;
use super::simd_isa;
use super::simd_panel::FirstError;
use super::thread_pool::{parallel, parallel_short, tasks};
use crate::{DType, Element, Layout, Result};
pub(super) use job::{Helpers, Job, Line};
pub use pick::{Indices, gather, in_range, indices, scatter};
use std::mem::size_of;
pub(super) use transpose::{Plane, plane};
use walk::{GRAIN, Kernel, Operand, Problem, WithScalar, Work, kernel, run};

/// A storage with its layout, for reading.
pub type Src<'a> = (&'a CpuStorage, &'a Layout);
/// A storage with its layout, for writing.
pub type Dst<'a> = (&'a mut CpuStorage, &'a Layout);
/// A slice with the layout through which it is read.
pub type In<'a, T> = (&'a [T], &'a Layout);
/// A slice with the layout through which it is written.
pub type Out<'a, T> = (&'a mut [T], &'a Layout);

/// A readable operand with elements of type `T`.
pub trait Source<'a, T> {
    /// Converts to an operand of a walk.
    fn operand(self) -> Operand<'a>;
}

/// A writable operand with elements of type `T`.
pub trait Sink<'a, T> {
    /// Converts to an operand of a walk.
    fn operand(self) -> Operand<'a>;
}

/// A storage whose elements are treated as unsigned integers of their size ([`Word`]), whatever the dtype. Kernels must write
/// 0 or 1 for bools.
#[derive(Debug)]
pub struct Bits<S>(pub S);

impl<'a, T> Source<'a, T> for In<'a, T> {
    fn operand(self) -> Operand<'a> {
        let ptr = self.0.as_ptr().cast_mut().cast();
        Operand { ptr, len: self.0.len(), size: size_of::<T>(), layout: self.1, problem: None }
    }
}
impl<'a, T> Sink<'a, T> for Out<'a, T> {
    fn operand(self) -> Operand<'a> {
        let ptr = self.0.as_mut_ptr().cast();
        Operand { ptr, len: self.0.len(), size: size_of::<T>(), layout: self.1, problem: None }
    }
}
impl<'a, T: Element> Source<'a, T> for Src<'a> {
    #[inline(always)]
    fn operand(self) -> Operand<'a> {
        input(self, T::DTYPE)
    }
}
impl<'a, T: Element> Sink<'a, T> for Dst<'a> {
    #[inline(always)]
    fn operand(self) -> Operand<'a> {
        output(self, T::DTYPE)
    }
}
/// The unsigned integer of a dtype's size; two of them for 16 bytes, which have the alignment of a complex number.
pub trait Word: Copy {
    /// A dtype of this size.
    const DTYPE: DType;
}
macro_rules! words {
    ($($t:ty, $dtype:ident);*) => {$(
        impl Word for $t {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}
words!(u8, U8; u16, U16; u32, U32; u64, U64; [u64; 2], C128);

impl<'a, T: Word> Source<'a, T> for Bits<Src<'a>> {
    #[inline(always)]
    fn operand(self) -> Operand<'a> {
        input(self.0, same_size(self.0.0.dtype(), T::DTYPE))
    }
}
impl<'a, T: Word> Sink<'a, T> for Bits<Dst<'a>> {
    #[inline(always)]
    fn operand(self) -> Operand<'a> {
        let dtype = same_size(self.0.0.dtype(), T::DTYPE);
        output(self.0, dtype)
    }
}

/// Returns `got` if both dtypes have the same size, else `word`, so that the dtype check fails.
fn same_size(got: DType, word: DType) -> DType {
    if got.size_in_bytes() == word.size_in_bytes() { got } else { word }
}

/// Makes an operand from a storage, which must have the expected dtype.
fn input<'a>(a: Src<'a>, expected: DType) -> Operand<'a> {
    let got = a.0.dtype();
    let problem = (got != expected).then_some(Problem::DType { expected, got });
    Operand { ptr: a.0.as_ptr().cast_mut(), len: a.0.len(), size: got.size_in_bytes(), layout: a.1, problem }
}

/// Same as [`input`], for writing.
fn output<'a>(o: Dst<'a>, expected: DType) -> Operand<'a> {
    let got = o.0.dtype();
    let mut problem = (got != expected).then_some(Problem::DType { expected, got });
    if o.0.is_read_only() && o.0.make_writable().is_err() {
        problem = Some(Problem::Memory);
    }
    Operand { ptr: o.0.as_ptr().cast_mut(), len: o.0.len(), size: got.size_in_bytes(), layout: o.1, problem }
}

/// Copies elements to a layout of the same shape in a storage of the same element size.
pub fn copy<'a, T>(from: impl Source<'a, T>, to: impl Sink<'a, T>) -> Result<()> {
    copy::copy([to.operand(), from.operand()], &|_| false)
}

/// Copies tensors of the output's dtype to it, one after the other along a dimension.
pub fn join(from: &[Src<'_>], dim: usize, to: Dst<'_>) -> Result<()> {
    let dtype = to.0.dtype();
    let from: Vec<Operand<'_>> = from.iter().map(|f| input(*f, dtype)).collect();
    copy::join(&from, dim, &output(to, dtype))
}

/// Copies elements to a layout of the same shape and dtype, in reverse order along the dimensions for which `flips` is
/// true.
pub fn copy_flipped(from: Src<'_>, to: Dst<'_>, flips: &dyn Fn(usize) -> bool) -> Result<()> {
    let dtype = from.0.dtype();
    copy::copy([output(to, dtype), input(from, dtype)], flips)
}

/// Returns the elements of a row as a slice.
///
/// # Safety
/// `p` points to `n` elements of type `T`, which nothing writes during `'a`.
#[inline(always)]
unsafe fn row<'a, T>(p: *mut u8, n: usize) -> &'a [T] {
    // SAFETY: the caller's condition; storages and buffers are aligned to their elements.
    unsafe { std::slice::from_raw_parts(p as *const T, n) }
}

/// Same as [`row`], for writing.
///
/// # Safety
/// As for [`row`], and nothing else reads or writes the elements.
#[inline(always)]
unsafe fn row_mut<'a, T>(p: *mut u8, n: usize) -> &'a mut [T] {
    // SAFETY: the caller's condition.
    unsafe { std::slice::from_raw_parts_mut(p as *mut T, n) }
}

// SAFETY, for all of the following functions: `run` checks that operands have the dtypes (or element sizes) of these
// types, and passes runs of their elements; an output is borrowed uniquely, and no two runs share elements of it.

/// Runs `f(a, out)` over runs of elements.
pub fn rows1<'a, A, R>(
    a: impl Source<'a, A>,
    out: impl Sink<'a, R>,
    f: &(impl Fn(&[A], &mut [R]) + Sync + ?Sized),
) -> Result<()> {
    // SAFETY: above.
    run(
        [out.operand(), a.operand()],
        Work::Compute(&kernel(|[o, a], n| unsafe { f(row(a, n), row_mut(o, n)) })),
    )
}

/// Runs `f(a, b, out)` over runs of elements, and `g(a, b, out)` for a run in which `b` is one element (stride 0).
pub fn rows2<'a, A, B: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    out: impl Sink<'a, R>,
    f: &(impl Fn(&[A], &[B], &mut [R]) + Sync),
    g: &(impl Fn(&[A], B, &mut [R]) + Sync),
) -> Result<()> {
    let operands = [out.operand(), a.operand(), b.operand()];
    // SAFETY: above.
    let rows = |[o, a, b]: [*mut u8; 3], n| unsafe { f(row(a, n), row(b, n), row_mut(o, n)) };
    // SAFETY: above; there is one element at `b`.
    let scalar = |[o, a, b]: [*mut u8; 3], n| unsafe { g(row(a, n), *(b as *const B), row_mut(o, n)) };
    run(operands, Work::Compute(&WithScalar(rows, scalar)))
}

/// Runs `f(a, b, c, out)` over runs of elements.
pub fn rows3<'a, A, B, C, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    c: impl Source<'a, C>,
    out: impl Sink<'a, R>,
    f: &(impl Fn(&[A], &[B], &[C], &mut [R]) + Sync),
) -> Result<()> {
    let operands = [out.operand(), a.operand(), b.operand(), c.operand()];
    run(
        operands,
        // SAFETY: above.
        Work::Compute(&kernel(|[o, a, b, c], n| unsafe {
            f(row(a, n), row(b, n), row(c, n), row_mut(o, n))
        })),
    )
}

/// Runs `f(a, out)` over the bytes of runs of elements. `f` must write 0 or 1 for bools.
pub fn rows_of_bytes(a: Src<'_>, out: Dst<'_>, f: &(dyn Fn(&[u8], &mut [u8]) + Sync)) -> Result<()> {
    let (from, to) = (a.0.dtype(), out.0.dtype());
    let sizes = (from.size_in_bytes(), to.size_in_bytes());
    run(
        [output(out, to), input(a, from)],
        // SAFETY: above; elements have no padding.
        Work::Compute(&kernel(|[o, a], n| unsafe { f(row(a, n * sizes.0), row_mut(o, n * sizes.1)) })),
    )
}

/// Updates `N` tensors in place, elementwise, from their old values and one more tensor: `[x..] = f([x..], g)`. `M` is
/// `N + 1`. (`f` should own the numbers that it uses, see `map`.)
pub fn update<T: Element, const N: usize, const M: usize>(
    xs: [Dst<'_>; N],
    g: Src<'_>,
    f: impl Fn([T; N], T) -> [T; N] + Copy + Sync,
) -> Result<()> {
    const { assert!(M == N + 1) };
    let mut operands = [input(g, T::DTYPE); M];
    for (o, x) in operands.iter_mut().zip(xs) {
        *o = output(x, T::DTYPE);
    }
    run(
        operands,
        Work::Update(&kernel(|p, n| {
            // SAFETY: above.
            let g = unsafe { row(p[N], n) };
            // SAFETY: above; each output is borrowed uniquely, or copied to a buffer for each.
            let xs = std::array::from_fn(|k| unsafe { row_mut(p[k], n) });
            simd_isa::run_small(UpdateRow { xs, g, f });
        })),
    )
}

/// An update of rows of `N` tensors from a row of one more.
struct UpdateRow<'a, T, F, const N: usize> {
    xs: [&'a mut [T]; N],
    g: &'a [T],
    f: F,
}

/// Number of elements of each tensor that are updated at a time in copies.
const BLOCK: usize = 64;

impl<T: Copy + Default, const N: usize, F: Fn([T; N], T) -> [T; N]> simd_isa::Work
    for UpdateRow<'_, T, F, N>
{
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { mut xs, g, f } = self;
        let n = g.len();
        // (`array::from_fn` would call a function compiled without the level's instructions.)
        let mut old = [T::default(); N];
        // The compiler compares the addresses of up to three targets and the gradient, and then vectorizes the loop.
        match &mut xs[..] {
            [x] => {
                let x = &mut x[..n];
                for i in 0..n {
                    old[0] = x[i];
                    x[i] = f(old, g[i])[0];
                }
            }
            [x, y] => {
                let (x, y) = (&mut x[..n], &mut y[..n]);
                for i in 0..n {
                    (old[0], old[1]) = (x[i], y[i]);
                    let new = f(old, g[i]);
                    (x[i], y[i]) = (new[0], new[1]);
                }
            }
            [x, y, z] => {
                let (x, y, z) = (&mut x[..n], &mut y[..n], &mut z[..n]);
                for i in 0..n {
                    (old[0], old[1], old[2]) = (x[i], y[i], z[i]);
                    let new = f(old, g[i]);
                    (x[i], y[i], z[i]) = (new[0], new[1], new[2]);
                }
            }
            // More targets are updated in copies, which do not overlap.
            xs => {
                let mut block = [[T::default(); BLOCK]; N];
                for at in (0..n).step_by(BLOCK) {
                    let m = BLOCK.min(n - at);
                    for (b, x) in block.iter_mut().zip(&*xs) {
                        b[..m].copy_from_slice(&x[at..at + m]);
                    }
                    for (i, g) in g[at..at + m].iter().enumerate() {
                        for (old, row) in old.iter_mut().zip(&block) {
                            *old = row[i];
                        }
                        let new = f(old, *g);
                        for (row, new) in block.iter_mut().zip(new) {
                            row[i] = new;
                        }
                    }
                    for (b, x) in block.iter().zip(&mut *xs) {
                        x[at..at + m].copy_from_slice(&b[..m]);
                    }
                }
            }
        }
    }
}

/// Changes a tensor in place, elementwise: `x = f(x)`.
pub fn change<T: Element>(x: Dst<'_>, f: impl Fn(T) -> T + Copy + Sync) -> Result<()> {
    let x = output(x, T::DTYPE);
    run(
        [x, x],
        Work::Compute(&kernel(|[new, old], n| {
            // SAFETY: above; `new` is borrowed uniquely, and is not `old`, unless both are the same elements.
            let to = unsafe { row_mut(new, n) };
            if new == old {
                return super::map::slice_change(to, f);
            }
            // SAFETY: above; the elements are a copy of those of the output, or those of which the output is a copy.
            super::map::slice1(unsafe { row(old, n) }, to, f);
        })),
    )
}

/// Changes a tensor in place: runs `f(old, new)` on copies of at most [`BLOCK`] elements, once for each element.
pub fn change_rows<T: Element>(x: Dst<'_>, f: &(impl Fn(&[T], &mut [T]) + Sync)) -> Result<()> {
    let x = output(x, T::DTYPE);
    run(
        [x, x],
        Work::Compute(&kernel(|[new, old], n| {
            let (mut from, mut to) = ([T::default(); BLOCK], [T::default(); BLOCK]);
            for at in (0..n).step_by(BLOCK) {
                let m = BLOCK.min(n - at);
                let (from, to) = (&mut from[..m], &mut to[..m]);
                // SAFETY: above; both are the same elements, or copies of them, and no reference to them is kept.
                from.copy_from_slice(unsafe { row((old as *mut T).add(at).cast(), m) });
                f(from, to);
                // SAFETY: as above.
                unsafe { row_mut((new as *mut T).add(at).cast(), m) }.copy_from_slice(to);
            }
        })),
    )
}

/// Work on chunks of a slice. (See [`Row`].)
trait Chunk<T>: Sync {
    fn run(&self, i: usize, chunk: &mut [T]);
}

impl<T, F: Fn(usize, &mut [T]) + Sync> Chunk<T> for Kernel<F> {
    fn run(&self, i: usize, chunk: &mut [T]) {
        (self.0)(i, chunk);
    }
}

/// Runs `f(i, chunk_i)` on several threads, for the disjoint chunks of `per` elements of a slice (the last may be
/// shorter).
pub fn chunks<T: Send>(out: &mut [T], per: usize, f: &(impl Fn(usize, &mut [T]) + Sync)) {
    each_chunk(out, per, &Kernel(f));
}

fn each_chunk<T: Send>(out: &mut [T], per: usize, f: &dyn Chunk<T>) {
    if out.is_empty() || per == 0 {
        return;
    }
    struct Base<T>(*mut T);
    // SAFETY: only the address is shared; each task slices only its own chunk.
    unsafe impl<T: Send> Sync for Base<T> {}
    let (base, len) = (Base(out.as_mut_ptr()), out.len());
    let base = &base;
    let tasks = len.div_ceil(per);
    // A few tasks are large ones: the first of them would not tell in time that threads should be woken.
    let all = if tasks > super::num_threads() { parallel_short } else { parallel };
    all(tasks, &|i| {
        let start = i * per;
        // SAFETY: chunks do not overlap, lie inside `out`, and `out` is borrowed for the whole call.
        f.run(i, unsafe { std::slice::from_raw_parts_mut(base.0.add(start), per.min(len - start)) });
    });
}

/// Same as [`chunks`], for work that may fail; returns the first error.
pub fn try_chunks<T: Send>(
    out: &mut [T],
    per: usize,
    f: &(impl Fn(usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    let error = FirstError::default();
    chunks(out, per, &|i: usize, part: &mut [T]| error.note(f(i, part)));
    error.result()
}

/// Returns the number of items per task, for `items` independent pieces of work that cost as much as `cost` elements
/// each.
pub fn per_task(items: usize, cost: usize) -> usize {
    items.div_ceil(tasks(items.saturating_mul(cost) / GRAIN)).max(1)
}

/// Same as [`per_task`], with at most one task for each thread: for tasks that do some work again, as products do that copy
/// a factor.
pub fn per_thread(items: usize, cost: usize) -> usize {
    let most = super::num_threads().min(items.saturating_mul(cost) / GRAIN);
    items.div_ceil(most.max(1)).max(1)
}

/// A storage's elements as unsigned integers of their size (two for 16 bytes), for ops that only move elements.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Words<'a> {
    W1(&'a [u8]),
    W2(&'a [u16]),
    W4(&'a [u32]),
    W8(&'a [u64]),
    W16(&'a [[u64; 2]]),
}

/// Same as [`Words`], for writing.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum WordsMut<'a> {
    W1(&'a mut [u8]),
    W2(&'a mut [u16]),
    W4(&'a mut [u32]),
    W8(&'a mut [u64]),
    W16(&'a mut [[u64; 2]]),
}

/// Returns the elements of a storage as unsigned integers of their size.
pub fn words(s: &CpuStorage) -> Words<'_> {
    let (ptr, len) = (s.as_ptr(), s.len());
    // SAFETY: every dtype is plain data, a buffer is aligned to its element's size, and the storage is borrowed as
    // long as the slice.
    unsafe {
        match s.dtype().size_in_bytes() {
            1 => Words::W1(std::slice::from_raw_parts(ptr, len)),
            2 => Words::W2(std::slice::from_raw_parts(ptr.cast(), len)),
            4 => Words::W4(std::slice::from_raw_parts(ptr.cast(), len)),
            8 => Words::W8(std::slice::from_raw_parts(ptr.cast(), len)),
            _ => Words::W16(std::slice::from_raw_parts(ptr.cast(), len)),
        }
    }
}

/// Returns the elements of a storage as unsigned integers of their size, for writing. Elements stay valid if the caller
/// writes values from a storage of the same dtype.
pub fn words_mut(s: &mut CpuStorage) -> Result<WordsMut<'_>> {
    s.make_writable()?;
    let (ptr, len) = (s.as_ptr().cast_mut(), s.len());
    // SAFETY: as for `words`; the storage is writable and borrowed uniquely.
    Ok(unsafe {
        match s.dtype().size_in_bytes() {
            1 => WordsMut::W1(std::slice::from_raw_parts_mut(ptr, len)),
            2 => WordsMut::W2(std::slice::from_raw_parts_mut(ptr.cast(), len)),
            4 => WordsMut::W4(std::slice::from_raw_parts_mut(ptr.cast(), len)),
            8 => WordsMut::W8(std::slice::from_raw_parts_mut(ptr.cast(), len)),
            _ => WordsMut::W16(std::slice::from_raw_parts_mut(ptr.cast(), len)),
        }
    })
}

/// Returns the bytes of a storage.
pub(super) fn bytes(s: &CpuStorage) -> &[u8] {
    // SAFETY: every dtype is plain data without padding, and the storage is borrowed as long as the slice.
    unsafe { std::slice::from_raw_parts(s.as_ptr(), s.len() * s.dtype().size_in_bytes()) }
}

/// Returns the bytes of a storage, for writing. The caller must write 0 or 1 for bools.
pub(crate) fn bytes_mut(s: &mut CpuStorage) -> Result<&mut [u8]> {
    s.make_writable()?;
    // SAFETY: as for `bytes`; writable and borrowed uniquely.
    Ok(unsafe { std::slice::from_raw_parts_mut(s.as_ptr().cast_mut(), s.len() * s.dtype().size_in_bytes()) })
}
