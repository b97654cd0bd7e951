//! The precision of the other factor of products with quantized blocks.
use super::{GgmlDType, QTensor};
use crate::ops::Op;
use crate::ops::qmatmul_int8::QMatMulInt8;
use crate::ops::quantize_int8::QuantizeInt8;
use crate::{Result, Tensor, autograd};
use rushlight_load::settings::ACTIVATIONS;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// The precision of the other factor of products with quantized blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Activations {
    /// The factor stays in f32 (f64 for f64): the result is that of the blocks' numbers ([`Tensor::qmatmul`]).
    Float32,
    /// The factor is rounded to integers of 8 bits, in blocks of 32 elements with a scale, and integers are multiplied: faster, and less
    /// exact. Each element of the factor is wrong by up to 1/254 of the largest of its block.
    Int8,
}

/// The setting of a program that sets none: a feature of the crate.
const DEFAULT: Activations =
    if cfg!(feature = "int8-activations") { Activations::Int8 } else { Activations::Float32 };

/// 0 if not initialized, else 1 + the setting.
static SETTING: AtomicU8 = AtomicU8::new(0);

impl Activations {
    /// All, by their numbers.
    pub const ALL: [Self; 2] = [Self::Float32, Self::Int8];

    /// Returns the name, a value of `RUSHLIGHT_ACTIVATIONS`.
    ///
    /// ```
    /// assert_eq!(rushlight::quantized::Activations::Int8.as_str(), "int8");
    /// ```
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Float32 => "float32",
            Self::Int8 => "int8",
        }
    }

    /// Returns the setting of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.as_str() == name)
    }
}

/// Sets the precision of the products of [`QMatMul`](super::QMatMul), [`QTensor::matmul_t`] and
/// [`QTensor::indexed_moe_forward`] that start after this call, in all threads. At the start it is that of `RUSHLIGHT_ACTIVATIONS`, or
/// `Float32`; with the crate's feature `int8-activations`, which the crate `candle-core` enables, `Int8`.
///
/// ```
/// use rushlight::quantized::{Activations, activations, set_activations};
/// let before = activations();
/// set_activations(Activations::Int8);
/// assert_eq!(activations(), Activations::Int8);
/// set_activations(before);
/// ```
pub fn set_activations(activations: Activations) {
    SETTING.store(1 + activations as u8, Relaxed);
}

/// Chooses the setting of a process in which neither `RUSHLIGHT_ACTIVATIONS` nor [`set_activations`] has chosen one, in place of that
/// of the crate's feature: for a library that builds on this crate. Does nothing once a product has asked for the setting.
///
/// ```
/// use rushlight::quantized::{Activations, set_default_activations};
/// set_default_activations(Activations::Float32);
/// ```
pub fn set_default_activations(default: Activations) {
    initialize(default);
}

/// Sets the setting if it is not set: to that of the environment or the default.
fn initialize(default: Activations) {
    // An invalid value is reported by every op on the CPU and when a GPU is opened, so it is ignored here.
    let named = ACTIVATIONS.choice().ok().flatten().and_then(Activations::from_name);
    let first = 1 + named.unwrap_or(default) as u8;
    // If another thread has set it in the meantime, its setting is kept.
    let _ = SETTING.compare_exchange(0, first, Relaxed, Relaxed);
}

/// Returns the setting of [`set_activations`].
pub fn activations() -> Activations {
    if SETTING.load(Relaxed) == 0 {
        initialize(DEFAULT);
    }
    if SETTING.load(Relaxed) == 1 + Activations::Int8 as u8 {
        Activations::Int8
    } else {
        Activations::Float32
    }
}

impl Tensor {
    /// Rounds the rows of a matrix to integers of 8 bits in blocks of 32 elements with a scale, for [`Tensor::qmatmul_int8`]: `[m, k]` of
    /// a FLOAT dtype gives bytes `[m, k / 32 * 40]` ([`QuantizeInt8`] has their meaning). It has no gradient.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let rows = Tensor::ones((1, 32), DType::F32, &Device::Cpu)?.quantize_int8()?;
    /// assert_eq!(rows.to_vec2::<u8>()?[0][8..], [127; 32]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The tensor is not a matrix, or a row does not have whole blocks.
    pub fn quantize_int8(&self) -> Result<Self> {
        Tensor::run(Op::QuantizeInt8(QuantizeInt8), &[self])
    }

    /// Multiplies rows in 8 bits, those of [`Tensor::quantize_int8`], by the transpose of a matrix of ggml's blocks: m rows and n rows of
    /// blocks with as many elements give `[m, n]` of `dtype`, of FLOAT. It has no gradient.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor, quantized::GgmlDType};
    /// let mut block = vec![0u8, 0x38]; // the scale 0.5, and 32 numbers of 8 bits
    /// block.extend(0..32);
    /// let blocks = Tensor::from_vec(block, (1, 34), &Device::Cpu)?;
    /// let rows = Tensor::new(&[[127f32; 32]], &Device::Cpu)?.quantize_int8()?;
    /// assert_eq!(rows.qmatmul_int8(&blocks, GgmlDType::Q8_0, DType::F32)?.to_vec2::<f32>()?, [[31496.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes do not fit, a row does not have whole blocks, or blocks of the type are single numbers.
    pub fn qmatmul_int8(&self, blocks: &Self, format: GgmlDType, dtype: crate::DType) -> Result<Self> {
        Tensor::run(Op::QMatMulInt8(QMatMulInt8 { format, dtype }), &[self, blocks])
    }

    /// Same as [`Tensor::qmatmul`], with a precision of `self`. With `Int8` it is [`Tensor::quantize_int8`] and
    /// [`Tensor::qmatmul_int8`]. Blocks of F32, F16 and BF16 are single numbers, and an `x` that is recorded for gradients needs them:
    /// both are multiplied as with `Float32`.
    ///
    /// ```
    /// use rushlight::quantized::{Activations, GgmlDType, QTensor};
    /// use rushlight::{Device, Tensor};
    /// let weights = QTensor::quantize(&Tensor::randn(0f32, 1., (4, 64), &Device::Cpu)?, GgmlDType::Q8_0)?;
    /// let x = Tensor::randn(0f32, 1., (2, 3, 64), &Device::Cpu)?;
    /// let y = x.qmatmul_with(weights.blocks(), GgmlDType::Q8_0, Activations::Int8)?;
    /// assert_eq!(y.dims(), [2, 3, 4]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The shapes do not fit, or a row does not have whole blocks.
    pub fn qmatmul_with(&self, blocks: &Self, format: GgmlDType, activations: Activations) -> Result<Self> {
        let recorded = self.track_op() && autograd::is_enabled();
        // An `x` of another shape gets the error of the product.
        let fits = self.dims().last().is_some_and(|k| {
            blocks.dims().get(1).is_some_and(|bytes| k * format.type_size() == bytes * format.block_size())
        });
        if activations == Activations::Float32 || format.block_size() == 1 || recorded || !fits {
            return self.qmatmul(blocks, format);
        }
        if self.rank() == 2 {
            return self.quantize_int8()?.qmatmul_int8(blocks, format, self.dtype());
        }
        let (k, mut shape) = (self.dim(crate::D::Minus1)?, self.dims().to_vec());
        let rows = shape[..shape.len() - 1].iter().product::<usize>();
        let y = self.reshape((rows, k))?.quantize_int8()?.qmatmul_int8(blocks, format, self.dtype())?;
        shape.pop();
        shape.push(y.dim(1)?);
        y.reshape(shape)
    }
}

impl QTensor {
    /// Same as [`QTensor::matmul_t`], with a precision of the other factor ([`Tensor::qmatmul_with`]).
    ///
    /// # Errors
    /// This tensor is not a matrix, or the shapes do not fit.
    pub fn matmul_t_with(&self, xs: &Tensor, activations: Activations) -> Result<Tensor> {
        self.shape.dims2()?;
        xs.qmatmul_with(&self.blocks, self.dtype, activations)
    }
}
