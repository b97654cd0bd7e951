//! Checked calls of `libamdhip64`.
use super::Check;
use crate::sys::hip::*;
use crate::{Error, error};
use rushlight_load::calls;
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

hip_functions!(calls);

impl Calls {
    /// Creates the error of a code with the runtime's own message. Clears the runtime's last error unless it is
    /// sticky.
    pub fn error(&self, call: &'static str, code: hipError_t) -> Error {
        let text = self.symbols.hipGetErrorString().ok().map(|function| {
            // SAFETY: takes any number and returns a constant string.
            text(unsafe { function(code) })
        });
        if !error::sticky(code)
            && let Ok(clear) = self.symbols.hipGetLastError()
        {
            // SAFETY: takes nothing.
            unsafe { clear() };
        }
        let name = error_name(code);
        // HIP 5.2 returns the name again, which adds nothing.
        let text = text.filter(|t| t != name).unwrap_or_default();
        Error::Hip { call, code, name, text }
    }
}

impl Check<hipError_t> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: hipError_t) -> Result<(), Error> {
        if code == hipSuccess { Ok(()) } else { Err(self.error(call, code)) }
    }
}

impl Check<*const c_char> for Calls {
    type Value = String;
    type Error = Error;
    fn check(&self, _: &'static str, returned: *const c_char) -> Result<String, Error> {
        Ok(text(returned))
    }
}

pub(super) fn text(at: *const c_char) -> String {
    if at.is_null() {
        return String::new();
    }
    // SAFETY: the runtime's error texts are constants that end with NUL.
    unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
}
