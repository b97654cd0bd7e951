//! The workspace's files, and commands run in it.
use crate::Outcome;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The workspace's folder: of the manifest that cargo runs this program for.
pub fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = PathBuf::from(manifest);
    manifest.ancestors().nth(2).unwrap_or(&manifest).to_path_buf()
}

/// Where cargo builds.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target)
}

/// Files that git tracks or would track, relative to a folder.
pub fn files(root: &Path) -> Outcome<Vec<String>> {
    let list = stdout(root, "git", &["ls-files", "--cached", "--others", "--exclude-standard"])?;
    let mut files: Vec<String> =
        list.lines().filter(|f| root.join(f).is_file()).map(str::to_string).collect();
    files.sort();
    files.dedup();
    Ok(files)
}

/// A file's text.
pub fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Runs a command, showing what it prints.
pub fn run(dir: &Path, program: &str, args: &[&str]) -> Outcome {
    let status = Command::new(program).args(args).current_dir(dir).status();
    match status.map_err(|e| format!("{program}: {e}"))?.success() {
        true => Ok(()),
        false => Err(format!("failed: {program} {}", args.join(" ")).into()),
    }
}

/// Runs a command and returns what it prints on standard output.
pub fn stdout(dir: &Path, program: &str, args: &[&str]) -> Outcome<String> {
    let out = Command::new(program).args(args).current_dir(dir).output();
    let out = out.map_err(|e| format!("{program}: {e}"))?;
    if !out.status.success() {
        let why = String::from_utf8_lossy(&out.stderr);
        return Err(format!("failed: {program} {}\n{why}", args.join(" ")).into());
    }
    Ok(String::from_utf8(out.stdout)?)
}

/// The programs by name that cargo's messages in JSON name.
pub fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let messages = messages.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    messages
        .filter_map(|m| {
            let name = m["target"]["name"].as_str()?.to_string();
            Some((name, PathBuf::from(m["executable"].as_str()?)))
        })
        .collect()
}
