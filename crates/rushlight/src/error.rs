//! The one error type. Each variant names the op and carries the shapes, dtypes or devices of both sides,
//! so that the text is the same on every backend. Variant names and words follow candle where candle has them.
use crate::{DType, DeviceLocation, Layout, Shape};

/// Details of [`Error::MatMulUnexpectedStriding`].
#[derive(Debug, Clone)]
pub struct MatMulUnexpectedStriding {
    /// Layout of the left side.
    pub lhs_l: Layout,
    /// Layout of the right side.
    pub rhs_l: Layout,
    /// Batch, rows, columns, inner length.
    pub bmnk: (usize, usize, usize, usize),
    /// The problem.
    pub msg: &'static str,
}

/// Everything that can go wrong in the library.
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
#[repr(usize)] // so that the other side of a `Result` is moved in whole words
#[allow(missing_docs)] // the message of each variant says what its fields are
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
    /// Never returned here (ops reduce any number of dimensions); exists for candle code that names it.
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
    #[error("{op} invalid index {index} with dim size {size}")]
    InvalidIndex { op: &'static str, index: i64, size: usize },
    #[error("cannot broadcast {src_shape:?} to {dst_shape:?}")]
    BroadcastIncompatibleShapes { src_shape: Shape, dst_shape: Shape },
    #[error("cannot set variable {msg}")]
    CannotSetVar { msg: &'static str },
    /// Never returned here (products take any strides); exists for candle code that names it.
    #[error("{0:?}")]
    MatMulUnexpectedStriding(Box<MatMulUnexpectedStriding>),
    /// Never returned here (every op takes any layout); exists for candle code that names it.
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
    #[error("{inner}")] // the backtrace shows in the debug text
    WithBacktrace { inner: Box<Self>, backtrace: Box<std::backtrace::Backtrace> },
    #[error("{0}")]
    Msg(String),
    #[error("unwrap none")]
    UnwrapNone,
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

    /// An error with the debug text of a value.
    pub fn debug(value: impl std::fmt::Debug) -> Self {
        Self::Msg(format!("{value:?}")).bt()
    }

    /// An element type where another was expected.
    #[cold]
    pub(crate) fn dtype(msg: &'static str, expected: DType, got: DType) -> Self {
        Self::UnexpectedDType { msg, expected, got }.bt()
    }

    /// Two shapes that must be equal.
    #[cold]
    pub(crate) fn shapes(lhs: &Shape, rhs: &Shape, op: &'static str) -> Self {
        Self::ShapeMismatchBinaryOp { lhs: lhs.clone(), rhs: rhs.clone(), op }.bt()
    }

    /// Bad arguments of an op, in words.
    #[cold]
    pub fn invalid(op: &'static str, msg: impl std::fmt::Display) -> Self {
        Self::InvalidArgs { op, msg: msg.to_string() }.bt()
    }

    /// A wrong use of the gradient graph, in words.
    #[cold]
    pub fn gradient(op: &'static str, msg: impl std::fmt::Display) -> Self {
        Self::Gradient { op, msg: msg.to_string() }.bt()
    }

    /// Adds a backtrace when `RUST_BACKTRACE` asks for one.
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

    /// Adds what was being done.
    pub fn context(self, context: impl std::fmt::Display) -> Self {
        Self::Context { inner: Box::new(self), context: context.to_string() }
    }

    /// The error under any context, path or backtrace.
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

/// Runs ops for the function `name` that a user called: an error about an index names that, when it is found now on the CPU
/// and when a GPU tells it later.
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

/// The function that a user called, where it is not the op itself.
pub(crate) fn name_of_call(op: &'static str) -> &'static str {
    CALLED.get().unwrap_or(op)
}

/// Adds context to a `Result` or an `Option`, as candle's trait of the same name.
pub trait Context<T> {
    /// Adds a text.
    fn context<C: std::fmt::Display>(self, context: C) -> Result<T>;
    /// Adds a text that is made only on failure.
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
