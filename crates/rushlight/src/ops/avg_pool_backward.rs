//! Gradient of average pooling.
use super::avg_pool::{self, AvgPool};
use super::window::{Each, last3, shape_of, sizes, wide};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads, pool,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes the gradient of the input of an average pool: adds each window's share to the elements of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvgPoolBackward {
    /// The pool.
    pub avg: AvgPool,
    /// Sizes of the pool's input.
    pub size: Each,
}

impl OpDef for AvgPoolBackward {
    fn name(&self) -> &'static str {
        self.avg.pool.named([
            ["avg_pool1d_backward", "avg_pool2d_backward", "avg_pool3d_backward"],
            ["adaptive_avg_pool1d_backward", "adaptive_avg_pool2d_backward", "adaptive_avg_pool3d_backward"],
        ])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let n = self.avg.pool.window().spatial();
        let g = sizes(&ins[0].shape, n)?;
        let x = Meta::new(shape_of(g[0], g[1], wide(self.size), n), ins[0].dtype);
        let out = self.avg.pool.output(self.name(), &x)?;
        if out.shape != ins[0].shape {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: out.shape,
                rhs: ins[0].shape.clone(),
                op: self.name(),
            }
            .bt());
        }
        Ok(x)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::AvgPool(self.avg), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, input_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const REGULAR: [AttributeSpec; 7] = {
            let [a, b, c, d, e, f] = avg_pool::REGULAR;
            [a, b, c, d, e, f, attribute::INPUT_SIZE]
        };
        const ADAPTIVE: [AttributeSpec; 2] = [pool::ADAPTIVE[0], attribute::INPUT_SIZE];
        if self.avg.pool.is_adaptive() { &ADAPTIVE } else { &REGULAR }
    }

    fn values(&self) -> Vec<Value> {
        let mut all = self.avg.attribute_values();
        all.push(Value::sizes(self.avg.pool.window().spatial(), wide(self.size)));
        all
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
        let d = Domain::Range(-2.0, 2.0);
        let size = |x: &[usize]| {
            let spatial = x.len() - 2;
            sizes(&x.into(), spatial).map_or([1; 3], |v| last3(v).map(|v| v as u32))
        };
        let mut all = AvgPool::pool_samples(|avg, x, out| {
            let op = Op::AvgPoolBackward(Self { avg, size: size(x) });
            Sample::new(op, vec![Spec::new(out.unwrap_or(x), d)])
        });
        all.retain(|s| s.error.is_none());
        if let Some(op) = all.first().map(|s| s.op.clone()) {
            all.push(Sample::bad(op, vec![Spec::new([2, 2, 4], d)], "shape mismatch"));
        }
        all
    }
}
