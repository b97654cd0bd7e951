//! Attention: by hand, since the dtype of a mask says which input of the op it is, dropout draws random numbers, and the weights
//! are computed by several ops.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use rushlight::Tensor;

fn given(mask: &Option<Arg>) -> Option<&Tensor> {
    mask.as_ref().map(|m| &m.0)
}

/// Returns the number of products of queries and keys: each query goes over all keys, so the work is more than the elements.
fn work(query: &Tensor, key: &Tensor) -> usize {
    let keys = key.dims().iter().rev().nth(1).copied().unwrap_or(1);
    query.elem_count().saturating_mul(keys)
}

/// As [`work`], of packed sequences of about one length.
fn packed_work(query: &Tensor, key: &Tensor, offsets: &Tensor) -> usize {
    let keys = key.dims().first().copied().unwrap_or(1);
    query.elem_count().saturating_mul(keys) / offsets.elem_count().saturating_sub(1).max(1)
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_attention(query, key, value, mask, dropout_p, causal, scale, /)";
            "Computes the attention of queries (.., h, l, d) to keys (.., g, s, d) and values (.., g, s, e)."; () -> "Tensor" ""; (); [];
            |py, query: Arg, key: Arg, value: Arg, mask: Option<Arg>, dropout_p: f64, causal: bool, scale: Option<f64>|
            run(py, work(&query.0, &key.0), || {
                query.0.scaled_dot_product_attention(&key.0, &value.0, given(&mask), dropout_p, causal, scale)
            })
            .map(PyTensor::new)
        ),
        function!(
            "_packed_attention(query, key, value, query_offsets, key_offsets, dropout_p, causal, scale, /)";
            "Computes the attention of packed sequences: queries (t, h, d) to keys (u, g, d) and values (u, g, e)."; () -> "Tensor" ""; (); [];
            |py, query: Arg, key: Arg, value: Arg, query_offsets: Arg, key_offsets: Arg, dropout_p: f64, causal: bool,
                scale: Option<f64>|
            run(py, packed_work(&query.0, &key.0, &query_offsets.0), || {
                let offsets = [&query_offsets.0, &key_offsets.0];
                query.0.packed_attention(&key.0, &value.0, offsets, dropout_p, causal, scale)
            })
            .map(PyTensor::new)
        ),
        function!(
            "_attention_weights(query, key, mask, causal, scale, /)";
            "Computes the weights of attention, (.., h, l, s)."; () -> "Tensor" ""; (); [];
            |py, query: Arg, key: Arg, mask: Option<Arg>, causal: bool, scale: Option<f64>|
            run(py, work(&query.0, &key.0), || query.0.attention_weights(&key.0, given(&mask), causal, scale))
                .map(PyTensor::new)
        ),
    ]
}
