//! The C side: types, constants and one lazily resolved pointer per function, under C's own names. Nothing here calls
//! anything.
#![allow(non_camel_case_types, missing_docs)]
use rushlight_load::symbols;
use std::ffi::{c_char, c_int, c_longlong, c_uchar, c_uint, c_void};

macro_rules! handles {
    ($($target:ident $name:ident;)*) => { $(
        /// What a handle points to; never read here.
        #[repr(C)]
        #[derive(Debug)]
        pub struct $target { opaque: [u8; 0] }
        #[doc = concat!("A handle, as C's `", stringify!($name), "`.")]
        pub type $name = *mut $target;
    )* };
}
handles! {
    CUctx_st CUcontext;
    CUmod_st CUmodule;
    CUfunc_st CUfunction;
    CUstream_st CUstream;
    _nvrtcProgram nvrtcProgram;
    cublasContext cublasHandle_t;
}

/// A device's number.
pub type CUdevice = c_int;
/// An address on a device.
pub type CUdeviceptr = u64;

macro_rules! constants {
    ($($(#[$meta:meta])* $ty:ident { $($name:ident = $value:expr,)* })*) => {
        $( $(#[$meta])* pub type $ty = c_int; $(
            #[doc = concat!("`", stringify!($name), "` of `", stringify!($ty), "`.")]
            pub const $name: $ty = $value;
        )* )*
        /// Every constant as (C type, C name, value), for comparison with the headers.
        pub const CONSTANTS: &[(&str, &str, i64)] = &[$($((stringify!($ty), stringify!($name), $value as i64),)*)*];
    };
}
constants! {
    /// The result of a driver's function.
    CUresult {
        CUDA_SUCCESS = 0,
        CUDA_ERROR_INVALID_VALUE = 1,
        CUDA_ERROR_OUT_OF_MEMORY = 2,
        CUDA_ERROR_NOT_INITIALIZED = 3,
        CUDA_ERROR_DEINITIALIZED = 4,
        CUDA_ERROR_STUB_LIBRARY = 34,
        CUDA_ERROR_NO_DEVICE = 100,
        CUDA_ERROR_INVALID_DEVICE = 101,
        CUDA_ERROR_INVALID_IMAGE = 200,
        CUDA_ERROR_INVALID_CONTEXT = 201,
        CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
        CUDA_ERROR_ECC_UNCORRECTABLE = 214,
        CUDA_ERROR_INVALID_PTX = 218,
        CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
        CUDA_ERROR_NOT_FOUND = 500,
        CUDA_ERROR_ILLEGAL_ADDRESS = 700,
        CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
        CUDA_ERROR_LAUNCH_TIMEOUT = 702,
        CUDA_ERROR_ASSERT = 710,
        CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
        CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
        CUDA_ERROR_MISALIGNED_ADDRESS = 716,
        CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
        CUDA_ERROR_INVALID_PC = 718,
        CUDA_ERROR_LAUNCH_FAILED = 719,
        CUDA_ERROR_SYSTEM_NOT_READY = 802,
        CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803,
        CUDA_ERROR_UNKNOWN = 999,
    }
    /// A property of a device.
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    }
    /// How a stream is made.
    CUstream_flags {
        CU_STREAM_NON_BLOCKING = 1,
    }
    /// The result of an NVRTC function.
    nvrtcResult {
        NVRTC_SUCCESS = 0,
        NVRTC_ERROR_OUT_OF_MEMORY = 1,
        NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
        NVRTC_ERROR_INVALID_INPUT = 3,
        NVRTC_ERROR_INVALID_PROGRAM = 4,
        NVRTC_ERROR_INVALID_OPTION = 5,
        NVRTC_ERROR_COMPILATION = 6,
        NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
        NVRTC_ERROR_INTERNAL_ERROR = 11,
    }
    /// The result of a cuBLAS function.
    cublasStatus_t {
        CUBLAS_STATUS_SUCCESS = 0,
        CUBLAS_STATUS_NOT_INITIALIZED = 1,
        CUBLAS_STATUS_ALLOC_FAILED = 3,
        CUBLAS_STATUS_INVALID_VALUE = 7,
        CUBLAS_STATUS_ARCH_MISMATCH = 8,
        CUBLAS_STATUS_MAPPING_ERROR = 11,
        CUBLAS_STATUS_EXECUTION_FAILED = 13,
        CUBLAS_STATUS_INTERNAL_ERROR = 14,
        CUBLAS_STATUS_NOT_SUPPORTED = 15,
        CUBLAS_STATUS_LICENSE_ERROR = 16,
    }
    /// Whether a matrix is transposed.
    cublasOperation_t {
        CUBLAS_OP_N = 0,
        CUBLAS_OP_T = 1,
    }
    /// The type of an element.
    cudaDataType {
        CUDA_R_32F = 0,
        CUDA_R_64F = 1,
        CUDA_R_16F = 2,
        CUDA_R_16BF = 14,
    }
    /// What sums are made in.
    cublasComputeType_t {
        CUBLAS_COMPUTE_32F = 68,
        CUBLAS_COMPUTE_64F = 70,
    }
    /// How a kernel is chosen.
    cublasGemmAlgo_t {
        CUBLAS_GEMM_DEFAULT = -1,
    }
}

/// Pinned memory that every context may use.
pub const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
/// Pinned memory that kernels can address.
pub const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;

/// C's name of a constant.
pub fn name(of: &str, code: c_int) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(kind, _, value)| *kind == of && *value == i64::from(code))
        .map_or("an unknown code", |(_, name, _)| name)
}

/// The list of functions, given to another macro. Those that have a second version go by its name.
macro_rules! cuda_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcuda`.
        CudaSymbols;
        "starting" {
            fn cuInit(flags: c_uint) -> CUresult;
            fn cuDriverGetVersion(version: *mut c_int) -> CUresult;
            fn cuGetErrorString(code: CUresult, text: *mut *const c_char) -> CUresult;
        }
        "devices" {
            fn cuDeviceGetCount(count: *mut c_int) -> CUresult;
            fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int) -> CUresult;
            fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice) -> CUresult;
            fn cuDeviceTotalMem_v2(bytes: *mut usize, device: CUdevice) -> CUresult;
            fn cuDeviceGetAttribute(value: *mut c_int, attribute: CUdevice_attribute, device: CUdevice) -> CUresult;
            fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice) -> CUresult;
            fn cuCtxSetCurrent(context: CUcontext) -> CUresult;
            fn cuCtxSynchronize() -> CUresult;
        }
        "memory" {
            fn cuMemGetInfo_v2(free: *mut usize, total: *mut usize) -> CUresult;
            fn cuMemAlloc_v2(ptr: *mut CUdeviceptr, bytes: usize) -> CUresult;
            fn cuMemFree_v2(ptr: CUdeviceptr) -> CUresult;
            fn cuMemHostAlloc(ptr: *mut *mut c_void, bytes: usize, flags: c_uint) -> CUresult;
            fn cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint) -> CUresult;
            fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream) -> CUresult;
            fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream) -> CUresult;
            fn cuMemsetD8Async(to: CUdeviceptr, value: c_uchar, bytes: usize, stream: CUstream) -> CUresult;
        }
        "streams" {
            fn cuStreamCreate(stream: *mut CUstream, flags: c_uint) -> CUresult;
            fn cuStreamSynchronize(stream: CUstream) -> CUresult;
        }
        "kernels" {
            fn cuModuleLoadData(module: *mut CUmodule, image: *const c_void) -> CUresult;
            fn cuModuleUnload(module: CUmodule) -> CUresult;
            fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char) -> CUresult;
            fn cuLaunchKernel(function: CUfunction, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, shared: c_uint, stream: CUstream, params: *mut *mut c_void, extra: *mut *mut c_void) -> CUresult;
        }
    } };
}
pub(crate) use cuda_functions;
cuda_functions!(symbols);

/// The list of functions, given to another macro.
macro_rules! nvrtc_functions {
    ($go:ident) => { $go! {
        /// The functions of `libnvrtc`.
        NvrtcSymbols;
        "compiling kernels" {
            fn nvrtcVersion(major: *mut c_int, minor: *mut c_int) -> nvrtcResult;
            fn nvrtcGetNumSupportedArchs(count: *mut c_int) -> nvrtcResult;
            fn nvrtcGetSupportedArchs(archs: *mut c_int) -> nvrtcResult;
            fn nvrtcCreateProgram(program: *mut nvrtcProgram, source: *const c_char, name: *const c_char, headers: c_int, texts: *const *const c_char, names: *const *const c_char) -> nvrtcResult;
            fn nvrtcCompileProgram(program: nvrtcProgram, count: c_int, options: *const *const c_char) -> nvrtcResult;
            fn nvrtcGetProgramLogSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetProgramLog(program: nvrtcProgram, log: *mut c_char) -> nvrtcResult;
            fn nvrtcGetCUBINSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetCUBIN(program: nvrtcProgram, code: *mut c_char) -> nvrtcResult;
            fn nvrtcGetPTXSize(program: nvrtcProgram, bytes: *mut usize) -> nvrtcResult;
            fn nvrtcGetPTX(program: nvrtcProgram, code: *mut c_char) -> nvrtcResult;
            fn nvrtcDestroyProgram(program: *mut nvrtcProgram) -> nvrtcResult;
        }
    } };
}
pub(crate) use nvrtc_functions;
nvrtc_functions!(symbols);

/// The list of functions, given to another macro.
macro_rules! cublas_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcublas`.
        CublasSymbols;
        "matrix products" {
            fn cublasCreate_v2(handle: *mut cublasHandle_t) -> cublasStatus_t;
            fn cublasDestroy_v2(handle: cublasHandle_t) -> cublasStatus_t;
            fn cublasSetStream_v2(handle: cublasHandle_t, stream: CUstream) -> cublasStatus_t;
            fn cublasGemmStridedBatchedEx(handle: cublasHandle_t, trans_a: cublasOperation_t, trans_b: cublasOperation_t, m: c_int, n: c_int, k: c_int, alpha: *const c_void, a: *const c_void, a_type: cudaDataType, lda: c_int, stride_a: c_longlong, b: *const c_void, b_type: cudaDataType, ldb: c_int, stride_b: c_longlong, beta: *const c_void, c: *mut c_void, c_type: cudaDataType, ldc: c_int, stride_c: c_longlong, batch: c_int, compute: cublasComputeType_t, algorithm: cublasGemmAlgo_t) -> cublasStatus_t;
        }
    } };
}
pub(crate) use cublas_functions;
cublas_functions!(symbols);
