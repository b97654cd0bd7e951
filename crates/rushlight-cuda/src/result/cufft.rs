//! Checked calls of `libcufft`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result, search};
use rushlight_load::{Library, LoadError, calls};
use std::ffi::{c_int, c_longlong, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

cufft_functions!(calls);

impl Check<cufftResult> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: cufftResult) -> Result<()> {
        if code == CUFFT_SUCCESS { Ok(()) } else { Err(Error::Fft { call, code }) }
    }
}

static LOADED: OnceLock<std::result::Result<Calls, LoadError>> = OnceLock::new();

pub(crate) fn open() -> Result<&'static Calls> {
    let loaded = LOADED.get_or_init(|| {
        let hint =
            "cuFFT computes Fourier transforms: install it (pip: nvidia-cufft-cu12; NVIDIA's packages: libcufft)";
        let names = [".so.12", ".so.11", ".so.10", ".so"];
        search::open("libcufft", &names, &["/usr/lib/x86_64-linux-gnu"], hint, |library: &Library| {
            match library.symbol(c"cufftMakePlanMany64") {
                Some(_) => Ok(Calls::new(CufftSymbols::new(library.clone()))),
                None => Err("has no cufftMakePlanMany64".into()),
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
