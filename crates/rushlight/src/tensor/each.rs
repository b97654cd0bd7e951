//! One op on several lists of tensors at once: optimizers' steps over many parameters.
use super::{Locks, Small, Tensor, autograd};
use crate::Result;
use crate::handle::Handle;
use crate::ops::Op;
use crate::profiler;
use crate::storage::{Operands, View, ViewMut};

/// The tensors that a call updates, and its inputs.
type Call<'a> = (&'a [&'a Tensor], &'a [&'a Tensor]);

impl Tensor {
    /// Runs an op that works in place, as [`Tensor::run_inplace`], once for each pair of targets and inputs, of which none
    /// is a target of another pair; every call also updates the targets `shared`, after its own. An
    /// input that is a target is read before any changes. GPUs run up to 64 calls of an optimizer's step, of `clip_value` or of `accumulate_norm` in one launch.
    ///
    /// ```
    /// use rushlight::{ops::{Op, sgd_step::SgdStep}, Device, Tensor};
    /// let [p, q, g] = [1f32, 2., 4.].map(|v| Tensor::new(v, &Device::Cpu).unwrap());
    /// let op = Op::SgdStep(SgdStep { lr: 0.25, ..SgdStep::default() });
    /// Tensor::run_inplace_each(op, &[(&[&p], &[&g]), (&[&q], &[&g])], &[])?;
    /// assert_eq!((p.to_scalar::<f32>()?, q.to_scalar::<f32>()?), (0.0, 1.0));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Tensor::run_inplace`], before anything has changed.
    pub fn run_inplace_each(op: Op, calls: &[Call<'_>], shared: &[&Tensor]) -> Result<()> {
        let name = op.name();
        for (targets, inputs) in calls {
            let all: Small<&Tensor> = targets.iter().chain(shared).chain(*inputs).copied().collect();
            Self::check(&op, &all)?;
        }
        let device_of = |call: &Call<'_>| call.0.first().or(shared.first()).map(|t| t.device().clone());
        let Some(device) = calls.first().and_then(device_of) else { return Ok(()) };
        let here = |call: &&Call<'_>| device_of(call).is_some_and(|d| d.same_device(&device));
        let mine: Vec<Call<'_>> = calls.iter().filter(here).copied().collect();
        if mine.len() < calls.len() {
            let others: Vec<Call<'_>> = calls.iter().filter(|c| !here(c)).copied().collect();
            Self::run_inplace_each(op.clone(), &mine, shared)?;
            return Self::run_inplace_each(op, &others, shared);
        }
        let targets: Vec<&Tensor> = calls.iter().flat_map(|c| c.0).chain(shared).copied().collect();
        let mut cells: Vec<usize> = Vec::with_capacity(targets.len());
        for t in &targets {
            t.check_writable(name)?;
            cells.push(Handle::address(&t.0.cell));
        }
        cells.sort_unstable();
        if cells.windows(2).any(|pair| pair[0] == pair[1]) {
            return Self::run_inplace_in_order(&op, calls, shared);
        }
        let copies: Vec<Tensor> = calls
            .iter()
            .flat_map(|c| c.1)
            .map(|t| match cells.binary_search(&Handle::address(&t.0.cell)) {
                Ok(_) => autograd::no_grad(|| t.force_contiguous()),
                Err(_) => Ok((*t).clone()),
            })
            .collect::<Result<_>>()?;
        let sources: Vec<&Tensor> = copies.iter().collect();
        let mut locks = Locks::new(&sources, &targets);
        let (reads, writes) = locks.split();
        let mut reads =
            reads.into_iter().zip(&sources).map(|(storage, t)| View { storage, layout: t.layout() });
        let mut writes =
            writes.into_iter().zip(&targets).map(|(storage, t)| ViewMut { storage, layout: t.layout() });
        let mut operands: Vec<Operands<'_>> = calls
            .iter()
            .map(|(targets, inputs)| Operands {
                inputs: reads.by_ref().take(inputs.len()).collect(),
                outputs: writes.by_ref().take(targets.len()).collect(),
            })
            .collect();
        let mut last: Small<ViewMut<'_>> = writes.collect();
        let run = || device.backend().run_each(&op, &mut operands, &mut last);
        let result = profiler::op(name, &device, targets.iter().chain(&sources).copied(), 0, run);
        targets.iter().for_each(|t| t.0.cell.bump());
        result
    }

    /// Runs the calls one after the other: some targets are views of one storage.
    fn run_inplace_in_order(op: &Op, calls: &[Call<'_>], shared: &[&Tensor]) -> Result<()> {
        for (targets, inputs) in calls {
            let targets: Small<&Tensor> = targets.iter().chain(shared).copied().collect();
            Self::run_inplace(op.clone(), &targets, inputs)?;
        }
        Ok(())
    }
}
