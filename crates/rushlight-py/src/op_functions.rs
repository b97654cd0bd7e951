//! Python functions made at run time from `OpDef::python_signatures`: any inputs, attributes as plain values.
use crate::args::{Arg, Operand, axis};
use crate::elementwise::{broadcast, computes_in, rule_of};
use crate::error::{OrPy, run};
use crate::promote::{promote, promote_scalar};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyList, PyTuple, PyType};
use rushlight::ops::{Attribute, Input, Kind, Op, Operands, PythonSignature, Value};
use rushlight::{DType, Device, Tensor};
use rushlight_parity::sweep::{Case, Form};

// A function made of an op definition, and a method of Tensor. (No documentation of the class: it would hide `__doc__`.)
#[pyclass(frozen, name = "_Function", module = "rushlight")]
pub struct Function {
    signature: PythonSignature,
    name: &'static str,
    inputs: &'static [Input],
}

/// Adds the functions of the op definitions to the module, and to Tensor as methods.
pub fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    let class = m.py().get_type::<PyTensor>();
    for signature in Op::all_python_signatures() {
        let (name, inputs) = (signature.name(), signature.inputs());
        let function = Bound::new(m.py(), Function { signature, name, inputs })?;
        class.setattr(name, &function)?;
        m.add(name, function)?;
    }
    Ok(())
}

#[pymethods]
impl Function {
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyTensor> {
        let (inputs, attributes) = (self.inputs, self.signature.attributes);
        if args.len() > inputs.len() + attributes.len() {
            return Err(self.error(format!(
                "takes at most {} arguments, got {}",
                inputs.len() + attributes.len(),
                args.len()
            )));
        }
        if let Some(input) = inputs.get(args.len()) {
            let named = kwargs.map(|k| k.contains(input.name)).transpose()?.unwrap_or(false);
            let text = if named { "takes '{}' by position only" } else { "misses the argument '{}'" };
            return Err(self.error(text.replace("{}", input.name)));
        }
        let mut operands = Vec::with_capacity(inputs.len());
        for (i, input) in inputs.iter().enumerate() {
            let given = args.get_item(i)?;
            let operand = if self.number(i) {
                given.extract::<Operand>()
            } else {
                given.extract::<Arg>().map(|a| Operand::Tensor(a.0))
            };
            operands.push(operand.map_err(|e| self.argument(py, input.name, e))?);
        }
        let mut values = Vec::with_capacity(attributes.len());
        let mut named = 0;
        for (i, attribute) in attributes.iter().enumerate() {
            // An axis may be given by its other name.
            let absent = |v: &Bound<'_, PyAny>| attribute.kind == Kind::Axis && v.is_none();
            let mut given = args.get_item(inputs.len() + i).ok().filter(|v| !absent(v));
            for name in std::iter::once(attribute.name).chain(other_name(attribute)) {
                if let Some(by_name) = kwargs.map(|k| k.get_item(name)).transpose()?.flatten() {
                    named += 1;
                    if absent(&by_name) {
                        continue;
                    }
                    if given.is_some() {
                        return Err(self.error(format!("got two values for argument '{}'", attribute.name)));
                    }
                    given = Some(by_name);
                }
            }
            values.push(match (given, attribute.default) {
                (Some(v), _) => value(self.name, attribute, &v, &operands)
                    .map_err(|e| self.argument(py, attribute.name, e))?,
                (None, Some(default)) => default,
                (None, None) => return Err(self.error(format!("misses the argument '{}'", attribute.name))),
            });
        }
        if let Some(kwargs) = kwargs.filter(|k| k.len() > named) {
            for key in kwargs.keys() {
                let key: String = key.extract()?;
                if attributes.iter().all(|a| a.name != key && other_name(a) != Some(&key)) {
                    return Err(self.error(format!("got an unexpected keyword argument '{key}'")));
                }
            }
        }
        let op = self.signature.make(&values).ok_or_else(|| {
            PyRuntimeError::new_err(format!("{}: the op does not take these attributes", self.name))
        })?;
        self.run(py, op, &operands).map(PyTensor::new)
    }

    /// Makes a method of it.
    fn __get__<'py>(
        slf: Bound<'py, Self>,
        object: Option<Bound<'py, PyAny>>,
        owner: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = owner;
        match object {
            Some(object) => {
                static METHOD: PyOnceLock<Py<PyType>> = PyOnceLock::new();
                METHOD.import(slf.py(), "types", "MethodType")?.call1((slf, object))
            }
            None => Ok(slf.into_any()),
        }
    }

    fn __repr__(&self) -> String {
        format!("<function {} of rushlight>", self.name)
    }

    /// For pickle and copy: the name.
    fn __reduce__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __qualname__(&self) -> &'static str {
        self.name
    }

    #[getter]
    fn __doc__(&self) -> String {
        self.signature.documentation()
    }

    /// The parameters, for ``inspect.signature``.
    #[getter]
    fn __text_signature__(&self) -> String {
        let mut parts: Vec<String> = self.inputs.iter().map(|i| i.name.to_string()).collect();
        parts.push("/".to_string());
        for a in self.signature.attributes {
            parts.push(match a.default {
                None if other_name(a).is_some() => format!("{}=None", a.name),
                None => a.name.to_string(),
                Some(Value::Float(v)) => format!("{}={v:?}", a.name),
                Some(Value::Int(v)) => format!("{}={v}", a.name),
                Some(Value::Axis(v)) => format!("{}={v}", a.name),
                Some(Value::Bool(v)) => format!("{}={}", a.name, if v { "True" } else { "False" }),
                Some(other) => format!("{}={other}", a.name),
            });
        }
        let others: Vec<&str> = self.signature.attributes.iter().filter_map(other_name).collect();
        if !others.is_empty() {
            parts.push("*".to_string());
            parts.extend(others.iter().map(|name| format!("{name}=None")));
        }
        format!("({})", parts.join(", "))
    }

    /// The types of the parameters and of the result, as text.
    #[getter]
    fn __annotations__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = PyDict::new(py);
        for (i, input) in self.inputs.iter().enumerate() {
            all.set_item(input.name, if self.number(i) { "Tensor | builtins.complex" } else { "Tensor" })?;
        }
        for a in self.signature.attributes {
            let hint = match a.kind {
                Kind::Float => "typing.SupportsFloat | typing.SupportsIndex",
                Kind::Int => "typing.SupportsIndex",
                Kind::Axis => "typing.SupportsIndex | None",
                Kind::Bool => "builtins.bool",
                _ => "typing.Any",
            };
            all.set_item(a.name, hint)?;
            if let Some(other) = other_name(a) {
                all.set_item(other, hint)?;
            }
        }
        all.set_item("return", "Tensor")?;
        Ok(all)
    }
}

/// The other name of an axis: NumPy's `axis` and PyTorch's `dim` are one parameter.
fn other_name(a: &Attribute) -> Option<&'static str> {
    match (a.kind, a.name) {
        (Kind::Axis, "dim") => Some("axis"),
        (Kind::Axis, "axis") => Some("dim"),
        _ => None,
    }
}

/// The value of an attribute.
fn value(op: &str, attribute: &Attribute, given: &Bound<'_, PyAny>, operands: &[Operand]) -> PyResult<Value> {
    Ok(match attribute.kind {
        Kind::Float => Value::Float(given.extract()?),
        Kind::Int => Value::Int(given.extract()?),
        Kind::Bool => Value::Bool(given.cast::<PyBool>().map_err(PyErr::from)?.is_true()),
        Kind::Axis => {
            let rank = match &operands[0] {
                Operand::Tensor(t) => t.rank(),
                Operand::Num(_) => 0,
            };
            Value::Axis(axis(op, given.extract()?, rank)?)
        }
        kind => {
            let text = format!("{op}: no argument of kind {} is taken yet", kind.as_str());
            return Err(PyTypeError::new_err(text));
        }
    })
}

impl Function {
    fn error(&self, text: String) -> PyErr {
        PyTypeError::new_err(format!("{}() {text}", self.name))
    }

    /// Adds the argument's name to its error.
    fn argument(&self, py: Python<'_>, name: &str, e: PyErr) -> PyErr {
        if e.is_instance_of::<PyTypeError>(py) {
            return self.error(format!("argument '{name}': {}", e.value(py)));
        }
        e
    }

    /// Whether an input may be a number: another one that it meets is then a tensor.
    fn number(&self, input: usize) -> bool {
        self.meets(input) && (0..self.inputs.len()).any(|other| other != input && self.meets(other))
    }

    /// Whether an input is among those that meet in one dtype and shape.
    fn meets(&self, input: usize) -> bool {
        self.signature.operands == Operands::Promoted && (input == 0 || self.inputs[input].same_as == Some(0))
    }

    fn run(&self, py: Python<'_>, op: Op, operands: &[Operand]) -> PyResult<Tensor> {
        let mut met = self.together(operands)?.into_iter();
        let mut all = Vec::with_capacity(operands.len());
        for (i, operand) in operands.iter().enumerate() {
            match operand {
                Operand::Tensor(t) if !self.meets(i) => all.push(t.clone()),
                _ => all.extend(met.next()),
            }
        }
        let all: Vec<&Tensor> = all.iter().collect();
        let work = all.iter().map(|t| t.elem_count()).max().unwrap_or(0);
        run(py, work, || Tensor::run(op, &all))
    }

    /// The operands that meet, in their common dtype and shape.
    fn together(&self, operands: &[Operand]) -> PyResult<Vec<Tensor>> {
        let group: Vec<&Operand> =
            operands.iter().enumerate().filter(|(i, _)| self.meets(*i)).map(|(_, o)| o).collect();
        if group.is_empty() {
            return Ok(Vec::new());
        }
        let mut common: Option<DType> = None;
        for operand in &group {
            if let Operand::Tensor(t) = operand {
                common = Some(common.map_or(Ok(t.dtype()), |c| promote(c, t.dtype()))?);
            }
        }
        let Some(mut dtype) = common else {
            return Err(self.error("needs a Tensor among its arguments".to_string()));
        };
        for operand in &group {
            if let Operand::Num(n) = operand {
                dtype = promote_scalar(dtype, *n);
            }
        }
        let dtype = computes_in(dtype, rule_of(self.inputs));
        let device = Operand::device(&group);
        broadcast(group.iter().map(|o| o.tensor(dtype, &device)).collect::<PyResult<_>>()?, self.name)
    }
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
        let attributes = PyDict::new(py);
        let name = match python_signatures.iter().find_map(|f| Some((f, f.read(&case.op)?))) {
            Some((signature, values)) => {
                for (a, v) in signature.attributes.iter().zip(values) {
                    match v {
                        Value::Float(v) => attributes.set_item(a.name, v)?,
                        Value::Int(v) => attributes.set_item(a.name, v)?,
                        Value::Bool(v) => attributes.set_item(a.name, v)?,
                        Value::Axis(v) => attributes.set_item(a.name, v)?,
                        other => attributes.set_item(a.name, other.to_string())?,
                    }
                }
                signature.name()
            }
            None => match crate::families::python_name(&case.op) {
                Some(name) => name,
                None => continue,
            },
        };
        let tensors = case.tensors(&Device::Cpu).py()?;
        let Some(result) = case.run(&tensors).py()?.pop() else { continue };
        let operands = tensors.into_iter().map(PyTensor::new).collect::<Vec<_>>();
        out.append((name, PyTuple::new(py, operands)?, attributes, PyTensor::new(result)))?;
    }
    Ok(out)
}
