//! Activation functions and their gradients on the CPU.
use super::elementwise::{Dst, Src, float1, float2, short1, short2, unsupported};
use super::num::{Arith, Real};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{map1, map1_bf16, map1_costly, map1_f32, map2, map2_bf16, map2_costly, map2_f32};
use crate::ops::activation::{Activation, ActivationOp as A};
use crate::ops::activation_backward::{ActivationBackward, SELU, Slope as S};
use crate::ops::bias_activation::Activation as Plain;
use crate::{DType, Result};

/// Computes an activation function for any layout. Other backends are compared with it.
pub fn activation(op: &Activation, name: &'static str, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let [a, b] = op.numbers(x.0.dtype());
    macro_rules! smooth {
        ($f:ident) => {
            float1!(x, out, name, |v| $f(v, Arith::of(a)))
        };
    }
    macro_rules! piecewise {
        ($f:ident) => {
            short1!(x, out, name, |v| $f(v, Arith::of(a), Arith::of(b)))
        };
    }
    match op.op {
        A::Relu6 | A::Hardtanh => piecewise!(hardtanh),
        A::LeakyRelu => piecewise!(leaky_relu),
        A::Hardswish => piecewise!(hardswish),
        A::Hardsigmoid => piecewise!(hardsigmoid),
        A::Threshold => piecewise!(threshold),
        A::Softshrink => piecewise!(softshrink),
        A::Hardshrink => piecewise!(hardshrink),
        A::Softsign => piecewise!(softsign),
        A::Celu => smooth!(celu),
        A::Selu => smooth!(selu),
        A::Mish => smooth!(mish),
        A::Tanhshrink => smooth!(tanhshrink),
        A::Logsigmoid => smooth!(logsigmoid),
    }
}

/// Computes the gradient of an activation function for any layout.
pub fn activation_backward(
    op: &ActivationBackward,
    name: &'static str,
    x: Src<'_>,
    grad: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    let [a, b] = op.numbers(x.0.dtype());
    macro_rules! smooth {
        (|$v:ident, $g:ident| $e:expr) => {
            float2!(x, grad, out, name, |$v, $g| $e)
        };
    }
    macro_rules! piecewise {
        (|$v:ident, $g:ident| $e:expr) => {
            short2!(x, grad, out, name, |$v, $g| $e)
        };
    }
    match op.slope {
        S::Relu => piecewise!(|v, g| relu_grad(v, g)),
        S::ReluSquared => piecewise!(|v, g| relu_squared_grad(v, g)),
        S::Sigmoid => piecewise!(|y, g| sigmoid_grad(y, g)),
        S::Tanh => piecewise!(|y, g| tanh_grad(y, g)),
        S::Of(A::Relu6 | A::Hardtanh) => piecewise!(|v, g| hardtanh_grad(v, g, Arith::of(a), Arith::of(b))),
        S::Of(A::LeakyRelu) => piecewise!(|v, g| leaky_relu_grad(v, g, Arith::of(a))),
        S::Of(A::Hardswish) => piecewise!(|v, g| hardswish_grad(v, g)),
        S::Of(A::Hardsigmoid) => piecewise!(|v, g| hardsigmoid_grad(v, g)),
        S::Of(A::Threshold) => piecewise!(|v, g| threshold_grad(v, g, Arith::of(a))),
        S::Of(A::Softshrink | A::Hardshrink) => piecewise!(|v, g| shrink_grad(v, g, Arith::of(a))),
        S::Of(A::Softsign) => piecewise!(|v, g| softsign_grad(v, g)),
        S::Silu => smooth!(|v, g| silu_grad(v, g)),
        S::Gelu => smooth!(|v, g| Real::gelu_tanh_grad(v, g)),
        S::GeluErf => smooth!(|v, g| Real::gelu_erf_grad(v, g)),
        S::Elu => smooth!(|v, g| elu_grad(v, g, Arith::of(a))),
        S::Of(A::Selu) => smooth!(|v, g| selu_grad(v, g)),
        S::Of(A::Celu) => smooth!(|v, g| celu_grad(v, g, Arith::of(a))),
        S::Softplus => smooth!(|v, g| softplus_grad(v, g, Arith::of(a), Arith::of(b))),
        S::Of(A::Mish) => smooth!(|v, g| mish_grad(v, g)),
        S::Of(A::Tanhshrink) => smooth!(|v, g| tanhshrink_grad(v, g)),
        S::Of(A::Logsigmoid) => smooth!(|v, g| logsigmoid_grad(v, g)),
    }
}

/// Returns `g` times the slope of an activation without numbers at `z`.
#[inline(always)]
pub(super) fn plain_grad<F: Real>(f: Plain, z: F, g: F) -> F {
    match f {
        Plain::Relu => relu_grad(z, g),
        Plain::Gelu => z.gelu_erf_grad(g),
        Plain::GeluTanh => z.gelu_tanh_grad(g),
        Plain::Sigmoid => sigmoid_grad(z.sigmoid(), g),
        Plain::Silu => silu_grad(z, g),
        Plain::Tanh => tanh_grad(Elementary::tanh(z), g),
    }
}

/// Clamps `x` to `-most..=most`. NaN stays NaN.
#[inline(always)]
fn within<F: Real>(x: F, most: F) -> F {
    Arith::max(Arith::min(x, most), -most)
}

#[inline(always)]
fn hardtanh<F: Real>(x: F, low: F, high: F) -> F {
    let x = if x <= low { low } else { x };
    if x >= high { high } else { x }
}

#[inline(always)]
fn hardtanh_grad<F: Real>(x: F, g: F, low: F, high: F) -> F {
    if x <= low || x >= high { F::ZERO } else { g }
}

#[inline(always)]
fn leaky_relu<F: Real>(x: F, slope: F, _: F) -> F {
    if x > F::ZERO { x } else { x * slope }
}

#[inline(always)]
fn leaky_relu_grad<F: Real>(x: F, g: F, slope: F) -> F {
    if x > F::ZERO { g } else { g * slope }
}

/// `relu6(x + 3) / 6`.
#[inline(always)]
fn hardsigmoid<F: Real>(x: F, _: F, _: F) -> F {
    hardtanh(x + F::of(3.0), F::ZERO, F::of(6.0)) / F::of(6.0)
}

#[inline(always)]
fn hardsigmoid_grad<F: Real>(x: F, g: F) -> F {
    if x > F::of(-3.0) && x < F::of(3.0) { g / F::of(6.0) } else { F::ZERO }
}

#[inline(always)]
fn hardswish<F: Real>(x: F, a: F, b: F) -> F {
    x * hardsigmoid(x, a, b)
}

#[inline(always)]
fn hardswish_grad<F: Real>(x: F, g: F) -> F {
    let slope = if x < F::of(3.0) { (x + F::of(1.5)) / F::of(3.0) } else { F::ONE };
    let inner = g * slope;
    if x <= F::of(-3.0) { F::ZERO } else { inner }
}

#[inline(always)]
fn threshold<F: Real>(x: F, bound: F, value: F) -> F {
    if x <= bound { value } else { x }
}

#[inline(always)]
fn threshold_grad<F: Real>(x: F, g: F, bound: F) -> F {
    if x <= bound { F::ZERO } else { g }
}

#[inline(always)]
fn softshrink<F: Real>(x: F, lambd: F, _: F) -> F {
    // (A NaN stays.)
    let inside = if x < -lambd { x + lambd } else { x * F::ZERO };
    if x > lambd { x - lambd } else { inside }
}

#[inline(always)]
fn hardshrink<F: Real>(x: F, lambd: F, _: F) -> F {
    if x >= -lambd && x <= lambd { F::ZERO } else { x }
}

#[inline(always)]
fn shrink_grad<F: Real>(x: F, g: F, lambd: F) -> F {
    if x >= -lambd && x <= lambd { F::ZERO } else { g }
}

#[inline(always)]
fn softsign<F: Real>(x: F, _: F, _: F) -> F {
    x / (F::ONE + Arith::abs(x))
}

#[inline(always)]
fn softsign_grad<F: Real>(x: F, g: F) -> F {
    // Divided twice, since the square of a large number would overflow.
    let d = F::ONE + Arith::abs(x);
    g / d / d
}

#[inline(always)]
fn relu_grad<F: Real>(x: F, g: F) -> F {
    if x <= F::ZERO { F::ZERO } else { g }
}

#[inline(always)]
fn relu_squared_grad<F: Real>(x: F, g: F) -> F {
    g * (Arith::max(x, F::ZERO) * F::of(2.0))
}

/// `x / (1 + e^-y)`. With `h = e^-|y/2|` it is `x / (1 + h h)` for a positive y, and `(x h) h / (1 + h h)` for others: no
/// factor is subnormal.
#[inline(always)]
pub(super) fn mul_sigmoid<F: Real>(x: F, y: F) -> F {
    let half = Elementary::exp(Arith::abs(y) * F::of(-0.5));
    let scaled = if y > F::ZERO { x } else { (x * half) * half };
    scaled / (F::ONE + half * half)
}

/// From the result `y` of the sigmoid.
#[inline(always)]
fn sigmoid_grad<F: Real>(y: F, g: F) -> F {
    g * (y * (F::ONE - y))
}

/// From the result `y` of tanh.
#[inline(always)]
fn tanh_grad<F: Real>(y: F, g: F) -> F {
    g * ((F::ONE - y) * (F::ONE + y))
}

// Both sides of a choice are computed for every element, so that loops vectorize: a branch would depend on the data.

#[inline(always)]
fn celu<F: Real>(x: F, alpha: F) -> F {
    let low = Elementary::exp_m1(Arith::min(x, F::ZERO) / alpha) * alpha;
    if x > F::ZERO { x } else { low }
}

#[inline(always)]
fn selu<F: Real>(x: F, _: F) -> F {
    let low = Elementary::exp_m1(Arith::min(x, F::ZERO)) * F::of(SELU.0 * SELU.1);
    if x > F::ZERO { x * F::of(SELU.0) } else { low }
}

/// `g factor e^z`, in which no part is subnormal.
#[inline(always)]
fn exponential_grad<F: Real>(z: F, g: F, factor: F) -> F {
    let half = Elementary::exp(z * F::of(0.5));
    (g * half) * (half * factor)
}

#[inline(always)]
fn elu_grad<F: Real>(x: F, g: F, alpha: F) -> F {
    let low = exponential_grad(Arith::min(x, F::ZERO), g, alpha);
    if x > F::ZERO { g } else { low }
}

#[inline(always)]
fn celu_grad<F: Real>(x: F, g: F, alpha: F) -> F {
    let low = exponential_grad(Arith::min(x, F::ZERO) / alpha, g, F::ONE);
    if x > F::ZERO { g } else { low }
}

#[inline(always)]
fn selu_grad<F: Real>(x: F, g: F) -> F {
    let low = exponential_grad(Arith::min(x, F::ZERO), g, F::of(SELU.0 * SELU.1));
    if x > F::ZERO { g * F::of(SELU.0) } else { low }
}

/// `x tanh(ln(1 + e^x))`. With `e = e^-|x|` the tanh is `(1 + 2e) / (1 + 2e + 2e^2)`, and `(e^2 + 2e) / (e^2 + 2e + 2)` for
/// negative x: no term cancels.
#[inline(always)]
fn mish<F: Real>(x: F, _: F) -> F {
    let (one, two) = (F::ONE, F::of(2.0));
    let e = Elementary::exp(-Arith::abs(x));
    let n = if x > F::ZERO { one + two * e } else { e * (e + two) };
    let d = n + if x > F::ZERO { two * e * e } else { two };
    let usual = x * (n / d);
    // x e^x, in which no factor is subnormal.
    let half = Elementary::exp(Arith::min(x, F::ZERO) * F::of(0.5));
    let tail = (x * half) * half;
    if x > -F::EXP_LIMIT { usual } else { tail }
}

/// The slope is `N / D^2`. With `e = e^-|x|`, `D = 1 + 2e + 2e^2` and `N = (1 + 2e) D + 4 x e^2 (1 + e)`; for negative x,
/// `D = e^2 + 2e + 2` and `N = e ((e + 2) D + 4 x (1 + e))`.
#[inline(always)]
fn mish_grad<F: Real>(x: F, g: F) -> F {
    let (one, two, four) = (F::ONE, F::of(2.0), F::of(4.0));
    // Beyond this limit the slope equals its limit at infinity.
    let x = within(x, four * F::EXP_LIMIT);
    let half = Elementary::exp(Arith::abs(x) * F::of(-0.5));
    let e = half * half;
    let above = x > F::ZERO;
    let (a, d) =
        if above { (one + two * e, one + two * e * (one + e)) } else { (e + two, e * (e + two) + two) };
    let term = four * x * (one + e);
    let n = a * d + if above { term * e * e } else { term };
    let factor = if above { one } else { half };
    (g * factor) * (factor * n / (d * d))
}

/// `x - tanh(x)`. Near 0 it would cancel; there it is `x N(x^2) / S(x^2)` by Lambert's continued fraction of tanh, whose
/// terms are all positive.
#[inline(always)]
fn tanhshrink<F: Real>(x: F, _: F) -> F {
    const N: [f64; 5] = [65.0, 42_900.0, 6_891_885.0, 349_188_840.0, 4_583_103_525.0];
    const S: [f64; 6] = [66.0, 45_045.0, 7_567_560.0, 413_513_100.0, 6_547_290_750.0, 13_749_310_575.0];
    let square = x * x;
    let polynomial = |c: &[f64]| c.iter().fold(F::ZERO, |sum, c| sum * square + F::of(*c));
    let (near, far) = (x * (square * polynomial(&N) / polynomial(&S)), x - Elementary::tanh(x));
    if Arith::abs(x) >= F::of(1.5) { far } else { near }
}

#[inline(always)]
fn tanhshrink_grad<F: Real>(x: F, g: F) -> F {
    let t = Elementary::tanh(x);
    (g * t) * t
}

/// `ln(1 / (1 + e^-x))`.
#[inline(always)]
fn logsigmoid<F: Real>(x: F, _: F) -> F {
    Arith::min(x, F::ZERO) - Elementary::ln_1p(Elementary::exp(-Arith::abs(x)))
}

/// The slope is `1 / (1 + e^x)`.
#[inline(always)]
fn logsigmoid_grad<F: Real>(x: F, g: F) -> F {
    let half = Elementary::exp(Arith::abs(x) * F::of(-0.5));
    let d = F::ONE / (F::ONE + half * half);
    let factor = if x > F::ZERO { half } else { F::ONE };
    (g * factor) * (factor * d)
}

/// The slope is `1 / (1 + e^-z)` with `z = beta x`.
#[inline(always)]
fn softplus_grad<F: Real>(x: F, g: F, beta: F, threshold: F) -> F {
    let z = x * beta;
    let half = Elementary::exp(Arith::abs(z) * F::of(-0.5));
    let d = F::ONE + half * half;
    // z is an exponent, so its rounding error is corrected where the slope is small. (An infinite z has none.)
    let low = if z.is_finite() { x.product_error(beta, z) } else { F::ZERO };
    let (first, second) = if z > F::ZERO { (F::ONE, F::ONE) } else { (half, half + half * low) };
    let bent = (g * first) * (second / d);
    if z > threshold { g } else { bent }
}

/// The slope is `s (1 + x (1 - s))` with the sigmoid `s` of x.
#[inline(always)]
fn silu_grad<F: Real>(x: F, g: F) -> F {
    // Beyond this limit the slope equals its limit at infinity.
    let x = within(x, F::of(4.0) * F::EXP_LIMIT);
    let half = Elementary::exp(Arith::abs(x) * F::of(-0.5));
    let e = half * half;
    let d = F::ONE / (F::ONE + e);
    let (factor, rest) = if x > F::ZERO { (F::ONE, e * d) } else { (half, d) };
    (g * factor) * (factor * d * (F::ONE + x * rest))
}
