//! A program to compile, and the steps that both engines use: writing files and running a compiler.
use super::compiler::Compiler;
use crate::support::arch::Arch;
use std::path::Path;

pub(crate) struct Source {
    pub text: String,
    pub name: String,
    /// Names and texts of headers.
    pub headers: Vec<(String, String)>,
    pub expressions: Vec<String>,
}

/// The parsed options.
pub(super) struct Options {
    pub arch: &'static Arch,
    pub wave: u32,
    pub clang: Vec<String>,
}

pub(super) type Step<T> = Result<T, Option<String>>;

pub(super) fn write(dir: &Path, name: &str, text: &str) -> Step<()> {
    let path = dir.join(name);
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| std::fs::write(&path, text)).map_err(|e| Some(format!("error: {name}: {e}\n")))
}

/// Writes the program and its headers; returns the program's file name.
pub(super) fn write_source(source: &Source, dir: &Path) -> Step<String> {
    for (name, text) in &source.headers {
        if Path::new(name).is_absolute() || name.split('/').any(|p| p == "..") {
            return Err(Some(format!("error: header {name}: the name leaves the program's folder\n")));
        }
        write(dir, name, text)?;
    }
    let name: String =
        source.name.chars().map(|c| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '_' }).collect();
    let name = if name.trim_matches(['.', '_']).is_empty() { "program.hip".to_string() } else { name };
    write(dir, &name, &source.text)?;
    Ok(name)
}

pub(super) fn run(cxx: &Compiler, args: &[String], dir: &Path, log: &mut String) -> Step<()> {
    // A sanitizer's runtime is preloaded for this process, not for the compiler.
    let out = cxx.command(dir).args(args).env_remove("LD_PRELOAD").output();
    let out = out.map_err(|e| Some(format!("error: {cxx}: {e}\n")))?;
    log.push_str(&String::from_utf8_lossy(&out.stderr));
    if out.status.success() {
        return Ok(());
    }
    let silent = log.is_empty();
    Err(silent.then(|| format!("error: {cxx} ended with {}\n", out.status)))
}
