//! The workspace's folders, and reading and writing its files.
use crate::Outcome;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the workspace's folder, from the manifest for which cargo runs this program.
pub fn root() -> PathBuf {
    let manifest =
        std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let manifest = PathBuf::from(manifest);
    manifest.ancestors().nth(2).unwrap_or(&manifest).to_path_buf()
}

/// Returns cargo's target directory.
pub fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    std::path::absolute(&target).unwrap_or(target)
}

/// Reads a file's text.
pub fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Writes a file.
pub fn write(path: &Path, text: &str) -> Outcome {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()).into())
}

/// Returns the programs that cargo's JSON messages list, by name.
pub fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let messages = messages.lines().filter_map(|l| serde_json::from_str::<serde_json::Value>(l).ok());
    messages
        .filter_map(|m| {
            let name = m["target"]["name"].as_str()?.to_string();
            Some((name, PathBuf::from(m["executable"].as_str()?)))
        })
        .collect()
}
