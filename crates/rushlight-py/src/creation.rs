//! Tensors from nothing, from data, and from other libraries' arrays.
use crate::args::{Arg, Ints, NumArg, Whole, either};
use crate::convert;
use crate::device::{DeviceArg, default_device, or_default};
use crate::dlpack;
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::function::{Function, function};
use crate::promote::{Num, default_float};
use crate::protocols::with_grad;
use crate::random::{PyGenerator, drawn};
use crate::tensor::PyTensor;
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

/// A shape given as one sequence or as separate integers.
fn shape_of(
    name: &str,
    shape: Option<Ints>,
    size: Option<Ints>,
    more: Option<Bound<'_, PyTuple>>,
) -> PyResult<Shape> {
    let shape = either(shape, size, ("shape", "size"))?
        .ok_or_else(|| PyTypeError::new_err(format!("{name}() missing 1 required argument: 'shape'")))?;
    match more {
        Some(more) => shape.more(&more)?.shape(),
        None => shape.shape(),
    }
}

/// Defines a Python function that takes a shape and returns a tensor filled with one value.
macro_rules! constant {
    ($name:literal, $value:ident, $doc:literal, $tail:literal => $y:literal) => {
        function!(
            concat!($name, "(shape=None, *more, dtype=None, device=None, requires_grad=False, size=None)");
            $doc;
            (shape, dtype_float32, device, requires_grad, size: "int or sequence of int, optional" "PyTorch's name of ``shape``.") -> "Tensor" "New tensor.";
            (shape, device);
            [concat!(">>> rl.", $name, "((1, 2))", $tail), $y];
            |py, shape: Option<Ints>, more: Option<Bound<'_, PyTuple>>, dtype: Option<DTypeArg>,
             device: Option<DeviceArg>, requires_grad: bool, size: Option<Ints>|
            shape_of($name, shape, size, more).and_then(|shape| {
                let value = Scalar::$value(dtype.map_or_else(default_float, |d| d.0));
                filled(py, value, shape, &or_default(device), requires_grad)
            })
        )
    };
}

/// Defines the same for the shape, dtype and device of a given tensor.
macro_rules! constant_like {
    ($name:literal, $value:ident, $doc:literal, $tail:literal => $y:literal) => {
        function!(
            concat!($name, "(x, /, *, dtype=None, device=None, requires_grad=False)");
            $doc;
            (x, dtype_as_x, device_as_x, requires_grad) -> "Tensor" "New tensor in the shape of ``x``.";
            (dtype, device);
            [concat!(">>> rl.", $name, "(rl.tensor([5, 6]))", $tail), $y];
            |py, x: Arg, dtype: Option<DTypeArg>, device: Option<DeviceArg>, requires_grad: bool| {
                let value = Scalar::$value(dtype.map_or(x.0.dtype(), |d| d.0));
                let device = device.map_or_else(|| x.0.device().clone(), |d| d.0);
                filled(py, value, x.0.shape().clone(), &device, requires_grad)
            }
        )
    };
}

pub fn full(
    py: Python<'_>,
    shape: Ints,
    fill_value: NumArg,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let dtype = dtype.map_or_else(|| fill_value.0.default_dtype(), |d| d.0);
    filled(py, fill_value.0.to_scalar(dtype)?, shape.shape()?, &or_default(device), requires_grad)
}

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
    let dtype = dtype.map_or(if integers { DType::I64 } else { default_float() }, |d| d.0);
    let device = or_default(device);
    // Computed in the widest type and rounded once.
    let wide = if integers { DType::I64 } else { DType::F64 };
    let t =
        Tensor::arange_scalar(start.to_scalar(wide)?, stop.to_scalar(wide)?, step.to_scalar(wide)?, &device);
    with_grad(t.py()?.to_dtype(dtype).py()?, requires_grad)
}

pub fn linspace(
    start: NumArg,
    stop: NumArg,
    num: Option<Whole>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    endpoint: bool,
    requires_grad: bool,
    steps: Option<Whole>,
) -> PyResult<PyTensor> {
    let num = either(num, steps, ("num", "steps"))?
        .ok_or_else(|| PyTypeError::new_err("linspace() misses the argument 'num'"))?;
    let num: usize = num.count("linspace", "num")?;
    let complex = [start.0, stop.0].iter().any(|n| matches!(n, Num::Complex(..)));
    let real = |n: Num| if let Num::Complex(re, _) = n { re } else { n.to_f64() };
    let imag = |n: Num| if let Num::Complex(_, im) = n { im } else { 0.0 };
    let intervals = if endpoint { num.saturating_sub(1) } else { num }.max(1) as f64;
    let dtype = dtype.map_or_else(
        || if complex { Num::Complex(0.0, 0.0).default_dtype() } else { default_float() },
        |d| d.0,
    );
    if complex && !dtype.is_complex() {
        let name = crate::dtype::name(dtype);
        return Err(PyTypeError::new_err(format!("linspace: complex ends need a complex dtype, not {name}")));
    }
    let count = i64::try_from(num).map_err(|_| {
        PyValueError::new_err(format!("linspace: {num} numbers are more than can be counted"))
    })?;
    let t = Tensor::arange(0i64, count, &or_default(device))
        .and_then(|i| {
            let i = i.to_dtype(DType::F64)?;
            // The numbers from a to b: the real parts, or the imaginary ones.
            let between = |a: f64, b: f64| -> rushlight::Result<Tensor> {
                let t = i.affine((b - a) / intervals, a)?;
                if endpoint && num > 1 {
                    // Exactly, without the rounding of the step.
                    t.narrow(0, num - 1, 1)?.const_set(b.into())?;
                }
                Ok(t)
            };
            let mut t = between(real(start.0), real(stop.0))?;
            if complex {
                t = t.complex(&between(imag(start.0), imag(stop.0))?)?;
            }
            t.to_dtype(dtype)
        })
        .py()?;
    with_grad(t, requires_grad)
}

pub fn eye(
    n_rows: Whole,
    n_cols: Option<Whole>,
    k: Whole,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    let device = or_default(device);
    let n_cols = n_cols.map(|n| n.count::<usize>("eye", "n_cols")).transpose()?;
    let n_rows: usize = n_rows.count("eye", "n_rows")?;
    let cols = n_cols.unwrap_or(n_rows);
    // Further diagonals have no element either.
    let k = k.0.clamp(-(n_rows as i128), cols as i128) as i64;
    let mask = Tensor::arange(k, k.saturating_add(n_rows as i64), &device)
        .and_then(|i| {
            let j = Tensor::arange(0i64, cols as i64, &device)?.reshape((1, cols))?;
            i.reshape((n_rows, 1))?.broadcast_eq(&j)
        })
        .py()?;
    with_grad(mask.to_dtype(dtype.map_or_else(default_float, |d| d.0)).py()?, requires_grad)
}

pub fn tensor(
    data: &Bound<'_, PyAny>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    requires_grad: bool,
) -> PyResult<PyTensor> {
    with_grad(convert::from_data(data, dtype.map(|d| d.0), &or_default(device))?, requires_grad)
}

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
        let t = convert::from_array(obj, copy)?;
        match device {
            Some(_) => t,
            None => t.to_device(&default_device()).py()?,
        }
    } else {
        if copy == Some(false) {
            return Err(PyValueError::new_err("asarray: Python data needs a copy, and copy=False"));
        }
        return convert::from_data(obj, dtype.map(|d| d.0), &or_default(device)).map(PyTensor::new);
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

pub fn from_numpy(array: &Bound<'_, PyAny>) -> PyResult<PyTensor> {
    if !convert::is_array(array) {
        return Err(PyTypeError::new_err(format!(
            "expected a NumPy array, got {}",
            array.get_type().name()?
        )));
    }
    convert::from_array(array, None).map(PyTensor::new)
}

pub fn from_dlpack(
    x: &Bound<'_, PyAny>,
    device: Option<DeviceArg>,
    copy: Option<bool>,
) -> PyResult<PyTensor> {
    dlpack::import(x, device.map(|d| d.0).as_ref(), copy).map(PyTensor::new)
}

pub fn frombuffer(buffer: &Bound<'_, PyAny>, dtype: DTypeArg) -> PyResult<PyTensor> {
    crate::buffer::reinterpreted(buffer, dtype.0).map(PyTensor::new)
}

/// Defines a Python function that takes a shape and draws random numbers.
macro_rules! random {
    ($name:literal, $draw:ident, $doc:literal) => {
        function!(
            concat!($name, "(shape=None, *more, dtype=None, device=None, requires_grad=False, generator=None, size=None)");
            $doc;
            (shape, dtype_float32, device, requires_grad, generator, size: "int or sequence of int, optional" "PyTorch's name of ``shape``.") -> "Tensor" "New tensor.";
            (shape, device);
            [concat!(">>> rl.", $name, "(2, 3).shape"), "(2, 3)"];
            |py, shape: Option<Ints>, more: Option<Bound<'_, PyTuple>>, dtype: Option<DTypeArg>,
             device: Option<DeviceArg>, requires_grad: bool, generator: Option<PyRef<'_, PyGenerator>>,
             size: Option<Ints>|
            shape_of($name, shape, size, more).and_then(|shape| {
                let (dtype, device) = (dtype.map_or_else(default_float, |d| d.0), or_default(device));
                let draw = || {
                    if !dtype.is_complex() {
                        return Tensor::$draw(0.0, 1.0, shape.clone(), dtype, &device);
                    }
                    // The parts of normal numbers have half of the variance each, as in PyTorch.
                    let scale = if $name == "randn" { std::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
                    let last = shape.rank();
                    let parts = Tensor::$draw(0.0, 1.0, shape.clone().extend(&[2]), dtype.real_part(), &device)?;
                    let part = |i| parts.narrow(last, i, 1)?.squeeze(last)?.affine(scale, 0.0);
                    part(0)?.complex(&part(1)?)
                };
                let t = drawn(generator, || run(py, shape.elem_count(), draw))?;
                with_grad(t, requires_grad)
            })
        )
    };
}

pub fn randint(
    py: Python<'_>,
    low: Whole,
    high: Option<&Bound<'_, PyAny>>,
    size: Option<Ints>,
    dtype: Option<DTypeArg>,
    device: Option<DeviceArg>,
    generator: Option<PyRef<'_, PyGenerator>>,
) -> PyResult<PyTensor> {
    // randint(high, size) and randint(low, high, size).
    let (lo, hi, size) = match (high, size) {
        (Some(h), Some(s)) => (low.0, h.extract::<Whole>()?.0, s),
        (Some(s), None) => (0, low.0, s.extract()?),
        (None, Some(s)) => (0, low.0, s),
        _ => return Err(PyTypeError::new_err("randint takes (high, size) or (low, high, size)")),
    };
    let (shape, device) = (size.shape()?, or_default(device));
    let dtype = dtype.map_or(DType::I64, |d| d.0);
    // For a float dtype integers are drawn and converted, as in PyTorch.
    let integer = if dtype.is_float() { DType::I64 } else { dtype };
    drawn(generator, || {
        run(py, shape.elem_count(), || Tensor::randint(lo, hi, shape, integer, &device)?.to_dtype(dtype))
    })
    .map(PyTensor::new)
}

pub fn bernoulli(
    py: Python<'_>,
    input: Arg,
    p: Option<f64>,
    generator: Option<PyRef<'_, PyGenerator>>,
) -> PyResult<PyTensor> {
    let x = input.0.detach();
    if let Some(p) = p {
        let (dtype, device) = (x.dtype(), x.device().clone());
        let draw = || Tensor::bernoulli(p, x.shape().clone(), dtype, &device);
        return drawn(generator, || run(py, x.elem_count(), draw)).map(PyTensor::new);
    }
    if !x.dtype().is_float() {
        return Err(PyTypeError::new_err(format!(
            "bernoulli: probabilities are floating-point, not {}; or give p",
            crate::dtype::name(x.dtype())
        )));
    }
    let draw = || {
        // Draws are made in float64, whose steps are fine enough for small probabilities.
        let p = x.to_dtype(DType::F64)?;
        let good = p.ge(0.0)?.mul(&p.le(1.0)?)?;
        if x.elem_count() > 0 && good.min_all()?.to_scalar::<u8>()? == 0 {
            return Err(rushlight::Error::invalid("bernoulli", "a probability is between 0 and 1"));
        }
        let u = Tensor::rand_f64(0.0, 1.0, x.shape().clone(), DType::F64, x.device())?;
        u.lt(&p)?.to_dtype(x.dtype())
    };
    drawn(generator, || run(py, x.elem_count(), draw)).map(PyTensor::new)
}

pub fn manual_seed(seed: Whole) -> PyResult<()> {
    Device::seed_all(seed.count("manual_seed", "seed")?).py()
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        constant!(
            "zeros", zero, "Returns a tensor of zeros.",
            "" => "tensor([[0., 0.]], dtype=float32, device='cpu')"
        ),
        constant!(
            "ones", one, "Returns a tensor of ones.",
            "" => "tensor([[1., 1.]], dtype=float32, device='cpu')"
        ),
        constant!("empty", zero, "Returns a tensor of unspecified values.", ".shape" => "(1, 2)"),
        constant_like!(
            "zeros_like", zero, "Returns zeros in the shape, dtype and device of a tensor.",
            "" => "tensor([0, 0], dtype=int64, device='cpu')"
        ),
        constant_like!(
            "ones_like", one, "Returns ones in the shape, dtype and device of a tensor.",
            "" => "tensor([1, 1], dtype=int64, device='cpu')"
        ),
        constant_like!(
            "empty_like", zero, "Returns unspecified values in the shape, dtype and device of a tensor.",
            ".shape" => "(2,)"
        ),
        random!("rand", rand_f64, "Draws random numbers, uniformly from [0, 1)."),
        random!("randn", randn_f64, "Draws random numbers from the standard normal distribution."),
        function!(
            "full(shape, fill_value, *, dtype=None, device=None, requires_grad=False)";
            "Returns a tensor with every element set to one value.";
            (shape: "int or sequence of int" "Shape of the result.", fill_value: "number" "Value of every element.", dtype: "DType or str, optional" "Dtype of the result; by default int64, float32, complex64 or bool, by the kind of ``fill_value``.", device, requires_grad) -> "Tensor" "New tensor.";
            (shape, OverflowError: "If the value does not fit the dtype.");
            [">>> rl.full((2, 2), 7)", "tensor([[7, 7],", "        [7, 7]], dtype=int64, device='cpu')"];
            |py, shape: Ints, fill_value: NumArg, dtype: Option<DTypeArg>, device: Option<DeviceArg>,
             requires_grad: bool|
            full(py, shape, fill_value, dtype, device, requires_grad)
        ),
        function!(
            "full_like(x, /, fill_value, *, dtype=None, device=None, requires_grad=False)";
            "Returns one value in the shape, dtype and device of a tensor.";
            (x, fill_value: "number" "Value of every element.", dtype_as_x, device_as_x, requires_grad) -> "Tensor" "New tensor in the shape of ``x``.";
            (dtype, OverflowError: "If the value does not fit the dtype.");
            [">>> rl.full_like(rl.tensor([1.0, 2.0]), 7)", "tensor([7., 7.], dtype=float32, device='cpu')"];
            |py, x: Arg, fill_value: NumArg, dtype: Option<DTypeArg>, device: Option<DeviceArg>, requires_grad: bool|
            full_like(py, x, fill_value, dtype, device, requires_grad)
        ),
        function!(
            "arange(start, /, stop=None, step=1, *, dtype=None, device=None, requires_grad=False)";
            "Returns numbers at equal steps, from ``start`` up to ``stop`` (excluded).";
            (start: "number" "First number; with one argument it is ``stop``, and the first number is 0.", stop: "number, optional" "End, which is excluded.", step: "number, default 1" "Distance between two numbers; not 0.", dtype: "DType or str, optional" "Dtype of the result; int64 if all arguments are integers, else float32.", device, requires_grad) -> "Tensor" "Vector of ``ceil((stop - start) / step)`` numbers.";
            (ValueError: "If ``step`` is 0.", TypeError: "If an argument is complex.");
            [
                ">>> rl.arange(5)",
                "tensor([0, 1, 2, 3, 4], dtype=int64, device='cpu')",
                ">>> rl.arange(1, 10, 3)",
                "tensor([1, 4, 7], dtype=int64, device='cpu')",
            ];
            |py, start: NumArg, stop: Option<NumArg>, step: NumArg, dtype: Option<DTypeArg>,
             device: Option<DeviceArg>, requires_grad: bool|
            arange(start, stop, step, dtype, device, requires_grad)
        ),
        function!(
            "linspace(start, stop, /, num=None, *, dtype=None, device=None, endpoint=True, requires_grad=False, steps=None)";
            "Returns evenly spaced numbers over an interval.";
            (start: "number" "First number, real or complex.", stop: "number" "End of the interval.", num: "int" "How many numbers. ``steps`` is PyTorch's name.", dtype: "DType or str, optional" "Dtype of the result; float32 or, for a complex end, complex64 if it is not given.", device, endpoint: "bool, default True" "Whether ``stop`` is the last number.", requires_grad) -> "Tensor" "Vector of ``num`` numbers.";
            (ValueError: "If ``num`` is negative.", TypeError: "If an end is complex and the dtype is not.");
            [
                ">>> rl.linspace(0, 1, 5)",
                "tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000], dtype=float32, device='cpu')",
            ];
            |py, start: NumArg, stop: NumArg, num: Option<Whole>, dtype: Option<DTypeArg>,
             device: Option<DeviceArg>, endpoint: bool, requires_grad: bool, steps: Option<Whole>|
            linspace(start, stop, num, dtype, device, endpoint, requires_grad, steps)
        ),
        function!(
            "eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None, requires_grad=False)";
            "Returns a matrix with ones on a diagonal and zeros elsewhere.";
            (n_rows: "int" "Number of rows.", n_cols: "int, optional" "Number of columns; as many as rows by default.", k: "int, default 0" "Diagonal: 0 is the main one, positive ones lie above it.", dtype_float32, device, requires_grad) -> "Tensor" "Matrix of shape (n_rows, n_cols).";
            (ValueError: "If a number of rows or columns is negative.");
            [">>> rl.eye(2, 3)", "tensor([[1., 0., 0.],", "        [0., 1., 0.]], dtype=float32, device='cpu')"];
            |py, n_rows: Whole, n_cols: Option<Whole>, k: Whole, dtype: Option<DTypeArg>, device: Option<DeviceArg>,
             requires_grad: bool|
            eye(n_rows, n_cols, k, dtype, device, requires_grad)
        ),
        function!(
            "tensor(data, *, dtype=None, device=None, requires_grad=False)";
            "Copies data into a new tensor.";
            (data: "number, nested sequence, array or Tensor" "Elements. All rows of nested sequences have one length.", dtype: "DType or str, optional" "Dtype of the result. By default that of an array; Python integers give int64, floats float32, complex numbers complex64.", device, requires_grad) -> "Tensor" "New tensor, which shares no memory with ``data``.";
            (ValueError: "If the rows of nested sequences have different lengths.", TypeError: "If an element is not a number.");
            [
                ">>> rl.tensor([[1, 2], [3, 4]])",
                "tensor([[1, 2],",
                "        [3, 4]], dtype=int64, device='cpu')",
                ">>> rl.tensor([1.0, 2.0], dtype=rl.float64)",
                "tensor([1., 2.], dtype=float64, device='cpu')",
            ];
            |py, data: Bound<'_, PyAny>, dtype: Option<DTypeArg>, device: Option<DeviceArg>, requires_grad: bool|
            tensor(&data, dtype, device, requires_grad)
        ),
        function!(
            "asarray(obj, /, *, dtype=None, device=None, copy=None)";
            "Converts data to a tensor, and shares its memory where that is possible.\n\nMemory of tensors, of NumPy arrays and of objects with ``__dlpack__`` or ``__cuda_array_interface__`` is shared. For the\nlast kind ``device`` must be given. Python numbers and sequences are copied.";
            (obj: "number, nested sequence, array or Tensor" "Data to convert.", dtype: "DType or str, optional" "Dtype of the result; that of ``obj`` by default.", device: "Device or str, optional" "Device of the result. By default that of a tensor or of an object with ``__dlpack__``, else the default device.", copy: "bool, optional" "True copies always; False raises an error where a copy is needed.") -> "Tensor" "Tensor of the data.";
            (ValueError: "If ``copy=False`` and a copy is needed.");
            [
                ">>> import numpy as np",
                ">>> a = np.array([1.0, 2.0])",
                ">>> t = rl.asarray(a)",
                ">>> a[0] = 5.0",
                ">>> t",
                "tensor([5., 2.], dtype=float64, device='cpu')",
            ];
            |py, obj: Bound<'_, PyAny>, dtype: Option<DTypeArg>, device: Option<DeviceArg>, copy: Option<bool>|
            asarray(&obj, dtype, device, copy)
        ),
        function!(
            "from_numpy(array, /)";
            "Wraps a NumPy array in a tensor that shares its memory.";
            (array: "numpy.ndarray" "Array of a dtype that rushlight has.") -> "Tensor" "Tensor over the array's memory.";
            (TypeError: "If the argument is not a NumPy array, or its dtype is not supported.");
            [
                ">>> import numpy as np",
                ">>> rl.from_numpy(np.array([1, 2]))",
                "tensor([1, 2], dtype=int64, device='cpu')",
            ];
            |py, array: Bound<'_, PyAny>| from_numpy(&array)
        ),
        function!(
            "from_dlpack(x, /, *, device=None, copy=None)";
            "Wraps the memory of any object with ``__dlpack__`` in a tensor.";
            (x: "object" "Array of any library that supports DLPack.", device: "Device or str, optional" "Device of the result; the device of ``x`` by default.", copy: "bool, optional" "True copies always; False raises an error where a copy is needed.") -> "Tensor" "Tensor over the memory of ``x``.";
            (BufferError: "If the memory cannot be shared or ``copy=False`` and a copy is needed.", TypeError: "If ``x`` has no ``__dlpack__``.");
            [
                ">>> import numpy as np",
                ">>> rl.from_dlpack(np.array([1.0, 2.0], dtype=np.float32))",
                "tensor([1., 2.], dtype=float32, device='cpu')",
            ];
            |py, x: Bound<'_, PyAny>, device: Option<DeviceArg>, copy: Option<bool>| from_dlpack(&x, device, copy)
        ),
        function!(
            "frombuffer(buffer, dtype)";
            "Returns a vector over the bytes of an object with a buffer.\n\nThe memory is shared if it is contiguous and aligned to the \
             dtype, and copied otherwise. Changing a tensor over read-only memory (bytes) copies it first.";
            (
                buffer: "bytes, bytearray, memoryview or array" "Object to read.",
                dtype: "DType or str" "Dtype of the elements."
            ) -> "Tensor" "Vector of the elements.";
            (ValueError: "If the number of bytes is not a multiple of the size of an element.");
            [">>> rl.frombuffer(bytes([1, 2, 3]), rl.uint8)", "tensor([1, 2, 3], dtype=uint8, device='cpu')"];
            |py, buffer: Bound<'_, PyAny>, dtype: DTypeArg| frombuffer(&buffer, dtype)
        ),
        function!(
            "randint(low, high=None, size=None, *, dtype=None, device=None, generator=None)";
            "Draws random integers from ``low`` up to ``high`` (excluded), each equally likely.\n\n``randint(high, size)`` draws from 0.";
            (low: "int" "Smallest integer; with two arguments it is ``high``, and the smallest integer is 0.", high: "int, optional" "End, which is excluded.", size: "int or sequence of int" "Shape of the result.", dtype: "DType or str, default int64" "Dtype of the result.", device, generator) -> "Tensor" "New tensor in shape ``size``.";
            (ValueError: "If there is no integer between ``low`` and ``high``.", TypeError: "If ``size`` is missing.");
            [">>> rl.randint(0, 10, (2, 3)).shape", "(2, 3)"];
            |py, low: Whole, high: Option<Bound<'_, PyAny>>, size: Option<Ints>, dtype: Option<DTypeArg>,
             device: Option<DeviceArg>, generator: Option<PyRef<'_, PyGenerator>>|
            randint(py, low, high.as_ref(), size, dtype, device, generator)
        ),
        function!(
            "bernoulli(input, p=None, *, generator=None)";
            "Draws ones with given probabilities, and zeros otherwise.";
            (input: "Tensor" "Probabilities, of a floating-point dtype. With ``p`` it only gives shape, dtype and device.", p: "float, optional" "One probability for all elements.", generator) -> "Tensor" "Zeros and ones in the shape and dtype of ``input``.";
            (ValueError: "If a probability is not between 0 and 1.", TypeError: "If ``p`` is missing and ``input`` is not floating-point.");
            [">>> rl.bernoulli(rl.tensor([0.0, 1.0]))", "tensor([0., 1.], dtype=float32, device='cpu')"];
            |py, input: Arg, p: Option<f64>, generator: Option<PyRef<'_, PyGenerator>>| bernoulli(py, input, p, generator)
        ),
        function!(
            "manual_seed(seed, /)";
            "Seeds the random numbers of every device; equal seeds give equal numbers on all of them.";
            (seed: "int" "Seed, from 0 to 2**64 - 1.");
            (ValueError: "If the seed is negative or too large.");
            [
                ">>> rl.manual_seed(0)",
                ">>> a = rl.rand(3)",
                ">>> rl.manual_seed(0)",
                ">>> (a == rl.rand(3)).tolist()",
                "[True, True, True]",
            ];
            |py, seed: Whole| manual_seed(seed).map(|()| py.None())
        ),
    ]
}
