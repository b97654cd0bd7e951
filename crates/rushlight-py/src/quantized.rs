//! Blocks of quantized numbers, and GGUF files. `rushlight.quantized` in Python has the classes.
use crate::args::Arg;
use crate::device::{DeviceArg, or_cpu};
use crate::error::{OrPy, detached};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use rushlight::quantized::gguf_file::{Content, Value, write};
use rushlight::quantized::{
    ALL, Activations, GgmlDType, QStorage, QTensor, activations, set_activations, set_default_activations,
};
use rushlight::{Error, Result, Shape, Tensor};
use std::fs::File;
use std::path::{Path, PathBuf};

/// Returns the type of a name.
fn format_of(name: &str) -> PyResult<GgmlDType> {
    GgmlDType::from_name(name).ok_or_else(|| {
        let names = ALL.map(|t| t.as_str()).join(", ");
        PyValueError::new_err(format!("expected a block type of {names}, got {name:?}"))
    })
}

/// A tensor as its parts: the type, the shape and the bytes of the blocks, a row for each row.
type Parts = (&'static str, Vec<usize>, PyTensor);

fn parts(t: &QTensor) -> Parts {
    (t.dtype().as_str(), t.shape().dims().to_vec(), PyTensor::new(t.blocks().clone()))
}

/// Makes a tensor of its parts; a view of blocks is copied.
fn of_parts(format: GgmlDType, shape: Vec<usize>, blocks: &Tensor) -> Result<QTensor> {
    let data = blocks.flatten_all()?.to_vec1::<u8>()?;
    QTensor::new(QStorage::from_data(data.into(), &rushlight::Device::Cpu, format)?, shape)
}

/// Returns the precision of a name.
fn activations_of(function: &str, name: &str) -> PyResult<Activations> {
    Activations::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("{function}: expected float32 or int8, got {name:?}")))
}

/// Makes `Float32` the default of Python, with any features of the library.
pub fn use_float32() {
    set_default_activations(Activations::Float32);
}

/// Returns the name of the precision of the other factor of products with blocks.
#[pyfunction]
pub fn _activations() -> &'static str {
    activations().as_str()
}

/// Sets the precision of the other factor of products with blocks.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub fn _set_activations(name: &str) -> PyResult<()> {
    set_activations(activations_of("set_activations", name)?);
    Ok(())
}

/// Multiplies by the transpose of a matrix of blocks, in a precision of the other factor: one op, or two.
#[pyfunction]
#[pyo3(signature = (x, blocks, format, activations, /))]
pub fn _qmatmul_with(
    py: Python<'_>,
    x: Arg,
    blocks: Arg,
    format: &str,
    activations: &str,
) -> PyResult<PyTensor> {
    let (format, activations) = (format_of(format)?, activations_of("qmatmul", activations)?);
    let made = detached(py, || x.0.qmatmul_with(&blocks.0, format, activations));
    made.py().map(PyTensor::new)
}

/// Returns the block types: the name, the elements of a block, and its bytes.
#[pyfunction]
pub fn _ggml_types() -> Vec<(&'static str, usize, usize)> {
    ALL.iter().map(|t| (t.as_str(), t.block_size(), t.type_size())).collect()
}

/// Returns the name and the blocks of a tensor, quantized on the CPU; ``importance`` has a weight for each element of
/// a row.
#[pyfunction]
#[pyo3(signature = (x, format, importance, /))]
pub fn _ggml_quantize(
    py: Python<'_>,
    x: Arg,
    format: &str,
    importance: Option<Vec<f32>>,
) -> PyResult<(&'static str, PyTensor)> {
    let (format, x) = (format_of(format)?, x.0);
    let made = detached(py, || match &importance {
        Some(weights) => QTensor::quantize_imatrix(&x, weights, format),
        None => QTensor::quantize(&x, format),
    });
    made.py().map(|t| (format.as_str(), PyTensor::new(t.blocks().clone())))
}

/// Converts a value of metadata.
fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::U8(v) => v.into_pyobject(py)?.into_any(),
        Value::I8(v) => v.into_pyobject(py)?.into_any(),
        Value::U16(v) => v.into_pyobject(py)?.into_any(),
        Value::I16(v) => v.into_pyobject(py)?.into_any(),
        Value::U32(v) => v.into_pyobject(py)?.into_any(),
        Value::I32(v) => v.into_pyobject(py)?.into_any(),
        Value::U64(v) => v.into_pyobject(py)?.into_any(),
        Value::I64(v) => v.into_pyobject(py)?.into_any(),
        Value::F32(v) => v.into_pyobject(py)?.into_any(),
        Value::F64(v) => v.into_pyobject(py)?.into_any(),
        Value::Bool(v) => PyBool::new(py, *v).to_owned().into_any(),
        Value::String(v) => PyString::new(py, v).into_any(),
        Value::Array(v) => {
            let all = v.iter().map(|v| to_python(py, v)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, all)?.into_any()
        }
    })
}

/// Converts a value to metadata: an int to 32 bits where it fits, unsigned if it is not negative, a float to 32 bits. The
/// ints of a list get one type, signed where they fit.
fn to_value(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if value.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(value.extract()?));
    }
    if value.is_instance_of::<PyInt>() {
        let v: i128 = value.extract()?;
        let sizes = [
            u32::try_from(v).map(Value::U32).ok(),
            i32::try_from(v).map(Value::I32).ok(),
            u64::try_from(v).map(Value::U64).ok(),
            i64::try_from(v).map(Value::I64).ok(),
        ];
        return sizes.into_iter().flatten().next().ok_or_else(|| {
            PyValueError::new_err(format!("metadata: {key}: expected at most 64 bits, got {v}"))
        });
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::F32(value.extract()?));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_string()));
    }
    let Ok(list) = value.cast::<PyList>() else {
        let kind = value.get_type().name()?;
        let text = format!("metadata: {key}: expected a bool, an int, a float, a text or a list, got {kind}");
        return Err(PyTypeError::new_err(text));
    };
    // Of a list of ints, all have one type: llama.cpp reads lists of signed ints of 32 bits.
    if list.iter().all(|v| v.is_instance_of::<PyInt>() && !v.is_instance_of::<PyBool>()) {
        let all = list.extract::<Vec<i128>>()?;
        let sizes: [fn(i128) -> Option<Value>; 4] = [
            |v| i32::try_from(v).map(Value::I32).ok(),
            |v| u32::try_from(v).map(Value::U32).ok(),
            |v| i64::try_from(v).map(Value::I64).ok(),
            |v| u64::try_from(v).map(Value::U64).ok(),
        ];
        let fits =
            sizes.into_iter().find_map(|size| all.iter().map(|&v| size(v)).collect::<Option<Vec<_>>>());
        return fits.map(Value::Array).ok_or_else(|| {
            PyValueError::new_err(format!("metadata: {key}: expected ints of one type of at most 64 bits"))
        });
    }
    Ok(Value::Array(list.iter().map(|v| to_value(key, &v)).collect::<PyResult<Vec<_>>>()?))
}

/// Reads all of a GGUF file but the tensors' data.
fn open(py: Python<'_>, path: &Path) -> PyResult<(File, Content)> {
    let read = || -> Result<_> {
        let mut file = File::open(path)?;
        let content = Content::read(&mut file)?;
        Ok((file, content))
    };
    detached(py, || read().map_err(|e: Error| e.with_path(path))).py()
}

/// Returns the metadata by key, in the order of the keys.
fn metadata<'py>(py: Python<'py>, content: &Content) -> PyResult<Bound<'py, PyDict>> {
    let mut values: Vec<_> = content.metadata.iter().collect();
    values.sort_by_key(|(key, _)| *key);
    let found = PyDict::new(py);
    for (key, value) in values {
        found.set_item(key, to_python(py, value)?)?;
    }
    Ok(found)
}

/// Returns the metadata of a GGUF file.
#[pyfunction]
#[pyo3(signature = (path, /))]
pub fn _gguf_metadata(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    metadata(py, &open(py, &path)?.1)
}

/// Returns the metadata of a GGUF file, and its tensors by name in the order of the file. `progress` is called after each tensor
/// with the bytes that have been read, and those of all tensors.
#[pyfunction]
#[pyo3(signature = (path, device, progress, /))]
pub fn _load_gguf<'py>(
    py: Python<'py>,
    path: PathBuf,
    device: Option<DeviceArg>,
    progress: Option<Bound<'py, PyAny>>,
) -> PyResult<(Bound<'py, PyDict>, Vec<(String, Parts)>)> {
    let device = or_cpu(device);
    let (mut file, content) = open(py, &path)?;
    let mut infos: Vec<_> = content.tensor_infos.iter().collect();
    infos.sort_by_key(|(name, info)| (info.offset, *name));
    let bytes =
        |shape: &Shape, format: GgmlDType| shape.elem_count() / format.block_size() * format.type_size();
    let total = infos.iter().fold(0usize, |sum, (_, i)| sum.saturating_add(bytes(&i.shape, i.ggml_dtype)));
    let (mut tensors, mut done) = (Vec::with_capacity(infos.len()), 0);
    for (name, info) in infos {
        let read = detached(py, || content.tensor(&mut file, name, &device));
        tensors.push((name.clone(), parts(&read.map_err(|e| e.with_path(&path)).py()?)));
        done += bytes(&info.shape, info.ggml_dtype);
        if let Some(progress) = &progress {
            progress.call1((done, total))?;
        }
    }
    Ok((metadata(py, &content)?, tensors))
}

/// Writes a GGUF file.
#[pyfunction]
#[pyo3(signature = (path, tensors, metadata, /))]
pub fn _save_gguf(
    py: Python<'_>,
    path: PathBuf,
    tensors: Vec<(String, String, Vec<usize>, Arg)>,
    metadata: Bound<'_, PyDict>,
) -> PyResult<()> {
    let mut values = Vec::new();
    for (key, value) in metadata.iter() {
        let key: String = key.extract()?;
        let value = to_value(&key, &value)?;
        values.push((key, value));
    }
    let mut all = Vec::new();
    for (name, format, shape, blocks) in tensors {
        all.push((name, format_of(&format)?, shape, blocks.0));
    }
    detached(py, || {
        let tensors = all
            .into_iter()
            .map(|(name, format, shape, blocks)| Ok((name, of_parts(format, shape, &blocks)?)));
        let tensors = tensors.collect::<Result<Vec<_>>>()?;
        let values: Vec<_> = values.iter().map(|(k, v)| (k.as_str(), v)).collect();
        let tensors: Vec<_> = tensors.iter().map(|(name, t)| (name.as_str(), t)).collect();
        rushlight::io::replace_file(&path, |file| write(file, &values, &tensors))
    })
    .py()
}
