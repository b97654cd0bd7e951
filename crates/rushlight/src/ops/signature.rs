//! How an op definition is called from Python: inputs, attributes and documentation as data.
use super::{Input, Op};
use crate::shape::MAX_RANK;
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
    /// Numbers before and behind each of the last dimensions.
    Pads,
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
            Self::Pads => "pads",
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
    /// Of [`Kind::Pads`], of all dimensions that a tensor may have.
    Pads([[i32; 2]; MAX_RANK]),
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
    pub default: DefaultValue,
}

/// Value of an attribute that a call leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// None: the call must give it.
    Required,
    /// This value.
    Value(Value),
    /// Every dimension of input 0, for [`Kind::Axes`].
    AllAxes,
    /// Every dimension of input 0, for [`Kind::Axes`], where a call gives at most one.
    OneAxis,
    /// The dtype of input 0, for [`Kind::DType`]. Callers do not give it.
    InputDType,
    /// For [`Kind::DType`], the dtype that input 0 is converted to first, and of the result: I64 or U64 for integers and bools,
    /// so that totals do not overflow, else that of input 0.
    TotalDType,
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
    /// Names of the methods of Tensor; the function's name alone unless `methods` gave others.
    pub methods: &'static [&'static str],
    pub(crate) python: Option<&'static str>,
    pub(crate) make: fn(&[Value]) -> Option<Op>,
    pub(crate) read: fn(&Op) -> Option<Vec<Value>>,
    pub(crate) any: fn() -> Op,
}

impl PythonSignature {
    /// The function's name: the op's, unless `named` gave another.
    pub fn name(&self) -> &'static str {
        self.python.unwrap_or_else(|| self.op_name())
    }

    /// The op's name.
    pub fn op_name(&self) -> &'static str {
        (self.any)().name()
    }

    /// Returns the signature with another name of the function.
    pub(crate) fn named(self, python: &'static str) -> Self {
        Self { python: Some(python), ..self }
    }

    /// Returns the signature with other names of the methods of Tensor.
    pub(crate) fn methods(self, methods: &'static [&'static str]) -> Self {
        Self { methods, ..self }
    }

    /// The declared inputs.
    pub fn inputs(&self) -> &'static [Input] {
        (self.any)().inputs()
    }

    /// Whether the function is `name(x1, x2)` of two operands that meet: the method's parameter is `other`.
    pub fn is_operator(&self) -> bool {
        let inputs = self.inputs();
        self.operands == Operands::Promoted
            && inputs.len() == 2
            && inputs[1].same_as == Some(0)
            && self.attributes.is_empty()
    }

    /// Names of the inputs in Python.
    pub fn input_names(&self) -> Vec<&'static str> {
        if self.is_operator() {
            return vec!["x1", "x2"];
        }
        self.inputs().iter().map(|input| input.name).collect()
    }

    /// Returns the op with these attributes; `None` unless there is one of the right kind for each.
    pub fn make(&self, values: &[Value]) -> Option<Op> {
        (self.make)(values)
    }

    /// Returns the attributes of an op of this function; `None` for other ops.
    pub fn read(&self, op: &Op) -> Option<Vec<Value>> {
        (self.read)(op)
    }
}

impl Attribute {
    /// Whether callers give it.
    pub fn is_parameter(&self) -> bool {
        self.default != DefaultValue::InputDType
    }

    /// Name in Python, and its other name: NumPy's `axis` and PyTorch's `dim` are one parameter, as are `keepdims` and `keepdim`.
    pub fn python_names(&self) -> (&'static str, Option<&'static str>) {
        match (self.kind, self.name) {
            (Kind::Axis, "dim") => ("dim", Some("axis")),
            (Kind::Axis, "axis") | (Kind::Axes, _) => ("axis", Some("dim")),
            (Kind::Bool, "keepdim") => ("keepdims", Some("keepdim")),
            (_, name) => (name, None),
        }
    }
}

/// `signature!(Promoted, "Computes ..", [">>> rl.call()", "result"], (alpha: Float = 1.0, dim: Axis) => Op::OpDef(OpDef {
/// alpha, dim }))`. A default that depends on the input is a rule in brackets, as in `axes: Axes [all]` and `dtype: DType [total]`; see
/// [`DefaultValue`](super::DefaultValue). The op is read as a pattern too, so it is written with the attributes' names and constants only. Their
/// meaning is in the op's [`OpDef::attributes`](super::OpDef::attributes).
macro_rules! signature {
    (
        $operands:ident, $doc:expr, [$($example:expr),* $(,)?],
        ($($name:ident: $kind:ident $([$rule:ident])? $(= $default:expr)?),*) => $($op:tt)+
    ) => {
        $crate::ops::PythonSignature {
            doc: $doc,
            example: &[$($example),*],
            operands: $crate::ops::Operands::$operands,
            methods: &[],
            python: None,
            attributes: &[$($crate::ops::Attribute {
                name: stringify!($name),
                kind: $crate::ops::Kind::$kind,
                default: $crate::ops::signature::signature!(@default $kind $([$rule])? $($default)?),
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
                $(let $name = $crate::ops::signature::signature!(@any $kind);)*
                $($op)+
            },
        }
    };
    (@any DType) => { $crate::DType::F32 };
    (@any $kind:ident) => { ::std::default::Default::default() };
    (@default $kind:ident) => { $crate::ops::DefaultValue::Required };
    (@default Axes [all]) => { $crate::ops::DefaultValue::AllAxes };
    (@default DType [input]) => { $crate::ops::DefaultValue::InputDType };
    (@default DType [total]) => { $crate::ops::DefaultValue::TotalDType };
    (@default Axes [one]) => { $crate::ops::DefaultValue::OneAxis };
    (@default $kind:ident $default:expr) => {
        $crate::ops::DefaultValue::Value($crate::ops::Value::$kind($default))
    };
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
                    (signature.op_name(), Role::Out, signature.attributes.len())
                );
                let made = signature.make(&values).unwrap();
                assert_eq!(format!("{made:?}"), format!("{op:?}"));
            }
        }
        assert!(names.contains(&"log_softmax"));
    }
}
