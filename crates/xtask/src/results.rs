//! The committed results of the parity suite, `tests/parity/*.json`: what `make parity-results` found on each backend.
use crate::{Outcome, tree};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// A column of PARITY.md and the file of its results.
pub struct Backend {
    pub name: &'static str,
    pub file: &'static str,
    pub without: Without,
}

/// The meaning of a missing results file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Without {
    /// The file must exist: `make parity-results` writes it and needs no hardware for it.
    Never,
    /// The cells say `built`: the backend's kernels were only compiled.
    Built,
    /// The column is left out, because the column of the host engine is for the same device.
    Left,
}

/// THE list of backends.
pub const BACKENDS: [Backend; 6] = [
    Backend { name: "CPU", file: "cpu.json", without: Without::Never },
    Backend { name: "ROCm, waves of 32", file: "rocm-wave32.json", without: Without::Never },
    Backend { name: "ROCm, waves of 64", file: "rocm-wave64.json", without: Without::Never },
    Backend { name: "machine code of gfx1100", file: "rocm-gfx1100.json", without: Without::Left },
    Backend { name: "machine code of gfx90a", file: "rocm-gfx90a.json", without: Without::Left },
    Backend { name: "CUDA", file: "cuda.json", without: Without::Built },
];

/// Statuses of failure, the worst first.
const BAD: [&str; 4] = ["FAIL", "CRASH", "TIMEOUT", "MISSED"];

/// The results of all cases of one op, dtype and pass.
#[derive(Debug, Default, PartialEq)]
pub struct Cell {
    /// Cases by status.
    pub counts: BTreeMap<String, u64>,
    /// Reasons of cases that were not run or are known to fail.
    pub reasons: Vec<String>,
}

impl Cell {
    fn of(&self, status: &str) -> u64 {
        self.counts.get(status).copied().unwrap_or_default()
    }

    /// Returns the number of cases of all statuses.
    pub fn all(&self) -> u64 {
        self.counts.values().sum()
    }

    /// Returns the number of cases that passed.
    pub fn passed(&self) -> u64 {
        self.of("PASS")
    }

    /// Returns the evidence, or the reason why there is none.
    pub fn says(&self, evidence: &str) -> String {
        let all = self.all();
        if let Some(status) = BAD.iter().find(|s| self.of(s) > 0) {
            let bad: u64 = BAD.iter().map(|s| self.of(s)).sum();
            return format!("{status}: {bad} of {all}");
        }
        let without = all - self.passed();
        match (self.passed(), without) {
            (0, _) => format!("no: {}", self.reasons.join("; ")),
            (_, 0) => evidence.to_string(),
            _ => format!("{evidence}, but for {without} of {all}: {}", self.reasons.join("; ")),
        }
    }
}

/// The results of one backend.
#[derive(Debug, Default)]
pub struct Results {
    head: BTreeMap<String, Value>,
    cells: BTreeMap<(String, String, String), Cell>,
}

impl Results {
    /// Reads a text that `rushlight parity --summary` wrote.
    fn parse(text: &str) -> Outcome<Self> {
        let all: Value = serde_json::from_str(text)?;
        let mut head: BTreeMap<String, Value> = serde_json::from_value(all)?;
        let cells = head.remove("cells").ok_or("there are no cells")?;
        let whole =
            head.get("chosen").is_some_and(|v| v == "") && head.get("not_begun").is_some_and(|v| v == 0);
        if !whole {
            return Err("the suite was not run whole (-k or --time)".into());
        }
        let mut read = Self { head, cells: BTreeMap::new() };
        for cell in cells.as_array().ok_or("`cells` is not a list")? {
            let word =
                |i: usize| cell[i].as_str().map(str::to_string).ok_or_else(|| format!("no cell: {cell}"));
            let key = (word(0)?, word(1)?, word(2)?);
            let counts = serde_json::from_value(cell[3].clone())?;
            let reasons =
                cell.get(4).map(|r| serde_json::from_value(r.clone())).transpose()?.unwrap_or_default();
            read.cells.insert(key, Cell { counts, reasons });
        }
        Ok(read)
    }

    /// Returns the results of an op, dtype and pass.
    pub fn cell(&self, op: &str, dtype: &str, pass: &str) -> Option<&Cell> {
        self.cells.get(&(op.to_string(), dtype.to_string(), pass.to_string()))
    }

    /// Every cell.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.cells.values()
    }

    /// Returns how many ops ran again after the whole run.
    pub fn renewed(&self) -> usize {
        self.head.get("renewed").and_then(Value::as_object).map_or(0, serde_json::Map::len)
    }

    /// Returns a value of the file's head as text; empty if it is missing.
    pub fn head(&self, name: &str) -> &str {
        self.head.get(name).and_then(Value::as_str).unwrap_or_default()
    }
}

/// Reads the results of each backend that has a results file.
pub fn read(root: &Path) -> Outcome<Vec<Option<Results>>> {
    let one = |b: &Backend| -> Outcome<Option<Results>> {
        let path = root.join("tests/parity").join(b.file);
        if !path.exists() {
            return Ok(None);
        }
        let read = Results::parse(&tree::read(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Some(read))
    };
    BACKENDS.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rushlight_parity::{Case, Pass};
    use std::collections::BTreeSet;

    const TEXT: &str = r#"{"evidence": "host", "chosen": "", "not_begun": 0, "cells": [
        ["add", "f32", "forward", {"PASS": 7}],
        ["add", "i8", "forward", {"SKIP": 2}, ["unsupported: no kernel"]],
        ["add", "f16", "forward", {"PASS": 5, "SKIP": 1}, ["unsupported: no kernel"]],
        ["add", "f64", "forward", {"PASS": 5, "CRASH": 1, "FAIL": 2}]
    ]}"#;

    #[test]
    fn a_cell_is_its_evidence_or_its_reason() {
        let r = Results::parse(TEXT).unwrap();
        let says = |dtype| r.cell("add", dtype, "forward").map(|c| c.says(r.head("evidence")));
        assert_eq!(says("f32").as_deref(), Some("host"));
        assert_eq!(says("i8").as_deref(), Some("no: unsupported: no kernel"));
        assert_eq!(says("f16").as_deref(), Some("host, but for 1 of 6: unsupported: no kernel"));
        assert_eq!(says("f64").as_deref(), Some("FAIL: 3 of 8"));
        assert_eq!(says("u8"), None);
    }

    #[test]
    fn a_part_of_the_suite_is_rejected() {
        for part in [r#""chosen": "add""#, r#""chosen": "", "not_begun": 3"#] {
            let text = TEXT.replace(r#""chosen": "", "not_begun": 0"#, part);
            assert!(Results::parse(&text).unwrap_err().to_string().contains("not run whole"), "{part}");
        }
    }

    /// Ops that have no results on machine code yet, or not for each dtype. `cargo xtask parity-results-isa --new` runs them, and
    /// then they are removed here. Until then `cargo xtask test-isa`, a step of `make test`, runs some of their cases on machine code.
    const NEWER: &[&str] = &["fft"];

    /// Returns the cells of the op definitions that a file has no result of.
    fn missing(results: &Results, cases: &[Case]) -> BTreeSet<String> {
        let cells = cases.iter().map(|c| (c.op(), c.dtype().as_str(), c.pass.as_str()));
        let cells: BTreeSet<_> = cells.filter(|(op, d, pass)| results.cell(op, d, pass).is_none()).collect();
        cells.into_iter().map(|(op, d, pass)| format!("{op} {d} {pass}")).collect()
    }

    #[test]
    fn the_committed_results_cover_the_op_definitions() {
        let cases: Vec<Case> = Case::all(0).into_iter().filter(|c| c.pass != Pass::Error).collect();
        for (backend, results) in BACKENDS.iter().zip(read(&tree::root()).unwrap()) {
            if results.is_none() && backend.without != Without::Never {
                continue;
            }
            let (file, results) = (backend.file, results.unwrap_or_default());
            let emulated = results.head("evidence") == "emulated";
            assert_eq!(
                emulated,
                backend.without == Without::Left,
                "tests/parity/{file} is of another engine"
            );
            let mut missing = missing(&results, &cases);
            if emulated {
                for op in NEWER {
                    let count = missing.len();
                    missing.retain(|cell| cell.split(' ').next() != Some(op));
                    assert!(missing.len() < count, "tests/parity/{file} has {op}: take it off NEWER");
                }
            }
            let some: Vec<&str> = missing.iter().take(5).map(String::as_str).collect();
            // It takes an NVIDIA GPU to run newer ops there: PARITY.md says `not run` of them.
            assert!(
                missing.is_empty() || backend.without == Without::Built,
                "tests/parity/{file} has no result of {} cells, such as {}; run `make parity-results`",
                missing.len(),
                some.join(", ")
            );
            let bad: Vec<_> = results.cells.iter().filter(|(_, c)| BAD.iter().any(|s| c.of(s) > 0)).collect();
            assert!(bad.is_empty(), "tests/parity/{file} tells of failures: {bad:?}");
        }
    }
}
