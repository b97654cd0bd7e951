//! Fourier transforms of real and complex tensors, along one dimension and along several.
use super::Tensor;
use crate::ops::{Op, fft::Fft};
use crate::shape::Dims;
use crate::{DType, Dim, Error, Result};

impl Tensor {
    /// Returns a complex tensor of F32, F64 or complex elements.
    fn complex_of(&self, op: &'static str) -> Result<Self> {
        match self.dtype() {
            DType::F32 => self.to_dtype(DType::C64),
            DType::F64 => self.to_dtype(DType::C128),
            dtype if dtype.is_complex() => Ok(self.clone()),
            dtype => Err(Error::UnsupportedDTypeForOp(dtype, op).bt()),
        }
    }

    /// Computes `scale * sum over j of x[j] exp(-2 pi i j k / n)` along a dimension of n elements, or the sum with
    /// `exp(2 pi i j k / n)` if `inverse` is set. Any length but 0. F32 and F64 give complex numbers; or COMPLEX dtypes.
    pub fn fft_with<D: Dim>(&self, dim: D, inverse: bool, scale: f64) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "fft")?;
        Tensor::run(Op::Fft(Fft { dim, inverse, scale }), &[&self.complex_of("fft")?])
    }

    /// Computes the discrete Fourier transform along a dimension, `sum over j of x[j] exp(-2 pi i j k / n)`. Any length but 0.
    /// F32 and F64 give complex numbers; or COMPLEX dtypes.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let t = Tensor::new(&[1f32, 2., 3., 4.], &Device::Cpu)?;
    /// let want = [C64::new(10., 0.), C64::new(-2., 2.), C64::new(-2., 0.), C64::new(-2., -2.)];
    /// assert_eq!(t.fft(0)?.to_vec1::<C64>()?, want);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn fft<D: Dim>(&self, dim: D) -> Result<Self> {
        self.fft_with(dim, false, 1.0)
    }

    /// Computes the inverse of [`Tensor::fft`], which divides by the number of elements.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let t = Tensor::new(&[C64::new(10., 0.), C64::new(-2., 2.), C64::new(-2., 0.), C64::new(-2., -2.)], &Device::Cpu)?;
    /// assert_eq!(t.ifft(0)?.real()?.to_vec1::<f32>()?, [1., 2., 3., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn ifft<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "ifft")?;
        self.fft_with(dim, true, 1.0 / self.dims()[dim] as f64)
    }

    /// Same as [`Tensor::rfft`], multiplied by a number.
    pub fn rfft_with<D: Dim>(&self, dim: D, scale: f64) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "rfft")?;
        if !matches!(self.dtype(), DType::F32 | DType::F64) {
            return Err(Error::UnsupportedDTypeForOp(self.dtype(), "rfft").bt());
        }
        self.fft_with(dim, false, scale)?.narrow(dim, 0, self.dims()[dim] / 2 + 1)
    }

    /// Computes the first `n / 2 + 1` elements of the Fourier transform of n real numbers along a dimension; the others are
    /// the conjugates of these. F32 and F64.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let t = Tensor::new(&[1f32, 2., 3., 4.], &Device::Cpu)?;
    /// assert_eq!(t.rfft(0)?.to_vec1::<C64>()?, [C64::new(10., 0.), C64::new(-2., 2.), C64::new(-2., 0.)]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn rfft<D: Dim>(&self, dim: D) -> Result<Self> {
        self.rfft_with(dim, 1.0)
    }

    /// Same as [`Tensor::irfft`], but multiplies by a number in place of `1 / n`.
    pub fn irfft_with<D: Dim>(&self, dim: D, n: usize, scale: f64) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "irfft")?;
        let half = n / 2 + 1;
        if n == 0 || self.dims()[dim] != half {
            let text =
                format!("{n} real numbers have {half} elements, got dimension {dim} of {:?}", self.shape());
            return Err(Error::invalid("irfft", text));
        }
        let x = self.complex_of("irfft")?;
        let rest = n - half;
        let all = match rest {
            0 => x,
            _ => Tensor::cat(&[&x, &x.narrow(dim, 1, rest)?.flip(&[dim])?.conj()?], dim)?,
        };
        all.fft_with(dim, true, scale)?.real()
    }

    /// Computes the inverse of [`Tensor::rfft`]: n real numbers along a dimension that has `n / 2 + 1` elements. The imaginary
    /// part of the first of them, and of the last one if n is even, does not matter. COMPLEX dtypes, F32 and F64.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let t = Tensor::new(&[C64::new(10., 0.), C64::new(-2., 2.), C64::new(-2., 0.)], &Device::Cpu)?;
    /// assert_eq!(t.irfft(0, 4)?.to_vec1::<f32>()?, [1., 2., 3., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn irfft<D: Dim>(&self, dim: D, n: usize) -> Result<Self> {
        self.irfft_with(dim, n, 1.0 / n as f64)
    }

    /// Computes [`Tensor::fft`] along several dimensions.
    ///
    /// ```
    /// use rushlight::{C64, Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let real = t.fftn((0, 1))?.real()?;
    /// assert_eq!(real.to_vec2::<f32>()?, [[10., -2.], [-4., 0.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn fftn<D: Dims>(&self, dims: D) -> Result<Self> {
        let dims = dims.to_indexes(self.shape(), "fftn")?;
        dims.iter().try_fold(self.complex_of("fftn")?, |t, &dim| t.fft(dim))
    }

    /// Computes [`Tensor::ifft`] along several dimensions.
    pub fn ifftn<D: Dims>(&self, dims: D) -> Result<Self> {
        let dims = dims.to_indexes(self.shape(), "ifftn")?;
        dims.iter().try_fold(self.complex_of("ifftn")?, |t, &dim| t.ifft(dim))
    }

    /// Computes [`Tensor::rfft`] along the last of several dimensions, and [`Tensor::fft`] along the others.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2., 3., 4.], [5., 6., 7., 8.]], &Device::Cpu)?;
    /// let y = t.rfftn((0, 1))?;
    /// assert_eq!(y.dims(), [2, 3]);
    /// assert_eq!(y.irfftn((0, 1), 4)?.to_vec2::<f32>()?, t.to_vec2::<f32>()?);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn rfftn<D: Dims>(&self, dims: D) -> Result<Self> {
        let dims = dims.to_indexes(self.shape(), "rfftn")?;
        let Some((&last, others)) = dims.split_last() else {
            return Err(Error::invalid("rfftn", "no dimension is given"));
        };
        others.iter().try_fold(self.rfft(last)?, |t, &dim| t.fft(dim))
    }

    /// Computes the inverse of [`Tensor::rfftn`]: the last of the dimensions gets n elements.
    pub fn irfftn<D: Dims>(&self, dims: D, n: usize) -> Result<Self> {
        let dims = dims.to_indexes(self.shape(), "irfftn")?;
        let Some((&last, others)) = dims.split_last() else {
            return Err(Error::invalid("irfftn", "no dimension is given"));
        };
        others.iter().try_fold(self.complex_of("irfftn")?, |t, &dim| t.ifft(dim))?.irfft(last, n)
    }
}
