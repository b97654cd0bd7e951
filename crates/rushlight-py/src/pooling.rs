//! Pooling and resizing, as `rushlight.nn.functional` calls them: sizes come as one number per axis.
use crate::args::{Arg, Ints};
use crate::error::run;
use crate::function::{Function, function};
use crate::neural::sizes;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::Tensor;

/// The window's sizes, steps and margins, `rank` of each, for an input that has that many axes behind its first two.
fn window(
    op: &str,
    rank: usize,
    x: &Tensor,
    [kernel, stride, padding]: [&Ints; 3],
) -> PyResult<[Vec<usize>; 3]> {
    if x.rank() != rank + 2 {
        return Err(PyValueError::new_err(format!(
            "{op}: rank {} is needed, got shape {:?}",
            rank + 2,
            x.dims()
        )));
    }
    let all =
        [sizes(op, "kernel_size", kernel)?, sizes(op, "stride", stride)?, sizes(op, "padding", padding)?];
    if all.iter().any(|v| v.len() != rank) {
        return Err(PyValueError::new_err(format!(
            "{op}: kernel_size, stride and padding need {rank} numbers each"
        )));
    }
    Ok(all)
}

/// The target sizes, if they are given and not the factors.
fn target(op: &str, rank: usize, size: Option<&Ints>, scale: Option<&[f64]>) -> PyResult<Option<Vec<usize>>> {
    let count = size.map_or(0, |s| s.values.len()) + scale.map_or(0, <[f64]>::len);
    if size.is_some() == scale.is_some() || count != rank {
        return Err(PyValueError::new_err(format!(
            "{op}: {rank} sizes or {rank} factors are needed, one of them"
        )));
    }
    size.map(|s| sizes(op, "size", s)).transpose()
}

fn upsample_nearest1d(
    py: Python<'_>,
    x: Arg,
    size: Option<Ints>,
    scale: Option<Vec<f64>>,
) -> PyResult<PyTensor> {
    let to = target("upsample_nearest1d", 1, size.as_ref(), scale.as_deref())?;
    run(py, x.0.elem_count(), || match (to, scale.as_deref()) {
        (Some(to), _) => x.0.upsample_nearest1d(to[0]),
        (None, by) => x.0.upsample_nearest1d_with_scale(by.map_or(1.0, |f| f[0])),
    })
    .map(PyTensor::new)
}

fn upsample_nearest2d(
    py: Python<'_>,
    x: Arg,
    size: Option<Ints>,
    scale: Option<Vec<f64>>,
) -> PyResult<PyTensor> {
    let to = target("upsample_nearest2d", 2, size.as_ref(), scale.as_deref())?;
    run(py, x.0.elem_count(), || match (to, scale.as_deref()) {
        (Some(to), _) => x.0.upsample_nearest2d(to[0], to[1]),
        (None, by) => {
            let (h, w) = by.map_or((1.0, 1.0), |f| (f[0], f[1]));
            x.0.upsample_nearest2d_with_scale(h, w)
        }
    })
    .map(PyTensor::new)
}

fn upsample_bilinear2d(
    py: Python<'_>,
    x: Arg,
    size: Option<Ints>,
    scale: Option<Vec<f64>>,
    align_corners: bool,
) -> PyResult<PyTensor> {
    let to = target("upsample_bilinear2d", 2, size.as_ref(), scale.as_deref())?;
    run(py, x.0.elem_count(), || match (to, scale.as_deref()) {
        (Some(to), _) => x.0.upsample_bilinear2d(to[0], to[1], align_corners),
        (None, by) => {
            let (h, w) = by.map_or((1.0, 1.0), |f| (f[0], f[1]));
            x.0.upsample_bilinear2d_with_scale(h, w, align_corners)
        }
    })
    .map(PyTensor::new)
}

macro_rules! max_pool {
    ($name:literal, $rank:literal, $summary:literal) => {
        function!(
            concat!("_", $name, "(x, kernel_size, stride, padding, /)"); $summary; () -> "Tensor" ""; (); [];
            |py, x: Arg, kernel_size: Ints, stride: Ints, padding: Ints|
            window($name, $rank, &x.0, [&kernel_size, &stride, &padding])
                .and_then(|[k, s, p]| run(py, x.0.elem_count(), || x.0.max_pool_nd(&k, &s, &p)))
                .map(PyTensor::new)
        )
    };
}

macro_rules! avg_pool {
    ($name:literal, $rank:literal, $summary:literal) => {
        function!(
            concat!("_", $name, "(x, kernel_size, stride, padding, count_include_pad, /)"); $summary; () -> "Tensor" ""; (); [];
            |py, x: Arg, kernel_size: Ints, stride: Ints, padding: Ints, count_include_pad: bool|
            window($name, $rank, &x.0, [&kernel_size, &stride, &padding])
                .and_then(|[k, s, p]| run(py, x.0.elem_count(), || x.0.avg_pool_nd(&k, &s, &p, count_include_pad)))
                .map(PyTensor::new)
        )
    };
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        max_pool!("max_pool1d", 1, "Maximum of each window of (n, c, l)."),
        max_pool!("max_pool2d", 2, "Maximum of each window of (n, c, h, w)."),
        max_pool!("max_pool3d", 3, "Maximum of each window of (n, c, d, h, w)."),
        avg_pool!("avg_pool1d", 1, "Mean of each window of (n, c, l)."),
        avg_pool!("avg_pool2d", 2, "Mean of each window of (n, c, h, w)."),
        avg_pool!("avg_pool3d", 3, "Mean of each window of (n, c, d, h, w)."),
        function!(
            "upsample_nearest1d(x, size, scale, /)";
            "Resizes the last axis; each new element copies the nearest old one.";
            (
                x: "Tensor" "Input of shape (n, c, l), of a floating-point dtype.",
                size: "sequence of int or None" "New length. Either this or ``scale`` is None.",
                scale: "sequence of float or None" "Factors of the length; results are rounded down.",
            ) -> "Tensor" "Resized tensor.";
            (ValueError: "If not exactly one of ``size`` and ``scale`` is given, or a number is missing.");
            [">>> rl.upsample_nearest1d(rl.tensor([[[1.0, 2.0]]]), (4,), None)", "tensor([[[1., 1., 2., 2.]]], dtype=float32, device='cpu')"];
            |py, x: Arg, size: Option<Ints>, scale: Option<Vec<f64>>| upsample_nearest1d(py, x, size, scale)
        ),
        function!(
            "upsample_nearest2d(x, size, scale, /)";
            "Resizes the last two axes; each new element copies the nearest old one.";
            (
                x: "Tensor" "Input of shape (n, c, h, w), of a floating-point dtype.",
                size: "sequence of int or None" "New height and width. Either this or ``scale`` is None.",
                scale: "sequence of float or None" "Factors of the height and width; results are rounded down.",
            ) -> "Tensor" "Resized tensor.";
            (ValueError: "If not exactly one of ``size`` and ``scale`` is given, or a number is missing.");
            [">>> rl.upsample_nearest2d(rl.ones((1, 1, 2, 2)), None, (2.0, 2.0)).shape", "(1, 1, 4, 4)"];
            |py, x: Arg, size: Option<Ints>, scale: Option<Vec<f64>>| upsample_nearest2d(py, x, size, scale)
        ),
        function!(
            "upsample_bilinear2d(x, size, scale, align_corners, /)";
            "Resizes the last two axes by linear interpolation along both.";
            (
                x: "Tensor" "Input of shape (n, c, h, w), of a floating-point dtype.",
                size: "sequence of int or None" "New height and width. Either this or ``scale`` is None.",
                scale: "sequence of float or None" "Factors of the height and width; results are rounded down.",
                align_corners: "bool" "Whether the corner elements keep their positions.",
            ) -> "Tensor" "Resized tensor.";
            (ValueError: "If not exactly one of ``size`` and ``scale`` is given, or a number is missing.");
            [">>> rl.upsample_bilinear2d(rl.ones((1, 1, 2, 2)), (3, 3), None, True).shape", "(1, 1, 3, 3)"];
            |py, x: Arg, size: Option<Ints>, scale: Option<Vec<f64>>, align_corners: bool| upsample_bilinear2d(py, x, size, scale, align_corners)
        ),
    ]
}
