//! `t NAME [--device D]`: runs one test by name: an op's parity cases, a Rust test or a Python test.
use super::{devices, python, release, vgpu};
use crate::process::{self, cargo, make, run as start};
use crate::{Outcome, files, tree};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// The test files whose cases derive from samples: the sweep (dtypes, layouts, bad uses, gradients) and the parity suite.
const SWEEP: &str = "sweep";
const SUITE: &str = "parity";
/// The folder of op definitions, and the files in it whose ops are rows of a table.
const OPS: &str = "crates/rushlight/src/ops/";
const USAGE: &str = "usage: cargo xtask t NAME [--device cpu|rocm|rocm-gfx1100|rocm-isa-gfx1100|cuda|cuda-virtual] [--python]\n\
    NAME is an op, a case such as `add#1/f32`, or a part of a test's name; gfx1100 stands for any target of the virtual GPU";

/// The arguments.
struct Asked<'a> {
    name: &'a str,
    device: &'a str,
    /// Whether to run an op's Python tests too.
    python: bool,
}

/// Entry point.
pub fn run(args: &[String]) -> Outcome {
    let asked = parse(args)?;
    let files = files::tracked(&tree::root())?;
    let op = is_op(asked.name, &files)?;
    let rust = rust_tests(asked.name, op, &files)?;
    let python = match (op, asked.python) {
        // An op's name may be a parameter of tests in any file, so all Python tests are searched.
        (true, true) => vec!["tests/python".to_string()],
        (true, false) => Vec::new(),
        (false, _) => python_tests(asked.name, &files)?,
    };
    if !op && rust.is_empty() && python.is_empty() {
        return Err(format!("no op, Rust test or Python test is named like `{}`\n{USAGE}", asked.name).into());
    }
    let settings = settings(asked.device)?;
    let on_gpu = asked.device != "cpu";
    if op {
        cases(asked.name, on_gpu, &settings)?;
    }
    let (ignored, plain): (Vec<&Found>, Vec<&Found>) = rust.iter().partition(|t| t.ignored);
    let chosen = if on_gpu { &ignored } else { &plain };
    if chosen.is_empty() && !op && python.is_empty() {
        let (what, hint) =
            if on_gpu { ("none", "leave --device out") } else { ("all", "try --device rocm-gfx1100") };
        return Err(format!("{what} of the tests named like `{}` need a device: {hint}", asked.name).into());
    }
    for (target, names) in by_target(chosen) {
        let mut c = target.command();
        c.args(names)
            .arg("--nocapture")
            .args(on_gpu.then_some(["--ignored", "--test-threads=1"]).into_iter().flatten());
        start(c.envs(settings.clone()))?;
    }
    if !python.is_empty() {
        pytest(asked.name, &python, &settings)?;
    }
    Ok(())
}

fn parse(args: &[String]) -> Outcome<Asked<'_>> {
    let mut asked = Asked { name: "", device: "cpu", python: false };
    let mut rest = args.iter().map(String::as_str);
    while let Some(arg) = rest.next() {
        match arg {
            "--device" => asked.device = rest.next().ok_or(USAGE)?,
            "--python" => asked.python = true,
            name if asked.name.is_empty() && !name.starts_with('-') => asked.name = name,
            _ => return Err(format!("unexpected argument `{arg}`\n{USAGE}").into()),
        }
    }
    if asked.name.is_empty() { Err(USAGE.into()) } else { Ok(asked) }
}

/// Builds the device where it is virtual, and returns the environment that tests find it by.
fn settings(device: &str) -> Outcome<Vec<vgpu::Setting>> {
    let own =
        |list: &[(&'static str, &str)]| list.iter().map(|(k, v)| (*k, v.to_string())).collect::<Vec<_>>();
    let virtual_amd = |arch: &str, settings: Vec<vgpu::Setting>, pool: &str| -> Outcome<Vec<vgpu::Setting>> {
        vgpu::ensure()?;
        let more = own(&[("RUSHLIGHT_VGPU_ARCH", arch), ("RUSHLIGHT_GPU_POOL", pool)]);
        Ok([settings, more].concat())
    };
    match device {
        "cpu" => Ok(Vec::new()),
        "rocm" => Ok(own(&[("RUSHLIGHT_TEST_DEVICE", "rocm")])),
        "cuda-virtual" => {
            vgpu::ensure()?;
            Ok(vgpu::cuda())
        }
        "cuda" => {
            let command = devices::on_cuda(Command::new("true"), &devices::carried());
            let value = |v: &std::ffi::OsStr| v.to_string_lossy().into_owned();
            let names = ["RUSHLIGHT_TEST_DEVICE", "RUSHLIGHT_CACHE_DIR", "CUDA_PATH"];
            let all: BTreeMap<_, _> = command.get_envs().collect();
            let of = |n: &'static str| Some((n, value((*all.get(std::ffi::OsStr::new(n))?)?)));
            Ok(names.into_iter().filter_map(of).collect())
        }
        _ => match (device.strip_prefix("rocm-isa-"), device.strip_prefix("rocm-")) {
            (Some(arch), _) => virtual_amd(arch, vgpu::isa(), "exact"),
            // Each tensor has an allocation of exactly its size, so that the virtual GPU reports every access outside of
            // it.
            (None, Some(arch)) => virtual_amd(arch, vgpu::rocm(), "0"),
            (None, None) => Err(format!("unknown device `{device}`\n{USAGE}").into()),
        },
    }
}

/// Returns whether a name is an op or a case of one: `add`, `add#1/f32`.
fn is_op(name: &str, files: &[String]) -> Outcome<bool> {
    let op = name.split(['#', '/']).next().unwrap_or("");
    let word = |c: char| c.is_alphanumeric() || c == '_';
    for file in files.iter().filter(|f| f.starts_with(OPS)) {
        let text = tree::read(&tree::root().join(file))?;
        // An op's name is a definition's `"name"`, or the second word of a row such as `Relu relu relu FLOAT ..`.
        let row = |l: &str| {
            let words: Vec<&str> = l.split_whitespace().take(4).collect();
            words.len() == 4 && words[0].starts_with(char::is_uppercase) && words[1..3].contains(&op)
        };
        if !op.is_empty()
            && op.chars().all(word)
            && (text.contains(&format!("\"{op}\"")) || text.lines().any(row))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Runs the cases whose name contains a text; it is an error if there are none.
fn cases(name: &str, on_gpu: bool, settings: &[vgpu::Setting]) -> Outcome {
    let mut c = workspace_test();
    match on_gpu {
        false => c.args(["--test", SWEEP, "--test", SUITE, "--", "--nocapture"]),
        true => c.args(["--test", SUITE, "--", "--nocapture", "--ignored", "--test-threads=1"]),
    };
    let mut ran = 0;
    process::lines(c.env("RUSHLIGHT_CASE", name).envs(settings.to_vec()), |line| ran += cases_in(line))?;
    if ran == 0 {
        return Err(format!("no case has `{name}` in its name").into());
    }
    println!("{name}: {ran} cases passed");
    Ok(())
}

/// Returns the number of cases in a line such as `12 cases, 0 failures`, which each test of a suite prints. A line such as
/// `12 cases, 0 left out` does not count: it has the number of selected cases.
fn cases_in(line: &str) -> usize {
    let Some((before, after)) = line.split_once(" cases, ") else { return 0 };
    if !after.ends_with("failures") {
        return 0;
    }
    before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
}

/// Returns `cargo test` in the dev profile, or in the pipeline's. It builds for the whole workspace: a package alone would
/// be compiled again with other features.
fn workspace_test() -> Command {
    let mut c = cargo(&["test", "--no-fail-fast", "--workspace"]);
    c.args(release().then_some("--release"));
    c
}

/// A program that Rust tests are compiled into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Target {
    /// A file of `tests/`.
    File(String),
    /// A crate's own code, by the crate's folder.
    Unit(String),
}

impl Target {
    /// Returns `cargo test` of this target, ready for names of tests.
    fn command(&self) -> Command {
        let mut c = workspace_test();
        match self {
            Self::File(name) => c.args(["--test", name]),
            Self::Unit(folder) => {
                c = cargo(&["test", "--manifest-path", &format!("{folder}/Cargo.toml")]);
                c.args(release().then_some("--release"));
                c.args(["--lib", "--bins"])
            }
        };
        c.arg("--");
        c
    }
}

/// A Rust test.
#[derive(Debug, PartialEq)]
struct Found {
    target: Target,
    name: String,
    ignored: bool,
}

/// Returns the tests of a source file: name, and whether it is marked `#[ignore]`.
fn tests_of(text: &str) -> Vec<(String, bool)> {
    let (mut found, mut test, mut ignored) = (Vec::new(), false, false);
    for line in text.lines().map(str::trim_start) {
        if line.starts_with("#[test]") {
            (test, ignored) = (true, false);
        } else if line.starts_with("#[ignore") {
            ignored = true;
        } else if let Some(rest) = line.strip_prefix("fn ").filter(|_| test) {
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push((name, ignored));
            test = false;
        }
    }
    found
}

/// Returns the Rust tests whose name contains a text; with `exact` (if the text is also an op) those whose name is the
/// text.
fn rust_tests(name: &str, exact: bool, files: &[String]) -> Outcome<Vec<Found>> {
    let mut found = Vec::new();
    for file in files.iter().filter(|f| f.starts_with("crates/") && f.ends_with(".rs")) {
        let target = match file.split_once("/tests/") {
            Some((_, inside)) => match inside.split('/').collect::<Vec<_>>()[..] {
                [file] => Target::File(file.trim_end_matches(".rs").to_string()),
                [folder, _] if folder != "common" => Target::File(folder.to_string()),
                _ => continue,
            },
            None => match file.split_once("/src/") {
                Some((folder, _)) => Target::Unit(folder.to_string()),
                None => continue,
            },
        };
        for (test, ignored) in tests_of(&tree::read(&tree::root().join(file))?) {
            if test == name || !exact && test.contains(name) {
                found.push(Found { target: target.clone(), name: test, ignored });
            }
        }
    }
    Ok(found)
}

fn by_target<'a>(found: &[&'a Found]) -> BTreeMap<&'a Target, Vec<&'a str>> {
    let mut map: BTreeMap<&Target, Vec<&str>> = BTreeMap::new();
    for f in found {
        map.entry(&f.target).or_default().push(&f.name);
    }
    map
}

/// Returns the files of Python tests whose name, or the name of a test in them, contains a text.
fn python_tests(name: &str, files: &[String]) -> Outcome<Vec<String>> {
    let mut found = Vec::new();
    for file in files.iter().filter(|f| f.starts_with("tests/python/") && f.ends_with(".py")) {
        let text = tree::read(&tree::root().join(file))?;
        let test = |l: &str| {
            let def = l.trim_start().strip_prefix("def test_");
            def.and_then(|d| d.split('(').next()).is_some_and(|d| format!("test_{d}").contains(name))
        };
        // pytest's `-k` matches the names of files, too.
        if file.contains(name) || text.lines().any(test) {
            found.push(file.clone());
        }
    }
    Ok(found)
}

/// Runs pytest with the module built in the dev profile. It is not installed: `PYTHONPATH` leads to it.
fn pytest(name: &str, files: &[String], settings: &[vgpu::Setting]) -> Outcome {
    start(&mut make("venv"))?;
    let mut build = cargo(&["build", "--quiet", "--package", "rushlight-py"]);
    start(build.args(release().then_some("--release")))?;
    let profile = if release() { "release" } else { "debug" };
    let folder = tree::target().join("python-dev");
    let package = folder.join("rushlight");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&package)?;
    for entry in std::fs::read_dir(tree::root().join("python/rushlight"))? {
        let entry = entry?;
        let name = entry.file_name();
        if Path::new(&name).extension().is_none_or(|e| e != "so") {
            std::os::unix::fs::symlink(entry.path(), package.join(&name))?;
        }
    }
    std::fs::copy(tree::target().join(profile).join("lib_native.so"), package.join("_native.abi3.so"))?;
    let mut c = python::venv("python", &["-m", "pytest", "-q", "-k", name]);
    start(c.args(files).env("PYTHONPATH", folder).envs(settings.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rust_tests_are_found_with_their_targets() {
        let text = "#[test]\nfn a_b() {}\n#[test]\n#[ignore = \"x\"]\nfn c() {}\nfn d() {}\n";
        assert_eq!(tests_of(text), [("a_b".to_string(), false), ("c".to_string(), true)]);
        let files = files::tracked(&tree::root()).unwrap();
        let found = rust_tests("rust_tests_are_found", false, &files).unwrap();
        let target = Target::Unit("crates/xtask".to_string());
        let name = "rust_tests_are_found_with_their_targets".to_string();
        assert_eq!(found, [Found { target, name, ignored: false }]);
        assert!(rust_tests("rust_tests_are_found", true, &files).unwrap().is_empty());
    }

    #[test]
    fn ops_are_known_by_name_and_case() {
        let files = files::tracked(&tree::root()).unwrap();
        for name in ["index_add", "relu", "add", "add#1/f32", "sum/f32"] {
            assert!(is_op(name, &files).unwrap(), "{name}");
        }
        for name in ["no_such_op", "", "rust_tests_are_found"] {
            assert!(!is_op(name, &files).unwrap(), "{name}");
        }
    }

    #[test]
    fn cases_are_counted() {
        for (line, n) in [
            ("12 cases, 0 failures", 12),
            ("test a ... 3 cases, 1 failures", 3),
            ("173523 cases, 0 left out", 0),
            ("running 1 test", 0),
        ] {
            assert_eq!(cases_in(line), n, "{line}");
        }
    }

    #[test]
    fn arguments() {
        let parsed = |words: &[&str]| {
            let args: Vec<String> = words.iter().map(|w| w.to_string()).collect();
            parse(&args)
                .map(|a| (a.name.to_string(), a.device.to_string(), a.python))
                .map_err(|e| e.to_string())
        };
        let want = Ok(("add".to_string(), "cuda".to_string(), true));
        assert_eq!(parsed(&["add", "--device", "cuda", "--python"]), want);
        assert!(parsed(&[]).unwrap_err().starts_with("usage"));
        assert!(parsed(&["a", "b"]).unwrap_err().starts_with("unexpected argument `b`"));
    }
}
