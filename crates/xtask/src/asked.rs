//! The ops that the documents the project starts from ask for (tests/parity/ops.tsv), and which are here.
use crate::generate::Row;
use crate::{Outcome, tree};
use rushlight::ops::Differentiable;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// One line of the table.
struct Line {
    id: String,
    name: String,
    group: String,
    documents: String,
    tier: String,
    /// What stands for it, where it is here.
    here: Option<String>,
}

/// The table.
pub struct Asked(Vec<Line>);

/// Reads the table and looks up what it names.
pub fn read(root: &Path, rows: &[Row]) -> Outcome<Asked> {
    let text = tree::read(&root.join("tests/parity/ops.tsv"))?;
    let names = Names::gather(root, rows)?;
    let mut lines = Vec::new();
    for line in text.lines().filter(|l| !l.starts_with('#')).skip(1) {
        let [id, name, group, documents, tier, here] = line.split('\t').collect::<Vec<_>>()[..] else {
            return Err(format!("ops.tsv: not six columns: {line}").into());
        };
        let own = |s: &str| s.to_string();
        lines.push(Line {
            id: own(id),
            name: own(name),
            group: own(group),
            documents: own(documents),
            tier: own(tier),
            here: names.here(name, here)?,
        });
    }
    Ok(Asked(lines))
}

/// What there is: ops (with whether they have a gradient), public Rust functions, Python functions and classes.
struct Names {
    ops: BTreeMap<&'static str, bool>,
    rust: String,
    python: String,
}

impl Names {
    fn gather(root: &Path, rows: &[Row]) -> Outcome<Self> {
        let ops = rows.iter().map(|r| (r.op.name(), r.op.differentiable() == Differentiable::Yes)).collect();
        let mut names = Self { ops, rust: String::new(), python: String::new() };
        for file in tree::files(root)? {
            if file.starts_with("crates/rushlight/src/") && file.ends_with(".rs") {
                names.rust.push_str(&tree::read(&root.join(&file))?);
            }
            if file.starts_with("python/rushlight/") && (file.ends_with(".py") || file.ends_with(".pyi")) {
                names.python.push_str(&tree::read(&root.join(&file))?);
            }
        }
        Ok(names)
    }

    /// The words of `op:a grad:b` that stand for an op; that one of them is not there, or that there is something of
    /// the name of an op for which nothing stands, is an error.
    fn here(&self, asked: &str, words: &str) -> Outcome<Option<String>> {
        if words == "-" {
            let base = asked.strip_suffix("_backward").unwrap_or(asked);
            let op = self.ops.contains_key(asked) || self.ops.contains_key(base);
            let start = format!("pub fn {base}");
            let mut methods = self.rust.lines().filter_map(|l| l.trim_start().strip_prefix(&start));
            let method = methods.any(|l| l.starts_with(['(', '<']) && l.contains("(&self"));
            let function = self.python.contains(&format!("\ndef {base}("));
            if op || method || function {
                return Err(format!("ops.tsv: nothing stands for {asked}, and there is a {base}").into());
            }
            return Ok(None);
        }
        let mut text = Vec::new();
        for word in words.split(' ') {
            let (kind, name) = word.split_once(':').ok_or_else(|| format!("ops.tsv: what is `{word}`?"))?;
            let declared = |source: &str, keywords: &[&str], ends: &[char]| {
                keywords.iter().any(|k| ends.iter().any(|e| source.contains(&format!("{k} {name}{e}"))))
            };
            let there = match kind {
                "op" => self.ops.contains_key(name),
                "grad" => self.ops.get(name) == Some(&true),
                "fn" => declared(&self.rust, &["pub fn"], &['(', '<']),
                "py" => declared(&self.python, &["def", "class"], &['(', ':']),
                _ => return Err(format!("ops.tsv: what is `{word}`?").into()),
            };
            if !there {
                return Err(format!("ops.tsv: `{word}` stands for {asked}, and is not there").into());
            }
            text.push(match kind {
                "op" => format!("`{name}`"),
                "grad" => format!("gradient of `{name}`"),
                "fn" => format!("`Tensor::{name}`"),
                _ => format!("Python `{name}`"),
            });
        }
        Ok(Some(text.join(", ")))
    }
}

impl Asked {
    /// How many are here, by document and tier.
    pub fn summary(&self) -> Outcome<String> {
        let part = |of: &dyn Fn(&Line) -> bool| {
            let all: Vec<&Line> = self.0.iter().filter(|l| of(l)).collect();
            let here = all.iter().filter(|l| l.here.is_some()).count();
            if all.is_empty() {
                return String::new();
            }
            format!("{here} of {} ({:.0} %)", all.len(), 100.0 * here as f64 / all.len() as f64)
        };
        let tiers: BTreeSet<&str> = self.0.iter().map(|l| l.tier.as_str()).collect();
        let tiers: Vec<&str> = tiers.into_iter().rev().collect();
        let documents: BTreeSet<&str> = self.0.iter().flat_map(|l| l.documents.split(',')).collect();
        let mut s = String::from(
            "Of the ops that the documents the project starts from ask for (tests/parity/ops.tsv says which they are), \
             these are here, on the CPU:\n\n",
        );
        writeln!(s, "| document | {} |\n|---|{}", tiers.join(" | "), "---|".repeat(tiers.len()))?;
        let mut line = |name: &str, of: &dyn Fn(&Line) -> bool| {
            let parts: Vec<String> = tiers.iter().map(|t| part(&|l: &Line| of(l) && l.tier == *t)).collect();
            writeln!(s, "| {name} | {} |", parts.join(" | "))
        };
        for document in documents {
            // (What is implied is of no document alone.)
            let name = if document == "-" { "of several" } else { document };
            line(name, &|l| l.documents.split(',').any(|d| d == document))?;
        }
        line("all", &|_| true)?;
        Ok(s)
    }

    /// The whole table, folded.
    pub fn table(&self) -> Outcome<String> {
        let mut s = String::from("<details><summary>Every op asked for</summary>\n\n");
        s.push_str("The documents are described in [tests/parity/ops.tsv](tests/parity/ops.tsv).\n\n");
        s.push_str("| | op | group | documents | tier | here |\n|---|---|---|---|---|---|\n");
        for l in &self.0 {
            let here = l.here.as_deref().unwrap_or("not yet");
            writeln!(s, "| {} | {} | {} | {} | {} | {here} |", l.id, l.name, l.group, l.documents, l.tier)?;
        }
        s.push_str("\n</details>");
        Ok(s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names {
            ops: [("pool3d", true), ("pool3d_backward", false)].into(),
            rust: "    pub fn std<D: Dim>(&self, dim: D) {}\npub fn threshold() {}\n".into(),
            python: "\ndef cumprod(x):\n    def step(self):\n".into(),
        }
    }

    #[test]
    fn a_dash_beside_what_is_there_is_an_error() {
        for asked in ["pool3d", "pool3d_backward", "std", "cumprod", "cumprod_backward"] {
            let e = names().here(asked, "-").unwrap_err().to_string();
            assert!(e.starts_with(&format!("ops.tsv: nothing stands for {asked}, and there is a ")), "{e}");
        }
        for asked in ["lerp", "threshold", "rmsprop step", "step"] {
            assert_eq!(names().here(asked, "-").unwrap(), None);
        }
    }

    #[test]
    fn what_stands_for_an_op_must_be_there() {
        assert_eq!(names().here("a", "op:pool3d py:cumprod").unwrap().unwrap(), "`pool3d`, Python `cumprod`");
        for word in ["op:lerp", "grad:pool3d_backward", "fn:lerp", "py:lerp"] {
            let e = names().here("a", &format!("op:pool3d {word}")).unwrap_err().to_string();
            assert_eq!(e, format!("ops.tsv: `{word}` stands for a, and is not there"));
        }
    }
}
