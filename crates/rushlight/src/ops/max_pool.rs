//! Max pooling.
use super::max_pool_backward::MaxPoolBackward;
use super::pool::{self, Pool};
use super::window::ToUsize2;
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes the largest element of each window, without padding; NaN if the window contains one. The gradient flows to
/// the first of equal elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPool {
    /// The windows.
    pub pool: Pool,
}

impl OpDef for MaxPool {
    fn name(&self) -> &'static str {
        self.pool.named([
            ["max_pool1d", "max_pool2d", "max_pool3d"],
            ["adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"],
        ])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.pool.output(self.name(), &ins[0])
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let op = Op::MaxPoolBackward(MaxPoolBackward { pool: self.pool });
        grads![Tensor::run(op, &[&c.input(0)?, c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, windows ..]")
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
        Accuracy::Rounded
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
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let make = |pool, x: &[usize], _: Option<&[usize]>| {
            Sample::new(Op::MaxPool(Self { pool }), vec![Spec::new(x, Domain::Distinct)])
        };
        [pool::samples(true, make), pool::adaptive_samples(make)].concat()
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: Bool) =>
                Pool::new("max_pool", &kernel_size, &stride, &padding)
                    .and_then(|pool| pool.dilated("max_pool", &dilation))
                    .map(|pool| Op::MaxPool(Self { pool: pool.ceil_mode(ceil_mode) }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        let adaptive = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (output_size: Sizes) =>
                Pool::adaptive("adaptive_max_pool", &output_size).map(|pool| Op::MaxPool(Self { pool }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        vec![
            of_rank(1, "_max_pool1d", "Computes the maximum of each window of (n, c, l)."),
            of_rank(2, "_max_pool2d", "Computes the maximum of each window of (n, c, h, w)."),
            of_rank(3, "_max_pool3d", "Computes the maximum of each window of (n, c, d, h, w)."),
            adaptive(1, "_adaptive_max_pool1d", "Computes the maximum of each adaptive window of (n, c, l)."),
            adaptive(
                2,
                "_adaptive_max_pool2d",
                "Computes the maximum of each adaptive window of (n, c, h, w).",
            ),
            adaptive(
                3,
                "_adaptive_max_pool3d",
                "Computes the maximum of each adaptive window of (n, c, d, h, w).",
            ),
        ]
    }
}

impl Tensor {
    /// Computes the largest element of each window over the last dimensions of `[batch, channels, ..]`; `kernel` has a
    /// size for each of these 1 to 3 dimensions. Padding is at most half a window, and adds no elements. NaN if the
    /// window contains one. NUMERIC dtypes. Fails for another rank, a window larger than the padded input, or a stride
    /// of 0.
    pub fn max_pool_nd(&self, kernel: &[usize], stride: &[usize], padding: &[usize]) -> Result<Self> {
        self.max_pool(Pool::new("max_pool", kernel, stride, padding)?)
    }

    /// As [`Tensor::max_pool_nd`], of any windows: dilated ones, `ceil_mode`, adaptive ones. See [`Pool`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::pool::Pool};
    /// let x = Tensor::new(&[[[1f32, 2., 5., 4., 3.]]], &Device::Cpu)?;
    /// let halves = x.max_pool(Pool::adaptive("max_pool", &[2])?)?;
    /// assert_eq!(halves.flatten_all()?.to_vec1::<f32>()?, [5., 5.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn max_pool(&self, pool: Pool) -> Result<Self> {
        Tensor::run(Op::MaxPool(MaxPool { pool }), &[self])
    }

    /// Max pooling of `[batch, channels, length]` with adjacent windows: see [`Tensor::max_pool_nd`].
    pub fn max_pool1d(&self, sz: usize) -> Result<Self> {
        self.max_pool1d_with_stride(sz, sz)
    }

    /// As [`Tensor::max_pool1d`], with a separate stride.
    pub fn max_pool1d_with_stride(&self, kernel_size: usize, stride: usize) -> Result<Self> {
        self.max_pool_nd(&[kernel_size], &[stride], &[0])
    }

    /// Max pooling of `[batch, channels, h, w]` with adjacent windows: see [`Tensor::max_pool_nd`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[[1f32, 2., 5., 4.], [3., 0., 1., 2.]]]], &Device::Cpu)?;
    /// assert_eq!(x.max_pool2d(2)?.flatten_all()?.to_vec1::<f32>()?, [3., 5.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn max_pool2d<T: ToUsize2>(&self, sz: T) -> Result<Self> {
        let (h, w) = sz.to_usize2();
        self.max_pool_nd(&[h, w], &[h, w], &[0])
    }

    /// As [`Tensor::max_pool2d`], with a separate stride.
    pub fn max_pool2d_with_stride<T: ToUsize2>(&self, kernel_size: T, stride: T) -> Result<Self> {
        let (k, s) = (kernel_size.to_usize2(), stride.to_usize2());
        self.max_pool_nd(&[k.0, k.1], &[s.0, s.1], &[0])
    }
}
