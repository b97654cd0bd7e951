//! `softplus` on the CPU.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num, Real};
use crate::cpu::dispatch;
use crate::cpu::elementary::{Elementary, Softplus};
use crate::cpu::map::{map1, map1_f32};
use crate::ops::softplus::Softplus as Op;
use crate::{DType, Result};

/// Computes softplus for any layout. Other backends are compared with it.
pub fn softplus(op: &Op, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let (beta, threshold) = (op.beta as f32, op.threshold as f32);
    if x.0.dtype() != DType::F64 && Softplus::fits(beta) {
        return map1_f32(x, out, Softplus { beta, threshold });
    }
    dispatch!(x.0.dtype(), "softplus", FLOAT => T {
        let (beta, threshold) = (Arith::of(op.beta), Arith::of(op.threshold));
        map1(x, out, |v: T| T::from_acc(of(v.acc(), beta, threshold)))
    })
}

/// Computes `ln(1 + e^z) / beta` with `z = beta x`, within a few units in the last place, even for results at the ends
/// of the range.
fn of<F: Real>(x: F, beta: F, threshold: F) -> F {
    let z = Arith::mul(x, beta);
    if z > threshold {
        return x;
    }
    if z > F::ZERO {
        // (beta x may overflow where the result does not.)
        return x + Elementary::ln_1p(Elementary::exp(-z)) / beta;
    }
    // z is an exponent, so its rounding error is corrected. (An infinite z has no rounding error.)
    let low = if z.is_finite() { x.mul_add(beta, -z) } else { F::ZERO };
    if z > -F::EXP_LIMIT {
        let e = Elementary::exp(z);
        return Elementary::ln_1p(e + e * low) / beta;
    }
    // e^z / beta, computed so that no factor is subnormal.
    let half = Elementary::exp(z * F::of(0.5));
    let rest = half / beta;
    half * (rest + rest * low)
}
