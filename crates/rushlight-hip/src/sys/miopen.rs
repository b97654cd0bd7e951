//! `libMIOpen`: convolutions and pooling. Constants are valid in MIOpen 2.20 to 3.5.
use super::hip::{constants, hipStream_t};
use rushlight_load::symbols;
use std::ffi::{c_char, c_int, c_void};

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
    miopenHandle miopenHandle_t;
    miopenTensorDescriptor miopenTensorDescriptor_t;
    miopenConvolutionDescriptor miopenConvolutionDescriptor_t;
    miopenPoolingDescriptor miopenPoolingDescriptor_t;
}

constants! {
    /// The result of most calls.
    miopenStatus_t {
        miopenStatusSuccess = 0,
        miopenStatusNotInitialized = 1,
        miopenStatusInvalidValue = 2,
        miopenStatusBadParm = 3,
        miopenStatusAllocFailed = 4,
        miopenStatusInternalError = 5,
        miopenStatusNotImplemented = 6,
        miopenStatusUnknownError = 7,
        miopenStatusUnsupportedOp = 8,
    }
    /// The type of an element.
    miopenDataType_t {
        miopenHalf = 0,
        miopenFloat = 1,
        miopenInt32 = 2,
        miopenInt8 = 3,
        miopenBFloat16 = 5,
        miopenDouble = 6,
    }
    /// Cross-correlation, or its transpose.
    miopenConvolutionMode_t {
        miopenConvolution = 0,
        miopenTranspose = 1,
    }
    /// A setting of a convolution.
    miopenConvolutionAttrib_t {
        MIOPEN_CONVOLUTION_ATTRIB_FP16_ALT_IMPL = 0,
        MIOPEN_CONVOLUTION_ATTRIB_DETERMINISTIC = 1,
    }
    /// A family of forward kernels.
    miopenConvFwdAlgorithm_t {
        miopenConvolutionFwdAlgoGEMM = 0,
        miopenConvolutionFwdAlgoDirect = 1,
        miopenConvolutionFwdAlgoFFT = 2,
        miopenConvolutionFwdAlgoWinograd = 3,
        miopenConvolutionFwdAlgoImplicitGEMM = 5,
    }
    /// A family of kernels for the gradient of the input.
    miopenConvBwdDataAlgorithm_t {
        miopenConvolutionBwdDataAlgoGEMM = 0,
        miopenConvolutionBwdDataAlgoDirect = 1,
        miopenConvolutionBwdDataAlgoFFT = 2,
        miopenConvolutionBwdDataAlgoWinograd = 3,
        miopenConvolutionBwdDataAlgoImplicitGEMM = 5,
    }
    /// A family of kernels for the gradient of the weights.
    miopenConvBwdWeightsAlgorithm_t {
        miopenConvolutionBwdWeightsAlgoGEMM = 0,
        miopenConvolutionBwdWeightsAlgoDirect = 1,
        miopenConvolutionBwdWeightsAlgoWinograd = 3,
        miopenConvolutionBwdWeightsAlgoImplicitGEMM = 5,
    }
    /// The reduction of a window.
    miopenPoolingMode_t {
        miopenPoolingMax = 0,
        miopenPoolingAverage = 1,
        miopenPoolingAverageInclusive = 2,
    }
    /// The type of the stored index of a maximum.
    miopenIndexType_t {
        miopenIndexUint8 = 0,
        miopenIndexUint16 = 1,
        miopenIndexUint32 = 2,
        miopenIndexUint64 = 3,
    }
    /// The index space of a maximum: the window or the image.
    miopenPoolingWorkspaceIndexMode_t {
        miopenPoolingWorkspaceIndexMask = 0,
        miopenPoolingWorkspaceIndexImage = 1,
    }
}

/// A measurement of Find.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct miopenConvAlgoPerf_t {
    /// The algorithm family; in C a union of the three directions' types.
    pub algorithm: c_int,
    /// Milliseconds.
    pub time: f32,
    /// Bytes of workspace.
    pub memory: usize,
}

/// A kernel of immediate mode.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct miopenConvSolution_t {
    /// Milliseconds; negative for an estimate.
    pub time: f32,
    /// Bytes of workspace.
    pub workspace_size: usize,
    /// Identifies the kernel.
    pub solution_id: u64,
    /// The algorithm family.
    pub algorithm: c_int,
}

/// Passes the list of functions to another macro.
macro_rules! miopen_functions {
    ($go:ident) => { $go! {
        /// The functions of `libMIOpen`.
        MiopenSymbols;
        "MIOpen" {
            fn miopenGetVersion(major: *mut usize, minor: *mut usize, patch: *mut usize) -> miopenStatus_t;
            fn miopenGetErrorString(status: miopenStatus_t) -> *const c_char;
            fn miopenCreateWithStream(handle: *mut miopenHandle_t, stream: hipStream_t) -> miopenStatus_t;
            fn miopenSetStream(handle: miopenHandle_t, stream: hipStream_t) -> miopenStatus_t;
            fn miopenDestroy(handle: miopenHandle_t) -> miopenStatus_t;
            fn miopenCreateTensorDescriptor(tensor: *mut miopenTensorDescriptor_t) -> miopenStatus_t;
            fn miopenSetTensorDescriptor(tensor: miopenTensorDescriptor_t, kind: miopenDataType_t, rank: c_int, dims: *const c_int, strides: *const c_int) -> miopenStatus_t;
            fn miopenDestroyTensorDescriptor(tensor: miopenTensorDescriptor_t) -> miopenStatus_t;
        }
        "convolutions" {
            fn miopenCreateConvolutionDescriptor(conv: *mut miopenConvolutionDescriptor_t) -> miopenStatus_t;
            fn miopenInitConvolutionNdDescriptor(conv: miopenConvolutionDescriptor_t, rank: c_int, pads: *const c_int, strides: *const c_int, dilations: *const c_int, mode: miopenConvolutionMode_t) -> miopenStatus_t;
            fn miopenSetConvolutionGroupCount(conv: miopenConvolutionDescriptor_t, groups: c_int) -> miopenStatus_t;
            fn miopenSetConvolutionAttribute(conv: miopenConvolutionDescriptor_t, attribute: miopenConvolutionAttrib_t, value: c_int) -> miopenStatus_t;
            fn miopenDestroyConvolutionDescriptor(conv: miopenConvolutionDescriptor_t) -> miopenStatus_t;
            fn miopenConvolutionForwardGetSolutionCount(handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, count: *mut usize) -> miopenStatus_t;
            fn miopenConvolutionForwardGetSolution(handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, most: usize, count: *mut usize, solutions: *mut miopenConvSolution_t) -> miopenStatus_t;
            fn miopenConvolutionForwardCompileSolution(handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, solution: u64) -> miopenStatus_t;
            fn miopenConvolutionForwardImmediate(handle: miopenHandle_t, w: miopenTensorDescriptor_t, w_at: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, y_at: *mut c_void, workspace: *mut c_void, bytes: usize, solution: u64) -> miopenStatus_t;
            fn miopenConvolutionBackwardDataGetSolutionCount(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, count: *mut usize) -> miopenStatus_t;
            fn miopenConvolutionBackwardDataGetSolution(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, most: usize, count: *mut usize, solutions: *mut miopenConvSolution_t) -> miopenStatus_t;
            fn miopenConvolutionBackwardDataCompileSolution(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, solution: u64) -> miopenStatus_t;
            fn miopenConvolutionBackwardDataImmediate(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, dy_at: *const c_void, w: miopenTensorDescriptor_t, w_at: *const c_void, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, dx_at: *mut c_void, workspace: *mut c_void, bytes: usize, solution: u64) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeightsGetSolutionCount(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, count: *mut usize) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeightsGetSolution(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, most: usize, count: *mut usize, solutions: *mut miopenConvSolution_t) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeightsCompileSolution(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, solution: u64) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeightsImmediate(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, dy_at: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, dw_at: *mut c_void, workspace: *mut c_void, bytes: usize, solution: u64) -> miopenStatus_t;
        }
        "searching for the fastest convolution" {
            fn miopenConvolutionForwardGetWorkSpaceSize(handle: miopenHandle_t, w: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, bytes: *mut usize) -> miopenStatus_t;
            fn miopenFindConvolutionForwardAlgorithm(handle: miopenHandle_t, x: miopenTensorDescriptor_t, x_at: *const c_void, w: miopenTensorDescriptor_t, w_at: *const c_void, conv: miopenConvolutionDescriptor_t, y: miopenTensorDescriptor_t, y_at: *mut c_void, request: c_int, returned: *mut c_int, found: *mut miopenConvAlgoPerf_t, workspace: *mut c_void, bytes: usize, exhaustive: bool) -> miopenStatus_t;
            fn miopenConvolutionForward(handle: miopenHandle_t, alpha: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, w: miopenTensorDescriptor_t, w_at: *const c_void, conv: miopenConvolutionDescriptor_t, algorithm: miopenConvFwdAlgorithm_t, beta: *const c_void, y: miopenTensorDescriptor_t, y_at: *mut c_void, workspace: *mut c_void, bytes: usize) -> miopenStatus_t;
            fn miopenConvolutionBackwardDataGetWorkSpaceSize(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, w: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, bytes: *mut usize) -> miopenStatus_t;
            fn miopenFindConvolutionBackwardDataAlgorithm(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, dy_at: *const c_void, w: miopenTensorDescriptor_t, w_at: *const c_void, conv: miopenConvolutionDescriptor_t, dx: miopenTensorDescriptor_t, dx_at: *mut c_void, request: c_int, returned: *mut c_int, found: *mut miopenConvAlgoPerf_t, workspace: *mut c_void, bytes: usize, exhaustive: bool) -> miopenStatus_t;
            fn miopenConvolutionBackwardData(handle: miopenHandle_t, alpha: *const c_void, dy: miopenTensorDescriptor_t, dy_at: *const c_void, w: miopenTensorDescriptor_t, w_at: *const c_void, conv: miopenConvolutionDescriptor_t, algorithm: miopenConvBwdDataAlgorithm_t, beta: *const c_void, dx: miopenTensorDescriptor_t, dx_at: *mut c_void, workspace: *mut c_void, bytes: usize) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeightsGetWorkSpaceSize(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, x: miopenTensorDescriptor_t, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, bytes: *mut usize) -> miopenStatus_t;
            fn miopenFindConvolutionBackwardWeightsAlgorithm(handle: miopenHandle_t, dy: miopenTensorDescriptor_t, dy_at: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, conv: miopenConvolutionDescriptor_t, dw: miopenTensorDescriptor_t, dw_at: *mut c_void, request: c_int, returned: *mut c_int, found: *mut miopenConvAlgoPerf_t, workspace: *mut c_void, bytes: usize, exhaustive: bool) -> miopenStatus_t;
            fn miopenConvolutionBackwardWeights(handle: miopenHandle_t, alpha: *const c_void, dy: miopenTensorDescriptor_t, dy_at: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, conv: miopenConvolutionDescriptor_t, algorithm: miopenConvBwdWeightsAlgorithm_t, beta: *const c_void, dw: miopenTensorDescriptor_t, dw_at: *mut c_void, workspace: *mut c_void, bytes: usize) -> miopenStatus_t;
        }
        "pooling" {
            fn miopenCreatePoolingDescriptor(pool: *mut miopenPoolingDescriptor_t) -> miopenStatus_t;
            fn miopenSetNdPoolingDescriptor(pool: miopenPoolingDescriptor_t, mode: miopenPoolingMode_t, rank: c_int, windows: *const c_int, pads: *const c_int, strides: *const c_int) -> miopenStatus_t;
            fn miopenSetPoolingIndexType(pool: miopenPoolingDescriptor_t, kind: miopenIndexType_t) -> miopenStatus_t;
            fn miopenSetPoolingWorkSpaceIndexMode(pool: miopenPoolingDescriptor_t, mode: miopenPoolingWorkspaceIndexMode_t) -> miopenStatus_t;
            fn miopenPoolingGetWorkSpaceSizeV2(pool: miopenPoolingDescriptor_t, y: miopenTensorDescriptor_t, bytes: *mut usize) -> miopenStatus_t;
            fn miopenPoolingForward(handle: miopenHandle_t, pool: miopenPoolingDescriptor_t, alpha: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, beta: *const c_void, y: miopenTensorDescriptor_t, y_at: *mut c_void, backward: bool, workspace: *mut c_void, bytes: usize) -> miopenStatus_t;
            fn miopenPoolingBackward(handle: miopenHandle_t, pool: miopenPoolingDescriptor_t, alpha: *const c_void, y: miopenTensorDescriptor_t, y_at: *const c_void, dy: miopenTensorDescriptor_t, dy_at: *const c_void, x: miopenTensorDescriptor_t, x_at: *const c_void, beta: *const c_void, dx: miopenTensorDescriptor_t, dx_at: *mut c_void, workspace: *mut c_void) -> miopenStatus_t;
            fn miopenDestroyPoolingDescriptor(pool: miopenPoolingDescriptor_t) -> miopenStatus_t;
        }
    } };
}
pub(crate) use miopen_functions;
miopen_functions!(symbols);

/// Returns the C name of a status.
///
/// ```
/// assert_eq!(rushlight_hip::sys::miopen::status_name(7), "miopenStatusUnknownError");
/// ```
pub fn status_name(status: miopenStatus_t) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(ty, _, value)| *ty == "miopenStatus_t" && *value == u64::from(status))
        .map_or("an unknown miopenStatus_t", |(_, name, _)| name)
}
