//! Checked calls of `libcusolver`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result, search};
use rushlight_load::{Library, LoadError, calls};
use std::ffi::{c_int, c_schar, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

cusolver_functions!(calls);

impl Check<cusolverStatus_t> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: cusolverStatus_t) -> Result<()> {
        if code == CUSOLVER_STATUS_SUCCESS { Ok(()) } else { Err(Error::Solver { call, code }) }
    }
}

static LOADED: OnceLock<std::result::Result<Calls, LoadError>> = OnceLock::new();

pub(crate) fn open() -> Result<&'static Calls> {
    let loaded = LOADED.get_or_init(|| {
        let hint =
            "cuSOLVER decomposes matrices: install it (pip: nvidia-cusolver; NVIDIA's packages: libcusolver)";
        // CUDA 12 has number 11.
        let names = [".so.12", ".so.11", ".so"];
        search::open("libcusolver", &names, &["/usr/lib/x86_64-linux-gnu"], hint, |library: &Library| {
            match library.symbol(c"cusolverDnXgesvd") {
                Some(_) => Ok(Calls::new(CusolverSymbols::new(library.clone()))),
                None => Err("has no cusolverDnXgesvd".into()),
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
