//! Creates tensors from constants, ranges, host data and random numbers.
use super::Tensor;
use crate::cpu::{Buffer, CpuStorage};
use crate::ops::random::Dist;
use crate::storage::{Storage, StorageCell};
use crate::{
    DType, Device, Element, Error, FloatDType, Layout, NdArray, Result, Scalar, Shape, ShapeWithOneHole,
    WithDType,
};

impl Tensor {
    /// Returns a tensor filled with one value, in the scalar's dtype.
    pub fn full_scalar<S: Into<Shape>>(value: Scalar, shape: S, device: &Device) -> Result<Self> {
        let t = Self::alloc(&shape.into(), value.dtype(), device)?;
        if t.elem_count() > 0 {
            t.const_set(value)?;
        }
        Ok(t)
    }

    /// Returns a tensor filled with one value.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// assert_eq!(Tensor::full(7u8, 2, &Device::Cpu)?.to_vec1::<u8>()?, [7, 7]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn full<D: Element, S: Into<Shape>>(value: D, shape: S, device: &Device) -> Result<Self> {
        Self::full_scalar(value.to_scalar(), shape, device)
    }

    /// Returns a tensor of zeros. All dtypes.
    pub fn zeros<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::full_scalar(Scalar::zero(dtype), shape, device)
    }

    /// Returns a tensor of ones. All dtypes.
    pub fn ones<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::full_scalar(Scalar::one(dtype), shape, device)
    }

    /// Returns zeros with this tensor's shape, dtype and device.
    pub fn zeros_like(&self) -> Result<Self> {
        Self::zeros(self.shape(), self.dtype(), self.device())
    }

    /// Returns ones with this tensor's shape, dtype and device.
    pub fn ones_like(&self) -> Result<Self> {
        Self::ones(self.shape(), self.dtype(), self.device())
    }

    /// Returns one stored element broadcast to this tensor's shape: a constant operand that needs almost no memory.
    pub(crate) fn constant_like(&self, v: f64) -> Result<Self> {
        let one = Self::full_scalar(Scalar::from_f64(v, self.dtype()), (), self.device())?;
        one.broadcast_as(self.shape().clone())
    }

    /// Returns a tensor of unspecified values. All dtypes. (This is safe, since memory is always initialized, unlike
    /// candle's.)
    pub fn empty<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::alloc(&shape.into(), dtype, device)
    }

    /// Returns unspecified values with this tensor's shape, dtype and device.
    pub fn empty_like(&self) -> Result<Self> {
        Self::empty(self.shape(), self.dtype(), self.device())
    }

    /// Returns a tensor of host elements, uploaded to the device.
    pub fn from_cpu_storage<S: Into<Shape>>(data: CpuStorage, shape: S, device: &Device) -> Result<Self> {
        let shape = shape.into();
        if data.len() != shape.elem_count() {
            return Err(Error::ShapeMismatch { buffer_size: data.len(), shape }.bt());
        }
        Self::from_parts(device.backend().upload(data)?, shape, device)
    }

    /// Returns a CPU tensor of host elements at the offsets of a layout. Foreign strided memory is imported this way
    /// without a copy.
    pub fn from_cpu_storage_layout(data: CpuStorage, layout: Layout) -> Result<Self> {
        let len = data.len();
        Self::over_storage(Storage::Cpu(data), len, layout, &Device::Cpu)
    }

    /// Returns a tensor of a storage's elements at the offsets of a layout.
    ///
    /// # Errors
    /// If the storage belongs to another device or is too small for the layout.
    pub fn from_storage_layout(data: Storage, layout: Layout, device: &Device) -> Result<Self> {
        let len = match (&data, device) {
            (Storage::Cpu(s), Device::Cpu) => s.len(),
            (Storage::Rocm(s), Device::Rocm(d)) if s.device().ordinal() == d.ordinal() => s.len(),
            (Storage::Cuda(s), Device::Cuda(d)) if s.device().ordinal() == d.ordinal() => s.len(),
            _ => {
                let wanted = device.location();
                return Err(Error::Device(format!("the storage is not memory of {wanted}")).bt());
            }
        };
        Self::over_storage(data, len, layout, device)
    }

    fn over_storage(data: Storage, len: usize, layout: Layout, device: &Device) -> Result<Self> {
        let fits = layout.shape().elem_count() == 0 || layout.end().is_some_and(|end| end <= len);
        if !fits {
            let shape = layout.shape().clone();
            return Err(Error::ShapeMismatch { buffer_size: len, shape }.bt());
        }
        let dtype = data.dtype();
        let cell = StorageCell::shared(data);
        Self::build(cell, &layout, dtype, device.clone(), None)
    }

    /// Returns a tensor of a number, or of nested arrays, slices or vectors.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// assert_eq!(Tensor::new(&[[1u32, 2], [3, 4]], &Device::Cpu)?.dims(), &[2, 2]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn new<A: NdArray>(array: A, device: &Device) -> Result<Self> {
        let shape = array.shape()?;
        Self::from_cpu_storage(array.to_cpu_storage(), shape, device)
    }

    /// Returns a tensor of a vector's elements. One dimension of the shape may be `()`, which is then computed.
    pub fn from_vec<S: ShapeWithOneHole, D: Element>(
        data: Vec<D>,
        shape: S,
        device: &Device,
    ) -> Result<Self> {
        let shape = shape.into_shape(data.len())?;
        Self::from_cpu_storage(CpuStorage::from(data), shape, device)
    }

    /// Returns a tensor of a slice's elements. One dimension of the shape may be `()`, which is then computed.
    pub fn from_slice<S: ShapeWithOneHole, D: Element>(
        data: &[D],
        shape: S,
        device: &Device,
    ) -> Result<Self> {
        let shape = shape.into_shape(data.len())?;
        Self::from_cpu_storage(D::into_storage(Buffer::from_slice(data)), shape, device)
    }

    /// Returns a one-dimensional tensor of an iterator's elements.
    pub fn from_iter<D: Element>(iter: impl IntoIterator<Item = D>, device: &Device) -> Result<Self> {
        let data: Vec<D> = iter.into_iter().collect();
        let len = data.len();
        Self::from_vec(data, len, device)
    }

    /// Returns a tensor of the elements stored in `bytes` (native byte order, row-major).
    pub fn from_raw_buffer(bytes: &[u8], dtype: DType, shape: &[usize], device: &Device) -> Result<Self> {
        let shape = Shape::from(shape);
        let want = shape.elem_count().checked_mul(dtype.size_in_bytes());
        if want != Some(bytes.len()) {
            return Err(Error::ShapeMismatch { buffer_size: bytes.len() / dtype.size_in_bytes(), shape }.bt());
        }
        Self::from_cpu_storage(CpuStorage::from_bytes(dtype, bytes)?, shape, device)
    }

    /// Returns `start, start + 1, ..` up to `end`, exclusive.
    pub fn arange<D: WithDType>(start: D, end: D, device: &Device) -> Result<Self> {
        Self::arange_step(start, end, D::one(), device)
    }

    /// Returns `start, start + step, ..` up to `end`, exclusive. Computed on the device.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// assert_eq!(Tensor::arange_step(5i64, 0, -2, &Device::Cpu)?.to_vec1::<i64>()?, [5, 3, 1]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn arange_step<D: WithDType>(start: D, end: D, step: D, device: &Device) -> Result<Self> {
        Self::arange_scalar(start.to_scalar(), end.to_scalar(), step.to_scalar(), device)
    }

    /// Returns uniform random numbers in `[lo, up)`.
    pub fn rand_f64<S: Into<Shape>>(lo: f64, up: f64, s: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::random(Dist::Uniform { lo, up }, s.into(), dtype, device)
    }

    /// Returns normal random numbers with a mean and a standard deviation.
    pub fn randn_f64<S: Into<Shape>>(
        mean: f64,
        std: f64,
        s: S,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        Self::random(Dist::Normal { mean, std }, s.into(), dtype, device)
    }

    /// Returns uniform random numbers in `[lo, up)`. FLOAT dtypes.
    pub fn rand<S: Into<Shape>, T: FloatDType>(lo: T, up: T, s: S, device: &Device) -> Result<Self> {
        Self::rand_f64(lo.to_f64(), up.to_f64(), s, T::DTYPE, device)
    }

    /// Returns normal random numbers with a mean and a standard deviation. FLOAT dtypes.
    pub fn randn<S: Into<Shape>, T: FloatDType>(mean: T, std: T, s: S, device: &Device) -> Result<Self> {
        Self::randn_f64(mean.to_f64(), std.to_f64(), s, T::DTYPE, device)
    }

    /// Returns uniform random numbers in `[lo, up)` with this tensor's shape, dtype and device.
    pub fn rand_like(&self, lo: f64, up: f64) -> Result<Self> {
        Self::rand_f64(lo, up, self.shape(), self.dtype(), self.device())
    }

    /// Returns normal random numbers with this tensor's shape, dtype and device.
    pub fn randn_like(&self, mean: f64, std: f64) -> Result<Self> {
        Self::randn_f64(mean, std, self.shape(), self.dtype(), self.device())
    }
}
