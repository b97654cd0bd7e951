//! `x[key]` and `x[key] = value`, as NumPy: integers, slices, None, ..., masks and integer tensors.
use crate::args::{Operand, number};
use crate::convert;
use crate::error::{OrPy, run};
use crate::promote::Num;
use crate::protocols::alone;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PySlice, PyTuple};
use rushlight::cpu::scratch;
use rushlight::error::called;
use rushlight::ops::index_select::IndexSelect;
use rushlight::ops::{IndexMode, Op};
use rushlight::{DType, Device, Shape, Tensor};

/// One entry of a key.
enum Item {
    Int(i64),
    Slice {
        start: usize,
        len: usize,
        step: i64,
    },
    NewAxis,
    /// A `...` that stands for no dimensions, and yet separates the index arrays on both sides of it.
    Gap,
    /// An index array for one dimension, and its mode (`None`: all indices are known to be valid). The op
    /// that reads the indices checks them, so that no index is copied from a GPU to the host.
    Ids(Tensor, Option<IndexMode>),
    /// A mask of rank 0: the index array of a new dimension of size 1.
    Truth(Tensor),
}

/// The rest of a key after basic indexing: a view, dimensions to reverse, and index arrays on dimensions of the view.
struct Parsed {
    view: Tensor,
    flips: Vec<usize>,
    ids: Vec<(usize, Tensor, Option<IndexMode>)>,
    /// The indexed dimensions stand side by side in the key.
    adjacent: bool,
}

/// An entry of a key before it is applied to the tensor.
enum Raw<'py> {
    Object(Bound<'py, PyAny>),
    Array(Tensor),
}

fn raw<'py>(o: Bound<'py, PyAny>) -> PyResult<Raw<'py>> {
    if o.is_none() || o.is_instance_of::<PyEllipsis>() || o.is_instance_of::<PySlice>() {
        return Ok(Raw::Object(o));
    }
    match number(&o).transpose()? {
        None => {}
        // NumPy's bools are masks too.
        Some(Num::Bool(b)) => return Ok(Raw::Object(PyBool::new(o.py(), b).to_owned().into_any())),
        Some(Num::Int(_) | Num::Huge(_)) => return Ok(Raw::Object(o)),
        Some(_) => return Err(no_index(&o)?),
    }
    if let Ok(t) = o.cast::<PyTensor>() {
        return Ok(Raw::Array(t.get().get()));
    }
    if convert::is_array(&o) {
        return Ok(Raw::Array(convert::from_array(&o, None)?));
    }
    if o.is_instance_of::<PyList>() || o.is_instance_of::<PyTuple>() {
        let t = convert::from_data(&o, None, &Device::Cpu)?;
        // An empty list is an index array of no entries.
        return Ok(Raw::Array(if t.elem_count() == 0 { t.to_dtype(DType::I64).py()? } else { t }));
    }
    if let Ok(i) = o.call_method0("__index__") {
        return Ok(Raw::Object(i));
    }
    Err(no_index(&o)?)
}

fn no_index(o: &Bound<'_, PyAny>) -> PyResult<PyErr> {
    Ok(PyIndexError::new_err(format!(
        "{} is not an index; use integers, slices, None, ..., bool masks or integer tensors",
        o.get_type().name()?
    )))
}

impl Raw<'_> {
    /// Returns the number of dimensions of the tensor that the entry uses up.
    fn uses(&self) -> usize {
        match self {
            Self::Array(t) if t.dtype() == DType::Bool => t.rank(),
            Self::Array(_) => 1,
            Self::Object(o)
                if o.is_none() || o.is_instance_of::<PyEllipsis>() || o.is_instance_of::<PyBool>() =>
            {
                0
            }
            Self::Object(_) => 1,
        }
    }
}

/// Returns the indices of a mask's true elements, as one vector for each dimension.
pub fn nonzero(mask: &Tensor) -> PyResult<Vec<Tensor>> {
    let host = mask.to_dtype(DType::Bool).py()?.to_cpu_storage().py()?;
    let flat = host.as_slice::<bool>().py()?;
    let count = flat.iter().filter(|b| **b).count();
    let mut columns: Vec<Vec<i64>> =
        mask.dims().iter().map(|_| scratch::room(count)).collect::<rushlight::Result<_>>().py()?;
    for (i, _) in flat.iter().enumerate().filter(|(_, b)| **b) {
        let mut rest = i;
        for (column, d) in columns.iter_mut().zip(mask.dims()).rev() {
            column.push((rest % d) as i64);
            rest /= d;
        }
    }
    columns
        .into_iter()
        .map(|c| {
            let n = c.len();
            Tensor::from_vec(c, n, mask.device()).py()
        })
        .collect()
}

/// Moves an index array to the tensor's device. An array that is copied to a GPU is checked on the host
/// first.
fn array(ids: &Tensor, size: usize, device: &Device) -> PyResult<Item> {
    if !ids.dtype().is_int() {
        return Err(PyIndexError::new_err(format!(
            "index arrays must be integers or bool, not {}",
            crate::dtype::name(ids.dtype())
        )));
    }
    let (ids, rule) = IndexMode::of(ids, "index arrays must be integers or bool").py()?;
    if ids.device().is_cpu() && !device.is_cpu() {
        let all = Tensor::zeros((size, 0), DType::U8, ids.device()).py()?;
        pick(&all, &ids.flatten_all().py()?, 0, rule).py()?;
    }
    Ok(Item::Ids(ids.to_device(device).py()?, Some(rule)))
}

/// Selects entries of a dimension.
fn pick(x: &Tensor, ids: &Tensor, dim: usize, rule: IndexMode) -> rushlight::Result<Tensor> {
    called("index", || Tensor::run(Op::IndexSelect(IndexSelect { dim, rule }), &[x, ids]))
}

fn parse(x: &Tensor, key: &Bound<'_, PyAny>) -> PyResult<Parsed> {
    let entries: Vec<Raw<'_>> = match key.cast::<PyTuple>() {
        Ok(t) => t.iter().map(raw).collect::<PyResult<_>>()?,
        Err(_) => vec![raw(key.clone())?],
    };
    let is_dots = |r: &Raw<'_>| matches!(r, Raw::Object(o) if o.is_instance_of::<PyEllipsis>());
    if entries.iter().filter(|r| is_dots(r)).count() > 1 {
        return Err(PyIndexError::new_err("an index has at most one ..."));
    }
    let used: usize = entries.iter().map(Raw::uses).sum();
    let fill = x.rank().checked_sub(used).ok_or_else(|| {
        PyIndexError::new_err(format!("{used} indices for a tensor of {} dimensions", x.rank()))
    })?;
    let arrays = entries
        .iter()
        .any(|r| matches!(r, Raw::Array(_)) || matches!(r, Raw::Object(o) if o.is_instance_of::<PyBool>()));
    let mut items: Vec<Item> = Vec::new();
    let mut dim = 0;
    let whole = |d: usize| Item::Slice { start: 0, len: x.dims()[d], step: 1 };
    for r in &entries {
        match r {
            Raw::Array(t) if t.dtype() == DType::Bool && t.rank() > 0 => {
                for (k, ids) in nonzero(t)?.into_iter().enumerate() {
                    // The array API allows masks without elements, which choose nothing.
                    if ![x.dims()[dim + k], 0].contains(&t.dims()[k]) {
                        return Err(PyIndexError::new_err(format!(
                            "the mask has shape {:?}, the dimensions it is for {:?}",
                            t.shape(),
                            Shape::from(&x.dims()[dim..dim + t.rank()])
                        )));
                    }
                    items.push(Item::Ids(ids.to_device(x.device()).py()?, None));
                }
                dim += t.rank();
            }
            Raw::Array(t) if t.dtype() == DType::Bool => {
                let b = t.to_scalar::<bool>().py()?;
                items.push(truth(b, x.device())?);
            }
            Raw::Array(t) => {
                items.push(array(t, x.dims()[dim], x.device())?);
                dim += 1;
            }
            Raw::Object(o) => {
                if o.is_none() {
                    items.push(Item::NewAxis);
                } else if o.is_instance_of::<PyEllipsis>() {
                    if fill == 0 {
                        items.push(Item::Gap);
                    }
                    for _ in 0..fill {
                        items.push(whole(dim));
                        dim += 1;
                    }
                } else if let Ok(b) = o.cast::<PyBool>() {
                    items.push(truth(b.is_true(), x.device())?);
                } else if let Ok(s) = o.cast::<PySlice>() {
                    let i = s.indices(x.dims()[dim] as isize)?;
                    let start = if i.slicelength == 0 { 0 } else { i.start as usize };
                    items.push(Item::Slice { start, len: i.slicelength, step: i.step as i64 });
                    dim += 1;
                } else {
                    let i = o.extract::<i64>().map_err(|_| {
                        PyIndexError::new_err("an index must be an integer that fits 64 bits")
                    })?;
                    let n = x.dims()[dim] as i64;
                    let at = if i < 0 { i + n } else { i };
                    if !(0..n).contains(&at) {
                        return Err(PyIndexError::new_err(format!(
                            "index {i} is out of range for dimension {dim} of size {n}"
                        )));
                    }
                    items.push(if arrays {
                        Item::Ids(Tensor::full(at, (), x.device()).py()?, None)
                    } else {
                        Item::Int(at)
                    });
                    dim += 1;
                }
            }
        }
    }
    while dim < x.rank() {
        items.push(whole(dim));
        dim += 1;
    }
    apply(x, items)
}

/// Returns the index array of a mask of rank 0: one entry of a new dimension, or none.
fn truth(b: bool, device: &Device) -> PyResult<Item> {
    let ids: Vec<i64> = if b { vec![0] } else { vec![] };
    let n = ids.len();
    Ok(Item::Truth(Tensor::from_vec(ids, n, device).py()?))
}

fn apply(x: &Tensor, items: Vec<Item>) -> PyResult<Parsed> {
    let mut view = x.clone();
    let (mut dim, mut flips, mut ids) = (0, Vec::new(), Vec::new());
    // Adjacent index arrays form one group; a second group means that they are separated.
    let is_array = |i: &Item| matches!(i, Item::Ids(..) | Item::Truth(_));
    let starts = |n: usize| is_array(&items[n]) && (n == 0 || !is_array(&items[n - 1]));
    let groups = (0..items.len()).filter(|n| starts(*n)).count();
    for item in items {
        match item {
            Item::Int(i) => view = view.narrow(dim, i as usize, 1).and_then(|v| v.squeeze(dim)).py()?,
            Item::Slice { start, len, step } => {
                if step > 0 {
                    if start != 0 || len != view.dims()[dim] || step != 1 {
                        view = view.slice(dim, start.min(view.dims()[dim]), len, step as usize).py()?;
                    }
                } else {
                    let step = step.unsigned_abs() as usize;
                    let low = if len == 0 { 0 } else { start - (len - 1) * step };
                    view = view.slice(dim, low, len, step).py()?;
                    flips.push(dim);
                }
                dim += 1;
            }
            Item::Gap => {}
            Item::NewAxis => {
                view = view.unsqueeze(dim).py()?;
                dim += 1;
            }
            Item::Truth(t) => {
                view = view.unsqueeze(dim).py()?;
                ids.push((dim, t, None));
                dim += 1;
            }
            Item::Ids(t, rule) => {
                ids.push((dim, t, rule));
                dim += 1;
            }
        }
    }
    let together = ids
        .iter()
        .try_fold(Shape::from(()), |all, (_, t, _)| all.broadcast_shape_binary_op(t.shape(), "indexing"));
    if together.is_err() {
        let shapes: Vec<String> = ids.iter().map(|(_, t, _)| format!("{:?}", t.shape())).collect();
        let shapes = shapes.join(", ");
        return Err(PyIndexError::new_err(format!("index arrays of shapes {shapes} do not fit together")));
    }
    Ok(Parsed { view, flips, ids, adjacent: groups <= 1 })
}

/// Flips the view's dimensions that have a negative step, then gathers by the index arrays.
fn gather(p: &Parsed) -> rushlight::Result<Tensor> {
    let view = if p.flips.is_empty() { p.view.clone() } else { p.view.flip(&p.flips)? };
    let Some((first, ..)) = p.ids.first() else {
        return Ok(view);
    };
    let mut shape = p.ids[0].1.shape().clone();
    for (_, t, _) in &p.ids[1..] {
        shape = shape.broadcast_shape_binary_op(t.shape(), "indexing")?;
    }
    let dims: Vec<usize> = p.ids.iter().map(|(d, ..)| *d).collect();
    // The index arrays are combined into one linear index. With several arrays each is checked by itself.
    let mut linear: Option<Tensor> = None;
    let mut rule = IndexMode::Within;
    for (d, t, own) in &p.ids {
        let t = match own {
            Some(only) if p.ids.len() == 1 => {
                rule = *only;
                t.clone()
            }
            Some(own) => {
                let all = Tensor::arange(0i64, view.dims()[*d] as i64, view.device())?;
                pick(&all, &t.contiguous()?.flatten_all()?, 0, *own)?.reshape(t.dims())?
            }
            None => t.clone(),
        };
        let t = t.broadcast_as(shape.clone())?;
        linear = Some(match linear {
            None => t,
            Some(p) => {
                let size =
                    Tensor::full(view.dims()[*d] as i64, (), view.device())?.broadcast_as(shape.clone())?;
                p.mul(&size)?.add(&t)?
            }
        });
    }
    let Some(linear) = linear else { return Ok(view) };
    let linear = linear.contiguous()?.flatten_all()?;
    let rest: Vec<usize> = (0..view.rank()).filter(|d| !dims.contains(d)).collect();
    let at = if p.adjacent { rest.iter().filter(|d| *d < first).count() } else { 0 };
    // Moves the indexed dimensions next to each other at `at`, and merges them into one.
    let order: Vec<usize> = [&rest[..at], &dims[..], &rest[at..]].concat();
    let moved =
        if order.iter().enumerate().all(|(i, d)| i == *d) { view.clone() } else { view.permute(order)? };
    let size: usize = dims.iter().map(|d| view.dims()[*d]).product();
    let sizes = |d: &[usize]| d.iter().map(|d| view.dims()[*d]).collect::<Vec<_>>();
    let merged = moved.reshape([&sizes(&rest[..at])[..], &[size], &sizes(&rest[at..])[..]].concat())?;
    let out = pick(&merged, &linear, at, rule)?;
    out.reshape([&sizes(&rest[..at])[..], shape.dims(), &sizes(&rest[at..])[..]].concat())
}

fn assign(py: Python<'_>, this: &PyTensor, key: &Bound<'_, PyAny>, value: &Operand) -> PyResult<()> {
    use rushlight::ops::scatter::{Scatter, ScatterMode};
    let x = this.get();
    let recording = rushlight::autograd::is_enabled();
    if recording && x.is_variable() {
        return Err(pyo3::exceptions::PyRuntimeError::new_err(
            "a leaf tensor that requires a gradient cannot be changed in place; use no_grad() or .data",
        ));
    }
    let v = match value {
        Operand::Tensor(t) => {
            if rank_of(t.dtype()) > rank_of(x.dtype()) {
                return Err(PyTypeError::new_err(format!(
                    "cannot put {} into a tensor of {}; convert it with astype",
                    crate::dtype::name(t.dtype()),
                    crate::dtype::name(x.dtype())
                )));
            }
            t.to_dtype(x.dtype()).py()?.to_device(x.device()).py()?
        }
        Operand::Num(n) => {
            if matches!(n, Num::Float(f) if f.fract() != 0.0 || !f.is_finite()) && !x.dtype().is_inexact() {
                return Err(PyTypeError::new_err(format!(
                    "cannot put a float into a tensor of {}",
                    crate::dtype::name(x.dtype())
                )));
            }
            Tensor::full_scalar(n.to_scalar(x.dtype())?, (), x.device()).py()?
        }
    };
    let tracked = recording && (x.track_op() || v.track_op());
    if tracked && !this.is_data() {
        let given = if let Operand::Tensor(t) = value { Some(t) } else { None };
        alone(&x, given)?;
    }
    let base = x.detach();
    let p = parse(&base, key)?;
    if p.ids.is_empty() && !tracked {
        let v = fitted(&v.detach(), p.view.dims())?;
        return run(py, v.elem_count(), || {
            let v = if p.flips.is_empty() { v } else { v.flip(&p.flips)? };
            p.view.assign(&v)
        });
    }
    // Computes the linear indices of the selected elements by applying the key to a tensor of linear indices.
    // They count from 1, because a GPU gives 0 for an index out of range, which is then out of range here
    // too.
    let linear = {
        let all = Tensor::arange(1i64, x.elem_count() as i64 + 1, x.device()).py()?;
        let all = all.reshape(x.dims().to_vec()).py()?;
        let q = Parsed { view: parse(&all, key)?.view, flips: p.flips, ids: p.ids, adjacent: p.adjacent };
        run(py, x.elem_count(), || gather(&q)?.affine(1.0, -1.0))?
    };
    let v = fitted(&v, linear.dims())?;
    run(py, x.elem_count(), || {
        let (linear, v) = (linear.flatten_all()?, v.flatten_all()?);
        let op_def = |in_place| {
            Op::Scatter(Scatter { dim: 0, mode: ScatterMode::Set, in_place, rule: IndexMode::Within })
        };
        if tracked {
            let flat = x.flatten_all()?;
            let out = Tensor::run(op_def(false), &[&flat, &linear, &v])?.reshape(x.dims().to_vec())?;
            return Ok(Some(out));
        }
        let (linear, v) = (linear.detach(), v.detach());
        if base.is_contiguous() {
            Tensor::run_inplace(op_def(true), &[&base.flatten_all()?], &[&linear, &v])?;
        } else {
            let out = Tensor::run(op_def(false), &[&base.flatten_all()?, &linear, &v])?;
            base.assign(&out.reshape(base.dims().to_vec())?)?;
        }
        Ok(None)
    })
    .and_then(|out| match out {
        Some(out) if this.is_data() => this.record(py, &x, out),
        Some(out) => {
            this.set(out);
            Ok(())
        }
        None => Ok(()),
    })
}

/// Ranks the kinds of dtypes: a value of a higher rank is not written to a tensor of a lower one without an
/// explicit conversion.
pub fn rank_of(d: DType) -> u8 {
    use rushlight::Kind;
    match d.kind() {
        Kind::Bool => 0,
        Kind::UInt | Kind::Int => 1,
        Kind::Float => 2,
        Kind::Complex => 3,
    }
}

/// Broadcasts a value to the shape of the selected elements, dropping surplus leading dimensions of size 1.
fn fitted(v: &Tensor, dims: &[usize]) -> PyResult<Tensor> {
    let mut v = v.clone();
    while v.rank() > dims.len() && v.dims()[0] == 1 {
        v = v.squeeze(0).py()?;
    }
    v.broadcast_as(dims.to_vec()).map_err(|_| {
        PyValueError::new_err(format!(
            "a value of shape {:?} does not fit the chosen elements, {:?}",
            v.shape(),
            Shape::from(dims)
        ))
    })
}

#[pymethods]
impl PyTensor {
    fn __getitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<Self> {
        let x = self.get();
        let p = parse(&x, key)?;
        if p.ids.is_empty() && p.flips.is_empty() {
            return Ok(Self::new(p.view));
        }
        run(py, p.view.elem_count(), || gather(&p)).map(Self::new)
    }

    fn __setitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = match value.extract::<Operand>() {
            Ok(v) => v,
            Err(_) => Operand::Tensor(convert::from_data(value, None, &Device::Cpu)?),
        };
        assign(py, self, key, &value)
    }

    fn __delitem__(&self, key: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = key;
        Err(PyTypeError::new_err(
            "elements of a Tensor cannot be deleted; choose the others by a slice, a mask or rushlight.concat",
        ))
    }
}
