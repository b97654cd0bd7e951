//! docs/CANDLE_PERFORMANCE.md: the results of candle's benches and of the language models.
use super::benches::{MISSING, Results, Rows, SIDES};
use super::tokens::LLAMA_CPP;
use super::{VERSION, read};
use crate::tree;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The page.
pub const PAGE: &str = "docs/CANDLE_PERFORMANCE.md";

/// Returns the median of numbers.
fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.get(sorted.len().checked_sub(1)? / 2)?, sorted.get(sorted.len() / 2)?);
    Some((low + high) / 2.0)
}

fn of(sides: &BTreeMap<String, Vec<f64>>, side: &str) -> Option<f64> {
    median(sides.get(side)?)
}

/// The median times of a bench in nanoseconds.
struct Row<'a> {
    name: &'a str,
    theirs: f64,
    ours: f64,
    /// Candle's time over rushlight's.
    ratio: f64,
}

/// Returns the benches that both sides have run.
fn compared(benches: &Rows) -> Vec<Row<'_>> {
    let row = |(id, sides)| {
        let (theirs, ours) = (of(sides, SIDES[0])?, of(sides, SIDES[1])?);
        let id: &String = id;
        Some(Row { name: id.strip_suffix("/iter").unwrap_or(id), theirs, ours, ratio: theirs / ours })
    };
    benches.iter().filter_map(row).collect()
}

fn geometric_mean(rows: &[Row]) -> f64 {
    (rows.iter().map(|r| r.ratio.ln()).sum::<f64>() / rows.len().max(1) as f64).exp()
}

/// Returns one line on all benches, one for each that is slower, and those on language models.
pub fn summary(results: &Results) -> String {
    let rows = compared(&results.benches);
    let mut slower: Vec<&Row> = rows.iter().filter(|r| r.ratio < 1.0).collect();
    slower.sort_by(|a, b| a.ratio.total_cmp(&b.ratio));
    let (all, mean) = (rows.len(), geometric_mean(&rows));
    let mut text = format!("{all} benches, geometric mean {mean:.2}, {} below 1\n", slower.len());
    for r in slower {
        _ = writeln!(text, "{}: {:.2} ({} against {})", r.name, r.ratio, time(r.ours), time(r.theirs));
    }
    for (row, sides) in &results.tokens {
        let sides: Vec<String> =
            sides.iter().filter_map(|(s, v)| Some(format!("{s} {:.1}", median(v)?))).collect();
        _ = writeln!(text, "{row}: {}", sides.join(", "));
    }
    text
}

/// Returns a time in a unit that suits it.
fn time(nanoseconds: f64) -> String {
    match nanoseconds {
        n if n < 1e3 => format!("{n:.1} ns"),
        n if n < 1e6 => format!("{:.2} us", n / 1e3),
        n => format!("{:.2} ms", n / 1e6),
    }
}

/// Returns the processor's name and the number of its cores.
fn processor() -> String {
    let text = read(Path::new("/proc/cpuinfo")).unwrap_or_default();
    let names: Vec<&str> =
        text.lines().filter_map(|l| Some(l.strip_prefix("model name")?.split_once(": ")?.1)).collect();
    match names.first() {
        Some(name) => format!("{} cores of {name}", names.len()),
        None => std::env::consts::ARCH.to_string(),
    }
}

/// Returns the line that a program prints.
fn line(program: &str, args: &[&str]) -> String {
    let out = Command::new(program).args(args).current_dir(tree::root()).output();
    out.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default()
}

/// Returns the machine, the day and the commit.
pub fn about() -> String {
    let (day, commit) =
        (line("date", &["-u", "+%Y-%m-%d"]), line("git", &["describe", "--always", "--dirty"]));
    format!("{}, {day}, commit {commit}", processor())
}

/// Returns the page's text.
pub fn page(results: &Results) -> String {
    let rows = compared(&results.benches);
    let rounds = results.benches.values().filter_map(|s| s.values().map(Vec::len).min()).min().unwrap_or(0);
    let mut text = format!(
        "# Speed beside candle\n\n\
         `cargo xtask candle-benches --write` writes this page. Measured on {}.\n\n\
         candle-core {VERSION} has benches. The task fetches them with its package and runs them on candle-core, and with the\n\
         entry `[patch.crates-io]` on Rushlight. Both are built as a user builds: cargo's release profile, default features, no\n\
         `target-cpu`. Both libraries choose vector instructions at run time: candle-core has kernels with AVX2 for products of\n\
         vectors, quantized ones among them, and its matrix products (the crate `gemm`) use AVX2 and FMA; its other loops are\n\
         compiled for SSE2. Rushlight's are compiled for SSE2, AVX2 and AVX-512. Both use all cores.\n\n\
         Programs run alternately. A time is the median of {rounds} or more rounds, each the median of a short run of Criterion.\n\
         The ratio is candle-core's time over Rushlight's: above 1 Rushlight is faster. In both programs the C library keeps\n\
         the memory that is freed (`MALLOC_TRIM_THRESHOLD_`, `MALLOC_MMAP_THRESHOLD_`): `copy_mask` frees its own input in the timed loop, and whether\n\
         that was returned to the system before the clock was read depended on the order of allocations.\n\n\
         ## candle-core's benches\n\n\
         {} benches, geometric mean of the ratios {:.2}, {} below 1.\n\n\
         | bench | candle-core | Rushlight | ratio |\n|---|---|---|---|\n",
        results.about,
        rows.len(),
        geometric_mean(&rows),
        rows.iter().filter(|r| r.ratio < 1.0).count(),
    );
    for r in &rows {
        _ = writeln!(text, "| {} | {} | {} | {:.2} |", r.name, time(r.theirs), time(r.ours), r.ratio);
    }
    for (id, reason) in MISSING {
        _ = writeln!(text, "\nRushlight does not run {}: {reason}.", id.trim_end_matches("/iter"));
    }
    text.push_str(&tokens(results));
    text
}

/// Returns the section on language models.
fn tokens(results: &Results) -> String {
    let mut text = "\n## Language models: tokens a second\n\n\
        A Llama model with random weights: width 1024, 8 layers, 16 heads, a feed-forward width of 2816, a vocabulary of 32000\n\
        (`benches/candle/llama_files.py` writes it). `llama` (f32) and `quantized_llama` of candle-transformers run it on\n\
        candle-core and on Rushlight; the program is `benches/candle/tokens.rs`. llama.cpp runs the same GGUF file through\n\
        llama-cpp-python where that is installed. Each number is the median of some rounds.\n\
        The weights are random, which changes no time. candle-core and llama.cpp round the other factor of products by blocks to\n\
        8 bits and multiply integers. So does Rushlight under candle's name, and nowhere else unless a program asks for it\n\
        (`set_activations`, `RUSHLIGHT_ACTIVATIONS`); the factor that stays in f32 is nearer to the true product, and slower.\n\n\
        | model, task | candle-core | llama.cpp | Rushlight | Rushlight / candle-core | Rushlight / llama.cpp |\n\
        |---|---|---|---|---|---|\n"
        .to_string();
    for (row, sides) in &results.tokens {
        let [theirs, cpp, ours] = [SIDES[0], LLAMA_CPP, SIDES[1]].map(|s| of(sides, s));
        let number = |v: Option<f64>| v.map_or(String::new(), |v| format!("{v:.1}"));
        let ratio = |v: Option<f64>| v.zip(ours).map_or(String::new(), |(v, o)| format!("{:.2}", o / v));
        _ = writeln!(
            text,
            "| {row} | {} | {} | {} | {} | {} |",
            number(theirs),
            number(cpp),
            number(ours),
            ratio(theirs),
            ratio(cpp)
        );
    }
    if !results.note.is_empty() {
        _ = writeln!(text, "\n{}", results.note);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_medians_and_ratios() {
        let mut results = Results::default();
        let row = |theirs: &[f64], ours: &[f64]| {
            BTreeMap::from([(SIDES[0].to_string(), theirs.to_vec()), (SIDES[1].to_string(), ours.to_vec())])
        };
        results.benches.insert("cpu_add/iter".to_string(), row(&[3e3, 1e3, 2e3], &[8e3, 4e3]));
        results.benches.insert("cpu_mul/iter".to_string(), row(&[4e3], &[]));
        results.tokens.insert("Q4_0, single tokens".to_string(), row(&[10.0], &[25.0]));
        let page = page(&results);
        for text in [
            "| cpu_add | 2.00 us | 6.00 us | 0.33 |",
            "1 benches, geometric mean of the ratios 0.33, 1 below 1.",
            "| Q4_0, single tokens | 10.0 |  | 25.0 | 2.50 |  |",
        ] {
            assert!(page.contains(text), "{page}");
        }
        assert!(summary(&results).contains("cpu_add: 0.33 (6.00 us against 2.00 us)"));
        assert_eq!((median(&[]), time(2.5e6)), (None, "2.50 ms".to_string()));
    }
}
