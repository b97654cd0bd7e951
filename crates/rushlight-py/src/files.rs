//! Reads and writes safetensors, NumPy's npy and npz, and PyTorch's pth. `rushlight._files` in Python detects
//! the format.
use crate::args::Arg;
use crate::device::{DeviceArg, or_cpu};
use crate::error::{OrPy, detached};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use pyo3::{type_hint_identifier, type_hint_subscript};
use rushlight::io::{pickle, safetensors};
use rushlight::pydoc;
use rushlight::{Device, Result, Tensor};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::path::PathBuf;

/// Values of one type by name, as `save_file` takes them.
pub struct Named<T>(Py<PyAny>, PhantomData<T>);

const STR: PyStaticExpr = type_hint_identifier!("builtins", "str");

impl<'py, T: FromPyObject<'py, 'py>> FromPyObject<'_, 'py> for Named<T> {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Mapping"), STR, T::INPUT_TYPE);

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(obj.to_owned().unbind(), PhantomData))
    }
}

impl<T> Named<T> {
    fn read<V>(
        &self,
        py: Python<'_>,
        name: &str,
        of: &str,
        one: impl Fn(&str, &Bound<'_, PyAny>) -> PyResult<V>,
    ) -> PyResult<HashMap<String, V>> {
        let wrong = |what: String| {
            PyTypeError::new_err(format!("save_file: {name} is a dict of {of} by name, got {what}"))
        };
        let given = self.0.bind(py);
        let Ok(mapping) = given.cast::<PyMapping>() else {
            return Err(wrong(given.get_type().name()?.to_string()));
        };
        let mut out = HashMap::new();
        for item in mapping.items()?.iter() {
            let (key, value) = item.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>()?;
            let Ok(key) = key.extract::<String>() else {
                return Err(wrong(format!("the key {} ({})", key.repr()?, key.get_type().name()?)));
            };
            let value = one(&key, &value)?;
            out.insert(key, value);
        }
        Ok(out)
    }
}

/// Converts a TypeError of a dict's value to one that names the key; returns other errors unchanged.
fn not_a(py: Python<'_>, name: &str, of: &str, key: &str, value: &Bound<'_, PyAny>, e: PyErr) -> PyErr {
    match value.get_type().name() {
        Ok(class) if e.is_instance_of::<PyTypeError>(py) => PyTypeError::new_err(format!(
            "save_file: {name} is a dict of {of} by name, got {class} for {key:?}"
        )),
        _ => e,
    }
}

#[doc = pydoc!(
    "Writes named tensors, and texts about them, to a safetensors file.";
    (tensors: "Mapping[str, Tensor]" "Tensors by name. Gradients are not saved.", path: "str or os.PathLike" "File to write; an existing one is replaced.", metadata: "Mapping[str, str], optional" "Texts by name.");
    (TypeError: "If a name is not text or a value is not a tensor.", OSError: "If the file cannot be written.");
    [
        ">>> rl.save_file({'w': rl.ones(2)}, 'weights.safetensors')",
        ">>> rl.load_file('weights.safetensors')",
        "{'w': tensor([1., 1.], dtype=float32, device='cpu')}",
    ]
)]
#[pyfunction]
#[pyo3(signature = (tensors, path, metadata = None))]
pub fn save_file(
    py: Python<'_>,
    tensors: Named<Arg>,
    path: PathBuf,
    metadata: Option<Named<String>>,
) -> PyResult<()> {
    let one = |key: &str, v: &Bound<'_, PyAny>| {
        let t = v.extract::<Arg>().map_err(|e| not_a(py, "tensors", "Tensors", key, v, e))?;
        Ok(t.0.detach())
    };
    let tensors: HashMap<String, Tensor> = tensors.read(py, "tensors", "Tensors", one)?;
    let text = |key: &str, v: &Bound<'_, PyAny>| {
        v.extract::<String>().map_err(|e| not_a(py, "metadata", "texts", key, v, e))
    };
    let metadata = metadata.map(|m| m.read(py, "metadata", "texts", text)).transpose()?;
    detached(py, || match &metadata {
        None => safetensors::save(&tensors, &path),
        Some(m) => safetensors::save_with_metadata(&tensors, m, &path),
    })
    .py()
}

#[doc = pydoc!(
    "Reads the tensors of a safetensors file.";
    (path: "str or os.PathLike" "File to read.", device: "Device or str, optional" "Device of the tensors; the CPU by default.") -> "dict[str, Tensor]" "Tensors by name, sorted by name.";
    (FileNotFoundError: "If the file does not exist.", ValueError: "If the file is truncated or no safetensors file.");
    [
        ">>> rl.save_file({'w': rl.ones(2)}, 'weights.safetensors')",
        ">>> rl.load_file('weights.safetensors')['w']",
        "tensor([1., 1.], dtype=float32, device='cpu')",
    ]
)]
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
    let found = detached(py, || {
        let found = read(&device)?.into_iter();
        found.map(|(name, t)| Ok((name, t.to_device(&device)?))).collect::<Result<Vec<_>>>()
    });
    let out = PyDict::new(py);
    for (name, tensor) in found.py()? {
        out.set_item(name, PyTensor::new(tensor))?;
    }
    Ok(out)
}

/// Returns the tensor of an npy file.
#[pyfunction]
#[pyo3(signature = (path, device, /))]
pub fn _load_npy(py: Python<'_>, path: PathBuf, device: Option<DeviceArg>) -> PyResult<PyTensor> {
    let device = or_cpu(device);
    detached(py, || Tensor::read_npy(&path)?.to_device(&device)).py().map(PyTensor::new)
}

/// Returns the tensors of an npz file by name, in the file's order.
#[pyfunction]
#[pyo3(signature = (path, device, /))]
pub fn _load_npz(py: Python<'_>, path: PathBuf, device: Option<DeviceArg>) -> PyResult<Bound<'_, PyDict>> {
    by_name(py, device, |_| Tensor::read_npz(&path))
}

/// Returns the tensors of a pth file by name; ``key`` names the entry that holds them.
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
    detached(py, || tensor.write_npy(&path)).py()
}

/// Writes named tensors to an npz file.
#[pyfunction]
#[pyo3(signature = (path, names, tensors, /))]
pub fn _save_npz(py: Python<'_>, path: PathBuf, names: Vec<String>, tensors: Vec<Arg>) -> PyResult<()> {
    let all: Vec<(String, Tensor)> =
        names.into_iter().zip(tensors).map(|(name, t)| (name, t.0.detach())).collect();
    detached(py, || Tensor::write_npz(&all, &path)).py()
}
