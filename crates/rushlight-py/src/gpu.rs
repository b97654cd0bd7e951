//! Native functions behind `rushlight.rocm` and `rushlight.cuda`.
use crate::dtype::DTypeArg;
use crate::error::{DeviceError, OrPy, detached};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::{Backend, CudaDevice, Device, RocmDevice};

/// A GPU that is open.
enum Gpu {
    Rocm(RocmDevice),
    Cuda(CudaDevice),
}

/// Evaluates one expression for the GPU of either vendor.
macro_rules! each {
    ($gpu:expr, $d:ident => $e:expr) => {
        match $gpu {
            Gpu::Rocm($d) => $e,
            Gpu::Cuda($d) => $e,
        }
    };
}

/// Opens GPU number `index` of a kind, `"rocm"` or `"cuda"`.
fn open(kind: &str, index: usize) -> PyResult<Gpu> {
    let device = if kind == "cuda" { Device::new_cuda(index) } else { Device::new_rocm(index) };
    match device.py()? {
        Device::Rocm(d) => Ok(Gpu::Rocm(d)),
        Device::Cuda(d) => Ok(Gpu::Cuda(d)),
        other => Err(DeviceError::new_err(format!("{} is not a GPU", other.location()))),
    }
}

/// Returns the name, target, wave size, compute units and bytes of memory of a GPU.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_properties<'py>(py: Python<'py>, kind: &str, index: usize) -> PyResult<Bound<'py, PyDict>> {
    let device = detached(py, || open(kind, index))?;
    let info = each!(&device, d => d.info());
    let d = PyDict::new(py);
    d.set_item("name", &info.name)?;
    d.set_item("arch", &info.arch)?;
    d.set_item("wave_size", info.wave)?;
    d.set_item("compute_units", info.units)?;
    d.set_item("total_memory", info.memory)?;
    d.set_item("runtime", &info.compiler)?;
    Ok(d)
}

/// Returns the memory, launches, transfers and library calls of a GPU so far.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_memory_stats<'py>(py: Python<'py>, kind: &str, index: usize) -> PyResult<Bound<'py, PyDict>> {
    let device = detached(py, || open(kind, index))?;
    let (s, c) = each!(&device, d => (d.memory_stats(), d.counters()));
    let d = PyDict::new(py);
    d.set_item("requested", s.requested)?;
    d.set_item("live", s.live)?;
    d.set_item("peak", s.peak)?;
    d.set_item("reserved", s.reserved)?;
    d.set_item("blocks", s.blocks)?;
    d.set_item("device_allocations", s.device_allocations)?;
    d.set_item("launches", c.launches)?;
    d.set_item("graph_launches", c.graph_launches)?;
    d.set_item("uploads", c.uploads)?;
    d.set_item("downloads", c.downloads)?;
    d.set_item("blas_calls", c.blas_calls)?;
    d.set_item("solver_calls", c.solver_calls)?;
    d.set_item("conv_calls", c.conv_calls)?;
    d.set_item("fft_calls", c.fft_calls)?;
    d.set_item("compiles", c.compiles)?;
    Ok(d)
}

/// Waits for a GPU, and raises the errors that its kernels recorded.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_synchronize(py: Python<'_>, kind: &str, index: usize) -> PyResult<()> {
    detached(py, || each!(open(kind, index)?, d => d.synchronize()).py())
}

/// Frees a GPU's memory that is kept for reuse.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_empty_cache(py: Python<'_>, kind: &str, index: usize) -> PyResult<()> {
    detached(py, || each!(open(kind, index)?, d => d.empty_cache()).py())
}

/// Sets the peak of a GPU's memory to the memory in use now.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_reset_peak(py: Python<'_>, kind: &str, index: usize) -> PyResult<()> {
    detached(py, || open(kind, index)).map(|gpu| each!(gpu, d => d.reset_peak()))
}

/// Compiles the kernels of ops and dtypes (none: all) ahead. `report` is called with steps done, all steps, the last one's name and
/// kernels compiled. Gives the folder that keeps them and the numbers.
#[pyfunction]
#[pyo3(signature = (kind, index, ops, dtypes, report, /))]
pub fn _gpu_warm<'py>(
    py: Python<'py>,
    kind: &str,
    index: usize,
    ops: Vec<String>,
    dtypes: Vec<DTypeArg>,
    report: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyDict>> {
    let ops: Vec<&str> = ops.iter().map(String::as_str).collect();
    let dtypes: Vec<_> = dtypes.iter().map(|d| d.0).collect();
    let report = report.unbind();
    let mut raised = None;
    let done = detached(py, || {
        let device = match open(kind, index)? {
            Gpu::Rocm(d) => Device::Rocm(d),
            Gpu::Cuda(d) => Device::Cuda(d),
        };
        let mut report_step = |w: &rushlight::gpu::Warmed| {
            let call = |py: Python<'_>| {
                report.call1(py, (w.done, w.total, &w.step, w.compiled))?;
                py.check_signals()
            };
            raised = Python::attach(call).err();
            raised.is_none()
        };
        rushlight::gpu::warm(&device, &ops, &dtypes, &mut report_step).py()
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

/// Adds a folder in which CUDA's libraries are searched for.
#[pyfunction]
#[pyo3(signature = (folder, /))]
pub fn _cuda_search(folder: std::path::PathBuf) {
    rushlight::gpu::cuda::search_also(&folder);
}

/// Returns names of the kernel files and dtypes that a GPU has loaded.
#[pyfunction]
#[pyo3(signature = (kind, index, /))]
pub fn _gpu_loaded_kernels(
    py: Python<'_>,
    kind: &str,
    index: usize,
) -> PyResult<Vec<(&'static str, &'static str)>> {
    let device = detached(py, || open(kind, index))?;
    Ok(each!(&device, d => d.loaded_kernels()))
}

/// Adds a folder with archives of compiled kernels, for devices that are opened later.
#[pyfunction]
#[pyo3(signature = (folder, /))]
pub fn _add_kernel_archives(folder: std::path::PathBuf) {
    rushlight::gpu::add_kernel_archives(folder);
}

/// Returns a sentence for each archive of compiled kernels that is found.
#[pyfunction]
pub fn _kernel_archives() -> Vec<String> {
    let tell = |a: rushlight::gpu::KernelArchive| {
        let path = a.path.display();
        match a.target {
            Ok(target) => {
                let (objects, version, compiler) = (a.objects, a.version, a.compiler);
                format!("{target}: {objects} kernel files of version {version} by {compiler} ({path})")
            }
            Err(why) => format!("not used: {path}: {why}"),
        }
    };
    rushlight::gpu::kernel_archives().into_iter().map(tell).collect()
}
