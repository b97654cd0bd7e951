//! Transposed convolution: computes the gradient of a convolution's input from that of its output.
use super::conv::{Conv, WITH_BIAS, groups_of, with_bias};
use super::conv_weight_grad::ConvWeightGrad;
use super::window::{Each, Window, each, last3, shape_of, sizes, spread_out, wide};
use super::{
    Accuracy, Allowed, AttributeSpec, ConvPass, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
    attribute, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Adds `x[b, g ci + r, o] kernel[g ci + r, c, k]` to `out[b, g co + c, o s + k d - p]` for every `r`, `o` and `k` for
/// which that index lies inside the output. The output has size `(n - 1) s + d (k - 1) + 1 + output_padding - 2 p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvTranspose {
    /// Stride, padding and dilation of the convolution of which this is the transpose.
    pub window: Window,
    /// Elements added at the end of the output.
    pub output_padding: Each,
    /// Number of groups of channels. A group's outputs depend on the group's inputs only.
    pub groups: u32,
}

impl OpDef for ConvTranspose {
    fn name(&self) -> &'static str {
        self.window.named(["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC), Input::same("kernel", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (op, n, groups) = (self.name(), self.window.spatial(), self.groups as usize);
        let (x, k) = (sizes(&ins[0].shape, n)?, sizes(&ins[1].shape, n)?);
        let about = || format!("input {:?}, kernel {:?}", ins[0].shape, ins[1].shape);
        if x[1] != k[0] {
            return Err(Error::invalid(
                op,
                format!("in_channel mismatch between input ({}) and kernel ({}): {}", x[1], k[0], about()),
            ));
        }
        if !x[1].is_multiple_of(groups) {
            return Err(Error::invalid(
                op,
                format!("in_channel {} is not divisible by the number of groups {groups}: {}", x[1], about()),
            ));
        }
        let out = self.window.spread(op, &ins[0].shape, last3(k), wide(self.output_padding))?;
        let channels = k[1]
            .checked_mul(groups)
            .ok_or_else(|| Error::invalid(op, format!("{groups} groups are too many: {}", about())))?;
        Ok(Meta::new(shape_of(x[0], channels, out, n), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::other_factor(wanted)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let n = self.window.spatial();
        let (x, k) = (c.meta(0)?.shape, c.meta(1)?.shape);
        let (window, groups) = (self.window, self.groups);
        let of_x = || {
            let mut g = Tensor::run(Op::Conv(Conv { window, groups }), &[c.grad(), &c.input(1)?])?;
            // If the output padding is at least the stride, the convolution of the gradient has more windows than the
            // input.
            for d in 2..n + 2 {
                g = g.narrow(d, 0, x.dims()[d])?;
            }
            Ok(g)
        };
        let of_kernel = || {
            let kernel = last3(sizes(&k, n)?).map(|v| v as u32);
            let op = Op::ConvWeightGrad(ConvWeightGrad { window, kernel, groups });
            Tensor::run(op, &[c.grad(), &c.input(0)?])
        };
        grads![c.when(0, of_x)?, c.when(1, of_kernel)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, groups * kernel channels, sizes whose windows the input has ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                attribute::STRIDE,
                attribute::PADDING,
                attribute::DILATION,
                AttributeSpec::new(
                    "output_padding",
                    Kind::Sizes,
                    Allowed::ByShape,
                    "Elements added at the end of each spatial dimension of the output.",
                ),
                attribute::GROUPS,
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.window.spatial(), self.window.stride()),
            Value::sizes(self.window.spatial(), self.window.padding()),
            Value::sizes(self.window.spatial(), self.window.dilation()),
            Value::sizes(self.window.spatial(), wide(self.output_padding)),
            Value::Int(i64::from(self.groups)),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Convolution(ConvPass::Transposed)
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Products
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues { gradients: false, ..SpecialValues::OF_PADDED }
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        // Input, kernel, [stride, padding, dilation, output padding], groups.
        type Case<'a> = (&'a [usize], &'a [usize], [&'a [u32]; 4], u32);
        let make = |(x, k, [stride, padding, dilation, extra], groups): Case<'_>| {
            let window = Window::sample(x.len() - 2, [stride, padding, dilation]);
            let output_padding = spread_out(extra, x.len() - 2, 0);
            let definition = ConvTranspose { window, output_padding, groups };
            (Op::ConvTranspose(definition), vec![Spec::new(x, d), Spec::new(k, d)])
        };
        let good: [Case<'_>; 11] = [
            (&[2, 2, 3], &[2, 2, 3], [&[1], &[0], &[1], &[0]], 1),
            (&[2, 2, 3], &[2, 3, 2], [&[2], &[1], &[2], &[1]], 1),
            (&[1, 4, 3], &[4, 2, 2], [&[3], &[0], &[1], &[2]], 2),
            (&[1, 2, 3], &[2, 1, 2], [&[1], &[0], &[3], &[2]], 2),
            (&[0, 2, 3], &[2, 2, 2], [&[1], &[0], &[1], &[0]], 1),
            (&[2, 2, 2, 3], &[2, 3, 2, 2], [&[1], &[0], &[1], &[0]], 1),
            (&[2, 3, 2, 2], &[3, 2, 1, 1], [&[1], &[0], &[1], &[0]], 1),
            (&[1, 4, 2, 3], &[4, 1, 3, 2], [&[2, 1], &[1, 0], &[1, 2], &[1, 0]], 2),
            (&[1, 3, 2, 2], &[3, 1, 2, 2], [&[2], &[0], &[1], &[0]], 3),
            (&[1, 2, 2, 2, 2], &[2, 2, 2, 1, 2], [&[2], &[0], &[1], &[1]], 1),
            // Packs of channels, of which a GPU's tiles consist.
            (&[2, 8, 3, 4], &[8, 3, 3, 2], [&[2, 1], &[0], &[1, 2], &[1, 0]], 1),
        ];
        let bad: [(Case<'_>, &'static str); 6] = [
            ((&[2, 3, 4], &[2, 2, 3], [&[1], &[0], &[1], &[0]], 1), "in_channel mismatch"),
            ((&[2, 3, 4, 4], &[3, 2, 3, 3], [&[1], &[0], &[1], &[0]], 2), "not divisible"),
            ((&[2, 3, 4, 4], &[3, 2, 3], [&[1], &[0], &[1], &[0]], 1), "unexpected rank"),
            ((&[2, 2, 1, 4], &[2, 2, 2, 2], [&[1], &[1], &[1], &[0]], 1), "leaves no output"),
            ((&[2, 2, 0, 4], &[2, 2, 2, 2], [&[1], &[0], &[1], &[0]], 1), "empty or too large"),
            ((&[2, 2, 3, 4], &[2, 2, 2, 2], [&[0], &[0], &[1], &[0]], 1), "stride must be positive"),
        ];
        Sample::table(make, good, bad)
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (stride: Sizes, padding: Sizes, dilation: Sizes, groups: Count, output_padding: Sizes) =>
                below_a_step([&stride, &padding, &dilation, &output_padding], groups)
            )
            .named(name)
            .spatial(spatial)
            .calling(WITH_BIAS, with_bias)
            .without_method()
        };
        vec![
            of_rank(
                1,
                "_conv_transpose1d",
                "Computes the transposed convolution of (n, c, l) with (c, o / groups, k), plus a bias.",
            ),
            of_rank(
                2,
                "_conv_transpose2d",
                "Computes the transposed convolution of (n, c, h, w) with (c, o / groups, kh, kw), plus a bias.",
            ),
            of_rank(
                3,
                "_conv_transpose3d",
                "Computes the transposed convolution of (n, c, d, h, w) with (c, o / groups, kd, kh, kw), plus a bias.",
            ),
        ]
    }
}

/// Returns the op, or an error unless the output padding is less than the stride or the dilation (PyTorch's rule).
fn below_a_step([stride, padding, dilation, output_padding]: [&[usize]; 4], groups: usize) -> Result<Op> {
    let op = ["conv_transpose1d", "conv_transpose2d", "conv_transpose3d"][stride.len().clamp(1, 3) - 1];
    if output_padding.iter().zip(stride.iter().zip(dilation)).any(|(o, (s, d))| o >= s.max(d)) {
        let all = [output_padding, stride, dilation].map(crate::Shape::from);
        let [extra, stride, dilation] = &all;
        let text =
            format!("output_padding {extra:?} is not below stride {stride:?} or dilation {dilation:?}");
        return Err(Error::invalid(op, text));
    }
    Ok(Op::ConvTranspose(ConvTranspose {
        window: Window::new(op, stride.len(), stride, padding, dilation)?,
        output_padding: each(op, "output_padding", output_padding, stride.len(), 0)?,
        groups: groups_of(op, groups)?,
    }))
}

impl Tensor {
    /// Computes a transposed convolution over the last one, two or three dimensions, depending on the kernel's rank:
    /// `[batch, groups ci, ..]` with a kernel `[groups ci, co, ..]` gives `[batch, groups co, ..]`, where a size n
    /// becomes `(n - 1) stride - 2 padding + dilation (k - 1) + 1 + output_padding`. Each slice has one number for all
    /// dimensions or one for each. NUMERIC dtypes; f16 and bf16 accumulate in f32, integers wrap. Fails if ranks or
    /// channels do not match, the padding leaves no output, or a stride or dilation is 0.
    pub fn conv_transpose_nd(
        &self,
        kernel: &Self,
        padding: &[usize],
        output_padding: &[usize],
        stride: &[usize],
        dilation: &[usize],
        groups: usize,
    ) -> Result<Self> {
        let spatial = kernel.rank().saturating_sub(2);
        let args = [padding, output_padding, stride, dilation];
        self.conv_transpose("conv_transpose", spatial, kernel, args, groups)
    }

    fn conv_transpose(
        &self,
        op: &'static str,
        spatial: usize,
        kernel: &Self,
        [padding, output_padding, stride, dilation]: [&[usize]; 4],
        groups: usize,
    ) -> Result<Self> {
        let window = Window::new(op, spatial, stride, padding, dilation)?;
        let output_padding = each(op, "output_padding", output_padding, spatial, 0)?;
        let groups = groups_of(op, groups)?;
        Tensor::run(Op::ConvTranspose(ConvTranspose { window, output_padding, groups }), &[self, kernel])
    }

    /// Transposed convolution of `[batch, channels, length]` with a kernel `[channels, out / groups, size]`: see
    /// [`Tensor::conv_transpose_nd`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 2.]]], &Device::Cpu)?;
    /// let k = Tensor::new(&[[[1f32, 10.]]], &Device::Cpu)?;
    /// assert_eq!(x.conv_transpose1d(&k, 0, 0, 2, 1, 1)?.to_vec3::<f32>()?, [[[1., 10., 2., 20.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn conv_transpose1d(
        &self,
        kernel: &Self,
        padding: usize,
        output_padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
    ) -> Result<Self> {
        let args: [&[usize]; 4] = [&[padding], &[output_padding], &[stride], &[dilation]];
        self.conv_transpose("conv_transpose1d", 1, kernel, args, groups)
    }

    /// Transposed convolution of `[batch, channels, h, w]` with a kernel `[channels, out, kh, kw]`: see
    /// [`Tensor::conv_transpose_nd`].
    pub fn conv_transpose2d(
        &self,
        kernel: &Self,
        padding: usize,
        output_padding: usize,
        stride: usize,
        dilation: usize,
    ) -> Result<Self> {
        self.conv_transpose2d_with_groups(kernel, padding, output_padding, stride, dilation, 1)
    }

    /// As [`Tensor::conv_transpose2d`], with groups: the kernel is `[channels, out / groups, kh, kw]`.
    pub fn conv_transpose2d_with_groups(
        &self,
        kernel: &Self,
        padding: usize,
        output_padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
    ) -> Result<Self> {
        let args: [&[usize]; 4] = [&[padding], &[output_padding], &[stride], &[dilation]];
        self.conv_transpose("conv_transpose2d", 2, kernel, args, groups)
    }
}
