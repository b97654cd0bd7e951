//! Compiles kernels before they are needed, for `rushlight warm`.
use super::kernels::Unit;
use super::runtime::Runtime;
use super::{Choice, Family, GpuDevice, compile_limiter};
use crate::ops::{Differentiable, Op, Sample};
use crate::storage::{Backend, Support};
use crate::{DType, Device, Error, Result, Tensor};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError, mpsc};

/// Progress of `warm`.
#[derive(Debug, Clone, Default)]
pub struct Warmed {
    /// Number of steps done.
    pub done: usize,
    /// Number of all steps.
    pub total: usize,
    /// The step done last: a kernel file and dtype, or a sample of an op.
    pub step: String,
    /// Number of kernel files compiled, without those found on disk.
    pub compiled: u64,
    /// Errors of the steps that failed.
    pub failed: Vec<String>,
}

/// A sample of an op in given dtypes, with row-major or transposed inputs.
struct Use {
    name: String,
    op: Op,
    sample: Sample,
    dtypes: Vec<DType>,
    transposed: bool,
}

enum Step {
    Unit(Unit, DType),
    Use(Box<Use>),
}

impl Step {
    fn name(&self) -> String {
        match self {
            Self::Unit(unit, dtype) => format!("{} {}", unit.name(), dtype.as_str()),
            Self::Use(of) => of.name.clone(),
        }
    }
}

/// Compiles kernels of a GPU, so that they are on disk. Without `ops`, these are all kernels for `dtypes` (or for every
/// dtype, if that is empty). With `ops`, these are the kernels that the ops and their gradients launch; their samples
/// are run, with kernels and not with libraries. `report` is called after each step, and ends the work if it returns
/// `false`. Two kernels are compiled at a time.
///
/// # Errors
/// If the device is not a GPU, an op does not exist, or the folder of compiled kernels cannot be written or is switched
/// off.
pub fn warm(
    device: &Device,
    ops: &[&str],
    dtypes: &[DType],
    report: &mut dyn FnMut(&Warmed) -> bool,
) -> Result<Warmed> {
    match device {
        Device::Cuda(d) => d.warm(ops, dtypes, report),
        Device::Rocm(d) => d.warm(ops, dtypes, report),
        other => Err(Error::invalid("warm", format!("{} is not a GPU", other.location()))),
    }
}

impl<R: Runtime> GpuDevice<R> {
    fn warm(
        &self,
        ops: &[&str],
        dtypes: &[DType],
        report: &mut dyn FnMut(&Warmed) -> bool,
    ) -> Result<Warmed> {
        compile_limiter::hush();
        self.kernels().writable().map_err(|f| self.error(f))?;
        let steps = if ops.is_empty() { every(dtypes) } else { self.samples(ops, dtypes)? };
        let mut so_far = Warmed { total: steps.len(), ..Warmed::default() };
        let before = self.counters().compiles;
        let device = R::handle(self.clone());
        // One thread takes steps from the front and one from the back, so that they rarely need the same kernel.
        let left = Mutex::new(0..steps.len());
        let stop = AtomicBool::new(false);
        let (send, received) = mpsc::channel();
        std::thread::scope(|scope| {
            for front in [true, false] {
                let (steps, left, stop, device, send) = (&steps, &left, &stop, &device, send.clone());
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
                            Step::Use(of) => of.run(device),
                        };
                        if send.send((step.name(), done.err())).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            for (step, error) in received {
                so_far.done += 1;
                so_far.compiled = self.counters().compiles - before;
                so_far.failed.extend(error.map(|e| format!("{step}: {e}")));
                so_far.step = step;
                if !stop.load(Relaxed) && !report(&so_far) {
                    stop.store(true, Relaxed);
                }
            }
        });
        self.synchronize()?;
        Ok(so_far)
    }

    /// Returns the samples of ops in dtypes, as steps.
    fn samples(&self, ops: &[&str], dtypes: &[DType]) -> Result<Vec<Step>> {
        let all = Op::all_samples();
        if let Some(op) = ops.iter().find(|o| !all.iter().any(|s| s.op.name() == **o)) {
            return Err(Error::invalid("warm", format!("'{op}' is not an op of rushlight")));
        }
        for family in Family::ALL {
            self.choose(family, Choice::Native);
        }
        let mut steps = Vec::new();
        for op in ops {
            let samples = all.iter().filter(|s| s.op.name() == *op && s.error.is_none());
            for (n, sample) in samples.enumerate() {
                for row in sample.dtype_rows() {
                    let made = row.first().map_or_else(|| sample.op.clone(), |d| sample.op.with_dtype(*d));
                    let asked = dtypes.is_empty() || row.iter().any(|d| dtypes.contains(d));
                    if !asked || self.supports(&made, &row) != Support::Yes {
                        continue;
                    }
                    let names: Vec<&str> = row.iter().map(|d| d.as_str()).collect();
                    for transposed in [false, true] {
                        steps.push(Step::Use(Box::new(Use {
                            name: format!("{op}#{}/{}", n + 1, names.join(",")),
                            op: made.clone(),
                            sample: sample.clone(),
                            dtypes: row.clone(),
                            transposed,
                        })));
                    }
                }
            }
        }
        Ok(steps)
    }
}

/// Returns every kernel file for some dtypes, as steps.
fn every(dtypes: &[DType]) -> Vec<Step> {
    let of = |unit: Unit| {
        let all = DType::ALL.iter().copied().filter(move |d| unit.dtypes().contains(*d));
        all.filter(|d| dtypes.is_empty() || dtypes.contains(d)).map(move |d| Step::Unit(unit, d))
    };
    Unit::ALL.iter().copied().flat_map(of).collect()
}

impl Use {
    /// Returns zeros on the device: the choice of kernels does not depend on values.
    fn inputs(&self, device: &Device) -> Result<Vec<Tensor>> {
        let one = |(spec, dtype): (&crate::ops::Spec, &DType)| {
            let mut dims = spec.shape.dims().to_vec();
            if !self.transposed {
                return Tensor::zeros(dims, *dtype, device);
            }
            dims.reverse();
            let back: Vec<usize> = (0..dims.len()).rev().collect();
            Tensor::zeros(dims, *dtype, device)?.permute(back)
        };
        self.sample.inputs.iter().zip(&self.dtypes).map(one).collect()
    }

    /// Runs the op, and its gradient if it has one.
    fn run(&self, device: &Device) -> Result<()> {
        let inputs = self.inputs(device)?;
        self.op.run(&inputs)?;
        let gradient = self.op.targets() == 0 && self.op.differentiable() == Differentiable::Yes;
        if !gradient || !self.sample.grad {
            return Ok(());
        }
        let leaves: Vec<Tensor> =
            inputs.iter().map(|t| if t.dtype().is_float() { t.leaf() } else { t.clone() }).collect();
        match self.op.run(&leaves)?.first() {
            Some(out) if out.track_op() => out.backward_accumulate(None),
            _ => Ok(()),
        }
    }
}
