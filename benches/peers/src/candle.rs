//! candle-core as an external reference for the parity suite: computes the suite's cases with candle and writes the results
//! to a file.
//!
//! `cargo run --release --manifest-path benches/peers/Cargo.toml --bin candle -- --out candle.json`, then
//! `rushlight parity --against candle.json`, on any machine; `rushlight parity --against candle` does both in a checkout.
//! With `--check` in place of `--out` the program itself judges the CPU.
use flate2::{Compression, write::GzEncoder};
use rushlight::Device;
use rushlight_parity::{Against, Case, Status};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

mod reference;

type Error = Box<dyn std::error::Error>;

const USAGE: &str = "usage: candle [--seed N] [-k PART] (--out FILE.json | --check)";
/// Values of more bytes are left out, as `rushlight parity` leaves them out.
const KEEP: usize = 1 << 16;
/// The number of wrong cases of an op that are printed.
const SHOWN: usize = 8;
/// Cases that candle computes wrongly or by another rule: case pattern and reason.
const DEFECTS: &str = include_str!("../candle_defects.tsv");

/// A line of the table of defects: a pattern of case names (`*` matches any text), and the reason.
struct Defect {
    pattern: &'static str,
    why: &'static str,
    seen: bool,
}

fn defects() -> Result<Vec<Defect>, Error> {
    let lines = DEFECTS.lines().filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|l| {
            let (pattern, why) = l.split_once('\t').ok_or_else(|| format!("no two columns: {l}"))?;
            Ok(Defect { pattern, why, seen: false })
        })
        .collect()
}

/// Returns whether a name is of a pattern.
fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|left| {
            (0..=left.len()).any(|i| left.is_char_boundary(i) && matches(rest, &left[i..]))
        }),
    }
}

/// Returns whether a case is selected, as by `rushlight parity -k`: by a part of its name (`a or b`), or by `=` and the
/// whole name.
fn chosen(name: &str, part: &str) -> bool {
    if let Some(whole) = part.strip_prefix('=') {
        return name == whole;
    }
    part.is_empty() || part.split(" or ").filter(|p| !p.is_empty()).any(|p| name.contains(p))
}

struct Asked {
    seed: u64,
    part: String,
    out: Option<PathBuf>,
    check: bool,
}

fn asked() -> Result<Asked, Error> {
    let mut asked = Asked { seed: 0, part: String::new(), out: None, check: false };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or(USAGE);
        match word.as_str() {
            "--seed" => asked.seed = value()?.parse()?,
            "-k" => asked.part = value()?,
            "--out" => asked.out = Some(value()?.into()),
            "--check" => asked.check = true,
            _ => return Err(format!("{word}: {USAGE}").into()),
        }
    }
    if asked.check == asked.out.is_some() { Err(USAGE.into()) } else { Ok(asked) }
}

fn main() -> ExitCode {
    // A panic in candle is reported as a row, so it prints nothing.
    std::panic::set_hook(Box::new(|_| ()));
    let done = asked().and_then(|asked| {
        let cases: Vec<Case> =
            Case::all(asked.seed).into_iter().filter(|c| chosen(&c.name, &asked.part)).collect();
        match &asked.out {
            Some(path) => write(&cases, &asked, path).map(|()| true),
            None => check(&cases, asked.part.is_empty() && asked.seed == 0),
        }
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("candle: {e}");
            ExitCode::from(2)
        }
    }
}

/// Writes the result file and its values.
fn write(cases: &[Case], asked: &Asked, path: &Path) -> Result<(), Error> {
    let start = Instant::now();
    let known = defects()?;
    let mut values = GzEncoder::new(File::create(path.with_extension("values.gz"))?, Compression::fast());
    let mut rows = Vec::with_capacity(cases.len());
    let mut totals: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases {
        let (status, reason) =
            match (reference::of(case), known.iter().find(|d| matches(d.pattern, &case.name))) {
                (Err(why), _) => ("SKIP", format!("no-reference: {why}")),
                (Ok(_), Some(d)) => ("XFAIL", format!("no-reference: candle: {}", d.why)),
                (Ok(made), None) if made.iter().map(|o| o.storage.as_bytes().len()).sum::<usize>() > KEEP => {
                    ("SKIP", "no-values: they are large".to_string())
                }
                (Ok(made), None) => {
                    let all: Vec<Value> = made
                        .iter()
                        .map(|o| json!([o.dtype.as_str(), o.dims, base64(o.storage.as_bytes())]))
                        .collect();
                    writeln!(values, "{}", json!([case.name, all]))?;
                    ("PASS", String::new())
                }
            };
        *totals.entry(status).or_default() += 1;
        rows.push(json!([case.name, status, "", 0.0, 0.0, 0.0, reason]));
    }
    values.finish()?;
    let done = json!({
        "format": 1, "evidence": "outside", "device": "candle", "name": "candle-core 0.11.1", "arch": "", "wave": 0,
        "values": "true", "seed": asked.seed, "against": "", "chosen": asked.part, "not_begun": 0,
        "seconds": start.elapsed().as_secs_f64().round(), "totals": totals, "cells": [], "cases": rows,
    });
    let mut file = BufWriter::new(File::create(path)?);
    serde_json::to_writer(&mut file, &done)?;
    file.flush()?;
    println!("{}: {} cases, {totals:?}", path.display(), cases.len());
    Ok(())
}

/// Judges the CPU. Returns whether every case that candle supports is correct; for the `whole` suite with seed 0 also
/// whether every listed defect still is one.
fn check(cases: &[Case], whole: bool) -> Result<bool, Error> {
    let mut known = defects()?;
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    let mut ops: BTreeMap<&str, usize> = BTreeMap::new();
    let mut bad = 0;
    for case in cases {
        let made = match reference::of(case) {
            Ok(made) => made,
            Err(why) => {
                *count.entry(format!("SKIP {why}")).or_default() += 1;
                continue;
            }
        };
        let own = case.run(&Device::Cpu, Against::F64);
        let judged = match own.status {
            Status::Pass => case.judge_true_outputs(&own.outputs, &made),
            _ => Err(rushlight::Error::msg(own.reason)),
        };
        let differs = match judged {
            Ok(c) if c.good() => None,
            Ok(c) => Some(c.reason()),
            Err(e) => Some(e.to_string()),
        };
        match (differs, known.iter_mut().find(|d| matches(d.pattern, &case.name))) {
            (None, None) => {
                *ops.entry(case.op()).or_default() += 1;
                *count.entry("PASS".to_string()).or_default() += 1;
            }
            // A pattern may also match cases that candle computes correctly.
            (None, Some(_)) => {
                *count.entry("PASS, of a known defect's pattern".to_string()).or_default() += 1
            }
            (Some(_), Some(d)) => {
                d.seen = true;
                *count.entry(format!("XFAIL {}", d.why)).or_default() += 1;
            }
            (Some(why), None) => {
                bad += 1;
                let of_op = count.entry(format!("FAIL {}", case.op())).or_default();
                *of_op += 1;
                if *of_op <= SHOWN {
                    println!("FAIL {}: {why}", case.name);
                }
            }
        }
    }
    for (what, n) in &count {
        println!("{n:>7} {what}");
    }
    println!("candle-core 0.11.1: {} ops: {}", ops.len(), ops.keys().copied().collect::<Vec<_>>().join(" "));
    let stale: Vec<&str> = known.iter().filter(|d| whole && !d.seen).map(|d| d.pattern).collect();
    for pattern in &stale {
        println!("unexpected pass: no case of {pattern} differs; take the line off candle_defects.tsv");
    }
    Ok(bad == 0 && stale.is_empty() && !ops.is_empty())
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().enumerate().fold(0u32, |w, (i, b)| w | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let letter = LETTERS[(word >> (18 - 6 * i) & 63) as usize] as char;
            out.push(if i <= part.len() { letter } else { '=' });
        }
    }
    out
}
