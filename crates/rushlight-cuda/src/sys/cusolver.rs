//! The functions of `libcusolver` for dense matrices.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_int, c_schar, c_void};

/// A complex number of two singles; never read here.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct cuComplex {
    x: f32,
    y: f32,
}
/// A complex number of two doubles; never read here.
#[repr(C, align(16))]
#[derive(Clone, Copy, Debug)]
pub struct cuDoubleComplex {
    x: f64,
    y: f64,
}

/// Passes the list of functions to another macro.
macro_rules! cusolver_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcusolver`.
        CusolverSymbols;
        "decompositions of matrices" {
            fn cusolverDnCreate(handle: *mut cusolverDnHandle_t) -> cusolverStatus_t;
            fn cusolverDnDestroy(handle: cusolverDnHandle_t) -> cusolverStatus_t;
            fn cusolverDnSetStream(handle: cusolverDnHandle_t, stream: cudaStream_t) -> cusolverStatus_t;
            fn cusolverDnCreateParams(params: *mut cusolverDnParams_t) -> cusolverStatus_t;
            fn cusolverDnDestroyParams(params: cusolverDnParams_t) -> cusolverStatus_t;
        }
        "LU factorizations" {
            fn cusolverDnXgetrf_bufferSize(handle: cusolverDnHandle_t, params: cusolverDnParams_t, m: i64, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64, compute: cudaDataType, device_bytes: *mut usize, host_bytes: *mut usize) -> cusolverStatus_t;
            fn cusolverDnXgetrf(handle: cusolverDnHandle_t, params: cusolverDnParams_t, m: i64, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, pivots: *mut i64, compute: cudaDataType, device_space: *mut c_void, device_bytes: usize, host_space: *mut c_void, host_bytes: usize, info: *mut c_int) -> cusolverStatus_t;
        }
        "Cholesky factorizations" {
            fn cusolverDnXpotrf_bufferSize(handle: cusolverDnHandle_t, params: cusolverDnParams_t, triangle: cublasFillMode_t, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64, compute: cudaDataType, device_bytes: *mut usize, host_bytes: *mut usize) -> cusolverStatus_t;
            fn cusolverDnXpotrf(handle: cusolverDnHandle_t, params: cusolverDnParams_t, triangle: cublasFillMode_t, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, compute: cudaDataType, device_space: *mut c_void, device_bytes: usize, host_space: *mut c_void, host_bytes: usize, info: *mut c_int) -> cusolverStatus_t;
        }
        "QR factorizations" {
            fn cusolverDnXgeqrf_bufferSize(handle: cusolverDnHandle_t, params: cusolverDnParams_t, m: i64, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64, tau_type: cudaDataType, tau: *const c_void, compute: cudaDataType, device_bytes: *mut usize, host_bytes: *mut usize) -> cusolverStatus_t;
            fn cusolverDnXgeqrf(handle: cusolverDnHandle_t, params: cusolverDnParams_t, m: i64, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, tau_type: cudaDataType, tau: *mut c_void, compute: cudaDataType, device_space: *mut c_void, device_bytes: usize, host_space: *mut c_void, host_bytes: usize, info: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnSorgqr_bufferSize(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *const f32, lda: c_int, tau: *const f32, length: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnSorgqr(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *mut f32, lda: c_int, tau: *const f32, space: *mut f32, length: c_int, info: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnDorgqr_bufferSize(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *const f64, lda: c_int, tau: *const f64, length: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnDorgqr(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *mut f64, lda: c_int, tau: *const f64, space: *mut f64, length: c_int, info: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnCungqr_bufferSize(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *const cuComplex, lda: c_int, tau: *const cuComplex, length: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnCungqr(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *mut cuComplex, lda: c_int, tau: *const cuComplex, space: *mut cuComplex, length: c_int, info: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnZungqr_bufferSize(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *const cuDoubleComplex, lda: c_int, tau: *const cuDoubleComplex, length: *mut c_int) -> cusolverStatus_t;
            fn cusolverDnZungqr(handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *mut cuDoubleComplex, lda: c_int, tau: *const cuDoubleComplex, space: *mut cuDoubleComplex, length: c_int, info: *mut c_int) -> cusolverStatus_t;
        }
        "eigenvalues" {
            fn cusolverDnXsyevd_bufferSize(handle: cusolverDnHandle_t, params: cusolverDnParams_t, mode: cusolverEigMode_t, triangle: cublasFillMode_t, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64, values_type: cudaDataType, values: *const c_void, compute: cudaDataType, device_bytes: *mut usize, host_bytes: *mut usize) -> cusolverStatus_t;
            fn cusolverDnXsyevd(handle: cusolverDnHandle_t, params: cusolverDnParams_t, mode: cusolverEigMode_t, triangle: cublasFillMode_t, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, values_type: cudaDataType, values: *mut c_void, compute: cudaDataType, device_space: *mut c_void, device_bytes: usize, host_space: *mut c_void, host_bytes: usize, info: *mut c_int) -> cusolverStatus_t;
        }
        "singular values" {
            fn cusolverDnXgesvd_bufferSize(handle: cusolverDnHandle_t, params: cusolverDnParams_t, job_u: c_schar, job_v: c_schar, m: i64, n: i64, a_type: cudaDataType, a: *const c_void, lda: i64, values_type: cudaDataType, values: *const c_void, u_type: cudaDataType, u: *const c_void, ldu: i64, v_type: cudaDataType, v: *const c_void, ldv: i64, compute: cudaDataType, device_bytes: *mut usize, host_bytes: *mut usize) -> cusolverStatus_t;
            fn cusolverDnXgesvd(handle: cusolverDnHandle_t, params: cusolverDnParams_t, job_u: c_schar, job_v: c_schar, m: i64, n: i64, a_type: cudaDataType, a: *mut c_void, lda: i64, values_type: cudaDataType, values: *mut c_void, u_type: cudaDataType, u: *mut c_void, ldu: i64, v_type: cudaDataType, v: *mut c_void, ldv: i64, compute: cudaDataType, device_space: *mut c_void, device_bytes: usize, host_space: *mut c_void, host_bytes: usize, info: *mut c_int) -> cusolverStatus_t;
        }
    } };
}
pub(crate) use cusolver_functions;
cusolver_functions!(symbols);
