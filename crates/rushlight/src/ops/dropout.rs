//! Dropout.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `x * m`, where `m` is 0 with probability `p`, else `1 / (1 - p)` (inverted dropout, Srivastava et al.
/// 2014). Element i is kept where the draw `bernoulli(1 - p)` with the same key is 1. The gradient therefore drops the
/// same elements without a stored mask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dropout {
    /// Probability of dropping an element.
    pub p: f64,
    /// Key of the draw: (seed, index of the draw).
    pub key: (u64, u64),
}

pub(super) const ATTRIBUTES: &[AttributeSpec] = &[
    AttributeSpec::new("p", Kind::Float, Allowed::Probability, "Probability of dropping an element."),
    attribute::KEY,
];

impl OpDef for Dropout {
    fn name(&self) -> &'static str {
        "dropout"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::Dropout(*self), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        ATTRIBUTES
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.p), Value::Key(self.key.0, self.key.1)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Drawn
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::None("its numbers are those of rushlight's own generator")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-2.0, 2.0))];
        let op = |p| Op::Dropout(Dropout { p, key: (42, 7) });
        let mut all = Vec::new();
        for p in [0.0, 0.4, 1.0] {
            for shape in [&[3usize, 5][..], &[], &[0, 4]] {
                all.push(Sample::new(op(p), x(shape)));
            }
        }
        for p in [-0.1, 1.1, f64::NAN] {
            all.push(Sample::bad(op(p), x(&[3]), "between 0 and 1"));
        }
        all
    }
}

pub(super) fn check(p: f64) -> Result<()> {
    if (0.0..=1.0).contains(&p) {
        return Ok(());
    }
    Err(Error::invalid("dropout", format!("a probability is between 0 and 1, got {p}")))
}

impl Tensor {
    /// In training, sets elements to 0 with probability `p` and divides the others by `1 - p`. Otherwise returns the
    /// tensor itself. FLOAT dtypes.
    pub fn dropout(&self, p: f64, train: bool) -> Result<Self> {
        check(p)?;
        if !train || p == 0.0 {
            return Ok(self.clone());
        }
        Tensor::run(Op::Dropout(Dropout { p, key: self.device().next_draw() }), &[self])
    }
}
