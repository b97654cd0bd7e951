//! One step of Adam or AdamW, in place.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// `param`, `m` and `v` from `grad`, as PyTorch's `Adam` and `AdamW` with `amsgrad=False` (Kingma and Ba
/// 2015; Loshchilov and Hutter 2019). The numbers of [`AdamStep::constants`] are computed in f64 and rounded once to
/// the type computed in (f64 for F64, else f32), then, each operation rounded:
///
/// ```text
/// grad = -grad                                 maximize
/// param = param * keep                         decoupled and weight_decay != 0; keep = 1 - lr weight_decay
/// g = grad + weight_decay * param              not decoupled and weight_decay != 0; else g = grad
/// m = m + w1 * (g - m)                         w1 = 1 - beta1 < 0.5
/// m = g - (g - m) * beta1                      else
/// v = v * beta2 + (w2 * g) * g                 w2 = 1 - beta2
/// d = sqrt(v) / root + eps                     root = sqrt(1 - beta2^step)
/// param = param + (rate * m) / d               rate = -lr / (1 - beta1^step)
/// ```
///
/// f16 and bf16 tensors are rounded to their dtype when they are stored, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdamStep {
    /// Learning rate.
    pub lr: f64,
    /// Share of the old first moment that is kept.
    pub beta1: f64,
    /// Share of the old second moment that is kept.
    pub beta2: f64,
    /// Added to the root of the second moment.
    pub eps: f64,
    /// Weight decay.
    pub weight_decay: f64,
    /// AdamW: the decay acts on the parameter, not on the gradient.
    pub decoupled: bool,
    /// Number of the step, from 1.
    pub step: u64,
    /// Uphill: the gradient's sign is changed.
    pub maximize: bool,
}

/// The numbers that a step computes with, in f64.
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct AdamConstants {
    pub keep: f64,
    pub w1: f64,
    pub w2: f64,
    pub root: f64,
    pub rate: f64,
}

impl AdamStep {
    /// PyTorch's defaults of Adam, for a step.
    pub fn adam(step: u64) -> Self {
        let (beta1, beta2, decoupled, maximize) = (0.9, 0.999, false, false);
        Self { lr: 1e-3, beta1, beta2, eps: 1e-8, weight_decay: 0.0, decoupled, step, maximize }
    }

    /// PyTorch's defaults of AdamW, for a step.
    pub fn adamw(step: u64) -> Self {
        Self { weight_decay: 1e-2, decoupled: true, ..Self::adam(step) }
    }

    /// The numbers of the step.
    pub fn constants(&self) -> AdamConstants {
        let t = self.step as f64;
        AdamConstants {
            keep: 1.0 - self.lr * self.weight_decay,
            w1: 1.0 - self.beta1,
            w2: 1.0 - self.beta2,
            root: (1.0 - libm::pow(self.beta2, t)).sqrt(),
            rate: -self.lr / (1.0 - libm::pow(self.beta1, t)),
        }
    }
}

impl OpDef for AdamStep {
    fn name(&self) -> &'static str {
        if self.decoupled { "adamw_step" } else { "adam_step" }
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("param", sets::FLOAT),
                Input::same("m", sets::FLOAT),
                Input::same("v", sets::FLOAT),
                Input::same("grad", sets::FLOAT),
            ]
        }
    }

    fn role(&self) -> Role {
        Role::InOut(3)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes tensors in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None, None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("lr", Kind::Float, Allowed::AtLeast(0.0), "Learning rate.")
                    .or(Value::Float(1e-3)),
                AttributeSpec::new(
                    "beta1",
                    Kind::Float,
                    Allowed::BelowOne,
                    "Share of the old first moment that is kept.",
                )
                .or(Value::Float(0.9)),
                AttributeSpec::new(
                    "beta2",
                    Kind::Float,
                    Allowed::BelowOne,
                    "Share of the old second moment that is kept.",
                )
                .or(Value::Float(0.999)),
                AttributeSpec::new(
                    "eps",
                    Kind::Float,
                    Allowed::AtLeast(0.0),
                    "Added to the root of the second moment.",
                )
                .or(Value::Float(1e-8)),
                AttributeSpec::new("weight_decay", Kind::Float, Allowed::AtLeast(0.0), "Weight decay.")
                    .or(Value::Float(0.0)),
                AttributeSpec::new("step", Kind::Int, Allowed::AtLeast(1.0), "Number of the step, from 1."),
                AttributeSpec::flag("maximize", "Whether the step goes uphill."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.lr),
            Value::Float(self.beta1),
            Value::Float(self.beta2),
            Value::Float(self.eps),
            Value::Float(self.weight_decay),
            Value::Int(self.step as i64),
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
        let d = Domain::Range(-2.0, 2.0);
        let make = |shape: &[usize]| {
            let mut v = vec![Spec::new(shape, d); 4];
            v[2].domain = Domain::Range(0.1, 2.0);
            v
        };
        let mut all = Vec::new();
        for c in [
            AdamStep::adam(1),
            AdamStep { beta1: 0.5, weight_decay: 0.1, ..AdamStep::adam(3) },
            AdamStep::adamw(2),
            AdamStep { lr: 0.1, beta1: 0.8, beta2: 0.95, eps: 1e-3, ..AdamStep::adamw(10) },
            AdamStep { maximize: true, ..AdamStep::adam(2) },
        ] {
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::AdamStep(c), make(shape)).no_grad());
            }
        }
        let c = AdamStep::adam(1);
        let mut wrong = make(&[2, 3]);
        wrong[3].shape = (3, 2).into();
        all.push(Sample::bad(Op::AdamStep(c), wrong, "shape mismatch in adam_step"));
        all.push(Sample::bad(
            Op::AdamStep(AdamStep { lr: f64::NAN, ..c }),
            make(&[2]),
            "lr must be a number",
        ));
        all.push(Sample::bad(Op::AdamStep(AdamStep { beta2: 1.0, ..c }), make(&[2]), "below 1"));
        all.push(Sample::bad(
            Op::AdamStep(AdamStep { step: 0, ..c }),
            make(&[2]),
            "step must be a number of at least 1",
        ));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("param", "Parameter to update."),
            TensorArgument::new("grad", "Its gradient."),
            TensorArgument::new("exp_avg", "Running mean of gradients, which is updated too."),
            TensorArgument::new("exp_avg_sq", "Running mean of squared gradients, which is updated too."),
        ];
        let stepping = |signature: PythonSignature| {
            signature
                .calling(TENSORS, |op, tensors| {
                    let [param, grad, exp_avg, exp_avg_sq] = given(&op, tensors)?;
                    let param = param.detach();
                    Tensor::run_inplace(op, &[&param, exp_avg, exp_avg_sq], &[grad])?;
                    Ok(param)
                })
                .keyword_only()
                .without_method()
        };
        vec![
            stepping(signature!(
                AsGiven,
                "Performs one step of Adam, in place; the weight decay is added to the gradient.",
                [
                    ">>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)",
                    ">>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)",
                    ">>> rl.adam_step(w, rl.tensor([2.0]), m, v, **how)",
                    ">>> w",
                    "tensor([0.9000], dtype=float32, device='cpu')",
                ],
                (
                    step: Count, lr: Float, beta1: Float, beta2: Float, eps: Float, weight_decay: Float,
                    maximize: Bool = false,
                ) => Op::AdamStep(Self {
                    lr, beta1, beta2, eps, weight_decay, decoupled: false, step: step as u64, maximize
                })
            )),
            stepping(
                signature!(
                    AsGiven,
                    "Performs one step of AdamW, in place; the weight decay shrinks the parameter itself.",
                    [
                        ">>> w, m, v = rl.tensor([1.0]), rl.zeros(1), rl.zeros(1)",
                        ">>> how = dict(step=1, lr=0.1, beta1=0.9, beta2=0.999, eps=1e-8, weight_decay=0.0)",
                        ">>> rl.adamw_step(w, rl.tensor([2.0]), m, v, **how)",
                        ">>> w",
                        "tensor([0.9000], dtype=float32, device='cpu')",
                    ],
                    (
                        step: Count, lr: Float, beta1: Float, beta2: Float, eps: Float, weight_decay: Float,
                        maximize: Bool = false,
                    ) => Op::AdamStep(Self {
                        lr, beta1, beta2, eps, weight_decay, decoupled: true, step: step as u64, maximize
                    })
                )
                .named("adamw_step"),
            ),
        ]
    }
}

impl Tensor {
    /// One step of Adam or AdamW on this parameter, in place; `m` and `v` hold its state (zeros at first) and are
    /// changed too. FLOAT dtypes, the same for all. A variable is changed under [`crate::autograd::no_grad`] only.
    ///
    /// ```
    /// use rushlight::{ops::adam_step::AdamStep, Device, Tensor};
    /// let (p, g) = (Tensor::new(&[1f64, 2.], &Device::Cpu)?, Tensor::new(&[2f64, -4.], &Device::Cpu)?);
    /// let (m, v) = (Tensor::new(&[0f64; 2], &Device::Cpu)?, Tensor::new(&[0f64; 2], &Device::Cpu)?);
    /// p.adam_step(&m, &v, &g, AdamStep { lr: 0.5, eps: 0.0, ..AdamStep::adam(1) })?;
    /// // The first step is the learning rate against the gradient's sign.
    /// assert!((p.to_vec1::<f64>()?[1] - 2.5).abs() < 1e-12);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn adam_step(&self, m: &Self, v: &Self, grad: &Self, step: AdamStep) -> Result<()> {
        Tensor::run_inplace(Op::AdamStep(step), &[self, m, v], &[grad])
    }
}
