//! Project tasks: `cargo xtask <task> [arguments]`.
mod asked;
mod candle_tests;
mod check;
mod generate;
mod kernels;
mod licences;
mod mutants;
mod new_op;
mod package;
mod page;
mod results;
mod rocm_packages;
mod rules;
mod test_new_op;
mod tree;

use std::process::ExitCode;

/// What a task returns.
pub type Outcome<T = ()> = Result<T, Box<dyn std::error::Error>>;

type Task = fn(&[String]) -> Outcome;

/// One line a task: name, arguments and purpose, function.
const TASKS: &[(&str, &str, Task)] = &[
    ("candle-tests", "[--device cpu|test]  candle-core's own tests against rushlight", candle_tests::main),
    ("check", "[fmt|clippy|licences|rules]  what can be checked without running tests", check::run),
    (
        "generate",
        "[--check]  writes PARITY.md, docs/OPS.md and tests/parity/ops.md from the op definitions and results",
        generate::run,
    ),
    (
        "kernels",
        "[--cuda] [--arch a,b,..] [--some] [--write-table] [--jobs N]  the kernels of hip/, compiled ahead of time",
        kernels::run,
    ),
    ("mutants", "[--case NAME | --drawn]  wrong kernels, each of which a test must catch", mutants::run),
    (
        "new-op",
        "NAME [--kind op|unary|binary]  writes the files and lines of a new op, to be completed",
        new_op::run,
    ),
    (
        "package",
        "the crates packed, and used by a crate outside of the workspace on the virtual GPU",
        package::run,
    ),
    (
        "rocm-packages",
        "[FOLDER..]  AMD's libraries and headers from Debian, unpacked for tests",
        rocm_packages::run,
    ),
    ("test-new-op", "CONTRIBUTING's \"Add an op\", word for word, in a scratch copy", test_new_op::run),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let found = args.first().and_then(|name| TASKS.iter().find(|t| t.0 == name));
    let Some((name, _, task)) = found else {
        eprintln!("usage: cargo xtask <task>");
        TASKS.iter().for_each(|(name, help, _)| eprintln!("  {name:<14} {help}"));
        return ExitCode::from(2);
    };
    match task(&args[1..]) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask {name}: {e}");
            ExitCode::FAILURE
        }
    }
}
