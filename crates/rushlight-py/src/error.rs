//! Core errors as Python exceptions: shapes ValueError, dtypes TypeError, indexes and axes IndexError, memory
//! MemoryError, devices DeviceError, gradients RuntimeError.
use pyo3::create_exception;
use pyo3::exceptions::{
    PyIndexError, PyMemoryError, PyNotImplementedError, PyRuntimeError, PyTypeError, PyValueError,
};
use pyo3::prelude::*;
use rushlight::Error;

create_exception!(
    rushlight,
    DeviceError,
    PyRuntimeError,
    "A device is not there, is not the same, or failed. The text says what to do."
);

/// The Python exception for a core error.
pub fn to_py(e: Error) -> PyErr {
    if let Error::Io(_) | Error::WithPath { .. } | Error::WithBacktrace { .. } = &e {
        return io_or(e);
    }
    from_root(&e, e.to_string())
}

fn io_or(e: Error) -> PyErr {
    if let Error::Io(io) = e.root() {
        // Keeps the class (FileNotFoundError, PermissionError, ..) and adds the path.
        return std::io::Error::new(io.kind(), e.to_string()).into();
    }
    from_root(e.root(), e.to_string())
}

fn from_root(e: &Error, text: String) -> PyErr {
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
        Error::Unsupported { .. } => PyNotImplementedError::new_err(text),
        Error::BackwardNotSupported { .. }
        | Error::ChangedAfterUse { .. }
        | Error::InplaceOnTracked { .. }
        | Error::SharedStorage { .. } => PyRuntimeError::new_err(text),
        Error::Io(io) => std::io::Error::new(io.kind(), text).into(),
        _ => PyValueError::new_err(text),
    }
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
    if elems > DETACH_ABOVE { py.detach(f).py() } else { f().py() }
}
