//! `dropout`, written by hand because it calls the op only in training mode.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![function!(
        "_dropout(input, p, training, /)";
        "In training, zeros in place of elements with probability ``p`` and the others over ``1 - p``; else the tensor itself.";
        () -> "Tensor" ""; (); [];
        |py, input: Arg, p: f64, training: bool|
        run(py, input.0.elem_count(), || input.0.dropout(p, training)).map(PyTensor::new)
    )]
}
