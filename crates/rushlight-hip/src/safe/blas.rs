//! Matrix products with rocBLAS.
use super::{Device, Hip, Stream};
use crate::result::rocblas::Calls;
use crate::sys::rocblas::*;
use crate::{Error, Result};
use std::ffi::{CStr, c_void};
use std::path::{Path, PathBuf};

/// The type of a matrix's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BlasType {
    /// IEEE half.
    F16,
    /// bfloat16.
    BF16,
    /// IEEE single.
    F32,
    /// IEEE double.
    F64,
    /// Signed byte.
    I8,
    /// Signed 32-bit integer.
    I32,
    /// Complex of two singles.
    C64,
    /// Complex of two doubles.
    C128,
}

impl BlasType {
    /// Returns the bytes of an element.
    pub fn bytes(self) -> u64 {
        match self {
            BlasType::I8 => 1,
            BlasType::F16 | BlasType::BF16 => 2,
            BlasType::F32 | BlasType::I32 => 4,
            BlasType::F64 | BlasType::C64 => 8,
            BlasType::C128 => 16,
        }
    }

    fn raw(self) -> rocblas_datatype {
        match self {
            BlasType::F16 => rocblas_datatype_f16_r,
            BlasType::BF16 => rocblas_datatype_bf16_r,
            BlasType::F32 => rocblas_datatype_f32_r,
            BlasType::F64 => rocblas_datatype_f64_r,
            BlasType::I8 => rocblas_datatype_i8_r,
            BlasType::I32 => rocblas_datatype_i32_r,
            BlasType::C64 => rocblas_datatype_f32_c,
            BlasType::C128 => rocblas_datatype_f64_c,
        }
    }

    /// Returns the type that rocBLAS computes in for inputs of this type and an output of type `out`, or `None` if it
    /// does not support the combination. Products of halves are computed in single precision.
    ///
    /// ```
    /// use rushlight_hip::BlasType::*;
    /// assert_eq!(F16.computes(F16), Some(F32));
    /// assert_eq!(I8.computes(I8), None);
    /// ```
    pub fn computes(self, out: BlasType) -> Option<BlasType> {
        use BlasType::*;
        match (self, out) {
            (F16, F16 | F32) | (BF16, BF16 | F32) | (F32, F32) => Some(F32),
            (F64, F64) => Some(F64),
            (I8, I32) => Some(I32),
            (C64, C64) => Some(C64),
            (C128, C128) => Some(C128),
            _ => None,
        }
    }
}

/// How a stored matrix is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trans {
    /// Not transposed.
    #[default]
    None,
    /// Transposed.
    Transpose,
    /// Transposed, imaginary parts negated.
    Conjugate,
}

impl Trans {
    fn raw(self) -> rocblas_operation {
        match self {
            Trans::None => rocblas_operation_none,
            Trans::Transpose => rocblas_operation_transpose,
            Trans::Conjugate => rocblas_operation_conjugate_transpose,
        }
    }
}

/// A matrix, or a batch of them, on the device; columns are contiguous (column-major).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// Address.
    pub ptr: u64,
    /// Elements from one column to the next.
    pub ld: u64,
    /// Elements from one matrix of the batch to the next; inputs may have 0.
    pub stride: u64,
}

/// `d = alpha * op(a) * op(b) + beta * c` for each matrix of a batch; `op(a)` is m × k, `op(b)` is k × n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    /// How `a` is read.
    pub trans_a: Trans,
    /// How `b` is read.
    pub trans_b: Trans,
    /// Rows of `d`.
    pub m: u64,
    /// Columns of `d`.
    pub n: u64,
    /// The summed dimension.
    pub k: u64,
    /// Matrices.
    pub batch: u64,
    /// Type of `a` and `b`.
    pub input: BlasType,
    /// Type of `c` and `d`.
    pub output: BlasType,
    /// Factor of the product.
    pub alpha: f64,
    /// Factor of `c`; with 0 `c` is not read.
    pub beta: f64,
    /// Left operand.
    pub a: Matrix,
    /// Right operand.
    pub b: Matrix,
    /// Added matrix.
    pub c: Matrix,
    /// The result; it may be `c`.
    pub d: Matrix,
    /// gfx90a only: multiplies halves with bfloat16 units, which keep subnormals and lose bits.
    pub alt_half: bool,
}

/// A rocBLAS handle on a stream. Products are issued without waiting for them.
#[derive(Debug)]
pub struct Blas {
    calls: &'static Calls,
    pub(super) raw: rocblas_handle,
    stream: Stream,
}

// SAFETY: a handle may be used by any thread, one at a time; calls take `&mut self`.
unsafe impl Send for Blas {}
// SAFETY: as above; nothing can be done with a shared reference.
unsafe impl Sync for Blas {}

impl Blas {
    /// Creates a handle for a stream's device. Its workspace of 32 or 128 MiB is allocated on the device at once.
    ///
    /// Results repeat bit for bit: rocBLAS uses atomics only after [`Blas::allow_atomics`].
    ///
    /// # Errors
    /// [`Error::Load`] if rocBLAS is missing; [`Error::NoKernels`] if it has none for this GPU, which would end the
    /// process at the first product.
    pub fn new(stream: &Stream) -> Result<Self> {
        let device = stream.device();
        let calls = device.hip().blas()?;
        check_kernels(calls.symbols().library().path(), device.arch())?;
        device.0.enter("rocblas_create_handle")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local; the device is current.
        unsafe { calls.rocblas_create_handle(&mut raw)? };
        let blas = Self { calls, raw, stream: stream.clone() };
        // SAFETY: handle and stream live.
        unsafe {
            calls.rocblas_set_stream(raw, stream.raw())?;
            calls.rocblas_set_pointer_mode(raw, rocblas_pointer_mode_host)?;
            calls.rocblas_set_atomics_mode(raw, rocblas_atomics_not_allowed)?;
        }
        Ok(blas)
    }

    /// Returns rocBLAS's version, as `4.4.1.hash`.
    ///
    /// # Errors
    /// [`Error::Load`] if rocBLAS is missing.
    pub fn version() -> Result<String> {
        let calls = Hip::get()?.blas()?;
        let mut text = [0u8; 256];
        // SAFETY: the buffer has the length that is passed.
        unsafe { calls.rocblas_get_version_string(text.as_mut_ptr().cast(), text.len())? };
        Ok(CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy().into_owned())
    }

    /// Checks that rocBLAS is installed and has kernels for a device, without using it.
    ///
    /// # Errors
    /// As [`Blas::new`].
    pub fn check(device: &Device) -> Result<()> {
        check_kernels(device.hip().blas()?.symbols().library().path(), device.arch())
    }

    /// Returns the stream that products are issued to.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// Allows products to use atomics: faster for some shapes, but results may differ from run to run.
    pub fn allow_atomics(&mut self, allow: bool) -> Result<()> {
        let mode = if allow { rocblas_atomics_allowed } else { rocblas_atomics_not_allowed };
        self.stream.device().0.enter("rocblas_set_atomics_mode")?;
        // SAFETY: the handle lives.
        unsafe { self.calls.rocblas_set_atomics_mode(self.raw, mode) }
    }

    /// Issues products to another stream of the device from now on, after those of the old stream are done: both use
    /// the handle's workspace.
    ///
    /// # Errors
    /// A stream of another device.
    pub fn set_stream(&mut self, stream: &Stream) -> Result<()> {
        if stream.device() != self.stream.device() {
            let why = format!(
                "the handle belongs to {:?}, the stream to {:?}",
                self.stream.device(),
                stream.device()
            );
            return Err(Error::argument("rocblas_set_stream", why));
        }
        self.stream.synchronize()?;
        // SAFETY: handle and stream live.
        unsafe { self.calls.rocblas_set_stream(self.raw, stream.raw())? };
        self.stream = stream.clone();
        Ok(())
    }

    /// Issues a batch of products.
    ///
    /// # Errors
    /// Unsupported types; sizes beyond 32 bits; leading dimensions that are too small; matrices outside the device's
    /// live allocations; a status of rocBLAS, such as `not_implemented` if it has no kernel for the case.
    pub fn gemm(&mut self, g: &Gemm) -> Result<()> {
        let call = "rocblas_gemm_strided_batched_ex";
        let refuse = |why: String| Err(Error::argument(call, why));
        let Some(compute) = g.input.computes(g.output) else {
            return refuse(format!(
                "a product of {:?} with a result of {:?} is not supported",
                g.input, g.output
            ));
        };
        let of = |trans: Trans, rows: u64, cols: u64| {
            if trans == Trans::None { (rows, cols) } else { (cols, rows) }
        };
        let (a_rows, a_cols) = of(g.trans_a, g.m, g.k);
        let (b_rows, b_cols) = of(g.trans_b, g.k, g.n);
        let device = self.stream.device();
        device.0.enter(call)?;
        if g.m == 0 || g.n == 0 || g.batch == 0 {
            return Ok(());
        }
        let reads = g.k != 0 && g.alpha != 0.0;
        let operands = [
            ("a", &g.a, a_rows, a_cols, g.input, reads),
            ("b", &g.b, b_rows, b_cols, g.input, reads),
            ("c", &g.c, g.m, g.n, g.output, g.beta != 0.0),
            ("d", &g.d, g.m, g.n, g.output, true),
        ];
        for (name, x, rows, cols, kind, used) in operands {
            if x.ld < rows.max(1) {
                return refuse(format!("{name} has {rows} rows and a leading dimension of {}", x.ld));
            }
            if !x.ptr.is_multiple_of(kind.bytes()) {
                return refuse(format!(
                    "{name} at {:#x} is not aligned to its elements of {} bytes",
                    x.ptr,
                    kind.bytes()
                ));
            }
            if used && rows != 0 && cols != 0 {
                let Some(bytes) = extent(x, rows, cols, g.batch, kind) else {
                    return refuse(format!("{name} is larger than an address can count"));
                };
                device.check_range(call, x.ptr, bytes)?;
            }
        }
        if g.batch > 1 && g.d.stride < (g.n - 1).saturating_mul(g.d.ld).saturating_add(g.m) {
            return refuse(format!(
                "the matrices of d overlap: {} elements from one to the next",
                g.d.stride
            ));
        }
        if g.c.ptr == g.d.ptr && (g.c.ld != g.d.ld || g.batch > 1 && g.c.stride != g.d.stride) {
            return refuse("c is d, but with other strides".into());
        }
        let int = |name: &str, v: u64| {
            rocblas_int::try_from(v)
                .map_err(|_| Error::argument(call, format!("{name} is {v}, beyond 32 bits")))
        };
        let stride = |name: &str, v: u64| {
            rocblas_stride::try_from(v)
                .map_err(|_| Error::argument(call, format!("the stride of {name} is {v}")))
        };
        let (alpha, beta) = (Scalar::new(compute, g.alpha), Scalar::new(compute, g.beta));
        let at = |m: &Matrix| m.ptr as usize as *mut c_void;
        let flags = if g.alt_half { rocblas_gemm_flags_fp16_alt_impl } else { rocblas_gemm_flags_none };
        // SAFETY: the handle lives; the matrices lie in live allocations; the scalars have the type of the computation.
        unsafe {
            self.calls.rocblas_gemm_strided_batched_ex(
                self.raw,
                g.trans_a.raw(),
                g.trans_b.raw(),
                int("m", g.m)?,
                int("n", g.n)?,
                int("k", g.k)?,
                alpha.at(),
                at(&g.a),
                g.input.raw(),
                int("a's leading dimension", g.a.ld)?,
                stride("a", g.a.stride)?,
                at(&g.b),
                g.input.raw(),
                int("b's leading dimension", g.b.ld)?,
                stride("b", g.b.stride)?,
                beta.at(),
                at(&g.c),
                g.output.raw(),
                int("c's leading dimension", g.c.ld)?,
                stride("c", g.c.stride)?,
                at(&g.d),
                g.output.raw(),
                int("d's leading dimension", g.d.ld)?,
                stride("d", g.d.stride)?,
                int("the batch", g.batch)?,
                compute.raw(),
                rocblas_gemm_algo_standard,
                0,
                flags,
            )
        }
    }
}

impl Drop for Blas {
    fn drop(&mut self) {
        let (calls, raw, stream) = (self.calls, self.raw, self.stream.raw());
        // SAFETY: this is the last use of the handle, and its work is done.
        self.stream.device().0.on_drop(|hip| unsafe {
            let rest = hip.hipStreamSynchronize(stream);
            calls.rocblas_destroy_handle(raw).and(rest)
        });
    }
}

/// Returns the bytes from the first element to the end of the last.
pub(super) fn extent(x: &Matrix, rows: u64, cols: u64, batch: u64, kind: BlasType) -> Option<u64> {
    let one = (cols - 1).checked_mul(x.ld)?.checked_add(rows)?;
    (batch - 1).checked_mul(x.stride)?.checked_add(one)?.checked_mul(kind.bytes())
}

/// A scalar in the type of the computation.
#[repr(align(16))]
struct Scalar([u8; 16]);

impl Scalar {
    fn new(kind: BlasType, value: f64) -> Self {
        let mut bytes = [0; 16];
        match kind {
            BlasType::F64 | BlasType::C128 => bytes[..8].copy_from_slice(&value.to_ne_bytes()),
            BlasType::I32 => bytes[..4].copy_from_slice(&(value as i32).to_ne_bytes()),
            _ => bytes[..4].copy_from_slice(&(value as f32).to_ne_bytes()),
        }
        Self(bytes)
    }

    fn at(&self) -> *const c_void {
        self.0.as_ptr().cast()
    }
}

/// Looks for the file without which rocBLAS ends the process at its first product: it prints "Cannot read
/// TensileLibrary.dat" and calls abort.
fn check_kernels(library: &Path, arch: &str) -> Result<()> {
    let gfx = arch.split(':').next().unwrap_or(arch);
    let own = std::env::var_os("ROCBLAS_TENSILE_LIBPATH").filter(|v| !v.is_empty()).map(PathBuf::from);
    let beside = library.parent().unwrap_or(Path::new("."));
    let usual = || {
        ["../../Tensile/library", "library", "../rocblas/library", "rocblas/library"]
            .map(|f| beside.join(f))
            .into_iter()
            .find(|f| f.is_dir())
    };
    let names = [
        format!("TensileLibrary_lazy_{gfx}.dat"),
        format!("TensileLibrary_{gfx}.dat"),
        "TensileLibrary.dat".into(),
    ];
    let base = own.or_else(usual).unwrap_or_else(|| beside.join("rocblas/library"));
    let per_target = base.join(gfx);
    let folder = if per_target.is_dir() { per_target } else { base };
    if names.iter().any(|n| std::fs::File::open(folder.join(n)).is_ok()) {
        return Ok(());
    }
    Err(Error::NoKernels {
        library: library.to_path_buf(),
        arch: gfx.to_string(),
        why: format!("{} has none of {}", folder.display(), names.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tensile_file_is_found_as_rocblas_finds_it() {
        let root = std::env::temp_dir().join(format!("rushlight-hip-tensile-{}", std::process::id()));
        let library = root.join("lib/librocblas.so.4");
        let folder = root.join("lib/rocblas/library");
        std::fs::create_dir_all(folder.join("gfx1100")).unwrap();
        let found = |arch: &str| check_kernels(&library, arch);
        let Err(Error::NoKernels { why, .. }) = found("gfx90a:sramecc+:xnack-") else {
            panic!("found without a file")
        };
        assert!(why.contains("TensileLibrary_lazy_gfx90a.dat"), "{why}");

        std::fs::write(folder.join("TensileLibrary_lazy_gfx90a.dat"), "").unwrap();
        found("gfx90a:sramecc+:xnack-").unwrap();
        found("gfx1030").unwrap_err();
        // A folder of the target hides the files next to it.
        std::fs::write(folder.join("TensileLibrary.dat"), "").unwrap();
        found("gfx1030").unwrap();
        found("gfx1100").unwrap_err();
        std::fs::write(folder.join("gfx1100/TensileLibrary_gfx1100.dat"), "").unwrap();
        found("gfx1100").unwrap();
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn extents_count_to_the_last_element() {
        let x = Matrix { ptr: 0, ld: 10, stride: 100 };
        assert_eq!(extent(&x, 7, 3, 2, BlasType::F32), Some(4 * (100 + 2 * 10 + 7)));
        assert_eq!(extent(&x, 7, u64::MAX, 2, BlasType::F32), None);
    }
}
