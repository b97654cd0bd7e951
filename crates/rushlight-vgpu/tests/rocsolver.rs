//! rocSOLVER: results, the order of its checks, and additional checks.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::rocblas::*;
use rushlight_vgpu::rocsolver::*;

fn handle() -> Ptr {
    let mut h: Ptr = std::ptr::null_mut();
    assert_eq!(rocblas_create_handle(Out::to(&mut h)), 0);
    h
}

fn p(at: u64) -> Ptr {
    at as Ptr
}

const LOWER: i32 = 122;
/// Statuses.
const NOT_IMPLEMENTED: i32 = 2;
const POINTER: i32 = 3;
const SIZE: i32 = 4;
const VALUE: i32 = 11;

#[test]
fn factorizations() {
    let h = handle();
    // Computed by hand: columns (2, 4), (1, 5); the rows are exchanged; L is .5, U is 4, 5, -1.5. The second matrix is singular.
    let a = upload(&[2f64, 4.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0]);
    let (pivots, info) = (upload(&[0i32; 4]), upload(&[9i32; 2]));
    assert_eq!(rocsolver_dgetrf_strided_batched(h, 2, 2, p(a), 2, 4, p(pivots), 2, p(info), 2), 0);
    assert_eq!(download::<f64>(a, 8), [4.0, 0.5, 5.0, -1.5, 1.0, 1.0, 1.0, 0.0]);
    assert_eq!((download::<i32>(pivots, 4), download::<i32>(info, 2)), (vec![2, 2, 1, 2], vec![0, 2]));
    // The upper triangle stays.
    let a = upload(&[4f32, 2.0, 7.0, 10.0, -1.0, 0.0, 0.0, 1.0]);
    assert_eq!(rocsolver_spotrf_strided_batched(h, LOWER, 2, p(a), 2, 4, p(info), 2), 0);
    assert_eq!(download::<f32>(a, 4), [2.0, 1.0, 7.0, 3.0]);
    assert_eq!(download::<i32>(info, 2), [0, 1]);
    // The column (3, 4i): R is -5, and Q the negative column over 5.
    let (a, tau) = (upload(&[3f32, 0.0, 0.0, 4.0]), upload(&[0f32; 2]));
    assert_eq!(rocsolver_cgeqrf_strided_batched(h, 2, 1, p(a), 2, 2, p(tau), 1, 1), 0);
    assert_eq!(download::<f32>(a, 2), [-5.0, 0.0]);
    assert_eq!(rocsolver_cungqr(h, 2, 1, 1, p(a), 2, p(tau)), 0);
    let q = download::<f32>(a, 4);
    assert!(q.iter().zip([-0.6, 0.0, 0.0, -0.8]).all(|(x, y)| (x - y).abs() < 1e-6), "{q:?}");
}

#[test]
fn eigenvalues_and_singular_values() {
    let h = handle();
    let (values, beside, info) = (upload(&[0f64; 2]), upload(&[0f64; 2]), upload(&[9i32]));
    // [2 -i; i 2], of which the lower triangle is read: 1 and 3.
    let a = upload(&[2f64, 0.0, 0.0, 1.0, 7.0, 7.0, 2.0, 0.0]);
    let run = |vectors, a| {
        rocsolver_zheevd_strided_batched(
            h,
            vectors,
            LOWER,
            2,
            p(a),
            2,
            4,
            p(values),
            2,
            p(beside),
            2,
            p(info),
            1,
        )
    };
    assert_eq!(run(211, a), 0);
    let found = download::<f64>(values, 2);
    assert!((found[0] - 1.0).abs() < 1e-14 && (found[1] - 3.0).abs() < 1e-14, "{found:?}");
    assert_eq!(download::<i32>(info, 1), [0]);
    let v = download::<f64>(a, 8);
    assert!(
        v.iter()
            .step_by(2)
            .zip(v.iter().skip(1).step_by(2))
            .all(|(x, y)| (x.hypot(*y) - 0.5f64.sqrt()).abs() < 1e-14)
    );
    // Without vectors the matrix is destroyed.
    assert_eq!(run(213, a), 0);
    assert!(download::<f64>(a, 8)[0].is_nan());
    // [0 2; -3 0; 0 0] has the values 3 and 2.
    let a = upload(&[0f64, -3.0, 0.0, 2.0, 0.0, 0.0]);
    let (u, v) = (upload(&[0f64; 9]), upload(&[0f64; 4]));
    let svd = |left, right, a| {
        rocsolver_dgesvd_strided_batched(
            h,
            left,
            right,
            3,
            2,
            p(a),
            3,
            6,
            p(values),
            2,
            p(u),
            3,
            9,
            p(v),
            2,
            4,
            p(beside),
            2,
            201,
            p(info),
            1,
        )
    };
    assert_eq!(svd(191, 192, a), 0);
    assert_eq!(download::<f64>(values, 2), [3.0, 2.0]);
    let (u, v) = (download::<f64>(u, 9), download::<f64>(v, 4));
    // Element [1, 0] of the product of the factors, and the third column of U.
    assert_eq!((3.0 * u[1] * v[0] + 2.0 * u[4] * v[1], u[8].abs()), (-3.0, 1.0));
    assert_eq!(svd(193, 192, a), NOT_IMPLEMENTED);
}

#[test]
fn invalid_arguments_are_rejected() {
    let h = handle();
    let (a, vector, info) = (upload(&[1f64; 16]), upload(&[0f64; 8]), upload(&[0i32; 2]));
    let lu = |m, n, a, lda, stride, pivots, info, batch| {
        rocsolver_dgetrf_strided_batched(h, m, n, p(a), lda, stride, p(pivots), 2, p(info), batch)
    };
    for (status, what, found) in [
        (SIZE, "a negative size", lu(-1, 2, a, 2, 4, vector, info, 1)),
        (SIZE, "lda", lu(3, 2, a, 2, 4, vector, info, 1)),
        (SIZE, "a negative batch", lu(2, 2, a, 2, 4, vector, info, -1)),
        (POINTER, "no matrix", lu(2, 2, 0, 2, 4, vector, info, 1)),
        (POINTER, "no pivots", lu(2, 2, a, 2, 4, 0, info, 1)),
        (POINTER, "no info", lu(2, 2, a, 2, 4, vector, 0, 1)),
        (SIZE, "a size before a pointer", lu(3, 2, 0, 2, 4, vector, info, 1)),
        (0, "an empty batch", lu(2, 2, 0, 2, 4, 0, 0, 0)),
        (POINTER, "a matrix past its allocation", lu(2, 2, a + 8 * 14, 2, 4, vector, info, 1)),
        (POINTER, "the second matrix past its allocation", lu(2, 2, a, 2, 14, vector, info, 2)),
        (VALUE, "pivots in the matrix", lu(2, 2, a, 2, 4, a + 8, info, 1)),
        (VALUE, "a triangle", rocsolver_dpotrf_strided_batched(h, 120, 2, p(a), 2, 4, p(info), 1)),
        (
            NOT_IMPLEMENTED,
            "the upper triangle",
            rocsolver_dpotrf_strided_batched(h, 121, 2, p(a), 2, 4, p(info), 1),
        ),
        (SIZE, "more columns of Q than rows", rocsolver_dorgqr(h, 2, 3, 1, p(a), 2, p(vector))),
        (SIZE, "more reflections than columns", rocsolver_dorgqr(h, 3, 2, 3, p(a), 3, p(vector))),
        (POINTER, "no tau", rocsolver_dgeqrf_strided_batched(h, 2, 2, p(a), 2, 4, p(0), 2, 1)),
    ] {
        assert_eq!(found, status, "{what}");
    }
    let eigh = |vectors, beside: u64| {
        rocsolver_dsyevd_strided_batched(
            h,
            vectors,
            LOWER,
            2,
            p(a),
            2,
            4,
            p(vector),
            2,
            p(beside),
            2,
            p(info),
            1,
        )
    };
    assert_eq!((eigh(210, vector + 32), eigh(211, 0), eigh(211, vector + 32)), (VALUE, POINTER, 0));
    let svd = |word, ldu, ldv, u: u64, mode| {
        let v = upload(&[0f64; 4]);
        rocsolver_dgesvd_strided_batched(
            h,
            word,
            word,
            2,
            2,
            p(a),
            2,
            4,
            p(vector),
            2,
            p(u),
            ldu,
            4,
            p(v),
            ldv,
            4,
            p(vector + 32),
            2,
            mode,
            p(info),
            1,
        )
    };
    let u = upload(&[0f64; 4]);
    assert_eq!(svd(190, 2, 2, u, 201), VALUE, "a word");
    assert_eq!(svd(191, 2, 2, u, 200), VALUE, "a mode");
    assert_eq!((svd(191, 1, 2, u, 201), svd(191, 2, 1, u, 201)), (SIZE, SIZE), "ldu and ldv");
    assert_eq!(svd(191, 2, 2, 0, 201), POINTER, "no U");
    assert_eq!(svd(194, 1, 1, 0, 201), 0, "U is not needed");
    assert_eq!(lu(2, 2, a, 2, 4, vector, info, 1), 0);
    let none = rocsolver_dpotrf_strided_batched(std::ptr::null_mut(), LOWER, 2, p(a), 2, 4, p(info), 1);
    assert_eq!(none, 1, "no handle");
    assert_eq!(hipDeviceSynchronize(), 0);
}

#[test]
fn faults() {
    for (fault, status, first) in
        [("solver_no_memory", 5, 2.0), ("solver_wrong", 0, 4.0), ("solver_fails_after:0", 6, 2.0)]
    {
        child("faults", &[("FAULT", fault)], || {
            let (a, pivots, info) = (upload(&[2f64, 4.0, 1.0, 5.0]), upload(&[0i32; 2]), upload(&[0i32]));
            let run =
                || rocsolver_dgetrf_strided_batched(handle(), 2, 2, p(a), 2, 4, p(pivots), 2, p(info), 1);
            let is = std::env::var("RUSHLIGHT_VGPU_FAULT").unwrap_or_default();
            if is == fault {
                assert_eq!(run(), status);
                let found = download::<f64>(a, 1)[0];
                assert!(if fault == "solver_wrong" { found != first } else { found == first }, "{found}");
            }
        });
    }
}
