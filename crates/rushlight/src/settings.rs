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
use rushlight_load::settings::{ACTIVATIONS, CPU_ISA, DETERMINISTIC, NUM_THREADS};
pub use rushlight_load::settings::{ALL, Invalid, Kind, Reader, Setting};
use std::sync::OnceLock;

/// Returns a sentence for each variable whose value is invalid, here or on any machine, and for each unknown name.
///
/// ```
/// assert_eq!(rushlight::settings::problems(), [""; 0]);
/// ```
pub fn problems() -> Vec<String> {
    let mut found = rushlight_load::settings::problems();
    // (A word that no machine accepts is among them.)
    found.extend(
        crate::cpu::check_simd_level().err().map(|e| e.to_string()).filter(|_| CPU_ISA.check().is_ok()),
    );
    found
}

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
        let cpu_isa = crate::cpu::check_simd_level().err();
        [&NUM_THREADS, &DETERMINISTIC, &ACTIVATIONS].iter().find_map(|s| s.check().err()).or(cpu_isa)
    });
    match found {
        None => Ok(()),
        Some(e) => Err(Error::Msg(e.to_string()).bt()),
    }
}
