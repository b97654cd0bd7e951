//! Attention, as `rushlight.nn.functional` calls it.
use crate::args::Arg;
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use rushlight::Tensor;

/// Attention of queries (.., h, l, d) to keys (.., g, s, d) and values (.., g, s, e).
#[pyfunction]
#[pyo3(name = "_attention", signature = (query, key, value, mask, dropout_p, causal, scale, /))]
#[allow(clippy::too_many_arguments)]
pub fn attention(
    py: Python<'_>,
    query: Arg,
    key: Arg,
    value: Arg,
    mask: Option<Arg>,
    dropout_p: f64,
    causal: bool,
    scale: Option<f64>,
) -> PyResult<PyTensor> {
    let mask: Option<&Tensor> = mask.as_ref().map(|m| &m.0);
    // Each query goes over all keys, so the work is more than the elements.
    let keys = key.0.dims().iter().rev().nth(1).copied().unwrap_or(1);
    run(py, query.0.elem_count().saturating_mul(keys), || {
        query.0.scaled_dot_product_attention(&key.0, &value.0, mask, dropout_p, causal, scale)
    })
    .map(PyTensor::new)
}

/// Attention of packed sequences: queries (t, h, d) to keys (u, g, d) and values (u, g, e).
#[pyfunction]
#[pyo3(name = "_packed_attention", signature = (query, key, value, query_offsets, key_offsets, dropout_p, causal, scale, /))]
#[allow(clippy::too_many_arguments)]
pub fn packed_attention(
    py: Python<'_>,
    query: Arg,
    key: Arg,
    value: Arg,
    query_offsets: Arg,
    key_offsets: Arg,
    dropout_p: f64,
    causal: bool,
    scale: Option<f64>,
) -> PyResult<PyTensor> {
    let keys = key.0.dims().first().copied().unwrap_or(1);
    let sequences = query_offsets.0.elem_count().saturating_sub(1).max(1);
    run(py, query.0.elem_count().saturating_mul(keys) / sequences, || {
        let offsets = [&query_offsets.0, &key_offsets.0];
        query.0.packed_attention(&key.0, &value.0, offsets, dropout_p, causal, scale)
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
