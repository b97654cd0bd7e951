//! Recurrent layers, as `rushlight.nn` calls them.
use crate::args::{Arg, Ints};
use crate::error::run;
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::recurrent::{Cell, Recurrence};

/// The hidden states of all steps of a direction of a recurrent layer, and the last hidden and cell states.
#[pyfunction]
#[pyo3(name = "_recurrent", signature = (cell, gates, sizes, reverse, h, c, weight, bias, projection, /))]
pub fn recurrent(
    py: Python<'_>,
    cell: &str,
    gates: Arg,
    sizes: Ints,
    reverse: bool,
    h: Arg,
    c: Option<Arg>,
    weight: Arg,
    bias: Option<Arg>,
    projection: Option<Arg>,
) -> PyResult<(PyTensor, PyTensor, Option<PyTensor>)> {
    let cell = match cell {
        "RNN_TANH" => Cell::Tanh,
        "RNN_RELU" => Cell::Relu,
        "LSTM" => Cell::Lstm,
        "GRU" => Cell::Gru,
        _ => {
            return Err(PyValueError::new_err(format!(
                "expected RNN_TANH, RNN_RELU, LSTM or GRU, got {cell}"
            )));
        }
    };
    let sizes = sizes.counts("recurrent layer", "batch_sizes")?;
    let work = gates.0.elem_count().max(weight.0.elem_count());
    let (y, h, c) = run(py, work, || {
        let (bias, projection) = (bias.as_ref().map(|b| &b.0), projection.as_ref().map(|p| &p.0));
        let layer = Recurrence { cell, sizes: &sizes, reverse, weight: &weight.0, bias, projection };
        layer.run(&gates.0, &h.0, c.as_ref().map(|c| &c.0))
    })?;
    Ok((PyTensor::new(y), PyTensor::new(h), c.map(PyTensor::new)))
}

/// The hidden and the cell state after a step of an LSTM, from the gates' pre-activations (.., 4, h) and the cell state.
#[pyfunction]
#[pyo3(name = "_lstm_cell", signature = (gates, c, /))]
pub fn lstm_cell(py: Python<'_>, gates: Arg, c: Arg) -> PyResult<(PyTensor, PyTensor)> {
    let (h, c) = run(py, gates.0.elem_count(), || {
        let both = gates.0.lstm_cell(&c.0)?;
        Ok((both.get(0)?, both.get(1)?))
    })?;
    Ok((PyTensor::new(h), PyTensor::new(c)))
}

/// The hidden state after a step of a GRU, from the pre-activations (.., 3, h) of the input and of the hidden state.
#[pyfunction]
#[pyo3(name = "_gru_cell", signature = (x, y, h, /))]
pub fn gru_cell(py: Python<'_>, x: Arg, y: Arg, h: Arg) -> PyResult<PyTensor> {
    run(py, x.0.elem_count(), || x.0.gru_cell(&y.0, &h.0)).map(PyTensor::new)
}
