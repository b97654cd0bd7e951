//! Checked calls of `libcuda`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result};
use rushlight_load::calls;
use std::ffi::{CStr, c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

cuda_functions!(calls);

impl Calls {
    /// Creates the error of a code with the driver's own message.
    pub fn error(&self, call: &'static str, code: CUresult) -> Error {
        let mut at: *const c_char = std::ptr::null();
        let found = self.symbols.cuGetErrorString().is_ok_and(|function| {
            // SAFETY: takes any number; the pointer is that of a local.
            let asked = unsafe { function(code, &mut at) };
            asked == CUDA_SUCCESS && !at.is_null()
        });
        let text = if found {
            // SAFETY: the driver's error texts are constants that end with NUL.
            unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned()
        } else {
            String::new()
        };
        Error::Cuda { call, code, text }
    }
}

impl Check<CUresult> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: CUresult) -> Result<()> {
        if code == CUDA_SUCCESS { Ok(()) } else { Err(self.error(call, code)) }
    }
}
