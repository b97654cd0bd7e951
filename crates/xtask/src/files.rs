//! The files of the workspace.
use crate::Outcome;
use crate::process::stdout_in;
use std::path::Path;

/// Returns the files that git tracks or would track (not ignored), relative to the folder.
pub fn tracked(root: &Path) -> Outcome<Vec<String>> {
    let list = stdout_in(root, "git", &["ls-files", "--cached", "--others", "--exclude-standard"])?;
    let mut files: Vec<String> =
        list.lines().filter(|f| root.join(f).is_file()).map(str::to_string).collect();
    files.sort();
    files.dedup();
    Ok(files)
}
