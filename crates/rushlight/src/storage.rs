//! Where a tensor's elements live, and the small trait every device implements.
use crate::cpu::CpuStorage;
use crate::device::{CudaStorage, DeviceLocation, RocmStorage};
use crate::handle::{Handle, Slot};
use crate::ops::Op;
#[cfg(any(test, feature = "testing"))]
use crate::testdev::TestStorage;
use crate::{DType, Layout, Result};
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The elements of a tensor, on whichever device.
#[derive(Debug)]
#[non_exhaustive]
#[repr(usize)] // moved in whole words
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
    #[cfg(any(test, feature = "record"))]
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
            #[cfg(any(test, feature = "record"))]
            Self::Record(s) => s.dtype(),
        }
    }
}

/// Whether a device runs an op on dtypes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    /// It does.
    Yes,
    /// It does not, for this reason.
    No(&'static str),
}

/// An operand that is read.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Its storage.
    pub storage: &'a Storage,
    /// Where its elements are.
    pub layout: &'a Layout,
}

/// An operand that is written: a new output, or a tensor updated in place.
#[derive(Debug)]
pub struct ViewMut<'a> {
    /// Its storage.
    pub storage: &'a mut Storage,
    /// Where its elements are.
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
    /// Whether it runs an op on inputs of these dtypes.
    fn supports(&self, op: &Op, dtypes: &[DType]) -> Support;
    /// Memory for elements whose values are unspecified.
    fn alloc(&self, dtype: DType, len: usize) -> Result<Storage>;
    /// Elements from the host.
    fn upload(&self, host: CpuStorage) -> Result<Storage>;
    /// All elements of a storage, to the host.
    fn download(&self, storage: &Storage) -> Result<CpuStorage>;
    /// Runs an op. `outputs` are the new output, or the operands updated in place.
    fn run(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()>;
    /// Runs an op that works in place once for each of several lists of operands; every call also writes the operands
    /// `shared`, after its own. A device may run several calls at once; the results are those of one after the other.
    fn run_each(&self, op: &Op, calls: &mut [Operands<'_>], shared: &mut [ViewMut<'_>]) -> Result<()> {
        one_by_one(self, op, calls, shared)
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
    #[inline(always)] // a storage handed over would be read otherwise than it was written
    pub(crate) fn shared(storage: Storage) -> Handle<Self> {
        let slot = Slot::new();
        let cell = |storage| Self { lock: RwLock::new(storage), version: AtomicU64::new(0) };
        // With the variant named, its parts are written where they will be. A whole of unknown variant is put together
        // with the lock's flag elsewhere first, and moved from there at odd addresses.
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

    /// How many times the storage was changed in place.
    #[inline]
    pub fn version(&self) -> u64 {
        self.version.load(Ordering::Acquire)
    }

    pub(crate) fn bump(&self) {
        self.version.fetch_add(1, Ordering::AcqRel);
    }
}
