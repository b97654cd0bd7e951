//! `tril` and `triu`: the triangles of matrices.
use crate::args::{Arg, either};
use crate::error::{of, run};
use crate::function::{Function, function};
use crate::tensor::PyTensor;

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "tril(x, /, diagonal=None, *, k=None)";
            "Returns the lower triangle of the last two dimensions, with zeros above a diagonal.";
            (x, diagonal: "int, default 0" "Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.") -> "Tensor" "New tensor in the shape of ``x``.";
            (ValueError: "If ``x`` has fewer than two dimensions.");
            [
                ">>> rl.tril(rl.ones((2, 3)))",
                "tensor([[1., 0., 0.],",
                "        [1., 1., 0.]], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, diagonal: Option<i64>, k: Option<i64>| either(diagonal, k, ("diagonal", "k")).and_then(|k| {
                run(py, x.0.elem_count(), || of("tril", x.0.tril(k.unwrap_or(0)))).map(PyTensor::new)
            })
        )
        .method(),
        function!(
            "triu(x, /, diagonal=None, *, k=None)";
            "Returns the upper triangle of the last two dimensions, with zeros below a diagonal.";
            (x, diagonal: "int, default 0" "Diagonal: 0 is the main one, positive ones lie above it. ``k`` is the array API's name.") -> "Tensor" "New tensor in the shape of ``x``.";
            (ValueError: "If ``x`` has fewer than two dimensions.");
            [
                ">>> rl.triu(rl.ones((2, 3)))",
                "tensor([[1., 1., 1.],",
                "        [0., 1., 1.]], dtype=float32, device='cpu')",
            ];
            |py, x: Arg, diagonal: Option<i64>, k: Option<i64>| either(diagonal, k, ("diagonal", "k")).and_then(|k| {
                run(py, x.0.elem_count(), || of("triu", x.0.triu(k.unwrap_or(0)))).map(PyTensor::new)
            })
        )
        .method(),
    ]
}
