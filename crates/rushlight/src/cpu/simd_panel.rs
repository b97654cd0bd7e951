//! Panels: blocks of columns of a row-major matrix, which several threads write at once.
#![allow(unsafe_code)]
use super::driver::{Plane, per_task, plane};
use super::simd_gemm::Mat;
use super::simd_tile::Tile;
use crate::{Error, Result};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// A unique borrow of some columns of a row-major matrix.
#[derive(Debug)]
pub struct Panel<'a, T> {
    start: *mut T,
    rows: usize,
    cols: usize,
    /// Distance between rows, in elements; at least `cols`.
    ld: usize,
    life: PhantomData<&'a mut T>,
}

impl<'a, T> Panel<'a, T> {
    /// Makes a panel of a whole matrix with `cols` columns. An incomplete last row is left out.
    pub fn whole(data: &'a mut [T], cols: usize) -> Self {
        let rows = data.len().checked_div(cols).unwrap_or(0);
        Self { start: data.as_mut_ptr(), rows, cols, ld: cols, life: PhantomData }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Returns row `i`, or an empty slice past the last row.
    pub fn row(&mut self, i: usize) -> &mut [T] {
        if i >= self.rows {
            return &mut [];
        }
        // SAFETY: the panel holds `cols` elements from each row's start, nothing else refers to them, and `self` is
        // borrowed as long as the slice.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(i * self.ld), self.cols) }
    }

    /// Returns `C` rows from row `i` on; empty slices past the last row.
    pub(crate) fn rows_from<const C: usize>(&mut self, i: usize) -> [&mut [T]; C] {
        let (rows, cols, ld, start) = (self.rows, self.cols, self.ld, self.start);
        std::array::from_fn(|r| match i + r < rows {
            // SAFETY: as in `row`; rows do not overlap, since they are at least `cols` elements apart.
            true => unsafe { std::slice::from_raw_parts_mut(start.add((i + r) * ld), cols) },
            false => &mut [],
        })
    }
}

/// Copies a plane of elements of 4 or 8 bytes; the conditions are those of [`plane`].
unsafe fn move_plane<T: Copy>(from: Plane, to: Plane, rows: usize, cols: usize) {
    // SAFETY: the caller's conditions; a word has the element's size.
    unsafe {
        match size_of::<T>() {
            4 => plane::<u32>(from, to, rows, cols, false),
            _ => plane::<u64>(from, to, rows, cols, false),
        }
    }
}

/// Transposes a matrix of f32, f64 or i32: copies element `i` of row `j` of `from` to element `j` of row `i` of `to`, for
/// `j < cols` and `i < rows`. Returns false, and writes nothing, if a row reaches outside its slice.
#[must_use]
pub(crate) fn transpose<T: Tile>(
    from: &[T],
    from_pitch: usize,
    to: &mut [T],
    to_pitch: usize,
    rows: usize,
    cols: usize,
) -> bool {
    let (f, t) = (Mat { start: 0, rs: from_pitch, cs: 1 }, Mat { start: 0, rs: to_pitch, cs: 1 });
    if !(f.inside(cols, rows, from.len()) && t.inside(rows, cols, to.len())) {
        return false;
    }
    let size = size_of::<T>();
    let from = Plane { ptr: from.as_ptr().cast_mut().cast(), row: size, col: from_pitch * size };
    let to = Plane { ptr: to.as_mut_ptr().cast(), row: to_pitch * size, col: size };
    // SAFETY: both matrices lie inside their slices, as just checked, and `to` is borrowed uniquely.
    unsafe { move_plane::<T>(from, to, rows, cols) };
    true
}

impl<T: Tile> Panel<'_, T> {
    /// Writes columns `first..first + count` of some rows from a transposed matrix, whose rows are `pitch` elements apart.
    /// Returns false, and writes nothing, if one of both reaches outside.
    #[must_use]
    pub(crate) fn put_transposed(
        &mut self,
        rows: Range<usize>,
        first: usize,
        count: usize,
        from: &[T],
        pitch: usize,
    ) -> bool {
        let inside = Mat { start: 0, rs: pitch, cs: 1 }.inside(count, rows.len(), from.len());
        if !(inside && rows.end <= self.rows && first + count <= self.cols) {
            return false;
        }
        let size = size_of::<T>();
        let from = Plane { ptr: from.as_ptr().cast_mut().cast(), row: size, col: pitch * size };
        let start = self.start.wrapping_add(rows.start * self.ld + first);
        let to = Plane { ptr: start.cast(), row: self.ld * size, col: size };
        // SAFETY: both matrices lie inside their memory, as just checked, and only this panel refers to its elements.
        unsafe { move_plane::<T>(from, to, rows.len(), count) };
        true
    }
}

/// Keeps the first error of concurrent tasks.
#[derive(Default)]
pub struct FirstError(Mutex<Option<Error>>);

impl FirstError {
    /// Records the result of a task.
    pub fn note(&self, result: Result<()>) {
        if let Err(e) = result {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
        }
    }

    /// Returns the first error, if there was one.
    pub fn result(self) -> Result<()> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// Splits the consecutive row-major `rows x cols` matrices of a slice into panels of `per` columns, and calls
/// `f(matrix, first column, panel)` for each. Uses several threads if `work` (operations per column) makes it
/// worthwhile.
pub fn panels<T: Send>(
    out: &mut [T],
    (rows, cols): (usize, usize),
    per: usize,
    work: usize,
    f: &(dyn Fn(usize, usize, Panel<'_, T>) -> Result<()> + Sync),
) -> Result<()> {
    struct Base<T>(*mut T);
    // SAFETY: only the address is shared; each task makes panels of its columns only.
    unsafe impl<T: Send> Sync for Base<T> {}
    let size = rows.saturating_mul(cols);
    if size == 0 || per == 0 {
        return Ok(());
    }
    let each = cols.div_ceil(per);
    let count = out.len() / size * each;
    let base = Base(out.as_mut_ptr());
    let base = &base;
    let error = FirstError::default();
    let group = per_task(count, per.min(cols).saturating_mul(work));
    super::thread_pool::parallel(count.div_ceil(group), &|task| {
        for i in task * group..((task + 1) * group).min(count) {
            let (matrix, first) = (i / each, i % each * per);
            let cols_here = per.min(cols - first);
            // SAFETY: matrix `i / each` and its columns lie inside `out`, which is borrowed for the whole call, and no
            // other panel has these columns.
            let start = unsafe { base.0.add(matrix * size + first) };
            let panel = Panel { start, rows, cols: cols_here, ld: cols, life: PhantomData };
            error.note(f(matrix, first, panel));
        }
    });
    error.result()
}
