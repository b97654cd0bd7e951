//! rocBLAS's functions: handles and the batched product. Arguments are checked as the documentation states.
#![allow(missing_docs, clippy::not_unsafe_ptr_arg_deref)]
use crate::api::blas::gemm::{Matrix, Operand, Type};
use crate::api::blas::{self, Product, Refused};
use crate::api::hip::Ptr;
use crate::device::gpu::{Gpu, current, gpu, library_call};
use crate::support::config;
use crate::support::out::{Out, put_text};
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock};

/// rocblas_status.
pub type Status = i32;
const INVALID_HANDLE: Status = 1;
pub(super) const NOT_IMPLEMENTED: Status = 2;
pub(super) const INVALID_POINTER: Status = 3;
pub(super) const INVALID_SIZE: Status = 4;
pub(super) const MEMORY: Status = 5;
pub(super) const INTERNAL: Status = 6;
pub(super) const INVALID_VALUE: Status = 11;

pub(super) struct Handle {
    device: usize,
    pub(super) stream: usize,
    /// Whether scalars are on the device.
    on_device: bool,
}

fn handles() -> MutexGuard<'static, HashMap<usize, Handle>> {
    static ALL: OnceLock<Mutex<HashMap<usize, Handle>>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

pub(super) fn with(
    name: &str,
    handle: Ptr,
    f: impl FnOnce(&mut Gpu, &mut Handle) -> Result<(), Status>,
) -> Status {
    library_call(name, INTERNAL, || run(handle, f))
}

fn run(handle: Ptr, f: impl FnOnce(&mut Gpu, &mut Handle) -> Result<(), Status>) -> Result<(), Status> {
    let mut all = handles();
    let handle = all.get_mut(&(handle as usize)).ok_or(INVALID_HANDLE)?;
    let mut gpu = gpu().map_err(|_| INTERNAL)?;
    gpu.alive().map_err(|_| INTERNAL)?;
    if handle.device != current() {
        eprintln!(
            "rushlight-vgpu: rocBLAS: the handle belongs to device {}, the current device is {}",
            handle.device,
            current()
        );
        return Err(INVALID_HANDLE);
    }
    f(&mut gpu, handle)
}

pub extern "C" fn rocblas_create_handle(to: Out<Ptr>) -> Status {
    if to.is_null() {
        return INVALID_HANDLE;
    }
    let Ok(mut gpu) = gpu() else { return INTERNAL };
    if gpu.alive().is_err() {
        return INTERNAL;
    }
    if config::get().faults.blas_no_memory {
        return MEMORY;
    }
    let key = gpu.handle();
    // `run` locks the handles before the GPU; holding the GPU here while waiting for the handles would deadlock.
    drop(gpu);
    handles().insert(key, Handle { device: current(), stream: 0, on_device: false });
    to.set(key as Ptr).map_or(INVALID_HANDLE, |()| 0)
}

pub extern "C" fn rocblas_destroy_handle(handle: Ptr) -> Status {
    if handles().remove(&(handle as usize)).is_some() { 0 } else { INVALID_HANDLE }
}

pub extern "C" fn rocblas_set_stream(handle: Ptr, stream: Ptr) -> Status {
    with("rocblas_set_stream", handle, |gpu, h| {
        if stream as usize == h.stream {
            return Ok(());
        }
        gpu.stream(stream).map_err(|_| INVALID_VALUE)?;
        // Both streams would share the handle's workspace.
        if h.stream != 0 && !stream.is_null() && gpu.pending(h.stream) {
            eprintln!(
                "rushlight-vgpu: rocBLAS: the handle's stream is changed while the old one has unfinished work"
            );
            return Err(INVALID_VALUE);
        }
        h.stream = stream as usize;
        Ok(())
    })
}

pub extern "C" fn rocblas_get_stream(handle: Ptr, to: Out<Ptr>) -> Status {
    with("rocblas_get_stream", handle, |_, h| to.set(h.stream as Ptr).map_err(|_| INVALID_POINTER))
}

pub extern "C" fn rocblas_set_pointer_mode(handle: Ptr, mode: i32) -> Status {
    with("rocblas_set_pointer_mode", handle, |_, h| {
        h.on_device = mode != 0;
        Ok(())
    })
}

/// The results do not depend on atomics.
pub extern "C" fn rocblas_set_atomics_mode(handle: Ptr, _mode: i32) -> Status {
    with("rocblas_set_atomics_mode", handle, |_, _| Ok(()))
}

/// No workspace is needed; a given one must be device memory.
pub extern "C" fn rocblas_set_workspace(handle: Ptr, at: Ptr, bytes: usize) -> Status {
    with("rocblas_set_workspace", handle, |gpu, _| {
        let ours = at.is_null() || bytes == 0 || matches!(gpu.memory.range(at as usize, bytes), Ok(Some(_)));
        if ours { Ok(()) } else { Err(INVALID_POINTER) }
    })
}

pub extern "C" fn rocblas_get_version_string(to: *mut c_char, bytes: usize) -> Status {
    let version = match config::major() {
        5 => "3.1.0.vgpu",
        6 => "4.3.0.vgpu",
        _ => "5.2.0.vgpu",
    };
    if to.is_null() {
        return INVALID_POINTER;
    }
    if bytes <= version.len() {
        return INVALID_SIZE;
    }
    put_text(to, version.len() as i32 + 1, version).map_or(INVALID_POINTER, |()| 0)
}

pub extern "C" fn rocblas_initialize() {}

pub extern "C" fn rocblas_status_to_string(status: Status) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 16] = [
        c"rocblas_status_success",
        c"rocblas_status_invalid_handle",
        c"rocblas_status_not_implemented",
        c"rocblas_status_invalid_pointer",
        c"rocblas_status_invalid_size",
        c"rocblas_status_memory_error",
        c"rocblas_status_internal_error",
        c"rocblas_status_perf_degraded",
        c"rocblas_status_size_query_mismatch",
        c"rocblas_status_size_increased",
        c"rocblas_status_size_unchanged",
        c"rocblas_status_invalid_value",
        c"rocblas_status_continue",
        c"rocblas_status_check_numerics_fail",
        c"rocblas_status_excluded_from_build",
        c"rocblas_status_arch_mismatch",
    ];
    usize::try_from(status)
        .ok()
        .and_then(|i| NAMES.get(i))
        .map_or(c"<undefined rocblas_status>".as_ptr(), |n| n.as_ptr())
}

/// Checks for the file without which the real library ends the process, once.
pub(super) fn demand_kernels() {
    static ASKED: OnceLock<()> = OnceLock::new();
    ASKED.get_or_init(|| {
        let gfx = config::get().arch.name;
        let given = std::env::var_os("ROCBLAS_TENSILE_LIBPATH").filter(|v| !v.is_empty()).map(PathBuf::from);
        let Some(base) = given.or_else(beside) else { return };
        let own = base.join(gfx);
        let dir = if own.is_dir() { own } else { base };
        let names = [
            format!("TensileLibrary_lazy_{gfx}.dat"),
            format!("TensileLibrary_{gfx}.dat"),
            "TensileLibrary.dat".into(),
        ];
        if names.iter().any(|n| dir.join(n).is_file()) {
            return;
        }
        let shown = dir.join("TensileLibrary.dat");
        eprintln!(
            "\nrocBLAS error: Cannot read {}: No such file or directory for GPU arch : {gfx}",
            shown.display()
        );
        std::process::abort();
    });
}

/// Returns `rocblas/library` next to this shared library; `None` for a program that links the virtual GPU statically.
fn beside() -> Option<PathBuf> {
    // SAFETY: dladdr accepts any address; the name lives as long as the library.
    let file = unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(beside as *const () as *const c_void, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        std::ffi::CStr::from_ptr(info.dli_fname).to_string_lossy().into_owned()
    };
    let path = Path::new(&file);
    let name = path.file_name()?.to_string_lossy();
    (name.starts_with("lib") && name.contains(".so"))
        .then(|| path.parent().map(|d| d.join("rocblas/library")))?
}

/// Returns the types of A and B, of C and D, and of the computation, if they are supported.
fn supported(ab: i32, cd: i32, compute: i32) -> Option<(Type, Type, Type)> {
    use Type::*;
    Some(match (ab, cd, compute) {
        (151, 151, 151) => (F32, F32, F32),
        (152, 152, 152) => (F64, F64, F64),
        (150, 150, 150) => (F16, F16, F16),
        (150, 150, 151) => (F16, F16, F32),
        (150, 151, 151) => (F16, F32, F32),
        (168, 168, 151) => (Bf16, Bf16, F32),
        (168, 151, 151) => (Bf16, F32, F32),
        (160, 162, 162) => (I8, I32, I32),
        (154, 154, 154) => (C32, C32, C32),
        (155, 155, 155) => (C64, C64, C64),
        _ => return None,
    })
}

fn size_of_type(t: i32) -> Option<usize> {
    Some(match t {
        160 | 161 => 1,
        150 | 168 => 2,
        151 | 162 | 163 => 4,
        152 | 154 => 8,
        155 => 16,
        _ => return None,
    })
}

pub extern "C" fn rocblas_gemm_strided_batched_ex(
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
    d: Ptr,
    d_type: i32,
    ldd: i32,
    stride_d: i64,
    batch: i32,
    compute: i32,
    algo: i32,
    solution: i32,
    flags: u32,
) -> Status {
    with("rocblas_gemm_strided_batched_ex", handle, |gpu, h| {
        // The order of the checks is that of the real function: the first error is reported.
        let by = acc(compute).ok_or(NOT_IMPLEMENTED)?;
        if !(111..=113).contains(&trans_a) || !(111..=113).contains(&trans_b) {
            return Err(INVALID_VALUE);
        }
        if m < 0 || n < 0 || k < 0 || batch < 0 {
            return Err(INVALID_SIZE);
        }
        let (rows_a, rows_b) = (if trans_a == 111 { m } else { k }, if trans_b == 111 { k } else { n });
        if ldc < m || ldd < m || lda < rows_a || ldb < rows_b {
            return Err(INVALID_SIZE);
        }
        if m == 0 || n == 0 || batch == 0 {
            return Ok(());
        }
        if (k > 0 && alpha.is_null()) || beta.is_null() || d.is_null() {
            return Err(INVALID_POINTER);
        }
        let mut scalar = |at| blas::factor(gpu, "rocBLAS", h.stream, h.on_device, at, by).map_err(status);
        let (alpha_zero, alpha) = scalar(alpha)?;
        let (beta_zero, beta) = scalar(beta)?;
        if c.is_null() && !beta_zero {
            return Err(INVALID_POINTER);
        }
        let reads = k > 0 && !alpha_zero;
        if reads && (a.is_null() || b.is_null()) {
            return Err(INVALID_POINTER);
        }
        if c == d {
            if ldc != ldd {
                return Err(INVALID_SIZE);
            }
            if c_type != d_type {
                return Err(INVALID_VALUE);
            }
            if stride_c != stride_d {
                return Err(INVALID_SIZE);
            }
        }
        if a_type != b_type || c_type != d_type {
            return Err(NOT_IMPLEMENTED);
        }
        let (ab, cd, by) = supported(a_type, c_type, compute).ok_or(NOT_IMPLEMENTED)?;
        for (at, t) in [(a, a_type), (b, b_type), (c, c_type), (d, d_type)] {
            if !(at as usize).is_multiple_of(size_of_type(t).unwrap_or(1)) {
                return Err(INVALID_SIZE);
            }
        }
        // Stricter than the real function: unknown bits.
        if !(0..=1).contains(&algo) || (algo == 1 && solution > 0) || flags & !0x3e != 0 {
            return Err(INVALID_VALUE);
        }
        if config::get().faults.blas_no_solution {
            eprintln!(
                "\nrocBLAS error: No Tensile solution found for the problem (RUSHLIGHT_VGPU_FAULT=blas_no_solution)"
            );
            return Err(NOT_IMPLEMENTED);
        }
        demand_kernels();
        if blas::fails_now() {
            return Err(INTERNAL);
        }
        let size = |v: i32| v as usize;
        let matrix =
            |at: Ptr, rows, cols, ld, stride| Matrix { at: at as usize, rows, cols, ld: size(ld), stride };
        let (ka, kb) = (if trans_a == 111 { k } else { m }, if trans_b == 111 { n } else { k });
        let operand =
            |m: Matrix, trans: i32| Operand { m, transposed: trans != 111, conjugated: trans == 113 };
        let product = Product {
            types: [ab, cd, by],
            a: operand(matrix(a, size(rows_a), size(ka), lda, stride_a), trans_a),
            b: operand(matrix(b, size(rows_b), size(kb), ldb, stride_b), trans_b),
            c: matrix(c, size(m), size(n), ldc, stride_c),
            d: matrix(d, size(m), size(n), ldd, stride_d),
            depth: if reads { size(k) } else { 0 },
            batch: size(batch),
            alpha,
            beta: (!beta_zero).then_some(beta),
        };
        product.issue(gpu, "rocBLAS", h.stream).map_err(status)
    })
}

pub(super) fn status(refused: Refused) -> Status {
    match refused {
        Refused::Size => INVALID_SIZE,
        Refused::Pointer => INVALID_POINTER,
        Refused::Value | Refused::Stream => INVALID_VALUE,
        Refused::Device => INTERNAL,
    }
}

/// Returns the type that a product is computed in.
fn acc(compute: i32) -> Option<Type> {
    use Type::*;
    Some(match compute {
        150 => F16,
        151 => F32,
        152 => F64,
        154 => C32,
        155 => C64,
        162 => I32,
        _ => return None,
    })
}
