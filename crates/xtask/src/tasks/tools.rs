//! Compilers and packages that tasks need: Debian's as root, otherwise the ones of `.venv`, which need no root.
use super::python;
use crate::process::{command, make, on_path, run as start, works};
use crate::{Outcome, rocm_packages, tree};
use std::path::Path;

const ZIGLANG: &str = "ziglang==0.15.1";
/// AMD's mathematical functions as bitcode.
const BITCODE: &str = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";
/// NVRTC, which compiles for NVIDIA GPUs and needs none, and CUDA's headers.
const CUDA_PACKAGES: [&str; 2] = ["nvidia-cuda-nvrtc-cu12==12.9.86", "nvidia-cuda-runtime-cu12==12.9.79"];

/// `tools [vgpu|kernels|cuda|sanitize]..`: installs what is missing.
pub fn run(args: &[String]) -> Outcome {
    const ALL: &[(&str, fn() -> Outcome)] =
        &[("vgpu", vgpu), ("kernels", kernels), ("cuda", cuda), ("sanitize", || sanitize().map(|_| ()))];
    if let Some(unknown) = args.iter().find(|a| ALL.iter().all(|t| t.0 != *a)) {
        let names: Vec<&str> = ALL.iter().map(|t| t.0).collect();
        return Err(format!("no tools for `{unknown}`: expected {}", names.join(", ")).into());
    }
    start(&mut make("tools"))?;
    ALL.iter().filter(|t| args.is_empty() || args.iter().any(|a| a == t.0)).try_for_each(|t| (t.1)())
}

/// Installs Debian packages. Returns false if the user is not root, the system is not Debian, or apt fails.
fn apt(packages: &[&str]) -> bool {
    let root = crate::process::stdout(command("id").arg("-u")).is_ok_and(|id| id.trim() == "0");
    if !root || !on_path("apt-get") {
        return false;
    }
    let mut install = command("apt-get");
    install.args(["-qq", "install", "-y", "--no-install-recommends"]).args(packages);
    start(command("apt-get").args(["-qq", "update"])).is_ok()
        && start(install.env("DEBIAN_FRONTEND", "noninteractive")).is_ok()
}

/// Installs the tools with which the virtual GPU compiles kernels: clang, and for machine code a linker and AMD's
/// functions; also llvm-objdump, with which tests compare its decoder.
pub fn vgpu() -> Outcome {
    let there = ["clang++-19", "ld.lld-19", "llvm-objdump-19"].iter().all(|p| on_path(p));
    if there && Path::new(BITCODE).exists() {
        return Ok(());
    }
    if apt(&["clang-19", "lld-19", "llvm-19", "rocm-device-libs", "libc6-dev"]) {
        return Ok(());
    }
    ziglang()
}

fn ziglang_installed() -> bool {
    works(command(python::venv_python()).args(["-c", "import ziglang"]))
}

fn ziglang() -> Outcome {
    python::ensure_venv()?;
    if ziglang_installed() { Ok(()) } else { python::pip(&["install", ZIGLANG]) }
}

/// Installs the tools of `cargo xtask kernels`: clang, its linker and AMD's functions, and ziglang, the only compiler here
/// that supports two of the targets.
pub fn kernels() -> Outcome {
    let there = ["clang++-19", "ld.lld-19"].iter().all(|p| on_path(p)) && Path::new(BITCODE).exists();
    if !there && !apt(&["clang-19", "lld-19", "rocm-device-libs"]) {
        rocm_packages::run(&["device-libs".to_string()])?;
    }
    ziglang()
}

/// Unpacks NVRTC and CUDA's headers under the target directory.
pub fn cuda() -> Outcome {
    let folder = tree::target().join("cuda-packages");
    let complete = folder.join(".complete");
    if complete.exists() {
        return Ok(());
    }
    python::ensure_venv()?;
    let to = folder.display().to_string();
    python::pip(&["install", "--no-deps", "--target", &to, CUDA_PACKAGES[0], CUDA_PACKAGES[1]])?;
    tree::write(&complete, "")
}

/// Installs AddressSanitizer's runtime and returns its path.
pub fn sanitize() -> Outcome<String> {
    let library = || -> Option<String> {
        let mut clang = command("clang++-19");
        clang.arg("-print-file-name=libclang_rt.asan-x86_64.so");
        let path = crate::process::stdout(&mut clang).ok()?.trim().to_string();
        Path::new(&path).is_absolute().then_some(path)
    };
    if library().is_none() {
        apt(&["clang-19", "libclang-rt-19-dev"]);
    }
    let missing =
        "AddressSanitizer's runtime is missing: apt install clang-19 libclang-rt-19-dev (Debian, Ubuntu)";
    library().ok_or_else(|| missing.into())
}
