//! The safe layer on a small fake runtime whose "device memory" is host memory.
mod common;
use common::{Tree, passes};
use rushlight_hip::{
    Blas, BlasType, Device, Error, Gemm, Hip, LaunchConfig, Matrix, MissingSymbol, Module, Trans, rtc,
};
use std::sync::OnceLock;

/// The fake runtime, for children that do not depend on its file.
fn fake() -> &'static str {
    static MADE: OnceLock<(Tree, String)> = OnceLock::new();
    let (_, path) = MADE.get_or_init(|| {
        let tree = Tree::kept("safe");
        tree.hip("libamdhip64.so.7", 70_051_831, &["R0600", "NO_hipHostMalloc"]);
        tree.hip("host/libamdhip64.so.7", 70_051_831, &["R0600"]);
        for f in ["librocblas.so.4", "host/librocblas.so.5"] {
            tree.cc(f, &["ONLY_BLAS"], &[]);
        }
        // rocBLAS searches next to itself before ../rocblas.
        for f in ["rocblas/library", "host/library"] {
            std::fs::create_dir_all(tree.path(f)).unwrap();
        }
        std::fs::write(tree.path("rocblas/library/TensileLibrary_lazy_gfx90a.dat"), "").unwrap();
        let path = tree.str("");
        (tree, path)
    });
    path
}

/// Runs a child on the fake runtime.
fn on_fake(name: &str, more: &[(&str, &str)]) {
    let mut env = vec![("RUSHLIGHT_ROCM_PATH", fake())];
    env.extend(more);
    passes(name, &env);
}

/// Calls a function of the fake runtime.
fn ask(name: &std::ffi::CStr) -> i32 {
    let (_, path) = Hip::get().unwrap().library_paths().remove(0);
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: the library is loaded already; the function takes nothing and returns an int.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        let at = libc::dlsym(handle, name.as_ptr());
        assert!(!at.is_null());
        std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> i32>(at)()
    }
}

fn last() -> String {
    let (_, path) = Hip::get().unwrap().library_paths().remove(0);
    let path = std::ffi::CString::new(path.to_str().unwrap()).unwrap();
    // SAFETY: as above; the function returns a C string.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
        let at = libc::dlsym(handle, c"fake_last".as_ptr());
        let function = std::mem::transmute::<*mut libc::c_void, extern "C" fn() -> *const libc::c_char>(at);
        std::ffi::CStr::from_ptr(function()).to_str().unwrap().to_string()
    }
}

fn set(name: &str, value: &str) {
    let name = std::ffi::CString::new(name).unwrap();
    let value = std::ffi::CString::new(value).unwrap();
    // SAFETY: C's own, as the fake runtime reads it by getenv; no other thread reads the environment meanwhile.
    unsafe { libc::setenv(name.as_ptr(), value.as_ptr(), 1) };
}

/// A code object that is complete according to its headers.
fn image() -> Vec<u8> {
    let mut elf = vec![0; 64];
    elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
    elf
}

fn module(device: &Device) -> Module {
    device.load_module(&image()).unwrap()
}

#[test]
fn memory_is_checked_against_live_allocations() {
    on_fake("child_memory", &[("FAKE_COUNT", "2")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_memory() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let a = device.alloc(100).unwrap();
    let b = device.alloc(50).unwrap();
    assert_eq!(device.allocated(), 150);
    device.memcpy_htod(a, &[7; 100], &stream).unwrap();
    device.memset_d8(a + 10, 9, 5, &stream).unwrap();
    device.memcpy_dtod(b, a + 8, 50, &stream).unwrap();
    let mut out = [0; 10];
    device.memcpy_dtoh(&mut out, b, &stream).unwrap();
    assert_eq!(out, [7, 7, 9, 9, 9, 9, 9, 7, 7, 7]);

    // One byte too many, before the start, unmapped, beyond the end of the address space.
    let refused = |r: rushlight_hip::Result<()>| matches!(r.unwrap_err(), Error::Argument { .. });
    assert!(refused(device.memcpy_htod(a, &[0; 101], &stream)));
    assert!(refused(device.memcpy_htod(a + 100, &[0], &stream)));
    assert!(refused(device.memcpy_dtoh(&mut out, a - 1, &stream)));
    let host = stream.device() as *const Device as u64;
    assert!(refused(device.memcpy_dtoh(&mut out, host, &stream)));
    assert!(refused(device.memset_d8(a, 0, u64::MAX, &stream)));
    assert!(refused(device.memcpy_dtod(a, b, 51, &stream)));
    // Zero bytes are valid.
    assert_eq!(device.alloc(0).unwrap(), 0);
    device.free(0).unwrap();
    device.memcpy_htod(0, &[], &stream).unwrap();
    device.memcpy_dtod(0, 0, 0, &stream).unwrap();

    device.free(a).unwrap();
    assert!(refused(device.free(a)));
    assert!(refused(device.free(b + 1)));
    assert!(refused(device.memcpy_dtoh(&mut out, a, &stream)));
    assert_eq!(device.allocated(), 50);

    // Another device's stream, and copies between devices.
    let second = Device::new(1).unwrap();
    let other = second.stream().unwrap();
    let e = device.memcpy_htod(b, &[0], &other).unwrap_err().to_string();
    assert!(e.contains("the stream belongs to Device(1"), "{e}");
    let c = second.alloc(50).unwrap();
    second.memcpy_peer(c, &device, b, 50, &other).unwrap();
    assert_eq!(last(), "peer 1<-0");
    assert!(refused(second.memcpy_peer(c, &device, c, 50, &other)));
    let mut out = [0; 10];
    second.memcpy_dtoh(&mut out, c, &other).unwrap();
    assert_eq!(out[1..3], [7, 9]);
    assert_ne!(device, second);

    // The device has no memory left.
    set("FAKE_FAIL", "hipMalloc=2");
    let e = device.alloc(1).unwrap_err();
    assert!(e.is_out_of_memory() && e.to_string() == "hipMalloc: hipErrorOutOfMemory (2), a text", "{e}");
}

#[test]
fn missing_function_fails_only_its_caller() {
    on_fake("child_symbol", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_symbol() {
    let device = Device::new(0).unwrap();
    let e = device.host_alloc(8).unwrap_err();
    assert!(
        matches!(&e, Error::Symbol(MissingSymbol { name: "hipHostMalloc", needed_for: "memory", .. })),
        "{e:?}"
    );
    assert!(
        e.to_string().ends_with("libamdhip64.so.7 has no hipHostMalloc, which is needed for memory"),
        "{e}"
    );
    device.alloc(8).unwrap();
}

#[test]
fn pinned_memory_is_zeroed_and_bounded() {
    on_fake("child_host", &[("RUSHLIGHT_ROCM_PATH", &format!("{}host", fake()))]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_host() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let host = device.host_alloc(23).unwrap();
    let mut out = [1; 23];
    host.read(0, &mut out).unwrap();
    assert_eq!(out, [0; 23]);
    // Words and single bytes at both ends.
    let numbers: Vec<u8> = (1..=18).collect();
    host.write(3, &numbers).unwrap();
    host.read(0, &mut out).unwrap();
    assert_eq!(out[3..21], numbers[..]);
    assert_eq!((&out[..3], &out[21..]), (&[0; 3][..], &[0; 2][..]));
    assert!(host.read(20, &mut [0; 4]).is_err() && host.write(usize::MAX, &[0; 2]).is_err());

    let ptr = device.alloc(23).unwrap();
    device.memcpy_from_host(ptr, &host, 3, 18, &stream).unwrap();
    device.memcpy_to_host(&host, 0, ptr, 4, &stream).unwrap();
    let mut out = [0; 6];
    host.read(0, &mut out).unwrap();
    assert_eq!(out, [1, 2, 3, 4, 2, 3]);
    assert!(device.memcpy_from_host(ptr, &host, 6, 18, &stream).is_err());
    assert!(device.memcpy_to_host(&host, 0, ptr + 20, 4, &stream).is_err());
    assert_eq!(device.host_alloc(0).unwrap().len(), 0);
}

#[test]
fn impossible_launches_are_rejected_before_they_are_issued() {
    on_fake("child_launch", &[("FAKE_COUNT", "2")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_launch() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let module = module(&device);
    let kernel = module.function("kernel").unwrap();
    let e = module.function("missing").unwrap_err().to_string();
    assert!(e.contains("hipErrorNotFound (500), the module has no kernel missing"), "{e}");
    let info = kernel.info().unwrap();
    assert_eq!(
        (info.max_threads_per_block, info.lds, info.constants, info.private, info.registers),
        (256, 4096, 8, 16, 32)
    );

    let mut number = 42i32;
    let mut args = [(&raw mut number).cast()];
    let config = |grid, block, lds| LaunchConfig { grid, block, lds };
    let mut launch = |c: LaunchConfig, s: &rushlight_hip::Stream| {
        // SAFETY: the fake kernel reads one int.
        unsafe { kernel.launch(c, s, &mut args) }
    };
    launch(config((7, 6, 5), (4, 3, 2), 99), &stream).unwrap();
    assert_eq!(last(), "7,6,5 4,3,2 99 42 1");
    launch(config((16_777_215, 65_535, 65_535), (256, 1, 1), 61_440), &device.null_stream()).unwrap();
    assert_eq!(ask(c"fake_launches"), 2);

    let other = Device::new(1).unwrap().stream().unwrap();
    for (bad, s, why) in [
        (config((0, 1, 1), (1, 1, 1), 0), &stream, "a size is 0"),
        (config((1, 1, 1), (1, 0, 1), 0), &stream, "a size is 0"),
        (config((1, 65_536, 1), (1, 1, 1), 0), &stream, "more than 65535 blocks in y or z"),
        (config((1, 1, 65_536), (1, 1, 1), 0), &stream, "more than 65535 blocks in y or z"),
        (config((16_777_216, 1, 1), (256, 1, 1), 0), &stream, "2^32 threads or more in x"),
        (config((1, 1, 1), (257, 1, 1), 0), &stream, "257 threads, the kernel allows 256"),
        (config((1, 1, 1), (u32::MAX, u32::MAX, u32::MAX), 0), &stream, "the kernel allows 256"),
        (config((1, 1, 1), (1, 1, 1), 61_441), &stream, "4096 + 61441 bytes of LDS, the device has 65536"),
        (config((1, 1, 1), (1, 1, 1), 0), &other, "the stream belongs to Device(1"),
    ] {
        let e = launch(bad, s).unwrap_err();
        assert!(matches!(&e, Error::Launch { .. }) && e.to_string().contains(why), "{bad:?}: {e}");
    }
    assert_eq!(ask(c"fake_launches"), 2);
}

#[test]
fn truncated_code_objects_are_rejected() {
    on_fake("child_images", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_images() {
    let device = Device::new(0).unwrap();
    let refused = |image: &[u8], why: &str| {
        let e = device.load_module(image).unwrap_err();
        assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
    };
    refused(b"", "truncated: 0 bytes");
    refused(&[0; 100], "not an ELF file");
    // A segment beyond the end, a section table beyond the end.
    let mut elf = image();
    (elf[32], elf[54], elf[56]) = (64, 56, 1);
    refused(&elf, "truncated");
    elf.extend([0; 56]);
    elf[64] = 1;
    device.load_module(&elf).unwrap();
    elf[64 + 32] = 200;
    refused(&elf, "segments reach beyond");
    let mut elf = image();
    (elf[40], elf[58], elf[60]) = (64, 64, 1);
    refused(&elf, "sections lie beyond its end");
    // Bundles: one part, 8 bytes, behind the header.
    let mut bundle = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    for word in [1u64, 60, 8, 4] {
        bundle.extend(word.to_le_bytes());
    }
    bundle.extend(b"host12345678");
    // This one is complete, so it reaches the fake runtime, which takes ELF only.
    assert!(matches!(device.load_module(&bundle).unwrap_err(), Error::Hip { code: 200, .. }));
    refused(&bundle[..bundle.len() - 1], "a truncated bundle");
    refused(&bundle[..30], "a truncated bundle");
    let mut many = bundle.clone();
    many[24] = 255;
    refused(&many, "a truncated bundle");
    let mut ccob = b"CCOB".to_vec();
    ccob.extend([2, 0, 1, 0, 24, 0, 0, 0]);
    refused(&ccob, "a truncated compressed bundle");
}

#[test]
fn destructor_error_is_returned_by_the_next_call() {
    on_fake("child_drop", &[("FAKE_FAIL", "hipStreamDestroy=709"), ("FAKE_COUNT", "2")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_drop() {
    let (device, other) = (Device::new(0).unwrap(), Device::new(1).unwrap());
    drop(device.stream().unwrap());
    // Another device does not return it; this one returns it once.
    other.mem_info().unwrap();
    let e = device.mem_info().unwrap_err();
    assert!(matches!(e, Error::Hip { call: "hipStreamDestroy", code: 709, .. }), "{e:?}");
    device.mem_info().unwrap();
    // The first error wins, whatever was dropped.
    set("FAKE_FAIL", "hipDeviceSynchronize=700");
    drop(module(&device));
    let stream = device.stream().unwrap_err();
    assert!(
        matches!(stream, Error::Hip { call: "hipDeviceSynchronize", code: 700, .. }) && stream.is_sticky()
    );
    assert_eq!(
        stream.to_string(),
        "hipDeviceSynchronize: hipErrorIllegalAddress (700), an illegal memory access was encountered"
    );
}

#[test]
fn each_thread_has_the_right_device() {
    on_fake("child_threads", &[("FAKE_COUNT", "2")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_threads() {
    let (zero, one) = (Device::new(0).unwrap(), Device::new(1).unwrap());
    assert_eq!((zero.mem_info().unwrap().0, one.mem_info().unwrap().0), (1000, 1001));
    let from = one.clone();
    std::thread::spawn(move || assert_eq!(from.mem_info().unwrap().0, 1001)).join().unwrap();
    assert_eq!(zero.mem_info().unwrap().0, 1000);
    // Other code of the thread makes another device current.
    // SAFETY: takes a number.
    unsafe { Hip::get().unwrap().calls().hipSetDevice(1).unwrap() };
    assert_eq!(zero.mem_info().unwrap().0, 1000);
    // The same device again costs no call.
    let before = ask(c"fake_sets");
    (0..10).for_each(|_| assert!(zero.mem_info().is_ok()));
    assert_eq!(ask(c"fake_sets"), before);
}

#[test]
fn no_device_is_a_distinct_error() {
    on_fake("child_missing", &[("FAKE_COUNT", "0")]);
    for code in ["3", "35", "100", "101"] {
        on_fake("child_missing", &[("FAKE_FAIL", &format!("hipGetDeviceCount={code}"))]);
    }
    on_fake("child_broken", &[("FAKE_FAIL", "hipGetDeviceCount=999")]);
    on_fake("child_one", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_missing() {
    assert_eq!(Hip::get().unwrap().device_count().unwrap(), 0);
    let e = Device::new(0).unwrap_err();
    assert!(
        e.is_no_device() && e.to_string().starts_with("there is no ROCm device 0: HIP sees 0 devices"),
        "{e}"
    );
}

#[test]
#[ignore = "run by a test above in a separate process"]
fn child_broken() {
    let e = Device::new(0).unwrap_err();
    assert!(!e.is_no_device() && matches!(e, Error::Hip { code: 999, .. }), "{e}");
}

#[test]
#[ignore = "run by a test above in a separate process"]
fn child_one() {
    let e = Device::new(5).unwrap_err();
    assert!(e.is_no_device() && e.to_string() == "there is no ROCm device 5: HIP sees 1 device", "{e}");
    // Waiting returns "not ready" or an error, so that no caller waits for a lost GPU.
    let device = Device::new(0).unwrap();
    let (stream, event) = (device.stream().unwrap(), device.event(false).unwrap());
    event.record(&stream).unwrap();
    assert!(stream.is_done().unwrap() && event.is_done().unwrap());
    set("FAKE_FAIL", "hipStreamQuery=600");
    assert!(!stream.is_done().unwrap());
    set("FAKE_FAIL", "hipEventQuery=719");
    assert!(event.is_done().unwrap_err().is_sticky());
    let e = event.elapsed_ms(&event).unwrap_err().to_string();
    assert!(e.contains("without timing"), "{e}");
    let e = rtc::compile("x", "x", &[], &[]).unwrap_err().to_string();
    assert!(e.contains("--offload-arch"), "{e}");
}

#[test]
fn forked_child_gets_an_error_that_names_spawn() {
    on_fake("child_fork", &[("RUSHLIGHT_ROCM_PATH", &format!("{}host", fake()))]);
}

/// Runs a closure in a forked process; its result is the exit status.
fn forked(work: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child runs `work` and ends without returning; this process has one thread that does anything.
    unsafe {
        let pid = libc::fork();
        if pid == 0 {
            libc::_exit(work());
        }
        let mut status = 0;
        libc::waitpid(pid, &raw mut status, 0);
        if libc::WIFEXITED(status) { libc::WEXITSTATUS(status) } else { 1000 + libc::WTERMSIG(status) }
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fork() {
    // A fork before loading may load.
    assert_eq!(forked(|| i32::from(Device::new(0).is_err())), 0);
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let second = device.stream().unwrap();
    let host = device.host_alloc(8).unwrap();
    device.alloc(8).unwrap();
    let status = forked(|| {
        let a = stream
            .synchronize()
            .is_err_and(|e| matches!(e, Error::Forked { .. }) && e.to_string().contains("spawn"));
        let b = Hip::get().is_err_and(|e| e.is_forked() && e.to_string().contains("spawn"));
        let c = Device::new(0).is_err() && rtc::version().is_err() && device.alloc(8).is_err();
        let d = matches!(host.read(0, &mut [0]), Err(Error::Forked { .. })) && host.write(0, &[1]).is_err();
        // Destructors call nothing: the fake runtime would end this process with 98.
        set("FAKE_FAIL", "hipStreamDestroy=9999");
        drop(second);
        i32::from(!(a && b && c && d && device.allocated() == 0))
    });
    assert_eq!(status, 0);
    stream.synchronize().unwrap();
}

#[test]
fn nothing_is_called_when_the_process_ends() {
    on_fake("child_end", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_end() {
    static KEPT: std::sync::Mutex<Option<rushlight_hip::Stream>> = std::sync::Mutex::new(None);
    extern "C" fn late() {
        // The runtime has ended by now: a call would end this process with 99.
        drop(KEPT.lock().unwrap().take());
    }
    // SAFETY: a handler of the process's end, registered before the runtime is loaded, so that it runs after its own.
    unsafe { libc::atexit(late) };
    *KEPT.lock().unwrap() = Some(Device::new(0).unwrap().stream().unwrap());
}

#[test]
fn matrix_product_arguments_are_in_order() {
    on_fake("child_blas", &[("FAKE_COUNT", "2")]);
    on_fake("child_no_kernels", &[("RUSHLIGHT_ROCM_PATH", &format!("{}host", fake()))]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_kernels() {
    // The real library would end the process at its first product.
    let device = Device::new(0).unwrap();
    let e = Blas::new(&device.stream().unwrap()).unwrap_err();
    assert!(matches!(&e, Error::NoKernels { arch, .. } if arch == "gfx90a"), "{e:?}");
    assert!(e.to_string().contains("librocblas.so.5 has no kernels for gfx90a: "), "{e}");
    assert_eq!(Blas::check(&device).unwrap_err(), e);
}

#[test]
#[ignore = "run by a test above in a separate process"]
fn child_blas() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let mut blas = Blas::new(&stream).unwrap();
    assert_eq!(Blas::version().unwrap(), "4.4.1.fake");
    let upload = |v: &[f32]| {
        let bytes: Vec<u8> = v.iter().flat_map(|x| x.to_ne_bytes()).collect();
        let ptr = device.alloc(bytes.len() as u64).unwrap();
        device.memcpy_htod(ptr, &bytes, &stream).unwrap();
        ptr
    };
    // Two 2x3 times 3x2; a is stored transposed with a larger leading dimension, b is shared by the batch.
    let a: Vec<f32> = (0..16).map(|i| i as f32).collect();
    let b = [1., 2., 3., 4., 5., 6.];
    let (pa, pb, pc) = (upload(&a), upload(&b), upload(&[100.0; 8]));
    let gemm = Gemm {
        trans_a: Trans::Transpose,
        trans_b: Trans::None,
        m: 2,
        n: 2,
        k: 3,
        batch: 2,
        input: BlasType::F32,
        output: BlasType::F32,
        alpha: 2.0,
        beta: 0.5,
        a: Matrix { ptr: pa, ld: 4, stride: 8 },
        b: Matrix { ptr: pb, ld: 3, stride: 0 },
        c: Matrix { ptr: pc, ld: 2, stride: 4 },
        d: Matrix { ptr: pc, ld: 2, stride: 4 },
        alt_half: false,
    };
    blas.gemm(&gemm).unwrap();
    let mut out = [0; 32];
    device.memcpy_dtoh(&mut out, pc, &stream).unwrap();
    let got: Vec<f32> = out.chunks_exact(4).map(|c| f32::from_ne_bytes(c.try_into().unwrap())).collect();
    let dot =
        |i: usize, j: usize, z: usize| -> f32 { (0..3).map(|l| a[8 * z + 4 * i + l] * b[3 * j + l]).sum() };
    let want: Vec<f32> = (0..8).map(|e| 2.0 * dot(e % 2, e / 2 % 2, e / 4) + 50.0).collect();
    assert_eq!(got, want);

    // Accesses out of bounds, and products that rocBLAS lacks.
    let mut refused = |g: Gemm, why: &str| {
        let e = blas.gemm(&g).unwrap_err();
        assert!(matches!(&e, Error::Argument { .. }) && e.to_string().contains(why), "{e}");
    };
    refused(Gemm { m: 3, batch: 1, ..gemm }, "c has 3 rows and a leading dimension of 2");
    refused(Gemm { k: 5, ..gemm }, "a has 5 rows and a leading dimension of 4");
    refused(Gemm { batch: 3, ..gemm }, "not inside a live allocation");
    refused(
        Gemm { d: Matrix { stride: 3, ..gemm.d }, c: Matrix { stride: 3, ..gemm.c }, ..gemm },
        "d overlap",
    );
    refused(Gemm { d: Matrix { ld: 3, stride: 6, ..gemm.d }, ..gemm }, "not inside a live allocation");
    refused(Gemm { c: Matrix { ld: 3, ..gemm.c }, batch: 1, ..gemm }, "c is d, but with other strides");
    refused(Gemm { output: BlasType::F64, ..gemm }, "a product of F32 with a result of F64 is not supported");
    refused(Gemm { a: Matrix { ptr: pa + 2, ..gemm.a }, ..gemm }, "not aligned");
    refused(Gemm { n: u64::MAX, ..gemm }, "larger than an address can count");
    let other = Device::new(1).unwrap().stream().unwrap();
    assert!(blas.set_stream(&other).unwrap_err().to_string().contains("Device(1"));
    // rocBLAS's own status.
    set("FAKE_FAIL", "rocblas_gemm_strided_batched_ex=2");
    let e = blas.gemm(&gemm).unwrap_err();
    assert_eq!(e.to_string(), "rocblas_gemm_strided_batched_ex: rocblas_status_not_implemented (2)");
    // An empty product makes no call.
    blas.gemm(&Gemm { n: 0, ..gemm }).unwrap();
    // With an empty sum the operands are not read.
    set("FAKE_FAIL", "");
    blas.gemm(&Gemm { k: 0, a: Matrix { ptr: 0, ld: 4, stride: 0 }, ..gemm }).unwrap();
    let mut out = [0; 4];
    device.memcpy_dtoh(&mut out, pc, &stream).unwrap();
    assert_eq!(f32::from_ne_bytes(out), want[0] / 2.0);
}
