//! A tensor's part of a joint norm.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use super::reduce::{reduce_all, sum_of_squares};
use super::reduce_tree::Combine;
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::driver::change;
use crate::ops::accumulate_norm::AccumulateNorm;

pub fn accumulate_norm(c: &AccumulateNorm, total: Dst<'_>, x: Src<'_>) -> Result<()> {
    if x.1.shape().elem_count() == 0 {
        return Ok(());
    }
    dispatch!(x.0.dtype(), "accumulate_norm", FLOAT => T {
        type A = <T as Num>::Acc;
        let order = A::of(c.order);
        let sum = Combine { identity: A::ZERO, combine: <A as Arith>::add };
        if c.order == f64::INFINITY {
            let largest = Combine { identity: A::ZERO, combine: <A as Arith>::max };
            let most = reduce_all::<T>(x, &largest, Arith::abs)?;
            return change::<A>(total, |t| Arith::max(t, most));
        }
        let sum = if order == A::ONE {
            reduce_all::<T>(x, &sum, Arith::abs)
        } else if order == A::of(2.0) {
            sum_of_squares::<T>(x)
        } else {
            reduce_all::<T>(x, &sum, #[inline(always)] |v| Arith::pow(Arith::abs(v), order))
        }?;
        change::<A>(total, |t| Arith::add(t, sum))
    })
}
