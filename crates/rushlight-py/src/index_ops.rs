//! Ops with index tensors: taking, gathering, scattering, embedding, finding nonzero elements.
use crate::args::{Arg, NumArg, Operand, Whole, axis, axis_or_dim, either};
use crate::error::{OrPy, run};
use crate::function::{Function, document, function};
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

/// Converts indices to a dtype that index ops support, and returns their mode: signed indices count from the end if they
/// are negative. `None` if the dtype is not an integer one.
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

/// Returns the same as [`indices`]; errors name the function `op`.
fn wrapped(ids: &Tensor, op: &str) -> PyResult<(Tensor, IndexMode)> {
    match indices(ids) {
        Some(found) => found.py(),
        None => Err(PyTypeError::new_err(format!(
            "{op}: indices must be integers, not {}",
            crate::dtype::name(ids.dtype())
        ))),
    }
}

fn take(py: Python<'_>, x: Arg, indices: Arg, axis: Option<i64>, dim: Option<i64>) -> PyResult<PyTensor> {
    let at = match either(axis, dim, ("axis", "dim"))? {
        Some(a) => a,
        None if x.0.rank() == 1 => 0,
        None => return Err(PyValueError::new_err("take: a tensor of another rank than 1 needs an axis")),
    };
    let ids = wrapped(&indices.0, "take")?;
    picked(py, &x.0, ids, at, "take")
}

/// Selects entries of an axis; errors name the function `op`.
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
        let op_def = Op::IndexSelect(IndexSelect { dim: d, rule });
        called(op, || Tensor::run(op_def, &[x, &ids.flatten_all()?]))?.reshape(shape)
    })
    .map(PyTensor::new)
}

fn gathered(py: Python<'_>, x: &Tensor, ids: &Tensor, at: i64, op: &'static str) -> PyResult<PyTensor> {
    let d = axis(op, at, x.rank())?;
    let (ids, rule) = wrapped(ids, op)?;
    let op_def = Op::Gather(Gather { dim: d, rule });
    run(py, ids.elem_count(), || called(op, || Tensor::run(op_def, &[x, &ids]))).map(PyTensor::new)
}

fn take_along_axis(py: Python<'_>, x: Arg, indices: Arg, axis: i64, dim: Option<i64>) -> PyResult<PyTensor> {
    let (x, ids) = (&x.0, &indices.0);
    let axis = axis_or_dim(axis, -1, dim)?;
    let d = crate::args::axis("take_along_axis", axis, x.rank())?;
    if ids.rank() != x.rank() {
        return Err(PyValueError::new_err(format!(
            "take_along_axis: shapes {:?} and {:?} have different ranks",
            x.shape(),
            ids.shape()
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
                    x.shape(),
                    ids.shape()
                )));
            }
        }
    }
    let (x, ids) = (x.broadcast_as(a).py()?, ids.broadcast_as(b).py()?);
    gathered(py, &x, &ids, axis, "take_along_axis")
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
    let op_def = Scatter { dim: d, mode, in_place: false, rule };
    run(py, x.elem_count(), || called(op, || Tensor::run(Op::Scatter(op_def), &[x, &ids, &src])))
        .map(PyTensor::new)
}

fn index_select(py: Python<'_>, x: Arg, dim: i64, index: Arg) -> PyResult<PyTensor> {
    let ids = wrapped(&index.0, "index_select")?;
    picked(py, &x.0, ids, dim, "index_select")
}

fn index_add(py: Python<'_>, x: Arg, dim: i64, index: Arg, source: Arg) -> PyResult<PyTensor> {
    let d = axis("index_add", dim, x.0.rank())?;
    let (ids, rule) = wrapped(&index.0, "index_add")?;
    let src = source.0.to_dtype(x.0.dtype()).py()?;
    let op_def = Op::IndexAdd(IndexAdd { dim: d, rule });
    run(py, x.0.elem_count(), || Tensor::run(op_def, &[&x.0, &ids, &src])).map(PyTensor::new)
}

/// Rows of a table, one for each id.
fn embedding(py: Python<'_>, input: Arg, weight: Arg) -> PyResult<PyTensor> {
    if weight.0.rank() != 2 {
        return Err(PyValueError::new_err(format!(
            "embedding: the table has shape {:?}, not 2 axes",
            weight.0.shape()
        )));
    }
    // A negative index is an error here, as in PyTorch.
    let (ids, _) = wrapped(&input.0, "embedding")?;
    picked(py, &weight.0, (ids, IndexMode::Within), 0, "embedding")
}

/// Returns rows with 1 at the index that each value gives and 0 elsewhere, in a new last dimension; int64.
fn one_hot(py: Python<'_>, x: Arg, num_classes: Whole) -> PyResult<PyTensor> {
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

fn nonzero<'py>(py: Python<'py>, x: Arg, as_tuple: bool) -> PyResult<Bound<'py, PyAny>> {
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

fn masked_fill(py: Python<'_>, x: Tensor, mask: Arg, value: NumArg) -> PyResult<PyTensor> {
    if promote_scalar(x.dtype(), value.0) != x.dtype() {
        let dtype = crate::dtype::name(x.dtype());
        return Err(PyTypeError::new_err(format!("masked_fill: the value is of another kind than {dtype}")));
    }
    crate::manipulate::where_(py, mask, Operand::Num(value.0), Operand::Tensor(x))
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "take(x, indices, /, axis=None, *, dim=None)";
            "Selects entries along an axis by indices of any shape.";
            (x, indices, axis_of_vector) -> "Tensor" "Entries; the axis is replaced by the dimensions of ``indices``.";
            (index, ValueError: "If ``axis`` is missing and ``x`` is not a vector.");
            [
                ">>> rl.take(rl.tensor([10, 20, 30]), rl.tensor([2, 0]))",
                "tensor([30, 10], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, indices: Arg, axis: Option<i64>, dim: Option<i64>| take(py, x, indices, axis, dim)
        )
        .method(),
        function!(
            "take_along_axis(x, indices, /, axis=-1, *, dim=None)";
            "Selects one element for each index: ``out[i, j] = x[i, indices[i, j]]`` along axis 1.\n\nThe axes other than ``axis`` are broadcast.";
            (x, indices, axis_last) -> "Tensor" "Elements in the shape of ``indices``.";
            (index, ValueError: "If the shapes do not match.");
            [
                ">>> x = rl.tensor([[3, 1], [2, 4]])",
                ">>> rl.take_along_axis(x, rl.argsort(x))",
                "tensor([[1, 3],",
                "        [2, 4]], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, indices: Arg, axis: i64, dim: Option<i64>| take_along_axis(py, x, indices, axis, dim)
        ),
        function!(
            "gather(x, dim, index, /)";
            "Selects one element for each index: ``out[i, j] = x[i, index[i, j]]`` along dimension 1.";
            (x, dim, index) -> "Tensor" "Elements in the shape of ``index``.";
            (index, ValueError: "If the shapes do not match.");
            [
                ">>> rl.gather(rl.tensor([[1, 2], [3, 4]]), 1, rl.tensor([[1], [0]]))",
                "tensor([[2],",
                "        [3]], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, dim: i64, index: Arg| gathered(py, &x.0, &index.0, dim, "gather")
        )
        .method_as("gather(dim, index)"),
        function!(
            "scatter(x, dim, index, src, /)";
            "Returns a copy with elements written at indices: ``out[i, index[i, j]] = src[i, j]`` along dimension 1.\n\nOf equal indices the last one wins.";
            (x, dim, index, src: "Tensor or number" "Values to write; a tensor has at least the shape of ``index``.") -> "Tensor" "Copy of ``x`` with these elements replaced.";
            (index, ValueError: "If the shapes do not match.");
            [
                ">>> rl.scatter(rl.zeros(3), 0, rl.tensor([2, 0]), rl.tensor([5.0, 7.0]))",
                "tensor([7., 0., 5.], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, dim: i64, index: Arg, src: Operand| scattered(py, &x.0, dim, &index.0, &src, ScatterMode::Set)
        )
        .method_as("scatter(dim, index, src)"),
        function!(
            "scatter_add(x, dim, index, src, /)";
            "Returns a copy with elements added at indices: ``out[i, index[i, j]] += src[i, j]`` along dimension 1.";
            (x, dim, index, src: "Tensor or number" "Values to add; a tensor has at least the shape of ``index``.") -> "Tensor" "Copy of ``x`` with the values added.";
            (index, ValueError: "If the shapes do not match.");
            [
                ">>> rl.scatter_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))",
                "tensor([ 0.,  0., 12.], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, dim: i64, index: Arg, src: Operand| scattered(py, &x.0, dim, &index.0, &src, ScatterMode::Add)
        )
        .method_as("scatter_add(dim, index, src)"),
        function!(
            "index_select(x, dim, index, /)";
            "Selects entries along a dimension by a vector of indices.";
            (x, dim, index) -> "Tensor" "Copy with one entry for each index.";
            (index);
            [
                ">>> rl.index_select(rl.tensor([10, 20, 30]), 0, rl.tensor([2, 0]))",
                "tensor([30, 10], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, dim: i64, index: Arg| index_select(py, x, dim, index)
        )
        .method_as("index_select(dim, index)"),
        function!(
            "index_add(x, dim, index, source, /)";
            "Returns a copy with entries of ``source`` added along a dimension at indices.";
            (x, dim, index, source: "Tensor" "Entries to add, one for each index.") -> "Tensor" "Copy of ``x`` with the entries added.";
            (index, ValueError: "If the shapes do not match.");
            [
                ">>> rl.index_add(rl.zeros(3), 0, rl.tensor([2, 2]), rl.tensor([5.0, 7.0]))",
                "tensor([ 0.,  0., 12.], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, dim: i64, index: Arg, source: Arg| index_add(py, x, dim, index, source)
        )
        .method_as("index_add(dim, index, source)"),
        function!(
            "nonzero(x, /, *, as_tuple=True)";
            "Returns the indices of the nonzero elements, in row-major order.";
            (
                x: "Tensor" "Input of rank 1 or more, of any dtype.",
                as_tuple: "bool, default True" "True returns one vector for each dimension, as in the array API; False returns a matrix with one row for each element, as in PyTorch."
            ) -> "tuple[Tensor, ...] or Tensor" "Indices, of dtype int64.";
            (ValueError: "If ``x`` has rank 0.");
            [
                ">>> rl.nonzero(rl.tensor([0, 3, 0, 4]))", "(tensor([1, 3], dtype=int64, device='cpu'),)",
                ">>> rl.nonzero(rl.tensor([0, 3]), as_tuple=False)", "tensor([[1]], dtype=int64, device='cpu')"
            ];
            |py, x: Arg, as_tuple: bool| nonzero(py, x, as_tuple)
        )
        .method_with(
            "nonzero(*, as_tuple=False)",
            document!(
                "Returns the indices of the nonzero elements, in row-major order.";
                (as_tuple: "bool, default False" "False returns a matrix with one row for each element; True returns one vector for each dimension.") -> "Tensor or tuple[Tensor, ...]" "Indices, of dtype int64.";
                (ValueError: "If the tensor has rank 0.");
                [
                    ">>> rl.tensor([[0, 3], [4, 0]]).nonzero()",
                    "tensor([[0, 1],",
                    "        [1, 0]], dtype=int64, device='cpu')",
                ]
            ),
        ),
        function!(
            "_embedding(input, weight, /)"; "Rows of a table, one for each id."; () -> "Tensor" ""; (); [];
            |py, input: Arg, weight: Arg| embedding(py, input, weight)
        ),
        function!(
            "_one_hot(x, num_classes, /)"; "Returns rows with 1 at the index that each value gives and 0 elsewhere, in a new last dimension; int64."; () -> "Tensor" ""; (); [];
            |py, x: Arg, num_classes: Whole| one_hot(py, x, num_classes)
        ),
        function!(
            "masked_fill(x, mask, value)";
            "Returns a copy with a value written where a mask is True.";
            (x, mask: "Tensor" "Mask, of dtype bool.", value: "number" "Value to write; it fits the dtype of the tensor.") -> "Tensor" "Copy with these elements replaced.";
            (broadcast, TypeError: "If the mask is not of dtype bool, or the value is of another kind than the dtype.");
            [
                ">>> rl.masked_fill(rl.tensor([1, 2, 3]), rl.tensor([True, False, True]), 0)",
                "tensor([0, 2, 0], dtype=int64, device='cpu')",
            ];
            |py, x: Arg, mask: Arg, value: NumArg| masked_fill(py, x.0, mask, value)
        )
        .method()
        .method_only(),
    ]
}
