//! `max`, `min` and `sort`: the array API's values under `axis`, PyTorch's named pair of values and indices under `dim`.
//! `max(x, other)` is `maximum(x, other)`, as in PyTorch.
use crate::args::{
    Arg, Flag, Given, Ints, NoOut, axes_or_all, axis as one_axis, axis_or_dim, either, keep, line,
};
use crate::convert;
use crate::error::run;
use crate::function::{Function, document, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;
use rushlight::ops::gather::Gather;
use rushlight::ops::reduce::ReduceOp;
use rushlight::ops::{IndexMode, Op};
use rushlight::{DType, Tensor};

/// The named pair of `rushlight.return_types`.
fn pair<'py>(py: Python<'py>, values: Tensor, indices: Tensor) -> PyResult<Bound<'py, PyAny>> {
    static CLASS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let class = CLASS.get_or_try_init(py, || {
        py.import("rushlight.return_types")?.getattr("ValuesIndices").map(Bound::unbind)
    })?;
    class.bind(py).call1((PyTensor::new(values), PyTensor::new(indices)))
}

fn single<'py>(py: Python<'py>, t: Tensor) -> PyResult<Bound<'py, PyAny>> {
    Ok(Bound::new(py, PyTensor::new(t))?.into_any())
}

/// Returns a TypeError for an axis given by position to a function: PyTorch then returns a pair, NumPy the
/// values.
fn by_position(name: &str, given: Option<&Bound<'_, PyTuple>>) -> PyResult<()> {
    if given.is_none_or(|given| given.is_empty()) {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: name the axis: dim=1 gives values and indices, as in PyTorch; axis=1 gives the values, as in NumPy \
         (keepdims=True keeps it); several axes are one tuple, as in axis=(0, 1)"
    )))
}

/// Whether an argument is an array, to be compared with the tensor, and not an axis.
fn operand(given: &Bound<'_, PyAny>) -> bool {
    given.is_instance_of::<PyTensor>() || (!given.is_instance_of::<PyTuple>() && convert::is_array(given))
}

/// Returns the second tensor of `max(x, other)`: an argument of that name, or an array in place of the axis.
fn second<'py>(
    name: &str,
    position: Option<&Bound<'py, PyTuple>>,
    dim: Option<&Bound<'py, PyAny>>,
    other: Option<Bound<'py, PyAny>>,
    more: bool,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let first = match position {
        Some(given) if given.len() == 1 => given.get_item(0).ok(),
        _ => None,
    };
    let found = first.or_else(|| dim.cloned()).filter(operand);
    match (found, other) {
        (None, None) => Ok(None),
        (Some(other), None) | (None, Some(other)) if !more => Ok(Some(other)),
        _ => Err(PyTypeError::new_err(format!("{name}: two tensors are compared without an axis"))),
    }
}

/// `maximum` or `minimum` of two tensors.
fn of_two<'py>(
    py: Python<'py>,
    name: &str,
    x: &Tensor,
    other: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let function = py.import("rushlight._native")?.getattr(format!("{name}imum"))?;
    function.call1((PyTensor::new(x.clone()), other))
}

/// Returns the axis that `dim` gives, which must be one.
fn one_dim(name: &str, dim: &Bound<'_, PyAny>, rank: usize) -> PyResult<usize> {
    let given = dim.extract::<Ints>()?;
    match given.values[..] {
        [d] if given.single => one_axis(name, d, rank),
        _ => Err(PyTypeError::new_err(format!(
            "{name}: dim is one axis, since indices are along it; for several take axis=(0, 1) or a{name}"
        ))),
    }
}

/// The largest or smallest element of axes, or its index, as `op` says.
fn extreme(
    py: Python<'_>,
    name: &str,
    x: &Tensor,
    op: ReduceOp,
    axes: &[usize],
    keepdims: bool,
) -> PyResult<Tensor> {
    let n: usize = axes.iter().map(|a| x.dims()[*a]).product();
    if n == 0 && !axes.is_empty() {
        return Err(PyValueError::new_err(format!(
            "{name}: the largest or smallest of no elements is not defined: shape {:?}",
            x.shape()
        )));
    }
    let dtype = if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) { DType::I64 } else { x.dtype() };
    let mask = axes.iter().fold(0, |m, a| m | 1 << a);
    run(py, x.elem_count(), || x.reduce(op, mask, keepdims, dtype))
}

/// The answer of `max` and `min`: the values over axes, or with `dim` the values and indices along one.
fn extremes<'py>(
    py: Python<'py>,
    name: &str,
    x: &Tensor,
    (value, index): (ReduceOp, ReduceOp),
    (axis, dim): (Option<Ints>, Option<Bound<'py, PyAny>>),
    keepdims: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(dim) = dim else {
        let axes = axes_or_all(name, axis, None, x.rank())?;
        return single(py, extreme(py, name, x, value, &axes, keepdims)?);
    };
    if axis.is_some() {
        return Err(PyTypeError::new_err("axis and dim are one parameter; give one"));
    }
    let d = one_dim(name, &dim, x.rank())?;
    // The values are gathered by the indices, so that the gradient goes to the selected element, as in
    // PyTorch.
    let indices = extreme(py, name, x, index, &[d], true)?;
    let gather = Op::Gather(Gather { dim: d, rule: IndexMode::Within });
    let values = run(py, x.elem_count(), || Tensor::run(gather, &[x, &indices]))?;
    if keepdims {
        return pair(py, values, indices);
    }
    let squeezed = |t: Tensor| run(py, 0, || t.squeeze(d));
    pair(py, squeezed(values)?, squeezed(indices)?)
}

/// An extreme over axes, or along one with its indices.
macro_rules! extreme {
    ($name:literal, $value:ident, $index:ident, $summary:literal, $y:literal, $at:literal, $other:literal) => {
        function!(
            concat!($name, "(x, /, *position, axis=None, keepdims=None, dim=None, keepdim=None, other=None)");
            $summary;
            (
                x: "Tensor" "Input, of any dtype but a complex one.",
                axis: "int or tuple of int, optional" "Axes to reduce; all axes by default. The result is a tensor.",
                keepdims,
                dim: "int, optional" "One axis, under PyTorch's name. The result is the pair ``(values, indices)``.",
                other: "Tensor, optional" $other
            ) -> "Tensor or ValuesIndices" "Values in the dtype of ``x``; with ``dim`` also the int64 index of the first of them.";
            (axes, TypeError: "If an axis is given by position.", ValueError: "If there is no element to choose from.");
            [
                concat!(">>> rl.", $name, "(rl.tensor([3, 1, 2]))"), $y,
                concat!(">>> values, indices = rl.", $name, "(rl.tensor([[3, 1, 2]]), dim=1)"),
                ">>> indices", $at
            ];
            |py, x: Arg, position: Option<Bound<'_, PyTuple>>, dim: Option<Bound<'_, PyAny>>,
             keepdim: Option<Flag>, axis: Option<Ints>, keepdims: Option<Flag>, out: Option<NoOut>,
             other: Option<Bound<'_, PyAny>>| {
                let _ = out;
                let more = axis.is_some() || keepdim.is_some() || keepdims.is_some();
                second($name, position.as_ref(), dim.as_ref(), other, more).and_then(|other| {
                    if let Some(other) = other {
                        return of_two(py, $name, &x.0, &other);
                    }
                    by_position($name, position.as_ref())?;
                    let ops = (ReduceOp::$value, ReduceOp::$index);
                    extremes(py, $name, &x.0, ops, (axis, dim), keep(keepdims, keepdim)?)
                })
            }
        )
        .method_with(
            concat!($name, "(dim=None, keepdim=None, *, axis=None, keepdims=None, out=None, other=None)"),
            document!(
                $summary;
                (
                    dim: "int, optional" "One axis, also by position. The result is the pair ``(values, indices)``, as in PyTorch.",
                    axis: "int or tuple of int, optional" "Axes to reduce, as in NumPy; all axes by default. The result is a tensor.",
                    keepdims,
                    out,
                    other: "Tensor, optional" $other
                ) -> "Tensor or ValuesIndices" "Values in the tensor's dtype; with ``dim`` also the int64 index of the first of them.";
                (axes, ValueError: "If there is no element to choose from.");
                [concat!(">>> rl.tensor([3, 1, 2]).", $name, "()"), $y]
            ),
        )
    };
}

fn sorted<'py>(
    py: Python<'py>,
    x: &Tensor,
    at: Option<i64>,
    descending: bool,
    indices: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let (x, d) = line("sort", x, at)?;
    if !indices {
        return single(py, run(py, x.elem_count(), || Ok(x.sort(d, descending)?.0))?);
    }
    part(py, &x, d, descending, (0, usize::MAX))
}

/// Returns at most `count` elements of each sorted line from `start` on, and their indices.
fn part<'py>(
    py: Python<'py>,
    x: &Tensor,
    d: usize,
    descending: bool,
    (start, count): (usize, usize),
) -> PyResult<Bound<'py, PyAny>> {
    let order = run(py, x.elem_count(), || x.argsort_part(d, descending, DType::I64, start, count))?;
    let gather = Op::Gather(Gather { dim: d, rule: IndexMode::Within });
    let values = run(py, x.elem_count(), || Tensor::run(gather, &[x, &order]))?;
    pair(py, values, order)
}

/// Returns the pair of at most `count` sorted elements along an axis from `start` on, and their indices.
#[pyfunction]
#[pyo3(signature = (x, dim, descending, start, count, /))]
pub fn _sort_part<'py>(
    py: Python<'py>,
    x: Arg,
    dim: i64,
    descending: bool,
    start: usize,
    count: usize,
) -> PyResult<Bound<'py, PyAny>> {
    part(py, &x.0, one_axis("sort", dim, x.0.rank())?, descending, (start, count))
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        extreme!(
            "max", Max, ArgMax,
            "Finds the largest element over axes; NaN if there is one.",
            "tensor(3, dtype=int64, device='cpu')", "tensor([0], dtype=int64, device='cpu')",
            "A tensor to compare with, also by position: the result is ``maximum(x, other)``, as in PyTorch."
        ),
        extreme!(
            "min", Min, ArgMin,
            "Finds the smallest element over axes; NaN if there is one.",
            "tensor(1, dtype=int64, device='cpu')", "tensor([1], dtype=int64, device='cpu')",
            "A tensor to compare with, also by position: the result is ``minimum(x, other)``, as in PyTorch."
        ),
        function!(
            "sort(x, /, *position, axis=-1, descending=False, stable=True, dim=None)";
            "Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.";
            (
                x: "Tensor" "Input of rank 1 or more, or of any rank for ``axis=None``.",
                position: "int" "An axis by position is an error, because NumPy's and PyTorch's functions return different things.",
                axis: "int or None, default -1" "Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector.",
                descending: "bool, default False" "Whether to sort from the largest element to the smallest.",
                stable: "bool, default True" "Accepted for compatibility; sorting is always stable.",
                dim: "int, optional" "Axis to sort along, under PyTorch's name. The result is the pair ``(values, indices)``."
            ) -> "Tensor or ValuesIndices" "Sorted values; with ``dim`` also their int64 indices in ``x``.";
            (axis, TypeError: "If the axis is given by position, or by both names.");
            [
                ">>> rl.sort(rl.tensor([3, 1, 2]))", "tensor([1, 2, 3], dtype=int64, device='cpu')",
                ">>> rl.sort(rl.tensor([[3, 1], [2, 5]]), axis=None).tolist()", "[1, 2, 3, 5]",
                ">>> rl.sort(rl.tensor([3, 1, 2]), dim=0).indices", "tensor([1, 2, 0], dtype=int64, device='cpu')"
            ];
            |py, x: Arg, position: Option<Bound<'_, PyTuple>>, axis: Option<i64>, descending: bool, stable: Option<bool>,
             dim: Option<i64>| {
                let _ = stable;
                by_position("sort", position.as_ref()).and_then(|()| {
                    let at = axis_or_dim(axis, Some(-1), dim.map(Some))?;
                    sorted(py, &x.0, at, descending, dim.is_some())
                })
            }
        ),
        function!(
            "sort(x, dim=None, descending=False, *, stable=True, axis=...)";
            "Sorts elements along an axis. The order of equal elements is kept, and NaN counts as the largest.";
            (
                x,
                dim: "int, default -1" "Axis to sort along. The result is the pair ``(values, indices)``, as in PyTorch.",
                descending: "bool, default False" "Whether to sort from the largest element to the smallest.",
                stable: "bool, default True" "Accepted for compatibility; sorting is always stable.",
                axis: "int or None, optional" "Axis to sort along, under NumPy's name. The result is the sorted tensor. None sorts all elements, as a vector."
            ) -> "ValuesIndices or Tensor" "Sorted values and their int64 indices; with ``axis`` the values alone.";
            (axis);
            [
                ">>> values, indices = rl.sort(rl.tensor([3, 1, 2]), descending=True)",
                ">>> values", "tensor([3, 2, 1], dtype=int64, device='cpu')",
                ">>> indices", "tensor([0, 2, 1], dtype=int64, device='cpu')"
            ];
            |py, x: Arg, dim: Option<i64>, descending: bool, stable: Option<bool>,
             axis: Given<Option<i64>>| {
                let _ = stable;
                either(axis.0, dim.map(Some), ("axis", "dim"))
                    .and_then(|at| sorted(py, &x.0, at.unwrap_or(Some(-1)), descending, axis.0.is_none()))
            }
        )
        .method()
        .method_only(),
    ]
}
