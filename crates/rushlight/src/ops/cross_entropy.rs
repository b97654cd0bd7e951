//! Cross entropy of logits with class targets, in one op.
use super::loss::{self, ClassLoss, Reduction};
use super::{
    Accuracy, AttributeSpec, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads, Reference,
    Sample, ShapeRule, SpecialValues, TermOrder, Thresholds, Value, signature,
};
use crate::autograd::Vjp;
use crate::{Result, Tensor};

/// With `p = log_softmax(x)` over the classes, target `t`, weights `w` (1 if none are given) and smoothing `s`,
/// computes `(1 - s) (-w[t] p[t]) + s / C * sum_c(-w[c] p[c])` for each target, and reduces these losses. Equals
/// PyTorch's `cross_entropy` with class indices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossEntropy(pub ClassLoss);

impl OpDef for CrossEntropy {
    fn name(&self) -> &'static str {
        "cross_entropy"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &loss::SCORES } else { const { loss::SCORES.split_at(2).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.0.check("cross_entropy", &ins[0], &ins[1], ins.get(2))?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.0.weighted { 7 } else { 3 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let back = super::cross_entropy_backward::CrossEntropyBackward(self.0);
        super::nll_loss::vjp(c, self.0.weighted, Op::CrossEntropyBackward(back))
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
        loss::samples(&[0.0, 0.3], false, |c| Op::CrossEntropy(CrossEntropy(c)))
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Computes the cross-entropy of logits with class indices: x is (n, c, ..), target (n, ..), weight (c,).",
                [],
                (
                    ignore_index: Int = loss::IGNORE_INDEX,
                    reduction: Choice(&["mean", "sum", "none"]) = "mean",
                    label_smoothing: Float = 0.0,
                    weighted: Bool [weight],
                ) => Reduction::named(reduction).map(|reduction| {
                    Op::CrossEntropy(Self(ClassLoss { reduction, ignore_index, label_smoothing, weighted }))
                })
            )
            .named("_cross_entropy")
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Computes the cross entropy of logits of shape `[C]`, `[N, C]` or `[N, C, d1, ..]` with target classes of that
    /// shape without `C`. Stable for large logits. FLOAT dtypes; target: INDEX dtypes. A target that is neither a class
    /// nor `ignore_index` is an `InvalidIndex` error.
    ///
    /// ```
    /// use rushlight::{ops::Reduction, Device, Tensor};
    /// let logits = Tensor::new(&[[0f32, 0.], [1e4, -1e4]], &Device::Cpu)?;
    /// let target = Tensor::new(&[0u32, 0], &Device::Cpu)?;
    /// let loss = logits.cross_entropy(&target, Reduction::Mean, -100, 0.0)?;
    /// assert_eq!(loss.to_scalar::<f32>()?, std::f32::consts::LN_2 / 2.);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn cross_entropy(
        &self,
        target: &Self,
        reduction: Reduction,
        ignore_index: i64,
        label_smoothing: f64,
    ) -> Result<Self> {
        let c = ClassLoss { reduction, ignore_index, label_smoothing, weighted: false };
        Tensor::run(Op::CrossEntropy(CrossEntropy(c)), &[self, target])
    }

    /// Same as [`Tensor::cross_entropy`], with a weight for each class. For [`Reduction::ByteMean`], the weights are
    /// the lengths of the tokens in bytes.
    pub fn cross_entropy_weighted(
        &self,
        target: &Self,
        weight: &Self,
        reduction: Reduction,
        ignore_index: i64,
        label_smoothing: f64,
    ) -> Result<Self> {
        let c = ClassLoss { reduction, ignore_index, label_smoothing, weighted: true };
        Tensor::run(Op::CrossEntropy(CrossEntropy(c)), &[self, target, weight])
    }
}
