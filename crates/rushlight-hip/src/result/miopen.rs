//! Checked calls of `libMIOpen`.
use super::Check;
use super::hip::text;
use crate::Error;
use crate::sys::hip::hipStream_t;
use crate::sys::miopen::*;
use rushlight_load::calls;
use std::ffi::{c_char, c_int, c_void};

miopen_functions!(calls);

impl Check<miopenStatus_t> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: miopenStatus_t) -> Result<(), Error> {
        if code == miopenStatusSuccess {
            Ok(())
        } else {
            Err(Error::Miopen { call, code, name: status_name(code) })
        }
    }
}

impl Check<*const c_char> for Calls {
    type Value = String;
    type Error = Error;
    fn check(&self, _: &'static str, returned: *const c_char) -> Result<String, Error> {
        Ok(text(returned))
    }
}
