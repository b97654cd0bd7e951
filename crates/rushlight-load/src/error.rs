//! What could not be opened, and what an open library lacks.
use crate::process::FORKED;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a library could not be opened: every place that was tried, and what to install.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError {
    library: &'static str,
    tried: Vec<Tried>,
    hint: String,
    /// The runtime that the process this one was forked from has loaded.
    forked: Option<&'static str>,
}

/// One attempt to open a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The folder or file.
    pub place: PathBuf,
    /// What happened there.
    pub why: String,
}

/// A library is there, but lacks a function.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingSymbol {
    /// The file that was asked.
    pub library: PathBuf,
    /// The function's C name.
    pub name: &'static str,
    /// What the function is needed for.
    pub needed_for: &'static str,
}

impl LoadError {
    /// The error after some attempts, with what to do about it.
    pub fn new(library: &'static str, tried: Vec<Tried>, hint: impl Into<String>) -> Self {
        Self { library, tried, hint: hint.into(), forked: None }
    }

    /// The library is loaded, but in the process that this one was forked from. `runtime` is what users call it.
    ///
    /// ```
    /// let e = rushlight_load::LoadError::in_fork("libamdhip64", "HIP");
    /// assert!(e.is_forked() && e.to_string().starts_with("HIP does not survive a fork"));
    /// ```
    pub fn in_fork(library: &'static str, runtime: &'static str) -> Self {
        Self { library, tried: Vec::new(), hint: String::new(), forked: Some(runtime) }
    }

    /// The library, without version: `libamdhip64`.
    pub fn library(&self) -> &str {
        self.library
    }

    /// The folders and files that were tried, in order, and what happened there.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// What to do about it.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Whether the library is loaded, but in the process that this one was forked from.
    pub fn is_forked(&self) -> bool {
        self.forked.is_some()
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(runtime) = self.forked {
            return write!(f, "{runtime} {FORKED}");
        }
        write!(f, "cannot load {}; tried ", self.library)?;
        for (i, tried) in self.tried.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{} ({})", show(&tried.place), tried.why)?;
        }
        write!(f, "; {}", self.hint)
    }
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

/// The words for a device that a machine does not have: of what kind, who sees how many, and what may stand in the way.
///
/// ```
/// struct Missing;
/// impl std::fmt::Display for Missing {
///     fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
///         rushlight_load::no_device(f, ("ROCm", "HIP"), 2, 1, "")
///     }
/// }
/// assert_eq!(Missing.to_string(), "there is no ROCm device 2: HIP sees 1 device");
/// ```
pub fn no_device(
    f: &mut fmt::Formatter<'_>,
    (kind, who): (&str, &str),
    ordinal: usize,
    count: usize,
    why: &str,
) -> fmt::Result {
    let devices = if count == 1 { "device" } else { "devices" };
    write!(f, "there is no {kind} device {ordinal}: {who} sees {count} {devices}")?;
    if why.is_empty() { Ok(()) } else { write!(f, "; {why}") }
}

impl fmt::Display for MissingSymbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has no {}, which is needed for {}", show(&self.library), self.name, self.needed_for)
    }
}

impl std::error::Error for LoadError {}
impl std::error::Error for MissingSymbol {}
