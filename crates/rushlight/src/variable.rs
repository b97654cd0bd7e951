//! Variables: tensors that gradients are computed for and that training changes.
use crate::{DType, Device, NdArray, Result, Shape, Tensor, WithDType};

/// A tensor whose elements can be replaced and that gradients are computed for. Derefs to its tensor.
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
    /// A variable of zeros.
    pub fn zeros<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::zeros(shape, dtype, device)?)
    }
    /// A variable of ones.
    pub fn ones<S: Into<Shape>>(shape: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::ones(shape, dtype, device)?)
    }
    /// A variable with a copy of a tensor's elements.
    pub fn from_tensor(t: &Tensor) -> Result<Self> {
        Self::own(t.detach().copy()?)
    }
    /// Uniform random numbers in `[lo, up)`.
    pub fn rand<S: Into<Shape>, T: crate::FloatDType>(lo: T, up: T, s: S, device: &Device) -> Result<Self> {
        Self::own(Tensor::rand(lo, up, s, device)?)
    }
    /// Normal random numbers.
    pub fn randn<S: Into<Shape>, T: crate::FloatDType>(
        mean: T,
        std: T,
        s: S,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::randn(mean, std, s, device)?)
    }
    /// Uniform random numbers of a dtype.
    pub fn rand_f64<S: Into<Shape>>(lo: f64, up: f64, s: S, dtype: DType, device: &Device) -> Result<Self> {
        Self::own(Tensor::rand_f64(lo, up, s, dtype, device)?)
    }
    /// Normal random numbers of a dtype.
    pub fn randn_f64<S: Into<Shape>>(
        mean: f64,
        std: f64,
        s: S,
        dtype: DType,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::randn_f64(mean, std, s, dtype, device)?)
    }
    /// From host data.
    pub fn new<A: NdArray>(array: A, device: &Device) -> Result<Self> {
        Self::own(Tensor::new(array, device)?)
    }
    /// From a vector.
    pub fn from_vec<S: crate::ShapeWithOneHole, D: WithDType>(
        data: Vec<D>,
        shape: S,
        device: &Device,
    ) -> Result<Self> {
        Self::own(Tensor::from_vec(data, shape, device)?)
    }
    /// From a slice.
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

    /// The elements outside any graph; changes of the variable show.
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
