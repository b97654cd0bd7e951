//! Tensors from nothing, from data, and from other libraries' arrays.
use crate::args::{Arg, Ints, NumArg, Whole};
use crate::convert;
use crate::device::{DeviceArg, or_cpu};
use crate::dlpack;
use crate::dtype::DTypeArg;
use crate::error::{OrPy, of, run};
use crate::promote::Num;
use crate::tensor::{PyTensor, with_grad};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::{DType, Device, Scalar, Shape, Tensor};

fn filled(
    py: Python<'_>,
    value: Scalar,
    shape: Shape,
    device: &Device,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let t = run(py, shape.elem_count(), || Tensor::full_scalar(value, shape.clone(), device))?;
    with_grad(t, requires_grad)
}

macro_rules! constants {
    ($($name:ident $like:ident $value:ident $doc:literal $doc_like:literal;)*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (shape, *more, dtype = None, device = None, requires_grad = false))]
        pub fn $name(
            py: Python<'_>,
            shape: Ints,
            more: &Bound<'_, PyTuple>,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
            requires_grad: bool,
        ) -> PyResult<PyTensor> {
            let dtype = dtype.map_or(DType::F32, |d| d.0);
            filled(py, Scalar::$value(dtype), shape.more(more)?.shape()?, &or_cpu(device), requires_grad)
        }

        #[doc = $doc_like]
        #[pyfunction]
        #[pyo3(signature = (x, /, *, dtype = None, device = None, requires_grad = false))]
        pub fn $like(
            py: Python<'_>,
            x: Arg,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
            requires_grad: bool,
        ) -> PyResult<PyTensor> {
            let dtype = dtype.map_or(x.0.dtype(), |d| d.0);
            let device = device.map_or_else(|| x.0.device().clone(), |d| d.0);
            filled(py, Scalar::$value(dtype), x.0.shape().clone(), &device, requires_grad)
        })*
    };
}

constants! {
    zeros zeros_like zero "Zeros." "Zeros of a tensor's shape, dtype and device.";
    ones ones_like one "Ones." "Ones of a tensor's shape, dtype and device.";
    empty empty_like zero "Elements of unspecified values." "Unspecified values of a tensor's shape, dtype and device.";
}

/// A tensor of one value.
#[pyfunction]
#[pyo3(signature = (shape, fill_value, *, dtype = None, device = None, requires_grad = false))]
pub fn full(
    py: Python<'_>,
    shape: Ints,
    fill_value: NumArg,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let dtype = dtype.map_or_else(|| fill_value.0.default_dtype(), |d| d.0);
    filled(py, fill_value.0.to_scalar(dtype)?, shape.shape()?, &or_cpu(device), requires_grad)
}

/// One value in a tensor's shape, dtype and device.
#[pyfunction]
#[pyo3(signature = (x, /, fill_value, *, dtype = None, device = None, requires_grad = false))]
pub fn full_like(
    py: Python<'_>,
    x: Arg,
    fill_value: NumArg,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let dtype = dtype.map_or(x.0.dtype(), |d| d.0);
    let device = device.map_or_else(|| x.0.device().clone(), |d| d.0);
    filled(py, fill_value.0.to_scalar(dtype)?, x.0.shape().clone(), &device, requires_grad)
}

/// ``start, start + step, ..`` up to ``stop`` (left out).
#[pyfunction]
#[pyo3(signature = (start, /, stop = None, step = NumArg(Num::Int(1)), *, dtype = None, device = None, requires_grad = false))]
#[pyo3(text_signature = "(start, /, stop=None, step=1, *, dtype=None, device=None, requires_grad=False)")]
pub fn arange(
    start: NumArg,
    stop: Option<NumArg>,
    step: NumArg,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let (start, stop) = match stop {
        Some(stop) => (start.0, stop.0),
        None => (Num::Int(0), start.0),
    };
    let step = step.0;
    let integers = [start, stop, step].iter().all(|n| matches!(n, Num::Int(_) | Num::Bool(_)));
    if [start, stop, step].iter().any(|n| matches!(n, Num::Complex(..))) {
        return Err(PyTypeError::new_err("arange takes no complex numbers"));
    }
    if step.to_f64() == 0.0 {
        return Err(PyValueError::new_err("arange: the step is 0"));
    }
    let dtype = dtype.map_or(if integers { DType::I64 } else { DType::F32 }, |d| d.0);
    let device = or_cpu(device);
    // Computed in the widest type and rounded once.
    let wide = if integers { DType::I64 } else { DType::F64 };
    let t =
        Tensor::arange_scalar(start.to_scalar(wide)?, stop.to_scalar(wide)?, step.to_scalar(wide)?, &device);
    with_grad(t.py()?.to_dtype(dtype).py()?, requires_grad)
}

/// ``num`` evenly spaced numbers from ``start`` to ``stop``.
#[pyfunction]
#[pyo3(signature = (start, stop, /, num, *, dtype = None, device = None, endpoint = true, requires_grad = false))]
pub fn linspace(
    start: NumArg,
    stop: NumArg,
    num: Whole,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    endpoint: bool,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    if [start.0, stop.0].iter().any(|n| matches!(n, Num::Complex(..))) {
        return Err(PyTypeError::new_err("linspace takes no complex numbers"));
    }
    let num: usize = num.count("linspace", "num")?;
    let (a, b) = (start.0.to_f64(), stop.0.to_f64());
    let parts = if endpoint { num.saturating_sub(1) } else { num }.max(1) as f64;
    let dtype = dtype.map_or(DType::F32, |d| d.0);
    let count = i64::try_from(num).map_err(|_| {
        PyValueError::new_err(format!("linspace: {num} numbers are more than can be counted"))
    })?;
    let t = Tensor::arange(0i64, count, &or_cpu(device))
        .and_then(|i| {
            let t = i.to_dtype(DType::F64)?.affine((b - a) / parts, a)?;
            if endpoint && num > 1 {
                t.narrow(0, num - 1, 1)?.const_set(b.into())?;
            }
            t.to_dtype(dtype)
        })
        .py()?;
    with_grad(t, requires_grad)
}

/// Ones on a diagonal, zeros elsewhere.
#[pyfunction]
#[pyo3(signature = (n_rows, n_cols = None, /, *, k = 0, dtype = None, device = None, requires_grad = false))]
pub fn eye(
    n_rows: Whole,
    n_cols: Option<Whole>,
    k: i64,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let device = or_cpu(device);
    let n_cols = n_cols.map(|n| n.count::<usize>("eye", "n_cols")).transpose()?;
    let n_rows: usize = n_rows.count("eye", "n_rows")?;
    let cols = n_cols.unwrap_or(n_rows);
    let mask = Tensor::arange(k, k.saturating_add(n_rows as i64), &device)
        .and_then(|i| {
            let j = Tensor::arange(0i64, cols as i64, &device)?.reshape((1, cols))?;
            i.reshape((n_rows, 1))?.broadcast_eq(&j)
        })
        .py()?;
    with_grad(mask.to_dtype(dtype.map_or(DType::F32, |d| d.0)).py()?, requires_grad)
}

/// The lower triangle of the last two dimensions, zeros above diagonal k.
#[pyfunction]
#[pyo3(signature = (x, /, *, k = 0))]
pub fn tril(py: Python<'_>, x: Arg, k: i64) -> PyResult<PyTensor> {
    run(py, x.0.elem_count(), || of("tril", x.0.tril(k))).map(PyTensor::new)
}

/// The upper triangle of the last two dimensions, zeros below diagonal k.
#[pyfunction]
#[pyo3(signature = (x, /, *, k = 0))]
pub fn triu(py: Python<'_>, x: Arg, k: i64) -> PyResult<PyTensor> {
    run(py, x.0.elem_count(), || of("triu", x.0.triu(k))).map(PyTensor::new)
}

/// A tensor of a number, nested lists, or an array; always a copy.
#[pyfunction]
#[pyo3(signature = (data, *, dtype = None, device = None, requires_grad = false))]
pub fn tensor(
    data: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    with_grad(convert::from_data(data, dtype.map(|d| d.0), &or_cpu(device))?, requires_grad)
}

/// A tensor of any data. Shares the memory of tensors and arrays unless ``copy=True`` or a conversion needs a copy; that of
/// an object with ``__cuda_array_interface__``, too, whose ``device`` must be given.
#[pyfunction]
#[pyo3(signature = (obj, /, *, dtype = None, device = None, copy = None))]
pub fn asarray(
    obj: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<PyTensor> {
    let is_tensor = obj.cast::<PyTensor>().is_ok();
    let here = if let Ok(t) = obj.cast::<PyTensor>() {
        let t = t.get().get();
        if copy == Some(true) { t.copy().py()? } else { t }
    } else if dlpack::has_interface(obj) {
        let t = dlpack::from_interface(obj, device.as_ref().map(|d| &d.0))?;
        if copy == Some(true) { t.copy().py()? } else { t }
    } else if crate::args::number(obj).is_none() && convert::is_array(obj) {
        convert::from_array(obj, copy)?
    } else {
        if copy == Some(false) {
            return Err(PyValueError::new_err("asarray: Python data needs a copy, and copy=False"));
        }
        return convert::from_data(obj, dtype.map(|d| d.0), &or_cpu(device)).map(PyTensor::new);
    };
    let out = here.to_dtype(dtype.map_or(here.dtype(), |d| d.0)).py()?;
    let out = match device {
        Some(d) => out.to_device(&d.0).py()?,
        None => out,
    };
    if copy == Some(false) && !out.shares_storage(&here) {
        return Err(PyValueError::new_err("asarray: another dtype or device needs a copy, and copy=False"));
    }
    let _ = is_tensor;
    Ok(PyTensor::new(out))
}

/// A tensor that shares a NumPy array's memory.
#[pyfunction]
#[pyo3(signature = (array, /))]
pub fn from_numpy(array: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
    if !convert::is_array(array) {
        return Err(PyTypeError::new_err(format!(
            "expected a NumPy array, got {}",
            array.get_type().name()?
        )));
    }
    convert::from_array(array, None).map(PyTensor::new)
}

/// A tensor over the memory of any object with ``__dlpack__``.
#[pyfunction]
#[pyo3(signature = (x, /, *, device = None, copy = None))]
pub fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<PyTensor> {
    dlpack::import(x, device.map(|d| d.0).as_ref(), copy).map(PyTensor::new)
}

macro_rules! drawn {
    ($($name:ident $draw:ident ($a:literal, $b:literal) $doc:literal;)*) => {
        $(#[doc = $doc]
        #[pyfunction]
        #[pyo3(signature = (shape, *more, dtype = None, device = None, requires_grad = false))]
        pub fn $name(
            py: Python<'_>,
            shape: Ints,
            more: &Bound<'_, PyTuple>,
            dtype: Option<DTypeArg>,
            device: Option<DeviceArg>,
            requires_grad: bool,
        ) -> PyResult<PyTensor> {
            let (shape, device) = (shape.more(more)?.shape()?, or_cpu(device));
            let dtype = dtype.map_or(DType::F32, |d| d.0);
            let t = run(py, shape.elem_count(), || Tensor::$draw($a, $b, shape, dtype, &device))?;
            with_grad(t, requires_grad)
        })*
    };
}

drawn! {
    rand rand_f64 (0.0, 1.0) "Uniform random numbers in [0, 1).";
    randn randn_f64 (0.0, 1.0) "Standard normal random numbers.";
}

/// Random integers in [low, high), or [0, low) when ``high`` is not given.
#[pyfunction]
#[pyo3(signature = (low, high = None, size = None, *, dtype = None, device = None))]
pub fn randint(
    py: Python<'_>,
    low: Whole,
    high: Option<&Bound<'_, PyAny>>,
    size: Option<Ints>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
) -> PyResult<PyTensor> {
    // randint(high, size) and randint(low, high, size).
    let (lo, hi, size) = match (high, size) {
        (Some(h), Some(s)) => (low.0, h.extract::<Whole>()?.0, s),
        (Some(s), None) => (0, low.0, s.extract()?),
        (None, Some(s)) => (0, low.0, s),
        _ => return Err(PyTypeError::new_err("randint takes (high, size) or (low, high, size)")),
    };
    let (shape, device) = (size.shape()?, or_cpu(device));
    let dtype = dtype.map_or(DType::I64, |d| d.0);
    // Floats are drawn as integers, as in PyTorch.
    let drawn = if dtype.is_float() { DType::I64 } else { dtype };
    run(py, shape.elem_count(), || Tensor::randint(lo, hi, shape, drawn, &device)?.to_dtype(dtype))
        .map(PyTensor::new)
}

/// Ones with the probabilities that a tensor holds, or all with probability ``p`` in its shape; zeros elsewhere.
#[pyfunction]
#[pyo3(signature = (input, p = None))]
pub fn bernoulli(py: Python<'_>, input: Arg, p: Option<f64>) -> PyResult<PyTensor> {
    let x = input.0.detach();
    if let Some(p) = p {
        let (dtype, device) = (x.dtype(), x.device().clone());
        let t = run(py, x.elem_count(), || Tensor::bernoulli(p, x.shape().clone(), dtype, &device));
        return t.map(PyTensor::new);
    }
    if !x.dtype().is_float() {
        return Err(PyTypeError::new_err(format!(
            "bernoulli: probabilities are floating-point, not {}; or give p",
            crate::dtype::name(x.dtype())
        )));
    }
    run(py, x.elem_count(), || {
        // float64 draws have the finest steps, so that small probabilities keep theirs.
        let p = x.to_dtype(DType::F64)?;
        let good = p.ge(0.0)?.mul(&p.le(1.0)?)?;
        if x.elem_count() > 0 && good.min_all()?.to_scalar::<u8>()? == 0 {
            return Err(rushlight::Error::invalid("bernoulli", "a probability is between 0 and 1"));
        }
        let u = Tensor::rand_f64(0.0, 1.0, x.shape().clone(), DType::F64, x.device())?;
        u.lt(&p)?.to_dtype(x.dtype())
    })
    .map(PyTensor::new)
}

/// Seeds the random numbers of every device. Equal seeds give equal numbers on all of them.
#[pyfunction]
#[pyo3(signature = (seed, /))]
pub fn manual_seed(seed: Whole) -> PyResult<()> {
    Device::seed_all(seed.count("manual_seed", "seed")?).py()
}
