//! Convolution of windows that are sampled at given positions: by hand, since it is made of several ops.
use crate::args::{Arg, Ints};
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
    vec![function!(
        "_deform_conv2d(x, offset, weight, bias, mask, stride, padding, dilation, /)";
        "Computes the convolution of windows that are sampled at positions."; () -> "Tensor" ""; (); [];
        |py, x: Arg, offset: Arg, weight: Arg, bias: Option<Arg>, mask: Option<Arg>, stride: Ints, padding: Ints,
         dilation: Ints|
        deform_conv2d(
            py, [x, offset, weight], [bias, mask],
            [("stride", stride), ("padding", padding), ("dilation", dilation)]
        )
    )]
}
