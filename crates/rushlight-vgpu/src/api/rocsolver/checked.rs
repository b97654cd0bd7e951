//! The checks of rocSOLVER's functions, for all types: invalid words first, then sizes, then pointers.
use crate::api::blas::gemm::{Matrix, Type};
use crate::api::hip::Ptr;
use crate::api::rocblas::{
    INTERNAL, INVALID_POINTER, INVALID_SIZE, INVALID_VALUE, MEMORY, NOT_IMPLEMENTED, Status, demand_kernels,
    status, with,
};
use crate::api::solver::{Call, Job, Vector, fails_now};
use crate::support::config;

/// Address, leading dimension and stride of matrices; address and stride of vectors.
pub(super) type Matrices = (Ptr, i32, i64);
pub(super) type Vectors = (Ptr, i64);

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

pub(super) fn getrf(
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

pub(super) fn potrf(
    name: &str,
    of: Type,
    handle: Ptr,
    word: i32,
    n: i32,
    a: Matrices,
    info: Ptr,
    batch: i32,
) -> Status {
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

pub(super) fn geqrf(
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

pub(super) fn orgqr(
    name: &str,
    of: Type,
    handle: Ptr,
    [m, n, k]: [i32; 3],
    a: (Ptr, i32),
    tau: Ptr,
) -> Status {
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

pub(super) fn heevd(
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
pub(super) fn gesvd(
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
