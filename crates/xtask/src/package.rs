//! `package`: packs rushlight and the crates that it depends on as for a registry. A crate outside of the workspace depends
//! on the packed crates and runs ops on `Device::new_rocm(0)`, here the virtual AMD GPU.
use crate::{Outcome, process, tree};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

const PACKED: [&str; 6] =
    ["rushlight", "rushlight-cuda", "rushlight-ggml", "rushlight-hip", "rushlight-load", "rushlight-parity"];

/// The program of the crate outside of the workspace.
const PROGRAM: &str = r#"//! Ops on the first AMD GPU, with the packed crates.
use rushlight::{Device, Result, Tensor};

fn ops(device: &Device) -> Result<Vec<Vec<f32>>> {
    let a = Tensor::arange(0f32, 9., device)?.reshape((3, 3))?;
    a.add(&a.t()?)?.broadcast_mul(&a.sum_keepdim(1)?)?.to_vec2()
}

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let name = rushlight_hip::Device::new(0)?.name().to_string();
    assert!(name.contains("virtual"), "{name}");
    let gpu = Device::new_rocm(0)?;
    assert_eq!(ops(&gpu)?, ops(&Device::Cpu)?);
    println!("packed crates on {:?}, {name}: the CPU's results", gpu.location());
    Ok(())
}
"#;

/// Packs, unpacks, builds and runs.
pub fn run(_: &[String]) -> Outcome {
    let (root, target) = (tree::root(), tree::target());
    let rocm = std::env::var("RUSHLIGHT_ROCM_PATH")
        .map_err(|_| "RUSHLIGHT_ROCM_PATH must name the virtual GPU: make vgpu")?;
    let mut args = vec!["package", "--quiet", "--locked", "--allow-dirty", "--no-verify"];
    args.extend(PACKED.iter().flat_map(|p| ["-p", p]));
    process::stdout_in(&root, "cargo", &args)?;

    let folder = target.join("package-test");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("src"))?;
    let manifest = tree::read(&root.join("Cargo.toml"))?;
    let version = between(&manifest, "\nversion = \"", "\"").ok_or("the workspace has no version")?;
    for name in PACKED {
        let packed = target.join(format!("package/{name}-{version}.crate")).display().to_string();
        // With the present time: a file that is older than an earlier build would not be compiled again.
        process::run_in(&folder, "tar", &["--touch", "-xzf", &packed])?;
    }
    // The build fails if other files of the package are missing, but not if a kernel or a header is missing.
    let kernels = [files(&root.join("hip"))?, files(&folder.join(format!("rushlight-{version}/hip")))?];
    if kernels[0] != kernels[1] {
        return Err(format!("the package's kernels are not those of hip/: {kernels:?}").into());
    }

    // The profile and the versions are the workspace's, so that common dependencies are compiled once. The packed crates
    // themselves are compiled without optimization, since only the contents of the package are checked.
    let profile =
        manifest.split_once("[profile.release]\n").map_or("", |p| p.1.split("\n[").next().unwrap_or(""));
    let mut text =
        String::from("[package]\nname = \"packed-user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n");
    text += "[workspace]\n\n[dependencies]\n";
    PACKED.iter().for_each(|p| text += &format!("{p} = \"={version}\"\n"));
    text += "\n[patch.crates-io]\n";
    PACKED.iter().for_each(|p| text += &format!("{p} = {{ path = \"{p}-{version}\" }}\n"));
    text += &format!("\n[profile.release]\n{profile}\n");
    PACKED.iter().for_each(|p| text += &format!("\n[profile.release.package.{p}]\nopt-level = 0\n"));
    tree::write(&folder.join("Cargo.toml"), &text)?;
    tree::write(&folder.join("src/main.rs"), PROGRAM)?;
    std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock"))?;

    // The kernel cache is disabled, so that kernels are compiled from the packed sources.
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--quiet", "--release"]).current_dir(&folder).env("CARGO_TARGET_DIR", &target);
    cargo.env("RUSHLIGHT_CACHE_DIR", "").env("RUSHLIGHT_ROCM_PATH", std::path::absolute(rocm)?);
    if cargo.status()?.success() { Ok(()) } else { Err("the crate outside of the workspace failed".into()) }
}

/// Returns the text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    Some(text.split_once(before)?.1.split_once(after)?.0)
}

fn files(folder: &Path) -> Outcome<BTreeSet<String>> {
    let name = |e: std::io::Result<std::fs::DirEntry>| Ok(e?.file_name().to_string_lossy().into_owned());
    std::fs::read_dir(folder)?.map(name).collect()
}
