//! AMD GPUs: what `rushlight.rocm` is made of.
#![allow(unsafe_code)]
use crate::args::Arg;
use crate::dtype::DTypeArg;
use crate::error::{DeviceError, OrPy, detached};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::{Device, KernelArg, RocmDevice, RocmKernel};

fn open(index: usize) -> PyResult<RocmDevice> {
    match Device::new_rocm(index).py()? {
        Device::Rocm(d) => Ok(d),
        other => Err(DeviceError::new_err(format!("{} is no AMD GPU", other.location()))),
    }
}

/// Name, target, wave size, compute units and bytes of memory of an AMD GPU.
#[pyfunction]
#[pyo3(signature = (index, /))]
pub fn _rocm_properties(py: Python<'_>, index: usize) -> PyResult<Bound<'_, PyDict>> {
    let device = detached(py, || open(index))?;
    let info = device.info();
    let d = PyDict::new(py);
    d.set_item("name", &info.name)?;
    d.set_item("arch", &info.arch)?;
    d.set_item("wave_size", info.wave)?;
    d.set_item("compute_units", info.units)?;
    d.set_item("total_memory", info.memory)?;
    d.set_item("runtime", &info.compiler)?;
    Ok(d)
}

/// Memory, launches, transfers and calls of libraries of an AMD GPU so far.
#[pyfunction]
#[pyo3(signature = (index, /))]
pub fn _rocm_memory_stats(py: Python<'_>, index: usize) -> PyResult<Bound<'_, PyDict>> {
    let device = detached(py, || open(index))?;
    let (s, c) = (device.memory_stats(), device.counters());
    let d = PyDict::new(py);
    d.set_item("requested", s.requested)?;
    d.set_item("live", s.live)?;
    d.set_item("peak", s.peak)?;
    d.set_item("reserved", s.reserved)?;
    d.set_item("blocks", s.blocks)?;
    d.set_item("device_allocations", s.device_allocations)?;
    d.set_item("launches", c.launches)?;
    d.set_item("uploads", c.uploads)?;
    d.set_item("downloads", c.downloads)?;
    d.set_item("blas_calls", c.blas_calls)?;
    d.set_item("conv_calls", c.conv_calls)?;
    d.set_item("compiles", c.compiles)?;
    Ok(d)
}

/// Waits for an AMD GPU, and raises what its kernels have found.
#[pyfunction]
#[pyo3(signature = (index, /))]
pub fn _rocm_synchronize(py: Python<'_>, index: usize) -> PyResult<()> {
    detached(py, || Device::Rocm(open(index)?).synchronize().py())
}

/// Gives an AMD GPU's memory that is kept for reuse back to it.
#[pyfunction]
#[pyo3(signature = (index, /))]
pub fn _rocm_empty_cache(py: Python<'_>, index: usize) -> PyResult<()> {
    detached(py, || open(index)?.empty_cache().py())
}

/// Sets the peak of an AMD GPU's memory to what is live now.
#[pyfunction]
#[pyo3(signature = (index, /))]
pub fn _rocm_reset_peak(py: Python<'_>, index: usize) -> PyResult<()> {
    detached(py, || open(index)).map(|d| d.reset_peak())
}

/// The HIP library that the process has loaded, if it has; nothing is looked for.
#[pyfunction]
pub fn _rocm_loaded() -> Option<String> {
    rushlight::gpu::hip::loaded_library().map(|p| p.display().to_string())
}

/// The folders that AMD's libraries are looked for in, in order.
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
        // SAFETY: a user's own code, whose declaration the arguments were compared with; the user answers for what it does.
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
    // The compiler's log stays as it is.
    made.map(_RocmKernel).map_err(|e| DeviceError::new_err(e.to_string()))
}

/// Compiles the kernels of ops and dtypes (none: all) ahead. `told` gets steps done, all, the last one's name and kernels
/// compiled. Gives the folder that keeps them and the numbers.
#[pyfunction]
#[pyo3(signature = (index, ops, dtypes, told, /))]
pub fn _rocm_warm<'py>(
    py: Python<'py>,
    index: usize,
    ops: Vec<String>,
    dtypes: Vec<DTypeArg>,
    told: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let ops: Vec<&str> = ops.iter().map(String::as_str).collect();
    let dtypes: Vec<_> = dtypes.iter().map(|d| d.0).collect();
    let told = told.unbind();
    let mut raised = None;
    let done = detached(py, || {
        let device = open(index)?;
        let warmed = device.warm(&ops, &dtypes, |w| {
            let call = |py: Python<'_>| {
                told.call1(py, (w.done, w.total, &w.step, w.compiled))?;
                py.check_signals()
            };
            raised = Python::attach(call).err();
            raised.is_none()
        });
        warmed.py()
    })?;
    if let Some(e) = raised {
        return Err(e);
    }
    let d = PyDict::new(py);
    d.set_item("folder", rushlight::gpu::kernel_cache_dir().map(|p| p.display().to_string()))?;
    d.set_item("steps", done.done)?;
    d.set_item("compiled", done.compiled)?;
    d.set_item("failed", done.failed)?;
    Ok(d)
}
