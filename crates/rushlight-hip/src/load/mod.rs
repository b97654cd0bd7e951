//! Finding and opening shared libraries. Nothing is ever closed: GPU runtimes do not survive it.
mod dl;
pub(crate) mod elf;
mod open;
mod search;

pub(crate) use open::{open_hip, open_sibling, other_runtimes};
pub use search::Search;

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
    pub(crate) fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        dl::symbol(self.handle, name)
    }
}
