//! Kernels give the same results as on hardware.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod common;
use common::*;
use rushlight_vgpu::Out;
use rushlight_vgpu::hip::*;

#[test]
fn vector_add_with_a_ragged_end() {
    let m = Module::new(
        r#"extern "C" __global__ void __launch_bounds__(256) add(float* out, const float* a, const float* b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) out[i] = a[i] + b[i];
        }"#,
    );
    let n = 100_003;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (2 * i) as f32).collect();
    let (pa, pb, out) = (upload(&a), upload(&b), malloc(n * 4));
    assert_eq!(m.launch("add", (n as u32).div_ceil(256), 256, 0, &mut [out, pa, pb, n as u64]), 0);
    let got = download::<f32>(out, n);
    assert!(got.iter().enumerate().all(|(i, v)| *v == (3 * i) as f32));
    for p in [pa, pb, out] {
        assert_eq!(hipFree(p as Ptr), 0);
    }
}

const WAVES: &str = r#"
extern "C" __global__ void down(unsigned* out) {
    unsigned v = threadIdx.x;
    for (int o = warpSize / 2; o > 0; o /= 2) v += __shfl_down(v, o);
    out[threadIdx.x] = v;
}
extern "C" __global__ void width(unsigned* out) {
    unsigned t = threadIdx.x;
    out[t] = __shfl_xor(t, 1, 16) | __shfl_up(t, 1, 16) << 8 | __shfl(t, 3, 16) << 16 | __shfl_down(t, 1, 16) << 24;
}
extern "C" __global__ void votes(unsigned long long* out) {
    unsigned t = threadIdx.x;
    unsigned long long b = __ballot(t % 3 == 0);
    if (t % warpSize == 0) out[t / warpSize] = b;
    if (t == 1) out[8] = __activemask();
    if (__any(t == 5)) atomicAdd(&out[9], 1ull);
    if (__all(t < 32)) atomicAdd(&out[10], 1ull);
}
// Half of a wave is active, then all of it.
extern "C" __global__ void diverged(unsigned* out) {
    unsigned v = threadIdx.x;
    if (threadIdx.x % 32 < 16) v = __shfl_xor(v, 8);
    out[threadIdx.x] = __shfl(v, 0);
}
extern "C" __global__ void sizes(double* d, long long* l) {
    d[threadIdx.x] = __shfl_xor((double)threadIdx.x + 0.5, 3);
    l[threadIdx.x] = __shfl_up((long long)threadIdx.x << 40, 2);
}
extern "C" __global__ void loops(unsigned* out) {
    unsigned sum = 0;
    for (unsigned i = 0; i < threadIdx.x % 4; i++) sum += __popcll(__ballot(1));
    __syncthreads();
    out[threadIdx.x] = sum;
}
"#;

fn waves(wave: u32) {
    let m = Module::new(WAVES);
    let t = 128usize;
    let out = malloc(t * 8);
    assert_eq!(m.launch("down", 1, t as u32, 0, &mut [out]), 0);
    let got = download::<u32>(out, t);
    // Lane 0 of each wave has the wave's sum; it differs by wave size.
    for first in (0..t as u32).step_by(wave as usize) {
        assert_eq!(got[first as usize], (first..first + wave).sum::<u32>(), "wave at {first}");
    }
    assert_eq!(m.launch("width", 1, t as u32, 0, &mut [out]), 0);
    for (i, v) in download::<u32>(out, t).into_iter().enumerate() {
        let (i, g) = (i as u32, i as u32 & !15);
        let up = if i > g { i - 1 } else { i };
        let down = if i < g + 15 { i + 1 } else { i };
        assert_eq!(v, (i ^ 1) | up << 8 | (g + 3) << 16 | down << 24, "lane {i}");
    }
    let zero = upload(&[0u64; 16]);
    assert_eq!(m.launch("votes", 1, t as u32, 0, &mut [zero]), 0);
    let got = download::<u64>(zero, 16);
    for w in 0..t as u32 / wave {
        let expected = (0..wave).filter(|l| (w * wave + l).is_multiple_of(3)).fold(0u64, |b, l| b | 1 << l);
        assert_eq!(got[w as usize], expected, "wave {w}");
    }
    assert_eq!(got[8], 2, "one lane is active");
    assert_eq!(got[9], wave as u64, "the lanes of one wave see thread 5");
    assert_eq!(got[10], if wave == 32 { 32 } else { 0 });
    assert_eq!(m.launch("diverged", 1, t as u32, 0, &mut [out]), 0);
    assert!(download::<u32>(out, t).iter().enumerate().all(|(i, v)| *v == (i as u32 & !(wave - 1)) + 8));
    let l = malloc(t * 8);
    assert_eq!(m.launch("sizes", 1, t as u32, 0, &mut [out, l]), 0);
    assert!(download::<f64>(out, t).iter().enumerate().all(|(i, v)| *v == (i ^ 3) as f64 + 0.5));
    let up = |i: usize| if i % wave as usize >= 2 { i - 2 } else { i };
    assert!(download::<i64>(l, t).iter().enumerate().all(|(i, v)| *v == (up(i) as i64) << 40));
    // In round r, the lanes with more than r rounds are active.
    assert_eq!(m.launch("loops", 1, t as u32, 0, &mut [out]), 0);
    let per = [0, 3, 3 + 2, 3 + 2 + 1].map(|n| n * wave / 4);
    assert!(download::<u32>(out, t).iter().enumerate().all(|(i, v)| *v == per[i % 4]));
}

#[test]
fn waves_of_32() {
    child("waves_of_32", &[("WAVE", "32")], || waves(32));
}

#[test]
fn waves_of_64() {
    child("waves_of_64", &[("WAVE", "64")], || waves(64));
    child("waves_of_64", &[("ARCH", "gfx90a")], || waves(64));
    child("waves_of_64", &[("WAVE", "64"), ("ORDER", "reverse"), ("STRICT", "1")], || waves(64));
}

#[test]
fn reduction_through_lds() {
    let m = Module::new(
        r#"template <class T> __device__ T sum(T v, T* s) {
            s[threadIdx.x] = v;
            __syncthreads();
            for (unsigned n = blockDim.x / 2; n > 0; n /= 2) {
                if (threadIdx.x < n) s[threadIdx.x] += s[threadIdx.x + n];
                __syncthreads();
            }
            return s[0];
        }
        extern "C" __global__ void fixed(double* out, const double* in) {
            __shared__ double s[256];
            double v = sum(in[blockIdx.x * blockDim.x + threadIdx.x], s);
            if (threadIdx.x == 0) out[blockIdx.x] = v;
        }
        extern "C" __global__ void dynamic(double* out, const double* in) {
            extern __shared__ double s[];
            double v = sum(in[blockIdx.x * blockDim.x + threadIdx.x], s);
            if (threadIdx.x == 0) out[blockIdx.x] = v;
        }
        extern "C" __global__ void counts(int* out) {
            out[threadIdx.x] = __syncthreads_count(threadIdx.x < 3) + 10 * __syncthreads_or(threadIdx.x == 9) +
                               100 * __syncthreads_and(threadIdx.x < 200);
        }"#,
    );
    let blocks = 1000usize;
    let input: Vec<f64> = (0..blocks * 256).map(|i| (i % 1013) as f64).collect();
    let expected: Vec<f64> = input.chunks(256).map(|c| c.iter().sum()).collect();
    let (p, out) = (upload(&input), malloc(blocks * 8));
    assert_eq!(m.launch("fixed", blocks as u32, 256, 0, &mut [out, p]), 0);
    assert_eq!(download::<f64>(out, blocks), expected);
    assert_eq!(hipMemset(out as Ptr, 0, blocks * 8), 0);
    assert_eq!(m.launch("dynamic", blocks as u32, 256, 2048, &mut [out, p]), 0);
    assert_eq!(download::<f64>(out, blocks), expected);
    assert_eq!(m.launch("counts", 1, 256, 0, &mut [out]), 0);
    assert!(download::<i32>(out, 256).iter().all(|v| *v == 13));
    let mut lds = 0;
    assert_eq!(hipFuncGetAttribute(Out::to(&mut lds), 1, m.function("fixed")), 0);
    assert_eq!(lds, 2048, "bytes of LDS");
}

/// A loop that the compiler unrolls and whose branches it would thread past the barrier: thread 255 executes no
/// iteration.
#[test]
fn barrier_after_a_branch_is_not_split() {
    let m = Module::new(
        r#"static inline __attribute__((always_inline)) void meet() { __syncthreads(); }
        extern "C" __global__ void __launch_bounds__(256) columns(float* out, const float* in) {
            __shared__ float s[8][32];
            const unsigned x = threadIdx.x & 31u, part = threadIdx.x / 32;
            float v = in[threadIdx.x];
            for (unsigned half = 4; half > 0; half /= 2) {
                s[part][x] = v;
                meet();
                if (part < half) v = v + s[part + half][x];
                meet();
            }
            if (part == 0) out[x] = v;
        }"#,
    );
    let input: Vec<f32> = (0..256).map(|i| i as f32).collect();
    let (p, out) = (upload(&input), malloc(32 * 4));
    assert_eq!(m.launch("columns", 1, 256, 0, &mut [out, p]), 0);
    let expected: Vec<f32> = (0..32).map(|x| (0..8).map(|part| (part * 32 + x) as f32).sum()).collect();
    assert_eq!(download::<f32>(out, 32), expected);
}

#[test]
fn atomics_from_all_blocks() {
    let m = Module::new(
        r#"extern "C" __global__ void all(int* i, unsigned long long* u, float* f, double* d) {
            int t = blockIdx.x * blockDim.x + threadIdx.x;
            atomicAdd(i, 1); atomicMax(i + 1, t); atomicMin(i + 2, -t); atomicOr(i + 3, 1 << (t % 31));
            atomicAdd(u, 1ull << 32); atomicXor(u + 1, (unsigned long long)t);
            atomicAdd(f, 1.0f); atomicAdd(d, 0.5);
            for (int old = i[4], seen; (seen = atomicCAS(i + 4, old, old + 2)) != old; old = seen) {}
        }"#,
    );
    let (i, u) = (upload(&[0i32; 8]), upload(&[0u64; 2]));
    let (f, d) = (upload(&[0f32]), upload(&[0f64]));
    assert_eq!(m.launch("all", 300, 64, 0, &mut [i, u, f, d]), 0);
    let n = 300 * 64;
    assert_eq!(download::<i32>(i, 5), [n, n - 1, 1 - n, i32::MAX, 2 * n]);
    assert_eq!(download::<u64>(u, 2), [(n as u64) << 32, (0..n as u64).fold(0, |a, b| a ^ b)]);
    assert_eq!((download::<f32>(f, 1)[0], download::<f64>(d, 1)[0]), (n as f32, n as f64 / 2.0));
}

#[test]
fn sixteen_bit_floats_round_after_each_operation() {
    let m = Module::new(
        r#"extern "C" __global__ void half(_Float16* h, float* f, double d) {
            _Float16 a = h[0], b = h[1];
            h[2] = (a + b) - a;
            f[0] = (float)(_Float16)f[0];
            f[1] = (float)(__bf16)f[1];
            f[2] = (float)(_Float16)d;
        }"#,
    );
    // 2048 + 1 is 2048 in f16; 65520 rounds to infinity; 1 + 2^-8 is a tie in bf16 and rounds to 1.
    let (h, f) = (upload(&[0x6800u16, 0x3c00, 0]), upload(&[65520f32, 1.0 + 2f32.powi(-8), 0.0]));
    // Just above the tie 1 + 2^-11: rounding through f32 would lose it.
    let d = 1.0 + 2f64.powi(-11) + 2f64.powi(-40);
    assert_eq!(m.launch("half", 1, 1, 0, &mut [h, f, d.to_bits()]), 0);
    assert_eq!(download::<u16>(h, 3)[2], 0);
    assert_eq!(download::<f32>(f, 3), [f32::INFINITY, 1.0, 1.0 + 2f32.powi(-10)]);
}

#[test]
fn kernels_in_namespaces_variables_and_structs() {
    let m = Module::new(
        r#"__constant__ float scale[2];
        struct Params { int n; double factor; unsigned char tag; };
        namespace a { namespace b {
        extern "C" __global__ void k(float* out, Params p, char c) {
            out[threadIdx.x] = scale[1] * (float)p.factor * p.n + p.tag + c;
        }
        } }
        __global__ void plain(int* out, dim3 d) { out[0] = (int)(gridDim.y * 100 + blockDim.z * 10 + d.y); }"#,
    );
    let (mut at, mut size): (Ptr, usize) = (std::ptr::null_mut(), 0);
    assert_eq!(hipModuleGetGlobal(Out::to(&mut at), Out::to(&mut size), m.0, c"scale".as_ptr()), 0);
    assert_eq!(size, 8);
    assert_eq!(hipMemcpyHtoD(at, [0f32, 3.0].as_ptr().cast(), 8), 0);
    assert_eq!(hipMemcpyHtoD(at, [0f32; 3].as_ptr().cast(), 12), 1, "more than the variable holds");
    #[repr(C)]
    struct Params(i32, f64, u8);
    let (out, mut p, mut c) = (malloc(16), Params(5, 2.0, 7), 1u8);
    let mut out_arg = out;
    let mut list: [Ptr; 3] = [(&raw mut out_arg).cast(), (&raw mut p).cast(), (&raw mut c).cast()];
    let list = Out::to(&mut list[0]);
    let f = m.function("k");
    assert_eq!(hipModuleLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, std::ptr::null_mut(), list, Out::null()), 0);
    assert_eq!(download::<f32>(out, 4), [38.0; 4]);
    // The same with a packed buffer of the right size, and of a wrong one.
    let mut packed = [0u8; 40];
    packed[..8].copy_from_slice(&out.to_le_bytes());
    packed[8..12].copy_from_slice(&6i32.to_le_bytes());
    packed[16..24].copy_from_slice(&2f64.to_le_bytes());
    (packed[24], packed[32]) = (7, 1);
    for (mut bytes, rc) in [(33usize, 0), (40, 0), (32, 1), (64, 1)] {
        let mut extra: [Ptr; 5] =
            [1 as Ptr, packed.as_mut_ptr().cast(), 2 as Ptr, (&raw mut bytes).cast(), 3 as Ptr];
        let extra = Out::to(&mut extra[0]);
        let null = std::ptr::null_mut();
        assert_eq!(
            hipModuleLaunchKernel(f, 1, 1, 1, 4, 1, 1, 0, null, Out::null(), extra),
            rc,
            "{bytes} bytes"
        );
    }
    assert_eq!(download::<f32>(out, 4), [44.0; 4]);
    let mut d = [1u32, 2, 3];
    let mut list: [Ptr; 2] = [(&raw mut out_arg).cast(), d.as_mut_ptr().cast()];
    let (f, list) = (m.function("_Z5plainPi4dim3"), Out::to(&mut list[0]));
    assert_eq!(hipModuleLaunchKernel(f, 1, 7, 1, 2, 2, 4, 0, std::ptr::null_mut(), list, Out::null()), 0);
    assert_eq!(download::<i32>(out, 1), [742]);
}
