//! Kernels for the engine of machine code: code objects, a source that is compiled, and an assembler.
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The setting with which hiprtc compiles to AMD machine code.
pub const ISA: (&str, &str) = ("ENGINE", "isa");

/// The targets of a test: all of them, and in a child process the selected one.
pub fn targets(all: &[&'static str]) -> Vec<&'static str> {
    let own = std::env::var("RUSHLIGHT_VGPU_ARCH").ok();
    all.iter().copied().filter(|a| own.as_ref().is_none_or(|own| own == a)).collect()
}

/// Code objects of clang 19, compiled from `gfx1100.hip`; waves of 32, and of 64.
pub const OBJECT: &[u8] = include_bytes!("../data/gfx1100.co");
pub const OBJECTS: [(&str, u32, &[u8]); 3] = [
    ("gfx1100", 32, OBJECT),
    ("gfx90a", 64, include_bytes!("../data/gfx90a.co")),
    ("gfx942", 64, include_bytes!("../data/gfx942.co")),
];

pub const KERNELS: &str = r#"
extern "C" __device__ float __ocml_exp_f32(float);
extern "C" __device__ double __ocml_sin_f64(double);
extern "C" __device__ double __ocml_log_f64(double);
extern "C" __global__ void mathematics(float* f, double* d) {
    unsigned t = threadIdx.x;
    float v = f[t];
    f[256 + t] = v / 3.0f;
    f[512 + t] = __builtin_sqrtf(v);
    f[768 + t] = __ocml_exp_f32(v);
    double w = d[t];
    d[256 + t] = w / 3.0;
    d[512 + t] = __builtin_sqrt(w);
    d[768 + t] = __ocml_sin_f64(w);
    d[1024 + t] = __ocml_log_f64(w);
}
extern "C" __global__ void halves(_Float16* h, int n) {
    if ((int)threadIdx.x < n) h[threadIdx.x + n] = h[threadIdx.x] / (_Float16)3.0f + (_Float16)1.0f;
}
"#;

/// Returns the assembler source of a kernel `one(out, in)`: s[4:5] and s[6:7] are its arguments, v0 the thread.
/// `body` ends it.
pub fn program(arch: &str, body: &str, lds: usize) -> String {
    let wave = if arch.starts_with("gfx11") { 32 } else { 64 };
    let more = if wave == 64 { ".amdhsa_accum_offset 64\n" } else { ".amdhsa_wavefront_size32 1\n" };
    let arguments: String = [0, 8]
        .map(|at| {
            format!(
                "      - {{ .offset: {at}, .size: 8, .value_kind: global_buffer, .address_space: global }}\n"
            )
        })
        .concat();
    format!(
        ".amdgcn_target \"amdgcn-amd-amdhsa--{arch}\"\n.text\n.globl one\n.p2align 8\n.type one,@function\none:\n\
         s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n{body}\n\
         .rodata\n.p2align 6\n.amdhsa_kernel one\n.amdhsa_next_free_vgpr 64\n.amdhsa_next_free_sgpr 64\n\
         .amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size 16\n.amdhsa_float_denorm_mode_32 3\n\
         .amdhsa_group_segment_fixed_size {lds}\n.amdhsa_system_sgpr_workgroup_id_x 1\n{more}.end_amdhsa_kernel\n\
         .amdgpu_metadata\namdhsa.version: [1, 2]\namdhsa.target: amdgcn-amd-amdhsa--{arch}\namdhsa.kernels:\n  - \
         .name: one\n    .symbol: one.kd\n    .kernarg_segment_size: 16\n    .kernarg_segment_align: 8\n    \
         .group_segment_fixed_size: {lds}\n    .private_segment_fixed_size: 0\n    .wavefront_size: {wave}\n    \
         .sgpr_count: 64\n    .vgpr_count: 64\n    .max_flat_workgroup_size: 256\n    .args:\n{arguments}\
         .end_amdgpu_metadata\n"
    )
}

fn tool(name: &str, args: &[&str], dir: &Path) {
    let out = Command::new(name).args(args).current_dir(dir).output().expect("LLVM's tools are installed");
    assert!(out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Creates a temporary folder while `f` makes a file in it.
fn made(f: impl FnOnce(&Path)) -> Vec<u8> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let name = format!("vgpu-made-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
    let dir = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&dir).unwrap();
    f(&dir);
    let image = std::fs::read(dir.join("one.co")).unwrap();
    std::fs::remove_dir_all(dir).unwrap();
    image
}

/// Assembles and links.
pub fn assemble(text: &str, arch: &str) -> Vec<u8> {
    made(|dir| {
        std::fs::write(dir.join("one.s"), text).unwrap();
        let cpu = format!("-mcpu={arch}");
        let args = ["-triple=amdgcn-amd-amdhsa", &cpu, "-filetype=obj", "one.s", "-o", "one.o"];
        tool("llvm-mc-19", &args, dir);
        tool("ld.lld-19", &["-shared", "one.o", "-o", "one.co"], dir);
    })
}

/// Compiles HIP source without headers to a code object of a version.
pub fn object(source: &str, arch: &str, version: u32) -> Vec<u8> {
    made(|dir| {
        std::fs::write(dir.join("one.hip"), source).unwrap();
        let (arch, version) = (format!("--offload-arch={arch}"), format!("-mcode-object-version={version}"));
        let device = ["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", &arch, &version];
        let rest = ["-nogpuinc", "-nogpulib", "-nostdinc", "-O3", "-c", "one.hip", "-o", "one.co"];
        tool("clang++-19", &[&device[..], &rest[..]].concat(), dir);
    })
}
