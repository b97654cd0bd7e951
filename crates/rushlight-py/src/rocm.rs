//! Compiles and launches HIP kernels that users write, on AMD GPUs.
#![allow(unsafe_code)]
use crate::args::Arg;
use crate::error::{DeviceError, OrPy, detached};
use pyo3::prelude::*;
use rushlight::{Device, KernelArg, RocmDevice, RocmKernel};

fn open(index: usize) -> PyResult<RocmDevice> {
    match Device::new_rocm(index).py()? {
        Device::Rocm(d) => Ok(d),
        other => Err(DeviceError::new_err(format!("{} is not an AMD GPU", other.location()))),
    }
}

/// Returns the HIP library that the process has loaded, or None; nothing is searched for.
#[pyfunction]
pub fn _rocm_loaded() -> Option<String> {
    rushlight::gpu::hip::loaded_library().map(|p| p.display().to_string())
}

/// Returns the folders in which AMD's libraries are searched for, in order.
#[pyfunction]
pub fn _rocm_folders() -> Vec<String> {
    rushlight::gpu::hip::library_folders().iter().map(|p| p.display().to_string()).collect()
}

/// A kernel of a user's own.
#[pyclass(frozen, module = "rushlight._native")]
pub struct _RocmKernel(RocmKernel);

#[pymethods]
impl _RocmKernel {
    /// Puts a launch on the GPU's stream: blocks, threads of a block, bytes of dynamic LDS, and the arguments in order. Each
    /// is a tensor and what it is: 0 its one element, 1 a pointer to elements that are changed, 2 to elements that are read.
    #[pyo3(signature = (grid, block, shared, args, /))]
    fn launch(
        &self,
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        shared: u32,
        args: Vec<(Arg, u8)>,
    ) -> PyResult<()> {
        let mut values = Vec::with_capacity(args.len());
        for (t, kind) in &args {
            values.push(match kind {
                1 => KernelArg::Tensor(&t.0),
                2 => KernelArg::ConstTensor(&t.0),
                _ => {
                    let host = t.0.to_cpu_storage().py()?;
                    let mut bits = [0u8; 8];
                    bits.iter_mut().zip(host.as_bytes()).for_each(|(to, from)| *to = *from);
                    KernelArg::Bits(u64::from_le_bytes(bits))
                }
            });
        }
        let kernel = self.0.clone().with_shared(shared);
        // SAFETY: the arguments match the kernel's declaration; the user who wrote the kernel is responsible
        // for its accesses.
        unsafe { kernel.launch(grid.into(), block.into(), &values) }.py()
    }
}

/// Compiles HIP source for an AMD GPU and finds a kernel in it.
#[pyfunction]
#[pyo3(signature = (index, source, name, options, /))]
pub fn _rocm_compile(
    py: Python<'_>,
    index: usize,
    source: &str,
    name: &str,
    options: Vec<String>,
) -> PyResult<_RocmKernel> {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let made = detached(py, || open(index).map(|d| d.compile(source, name, &options)))?;
    // The error keeps the compiler's log unchanged.
    made.map(_RocmKernel).map_err(|e| DeviceError::new_err(e.to_string()))
}
