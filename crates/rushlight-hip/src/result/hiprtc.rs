//! Checked calls of `libhiprtc`.
use super::Check;
use crate::Error;
use crate::sys::hiprtc::*;
use rushlight_load::calls;
use std::ffi::{c_char, c_int};

hiprtc_functions!(calls);

impl Check<hiprtcResult> for Calls {
    type Value = ();
    type Error = Error;
    fn check(&self, call: &'static str, code: hiprtcResult) -> Result<(), Error> {
        if code == HIPRTC_SUCCESS {
            return Ok(());
        }
        Err(Error::Rtc { call, code, name: result_name(code), log: String::new() })
    }
}
