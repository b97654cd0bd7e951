//! How an op definition is called from Python: inputs, attributes and documentation as data.
use super::{Input, Op, Role, Scaling};
use crate::dtype::{DTypeSet, sets};
use crate::shape::MAX_RANK;
use crate::{DType, Error, Result, Scalar, Tensor};
use smallvec::SmallVec;

/// Conversion of the operands before the op runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// The operands reach the op unchanged.
    AsGiven,
    /// Input 0, and the inputs declared to have its dtype, are promoted to one dtype and broadcast to one shape; each
    /// may be a Python number. Where the inputs accept FLOAT dtypes only, integers and bools are converted to the
    /// default float.
    Promoted,
}

/// Kind of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A real number.
    Float,
    /// An integer.
    Int,
    /// A non-negative integer, passed as [`Value::Int`].
    Count,
    /// True or false.
    Bool,
    /// A dimension of input 0; a negative one counts from the end.
    Axis,
    /// A set of dimensions of input 0.
    Axes,
    /// One integer for each spatial dimension.
    Sizes,
    /// A real number for each spatial dimension.
    Factors,
    /// Numbers before and behind each of the last dimensions; callers give one sequence, which begins with the last dimension.
    Pads,
    /// A dtype.
    DType,
    /// A number of any dtype.
    Scalar,
    /// An integer that may need more than 64 bits.
    LargeInt,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// Seed and index of a draw of random numbers.
    Key,
}

impl Kind {
    /// Returns the name of the kind that documents use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Int => "int",
            Self::Count => "count",
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
    /// Of [`Kind::Int`] and [`Kind::Count`].
    Int(i64),
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::Axis`].
    Axis(usize),
    /// Of [`Kind::Axes`]: bit i stands for dimension i.
    Axes(u32),
    /// Of [`Kind::Sizes`]: the last `spatial` numbers. `spatial` is 0 where a call leaves out an optional attribute.
    Sizes {
        /// Number of spatial dimensions.
        spatial: usize,
        /// The numbers, at the trailing indices; the leading ones are neutral.
        sizes: [usize; 3],
    },
    /// Of [`Kind::Factors`]: the last `spatial` numbers. `spatial` is 0 where a call leaves out an optional attribute.
    Factors {
        /// Number of spatial dimensions.
        spatial: usize,
        /// The numbers, at the trailing indices; the leading ones are 0.
        factors: [f64; 3],
    },
    /// Of [`Kind::Pads`]: one pair for each of [`MAX_RANK`] dimensions.
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

/// An attribute of an op definition that a caller may pass.
#[derive(Debug, Clone, Copy)]
pub struct Attribute {
    /// Name of the parameter.
    pub name: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Value that is used if a call leaves the attribute out.
    pub default: DefaultValue,
}

/// The value of an attribute that a call leaves out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// There is no default: the call must pass the attribute.
    Required,
    /// As `Required`, for a [`Kind::Axis`] that has no other name: PyTorch's functions of indices have `dim` alone.
    OneName,
    /// The dimension of a vector, for [`Kind::Axis`]; other tensors need it.
    VectorAxis,
    /// The last dimension of input 0, for [`Kind::Axis`].
    LastAxis,
    /// This value.
    Value(Value),
    /// Every dimension of input 0, for [`Kind::Axes`].
    AllAxes,
    /// Every dimension of input 0, for [`Kind::Axes`], where a call may pass one dimension at most.
    OneAxis,
    /// The dtype of input 0, for [`Kind::DType`]. Callers cannot pass it.
    InputDType,
    /// The dtype in which totals are computed and returned, for [`Kind::DType`]: I64 or U64 for integers and bools, so
    /// that totals do not overflow, and the dtype of input 0 for floats. Input 0 is converted to it first.
    TotalDType,
    /// An empty list, for [`Kind::Sizes`] and [`Kind::Factors`].
    NoNumbers,
    /// Whether the call passes the optional input of this name, for [`Kind::Bool`]. Callers cannot pass it.
    Given(&'static str),
}

/// A tensor argument of a function.
#[derive(Debug, Clone, Copy)]
pub struct TensorArgument {
    /// Name in Python.
    pub name: &'static str,
    /// Dtypes that the argument accepts.
    pub dtypes: DTypeSet,
    /// Whether the argument may be None.
    pub optional: bool,
    /// Description, as a sentence. If it is empty, it is generated from the dtypes.
    pub doc: &'static str,
    /// The argument in whose shape a number may be given instead; it becomes a tensor of the dtype of input 0.
    pub number_like: Option<&'static str>,
}

impl TensorArgument {
    /// An argument that is required.
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self { name, dtypes: sets::ALL, optional: false, doc, number_like: None }
    }

    /// An argument that may be None.
    pub const fn optional(name: &'static str, doc: &'static str) -> Self {
        Self { optional: true, ..Self::new(name, doc) }
    }

    /// The argument, which may also be a number: each element of a tensor in the shape of another argument.
    pub const fn or_number_like(self, other: &'static str) -> Self {
        Self { number_like: Some(other), ..self }
    }
}

/// A custom call, for a function that does more than run the op on its inputs. The tensors come in the order of the
/// function's arguments.
pub type Calling = fn(Op, &[Option<&Tensor>]) -> Result<Tensor>;

/// A Python function that is generated from an op definition: `name(inputs.., attributes..)`. Written with
/// `signature!`.
///
/// ```
/// use rushlight::ops::{Op, Value};
/// let signatures = Op::all_python_signatures();
/// let elu = signatures.iter().find(|f| f.name() == "elu").unwrap();
/// assert_eq!((elu.inputs()[0].name, elu.attributes[0].name), ("x", "alpha"));
/// assert_eq!(elu.make(&[Value::Float(2.0)]).unwrap().name(), "elu");
/// assert!(elu.make(&[]).is_err());
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
    /// Names of the methods of Tensor. By default the function's name; see `methods`.
    pub methods: &'static [&'static str],
    /// Whether the function is also a method of Tensor.
    pub has_methods: bool,
    /// Whether the attributes are keyword-only.
    pub keyword_only: bool,
    /// Number of spatial dimensions, for attributes that have one number for each of them.
    pub spatial: usize,
    /// Description of the result. If it is empty, it is generated from the op.
    pub returns: &'static str,
    /// Errors, as entries of a docstring; made of the op where there are none.
    pub raises: &'static [&'static str],
    /// Names of all arguments in their order, which are given by position; tensors come before attributes where it is empty.
    pub order: &'static [&'static str],
    /// A number that scales what the op reads or gives.
    pub scaling: Option<Scaling>,
    pub(crate) python: Option<&'static str>,
    pub(crate) arguments: &'static [TensorArgument],
    pub(crate) calling: Option<Calling>,
    pub(crate) make: fn(&[Value]) -> Result<Op>,
}

impl PythonSignature {
    /// Returns the function's name: the op's name, unless `named` has set another.
    pub fn name(&self) -> &'static str {
        self.python.unwrap_or_else(|| self.op_name())
    }

    /// Makes an op of this function with arbitrary valid attributes and with every optional input. A test makes one for
    /// each function.
    pub(crate) fn any(&self) -> Option<Op> {
        let values: Vec<Value> = self.attributes.iter().map(|a| a.any_value(self.spatial)).collect();
        (self.make)(&values).ok()
    }

    /// The op's name.
    pub fn op_name(&self) -> &'static str {
        self.any().map_or("", |op| op.name())
    }

    /// Returns the signature with another function name.
    pub(crate) fn named(self, python: &'static str) -> Self {
        Self { python: Some(python), ..self }
    }

    /// Returns the signature with other names for the methods of Tensor.
    pub(crate) fn methods(self, methods: &'static [&'static str]) -> Self {
        Self { methods, ..self }
    }

    /// Returns the signature of a function that is not a method of Tensor.
    pub(crate) fn without_method(self) -> Self {
        Self { has_methods: false, ..self }
    }

    /// Returns the signature for a number of spatial dimensions.
    pub(crate) fn spatial(self, spatial: usize) -> Self {
        Self { spatial, ..self }
    }

    /// Returns the signature with keyword-only attributes.
    pub(crate) fn keyword_only(self) -> Self {
        Self { keyword_only: true, ..self }
    }

    /// Returns the signature with a description of the result.
    pub(crate) fn returns(self, returns: &'static str) -> Self {
        Self { returns, ..self }
    }

    /// Returns the signature with the errors, as [`pydoc`](crate::pydoc) writes them.
    pub(crate) fn raises(self, raises: &'static [&'static str]) -> Self {
        Self { raises, ..self }
    }

    /// Returns the signature with a number that scales what the op reads or gives.
    pub(crate) fn scaling(self, scaling: Option<Scaling>) -> Self {
        Self { scaling, ..self }
    }

    /// Returns the signature with its arguments in this order. The function takes them by position, the method also by name.
    pub(crate) fn in_order(self, order: &'static [&'static str]) -> Self {
        Self { order, ..self }
    }

    /// Returns the signature with other tensor arguments than the op's inputs, and the call that they are for.
    pub(crate) fn calling(self, arguments: &'static [TensorArgument], calling: Calling) -> Self {
        Self { arguments, calling: Some(calling), ..self }
    }

    /// Returns the declared inputs of the op, including every optional one.
    pub fn inputs(&self) -> &'static [Input] {
        self.any().map_or(&[], |op| op.inputs())
    }

    /// The tensor arguments of the function.
    pub fn tensors(&self) -> Vec<TensorArgument> {
        if !self.arguments.is_empty() {
            return self.arguments.to_vec();
        }
        let optional = |name| self.attributes.iter().any(|a| a.default == DefaultValue::Given(name));
        let operator = self.is_operator();
        let one = |(i, input): (usize, &Input)| TensorArgument {
            optional: optional(input.name),
            dtypes: input.dtypes,
            ..TensorArgument::new(if operator { ["x1", "x2"][i.min(1)] } else { input.name }, "")
        };
        self.inputs().iter().enumerate().map(one).collect()
    }

    /// Returns the custom call, if the function does more than run the op on its inputs.
    pub fn call(&self) -> Option<Calling> {
        self.calling
    }

    /// Whether the function changes tensors in place and returns nothing.
    pub fn is_in_place(&self) -> bool {
        self.any().is_some_and(|op| op.role() != Role::Out)
    }

    /// Whether the function is a binary operator, `name(x1, x2)`. The method's parameter is then called `other`.
    pub fn is_operator(&self) -> bool {
        let inputs = self.inputs();
        self.operands == Operands::Promoted
            && inputs.len() == 2
            && inputs[1].same_as == Some(0)
            && self.attributes.is_empty()
    }

    /// Returns the op with these attributes. Fails if the number or the kinds of the values are wrong, or the op
    /// rejects a value.
    pub fn make(&self, values: &[Value]) -> Result<Op> {
        (self.make)(values)
    }

    /// Returns the attributes of an op of this function; `None` for other ops.
    pub fn read(&self, op: &Op) -> Option<Vec<Value>> {
        if op.name() != self.op_name() {
            return None;
        }
        let (specs, all) = (op.attributes(), op.values());
        let value = |a: &Attribute| all.get(specs.iter().position(|spec| spec.name == a.name)?).copied();
        let values = self.attributes.iter().map(value).collect::<Option<Vec<_>>>()?;
        // Another op with this name may differ in attributes that the function sets itself, so the ops are compared.
        let made = self.make(&values).ok()?;
        (format!("{made:?}") == format!("{op:?}")).then_some(values)
    }
}

impl Attribute {
    /// Whether callers can pass the attribute.
    pub fn is_parameter(&self) -> bool {
        !matches!(self.default, DefaultValue::InputDType | DefaultValue::Given(_))
    }

    /// Number of parameters that the attribute has: 0, 1, or 2 if it has an alias.
    pub fn slots(&self) -> usize {
        if self.is_parameter() { 1 + usize::from(self.python_names().1.is_some()) } else { 0 }
    }

    /// Returns a value of the attribute's kind that every op accepts.
    fn any_value(&self, spatial: usize) -> Value {
        match self.kind {
            Kind::Float => Value::Float(0.0),
            Kind::Int | Kind::Count => Value::Int(1),
            Kind::LargeInt => Value::LargeInt(0),
            Kind::Bool => Value::Bool(matches!(self.default, DefaultValue::Given(_))),
            Kind::Axis => Value::Axis(0),
            Kind::Axes => Value::Axes(0),
            // (Windows with a step of 1 and no padding are valid for every op.)
            Kind::Sizes => Value::Sizes { spatial, sizes: [usize::from(!self.name.ends_with("padding")); 3] },
            Kind::Factors => Value::Factors { spatial, factors: [0.0; 3] },
            Kind::Pads => Value::Pads([[0; 2]; MAX_RANK]),
            Kind::DType => Value::DType(DType::F32),
            Kind::Scalar => Value::Scalar(Scalar::zero(DType::F32)),
            Kind::Choice(words) => Value::Choice(words.first().copied().unwrap_or_default()),
            Kind::Key => Value::Key(0, 0),
        }
    }

    /// Returns the name in Python and its alias, if there is one: NumPy's `axis` and PyTorch's `dim` are one parameter,
    /// as are `keepdims` and `keepdim`, and `diagonal` and the array API's `k`.
    pub fn python_names(&self) -> (&'static str, Option<&'static str>) {
        match (self.kind, self.name) {
            (Kind::Axis, name) if self.default == DefaultValue::OneName => (name, None),
            (Kind::Axis, _) if matches!(self.default, DefaultValue::VectorAxis | DefaultValue::LastAxis) => {
                ("axis", Some("dim"))
            }
            (Kind::Axis, "dim") => ("dim", Some("axis")),
            (Kind::Axis, "axis") | (Kind::Axes, _) => ("axis", Some("dim")),
            (Kind::Bool, "keepdim") => ("keepdims", Some("keepdim")),
            (Kind::Int, "diagonal") => ("diagonal", Some("k")),
            (Kind::Factors, "scale_factor") => ("scale", None),
            (_, name) => (name, None),
        }
    }
}

/// The numbers of a [`Value::Sizes`], one for each spatial dimension; empty where a call leaves them out.
pub(crate) type Sizes = SmallVec<[usize; 3]>;
/// The numbers of a [`Value::Factors`].
pub(crate) type Factors = SmallVec<[f64; 3]>;

/// Converts values of attributes to the types that `signature!` passes to an op. There is one function for each kind,
/// with the kind's name; it returns `None` for a value of another kind.
#[allow(non_snake_case)]
#[allow(dead_code)] // not every kind is used by a function yet
pub(crate) mod attribute_of {
    use super::{Factors, Sizes, Value};
    use crate::shape::MAX_RANK;
    use crate::{DType, Scalar};

    macro_rules! plain {
        ($($kind:ident: $type:ty),* $(,)?) => { $(
            #[inline]
            pub(crate) fn $kind(value: Option<&Value>) -> Option<$type> {
                match value {
                    Some(Value::$kind(value)) => Some(*value),
                    _ => None,
                }
            }
        )* };
    }

    plain! {
        Float: f64, Int: i64, Bool: bool, Axis: usize, Axes: u32, DType: DType, Scalar: Scalar, LargeInt: i128,
        Choice: &'static str, Pads: [[i32; 2]; MAX_RANK],
    }

    pub(crate) fn Count(value: Option<&Value>) -> Option<usize> {
        match value {
            Some(Value::Int(count)) => usize::try_from(*count).ok(),
            _ => None,
        }
    }

    pub(crate) fn Sizes(value: Option<&Value>) -> Option<Sizes> {
        match value {
            Some(Value::Sizes { spatial, sizes }) => Some(last(sizes, *spatial)),
            _ => None,
        }
    }

    pub(crate) fn Factors(value: Option<&Value>) -> Option<Factors> {
        match value {
            Some(Value::Factors { spatial, factors }) => Some(last(factors, *spatial)),
            _ => None,
        }
    }

    fn last<T: Copy>(all: &[T; 3], spatial: usize) -> smallvec::SmallVec<[T; 3]> {
        all.iter().skip(all.len().saturating_sub(spatial)).copied().collect()
    }
}

/// Returns the error for missing attributes or attributes of the wrong kind.
#[cold]
pub(crate) fn other_attributes(values: &[Value]) -> Error {
    Error::msg(format!("the function does not take the attributes {values:?}"))
}

/// The value of a word of a [`Kind::Choice`].
pub(crate) fn chosen<T>(found: Option<T>, word: &str) -> Result<T> {
    found.ok_or_else(|| Error::msg(format!("'{word}' is not a choice")))
}

/// The op of a signature, which may refuse its attributes.
pub(crate) trait IntoOp {
    fn into_op(self) -> Result<Op>;
}

impl IntoOp for Op {
    fn into_op(self) -> Result<Op> {
        Ok(self)
    }
}

impl IntoOp for Result<Op> {
    fn into_op(self) -> Result<Op> {
        self
    }
}

/// Returns the N tensors of a [`Calling`], or an error if one of them is missing.
pub(crate) fn given<'a, const N: usize>(op: &Op, tensors: &[Option<&'a Tensor>]) -> Result<[&'a Tensor; N]> {
    let all: SmallVec<[&Tensor; 4]> = tensors.iter().flatten().copied().collect();
    let missing = || Error::invalid(op.name(), format!("needs {N} tensors, got {}", tensors.len()));
    <[&Tensor; N]>::try_from(&all[..]).map_err(|_| missing())
}

/// Makes a signature:
/// `signature!(Promoted, "Computes ..", [">>> rl.call()", "result"], (alpha: Float = 1.0, dim: Axis) => Op::OpDef(OpDef { alpha, dim }))`.
/// An attribute is `name: Kind`; [`Kind::Choice`](super::Kind::Choice) lists its words, as in
/// `reduction: Choice(&["mean", "sum"])`. [`attribute_of`] lists the types that the op expression receives. A default
/// that depends on the call is a rule in brackets, as in `axes: Axes [all]`, `dtype: DType [total]` and
/// `weighted: Bool [weight]` (whether the optional input `weight` is passed); see
/// [`DefaultValue`](super::DefaultValue). The names are those of the op's
/// [`OpDef::attributes`](super::OpDef::attributes), which documents them. The op expression may also be a `Result`; the
/// caller gets its error.
macro_rules! signature {
    (
        $operands:ident, $doc:expr, [$($example:expr),* $(,)?],
        ($($name:ident: $kind:ident $(($words:expr))? $([$rule:ident])? $(= $default:expr)?),* $(,)?) => $($op:tt)+
    ) => {
        $crate::ops::PythonSignature {
            doc: $doc,
            example: &[$($example),*],
            operands: $crate::ops::Operands::$operands,
            methods: &[],
            has_methods: true,
            keyword_only: false,
            spatial: 0,
            returns: "",
            raises: &[],
            order: &[],
            scaling: None,
            python: None,
            arguments: &[],
            calling: None,
            attributes: &[$($crate::ops::Attribute {
                name: stringify!($name),
                kind: $crate::ops::Kind::$kind $(($words))?,
                default: $crate::ops::signature::signature!(@default $kind $([$rule])? $($default)?),
            }),*],
            make: |given| {
                let mut values = given.iter();
                $(let Some($name) = $crate::ops::signature::attribute_of::$kind(values.next()) else {
                    return Err($crate::ops::signature::other_attributes(given));
                };)*
                if values.next().is_some() {
                    return Err($crate::ops::signature::other_attributes(given));
                }
                $crate::ops::signature::IntoOp::into_op($($op)+)
            },
        }
    };
    (@default $kind:ident) => { $crate::ops::DefaultValue::Required };
    (@default Axis [named]) => { $crate::ops::DefaultValue::OneName };
    (@default Axis [vector]) => { $crate::ops::DefaultValue::VectorAxis };
    (@default Axis [last]) => { $crate::ops::DefaultValue::LastAxis };
    (@default Axes [all]) => { $crate::ops::DefaultValue::AllAxes };
    (@default DType [input]) => { $crate::ops::DefaultValue::InputDType };
    (@default DType [total]) => { $crate::ops::DefaultValue::TotalDType };
    (@default Axes [one]) => { $crate::ops::DefaultValue::OneAxis };
    (@default Sizes [none]) => { $crate::ops::DefaultValue::NoNumbers };
    (@default Factors [none]) => { $crate::ops::DefaultValue::NoNumbers };
    (@default Bool [$input:ident]) => { $crate::ops::DefaultValue::Given(stringify!($input)) };
    (@default Count $default:expr) => { $crate::ops::DefaultValue::Value($crate::ops::Value::Int($default)) };
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
            assert!(signature.any().is_some(), "no op of {name}");
            names.push(name);
            let mine: Vec<_> = samples.iter().filter_map(|s| Some((&s.op, signature.read(&s.op)?))).collect();
            assert!(!mine.is_empty(), "no sample of {name}");
            for (op, values) in mine {
                assert_eq!((op.name(), values.len()), (signature.op_name(), signature.attributes.len()));
                assert!(op.role() == Role::Out || signature.call().is_some(), "{name} changes tensors");
                let made = signature.make(&values).unwrap();
                assert_eq!(format!("{made:?}"), format!("{op:?}"));
            }
        }
        assert!(names.contains(&"log_softmax"));
    }
}
