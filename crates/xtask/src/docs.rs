//! `docs`: the site, from the documents, the docstrings of the installed module and rustdoc. `make docs` calls it.
use crate::{Outcome, process, tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

/// Crates with a Rust reference on the site.
const CRATES: [&str; 5] =
    ["rushlight", "rushlight-hip", "rushlight-cuda", "rushlight-load", "rushlight-ggml"];

/// Builds the site into `site` under the target directory. Warnings and broken links are errors.
pub fn run(args: &[String]) -> Outcome {
    if !args.is_empty() {
        return Err("docs takes no arguments".into());
    }
    let root = tree::root();
    let python = root.join(".venv/bin/python");
    if !python.exists() {
        return Err(".venv is missing: `make docs` makes it and installs the module".into());
    }
    let python = python.display().to_string();
    let pip =
        ["-m", "pip", "--disable-pip-version-check", "--quiet", "install", "-r", "requirements-docs.txt"];
    process::run_in(&root, &python, &pip)?;
    let site = tree::target().join("site");
    if site.exists() {
        std::fs::remove_dir_all(&site).map_err(|e| format!("{}: {e}", site.display()))?;
    }
    let html = site.display().to_string();
    let doctrees = tree::target().join("site-doctrees").display().to_string();
    let sphinx = ["-m", "sphinx", "-W", "--keep-going", "-q", "-E", "-j", "auto", "-c", "docs/site"];
    let mut pages = Command::new(&python);
    pages.current_dir(&root).args(sphinx).args(["-d", &doctrees, ".", &html]);
    // Uses the release profile, in which clippy's step has already checked the dependencies.
    let rustdoc =
        ["doc", "--release", "--no-deps", "--locked", "--config", "build.rustdocflags=[\"-Dwarnings\"]"];
    let mut reference = Command::new("cargo");
    reference.current_dir(&root).args(rustdoc).args(CRATES.iter().flat_map(|c| ["-p", c]));
    process::parallel(vec![pages, reference])?;
    copy(&tree::target().join("doc"), &site.join("rust"))?;
    let broken = broken_links(&site)?;
    if !broken.is_empty() {
        return Err(format!("broken links:\n{}", broken.join("\n")).into());
    }
    println!("{}", site.join("index.html").display());
    Ok(())
}

/// Copies a folder and all folders in it.
fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from).map_err(|e| format!("{}: {e}", from.display()))? {
        let (entry, target) = {
            let entry = entry?;
            (entry.path(), to.join(entry.file_name()))
        };
        if entry.is_dir() {
            copy(&entry, &target)?;
        } else {
            std::fs::copy(&entry, &target)?;
        }
    }
    Ok(())
}

/// Returns the links of the site's own pages that lead to no file or no element of a page.
fn broken_links(site: &Path) -> Outcome<Vec<String>> {
    let mut pages = BTreeMap::new();
    read_pages(site, &mut pages)?;
    let elements: BTreeMap<&Path, BTreeSet<&str>> =
        pages.iter().map(|(path, text)| (path.as_path(), values(text, "id").collect())).collect();
    let mut broken = Vec::new();
    for (page, text) in &pages {
        for link in values(text, "href").chain(values(text, "src")) {
            let link = link.replace("&amp;", "&").replace("%20", " ");
            let (path, element) = link.split_once('#').unwrap_or((&link, ""));
            let path = path.split('?').next().unwrap_or_default();
            if link.contains(':') || link.is_empty() {
                continue;
            }
            let mut target = if path.is_empty() { page.clone() } else { joined(page, path) };
            if target.is_dir() {
                target.push("index.html");
            }
            // Rust's pages are rustdoc's, which checks its links itself.
            let found =
                elements.get(target.as_path()).is_none_or(|e| element.is_empty() || e.contains(element));
            if !target.exists() || !found {
                broken.push(format!("{}: {link}", page.strip_prefix(site)?.display()));
            }
        }
    }
    Ok(broken)
}

/// Reads the pages of a folder and of those in it, except rustdoc's.
fn read_pages(folder: &Path, pages: &mut BTreeMap<PathBuf, String>) -> Outcome {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && !["rust", "_static"].iter().any(|name| path.ends_with(name)) {
            read_pages(&path, pages)?;
        } else if path.extension().is_some_and(|e| e == "html") {
            let text = std::fs::read_to_string(&path)?;
            pages.insert(path, text);
        }
    }
    Ok(())
}

/// Returns the values of an attribute in a page.
fn values<'a>(text: &'a str, attribute: &str) -> impl Iterator<Item = &'a str> {
    let start = format!(" {attribute}=\"");
    let ends: Vec<usize> = text.match_indices(&start).map(|(at, s)| at + s.len()).collect();
    ends.into_iter().filter_map(|at| text[at..].split_once('"').map(|(value, _)| value))
}

/// Returns the path of a link relative to a page.
fn joined(page: &Path, link: &str) -> PathBuf {
    let mut out = page.parent().unwrap_or(page).to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_links_are_found_in_files_folders_and_elements() {
        let site = std::env::temp_dir().join(format!("rushlight-site-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = site.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("rust/rushlight/index.html", r#"<a href="nowhere.html">"#);
        write("b/index.html", r#"<p id="here"><a href="../a.html#x"> <a href="../c.html">"#);
        write(
            "a.html",
            r##"<p id="x"> <a href="#x"> <a href="#y"> <a href="b/"> <a href="b/index.html#here">
            <a href="b/index.html#there"> <a href="rust/rushlight/index.html"> <img src="d.png"> <a href="https://e">"##,
        );
        let found = broken_links(&site).unwrap();
        std::fs::remove_dir_all(&site).unwrap();
        assert_eq!(
            found,
            ["a.html: #y", "a.html: b/index.html#there", "a.html: d.png", "b/index.html: ../c.html"]
        );
    }
}
