//! Converts the arguments of Python calls: tensors, numbers, shapes and axes.
use crate::convert;
use crate::error::OrPy;
use crate::promote::{Num, promote, promote_scalar};
use crate::scalar;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyIndexError, PyMemoryError, PyOverflowError, PyTypeError, PyValueError};
use pyo3::inspect::PyStaticExpr;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyBytes, PyComplex, PyFloat, PyInt, PyList, PySequence, PyTuple};
use pyo3::{type_hint_identifier, type_hint_subscript, type_hint_union};
use rushlight::{DType, Device, Shape, Tensor};

const INT: PyStaticExpr = type_hint_identifier!("builtins", "int");
const SEQ: PyStaticExpr = type_hint_subscript!(type_hint_identifier!("collections.abc", "Sequence"), INT);
const TENSOR: PyStaticExpr = <PyTensor as pyo3::PyTypeInfo>::TYPE_HINT;
const NUMBER: PyStaticExpr = type_hint_identifier!("builtins", "complex");

/// A tensor argument.
#[derive(Clone)]
pub struct Arg(pub Tensor);

impl<'py> FromPyObject<'_, 'py> for Arg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = TENSOR;

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(t) = obj.cast::<PyTensor>() {
            return Ok(Self(t.get().get()));
        }
        if convert::is_array(&obj) {
            return Ok(Self(convert::from_array(&obj, None)?));
        }
        Err(PyTypeError::new_err(format!("expected a Tensor, got {}", obj.get_type().name()?)))
    }
}

/// Returns the value of a Python number or a NumPy scalar; `None` for other objects. A NumPy scalar does not
/// promote a tensor's dtype either.
pub fn number(obj: &Bound<'_, PyAny>) -> Option<PyResult<Num>> {
    if let Ok(b) = obj.cast::<PyBool>() {
        return Some(Ok(Num::Bool(b.is_true())));
    }
    if let Ok(i) = obj.cast::<PyInt>() {
        let exact = i.extract::<i128>().map(Num::Int);
        return Some(exact.or_else(|_| Ok(Num::Huge(huge(i)?))));
    }
    if let Ok(f) = obj.cast::<PyFloat>() {
        return Some(Ok(Num::Float(f.value())));
    }
    if let Ok(c) = obj.cast::<PyComplex>() {
        return Some(Ok(Num::Complex(c.real(), c.imag())));
    }
    if obj.is_instance_of::<PyTensor>() { None } else { numpy_number(obj) }
}

/// Converts a scalar of NumPy or ml_dtypes to a number of its kind (bool, integer, float or complex).
fn numpy_number(obj: &Bound<'_, PyAny>) -> Option<PyResult<Num>> {
    let py = obj.py();
    if !obj.is_instance(numpy_generic(py)?).unwrap_or(false) {
        return None;
    }
    let dtype = obj.getattr(pyo3::intern!(py, "dtype")).ok()?;
    let kind: String = dtype.getattr(pyo3::intern!(py, "kind")).and_then(|k| k.extract()).ok()?;
    let float = || obj.extract::<f64>().map(Num::Float);
    match kind.as_str() {
        "b" => Some(obj.is_truthy().map(Num::Bool)),
        "i" | "u" => Some(obj.extract::<i128>().map(Num::Int)),
        "f" => Some(float()),
        "c" => Some(py.get_type::<PyComplex>().call1((obj,)).and_then(|c| {
            let c = c.cast_into::<PyComplex>()?;
            Ok(Num::Complex(c.real(), c.imag()))
        })),
        "V" => numpy_dtype(&dtype).ok().map(|_| float()),
        _ => None,
    }
}

/// Returns the class `numpy.generic` if NumPy is imported.
fn numpy_generic(py: Python<'_>) -> Option<&Bound<'_, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if CLASS.get(py).is_none() {
        let modules = py.import("sys").and_then(|s| s.getattr("modules")).ok()?;
        let class = modules.get_item("numpy").and_then(|n| n.getattr("generic")).ok()?;
        let _ = CLASS.set(py, class.unbind());
    }
    CLASS.get(py).map(|c| c.bind(py))
}

/// Returns whether an object is a NumPy scalar without a corresponding dtype, such as a date. Such a scalar
/// exports its bytes as a buffer, so it must be rejected before buffers are tried.
pub fn is_other_scalar(obj: &Bound<'_, PyAny>) -> bool {
    !obj.is_instance_of::<PyBytes>()
        && numpy_generic(obj.py()).is_some_and(|c| obj.is_instance(c).unwrap_or(false))
        && own_dtype(obj).is_err()
}

fn numpy_dtype(dtype: &Bound<'_, PyAny>) -> PyResult<DType> {
    let name: String = dtype.getattr("name")?.extract()?;
    DType::from_long_name(&name)
        .ok_or_else(|| PyTypeError::new_err(format!("no dtype of rushlight for NumPy's {name}; give dtype=")))
}

/// Returns the dtype of a NumPy scalar; `None` for a Python number, which has no dtype.
pub fn own_dtype(obj: &Bound<'_, PyAny>) -> PyResult<Option<DType>> {
    let plain = obj.is_exact_instance_of::<PyFloat>()
        || obj.is_exact_instance_of::<PyInt>()
        || obj.is_exact_instance_of::<PyBool>();
    if plain {
        return Ok(None);
    }
    match numpy_generic(obj.py()) {
        Some(class) if obj.is_instance(class)? => numpy_dtype(&obj.getattr("dtype")?).map(Some),
        _ => Ok(None),
    }
}

/// Converts an integer of more than 128 bits to a float; infinity if it exceeds the range of f64.
fn huge(i: &Bound<'_, PyInt>) -> PyResult<f64> {
    i.extract::<f64>().or_else(|_| Ok(if i.lt(0)? { f64::NEG_INFINITY } else { f64::INFINITY }))
}

/// A number argument.
#[derive(Clone, Copy)]
pub struct NumArg(pub Num);

impl<'py> FromPyObject<'_, 'py> for NumArg {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = NUMBER;

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Some(n) = number(&obj) {
            return n.map(Self);
        }
        if let Ok(t) = obj.cast::<PyTensor>() {
            return scalar::item(&t.get().get()).map(Self);
        }
        if convert::is_array(&obj) {
            return scalar::item(&convert::from_array(&obj, None)?).map(Self);
        }
        Err(PyTypeError::new_err(format!("expected a number, got {}", obj.get_type().name()?)))
    }
}

/// One side of an elementwise op: a tensor (or an array that can become one) or a Python number.
#[derive(Clone)]
pub enum Operand {
    /// A tensor.
    Tensor(Tensor),
    /// A number, which has no dtype.
    Num(Num),
}

impl<'py> FromPyObject<'_, 'py> for Operand {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_union!(TENSOR, NUMBER);

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if let Ok(t) = obj.cast::<PyTensor>() {
            return Ok(Self::Tensor(t.get().get()));
        }
        if let Some(n) = number(&obj) {
            return n.map(Self::Num);
        }
        if convert::is_array(&obj) {
            return Ok(Self::Tensor(convert::from_array(&obj, None)?));
        }
        Err(PyTypeError::new_err(format!("expected a Tensor or a number, got {}", obj.get_type().name()?)))
    }
}

impl Operand {
    /// Returns the dtype to which both operands are promoted.
    pub fn common(a: &Self, b: &Self) -> PyResult<DType> {
        match (a, b) {
            (Self::Tensor(a), Self::Tensor(b)) => promote(a.dtype(), b.dtype()),
            (Self::Tensor(t), Self::Num(n)) | (Self::Num(n), Self::Tensor(t)) => {
                Ok(promote_scalar(t.dtype(), *n))
            }
            (Self::Num(_), Self::Num(_)) => {
                Err(PyTypeError::new_err("at least one of the arguments must be a Tensor"))
            }
        }
    }

    /// Returns the device of the first tensor among the operands.
    pub fn device(all: &[&Self]) -> Device {
        all.iter()
            .find_map(|o| match o {
                Self::Tensor(t) => Some(t.device().clone()),
                Self::Num(_) => None,
            })
            .unwrap_or(Device::Cpu)
    }

    /// Converts the operand to a tensor of a dtype; a number becomes a tensor of rank 0.
    pub fn tensor(&self, dtype: DType, device: &Device) -> PyResult<Tensor> {
        match self {
            Self::Tensor(t) => t.to_dtype(dtype).py(),
            Self::Num(n) => Tensor::full_scalar(n.to_scalar(dtype)?, (), device).py(),
        }
    }
}

fn ints(obj: &Bound<'_, PyAny>, what: &str) -> PyResult<Ints> {
    let one = |o: &Bound<'_, PyAny>| -> PyResult<i64> {
        if o.is_instance_of::<PyFloat>() || o.is_instance_of::<PyBool>() {
            return Err(PyTypeError::new_err(format!(
                "{what} must be integers, got {}",
                o.get_type().name()?
            )));
        }
        o.extract::<i64>().map_err(|e| {
            if e.is_instance_of::<pyo3::exceptions::PyOverflowError>(o.py()) {
                PyValueError::new_err(format!("{what}: the integer is too large"))
            } else {
                PyTypeError::new_err(format!("{what} must be integers"))
            }
        })
    };
    let many = || {
        let values = obj.try_iter()?.map(|o| one(&o?)).collect::<PyResult<_>>()?;
        Ok(Ints { values, single: false })
    };
    if obj.cast::<PyTuple>().is_ok() || obj.cast::<PyList>().is_ok() {
        return many();
    }
    one(obj).map(|v| Ints { values: vec![v], single: true }).or_else(|e| {
        let countable = obj.cast::<PySequence>().is_ok() || convert::is_array(obj);
        if countable && obj.len().is_ok() { many() } else { Err(e) }
    })
}

/// Returns `objects`, or a MemoryError if no machine has memory for that many Python objects: a tensor
/// without elements may have any size along its other axes.
pub fn countable(op: &str, objects: usize) -> PyResult<usize> {
    if objects > 1 << 28 {
        return Err(PyMemoryError::new_err(format!("{op}: {objects} objects are too many")));
    }
    Ok(objects)
}

/// A sequence of tensors.
pub struct Arrays(pub Vec<Tensor>);

impl<'py> FromPyObject<'_, 'py> for Arrays {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr =
        type_hint_subscript!(type_hint_identifier!("collections.abc", "Sequence"), TENSOR);

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let many = obj.len().and_then(|n| countable("a sequence of tensors", n));
        let count = many.map_err(|e| {
            if e.is_instance_of::<PyMemoryError>(obj.py()) {
                return e;
            }
            let name = obj.get_type().name().map_or_else(|_| "?".to_string(), |n| n.to_string());
            PyTypeError::new_err(format!("expected a sequence of Tensors, got {name}"))
        })?;
        let mut all = Vec::with_capacity(count);
        for item in obj.try_iter()? {
            all.push(item?.extract::<Arg>()?.0);
        }
        Ok(Self(all))
    }
}

/// An integer or a sequence of integers.
#[derive(Clone)]
pub struct Ints {
    /// The integers.
    pub values: Vec<i64>,
    /// One integer, not in a sequence.
    pub single: bool,
}

impl<'py> FromPyObject<'_, 'py> for Ints {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_union!(INT, SEQ);

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        ints(&obj, "sizes and axes")
    }
}

impl Ints {
    /// Appends the integers of a `*more` parameter.
    pub fn more(mut self, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        if !more.is_empty() {
            if !self.single {
                return Err(PyTypeError::new_err("give one sequence, or integers one by one"));
            }
            self.values.extend(ints(more.as_any(), "sizes and axes")?.values);
            self.single = false;
        }
        Ok(self)
    }

    /// Converts the integers to a shape.
    pub fn shape(&self) -> PyResult<Shape> {
        let dims: Vec<usize> = self
            .values
            .iter()
            .map(|&v| {
                usize::try_from(v)
                    .map_err(|_| PyValueError::new_err(format!("negative dimension {v} in a shape")))
            })
            .collect::<PyResult<_>>()?;
        Ok(dims.into())
    }

    /// Converts the integers to sizes; a negative one is an error that names the parameter `name` of the
    /// function `op`.
    pub fn counts(&self, op: &str, name: &str) -> PyResult<Vec<usize>> {
        self.values.iter().map(|&v| Whole(v.into()).count(op, name)).collect()
    }

    /// Converts the integers to a shape of `elems` elements, in which one dimension may be -1.
    pub fn reshape(&self, elems: usize) -> PyResult<Shape> {
        let holes = self.values.iter().filter(|v| **v == -1).count();
        if holes == 0 {
            return self.shape();
        }
        let rest: Option<usize> = self
            .values
            .iter()
            .filter(|v| **v != -1)
            .try_fold(1usize, |a, &v| usize::try_from(v).ok().and_then(|v| a.checked_mul(v)));
        match rest {
            Some(r) if holes == 1 && r > 0 && elems.is_multiple_of(r) => {
                let dims: Vec<usize> =
                    self.values.iter().map(|&v| usize::try_from(v).unwrap_or(elems / r)).collect();
                Ok(dims.into())
            }
            _ => Err(PyValueError::new_err(format!(
                "cannot reshape {elems} elements to ({}{}){}",
                self.values.iter().map(i64::to_string).collect::<Vec<_>>().join(", "),
                if self.values.len() == 1 { "," } else { "" },
                if holes > 1 { ": only one dimension may be -1" } else { "" }
            ))),
        }
    }

    /// Converts the integers to axes of a tensor of this rank; errors name the function `op`.
    pub fn axes(&self, op: &str, rank: usize) -> PyResult<Vec<usize>> {
        let mut out = Vec::with_capacity(self.values.len());
        for &v in &self.values {
            let a = axis(op, v, rank)?;
            if out.contains(&a) {
                return Err(PyValueError::new_err(format!("{op}: axis {v} is given twice")));
            }
            out.push(a);
        }
        Ok(out)
    }
}

/// Converts one axis, which counts from the end if it is negative; errors name the function `op`.
pub fn axis(op: &str, v: i64, rank: usize) -> PyResult<usize> {
    let a = if v < 0 { v + rank as i64 } else { v };
    if a < 0 || a >= rank as i64 {
        return Err(PyIndexError::new_err(format!(
            "{op}: axis {v} is out of range for a tensor of rank {rank}"
        )));
    }
    Ok(a as usize)
}

/// Returns the argument given under one of two names (`axis` and `dim`); giving both is a TypeError.
pub fn either<T>(a: Option<T>, b: Option<T>, names: (&str, &str)) -> PyResult<Option<T>> {
    match (a, b) {
        (Some(_), Some(_)) => {
            Err(PyTypeError::new_err(format!("{} and {} are one parameter; give one", names.0, names.1)))
        }
        (a, b) => Ok(a.or(b)),
    }
}

/// An argument that may be missing where None is one of its values; the default in the signature is `...`.
pub struct Given<T>(pub Option<T>);

impl<'a, 'py, T: FromPyObject<'a, 'py>> FromPyObject<'a, 'py> for Given<T> {
    type Error = T::Error;
    const INPUT_TYPE: PyStaticExpr = T::INPUT_TYPE;

    fn extract(obj: Borrowed<'a, 'py, PyAny>) -> Result<Self, Self::Error> {
        if obj.is(obj.py().Ellipsis()) { Ok(Self(None)) } else { obj.extract().map(|v| Self(Some(v))) }
    }
}

/// Returns the axis to work along, and the tensor; for None all its elements as a vector.
pub fn line(op: &str, x: &Tensor, at: Option<i64>) -> PyResult<(Tensor, usize)> {
    match at {
        Some(at) => Ok((x.clone(), axis(op, at, x.rank())?)),
        None => Ok((x.reshape(x.elem_count()).py()?, 0)),
    }
}

/// Returns `dim` if it is given, else `axis`, which equals `default` if the caller did not give it. Giving
/// both is a TypeError.
pub fn axis_or_dim<T: PartialEq>(axis: T, default: T, dim: Option<T>) -> PyResult<T> {
    Ok(either(Some(axis).filter(|a| *a != default), dim, ("axis", "dim"))?.unwrap_or(default))
}

/// Returns the axes given by `axis` or `dim`; all axes for None.
pub fn axes_or_all(op: &str, axis: Option<Ints>, dim: Option<Ints>, rank: usize) -> PyResult<Vec<usize>> {
    match either(axis, dim, ("axis", "dim"))? {
        Some(a) => a.axes(op, rank),
        None => Ok((0..rank).collect()),
    }
}

/// Returns the flag given as `keepdims` or `keepdim`; giving both is a TypeError.
pub fn keep(keepdims: Option<Flag>, keepdim: Option<Flag>) -> PyResult<bool> {
    Ok(either(keepdims, keepdim, ("keepdims", "keepdim"))?.is_some_and(|f| f.0))
}

/// A bool argument that rejects integers. `keepdims` follows `axis` in signatures, so an integer here was
/// probably meant as another axis.
#[derive(Clone, Copy)]
pub struct Flag(pub bool);

impl<'py> FromPyObject<'_, 'py> for Flag {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = type_hint_identifier!("builtins", "bool");

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        obj.extract::<bool>().map(Self).or_else(|_| {
            Err(PyTypeError::new_err(format!(
                "keepdims is True or False, not {}; several axes are one tuple, as in axis=(0, 1)",
                obj.repr()?.to_cow()?
            )))
        })
    }
}

/// NumPy's parameter `out`, which `numpy.sum(x)` passes as None.
pub struct NoOut;

impl<'py> FromPyObject<'_, 'py> for NoOut {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = TENSOR;

    fn extract(_: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Err(PyTypeError::new_err("only None is taken; assign the result instead, as in y[...] = x.sum()"))
    }
}

/// An integer argument of any size, for [`Whole::count`] to judge.
#[derive(Clone, Copy)]
pub struct Whole(pub i128);

impl<'py> FromPyObject<'_, 'py> for Whole {
    type Error = PyErr;
    const INPUT_TYPE: PyStaticExpr = INT;

    fn extract(obj: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        match obj.extract::<i128>() {
            Ok(v) => Ok(Self(v)),
            Err(e) if e.is_instance_of::<PyOverflowError>(obj.py()) => {
                Ok(Self(if obj.lt(0)? { i128::MIN } else { i128::MAX }))
            }
            Err(_) => {
                Err(PyTypeError::new_err(format!("expected an integer, got {}", obj.get_type().name()?)))
            }
        }
    }
}

impl Whole {
    /// Converts the integer to an unsigned type; the error names the function and its parameter.
    pub fn count<T: TryFrom<i128>>(self, op: &str, name: &str) -> PyResult<T> {
        T::try_from(self.0).map_err(|_| {
            PyValueError::new_err(if self.0 < 0 {
                format!("{op}: {name} is {}, and may not be negative", Self::text(self.0))
            } else {
                format!("{op}: {name} is {}, which is too large", Self::text(self.0))
            })
        })
    }

    fn text(v: i128) -> String {
        match v {
            i128::MIN => "below -2**127".to_string(),
            i128::MAX => "above 2**127".to_string(),
            v => v.to_string(),
        }
    }
}
