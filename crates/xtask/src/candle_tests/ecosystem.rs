//! `candle-ecosystem`: candle-nn of the registry, compiled against `crates/candle-core` as a user's program compiles it, and
//! candle-nn's own tests.
//!
//! The workspace here is a user's: it depends on candle-nn and has one entry `[patch.crates-io]`. candle-nn chooses more
//! features of shared dependencies than this workspace does, so rushlight is compiled once more, without optimization. On a GPU
//! the ops that candle-nn computes by custom ops for candle's devices run on the CPU (`RUSHLIGHT_FALLBACK=cpu`).
use super::{
    Programs, Result, SUITE, Tests, VERSION, build, copy_tests, fetch, link, read, section, write, write_lock,
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
    fallback: true,
};

/// Writes the workspace and builds the tests.
pub fn prepare(home: &Path, root: &Path, target: &Path) -> Result<(PathBuf, Programs)> {
    let candle = fetch(&home.join("source"), NN.package)?;
    let workspace = home.join("workspace");
    let profile = read(&root.join("Cargo.toml"))?;
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = [\"suite\"]\n\n\
         [patch.crates-io]\ncandle-core = {{ path = {:?} }}\n\n\
         [profile.release]\n{}\n\n[profile.release.package.rushlight]\nopt-level = 0\n",
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
    Ok((candle, build(&NN, &workspace, target, &[])?))
}
