//! The virtual GPU: building it, and the environment of tests that run on it.
use super::{no_arguments, tools};
use crate::process::{command, run as start};
use crate::{Outcome, files, tree};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::process::Command;

const CRATE: &str = "crates/rushlight-vgpu/";
/// Folders of the crate that are not sources of its libraries.
const APART: [&str; 3] = ["tests/", "examples/", "python/"];
const LIBRARIES: [&str; 4] = ["hip5", "hip6", "hip7", "cuda"];

/// `vgpu`: builds the virtual GPU and prints, as the last line, the folder for RUSHLIGHT_ROCM_PATH.
pub fn run(args: &[String]) -> Outcome {
    no_arguments(args)?;
    tools::vgpu()?;
    build()
}

/// Builds the virtual GPU unless the one in the target directory was built from the current sources.
pub fn ensure() -> Outcome {
    tools::vgpu()?;
    let current = stamp().ok();
    if current.is_some() && current == std::fs::read_to_string(stamp_file()).ok() {
        return Ok(());
    }
    println!("building the virtual GPU: its sources changed, or it is missing");
    build()
}

fn build() -> Outcome {
    let before = sources()?;
    start(&mut command(tree::root().join(CRATE).join("build.sh")))?;
    // The stamp is written only if no source was edited during the build.
    if sources()? == before {
        tree::write(&stamp_file(), &stamp()?)?;
    }
    Ok(())
}

/// Returns the folder in which the virtual GPU's libraries are built.
pub fn folder() -> PathBuf {
    tree::target().join("vgpu")
}

fn stamp_file() -> PathBuf {
    folder().join("stamp")
}

/// Returns the sources' hash and the hash of each library built from them, so that libraries which something else has
/// built since count as stale.
fn stamp() -> Outcome<String> {
    let mut text = format!("sources {:016x}\n", sources()?);
    for name in LIBRARIES {
        let file = folder().join(name).join("lib/librushlight_vgpu.so");
        let bytes = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        text += &format!("{name} {:016x}\n", hash(&bytes));
    }
    Ok(text)
}

/// Returns a hash of the sources of the libraries: the crate, the toolchain and the release profile.
fn sources() -> Outcome<u64> {
    let root = tree::root();
    let mut h = DefaultHasher::new();
    for file in files::tracked(&root)? {
        let Some(inside) = file.strip_prefix(CRATE) else { continue };
        if APART.iter().any(|f| inside.starts_with(f)) || inside.ends_with(".md") {
            continue;
        }
        (inside, std::fs::read(root.join(&file))?).hash(&mut h);
    }
    std::fs::read(root.join("rust-toolchain.toml"))?.hash(&mut h);
    let manifest = tree::read(&root.join("Cargo.toml"))?;
    let profile = manifest.split_once("[profile.release]\n").map_or("", |p| p.1);
    profile.split("\n[").next().unwrap_or("").trim().hash(&mut h);
    Ok(h.finish())
}

fn hash(bytes: &[u8]) -> u64 {
    let mut h = DefaultHasher::new();
    bytes.hash(&mut h);
    h.finish()
}

/// A setting of a child process.
pub type Setting = (&'static str, String);

/// Returns the settings that make a process find the virtual AMD GPU. Compiled kernels are kept under the target directory.
/// If there is no other clang, the virtual GPU uses that of ziglang in `.venv`.
pub fn rocm() -> Vec<Setting> {
    vec![
        ("RUSHLIGHT_VGPU_PYTHON", tree::root().join(".venv/bin/python").display().to_string()),
        ("RUSHLIGHT_ROCM_PATH", folder().join("hip7").display().to_string()),
        ("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels").display().to_string()),
    ]
}

/// Returns the settings of [`rocm`] for executing AMD machine code, without vendor libraries: results of their stand-ins
/// would not be evidence for our kernels.
pub fn isa() -> Vec<Setting> {
    let own = [
        ("RUSHLIGHT_VGPU_ENGINE", "isa"),
        ("RUSHLIGHT_BLAS", "native"),
        ("RUSHLIGHT_CONV", "native"),
        ("RUSHLIGHT_FFT", "native"),
        ("RUSHLIGHT_SOLVER", "native"),
        ("RUSHLIGHT_GPU_POOL", "exact"),
    ];
    rocm().into_iter().chain(own.map(|(k, v)| (k, v.to_string()))).collect()
}

/// Returns the settings that make a process find the virtual NVIDIA GPU.
pub fn cuda() -> Vec<Setting> {
    vec![
        ("RUSHLIGHT_TEST_DEVICE", "cuda".to_string()),
        ("RUSHLIGHT_GPU_POOL", "exact".to_string()),
        ("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels-virtual-cuda").display().to_string()),
        ("RUSHLIGHT_VGPU_PYTHON", tree::root().join(".venv/bin/python").display().to_string()),
        ("RUSHLIGHT_CUDA_PATH", folder().join("cuda").display().to_string()),
    ]
}

/// Adds settings to the environment of a command.
pub fn with(mut command: Command, settings: Vec<Setting>) -> Command {
    command.envs(settings);
    command
}
