//! Sorting, searching, gathering, flipping and running sums.
use crate::args::{Arg, Ints, NumArg, Operand, Whole, axis, axis_or_dim, either};
use crate::convert;
use crate::dtype::DTypeArg;
use crate::elementwise::{Rule, aligned};
use crate::error::{OrPy, run};
use crate::indexing;
use crate::promote::promote_scalar;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::error::called;
use rushlight::ops::gather::Gather;
use rushlight::ops::index_add::IndexAdd;
use rushlight::ops::index_select::IndexSelect;
use rushlight::ops::scatter::{Scatter, ScatterMode};
use rushlight::ops::{IndexMode, Op};
use rushlight::{DType, Kind, Tensor};

/// Entries in reverse order along axes (all by default).
#[pyfunction]
#[pyo3(signature = (x, /, axis = None, *, dim = None))]
pub fn flip(py: Python<'_>, x: Arg, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<PyTensor> {
    let axes = crate::args::axes_or_all("flip", axis, dim, x.0.rank())?;
    run(py, x.0.elem_count(), || x.0.flip(&axes)).map(PyTensor::new)
}

fn order(py: Python<'_>, x: &Tensor, at: i64, descending: bool) -> PyResult<Tensor> {
    let d = axis("argsort", at, x.rank())?;
    run(py, x.elem_count(), || x.argsort(d, descending, DType::I64))
}

/// Places of an axis's elements in sorted order. Always stable; NaN counts as the greatest.
#[pyfunction]
#[pyo3(signature = (x, /, axis = -1, descending = false, *, stable = true, dim = None))]
pub fn argsort(
    py: Python<'_>,
    x: Arg,
    axis: i64,
    descending: bool,
    stable: bool,
    dim: Option<i64>,
) -> PyResult<PyTensor> {
    let _ = stable;
    order(py, &x.0, axis_or_dim(axis, -1, dim)?, descending).map(PyTensor::new)
}

fn running(py: Python<'_>, x: &Tensor, at: i64, dtype: Option<DType>) -> PyResult<Tensor> {
    let d = axis("cumulative_sum", at, x.rank())?;
    let to = dtype.unwrap_or(match x.dtype().kind() {
        Kind::UInt => DType::U64,
        Kind::Int | Kind::Bool => DType::I64,
        _ => x.dtype(),
    });
    run(py, x.elem_count(), || x.to_dtype(to)?.cumsum(d))
}

/// Running sum along an axis; a vector needs none. Integers sum in 64 bits.
#[pyfunction]
#[pyo3(signature = (x, /, axis = None, *, dtype = None, include_initial = false, dim = None))]
pub fn cumulative_sum(
    py: Python<'_>,
    x: Arg,
    axis: Option<i64>,
    dtype: Option<DTypeArg>,
    include_initial: bool,
    dim: Option<i64>,
) -> PyResult<PyTensor> {
    let at = match either(axis, dim, ("axis", "dim"))? {
        Some(a) => a,
        None if x.0.rank() == 1 => 0,
        None => {
            return Err(PyValueError::new_err("cumulative_sum: a tensor that is no vector needs an axis"));
        }
    };
    let out = running(py, &x.0, at, dtype.map(|d| d.0))?;
    if !include_initial {
        return Ok(PyTensor::new(out));
    }
    let d = crate::args::axis("cumulative_sum", at, out.rank())?;
    out.pad_with_zeros(d, 1, 0).py().map(PyTensor::new)
}

/// Indices in a dtype that index ops read, and what negative ones mean to them: from the end.
pub fn indices(ids: &Tensor) -> Option<rushlight::Result<(Tensor, IndexMode)>> {
    let rule = if ids.dtype().kind() == Kind::Int { IndexMode::FromEnd } else { IndexMode::Within };
    let dtype = match ids.dtype() {
        DType::I8 => DType::I16,
        DType::U16 => DType::U32,
        DType::U64 => DType::I64,
        other if other.is_int() => other,
        _ => return None,
    };
    Some(ids.detach().to_dtype(dtype).map(|ids| (ids, rule)))
}

/// As [`indices`], for the function `op`.
fn wrapped(ids: &Tensor, op: &str) -> PyResult<(Tensor, IndexMode)> {
    match indices(ids) {
        Some(found) => found.py(),
        None => Err(PyTypeError::new_err(format!(
            "{op}: indices must be integers, not {}",
            crate::dtype::name(ids.dtype())
        ))),
    }
}

/// Entries of an axis picked by indices (of any shape); negative ones count from the end.
#[pyfunction]
#[pyo3(signature = (x, indices, /, axis = None, *, dim = None))]
pub fn take(py: Python<'_>, x: Arg, indices: Arg, axis: Option<i64>, dim: Option<i64>) -> PyResult<PyTensor> {
    let at = match either(axis, dim, ("axis", "dim"))? {
        Some(a) => a,
        None if x.0.rank() == 1 => 0,
        None => return Err(PyValueError::new_err("take: a tensor that is no vector needs an axis")),
    };
    let ids = wrapped(&indices.0, "take")?;
    picked(py, &x.0, ids, at, "take")
}

/// Entries of an axis, for the function `op`.
fn picked(
    py: Python<'_>,
    x: &Tensor,
    (ids, rule): (Tensor, IndexMode),
    at: i64,
    op: &'static str,
) -> PyResult<PyTensor> {
    let d = axis(op, at, x.rank())?;
    let shape = [&x.dims()[..d], ids.dims(), &x.dims()[d + 1..]].concat();
    run(py, shape.iter().product(), || {
        let card = Op::IndexSelect(IndexSelect { dim: d, rule });
        called(op, || Tensor::run(card, &[x, &ids.flatten_all()?]))?.reshape(shape)
    })
    .map(PyTensor::new)
}

fn gathered(py: Python<'_>, x: &Tensor, ids: &Tensor, at: i64, op: &'static str) -> PyResult<PyTensor> {
    let d = axis(op, at, x.rank())?;
    let (ids, rule) = wrapped(ids, op)?;
    let card = Op::Gather(Gather { dim: d, rule });
    run(py, ids.elem_count(), || called(op, || Tensor::run(card, &[x, &ids]))).map(PyTensor::new)
}

/// ``out[i, j] = x[i, indices[i, j]]`` along an axis (here 1); the other axes are stretched to match.
#[pyfunction]
#[pyo3(signature = (x, indices, /, axis = -1, *, dim = None))]
pub fn take_along_axis(
    py: Python<'_>,
    x: Arg,
    indices: Arg,
    axis: i64,
    dim: Option<i64>,
) -> PyResult<PyTensor> {
    let (x, ids) = (&x.0, &indices.0);
    let axis = axis_or_dim(axis, -1, dim)?;
    let d = crate::args::axis("take_along_axis", axis, x.rank())?;
    if ids.rank() != x.rank() {
        return Err(PyValueError::new_err(format!(
            "take_along_axis: shapes {:?} and {:?} have different ranks",
            x.dims(),
            ids.dims()
        )));
    }
    let (mut a, mut b) = (x.dims().to_vec(), ids.dims().to_vec());
    for i in (0..x.rank()).filter(|i| *i != d) {
        match (a[i], b[i]) {
            (1, n) => a[i] = n,
            (n, 1) => b[i] = n,
            (n, m) if n == m => {}
            _ => {
                return Err(PyValueError::new_err(format!(
                    "take_along_axis: shapes {:?} and {:?} do not match",
                    x.dims(),
                    ids.dims()
                )));
            }
        }
    }
    let (x, ids) = (x.broadcast_as(a).py()?, ids.broadcast_as(b).py()?);
    gathered(py, &x, &ids, axis, "take_along_axis")
}

/// ``out[i, j] = x[i, index[i, j]]`` along a dimension (here 1).
#[pyfunction]
#[pyo3(signature = (x, dim, index, /))]
pub fn gather(py: Python<'_>, x: Arg, dim: i64, index: Arg) -> PyResult<PyTensor> {
    gathered(py, &x.0, &index.0, dim, "gather")
}

fn scattered(
    py: Python<'_>,
    x: &Tensor,
    dim: i64,
    index: &Tensor,
    src: &Operand,
    mode: ScatterMode,
) -> PyResult<PyTensor> {
    let op = if mode == ScatterMode::Set { "scatter" } else { "scatter_add" };
    let d = axis(op, dim, x.rank())?;
    let (ids, rule) = wrapped(index, op)?;
    let src = match src {
        Operand::Tensor(t) => t.to_dtype(x.dtype()).py()?,
        Operand::Num(n) => Tensor::full_scalar(n.to_scalar(x.dtype())?, (), x.device())
            .and_then(|t| t.broadcast_as(ids.shape().clone()))
            .py()?,
    };
    let card = Scatter { dim: d, mode, in_place: false, rule };
    run(py, x.elem_count(), || called(op, || Tensor::run(Op::Scatter(card), &[x, &ids, &src])))
        .map(PyTensor::new)
}

/// A copy with ``out[i, index[i, j]] = src[i, j]`` along a dimension (here 1); the last of equal indices wins.
#[pyfunction]
#[pyo3(signature = (x, dim, index, src, /))]
pub fn scatter(py: Python<'_>, x: Arg, dim: i64, index: Arg, src: Operand) -> PyResult<PyTensor> {
    scattered(py, &x.0, dim, &index.0, &src, ScatterMode::Set)
}

/// A copy with ``out[i, index[i, j]] += src[i, j]`` along a dimension (here 1).
#[pyfunction]
#[pyo3(signature = (x, dim, index, src, /))]
pub fn scatter_add(py: Python<'_>, x: Arg, dim: i64, index: Arg, src: Operand) -> PyResult<PyTensor> {
    scattered(py, &x.0, dim, &index.0, &src, ScatterMode::Add)
}

/// Entries of a dimension picked by a vector of indices.
#[pyfunction]
#[pyo3(signature = (x, dim, index, /))]
pub fn index_select(py: Python<'_>, x: Arg, dim: i64, index: Arg) -> PyResult<PyTensor> {
    let ids = wrapped(&index.0, "index_select")?;
    picked(py, &x.0, ids, dim, "index_select")
}

/// A copy with ``source``'s entries added at the indexed places of a dimension.
#[pyfunction]
#[pyo3(signature = (x, dim, index, source, /))]
pub fn index_add(py: Python<'_>, x: Arg, dim: i64, index: Arg, source: Arg) -> PyResult<PyTensor> {
    let d = axis("index_add", dim, x.0.rank())?;
    let (ids, rule) = wrapped(&index.0, "index_add")?;
    let src = source.0.to_dtype(x.0.dtype()).py()?;
    let card = Op::IndexAdd(IndexAdd { dim: d, rule });
    run(py, x.0.elem_count(), || Tensor::run(card, &[&x.0, &ids, &src])).map(PyTensor::new)
}

/// Rows of a table, one for each id.
#[pyfunction]
#[pyo3(signature = (input, weight, /))]
pub fn embedding(py: Python<'_>, input: Arg, weight: Arg) -> PyResult<PyTensor> {
    if weight.0.rank() != 2 {
        return Err(PyValueError::new_err(format!(
            "embedding: the table has shape {:?}, not 2 axes",
            weight.0.dims()
        )));
    }
    // Rows are not counted from the end.
    let (ids, _) = wrapped(&input.0, "embedding")?;
    picked(py, &weight.0, (ids, IndexMode::Within), 0, "embedding")
}

/// Rows of ones at the place of each value, zeros elsewhere, in a new last dimension; int64.
#[pyfunction]
#[pyo3(signature = (x, num_classes, /))]
pub fn one_hot(py: Python<'_>, x: Arg, num_classes: Whole) -> PyResult<PyTensor> {
    let depth: usize = num_classes.count("one_hot", "num_classes")?;
    if !x.0.dtype().is_int() {
        return Err(PyTypeError::new_err(format!(
            "one_hot: classes are integers, not {}",
            crate::dtype::name(x.0.dtype())
        )));
    }
    let ids = x.0.to_dtype(DType::I64).py()?;
    run(py, x.0.elem_count().saturating_mul(depth), || {
        let (on, off) = (rushlight::Scalar::I64(1), rushlight::Scalar::I64(0));
        called("one_hot", || ids.one_hot_scalar(depth, on, off, false))
    })
    .map(PyTensor::new)
}

/// Returns the indices of the elements that are not zero.
///
/// Parameters
/// ----------
/// x : Tensor
///     Rank 1 or more.
/// as_tuple : bool
///     Whether the result is one int64 vector for each axis, as in the array API (the default of the function), or a
///     tensor with a row for each element, as in PyTorch (the default of the method).
///
/// Returns
/// -------
/// tuple of Tensor, or Tensor
///     The indices, in row-major order.
#[pyfunction]
#[pyo3(signature = (x, /, *, as_tuple = true))]
pub fn nonzero<'py>(py: Python<'py>, x: Arg, as_tuple: bool) -> PyResult<Bound<'py, PyAny>> {
    if x.0.rank() == 0 {
        return Err(PyValueError::new_err(
            "nonzero of a tensor of rank 0 is not defined; reshape it to (1,)",
        ));
    }
    let columns = indexing::nonzero(&x.0)?;
    if !as_tuple {
        return Ok(Bound::new(py, PyTensor::new(Tensor::stack(&columns, 1).py()?))?.into_any());
    }
    let columns = columns.into_iter().map(|c| Py::new(py, PyTensor::new(c))).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, columns)?.into_any())
}

/// Returns a vector over the bytes of an object with a buffer (bytes, bytearray, array).
///
/// It shares the memory, as ``numpy.frombuffer`` does, where that is contiguous and aligned to the dtype, and copies it
/// elsewhere. A change of a tensor over read-only memory (bytes) copies it first.
///
/// Parameters
/// ----------
/// buffer
///     The object.
/// dtype : DType
///     The dtype that the bytes are read as.
///
/// Returns
/// -------
/// Tensor
///     Rank 1.
#[pyfunction]
#[pyo3(signature = (buffer, dtype))]
pub fn frombuffer(buffer: &Bound<'_, PyAny>, dtype: DTypeArg) -> PyResult<PyTensor> {
    crate::buffer::reinterpreted(buffer, dtype.0).map(PyTensor::new)
}

/// Between two bounds, each a tensor, a number or None.
#[pyfunction]
#[pyo3(signature = (x, /, min = None, max = None))]
pub fn clip(py: Python<'_>, x: Arg, min: Option<Operand>, max: Option<Operand>) -> PyResult<PyTensor> {
    use rushlight::ops::cmp::CmpOp;
    let dtype = x.0.dtype();
    let mut out = x.0;
    for (bound, beyond, within) in [(min, CmpOp::Lt, CmpOp::Ge), (max, CmpOp::Gt, CmpOp::Le)] {
        if let Some(b) = bound {
            let b = match b {
                Operand::Num(n) if dtype.is_int() => Operand::Num(saturated(n, dtype)?),
                Operand::Tensor(t) if t.dtype().kind() != dtype.kind() && dtype.is_float() => {
                    Operand::Tensor(t.to_dtype(dtype).py()?)
                }
                b => b,
            };
            let maybe_nan = match &b {
                Operand::Tensor(t) => t.dtype().is_float(),
                Operand::Num(n) => n.to_f64().is_nan(),
            };
            // Not a maximum, whose gradient would be shared at the bound: an element on the bound keeps its own.
            let (x, b) = aligned(&Operand::Tensor(out), &b, Rule::Same, "clip")?;
            out = run(py, x.elem_count(), || {
                let (plain, bound) = (x.detach(), b.detach());
                if !maybe_nan {
                    return plain.compare(&bound, beyond, DType::U8)?.where_cond(&b, &x);
                }
                // Nothing is within a bound that is NaN; of elements NaN stays.
                let nan = plain.compare(&plain, CmpOp::Ne, DType::U8)?;
                plain.compare(&bound, within, DType::U8)?.add(&nan)?.where_cond(&x, &b)
            })?;
        }
    }
    Ok(PyTensor::new(out))
}

/// A bound beyond an integer dtype's range is its end.
fn saturated(n: crate::promote::Num, dtype: DType) -> PyResult<crate::promote::Num> {
    use crate::promote::Num;
    match n {
        Num::Int(_) | Num::Huge(_) => {
            let s = rushlight::Scalar::from_f64(n.to_f64(), dtype);
            if n.to_scalar(dtype).is_ok() {
                return Ok(n);
            }
            let end = Tensor::full_scalar(s, (), &rushlight::Device::Cpu).py()?;
            convert::item(&end)
        }
        n => Ok(n),
    }
}

#[pymethods]
impl PyTensor {
    /// Between two bounds.
    #[pyo3(signature = (min = None, max = None))]
    fn clamp(&self, py: Python<'_>, min: Option<Operand>, max: Option<Operand>) -> PyResult<Self> {
        clip(py, Arg(self.get()), min, max)
    }

    /// Between two bounds.
    #[pyo3(signature = (min = None, max = None))]
    fn clip(&self, py: Python<'_>, min: Option<Operand>, max: Option<Operand>) -> PyResult<Self> {
        clip(py, Arg(self.get()), min, max)
    }

    /// Entries in reverse order along axes (all by default).
    #[pyo3(signature = (axis = None, *, dim = None))]
    fn flip(&self, py: Python<'_>, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<Self> {
        flip(py, Arg(self.get()), axis, dim)
    }

    /// Places of an axis's elements in sorted order.
    #[pyo3(signature = (axis = -1, descending = false, *, stable = true, dim = None))]
    fn argsort(
        &self,
        py: Python<'_>,
        axis: i64,
        descending: bool,
        stable: bool,
        dim: Option<i64>,
    ) -> PyResult<Self> {
        argsort(py, Arg(self.get()), axis, descending, stable, dim)
    }

    /// Running sum along a dimension.
    #[pyo3(signature = (dim = None, *, axis = None, dtype = None))]
    fn cumsum(
        &self,
        py: Python<'_>,
        dim: Option<i64>,
        axis: Option<i64>,
        dtype: Option<DTypeArg>,
    ) -> PyResult<Self> {
        cumulative_sum(py, Arg(self.get()), axis, dtype, false, dim)
    }

    /// ``out[i, j] = x[i, index[i, j]]`` along a dimension (here 1).
    #[pyo3(signature = (dim, index))]
    fn gather(&self, py: Python<'_>, dim: i64, index: Arg) -> PyResult<Self> {
        gathered(py, &self.get(), &index.0, dim, "gather")
    }

    /// A copy with ``out[i, index[i, j]] = src[i, j]`` along a dimension (here 1).
    #[pyo3(signature = (dim, index, src))]
    fn scatter(&self, py: Python<'_>, dim: i64, index: Arg, src: Operand) -> PyResult<Self> {
        scattered(py, &self.get(), dim, &index.0, &src, ScatterMode::Set)
    }

    /// A copy with ``out[i, index[i, j]] += src[i, j]`` along a dimension (here 1).
    #[pyo3(signature = (dim, index, src))]
    fn scatter_add(&self, py: Python<'_>, dim: i64, index: Arg, src: Operand) -> PyResult<Self> {
        scattered(py, &self.get(), dim, &index.0, &src, ScatterMode::Add)
    }

    /// Entries of a dimension picked by a vector of indices.
    #[pyo3(signature = (dim, index))]
    fn index_select(&self, py: Python<'_>, dim: i64, index: Arg) -> PyResult<Self> {
        take(py, Arg(self.get()), index, Some(dim), None)
    }

    /// A copy with ``source``'s entries added at the indexed places of a dimension.
    #[pyo3(signature = (dim, index, source))]
    fn index_add(&self, py: Python<'_>, dim: i64, index: Arg, source: Arg) -> PyResult<Self> {
        index_add(py, Arg(self.get()), dim, index, source)
    }

    /// Returns the indices of the elements that are not zero: one row each, or with ``as_tuple=True`` one vector for
    /// each axis, as ``rushlight.nonzero``.
    #[pyo3(signature = (*, as_tuple = false))]
    fn nonzero<'py>(&self, py: Python<'py>, as_tuple: bool) -> PyResult<Bound<'py, PyAny>> {
        nonzero(py, Arg(self.get()), as_tuple)
    }

    /// A copy with ``value`` where the mask holds, of the same dtype.
    #[pyo3(signature = (mask, value))]
    fn masked_fill(&self, py: Python<'_>, mask: Arg, value: NumArg) -> PyResult<Self> {
        let t = self.get();
        if promote_scalar(t.dtype(), value.0) != t.dtype() {
            let dtype = crate::dtype::name(t.dtype());
            return Err(PyTypeError::new_err(format!(
                "masked_fill: the value is of another kind than {dtype}"
            )));
        }
        crate::manipulate::where_(py, mask, Operand::Num(value.0), Operand::Tensor(t))
    }
}
