//! Threads, memory, devices, and the promotion table as functions.
use crate::args::{Operand, Whole};
use crate::dtype::{DTypeArg, TheDType};
use crate::promote::{promote, promote_scalar};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::pydoc;

#[doc = pydoc!(
    "Returns how many threads an operation may use.";
    () -> "int" "Number of threads.";
    ();
    [">>> rl.get_num_threads() >= 1", "True"]
)]
#[pyfunction]
pub fn get_num_threads() -> usize {
    rushlight::cpu::num_threads()
}

#[doc = pydoc!(
    "Sets how many threads an operation may use; results do not depend on it.";
    (n: "int" "Number of threads, 1 to 4096.");
    (ValueError: "If ``n`` is not between 1 and 4096.");
    [
        ">>> before = rl.get_num_threads()",
        ">>> rl.set_num_threads(2)",
        ">>> rl.get_num_threads()",
        "2",
        ">>> rl.set_num_threads(before)",
    ]
)]
#[pyfunction]
#[pyo3(signature = (n, /))]
pub fn set_num_threads(n: Whole) -> PyResult<()> {
    let n: usize = n.count("set_num_threads", "n")?;
    if n == 0 || n > 4096 {
        return Err(PyValueError::new_err(format!("set_num_threads takes 1 to 4096, not {n}")));
    }
    rushlight::cpu::set_num_threads(n);
    Ok(())
}

#[doc = pydoc!(
    "Requires the same bits in every run, on every device.\n\nrocBLAS and MIOpen are not used then, and no sum depends on the order in which atomic additions arrive. The initial\nsetting is the environment variable ``RUSHLIGHT_DETERMINISTIC``, or off.";
    (mode: "bool" "True to require it.");
    (TypeError: "If ``mode`` is not a bool.");
    [
        ">>> rl.use_deterministic_algorithms(True)",
        ">>> rl.are_deterministic_algorithms_enabled()",
        "True",
        ">>> rl.use_deterministic_algorithms(False)",
    ]
)]
#[pyfunction]
#[pyo3(signature = (mode, /))]
pub fn use_deterministic_algorithms(mode: bool) {
    rushlight::set_deterministic(mode);
}

#[doc = pydoc!(
    "Returns whether the same bits are required in every run.";
    () -> "bool" "True after ``use_deterministic_algorithms(True)``.";
    ();
    [">>> rl.use_deterministic_algorithms(False)", ">>> rl.are_deterministic_algorithms_enabled()", "False"]
)]
#[pyfunction]
pub fn are_deterministic_algorithms_enabled() -> bool {
    rushlight::deterministic()
}

#[doc = pydoc!(
    "Returns statistics of the memory of CPU tensors.";
    () -> "dict[str, int]" "Bytes in use (``live``), their maximum (``peak``) and bytes kept for reuse (``cached``).";
    ();
    [">>> sorted(rl.memory_stats())", "['cached', 'live', 'peak']"]
)]
#[pyfunction]
pub fn memory_stats(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let s = rushlight::cpu::memory_stats();
    let d = PyDict::new(py);
    d.set_item("live", s.live)?;
    d.set_item("peak", s.peak)?;
    d.set_item("cached", s.cached)?;
    Ok(d)
}

#[doc = pydoc!(
    "Resets ``peak`` of ``memory_stats`` to the bytes in use now.";
    ();
    ();
    [">>> rl.reset_peak_memory()", ">>> s = rl.memory_stats()", ">>> s['peak'] == s['live']", "True"]
)]
#[pyfunction]
pub fn reset_peak_memory() {
    rushlight::cpu::reset_peak();
}

#[doc = pydoc!(
    "Returns memory that is kept for reuse to the system, except blocks that other threads keep for themselves.";
    ();
    ();
    [">>> rl.empty_cache()"]
)]
#[pyfunction]
pub fn empty_cache() {
    rushlight::cpu::empty_cache();
}

/// Returns a sentence for each environment variable of Rushlight that is invalid or unknown.
#[pyfunction]
pub fn _settings_problems() -> Vec<String> {
    rushlight::settings::problems()
}

/// Returns the level of the CPU's instructions in use, in the words of `RUSHLIGHT_CPU_ISA`.
#[pyfunction]
pub fn _cpu_isa() -> &'static str {
    rushlight::cpu::simd_level().name()
}

/// Returns the number of devices of a kind (``"rocm"`` or ``"cuda"``) that can be opened.
#[pyfunction]
#[pyo3(signature = (kind, /))]
pub fn _device_count(kind: &str) -> PyResult<usize> {
    match kind {
        "rocm" => Ok(rushlight::gpu::hip::device_count()),
        "cuda" => Ok(rushlight::gpu::cuda::device_count()),
        _ => Err(PyValueError::new_err(format!("'{kind}' is not a kind of accelerator"))),
    }
}

/// Returns the dtype to which tensors, dtypes and Python numbers are promoted.
#[pyfunction]
#[pyo3(signature = (*values))]
pub fn _promote(values: Vec<Bound<'_, PyAny>>) -> PyResult<TheDType> {
    let mut common = None;
    let mut numbers = Vec::new();
    for v in &values {
        let dtype = if let Ok(d) = v.extract::<DTypeArg>() {
            d.0
        } else {
            match v.extract::<Operand>()? {
                Operand::Tensor(t) => t.dtype(),
                Operand::Num(n) => {
                    numbers.push(n);
                    continue;
                }
            }
        };
        common = Some(common.map_or(Ok(dtype), |c| promote(c, dtype))?);
    }
    let mut out = common.ok_or_else(|| PyTypeError::new_err("at least one tensor or dtype is needed"))?;
    for n in numbers {
        out = promote_scalar(out, n);
    }
    Ok(TheDType(out))
}

/// Tells whether a device runs an op on a dtype, and whether it has a gradient.
#[pyfunction]
#[pyo3(signature = (op, dtype, device, grad, /))]
pub fn _supports(op: &str, dtype: DTypeArg, device: crate::device::DeviceArg, grad: bool) -> PyResult<bool> {
    use rushlight::ops::{Differentiable, Fill, Op, Sample};
    use std::collections::HashMap;
    use std::sync::OnceLock;
    static SAMPLES: OnceLock<HashMap<&'static str, Vec<Sample>>> = OnceLock::new();
    let samples = SAMPLES.get_or_init(|| {
        let mut by_name: HashMap<_, Vec<Sample>> = HashMap::new();
        for s in Op::all_samples().into_iter().filter(|s| s.error.is_none()) {
            by_name.entry(s.op.name()).or_default().push(s);
        }
        by_name
    });
    let Some(found) = samples.get(op) else {
        return Err(PyValueError::new_err(format!("'{op}' is not an op of rushlight")));
    };
    // The given dtype is compared with that of the op's values, not with that of a condition or of indices.
    let runs = |s: &Sample| {
        let value = s.inputs.iter().position(|i| i.fill == Fill::T);
        let mut rows = s.dtype_rows().into_iter();
        rows.any(|row| {
            value.is_none_or(|i| row.get(i) == Some(&dtype.0))
                && device.0.supports(&s.op, &row) == rushlight::Support::Yes
        })
    };
    let gradient = |s: &Sample| dtype.0.is_inexact() && s.op.differentiable() == Differentiable::Yes;
    Ok(found.iter().any(|s| runs(s) && (!grad || gradient(s))))
}
