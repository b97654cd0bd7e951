//! The op fill, which sets all elements to a constant in place: `zeros`, `ones`, `full`, `const_set`.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Scalar, Tensor};

/// Sets every element to a value, in place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fill(pub Scalar);

impl OpDef for Fill {
    fn name(&self) -> &'static str {
        "const_set"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].dtype != self.0.dtype() {
            return Err(crate::Error::DTypeMismatchBinaryOp {
                lhs: ins[0].dtype,
                rhs: self.0.dtype(),
                op: "const_set",
            }
            .bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes a tensor in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("value", Kind::Scalar, Allowed::Any, "Value, of the target's dtype.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Scalar(self.0)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Filled
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Drawn
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::None("it has no input to compare")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::FILLED
    }

    fn samples() -> Vec<Sample> {
        let x = |dtype| Spec {
            shape: (2, 3).into(),
            domain: Domain::Range(-3.0, 3.0),
            fill: super::samples::Fill::Fixed(dtype),
        };
        let mut all: Vec<_> = DType::ALL
            .iter()
            .map(|&dt| Sample::new(Op::Fill(Fill(Scalar::one(dt))), vec![x(dt)]).no_grad())
            .collect();
        let wrong = Op::Fill(Fill(Scalar::F32(1.0)));
        all.push(Sample::bad(wrong, vec![x(DType::I64)], "dtype mismatch in const_set"));
        all
    }
}

impl Tensor {
    /// Sets every element to a value of this tensor's dtype, in place. All dtypes.
    pub fn const_set(&self, value: Scalar) -> Result<()> {
        Tensor::run_inplace(Op::Fill(Fill(value)), &[self], &[])
    }

    /// Sets every element to 0, in place.
    pub fn zero_set(&self) -> Result<()> {
        self.const_set(Scalar::zero(self.dtype()))
    }

    /// Sets every element to 1, in place.
    pub fn one_set(&self) -> Result<()> {
        self.const_set(Scalar::one(self.dtype()))
    }
}
