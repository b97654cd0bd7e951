//! rocBLAS: results, the order of its checks, and additional checks.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::rocblas::*;
use std::ffi::c_void;

/// A product of 2 x 3 and 3 x 2 matrices without gaps, in f32; each test changes some fields.
#[derive(Clone)]
struct Call {
    trans: (i32, i32),
    mnk: (i32, i32, i32),
    scalars: (f32, f32),
    a: (u64, i32, i64),
    b: (u64, i32, i64),
    c: (u64, i32, i64),
    d: (u64, i32, i64),
    types: (i32, i32, i32),
    batch: i32,
    flags: u32,
}

impl Call {
    fn new(a: u64, b: u64, d: u64) -> Call {
        Call {
            trans: (111, 111),
            mnk: (2, 2, 3),
            scalars: (1.0, 0.0),
            a: (a, 2, 0),
            b: (b, 3, 0),
            c: (d, 2, 4),
            d: (d, 2, 4),
            types: (151, 151, 151),
            batch: 1,
            flags: 0,
        }
    }
    fn with(&self, f: impl FnOnce(&mut Call)) -> Call {
        let mut c = self.clone();
        f(&mut c);
        c
    }
    fn run(&self, handle: Ptr) -> i32 {
        let (alpha, beta) = (&raw const self.scalars.0, &raw const self.scalars.1);
        let ((m, n, k), (ab, cd, by)) = (self.mnk, self.types);
        let p = |x: u64| x as Ptr;
        rocblas_gemm_strided_batched_ex(
            handle,
            self.trans.0,
            self.trans.1,
            m,
            n,
            k,
            alpha.cast::<c_void>(),
            p(self.a.0),
            ab,
            self.a.1,
            self.a.2,
            p(self.b.0),
            ab,
            self.b.1,
            self.b.2,
            beta.cast::<c_void>(),
            p(self.c.0),
            cd,
            self.c.1,
            self.c.2,
            p(self.d.0),
            cd,
            self.d.1,
            self.d.2,
            self.batch,
            by,
            0,
            0,
            self.flags,
        )
    }
}

fn handle() -> Ptr {
    let mut h: Ptr = std::ptr::null_mut();
    assert_eq!(rocblas_create_handle(Out::to(&mut h)), 0);
    h
}

const A: [f32; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
const B: [f32; 6] = [1.0, 0.0, 2.0, -1.0, 1.0, 0.5];

#[test]
fn products() {
    let h = handle();
    // Computed by hand: A is [1 3 5; 2 4 6], B is [1 -1; 0 1; 2 .5].
    let (a, b, d) = (upload(&A), upload(&B), upload(&[f32::NAN; 4]));
    let c = Call::new(a, b, d);
    assert_eq!((c.run(h), download::<f32>(d, 4)), (0, vec![11.0, 14.0, 4.5, 5.0]), "beta 0 does not read C");
    let c = c.with(|c| c.scalars = (2.0, 10.0));
    assert_eq!((c.run(h), download::<f32>(d, 4)), (0, vec![132.0, 168.0, 54.0, 60.0]));
    // The transposes of the same numbers: At is 3 x 2, Bt is 2 x 3.
    let at = upload(&[1f32, 3.0, 5.0, 2.0, 4.0, 6.0]);
    let bt = upload(&[1f32, -1.0, 0.0, 1.0, 2.0, 0.5]);
    let t = Call::new(at, bt, d).with(|c| (c.trans, c.a.1, c.b.1) = ((112, 113), 3, 2));
    assert_eq!((t.run(h), download::<f32>(d, 4)), (0, vec![11.0, 14.0, 4.5, 5.0]));
    // A batch: A is shared, B and D have their own strides.
    let (b2, d2) = (upload(&[B, B.map(|v| -v)].concat()), upload(&[7f32; 10]));
    let s = Call::new(a, b2, d2).with(|c| (c.batch, c.b.2, c.c.2, c.d.2) = (2, 6, 5, 5));
    assert_eq!(s.run(h), 0);
    assert_eq!(download::<f32>(d2, 10), [11.0, 14.0, 4.5, 5.0, 7.0, -11.0, -14.0, -4.5, -5.0, 7.0]);
    // k 0 or alpha 0: D = beta C, A and B may be NULL.
    for (k, alpha) in [(0, 1.0), (3, 0.0)] {
        let d = upload(&[1f32, 2.0, 3.0, 4.0]);
        let c = Call::new(0, 0, d).with(|c| (c.mnk.2, c.scalars, c.b.1) = (k, (alpha, 3.0), 3));
        assert_eq!((c.run(h), download::<f32>(d, 4)), (0, vec![3.0, 6.0, 9.0, 12.0]));
    }
    assert_eq!((rocblas_destroy_handle(h), rocblas_destroy_handle(h)), (0, 1));
}

#[test]
fn types() {
    let h = handle();
    // 2048 + 1 is lost with f16 sums, kept with f32 sums that are rounded once.
    let ones = [0x3c00u16; 4];
    let (a, b, d) = (upload(&[0x6800u16, 0x3c00, 0x3c00, 0]), upload(&ones), upload(&[0u16; 2]));
    let c = Call::new(a, b, d).with(|c| (c.mnk, c.a.1, c.b.1, c.c.1, c.d.1) = ((1, 1, 3), 1, 3, 1, 1));
    let f16 = c.with(|c| c.types = (150, 150, 151));
    assert_eq!((f16.run(h), download::<u16>(d, 1)), (0, vec![0x6801]), "2050");
    let (i, j, e) = (upload(&[100i8, 100, -3, 0]), upload(&[100i8, 100, 7, 0]), malloc(4));
    let mut i8 = c.with(|c| (c.a.0, c.b.0, c.c.0, c.d.0, c.types) = (i, j, e, e, (160, 162, 162)));
    i8.scalars = (f32::from_bits(2), f32::from_bits(0));
    assert_eq!((i8.run(h), download::<i32>(e, 1)), (0, vec![2 * (20000 - 21)]));
    for types in [(150, 152, 151), (160, 160, 162), (151, 151, 152), (161, 162, 162), (168, 168, 168)] {
        assert_eq!(c.with(|c| c.types = types).run(h), 2, "{types:?}");
    }
}

#[test]
fn invalid_arguments_are_rejected() {
    let h = handle();
    let (a, b, d) = (upload(&A), upload(&B), upload(&[0f32; 4]));
    let c = Call::new(a, b, d);
    assert_eq!(c.run(std::ptr::null_mut()), 1);
    type Change = &'static dyn Fn(&mut Call);
    let cases: [(i32, &str, Change); 17] = [
        (11, "an operation", &|c| c.trans.0 = 110),
        (4, "a negative size", &|c| c.mnk.0 = -1),
        (4, "lda", &|c| c.a.1 = 1),
        (4, "ldb", &|c| c.b.1 = 2),
        (4, "ldd", &|c| c.d.1 = 1),
        (0, "an empty product with NULL", &|c| (c.mnk.0, c.d.0, c.c.0) = (0, 0, 0)),
        (3, "D", &|c| c.d.0 = 0),
        (3, "C with beta", &|c| (c.c.0, c.scalars.1) = (0, 1.0)),
        (3, "A", &|c| c.a.0 = 0),
        (4, "C is D with another ld", &|c| c.c.1 = 3),
        (4, "C is D with another stride", &|c| c.c.2 = 5),
        (4, "alignment", &|c| c.a.0 += 2),
        (11, "unknown flags", &|c| c.flags = 0x40),
        (3, "A past its allocation", &|c| c.a.0 += 4),
        (3, "B past its allocation, in the second of a batch", &|c| (c.batch, c.b.2) = (2, 6)),
        (11, "D over A", &|c| c.d.0 = c.a.0),
        (11, "D over itself", &|c| (c.batch, c.c.2, c.d.2, c.mnk) = (2, 1, 1, (2, 1, 3))),
    ];
    for (status, what, change) in cases {
        assert_eq!(c.with(change).run(h), status, "{what}");
    }
    let host = [1f32; 6];
    assert_eq!(c.with(|c| c.a.0 = host.as_ptr() as u64).run(h), 3, "host memory");
    assert_eq!(rocblas_set_pointer_mode(h, 1), 0);
    assert_eq!(c.run(h), 3, "host scalars in device pointer mode");
    assert_eq!(rocblas_set_pointer_mode(h, 0), 0);
    assert_eq!(c.run(h), 0);
    assert_eq!(hipDeviceSynchronize(), 0);
}

#[test]
fn switches() {
    child("switches", &[("FAULT", "blas_no_solution")], || {
        let c = Call::new(upload(&A), upload(&B), upload(&[0f32; 4]));
        assert_eq!(c.run(handle()), 2);
    });
}
