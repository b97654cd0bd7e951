//! Functions along an axis: reversing, sorting indices, running sums.
use crate::args::{Arg, Ints, axis, axis_or_dim, either};
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::pydoc;
use rushlight::{DType, Kind, Tensor};

#[doc = pydoc!(
    "Reverses the order of elements along axes.";
    (x, axis: "int or tuple of int, optional" "Axes to reverse; all of them by default. ``dim`` is PyTorch's name.") -> "Tensor" "New tensor in the shape of ``x``.";
    (axes);
    [">>> rl.flip(rl.tensor([1, 2, 3]))", "tensor([3, 2, 1], dtype=int64, device='cpu')"]
)]
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

#[doc = pydoc!(
    "Returns the indices that sort a tensor along an axis; NaN counts as the largest.";
    (x, axis_last, descending: "bool, default False" "Whether to sort from the largest element to the smallest.", stable: "bool, default True" "Accepted for compatibility; sorting is always stable.") -> "Tensor" "Indices, of dtype int64.";
    (axis);
    [">>> rl.argsort(rl.tensor([3, 1, 2]))", "tensor([1, 2, 0], dtype=int64, device='cpu')"]
)]
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

#[doc = pydoc!(
    "Computes running sums along an axis.";
    (x, axis_of_vector, dtype: "DType or str, optional" "Dtype to sum in, and of the result; 64-bit for integers by default.", include_initial: "bool, default False" "Whether the result begins with 0, so that the axis is longer by one.") -> "Tensor" "Running sums.";
    (axis, ValueError: "If ``axis`` is missing and ``x`` is not a vector.");
    [">>> rl.cumulative_sum(rl.tensor([1, 2, 3]))", "tensor([1, 3, 6], dtype=int64, device='cpu')"]
)]
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

#[pymethods]
impl PyTensor {
    #[doc = pydoc!(
        "Reverses the order of elements along axes.";
        (axis: "int or tuple of int, optional" "Axes to reverse; all of them by default. ``dim`` is PyTorch's name.") -> "Tensor" "New tensor in the shape of the tensor.";
        (axes);
        [
            ">>> rl.tensor([[1, 2], [3, 4]]).flip(1)",
            "tensor([[2, 1],",
            "        [4, 3]], dtype=int64, device='cpu')",
        ]
    )]
    #[pyo3(signature = (axis = None, *, dim = None))]
    fn flip(&self, py: Python<'_>, axis: Option<Ints>, dim: Option<Ints>) -> PyResult<Self> {
        flip(py, Arg(self.get()), axis, dim)
    }

    #[doc = pydoc!(
        "Returns the indices that sort the tensor along an axis; NaN counts as the largest.";
        (axis_last, descending: "bool, default False" "Whether to sort from the largest element to the smallest.", stable: "bool, default True" "Accepted for compatibility; sorting is always stable.") -> "Tensor" "Indices, of dtype int64.";
        (axis);
        [">>> rl.tensor([3, 1, 2]).argsort(descending=True)", "tensor([0, 2, 1], dtype=int64, device='cpu')"]
    )]
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

    #[doc = pydoc!(
        "Computes running sums along a dimension.";
        (axis_of_vector, dtype: "DType or str, optional" "Dtype to sum in, and of the result; 64-bit for integers by default.") -> "Tensor" "Running sums.";
        (axis, ValueError: "If ``dim`` is missing and the tensor is not a vector.");
        [">>> rl.tensor([1, 2, 3]).cumsum(0)", "tensor([1, 3, 6], dtype=int64, device='cpu')"]
    )]
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
}
