//! Gradient of max pooling.
use super::max_pool::{pool_samples, pooled};
use super::window::{MAX_SPATIAL, Pool};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes the gradient of `x` from the gradient of its max pool: each window's gradient is added to the first largest
/// element of the window (or the first NaN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPoolBackward {
    /// The window.
    pub pool: Pool,
}

impl MaxPoolBackward {
    /// Returns the windows over `x` as `[batch, channels, windows .., elements]`. Padding has the elements of `fill`,
    /// which has the shape of `x`.
    fn windows(&self, x: &Tensor, fill: &Tensor) -> Result<Tensor> {
        let (n, window) = (self.pool.window().spatial(), self.pool.window());
        let skip = MAX_SPATIAL - n;
        let (mut x, mut fill) = (x.clone(), fill.clone());
        for d in 0..n {
            let p = window.padding()[skip + d];
            if p > 0 {
                // Padding is at most half a window, so a window fits the padded input, but the padding may be larger
                // than the input.
                let edge = |t: &Tensor| -> Result<Tensor> {
                    let mut dims = t.dims().to_vec();
                    dims[2 + d] = p;
                    t.narrow(2 + d, 0, 1)?.broadcast_as(dims)
                };
                let side = edge(&fill)?;
                x = Tensor::cat(&[&side, &x, &side], 2 + d)?;
                fill = Tensor::cat(&[&side, &fill, &side], 2 + d)?;
            }
        }
        for d in 0..n {
            x = x.unfold(2 + d, self.pool.kernel()[skip + d], window.stride()[skip + d])?;
        }
        let mut dims = x.dims()[..2 + n].to_vec();
        dims.push(self.pool.kernel().iter().product());
        x.reshape(dims)
    }
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
            let lowest = x.constant_like(f64::NEG_INFINITY)?;
            let at = self.windows(&x, &lowest)?;
            let zero = c.grad().constant_like(0.0)?;
            let last = at.rank() - 1;
            let ids = at.contiguous()?.argmax_keepdim(last)?;
            self.windows(c.grad(), &zero)?.gather(&ids, last)?.squeeze(last)
        };
        grads![c.when(0, || x.zeros_like())?, c.when(1, of_g)?]
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
