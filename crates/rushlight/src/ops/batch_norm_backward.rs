//! The gradient of batch_norm with respect to its input, in training.
use super::batch_norm::{MEAN, WIDE, check, normalized, per_channel, wides};
use super::batch_norm_stats::SHAPES;
use super::norm::{EPS, WEIGHTED};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape};

/// With `r = 1 / sqrt(var + eps)`, `y = (x - mean) r`, `s1` and `s2` the sums of `grad * y` and of `grad` over the `n` elements
/// of a channel, which are input `sums`: `((grad - s2 / n) - y (s1 / n)) (r weight)`. Mean and variance are those of `x`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchNormBackward {
    /// Added to the variance.
    pub eps: f64,
    /// A weight is a further input.
    pub weighted: bool,
}

const INPUTS: [Input; 6] = [
    Input::new("grad", sets::FLOAT),
    Input::same("x", sets::FLOAT),
    MEAN,
    Input { name: "var", dtypes: WIDE, same_as: Some(2) },
    Input { name: "sums", dtypes: WIDE, same_as: Some(2) },
    Input::same("weight", sets::FLOAT),
];

impl OpDef for BatchNormBackward {
    fn name(&self) -> &'static str {
        "batch_norm_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.weighted { &INPUTS } else { const { INPUTS.split_at(5).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].shape != ins[1].shape {
            return Err(Error::shapes(&ins[0].shape, &ins[1].shape, self.name()));
        }
        check(self.name(), &ins[1], &ins[2..4], &ins[5..])?;
        let expected = Shape::from((2, ins[1].shape.dims()[1]));
        if ins[4].shape != expected {
            let msg = format!("{}: there are two sums for each channel", self.name());
            return Err(Error::UnexpectedShape { msg, expected, got: ins[4].shape.clone() }.bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.weighted { 63 } else { 31 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| {
            let (y, root) = normalized(&ins[1], &ins[2], &ins[3], self.eps)?;
            let x = &ins[1];
            let n = x.elem_count() / x.dims()[1].max(1);
            let mean =
                |i| per_channel(&ins[4].narrow(0, i, 1)?.squeeze(0)?.affine(1.0 / n.max(1) as f64, 0.0)?, x);
            let centered = (ins[0].to_dtype(y.dtype())? - mean(1)?)?;
            let mut factor = root;
            if let Some(w) = ins.get(5) {
                factor = (factor * per_channel(&w.to_dtype(y.dtype())?, x)?)?;
            }
            ((centered - (y * mean(0)?)?)? * factor)?.to_dtype(x.dtype())
        })
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(1)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[EPS, WEIGHTED] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.eps), Value::Bool(self.weighted)]
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
        let make = |weighted: bool, shape: &[usize], other: &[usize], c: usize| {
            let mut ins =
                vec![Spec::new(shape, Domain::Range(-2.0, 2.0)), Spec::new(other, Domain::Range(-3.0, 3.0))];
            ins.extend(wides(c));
            let fill = Fill::Wide;
            ins.push(Spec { shape: (2, c).into(), domain: Domain::Range(-3.0, 3.0), fill });
            ins.extend(weighted.then(|| Spec::new(c, Domain::Range(-2.0, 2.0))));
            (Op::BatchNormBackward(BatchNormBackward { eps: 1e-5, weighted }), ins)
        };
        let mut all = Vec::new();
        for &shape in SHAPES {
            let (op, ins) = make(true, shape, shape, shape[1]);
            all.push(Sample::new(op, ins).no_grad());
        }
        let (op, ins) = make(false, &[2, 3, 4], &[2, 3, 4], 3);
        all.push(Sample::new(op, ins).no_grad());
        let mut bad = |shape: &[usize], other: &[usize], c, words| {
            let (op, ins) = make(false, shape, other, c);
            all.push(Sample::bad(op, ins, words));
        };
        bad(&[2, 3], &[3, 2], 2, "shape mismatch in");
        bad(&[2, 3], &[2, 3], 2, "one number for each channel");
        let (op, mut ins) = make(true, &[2, 3], &[2, 3], 3);
        if let Some(sums) = ins.get_mut(4) {
            sums.shape = (3, 2).into();
        }
        all.push(Sample::bad(op, ins, "two sums for each channel"));
        all
    }
}
