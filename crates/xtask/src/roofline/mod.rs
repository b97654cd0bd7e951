//! `roofline`: estimates the time of GPU kernels from what their machine code executes on the virtual GPU, and compares it with
//! goals. docs/ROOFLINE.md describes the model.
pub mod counts;
mod goals;
mod gpus;
mod model;
mod report;

use crate::tasks::vgpu;
use crate::{Outcome, process, tree};
use counts::{Case, Launch, Table, Target};
use gpus::GPUS;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

const COUNT: &str = "--count";
const COMPARE: &str = "--compare";
const CHECK: &str = "--check";
const WRITE: &str = "--write";

/// Parts of the forms, of which CI counts one.
const PARTS: u64 = 16;

/// `roofline [TARGET..]`: prints the estimates, and the counts of targets. `--check`: compares them with goals and with
/// docs/ROOFLINE.md, which `--write` writes. `--count [TARGET..]`: counts anew and writes both. `--compare [TARGET..]`: counts anew and compares with the
/// table.
pub fn run(args: &[String]) -> Outcome {
    match args.split_first() {
        Some((first, [])) if first == CHECK => check(),
        Some((first, targets)) if first == COMPARE => {
            let mut targets = chosen(targets)?.into_iter();
            targets.try_for_each(|t| compare(t, 0, 1))
        }
        Some((first, [])) if first == WRITE => write(&Table::read()?),
        Some((first, targets)) if first == COUNT => count(targets),
        _ => print(args),
    }
}

fn page() -> PathBuf {
    tree::root().join("docs/ROOFLINE.md")
}

fn print(targets: &[String]) -> Outcome {
    let table = Table::read()?;
    println!("{}", report::summary(&table));
    for t in named(targets)? {
        println!("{}", report::counts(&table, t));
    }
    Ok(())
}

/// Returns the targets of the model.
fn all() -> BTreeSet<&'static str> {
    GPUS.iter().map(|g| g.target).collect()
}

/// Returns the named targets.
fn named(targets: &[String]) -> Outcome<Vec<&'static str>> {
    let find = |name: &String| -> Outcome<&'static str> {
        let names: Vec<&str> = all().into_iter().collect();
        let found = names.iter().find(|t| **t == name.as_str()).copied();
        found.ok_or_else(|| {
            let known = names.join(", ");
            format!("expected {CHECK}, {WRITE}, {COUNT}, {COMPARE} or targets ({known}), got `{name}`").into()
        })
    };
    targets.iter().map(find).collect()
}

/// Returns the named targets, or all.
fn chosen(targets: &[String]) -> Outcome<Vec<&'static str>> {
    if targets.is_empty() { Ok(all().into_iter().collect()) } else { named(targets) }
}

fn check() -> Outcome {
    let (table, reasons) = (Table::read()?, goals::reasons()?);
    let mut found = goals::findings(&goals::missed(&table), &reasons);
    for t in all() {
        let counted = |c: &&Case| table.launches(t, &c.name).is_empty();
        found.extend(table.cases.iter().filter(counted).map(|c| format!("{}: not counted on {t}", c.name)));
    }
    if tree::read(&page())? != report::page(&table, &reasons) {
        found.push(
            "docs/ROOFLINE.md is not what the counts give; `cargo xtask roofline --write` writes it".into(),
        );
    }
    if found.is_empty() {
        println!("roofline: {} forms reach their goals, or miss them for a listed reason", table.cases.len());
        return Ok(());
    }
    Err(format!("{} findings\n{}", found.len(), found.join("\n")).into())
}

/// Writes the table and the page.
fn count(targets: &[String]) -> Outcome {
    let targets = chosen(targets)?;
    let mut table = Table::read().unwrap_or_default();
    let program = program()?;
    for t in targets {
        let (cases, target) = run_cases(&program, t, 0, 1)?;
        println!("{t}: {} forms, {} launches", cases.len(), target.launches.len());
        table.cases = cases;
        table.targets.insert(t.into(), target);
    }
    tree::write(&Table::path(), &table.text())?;
    write(&table)
}

/// Writes the page of the counts and reasons.
fn write(table: &Table) -> Outcome {
    tree::write(&page(), &report::page(table, &goals::reasons()?))
}

/// Compares the table with the goals, and counts the forms of a part anew on one target, both drawn by the seed.
pub fn sampled(seed: u64) -> Outcome {
    check()?;
    let targets: Vec<&str> = all().into_iter().collect();
    let number = seed % (targets.len() as u64 * PARTS);
    compare(targets[(number / PARTS) as usize], number % PARTS, PARTS)
}

/// Counts the forms of a part anew on a target and compares them with the table.
fn compare(target: &str, part: u64, parts: u64) -> Outcome {
    let table = Table::read()?;
    let known = table.targets.get(target).ok_or_else(|| format!("the table lacks {target}"))?;
    if known.compiler != compiler() {
        println!("roofline: {target} is not compared: the table has counts of {}", known.compiler);
        return Ok(());
    }
    let (cases, now) = run_cases(&program()?, target, part, parts)?;
    let names: Vec<&str> = cases.iter().map(|c| c.name.as_str()).collect();
    println!("roofline: {target}: counted anew: {}", names.join(", "));
    let mut found = Vec::new();
    for case in &cases {
        let new: Vec<&Launch> = now.launches.iter().filter(|l| l.case == case.name).collect();
        if !table.cases.contains(case) || new != table.launches(target, &case.name) {
            found.push(format!("{} on {target} is not what the table says", case.name));
        }
    }
    match found.is_empty() {
        true => Ok(()),
        false => Err(format!("{}; `cargo xtask roofline {COUNT}` writes it anew", found.join("\n")).into()),
    }
}

/// Builds the program that runs the forms, and the virtual GPU.
fn program() -> Outcome<PathBuf> {
    vgpu::ensure()?;
    process::run(&mut process::cargo(&["build", "--release", "--locked", "--quiet", "--bin", "xtask-ops"]))?;
    Ok(tree::target().join("release/xtask-ops"))
}

/// Returns the version of the virtual GPU's compiler.
fn compiler() -> String {
    let said = process::stdout(Command::new("clang++-19").arg("--version")).unwrap_or_default();
    said.lines().next().unwrap_or_default().to_string()
}

/// Runs the forms of a part on a target.
fn run_cases(program: &PathBuf, target: &str, part: u64, parts: u64) -> Outcome<(Vec<Case>, Target)> {
    let mut command = vgpu::with(process::command(program), vgpu::isa());
    command.args(["roofline", &part.to_string(), &parts.to_string()]).env("RUSHLIGHT_VGPU_ARCH", target);
    // One thread, so that the order of waves, and with it the number of retried atomics, is fixed.
    command.env("RUSHLIGHT_VGPU_COUNT", "1").env("RUSHLIGHT_VGPU_THREADS", "1");
    let out = command.output().map_err(|e| format!("{}: {e}", program.display()))?;
    let said = String::from_utf8_lossy(&out.stderr);
    if !out.status.success() {
        return Err(format!("{target}: the forms do not run\n{said}").into());
    }
    let (mut cases, mut launches, mut running) = (Vec::new(), Vec::new(), String::new());
    for line in said.lines() {
        if let Some(case) = Case::parse(line) {
            running = case.name.clone();
            cases.push(case);
        } else if line == "end" {
            running.clear();
        } else if let Some(l) = Launch::printed(line, &running).filter(|_| !running.is_empty()) {
            launches.push(l);
        }
    }
    Ok((cases, Target { compiler: compiler(), launches }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_table_reaches_its_goals_or_says_why() {
        check().unwrap();
    }

    #[test]
    fn unknown_arguments_are_refused() {
        let error = run(&["gfx1".to_string()]).unwrap_err().to_string();
        assert!(error.contains("got `gfx1`") && error.contains("gfx942"), "{error}");
    }
}
