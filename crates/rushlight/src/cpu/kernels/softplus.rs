//! `softplus` on the CPU.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num, Real};
use crate::cpu::dispatch;
use crate::cpu::elementary::{Elementary, Softplus};
use crate::cpu::elementary_f64::{self, exp_factors};
use crate::cpu::map::{map1_costly, map1_f32};
use crate::ops::softplus::Softplus as Op;
use crate::{DType, Result};

/// Computes softplus for any layout. Other backends are compared with it.
pub fn softplus(op: &Op, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let (beta, threshold) = (op.beta as f32, op.threshold as f32);
    if x.0.dtype() != DType::F64 && Softplus::fits(beta) {
        return map1_f32(x, out, Softplus { beta, threshold });
    }
    if x.0.dtype() == DType::F64 && (1e-200..=1e200).contains(&op.beta) {
        let (beta, threshold) = (op.beta, op.threshold);
        return map1_costly(
            x,
            out,
            #[inline(always)]
            move |v: f64| of_f64(v, beta, threshold),
        );
    }
    dispatch!(x.0.dtype(), "softplus", FLOAT => T {
        let (beta, threshold) = (Arith::of(op.beta), Arith::of(op.threshold));
        map1_costly(
            x,
            out,
            #[inline(always)]
            move |v: T| T::from_acc(of(v.acc(), beta, threshold)),
        )
    })
}

/// Computes `ln(1 + e^z) / beta` with `z = beta x`, within a few units in the last place, even for results at the ends
/// of the range.
#[inline(always)]
fn of<F: Real>(x: F, beta: F, threshold: F) -> F {
    let z = Arith::mul(x, beta);
    let positive = z > F::ZERO;
    let s = if positive { -z } else { z };
    // z is an exponent, so its rounding error is corrected. (An infinite z has no rounding error. Where z is positive, beta x
    // may overflow where the result does not, and the error does not matter.)
    let low = x.mul_add(beta, -z);
    let low = if positive | (s == F::neg_infinity()) { F::ZERO } else { low };
    let e = Elementary::exp(s);
    let near = Elementary::ln_1p(e + e * low) / beta;
    // e^z / beta, computed so that no factor is subnormal.
    let half = Elementary::exp(s * F::of(0.5));
    let rest = half / beta;
    let tiny = half * (rest + rest * low);
    let r = if s > -F::EXP_LIMIT { near } else { tiny };
    let r = if positive { x + near } else { r };
    // (NaN stays: the comparisons with it are false.)
    if z > threshold { x } else { r }
}

/// Same as [`of`] for f64 and a beta from 1e-200 to 1e200, with one exponential.
#[inline(always)]
fn of_f64(x: f64, beta: f64, threshold: f64) -> f64 {
    let z = x * beta;
    let positive = z > 0.0;
    let s = if positive { -z } else { z };
    // (As in `of`. Below -1400 the result is 0.)
    let low = x.mul_add(beta, -z);
    let low = if positive | (s < -1400.0) { 0.0 } else { low };
    let (a, b) = exp_factors(if s < -1400.0 { -1400.0 } else { s }, low);
    let e = a * b;
    // The logarithm of 1 + e is e where e is small; its power of 2 is then multiplied last, as e may be subnormal.
    let tiny = e < 1e-20;
    let part = (if tiny { a } else { elementary_f64::ln_1p(e) }) / beta * (if tiny { b } else { 1.0 });
    let r = if positive { x + part } else { part };
    // (NaN stays: the comparisons with it are false.)
    if z > threshold { x } else { r }
}
