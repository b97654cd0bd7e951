//! Reductions that are made of several ops: moments with a correction, log-sum-exp. The others are made of their op definitions.
use crate::args::{Arg, Flag, Ints, NoOut, axes_or_all, either, keep};
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::function::{Function, document, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::{DType, Tensor};

/// Returns the tensor in a float or complex dtype.
fn floats(py: Python<'_>, x: &Tensor) -> PyResult<Tensor> {
    if x.dtype().is_inexact() {
        return Ok(x.clone());
    }
    run(py, x.elem_count(), || x.to_dtype(DType::F32))
}

/// The error of a second argument by position: PyTorch's is `unbiased`, NumPy's `dtype`, the array API has none.
fn axis_alone(name: &str, position: Option<&Bound<'_, PyTuple>>) -> PyResult<()> {
    if position.is_none_or(|p| p.is_empty()) {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: the axis alone is given by position; name the others, as in correction=1 (PyTorch's unbiased=True), \
         dtype= or keepdims=True; several axes are one tuple, as in axis=(0, 1)"
    )))
}

fn moment(
    py: Python<'_>,
    x: &Tensor,
    axes: Vec<usize>,
    correction: f64,
    keepdims: bool,
    root: bool,
) -> PyResult<PyTensor> {
    let x = floats(py, x)?;
    let out = run(py, x.elem_count(), || {
        if root { x.std_with(axes, correction, keepdims) } else { x.var_with(axes, correction, keepdims) }
    });
    out.map(PyTensor::new)
}

/// Declares `var` or `std`: the function, and the method, which also accepts NumPy's arguments.
macro_rules! moment {
    ($name:literal, $root:literal, $summary:literal, $y:literal) => {
        function!(
            concat!($name, "(x, /, axis=None, *position, keepdims=None, correction=0.0, dim=None, keepdim=None, unbiased=None)");
            $summary;
            (x INEXACT, axes, keepdims, correction: "float, default 0.0" "Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.", unbiased: "bool, optional" "PyTorch's name: True is ``correction=1``, False ``correction=0``.") -> "Tensor" "One value for each element of the axes that stay.";
            (axes, dtype);
            [concat!(">>> rl.", $name, "(rl.tensor([1.0, 2.0, 6.0]))"), $y];
            |py, x: Arg, axis: Option<Ints>, position: Option<Bound<'_, PyTuple>>, keepdims: Option<Flag>,
             correction: Option<f64>, ddof: Option<f64>, unbiased: Option<bool>, dtype: Option<DTypeArg>, out: Option<NoOut>,
             dim: Option<Ints>, keepdim: Option<Flag>| {
                let _ = out;
                axis_alone($name, position.as_ref()).and_then(|()| {
                    let x = match dtype {
                        Some(d) => run(py, x.0.elem_count(), || x.0.to_dtype(d.0))?,
                        None => x.0,
                    };
                    let axes = axes_or_all($name, axis, dim, x.rank())?;
                    // 0 is the default of a function.
                    let correction = correction.filter(|c| *c != 0.0 || unbiased.is_none());
                    let correction = either(correction, ddof, ("correction", "ddof"))?;
                    let unbiased = unbiased.map(|yes| if yes { 1.0 } else { 0.0 });
                    let correction = either(correction, unbiased, ("correction", "unbiased"))?.unwrap_or(0.0);
                    moment(py, &x, axes, correction, keep(keepdims, keepdim)?, $root)
                })
            }
        )
        .method_with(
            concat!(
                $name,
                "(axis=None, *position, keepdims=None, correction=None, ddof=None, unbiased=None, dtype=None, out=None, dim=None, keepdim=None)"
            ),
            document!(
                $summary;
                (axes, keepdims, correction: "float, default 0.0" "Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.", unbiased: "bool, optional" "PyTorch's name: True is ``correction=1``, False ``correction=0``.", dtype, out) -> "Tensor" "One value for each element of the axes that stay.";
                (axes, own_dtype);
                [concat!(">>> rl.tensor([1.0, 2.0, 6.0]).", $name, "()"), $y]
            ),
        )
    };
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        moment!(
            "var",
            false,
            "Computes the variance over axes, with the divisor n - correction. That of complex numbers is real: the mean of squared distances.",
            "tensor(4.6667, dtype=float32, device='cpu')"
        ),
        moment!(
            "std",
            true,
            "Computes the standard deviation over axes, with the divisor n - correction. That of complex numbers is real.",
            "tensor(2.1602, dtype=float32, device='cpu')"
        ),
        function!(
            "logsumexp(x, /, axis=None, keepdims=None, *, dim=None, keepdim=None)";
            "Computes log(sum(exp(x))) over axes, without overflow for large elements.";
            (x INEXACT, axes, keepdims) -> "Tensor" "One value for each element of the axes that stay; minus infinity where there is no element.";
            (axes, dtype);
            [">>> rl.logsumexp(rl.tensor([1000.0, 1000.0]))", "tensor(1000.6932, dtype=float32, device='cpu')"];
            |py, x: Arg, axis: Option<Ints>, keepdims: Option<Flag>, dim: Option<Ints>, keepdim: Option<Flag>|
            axes_or_all("logsumexp", axis, dim, x.0.rank())
                .and_then(|axes| logsumexp(py, &x.0, axes, keep(keepdims, keepdim)?))
        )
        .method(),
    ]
}

fn logsumexp(py: Python<'_>, x: &Tensor, axes: Vec<usize>, keepdims: bool) -> PyResult<PyTensor> {
    let x = floats(py, x)?;
    let out = run(py, x.elem_count(), || x.log_sum_exp(axes.clone()))?;
    if !keepdims {
        return Ok(PyTensor::new(out));
    }
    let dims: Vec<usize> = (0..x.rank()).map(|d| if axes.contains(&d) { 1 } else { x.dims()[d] }).collect();
    out.reshape(dims).py().map(PyTensor::new)
}
