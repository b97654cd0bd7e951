//! Streams and events: work waits until something waits for it, and runs only in the required order.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use std::ffi::c_void;

fn stream(flags: u32) -> Ptr {
    let mut s: Ptr = std::ptr::null_mut();
    assert_eq!(hipStreamCreateWithFlags(Out::to(&mut s), flags), 0);
    s
}

fn event() -> Ptr {
    let mut e: Ptr = std::ptr::null_mut();
    assert_eq!(hipEventCreateWithFlags(Out::to(&mut e), 0), 0);
    e
}

fn pinned(bytes: usize) -> *mut i32 {
    let mut h: Ptr = std::ptr::null_mut();
    assert_eq!(hipHostMalloc(Out::to(&mut h), bytes, 0), 0);
    h.cast()
}

#[test]
fn order() {
    let (a, b) = (stream(1), stream(1));
    let (p, h) = (malloc(4) as Ptr, pinned(4));
    let read = |from: Ptr| hipMemcpyAsync(h.cast(), p, 4, 2, from);
    // SAFETY: pinned memory of four bytes, and nothing runs behind our back.
    let seen = || unsafe { h.read_volatile() };
    assert_eq!(hipMemsetD32(p, 1, 1), 0);
    assert_eq!(hipDeviceSynchronize(), 0);
    // Work of one stream does not run when another one is waited for.
    assert_eq!(hipMemsetD32Async(p, 2, 1, a), 0);
    assert_eq!((read(b), hipStreamSynchronize(b), seen()), (0, 0, 1));
    // An event orders them.
    let e = event();
    assert_eq!((hipEventRecord(e, a), hipStreamWaitEvent(b, e, 0)), (0, 0));
    assert_eq!((read(b), hipStreamSynchronize(b), seen()), (0, 0, 2));
    // The null stream synchronizes with blocking streams, and not with the others.
    let blocking = stream(0);
    assert_eq!(hipMemsetD32Async(p, 3, 1, blocking), 0);
    assert_eq!(hipMemsetD32Async(p, 4, 1, a), 0);
    assert_eq!((read(std::ptr::null_mut()), hipStreamSynchronize(std::ptr::null_mut()), seen()), (0, 0, 3));
    assert_eq!((hipMemsetD32(p, 5, 1), read(blocking), hipStreamSynchronize(blocking), seen()), (0, 0, 0, 5));
    for s in [a, b, blocking] {
        assert_eq!(hipStreamDestroy(s), 0);
    }
    assert_eq!((hipStreamDestroy(a), hipStreamSynchronize(b)), (709, 709), "destroyed");
    assert_eq!((hipEventDestroy(e), hipEventDestroy(e)), (0, 709));
    assert_eq!((hipHostFree(h.cast()), hipFree(p)), (0, 0));
}

#[test]
fn time_between_events() {
    let (a, b, mut ms) = (event(), event(), -1f32);
    let m = Module::new(
        "extern \"C\" __global__ void spin(long long n) { for (long long s = clock64(); clock64() - s < n;) {} }",
    );
    assert_eq!(hipEventElapsedTime(Out::to(&mut ms), a, b), 400, "never recorded");
    assert_eq!(hipEventRecord(a, std::ptr::null_mut()), 0);
    assert_eq!(m.launch("spin", 1, 1, 0, &mut [1_000_000]), 0);
    assert_eq!(hipEventRecord(b, std::ptr::null_mut()), 0);
    assert_eq!(hipEventElapsedTime(Out::to(&mut ms), a, b), 600, "not reached");
    assert_eq!((hipEventSynchronize(b), hipEventElapsedTime(Out::to(&mut ms), a, b)), (0, 0));
    assert!(ms > 0.0);
    assert_eq!((hipEventElapsedTime(Out::to(&mut ms), b, a), ms < 0.0), (0, true));
}

extern "C" fn note(data: *mut c_void) {
    // SAFETY: the test passes a pointer to a number that outlives the call.
    unsafe { *data.cast::<u32>() += 1 };
}

#[test]
fn callbacks_run_in_stream_order() {
    let (s, mut n) = (stream(1), 0u32);
    let data = &raw mut n;
    assert_eq!(hipLaunchHostFunc(s, note as *const () as Ptr, data.cast()), 0);
    // SAFETY: the number is only written by the callback, which runs in `hipStreamSynchronize`.
    let seen = || unsafe { data.read_volatile() };
    assert_eq!(seen(), 0);
    assert_eq!((hipStreamSynchronize(s), seen()), (0, 1));
}

#[test]
fn devices_are_separate() {
    child("devices_are_separate", &[("DEVICES", "2")], || {
        let mut n = 0;
        assert_eq!((hipGetDeviceCount(Out::to(&mut n)), n), (0, 2));
        let on_first = malloc(64);
        let s = stream(1);
        assert_eq!((hipSetDevice(2), hipSetDevice(1)), (101, 0));
        assert_eq!(hipMemsetAsync(on_first as Ptr, 0, 4, s), 400, "a stream of another device");
        let m = Module::new("extern \"C\" __global__ void k(int* p) { *p = 1; }");
        assert_eq!(hipDeviceEnablePeerAccess(0, 0), 0);
        assert_eq!((m.launch("k", 1, 1, 0, &mut [on_first]), hipDeviceSynchronize()), (0, 0));
        assert_eq!(hipDeviceDisablePeerAccess(0), 0);
        assert_eq!((m.launch("k", 1, 1, 0, &mut [on_first]), hipDeviceSynchronize()), (0, 700));
    });
}
