//! The N-d walk, compiled once: collapses dimensions, splits work over threads, and hands rows to typed kernels.
//!
//! A row kernel sees pointers, byte strides and a length; its contiguous form is a plain slice loop that vectorises.
//! Everything here is checked once per call, so the functions are safe: each layout must lie inside its slice, and an
//! output layout must not name a place twice.
#![allow(unsafe_code)]
use super::CpuStorage;
use super::simd_panel::FirstError;
use crate::shape::MAX_RANK;
use crate::{Element, Error, Layout, Result};
use std::mem::size_of;

/// Ops on fewer elements than this run on the calling thread.
const GRAIN: usize = 32 * 1024;

/// A slice to read through a layout.
pub type In<'a, T> = (&'a [T], &'a Layout);
/// A slice to write through a layout.
pub type Out<'a, T> = (&'a mut [T], &'a Layout);

/// One operand: a slice of `len` elements of `size` bytes, and the layout it is seen through.
#[derive(Clone, Copy)]
struct Operand<'a> {
    ptr: *mut u8,
    len: usize,
    size: usize,
    layout: &'a Layout,
}

fn input<'a, T>(a: In<'a, T>) -> Operand<'a> {
    Operand { ptr: a.0.as_ptr() as *mut u8, len: a.0.len(), size: size_of::<T>(), layout: a.1 }
}

fn output<'a, T>(o: &mut Out<'a, T>) -> Operand<'a> {
    Operand { ptr: o.0.as_mut_ptr().cast(), len: o.0.len(), size: size_of::<T>(), layout: o.1 }
}

/// One operand of a walk: first element, and byte strides per dimension.
#[derive(Clone, Copy)]
struct Arg {
    ptr: *mut u8,
    strides: [usize; MAX_RANK],
}

// SAFETY: an `Arg` is only a position; the walk gives every thread its own elements.
unsafe impl Send for Arg {}
// SAFETY: as above.
unsafe impl Sync for Arg {}

fn outside(op: &'static str) -> Error {
    Error::invalid(op, "a layout reaches outside its storage")
}

/// Checks that a layout lies inside a slice and gives the operand's place and byte strides.
fn arg(o: &Operand<'_>) -> Result<Arg> {
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
    Ok(Arg { ptr: unsafe { o.ptr.add(start * o.size) }, strides })
}

/// A row kernel: pointers to the first elements, byte strides, and how many.
type Row<'a, const N: usize> = dyn Fn([*mut u8; N], [usize; N], usize) + Sync + 'a;

/// Runs a row kernel over operands of one shape, of which the first `outs` are written: as one row where all are
/// row-major and not large, else by a walk.
fn run<const N: usize>(operands: [Operand<'_>; N], outs: usize, row: &Row<'_, N>) -> Result<()> {
    let first = operands[0].layout;
    let shape = first.shape();
    // Mostly a new output is seen through its input's own layout.
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
            // SAFETY: the start and the `n` elements after it lie inside the slice, as just checked.
            let starts = operands.map(|o| unsafe { o.ptr.add(o.layout.start_offset() * o.size) });
            row(starts, operands.map(|o| o.size), n);
            return Ok(());
        }
    } else if operands[..outs].iter().any(|o| o.layout.may_overlap_itself()) {
        return Err(Error::invalid("layout", "an output names the same element twice"));
    }
    let mut args = [Arg { ptr: std::ptr::null_mut(), strides: [0; MAX_RANK] }; N];
    for (a, o) in args.iter_mut().zip(&operands) {
        *a = arg(o)?;
    }
    walk(shape.dims(), args, row);
    Ok(())
}

/// Calls `row` for every run of the innermost dimension, over all threads when large.
fn walk<const N: usize>(dims: &[usize], mut args: [Arg; N], row: &Row<'_, N>) {
    // Collapse: drop dimensions of size 1, merge neighbours that every operand steps through evenly.
    let mut d = [0usize; MAX_RANK];
    let mut rank = 0;
    let mut total = 1usize;
    for (i, &size) in dims.iter().enumerate() {
        total *= size;
        if size == 1 {
            continue;
        }
        let merge = rank > 0 && args.iter().all(|a| a.strides[rank - 1] == size * a.strides[i]);
        if merge {
            d[rank - 1] *= size;
            args.iter_mut().for_each(|a| a.strides[rank - 1] = a.strides[i]);
        } else {
            d[rank] = size;
            args.iter_mut().for_each(|a| a.strides[rank] = a.strides[i]);
            rank += 1;
        }
    }
    if total == 0 {
        return;
    }
    if rank == 0 {
        row(args.map(|a| a.ptr), [0; N], 1);
        return;
    }
    let inner = d[rank - 1];
    let inner_strides = args.map(|a| a.strides[rank - 1]);
    let outer = &d[..rank - 1];
    let range = |start: usize, end: usize| {
        let mut index = [0usize; MAX_RANK];
        let (mut rest, mut col) = (start / inner, start % inner);
        for (i, &size) in outer.iter().enumerate().rev() {
            index[i] = rest % size;
            rest /= size;
        }
        let mut ptrs = args.map(|a| {
            let off: usize = (0..outer.len()).map(|i| index[i] * a.strides[i]).sum();
            a.ptr.wrapping_add(off)
        });
        let mut left = end - start;
        loop {
            let n = (inner - col).min(left);
            let at = std::array::from_fn(|k| ptrs[k].wrapping_add(col * inner_strides[k]));
            row(at, inner_strides, n);
            left -= n;
            if left == 0 {
                return;
            }
            col = 0;
            for (i, &size) in outer.iter().enumerate().rev() {
                index[i] += 1;
                if index[i] < size {
                    for k in 0..N {
                        ptrs[k] = ptrs[k].wrapping_add(args[k].strides[i]);
                    }
                    break;
                }
                index[i] = 0;
                for k in 0..N {
                    ptrs[k] = ptrs[k].wrapping_sub((size - 1) * args[k].strides[i]);
                }
            }
        }
    };
    if total < 2 * GRAIN {
        return range(0, total);
    }
    let tasks = super::num_threads().min(total / GRAIN).max(1);
    let per = total.div_ceil(tasks).next_multiple_of(64);
    super::pool::parallel(total.div_ceil(per), &|t| range(t * per, ((t + 1) * per).min(total)));
}

/// Reads element `i` of a row.
///
/// # Safety
/// The row has more than `i` elements of type `T` at `p` with this byte stride.
#[inline(always)]
unsafe fn at<T: Copy>(p: *mut u8, stride: usize, i: usize) -> T {
    // SAFETY: the caller's condition; elements lie at multiples of their size from an aligned start.
    unsafe { *(p.add(i * stride) as *const T) }
}

/// `out = f()` for every element.
pub fn map0<R: Element>(mut out: Out<'_, R>, f: impl Fn() -> R + Sync) -> Result<()> {
    run([output(&mut out)], 1, &|[o], [so], n| {
        for i in 0..n {
            // SAFETY: `run` stays inside the output, as it has checked.
            unsafe { *(o.add(i * so) as *mut R) = f() };
        }
    })
}

/// `out = f(a)`, elementwise.
pub fn map1<A: Copy + Sync, R: Copy + Send>(
    a: In<'_, A>,
    mut out: Out<'_, R>,
    f: impl Fn(A) -> R + Sync,
) -> Result<()> {
    run([output(&mut out), input(a)], 1, &|[o, a], [so, sa], n| {
        // SAFETY: `run` has checked that the layouts lie inside their slices, and gives rows of them; no other row has
        // these output elements, and inputs are only read.
        unsafe {
            if so == size_of::<R>() && sa == size_of::<A>() {
                let o = std::slice::from_raw_parts_mut(o as *mut R, n);
                let a = std::slice::from_raw_parts(a as *const A, n);
                for (o, a) in o.iter_mut().zip(a) {
                    *o = f(*a);
                }
            } else {
                for i in 0..n {
                    *(o.add(i * so) as *mut R) = f(at(a, sa, i));
                }
            }
        }
    })
}

/// `out = f(a, b)`, elementwise.
pub fn map2<A: Copy + Sync, B: Copy + Sync, R: Copy + Send>(
    a: In<'_, A>,
    b: In<'_, B>,
    mut out: Out<'_, R>,
    f: impl Fn(A, B) -> R + Sync,
) -> Result<()> {
    run([output(&mut out), input(a), input(b)], 1, &|[o, a, b], [so, sa, sb], n| {
        // SAFETY: as in `map1`.
        unsafe {
            if so != size_of::<R>() {
                for i in 0..n {
                    *(o.add(i * so) as *mut R) = f(at(a, sa, i), at(b, sb, i));
                }
                return;
            }
            let o = std::slice::from_raw_parts_mut(o as *mut R, n);
            if sa == size_of::<A>() && sb == size_of::<B>() {
                let a = std::slice::from_raw_parts(a as *const A, n);
                let b = std::slice::from_raw_parts(b as *const B, n);
                for ((o, a), b) in o.iter_mut().zip(a).zip(b) {
                    *o = f(*a, *b);
                }
            } else if sa == size_of::<A>() && sb == 0 {
                let b = at(b, 0, 0);
                let a = std::slice::from_raw_parts(a as *const A, n);
                for (o, a) in o.iter_mut().zip(a) {
                    *o = f(*a, b);
                }
            } else {
                for (i, o) in o.iter_mut().enumerate() {
                    *o = f(at(a, sa, i), at(b, sb, i));
                }
            }
        }
    })
}

/// `out = f(a, b, c)`, elementwise.
pub fn map3<A: Copy + Sync, B: Copy + Sync, C: Copy + Sync, R: Copy + Send>(
    a: In<'_, A>,
    b: In<'_, B>,
    c: In<'_, C>,
    mut out: Out<'_, R>,
    f: impl Fn(A, B, C) -> R + Sync,
) -> Result<()> {
    run([output(&mut out), input(a), input(b), input(c)], 1, &|[o, a, b, c], [so, sa, sb, sc], n| {
        for i in 0..n {
            // SAFETY: as in `map1`.
            unsafe { *(o.add(i * so) as *mut R) = f(at(a, sa, i), at(b, sb, i), at(c, sc, i)) };
        }
    })
}

/// Updates `N` tensors in place from themselves and one more: `[x..] = f([x..], g)`, elementwise.
pub fn update<T: Element, const N: usize>(
    mut xs: [Out<'_, T>; N],
    g: In<'_, T>,
    f: impl Fn([T; N], T) -> [T; N] + Sync,
) -> Result<()> {
    let mut operands = [input(g); MAX_RANK];
    for (o, x) in operands.iter_mut().zip(&mut xs) {
        *o = output(x);
    }
    run(operands, N, &|p, s, n| {
        // SAFETY: as in `map1`; the updated tensors are distinct slices, each element visited once.
        let step = |s: &[usize; MAX_RANK], i| unsafe {
            let new = f(std::array::from_fn(|k| at(p[k], s[k], i)), at(p[N], s[N], i));
            for k in 0..N {
                *(p[k].add(i * s[k]) as *mut T) = new[k];
            }
        };
        if s[..=N].iter().all(|s| *s == size_of::<T>()) {
            // The same with strides that the compiler knows.
            (0..n).for_each(|i| step(&[size_of::<T>(); MAX_RANK], i));
        } else {
            (0..n).for_each(|i| step(&s, i));
        }
    })
}

/// Lets tasks write disjoint parts of one slice: `f(i, chunk_i)` for chunks of `per` elements (the last may be shorter).
pub fn chunks<T: Send>(out: &mut [T], per: usize, f: &(dyn Fn(usize, &mut [T]) + Sync)) {
    if out.is_empty() || per == 0 {
        return;
    }
    struct Base<T>(*mut T);
    // SAFETY: only the address is shared; each task makes a slice of its own chunk.
    unsafe impl<T: Send> Sync for Base<T> {}
    let (base, len) = (Base(out.as_mut_ptr()), out.len());
    let base = &base;
    super::pool::parallel(len.div_ceil(per), &|i| {
        let start = i * per;
        // SAFETY: chunks do not overlap, lie inside `out`, and `out` is borrowed for the whole call.
        f(i, unsafe { std::slice::from_raw_parts_mut(base.0.add(start), per.min(len - start)) });
    });
}

/// As [`chunks`], for work that may fail: the first error.
pub fn try_chunks<T: Send>(
    out: &mut [T],
    per: usize,
    f: &(dyn Fn(usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    let error = FirstError::default();
    chunks(out, per, &|i, part| error.note(f(i, part)));
    error.result()
}

/// A good number of tasks for `items` independent pieces of work of `cost` elements each: pieces per task.
pub fn per_task(items: usize, cost: usize) -> usize {
    let tasks = super::num_threads().min((items.saturating_mul(cost) / GRAIN).max(1));
    items.div_ceil(tasks.max(1)).max(1)
}

/// A storage's elements by size only, for ops that move them.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Words<'a> {
    W1(&'a [u8]),
    W2(&'a [u16]),
    W4(&'a [u32]),
    W8(&'a [u64]),
}

/// As [`Words`], for writing.
#[derive(Debug)]
#[allow(missing_docs)]
pub enum WordsMut<'a> {
    W1(&'a mut [u8]),
    W2(&'a mut [u16]),
    W4(&'a mut [u32]),
    W8(&'a mut [u64]),
}

/// The elements of a storage as words of their size.
pub fn words(s: &CpuStorage) -> Words<'_> {
    let (ptr, len) = (s.as_ptr(), s.len());
    // SAFETY: every dtype is plain data, a buffer is aligned to its element's size, and the storage is borrowed as
    // long as the slice.
    unsafe {
        match s.dtype().size_in_bytes() {
            1 => Words::W1(std::slice::from_raw_parts(ptr, len)),
            2 => Words::W2(std::slice::from_raw_parts(ptr.cast(), len)),
            4 => Words::W4(std::slice::from_raw_parts(ptr.cast(), len)),
            _ => Words::W8(std::slice::from_raw_parts(ptr.cast(), len)),
        }
    }
}

/// The elements of a storage as words of their size, for writing. Writing words that came from a storage of the same
/// dtype keeps every element valid.
pub fn words_mut(s: &mut CpuStorage) -> Result<WordsMut<'_>> {
    s.make_writable()?;
    let (ptr, len) = (s.as_ptr().cast_mut(), s.len());
    // SAFETY: as for `words`; the storage is writable and borrowed uniquely.
    Ok(unsafe {
        match s.dtype().size_in_bytes() {
            1 => WordsMut::W1(std::slice::from_raw_parts_mut(ptr, len)),
            2 => WordsMut::W2(std::slice::from_raw_parts_mut(ptr.cast(), len)),
            4 => WordsMut::W4(std::slice::from_raw_parts_mut(ptr.cast(), len)),
            _ => WordsMut::W8(std::slice::from_raw_parts_mut(ptr.cast(), len)),
        }
    })
}

/// The bytes of a storage.
pub(super) fn bytes(s: &CpuStorage) -> &[u8] {
    // SAFETY: every dtype is plain data without padding, and the storage is borrowed as long as the slice.
    unsafe { std::slice::from_raw_parts(s.as_ptr(), s.len() * s.dtype().size_in_bytes()) }
}

/// The bytes of a storage, for writing; the caller keeps bools 0 or 1.
pub(crate) fn bytes_mut(s: &mut CpuStorage) -> Result<&mut [u8]> {
    s.make_writable()?;
    // SAFETY: as for `bytes`; writable and borrowed uniquely.
    Ok(unsafe { std::slice::from_raw_parts_mut(s.as_ptr().cast_mut(), s.len() * s.dtype().size_in_bytes()) })
}
