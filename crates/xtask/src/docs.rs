//! `docs`: the site, from the documents, the docstrings of the installed module and rustdoc. `make docs` calls it.
use crate::{Outcome, process, tree};
use std::path::Path;

/// Crates with a Rust reference on the site.
const CRATES: [&str; 4] = ["rushlight", "rushlight-hip", "rushlight-cuda", "rushlight-load"];

/// Builds the site into `site` under the target directory. Warnings are errors.
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
    process::run_in(&root, &python, &[&sphinx[..], &["-d", &doctrees, ".", &html]].concat())?;
    let crates = CRATES.iter().flat_map(|c| ["-p", c]);
    let rustdoc = ["doc", "--no-deps", "--locked", "--config", "build.rustdocflags=[\"-Dwarnings\"]"];
    process::run_in(&root, "cargo", &rustdoc.into_iter().chain(crates).collect::<Vec<_>>())?;
    copy(&tree::target().join("doc"), &site.join("rust"))?;
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
