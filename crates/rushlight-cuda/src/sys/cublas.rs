//! The functions of `libcublas`.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_int, c_longlong, c_void};

/// Passes the list of functions to another macro.
macro_rules! cublas_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcublas`.
        CublasSymbols;
        "matrix products" {
            fn cublasCreate_v2(handle: *mut cublasHandle_t) -> cublasStatus_t;
            fn cublasDestroy_v2(handle: cublasHandle_t) -> cublasStatus_t;
            fn cublasSetStream_v2(handle: cublasHandle_t, stream: cudaStream_t) -> cublasStatus_t;
            fn cublasSetMathMode(handle: cublasHandle_t, mode: cublasMath_t) -> cublasStatus_t;
            fn cublasGemmStridedBatchedEx(handle: cublasHandle_t, trans_a: cublasOperation_t, trans_b: cublasOperation_t, m: c_int, n: c_int, k: c_int, alpha: *const c_void, a: *const c_void, a_type: cudaDataType, lda: c_int, stride_a: c_longlong, b: *const c_void, b_type: cudaDataType, ldb: c_int, stride_b: c_longlong, beta: *const c_void, c: *mut c_void, c_type: cudaDataType, ldc: c_int, stride_c: c_longlong, batch: c_int, compute: cublasComputeType_t, algorithm: cublasGemmAlgo_t) -> cublasStatus_t;
        }
    } };
}
pub(crate) use cublas_functions;
cublas_functions!(symbols);
