//! The Python module: its virtual environment, checks and tests. The Makefile installs the module; these tasks use the
//! installed one.
use super::pipeline::{arch_of_commit, commit_seed};
use super::{devices, no_arguments, vgpu, wheels};
use crate::process::{command, make, parallel, run as start};
use crate::{Outcome, files, tree};
use std::path::PathBuf;
use std::process::Command;

/// Returns the Python of `.venv`.
pub fn venv_python() -> PathBuf {
    tree::root().join(".venv/bin/python")
}

/// Makes `.venv` where it is missing.
pub fn ensure_venv() -> Outcome {
    if venv_python().exists() { Ok(()) } else { start(&mut make(".venv/bin/python")) }
}

/// Returns a program of `.venv` with arguments.
pub fn venv(program: &str, args: &[&str]) -> Command {
    let mut c = command(tree::root().join(".venv/bin").join(program));
    c.args(args);
    c
}

/// Runs pip in `.venv`.
pub fn pip(args: &[&str]) -> Outcome {
    start(venv("python", &["-m", "pip", "--disable-pip-version-check", "--quiet"]).args(args))
}

/// The Python that new environments are made with.
pub fn outer() -> Command {
    command(std::env::var_os("PYTHON").filter(|p| !p.is_empty()).unwrap_or_else(|| "python3".into()))
}

/// Makes a new environment and returns its Python.
pub fn new_venv(folder: &str) -> Outcome<PathBuf> {
    let folder = tree::root().join(folder);
    start(outer().args(["-m", "venv", "--clear"]).arg(&folder))?;
    Ok(folder.join("bin/python"))
}

/// Builds the module and installs it into `.venv`.
pub fn install() -> Outcome {
    start(&mut make("install"))
}

/// `stubs`: builds and installs the module and writes its stubs.
pub fn stubs(args: &[String]) -> Outcome {
    no_arguments(args)?;
    install()?;
    start(&mut venv("python", &["crates/rushlight-py/stubs.py"]))
}

/// `python-test`: style, types, stubs, tests on the CPU and on the virtual GPU, both wheels and the parity workflow.
pub fn test(args: &[String]) -> Outcome {
    no_arguments(args)?;
    install()?;
    start(&mut make("lint"))?;
    start(&mut make("data"))?;
    vgpu::ensure()?;
    start(&mut venv("python", &["crates/rushlight-py/stubs.py", "--check"]))?;
    let stubtest = ["-m", "mypy.stubtest", "rushlight._native", "--allowlist", "tests/python/stubtest.txt"];
    start(&mut venv("python", &stubtest))?;
    println!(
        "Python tests: of each test with more than 30 cases an eighth, by the commit; `make test-full` runs all"
    );
    cpu_tests(&[&format!("--sample={}", commit_seed())])?;
    let arch = arch_of_commit();
    println!(
        "Python tests of the ROCm backend: on {arch}, by the commit; `make test-full` runs them on both targets"
    );
    wheels::test_archives()?;
    start(rocm_tests(arch, false).args(["-n", "auto"]))?;
    // Networks with convolutions take minutes on machine code, so only those without them run here.
    parallel(devices::ARCHS.map(|arch| isa_tests(arch, "first_mnist_losses and mlp")).into())?;
    // Shows that the benches run; its times, of one round and small tensors, are not checked.
    start(&mut venv("python", &["benches/python/report.py", "--short"]))?;
    wheels::test_vgpu(&[])?;
    wheels::test_recipe(&[])
}

/// `python-full`: every test of the CPU, and the tests that take minutes on the virtual GPU.
pub fn full(args: &[String]) -> Outcome {
    no_arguments(args)?;
    install()?;
    start(&mut make("data"))?;
    vgpu::ensure()?;
    cpu_tests(&[])?;
    wheels::test_archives()?;
    parallel(devices::ARCHS.map(|arch| rocm_tests(arch, true)).into())?;
    parallel(devices::ARCHS.map(|arch| isa_tests(arch, "first_mnist_losses")).into())
}

/// Runs the tests of the CPU: one process for each core; idle processes take tests from busy ones.
fn cpu_tests(args: &[&str]) -> Outcome {
    // (pytest reads the option from the conftest.py of a folder that is named.)
    start(venv("python", &["-m", "pytest", "tests/python", "-n", "auto", "--dist", "worksteal"]).args(args))
}

/// The tests of the ROCm backend on a virtual AMD GPU.
fn rocm_tests(arch: &str, full: bool) -> Command {
    let mut files: Vec<String> = files::tracked(&tree::root()).unwrap_or_default();
    // (The tests of the language model share one trained model, so those that need a GPU stand beside the others.)
    let of_gpu = ["tests/python/test_rocm", "tests/python/test_language_model"];
    files.retain(|f| of_gpu.iter().any(|name| f.starts_with(name)) && f.ends_with(".py"));
    let mut c = vgpu::with(venv("python", &["-m", "pytest", "-q", "--durations=5"]), vgpu::rocm());
    c.args(files).env("RUSHLIGHT_VGPU_ARCH", arch);
    if full {
        c.env("RUSHLIGHT_TEST_FULL", "1");
    }
    c
}

/// Runs the demo's first 20 steps on machine code; the losses must be PyTorch's.
fn isa_tests(arch: &str, which: &str) -> Command {
    let file = "tests/python/test_rocm_training.py";
    let mut c = vgpu::with(venv("python", &["-m", "pytest", "-q", file, "-k", which]), vgpu::isa());
    c.env("RUSHLIGHT_VGPU_ARCH", arch);
    c
}
