//! The virtual GPU's shared library: exports the functions of `rushlight-vgpu` under their C names. The feature selects the HIP
//! version and so the functions; with the feature `cuda` they are NVIDIA's.
#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

/// Exports each function as a jump, which keeps the arguments unchanged.
macro_rules! export {
    ($module:ident: $($name:ident)*) => { $(
        #[doc = concat!("The C function `", stringify!($name), "`.")]
        #[allow(non_snake_case)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub extern "C" fn $name() {
            std::arch::naked_asm!("jmp {}", sym rushlight_vgpu::$module::$name)
        }
    )* };
}

/// The newest HIP version among the enabled features.
const MAJOR: u32 = if cfg!(feature = "hip7") {
    7
} else if cfg!(feature = "hip6") {
    6
} else {
    5
};

/// Runs when the library is loaded.
#[used]
#[unsafe(link_section = ".init_array")]
static INIT: extern "C" fn() = {
    extern "C" fn init() {
        if cfg!(feature = "cuda") {
            rushlight_vgpu::set_cuda();
        } else {
            rushlight_vgpu::set_major(MAJOR);
        }
    }
    init
};

// Not a HIP function: `python -m rushlight_vgpu` calls it.
export! { cli: rushlight_vgpu_command }

#[cfg(not(feature = "cuda"))]
export! { hip:
    hipInit hipRuntimeGetVersion hipDriverGetVersion hipGetDeviceCount hipGetDevice hipSetDevice hipDeviceGet
    hipDeviceSynchronize hipDeviceReset hipDeviceGetName hipDeviceGetPCIBusId hipDeviceGetUuid hipDeviceTotalMem
    hipDeviceComputeCapability hipDeviceGetStreamPriorityRange hipDeviceGetAttribute hipGetDeviceProperties
    hipDeviceCanAccessPeer hipDeviceEnablePeerAccess hipDeviceDisablePeerAccess hipGetErrorName hipGetErrorString
    hipGetLastError hipPeekAtLastError hipDevicePrimaryCtxRetain hipDevicePrimaryCtxRelease
    hipMalloc hipExtMallocWithFlags hipFree hipMemGetInfo hipHostMalloc hipHostFree hipHostGetDevicePointer
    hipHostRegister hipHostUnregister hipPointerGetAttributes hipMemGetAddressRange hipMemcpy hipMemcpyAsync
    hipMemcpyWithStream hipMemcpyHtoD hipMemcpyHtoDAsync hipMemcpyDtoH hipMemcpyDtoHAsync hipMemcpyDtoD
    hipMemcpyDtoDAsync hipMemcpyPeerAsync hipMemcpy2DAsync hipMemset hipMemsetAsync hipMemsetD8 hipMemsetD8Async
    hipMemsetD16 hipMemsetD16Async hipMemsetD32 hipMemsetD32Async
    hipStreamCreate hipStreamCreateWithFlags hipStreamCreateWithPriority hipStreamDestroy hipStreamSynchronize
    hipStreamQuery hipStreamGetFlags hipStreamWaitEvent
    hipEventCreate hipEventCreateWithFlags hipEventDestroy hipEventRecord hipEventSynchronize hipEventQuery
    hipEventElapsedTime
    hipStreamBeginCapture hipStreamEndCapture hipStreamIsCapturing hipThreadExchangeStreamCaptureMode
    hipGraphInstantiateWithFlags hipGraphLaunch hipGraphExecDestroy hipGraphDestroy
    hipModuleLoadData hipModuleLoadDataEx hipModuleLoad hipModuleUnload hipModuleGetFunction hipModuleGetGlobal
    hipFuncGetAttribute hipModuleLaunchKernel hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
    hipModuleOccupancyMaxPotentialBlockSize
}

// Missing in the oldest release of HIP 5 still in use.
#[cfg(all(not(feature = "cuda"), any(feature = "hip6", feature = "hip7")))]
export! { hip:
    hipGetDevicePropertiesR0000 hipGetDevicePropertiesR0600 hipExtGetLastError hipStreamGetDevice hipLaunchHostFunc
    hipEventRecordWithFlags
}

#[cfg(not(feature = "cuda"))]
export! { rocblas:
    rocblas_create_handle rocblas_destroy_handle rocblas_set_stream rocblas_get_stream rocblas_set_pointer_mode
    rocblas_set_atomics_mode rocblas_set_workspace rocblas_get_version_string rocblas_initialize
    rocblas_status_to_string rocblas_gemm_strided_batched_ex
}

#[cfg(not(feature = "cuda"))]
export! { rocfft:
    rocfft_setup rocfft_get_version_string rocfft_plan_description_create rocfft_plan_description_destroy
    rocfft_plan_description_set_data_layout rocfft_plan_description_set_scale_factor rocfft_plan_create
    rocfft_plan_get_work_buffer_size rocfft_plan_destroy rocfft_execution_info_create rocfft_execution_info_destroy
    rocfft_execution_info_set_stream rocfft_execution_info_set_work_buffer rocfft_execute
}
export! { rocsolver:
    rocsolver_sgetrf_strided_batched rocsolver_spotrf_strided_batched rocsolver_dgetrf_strided_batched
    rocsolver_dpotrf_strided_batched rocsolver_sgeqrf_strided_batched rocsolver_sorgqr
    rocsolver_ssyevd_strided_batched rocsolver_sgesvd_strided_batched rocsolver_dgeqrf_strided_batched
    rocsolver_dorgqr rocsolver_dsyevd_strided_batched rocsolver_dgesvd_strided_batched
    rocsolver_cgeqrf_strided_batched rocsolver_cungqr rocsolver_cheevd_strided_batched
    rocsolver_cgesvd_strided_batched rocsolver_zgeqrf_strided_batched rocsolver_zungqr
    rocsolver_zheevd_strided_batched rocsolver_zgesvd_strided_batched
}

#[cfg(not(feature = "cuda"))]
export! { hiprtc:
    hiprtcVersion hiprtcGetErrorString hiprtcCreateProgram hiprtcDestroyProgram hiprtcAddNameExpression
    hiprtcCompileProgram hiprtcGetLoweredName hiprtcGetProgramLogSize hiprtcGetProgramLog hiprtcGetCodeSize
    hiprtcGetCode
}

#[cfg(not(feature = "cuda"))]
export! { miopen:
    miopenGetVersion miopenGetErrorString miopenCreate miopenCreateWithStream miopenSetStream miopenGetStream
    miopenDestroy miopenCreateTensorDescriptor miopenSet4dTensorDescriptor miopenSetTensorDescriptor
    miopenGetTensorDescriptor miopenDestroyTensorDescriptor
    miopenCreateConvolutionDescriptor miopenInitConvolutionDescriptor miopenInitConvolutionNdDescriptor
    miopenSetConvolutionGroupCount miopenSetTransposeConvOutputPadding miopenSetTransposeConvNdOutputPadding
    miopenSetConvolutionAttribute miopenDestroyConvolutionDescriptor miopenGetConvolutionForwardOutputDim
    miopenGetConvolutionNdForwardOutputDim
    miopenConvolutionForwardGetSolutionCount miopenConvolutionForwardGetSolution
    miopenConvolutionForwardGetSolutionWorkspaceSize miopenConvolutionForwardCompileSolution
    miopenConvolutionForwardImmediate miopenConvolutionBackwardDataGetSolutionCount
    miopenConvolutionBackwardDataGetSolution miopenConvolutionBackwardDataGetSolutionWorkspaceSize
    miopenConvolutionBackwardDataCompileSolution miopenConvolutionBackwardDataImmediate
    miopenConvolutionBackwardWeightsGetSolutionCount miopenConvolutionBackwardWeightsGetSolution
    miopenConvolutionBackwardWeightsGetSolutionWorkspaceSize miopenConvolutionBackwardWeightsCompileSolution
    miopenConvolutionBackwardWeightsImmediate
    miopenConvolutionForwardGetWorkSpaceSize miopenFindConvolutionForwardAlgorithm miopenConvolutionForward
    miopenConvolutionBackwardDataGetWorkSpaceSize miopenFindConvolutionBackwardDataAlgorithm
    miopenConvolutionBackwardData miopenConvolutionBackwardWeightsGetWorkSpaceSize
    miopenFindConvolutionBackwardWeightsAlgorithm miopenConvolutionBackwardWeights
    miopenCreatePoolingDescriptor miopenSetNdPoolingDescriptor miopenSetPoolingIndexType
    miopenSetPoolingWorkSpaceIndexMode miopenPoolingGetWorkSpaceSizeV2 miopenPoolingForward miopenPoolingBackward
    miopenDestroyPoolingDescriptor
}

// Since MIOpen 3.2.
#[cfg(all(not(feature = "cuda"), any(feature = "hip6", feature = "hip7")))]
export! { miopen: miopenSetTensorDescriptorV2 }

// Since MIOpen 3.4; the MIOpen of HIP 6 here is 3.3.
#[cfg(all(not(feature = "cuda"), feature = "hip7"))]
export! { miopen: miopenSetConvolutionFindMode }

#[cfg(feature = "cuda")]
export! { cuda:
    cuInit cuDriverGetVersion cuGetErrorString cuDeviceGetCount cuDeviceGet cuDeviceGetName cuDeviceTotalMem_v2
    cuDeviceGetAttribute cuDevicePrimaryCtxRetain cuCtxSetCurrent cuCtxSynchronize cuMemGetInfo_v2 cuMemAlloc_v2
    cuMemFree_v2 cuMemHostAlloc cuMemHostGetDevicePointer_v2 cuMemcpyHtoDAsync_v2 cuMemcpyDtoHAsync_v2 cuMemsetD8Async
    cuStreamCreate cuStreamSynchronize cuEventCreate cuEventRecord cuEventElapsedTime cuEventDestroy_v2
    cuStreamBeginCapture_v2 cuStreamEndCapture cuStreamIsCapturing cuThreadExchangeStreamCaptureMode
    cuGraphInstantiateWithFlags cuGraphLaunch cuGraphExecDestroy cuGraphDestroy cuModuleLoadData cuModuleUnload cuModuleGetFunction cuLaunchKernel
    nvrtcVersion nvrtcGetNumSupportedArchs nvrtcGetSupportedArchs nvrtcCreateProgram nvrtcCompileProgram
    nvrtcGetProgramLogSize nvrtcGetProgramLog nvrtcGetCUBINSize nvrtcGetCUBIN nvrtcGetPTXSize nvrtcGetPTX
    nvrtcDestroyProgram
    cublasCreate_v2 cublasDestroy_v2 cublasSetStream_v2 cublasSetMathMode cublasGemmStridedBatchedEx
    cudnnConvolutionBackwardData cudnnConvolutionBackwardFilter cudnnConvolutionForward cudnnCreate
    cudnnCreateConvolutionDescriptor cudnnCreateFilterDescriptor cudnnCreatePoolingDescriptor
    cudnnCreateTensorDescriptor cudnnDestroy cudnnDestroyConvolutionDescriptor cudnnDestroyFilterDescriptor
    cudnnDestroyPoolingDescriptor cudnnDestroyTensorDescriptor cudnnGetConvolutionBackwardDataAlgorithm_v7
    cudnnGetConvolutionBackwardDataWorkspaceSize cudnnGetConvolutionBackwardFilterAlgorithm_v7
    cudnnGetConvolutionBackwardFilterWorkspaceSize cudnnGetConvolutionForwardAlgorithm_v7
    cudnnGetConvolutionForwardWorkspaceSize cudnnGetErrorString cudnnGetVersion cudnnPoolingBackward
    cudnnPoolingForward cudnnSetConvolutionGroupCount cudnnSetConvolutionMathType cudnnSetConvolutionNdDescriptor
    cudnnSetFilterNdDescriptor cudnnSetPoolingNdDescriptor cudnnSetStream cudnnSetTensorNdDescriptor
    cufftGetVersion cufftCreate cufftDestroy cufftSetAutoAllocation cufftMakePlanMany64 cufftSetWorkArea cufftSetStream
    cufftExecC2C cufftExecZ2Z
}

#[cfg(feature = "cuda")]
export! { cuda:
    cusolverDnCreate cusolverDnDestroy cusolverDnSetStream cusolverDnCreateParams cusolverDnDestroyParams
    cusolverDnXgetrf_bufferSize cusolverDnXgetrf cusolverDnXpotrf_bufferSize cusolverDnXpotrf
    cusolverDnXgeqrf_bufferSize cusolverDnXgeqrf cusolverDnXsyevd_bufferSize cusolverDnXsyevd
    cusolverDnXgesvd_bufferSize cusolverDnXgesvd cusolverDnSorgqr cusolverDnSorgqr_bufferSize cusolverDnDorgqr
    cusolverDnDorgqr_bufferSize cusolverDnCungqr cusolverDnCungqr_bufferSize cusolverDnZungqr
    cusolverDnZungqr_bufferSize
}
