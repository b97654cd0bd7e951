//! Python functions that are derived from op definitions (`OpDef::python_signatures`). Attributes are passed
//! as Python values.
use crate::args::{Arg, Flag, Ints, NoOut, NumArg, Operand, Whole, axes_or_all, axis};
use crate::compare::compare;
use crate::dtype::DTypeArg;
use crate::elementwise::{self, broadcast, computes_in, rule_of};
use crate::error::{OrPy, of, run};
use crate::function::{Body, Call, Function, MOST, Method, Parameter};
use crate::promote::{promote, promote_scalar};
use crate::tensor::PyTensor;
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use rushlight::error::called;
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::Cmp;
use rushlight::ops::predicate::Predicate;
use rushlight::ops::reduce::{Reduce, ReduceOp};
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{
    Attribute, DefaultValue, Input, Kind, Op, Operands, PythonSignature, Scaling, TensorArgument, Value,
};
use rushlight::{DType, Tensor};

/// The body of a function that is derived from an op definition.
pub struct OpFunction {
    signature: PythonSignature,
    /// The name in messages.
    name: &'static str,
    inputs: &'static [Input],
    tensors: Vec<TensorArgument>,
    in_place: bool,
    /// The op, where it has no attributes.
    plain: Option<Op>,
}

/// The functions of the op definitions.
pub fn functions() -> Vec<Function> {
    Op::all_python_signatures().into_iter().map(function).collect()
}

/// The default of an attribute, as Python writes it.
fn default_text(a: &Attribute) -> Option<String> {
    let two_names = a.python_names().1.is_some();
    Some(match a.default {
        DefaultValue::Required if !two_names => return None,
        DefaultValue::OneName => return None,
        DefaultValue::LastAxis => "-1".to_string(),
        DefaultValue::Value(_) if two_names => "None".to_string(),
        DefaultValue::Value(Value::Bool(v)) => if v { "True" } else { "False" }.to_string(),
        DefaultValue::Value(Value::Choice(word)) => format!("\"{word}\""),
        DefaultValue::Value(other) => other.to_string(),
        _ => "None".to_string(),
    })
}

/// The type of an attribute's argument, as the stub writes it.
fn hint(a: &Attribute) -> fn() -> String {
    match a.kind {
        Kind::Float => || <f64 as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Int if a.python_names().1.is_some() => || "typing.SupportsIndex | None".to_string(),
        Kind::Int | Kind::LargeInt => || "typing.SupportsIndex".to_string(),
        Kind::Count => || "builtins.int".to_string(),
        Kind::Axis if matches!(a.default, DefaultValue::Required | DefaultValue::VectorAxis) => {
            || "typing.SupportsIndex | None".to_string()
        }
        Kind::Axis => || "typing.SupportsIndex".to_string(),
        Kind::Bool if a.name == "keepdim" => {
            || <Option<Flag> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string()
        }
        Kind::Bool => || "builtins.bool".to_string(),
        Kind::Axes => || <Option<Ints> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Sizes if a.default == DefaultValue::NoNumbers => {
            || <Option<Ints> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string()
        }
        Kind::Sizes => || <Ints as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Factors => || <Option<Vec<f64>> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Choice(_) => || "builtins.str".to_string(),
        Kind::DType => || <Option<DTypeArg> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Scalar => || <NumArg as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Pads => || <Ints as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        Kind::Key => || "typing.Any".to_string(),
    }
}

/// The function of a signature, and its methods: tensors by position, attributes by position or name, dtypes and other names by
/// name.
fn function(signature: PythonSignature) -> Function {
    let documentation = signature.documentation();
    let op = OpFunction {
        name: signature.name().trim_start_matches('_'),
        inputs: signature.inputs(),
        tensors: signature.tensors(),
        in_place: signature.is_in_place(),
        plain: signature.make(&[]).ok().filter(|_| signature.call().is_none()),
        signature,
    };
    let mut parameters = Vec::new();
    for (i, tensor) in op.tensors.iter().enumerate() {
        let hint: fn() -> String = if op.number(i) || tensor.number_like.is_some() {
            || <Operand as FromPyObject<'_, '_>>::INPUT_TYPE.to_string()
        } else if tensor.optional {
            || <Option<Arg> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string()
        } else {
            || <Arg as FromPyObject<'_, '_>>::INPUT_TYPE.to_string()
        };
        parameters.push(Parameter { name: tensor.name, hint });
    }
    let inputs: Vec<&str> = parameters.iter().map(|p| p.name).collect();
    let (mut either, mut keyword, mut others) = (Vec::new(), Vec::new(), Vec::new());
    // Each attribute that callers give has a parameter, and another one for its other name.
    for a in op.signature.attributes.iter().filter(|a| a.is_parameter()) {
        let (name, other) = a.python_names();
        parameters.push(Parameter { name, hint: hint(a) });
        let other_hint: fn() -> String = match a.default {
            DefaultValue::LastAxis => || "typing.SupportsIndex | None".to_string(),
            _ => hint(a),
        };
        parameters.extend(other.map(|name| Parameter { name, hint: other_hint }));
        let text = default_text(a).map_or_else(|| name.to_string(), |d| format!("{name}={d}"));
        if a.kind == Kind::DType || op.signature.keyword_only {
            keyword.push(text)
        } else {
            either.push(text)
        }
        others.extend(other.map(|other| format!("{other}=None")));
    }
    // NumPy's reductions pass `out=None` to the method.
    let out = op.signature.attributes.iter().any(|a| a.kind == Kind::Axes);
    if out {
        parameters.push(Parameter {
            name: "out",
            hint: || <Option<NoOut> as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
        });
    }
    if let Some(scaling) = op.signature.scaling {
        let (name, default) = scaling.argument();
        keyword.push(format!("{name}={default}"));
        parameters.push(Parameter {
            name,
            hint: match scaling {
                Scaling::Alpha => || <NumArg as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
                Scaling::Decimals => || <Whole as FromPyObject<'_, '_>>::INPUT_TYPE.to_string(),
            },
        });
    }
    let order = op.signature.order;
    // PyTorch's methods take these arguments by name, too.
    let alpha = op.signature.scaling == Some(Scaling::Alpha);
    let signature = |name: &str, inputs: &[&str], method: bool| {
        if !order.is_empty() {
            let (order, end) = if method { (&order[1..], "") } else { (order, ", /") };
            return format!("{name}({}{end})", order.join(", "));
        }
        let mut parts: Vec<String> = inputs.iter().map(|i| (*i).to_string()).collect();
        let by_name = inputs.is_empty() || (method && alpha);
        parts.extend((!by_name).then(|| "/".to_string()));
        parts.extend(either.iter().cloned());
        let named: Vec<String> = keyword
            .iter()
            .cloned()
            .chain((out && method).then(|| "out=None".to_string()))
            .chain(others.iter().cloned())
            .collect();
        parts.extend((!named.is_empty()).then(|| "*".to_string()));
        parts.extend(named);
        format!("{name}({})", parts.join(", "))
    };
    let python = op.signature.name();
    let rest: &[&str] = if op.signature.is_operator() { &["other"] } else { &inputs[1..] };
    let own = [python];
    let methods = match op.signature.has_methods {
        true if op.signature.methods.is_empty() => &own[..],
        true => op.signature.methods,
        false => &[],
    };
    let method = |name: &&'static str| {
        let mut documentation = documentation.of_method(python, name);
        if out {
            documentation.parameters.push(rushlight::pydoc!(@parameter out).to_string());
        }
        Method { signature: signature(name, rest, true), documentation }
    };
    Function {
        signature: signature(python, &inputs, false),
        methods: methods.iter().map(method).collect(),
        documentation: documentation.clone(),
        parameters,
        in_module: true,
        body: Body::Op(Box::new(op)),
    }
}

/// A fast path for calls whose arguments are all positional tensors, as most calls of elementwise ops are: it
/// looks up no parameters.
#[derive(Clone, Copy)]
pub enum ShortCall {
    /// Of one tensor.
    Unary(UnaryOp),
    /// Of two tensors.
    Binary(BinaryOp),
}

impl ShortCall {
    /// Calls the op if all arguments are tensors; else returns `None`. `slf` is a method's tensor.
    #[inline]
    pub fn call<'py>(
        self,
        py: Python<'py>,
        slf: Option<Borrowed<'_, 'py, PyAny>>,
        given: &[Borrowed<'_, 'py, PyAny>],
    ) -> Option<PyResult<Bound<'py, PyAny>>> {
        let tensor = |argument: Borrowed<'_, 'py, PyAny>| Some(argument.cast::<PyTensor>().ok()?.get().get());
        let out = match (self, slf, given) {
            (Self::Unary(op), None, &[x]) | (Self::Unary(op), Some(x), []) => {
                elementwise::unary(py, op, &tensor(x)?)
            }
            (Self::Binary(op), None, &[a, b]) | (Self::Binary(op), Some(a), &[b]) => {
                elementwise::binary(py, op, &Operand::Tensor(tensor(a)?), &Operand::Tensor(tensor(b)?))
            }
            _ => return None,
        };
        Some(out.and_then(|out| Ok(Bound::new(py, PyTensor::new(out))?.into_any())))
    }
}

impl OpFunction {
    /// Returns the fast path of the op, if it has one.
    pub fn short_call(&self) -> Option<ShortCall> {
        match self.plain {
            Some(Op::Unary(Unary(op))) => Some(ShortCall::Unary(op)),
            Some(Op::Binary(Binary(op))) => Some(ShortCall::Binary(op)),
            _ => None,
        }
    }

    /// Runs the op of a call.
    pub fn call<'py>(&self, call: &Call<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let py = call.py;
        let tensor = |slot: usize| call.convert::<Arg>(slot).map(|a| a.0);
        let out = match self.plain {
            // Of the elementwise families, with names or with numbers; tensors alone are a `ShortCall`.
            Some(Op::Unary(Unary(op))) => match self.signature.scaling.and(call.slots[1]) {
                Some(_) => elementwise::to_decimals(py, op, &tensor(0)?, call.convert::<Whole>(1)?)?,
                None => elementwise::unary(py, op, &tensor(0)?)?,
            },
            Some(Op::Binary(Binary(op))) => {
                let (a, b) = (call.convert(0)?, call.convert(1)?);
                match self.signature.scaling.and(call.slots[2]) {
                    Some(_) => elementwise::scaled(py, op, &a, &b, call.convert::<NumArg>(2)?.0)?,
                    None => elementwise::binary(py, op, &a, &b)?,
                }
            }
            Some(Op::Cmp(Cmp { op, .. })) => compare(py, op, &call.convert(0)?, &call.convert(1)?)?,
            Some(Op::Predicate(Predicate(op))) if op.is_binary() => {
                elementwise::logical(py, op, &call.convert(0)?, &call.convert(1)?)?
            }
            Some(Op::Predicate(Predicate(op))) => elementwise::predicate(py, op, &tensor(0)?)?,
            _ if self.in_place => return self.general(call).map(|_| py.None().into_bound(py)),
            _ => self.general(call)?,
        };
        Ok(Bound::new(py, PyTensor::new(out))?.into_any())
    }

    /// Runs an op of any tensors and attributes.
    #[inline(never)]
    fn general(&self, call: &Call<'_, '_>) -> PyResult<Tensor> {
        let py = call.py;
        let mut operands = Vec::with_capacity(self.tensors.len());
        for (i, tensor) in self.tensors.iter().enumerate() {
            operands.push(if self.number(i) || tensor.number_like.is_some() {
                Some(call.convert::<Operand>(i)?)
            } else if tensor.optional {
                call.convert::<Option<Arg>>(i)?.map(|a| Operand::Tensor(a.0))
            } else {
                Some(Operand::Tensor(call.convert::<Arg>(i)?.0))
            });
        }
        let mut values = Vec::with_capacity(self.signature.attributes.len());
        let mut slot = self.tensors.len();
        for a in self.signature.attributes {
            values.push(self.value(call, a, slot, &mut operands)?);
            slot += a.slots();
        }
        if slot < MOST && call.slots[slot].is_some() {
            call.convert::<Option<NoOut>>(slot)?;
        }
        let op = self.signature.make(&values).py()?;
        let Some(calling) = self.signature.call() else {
            let operands: Vec<Operand> = operands.into_iter().flatten().collect();
            return self.run(py, op, &operands);
        };
        let operands = self.in_shape(operands)?;
        let tensors: Vec<Option<&Tensor>> = operands.iter().map(Option::as_ref).collect();
        let work = tensors.iter().flatten().map(|t| t.elem_count()).max().unwrap_or(0);
        run(py, work, || of(self.name, called(self.name, || calling(op, &tensors))))
    }

    /// The operands as tensors: a number has the dtype of the first, and the shape of the argument that it stands beside.
    fn in_shape(&self, operands: Vec<Option<Operand>>) -> PyResult<Vec<Option<Tensor>>> {
        let tensor = |operand: &Option<Operand>| match operand {
            Some(Operand::Tensor(t)) => Some(t.clone()),
            _ => None,
        };
        let first = operands.first().and_then(tensor);
        let one = |(operand, argument): (&Option<Operand>, &TensorArgument)| {
            let (Some(Operand::Num(n)), Some(x)) = (operand, &first) else { return Ok(tensor(operand)) };
            let beside = argument.number_like.and_then(|name| {
                let at = self.tensors.iter().position(|t| t.name == name)?;
                tensor(&operands[at])
            });
            let shape = beside.map_or_else(|| ().into(), |t| t.shape().clone());
            let number = Tensor::full_scalar(n.to_scalar(x.dtype())?, (), x.device());
            number.and_then(|t| t.broadcast_as(shape)).py().map(Some)
        };
        operands.iter().zip(&self.tensors).map(one).collect()
    }

    /// Returns the value of an attribute, whose argument is in `slot`, or in the next slot if it was given
    /// under the attribute's other name.
    fn value(
        &self,
        call: &Call<'_, '_>,
        a: &Attribute,
        slot: usize,
        operands: &mut [Option<Operand>],
    ) -> PyResult<Value> {
        if let DefaultValue::Given(input) = a.default {
            let at = self.tensors.iter().position(|t| t.name == input);
            return Ok(Value::Bool(at.is_some_and(|at| operands[at].is_some())));
        }
        let name = self.name;
        let (first, other) = a.python_names();
        let given = |slot: usize| call.slots[slot].filter(|v| other.is_none() || !v.is_none());
        let at = match (given(slot), other.and_then(|_| given(slot + 1))) {
            (Some(_), Some(_)) => {
                let (second, first) =
                    if first == "dim" { (first, "axis") } else { (other.unwrap_or(""), first) };
                return Err(PyTypeError::new_err(format!(
                    "{first} and {second} are one parameter; give one"
                )));
            }
            (None, Some(_)) => Some(slot + 1),
            (given, None) => given.map(|_| slot),
        };
        // Kinds for which None, or a missing argument, has a meaning.
        match a.kind {
            Kind::Axes => {
                let axes = at.map(|at| call.convert::<Option<Ints>>(at)).transpose()?.flatten();
                if a.default == DefaultValue::OneAxis && axes.as_ref().is_some_and(|axes| !axes.single) {
                    return Err(PyTypeError::new_err(format!("{name} takes one axis")));
                }
                let axes = axes_or_all(name, axes, None, rank(operands))?;
                return Ok(Value::Axes(axes.iter().fold(0, |m, a| m | 1 << a)));
            }
            Kind::DType => {
                let given = at.map(|at| call.convert::<Option<DTypeArg>>(at)).transpose()?.flatten();
                return self.dtype(call.py, a.default, given.map(|d| d.0), operands).map(Value::DType);
            }
            _ => {}
        }
        let at = match a.default {
            DefaultValue::NoNumbers => at.filter(|at| !call.at(*at).is_none()),
            _ => at,
        };
        let Some(at) = at else {
            return match (a.default, a.kind) {
                (DefaultValue::Value(value), _) => Ok(value),
                (DefaultValue::NoNumbers, Kind::Factors) => {
                    Ok(Value::Factors { spatial: 0, factors: [0.0; 3] })
                }
                (DefaultValue::VectorAxis, _) if rank(operands) == 1 => Ok(Value::Axis(0)),
                (DefaultValue::VectorAxis, _) => Err(PyValueError::new_err(format!(
                    "{name}: a tensor of another rank than 1 needs an axis"
                ))),
                (DefaultValue::LastAxis, _) => Ok(Value::Axis(axis(name, -1, rank(operands))?)),
                (DefaultValue::NoNumbers, _) => Ok(Value::Sizes { spatial: 0, sizes: [0; 3] }),
                _ => Err(call.callable.error(&format!("misses the argument '{first}'"))),
            };
        };
        Ok(match a.kind {
            Kind::Float => Value::Float(call.convert(at)?),
            Kind::Int => Value::Int(call.convert(at)?),
            Kind::Count => {
                let count: usize = call.convert::<Whole>(at)?.count(name, first)?;
                Value::Int(Whole(count as i128).count(name, first)?)
            }
            Kind::LargeInt => Value::LargeInt(call.convert::<Whole>(at)?.0),
            Kind::Bool if a.name == "keepdim" => Value::Bool(call.convert::<Flag>(at)?.0),
            Kind::Bool => Value::Bool(call.convert(at)?),
            Kind::Axis => Value::Axis(axis(name, call.convert(at)?, rank(operands))?),
            Kind::Sizes => {
                let given = self.each(first, &call.convert::<Ints>(at)?.values)?;
                let mut sizes = [0; 3];
                for (size, given) in sizes.iter_mut().zip(given) {
                    *size = match usize::try_from(given) {
                        Ok(size) => size,
                        Err(_) => Whole(given.into()).count(name, first)?,
                    };
                }
                Value::Sizes { spatial: self.signature.spatial, sizes }
            }
            Kind::Factors => {
                let given = call.convert::<Vec<f64>>(at)?;
                Value::Factors { spatial: self.signature.spatial, factors: self.each(first, &given)? }
            }
            Kind::Scalar => {
                let dtype = match &operands[0] {
                    Some(Operand::Tensor(t)) => t.dtype(),
                    Some(Operand::Num(n)) => n.default_dtype(),
                    None => DType::F32,
                };
                Value::Scalar(call.convert::<NumArg>(at)?.0.to_scalar(dtype)?)
            }
            Kind::Choice(words) => {
                let word: String = call.convert(at)?;
                let known = words.iter().find(|w| **w == word);
                let text = || format!("{name}: {first} '{word}' is none of '{}'", words.join("', '"));
                Value::Choice(known.ok_or_else(|| PyValueError::new_err(text()))?)
            }
            Kind::Pads => {
                // The last dimension comes first.
                let given = call.convert::<Ints>(at)?.values;
                let pairs: Vec<[i64; 2]> = given.chunks_exact(2).rev().map(|p| [p[0], p[1]]).collect();
                Value::pads(&pairs).py()?
            }
            Kind::Axes | Kind::DType | Kind::Key => {
                let text = format!("{name}: an attribute of kind {} is not an argument", a.kind.as_str());
                return Err(PyRuntimeError::new_err(text));
            }
        })
    }

    /// Spreads numbers (one for each spatial dimension, or one for all) over the last of three dimensions.
    fn each<T: Copy + Default>(&self, name: &str, given: &[T]) -> PyResult<[T; 3]> {
        let (spatial, op) = (self.signature.spatial.min(3), self.name);
        let mut all = [T::default(); 3];
        let last = &mut all[3 - spatial..];
        match given {
            [one] => last.fill(*one),
            many if many.len() == spatial => last.copy_from_slice(many),
            _ => {
                let (s, n) = (if spatial == 1 { "" } else { "s" }, given.len());
                return Err(PyValueError::new_err(format!(
                    "{op}: {name} needs {spatial} number{s}, got {n}"
                )));
            }
        }
        Ok(all)
    }

    /// Returns the dtype of the result. Converts input 0 to the dtype in which the op computes.
    fn dtype(
        &self,
        py: Python<'_>,
        default: DefaultValue,
        given: Option<DType>,
        operands: &mut [Option<Operand>],
    ) -> PyResult<DType> {
        let Some(Some(Operand::Tensor(x))) = operands.first_mut() else {
            return Err(PyTypeError::new_err(format!("{}: the first argument is a Tensor", self.name)));
        };
        let own = computes_in(given.unwrap_or(x.dtype()), rule_of(self.inputs));
        let (input, result) = match default {
            // Bools are summed as integers.
            DefaultValue::TotalDType if own == DType::Bool && given.is_none() => (DType::I64, DType::I64),
            DefaultValue::TotalDType if given.is_none() => (own, total(own)),
            _ => (own, own),
        };
        if input != x.dtype() {
            *x = run(py, x.elem_count(), || x.to_dtype(input))?;
        }
        Ok(result)
    }

    /// Returns whether an input may be a Python number: it may if it is promoted together with another input,
    /// which is a tensor.
    fn number(&self, input: usize) -> bool {
        self.meets(input) && (0..self.inputs.len()).any(|other| other != input && self.meets(other))
    }

    /// Returns whether an input is promoted and broadcast together with others.
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
        if let (Op::Reduce(Reduce { op: ReduceOp::Any | ReduceOp::All, .. }), [x]) = (&op, &mut all[..])
            && x.dtype().is_complex()
        {
            *x = run(py, x.elem_count(), || x.to_dtype(DType::Bool))?;
        }
        let all: Vec<&Tensor> = all.iter().collect();
        let work = all.iter().map(|t| t.elem_count()).max().unwrap_or(0);
        run(py, work, || of(self.name, Tensor::run(op, &all)))
    }

    /// Converts the operands that are promoted together to their common dtype and shape.
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
            return Err(PyTypeError::new_err(format!("{}() needs a Tensor among its arguments", self.name)));
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

/// Returns the dtype of sums and products of a dtype: 64 bits for integers.
pub fn total(d: DType) -> DType {
    match d.kind() {
        rushlight::Kind::UInt => DType::U64,
        rushlight::Kind::Int | rushlight::Kind::Bool => DType::I64,
        _ => d,
    }
}

/// The rank of the first operand.
fn rank(operands: &[Option<Operand>]) -> usize {
    match operands.first() {
        Some(Some(Operand::Tensor(t))) => t.rank(),
        _ => 0,
    }
}
