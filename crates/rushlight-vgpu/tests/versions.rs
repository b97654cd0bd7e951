//! Differences between HIP 5, 6 and 7.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::{Out, set_major};

/// Runs the body as each version, in a separate process.
fn each(test: &str, body: impl Fn(u32)) {
    for major in ["5", "6", "7"] {
        child(test, &[("TEST_MAJOR", major)], || {
            let major = std::env::var("RUSHLIGHT_VGPU_TEST_MAJOR").unwrap().parse().unwrap();
            set_major(major);
            body(major);
        });
    }
}

#[test]
fn properties_have_the_offsets_of_each_layout() {
    each("properties_have_the_offsets_of_each_layout", |major| {
        let mut version = 0;
        assert_eq!((hipRuntimeGetVersion(Out::to(&mut version)), version as u32 / 10_000_000), (0, major));
        let (mut old, mut new) = (vec![0u8; 4096], vec![0u8; 4096]);
        assert_eq!(hipGetDeviceProperties(Out::to(&mut old[0]), 0), 0);
        assert_eq!(hipGetDevicePropertiesR0600(Out::to(&mut new[0]), 0), 0);
        let int = |p: &[u8], at: usize| i32::from_le_bytes(p[at..at + 4].try_into().unwrap());
        assert!(old[792..].iter().chain(&new[1472..]).all(|b| *b == 0), "no bytes after the structs");
        for (p, name, arch, wave, most) in [(&old, 0, 396, 276, 280), (&new, 0, 1160, 308, 320)] {
            assert!(p[name..].starts_with(b"AMD Radeon RX 7900 XTX (virtual gfx1100, host engine)\0"));
            assert!(p[arch..].starts_with(b"gfx1100\0"));
            assert_eq!((int(p, wave), int(p, most)), (32, 1024));
        }
    });
}

#[test]
fn last_error_semantics() {
    each("last_error_semantics", |major| {
        assert_eq!(hipFree(0x1000 as Ptr), 1);
        assert_eq!(hipFree(std::ptr::null_mut()), 0);
        // Before HIP 7 any call replaces it.
        assert_eq!(hipPeekAtLastError(), if major >= 7 { 1 } else { 0 });
        assert_eq!((hipFree(0x1000 as Ptr), hipGetLastError(), hipGetLastError()), (1, 1, 0));
    });
}

#[test]
fn memory_kind_numbers() {
    each("memory_kind_numbers", |major| {
        let (p, mut a) = (malloc(64), PointerAttributes::default());
        assert_eq!(hipPointerGetAttributes(Out::to(&mut a), (p + 4) as *const _), 0);
        assert_eq!((a.kind, a.device, a.device_pointer as u64), (if major >= 6 { 2 } else { 1 }, 0, p + 4));
        let mut h: Ptr = std::ptr::null_mut();
        assert_eq!(hipHostMalloc(Out::to(&mut h), 64, 0), 0);
        assert_eq!(hipPointerGetAttributes(Out::to(&mut a), h), 0);
        assert_eq!((a.kind, a.host_pointer), (if major >= 6 { 1 } else { 0 }, h as usize));
        let local = 0u8;
        assert_eq!(hipPointerGetAttributes(Out::to(&mut a), (&raw const local).cast()), (major < 6) as i32);
        assert_eq!(hipPointerGetAttributes(Out::to(&mut a), std::ptr::null()), (major < 7) as i32);
        assert_eq!(hipHostFree(h), 0);
    });
}

#[test]
fn no_blocks() {
    each("no_blocks", |major| {
        let m = Module::new("extern \"C\" __global__ void k() {}");
        assert_eq!(m.launch("k", 0, 1, 0, &mut []), if major == 6 { 9 } else { 1 });
        assert_eq!(m.launch("k", 1, 1, 0, &mut []), 0);
    });
}

#[test]
fn failing_kernel_aborts_before_hip_7() {
    let test = "failing_kernel_aborts_before_hip_7";
    if std::env::var("VGPU_TEST_CHILD").is_ok() {
        set_major(6);
        let m = Module::new("extern \"C\" __global__ void k(int* p) { *p = 1; }");
        assert_eq!(m.launch("k", 1, 1, 0, &mut [0]), 0);
        hipDeviceSynchronize();
        unreachable!("the process has ended");
    }
    let mut c = std::process::Command::new(std::env::current_exe().unwrap());
    let out = c.args([test, "--exact", "--nocapture"]).env("VGPU_TEST_CHILD", test).output().unwrap();
    use std::os::unix::process::ExitStatusExt;
    assert_eq!(out.status.signal(), Some(6), "SIGABRT");
    assert!(String::from_utf8_lossy(&out.stderr).contains("a null pointer"));
}
