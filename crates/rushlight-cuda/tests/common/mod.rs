//! Shared helpers: folders of libraries, and tests in separate processes, because a process has one driver.
#![allow(dead_code)]
use rushlight_cuda::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// A folder that is removed when dropped.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("driver-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A folder with the fake driver, compiled with options of cc.
    pub fn driver(options: &[&str]) -> Self {
        let folder = Self::new();
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fake/libcuda.c");
        let out = folder.0.join("libcuda.so.1");
        let mut cc = Command::new("cc");
        cc.args(["-O1", "-w", "-shared", "-fPIC"]).args(options).arg("-o").arg(&out).arg(source);
        let done = cc.output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        folder
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs an ignored test of this file in a separate process. It must pass and print nothing on standard error.
pub fn passes(name: &str, cuda: &Folder, settings: &[(&str, &str)]) {
    assert_eq!(runs(name, &cuda.0, settings), "", "{name}");
}

/// As [`passes`], with the libraries of a folder; returns its standard error.
pub fn runs(name: &str, cuda: &Path, settings: &[(&str, &str)]) -> String {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--ignored", "--exact", name, "--nocapture", "--test-threads=1"]);
    child.env("RUSHLIGHT_CUDA_PATH", cuda).env_remove("RUST_BACKTRACE").env_remove("CUDA_VISIBLE_DEVICES");
    let out = child.envs(settings.iter().copied()).output().unwrap();
    let (text, err) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    assert!(out.status.success() && text.contains("1 passed"), "{name}: {}\n{text}\n{err}", out.status);
    err.into_owned()
}

/// Returns the virtual NVIDIA GPU of `make vgpu`, or prints why it is missing.
pub fn vgpu() -> Option<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let all = std::env::var_os("RUSHLIGHT_TEST_VGPU").map_or_else(|| target.join("vgpu"), PathBuf::from);
    let folder = all.join("cuda");
    let there = folder.join("lib").is_dir();
    if !there {
        println!("skipped: {} is missing; `make vgpu` makes it", folder.display());
    }
    there.then_some(folder)
}

pub fn contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no `{part}` in: {text}");
    }
}

pub fn error<T>(r: Result<T, Error>) -> String {
    r.err().map_or_else(|| panic!("gave no error"), |e| e.to_string())
}
