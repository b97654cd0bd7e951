//! Numbers of each query of attention, which its gradients need.
use super::attention::{self, Attention};
use super::norm::wide;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Input, Meta, Op, OpDef, Pattern, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::{Error, Result};

/// For each query the logarithm of the sum of `e^score` over its keys (negative infinity where it has none), and the product
/// of its result with the result's gradient: two tensors `[B, H, Lq]` as one, in f32 (f64 for f64).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttentionStats(pub Attention);

impl OpDef for AttentionStats {
    fn name(&self) -> &'static str {
        "attention_stats"
    }

    fn inputs(&self) -> &'static [Input] {
        self.0.stats_inputs()
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (g, out) = (&ins[0].shape, &ins[1].shape);
        let s = self.0.check(self.name(), &ins[2].shape, &ins[3].shape, None, &ins[4..])?;
        if g != out {
            return Err(Error::shapes(g, out, self.name()));
        }
        if g.rank() != 4 || g.dims()[..3] != ins[2].shape.dims()[..3] {
            return Err(Error::shapes(g, &ins[2].shape, self.name()));
        }
        Ok(Meta::new([2, s.batch, s.heads, s.queries].as_slice().into(), wide(ins[0].dtype)))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[2, B, H, Lq] for queries [B, H, Lq, D]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        Attention::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.0.all_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Attention { queries: 2 }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::ATTENTION
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::OF_SCORES
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Attention::THRESHOLDS
    }

    fn samples() -> Vec<Sample> {
        let mut all = attention::samples(|op, q, k, v, masks| {
            let range = Domain::Range(-2.0, 2.0);
            let (d, e) = (q.dims().to_vec(), v.dims().to_vec());
            let out = match (&d[..], &e[..]) {
                (&[b, h, n, _], &[.., w]) => vec![b, h, n, w],
                _ => d,
            };
            let mut ins = vec![Spec::new(out.clone(), range), Spec::new(out, range)];
            ins.extend([Spec::new(q, range), Spec::new(k, range)]);
            ins.extend(masks);
            (Op::AttentionStats(AttentionStats(op)), ins)
        });
        // It does not read values.
        all.retain(|s| s.error != Some("as many values as keys"));
        all.iter_mut().for_each(|s| s.grad = false);
        all
    }
}
