//! `candle-ecosystem`: candle-nn of the registry, compiled against `crates/candle-core` as a user's program compiles it, and
//! candle-nn's own tests.
//!
//! The workspace here is a user's: it depends on candle-nn and has one entry `[patch.crates-io]`. candle-nn chooses more
//! features of shared dependencies than this workspace does, so rushlight is compiled once more, without optimization.
//!
//! candle-transformers is built, too, in a copy with a change of one of its models, `deepseek2`: it matches every dtype of candle's
//! and no other, and makes a `CpuStorage` of a vector. The program `examples/candle/llama.rs` uses it; a test in Python
//! (`test_language_model.py`) compares its results.
use super::{
    Programs, Result, SUITE, Tests, VERSION, build, cargo, copy, copy_tests, fetch, link, output, read,
    section, write, write_lock,
};
use std::path::{Path, PathBuf};

/// candle-nn's tests without those of other devices (cutile_moe, sdpa) and the one that only prints times (bf16_conv_bench).
pub const NN: Tests = Tests {
    task: "candle-ecosystem",
    package: "candle-nn",
    files: &[
        "batch_norm",
        "bf16_add_bisect",
        "bf16_cpu_ops",
        "cpu_flash_attn",
        "group_norm",
        "kv_cache",
        "layer_norm",
        "loss",
        "one_hot",
        "ops",
        "optim",
        "rnn",
        "varlen_flash_attention",
    ],
    suffix: "",
    expected: 59,
    exceptions: include_str!("../../candle_nn_exceptions.txt"),
    no_kernel: include_str!("../../candle_nn_no_kernel.txt"),
};

/// Writes the workspace and builds the tests.
pub fn prepare(home: &Path, root: &Path, target: &Path) -> Result<(PathBuf, Programs)> {
    let candle = fetch(&home.join("source"), NN.package)?;
    let workspace = home.join("workspace");
    let profile = read(&root.join("Cargo.toml"))?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"suite\", \"transformers\", \"llama\"]\n\n\
         [patch.crates-io]\ncandle-core = {{ path = {:?} }}\n\n\
         [profile.release]\n{}\n\n[profile.release.package.rushlight]\nopt-level = 0\n\n\
         [profile.release.package.candle-transformers]\nopt-level = 0\n",
        root.join("crates/candle-core"),
        section(&profile, "[profile.release]"),
    );
    write(&workspace.join("Cargo.toml"), &manifest)?;
    write_lock(&workspace, root)?;
    link(&root.join("rust-toolchain.toml"), &workspace.join("rust-toolchain.toml"))?;
    let suite = workspace.join("suite");
    let manifest = format!(
        "{SUITE}\n[dependencies]\ncandle-nn = \"={VERSION}\"\n\n[dependencies.candle]\npackage = \"candle-core\"\n\
         version = \"={VERSION}\"\nfeatures = [\"testing\"]\n\n\
         [dev-dependencies]\nanyhow = \"1\"\nrand = \"0.9\"\nrand_distr = \"0.5\"\n"
    );
    write(&suite.join("Cargo.toml"), &manifest)?;
    write(&suite.join("src/lib.rs"), "")?;
    copy_tests(&NN, &candle, &suite)?;
    let source = fetch(&home.join("source-transformers"), "candle-transformers")?;
    copy_folder(&source, &workspace.join("transformers"))?;
    let manifest = format!(
        "[package]\nname = \"candle-llama\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
         [[bin]]\nname = \"candle-llama\"\npath = {:?}\n\n[dependencies]\ncandle-core = \"={VERSION}\"\n\
         candle-nn = \"={VERSION}\"\ncandle-transformers = {{ path = \"../transformers\" }}\nserde_json = \"1\"\n",
        root.join("examples/candle/llama.rs"),
    );
    write(&workspace.join("llama/Cargo.toml"), &manifest)?;
    let mut program = cargo();
    program.args(["build", "--release", "-p", "candle-llama", "--target-dir"]).arg(target);
    if !output(program.current_dir(&workspace), "cargo build of candle-llama")?.0 {
        return Err("candle-transformers, or the program that uses it, does not compile".to_string());
    }
    Ok((candle, build(&NN, &workspace, target, &["-p", "candle-suite"])?))
}

/// Copies the package candle-transformers, with the change.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let entries = std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let to = to.join(name);
        match name {
            // cargo's marks on a package of the registry.
            _ if name.starts_with('.') || name == "Cargo.toml.orig" || name == "Cargo.lock" => {}
            _ if path.is_dir() => copy_folder(&path, &to)?,
            "deepseek2.rs" => write(&to, &changed(&read(&path)?).ok_or("deepseek2.rs: another version")?)?,
            _ => copy(&path, &to)?,
        }
    }
    Ok(())
}

/// Returns the model `deepseek2` with an arm for all other dtypes, and with a conversion of the vector.
fn changed(source: &str) -> Option<String> {
    let (before, rest) = source.split_once("// Dummy types don't support nonzero operation")?;
    let (_, after) = rest.split_once("        };\n        let index_len")?;
    let arm = "s => return Err(candle::Error::UnsupportedDTypeForOp(s.dtype(), \"nonzero\").bt()),\n";
    let (first, last) = after.split_once("CpuStorage::U32(result)")?;
    Some(format!(
        "{before}{arm}        }};\n        let index_len{first}CpuStorage::U32(result.into()){last}"
    ))
}
