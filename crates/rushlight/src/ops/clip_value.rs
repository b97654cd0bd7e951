//! Limits the elements of a gradient, in place.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Clipping of gradients by value: `grad = minimum(maximum(grad, min), max)`. NaN stays NaN, and a bound that is NaN makes every
/// element NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClipValue {
    /// The least value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl OpDef for ClipValue {
    fn name(&self) -> &'static str {
        "clip_value"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("grad", sets::FLOAT)] }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes a tensor in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("min", Kind::Float, Allowed::Any, "The least value."),
                AttributeSpec::new("max", Kind::Float, Allowed::Any, "The largest value."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.min), Value::Float(self.max)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Rounded
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::None("it changes a tensor in place; tests/python compares clip_grad_value_ with PyTorch")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let sample = |min, max, shape: &[usize]| {
            let specs = vec![Spec::new(shape, Domain::Range(-2.0, 2.0))];
            Sample::new(Op::ClipValue(Self { min, max }), specs).no_grad()
        };
        let mut all: Vec<Sample> =
            [&[2usize, 3][..], &[], &[0, 4], &[3, 1365]].map(|shape| sample(-0.5, 0.75, shape)).into();
        // 0.1 is not a number of any dtype. A lower bound above the upper one gives the upper one.
        all.push(sample(-0.1, f64::INFINITY, &[2, 5]));
        all.push(sample(1.0, -1.0, &[2, 5]));
        all.push(sample(f64::NAN, 1.0, &[5]));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[TensorArgument::new("grad", "Gradient to limit.")];
        vec![
            signature!(
                AsGiven,
                "Limits the elements of a gradient to an interval, in place.",
                [
                    ">>> g = rl.tensor([-3.0, 0.5])",
                    ">>> rl.clip_value(g, -1.0, 1.0)",
                    ">>> g",
                    "tensor([-1.0000,  0.5000], dtype=float32, device='cpu')",
                ],
                (min: Float, max: Float) => Op::ClipValue(Self { min, max })
            )
            .calling(TENSORS, |op, tensors| {
                let [grad] = given(&op, tensors)?;
                let grad = grad.detach();
                Tensor::run_inplace(op, &[&grad], &[])?;
                Ok(grad)
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Limits the elements of this gradient (a FLOAT dtype) to `min..=max`, in place. NaN stays NaN.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let g = Tensor::new(&[-3f32, 0.5], &Device::Cpu)?;
    /// g.clip_value(-1.0, 1.0)?;
    /// assert_eq!(g.to_vec1::<f32>()?, [-1.0, 0.5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The dtype is not a float, or the tensor is recorded by autograd.
    pub fn clip_value(&self, min: f64, max: f64) -> Result<()> {
        Self::run_inplace(Op::ClipValue(ClipValue { min, max }), &[self], &[])
    }
}
