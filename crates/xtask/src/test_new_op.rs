//! `test-new-op`: executes docs/contributing/add-an-op.md, word for word, in a scratch copy of the workspace, and checks
//! that exactly the expected files change.
//!
//! Code blocks of the guide are run (`sh`) or written, with a comment above that names the file: the whole file, a function to
//! replace, or an entry to replace, which is found by its first word. Each line of an `sh` block under `<!-- fails -->` must
//! fail.
use crate::{Outcome, process, tree};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The guide.
const GUIDE: &str = "docs/contributing/add-an-op.md";

/// Files that are filled in manually: an op definition, its CPU function, its kernel and a wrong kernel; a row, its arm on the
/// CPU and its kernel.
const BY_HAND: &[&str] = &[
    "crates/rushlight/src/cpu/kernels/cube.rs",
    "crates/rushlight/src/cpu/kernels/elementwise.rs",
    "crates/rushlight/src/ops/binary.rs",
    "crates/rushlight/src/ops/cube.rs",
    "crates/rushlight/src/ops/unary.rs",
    "crates/xtask/src/mutants/by_op.rs",
    "hip/binary.hip",
    "hip/cube.hip",
    "hip/unary.hip",
];

/// Other files that `new-op` adds a line to.
const SCAFFOLDED: &[&str] = &[
    "CHANGELOG.md",
    "crates/rushlight/src/cpu/kernels/mod.rs",
    "crates/rushlight/src/cpu/run.rs",
    "crates/rushlight/src/gpu/kernels.rs",
    "crates/rushlight/src/gpu/run/cube.rs",
    "crates/rushlight/src/gpu/run/mod.rs",
    "crates/rushlight/src/ops/mod.rs",
];

/// Files that `generate` and `make stubs` write.
const GENERATED: &[&str] = &["PARITY.md", "docs/OPS.md", "python/rushlight/_native.pyi"];

/// Runs the guide.
pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err("usage: test-new-op".into());
    }
    let root = tree::root();
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let scratch = target.join("new-op");
    copy(&root, &scratch)?;
    python(&root, &scratch)?;
    let done = follow(&scratch, &target);
    // The file name of a cdylib has no hash, so the copy's module has replaced this workspace's, and cargo would consider
    // it up to date. Removing the file makes cargo build it again.
    for place in ["release/deps/lib_native.so", "release/lib_native.so"] {
        let _ = std::fs::remove_file(target.join(place));
    }
    done
}

/// Follows the copy's guide.
fn follow(scratch: &Path, target: &Path) -> Outcome {
    let guide = tree::read(&scratch.join(GUIDE))?;
    let mut by_hand = BTreeSet::new();
    let environment = Environment { scratch, target };
    for step in steps(&guide)? {
        match step {
            Step::Write { file, place, text } => {
                let path = scratch.join(&file);
                let new = match place {
                    Place::File => text,
                    Place::Function(name) => replace_function(&tree::read(&path)?, &name, &text)
                        .ok_or_else(|| format!("{file} has no function {name}"))?,
                    Place::Entry => replace_entry(&tree::read(&path)?, &text)
                        .ok_or_else(|| format!("{file} has no entry like {text}"))?,
                };
                tree::write(&path, &new)?;
                println!("edited {file}");
                by_hand.insert(file);
            }
            Step::Run { script, fails } => {
                let before = changed(scratch)?;
                let parts = if fails { script.lines().collect() } else { vec![script.as_str()] };
                for part in parts {
                    environment.run(part, fails)?;
                }
                let after = changed(scratch)?;
                let expected = if script.contains("new-op") {
                    [BY_HAND, SCAFFOLDED].concat()
                } else {
                    GENERATED.to_vec()
                };
                if let Some(file) = after.difference(&before).find(|f| !expected.contains(&f.as_str())) {
                    return Err(format!("`{script}` changed {file}").into());
                }
            }
        }
    }
    let hand: Vec<&str> = by_hand.iter().map(String::as_str).collect();
    if hand != BY_HAND {
        return Err(format!("the guide fills in {hand:?}, expected {BY_HAND:?}").into());
    }
    let known: BTreeSet<String> =
        [BY_HAND, SCAFFOLDED, GENERATED].concat().into_iter().map(str::to_string).collect();
    let all = changed(scratch)?;
    if let Some(file) = all.symmetric_difference(&known).next() {
        let how = if all.contains(file) { "touch" } else { "do not show in" };
        return Err(format!("the new ops {how} {file}").into());
    }
    println!(
        "a new op takes its definition or row, its functions, its kernel and the lines that new-op writes"
    );
    Ok(())
}

/// The copy and the folders that the steps of the guide use.
struct Environment<'a> {
    scratch: &'a Path,
    target: &'a Path,
}

impl Environment<'_> {
    /// Runs a script that must succeed, or with `fails` must fail. `new-op` only edits text, so this program, which is
    /// built from the same source, runs it without a build in the copy.
    fn run(&self, script: &str, fails: bool) -> Outcome {
        println!("{} {script}", if fails { "fails:" } else { "runs: " });
        let cargo = "cargo() { if [ \"$1 $2\" = \"xtask new-op\" ]; then shift; \"$XTASK\" \"$@\"; else command cargo \"$@\"; fi; }";
        let start = std::time::Instant::now();
        let out = Command::new("bash")
            .args(["-euo", "pipefail", "-c", &format!("{cargo}\n{script}")])
            .env("XTASK", std::env::current_exe()?)
            .env("CARGO_MANIFEST_DIR", self.scratch.join("crates/xtask"))
            .env("CARGO_TARGET_DIR", self.target)
            .env("CARGO_INCREMENTAL", "1")
            .current_dir(self.scratch)
            .output()?;
        println!("       {} s", start.elapsed().as_secs());
        let text = [out.stdout, out.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        // The failure must be that of a test, not of a build.
        let as_said = if fails { text.contains("test result: FAILED") } else { out.status.success() };
        if as_said {
            return Ok(());
        }
        let wanted = if fails { "a test should fail" } else { "failed" };
        Err(format!("{wanted}: {script}\n{text}").into())
    }
}

/// A copy of the workspace's files, as a separate git repository. Its version differs, so that cargo keeps its builds apart
/// from this workspace's while both share the builds of dependencies in one target folder. Its large crates are compiled
/// without optimization, which is faster.
fn copy(root: &Path, scratch: &Path) -> Outcome {
    if scratch.exists() {
        std::fs::remove_dir_all(scratch)?;
    }
    let list = process::stdout_in(root, "git", &["ls-files", "--cached", "--others", "--exclude-standard"])?;
    for file in list.lines() {
        let (from, to) = (root.join(file), scratch.join(file));
        std::fs::create_dir_all(to.parent().unwrap_or(scratch))?;
        if from.is_symlink() {
            std::os::unix::fs::symlink(std::fs::read_link(from)?, to)?;
        } else if from.is_file() {
            std::fs::copy(from, to)?;
        }
    }
    let manifest = scratch.join("Cargo.toml");
    let text = tree::read(&manifest)?;
    let (head, tail) = text.split_once("\nversion = \"").ok_or("the workspace has no version")?;
    let (version, rest) = tail.split_once('"').ok_or("the workspace's version does not end")?;
    let (start, patch) = version.rsplit_once('.').ok_or("the workspace's version has no patch")?;
    let next = patch.parse::<u32>()? + 900;
    let mut text = format!("{head}\nversion = \"{start}.{next}\"{rest}");
    for name in ["rushlight", "rushlight-py", "xtask"] {
        text.push_str(&format!("\n[profile.release.package.{name}]\nopt-level = 0\n"));
    }
    tree::write(&manifest, &text)?;
    process::stdout_in(scratch, "cargo", &["update", "--workspace", "--offline"])?;
    process::stdout_in(scratch, "git", &["init", "--quiet"])?;
    process::stdout_in(scratch, "git", &["add", "--all"])?;
    let who = ["-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "--quiet", "-m", "copy"];
    process::stdout_in(scratch, "git", &who)?;
    Ok(())
}

/// Makes a virtual environment for the copy that also uses the tools and packages of this workspace's environment. So they
/// are not installed again, and the copy's module is not installed into this workspace.
fn python(root: &Path, scratch: &Path) -> Outcome {
    process::run_in(root, "make", &["--no-print-directory", "venv"])?;
    let (from, to) = (root.join(".venv"), scratch.join(".venv"));
    let python = from.join("bin/python");
    let python = python.to_str().ok_or("the folder's name is not UTF-8")?;
    process::stdout_in(scratch, python, &["-m", "venv", "--without-pip", ".venv"])?;
    let place = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let packages = |python: &str| -> Outcome<String> {
        Ok(process::stdout_in(scratch, python, &["-c", place])?.trim().to_string())
    };
    let here = packages(python)?;
    tree::write(&Path::new(&packages(".venv/bin/python")?).join("outer.pth"), &format!("{here}\n"))?;
    for tool in std::fs::read_dir(from.join("bin"))? {
        let tool = tool?;
        let link = to.join("bin").join(tool.file_name());
        if !link.exists() {
            std::os::unix::fs::symlink(tool.path(), link)?;
        }
    }
    tree::write(&to.join(".dev"), "")
}

/// Returns the files that differ from the copy's first commit.
fn changed(scratch: &Path) -> Outcome<BTreeSet<String>> {
    let list = process::stdout_in(scratch, "git", &["status", "--porcelain", "--untracked-files=all"])?;
    let mut files = BTreeSet::new();
    for line in list.lines() {
        files.insert(line.get(3..).unwrap_or("").to_string());
    }
    Ok(files)
}

#[derive(Debug, PartialEq)]
enum Step {
    Run { script: String, fails: bool },
    Write { file: String, place: Place, text: String },
}

/// The text that a block replaces.
#[derive(Debug, PartialEq)]
enum Place {
    File,
    Function(String),
    Entry,
}

/// The guide's code blocks, in order.
fn steps(guide: &str) -> Outcome<Vec<Step>> {
    let mut steps = Vec::new();
    let mut note = "";
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        if let Some(inner) = line.strip_prefix("<!-- ").and_then(|l| l.strip_suffix(" -->")) {
            note = inner;
        } else if let Some(language) = line.strip_prefix("```") {
            let text: String = lines.by_ref().take_while(|l| *l != "```").map(|l| format!("{l}\n")).collect();
            match (language, note.split_once(' ')) {
                ("sh", _) => {
                    steps.push(Step::Run { script: text.trim().to_string(), fails: note == "fails" })
                }
                (_, Some(("file", file))) => {
                    steps.push(Step::Write { file: file.to_string(), place: Place::File, text })
                }
                (_, Some(("fn", rest))) => {
                    let (name, file) = rest.split_once(" in ").ok_or_else(|| format!("what is `{note}`?"))?;
                    let (place, file) = (Place::Function(name.to_string()), file.to_string());
                    steps.push(Step::Write { file, place, text })
                }
                (_, Some(("entry", rest))) => {
                    let file = rest.strip_prefix("in ").ok_or_else(|| format!("what is `{note}`?"))?;
                    steps.push(Step::Write { file: file.to_string(), place: Place::Entry, text })
                }
                _ => {
                    return Err(format!(
                        "a block of {language:?} under {note:?} does not say what to do with it"
                    )
                    .into());
                }
            }
            note = "";
        }
    }
    if steps.is_empty() { Err(format!("{GUIDE} has no code").into()) } else { Ok(steps) }
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

/// Replaces the lines from the one that starts with the text's first word to the first that ends as the text does.
fn replace_entry(source: &str, text: &str) -> Option<String> {
    let word = text.split([' ', ',']).next()?;
    let last = text.trim_end().chars().last()?;
    let lines: Vec<&str> = source.lines().collect();
    let starts =
        |l: &&str| l.trim_start().strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', ',']));
    let start = lines.iter().position(starts)?;
    let end = start + lines[start..].iter().position(|l| l.ends_with(last))?;
    let indent = &lines[start][..lines[start].len() - lines[start].trim_start().len()];
    let new: Vec<String> = text.lines().map(|l| format!("{indent}{l}")).collect();
    let all: Vec<&str> = lines[..start]
        .iter()
        .copied()
        .chain(new.iter().map(String::as_str))
        .chain(lines[end + 1..].iter().copied())
        .collect();
    Some(all.join("\n") + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_steps() {
        let guide = "# Add an op\n\n```sh\na\n```\n<!-- fails -->\n```sh\nb\n```\n\
                     <!-- fn f in x.rs -->\n```rust\nfn f() {}\n```\n<!-- file y.rs -->\n```rust\nz\n```\n\
                     <!-- entry in w.hip -->\n```c\nE(e, f)\n```\n";
        let run = |script: &str, fails| Step::Run { script: script.to_string(), fails };
        let write = |file: &str, place, text: &str| Step::Write {
            file: file.to_string(),
            place,
            text: text.to_string(),
        };
        let want = vec![
            run("a", false),
            run("b", true),
            write("x.rs", Place::Function("f".to_string()), "fn f() {}\n"),
            write("y.rs", Place::File, "z\n"),
            write("w.hip", Place::Entry, "E(e, f)\n"),
        ];
        assert_eq!(steps(guide).unwrap(), want);
        assert!(steps("# Add an op\n").is_err());
        assert!(steps("# Add an op\n\n```rust\nx\n```\n").is_err());
    }

    #[test]
    fn functions_are_replaced() {
        let source = "impl A {\n    fn a() {\n        if x {\n        }\n    }\n\n    fn b() {}\n}\n";
        let new = replace_function(source, "a", "fn a() {\n    y\n}\n").unwrap();
        assert_eq!(new, "impl A {\n    fn a() {\n        y\n    }\n\n    fn b() {}\n}\n");
        assert!(replace_function(source, "c", "").is_none());
    }

    #[test]
    fn entries_are_replaced() {
        let source = "t! {\n    Ab x;\n    A x,\n      y;\n    B z;\n}\n";
        let new = replace_entry(source, "A 1,\n  2;\n").unwrap();
        assert_eq!(new, "t! {\n    Ab x;\n    A 1,\n      2;\n    B z;\n}\n");
        let new = replace_entry("K(a, b)\nK(ab, c)\n", "K(ab, d)\n").unwrap();
        assert_eq!(new, "K(a, b)\nK(ab, d)\n");
        assert!(replace_entry(source, "C 1;\n").is_none());
    }
}
