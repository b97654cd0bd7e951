//! Results that are committed, and comparisons with other libraries.
use super::devices::ARCHS;
use super::{library_task, no_arguments, python, vgpu};
use crate::process::{cargo, make, parallel, run as start};
use crate::{Outcome, renew, tree};
use std::path::Path;
use std::process::Command;

/// Returns the command that runs the suite, or the cases of some ops, on a device and writes a summary, from which PARITY.md
/// is made.
fn suite(device: &str, summary: &Path, ops: &[String]) -> Command {
    let mut c = python::venv("rushlight", &["parity", "--device", device]);
    c.arg("--summary").arg(summary);
    if !ops.is_empty() {
        // Ops whose name ends with that of a named op are chosen, too: `renew` takes the results of the named ones alone.
        c.arg("-k").arg(ops.iter().map(|op| format!("{op}#")).collect::<Vec<_>>().join(" or "));
    }
    c
}

/// Copies summaries to tests/parity, or the results of some ops into the committed ones, and generates PARITY.md from them.
fn keep(folder: &Path, ops: &[String]) -> Outcome {
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        let committed = tree::root().join("tests/parity").join(file.file_name());
        let mut text = tree::read(&file.path())?;
        if !ops.is_empty() {
            text = renew::renew(&tree::read(&committed)?, &text, ops)?;
        }
        tree::write(&committed, &text)?;
    }
    // (In the release profile, as the module that ran the suite.)
    library_task("generate", &[], true)
}

/// Returns the ops that `args` name, or for `--new` those that a results file lacks. None are all.
fn named(args: &[String], file: &str) -> Outcome<Vec<String>> {
    if args.is_empty() {
        // A whole run needs no results of an earlier one.
        return Ok(Vec::new());
    }
    if args == ["--new"] {
        let ops = |file: &str| renew::ops(&tree::read(&tree::root().join("tests/parity").join(file))?);
        let (known, have) = (ops("cpu.json")?, ops(file)?);
        let new: Vec<String> = known.difference(&have).cloned().collect();
        println!("new: {}", new.join(" "));
        return if new.is_empty() {
            Err(format!("tests/parity/{file} has every op").into())
        } else {
            Ok(new)
        };
    }
    // `renew` rejects an op of which the run has no results.
    Ok(args.to_vec())
}

fn new_folder(folder: &Path) -> Outcome {
    let _ = std::fs::remove_dir_all(folder);
    Ok(std::fs::create_dir_all(folder)?)
}

/// `parity-results`: the whole suite, or the named ops, on the CPU and on the virtual AMD GPU, waves
/// of 32 and of 64. The full results, with bits and values, stay under the target directory. Nothing is replaced unless all
/// three runs pass.
pub fn parity(args: &[String]) -> Outcome {
    let ops = named(args, "cpu.json")?;
    python::install()?;
    vgpu::ensure()?;
    let folder = tree::target().join("parity");
    new_folder(&folder)?;
    let summaries = folder.join("summary");
    std::fs::create_dir(&summaries)?;
    let results = |name: &str, device: &str| {
        let file = format!("{name}.json");
        let mut c = suite(device, &summaries.join(&file), &ops);
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
    keep(&summaries, &ops)
}

/// `parity-results-isa`: the whole suite, the named ops, or with `--new` the ops without results, on AMD's code objects, by our
/// kernels alone, on both targets side by side. For the whole suite, compiling takes some 20 minutes, once; the runs take some
/// minutes.
pub fn parity_isa(args: &[String]) -> Outcome {
    let ops = named(args, "rocm-gfx1100.json")?;
    python::install()?;
    vgpu::ensure()?;
    let folder = tree::target().join("parity-isa");
    new_folder(&folder)?;
    let file = |arch: &str| folder.join(format!("rocm-{arch}.json"));
    let on = |arch: &str| {
        let mut c = vgpu::with(suite("rocm:0", &file(arch), &ops), vgpu::isa());
        // The largest cases take some minutes on machine code.
        c.args(["--timeout", "15m"]).env("RUSHLIGHT_VGPU_ARCH", arch);
        c
    };
    parallel(ARCHS.map(on).into())?;
    for file in ARCHS.map(file) {
        let found: serde_json::Value = serde_json::from_str(&tree::read(&file)?)?;
        if found["evidence"] != "emulated" {
            return Err(format!("{}: the evidence is {}", file.display(), found["evidence"]).into());
        }
    }
    keep(&folder, &ops)
}

/// `test-cubins`: compares the arguments of every launch of the op suite with the parameters of the machine code for sm_80.
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

/// Installs the wheel that was built last beside PyTorch.
fn install_beside_torch() -> Outcome {
    let wheel = super::wheels::local("rushlight-")?.display().to_string();
    torch_python(&["-m", "pip", "install", "--quiet", "--no-deps", "--force-reinstall", &wheel])
}

/// `bench`: times the CPU beside PyTorch and NumPy in one run, and writes docs/PERFORMANCE.md. Nothing else should run on the
/// machine.
pub fn bench(args: &[String]) -> Outcome {
    no_arguments(args)?;
    torch()?;
    python::install()?;
    install_beside_torch()?;
    torch_python(&["benches/python/report.py", "--write"])
}

/// `golden`: writes the golden files with PyTorch.
pub fn golden(args: &[String]) -> Outcome {
    no_arguments(args)?;
    torch()?;
    torch_python(&["tests/golden/make_golden.py"])
}

/// `test-peers`: checks that the golden files are still PyTorch's results, compares ops, gradients and optimizers with
/// PyTorch on new inputs (RUSHLIGHT_SEED=.. repeats a run), and the parity suite with candle-core.
pub fn peers(args: &[String]) -> Outcome {
    no_arguments(args)?;
    torch()?;
    python::install()?;
    torch_python(&["tests/golden/make_golden.py", "--check"])?;
    install_beside_torch()?;
    torch_python(&["-m", "pytest", "tests/peers"])?;
    let args =
        ["run", "--release", "--locked", "--manifest-path", "benches/peers/Cargo.toml", "--bin", "candle"];
    start(cargo(&args).args(["--", "--check"]))
}
