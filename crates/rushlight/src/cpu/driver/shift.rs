//! Moves of elements between layouts and buffers, by element size.
use crate::shape::MAX_RANK;
use std::mem::{MaybeUninit, size_of};

/// Size in bytes of a column of a tile, which has one element of each row: a cache line. A column is contiguous for an
/// operand whose adjacent elements are in the second-last dimension.
pub(super) const LINE: usize = 64;

/// A tile of an operand or of its buffer: the first element, and the byte strides of columns (`step`) and rows.
#[derive(Clone, Copy)]
pub(super) struct Side {
    pub(super) ptr: *mut u8,
    pub(super) step: usize,
    pub(super) row: usize,
}

/// Copies `n` elements from a position (the indices of all dimensions but the innermost, the address of that row, the column)
/// on to `to`. There are at least two dimensions.
///
/// # Safety
/// The elements to read are initialized, and `to` has room.
pub(super) unsafe fn gather<W: Copy>(
    dims: &[usize],
    strides: &[usize; MAX_RANK],
    (mut index, mut row, mut col): ([usize; MAX_RANK], *mut u8, usize),
    n: usize,
    to: *mut W,
) {
    /// Copies whole rows of `m` elements.
    #[inline(always)]
    unsafe fn rows<W: Copy>(row: *mut u8, (down, step): (usize, usize), (r, m): (usize, usize), to: *mut W) {
        for i in 0..r {
            let row = row.wrapping_add(i * down);
            for j in 0..m {
                // SAFETY: the caller's condition; elements lie at multiples of their size from an aligned start.
                unsafe { to.add(i * m + j).write(*(row.wrapping_add(j * step) as *const W)) };
            }
        }
    }
    let last = dims.len() - 1;
    let (inner, step, down) = (dims[last], strides[last], strides[last - 1]);
    let mut done = 0;
    while done < n {
        // SAFETY: the caller's condition.
        let to = unsafe { to.add(done) };
        if col > 0 || n - done < inner {
            let m = (inner - col).min(n - done);
            // SAFETY: as above.
            unsafe { rows(row.wrapping_add(col * step), (0, step), (1, m), to) };
            done += m;
            col += m;
            if col < inner {
                return;
            }
            col = 0;
            index[last - 1] += 1;
            row = row.wrapping_add(down);
        } else {
            let r = (dims[last - 1] - index[last - 1]).min((n - done) / inner);
            // (A constant count, for the compiler.)
            // SAFETY: as above.
            unsafe {
                match inner {
                    2 => rows(row, (down, step), (r, 2), to),
                    3 => rows(row, (down, step), (r, 3), to),
                    4 => rows(row, (down, step), (r, 4), to),
                    _ => rows(row, (down, step), (r, inner), to),
                }
            }
            done += r * inner;
            index[last - 1] += r;
            row = row.wrapping_add(r * down);
        }
        for i in (0..last).rev() {
            if index[i] < dims[i] {
                break;
            }
            index[i] = 0;
            row = row.wrapping_sub(dims[i] * strides[i]);
            if i > 0 {
                index[i - 1] += 1;
                row = row.wrapping_add(strides[i - 1]);
            }
        }
    }
}

/// Copies `n` elements of `size` bytes from one address and byte stride to another. Strides may be negative, in two's
/// complement.
///
/// # Safety
/// The elements to read are initialized, those to write may be written, and they do not overlap.
pub(super) unsafe fn shift(size: usize, from: (*mut u8, usize), to: (*mut u8, usize), n: usize) {
    fn at(side: (*mut u8, usize), i: usize) -> *mut u8 {
        side.0.wrapping_add(i.wrapping_mul(side.1))
    }
    unsafe fn words<W: Copy>(from: (*mut u8, usize), to: (*mut u8, usize), n: usize) {
        // SAFETY: the condition of `shift`; elements lie at multiples of their size from an aligned start.
        unsafe {
            if to.1 != size_of::<W>() {
                for i in 0..n {
                    *(at(to, i) as *mut W) = *(at(from, i) as *const W);
                }
                return;
            }
            let out = std::slice::from_raw_parts_mut(to.0 as *mut MaybeUninit<W>, n);
            if from.1 == 0 {
                out.fill(MaybeUninit::new(*(from.0 as *const W)));
            } else if from.1 == size_of::<W>() {
                std::ptr::copy_nonoverlapping(from.0, to.0, n * size_of::<W>());
            } else {
                for (i, o) in out.iter_mut().enumerate() {
                    o.write(*(at(from, i) as *const W));
                }
            }
        }
    }
    // SAFETY: the caller's condition.
    unsafe {
        match size {
            1 => words::<u8>(from, to, n),
            2 => words::<u16>(from, to, n),
            4 => words::<u32>(from, to, n),
            8 => words::<u64>(from, to, n),
            _ => words::<[u64; 2]>(from, to, n),
        }
    }
}

/// Copies `r` rows of `n` elements of `size` bytes.
///
/// # Safety
/// As for [`shift`].
pub(super) unsafe fn shift_tile(size: usize, from: &Side, to: &Side, n: usize, r: usize) {
    unsafe fn words<W: Copy>(from: &Side, to: &Side, n: usize, r: usize) {
        let most = LINE / size_of::<W>();
        // SAFETY: the caller's condition; elements lie at multiples of their size from an aligned start.
        let one = |from: *mut u8, to: *mut u8, i: usize, (a, b): (usize, usize)| unsafe {
            *(to.wrapping_add(i * b) as *mut W) = *(from.wrapping_add(i * a) as *const W);
        };
        if from.row >= from.step && to.row >= to.step {
            for i in 0..r {
                let (f, t) = (from.ptr.wrapping_add(i * from.row), to.ptr.wrapping_add(i * to.row));
                // SAFETY: the caller's condition.
                unsafe { shift(size_of::<W>(), (f, from.step), (t, to.step), n) };
            }
            return;
        }
        for j in 0..n {
            let (f, t) = (from.ptr.wrapping_add(j * from.step), to.ptr.wrapping_add(j * to.step));
            if r == most && from.row == size_of::<W>() {
                // A constant count and stride, for the compiler.
                (0..most).for_each(|i| one(f, t, i, (size_of::<W>(), to.row)));
            } else {
                (0..r).for_each(|i| one(f, t, i, (from.row, to.row)));
            }
        }
    }
    // SAFETY: the caller's condition.
    unsafe {
        match size {
            1 => words::<u8>(from, to, n, r),
            2 => words::<u16>(from, to, n, r),
            4 => words::<u32>(from, to, n, r),
            8 => words::<u64>(from, to, n, r),
            _ => words::<[u64; 2]>(from, to, n, r),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of every short length, from every position, against the offsets of the elements.
    #[test]
    fn gather_of_short_rows_reads_the_elements_of_the_layout() {
        let memory: Vec<u32> = (0..4000).collect();
        for dims in [[2, 3, 2], [3, 5, 3], [2, 4, 4], [3, 2, 5], [1, 6, 1]] {
            let [d0, d1, d2] = dims;
            // Padded rows, transposed rows, and rows that repeat.
            for elements in [[d1 * 8, 8, 1], [1, d0, 64], [0, 7, 2]] {
                let mut strides = [0; MAX_RANK];
                strides.iter_mut().zip(elements).for_each(|(s, e)| *s = e * size_of::<u32>());
                let offset = |i: usize| {
                    let index = [i / d2 / d1, i / d2 % d1, i % d2];
                    index.iter().zip(elements).map(|(i, e)| i * e).sum::<usize>()
                };
                let total = d0 * d1 * d2;
                for start in 0..total {
                    for n in 1..=total - start {
                        let (mut index, col) = ([0; MAX_RANK], start % d2);
                        index[..2].copy_from_slice(&[start / d2 / d1, start / d2 % d1]);
                        let row = memory.as_ptr().wrapping_add(offset(start - col)).cast_mut().cast();
                        let mut out = vec![u32::MAX; n];
                        // SAFETY: the largest offset is below the length of `memory`, and `out` has `n` elements.
                        unsafe { gather(&dims, &strides, (index, row, col), n, out.as_mut_ptr()) };
                        let expected: Vec<u32> = (start..start + n).map(|i| offset(i) as u32).collect();
                        assert_eq!(out, expected, "{dims:?} {elements:?} {n} elements from {start}");
                    }
                }
            }
        }
    }
}
