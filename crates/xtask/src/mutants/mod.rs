//! `mutants [--case NAME | --sample SEED]`: wrong kernels are caught, all or a fifth of them; `mutants --drawn` ([`hunt`])
//! draws them at random. Each mutant is one change of one file of `hip/`; the ordinary tests run against a copy of the
//! folder with that change (`RUSHLIGHT_KERNEL_SOURCES`), on the virtual AMD GPU, and must fail with the words that the
//! mutant names. If one wave size hides the mistake, the tests must pass with it, which shows why both sizes are tested.
//! With the unchanged sources the same tests must pass.
mod by_op;
mod draw;
mod hunt;
mod ledger;
mod list;
mod watch;

use crate::{Outcome, process, tasks, tree};
use list::mutants;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// One wrong kernel.
struct Mutant {
    name: &'static str,
    /// The file in `hip/`, the text that is replaced in it (it occurs once), and its replacement.
    file: &'static str,
    from: &'static str,
    to: &'static str,
    /// The test that runs.
    check: Check,
    /// Words of the failure with waves of 32 and of 64 lanes; `None` if the mutant changes no result with that size.
    caught: [Option<&'static str>; 2],
}

/// A test: its file, its name, and a text that selects cases by their names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Check {
    file: &'static str,
    test: &'static str,
    case: &'static str,
    /// Whether the test runs with guard bands around blocks.
    guard: bool,
}

const fn check(file: &'static str, test: &'static str, case: &'static str) -> Check {
    Check { file, test, case, guard: false }
}

/// The failure is a value that differs from the CPU's.
const VALUE: Option<&str> = Some("on the CPU");
const BOTH_VALUE: [Option<&str>; 2] = [VALUE, VALUE];
const fn both(words: &'static str) -> [Option<&'static str>; 2] {
    [Some(words), Some(words)]
}

/// The test that runs the cases of the parity suite.
const SUITE: &str = "every_case_on_rocm";

/// Declares a mutant that the parity suite catches by a wrong value, in the cases whose name contains a text.
const fn value(
    name: &'static str,
    file: &'static str,
    from: &'static str,
    to: &'static str,
    case: &'static str,
) -> Mutant {
    Mutant { name, file, from, to, check: check("parity", SUITE, case), caught: BOTH_VALUE }
}

/// The virtual GPU's targets: with waves of 32 and of 64.
const ARCHS: [&str; 2] = ["gfx1100", "gfx90a"];

/// Entry point.
pub fn run(args: &[String]) -> Outcome {
    let root = tree::root();
    if args != ["--judge"] {
        // An outdated virtual GPU could execute machine code wrongly.
        tasks::vgpu::ensure()?;
    }
    let chosen: Vec<&Mutant> = match args {
        [] => mutants().collect(),
        [flag, part] if flag == "--case" => mutants().filter(|m| m.name.contains(part.as_str())).collect(),
        [flag, seed] if flag == "--sample" => sample(seed)?,
        [flag, rest @ ..] if flag == "--drawn" => return hunt::run(rest),
        [flag] if flag == "--judge" => return hunt::judge(),
        _ => return Err("usage: mutants [--case PART_OF_A_NAME | --sample SEED | --drawn ..]".into()),
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = std::path::absolute(target)?;
    let place = Place { tests: build(&root)?, folder: target.join("mutants"), target, root };
    let mut work: Vec<Work<'_>> = Vec::new();
    let mut seen = BTreeSet::new();
    for m in &chosen {
        for arch in 0..ARCHS.len() {
            if seen.insert((m.check, arch)) {
                work.push(Work { mutant: None, check: m.check, arch });
            }
            work.push(Work { mutant: Some(m), check: m.check, arch });
        }
    }
    for m in &chosen {
        place.write(m)?;
    }
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|s| {
        for _ in 0..std::thread::available_parallelism().map_or(2, |n| n.get().min(4)) {
            s.spawn(|| {
                while let Some(work) = work.get(next.fetch_add(1, Relaxed)) {
                    let done = place.try_one(work);
                    let mut found = found.lock().unwrap_or_else(|e| e.into_inner());
                    match done {
                        Ok(line) => println!("{line}"),
                        Err(e) => found.push(e.to_string()),
                    }
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(|e| e.into_inner());
    if !found.is_empty() {
        return Err(format!("{} of {} runs:\n{}", found.len(), work.len(), found.join("\n")).into());
    }
    println!("mutants: {} wrong kernels, all caught", chosen.len());
    Ok(())
}

/// Number of samples that together have every wrong kernel.
const SAMPLES: usize = 5;

/// Returns every fifth wrong kernel, so that five seeds in a row have all.
fn sample(seed: &str) -> Outcome<Vec<&'static Mutant>> {
    let seed: u64 = seed.parse().map_err(|e| format!("--sample {seed}: {e}"))?;
    let first = (seed % SAMPLES as u64) as usize;
    let chosen: Vec<&Mutant> = mutants().skip(first).step_by(SAMPLES).collect();
    println!(
        "mutants: {} of {} wrong kernels are sampled, by seed {seed}; `make test-full` takes all",
        chosen.len(),
        mutants().count()
    );
    Ok(chosen)
}

/// A check with a mutant, or with the sources as they are.
struct Work<'a> {
    mutant: Option<&'a Mutant>,
    check: Check,
    arch: usize,
}

struct Place {
    root: PathBuf,
    target: PathBuf,
    /// Where the copies of the sources lie.
    folder: PathBuf,
    /// The test programs by name.
    tests: BTreeMap<String, PathBuf>,
}

/// Builds the test programs that run on a GPU, as `make test-rocm` does.
fn build(root: &Path) -> Outcome<BTreeMap<String, PathBuf>> {
    let files: BTreeSet<&str> = mutants().map(|m| m.check.file).collect();
    let mut args = vec!["test", "--release", "--locked", "--workspace", "--no-run"];
    files.iter().for_each(|f| args.extend(["--test", f]));
    args.extend(["--message-format", "json-render-diagnostics"]);
    let text = process::stdout_in(root, &std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()), &args)?;
    Ok(tree::executables(&text))
}

impl Place {
    fn sources(&self, m: &Mutant) -> PathBuf {
        let name: String = m.name.chars().map(|c| if c.is_alphanumeric() { c } else { '-' }).collect();
        self.folder.join(name)
    }

    /// Writes a copy of the kernels' sources with the change.
    fn write(&self, m: &Mutant) -> Outcome {
        let to = self.sources(m);
        std::fs::create_dir_all(&to)?;
        for file in std::fs::read_dir(self.root.join("hip"))? {
            let file = file?;
            let mut text = tree::read(&file.path())?;
            if file.file_name() == m.file {
                let times = text.matches(m.from).count();
                if times != 1 {
                    return Err(format!("{}: {} times in hip/{}: {:?}", m.name, times, m.file, m.from).into());
                }
                text = text.replace(m.from, m.to);
            }
            tree::write(&to.join(file.file_name()), &text)?;
        }
        Ok(())
    }

    /// Runs a check and returns its outcome as text; an unexpected outcome is an error.
    fn try_one(&self, work: &Work<'_>) -> Outcome<String> {
        let Check { file, test, case, guard } = work.check;
        let arch = ARCHS[work.arch];
        let program = self.tests.get(file).ok_or_else(|| format!("{file} was not built"))?;
        let sources = work.mutant.map_or_else(|| self.root.join("hip"), |m| self.sources(m));
        let mut command = Command::new(program);
        command
            .args(["--ignored", "--exact", test, "--nocapture", "--test-threads=1"])
            .current_dir(self.root.join("crates/rushlight"))
            .env("RUSHLIGHT_KERNEL_SOURCES", sources)
            .env("RUSHLIGHT_ROCM_PATH", self.target.join("vgpu/hip7"))
            .env("RUSHLIGHT_CACHE_DIR", self.target.join("kernels"))
            .env("RUSHLIGHT_VGPU_ARCH", arch)
            // In a slab a wrong access would hit another tensor, which the virtual GPU does not report.
            .env("RUSHLIGHT_GPU_POOL", "exact")
            .envs([("RUSHLIGHT_BLAS", "native"), ("RUSHLIGHT_CONV", "native"), ("RUSHLIGHT_FFT", "native")])
            .env("RUSHLIGHT_GPU_GUARD", if guard { "1" } else { "0" });
        match case {
            "" => command.env_remove("RUSHLIGHT_CASE"),
            case => command.env("RUSHLIGHT_CASE", case),
        };
        let out = command.output().map_err(|e| format!("{}: {e}", program.display()))?;
        let text =
            format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
        let ran = text.contains("running 1 test") && !text.contains("\n0 cases");
        let what = format!("{arch}, {file} {test} {case}");
        let error = |why: &str| -> Outcome<String> { Err(format!("{why} ({what}):\n{text}").into()) };
        let Some(m) = work.mutant else {
            return match (out.status.success(), ran) {
                (true, true) => Ok(format!("good: {what}")),
                (true, false) => {
                    error("no test or case has this name (samples of an op are numbered from 1)")
                }
                (false, _) => error("the kernels as they are fail"),
            };
        };
        match m.caught[work.arch] {
            None if out.status.success() && ran => Ok(format!("hidden on {arch}: {}", m.name)),
            None => error(&format!("{}: was to be hidden on {arch}", m.name)),
            Some(_) if out.status.success() => error(&format!("{}: NOT CAUGHT", m.name)),
            Some(words) if !text.contains(words) => {
                error(&format!("{}: was caught, but not by `{words}`", m.name))
            }
            Some(words) => Ok(format!("caught on {arch} by `{words}`: {}", m.name)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_together_have_every_wrong_kernel() {
        let names = |seed: usize| sample(&seed.to_string()).unwrap().into_iter().map(|m| m.name);
        let all: BTreeSet<&str> = (7..7 + SAMPLES).flat_map(names).collect();
        assert_eq!(all.len(), mutants().count());
        assert!(names(0).len() <= mutants().count().div_ceil(SAMPLES) && sample("x").is_err());
    }

    #[test]
    fn every_mutant_changes_one_position_of_the_text() {
        for m in mutants() {
            let text = tree::read(&tree::root().join("hip").join(m.file)).unwrap();
            assert_eq!(text.matches(m.from).count(), 1, "{}", m.name);
            assert!(m.from != m.to && m.caught.iter().any(Option::is_some), "{}", m.name);
        }
    }

    #[test]
    fn every_case_of_the_suite_exists() {
        let cases = rushlight_parity::Case::all(0);
        for m in mutants().filter(|m| m.check.test == SUITE) {
            let part = m.check.case;
            assert!(cases.iter().any(|c| c.name.contains(part)), "{}: no case `{part}`", m.name);
        }
    }

    #[test]
    fn every_test_exists() {
        for Check { file, test, .. } in mutants().map(|m| m.check) {
            let folder = if test == SUITE { "crates/rushlight-parity" } else { "crates/rushlight" };
            let text = tree::read(&tree::root().join(folder).join(format!("tests/{file}.rs"))).unwrap();
            assert!(text.contains(&format!("fn {test}(")), "{file}: no test `{test}`");
        }
    }

    #[test]
    fn every_file_has_one() {
        for file in std::fs::read_dir(tree::root().join("hip")).unwrap() {
            let name = file.unwrap().file_name();
            assert!(mutants().any(|m| name == m.file), "{name:?} has no wrong kernel");
        }
    }
}
