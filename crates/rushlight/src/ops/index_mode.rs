//! The meaning of indices outside a dimension.
use super::{Allowed, AttributeSpec, Kind, TensorArgument, Value};
use crate::{DType, Error, Result, Tensor, pydoc};

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

const INDICES: &str = "Indices, of an integer dtype. Negative ones of a signed dtype count from the end.";
/// The tensor that entries are picked from or added to.
pub(super) const X: TensorArgument = TensorArgument::new("x", "Input, of any dtype.");
/// Indices of functions that are PyTorch's.
pub(super) const INDEX: TensorArgument = TensorArgument::new("index", INDICES);
/// Indices of functions that are the array API's.
pub(super) const INDICES_ARGUMENT: TensorArgument = TensorArgument::new("indices", INDICES);
/// Errors of functions of indices.
pub(super) const RAISES: &str = pydoc!(@error index);

impl IndexMode {
    /// Converts indices of any integer dtype to one that index ops read, with the meaning that Python gives them: negative ones
    /// of a signed dtype count from the end. Errors: another dtype; `message` names the caller.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor, ops::IndexMode};
    /// let ids = Tensor::new(&[1u16], &Device::Cpu)?;
    /// let (ids, rule) = IndexMode::of(&ids, "take: indices must be integers")?;
    /// assert_eq!((ids.dtype(), rule), (DType::U32, IndexMode::Within));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn of(ids: &Tensor, message: &'static str) -> Result<(Tensor, Self)> {
        let rule = if ids.dtype().kind() == crate::Kind::Int { Self::FromEnd } else { Self::Within };
        let dtype = match ids.dtype() {
            DType::I8 => DType::I16,
            DType::U16 => DType::U32,
            DType::U64 => DType::I64,
            other if other.is_int() => other,
            other => return Err(Error::dtype(message, DType::I64, other)),
        };
        Ok((ids.detach().to_dtype(dtype)?, rule))
    }

    /// The value of the attribute `mode`.
    pub(super) fn value(self) -> Value {
        Value::Choice(match self {
            Self::Within => "within",
            Self::MaxSkips => "max_skips",
            Self::FromEnd => "from_end",
        })
    }
}
