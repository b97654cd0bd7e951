//! The gradients of batch_norm with respect to weight and bias.
use super::batch_norm::{MEAN, WIDE, check, normalized, wides};
use super::batch_norm_stats::SHAPES;
use super::norm::{EPS, wide};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::reduce::ReduceOp;
use crate::{Error, Result, Tensor};

/// For each channel the sum of `grad * y`, with `y = (x - mean) / sqrt(var + eps)`, and as a second row that of `grad`. The
/// result has the dtype of `mean`: it is not rounded to that of the input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNormWeightGrad {
    /// Added to the variance.
    pub eps: f64,
}

const INPUTS: [Input; 4] = [
    Input::new("grad", sets::FLOAT),
    Input::same("x", sets::FLOAT),
    MEAN,
    Input { name: "var", dtypes: WIDE, same_as: Some(2) },
];

impl OpDef for BatchNormWeightGrad {
    fn name(&self) -> &'static str {
        "batch_norm_weight_grad"
    }

    fn inputs(&self) -> &'static [Input] {
        &INPUTS
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].shape != ins[1].shape {
            return Err(Error::shapes(&ins[0].shape, &ins[1].shape, self.name()));
        }
        check(self.name(), &ins[1], &ins[2..], &[])?;
        Ok(Meta::new((2, ins[1].shape.dims()[1]).into(), wide(ins[0].dtype)))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(15)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| {
            let (y, _) = normalized(&ins[1], &ins[2], &ins[3], self.eps)?;
            let g = ins[0].to_dtype(y.dtype())?;
            let axes = ((1 << y.rank()) - 1) & !2;
            let row = |t: Tensor| t.reduce(ReduceOp::Sum, axes, false, t.dtype())?.unsqueeze(0);
            Tensor::cat(&[row((&g * y)?)?, row(g)?], 0)
        })
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[2, C] of an input of shape [N, C, ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[EPS] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.eps)]
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
        let make = |shape: &[usize], other: &[usize], c: usize| {
            let mut ins =
                vec![Spec::new(shape, Domain::Range(-2.0, 2.0)), Spec::new(other, Domain::Range(-3.0, 3.0))];
            ins.extend(wides(c));
            (Op::BatchNormWeightGrad(BatchNormWeightGrad { eps: 1e-5 }), ins)
        };
        let mut all = Vec::new();
        for &shape in SHAPES {
            let (op, ins) = make(shape, shape, shape[1]);
            all.push(Sample::new(op, ins).no_grad());
        }
        let mut bad = |shape: &[usize], other: &[usize], c, words| {
            let (op, ins) = make(shape, other, c);
            all.push(Sample::bad(op, ins, words));
        };
        bad(&[2, 3], &[3, 2], 2, "shape mismatch in");
        bad(&[2, 3], &[2, 3], 2, "one number for each channel");
        bad(&[3], &[3], 3, "of shape (N, C, ..)");
        all
    }
}
