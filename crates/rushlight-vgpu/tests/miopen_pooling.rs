//! MIOpen: pooling, and handles.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use half::f16;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::miopen::*;
use std::ffi::{CStr, c_void};
use std::ptr::null_mut;

const MAX: i32 = 0;
const AVERAGE: i32 = 1;
const INCLUSIVE: i32 = 2;

fn handle() -> Ptr {
    let mut h = null_mut();
    assert_eq!(miopenCreate(Out::to(&mut h)), 0);
    h
}

fn tensor(kind: i32, [n, c, h, w]: [i32; 4]) -> Ptr {
    let mut t = null_mut();
    assert_eq!(miopenCreateTensorDescriptor(Out::to(&mut t)), 0);
    assert_eq!(miopenSet4dTensorDescriptor(t, kind, n, c, h, w), 0);
    t
}

fn pool(mode: i32, mut window: [i32; 2], mut pads: [i32; 2], mut strides: [i32; 2]) -> Ptr {
    let mut d = null_mut();
    assert_eq!(miopenCreatePoolingDescriptor(Out::to(&mut d)), 0);
    let (w, p, s) = (Out::to(&mut window[0]), Out::to(&mut pads[0]), Out::to(&mut strides[0]));
    assert_eq!(miopenSetNdPoolingDescriptor(d, mode, 2, w, p, s), 0);
    d
}

/// A pooling of one channel.
struct Made {
    h: Ptr,
    d: Ptr,
    x: (Ptr, u64),
    y: (Ptr, u64),
}

impl Made {
    fn new(d: Ptr, x: ([i32; 2], &[f32]), y: [i32; 2]) -> Made {
        let t = |s: [i32; 2]| tensor(1, [1, 1, s[0], s[1]]);
        let n = (y[0] * y[1]) as usize;
        Made { h: handle(), d, x: (t(x.0), upload(x.1)), y: (t(y), upload(&vec![0f32; n])) }
    }
    fn space(&self) -> usize {
        let mut n = usize::MAX;
        assert_eq!(miopenPoolingGetWorkSpaceSizeV2(self.d, self.y.0, Out::to(&mut n)), 0);
        n
    }
    fn forward(&self, (alpha, beta): (f32, f32), keep: bool, space: (u64, usize)) -> i32 {
        let (one, zero) = ((&raw const alpha).cast(), (&raw const beta).cast());
        let ((x, xa), (y, ya)) = (self.x, self.y);
        let (ws, n) = (space.0 as Ptr, space.1);
        miopenPoolingForward(self.h, self.d, one, x, xa as *const c_void, zero, y, ya as Ptr, keep, ws, n)
    }
    fn backward(&self, dy: u64, dx: u64, space: u64) -> i32 {
        let (one, zero) = (1f32, 0f32);
        let (one, zero) = ((&raw const one).cast(), (&raw const zero).cast());
        let ((x, xa), (y, ya)) = (self.x, self.y);
        let r = |at: u64| at as *const c_void;
        let (dx, ws) = (dx as Ptr, space as Ptr);
        miopenPoolingBackward(self.h, self.d, one, y, r(ya), y, r(dy), x, r(xa), zero, x, dx, ws)
    }
}

#[test]
fn max_pooling_and_its_gradient() {
    // Computed by hand: 2 x 2 windows with stride 1 over 3 x 3; the first of two equal values is selected.
    let x = [1f32, 5.0, 5.0, 2.0, 3.0, 4.0, 9.0, 0.0, 4.0];
    for image in [false, true] {
        let m = Made::new(pool(MAX, [2, 2], [0, 0], [1, 1]), ([3, 3], &x), [2, 2]);
        assert_eq!(m.space(), 4, "one byte for each index");
        assert_eq!(miopenSetPoolingIndexType(m.d, 2), 0);
        assert_eq!(miopenSetPoolingWorkSpaceIndexMode(m.d, i32::from(image)), 0);
        assert_eq!(m.space(), 16);
        assert_eq!(m.forward((1.0, 0.0), false, (0, 0)), 0);
        assert_eq!(download::<f32>(m.y.1, 4), [5.0, 5.0, 9.0, 4.0]);
        let space = malloc(16);
        assert_eq!(m.forward((1.0, 0.0), true, (space, 16)), 0);
        let noted = download::<u32>(space, 4);
        assert_eq!(noted, if image { [1, 1, 6, 5] } else { [1, 0, 2, 1] });
        let (dy, dx) = (upload(&[10f32, 20.0, 30.0, 40.0]), upload(&[-1f32; 9]));
        assert_eq!(m.backward(dy, dx, space), 0);
        assert_eq!(download::<f32>(dx, 9), [0.0, 30.0, 0.0, 0.0, 0.0, 40.0, 30.0, 0.0, 0.0]);
    }
    // Unlike other libraries: NaN is ignored, and the initial maximum is the lowest finite number.
    let x = [f32::NAN, 1.0, f32::NEG_INFINITY, f32::NEG_INFINITY];
    let m = Made::new(pool(MAX, [1, 2], [0, 0], [1, 2]), ([1, 4], &x), [1, 2]);
    assert_eq!(m.forward((1.0, 0.0), false, (0, 0)), 0);
    assert_eq!(download::<f32>(m.y.1, 2), [1.0, f32::MIN]);
}

#[test]
fn average_pooling_and_its_gradient() {
    // 2 x 2 windows with padding 1 over 2 x 2: the corners contain one element, the edges two.
    let x = [1f32, 2.0, 3.0, 6.0];
    let dy = upload(&[4f32; 9]);
    for (mode, y, dx) in [
        (AVERAGE, [1.0, 1.5, 2.0, 2.0, 3.0, 4.0, 3.0, 4.5, 6.0], [9f32; 4]),
        (INCLUSIVE, [0.25, 0.75, 0.5, 1.0, 3.0, 2.0, 0.75, 2.25, 1.5], [4.0; 4]),
    ] {
        let m = Made::new(pool(mode, [2, 2], [1, 1], [1, 1]), ([2, 2], &x), [3, 3]);
        assert_eq!((m.space(), m.forward((1.0, 0.0), true, (0, 0))), (0, 0));
        assert_eq!(download::<f32>(m.y.1, 9), y);
        let to = upload(&[-1f32; 4]);
        assert_eq!(m.backward(dy, to, 0), 0);
        assert_eq!(download::<f32>(to, 4), dx);
    }
    // Halves are added in half precision: 2048 + 1 + 1 stays 2048.
    let half = |v: f32| f16::from_f32(v).to_bits();
    let x = upload(&[2048.0, 1.0, 1.0, 0.0].map(half));
    let y = upload(&[0u16; 2]);
    let d = pool(AVERAGE, [1, 4], [0, 0], [1, 1]);
    let m = Made { h: handle(), d, x: (tensor(0, [1, 1, 1, 4]), x), y: (tensor(0, [1, 1, 1, 1]), y) };
    assert_eq!(m.forward((1.0, 0.0), false, (0, 0)), 0);
    assert_eq!(download::<u16>(y, 1), [half(512.0)]);
}

#[test]
fn invalid_arguments_are_rejected() {
    let m = Made::new(pool(MAX, [16, 16], [0, 0], [1, 1]), ([17, 17], &[0.0; 289]), [2, 2]);
    let space = malloc(16);
    let plain = (1.0, 0.0);
    assert_eq!(m.forward(plain, false, (0, 0)), 0);
    assert_eq!(m.forward(plain, true, (space, 16)), 7, "256 elements with a one-byte index");
    assert_eq!(miopenSetPoolingIndexType(m.d, 2), 0);
    assert_eq!(m.forward(plain, true, (space, 16)), 0);
    assert_eq!(m.forward(plain, true, (0, 0)), 7, "no workspace");
    assert_eq!(m.forward(plain, true, (space, 15)), 3, "a workspace that is too small");
    assert_eq!((m.forward((2.0, 0.0), false, (0, 0)), m.forward((1.0, 1.0), false, (0, 0))), (7, 7));
    let with = |x: (Ptr, u64), y: (Ptr, u64)| Made { x, y, ..m }.forward(plain, false, (0, 0));
    assert_eq!(with((m.x.0, m.x.1 + 4), m.y), 3, "past the allocation");
    assert_eq!(with(m.x, (m.y.0, m.x.1)), 3, "the result over its input");
    assert_eq!(with(m.x, (tensor(1, [1, 1, 2, 3]), m.y.1)), 3, "another shape");
    assert_eq!(with((tensor(5, [1, 1, 17, 17]), m.x.1), (tensor(5, [1, 1, 2, 2]), m.y.1)), 6, "bf16");
    assert_eq!(m.backward(m.y.1, m.x.1, space), 3, "dx over x");
    assert_eq!((miopenSetPoolingIndexType(m.d, 4), miopenSetPoolingWorkSpaceIndexMode(m.d, 2)), (3, 3));
    assert_eq!((miopenDestroyPoolingDescriptor(m.d), miopenDestroyPoolingDescriptor(m.d)), (0, 3));
    assert_eq!(m.forward(plain, false, (0, 0)), 3, "destroyed");
    assert_eq!(hipDeviceSynchronize(), 0);
}

#[test]
fn handles() {
    let mut v = [0usize; 3];
    let [a, b, c] = &mut v;
    assert_eq!(miopenGetVersion(Out::to(a), Out::to(b), Out::to(c)), 0);
    assert_eq!(v, [3, 5, 1]);
    // SAFETY: the function gives a string that lives as long as the process.
    assert_eq!(unsafe { CStr::from_ptr(miopenGetErrorString(6)) }, c"miopenStatusNotImplemented");
    let (mut one, mut two) = (null_mut(), null_mut());
    for s in [&mut one, &mut two] {
        assert_eq!(hipStreamCreateWithFlags(Out::to(s), 1), 0);
    }
    let mut h = null_mut();
    assert_eq!(miopenCreateWithStream(Out::null(), one), 3);
    assert_eq!(miopenCreateWithStream(Out::to(&mut h), one), 0);
    // Work of the old stream must be finished: the streams share the workspace.
    let at = malloc(4);
    assert_eq!(hipMemsetAsync(at as Ptr, 1, 4, one), 0);
    assert_eq!(miopenSetStream(h, two), 3);
    assert_eq!((hipStreamSynchronize(one), miopenSetStream(h, two)), (0, 0));
    let mut now = null_mut();
    assert_eq!((miopenGetStream(h, Out::to(&mut now)), now), (0, two));
    // A destroyed stream.
    assert_eq!((hipStreamDestroy(one), miopenSetStream(h, one)), (0, 7));
    assert_eq!((miopenDestroy(h), miopenSetStream(h, two), miopenDestroy(null_mut())), (0, 3, 3));
}

#[test]
fn handle_belongs_to_its_device() {
    child("handle_belongs_to_its_device", &[("DEVICES", "2")], || {
        let h = handle();
        assert_eq!((hipSetDevice(1), miopenSetStream(h, null_mut())), (0, 3));
        let other = Made::new(pool(MAX, [1, 1], [0, 0], [1, 1]), ([1, 1], &[1.0]), [1, 1]);
        assert_eq!(hipSetDevice(0), 0);
        assert_eq!(Made { h, ..other }.forward((1.0, 0.0), false, (0, 0)), 3, "memory of device 1");
    });
}
