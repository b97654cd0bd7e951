//! Functions along an axis. By hand, since `flip` takes its axes one by one, `argsort` an argument without effect, and running sums
//! may begin with 0, which is another op.
use crate::args::{Arg, Ints, axes_or_all, axis as one_axis, axis_or_dim, either, line};
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::function::{Function, document, function};
use crate::op_functions::total;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::{DType, Tensor};

fn order(py: Python<'_>, x: &Tensor, at: Option<i64>, descending: bool) -> PyResult<PyTensor> {
    let (x, d) = line("argsort", x, at)?;
    run(py, x.elem_count(), || x.argsort(d, descending, DType::I64)).map(PyTensor::new)
}

fn running(
    py: Python<'_>,
    x: &Tensor,
    at: Option<i64>,
    dtype: Option<DTypeArg>,
    include_initial: bool,
) -> PyResult<PyTensor> {
    let at = match at {
        Some(a) => a,
        None if x.rank() == 1 => 0,
        None => {
            return Err(PyValueError::new_err(
                "cumulative_sum: a tensor of another rank than 1 needs an axis",
            ));
        }
    };
    let d = one_axis("cumulative_sum", at, x.rank())?;
    let to = dtype.map_or_else(|| total(x.dtype()), |d| d.0);
    let out = run(py, x.elem_count(), || {
        let x = x.to_dtype(to)?;
        // Both parts of complex numbers are summed alike.
        if to.is_complex() { x.real()?.cumsum(d)?.complex(&x.imag()?.cumsum(d)?) } else { x.cumsum(d) }
    })?;
    if !include_initial {
        return Ok(PyTensor::new(out));
    }
    out.pad_with_zeros(d, 1, 0).py().map(PyTensor::new)
}

/// Axes that are given by position: one sequence, or integers one by one.
fn listed(given: &Bound<'_, PyTuple>) -> PyResult<Ints> {
    let first: Ints = given.get_item(0)?.extract()?;
    first.more(&given.get_slice(1, given.len()))
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "flip(x, /, axis=None, *, dim=None, dims=None)";
            "Reverses the order of elements along axes.";
            (x, axis: "int or tuple of int, optional" "Axes to reverse; all of them by default. ``dim`` and ``dims`` are PyTorch's names.") -> "Tensor" "New tensor in the shape of ``x``.";
            (axes);
            [">>> rl.flip(rl.tensor([1, 2, 3]))", "tensor([3, 2, 1], dtype=int64, device='cpu')"];
            |py, x: Arg, axis: Option<Ints>, dim: Option<Ints>, dims: Option<Ints>, more: Option<Bound<'_, PyTuple>>| {
                either(dim, dims, ("dim", "dims"))
                    .and_then(|dims| {
                        let axis = more.filter(|m| !m.is_empty()).map_or(Ok(axis), |m| listed(&m).map(Some))?;
                        axes_or_all("flip", axis, dims, x.0.rank())
                    })
                    .and_then(|axes| run(py, x.0.elem_count(), || x.0.flip(&axes)))
                    .map(PyTensor::new)
            }
        )
        .method_with(
            "flip(*more, axis=None, dim=None, dims=None)",
            document!(
                "Reverses the order of elements along axes.";
                (axis: "int or tuple of int, optional" "Axes to reverse, also by position, as one sequence or as separate integers; all of them by default. ``dims`` is PyTorch's name.", dim: "int or tuple of int, optional" "The same as ``axis``.", dims: "int or tuple of int, optional" "The same as ``axis``.") -> "Tensor" "New tensor in the shape of the tensor.";
                (axes);
                [">>> rl.tensor([1, 2, 3]).flip(0)", "tensor([3, 2, 1], dtype=int64, device='cpu')"]
            ),
        ),
        function!(
            "argsort(x, /, axis=-1, descending=False, *, stable=True, dim=None)";
            "Returns the indices that sort a tensor along an axis; NaN counts as the largest.";
            (x, axis_or_none, descending: "bool, default False" "Whether to sort from the largest element to the smallest.", stable: "bool, default True" "Accepted for compatibility; sorting is always stable.") -> "Tensor" "Indices, of dtype int64.";
            (axis);
            [
                ">>> rl.argsort(rl.tensor([3, 1, 2]))", "tensor([1, 2, 0], dtype=int64, device='cpu')",
                ">>> rl.argsort(rl.tensor([[3, 1], [2, 5]]), axis=None).tolist()", "[1, 2, 0, 3]"
            ];
            |py, x: Arg, axis: Option<i64>, descending: bool, stable: bool, dim: Option<i64>| {
                let _ = stable;
                axis_or_dim(axis, Some(-1), dim.map(Some)).and_then(|at| order(py, &x.0, at, descending))
            }
        )
        .method(),
        function!(
            "cumulative_sum(x, /, axis=None, *, dtype=None, include_initial=False, dim=None)";
            "Computes running sums along an axis.";
            (x, axis_of_vector, dtype: "DType or str, optional" "Dtype to sum in, and of the result; 64-bit for integers by default.", include_initial: "bool, default False" "Whether the result begins with 0, so that the axis is longer by one.") -> "Tensor" "Running sums.";
            (axis, ValueError: "If ``axis`` is missing and ``x`` is not a vector.");
            [">>> rl.cumulative_sum(rl.tensor([1, 2, 3]))", "tensor([1, 3, 6], dtype=int64, device='cpu')"];
            |py, x: Arg, axis: Option<i64>, dtype: Option<DTypeArg>, include_initial: bool, dim: Option<i64>|
            either(axis, dim, ("axis", "dim")).and_then(|at| running(py, &x.0, at, dtype, include_initial))
        ),
        function!(
            "cumsum(x, /, dim=None, *, axis=None, dtype=None)";
            "Computes running sums along a dimension.";
            (x, axis_of_vector, dtype: "DType or str, optional" "Dtype to sum in, and of the result; 64-bit for integers by default.") -> "Tensor" "Running sums.";
            (axis, ValueError: "If ``dim`` is missing and the tensor is not a vector.");
            [">>> rl.cumsum(rl.tensor([1, 2, 3]), 0)", "tensor([1, 3, 6], dtype=int64, device='cpu')"];
            |py, x: Arg, dim: Option<i64>, axis: Option<i64>, dtype: Option<DTypeArg>|
            either(axis, dim, ("axis", "dim")).and_then(|at| running(py, &x.0, at, dtype, false))
        )
        .method()
        .method_only(),
    ]
}
