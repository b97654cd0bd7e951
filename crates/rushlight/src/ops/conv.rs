//! Convolution over 1 to 3 spatial dimensions.
use super::conv_transpose::ConvTranspose;
use super::conv_weight_grad::ConvWeightGrad;
use super::window::{Window, last3, shape_of, sizes};
use super::{
    Accuracy, AttributeSpec, ConvPass, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    attribute, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::shape::DimVec;
use crate::{Error, Result, Tensor};

/// Computes `out[b, g co + r, o] = sum over c, k of x[b, g ci + c, o s + k d - p] kernel[g co + r, c, k]`, where `x` is
/// zero outside its bounds. This is the cross-correlation that is called convolution in deep learning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conv {
    /// Stride, padding and dilation.
    pub window: Window,
    /// Number of groups of channels. A group's outputs depend on the group's inputs only.
    pub groups: u32,
}

/// Converts a number of groups to the op's attribute, or returns an error if it exceeds `u32`.
pub(crate) fn groups_of(op: &'static str, groups: usize) -> Result<u32> {
    u32::try_from(groups).map_err(|_| Error::invalid(op, format!("{groups} groups are too many")))
}

/// The tensor arguments of a convolution with an optional bias.
pub(super) const WITH_BIAS: &[TensorArgument] = &[
    TensorArgument::new("x", "Input of shape (n, channels, ..), of an integer or floating-point dtype."),
    TensorArgument::new("weight", "Kernel, of the dtype of ``x``."),
    TensorArgument::optional("bias", "One number for each channel of the result, which is added to it."),
];

/// Runs a convolution, and adds a bias if one is given.
pub(super) fn with_bias(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let name = op.name();
    let &[Some(x), Some(weight), bias] = tensors else {
        return Err(Error::invalid(name, "needs an input and a weight"));
    };
    let out = Tensor::run(op, &[x, weight])?;
    let Some(bias) = bias else { return Ok(out) };
    let channels = out.dims()[1];
    if bias.dims() != [channels] {
        return Err(Error::shapes(out.shape(), bias.shape(), name));
    }
    let mut shape = DimVec::from_elem(1, out.rank());
    shape[1] = channels;
    out.broadcast_add(&bias.reshape(crate::Shape::from(shape))?)
}

impl OpDef for Conv {
    fn name(&self) -> &'static str {
        self.window.named(["conv1d", "conv2d", "conv3d"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC), Input::same("kernel", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (op, n, groups) = (self.name(), self.window.spatial(), self.groups as usize);
        let (x, k) = (sizes(&ins[0].shape, n)?, sizes(&ins[1].shape, n)?);
        if k[1].checked_mul(groups) != Some(x[1]) {
            if n == 1 {
                return Err(Error::Conv1dInvalidArgs {
                    inp_shape: ins[0].shape.clone(),
                    k_shape: ins[1].shape.clone(),
                    padding: self.window.padding()[2],
                    stride: self.window.stride()[2],
                    msg: "the number of in-channels on the input doesn't match the kernel size",
                }
                .bt());
            }
            return Err(Error::invalid(
                op,
                format!(
                    "in_channel mismatch between input ({}, groups {groups}) and kernel ({}): input {:?}, kernel {:?}",
                    x[1], k[1], ins[0].shape, ins[1].shape
                ),
            ));
        }
        if !k[0].is_multiple_of(groups) {
            return Err(Error::invalid(
                op,
                format!(
                    "out_channel {} is not divisible by the number of groups {groups}: kernel {:?}",
                    k[0], ins[1].shape
                ),
            ));
        }
        let out = self.window.slide(op, &ins[0].shape, last3(k))?;
        Ok(Meta::new(shape_of(x[0], k[0], out, n), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::other_factor(wanted)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let n = self.window.spatial();
        let (x, k) = (sizes(&c.meta(0)?.shape, n)?, sizes(&c.meta(1)?.shape, n)?);
        let (window, groups) = (self.window, self.groups);
        let of_x = || {
            let meta = c.meta(0)?;
            if meta.shape.elem_count() == 0 {
                return Tensor::zeros(meta.shape, meta.dtype, c.grad().device());
            }
            let windows = last3(sizes(c.grad().shape(), n)?);
            let output_padding = window.remainder(self.name(), last3(x), windows, last3(k))?;
            let op = Op::ConvTranspose(ConvTranspose { window, output_padding, groups });
            Tensor::run(op, &[c.grad(), &c.input(1)?])
        };
        let of_kernel = || {
            let kernel = last3(k).map(|v| v as u32);
            let op = Op::ConvWeightGrad(ConvWeightGrad { window, kernel, groups });
            Tensor::run(op, &[&c.input(0)?, c.grad()])
        };
        grads![c.when(0, of_x)?, c.when(1, of_kernel)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, out channels, windows ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[attribute::STRIDE, attribute::PADDING, attribute::DILATION, attribute::GROUPS] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.window.spatial(), self.window.stride()),
            Value::sizes(self.window.spatial(), self.window.padding()),
            Value::sizes(self.window.spatial(), self.window.dilation()),
            Value::Int(i64::from(self.groups)),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Convolution(ConvPass::Forward)
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        // Input, kernel, stride, padding, dilation, groups.
        type Case<'a> = (&'a [usize], &'a [usize], &'a [u32], &'a [u32], &'a [u32], u32);
        let make = |(x, k, stride, padding, dilation, groups): Case<'_>| {
            let window = Window::sample(x.len() - 2, [stride, padding, dilation]);
            (Op::Conv(Conv { window, groups }), vec![Spec::new(x, d), Spec::new(k, d)])
        };
        let good: [Case<'_>; 16] = [
            (&[2, 2, 5], &[2, 2, 3], &[1], &[0], &[1], 1),
            (&[2, 2, 6], &[4, 1, 2], &[2], &[1], &[2], 2),
            (&[1, 3, 4], &[3, 1, 3], &[1], &[2], &[1], 3),
            (&[1, 2, 5], &[2, 2, 1], &[3], &[0], &[1], 1),
            (&[0, 2, 5], &[2, 2, 3], &[1], &[1], &[1], 1),
            (&[2, 2, 3, 4], &[2, 2, 2, 3], &[1], &[0], &[1], 1),
            (&[2, 2, 4, 3], &[2, 2, 1, 1], &[1], &[0], &[1], 1),
            (&[1, 2, 5, 4], &[2, 2, 3, 2], &[2], &[1], &[1], 1),
            (&[1, 4, 3, 4], &[4, 2, 2, 2], &[1, 2], &[1, 0], &[2, 1], 2),
            (&[2, 3, 3, 3], &[6, 1, 2, 2], &[1], &[1], &[1], 3),
            (&[2, 2, 3, 3], &[0, 2, 2, 2], &[1], &[0], &[1], 1),
            (&[1, 2, 0, 3], &[2, 2, 2, 2], &[1], &[1], &[1], 1),
            (&[1, 2, 2, 3, 3], &[2, 2, 2, 2, 2], &[1], &[0], &[1], 1),
            (&[1, 2, 3, 2, 4], &[2, 1, 2, 1, 2], &[2, 1, 2], &[1, 0, 1], &[1, 1, 2], 2),
            // Packs of channels, of which a GPU's tiles consist.
            (&[2, 8, 4, 5], &[3, 8, 3, 2], &[1], &[1], &[1], 1),
            (&[1, 16, 7], &[12, 8, 3], &[2], &[1], &[2], 2),
        ];
        let bad: [(Case<'_>, &'static str); 11] = [
            ((&[2, 3, 5], &[2, 2, 3], &[1], &[0], &[1], 1), "the number of in-channels"),
            ((&[2, 3, 5, 5], &[2, 2, 3, 3], &[1], &[0], &[1], 1), "in_channel mismatch"),
            ((&[2, 4, 5, 5], &[3, 2, 3, 3], &[1], &[0], &[1], 2), "not divisible"),
            ((&[2, 4, 5, 5], &[4, 4, 3, 3], &[1], &[0], &[1], 0), "groups must be a number of at least 1"),
            ((&[2, 2, 5, 5], &[2, 2, 3], &[1], &[0], &[1], 1), "unexpected rank"),
            ((&[2, 2, 5, 2], &[2, 2, 3, 3], &[1], &[0], &[1], 1), "larger than the input size"),
            ((&[2, 2, 4, 4], &[2, 2, 2, 2], &[1], &[0], &[4], 1), "larger than the input size"),
            ((&[2, 2, 5, 5], &[2, 2, 0, 3], &[1], &[0], &[1], 1), "kernel is empty"),
            ((&[2, 2, 5, 5], &[2, 2, 3, 3], &[0], &[0], &[1], 1), "stride must be positive"),
            ((&[2, 2, 5, 5], &[2, 2, 3, 3], &[1], &[0], &[0], 1), "dilation must be positive"),
            ((&[2, 2, 5], &[2, 2, 3, 3], &[1], &[0], &[1], 1), "unexpected rank"),
        ];
        Sample::table(make, good, bad)
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (stride: Sizes, padding: Sizes, dilation: Sizes, groups: Count) => {
                    Window::new("conv", stride.len(), &stride, &padding, &dilation).and_then(|window| {
                        Ok(Op::Conv(Self { window, groups: groups_of("conv", groups)? }))
                    })
                }
            )
            .named(name)
            .spatial(spatial)
            .calling(WITH_BIAS, with_bias)
            .without_method()
        };
        vec![
            of_rank(
                1,
                "_conv1d",
                "Computes the cross-correlation of (n, c, l) with (o, c / groups, k), plus a bias.",
            ),
            of_rank(
                2,
                "_conv2d",
                "Computes the cross-correlation of (n, c, h, w) with (o, c / groups, kh, kw), plus a bias.",
            ),
            of_rank(
                3,
                "_conv3d",
                "Computes the cross-correlation of (n, c, d, h, w) with (o, c / groups, kd, kh, kw), plus a bias.",
            ),
        ]
    }
}

/// Candle's names of cuDNN's algorithms of convolutions. The library chooses the algorithm itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum CudnnFwdAlgo {
    ImplicitGemm,
    ImplicitPrecompGemm,
    Gemm,
    Direct,
    Fft,
    FftTiling,
    Winograd,
    WinogradNonFused,
    Count,
}

impl Tensor {
    /// Computes a convolution over the last one, two or three dimensions, depending on the kernel's rank:
    /// `[batch, groups ci, ..]` with a kernel `[groups co, ci, ..]` gives `[batch, groups co, ..]`. Padding (with
    /// zeros), stride and dilation have one number for all dimensions or one for each. NUMERIC dtypes; f16 and bf16
    /// accumulate in f32, integers wrap. Fails if ranks or channels do not match, the kernel is larger than the padded
    /// input, or a stride or dilation is 0.
    pub fn conv_nd(
        &self,
        kernel: &Self,
        padding: &[usize],
        stride: &[usize],
        dilation: &[usize],
        groups: usize,
    ) -> Result<Self> {
        self.conv("conv", kernel.rank().saturating_sub(2), kernel, [padding, stride, dilation], groups)
    }

    fn conv(
        &self,
        op: &'static str,
        spatial: usize,
        kernel: &Self,
        [padding, stride, dilation]: [&[usize]; 3],
        groups: usize,
    ) -> Result<Self> {
        let window = Window::new(op, spatial, stride, padding, dilation)?;
        let groups = groups_of(op, groups)?;
        Tensor::run(Op::Conv(Conv { window, groups }), &[self, kernel])
    }

    /// Convolution of `[batch, channels, length]` with a kernel `[out, channels / groups, size]`: see
    /// [`Tensor::conv_nd`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 2., 3., 4.]]], &Device::Cpu)?;
    /// let k = Tensor::new(&[[[1f32, 10.]]], &Device::Cpu)?;
    /// assert_eq!(x.conv1d(&k, 0, 1, 1, 1)?.to_vec3::<f32>()?, [[[21., 32., 43.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn conv1d(
        &self,
        kernel: &Self,
        padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
    ) -> Result<Self> {
        self.conv("conv1d", 1, kernel, [&[padding], &[stride], &[dilation]], groups)
    }

    /// Convolution of `[batch, channels, h, w]` with a kernel `[out, channels / groups, kh, kw]`: see
    /// [`Tensor::conv_nd`].
    pub fn conv2d(
        &self,
        kernel: &Self,
        padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
    ) -> Result<Self> {
        self.conv("conv2d", 2, kernel, [&[padding], &[stride], &[dilation]], groups)
    }

    /// Same as [`Tensor::conv1d`]. The algorithm is ignored: it exists so that candle code compiles.
    pub fn conv1d_with_algo(
        &self,
        kernel: &Self,
        padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
        _cudnn_fwd_algo: Option<CudnnFwdAlgo>,
    ) -> Result<Self> {
        self.conv1d(kernel, padding, stride, dilation, groups)
    }

    /// Same as [`Tensor::conv2d`]. The algorithm is ignored: it exists so that candle code compiles.
    pub fn conv2d_with_algo(
        &self,
        kernel: &Self,
        padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
        _cudnn_fwd_algo: Option<CudnnFwdAlgo>,
    ) -> Result<Self> {
        self.conv2d(kernel, padding, stride, dilation, groups)
    }

    /// Convolution of `[batch, channels, d, h, w]` with a kernel `[out, channels / groups, kd, kh, kw]`: see
    /// [`Tensor::conv_nd`].
    pub fn conv3d(
        &self,
        kernel: &Self,
        padding: usize,
        stride: usize,
        dilation: usize,
        groups: usize,
    ) -> Result<Self> {
        self.conv("conv3d", 3, kernel, [&[padding], &[stride], &[dilation]], groups)
    }
}
