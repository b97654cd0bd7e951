//! Opening the HIP runtime, and the libraries that belong to it.
use super::{Library, Search, dl, elf, search::OWN};
use crate::error::{LoadError, Tried};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

const HIP: &str = "libamdhip64";
/// Sonames, the newest first. Installations without development files have no plain `.so`.
const HIP_SUFFIXES: [&str; 5] = [".so.8", ".so.7", ".so.6", ".so.5", ".so"];

/// Files that were opened and found wanting. They stay in the process, as nothing is closed.
static REJECTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn rejected(path: &Path) -> bool {
    let list = REJECTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    list.iter().any(|r| same_file(r, path))
}

fn reject(path: &Path) {
    let mut list = REJECTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    list.push(path.to_path_buf());
}

fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Opens the HIP runtime; `accept` says whether a library is one that can be used.
pub(crate) fn open_hip<T>(
    search: &Search,
    accept: impl Fn(&Library) -> Result<T, String>,
) -> Result<T, LoadError> {
    let mut open = Opener { stem: HIP, tried: Vec::new(), accept };
    let found = match search.own() {
        Some(_) => open.own(search),
        None => open.anywhere(search),
    };
    let Some((_, accepted)) = found else {
        return Err(LoadError { library: HIP, tried: open.tried, hint: hint(search), forked: false });
    };
    Ok(accepted)
}

/// Other HIP runtimes in the process: their pointers and streams mean nothing to this one.
pub(crate) fn other_runtimes(own: &Library) -> Vec<PathBuf> {
    let mut others = dl::mapped(&format!("{HIP}.so"));
    others.retain(|p| !same_file(p, &own.path) && !rejected(p));
    others
}

fn hint(search: &Search) -> String {
    match search.own() {
        Some(own) => format!(
            "{OWN} is {}: let it name the folder that holds libamdhip64.so.N, or unset it to search the usual places",
            own.display()
        ),
        None => format!(
            "install ROCm (Debian and Ubuntu: libamdhip64-5, -6 or -7; Fedora: rocm-hip; Arch: hip-runtime-amd; pip: \
             rocm[libraries] from AMD's index; or AMD's own packages), or set {OWN} to the folder that holds libamdhip64.so.N"
        ),
    }
}

struct Opener<F> {
    stem: &'static str,
    tried: Vec<Tried>,
    accept: F,
}

impl<T, F: Fn(&Library) -> Result<T, String>> Opener<F> {
    fn own(&mut self, search: &Search) -> Option<(Library, T)> {
        if let Some(file) = search.own_file() {
            return self.file(file);
        }
        search.folders().iter().find_map(|f| self.folder(f, &HIP_SUFFIXES))
    }

    fn anywhere(&mut self, search: &Search) -> Option<(Library, T)> {
        let mut mapped = dl::mapped(&format!("{HIP}.so"));
        mapped.retain(|p| !rejected(p));
        // Of several, the one that PyTorch uses.
        let torch = dl::mapped("libtorch_hip.so");
        mapped.sort_by_key(|p| !torch.iter().any(|t| t.parent() == p.parent()));
        mapped
            .iter()
            .find_map(|p| self.file(p))
            .or_else(|| self.loaded())
            .or_else(|| search.folders().iter().find_map(|f| self.folder(f, &HIP_SUFFIXES)))
            .or_else(|| self.linker())
            .or_else(|| search.last_folders().iter().find_map(|f| self.folder(f, &HIP_SUFFIXES)))
    }

    /// By name among the libraries of the process: a preloaded one may lie under any file name.
    fn loaded(&mut self) -> Option<(Library, T)> {
        HIP_SUFFIXES.iter().find_map(|suffix| {
            let name = format!("{}{suffix}", self.stem);
            let handle = dl::open_loaded(&name)?;
            let path = dl::path(handle).unwrap_or_else(|| name.into());
            if rejected(&path) { None } else { self.check(Library { handle, path }) }
        })
    }

    /// By name, through `LD_LIBRARY_PATH` and the linker's cache.
    fn linker(&mut self) -> Option<(Library, T)> {
        for suffix in HIP_SUFFIXES {
            let name = format!("{}{suffix}", self.stem);
            match dl::open(Path::new(&name)) {
                Ok(handle) => {
                    let path = dl::path(handle).unwrap_or_else(|| name.into());
                    if let Some(found) = self.check(Library { handle, path }) {
                        return Some(found);
                    }
                }
                // Its own absence is told below; the absence of something it needs is told here.
                Err(why) if why.starts_with(&format!("{name}: cannot open")) => {}
                Err(why) => self.tell(Path::new(&name), why),
            }
        }
        self.tell(Path::new("the linker's own search"), format!("no {}", self.names(&HIP_SUFFIXES)));
        None
    }

    fn folder(&mut self, folder: &Path, suffixes: &[&str]) -> Option<(Library, T)> {
        if !folder.is_dir() {
            self.tell(folder, "no such folder".into());
            return None;
        }
        let mut there = false;
        for suffix in suffixes {
            let path = folder.join(format!("{}{suffix}", self.stem));
            if path.exists() {
                there = true;
                if let Some(found) = self.file(&path) {
                    return Some(found);
                }
            } else if path.is_symlink() {
                there = true;
                self.tell(&path, "a link to nothing".into());
            }
        }
        if !there {
            self.tell(folder, format!("no {}", self.names(suffixes)));
        }
        None
    }

    fn file(&mut self, path: &Path) -> Option<(Library, T)> {
        let opened = elf::check_library(path).and_then(|()| dl::open(path));
        match opened {
            Ok(handle) => {
                let path = dl::path(handle).unwrap_or_else(|| path.to_path_buf());
                self.check(Library { handle, path })
            }
            Err(why) => {
                self.tell(path, explain(path, why));
                None
            }
        }
    }

    fn check(&mut self, library: Library) -> Option<(Library, T)> {
        match (self.accept)(&library) {
            Ok(accepted) => Some((library, accepted)),
            Err(why) => {
                reject(&library.path);
                let path = library.path.clone();
                self.tell(&path, why);
                None
            }
        }
    }

    fn tell(&mut self, place: &Path, why: String) {
        let tried = Tried { place: place.to_path_buf(), why };
        if !self.tried.contains(&tried) {
            self.tried.push(tried);
        }
    }

    fn names(&self, suffixes: &[&str]) -> String {
        let rest: Vec<&str> = suffixes.iter().skip(1).copied().collect();
        let first = suffixes.first().copied().unwrap_or("");
        let or = if rest.is_empty() { "" } else { ", " };
        format!("{}{first}{or}{}", self.stem, rest.join(", "))
    }
}

/// The linker's words, and what to do where a library that is needed lies beside the one that needs it.
fn explain(path: &Path, why: String) -> String {
    let needed = why.split_once(": cannot open shared object file").map(|(name, _)| name.to_string());
    match (needed, path.parent()) {
        (Some(needed), Some(folder)) if folder.join(&needed).exists() => format!(
            "{why}; it lies in the same folder, which the linker does not search: add {} to LD_LIBRARY_PATH",
            folder.display()
        ),
        _ => why,
    }
}

/// Opens a library of the same tree as the runtime: two trees in a process do not mix.
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
    let mut open = Opener { stem, tried: Vec::new(), accept };
    let found = tree(&hip.path).iter().find_map(|f| open.folder(f, suffixes));
    match found {
        Some((library, ())) => Ok(library),
        None => Err(LoadError { library: stem, tried: open.tried, hint: hint.to_string(), forked: false }),
    }
}

/// The folders that belong to a runtime: its own, that of the file behind a link, and, for pip's packages of ROCm, the
/// folders of the other packages.
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
