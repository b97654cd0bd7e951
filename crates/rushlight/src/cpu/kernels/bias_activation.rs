//! Activations of sums (x + bias) on the CPU, and their gradients.
use super::activation::plain_grad;
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num, Real};
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{map2_costly, map3_costly};
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
        Activation::Tanh => Elementary::tanh(z),
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
        each!(f, KIND => map2_costly(x, bias, out, #[inline(always)] |x: T, b: T| {
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
        each!(f, KIND => map3_costly(g, x, bias, out, #[inline(always)] |g: T, x: T, b: T| {
            T::from_acc(plain_grad(KIND, Arith::add(x.acc(), b.acc()), g.acc()))
        }))
    })
}
