//! Softmax and its logarithm along a dimension.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::softmax_backward::SoftmaxBackward;
use crate::{Dim, Result, Tensor};

/// Computes `e^(x - m) / s`, or its logarithm `(x - m) - ln(s)`, along a dimension. `m` is the largest element and `s`
/// is the sum of `e^(x - m)`, by the reduction tree. f16 and bf16 compute in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Softmax {
    /// The dimension.
    pub dim: usize,
    /// Whether to return the logarithm.
    pub log: bool,
}

impl OpDef for Softmax {
    fn name(&self) -> &'static str {
        if self.log { "log_softmax" } else { "softmax" }
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let back = SoftmaxBackward { dim: self.dim, log: self.log };
        grads![Tensor::run(Op::SoftmaxBackward(back), &[c.grad(), &c.output()?])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Along { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::dim("Dimension along which the results add up to 1.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        if self.log { Accuracy::LOSS } else { Accuracy::SOFTMAX }
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
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for log in [false, true] {
            let op = |dim| Op::Softmax(Softmax { dim, log });
            let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-3.0, 3.0))];
            for (shape, dim) in [
                (&[5usize][..], 0),
                (&[3, 1], 1),
                (&[2, 3], 0),
                (&[2, 3], 1),
                (&[2, 3, 4], 1),
                (&[0, 4], 1),
                (&[3, 0], 1),
            ] {
                all.push(Sample::new(op(dim), x(shape)));
            }
            let large = vec![Spec::new([3, 4], Domain::Range(-2e4, 2e4))];
            all.push(Sample::new(op(1), large).no_grad());
            // Longer than the lines that a GPU's block of 256 threads keeps.
            all.push(Sample::new(op(1), x(&[2, 9000])).no_grad());
            all.push(Sample::bad(op(2), x(&[2, 3]), "out of range"));
            all.push(Sample::bad(op(0), x(&[]), "out of range"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Computes the softmax, ``exp(x) / sum(exp(x))``, along an axis.",
                [
                    ">>> rl.softmax(rl.tensor([1.0, 2.0, 3.0]), dim=0)",
                    "tensor([0.0900, 0.2447, 0.6652], dtype=float32, device='cpu')",
                ],
                (dim: Axis) => Op::Softmax(Softmax { dim, log: false })
            ),
            signature!(
                AsGiven,
                "Computes the logarithm of the softmax along an axis, accurate where the softmax underflows.",
                [
                    ">>> rl.log_softmax(rl.tensor([1.0, 2.0, 3.0]), dim=0)",
                    "tensor([-2.4076, -1.4076, -0.4076], dtype=float32, device='cpu')",
                ],
                (dim: Axis) => Op::Softmax(Softmax { dim, log: true })
            ),
        ]
    }
}

impl Tensor {
    /// Computes `e^x / sum(e^x)` along a dimension. Stable for large elements. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, D, Tensor};
    /// let x = Tensor::new(&[[0f32, 0.], [1000., 1000.]], &Device::Cpu)?;
    /// assert_eq!(x.softmax(D::Minus1)?.to_vec2::<f32>()?, [[0.5, 0.5], [0.5, 0.5]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn softmax<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "softmax")?;
        Tensor::run(Op::Softmax(Softmax { dim, log: false }), &[self])
    }

    /// Computes the logarithm of [`Tensor::softmax`], more accurately than in two steps. FLOAT dtypes.
    pub fn log_softmax<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "log_softmax")?;
        Tensor::run(Op::Softmax(Softmax { dim, log: true }), &[self])
    }
}
