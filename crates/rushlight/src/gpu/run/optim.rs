//! Optimizer steps, in place (hip/optim.hip).
use super::elementwise::mismatch;
use crate::Result;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{Call, Extra};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;

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

pub(super) fn adam_step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AdamStep(op) = c.op else { return Err(mismatch(c)) };
    let (p, m, v, g) = (c.output(0)?, c.output(1)?, c.output(2)?, c.input(0)?);
    let k = op.constants();
    let extra = Adam {
        keep: k.keep,
        w1: k.w1,
        w2: k.w2,
        root: k.root,
        rate: k.rate,
        beta1: op.beta1,
        beta2: op.beta2,
        eps: op.eps,
        decay: op.weight_decay,
        decays: u32::from(op.weight_decay != 0.0),
        decoupled: u32::from(op.decoupled),
        near: u32::from(k.w1 < 0.5),
        unused: 0,
        check: c.dev.checker(c.name)?,
    };
    c.elementwise(Kernel::new(Unit::Optim, g.dtype, "adam_step"), [p, m, v, g], extra)
}
