//! A tensor's part of a joint norm.
use super::elementwise::{Dst, Src, src};
use super::num::{Arith, Num};
use super::reduce::{Convert, Plan, Values, reduce_all, reduce_tree};
use super::reduce_tree::{CHUNK, Combine, sum_of_products};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::driver::change;
use crate::ops::accumulate_norm::AccumulateNorm;

/// Squares of elements, which are summed as they are computed where the elements follow one another.
struct Squares<'a, T>(&'a [T]);

impl<T: Num> Convert<T::Acc> for Squares<'_, T> {
    fn read(&self, offset: usize, step: usize, out: &mut [T::Acc]) {
        for (i, o) in out.iter_mut().enumerate() {
            let v = self.0[offset + i * step].acc();
            *o = Arith::mul(v, v);
        }
    }
    fn chunk(&self, offset: usize, n: usize) -> Option<T::Acc> {
        let mut room = [T::Acc::ZERO; CHUNK];
        let v = T::widened(&self.0[offset..offset + n], &mut room[..n]);
        Some(sum_of_products(v, v))
    }
    fn reduces(&self) -> bool {
        true
    }
}

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
            let squares = Squares(src::<T>(x)?.0);
            let mut out = [A::ZERO];
            reduce_tree(&Plan::new(x.1, |_| true), Values::Converted(&squares), &mut out, &sum)?;
            Ok(out[0])
        } else {
            reduce_all::<T>(x, &sum, |v| Arith::pow(Arith::abs(v), order))
        }?;
        change::<A>(total, |t| Arith::add(t, sum))
    })
}
