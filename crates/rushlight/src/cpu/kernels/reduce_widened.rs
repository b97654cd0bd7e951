//! Sums and products of integers in I64 or U64.
use super::elementwise::{Dst, Src, src};
use super::reduce::{Convert, Plan, Values, read, sum_or_product};
use crate::cpu::dispatch;
use crate::cpu::driver::{WordsMut, words_mut};
use crate::cpu::simd_isa::{self, Work};
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::{DType, Error, Result};

/// Computes sums and products of integers in I64 or U64. Wrapping results have the same bits in both.
pub(super) fn widened(c: &Reduce, name: &'static str, p: &Plan, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    if !matches!(c.dtype, DType::I64 | DType::U64) {
        return Err(Error::UnsupportedDTypeForOp(c.dtype, name).bt());
    }
    let WordsMut::W8(o) = words_mut(out.0)? else {
        return Err(Error::UnsupportedDTypeForOp(c.dtype, name).bt());
    };
    dispatch!(x.0.dtype(), name, INT => T {
        // (The cast changes nothing for T = u64.)
        #[allow(clippy::unnecessary_cast)]
        let widen = |v: T| v as u64;
        let x = Widened { x: src::<T>(x)?.0, widen, sum: c.op == ReduceOp::Sum };
        sum_or_product(c, p, Values::Converted(&x), o, None)
    })
}

/// Integers that are summed or multiplied in U64.
struct Widened<'a, T, F> {
    x: &'a [T],
    widen: F,
    sum: bool,
}

impl<T: Copy + Sync, F: Fn(T) -> u64 + Copy + Sync> Convert<u64> for Widened<'_, T, F> {
    fn read(&self, offset: usize, step: usize, out: &mut [u64]) {
        read(self.x, offset, step, out, self.widen);
    }
    fn chunks(&self, offset: usize, n: usize, out: &mut [u64]) -> bool {
        if self.sum {
            for (i, out) in out.iter_mut().enumerate() {
                *out = simd_isa::run_small(WidenedSum(&self.x[offset + i * n..][..n], self.widen));
            }
        }
        self.sum
    }
}

/// A sum of integers of a slice in U64.
struct WidenedSum<'a, T, F>(&'a [T], F);
impl<T: Copy, F: Fn(T) -> u64> Work for WidenedSum<'_, T, F> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        self.0.iter().fold(0, |sum, v| u64::wrapping_add(sum, (self.1)(*v)))
    }
}
