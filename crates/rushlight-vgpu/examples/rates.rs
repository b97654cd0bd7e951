//! Compares the speed of the two engines for the same kernels: `cargo run --release -p rushlight-vgpu --example
//! rates`, with RUSHLIGHT_VGPU_ARCH=gfx90a for waves of 64. Milliseconds are processor time of all threads, so that
//! other programs disturb them little; instructions are those of all waves.
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;
use rushlight_vgpu::hiprtc::*;
use std::process::Command;

const SOURCE: &str = r#"
extern "C" __global__ void __launch_bounds__(256) add(float* out, const float* a, const float* b) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    out[i] = a[i] + b[i];
}
extern "C" __global__ void __launch_bounds__(256) exponential(float* out, const float* a, const float*) {
    unsigned i = blockIdx.x * 256 + threadIdx.x;
    out[i] = __builtin_expf(a[i]);
}
extern "C" __global__ void __launch_bounds__(256) gemm(float* out, const float* a, const float* b) {
    __shared__ float sa[16][16], sb[16][16];
    unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, col = blockIdx.x % 16 * 16 + x, row = blockIdx.x / 16 * 16 + y;
    float sum = 0;
    for (unsigned k = 0; k < 256; k += 16) {
        sa[y][x] = a[row * 256 + k + x];
        sb[y][x] = b[(k + y) * 256 + col];
        __syncthreads();
        for (unsigned j = 0; j < 16; j++) sum = __builtin_fmaf(sa[y][j], sb[j][x], sum);
        __syncthreads();
    }
    out[row * 256 + col] = sum;
}
"#;
const N: usize = 1 << 20;

/// Returns the code that hiprtc compiles.
fn compile() -> Vec<u8> {
    let source = std::ffi::CString::new(SOURCE).expect("no NUL");
    let mut program: Ptr = std::ptr::null_mut();
    let none = || Out::null();
    hiprtcCreateProgram(Out::to(&mut program), source.as_ptr(), c"rates.hip".as_ptr(), 0, none(), none());
    let code = hiprtcCompileProgram(program, 0, Out::null());
    assert_eq!(code, 0, "hiprtc compiles");
    let mut size = 0;
    hiprtcGetCodeSize(program, Out::to(&mut size));
    let mut code = vec![0u8; size];
    hiprtcGetCode(program, Out::to(&mut code[0]));
    code
}

/// Returns the processor time of this process in seconds.
fn now() -> f64 {
    let mut t = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes the time there.
    let done = unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut t) };
    assert_eq!(done, 0, "a clock of the processor");
    t.tv_sec as f64 + t.tv_nsec as f64 * 1e-9
}

/// Returns the seconds of the fastest launch.
fn time(image: &[u8], name: &std::ffi::CStr, blocks: u32, buffers: [u64; 3], times: usize) -> f64 {
    let (mut m, mut f): (Ptr, Ptr) = (std::ptr::null_mut(), std::ptr::null_mut());
    assert_eq!(hipModuleLoadData(Out::to(&mut m), image.as_ptr().cast()), 0);
    assert_eq!(hipModuleGetFunction(Out::to(&mut f), m, name.as_ptr()), 0);
    let mut values = buffers;
    let mut args: Vec<Ptr> = values.iter_mut().map(|v| (v as *mut u64).cast()).collect();
    let mut run = || {
        let begun = now();
        let stream = std::ptr::null_mut();
        let launched =
            hipModuleLaunchKernel(f, blocks, 1, 1, 256, 1, 1, 0, stream, Out::to(&mut args[0]), Out::null());
        assert_eq!((launched, hipDeviceSynchronize()), (0, 0));
        now() - begun
    };
    (0..times).map(|_| run()).fold(f64::INFINITY, f64::min)
}

/// Returns three arrays of numbers.
fn buffers() -> [u64; 3] {
    let a: Vec<f32> = (0..N).map(|i| (i % 1000) as f32 / 500.0 - 1.0).collect();
    [0; 3].map(|_| {
        let mut p: Ptr = std::ptr::null_mut();
        assert_eq!(hipMalloc(Out::to(&mut p), 4 * N), 0);
        assert_eq!(hipMemcpy(p, a.as_ptr().cast(), 4 * N, 1), 0);
        p as u64
    })
}

/// Kernels and their numbers of blocks.
const KERNELS: [(&std::ffi::CStr, u32); 3] = [(c"add", 4096), (c"exponential", 4096), (c"gemm", 256)];

/// Runs this program with a setting; returns its stderr.
fn other(argument: &str, file: &std::path::Path, setting: (&str, &str)) -> String {
    let this = std::env::current_exe().expect("this program's path");
    let done =
        Command::new(this).arg(argument).arg(file).env(setting.0, setting.1).output().expect("a process");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert!(done.status.success(), "{said}");
    said
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    match &args[..] {
        [what, file] if what == "compile" => return std::fs::write(file, compile()).expect("written"),
        [what, file] if what == "count" => {
            let (image, buffers) = (std::fs::read(file).expect("the code object"), buffers());
            return KERNELS.iter().for_each(|(name, blocks)| {
                time(&image, name, *blocks, buffers, 1);
            });
        }
        _ => {}
    }
    // Settings apply to a whole process, so other processes compile and count machine code.
    let file = std::env::temp_dir().join(format!("vgpu-rates-{}.co", std::process::id()));
    other("compile", &file, ("RUSHLIGHT_VGPU_ENGINE", "isa"));
    let machine = std::fs::read(&file).expect("the code object");
    let counted = other("count", &file, ("RUSHLIGHT_VGPU_COUNT", "1"));
    let _ = std::fs::remove_file(&file);
    let (host, buffers) = (compile(), buffers());
    println!(
        "kernel        host ms  machine code ms  ratio  instructions  million lane instructions per second"
    );
    for (name, blocks) in KERNELS {
        let fast = time(&host, name, blocks, buffers, 7) * 1e3;
        let slow = time(&machine, name, blocks, buffers, 7) * 1e3;
        let name = name.to_string_lossy();
        let line = counted.lines().find(|l| l.contains(&format!("`{name}`"))).expect("it was counted");
        let (head, rest) = line.split_once(" instructions by waves of ").expect("a count");
        let ((_, count), (wave, _)) =
            (head.rsplit_once(": ").expect("a count"), rest.split_once(": ").expect("a count"));
        let (count, wave): (f64, f64) = (count.parse().expect("a number"), wave.parse().expect("a number"));
        let rate = count * wave / slow / 1e3;
        println!("{name:12} {fast:8.2} {slow:16.2} {:6.1} {count:13} {rate:24.0}", slow / fast);
    }
}
