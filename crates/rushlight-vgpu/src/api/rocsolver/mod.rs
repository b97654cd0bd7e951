//! rocSOLVER's functions: decompositions with rocBLAS's handles. Arguments are checked as the documentation states: invalid words
//! first, then sizes, then pointers. One triangle is accepted, the lower one.
#![allow(missing_docs, clippy::not_unsafe_ptr_arg_deref)]
mod checked;

use crate::api::blas::gemm::Type;
use crate::api::hip::Ptr;
use crate::api::rocblas::Status;
use checked::{geqrf, gesvd, getrf, heevd, orgqr, potrf};

/// Writes the functions of a decomposition: one for each type, with the same arguments.
macro_rules! functions {
    (@one $check:ident $name:ident $of:ident ($($arg:ident: $t:ty),*) ($($pass:expr),*)) => {
        pub extern "C" fn $name(handle: Ptr, $($arg: $t),*) -> Status {
            $check(stringify!($name), Type::$of, handle, $($pass),*)
        }
    };
    ($check:ident: $($name:ident $of:ident),*; $args:tt => $pass:tt) => {
        $(functions!(@one $check $name $of $args $pass);)*
    };
}

functions! {
    getrf: rocsolver_sgetrf_strided_batched F32, rocsolver_dgetrf_strided_batched F64;
    (m: i32, n: i32, a: Ptr, lda: i32, stride_a: i64, pivots: Ptr, stride_p: i64, info: Ptr, batch: i32)
    => ([m, n], (a, lda, stride_a), (pivots, stride_p), info, batch)
}

functions! {
    potrf: rocsolver_spotrf_strided_batched F32, rocsolver_dpotrf_strided_batched F64;
    (triangle: i32, n: i32, a: Ptr, lda: i32, stride_a: i64, info: Ptr, batch: i32)
    => (triangle, n, (a, lda, stride_a), info, batch)
}

functions! {
    geqrf: rocsolver_sgeqrf_strided_batched F32, rocsolver_dgeqrf_strided_batched F64,
        rocsolver_cgeqrf_strided_batched C32, rocsolver_zgeqrf_strided_batched C64;
    (m: i32, n: i32, a: Ptr, lda: i32, stride_a: i64, tau: Ptr, stride_t: i64, batch: i32)
    => ([m, n], (a, lda, stride_a), (tau, stride_t), batch)
}

functions! {
    orgqr: rocsolver_sorgqr F32, rocsolver_dorgqr F64, rocsolver_cungqr C32, rocsolver_zungqr C64;
    (m: i32, n: i32, k: i32, a: Ptr, lda: i32, tau: Ptr) => ([m, n, k], (a, lda), tau)
}

functions! {
    heevd: rocsolver_ssyevd_strided_batched F32, rocsolver_dsyevd_strided_batched F64,
        rocsolver_cheevd_strided_batched C32, rocsolver_zheevd_strided_batched C64;
    (vectors: i32, triangle: i32, n: i32, a: Ptr, lda: i32, stride_a: i64, values: Ptr, stride_d: i64, beside: Ptr,
     stride_e: i64, info: Ptr, batch: i32)
    => ([vectors, triangle], n, (a, lda, stride_a), (values, stride_d), (beside, stride_e), info, batch)
}

functions! {
    gesvd: rocsolver_sgesvd_strided_batched F32, rocsolver_dgesvd_strided_batched F64,
        rocsolver_cgesvd_strided_batched C32, rocsolver_zgesvd_strided_batched C64;
    (left: i32, right: i32, m: i32, n: i32, a: Ptr, lda: i32, stride_a: i64, values: Ptr, stride_s: i64, u: Ptr, ldu: i32,
     stride_u: i64, v: Ptr, ldv: i32, stride_v: i64, beside: Ptr, stride_e: i64, mode: i32, info: Ptr, batch: i32)
    => ([left, right, mode], [m, n], (a, lda, stride_a), (values, stride_s), [(u, ldu, stride_u), (v, ldv, stride_v)],
        (beside, stride_e), info, batch)
}
