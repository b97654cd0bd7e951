//! Checked calls of `libcublas`.
use super::Check;
use crate::sys::*;
use crate::{Error, Result, search};
use rushlight_load::{Library, LoadError, calls};
use std::ffi::{c_int, c_longlong, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

cublas_functions!(calls);

impl Check<cublasStatus_t> for Calls {
    type Value = ();
    type Error = Error;
    #[inline]
    fn check(&self, call: &'static str, code: cublasStatus_t) -> Result<()> {
        if code == CUBLAS_STATUS_SUCCESS { Ok(()) } else { Err(Error::Blas { call, code }) }
    }
}

static LOADED: OnceLock<std::result::Result<Calls, LoadError>> = OnceLock::new();

pub(crate) fn open() -> Result<&'static Calls> {
    let loaded = LOADED.get_or_init(|| {
        let hint =
            "cuBLAS multiplies matrices: install it (pip: nvidia-cublas; NVIDIA's packages: libcublas)";
        let names = [".so.13", ".so.12", ".so.11", ".so"];
        search::open("libcublas", &names, &["/usr/lib/x86_64-linux-gnu"], hint, |library: &Library| {
            match library.symbol(c"cublasGemmStridedBatchedEx") {
                Some(_) => Ok(Calls::new(CublasSymbols::new(library.clone()))),
                None => Err("has no cublasGemmStridedBatchedEx".into()),
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
