//! Checked calls of `librocblas`.
use super::Check;
use super::hip::text;
use crate::Error;
use crate::sys::hip::hipStream_t;
use crate::sys::rocblas::*;
use rushlight_load::calls;
use std::ffi::{c_char, c_void};

rocblas_functions!(calls);

impl Check<rocblas_status> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: rocblas_status) -> Result<(), Error> {
        if code == rocblas_status_success {
            Ok(())
        } else {
            Err(Error::Blas { call, code, name: status_name(code) })
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

impl Check<()> for Calls {
    type Value = ();
    type Error = Error;
    fn check(&self, _: &'static str, (): ()) -> Result<(), Error> {
        Ok(())
    }
}
