//! `librocblas`: matrix products. Constants are valid in rocBLAS 3 to 5.
use super::hip::{constants, hipStream_t};
use rushlight_load::symbols;
use std::ffi::{c_char, c_void};

/// The opaque struct behind a handle.
#[repr(C)]
#[derive(Debug)]
pub struct _rocblas_handle {
    opaque: [u8; 0],
}
/// A handle, as C's `rocblas_handle`.
pub type rocblas_handle = *mut _rocblas_handle;
/// Rows, columns, leading dimensions and counts.
pub type rocblas_int = i32;
/// Elements from one matrix of a batch to the next.
pub type rocblas_stride = i64;

constants! {
    /// The result of most calls.
    rocblas_status {
        rocblas_status_success = 0,
        rocblas_status_invalid_handle = 1,
        rocblas_status_not_implemented = 2,
        rocblas_status_invalid_pointer = 3,
        rocblas_status_invalid_size = 4,
        rocblas_status_memory_error = 5,
        rocblas_status_internal_error = 6,
        rocblas_status_perf_degraded = 7,
        rocblas_status_size_query_mismatch = 8,
        rocblas_status_size_increased = 9,
        rocblas_status_size_unchanged = 10,
        rocblas_status_invalid_value = 11,
        rocblas_status_continue = 12,
        rocblas_status_check_numerics_fail = 13,
        rocblas_status_excluded_from_build = 14,
        rocblas_status_arch_mismatch = 15,
    }
    /// Whether a matrix is transposed.
    rocblas_operation {
        rocblas_operation_none = 111,
        rocblas_operation_transpose = 112,
        rocblas_operation_conjugate_transpose = 113,
    }
    /// The type of an element.
    rocblas_datatype {
        rocblas_datatype_f16_r = 150,
        rocblas_datatype_f32_r = 151,
        rocblas_datatype_f64_r = 152,
        rocblas_datatype_f32_c = 154,
        rocblas_datatype_f64_c = 155,
        rocblas_datatype_i8_r = 160,
        rocblas_datatype_i32_r = 162,
        rocblas_datatype_bf16_r = 168,
    }
    /// How a kernel is selected.
    rocblas_gemm_algo {
        rocblas_gemm_algo_standard = 0,
        rocblas_gemm_algo_solution_index = 1,
    }
    /// Whether scalars are on the host or on the device.
    rocblas_pointer_mode {
        rocblas_pointer_mode_host = 0,
        rocblas_pointer_mode_device = 1,
    }
    /// Whether results may differ from run to run.
    rocblas_atomics_mode {
        rocblas_atomics_not_allowed = 0,
        rocblas_atomics_allowed = 1,
    }
    /// Bits of the last argument of `rocblas_gemm_ex`.
    rocblas_gemm_flags {
        rocblas_gemm_flags_none = 0,
        rocblas_gemm_flags_use_cu_efficiency = 2,
        rocblas_gemm_flags_fp16_alt_impl = 4,
    }
}

/// Passes the list of functions to another macro.
macro_rules! rocblas_functions {
    ($go:ident) => { $go! {
        /// The functions of `librocblas`.
        RocblasSymbols;
        "rocBLAS" {
            fn rocblas_create_handle(handle: *mut rocblas_handle) -> rocblas_status;
            fn rocblas_destroy_handle(handle: rocblas_handle) -> rocblas_status;
            fn rocblas_set_stream(handle: rocblas_handle, stream: hipStream_t) -> rocblas_status;
            fn rocblas_get_stream(handle: rocblas_handle, stream: *mut hipStream_t) -> rocblas_status;
            fn rocblas_set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> rocblas_status;
            fn rocblas_set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> rocblas_status;
            fn rocblas_set_workspace(handle: rocblas_handle, at: *mut c_void, bytes: usize) -> rocblas_status;
            fn rocblas_get_version_string(text: *mut c_char, bytes: usize) -> rocblas_status;
            fn rocblas_status_to_string(status: rocblas_status) -> *const c_char;
            fn rocblas_initialize() -> ();
        }
        "matrix products" {
            fn rocblas_gemm_strided_batched_ex(handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int, n: rocblas_int, k: rocblas_int, alpha: *const c_void, a: *const c_void, a_type: rocblas_datatype, lda: rocblas_int, stride_a: rocblas_stride, b: *const c_void, b_type: rocblas_datatype, ldb: rocblas_int, stride_b: rocblas_stride, beta: *const c_void, c: *const c_void, c_type: rocblas_datatype, ldc: rocblas_int, stride_c: rocblas_stride, d: *mut c_void, d_type: rocblas_datatype, ldd: rocblas_int, stride_d: rocblas_stride, batch: rocblas_int, compute: rocblas_datatype, algo: rocblas_gemm_algo, solution: i32, flags: u32) -> rocblas_status;
        }
    } };
}
pub(crate) use rocblas_functions;
rocblas_functions!(symbols);

/// Returns the C name of a status.
///
/// ```
/// assert_eq!(rushlight_hip::sys::rocblas::status_name(15), "rocblas_status_arch_mismatch");
/// ```
pub fn status_name(status: rocblas_status) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(ty, _, value)| *ty == "rocblas_status" && *value == u64::from(status))
        .map_or("an unknown rocblas_status", |(_, name, _)| name)
}
