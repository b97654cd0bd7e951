//! One step of Adagrad, in place.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// `param` and `sum` from `grad`, as PyTorch's `Adagrad` (Duchi, Hazan and Singer 2011). The numbers are computed in f64
/// and rounded once to the type computed in (f64 for F64, else f32), then, each operation rounded:
///
/// ```text
/// g = -grad                                    maximize; else g = grad
/// g = g + weight_decay * param                 weight_decay != 0
/// sum = sum + g * g
/// param = param + (rate * g) / (sqrt(sum) + eps)     rate = -lr / (1 + (step - 1) * lr_decay)
/// ```
///
/// f16 and bf16 tensors are rounded to their dtype when they are stored, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AdagradStep {
    /// Learning rate of the first step.
    pub lr: f64,
    /// Decay of the learning rate.
    pub lr_decay: f64,
    /// Factor of the parameter that is added to the gradient.
    pub weight_decay: f64,
    /// Added to the root.
    pub eps: f64,
    /// Number of the step, from 1.
    pub step: u64,
    /// Uphill: the gradient's sign is changed.
    pub maximize: bool,
}

impl AdagradStep {
    /// PyTorch's defaults, for a step.
    pub fn new(step: u64) -> Self {
        Self { lr: 1e-2, lr_decay: 0.0, weight_decay: 0.0, eps: 1e-10, step, maximize: false }
    }
}

impl OpDef for AdagradStep {
    fn name(&self) -> &'static str {
        "adagrad_step"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("param", sets::FLOAT),
                Input::same("sum", sets::FLOAT),
                Input::same("grad", sets::FLOAT),
            ]
        }
    }

    fn role(&self) -> Role {
        Role::InOut(2)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes tensors in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const NUMBER: Allowed = Allowed::AtLeast(0.0);
        const {
            &[
                AttributeSpec::new("lr", Kind::Float, NUMBER, "Learning rate of the first step.")
                    .or(Value::Float(1e-2)),
                AttributeSpec::new("lr_decay", Kind::Float, NUMBER, "Decay of the learning rate.")
                    .or(Value::Float(0.0)),
                AttributeSpec::new("weight_decay", Kind::Float, NUMBER, "Weight decay.")
                    .or(Value::Float(0.0)),
                AttributeSpec::new("eps", Kind::Float, NUMBER, "Added to the root.").or(Value::Float(1e-10)),
                AttributeSpec::new("step", Kind::Int, Allowed::AtLeast(1.0), "Number of the step, from 1."),
                AttributeSpec::flag("maximize", "Whether the step goes uphill."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.lr),
            Value::Float(self.lr_decay),
            Value::Float(self.weight_decay),
            Value::Float(self.eps),
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
        let make = |shape: &[usize]| {
            let mut v = vec![Spec::new(shape, Domain::Range(-2.0, 2.0)); 3];
            v[1].domain = Domain::Range(0.1, 2.0);
            v
        };
        let plain = Self::new(1);
        let mut all = Vec::new();
        for c in [plain, Self { lr_decay: 0.5, weight_decay: 0.1, eps: 1e-3, maximize: true, ..Self::new(3) }]
        {
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::AdagradStep(c), make(shape)).no_grad());
            }
        }
        let mut wrong = make(&[2, 3]);
        wrong[2].shape = (3, 2).into();
        all.push(Sample::bad(Op::AdagradStep(plain), wrong, "shape mismatch in adagrad_step"));
        let c = Self { lr_decay: -1.0, ..plain };
        all.push(Sample::bad(Op::AdagradStep(c), make(&[2]), "must be a number of at least 0"));
        all.push(Sample::bad(
            Op::AdagradStep(Self::new(0)),
            make(&[2]),
            "step must be a number of at least 1",
        ));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("param", "Parameter to update."),
            TensorArgument::new("grad", "Its gradient."),
            TensorArgument::new("sum", "Sum of squared gradients, which is updated too."),
        ];
        vec![
            signature!(
                AsGiven,
                "Performs one step of Adagrad, in place.",
                [
                    ">>> w, s = rl.tensor([1.0]), rl.zeros(1)",
                    ">>> numbers = dict(lr=0.5, lr_decay=0.0, weight_decay=0.0, eps=0.0)",
                    ">>> rl.adagrad_step(w, rl.tensor([2.0]), s, step=1, **numbers)",
                    ">>> w, s",
                    "(tensor([0.5000], dtype=float32, device='cpu'), tensor([4.], dtype=float32, device='cpu'))",
                ],
                (
                    step: Count, lr: Float, lr_decay: Float, weight_decay: Float, eps: Float,
                    maximize: Bool = false,
                ) => Op::AdagradStep(Self { lr, lr_decay, weight_decay, eps, step: step as u64, maximize })
            )
            .calling(TENSORS, |op, tensors| {
                let [param, grad, sum] = given(&op, tensors)?;
                let param = param.detach();
                Tensor::run_inplace(op, &[&param, sum], &[grad])?;
                Ok(param)
            })
            .keyword_only()
            .without_method(),
        ]
    }
}

impl Tensor {
    /// One step of Adagrad on this parameter, in place; `sum` holds its state (zeros at first) and is changed too. FLOAT
    /// dtypes, the same for all. A variable is changed under [`crate::autograd::no_grad`] only.
    ///
    /// ```
    /// use rushlight::{ops::adagrad_step::AdagradStep, Device, Tensor};
    /// let (p, g) = (Tensor::new(&[1f32], &Device::Cpu)?, Tensor::new(&[2f32], &Device::Cpu)?);
    /// let sum = p.zeros_like()?;
    /// p.adagrad_step(&sum, &g, AdagradStep { lr: 0.5, eps: 0.0, ..AdagradStep::new(1) })?;
    /// assert_eq!((p.to_vec1::<f32>()?, sum.to_vec1::<f32>()?), (vec![0.5], vec![4.]));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number is out of range, or shapes, dtypes or devices differ.
    pub fn adagrad_step(&self, sum: &Self, grad: &Self, step: AdagradStep) -> Result<()> {
        Self::run_inplace(Op::AdagradStep(step), &[self, sum], &[grad])
    }
}
