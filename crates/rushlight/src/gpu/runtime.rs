//! The trait that a vendor implements: about twenty calls. The rest of the GPU backend is generic over it.
use super::dnn::Dnn;
use super::vendor::{Family, Gemm};
use super::{GpuDevice, GpuStorage};
use crate::ops::Op;
use crate::storage::Storage;
use crate::{DType, Device, DeviceLocation};
use std::fmt::Debug;

/// Properties of a device.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Info {
    /// Name, as the driver gives it. A virtual device's says so.
    pub name: String,
    /// Full target name, for instance `gfx90a:sramecc+:xnack-`.
    pub arch: String,
    /// Lanes of a wave.
    pub wave: u32,
    /// Compute units.
    pub units: u32,
    /// Most threads of a block.
    pub max_threads: u32,
    /// Bytes of LDS a block may have.
    pub lds: usize,
    /// Bytes of device memory.
    pub memory: usize,
    /// Compiler and runtime versions: part of the key of cached code objects.
    pub compiler: String,
}

/// Why a call of the vendor's library failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// No device memory is left.
    OutOfMemory,
    /// Anything else, in words: the call, the code and its meaning.
    Other(String),
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

/// The result of one call.
pub type Outcome<T> = std::result::Result<T, Failure>;

/// Memory of the host that kernels can write: the fault record lives there.
#[derive(Debug, Clone, Copy)]
pub struct Shared {
    /// Its address for kernels.
    pub device: u64,
    /// Its address here, aligned for 64-bit words. It lives as long as the process.
    pub host: usize,
}

/// A vendor's runtime with one device opened. Calls are made by any thread; the implementation binds the device.
pub trait Runtime: Debug + Send + Sync + Sized + 'static {
    /// `"rocm"` or `"cuda"`: the device's name in error texts is `rocm:0`.
    const KIND: &'static str;
    /// Whether the BLAS supports C != D (out-of-place beta C).
    const ADDS_APART: bool = true;
    /// A loaded code object.
    type Module: Send + Sync + 'static;
    /// A kernel of one.
    type Function: Clone + Send + Sync + 'static;

    /// Returns the device's location.
    fn location(ordinal: usize) -> DeviceLocation;
    /// This vendor's storage, if that is what it is.
    fn storage(storage: &Storage) -> Option<&GpuStorage<Self>>;
    /// The storage as the enum every device shares.
    fn wrap(storage: GpuStorage<Self>) -> Storage;
    /// The device as the enum of all.
    fn handle(device: GpuDevice<Self>) -> Device;

    /// Returns the device's properties.
    fn info(&self) -> &Info;
    /// Why this device cannot run an op that there are kernels of, if so.
    fn lacks(&self, op: &Op) -> Option<&'static str> {
        let _ = op;
        None
    }
    /// Device memory; never called with 0 bytes.
    fn malloc(&self, bytes: usize) -> Outcome<u64>;
    /// Frees memory.
    fn free(&self, ptr: u64) -> Outcome<()>;
    /// Registers externally owned memory after synchronizing the device; call `disown` to unregister.
    fn adopt(&self, ptr: u64, bytes: usize) -> Outcome<()>;
    /// Unregisters externally owned memory; its owner frees it.
    fn disown(&self, ptr: u64, bytes: usize);
    /// (free, total) bytes of the device.
    fn memory_info(&self) -> Outcome<(usize, usize)>;
    /// Copies bytes to the device; the source may be reused on return.
    fn upload(&self, dst: u64, src: &[u8]) -> Outcome<()>;
    /// Copies bytes from the device, after all work that was launched before.
    fn download(&self, dst: &mut [u8], src: u64) -> Outcome<()>;
    /// Sets bytes, in order with launches.
    fn fill(&self, dst: u64, byte: u8, bytes: usize) -> Outcome<()>;
    /// Memory of the host that kernels can write, zeroed.
    fn shared(&self, bytes: usize) -> Outcome<Shared>;
    /// Compiles a source with its headers `(name, text)` for this device.
    fn compile(
        &self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[String],
    ) -> Outcome<Vec<u8>>;
    /// Loads a code object.
    fn load(&self, code: &[u8]) -> Outcome<Self::Module>;
    /// Finds a kernel.
    fn function(&self, module: &Self::Module, name: &str) -> Outcome<Self::Function>;
    /// Launches a kernel on the device's stream, with the bytes of its one parameter struct. Allocates nothing.
    fn launch(&self, function: &Self::Function, grid: [u32; 3], block: u32, params: &[u8]) -> Outcome<()>;
    /// Waits for all work that was launched.
    fn synchronize(&self) -> Outcome<()>;
    /// The vendor's library of a family, by name.
    fn library(family: Family) -> &'static str;
    /// Opens a library for this device, once. Returns an error if the library lacks files for the device, which would end the
    /// process at the first call.
    fn open(&self, family: Family) -> Outcome<()>;
    /// Puts products of the opened library on the device's stream.
    fn gemm(&self, product: &Gemm) -> Outcome<()>;
    /// Lends the library of convolutions, which was opened, to one caller.
    fn dnn(&self, f: &mut dyn FnMut(&mut dyn Dnn) -> Outcome<()>) -> Outcome<()>;
}

/// The name of a dtype in kernel source.
pub(crate) fn c_name(dtype: DType) -> &'static str {
    match dtype {
        DType::Bool => "boolean",
        d => d.as_str(),
    }
}
