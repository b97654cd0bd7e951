//! Checked calls of `libnvrtc`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result, search};
use rushlight_load::{Library, LoadError, calls};
use std::ffi::{c_char, c_int};
use std::path::PathBuf;
use std::sync::OnceLock;

nvrtc_functions!(calls);

impl Check<nvrtcResult> for Calls {
    type Value = ();
    type Error = Error;
    fn check(&self, call: &'static str, code: nvrtcResult) -> Result<()> {
        if code == NVRTC_SUCCESS { Ok(()) } else { Err(Error::Nvrtc { call, code, log: String::new() }) }
    }
}

static LOADED: OnceLock<std::result::Result<Calls, LoadError>> = OnceLock::new();

pub(crate) fn open() -> Result<&'static Calls> {
    let loaded = LOADED.get_or_init(|| {
        let hint = "NVRTC compiles kernels at run time: install it (pip: nvidia-cuda-nvrtc; NVIDIA's packages: cuda-nvrtc)";
        let names = [".so.13", ".so.12", ".so.11.2", ".so"];
        search::open("libnvrtc", &names, &["/usr/lib/x86_64-linux-gnu"], hint, |library: &Library| {
            // `nvrtcGetCUBIN` and the list of targets came with CUDA 11.
            match library.symbol(c"nvrtcGetCUBIN").and(library.symbol(c"nvrtcGetSupportedArchs")) {
                Some(_) => Ok(Calls::new(NvrtcSymbols::new(library.clone()))),
                None => Err("has no nvrtcGetCUBIN or no nvrtcGetSupportedArchs: CUDA 11.2 is the oldest supported version".into()),
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
