//! Finds the clang that compiles kernels: the system's, or the one in the Python package ziglang.
use crate::support::config;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The oldest clang with bf16 that rounds after each operation.
const OLDEST: u32 = 18;

/// A compiler: a program and its first arguments.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Compiler(Vec<String>);

impl fmt::Display for Compiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl Compiler {
    fn is_zig(&self) -> bool {
        self.0.last().is_some_and(|w| w == "c++")
    }

    /// Returns a command that runs in a folder, where zig also keeps its local cache.
    pub fn command(&self, dir: &Path) -> Command {
        let mut c = Command::new(&self.0[0]);
        c.args(&self.0[1..]).current_dir(dir);
        if self.is_zig() {
            c.arg(ZIG_TARGET).env("ZIG_LOCAL_CACHE_DIR", dir);
            if std::env::var_os("ZIG_GLOBAL_CACHE_DIR").is_none() && !cache_can_be_made() {
                c.env("ZIG_GLOBAL_CACHE_DIR", std::env::temp_dir().join("rushlight-vgpu-zig"));
            }
        }
        c
    }

    /// Returns the options for this machine, with AVX2 if `avx2` is set.
    pub fn machine(&self, avx2: bool) -> Vec<String> {
        let all: &[&str] = match (self.is_zig(), avx2) {
            (false, true) => &["-march=x86-64-v3"],
            (false, false) => &[],
            // Zig's names of CPUs, without its default sanitizers.
            (true, true) => &["-march=x86_64_v3", "-nostdlib++", "-fno-sanitize=undefined"],
            (true, false) => &["-march=x86_64", "-nostdlib++", "-fno-sanitize=undefined"],
        };
        all.iter().map(|s| s.to_string()).collect()
    }
}

/// Zig's own C library, so that the system's is not needed; the same minimum version as this library needs.
const ZIG_TARGET: &str = "--target=x86_64-linux-gnu.2.34";

/// Returns whether zig can write to its cache, where it builds its C library once.
fn cache_can_be_made() -> bool {
    let var = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    let cache = var("XDG_CACHE_HOME").or_else(|| Some(var("HOME")?.join(".cache")));
    let Some(zig) = cache.map(|c| c.join("zig")) else { return false };
    let probe = zig.join(format!(".rushlight-{}", std::process::id()));
    let writable = std::fs::create_dir_all(&zig).is_ok() && std::fs::write(&probe, []).is_ok();
    // The file may not exist.
    let _ = std::fs::remove_file(&probe);
    writable
}

/// Splits a text into a program and its first arguments.
fn words(text: &str) -> Option<Compiler> {
    let words: Vec<String> = text.split_whitespace().map(str::to_string).collect();
    (!words.is_empty()).then_some(Compiler(words))
}

/// Returns the compiler of `RUSHLIGHT_VGPU_HIPRTC`, which replaces clang for machine code.
pub(super) fn hiprtc() -> Option<Compiler> {
    config::get().hiprtc.as_deref().and_then(words)
}

/// Returns the compiler: `RUSHLIGHT_VGPU_CXX`, else the first one found, which is cached.
pub(super) fn find() -> Result<Compiler, String> {
    if let Some(cxx) = config::get().cxx.as_deref().and_then(words) {
        return Ok(cxx);
    }
    static FOUND: OnceLock<Compiler> = OnceLock::new();
    if let Some(c) = FOUND.get() {
        return Ok(c.clone());
    }
    let found = search()?;
    Ok(FOUND.get_or_init(|| found).clone())
}

fn search() -> Result<Compiler, String> {
    let mut old = String::new();
    for name in
        ["clang++-19", "clang++-20", "clang++-21", "clang++-18", "clang++"].into_iter().filter(|n| on_path(n))
    {
        match version(name) {
            Some(v) if v >= OLDEST => return Ok(Compiler(vec![name.into()])),
            Some(v) => old = format!(" ({name} is clang {v}, which is older than {OLDEST})"),
            None => {}
        }
    }
    let zig = |program: String| Ok(Compiler(vec![program, "c++".into()]));
    if let Some(found) = config::get().python.as_deref().and_then(of_python) {
        return zig(found);
    }
    if on_path("zig") {
        return zig("zig".into());
    }
    if let Some(found) = ["python3", "python"].into_iter().find_map(of_python) {
        return zig(found);
    }
    Err(format!(
        "error: the virtual GPU compiles kernels with clang, which is missing{old}: install clang-19 (apt install \
         clang-19) or ziglang (pip install ziglang), or name a compiler in RUSHLIGHT_VGPU_CXX\n"
    ))
}

/// Returns the program in Python's package ziglang.
fn of_python(python: &str) -> Option<String> {
    let code = "import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), 'zig'))";
    let out = Command::new(python).args(["-c", code]).output().ok().filter(|o| o.status.success())?;
    let path = String::from_utf8(out.stdout).ok()?.trim().to_string();
    Path::new(&path).is_file().then_some(path)
}

/// Returns the major version of a clang.
fn version(clang: &str) -> Option<u32> {
    let out = Command::new(clang).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    text.split_once("version ")?.1.split('.').next()?.parse().ok()
}

fn on_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zig_gets_cpu_names_and_cache_folder() {
        let zig = Compiler(vec!["/a folder/zig".into(), "c++".into()]);
        assert!(zig.machine(true).contains(&"-march=x86_64_v3".to_string()));
        let c = zig.command(Path::new("/scratch"));
        assert_eq!(c.get_program(), "/a folder/zig");
        assert!(c.get_envs().any(|e| e == ("ZIG_LOCAL_CACHE_DIR".as_ref(), Some("/scratch".as_ref()))));
        let clang = Compiler(vec!["clang++-19".into()]);
        assert_eq!(clang.machine(true), ["-march=x86-64-v3"]);
        assert_eq!(clang.command(Path::new("/scratch")).get_envs().count(), 0);
    }

    #[test]
    fn version_of_a_program_other_than_clang_is_none() {
        assert_eq!((version("no-such-clang"), version("true")), (None, None));
        assert_eq!(of_python("no-such-python"), None);
    }
}
