//! User-defined kernels: compiled from HIP source at run time and launched on storages.
#![allow(unsafe_code)]
use super::cuda::Cuda;
use super::hip::Hip;
use super::runtime::Runtime;
use super::{GpuDevice, GpuStorage};
use crate::profiler::Kind;
use crate::storage::Storage;
use crate::{DType, Error, Result, Tensor};
use rushlight_hip::{Function, LaunchConfig, rtc};
use std::sync::Arc;

/// An argument of a user-defined kernel. Variants are named by C type.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum KernelArg<'a> {
    /// A pointer into a storage, to the element with this index.
    Pointer(&'a GpuStorage<Hip>, usize),
    /// A pointer to the first element of a row-major tensor, which the kernel may change.
    Tensor(&'a Tensor),
    /// A pointer to the first element of a row-major tensor, which the kernel only reads.
    ConstTensor(&'a Tensor),
    /// The bits of a value of any C type of up to 8 bytes, lowest byte first.
    Bits(u64),
    /// `int`
    I32(i32),
    /// `unsigned int`
    U32(u32),
    /// `long long`
    I64(i64),
    /// `unsigned long long`
    U64(u64),
    /// `float`
    F32(f32),
    /// `double`
    F64(f64),
}

/// A user's kernel on a device.
#[derive(Debug, Clone)]
pub struct RocmKernel {
    device: GpuDevice<Hip>,
    function: Function,
    name: Arc<str>,
    shared: u32,
}

impl GpuDevice<Hip> {
    /// Compiles HIP source for this device and finds the kernel `name` (declared `extern "C" __global__`). Options are
    /// the compiler's, such as `-DN=4`; the language is C++17 unless they name another.
    ///
    /// # Errors
    /// The compiler's log; a source without such a kernel.
    ///
    /// ```no_run
    /// use rushlight::{DType, Device, KernelArg, Tensor};
    /// let device = Device::new_rocm(0)?;
    /// let Device::Rocm(rocm) = &device else { unreachable!() };
    /// let source = r#"extern "C" __global__ void twice(float* x, int n) {
    ///     int i = blockIdx.x * blockDim.x + threadIdx.x;
    ///     if (i < n) x[i] *= 2;
    /// }"#;
    /// let kernel = rocm.compile(source, "twice", &[])?;
    /// let x = rocm.empty(DType::F32, 100)?;
    /// // SAFETY: the kernel writes 100 elements of x.
    /// unsafe { kernel.launch([1, 1, 1], [128, 1, 1], &[KernelArg::Pointer(&x, 0), KernelArg::I32(100)])? };
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn compile(&self, source: &str, name: &str, options: &[&str]) -> Result<RocmKernel> {
        let hip = self.runtime();
        let mut all = vec![format!("--offload-arch={}", self.info().arch)];
        if !options.iter().any(|o| o.starts_with("-std=") || o.starts_with("--std=")) {
            all.push("-std=c++17".to_string());
        }
        all.extend(options.iter().map(|o| o.to_string()));
        let wrap = |e: rushlight_hip::Error| Error::Device(format!("rocm:{}: {e}", self.ordinal())).bt();
        let code = rtc::compile(source, &format!("{name}.hip"), &[], &all).map_err(wrap)?.code;
        let function = hip.device().load_module(&code).and_then(|m| m.function(name)).map_err(wrap)?;
        Ok(RocmKernel { device: self.clone(), function, name: name.into(), shared: 0 })
    }
}

impl<R: Runtime> GpuDevice<R> {
    /// Wraps externally owned memory on this device (another library's tensor), which `owner` keeps alive. Waits for the work that
    /// the library has queued.
    ///
    /// # Safety
    /// `ptr` is memory of this device for `len` elements of the dtype, aligned for it, as long as `owner` lives.
    pub unsafe fn foreign(
        &self,
        ptr: u64,
        dtype: DType,
        len: usize,
        owner: Box<dyn std::any::Any + Send + Sync>,
    ) -> Result<Storage> {
        let _entered = self.enter("from_dlpack")?;
        self.refuse_recording(
            "from_dlpack",
            "taking over memory waits for the GPU; do it before the capture",
        )?;
        // The storage's drop disowns it.
        self.runtime().adopt(ptr, len * dtype.size_in_bytes()).map_err(|f| self.error(f))?;
        Ok(R::wrap(GpuStorage::foreign(self.clone(), ptr, dtype, len, owner)))
    }

    /// Allocates memory for `len` elements whose values are unspecified, for the output of a custom op.
    pub fn empty(&self, dtype: DType, len: usize) -> Result<GpuStorage<R>> {
        self.storage(dtype, len)
    }
}

impl RocmKernel {
    /// Sets the size in bytes of dynamic LDS (`extern __shared__`) for each block, and returns the kernel.
    pub fn with_shared(mut self, bytes: u32) -> Self {
        self.shared = bytes;
        self
    }

    /// Returns the device for which the kernel was compiled.
    pub fn device(&self) -> &GpuDevice<Hip> {
        &self.device
    }

    /// Returns the address of a tensor's first element. Fails if the tensor cannot be passed to a kernel.
    fn address(&self, number: usize, t: &Tensor) -> Result<u64> {
        let refuse = |why: String| Err(Error::invalid("launch", format!("argument {number} {why}")));
        let (storage, layout) = t.storage_and_layout();
        let own = match &*storage {
            Storage::Rocm(s) if s.device().ordinal() == self.device.ordinal() => s,
            _ => {
                let (there, here) = (t.device().location(), self.device.ordinal());
                return Err(Error::Device(format!(
                    "launch: argument {number} is a tensor on {there}, the kernel is on rocm:{here}; move the tensor there"
                ))
                .bt());
            }
        };
        if !layout.is_contiguous() {
            let (dims, stride) = (layout.dims(), layout.stride());
            return refuse(format!(
                "is a view of shape {dims:?} with strides {stride:?}; give its contiguous()"
            ));
        }
        if crate::autograd::is_enabled() && t.track_op() {
            return refuse(
                "takes part in a gradient, which a kernel does not have; give its detach()".to_string(),
            );
        }
        Ok(own.address() + (layout.start_offset() * own.dtype().size_in_bytes()) as u64)
    }

    /// Launches the kernel on the device's stream, after all ops launched before. `grid` is the number of blocks,
    /// `block` the number of threads of a block.
    ///
    /// # Errors
    /// If a storage or tensor is on another device, a tensor is not row-major or is part of a gradient graph, or the
    /// device cannot run these sizes.
    ///
    /// # Safety
    /// The arguments must have the kernel's types, and the kernel must read and write only inside the storages.
    pub unsafe fn launch(&self, grid: [u32; 3], block: [u32; 3], args: &[KernelArg<'_>]) -> Result<()> {
        let mut values = Vec::with_capacity(args.len());
        for (i, a) in args.iter().enumerate() {
            values.push(match *a {
                KernelArg::Pointer(s, element) => {
                    if s.device().ordinal() != self.device.ordinal() {
                        return Err(Error::invalid(
                            "launch",
                            "a storage is of another device than the kernel",
                        ));
                    }
                    s.address() + (element * s.dtype().size_in_bytes()) as u64
                }
                KernelArg::Tensor(t) | KernelArg::ConstTensor(t) => self.address(i, t)?,
                KernelArg::Bits(v) => v,
                // Lowest byte first (every host that ROCm supports is little-endian): the low bytes hold the value.
                KernelArg::I32(v) => u64::from(v as u32),
                KernelArg::U32(v) => u64::from(v),
                KernelArg::I64(v) => v as u64,
                KernelArg::U64(v) => v,
                KernelArg::F32(v) => u64::from(v.to_bits()),
                KernelArg::F64(v) => v.to_bits(),
            });
        }
        let mut pointers: Vec<*mut std::ffi::c_void> =
            values.iter_mut().map(|v| std::ptr::from_mut(v).cast()).collect();
        let triple = |v: [u32; 3]| (v[0], v[1], v[2]);
        let config = LaunchConfig { grid: triple(grid), block: triple(block), lds: self.shared };
        let _entered = self.device.enter("launch")?;
        self.device.count_launch();
        let stream = self.device.runtime().stream();
        // SAFETY: the caller guarantees types and memory; each pointer is to 8 bytes that hold the value.
        let launch = || unsafe { self.function.launch(config, stream, &mut pointers) };
        let event = || self.device.event(Kind::Kernel, self.name.to_string(), 0);
        self.device
            .profiled(event, launch)
            .map_err(|e| Error::Device(format!("rocm:{}: {e}", self.device.ordinal())).bt())?;
        for a in args {
            if let KernelArg::Tensor(t) = a {
                t.storage_cell().bump();
            }
        }
        self.device.settle()
    }
}

/// Returns the CUDA storage inside a tensor's storage.
impl<'a> TryFrom<&'a Storage> for &'a GpuStorage<Cuda> {
    type Error = Error;
    fn try_from(s: &'a Storage) -> Result<Self> {
        match s {
            Storage::Cuda(s) => Ok(s),
            _ => {
                Err(Error::Device("the tensor is not on an NVIDIA GPU; move it there first".to_string()).bt())
            }
        }
    }
}

/// Returns the ROCm storage inside a tensor's storage.
impl<'a> TryFrom<&'a Storage> for &'a GpuStorage<Hip> {
    type Error = Error;
    fn try_from(s: &'a Storage) -> Result<Self> {
        match s {
            Storage::Rocm(s) => Ok(s),
            _ => Err(Error::Device("the tensor is not on an AMD GPU; move it there first".to_string()).bt()),
        }
    }
}
