//! Finds and opens shared libraries of GPU vendors. A library is never closed: GPU runtimes do not support that.
//!
//! [`Opener`] tries folders and files and records the result of each for a [`LoadError`]. [`symbols!`] makes a struct
//! with the functions of a library, each resolved at its first use, and [`calls!`] one whose functions return
//! `Result`. A [`process::Guard`] checks that a loaded library may still be called. [`Strings`] holds the arguments
//! of a run-time compiler. [`settings`] is the table of the environment variables of all crates, and [`processor`] keeps
//! threads off a CPU.
#![cfg_attr(not(test), warn(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod calls;
mod dl;
pub mod elf;
mod error;
mod open;
pub mod process;
pub mod processor;
pub mod settings;
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
    /// Returns the file, as the dynamic linker names it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the address of a symbol, if the library has it.
    pub fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        dl::symbol(self.handle, name)
    }
}

/// Returns the files mapped in this process whose names start with `prefix`.
///
/// ```
/// assert!(rushlight_load::mapped("libmissing").is_empty());
/// ```
pub fn mapped(prefix: &str) -> Vec<PathBuf> {
    dl::mapped(prefix)
}
