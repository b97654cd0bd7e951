//! Files: safetensors, NumPy's npy and npz, PyTorch's pth. `rushlight._files` tells them apart.
use crate::args::Arg;
use crate::device::{DeviceArg, or_cpu};
use crate::error::OrPy;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::io::{pickle, safetensors};
use rushlight::{Device, Result, Tensor};
use std::collections::HashMap;
use std::path::PathBuf;

/// Writes named tensors, and texts about them, to a safetensors file.
///
/// Parameters
/// ----------
/// tensors
///     Tensors by name; gradients are not saved.
/// path
///     The file. It is replaced.
/// metadata
///     Texts by name.
#[pyfunction]
#[pyo3(signature = (tensors, path, metadata = None))]
pub fn save_file(
    py: Python<'_>,
    tensors: HashMap<String, Arg>,
    path: PathBuf,
    metadata: Option<HashMap<String, String>>,
) -> PyResult<()> {
    let tensors: HashMap<String, Tensor> = tensors.into_iter().map(|(k, t)| (k, t.0.detach())).collect();
    py.detach(|| match &metadata {
        None => safetensors::save(&tensors, &path),
        Some(m) => safetensors::save_with_metadata(&tensors, m, &path),
    })
    .py()
}

/// The tensors of a safetensors file by name, in the names' order.
///
/// Raises
/// ------
/// FileNotFoundError
///     If the file is not there.
/// ValueError
///     If it is truncated or is no safetensors file.
#[pyfunction]
#[pyo3(signature = (path, device = None))]
pub fn load_file(py: Python<'_>, path: PathBuf, device: Option<DeviceArg>) -> PyResult<Bound<'_, PyDict>> {
    by_name(py, device, |device| {
        let mut found: Vec<_> = safetensors::load(&path, device)?.into_iter().collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(found)
    })
}

/// A dict of the tensors that a file holds, on a device.
fn by_name(
    py: Python<'_>,
    device: Option<DeviceArg>,
    read: impl FnOnce(&Device) -> Result<Vec<(String, Tensor)>> + Send,
) -> PyResult<Bound<'_, PyDict>> {
    let device = or_cpu(device);
    let found = py.detach(|| {
        let found = read(&device)?.into_iter();
        found.map(|(name, t)| Ok((name, t.to_device(&device)?))).collect::<Result<Vec<_>>>()
    });
    let out = PyDict::new(py);
    for (name, tensor) in found.py()? {
        out.set_item(name, PyTensor::new(tensor))?;
    }
    Ok(out)
}

/// The tensor of an npy file.
#[pyfunction]
#[pyo3(signature = (path, device, /))]
pub fn _load_npy(py: Python<'_>, path: PathBuf, device: Option<DeviceArg>) -> PyResult<PyTensor> {
    let device = or_cpu(device);
    py.detach(|| Tensor::read_npy(&path)?.to_device(&device)).py().map(PyTensor::new)
}

/// The tensors of an npz file by name, in the file's order.
#[pyfunction]
#[pyo3(signature = (path, device, /))]
pub fn _load_npz(py: Python<'_>, path: PathBuf, device: Option<DeviceArg>) -> PyResult<Bound<'_, PyDict>> {
    by_name(py, device, |_| Tensor::read_npz(&path))
}

/// The tensors of a pth file by name; ``key`` names the entry that holds them.
#[pyfunction]
#[pyo3(signature = (path, device, key, /))]
pub fn _load_pth(
    py: Python<'_>,
    path: PathBuf,
    device: Option<DeviceArg>,
    key: Option<String>,
) -> PyResult<Bound<'_, PyDict>> {
    by_name(py, device, |_| pickle::read_all_with_key(&path, key.as_deref()))
}

/// Writes a tensor to an npy file.
#[pyfunction]
#[pyo3(signature = (path, tensor, /))]
pub fn _save_npy(py: Python<'_>, path: PathBuf, tensor: Arg) -> PyResult<()> {
    let tensor = tensor.0.detach();
    py.detach(|| tensor.write_npy(&path)).py()
}

/// Writes named tensors to an npz file.
#[pyfunction]
#[pyo3(signature = (path, names, tensors, /))]
pub fn _save_npz(py: Python<'_>, path: PathBuf, names: Vec<String>, tensors: Vec<Arg>) -> PyResult<()> {
    let all: Vec<(String, Tensor)> =
        names.into_iter().zip(tensors).map(|(name, t)| (name, t.0.detach())).collect();
    py.detach(|| Tensor::write_npz(&all, &path)).py()
}
