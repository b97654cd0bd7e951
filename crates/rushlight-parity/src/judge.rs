//! Runs a case on a device and judges the result.
use super::bound::{Class, in_f64_tracked, truth};
use super::case::{Case, Pass, pointwise};
use super::compare::{
    Comparison, Host, Mismatch, device as against_cpu, gradients as compare_gradients, hard_gradients,
    numbers, own_hard_gradients, true_ones,
};
use rushlight::cpu::CpuStorage;
use rushlight::gpu::GpuCounters;
use rushlight::ops::{Accuracy, Op, Pattern};
use rushlight::{DType, Device, Result, Storage, Support, Tensor};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// The reference that results are compared with.
#[derive(Debug, Clone, Copy)]
pub enum Against<'a> {
    /// The true result, computed by the op in f64. A device's error may be the bound of the op's class, or twice the CPU's where
    /// that is beyond the bound.
    F64,
    /// The CPU's result of the same dtype, by the bound of the op's class.
    Cpu,
    /// Another device's result, of the same dtype: [`Case::agree`].
    Device(&'a Device),
}

/// The outcome of a case, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Right.
    Pass,
    /// Wrong.
    Fail,
    /// Not run; the verdict has the reason.
    Skip,
}

impl Status {
    /// Name, as in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pass => "PASS",
            Self::Fail => "FAIL",
            Self::Skip => "SKIP",
        }
    }
}

/// An output in host memory, row-major.
#[derive(Debug, Clone)]
pub struct Output {
    /// Dtype.
    pub dtype: DType,
    /// Shape.
    pub dims: Vec<usize>,
    /// Elements.
    pub storage: CpuStorage,
}

/// The outcome of running a case.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// Outcome, in one word.
    pub status: Status,
    /// The reason for any status but `Pass`; else empty.
    pub reason: String,
    /// Errors, in numbers.
    pub numbers: Comparison,
    /// Hash of the outputs (or gradients, or the error's text): equal hashes are equal bits, with any NaN equal to any NaN.
    pub hash: u64,
    /// The outputs, or gradients.
    pub outputs: Vec<Output>,
    /// Time the device took, with its compiler and the transfer of results.
    pub took: Duration,
}

impl Verdict {
    pub(super) fn new(status: Status, reason: impl Into<String>) -> Self {
        Self {
            status,
            reason: reason.into(),
            numbers: Comparison::default(),
            hash: 0,
            outputs: Vec::new(),
            took: Duration::ZERO,
        }
    }

    /// The first wrong elements.
    pub fn mismatches(&self) -> &[Mismatch] {
        &self.numbers.mismatches
    }
}

pub(super) const START: u64 = 0xCBF2_9CE4_8422_2325;

fn counters(device: &Device) -> Option<GpuCounters> {
    match device {
        Device::Rocm(d) => Some(d.counters()),
        _ => None,
    }
}

fn copies(ins: &[Tensor]) -> Result<Vec<Tensor>> {
    ins.iter().map(Tensor::copy).collect()
}

fn hosts(ts: &[Tensor]) -> Result<Vec<Host>> {
    ts.iter().map(Host::of).collect()
}

/// Returns the gradients of the float and complex inputs for a cotangent of ones; of a complex result it is 1 + i.
///
/// # Errors
/// The op's or its gradient rule's.
///
/// ```
/// use rushlight::{Device, Tensor, ops::{Op, unary::{Unary, UnaryOp}}};
/// use rushlight_parity::gradients;
/// let x = Tensor::new(&[1f32, 2.], &Device::Cpu)?;
/// let g = gradients(&Op::Unary(Unary(UnaryOp::Square)), &[x])?;
/// assert_eq!(g[0].to_vec1::<f32>()?, [2., 4.]);
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn gradients(op: &Op, ins: &[Tensor]) -> Result<Vec<Tensor>> {
    let leaves: Vec<Tensor> =
        ins.iter().map(|t| if t.dtype().is_inexact() { t.leaf() } else { t.clone() }).collect();
    let out = op.run(&leaves)?;
    for t in out.iter().take(1) {
        let ones = Tensor::ones(t.shape(), t.dtype().real_part(), t.device())?;
        let start = if t.dtype().is_complex() { Some(ones.complex(&ones)?) } else { None };
        t.backward_accumulate(start.as_ref())?;
    }
    Ok(leaves.iter().filter_map(Tensor::grad).collect())
}

/// Returns the text of a bad use's error.
fn words(case: &Case, device: &Device) -> std::result::Result<String, String> {
    let run = case.tensors(device).and_then(|ins| case.used.op.run(&ins));
    // An index out of range becomes an error when the result is read.
    match run.and_then(|out| out.iter().try_for_each(|t| t.to_cpu_storage().map(|_| ()))) {
        Ok(()) => Err(format!("gave no error on {}", device.location())),
        Err(e) => Ok(e.to_string()),
    }
}

impl Case {
    /// Runs the case on a device and judges the result.
    pub fn run(&self, device: &Device, against: Against<'_>) -> Verdict {
        if let Support::No(why) = device.supports(&self.used.op, &self.used.dtypes) {
            return Verdict::new(Status::Skip, format!("unsupported: {why}"));
        }
        let anchor = match against {
            Against::F64 => true,
            Against::Cpu => false,
            Against::Device(reference) => return self.against_device(device, reference),
        };
        match self.judged(device, anchor) {
            Ok(v) => v,
            Err(e) => Verdict::new(Status::Fail, e.to_string()),
        }
    }

    /// Returns the outputs (or gradients) on a device, the time they took, and any forbidden transfer.
    pub(super) fn outputs(&self, device: &Device) -> Result<(Vec<Host>, Duration, Option<String>)> {
        let ins = self.tensors(device)?;
        let before = counters(device);
        let start = Instant::now();
        let out = match self.pass {
            Pass::Gradient => gradients(&self.used.op, &ins)?,
            _ => self.used.op.run(&ins)?,
        };
        let after = counters(device);
        let hosts = hosts(&out)?;
        let took = start.elapsed();
        let mut wrong = None;
        if let (Some(b), Some(a)) = (before, after) {
            let work =
                |c: GpuCounters| c.launches + c.blas_calls + c.conv_calls + c.fft_calls + c.solver_calls;
            // A device need not launch anything if there are no elements to write.
            let busy = self.pass == Pass::Forward && out.iter().chain(&ins).all(|t| t.elem_count() > 0);
            if (b.uploads, b.downloads) != (a.uploads, a.downloads) {
                wrong = Some(format!("the op moved memory: {b:?} -> {a:?}"));
            } else if busy && work(a) == work(b) {
                wrong = Some("nothing was launched".to_string());
            }
            drop((out, ins));
            // With guard bands, a write outside of a block is reported when the block is freed.
            device.synchronize()?;
        }
        Ok((hosts, took, wrong))
    }

    /// Judges the results by the true ones if `anchor` is set, else by the CPU's.
    fn judged(&self, device: &Device, anchor: bool) -> Result<Verdict> {
        if self.pass == Pass::Error {
            return Ok(self.refused(device, &Device::Cpu));
        }
        let op = &self.used.op;
        let plain = self.tensors(&Device::Cpu)?;
        let is_cpu = matches!(device, Device::Cpu);
        let (got, took, wrong) = self.outputs(device)?;
        let mut found = match self.pass {
            Pass::Gradient => {
                let want = hosts(&gradients(op, &plain)?)?;
                let true_ones = match anchor {
                    true => {
                        let (op, ins) = in_f64_tracked(op, &plain)?;
                        Some(gradients(&op, &ins)?.iter().map(numbers).collect::<Result<Vec<_>>>()?)
                    }
                    false => None,
                };
                let mut c = self.gradients(&got, &want, true_ones.as_deref());
                match (is_cpu, &true_ones) {
                    (true, Some(t)) if self.is_hard() => own_hard_gradients(op, &want, t, &mut c),
                    (true, Some(t)) => own_gradients(&want, t, &mut c),
                    _ => {}
                }
                c
            }
            _ if is_cpu => self.on_cpu(&plain, &got, anchor)?,
            _ => {
                let want = hosts(&op.run(&copies(&plain)?)?)?;
                against_cpu(op, &plain, &got, &want, anchor)?
            }
        };
        if let Some(wrong) = wrong {
            found.words.get_or_insert(wrong);
        }
        let status = if found.good() { Status::Pass } else { Status::Fail };
        let hash = got.iter().fold(START, |h, g| g.hash(h));
        let outputs = got.into_iter().map(Host::output).collect();
        Ok(Verdict { status, reason: found.reason(), numbers: found, hash, outputs, took })
    }

    /// Compares gradients with the CPU's.
    fn gradients(&self, got: &[Host], want: &[Host], truth: Option<&[Vec<f64>]>) -> Comparison {
        let exact = self.used.op.accuracy().promises_bits();
        if exact && self.used.dtypes.iter().any(|d| d.is_complex()) {
            // The rules of elementwise ops consist of ops that give the same bits on every device, those of matrices of products.
            let products = self.used.op.pattern() == Pattern::Matrix;
            return hard_gradients(got, want, !products, !products);
        }
        if !self.is_hard() {
            return compare_gradients(got, want, truth);
        }
        let exact = want.iter().all(|w| self.class(w.dtype) == Class::Exact);
        hard_gradients(got, want, exact, pointwise(&self.used.op))
    }

    /// Judges a call that must fail: its error must have the text that it has on the reference device, which must contain
    /// the text in the op's definition.
    pub(super) fn refused(&self, device: &Device, reference: &Device) -> Verdict {
        let start = Instant::now();
        let here = words(self, device);
        let took = start.elapsed();
        let there = words(self, reference);
        let wanted = self.used.error.unwrap_or_default();
        match (there, here) {
            (Ok(t), Ok(h)) if t == h && t.contains(wanted) => {
                let hash = crate::sweep::hash(&h);
                Verdict { hash, took, ..Verdict::new(Status::Pass, "") }
            }
            (t, h) => {
                let whose = match reference {
                    Device::Cpu => "the CPU".to_string(),
                    other => other.location().to_string(),
                };
                let words = format!("wanted an error with `{wanted}`, got {t:?} on {whose} and {h:?}");
                Verdict::new(Status::Fail, words)
            }
        }
    }

    /// Judges the CPU: every layout must give the bits of contiguous inputs (for products, results within their bound), no
    /// memory but the output may change, and the results must be within rounding errors of the true ones.
    fn on_cpu(&self, plain: &[Tensor], got: &[Host], anchor: bool) -> Result<Comparison> {
        let op = &self.used.op;
        let dense = copies(plain)?;
        let want = hosts(&op.run(&dense)?)?;
        let mut c = against_cpu(op, plain, got, &want, true)?;
        if let Some(words) = self.untouched()? {
            c.words.get_or_insert(words);
        }
        let narrow = got.iter().any(|g| g.dtype.is_inexact() && g.dtype.real_part() != DType::F64);
        // (Of complex inputs there are true results only where the bits may differ.)
        let known = !op.accuracy().promises_bits() || self.used.dtypes.iter().all(|d| !d.is_complex());
        if anchor && c.good() && narrow && op.accuracy() != Accuracy::Drawn && known {
            let t = truth(op, plain)?.iter().map(numbers).collect::<Result<Vec<_>>>()?;
            let own = true_ones(op, plain, got, &t, !self.overflows())?;
            c.max_ulp = c.max_ulp.max(own.max_ulp);
            c.max_abs = c.max_abs.max(own.max_abs);
            c.cpu_ulp = c.cpu_ulp.max(own.max_ulp);
            c.wrong += own.wrong;
            c.mismatches.extend(own.mismatches);
            if let Some(words) = own.words {
                c.words.get_or_insert(words);
            }
        }
        Ok(c)
    }

    /// Checks that an op on the CPU changed no input and nothing between a target's elements.
    fn untouched(&self) -> Result<Option<String>> {
        let inputs = self.tensors(&Device::Cpu)?;
        let n = self.used.op.targets();
        let before: Vec<Vec<u8>> = inputs.iter().map(storage_bytes).collect();
        let out = self.used.op.run(&inputs)?;
        for g in out.iter().filter(|_| n == 0) {
            if !g.is_contiguous() || g.layout().start_offset() != 0 {
                return Ok(Some(format!("the output's layout is {:?}", g.layout())));
            }
            if inputs.iter().any(|i| i.shares_storage(g)) {
                return Ok(Some("the output shares an input's storage".to_string()));
            }
        }
        for (i, t) in inputs.iter().enumerate() {
            let after = storage_bytes(t);
            if after == before[i] {
                continue;
            }
            if i >= n {
                return Ok(Some(format!("input {i} was changed")));
            }
            let inside: BTreeSet<usize> = t.strided_index().collect();
            let size = t.dtype().size_in_bytes();
            let mut elements = before[i].chunks(size).zip(after.chunks(size)).enumerate();
            if let Some((k, _)) = elements.find(|(k, (a, b))| a != b && !inside.contains(k)) {
                return Ok(Some(format!("target {i}: element {k}, outside the view, was changed")));
            }
        }
        Ok(None)
    }

    /// Judges outputs that come from another machine or from a file, as if a device had returned them.
    ///
    /// # Errors
    /// The case cannot be run on the CPU.
    pub fn judge_outputs(&self, outputs: &[Output]) -> Result<Comparison> {
        let got = outputs
            .iter()
            .map(|o| Host::over(o.dtype, o.dims.clone(), o.storage.clone()))
            .collect::<Result<Vec<_>>>()?;
        let plain = self.tensors(&Device::Cpu)?;
        let op = &self.used.op;
        if self.pass == Pass::Gradient {
            let want = hosts(&gradients(op, &plain)?)?;
            let (op, ins) = in_f64_tracked(op, &plain)?;
            let t = gradients(&op, &ins)?.iter().map(numbers).collect::<Result<Vec<_>>>()?;
            return Ok(self.gradients(&got, &want, Some(&t)));
        }
        let want = hosts(&op.run(&copies(&plain)?)?)?;
        against_cpu(op, &plain, &got, &want, true)
    }

    /// Judges a device's outputs by true ones of another library, in f64: of complex elements the real and the imaginary
    /// part, one after the other.
    ///
    /// # Errors
    /// The case cannot be run.
    pub fn judge_true(&self, device: &Device, true_values: &[Vec<f64>]) -> Result<Comparison> {
        let (got, _, wrong) = self.outputs(device)?;
        let mut c =
            true_ones(&self.used.op, &self.tensors(&Device::Cpu)?, &got, true_values, !self.overflows())?;
        if let Some(wrong) = wrong {
            c.words.get_or_insert(wrong);
        }
        Ok(c)
    }
}

/// Checks the CPU's own gradients against the true ones, within a chain of rounding errors of the dtype.
pub(super) fn own_gradients(want: &[Host], truth: &[Vec<f64>], c: &mut Comparison) {
    for (k, (w, t)) in want.iter().zip(truth).enumerate() {
        let (dtype, numbers, _) = w.parts();
        if numbers.len() != t.len() {
            continue;
        }
        let norm = t.iter().map(|v| v * v).sum::<f64>().sqrt();
        let off = numbers.iter().zip(t).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let may = match dtype {
            DType::F64 => 1e-9,
            DType::F32 => 1e-4,
            DType::F16 => 0.03,
            _ => 0.2,
        };
        if off.is_nan() || off > may * norm.max(0.1) {
            c.words.get_or_insert(format!(
                "gradient {k} is {off:e} from the one in f64, whose norm is {norm:e}"
            ));
        }
    }
}

/// Returns the bytes of the storage under a view.
fn storage_bytes(t: &Tensor) -> Vec<u8> {
    match &*t.storage_and_layout().0 {
        Storage::Cpu(s) => s.as_bytes().to_vec(),
        _ => Vec::new(),
    }
}
