//! Decompositions of matrices with rocSOLVER.
use super::blas::extent;
use super::{Blas, BlasType, Device, Matrix, Stream};
use crate::result::rocsolver::Calls;
use crate::sys::rocblas::rocblas_int;
use crate::sys::rocsolver::*;
use crate::{Error, Result};

/// The factors U and V^H of a singular value decomposition that are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Factors {
    /// None.
    None,
    /// As many columns of U and rows of V^H as there are singular values.
    Reduced,
    /// Square matrices.
    Full,
}

/// A rocSOLVER handle on a stream. Decompositions are issued without waiting for them. Matrices are column-major and change
/// in place. Vectors and info words of a batch follow one another without gaps; an info word is an `i32`, 0 after success.
#[derive(Debug)]
pub struct Solver {
    calls: &'static Calls,
    blas: Blas,
}

/// Calls the function of a type.
macro_rules! typed {
    ($self:ident, $check:ident, $kind:expr, [$($type:ident $function:ident),+] $args:tt) => {
        match $kind {
            // SAFETY: the handle lives; the matrices and vectors lie in live allocations, as was checked.
            $(BlasType::$type => unsafe { $self.calls.$function $args },)+
            other => Err(Error::argument($check.call, format!("matrices of {other:?} are not supported"))),
        }
    };
}

fn at<T>(ptr: u64) -> *mut T {
    ptr as usize as *mut T
}

/// The checks of a call's operands.
struct Check<'a> {
    call: &'static str,
    device: &'a Device,
    batch: u64,
}

impl Check<'_> {
    fn int(&self, name: &str, v: u64) -> Result<rocblas_int> {
        let long = |_| Error::argument(self.call, format!("{name} is {v}, beyond 32 bits"));
        rocblas_int::try_from(v).map_err(long)
    }

    fn range(&self, name: &str, ptr: u64, bytes: Option<u64>, size: u64) -> Result<()> {
        let Some(bytes) = bytes else {
            return Err(Error::argument(self.call, format!("{name} is larger than an address can count")));
        };
        if !ptr.is_multiple_of(size) {
            let why = format!("{name} at {ptr:#x} is not aligned to its elements of {size} bytes");
            return Err(Error::argument(self.call, why));
        }
        self.device.check_range(self.call, ptr, bytes)
    }

    /// Checks a batch of matrices, and returns the leading dimension and the stride.
    fn matrix(&self, name: &str, x: &Matrix, sizes: [u64; 2], kind: BlasType) -> Result<(rocblas_int, i64)> {
        let [rows, cols] = sizes;
        if x.ld < rows.max(1) {
            let why = format!("{name} has {rows} rows and a leading dimension of {}", x.ld);
            return Err(Error::argument(self.call, why));
        }
        if self.batch > 1 && x.stride < (cols - 1).saturating_mul(x.ld).saturating_add(rows) {
            let why = format!("the matrices of {name} overlap: {} elements from one to the next", x.stride);
            return Err(Error::argument(self.call, why));
        }
        self.range(name, x.ptr, extent(x, rows, cols, self.batch, kind), kind.bytes())?;
        let stride = i64::try_from(x.stride);
        let stride = stride
            .map_err(|_| Error::argument(self.call, format!("the stride of {name} is {}", x.stride)))?;
        Ok((self.int("a leading dimension", x.ld)?, stride))
    }

    /// Checks vectors of `length` elements of `size` bytes.
    fn vector(&self, name: &str, ptr: u64, length: u64, size: u64) -> Result<()> {
        let bytes = length.checked_mul(self.batch).and_then(|n| n.checked_mul(size));
        self.range(name, ptr, bytes, size)
    }
}

const INT: u64 = size_of::<rocblas_int>() as u64;

/// Returns the bytes of a real number of a type.
fn part(kind: BlasType) -> u64 {
    match kind {
        BlasType::C64 | BlasType::C128 => kind.bytes() / 2,
        _ => kind.bytes(),
    }
}

impl Solver {
    /// Creates a handle for a stream's device.
    ///
    /// # Errors
    /// [`Error::Load`] if rocSOLVER or rocBLAS is missing, and the errors of [`Blas::new`].
    pub fn new(stream: &Stream) -> Result<Self> {
        Ok(Self { calls: stream.device().hip().solver()?, blas: Blas::new(stream)? })
    }

    /// Makes the device current. Returns `None` if there is nothing to do.
    fn start(&self, call: &'static str, batch: u64, sizes: &[u64]) -> Result<Option<Check<'_>>> {
        let device = self.blas.stream().device();
        device.0.enter(call)?;
        let empty = batch == 0 || sizes.contains(&0);
        Ok((!empty).then_some(Check { call, device, batch }))
    }

    /// Factorizes matrices of m rows and n columns: `a = P L U`. `pivots` are `i32`, the rows from 1 on that the first
    /// `min(m, n)` rows are exchanged with. An info word is the number, from 1 on, of the first pivot that is 0. F32 and F64.
    ///
    /// # Errors
    /// Unsupported types; sizes beyond 32 bits; memory outside the device's live allocations; a status of rocSOLVER.
    pub fn lu(
        &mut self,
        kind: BlasType,
        [m, n]: [u64; 2],
        a: Matrix,
        pivots: u64,
        info: u64,
        batch: u64,
    ) -> Result<()> {
        let Some(check) = self.start("rocsolver_getrf_strided_batched", batch, &[m, n])? else {
            return Ok(());
        };
        let (ld, stride) = check.matrix("a", &a, [m, n], kind)?;
        check.vector("the pivots", pivots, m.min(n), INT)?;
        check.vector("info", info, 1, INT)?;
        let (rows, columns) = (check.int("m", m)?, check.int("n", n)?);
        typed!(self, check, kind, [F32 rocsolver_sgetrf_strided_batched, F64 rocsolver_dgetrf_strided_batched] (self.blas.raw, rows, columns, at(a.ptr), ld, stride, at(pivots), m.min(n) as i64, at(info), check.int("the batch", batch)?))
    }

    /// Factorizes symmetric positive definite matrices, whose lower triangle is read and replaced: `a = L L^T`. An info word
    /// is the order of the first leading minor that is not positive. F32 and F64.
    ///
    /// # Errors
    /// As [`Solver::lu`].
    pub fn cholesky(&mut self, kind: BlasType, n: u64, a: Matrix, info: u64, batch: u64) -> Result<()> {
        let Some(check) = self.start("rocsolver_potrf_strided_batched", batch, &[n])? else { return Ok(()) };
        let (ld, stride) = check.matrix("a", &a, [n, n], kind)?;
        check.vector("info", info, 1, INT)?;
        typed!(self, check, kind, [F32 rocsolver_spotrf_strided_batched, F64 rocsolver_dpotrf_strided_batched] (self.blas.raw, rocblas_fill_lower, check.int("n", n)?, at(a.ptr), ld, stride, at(info), check.int("the batch", batch)?))
    }

    /// Factorizes matrices of m rows and n columns: `a = Q R`. R replaces the upper triangle; the vectors of `min(m, n)`
    /// reflections replace the rest, and their factors are written to `tau`. F32, F64, C64 and C128.
    ///
    /// # Errors
    /// As [`Solver::lu`].
    pub fn qr(&mut self, kind: BlasType, [m, n]: [u64; 2], a: Matrix, tau: u64, batch: u64) -> Result<()> {
        let Some(check) = self.start("rocsolver_geqrf_strided_batched", batch, &[m, n])? else {
            return Ok(());
        };
        let (ld, stride) = check.matrix("a", &a, [m, n], kind)?;
        check.vector("tau", tau, m.min(n), kind.bytes())?;
        let (rows, columns, steps) = (check.int("m", m)?, check.int("n", n)?, m.min(n) as i64);
        typed!(self, check, kind,
            [F32 rocsolver_sgeqrf_strided_batched, F64 rocsolver_dgeqrf_strided_batched,
             C64 rocsolver_cgeqrf_strided_batched, C128 rocsolver_zgeqrf_strided_batched] (self.blas.raw, rows, columns, at(a.ptr), ld, stride, at(tau), steps, check.int("the batch", batch)?))
    }

    /// Replaces the vectors of k reflections, which [`Solver::qr`] has made, by the first n columns of their product: a call
    /// for each matrix. `steps` is the number of elements of `tau` for each matrix. F32, F64, C64 and C128.
    ///
    /// # Errors
    /// As [`Solver::lu`]; n beyond m, or k beyond n.
    pub fn q(
        &mut self,
        kind: BlasType,
        [m, n, k]: [u64; 3],
        a: Matrix,
        (tau, steps): (u64, u64),
        batch: u64,
    ) -> Result<()> {
        let Some(check) = self.start("rocsolver_orgqr", batch, &[m, n])? else { return Ok(()) };
        if n > m || k > n || k > steps {
            let why = format!("there are {k} of {steps} reflections, {n} columns and {m} rows");
            return Err(Error::argument(check.call, why));
        }
        let (ld, _) = check.matrix("a", &a, [m, n], kind)?;
        check.vector("tau", tau, steps, kind.bytes())?;
        let (rows, columns, count) = (check.int("m", m)?, check.int("n", n)?, check.int("k", k)?);
        for i in 0..batch {
            let (a, tau) = (a.ptr + i * a.stride * kind.bytes(), tau + i * steps * kind.bytes());
            typed!(self, check, kind,
                [F32 rocsolver_sorgqr, F64 rocsolver_dorgqr, C64 rocsolver_cungqr, C128 rocsolver_zungqr] (self.blas.raw, rows, columns, count, at(a), ld, at(tau)))?;
        }
        Ok(())
    }

    /// Computes the eigenvalues, real and ascending, of Hermitian matrices, whose lower triangle is read; with `vectors` the
    /// eigenvectors replace the columns of `a`. `beside` is scratch memory for n real numbers of each matrix. An info word that
    /// is not 0 reports that the iteration did not converge. F32, F64, C64 and C128.
    ///
    /// # Errors
    /// As [`Solver::lu`].
    pub fn eigh(
        &mut self,
        kind: BlasType,
        vectors: bool,
        n: u64,
        a: Matrix,
        [values, beside]: [u64; 2],
        info: u64,
        batch: u64,
    ) -> Result<()> {
        let Some(check) = self.start("rocsolver_heevd_strided_batched", batch, &[n])? else { return Ok(()) };
        let (ld, stride) = check.matrix("a", &a, [n, n], kind)?;
        check.vector("the eigenvalues", values, n, part(kind))?;
        check.vector("the scratch memory", beside, n, part(kind))?;
        check.vector("info", info, 1, INT)?;
        let mode = if vectors { rocblas_evect_original } else { rocblas_evect_none };
        let (order, length) = (check.int("n", n)?, n as i64);
        typed!(self, check, kind,
            [F32 rocsolver_ssyevd_strided_batched, F64 rocsolver_dsyevd_strided_batched,
             C64 rocsolver_cheevd_strided_batched, C128 rocsolver_zheevd_strided_batched] (self.blas.raw, mode, rocblas_fill_lower, order, at(a.ptr), ld, stride, at(values), length, at(beside), length, at(info),
            check.int("the batch", batch)?))
    }

    /// Computes the singular values, descending, of matrices of m rows and n columns, which are destroyed, and the factors of
    /// `a = U diag(S) V^H`. `beside` is scratch memory for `min(m, n)` real numbers of each matrix. An info word that is not 0
    /// reports that the iteration did not converge. F32, F64, C64 and C128.
    ///
    /// # Errors
    /// As [`Solver::lu`].
    pub fn svd(
        &mut self,
        kind: BlasType,
        factors: Factors,
        [m, n]: [u64; 2],
        [a, u, v]: [Matrix; 3],
        [values, beside]: [u64; 2],
        info: u64,
        batch: u64,
    ) -> Result<()> {
        let Some(check) = self.start("rocsolver_gesvd_strided_batched", batch, &[m, n])? else {
            return Ok(());
        };
        let k = m.min(n);
        let (ld, stride) = check.matrix("a", &a, [m, n], kind)?;
        let (side, left, right) = match factors {
            Factors::None => (rocblas_svect_none, 0, 0),
            Factors::Reduced => (rocblas_svect_singular, k, k),
            Factors::Full => (rocblas_svect_all, m, n),
        };
        // Without factors their pointers are not used, but leading dimensions are checked.
        let [of_u, of_v] = match factors {
            Factors::None => [(1, 0); 2],
            _ => [check.matrix("u", &u, [m, left], kind)?, check.matrix("v", &v, [right, n], kind)?],
        };
        check.vector("the singular values", values, k, part(kind))?;
        check.vector("the scratch memory", beside, k, part(kind))?;
        check.vector("info", info, 1, INT)?;
        let (rows, columns, length) = (check.int("m", m)?, check.int("n", n)?, k as i64);
        typed!(self, check, kind,
            [F32 rocsolver_sgesvd_strided_batched, F64 rocsolver_dgesvd_strided_batched,
             C64 rocsolver_cgesvd_strided_batched, C128 rocsolver_zgesvd_strided_batched] (self.blas.raw, side, side, rows, columns, at(a.ptr), ld, stride, at(values), length, at(u.ptr), of_u.0, of_u.1, at(v.ptr),
            of_v.0, of_v.1, at(beside), length, rocblas_outofplace, at(info), check.int("the batch", batch)?))
    }
}
