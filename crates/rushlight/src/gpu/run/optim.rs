//! Optimizer steps, in place (hip/optim.hip).
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::Call;
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::adam_step::AdamStep;

kernel_params! {
    /// Numbers of an SGD step.
    pub(crate) struct SgdParams {
        /// Learning rate.
        lr: f64,
        /// Factor of the momentum buffer.
        momentum: f64,
        /// 1 - dampening.
        undamped: f64,
        /// Weight decay.
        weight_decay: f64,
        /// 1: weight decay is not 0.
        decays: u32,
        /// 1: the first step, which copies the gradient to the buffer.
        first: u32,
        /// 1: Nesterov momentum.
        nesterov: u32,
        /// Padding.
        unused: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
kernel_params! {
    /// Numbers of an Adam or AdamW step.
    pub(crate) struct AdamParams {
        /// 1 - lr * weight_decay: AdamW's factor of the parameter.
        decay_factor: f64,
        /// 1 - beta1.
        gradient_weight: f64,
        /// 1 - beta2.
        square_weight: f64,
        /// sqrt(1 - beta2^step).
        correction_root: f64,
        /// -lr / (1 - beta1^step).
        negative_rate: f64,
        /// Decay of the first moment.
        beta1: f64,
        /// Decay of the second moment.
        beta2: f64,
        /// Added to the denominator.
        eps: f64,
        /// Weight decay.
        weight_decay: f64,
        /// 1: weight decay is not 0.
        decays: u32,
        /// 1: AdamW, 0: Adam.
        decoupled: u32,
        /// 1: the first moment is interpolated from its old value, 0: from the gradient. The nearer one rounds less.
        from_old: u32,
        /// Padding.
        unused: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
pub(super) fn sgd_step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::SgdStep(op) = c.op else { return Err(mismatch(c)) };
    let (p, g) = (c.output(0)?, c.input(0)?);
    let extra = SgdParams {
        lr: op.lr,
        momentum: op.momentum,
        undamped: 1.0 - op.dampening,
        weight_decay: op.weight_decay,
        decays: u32::from(op.weight_decay != 0.0),
        first: u32::from(op.first),
        nesterov: u32::from(op.nesterov),
        unused: 0,
        check: c.dev.checker(c.name)?,
    };
    if op.momentum == 0.0 {
        let kernel = Kernel::new(Unit::Optim, g.dtype, "sgd_step", Variant::Contig);
        c.elementwise(kernel, [p, g], extra)
    } else {
        let kernel = Kernel::new(Unit::Optim, g.dtype, "momentum_step", Variant::Contig);
        c.elementwise(kernel, [p, c.output(1)?, g], extra)
    }
}

/// Computes the first five fields of [`AdamParams`], independently of the CPU's code (ops/adam_step.rs).
fn constants(op: &AdamStep) -> [f64; 5] {
    let power = |base: f64| libm::pow(base, op.step as f64);
    let [first, second] = [op.beta1, op.beta2].map(|beta| 1.0 - power(beta));
    [1.0 - op.weight_decay * op.lr, 1.0 - op.beta1, 1.0 - op.beta2, second.sqrt(), -(op.lr / first)]
}

pub(super) fn adam_step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AdamStep(op) = c.op else { return Err(mismatch(c)) };
    let (p, m, v, g) = (c.output(0)?, c.output(1)?, c.output(2)?, c.input(0)?);
    let [decay_factor, gradient_weight, square_weight, correction_root, negative_rate] = constants(op);
    let extra = AdamParams {
        decay_factor,
        gradient_weight,
        square_weight,
        correction_root,
        negative_rate,
        beta1: op.beta1,
        beta2: op.beta2,
        eps: op.eps,
        weight_decay: op.weight_decay,
        decays: u32::from(op.weight_decay != 0.0),
        decoupled: u32::from(op.decoupled),
        from_old: u32::from(gradient_weight < 0.5),
        unused: 0,
        check: c.dev.checker(c.name)?,
    };
    let kernel = Kernel::new(Unit::Optim, g.dtype, "adam_step", Variant::Contig);
    c.elementwise(kernel, [p, m, v, g], extra)
}

#[cfg(test)]
mod tests {
    use super::constants;
    use crate::ops::adam_step::AdamStep;

    #[test]
    fn the_constants_of_a_step_are_those_of_the_cpu() {
        for step in (1..2000).chain([100_000, 10_000_000]) {
            for (lr, beta1, beta2) in
                [(1e-3, 0.9, 0.999), (0.3, 0.0, 0.5), (7.7e-5, 0.95, 0.98), (0.0, 0.99, 0.9)]
            {
                let op = AdamStep { lr, beta1, beta2, ..AdamStep::adamw(step) };
                let k = op.constants();
                assert_eq!(constants(&op), [k.keep, k.w1, k.w2, k.root, k.rate], "{op:?}");
            }
        }
    }
}
