//! Core errors as Python exceptions: shapes ValueError, dtypes TypeError, indices and axes IndexError, memory
//! MemoryError, devices DeviceError, gradients RuntimeError, singular matrices LinAlgError.
use crate::dtype;
use pyo3::create_exception;
use pyo3::exceptions::{
    PyIndexError, PyMemoryError, PyNotImplementedError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use rushlight::{DType, Error};
use std::cell::Cell;
use std::sync::{Mutex, PoisonError};

create_exception!(
    rushlight,
    DeviceError,
    PyRuntimeError,
    "Error of a device: it is missing, differs between operands, or failed. The message says what to do.\n\nExamples\n--------\n>>> try:\n...     rl.Device('gpu')\n... except rl.DeviceError as e:\n...     print(type(e).__name__)\nDeviceError"
);

/// The Python exception for a core error.
#[cold]
pub fn to_py(e: Error) -> PyErr {
    let text = in_python(&e);
    match e.root() {
        Error::UnexpectedDType { .. }
        | Error::DTypeMismatchBinaryOp { .. }
        | Error::UnsupportedDTypeForOp(..)
        | Error::UnsupportedSafeTensorDtype(_) => PyTypeError::new_err(text),
        Error::DimOutOfRange { .. } | Error::InvalidIndex { .. } => PyIndexError::new_err(text),
        Error::OutOfMemory { .. } => PyMemoryError::new_err(text),
        Error::Device(_)
        | Error::DeviceMismatchBinaryOp { .. }
        | Error::NotCompiledWithCudaSupport
        | Error::NotCompiledWithMetalSupport => DeviceError::new_err(text),
        Error::Singular { .. } => Python::attach(|py| {
            let class = py.import("rushlight.linalg").and_then(|m| m.getattr("LinAlgError"));
            match class.and_then(|class| class.call1((&text,))) {
                Ok(error) => PyErr::from_value(error),
                Err(e) => e,
            }
        }),
        Error::Unsupported { .. } | Error::NoSecondDerivative { .. } => PyNotImplementedError::new_err(text),
        Error::BackwardNotSupported { .. }
        | Error::Gradient { .. }
        | Error::ChangedAfterUse { .. }
        | Error::InplaceOnTracked { .. }
        | Error::SharedStorage { .. } => PyRuntimeError::new_err(text),
        // An exception raised in a Python hook or function keeps its traceback.
        Error::Wrapped(inner) => match inner.downcast_ref::<PyErr>() {
            Some(e) => Python::attach(|py| e.clone_ref(py)),
            None => PyValueError::new_err(text),
        },
        // This conversion keeps the exception's class (FileNotFoundError, PermissionError, ..).
        Error::Io(io) => std::io::Error::new(io.kind(), text).into(),
        _ => PyValueError::new_err(text),
    }
}

/// Returns the error's text with dtypes and devices as Python spells them. Paths and names that the user gave
/// are not changed.
fn in_python(e: &Error) -> String {
    let (whole, root) = (e.to_string(), e.root());
    let plain = match root {
        // `words` replaces single words, and a device's debug text has several.
        Error::DeviceMismatchBinaryOp { lhs, rhs, op } => {
            format!("device mismatch in {op}, lhs: {lhs}, rhs: {rhs}")
        }
        // An error of `x[i]` has no function name to mention.
        Error::InvalidIndex { op: "index", index, size } => {
            format!("index {index} is out of range for a dimension of size {size}")
        }
        Error::Io(_) | Error::CannotFindTensor { .. } | Error::Wrapped(_) => return whole,
        root => root.to_string(),
    };
    let around = whole.strip_suffix(&root.to_string()).unwrap_or_default().to_string();
    around + &words(&plain)
}

/// A text with Rust's names of dtypes and devices replaced.
fn words(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphanumeric()) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == ':'));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        match word.trim_end_matches(':') {
            // Names that differ between the core and Python.
            "cat" => out.push_str("concat"),
            "Device::Cpu" => out.push_str("device=\"cpu\""),
            "new_rocm" | "Device::new_rocm" => out.push_str("device=\"rocm:0\""),
            "new_cuda" | "Device::new_cuda" => out.push_str("device=\"cuda:0\""),
            name => out.push_str(
                DType::ALL.iter().find(|d| format!("{d:?}") == name).map_or(name, |d| dtype::name(*d)),
            ),
        }
        out.push_str(&word[word.trim_end_matches(':').len()..]);
        rest = after;
    }
    out + rest
}

/// Puts the function's name before an error that does not name an op.
pub fn of<T>(op: &str, result: rushlight::Result<T>) -> rushlight::Result<T> {
    result.map_err(|e| match e.root() {
        root @ (Error::UnexpectedNumberOfDims { .. } | Error::BroadcastIncompatibleShapes { .. }) => {
            Error::msg(format!("{op}: {root}"))
        }
        _ => e,
    })
}

/// `core_result.py()?` in functions that return `PyResult`.
pub trait OrPy<T> {
    /// Maps the error.
    fn py(self) -> PyResult<T>;
}

impl<T> OrPy<T> for rushlight::Result<T> {
    fn py(self) -> PyResult<T> {
        self.map_err(to_py)
    }
}

/// Above this many elements an op runs with the GIL released.
pub const DETACH_ABOVE: usize = 16_000;

/// Runs core work over `elems` elements, with the GIL released when there are many.
pub fn run<T: Send>(
    py: Python<'_>,
    elems: usize,
    f: impl FnOnce() -> rushlight::Result<T> + Send,
) -> PyResult<T> {
    // The work goes through a `dyn` closure, so only the code that moves the result is compiled for each
    // caller.
    let (mut f, mut out) = (Some(f), None);
    run_one(py, elems, &mut || out = f.take().map(|f| f()));
    match out {
        Some(Ok(out)) => Ok(out),
        Some(Err(e)) => Err(to_py(e)),
        None => Err(PyRuntimeError::new_err("the work was not done")),
    }
}

#[inline(never)]
fn run_one(py: Python<'_>, elems: usize, work: &mut (dyn FnMut() + Send)) {
    if elems > DETACH_ABOVE { detached(py, work) } else { work() }
}

thread_local! {
    static DETACHED: Cell<bool> = const { Cell::new(false) };
}
/// Owners of Python's memory that were dropped by a thread without the interpreter; they wait here to be
/// released.
static GONE: Mutex<Vec<Box<dyn Send>>> = Mutex::new(Vec::new());

/// Runs work with the GIL released.
pub fn detached<T: Send>(py: Python<'_>, f: impl FnOnce() -> T + Send) -> T {
    let out = py.detach(|| {
        let before = DETACHED.replace(true);
        let out = f();
        DETACHED.set(before);
        out
    });
    let gone = std::mem::take(&mut *GONE.lock().unwrap_or_else(PoisonError::into_inner));
    drop(gone);
    out
}

/// Returns whether this thread is inside [`detached`]. There it must not wait for the GIL: it may have locked
/// a storage for which the thread with the GIL waits.
pub fn is_detached() -> bool {
    DETACHED.get()
}

/// Keeps an owner of Python's memory until a [`detached`] call has the GIL again, which then drops it.
pub fn drop_later(owner: impl Send + 'static) {
    GONE.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(owner));
}
