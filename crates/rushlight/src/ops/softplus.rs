//! The op softplus, a smooth approximation of `max(x, 0)`.
use super::activation_backward::Slope;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `ln(1 + e^(beta x)) / beta` (Dugas et al. 2000), or `x` where `beta x > threshold`, as in PyTorch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Softplus {
    /// Sharpness of the bend at 0.
    pub beta: f64,
    /// The value of `beta x` above which the result is `x`.
    pub threshold: f64,
}

impl OpDef for Softplus {
    fn name(&self) -> &'static str {
        "softplus"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("beta", Kind::Float, Allowed::Any, "Sharpness of the bend at 0.")
                    .or(Value::Float(1.0)),
                AttributeSpec::new(
                    "threshold",
                    Kind::Float,
                    Allowed::Any,
                    "The value of ``beta * x`` above which the result is ``x``.",
                )
                .or(Value::Float(20.0)),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.beta), Value::Float(self.threshold)]
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Slope::Softplus.gradient([self.beta, self.threshold], &c.input(0)?, c.grad())?]
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
        Reference::EXPRESSION
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let sample = |beta, threshold, shape: &[usize], domain| {
            Sample::new(Op::Softplus(Softplus { beta, threshold }), vec![Spec::new(shape, domain)])
        };
        // Values on both sides of the threshold, but not at it, where the result jumps. (Every dtype represents these
        // numbers.)
        vec![
            sample(1.0, 20.0, &[2, 3], Domain::Range(-3.0, 3.0)),
            sample(1.0, 20.0, &[3, 8], Domain::Away(-60.0, 60.0, 20.0)),
            sample(2.0, 1.0, &[2, 3], Domain::Away(-3.0, 3.0, 0.5)),
            sample(0.5, f64::INFINITY, &[2, 3], Domain::Range(-3.0, 3.0)),
            sample(-1.0, 20.0, &[2, 3], Domain::Range(-3.0, 3.0)),
            sample(1.0, 20.0, &[], Domain::Range(-3.0, 3.0)),
            sample(1.0, 20.0, &[0, 4], Domain::Range(-3.0, 3.0)),
        ]
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![signature!(
            Promoted,
            "Computes softplus: ``log(1 + exp(beta * x)) / beta``, and ``x`` where ``beta * x`` is above `threshold`.",
            [">>> rl.softplus(rl.tensor([-1.0, 2.0]))", "tensor([0.3133, 2.1269], dtype=float32, device='cpu')"],
            (beta: Float = 1.0, threshold: Float = 20.0) => Op::Softplus(Softplus { beta, threshold })
        )]
    }
}

impl Tensor {
    /// Computes `ln(1 + e^(beta x)) / beta`, or `x` where `beta x > threshold`. FLOAT dtypes.
    pub fn softplus(&self, beta: f64, threshold: f64) -> Result<Self> {
        Tensor::run(Op::Softplus(Softplus { beta, threshold }), &[self])
    }
}
