//! The safe layer on the virtual AMD GPU, as HIP 5, 6 and 7: kernels really run.
mod common;
use common::{passes, vgpu};
use rushlight_hip::{Device, Error, Function, Hip, LaunchConfig, MemoryKind, Stream, rtc};

const SOURCE: &str = r#"
__device__ int offset[2];
extern "C" __global__ void add(int *out, const int *in, unsigned n, int *seen) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] + offset[1];
    if (i == 0) *seen = 42;
}"#;

/// Runs an ignored test in a child process, once with each HIP version of the virtual GPU that is built.
fn on_each(name: &str, more: &[(&str, &str)]) {
    on(&["hip5", "hip6", "hip7"], name, more);
}

/// Runs an ignored test in a child process with those of the versions that are built, and prints the missing ones.
fn on(versions: &[&str], name: &str, more: &[(&str, &str)]) {
    for version in versions {
        match vgpu(version) {
            Ok(folder) => {
                let mut env =
                    vec![("RUSHLIGHT_ROCM_PATH", folder.to_str().unwrap()), ("VERSION", &version[3..])];
                env.extend(more);
                passes(name, &env);
            }
            Err(why) => println!("skipped: {version}: {why}"),
        }
    }
}

fn compile(device: &Device) -> rushlight_hip::Result<Vec<u8>> {
    let arch = format!("--offload-arch={}", device.arch());
    Ok(rtc::compile(SOURCE, "add.hip", &[], &[arch])?.code)
}

fn ints(bytes: &[u8]) -> Vec<i32> {
    bytes.chunks_exact(4).map(|c| i32::from_ne_bytes(c.try_into().unwrap())).collect()
}

fn launch(
    kernel: &Function,
    stream: &Stream,
    n: u32,
    mut out: u64,
    mut input: u64,
    mut seen: u64,
) -> rushlight_hip::Result<()> {
    let mut n = n;
    let mut args =
        [(&raw mut out).cast(), (&raw mut input).cast(), (&raw mut n).cast(), (&raw mut seen).cast()];
    // SAFETY: the kernel takes two pointers to n ints, n, and a pointer to one int; all are live.
    unsafe { kernel.launch(LaunchConfig::cover(n, 64), stream, &mut args) }
}

#[test]
fn a_kernel_runs_in_every_version() {
    on_each("child_runs", &[]);
    on_each("child_runs", &[("RUSHLIGHT_VGPU_ARCH", "gfx90a")]);
    // The device's own target is compiled for, even if the compiler is not known to support it.
    on_each("child_runs", &[("RUSHLIGHT_VGPU_ARCH", "gfx1201")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_runs() {
    let hip = Hip::get().unwrap();
    assert_eq!(hip.major().to_string(), common::var("VERSION"));
    let device = Device::new(0).unwrap();
    assert!(device.name().contains("virtual"), "{}", device.name());
    let stream = device.stream().unwrap();
    let module = device.load_module(&compile(&device).unwrap()).unwrap();
    let kernel = module.function("add").unwrap();
    let e = module.function("sub").unwrap_err();
    assert!(matches!(e, Error::Hip { code: 500, .. }), "{e:?}");

    // A variable of the module, pinned memory that the kernel writes, and events.
    let (offset, bytes) = module.global("offset").unwrap();
    assert_eq!(bytes, 8);
    device.memcpy_htod(offset + 4, &1000i32.to_ne_bytes(), &stream).unwrap();
    let seen = device.host_alloc(4).unwrap();
    let n = 1000u32;
    let input: Vec<u8> = (0..n as i32).flat_map(i32::to_ne_bytes).collect();
    let (a, b) = (device.alloc(4000).unwrap(), device.alloc(4000).unwrap());
    device.memcpy_htod(a, &input, &stream).unwrap();
    let (start, stop) = (device.event(true).unwrap(), device.event(true).unwrap());
    start.record(&stream).unwrap();
    launch(&kernel, &stream, n, b, a, seen.device_ptr()).unwrap();
    stop.record(&stream).unwrap();
    stop.synchronize().unwrap();
    assert!(stop.elapsed_ms(&start).unwrap() >= 0.0 && stop.is_done().unwrap());
    let mut word = [0; 4];
    seen.read(0, &mut word).unwrap();
    assert_eq!(i32::from_ne_bytes(word), 42);
    let mut out = vec![0; 4000];
    device.memcpy_dtoh(&mut out, b, &stream).unwrap();
    assert_eq!(ints(&out), (1000..2000).collect::<Vec<i32>>());

    // The memory kind, in this version's numbers.
    let here = 1u64;
    assert_eq!(hip.pointer(a + 8).unwrap().kind, MemoryKind::Device);
    assert_eq!(hip.pointer(seen.as_ptr() as u64).unwrap().kind, MemoryKind::Host);
    assert_eq!(hip.pointer(&raw const here as u64).unwrap().kind, MemoryKind::Unknown);

    // An object of another target, and bytes that are not an object.
    let mut other = compile(&device).unwrap();
    other.truncate(100);
    assert!(matches!(device.load_module(&other).unwrap_err(), Error::Argument { .. }));

    // All memory was freed.
    let (free, total) = device.mem_info().unwrap();
    device.free(a).unwrap();
    device.free(b).unwrap();
    assert!(device.mem_info().unwrap().0 > free && free < total);
    drop((module, kernel, seen, start, stop, stream));
    device.synchronize().unwrap();
}

#[test]
fn invalid_setting_is_named() {
    on_each("child_wrong", &[("RUSHLIGHT_VGPU_ARCH", "gfx1")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_wrong() {
    let e = Device::new(0).unwrap_err();
    let text = e.to_string();
    assert!(e.is_no_device(), "{text}");
    assert!(text.contains("RUSHLIGHT_VGPU_ARCH=gfx1: expected gfx") && !text.contains("kfd"), "{text}");
}

#[test]
fn two_devices_are_used_by_two_threads() {
    on_each("child_two", &[("RUSHLIGHT_VGPU_DEVICES", "2")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_two() {
    let code = compile(&Device::new(0).unwrap()).unwrap();
    // Both threads use both devices in turn: HIP 7 refuses a stream whose device is not current.
    let work = |first: usize| {
        for turn in 0..4 {
            let device = Device::new((first + turn) % 2).unwrap();
            let stream = device.stream().unwrap();
            let kernel = device.load_module(&code).unwrap().function("add").unwrap();
            let (a, b) = (device.alloc(400).unwrap(), device.alloc(404).unwrap());
            device.memset_d8(a, 1, 400, &stream).unwrap();
            launch(&kernel, &stream, 100, b, a, b + 400).unwrap();
            let mut out = vec![0; 404];
            device.memcpy_dtoh(&mut out, b, &stream).unwrap();
            let mut want = vec![0x0101_0101; 100];
            want.push(42);
            assert_eq!(ints(&out), want);
            device.free(a).unwrap();
            device.free(b).unwrap();
        }
    };
    std::thread::scope(|s| {
        s.spawn(|| work(0));
        s.spawn(|| work(1));
    });
    // Between them.
    let (zero, one) = (Device::new(0).unwrap(), Device::new(1).unwrap());
    let (s0, s1) = (zero.stream().unwrap(), one.stream().unwrap());
    let (a, b) = (zero.alloc(16).unwrap(), one.alloc(16).unwrap());
    zero.memset_d8(a, 5, 16, &s0).unwrap();
    s0.synchronize().unwrap();
    one.memcpy_peer(b, &zero, a, 16, &s1).unwrap();
    let mut out = [0; 16];
    one.memcpy_dtoh(&mut out, b, &s1).unwrap();
    assert_eq!(out, [5; 16]);
}

#[test]
fn lost_device_stays_lost() {
    // Up to HIP 6 the runtime ends the process.
    on(&["hip7"], "child_lost", &[("RUSHLIGHT_VGPU_FAULT", "lost_after:1")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lost() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let kernel = device.load_module(&compile(&device).unwrap()).unwrap().function("add").unwrap();
    let a = device.alloc(404).unwrap();
    launch(&kernel, &stream, 100, a, a, a + 400).unwrap();
    stream.synchronize().unwrap();
    // The launch succeeds; every later call returns the loss.
    let lost = launch(&kernel, &stream, 100, a, a, a + 400).and_then(|()| stream.synchronize()).unwrap_err();
    assert!(lost.is_sticky() && !lost.is_out_of_memory() && !lost.is_no_device(), "{lost:?}");
    for _ in 0..2 {
        assert!(device.alloc(16).unwrap_err().is_sticky());
        assert!(stream.is_done().unwrap_err().is_sticky());
        assert!(device.memcpy_dtoh(&mut [0; 4], a, &stream).unwrap_err().is_sticky());
    }
    // Destructors return, and the process ends without a crash.
    drop((kernel, stream));
}

#[test]
fn out_of_memory_is_a_distinct_error() {
    on_each("child_oom", &[("RUSHLIGHT_VGPU_FAULT", "oom_after:1")]);
    on_each("child_oom", &[("RUSHLIGHT_VGPU_MEM", "65536")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_oom() {
    let device = Device::new(0).unwrap();
    device.alloc(40_000).unwrap();
    let e = device.alloc(40_000).unwrap_err();
    assert!(e.is_out_of_memory() && !e.is_sticky(), "{e:?}");
    assert_eq!(device.allocated(), 40_000);
    // The error is not sticky.
    device.synchronize().unwrap();
}

#[test]
fn a_failing_compiler_is_an_error_with_its_log() {
    on_each("child_compile", &[]);
    on_each("child_compile_fail", &[("RUSHLIGHT_VGPU_FAULT", "compile_fail")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_compile() {
    let arch = ["--offload-arch=gfx1100".to_string()];
    let e = rtc::compile("extern \"C\" __global__ void k() { int x = missing; }", "k.hip", &[], &arch)
        .unwrap_err();
    assert!(matches!(e, Error::Rtc { code: 6, .. }) && e.log().unwrap().contains("missing"), "{e:?}");
}

#[test]
#[ignore = "run by a test above in a separate process"]
fn child_compile_fail() {
    let device = Device::new(0).unwrap();
    assert!(matches!(compile(&device).unwrap_err(), Error::Rtc { .. }));
    device.alloc(8).unwrap();
}

#[test]
fn a_graph_repeats_what_a_stream_recorded() {
    on_each("child_graph", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_graph() {
    let device = Device::new(0).unwrap();
    let stream = device.stream().unwrap();
    let module = device.load_module(&compile(&device).unwrap()).unwrap();
    let kernel = module.function("add").unwrap();
    let (a, seen) = (device.alloc(400).unwrap(), device.alloc(4).unwrap());
    device.memset_d8(a, 0, 400, &stream).unwrap();
    let (offset, _) = module.global("offset").unwrap();
    device.memcpy_htod(offset + 4, &3i32.to_ne_bytes(), &stream).unwrap();
    stream.begin_capture().unwrap();
    assert!(stream.is_capturing().unwrap());
    launch(&kernel, &stream, 100, a, a, seen).unwrap();
    let b = device.relaxed(|| device.alloc(400)).unwrap();
    device.memcpy_dtod(b, a, 400, &stream).unwrap();
    let graph = stream.end_capture().unwrap();
    assert!(!stream.is_capturing().unwrap());
    for turn in 1..4 {
        stream.launch_graph(&graph).unwrap();
        let mut out = vec![0; 400];
        device.memcpy_dtoh(&mut out, b, &stream).unwrap();
        assert_eq!(ints(&out), vec![3 * turn; 100]);
    }
    // A call that a capture forbids is its error, and the stream can be used afterwards.
    stream.begin_capture().unwrap();
    for (done, code) in [
        (device.alloc(64).map(drop), 900),
        (stream.synchronize(), 900),
        (stream.launch_graph(&graph), 901),
        (stream.end_capture().map(drop), 901),
        (stream.end_capture().map(drop), 401),
    ] {
        assert!(matches!(done, Err(Error::Hip { code: c, .. }) if c == code), "{code}: {done:?}");
    }
    stream.launch_graph(&graph).unwrap();
    stream.synchronize().unwrap();
}
