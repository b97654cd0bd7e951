//! The functions of `libnvrtc`.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_char, c_int};

/// Passes the list of functions to another macro.
macro_rules! nvrtc_functions {
    ($go:ident) => { $go! {
        /// The functions of `libnvrtc`.
        NvrtcSymbols;
        "compiling kernels" {
            fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> nvrtcResult;
            fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> nvrtcResult;
            fn nvrtcGetSupportedArchs(archs: *mut c_int) -> nvrtcResult;
            fn nvrtcCreateProgram(program: *mut nvrtcProgram, source: *const c_char, name: *const c_char, headers: c_int, texts: *const *const c_char, names: *const *const c_char) -> nvrtcResult;
            fn nvrtcCompileProgram(program: nvrtcProgram, count: c_int, options: *const *const c_char) -> nvrtcResult;
            fn nvrtcGetProgramLogSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetProgramLog(program: nvrtcProgram, log: *mut c_char) -> nvrtcResult;
            fn nvrtcGetCUBINSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetCUBIN(program: nvrtcProgram, code: *mut c_char) -> nvrtcResult;
            fn nvrtcGetPTXSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetPTX(program: nvrtcProgram, code: *mut c_char) -> nvrtcResult;
            fn nvrtcDestroyProgram(program: *mut nvrtcProgram) -> nvrtcResult;
        }
    } };
}
pub(crate) use nvrtc_functions;
nvrtc_functions!(symbols);
