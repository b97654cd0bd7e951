//! The crate's error type.
use crate::sys::{hip, miopen, rocblas};
use rushlight_load::process::Stop;
pub use rushlight_load::{LoadError, MissingSymbol, Tried};
use std::fmt;
use std::path::PathBuf;

/// An error of this crate.
///
/// ```
/// use rushlight_hip::{Device, Error};
/// match Device::new(0) {
///     Ok(device) => println!("{}", device.name()),
///     Err(Error::Load(e)) => println!("no ROCm here: {e}"),
///     Err(e) if e.is_no_device() => println!("ROCm, but no GPU: {e}"),
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
    /// A HIP function failed.
    Hip {
        /// The function's C name.
        call: &'static str,
        /// The `hipError_t`.
        code: u32,
        /// The code's C name.
        name: &'static str,
        /// The runtime's own message, if it says more than the name.
        text: String,
    },
    /// A hiprtc function failed.
    Rtc {
        /// The function's C name.
        call: &'static str,
        /// The `hiprtcResult`.
        code: u32,
        /// The code's C name.
        name: &'static str,
        /// The compiler's output.
        log: String,
    },
    /// A function of rocBLAS or rocSOLVER failed.
    Blas {
        /// The function's C name.
        call: &'static str,
        /// The `rocblas_status`.
        code: u32,
        /// The code's C name.
        name: &'static str,
    },
    /// A MIOpen function failed. MIOpen prints more on standard error.
    Miopen {
        /// The function's C name.
        call: &'static str,
        /// The `miopenStatus_t`.
        code: u32,
        /// The code's C name.
        name: &'static str,
    },
    /// A rocFFT function failed.
    Fft {
        /// The function's C name.
        call: &'static str,
        /// The `rocfft_status`.
        code: u32,
        /// The code's C name.
        name: &'static str,
    },
    /// A library was built without kernels for this GPU.
    NoKernels {
        /// The library's file.
        library: PathBuf,
        /// The GPU's target, without features.
        arch: String,
        /// The files that are missing.
        why: String,
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
    /// A launch that no GPU or no HIP version can run; it is rejected before it is issued.
    Launch {
        /// The kernel's name.
        kernel: String,
        /// The limit and the number that exceeds it.
        why: String,
    },
    /// An invalid argument of a function of this crate.
    Argument {
        /// The function.
        call: &'static str,
        /// The reason.
        why: String,
    },
    /// HIP was started before this process was forked, and the child process called it.
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
            Error::Hip { call, code, name, text } => {
                write!(f, "{call}: {name} ({code})")?;
                if text.is_empty() { Ok(()) } else { write!(f, ", {text}") }
            }
            Error::Rtc { call, code, name, log } => {
                write!(f, "{call}: {name} ({code})")?;
                if log.is_empty() { Ok(()) } else { write!(f, "\n{log}") }
            }
            Error::Blas { call, code, name }
            | Error::Miopen { call, code, name }
            | Error::Fft { call, code, name } => {
                write!(f, "{call}: {name} ({code})")
            }
            Error::NoKernels { library, arch, why } => {
                write!(f, "{} has no kernels for {arch}: {why}", library.display())
            }
            Error::NoDevice { ordinal, count, why } => {
                rushlight_load::no_device(f, ("ROCm", "HIP"), *ordinal, *count, why)
            }
            Error::Launch { kernel, why } => write!(f, "cannot launch {kernel}: {why}"),
            Error::Argument { call, why } => write!(f, "{call}: {why}"),
            Error::Forked { call } => f.write_str(&Stop::Forked.of(call, "HIP")),
            Error::Exiting { call } => f.write_str(&Stop::Exiting.of(call, "HIP")),
        }
    }
}

impl std::error::Error for Error {}

impl From<MissingSymbol> for Error {
    fn from(e: MissingSymbol) -> Self {
        Error::Symbol(e)
    }
}

impl From<LoadError> for Error {
    fn from(e: LoadError) -> Self {
        Error::Load(e)
    }
}

impl Error {
    /// Returns whether the device does not exist, or no device at all.
    ///
    /// ```
    /// use rushlight_hip::Error;
    /// let e = Error::NoDevice { ordinal: 0, count: 0, why: String::new() };
    /// assert!(e.is_no_device());
    /// ```
    pub fn is_no_device(&self) -> bool {
        let codes = NO_DEVICE;
        matches!(self, Error::NoDevice { .. })
            || matches!(self, Error::Hip { code, .. } if codes.contains(code))
    }

    /// Returns whether the device has too little memory for the call.
    pub fn is_out_of_memory(&self) -> bool {
        matches!(
            self,
            Error::Hip { code: hip::hipErrorOutOfMemory | hip::hipErrorRuntimeMemory, .. }
                | Error::Blas { code: rocblas::rocblas_status_memory_error, .. }
                | Error::Miopen { code: miopen::miopenStatusAllocFailed, .. }
        )
    }

    /// Returns whether the GPU is lost for this process: every later call fails too (HIP 7), until the process ends.
    pub fn is_sticky(&self) -> bool {
        matches!(self, Error::Hip { code, .. } if sticky(*code))
    }

    /// Returns the compiler's output, if this is a compiler error.
    pub fn log(&self) -> Option<&str> {
        match self {
            Error::Rtc { log, .. } => Some(log),
            _ => None,
        }
    }

    pub(crate) fn argument(call: &'static str, why: impl Into<String>) -> Self {
        Error::Argument { call, why: why.into() }
    }
}

/// Codes that HIP returns on a machine without a (usable) GPU.
pub(crate) const NO_DEVICE: [u32; 4] = [
    hip::hipErrorNoDevice,
    hip::hipErrorInvalidDevice,
    hip::hipErrorNotInitialized,
    hip::hipErrorInsufficientDriver,
];

/// Returns whether a process cannot use its GPU any more after this code.
pub(crate) fn sticky(code: u32) -> bool {
    matches!(
        code,
        hip::hipErrorIllegalAddress
            | hip::hipErrorAssert
            | hip::hipErrorLaunchFailure
            | hip::hipErrorECCNotCorrectable
    )
}
