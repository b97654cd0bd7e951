//! rocSOLVER's functions: decompositions with rocBLAS's handles. Arguments are checked as the documentation states: invalid words
//! first, then sizes, then pointers. One triangle is accepted, the lower one.
#![allow(missing_docs, clippy::not_unsafe_ptr_arg_deref)]
use crate::api::blas::gemm::{Matrix, Type};
use crate::api::hip::Ptr;
use crate::api::rocblas::{
    INTERNAL, INVALID_POINTER, INVALID_SIZE, INVALID_VALUE, MEMORY, NOT_IMPLEMENTED, Status, demand_kernels,
    status, with,
};
use crate::api::solver::{Call, Job, Vector, fails_now};
use crate::support::config;

/// Address, leading dimension and stride of matrices; address and stride of vectors.
type Matrices = (Ptr, i32, i64);
type Vectors = (Ptr, i64);

const UPPER: i32 = 121;
const LOWER: i32 = 122;

fn matrix((at, ld, stride): Matrices, rows: i32, cols: i32) -> Matrix {
    Matrix { at: at as usize, rows: rows as usize, cols: cols as usize, ld: ld as usize, stride }
}

fn vector((at, stride): Vectors, count: i32) -> Vector {
    Vector { at: at as usize, count: count as usize, stride }
}

/// Returns the first error of a call's checks: of words, of sizes, of pointers, in this order.
fn first(words: bool, sizes: bool, pointers: bool) -> Result<(), Status> {
    match (words, sizes, pointers) {
        (true, ..) => Err(INVALID_VALUE),
        (_, true, _) => Err(INVALID_SIZE),
        (.., true) => Err(INVALID_POINTER),
        _ => Ok(()),
    }
}

/// Runs a call whose arguments are valid; nothing is done for matrices without elements but that info words become 0.
fn go(name: &str, handle: Ptr, check: Result<(), Status>, call: impl FnOnce() -> Call) -> Status {
    with(name, handle, |gpu, h| {
        check?;
        let call = call();
        if call.batch == 0 {
            return Ok(());
        }
        if config::get().faults.solver_no_memory {
            return Err(MEMORY);
        }
        demand_kernels();
        if fails_now() {
            return Err(INTERNAL);
        }
        call.issue(gpu, "rocSOLVER", h.stream).map_err(status)
    })
}

fn getrf(
    name: &str,
    of: Type,
    handle: Ptr,
    [m, n]: [i32; 2],
    a: Matrices,
    pivots: Vectors,
    info: Ptr,
    batch: i32,
) -> Status {
    let sizes = m < 0 || n < 0 || a.1 < m || batch < 0;
    let some = m > 0 && n > 0;
    let pointers = (some && (a.0.is_null() || pivots.0.is_null())) || (batch > 0 && info.is_null());
    go(name, handle, first(false, sizes, pointers), || Call {
        of,
        a: matrix(a, m, n),
        batch: batch as usize,
        job: Job::Lu(vector(pivots, m.min(n)), 4),
        info: info as usize,
        space: (0, 0),
        beside: None,
    })
}

/// Returns the error of a triangle.
fn triangle(word: i32) -> (bool, bool) {
    (![UPPER, LOWER].contains(&word), word == UPPER)
}

fn potrf(name: &str, of: Type, handle: Ptr, word: i32, n: i32, a: Matrices, info: Ptr, batch: i32) -> Status {
    let (words, upper) = triangle(word);
    let sizes = n < 0 || a.1 < n || batch < 0;
    let pointers = (n > 0 && a.0.is_null()) || (batch > 0 && info.is_null());
    let check = first(words, sizes, pointers).and(if upper { Err(NOT_IMPLEMENTED) } else { Ok(()) });
    go(name, handle, check, || Call {
        of,
        a: matrix(a, n, n),
        batch: batch as usize,
        job: Job::Cholesky,
        info: info as usize,
        space: (0, 0),
        beside: None,
    })
}

fn geqrf(
    name: &str,
    of: Type,
    handle: Ptr,
    [m, n]: [i32; 2],
    a: Matrices,
    tau: Vectors,
    batch: i32,
) -> Status {
    let sizes = m < 0 || n < 0 || a.1 < m || batch < 0;
    let some = m > 0 && n > 0;
    let check = first(false, sizes, some && (a.0.is_null() || tau.0.is_null()));
    go(name, handle, check, || Call {
        of,
        a: matrix(a, m, n),
        batch: if some { batch as usize } else { 0 },
        job: Job::Qr(vector(tau, m.min(n))),
        info: 0,
        space: (0, 0),
        beside: None,
    })
}

fn orgqr(name: &str, of: Type, handle: Ptr, [m, n, k]: [i32; 3], a: (Ptr, i32), tau: Ptr) -> Status {
    let sizes = m < 0 || n < 0 || k < 0 || n > m || k > n || a.1 < m;
    let pointers = (m > 0 && n > 0 && a.0.is_null()) || (k > 0 && tau.is_null());
    go(name, handle, first(false, sizes, pointers), || Call {
        of,
        a: matrix((a.0, a.1, 0), m, n),
        batch: usize::from(m > 0 && n > 0),
        job: Job::Product(vector((tau, 0), k), k as usize),
        info: 0,
        space: (0, 0),
        beside: None,
    })
}

const ORIGINAL: i32 = 211;
const NO_VECTORS: i32 = 213;

fn heevd(
    name: &str,
    of: Type,
    handle: Ptr,
    [vectors, word]: [i32; 2],
    n: i32,
    a: Matrices,
    values: Vectors,
    beside: Vectors,
    info: Ptr,
    batch: i32,
) -> Status {
    let (words, upper) = triangle(word);
    let sizes = n < 0 || a.1 < n || batch < 0;
    let missing = a.0.is_null() || values.0.is_null() || beside.0.is_null();
    let pointers = (n > 0 && missing) || (batch > 0 && info.is_null());
    let check = first(words || ![ORIGINAL, NO_VECTORS].contains(&vectors), sizes, pointers).and(if upper {
        Err(NOT_IMPLEMENTED)
    } else {
        Ok(())
    });
    go(name, handle, check, || Call {
        of,
        a: matrix(a, n, n),
        batch: batch as usize,
        job: Job::Eigh(vector(values, n), vectors == ORIGINAL),
        info: info as usize,
        space: (0, 0),
        beside: Some(vector(beside, n)),
    })
}

const ALL: i32 = 191;
const SINGULAR: i32 = 192;
const NONE: i32 = 194;

/// `words` are those of U, of V and of the memory to use. Factors that replace the matrix are not implemented.
fn gesvd(
    name: &str,
    of: Type,
    handle: Ptr,
    [left, right, mode]: [i32; 3],
    [m, n]: [i32; 2],
    a: Matrices,
    values: Vectors,
    [u, v]: [Matrices; 2],
    beside: Vectors,
    info: Ptr,
    batch: i32,
) -> Status {
    let known = |word: i32| (ALL..=NONE).contains(&word);
    let words = !known(left) || !known(right) || !(201..=202).contains(&mode);
    let k = m.min(n);
    let least_u = if [ALL, SINGULAR].contains(&left) { m } else { 1 };
    let least_v = match right {
        ALL => n,
        SINGULAR => k,
        _ => 1,
    };
    let sizes = m < 0 || n < 0 || a.1 < m || batch < 0 || u.1 < least_u.max(1) || v.1 < least_v.max(1);
    let some = m > 0 && n > 0;
    let missing = a.0.is_null() || values.0.is_null() || (k > 1 && beside.0.is_null());
    let factor = |word: i32, x: Matrices| [ALL, SINGULAR].contains(&word) && x.0.is_null();
    let pointers = some && (missing || factor(left, u) || factor(right, v)) || (batch > 0 && info.is_null());
    let overwrites = ![ALL, SINGULAR, NONE].contains(&left) || ![ALL, SINGULAR, NONE].contains(&right);
    let check = first(words, sizes, pointers).and(if overwrites { Err(NOT_IMPLEMENTED) } else { Ok(()) });
    go(name, handle, check, || Call {
        of,
        a: matrix(a, m, n),
        batch: batch as usize,
        job: Job::Svd(
            vector(values, k),
            (left != NONE).then(|| matrix(u, m, if left == ALL { m } else { k })),
            (right != NONE).then(|| matrix(v, if right == ALL { n } else { k }, n)),
        ),
        info: info as usize,
        space: (0, 0),
        beside: Some(vector(beside, (k - 1).max(0))),
    })
}

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
