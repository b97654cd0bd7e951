//! The op where_cond: chooses between the elements of two tensors by a condition.
use super::{
    Accuracy, AttributeSpec, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Returns `on_true` where the condition is not zero, else `on_false`. All three have one shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WhereCond;

impl OpDef for WhereCond {
    fn name(&self) -> &'static str {
        "where_cond"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("cond", sets::BITS),
                Input::new("on_true", sets::ALL),
                Input { name: "on_false", dtypes: sets::ALL, same_as: Some(1) },
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[1].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (cond, g) = (c.input(0)?, c.grad());
        let zero = g.constant_like(0.0)?;
        grads![None, c.when(1, || cond.where_cond(g, &zero))?, c.when(2, || cond.where_cond(&zero, g))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Rounded
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::EXPRESSION
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let make = |a: &[usize], b: &[usize]| {
            let cond = Spec { shape: a.into(), domain: Domain::Mask, fill: Fill::Own };
            vec![cond, Spec::new(a, d), Spec::new(b, d)]
        };
        let op = || Op::WhereCond(WhereCond);
        vec![
            Sample::new(op(), make(&[2, 3], &[2, 3])),
            Sample::new(op(), make(&[0, 4], &[0, 4])),
            Sample::bad(op(), make(&[2, 3], &[3, 2]), "shape mismatch in where_cond"),
        ]
    }
}

impl Tensor {
    /// Returns `on_true` where `self` is not zero, else `on_false`. `self`: BITS dtypes; the other two: any dtype, the
    /// same for both.
    pub fn where_cond(&self, on_true: &Self, on_false: &Self) -> Result<Self> {
        Tensor::run(Op::WhereCond(WhereCond), &[self, on_true, on_false])
    }
}
