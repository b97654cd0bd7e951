//! Sums of f16 and bf16 in f32, widened where they are added.
use super::num::{Arith, Num};
use super::reduce::{Convert, read};
use super::reduce_tree::{fold, sums_of_runs};
use crate::cpu::simd_half;
use crate::cpu::simd_isa::{self, Work};
use half::{bf16, f16};

/// Elements that are widened and reduced; `sum` tells whether they are added.
pub(super) struct Halves<'a, T> {
    pub(super) x: &'a [T],
    pub(super) sum: bool,
}

/// Shorter runs are widened several at a time.
const LONG: usize = 128;

impl<T: HalfSum> Convert<f32> for Halves<'_, T> {
    fn read(&self, offset: usize, step: usize, out: &mut [f32]) {
        match step {
            1 => T::widen(&self.x[offset..offset + out.len()], out),
            _ => read(self.x, offset, step, out, T::acc),
        }
    }
    fn chunks(&self, offset: usize, n: usize, out: &mut [f32]) -> bool {
        let adds = self.sum && n >= LONG && T::adds();
        if adds {
            T::add_chunks(&self.x[offset..offset + n * out.len()], n, out);
        }
        adds
    }
    fn rows(&self, sums: &mut [f32], offset: usize, n: usize, step: usize) -> bool {
        let adds = self.sum && T::adds();
        if adds {
            T::add_rows(sums, &self.x[offset..], n, step);
        }
        adds
    }
}

/// A type of 16 bits whose elements are added without a buffer of f32.
pub(super) trait HalfSum: Num<Acc = f32> {
    /// Returns whether that is faster with the instructions in use.
    fn adds() -> bool;
    /// Computes the sums of runs of `n` elements, at most a chunk each, that follow one another.
    fn add_chunks(values: &[Self], n: usize, out: &mut [f32]);
    /// Adds `n` rows, `step` elements apart, one after the other to `sums`, which has their width.
    fn add_rows(sums: &mut [f32], rows: &[Self], n: usize, step: usize);
}

impl HalfSum for f16 {
    fn adds() -> bool {
        simd_half::adds()
    }
    fn add_chunks(values: &[Self], n: usize, out: &mut [f32]) {
        for (k, out) in out.iter_mut().enumerate() {
            *out = fold(simd_half::lanes(&values[k * n..][..n]), Arith::add);
        }
    }
    fn add_rows(sums: &mut [f32], rows: &[Self], n: usize, step: usize) {
        simd_half::add_rows(sums, rows, n, step);
    }
}

impl HalfSum for bf16 {
    fn adds() -> bool {
        true
    }
    fn add_chunks(values: &[Self], n: usize, out: &mut [f32]) {
        sums_of_runs(values, n, |sum: f32, v: bf16| sum + v.acc(), out);
    }
    fn add_rows(sums: &mut [f32], rows: &[Self], n: usize, step: usize) {
        simd_isa::run(Rows { sums, rows, n, step });
    }
}

/// The arguments of [`HalfSum::add_rows`] of bf16.
struct Rows<'a> {
    sums: &'a mut [f32],
    rows: &'a [bf16],
    n: usize,
    step: usize,
}

impl Work for Rows<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        /// Rows that are added while their sums are in registers.
        const TOGETHER: usize = 4;
        let Rows { sums, rows, n, step } = self;
        let width = sums.len();
        let row = |i: usize| &rows[i * step..][..width];
        let whole = n - n % TOGETHER;
        for i in (0..whole).step_by(TOGETHER) {
            let (a, b, c, d) = (row(i), row(i + 1), row(i + 2), row(i + 3));
            for w in 0..width {
                sums[w] = sums[w] + a[w].acc() + b[w].acc() + c[w].acc() + d[w].acc();
            }
        }
        for i in whole..n {
            for (sum, v) in sums.iter_mut().zip(row(i)) {
                *sum += v.acc();
            }
        }
    }
}
