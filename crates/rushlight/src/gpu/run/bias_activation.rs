//! Activations of sums (x + bias), and their gradients (hip/bias_activation.hip).
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::Call;
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::bias_activation::Activation;

kernel_enum! {
    /// The activation of a sum.
    pub(crate) enum ActivationKind {
        /// max(z, 0).
        Relu = 0,
        /// z Phi(z).
        Gelu = 1,
        /// The tanh variant of Gelu.
        GeluTanh = 2,
        /// 1 / (1 + e^-z).
        Sigmoid = 3,
        /// z / (1 + e^-z).
        Silu = 4,
        /// tanh(z).
        Tanh = 5,
    }
}

kernel_params! {
    /// The activation of a sum, for kernels.
    pub(crate) struct ActivationParams {
        /// Which activation.
        kind: ActivationKind,
        /// Not read; structs have no padding.
        unused: u32,
    }
}

fn params(f: Activation) -> ActivationParams {
    let kind = match f {
        Activation::Relu => ActivationKind::Relu,
        Activation::Gelu => ActivationKind::Gelu,
        Activation::GeluTanh => ActivationKind::GeluTanh,
        Activation::Sigmoid => ActivationKind::Sigmoid,
        Activation::Silu => ActivationKind::Silu,
        Activation::Tanh => ActivationKind::Tanh,
    };
    ActivationParams { kind, unused: 0 }
}

pub(super) fn bias_activation<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BiasActivation(op) = c.op else { return Err(mismatch(c)) };
    let (x, bias, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let kernel = Kernel::new(Unit::BiasActivation, x.dtype, "bias_activation", Variant::Strided);
    c.elementwise(kernel, [out, x, bias], params(op.0))
}

pub(super) fn bias_activation_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BiasActivationBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, x, bias, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let kernel = Kernel::new(Unit::BiasActivation, x.dtype, "bias_activation_backward", Variant::Strided);
    c.elementwise(kernel, [out, g, x, bias], params(op.0))
}
