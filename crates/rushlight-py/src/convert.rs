//! Converts nested Python sequences to tensors, and tensors to Python numbers and lists.
use crate::args::{countable, is_other_scalar, number, own_dtype};
use crate::error::OrPy;
use crate::promote::{Num, default_float, promote};
use crate::scalar::{each_dtype, num_at, to_object};
use crate::tensor::PyTensor;
use crate::{buffer, dlpack};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use rushlight::cpu::{CpuStorage, scratch};
use rushlight::{DType, Device, Element, Tensor};

/// Returns whether an object is a NumPy array or scalar, or anything else that exports a buffer or DLPack or
/// has `__array__` (such as a pandas Series).
pub fn is_array(obj: &Bound<'_, PyAny>) -> bool {
    if obj.is_instance_of::<PyString>() || is_other_scalar(obj) {
        return false;
    }
    let py = obj.py();
    obj.hasattr(pyo3::intern!(py, "__array_interface__")).unwrap_or(false)
        || obj.hasattr(pyo3::intern!(py, "__dlpack__")).unwrap_or(false)
        || buffer::has_buffer(obj)
        || (!obj.is_instance_of::<PyType>() && obj.hasattr(pyo3::intern!(py, "__array__")).unwrap_or(false))
}

/// Makes a tensor of an array's elements, sharing the memory where that is possible. `copy`: Some(true)
/// always copies, Some(false) never.
pub fn from_array(obj: &Bound<'_, PyAny>, copy: Option<bool>) -> PyResult<Tensor> {
    let py = obj.py();
    if obj.hasattr(pyo3::intern!(py, "__array_interface__"))? || buffer::has_buffer(obj) {
        return buffer::import(obj, copy);
    }
    if obj.hasattr(pyo3::intern!(py, "__dlpack__"))? {
        return dlpack::import(obj, None, copy);
    }
    let kwargs = pyo3::types::PyDict::new(py);
    if copy == Some(false) {
        kwargs.set_item("copy", false)?;
    }
    buffer::import(&py.import("numpy")?.call_method("asarray", (obj,), Some(&kwargs))?, copy)
}

/// Makes a tensor of nested sequences, numbers, arrays or tensors. The elements are always copied.
pub fn from_data(obj: &Bound<'_, PyAny>, dtype: Option<DType>, device: &Device) -> PyResult<Tensor> {
    let host = if let Ok(t) = obj.cast::<PyTensor>() {
        t.get().get().detach().copy().py()?
    } else if let Some(n) = number(obj) {
        let n = n?;
        let dtype = match dtype {
            Some(d) => d,
            None => own_dtype(obj)?.unwrap_or_else(|| wide(n)),
        };
        Tensor::full_scalar(n.to_scalar(dtype)?, (), device).py()?
    } else if is_array(obj) {
        from_array(obj, Some(true))?
    } else {
        from_sequence(obj, dtype)?
    };
    let host = match dtype {
        Some(d) => host.to_dtype(d).py()?,
        None => host,
    };
    host.to_device(device).py()
}

/// Returns the dtype of a number without a tensor: an integer above the range of int64 is uint64.
fn wide(n: Num) -> DType {
    match n {
        Num::Int(i) if i > i128::from(i64::MAX) => DType::U64,
        n => n.default_dtype(),
    }
}

fn is_sequence(obj: &Bound<'_, PyAny>) -> bool {
    obj.is_instance_of::<PyList>()
        || obj.is_instance_of::<PyTuple>()
        || (obj.cast::<pyo3::types::PySequence>().is_ok() && !obj.is_instance_of::<PyString>())
}

struct Flat {
    values: Vec<Num>,
    dims: Vec<usize>,
    /// Common dtype of the values that have a dtype; used if the caller gives no dtype.
    own: Option<DType>,
    ask: bool,
    /// Among the values without a dtype, the one that needs the widest dtype.
    plain: Option<Num>,
}

/// Ranks numbers: that of the highest rank decides the dtype of a sequence.
fn order(n: Num) -> u8 {
    match n {
        Num::Bool(_) => 0,
        Num::Int(i) => 1 + u8::from(i > i128::from(i64::MAX)),
        Num::Huge(_) => 2,
        Num::Float(_) => 3,
        Num::Complex(..) => 4,
    }
}

enum Leaf {
    Number,
    Array,
}

/// Returns the kind of the first element of nested sequences that is not a sequence.
fn first_leaf(obj: &Bound<'_, PyAny>, depth: usize) -> PyResult<Leaf> {
    if obj.cast::<PyTensor>().is_ok() || (number(obj).is_none() && is_array(obj)) {
        return Ok(Leaf::Array);
    }
    if is_sequence(obj) && depth < 64 {
        for o in obj.try_iter()? {
            if let Leaf::Array = first_leaf(&o?, depth + 1)? {
                return Ok(Leaf::Array);
            }
        }
    }
    Ok(Leaf::Number)
}

fn from_sequence(obj: &Bound<'_, PyAny>, dtype: Option<DType>) -> PyResult<Tensor> {
    if !is_sequence(obj) {
        return Err(PyTypeError::new_err(format!(
            "cannot make a tensor of {}; give a number, a nested list, or an array",
            obj.get_type().name()?
        )));
    }
    if let Leaf::Array = first_leaf(obj, 0)? {
        return stacked(obj, 0);
    }
    let (values, dims) = (Vec::new(), Vec::new());
    let mut flat = Flat { values, dims, own: None, ask: dtype.is_none(), plain: None };
    gather(obj, 0, &mut flat)?;
    let dtype = match (dtype, flat.own, flat.plain.map(wide)) {
        (Some(d), ..) => d,
        (None, Some(a), Some(b)) => promote(a, b)?,
        (None, a, b) => a.or(b).unwrap_or_else(default_float),
    };
    build(&flat.values, flat.dims, dtype)
}

/// Stacks sequences that contain tensors or arrays.
fn stacked(obj: &Bound<'_, PyAny>, depth: usize) -> PyResult<Tensor> {
    if obj.cast::<PyTensor>().is_ok() || !is_sequence(obj) || (number(obj).is_none() && is_array(obj)) {
        return from_data(obj, None, &Device::Cpu);
    }
    if depth > 8 {
        return Err(PyValueError::new_err("nested more than 8 deep"));
    }
    let parts: Vec<Tensor> = obj.try_iter()?.map(|o| stacked(&o?, depth + 1)).collect::<PyResult<_>>()?;
    let Some(first) = parts.first() else {
        return Tensor::zeros(0, default_float(), &Device::Cpu).py();
    };
    let dtype = parts.iter().try_fold(first.dtype(), |d, t| promote(d, t.dtype()))?;
    let parts: Vec<Tensor> = parts
        .iter()
        .map(|t| t.to_dtype(dtype)?.to_device(&Device::Cpu))
        .collect::<rushlight::Result<_>>()
        .py()?;
    Tensor::stack(&parts, 0).py()
}

fn gather(obj: &Bound<'_, PyAny>, depth: usize, out: &mut Flat) -> PyResult<()> {
    let ragged =
        || PyValueError::new_err("the nested sequence is ragged: its rows have different lengths or depths");
    if let Some(n) = number(obj) {
        if depth < out.dims.len() {
            return Err(ragged());
        }
        let n = n?;
        if out.ask {
            match own_dtype(obj)? {
                Some(d) => out.own = Some(out.own.map_or(Ok(d), |o| promote(o, d))?),
                None if out.plain.is_none_or(|p| order(n) > order(p)) => out.plain = Some(n),
                None => {}
            }
        }
        scratch::push(&mut out.values, n).py()?;
        return Ok(());
    }
    if !is_sequence(obj) {
        return Err(PyTypeError::new_err(format!("cannot make a tensor of {}", obj.get_type().name()?)));
    }
    if depth >= 8 {
        return Err(PyValueError::new_err("nested more than 8 deep"));
    }
    let len = obj.len()?;
    match out.dims.get(depth) {
        None if out.values.is_empty() => out.dims.push(len),
        Some(&d) if d == len => {}
        _ => return Err(ragged()),
    }
    for o in obj.try_iter()? {
        gather(&o?, depth + 1, out)?;
    }
    Ok(())
}

fn elements<T: Element>(values: &[Num]) -> PyResult<CpuStorage> {
    let mut v: Vec<T> = scratch::room(values.len()).py()?;
    for n in values {
        v.push(n.to_element()?);
    }
    Ok(CpuStorage::from(v))
}

fn build(values: &[Num], dims: Vec<usize>, dtype: DType) -> PyResult<Tensor> {
    let parts = |n: &Num| match *n {
        Num::Complex(re, im) => (re, im),
        n => (n.to_f64(), 0.0),
    };
    let storage: CpuStorage = match dtype {
        DType::C64 => {
            let v = values.iter().map(parts).map(|(re, im)| Ok(rushlight::C64::new(re as f32, im as f32)));
            CpuStorage::from(scratch::collected(values.len(), v).py()?)
        }
        DType::C128 => {
            let v = values.iter().map(parts).map(|(re, im)| Ok(rushlight::C128::new(re, im)));
            CpuStorage::from(scratch::collected(values.len(), v).py()?)
        }
        _ => each_dtype!(dtype, T => elements::<T>(values))?,
    };
    Tensor::from_cpu_storage(storage, dims, &Device::Cpu).py()
}

/// Returns a tensor's elements as nested lists; as a number for rank 0.
pub fn to_list<'py>(py: Python<'py>, t: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    if t.elem_count() == 0 {
        let rows = t.dims().iter().take_while(|d| **d > 0).try_fold(1usize, |n, d| n.checked_mul(*d));
        countable("tolist", rows.unwrap_or(usize::MAX))?;
    }
    let host = t.to_cpu_storage().py()?;
    // Five words for each number and its slot in a list. PyO3 panics if Python has no memory for them, so
    // this allocates and frees the memory first, which gives an error.
    drop(scratch::room::<[u64; 5]>(host.len()).py()?);
    let mut flat: Vec<Bound<'py, PyAny>> = scratch::room(host.len()).py()?;
    match host.dtype() {
        // The most frequent dtypes need no conversion through `Num`.
        DType::F32 => {
            let v = host.as_slice::<f32>().py()?;
            flat.extend(v.iter().map(|x| PyFloat::new(py, f64::from(*x)).into_any()));
        }
        DType::I64 => {
            let v = host.as_slice::<i64>().py()?;
            flat.extend(v.iter().map(|x| PyInt::new(py, *x).into_any()));
        }
        _ => {
            for i in 0..host.len() {
                flat.push(to_object(py, num_at(&host, i)?)?);
            }
        }
    }
    let mut level = flat;
    let dims = t.dims();
    for d in (0..dims.len()).rev() {
        let rows: usize = dims[..d].iter().product();
        let mut items = level.into_iter();
        level = (0..rows)
            .map(|_| Ok(PyList::new(py, items.by_ref().take(dims[d]).collect::<Vec<_>>())?.into_any()))
            .collect::<PyResult<_>>()?;
    }
    level.into_iter().next().ok_or_else(|| PyValueError::new_err("no elements"))
}
