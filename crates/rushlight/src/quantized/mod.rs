//! Quantized tensors: ggml's blocks, and the files that hold them. Names are candle's (`candle_core::quantized`).
//!
//! A [`QTensor`] holds blocks on a device. Blocks are computed on the CPU: [`QTensor::quantize`] copies the elements of a GPU's
//! tensor there and the blocks back. [`QMatMul`] multiplies by the transpose of a matrix; the numbers of its blocks are
//! computed where they are multiplied ([`Tensor::qmatmul`]). [`set_activations`] chooses products of integers, for which the other
//! factor is rounded to 8 bits.
//!
//! ```
//! use rushlight::quantized::{GgmlDType, QMatMul, QTensor};
//! use rushlight::{Device, Module, Tensor};
//! let weights = Tensor::randn(0f32, 1., (16, 256), &Device::Cpu)?;
//! let blocks = QTensor::quantize(&weights, GgmlDType::Q4K)?;
//! assert_eq!(blocks.storage_size_in_bytes(), 16 * 144);
//! let y = QMatMul::from_qtensor(blocks)?.forward(&Tensor::randn(0f32, 1., (3, 256), &Device::Cpu)?)?;
//! assert_eq!(y.dims(), [3, 16]);
//! # Ok::<(), rushlight::Error>(())
//! ```
mod activations;
mod experts;
pub mod ggml_file;
pub mod gguf_file;
pub mod imatrix_file;

pub use activations::{Activations, activations, set_activations, set_default_activations};
pub use rushlight_ggml::{ALL, GgmlDType, limit_scales};

use crate::cpu::scratch;
use crate::dtype::DType;
use crate::{CpuStorage, CustomOp1, D, Device, Error, Layout, Module, Result, Shape, Tensor};
use std::borrow::Cow;
use std::sync::Arc;

/// Blocks on a device, without a shape.
#[derive(Clone, Debug)]
pub struct QStorage {
    blocks: Tensor,
    dtype: GgmlDType,
}

impl QStorage {
    /// Copies blocks to a device. Fails if the bytes are not whole blocks.
    pub fn from_data(data: Cow<'_, [u8]>, device: &Device, dtype: GgmlDType) -> Result<Self> {
        let len = data.len();
        if !len.is_multiple_of(dtype.type_size()) {
            let text = format!("blocks of {dtype} have {} bytes each, got {len} bytes", dtype.type_size());
            return Err(Error::invalid("from_data", text));
        }
        Ok(Self { blocks: Tensor::from_vec(data.into_owned(), len, device)?, dtype })
    }
}

/// A tensor of quantized blocks. Rows, along the last dimension, are whole blocks.
#[derive(Clone)]
pub struct QTensor {
    /// A matrix of u8: a row for each row.
    blocks: Tensor,
    dtype: GgmlDType,
    shape: Shape,
}

impl std::fmt::Debug for QTensor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QTensor[{:?}; {:?}]", self.shape, self.dtype)
    }
}

/// Returns the number of rows and of the bytes of a row.
fn rows(shape: &Shape, dtype: GgmlDType) -> Result<(usize, usize)> {
    let Some((&row, batch)) = shape.dims().split_last() else {
        return Err(Error::invalid("quantize", "a scalar cannot be quantized"));
    };
    if !row.is_multiple_of(dtype.block_size()) {
        let size = dtype.block_size();
        let text =
            format!("{dtype}: the last dimension of {shape:?} is not a multiple of the block size {size}");
        return Err(Error::invalid("quantize", text));
    }
    Ok((batch.iter().product(), dtype.bytes_of(row)?))
}

impl QTensor {
    /// Gives blocks a shape. Fails for a scalar, if a row is not whole blocks, and if there are not as many blocks.
    pub fn new<S: Into<Shape>>(storage: QStorage, shape: S) -> Result<Self> {
        let (shape, QStorage { blocks, dtype }) = (shape.into(), storage);
        let size = rows(&shape, dtype)?;
        Ok(Self { blocks: blocks.reshape(size)?, dtype, shape })
    }

    /// Quantizes a tensor, of any dtype that converts to f32, to blocks on its device. The blocks are computed on the CPU: the
    /// elements of a GPU's tensor are copied there and the blocks back.
    pub fn quantize(src: &Tensor, dtype: GgmlDType) -> Result<Self> {
        Self::quantized(src, dtype, None, src.device())
    }

    /// Same as [`QTensor::quantize`], with an importance for each element of a row. Fails for other types than Q2K to
    /// Q6K.
    pub fn quantize_imatrix(src: &Tensor, imatrix_weights: &[f32], dtype: GgmlDType) -> Result<Self> {
        Self::quantized(src, dtype, Some(imatrix_weights), src.device())
    }

    /// Same as [`QTensor::quantize_imatrix`], for a tensor on the CPU and blocks on another device.
    pub fn quantize_imatrix_onto(
        src: &Tensor,
        imatrix_weights: &[f32],
        dtype: GgmlDType,
        dev: &Device,
    ) -> Result<Self> {
        on_cpu(src)?;
        Self::quantized(src, dtype, Some(imatrix_weights), dev)
    }

    /// Same as [`QTensor::quantize`], for a tensor on the CPU and blocks on another device.
    pub fn quantize_onto(src: &Tensor, dtype: GgmlDType, dev: &Device) -> Result<Self> {
        on_cpu(src)?;
        Self::quantized(src, dtype, None, dev)
    }

    fn quantized(src: &Tensor, dtype: GgmlDType, weights: Option<&[f32]>, device: &Device) -> Result<Self> {
        let size = rows(src.shape(), dtype)?;
        if let Some(weights) = weights {
            let (row, got) = (src.dim(D::Minus1)?, weights.len());
            if row != got {
                let text = format!("expected {row} weights, the last dimension of the tensor, got {got}");
                return Err(Error::invalid("quantize_imatrix", text));
            }
        }
        let x = src.detach().to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
        let mut blocks = scratch::filled(size.0 * size.1, 0u8)?;
        match weights {
            Some(weights) => rushlight_ggml::quantize_imatrix(dtype, &x, weights, &mut blocks)?,
            None => rushlight_ggml::quantize(dtype, &x, &mut blocks)?,
        }
        Ok(Self { blocks: Tensor::from_vec(blocks, size, device)?, dtype, shape: src.shape().clone() })
    }

    /// Returns the type of the blocks.
    pub fn dtype(&self) -> GgmlDType {
        self.dtype
    }

    /// Returns the device that has the blocks.
    pub fn device(&self) -> Device {
        self.blocks.device().clone()
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.rank()
    }

    /// Returns the shape, in elements.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the bytes of the blocks as a matrix of u8 with a row for each row.
    pub fn blocks(&self) -> &Tensor {
        &self.blocks
    }

    /// Returns the tensor on a device; the tensor itself if that device has the blocks.
    pub fn to_device(&self, device: &Device) -> Result<Self> {
        Ok(Self { blocks: self.blocks.to_device(device)?, ..self.clone() })
    }

    /// Computes the numbers in f32, and copies them to a device.
    pub fn dequantize(&self, device: &Device) -> Result<Tensor> {
        self.dequantize_as(DType::F32)?.to_device(device)
    }

    /// Computes the numbers, rounded to f16, and copies them to a device.
    pub fn dequantize_f16(&self, device: &Device) -> Result<Tensor> {
        self.dequantize_as(DType::F16)?.to_device(device)
    }

    /// Computes the numbers in f32 and rounds them to a FLOAT dtype ([`Tensor::dequantize`]).
    pub fn dequantize_as(&self, dtype: DType) -> Result<Tensor> {
        self.blocks.dequantize(self.dtype, dtype)?.reshape(self.shape.clone())
    }

    /// Returns the numbers of the rows of a matrix at indices, in f32.
    pub fn embedding(&self, ids: &Tensor) -> Result<Tensor> {
        let (_, hidden) = self.shape.dims2()?;
        let mut shape = ids.dims().to_vec();
        shape.push(hidden);
        let ids = ids.to_device(self.blocks.device())?.flatten_all()?;
        self.blocks.index_select(&ids, 0)?.dequantize(self.dtype, DType::F32)?.reshape(shape)
    }

    /// Returns the number of bytes of the blocks.
    pub fn storage_size_in_bytes(&self) -> usize {
        self.blocks.elem_count()
    }

    /// Returns a copy of the bytes of the blocks.
    pub fn data(&self) -> Result<Cow<'_, [u8]>> {
        Ok(Cow::Owned(self.blocks.flatten_all()?.to_vec1::<u8>()?))
    }

    /// Multiplies the last dimension of a tensor by the transpose of this matrix, in the precision of [`activations`]
    /// ([`Tensor::qmatmul_with`]).
    pub fn matmul_t(&self, xs: &Tensor) -> Result<Tensor> {
        self.matmul_t_with(xs, activations())
    }
}

/// The product of a tensor's last dimension with the transpose of this matrix, as candle's custom op. On a GPU the op is
/// [`QTensor::matmul_t`].
impl CustomOp1 for QTensor {
    fn name(&self) -> &'static str {
        "qmatmul"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let out = self.matmul_t(&Tensor::from_cpu_storage_layout(storage.clone(), layout.clone())?)?;
        Ok((out.to_cpu_storage()?, out.shape().clone()))
    }
}

fn on_cpu(src: &Tensor) -> Result<()> {
    if src.device().is_cpu() {
        return Ok(());
    }
    Err(Error::invalid(
        "quantize_onto",
        format!("expected a tensor on the CPU, got {}", src.device().location()),
    ))
}

/// The product with the transpose of a matrix of weights, quantized or not.
#[derive(Clone, Debug)]
pub enum QMatMul {
    /// Blocks, whose numbers are computed where they are multiplied.
    QTensor(Arc<QTensor>),
    /// Numbers.
    Tensor(Tensor),
    /// Numbers in f16, to which the other factor is converted.
    TensorF16(Tensor),
}

impl QMatMul {
    /// Makes a product. Blocks of F32, F16 and BF16 become numbers in f32.
    pub fn from_arc(qtensor: Arc<QTensor>) -> Result<Self> {
        match qtensor.dtype() {
            GgmlDType::F32 | GgmlDType::F16 | GgmlDType::BF16 => {
                Ok(Self::Tensor(qtensor.dequantize(&qtensor.device())?))
            }
            _ => Ok(Self::QTensor(qtensor)),
        }
    }

    /// Same as [`QMatMul::from_arc`].
    pub fn from_qtensor(qtensor: QTensor) -> Result<Self> {
        Self::from_arc(Arc::new(qtensor))
    }

    /// Returns the weights in f16.
    pub fn dequantize_f16(&self) -> Result<Tensor> {
        match self {
            Self::QTensor(t) => t.dequantize_f16(&t.device()),
            Self::Tensor(t) => t.to_dtype(DType::F16),
            Self::TensorF16(t) => Ok(t.clone()),
        }
    }

    /// Multiplies in f16, and converts the result to the dtype of the argument.
    pub fn forward_via_f16(&self, xs: &Tensor) -> Result<Tensor> {
        product(&xs.to_dtype(DType::F16)?, &self.dequantize_f16()?)?.to_dtype(xs.dtype())
    }

    /// Returns the rows of the weights at indices.
    pub fn embedding(&self, ids: &Tensor) -> Result<Tensor> {
        match self {
            Self::QTensor(t) => t.embedding(ids),
            Self::Tensor(w) | Self::TensorF16(w) => {
                let mut shape = ids.dims().to_vec();
                shape.push(w.dim(D::Minus1)?);
                w.index_select(&ids.to_device(w.device())?.flatten_all()?, 0)?.reshape(shape)
            }
        }
    }
}

/// Multiplies the last dimension by the transpose of a matrix of numbers.
fn product(xs: &Tensor, weights: &Tensor) -> Result<Tensor> {
    xs.broadcast_matmul(&weights.t()?)
}

impl Module for QMatMul {
    fn forward(&self, xs: &Tensor) -> Result<Tensor> {
        match self {
            Self::QTensor(t) => t.matmul_t(xs),
            Self::Tensor(w) => product(xs, w),
            Self::TensorF16(_) => self.forward_via_f16(xs),
        }
    }
}
