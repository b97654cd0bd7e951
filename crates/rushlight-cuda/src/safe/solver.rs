//! cuSOLVER: decompositions of matrices.
use super::{Device, Matrix};
use crate::result::cusolver::{Calls, open};
use crate::sys::*;
use crate::{Error, Result, process};
use std::ffi::{c_int, c_schar, c_void};

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum SolverKind {
    F32,
    F64,
    C64,
    C128,
}

impl SolverKind {
    /// Returns the constants of the type and of its parts.
    fn raw(self) -> (cudaDataType, cudaDataType) {
        match self {
            Self::F32 => (CUDA_R_32F, CUDA_R_32F),
            Self::F64 => (CUDA_R_64F, CUDA_R_64F),
            Self::C64 => (CUDA_C_32F, CUDA_R_32F),
            Self::C128 => (CUDA_C_64F, CUDA_R_64F),
        }
    }

    /// Returns the bytes of an element.
    fn bytes(self) -> u64 {
        match self {
            Self::F32 => 4,
            Self::F64 | Self::C64 => 8,
            Self::C128 => 16,
        }
    }

    /// Returns the bytes of a real number.
    fn part(self) -> u64 {
        if matches!(self, Self::F32 | Self::C64) { 4 } else { 8 }
    }
}

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

/// A decomposition, and the addresses of its vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Job {
    /// `a = P L U`. An info word is the number, from 1 on, of a pivot that is 0.
    Lu {
        /// `i64`, the rows from 1 on that the first rows are exchanged with.
        pivots: u64,
    },
    /// `a = L L^H`; the lower triangle is read and replaced. An info word is the order of a leading minor that is not positive.
    Cholesky,
    /// `a = Q R`: R replaces the upper triangle, vectors of `min(m, n)` reflections the rest.
    Qr {
        /// The factors of the reflections.
        tau: u64,
    },
    /// The first n columns of the product of reflections, which replace these.
    Q {
        /// The factors of the reflections.
        tau: u64,
        /// The number of reflections.
        k: u64,
        /// Elements of tau for each matrix.
        steps: u64,
    },
    /// Eigenvalues, real and ascending, of Hermitian matrices, whose lower triangle is read.
    Eigh {
        /// The eigenvalues.
        values: u64,
        /// Whether eigenvectors replace the columns of a.
        vectors: bool,
    },
    /// Singular values, descending, of matrices with `m >= n`, which are destroyed: `a = U diag(S) V^H`.
    Svd {
        /// The singular values.
        values: u64,
        /// The factors that are computed.
        factors: Factors,
        /// U.
        u: Matrix,
        /// V^H.
        v: Matrix,
    },
}

/// A decomposition of a batch of column-major matrices, in place. Vectors and info words follow one another without gaps; an
/// info word is an `i32`, 0 after success.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decomposition {
    /// The type of the elements.
    pub kind: SolverKind,
    /// Rows of a matrix.
    pub m: u64,
    /// Columns of a matrix.
    pub n: u64,
    /// Matrices in the batch, one call each.
    pub batch: u64,
    /// The matrices.
    pub a: Matrix,
    /// The decomposition.
    pub job: Job,
    /// Address of the info words.
    pub info: u64,
}

/// A cuSOLVER handle on a device's stream.
#[derive(Debug)]
pub struct Solver {
    calls: &'static Calls,
    device: Device,
    raw: cusolverDnHandle_t,
    params: cusolverDnParams_t,
}

// SAFETY: a handle may be used by any thread, one at a time; methods that use it take `&mut`.
unsafe impl Send for Solver {}

fn at<T>(ptr: u64) -> *mut T {
    ptr as usize as *mut T
}

/// One call: the pointers of one matrix.
struct One {
    a: u64,
    ld: i64,
    /// Pivots, tau or values.
    vector: u64,
    u: (u64, i64),
    v: (u64, i64),
    info: *mut c_int,
}

/// The work of a call with its decomposition.
enum Step<'a> {
    /// It returns the bytes of its workspaces.
    Sizes { device: &'a mut usize, host: &'a mut usize },
    /// It computes in workspaces of these addresses and bytes.
    Run { device: (u64, usize), host: (*mut c_void, usize) },
}

impl Solver {
    /// Opens cuSOLVER for a device.
    ///
    /// # Errors
    /// cuSOLVER is missing or does not support the device.
    ///
    /// ```no_run
    /// let device = rushlight_cuda::Device::new(0)?;
    /// let _solver = rushlight_cuda::Solver::new(&device)?;
    /// # Ok::<(), rushlight_cuda::Error>(())
    /// ```
    pub fn new(device: &Device) -> Result<Self> {
        device.enter("cusolverDnCreate")?;
        let (raw, params) = (std::ptr::null_mut(), std::ptr::null_mut());
        let mut solver = Self { calls: open()?, device: device.clone(), raw, params };
        // SAFETY: the pointers are those of fields, the stream lives as long as the device.
        unsafe {
            solver.calls.cusolverDnCreate(&mut solver.raw)?;
            solver.calls.cusolverDnSetStream(solver.raw, device.stream())?;
            solver.calls.cusolverDnCreateParams(&mut solver.params)?;
        }
        Ok(solver)
    }

    /// Returns the bytes of device memory that a decomposition needs.
    ///
    /// # Errors
    /// Sizes that cuSOLVER does not support; an error of cuSOLVER.
    pub fn space(&mut self, d: &Decomposition) -> Result<u64> {
        Ok(self.sizes(d)?.0 as u64)
    }

    /// Issues a decomposition on the device's stream. `space` is the address and the size of device memory.
    ///
    /// # Errors
    /// As [`Solver::space`]; too little memory.
    pub fn run(&mut self, d: &Decomposition, space: (u64, u64)) -> Result<()> {
        let (device_bytes, host_bytes) = self.sizes(d)?;
        if space.1 < device_bytes as u64 {
            let why = format!("it needs {device_bytes} bytes of device memory, got {}", space.1);
            return Err(Error::argument(name(&d.job), why));
        }
        // Used until the call returns.
        let mut host = vec![0u64; host_bytes.div_ceil(8)];
        for i in 0..d.batch {
            let (device, host) = ((space.0, device_bytes), (host.as_mut_ptr().cast(), host_bytes));
            self.call(d, &one(d, i)?, Step::Run { device, host })?;
        }
        Ok(())
    }

    /// Returns the bytes on the device and on the host that a call needs.
    fn sizes(&mut self, d: &Decomposition) -> Result<(usize, usize)> {
        self.device.enter(name(&d.job))?;
        let (mut device, mut host) = (0, 0);
        self.call(d, &one(d, 0)?, Step::Sizes { device: &mut device, host: &mut host })?;
        Ok((device, host))
    }

    /// Calls the function of a decomposition, or the one that returns its sizes, for which matrices are not read.
    fn call(&mut self, d: &Decomposition, x: &One, step: Step<'_>) -> Result<()> {
        let ((t, real), calls) = (d.kind.raw(), self.calls);
        let (raw, params) = (self.raw, self.params);
        let (m, n, lower) = (long(d, d.m)?, long(d, d.n)?, CUBLAS_FILL_MODE_LOWER);
        // The arguments begin alike; the sizes do not depend on those in brackets.
        macro_rules! call {
            ($size:ident $call:ident $($arg:expr),*; [$($alone:expr),*]) => {
                match step {
                    Step::Sizes { device, host } => calls.$size(raw, params, $($arg,)* t, device, host),
                    Step::Run { device, host } => calls.$call(
                        raw, params, $($arg,)* $($alone,)* t, at(device.0), device.1, host.0, host.1, x.info,
                    ),
                }
            };
        }
        // SAFETY: the handle and the parameters live, sizes are written to locals, and host memory lives until the call returns;
        // the caller's addresses are those of memory of the device.
        unsafe {
            match d.job {
                Job::Lu { .. } => call!(
                    cusolverDnXgetrf_bufferSize cusolverDnXgetrf m, n, t, at(x.a), x.ld; [at(x.vector)]
                ),
                Job::Cholesky => call!(
                    cusolverDnXpotrf_bufferSize cusolverDnXpotrf lower, n, t, at(x.a), x.ld; []
                ),
                Job::Qr { .. } => call!(
                    cusolverDnXgeqrf_bufferSize cusolverDnXgeqrf m, n, t, at(x.a), x.ld, t, at(x.vector); []
                ),
                Job::Q { k, .. } => self.product(d, x, k, step),
                Job::Eigh { vectors, .. } => call!(
                    cusolverDnXsyevd_bufferSize cusolverDnXsyevd
                    mode(vectors), lower, n, t, at(x.a), x.ld, real, at(x.vector); []
                ),
                Job::Svd { factors, .. } => call!(
                    cusolverDnXgesvd_bufferSize cusolverDnXgesvd
                    letter(factors), letter(factors), m, n, t, at(x.a), x.ld, real, at(x.vector), t, at(x.u.0), x.u.1, t,
                    at(x.v.0), x.v.1; []
                ),
            }
        }
    }

    /// As [`Solver::call`], for the product of k reflections, whose functions have one type each.
    fn product(&mut self, d: &Decomposition, x: &One, k: u64, step: Step<'_>) -> Result<()> {
        let (raw, calls) = (self.raw, self.calls);
        let (m, n, k, ld) = (int(d, d.m)?, int(d, d.n)?, int(d, k)?, int(d, d.a.ld)?);
        macro_rules! call {
            ($size:ident $call:ident) => {
                match step {
                    Step::Sizes { device, .. } => {
                        let mut length = 0;
                        calls.$size(raw, m, n, k, at(x.a), ld, at(x.vector), &raw mut length)?;
                        *device = usize::try_from(length).unwrap_or(0) * d.kind.bytes() as usize;
                        Ok(())
                    }
                    Step::Run { device: (space, bytes), .. } => {
                        let length = int(d, bytes as u64 / d.kind.bytes())?;
                        calls.$call(raw, m, n, k, at(x.a), ld, at(x.vector), at(space), length, x.info)
                    }
                }
            };
        }
        // SAFETY: as in `call`.
        unsafe {
            match d.kind {
                SolverKind::F32 => call!(cusolverDnSorgqr_bufferSize cusolverDnSorgqr),
                SolverKind::F64 => call!(cusolverDnDorgqr_bufferSize cusolverDnDorgqr),
                SolverKind::C64 => call!(cusolverDnCungqr_bufferSize cusolverDnCungqr),
                SolverKind::C128 => call!(cusolverDnZungqr_bufferSize cusolverDnZungqr),
            }
        }
    }
}

/// Returns the name of the function of a decomposition.
fn name(job: &Job) -> &'static str {
    match job {
        Job::Lu { .. } => "cusolverDnXgetrf",
        Job::Cholesky => "cusolverDnXpotrf",
        Job::Qr { .. } => "cusolverDnXgeqrf",
        Job::Q { .. } => "cusolverDnSorgqr",
        Job::Eigh { .. } => "cusolverDnXsyevd",
        Job::Svd { .. } => "cusolverDnXgesvd",
    }
}

fn long(d: &Decomposition, v: u64) -> Result<i64> {
    i64::try_from(v).map_err(|_| Error::argument(name(&d.job), format!("{v} does not fit 63 bits")))
}

fn int(d: &Decomposition, v: u64) -> Result<c_int> {
    c_int::try_from(v).map_err(|_| Error::argument(name(&d.job), format!("{v} does not fit an int")))
}

fn mode(vectors: bool) -> cusolverEigMode_t {
    if vectors { CUSOLVER_EIG_MODE_VECTOR } else { CUSOLVER_EIG_MODE_NOVECTOR }
}

fn letter(factors: Factors) -> c_schar {
    (match factors {
        Factors::None => b'N',
        Factors::Reduced => b'S',
        Factors::Full => b'A',
    }) as c_schar
}

/// Returns the pointers of a matrix of the batch.
fn one(d: &Decomposition, i: u64) -> Result<One> {
    let matrix = |x: &Matrix| (x.ptr + i * x.stride * d.kind.bytes(), x.ld);
    let short = d.m.min(d.n);
    let (vector, length) = match d.job {
        Job::Lu { pivots } => (pivots, short * size_of::<i64>() as u64),
        Job::Cholesky => (0, 0),
        Job::Qr { tau } => (tau, short * d.kind.bytes()),
        Job::Q { tau, steps, .. } => (tau, steps * d.kind.bytes()),
        Job::Eigh { values, .. } | Job::Svd { values, .. } => (values, short * d.kind.part()),
    };
    let (u, v) = match &d.job {
        Job::Svd { .. } if d.m < d.n => {
            let why = format!("it has no decomposition of {} rows and {} columns", d.m, d.n);
            return Err(Error::argument(name(&d.job), why));
        }
        // Without factors, leading dimensions are checked, and pointers are not used.
        Job::Svd { factors: Factors::None, .. } => ((0, d.m), (0, d.n)),
        Job::Svd { u, v, .. } => (matrix(u), matrix(v)),
        _ => ((0, 1), (0, 1)),
    };
    let (a, ld) = matrix(&d.a);
    Ok(One {
        a,
        ld: long(d, ld)?,
        vector: vector + i * length,
        u: (u.0, long(d, u.1)?),
        v: (v.0, long(d, v.1)?),
        info: at(d.info + i * size_of::<c_int>() as u64),
    })
}

impl Drop for Solver {
    fn drop(&mut self) {
        if self.raw.is_null() || !process::fine() || self.device.enter("cusolverDnDestroy").is_err() {
            return;
        }
        // SAFETY: this is the last use of the handle and of the parameters. There is nothing to be done about a failure.
        unsafe {
            if !self.params.is_null() {
                let _ = self.calls.cusolverDnDestroyParams(self.params);
            }
            let _ = self.calls.cusolverDnDestroy(self.raw);
        }
    }
}
