//! Opens the HIP runtime and the libraries that belong to it.
use super::{Library, Search, search::OWN};
use rushlight_load::{LoadError, Opener, same_file};
use std::path::{Path, PathBuf};

const HIP: &str = "libamdhip64";
/// Sonames, newest first. Installations without development files have no plain `.so`.
const HIP_SUFFIXES: [&str; 5] = [".so.8", ".so.7", ".so.6", ".so.5", ".so"];

/// Opens the HIP runtime; `accept` decides whether a library is usable.
pub(crate) fn open_hip<T>(
    search: &Search,
    accept: impl Fn(&Library) -> Result<T, String>,
) -> Result<T, LoadError> {
    let mut open = Opener::new(HIP, &HIP_SUFFIXES, accept);
    let found = match (search.own(), search.own_file()) {
        (_, Some(file)) => open.file(file),
        (Some(_), None) => search.folders().iter().find_map(|f| open.folder(f)),
        (None, None) => {
            let mut mapped = open.mapped();
            // If several are loaded, use the one that PyTorch uses.
            let torch = rushlight_load::mapped("libtorch_hip.so");
            mapped.sort_by_key(|p| !torch.iter().any(|t| t.parent() == p.parent()));
            mapped
                .iter()
                .find_map(|p| open.file(p))
                .or_else(|| open.loaded())
                .or_else(|| search.folders().iter().find_map(|f| open.folder(f)))
                .or_else(|| open.linker())
                .or_else(|| search.last_folders().iter().find_map(|f| open.folder(f)))
        }
    };
    match found {
        Some((_, accepted)) => Ok(accepted),
        None => Err(open.fail(hint(search))),
    }
}

/// Returns other HIP runtimes in the process; their pointers and streams are invalid in this one.
pub(crate) fn other_runtimes(own: &Library) -> Vec<PathBuf> {
    let mut others = Opener::new(HIP, &[], |_| Ok(())).mapped();
    others.retain(|p| !same_file(p, own.path()));
    others
}

fn hint(search: &Search) -> String {
    match search.own() {
        Some(own) => format!(
            "{OWN} is {}: set it to the folder that holds libamdhip64.so.N, or unset it to search the default folders",
            own.display()
        ),
        None => format!(
            "install ROCm (Debian and Ubuntu: libamdhip64-5, -6 or -7; Fedora: rocm-hip; Arch: hip-runtime-amd; pip: \
             rocm[libraries] from AMD's index; or AMD's own packages), or set {OWN} to the folder that holds libamdhip64.so.N"
        ),
    }
}

/// Opens a library of the same installation as the runtime: libraries of different ROCm installations are
/// incompatible.
pub(crate) fn open_sibling(
    hip: &Library,
    stem: &'static str,
    suffixes: &[&str],
    required: &'static std::ffi::CStr,
    hint: &str,
) -> Result<Library, LoadError> {
    let accept = |library: &Library| match library.symbol(required) {
        Some(_) => Ok(()),
        None => Err(format!("has no {}", required.to_string_lossy())),
    };
    let mut open = Opener::new(stem, suffixes, accept);
    match tree(hip.path()).iter().find_map(|f| open.folder(f)) {
        Some((library, ())) => Ok(library),
        None => Err(open.fail(hint)),
    }
}

/// Returns the folders that belong to a runtime: its own, that of the file behind a link, and, for pip's ROCm
/// packages, the folders of the other packages.
fn tree(hip: &Path) -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = Vec::new();
    let real = hip.canonicalize().unwrap_or_else(|_| hip.to_path_buf());
    for file in [hip, &real] {
        let Some(folder) = file.parent() else { continue };
        if !folders.iter().any(|f| f == folder) {
            folders.push(folder.to_path_buf());
        }
        let Some(package) = folder.parent() else { continue };
        let named = |p: &Path, start: &str| {
            p.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(start))
        };
        if named(package, "_rocm_sdk_core")
            && let Some(site) = package.parent()
            && let Ok(entries) = std::fs::read_dir(site)
        {
            let mut others: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
            others.sort();
            let others = others.into_iter().filter(|p| named(p, "_rocm_sdk_libraries"));
            folders.extend(others.map(|p| p.join("lib")));
        }
    }
    folders
}
