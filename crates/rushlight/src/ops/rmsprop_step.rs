//! One step of RMSprop, in place.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// `param` and its state from `grad`, as PyTorch's `RMSprop` (Hinton 2012; centered: Graves 2013). The numbers are rounded
/// once from f64 to the type computed in (f64 for F64, else f32), then, each operation rounded:
///
/// ```text
/// g = -grad                                             maximize; else g = grad
/// g = g + weight_decay * param                          weight_decay != 0
/// s = s * alpha + (w * g) * g                           w = 1 - alpha
/// mean = mean + w * (g - mean)                          centered and w < 0.5
/// mean = g - (g - mean) * alpha                         centered and w >= 0.5
/// d = sqrt(s - mean * mean) + eps                       centered
/// d = sqrt(s) + eps                                     else
/// param = param + (-lr * g) / d                         momentum == 0
/// buf = buf * momentum + g / d; param = param - lr * buf     else
/// ```
///
/// f16 and bf16 tensors are rounded to their dtype when they are stored, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RmspropStep {
    /// Learning rate.
    pub lr: f64,
    /// Share of the old mean of squares that is kept.
    pub alpha: f64,
    /// Added to the root.
    pub eps: f64,
    /// Factor of the parameter that is added to the gradient.
    pub weight_decay: f64,
    /// Share of the old momentum buffer that is kept; 0: there is no buffer.
    pub momentum: f64,
    /// The root is of a variance: the square of the mean of gradients is subtracted.
    pub centered: bool,
    /// Uphill: the gradient's sign is changed.
    pub maximize: bool,
}

impl Default for RmspropStep {
    /// PyTorch's defaults.
    fn default() -> Self {
        let (momentum, centered, maximize) = (0.0, false, false);
        Self { lr: 1e-2, alpha: 0.99, eps: 1e-8, weight_decay: 0.0, momentum, centered, maximize }
    }
}

impl OpDef for RmspropStep {
    fn name(&self) -> &'static str {
        "rmsprop_step"
    }

    fn inputs(&self) -> &'static [Input] {
        const PARAM: Input = Input::new("param", sets::FLOAT);
        const SQUARE: Input = Input::same("square_avg", sets::FLOAT);
        const MEAN: Input = Input::same("grad_avg", sets::FLOAT);
        const BUFFER: Input = Input::same("buf", sets::FLOAT);
        const GRAD: Input = Input::same("grad", sets::FLOAT);
        match (self.centered, self.momentum != 0.0) {
            (false, false) => const { &[PARAM, SQUARE, GRAD] },
            (true, false) => const { &[PARAM, SQUARE, MEAN, GRAD] },
            (false, true) => const { &[PARAM, SQUARE, BUFFER, GRAD] },
            (true, true) => const { &[PARAM, SQUARE, MEAN, BUFFER, GRAD] },
        }
    }

    fn role(&self) -> Role {
        Role::InOut(2 + usize::from(self.centered) + usize::from(self.momentum != 0.0))
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes tensors in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None, None, None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const NUMBER: Allowed = Allowed::AtLeast(0.0);
        const {
            &[
                AttributeSpec::new("lr", Kind::Float, NUMBER, "Learning rate.").or(Value::Float(1e-2)),
                AttributeSpec::new(
                    "alpha",
                    Kind::Float,
                    NUMBER,
                    "Share of the old mean of squares that is kept.",
                )
                .or(Value::Float(0.99)),
                AttributeSpec::new("eps", Kind::Float, NUMBER, "Added to the root.").or(Value::Float(1e-8)),
                AttributeSpec::new("weight_decay", Kind::Float, NUMBER, "Weight decay.")
                    .or(Value::Float(0.0)),
                AttributeSpec::new("momentum", Kind::Float, NUMBER, "Share of the old buffer that is kept.")
                    .or(Value::Float(0.0)),
                AttributeSpec::flag("centered", "Whether the root is of a variance."),
                AttributeSpec::flag("maximize", "Whether the step goes uphill."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.lr),
            Value::Float(self.alpha),
            Value::Float(self.eps),
            Value::Float(self.weight_decay),
            Value::Float(self.momentum),
            Value::Bool(self.centered),
            Value::Bool(self.maximize),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
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
        Reference::None("it changes tensors in place; tests/python compares the optimizers with PyTorch")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let make = |c: &Self, shape: &[usize]| {
            let mut v = vec![Spec::new(shape, Domain::Range(-1.0, 1.0)); c.inputs().len()];
            // Above the square of any mean of gradients.
            v[1].domain = Domain::Range(1.5, 3.0);
            v
        };
        let plain = Self::default();
        let mut all = Vec::new();
        for c in [
            plain,
            Self { centered: true, weight_decay: 0.1, ..plain },
            Self { momentum: 0.5, alpha: 0.25, ..plain },
            Self { momentum: 0.5, centered: true, alpha: 0.25, maximize: true, ..plain },
        ] {
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::RmspropStep(c), make(&c, shape)).no_grad());
            }
        }
        let mut wrong = make(&plain, &[2, 3]);
        wrong[2].shape = (3, 2).into();
        all.push(Sample::bad(Op::RmspropStep(plain), wrong, "shape mismatch in rmsprop_step"));
        for c in [Self { alpha: -1.0, ..plain }, Self { eps: f64::NAN, ..plain }] {
            all.push(Sample::bad(Op::RmspropStep(c), make(&c, &[2]), "must be a number of at least 0"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("param", "Parameter to update."),
            TensorArgument::new("grad", "Its gradient."),
            TensorArgument::new("square_avg", "Running mean of squared gradients, which is updated too."),
            TensorArgument::optional(
                "grad_avg",
                "Running mean of gradients, which is updated too; needed if `centered`.",
            ),
            TensorArgument::optional(
                "buffer",
                "Momentum buffer, which is updated too; needed if ``momentum`` is not 0.",
            ),
        ];
        vec![
            signature!(
                AsGiven,
                "Performs one step of RMSprop, in place.",
                [
                    ">>> w, s = rl.tensor([1.0]), rl.zeros(1)",
                    ">>> numbers = dict(lr=0.5, alpha=0.75, eps=0.0, weight_decay=0.0, momentum=0.0)",
                    ">>> rl.rmsprop_step(w, rl.tensor([2.0]), s, None, None, centered=False, **numbers)",
                    ">>> w, s",
                    "(tensor([0.], dtype=float32, device='cpu'), tensor([1.], dtype=float32, device='cpu'))",
                ],
                (
                    lr: Float, alpha: Float, eps: Float, weight_decay: Float, momentum: Float, centered: Bool,
                    maximize: Bool = false,
                ) => Op::RmspropStep(Self { lr, alpha, eps, weight_decay, momentum, centered, maximize })
            )
            .calling(TENSORS, |op, tensors| {
                let (Op::RmspropStep(step), &[Some(param), Some(grad), Some(square), mean, buffer]) =
                    (&op, tensors)
                else {
                    return Err(Error::invalid(
                        "rmsprop_step",
                        "needs a parameter, a gradient and a mean of squares",
                    ));
                };
                let param = param.detach();
                param.rmsprop_step(square, mean, buffer, grad, *step)?;
                Ok(param)
            })
            .keyword_only()
            .without_method(),
        ]
    }
}

impl Tensor {
    /// One step of RMSprop on this parameter, in place; `square` holds the mean of squares, `mean` that of gradients
    /// (`centered`), `buf` the momentum (not 0); they are zeros at first and are changed too. FLOAT dtypes, the same for
    /// all. A variable is changed under [`crate::autograd::no_grad`] only.
    ///
    /// ```
    /// use rushlight::{ops::rmsprop_step::RmspropStep, Device, Tensor};
    /// let (p, g) = (Tensor::new(&[1f32], &Device::Cpu)?, Tensor::new(&[2f32], &Device::Cpu)?);
    /// let s = p.zeros_like()?;
    /// let step = RmspropStep { lr: 0.5, alpha: 0.75, eps: 0.0, ..RmspropStep::default() };
    /// p.rmsprop_step(&s, None, None, &g, step)?;
    /// assert_eq!((p.to_vec1::<f32>()?, s.to_vec1::<f32>()?), (vec![0.], vec![1.]));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number is out of range, a state that the step needs is missing, or shapes, dtypes or devices differ.
    pub fn rmsprop_step(
        &self,
        square: &Self,
        mean: Option<&Self>,
        buf: Option<&Self>,
        grad: &Self,
        step: RmspropStep,
    ) -> Result<()> {
        let name = step.name();
        let op = Op::RmspropStep(step);
        match (step.centered, mean, step.momentum != 0.0, buf) {
            (false, _, false, _) => Self::run_inplace(op, &[self, square], &[grad]),
            (true, Some(mean), false, _) => Self::run_inplace(op, &[self, square, mean], &[grad]),
            (false, _, true, Some(buf)) => Self::run_inplace(op, &[self, square, buf], &[grad]),
            (true, Some(mean), true, Some(buf)) => Self::run_inplace(op, &[self, square, mean, buf], &[grad]),
            (true, None, ..) => Err(Error::invalid(name, "centered needs the mean of gradients")),
            (_, _, true, None) => Err(Error::invalid(name, "momentum needs a buffer")),
        }
    }
}
