//! Reductions: sums, products, extremes and their indices, over any axes.
use crate::args::{Arg, Flag, Ints, NoOut, axes_or_all, either, keep};
use crate::dtype::DTypeArg;
use crate::error::{OrPy, run};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use rushlight::ops::reduce::ReduceOp;
use rushlight::pydoc;
use rushlight::{DType, Kind, Tensor};

fn mask(axes: &[usize]) -> u32 {
    axes.iter().fold(0, |m, a| m | 1 << a)
}

/// A reduction over axes with a chosen output dtype.
pub fn reduce(
    py: Python<'_>,
    x: &Tensor,
    op: ReduceOp,
    axes: &[usize],
    keepdims: bool,
    dtype: DType,
) -> PyResult<Tensor> {
    run(py, x.elem_count(), || x.reduce(op, mask(axes), keepdims, dtype))
}

/// Integers sum and multiply in 64 bits.
fn sum_dtype(d: DType) -> DType {
    match d.kind() {
        Kind::UInt => DType::U64,
        Kind::Int | Kind::Bool => DType::I64,
        _ => d,
    }
}

fn sum_like(
    py: Python<'_>,
    x: &Tensor,
    op: ReduceOp,
    axes: &[usize],
    dtype: Option<DType>,
    keepdims: bool,
) -> PyResult<Tensor> {
    if op == ReduceOp::Mean {
        let x = floats(py, &as_dtype(py, x, dtype.map(DTypeArg))?)?;
        return reduce(py, &x, op, axes, keepdims, x.dtype());
    }
    let x = match dtype {
        Some(d) if d != x.dtype() => run(py, x.elem_count(), || x.to_dtype(d))?,
        _ if x.dtype() == DType::Bool => run(py, x.elem_count(), || x.to_dtype(DType::I64))?,
        _ => x.clone(),
    };
    let out = dtype.unwrap_or_else(|| sum_dtype(x.dtype()));
    reduce(py, &x, op, axes, keepdims, out)
}

fn floats(py: Python<'_>, x: &Tensor) -> PyResult<Tensor> {
    if x.dtype().is_float() {
        return Ok(x.clone());
    }
    run(py, x.elem_count(), || x.to_dtype(DType::F32))
}

fn as_dtype(py: Python<'_>, x: &Tensor, dtype: Option<DTypeArg>) -> PyResult<Tensor> {
    match dtype {
        Some(d) => run(py, x.elem_count(), || x.to_dtype(d.0)),
        None => Ok(x.clone()),
    }
}

fn var_of(
    py: Python<'_>,
    x: &Tensor,
    axes: &[usize],
    correction: f64,
    keepdims: bool,
    root: bool,
) -> PyResult<Tensor> {
    let x = floats(py, x)?;
    let axes = axes.to_vec();
    run(py, x.elem_count(), || {
        if root { x.std_with(axes, correction, keepdims) } else { x.var_with(axes, correction, keepdims) }
    })
}

fn arg_of(
    py: Python<'_>,
    name: &str,
    x: &Tensor,
    op: ReduceOp,
    axis: Option<Ints>,
    keepdims: bool,
) -> PyResult<Tensor> {
    let axes = match axis {
        Some(a) if a.single => a.axes(name, x.rank())?,
        Some(_) => return Err(PyTypeError::new_err(format!("{name} takes one axis"))),
        None => (0..x.rank()).collect(),
    };
    reduce(py, x, op, &axes, keepdims, DType::I64)
}

/// The largest or smallest element of axes, or its index, as `op` says.
pub fn extreme(
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
            x.dims()
        )));
    }
    let dtype = if matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin) { DType::I64 } else { x.dtype() };
    reduce(py, x, op, axes, keepdims, dtype)
}

macro_rules! reductions {
    ($($name:ident $doc:literal, $x_doc:literal => $y_doc:literal; |$py:ident, $x:ident, $axes:ident, $keep:ident| $body:expr;)*) => {
        $(#[doc = pydoc!(
            $doc;
            (x ORDERED, axes, keepdims) -> "Tensor" "One value for each element of the axes that stay.";
            (axes, dtype, ValueError: "If there is no element to choose from.");
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x_doc, "))"), $y_doc]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /, axis = None, keepdims = None, *, dim = None, keepdim = None))]
        pub fn $name(
            $py: Python<'_>,
            x: Arg,
            axis: Option<Ints>,
            keepdims: Option<Flag>,
            dim: Option<Ints>,
            keepdim: Option<Flag>,
        ) -> PyResult<PyTensor> {
            let $x = &x.0;
            let ($axes, $keep) = (axes_or_all(stringify!($name), axis, dim, $x.rank())?, keep(keepdims, keepdim)?);
            let out: PyResult<Tensor> = $body;
            out.map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                (axes, keepdims, out) -> "Tensor" "One value for each element of the axes that stay.";
                (axes, own_dtype, ValueError: "If there is no element to choose from.");
                [concat!(">>> rl.tensor(", $x_doc, ").", stringify!($name), "()"), $y_doc]
            )]
            #[pyo3(signature = (axis = None, keepdims = None, *, out = None, dim = None, keepdim = None))]
            fn $name(
                &self,
                $py: Python<'_>,
                axis: Option<Ints>,
                keepdims: Option<Flag>,
                out: Option<NoOut>,
                dim: Option<Ints>,
                keepdim: Option<Flag>,
            ) -> PyResult<PyTensor> {
                let $x = &self.get();
                let _ = out;
                let ($axes, $keep) = (axes_or_all(stringify!($name), axis, dim, $x.rank())?, keep(keepdims, keepdim)?);
                let found: PyResult<Tensor> = $body;
                found.map(PyTensor::new)
            })*
        }
    };
}

reductions! {
    amax "Finds the largest element over axes; NaN if there is one. PyTorch's name of ``max`` over axes.",
        "[3, 1, 2]" => "tensor(3, dtype=int64, device='cpu')"; |py, x, axes, keep| extreme(py, "amax", x, ReduceOp::Max, &axes, keep);
    amin "Finds the smallest element over axes; NaN if there is one. PyTorch's name of ``min`` over axes.",
        "[3, 1, 2]" => "tensor(1, dtype=int64, device='cpu')"; |py, x, axes, keep| extreme(py, "amin", x, ReduceOp::Min, &axes, keep);
}

macro_rules! sums {
    ($($name:ident $op:ident $doc:literal, $x_doc:literal => $y_doc:literal;)*) => {
        $(#[doc = pydoc!(
            $doc;
            (x NUMERIC, axes, keepdims, dtype: "DType or str, optional" "Dtype to compute in, and of the result.") -> "Tensor" "One value for each element of the axes that stay.";
            (axes, dtype);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x_doc, "))"), $y_doc]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /, axis = None, keepdims = None, *, dtype = None, dim = None, keepdim = None))]
        pub fn $name(
            py: Python<'_>,
            x: Arg,
            axis: Option<Ints>,
            keepdims: Option<Flag>,
            dtype: Option<DTypeArg>,
            dim: Option<Ints>,
            keepdim: Option<Flag>,
        ) -> PyResult<PyTensor> {
            let axes = axes_or_all(stringify!($name), axis, dim, x.0.rank())?;
            sum_like(py, &x.0, ReduceOp::$op, &axes, dtype.map(|d| d.0), keep(keepdims, keepdim)?).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                (axes, keepdims, dtype: "DType or str, optional" "Dtype to compute in, and of the result.", out) -> "Tensor" "One value for each element of the axes that stay.";
                (axes, own_dtype);
                [concat!(">>> rl.tensor(", $x_doc, ").", stringify!($name), "()"), $y_doc]
            )]
            #[pyo3(signature = (axis = None, keepdims = None, *, dtype = None, out = None, dim = None, keepdim = None))]
            fn $name(
                &self,
                py: Python<'_>,
                axis: Option<Ints>,
                keepdims: Option<Flag>,
                dtype: Option<DTypeArg>,
                out: Option<NoOut>,
                dim: Option<Ints>,
                keepdim: Option<Flag>,
            ) -> PyResult<PyTensor> {
                let _ = out;
                let x = self.get();
                let axes = axes_or_all(stringify!($name), axis, dim, x.rank())?;
                sum_like(py, &x, ReduceOp::$op, &axes, dtype.map(|d| d.0), keep(keepdims, keepdim)?).map(PyTensor::new)
            })*
        }
    };
}

macro_rules! positions {
    ($($name:ident $op:ident $doc:literal, $x_doc:literal => $y_doc:literal;)*) => {
        $(#[doc = pydoc!(
            $doc;
            (x ORDERED, axis: "int, optional" "Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.",
             keepdims) -> "Tensor" "Indices, of dtype int64.";
            (axis, dtype, ValueError: "If there is no element to choose from.");
            [concat!(">>> rl.", stringify!($name), "(rl.tensor(", $x_doc, "))"), $y_doc]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /, axis = None, keepdims = None, *, dim = None, keepdim = None))]
        pub fn $name(
            py: Python<'_>,
            x: Arg,
            axis: Option<Ints>,
            keepdims: Option<Flag>,
            dim: Option<Ints>,
            keepdim: Option<Flag>,
        ) -> PyResult<PyTensor> {
            let axis = either(axis, dim, ("axis", "dim"))?;
            arg_of(py, stringify!($name), &x.0, ReduceOp::$op, axis, keep(keepdims, keepdim)?).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                (axis: "int, optional" "Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name.",
             keepdims, out) -> "Tensor" "Indices, of dtype int64.";
                (axis, own_dtype, ValueError: "If there is no element to choose from.");
                [concat!(">>> rl.tensor(", $x_doc, ").", stringify!($name), "()"), $y_doc]
            )]
            #[pyo3(signature = (axis = None, keepdims = None, *, out = None, dim = None, keepdim = None))]
            fn $name(
                &self,
                py: Python<'_>,
                axis: Option<Ints>,
                keepdims: Option<Flag>,
                out: Option<NoOut>,
                dim: Option<Ints>,
                keepdim: Option<Flag>,
            ) -> PyResult<PyTensor> {
                let _ = out;
                let axis = either(axis, dim, ("axis", "dim"))?;
                arg_of(py, stringify!($name), &self.get(), ReduceOp::$op, axis, keep(keepdims, keepdim)?).map(PyTensor::new)
            })*
        }
    };
}

/// The functions and methods of the core's table, by what a reduction gives.
macro_rules! from_table {
    (
        Total { $($total:ident $total_name:ident $total_set:ident $total_doc:literal, $total_x:literal => $total_y:literal;)* }
        Extreme { $($extreme:ident $extreme_name:ident $extreme_set:ident $extreme_doc:literal, $extreme_x:literal => $extreme_y:literal;)* }
        Place { $($place:ident $place_name:ident $place_set:ident $place_doc:literal, $place_x:literal => $place_y:literal;)* }
        Test { $($test:ident $test_name:ident $test_set:ident $test_doc:literal, $test_x:literal => $test_y:literal;)* }
    ) => {
        sums! { $($total_name $total $total_doc, $total_x => $total_y;)* }
        positions! { $($place_name $place $place_doc, $place_x => $place_y;)* }
        reductions! {
            $($test_name $test_doc, $test_x => $test_y; |py, x, axes, keep| reduce(py, x, ReduceOp::$test, &axes, keep, DType::Bool);)*
        }

        /// Adds the table's functions to the module.
        pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
            $(m.add_function(wrap_pyfunction!($total_name, m)?)?;)*
            $(m.add_function(wrap_pyfunction!(crate::pairs::$extreme_name, m)?)?;)*
            $(m.add_function(wrap_pyfunction!($place_name, m)?)?;)*
            $(m.add_function(wrap_pyfunction!($test_name, m)?)?;)*
            Ok(())
        }
    };
}
rushlight::reduce_table!(from_table);

/// The error of a second argument by position: PyTorch's is `unbiased`, NumPy's `dtype`, the array API has none.
fn axis_alone(name: &str, position: &Bound<'_, PyTuple>) -> PyResult<()> {
    if position.is_empty() {
        return Ok(());
    }
    Err(PyTypeError::new_err(format!(
        "{name}: the axis alone is given by position; name the others, as in correction=1 (PyTorch's unbiased=True), \
         dtype= or keepdims=True; several axes are one tuple, as in axis=(0, 1)"
    )))
}

macro_rules! moments {
    ($($name:ident $root:literal $doc:literal, $y_doc:literal;)*) => {
        $(#[doc = pydoc!(
            $doc;
            (x FLOAT, axes, keepdims, correction: "float, default 0.0" "Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate.") -> "Tensor" "One value for each element of the axes that stay.";
            (axes, dtype);
            [concat!(">>> rl.", stringify!($name), "(rl.tensor([1.0, 2.0, 6.0]))"), $y_doc]
        )]
        #[pyfunction]
        #[pyo3(signature = (x, /, axis = None, *position, keepdims = None, correction = 0.0, dim = None, keepdim = None))]
        pub fn $name(
            py: Python<'_>,
            x: Arg,
            axis: Option<Ints>,
            position: &Bound<'_, PyTuple>,
            keepdims: Option<Flag>,
            correction: f64,
            dim: Option<Ints>,
            keepdim: Option<Flag>,
        ) -> PyResult<PyTensor> {
            axis_alone(stringify!($name), position)?;
            let axes = axes_or_all(stringify!($name), axis, dim, x.0.rank())?;
            var_of(py, &x.0, &axes, correction, keep(keepdims, keepdim)?, $root).map(PyTensor::new)
        })*

        #[pymethods]
        impl PyTensor {
            $(#[doc = pydoc!(
                $doc;
                (axes, keepdims, correction: "float, default 0.0" "Subtracted from the number of elements in the divisor; 1 gives the unbiased estimate. ``ddof`` is NumPy's name.", dtype, out) -> "Tensor" "One value for each element of the axes that stay.";
                (axes, own_dtype);
                [concat!(">>> rl.tensor([1.0, 2.0, 6.0]).", stringify!($name), "()"), $y_doc]
            )]
            #[pyo3(signature = (axis = None, *position, keepdims = None, correction = None, ddof = None, dtype = None, out = None, dim = None, keepdim = None))]
            fn $name(
                &self,
                py: Python<'_>,
                axis: Option<Ints>,
                position: &Bound<'_, PyTuple>,
                keepdims: Option<Flag>,
                correction: Option<f64>,
                ddof: Option<f64>,
                dtype: Option<DTypeArg>,
                out: Option<NoOut>,
                dim: Option<Ints>,
                keepdim: Option<Flag>,
            ) -> PyResult<PyTensor> {
                let _ = out;
                axis_alone(stringify!($name), position)?;
                let x = as_dtype(py, &self.get(), dtype)?;
                let axes = axes_or_all(stringify!($name), axis, dim, x.rank())?;
                let correction = either(correction, ddof, ("correction", "ddof"))?.unwrap_or(0.0);
                var_of(py, &x, &axes, correction, keep(keepdims, keepdim)?, $root).map(PyTensor::new)
            })*
        }
    };
}

moments! {
    var false "Computes the variance over axes, with the divisor n - correction.",
        "tensor(4.6667, dtype=float32, device='cpu')";
    std true "Computes the standard deviation over axes, with the divisor n - correction.",
        "tensor(2.1602, dtype=float32, device='cpu')";
}

#[doc = pydoc!(
    "Computes log(sum(exp(x))) over axes, without overflow for large elements.";
    (x FLOAT, axes, keepdims) -> "Tensor" "One value for each element of the axes that stay.";
    (axes, dtype);
    [">>> rl.logsumexp(rl.tensor([1000.0, 1000.0]))", "tensor(1000.6932, dtype=float32, device='cpu')"]
)]
#[pyfunction]
#[pyo3(signature = (x, /, axis = None, keepdims = None, *, dim = None, keepdim = None))]
pub fn logsumexp(
    py: Python<'_>,
    x: Arg,
    axis: Option<Ints>,
    keepdims: Option<Flag>,
    dim: Option<Ints>,
    keepdim: Option<Flag>,
) -> PyResult<PyTensor> {
    let x = floats(py, &x.0)?;
    let axes = axes_or_all("logsumexp", axis, dim, x.rank())?;
    let keepdims = keep(keepdims, keepdim)?;
    let out = run(py, x.elem_count(), || x.log_sum_exp(axes.clone()))?;
    if !keepdims {
        return Ok(PyTensor::new(out));
    }
    let dims: Vec<usize> = (0..x.rank()).map(|d| if axes.contains(&d) { 1 } else { x.dims()[d] }).collect();
    out.reshape(dims).py().map(PyTensor::new)
}
