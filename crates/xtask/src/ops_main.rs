//! `xtask-ops`: the tasks that read op definitions or kernels. `cargo xtask` builds and calls it.
mod asked;
mod environment;
mod generate;
mod kernels;
mod mutants;
mod new_op;
mod page;
mod results;
mod roofline_cases;
mod test_new_op;

use std::process::ExitCode;
use xtask::{Outcome, files, process, tasks, tree};

type Task = fn(&[String]) -> Outcome;

/// Name and function of each task; `tasks::LIST` describes them. `roofline` is the part of the task of this name that needs
/// the library.
const TASKS: &[(&str, Task)] = &[
    ("generate", generate::run),
    ("kernel-archives", kernels::archives::run),
    ("kernels", kernels::run),
    ("mutants", mutants::run),
    ("new-op", new_op::run),
    ("roofline", roofline_cases::run),
    ("test-new-op", test_new_op::run),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, task)) = args.first().and_then(|name| TASKS.iter().find(|t| t.0 == name)) else {
        let names: Vec<&str> = TASKS.iter().map(|t| t.0).collect();
        eprintln!("usage: xtask-ops <task>, one of {}", names.join(", "));
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
