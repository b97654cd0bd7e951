//! Launches the kernel of `hip/rotary_embedding.hip`.
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{Call, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::shape::DimVec;

kernel_params! {
    /// Numbers of rotary_embedding.
    pub(crate) struct RotaryParams {
        /// From the first element of a pair to the second, in the output.
        out_step: u64,
        /// The same in the input.
        step: u64,
        /// 1: by the negative angles.
        inverse: u64,
    }
}

pub(super) fn rotary_embedding<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::RotaryEmbedding(op) = c.op else { return Err(mismatch(c)) };
    let (x, cos, sin, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let dims = cos.layout.dims();
    let half = dims.last().copied().unwrap_or(0);
    // Returns the strides over the first elements of pairs, and the distance to the second element of a pair.
    let firsts = |strides: &[usize]| {
        let mut all = DimVec::from_slice(strides);
        let last = strides.last().copied().unwrap_or(0);
        if let Some(step) = all.last_mut() {
            *step = if op.interleaved { last.wrapping_mul(2) } else { last };
        }
        (all, if op.interleaved { last } else { last.wrapping_mul(half) } as u64)
    };
    let ((out_strides, out_step), (strides, step)) = (firsts(out.layout.stride()), firsts(x.layout.stride()));
    let all = [&out_strides[..], &strides[..], cos.layout.stride(), sin.layout.stride()];
    let iter = iter_of(dims, all, |_| true);
    let kernel = Kernel::new(Unit::RotaryEmbedding, x.dtype, "rotary_embedding", Variant::Strided);
    let numbers = RotaryParams { out_step, step, inverse: u64::from(op.inverse) };
    c.elementwise_over(kernel, [out.ptr, x.ptr, cos.ptr, sin.ptr], iter, numbers)
}
