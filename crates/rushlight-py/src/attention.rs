//! Attention: by hand, since the dtype of a mask says which input of the op it is, and the weights are made of several ops.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use rushlight::Tensor;

fn given(mask: &Option<Arg>) -> Option<&Tensor> {
    mask.as_ref().map(|m| &m.0)
}

/// Products of queries and keys: each query goes over all keys, so the work is more than the elements.
fn work(query: &Tensor, key: &Tensor) -> usize {
    let keys = key.dims().iter().rev().nth(1).copied().unwrap_or(1);
    query.elem_count().saturating_mul(keys)
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_attention(query, key, value, mask, causal, scale, /)";
            "Attention of queries (.., h, l, d) to keys (.., g, s, d) and values (.., g, s, e)."; () -> "Tensor" ""; (); [];
            |py, query: Arg, key: Arg, value: Arg, mask: Option<Arg>, causal: bool, scale: Option<f64>|
            run(py, work(&query.0, &key.0), || {
                query.0.scaled_dot_product_attention(&key.0, &value.0, given(&mask), causal, scale)
            })
            .map(PyTensor::new)
        ),
        function!(
            "_attention_weights(query, key, mask, causal, scale, /)";
            "The weights of attention, (.., h, l, s)."; () -> "Tensor" ""; (); [];
            |py, query: Arg, key: Arg, mask: Option<Arg>, causal: bool, scale: Option<f64>|
            run(py, work(&query.0, &key.0), || query.0.attention_weights(&key.0, given(&mask), causal, scale))
                .map(PyTensor::new)
        ),
    ]
}
