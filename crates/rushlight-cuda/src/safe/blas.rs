//! cuBLAS: matrix products.
use super::Device;
use crate::result::cublas::{Calls, open};
use crate::sys::*;
use crate::{Error, Result, process};
use std::ffi::{c_int, c_longlong, c_void};

/// The type of a product's elements. f16 and bf16 are summed in f32; f32 is never summed in a narrower type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    F16,
    BF16,
    F32,
    F64,
}

/// A batch of column-major matrices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Address.
    pub ptr: u64,
    /// Elements from one column to the next.
    pub ld: u64,
    /// Elements from one matrix to the next.
    pub stride: u64,
}

/// `c = alpha op(a) op(b) + beta c` for each matrix of a batch: `op(a)` is m x k, `op(b)` is k x n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// The type of all elements.
    pub kind: Kind,
    /// Whether a and b are stored transposed.
    pub transposed: [bool; 2],
    /// Rows of c, columns of c, the summed dimension.
    pub sizes: [u64; 3],
    /// Matrices in the batch.
    pub batch: u64,
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of the old c, which is not read if this is 0.
    pub beta: f64,
    /// The left operand.
    pub a: Matrix,
    /// The right operand.
    pub b: Matrix,
    /// The result.
    pub c: Matrix,
}

/// A cuBLAS handle on a device's stream.
#[derive(Debug)]
pub struct Blas {
    calls: &'static Calls,
    device: Device,
    raw: cublasHandle_t,
}

// SAFETY: a handle may be used by any thread, one at a time; methods that use it take `&mut`.
unsafe impl Send for Blas {}

impl Blas {
    /// Opens cuBLAS for a device.
    ///
    /// # Errors
    /// cuBLAS is missing or does not support the device.
    ///
    /// ```no_run
    /// let device = rushlight_cuda::Device::new(0)?;
    /// let _blas = rushlight_cuda::Blas::new(&device)?;
    /// # Ok::<(), rushlight_cuda::Error>(())
    /// ```
    pub fn new(device: &Device) -> Result<Self> {
        device.enter("cublasCreate_v2")?;
        let mut blas = Self { calls: open()?, device: device.clone(), raw: std::ptr::null_mut() };
        // SAFETY: the pointer is that of a field, the stream lives as long as the device.
        unsafe {
            blas.calls.cublasCreate_v2(&mut blas.raw)?;
            blas.calls.cublasSetStream_v2(blas.raw, device.stream())?;
            // Else kernels that split a long inner dimension round the parts of f16 and bf16 before they add them.
            blas.calls.cublasSetMathMode(blas.raw, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION)?;
        }
        Ok(blas)
    }

    /// Issues a product on the device's stream.
    ///
    /// # Errors
    /// Sizes of 2^31 and more; an error of cuBLAS.
    pub fn gemm(&mut self, g: &Gemm) -> Result<()> {
        let call = "cublasGemmStridedBatchedEx";
        self.device.enter(call)?;
        let int = |v: u64| {
            c_int::try_from(v).map_err(|_| Error::argument(call, format!("{v} does not fit an int")))
        };
        let long = |v: u64| {
            c_longlong::try_from(v)
                .map_err(|_| Error::argument(call, format!("a stride of {v} is too large")))
        };
        let (kind, double) = match g.kind {
            Kind::F16 => (CUDA_R_16F, false),
            Kind::BF16 => (CUDA_R_16BF, false),
            Kind::F32 => (CUDA_R_32F, false),
            Kind::F64 => (CUDA_R_64F, true),
        };
        let trans = |t: bool| if t { CUBLAS_OP_T } else { CUBLAS_OP_N };
        let at = |m: Matrix| m.ptr as usize as *mut c_void;
        let single = [g.alpha as f32, g.beta as f32];
        let wide = [g.alpha, g.beta];
        // Scalars have the type of the sums and are on the host.
        let factor = |i: usize| -> *const c_void {
            if double { (&raw const wide[i]).cast() } else { (&raw const single[i]).cast() }
        };
        let compute = if double { CUBLAS_COMPUTE_64F } else { CUBLAS_COMPUTE_32F };
        let [m, n, k] = g.sizes;
        // SAFETY: the handle lives, and the factors until the call returns; the caller's matrices are memory of the device.
        unsafe {
            self.calls.cublasGemmStridedBatchedEx(
                self.raw,
                trans(g.transposed[0]),
                trans(g.transposed[1]),
                int(m)?,
                int(n)?,
                int(k)?,
                factor(0),
                at(g.a),
                kind,
                int(g.a.ld)?,
                long(g.a.stride)?,
                at(g.b),
                kind,
                int(g.b.ld)?,
                long(g.b.stride)?,
                factor(1),
                at(g.c),
                kind,
                int(g.c.ld)?,
                long(g.c.stride)?,
                int(g.batch)?,
                compute,
                CUBLAS_GEMM_DEFAULT,
            )
        }
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        if !self.raw.is_null() && process::fine() && self.device.enter("cublasDestroy_v2").is_ok() {
            // SAFETY: this is the last use of the handle. There is nothing to be done about a failure.
            let _ = unsafe { self.calls.cublasDestroy_v2(self.raw) };
        }
    }
}
