//! The gradients of attention with respect to keys and values.
use super::attention::{self, Attention};
use super::{
    Accuracy, AttributeSpec, Differentiable, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    SpecialValues, TermOrder, Thresholds, Value,
};
use crate::Result;

/// With the weights `p` (from the scores and `stats`), `ds = p (grad v^T - stats[1])`: `ds^T q scale` for the keys, and beside
/// them `p^T grad` for the values, summed over the heads that share them: `[B, G, Lk, D + E]`. Blocks of keys add the terms
/// of the heads and their queries in order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionKeyGrad(pub Attention);

impl OpDef for AttentionKeyGrad {
    fn name(&self) -> &'static str {
        "attention_key_grad"
    }

    fn inputs(&self) -> &'static [Input] {
        self.0.gradient_inputs()
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let s = self.0.check_gradient(self.name(), ins)?;
        Ok(Meta::new([s.batch, s.groups, s.keys, s.depth + s.width].as_slice().into(), ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("keys [B, G, Lk, D] and values [B, G, Lk, E] give [B, G, Lk, D + E]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        Attention::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.0.all_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Attention { queries: 1 }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::ATTENTION
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::OF_WEIGHTS
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Attention::THRESHOLDS
    }

    fn samples() -> Vec<Sample> {
        attention::gradient_samples(|op| Op::AttentionKeyGrad(AttentionKeyGrad(op)))
    }
}
