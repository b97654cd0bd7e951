//! How a card is called by name: what a language without our types needs to make a function of it.
use super::{Input, Op};
use crate::{DType, Scalar};

/// What happens to the operands of a call before the op runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// They go in as they are.
    AsGiven,
    /// Input 0 and those of its dtype meet in one dtype and one shape, and may be numbers. Where the inputs are FLOAT
    /// only, integers and bools become the default float.
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

/// An attribute of a card that a caller gives.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Name, as users know it.
    pub name: &'static str,
    /// Sort.
    pub kind: Kind,
    /// What it is where a call leaves it out.
    pub default: Option<Value>,
}

/// A function made of a card: `name(inputs.., attributes..)`. Cards make them with `signature!`.
///
/// ```
/// use rushlight::ops::{Op, Value};
/// let python_signatures = Op::all_python_signatures();
/// let elu = python_signatures.iter().find(|f| f.name() == "elu").unwrap();
/// assert_eq!((elu.inputs()[0].name, elu.attributes[0].name), ("x", "alpha"));
/// assert_eq!(elu.make(&[Value::Float(2.0)]).unwrap().name(), "elu");
/// assert!(elu.make(&[]).is_none());
/// ```
#[derive(Debug, Clone)]
pub struct PythonSignature {
    /// What it computes.
    pub doc: &'static str,
    /// What happens to operands.
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

    /// The op with these attributes; `None` unless there is one of the right kind for each.
    pub fn make(&self, values: &[Value]) -> Option<Op> {
        (self.make)(values)
    }

    /// The attributes of an op of this function; `None` for other ops.
    pub fn read(&self, op: &Op) -> Option<Vec<Value>> {
        (self.read)(op)
    }
}

/// `signature!(Promoted, "What it computes.", (alpha: Float = 1.0, dim: Axis) => Op::OpDef(OpDef { alpha, dim }))`. The op is
/// read as a pattern too, so it is written with the attributes' names and constants only.
macro_rules! signature {
    ($operands:ident, $doc:literal, ($($name:ident: $kind:ident $(= $default:expr)?),*) => $($op:tt)+) => {
        $crate::ops::PythonSignature {
            doc: $doc,
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
    fn fronts_read_what_they_make() {
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
