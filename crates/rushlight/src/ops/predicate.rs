//! Predicates of one element, and logical ops of two: Bool outputs.
use super::{Card, Differentiable, Domain, Grads, Input, Meta, Op, Sample, Spec, grads, same_shape};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

/// Which predicate or logical op. A number counts as true when it is not zero (NaN is true).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum PredicateOp {
    IsNan,
    IsInf,
    IsFinite,
    Not,
    And,
    Or,
    Xor,
}

impl PredicateOp {
    /// Every op of the family.
    pub const ALL: &'static [Self] =
        &[Self::IsNan, Self::IsInf, Self::IsFinite, Self::Not, Self::And, Self::Or, Self::Xor];

    /// Whether it takes two tensors.
    pub fn is_binary(self) -> bool {
        matches!(self, Self::And | Self::Or | Self::Xor)
    }
}

/// A predicate: Bool output of the inputs' shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Predicate(pub PredicateOp);

impl Card for Predicate {
    fn name(&self) -> &'static str {
        match self.0 {
            PredicateOp::IsNan => "isnan",
            PredicateOp::IsInf => "isinf",
            PredicateOp::IsFinite => "isfinite",
            PredicateOp::Not => "logical_not",
            PredicateOp::And => "logical_and",
            PredicateOp::Or => "logical_or",
            PredicateOp::Xor => "logical_xor",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.is_binary() {
            const { &[Input::new("lhs", sets::ORDERED), Input::same("rhs", sets::ORDERED)] }
        } else {
            const { &[Input::new("x", sets::ORDERED)] }
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(same_shape(ins, self.name())?, DType::Bool))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is no floating-point number")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None]
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Mask;
        let mut all = Vec::new();
        for &op in PredicateOp::ALL {
            let card = Op::Predicate(Predicate(op));
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                let ins = vec![Spec::new(shape, d); if op.is_binary() { 2 } else { 1 }];
                all.push(Sample::new(card.clone(), ins));
            }
            if op.is_binary() {
                let bad = vec![Spec::new([2, 3], d), Spec::new([3], d)];
                all.push(Sample::bad(card, bad, "shape mismatch in logical_"));
            }
        }
        all
    }
}

macro_rules! predicates {
    ($($method:ident $op:ident $doc:literal;)*) => {
        impl Tensor {
            $(#[doc = $doc]
            pub fn $method(&self) -> Result<Tensor> {
                Tensor::run(Op::Predicate(Predicate(PredicateOp::$op)), &[self])
            })*
        }
    };
}
predicates! {
    isnan IsNan "Where an element is NaN, as Bool; false for integers. ORDERED dtypes.";
    isinf IsInf "Where an element is +inf or -inf, as Bool; false for integers. ORDERED dtypes.";
    isfinite IsFinite "Where an element is neither NaN nor infinite, as Bool; true for integers. ORDERED dtypes.";
    logical_not Not "Where an element is zero, as Bool. ORDERED dtypes.";
}

macro_rules! logical {
    ($($method:ident $bmethod:ident $op:ident $doc:literal;)*) => {
        impl Tensor {
            $(#[doc = concat!("Where ", $doc, " not zero (NaN is not), as Bool. Two tensors of one shape and dtype. ORDERED dtypes.")]
            pub fn $method(&self, rhs: &Tensor) -> Result<Tensor> {
                Tensor::run(Op::Predicate(Predicate(PredicateOp::$op)), &[self, rhs])
            }
            #[doc = concat!("As `", stringify!($method), "`, after stretching both sides to one shape (NumPy's rule).")]
            pub fn $bmethod(&self, rhs: &Tensor) -> Result<Tensor> {
                let (l, r) = self.broadcast_pair(rhs, stringify!($method))?;
                l.$method(&r)
            })*
        }
    };
}
logical! {
    logical_and broadcast_logical_and And "both elements are";
    logical_or broadcast_logical_or Or "one element or both are";
    logical_xor broadcast_logical_xor Xor "exactly one of the two elements is";
}
