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
    cudnnContext cudnnHandle_t;
    cudnnTensorStruct cudnnTensorDescriptor_t;
    cudnnFilterStruct cudnnFilterDescriptor_t;
    cudnnConvolutionStruct cudnnConvolutionDescriptor_t;
    cudnnPoolingStruct cudnnPoolingDescriptor_t;
}

/// The runtime library's name of a stream.
pub type cudaStream_t = CUstream;
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
    /// The result of a cuDNN function. The other codes differ between versions 8 and 9: `cudnnGetErrorString` names them.
    cudnnStatus_t {
        CUDNN_STATUS_SUCCESS = 0,
    }
    /// The type of an element.
    cudnnDataType_t {
        CUDNN_DATA_FLOAT = 0,
        CUDNN_DATA_HALF = 2,
        CUDNN_DATA_BFLOAT16 = 9,
    }
    /// The order of dimensions.
    cudnnTensorFormat_t {
        CUDNN_TENSOR_NCHW = 0,
    }
    /// Whether the window is turned around.
    cudnnConvolutionMode_t {
        CUDNN_CROSS_CORRELATION = 1,
    }
    /// Which instructions may be used.
    cudnnMathType_t {
        CUDNN_DEFAULT_MATH = 0,
        CUDNN_TENSOR_OP_MATH = 1,
        CUDNN_FMA_MATH = 3,
    }
    /// Whether a kernel always gives the same bits.
    cudnnDeterminism_t {
        CUDNN_NON_DETERMINISTIC = 0,
        CUDNN_DETERMINISTIC = 1,
    }
    /// A kernel of a convolution.
    cudnnConvolutionFwdAlgo_t {
        CUDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
        CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
        CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
        CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
    }
    /// A kernel of a gradient of the input.
    cudnnConvolutionBwdDataAlgo_t {
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
    }
    /// A kernel of a gradient of the weights.
    cudnnConvolutionBwdFilterAlgo_t {
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6,
    }
    /// What a window is reduced to.
    cudnnPoolingMode_t {
        CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1,
        CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2,
    }
    /// Whether a maximum minds NaN.
    cudnnNanPropagation_t {
        CUDNN_PROPAGATE_NAN = 1,
    }
}

/// What cuDNN thinks of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cudnnConvolutionFwdAlgoPerf_t {
    pub algo: c_int,
    pub status: cudnnStatus_t,
    pub time: f32,
    pub memory: usize,
    pub determinism: cudnnDeterminism_t,
    pub mathType: cudnnMathType_t,
    pub reserved: [c_int; 3],
}
/// The same of a gradient.
pub type cudnnConvolutionBwdDataAlgoPerf_t = cudnnConvolutionFwdAlgoPerf_t;
/// The same of a gradient.
pub type cudnnConvolutionBwdFilterAlgoPerf_t = cudnnConvolutionFwdAlgoPerf_t;

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
            fn cublasSetStream_v2(handle: cublasHandle_t, stream: cudaStream_t) -> cublasStatus_t;
            fn cublasGemmStridedBatchedEx(handle: cublasHandle_t, trans_a: cublasOperation_t, trans_b: cublasOperation_t, m: c_int, n: c_int, k: c_int, alpha: *const c_void, a: *const c_void, a_type: cudaDataType, lda: c_int, stride_a: c_longlong, b: *const c_void, b_type: cudaDataType, ldb: c_int, stride_b: c_longlong, beta: *const c_void, c: *mut c_void, c_type: cudaDataType, ldc: c_int, stride_c: c_longlong, batch: c_int, compute: cublasComputeType_t, algorithm: cublasGemmAlgo_t) -> cublasStatus_t;
        }
    } };
}
pub(crate) use cublas_functions;
cublas_functions!(symbols);

/// The list of functions, given to another macro.
macro_rules! cudnn_functions {
    ($go:ident) => { $go! {
        /// The functions of `libcudnn`: those of version 8 that version 9 still has.
        CudnnSymbols;
        "convolutions" {
            fn cudnnGetVersion() -> usize;
            fn cudnnGetErrorString(status: cudnnStatus_t) -> *const c_char;
            fn cudnnCreate(handle: *mut cudnnHandle_t) -> cudnnStatus_t;
            fn cudnnDestroy(handle: cudnnHandle_t) -> cudnnStatus_t;
            fn cudnnSetStream(handle: cudnnHandle_t, stream: cudaStream_t) -> cudnnStatus_t;
            fn cudnnCreateTensorDescriptor(tensor: *mut cudnnTensorDescriptor_t) -> cudnnStatus_t;
            fn cudnnSetTensorNdDescriptor(tensor: cudnnTensorDescriptor_t, kind: cudnnDataType_t, count: c_int, dims: *const c_int, strides: *const c_int) -> cudnnStatus_t;
            fn cudnnDestroyTensorDescriptor(tensor: cudnnTensorDescriptor_t) -> cudnnStatus_t;
            fn cudnnCreateFilterDescriptor(filter: *mut cudnnFilterDescriptor_t) -> cudnnStatus_t;
            fn cudnnSetFilterNdDescriptor(filter: cudnnFilterDescriptor_t, kind: cudnnDataType_t, format: cudnnTensorFormat_t, count: c_int, dims: *const c_int) -> cudnnStatus_t;
            fn cudnnDestroyFilterDescriptor(filter: cudnnFilterDescriptor_t) -> cudnnStatus_t;
            fn cudnnCreateConvolutionDescriptor(conv: *mut cudnnConvolutionDescriptor_t) -> cudnnStatus_t;
            fn cudnnSetConvolutionNdDescriptor(conv: cudnnConvolutionDescriptor_t, count: c_int, pads: *const c_int, strides: *const c_int, dilations: *const c_int, mode: cudnnConvolutionMode_t, compute: cudnnDataType_t) -> cudnnStatus_t;
            fn cudnnSetConvolutionGroupCount(conv: cudnnConvolutionDescriptor_t, groups: c_int) -> cudnnStatus_t;
            fn cudnnSetConvolutionMathType(conv: cudnnConvolutionDescriptor_t, math: cudnnMathType_t) -> cudnnStatus_t;
            fn cudnnDestroyConvolutionDescriptor(conv: cudnnConvolutionDescriptor_t) -> cudnnStatus_t;
            fn cudnnGetConvolutionForwardAlgorithm_v7(handle: cudnnHandle_t, x: cudnnTensorDescriptor_t, w: cudnnFilterDescriptor_t, conv: cudnnConvolutionDescriptor_t, y: cudnnTensorDescriptor_t, most: c_int, count: *mut c_int, found: *mut cudnnConvolutionFwdAlgoPerf_t) -> cudnnStatus_t;
            fn cudnnGetConvolutionForwardWorkspaceSize(handle: cudnnHandle_t, x: cudnnTensorDescriptor_t, w: cudnnFilterDescriptor_t, conv: cudnnConvolutionDescriptor_t, y: cudnnTensorDescriptor_t, algorithm: cudnnConvolutionFwdAlgo_t, bytes: *mut usize) -> cudnnStatus_t;
            fn cudnnConvolutionForward(handle: cudnnHandle_t, alpha: *const c_void, x: cudnnTensorDescriptor_t, x_at: *const c_void, w: cudnnFilterDescriptor_t, w_at: *const c_void, conv: cudnnConvolutionDescriptor_t, algorithm: cudnnConvolutionFwdAlgo_t, space: *mut c_void, bytes: usize, beta: *const c_void, y: cudnnTensorDescriptor_t, y_at: *mut c_void) -> cudnnStatus_t;
            fn cudnnGetConvolutionBackwardDataAlgorithm_v7(handle: cudnnHandle_t, w: cudnnFilterDescriptor_t, dy: cudnnTensorDescriptor_t, conv: cudnnConvolutionDescriptor_t, dx: cudnnTensorDescriptor_t, most: c_int, count: *mut c_int, found: *mut cudnnConvolutionBwdDataAlgoPerf_t) -> cudnnStatus_t;
            fn cudnnGetConvolutionBackwardDataWorkspaceSize(handle: cudnnHandle_t, w: cudnnFilterDescriptor_t, dy: cudnnTensorDescriptor_t, conv: cudnnConvolutionDescriptor_t, dx: cudnnTensorDescriptor_t, algorithm: cudnnConvolutionBwdDataAlgo_t, bytes: *mut usize) -> cudnnStatus_t;
            fn cudnnConvolutionBackwardData(handle: cudnnHandle_t, alpha: *const c_void, w: cudnnFilterDescriptor_t, w_at: *const c_void, dy: cudnnTensorDescriptor_t, dy_at: *const c_void, conv: cudnnConvolutionDescriptor_t, algorithm: cudnnConvolutionBwdDataAlgo_t, space: *mut c_void, bytes: usize, beta: *const c_void, dx: cudnnTensorDescriptor_t, dx_at: *mut c_void) -> cudnnStatus_t;
            fn cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle: cudnnHandle_t, x: cudnnTensorDescriptor_t, dy: cudnnTensorDescriptor_t, conv: cudnnConvolutionDescriptor_t, dw: cudnnFilterDescriptor_t, most: c_int, count: *mut c_int, found: *mut cudnnConvolutionBwdFilterAlgoPerf_t) -> cudnnStatus_t;
            fn cudnnGetConvolutionBackwardFilterWorkspaceSize(handle: cudnnHandle_t, x: cudnnTensorDescriptor_t, dy: cudnnTensorDescriptor_t, conv: cudnnConvolutionDescriptor_t, dw: cudnnFilterDescriptor_t, algorithm: cudnnConvolutionBwdFilterAlgo_t, bytes: *mut usize) -> cudnnStatus_t;
            fn cudnnConvolutionBackwardFilter(handle: cudnnHandle_t, alpha: *const c_void, x: cudnnTensorDescriptor_t, x_at: *const c_void, dy: cudnnTensorDescriptor_t, dy_at: *const c_void, conv: cudnnConvolutionDescriptor_t, algorithm: cudnnConvolutionBwdFilterAlgo_t, space: *mut c_void, bytes: usize, beta: *const c_void, dw: cudnnFilterDescriptor_t, dw_at: *mut c_void) -> cudnnStatus_t;
        }
        "pooling" {
            fn cudnnCreatePoolingDescriptor(pool: *mut cudnnPoolingDescriptor_t) -> cudnnStatus_t;
            fn cudnnSetPoolingNdDescriptor(pool: cudnnPoolingDescriptor_t, mode: cudnnPoolingMode_t, nan: cudnnNanPropagation_t, count: c_int, window: *const c_int, pads: *const c_int, strides: *const c_int) -> cudnnStatus_t;
            fn cudnnDestroyPoolingDescriptor(pool: cudnnPoolingDescriptor_t) -> cudnnStatus_t;
            fn cudnnPoolingForward(handle: cudnnHandle_t, pool: cudnnPoolingDescriptor_t, alpha: *const c_void, x: cudnnTensorDescriptor_t, x_at: *const c_void, beta: *const c_void, y: cudnnTensorDescriptor_t, y_at: *mut c_void) -> cudnnStatus_t;
            fn cudnnPoolingBackward(handle: cudnnHandle_t, pool: cudnnPoolingDescriptor_t, alpha: *const c_void, y: cudnnTensorDescriptor_t, y_at: *const c_void, dy: cudnnTensorDescriptor_t, dy_at: *const c_void, x: cudnnTensorDescriptor_t, x_at: *const c_void, beta: *const c_void, dx: cudnnTensorDescriptor_t, dx_at: *mut c_void) -> cudnnStatus_t;
        }
    } };
}
pub(crate) use cudnn_functions;
cudnn_functions!(symbols);
