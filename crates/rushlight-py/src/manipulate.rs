//! Shapes and joins.
use crate::args::{Arg, Arrays, Ints, Whole, axis, axis_or_dim, countable, either};
use crate::error::{OrPy, of, run};
use crate::promote::promote;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Tensor;

/// The same elements in another shape.
pub fn reshape_to(py: Python<'_>, x: &Tensor, shape: &Ints, copy: Option<bool>) -> PyResult<Tensor> {
    let shape = shape.reshape(x.elem_count())?;
    if shape.elem_count() != x.elem_count() {
        return Err(PyValueError::new_err(format!(
            "reshape: the shape {:?} has {} elements, the tensor of shape {:?} has {}",
            shape.dims(),
            shape.elem_count(),
            x.dims(),
            x.elem_count()
        )));
    }
    let out = run(py, x.elem_count(), || x.reshape(shape.clone()))?;
    match copy {
        Some(true) if out.shares_storage(x) => run(py, x.elem_count(), || out.copy()),
        Some(false) if !out.shares_storage(x) && x.elem_count() > 0 => {
            Err(PyValueError::new_err("reshape: a copy is needed, and copy=False"))
        }
        _ => Ok(out),
    }
}

fn permuted(x: &Tensor, axes: &Ints) -> PyResult<Tensor> {
    let axes = axes.axes("permute_dims", x.rank())?;
    if axes.len() != x.rank() {
        return Err(PyValueError::new_err(format!(
            "permute_dims: {} axes for a tensor of rank {}",
            axes.len(),
            x.rank()
        )));
    }
    x.permute(axes).py()
}

fn squeezed(x: &Tensor, axes: Option<&Ints>) -> PyResult<Tensor> {
    let axes = match axes {
        Some(a) => {
            let axes = a.axes("squeeze", x.rank())?;
            if let Some(a) = axes.iter().find(|a| x.dims()[**a] != 1) {
                return Err(PyValueError::new_err(format!(
                    "squeeze: axis {a} has size {}, not 1, in shape {:?}",
                    x.dims()[*a],
                    x.dims()
                )));
            }
            axes
        }
        None => (0..x.rank()).filter(|d| x.dims()[*d] == 1).collect(),
    };
    let mut axes = axes;
    axes.sort_unstable();
    axes.iter().rev().try_fold(x.clone(), |t, a| t.squeeze(*a)).py()
}

fn expanded(x: &Tensor, axes: &Ints) -> PyResult<Tensor> {
    let mut axes = axes.axes("expand_dims", x.rank() + axes.values.len())?;
    axes.sort_unstable();
    axes.iter().try_fold(x.clone(), |t, a| t.unsqueeze(*a)).py()
}

/// The same elements in another shape; one dimension may be -1.
#[pyfunction]
#[pyo3(signature = (x, /, shape, *, copy = None))]
pub fn reshape(py: Python<'_>, x: Arg, shape: Ints, copy: Option<bool>) -> PyResult<PyTensor> {
    reshape_to(py, &x.0, &shape, copy).map(PyTensor::new)
}

/// Dimensions in another order.
#[pyfunction]
#[pyo3(signature = (x, /, axes))]
pub fn permute_dims(x: Arg, axes: Ints) -> PyResult<PyTensor> {
    permuted(&x.0, &axes).map(PyTensor::new)
}

/// Without dimensions of size 1.
#[pyfunction]
#[pyo3(signature = (x, /, axis = None, *, dim = None))]
pub fn squeeze(x: Arg, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<PyTensor> {
    squeezed(&x.0, either(axis, dim, ("axis", "dim"))?.as_ref()).map(PyTensor::new)
}

/// With new dimensions of size 1 at the given places.
#[pyfunction]
#[pyo3(signature = (x, /, axis = None, *, dim = None))]
pub fn expand_dims(x: Arg, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<PyTensor> {
    let axes = either(axis, dim, ("axis", "dim"))?;
    let axes = axes.ok_or_else(|| PyTypeError::new_err("expand_dims() misses the argument 'axis'"))?;
    expanded(&x.0, &axes).map(PyTensor::new)
}

/// Stretched to a shape, without a copy.
#[pyfunction]
#[pyo3(signature = (x, /, shape))]
pub fn broadcast_to(x: Arg, shape: Ints) -> PyResult<PyTensor> {
    of("broadcast_to", x.0.broadcast_as(shape.shape()?)).py().map(PyTensor::new)
}

/// The last two dimensions swapped.
#[pyfunction]
#[pyo3(signature = (x, /))]
pub fn matrix_transpose(x: Arg) -> PyResult<PyTensor> {
    of("matrix_transpose", x.0.t()).py().map(PyTensor::new)
}

fn joined(
    py: Python<'_>,
    arrays: Arrays,
    f: impl FnOnce(&[Tensor]) -> rushlight::Result<Tensor> + Send,
) -> PyResult<PyTensor> {
    let arrays = arrays.0;
    let Some(first) = arrays.first() else {
        return Err(PyValueError::new_err("at least one tensor is needed"));
    };
    let dtype = arrays.iter().try_fold(first.dtype(), |d, t| promote(d, t.dtype()))?;
    let elems = arrays.iter().map(Tensor::elem_count).sum();
    run(py, elems, || {
        let all = arrays.iter().map(|t| t.to_dtype(dtype)).collect::<rushlight::Result<Vec<_>>>()?;
        f(&all)
    })
    .map(PyTensor::new)
}

/// Joined along an axis; ``axis=None`` joins the flattened tensors.
#[pyfunction]
#[pyo3(signature = (arrays, /, axis = Some(0), *, dim = None))]
pub fn concat(py: Python<'_>, arrays: Arrays, axis: Option<i64>, dim: Option<i64>) -> PyResult<PyTensor> {
    let at = match axis {
        Some(a) => Some(axis_or_dim(a, 0, dim)?),
        None => dim,
    };
    match (at, arrays.0.first()) {
        (Some(a), Some(first)) => {
            let a = crate::args::axis("concat", a, first.rank())?;
            joined(py, arrays, |all| Tensor::cat(all, a))
        }
        _ => joined(py, arrays, |all| {
            let flat = all.iter().map(Tensor::flatten_all).collect::<rushlight::Result<Vec<_>>>()?;
            Tensor::cat(&flat, 0)
        }),
    }
}

/// Joined along a new axis.
#[pyfunction]
#[pyo3(signature = (arrays, /, axis = 0, *, dim = None))]
pub fn stack(py: Python<'_>, arrays: Arrays, axis: i64, dim: Option<i64>) -> PyResult<PyTensor> {
    let rank = arrays.0.first().map_or(0, Tensor::rank);
    let a = crate::args::axis("stack", axis_or_dim(axis, 0, dim)?, rank + 1)?;
    if let Some(t) = arrays.0.iter().find(|t| t.shape() != arrays.0[0].shape()) {
        return Err(PyValueError::new_err(format!(
            "stack: shapes {:?} and {:?} differ",
            arrays.0[0].dims(),
            t.dims()
        )));
    }
    joined(py, arrays, |all| Tensor::stack(all, a))
}

fn pieces(x: &Tensor, dim: usize) -> PyResult<Vec<PyTensor>> {
    (0..countable("unstack", x.dims()[dim])?).map(|i| x.get_on_dim(dim, i).py().map(PyTensor::new)).collect()
}

/// The entries of an axis, as a tuple.
#[pyfunction]
#[pyo3(signature = (x, /, *, axis = 0, dim = None))]
pub fn unstack<'py>(py: Python<'py>, x: Arg, axis: i64, dim: Option<i64>) -> PyResult<Bound<'py, PyTuple>> {
    let dim = crate::args::axis("unstack", axis_or_dim(axis, 0, dim)?, x.0.rank())?;
    tuple(py, pieces(&x.0, dim)?)
}

fn tuple<'py>(py: Python<'py>, parts: Vec<PyTensor>) -> PyResult<Bound<'py, PyTuple>> {
    PyTuple::new(py, parts.into_iter().map(|p| Py::new(py, p)).collect::<PyResult<Vec<_>>>()?)
}

fn split_of<'py>(py: Python<'py>, x: &Tensor, sizes: &Ints, dim: usize) -> PyResult<Bound<'py, PyTuple>> {
    let len = x.dims()[dim];
    let lens: Vec<usize> = if sizes.single {
        let size = usize::try_from(sizes.values[0])
            .ok()
            .filter(|s| *s > 0)
            .ok_or_else(|| PyValueError::new_err("split: the size of a piece must be positive"))?;
        (0..countable("split", len.div_ceil(size).max(1))?).map(|i| size.min(len - i * size)).collect()
    } else {
        let lens = sizes.shape()?.into_dims();
        if lens.iter().sum::<usize>() != len {
            return Err(PyValueError::new_err(format!("split: sizes {lens:?} do not add up to {len}")));
        }
        lens
    };
    let mut start = 0;
    let parts = lens
        .iter()
        .map(|n| {
            let p = x.narrow(dim, start, *n).py().map(PyTensor::new);
            start += n;
            p
        })
        .collect::<PyResult<Vec<_>>>()?;
    tuple(py, parts)
}

/// Cut along an axis into pieces of a size (the last may be smaller), or of the given sizes.
#[pyfunction]
#[pyo3(signature = (x, /, split_size_or_sections, axis = 0, *, dim = None))]
pub fn split<'py>(
    py: Python<'py>,
    x: Arg,
    split_size_or_sections: Ints,
    axis: i64,
    dim: Option<i64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let d = crate::args::axis("split", axis_or_dim(axis, 0, dim)?, x.0.rank())?;
    split_of(py, &x.0, &split_size_or_sections, d)
}

/// Cut along an axis into at most ``chunks`` pieces of equal size (the last may be smaller).
#[pyfunction]
#[pyo3(signature = (x, /, chunks, axis = 0, *, dim = None))]
pub fn chunk<'py>(
    py: Python<'py>,
    x: Arg,
    chunks: Whole,
    axis: i64,
    dim: Option<i64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let d = crate::args::axis("chunk", axis_or_dim(axis, 0, dim)?, x.0.rank())?;
    let chunks: usize = chunks.count("chunk", "chunks")?;
    if chunks == 0 {
        return Err(PyValueError::new_err("chunk: cannot cut into 0 pieces"));
    }
    let size = x.0.dims()[d].div_ceil(chunks).max(1);
    split_of(py, &x.0, &Ints { values: vec![size as i64], single: true }, d)
}

#[pymethods]
impl PyTensor {
    /// Dimensions in another order.
    #[pyo3(signature = (axes, *more))]
    fn permute_dims(&self, axes: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        permuted(&self.get(), &axes.more(more)?).map(Self::new)
    }

    /// As ``permute_dims``.
    #[pyo3(signature = (dims, *more))]
    fn permute(&self, dims: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        permuted(&self.get(), &dims.more(more)?).map(Self::new)
    }

    /// Two dimensions swapped.
    #[pyo3(signature = (dim0, dim1, /))]
    fn transpose(&self, dim0: i64, dim1: i64) -> PyResult<Self> {
        let t = self.get();
        let (a, b) = (axis("transpose", dim0, t.rank())?, axis("transpose", dim1, t.rank())?);
        t.transpose(a, b).py().map(Self::new)
    }

    /// The transposed matrix.
    fn t(&self) -> PyResult<Self> {
        let t = self.get();
        match t.rank() {
            0 | 1 => Ok(Self::new(t)),
            2 => t.t().py().map(Self::new),
            r => Err(PyValueError::new_err(format!("t() is for at most 2 dimensions, not {r}"))),
        }
    }

    /// Without dimensions of size 1.
    #[pyo3(signature = (axis = None, *, dim = None))]
    fn squeeze(&self, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<Self> {
        squeezed(&self.get(), either(axis, dim, ("axis", "dim"))?.as_ref()).map(Self::new)
    }

    /// With a new dimension of size 1.
    #[pyo3(signature = (dim, /))]
    fn unsqueeze(&self, dim: i64) -> PyResult<Self> {
        expanded(&self.get(), &Ints { values: vec![dim], single: true }).map(Self::new)
    }

    /// With new dimensions of size 1.
    #[pyo3(signature = (axis, /))]
    fn expand_dims(&self, axis: Ints) -> PyResult<Self> {
        expanded(&self.get(), &axis).map(Self::new)
    }

    /// Stretched to a shape, without a copy; -1 keeps a size.
    #[pyo3(signature = (shape, *more))]
    fn expand(&self, shape: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        let t = self.get();
        let mut shape = shape.more(more)?;
        let added = shape.values.len().checked_sub(t.rank()).ok_or_else(|| {
            PyValueError::new_err(format!(
                "expand: {} sizes for a tensor of rank {}",
                shape.values.len(),
                t.rank()
            ))
        })?;
        for (i, v) in shape.values.iter_mut().enumerate() {
            if *v == -1 && i >= added {
                *v = t.dims()[i - added] as i64;
            }
        }
        t.broadcast_as(shape.shape()?).py().map(Self::new)
    }

    /// Stretched to the shape of another tensor.
    #[pyo3(signature = (other, /))]
    fn expand_as(&self, other: Arg) -> PyResult<Self> {
        self.get().broadcast_as(other.0.shape().clone()).py().map(Self::new)
    }

    /// Dimensions ``start_dim`` to ``end_dim`` (with it) as one.
    #[pyo3(signature = (start_dim = 0, end_dim = -1))]
    fn flatten(&self, py: Python<'_>, start_dim: i64, end_dim: i64) -> PyResult<Self> {
        flatten_of(py, &self.get(), start_dim, end_dim).map(Self::new)
    }

    /// ``length`` entries of a dimension from ``start``.
    #[pyo3(signature = (dim, start, length))]
    fn narrow(&self, dim: i64, start: Whole, length: Whole) -> PyResult<Self> {
        let t = self.get();
        let d = axis("narrow", dim, t.rank())?;
        let (start, length) = (start.count("narrow", "start")?, length.count("narrow", "length")?);
        t.narrow(d, start, length).py().map(Self::new)
    }

    /// Cut along an axis into pieces of a size (the last may be smaller), or of the given sizes.
    #[pyo3(signature = (split_size_or_sections, dim = 0, *, axis = None))]
    fn split<'py>(
        &self,
        py: Python<'py>,
        split_size_or_sections: Ints,
        dim: i64,
        axis: Option<i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        split(py, Arg(self.get()), split_size_or_sections, dim, axis)
    }

    /// Cut along an axis into at most ``chunks`` pieces of equal size (the last may be smaller).
    #[pyo3(signature = (chunks, dim = 0, *, axis = None))]
    fn chunk<'py>(
        &self,
        py: Python<'py>,
        chunks: Whole,
        dim: i64,
        axis: Option<i64>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        chunk(py, Arg(self.get()), chunks, dim, axis)
    }

    /// The entries of an axis, as a tuple.
    #[pyo3(signature = (dim = 0, *, axis = None))]
    fn unbind<'py>(&self, py: Python<'py>, dim: i64, axis: Option<i64>) -> PyResult<Bound<'py, PyTuple>> {
        unstack(py, Arg(self.get()), dim, axis)
    }
}

fn flatten_of(py: Python<'_>, t: &Tensor, start: i64, end: i64) -> PyResult<Tensor> {
    if t.rank() == 0 {
        return t.reshape(1).py();
    }
    let (from, to) = (axis("flatten", start, t.rank())?, axis("flatten", end, t.rank())?);
    if from > to {
        return Err(PyValueError::new_err("flatten: start_dim comes after end_dim"));
    }
    run(py, t.elem_count(), || t.flatten(from, to))
}

/// Dimensions ``start_dim`` to ``end_dim`` (with it) as one.
#[pyfunction]
#[pyo3(signature = (x, /, start_dim = 0, end_dim = -1))]
pub fn flatten(py: Python<'_>, x: Arg, start_dim: i64, end_dim: i64) -> PyResult<PyTensor> {
    flatten_of(py, &x.0, start_dim, end_dim).map(PyTensor::new)
}

/// Elements of ``x1`` where the condition holds, else of ``x2``.
#[pyfunction]
#[pyo3(name = "where", signature = (condition, x1, x2, /))]
pub fn where_(
    py: Python<'_>,
    condition: Arg,
    x1: crate::args::Operand,
    x2: crate::args::Operand,
) -> PyResult<PyTensor> {
    use crate::args::Operand;
    let cond = &condition.0;
    if cond.dtype() != rushlight::DType::Bool {
        return Err(PyTypeError::new_err(format!(
            "where: the condition must be bool, not {}",
            crate::dtype::name(cond.dtype())
        )));
    }
    let dtype = match (&x1, &x2) {
        (Operand::Num(a), Operand::Num(b)) => promote(a.default_dtype(), b.default_dtype())?,
        _ => Operand::common(&x1, &x2)?,
    };
    let (a, b) = (x1.tensor(dtype, cond.device())?, x2.tensor(dtype, cond.device())?);
    let shape = cond
        .shape()
        .broadcast_shape_binary_op(a.shape(), "where")
        .and_then(|s| s.broadcast_shape_binary_op(b.shape(), "where"))
        .py()?;
    run(py, shape.elem_count(), || {
        cond.broadcast_as(shape.clone())?
            .where_cond(&a.broadcast_as(shape.clone())?, &b.broadcast_as(shape.clone())?)
    })
    .map(PyTensor::new)
}
