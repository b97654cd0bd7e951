//! AMD GPUs: what `rushlight.rocm` is made of.
use crate::error::{OrPy, detached};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::{Device, RocmDevice};

fn open(index: usize) -> PyResult<RocmDevice> {
    match Device::new_rocm(index).py()? {
        Device::Rocm(d) => Ok(d),
        other => Err(crate::error::DeviceError::new_err(format!("{} is no AMD GPU", other.location()))),
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
