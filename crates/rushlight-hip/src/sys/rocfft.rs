//! `librocfft`: Fourier transforms. Constants are valid in rocFFT 1.0.17 to 1.0.36.
use super::hip::constants;
use rushlight_load::symbols;
use std::ffi::{c_char, c_void};

macro_rules! objects {
    ($($target:ident $name:ident;)*) => { $(
        /// The target of a handle; never read here.
        #[repr(C)]
        #[derive(Debug)]
        pub struct $target { opaque: [u8; 0] }
        #[doc = concat!("A handle, as C's `", stringify!($name), "`.")]
        pub type $name = *mut $target;
    )* };
}
objects! {
    rocfft_plan_t rocfft_plan;
    rocfft_plan_description_t rocfft_plan_description;
    rocfft_execution_info_t rocfft_execution_info;
}

constants! {
    /// The result of most calls.
    rocfft_status {
        rocfft_status_success = 0,
        rocfft_status_failure = 1,
        rocfft_status_invalid_arg_value = 2,
        rocfft_status_invalid_dimensions = 3,
        rocfft_status_invalid_array_type = 4,
        rocfft_status_invalid_strides = 5,
        rocfft_status_invalid_distance = 6,
        rocfft_status_invalid_offset = 7,
        rocfft_status_invalid_work_buffer = 8,
    }
    /// The kind of a transform.
    rocfft_transform_type {
        rocfft_transform_type_complex_forward = 0,
        rocfft_transform_type_complex_inverse = 1,
    }
    /// The type of the parts of a number.
    rocfft_precision {
        rocfft_precision_single = 0,
        rocfft_precision_double = 1,
    }
    /// Whether the result replaces the input.
    rocfft_result_placement {
        rocfft_placement_inplace = 0,
        rocfft_placement_notinplace = 1,
    }
    /// How numbers lie in memory.
    rocfft_array_type {
        rocfft_array_type_complex_interleaved = 0,
    }
}

/// Passes the list of functions to another macro.
macro_rules! rocfft_functions {
    ($go:ident) => { $go! {
        /// The functions of `librocfft`.
        RocfftSymbols;
        "Fourier transforms" {
            fn rocfft_setup() -> rocfft_status;
            fn rocfft_get_version_string(text: *mut c_char, bytes: usize) -> rocfft_status;
            fn rocfft_plan_description_create(description: *mut rocfft_plan_description) -> rocfft_status;
            fn rocfft_plan_description_destroy(description: rocfft_plan_description) -> rocfft_status;
            fn rocfft_plan_description_set_data_layout(description: rocfft_plan_description, in_type: rocfft_array_type, out_type: rocfft_array_type, in_offsets: *const usize, out_offsets: *const usize, in_count: usize, in_strides: *const usize, in_distance: usize, out_count: usize, out_strides: *const usize, out_distance: usize) -> rocfft_status;
            fn rocfft_plan_description_set_scale_factor(description: rocfft_plan_description, factor: f64) -> rocfft_status;
            fn rocfft_plan_create(plan: *mut rocfft_plan, placement: rocfft_result_placement, kind: rocfft_transform_type, precision: rocfft_precision, dimensions: usize, lengths: *const usize, batch: usize, description: rocfft_plan_description) -> rocfft_status;
            fn rocfft_plan_get_work_buffer_size(plan: rocfft_plan, bytes: *mut usize) -> rocfft_status;
            fn rocfft_plan_destroy(plan: rocfft_plan) -> rocfft_status;
            fn rocfft_execution_info_create(info: *mut rocfft_execution_info) -> rocfft_status;
            fn rocfft_execution_info_destroy(info: rocfft_execution_info) -> rocfft_status;
            fn rocfft_execution_info_set_stream(info: rocfft_execution_info, stream: *mut c_void) -> rocfft_status;
            fn rocfft_execution_info_set_work_buffer(info: rocfft_execution_info, at: *mut c_void, bytes: usize) -> rocfft_status;
            fn rocfft_execute(plan: rocfft_plan, input: *mut *mut c_void, output: *mut *mut c_void, info: rocfft_execution_info) -> rocfft_status;
        }
    } };
}
pub(crate) use rocfft_functions;
rocfft_functions!(symbols);

/// Returns the C name of a status.
///
/// ```
/// assert_eq!(rushlight_hip::sys::rocfft::status_name(5), "rocfft_status_invalid_strides");
/// ```
pub fn status_name(status: rocfft_status) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(ty, _, value)| *ty == "rocfft_status" && *value == u64::from(status))
        .map_or("an unknown rocfft_status", |(_, name, _)| name)
}
