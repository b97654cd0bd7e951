//! The gradients of layer_norm, rms_norm and group_norm with respect to weight and bias.
use super::norm::{self, Norm, NormKind, stacked, wide};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::reduce::ReduceOp;
use crate::{Error, Result, Tensor};

/// The sums of `grad * y` over the elements that share a weight, with `y` the normalized elements before weight and bias;
/// where `biased`, also the sums of `grad`, as a second row. Neither weight nor bias is an input. The result is not rounded to
/// the dtype of the input: it is F64 for F64, else F32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormWeightGrad(pub Norm);

impl NormWeightGrad {
    /// The op by ops that have gradients.
    fn composed(&self, g: &Tensor, x: &Tensor) -> Result<Tensor> {
        let y = self.0.composed(x)?.y.reshape(x.shape())?;
        let g = g.to_dtype(y.dtype())?;
        let axes = self.0.shares_weights(x.rank());
        let row = |t: Tensor| t.reduce(ReduceOp::Sum, axes, false, t.dtype())?.unsqueeze(0);
        let first = row((&g * y)?)?;
        if self.0.biased { Tensor::cat(&[first, row(g)?], 0) } else { Ok(first) }
    }
}

impl OpDef for NormWeightGrad {
    fn name(&self) -> &'static str {
        match self.0.kind {
            NormKind::Layer => "layer_norm_weight_grad",
            NormKind::Rms => "rms_norm_weight_grad",
            NormKind::Group => "group_norm_weight_grad",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("grad", sets::FLOAT), Input::same("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].shape != ins[1].shape {
            return Err(Error::shapes(&ins[0].shape, &ins[1].shape, self.name()));
        }
        let weight = self.0.weight_shape(self.name(), &ins[1].shape)?;
        Ok(Meta::new(stacked(1 + usize::from(self.0.biased), &weight), wide(ins[0].dtype)))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| self.composed(&ins[0], &ins[1]))
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("one row or two of the shape of the weight")
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
        let mut all = norm::samples(|n, x, _| {
            let ins =
                vec![Spec::new(x.clone(), Domain::Range(-2.0, 2.0)), Spec::new(x, Domain::Range(-3.0, 3.0))];
            (Op::NormWeightGrad(NormWeightGrad(n)), ins)
        });
        all.iter_mut().for_each(|s| s.grad = false);
        let n = Norm { kind: NormKind::Layer, size: 1, eps: 1e-5, weighted: true, biased: true };
        let x = |shape: &[usize]| Spec::new(shape, Domain::Range(-3.0, 3.0));
        let op = Op::NormWeightGrad(NormWeightGrad(n));
        all.push(Sample::bad(op, vec![x(&[2, 3]), x(&[3, 2])], "shape mismatch in"));
        all
    }
}
