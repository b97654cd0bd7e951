//! Normalizations, as `rushlight.nn.functional` calls them.
use crate::args::{Arg, Whole};
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use rushlight::Tensor;

fn given(a: &Option<Arg>) -> Option<&Tensor> {
    a.as_ref().map(|a| &a.0)
}

/// Mean 0 and variance 1 over the last ``dims`` axes, times ``weight`` plus ``bias``.
#[pyfunction]
#[pyo3(name = "_layer_norm", signature = (x, dims, weight, bias, eps, /))]
pub fn layer_norm(
    py: Python<'_>,
    x: Arg,
    dims: Whole,
    weight: Option<Arg>,
    bias: Option<Arg>,
    eps: f64,
) -> PyResult<PyTensor> {
    let dims = dims.count("layer_norm", "dims")?;
    run(py, x.0.elem_count(), || x.0.layer_norm(dims, given(&weight), given(&bias), eps)).map(PyTensor::new)
}

/// Mean square 1 over the last ``dims`` axes, times ``weight``.
#[pyfunction]
#[pyo3(name = "_rms_norm", signature = (x, dims, weight, eps, /))]
pub fn rms_norm(py: Python<'_>, x: Arg, dims: Whole, weight: Option<Arg>, eps: f64) -> PyResult<PyTensor> {
    let dims = dims.count("rms_norm", "dims")?;
    run(py, x.0.elem_count(), || x.0.rms_norm(dims, given(&weight), eps)).map(PyTensor::new)
}

/// Mean 0 and variance 1 over each group of channels of (n, c, ..), times ``weight`` plus ``bias`` of shape (c,).
#[pyfunction]
#[pyo3(name = "_group_norm", signature = (x, groups, weight, bias, eps, /))]
pub fn group_norm(
    py: Python<'_>,
    x: Arg,
    groups: Whole,
    weight: Option<Arg>,
    bias: Option<Arg>,
    eps: f64,
) -> PyResult<PyTensor> {
    let groups = groups.count("group_norm", "num_groups")?;
    run(py, x.0.elem_count(), || x.0.group_norm(groups, given(&weight), given(&bias), eps)).map(PyTensor::new)
}

/// Normalization of each channel of (n, c, ..) by the batch or by running statistics, which the batch moves in place.
#[pyfunction]
#[pyo3(name = "_batch_norm", signature = (x, running_mean, running_var, weight, bias, training, momentum, eps, /))]
pub fn batch_norm(
    py: Python<'_>,
    x: Arg,
    running_mean: Option<Arg>,
    running_var: Option<Arg>,
    weight: Option<Arg>,
    bias: Option<Arg>,
    training: bool,
    momentum: f64,
    eps: f64,
) -> PyResult<PyTensor> {
    let running = given(&running_mean).zip(given(&running_var));
    run(py, x.0.elem_count(), || {
        x.0.batch_norm_running(running, given(&weight), given(&bias), training, momentum, eps)
    })
    .map(PyTensor::new)
}

/// Normalization of each channel of each sample of (n, c, ..), which moves running statistics in place.
#[pyfunction]
#[pyo3(name = "_instance_norm", signature = (x, running_mean, running_var, weight, bias, momentum, eps, /))]
pub fn instance_norm(
    py: Python<'_>,
    x: Arg,
    running_mean: Arg,
    running_var: Arg,
    weight: Option<Arg>,
    bias: Option<Arg>,
    momentum: f64,
    eps: f64,
) -> PyResult<PyTensor> {
    let running = (&running_mean.0, &running_var.0);
    run(py, x.0.elem_count(), || {
        x.0.instance_norm_running(running, given(&weight), given(&bias), momentum, eps)
    })
    .map(PyTensor::new)
}
