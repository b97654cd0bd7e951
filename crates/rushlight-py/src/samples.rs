//! The samples of op definitions as calls of the Python functions, for tests.
use crate::error::OrPy;
use crate::tensor::PyTensor;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use rushlight::ops::{DefaultValue, Kind, Op, PythonSignature, TensorArgument, Value};
use rushlight::{Device, Tensor};
use rushlight_parity::sweep::{Case, Form};

/// The arguments by name that give an op these attributes; `None` where no call does.
fn arguments<'py>(
    py: Python<'py>,
    signature: &PythonSignature,
    values: &[Value],
    rank: usize,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let all = PyDict::new(py);
    for (a, value) in signature.attributes.iter().zip(values).filter(|(a, _)| a.is_parameter()) {
        let name = a.python_names().0;
        match *value {
            Value::Float(v) => all.set_item(name, v)?,
            Value::Int(v) => all.set_item(name, v)?,
            Value::Bool(v) => all.set_item(name, v)?,
            Value::Axis(v) => all.set_item(name, v)?,
            Value::Axes(mask) => {
                let axes: Vec<u32> = (0..u32::BITS).filter(|i| mask >> i & 1 == 1).collect();
                match (a.default, &axes[..]) {
                    (DefaultValue::OneAxis, [one]) => all.set_item(name, one)?,
                    (DefaultValue::OneAxis, axes) if axes.len() == rank => {}
                    (DefaultValue::OneAxis, _) => return Ok(None),
                    _ => all.set_item(name, PyTuple::new(py, axes)?)?,
                }
            }
            Value::Sizes { spatial, sizes } => {
                all.set_item(name, PyTuple::new(py, &sizes[sizes.len() - spatial.min(sizes.len())..])?)?
            }
            // 0 where the op has sizes.
            Value::Factors { factors, .. } if factors == [0.0; 3] => {}
            Value::Factors { spatial, factors } => {
                all.set_item(name, PyTuple::new(py, &factors[factors.len() - spatial.min(factors.len())..])?)?
            }
            Value::Choice(word) => match a.kind {
                Kind::Choice(words) if words.contains(&word) => all.set_item(name, word)?,
                _ => return Ok(None),
            },
            Value::DType(d) => all.set_item(name, crate::dtype::name(d))?,
            Value::Pads(pads) => {
                let mine = pads[pads.len() - rank.min(pads.len())..].iter().rev().flatten();
                all.set_item(name, PyTuple::new(py, mine.collect::<Vec<_>>())?)?
            }
            Value::Scalar(s) => all.set_item(name, s.to_f64())?,
            other => all.set_item(name, other.to_string())?,
        }
    }
    Ok(Some(all))
}

/// The tensors of an op as the arguments of its function, with None for the optional ones that the op does not have.
fn operands<'py>(
    py: Python<'py>,
    signature: &PythonSignature,
    values: &[Value],
    tensors: Vec<Tensor>,
) -> PyResult<Bound<'py, PyTuple>> {
    let missing = |name| {
        let mut flags = signature.attributes.iter().zip(values);
        flags.any(|(a, v)| a.default == DefaultValue::Given(name) && *v == Value::Bool(false))
    };
    let mut tensors = tensors.into_iter();
    let one = |t: TensorArgument| {
        let tensor = if missing(t.name) { None } else { tensors.next() };
        tensor.map(|t| Bound::new(py, PyTensor::new(t))).transpose()
    };
    PyTuple::new(py, signature.tensors().into_iter().map(one).collect::<PyResult<Vec<_>>>()?)
}

/// Returns every sample of every op that has a function here: name, operands, attributes, result.
#[pyfunction]
pub fn _samples(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let python_signatures = Op::all_python_signatures();
    let out = PyList::empty(py);
    for case in Case::all() {
        if case.error.is_some() || case.form != Form::Contiguous {
            continue;
        }
        let Some((signature, values)) = python_signatures.iter().find_map(|f| Some((f, f.read(&case.op)?)))
        else {
            continue;
        };
        let tensors = case.tensors(&Device::Cpu).py()?;
        let Some(attributes) = arguments(py, signature, &values, tensors.first().map_or(0, Tensor::rank))?
        else {
            continue;
        };
        if signature.is_in_place() {
            continue;
        }
        let Some(result) = case.run(&tensors).py()?.pop() else { continue };
        let mut positional = operands(py, signature, &values, tensors)?;
        if !signature.order.is_empty() {
            let (names, all) = (signature.tensors(), attributes.copy()?);
            for (tensor, given) in names.iter().zip(&positional) {
                all.set_item(tensor.name, given)?;
            }
            let ordered =
                signature.order.iter().map(|name| all.get_item(name)).collect::<PyResult<Vec<_>>>()?;
            positional = PyTuple::new(py, ordered)?;
            attributes.clear();
        }
        out.append((signature.name(), positional, attributes, PyTensor::new(result)))?;
    }
    Ok(out)
}
