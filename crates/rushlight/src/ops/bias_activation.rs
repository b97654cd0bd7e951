//! The op bias_activation: an activation of the sum of two tensors.
use super::bias_activation_backward::{BiasActivationBackward, composed};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    chosen, given, grads, signature,
};
use crate::autograd::{self, Vjp};
use crate::dtype::sets;
use crate::{Result, Tensor};

/// An activation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// `max(z, 0)`.
    Relu,
    /// `z Phi(z)`, where Phi is the normal distribution function.
    Gelu,
    /// The tanh approximation of GELU.
    GeluTanh,
    /// `1 / (1 + e^-z)`.
    Sigmoid,
    /// `z / (1 + e^-z)`, which is also called swish.
    Silu,
    /// `tanh(z)`.
    Tanh,
}

impl Activation {
    /// Every activation.
    pub const ALL: [Self; 6] =
        [Self::Relu, Self::Gelu, Self::GeluTanh, Self::Sigmoid, Self::Silu, Self::Tanh];

    /// Name, as in Python.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relu => "relu",
            Self::Gelu => "gelu",
            Self::GeluTanh => "gelu_tanh",
            Self::Sigmoid => "sigmoid",
            Self::Silu => "silu",
            Self::Tanh => "tanh",
        }
    }
}

/// Computes `f(x + bias)`. Both inputs have one shape; a bias is broadcast to it with strides of 0. f16 and bf16
/// compute in f32, and the sum is not rounded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BiasActivation(pub Activation);

const NAMES: &[&str] = &["relu", "gelu", "gelu_tanh", "sigmoid", "silu", "tanh"];
pub(super) const ACTIVATION: AttributeSpec = AttributeSpec::new(
    "activation",
    Kind::Choice(NAMES),
    Allowed::Any,
    "The function that is applied to the sum.",
);

impl OpDef for BiasActivation {
    fn name(&self) -> &'static str {
        "bias_activation"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("bias", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, x, bias) = (c.grad(), c.input(0)?, c.input(1)?);
        let dx = gradient(self.0, g, &x, &bias)?;
        grads![dx.clone(), dx]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[ACTIVATION] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.0.as_str())]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::LOSS
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
        samples(2, |f| Op::BiasActivation(BiasActivation(f)))
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("x", "Input, of a floating-point dtype."),
            TensorArgument::new("bias", "Number that is added to each element; it is broadcast."),
        ];
        vec![
            signature!(
                AsGiven,
                "Adds a bias and applies an activation.",
                [],
                (activation: Choice(NAMES)) =>
                chosen(Activation::ALL.into_iter().find(|f| f.as_str() == activation), activation)
                    .map(|f| Op::BiasActivation(Self(f)))
            )
            .named("_bias_activation")
            .calling(TENSORS, |op, tensors| {
                let [x, bias] = given(&op, tensors)?;
                Tensor::run(op, &[x, &bias.broadcast_as(x.shape())?])
            })
            .without_method(),
        ]
    }
}

/// `g f'(x + bias)`: by one op, or, where the ops are recorded, by ops that have gradients.
pub(super) fn gradient(f: Activation, g: &Tensor, x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    if autograd::is_enabled() {
        return composed(f, g, x, bias);
    }
    Tensor::run(Op::BiasActivationBackward(BiasActivationBackward(f)), &[g, x, bias])
}

/// Returns samples of every activation with `n` inputs. The sums stay away from 0, where relu has a kink.
pub(super) fn samples(n: usize, op: impl Fn(Activation) -> Op) -> Vec<Sample> {
    let x = |shape: &[usize]| {
        let mut ins = vec![Spec::new(shape, Domain::Range(-3.0, 3.0)); n];
        // One input has values that are at least 0.02 away from multiples of 0.5; the other one is too small to move
        // the sum to 0.
        ins[n - 2].domain = Domain::Away(-3.0, 3.0, 0.5);
        ins[n - 1].domain = Domain::Range(-0.015, 0.015);
        ins
    };
    let mut all: Vec<Sample> = Activation::ALL.map(|f| Sample::new(op(f), x(&[2, 3]))).into();
    all.push(Sample::new(op(Activation::Relu), x(&[])));
    all.push(Sample::new(op(Activation::Gelu), x(&[0, 4])));
    let mut bad = x(&[2, 3]);
    bad[n - 1] = Spec::new(3, Domain::Range(-1.0, 1.0));
    all.push(Sample::bad(op(Activation::Relu), bad, "shape mismatch in"));
    all
}

impl Tensor {
    /// Computes `f(x + bias)` in one pass. `bias` is broadcast to the shape of the tensor. FLOAT dtypes; both have the
    /// same one.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::bias_activation::Activation};
    /// let x = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let y = x.bias_activation(&Tensor::new(&[-2f32, 0.5], &Device::Cpu)?, Activation::Relu)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[0., 2.5], [1., 4.5]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn bias_activation(&self, bias: &Self, f: Activation) -> Result<Self> {
        Tensor::run(Op::BiasActivation(BiasActivation(f)), &[self, &bias.broadcast_as(self.shape())?])
    }
}
