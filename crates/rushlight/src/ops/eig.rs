//! Eigenvalues and eigenvectors of general matrices.
use super::adjoint::{adjoint, solve_by, turns, unit, with_phases};
use super::cholesky::{check_square, dominant, part};
use super::eigh::{by_gaps, inverse_gaps};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// The eigenvalues of square matrices, of which, for real matrices, complex ones come in pairs, that with the positive imaginary part
/// first; and the eigenvectors, of norm 1, whose first largest element is positive. The last dimension of the result holds the
/// eigenvalues, and then the matrix whose columns are the eigenvectors, row-major; for real matrices as pairs of real and imaginary
/// parts. A matrix with infinities or NaN gives NaN.
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
        if all.dtype().is_complex() {
            return Ok((all.narrow(last, 0, n)?, part(all, n, rows, n)?));
        }
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
        const { &[Input::new("x", sets::PARTS.or(sets::COMPLEX))] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check_square(self.name(), &ins[0].shape)?;
        let dims = ins[0].shape.dims();
        let n = dims[dims.len() - 1];
        let all = if self.vectors { n + n * n } else { n };
        let parts = if ins[0].dtype.is_complex() { 1 } else { 2 };
        Ok(Meta::new(Shape::from(&dims[..dims.len() - 2]).extend(&[parts * all]), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    /// Boeddeker et al. 2017, "On the computation of complex-valued gradients with application to statistically optimum beamforming",
    /// 4.77, for vectors of norm 1.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if !self.vectors {
            return Err(Error::gradient(c.op_name(), "it needs the vectors; use `vectors`"));
        }
        let meta = c.meta(0)?;
        let n = meta.shape.dims().last().copied().unwrap_or(0);
        let all = c.output()?;
        if all.elem_count() == 0 {
            return grads![Tensor::zeros(&meta.shape, meta.dtype, all.device())?];
        }
        let (values, vectors) = self.parts(&all, n)?;
        let (gl, gv) = self.parts(c.grad(), n)?;
        let rows = vectors.rank() - 2;
        let gv = with_phases(&vectors, &gv, &turns(&vectors, &gv)?)?;
        let vh = adjoint(&vectors)?;
        let products = vh.matmul(&gv)?;
        let eye = unit(n, &vectors)?;
        let own = products.broadcast_mul(&eye)?.sum_keepdim(rows)?;
        let change = (products - vh.matmul(&vectors)?.broadcast_mul(&own)?)?;
        let inner = (by_gaps(&change, &inverse_gaps(&values)?.conj()?)?
            + eye.broadcast_mul(&gl.unsqueeze(rows)?)?)?;
        let grad = solve_by(&vh, &inner.matmul(&vh)?, |a, b| Ok(a.solve_ex(b, true)?.0))?;
        grads![if meta.dtype.is_complex() { grad } else { grad.real()? }]
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
            all.push(Sample::new(op(true), x(shape)));
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
