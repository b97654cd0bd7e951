//! `libhiprtc`: the compiler. Up to HIP 6 its functions also lie in `libamdhip64`, in HIP 5.2 only there.
use super::hip::constants;
use rushlight_load::symbols;
use std::ffi::{c_char, c_int};

/// The target of a program's handle; never read here.
#[repr(C)]
#[derive(Debug)]
pub struct _hiprtcProgram {
    opaque: [u8; 0],
}
/// A handle, as C's `hiprtcProgram`.
pub type hiprtcProgram = *mut _hiprtcProgram;

constants! {
    /// The result of a call.
    hiprtcResult {
        HIPRTC_SUCCESS = 0,
        HIPRTC_ERROR_OUT_OF_MEMORY = 1,
        HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
        HIPRTC_ERROR_INVALID_INPUT = 3,
        HIPRTC_ERROR_INVALID_PROGRAM = 4,
        HIPRTC_ERROR_INVALID_OPTION = 5,
        HIPRTC_ERROR_COMPILATION = 6,
        HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
        HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
        HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
        HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
        HIPRTC_ERROR_INTERNAL_ERROR = 11,
    }
}

/// Passes the list of functions to another macro.
macro_rules! hiprtc_functions {
    ($go:ident) => { $go! {
        /// The functions of `libhiprtc`.
        HiprtcSymbols;
        "compiling kernels" {
            fn hiprtcVersion(major: *mut c_int, minor: *mut c_int) -> hiprtcResult;
            fn hiprtcCreateProgram(program: *mut hiprtcProgram, source: *const c_char, name: *const c_char, headers: c_int, texts: *mut *const c_char, names: *mut *const c_char) -> hiprtcResult;
            fn hiprtcCompileProgram(program: hiprtcProgram, count: c_int, options: *mut *const c_char) -> hiprtcResult;
            fn hiprtcGetProgramLogSize(program: hiprtcProgram, bytes: *mut usize) -> hiprtcResult;
            fn hiprtcGetProgramLog(program: hiprtcProgram, log: *mut c_char) -> hiprtcResult;
            fn hiprtcGetCodeSize(program: hiprtcProgram, bytes: *mut usize) -> hiprtcResult;
            fn hiprtcGetCode(program: hiprtcProgram, code: *mut c_char) -> hiprtcResult;
            fn hiprtcDestroyProgram(program: *mut hiprtcProgram) -> hiprtcResult;
        }
    } };
}
pub(crate) use hiprtc_functions;
hiprtc_functions!(symbols);

/// Returns the C name of a result.
///
/// ```
/// assert_eq!(rushlight_hip::sys::hiprtc::result_name(6), "HIPRTC_ERROR_COMPILATION");
/// ```
pub fn result_name(code: hiprtcResult) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(_, _, value)| *value == u64::from(code))
        .map_or("an unknown hiprtcResult", |(_, name, _)| name)
}
