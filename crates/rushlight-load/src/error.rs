//! Errors: a library that could not be opened, and a function that an open library lacks.
use crate::process::FORKED;
use std::fmt;
use std::path::{Path, PathBuf};

/// The reason why a library could not be opened: every path that was tried, and what to install.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadError {
    library: &'static str,
    tried: Vec<Tried>,
    hint: String,
    /// The name of the runtime that was loaded before a fork, if the process is the forked child.
    forked: Option<&'static str>,
}

/// One attempt to open a library.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// The folder or file.
    pub path: PathBuf,
    /// The result of the attempt.
    pub why: String,
}

/// A function is missing from an open library.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingSymbol {
    /// The library's file.
    pub library: PathBuf,
    /// The function's C name.
    pub name: &'static str,
    /// The feature that needs the function.
    pub needed_for: &'static str,
}

impl LoadError {
    /// Creates an error from the attempts, with a hint how to fix it.
    pub fn new(library: &'static str, tried: Vec<Tried>, hint: impl Into<String>) -> Self {
        Self { library, tried, hint: hint.into(), forked: None }
    }

    /// Creates the error of a process that was forked after loading the library. `runtime` is the name that users
    /// know.
    ///
    /// ```
    /// let e = rushlight_load::LoadError::in_fork("libamdhip64", "HIP");
    /// assert!(e.is_forked() && e.to_string().starts_with("HIP does not survive a fork"));
    /// ```
    pub fn in_fork(library: &'static str, runtime: &'static str) -> Self {
        Self { library, tried: Vec::new(), hint: String::new(), forked: Some(runtime) }
    }

    /// Returns the library's name without a version: `libamdhip64`.
    pub fn library(&self) -> &str {
        self.library
    }

    /// Returns the folders and files that were tried, in order, each with its result.
    pub fn tried(&self) -> &[Tried] {
        &self.tried
    }

    /// Returns what to do about the error.
    pub fn hint(&self) -> &str {
        &self.hint
    }

    /// Returns whether the library was loaded before a fork, in the parent process.
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
            write!(f, "{comma}{} ({})", show(&tried.path), tried.why)?;
        }
        write!(f, "; {}", self.hint)
    }
}

fn show(path: &Path) -> String {
    path.display().to_string()
}

/// Formats the error for a device that does not exist: its kind, how many devices are visible to whom, and the likely
/// cause.
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
