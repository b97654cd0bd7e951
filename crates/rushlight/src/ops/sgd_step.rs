//! One step of stochastic gradient descent, in place.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// `param` and, where `momentum` is not 0, `buf` from `grad`, as PyTorch's `SGD`. The numbers are rounded once from f64 to
/// the type computed in (f64 for F64, else f32), then, each operation rounded:
///
/// ```text
/// grad = -grad                                          maximize
/// d = grad                                              weight_decay == 0
/// d = grad + weight_decay * param                       else
/// momentum == 0: param = param - lr * d
/// else: buf = d                                         first
///       buf = momentum * buf + (1 - dampening) * d      else
///       param = param - lr * buf                        not nesterov
///       param = param - lr * (d + momentum * buf)       nesterov
/// ```
///
/// f16 and bf16 tensors are rounded to their dtype when they are stored, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SgdStep {
    /// Learning rate.
    pub lr: f64,
    /// Share of the old buffer that is kept.
    pub momentum: f64,
    /// Share of the gradient that does not enter the buffer.
    pub dampening: f64,
    /// Factor of the parameter that is added to the gradient.
    pub weight_decay: f64,
    /// Nesterov's momentum.
    pub nesterov: bool,
    /// The buffer holds nothing yet.
    pub first: bool,
    /// Uphill: the gradient's sign is changed.
    pub maximize: bool,
}

impl Default for SgdStep {
    /// Plain descent with PyTorch's learning rate.
    fn default() -> Self {
        Self {
            lr: 1e-3,
            momentum: 0.0,
            dampening: 0.0,
            weight_decay: 0.0,
            nesterov: false,
            first: false,
            maximize: false,
        }
    }
}

impl OpDef for SgdStep {
    fn name(&self) -> &'static str {
        "sgd_step"
    }

    fn inputs(&self) -> &'static [Input] {
        const PARAM: Input = Input::new("param", sets::FLOAT);
        const GRAD: Input = Input::same("grad", sets::FLOAT);
        if self.momentum == 0.0 {
            const { &[PARAM, GRAD] }
        } else {
            const { &[PARAM, Input::same("buf", sets::FLOAT), GRAD] }
        }
    }

    fn role(&self) -> Role {
        Role::InOut(if self.momentum == 0.0 { 1 } else { 2 })
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        if self.nesterov && (self.momentum == 0.0 || self.dampening != 0.0) {
            return Err(Error::invalid("sgd_step", "nesterov needs a momentum and no dampening"));
        }
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
        const {
            &[
                AttributeSpec::new("lr", Kind::Float, Allowed::AtLeast(0.0), "Learning rate.")
                    .or(Value::Float(1e-3)),
                AttributeSpec::new(
                    "momentum",
                    Kind::Float,
                    Allowed::AtLeast(0.0),
                    "Share of the old buffer that is kept.",
                )
                .or(Value::Float(0.0)),
                AttributeSpec::new(
                    "dampening",
                    Kind::Float,
                    Allowed::Finite,
                    "Share of the gradient that does not enter the buffer.",
                )
                .or(Value::Float(0.0)),
                AttributeSpec::new("weight_decay", Kind::Float, Allowed::AtLeast(0.0), "Weight decay.")
                    .or(Value::Float(0.0)),
                AttributeSpec::flag("nesterov", "Whether Nesterov's momentum is used."),
                AttributeSpec::flag("first", "Whether the buffer is still empty."),
                AttributeSpec::flag("maximize", "Whether the step goes uphill."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.lr),
            Value::Float(self.momentum),
            Value::Float(self.dampening),
            Value::Float(self.weight_decay),
            Value::Bool(self.nesterov),
            Value::Bool(self.first),
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
        let make =
            |c: &SgdStep, shape: &[usize]| vec![Spec::new(shape, d); if c.momentum == 0.0 { 2 } else { 3 }];
        let plain = SgdStep { lr: 0.1, ..SgdStep::default() };
        let heavy = SgdStep { momentum: 0.9, ..plain };
        let mut all = Vec::new();
        for c in [
            plain,
            SgdStep { weight_decay: 0.05, ..plain },
            SgdStep { first: true, ..heavy },
            SgdStep { dampening: 0.3, weight_decay: 0.1, ..heavy },
            SgdStep { nesterov: true, ..heavy },
            SgdStep { maximize: true, ..plain },
        ] {
            for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                all.push(Sample::new(Op::SgdStep(c), make(&c, shape)).no_grad());
            }
        }
        let mut wrong = make(&plain, &[2, 3]);
        wrong[1].shape = (3, 2).into();
        all.push(Sample::bad(Op::SgdStep(plain), wrong, "shape mismatch in sgd_step"));
        for c in [SgdStep { lr: -1.0, ..plain }, SgdStep { weight_decay: f64::NAN, ..plain }] {
            all.push(Sample::bad(Op::SgdStep(c), make(&c, &[2]), "must be a number of at least 0"));
        }
        let c = SgdStep { nesterov: true, ..plain };
        all.push(Sample::bad(Op::SgdStep(c), make(&c, &[2]), "nesterov needs"));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("param", "Parameter to update."),
            TensorArgument::new("grad", "Its gradient."),
            TensorArgument::optional(
                "buffer",
                "Momentum buffer, which is updated too; needed if ``momentum`` is not 0.",
            ),
        ];
        vec![
            signature!(
                AsGiven,
                "Performs one step of stochastic gradient descent, in place.",
                [
                    ">>> w = rl.tensor([1.0])",
                    ">>> numbers = dict(lr=0.1, momentum=0.0, dampening=0.0, weight_decay=0.0)",
                    ">>> rl.sgd_step(w, rl.tensor([2.0]), None, nesterov=False, first=True, **numbers)",
                    ">>> w",
                    "tensor([0.8000], dtype=float32, device='cpu')",
                ],
                (
                    lr: Float, momentum: Float, dampening: Float, weight_decay: Float, nesterov: Bool, first: Bool,
                    maximize: Bool = false,
                ) => Op::SgdStep(Self { lr, momentum, dampening, weight_decay, nesterov, first, maximize })
            )
            .calling(TENSORS, |op, tensors| {
                let (Op::SgdStep(step), &[Some(param), Some(grad), buffer]) = (&op, tensors) else {
                    return Err(Error::invalid("sgd_step", "needs a parameter and a gradient"));
                };
                let param = param.detach();
                param.sgd_step(buffer, grad, *step)?;
                Ok(param)
            })
            .keyword_only()
            .without_method(),
        ]
    }
}

impl Tensor {
    /// One step of gradient descent on this parameter, in place; with momentum `buf` holds its state and is changed
    /// too. FLOAT dtypes, the same for all. A variable is changed under [`crate::autograd::no_grad`] only.
    ///
    /// ```
    /// use rushlight::{ops::sgd_step::SgdStep, Device, Tensor};
    /// let (p, g) = (Tensor::new(&[1f32, 2.], &Device::Cpu)?, Tensor::new(&[2f32, -4.], &Device::Cpu)?);
    /// p.sgd_step(None, &g, SgdStep { lr: 0.5, ..SgdStep::default() })?;
    /// assert_eq!(p.to_vec1::<f32>()?, [0., 4.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn sgd_step(&self, buf: Option<&Self>, grad: &Self, step: SgdStep) -> Result<()> {
        match (step.momentum != 0.0, buf) {
            (false, _) => Tensor::run_inplace(Op::SgdStep(step), &[self], &[grad]),
            (true, Some(buf)) => Tensor::run_inplace(Op::SgdStep(step), &[self, buf], &[grad]),
            (true, None) => Err(Error::invalid("sgd_step", "momentum needs a buffer")),
        }
    }
}
