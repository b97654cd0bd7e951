//! The GPU backend, written once for all vendors: `GpuDevice<R>` is generic over [`runtime::Runtime`].
//!
//! Kernels are in `hip/`, as templates over the dtype; `kernels` compiles a file for a dtype when it is first needed.
//! One exhaustive match (`run`) maps an op to the function that chooses a kernel, fills its parameter struct and
//! launches it (`launch`). Memory comes from `alloc`. A kernel reports an index out of range in the fault record
//! (`fault`), and the next download or synchronization returns the error.
mod alloc;
mod archive;
mod capture;
mod compile_limiter;
#[cfg(test)]
#[path = "../../tests/common/counting.rs"]
mod counting;
pub mod cuda;
mod cudnn;
mod cufft;
mod cusolver;
pub mod dnn;
mod fallback;
mod fault;
pub mod fft;
pub mod hip;
mod instances;
mod kernel_files;
mod kernels;
mod launch;
mod miopen;
mod opened;
mod params;
mod profile;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod record;
mod rocfft;
mod rocsolver;
mod run;
pub mod runtime;
mod settings;
mod slab;
pub mod solver;
mod staging;
mod storage;
#[cfg(test)]
mod tests;
mod user;
mod variant;
mod vendor;
mod warm;

pub use alloc::GpuMemoryStats;
pub use archive::{KernelArchive, add_kernel_archives, kernel_archives};
#[doc(hidden)]
pub use archive::{Packed, pack};
pub use capture::{Capture, Graph};
#[doc(hidden)]
pub use instances::{Instance, headers, instances};
pub use kernel_files::cache_dir as kernel_cache_dir;
#[doc(hidden)]
pub use kernels::params_header;
pub use storage::GpuStorage;
pub use user::{KernelArg, RocmKernel};
pub use vendor::{Choice, Family, Gemm, Matrix};
pub use warm::{Warmed, warm};

use crate::cpu::CpuStorage;
use crate::ops::Op;
use crate::profiler::{self, Event, Kind};
use crate::rng::Generator;
use crate::storage::{Backend, Operands, Storage, Support, View, ViewMut, one_by_one};
use crate::{DType, DeviceLocation, Error, Result};
use alloc::{Block, Pool};
use capture::Captures;
use fault::{Checker, Ring};
use kernels::Kernels;
use runtime::{Failure, Info, Outcome, Runtime, Shared};
use settings::Settings;
use staging::Staging;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use vendor::Vendor;

/// Counters of a device's operations so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GpuCounters {
    /// Kernels and graphs launched. The kernels that a graph contains do not count.
    pub launches: u64,
    /// Graphs launched.
    pub graph_launches: u64,
    /// Transfers to the device.
    pub uploads: u64,
    /// Transfers from the device.
    pub downloads: u64,
    /// Matrix products that the vendor's BLAS computed.
    pub blas_calls: u64,
    /// Convolutions and poolings that the vendor's library computed.
    pub conv_calls: u64,
    /// Fourier transforms that the vendor's library computed.
    pub fft_calls: u64,
    /// Calls of the vendor's library of matrix decompositions.
    pub solver_calls: u64,
    /// Kernel files that were compiled, not counting those found on disk.
    pub compiles: u64,
}

struct Inner<R: Runtime> {
    runtime: R,
    ordinal: usize,
    pool: Mutex<Pool>,
    staging: Staging<R>,
    kernels: Kernels<R>,
    vendor: Vendor,
    rng: Mutex<Option<Generator>>,
    captures: Captures<R>,
    launches: AtomicU64,
    uploads: AtomicU64,
    downloads: AtomicU64,
    fault: OnceLock<FaultPage>,
    ring: Mutex<Ring>,
    /// An error of a call that could not return it. The next call returns it.
    late: Mutex<Option<String>>,
    is_late: AtomicBool,
    settings: Settings,
    /// Ops and dtypes for which a warning about the fallback to the CPU was printed.
    warned: Mutex<BTreeSet<String>>,
}

/// Error message after a fault from which a GPU does not recover in this process.
const LOST: &str = "a kernel failed and the GPU is lost to this process, which must be started anew";

/// The memory in which kernels report faults: a page of host memory, and a flag in device memory; and their counter of blocks.
#[derive(Debug, Clone, Copy)]
struct FaultPage {
    shared: Shared,
    flag: u64,
    counter: u64,
}

/// Whether the GPU backend has a kernel for an op, on any device.
pub fn has_kernel(op: &Op) -> Support {
    match run::arm::<hip::Hip>(op) {
        run::KernelEntry::Run(_) => Support::Yes,
        run::KernelEntry::No(reason) => Support::No(reason),
    }
}

/// A GPU. A clone is another handle of the same device.
pub struct GpuDevice<R: Runtime>(Arc<Inner<R>>);

impl<R: Runtime> Clone for GpuDevice<R> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<R: Runtime> std::fmt::Debug for GpuDevice<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{} ({})", R::KIND, self.0.ordinal, self.info().name)
    }
}

fn lock<T>(m: &Mutex<T>) -> MutexGuard<'_, T> {
    m.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<R: Runtime> GpuDevice<R> {
    /// Creates a device over an opened runtime.
    pub(crate) fn new(runtime: R, ordinal: usize) -> Result<Self> {
        Self::with(runtime, ordinal, Settings::of_environment()?)
    }

    /// Creates a device with explicit settings.
    fn with(runtime: R, ordinal: usize, settings: Settings) -> Result<Self> {
        Ok(Self(Arc::new(Inner {
            runtime,
            ordinal,
            pool: Mutex::new(Pool::new(settings.pool, settings.apart)),
            staging: Staging::default(),
            kernels: Kernels::new(&settings),
            vendor: Vendor::new()?,
            rng: Mutex::default(),
            captures: Captures::default(),
            launches: AtomicU64::new(0),
            uploads: AtomicU64::new(0),
            downloads: AtomicU64::new(0),
            fault: OnceLock::new(),
            ring: Mutex::default(),
            late: Mutex::default(),
            is_late: AtomicBool::new(false),
            settings,
            warned: Mutex::default(),
        })))
    }

    /// Returns the device's properties.
    pub fn info(&self) -> &Info {
        self.0.runtime.info()
    }

    /// Returns the device's number.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Returns statistics of the device's memory.
    pub fn memory_stats(&self) -> GpuMemoryStats {
        lock(&self.0.pool).stats
    }

    /// Sets the peak to the bytes in use now.
    pub fn reset_peak(&self) {
        let stats = &mut lock(&self.0.pool).stats;
        stats.peak = stats.live;
    }

    /// Releases cached blocks to the device.
    pub fn empty_cache(&self) -> Result<()> {
        let _entered = self.enter("empty_cache")?;
        self.refuse_recording("empty_cache", "memory cannot be freed now; call it before the capture")?;
        lock(&self.0.pool).empty(&self.0.runtime).map_err(|f| self.error(f))
    }

    /// Returns the counters of launches and transfers so far.
    pub fn counters(&self) -> GpuCounters {
        let i = &self.0;
        GpuCounters {
            launches: i.launches.load(Relaxed) - i.captures.recorded.load(Relaxed),
            graph_launches: i.captures.replays.load(Relaxed),
            uploads: i.uploads.load(Relaxed),
            downloads: i.downloads.load(Relaxed),
            blas_calls: i.vendor.calls(Family::Blas),
            conv_calls: i.vendor.calls(Family::Conv),
            fft_calls: i.vendor.calls(Family::Fft),
            solver_calls: i.vendor.calls(Family::Solver),
            compiles: i.kernels.compiles(),
        }
    }

    /// Returns the kernel files and dtypes that are loaded, sorted.
    pub fn loaded_kernels(&self) -> Vec<(&'static str, &'static str)> {
        self.0.kernels.loaded()
    }

    /// Returns whose code runs a family of ops: the vendor's library or our kernels. The environment sets the initial
    /// choice (`RUSHLIGHT_BLAS`, `RUSHLIGHT_CONV`, `RUSHLIGHT_FFT`, `RUSHLIGHT_SOLVER`).
    pub fn choice(&self, family: Family) -> Choice {
        self.0.vendor.choice(family)
    }

    /// Chooses whose code runs a family of ops from now on.
    ///
    /// ```no_run
    /// use rushlight::Device;
    /// use rushlight::gpu::{Choice, Family};
    /// let device = Device::new_rocm(0)?;
    /// let Device::Rocm(rocm) = &device else { unreachable!() };
    /// rocm.choose(Family::Blas, Choice::Native);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn choose(&self, family: Family, choice: Choice) {
        self.0.vendor.choose(family, choice);
    }

    pub(crate) fn runtime(&self) -> &R {
        &self.0.runtime
    }

    pub(crate) fn kernels(&self) -> &Kernels<R> {
        &self.0.kernels
    }

    pub(crate) fn vendor(&self) -> &Vendor {
        &self.0.vendor
    }

    pub(crate) fn rng(&self) -> &Mutex<Option<Generator>> {
        &self.0.rng
    }

    pub(crate) fn count_launch(&self) {
        self.0.launches.fetch_add(1, Relaxed);
        self.count_recorded();
    }

    /// Describes something of this device that the profiler records.
    pub(crate) fn event(&self, kind: Kind, name: impl Into<Cow<'static, str>>, bytes: usize) -> Event {
        Event::new(kind, name, Some(R::location(self.0.ordinal)), bytes)
    }

    /// Converts a failed call to an error.
    pub(crate) fn error(&self, f: Failure) -> Error {
        match f {
            Failure::OutOfMemory => self.out_of_memory(0),
            Failure::Other(text) => Error::Device(format!("{}:{}: {text}", R::KIND, self.0.ordinal)).bt(),
        }
    }

    fn out_of_memory(&self, requested: usize) -> Error {
        let stats = self.memory_stats();
        let device = match self.0.runtime.memory_info() {
            Ok((free, total)) => format!(
                "{}:{}, which has {free} of {total} bytes free and {} reserved by this process",
                R::KIND,
                self.0.ordinal,
                stats.reserved
            ),
            Err(_) => format!("{}:{}", R::KIND, self.0.ordinal),
        };
        Error::OutOfMemory { requested, live: stats.live, device }.bt()
    }

    /// Returns this device's storage inside the enum, or an error if the storage is on another device.
    pub(crate) fn own<'a>(&self, s: &'a Storage) -> Result<&'a GpuStorage<R>> {
        match R::storage(s) {
            Some(g) if Arc::ptr_eq(&g.device().0, &self.0) => Ok(g),
            _ => Err(Error::Device(format!(
                "{}:{} was given memory of another device",
                R::KIND,
                self.0.ordinal
            ))
            .bt()),
        }
    }

    pub(crate) fn storage(&self, dtype: DType, len: usize) -> Result<GpuStorage<R>> {
        let _entered = self.enter("a new tensor")?;
        self.late()?;
        let bytes = len * dtype.size_in_bytes();
        let block = lock(&self.0.pool).alloc(&self.0.runtime, bytes);
        match block {
            Ok(block) => Ok(GpuStorage::new(self.clone(), block, dtype, len)),
            Err(Failure::OutOfMemory) => Err(self.out_of_memory(bytes)),
            Err(f) => Err(self.error(f)),
        }
    }

    pub(crate) fn release(&self, block: &Block) {
        let done = lock(&self.0.pool).release(&self.0.runtime, block);
        if let Err(f) = done {
            self.note_late(f);
        }
    }

    fn note_late(&self, f: Failure) {
        lock(&self.0.late).get_or_insert_with(|| self.error(f).to_string());
        self.0.is_late.store(true, Relaxed);
    }

    fn late(&self) -> Result<()> {
        // Load first: a swap at each call would take the word's cache line away from the other threads.
        if self.0.is_late.load(Relaxed)
            && self.0.is_late.swap(false, Relaxed)
            && let Some(text) = lock(&self.0.late).take()
        {
            return Err(Error::Device(text).bt());
        }
        Ok(())
    }

    /// Returns the memory in which kernels report faults and count their blocks, and allocates it the first time.
    fn fault_page(&self) -> Result<&FaultPage> {
        if let Some(p) = self.0.fault.get() {
            return Ok(p);
        }
        let shared = self.call(self.0.runtime.shared(fault::WORDS * 8))?;
        // Not a block of the pool: it lives as long as the device, and would keep a slab from being freed.
        let flag = self.call(self.0.runtime.malloc(16))?;
        self.call(self.0.runtime.fill(flag, 0, 16))?;
        // If two threads get here at the same time, one page is kept and the other is never used.
        Ok(self.0.fault.get_or_init(|| FaultPage { shared, flag, counter: flag + 8 }))
    }

    /// Returns the address of a number that is 0, with which a launch finds out its last block (rl::last_block). Launches
    /// follow each other, so that one number serves all.
    pub(crate) fn counter(&self) -> Result<u64> {
        Ok(self.fault_page()?.counter)
    }

    /// Returns the checker for a kernel that checks indices, and remembers the op's name for a later error.
    pub(crate) fn checker(&self, op: &'static str) -> Result<Checker> {
        let page = self.fault_page()?;
        let launch = self.0.launches.load(Relaxed);
        let name = crate::error::name_of_call(op);
        lock(&self.0.ring).note(launch, name);
        self.keep_name(launch, name);
        Ok(Checker { page: page.shared.device, flag: page.flag, launch })
    }

    /// Returns the error for an index that a kernel found out of range, if there is one. The device must be idle.
    fn take_fault(&self) -> Result<()> {
        let Some(page) = self.0.fault.get() else { return Ok(()) };
        match fault::take(&page.shared) {
            None => Ok(()),
            Some(f) => {
                self.call(self.0.runtime.fill(page.flag, 0, 8))?;
                Err(f.error(lock(&self.0.ring).name(f.launch)))
            }
        }
    }

    /// Copies host elements to a storage of the same number of bytes, which is not 0.
    pub(crate) fn send(&self, storage: &GpuStorage<R>, host: &CpuStorage) -> Result<()> {
        self.refuse_recording(
            "upload",
            "numbers of the host cannot be copied to it now; make the tensor before the capture",
        )?;
        self.0.uploads.fetch_add(1, Relaxed);
        let bytes = host.as_bytes();
        let copy = || self.0.staging.upload(&self.0.runtime, storage.address(), bytes);
        self.call(profiler::span(|| self.event(Kind::Upload, "upload", bytes.len()), copy))
    }

    fn call<T>(&self, done: Outcome<T>) -> Result<T> {
        done.map_err(|f| self.error(f))
    }

    /// Waits for the op just launched, if the setting `sync` requires it.
    pub(crate) fn settle(&self) -> Result<()> {
        if self.0.settings.sync && !self.is_recording() { self.synchronize() } else { Ok(()) }
    }

    /// Returns all elements of a storage, after all work launched before.
    pub(crate) fn read(&self, storage: &GpuStorage<R>) -> Result<CpuStorage> {
        self.refuse_recording(
            "download",
            "results do not exist yet, so none can be read (item(), numpy(), printing, an if, a shape that depends on data); \
             return the tensor and read it after a replay",
        )?;
        self.late()?;
        CpuStorage::filled(storage.dtype(), storage.len(), |bytes| {
            if !bytes.is_empty() {
                self.0.downloads.fetch_add(1, Relaxed);
                let length = bytes.len();
                let event = || self.event(Kind::Download, "download", length);
                let download = || self.0.runtime.download(bytes, storage.address());
                self.call(profiler::span(event, download))?;
            } else if self.0.fault.get().is_some() {
                // Nothing to download, but a kernel that only checks indices may still run.
                self.call(self.0.runtime.synchronize())?;
            }
            self.take_fault()
        })
    }
}

impl<R: Runtime> Backend for GpuDevice<R> {
    fn id(&self) -> DeviceLocation {
        R::location(self.0.ordinal)
    }

    fn supports(&self, op: &Op, dtypes: &[DType]) -> Support {
        let declared = op.inputs().iter().zip(dtypes).all(|(i, d)| i.dtypes.contains(*d));
        if !declared {
            return Support::No("the op is not defined for this dtype");
        }
        self.0.runtime.lacks(op).map_or_else(|| has_kernel(op), Support::No)
    }

    fn alloc(&self, dtype: DType, len: usize) -> Result<Storage> {
        Ok(R::wrap(self.storage(dtype, len)?))
    }

    fn upload(&self, host: CpuStorage) -> Result<Storage> {
        let _entered = self.enter("upload")?;
        let storage = self.storage(host.dtype(), host.len())?;
        if !storage.is_empty() {
            self.send(&storage, &host)?;
        }
        Ok(R::wrap(storage))
    }

    fn download(&self, storage: &Storage) -> Result<CpuStorage> {
        let _entered = self.enter("download")?;
        self.read(self.own(storage)?)
    }

    fn run(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()> {
        let _entered = self.enter(op.name())?;
        self.check_recordable(op)?;
        let lacks = match (self.0.runtime.lacks(op), run::arm::<R>(op)) {
            (None, run::KernelEntry::Run(f)) => {
                f(&launch::Call::new(self, op, inputs, outputs))?;
                return self.settle();
            }
            (Some(reason), _) | (None, run::KernelEntry::No(reason)) => reason,
        };
        let device = format!("{}:{}", R::KIND, self.0.ordinal);
        let error = Error::Unsupported { op: op.name(), device, reason: lacks }.bt();
        let dtypes: Vec<DType> = inputs.iter().map(|v| v.storage.dtype()).collect();
        if self.falls_back(&error, &dtypes) { self.run_on_cpu(op, inputs, outputs) } else { Err(error) }
    }

    fn run_each(&self, op: &Op, calls: &mut [Operands<'_>], shared: &mut [ViewMut<'_>]) -> Result<()> {
        let _entered = self.enter(op.name())?;
        self.check_recordable(op)?;
        if self.0.runtime.lacks(op).is_none() && run::runs_together(op) {
            let calls = &*calls;
            let all: Vec<launch::Call<'_, R>> =
                calls.iter().map(|c| launch::Call::new(self, op, &c.inputs, &c.outputs)).collect();
            run::together(&all, &launch::Call::new(self, op, &[], shared))?;
            return self.settle();
        }
        one_by_one(self, op, calls, shared)
    }

    fn synchronize(&self) -> Result<()> {
        let _entered = self.enter("synchronize")?;
        self.refuse_recording(
            "synchronize",
            "recorded work does not run, so nothing can be waited for; wait after a replay",
        )?;
        let wait = || self.0.runtime.synchronize();
        self.call(profiler::span(|| self.event(Kind::Wait, "synchronize", 0), wait))?;
        self.late()?;
        self.take_fault()
    }
}
