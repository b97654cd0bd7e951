//! Tests on GPUs, real and virtual.
use super::vgpu::{self, with};
use super::{no_arguments, python, tools};
use crate::process::{cargo, make, parallel, run as start, task};
use crate::{Outcome, tree};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The virtual AMD GPU's usual targets, with waves of 32 and of 64 lanes.
pub const ARCHS: [&str; 2] = ["gfx1100", "gfx90a"];
/// The test files that run on any GPU, including the parity suite.
const GPU: [&str; 13] = [
    "flash_attn",
    "parity",
    "gpu",
    "gpu_attention",
    "gpu_attention_grad",
    "gpu_blas",
    "gpu_conv",
    "gpu_fft",
    "gpu_graph",
    "gpu_sizes",
    "gpu_shapes",
    "gpu_numbers",
    "gpu_solver",
];
/// The test files that run under the sanitizers.
const SANITIZED: [&str; 3] = ["parity", "gpu", "gpu_shapes"];

/// Returns `cargo test` for test files. It builds for the whole workspace, because a package alone would be compiled with
/// other features.
pub fn cargo_test(files: &[&str], options: &[&str]) -> Command {
    let mut c = cargo(&["test", "--release", "--locked", "--workspace"]);
    files.iter().for_each(|f| _ = c.args(["--test", f]));
    c.args(options);
    c
}

fn on(arch: &str, settings: Vec<vgpu::Setting>, command: Command) -> Command {
    let mut c = with(command, settings);
    c.env("RUSHLIGHT_VGPU_ARCH", arch);
    c
}

/// Returns the targets that the arguments name, or the usual ones.
fn archs<'a>(args: &'a [String], usual: &[&'a str]) -> Outcome<Vec<&'a str>> {
    if let Some(bad) = args.iter().find(|a| !a.starts_with("gfx")) {
        return Err(format!("expected targets such as gfx1100, got `{bad}`").into());
    }
    Ok(if args.is_empty() { usual.to_vec() } else { args.iter().map(String::as_str).collect() })
}

/// `test-rocm [ARCH..]`. Each tensor has an allocation of exactly its size, so that the virtual GPU reports every access
/// outside of it. candle's and Python's tests use slabs, as users do.
pub fn rocm(args: &[String]) -> Outcome {
    test_rocm(&archs(args, &ARCHS)?, None)
}

/// Returns the setting that makes the parity suite run one of eight parts of its cases, which the seed draws. Each target has
/// a number and so another part.
pub fn eighth(seed: u64, number: u64) -> (&'static str, String) {
    ("RUSHLIGHT_PART", format!("{}/8/{seed}", (seed + number) % 8))
}

/// Same as `test-rocm`, but of the parity suite an eighth of the cases, which the seed draws, runs on each of the two targets.
pub fn rocm_in_eighths(seed: u64) -> Outcome {
    println!(
        "rocm tests: an eighth of the parity suite on each target, by the commit; `make test-full` runs all on both"
    );
    test_rocm(&ARCHS, Some(seed))
}

fn test_rocm(archs: &[&str], seed: Option<u64>) -> Outcome {
    vgpu::ensure()?;
    let files = [&GPU[..], &["gpu_custom"]].concat();
    start(&mut cargo_test(&files, &["--no-run"]))?;
    let test = |(number, arch): (usize, &&str)| {
        let mut c = on(arch, vgpu::rocm(), cargo_test(&files, &["--", "--ignored", "--test-threads=1"]));
        c.env("RUSHLIGHT_GPU_POOL", "0").envs(seed.map(|s| eighth(s, number as u64)));
        c
    };
    parallel(archs.iter().enumerate().map(test).collect())
}

/// Returns an environment variable, or a value where it is unset.
fn variable(name: &str, otherwise: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| otherwise.to_string())
}

/// `test-isa [ARCH|hiprtc..]`: executes AMD machine code with waves of 32 and of 64 lanes: some cases of every op in one
/// dtype, and the test that counts the instructions of common kernels. `RUSHLIGHT_DTYPES= RUSHLIGHT_SAMPLE=1000000` runs
/// every case.
pub fn isa(args: &[String]) -> Outcome {
    test_isa(args, None)
}

/// Same as `test-isa`, but an eighth of these cases, which the seed draws, runs on each of the two usual targets and the two others.
pub fn isa_in_eighths(seed: u64) -> Outcome {
    println!(
        "machine code: an eighth of the cases on each target, by the commit; `make test-full` runs all on both"
    );
    test_isa(&[], Some(seed))
}

fn test_isa(args: &[String], seed: Option<u64>) -> Outcome {
    vgpu::ensure()?;
    start(&mut cargo_test(&["parity", "isa_counts"], &["--no-run"]))?;
    start(&mut cargo(&["build", "--release", "--locked", "--workspace", "--example", "hiprtc"]))?;
    let sample = variable("RUSHLIGHT_SAMPLE", "2");
    let test = |name: &str, sample: &str| match name {
        "hiprtc" => isa_hiprtc(sample),
        arch => Some(isa_arch(arch, sample)),
    };
    let all = |names: &[&str], sample: &str| {
        let part = |(number, name): (usize, &&str)| {
            let mut c = test(name, sample)?;
            c.envs(seed.map(|s| eighth(s, number as u64)));
            Some(c)
        };
        parallel(names.iter().enumerate().filter_map(part).collect())
    };
    if args.is_empty() {
        all(&ARCHS, &sample)?;
        all(&["gfx942", "hiprtc"], "1")
    } else {
        let arches: Vec<String> = args.iter().filter(|a| *a != "hiprtc").cloned().collect();
        archs(&arches, &[])?;
        parallel(args.iter().filter_map(|a| test(a, &sample)).collect())
    }
}

fn sampled(mut c: Command, sample: &str) -> Command {
    c.env("RUSHLIGHT_DTYPES", variable("RUSHLIGHT_DTYPES", "f32")).env("RUSHLIGHT_SAMPLE", sample);
    c
}

fn isa_arch(arch: &str, sample: &str) -> Command {
    let test = cargo_test(&["parity", "isa_counts"], &["--", "--ignored", "--nocapture"]);
    sampled(on(arch, vgpu::isa(), test), sample)
}

/// Returns the same test for kernels that AMD's own compiler makes, the hiprtc of Debian's HIP 5.2; `None` if it is
/// missing.
fn isa_hiprtc(sample: &str) -> Option<Command> {
    let debian = tree::target().join("rocm-packages/bookworm");
    if !debian.join("complete").exists() {
        println!("skipped: kernels of Debian's hiprtc, which `cargo xtask rocm-packages` unpacks");
        return None;
    }
    let lib = debian.join("usr/lib/x86_64-linux-gnu");
    let hiprtc = format!(
        "env RUSHLIGHT_ROCM_PATH={lib} LD_LIBRARY_PATH={lib}:{more} {program}",
        lib = lib.display(),
        more = debian.join("lib/x86_64-linux-gnu").display(),
        program = tree::target().join("release/examples/hiprtc").display(),
    );
    let test = cargo_test(&["parity"], &["--", "--ignored", "--nocapture"]);
    let mut c = sampled(on("gfx90a", vgpu::isa(), test), sample);
    c.env("RUSHLIGHT_VGPU_HIPRTC", hiprtc).env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels-hiprtc"));
    Some(c)
}

/// `candle-isa`: candle's own tests on machine code.
pub fn candle_isa(args: &[String]) -> Outcome {
    no_arguments(args)?;
    vgpu::ensure()?;
    let devices = "rocm-isa-gfx1100,rocm-isa-gfx90a";
    start(&mut with(task(&["candle-tests", "--device", devices]), vgpu::rocm()))
}

/// `test-cuda-virtual`: a part of the GPU tests on the virtual NVIDIA GPU. The ROCm tests already check what kernels
/// compute, so these tests check the calls and the choice between libraries and kernels. Python's part is
/// tests/python/test_cuda.py.
pub fn cuda_virtual(args: &[String]) -> Outcome {
    no_arguments(args)?;
    vgpu::ensure()?;
    let part = [
        "--",
        "--ignored",
        "--test-threads=1",
        "layouts",
        "what_",
        "a_factor",
        "output_padding",
        "a_library",
        "large_matrices",
    ];
    start(&mut with(cargo_test(&["gpu_blas", "gpu_conv", "gpu_fft", "gpu_solver"], &part), vgpu::cuda()))
}

/// Returns the folder in which `cuda-carry` gathers the files that a machine without registries needs.
pub fn carried() -> PathBuf {
    tree::root().join(".cuda")
}

/// `test-cuda`: the GPU tests and the Python tests on the first NVIDIA GPU. On a machine that reaches no registry
/// everything comes from .cuda, which `cargo xtask cuda-carry` has filled on another machine. On other machines run
/// `make install` first, which builds the wheel.
pub fn cuda(args: &[String]) -> Outcome {
    no_arguments(args)?;
    let carry = carried();
    let vendor = carry.join("vendor");
    let replace = "source.crates-io.replace-with=\"carried\"";
    let folder = format!("source.carried.directory=\"{}\"", vendor.display());
    let offline =
        if vendor.exists() { vec!["--offline", "--config", replace, "--config", &folder] } else { vec![] };
    let mut test = cargo_test(&GPU, &offline);
    test.args(["--", "--ignored", "--test-threads=1"]).env("RUSHLIGHT_GPU_POOL", "exact");
    start(&mut on_cuda(test, &carry))?;

    let environment = tree::target().join("cuda-venv");
    let python = environment.join("bin/python");
    start(python::outer().args(["-m", "venv", "--clear"]).arg(&environment))?;
    let wheels = carry.join("wheels");
    let mut pip = crate::process::command(&python);
    pip.args(["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--find-links"]);
    match wheels.exists() {
        true => pip.arg(&wheels).arg("--no-index"),
        false => pip.arg("target/wheels-local"),
    };
    start(pip.args(["rushlight", "numpy", "pytest"]))?;
    let run = |args: &[&str]| {
        let mut c = crate::process::command(&python);
        c.args(args);
        start(&mut on_cuda(c, &carry))
    };
    run(&[
        "-m",
        "pytest",
        "-q",
        "tests/python/test_rocm.py",
        "tests/python/test_rocm_profiler.py",
        "tests/python/test_cuda.py",
    ])?;
    let out = tree::target().join("bench-cuda").display().to_string();
    run(&["benches/gpu.py", "--device", "cuda:0", "--out", &out])
}

/// Adds the environment variables for the first NVIDIA GPU to a command.
pub fn on_cuda(mut command: Command, carry: &Path) -> Command {
    let nvidia = carry.join("lib/nvidia");
    let libraries = ["cuda_nvrtc", "cublas", "cudnn", "cufft", "cusolver", "cusparse", "nvjitlink"]
        .map(|l| nvidia.join(l).display().to_string());
    let path = [&libraries[..], &[variable("CUDA_PATH", "")]].concat().join(":");
    command.env("RUSHLIGHT_TEST_DEVICE", "cuda").env("CUDA_PATH", path);
    command.env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels-cuda"));
    command.env("PYTHONPATH", carry.join("lib"));
    command
}

/// `sanitize`: runs kernels under AddressSanitizer and UBSan: first kernels with errors that these must find, then the GPU
/// tests, each tensor in an allocation of exactly its size. The sanitizer's runtime is preloaded into the test program, not
/// into cargo.
pub fn sanitize(args: &[String]) -> Outcome {
    no_arguments(args)?;
    start(&mut make("tools"))?;
    let asan = tools::sanitize()?;
    vgpu::ensure()?;
    start(&mut cargo_test(&[&["sanitize"], &SANITIZED[..]].concat(), &["--no-run"]))?;
    start(cargo_test(&["sanitize"], &["--", "--ignored"]).env("VGPU_TEST_ASAN", &asan))?;
    let options = "detect_leaks=0:handle_segv=0:use_sigaltstack=0";
    let test = |arch: &str| {
        let mut c = on(arch, vgpu::rocm(), cargo_test(&SANITIZED, &["--", "--ignored", "--test-threads=1"]));
        let runner = format!("env LD_PRELOAD={asan} ASAN_OPTIONS={options}");
        c.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner).env("RUSHLIGHT_VGPU_SANITIZE", "2");
        // Otherwise the virtual GPU's library computes the transforms, and our kernels are not checked.
        c.env("RUSHLIGHT_FFT", "native");
        c.env("RUSHLIGHT_GPU_POOL", "0").env_remove("RUSHLIGHT_VGPU_PYTHON");
        c.env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels-sanitized"));
        c
    };
    parallel(ARCHS.map(test).into())
}
