//! Devices and their random number generators.
use crate::cpu::{Buffer, CpuStorage};
use crate::ops::Op;
use crate::rng::Generator;
use crate::storage::{Backend, Storage, Support, View, ViewMut};
#[cfg(any(test, feature = "testing"))]
use crate::testdev::TestDevice;
use crate::{DType, Element, Error, Result, Shape};
use rushlight_load::settings::CUDA_AS;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// An NVIDIA GPU.
pub type CudaDevice = crate::gpu::GpuDevice<crate::gpu::cuda::Cuda>;
/// An AMD GPU.
pub type RocmDevice = crate::gpu::GpuDevice<crate::gpu::hip::Hip>;
/// Memory of an NVIDIA GPU.
pub type CudaStorage = crate::gpu::GpuStorage<crate::gpu::cuda::Cuda>;
/// Memory of an AMD GPU.
pub type RocmStorage = crate::gpu::GpuStorage<crate::gpu::hip::Hip>;
/// A placeholder for candle's Metal storage, so that custom ops written for candle compile.
#[derive(Debug)]
pub enum MetalStorage {}
/// A placeholder, so that programs written for candle that match it compile: there is no Metal backend.
#[derive(Debug, Clone)]
pub enum MetalDevice {}

/// The device that holds a tensor.
///
/// ```
/// use rushlight::Device;
/// let device = Device::rocm_if_available(0)?; // the CPU where there is no AMD GPU
/// assert!(device.is_cpu() || device.is_rocm());
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Device {
    /// The CPU.
    Cpu,
    /// An NVIDIA GPU.
    Cuda(CudaDevice),
    /// An AMD GPU.
    Rocm(RocmDevice),
    /// No device: nothing makes one. It exists so that programs written for candle compile.
    Metal(MetalDevice),
    /// CPU memory behind another id, for tests.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    Test(TestDevice),
    /// The recording runtime, which launches nothing. For tests, and for benchmarks of the cost of a launch.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    Record(crate::gpu::GpuDevice<crate::gpu::record::Recorder>),
}

/// A device's kind and number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DeviceLocation {
    Cpu,
    Cuda {
        gpu_id: usize,
    },
    Rocm {
        gpu_id: usize,
    },
    Metal {
        gpu_id: usize,
    },
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    Test {
        id: usize,
    },
}

impl std::fmt::Display for DeviceLocation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cpu => write!(f, "cpu"),
            Self::Cuda { gpu_id } => write!(f, "cuda:{gpu_id}"),
            Self::Rocm { gpu_id } => write!(f, "rocm:{gpu_id}"),
            Self::Metal { gpu_id } => write!(f, "metal:{gpu_id}"),
            #[cfg(any(test, feature = "testing"))]
            Self::Test { id } => write!(f, "test:{id}"),
        }
    }
}

/// The CPU as a [`Backend`].
#[derive(Debug)]
pub struct CpuDevice;

static CPU_RNG: Mutex<Option<Generator>> = Mutex::new(None);
/// The seed for devices whose generator has not been created yet, if [`Device::seed_all`] was called.
static SEED: Mutex<Option<u64>> = Mutex::new(None);

impl Backend for CpuDevice {
    fn id(&self) -> DeviceLocation {
        DeviceLocation::Cpu
    }
    fn supports(&self, op: &Op, dtypes: &[DType]) -> Support {
        // The CPU supports every dtype that an op definition declares; the sweeps check this.
        let declared = op.inputs().iter().zip(dtypes).all(|(i, d)| i.dtypes.contains(*d));
        if declared { Support::Yes } else { Support::No("the op is not defined for this dtype") }
    }
    fn alloc(&self, dtype: DType, len: usize) -> Result<Storage> {
        Ok(Storage::Cpu(CpuStorage::uninit(dtype, len)?))
    }
    fn upload(&self, host: CpuStorage) -> Result<Storage> {
        Ok(Storage::Cpu(host))
    }
    fn download(&self, storage: &Storage) -> Result<CpuStorage> {
        Ok(cpu_ref(storage)?.clone())
    }
    fn run(&self, op: &Op, inputs: &[View<'_>], outputs: &mut [ViewMut<'_>]) -> Result<()> {
        crate::cpu::run(op, inputs, outputs)
    }
    fn join(&self, inputs: &[View<'_>], dim: usize, output: &mut ViewMut<'_>) -> Result<()> {
        crate::cpu::join(inputs, dim, output)
    }
    fn synchronize(&self) -> Result<()> {
        Ok(())
    }
}

#[cold]
fn elsewhere() -> Error {
    Error::Device("a CPU op was given memory of another device".to_string()).bt()
}

#[inline(always)]
pub(crate) fn cpu_ref(storage: &Storage) -> Result<&CpuStorage> {
    match storage {
        Storage::Cpu(s) => Ok(s),
        _ => Err(elsewhere()),
    }
}

#[inline(always)]
pub(crate) fn cpu_mut(storage: &mut Storage) -> Result<&mut CpuStorage> {
    match storage {
        Storage::Cpu(s) => Ok(s),
        _ => Err(elsewhere()),
    }
}

/// Whether the functions that open NVIDIA GPUs open AMD GPUs: 1 no, 2 yes, 0 as `RUSHLIGHT_CUDA_AS` says.
static CUDA_AS_ROCM: AtomicU8 = AtomicU8::new(0);

fn cuda_is_rocm() -> Result<bool> {
    match CUDA_AS_ROCM.load(Relaxed) {
        0 => Ok(CUDA_AS.choice().map_err(crate::settings::of_device)? == Some("rocm")),
        set => Ok(set == 2),
    }
}

// Not inlined: a crate that inlined this conversion would compile the generic GPU backends again.
#[inline(never)]
fn backend_of_cuda(device: &CudaDevice) -> &dyn Backend {
    device
}
#[inline(never)]
fn backend_of_rocm(device: &RocmDevice) -> &dyn Backend {
    device
}

impl Device {
    /// Opens the NVIDIA GPU with this number, through CUDA. If that fails, the error names what is missing.
    ///
    /// ```
    /// use rushlight::Device;
    /// match Device::new_cuda(0) {
    ///     Ok(device) => println!("{device:?}"),
    ///     Err(e) => println!("{e}"), // the names and folders that were tried, and what to install
    /// }
    /// ```
    ///
    /// Opens an AMD GPU instead after [`set_cuda_as_rocm`](Self::set_cuda_as_rocm), or with `RUSHLIGHT_CUDA_AS=rocm`.
    pub fn new_cuda(ordinal: usize) -> Result<Self> {
        if cuda_is_rocm()? {
            return Self::new_rocm(ordinal);
        }
        Ok(Self::Cuda(crate::gpu::cuda::open(ordinal)?))
    }

    /// Opens the AMD GPU with this number, through ROCm. If that fails, the error names what is missing.
    ///
    /// ```
    /// use rushlight::Device;
    /// match Device::new_rocm(0) {
    ///     Ok(device) => println!("{device:?}"),
    ///     Err(e) => println!("{e}"), // the names and folders that were tried, and what to install
    /// }
    /// ```
    pub fn new_rocm(ordinal: usize) -> Result<Self> {
        Ok(Self::Rocm(crate::gpu::hip::open(ordinal)?))
    }

    /// Always returns an error. It exists so that candle code that uses Metal compiles.
    pub fn new_metal(_ordinal: usize) -> Result<Self> {
        Err(Error::NotCompiledWithMetalSupport.bt())
    }

    /// Returns a device over CPU memory with its own id, which refuses host memory and counts transfers: for tests.
    #[cfg(any(test, feature = "testing"))]
    #[doc(hidden)]
    pub fn new_testdev(id: usize) -> Self {
        Self::Test(TestDevice::new(id))
    }

    /// Sets whether [`new_cuda`](Self::new_cuda) and [`cuda_if_available`](Self::cuda_if_available) open AMD GPUs, so that a
    /// program written for CUDA runs on them unchanged. Before this call, `RUSHLIGHT_CUDA_AS` decides. The devices are those of
    /// [`new_rocm`](Self::new_rocm): [`is_cuda`](Self::is_cuda) is false and [`is_rocm`](Self::is_rocm) true.
    ///
    /// ```
    /// use rushlight::Device;
    /// Device::set_cuda_as_rocm(true);
    /// let device = Device::cuda_if_available(0)?; // an AMD GPU, or the CPU
    /// assert!(device.is_cpu() || device.is_rocm());
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn set_cuda_as_rocm(on: bool) {
        CUDA_AS_ROCM.store(if on { 2 } else { 1 }, Relaxed);
    }

    /// Opens the NVIDIA GPU with this number, or returns the CPU if there is none. Like [`new_cuda`](Self::new_cuda) it can be
    /// made to open AMD GPUs.
    pub fn cuda_if_available(ordinal: usize) -> Result<Self> {
        if cuda_is_rocm()? {
            return Self::rocm_if_available(ordinal);
        }
        if ordinal < crate::gpu::cuda::device_count() { Self::new_cuda(ordinal) } else { Ok(Self::Cpu) }
    }

    /// Opens the AMD GPU with this number, or returns the CPU if there is none.
    pub fn rocm_if_available(ordinal: usize) -> Result<Self> {
        if ordinal < crate::gpu::hip::device_count() { Self::new_rocm(ordinal) } else { Ok(Self::Cpu) }
    }

    /// Returns the CPU, since there is no Metal backend.
    pub fn metal_if_available(_ordinal: usize) -> Result<Self> {
        Ok(Self::Cpu)
    }

    /// The backend that runs ops and moves memory.
    #[inline]
    pub fn backend(&self) -> &dyn Backend {
        match self {
            Self::Cpu => &CpuDevice,
            Self::Cuda(d) => backend_of_cuda(d),
            Self::Rocm(d) => backend_of_rocm(d),
            Self::Metal(none) => match *none {},
            #[cfg(any(test, feature = "testing"))]
            Self::Test(d) => d,
            #[cfg(any(test, feature = "testing"))]
            Self::Record(d) => d,
        }
    }

    /// Returns the device's kind and number.
    pub fn location(&self) -> DeviceLocation {
        self.backend().id()
    }

    /// Whether two handles refer to the same device.
    #[inline]
    pub fn same_device(&self, rhs: &Self) -> bool {
        match (self, rhs) {
            (Self::Cpu, Self::Cpu) => true,
            _ => self.location() == rhs.location(),
        }
    }

    /// Whether this is the CPU.
    pub fn is_cpu(&self) -> bool {
        matches!(self, Self::Cpu)
    }
    /// Whether this is an NVIDIA GPU.
    pub fn is_cuda(&self) -> bool {
        matches!(self, Self::Cuda(_))
    }
    /// Whether this is an AMD GPU.
    pub fn is_rocm(&self) -> bool {
        matches!(self, Self::Rocm(_))
    }
    /// Always false, since there is no Metal backend.
    pub fn is_metal(&self) -> bool {
        false
    }
    /// Whether bf16 matmul is supported. True on every device.
    pub fn supports_bf16(&self) -> bool {
        true
    }
    /// Returns BF16 on a GPU, else F32: candle's default dtype for models.
    pub fn bf16_default_to_f32(&self) -> DType {
        if self.is_cpu() { DType::F32 } else { DType::BF16 }
    }

    /// Whether the device runs an op on inputs of these dtypes.
    pub fn supports(&self, op: &Op, dtypes: &[DType]) -> Support {
        self.backend().supports(op, dtypes)
    }

    /// Returns the bytes that tensors use on the device, or `None` if the device does not count them.
    pub(crate) fn memory_in_use(&self) -> Option<usize> {
        match self {
            Self::Cpu => Some(crate::cpu::memory_stats().live),
            Self::Cuda(d) => Some(d.memory_stats().live),
            Self::Rocm(d) => Some(d.memory_stats().live),
            Self::Metal(none) => match *none {},
            #[cfg(any(test, feature = "testing"))]
            Self::Test(_) => None,
            #[cfg(any(test, feature = "testing"))]
            Self::Record(d) => Some(d.memory_stats().live),
        }
    }

    /// Waits for all work of the device, and returns any fault it has recorded.
    pub fn synchronize(&self) -> Result<()> {
        self.backend().synchronize()
    }

    fn with_rng<R>(&self, f: impl FnOnce(&mut Generator) -> R) -> R {
        let slot = match self {
            #[cfg(any(test, feature = "testing"))]
            Self::Test(d) => d.rng(),
            Self::Rocm(d) => d.rng(),
            Self::Metal(none) => match *none {},
            Self::Cuda(d) => d.rng(),
            _ => &CPU_RNG,
        };
        let mut slot = slot.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        f(slot.get_or_insert_with(|| {
            let given = *SEED.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            given.map_or_else(Generator::from_entropy, Generator::new)
        }))
    }

    /// Seeds the random numbers of every device: of the CPU, of open GPUs, and of those that are opened later.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// Device::seed_all(7)?;
    /// let a = Tensor::rand(0f32, 1., 4, &Device::Cpu)?.to_vec1::<f32>()?;
    /// Device::seed_all(7)?;
    /// assert_eq!(a, Tensor::rand(0f32, 1., 4, &Device::Cpu)?.to_vec1::<f32>()?);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn seed_all(seed: u64) -> Result<()> {
        *SEED.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Some(seed);
        crate::gpu::hip::forget_seeds();
        crate::gpu::cuda::forget_seeds();
        Self::Cpu.set_seed(seed)
    }

    /// Seeds the device's random numbers. Equal seeds give equal numbers on every device.
    pub fn set_seed(&self, seed: u64) -> Result<()> {
        self.with_rng(|g| *g = Generator::new(seed));
        Ok(())
    }

    /// The seed in use.
    pub fn get_current_seed(&self) -> Result<u64> {
        Ok(self.with_rng(|g| g.seed()))
    }

    /// The state of the device's random numbers: the seed, and the number of tensors drawn since.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (seed, draws) = Device::Cpu.rng_state();
    /// let a = Tensor::rand(0f32, 1., 4, &Device::Cpu)?.to_vec1::<f32>()?;
    /// Device::Cpu.set_rng_state(seed, draws);
    /// assert_eq!(a, Tensor::rand(0f32, 1., 4, &Device::Cpu)?.to_vec1::<f32>()?);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn rng_state(&self) -> (u64, u64) {
        self.with_rng(|g| g.state())
    }

    /// Restores a state returned by [`rng_state`](Self::rng_state).
    pub fn set_rng_state(&self, seed: u64, draws: u64) {
        self.with_rng(|g| *g = Generator::from_state(seed, draws));
    }

    /// Returns the key of the next draw of random numbers: (seed, index of the draw).
    pub(crate) fn next_draw(&self) -> (u64, u64) {
        crate::rng::chosen_draw().unwrap_or_else(|| self.with_rng(|g| g.next_draw()))
    }
}

/// Host data from which a tensor can be made: a number, or nested arrays, slices and vectors of numbers.
pub trait NdArray {
    /// Returns the shape, or an error if rows have different lengths.
    fn shape(&self) -> Result<Shape>;
    /// Returns the elements, row-major.
    fn to_cpu_storage(&self) -> CpuStorage;
}

impl<S: Element> NdArray for S {
    fn shape(&self) -> Result<Shape> {
        Ok(().into())
    }
    fn to_cpu_storage(&self) -> CpuStorage {
        S::into_storage(Buffer::from_slice(&[*self]))
    }
}

impl<S: Element, const N: usize> NdArray for &[S; N] {
    fn shape(&self) -> Result<Shape> {
        Ok(N.into())
    }
    fn to_cpu_storage(&self) -> CpuStorage {
        S::into_storage(Buffer::from_slice(*self))
    }
}

impl<S: Element> NdArray for &[S] {
    fn shape(&self) -> Result<Shape> {
        Ok(self.len().into())
    }
    fn to_cpu_storage(&self) -> CpuStorage {
        S::into_storage(Buffer::from_slice(self))
    }
}

macro_rules! nested_array {
    ($($n:ident),+; $t:ty; $($dims:expr),+; $self_:ident => $flat:expr) => {
        impl<S: Element, $(const $n: usize),+> NdArray for $t {
            fn shape(&self) -> Result<Shape> {
                Ok(Shape::from([$($dims),+]))
            }
            fn to_cpu_storage(&$self_) -> CpuStorage {
                let flat: Vec<S> = $flat;
                flat.into()
            }
        }
    };
}
nested_array!(N, M; &[[S; N]; M]; M, N; self => self.concat());
nested_array!(N1, N2, N3; &[[[S; N3]; N2]; N1]; N1, N2, N3; self => self.concat().concat());
nested_array!(N1, N2, N3, N4; &[[[[S; N4]; N3]; N2]; N1]; N1, N2, N3, N4;
    self => self.concat().concat().concat());

impl<S: Element> NdArray for Vec<S> {
    fn shape(&self) -> Result<Shape> {
        Ok(self.len().into())
    }
    fn to_cpu_storage(&self) -> CpuStorage {
        S::into_storage(Buffer::from_slice(self))
    }
}

macro_rules! nested_vec {
    ($($t:ty),*) => {$(
        impl<S: Element> NdArray for $t {
            fn shape(&self) -> Result<Shape> {
                let mut dims = Vec::new();
                self.dims(&mut dims, 0)?;
                Ok(dims.into())
            }
            fn to_cpu_storage(&self) -> CpuStorage {
                S::into_storage(Buffer::filled(self.count(), |to| _ = self.write(to)))
            }
        }
    )*};
}
nested_vec!(Vec<&'_ [S]>, Vec<Vec<S>>, Vec<Vec<Vec<S>>>, Vec<Vec<Vec<Vec<S>>>>);

/// Nested rows, which must have equal lengths.
trait Rows<S>: Sized {
    fn dims(&self, dims: &mut Vec<usize>, depth: usize) -> Result<()>;
    /// Returns the number of elements.
    fn count(&self) -> usize;
    /// Writes the elements to the beginning of `to`, and returns the rest of it.
    fn write<'a>(&self, to: &'a mut [S]) -> &'a mut [S];
    /// Same as `count`, of several.
    fn count_all(rows: &[Self]) -> usize {
        rows.iter().map(Self::count).sum()
    }
    /// Same as `write`, of several.
    fn write_all<'a>(rows: &[Self], to: &'a mut [S]) -> &'a mut [S] {
        rows.iter().fold(to, |to, r| r.write(to))
    }
}

fn note(dims: &mut Vec<usize>, depth: usize, len: usize) -> Result<()> {
    match dims.get(depth) {
        None => dims.push(len),
        Some(&d) if d == len => {}
        Some(&d) => crate::bail!("rows of different lengths in dimension {depth}: {d} and {len}"),
    }
    Ok(())
}

impl<S: Element> Rows<S> for &[S] {
    fn dims(&self, dims: &mut Vec<usize>, depth: usize) -> Result<()> {
        note(dims, depth, self.len())
    }
    fn count(&self) -> usize {
        self.len()
    }
    fn write<'a>(&self, to: &'a mut [S]) -> &'a mut [S] {
        S::write_all(self, to)
    }
}

impl<S: Element> Rows<S> for S {
    fn dims(&self, _: &mut Vec<usize>, _: usize) -> Result<()> {
        Ok(())
    }
    fn count(&self) -> usize {
        1
    }
    fn write<'a>(&self, to: &'a mut [S]) -> &'a mut [S] {
        S::write_all(std::slice::from_ref(self), to)
    }
    fn count_all(rows: &[S]) -> usize {
        rows.len()
    }
    fn write_all<'a>(rows: &[S], to: &'a mut [S]) -> &'a mut [S] {
        let (first, rest) = to.split_at_mut(rows.len());
        first.copy_from_slice(rows);
        rest
    }
}

impl<S, R: Rows<S>> Rows<S> for Vec<R> {
    fn dims(&self, dims: &mut Vec<usize>, depth: usize) -> Result<()> {
        note(dims, depth, self.len())?;
        self.iter().try_for_each(|r| r.dims(dims, depth + 1))
    }
    fn count(&self) -> usize {
        R::count_all(self)
    }
    fn write<'a>(&self, to: &'a mut [S]) -> &'a mut [S] {
        R::write_all(self, to)
    }
}
