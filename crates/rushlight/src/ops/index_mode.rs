//! The meaning of indices outside a dimension.
use super::{Allowed, AttributeSpec, Kind, Value};

/// The indices that are allowed besides those inside the dimension. Any other index is an `InvalidIndex` error.
///
/// ```
/// use rushlight::ops::{IndexMode, Op, index_select::IndexSelect};
/// use rushlight::{Device, Tensor};
/// let (x, ids) = (Tensor::new(&[1f32, 2., 3.], &Device::Cpu)?, Tensor::new(&[0i64, -1], &Device::Cpu)?);
/// let last = Op::IndexSelect(IndexSelect { dim: 0, rule: IndexMode::FromEnd });
/// assert_eq!(Tensor::run(last, &[&x, &ids])?.to_vec1::<f32>()?, [1., 3.]);
/// assert!(Tensor::run(Op::IndexSelect(IndexSelect { dim: 0, rule: IndexMode::Within }), &[&x, &ids]).is_err());
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexMode {
    /// No other index is allowed.
    Within,
    /// The largest number of the index dtype. A read gives zeros there and a write is skipped (candle's padding).
    MaxSkips,
    /// Negative indices, which count from the end: -1 is the last element (Python's rule).
    FromEnd,
}

pub(super) const MODE: AttributeSpec = AttributeSpec::new(
    "mode",
    Kind::Choice(&["within", "max_skips", "from_end"]),
    Allowed::Any,
    "Meaning of indices outside the dimension.",
)
.or(Value::Choice("within"));

impl IndexMode {
    /// Returns the value of the attribute `mode`.
    pub(super) fn value(self) -> Value {
        Value::Choice(match self {
            Self::Within => "within",
            Self::MaxSkips => "max_skips",
            Self::FromEnd => "from_end",
        })
    }
}
