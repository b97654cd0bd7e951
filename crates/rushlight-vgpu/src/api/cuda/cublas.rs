//! cuBLAS's functions: handles and the batched product. Arguments are checked as NVIDIA's documentation states.
use crate::api::blas::gemm::{Matrix, Operand, Type};
use crate::api::blas::{self, Product, Refused};
use crate::api::hip::Ptr;
use crate::device::gpu::{Gpu, current, gpu, library_call};
use crate::support::config;
use crate::support::out::Out;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, MutexGuard, OnceLock};

/// cublasStatus_t.
pub type CublasStatus = i32;
const NOT_INITIALIZED: CublasStatus = 1;
const ALLOC_FAILED: CublasStatus = 3;
const INVALID_VALUE: CublasStatus = 7;
const EXECUTION_FAILED: CublasStatus = 13;
const INTERNAL_ERROR: CublasStatus = 14;
const NOT_SUPPORTED: CublasStatus = 15;

struct Handle {
    device: usize,
    stream: usize,
}

fn handles() -> MutexGuard<'static, HashMap<usize, Handle>> {
    static ALL: OnceLock<Mutex<HashMap<usize, Handle>>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

fn entry(name: &str, f: impl FnOnce() -> Result<(), CublasStatus>) -> CublasStatus {
    library_call(name, INTERNAL_ERROR, f)
}

/// Runs a call with a handle, which must be live and belong to the device of the thread's context.
fn with(
    name: &str,
    handle: Ptr,
    f: impl FnOnce(&mut Gpu, &mut Handle) -> Result<(), CublasStatus>,
) -> CublasStatus {
    entry(name, || {
        let mut all = handles();
        let handle = all.get_mut(&(handle as usize)).ok_or(NOT_INITIALIZED)?;
        let device = super::driver::context().ok_or(NOT_INITIALIZED)?;
        if handle.device != device {
            eprintln!(
                "rushlight-vgpu: cuBLAS: the handle belongs to device {}, the context to {device}",
                handle.device
            );
            return Err(INVALID_VALUE);
        }
        let mut gpu = gpu().map_err(|_| EXECUTION_FAILED)?;
        gpu.alive().map_err(|_| EXECUTION_FAILED)?;
        f(&mut gpu, handle)
    })
}

pub extern "C" fn cublasCreate_v2(to: Out<Ptr>) -> CublasStatus {
    entry("cublasCreate_v2", || {
        if to.is_null() {
            return Err(INVALID_VALUE);
        }
        // The driver API requires a context; cuBLAS would take the current one.
        super::driver::context().ok_or(NOT_INITIALIZED)?;
        let mut gpu = gpu().map_err(|_| NOT_INITIALIZED)?;
        gpu.alive().map_err(|_| NOT_INITIALIZED)?;
        if config::get().faults.blas_no_memory {
            return Err(ALLOC_FAILED);
        }
        let key = gpu.handle();
        // `with` locks the handles before the GPU; holding the GPU here while waiting for the handles would deadlock.
        drop(gpu);
        handles().insert(key, Handle { device: current(), stream: 0 });
        to.set(key as Ptr).map_err(|_| INVALID_VALUE)
    })
}

pub extern "C" fn cublasDestroy_v2(handle: Ptr) -> CublasStatus {
    entry("cublasDestroy_v2", || handles().remove(&(handle as usize)).map(drop).ok_or(NOT_INITIALIZED))
}

pub extern "C" fn cublasSetStream_v2(handle: Ptr, stream: Ptr) -> CublasStatus {
    with("cublasSetStream_v2", handle, |gpu, h| {
        gpu.stream(stream).map_err(|_| INVALID_VALUE)?;
        // Both streams would share the handle's workspace.
        if h.stream != stream as usize && h.stream != 0 && gpu.pending(h.stream) {
            eprintln!(
                "rushlight-vgpu: cuBLAS: the handle's stream is changed while the old one has unfinished work"
            );
            return Err(INVALID_VALUE);
        }
        h.stream = stream as usize;
        Ok(())
    })
}

pub extern "C" fn cublasSetMathMode(handle: Ptr, mode: i32) -> CublasStatus {
    // The low bits are a mode from 0 to 3; products are computed in full precision in each.
    const DISALLOW_REDUCED_PRECISION_REDUCTION: i32 = 16;
    with("cublasSetMathMode", handle, |_, _| match mode & !DISALLOW_REDUCED_PRECISION_REDUCTION {
        0..=3 => Ok(()),
        _ => Err(INVALID_VALUE),
    })
}

/// Returns the types of A and B, of C, and of sums and scalars, if they are supported.
fn supported(ab: i32, c: i32, compute: i32) -> Option<[Type; 3]> {
    use Type::*;
    const F32_SUM: i32 = 68;
    const F64_SUM: i32 = 70;
    const F16_SUM: i32 = 64;
    const I32_SUM: i32 = 72;
    Some(match (ab, c, compute) {
        (0, 0, F32_SUM) => [F32, F32, F32],
        (1, 1, F64_SUM) => [F64, F64, F64],
        (2, 2, F16_SUM) => [F16, F16, F16],
        (2, 2, F32_SUM) => [F16, F16, F32],
        (2, 0, F32_SUM) => [F16, F32, F32],
        (14, 14, F32_SUM) => [Bf16, Bf16, F32],
        (14, 0, F32_SUM) => [Bf16, F32, F32],
        (3, 10, I32_SUM) => [I8, I32, I32],
        (4, 4, F32_SUM) => [C32, C32, C32],
        (5, 5, F64_SUM) => [C64, C64, C64],
        _ => return None,
    })
}

pub extern "C" fn cublasGemmStridedBatchedEx(
    handle: Ptr,
    trans_a: i32,
    trans_b: i32,
    m: i32,
    n: i32,
    k: i32,
    alpha: *const c_void,
    a: Ptr,
    a_type: i32,
    lda: i32,
    stride_a: i64,
    b: Ptr,
    b_type: i32,
    ldb: i32,
    stride_b: i64,
    beta: *const c_void,
    c: Ptr,
    c_type: i32,
    ldc: i32,
    stride_c: i64,
    batch: i32,
    compute: i32,
    algorithm: i32,
) -> CublasStatus {
    with("cublasGemmStridedBatchedEx", handle, |gpu, h| {
        let (plain_a, plain_b) = (trans_a == 0, trans_b == 0);
        let (rows_a, rows_b) = (if plain_a { m } else { k }, if plain_b { k } else { n });
        let wrong = [
            ("m, n, k or the batch is negative", m < 0 || n < 0 || k < 0 || batch < 0),
            ("a transposition is invalid", !(0..=2).contains(&trans_a) || !(0..=2).contains(&trans_b)),
            ("lda is too small", lda < rows_a.max(1)),
            ("ldb is too small", ldb < rows_b.max(1)),
            ("ldc is too small", ldc < m.max(1)),
            ("alpha or beta is NULL", alpha.is_null() || beta.is_null()),
            // CUBLAS_GEMM_DEFAULT, the numbered algorithms, and those for tensor cores.
            ("no such algorithm", !(-1..=23).contains(&algorithm) && !(99..=115).contains(&algorithm)),
        ];
        if let Some((why, _)) = wrong.iter().find(|w| w.1) {
            eprintln!("rushlight-vgpu: cuBLAS: {why}");
            return Err(INVALID_VALUE);
        }
        let types = supported(a_type, c_type, compute).filter(|_| a_type == b_type).ok_or(NOT_SUPPORTED)?;
        if m == 0 || n == 0 || batch == 0 {
            return Ok(());
        }
        let mut factor = |at| blas::factor(gpu, "cuBLAS", h.stream, false, at, types[2]).map_err(status);
        let (alpha_zero, alpha) = factor(alpha)?;
        let (beta_zero, beta) = factor(beta)?;
        let reads = k > 0 && !alpha_zero;
        let aligned = |at: Ptr, t| (at as usize).is_multiple_of(blas::size_of(t));
        if !aligned(a, types[0]) || !aligned(b, types[0]) || !aligned(c, types[1]) {
            eprintln!("rushlight-vgpu: cuBLAS: a matrix is not aligned to its elements");
            return Err(INVALID_VALUE);
        }
        if config::get().faults.blas_no_solution {
            return Err(NOT_SUPPORTED);
        }
        if blas::fails_now() {
            return Err(EXECUTION_FAILED);
        }
        let size = |v: i32| v as usize;
        let matrix = |at: Ptr, rows, cols, ld, stride| Matrix {
            at: at as usize,
            rows: size(rows),
            cols: size(cols),
            ld: size(ld),
            stride,
        };
        let operand = |m, trans: i32| Operand { m, transposed: trans != 0, conjugated: trans == 2 };
        let d = matrix(c, m, n, ldc, stride_c);
        let product = Product {
            types,
            a: operand(matrix(a, rows_a, if plain_a { k } else { m }, lda, stride_a), trans_a),
            b: operand(matrix(b, rows_b, if plain_b { n } else { k }, ldb, stride_b), trans_b),
            c: d,
            d,
            depth: if reads { size(k) } else { 0 },
            batch: size(batch),
            alpha,
            beta: (!beta_zero).then_some(beta),
        };
        product.issue(gpu, "cuBLAS", h.stream).map_err(status)
    })
}

/// Returns the status of a rejected product. The real function does not check addresses: an invalid one is an error
/// of the GPU.
fn status(refused: Refused) -> CublasStatus {
    match refused {
        Refused::Size | Refused::Value | Refused::Stream => INVALID_VALUE,
        Refused::Pointer | Refused::Device => EXECUTION_FAILED,
    }
}
