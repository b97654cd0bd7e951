//! The attributes of op definitions as data.
use super::OpDef;
use super::signature::{Kind, Value};
use super::window::MAX_SPATIAL;
use crate::{Error, Result};

/// The values that an attribute may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Allowed {
    /// Every value of the kind.
    Any,
    /// Finite numbers.
    Finite,
    /// Finite numbers that are at least this.
    AtLeast(f64),
    /// Numbers from 0 to 1.
    Probability,
    /// Numbers from 0 to 1, without 1.
    BelowOne,
    /// Indices of dimensions of input 0.
    Dimension,
    /// Values that the shape rule checks together with the inputs' shapes.
    ByShape,
}

impl Allowed {
    /// Whether a number is allowed. Returns true for values that are not numbers.
    pub fn contains(self, value: &Value) -> bool {
        let number = match *value {
            Value::Float(v) => v,
            Value::Int(v) => v as f64,
            _ => return true,
        };
        match self {
            Self::Any | Self::Dimension | Self::ByShape => true,
            Self::Finite => number.is_finite(),
            Self::AtLeast(least) => number.is_finite() && number >= least,
            Self::Probability => (0.0..=1.0).contains(&number),
            Self::BelowOne => (0.0..1.0).contains(&number),
        }
    }

    /// Whether [`Allowed::contains`] may return false.
    const fn limits(self) -> bool {
        !matches!(self, Self::Any | Self::Dimension | Self::ByShape)
    }
}

impl std::fmt::Display for Allowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Any | Self::Dimension | Self::ByShape => f.write_str("any value of its kind"),
            Self::Finite => f.write_str("finite"),
            Self::AtLeast(least) => write!(f, "a number of at least {least}"),
            Self::Probability => f.write_str("between 0 and 1"),
            Self::BelowOne => f.write_str("at least 0 and below 1"),
        }
    }
}

/// Returns an error if an attribute of an op has a value that is not allowed.
#[inline(always)]
pub(super) fn check(op: &impl OpDef) -> Result<()> {
    let specs = op.attributes();
    // (Of an op without limits nothing is left of this function.)
    if specs.iter().any(|spec| spec.allowed.limits()) {
        return check_values(op.name(), specs, &op.values());
    }
    Ok(())
}

fn check_values(op: &'static str, specs: &[AttributeSpec], values: &[Value]) -> Result<()> {
    match specs.iter().zip(values).find(|(spec, value)| !spec.allowed.contains(value)) {
        Some((AttributeSpec { name, allowed, .. }, value)) => {
            Err(Error::invalid(op, format!("{name} must be {allowed}, got {value}")))
        }
        None => Ok(()),
    }
}

/// An attribute of an op definition. Its value is in [`Op::values`](super::Op::values), at the same index.
///
/// ```
/// use rushlight::ops::{Op, Value, softmax::Softmax};
/// let op = Op::Softmax(Softmax { dim: 1, log: false });
/// assert_eq!(op.attributes()[0].name, "dim");
/// assert_eq!(op.values(), [Value::Axis(1)]);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct AttributeSpec {
    /// Name of the parameter.
    pub name: &'static str,
    /// Kind of value.
    pub kind: Kind,
    /// Value that is used if a call leaves the attribute out.
    pub default: Option<Value>,
    /// Values that are allowed.
    pub allowed: Allowed,
    /// Description, as a sentence.
    pub doc: &'static str,
}

impl AttributeSpec {
    /// An attribute without a default.
    pub const fn new(name: &'static str, kind: Kind, allowed: Allowed, doc: &'static str) -> Self {
        Self { name, kind, default: None, allowed, doc }
    }

    /// Returns the attribute with a default.
    pub const fn or(self, default: Value) -> Self {
        Self { default: Some(default), ..self }
    }

    /// A dimension of input 0.
    pub const fn dim(doc: &'static str) -> Self {
        Self::new("dim", Kind::Axis, Allowed::Dimension, doc)
    }

    /// A flag that is off by default.
    pub const fn flag(name: &'static str, doc: &'static str) -> Self {
        Self::new(name, Kind::Bool, Allowed::Any, doc).or(Value::Bool(false))
    }
}

pub(super) const STRIDE: AttributeSpec = AttributeSpec::new(
    "stride",
    Kind::Sizes,
    Allowed::ByShape,
    "Steps from one window to the next, for each spatial dimension.",
);
pub(super) const PADDING: AttributeSpec = AttributeSpec::new(
    "padding",
    Kind::Sizes,
    Allowed::ByShape,
    "Elements added on both sides of each spatial dimension.",
);
pub(super) const DILATION: AttributeSpec = AttributeSpec::new(
    "dilation",
    Kind::Sizes,
    Allowed::ByShape,
    "Steps between the elements of a window, for each spatial dimension.",
);
pub(super) const GROUPS: AttributeSpec =
    AttributeSpec::new("groups", Kind::Int, Allowed::AtLeast(1.0), "Blocks of channels that do not mix.")
        .or(Value::Int(1));
pub(super) const KERNEL_SIZE: AttributeSpec = AttributeSpec::new(
    "kernel_size",
    Kind::Sizes,
    Allowed::ByShape,
    "Sizes of the window, for each spatial dimension.",
);
pub(super) const INPUT_SIZE: AttributeSpec = AttributeSpec::new(
    "input_size",
    Kind::Sizes,
    Allowed::ByShape,
    "Spatial sizes of the input that the gradient is of.",
);
pub(super) const SIZE: AttributeSpec =
    AttributeSpec::new("size", Kind::Sizes, Allowed::ByShape, "The new spatial sizes.");
pub(super) const SCALE: AttributeSpec = AttributeSpec::new(
    "scale_factor",
    Kind::Factors,
    Allowed::Any,
    "Factors that the new sizes come from, where no sizes are given.",
);
pub(super) const KEY: AttributeSpec =
    AttributeSpec::new("key", Kind::Key, Allowed::Any, "Seed of the generator, and number of the draw.");

impl Value {
    /// Numbers for the last `spatial` of three spatial dimensions.
    pub(super) fn sizes(spatial: usize, all: [usize; MAX_SPATIAL]) -> Self {
        Self::Sizes { spatial, sizes: all }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn list<T: std::fmt::Debug>(
            f: &mut std::fmt::Formatter<'_>,
            all: &[T],
            spatial: usize,
        ) -> std::fmt::Result {
            write!(f, "{:?}", all.get(all.len().saturating_sub(spatial)..).unwrap_or(all))
        }
        match self {
            Self::Float(v) => write!(f, "{v:?}"),
            Self::Int(v) => write!(f, "{v}"),
            Self::LargeInt(v) => write!(f, "{v}"),
            Self::Bool(v) => write!(f, "{v}"),
            Self::Axis(v) => write!(f, "{v}"),
            Self::Axes(mask) => {
                let all: Vec<u32> = (0..u32::BITS).filter(|i| mask >> i & 1 == 1).collect();
                write!(f, "{all:?}")
            }
            Self::Sizes { spatial, sizes } => list(f, sizes, *spatial),
            Self::Factors { spatial, factors } => list(f, factors, *spatial),
            Self::Pads(pads) => {
                let first = pads.iter().position(|p| *p != [0, 0]).unwrap_or(pads.len());
                write!(f, "{:?}", &pads[first..])
            }
            Self::DType(v) => write!(f, "{}", v.as_str()),
            Self::Scalar(v) => write!(f, "{:?}", v.to_f64()),
            Self::Choice(v) => write!(f, "{v}"),
            Self::Key(seed, draw) => write!(f, "({seed}, {draw})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Value};
    use crate::ops::Op;
    use std::collections::HashMap;

    fn kind(v: &Value) -> &'static str {
        match v {
            Value::Float(_) => "float",
            Value::Int(_) => "int",
            Value::LargeInt(_) => "large int",
            Value::Bool(_) => "bool",
            Value::Axis(_) => "axis",
            Value::Axes(_) => "axes",
            Value::Sizes { .. } => "sizes",
            Value::Factors { .. } => "factors",
            Value::Pads(_) => "pads",
            Value::DType(_) => "dtype",
            Value::Scalar(_) => "scalar",
            Value::Choice(_) => "choice",
            Value::Key(..) => "key",
        }
    }

    #[test]
    fn values_have_the_kind_and_range_of_their_attributes() {
        for s in Op::all_samples() {
            let (specs, values) = (s.op.attributes(), s.op.values());
            let name = s.op.name();
            assert_eq!(specs.len(), values.len(), "{name}");
            for (spec, value) in specs.iter().zip(&values) {
                assert_eq!(spec.kind.as_str(), kind(value), "{name}: {}", spec.name);
                assert!(spec.doc.ends_with('.'), "{name}: {}", spec.name);
                if let (Kind::Choice(all), Value::Choice(v)) = (spec.kind, value) {
                    assert!(all.contains(v), "{name}: {v}");
                }
                if s.error.is_none() {
                    assert!(spec.allowed.contains(value), "{name}: {} is {value}", spec.name);
                }
                if let Some(default) = &spec.default {
                    assert_eq!(spec.kind.as_str(), kind(default), "{name}: {}", spec.name);
                }
            }
        }
    }

    /// Ops with the same name differ in the values of their attributes, so no attribute is left undeclared.
    #[test]
    fn names_and_values_tell_ops_apart() {
        let mut seen: HashMap<String, String> = HashMap::new();
        for s in Op::all_samples() {
            let key = format!("{} {:?}", s.op.name(), s.op.values());
            let text = format!("{:?}", s.op);
            let first = seen.entry(key.clone()).or_insert_with(|| text.clone());
            assert_eq!(*first, text, "{key}");
        }
    }
}
