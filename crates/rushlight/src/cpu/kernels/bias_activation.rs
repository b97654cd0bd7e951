//! Activations of sums (x + bias) on the CPU, and their gradients.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num, Real};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::map::{map2, map3};
use crate::ops::bias_activation::Activation;

/// Returns the activation of a number.
#[inline(always)]
fn value<F: Real>(f: Activation, z: F) -> F {
    match f {
        Activation::Relu => Arith::max(z, F::ZERO),
        Activation::Gelu => z.gelu_erf(),
        Activation::GeluTanh => z.gelu_tanh(),
        Activation::Sigmoid => z.sigmoid(),
        Activation::Silu => z.silu(),
        Activation::Tanh => z.tanh(),
    }
}

/// Clamps `z` to `-most..=most`; beyond that the derivative equals its limit at infinity. NaN stays NaN.
fn within<F: Real>(z: F, most: F) -> F {
    Arith::max(Arith::min(z, most), -most)
}

/// Returns the derivative of the activation.
#[inline(always)]
fn slope<F: Real>(f: Activation, z: F) -> F {
    let (one, half) = (F::of(1.0), F::of(0.5));
    match f {
        Activation::Relu if Arith::is_nan(z) => z,
        Activation::Relu => F::of(if z > F::ZERO { 1.0 } else { 0.0 }),
        Activation::Gelu => {
            let z = within(z, F::of(40.0));
            let density = (z * z * -half).exp() * F::of(0.398_942_280_401_432_7);
            z.normal() + z * density
        }
        Activation::GeluTanh => {
            let z = within(z, F::of(40.0));
            // sqrt(8 / pi), and the factor of the cubic term.
            let (linear, cubic) = (F::of(1.595_769_121_605_730_8), F::of(0.044715));
            let s = (linear * (z + cubic * z * z * z)).sigmoid();
            s + z * (s * (one - s)) * (linear * (one + F::of(3.0) * cubic * z * z))
        }
        Activation::Sigmoid => {
            let s = z.sigmoid();
            s * (one - s)
        }
        Activation::Silu => {
            let z = within(z, F::EXP_LIMIT);
            let s = z.sigmoid();
            s * (one + z * (one - s))
        }
        Activation::Tanh => {
            let t = z.tanh();
            one - t * t
        }
    }
}

/// Runs an expression with each activation as a constant, so that each gets its own loop and cheap ones are vectorized.
macro_rules! each {
    ($f:expr, $kind:ident => $run:expr) => {
        each!(@ $f, $kind => $run; Relu Gelu GeluTanh Sigmoid Silu Tanh)
    };
    (@ $f:expr, $kind:ident => $run:expr; $($name:ident)*) => {
        match $f {
            $(Activation::$name => {
                const $kind: Activation = Activation::$name;
                $run
            })*
        }
    };
}

pub fn bias_activation(f: Activation, x: Src<'_>, bias: Src<'_>, out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "bias_activation", FLOAT => T {
        each!(f, KIND => map2(x, bias, out, |x: T, b: T| {
            T::from_acc(value(KIND, Arith::add(x.acc(), b.acc())))
        }))
    })
}

pub fn bias_activation_backward(
    f: Activation,
    g: Src<'_>,
    x: Src<'_>,
    bias: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    dispatch!(x.0.dtype(), "bias_activation_backward", FLOAT => T {
        each!(f, KIND => map3(g, x, bias, out, |g: T, x: T, b: T| {
            T::from_acc(Arith::mul(g.acc(), slope(KIND, Arith::add(x.acc(), b.acc()))))
        }))
    })
}
