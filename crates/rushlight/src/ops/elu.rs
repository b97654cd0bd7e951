//! Exponential linear unit.
use super::activation_backward::Slope;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Returns `x` where it is positive, else `alpha (e^x - 1)` (Clevert et al. 2015). The field is `alpha`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Elu(pub f64);

impl OpDef for Elu {
    fn name(&self) -> &'static str {
        "elu"
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
        grads![Slope::Elu.gradient([self.0, 0.0], &c.input(0)?, c.grad())?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new("alpha", Kind::Float, Allowed::Any, "Factor of the exponential part.")
                .or(Value::Float(1.0))]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.0)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::ulps(4.0)
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
        for alpha in [1.0, 2.0] {
            for shape in [&[2usize, 3][..], &[0, 4]] {
                let x = Spec::new(shape, Domain::Away(-3.0, 3.0, 0.5));
                all.push(Sample::new(Op::Elu(Elu(alpha)), vec![x]));
            }
        }
        // An infinite alpha shows which branch computes x = 0: since 0 is not positive, the result is infinity * 0,
        // NaN.
        let x = Spec::new([2, 3], Domain::Away(-3.0, 3.0, 0.5));
        all.push(Sample::new(Op::Elu(Elu(f64::INFINITY)), vec![x]).no_grad());
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![signature!(
            Promoted,
            "Computes ELU: ``x`` where it is positive, else ``alpha * (exp(x) - 1)``.",
            [">>> rl.elu(rl.tensor([-1.0, 2.0]))", "tensor([-0.6321,  2.0000], dtype=float32, device='cpu')"],
            (alpha: Float = 1.0) => Op::Elu(Elu(alpha))
        )]
    }
}

impl Tensor {
    /// Returns `x` where it is positive, else `alpha (e^x - 1)`. FLOAT dtypes.
    pub fn elu(&self, alpha: f64) -> Result<Self> {
        Tensor::run(Op::Elu(Elu(alpha)), &[self])
    }
}
