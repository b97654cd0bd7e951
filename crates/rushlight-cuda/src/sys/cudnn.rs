//! The functions of `libcudnn`.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_char, c_int, c_void};

/// Passes the list of functions to another macro.
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
