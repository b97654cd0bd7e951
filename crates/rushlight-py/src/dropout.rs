//! `dropout`, also of a sum: by hand, since they draw random numbers, and only in training.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_dropout(input, p, training, /)";
            "In training, sets elements to 0 with probability ``p`` and divides the others by ``1 - p``; else returns the tensor itself.";
            () -> "Tensor" ""; (); [];
            |py, input: Arg, p: f64, training: bool|
            run(py, input.0.elem_count(), || input.0.dropout(p, training)).map(PyTensor::new)
        ),
        function!(
            "_bias_dropout(x, bias, p, training, /)";
            "Computes ``x + bias``, in training with dropout."; () -> "Tensor" ""; (); [];
            |py, x: Arg, bias: Arg, p: f64, training: bool|
            run(py, x.0.elem_count(), || x.0.bias_dropout(&bias.0, p, training)).map(PyTensor::new)
        ),
    ]
}
