//! Copies of elements in host memory.
use super::Tensor;
use crate::cpu::scratch;
use crate::{Element, Error, Result};

impl Tensor {
    /// Returns the element of a tensor of rank 0.
    pub fn to_scalar<S: Element>(&self) -> Result<S> {
        if self.rank() != 0 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 0,
                got: self.rank(),
                shape: self.shape().clone(),
            }
            .bt());
        }
        let host = self.to_cpu_storage()?;
        host.as_slice::<S>()?.first().copied().ok_or(Error::UnwrapNone)
    }

    /// Same as [`Tensor::to_scalar`].
    pub fn to_vec0<S: Element>(&self) -> Result<S> {
        self.to_scalar()
    }

    fn flat<S: Element>(&self) -> Result<Vec<S>> {
        let host = self.to_cpu_storage()?;
        scratch::copied(host.as_slice::<S>()?)
    }

    /// Returns the elements of a one-dimensional tensor.
    pub fn to_vec1<S: Element>(&self) -> Result<Vec<S>> {
        self.dims1()?;
        self.flat()
    }

    /// Returns the elements of a matrix as a vector of rows.
    pub fn to_vec2<S: Element>(&self) -> Result<Vec<Vec<S>>> {
        let (_, n) = self.dims2()?;
        Ok(rows(self.flat()?, n, self.dims()[0]))
    }

    /// Returns the elements of a three-dimensional tensor as nested vectors.
    pub fn to_vec3<S: Element>(&self) -> Result<Vec<Vec<Vec<S>>>> {
        let (a, b, c) = self.dims3()?;
        Ok(rows(rows(self.flat()?, c, a * b), b, a))
    }

    /// Writes the elements' bytes (native byte order, row-major).
    pub fn write_bytes<W: std::io::Write>(&self, f: &mut W) -> Result<()> {
        let host = self.to_cpu_storage()?;
        f.write_all(host.as_bytes())?;
        Ok(())
    }
}

fn rows<T: Clone>(flat: Vec<T>, len: usize, count: usize) -> Vec<Vec<T>> {
    if len == 0 {
        return vec![Vec::new(); count];
    }
    flat.chunks(len).map(<[T]>::to_vec).collect()
}

macro_rules! try_from {
    ($t:ty, $method:ident) => {
        impl<T: crate::WithDType> TryFrom<&Tensor> for $t {
            type Error = Error;
            fn try_from(t: &Tensor) -> Result<Self> {
                t.$method()
            }
        }
        impl<T: crate::WithDType> TryFrom<Tensor> for $t {
            type Error = Error;
            fn try_from(t: Tensor) -> Result<Self> {
                t.$method()
            }
        }
    };
}
try_from!(Vec<T>, to_vec1);
try_from!(Vec<Vec<T>>, to_vec2);
try_from!(Vec<Vec<Vec<T>>>, to_vec3);

impl<T: crate::WithDType> TryFrom<&[T]> for Tensor {
    type Error = Error;
    fn try_from(v: &[T]) -> Result<Self> {
        Tensor::new(v, &crate::Device::Cpu)
    }
}

impl<T: crate::WithDType> TryFrom<Vec<T>> for Tensor {
    type Error = Error;
    fn try_from(v: Vec<T>) -> Result<Self> {
        let len = v.len();
        Tensor::from_vec(v, len, &crate::Device::Cpu)
    }
}

macro_rules! scalar_try_from {
    ($($t:ty),*) => {$(
        impl TryFrom<&Tensor> for $t {
            type Error = Error;
            fn try_from(t: &Tensor) -> Result<Self> {
                t.to_scalar()
            }
        }
        impl TryFrom<Tensor> for $t {
            type Error = Error;
            fn try_from(t: Tensor) -> Result<Self> {
                t.to_scalar()
            }
        }
        impl TryFrom<$t> for Tensor {
            type Error = Error;
            fn try_from(v: $t) -> Result<Self> {
                Tensor::new(v, &crate::Device::Cpu)
            }
        }
    )*};
}
scalar_try_from!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64, half::f16, half::bf16, float8::F8E4M3);
