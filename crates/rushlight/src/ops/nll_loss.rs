//! Negative log likelihood of class targets.
use super::loss::{self, ClassLoss, Reduction};
use super::{
    Accuracy, AttributeSpec, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads, Reference,
    Sample, ShapeRule, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::{Error, Result, Tensor};

/// Computes `-w[t] x[t]` for log probabilities `x` and target class `t` (with weight 1 if none are given), and reduces
/// these losses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NllLoss(pub ClassLoss);

impl OpDef for NllLoss {
    fn name(&self) -> &'static str {
        "nll_loss"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &loss::SCORES } else { const { loss::SCORES.split_at(2).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.0.check("nll_loss", &ins[0], &ins[1], ins.get(2))?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.0.weighted { 7 } else { 3 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        vjp(c, self.0.weighted, Op::NllLossBackward(super::nll_loss_backward::NllLossBackward(self.0)))
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("that of the targets, or a scalar")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        ClassLoss::ATTRIBUTES
    }

    fn values(&self) -> Vec<Value> {
        self.0.values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
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
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        loss::samples(&[0.0], false, |c| Op::NllLoss(NllLoss(c)))
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Computes the negative log-likelihood of class indices: x is (n, c, ..), target (n, ..), weight (c,).",
                [],
                (
                    ignore_index: Int = loss::IGNORE_INDEX,
                    reduction: Choice(&["mean", "sum", "none"]) = "mean",
                    weighted: Bool [weight],
                ) => Reduction::named(reduction).map(|reduction| {
                    Op::NllLoss(Self(ClassLoss { reduction, ignore_index, label_smoothing: 0.0, weighted }))
                })
            )
            .named("_nll_loss")
            .without_method(),
        ]
    }
}

/// Runs the backward op of a loss.
pub(super) fn vjp(c: &Vjp<'_>, weighted: bool, back: Op) -> Result<Grads> {
    let (x, t) = (c.input(0)?, c.input(1)?);
    if !weighted {
        return grads![Tensor::run(back, &[c.grad(), &x, &t])?, None];
    }
    if c.needs(2) {
        return Err(Error::invalid(c.op_name(), "no gradient flows to the class weights; detach them"));
    }
    grads![Tensor::run(back, &[c.grad(), &x, &t, &c.input(2)?])?, None, None]
}

impl Tensor {
    /// Computes the negative log likelihood of the target classes. `self` holds log probabilities of shape `[C]`,
    /// `[N, C]` or `[N, C, d1, ..]`; `target` has that shape without `C`. FLOAT dtypes; target: INDEX dtypes. A target
    /// that is neither a class nor `ignore_index` is an `InvalidIndex` error.
    ///
    /// ```
    /// use rushlight::{ops::Reduction, Device, Tensor};
    /// let logp = Tensor::new(&[[-0.5f32, -1.], [-2., -0.25]], &Device::Cpu)?;
    /// let target = Tensor::new(&[0u32, 1], &Device::Cpu)?;
    /// assert_eq!(logp.nll_loss(&target, Reduction::Mean, -100)?.to_scalar::<f32>()?, 0.375);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn nll_loss(&self, target: &Self, reduction: Reduction, ignore_index: i64) -> Result<Self> {
        let c = ClassLoss { reduction, ignore_index, label_smoothing: 0.0, weighted: false };
        Tensor::run(Op::NllLoss(NllLoss(c)), &[self, target])
    }

    /// Same as [`Tensor::nll_loss`], with a weight for each class.
    pub fn nll_loss_weighted(
        &self,
        target: &Self,
        weight: &Self,
        reduction: Reduction,
        ignore_index: i64,
    ) -> Result<Self> {
        let c = ClassLoss { reduction, ignore_index, label_smoothing: 0.0, weighted: true };
        Tensor::run(Op::NllLoss(NllLoss(c)), &[self, target, weight])
    }
}
