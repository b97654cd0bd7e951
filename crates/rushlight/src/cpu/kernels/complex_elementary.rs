//! Elementary functions of complex numbers. They compute in f64 for both dtypes, with the special values of C's Annex G. An error
//! counts in units of the absolute value (docs/NUMERICS.md), so a part that is small beside the other one may lose digits.
use super::complex::sqrt;
use crate::cpu::elementary_f64::{self as real, exp_m1, ln, ln_1p, sin_cos};
use crate::cpu::elementary_f64_inverse::{asinh as real_asinh, atan2, cosh as real_cosh, sinh as real_sinh};
use num_complex::Complex;
use std::f64::consts::{FRAC_PI_2, LN_2, LN_10, PI};

type C = Complex<f64>;

/// From here on 1 is nothing beside the square of a number.
const LARGE: f64 = 268_435_456.0;
/// From here on e^-x is nothing beside e^x.
const STEEP: f64 = 22.0;

const fn c(re: f64, im: f64) -> C {
    C { re, im }
}

/// Multiplies both numbers by e^x, also where e^x alone would overflow.
fn exp_times(x: f64, a: f64, b: f64) -> C {
    if x > 709.0 {
        let half = real::exp(x * 0.5);
        return c(a * half * half, b * half * half);
    }
    let e = real::exp(x);
    c(e * a, e * b)
}

pub fn exp(z: C) -> C {
    if z.im == 0.0 {
        return c(real::exp(z.re), z.im);
    }
    if !z.im.is_finite() {
        return match z.re {
            f64::NEG_INFINITY => c(0.0, 0f64.copysign(z.im)),
            f64::INFINITY => c(z.re, f64::NAN),
            _ => c(f64::NAN, f64::NAN),
        };
    }
    let (sin, cos) = sin_cos(z.im);
    exp_times(z.re, cos, sin)
}

pub fn expm1(z: C) -> C {
    if z.im == 0.0 {
        // (The array API asks for 0 also where the real part is -0.)
        return c(exp_m1(z.re) + 0.0, z.im);
    }
    if !z.im.is_finite() || !z.re.is_finite() || z.re > 700.0 {
        let e = exp(z);
        return c(e.re - 1.0, e.im);
    }
    let (sin, cos) = sin_cos(z.im);
    let (half, _) = sin_cos(z.im * 0.5);
    let e = exp_m1(z.re);
    c(e * cos - 2.0 * half * half, (e + 1.0) * sin)
}

/// The logarithm of the absolute value, which may itself be out of range.
fn ln_abs(z: C) -> f64 {
    let (a, b) = (z.re.abs(), z.im.abs());
    if a.is_infinite() || b.is_infinite() {
        return f64::INFINITY;
    }
    let (large, small) = if a < b { (b, a) } else { (a, b) };
    if large == 0.0 && small == 0.0 {
        return f64::NEG_INFINITY;
    }
    let ratio = small / large;
    ln(large) + 0.5 * ln_1p(ratio * ratio)
}

pub fn log(z: C) -> C {
    c(ln_abs(z), atan2(z.im, z.re))
}

pub fn log2(z: C) -> C {
    let l = log(z);
    c(l.re / LN_2, l.im / LN_2)
}

pub fn log10(z: C) -> C {
    let l = log(z);
    c(l.re / LN_10, l.im / LN_10)
}

pub fn log1p(z: C) -> C {
    if z.re.abs() < 0.5 && z.im.abs() < 0.5 {
        return c(0.5 * ln_1p(z.re * (2.0 + z.re) + z.im * z.im), atan2(z.im, 1.0 + z.re));
    }
    log(c(1.0 + z.re, z.im))
}

pub fn sinh(z: C) -> C {
    if z.im == 0.0 {
        return c(real_sinh(z.re), z.im);
    }
    if !z.im.is_finite() {
        let stays = z.re == 0.0 || z.re.is_infinite();
        return c(if stays { z.re } else { f64::NAN }, f64::NAN);
    }
    let (sin, cos) = sin_cos(z.im);
    if z.re.abs() > STEEP {
        let e = exp_times(z.re.abs(), 0.5 * cos, 0.5 * sin);
        return c(e.re * 1f64.copysign(z.re), e.im);
    }
    c(real_sinh(z.re) * cos, real_cosh(z.re) * sin)
}

pub fn cosh(z: C) -> C {
    if z.im == 0.0 {
        return c(real_cosh(z.re), 0f64.copysign(z.re) * z.im);
    }
    if !z.im.is_finite() {
        let re = if z.re.is_infinite() { f64::INFINITY } else { f64::NAN };
        return c(re, if z.re == 0.0 { z.re } else { f64::NAN });
    }
    let (sin, cos) = sin_cos(z.im);
    if z.re.abs() > STEEP {
        let e = exp_times(z.re.abs(), 0.5 * cos, 0.5 * sin);
        return c(e.re, e.im * 1f64.copysign(z.re));
    }
    c(real_cosh(z.re) * cos, real_sinh(z.re) * sin)
}

/// The formula is Kahan's (Branch cuts for complex elementary functions, 1987).
pub fn tanh(z: C) -> C {
    if z.re.is_nan() {
        return c(z.re, if z.im == 0.0 { z.im } else { f64::NAN });
    }
    if z.re.is_infinite() {
        return c(1f64.copysign(z.re), 0f64.copysign(z.im));
    }
    if !z.im.is_finite() {
        return c(if z.re == 0.0 { z.re } else { f64::NAN }, f64::NAN);
    }
    let (sin, cos) = sin_cos(z.im);
    if z.re.abs() > STEEP {
        let e = real::exp(-2.0 * z.re.abs());
        return c(1f64.copysign(z.re), 4.0 * sin * cos * e);
    }
    let t = if z.im == 0.0 { z.im } else { sin / cos };
    let b = 1.0 + t * t;
    let s = real_sinh(z.re);
    let d = 1.0 + b * s * s;
    c(b * (1.0 + s * s).sqrt() * s / d, t / d)
}

/// Returns -i f(i z), which turns hyperbolic functions into those of angles.
fn turned(f: fn(C) -> C, z: C) -> C {
    let w = f(c(-z.im, z.re));
    c(w.im, -w.re)
}

pub fn sin(z: C) -> C {
    turned(sinh, z)
}

pub fn cos(z: C) -> C {
    cosh(c(-z.im, z.re))
}

pub fn tan(z: C) -> C {
    turned(tanh, z)
}

pub fn asin(z: C) -> C {
    turned(asinh, z)
}

pub fn atan(z: C) -> C {
    turned(atanh, z)
}

/// Returns whether the squares of a number are so large that 1 is nothing beside them, or a part is infinite.
fn is_large(z: C) -> bool {
    z.re.abs() > LARGE || z.im.abs() > LARGE
}

// The formulas of the next three functions are Kahan's, too.

pub fn asinh(z: C) -> C {
    if z.re.is_nan() && z.im == 0.0 {
        return z;
    }
    if is_large(z) {
        return c((ln_abs(z) + LN_2).copysign(z.re), atan2(z.im, z.re.abs()));
    }
    let (below, above) = (sqrt(c(1.0 - z.im, z.re)), sqrt(c(1.0 + z.im, -z.re)));
    let re = real_asinh(below.im * above.re - below.re * above.im);
    c(re, atan2(z.im, below.re * above.re - below.im * above.im))
}

pub fn acosh(z: C) -> C {
    if z.im.is_nan() && z.re == 0.0 {
        return c(f64::NAN, FRAC_PI_2);
    }
    if is_large(z) {
        return c(ln_abs(z) + LN_2, atan2(z.im, z.re));
    }
    let (below, above) = (sqrt(c(z.re - 1.0, z.im)), sqrt(c(z.re + 1.0, z.im)));
    c(real_asinh(below.re * above.re + below.im * above.im), 2.0 * atan2(below.im, above.re))
}

pub fn acos(z: C) -> C {
    if z.im.is_nan() && z.re == 0.0 {
        return c(FRAC_PI_2, f64::NAN);
    }
    if is_large(z) {
        return c(atan2(z.im.abs(), z.re), -(ln_abs(z) + LN_2).copysign(z.im));
    }
    let (below, above) = (sqrt(c(1.0 - z.re, -z.im)), sqrt(c(1.0 + z.re, z.im)));
    c(2.0 * atan2(below.re, above.re), real_asinh(above.re * below.im - above.im * below.re))
}

pub fn atanh(z: C) -> C {
    let (x, y) = (z.re.abs(), z.im.abs());
    let signed = |re: f64, im: f64| c(re.copysign(z.re), im.copysign(z.im));
    if x.is_infinite() || y.is_infinite() {
        return signed(0.0, if y.is_nan() { y } else { FRAC_PI_2 });
    }
    if y.is_nan() {
        return c(if x == 0.0 { z.re } else { f64::NAN }, f64::NAN);
    }
    if is_large(z) {
        // pi / 2 i + 1 / z.
        let (large, ratio) = if x < y { (y, x / y) } else { (x, y / x) };
        let (re, im) = if x < y { (ratio, 1.0) } else { (1.0, ratio) };
        let by = 1.0 + ratio * ratio;
        return signed(re / large / by, FRAC_PI_2 - im / large / by);
    }
    if x == 1.0 && y < 1e-150 {
        // The square of y would be 0.
        return signed(0.5 * (LN_2 - ln(y)), if y == 0.0 { 0.0 } else { PI / 4.0 });
    }
    let d = 1.0 - x;
    signed(0.25 * ln_1p(4.0 * x / (d * d + y * y)), 0.5 * atan2(2.0 * y, d * (1.0 + x) - y * y))
}
