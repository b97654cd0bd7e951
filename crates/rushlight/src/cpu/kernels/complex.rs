//! Elementwise ops on complex numbers. docs/NUMERICS.md has the formulas.
use super::complex_elementary as functions;
use super::elementwise::{Dst, Src, unsupported};
use crate::cpu::driver::Bits;
use crate::cpu::map::{map1, map2};
use crate::ops::affine::Affine;
use crate::ops::binary::BinaryOp;
use crate::ops::cmp::CmpOp;
use crate::ops::predicate::PredicateOp;
use crate::ops::unary::UnaryOp;
use crate::{DType, Element, Result};
use num_complex::Complex;
use num_traits::Float;

/// A type of the parts of complex numbers.
pub trait Part: Float + Send + Sync + 'static {
    const HALF: Self;
    /// Powers of 4 by which [`sqrt`] multiplies large numbers and small ones, so that no step leaves the range.
    const SCALES: [Self; 2];
}
impl Part for f32 {
    const HALF: Self = 0.5;
    const SCALES: [Self; 2] = [0.0625, 16_777_216.0];
}
impl Part for f64 {
    const HALF: Self = 0.5;
    const SCALES: [Self; 2] = [0.0625, 18_014_398_509_481_984.0];
}

#[inline(always)]
pub fn add<F: Part>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    Complex { re: a.re + b.re, im: a.im + b.im }
}

#[inline(always)]
fn sub<F: Part>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    Complex { re: a.re - b.re, im: a.im - b.im }
}

#[inline(always)]
pub fn mul<F: Part>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    Complex { re: a.re * b.re - a.im * b.im, im: a.re * b.im + a.im * b.re }
}

/// Divides by Smith's method (1962), as NumPy does: by the larger part of the divisor first.
#[inline(always)]
fn div<F: Part>(a: Complex<F>, b: Complex<F>) -> Complex<F> {
    if b.re == F::zero() && b.im == F::zero() {
        return Complex { re: a.re / b.re.abs(), im: a.im / b.re.abs() };
    }
    if b.re.abs() >= b.im.abs() {
        let ratio = b.im / b.re;
        let by = b.re + b.im * ratio;
        Complex { re: (a.re + a.im * ratio) / by, im: (a.im - a.re * ratio) / by }
    } else {
        let ratio = b.re / b.im;
        let by = b.re * ratio + b.im;
        Complex { re: (a.re * ratio + a.im) / by, im: (a.im * ratio - a.re) / by }
    }
}

/// Returns 1 divided by a number as [`div`] does, without the terms of a numerator's imaginary part: as in NumPy, the inverse of
/// a number with the imaginary part 0 has -0.
#[inline(always)]
fn inverse<F: Part>(v: Complex<F>) -> Complex<F> {
    if v.re == F::zero() && v.im == F::zero() {
        return div(Complex { re: F::one(), im: F::zero() }, v);
    }
    if v.re.abs() >= v.im.abs() {
        let ratio = v.im / v.re;
        let by = v.re + v.im * ratio;
        Complex { re: F::one() / by, im: -ratio / by }
    } else {
        let ratio = v.re / v.im;
        let by = v.re * ratio + v.im;
        Complex { re: ratio / by, im: -F::one() / by }
    }
}

/// Returns the absolute value, without overflow of squares. It is infinite if a part is, even if the other one is NaN.
#[inline(always)]
fn abs<F: Part>(v: Complex<F>) -> F {
    let (a, b) = (v.re.abs(), v.im.abs());
    if a.is_infinite() || b.is_infinite() {
        return F::infinity();
    }
    let (large, small) = if a < b { (b, a) } else { (a, b) };
    if large == F::zero() {
        return large + small;
    }
    let ratio = small / large;
    large * (F::one() + ratio * ratio).sqrt()
}

/// Returns the square root whose real part is not negative. Numbers near the ends of the range are scaled by powers of 4.
#[inline(always)]
pub fn sqrt<F: Part>(v: Complex<F>) -> Complex<F> {
    let (a, b) = (v.re.abs(), v.im.abs());
    if b.is_infinite() {
        return Complex { re: b, im: v.im };
    }
    if a.is_infinite() {
        let zero = if v.im.is_nan() { v.im } else { F::zero() };
        return if v.re > F::zero() {
            Complex { re: a, im: zero.copysign(v.im) }
        } else {
            Complex { re: zero, im: a.copysign(v.im) }
        };
    }
    if a == F::zero() && b == F::zero() {
        return Complex { re: F::zero(), im: v.im };
    }
    let one = F::one();
    let (large, small) =
        (a.max(b) >= F::max_value() * F::HALF * F::HALF, a.max(b) < F::min_positive_value() / F::epsilon());
    let scale = if large { F::SCALES[0] } else { F::SCALES[1] };
    let (x, y) = if large || small { (a * scale, b * scale) } else { (a, b) };
    let t = ((x + abs(Complex { re: x, im: y })) * F::HALF).sqrt();
    let other = y / (t + t);
    let back = if large || small { one / scale.sqrt() } else { one };
    let (t, other) = (t * back, other * back);
    if v.re >= F::zero() {
        Complex { re: t, im: other.copysign(v.im) }
    } else {
        Complex { re: other, im: t.copysign(v.im) }
    }
}

/// Returns the number of absolute value 1 in the same direction; 0 for 0.
#[inline(always)]
fn direction<F: Part>(v: Complex<F>) -> Complex<F> {
    let size = abs(v);
    if size == F::zero() {
        return Complex { re: F::zero(), im: F::zero() };
    }
    let finite = v.re.is_finite() && v.im.is_finite();
    if finite && size.is_infinite() {
        let half = Complex { re: v.re * F::HALF, im: v.im * F::HALF };
        let size = abs(half);
        return Complex { re: half.re / size, im: half.im / size };
    }
    Complex { re: v.re / size, im: v.im / size }
}

#[inline(always)]
fn is_zero<F: Part>(v: Complex<F>) -> bool {
    v.re == F::zero() && v.im == F::zero()
}

/// Maps a function over the elements. `$F` stands for the type of the parts.
macro_rules! map_complex {
    ($x:expr, $out:expr, $name:expr, $F:ident, $f:expr) => {
        match $x.0.dtype() {
            DType::C64 => {
                type $F = f32;
                map1($x, $out, $f)
            }
            DType::C128 => {
                type $F = f64;
                map1($x, $out, $f)
            }
            other => unsupported(other, $name),
        }
    };
}

/// Same as [`map_complex`], for functions of two elements.
macro_rules! map2_complex {
    ($x:expr, $y:expr, $out:expr, $name:expr, $F:ident, $f:expr) => {
        match $x.0.dtype() {
            DType::C64 => {
                type $F = f32;
                map2($x, $y, $out, $f)
            }
            DType::C128 => {
                type $F = f64;
                map2($x, $y, $out, $f)
            }
            other => unsupported(other, $name),
        }
    };
}

pub fn unary(op: UnaryOp, name: &'static str, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    macro_rules! each {
        (|$v:ident| $e:expr) => {
            map_complex!(x, out, name, F, |$v: Complex<F>| -> Complex<F> { $e })
        };
    }
    macro_rules! real {
        (|$v:ident| $e:expr) => {
            map_complex!(x, out, name, F, |$v: Complex<F>| -> F { $e })
        };
    }
    // Computes in f64 and rounds once.
    macro_rules! function {
        ($f:ident) => {
            match x.0.dtype() {
                DType::C64 => map1(x, out, |v: Complex<f32>| {
                    let r = functions::$f(Complex { re: f64::from(v.re), im: f64::from(v.im) });
                    Complex { re: r.re as f32, im: r.im as f32 }
                }),
                DType::C128 => map1(x, out, functions::$f),
                other => unsupported(other, name),
            }
        };
    }
    match op {
        UnaryOp::Exp => function!(exp),
        UnaryOp::Log => function!(log),
        UnaryOp::Log1p => function!(log1p),
        UnaryOp::Expm1 => function!(expm1),
        UnaryOp::Log2 => function!(log2),
        UnaryOp::Log10 => function!(log10),
        UnaryOp::Sin => function!(sin),
        UnaryOp::Cos => function!(cos),
        UnaryOp::Tan => function!(tan),
        UnaryOp::Asin => function!(asin),
        UnaryOp::Acos => function!(acos),
        UnaryOp::Atan => function!(atan),
        UnaryOp::Sinh => function!(sinh),
        UnaryOp::Cosh => function!(cosh),
        UnaryOp::Tanh => function!(tanh),
        UnaryOp::Asinh => function!(asinh),
        UnaryOp::Acosh => function!(acosh),
        UnaryOp::Atanh => function!(atanh),
        UnaryOp::Sqrt => each!(|v| sqrt(v)),
        UnaryOp::Rsqrt => each!(|v| inverse(sqrt(v))),
        UnaryOp::Neg => each!(|v| Complex { re: -v.re, im: -v.im }),
        UnaryOp::ConjPhysical => each!(|v| Complex { re: v.re, im: -v.im }),
        UnaryOp::Square => each!(|v| mul(v, v)),
        UnaryOp::Reciprocal => each!(|v| inverse(v)),
        UnaryOp::Sgn => each!(|v| direction(v)),
        UnaryOp::Abs => real!(|v| abs(v)),
        UnaryOp::Real => real!(|v| v.re),
        UnaryOp::Imag => real!(|v| v.im),
        _ => unsupported(x.0.dtype(), name),
    }
}

pub fn binary(op: BinaryOp, name: &'static str, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    macro_rules! each {
        ($f:ident) => {
            map2_complex!(a, b, out, name, F, |x: Complex<F>, y: Complex<F>| -> Complex<F> { $f(x, y) })
        };
    }
    match op {
        BinaryOp::Add => each!(add),
        BinaryOp::Sub => each!(sub),
        BinaryOp::Mul => each!(mul),
        BinaryOp::Div => each!(div),
        _ => unsupported(a.0.dtype(), name),
    }
}

/// Joins real and imaginary parts.
pub fn join(name: &'static str, re: Src<'_>, im: Src<'_>, out: Dst<'_>) -> Result<()> {
    match re.0.dtype() {
        DType::F32 => map2(re, im, out, |re: f32, im: f32| Complex { re, im }),
        DType::F64 => map2(re, im, out, |re: f64, im: f64| Complex { re, im }),
        other => unsupported(other, name),
    }
}

pub fn cmp(op: CmpOp, name: &'static str, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    macro_rules! each {
        ($op:tt) => {
            map2_complex!(a, b, Bits(out), name, F, |x: Complex<F>, y: Complex<F>| u8::from(x $op y))
        };
    }
    match op {
        CmpOp::Eq => each!(==),
        CmpOp::Ne => each!(!=),
        _ => unsupported(a.0.dtype(), name),
    }
}

pub fn predicate(op: PredicateOp, name: &'static str, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    macro_rules! each {
        (|$v:ident| $e:expr) => {
            map_complex!(x, Bits(out), name, F, |$v: Complex<F>| u8::from($e))
        };
    }
    match op {
        PredicateOp::IsNan => each!(|v| v.re.is_nan() || v.im.is_nan()),
        PredicateOp::IsInf => each!(|v| v.re.is_infinite() || v.im.is_infinite()),
        PredicateOp::IsFinite => each!(|v| v.re.is_finite() && v.im.is_finite()),
        _ => each!(|v| is_zero(v)),
    }
}

pub fn logical(op: PredicateOp, name: &'static str, a: Src<'_>, b: Src<'_>, out: Dst<'_>) -> Result<()> {
    macro_rules! each {
        ($op:tt) => {
            map2_complex!(a, b, Bits(out), name, F, |x: Complex<F>, y: Complex<F>| {
                u8::from(!is_zero(x) $op !is_zero(y))
            })
        };
    }
    match op {
        PredicateOp::And => each!(&),
        PredicateOp::Or => each!(|),
        _ => each!(^),
    }
}

/// Multiplies by a real number and adds one. As for real tensors, nothing is added if the summand is 0.
pub fn affine(c: Affine, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let add = if c.add == 0.0 { -0.0 } else { c.add };
    macro_rules! each {
        ($F:ident) => {{
            let (mul, add) = (<$F as Element>::from_f64(c.mul), <$F as Element>::from_f64(add));
            map1(x, out, move |v: Complex<$F>| Complex { re: v.re * mul + add, im: v.im * mul })
        }};
    }
    match x.0.dtype() {
        DType::C64 => each!(f32),
        DType::C128 => each!(f64),
        other => unsupported(other, "affine"),
    }
}
