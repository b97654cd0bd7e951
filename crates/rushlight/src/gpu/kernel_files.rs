//! The files that keep compiled kernels between processes.
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Returns the folder of compiled kernels: `RUSHLIGHT_CACHE_DIR` (no folder if it is empty), else the user's cache
/// folder.
pub fn cache_dir() -> Option<PathBuf> {
    match rushlight_load::settings::CACHE_DIR.os() {
        Some(d) if d.is_empty() => None,
        Some(d) => Some(PathBuf::from(d)),
        None => match std::env::var_os("XDG_CACHE_HOME") {
            Some(d) if !d.is_empty() => Some(PathBuf::from(d).join("rushlight")),
            _ => Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache/rushlight")),
        },
    }
}

/// Returns the file of a kernel in the folder.
pub(super) fn cache_file(dir: &Path, id: &str) -> PathBuf {
    let mut h = DefaultHasher::new();
    id.hash(&mut h);
    dir.join("kernels").join(format!("{:016x}.co", h.finish()))
}

/// Returns the check sum of code.
fn sum(code: &[u8]) -> [u8; 8] {
    let mut h = DefaultHasher::new();
    code.hash(&mut h);
    h.finish().to_le_bytes()
}

/// Reads the code from a cache file whose first line is the id. Returns `None` if the file is truncated, changed or has
/// another id.
pub(super) fn read(file: &Path, id: &str) -> Option<Vec<u8>> {
    let bytes = std::fs::read(file).ok()?;
    let rest = bytes.strip_prefix(id.as_bytes())?.strip_prefix(b"\n")?;
    let (len, rest) = rest.split_first_chunk::<8>()?;
    let (check, code) = rest.split_first_chunk::<8>()?;
    let whole = u64::from_le_bytes(*len) as usize == code.len() && !code.is_empty() && *check == sum(code);
    whole.then(|| code.to_vec())
}

/// Writes a temporary file and renames it, so that no reader sees an incomplete file.
pub(super) fn write(file: &Path, id: &str, code: &[u8]) -> std::io::Result<()> {
    use std::io::Write;
    let Some(dir) = file.parent() else { return Ok(()) };
    std::fs::create_dir_all(dir)?;
    // The counter makes names unique, since two devices of one process may compile the same kernel at once.
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name = file.file_name().and_then(|n| n.to_str()).unwrap_or("kernel");
    let temp = dir.join(format!("{name}.{}.{}.tmp", std::process::id(), COUNT.fetch_add(1, Relaxed)));
    let put = || {
        let mut out = std::fs::File::create(&temp)?;
        out.write_all(id.as_bytes())?;
        out.write_all(b"\n")?;
        out.write_all(&(code.len() as u64).to_le_bytes())?;
        out.write_all(&sum(code))?;
        out.write_all(code)
    };
    put().and_then(|()| std::fs::rename(&temp, file)).inspect_err(|_| {
        // Leave no incomplete file, for instance on a full disk.
        let _ = std::fs::remove_file(&temp);
    })
}
