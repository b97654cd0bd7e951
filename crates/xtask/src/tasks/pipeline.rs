//! `test`: everything that CI checks, cheapest first. docs/CI.md has the minutes.
use super::{devices, evidence, examples, python, release_library_task, tools, vgpu};
use crate::process::{PROFILE, cargo, run as start, stdout_in, task};
use crate::{Outcome, check, docs, rocm_packages, roofline, tree};
use std::process::Command;
use std::time::Instant;

/// The option that runs the steps after one that fails, too.
const KEEP_GOING: &str = "--keep-going";

type Step = (&'static str, fn() -> Outcome);

/// The steps in their order.
const STEPS: &[Step] = &[
    ("fmt", || check::run(&["fmt".to_string()])),
    ("rules", || check::run(&["rules".to_string(), "licences".to_string()])),
    ("clippy", || check::run(&["clippy".to_string()])),
    ("rocm packages", || rocm_packages::run(&[])),
    ("virtual GPU", || vgpu::run(&[])),
    ("cuda packages", tools::cuda),
    ("cargo test", cargo_test),
    ("unit tests of rushlight", unit_tests),
    ("generated files", || release_library_task(&["generate", "--check"])),
    ("rocm tests", || devices::rocm_in_eighths(commit_seed())),
    ("machine code", || devices::isa_in_eighths(commit_seed())),
    ("roofline", || roofline::sampled(commit_seed())),
    ("cuda kernels", cuda_kernels),
    ("cuda launches", || evidence::cubins(&[])),
    ("cuda tests", || devices::cuda_virtual(&[])),
    ("AMD kernels", amd_kernels),
    ("wrong kernels", || sampled(&["mutants"])),
    ("candle tests", candle_tests),
    ("candle ecosystem", candle_ecosystem),
    ("packed crates", || on_rocm(&["package"])),
    ("examples", || examples::run(&[])),
    ("new op", new_op),
    ("python", || python::test(&[])),
    ("docs", docs),
];

/// `test [--list | [--keep-going] [--from STEP | STEP..]]`: runs all steps, those from one on, or those named. It stops at
/// the first that fails; with `--keep-going` it runs all of them and then lists those that failed.
pub fn test(args: &[String]) -> Outcome {
    let keep_going = args.iter().any(|a| a == KEEP_GOING);
    let words: Vec<&str> = args.iter().map(String::as_str).filter(|a| *a != KEEP_GOING).collect();
    let at = |name: &str| {
        let found = STEPS.iter().position(|s| s.0 == name);
        found.ok_or_else(|| format!("no step `{name}`; `cargo xtask test --list` lists the steps"))
    };
    let chosen: Vec<&Step> = match words[..] {
        [] => STEPS.iter().collect(),
        ["--list"] => {
            STEPS.iter().for_each(|s| println!("{}", s.0));
            return Ok(());
        }
        ["--from", name] => STEPS[at(name)?..].iter().collect(),
        _ => words.iter().map(|name| Ok(&STEPS[at(name)?])).collect::<Outcome<_>>()?,
    };
    let begun = Clock::now();
    let mut failed = Vec::new();
    for (name, step) in chosen {
        match timed(name, step) {
            Err(e) if keep_going => {
                println!("{e}");
                failed.push(*name);
            }
            other => other?,
        }
    }
    println!("all steps: {begun}");
    if !failed.is_empty() {
        return Err(format!("{} steps failed: {}", failed.len(), failed.join(", ")).into());
    }
    if words.is_empty() {
        println!("make test: all steps passed");
    }
    Ok(())
}

/// Prints, as text, the seconds since it was made, and the processor time of the programs that were started and ended since:
/// on a busy machine only the second says what a step costs.
struct Clock(Instant, f64);

impl Clock {
    fn now() -> Self {
        Self(Instant::now(), processor_seconds())
    }
}

impl std::fmt::Display for Clock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let processor = processor_seconds() - self.1;
        write!(f, "{} s ({processor:.0} s of processor time)", self.0.elapsed().as_secs())
    }
}

/// Returns the processor time of all programs that this one started and that have ended; 0 where Linux's `/proc` is missing.
fn processor_seconds() -> f64 {
    // proc(5): the fields after the name in parentheses begin with the third; user and system time are the 16th and 17th.
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    // In ticks, of which Linux shows programs 100 a second.
    fields.skip(13).take(2).filter_map(|v| v.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// Runs a step and prints its seconds.
pub fn timed(name: &str, step: impl FnOnce() -> Outcome) -> Outcome {
    let begun = Clock::now();
    step().map_err(|e| format!("step {name}: {e}"))?;
    println!("step {name}: {begun}");
    Ok(())
}

/// Runs a task that builds in the release profile, as all steps do.
pub fn task_in_release(mut command: Command) -> Outcome {
    start(command.env(PROFILE, "release"))
}

/// Runs a task as [`task_in_release`] does, on the virtual AMD GPU.
pub fn on_rocm(args: &[&str]) -> Outcome {
    task_in_release(vgpu::with(task(args), vgpu::rocm()))
}

fn cargo_test() -> Outcome {
    println!(
        "cargo test: an eighth of the parity suite on the CPU, by the commit; `make test-full` runs all of it"
    );
    const PARTS: [&[&str]; 3] =
        [&["--exclude", "rushlight", "--lib"], &["--bins", "--test", "*"], &["--doc"]];
    // All tests run, so that one which fails hides no other.
    let done = PARTS.map(|part| {
        let mut c = tests(part);
        c.arg("--no-fail-fast").envs([devices::eighth(commit_seed(), 0)]);
        start(c.env("RUSHLIGHT_TEST_VGPU", vgpu::folder()))
    });
    done.into_iter().collect()
}

/// Returns the command that runs some tests of the workspace. (Of all packages, so that features and with them the compiled crates
/// stay the same.)
fn tests(of: &[&str]) -> Command {
    cargo(&[&["test", "--release", "--locked", "--workspace"], of].concat())
}

/// Runs the unit tests of the crate `rushlight`, for which it is compiled once more, and those of the other libraries again.
fn unit_tests() -> Outcome {
    if left_out("unit tests of rushlight", 2) {
        return Ok(());
    }
    start(&mut every_unit_test())
}

/// Returns the command that runs the unit tests of every library.
pub fn every_unit_test() -> Command {
    tests(&["--lib"])
}

/// Builds the site from the module that the step before installed.
fn docs() -> Outcome {
    python::install()?;
    docs::run(&[])
}

fn cuda_kernels() -> Outcome {
    tools::cuda()?;
    sampled(&["kernels", "--cuda"])
}

/// Executes the guide of a new op.
fn new_op() -> Outcome {
    if left_out("new op", 1) {
        return Ok(());
    }
    release_library_task(&["test-new-op"])
}

/// Compiles every kernel for one AMD target, and one dtype of each unit for a sample of the others.
fn amd_kernels() -> Outcome {
    tools::kernels()?;
    sampled(&["kernels"])
}

/// Runs a task on the sample that the commit chooses.
fn sampled(args: &[&str]) -> Outcome {
    release_library_task(&[args, &["--sample", &commit_seed().to_string()]].concat())
}

/// Runs candle's tests on the CPU and on the virtual GPU with waves of 32 or of 64 lanes, chosen by the commit.
/// `make test-full` runs them on machine code of both.
fn candle_tests() -> Outcome {
    let arch = arch_of_commit();
    println!(
        "candle tests: on the CPU and on {arch}, by the commit; `make test-full` runs them on both targets"
    );
    on_rocm(&["candle-tests", "--device", &format!("cpu,rocm-{arch}")])
}

/// Compiles candle-nn against rushlight and runs its tests, as [`candle_tests`] does: for one of four commits, because rushlight
/// is compiled again.
fn candle_ecosystem() -> Outcome {
    if left_out("candle ecosystem", 0) {
        return Ok(());
    }
    let arch = arch_of_commit();
    println!("candle ecosystem: on the CPU and on {arch}, by the commit");
    on_rocm(&["candle-ecosystem", "--device", &format!("cpu,rocm-{arch}")])
}

/// Returns whether the commit leaves out a step that compiles the library once more, and says so: each commit has one of three
/// such steps, the one of its `turn`.
fn left_out(step: &str, turn: u64) -> bool {
    let left_out = commit_seed() % 3 != turn;
    if left_out {
        println!("{step}: left out, it runs for one of three commits; `make test-full` always runs it");
    }
    left_out
}

/// Returns the target of the virtual AMD GPU that the commit chooses.
pub fn arch_of_commit() -> &'static str {
    devices::ARCHS[commit_seed() as usize % devices::ARCHS.len()]
}

/// Returns the seed of the checks that a commit samples: it differs from commit to commit, and is 0 outside git.
pub fn commit_seed() -> u64 {
    let head = stdout_in(&tree::root(), "git", &["rev-parse", "HEAD"]).unwrap_or_default();
    u64::from_str_radix(head.get(..12).unwrap_or(""), 16).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_steps_are_refused() {
        let error = test(&["--from".to_string(), "nothing".to_string()]).unwrap_err().to_string();
        assert!(error.starts_with("no step `nothing`"), "{error}");
        assert!(test(&["--list".to_string()]).is_ok());
        assert!(test(&[KEEP_GOING.to_string(), "nothing".to_string()]).is_err());
    }

    #[test]
    fn a_step_is_charged_for_the_programs_it_starts() {
        let begun = Clock::now();
        start(Command::new("sh").args(["-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"])).unwrap();
        let charged = processor_seconds() - begun.1;
        assert!(charged > 0.0, "{charged}");
        assert!(begun.to_string().ends_with("of processor time)"));
    }
}
