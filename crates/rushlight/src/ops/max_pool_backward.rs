//! Gradient of max pooling.
use super::max_pool_indices::MaxPoolIndices;
use super::pool::{self, Pool};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes the gradient of `x` from the gradient of its max pool: each window's gradient is added to the first largest
/// element of the window (or the first NaN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPoolBackward {
    /// The windows.
    pub pool: Pool,
}

impl OpDef for MaxPoolBackward {
    fn name(&self) -> &'static str {
        self.pool.named([
            ["max_pool1d_backward", "max_pool2d_backward", "max_pool3d_backward"],
            ["adaptive_max_pool1d_backward", "adaptive_max_pool2d_backward", "adaptive_max_pool3d_backward"],
        ])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let out = self.pool.output(self.name(), &ins[0])?;
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
        Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        // The op is linear in the output's gradient, and piecewise constant in `x`. So the gradient of `g` selects, for
        // each window, the element at the position of the window's first largest element of `x`.
        let x = c.input(0)?.detach();
        let of_g = || {
            let indices = Tensor::run(Op::MaxPoolIndices(MaxPoolIndices { pool: self.pool }), &[&x])?;
            c.grad().flatten_from(2)?.gather(&indices.flatten_from(2)?, 2)?.reshape(indices.dims())
        };
        grads![c.when(0, || x.zeros_like())?, c.when(1, of_g)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        if self.pool.is_adaptive() { &pool::ADAPTIVE } else { &pool::REGULAR }
    }

    fn values(&self) -> Vec<Value> {
        self.pool.values()
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
        let make = |pool, x: &[usize], out: Option<&[usize]>| {
            let ins = vec![Spec::new(x, Domain::Distinct), Spec::new(out.unwrap_or(x), g)];
            Sample::new(Op::MaxPoolBackward(Self { pool }), ins).no_grad()
        };
        let mut all = [pool::samples(true, make), pool::adaptive_samples(make)].concat();
        let pool = Pool::sample(&[2], [&[2], &[0], &[1]]);
        let ins = vec![Spec::new([2, 2, 6], g), Spec::new([2, 2, 4], g)];
        all.push(Sample::bad(Op::MaxPoolBackward(Self { pool }), ins, "shape mismatch"));
        all
    }
}
