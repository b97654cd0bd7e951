//! Variances, norms and sums of exponentials over axes. Composed of reductions and other ops.
use super::Tensor;
use crate::ops::reduce::{ReduceOp, axes_mask};
use crate::shape::Dims;
use crate::{DType, Result};

/// Returns the square root. Where the variance is 0 its gradient is 0, as in PyTorch.
fn root_of_variance(var: &Tensor) -> Result<Tensor> {
    if !var.track_op() {
        return var.sqrt();
    }
    let zero = var.constant_like(0.0)?;
    let flat = var.eq(&zero)?;
    flat.where_cond(&zero, &flat.where_cond(&var.constant_like(1.0)?, var)?.sqrt()?)
}

impl Tensor {
    /// Computes a variance or standard deviation. The differences from the mean are corrected by their own mean, so
    /// that equal elements have variance 0 although their mean is rounded. f16 and bf16 compute in f32.
    fn variance(&self, axes: u32, correction: f64, keepdim: bool, root: bool) -> Result<Tensor> {
        if self.dtype().is_complex() {
            // The squared distance from the mean is the sum of those of the parts.
            let part = |part: Tensor| part.variance(axes, correction, keepdim, false);
            let var = (part(self.real()?)? + part(self.imag()?)?)?;
            return if root { root_of_variance(&var) } else { Ok(var) };
        }
        let narrow = matches!(self.dtype(), DType::F16 | DType::BF16);
        let x = if narrow { self.to_dtype(DType::F32)? } else { self.clone() };
        let n: usize = (0..x.rank()).filter(|i| axes >> i & 1 == 1).map(|i| x.dims()[i]).product();
        let mean = |t: &Tensor| t.reduce(ReduceOp::Mean, axes, true, t.dtype());
        // The first mean is only a shift, which does not change the variance, so it needs no gradient.
        let far = x.broadcast_sub(&mean(&x.detach())?)?;
        let squares = far.broadcast_sub(&mean(&far)?)?.sqr()?;
        let sum = squares.reduce(ReduceOp::Sum, axes, keepdim, x.dtype())?;
        // 0 / 0 is NaN and a / 0 is infinite, as in NumPy and PyTorch.
        let var = (&sum / &sum.constant_like((n as f64 - correction).max(0.0))?)?;
        let out = if root { root_of_variance(&var)? } else { var };
        if narrow { out.to_dtype(self.dtype()) } else { Ok(out) }
    }

    /// Returns the variance over axes: the sum of squared differences from the mean, divided by `n - correction` (by 0
    /// if that is negative, as in PyTorch). FLOAT and COMPLEX dtypes; of complex numbers the squared distances from the mean are
    /// summed, and the result is real.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32, 2., 3.], [4., 5., 9.]], &Device::Cpu)?;
    /// assert_eq!(a.var_with(1, 1.0, false)?.to_vec1::<f32>()?, [1., 7.]);
    /// assert_eq!(a.var_with((0, 1), 0.0, true)?.dims(), &[1, 1]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn var_with<DS: Dims>(&self, dims: DS, correction: f64, keepdim: bool) -> Result<Tensor> {
        self.variance(axes_mask(self.shape(), dims, "var")?, correction, keepdim, false)
    }
    /// Returns the standard deviation: the square root of [`Tensor::var_with`]. FLOAT and COMPLEX dtypes.
    pub fn std_with<DS: Dims>(&self, dims: DS, correction: f64, keepdim: bool) -> Result<Tensor> {
        self.variance(axes_mask(self.shape(), dims, "std")?, correction, keepdim, true)
    }
    /// Returns the unbiased variance along a dimension (divided by n - 1), which is kept with size 1. FLOAT dtypes.
    pub fn var_keepdim<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.var_with(dim.to_index(self.shape(), "var")?, 1.0, true)
    }
    /// Returns the unbiased variance along a dimension, which is removed. FLOAT dtypes.
    pub fn var<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.var_with(dim.to_index(self.shape(), "var")?, 1.0, false)
    }
    /// Returns the unbiased standard deviation along a dimension, which is removed. FLOAT dtypes.
    pub fn std<D: crate::Dim>(&self, dim: D) -> Result<Tensor> {
        self.std_with(dim.to_index(self.shape(), "std")?, 1.0, false)
    }
    /// Returns the Euclidean norm of all elements.
    pub fn norm(&self) -> Result<Tensor> {
        if self.dtype().is_int() {
            crate::bail!("norm is not supported for integer dtype {:?}", self.dtype())
        }
        self.sqr()?.sum_all()?.sqrt()
    }
    /// Returns log(sum(exp(x))) over axes, which are removed. Stable for large elements. FLOAT and COMPLEX dtypes; of
    /// complex numbers the largest real part is subtracted first. Of no element it is minus infinity.
    pub fn log_sum_exp<DS: Dims>(&self, dims: DS) -> Result<Tensor> {
        let dims = dims.to_indexes(self.shape(), "log_sum_exp")?;
        if dims.is_empty() {
            return Ok(self.clone());
        }
        if self.elem_count() == 0 {
            // There is no largest element.
            let none = self.sum(dims)?;
            return &none + none.constant_like(f64::NEG_INFINITY)?;
        }
        let complex = self.dtype().is_complex();
        let size = if complex { self.detach().real()? } else { self.detach() };
        let axes = axes_mask(self.shape(), dims.clone(), "log_sum_exp")?;
        let max = size.reduce(ReduceOp::Max, axes, true, size.dtype())?;
        // Do not subtract an infinite maximum, which would give inf - inf.
        let finite = max.abs()?.lt(&max.constant_like(f64::INFINITY)?)?;
        let max = finite.where_cond(&max, &max.constant_like(0.0)?)?;
        let max = if complex { max.to_dtype(self.dtype())? } else { max };
        let sum = self.broadcast_sub(&max)?.exp()?.sum_keepdim(dims.clone())?.log()?;
        let out = (sum + max)?;
        let keep: Vec<usize> =
            (0..self.rank()).filter(|d| !dims.contains(d)).map(|d| self.dims()[d]).collect();
        out.reshape(keep)
    }
}
