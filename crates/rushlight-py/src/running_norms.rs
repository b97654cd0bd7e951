//! Normalizations with running statistics. They call several ops and update the statistics in place.
use crate::args::Arg;
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use rushlight::Tensor;

fn given(a: &Option<Arg>) -> Option<&Tensor> {
    a.as_ref().map(|a| &a.0)
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_batch_norm(x, running_mean, running_var, weight, bias, training, momentum, eps, /)";
            "Normalizes each channel of (n, c, ..) by the batch's statistics or by running ones, which the batch changes in place.";
            () -> "Tensor" ""; (); [];
            |py, x: Arg, running_mean: Option<Arg>, running_var: Option<Arg>, weight: Option<Arg>, bias: Option<Arg>,
             training: bool, momentum: f64, eps: f64| {
                let running = given(&running_mean).zip(given(&running_var));
                run(py, x.0.elem_count(), || {
                    x.0.batch_norm_running(running, given(&weight), given(&bias), training, momentum, eps)
                })
                .map(PyTensor::new)
            }
        ),
        function!(
            "_instance_norm(x, running_mean, running_var, weight, bias, momentum, eps, /)";
            "Normalizes each channel of each sample of (n, c, ..), and changes running statistics in place.";
            () -> "Tensor" ""; (); [];
            |py, x: Arg, running_mean: Arg, running_var: Arg, weight: Option<Arg>, bias: Option<Arg>, momentum: f64,
             eps: f64| {
                let running = (&running_mean.0, &running_var.0);
                run(py, x.0.elem_count(), || {
                    x.0.instance_norm_running(running, given(&weight), given(&bias), momentum, eps)
                })
                .map(PyTensor::new)
            }
        ),
    ]
}
