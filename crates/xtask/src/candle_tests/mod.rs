//! Runs the tests that candle publishes with its crates against rushlight.
//!
//! Nothing of candle is kept in this repository: packages are fetched by cargo, and their tests are copied under the target
//! directory. `crates/candle-core` gives them rushlight under candle's name.
//!
//! `candle-tests` runs those of candle-core, in a copy of this workspace with its manifest, lock file and (through links)
//! crates: cargo takes rushlight and its dependencies from the builds that are already in the target directory.
//! `candle-ecosystem` compiles candle-nn of the registry as a user's program does, see [`ecosystem`]. `candle-benches` compares
//! the speed of both, see [`benches`].
use crate::Outcome as TaskOutcome;
use crate::tree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error is a text for the terminal.
type Result<T> = std::result::Result<T, String>;

mod bench_page;
mod benches;
mod ecosystem;
mod report;
mod tokens;

use report::{Outcome, Report};

const VERSION: &str = "0.11.1";

/// The tests of a crate.
struct Tests {
    package: &'static str,
    /// The files, without the suffix.
    files: &'static [&'static str],
    suffix: &'static str,
    /// The number of tests in the files. If fewer are found, some were lost on the way.
    expected: usize,
    /// Tests that fail on purpose.
    exceptions: &'static str,
    /// Tests on the device of choice that launch no kernel.
    no_kernel: &'static str,
    /// Whether tests run on the device of choice; else they are for the CPU alone.
    any_device: bool,
}

/// The tests of a crate, built.
struct Built {
    tests: &'static Tests,
    /// The package that has the copies of the tests.
    folder: PathBuf,
    /// The test programs by name.
    programs: Programs,
}

static CORE: Tests = Tests {
    package: "candle-core",
    files: &[
        "tensor",
        "grad",
        "conv",
        "pool",
        "matmul",
        "indexing",
        "layout",
        "display",
        "serialization",
        "bilinear",
        "custom_op",
        "pth",
        "gguf",
        "quantized",
    ],
    suffix: "_tests",
    expected: 181,
    exceptions: include_str!("../../candle_exceptions.txt"),
    no_kernel: include_str!("../../candle_no_kernel.txt"),
    any_device: true,
};

/// `Cargo.toml` of the package whose tests are candle's.
const SUITE: &str = "[package]\nname = \"candle-suite\"\nversion = \"0.0.0\"\nedition = \"2021\"\npublish = false\n\n\
    [lints.rust]\nunexpected_cfgs = \"allow\"\n\n[lib]\ndoctest = false\n";

/// The devices that the tests run on. The last four are the virtual AMD GPU with waves of 32 and of 64 lanes, on the host
/// engine and then on machine code.
const DEVICES: [&str; 7] =
    ["cpu", "test", "rocm", "rocm-gfx1100", "rocm-gfx90a", "rocm-isa-gfx1100", "rocm-isa-gfx90a"];

/// Entry point: `candle-tests [--device cpu,..]`; several devices are run one after the other.
pub fn main(args: &[String]) -> TaskOutcome {
    run_tests("candle-tests", args, |home, root, target| {
        let candle = fetch(&home.join("source"), CORE.package)?;
        let workspace = home.join("workspace");
        write_core(&workspace, root, &candle)?;
        let folder = workspace.join("suite");
        // For the whole workspace, because a package alone would be compiled with other features.
        let mut programs = build(&[&CORE], &workspace, target, &[], &[])?;
        let programs = programs.remove("suite").unwrap_or_default();
        Ok(vec![Built { tests: &CORE, folder, programs }])
    })
}

/// Entry point: `candle-ecosystem [--device cpu,..]`.
pub fn ecosystem(args: &[String]) -> TaskOutcome {
    run_tests(ecosystem::TASK, args, ecosystem::prepare)
}

/// Entry point: `candle-benches`.
pub fn benches(args: &[String]) -> TaskOutcome {
    benches::main(args)
}

/// The test programs by name.
type Programs = BTreeMap<String, PathBuf>;

/// Prepares and runs tests on the devices of the command line. `prepare` is given the folder for files, the workspace's and
/// the target directory.
fn run_tests(
    task: &'static str,
    args: &[String],
    prepare: impl FnOnce(&Path, &Path, &Path) -> Result<Vec<Built>>,
) -> TaskOutcome {
    let usage = format!("usage: cargo xtask {task} [--device A,B..] of {}", DEVICES.join(", "));
    let devices = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => vec!["cpu"],
        ["--device", list] => list.split(',').collect(),
        _ => return Err(usage.into()),
    };
    if devices.iter().any(|d| !DEVICES.contains(d)) {
        return Err(usage.into());
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .ok_or_else(|| "the xtask crate is not inside the workspace".to_string())?
        .to_path_buf();
    let target = target_directory(&root)?;
    let all = prepare(&target.join(task), &root, &target)?;
    let mut wrong = Vec::new();
    for device in devices {
        for built in all.iter().filter(|b| b.tests.any_device || device == "cpu") {
            wrong.extend(run_package(task, built, device)?);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// Runs the tests of a crate on a device, and returns what is wrong.
fn run_package(task: &'static str, built: &Built, device: &str) -> Result<Vec<String>> {
    let tests = built.tests;
    let exceptions = report::parse_exceptions(tests.exceptions, device)?;
    let no_kernel = report::parse_exceptions(tests.no_kernel, device)?;
    let mut report = Report::new(task, device);
    for file in tests.files {
        let name = format!("{file}{}", tests.suffix);
        let on_device = report::device_tests(&read(&built.folder.join(format!("tests/{name}.rs")))?);
        let outcome = match built.programs.get(&name) {
            None => Outcome::NotCompiled,
            Some(exe) => run(exe, &built.folder, device)?,
        };
        report.add(file, outcome, on_device);
    }
    report.print(tests.package);
    let mut wrong: Vec<String> = report.check(&exceptions, tests.expected).err().into_iter().collect();
    if device.starts_with("rocm") {
        wrong.extend(report.check_launches(&no_kernel).err());
    }
    Ok(wrong.into_iter().map(|text| format!("{}, {text}", tests.package)).collect())
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Writes a file unless it has that content already, because cargo rebuilds files with a newer time.
fn write(path: &Path, text: &str) -> Result<()> {
    if read(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(path, text)).map_err(|e| format!("{}: {e}", path.display()))
}

/// Runs a command. Returns whether it succeeded, and its standard output; its standard error goes to the terminal.
fn output(command: &mut Command, what: &str) -> Result<(bool, String)> {
    let out = command.stderr(Stdio::inherit()).output().map_err(|e| format!("{what}: {e}"))?;
    Ok((out.status.success(), String::from_utf8_lossy(&out.stdout).into_owned()))
}

/// Returns the output of `cargo metadata` for the workspace in a folder.
fn metadata(dir: &Path, args: &[&str]) -> Result<serde_json::Value> {
    let what = format!("cargo metadata in {}", dir.display());
    let command = &mut cargo();
    let (ok, text) =
        output(command.args(["metadata", "--format-version", "1"]).args(args).current_dir(dir), &what)?;
    if !ok {
        return Err(format!("{what} failed"));
    }
    serde_json::from_str(&text).map_err(|e| format!("{what}: {e}"))
}

fn target_directory(root: &Path) -> Result<PathBuf> {
    let meta = metadata(root, &["--no-deps"])?;
    let dir = meta["target_directory"].as_str().ok_or("cargo metadata has no target directory")?;
    Ok(PathBuf::from(dir))
}

/// Returns the host's target triple, so that cargo fetches only packages for this target.
fn host() -> Result<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let (_, text) = output(Command::new(rustc).arg("-vV"), "rustc -vV")?;
    let line = text.lines().find_map(|l| l.strip_prefix("host: "));
    line.map(str::to_string).ok_or_else(|| "rustc -vV prints no host".to_string())
}

/// Makes cargo fetch a package of candle's, and returns the folder of its source.
fn fetch(dir: &Path, package: &str) -> Result<PathBuf> {
    fetch_version(dir, package, VERSION)
}

/// Makes cargo fetch a package of the registry, and returns the folder of its source.
fn fetch_version(dir: &Path, package: &str, version: &str) -> Result<PathBuf> {
    let manifest = format!(
        "[package]\nname = \"candle-source\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\n{package} = \"={version}\"\n\n[workspace]\n"
    );
    write(&dir.join("Cargo.toml"), &manifest)?;
    write(&dir.join("src/lib.rs"), "")?;
    let meta = metadata(dir, &["--filter-platform", &host()?])?;
    let packages = meta["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let found = packages.iter().find(|p| p["name"] == package && p["version"] == version);
    let manifest = found.and_then(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo did not fetch {package} {version}"))?;
    Path::new(manifest).parent().map(Path::to_path_buf).ok_or_else(|| format!("{manifest} has no folder"))
}

/// Writes the copy of the workspace: the manifest with one more member, the lock file, and links to the crates.
fn write_core(workspace: &Path, root: &Path, candle: &Path) -> Result<()> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let members = "members = [";
    if !manifest.contains(members) {
        return Err(format!("the workspace's Cargo.toml has no line '{members}'"));
    }
    write(&workspace.join("Cargo.toml"), &manifest.replacen(members, "members = [\"suite\", ", 1))?;
    write_lock(workspace, root)?;
    for name in ["crates", "hip", "README.md", "rust-toolchain.toml"] {
        if root.join(name).exists() {
            link(&root.join(name), &workspace.join(name))?;
        }
    }
    let suite = workspace.join("suite");
    let rushlight = read(&root.join("crates/rushlight/Cargo.toml"))?;
    // The crates of this workspace that rushlight's own tests use are not needed here.
    let outside = |l: &&str| !l.starts_with("rushlight") && !l.starts_with('#');
    let lines: Vec<&str> = section(&rushlight, "[dev-dependencies]").lines().filter(outside).collect();
    // Rushlight's development dependencies, so that cargo chooses the same features for shared dependencies as it does for
    // rushlight's own tests, and so builds none of them twice.
    let manifest = format!(
        "{}\n[dependencies]\ncandle-core = {{ path = \"../crates/candle-core\", features = [\"testing\"] }}\n\n\
         [dev-dependencies]\nanyhow = \"1\"\nfloat8 = {{ workspace = true }}\nhalf = {{ workspace = true }}\n\
         num-traits = {{ workspace = true }}\nrand = \"0.9\"\n{}\n",
        SUITE,
        lines.join("\n")
    );
    write(&suite.join("Cargo.toml"), &manifest)?;
    write(&suite.join("src/lib.rs"), "")?;
    copy_tests(&CORE, candle, &suite)
}

/// Copies the tests and their data.
fn copy_tests(tests: &Tests, candle: &Path, suite: &Path) -> Result<()> {
    let wanted: BTreeSet<String> = tests.files.iter().map(|f| format!("{f}{}.rs", tests.suffix)).collect();
    let tests = candle.join("tests");
    let entries = std::fs::read_dir(&tests).map_err(|e| format!("{}: {e}", tests.display()))?;
    for entry in entries.filter_map(std::result::Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Skips test files of features that rushlight does not have. Files that are not tests are test data.
        if name.ends_with(".rs") && !wanted.contains(&name) {
            continue;
        }
        let to = suite.join("tests").join(&name);
        match name.as_str() {
            "quantized_tests.rs" => {
                // Two tests match every kind of candle's devices and no other. One test allows GPUs another order of sums for many rows.
                let text = read(&entry.path())?.replace("Device::Cpu =>", "_ =>");
                write(&to, &text.replace("if dev.is_cuda() {", "if !dev.is_cpu() {"))?;
            }
            "flash_attn_tests.rs" => write(&to, &on_any_device(&read(&entry.path())?))?,
            _ => copy(&entry.path(), &to)?,
        }
    }
    Ok(())
}

/// Makes tests of the first NVIDIA GPU tests of the device of choice.
fn on_any_device(source: &str) -> String {
    let mut text = String::new();
    for (i, part) in source.split("#[test]\nfn ").enumerate() {
        match part.split_once("() -> Result<()> {") {
            Some((name, body)) if i > 0 => {
                text += &format!("candle::test_device!({name}_on, {name});\n");
                text += &format!("fn {name}_on(_: &Device) -> Result<()> {{{body}");
            }
            _ => text += part,
        }
    }
    text.replace("Device::new_cuda(0)?", "candle::test_utils::device()")
}

/// Copies the workspace's lock file. That of an earlier run has more packages, so it is kept until the workspace's changes.
fn write_lock(workspace: &Path, root: &Path) -> Result<()> {
    let (lock, seen) = (read(&root.join("Cargo.lock"))?, workspace.join("Cargo.lock.seen"));
    if !workspace.join("Cargo.lock").exists() || read(&seen).is_ok_and(|old| old != lock) {
        write(&workspace.join("Cargo.lock"), &lock)?;
    }
    write(&seen, &lock)
}

/// Returns the lines of a table of a manifest.
fn section<'a>(manifest: &'a str, head: &str) -> &'a str {
    let rest = manifest.split_once(head).map_or("", |(_, rest)| rest);
    rest.split_once("\n[").map_or(rest, |(lines, _)| lines).trim()
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    let data = std::fs::read(from).map_err(|e| format!("{}: {e}", from.display()))?;
    if std::fs::read(to).is_ok_and(|old| old == data) {
        return Ok(());
    }
    let made = to.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(to, data)).map_err(|e| format!("{}: {e}", to.display()))
}

fn link(from: &Path, to: &Path) -> Result<()> {
    if std::fs::read_link(to).is_ok_and(|old| old == from) {
        return Ok(());
    }
    if to.symlink_metadata().is_ok() {
        std::fs::remove_file(to).map_err(|e| format!("{}: {e}", to.display()))?;
    }
    std::os::unix::fs::symlink(from, to).map_err(|e| format!("{}: {e}", to.display()))
}

/// Builds every test file that compiles, and returns the test programs by name of each package, by the package's folder.
fn build(
    all: &[&Tests],
    workspace: &Path,
    target: &Path,
    args: &[&str],
    environment: &[(&str, &Path)],
) -> Result<BTreeMap<String, Programs>> {
    let mut command = cargo();
    command.args(["build", "--release", "--workspace", "--keep-going"]).args(args);
    command.envs(environment.iter().copied());
    let files = all.iter().flat_map(|t| t.files.iter().map(|f| format!("{f}{}", t.suffix)));
    files.for_each(|f| _ = command.arg("--test").arg(f));
    command.args(["--message-format", "json-render-diagnostics", "--target-dir"]).arg(target);
    let (_, text) = output(command.current_dir(workspace), "cargo build --tests")?;
    Ok(tree::executables_by_folder(&text))
}

/// Runs one test program. A listed test without a result counts as failed, because the program ended before it.
fn run(exe: &Path, dir: &Path, device: &str) -> Result<Outcome> {
    let (device, arch) = device.split_once('-').map_or((device, None), |(d, a)| (d, Some(a)));
    let isa = arch.and_then(|a| a.strip_prefix("isa-"));
    let list = dir.join(format!("launches-{}", std::process::id()));
    let command = || {
        let mut c = Command::new(exe);
        c.current_dir(dir).env("RUSHLIGHT_TEST_DEVICE", device).env("RUST_BACKTRACE", "0");
        c.env("RUSHLIGHT_TEST_LAUNCHES", &list);
        if let Some(arch) = isa.or(arch) {
            c.env("RUSHLIGHT_VGPU_ARCH", arch);
            c.env("RUSHLIGHT_VGPU_ENGINE", if isa.is_some() { "isa" } else { "host" });
        }
        c
    };
    let what = exe.display().to_string();
    let (_, listed) = output(command().args(["--list", "--format", "terse"]), &what)?;
    // On a GPU tests run one at a time, so that each can count its launches.
    let alone: &[&str] = if device == "rocm" { &["--test-threads=1"] } else { &[] };
    let (_, text) = output(command().args(alone), &what)?;
    let names = listed.lines().filter_map(|l| l.strip_suffix(": test"));
    let mut tests: BTreeMap<String, bool> = names.map(|n| (n.to_string(), false)).collect();
    for line in text.lines().filter_map(|l| l.strip_prefix("test ")) {
        if let Some(name) = line.strip_suffix(" ... ok") {
            tests.insert(name.trim_end_matches(" - should panic").to_string(), true);
        } else if let Some(name) = line.strip_suffix(" ... ignored") {
            tests.remove(name);
        }
    }
    let noted = std::fs::read_to_string(&list).unwrap_or_default();
    let _ = std::fs::remove_file(&list);
    let launches = noted.lines().filter_map(|l| l.split_once(' '));
    let launches = launches.filter_map(|(t, n)| Some((t.to_string(), n.parse().ok()?))).collect();
    Ok(Outcome::Ran { tests, launches, text })
}
