//! Finding and opening shared libraries of GPU vendors. Nothing is ever closed: GPU runtimes do not survive it.
//!
//! [`Opener`] tries places and remembers what happened at each, for a [`LoadError`]. [`symbols!`] makes a struct of a library's
//! functions, each resolved at its first use, and [`calls!`] one whose functions answer with results. A [`process::Guard`]
//! tells whether a loaded library may still be called, and [`Strings`] are what a run-time compiler takes.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod calls;
mod dl;
pub mod elf;
mod error;
mod open;
pub mod process;
mod strings;
mod symbols;

pub use calls::Check;
pub use error::{LoadError, MissingSymbol, Tried, no_device};
pub use open::{Opener, same_file};
pub use strings::Strings;
pub use symbols::{Prototype, Slot};

use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};

/// An open shared library.
#[derive(Clone, Debug)]
pub struct Library {
    handle: dl::Handle,
    path: PathBuf,
}

impl Library {
    /// The file, as the dynamic linker names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The address of a symbol.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        dl::symbol(self.handle, name)
    }
}

/// The files in this process whose names start with `prefix`.
///
/// ```
/// assert!(rushlight_load::mapped("libnot-there").is_empty());
/// ```
pub fn mapped(prefix: &str) -> Vec<PathBuf> {
    dl::mapped(prefix)
}
