//! Checked calls of `librocsolver`.
use super::Check;
use crate::Error;
use crate::sys::rocblas::*;
use crate::sys::rocsolver::*;
use rushlight_load::calls;

rocsolver_functions!(calls);

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
