//! Eigenvalues and eigenvectors of general matrices.
use super::cholesky::{check_square, dominant};
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

const NO_GRADIENT: &str = "its gradient is not written yet; for symmetric matrices use `eigh`";

/// The eigenvalues of square matrices, of which complex ones come in pairs, that with the positive imaginary part first; and the
/// eigenvectors, of norm 1, whose first largest element is positive. The last dimension of the result holds the eigenvalues, and
/// then the matrix whose columns are the eigenvectors, row-major, as pairs of real and imaginary parts. A matrix with infinities or NaN
/// gives NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eig {
    /// Whether there are vectors; otherwise the result holds values alone.
    pub vectors: bool,
}

impl Eig {
    /// Returns values and vectors (without these an empty tensor), which are complex, from the result for matrices `[n, n]`.
    pub(crate) fn parts(self, all: &Tensor, n: usize) -> Result<(Tensor, Tensor)> {
        let last = all.rank() - 1;
        let lead = Shape::from(&all.dims()[..last]);
        let rows = if self.vectors { n } else { 0 };
        let values = all.narrow(last, 0, 2 * n)?.reshape(lead.clone().extend(&[n, 2]))?;
        let vectors = all.narrow(last, 2 * n, 2 * rows * n)?.reshape(lead.extend(&[rows, n, 2]))?;
        Ok((values.contiguous()?.view_as_complex()?, vectors.contiguous()?.view_as_complex()?))
    }
}

impl OpDef for Eig {
    fn name(&self) -> &'static str {
        "eig"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check_square(self.name(), &ins[0].shape)?;
        let dims = ins[0].shape.dims();
        let n = dims[dims.len() - 1];
        let all = if self.vectors { n + n * n } else { n };
        Ok(Meta::new(Shape::from(&dims[..dims.len() - 2]).extend(&[2 * all]), ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused(NO_GRADIENT)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        Err(Error::gradient(c.op_name(), NO_GRADIENT))
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., parts of values and vectors]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new("vectors", Kind::Bool, Allowed::Any, "Whether there are vectors.")
                .or(Value::Bool(true))]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Bool(self.vectors)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Matrix
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Drawn
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
        let op = |vectors| Op::Eig(Self { vectors });
        let x = |shape: &[usize]| dominant(shape, 1);
        let mut all = Vec::new();
        for shape in
            [&[4usize, 4][..], &[2, 3, 3], &[1, 1], &[2, 2], &[9, 9], &[0, 0], &[2, 0, 0], &[0, 3, 3]]
        {
            all.push(Sample::new(op(true), x(shape)).no_grad());
        }
        all.push(Sample::new(op(false), x(&[2, 5, 5])).no_grad());
        let any = |a: f64, b: f64| vec![Spec::new([2, 6, 6], Domain::Range(a, b))];
        all.push(Sample::new(op(true), any(-2.0, 2.0)).no_grad());
        all.push(Sample::new(op(true), any(0.0, 0.0)).no_grad());
        all.push(Sample::bad(op(true), x(&[3]), "expected a matrix"));
        all.push(Sample::bad(op(true), x(&[2, 3]), "expected square matrices"));
        all
    }
}
