//! Max pooling.
use super::max_pool_backward::MaxPoolBackward;
use super::window::{Pool, ToUsize2, shape_of};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes the largest element of each window, without padding; NaN if the window contains one. The gradient flows to
/// the first of equal elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPool {
    /// The window.
    pub pool: Pool,
}

/// Returns the shape and dtype of a pool's output.
pub(crate) fn pooled(pool: &Pool, op: &'static str, x: &Meta) -> Result<Meta> {
    let out = pool.slide(op, &x.shape)?;
    let dims = x.shape.dims();
    Ok(Meta::new(shape_of(dims[0], dims[1], out, pool.window().spatial()), x.dtype))
}

/// Returns samples of a pooling op, valid and invalid, with the shapes of the input and of the output.
pub(crate) fn pool_samples(make: impl Fn(Pool, &[usize], Option<&[usize]>) -> Sample) -> Vec<Sample> {
    // Input, kernel, stride, padding, output.
    type Case<'a> = (&'a [usize], &'a [u32], &'a [u32], &'a [u32], &'a [usize]);
    let good: [Case<'_>; 9] = [
        (&[2, 2, 6], &[2], &[2], &[0], &[2, 2, 3]),
        (&[1, 2, 7], &[3], &[2], &[1], &[1, 2, 4]),
        (&[1, 2, 5], &[2], &[3], &[0], &[1, 2, 2]),
        (&[0, 2, 5], &[2], &[1], &[0], &[0, 2, 4]),
        (&[2, 2, 4, 4], &[2, 2], &[2], &[0], &[2, 2, 2, 2]),
        (&[1, 2, 5, 4], &[3, 2], &[2, 1], &[1, 0], &[1, 2, 3, 3]),
        (&[1, 2, 4, 5], &[3, 3], &[1], &[1], &[1, 2, 4, 5]),
        (&[1, 1, 3, 3], &[1, 1], &[1], &[0], &[1, 1, 3, 3]),
        (&[1, 2, 3, 3, 4], &[2, 1, 2], &[1, 2, 2], &[0], &[1, 2, 2, 2, 2]),
    ];
    let bad: [(Case<'_>, &'static str); 7] = [
        ((&[2, 2, 3], &[4], &[1], &[0], &[]), "larger than the input size"),
        ((&[2, 2, 5, 3], &[4, 4], &[1], &[0], &[]), "larger than the input size"),
        ((&[2, 2, 4], &[2], &[0], &[0], &[]), "stride must be positive"),
        ((&[2, 2, 4], &[0], &[1], &[0], &[]), "kernel is empty"),
        ((&[2, 2, 4], &[3], &[1], &[2], &[]), "at most half"),
        ((&[2, 2, 4, 4], &[2], &[1], &[0], &[]), "unexpected rank"),
        ((&[2, 2, 0, 4], &[2, 2], &[1], &[1], &[]), "empty tensor"),
    ];
    let mut all: Vec<Sample> =
        good.into_iter().map(|(x, k, s, p, out)| make(Pool::sample(k, s, p), x, Some(out))).collect();
    all.extend(bad.into_iter().map(|((x, k, s, p, _), text)| {
        let mut sample = make(Pool::sample(k, s, p), x, None);
        (sample.error, sample.grad) = (Some(text), false);
        sample
    }));
    all
}

impl OpDef for MaxPool {
    fn name(&self) -> &'static str {
        self.pool.window().named(["max_pool1d", "max_pool2d", "max_pool3d"])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        pooled(&self.pool, self.name(), &ins[0])
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
        pool_samples(|pool, x, _| {
            Sample::new(Op::MaxPool(Self { pool }), vec![Spec::new(x, Domain::Distinct)])
        })
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name, doc| {
            signature!(
                AsGiven,
                doc,
                [],
                (kernel_size: Sizes, stride: Sizes, padding: Sizes) =>
                Pool::new("max_pool", &kernel_size, &stride, &padding).map(|pool| Op::MaxPool(Self { pool }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        vec![
            of_rank(1, "_max_pool1d", "Maximum of each window of (n, c, l)."),
            of_rank(2, "_max_pool2d", "Maximum of each window of (n, c, h, w)."),
            of_rank(3, "_max_pool3d", "Maximum of each window of (n, c, d, h, w)."),
        ]
    }
}

impl Tensor {
    /// Computes the largest element of each window over the last dimensions of `[batch, channels, ..]`; `kernel` has a
    /// size for each of these 1 to 3 dimensions. Padding is at most half a window, and adds no elements. NaN if the
    /// window contains one. NUMERIC dtypes. Fails for another rank, a window larger than the padded input, or a stride
    /// of 0.
    pub fn max_pool_nd(&self, kernel: &[usize], stride: &[usize], padding: &[usize]) -> Result<Self> {
        let pool = Pool::new("max_pool", kernel, stride, padding)?;
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
