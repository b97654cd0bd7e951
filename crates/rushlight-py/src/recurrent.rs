//! Recurrent layers and the LSTM's cell: by hand, since they return several tensors.
use crate::args::{Arg, Ints};
use crate::error::run;
use crate::function::{Function, function};
use crate::tensor::PyTensor;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rushlight::Tensor;
use rushlight::recurrent::{Cell, Recurrence};

type States = (PyTensor, PyTensor, Option<PyTensor>);

/// The cell of a name.
fn cell(name: &str) -> PyResult<Cell> {
    Ok(match name {
        "RNN_TANH" => Cell::Tanh,
        "RNN_RELU" => Cell::Relu,
        "LSTM" => Cell::Lstm,
        "GRU" => Cell::Gru,
        _ => {
            return Err(PyValueError::new_err(format!(
                "expected RNN_TANH, RNN_RELU, LSTM or GRU, got {name}"
            )));
        }
    })
}

fn recurrent(
    py: Python<'_>,
    (name, sizes, reverse): (&str, Ints, bool),
    [gates, h, weight]: [Arg; 3],
    [c, bias, projection]: [Option<Arg>; 3],
) -> PyResult<States> {
    let cell = cell(name)?;
    let sizes = sizes.counts("recurrent layer", "batch_sizes")?;
    let work = gates.0.elem_count().max(weight.0.elem_count());
    let given = |a: &'_ Option<Arg>| -> Option<Tensor> { a.as_ref().map(|a| a.0.clone()) };
    let (c, bias, projection) = (given(&c), given(&bias), given(&projection));
    let (y, h, c) = run(py, work, || {
        let (bias, projection) = (bias.as_ref(), projection.as_ref());
        let layer = Recurrence { cell, sizes: &sizes, reverse, weight: &weight.0, bias, projection };
        layer.run(&gates.0, &h.0, c.as_ref())
    })?;
    Ok((PyTensor::new(y), PyTensor::new(h), c.map(PyTensor::new)))
}

/// The functions of this file.
pub fn functions() -> Vec<Function> {
    vec![
        function!(
            "_recurrent(cell, gates, sizes, reverse, h, c, weight, bias, projection, /)";
            "Returns the hidden states of all steps of a direction of a recurrent layer, and the last hidden and cell states.";
            () -> "tuple[Tensor, Tensor, Tensor | None]" ""; (); [];
            |py, cell: String, gates: Arg, sizes: Ints, reverse: bool, h: Arg, c: Option<Arg>, weight: Arg,
             bias: Option<Arg>, projection: Option<Arg>|
            recurrent(py, (&cell, sizes, reverse), [gates, h, weight], [c, bias, projection])
        ),
        function!(
            "_lstm_cell(gates, c, /)";
            "Returns the hidden and the cell state after a step of an LSTM, from the gates' pre-activations (.., 4, h) and the cell state.";
            () -> "tuple[Tensor, Tensor]" ""; (); [];
            |py, gates: Arg, c: Arg|
            run(py, gates.0.elem_count(), || {
                let both = gates.0.lstm_cell(&c.0)?;
                Ok((both.get(0)?, both.get(1)?))
            })
            .map(|(h, c)| (PyTensor::new(h), PyTensor::new(c)))
        ),
    ]
}
