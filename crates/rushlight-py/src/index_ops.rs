//! Functions of indices and masks that are not a call of one op: they return several tensors, or make a tensor.
use crate::args::{Arg, NumArg, Operand, Whole};
use crate::error::{OrPy, run};
use crate::function::{Function, document, function};
use crate::indexing;
use crate::promote::promote_scalar;
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::error::called;
use rushlight::{DType, Tensor};

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

/// The indices of the nonzero elements.
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
