//! Compiling kernels before they are needed: `rushlight warm`.
use super::kernels::Unit;
use super::runtime::Runtime;
use super::{Choice, Family, GpuDevice, turns};
use crate::ops::Differentiable;
use crate::storage::{Backend, Support};
use crate::sweep::{Case, Form, run_op, targets};
use crate::{DType, Device, Error, Result, Tensor};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, mpsc};

/// How far warming is.
#[derive(Debug, Clone, Default)]
pub struct Warmed {
    /// Steps that were done.
    pub done: usize,
    /// All steps.
    pub total: usize,
    /// The last step: a kernel file and dtype, or a sample of an op.
    pub step: String,
    /// Kernel files that were compiled; what was on disk is not.
    pub compiled: u64,
    /// Steps that failed, with their errors.
    pub failed: Vec<String>,
}

enum Step {
    Unit(Unit, DType),
    Sample(Case),
}

impl Step {
    fn name(&self) -> String {
        match self {
            Self::Unit(unit, dtype) => format!("{} {}", unit.name(), dtype.as_str()),
            Self::Sample(case) => case.name.clone(),
        }
    }
}

impl<R: Runtime> GpuDevice<R> {
    /// Compiles kernels so that they are on disk: all of some dtypes (none: of every dtype), or those that some ops and
    /// their gradients launch, whose samples are run for it by kernels, not by libraries. `told` is called after each
    /// step and may end the work by `false`. Two kernels are compiled at a time.
    ///
    /// # Errors
    /// An op that does not exist; a folder of compiled kernels that cannot be written, or is switched off.
    pub fn warm(
        &self,
        ops: &[&str],
        dtypes: &[DType],
        mut told: impl FnMut(&Warmed) -> bool,
    ) -> Result<Warmed> {
        turns::hush();
        self.kernels().writable().map_err(|f| self.error(f))?;
        let steps = if ops.is_empty() { every(dtypes) } else { self.samples(ops, dtypes)? };
        let mut so_far = Warmed { total: steps.len(), ..Warmed::default() };
        let before = self.counters().compiles;
        let device = R::handle(self.clone());
        // One thread takes steps from the front and one from the back, so that they seldom want the same kernel.
        let left = Mutex::new(0..steps.len());
        let stop = AtomicBool::new(false);
        let (tell, told_of) = mpsc::channel();
        std::thread::scope(|scope| {
            for front in [true, false] {
                let (steps, left, stop, device, tell) = (&steps, &left, &stop, &device, tell.clone());
                scope.spawn(move || {
                    while !stop.load(Relaxed) {
                        let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                        let next = if front { left.next() } else { left.next_back() };
                        drop(left);
                        let Some(step) = next.and_then(|i| steps.get(i)) else { return };
                        let done = match step {
                            Step::Unit(unit, dtype) => self
                                .kernels()
                                .prepare(self.runtime(), *unit, *dtype)
                                .map_err(|f| self.error(f)),
                            Step::Sample(case) => run(case, device),
                        };
                        if tell.send((step.name(), done.err())).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(tell);
            for (step, error) in told_of {
                so_far.done += 1;
                so_far.compiled = self.counters().compiles - before;
                so_far.failed.extend(error.map(|e| format!("{step}: {e}")));
                so_far.step = step;
                if !stop.load(Relaxed) && !told(&so_far) {
                    stop.store(true, Relaxed);
                }
            }
        });
        self.synchronize()?;
        Ok(so_far)
    }

    /// The samples of ops in dtypes, which are to run by kernels.
    fn samples(&self, ops: &[&str], dtypes: &[DType]) -> Result<Vec<Step>> {
        let all = Case::all();
        if let Some(op) = ops.iter().find(|o| !all.iter().any(|c| c.op.name() == **o)) {
            return Err(Error::invalid("warm", format!("'{op}' is no op of rushlight")));
        }
        for family in [Family::Blas, Family::Conv] {
            self.choose(family, Choice::Native);
        }
        let chosen = |c: &Case| {
            c.error.is_none()
                && matches!(c.form, Form::Contiguous | Form::Transposed)
                && ops.contains(&c.op.name())
                && (dtypes.is_empty() || c.dtypes.iter().any(|d| dtypes.contains(d)))
                && self.supports(&c.op, &c.dtypes) == Support::Yes
        };
        Ok(all.into_iter().filter(chosen).map(Step::Sample).collect())
    }
}

/// Every kernel file of some dtypes.
fn every(dtypes: &[DType]) -> Vec<Step> {
    let of = |unit: Unit| {
        let all = DType::ALL.iter().copied().filter(move |d| unit.dtypes().contains(*d));
        all.filter(|d| dtypes.is_empty() || dtypes.contains(d)).map(move |d| Step::Unit(unit, d))
    };
    Unit::ALL.iter().copied().flat_map(of).collect()
}

/// A case, and the gradient of it if there is one.
fn run(case: &Case, device: &Device) -> Result<()> {
    let inputs = case.tensors(device)?;
    case.run(&inputs)?;
    if targets(&case.op) > 0 || case.op.differentiable() != Differentiable::Yes || !case.grad {
        return Ok(());
    }
    let leaves: Vec<Tensor> =
        inputs.iter().map(|t| if t.dtype().is_float() { t.leaf() } else { t.clone() }).collect();
    match run_op(&case.op, &leaves)?.first() {
        Some(out) if out.track_op() => out.backward_accumulate(None),
        _ => Ok(()),
    }
}
