//! Searches for CUDA's libraries.
use rushlight_load::{Library, LoadError, Opener};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The environment variable with the highest priority.
const OWN: &str = "RUSHLIGHT_CUDA_PATH";

static ADDED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Adds a folder to search for libraries that are not open yet. Use it if a package manager such as pip reports where
/// NVRTC and cuBLAS are.
///
/// ```
/// rushlight_cuda::search_also("/srv/cuda/lib");
/// ```
pub fn search_also(folder: impl Into<PathBuf>) {
    let folder = folder.into();
    let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
    if !added.contains(&folder) {
        added.push(folder);
    }
}

fn paths(name: &str) -> Vec<PathBuf> {
    let value = std::env::var_os(name).filter(|v| !v.is_empty());
    value.map(|v| std::env::split_paths(&v).map(absolute).collect()).unwrap_or_default()
}

fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

/// Returns the folders of libraries in an installation.
fn within(base: &Path) -> [PathBuf; 3] {
    [base.join("lib64"), base.join("lib"), base.join("targets/x86_64-linux/lib")]
}

/// Returns the folders to search before the linker, and whether they are those of [`OWN`], which excludes all others.
fn folders() -> (bool, Vec<PathBuf>) {
    let own = paths(OWN);
    if !own.is_empty() {
        return (true, own.iter().flat_map(|f| [f.clone(), f.join("lib64"), f.join("lib")]).collect());
    }
    let mut all = ADDED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let bases = ["CUDA_PATH", "CUDA_HOME"].into_iter().flat_map(paths);
    all.extend(bases.chain([PathBuf::from("/usr/local/cuda")]).flat_map(|b| within(&b)));
    let mut versions: Vec<(Vec<u64>, PathBuf)> = std::fs::read_dir("/usr/local")
        .map(|entries| entries.flatten().map(|e| e.path()).collect())
        .unwrap_or_else(|_| Vec::new())
        .into_iter()
        .filter_map(|p| {
            let name = p.file_name()?.to_str()?.strip_prefix("cuda-")?;
            Some((name.split('.').map(|n| n.parse().unwrap_or(0)).collect(), p))
        })
        .collect();
    versions.sort_by(|a, b| b.cmp(a));
    all.extend(versions.into_iter().flat_map(|(_, p)| within(&p)));
    (false, all)
}

/// Opens a library; `accept` decides whether it is usable.
pub(crate) fn open<T>(
    stem: &'static str,
    suffixes: &[&str],
    last: &[&str],
    hint: &str,
    accept: impl Fn(&Library) -> Result<T, String>,
) -> Result<T, LoadError> {
    let mut open = Opener::new(stem, suffixes, accept);
    let (own, folders) = folders();
    let found = if own {
        folders.iter().find_map(|f| open.folder(f))
    } else {
        let mapped = open.mapped();
        mapped
            .iter()
            .find_map(|p| open.file(p))
            .or_else(|| open.loaded())
            .or_else(|| folders.iter().filter(|f| f.is_dir()).find_map(|f| open.folder(f)))
            .or_else(|| last.iter().map(Path::new).filter(|f| f.is_dir()).find_map(|f| open.folder(f)))
            .or_else(|| open.linker())
    };
    match found {
        Some((_, accepted)) => Ok(accepted),
        None if own => Err(open.fail(format!(
            "{OWN} is {}: set it to the folders that hold {stem}{}, or unset it to search the default folders",
            std::env::var_os(OWN).unwrap_or_default().display(),
            suffixes.first().unwrap_or(&"")
        ))),
        None => Err(open.fail(format!("{hint}, or set {OWN} to the folders that hold it"))),
    }
}
