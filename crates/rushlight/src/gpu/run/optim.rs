//! Optimizer steps, in place (hip/optim.hip): one launch for a table of contiguous tensors, or for one strided tensor.
use super::elementwise::mismatch;
use super::layerwise;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::{KernelParams, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::adam_step::AdamStep;
use crate::{DType, Result};

/// Tensors of one launch. Parameters of kernels are limited to 4 KiB.
pub(super) const TABLE: usize = 64;
/// The dtypes of parameters, in the order of their launches.
pub(super) const FLOATS: [DType; 4] = [DType::F32, DType::BF16, DType::F16, DType::F64];
/// Elements that a thread updates at least, where the tensor has as many.
pub(super) const PER_THREAD: u64 = 4;

kernel_params! {
    /// Tensors that one launch works on, all contiguous: N operands of each.
    pub(crate) struct TableParams<const N, E> {
        /// Addresses of the operands.
        pub ptr: [[u64; N]; 64],
        /// Elements of each tensor.
        pub count: [u64; 64],
        /// The first block of each tensor; the blocks up to the next one's share its elements.
        pub first: [u32; 64],
        /// Tensors.
        pub tensors: u32,
        /// Blocks of the grid.
        pub blocks: u32,
        /// Numbers of the op.
        pub extra: E,
    }
}

impl<const N: usize, E: KernelParams> TableParams<N, E> {
    /// Returns an empty table.
    pub fn new(extra: E) -> Self {
        let (ptr, count, first) = ([[0; N]; TABLE], [0; TABLE], [0; TABLE]);
        Self { ptr, count, first, tensors: 0, blocks: 0, extra }
    }

    /// Adds a tensor, whose `count` elements `blocks` blocks share, to a table that is not full.
    pub fn push(&mut self, ptr: [u64; N], count: u64, blocks: u32) {
        let at = self.tensors as usize;
        (self.ptr[at], self.count[at], self.first[at]) = (ptr, count, self.blocks);
        self.blocks += blocks;
        self.tensors += 1;
    }
}
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
        /// 1: the gradient's sign is changed.
        maximize: u32,
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
        /// 1: the gradient's sign is changed.
        maximize: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
kernel_params! {
    /// Numbers of an RMSprop step.
    pub(crate) struct RmspropParams {
        /// Learning rate.
        lr: f64,
        /// Decay of the means.
        alpha: f64,
        /// 1 - alpha.
        weight: f64,
        /// Added to the denominator.
        eps: f64,
        /// Weight decay.
        weight_decay: f64,
        /// Factor of the momentum buffer.
        momentum: f64,
        /// 1: weight decay is not 0.
        decays: u32,
        /// 1: the third operand of four is the mean of gradients, 0: the momentum buffer.
        centered: u32,
        /// 1: the mean of gradients is interpolated from its old value, 0: from the gradient.
        from_old: u32,
        /// 1: the gradient's sign is changed.
        maximize: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
kernel_params! {
    /// Numbers of an Adagrad step.
    pub(crate) struct AdagradParams {
        /// -lr / (1 + (step - 1) * lr_decay).
        negative_rate: f64,
        /// Added to the denominator.
        eps: f64,
        /// Weight decay.
        weight_decay: f64,
        /// 1: weight decay is not 0.
        decays: u32,
        /// 1: the gradient's sign is changed.
        maximize: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
kernel_params! {
    /// Numbers of a step of the family of ops/optimizer_step.rs.
    pub(crate) struct StepParams {
        /// The numbers of the op, in the order of its attributes.
        number: [f64; 6],
        /// Factor of the parameter.
        keep: f64,
        /// Weight decay.
        weight_decay: f64,
        /// 1: weight decay is not 0.
        decays: u32,
        /// 1: the gradient's sign is changed.
        maximize: u32,
        /// The fault flag: after an index error a step changes nothing.
        check: Checker,
    }
}
kernel_params! {
    /// Numbers of clip_value.
    pub(crate) struct ClipParams {
        /// The least value.
        min: f64,
        /// The largest value.
        max: f64,
    }
}
kernel_params! {
    /// Scalars of unscale_and_check_finite.
    pub(crate) struct UnscaleParams {
        /// Address of the factor, of the type computed in.
        factor: u64,
        /// Address of the number that becomes 1 where an element is not finite.
        found: u64,
    }
}

/// Runs calls of one op whose operands, found by `operands`, are changed elementwise: one launch for each [`TABLE`] calls
/// whose operands are contiguous, one for each other call.
fn update<R: Runtime, const N: usize, E: KernelParams>(
    calls: &[Call<'_, R>],
    name: &'static str,
    extra: E,
    operands: impl for<'a> Fn(&Call<'a, R>) -> Result<[Operand<'a>; N]>,
) -> Result<()> {
    let mut table = TableParams::new(extra);
    for dtype in FLOATS {
        let of = |variant| Kernel::new(Unit::Optim, dtype, name, variant);
        for (i, c) in calls.iter().enumerate() {
            let operands = operands(c)?;
            let n = operands[0].count() as u64;
            if operands[0].dtype != dtype {
            } else if operands.iter().any(|o| !o.layout.is_contiguous()) {
                c.elementwise(of(Variant::Strided), operands, extra)?;
            } else if n > 0 {
                table.push(operands.map(|o| o.ptr), n, c.blocks(n.div_ceil(PER_THREAD)));
            }
            let full = table.tensors as usize == TABLE || i + 1 == calls.len();
            if full && table.tensors > 0 {
                c.launch(of(Variant::Table), [table.blocks, 1, 1], BLOCK, &table)?;
                (table.tensors, table.blocks) = (0, 0);
            }
        }
    }
    Ok(())
}

/// The operands of a step: those that it updates, and the gradient.
pub(super) fn operands<'a, R: Runtime, const N: usize>(c: &Call<'a, R>) -> Result<[Operand<'a>; N]> {
    let mut all = [c.input(0)?; N];
    for (i, o) in all[..N - 1].iter_mut().enumerate() {
        *o = c.output(i)?;
    }
    Ok(all)
}

pub(super) fn step<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    steps(std::slice::from_ref(c))
}

/// Runs steps of one op, which has the same numbers for all.
pub(crate) fn steps<R: Runtime>(calls: &[Call<'_, R>]) -> Result<()> {
    let Some(c) = calls.first() else { return Ok(()) };
    match c.op {
        Op::SgdStep(op) => {
            let extra = SgdParams {
                lr: op.lr,
                momentum: op.momentum,
                undamped: 1.0 - op.dampening,
                weight_decay: op.weight_decay,
                decays: u32::from(op.weight_decay != 0.0),
                first: u32::from(op.first),
                nesterov: u32::from(op.nesterov),
                maximize: u32::from(op.maximize),
                check: c.dev.checker(c.name)?,
            };
            if op.momentum == 0.0 {
                update(calls, "sgd_step", extra, operands::<R, 2>)
            } else {
                update(calls, "momentum_step", extra, operands::<R, 3>)
            }
        }
        Op::AdamStep(op) => {
            let [decay_factor, gradient_weight, square_weight, correction_root, negative_rate] =
                constants(op);
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
                maximize: u32::from(op.maximize),
                check: c.dev.checker(c.name)?,
            };
            update(calls, "adam_step", extra, operands::<R, 4>)
        }
        Op::RmspropStep(op) => {
            let weight = 1.0 - op.alpha;
            let extra = RmspropParams {
                lr: op.lr,
                alpha: op.alpha,
                weight,
                eps: op.eps,
                weight_decay: op.weight_decay,
                momentum: op.momentum,
                decays: u32::from(op.weight_decay != 0.0),
                centered: u32::from(op.centered),
                from_old: u32::from(weight < 0.5),
                maximize: u32::from(op.maximize),
                check: c.dev.checker(c.name)?,
            };
            match u32::from(op.centered) + u32::from(op.momentum != 0.0) {
                0 => update(calls, "rmsprop_step", extra, operands::<R, 3>),
                1 => update(calls, "rmsprop_state_step", extra, operands::<R, 4>),
                _ => update(calls, "rmsprop_states_step", extra, operands::<R, 5>),
            }
        }
        Op::AdagradStep(op) => {
            let past = (op.step - 1) as f64;
            let extra = AdagradParams {
                negative_rate: -(op.lr / (1.0 + op.lr_decay * past)),
                eps: op.eps,
                weight_decay: op.weight_decay,
                decays: u32::from(op.weight_decay != 0.0),
                maximize: u32::from(op.maximize),
                check: c.dev.checker(c.name)?,
            };
            update(calls, "adagrad_step", extra, operands::<R, 3>)
        }
        Op::OptimizerStep(op) => {
            let extra = StepParams {
                number: op.numbers,
                keep: op.keep,
                weight_decay: op.weight_decay,
                decays: u32::from(op.weight_decay != 0.0),
                maximize: u32::from(op.maximize),
                check: c.dev.checker(c.name)?,
            };
            match c.op.targets() {
                _ if op.op.needs_norms() => layerwise::steps(calls, extra),
                2 => update(calls, c.name, extra, operands::<R, 3>),
                3 => update(calls, c.name, extra, operands::<R, 4>),
                _ => update(calls, c.name, extra, operands::<R, 5>),
            }
        }
        _ => Err(mismatch(c)),
    }
}

pub(super) fn unscale<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    unscale_all(std::slice::from_ref(c), c.output(1)?)
}

/// Unscales several gradients, which share the scalar `found`.
pub(crate) fn unscale_all<R: Runtime>(calls: &[Call<'_, R>], found: Operand<'_>) -> Result<()> {
    let Some(c) = calls.first() else { return Ok(()) };
    let extra = UnscaleParams { factor: c.input(0)?.ptr, found: found.ptr };
    for other in calls {
        if other.input(0)?.ptr != extra.factor {
            return calls.iter().try_for_each(|c| unscale_all(std::slice::from_ref(c), found));
        }
    }
    update(calls, "unscale_and_check_finite", extra, |c| Ok([c.output(0)?]))
}

pub(super) fn clip_value<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    clip_values(std::slice::from_ref(c))
}

/// Clips several gradients.
pub(crate) fn clip_values<R: Runtime>(calls: &[Call<'_, R>]) -> Result<()> {
    let Some(c) = calls.first() else { return Ok(()) };
    let Op::ClipValue(op) = c.op else { return Err(mismatch(c)) };
    update(calls, "clip_value", ClipParams { min: op.min, max: op.max }, |c| Ok([c.output(0)?]))
}

/// Computes the first five fields of [`AdamParams`], independently of the CPU's code (ops/adam_step.rs).
fn constants(op: &AdamStep) -> [f64; 5] {
    let power = |base: f64| libm::pow(base, op.step as f64);
    let [first, second] = [op.beta1, op.beta2].map(|beta| 1.0 - power(beta));
    [1.0 - op.weight_decay * op.lr, 1.0 - op.beta1, 1.0 - op.beta2, second.sqrt(), -(op.lr / first)]
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
