//! Fourier transforms of real numbers, and to real numbers: by hand, since they are an op and a view, or several ops.
use crate::args::{Arg, axis as one_axis};
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_rfft(x, dim, scale, /)"; "Returns the first half of the transform of real numbers, multiplied by a number."; () -> "Tensor" ""; (); [];
            |py, x: Arg, dim: i64, scale: f64|
            one_axis("rfft", dim, x.0.rank())
                .and_then(|dim| run(py, x.0.elem_count(), || x.0.rfft_with(dim, scale)))
                .map(PyTensor::new)
        ),
        function!(
            "_irfft(x, n, dim, scale, /)"; "Returns the n real numbers whose transform has this first half, multiplied by a number."; () -> "Tensor" ""; (); [];
            |py, x: Arg, n: usize, dim: i64, scale: f64|
            one_axis("irfft", dim, x.0.rank())
                .and_then(|dim| run(py, x.0.elem_count(), || x.0.irfft_with(dim, n, scale)))
                .map(PyTensor::new)
        ),
    ]
}
