//! Padding and sampling, as `rushlight.nn.functional` calls them.
use crate::args::{Arg, Ints, NumArg};
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::Scalar;
use rushlight::ops::grid_sample::{SampleMode, SamplePadding, SampleUnit};
use rushlight::ops::pad::PadMode;

/// `pads` as PyTorch gives them: before and behind the last axis, then the last but one.
fn pad(py: Python<'_>, x: Arg, pads: Ints, mode: &str, value: Option<NumArg>) -> PyResult<PyTensor> {
    let all = "'constant', 'reflect', 'replicate', 'circular'";
    let found = named("pad", "mode", mode, PadMode::from_name(mode), all)?;
    let pairs: Vec<[i64; 2]> = pads.values.chunks_exact(2).rev().map(|p| [p[0], p[1]]).collect();
    let dtype = x.0.dtype();
    let value = value.map_or(Ok(Scalar::from_f64(0.0, dtype)), |v| v.0.to_scalar(dtype))?;
    run(py, x.0.elem_count(), || x.0.pad(&pairs, found, value)).map(PyTensor::new)
}

/// Returns the value found for a name, or an error that lists the valid names.
fn named<T>(op: &str, what: &str, name: &str, found: Option<T>, all: &str) -> PyResult<T> {
    found.ok_or_else(|| PyValueError::new_err(format!("{op}: {what} '{name}' is none of {all}")))
}

fn grid_sample(py: Python<'_>, [x, grid]: [Arg; 2], [mode, padding, unit]: [&str; 3]) -> PyResult<PyTensor> {
    let op = "grid_sample";
    let by = named(op, "mode", mode, SampleMode::from_name(mode), "'bilinear', 'nearest', 'bicubic'")?;
    let outside = SamplePadding::from_name(padding);
    let outside = named(op, "padding_mode", padding, outside, "'zeros', 'border', 'reflection'")?;
    let unit = named(op, "unit", unit, SampleUnit::from_name(unit), "'edges', 'centers', 'pixels'")?;
    let work = x.0.elem_count().max(grid.0.elem_count());
    run(py, work, || x.0.grid_sample(&grid.0, by, outside, unit)).map(PyTensor::new)
}

/// Resizing to sizes or by factors, one of them for each axis behind the first two.
fn upsample(
    py: Python<'_>,
    op: &str,
    x: &Arg,
    (size, scale): (Option<Ints>, Option<Vec<f64>>),
    linear: Option<bool>,
) -> PyResult<PyTensor> {
    let count = size.as_ref().map_or(0, |s| s.values.len()) + scale.as_ref().map_or(0, Vec::len);
    if size.is_some() == scale.is_some() || count + 2 != x.0.rank() {
        return Err(PyValueError::new_err(format!("{op}: one size or one factor for each axis is needed")));
    }
    let to = size.map(|s| s.counts(op, "size")).transpose()?;
    let by = scale.unwrap_or_default();
    run(py, x.0.elem_count(), || match (to, linear) {
        (Some(to), None) => x.0.upsample_nearest_nd(&to),
        (None, None) => x.0.upsample_nearest_nd_with_scale(&by),
        (Some(to), Some(corners)) => x.0.upsample_linear_nd(&to, corners),
        (None, Some(corners)) => x.0.upsample_linear_nd_with_scale(&by, corners),
    })
    .map(PyTensor::new)
}

fn deform_conv2d(
    py: Python<'_>,
    [x, offset, weight]: [Arg; 3],
    [bias, mask]: [Option<Arg>; 2],
    settings: [(&str, Ints); 3],
) -> PyResult<PyTensor> {
    let op = "deform_conv2d";
    let pair = |(name, v): &(&str, Ints)| -> PyResult<[usize; 2]> {
        let found = v.counts(op, name)?;
        found.try_into().map_err(|_| PyValueError::new_err(format!("{op}: {name} needs two numbers")))
    };
    let (stride, padding, dilation) = (pair(&settings[0])?, pair(&settings[1])?, pair(&settings[2])?);
    let given = |a: &'_ Option<Arg>| a.as_ref().map(|a| a.0.clone());
    let (bias, mask) = (given(&bias), given(&mask));
    run(py, x.0.elem_count().max(offset.0.elem_count()), || {
        x.0.deform_conv2d(&offset.0, &weight.0, bias.as_ref(), mask.as_ref(), stride, padding, dilation)
    })
    .map(PyTensor::new)
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_pad(x, pads, mode, value, /)"; "Elements added at the ends of axes."; () -> "Tensor" ""; (); [];
            |py, x: Arg, pads: Ints, mode: String, value: Option<NumArg>| pad(py, x, pads, &mode, value)
        ),
        function!(
            "_grid_sample(x, grid, mode, padding_mode, unit, /)"; "Images sampled at positions."; () -> "Tensor" ""; (); [];
            |py, x: Arg, grid: Arg, mode: String, padding_mode: String, unit: String|
            grid_sample(py, [x, grid], [&mode, &padding_mode, &unit])
        ),
        function!(
            "_upsample_nearest(x, size, scale, /)"; "Resized by the nearest element."; () -> "Tensor" ""; (); [];
            |py, x: Arg, size: Option<Ints>, scale: Option<Vec<f64>>|
            upsample(py, "upsample_nearest", &x, (size, scale), None)
        ),
        function!(
            "_upsample_linear(x, size, scale, align_corners, /)"; "Resized by linear interpolation."; () -> "Tensor" ""; (); [];
            |py, x: Arg, size: Option<Ints>, scale: Option<Vec<f64>>, align_corners: bool|
            upsample(py, "upsample_linear", &x, (size, scale), Some(align_corners))
        ),
        function!(
            "_deform_conv2d(x, offset, weight, bias, mask, stride, padding, dilation, /)";
            "Convolution of windows sampled at positions."; () -> "Tensor" ""; (); [];
            |py, x: Arg, offset: Arg, weight: Arg, bias: Option<Arg>, mask: Option<Arg>, stride: Ints, padding: Ints,
             dilation: Ints|
            deform_conv2d(
                py, [x, offset, weight], [bias, mask],
                [("stride", stride), ("padding", padding), ("dilation", dilation)]
            )
        ),
        function!(
            "_grouped_matmul(a, b, offs, /)"; "Products of groups."; () -> "Tensor" ""; (); [];
            |py, a: Arg, b: Arg, offs: Arg|
            run(py, a.0.elem_count().max(b.0.elem_count()), || a.0.grouped_matmul(&b.0, &offs.0)).map(PyTensor::new)
        ),
    ]
}
