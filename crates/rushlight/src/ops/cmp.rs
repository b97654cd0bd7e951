//! Comparisons. The output is U8 (candle) or Bool (Python), as the front end chooses.
use super::{Card, Differentiable, Domain, Grads, Input, Meta, Op, Sample, Spec, grads, same_shape};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

/// Which comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CmpOp {
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
    Gt,
}

impl CmpOp {
    /// Every comparison.
    pub const ALL: &'static [Self] = &[Self::Eq, Self::Ne, Self::Le, Self::Ge, Self::Lt, Self::Gt];
}

/// A comparison of two tensors of one shape and dtype: 1 where it holds. With NaN only `Ne` holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cmp {
    /// Which comparison.
    pub op: CmpOp,
    /// Output dtype: U8 or Bool.
    pub dtype: DType,
}

const INPUTS: &[Input] = &[Input::new("lhs", sets::ORDERED), Input::same("rhs", sets::ORDERED)];

impl Card for Cmp {
    fn name(&self) -> &'static str {
        match self.op {
            CmpOp::Eq => "eq",
            CmpOp::Ne => "ne",
            CmpOp::Le => "le",
            CmpOp::Ge => "ge",
            CmpOp::Lt => "lt",
            CmpOp::Gt => "gt",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        INPUTS
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(same_shape(ins, self.name())?, self.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is no floating-point number")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None]
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in CmpOp::ALL {
            for dtype in [DType::U8, DType::Bool] {
                let card = || Op::Cmp(Cmp { op, dtype });
                let d = Domain::Range(-2.0, 2.0);
                for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                    all.push(Sample::new(card(), vec![Spec::new(shape, d), Spec::new(shape, d)]));
                }
                let bad = vec![Spec::new([2, 3], d), Spec::new([3], d)];
                all.push(Sample::bad(card(), bad, "shape mismatch in"));
            }
        }
        all
    }
}

macro_rules! compare {
    ($($method:ident $bmethod:ident $op:ident $doc:literal;)*) => {
        impl Tensor {
            $(#[doc = concat!("1 where ", $doc, " as U8. The other side is a tensor of the same shape, or a scalar.")]
            pub fn $method<T: crate::scalar::TensorOrScalar>(&self, rhs: T) -> Result<Tensor> {
                self.cmp(rhs, CmpOp::$op)
            }
            #[doc = concat!("1 where ", $doc, " as U8, after stretching both sides to one shape.")]
            pub fn $bmethod(&self, rhs: &Tensor) -> Result<Tensor> {
                let (l, r) = self.broadcast_pair(rhs, stringify!($method))?;
                l.compare(&r, CmpOp::$op, DType::U8)
            })*
        }
    };
}
compare! {
    eq broadcast_eq Eq "equal,";
    ne broadcast_ne Ne "not equal,";
    le broadcast_le Le "less or equal,";
    ge broadcast_ge Ge "greater or equal,";
    lt broadcast_lt Lt "less,";
    gt broadcast_gt Gt "greater,";
}

impl Tensor {
    /// A comparison by name, as U8.
    pub fn cmp<T: crate::scalar::TensorOrScalar>(&self, rhs: T, op: CmpOp) -> Result<Tensor> {
        self.compare(&self.operand(rhs)?, op, DType::U8)
    }

    /// A comparison of two tensors of one shape, as U8 or Bool.
    pub fn compare(&self, rhs: &Tensor, op: CmpOp, dtype: DType) -> Result<Tensor> {
        Tensor::run(Op::Cmp(Cmp { op, dtype }), &[self, rhs])
    }
}
