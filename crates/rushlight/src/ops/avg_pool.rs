//! Average pooling.
use super::avg_pool_backward::AvgPoolBackward;
use super::pool::{self, Pool};
use super::window::{ToUsize2, last3, sizes};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes the mean of each window. The sum is in row-major order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AvgPool {
    /// The windows, without dilation.
    pub pool: Pool,
    /// Whether padding counts as zeros (PyTorch's default), or is left out of the mean.
    pub count_include_pad: bool,
    /// Divisor of the sums; 0: the number of elements of the window.
    pub divisor: i64,
}

/// The attributes of regular windows.
pub(super) const REGULAR: [AttributeSpec; 6] = [
    pool::UNDILATED[0],
    pool::UNDILATED[1],
    pool::UNDILATED[2],
    pool::UNDILATED[3],
    AttributeSpec::new("count_include_pad", Kind::Bool, Allowed::Any, "Whether padding counts as zeros.")
        .or(Value::Bool(true)),
    AttributeSpec::new(
        "divisor_override",
        Kind::Int,
        Allowed::Any,
        "Divisor of the sums; 0: the number of elements of the window.",
    )
    .or(Value::Int(0)),
];

impl AvgPool {
    /// Means over adaptive windows.
    fn adaptive(pool: Pool) -> Self {
        Self { pool, count_include_pad: false, divisor: 0 }
    }

    /// The values of [`REGULAR`] or of [`pool::ADAPTIVE`].
    pub(super) fn attribute_values(&self) -> Vec<Value> {
        let mut all = self.pool.values();
        if !self.pool.is_adaptive() {
            // No dilation.
            all.remove(3);
            all.extend([Value::Bool(self.count_include_pad), Value::Int(self.divisor)]);
        }
        all
    }

    /// Samples, with the shape of the input and that of the output.
    pub(super) fn pool_samples(make: impl Fn(Self, &[usize], Option<&[usize]>) -> Sample) -> Vec<Sample> {
        let of = |count_include_pad, divisor| {
            let all =
                pool::samples(false, |pool, x, out| make(Self { pool, count_include_pad, divisor }, x, out));
            all.into_iter().filter(move |s| s.error.is_none() || count_include_pad)
        };
        let mut all: Vec<Sample> = of(true, 0).chain(of(false, 0)).collect();
        // Windows at the edge of the padding, of another divisor.
        let pool = Pool::sample(&[3, 2], [&[2, 1], &[1, 1], &[1]]).ceil_mode(true);
        let other = Self { pool, count_include_pad: true, divisor: 5 };
        all.push(make(other, &[1, 2, 4, 3], Some(&[1, 2, 3, 4])));
        all.extend(pool::adaptive_samples(|pool, x, out| make(Self::adaptive(pool), x, out)));
        all
    }
}

impl OpDef for AvgPool {
    fn name(&self) -> &'static str {
        self.pool.named([
            ["avg_pool1d", "avg_pool2d", "avg_pool3d"],
            ["adaptive_avg_pool1d", "adaptive_avg_pool2d", "adaptive_avg_pool3d"],
        ])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.pool.output(self.name(), &ins[0])
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
        if self.pool.is_adaptive() { &pool::ADAPTIVE } else { &REGULAR }
    }

    fn values(&self) -> Vec<Value> {
        self.attribute_values()
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
        Self::pool_samples(|op, x, _| Sample::new(Op::AvgPool(op), vec![Spec::new(x, d)]))
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (kernel_size: Sizes, stride: Sizes, padding: Sizes, ceil_mode: Bool, count_include_pad: Bool,
                    divisor_override: Int) =>
                Pool::new("avg_pool", &kernel_size, &stride, &padding).map(|pool| {
                    let pool = pool.ceil_mode(ceil_mode);
                    Op::AvgPool(Self { pool, count_include_pad, divisor: divisor_override })
                })
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
                Pool::adaptive("adaptive_avg_pool", &output_size).map(|pool| Op::AvgPool(Self::adaptive(pool)))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        vec![
            of_rank(1, "_avg_pool1d", "Computes the mean of each window of (n, c, l)."),
            of_rank(2, "_avg_pool2d", "Computes the mean of each window of (n, c, h, w)."),
            of_rank(3, "_avg_pool3d", "Computes the mean of each window of (n, c, d, h, w)."),
            adaptive(1, "_adaptive_avg_pool1d", "Computes the mean of each adaptive window of (n, c, l)."),
            adaptive(2, "_adaptive_avg_pool2d", "Computes the mean of each adaptive window of (n, c, h, w)."),
            adaptive(
                3,
                "_adaptive_avg_pool3d",
                "Computes the mean of each adaptive window of (n, c, d, h, w).",
            ),
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
        Tensor::run(Op::AvgPool(AvgPool { pool, count_include_pad, divisor: 0 }), &[self])
    }

    /// The mean of each of `output` windows, one number for each spatial dimension (1 to 3), of `[batch, channels, ..]`:
    /// see [`Pool::adaptive`]. FLOAT dtypes. Errors: another rank, an empty spatial dimension.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 2., 6., 4., 5.]]], &Device::Cpu)?;
    /// assert_eq!(x.adaptive_avg_pool_nd(&[2])?.flatten_all()?.to_vec1::<f32>()?, [3., 5.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn adaptive_avg_pool_nd(&self, output: &[usize]) -> Result<Self> {
        let pool = Pool::adaptive("adaptive_avg_pool", output)?;
        Tensor::run(Op::AvgPool(AvgPool::adaptive(pool)), &[self])
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
