//! Safetensors files.
use crate::args::Arg;
use crate::device::{DeviceArg, or_cpu};
use crate::error::OrPy;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rushlight::Tensor;
use rushlight::io::safetensors;
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
    let device = or_cpu(device);
    let found = py.detach(|| safetensors::load(&path, &device)).py()?;
    let mut found: Vec<(String, Tensor)> = found.into_iter().collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let out = PyDict::new(py);
    for (name, tensor) in found {
        out.set_item(name, PyTensor::new(tensor))?;
    }
    Ok(out)
}
