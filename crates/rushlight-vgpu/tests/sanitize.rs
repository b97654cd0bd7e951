//! Kernels under AddressSanitizer and UBSan (`RUSHLIGHT_VGPU_SANITIZE=2`): errors are found, and correct kernels are
//! not reported. Ignored by default, because it needs the sanitizer's runtime: `cargo xtask sanitize`.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::hip::*;
use std::process::{Command, Output};

const SOURCE: &str = r#"
extern "C" __global__ void store(float* p, int at) { p[at + (int)threadIdx.x] = 1; }
extern "C" __global__ void load(float* p, int at) { p[0] = p[at + (int)threadIdx.x]; }
extern "C" __global__ void local(int* p, int n) {
    int a[8];
    int* q = a;
    for (int i = 0; i < n; i++) q[i] = p[0] + i;
    int sum = 0;
    for (int i = 0; i < 8; i++) sum += q[i];
    p[0] = sum;
}
extern "C" __global__ void swap(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x] + __shfl_xor(s[threadIdx.x], 1);
}
extern "C" __global__ void overflow(int* p, int v) { p[0] = v + 1; }
extern "C" __global__ void shared(int* p, int by) { __shared__ int s[64]; s[threadIdx.x * by] = 1; p[0] = s[0]; }
"#;

/// In the child runs `body`; in the parent runs this test in a child with the runtime preloaded, and returns its exit
/// status and stderr.
fn under(test: &str, body: impl FnOnce(&Module)) -> Option<(Output, String)> {
    const TURN: &str = "VGPU_SANITIZE_CHILD";
    if std::env::var(TURN).is_ok_and(|t| t == test) {
        body(&Module::new(SOURCE));
        return None;
    }
    let runtime = std::env::var("VGPU_TEST_ASAN").expect("VGPU_TEST_ASAN names AddressSanitizer's runtime");
    let mut c = Command::new(std::env::current_exe().unwrap());
    c.args([test, "--exact", "--ignored", "--nocapture", "--test-threads=1"]).env(TURN, test);
    c.env("LD_PRELOAD", runtime).env("ASAN_OPTIONS", "detect_leaks=0:handle_segv=0:use_sigaltstack=0");
    let out = c.env("RUSHLIGHT_VGPU_SANITIZE", "2").env("RUSHLIGHT_VGPU_THREADS", "1").output().unwrap();
    let text = String::from_utf8_lossy(&out.stderr).into_owned();
    Some((out, text))
}

/// The child must have ended with a report that contains these words.
fn reported(found: Option<(Output, String)>, words: &[&str]) {
    let Some((out, text)) = found else { return };
    assert!(!out.status.success(), "nothing was found: {text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn correct_kernels_pass() {
    let found = under("correct_kernels_pass", |m| {
        let p = upload(&(0..64).collect::<Vec<i32>>());
        assert_eq!((m.launch("swap", 1, 64, 0, &mut [p]), hipDeviceSynchronize()), (0, 0));
        let want: Vec<i32> = (0..64).map(|i| 63 - i + (i ^ 1)).collect();
        assert_eq!(download::<i32>(p, 64), want);
        let ten = malloc(40);
        assert_eq!((m.launch("store", 1, 10, 0, &mut [ten, 0]), hipDeviceSynchronize()), (0, 0));
        assert_eq!((m.launch("local", 1, 1, 0, &mut [p, 8]), hipDeviceSynchronize()), (0, 0));
        // Memory that was freed and allocated again is valid.
        assert_eq!(hipFree(ten as Ptr), 0);
        let more: Vec<u64> = (1..40).map(|n| malloc(n * 4)).collect();
        for (n, p) in (1..40).zip(more) {
            assert_eq!((m.launch("store", 1, n, 0, &mut [p, 0]), hipDeviceSynchronize()), (0, 0));
        }
    });
    if let Some((out, text)) = found {
        assert!(out.status.success() && !text.contains("Sanitizer"), "{text}");
    }
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn store_one_element_too_far() {
    let found = under("store_one_element_too_far", |m| {
        m.launch("store", 1, 10, 0, &mut [malloc(40), 1]);
        hipDeviceSynchronize();
    });
    let words = ["AddressSanitizer: use-after-poison", "WRITE of size 4", "kernel `store`", "thread (9,0,0)"];
    reported(found, &words);
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn load_one_element_too_far() {
    let found = under("load_one_element_too_far", |m| {
        m.launch("load", 1, 10, 0, &mut [malloc(40), 1]);
        hipDeviceSynchronize();
    });
    reported(
        found,
        &["AddressSanitizer: use-after-poison", "READ of size 4", "kernel `load`", "thread (9,0,0)"],
    );
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn write_past_a_local_array() {
    let found = under("write_past_a_local_array", |m| {
        m.launch("local", 1, 1, 0, &mut [malloc(4), 9]);
        hipDeviceSynchronize();
    });
    reported(found, &["AddressSanitizer", "WRITE of size 4", "kernel `local`"]);
}

/// A kernel that is correct with one argument and not with another.
fn undefined(test: &str, kernel: &str, right: u64, wrong: u64, thread: &str) {
    let found = under(test, |m| {
        assert_eq!((m.launch(kernel, 1, 64, 0, &mut [malloc(256), right]), hipDeviceSynchronize()), (0, 0));
        m.launch(kernel, 1, 64, 0, &mut [malloc(256), wrong]);
        assert_eq!(hipDeviceSynchronize(), 719);
    });
    if let Some((out, text)) = found {
        assert!(out.status.success(), "{text}");
        for word in [format!("kernel `{kernel}`"), format!("thread {thread}"), "undefined behaviour".into()] {
            assert!(text.contains(&word), "`{word}` is not in: {text}");
        }
    }
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn signed_overflow() {
    undefined("signed_overflow", "overflow", 1, i32::MAX as u64, "(0,0,0)");
}

#[test]
#[ignore = "needs AddressSanitizer's runtime: cargo xtask sanitize"]
fn index_past_an_array_in_lds() {
    undefined("index_past_an_array_in_lds", "shared", 1, 2, "(32,0,0)");
}
