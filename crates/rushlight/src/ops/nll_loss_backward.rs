//! The gradient of nll_loss.
use super::loss::{self, ClassLoss};
use super::{
    Accuracy, AttributeSpec, Differentiable, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::{Error, Result, Tensor};

/// Computes `-g w[t]` at the target class (divided by the sum of the weights for means), and 0 elsewhere and for
/// ignored targets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NllLossBackward(pub ClassLoss);

impl OpDef for NllLossBackward {
    fn name(&self) -> &'static str {
        "nll_loss_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &loss::BACKWARD } else { const { loss::BACKWARD.split_at(3).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.0.check_backward("nll_loss_backward", ins)
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.0.weighted { 12 } else { 4 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if c.needs(3) {
            return Err(Error::invalid(c.op_name(), "no gradient flows to the class weights; detach them"));
        }
        // The op is linear in the loss's gradient and does not depend on the scores, so its gradient is an nll_loss
        // with the gradient at hand as scores.
        let (op, t) = (Op::NllLoss(super::nll_loss::NllLoss(self.0)), c.input(2)?);
        let of_g = c.when(0, || {
            if self.0.weighted {
                Tensor::run(op, &[c.grad(), &t, &c.input(3)?])
            } else {
                Tensor::run(op, &[c.grad(), &t])
            }
        })?;
        grads![of_g, c.when(1, || c.grad().zeros_like())?, None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(1)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        ClassLoss::ATTRIBUTES
    }

    fn values(&self) -> Vec<Value> {
        self.0.values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::LOSS
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        loss::samples(&[0.0], true, |c| Op::NllLossBackward(NllLossBackward(c)))
    }
}
