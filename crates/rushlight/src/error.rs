//! The error type. Each variant names the op and holds the shapes, dtypes or devices of both operands, so that the text
//! is the same on every backend. Names and texts of variants follow candle where candle has the same variant.
use crate::{DType, DeviceLocation, Layout, Shape};

/// Details of [`Error::MatMulUnexpectedStriding`].
#[derive(Debug, Clone)]
pub struct MatMulUnexpectedStriding {
    /// Layout of the left operand.
    pub lhs_l: Layout,
    /// Layout of the right operand.
    pub rhs_l: Layout,
    /// Sizes: batch, rows, columns, inner dimension.
    pub bmnk: (usize, usize, usize, usize),
    /// The problem.
    pub msg: &'static str,
}

/// The errors of the library.
///
/// ```
/// use rushlight::{DType, Device, Tensor};
/// let a = Tensor::zeros((2, 3), DType::F32, &Device::Cpu)?;
/// let b = Tensor::zeros((3, 2), DType::F32, &Device::Cpu)?;
/// assert_eq!(a.add(&b).unwrap_err().to_string(), "shape mismatch in add, lhs: (2, 3), rhs: (3, 2)");
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(thiserror::Error, Debug)]
#[non_exhaustive]
#[repr(usize)] // so that the other variant of a `Result` is moved as whole words
#[allow(missing_docs)] // the message of each variant describes its fields
pub enum Error {
    // --- dtypes ---
    #[error("{msg}, expected: {expected:?}, got: {got:?}")]
    UnexpectedDType { msg: &'static str, expected: DType, got: DType },
    #[error("dtype mismatch in {op}, lhs: {lhs:?}, rhs: {rhs:?}")]
    DTypeMismatchBinaryOp { lhs: DType, rhs: DType, op: &'static str },
    #[error("unsupported dtype {0:?} for op {1}")]
    UnsupportedDTypeForOp(DType, &'static str),

    // --- shapes ---
    #[error("{op}: dimension index {dim} out of range for shape {shape:?}")]
    DimOutOfRange { shape: Shape, dim: i32, op: &'static str },
    #[error("{op}: duplicate dim index {dims:?} for shape {shape:?}")]
    DuplicateDimIndex { shape: Shape, dims: Vec<usize>, op: &'static str },
    #[error("unexpected rank, expected: {expected}, got: {got}, shape: {shape:?}")]
    UnexpectedNumberOfDims { expected: usize, got: usize, shape: Shape },
    #[error("{msg}, expected: {expected:?}, got: {got:?}")]
    UnexpectedShape { msg: String, expected: Shape, got: Shape },
    #[error("shape mismatch, got buffer of size {buffer_size} which is not compatible with shape {shape:?}")]
    ShapeMismatch { buffer_size: usize, shape: Shape },
    #[error("shape mismatch in {op}, lhs: {lhs:?}, rhs: {rhs:?}")]
    ShapeMismatchBinaryOp { lhs: Shape, rhs: Shape, op: &'static str },
    #[error(
        "shape mismatch in cat for dim {dim}, shape for arg 1: {first_shape:?} shape for arg {n}: {nth_shape:?}"
    )]
    ShapeMismatchCat { dim: usize, first_shape: Shape, n: usize, nth_shape: Shape },
    #[error("cannot divide tensor of shape {shape:?} equally along dim {dim} into {n_parts} parts")]
    ShapeMismatchSplit { shape: Shape, dim: usize, n_parts: usize },
    /// Never returned (ops reduce any number of dimensions). It exists for candle code that names it.
    #[error("{op} can only be performed on a single dimension, got {dims:?}")]
    OnlySingleDimension { op: &'static str, dims: Vec<usize> },
    #[error("empty tensor for {op}, shape: {shape:?}")]
    EmptyTensor { op: &'static str, shape: Shape },
    #[error("{op}: rank {rank} is more than the {max} dimensions a tensor can have")]
    RankTooLarge { op: &'static str, rank: usize, max: usize },
    #[error("{op}: shape {shape:?} has more elements or bytes than this machine can address")]
    SizeOverflow { op: &'static str, shape: Shape },

    // --- op specific ---
    #[error("narrow invalid args {msg}: {shape:?}, dim: {dim}, start: {start}, len: {len}")]
    NarrowInvalidArgs { shape: Shape, dim: usize, start: usize, len: usize, msg: &'static str },
    #[error(
        "conv1d invalid args {msg}: inp: {inp_shape:?}, k: {k_shape:?}, pad: {padding}, stride: {stride}"
    )]
    Conv1dInvalidArgs { inp_shape: Shape, k_shape: Shape, padding: usize, stride: usize, msg: &'static str },
    #[error("{op}: {msg}")]
    InvalidArgs { op: &'static str, msg: String },
    /// A matrix that has no inverse, or is not positive definite.
    #[error("{op}: {msg}")]
    Singular { op: &'static str, msg: String },
    #[error("{op} invalid index {index} with dim size {size}")]
    InvalidIndex { op: &'static str, index: i64, size: usize },
    #[error("cannot broadcast {src_shape:?} to {dst_shape:?}")]
    BroadcastIncompatibleShapes { src_shape: Shape, dst_shape: Shape },
    #[error("cannot set variable {msg}")]
    CannotSetVar { msg: &'static str },
    /// Never returned (products accept any strides). It exists for candle code that names it.
    #[error("{0:?}")]
    MatMulUnexpectedStriding(Box<MatMulUnexpectedStriding>),
    /// Never returned (every op accepts any layout). It exists for candle code that names it.
    #[error("{op} only supports contiguous tensors")]
    RequiresContiguous { op: &'static str },
    #[error("{op} expects at least one tensor")]
    OpRequiresAtLeastOneTensor { op: &'static str },
    #[error("{op} expects at least two tensors")]
    OpRequiresAtLeastTwoTensors { op: &'static str },
    #[error("backward is not supported for {op}")]
    BackwardNotSupported { op: &'static str },
    #[error("{op}: {msg}")]
    Gradient { op: &'static str, msg: String },
    #[error("{op} has no gradient, so its op has no second derivative: {why}")]
    NoSecondDerivative { op: &'static str, why: &'static str },
    #[error(
        "{op}: a tensor of shape {shape:?} needed for the gradient was changed in place after it was used \
         (version {found}, expected {expected}); clone it before changing it"
    )]
    ChangedAfterUse { op: &'static str, shape: Shape, expected: u64, found: u64 },
    #[error("{op}: {msg}")]
    InplaceOnTracked { op: &'static str, msg: &'static str },
    #[error("the {op} op reads and writes the same storage; use a copy of one of them")]
    SharedStorage { op: &'static str },

    // --- devices ---
    #[error("device mismatch in {op}, lhs: {lhs:?}, rhs: {rhs:?}")]
    DeviceMismatchBinaryOp { lhs: DeviceLocation, rhs: DeviceLocation, op: &'static str },
    #[error("{0}")]
    Device(String),
    #[error("op {op} is not supported on {device}: {reason}")]
    Unsupported { op: &'static str, device: String, reason: &'static str },
    #[error("CUDA is not available in this build; use Device::Cpu")]
    NotCompiledWithCudaSupport,
    #[error("metal is not supported by this library; use Device::Cpu, new_rocm or new_cuda")]
    NotCompiledWithMetalSupport,
    #[error("out of memory: {requested} bytes requested on {device} ({live} bytes in use)")]
    OutOfMemory { requested: usize, live: usize, device: String },

    // --- files and conversions ---
    #[error("cannot find tensor {path}")]
    CannotFindTensor { path: String },
    #[error(transparent)]
    TryFromIntError(#[from] core::num::TryFromIntError),
    #[error(transparent)]
    Ggml(rushlight_ggml::Error),
    #[error("npy/npz error: {0}")]
    Npy(String),
    #[error("pth error: {0}")]
    Pickle(String),
    #[error(transparent)]
    Zip(#[from] zip::result::ZipError),
    #[error(transparent)]
    ParseInt(#[from] std::num::ParseIntError),
    #[error(transparent)]
    FromUtf8(#[from] std::string::FromUtf8Error),
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("safetensors error: {0}")]
    SafeTensor(#[from] safetensors::SafeTensorError),
    #[error("unsupported safetensor dtype {0:?}")]
    UnsupportedSafeTensorDtype(safetensors::Dtype),

    // --- wrapping ---
    #[error("{0}")]
    Wrapped(Box<dyn std::error::Error + Send + Sync>),
    #[error("{context}\n  caused by: {inner}")]
    Context { inner: Box<Self>, context: String },
    #[error("path: {path:?} {inner}")]
    WithPath { inner: Box<Self>, path: std::path::PathBuf },
    #[error("{inner}")] // the debug format includes the backtrace
    WithBacktrace { inner: Box<Self>, backtrace: Box<std::backtrace::Backtrace> },
    #[error("{0}")]
    Msg(String),
    #[error("unwrap none")]
    UnwrapNone,
}

impl From<rushlight_ggml::Error> for Error {
    fn from(error: rushlight_ggml::Error) -> Self {
        match error {
            rushlight_ggml::Error::Io(io) => Self::Io(io),
            rushlight_ggml::Error::NoTensor(path) => Self::CannotFindTensor { path },
            other => Self::Ggml(other).bt(),
        }
    }
}

/// `Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Wraps any other error.
    pub fn wrap(err: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Wrapped(Box::new(err)).bt()
    }

    /// Creates an error from a text.
    pub fn msg(text: impl std::fmt::Display) -> Self {
        Self::Msg(text.to_string()).bt()
    }

    /// Creates an error with the debug text of a value.
    pub fn debug(value: impl std::fmt::Debug) -> Self {
        Self::Msg(format!("{value:?}")).bt()
    }

    /// Creates an error for an element of another dtype than expected.
    #[cold]
    pub(crate) fn dtype(msg: &'static str, expected: DType, got: DType) -> Self {
        Self::UnexpectedDType { msg, expected, got }.bt()
    }

    /// Creates an error for two shapes that must be equal.
    #[cold]
    pub(crate) fn shapes(lhs: &Shape, rhs: &Shape, op: &'static str) -> Self {
        Self::ShapeMismatchBinaryOp { lhs: lhs.clone(), rhs: rhs.clone(), op }.bt()
    }

    /// Creates an error for invalid arguments of an op, from a text.
    #[cold]
    pub fn invalid(op: &'static str, msg: impl std::fmt::Display) -> Self {
        Self::InvalidArgs { op, msg: msg.to_string() }.bt()
    }

    /// Creates an error for a wrong use of the gradient graph, from a text.
    #[cold]
    pub fn gradient(op: &'static str, msg: impl std::fmt::Display) -> Self {
        Self::Gradient { op, msg: msg.to_string() }.bt()
    }

    /// Adds a backtrace, if `RUST_BACKTRACE` is set.
    #[cold]
    pub fn bt(self) -> Self {
        let backtrace = std::backtrace::Backtrace::capture();
        match backtrace.status() {
            std::backtrace::BacktraceStatus::Disabled | std::backtrace::BacktraceStatus::Unsupported => self,
            _ => Self::WithBacktrace { inner: Box::new(self), backtrace: Box::new(backtrace) },
        }
    }

    /// Adds the path of the file that was read.
    pub fn with_path(self, path: impl AsRef<std::path::Path>) -> Self {
        Self::WithPath { inner: Box::new(self), path: path.as_ref().to_path_buf() }
    }

    /// Adds a description of the failed action.
    pub fn context(self, context: impl std::fmt::Display) -> Self {
        Self::Context { inner: Box::new(self), context: context.to_string() }
    }

    /// Returns the error inside all contexts, paths and backtraces.
    pub fn root(&self) -> &Self {
        match self {
            Self::Context { inner, .. }
            | Self::WithPath { inner, .. }
            | Self::WithBacktrace { inner, .. } => inner.root(),
            other => other,
        }
    }
}

thread_local! {
    static CALLED: std::cell::Cell<Option<&'static str>> = const { std::cell::Cell::new(None) };
}

/// Runs ops on behalf of the function `name` that the user called. Errors about indices then name that function and not
/// the op, both on the CPU and when a GPU reports them later.
///
/// ```
/// use rushlight::{Device, Error, Tensor};
/// let x = Tensor::new(&[1f32, 2.], &Device::Cpu)?;
/// let ids = Tensor::new(&[7u32], &Device::Cpu)?;
/// let e = rushlight::error::called("take", || x.index_select(&ids, 0)).unwrap_err();
/// assert_eq!(e.to_string(), "take invalid index 7 with dim size 2");
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn called<T>(name: &'static str, f: impl FnOnce() -> Result<T>) -> Result<T> {
    let before = CALLED.replace(Some(CALLED.get().unwrap_or(name)));
    let out = f();
    CALLED.set(before);
    out
}

/// Returns the name of the function that the user called, or `op` if the user called the op itself.
pub(crate) fn name_of_call(op: &'static str) -> &'static str {
    CALLED.get().unwrap_or(op)
}

/// Adds context to a `Result` or an `Option`. Candle has a trait of the same name.
pub trait Context<T> {
    /// Adds a text.
    fn context<C: std::fmt::Display>(self, context: C) -> Result<T>;
    /// Adds a text that is computed only on failure.
    fn with_context<C: std::fmt::Display, F: FnOnce() -> C>(self, f: F) -> Result<T>;
}

impl<T> Context<T> for Option<T> {
    fn context<C: std::fmt::Display>(self, context: C) -> Result<T> {
        self.ok_or_else(|| Error::UnwrapNone.context(context).bt())
    }
    fn with_context<C: std::fmt::Display, F: FnOnce() -> C>(self, f: F) -> Result<T> {
        self.ok_or_else(|| Error::UnwrapNone.context(f()).bt())
    }
}

impl<T> Context<T> for Result<T> {
    fn context<C: std::fmt::Display>(self, context: C) -> Result<T> {
        self.map_err(|e| e.context(context))
    }
    fn with_context<C: std::fmt::Display, F: FnOnce() -> C>(self, f: F) -> Result<T> {
        self.map_err(|e| e.context(f()))
    }
}

/// Returns an [`Error::Msg`](crate::Error) with a formatted text.
#[macro_export]
macro_rules! bail {
    ($($arg:tt)*) => {
        return Err($crate::Error::Msg(format!($($arg)*)).bt())
    };
}
