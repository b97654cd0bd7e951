//! How an op definition is called from Python: inputs, attributes and documentation as data.
use super::{Input, Op};
use crate::dtype::{DTypeSet, sets};
use crate::{DType, Scalar};

/// Conversion of the operands before the op runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// They reach the op unchanged.
    AsGiven,
    /// Input 0 and the inputs of its dtype are promoted to one dtype and broadcast to one shape; each may be a number.
    /// Where the inputs are FLOAT only, integers and bools become the default float.
    Promoted,
}

/// Sort of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A real number.
    Float,
    /// An integer.
    Int,
    /// True or false.
    Bool,
    /// A dimension of input 0; a negative one counts from the end.
    Axis,
    /// A set of dimensions of input 0.
    Axes,
    /// A number for each spatial dimension.
    Sizes,
    /// A real number for each spatial dimension.
    Factors,
    /// A dtype.
    DType,
    /// A number of any dtype.
    Scalar,
    /// An integer of more than 64 bits.
    LargeInt,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Seed and number of a draw of random numbers.
    Key,
}

impl Kind {
    /// Name, for documents.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Bool => "bool",
            Self::Axis => "axis",
            Self::Axes => "axes",
            Self::Sizes => "sizes",
            Self::Factors => "factors",
            Self::DType => "dtype",
            Self::Scalar => "scalar",
            Self::LargeInt => "large int",
            Self::Choice(_) => "choice",
            Self::Key => "key",
        }
    }
}

/// Value of an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Of [`Kind::Float`].
    Float(f64),
    /// Of [`Kind::Int`].
    Int(i64),
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Axis`].
    Axis(usize),
    /// Of [`Kind::Axes`]: bit i stands for dimension i.
    Axes(u32),
    /// Of [`Kind::Sizes`]: the last `spatial` numbers.
    Sizes {
        /// Number of spatial dimensions.
        spatial: usize,
        /// The numbers; the leading ones are neutral.
        sizes: [usize; 3],
    },
    /// Of [`Kind::Factors`]: the last `spatial` numbers.
    Factors {
        /// Number of spatial dimensions.
        spatial: usize,
        /// The numbers; the leading ones are 0.
        factors: [f64; 3],
    },
    /// Of [`Kind::DType`].
    DType(DType),
    /// Of [`Kind::Scalar`].
    Scalar(Scalar),
    /// Of [`Kind::LargeInt`].
    LargeInt(i128),
    /// Of [`Kind::Choice`].
    Choice(&'static str),
    /// Of [`Kind::Key`].
    Key(u64, u64),
}

/// An attribute of an op definition that a caller gives.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Name, as users know it.
    pub name: &'static str,
    /// Sort.
    pub kind: Kind,
    /// Value where a call leaves it out.
    pub default: Option<Value>,
}

/// A function made of an op definition: `name(inputs.., attributes..)`, written with `signature!`.
///
/// ```
/// use rushlight::ops::{Op, Value};
/// let signatures = Op::all_python_signatures();
/// let elu = signatures.iter().find(|f| f.name() == "elu").unwrap();
/// assert_eq!((elu.inputs()[0].name, elu.attributes[0].name), ("x", "alpha"));
/// assert_eq!(elu.make(&[Value::Float(2.0)]).unwrap().name(), "elu");
/// assert!(elu.make(&[]).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct PythonSignature {
    /// Summary line: what the function computes.
    pub doc: &'static str,
    /// Lines of a Python session that shows a call and its result.
    pub example: &'static [&'static str],
    /// Conversion of the operands.
    pub operands: Operands,
    /// The attributes, in order.
    pub attributes: &'static [Attribute],
    pub(crate) make: fn(&[Value]) -> Option<Op>,
    pub(crate) read: fn(&Op) -> Option<Vec<Value>>,
    pub(crate) any: fn() -> Op,
}

impl PythonSignature {
    /// The op's name.
    pub fn name(&self) -> &'static str {
        (self.any)().name()
    }

    /// The declared inputs.
    pub fn inputs(&self) -> &'static [Input] {
        (self.any)().inputs()
    }

    /// Returns the docstring in numpydoc form: summary, parameters, result, errors and the example.
    pub fn documentation(&self) -> String {
        let mut text = format!("{}\n\nParameters\n----------", self.doc);
        let op = (self.any)();
        let inputs = self.inputs();
        let promoted = self.operands == Operands::Promoted;
        for (i, input) in inputs.iter().enumerate() {
            let meets = promoted && (i == 0 || input.same_as == Some(0)) && inputs.len() > 1;
            let kind = if meets { "Tensor or number" } else { "Tensor" };
            let which = if i == 0 { "Input".to_string() } else { format!("Input {}", i + 1) };
            text += &format!("\n{} : {kind}\n    {which}{}.", input.name, dtypes_of(input.dtypes, promoted));
        }
        for a in self.attributes {
            let spec = op.attributes().iter().find(|spec| spec.name == a.name);
            let (names, more) = match (a.kind, a.name) {
                (Kind::Axis, "dim") => ("dim, axis", " A negative one counts from the end."),
                (_, name) => (name, ""),
            };
            text += &format!("\n{names}{}\n    {}{more}", a.kind_text(), spec.map_or("", |spec| spec.doc));
        }
        text += "\n\nReturns\n-------\nTensor\n    ";
        text += if inputs.len() > 1 && promoted {
            "Result in the common dtype and shape of the inputs."
        } else {
            "Result in the dtype and shape of the input."
        };
        text += "\n\nRaises\n------\nTypeError\n    If an argument has the wrong type or a dtype that is not supported.";
        if inputs.len() > 1 {
            text += "\nValueError\n    If the shapes do not match.";
        }
        if self.attributes.iter().any(|a| a.kind == Kind::Axis) {
            text += "\nIndexError\n    If the axis is out of range.";
        }
        if !self.example.is_empty() {
            text += "\n\nExamples\n--------";
        }
        for line in self.example {
            text += &format!("\n{line}");
        }
        text
    }

    /// The op with these attributes; `None` unless there is one of the right kind for each.
    pub fn make(&self, values: &[Value]) -> Option<Op> {
        (self.make)(values)
    }

    /// The attributes of an op of this function; `None` for other ops.
    pub fn read(&self, op: &Op) -> Option<Vec<Value>> {
        (self.read)(op)
    }
}

impl Attribute {
    /// Type and default, as they follow the name in a docstring.
    fn kind_text(&self) -> String {
        let kind = match self.kind {
            Kind::Axis => "int",
            other => other.as_str(),
        };
        match self.default {
            Some(Value::Float(v)) => format!(" : {kind}, default {v:?}"),
            Some(Value::Int(v)) => format!(" : {kind}, default {v}"),
            Some(Value::Axis(v)) => format!(" : {kind}, default {v}"),
            Some(Value::Bool(v)) => format!(" : {kind}, default {}", if v { "True" } else { "False" }),
            _ => format!(" : {kind}"),
        }
    }
}

/// The dtypes of an input, as a docstring says them after the word "input".
fn dtypes_of(set: DTypeSet, promoted: bool) -> String {
    if set == sets::FLOAT {
        let more = if promoted { "; integers and bools are computed in float32" } else { "" };
        return format!(", of a floating-point dtype{more}");
    }
    let names = [
        (sets::NUMERIC, ", of an integer or floating-point dtype"),
        (sets::ORDERED, ", of any dtype but a complex one"),
        (sets::BITS, ", of an integer dtype or bool"),
        (sets::INT, ", of an integer dtype"),
        (sets::INDEX, ", of an integer dtype"),
        (sets::BOOL, ", of dtype bool"),
        (sets::ALL, ", of any dtype"),
    ];
    names.iter().find(|(s, _)| *s == set).map_or(String::new(), |(_, text)| (*text).to_string())
}

/// `signature!(Promoted, "Computes ..", [">>> rl.call()", "result"], (alpha: Float = 1.0, dim: Axis) => Op::OpDef(OpDef {
/// alpha, dim }))`. The op is read as a pattern too, so it is written with the attributes' names and constants only. Their
/// meaning is in the op's [`OpDef::attributes`](super::OpDef::attributes).
macro_rules! signature {
    (
        $operands:ident, $doc:literal, [$($example:literal),* $(,)?],
        ($($name:ident: $kind:ident $(= $default:expr)?),*) => $($op:tt)+
    ) => {
        $crate::ops::PythonSignature {
            doc: $doc,
            example: &[$($example),*],
            operands: $crate::ops::Operands::$operands,
            attributes: &[$($crate::ops::Attribute {
                name: stringify!($name),
                kind: $crate::ops::Kind::$kind,
                default: $crate::ops::signature::signature!(@default $kind $($default)?),
            }),*],
            make: |values| match *values {
                [$($crate::ops::Value::$kind($name)),*] => Some($($op)+),
                _ => None,
            },
            read: |op| match *op {
                $($op)+ => Some(vec![$($crate::ops::Value::$kind($name)),*]),
                _ => None,
            },
            any: || {
                $(let $name = Default::default();)*
                $($op)+
            },
        }
    };
    (@default $kind:ident) => { None };
    (@default $kind:ident $default:expr) => { Some($crate::ops::Value::$kind($default)) };
}
pub(crate) use signature;

#[cfg(test)]
mod tests {
    use crate::ops::{Op, Role};

    #[test]
    fn signatures_read_what_they_make() {
        let samples = Op::all_samples();
        let mut names = Vec::new();
        for signature in Op::all_python_signatures() {
            let name = signature.name();
            assert!(!names.contains(&name), "two functions {name}");
            names.push(name);
            let mine: Vec<_> = samples.iter().filter_map(|s| Some((&s.op, signature.read(&s.op)?))).collect();
            assert!(!mine.is_empty(), "no sample of {name}");
            for (op, values) in mine {
                assert_eq!(
                    (op.name(), op.role(), values.len()),
                    (name, Role::Out, signature.attributes.len())
                );
                let made = signature.make(&values).unwrap();
                assert_eq!(format!("{made:?}"), format!("{op:?}"));
            }
        }
        assert!(names.contains(&"log_softmax"));
    }
}
