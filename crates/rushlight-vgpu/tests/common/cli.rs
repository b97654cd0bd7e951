//! Runs the program `rushlight-vgpu`, and makes files for it.
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// A folder that is removed when dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("vgpu-cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Relaxed));
        let dir = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&dir).unwrap();
        Folder(dir)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn at(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_string()
    }

    /// Writes 4-byte numbers or other bytes to a file; returns its path.
    pub fn put(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }

    pub fn floats(&self, name: &str) -> Vec<f32> {
        let bytes = std::fs::read(self.at(name)).unwrap();
        bytes.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn bytes(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// The program, without the settings of the environment.
pub fn program(args: &[&str]) -> Command {
    let mut c = Command::new(env!("CARGO_BIN_EXE_rushlight-vgpu"));
    c.args(args);
    for (name, _) in std::env::vars().filter(|v| v.0.starts_with("RUSHLIGHT_VGPU_")) {
        c.env_remove(name);
    }
    c
}

pub struct Ended {
    pub status: i32,
    pub out: String,
    pub err: String,
}

pub fn ended(output: Output) -> Ended {
    let text = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    let status = output.status.code().unwrap_or_else(|| panic!("{}: {out}\n{err}", output.status));
    Ended { status, out, err }
}

pub fn vgpu(args: &[&str]) -> Ended {
    ended(program(args).output().unwrap())
}

/// Runs a command that must succeed; returns its output.
pub fn fine(args: &[&str]) -> String {
    let t = vgpu(args);
    assert_eq!((t.status, t.err.as_str()), (0, ""), "{args:?}: {}", t.out);
    t.out
}

/// Runs a command that must fail with a status and one line that contains these words.
pub fn fails(args: &[&str], status: i32, words: &[&str]) {
    says(&vgpu(args), status, words, &format!("{args:?}"));
}

pub fn says(t: &Ended, status: i32, words: &[&str], what: &str) {
    assert_eq!(t.status, status, "{what}: {}{}", t.out, t.err);
    let line = t.err.strip_suffix('\n').unwrap_or_else(|| panic!("{what}: no line: {:?}", t.err));
    assert!(line.starts_with("rushlight-vgpu: ") && !line.contains('\n'), "{what}: {}", t.err);
    for w in words {
        assert!(line.contains(w), "{what}: `{w}` is not in: {line}");
    }
}

/// Compiles kernels to AMD machine code with clang.
pub fn compile(dir: &Folder, source: &str, arch: &str) -> String {
    let (from, to) = (dir.put(&format!("{arch}.hip"), source.as_bytes()), dir.at(&format!("{arch}.co")));
    let prelude = concat!(env!("CARGO_MANIFEST_DIR"), "/prelude/machine.h");
    let out = Command::new("clang++-19")
        .args(["-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib"])
        .args(["-nostdinc", "-fdeclspec", "-O3", "-std=c++17", "-include", prelude])
        .args([&format!("--offload-arch={arch}"), &from, "-o", &to])
        .output()
        .expect("clang++-19 is installed");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    to
}
