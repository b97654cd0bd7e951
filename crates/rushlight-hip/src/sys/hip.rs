//! `libamdhip64`: types, constants and functions of the HIP runtime.
//!
//! Constants are valid in HIP 5 to 7 unless their name contains a version. Handles are opaque.
use rushlight_load::symbols;
use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

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
    ihipStream_t hipStream_t;
    ihipEvent_t hipEvent_t;
    ihipModule_t hipModule_t;
    ihipModuleSymbol_t hipFunction_t;
    ihipGraph hipGraph_t;
    hipGraphExec hipGraphExec_t;
    hipGraphNode hipGraphNode_t;
}

macro_rules! constants {
    ($($(#[$meta:meta])* $ty:ident { $($name:ident = $value:expr,)* })*) => {
        $( $(#[$meta])* pub type $ty = std::ffi::c_uint; $(
            #[doc = concat!("`", stringify!($name), "` of `", stringify!($ty), "`.")]
            pub const $name: $ty = $value;
        )* )*
        /// All constants as (C type, C name, value), for comparison with the headers.
        pub const CONSTANTS: &[(&str, &str, u64)] = &[$($( (stringify!($ty), stringify!($name), $value as u64), )*)*];
    };
}
pub(crate) use constants;

constants! {
    /// The result of most calls.
    hipError_t {
        hipSuccess = 0,
        hipErrorInvalidValue = 1,
        hipErrorOutOfMemory = 2,
        hipErrorNotInitialized = 3,
        hipErrorDeinitialized = 4,
        hipErrorInvalidConfiguration = 9,
        hipErrorInvalidPitchValue = 12,
        hipErrorInvalidSymbol = 13,
        hipErrorInvalidDevicePointer = 17,
        hipErrorInvalidMemcpyDirection = 21,
        hipErrorInsufficientDriver = 35,
        hipErrorMissingConfiguration = 52,
        hipErrorPriorLaunchFailure = 53,
        hipErrorInvalidDeviceFunction = 98,
        hipErrorNoDevice = 100,
        hipErrorInvalidDevice = 101,
        hipErrorInvalidImage = 200,
        hipErrorInvalidContext = 201,
        hipErrorContextAlreadyCurrent = 202,
        hipErrorMapFailed = 205,
        hipErrorUnmapFailed = 206,
        hipErrorArrayIsMapped = 207,
        hipErrorAlreadyMapped = 208,
        hipErrorNoBinaryForGpu = 209,
        hipErrorAlreadyAcquired = 210,
        hipErrorNotMapped = 211,
        hipErrorNotMappedAsArray = 212,
        hipErrorNotMappedAsPointer = 213,
        hipErrorECCNotCorrectable = 214,
        hipErrorUnsupportedLimit = 215,
        hipErrorContextAlreadyInUse = 216,
        hipErrorPeerAccessUnsupported = 217,
        hipErrorInvalidKernelFile = 218,
        hipErrorInvalidGraphicsContext = 219,
        hipErrorInvalidSource = 300,
        hipErrorFileNotFound = 301,
        hipErrorSharedObjectSymbolNotFound = 302,
        hipErrorSharedObjectInitFailed = 303,
        hipErrorOperatingSystem = 304,
        hipErrorInvalidHandle = 400,
        hipErrorIllegalState = 401,
        hipErrorNotFound = 500,
        hipErrorNotReady = 600,
        hipErrorIllegalAddress = 700,
        hipErrorLaunchOutOfResources = 701,
        hipErrorLaunchTimeOut = 702,
        hipErrorPeerAccessAlreadyEnabled = 704,
        hipErrorPeerAccessNotEnabled = 705,
        hipErrorSetOnActiveProcess = 708,
        hipErrorContextIsDestroyed = 709,
        hipErrorAssert = 710,
        hipErrorHostMemoryAlreadyRegistered = 712,
        hipErrorHostMemoryNotRegistered = 713,
        hipErrorLaunchFailure = 719,
        hipErrorCooperativeLaunchTooLarge = 720,
        hipErrorNotSupported = 801,
        hipErrorStreamCaptureUnsupported = 900,
        hipErrorStreamCaptureInvalidated = 901,
        hipErrorStreamCaptureMerge = 902,
        hipErrorStreamCaptureUnmatched = 903,
        hipErrorStreamCaptureUnjoined = 904,
        hipErrorStreamCaptureIsolation = 905,
        hipErrorStreamCaptureImplicit = 906,
        hipErrorCapturedEvent = 907,
        hipErrorStreamCaptureWrongThread = 908,
        hipErrorGraphExecUpdateFailure = 910,
        hipErrorUnknown = 999,
        hipErrorRuntimeMemory = 1052,
        hipErrorRuntimeOther = 1053,
    }
    /// The direction of a copy.
    hipMemcpyKind {
        hipMemcpyHostToHost = 0,
        hipMemcpyHostToDevice = 1,
        hipMemcpyDeviceToHost = 2,
        hipMemcpyDeviceToDevice = 3,
        hipMemcpyDefault = 4,
    }
    /// An attribute that [`hipDeviceGetAttribute`](HipSymbols::hipDeviceGetAttribute) returns.
    hipDeviceAttribute_t {
        hipDeviceAttributeCanMapHostMemory = 3,
        hipDeviceAttributeClockRate = 5,
        hipDeviceAttributeCooperativeLaunch = 10,
        hipDeviceAttributeIntegrated = 16,
        hipDeviceAttributeL2CacheSize = 19,
        hipDeviceAttributeComputeCapabilityMajor = 23,
        hipDeviceAttributeManagedMemory = 24,
        hipDeviceAttributeMaxBlockDimX = 26,
        hipDeviceAttributeMaxBlockDimY = 27,
        hipDeviceAttributeMaxBlockDimZ = 28,
        hipDeviceAttributeMaxGridDimX = 29,
        hipDeviceAttributeMaxGridDimY = 30,
        hipDeviceAttributeMaxGridDimZ = 31,
        hipDeviceAttributeMaxThreadsPerBlock = 56,
        hipDeviceAttributeMaxThreadsPerMultiProcessor = 57,
        hipDeviceAttributeMemoryBusWidth = 59,
        hipDeviceAttributeMemoryClockRate = 60,
        hipDeviceAttributeComputeCapabilityMinor = 61,
        hipDeviceAttributeMultiprocessorCount = 63,
        hipDeviceAttributePciBusId = 67,
        hipDeviceAttributePciDeviceId = 68,
        hipDeviceAttributeMaxRegistersPerBlock = 71,
        hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
        hipDeviceAttributeUnifiedAddressing = 85,
        hipDeviceAttributeWarpSize = 87,
        hipDeviceAttributeMemoryPoolsSupported = 88,
    }
    /// An attribute that [`hipFuncGetAttribute`](HipSymbols::hipFuncGetAttribute) returns.
    hipFunction_attribute {
        HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
        HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
        HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
        HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
        HIP_FUNC_ATTRIBUTE_NUM_REGS = 4,
    }
    /// Which calls a capture forbids in other threads.
    hipStreamCaptureMode {
        hipStreamCaptureModeGlobal = 0,
        hipStreamCaptureModeThreadLocal = 1,
        hipStreamCaptureModeRelaxed = 2,
    }
    /// Whether a stream is being captured.
    hipStreamCaptureStatus {
        hipStreamCaptureStatusNone = 0,
        hipStreamCaptureStatusActive = 1,
        hipStreamCaptureStatusInvalidated = 2,
    }
}

macro_rules! flags {
    ($($(#[$meta:meta])* $name:ident = $value:expr;)*) => {
        $( $(#[$meta])* pub const $name: c_uint = $value; )*
        /// All flags (a `#define` in C) as (name, value), for comparison with the headers.
        pub const FLAGS: &[(&str, u32)] = &[$((stringify!($name), $value),)*];
    };
}
flags! {
    /// A stream that synchronizes with the null stream.
    hipStreamDefault = 0;
    /// A stream that does not synchronize with the null stream.
    hipStreamNonBlocking = 1;
    /// An event that measures time.
    hipEventDefault = 0;
    /// A thread that waits for the event sleeps.
    hipEventBlockingSync = 1;
    /// An event without timing, which is cheaper.
    hipEventDisableTiming = 2;
    /// Pinned memory that every device can use.
    hipHostMallocPortable = 1;
    /// Pinned memory that kernels can address.
    hipHostMallocMapped = 2;
    /// Pinned memory whose stores are visible at once to host and device.
    hipHostMallocCoherent = 0x4000_0000;
}

/// `hipMemoryType` up to HIP 5: the numbers changed with HIP 6.
pub const MEMORY_TYPE_5: [(u32, &str); 4] = [
    (0, "hipMemoryTypeHost"),
    (1, "hipMemoryTypeDevice"),
    (2, "hipMemoryTypeArray"),
    (3, "hipMemoryTypeUnified"),
];
/// `hipMemoryType` from HIP 6 on.
pub const MEMORY_TYPE_6: [(u32, &str); 6] = [
    (0, "hipMemoryTypeUnregistered"),
    (1, "hipMemoryTypeHost"),
    (2, "hipMemoryTypeDevice"),
    (3, "hipMemoryTypeManaged"),
    (10, "hipMemoryTypeArray"),
    (11, "hipMemoryTypeUnified"),
];

/// The attributes of a pointer; the numbers of `kind` depend on HIP's major version.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct hipPointerAttribute_t {
    /// `hipMemoryType`: [`MEMORY_TYPE_5`] or [`MEMORY_TYPE_6`].
    pub kind: u32,
    /// The device of the allocation.
    pub device: c_int,
    /// The address that kernels use.
    pub devicePointer: *mut c_void,
    /// The address that the host uses, or null.
    pub hostPointer: *mut c_void,
    /// Not zero for managed memory.
    pub isManaged: c_int,
    /// The flags of the allocation.
    pub allocationFlags: c_uint,
}

/// The offsets of fields in `hipDeviceProp_t`, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropLayout {
    /// Size of the struct.
    pub size: usize,
    /// `gcnArchName`, 256 bytes.
    pub arch_name: usize,
    /// `totalGlobalMem`, a `size_t`.
    pub total_mem: usize,
    /// `warpSize`, an `int`.
    pub warp_size: usize,
    /// `pciDomainID`, an `int`.
    pub pci_domain: usize,
}
/// The struct that `hipGetDeviceProperties` fills, in every version of HIP.
pub const PROP_R0000: PropLayout =
    PropLayout { size: 792, arch_name: 396, total_mem: 256, warp_size: 276, pci_domain: 364 };
/// The struct that `hipGetDevicePropertiesR0600` fills, from HIP 6 on.
pub const PROP_R0600: PropLayout =
    PropLayout { size: 1472, arch_name: 1160, total_mem: 288, warp_size: 308, pci_domain: 592 };

/// A device's number.
pub type hipDevice_t = c_int;
/// An address on the device.
pub type hipDeviceptr_t = *mut c_void;
/// `hipDeviceProp_t`, whose layout depends on the function: see [`PropLayout`].
pub type hipDeviceProp_t = c_void;

/// Passes the list of functions to another macro.
macro_rules! hip_functions {
    ($go:ident) => { $go! {
        /// The functions of `libamdhip64`.
        HipSymbols;
        "starting" {
            fn hipInit(flags: c_uint) -> hipError_t;
            fn hipRuntimeGetVersion(version: *mut c_int) -> hipError_t;
            fn hipDriverGetVersion(version: *mut c_int) -> hipError_t;
            fn hipGetDeviceCount(count: *mut c_int) -> hipError_t;
            fn hipGetLastError() -> hipError_t;
            fn hipPeekAtLastError() -> hipError_t;
        }
        "devices" {
            fn hipGetDevice(device: *mut c_int) -> hipError_t;
            fn hipSetDevice(device: c_int) -> hipError_t;
            fn hipDeviceSynchronize() -> hipError_t;
            fn hipDeviceGetName(name: *mut c_char, len: c_int, device: hipDevice_t) -> hipError_t;
            fn hipDeviceGetPCIBusId(id: *mut c_char, len: c_int, device: c_int) -> hipError_t;
            fn hipDeviceTotalMem(bytes: *mut usize, device: hipDevice_t) -> hipError_t;
            fn hipDeviceGetAttribute(value: *mut c_int, attribute: hipDeviceAttribute_t, device: c_int) -> hipError_t;
            fn hipGetDeviceProperties(props: *mut hipDeviceProp_t, device: c_int) -> hipError_t;
            fn hipGetDevicePropertiesR0600(props: *mut hipDeviceProp_t, device: c_int) -> hipError_t;
            fn hipDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) -> hipError_t;
            fn hipDeviceEnablePeerAccess(peer: c_int, flags: c_uint) -> hipError_t;
        }
        "memory" {
            fn hipMalloc(ptr: *mut *mut c_void, bytes: usize) -> hipError_t;
            fn hipFree(ptr: *mut c_void) -> hipError_t;
            fn hipMemGetInfo(free: *mut usize, total: *mut usize) -> hipError_t;
            fn hipHostMalloc(ptr: *mut *mut c_void, bytes: usize, flags: c_uint) -> hipError_t;
            fn hipHostFree(ptr: *mut c_void) -> hipError_t;
            fn hipHostGetDevicePointer(device: *mut *mut c_void, host: *mut c_void, flags: c_uint) -> hipError_t;
            fn hipPointerGetAttributes(attributes: *mut hipPointerAttribute_t, ptr: *const c_void) -> hipError_t;
        }
        "copies" {
            fn hipMemcpyAsync(dst: *mut c_void, src: *const c_void, bytes: usize, kind: hipMemcpyKind, stream: hipStream_t) -> hipError_t;
            fn hipMemcpyPeerAsync(dst: *mut c_void, to: c_int, src: *const c_void, from: c_int, bytes: usize, stream: hipStream_t) -> hipError_t;
            fn hipMemsetD8Async(dst: hipDeviceptr_t, value: u8, count: usize, stream: hipStream_t) -> hipError_t;
            fn hipMemsetD32Async(dst: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) -> hipError_t;
        }
        "streams" {
            fn hipStreamCreateWithFlags(stream: *mut hipStream_t, flags: c_uint) -> hipError_t;
            fn hipStreamDestroy(stream: hipStream_t) -> hipError_t;
            fn hipStreamSynchronize(stream: hipStream_t) -> hipError_t;
            fn hipStreamQuery(stream: hipStream_t) -> hipError_t;
            fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> hipError_t;
        }
        "events" {
            fn hipEventCreateWithFlags(event: *mut hipEvent_t, flags: c_uint) -> hipError_t;
            fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> hipError_t;
            fn hipEventDestroy(event: hipEvent_t) -> hipError_t;
            fn hipEventSynchronize(event: hipEvent_t) -> hipError_t;
            fn hipEventQuery(event: hipEvent_t) -> hipError_t;
            fn hipEventElapsedTime(ms: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t;
        }
        "kernels" {
            fn hipModuleLoadData(module: *mut hipModule_t, image: *const c_void) -> hipError_t;
            fn hipModuleUnload(module: hipModule_t) -> hipError_t;
            fn hipModuleGetFunction(function: *mut hipFunction_t, module: hipModule_t, name: *const c_char) -> hipError_t;
            fn hipModuleGetGlobal(ptr: *mut hipDeviceptr_t, bytes: *mut usize, module: hipModule_t, name: *const c_char) -> hipError_t;
            fn hipFuncGetAttribute(value: *mut c_int, attribute: hipFunction_attribute, function: hipFunction_t) -> hipError_t;
            fn hipModuleLaunchKernel(function: hipFunction_t, grid_x: c_uint, grid_y: c_uint, grid_z: c_uint, block_x: c_uint, block_y: c_uint, block_z: c_uint, lds: c_uint, stream: hipStream_t, params: *mut *mut c_void, extra: *mut *mut c_void) -> hipError_t;
            fn hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(blocks: *mut c_int, function: hipFunction_t, block: c_int, lds: usize) -> hipError_t;
        }
        "graphs" {
            fn hipStreamBeginCapture(stream: hipStream_t, mode: hipStreamCaptureMode) -> hipError_t;
            fn hipStreamEndCapture(stream: hipStream_t, graph: *mut hipGraph_t) -> hipError_t;
            fn hipStreamIsCapturing(stream: hipStream_t, status: *mut hipStreamCaptureStatus) -> hipError_t;
            fn hipThreadExchangeStreamCaptureMode(mode: *mut hipStreamCaptureMode) -> hipError_t;
            fn hipGraphInstantiateWithFlags(exec: *mut hipGraphExec_t, graph: hipGraph_t, flags: c_ulonglong) -> hipError_t;
            fn hipGraphLaunch(exec: hipGraphExec_t, stream: hipStream_t) -> hipError_t;
            fn hipGraphExecDestroy(exec: hipGraphExec_t) -> hipError_t;
            fn hipGraphDestroy(graph: hipGraph_t) -> hipError_t;
        }
        "error texts" {
            fn hipGetErrorName(error: hipError_t) -> *const c_char;
            fn hipGetErrorString(error: hipError_t) -> *const c_char;
        }
    } };
}
pub(crate) use hip_functions;
hip_functions!(symbols);

/// Returns the C name of an error code that HIP 5 to 7 agree on.
///
/// ```
/// use rushlight_hip::sys::hip;
/// assert_eq!(hip::error_name(209), "hipErrorNoBinaryForGpu");
/// assert_eq!(hip::error_name(4242), "hipErrorUnknown");
/// ```
pub fn error_name(code: hipError_t) -> &'static str {
    CONSTANTS
        .iter()
        .find(|(ty, _, value)| *ty == "hipError_t" && *value == u64::from(code))
        .map_or("hipErrorUnknown", |(_, name, _)| name)
}
