//! Runs the tests that candle-core publishes with its crate against rushlight.
//!
//! Nothing of candle is kept in this repository: the package is fetched by cargo, its tests are copied under the target
//! directory, and a shim crate gives them rushlight under the name `candle_core`.
//!
//! The copy of the workspace that holds the shim has this workspace's manifest, lock file and (through links) crates, so
//! cargo takes rushlight and its dependencies from the builds that are already in the target directory.
use crate::Outcome as TaskOutcome;
use crate::tree;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An error is a text for the terminal.
type Result<T> = std::result::Result<T, String>;

mod report;
mod shim;

use report::{Outcome, Report};

const VERSION: &str = "0.11.1";
/// The number of tests in the files below. If fewer are found, some were lost on the way.
const EXPECTED: usize = 117;
const FILES: [&str; 12] = [
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
];
const EXCEPTIONS: &str = include_str!("../../candle_exceptions.txt");
const NO_KERNEL: &str = include_str!("../../candle_no_kernel.txt");
/// The devices that the tests run on. The last four are the virtual AMD GPU with waves of 32 and of 64 lanes, on the host
/// engine and then on machine code.
const DEVICES: [&str; 7] =
    ["cpu", "test", "rocm", "rocm-gfx1100", "rocm-gfx90a", "rocm-isa-gfx1100", "rocm-isa-gfx90a"];

/// Entry point: `candle-tests [--device cpu,..]`; several devices are run one after the other.
pub fn main(args: &[String]) -> TaskOutcome {
    let usage = format!("usage: cargo xtask candle-tests [--device A,B..] of {}", DEVICES.join(", "));
    let devices = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => vec!["cpu"],
        ["--device", list] => list.split(',').collect(),
        _ => return Err(usage.into()),
    };
    if devices.iter().any(|d| !DEVICES.contains(d)) {
        return Err(usage.into());
    }
    let exceptions = report::parse_exceptions(EXCEPTIONS)?;
    let no_kernel = report::parse_exceptions(NO_KERNEL)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .ok_or_else(|| "the xtask crate is not inside the workspace".to_string())?
        .to_path_buf();
    let target = target_directory(&root)?;
    let home = target.join("candle-tests");
    let candle = fetch(&home.join("source"))?;
    let suite = home.join("workspace");
    write_suite(&suite, &root, &candle)?;
    let binaries = build(&suite, &target)?;
    for device in devices {
        let mut report = Report::new(device);
        for file in FILES {
            let source = read(&candle.join(format!("tests/{file}_tests.rs")))?;
            let on_device = report::device_tests(&source);
            let outcome = match binaries.get(&format!("{file}_tests")) {
                None => Outcome::NotCompiled,
                Some(exe) => run(exe, &suite.join("shim"), device)?,
            };
            report.add(file, outcome, on_device);
        }
        report.print();
        report.check(&exceptions, EXPECTED)?;
        if device.starts_with("rocm") {
            report.check_launches(&no_kernel)?;
        }
    }
    Ok(())
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

/// Makes cargo fetch candle-core, and returns the folder of its source.
fn fetch(dir: &Path) -> Result<PathBuf> {
    let manifest = format!(
        "[package]\nname = \"candle-source\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\n\
         [dependencies]\ncandle-core = \"={VERSION}\"\n\n[workspace]\n"
    );
    write(&dir.join("Cargo.toml"), &manifest)?;
    write(&dir.join("src/lib.rs"), "")?;
    let meta = metadata(dir, &["--filter-platform", &host()?])?;
    let packages = meta["packages"].as_array().ok_or("cargo metadata has no packages")?;
    let found = packages.iter().find(|p| p["name"] == "candle-core" && p["version"] == VERSION);
    let manifest = found.and_then(|p| p["manifest_path"].as_str());
    let manifest = manifest.ok_or_else(|| format!("cargo did not fetch candle-core {VERSION}"))?;
    Path::new(manifest).parent().map(Path::to_path_buf).ok_or_else(|| format!("{manifest} has no folder"))
}

/// Writes the copy of the workspace: the manifest with one more member, the lock file, and links to the crates.
fn write_suite(suite: &Path, root: &Path, candle: &Path) -> Result<()> {
    let manifest = read(&root.join("Cargo.toml"))?;
    let members = "members = [";
    if !manifest.contains(members) {
        return Err(format!("the workspace's Cargo.toml has no line '{members}'"));
    }
    write(&suite.join("Cargo.toml"), &manifest.replacen(members, "members = [\"shim\", ", 1))?;
    // The lock file of an earlier run includes the shim, so it is kept until the workspace's lock file changes.
    let (lock, seen) = (read(&root.join("Cargo.lock"))?, suite.join("Cargo.lock.seen"));
    if !suite.join("Cargo.lock").exists() || read(&seen).is_ok_and(|old| old != lock) {
        write(&suite.join("Cargo.lock"), &lock)?;
    }
    write(&seen, &lock)?;
    for name in ["crates", "hip", "README.md", "rust-toolchain.toml"] {
        if root.join(name).exists() {
            link(&root.join(name), &suite.join(name))?;
        }
    }
    let shim = suite.join("shim");
    let rushlight = read(&root.join("crates/rushlight/Cargo.toml"))?;
    // The crates of this workspace that rushlight's own tests use are not needed here.
    let outside = |l: &&str| !l.starts_with("rushlight") && !l.starts_with('#');
    let lines: Vec<&str> = section(&rushlight, "[dev-dependencies]").lines().filter(outside).collect();
    write(&shim.join("Cargo.toml"), &shim::manifest(&lines.join("\n")))?;
    write(&shim.join("src/lib.rs"), shim::LIB)?;
    let wanted: BTreeSet<String> = FILES.iter().map(|f| format!("{f}_tests.rs")).collect();
    let tests = candle.join("tests");
    let entries = std::fs::read_dir(&tests).map_err(|e| format!("{}: {e}", tests.display()))?;
    for entry in entries.filter_map(std::result::Result::ok) {
        let name = entry.file_name().to_string_lossy().into_owned();
        // Skips test files of features that rushlight does not have. Files that are not tests are test data.
        if name.ends_with("_tests.rs") && !wanted.contains(&name) {
            continue;
        }
        copy(&entry.path(), &shim.join("tests").join(&name))?;
    }
    Ok(())
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

/// Builds every test file that compiles, and returns the test programs by name.
fn build(suite: &Path, target: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut command = cargo();
    // For the whole workspace, because a package alone would be compiled with other features.
    command.args(["build", "--release", "--workspace", "--keep-going"]);
    FILES.iter().for_each(|f| _ = command.arg("--test").arg(format!("{f}_tests")));
    command.args(["--message-format", "json-render-diagnostics", "--target-dir"]).arg(target);
    let (_, text) = output(command.current_dir(suite), "cargo build --tests")?;
    Ok(tree::executables(&text))
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
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("test ").and_then(|l| l.strip_suffix(" ... ok")) {
            tests.insert(name.to_string(), true);
        }
    }
    let noted = std::fs::read_to_string(&list).unwrap_or_default();
    let _ = std::fs::remove_file(&list);
    let launches = noted.lines().filter_map(|l| l.split_once(' '));
    let launches = launches.filter_map(|(t, n)| Some((t.to_string(), n.parse().ok()?))).collect();
    Ok(Outcome::Ran { tests, launches, text })
}
