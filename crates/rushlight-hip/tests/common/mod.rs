//! Small shared libraries made with `cc`, and tests in separate processes: a process can hold one HIP only.
#![allow(dead_code)]
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder that is removed when dropped.
pub struct Tree(PathBuf);

impl Tree {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let n = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tree-{}-{n}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// An initially empty folder that is kept, for a static.
    pub fn kept(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub fn path(&self, rest: &str) -> PathBuf {
        self.0.join(rest)
    }

    pub fn str(&self, rest: &str) -> String {
        self.0.join(rest).to_str().unwrap().to_string()
    }

    /// Builds the fake runtime as a file of the tree.
    pub fn hip(&self, file: &str, version: u32, defines: &[&str]) -> PathBuf {
        let version = format!("VERSION={version}");
        let mut all = vec![version.as_str()];
        all.extend(defines);
        self.cc(file, &all, &[])
    }

    /// Builds the fake library as a file of the tree.
    pub fn cc(&self, file: &str, defines: &[&str], more: &[&str]) -> PathBuf {
        self.cc_of("hip.c", file, defines, more)
    }

    /// Builds a source as a file of the tree.
    pub fn cc_of(&self, source: &str, file: &str, defines: &[&str], more: &[&str]) -> PathBuf {
        let out = self.path(file);
        std::fs::create_dir_all(out.parent().unwrap()).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fake").join(source);
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-O1", "-Wall", "-o"])
            .arg(&out)
            .args(defines.iter().map(|d| format!("-D{d}")))
            .arg(source)
            .args(more)
            .arg(format!("-Wl,-soname,{}", out.file_name().unwrap().to_str().unwrap()))
            .output()
            .expect("cc is needed for this test");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        out
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The environment variables of the search for ROCm.
const VARIABLES: [&str; 6] =
    ["RUSHLIGHT_ROCM_PATH", "ROCM_PATH", "ROCM_HOME", "HIP_PATH", "FAKE_FAIL", "FAKE_COUNT"];

/// Runs an ignored test of this file in a separate process.
pub fn child(name: &str, env: &[(&str, &str)]) -> Output {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", name, "--nocapture", "--test-threads=1"]);
    VARIABLES.iter().for_each(|v| {
        command.env_remove(v);
    });
    command.envs(env.iter().copied()).output().unwrap()
}

/// Runs a test as [`child`] does, and panics unless it passes.
pub fn passes(name: &str, env: &[(&str, &str)]) {
    let out = child(name, env);
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success() && text.contains("1 passed"),
        "{name}: {}\n{text}\n{}",
        out.status,
        String::from_utf8_lossy(&out.stderr)
    );
}

/// A variable that the parent set for its child.
pub fn var(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is set by the test that runs this one"))
}

/// Returns the ROCm packages of Debian that `cargo xtask rocm-packages` unpacks, or why they are missing.
pub fn packages(suite: &str) -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let folder = target.join("rocm-packages").join(suite);
    match folder.join("complete").exists() {
        true => Ok(folder),
        false => Err(format!("{} is missing; `cargo xtask rocm-packages` makes it", folder.display())),
    }
}

/// Returns a version of the virtual GPU of `make vgpu`, or why it is missing.
pub fn vgpu(version: &str) -> Result<PathBuf, String> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let all = std::env::var_os("RUSHLIGHT_TEST_VGPU").map_or_else(|| target.join("vgpu"), PathBuf::from);
    let folder = all.join(version);
    match folder.join("lib").is_dir() {
        true => Ok(folder),
        false => Err(format!("{} is missing; `make vgpu` makes it", folder.display())),
    }
}
