//! Kernels for the engine of machine code: a code object, and a source that is compiled.
/// The setting that makes hiprtc compile to AMD's machine code.
pub const ISA: (&str, &str) = ("ENGINE", "isa");

/// Code objects of clang 19; `gfx1100.hip` beside them is their source. Waves of 32, and of 64.
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
