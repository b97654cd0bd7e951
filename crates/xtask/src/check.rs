//! `check`: the checks that run no tests, cheapest first.
use crate::{Outcome, licences, process, rules, tree};

/// Runs the steps named, or all.
pub fn run(args: &[String]) -> Outcome {
    const STEPS: &[(&str, fn() -> Outcome)] =
        &[("fmt", fmt), ("rules", rules::run), ("licences", licences::run), ("clippy", clippy)];
    if let Some(unknown) = args.iter().find(|a| STEPS.iter().all(|s| s.0 != *a)) {
        return Err(format!("no step `{unknown}`").into());
    }
    for (name, step) in STEPS {
        if args.is_empty() || args.iter().any(|a| a == name) {
            step()?;
            println!("check {name}: ok");
        }
    }
    Ok(())
}

fn fmt() -> Outcome {
    process::run_in(&tree::root(), "cargo", &["fmt", "--all", "--check"])
}

fn clippy() -> Outcome {
    let args = ["clippy", "--release", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run_in(&tree::root(), "cargo", &args)
}
