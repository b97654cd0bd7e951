//! The index of the largest value of each window.
use super::pool::{self, Pool};
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

/// The row-major index, among the spatial dimensions of the input, of each window's first largest value (of its first
/// NaN, if it holds one). int64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaxPoolIndices {
    /// The windows.
    pub pool: Pool,
}

impl OpDef for MaxPoolIndices {
    fn name(&self) -> &'static str {
        self.pool.named([
            ["max_pool1d_indices", "max_pool2d_indices", "max_pool3d_indices"],
            ["adaptive_max_pool1d_indices", "adaptive_max_pool2d_indices", "adaptive_max_pool3d_indices"],
        ])
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.pool.output(self.name(), &ins[0])?.shape, DType::I64))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is an index")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
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
            Sample::new(Op::MaxPoolIndices(Self { pool }), vec![Spec::new(x, Domain::Distinct)])
        };
        [pool::samples(true, make), pool::adaptive_samples(make)].concat()
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, name| {
            signature!(
                AsGiven,
                "Returns the index of the maximum of each window.",
                [],
                (kernel_size: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, ceil_mode: Bool) =>
                Pool::new("max_pool", &kernel_size, &stride, &padding)
                    .and_then(|pool| pool.dilated("max_pool", &dilation))
                    .map(|pool| Op::MaxPoolIndices(Self { pool: pool.ceil_mode(ceil_mode) }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        let adaptive = |spatial, name| {
            signature!(
                AsGiven,
                "Returns the index of the maximum of each adaptive window.",
                [],
                (output_size: Sizes) =>
                Pool::adaptive("adaptive_max_pool", &output_size).map(|pool| Op::MaxPoolIndices(Self { pool }))
            )
            .named(name)
            .spatial(spatial)
            .without_method()
        };
        vec![
            of_rank(1, "_max_pool1d_indices"),
            of_rank(2, "_max_pool2d_indices"),
            of_rank(3, "_max_pool3d_indices"),
            adaptive(1, "_adaptive_max_pool1d_indices"),
            adaptive(2, "_adaptive_max_pool2d_indices"),
            adaptive(3, "_adaptive_max_pool3d_indices"),
        ]
    }
}

impl Tensor {
    /// The row-major index, among the spatial dimensions, of each window's first largest value, as int64: see
    /// [`Tensor::max_pool`], whose errors it has.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::pool::Pool};
    /// let x = Tensor::new(&[[[1f32, 2., 5., 4.]]], &Device::Cpu)?;
    /// let indices = x.max_pool_indices(Pool::new("max_pool", &[2], &[2], &[0])?)?;
    /// assert_eq!(indices.flatten_all()?.to_vec1::<i64>()?, [1, 2]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn max_pool_indices(&self, pool: Pool) -> Result<Self> {
        Tensor::run(Op::MaxPoolIndices(MaxPoolIndices { pool }), &[self])
    }
}
