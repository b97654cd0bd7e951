//! The mean and the variance of each channel over a batch.
use super::norm::wide;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// Of `x` of shape `[N, C, ..]` the mean of each channel over the other dimensions and its variance (over n, not n - 1), as two
/// rows of `C` numbers: `m = sum(x) / n`, `d = x - m`, `c = sum(d) / n`, mean `m + c` and variance
/// `max(sum(d^2) - sum(d) c, 0) / n`. The result is not rounded to the dtype of the input: it is F64 for F64, else F32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchNormStats;

/// The number of channels, or what is wrong with a shape.
pub(super) fn channels(op: &'static str, x: &Shape) -> Result<usize> {
    match x.dims() {
        [_, c, ..] => Ok(*c),
        _ => Err(Error::invalid(op, format!("needs an input of shape (N, C, ..), got {x:?}"))),
    }
}

/// The sizes `[N, C, all others]` of an input's dimensions, which were checked.
pub(crate) fn sizes(dims: &[usize]) -> [usize; 3] {
    [dims[0], dims[1], dims[2..].iter().product()]
}

impl OpDef for BatchNormStats {
    fn name(&self) -> &'static str {
        "batch_norm_stats"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let c = channels(self.name(), &ins[0].shape)?;
        Ok(Meta::new((2, c).into(), wide(ins[0].dtype)))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("gradients flow through batch_norm, in training")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[2, C] of an input of shape [N, C, ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
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
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-3.0, 3.0))];
        let op = || Op::BatchNormStats(BatchNormStats);
        let mut all: Vec<Sample> = SHAPES.iter().map(|s| Sample::new(op(), x(s)).no_grad()).collect();
        all.push(Sample::bad(op(), x(&[3]), "of shape (N, C, ..)"));
        all
    }
}

/// Shapes of samples.
pub(super) const SHAPES: &[&[usize]] = &[&[3, 5], &[4, 3, 5], &[2, 3, 4, 5], &[2, 3, 0], &[2, 0, 3]];

impl Tensor {
    /// The mean and the variance (over n) of each channel of `[N, C, ..]` over the other dimensions: two tensors of shape `[C]`,
    /// F64 for F64, else F32. They are not recorded for gradients. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 10.], [3., 30.]], &Device::Cpu)?;
    /// let (mean, var) = x.batch_norm_stats()?;
    /// assert_eq!(mean.to_vec1::<f32>()?, [2., 20.]);
    /// assert_eq!(var.to_vec1::<f32>()?, [1., 100.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn batch_norm_stats(&self) -> Result<(Self, Self)> {
        let both = Tensor::run(Op::BatchNormStats(BatchNormStats), &[&self.detach()])?;
        Ok((both.narrow(0, 0, 1)?.squeeze(0)?, both.narrow(0, 1, 1)?.squeeze(0)?))
    }
}
