//! The gradient of softmax and log_softmax, from their output.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// With the output `y` and its gradient `g`, computes `y (g - sum(g y))` for softmax, or `g - e^y sum(g)` for
/// log_softmax, along a dimension. Sums follow the reduction tree; f16 and bf16 compute in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SoftmaxBackward {
    /// The dimension.
    pub dim: usize,
    /// Whether the forward op is log_softmax.
    pub log: bool,
}

impl OpDef for SoftmaxBackward {
    fn name(&self) -> &'static str {
        if self.log { "log_softmax_backward" } else { "softmax_backward" }
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("grad", sets::FLOAT), Input::same("y", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (h, g, y) = (c.grad(), c.input(0)?, c.input(1)?);
        let total = |t: &Tensor| t.sum_keepdim(self.dim)?.broadcast_as(t.shape().clone());
        if self.log {
            let p = y.exp()?;
            return grads![
                c.when(0, || h - total(&(h * &p)?)?)?,
                c.when(1, || ((h * &p)? * total(&g)?)?.neg())?
            ];
        }
        grads![
            c.when(0, || Tensor::run(Op::SoftmaxBackward(*self), &[h, &y]))?,
            c.when(1, || (h * (&g - total(&(&g * &y)?)?)?)? - (&g * total(&(h * &y)?)?)?)?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Along { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::dim("Dimension of the softmax.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim)]
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
        let mut all = Vec::new();
        for log in [false, true] {
            let op = |dim| Op::SoftmaxBackward(SoftmaxBackward { dim, log });
            let (g, y) = (Domain::Range(-2.0, 2.0), Domain::Range(0.1, 0.9));
            let make = |a: &[usize], b: &[usize]| vec![Spec::new(a, g), Spec::new(b, y)];
            for (shape, dim) in
                [(&[5usize][..], 0), (&[2, 3], 0), (&[2, 3, 4], 1), (&[2, 0], 1), (&[2, 9000], 1)]
            {
                all.push(Sample::new(op(dim), make(shape, shape)).no_grad());
            }
            all.push(Sample::bad(op(0), make(&[2, 3], &[3, 2]), "shape mismatch in"));
            all.push(Sample::bad(op(2), make(&[2, 3], &[2, 3]), "out of range"));
        }
        all
    }
}
