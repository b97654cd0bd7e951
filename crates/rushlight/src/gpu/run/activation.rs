//! Launches the kernels of `hip/activation.hip`.
use super::elementwise::{map1, map2, mismatch};
use crate::Result;
use crate::gpu::kernels::Unit;
use crate::gpu::launch::Call;
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;

kernel_params! {
    /// Numbers of an activation function.
    pub(crate) struct ActivationNumbers {
        /// The first number.
        a: f64,
        /// The second number.
        b: f64,
    }
}

fn numbers([a, b]: [f64; 2]) -> ActivationNumbers {
    ActivationNumbers { a, b }
}

pub(super) fn activation<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Activation(op) = c.op else { return Err(mismatch(c)) };
    map1(c, Unit::Activation, numbers(op.numbers(c.input(0)?.dtype)))
}

pub(super) fn activation_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ActivationBackward(op) = c.op else { return Err(mismatch(c)) };
    map2(c, Unit::Activation, numbers(op.numbers(c.input(0)?.dtype)))
}
