//! Rules of the tree: file length, the unsafe fence, the word list, links of the documents.
use crate::{Outcome, declarations, files, tree, words};
use std::path::{Path, PathBuf};

/// Most lines a source file may have.
const LINES: usize = 600;

/// Longer files, each with its reason.
const LONG: &[(&str, &str)] = &[("tests/golden/golden_cases.py", "one table: the cases of every family")];

/// Files that may hold `unsafe`. (tests/common/counting.rs is an allocator that counts, tests/cpu/io.rs maps files,
/// tests/gpu_custom.rs launches a user's kernels, rushlight-py's builtin.rs makes Python's builtin functions.)
const UNSAFE: &[&str] = &[
    "crates/rushlight/examples/hip_kernel.rs",
    "crates/rushlight/tests/gpu_custom.rs",
    "crates/rushlight/tests/common/counting.rs",
    "crates/rushlight/tests/cpu/io.rs",
    "crates/rushlight/src/cpu/buffer.rs",
    "crates/rushlight/src/cpu/driver",
    "crates/rushlight/src/cpu/simd",
    "crates/rushlight/src/cpu/vec_ops.rs",
    "crates/rushlight/src/handle.rs",
    "crates/rushlight/src/io/mmap.rs",
    "crates/rushlight/src/gpu/launch.rs",
    "crates/rushlight/src/gpu/fault.rs",
    "crates/rushlight/src/gpu/cuda.rs",
    "crates/rushlight/src/gpu/hip.rs",
    "crates/rushlight/src/gpu/user.rs",
    "crates/rushlight-cuda/",
    "crates/rushlight-hip/",
    "crates/rushlight-load/",
    "crates/rushlight-vgpu/",
    "crates/rushlight-py/src/builtin.rs",
    "crates/rushlight-py/src/dlpack.rs",
    "crates/rushlight-py/src/buffer.rs",
    "crates/rushlight-py/src/rocm.rs",
];

/// Words that mark unfinished work. Each is written in two halves, so that this file passes the check.
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("XX", "X"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
];

/// Hosts of package registries, which no file may name: the names of packages are enough.
const HOSTS: &[&str] = &[
    concat!("crates", ".io"),
    concat!("docs", ".rs"),
    concat!("pypi", ".org"),
    concat!("pypi", ".python.org"),
    concat!("python", "hosted.org"),
    concat!("pypi", ".nvidia.com"),
    concat!("conda", ".anaconda.org"),
    concat!("repo", ".radeon.com"),
    concat!("download", ".pytorch.org"),
];

/// Returns whether a generator or a package manager writes the file.
fn generated(file: &str) -> bool {
    file.ends_with("Cargo.lock") || file.ends_with("_native.pyi")
}

/// Checks the tree.
pub fn run() -> Outcome {
    let root = tree::root();
    let mut found = Vec::new();
    let ops = declarations::op_names(&tree::read(&root.join("docs/OPS.md"))?);
    for file in files::tracked(&root)? {
        let Ok(text) = std::fs::read_to_string(root.join(&file)) else { continue };
        check(&root, &file, &text, &mut found);
        declarations::check(&file, &text, &ops, &mut found);
    }
    for (file, _) in LONG {
        let text = tree::read(&root.join(file)).unwrap_or_default();
        if text.lines().count() <= LINES {
            found.push(format!(
                "{file}: is not longer than {LINES} lines; take it off the list of exceptions"
            ));
        }
    }
    if found.is_empty() {
        Ok(())
    } else {
        Err(format!("{} findings\n{}", found.len(), found.join("\n")).into())
    }
}

fn check(root: &Path, file: &str, text: &str, found: &mut Vec<String>) {
    if generated(file) {
        return;
    }
    let is = |ext: &str| file.ends_with(ext);
    let source = is(".rs") || is(".py") || is(".pyi");
    let count = text.lines().count();
    if source && count > LINES && LONG.iter().all(|l| l.0 != file) {
        found.push(format!("{file}: {count} lines, the limit is {LINES}"));
    }
    for (i, line) in text.lines().enumerate() {
        let place = || format!("{file}:{}", i + 1);
        for word in UNFINISHED.iter().filter(|w| line.contains(**w)) {
            found.push(format!("{}: unfinished: {word}", place()));
        }
        for host in HOSTS.iter().filter(|h| names_host(line, h)) {
            found.push(format!("{}: names a package registry's host: {host}", place()));
        }
        if is(".rs") && uses_unsafe(line) && !UNSAFE.iter().any(|f| file.starts_with(f)) {
            found.push(format!("{}: unsafe outside the fence", place()));
        }
    }
    words::check(file, text, found);
    if is(".rs") {
        safety(file, text, found);
    }
    if is(".md") {
        links(root, file, text, found);
        test_names(root, file, text, found);
    }
}

/// Returns whether a line names a host, alone or as part of an address. A file with such a name does not count.
fn names_host(line: &str, host: &str) -> bool {
    line.match_indices(host).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + host.len()..].chars().next();
        let joined = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let path = before == Some('/') && !line[..at].ends_with("//");
        !before.is_some_and(joined) && !path && !after.is_some_and(joined)
    })
}

/// Returns the code of a line without comments and string literals.
fn code(line: &str) -> String {
    let line = line.split("//").next().unwrap_or("");
    line.split('"').step_by(2).collect::<Vec<_>>().join("\"\"")
}

fn uses_unsafe(line: &str) -> bool {
    code(line)
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|word| word == "unsafe" || word == "unsafe_code")
        && !line.contains("deny(unsafe_code)")
        && !line.contains("forbid(unsafe_code)")
}

/// Reports each unsafe block and impl without a SAFETY sentence above it. clippy checks blocks too, but not in macros.
fn safety(file: &str, text: &str, found: &mut Vec<String>) {
    let lines: Vec<&str> = text.lines().collect();
    for (i, line) in lines.iter().enumerate() {
        let plain = code(line);
        if !plain.contains("unsafe {") && !plain.contains("unsafe impl") {
            continue;
        }
        let told = lines[i.saturating_sub(6)..=i].iter().any(|l| l.contains("SAFETY"));
        if !told {
            found.push(format!("{file}:{}: unsafe without a SAFETY sentence", i + 1));
        }
    }
}

/// Reports relative links whose file or heading does not exist.
fn links(root: &Path, file: &str, text: &str, found: &mut Vec<String>) {
    let folder: PathBuf = root.join(file).parent().unwrap_or(root).to_path_buf();
    for (at, _) in text.match_indices("](") {
        let target = text[at + 2..].split([')', ' ', '\n']).next().unwrap_or("");
        if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
        let full = if path.is_empty() { root.join(file) } else { folder.join(path) };
        if !full.exists() {
            found.push(format!("{file}: broken link: {target}"));
        } else if !anchor.is_empty() && !headings(&full).iter().any(|h| h == anchor) {
            found.push(format!("{file}: no such heading: {target}"));
        }
    }
}

/// The anchors of a document's headings.
fn headings(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let heading = |l: &str| {
        let title = l.trim_start_matches('#').trim().to_lowercase();
        title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    };
    text.lines().filter(|l| l.starts_with('#')).map(heading).collect()
}

/// Reports each `file.rs::name` in back quotes that does not name an existing test or function.
fn test_names(root: &Path, file: &str, text: &str, found: &mut Vec<String>) {
    for quoted in text.split('`').skip(1).step_by(2) {
        let Some((path, name)) = quoted.split_once("::") else { continue };
        if !(path.ends_with(".rs") || path.ends_with(".py")) || path.contains(char::is_whitespace) {
            continue;
        }
        let source = std::fs::read_to_string(root.join(path)).unwrap_or_default();
        let name = name.rsplit("::").next().unwrap_or(name);
        let there = ["fn ", "def "].iter().any(|k| {
            let start = format!("{k}{name}");
            source.match_indices(&start).any(|(at, _)| {
                let next = source[at + start.len()..].chars().next();
                !next.is_some_and(|c| c.is_alphanumeric() || c == '_')
            })
        });
        if !there {
            found.push(format!("{file}: no such function: {quoted}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(file: &str, text: &str) -> Vec<String> {
        let mut found = Vec::new();
        check(&tree::root(), file, text, &mut found);
        found
    }

    #[test]
    fn each_rule_finds_its_case() {
        let bad_words = [concat!("// TO", "DO later"), concat!("todo", "!()"), concat!("see pypi", ".org")];
        for line in bad_words {
            assert_eq!(findings("a.rs", line).len(), 1, "{line}");
        }
        assert_eq!(findings("a.rs", &"\n".repeat(LINES + 1)).len(), 1);
        assert_eq!(findings("a.rs", &"\n".repeat(LINES)).len(), 0);
        assert_eq!(findings("a.rs", "// SAFETY: no reason\nlet x = unsafe { f() };").len(), 1);
        let fenced = "crates/rushlight/src/cpu/simd_x.rs";
        assert_eq!(findings(fenced, "// SAFETY: reason\nlet x = unsafe { f() };").len(), 0);
        assert_eq!(findings(fenced, "let x = unsafe { f() };").len(), 1);
        assert_eq!(findings("a.rs", "// unsafe in a comment\nlet s = \"unsafe {\";").len(), 0);
    }

    #[test]
    fn documents() {
        assert_eq!(findings("a.md", "[x](Cargo.toml) [y](https://a.b/c)").len(), 0);
        assert_eq!(findings("a.md", "[x](nowhere.md)").len(), 1);
        assert_eq!(findings("crates/a.md", "[x](../Cargo.toml)").len(), 0);
        let here = "crates/xtask/src/rules.rs";
        assert_eq!(findings("a.md", &format!("`{here}::documents`")).len(), 0);
        assert_eq!(findings("a.md", &format!("`{here}::document`")).len(), 1);
    }

    #[test]
    fn hosts_are_distinguished_from_files() {
        let host = concat!("docs", ".rs");
        for (line, named) in
            [("{} is good", true), ("https://{}/x", true), ("src/{}", false), ("my_{}", false)]
        {
            assert_eq!(names_host(&line.replace("{}", host), host), named, "{line}");
        }
    }
}
