//! Every function on the virtual NVIDIA GPU, which really runs kernels and products. NVIDIA's compiler and libraries
//! are not tested here.
mod common;
use common::{contains, error, runs, vgpu};
use rushlight_cuda::{
    Blas, Conv, ConvConfig, Device, Direction, Dnn, DnnKind, Error, Function, Gemm, Kind, Matrix, Pool,
    PoolConfig, nvrtc,
};

/// Runs a child on it and returns its standard error.
fn on(name: &str, settings: &[(&str, &str)]) -> Option<String> {
    Some(runs(name, &vgpu()?, settings))
}

const SOURCE: &str = r#"#include "two.h"
extern "C" __global__ void __launch_bounds__(64) twice(float *x, unsigned n, unsigned short *halves) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float other = __shfl_sync(0xffffffffu, (float)threadIdx.x, (int)(threadIdx.x ^ 1u), 32);
    if (i < n) x[i] = TWO * x[i] + (other - (float)(threadIdx.x ^ 1u));
    if (i == 0) asm("cvt.rn.f16.f32 %0, %1;" : "=h"(halves[0]) : "f"(1.5f));
}
extern "C" __global__ void far(float *x, unsigned n) { x[n] = 1.0f; }"#;

fn compile(device: &Device) -> rushlight_cuda::Result<Vec<u8>> {
    let target =
        nvrtc::choose(device.props().target, device.cuda().version(), nvrtc::version()?, &nvrtc::targets()?);
    let options = [target.unwrap(), "-std=c++17".to_string(), "--fmad=false".to_string()];
    Ok(nvrtc::compile(SOURCE, "twice.cu", &[("two.h", "#define TWO 2.0f")], &options)?.code)
}

fn launch(
    kernel: &Function,
    block: u32,
    mut x: u64,
    mut n: u32,
    mut halves: u64,
) -> rushlight_cuda::Result<()> {
    let mut args = [(&raw mut x).cast(), (&raw mut n).cast(), (&raw mut halves).cast()];
    // SAFETY: both kernels take a pointer to floats and n; `twice` also one to halves.
    unsafe { kernel.launch([n.div_ceil(block), 1, 1], [block, 1, 1], 0, &mut args) }
}

fn upload<T: Copy, const N: usize>(device: &Device, values: &[T], bytes: fn(T) -> [u8; N]) -> u64 {
    let at = device.alloc(values.len() * N).unwrap();
    device.upload(at, &values.iter().flat_map(|v| bytes(*v)).collect::<Vec<u8>>()).unwrap();
    at
}

fn floats(device: &Device, at: u64, n: usize) -> Vec<f32> {
    let mut bytes = vec![0; 4 * n];
    device.download(&mut bytes, at).unwrap();
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn kernels_run() {
    on("child_runs", &[("EXPECT", "sm_80")]);
    on("child_runs", &[("EXPECT", "sm_90"), ("RUSHLIGHT_VGPU_ARCH", "sm_90")]);
    // Newer than the compiler: compiled to PTX.
    on("child_runs", &[("EXPECT", "sm_120"), ("RUSHLIGHT_VGPU_ARCH", "sm_120")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_runs() {
    let device = Device::new(0).unwrap();
    let arch = std::env::var("EXPECT").unwrap();
    let p = device.props();
    assert!(p.name.contains("virtual") && device.arch() == arch, "{p:?}");
    assert_eq!((p.warp, p.max_threads, p.shared, p.memory), (32, 1024, 48 << 10, 4 << 30));
    let code = compile(&device).unwrap();
    assert_eq!(code.starts_with(b"\x7fELF"), arch != "sm_120");
    let module = device.load_module(&code).unwrap();
    let kernel = module.function("twice").unwrap();
    let values: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let x = upload(&device, &values, f32::to_le_bytes);
    let halves = device.alloc(2).unwrap();
    launch(&kernel, 64, x, 1000, halves).unwrap();
    let want: Vec<f32> = values.iter().map(|v| 2.0 * v).collect();
    assert_eq!(floats(&device, x, 1000), want);
    let mut half = [0; 2];
    device.download(&mut half, halves).unwrap();
    assert_eq!(half, [0x00, 0x3e]);
    // More threads than the kernel's bounds: rejected at the call.
    contains(
        &error(launch(&kernel, 128, x, 1000, halves)),
        &["cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)"],
    );
    contains(&error(module.function("thrice")), &["the module has no kernel thrice"]);
    contains(
        &error(device.upload(x + 4, &[0; 4000])),
        &["cuMemcpyHtoDAsync_v2: CUDA_ERROR_INVALID_VALUE (1)"],
    );
    assert!(device.alloc(5 << 30).unwrap_err().is_out_of_memory());
    let page = device.page(64).unwrap();
    assert_eq!(page.host as u64, page.device);
    device.free(x).unwrap();
    contains(&error(device.free(x)), &["cuMemFree_v2: CUDA_ERROR_INVALID_VALUE (1)"]);
}

#[test]
fn kernel_error_loses_the_device_and_names_the_address() {
    if let Some(stderr) = on("child_lost", &[]) {
        contains(&stderr, &["kernel `far` wrote to 0x", "4 bytes past the end of allocation"]);
    }
    if let Some(stderr) = on("child_hidden", &[("RUSHLIGHT_VGPU_ARCH", "gfx1100")]) {
        contains(&stderr, &["RUSHLIGHT_VGPU_ARCH=gfx1100: expected sm_80, "]);
    }
    on("child_compiler", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_lost() {
    let device = Device::new(0).unwrap();
    let kernel = device.load_module(&compile(&device).unwrap()).unwrap().function("far").unwrap();
    let x = device.alloc(400).unwrap();
    launch(&kernel, 64, x, 101, 0).unwrap();
    for _ in 0..2 {
        let e = device.synchronize().unwrap_err();
        assert!(e.is_sticky(), "{e}");
        contains(
            &e.to_string(),
            &["CUDA_ERROR_ILLEGAL_ADDRESS (700), an illegal memory access was encountered"],
        );
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_hidden() {
    contains(&error(Device::new(0)), &["cuInit: CUDA_ERROR_NO_DEVICE (100)", "RUSHLIGHT_VGPU_ARCH=gfx1100"]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_compiler() {
    let compile = |source: &str, options: &[&str]| {
        let options: Vec<String> = options.iter().map(|o| o.to_string()).collect();
        error(nvrtc::compile(source, "a.cu", &[], &options))
    };
    contains(
        &compile("int x = y;", &["--gpu-architecture=sm_80"]),
        &["NVRTC_ERROR_COMPILATION (6)", "a.cu:1", "'y'"],
    );
    // Clang's options and old targets are not NVRTC's.
    for option in ["-ffp-contract=off", "--gpu-architecture=sm_35"] {
        let e = compile("", &["--gpu-architecture=sm_80", option]);
        contains(&e, &["NVRTC_ERROR_INVALID_OPTION (5)", option]);
    }
    // NVRTC lacks HIP's shuffle without a mask.
    let e = compile(
        r#"extern "C" __global__ void k(int *x) { *x = __shfl(*x, 0); }"#,
        &["--gpu-architecture=sm_80"],
    );
    contains(&e, &["NVRTC_ERROR_COMPILATION (6)", "__shfl"]);
}

/// Returns the bytes of a small whole number in a type.
fn encode(kind: Kind, v: f32) -> Vec<u8> {
    match kind {
        Kind::F64 => f64::from(v).to_le_bytes().to_vec(),
        Kind::F32 => v.to_le_bytes().to_vec(),
        Kind::BF16 => v.to_le_bytes()[2..].to_vec(),
        Kind::F16 if v == 0.0 => vec![0; 2],
        Kind::F16 => {
            let bits = v.to_bits();
            let exponent = (bits >> 23 & 0xff) - 112;
            ((bits >> 16 & 0x8000 | exponent << 10 | bits >> 13 & 0x3ff) as u16).to_le_bytes().to_vec()
        }
    }
}

#[test]
fn products_of_every_kind_and_layout() {
    on("child_products", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_products() {
    let device = Device::new(0).unwrap();
    let mut blas = Blas::new(&device).unwrap();
    let (m, n, k, batch) = (3usize, 4usize, 5usize, 2usize);
    let value = |i: usize| ((i * 7) % 9) as f32 - 4.0;
    for kind in [Kind::F16, Kind::BF16, Kind::F32, Kind::F64] {
        let size = encode(kind, 1.0).len();
        let put = |count: usize| {
            let bytes: Vec<u8> = (0..count).flat_map(|i| encode(kind, value(i))).collect();
            let at = device.alloc(bytes.len()).unwrap();
            device.upload(at, &bytes).unwrap();
            at
        };
        for transposed in [[false, false], [true, false], [false, true], [true, true]] {
            // Leading dimensions larger than needed.
            let rows = |plain: usize, turned: usize, t: bool| 1 + if t { turned } else { plain };
            let (lda, ldb, ldc) = (rows(m, k, transposed[0]), rows(k, n, transposed[1]), m + 2);
            let (step_a, step_b, step_c) = (lda * k.max(m), ldb * n.max(k), ldc * n + 1);
            let a = Matrix { ptr: put(step_a * batch), ld: lda as u64, stride: step_a as u64 };
            // One right operand for both.
            let b = Matrix { ptr: put(step_b), ld: ldb as u64, stride: 0 };
            let c = Matrix { ptr: put(step_c * batch), ld: ldc as u64, stride: step_c as u64 };
            let g = Gemm {
                kind,
                transposed,
                sizes: [m, n, k].map(|v| v as u64),
                batch: batch as u64,
                alpha: 2.0,
                beta: 3.0,
                a,
                b,
                c,
            };
            blas.gemm(&g).unwrap();
            let mut want: Vec<f32> = (0..step_c * batch).map(value).collect();
            for (s, row, col) in (0..batch * m * n).map(|i| (i / (m * n), i % m, i / m % n)) {
                let at = |t: bool, ld: usize, row: usize, col: usize| {
                    if t { row * ld + col } else { col * ld + row }
                };
                let sum: f32 = (0..k)
                    .map(|l| {
                        value(s * step_a + at(transposed[0], lda, row, l))
                            * value(at(transposed[1], ldb, l, col))
                    })
                    .sum();
                let to = &mut want[s * step_c + col * ldc + row];
                *to = 2.0 * sum + 3.0 * *to;
            }
            let mut got = vec![0; want.len() * size];
            device.download(&mut got, c.ptr).unwrap();
            let want: Vec<u8> = want.into_iter().flat_map(|v| encode(kind, v)).collect();
            assert_eq!(got, want, "{kind:?} {transposed:?}");
            // With beta = 0 the old result is not read.
            device.fill(c.ptr, 0xff, got.len()).unwrap();
            blas.gemm(&Gemm { beta: 0.0, ..g }).unwrap();
            device.download(&mut got, c.ptr).unwrap();
            assert!(got[..size] != vec![0xff; size] && got[(ldc - 1) * size..ldc * size] == vec![0xff; size]);
            for p in [a, b, c] {
                device.free(p.ptr).unwrap();
            }
        }
    }
}

#[test]
fn invalid_products_are_rejected() {
    for (fault, code) in [
        ("blas_no_memory", "cublasCreate_v2: CUBLAS_STATUS_ALLOC_FAILED (3)"),
        ("blas_no_solution", "cublasGemmStridedBatchedEx: CUBLAS_STATUS_NOT_SUPPORTED (15)"),
        ("blas_fails_after:0", "cublasGemmStridedBatchedEx: CUBLAS_STATUS_EXECUTION_FAILED (13)"),
    ] {
        on("child_fault", &[("RUSHLIGHT_VGPU_FAULT", fault), ("EXPECT", code)]);
    }
    if let Some(stderr) = on("child_refused", &[]) {
        contains(
            &stderr,
            &["cuBLAS: lda is too small", "cuBLAS: B (", "is not inside one allocation", "D overlaps A"],
        );
    }
}

fn square(device: &Device) -> Gemm {
    let at = |ptr| Matrix { ptr, ld: 4, stride: 16 };
    let [a, b, c] = [(); 3].map(|()| at(device.alloc(64).unwrap()));
    Gemm { kind: Kind::F32, transposed: [false; 2], sizes: [4; 3], batch: 1, alpha: 1.0, beta: 0.0, a, b, c }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_fault() {
    let device = Device::new(0).unwrap();
    let e = match Blas::new(&device) {
        Err(e) => e,
        Ok(mut blas) => blas.gemm(&square(&device)).unwrap_err(),
    };
    let want = std::env::var("EXPECT").unwrap();
    assert_eq!((e.to_string(), e.is_out_of_memory()), (want.clone(), want.contains("ALLOC")));
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_refused() {
    let device = Device::new(0).unwrap();
    let mut blas = Blas::new(&device).unwrap();
    let good = square(&device);
    let mut refused = |change: fn(&mut Gemm), code: i32| {
        let mut g = good;
        change(&mut g);
        match blas.gemm(&g) {
            Err(Error::Blas { code: is, .. }) => assert_eq!(is, code, "{g:?}"),
            other => panic!("{g:?} gave {other:?}"),
        }
    };
    refused(|g| g.a.ld = 3, 7);
    refused(|g| g.c.ld = 3, 7);
    refused(|g| g.a.ptr += 2, 7);
    refused(|g| g.b.ptr += 4, 13);
    refused(|g| g.c.ptr = g.a.ptr, 7);
    refused(|g| g.batch = 2, 13);
    assert!(matches!(blas.gemm(&Gemm { sizes: [1 << 31, 4, 4], ..good }), Err(Error::Argument { .. })));
    blas.gemm(&good).unwrap();
    // An empty product.
    blas.gemm(&Gemm { sizes: [0, 4, 4], ..good }).unwrap();
}

#[test]
fn convolutions_in_three_directions_and_average_pooling() {
    if let Some(stderr) = on("child_dnn", &[]) {
        contains(
            &stderr,
            &["channels do not match", "is not inside one allocation", "overlaps another operand"],
        );
    }
    on("child_no_kernel", &[("RUSHLIGHT_VGPU_FAULT", "dnn_no_solution")]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_dnn() {
    let device = Device::new(0).unwrap();
    let mut dnn = Dnn::new(&device).unwrap();
    assert_eq!(dnn.version().unwrap(), 90_100);
    // Driver and cuDNN; here they are links to one file, which the linker lists once.
    assert_eq!(device.cuda().library_paths().len(), 2);
    // 2x4x5x6 with 6x2x3x2 in two groups; all parameters differ between height and width.
    let config = ConvConfig {
        direction: Direction::Forward,
        kind: DnnKind::F32,
        x: vec![2, 4, 5, 6],
        w: vec![6, 2, 3, 2],
        y: vec![2, 6, 3, 3],
        pads: vec![1, 0],
        strides: vec![2, 1],
        dilations: vec![1, 3],
        groups: 2,
    };
    let numbers =
        |n: usize, step: i32| (0..n as i32).map(|i| ((i * step) % 11 - 5) as f32).collect::<Vec<f32>>();
    let (xv, wv, yv) = (numbers(240, 7), numbers(72, 3), numbers(108, 5));
    // The expected results in whole numbers, from the definition.
    let mut want = [vec![0f32; 108], vec![0f32; 240], vec![0f32; 72]];
    for e in 0..108 * 2 * 6 {
        let (s, r, c, o) = (e % 2, e / 2 % 3, e / 6 % 2, e / 12);
        let (j, i, k, n) = (o % 3, o / 3 % 3, o / 9 % 6, o / 54);
        let (h, v) = (i * 2 + r, j + 3 * s);
        if (1..6).contains(&h) && v < 6 {
            let xe = ((n * 4 + k / 3 * 2 + c) * 5 + h - 1) * 6 + v;
            let we = ((k * 2 + c) * 3 + r) * 2 + s;
            want[0][o] += xv[xe] * wv[we];
            want[1][xe] += yv[o] * wv[we];
            want[2][we] += yv[o] * xv[xe];
        }
    }
    for kind in [DnnKind::F32, DnnKind::F16, DnnKind::BF16] {
        let of = match kind {
            DnnKind::F32 => Kind::F32,
            DnnKind::F16 => Kind::F16,
            DnnKind::BF16 => Kind::BF16,
        };
        let put = |v: &[f32]| {
            let bytes: Vec<u8> = v.iter().flat_map(|v| encode(of, *v)).collect();
            let at = device.alloc(bytes.len()).unwrap();
            device.upload(at, &bytes).unwrap();
            at
        };
        for (direction, out) in
            [(Direction::Forward, 2), (Direction::BackwardData, 0), (Direction::BackwardWeights, 1)]
        {
            let want = &want[[1, 2, 0][out]];
            // Values that bfloat16 rounds are not checked here.
            let exact = of != Kind::BF16 || want.iter().all(|v| v.abs() <= 256.0);
            let conv = Conv::new(&dnn, &ConvConfig { direction, kind, ..config.clone() }).unwrap();
            let all = conv.algorithms(&mut dnn).unwrap();
            assert!(all.len() == 3 && all[0].is_fft() && !all.iter().any(|a| a.is_winograd()), "{all:?}");
            for a in &all {
                let at = [put(&xv), put(&wv), put(&yv)];
                let want: Vec<u8> = want.iter().flat_map(|v| encode(of, *v)).collect();
                device.fill(at[out], 0x7f, want.len()).unwrap();
                let room = device.alloc(a.workspace().max(1) as usize).unwrap();
                conv.run(&mut dnn, a, at, (room, a.workspace())).unwrap();
                let mut got = vec![0; want.len()];
                device.download(&mut got, at[out]).unwrap();
                assert!(!exact || got == want, "{kind:?} {direction:?} {a:?}");
                for p in at.into_iter().chain([room]) {
                    device.free(p).unwrap();
                }
            }
        }
    }
    // Operands that do not fit each other.
    let at = [
        upload(&device, &xv, f32::to_le_bytes),
        upload(&device, &wv, f32::to_le_bytes),
        device.alloc(432).unwrap(),
    ];
    let conv = Conv::new(&dnn, &ConvConfig { groups: 1, ..config.clone() }).unwrap();
    contains(
        &error(conv.algorithms(&mut dnn)),
        &["cudnnGetConvolutionForwardAlgorithm_v7: CUDNN_STATUS_BAD_PARAM (2000)"],
    );
    let conv = Conv::new(&dnn, &config).unwrap();
    let plain = *conv.algorithms(&mut dnn).unwrap().iter().find(|a| a.workspace() == 0).unwrap();
    let fft = conv.algorithms(&mut dnn).unwrap()[0];
    contains(&error(conv.run(&mut dnn, &fft, at, (0, 0))), &["got a workspace of 0 bytes, expected "]);
    for wrong in [[at[0], at[1], at[2] + 4], [at[0], at[1], at[0]]] {
        contains(&error(conv.run(&mut dnn, &plain, wrong, (0, 0))), &["CUDNN_STATUS_BAD_PARAM"]);
    }
    conv.run(&mut dnn, &plain, at, (0, 0)).unwrap();
    assert!(matches!(Conv::new(&dnn, &ConvConfig { pads: vec![1], ..config }), Err(Error::Argument { .. })));

    // Averages of 1x1x3x4 with 2x3 windows and padding, and their gradient.
    for (include_pad, want) in [(true, [4.0 / 6.0, 1.0]), (false, [4.0 / 2.0, 6.0 / 3.0])] {
        let config = PoolConfig {
            x: vec![1, 1, 3, 4],
            y: vec![1, 1, 2, 2],
            window: vec![2, 3],
            pads: vec![1, 1],
            strides: vec![2, 2],
            include_pad,
        };
        let pool = Pool::new(&dnn, &config).unwrap();
        let x: Vec<f32> = [1.0, 3.0, 2.0, 1.0].into_iter().chain([0.0; 8]).collect();
        let (x, y) = (upload(&device, &x, f32::to_le_bytes), device.alloc(16).unwrap());
        pool.forward(&mut dnn, x, y).unwrap();
        let got = floats(&device, y, 4);
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?}");
        let (dx, spare) = (device.alloc(48).unwrap(), device.alloc(48).unwrap());
        let dy = upload(&device, &[6.0f32, 0.0, 0.0, 0.0], f32::to_le_bytes);
        pool.backward(&mut dnn, dy, dx, spare).unwrap();
        let share = if include_pad { 1.0 } else { 3.0 };
        let got = floats(&device, dx, 12);
        let want: Vec<f32> = [share, share].into_iter().chain([0.0; 10]).collect();
        assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?}");
    }
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_no_kernel() {
    let device = Device::new(0).unwrap();
    let mut dnn = Dnn::new(&device).unwrap();
    let four = || vec![1u64; 4];
    let two = || vec![1u64; 2];
    let config = ConvConfig {
        direction: Direction::Forward,
        kind: DnnKind::F32,
        x: four(),
        w: four(),
        y: four(),
        pads: vec![0; 2],
        strides: two(),
        dilations: two(),
        groups: 1,
    };
    assert_eq!(Conv::new(&dnn, &config).unwrap().algorithms(&mut dnn).unwrap(), []);
}

#[test]
fn a_graph_repeats_what_the_stream_recorded() {
    on("child_graph", &[]);
}

#[test]
#[ignore = "run by the test above in a separate process"]
fn child_graph() {
    let device = Device::new(0).unwrap();
    let kernel = device.load_module(&compile(&device).unwrap()).unwrap().function("twice").unwrap();
    let x = upload(&device, &[1f32; 64], f32::to_le_bytes);
    let halves = device.alloc(2).unwrap();
    device.begin_capture().unwrap();
    assert!(device.is_capturing().unwrap());
    launch(&kernel, 64, x, 64, halves).unwrap();
    let y = device.relaxed(|| device.alloc(4)).unwrap();
    device.fill(y, 0, 4).unwrap();
    let graph = device.end_capture().unwrap();
    assert_eq!((device.is_capturing(), floats(&device, x, 64)), (Ok(false), vec![1.0; 64]));
    for turn in 1..4 {
        device.launch_graph(&graph).unwrap();
        assert_eq!(floats(&device, x, 64), vec![(1 << turn) as f32; 64]);
    }
    // A call that a capture forbids is its error, and the stream can be used afterwards.
    device.begin_capture().unwrap();
    contains(&error(device.alloc(64)), &["CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"]);
    contains(&error(device.synchronize()), &["CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)"]);
    contains(&error(device.end_capture()), &["CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)"]);
    device.launch_graph(&graph).unwrap();
    device.synchronize().unwrap();
}
