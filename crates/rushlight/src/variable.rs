//! Variables: tensors for which gradients are computed, and which training changes.
use crate::{DType, Device, NdArray, Result, Shape, Tensor, WithDType};

/// A tensor for which gradients are computed, and whose elements can be replaced. Derefs to its tensor.
#[derive(Clone, Debug)]
pub struct Var(Tensor);

impl std::fmt::Display for Var {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(&self.0, f)
    }
}

impl std::ops::Deref for Var {
    type Target = Tensor;
    fn deref(&self) -> &Tensor {
        &self.0
    }
}

impl AsRef<Tensor> for Var {
    fn as_ref(&self) -> &Tensor {
        &self.0
    }
}

impl Var {
    /// Returns a variable of zeros.
    pub fn zeros<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::zeros(shape, dtype, device)?)
    }
    /// Returns a variable of ones.
    pub fn ones<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::ones(shape, dtype, device)?)
    }
    /// Returns a variable with a copy of a tensor's elements. A tensor that is a variable itself is returned as it is, and shares
    /// its memory.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, Var};
    /// let a = Var::new(&[1f32], &Device::Cpu)?;
    /// let b = Var::from_tensor(&a)?;
    /// a.set(&Tensor::new(&[2f32], &Device::Cpu)?)?;
    /// assert_eq!(b.to_vec1::<f32>()?, [2.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn from_tensor(t: &Tensor) -> Result<Self> {
        if t.is_variable() {
            return Ok(Self(t.clone()));
        }
        Self::own(t.detach().copy()?)
    }
    /// Returns a variable of uniform random numbers in `[lo, up)`.
    pub fn rand<S: Into<Shape>, T: crate::FloatDType>(lo: T, up: T, s: S, device: &Device) -> Result<Self> {
        Self::own(Tensor::rand(lo, up, s, device)?)
    }
    /// Returns a variable of normal random numbers.
    pub fn randn<S: Into<Shape>, T: crate::FloatDType>(
        mean: T,
        std: T,
        s: S,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::randn(mean, std, s, device)?)
    }
    /// Returns a variable of uniform random numbers of a dtype.
    pub fn rand_f64<S: Into<Shape>>(lo: f64, up: f64, s: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::rand_f64(lo, up, s, dtype, device)?)
    }
    /// Returns a variable of normal random numbers of a dtype.
    pub fn randn_f64<S: Into<Shape>>(
        mean: f64,
        std: f64,
        s: S,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::randn_f64(mean, std, s, dtype, device)?)
    }
    /// Returns a variable of host data.
    pub fn new<A: NdArray>(array: A, device: &Device) -> Result<Self> {
        Self::own(Tensor::new(array, device)?)
    }
    /// Returns a variable of a vector's elements.
    pub fn from_vec<S: crate::ShapeWithOneHole, D: WithDType>(
        data: Vec<D>,
        shape: S,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::from_vec(data, shape, device)?)
    }
    /// Returns a variable of a slice's elements.
    pub fn from_slice<S: crate::ShapeWithOneHole, D: WithDType>(
        data: &[D],
        shape: S,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::from_slice(data, shape, device)?)
    }

    fn own(t: Tensor) -> Result<Self> {
        Ok(Self(t.leaf()))
    }

    /// Returns the elements outside any graph. Later changes of the variable are visible in the returned tensor.
    pub fn as_detached_tensor(&self) -> Tensor {
        self.0.detach()
    }
    /// The variable as a tensor.
    pub fn as_tensor(&self) -> &Tensor {
        &self.0
    }
    /// The variable as a tensor.
    pub fn into_inner(self) -> Tensor {
        self.0
    }

    /// Replaces the elements, in place.
    pub fn set(&self, src: &Tensor) -> Result<()> {
        if self.shares_storage(src) {
            return Err(crate::Error::CannotSetVar { msg: "as the source is the variable itself" }.bt());
        }
        crate::autograd::no_grad(|| self.0.assign(src))
    }
}
