//! The C side: types, constants and one lazily resolved pointer per function, under C's own names. Nothing here calls
//! anything.
#![allow(non_camel_case_types, missing_docs)]
use std::ffi::{c_int, c_uint};

mod cublas;
mod cudnn;
mod cufft;
mod cusolver;
mod driver;
mod nvrtc;

pub use cublas::CublasSymbols;
pub(crate) use cublas::cublas_functions;
pub use cudnn::CudnnSymbols;
pub(crate) use cudnn::cudnn_functions;
pub use cufft::CufftSymbols;
pub(crate) use cufft::cufft_functions;
pub(crate) use cusolver::cusolver_functions;
pub use cusolver::{CusolverSymbols, cuComplex, cuDoubleComplex};
pub use driver::CudaSymbols;
pub(crate) use driver::cuda_functions;
pub use nvrtc::NvrtcSymbols;
pub(crate) use nvrtc::nvrtc_functions;

macro_rules! handles {
    ($($target:ident $name:ident;)*) => { $(
        /// The target of a handle; never read here.
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
    CUevent_st CUevent;
    CUgraph_st CUgraph;
    CUgraphExec_st CUgraphExec;
    _nvrtcProgram nvrtcProgram;
    cublasContext cublasHandle_t;
    cudnnContext cudnnHandle_t;
    cudnnTensorStruct cudnnTensorDescriptor_t;
    cudnnFilterStruct cudnnFilterDescriptor_t;
    cudnnConvolutionStruct cudnnConvolutionDescriptor_t;
    cudnnPoolingStruct cudnnPoolingDescriptor_t;
    cusolverDnContext cusolverDnHandle_t;
    cusolverDnParams cusolverDnParams_t;
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
        /// All constants as (C type, C name, value), for comparison with the headers.
        pub const CONSTANTS: &[(&str, &str, i64)] = &[$($((stringify!($ty), stringify!($name), $value as i64),)*)*];
    };
}
constants! {
    /// The result of a driver function.
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
        CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED = 900,
        CUDA_ERROR_STREAM_CAPTURE_INVALIDATED = 901,
        CUDA_ERROR_STREAM_CAPTURE_MERGE = 902,
        CUDA_ERROR_STREAM_CAPTURE_UNMATCHED = 903,
        CUDA_ERROR_STREAM_CAPTURE_UNJOINED = 904,
        CUDA_ERROR_STREAM_CAPTURE_ISOLATION = 905,
        CUDA_ERROR_STREAM_CAPTURE_IMPLICIT = 906,
        CUDA_ERROR_CAPTURED_EVENT = 907,
        CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD = 908,
        CUDA_ERROR_UNKNOWN = 999,
    }
    /// An attribute of a device.
    CUdevice_attribute {
        CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
        CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
        CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
        CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
        CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    }
    /// Flags of a new stream.
    CUstream_flags {
        CU_STREAM_NON_BLOCKING = 1,
    }
    /// Flags of a new event.
    CUevent_flags {
        CU_EVENT_DEFAULT = 0,
    }
    /// Which calls a thread must not make during a capture.
    CUstreamCaptureMode {
        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL = 1,
        CU_STREAM_CAPTURE_MODE_RELAXED = 2,
    }
    /// Whether a stream is being captured.
    CUstreamCaptureStatus {
        CU_STREAM_CAPTURE_STATUS_NONE = 0,
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
        CUDA_C_32F = 4,
        CUDA_C_64F = 5,
        CUDA_R_16BF = 14,
    }
    /// The type that sums are computed in.
    cublasComputeType_t {
        CUBLAS_COMPUTE_32F = 68,
        CUBLAS_COMPUTE_64F = 70,
    }
    /// Freedoms of a product.
    cublasMath_t {
        CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
    }
    /// How a kernel is selected.
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
    /// Convolution or cross-correlation.
    cudnnConvolutionMode_t {
        CUDNN_CROSS_CORRELATION = 1,
    }
    /// Which instructions may be used.
    cudnnMathType_t {
        CUDNN_DEFAULT_MATH = 0,
        CUDNN_TENSOR_OP_MATH = 1,
        CUDNN_FMA_MATH = 3,
    }
    /// Whether a kernel always produces the same bits.
    cudnnDeterminism_t {
        CUDNN_NON_DETERMINISTIC = 0,
        CUDNN_DETERMINISTIC = 1,
    }
    /// An algorithm of a convolution.
    cudnnConvolutionFwdAlgo_t {
        CUDNN_CONVOLUTION_FWD_ALGO_FFT = 4,
        CUDNN_CONVOLUTION_FWD_ALGO_FFT_TILING = 5,
        CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD = 6,
        CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED = 7,
    }
    /// An algorithm of the gradient of the input.
    cudnnConvolutionBwdDataAlgo_t {
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT = 2,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_FFT_TILING = 3,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD = 4,
        CUDNN_CONVOLUTION_BWD_DATA_ALGO_WINOGRAD_NONFUSED = 5,
    }
    /// An algorithm of the gradient of the weights.
    cudnnConvolutionBwdFilterAlgo_t {
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT = 2,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD = 4,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_WINOGRAD_NONFUSED = 5,
        CUDNN_CONVOLUTION_BWD_FILTER_ALGO_FFT_TILING = 6,
    }
    /// The reduction of a window.
    cudnnPoolingMode_t {
        CUDNN_POOLING_AVERAGE_COUNT_INCLUDE_PADDING = 1,
        CUDNN_POOLING_AVERAGE_COUNT_EXCLUDE_PADDING = 2,
    }
    /// Whether a maximum propagates NaN.
    cudnnNanPropagation_t {
        CUDNN_PROPAGATE_NAN = 1,
    }
    /// The result of a cuFFT function: the codes that cuFFT of CUDA 12 and 13 both name.
    cufftResult {
        CUFFT_SUCCESS = 0,
        CUFFT_INVALID_PLAN = 1,
        CUFFT_ALLOC_FAILED = 2,
        CUFFT_INVALID_TYPE = 3,
        CUFFT_INVALID_VALUE = 4,
        CUFFT_INTERNAL_ERROR = 5,
        CUFFT_EXEC_FAILED = 6,
        CUFFT_SETUP_FAILED = 7,
        CUFFT_INVALID_SIZE = 8,
        CUFFT_UNALIGNED_DATA = 9,
        CUFFT_INVALID_DEVICE = 11,
        CUFFT_NO_WORKSPACE = 13,
        CUFFT_NOT_IMPLEMENTED = 14,
        CUFFT_NOT_SUPPORTED = 16,
    }
    /// The types of input and result.
    cufftType {
        CUFFT_C2C = 0x29,
        CUFFT_Z2Z = 0x69,
    }
    /// The result of a cuSOLVER function.
    cusolverStatus_t {
        CUSOLVER_STATUS_SUCCESS = 0,
        CUSOLVER_STATUS_NOT_INITIALIZED = 1,
        CUSOLVER_STATUS_ALLOC_FAILED = 2,
        CUSOLVER_STATUS_INVALID_VALUE = 3,
        CUSOLVER_STATUS_ARCH_MISMATCH = 4,
        CUSOLVER_STATUS_MAPPING_ERROR = 5,
        CUSOLVER_STATUS_EXECUTION_FAILED = 6,
        CUSOLVER_STATUS_INTERNAL_ERROR = 7,
        CUSOLVER_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
        CUSOLVER_STATUS_NOT_SUPPORTED = 9,
    }
    /// Whether eigenvectors are computed.
    cusolverEigMode_t {
        CUSOLVER_EIG_MODE_NOVECTOR = 0,
        CUSOLVER_EIG_MODE_VECTOR = 1,
    }
    /// The triangle of a symmetric matrix that is read.
    cublasFillMode_t {
        CUBLAS_FILL_MODE_LOWER = 0,
        CUBLAS_FILL_MODE_UPPER = 1,
    }
}

/// cuDNN's estimate for an algorithm.
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
/// The same struct for the gradient of the input.
pub type cudnnConvolutionBwdDataAlgoPerf_t = cudnnConvolutionFwdAlgoPerf_t;
/// The same struct for the gradient of the weights.
pub type cudnnConvolutionBwdFilterAlgoPerf_t = cudnnConvolutionFwdAlgoPerf_t;

/// A plan of cuFFT.
pub type cufftHandle = c_int;

/// A complex number of two floats.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cufftComplex {
    pub x: f32,
    pub y: f32,
}

/// A complex number of two doubles.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct cufftDoubleComplex {
    pub x: f64,
    pub y: f64,
}

/// Negative exponents.
pub const CUFFT_FORWARD: c_int = -1;
/// Positive exponents.
pub const CUFFT_INVERSE: c_int = 1;

/// Pinned memory that every context can use.
pub const CU_MEMHOSTALLOC_PORTABLE: c_uint = 1;
/// Pinned memory that kernels can address.
pub const CU_MEMHOSTALLOC_DEVICEMAP: c_uint = 2;

/// Returns the C name of a constant.
pub fn name(of: &str, code: c_int) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(kind, _, value)| *kind == of && *value == i64::from(code))
        .map_or("an unknown code", |(_, name, _)| name)
}
