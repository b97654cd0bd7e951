//! Shapes, joins and choices: by hand, since they return views, take or return several tensors, or convert operands alone (`where`).
use crate::args::{Arg, Arrays, Ints, Operand, Whole, axis, axis_or_dim, countable, either};
use crate::error::{OrPy, of, run};
use crate::function::{Function, function};
use crate::index_ops::nonzero;
use crate::promote::promote;
use crate::tensor::PyTensor;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::Tensor;
use rushlight::pydoc;

/// The same elements in another shape.
pub fn reshape_to(py: Python<'_>, x: &Tensor, shape: &Ints, copy: Option<bool>) -> PyResult<Tensor> {
    let shape = shape.reshape(x.elem_count())?;
    if shape.elem_count() != x.elem_count() {
        return Err(PyValueError::new_err(format!(
            "reshape: the shape {:?} has {} elements, the tensor of shape {:?} has {}",
            shape,
            shape.elem_count(),
            x.shape(),
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
                    x.shape()
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

pub fn reshape(py: Python<'_>, x: Arg, shape: Ints, copy: Option<bool>) -> PyResult<PyTensor> {
    reshape_to(py, &x.0, &shape, copy).map(PyTensor::new)
}

pub fn permute_dims(x: Arg, axes: Ints) -> PyResult<PyTensor> {
    permuted(&x.0, &axes).map(PyTensor::new)
}

pub fn squeeze(x: Arg, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<PyTensor> {
    squeezed(&x.0, either(axis, dim, ("axis", "dim"))?.as_ref()).map(PyTensor::new)
}

pub fn expand_dims(x: Arg, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<PyTensor> {
    let axes = either(axis, dim, ("axis", "dim"))?;
    let axes = axes.ok_or_else(|| PyTypeError::new_err("expand_dims() misses the argument 'axis'"))?;
    expanded(&x.0, &axes).map(PyTensor::new)
}

pub fn broadcast_to(x: Arg, shape: Ints) -> PyResult<PyTensor> {
    of("broadcast_to", x.0.broadcast_as(shape.shape()?)).py().map(PyTensor::new)
}

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

pub fn stack(py: Python<'_>, arrays: Arrays, axis: i64, dim: Option<i64>) -> PyResult<PyTensor> {
    let rank = arrays.0.first().map_or(0, Tensor::rank);
    let a = crate::args::axis("stack", axis_or_dim(axis, 0, dim)?, rank + 1)?;
    if let Some(t) = arrays.0.iter().find(|t| t.shape() != arrays.0[0].shape()) {
        return Err(PyValueError::new_err(format!(
            "stack: shapes {:?} and {:?} differ",
            arrays.0[0].shape(),
            t.shape()
        )));
    }
    joined(py, arrays, |all| Tensor::stack(all, a))
}

fn pieces(x: &Tensor, dim: usize) -> PyResult<Vec<PyTensor>> {
    (0..countable("unstack", x.dims()[dim])?).map(|i| x.get_on_dim(dim, i).py().map(PyTensor::new)).collect()
}

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
    #[doc = pydoc!(
        "Reorders the dimensions, as a view.";
        (axes: "int or sequence of int" "Order of the dimensions, as one sequence or as separate integers.") -> "Tensor" "View with dimension ``axes[i]`` as dimension i.";
        (axis, ValueError: "If a dimension is missing or given twice.");
        [">>> rl.ones((2, 3, 4)).permute_dims(2, 0, 1).shape", "(4, 2, 3)"]
    )]
    #[pyo3(signature = (axes, *more))]
    fn permute_dims(&self, axes: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        permuted(&self.get(), &axes.more(more)?).map(Self::new)
    }

    #[doc = pydoc!(
        "Reorders the dimensions, as a view. PyTorch's name of ``permute_dims``.";
        (dims: "int or sequence of int" "Order of the dimensions, as one sequence or as separate integers.") -> "Tensor" "View with dimension ``dims[i]`` as dimension i.";
        (axis, ValueError: "If a dimension is missing or given twice.");
        [">>> rl.ones((2, 3, 4)).permute(2, 0, 1).shape", "(4, 2, 3)"]
    )]
    #[pyo3(signature = (dims, *more))]
    fn permute(&self, dims: Ints, more: &Bound<'_, PyTuple>) -> PyResult<Self> {
        permuted(&self.get(), &dims.more(more)?).map(Self::new)
    }

    #[doc = pydoc!(
        "Exchanges two dimensions, as a view.";
        (dim0: "int" "First dimension.", dim1: "int" "Second dimension.") -> "Tensor" "View with the dimensions exchanged.";
        (axis);
        [">>> rl.ones((2, 3, 4)).transpose(0, 2).shape", "(4, 3, 2)"]
    )]
    #[pyo3(signature = (dim0, dim1, /))]
    fn transpose(&self, dim0: i64, dim1: i64) -> PyResult<Self> {
        let t = self.get();
        let (a, b) = (axis("transpose", dim0, t.rank())?, axis("transpose", dim1, t.rank())?);
        t.transpose(a, b).py().map(Self::new)
    }

    #[doc = pydoc!(
        "Transposes a matrix, as a view; a vector or number is returned unchanged.";
        () -> "Tensor" "View of shape (m, n) of a matrix of shape (n, m).";
        (ValueError: "If the tensor has more than two dimensions.");
        [">>> rl.ones((2, 3)).t().shape", "(3, 2)"]
    )]
    fn t(&self) -> PyResult<Self> {
        let t = self.get();
        match t.rank() {
            0 | 1 => Ok(Self::new(t)),
            2 => t.t().py().map(Self::new),
            r => Err(PyValueError::new_err(format!("t() is for at most 2 dimensions, not {r}"))),
        }
    }

    #[doc = pydoc!(
        "Removes dimensions of size 1, as a view.";
        (axis: "int or tuple of int, optional" "Dimensions of size 1 to remove; all of them by default. ``dim`` is PyTorch's name.") -> "Tensor" "View without these dimensions.";
        (axis, ValueError: "If a dimension does not have size 1.");
        [">>> rl.ones((1, 3, 1)).squeeze(0).shape", "(3, 1)"]
    )]
    #[pyo3(signature = (axis = None, *, dim = None))]
    fn squeeze(&self, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<Self> {
        squeezed(&self.get(), either(axis, dim, ("axis", "dim"))?.as_ref()).map(Self::new)
    }

    #[doc = pydoc!(
        "Inserts a dimension of size 1, as a view.";
        (dim: "int" "Index of the new dimension in the result; a negative one counts from the end.") -> "Tensor" "View with the new dimension.";
        (axis);
        [">>> rl.ones(3).unsqueeze(0).shape", "(1, 3)"]
    )]
    #[pyo3(signature = (dim))]
    fn unsqueeze(&self, dim: i64) -> PyResult<Self> {
        expanded(&self.get(), &Ints { values: vec![dim], single: true }).map(Self::new)
    }

    #[doc = pydoc!(
        "Inserts dimensions of size 1, as a view.";
        (axis: "int or tuple of int" "Indices of the new dimensions in the result; negative ones count from the end.") -> "Tensor" "View with the new dimensions.";
        (axis);
        [">>> rl.ones(3).expand_dims(0).shape", "(1, 3)"]
    )]
    #[pyo3(signature = (axis, /))]
    fn expand_dims(&self, axis: Ints) -> PyResult<Self> {
        expanded(&self.get(), &axis).map(Self::new)
    }

    #[doc = pydoc!(
        "Broadcasts the tensor to a shape, as a view.";
        (shape: "int or sequence of int" "Shape of the result, as one sequence or as separate integers; -1 keeps a size.") -> "Tensor" "View in which repeated elements share memory.";
        (broadcast);
        [
            ">>> rl.tensor([[1], [2]]).expand(-1, 3)",
            "tensor([[1, 1, 1],",
            "        [2, 2, 2]], dtype=int64, device='cpu')",
        ]
    )]
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

    #[doc = pydoc!(
        "Broadcasts the tensor to the shape of another tensor, as a view.";
        (other: "Tensor" "Tensor that gives the shape.") -> "Tensor" "View in which repeated elements share memory.";
        (broadcast);
        [
            ">>> rl.tensor([1, 2]).expand_as(rl.ones((2, 2)))",
            "tensor([[1, 2],",
            "        [1, 2]], dtype=int64, device='cpu')",
        ]
    )]
    #[pyo3(signature = (other, /))]
    fn expand_as(&self, other: Arg) -> PyResult<Self> {
        self.get().broadcast_as(other.0.shape().clone()).py().map(Self::new)
    }

    #[doc = pydoc!(
        "Joins consecutive dimensions into one.";
        (start_dim: "int, default 0" "First dimension to join.", end_dim: "int, default -1" "Last dimension to join.") -> "Tensor" "Tensor with one dimension in place of these; memory is shared where that is possible.";
        (axis, ValueError: "If ``start_dim`` comes after ``end_dim``.");
        [">>> rl.ones((2, 3, 4)).flatten().shape", "(24,)"]
    )]
    #[pyo3(signature = (start_dim = 0, end_dim = -1))]
    fn flatten(&self, py: Python<'_>, start_dim: i64, end_dim: i64) -> PyResult<Self> {
        flatten_of(py, &self.get(), start_dim, end_dim).map(Self::new)
    }

    #[doc = pydoc!(
        "Returns a range of entries along a dimension, as a view.";
        (dim: "int" "Dimension; a negative one counts from the end.", start: "int" "First entry.", length: "int" "Number of entries.") -> "Tensor" "View of these entries.";
        (axis, ValueError: "If the range exceeds the dimension, or a number is negative.");
        [">>> rl.arange(5).narrow(0, 1, 3)", "tensor([1, 2, 3], dtype=int64, device='cpu')"]
    )]
    #[pyo3(signature = (dim, start, length))]
    fn narrow(&self, dim: i64, start: Whole, length: Whole) -> PyResult<Self> {
        let t = self.get();
        let d = axis("narrow", dim, t.rank())?;
        let (start, length) = (start.count("narrow", "start")?, length.count("narrow", "length")?);
        t.narrow(d, start, length).py().map(Self::new)
    }

    #[doc = pydoc!(
        "Splits the tensor along a dimension into pieces of given sizes.";
        (split_size_or_sections: "int or sequence of int" "Size of each piece (the last may be smaller), or the size of every piece.", axis_first) -> "tuple[Tensor, ...]" "Views, in order.";
        (axis, ValueError: "If a size is not positive, or the sizes do not add up to the length of the axis.");
        [">>> [p.tolist() for p in rl.arange(5).split([1, 4])]", "[[0], [1, 2, 3, 4]]"]
    )]
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

    #[doc = pydoc!(
        "Splits the tensor along a dimension into at most ``chunks`` pieces of one size.";
        (chunks: "int" "Number of pieces; the last may be smaller, and there may be fewer.", axis_first) -> "tuple[Tensor, ...]" "Views, in order.";
        (axis, ValueError: "If ``chunks`` is not positive.");
        [">>> [p.tolist() for p in rl.arange(5).chunk(2)]", "[[0, 1, 2], [3, 4]]"]
    )]
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

    #[doc = pydoc!(
        "Splits the tensor into its entries along a dimension.";
        (axis_first) -> "tuple[Tensor, ...]" "Views without the dimension, one for each entry.";
        (axis);
        [">>> rl.tensor([[1, 2], [3, 4]]).unbind()[0]", "tensor([1, 2], dtype=int64, device='cpu')"]
    )]
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

pub fn flatten(py: Python<'_>, x: Arg, start_dim: i64, end_dim: i64) -> PyResult<PyTensor> {
    flatten_of(py, &x.0, start_dim, end_dim).map(PyTensor::new)
}

pub fn where_(py: Python<'_>, condition: Arg, x1: Operand, x2: Operand) -> PyResult<PyTensor> {
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

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "reshape(x, /, shape, *, copy=None)";
            "Returns the elements in another shape; memory is shared where that is possible.";
            (x, new_shape, copy: "bool, optional" "True copies always; False raises an error where a copy is needed.") -> "Tensor" "Tensor in the new shape.";
            (ValueError: "If the number of elements differs, or ``copy=False`` and a copy is needed.");
            [
                ">>> rl.reshape(rl.arange(6), (2, -1))",
                "tensor([[0, 1, 2],",
                "        [3, 4, 5]], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, shape: Ints, copy: Option<bool>| reshape(py, x, shape, copy)
        ),
        function!(
            "permute_dims(x, /, axes)";
            "Reorders the dimensions, as a view.";
            (x, axes: "sequence of int" "Order of the dimensions, each of them once.") -> "Tensor" "View with dimension ``axes[i]`` of ``x`` as dimension i.";
            (axis, ValueError: "If a dimension is missing or given twice.");
            [">>> rl.permute_dims(rl.ones((2, 3, 4)), (2, 0, 1)).shape", "(4, 2, 3)"];
            |py, x: Arg, axes: Ints| permute_dims(x, axes)
        ),
        function!(
            "squeeze(x, /, axis=None, *, dim=None)";
            "Removes dimensions of size 1, as a view.";
            (x, axis: "int or tuple of int, optional" "Dimensions of size 1 to remove; all of them by default. ``dim`` is PyTorch's name.") -> "Tensor" "View without these dimensions.";
            (axis, ValueError: "If a dimension does not have size 1.");
            [">>> rl.squeeze(rl.ones((1, 3, 1))).shape", "(3,)"];
            |py, x: Arg, axis: Option<Ints>, dim: Option<Ints>| squeeze(x, axis, dim)
        ),
        function!(
            "expand_dims(x, /, axis=None, *, dim=None)";
            "Inserts dimensions of size 1, as a view.";
            (x, axis: "int or tuple of int" "Indices of the new dimensions in the result; negative ones count from the end. ``dim`` is PyTorch's name.") -> "Tensor" "View with the new dimensions.";
            (axis, TypeError: "If ``axis`` is missing.");
            [">>> rl.expand_dims(rl.ones(3), axis=0).shape", "(1, 3)"];
            |py, x: Arg, axis: Option<Ints>, dim: Option<Ints>| expand_dims(x, axis, dim)
        ),
        function!(
            "broadcast_to(x, /, shape)";
            "Broadcasts a tensor to a shape, as a view.";
            (x, shape: "int or sequence of int" "Shape of the result.") -> "Tensor" "View in which repeated elements share memory.";
            (broadcast);
            [
                ">>> rl.broadcast_to(rl.tensor([1, 2]), (2, 2))",
                "tensor([[1, 2],",
                "        [1, 2]], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, shape: Ints| broadcast_to(x, shape)
        ),
        function!(
            "matrix_transpose(x, /)";
            "Exchanges the last two dimensions, as a view.";
            (x) -> "Tensor" "View of shape (.., m, n) of a tensor of shape (.., n, m).";
            (ValueError: "If ``x`` has rank 0 or 1.");
            [">>> rl.matrix_transpose(rl.ones((5, 2, 3))).shape", "(5, 3, 2)"];
            |py, x: Arg| matrix_transpose(x)
        ),
        function!(
            "concat(arrays, /, axis=0, *, dim=None)";
            "Joins tensors along an existing axis.";
            (arrays: "sequence of Tensor" "Tensors whose sizes match on all other axes.", axis: "int or None, default 0" "Axis to join along; None joins the flattened tensors. ``dim`` is PyTorch's name.") -> "Tensor" "New tensor in the common dtype.";
            (axis, ValueError: "If there are no tensors, or their sizes do not match.");
            [">>> rl.concat([rl.tensor([1, 2]), rl.tensor([3])])", "tensor([1, 2, 3], dtype=int64, device='cpu')"];
            |py, arrays: Arrays, axis: Option<i64>, dim: Option<i64>| concat(py, arrays, axis, dim)
        ),
        function!(
            "stack(arrays, /, axis=0, *, dim=None)";
            "Joins tensors of one shape along a new axis.";
            (arrays: "sequence of Tensor" "Tensors of one shape.", axis: "int, default 0" "Index of the new axis in the result. ``dim`` is PyTorch's name.") -> "Tensor" "New tensor in the common dtype.";
            (axis, ValueError: "If there are no tensors, or their shapes differ.");
            [
                ">>> rl.stack([rl.tensor([1, 2]), rl.tensor([3, 4])])",
                "tensor([[1, 2],",
                "        [3, 4]], dtype=int64, device='cpu')",
            ];
            |py, arrays: Arrays, axis: i64, dim: Option<i64>| stack(py, arrays, axis, dim)
        ),
        function!(
            "unstack(x, /, *, axis=0, dim=None)";
            "Splits a tensor into its entries along an axis.";
            (x, axis_first) -> "tuple[Tensor, ...]" "Views without the axis, one for each entry.";
            (axis);
            [">>> rl.unstack(rl.tensor([[1, 2], [3, 4]]))[0]", "tensor([1, 2], dtype=int64, device='cpu')"];
            |py, x: Arg, axis: i64, dim: Option<i64>| unstack(py, x, axis, dim)
        ),
        function!(
            "split(x, /, split_size_or_sections, axis=0, *, dim=None)";
            "Splits a tensor along an axis into pieces of given sizes.";
            (x, split_size_or_sections: "int or sequence of int" "Size of each piece (the last may be smaller), or the size of every piece.", axis_first) -> "tuple[Tensor, ...]" "Views, in order.";
            (axis, ValueError: "If a size is not positive, or the sizes do not add up to the length of the axis.");
            [">>> [p.tolist() for p in rl.split(rl.arange(5), 2)]", "[[0, 1], [2, 3], [4]]"];
            |py, x: Arg, split_size_or_sections: Ints, axis: i64, dim: Option<i64>|
            split(py, x, split_size_or_sections, axis, dim)
        ),
        function!(
            "chunk(x, /, chunks, axis=0, *, dim=None)";
            "Splits a tensor along an axis into at most ``chunks`` pieces of one size.";
            (x, chunks: "int" "Number of pieces; the last may be smaller, and there may be fewer.", axis_first) -> "tuple[Tensor, ...]" "Views, in order.";
            (axis, ValueError: "If ``chunks`` is not positive.");
            [">>> [p.tolist() for p in rl.chunk(rl.arange(5), 2)]", "[[0, 1, 2], [3, 4]]"];
            |py, x: Arg, chunks: Whole, axis: i64, dim: Option<i64>| chunk(py, x, chunks, axis, dim)
        ),
        function!(
            "flatten(x, /, start_dim=0, end_dim=-1)";
            "Joins consecutive dimensions into one.";
            (x, start_dim: "int, default 0" "First dimension to join.", end_dim: "int, default -1" "Last dimension to join.") -> "Tensor" "Tensor with one dimension in place of these; memory is shared where that is possible.";
            (axis, ValueError: "If ``start_dim`` comes after ``end_dim``.");
            [">>> rl.flatten(rl.ones((2, 3, 4)), 1).shape", "(2, 12)"];
            |py, x: Arg, start_dim: i64, end_dim: i64| flatten(py, x, start_dim, end_dim)
        ),
        function!(
            "where(condition, x1=None, x2=None, /)";
            "Selects elements of two tensors by a condition; with the condition alone finds where it is nonzero, as ``nonzero`` does.";
            (condition: "Tensor" "Condition, of dtype bool; alone of any dtype.", x1: "Tensor or number" "Elements where the condition is True.", x2: "Tensor or number" "Elements where it is False.") -> "Tensor or tuple[Tensor, ...]" "Result in the common dtype of ``x1`` and ``x2``, in the common shape of all three; of the condition alone one vector of int64 indices for each dimension.";
            (broadcast, TypeError: "If the condition is not of dtype bool, or one of ``x1`` and ``x2`` is missing.");
            [
                ">>> x = rl.tensor([-1, 2])",
                ">>> rl.where(x > 0, x, 0)", "tensor([0, 2], dtype=int64, device='cpu')",
                ">>> rl.where(x > 0)", "(tensor([1], dtype=int64, device='cpu'),)"
            ];
            |py, condition: Arg, x1: Option<Operand>, x2: Option<Operand>| match (x1, x2) {
                (Some(x1), Some(x2)) => where_(py, condition, x1, x2).and_then(|t| t.into_bound_py_any(py)),
                (None, None) => nonzero(py, condition, true),
                _ => Err(PyTypeError::new_err("where: give the condition alone, or both x1 and x2")),
            }
        ),
    ]
}
