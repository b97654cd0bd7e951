//! The gradient of attention with respect to the queries.
use super::attention::{self, Attention};
use super::{
    Accuracy, AttributeSpec, Differentiable, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    SpecialValues, TermOrder, Thresholds, Value,
};
use crate::Result;

/// With the weights `p` (from the scores and `stats`), `ds = p (grad v^T - stats[1])`: `ds k scale`, of the queries' shape.
/// Blocks of queries add the terms of the keys in order.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionQueryGrad(pub Attention);

impl OpDef for AttentionQueryGrad {
    fn name(&self) -> &'static str {
        "attention_query_grad"
    }

    fn inputs(&self) -> &'static [Input] {
        self.0.gradient_inputs()
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let s = self.0.check_gradient(self.name(), ins)?;
        Ok(Meta::new([s.batch, s.heads, s.queries, s.depth].as_slice().into(), ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("that of the queries")
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
        attention::gradient_samples(|op| Op::AttentionQueryGrad(AttentionQueryGrad(op)))
    }
}
