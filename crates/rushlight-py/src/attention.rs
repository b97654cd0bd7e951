//! Attention, as `rushlight.nn.functional` calls it.
use crate::args::Arg;
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use rushlight::Tensor;

/// Attention of queries (.., h, l, d) to keys (.., g, s, d) and values (.., g, s, e).
#[pyfunction]
#[pyo3(name = "_attention", signature = (query, key, value, mask, causal, scale, /))]
pub fn attention(
    py: Python<'_>,
    query: Arg,
    key: Arg,
    value: Arg,
    mask: Option<Arg>,
    causal: bool,
    scale: Option<f64>,
) -> PyResult<PyTensor> {
    let mask: Option<&Tensor> = mask.as_ref().map(|m| &m.0);
    // Each query reads all keys, so the amount of work is not the number of elements.
    let keys = key.0.dims().iter().rev().nth(1).copied().unwrap_or(1);
    run(py, query.0.elem_count().saturating_mul(keys), || {
        query.0.scaled_dot_product_attention(&key.0, &value.0, mask, causal, scale)
    })
    .map(PyTensor::new)
}

/// Rotation of pairs of elements of the last axis.
#[pyfunction]
#[pyo3(name = "_rotary_embedding", signature = (x, cos, sin, interleaved, /))]
pub fn rotary_embedding(py: Python<'_>, x: Arg, cos: Arg, sin: Arg, interleaved: bool) -> PyResult<PyTensor> {
    run(py, x.0.elem_count(), || x.0.rotary_embedding(&cos.0, &sin.0, interleaved)).map(PyTensor::new)
}

/// The weights of attention, (.., h, l, s).
#[pyfunction]
#[pyo3(name = "_attention_weights", signature = (query, key, mask, causal, scale, /))]
pub fn attention_weights(
    py: Python<'_>,
    query: Arg,
    key: Arg,
    mask: Option<Arg>,
    causal: bool,
    scale: Option<f64>,
) -> PyResult<PyTensor> {
    let mask: Option<&Tensor> = mask.as_ref().map(|m| &m.0);
    let keys = key.0.dims().iter().rev().nth(1).copied().unwrap_or(1);
    run(py, query.0.elem_count().saturating_mul(keys), || {
        query.0.attention_weights(&key.0, mask, causal, scale)
    })
    .map(PyTensor::new)
}
