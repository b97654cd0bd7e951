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
    executables_by_folder(messages).into_values().flatten().collect()
}

/// Same as [`executables`], for each package, by the name of its folder.
pub fn executables_by_folder(messages: &str) -> BTreeMap<String, BTreeMap<String, PathBuf>> {
    let mut all = BTreeMap::<_, BTreeMap<_, _>>::new();
    for line in messages.lines() {
        let Ok(m) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let folder = m["manifest_path"].as_str().and_then(|p| Path::new(p).parent()?.file_name()?.to_str());
        if let (Some(folder), Some(name), Some(exe)) =
            (folder, m["target"]["name"].as_str(), m["executable"].as_str())
        {
            all.entry(folder.to_string()).or_default().insert(name.to_string(), PathBuf::from(exe));
        }
    }
    all
}
