//! Language models with candle-transformers' code on candle-core and on rushlight, and with llama.cpp, alternately.
use super::benches::{Programs, Results, SIDES, tokens_program};
use super::{Result, output, tree};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

/// The side that a Python package measures.
pub const LLAMA_CPP: &str = "llama.cpp";

/// The models: a name, the file for candle, and the file for llama.cpp.
const MODELS: [(&str, &str, &str); 4] = [
    ("f32", "f32", "model-F32.gguf"),
    ("Q8_0", "model-Q8_0.gguf", "model-Q8_0.gguf"),
    ("Q4_0", "model-Q4_0.gguf", "model-Q4_0.gguf"),
    ("Q4K", "model-Q4K.gguf", "model-Q4K.gguf"),
];

/// Measures models with the fewest rounds first, until the time is over or each has enough rounds. `filter` is a part of the
/// models' names, and whether their earlier results are dropped; `limits` is the end and the number of rounds.
pub fn measure(
    folder: &Path,
    programs: &Programs,
    results: &mut Results,
    (filter, forget): (&str, bool),
    (end, rounds): (Instant, usize),
    keep: &mut dyn FnMut(&Results) -> Result<()>,
) -> Result<()> {
    let chosen: Vec<_> = MODELS.iter().filter(|m| m.0.contains(filter)).collect();
    if forget {
        results.tokens.retain(|row, _| !chosen.iter().any(|m| row.starts_with(&format!("{}, ", m.0))));
    }
    let folder = std::path::absolute(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    while Instant::now() < end {
        let done = |name: &str| {
            let row = results.tokens.iter().find(|(row, _)| row.starts_with(&format!("{name}, ")));
            row.and_then(|(_, sides)| sides.get(SIDES[1])).map_or(0, Vec::len)
        };
        let next = chosen.iter().min_by_key(|m| done(m.0)).filter(|m| done(m.0) < rounds);
        let Some((name, file, gguf)) = next else { break };
        for side in [SIDES[0], LLAMA_CPP, SIDES[1]] {
            let mut command = match side {
                LLAMA_CPP => llama_cpp(&folder.join(gguf)),
                side => {
                    let mut c = Command::new(tokens_program(programs, side)?);
                    c.arg(folder.join(file));
                    c
                }
            };
            let (ok, text) = output(&mut command, side)?;
            if !ok {
                return Err(format!("{side} failed on {}", folder.join(file).display()));
            }
            for line in text.lines() {
                if let Some((what, value)) = line.rsplit_once(": ")
                    && let Ok(value) = value.parse()
                {
                    let row = results.tokens.entry(format!("{name}, {what}")).or_default();
                    row.entry(side.to_string()).or_default().push(value);
                } else {
                    results.note = line.to_string();
                }
            }
        }
        keep(results)?;
    }
    Ok(())
}

/// Returns the command that measures a file with llama.cpp, or says why it does not.
fn llama_cpp(file: &Path) -> Command {
    let python = std::env::var_os("PYTHON").map_or_else(|| PathBuf::from("python3"), PathBuf::from);
    let mut command = Command::new(python);
    command.arg(tree::root().join("benches/candle/llama_cpp_tokens.py")).arg(file);
    command
}
