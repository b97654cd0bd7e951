//! `candle-benches`: candle-core's own benches on candle-core and on rushlight, alternately.
//!
//! Two workspaces have the same package: one depends on candle-core of the registry, the other has the entry
//! `[patch.crates-io]` of a user. Both have cargo's release profile and no flags for the compiler, as a user builds. The
//! results of several calls add up in a JSON file under the target directory.
use super::tokens;
use super::{
    Result, SUITE, TaskOutcome, VERSION, cargo, copy, fetch, output, read, section, write, write_lock,
};
use super::{bench_page, ecosystem, target_directory};
use crate::tree;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The two libraries.
pub const SIDES: [&str; 2] = ["candle", "rushlight"];

/// The number of benches that one process runs.
const AT_ONCE: usize = 6;

/// Benches that rushlight does not run, and the reasons.
pub const MISSING: [(&str, &str); 1] = [(
    "cpu_affine_fp8/iter",
    "f8e4m3 is a dtype for storage in Rushlight: programs convert it before they compute",
)];

/// Free bytes that the C library keeps in each program: more than any bench frees.
const KEPT: &str = "68719476736";
/// The largest size of blocks that it takes from this memory. (It adapts this limit by itself, up to this number, unless
/// one of the two is set.)
const IN_HEAP: &str = "33554432";
/// Criterion's options: it takes a tenth of a second for each bench to warm up, and at least a quarter to measure.
const SHORT: [&str; 8] =
    ["--bench", "--noplot", "--warm-up-time", "0.1", "--measurement-time", "0.25", "--sample-size", "10"];

const USAGE: &str = "usage: cargo xtask candle-benches [--filter TEXT] [--seconds N] [--rounds N] [--forget] \
    [--tokens FOLDER] [--write]";

/// The command line.
#[derive(Default)]
struct Options {
    /// Measure only the benches whose names contain it.
    filter: String,
    /// Begin no bench after this number of seconds.
    seconds: u64,
    /// Measure every bench this number of times, earlier calls included.
    rounds: usize,
    /// Drop earlier results of the chosen benches.
    forget: bool,
    /// Measure language models in this folder instead of the benches.
    tokens: Option<PathBuf>,
    /// Write the page.
    write: bool,
}

impl Options {
    fn parse(args: &[String]) -> Option<Self> {
        let mut found = Self { seconds: 3600, rounds: 3, ..Self::default() };
        let mut args = args.iter();
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--filter" => found.filter = args.next()?.clone(),
                "--seconds" => found.seconds = args.next()?.parse().ok()?,
                "--rounds" => found.rounds = args.next()?.parse().ok()?,
                "--tokens" => found.tokens = Some(args.next()?.into()),
                "--forget" => found.forget = true,
                "--write" => found.write = true,
                _ => return None,
            }
        }
        Some(found)
    }
}

/// Measured values by row and side.
pub type Rows = BTreeMap<String, BTreeMap<String, Vec<f64>>>;

/// The results of all calls.
#[derive(Default)]
pub struct Results {
    /// Nanoseconds of a bench, one value a round.
    pub benches: Rows,
    /// Tokens a second, one value a round.
    pub tokens: Rows,
    /// Notes on the side that measures tokens with llama.cpp.
    pub note: String,
    /// The machine, the day and the commit of the last call that measured.
    pub about: String,
}

impl Results {
    fn load(path: &Path) -> Self {
        let value: Value = read(path).ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default();
        let rows = |name: &str| value.get(name).map(rows).unwrap_or_default();
        let text = |name: &str| value[name].as_str().unwrap_or_default().to_string();
        Self { benches: rows("benches"), tokens: rows("tokens"), note: text("note"), about: text("about") }
    }

    fn save(&self, path: &Path) -> Result<()> {
        let Self { benches, tokens, note, about } = self;
        let value = json!({"benches": benches, "tokens": tokens, "note": note, "about": about});
        write(path, &format!("{value:#}\n"))
    }
}

fn rows(value: &Value) -> Rows {
    let numbers = |v: &Value| v.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let sides = |v: &Value| {
        let sides = v.as_object().into_iter().flatten();
        sides.map(|(side, v)| (side.clone(), numbers(v))).collect()
    };
    value.as_object().into_iter().flatten().map(|(row, v)| (row.clone(), sides(v))).collect()
}

/// The programs of both sides, by the name of the bench target.
pub type Programs = BTreeMap<&'static str, BTreeMap<String, PathBuf>>;

/// Entry point.
pub fn main(args: &[String]) -> TaskOutcome {
    let options = Options::parse(args).ok_or(USAGE)?;
    let root = tree::root();
    let target = target_directory(&root)?;
    let home = target.join("candle-benches");
    let saved = home.join("results.json");
    let mut results = Results::load(&saved);
    if options.seconds > 0 || !options.write {
        let programs = prepare(&home, &root, &target)?;
        results.about = bench_page::about();
        let end = Instant::now() + Duration::from_secs(options.seconds);
        let mut keep = |results: &Results| results.save(&saved);
        match &options.tokens {
            Some(folder) => {
                let filter = (options.filter.as_str(), options.forget);
                tokens::measure(folder, &programs, &mut results, filter, (end, options.rounds), &mut keep)?;
            }
            None => measure(&home, &programs, &options, end, &mut results, &mut keep)?,
        }
    }
    print!("{}", bench_page::summary(&results));
    if options.write {
        write(&root.join(bench_page::PAGE), &bench_page::page(&results))?;
    }
    Ok(())
}

/// Writes both workspaces and builds their benches.
fn prepare(home: &Path, root: &Path, target: &Path) -> Result<Programs> {
    let candle = fetch(&home.join("source"), "candle-core")?;
    let transformers = fetch(&home.join("source-transformers"), "candle-transformers")?;
    let profile = read(&root.join("Cargo.toml"))?;
    let profile = section(&profile, "[profile.release]");
    let mut programs = Programs::new();
    for side in SIDES {
        let workspace = home.join(side);
        let patched = side == "rushlight";
        let (patch, members, from) = if patched {
            ecosystem::copy_folder(&transformers, &workspace.join("transformers"))?;
            let path = root.join("crates/candle-core");
            let patch = format!("[patch.crates-io]\ncandle-core = {{ path = {path:?} }}\n\n");
            (patch, "\"suite\", \"transformers\"", "path = \"../transformers\"".to_string())
        } else {
            (String::new(), "\"suite\"", format!("version = \"={VERSION}\""))
        };
        let manifest = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [{members}]\n\n{patch}[profile.release]\n{profile}\n"
        );
        write(&workspace.join("Cargo.toml"), &manifest)?;
        write_lock(&workspace, root)?;
        copy(&root.join("rust-toolchain.toml"), &workspace.join("rust-toolchain.toml"))?;
        let suite = workspace.join("suite");
        let manifest = format!(
            "{SUITE}\n[dependencies]\ncandle-core = \"={VERSION}\"\ncandle-nn = \"={VERSION}\"\n\
             candle-transformers = {{ {from} }}\nserde_json = \"1\"\n\n\
             [dev-dependencies]\ncriterion = {{ version = \"0.8\", default-features = false }}\nhalf = \"2\"\nrand = \"0.9\"\n\n\
             [[bench]]\nname = \"bench_main\"\nharness = false\n\n\
             [[bench]]\nname = \"tokens\"\npath = {:?}\nharness = false\n",
            root.join("benches/candle/tokens.rs"),
        );
        write(&suite.join("Cargo.toml"), &manifest)?;
        write(&suite.join("src/lib.rs"), "")?;
        copy_benches(&candle.join("benches"), &suite.join("benches"))?;
        programs.insert(side, build(&workspace, target)?);
    }
    Ok(programs)
}

/// Copies the benches. `mod.rs` matches every kind of candle's devices and no other: its last arm gets a pattern for all others.
fn copy_benches(from: &Path, to: &Path) -> Result<()> {
    let entries = std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))?;
    for path in entries.filter_map(|e| Some(e.ok()?.path())) {
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let to = to.join(name);
        if path.is_dir() {
            copy_benches(&path, &to)?;
        } else if name == "mod.rs" {
            let text = read(&path)?.replace("Device::Metal(_) =>", "_ =>");
            write(&to, &text.replace("Device::Metal(device) =>", "device =>"))?;
        } else {
            copy(&path, &to)?;
        }
    }
    Ok(())
}

/// Builds the benches of a workspace, and returns the programs by name.
fn build(workspace: &Path, target: &Path) -> Result<BTreeMap<String, PathBuf>> {
    let mut command = cargo();
    command.args(["build", "--release", "-p", "candle-suite", "--benches"]);
    command.args(["--message-format", "json-render-diagnostics", "--target-dir"]).arg(target);
    // Flags of the caller's would be for both sides, and are not what a user has.
    command.env_remove("RUSTFLAGS").current_dir(workspace);
    let (ok, text) = output(&mut command, "cargo build --benches")?;
    match ok {
        true => Ok(tree::executables(&text)),
        false => Err(format!("the benches in {} do not compile", workspace.display())),
    }
}

fn program<'a>(programs: &'a Programs, side: &str, name: &str) -> Result<&'a Path> {
    let found = programs.get(side).and_then(|p| p.get(name));
    found.map(PathBuf::as_path).ok_or_else(|| format!("{side} has no program {name}"))
}

/// Returns the program that measures language models.
pub fn tokens_program<'a>(programs: &'a Programs, side: &str) -> Result<&'a Path> {
    program(programs, side, "tokens")
}

/// Returns the names of a program's benches.
fn names(exe: &Path) -> Result<Vec<String>> {
    let (ok, text) = output(Command::new(exe).args(["--bench", "--list"]), "the list of benches")?;
    let names: Vec<String> =
        text.lines().filter_map(|l| l.strip_suffix(": benchmark")).map(str::to_string).collect();
    if ok && !names.is_empty() { Ok(names) } else { Err("the program lists no benches".to_string()) }
}

/// Measures benches with the fewest rounds first, until the time is over or each has enough rounds. Each round runs both sides
/// of some benches one after the other; the first side alternates.
fn measure(
    home: &Path,
    programs: &Programs,
    options: &Options,
    end: Instant,
    results: &mut Results,
    keep: &mut dyn FnMut(&Results) -> Result<()>,
) -> Result<()> {
    let exe = |side: &str| program(programs, side, "bench_main");
    let all = names(exe(SIDES[0])?)?;
    let ours = names(exe(SIDES[1])?)?;
    if all != ours {
        return Err("the two programs list different benches".to_string());
    }
    results.benches.retain(|id, _| all.contains(id));
    let chosen: Vec<&String> =
        all.iter().filter(|id| id.contains(&options.filter) && !MISSING.iter().any(|m| m.0 == *id)).collect();
    if options.forget {
        results.benches.retain(|id, _| !chosen.contains(&id));
    }
    while Instant::now() < end {
        let rounds = |id: &String| {
            let sides = results.benches.get(id);
            SIDES.iter().map(|s| sides.and_then(|m| m.get(*s)).map_or(0, Vec::len)).min().unwrap_or(0)
        };
        let Some(fewest) = chosen.iter().map(|id| rounds(id)).min().filter(|n| *n < options.rounds) else {
            break;
        };
        let next: Vec<&String> =
            chosen.iter().copied().filter(|id| rounds(id) == fewest).take(AT_ONCE).collect();
        let order = if fewest % 2 == 0 { [0, 1] } else { [1, 0] };
        for side in order.map(|i| SIDES[i]) {
            for (id, time) in run(home, exe(side)?, &next)? {
                results.benches.entry(id).or_default().entry(side.to_string()).or_default().push(time);
            }
        }
        keep(results)?;
    }
    Ok(())
}

/// Runs benches, and returns the median time of each in nanoseconds.
fn run(home: &Path, exe: &Path, names: &[&String]) -> Result<Vec<(String, f64)>> {
    let folder = home.join("criterion");
    let _ = std::fs::remove_dir_all(&folder);
    let patterns: Vec<String> = names.iter().map(|n| escape(n)).collect();
    let mut command = Command::new(exe);
    command.args(SHORT).arg(format!("^({})$", patterns.join("|"))).env("CRITERION_HOME", &folder);
    // `copy_mask` frees its inputs in the timed loop. By the order in which a library allocates, the C library
    // returned that memory to the system before or after the clock was read.
    command.env("MALLOC_TRIM_THRESHOLD_", KEPT).env("MALLOC_MMAP_THRESHOLD_", IN_HEAP);
    // Criterion prints its progress to the standard error.
    let out = command.output().map_err(|e| format!("{}: {e}", exe.display()))?;
    if !out.status.success() {
        return Err(format!("{} failed:\n{}", exe.display(), String::from_utf8_lossy(&out.stderr)));
    }
    let mut found = Vec::new();
    estimates(&folder, &mut found)?;
    if found.len() != names.len() {
        return Err(format!("{} measured {} of {} benches", exe.display(), found.len(), names.len()));
    }
    Ok(found)
}

/// Returns a regular expression for a text.
fn escape(text: &str) -> String {
    let mark = |c: char| if c.is_alphanumeric() || "_/ ".contains(c) { vec![c] } else { vec!['\\', c] };
    text.chars().flat_map(mark).collect()
}

/// Reads the files that Criterion writes.
fn estimates(folder: &Path, found: &mut Vec<(String, f64)>) -> Result<()> {
    let json = |path: PathBuf| -> Result<Value> {
        serde_json::from_str(&read(&path)?).map_err(|e| format!("{}: {e}", path.display()))
    };
    if folder.ends_with("new") {
        let (about, times) = (json(folder.join("benchmark.json"))?, json(folder.join("estimates.json"))?);
        let pair = about["full_id"].as_str().zip(times["median"]["point_estimate"].as_f64());
        let (id, time) = pair.ok_or_else(|| format!("{}: no median", folder.display()))?;
        found.push((id.to_string(), time));
        return Ok(());
    }
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for path in entries.filter_map(|e| Some(e.ok()?.path())).filter(|p| p.is_dir()) {
        estimates(&path, found)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed() {
        let parse = |text: &str| {
            let args: Vec<String> = text.split_whitespace().map(str::to_string).collect();
            Options::parse(&args)
        };
        let found = parse("--filter cast --seconds 9 --forget --tokens dir").unwrap();
        assert_eq!((found.filter.as_str(), found.seconds, found.rounds), ("cast", 9, 3));
        assert!(found.forget && !found.write && found.tokens.is_some());
        assert!(parse("--seconds").is_none() && parse("cast").is_none());
    }

    #[test]
    fn results_are_saved_and_loaded() {
        let path = std::env::temp_dir().join(format!("rushlight-results-{}.json", std::process::id()));
        let mut results = Results { note: "a note".to_string(), ..Results::default() };
        results.benches.entry("a/iter".to_string()).or_default().insert("candle".to_string(), vec![1.5, 2.0]);
        results.save(&path).unwrap();
        let again = Results::load(&path);
        std::fs::remove_file(&path).unwrap();
        assert_eq!((again.benches, again.tokens, again.note), (results.benches, Rows::new(), results.note));
        assert!(Results::load(&path).benches.is_empty());
    }

    #[test]
    fn names_become_patterns() {
        assert_eq!(escape("cpu_a.b/iter (2)"), "cpu_a\\.b/iter \\(2\\)");
    }
}
