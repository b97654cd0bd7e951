//! Compares the planned ops (tests/parity/ops.tsv) with those that exist.
use crate::generate::Row;
use crate::{Outcome, files, tree};
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
    /// The op, method or function that provides it, if one does.
    here: Option<String>,
}

/// The table.
pub struct Asked(Vec<Line>);

/// Reads the table and looks up the names in it.
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

/// The names that exist: ops (and whether they have a gradient), public Rust functions, Python functions and classes.
struct Names {
    ops: BTreeMap<&'static str, bool>,
    rust: String,
    python: String,
}

impl Names {
    fn gather(root: &Path, rows: &[Row]) -> Outcome<Self> {
        let ops = rows.iter().map(|r| (r.op.name(), r.op.differentiable() == Differentiable::Yes)).collect();
        let mut names = Self { ops, rust: String::new(), python: String::new() };
        for file in files::tracked(root)? {
            if file.starts_with("crates/rushlight/src/") && file.ends_with(".rs") {
                names.rust.push_str(&tree::read(&root.join(&file))?);
            }
            if file.starts_with("python/rushlight/") && (file.ends_with(".py") || file.ends_with(".pyi")) {
                names.python.push_str(&tree::read(&root.join(&file))?);
            }
        }
        Ok(names)
    }

    /// Returns the text for `op:a grad:b`: the names that provide an op. Fails if one of them does not exist, or if `words` is
    /// `-` although something of the op's name exists.
    fn here(&self, asked: &str, words: &str) -> Outcome<Option<String>> {
        if words == "-" {
            let base = asked.strip_suffix("_backward").unwrap_or(asked);
            let op = self.ops.contains_key(asked) || self.ops.contains_key(base);
            let start = format!("pub fn {base}");
            let mut methods = self.rust.lines().filter_map(|l| l.trim_start().strip_prefix(&start));
            let method = methods.any(|l| l.starts_with(['(', '<']) && l.contains("(&self"));
            let function = self.python.contains(&format!("\ndef {base}("));
            if op || method || function {
                return Err(format!(
                    "ops.tsv: {asked} has a `-`, but {base} exists; write what provides it, such as `op:{base}` or \
                     `grad:{base}`, into tests/parity/ops.tsv"
                )
                .into());
            }
            return Ok(None);
        }
        let mut text = Vec::new();
        for word in words.split(' ') {
            let (kind, name) = word
                .split_once(':')
                .ok_or_else(|| format!("ops.tsv: unknown entry `{word}`; expected op:, grad:, fn: or py:"))?;
            let declared = |source: &str, keywords: &[&str], ends: &[char]| {
                keywords.iter().any(|k| ends.iter().any(|e| source.contains(&format!("{k} {name}{e}"))))
            };
            let there = match kind {
                "op" => self.ops.contains_key(name),
                "grad" => self.ops.get(name) == Some(&true),
                "fn" => declared(&self.rust, &["pub fn"], &['(', '<']),
                "py" => declared(&self.python, &["def", "class"], &['(', ':']),
                _ => {
                    return Err(
                        format!("ops.tsv: unknown entry `{word}`; expected op:, grad:, fn: or py:").into()
                    );
                }
            };
            if !there {
                return Err(format!("ops.tsv: `{word}`, given for {asked}, does not exist").into());
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
    /// Returns the sentence of PARITY.md.
    pub fn sentence(&self) -> String {
        let here = self.0.iter().filter(|l| l.here.is_some()).count();
        format!("{here} of {} planned ops exist on the CPU ([list](tests/parity/ops.md)).\n", self.0.len())
    }

    /// Returns the page of planned ops.
    pub fn page(&self) -> Outcome<String> {
        Ok(format!("{}\n{}", self.summary()?, self.table()?))
    }

    /// Counts the ops that exist, by document and tier.
    fn summary(&self) -> Outcome<String> {
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
            "Ops that exist on the CPU, of those that each document asks for. [ops.tsv](ops.tsv) describes the documents.\n\n",
        );
        writeln!(s, "| document | {} |\n|---|{}", tiers.join(" | "), "---|".repeat(tiers.len()))?;
        let mut line = |name: &str, of: &dyn Fn(&Line) -> bool| {
            let parts: Vec<String> = tiers.iter().map(|t| part(&|l: &Line| of(l) && l.tier == *t)).collect();
            writeln!(s, "| {name} | {} |", parts.join(" | "))
        };
        for document in documents {
            // An implied op belongs to no single document.
            let name = if document == "-" { "several" } else { document };
            line(name, &|l| l.documents.split(',').any(|d| d == document))?;
        }
        line("all", &|_| true)?;
        Ok(s)
    }

    /// Returns the table of every planned op.
    fn table(&self) -> Outcome<String> {
        let mut s =
            String::from("| | op | group | documents | tier | provided by |\n|---|---|---|---|---|---|\n");
        for l in &self.0 {
            let here = l.here.as_deref().unwrap_or("not yet");
            writeln!(s, "| {} | {} | {} | {} | {} | {here} |", l.id, l.name, l.group, l.documents, l.tier)?;
        }
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
    fn a_dash_for_an_existing_name_is_an_error() {
        for asked in ["pool3d", "pool3d_backward", "std", "cumprod", "cumprod_backward"] {
            let e = names().here(asked, "-").unwrap_err().to_string();
            assert!(e.starts_with(&format!("ops.tsv: {asked} has a `-`, but ")), "{e}");
        }
        for asked in ["lerp", "threshold", "rmsprop step", "step"] {
            assert_eq!(names().here(asked, "-").unwrap(), None);
        }
    }

    #[test]
    fn names_that_provide_an_op_must_exist() {
        assert_eq!(names().here("a", "op:pool3d py:cumprod").unwrap().unwrap(), "`pool3d`, Python `cumprod`");
        for word in ["op:lerp", "grad:pool3d_backward", "fn:lerp", "py:lerp"] {
            let e = names().here("a", &format!("op:pool3d {word}")).unwrap_err().to_string();
            assert_eq!(e, format!("ops.tsv: `{word}`, given for a, does not exist"));
        }
    }
}
