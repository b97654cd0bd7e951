//! The environment variables: their table, and the problems of the current environment.
//!
//! The documentation is generated from [`ALL`].
//!
//! ```
//! use rushlight::settings;
//! assert!(settings::ALL.iter().any(|s| s.name == "RUSHLIGHT_NUM_THREADS"));
//! for problem in settings::problems() {
//!     eprintln!("{problem}");
//! }
//! ```
use crate::{Error, Result};
pub use rushlight_load::settings::{ALL, Invalid, Kind, Reader, Setting, problems};
use rushlight_load::settings::{DETERMINISTIC, NUM_THREADS};
use std::sync::OnceLock;

/// Returns the error for a device that cannot be opened because of an invalid variable.
pub(crate) fn of_device(e: Invalid) -> Error {
    Error::Device(e.to_string()).bt()
}

/// Checks, once in a process, the variables that are read where no error can be returned.
///
/// # Errors
/// If one of them is invalid. Every op on the CPU returns this error, so that a misspelled value is not ignored.
#[inline]
pub(crate) fn check() -> Result<()> {
    static CHECKED: OnceLock<Option<Invalid>> = OnceLock::new();
    let found = CHECKED.get_or_init(|| {
        rushlight_load::settings::warn_unknown();
        [&NUM_THREADS, &DETERMINISTIC].iter().find_map(|s| s.check().err())
    });
    match found {
        None => Ok(()),
        Some(e) => Err(Error::Msg(e.to_string()).bt()),
    }
}
