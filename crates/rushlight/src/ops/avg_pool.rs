//! Average pooling.
use super::avg_pool_backward::AvgPoolBackward;
use super::max_pool::{pool_samples, pooled};
use super::window::{Pool, ToUsize2, last3, sizes};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes the mean of each window. The sum is in row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvgPool {
    /// The window.
    pub pool: Pool,
    /// Whether padding counts as zeros (PyTorch's default), or is left out of the mean.
    pub count_include_pad: bool,
}

impl OpDef for AvgPool {
    fn name(&self) -> &'static str {
        self.pool.window().named(["avg_pool1d", "avg_pool2d", "avg_pool3d"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        pooled(&self.pool, self.name(), &ins[0])
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let size = last3(sizes(&c.meta(0)?.shape, self.pool.window().spatial())?).map(|v| v as u32);
        let op = Op::AvgPoolBackward(AvgPoolBackward { avg: *self, size });
        grads![Tensor::run(op, &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, windows ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                attribute::KERNEL_SIZE,
                attribute::STRIDE,
                attribute::PADDING,
                AttributeSpec::new(
                    "count_include_pad",
                    Kind::Bool,
                    Allowed::Any,
                    "Whether padding counts as zeros.",
                )
                .or(Value::Bool(true)),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.pool.window().spatial(), self.pool.kernel()),
            Value::sizes(self.pool.window().spatial(), self.pool.window().stride()),
            Value::sizes(self.pool.window().spatial(), self.pool.window().padding()),
            Value::Bool(self.count_include_pad),
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let make = |count_include_pad| {
            pool_samples(move |pool, x, _| {
                Sample::new(Op::AvgPool(Self { pool, count_include_pad }), vec![Spec::new(x, d)])
            })
        };
        let mut all = make(true);
        all.extend(make(false).into_iter().filter(|s| s.error.is_none()));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (kernel_size: Sizes, stride: Sizes, padding: Sizes, count_include_pad: Bool) =>
                Pool::new("avg_pool", &kernel_size, &stride, &padding)
                    .map(|pool| Op::AvgPool(Self { pool, count_include_pad }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        vec![
            of_rank(1, "_avg_pool1d", "Mean of each window of (n, c, l)."),
            of_rank(2, "_avg_pool2d", "Mean of each window of (n, c, h, w)."),
            of_rank(3, "_avg_pool3d", "Mean of each window of (n, c, d, h, w)."),
        ]
    }
}

impl Tensor {
    /// Computes the mean of each window over the last dimensions of `[batch, channels, ..]`; `kernel` has a size for
    /// each of these 1 to 3 dimensions. Padding is at most half a window. It counts as zeros if `count_include_pad` is
    /// true, else it is left out of the mean. FLOAT dtypes; f16 and bf16 accumulate in f32. Fails for another rank, a
    /// window larger than the padded input, or a stride of 0.
    pub fn avg_pool_nd(
        &self,
        kernel: &[usize],
        stride: &[usize],
        padding: &[usize],
        count_include_pad: bool,
    ) -> Result<Self> {
        let pool = Pool::new("avg_pool", kernel, stride, padding)?;
        Tensor::run(Op::AvgPool(AvgPool { pool, count_include_pad }), &[self])
    }

    /// Average pooling of `[batch, channels, length]` with adjacent windows: see [`Tensor::avg_pool_nd`].
    pub fn avg_pool1d(&self, sz: usize) -> Result<Self> {
        self.avg_pool1d_with_stride(sz, sz)
    }

    /// As [`Tensor::avg_pool1d`], with a separate stride.
    pub fn avg_pool1d_with_stride(&self, kernel_size: usize, stride: usize) -> Result<Self> {
        self.avg_pool_nd(&[kernel_size], &[stride], &[0], true)
    }

    /// Average pooling of `[batch, channels, h, w]` with adjacent windows: see [`Tensor::avg_pool_nd`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[[1f32, 2., 5., 4.], [3., 0., 1., 2.]]]], &Device::Cpu)?;
    /// assert_eq!(x.avg_pool2d((2, 2))?.flatten_all()?.to_vec1::<f32>()?, [1.5, 3.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn avg_pool2d<T: ToUsize2>(&self, sz: T) -> Result<Self> {
        let (h, w) = sz.to_usize2();
        self.avg_pool_nd(&[h, w], &[h, w], &[0], true)
    }

    /// As [`Tensor::avg_pool2d`], with a separate stride.
    pub fn avg_pool2d_with_stride<T: ToUsize2>(&self, kernel_size: T, stride: T) -> Result<Self> {
        let (k, s) = (kernel_size.to_usize2(), stride.to_usize2());
        self.avg_pool_nd(&[k.0, k.1], &[s.0, s.1], &[0], true)
    }
}
