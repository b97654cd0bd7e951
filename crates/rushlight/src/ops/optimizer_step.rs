//! Steps of optimizers over parameter, state and gradient, in place: one pass, or two if norms of whole tensors come first.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

macro_rules! family {
    ($($(#[$doc:meta])* $v:ident $name:literal [$($state:literal),*];)*) => {
        /// A step of the family: formula, states and numbers.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum StepOp { $($(#[$doc])* $v),* }

        impl StepOp {
            /// Every step of the family.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];

            /// Name of the op.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$v => $name),* }
            }

            const fn inputs(self) -> &'static [Input] {
                match self {
                    $(Self::$v => const {
                        &[
                            Input::new("param", sets::FLOAT),
                            $(Input::same($state, sets::FLOAT),)*
                            Input::same("grad", sets::FLOAT),
                        ]
                    }),*
                }
            }
        }
    };
}

// In the formulas `p` is the parameter and `g` the gradient, as [`OptimizerStep`] prepares them, and the other letters are the
// states in their order; `|x|` is the Euclidean norm of a tensor, the root of a sum by the reduction tree. With a number b, `mean(m, g)` is `m + (1 - b) * (g - m)` where `1 - b < 0.5`, else
// `g - (g - m) * b`, and `squares(v, g)` is `v * b + ((1 - b) * g) * g`.
family! {
    /// Adam with the largest second moment (Reddi, Kale and Kumar 2018). Numbers: beta1, beta2, eps, root, rate.
    ///
    /// ```text
    /// m = mean(m, g) by beta1, v = squares(v, g) by beta2, t = max(t, v)
    /// p = p + (rate * m) / (sqrt(t) / root + eps)    rate = -lr / (1 - beta1^step), root = sqrt(1 - beta2^step)
    /// ```
    Amsgrad "amsgrad_step" ["m", "v", "top"];
    /// Adamax (Kingma and Ba 2015). Numbers: beta1, beta2, eps, rate.
    ///
    /// ```text
    /// m = mean(m, g) by beta1, t = max(t * beta2, |g| + eps)
    /// p = p + (rate * m) / t                         rate = -lr / (1 - beta1^step)
    /// ```
    Adamax "adamax_step" ["m", "top"];
    /// NAdam (Dozat 2016). Numbers: beta1, beta2, eps, correction, gradient_rate, mean_rate.
    ///
    /// ```text
    /// m = mean(m, g) by beta1, v = squares(v, g) by beta2
    /// d = sqrt(v / correction) + eps                 correction = 1 - beta2^step
    /// p = (p + (gradient_rate * g) / d) + (mean_rate * m) / d
    /// ```
    Nadam "nadam_step" ["m", "v"];
    /// RAdam (Liu and others 2019). Numbers: beta1, beta2, eps, rate, rectified.
    ///
    /// ```text
    /// m = mean(m, g) by beta1, v = squares(v, g) by beta2
    /// p = p + (rate * m) / (sqrt(v) + eps)           rectified
    /// p = p + rate * m                               else
    /// ```
    Radam "radam_step" ["m", "v"];
    /// Adadelta (Zeiler 2012). Numbers: rho, eps, lr.
    ///
    /// ```text
    /// v = squares(v, g) by rho, d = (sqrt(a + eps) / sqrt(v + eps)) * g
    /// a = squares(a, d) by rho, p = p - lr * d
    /// ```
    Adadelta "adadelta_step" ["v", "a"];
    /// Rprop (Riedmiller and Braun 1993). Numbers: less, more, smallest, largest.
    ///
    /// ```text
    /// s = min(max(s * (more where g * last > 0, less where g * last < 0, else 1), smallest), largest)
    /// last = 0 where g * last < 0, else g
    /// p = p - sign(last) * s
    /// ```
    Rprop "rprop_step" ["last", "size"];
    /// Averaged gradient descent (Polyak and Juditsky 1992). Numbers: eta, mu.
    ///
    /// ```text
    /// p = p - eta * g
    /// a = p                                          mu == 1
    /// a = a + (p - a) * mu                           else
    /// ```
    Asgd "asgd_step" ["average"];
    /// Lion (Chen and others 2023). Numbers: beta1, beta2, lr.
    ///
    /// ```text
    /// p = p - lr * sign(m * beta1 + g * (1 - beta1)), m = m * beta2 + g * (1 - beta2)
    /// ```
    Lion "lion_step" ["m"];
    /// LARS without momentum (You, Gitman and Ginsburg 2017). Numbers: trust, eps, lr.
    ///
    /// ```text
    /// r = (|param| * trust) / ((|grad| + weight_decay * |param|) + eps)
    /// r = 1                                          unless |param| > 0 and |grad| > 0
    /// p = p - lr * (g * r)
    /// ```
    Lars "lars_step" [];
    /// LARS with momentum. Numbers: momentum, trust, eps, lr, first, nesterov.
    ///
    /// ```text
    /// d = g * r, with the ratio r of [`StepOp::Lars`]
    /// b = d                                          first
    /// b = momentum * b + d                           else
    /// p = p - lr * (d + momentum * b)                nesterov
    /// p = p - lr * b                                 else
    /// ```
    LarsMomentum "lars_momentum_step" ["momentum_buffer"];
    /// LAMB (You and others 2019). Numbers: beta1, beta2, eps, root, rate, lr. The weight decay acts on the change d, not on g.
    ///
    /// ```text
    /// m = mean(m, g) by beta1, v = squares(v, g) by beta2
    /// d = (rate * m) / (sqrt(v) / root + eps)        rate = 1 / (1 - beta1^step), root = sqrt(1 - beta2^step)
    /// d = d + weight_decay * param                   weight_decay != 0
    /// r = |param| / |d|, or 1 unless |param| > 0 and |d| > 0
    /// p = p - (lr * r) * d
    /// ```
    Lamb "lamb_step" ["m", "v"];
}

use StepOp as S;

/// Numbers that a step of the family has at most.
pub(crate) const NUMBERS: usize = 6;

const fn number(name: &'static str, allowed: Allowed, doc: &'static str) -> AttributeSpec {
    AttributeSpec::new(name, Kind::Float, allowed, doc)
}
const BETA1: AttributeSpec = number("beta1", Allowed::BelowOne, "Share of the old mean that is kept.");
const BETA2: AttributeSpec =
    number("beta2", Allowed::BelowOne, "Share of the old second state that is kept.");
const EPS: AttributeSpec = number("eps", Allowed::AtLeast(0.0), "Added to the denominator.");
const RATE: AttributeSpec = number("rate", Allowed::Finite, "Factor of the mean; negative downhill.");
const LR: AttributeSpec = number("lr", Allowed::AtLeast(0.0), "Learning rate.");
const TRUST: AttributeSpec = number("trust", Allowed::AtLeast(0.0), "Factor of the parameter's norm.");
const KEEP: AttributeSpec = number("keep", Allowed::Finite, "Factor of the parameter.").or(Value::Float(1.0));
const DECAY: AttributeSpec =
    number("weight_decay", Allowed::AtLeast(0.0), "Factor of the parameter that is added to the gradient.")
        .or(Value::Float(0.0));
const MAXIMIZE: AttributeSpec = AttributeSpec::flag("maximize", "Whether the step goes uphill.");

/// Attributes that follow the numbers of each step.
const SHARED: usize = 3;

impl StepOp {
    /// Whether the step reads norms of whole tensors, so that it is two passes.
    pub(crate) const fn needs_norms(self) -> bool {
        matches!(self, S::Lars | S::LarsMomentum | S::Lamb)
    }

    /// Declares the numbers, and the attributes that all steps have.
    const fn attributes(self) -> &'static [AttributeSpec] {
        const POSITIVE: Allowed = Allowed::AtLeast(0.0);
        match self {
            S::Amsgrad => {
                const ROOT: AttributeSpec =
                    number("root", POSITIVE, "Divisor of the root of the largest mean of squares.");
                const { &[BETA1, BETA2, EPS, ROOT, RATE, KEEP, DECAY, MAXIMIZE] }
            }
            S::Adamax => const { &[BETA1, BETA2, EPS, RATE, KEEP, DECAY, MAXIMIZE] },
            S::Nadam => {
                const CORRECTION: AttributeSpec =
                    number("correction", POSITIVE, "Divisor of the mean of squares.");
                const GRADIENT: AttributeSpec =
                    number("gradient_rate", Allowed::Finite, "Factor of the gradient; negative downhill.");
                const MEAN: AttributeSpec =
                    number("mean_rate", Allowed::Finite, "Factor of the mean; negative downhill.");
                const { &[BETA1, BETA2, EPS, CORRECTION, GRADIENT, MEAN, KEEP, DECAY, MAXIMIZE] }
            }
            S::Radam => {
                const RECTIFIED: AttributeSpec = AttributeSpec::flag(
                    "rectified",
                    "Whether the mean is divided by the root of the squares.",
                );
                const { &[BETA1, BETA2, EPS, RATE, RECTIFIED, KEEP, DECAY, MAXIMIZE] }
            }
            S::Adadelta => {
                const RHO: AttributeSpec =
                    number("rho", Allowed::Probability, "Share of the old means that is kept.");
                const { &[RHO, EPS, LR, KEEP, DECAY, MAXIMIZE] }
            }
            S::Rprop => {
                const LESS: AttributeSpec =
                    number("less", POSITIVE, "Factor of a size where the sign changed.");
                const MORE: AttributeSpec =
                    number("more", POSITIVE, "Factor of a size where the sign stayed.");
                const SMALLEST: AttributeSpec = number("smallest", Allowed::Any, "Lower bound of the sizes.");
                const LARGEST: AttributeSpec = number("largest", Allowed::Any, "Upper bound of the sizes.");
                const { &[LESS, MORE, SMALLEST, LARGEST, KEEP, DECAY, MAXIMIZE] }
            }
            S::Asgd => {
                const ETA: AttributeSpec = number("eta", POSITIVE, "Learning rate of this step.");
                const MU: AttributeSpec =
                    number("mu", Allowed::Probability, "Share of the parameter in the average.");
                const { &[ETA, MU, KEEP, DECAY, MAXIMIZE] }
            }
            S::Lion => const { &[BETA1, BETA2, LR, KEEP, DECAY, MAXIMIZE] },
            S::Lars => const { &[TRUST, EPS, LR, KEEP, DECAY, MAXIMIZE] },
            S::LarsMomentum => {
                const MOMENTUM: AttributeSpec =
                    number("momentum", POSITIVE, "Factor of the momentum buffer.");
                const FIRST: AttributeSpec =
                    AttributeSpec::flag("first", "Whether the buffer is set, as in the first step.");
                const NESTEROV: AttributeSpec =
                    AttributeSpec::flag("nesterov", "Whether the step looks ahead.");
                const { &[MOMENTUM, TRUST, EPS, LR, FIRST, NESTEROV, KEEP, DECAY, MAXIMIZE] }
            }
            S::Lamb => {
                const ROOT: AttributeSpec =
                    number("root", POSITIVE, "Divisor of the root of the mean of squares.");
                const RATE: AttributeSpec = number("rate", Allowed::Finite, "Factor of the mean.");
                const DECAY: AttributeSpec =
                    number("weight_decay", POSITIVE, "Factor of the parameter that is added to the change.")
                        .or(Value::Float(0.0));
                const { &[BETA1, BETA2, EPS, ROOT, RATE, LR, KEEP, DECAY, MAXIMIZE] }
            }
        }
    }

    /// Numbers of the samples: a plain step, and one that takes other branches.
    const fn sampled(self) -> [[f64; NUMBERS]; 2] {
        match self {
            S::Amsgrad => [[0.9, 0.99, 1e-8, 0.1, -0.5, 0.0], [0.25, 0.5, 1e-3, 0.75, 0.125, 0.0]],
            S::Adamax => [[0.9, 0.99, 1e-8, -0.5, 0.0, 0.0], [0.25, 0.5, 1e-3, -0.125, 0.0, 0.0]],
            S::Nadam => [[0.9, 0.99, 1e-8, 0.01, -0.5, -0.75], [0.25, 0.5, 1e-3, 0.75, -0.125, -0.25]],
            S::Radam => [[0.9, 0.99, 1e-8, -0.5, 0.0, 0.0], [0.25, 0.5, 1e-3, -0.125, 1.0, 0.0]],
            S::Adadelta => [[0.9, 1e-6, 1.0, 0.0, 0.0, 0.0], [0.25, 0.5, 0.125, 0.0, 0.0, 0.0]],
            S::Rprop => [[0.5, 1.2, 1e-6, 50.0, 0.0, 0.0], [0.25, 1.5, 0.5, 0.75, 0.0, 0.0]],
            S::Asgd => [[0.01, 1.0, 0.0, 0.0, 0.0, 0.0], [0.5, 0.25, 0.0, 0.0, 0.0, 0.0]],
            S::Lion => [[0.9, 0.99, 1e-2, 0.0, 0.0, 0.0], [0.25, 0.5, 0.125, 0.0, 0.0, 0.0]],
            S::Lars => [[0.25, 1e-8, 0.5, 0.0, 0.0, 0.0], [0.5, 0.125, 0.75, 0.0, 0.0, 0.0]],
            S::LarsMomentum => [[0.9, 0.25, 1e-8, 0.5, 0.0, 1.0], [0.75, 0.5, 0.125, 0.75, 1.0, 0.0]],
            S::Lamb => [[0.9, 0.99, 1e-6, 0.1, 10.0, 0.5], [0.25, 0.5, 0.125, 0.75, 1.5, 0.25]],
        }
    }
}

/// A step of an optimizer that is elementwise, but for norms of whole tensors. The numbers are what PyTorch computes on the host at each step, in f64; they
/// are rounded once to the type computed in (f64 for F64, else f32). Each operation is rounded, first
///
/// ```text
/// g = -grad                       maximize; else g = grad
/// g = g + weight_decay * param    weight_decay != 0, except for LAMB
/// p = param * keep
/// ```
///
/// then the formula of the [`StepOp`]. f16 and bf16 tensors are rounded to their dtype when they are stored, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptimizerStep {
    /// The formula.
    pub op: StepOp,
    /// Its numbers, in the order of the attributes; a flag is 1 or 0, and unused numbers are 0.
    pub numbers: [f64; NUMBERS],
    /// Factor of the parameter: 1, or less for a weight decay that is decoupled from the gradient.
    pub keep: f64,
    /// Factor of the parameter that is added to the gradient.
    pub weight_decay: f64,
    /// Uphill: the gradient's sign is changed.
    pub maximize: bool,
}

impl OptimizerStep {
    /// A step downhill without weight decay. Fails if the formula has another number of numbers.
    pub fn new(op: StepOp, numbers: &[f64]) -> Result<Self> {
        let wanted = op.attributes().len() - SHARED;
        if numbers.len() != wanted {
            return Err(Error::invalid(
                op.as_str(),
                format!("takes {wanted} numbers, got {}", numbers.len()),
            ));
        }
        let mut all = [0.0; NUMBERS];
        all.iter_mut().zip(numbers).for_each(|(to, v)| *to = *v);
        Ok(Self { op, numbers: all, keep: 1.0, weight_decay: 0.0, maximize: false })
    }
}

impl OpDef for OptimizerStep {
    fn name(&self) -> &'static str {
        self.op.as_str()
    }

    fn inputs(&self) -> &'static [Input] {
        self.op.inputs()
    }

    fn role(&self) -> Role {
        Role::InOut(self.inputs().len() - 1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes tensors in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        Ok(self.inputs().iter().map(|_| None).collect())
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        self.op.attributes()
    }

    fn values(&self) -> Vec<Value> {
        let specs = &self.attributes()[..self.attributes().len() - SHARED];
        let number = |(spec, v): (&AttributeSpec, f64)| match spec.kind {
            Kind::Bool => Value::Bool(v != 0.0),
            _ => Value::Float(v),
        };
        let shared = [Value::Float(self.keep), Value::Float(self.weight_decay), Value::Bool(self.maximize)];
        specs.iter().zip(self.numbers).map(number).chain(shared).collect()
    }

    fn pattern(&self) -> Pattern {
        if self.op.needs_norms() { Pattern::Lines } else { Pattern::ELEMENTWISE_AS_SAMPLED }
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
        if self.op.needs_norms() { Thresholds::LINES } else { Thresholds::ELEMENTWISE }
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &op in StepOp::ALL {
            let make = |shape: &[usize]| {
                let mut v = vec![Spec::new(shape, Domain::Range(-2.0, 2.0)); op.inputs().len()];
                // All states but means of gradients and the last gradient are positive.
                for (spec, input) in v.iter_mut().zip(op.inputs()) {
                    if ["v", "a", "top", "size"].contains(&input.name) {
                        spec.domain = Domain::Range(0.1, 2.0);
                    }
                }
                v
            };
            let [plain, other] = op.sampled();
            let plain = Self { op, numbers: plain, keep: 1.0, weight_decay: 0.0, maximize: false };
            let other = Self { numbers: other, keep: 0.75, weight_decay: 0.1, maximize: true, ..plain };
            for c in [plain, other] {
                for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                    all.push(Sample::new(Op::OptimizerStep(c), make(shape)).no_grad());
                }
            }
            if op.needs_norms() {
                // Several chunks, also of views that are not contiguous; then norms of 0.
                all.push(Sample::new(Op::OptimizerStep(other), make(&[3, 401])).no_grad());
                for zero in [0, op.inputs().len() - 1] {
                    let mut inputs = make(&[5]);
                    inputs[zero].domain = Domain::Range(0.0, 0.0);
                    all.push(Sample::new(Op::OptimizerStep(plain), inputs).no_grad());
                }
            }
            let mut wrong = make(&[2, 3]);
            wrong[1].shape = (3, 2).into();
            all.push(Sample::bad(Op::OptimizerStep(plain), wrong, "shape mismatch in"));
            let bad = Self { weight_decay: -1.0, ..plain };
            all.push(Sample::bad(
                Op::OptimizerStep(bad),
                make(&[2]),
                "weight_decay must be a number of at least 0",
            ));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        macro_rules! function {
            ($op:ident, $python:literal, $doc:literal, [$($state:literal),*],
             ($($number:ident: $kind:ident),*)) => {{
                const TENSORS: &[TensorArgument] = &[
                    TensorArgument::new("param", "Parameter to update."),
                    TensorArgument::new("grad", "Its gradient."),
                    $(TensorArgument::new($state, "State, which is updated too."),)*
                ];
                signature!(
                    AsGiven,
                    $doc,
                    [],
                    ($($number: $kind,)* keep: Float = 1.0, weight_decay: Float = 0.0, maximize: Bool = false) =>
                        OptimizerStep::new(StepOp::$op, &[$(f64::from($number)),*])
                            .map(|step| Op::OptimizerStep(Self { keep, weight_decay, maximize, ..step }))
                )
                .calling(TENSORS, |op, tensors| {
                    let tensors: Vec<&Tensor> = tensors.iter().flatten().copied().collect();
                    let [param, grad, states @ ..] = &tensors[..] else {
                        return Err(Error::invalid(op.name(), "needs a parameter and a gradient"));
                    };
                    let param = param.detach();
                    let targets: Vec<&Tensor> = [&param].into_iter().chain(states.iter().copied()).collect();
                    Tensor::run_inplace(op, &targets, &[grad])?;
                    Ok(param)
                })
                .named($python)
                .keyword_only()
                .without_method()
            }};
        }
        vec![
            function!(
                Amsgrad,
                "_amsgrad_step",
                "Performs one step of Adam with the largest second moment, in place.",
                ["m", "v", "top"],
                (beta1: Float, beta2: Float, eps: Float, root: Float, rate: Float)
            ),
            function!(
                Adamax,
                "_adamax_step",
                "Performs one step of Adamax, in place.",
                ["m", "top"],
                (beta1: Float, beta2: Float, eps: Float, rate: Float)
            ),
            function!(
                Nadam,
                "_nadam_step",
                "Performs one step of NAdam, in place.",
                ["m", "v"],
                (beta1: Float, beta2: Float, eps: Float, correction: Float, gradient_rate: Float, mean_rate: Float)
            ),
            function!(
                Radam,
                "_radam_step",
                "Performs one step of RAdam, in place.",
                ["m", "v"],
                (beta1: Float, beta2: Float, eps: Float, rate: Float, rectified: Bool)
            ),
            function!(
                Adadelta,
                "_adadelta_step",
                "Performs one step of Adadelta, in place.",
                ["v", "a"],
                (rho: Float, eps: Float, lr: Float)
            ),
            function!(
                Rprop,
                "_rprop_step",
                "Performs one step of Rprop, in place.",
                ["last", "size"],
                (less: Float, more: Float, smallest: Float, largest: Float)
            ),
            function!(
                Asgd,
                "_asgd_step",
                "Performs one step of averaged gradient descent, in place.",
                ["average"],
                (eta: Float, mu: Float)
            ),
            function!(
                Lion,
                "_lion_step",
                "Performs one step of Lion, in place.",
                ["m"],
                (beta1: Float, beta2: Float, lr: Float)
            ),
            function!(
                Lars,
                "_lars_step",
                "Performs one step of LARS without momentum, in place.",
                [],
                (trust: Float, eps: Float, lr: Float)
            ),
            function!(
                LarsMomentum,
                "_lars_momentum_step",
                "Performs one step of LARS, in place.",
                ["momentum_buffer"],
                (momentum: Float, trust: Float, eps: Float, lr: Float, first: Bool, nesterov: Bool)
            ),
            function!(
                Lamb,
                "_lamb_step",
                "Performs one step of LAMB, in place.",
                ["m", "v"],
                (beta1: Float, beta2: Float, eps: Float, root: Float, rate: Float, lr: Float)
            ),
        ]
    }
}

impl Tensor {
    /// One step of an optimizer on this parameter, in place; `states` are what the [`StepOp`] keeps, and are changed too.
    /// FLOAT dtypes, the same for all. A variable is changed under [`crate::autograd::no_grad`] only.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::optimizer_step::{OptimizerStep, StepOp}};
    /// let [p, m, g] = [1f32, 0., 2.].map(|v| Tensor::new(v, &Device::Cpu).unwrap());
    /// let (beta1, beta2, lr) = (0.5, 0.75, 0.25);
    /// p.optimizer_step(&[&m], &g, OptimizerStep::new(StepOp::Lion, &[beta1, beta2, lr])?)?;
    /// assert_eq!((p.to_scalar::<f32>()?, m.to_scalar::<f32>()?), (0.75, 0.5));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// A number is out of range, the step has another number of states, or shapes, dtypes or devices differ.
    pub fn optimizer_step(&self, states: &[&Self], grad: &Self, step: OptimizerStep) -> Result<()> {
        let targets: Vec<&Self> = [self].into_iter().chain(states.iter().copied()).collect();
        Self::run_inplace(Op::OptimizerStep(step), &targets, &[grad])
    }
}
