//! The op pointwise_loss: a loss of each element of an input and a target, or the sum or the mean of the losses.
use super::loss::Reduction;
use super::pointwise_loss_backward::PointwiseLossBackward;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, chosen, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// A loss of an input `x` and a target `t`. `d` is `x - t`, and `p` is the op's parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointwiseKind {
    /// `d^2`.
    Mse,
    /// `|d|`.
    L1,
    /// `d^2 / (2 p)` where `|d| < p`, else `|d| - p / 2`.
    SmoothL1,
    /// `d^2 / 2` where `|d| < p`, else `p (|d| - p / 2)`.
    Huber,
    /// `-t ln(x) - (1 - t) ln(1 - x)`, with logarithms of at least -100.
    Bce,
    /// The same for the sigmoid of `x`.
    BceWithLogits,
    /// `t ln(t) - t x`, where `0 ln(0)` is 0.
    KlDiv,
    /// `e^t (t - x)`.
    KlDivLog,
    /// `x - t ln(x + p)`.
    PoissonNll,
    /// `e^x - t x`.
    PoissonNllLog,
    /// `PoissonNll` and Stirling's approximation of `ln(t!)` where `t > 1`: `t ln(t) - t + ln(2 pi t) / 2`.
    PoissonNllFull,
    /// `PoissonNllLog` and the same approximation.
    PoissonNllLogFull,
    /// `ln(1 + e^(-t x))`.
    SoftMargin,
    /// `x` where `t` is 1, `max(p - x, 0)` where it is -1, and the sum of both elsewhere.
    HingeEmbedding,
    /// `max(p - t x, 0)`, where `x` is a difference of scores.
    MarginRanking,
}

use PointwiseKind as K;

impl PointwiseKind {
    /// Every kind.
    pub const ALL: [Self; 15] = [
        Self::Mse,
        Self::L1,
        Self::SmoothL1,
        Self::Huber,
        Self::Bce,
        Self::BceWithLogits,
        Self::KlDiv,
        Self::KlDivLog,
        Self::PoissonNll,
        Self::PoissonNllLog,
        Self::PoissonNllFull,
        Self::PoissonNllLogFull,
        Self::SoftMargin,
        Self::HingeEmbedding,
        Self::MarginRanking,
    ];

    /// Name, as in Python.
    pub const fn as_str(self) -> &'static str {
        NAMES[self as usize]
    }

    /// Whether a loss consists of sums, products and choices only, so that its bits are equal on all devices.
    const fn is_algebraic(self) -> bool {
        matches!(self, K::Mse | K::L1 | K::SmoothL1 | K::Huber | K::HingeEmbedding | K::MarginRanking)
    }

    pub(super) const fn accuracy(self) -> Accuracy {
        if self.is_algebraic() { Accuracy::Accumulated } else { Accuracy::LOSS }
    }

    /// The exponential of an argument may leave the range of f32 where the gradient in f64 is finite.
    pub(super) const fn special_values(self) -> SpecialValues {
        match self {
            K::KlDivLog | K::PoissonNllLog | K::PoissonNllLogFull => SpecialValues::OF_POWERS,
            _ => SpecialValues::ALL,
        }
    }

    /// Fails unless the parameter is in the range that the kind needs.
    pub(super) fn check(self, op: &'static str, parameter: f64) -> Result<()> {
        if matches!(self, K::SmoothL1 | K::Huber) && (parameter.is_nan() || parameter <= 0.0) {
            let kind = self.as_str();
            return Err(Error::invalid(
                op,
                format!("{kind} needs a parameter greater than 0, got {parameter}"),
            ));
        }
        Ok(())
    }
}

/// Computes a loss of each element, and reduces the losses. Both inputs have one shape. f16 and bf16 compute in f32, and
/// the loss or the reduced loss is rounded once. Sums are those of the reduction tree (docs/NUMERICS.md).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointwiseLoss {
    /// The function.
    pub kind: PointwiseKind,
    /// The number `p` of [`PointwiseKind`]: beta of SmoothL1, delta of Huber, eps of PoissonNll, the margin of
    /// HingeEmbedding and MarginRanking. Others ignore it.
    pub parameter: f64,
    /// The reduction of the losses: none, mean or sum.
    pub reduction: Reduction,
}

const NAMES: &[&str] = &[
    "mse",
    "l1",
    "smooth_l1",
    "huber",
    "bce",
    "bce_with_logits",
    "kl_div",
    "kl_div_log",
    "poisson_nll",
    "poisson_nll_log",
    "poisson_nll_full",
    "poisson_nll_log_full",
    "soft_margin",
    "hinge_embedding",
    "margin_ranking",
];
pub(super) const KIND: AttributeSpec =
    AttributeSpec::new("kind", Kind::Choice(NAMES), Allowed::Any, "The loss.");
pub(super) const PARAMETER: AttributeSpec = AttributeSpec::new(
    "parameter",
    Kind::Float,
    Allowed::Any,
    "beta of smooth_l1, delta of huber, eps of poisson_nll, or the margin; others ignore it.",
)
.or(Value::Float(1.0));
const REDUCTION: AttributeSpec = AttributeSpec::new(
    "reduction",
    Kind::Choice(&["none", "mean", "sum"]),
    Allowed::ByShape,
    "How the losses of the elements are combined.",
)
.or(Value::Choice("none"));

impl OpDef for PointwiseLoss {
    fn name(&self) -> &'static str {
        "pointwise_loss"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("target", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.kind.check(self.name(), self.parameter)?;
        let shape = ShapeRule::Equal.infer(self.name(), ins)?;
        let shape = match self.reduction {
            Reduction::None => shape,
            Reduction::Mean | Reduction::Sum => ().into(),
            Reduction::ByteMean => {
                return Err(Error::invalid(self.name(), "the reduction is none, mean or sum, got byte_mean"));
            }
        };
        Ok(Meta::new(shape, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let slope = |of_target| {
            let (kind, parameter, mean) = (self.kind, self.parameter, self.reduction == Reduction::Mean);
            let op = PointwiseLossBackward { kind, parameter, of_target, mean };
            let (x, target) = (c.input(0)?, c.input(1)?);
            let grad = c.grad().broadcast_as(x.shape())?;
            Tensor::run(Op::PointwiseLossBackward(op), &[&grad, &x, &target])
        };
        grads![c.when(0, || slope(false))?, c.when(1, || slope(true))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        match self.reduction {
            Reduction::None => ShapeRule::Equal,
            _ => ShapeRule::Computed("a scalar"),
        }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[KIND, PARAMETER, REDUCTION] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Choice(self.kind.as_str()),
            Value::Float(self.parameter),
            Value::Choice(self.reduction.name()),
        ]
    }

    fn pattern(&self) -> Pattern {
        if self.reduction == Reduction::None { Pattern::ELEMENTWISE } else { Pattern::Lines }
    }

    fn accuracy(&self) -> Accuracy {
        self.kind.accuracy()
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        // The gradient of a mean is divided at the end, so the derivative of a loss may overflow before.
        match self.reduction {
            Reduction::None => self.kind.special_values(),
            _ => SpecialValues::OF_POWERS,
        }
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        if self.reduction == Reduction::None { Thresholds::ELEMENTWISE } else { Thresholds::LINES }
    }

    fn samples() -> Vec<Sample> {
        let op = |reduction| {
            move |kind, parameter| Op::PointwiseLoss(PointwiseLoss { kind, parameter, reduction })
        };
        let of = |reduction, kind, shape: &[usize]| sample(&op(reduction), &[], kind, shape);
        let mut all = samples(op(Reduction::None), &[]);
        // The suite enlarges the first samples.
        all.insert(1, of(Reduction::Sum, K::Huber, &[2, 3]));
        all.insert(2, of(Reduction::Mean, K::BceWithLogits, &[2, 3]));
        // A target of 0 is the end of the range of t ln(t).
        let mut ends = of(Reduction::None, K::KlDiv, &[3, 5]).no_grad();
        ends.inputs[1].domain = Domain::Truth;
        all.push(ends);
        all.extend(PointwiseKind::ALL.map(|kind| of(Reduction::Mean, kind, &[3, 2])));
        all.extend([of(Reduction::Mean, K::Mse, &[0, 4]), of(Reduction::Sum, K::Mse, &[])]);
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                Promoted,
                "Computes a loss of each element, such as the squared difference, and reduces the losses.",
                [],
                (
                    kind: Choice(NAMES),
                    parameter: Float = 1.0,
                    reduction: Choice(&["none", "mean", "sum"]) = "none",
                ) => chosen(PointwiseKind::ALL.into_iter().find(|k| k.as_str() == kind), kind).and_then(|kind| {
                    let reduction = Reduction::named(reduction)?;
                    Ok(Op::PointwiseLoss(Self { kind, parameter, reduction }))
                })
            )
            .named("_pointwise_loss")
            .without_method(),
        ]
    }
}

/// Returns the parameter and the domains of input and target of a kind's sample. Gradients are checked by differences,
/// so the numbers stay away from kinks: where a kind has one, the input is at least 0.02 away from multiples of 0.5, and
/// the target moves the kink by less than that.
fn domains(kind: PointwiseKind) -> (f64, Domain, Domain) {
    let range = Domain::Range;
    match kind {
        K::Mse => (1.0, range(-3.0, 3.0), range(-3.0, 3.0)),
        K::L1 => (1.0, Domain::Away(-3.0, 3.0, 0.5), range(-0.015, 0.015)),
        K::SmoothL1 | K::Huber => (0.5, Domain::Away(-3.0, 3.0, 0.5), range(-0.015, 0.015)),
        K::Bce => (1.0, range(0.05, 0.95), range(0.0, 1.0)),
        K::BceWithLogits => (1.0, range(-8.0, 8.0), range(0.0, 1.0)),
        K::KlDiv => (1.0, range(-3.0, -0.1), range(0.1, 1.0)),
        K::KlDivLog => (1.0, range(-3.0, -0.1), range(-3.0, -0.1)),
        K::PoissonNll => (0.0625, range(0.5, 4.0), range(0.0, 5.0)),
        K::PoissonNllLog => (1.0, range(-2.0, 2.0), range(0.0, 5.0)),
        K::PoissonNllFull => (0.0625, range(0.5, 4.0), Domain::Away(0.1, 5.0, 1.0)),
        K::PoissonNllLogFull => (1.0, range(-2.0, 2.0), Domain::Away(0.1, 5.0, 1.0)),
        K::SoftMargin => (1.0, range(-3.0, 3.0), range(-3.0, 3.0)),
        K::HingeEmbedding => (0.5, Domain::Away(-3.0, 3.0, 0.5), range(-0.9, 0.9)),
        K::MarginRanking => (0.5, Domain::Away(-3.0, 3.0, 0.5), range(0.985, 1.015)),
    }
}

/// Returns a sample of a kind. `first` describes inputs before `x` and the target.
fn sample(
    op: &impl Fn(PointwiseKind, f64) -> Op,
    first: &[Domain],
    kind: PointwiseKind,
    shape: &[usize],
) -> Sample {
    let (parameter, x, target) = domains(kind);
    let all = first.iter().copied().chain([x, target]);
    Sample::new(op(kind, parameter), all.map(|d| Spec::new(shape, d)).collect())
}

/// Returns samples of every kind, without reductions.
pub(super) fn samples(op: impl Fn(PointwiseKind, f64) -> Op, first: &[Domain]) -> Vec<Sample> {
    let sample = |kind, shape: &[usize]| sample(&op, first, kind, shape);
    let mut all: Vec<Sample> = PointwiseKind::ALL.map(|kind| sample(kind, &[2, 3])).into();
    all.extend([sample(K::Mse, &[]), sample(K::Huber, &[0, 4])]);
    // Targets of 0 and 1, at which the loss jumps.
    let mut labels = sample(K::HingeEmbedding, &[3, 5]).no_grad();
    labels.inputs[first.len() + 1].domain = Domain::Truth;
    all.push(labels);
    let mut short = sample(K::Mse, &[2, 3]).inputs;
    short[first.len() + 1] = Spec::new(3, Domain::Range(-1.0, 1.0));
    all.push(Sample::bad(op(K::Mse, 1.0), short, "shape mismatch in pointwise_loss"));
    for kind in [K::SmoothL1, K::Huber] {
        let ins = sample(kind, &[2, 3]).inputs;
        all.push(Sample::bad(op(kind, 0.0), ins, "needs a parameter greater than 0, got 0"));
    }
    all
}

impl Tensor {
    /// Computes a loss of each element of an input (`self`) and a target, broadcast to one shape, and reduces the
    /// losses. [`PointwiseKind`] says which kinds use `parameter`, and for what. FLOAT dtypes; both have the same one.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::{Reduction, pointwise_loss::PointwiseKind}};
    /// let x = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let t = Tensor::new(&[1f32, 0.], &Device::Cpu)?;
    /// let y = x.pointwise_loss(&t, PointwiseKind::Huber, 1.0, Reduction::None)?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[0., 1.5], [1.5, 3.5]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn pointwise_loss(
        &self,
        target: &Self,
        kind: PointwiseKind,
        parameter: f64,
        reduction: Reduction,
    ) -> Result<Self> {
        let op = PointwiseLoss { kind, parameter, reduction };
        let shape = self.shape().broadcast_shape_binary_op(target.shape(), op.name())?;
        let [x, target] = [self, target].map(|t| t.broadcast_as(shape.clone()));
        Tensor::run(Op::PointwiseLoss(op), &[&x?, &target?])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_their_names() {
        assert_eq!(PointwiseKind::ALL.len(), NAMES.len());
        for (i, kind) in PointwiseKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, i, "{kind:?}");
        }
        assert_eq!(PointwiseKind::MarginRanking.as_str(), "margin_ranking");
    }
}
