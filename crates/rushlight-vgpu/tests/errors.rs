//! Errors are reported at the call, or at a later wait, with kernel, block, thread and allocation.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

const BAD: &str = r#"
extern "C" __global__ void store(float* p, int at) { p[at + (int)threadIdx.x] = 1; }
extern "C" __global__ void load(float* p, float** q) { p[0] = q[0][threadIdx.x]; }
extern "C" __global__ void half_barrier(int* p) {
    if (threadIdx.x < 16) { p[0] = 1; __syncthreads(); p[1] = 2; } else { p[2] = 3; __syncthreads(); }
}
extern "C" __global__ void early(int* p) { if (threadIdx.x > 5) return; __syncthreads(); p[0] = 1; }
extern "C" __global__ void absent(int* p) { int v = 1; if (threadIdx.x < 8) v = __shfl(v, 9); p[threadIdx.x] = v; }
extern "C" __global__ void divide(int* p, int by) { p[0] = 7 / by; }
extern "C" __global__ void check(int* p) { assert(p[0] == 1); }
extern "C" __global__ void deep(int* p, int n) { int a[100000]; for (int i = 0; i < n; i++) a[i] = p[i % 2]; p[0] = a[n / 2]; }
extern "C" __global__ void race(int* p) {
    __shared__ int s[64];
    s[threadIdx.x] = threadIdx.x;
    p[threadIdx.x] = s[threadIdx.x - (threadIdx.x > 0)];
}
extern "C" __global__ void __launch_bounds__(64) small(int* p) { __shared__ int s[8192]; s[threadIdx.x] = 1; p[0] = s[0]; }
"#;

/// Runs a kernel in a child and expects a sticky error with this report.
fn fails(
    test: &str,
    settings: &[(&str, &str)],
    code: i32,
    words: &[&str],
    start: impl FnOnce(&Module) -> i32,
) {
    prints(test, settings, words, || {
        let m = Module::new(BAD);
        assert_eq!(start(&m), 0, "the launch itself is accepted");
        assert_eq!(hipDeviceSynchronize(), code);
        // Every later call returns the error, on every thread; HIP's error is not cleared.
        let mut p: Ptr = std::ptr::null_mut();
        assert_eq!(hipMalloc(Out::to(&mut p), 4), code);
        assert_eq!(std::thread::spawn(|| hipDeviceSynchronize()).join().unwrap(), code);
        assert_eq!((hipGetLastError(), hipGetLastError()), (code, code));
    });
}

#[test]
fn store_past_the_end() {
    let words = [
        "kernel `store`",
        "block (0,0,0)",
        "thread (0,0,0)",
        "write to",
        "past the end of",
        "(1024 bytes at",
    ];
    fails("store_past_the_end", &[], 700, &words, |m| m.launch("store", 1, 1, 0, &mut [malloc(1024), 256]));
}

#[test]
fn store_one_past_an_odd_size() {
    // 1000 bytes leave 24 bytes to the next multiple of 256, which hold the pattern.
    let words = ["kernel `store` wrote to", "0 bytes past the end of", "(1000 bytes at"];
    fails("store_one_past_an_odd_size", &[], 700, &words, |m| {
        m.launch("store", 1, 1, 0, &mut [malloc(1000), 250])
    });
}

#[test]
fn store_before_the_start() {
    let words = ["kernel `store` wrote to", "4 bytes before", "(1000 bytes at"];
    let minus = -1i32 as u32 as u64;
    fails("store_before_the_start", &[], 700, &words, |m| {
        m.launch("store", 1, 1, 0, &mut [malloc(1000), minus])
    });
}

#[test]
fn freed_memory_as_argument() {
    let words = ["kernel `store`", "its argument", "which was freed"];
    fails("freed_memory_as_argument", &[], 700, &words, |m| {
        let p = malloc(64);
        assert_eq!(hipFree(p as Ptr), 0);
        m.launch("store", 1, 1, 0, &mut [p, 0])
    });
}

#[test]
fn freed_memory_through_memory() {
    let words = ["kernel `load`", "read of", "which was freed"];
    fails("freed_memory_through_memory", &[], 700, &words, |m| {
        let p = malloc(64);
        let q = upload(&[p]);
        assert_eq!(hipFree(p as Ptr), 0);
        m.launch("load", 1, 1, 0, &mut [malloc(64), q])
    });
}

#[test]
fn host_pointer_as_argument() {
    let host = vec![0f32; 1000];
    let words = ["kernel `store`", "is a host pointer"];
    fails("host_pointer_as_argument", &[], 700, &words, |m| {
        m.launch("store", 1, 1, 0, &mut [host.as_ptr() as u64, 0])
    });
}

#[test]
fn null_pointer_as_argument() {
    let words = ["kernel `store`", "write to 0x0", "a null pointer"];
    fails("null_pointer_as_argument", &[], 700, &words, |m| m.launch("store", 1, 1, 0, &mut [0, 0]));
}

#[test]
fn barriers_that_differ() {
    let words = ["kernel `half_barrier`", "thread (0,0,0) waits at one barrier, thread (16,0,0) at another"];
    fails("barriers_that_differ", &[], 719, &words, |m| {
        m.launch("half_barrier", 3, 64, 0, &mut [malloc(64)])
    });
}

#[test]
fn barrier_after_a_return() {
    // Hardware and the default accept that threads have returned; strict does not.
    child("barrier_after_a_return", &[("STRICT", "1")], || {
        let m = Module::new(BAD);
        let strict = std::env::var("RUSHLIGHT_VGPU_STRICT").is_ok_and(|v| v == "1");
        assert_eq!(m.launch("early", 1, 64, 0, &mut [upload(&[0i32])]), 0);
        assert_eq!(hipDeviceSynchronize(), if strict { 719 } else { 0 });
    });
    child("barrier_after_a_return", &[("STRICT", "0")], || {});
}

#[test]
fn shuffle_from_an_inactive_lane() {
    let words = ["kernel `absent`", "reads lane 9, which is inactive"];
    let strict = [("STRICT", "1")];
    fails("shuffle_from_an_inactive_lane", &strict, 719, &words, |m| {
        m.launch("absent", 1, 32, 0, &mut [malloc(128)])
    });
}

#[test]
fn division_by_zero() {
    let words = ["kernel `divide`", "integer division by zero"];
    fails("division_by_zero", &[], 719, &words, |m| m.launch("divide", 1, 1, 0, &mut [malloc(64), 0]));
}

#[test]
fn failed_assertion() {
    let words = ["kernel `check`", "assertion failed: p[0] == 1 at"];
    fails("failed_assertion", &[], 710, &words, |m| m.launch("check", 1, 1, 0, &mut [upload(&[2i32])]));
}

#[test]
fn stack_overflow() {
    let words = ["kernel `deep`", "stack overflow"];
    fails("stack_overflow", &[], 719, &words, |m| m.launch("deep", 1, 1, 0, &mut [malloc(64), 100_000]));
}

#[test]
fn undefined_behaviour() {
    let words = ["kernel `small`", "thread (32,0,0)", "trap: undefined behaviour"];
    let source = r#"extern "C" __global__ void small(int* p, int by) { __shared__ int s[64]; s[threadIdx.x * by] = 1; p[0] = s[0]; }"#;
    let err = child("undefined_behaviour", &[("SANITIZE", "1"), ("THREADS", "1")], || {
        let m = Module::new(source);
        assert_eq!((m.launch("small", 1, 32, 0, &mut [malloc(64), 2]), hipDeviceSynchronize()), (0, 0));
        assert_eq!((m.launch("small", 1, 64, 0, &mut [malloc(64), 1]), hipDeviceSynchronize()), (0, 0));
        // Thread 32 writes element 64 of 64; hardware accepts that silently.
        let (f, t) = (m.function("small"), 64);
        assert_eq!((launch(f, 1, t, 0, &mut [malloc(64), 2]), hipDeviceSynchronize()), (0, 719));
    });
    if let Some(err) = err {
        for word in words {
            assert!(err.contains(word), "`{word}` is not in: {err}");
        }
    }
}

#[test]
fn device_lost_on_request() {
    let words = ["device lost at launch 2"];
    fails("device_lost_on_request", &[("FAULT", "lost_after:2")], 719, &words, |m| {
        let p = malloc(64);
        for _ in 0..2 {
            assert_eq!(m.launch("store", 1, 1, 0, &mut [p, 0]), 0);
            assert_eq!(hipDeviceSynchronize(), 0);
        }
        m.launch("store", 1, 1, 0, &mut [p, 0])
    });
}

#[test]
fn missing_barrier_changes_the_result() {
    // In one of the two orders the neighbour's value is not written yet.
    child("missing_barrier_changes_the_result", &[("ORDER", "reverse")], || {
        let m = Module::new(BAD);
        let p = malloc(256);
        assert_eq!(m.launch("race", 1, 64, 0, &mut [p]), 0);
        let right: Vec<i32> = (0..64).map(|i: i32| (i - 1).max(0)).collect();
        assert_ne!(download::<i32>(p, 64), right);
    });
}

#[test]
fn invalid_launches_are_rejected() {
    let m = Module::new(BAD);
    let (f, small, p) = (m.function("store"), m.function("small"), malloc(4096));
    let go = |f: Ptr, grid: (u32, u32), block: u32, lds: u32| {
        let (mut p, mut at) = (p, 0u64);
        let mut list: [Ptr; 2] = [(&raw mut p).cast(), (&raw mut at).cast()];
        let list = Out::to(&mut list[0]);
        hipModuleLaunchKernel(f, grid.0, grid.1, 1, block, 1, 1, lds, std::ptr::null_mut(), list, Out::null())
    };
    assert_eq!(go(f, (1, 1), 64, 0), 0);
    assert_eq!(go(f, (0, 1), 64, 0), 1, "no blocks");
    assert_eq!(go(f, (1, 1), 0, 0), 1, "no threads");
    assert_eq!(go(f, (1, 1), 1025, 0), 1, "too large a block");
    assert_eq!(go(f, (1, 1), 64, 65537), 1, "too much LDS");
    assert_eq!(go(f, (1, 65536), 64, 0), 1, "too many blocks along y");
    assert_eq!(go(f, (1 << 24, 1), 1024, 0), 1, "2^32 threads or more along x");
    assert_eq!(go(small, (1, 1), 64, 0), 0);
    assert_eq!(go(small, (1, 1), 65, 0), 719, "more threads than __launch_bounds__");
    assert_eq!(go(small, (1, 1), 64, 40000), 1, "own and dynamic LDS together");
    assert_eq!(go(std::ptr::null_mut(), (1, 1), 64, 0), 1, "no function");
    assert_eq!(go(0x1234 as Ptr, (1, 1), 64, 0), 400, "not a function handle");
    let mut list: [Ptr; 2] = [std::ptr::null_mut(); 2];
    let list = Out::to(&mut list[0]);
    let null = std::ptr::null_mut();
    assert_eq!(
        hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, null, list, Out::null()),
        1,
        "argument pointers of NULL"
    );
    assert_eq!(
        hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, null, Out::null(), Out::null()),
        1,
        "no arguments"
    );
    assert_eq!(
        hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0x99 as Ptr, list, Out::null()),
        709,
        "no stream"
    );
    let mut g: Ptr = null;
    assert_eq!(hipModuleGetFunction(Out::to(&mut g), m.0, c"nowhere".as_ptr()), 500);
    assert_eq!(hipDeviceSynchronize(), 0);
}

#[test]
fn invalid_copies_are_rejected() {
    let mut host = [0u8; 128];
    let (h, p) = (host.as_mut_ptr().cast::<std::ffi::c_void>(), malloc(100) as Ptr);
    let at = |n: usize| p.wrapping_byte_add(n);
    assert_eq!(hipMemcpy(p, h, 100, 1), 0);
    assert_eq!(hipMemcpy(at(50), h, 50, 1), 0);
    assert_eq!(hipMemcpy(at(100), h, 0, 1), 0, "zero bytes at the end");
    assert_eq!(hipMemcpy(p, h, 101, 1), 1, "past the end");
    assert_eq!(hipMemcpy(at(50), h, 51, 1), 1, "past the end from the middle");
    assert_eq!(hipMemcpy(at(1 << 20), h, 1, 1), 1, "outside of any allocation");
    assert_eq!(hipMemcpy(h, p, 8, 1), 1, "the wrong direction");
    assert_eq!(hipMemcpy(p, p, 8, 2), 1, "a device pointer as the host's");
    assert_eq!(hipMemcpy(p, h, 8, 3), 1, "a host pointer as the device's");
    assert_eq!(hipMemcpy(p, h, 8, 9), 21, "an invalid direction");
    assert_eq!(hipMemcpy(p, std::ptr::null(), 8, 1), 1);
    assert_eq!(hipMemset(at(99), 0, 2), 1, "fill past the end");
    assert_eq!(hipMemset(h, 0, 2), 1, "fill of host memory");
    assert_eq!(hipFree(at(4)), 1, "not the start of an allocation");
    assert_eq!((hipFree(p), hipFree(p)), (0, 1), "freed twice");
    assert_eq!(hipMemcpy(h, p, 8, 2), 1, "freed");
    assert_eq!((hipFree(std::ptr::null_mut()), hipGetLastError(), hipGetLastError()), (0, 1, 0));
}

#[test]
fn memory_runs_out() {
    child("memory_runs_out", &[("MEM", "1000000")], || {
        let (mut p, mut free, mut total): (Ptr, usize, usize) = (std::ptr::null_mut(), 0, 0);
        assert_eq!(hipMalloc(Out::to(&mut p), 1_000_001), 2);
        assert!(p.is_null());
        let q = malloc(600_000);
        assert_eq!(hipMemGetInfo(Out::to(&mut free), Out::to(&mut total)), 0);
        assert_eq!((free, total), (400_000, 1_000_000));
        assert_eq!(hipMalloc(Out::to(&mut p), 400_001), 2);
        assert_eq!(hipFree(q as Ptr), 0);
        malloc(1_000_000);
        assert_eq!((hipGetLastError(), hipGetLastError()), (2, 0));
    });
}

#[test]
fn memory_runs_out_on_request() {
    child("memory_runs_out_on_request", &[("FAULT", "oom_after:1")], || {
        malloc(4);
        let mut p: Ptr = std::ptr::null_mut();
        assert_eq!(hipMalloc(Out::to(&mut p), 4), 2);
    });
}

#[test]
fn no_device() {
    child("no_device", &[("DEVICES", "0")], || {
        let mut n = 9;
        assert_eq!(hipInit(0), 100);
        assert_eq!((hipGetDeviceCount(Out::to(&mut n)), n), (100, 0));
        assert_eq!(hipRuntimeGetVersion(Out::to(&mut n)), 0);
        assert!(compile("extern \"C\" __global__ void k() {}", &["--offload-arch=gfx1100"]).is_ok());
    });
    let wrong = child("no_device", &[("DEVICES", "0"), ("ARCH", "gfx1")], || {});
    assert!(wrong.is_none_or(|w| w.contains("RUSHLIGHT_VGPU_ARCH=gfx1")));
}

#[test]
fn compile_errors_are_in_the_log() {
    let (rc, log) = compile("extern \"C\" __global__ void k() {\n  int x = y;\n}", &[]).unwrap_err();
    assert_eq!(rc, 6);
    assert!(log.contains("test.hip:2:11: error: use of undeclared identifier 'y'"), "{log}");
    let (rc, log) = compile("", &["--offload-arch=gfx777"]).unwrap_err();
    assert!(rc == 6 && log.contains("gfx777"), "{log}");
    let two = compile("", &["--offload-arch=gfx1100", "--offload-arch=gfx90a"]).unwrap_err();
    assert_eq!(two, (6, String::new()));
    let (rc, log) = compile("", &["-fno-such-option"]).unwrap_err();
    assert!(rc == 6 && log.contains("-fno-such-option"), "{log}");
    let (rc, log) = compile("#include <hip/hip_fp16.h>\n", &[]).unwrap_err();
    assert!(rc == 6 && log.contains("file not found"), "{log}");
    let gone = "__device__ void f(); extern \"C\" __global__ void k() { f(); }";
    let (rc, log) = compile(gone, &[]).unwrap_err();
    assert!(rc == 6 && log.contains("f()"), "{log}");
}

#[test]
fn no_compiler() {
    child("no_compiler", &[("CXX", "/nowhere/clang++")], || {
        let (rc, log) = compile("", &[]).unwrap_err();
        assert!(rc == 6 && log.contains("/nowhere/clang++"), "{log}");
    });
}

#[test]
fn compilation_fails_on_request() {
    child("compilation_fails_on_request", &[("FAULT", "compile_fail")], || {
        let (rc, log) = compile("extern \"C\" __global__ void k() {}", &[]).unwrap_err();
        assert!(rc == 6 && log.contains("on request"), "{log}");
    });
}

#[test]
fn modules_for_other_targets_are_rejected() {
    let other = compile("extern \"C\" __global__ void k() {}", &["--offload-arch=gfx90a"]).unwrap();
    let mut m: Ptr = std::ptr::null_mut();
    let mut load = |image: &[u8]| hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast());
    assert_eq!(load(&other), 209, "another target");
    assert_eq!(load(&[7u8; 64]), 200, "garbage");
    let mut amd = other.clone();
    (amd[18], amd[19]) = (224, 0);
    assert_eq!(load(&amd), 209, "AMD machine code");
    let mut bundle = [0u8; 64];
    bundle[..24].copy_from_slice(b"__CLANG_OFFLOAD_BUNDLE__");
    assert_eq!(load(&bundle), 209, "a bundle");
}
