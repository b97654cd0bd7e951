//! Checked calls of `librocfft`.
use super::Check;
use crate::Error;
use crate::sys::rocfft::*;
use rushlight_load::calls;
use std::ffi::{c_char, c_void};

rocfft_functions!(calls);

impl Check<rocfft_status> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: rocfft_status) -> Result<(), Error> {
        if code == rocfft_status_success {
            Ok(())
        } else {
            Err(Error::Fft { call, code, name: status_name(code) })
        }
    }
}
