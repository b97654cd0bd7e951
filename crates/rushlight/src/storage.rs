//! The storage of a tensor's elements, and the trait that every device implements.
use crate::cpu::CpuStorage;
use crate::device::{CudaStorage, DeviceLocation, RocmStorage};
use crate::handle::{Handle, Slot};
use crate::ops::Op;
use crate::ops::copy::Copy;
#[cfg(any(test, feature = "testing"))]
use crate::testdev::TestStorage;
use crate::{DType, Layout, Result};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The elements of a tensor, on whichever device.
#[derive(Debug)]
#[non_exhaustive]
#[repr(usize)] // moved as whole words
pub enum Storage {
    /// CPU memory.
    Cpu(CpuStorage),
    /// An NVIDIA GPU's memory.
    Cuda(CudaStorage),
    /// An AMD GPU's memory.
    Rocm(RocmStorage),
    /// The test device's memory.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    Test(TestStorage),
    /// The recording runtime's memory.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    Record(crate::gpu::GpuStorage<crate::gpu::record::Recorder>),
}

impl Storage {
    /// The dtype.
    #[inline]
    pub fn dtype(&self) -> DType {
        match self {
            Self::Cpu(s) => s.dtype(),
            Self::Cuda(s) => s.dtype(),
            Self::Rocm(s) => s.dtype(),
            #[cfg(any(test, feature = "testing"))]
            Self::Test(s) => s.dtype(),
            #[cfg(any(test, feature = "testing"))]
            Self::Record(s) => s.dtype(),
        }
    }
}

/// Whether a device supports an op for given dtypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// The op is supported.
    Yes,
    /// The op is not supported. The text is the reason.
    No(&'static str),
}

/// An operand that is read.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Its storage.
    pub storage: &'a Storage,
    /// The layout of its elements.
    pub layout: &'a Layout,
}

/// An operand that is written: a new output, or a tensor updated in place.
#[derive(Debug)]
pub struct ViewMut<'a> {
    /// Its storage.
    pub storage: &'a mut Storage,
    /// The layout of its elements.
    pub layout: &'a Layout,
}

/// The operands of one of several calls of an op.
#[derive(Debug)]
pub struct Operands<'a> {
    /// Operands that are read.
    pub inputs: SmallVec<[View<'a>; 2]>,
    /// Operands that are written.
    pub outputs: SmallVec<[ViewMut<'a>; 4]>,
}

/// All a device must do. Core has checked shapes, dtypes and devices before `run` is called.
pub trait Backend: Send + Sync {
    /// Which device this is.
    fn id(&self) -> DeviceLocation;
    /// Whether the device runs an op on inputs of these dtypes.
    fn supports(&self, op: &Op, dtypes: &[DType]) -> Support;
    /// Allocates memory for elements whose values are unspecified.
    fn alloc(&self, dtype: DType, len: usize) -> Result<Storage>;
    /// Copies elements from the host to the device.
    fn upload(&self, host: CpuStorage) -> Result<Storage>;
    /// Copies all elements of a storage to the host.
    fn download(&self, storage: &Storage) -> Result<CpuStorage>;
    /// Runs an op. `outputs` holds the new output, or the operands that are updated in place.
    fn run(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()>;
    /// Runs an op that works in place once for each of several lists of operands; every call also writes the operands
    /// `shared`, after its own. A device may run several calls at once; the results are those of one after the other.
    fn run_each(&self, op: &Op, calls: &mut [Operands<'_>], shared: &mut [ViewMut<'_>]) -> Result<()> {
        one_by_one(self, op, calls, shared)
    }
    /// Copies tensors of one dtype to an output, one after the other along a dimension. They fill it.
    fn join(&self, inputs: &[View<'_>], dim: usize, output: &mut ViewMut<'_>) -> Result<()> {
        let mut start = 0;
        for from in inputs {
            let len = from.layout.shape().dim(dim)?;
            if from.layout.shape().elem_count() > 0 {
                let layout = &output.layout.narrow(dim, start, len)?;
                let part = ViewMut { storage: output.storage, layout };
                self.run(&Op::Copy(Copy::Into), &[*from], &mut [part])?;
            }
            start += len;
        }
        Ok(())
    }
    /// Waits for the device, and returns any fault it has recorded.
    fn synchronize(&self) -> Result<()>;
}

/// Runs an op for each list of operands, one after the other.
pub(crate) fn one_by_one(
    device: &(impl Backend + ?Sized),
    op: &Op,
    calls: &mut [Operands<'_>],
    shared: &mut [ViewMut<'_>],
) -> Result<()> {
    for call in calls {
        let own = call.outputs.iter_mut().map(|v| ViewMut { storage: v.storage, layout: v.layout });
        let more = shared.iter_mut().map(|v| ViewMut { storage: v.storage, layout: v.layout });
        let mut outputs: SmallVec<[ViewMut<'_>; 4]> = own.chain(more).collect();
        device.run(op, &call.inputs, &mut outputs)?;
    }
    Ok(())
}

/// A storage with its lock and version. Tensors that view the same memory share one.
#[derive(Debug)]
pub struct StorageCell {
    lock: RwLock<Storage>,
    version: AtomicU64,
}

impl StorageCell {
    #[inline(always)] // a call would write the storage in parts and read it back as whole words
    pub(crate) fn shared(storage: Storage) -> Handle<Self> {
        let slot = Slot::new();
        let cell = |storage| Self { lock: RwLock::new(storage), version: AtomicU64::new(0) };
        // Naming the variant lets the compiler write its fields straight to their final memory. Otherwise it first
        // builds the cell, with the lock's flag, in temporary memory, and then copies it with unaligned moves.
        match storage {
            Storage::Cpu(s) => slot.fill(cell(Storage::Cpu(s))),
            other => slot.fill(cell(other)),
        }
    }

    /// Locks for reading.
    #[inline]
    pub fn read(&self) -> RwLockReadGuard<'_, Storage> {
        self.lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks for writing.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Storage> {
        self.lock.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number of times the storage was changed in place.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn bump(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }
}
