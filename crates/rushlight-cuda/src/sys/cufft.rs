//! The functions of `libcufft`.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_int, c_longlong, c_void};

/// Passes the list of functions to another macro.
macro_rules! cufft_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcufft`.
        CufftSymbols;
        "Fourier transforms" {
            fn cufftGetVersion(version: *mut c_int) -> cufftResult;
            fn cufftCreate(plan: *mut cufftHandle) -> cufftResult;
            fn cufftDestroy(plan: cufftHandle) -> cufftResult;
            fn cufftSetAutoAllocation(plan: cufftHandle, allocates: c_int) -> cufftResult;
            fn cufftMakePlanMany64(plan: cufftHandle, rank: c_int, lengths: *mut c_longlong, in_embed: *mut c_longlong, in_stride: c_longlong, in_distance: c_longlong, out_embed: *mut c_longlong, out_stride: c_longlong, out_distance: c_longlong, kind: cufftType, batch: c_longlong, workspace: *mut usize) -> cufftResult;
            fn cufftSetWorkArea(plan: cufftHandle, at: *mut c_void) -> cufftResult;
            fn cufftSetStream(plan: cufftHandle, stream: cudaStream_t) -> cufftResult;
            fn cufftExecC2C(plan: cufftHandle, input: *mut cufftComplex, output: *mut cufftComplex, direction: c_int) -> cufftResult;
            fn cufftExecZ2Z(plan: cufftHandle, input: *mut cufftDoubleComplex, output: *mut cufftDoubleComplex, direction: c_int) -> cufftResult;
        }
    } };
}
pub(crate) use cufft_functions;
cufft_functions!(symbols);
