//! Gradient of max pooling.
use super::max_pool::{pool_samples, pooled};
use super::window::Pool;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result};

/// From `x` and the gradient of its max pool: each window's gradient is added to the element of the window's first
/// largest value (its first NaN, if it holds one).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPoolBackward {
    /// The window.
    pub pool: Pool,
}

impl OpDef for MaxPoolBackward {
    fn name(&self) -> &'static str {
        self.pool.window().named(["max_pool1d_backward", "max_pool2d_backward", "max_pool3d_backward"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let out = pooled(&self.pool, self.name(), &ins[0])?;
        if out.shape != ins[1].shape {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: out.shape,
                rhs: ins[1].shape.clone(),
                op: self.name(),
            }
            .bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it is a gradient; second derivatives of max pooling are not provided")
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        Err(Error::BackwardNotSupported { op: c.op_name() }.bt())
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[attribute::KERNEL_SIZE, attribute::STRIDE, attribute::PADDING] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.pool.window().spatial(), self.pool.kernel()),
            Value::sizes(self.pool.window().spatial(), self.pool.window().stride()),
            Value::sizes(self.pool.window().spatial(), self.pool.window().padding()),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
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
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let g = Domain::Range(-2.0, 2.0);
        let mut all = pool_samples(|pool, x, out| {
            let ins = vec![Spec::new(x, Domain::Distinct), Spec::new(out.unwrap_or(x), g)];
            Sample::new(Op::MaxPoolBackward(Self { pool }), ins).no_grad()
        });
        let pool = Pool::sample(&[2], &[2], &[0]);
        let ins = vec![Spec::new([2, 2, 6], g), Spec::new([2, 2, 4], g)];
        all.push(Sample::bad(Op::MaxPoolBackward(Self { pool }), ins, "shape mismatch"));
        all
    }
}
