//! `candle-ecosystem`: candle-nn, candle-transformers, candle-onnx and candle-datasets of the registry, compiled against
//! `crates/candle-core` as a user's program compiles them, and their own tests.
//!
//! The workspace here is a user's: it depends on candle's crates and has entries `[patch.crates-io]` for candle-core and
//! candle-flash-attn. candle-nn chooses more features of shared dependencies than this workspace does, so rushlight is compiled
//! once more, without optimization.
//!
//! candle-transformers is built in a copy, with the changes of docs/guide/candle-on-amd.md. One of its models, `deepseek2`, matches
//! every dtype of candle's and no other, and makes a `CpuStorage` of a vector; and its feature `flash-attn` turns on candle-nn's
//! CUDA kernels. The programs of `examples/candle` use it, see [`PROGRAMS`]; tests in Python compare their results.
//!
//! candle-datasets has 400 dependencies, of downloads and files, and only one test, which downloads. It has a separate
//! workspace, where it is checked and not built.
use super::{
    Built, Result, SUITE, Tests, VERSION, build, cargo, copy, copy_tests, fetch, fetch_version, host, link,
    output, read, section, write, write_lock,
};
use crate::tree;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The task's name.
pub const TASK: &str = "candle-ecosystem";

/// candle-nn's tests without those of other devices (cutile_moe, sdpa) and the one that only prints times (bf16_conv_bench).
static NN: Tests = Tests {
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
    any_device: true,
};

/// candle-onnx's tests. Its evaluation puts a model's constants on the CPU.
static ONNX: Tests = Tests {
    package: "candle-onnx",
    files: &["ops"],
    suffix: "",
    expected: 68,
    exceptions: include_str!("../../candle_onnx_exceptions.txt"),
    no_kernel: "",
    any_device: false,
};

/// candle-transformers' tests, of functions of vectors.
static TRANSFORMERS: Tests = Tests {
    package: "candle-transformers",
    files: &["generation", "nms"],
    suffix: "_tests",
    expected: 13,
    exceptions: "",
    no_kernel: "",
    any_device: false,
};

/// candle-flash-attn's tests, of the first NVIDIA GPU there and of the device of choice here.
static FLASH: Tests = Tests {
    package: "candle-flash-attn",
    files: &["flash_attn"],
    suffix: "_tests",
    expected: 6,
    exceptions: include_str!("../../candle_flash_attn_exceptions.txt"),
    no_kernel: "",
    any_device: true,
};

/// The tests, and what they depend on beside candle-core.
const SUITES: [(&Tests, &str); 4] = [
    (&NN, "candle-nn = \"=VERSION\"\nanyhow = \"1\"\nrand = \"0.9\"\nrand_distr = \"0.5\"\n"),
    (&ONNX, "candle-onnx = \"=VERSION\"\n"),
    (&TRANSFORMERS, "candle-transformers = { path = \"../transformers\" }\ncandle-nn = \"=VERSION\"\n"),
    (&FLASH, "candle-flash-attn = \"=VERSION\"\ncandle-nn = \"=VERSION\"\nanyhow = \"1\"\n"),
];

/// A program of `examples/candle`. It becomes a separate package, `candle-{name}`.
struct Program {
    name: &'static str,
    /// The source file in `examples/candle`.
    source: &'static str,
    /// Lines of its manifest beside candle-core, candle-nn and candle-transformers.
    dependencies: &'static [&'static str],
}

const JSON: &str = "serde_json = \"1\"";

const PROGRAMS: &[Program] = &[
    Program {
        name: "generate",
        source: "generate.rs",
        dependencies: &[
            "anyhow = \"1\"",
            "clap = { version = \"4\", features = [\"derive\"] }",
            JSON,
            "tokenizers = { version = \"0.23\", default-features = false, features = [\"fancy-regex\"] }",
        ],
    },
    Program { name: "bert", source: "bert.rs", dependencies: &[JSON] },
    Program { name: "classify", source: "classify.rs", dependencies: &[JSON] },
];

/// Writes the workspaces, checks candle-datasets, and builds the programs and the tests.
pub fn prepare(home: &Path, root: &Path, target: &Path) -> Result<Vec<Built>> {
    let workspace = home.join("workspace");
    let mut members = vec!["transformers".to_string()];
    for (tests, dependencies) in SUITES {
        let candle = fetch(&home.join("source").join(tests.package), tests.package)?;
        let name = format!("{}-tests", tests.package);
        let manifest = format!(
            "{}\n[dependencies]\n{dependencies}\n[dependencies.candle]\npackage = \"candle-core\"\n\
             version = \"=VERSION\"\nfeatures = [\"testing\"]\n",
            SUITE.replace("candle-suite", &name),
        );
        write(&workspace.join(&name).join("Cargo.toml"), &manifest.replace("VERSION", VERSION))?;
        write(&workspace.join(&name).join("src/lib.rs"), "")?;
        copy_tests(tests, &candle, &workspace.join(&name))?;
        if tests.package == TRANSFORMERS.package {
            copy_folder(&candle, &workspace.join("transformers"))?;
        }
        members.push(name);
    }
    for program in PROGRAMS {
        let package = format!("candle-{}", program.name);
        let manifest = format!(
            "[package]\nname = {package:?}\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
             [[bin]]\nname = {package:?}\npath = {:?}\n\n[dependencies]\ncandle-core = \"={VERSION}\"\n\
             candle-nn = \"={VERSION}\"\n{}\n\n[dependencies.candle-transformers]\npath = \"../transformers\"\n\
             features = [\"flash-attn\"]\n",
            root.join("examples/candle").join(program.source),
            program.dependencies.join("\n"),
        );
        write(&workspace.join(&package).join("Cargo.toml"), &manifest)?;
        members.push(package);
    }
    write_workspace(&workspace, root, &members)?;
    check_datasets(&home.join("datasets"), root, target)?;
    let protoc = protoc(home)?;
    let all = SUITES.map(|(tests, _)| tests);
    let mut programs = build(&all, &workspace, target, &["--bins"], &[("PROTOC", &protoc)])?;
    for program in PROGRAMS {
        let name = format!("candle-{}", program.name);
        if !programs.get(&name).is_some_and(|p| p.contains_key(&name)) {
            return Err(format!("candle-transformers, or {name}, does not compile"));
        }
    }
    let built = |tests: &'static Tests| {
        let name = format!("{}-tests", tests.package);
        Built { tests, folder: workspace.join(&name), programs: programs.remove(&name).unwrap_or_default() }
    };
    Ok(all.into_iter().map(built).collect())
}

/// Writes the manifest and the lock file of a workspace that uses the crates of this one under candle's names.
fn write_workspace(folder: &Path, root: &Path, members: &[String]) -> Result<()> {
    let profile = read(&root.join("Cargo.toml"))?;
    let crates = |name: &str| root.join("crates").join(name);
    let unoptimized = ["rushlight", "candle-transformers", "candle-onnx"]
        .map(|p| format!("[profile.release.package.{p}]\nopt-level = 0\n"));
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n\
         [patch.crates-io]\ncandle-core = {{ path = {:?} }}\ncandle-flash-attn = {{ path = {:?} }}\n\n\
         [profile.release]\n{}\n\n{}",
        crates("candle-core"),
        crates("candle-flash-attn"),
        section(&profile, "[profile.release]"),
        unoptimized.join("\n"),
    );
    write(&folder.join("Cargo.toml"), &manifest)?;
    write_lock(folder, root)?;
    link(&root.join("rust-toolchain.toml"), &folder.join("rust-toolchain.toml"))
}

/// Compiles candle-datasets as far as `cargo check` does.
fn check_datasets(folder: &Path, root: &Path, target: &Path) -> Result<()> {
    let name = "candle-datasets-user";
    let manifest = format!(
        "{}\n[dependencies]\ncandle-datasets = \"={VERSION}\"\n",
        SUITE.replace("candle-suite", name)
    );
    write(&folder.join(name).join("Cargo.toml"), &manifest)?;
    write(&folder.join(name).join("src/lib.rs"), "pub use candle_datasets::*;\n")?;
    write_workspace(folder, root, &[name.to_string()])?;
    let mut check = cargo();
    check.args(["check", "--release", "--target-dir"]).arg(target);
    match output(check.current_dir(folder), "cargo check of candle-datasets")?.0 {
        true => Ok(()),
        false => Err("candle-datasets does not compile".to_string()),
    }
}

/// Returns the compiler of protocol buffers, which candle-onnx's build script calls: that of the environment variable `PROTOC`
/// or the one in a package of the registry.
fn protoc(home: &Path) -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("PROTOC") {
        return Ok(path.into());
    }
    let host = host()?;
    let system = match host.split('-').collect::<Vec<_>>()[..] {
        ["x86_64", _, "linux", ..] => "linux-x86_64",
        ["aarch64", _, "linux", ..] => "linux-aarch_64",
        ["x86_64", "apple", ..] => "macos-x86_64",
        ["aarch64", "apple", ..] => "macos-aarch_64",
        _ => return Err(format!("no protoc is packed for {host}: set PROTOC to its path")),
    };
    let package = format!("protoc-bin-vendored-{system}");
    Ok(fetch_version(&home.join("source/protoc"), &package, "3.3.0")?.join("bin/protoc"))
}

/// Copies the package candle-transformers, with the changes of docs/guide/candle-on-amd.md, by the commands there. Files that are
/// the same already are not written.
pub fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    let guide = tree::root().join("docs/guide/candle-on-amd.md");
    let text = read(&guide)?;
    let marked = text.split_once("<!-- `cargo xtask candle-ecosystem` runs the next block -->");
    let block = marked.and_then(|(_, after)| after.split_once("```sh\n")?.1.split_once("```"));
    let commands = block.ok_or("the guide marks no commands")?.0;
    let scratch = to.with_extension("changed");
    if scratch.exists() {
        std::fs::remove_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
    }
    copy_files(from, &scratch.join("transformers"))?;
    let mut shell = Command::new("sh");
    if !output(shell.args(["-e", "-c", commands]).current_dir(&scratch), "the guide's commands")?.0 {
        return Err(format!("{}: the commands that change candle-transformers fail", guide.display()));
    }
    copy_files(&scratch.join("transformers"), to)
}

/// Copies a package of the registry.
fn copy_files(from: &Path, to: &Path) -> Result<()> {
    let entries = std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        // cargo's marks are left out.
        if name.starts_with('.') || name == "Cargo.toml.orig" || name == "Cargo.lock" {
            continue;
        }
        if path.is_dir() { copy_files(&path, &to.join(name))? } else { copy(&path, &to.join(name))? }
    }
    Ok(())
}
