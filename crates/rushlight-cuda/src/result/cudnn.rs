//! Checked calls of `libcudnn`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result, search};
use rushlight_load::{Library, LoadError, calls};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

cudnn_functions!(calls);

impl Check<cudnnStatus_t> for Calls {
    type Value = ();
    type Error = Error;
    fn check(&self, call: &'static str, code: cudnnStatus_t) -> Result<()> {
        if code == CUDNN_STATUS_SUCCESS { Ok(()) } else { Err(self.error(call, code)) }
    }
}

impl Check<usize> for Calls {
    type Value = usize;
    type Error = Error;
    fn check(&self, _: &'static str, value: usize) -> Result<usize> {
        Ok(value)
    }
}

impl Check<*const c_char> for Calls {
    type Value = *const c_char;
    type Error = Error;
    fn check(&self, _: &'static str, value: *const c_char) -> Result<*const c_char> {
        Ok(value)
    }
}

impl Calls {
    /// Creates the error of a code with cuDNN's own name of it: codes differ between its versions.
    fn error(&self, call: &'static str, code: cudnnStatus_t) -> Error {
        // SAFETY: takes any number.
        let name = match unsafe { self.cudnnGetErrorString(code) } {
            // SAFETY: names are constants that end with NUL.
            Ok(at) if !at.is_null() => unsafe { CStr::from_ptr(at) }.to_string_lossy().into_owned(),
            _ => "an unknown code".to_string(),
        };
        Error::Dnn { call, code, name }
    }
}

static LOADED: OnceLock<std::result::Result<Calls, LoadError>> = OnceLock::new();

pub(crate) fn open() -> Result<&'static Calls> {
    let loaded = LOADED.get_or_init(|| {
        let hint =
            "cuDNN computes convolutions: install it (pip: nvidia-cudnn-cu12; NVIDIA's packages: cudnn)";
        let names = [".so.9", ".so.8", ".so"];
        search::open("libcudnn", &names, &["/usr/lib/x86_64-linux-gnu"], hint, |library: &Library| {
            // Version 7 queries kernels by other functions; version 8 came with CUDA 11.
            let calls = Calls::new(CudnnSymbols::new(library.clone()));
            // SAFETY: takes nothing.
            match unsafe { calls.cudnnGetVersion() } {
                Ok(version) if version < 8000 => {
                    Err(format!("is version {version}; 8 is the oldest supported version"))
                }
                Ok(_) if library.symbol(c"cudnnGetConvolutionForwardAlgorithm_v7").is_some() => Ok(calls),
                Ok(_) => Err("has no cudnnGetConvolutionForwardAlgorithm_v7".into()),
                Err(e) => Err(e.to_string()),
            }
        })
    });
    loaded.as_ref().map_err(|e| Error::Load(e.clone()))
}

/// Returns the file of the library, if it is open.
pub(crate) fn path() -> Option<PathBuf> {
    let calls = LOADED.get()?.as_ref().ok()?;
    Some(calls.symbols().library().path().to_path_buf())
}
