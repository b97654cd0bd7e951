//! Scalars of any dtype, and arguments that are a tensor or a scalar.
use crate::cpu::CpuStorage;
use crate::dtype::{C64, C128, Element, with_dtypes};
use crate::{DType, Result, Tensor, WithDType};
use float8::F8E4M3;
use half::{bf16, f16};

macro_rules! define_scalar {
    ($(($v:ident, $t:ty, $name:literal, $kind:ident)),* $(,)?) => {
        /// One value of any dtype.
        ///
        /// ```
        /// use rushlight::{DType, Scalar};
        /// let s: Scalar = 3u8.into();
        /// assert_eq!((s.dtype(), s.to_f64()), (DType::U8, 3.0));
        /// ```
        #[derive(Debug, Clone, Copy, PartialEq)]
        #[allow(missing_docs)]
        pub enum Scalar { $($v($t)),* }

        impl Scalar {
            /// Zero of a dtype.
            pub fn zero(dtype: DType) -> Self {
                match dtype { $(DType::$v => Scalar::$v(<$t as Default>::default())),* }
            }

            /// One of a dtype.
            pub fn one(dtype: DType) -> Self {
                Self::from_f64(1.0, dtype)
            }

            /// Converts a value to a dtype, like Rust's `as`.
            pub fn from_f64(v: f64, dtype: DType) -> Self {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_f64(v))),* }
            }

            /// Returns the first element of a storage.
            pub(crate) fn first(storage: &CpuStorage) -> Option<Self> {
                match storage { $(CpuStorage::$v(b) => b.first().copied().map(Scalar::$v)),* }
            }

            /// The dtype of the value.
            pub fn dtype(&self) -> DType {
                match self { $(Self::$v(_) => DType::$v),* }
            }

            /// Returns the value as f64. Of a complex number, this is the real part.
            pub fn to_f64(&self) -> f64 {
                match self { $(Self::$v(v) => v.to_f64()),* }
            }

            /// Converts the value to another dtype. Integers are converted exactly.
            pub fn to_dtype(&self, dtype: DType) -> Self {
                match self { $(Self::$v(v) => match v.to_i128() {
                    Some(i) => Self::from_i128(i, dtype),
                    None => Self::from_f64(v.to_f64(), dtype),
                }),* }
            }

            /// Converts an integer to a dtype, rounded once.
            pub fn from_i128(v: i128, dtype: DType) -> Self {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_i128(v))),* }
            }
        }
    };
}
with_dtypes!(define_scalar);

/// A tensor or a scalar, for ops that accept either (`maximum`, `eq`, ..).
#[derive(Debug, Clone)]
#[allow(missing_docs)]
pub enum TensorScalar {
    Tensor(Tensor),
    Scalar(Tensor),
}

/// Arguments that are a tensor or a scalar.
pub trait TensorOrScalar {
    /// Converts to a tensor or a scalar; a scalar becomes a rank-0 tensor on the CPU.
    fn to_tensor_scalar(self) -> Result<TensorScalar>;
}

impl TensorOrScalar for &Tensor {
    fn to_tensor_scalar(self) -> Result<TensorScalar> {
        Ok(TensorScalar::Tensor(self.clone()))
    }
}

impl<T: WithDType + crate::NdArray> TensorOrScalar for T {
    fn to_tensor_scalar(self) -> Result<TensorScalar> {
        Ok(TensorScalar::Scalar(Tensor::new(self, &crate::Device::Cpu)?))
    }
}
