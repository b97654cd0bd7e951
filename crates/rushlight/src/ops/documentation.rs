//! Documents Python functions in numpydoc form, from data.
use super::signature::{Attribute, DefaultValue, Kind, Operands, PythonSignature, TensorArgument, Value};
use super::{Input, Meta, ShapeRule};
use crate::dtype::{DTypeSet, sets};
use crate::{DType, Shape, pydoc};

/// A docstring as data: the sections of numpydoc.
///
/// ```
/// use rushlight::ops::Op;
/// let exp = Op::all_python_signatures().into_iter().find(|f| f.name() == "exp").unwrap();
/// assert!(exp.documentation().text().starts_with("Computes e^x.\n\nParameters\n----------\nx : Tensor\n"));
/// assert!(exp.documentation().of_method("exp", "exp").text().starts_with("Computes e^x.\n\nReturns\n"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Documentation {
    /// Summary, and further text before the sections.
    pub summary: String,
    /// Entries of the parameters: `"\nname : type\n    Text."`. The first is the operand that becomes `self` in a
    /// method.
    pub parameters: Vec<String>,
    /// Type and description of the result. If the description is empty, the section is left out.
    pub returns: Option<(String, String)>,
    /// Entries of the errors: `"\nValueError\n    If ..."`.
    pub raises: Vec<String>,
    /// Lines of a Python session.
    pub example: Vec<String>,
}

impl Documentation {
    /// Returns the docstring.
    pub fn text(&self) -> String {
        let section = |name: &str| format!("\n\n{name}\n{}", "-".repeat(name.len()));
        let mut text = self.summary.clone();
        if !self.parameters.is_empty() {
            text += &section("Parameters");
            text += &self.parameters.concat();
        }
        if let Some((kind, means)) = self.returns.as_ref().filter(|(_, means)| !means.is_empty()) {
            text += &format!("{}\n{kind}\n    {means}", section("Returns"));
        }
        if !self.raises.is_empty() {
            text += &section("Raises");
            text += &self.raises.concat();
        }
        if !self.example.is_empty() {
            text += &section("Examples");
        }
        self.example.iter().fold(text, |text, line| text + "\n" + line)
    }

    /// Returns the documentation of `method` of Tensor, made from that of `function`. The method's tensor is the
    /// function's first operand.
    pub fn of_method(&self, function: &str, method: &str) -> Self {
        let mut of = self.clone();
        let first = if of.parameters.is_empty() { String::new() } else { of.parameters.remove(0) };
        if let Some(operands) = first.strip_prefix("\nx1, x2 : Tensor or number\n    Operands") {
            let set = operands.split('.').next().unwrap_or_default();
            let other = pydoc!(@parameter other).replacen("operand", &format!("operand{set}"), 1);
            of.parameters.insert(0, other);
            of.summary = of.summary.replace("x1", "self").replace("x2", "other");
        }
        if method != function && !method.starts_with(function) {
            let (summary, more) = of.summary.split_once("\n\n").unwrap_or((&of.summary, ""));
            let gap = if more.is_empty() { "" } else { "\n\n" };
            of.summary = format!("{summary} PyTorch's name of ``{function}``.{gap}{more}");
        }
        if let Some((_, means)) = &mut of.returns {
            *means = means.replace("``x``", "the tensor");
        }
        for error in &mut of.raises {
            if error == pydoc!(@error dtype) {
                *error = pydoc!(@error own_dtype).to_string();
            }
            *error = error.replace("``x``", "the tensor");
        }
        for line in &mut of.example {
            if line.starts_with(">>>") || line.starts_with("...") {
                *line = as_method(line, function, method);
            }
        }
        of
    }
}

/// Returns a line of Python in which each call `rl.function(x, ..)` is replaced by `x.method(..)`.
fn as_method(line: &str, function: &str, method: &str) -> String {
    let call = format!("rl.{function}(");
    let Some(start) = line.find(&call) else { return line.to_string() };
    let inside = &line[start + call.len()..];
    let (mut depth, mut end, mut quoted) = (0, None, false);
    for (i, c) in inside.char_indices() {
        match c {
            '\'' | '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ',' if depth == 0 => {
                end = Some((i, i + 2));
                break;
            }
            ')' | ']' if depth == 0 => {
                end = Some((i, i));
                break;
            }
            ')' | ']' => depth -= 1,
            _ => {}
        }
    }
    let Some((end, next)) = end else { return line.to_string() };
    let rest = as_method(inside.get(next..).unwrap_or_default(), function, method);
    format!("{}{}.{method}({rest}", &line[..start], &inside[..end])
}

impl PythonSignature {
    /// Returns the function's documentation.
    pub fn documentation(&self) -> Documentation {
        let specs = self.any().map_or(&[][..], |op| op.attributes());
        let inputs = self.inputs();
        let tensors = self.tensors();
        let promoted = self.operands == Operands::Promoted;
        let mut parameters = Vec::new();
        if self.is_operator() {
            parameters.push(pydoc!(@parameter x1_x2).replacen(
                "Operands",
                &format!("Operands{}", set(inputs, promoted)),
                1,
            ));
        } else {
            for (i, tensor) in tensors.iter().enumerate() {
                let same = |i: usize| i == 0 || inputs.get(i).is_some_and(|input| input.same_as == Some(0));
                let kind = match promoted && same(i) && tensors.len() > 1 {
                    true => "Tensor or number",
                    false if tensor.number_like.is_some() => "Tensor or number",
                    false if tensor.optional => "Tensor or None",
                    false => "Tensor",
                };
                let which = if i == 0 { "Input".to_string() } else { format!("Input {}", i + 1) };
                let means = match tensor.doc {
                    "" => format!("{which}{}.", dtypes_of(tensor.dtypes, promoted)),
                    doc => doc.to_string(),
                };
                parameters.push(format!("\n{} : {kind}\n    {means}", tensor.name));
            }
        }
        for a in self.attributes.iter().filter(|a| a.is_parameter()) {
            let spec = specs.iter().find(|spec| spec.name == a.name);
            parameters.push(a.documentation(spec.map_or("", |spec| spec.doc)));
        }
        parameters.extend(self.scaling.map(|s| s.documentation()));
        let named = |entry: &String, name: &str| {
            entry.trim_start().split_once([' ', ',']).is_some_and(|(first, _)| first == name)
        };
        parameters.sort_by_key(|entry| self.order.iter().position(|name| named(entry, name)));
        let has = |kind| self.attributes.iter().any(|a| a.kind == kind);
        let mut raises = Vec::new();
        if self.is_operator() {
            raises.push(pydoc!(@error operands).to_string());
        } else {
            raises.push(match tensors.first() {
                Some(TensorArgument { name: "x", .. }) => pydoc!(@error dtype).to_string(),
                _ => "\nTypeError\n    If the dtypes differ or are not supported.".to_string(),
            });
            if tensors.len() > 1 {
                raises.push("\nValueError\n    If the shapes do not match.".to_string());
            } else if [Kind::Sizes, Kind::Count, Kind::Int].into_iter().any(has) {
                raises.push("\nValueError\n    If the shape and the numbers do not match.".to_string());
            }
        }
        if has(Kind::Axes) {
            raises.insert(0, pydoc!(@error axes).to_string());
        } else if has(Kind::Axis) {
            raises.push("\nIndexError\n    If the axis is out of range.".to_string());
        }
        if !self.raises.is_empty() {
            raises = self.raises.iter().map(|entry| (*entry).to_string()).collect();
        }
        let result = (!self.is_in_place()).then(|| ("Tensor".to_string(), self.result()));
        Documentation {
            summary: self.doc.to_string(),
            parameters,
            returns: result,
            raises,
            example: self.example.iter().map(|line| (*line).to_string()).collect(),
        }
    }

    /// Returns the description of the result.
    fn result(&self) -> String {
        if !self.returns.is_empty() {
            return self.returns.to_string();
        }
        let Some(op) = self.any() else { return String::new() };
        let metas = vec![Meta::new(Shape::from(1), DType::F32); self.inputs().len()];
        let dtype = op.infer(&metas).map_or(DType::F32, |m| m.dtype);
        let shape = match self.inputs().len() {
            1 => "the shape of ``x``",
            _ => "the common shape",
        };
        if self.attributes.iter().any(|a| a.kind == Kind::Axes) {
            return match dtype {
                DType::I64 => "Indices, of dtype int64.".to_string(),
                _ => "One value for each element of the axes that stay.".to_string(),
            };
        }
        match (op.shape_rule(), dtype, self.inputs().len()) {
            (ShapeRule::Computed(text), ..) => {
                format!("Result of shape {}.", text.replace('[', "(").replace(']', ")"))
            }
            (_, DType::Bool, _) => format!("Result of dtype bool in {shape}."),
            (ShapeRule::Input(0), _, 2..) if self.operands == Operands::AsGiven => {
                format!("Result in the shape of ``{}``.", self.inputs()[0].name)
            }
            (_, _, 1) => format!("Result in {shape}."),
            _ => "Result in the common dtype and shape.".to_string(),
        }
    }
}

impl Attribute {
    /// Returns the parameter's entry in a docstring: name, type, default and description.
    fn documentation(&self, means: &str) -> String {
        let (name, other) = self.python_names();
        match (self.kind, name, self.default) {
            (Kind::Axes, _, DefaultValue::OneAxis) => {
                return pydoc!(
                    @parameter axis:
                    "int, optional" "Axis to search; a negative one counts from the end. The flattened tensor by default. ``dim`` is PyTorch's name."
                )
                .to_string();
            }
            (Kind::Axes, ..) => return pydoc!(@parameter axes).to_string(),
            (_, _, DefaultValue::OneName) => return pydoc!(@parameter dim).to_string(),
            (_, _, DefaultValue::VectorAxis) => return pydoc!(@parameter axis_of_vector).to_string(),
            (_, _, DefaultValue::LastAxis) => return pydoc!(@parameter axis_last).to_string(),
            (_, "keepdims", _) => return pydoc!(@parameter keepdims).to_string(),
            (Kind::DType, _, DefaultValue::TotalDType) => {
                return pydoc!(@parameter dtype: "DType or str, optional" "Dtype to compute in, and of the result.")
                    .to_string();
            }
            _ => {}
        }
        let kind = match self.kind {
            Kind::Axis | Kind::LargeInt | Kind::Count => "int",
            Kind::Sizes => "int or sequence of int",
            Kind::Factors => "float or sequence of float",
            Kind::Pads => "sequence of int",
            Kind::Choice(_) => "str",
            Kind::DType => "DType or str",
            Kind::Scalar => "number",
            other => other.as_str(),
        };
        let names = other.map_or_else(|| name.to_string(), |other| format!("{name}, {other}"));
        let more = match (self.kind, other) {
            (Kind::Axis, _) => " A negative one counts from the end.",
            (_, Some("k")) => " ``k`` is the array API's name.",
            _ => "",
        };
        let default = match self.default {
            DefaultValue::Value(Value::Bool(v)) => format!(", default {}", if v { "True" } else { "False" }),
            DefaultValue::Value(Value::Choice(v)) => format!(", default \"{v}\""),
            DefaultValue::Value(v) => format!(", default {v}"),
            DefaultValue::NoNumbers => ", optional".to_string(),
            _ => String::new(),
        };
        format!("\n{names} : {kind}{default}\n    {means}{more}")
    }
}

/// Returns the dtypes of promoted operands, as the text that follows the word "operands".
fn set(inputs: &[Input], promoted: bool) -> String {
    match dtypes_of(inputs[0].dtypes, promoted) {
        any if [sets::ORDERED, sets::EQUATABLE, sets::ALL].contains(&inputs[0].dtypes) => {
            debug_assert!(!any.is_empty());
            String::new()
        }
        text => text.trim_start_matches(',').to_string(),
    }
}

/// Returns the dtypes of an input, as the text that follows the word "input".
fn dtypes_of(set: DTypeSet, promoted: bool) -> String {
    if set == sets::FLOAT || set == sets::INEXACT {
        let kinds = if set == sets::FLOAT { "floating-point" } else { "floating-point or complex" };
        let more = if promoted { "; integers and bools are computed in float32" } else { "" };
        return format!(", of a {kinds} dtype{more}");
    }
    let names = [
        (sets::NUMERIC, ", of an integer or floating-point dtype"),
        (sets::NUMBER, ", of any dtype but bool"),
        (sets::COMPLEX, ", of a complex dtype"),
        (sets::PARTS, ", of dtype float32 or float64"),
        (sets::EQUATABLE, ", of any dtype"),
        (sets::ORDERED, ", of any dtype but a complex one"),
        (sets::BITS, ", of an integer dtype or bool"),
        (sets::INT, ", of an integer dtype"),
        (sets::INDEX, ", of an integer dtype"),
        (sets::BOOL, ", of dtype bool"),
        (sets::ALL, ", of any dtype"),
    ];
    names.iter().find(|(s, _)| *s == set).map_or(String::new(), |(_, text)| (*text).to_string())
}
