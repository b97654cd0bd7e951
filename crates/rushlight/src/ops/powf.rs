//! A tensor to a constant power.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `x` to the power of a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Powf(pub f64);

impl OpDef for Powf {
    fn name(&self) -> &'static str {
        "powf"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if self.0 == 0.0 {
            return grads![c.grad().constant_like(0.0)?];
        }
        grads![(c.grad() * c.input(0)?.powf(self.0 - 1.0)?.affine(self.0, 0.0)?)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("exponent", Kind::Float, Allowed::Any, "Exponent.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.0)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::ulps(16.0)
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::EXPRESSION
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for e in [2.0, 0.5, -1.5, 0.0, 3.0] {
            for shape in [&[2usize, 3][..], &[0, 4]] {
                all.push(Sample::new(Op::Powf(Powf(e)), vec![Spec::new(shape, Domain::Range(0.3, 2.0))]));
            }
        }
        all
    }
}

impl Tensor {
    /// Raises each element to the power `e`; NaN for a negative element and an `e` that is not an integer, unless they are
    /// complex. FLOAT and COMPLEX dtypes.
    pub fn powf(&self, e: f64) -> Result<Self> {
        if self.dtype().is_complex() {
            return self.complex_powf(e);
        }
        Tensor::run(Op::Powf(Powf(e)), &[self])
    }
}
