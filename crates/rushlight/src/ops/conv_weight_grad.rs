//! Gradient of a convolution's kernel.
use super::conv::Conv;
use super::conv_transpose::ConvTranspose;
use super::window::{Each, Window, last3, shape_of, sizes, wide};
use super::{
    Accuracy, AttributeSpec, ConvPass, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `out[g co + r, c, k] = sum over b, o of x[b, g ci + c, o s + k d - p] g[b, g co + r, o]`, where `x` is zero
/// outside its bounds. This is the gradient of [`Conv`]'s kernel, from its input and the gradient of its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvWeightGrad {
    /// Stride, padding and dilation of the convolution.
    pub window: Window,
    /// Sizes of the kernel.
    pub kernel: Each,
    /// Number of groups of channels. A group's outputs depend on the group's inputs only.
    pub groups: u32,
}

impl OpDef for ConvWeightGrad {
    fn name(&self) -> &'static str {
        self.window.named(["conv1d_weight_grad", "conv2d_weight_grad", "conv3d_weight_grad"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (op, n, groups) = (self.name(), self.window.spatial(), self.groups as usize);
        let (x, g) = (sizes(&ins[0].shape, n)?, sizes(&ins[1].shape, n)?);
        let kernel = wide(self.kernel);
        let most = self.window.slide(op, &ins[0].shape, kernel)?;
        let fits = last3(g).iter().zip(&most).all(|(g, m)| g <= m);
        let channels =
            groups != 0 && x[1].is_multiple_of(groups) && g[1].is_multiple_of(groups) && x[0] == g[0];
        if !fits || !channels {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: ins[0].shape.clone(),
                rhs: ins[1].shape.clone(),
                op,
            }
            .bt());
        }
        Ok(Meta::new(shape_of(g[1], x[1] / groups, kernel, n), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::other_factor(wanted)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let n = self.window.spatial();
        let (x, g) = (c.meta(0)?.shape, c.meta(1)?.shape);
        let (window, groups) = (self.window, self.groups);
        let of_x = || {
            if x.elem_count() == 0 {
                return Tensor::zeros(x.clone(), c.grad().dtype(), c.grad().device());
            }
            let (size, windows) = (last3(sizes(&x, n)?), last3(sizes(&g, n)?));
            let output_padding = window.remainder(self.name(), size, windows, wide(self.kernel))?;
            let op = Op::ConvTranspose(ConvTranspose { window, output_padding, groups });
            Tensor::run(op, &[&c.input(1)?, c.grad()])
        };
        let of_g = || {
            let mut out = Tensor::run(Op::Conv(Conv { window, groups }), &[&c.input(0)?, c.grad()])?;
            for d in 2..n + 2 {
                out = out.narrow(d, 0, g.dims()[d])?;
            }
            Ok(out)
        };
        grads![c.when(0, of_x)?, c.when(1, of_g)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[out channels, in channels / groups, kernel_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                attribute::STRIDE,
                attribute::PADDING,
                attribute::DILATION,
                attribute::KERNEL_SIZE,
                attribute::GROUPS,
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.window.spatial(), self.window.stride()),
            Value::sizes(self.window.spatial(), self.window.padding()),
            Value::sizes(self.window.spatial(), self.window.dilation()),
            Value::sizes(self.window.spatial(), wide(self.kernel)),
            Value::Int(i64::from(self.groups)),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Convolution(ConvPass::Weights)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Products
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::OF_PADDED
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        // Input, gradient, kernel, [stride, padding, dilation], groups.
        type Case<'a> = (&'a [usize], &'a [usize], Each, [&'a [u32]; 3], u32);
        let make = |(x, g, kernel, steps, groups): Case<'_>| {
            let window = Window::sample(x.len() - 2, steps);
            let definition = ConvWeightGrad { window, kernel, groups };
            (Op::ConvWeightGrad(definition), vec![Spec::new(x, d), Spec::new(g, d)])
        };
        let good: [Case<'_>; 7] = [
            (&[2, 2, 5], &[2, 3, 3], [1, 1, 3], [&[1], &[0], &[1]], 1),
            // A long sum, which a GPU computes in slices.
            (&[2, 2, 300], &[2, 3, 298], [1, 1, 3], [&[1], &[0], &[1]], 1),
            (&[2, 4, 6], &[2, 2, 3], [1, 1, 2], [&[2], &[1], &[2]], 2),
            (&[0, 2, 5], &[0, 3, 3], [1, 1, 3], [&[1], &[0], &[1]], 1),
            (&[2, 2, 4, 3], &[2, 2, 2, 2], [1, 3, 2], [&[2, 1], &[1, 0], &[1]], 1),
            (&[2, 2, 5, 3], &[2, 2, 2, 2], [1, 2, 2], [&[2, 1], &[0], &[1]], 2),
            (&[1, 2, 2, 3, 3], &[1, 2, 1, 2, 2], [2, 2, 2], [&[1], &[0], &[1]], 1),
        ];
        let bad: [(Case<'_>, &'static str); 3] = [
            ((&[2, 2, 5], &[2, 3, 4], [1, 1, 3], [&[1], &[0], &[1]], 1), "shape mismatch"),
            ((&[2, 2, 5], &[1, 3, 3], [1, 1, 3], [&[1], &[0], &[1]], 1), "shape mismatch"),
            ((&[2, 3, 5], &[2, 4, 3], [1, 1, 3], [&[1], &[0], &[1]], 2), "shape mismatch"),
        ];
        Sample::table(make, good, bad)
    }
}
