//! The gradient of `pointwise_loss`.
use super::pointwise_loss::{KIND, PARAMETER, PointwiseKind as K, samples};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `grad` times the derivative of a loss by the input, or by the target. It is PyTorch's also at kinks: 0 for
/// `L1`, and the slope of the line where a hinge begins. That of `Bce` by the input is limited to `(x - t) 1e12`, and
/// the derivative of `0 ln(0)` counts as 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PointwiseLossBackward {
    /// The loss.
    pub kind: K,
    /// The parameter of the loss.
    pub parameter: f64,
    /// Whether the derivative is by the target.
    pub of_target: bool,
    /// Whether `grad` is that of the mean, so that it is divided by the number of elements.
    pub mean: bool,
}

impl PointwiseLossBackward {
    /// Returns the factor of `grad` for a number of elements.
    pub(crate) fn scale(&self, elements: usize) -> f64 {
        if self.mean { 1.0 / elements as f64 } else { 1.0 }
    }
}

impl OpDef for PointwiseLossBackward {
    fn name(&self) -> &'static str {
        "pointwise_loss_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("grad", sets::FLOAT),
                Input::same("x", sets::FLOAT),
                Input::same("target", sets::FLOAT),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.kind.check(self.name(), self.parameter)?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(7)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| {
            let scale = self.scale(ins[1].elem_count());
            ins[0].affine(scale, 0.0)? * self.composed(&ins[1], &ins[2])?
        })
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                KIND,
                PARAMETER,
                AttributeSpec::flag(
                    "of_target",
                    "Whether the derivative is by the target, not by the input.",
                ),
                AttributeSpec::flag("mean", "Whether `grad` is divided by the number of elements."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::Choice(self.kind.as_str()),
            Value::Float(self.parameter),
            Value::Bool(self.of_target),
            Value::Bool(self.mean),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        self.kind.accuracy()
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        self.kind.special_values()
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        // The gradients of the targets are those of a mean.
        let of = |of_target| {
            let op = move |kind, parameter| {
                Op::PointwiseLossBackward(PointwiseLossBackward {
                    kind,
                    parameter,
                    of_target,
                    mean: of_target,
                })
            };
            samples(op, &[Domain::Range(-2.0, 2.0)])
        };
        of(false).into_iter().chain(of(true)).collect()
    }
}

/// Returns `on_true` where the condition holds, else a number.
fn choose(condition: &Tensor, on_true: &Tensor, other: f64) -> Result<Tensor> {
    condition.where_cond(on_true, &on_true.constant_like(other)?)
}

/// Returns the derivative of Stirling's approximation, which counts above 1.
fn stirling(t: &Tensor) -> Result<Tensor> {
    let large = t.gt(&t.ones_like()?)?;
    let inner = choose(&large, t, 1.0)?;
    choose(&large, &(inner.log()? + inner.recip()?.affine(0.5, 0.0)?)?, 0.0)
}

impl PointwiseLossBackward {
    /// Computes the derivative with ops that have gradients.
    fn composed(&self, x: &Tensor, t: &Tensor) -> Result<Tensor> {
        let (p, at) = (self.parameter, |v: f64| x.constant_like(v));
        let of_difference = |slope: Tensor| if self.of_target { slope.neg() } else { Ok(slope) };
        match self.kind {
            K::Mse => of_difference((x - t)?.affine(2.0, 0.0)?),
            K::L1 => of_difference((x - t)?.sign()?),
            K::SmoothL1 | K::Huber => {
                let d = (x - t)?;
                let near = d.abs()?.lt(&at(p)?)?;
                let slope = near.where_cond(&d, &d.sign()?.affine(p, 0.0)?)?;
                of_difference(if self.kind == K::Huber { slope } else { slope.affine(1.0 / p, 0.0)? })
            }
            K::Bce if self.of_target => x.neg()?.log1p()? - x.log()?,
            K::Bce => {
                let product = (x * x.affine(-1.0, 1.0)?)?;
                (x - t)? / choose(&product.gt(&at(1e-12)?)?, &product, 1e-12)?
            }
            K::BceWithLogits if self.of_target => x.neg(),
            K::BceWithLogits => x.sigmoid()? - t,
            K::KlDiv if self.of_target => {
                let some = t.ne(&t.zeros_like()?)?;
                choose(&some, &choose(&some, t, 1.0)?.log()?.affine(1.0, 1.0)?, 0.0)? - x
            }
            K::KlDiv => t.neg(),
            K::KlDivLog if self.of_target => t.exp()? * (t - x)?.affine(1.0, 1.0)?,
            K::KlDivLog => t.exp()?.neg(),
            K::PoissonNll | K::PoissonNllFull if self.of_target => {
                let slope = x.affine(1.0, p)?.log()?.neg()?;
                if self.kind == K::PoissonNllFull { slope + stirling(t)? } else { Ok(slope) }
            }
            K::PoissonNll | K::PoissonNllFull => (t / x.affine(1.0, p)?)?.affine(-1.0, 1.0),
            K::PoissonNllLog if self.of_target => x.neg(),
            K::PoissonNllLogFull if self.of_target => stirling(t)? - x,
            K::PoissonNllLog | K::PoissonNllLogFull => x.exp()? - t,
            K::SoftMargin => {
                let share = (x * t)?.neg()?.sigmoid()?;
                (if self.of_target { x } else { t } * share)?.neg()
            }
            K::HingeEmbedding if self.of_target => x.zeros_like(),
            K::HingeEmbedding => {
                let near = choose(&t.ne(&at(-1.0)?)?, &x.ones_like()?, 0.0)?;
                let far =
                    t.ne(&at(1.0)?)?.where_cond(&choose(&x.le(&at(p)?)?, &at(-1.0)?, 0.0)?, &at(0.0)?)?;
                near + far
            }
            K::MarginRanking => {
                let inside = (x * t)?.le(&at(p)?)?;
                choose(&inside, &if self.of_target { x.neg()? } else { t.neg()? }, 0.0)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn composed_gradients_are_those_of_the_kernel() -> Result<()> {
        // Probabilities for the losses that need them, and numbers of both signs for the others.
        let wide = Tensor::arange_step(-8f64, 8., 0.37, &Device::Cpu)?;
        let chances = wide.affine(0.06, 0.5)?;
        for kind in K::ALL {
            let (x, t) = match kind {
                K::Bce => (chances.clone(), chances.affine(-1.0, 1.0)?),
                K::KlDiv => (wide.clone(), chances.clone()),
                K::PoissonNll | K::PoissonNllFull => (chances.clone(), chances.affine(3.0, 0.0)?),
                _ => (wide.clone(), wide.affine(0.25, -0.1)?),
            };
            let g = x.affine(0.3, 1.0)?;
            for of_target in [false, true] {
                let back = PointwiseLossBackward { kind, parameter: 0.75, of_target, mean: false };
                let got = Tensor::run(Op::PointwiseLossBackward(back), &[&g, &x, &t])?;
                let want = (&g * back.composed(&x, &t)?)?;
                let worst = (got - &want)?.abs()?.max_all()?.to_scalar::<f64>()?;
                let largest = want.abs()?.max_all()?.to_scalar::<f64>()?;
                assert!(worst <= 1e-14 * largest.max(1.0), "{back:?} {worst}");
            }
        }
        Ok(())
    }
}
