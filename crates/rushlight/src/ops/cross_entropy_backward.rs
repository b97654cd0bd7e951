//! The gradient of cross_entropy.
use super::loss::Reduction;
use super::loss::{self, ClassLoss};
use super::norm::wide;
use super::{
    Accuracy, AttributeSpec, Differentiable, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::{Result, Tensor};

/// With `q = softmax(x)` over the classes, computes `g ((1 - s) w[t] (q - onehot(t)) + s / C (q sum(w) - w))`, and 0
/// for ignored targets. For means it is divided by the sum of the weights. Without weights and smoothing, it is
/// `g (q - onehot(t))`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CrossEntropyBackward(pub ClassLoss);

impl CrossEntropyBackward {
    /// Computes the op with ops that have gradients: the gradient of log_softmax, applied to the gradient of its
    /// output.
    fn composed(&self, g: &Tensor, x: &Tensor, target: &Tensor, weight: Option<&Tensor>) -> Result<Tensor> {
        let (dim, dtype) = (loss::class_dim(x.rank()), x.dtype());
        let (g, x) = (g.to_dtype(wide(dtype))?, x.to_dtype(wide(dtype))?);
        let total = |t: &Tensor| t.sum_keepdim(dim)?.broadcast_as(x.shape().clone());
        // 1 at the target class, and 0 everywhere for ignored targets.
        let plain = ClassLoss { reduction: Reduction::Sum, label_smoothing: 0.0, weighted: false, ..self.0 };
        let back = Op::NllLossBackward(super::nll_loss_backward::NllLossBackward(plain));
        let one = Tensor::ones((), x.dtype(), x.device())?;
        let hit = Tensor::run(back, &[&one, &x.detach(), target])?.neg()?;
        let w = match weight {
            None => hit.ones_like()?,
            Some(w) => {
                let mut dims = vec![1; x.rank()];
                dims[dim] = w.elem_count();
                w.to_dtype(x.dtype())?.reshape(dims)?.broadcast_as(x.shape().clone())?
            }
        };
        let (weighted, valid) = ((&hit * &w)?, total(&hit)?);
        let g = match self.0.reduction {
            Reduction::None => g.unsqueeze(dim)?,
            Reduction::Sum => g,
            Reduction::Mean => g.div(&weighted.sum_all()?)?,
            Reduction::ByteMean => {
                let n = weighted.sum_all()?;
                let none = n.eq(&n.zeros_like()?)?;
                let over = g.div(&none.where_cond(&n.ones_like()?, &n)?)?;
                none.where_cond(&over.zeros_like()?, &over)?
            }
        };
        let s = self.0.label_smoothing;
        let classes = x.dims()[dim].max(1);
        let share = (weighted.affine(1.0 - s, 0.0)? + (w * valid)?.affine(s / classes as f64, 0.0)?)?;
        let a = (share * g.broadcast_as(x.shape().clone())?)?.neg()?;
        (&a - (x.softmax(dim)? * total(&a)?)?)?.to_dtype(dtype)
    }
}

impl OpDef for CrossEntropyBackward {
    fn name(&self) -> &'static str {
        "cross_entropy_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        if self.0.weighted { &loss::BACKWARD } else { const { loss::BACKWARD.split_at(3).0 } }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.0.check_backward("cross_entropy_backward", ins)
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(if self.0.weighted { 15 } else { 7 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        c.composed(|ins| self.composed(&ins[0], &ins[1], &ins[2], ins.get(3)))
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(1)
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
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        loss::samples(&[0.0, 0.3], true, |c| Op::CrossEntropyBackward(CrossEntropyBackward(c)))
    }
}
