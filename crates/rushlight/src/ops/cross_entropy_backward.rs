//! The gradient of cross_entropy.
use super::loss::{self, ClassLoss};
use super::{
    Accuracy, AttributeSpec, Differentiable, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample,
    ShapeRule, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::Result;
use crate::autograd::Vjp;

/// With `q = softmax(x)` over the classes: `g ((1 - s) w[t] (q - onehot(t)) + s / C (q sum(w) - w))` (over the weights'
/// sum for means), 0 for ignored elements; without weights and smoothing `g (q - onehot(t))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossEntropyBackward(pub ClassLoss);

impl OpDef for CrossEntropyBackward {
    fn name(&self) -> &'static str {
        "cross_entropy_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &loss::BACKWARD } else { const { loss::BACKWARD.split_at(3).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.0.check_backward("cross_entropy_backward", ins)
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it is a gradient itself; gradients of gradients are not recorded")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None, None]
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
        loss::samples(&[0.0, 0.3], true, |c| Op::CrossEntropyBackward(CrossEntropyBackward(c)))
    }
}
