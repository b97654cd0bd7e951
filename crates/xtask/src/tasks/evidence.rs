//! Results that are committed, and comparisons with other libraries.
use super::devices::ARCHS;
use super::{library_task, no_arguments, python, vgpu};
use crate::process::{cargo, make, parallel, run as start};
use crate::{Outcome, tree};
use std::path::Path;
use std::process::Command;

/// The suite on a device, with its results in a file as PARITY.md is made of.
fn suite(device: &str, summary: &Path) -> Command {
    let mut c = python::venv("rushlight", &["parity", "--device", device]);
    c.arg("--summary").arg(summary);
    c
}

/// Copies summaries to tests/parity and makes PARITY.md of them.
fn keep(folder: &Path) -> Outcome {
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        std::fs::copy(file.path(), tree::root().join("tests/parity").join(file.file_name()))?;
    }
    library_task("generate", &[], false)
}

fn new_folder(folder: &Path) -> Outcome {
    let _ = std::fs::remove_dir_all(folder);
    Ok(std::fs::create_dir_all(folder)?)
}

/// `parity-results`: the whole suite on the CPU and on the virtual AMD GPU, waves of 32 and of 64. The full results, with bits
/// and values, stay under the target directory. Nothing is replaced unless all three runs pass.
pub fn parity(args: &[String]) -> Outcome {
    no_arguments(args)?;
    python::install()?;
    vgpu::ensure()?;
    let folder = tree::target().join("parity");
    new_folder(&folder)?;
    let summaries = folder.join("summary");
    std::fs::create_dir(&summaries)?;
    let results = |name: &str, device: &str| {
        let file = format!("{name}.json");
        let mut c = suite(device, &summaries.join(&file));
        c.arg("--json").arg(folder.join(&file));
        c
    };
    start(&mut results("cpu", "cpu"))?;
    let on = |name: &str, arch: &str| {
        let mut c = vgpu::with(results(name, "rocm:0"), vgpu::rocm());
        c.env("RUSHLIGHT_GPU_POOL", "exact").env("RUSHLIGHT_VGPU_ARCH", arch);
        c
    };
    // Side by side: compiling kernels takes most of a first run, and a process compiles one after another.
    parallel(vec![on("rocm-wave32", ARCHS[0]), on("rocm-wave64", ARCHS[1])])?;
    keep(&summaries)
}

/// `parity-results-isa`: the whole suite on AMD's code objects, by our kernels alone, on both targets side by side. Compiling
/// takes some 20 minutes, once; the runs take some minutes.
pub fn parity_isa(args: &[String]) -> Outcome {
    no_arguments(args)?;
    python::install()?;
    vgpu::ensure()?;
    let folder = tree::target().join("parity-isa");
    new_folder(&folder)?;
    let file = |arch: &str| folder.join(format!("rocm-{arch}.json"));
    let on = |arch: &str| {
        let mut c = vgpu::with(suite("rocm:0", &file(arch)), vgpu::isa());
        c.env("RUSHLIGHT_VGPU_ARCH", arch);
        c
    };
    parallel(ARCHS.map(on).into())?;
    for file in ARCHS.map(file) {
        let found: serde_json::Value = serde_json::from_str(&tree::read(&file)?)?;
        if found["evidence"] != "emulated" {
            return Err(format!("{}: the evidence is {}", file.display(), found["evidence"]).into());
        }
    }
    keep(&folder)
}

/// `test-cubins`: every launch of the op suite against what the machine code of sm_80 takes.
pub fn cubins(args: &[String]) -> Outcome {
    no_arguments(args)?;
    let mut c = cargo(&["test", "--release", "--locked", "--workspace", "--test", "arguments"]);
    c.args(["--", "--ignored"]);
    start(c.env("RUSHLIGHT_TEST_CUBINS", tree::target().join("kernels-aot/sm_80")))
}

/// PyTorch, and the packages of docs/guide/training.md, which `tests/peers` runs.
const PEERS: [&str; 7] = [
    "torch==2.13.0",
    "numpy==2.4.6",
    "pytest==9.2.0",
    "matplotlib==3.11.2",
    "scikit-learn==1.9.1",
    "tensorboard==2.21.0",
    "tqdm==4.70.1",
];

/// The environment with PyTorch, about 5 GB to install.
const TORCH: &str = ".venv-golden";

fn torch() -> Outcome {
    let ready = tree::root().join(TORCH).join(".ready");
    if !ready.exists() {
        start(python::outer().args(["-m", "venv", TORCH]))?;
        torch_python(&[&["-m", "pip", "--quiet", "install"], &PEERS[..]].concat())?;
        tree::write(&ready, "")?;
    }
    start(&mut make("data"))
}

fn torch_python(args: &[&str]) -> Outcome {
    let mut c = crate::process::command(tree::root().join(TORCH).join("bin/python"));
    start(c.args(args))
}

/// `golden`: writes the golden files with PyTorch.
pub fn golden(args: &[String]) -> Outcome {
    no_arguments(args)?;
    torch()?;
    torch_python(&["tests/golden/make_golden.py"])
}

/// `test-peers`: the golden files are still PyTorch's answers; ops, gradients and optimizers live against PyTorch, with new
/// inputs (RUSHLIGHT_SEED=.. repeats a run); the parity suite against candle-core.
pub fn peers(args: &[String]) -> Outcome {
    no_arguments(args)?;
    torch()?;
    python::install()?;
    torch_python(&["tests/golden/make_golden.py", "--check"])?;
    let wheel = super::wheels::local("rushlight-")?;
    let wheel = wheel.display().to_string();
    torch_python(&["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", &wheel])?;
    torch_python(&["-m", "pytest", "tests/peers"])?;
    let args =
        ["run", "--release", "--locked", "--manifest-path", "benches/peers/Cargo.toml", "--bin", "candle"];
    start(cargo(&args).args(["--", "--check"]))
}
