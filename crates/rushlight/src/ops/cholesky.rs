//! Cholesky's factorization of positive definite matrices.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// The lower triangular matrix L with a positive diagonal for which `L L^T` is the matrix whose lower triangle is that of `x`
/// (the upper one is not read). In a matrix that is not positive definite, the first diagonal element without a root is NaN,
/// and so are all that depend on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cholesky;

/// Returns an error unless the last two dimensions are equal.
pub(crate) fn check_square(op: &'static str, shape: &Shape) -> Result<()> {
    match shape.dims() {
        [.., a, b] if a == b => Ok(()),
        [.., _, _] => Err(Error::invalid(op, format!("expected square matrices, got shape {shape:?}"))),
        _ => Err(too_few(op, shape)),
    }
}

/// The error for a tensor that holds no matrix.
pub(crate) fn too_few(op: &'static str, shape: &Shape) -> Error {
    Error::invalid(op, format!("expected a matrix or a batch of matrices, got shape {shape:?}"))
}

/// Returns the lower triangle with half of the diagonal.
pub(super) fn half_lower(x: &Tensor) -> Result<Tensor> {
    (x.tril(0)? + x.tril(-1)?)? * 0.5
}

/// Returns the matrices `[rows, columns]` whose elements the last dimension of a decomposition's result holds from `start` on.
pub(super) fn part(all: &Tensor, start: usize, rows: usize, columns: usize) -> Result<Tensor> {
    let last = all.rank() - 1;
    let shape = Shape::from(&all.dims()[..last]).extend(&[rows, columns]);
    all.narrow(last, start, rows * columns)?.reshape(shape)
}

/// The input of a sample: matrices of a shape, whose large diagonal begins in this column ([`Domain::Dominant`]).
pub(super) fn dominant(shape: &[usize], diagonal: usize) -> Vec<Spec> {
    vec![Spec::new(shape, Domain::Dominant(shape.last().copied().unwrap_or(0), diagonal))]
}

impl OpDef for Cholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check_square(self.name(), &ins[0].shape)?;
        Ok(ins[0].clone())
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    /// Murray 2016, "Differentiation of the Cholesky decomposition", for an input of which the lower triangle is read.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let l = c.output()?;
        let lt = l.t()?;
        let inner = half_lower(&lt.matmul(&c.grad().tril(0)?)?)?;
        let left = lt.solve_upper(&inner)?;
        let both = lt.solve_upper(&left.t()?)?;
        grads![half_lower(&(&both + both.t()?)?)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Matrix
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
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let op = || Op::Cholesky(Self);
        let x = |shape: &[usize]| dominant(shape, 0);
        let mut all: Vec<Sample> =
            [&[4usize, 4][..], &[2, 3, 3], &[1, 1], &[9, 9], &[0, 0], &[2, 0, 0], &[0, 3, 3]]
                .iter()
                .map(|shape| Sample::new(op(), x(shape)))
                .collect();
        // Not positive definite.
        all.push(Sample::new(op(), vec![Spec::new([2, 5, 5], Domain::Range(-1.0, 1.0))]).no_grad());
        all.push(Sample::bad(op(), x(&[3]), "expected a matrix"));
        all.push(Sample::bad(op(), x(&[2, 3]), "expected square matrices"));
        all
    }
}
