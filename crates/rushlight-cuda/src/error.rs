//! The crate's error type.
use crate::sys;
use rushlight_load::process::Stop;
use rushlight_load::{LoadError, MissingSymbol};
use std::fmt;

/// An error of this crate.
///
/// ```
/// use rushlight_cuda::{Device, Error};
/// match Device::new(0) {
///     Ok(device) => println!("{}", device.props().name),
///     Err(Error::Load(e)) => println!("no CUDA here: {e}"),
///     Err(e) => println!("{e}"),
/// }
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A library could not be opened.
    Load(LoadError),
    /// A function is missing from an open library.
    Symbol(MissingSymbol),
    /// A function of the driver failed.
    Cuda {
        /// The function's C name.
        call: &'static str,
        /// The `CUresult`.
        code: i32,
        /// The driver's own message.
        text: String,
    },
    /// An NVRTC function failed.
    Nvrtc {
        /// The function's C name.
        call: &'static str,
        /// The `nvrtcResult`.
        code: i32,
        /// The compiler's output.
        log: String,
    },
    /// A cuBLAS function failed.
    Blas {
        /// The function's C name.
        call: &'static str,
        /// The `cublasStatus_t`.
        code: i32,
    },
    /// A cuSOLVER function failed.
    Solver {
        /// The function's C name.
        call: &'static str,
        /// The `cusolverStatus_t`.
        code: i32,
    },
    /// A cuDNN function failed.
    Dnn {
        /// The function's C name.
        call: &'static str,
        /// The `cudnnStatus_t`, which differs between versions.
        code: i32,
        /// cuDNN's name of the code.
        name: String,
    },
    /// A cuFFT function failed.
    Fft {
        /// The function's C name.
        call: &'static str,
        /// The `cufftResult`.
        code: i32,
    },
    /// The machine has no such device.
    NoDevice {
        /// The device's number.
        ordinal: usize,
        /// The number of devices.
        count: usize,
        /// The likely cause, if it is known.
        why: String,
    },
    /// An invalid argument of a function of this crate.
    Argument {
        /// The function.
        call: &'static str,
        /// The reason.
        why: String,
    },
    /// CUDA was started before this process was forked, and the child process called it.
    Forked {
        /// The function that was called.
        call: &'static str,
    },
    /// The process is ending.
    Exiting {
        /// The function that was called.
        call: &'static str,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Load(e) => e.fmt(f),
            Error::Symbol(e) => e.fmt(f),
            Error::Cuda { call, code, text } => {
                write!(f, "{call}: {} ({code})", sys::name("CUresult", *code))?;
                if text.is_empty() { Ok(()) } else { write!(f, ", {text}") }
            }
            Error::Nvrtc { call, code, log } => {
                write!(f, "{call}: {} ({code})", sys::name("nvrtcResult", *code))?;
                if log.is_empty() { Ok(()) } else { write!(f, "\n{log}") }
            }
            Error::Blas { call, code } => {
                write!(f, "{call}: {} ({code})", sys::name("cublasStatus_t", *code))
            }
            Error::Fft { call, code } => {
                write!(f, "{call}: {} ({code})", sys::name("cufftResult", *code))
            }
            Error::Solver { call, code } => {
                write!(f, "{call}: {} ({code})", sys::name("cusolverStatus_t", *code))
            }
            Error::Dnn { call, code, name } => write!(f, "{call}: {name} ({code})"),
            Error::NoDevice { ordinal, count, why } => {
                rushlight_load::no_device(f, ("CUDA", "the driver"), *ordinal, *count, why)
            }
            Error::Argument { call, why } => write!(f, "{call}: {why}"),
            Error::Forked { call } => f.write_str(&Stop::Forked.of(call, "CUDA")),
            Error::Exiting { call } => f.write_str(&Stop::Exiting.of(call, "CUDA")),
        }
    }
}

impl std::error::Error for Error {}

impl From<LoadError> for Error {
    fn from(e: LoadError) -> Self {
        Error::Load(e)
    }
}

impl From<MissingSymbol> for Error {
    fn from(e: MissingSymbol) -> Self {
        Error::Symbol(e)
    }
}

impl Error {
    /// Returns whether the device has too little memory for the call.
    ///
    /// ```
    /// let e = rushlight_cuda::Error::Cuda { call: "cuMemAlloc_v2", code: 2, text: String::new() };
    /// assert!(e.is_out_of_memory());
    /// ```
    pub fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            Error::Cuda { code: sys::CUDA_ERROR_OUT_OF_MEMORY, .. }
                | Error::Blas { code: sys::CUBLAS_STATUS_ALLOC_FAILED, .. }
                | Error::Fft { code: sys::CUFFT_ALLOC_FAILED, .. }
                | Error::Solver { code: sys::CUSOLVER_STATUS_ALLOC_FAILED, .. }
        ) || matches!(self, Error::Dnn { name, .. } if name.contains("ALLOC"))
    }

    /// Returns whether cuDNN has no kernel for the operation.
    pub fn is_unsupported(&self) -> bool {
        matches!(self, Error::Dnn { name, .. } if name.starts_with("CUDNN_STATUS_NOT_SUPPORTED"))
    }

    /// Returns whether the GPU is lost for this process: every later call fails too, until the process ends.
    pub fn is_sticky(&self) -> bool {
        matches!(
            self,
            Error::Cuda {
                code: sys::CUDA_ERROR_ILLEGAL_ADDRESS
                    | sys::CUDA_ERROR_LAUNCH_TIMEOUT
                    | sys::CUDA_ERROR_ASSERT
                    | sys::CUDA_ERROR_HARDWARE_STACK_ERROR
                    | sys::CUDA_ERROR_ILLEGAL_INSTRUCTION
                    | sys::CUDA_ERROR_MISALIGNED_ADDRESS
                    | sys::CUDA_ERROR_INVALID_ADDRESS_SPACE
                    | sys::CUDA_ERROR_INVALID_PC
                    | sys::CUDA_ERROR_LAUNCH_FAILED
                    | sys::CUDA_ERROR_ECC_UNCORRECTABLE,
                ..
            }
        )
    }

    pub(crate) fn argument(call: &'static str, why: impl Into<String>) -> Self {
        Error::Argument { call, why: why.into() }
    }
}
