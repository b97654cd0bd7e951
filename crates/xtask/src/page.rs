//! PARITY.md: the ops, dtypes and backends that the parity suite has results of.
use crate::Outcome;
use crate::asked::Asked;
use crate::generate::{NOTE, Row};
use crate::results::{BACKENDS, Results, Without};
use rushlight::{DType, Support};
use rushlight_parity::Pass;
use std::fmt::Write as _;

/// Returns the text of a cell: an op, dtype and pass on a backend.
fn says(row: &Row, dtype: DType, pass: Pass, backend: usize, results: Option<&Results>) -> String {
    let cell = results.and_then(|r| Some((r, r.cell(row.op.name(), dtype.as_str(), pass.as_str())?)));
    if let Some((r, cell)) = cell {
        return cell.says(r.head("evidence"));
    }
    match rushlight::gpu::has_kernel(&row.op) {
        Support::No(why) if BACKENDS[backend].name != "CPU" => format!("no: {why}"),
        _ if results.is_none() && BACKENDS[backend].without == Without::Built => "built".to_string(),
        _ => "not run".to_string(),
    }
}

/// Returns whether a cell's text is evidence and not a reason for missing evidence.
fn known(text: &str) -> bool {
    let word = text.split(',').next().unwrap_or_default();
    ["hardware", "emulated", "host", "built"].contains(&word)
}

/// Returns the text of the page.
pub fn parity(rows: &[Row], asked: &Asked, results: &[Option<Results>]) -> Outcome<String> {
    let mut s = format!("# Parity\n\n{NOTE}\n");
    s.push_str(
        "This page lists the ops and dtypes that run on each backend, with the evidence for it: results of the [parity\n\
         suite](docs/CI.md), which `make parity-results` runs in full. \"Forward\" and \"gradient\" count pairs of an op and the\n\
         dtype of its first input.\n\n\
         | backend | evidence | ops | forward | gradient | cases passed | device, date, commit |\n|---|---|---|---|---|---|---|\n",
    );
    let of = |backend: usize| results.get(backend).and_then(Option::as_ref);
    let columns: Vec<usize> =
        (0..BACKENDS.len()).filter(|b| of(*b).is_some() || BACKENDS[*b].without != Without::Left).collect();
    for &backend in &columns {
        let (b, found) = (&BACKENDS[backend], of(backend));
        let count = |pass: Pass| {
            let of = |r: &Row| {
                let good =
                    r.cells(pass).iter().filter(|d| known(&says(r, **d, pass, backend, found))).count();
                (good, r.cells(pass).len())
            };
            rows.iter().map(of).fold((0, 0), |(a, b), (c, d)| (a + c, b + d))
        };
        let ops = |r: &&Row| r.forward.iter().any(|d| known(&says(r, *d, Pass::Forward, backend, found)));
        let (forward, gradient) = (count(Pass::Forward), count(Pass::Gradient));
        let evidence = match found {
            Some(r) => r.head("evidence"),
            None if b.without == Without::Built => "built",
            None => "not run",
        };
        let (passed, about) = match found {
            Some(r) => {
                let (passed, all) = r.cells().fold((0, 0), |(p, a), c| (p + c.passed(), a + c.all()));
                (format!("{passed} of {all}"), about(r))
            }
            None if b.without == Without::Built => {
                ("none was run".to_string(), "compiled for sm_80".to_string())
            }
            None => ("none was run".to_string(), String::new()),
        };
        writeln!(
            s,
            "| {} | {evidence} | {} | {} of {} | {} of {} | {passed} | {about} |",
            b.name,
            rows.iter().filter(ops).count(),
            forward.0,
            forward.1,
            gradient.0,
            gradient.1
        )?;
    }
    write!(s, "\n{}", asked.sentence())?;
    s.push_str(EVIDENCE);
    s.push_str(
        "\n<details><summary>Every op and dtype, forward and gradient, on every backend</summary>\n\n",
    );
    let names: Vec<&str> = columns.iter().map(|b| BACKENDS[*b].name).collect();
    writeln!(
        s,
        "| op | pass | dtypes | {} |\n|---|---|---|{}",
        names.join(" | "),
        "---|".repeat(names.len())
    )?;
    for row in rows {
        for pass in [Pass::Forward, Pass::Gradient] {
            // Dtypes with the same cells share a line.
            let mut lines: Vec<(Vec<String>, Vec<&str>)> = Vec::new();
            for &dtype in row.cells(pass) {
                let texts: Vec<String> =
                    columns.iter().map(|b| says(row, dtype, pass, *b, of(*b)).replace('|', "\\|")).collect();
                match lines.iter_mut().find(|l| l.0 == texts) {
                    Some(line) => line.1.push(dtype.as_str()),
                    None => lines.push((texts, vec![dtype.as_str()])),
                }
            }
            for (texts, dtypes) in lines {
                let (op, pass) = (row.op.name(), pass.as_str());
                writeln!(s, "| {op} | {pass} | {} | {} |", dtypes.join(" "), texts.join(" | "))?;
            }
        }
    }
    writeln!(s, "\n</details>")?;
    Ok(s)
}

/// Returns the device, day and commit of a run.
fn about(r: &Results) -> String {
    let commit = r.head("commit");
    let (commit, changed) = commit.split_once('-').map_or((commit, ""), |(c, _)| (c, " with changes"));
    let day = r.head("when").split('T').next().unwrap_or_default();
    let short: String = commit.chars().take(10).collect();
    let renewed = match r.renewed() {
        0 => String::new(),
        n => format!(", {n} ops later"),
    };
    format!("{}, {day}, {short}{changed}{renewed}", r.head("name").replace('|', "\\|"))
}

const EVIDENCE: &str = "\nKinds of evidence:\n\n\
- `hardware`: the suite ran on such a device.\n\
- `emulated`: a virtual device executed the machine code that clang compiles for the target, instruction by instruction,\n  \
  products and convolutions included (`cargo xtask parity-results-isa`).\n\
- `host`: a virtual device compiled the kernels' source for the CPU and ran it behind HIP's interface, with waves of 32 and\n  \
  of 64 lanes. Results were compared with the true ones and with the CPU's (bit by bit where NUMERICS.md promises bits),\n  \
  gradients too. The suite has not run on an AMD GPU.\n\
- `built`: NVIDIA's compiler compiles the kernels to machine code, and `make test` compares every launch of the samples with\n  \
  the parameters of that code, and the calls with NVIDIA's headers.\n\
- `no: reason`: the op does not run there.\n\
- `not run`: the op is newer than the committed results.\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_and_reasons_differ() {
        let reasons = ["no: later", "not run", "FAIL: 3 of 8", "CRASH: 1 of 2", ""];
        assert!(reasons.iter().all(|t| !known(t)));
        assert!(
            ["host", "built", "hardware, but for 1 of 6: unsupported: no kernel"].iter().all(|t| known(t))
        );
    }
}
