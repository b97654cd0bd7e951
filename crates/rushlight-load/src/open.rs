//! Tries folders and files for a library.
use crate::{Library, LoadError, Tried, dl, elf};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Files that were opened and rejected. They stay in the process, because nothing is closed.
static REJECTED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn rejected(path: &Path) -> bool {
    let list = REJECTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    list.iter().any(|r| same_file(r, path))
}

fn reject(path: &Path) {
    let mut list = REJECTED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    list.push(path.to_path_buf());
}

/// Returns whether two paths lead to the same file.
pub fn same_file(a: &Path, b: &Path) -> bool {
    a == b || matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Searches for a library in one location after another. `accept` decides whether an opened library is usable and
/// converts it to the caller's type. A rejected library stays loaded and is not tried again.
///
/// ```
/// use rushlight_load::{Library, Opener};
/// let accept = |library: &Library| library.symbol(c"start").map(|_| ()).ok_or("has no start".to_string());
/// let mut open = Opener::new("libmissing", &[".so.1", ".so"], accept);
/// assert!(open.folder(std::path::Path::new("/nowhere")).is_none());
/// let error = open.fail("install it");
/// assert_eq!(error.to_string(), "cannot load libmissing; tried /nowhere (no such folder); install it");
/// ```
#[derive(Debug)]
pub struct Opener<'a, F> {
    stem: &'static str,
    suffixes: &'a [&'a str],
    tried: Vec<Tried>,
    accept: F,
}

impl<'a, T, F: Fn(&Library) -> Result<T, String>> Opener<'a, F> {
    /// Creates an opener for a library name without version and the suffixes that may follow it, newest first.
    pub fn new(stem: &'static str, suffixes: &'a [&'a str], accept: F) -> Self {
        Self { stem, suffixes, tried: Vec::new(), accept }
    }

    /// Returns the error of a library that was not found.
    pub fn fail(self, hint: impl Into<String>) -> LoadError {
        LoadError::new(self.stem, self.tried, hint)
    }

    /// Returns the files of this name that the process has mapped already, without the rejected ones.
    pub fn mapped(&self) -> Vec<PathBuf> {
        let mut all = dl::mapped(&format!("{}.so", self.stem));
        all.retain(|p| !rejected(p));
        all
    }

    /// Searches by name among the libraries of the process; a preloaded library may have any file name.
    pub fn loaded(&mut self) -> Option<(Library, T)> {
        self.suffixes.iter().find_map(|suffix| {
            let name = format!("{}{suffix}", self.stem);
            let handle = dl::open_loaded(&name)?;
            let path = dl::path(handle).unwrap_or_else(|| name.into());
            if rejected(&path) { None } else { self.check(Library { handle, path }) }
        })
    }

    /// Searches by name through `LD_LIBRARY_PATH` and the linker's cache.
    pub fn linker(&mut self) -> Option<(Library, T)> {
        for suffix in self.suffixes {
            let name = format!("{}{suffix}", self.stem);
            match dl::open(Path::new(&name)) {
                Ok(handle) => {
                    let path = dl::path(handle).unwrap_or_else(|| name.into());
                    if let Some(found) = self.check(Library { handle, path }) {
                        return Some(found);
                    }
                }
                // A missing library is reported below; this reports a missing dependency of it.
                Err(why) if why.starts_with(&format!("{name}: cannot open")) => {}
                Err(why) => self.record(Path::new(&name), why),
            }
        }
        self.record(Path::new("the linker's own search"), format!("no {}", self.names()));
        None
    }

    /// Tries each suffix in a folder.
    pub fn folder(&mut self, folder: &Path) -> Option<(Library, T)> {
        if !folder.is_dir() {
            self.record(folder, "no such folder".into());
            return None;
        }
        let mut there = false;
        for suffix in self.suffixes {
            let path = folder.join(format!("{}{suffix}", self.stem));
            if path.exists() {
                there = true;
                if let Some(found) = self.file(&path) {
                    return Some(found);
                }
            } else if path.is_symlink() {
                there = true;
                self.record(&path, "a link to nothing".into());
            }
        }
        if !there {
            self.record(folder, format!("no {}", self.names()));
        }
        None
    }

    /// Tries a file.
    pub fn file(&mut self, path: &Path) -> Option<(Library, T)> {
        let opened = elf::check_library(path).and_then(|()| dl::open(path));
        match opened {
            Ok(handle) => {
                let path = dl::path(handle).unwrap_or_else(|| path.to_path_buf());
                self.check(Library { handle, path })
            }
            Err(why) => {
                self.record(path, explain(path, why));
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
                self.record(&path, why);
                None
            }
        }
    }

    fn record(&mut self, path: &Path, why: String) {
        let tried = Tried { path: path.to_path_buf(), why };
        if !self.tried.contains(&tried) {
            self.tried.push(tried);
        }
    }

    fn names(&self) -> String {
        let rest: Vec<&str> = self.suffixes.iter().skip(1).copied().collect();
        let first = self.suffixes.first().copied().unwrap_or("");
        let or = if rest.is_empty() { "" } else { ", " };
        format!("{}{first}{or}{}", self.stem, rest.join(", "))
    }
}

/// Returns the linker's message, and a remedy if a missing dependency lies in the same folder.
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
