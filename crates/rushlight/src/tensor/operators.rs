//! The operators `+ - * /` for tensors, results of tensors, and numbers.
use super::Tensor;
use crate::ops::Op;
use crate::ops::binary::{Binary, BinaryOp};
use crate::{Result, Scalar};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Divides a tensor by a number. An integer tensor and an integral number other than 0 are divided as integers;
/// otherwise the tensor is multiplied by `1 / v`.
fn div_scalar(t: &Tensor, v: f64) -> Result<Tensor> {
    let exact = t.dtype().is_int() && v != 0.0 && Scalar::from_f64(v, t.dtype()).to_f64() == v;
    if exact {
        let v = Tensor::full_scalar(Scalar::from_f64(v, t.dtype()), (), t.device())?;
        let v = v.broadcast_as(t.shape().clone())?;
        return Tensor::run(Op::Binary(Binary(BinaryOp::Div)), &[t, &v]);
    }
    t.affine(1.0 / v, 0.0)
}

macro_rules! operator {
    ($trait:ident $fn:ident, |$t:ident, $v:ident| $tensor_scalar:expr, |$v2:ident, $t2:ident| $scalar_tensor:expr) => {
        impl<B: std::borrow::Borrow<Tensor>> $trait<B> for Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: B) -> Self::Output {
                Tensor::$fn(&self, rhs.borrow())
            }
        }
        impl<B: std::borrow::Borrow<Tensor>> $trait<B> for &Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: B) -> Self::Output {
                Tensor::$fn(self, rhs.borrow())
            }
        }
        impl<B: std::borrow::Borrow<Tensor>> $trait<Result<B>> for Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: Result<B>) -> Self::Output {
                Tensor::$fn(&self, rhs?.borrow())
            }
        }
        impl<B: std::borrow::Borrow<Tensor>> $trait<Result<B>> for &Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: Result<B>) -> Self::Output {
                Tensor::$fn(self, rhs?.borrow())
            }
        }
        impl<B: std::borrow::Borrow<Tensor>> $trait<Tensor> for Result<B> {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: Tensor) -> Self::Output {
                Tensor::$fn(self?.borrow(), &rhs)
            }
        }
        impl<B: std::borrow::Borrow<Tensor>> $trait<&Tensor> for Result<B> {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: &Tensor) -> Self::Output {
                Tensor::$fn(self?.borrow(), rhs)
            }
        }
        impl $trait<f64> for Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, $v: f64) -> Self::Output {
                let $t = &self;
                $tensor_scalar
            }
        }
        impl $trait<f64> for &Tensor {
            type Output = Result<Tensor>;
            fn $fn(self, $v: f64) -> Self::Output {
                let $t = self;
                $tensor_scalar
            }
        }
        impl $trait<Tensor> for f64 {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: Tensor) -> Self::Output {
                let ($v2, $t2) = (self, &rhs);
                $scalar_tensor
            }
        }
        impl $trait<&Tensor> for f64 {
            type Output = Result<Tensor>;
            fn $fn(self, rhs: &Tensor) -> Self::Output {
                let ($v2, $t2) = (self, rhs);
                $scalar_tensor
            }
        }
    };
}

operator!(Add add, |t, v| t.affine(1.0, v), |v, t| t.affine(1.0, v));
operator!(Sub sub, |t, v| t.affine(1.0, -v), |v, t| t.affine(-1.0, v));
operator!(Mul mul, |t, v| t.affine(v, 0.0), |v, t| t.affine(v, 0.0));
operator!(Div div, |t, v| div_scalar(t, v), |v, t| t.recip()?.affine(v, 0.0));

impl Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Self::Output {
        Tensor::neg(self)
    }
}
