//! Wheels, and tests of them in new environments.
use super::devices::carried;
use super::{no_arguments, python, release_library_task, tools, vgpu};
use crate::process::{cargo, command, make, run as start, stdout};
use crate::{Outcome, tree};
use std::path::{Path, PathBuf};

/// The oldest glibc that wheels run on.
const MANYLINUX: &str = "manylinux_2_34_x86_64";
const AUDITWHEEL: &str = "auditwheel==6.8.2";
const MATURIN: &str = "maturin==1.16.0";

/// Returns the only wheel of a folder whose name begins with `start`.
fn one(folder: &str, start: &str) -> Outcome<PathBuf> {
    let folder = tree::root().join(folder);
    let mut found = wheels(&folder, start);
    match (found.pop(), found.is_empty()) {
        (Some(wheel), true) => Ok(wheel),
        (wheel, _) => {
            let count = found.len() + usize::from(wheel.is_some());
            Err(format!("{}: expected one wheel {start}*, found {count}", folder.display()).into())
        }
    }
}

fn wheels(folder: &Path, start: &str) -> Vec<PathBuf> {
    let list = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = |e: &std::fs::DirEntry| {
        let name = e.file_name().to_string_lossy().into_owned();
        name.starts_with(start) && name.ends_with(".whl")
    };
    list.filter(named).map(|e| e.path()).collect()
}

/// Returns the wheel that `make install` built.
pub fn local(start: &str) -> Outcome<PathBuf> {
    one("target/wheels-local", start)
}

fn build_vgpu(out: &str) -> Outcome {
    let mut c = python::venv("python", &["crates/rushlight-vgpu/python/build_wheel.py"]);
    start(c.arg(vgpu::folder()).args([out, MANYLINUX]))
}

fn auditwheel(wheel: &Path) -> Outcome<String> {
    let text = stdout(python::venv("auditwheel", &["show"]).arg(wheel))?;
    print!("{text}");
    Ok(text)
}

/// Removes a package's wheels from dist/.
fn clean(start: &str) -> Outcome {
    wheels(&tree::root().join("dist"), start).iter().try_for_each(std::fs::remove_file)?;
    Ok(())
}

/// `wheel`: builds a wheel for other machines. auditwheel checks that it runs with the oldest glibc named here and contains
/// no foreign library.
pub fn wheel(args: &[String]) -> Outcome {
    no_arguments(args)?;
    python::ensure_venv()?;
    python::pip(&["install", MATURIN, AUDITWHEEL])?;
    clean("rushlight-")?;
    let commit = ["describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"];
    let commit = stdout(command("git").args(commit)).unwrap_or_default();
    let interpreter = python::venv_python();
    let mut maturin = python::venv("maturin", &["build", "--release", "--locked", "--out", "dist"]);
    maturin.arg("--interpreter").arg(&interpreter);
    maturin.args(["--compatibility", &MANYLINUX.replace("_x86_64", "")]);
    start(maturin.env("RUSHLIGHT_COMMIT", commit.trim()))?;
    let wheel = one("dist", "rushlight-")?;
    auditwheel(&wheel)?;
    let new = python::new_venv("target/wheel-check")?;
    let pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--no-index"];
    start(command(&new).args(pip).arg(&wheel))?;
    let program = "import rushlight as rl; print(rl.__version__, float(rl.sum(rl.ones((2, 3)))))";
    start(command(&new).args(["-c", program]).current_dir(tree::target()))
}

/// `wheel-vgpu`: builds the wheel rushlight-vgpu; fails if auditwheel does not agree with its tag.
pub fn wheel_vgpu(args: &[String]) -> Outcome {
    no_arguments(args)?;
    python::ensure_venv()?;
    vgpu::ensure()?;
    python::pip(&["install", AUDITWHEEL])?;
    clean("rushlight_vgpu-")?;
    build_vgpu("dist")?;
    let said = auditwheel(&one("dist", "rushlight_vgpu-")?)?;
    let words: Vec<&str> = said.split_whitespace().collect();
    let agreed = format!("consistent with the following platform tag: \"{MANYLINUX}\"");
    if words.join(" ").contains(&agreed) {
        return Ok(());
    }
    Err(format!("auditwheel does not agree that this is {MANYLINUX}").into())
}

/// The folder of the package `rushlight-kernels`.
const KERNELS: &str = "crates/xtask/rushlight-kernels";

/// `wheel-kernels`: compiles the common kernels for common targets, and builds the wheel rushlight-kernels.
pub fn wheel_kernels(args: &[String]) -> Outcome {
    no_arguments(args)?;
    python::ensure_venv()?;
    tools::kernels()?;
    let archives = tree::target().join("kernel-archives/wheel");
    let _ = std::fs::remove_dir_all(&archives);
    let folder = archives.display().to_string();
    release_library_task(&["kernel-archives", "--out", &folder])?;
    clean("rushlight_kernels-")?;
    start(&mut python::venv("python", &[&format!("{KERNELS}/build_kernels_wheel.py"), &folder, "dist"]))
}

/// Packs the archives that the Python tests load: the kernels of an MLP in f32 for the usual targets. Objects that the
/// task `kernels` has compiled are reused.
pub fn test_archives() -> Outcome {
    tools::kernels()?;
    let folder = tree::target().join("kernel-archives/test").display().to_string();
    let archs = super::devices::ARCHS.join(",");
    release_library_task(&["kernel-archives", "--arch", &archs, "--units", "mlp", "--out", &folder])
}

/// `common-kernels`: runs common programs on the virtual AMD GPU, with the installed module, and writes the table of the
/// kernels that they load.
pub fn common_kernels(args: &[String]) -> Outcome {
    no_arguments(args)?;
    vgpu::ensure()?;
    let (script, table) = (format!("{KERNELS}/record.py"), format!("{KERNELS}/common_kernels.tsv"));
    let mut c = vgpu::with(python::venv("python", &[&script, &table]), vgpu::rocm());
    // Without the vendor's libraries, which not every machine has.
    for family in ["BLAS", "CONV", "FFT", "SOLVER"] {
        c.env(format!("RUSHLIGHT_{family}"), "native");
    }
    start(&mut c)
}

/// `test-wheel-vgpu`: tests the two wheels in a new environment without clang on PATH, where ziglang compiles the kernels.
/// pip downloads ziglang once (90 MB, kept in pip's cache), and ziglang builds its C library once (kept in ~/.cache/zig).
pub fn test_vgpu(args: &[String]) -> Outcome {
    no_arguments(args)?;
    vgpu::ensure()?;
    let root = tree::root();
    let cache = root.join("target/vgpu-check-cache");
    for folder in [&root.join("target/wheels-vgpu"), &cache] {
        let _ = std::fs::remove_dir_all(folder);
    }
    build_vgpu("target/wheels-vgpu")?;
    let new = python::new_venv("target/vgpu-check")?;
    let pip = ["-m", "pip", "--disable-pip-version-check", "--quiet", "install"];
    for wheel in [local("rushlight-")?, one("target/wheels-vgpu", "rushlight_vgpu-")?] {
        start(command(&new).args(pip).arg(wheel))?;
    }
    let mut c = command(&new);
    c.args(["-I", "tests/vgpu_wheel.py"]).env_clear().env("RUSHLIGHT_CACHE_DIR", cache);
    c.env("PATH", root.join("target/vgpu-check/bin"));
    if let Some(home) = std::env::var_os("HOME") {
        c.env("HOME", home);
    }
    start(&mut c)
}

/// `test-ci-recipe`: runs the parity workflow step by step, with these wheels.
pub fn test_recipe(args: &[String]) -> Outcome {
    no_arguments(args)?;
    let mut c = python::venv("python", &["tests/ci_recipe.py", "target/ci-recipe"]);
    c.arg(local("rushlight-")?).arg(one("target/wheels-vgpu", "rushlight_vgpu-")?);
    start(c.env("RUSHLIGHT_CACHE_DIR", tree::target().join("kernels")))
}

/// `cuda-carry`: gathers the files that `test-cuda` needs on a machine that reaches no registry: sources of crates, wheels,
/// NVRTC, cuBLAS, cuDNN, cuFFT, cuSOLVER and the libraries that it needs.
pub fn cuda_carry(args: &[String]) -> Outcome {
    no_arguments(args)?;
    start(&mut make("install"))?;
    let carry = carried();
    let _ = std::fs::remove_dir_all(&carry);
    let path = |inside: &str| carry.join(inside).display().to_string();
    stdout(&mut cargo(&["vendor", "--locked", "--versioned-dirs", &path("vendor")]))?;
    std::fs::create_dir_all(path("wheels"))?;
    let wheel = local("rushlight-")?;
    let name = wheel.file_name().ok_or("the wheel has no name")?;
    std::fs::copy(&wheel, Path::new(&path("wheels")).join(name))?;
    python::pip(&["download", "--dest", &path("wheels"), "numpy==2.4.6", "pytest==9.2.0"])?;
    python::pip(&[
        "install",
        "--no-deps",
        "--target",
        &path("lib"),
        "nvidia-cuda-nvrtc-cu12==12.9.86",
        "nvidia-cublas-cu12==12.9.1.4",
        "nvidia-cudnn-cu12==9.10.2.21",
        "nvidia-cufft-cu12==11.4.1.4",
        "nvidia-cusolver-cu12==11.7.5.82",
        "nvidia-cusparse-cu12==12.5.10.65",
        "nvidia-nvjitlink-cu12==12.9.86",
        "nvidia-cuda-nvcc-cu12==12.9.86",
    ])
}
