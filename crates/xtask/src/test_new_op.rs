//! `test-new-op`: does what CONTRIBUTING's first section says, word for word, in a scratch copy of the workspace, and
//! checks which files it took.
//!
//! Code blocks of that section are run (`sh`) or written (`rust`, with a comment above that names the file, or the file
//! and the function to replace). A `sh` block under `<!-- fails -->` must fail.
use crate::{Outcome, tree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files a new op may change by hand. What the compiler or a generator asks for is not among them.
const BY_HAND: &[&str] = &["crates/rushlight/src/cpu/kernels/cube.rs", "crates/rushlight/src/ops/cube.rs"];

/// Files that `new-op` makes or adds a line to.
const SCAFFOLDED: &[&str] = &[
    "CHANGELOG.md",
    "crates/rushlight/src/cpu/kernels/cube.rs",
    "crates/rushlight/src/cpu/kernels/mod.rs",
    "crates/rushlight/src/cpu/run.rs",
    "crates/rushlight/src/ops/cube.rs",
    "crates/rushlight/src/ops/mod.rs",
];

/// Files that `generate` writes.
const GENERATED: &[&str] = &["PARITY.md", "docs/OPS.md", "python/rushlight/_native.pyi"];

/// Runs the section.
pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err("usage: test-new-op".into());
    }
    let root = tree::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let scratch = target.join("new-op");
    copy(&root, &scratch)?;
    let guide = tree::read(&scratch.join("CONTRIBUTING.md"))?;
    let mut by_hand = BTreeSet::new();
    for step in steps(&guide)? {
        match step {
            Step::Write { file, function, text } => {
                let path = scratch.join(&file);
                let new = match function {
                    None => text,
                    Some(name) => replace_function(&tree::read(&path)?, &name, &text)
                        .ok_or_else(|| format!("{file} has no function {name}"))?,
                };
                tree::write(&path, &new)?;
                println!("edited {file}");
                by_hand.insert(file);
            }
            Step::Run { script, fails } => {
                println!("{} {script}", if fails { "fails:" } else { "runs: " });
                let before = changed(&scratch)?;
                let out = Command::new("bash")
                    .args(["-euo", "pipefail", "-c", &script])
                    .env("CARGO_TARGET_DIR", &target)
                    .current_dir(&scratch)
                    .output()?;
                if out.status.success() == fails {
                    let text = [out.stdout, out.stderr].concat();
                    let wanted = if fails { "should fail" } else { "failed" };
                    return Err(format!("{wanted}: {script}\n{}", String::from_utf8_lossy(&text)).into());
                }
                let after = changed(&scratch)?;
                let expected = if script.contains("new-op") { SCAFFOLDED } else { GENERATED };
                if let Some(file) = after.difference(&before).find(|f| !expected.contains(&f.as_str())) {
                    return Err(format!("`{script}` changed {file}").into());
                }
            }
        }
    }
    let hand: Vec<&str> = by_hand.iter().map(String::as_str).collect();
    if hand != BY_HAND {
        return Err(format!("by hand: {hand:?}, not {BY_HAND:?}").into());
    }
    let all = changed(&scratch)?;
    let known = |f: &&String| ![SCAFFOLDED, GENERATED].iter().any(|list| list.contains(&f.as_str()));
    if let Some(other) = all.iter().find(known) {
        return Err(format!("the new op touches {other}").into());
    }
    for file in SCAFFOLDED.iter().chain(&GENERATED[..2]) {
        if !all.contains(*file) {
            return Err(format!("the new op does not show in {file}").into());
        }
    }
    println!("a new op takes its card, its CPU function and the lines that new-op writes");
    Ok(())
}

/// A copy of the workspace's files, as a git repository of its own. Its version differs, so that cargo keeps its
/// build apart from this workspace's and shares the dependencies' in one target folder.
fn copy(root: &Path, scratch: &Path) -> Outcome {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch)?;
    }
    for file in tree::files(root)? {
        let to = scratch.join(&file);
        std::fs::create_dir_all(to.parent().unwrap_or(scratch))?;
        std::fs::copy(root.join(&file), to)?;
    }
    let manifest = scratch.join("Cargo.toml");
    let text = tree::read(&manifest)?;
    let (head, tail) = text.split_once("\nversion = \"").ok_or("the workspace has no version")?;
    let (version, rest) = tail.split_once('"').ok_or("the workspace's version does not end")?;
    let (start, patch) = version.rsplit_once('.').ok_or("the workspace's version has no patch")?;
    let next = patch.parse::<u32>()? + 900;
    tree::write(&manifest, &format!("{head}\nversion = \"{start}.{next}\"{rest}"))?;
    tree::stdout(scratch, "cargo", &["update", "--workspace", "--offline"])?;
    tree::stdout(scratch, "git", &["init", "--quiet"])?;
    tree::stdout(scratch, "git", &["add", "--all"])?;
    let who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "copy"];
    tree::stdout(scratch, "git", &who)?;
    Ok(())
}

/// Files that differ from the copy's first commit.
fn changed(scratch: &Path) -> Outcome<BTreeSet<String>> {
    let list = tree::stdout(scratch, "git", &["status", "--porcelain", "--untracked-files=all"])?;
    let mut files = BTreeSet::new();
    for line in list.lines() {
        files.insert(line.get(3..).unwrap_or("").to_string());
    }
    Ok(files)
}

#[derive(Debug, PartialEq)]
enum Step {
    Run { script: String, fails: bool },
    Write { file: String, function: Option<String>, text: String },
}

/// The code blocks of the document's first section, in order.
fn steps(guide: &str) -> Outcome<Vec<Step>> {
    let section = guide.split("\n## ").nth(1).ok_or("CONTRIBUTING.md has no section")?;
    if !section.starts_with("Add an op\n") {
        return Err("CONTRIBUTING.md's first section is not \"Add an op\"".into());
    }
    let mut steps = Vec::new();
    let mut note = "";
    let mut lines = section.lines();
    while let Some(line) = lines.next() {
        if let Some(inner) = line.strip_prefix("<!-- ").and_then(|l| l.strip_suffix(" -->")) {
            note = inner;
        } else if let Some(language) = line.strip_prefix("```") {
            let text: String = lines.by_ref().take_while(|l| *l != "```").map(|l| format!("{l}\n")).collect();
            match (language, note.split_once(' ')) {
                ("sh", _) => {
                    steps.push(Step::Run { script: text.trim().to_string(), fails: note == "fails" })
                }
                ("rust", Some(("file", file))) => {
                    steps.push(Step::Write { file: file.to_string(), function: None, text })
                }
                ("rust", Some(("fn", rest))) => {
                    let (name, file) = rest.split_once(" in ").ok_or_else(|| format!("what is `{note}`?"))?;
                    let (function, file) = (Some(name.to_string()), file.to_string());
                    steps.push(Step::Write { file, function, text })
                }
                _ => return Err(format!("a block of {language:?} under {note:?} says not what to do").into()),
            }
            note = "";
        }
    }
    if steps.is_empty() { Err("\"Add an op\" has no code".into()) } else { Ok(steps) }
}

/// Replaces a function of a file by another text, kept at the function's indentation.
fn replace_function(source: &str, name: &str, text: &str) -> Option<String> {
    let at = source.find(&format!("fn {name}("))?;
    let start = source[..at].rfind('\n').map_or(0, |i| i + 1);
    let indent: String = source[start..].chars().take_while(|c| *c == ' ').collect();
    let end_line = format!("\n{indent}}}\n");
    let end = start + source[start..].find(&end_line)? + end_line.len();
    let body: String = text
        .lines()
        .map(|l| if l.is_empty() { "\n".to_string() } else { format!("{indent}{l}\n") })
        .collect();
    Some(format!("{}{body}{}", &source[..start], &source[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_steps() {
        let guide = "# C\n\n## Add an op\n\n```sh\na\n```\n<!-- fails -->\n```sh\nb\n```\n\
                     <!-- fn f in x.rs -->\n```rust\nfn f() {}\n```\n<!-- file y.rs -->\n```rust\nz\n```\n## Next\n```sh\nc\n```\n";
        let run = |script: &str, fails| Step::Run { script: script.to_string(), fails };
        let write = |file: &str, function: Option<&str>, text: &str| Step::Write {
            file: file.to_string(),
            function: function.map(str::to_string),
            text: text.to_string(),
        };
        let want = vec![
            run("a", false),
            run("b", true),
            write("x.rs", Some("f"), "fn f() {}\n"),
            write("y.rs", None, "z\n"),
        ];
        assert_eq!(steps(guide).unwrap(), want);
        assert!(steps("# C\n\n## Other\n").is_err());
        assert!(steps("# C\n\n## Add an op\n\n```rust\nx\n```\n").is_err());
    }

    #[test]
    fn functions_are_replaced() {
        let source = "impl A {\n    fn a() {\n        if x {\n        }\n    }\n\n    fn b() {}\n}\n";
        let new = replace_function(source, "a", "fn a() {\n    y\n}\n").unwrap();
        assert_eq!(new, "impl A {\n    fn a() {\n        y\n    }\n\n    fn b() {}\n}\n");
        assert!(replace_function(source, "c", "").is_none());
    }
}
