//! The trait that a vendor implements, with about twenty functions. The rest of the GPU backend is generic over it.
use super::dnn::Dnn;
use super::fft::Fft;
use super::solver::Solver;
use super::vendor::{Family, Gemm};
use super::{GpuDevice, GpuStorage};
use crate::ops::Op;
use crate::storage::Storage;
use crate::{DType, Device, DeviceLocation};
use std::fmt::Debug;

/// Properties of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Name as reported by the driver. The name of a virtual device says that it is virtual.
    pub name: String,
    /// Full target name, for instance `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// Number of lanes of a wave.
    pub wave: u32,
    /// Number of compute units.
    pub units: u32,
    /// Largest number of threads of a block.
    pub max_threads: u32,
    /// LDS (shared memory) available to a block, in bytes.
    pub lds: usize,
    /// Device memory in bytes.
    pub memory: usize,
    /// Compiler and runtime versions, which are part of the key of cached code objects.
    pub compiler: String,
}

impl Info {
    /// Whether the GPU has matrix units of f16 and bf16 that our kernels use (hip/atoms.h).
    pub(crate) fn matrix_units(&self) -> bool {
        let target = self.arch.split(':').next().unwrap_or_default();
        matches!(target, "gfx90a" | "gfx940" | "gfx941" | "gfx942" | "gfx950") || target.starts_with("gfx11")
    }
}

/// The reason why a call of the vendor's library failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// Out of device memory.
    OutOfMemory,
    /// Any other failure, as text: the call, the code and its meaning.
    Other(String),
}

impl Failure {
    /// Returns the failure as text.
    pub fn text(&self) -> &str {
        match self {
            Self::OutOfMemory => "out of device memory",
            Self::Other(text) => text,
        }
    }
}

macro_rules! failures {
    ($($error:ty),*) => { $(
        impl From<$error> for Failure {
            fn from(e: $error) -> Self {
                match e.is_out_of_memory() {
                    true => Self::OutOfMemory,
                    false if e.is_sticky() => Self::Other(format!("{e}; {}", super::LOST)),
                    false => Self::Other(e.to_string()),
                }
            }
        }
    )* };
}
failures!(rushlight_hip::Error, rushlight_cuda::Error);

/// The result of one call to a vendor's library.
pub type Outcome<T> = std::result::Result<T, Failure>;

/// Host memory that kernels can write. It holds the fault record.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    /// Address for kernels.
    pub device: u64,
    /// Address for the host, aligned for 64-bit words. The memory lives as long as the process.
    pub host: usize,
}

/// A vendor's runtime with one open device. Any thread may call it; the implementation binds the device to the calling
/// thread.
pub trait Runtime: Debug + Send + Sync + Sized + 'static {
    /// Device type, `"rocm"` or `"cuda"`. Error texts name the device as in `rocm:0`.
    const KIND: &'static str;
    /// Whether the BLAS supports C != D (out-of-place beta C).
    const ADDS_APART: bool = true;
    /// Whether the library of Fourier transforms multiplies its results by a factor.
    const FFT_SCALES: bool = true;
    /// Bytes of a pivot that the solver writes: 4 or 8.
    const PIVOT_BYTES: u64 = 4;
    /// A loaded code object.
    type Module: Send + Sync + 'static;
    /// A kernel of a loaded code object.
    type Function: Clone + Send + Sync + 'static;
    /// Pinned host memory, from which copies to the device are not waited for.
    type Pinned: Send + Sync + 'static;
    /// Recorded work.
    type Graph: Send + Sync + 'static;
    /// A mark on the device's stream, for times.
    type Mark: Send + Sync + 'static;

    /// Returns the device's location.
    fn location(ordinal: usize) -> DeviceLocation;
    /// Returns this vendor's storage inside the enum, or `None` for a storage of another device type.
    fn storage(storage: &Storage) -> Option<&GpuStorage<Self>>;
    /// Wraps the storage in the enum of all devices.
    fn wrap(storage: GpuStorage<Self>) -> Storage;
    /// Wraps the device in the enum of all devices.
    fn handle(device: GpuDevice<Self>) -> Device;

    /// Returns the device's properties.
    fn info(&self) -> &Info;
    /// Returns the reason why this device cannot run an op for which the backend has kernels, or `None` if it can.
    fn lacks(&self, op: &Op) -> Option<&'static str> {
        let _ = op;
        None
    }
    /// Allocates device memory. Never called with 0 bytes.
    fn malloc(&self, bytes: usize) -> Outcome<u64>;
    /// Frees device memory.
    fn free(&self, ptr: u64) -> Outcome<()>;
    /// Registers externally owned memory after synchronizing the device; call `disown` to unregister.
    fn adopt(&self, ptr: u64, bytes: usize) -> Outcome<()>;
    /// Unregisters externally owned memory; its owner frees it.
    fn disown(&self, ptr: u64, bytes: usize);
    /// Returns the free and the total memory of the device in bytes.
    fn memory_info(&self) -> Outcome<(usize, usize)>;
    /// Copies bytes to the device. The source may be reused when the call returns.
    fn upload(&self, dst: u64, src: &[u8]) -> Outcome<()>;
    /// Allocates pinned host memory.
    fn pinned(&self, bytes: usize) -> Outcome<Self::Pinned>;
    /// Writes bytes to pinned memory at an offset, and queues their copy to the device in order with launches. That part
    /// of the pinned memory must not be written again before the copy is done.
    fn upload_pinned(&self, dst: u64, src: &[u8], pinned: &Self::Pinned, offset: usize) -> Outcome<()>;
    /// Copies bytes from the device, after all work launched before.
    fn download(&self, dst: &mut [u8], src: u64) -> Outcome<()>;
    /// Sets bytes of device memory, in order with launches.
    fn fill(&self, dst: u64, byte: u8, bytes: usize) -> Outcome<()>;
    /// Allocates zeroed host memory that kernels can write.
    fn shared(&self, bytes: usize) -> Outcome<Shared>;
    /// Compiles a source and its headers `(name, text)` for this device.
    fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Outcome<Vec<u8>>;
    /// Loads a code object.
    fn load(&self, code: &[u8]) -> Outcome<Self::Module>;
    /// Looks up a kernel in a module.
    fn function(&self, module: &Self::Module, name: &str) -> Outcome<Self::Function>;
    /// Launches a kernel on the device's stream. `params` are the bytes of its one parameter struct. Does not allocate
    /// host memory.
    fn launch(&self, function: &Self::Function, grid: [u32; 3], block: u32, params: &[u8]) -> Outcome<()>;
    /// Puts a mark on the device's stream after all work queued so far.
    fn mark(&self) -> Outcome<Self::Mark>;
    /// Returns the device's time between two marks, which it must have reached, in milliseconds.
    fn milliseconds(&self, from: &Self::Mark, to: &Self::Mark) -> Outcome<f32>;
    /// Waits for all work launched before.
    fn synchronize(&self) -> Outcome<()>;
    /// Starts to record the work of the device's stream instead of running it. Until [`Runtime::end_capture`] the calling thread
    /// only calls functions that queue work, and [`Runtime::malloc_recording`].
    fn begin_capture(&self) -> Outcome<()>;
    /// Ends the capture, in the same thread, and returns what was recorded.
    fn end_capture(&self) -> Outcome<Self::Graph>;
    /// Allocates device memory during a capture.
    fn malloc_recording(&self, bytes: usize) -> Outcome<u64>;
    /// Looks up a kernel during a capture.
    fn function_recording(&self, module: &Self::Module, name: &str) -> Outcome<Self::Function>;
    /// Queues recorded work.
    fn replay(&self, graph: &Self::Graph) -> Outcome<()>;
    /// Returns the name of the vendor's library for a family of ops.
    fn library(family: Family) -> &'static str;
    /// Opens a library for this device, once. Returns an error if the library lacks files for the device, because its
    /// first call would then abort the process.
    fn open(&self, family: Family) -> Outcome<()>;
    /// Queues a batch of matrix products of the opened library on the device's stream.
    fn gemm(&self, product: &Gemm) -> Outcome<()>;
    /// Calls `f` with the opened library of convolutions, for one caller at a time.
    fn dnn(&self, f: &mut dyn FnMut(&mut dyn Dnn) -> Outcome<()>) -> Outcome<()>;
    /// Calls `f` with the opened library of Fourier transforms, for one caller at a time.
    fn fft(&self, f: &mut dyn FnMut(&mut dyn Fft) -> Outcome<()>) -> Outcome<()>;
    /// Calls `f` with the opened library of decompositions, for one caller at a time.
    fn solver(&self, f: &mut dyn FnMut(&mut dyn Solver) -> Outcome<()>) -> Outcome<()>;
}

/// Returns the name of a dtype in kernel sources.
pub(crate) fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "boolean",
        d => d.as_str(),
    }
}
