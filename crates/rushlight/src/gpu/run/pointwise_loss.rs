//! Losses of each element, and their gradients (hip/pointwise_loss.hip).
use super::elementwise::mismatch;
use super::reduce::{FirstPass, ReduceParams, acc_bytes, reduce_passes};
use crate::Result;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::Call;
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::loss::Reduction;
use crate::ops::pointwise_loss::PointwiseKind;

kernel_enum! {
    /// The loss of an element: x is the input, t the target, d is x - t, and p the parameter.
    pub(crate) enum LossKind {
        /// d^2.
        Mse = 0,
        /// |d|.
        L1 = 1,
        /// A parabola up to |d| = p, then a line of slope 1.
        SmoothL1 = 2,
        /// The same, times p.
        Huber = 3,
        /// The cross-entropy of probabilities.
        Bce = 4,
        /// The cross-entropy of the sigmoid of logits.
        BceWithLogits = 5,
        /// t ln(t) - t x.
        KlDiv = 6,
        /// e^t (t - x).
        KlDivLog = 7,
        /// x - t ln(x + p).
        PoissonNll = 8,
        /// e^x - t x.
        PoissonNllLog = 9,
        /// PoissonNll and an approximation of ln(t!).
        PoissonNllFull = 10,
        /// PoissonNllLog and an approximation of ln(t!).
        PoissonNllLogFull = 11,
        /// ln(1 + e^(-t x)).
        SoftMargin = 12,
        /// x where t is 1, max(p - x, 0) where it is -1.
        HingeEmbedding = 13,
        /// max(p - t x, 0).
        MarginRanking = 14,
    }
}

kernel_params! {
    /// The loss of an element, for kernels.
    pub(crate) struct PointwiseLossParams {
        /// Which loss.
        kind: LossKind,
        /// For gradients. 1: of the target, 0: of the input.
        of_target: u32,
        /// The parameter p of the loss.
        parameter: f64,
        /// For gradients: factor of the gradient of the losses.
        scale: f64,
    }
}

fn kind_of(kind: PointwiseKind) -> LossKind {
    macro_rules! same {
        ($($name:ident)*) => { match kind { $(PointwiseKind::$name => LossKind::$name),* } };
    }
    same!(Mse L1 SmoothL1 Huber Bce BceWithLogits KlDiv KlDivLog PoissonNll PoissonNllLog PoissonNllFull
        PoissonNllLogFull SoftMargin HingeEmbedding MarginRanking)
}

pub(super) fn pointwise_loss<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::PointwiseLoss(op) = c.op else { return Err(mismatch(c)) };
    let (x, target, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (kind, parameter) = (kind_of(op.kind), op.parameter);
    if op.reduction == Reduction::None {
        let kernel = Kernel::new(Unit::PointwiseLoss, x.dtype, "pointwise_loss", Variant::Contig);
        let params = PointwiseLossParams { kind, of_target: 0, parameter, scale: 1.0 };
        return c.elementwise(kernel, [out, x, target], params);
    }
    let kernel = Kernel::new(Unit::PointwiseLoss, x.dtype, "pointwise_loss_sum", Variant::Row);
    let mut p = ReduceParams::new([x.ptr, target.ptr], [x.layout, target.layout], out.ptr, |_| true);
    p.aux = [kind as u64, parameter.to_bits(), 0, 0];
    p.flag = u64::from(op.reduction == Reduction::Mean);
    reduce_passes(c, kernel, FirstPass::Row, p, acc_bytes(x.dtype))
}

pub(super) fn pointwise_loss_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::PointwiseLossBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, x, target, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let kernel = Kernel::new(Unit::PointwiseLoss, x.dtype, "pointwise_loss_backward", Variant::Strided);
    let params = PointwiseLossParams {
        kind: kind_of(op.kind),
        of_target: u32::from(op.of_target),
        parameter: op.parameter,
        scale: op.scale(x.count()),
    };
    c.elementwise(kernel, [out, g, x, target], params)
}
