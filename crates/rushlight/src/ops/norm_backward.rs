//! The gradient of layer_norm, rms_norm and group_norm with respect to their input.
use super::norm::{self, Norm, NormKind};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// With `h = grad * weight`, `y` the normalized elements before weight and bias, and `r = 1 / sqrt(v + eps)`, along a line:
/// `((h - mean(h)) - y mean(h y)) r`; for rms_norm `(h - y mean(h y)) r`. The mean and the variance are computed again from
/// `x`, by the same steps as forward. The bias is never an input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormBackward(pub Norm);

const INPUTS: [Input; 3] =
    [Input::new("grad", sets::FLOAT), Input::same("x", sets::FLOAT), Input::same("weight", sets::FLOAT)];

impl NormBackward {
    /// The op by ops that have gradients.
    fn composed(&self, g: &Tensor, x: &Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
        let lines = self.0.composed(x)?;
        let mut h = g.to_dtype(norm::wide(x.dtype()))?;
        if let Some(w) = weight {
            h = (h * self.0.spread_weight(w, x)?)?;
        }
        let h = h.reshape(lines.y.shape())?;
        let mean = |t: &Tensor| t.mean_keepdim(1)?.broadcast_as(t.shape().clone());
        let along = (&lines.y * mean(&(&h * &lines.y)?)?)?;
        let rest = if self.0.centers() { (&h - mean(&h)?)? } else { h };
        ((rest - along)? * lines.root)?.reshape(x.shape())?.to_dtype(x.dtype())
    }
}

impl OpDef for NormBackward {
    fn name(&self) -> &'static str {
        match self.0.kind {
            NormKind::Layer => "layer_norm_backward",
            NormKind::Rms => "rms_norm_backward",
            NormKind::Group => "group_norm_backward",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &INPUTS } else { const { INPUTS.split_at(2).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].shape != ins[1].shape {
            return Err(Error::shapes(&ins[0].shape, &ins[1].shape, self.name()));
        }
        self.0.check(self.name(), &ins[1].shape, &ins[2..])?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.0.weighted { 7 } else { 3 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| self.composed(&ins[0], &ins[1], ins.get(2)))
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(1)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        self.0.specs()
    }

    fn values(&self) -> Vec<Value> {
        self.0.all_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Accumulated
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
        let mut all = norm::samples(|n, x, w| {
            // In lines of one or two elements terms cancel up to the share of eps in the variance.
            let n = Norm { biased: false, eps: 0.25, ..n };
            let (g, domain) = (Domain::Range(-2.0, 2.0), Domain::Range(-3.0, 3.0));
            let mut ins = vec![Spec::new(x.clone(), g), Spec::new(x, domain)];
            ins.extend(n.weighted.then(|| Spec::new(w, g)));
            (Op::NormBackward(NormBackward(n)), ins)
        });
        all.iter_mut().for_each(|s| s.grad = false);
        // The gradient of a line of equal elements is 0, and of a vector that is broadcast this is everything: nothing is left
        // that a rounding error could be measured by.
        all.retain(|s| s.error.is_some() || s.inputs[0].shape.rank() > 1);
        let n = Norm { kind: NormKind::Layer, size: 1, eps: 1e-5, weighted: false, biased: false };
        let x = |shape: &[usize]| Spec::new(shape, Domain::Range(-3.0, 3.0));
        let op = Op::NormBackward(NormBackward(n));
        all.push(Sample::bad(op, vec![x(&[2, 3]), x(&[3, 2])], "shape mismatch in"));
        all
    }
}
