//! Writes docs/guide/environment.md from the table of settings.
use crate::generate::NOTE;
use rushlight::settings::{ALL, Kind, Reader};
use std::fmt::Write as _;

/// The page.
pub const FILE: &str = "docs/guide/environment.md";

const INTRODUCTION: &str = "\
An unset variable has its default, and so has an empty one unless its row says otherwise. An invalid value is an error that lists the valid ones: ops on the CPU and the
opening of a GPU return it, and a virtual GPU offers no device. `rushlight doctor` and `rushlight info` report invalid values
and unknown names; an unknown name that begins with `RUSHLIGHT_` is also printed once on stderr.

A flag is `1`, `true` or `on`, or `0`, `false` or `off`. Variables are read when they are first needed.
";

/// Returns the text of the page.
pub fn page() -> String {
    let mut text = format!("# Environment variables\n\n{NOTE}\n{INTRODUCTION}");
    for (reader, title) in [
        (Reader::Library, "The library"),
        (Reader::Python, "The Python package"),
        (Reader::VirtualGpu, "The virtual GPU"),
        (Reader::Development, "Builds, tests and project tasks"),
    ] {
        let _ = write!(text, "\n## {title}\n\n| variable | values | default | effect |\n|---|---|---|---|\n");
        for s in ALL.iter().filter(|s| s.reader == reader) {
            let values = match s.kind {
                Kind::Flag => "flag".to_string(),
                kind => kind.expected(),
            };
            let _ = writeln!(text, "| `{}` | {values} | {} | {} |", s.name, s.default, s.doc);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Only names in quotes count: these are read or set by the program.
    #[test]
    fn every_variable_that_a_source_names_is_in_the_table() {
        let root = xtask::tree::root();
        for file in xtask::files::tracked(&root).expect("the files of the tree") {
            let source = file.starts_with("python/") || file.starts_with("crates/") && file.contains("/src/");
            if !source || file.starts_with("crates/rushlight-load/src/settings") {
                continue;
            }
            let text = std::fs::read_to_string(root.join(&file)).unwrap_or_default();
            for part in text.split('"').filter(|p| p.starts_with("RUSHLIGHT_") && !p.ends_with('_')) {
                let name = part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
                assert!(
                    !name || ALL.iter().any(|s| s.name == part),
                    "{file}: {part} is missing from the table"
                );
            }
        }
    }

    #[test]
    fn the_page_has_a_row_for_every_variable() {
        let page = page();
        assert!(ALL.iter().all(|s| page.contains(&format!("| `{}` |", s.name))));
        assert_eq!(page.lines().filter(|l| l.starts_with("| `RUSHLIGHT_")).count(), ALL.len());
    }
}
