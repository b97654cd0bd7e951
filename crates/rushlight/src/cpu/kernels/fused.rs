//! The fused ops addmm, addcmul and addcdiv.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use crate::cpu::driver::update;
use crate::cpu::map::{map2, map3};
use crate::cpu::{CpuStorage, dispatch};
use crate::ops::addcmul::AddCMul;
use crate::ops::addmm::AddMm;
use crate::{DType, Layout, Result};

pub fn addmm(c: &AddMm, x: Src<'_>, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    let dtype = x.0.dtype();
    if matches!(dtype, DType::F16 | DType::BF16) {
        // The matrix product stays in f32 until `x` is added.
        let widen = |s: Src<'_>| -> Result<(CpuStorage, Layout)> {
            let l = Layout::contiguous(s.1.shape().clone());
            let mut w = CpuStorage::uninit(DType::F32, l.shape().elem_count())?;
            super::cast::cast(s, (&mut w, &l))?;
            Ok((w, l))
        };
        let ((a, al), (b, bl)) = (widen(a)?, widen(b)?);
        let mut wide = CpuStorage::uninit(DType::F32, out.1.shape().elem_count())?;
        super::matmul::matmul((&a, &al), (&b, &bl), (&mut wide, out.1))?;
        return dispatch!(dtype, "addmm", (F16, BF16) => T {
            map2((&wide, out.1), x, out, |p: f32, x: T| T::from_acc(combine(c, p, x.acc())))
        });
    }
    super::matmul::matmul(a, b, (&mut *out.0, out.1))?;
    dispatch!(dtype, "addmm", (U8, I8, U16, I16, U32, I32, U64, I64, F32, F64) => T {
        update::<T, 1, 2>([out], x, |[p], x| [T::from_acc(combine(c, p.acc(), x.acc()))])
    })
}

/// Computes `beta x + alpha p`, where `p` is an element of the product.
#[inline(always)]
fn combine<A: Arith>(c: &AddMm, p: A, x: A) -> A {
    let p = if c.alpha == 1.0 { p } else { p.mul(factor(c.alpha)) };
    match c.beta {
        0.0 => p,
        1.0 => x.add(p),
        beta => x.mul(factor(beta)).add(p),
    }
}

/// Converts a factor to the type that is computed in. For unsigned integers a negative factor wraps.
#[inline(always)]
fn factor<A: Arith>(f: f64) -> A {
    if f < 0.0 { A::of(-f).neg() } else { A::of(f) }
}

pub fn addcmul(c: &AddCMul, x: Src<'_>, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    if c.div {
        return dispatch!(x.0.dtype(), "addcdiv", FLOAT => T {
            let value = factor::<<T as Num>::Acc>(c.value);
            map3(x, a, b, out, move |x: T, a: T, b: T| {
                T::from_acc(Arith::add(x.acc(), Arith::div(Arith::mul(value, a.acc()), b.acc())))
            })
        });
    }
    dispatch!(x.0.dtype(), "addcmul", NUMERIC => T {
        let value = factor::<<T as Num>::Acc>(c.value);
        map3(x, a, b, out, move |x: T, a: T, b: T| {
            T::from_acc(Arith::add(x.acc(), Arith::mul(Arith::mul(value, a.acc()), b.acc())))
        })
    })
}
