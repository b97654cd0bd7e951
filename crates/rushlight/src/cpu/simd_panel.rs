//! Panels: blocks of columns of a row-major matrix, which several threads write at once, and matrix products into them.
#![allow(unsafe_code)]
use super::driver::per_task;
use super::simd_gemm::{Gemm, Mat};
use crate::{Error, Result};
use std::marker::PhantomData;
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
}

impl<T: Gemm> Panel<'_, T> {
    /// Computes `panel = a b`, or `panel += a b`, on this thread. `a` is `rows x k` and `b` is `k x cols`. Returns
    /// false, and writes nothing, if a matrix reaches outside its slice.
    #[must_use]
    pub fn product(&mut self, k: usize, a: (&[T], Mat), b: (&[T], Mat), add: bool) -> bool {
        let (m, n) = (self.rows, self.cols);
        if !(a.1.inside(m, k, a.0.len()) && b.1.inside(k, n, b.0.len())) {
            return false;
        }
        if k == 0 && !add {
            (0..m).for_each(|i| self.row(i).fill(T::ZERO));
        }
        if m == 0 || n == 0 || k == 0 {
            return true;
        }
        // SAFETY: `a` and `b` lie inside their slices (checked above), and only this panel refers to its elements.
        unsafe { super::simd_gemm::multiply((m, n, k), a, b, self.start, self.ld, add) };
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
