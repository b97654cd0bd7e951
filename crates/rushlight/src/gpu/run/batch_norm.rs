//! Batch normalization and its gradients (hip/batch_norm.hip).
use super::elementwise::mismatch;
use super::norm::dense;
use super::reduce::{FirstPass, ReduceParams, acc_bytes, reduce_passes};
use super::softmax::numbers;
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::batch_norm_stats::sizes;

kernel_params! {
    /// Parameters of batch_norm and of its gradient.
    pub(crate) struct BatchNormParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the input.
        input: u64,
        /// Gradient: address of the output's gradient.
        grad: u64,
        /// Address of each channel's mean.
        mean: u64,
        /// Address of each channel's variance.
        var: u64,
        /// Gradient: address of each channel's sums.
        sums: u64,
        /// Address of the weight, or 0.
        weight: u64,
        /// Address of the bias, or 0.
        bias: u64,
        /// Channels.
        channels: u64,
        /// Neighbouring elements of one channel.
        inner: u64,
        /// Elements of a channel.
        count: u64,
        /// Added to the variance.
        eps: f64,
        /// Over `input` and `grad`.
        iter: StridedIter<2>,
    }
}

pub(super) fn batch_norm_stats<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BatchNormStats(_) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let bytes = acc_bytes(x.dtype);
    let mut p = ReduceParams::new([x.ptr], [x.layout], out.ptr, |d| d != 1);
    let means = numbers(c, x.dtype, p.outputs)?;
    let kernel = |name| Kernel::new(Unit::BatchNorm, x.dtype, name, Variant::Row);
    p.out = means.address();
    reduce_passes(c, kernel("batch_norm_mean"), FirstPass::Any, p, bytes)?;
    (p.out, p.aux[0]) = (out.ptr, means.address());
    reduce_passes(c, kernel("batch_norm_stats"), FirstPass::Any, p, 2 * bytes)
}

pub(super) fn batch_norm_weight_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BatchNormWeightGrad(op) = c.op else { return Err(mismatch(c)) };
    let (g, x, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let ((mean, _mean), (var, _var)) = (dense(c, Some(c.input(2)?))?, dense(c, Some(c.input(3)?))?);
    let mut p = ReduceParams::new([x.ptr, g.ptr], [x.layout, g.layout], out.ptr, |d| d != 1);
    p.aux = [mean, var, 0, 0];
    p.flag = op.eps.to_bits();
    let kernel = Kernel::new(Unit::BatchNorm, x.dtype, "batch_norm_weight_grad", Variant::Row);
    reduce_passes(c, kernel, FirstPass::Any, p, 2 * acc_bytes(x.dtype))
}

pub(super) fn batch_norm<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BatchNorm(op) = c.op else { return Err(mismatch(c)) };
    let x = c.input(0)?;
    let weight = op.weighted.then(|| c.input(3)).transpose()?;
    let bias = op.biased.then(|| c.input(3 + usize::from(op.weighted))).transpose()?;
    run(c, "batch_norm", op.eps, [x, x], [Some(c.input(1)?), Some(c.input(2)?), None, weight, bias])
}

pub(super) fn batch_norm_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BatchNormBackward(op) = c.op else { return Err(mismatch(c)) };
    let weight = op.weighted.then(|| c.input(5)).transpose()?;
    let stats = [Some(c.input(2)?), Some(c.input(3)?), Some(c.input(4)?), weight, None];
    run(c, "batch_norm_backward", op.eps, [c.input(1)?, c.input(0)?], stats)
}

fn run<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    eps: f64,
    [x, g]: [Operand<'_>; 2],
    [mean, var, sums, weight, bias]: [Option<Operand<'_>>; 5],
) -> Result<()> {
    if x.count() == 0 {
        return Ok(());
    }
    let (mean, var, sums) = (dense(c, mean)?, dense(c, var)?, dense(c, sums)?);
    let (weight, bias) = (dense(c, weight)?, dense(c, bias)?);
    let [n, channels, inner] = sizes(x.layout.dims());
    let mut iter = iter_of(x.layout.dims(), [x.layout.stride(), g.layout.stride()], |_| true);
    iter.blocks = c.blocks(x.count() as u64);
    let p = BatchNormParams {
        out: c.output(0)?.ptr,
        input: x.ptr,
        grad: g.ptr,
        mean: mean.0,
        var: var.0,
        sums: sums.0,
        weight: weight.0,
        bias: bias.0,
        channels: channels as u64,
        inner: inner as u64,
        count: (n * inner) as u64,
        eps,
        iter,
    };
    let kernel = Kernel::new(Unit::BatchNorm, x.dtype, name, Variant::Element);
    c.launch(kernel, [p.iter.blocks, 1, 1], BLOCK, &p)
}
