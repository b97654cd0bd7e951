//! Launches the kernels of `hip/softplus.hip`.
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::Call;
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;

kernel_params! {
    /// Numbers of softplus.
    pub(crate) struct SoftplusParams {
        /// Factor of the exponent.
        beta: f64,
        /// Exponent above which the result is the input.
        threshold: f64,
    }
}

pub(super) fn softplus<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Softplus(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let kernel = Kernel::new(Unit::Softplus, x.dtype, "softplus", Variant::Contig);
    c.elementwise(kernel, [out, x], SoftplusParams { beta: op.beta, threshold: op.threshold })
}
