//! The op affine: `x * mul + add` with two numbers.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `x * mul + add`. Integers are exact (wrapping) if both numbers are integers; otherwise they are computed in
/// f64 and truncated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Factor.
    pub mul: f64,
    /// Summand.
    pub add: f64,
}

impl OpDef for Affine {
    fn name(&self) -> &'static str {
        "affine"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMBER)] }
    }

    #[inline(always)]
    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![c.grad().affine(self.mul, 0.0)?]
    }

    #[inline(always)]
    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("mul", Kind::Float, Allowed::Any, "Factor."),
                AttributeSpec::new("add", Kind::Float, Allowed::Any, "Summand."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.mul), Value::Float(self.add)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for (mul, add) in [(2.0, 3.0), (-1.0, 0.0), (0.5, -0.25)] {
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                let x = Spec::new(shape, Domain::Range(-3.0, 3.0));
                all.push(Sample::new(Op::Affine(Affine { mul, add }), vec![x]));
            }
        }
        all
    }
}

impl Tensor {
    /// Returns `self * mul + add`. NUMBER dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[0f32, 1., 2.], &Device::Cpu)?.affine(4., -2.)?;
    /// assert_eq!(t.to_vec1::<f32>()?, [-2., 2., 6.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn affine(&self, mul: f64, add: f64) -> Result<Self> {
        Tensor::run(Op::Affine(Affine { mul, add }), &[self])
    }
}
