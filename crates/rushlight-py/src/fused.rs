//! An activation or dropout of a sum, fused into one op, as `rushlight.nn.functional` calls it.
use crate::args::Arg;
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::ops::bias_activation::Activation;

/// An activation of ``x + bias``.
#[pyfunction]
#[pyo3(name = "_bias_activation", signature = (x, bias, activation, /))]
pub fn bias_activation(py: Python<'_>, x: Arg, bias: Arg, activation: &str) -> PyResult<PyTensor> {
    let Some(f) = Activation::ALL.into_iter().find(|f| f.as_str() == activation) else {
        let all = Activation::ALL.map(Activation::as_str).join(", ");
        return Err(PyValueError::new_err(format!(
            "bias_activation: expected one of {all}, got '{activation}'"
        )));
    };
    run(py, x.0.elem_count(), || x.0.bias_activation(&bias.0, f)).map(PyTensor::new)
}

/// In training, dropout of ``x + bias``; else the sum.
#[pyfunction]
#[pyo3(name = "_bias_dropout", signature = (x, bias, p, training, /))]
pub fn bias_dropout(py: Python<'_>, x: Arg, bias: Arg, p: f64, training: bool) -> PyResult<PyTensor> {
    run(py, x.0.elem_count(), || x.0.bias_dropout(&bias.0, p, training)).map(PyTensor::new)
}
