//! Casts between all dtypes.
use super::elementwise::{Dst, Src, dst, src};
use crate::cpu::dispatch_all;
use crate::cpu::driver::map1;
use crate::{Element, Result};

/// One element: integers exactly, floats through f64 (which holds every narrower one), rounded once.
#[inline(always)]
fn convert<A: Element, B: Element>(v: A) -> B {
    match v.to_i128() {
        Some(i) => B::from_i128(i),
        None => B::from_f64(v.to_f64()),
    }
}

pub fn cast(x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (from, to) = (x.0.dtype(), out.0.dtype());
    if from == to {
        return super::copy::copy(x.0, x.1, out.0, out.1);
    }
    dispatch_all!(from, "to_dtype", A => {
        dispatch_all!(to, "to_dtype", B => {
            map1(src::<A>(x)?, dst::<B>(&mut out)?, convert::<A, B>)
        })
    })
}
