//! `librocsolver`: decompositions of matrices. Its handle and its statuses are rocBLAS's. Constants are valid in rocSOLVER 3.
use super::hip::constants;
use super::rocblas::{rocblas_handle, rocblas_int, rocblas_status, rocblas_stride};
use rushlight_load::symbols;

/// A complex number of two singles; never read here.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_float_complex {
    re: f32,
    im: f32,
}
/// A complex number of two doubles; never read here.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct rocblas_double_complex {
    re: f64,
    im: f64,
}

constants! {
    /// The triangle of a symmetric matrix that is read.
    rocblas_fill {
        rocblas_fill_upper = 121,
        rocblas_fill_lower = 122,
    }
    /// The singular vectors of one side that are computed.
    rocblas_svect {
        rocblas_svect_all = 191,
        rocblas_svect_singular = 192,
        rocblas_svect_none = 194,
    }
    /// Whether memory besides the arguments may be used for speed.
    rocblas_workmode {
        rocblas_outofplace = 201,
        rocblas_inplace = 202,
    }
    /// Whether eigenvectors are computed.
    rocblas_evect {
        rocblas_evect_original = 211,
        rocblas_evect_none = 213,
    }
}

/// Passes the list of functions to another macro.
macro_rules! rocsolver_functions {
    ($go:ident) => { $go! {
        /// The functions of `librocsolver`.
        RocsolverSymbols;
        "LU factorizations" {
            fn rocsolver_sgetrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut f32, lda: rocblas_int, stride_a: rocblas_stride, pivots: *mut rocblas_int, stride_p: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_dgetrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut f64, lda: rocblas_int, stride_a: rocblas_stride, pivots: *mut rocblas_int, stride_p: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
        }
        "Cholesky factorizations" {
            fn rocsolver_spotrf_strided_batched(handle: rocblas_handle, triangle: rocblas_fill, n: rocblas_int, a: *mut f32, lda: rocblas_int, stride_a: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_dpotrf_strided_batched(handle: rocblas_handle, triangle: rocblas_fill, n: rocblas_int, a: *mut f64, lda: rocblas_int, stride_a: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
        }
        "QR factorizations" {
            fn rocsolver_sgeqrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut f32, lda: rocblas_int, stride_a: rocblas_stride, tau: *mut f32, stride_t: rocblas_stride, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_dgeqrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut f64, lda: rocblas_int, stride_a: rocblas_stride, tau: *mut f64, stride_t: rocblas_stride, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_cgeqrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut rocblas_float_complex, lda: rocblas_int, stride_a: rocblas_stride, tau: *mut rocblas_float_complex, stride_t: rocblas_stride, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_zgeqrf_strided_batched(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, a: *mut rocblas_double_complex, lda: rocblas_int, stride_a: rocblas_stride, tau: *mut rocblas_double_complex, stride_t: rocblas_stride, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_sorgqr(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, k: rocblas_int, a: *mut f32, lda: rocblas_int, tau: *mut f32) -> rocblas_status;
            fn rocsolver_dorgqr(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, k: rocblas_int, a: *mut f64, lda: rocblas_int, tau: *mut f64) -> rocblas_status;
            fn rocsolver_cungqr(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, k: rocblas_int, a: *mut rocblas_float_complex, lda: rocblas_int, tau: *mut rocblas_float_complex) -> rocblas_status;
            fn rocsolver_zungqr(handle: rocblas_handle, m: rocblas_int, n: rocblas_int, k: rocblas_int, a: *mut rocblas_double_complex, lda: rocblas_int, tau: *mut rocblas_double_complex) -> rocblas_status;
        }
        "eigenvalues" {
            fn rocsolver_ssyevd_strided_batched(handle: rocblas_handle, vectors: rocblas_evect, triangle: rocblas_fill, n: rocblas_int, a: *mut f32, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f32, stride_d: rocblas_stride, beside: *mut f32, stride_e: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_dsyevd_strided_batched(handle: rocblas_handle, vectors: rocblas_evect, triangle: rocblas_fill, n: rocblas_int, a: *mut f64, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f64, stride_d: rocblas_stride, beside: *mut f64, stride_e: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_cheevd_strided_batched(handle: rocblas_handle, vectors: rocblas_evect, triangle: rocblas_fill, n: rocblas_int, a: *mut rocblas_float_complex, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f32, stride_d: rocblas_stride, beside: *mut f32, stride_e: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_zheevd_strided_batched(handle: rocblas_handle, vectors: rocblas_evect, triangle: rocblas_fill, n: rocblas_int, a: *mut rocblas_double_complex, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f64, stride_d: rocblas_stride, beside: *mut f64, stride_e: rocblas_stride, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
        }
        "singular values" {
            fn rocsolver_sgesvd_strided_batched(handle: rocblas_handle, left: rocblas_svect, right: rocblas_svect, m: rocblas_int, n: rocblas_int, a: *mut f32, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f32, stride_s: rocblas_stride, u: *mut f32, ldu: rocblas_int, stride_u: rocblas_stride, v: *mut f32, ldv: rocblas_int, stride_v: rocblas_stride, beside: *mut f32, stride_e: rocblas_stride, mode: rocblas_workmode, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_dgesvd_strided_batched(handle: rocblas_handle, left: rocblas_svect, right: rocblas_svect, m: rocblas_int, n: rocblas_int, a: *mut f64, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f64, stride_s: rocblas_stride, u: *mut f64, ldu: rocblas_int, stride_u: rocblas_stride, v: *mut f64, ldv: rocblas_int, stride_v: rocblas_stride, beside: *mut f64, stride_e: rocblas_stride, mode: rocblas_workmode, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_cgesvd_strided_batched(handle: rocblas_handle, left: rocblas_svect, right: rocblas_svect, m: rocblas_int, n: rocblas_int, a: *mut rocblas_float_complex, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f32, stride_s: rocblas_stride, u: *mut rocblas_float_complex, ldu: rocblas_int, stride_u: rocblas_stride, v: *mut rocblas_float_complex, ldv: rocblas_int, stride_v: rocblas_stride, beside: *mut f32, stride_e: rocblas_stride, mode: rocblas_workmode, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
            fn rocsolver_zgesvd_strided_batched(handle: rocblas_handle, left: rocblas_svect, right: rocblas_svect, m: rocblas_int, n: rocblas_int, a: *mut rocblas_double_complex, lda: rocblas_int, stride_a: rocblas_stride, values: *mut f64, stride_s: rocblas_stride, u: *mut rocblas_double_complex, ldu: rocblas_int, stride_u: rocblas_stride, v: *mut rocblas_double_complex, ldv: rocblas_int, stride_v: rocblas_stride, beside: *mut f64, stride_e: rocblas_stride, mode: rocblas_workmode, info: *mut rocblas_int, batch: rocblas_int) -> rocblas_status;
        }
    } };
}
pub(crate) use rocsolver_functions;
rocsolver_functions!(symbols);
