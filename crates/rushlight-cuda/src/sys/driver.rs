//! The functions of `libcuda`.
use super::*;
use rushlight_load::symbols;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};

/// Passes the list of functions to another macro. A function with a second version is listed under that name.
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
        "events" {
            fn cuEventCreate(event: *mut CUevent, flags: c_uint) -> CUresult;
            fn cuEventRecord(event: CUevent, stream: CUstream) -> CUresult;
            fn cuEventElapsedTime(ms: *mut f32, start: CUevent, end: CUevent) -> CUresult;
            fn cuEventDestroy_v2(event: CUevent) -> CUresult;
        }
        "graphs" {
            fn cuStreamBeginCapture_v2(stream: CUstream, mode: CUstreamCaptureMode) -> CUresult;
            fn cuStreamEndCapture(stream: CUstream, graph: *mut CUgraph) -> CUresult;
            fn cuStreamIsCapturing(stream: CUstream, status: *mut CUstreamCaptureStatus) -> CUresult;
            fn cuThreadExchangeStreamCaptureMode(mode: *mut CUstreamCaptureMode) -> CUresult;
            fn cuGraphInstantiateWithFlags(exec: *mut CUgraphExec, graph: CUgraph, flags: c_ulonglong) -> CUresult;
            fn cuGraphLaunch(exec: CUgraphExec, stream: CUstream) -> CUresult;
            fn cuGraphExecDestroy(exec: CUgraphExec) -> CUresult;
            fn cuGraphDestroy(graph: CUgraph) -> CUresult;
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
