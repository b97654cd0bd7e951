//! Optimizer steps, in place (hip/optim.hip).
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{Call, Extra};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::adam_step::AdamStep;

/// Numbers of a descent step (rl::Sgd).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sgd {
    lr: f64,
    momentum: f64,
    rest: f64,
    decay: f64,
    decays: u32,
    first: u32,
    nesterov: u32,
    unused: u32,
    check: Checker,
}
impl Extra for Sgd {}

/// Numbers of a step of Adam (rl::Adam).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Adam {
    keep: f64,
    w1: f64,
    w2: f64,
    root: f64,
    rate: f64,
    beta1: f64,
    beta2: f64,
    eps: f64,
    decay: f64,
    decays: u32,
    decoupled: u32,
    near: u32,
    unused: u32,
    check: Checker,
}
impl Extra for Adam {}

pub(super) fn sgd_step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::SgdStep(op) = c.op else { return Err(mismatch(c)) };
    let (p, g) = (c.output(0)?, c.input(0)?);
    let extra = Sgd {
        lr: op.lr,
        momentum: op.momentum,
        rest: 1.0 - op.dampening,
        decay: op.weight_decay,
        decays: u32::from(op.weight_decay != 0.0),
        first: u32::from(op.first),
        nesterov: u32::from(op.nesterov),
        unused: 0,
        check: c.dev.checker(c.name)?,
    };
    if op.momentum == 0.0 {
        c.elementwise(Kernel::new(Unit::Optim, g.dtype, "sgd_step"), [p, g], extra)
    } else {
        c.elementwise(Kernel::new(Unit::Optim, g.dtype, "momentum_step"), [p, c.output(1)?, g], extra)
    }
}

/// The numbers of a step: keep, w1, w2, root, rate. Worked out apart from the CPU's (ops/adam_step.rs).
fn constants(op: &AdamStep) -> [f64; 5] {
    let power = |base: f64| libm::pow(base, op.step as f64);
    let [first, second] = [op.beta1, op.beta2].map(|beta| 1.0 - power(beta));
    [1.0 - op.weight_decay * op.lr, 1.0 - op.beta1, 1.0 - op.beta2, second.sqrt(), -(op.lr / first)]
}

pub(super) fn adam_step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AdamStep(op) = c.op else { return Err(mismatch(c)) };
    let (p, m, v, g) = (c.output(0)?, c.output(1)?, c.output(2)?, c.input(0)?);
    let [keep, w1, w2, root, rate] = constants(op);
    let extra = Adam {
        keep,
        w1,
        w2,
        root,
        rate,
        beta1: op.beta1,
        beta2: op.beta2,
        eps: op.eps,
        decay: op.weight_decay,
        decays: u32::from(op.weight_decay != 0.0),
        decoupled: u32::from(op.decoupled),
        near: u32::from(w1 < 0.5),
        unused: 0,
        check: c.dev.checker(c.name)?,
    };
    c.elementwise(Kernel::new(Unit::Optim, g.dtype, "adam_step"), [p, m, v, g], extra)
}

#[cfg(test)]
mod tests {
    use super::constants;
    use crate::ops::adam_step::AdamStep;

    #[test]
    fn a_steps_numbers_are_the_cpus() {
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
