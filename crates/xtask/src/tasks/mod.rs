//! The list of tasks.
mod devices;
mod evidence;
mod examples;
mod full;
mod one;
mod pipeline;
mod python;
mod tools;
pub mod vgpu;
mod wheels;

use crate::process;
use crate::{Outcome, candle_tests, check, docs, package, rocm_packages, roofline, simd_calls};
use std::io::IsTerminal;

/// How a task runs.
enum How {
    /// In this program.
    Here(fn(&[String]) -> Outcome),
    /// In `xtask-ops`, which depends on the library, in the dev profile, because the library is usually built in it after
    /// an edit.
    Ops,
    /// In `xtask-ops` like [`How::Ops`], but in the release profile, because the task computes for minutes.
    OpsRelease,
}

/// A task: its name, its arguments, one line about it, and how it runs.
pub struct Task {
    name: &'static str,
    args: &'static str,
    help: &'static str,
    how: How,
}

const fn here(
    name: &'static str,
    args: &'static str,
    help: &'static str,
    run: fn(&[String]) -> Outcome,
) -> Task {
    Task { name, args, help, how: How::Here(run) }
}

const fn ops(name: &'static str, args: &'static str, help: &'static str) -> Task {
    Task { name, args, help, how: How::Ops }
}

const fn ops_release(name: &'static str, args: &'static str, help: &'static str) -> Task {
    Task { name, args, help, how: How::OpsRelease }
}

/// A heading and its tasks.
type Group = (&'static str, &'static [Task]);

/// Every task, one line each.
const LIST: &[Group] = &[
    (
        "every day",
        &[
            here(
                "t",
                "NAME [--device D]",
                "run one test or op by name: Rust tests, parity cases, pytest",
                one::run,
            ),
            here("check", "[fmt|rules|licences|clippy]..", "check what needs no test run", check::run),
            ops("new-op", "NAME [--kind definition|unary|binary]", "scaffold an op"),
            ops("generate", "[--check]", "write PARITY.md, docs/OPS.md and other derived files"),
            here("stubs", "", "build the Python module and write its type stubs", python::stubs),
            here("vgpu", "", "build the virtual GPU where it is older than its sources", vgpu::run),
        ],
    ),
    (
        "the pipeline",
        &[
            here(
                "test",
                "[--list | [--keep-going] [--from STEP | STEP..]]",
                "run every check of CI, or some of its steps",
                pipeline::test,
            ),
            here("test-full", "", "run `test`, and what takes hours", full::run),
            here("python-test", "", "lint, type-check and test the Python module", python::test),
            here(
                "python-full",
                "",
                "run every Python test, also those that take the virtual GPU minutes",
                python::full,
            ),
            here("examples", "", "run the Rust examples", examples::run),
            here(
                "candle-tests",
                "[--device cpu,..]",
                "run candle-core's own tests against rushlight",
                candle_tests::main,
            ),
            here(
                "candle-ecosystem",
                "[--device cpu,..]",
                "compile candle's other crates against rushlight and run their tests",
                candle_tests::ecosystem,
            ),
            here(
                "package",
                "",
                "pack the crates and use them from a crate outside the workspace",
                package::run,
            ),
            ops_release("test-new-op", "", "execute docs/contributing/add-an-op.md in a scratch copy"),
            here(
                "test-wheel-vgpu",
                "",
                "test both wheels in a new environment without clang",
                wheels::test_vgpu,
            ),
            here(
                "test-ci-recipe",
                "",
                "run the parity workflow's steps with the wheels built here",
                wheels::test_recipe,
            ),
        ],
    ),
    (
        "GPUs",
        &[
            here("test-rocm", "[ARCH..]", "run the GPU tests on the virtual AMD GPU", devices::rocm),
            here("test-isa", "[ARCH|hiprtc..]", "run a sample of every op on AMD machine code", devices::isa),
            here("test-cuda", "", "run the GPU tests on the first NVIDIA GPU", devices::cuda),
            here(
                "test-cuda-virtual",
                "",
                "run the library calls on the virtual NVIDIA GPU",
                devices::cuda_virtual,
            ),
            here("cuda-carry", "", "fill .cuda for a machine without registries", wheels::cuda_carry),
            here("candle-isa", "", "run candle's tests on AMD machine code", devices::candle_isa),
            here(
                "sanitize",
                "",
                "run the GPU tests with kernels under AddressSanitizer and UBSan",
                devices::sanitize,
            ),
        ],
    ),
    (
        "kernels and evidence",
        &[
            ops(
                "kernels",
                "[--cuda] [--arch A,..] [--some] ..",
                "compile the kernels ahead of time and check them",
            ),
            ops_release(
                "kernel-archives",
                "[--arch A,..] [--units all|common|PROGRAM,..] [--out FOLDER]",
                "pack compiled kernels to the archives that are looked up before the compiler",
            ),
            here(
                "common-kernels",
                "",
                "record the kernels that common programs load, for kernel-archives",
                wheels::common_kernels,
            ),
            here("test-cubins", "", "check every launch against the compiled CUDA kernels", evidence::cubins),
            here(
                "roofline",
                "[TARGET.. | --check | --write | --count | --compare]",
                "estimate the speed of kernels on GPUs from counts of their code",
                roofline::run,
            ),
            here(
                "simd-calls",
                "",
                "list the functions that code for AVX2 calls instead of inlining them",
                simd_calls::run,
            ),
            ops_release("mutants", "[--case NAME | --drawn]", "check that tests catch wrong kernels"),
            here(
                "parity-results",
                "[OP..]",
                "run the parity suite, or some ops of it, and write tests/parity and PARITY.md",
                evidence::parity,
            ),
            here(
                "parity-results-isa",
                "[--new | OP..]",
                "the same on AMD machine code",
                evidence::parity_isa,
            ),
            here(
                "bench",
                "",
                "time the CPU beside PyTorch and NumPy; write docs/PERFORMANCE.md",
                evidence::bench,
            ),
            here(
                "candle-benches",
                "[--filter TEXT] [--seconds N] [--rounds N] [--forget] [--tokens FOLDER] [--write]",
                "time candle's own benches and language models on candle and on rushlight",
                candle_tests::benches,
            ),
            here("golden", "", "write the golden files with PyTorch", evidence::golden),
            here("test-peers", "", "compare with PyTorch and candle live", evidence::peers),
        ],
    ),
    (
        "wheels and tools",
        &[
            here("docs", "", "build the site from the installed module (`make docs`)", docs::run),
            here("wheel", "", "build a manylinux wheel in dist/", wheels::wheel),
            here(
                "wheel-kernels",
                "",
                "build the wheel rushlight-kernels, of compiled kernels, in dist/",
                wheels::wheel_kernels,
            ),
            here("wheel-vgpu", "", "build the wheel rushlight-vgpu in dist/", wheels::wheel_vgpu),
            here(
                "tools",
                "[vgpu|kernels|cuda|sanitize]..",
                "install compilers and packages that tasks need",
                tools::run,
            ),
            here(
                "rocm-packages",
                "[FOLDER..]",
                "unpack AMD's libraries and headers from Debian",
                rocm_packages::run,
            ),
        ],
    ),
];

/// Finds a task by name.
pub fn find(name: &str) -> Option<&'static Task> {
    LIST.iter().flat_map(|g| g.1).find(|t| t.name == name)
}

/// Returns the list of tasks for the terminal.
pub fn usage() -> String {
    let mut text = String::from("usage: cargo xtask <task> [arguments]\n");
    for (heading, tasks) in LIST {
        text += &format!("\n{heading}\n");
        for t in *tasks {
            let call = format!("{} {}", t.name, t.args);
            text += &format!("  {:<45} {}\n", call.trim_end(), t.help);
        }
    }
    text.trim_end().to_string()
}

impl Task {
    /// Runs the task.
    pub fn run(&self, args: &[String]) -> Outcome {
        if args.iter().any(|a| a == "--help" || a == "-h") {
            println!("cargo xtask {} {}\n{}", self.name, self.args, self.help);
            return Ok(());
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        match self.how {
            How::Here(run) => run(&args.iter().map(|a| a.to_string()).collect::<Vec<_>>()),
            How::Ops => library_task(self.name, &args, release()),
            How::OpsRelease => library_task(self.name, &args, true),
        }
    }
}

/// Returns whether the pipeline asked for the release profile.
fn release() -> bool {
    std::env::var(process::PROFILE).is_ok_and(|p| p == "release")
}

/// Runs a task of `xtask-ops`. Without `--package`, so that its features are those of the whole workspace and nothing is
/// compiled twice.
fn library_task(name: &str, args: &[&str], release: bool) -> Outcome {
    let mut cargo = process::cargo(&["run", "--bin", "xtask-ops"]);
    // The library may take minutes to build: in a terminal cargo shows its progress.
    if !std::io::stderr().is_terminal() {
        eprintln!("xtask {name}: building the library where it has changed (minutes the first time)");
        cargo.arg("--quiet");
    }
    if release {
        cargo.arg("--release").env(process::PROFILE, "release");
    }
    cargo.arg("--").arg(name).args(args);
    process::run(&mut cargo)
}

/// Runs a task of `xtask-ops` in the release profile, which the steps of the pipeline share.
fn release_library_task(args: &[&str]) -> Outcome {
    match args {
        [name, args @ ..] => library_task(name, args, true),
        [] => Err("no task".into()),
    }
}

/// Returns an error if there are arguments.
fn no_arguments(args: &[String]) -> Outcome {
    match args.first() {
        None => Ok(()),
        Some(arg) => Err(format!("unexpected argument `{arg}`").into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_each_task_has_a_line() {
        let all: Vec<&Task> = LIST.iter().flat_map(|g| g.1).collect();
        let names: BTreeSet<&str> = all.iter().map(|t| t.name).collect();
        assert_eq!(names.len(), all.len());
        for t in all {
            assert!(usage().contains(&format!("\n  {} ", t.name)), "{}", t.name);
            assert!(!t.help.is_empty() && t.help.len() < 80, "{}: {}", t.name, t.help);
        }
    }
}
