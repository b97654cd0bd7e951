//! rocSOLVER's functions: decompositions with rocBLAS's handles. Arguments are checked as the documentation states: invalid words
//! first, then sizes, then pointers. One triangle is accepted, the lower one.
#![allow(missing_docs, clippy::not_unsafe_ptr_arg_deref)]
mod checked;

use crate::api::blas::gemm::Type;
use crate::api::hip::Ptr;
use crate::api::rocblas::Status;
use checked::{geqrf, gesvd, getrf, heevd, orgqr, potrf};

pub extern "C" fn rocsolver_sgetrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    pivots: Ptr,
    stride_p: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    getrf(
        "rocsolver_sgetrf_strided_batched",
        Type::F32,
        handle,
        [m, n],
        (a, lda, stride_a),
        (pivots, stride_p),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_spotrf_strided_batched(
    handle: Ptr,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    potrf("rocsolver_spotrf_strided_batched", Type::F32, handle, triangle, n, (a, lda, stride_a), info, batch)
}

pub extern "C" fn rocsolver_dgetrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    pivots: Ptr,
    stride_p: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    getrf(
        "rocsolver_dgetrf_strided_batched",
        Type::F64,
        handle,
        [m, n],
        (a, lda, stride_a),
        (pivots, stride_p),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_dpotrf_strided_batched(
    handle: Ptr,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    potrf("rocsolver_dpotrf_strided_batched", Type::F64, handle, triangle, n, (a, lda, stride_a), info, batch)
}

pub extern "C" fn rocsolver_sgeqrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    tau: Ptr,
    stride_t: i64,
    batch: i32,
) -> Status {
    geqrf(
        "rocsolver_sgeqrf_strided_batched",
        Type::F32,
        handle,
        [m, n],
        (a, lda, stride_a),
        (tau, stride_t),
        batch,
    )
}

pub extern "C" fn rocsolver_sorgqr(
    handle: Ptr,
    m: i32,
    n: i32,
    k: i32,
    a: Ptr,
    lda: i32,
    tau: Ptr,
) -> Status {
    orgqr("rocsolver_sorgqr", Type::F32, handle, [m, n, k], (a, lda), tau)
}

pub extern "C" fn rocsolver_ssyevd_strided_batched(
    handle: Ptr,
    vectors: i32,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_d: i64,
    beside: Ptr,
    stride_e: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    heevd(
        "rocsolver_ssyevd_strided_batched",
        Type::F32,
        handle,
        [vectors, triangle],
        n,
        (a, lda, stride_a),
        (values, stride_d),
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_sgesvd_strided_batched(
    handle: Ptr,
    left: i32,
    right: i32,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_s: i64,
    u: Ptr,
    ldu: i32,
    stride_u: i64,
    v: Ptr,
    ldv: i32,
    stride_v: i64,
    beside: Ptr,
    stride_e: i64,
    mode: i32,
    info: Ptr,
    batch: i32,
) -> Status {
    gesvd(
        "rocsolver_sgesvd_strided_batched",
        Type::F32,
        handle,
        [left, right, mode],
        [m, n],
        (a, lda, stride_a),
        (values, stride_s),
        [(u, ldu, stride_u), (v, ldv, stride_v)],
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_dgeqrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    tau: Ptr,
    stride_t: i64,
    batch: i32,
) -> Status {
    geqrf(
        "rocsolver_dgeqrf_strided_batched",
        Type::F64,
        handle,
        [m, n],
        (a, lda, stride_a),
        (tau, stride_t),
        batch,
    )
}

pub extern "C" fn rocsolver_dorgqr(
    handle: Ptr,
    m: i32,
    n: i32,
    k: i32,
    a: Ptr,
    lda: i32,
    tau: Ptr,
) -> Status {
    orgqr("rocsolver_dorgqr", Type::F64, handle, [m, n, k], (a, lda), tau)
}

pub extern "C" fn rocsolver_dsyevd_strided_batched(
    handle: Ptr,
    vectors: i32,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_d: i64,
    beside: Ptr,
    stride_e: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    heevd(
        "rocsolver_dsyevd_strided_batched",
        Type::F64,
        handle,
        [vectors, triangle],
        n,
        (a, lda, stride_a),
        (values, stride_d),
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_dgesvd_strided_batched(
    handle: Ptr,
    left: i32,
    right: i32,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_s: i64,
    u: Ptr,
    ldu: i32,
    stride_u: i64,
    v: Ptr,
    ldv: i32,
    stride_v: i64,
    beside: Ptr,
    stride_e: i64,
    mode: i32,
    info: Ptr,
    batch: i32,
) -> Status {
    gesvd(
        "rocsolver_dgesvd_strided_batched",
        Type::F64,
        handle,
        [left, right, mode],
        [m, n],
        (a, lda, stride_a),
        (values, stride_s),
        [(u, ldu, stride_u), (v, ldv, stride_v)],
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_cgeqrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    tau: Ptr,
    stride_t: i64,
    batch: i32,
) -> Status {
    geqrf(
        "rocsolver_cgeqrf_strided_batched",
        Type::C32,
        handle,
        [m, n],
        (a, lda, stride_a),
        (tau, stride_t),
        batch,
    )
}

pub extern "C" fn rocsolver_cungqr(
    handle: Ptr,
    m: i32,
    n: i32,
    k: i32,
    a: Ptr,
    lda: i32,
    tau: Ptr,
) -> Status {
    orgqr("rocsolver_cungqr", Type::C32, handle, [m, n, k], (a, lda), tau)
}

pub extern "C" fn rocsolver_cheevd_strided_batched(
    handle: Ptr,
    vectors: i32,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_d: i64,
    beside: Ptr,
    stride_e: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    heevd(
        "rocsolver_cheevd_strided_batched",
        Type::C32,
        handle,
        [vectors, triangle],
        n,
        (a, lda, stride_a),
        (values, stride_d),
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_cgesvd_strided_batched(
    handle: Ptr,
    left: i32,
    right: i32,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_s: i64,
    u: Ptr,
    ldu: i32,
    stride_u: i64,
    v: Ptr,
    ldv: i32,
    stride_v: i64,
    beside: Ptr,
    stride_e: i64,
    mode: i32,
    info: Ptr,
    batch: i32,
) -> Status {
    gesvd(
        "rocsolver_cgesvd_strided_batched",
        Type::C32,
        handle,
        [left, right, mode],
        [m, n],
        (a, lda, stride_a),
        (values, stride_s),
        [(u, ldu, stride_u), (v, ldv, stride_v)],
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_zgeqrf_strided_batched(
    handle: Ptr,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    tau: Ptr,
    stride_t: i64,
    batch: i32,
) -> Status {
    geqrf(
        "rocsolver_zgeqrf_strided_batched",
        Type::C64,
        handle,
        [m, n],
        (a, lda, stride_a),
        (tau, stride_t),
        batch,
    )
}

pub extern "C" fn rocsolver_zungqr(
    handle: Ptr,
    m: i32,
    n: i32,
    k: i32,
    a: Ptr,
    lda: i32,
    tau: Ptr,
) -> Status {
    orgqr("rocsolver_zungqr", Type::C64, handle, [m, n, k], (a, lda), tau)
}

pub extern "C" fn rocsolver_zheevd_strided_batched(
    handle: Ptr,
    vectors: i32,
    triangle: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_d: i64,
    beside: Ptr,
    stride_e: i64,
    info: Ptr,
    batch: i32,
) -> Status {
    heevd(
        "rocsolver_zheevd_strided_batched",
        Type::C64,
        handle,
        [vectors, triangle],
        n,
        (a, lda, stride_a),
        (values, stride_d),
        (beside, stride_e),
        info,
        batch,
    )
}

pub extern "C" fn rocsolver_zgesvd_strided_batched(
    handle: Ptr,
    left: i32,
    right: i32,
    m: i32,
    n: i32,
    a: Ptr,
    lda: i32,
    stride_a: i64,
    values: Ptr,
    stride_s: i64,
    u: Ptr,
    ldu: i32,
    stride_u: i64,
    v: Ptr,
    ldv: i32,
    stride_v: i64,
    beside: Ptr,
    stride_e: i64,
    mode: i32,
    info: Ptr,
    batch: i32,
) -> Status {
    gesvd(
        "rocsolver_zgesvd_strided_batched",
        Type::C64,
        handle,
        [left, right, mode],
        [m, n],
        (a, lda, stride_a),
        (values, stride_s),
        [(u, ldu, stride_u), (v, ldv, stride_v)],
        (beside, stride_e),
        info,
        batch,
    )
}
