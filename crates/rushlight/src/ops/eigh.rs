//! Eigenvalues and eigenvectors of symmetric and of complex Hermitian matrices.
use super::adjoint::{adjoint, real_part, turns, unit, with_phases};
use super::cholesky::{check_square, dominant, half_lower, part};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// The eigenvalues, in ascending order, and the eigenvectors of the symmetric or Hermitian matrix whose lower triangle is that of `x`
/// (the upper one is not read, nor are imaginary parts of the diagonal). The first of the largest elements of a vector is positive. The
/// last dimension of the result holds the eigenvalues, and then the matrix whose columns are the eigenvectors, row-major. Eigenvalues
/// of a complex matrix have imaginary parts, which are 0. A matrix with infinities or NaN gives NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Eigh {
    /// Whether there are vectors; otherwise the result holds values alone.
    pub vectors: bool,
}

impl Eigh {
    /// Returns values and vectors (without these an empty tensor) from the result for matrices `[n, n]`.
    pub(crate) fn parts(self, all: &Tensor, n: usize) -> Result<(Tensor, Tensor)> {
        let rows = if self.vectors { n } else { 0 };
        Ok((all.narrow(all.rank() - 1, 0, n)?, part(all, n, rows, n)?))
    }
}

/// Returns `1 / (b - a)` for all pairs of values in the last dimension, with 0 on the diagonal: element `[i, j]` is that of `a = x[i]`
/// and `b = x[j]`.
pub(super) fn inverse_gaps(x: &Tensor) -> Result<Tensor> {
    let last = x.rank() - 1;
    let n = x.dims()[last];
    let gaps = x.unsqueeze(last)?.broadcast_sub(&x.unsqueeze(last + 1)?)?;
    let eye = unit(n, x)?;
    let rest = eye.affine(-1.0, 1.0)?;
    gaps.broadcast_add(&eye)?.recip()?.broadcast_mul(&rest)
}

/// Multiplies by the inverse gaps of values. What is 0 stays 0, also where values are equal: the loss does not depend on which vectors
/// of equal values were chosen.
pub(super) fn by_gaps(x: &Tensor, gaps: &Tensor) -> Result<Tensor> {
    unless_zero(x, (x * gaps)?)
}

/// Returns a result where `x` is not 0, and 0 elsewhere.
pub(super) fn unless_zero(x: &Tensor, result: Tensor) -> Result<Tensor> {
    let zero = x.detach().zeros_like()?;
    x.detach().eq(&zero)?.where_cond(&zero, &result)
}

impl OpDef for Eigh {
    fn name(&self) -> &'static str {
        "eigh"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS.or(sets::COMPLEX))] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        check_square(self.name(), &ins[0].shape)?;
        let dims = ins[0].shape.dims();
        let n = dims[dims.len() - 1];
        let all = if self.vectors { n + n * n } else { n };
        Ok(Meta::new(Shape::from(&dims[..dims.len() - 2]).extend(&[all]), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    /// Giles 2008, "An extended collection of matrix derivative results for forward and reverse mode algorithmic differentiation",
    /// 3.1, for an input of which the lower triangle is read.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if !self.vectors {
            return Err(Error::gradient(c.op_name(), "it needs the vectors; use `vectors`"));
        }
        let all = c.output()?;
        let n = c.meta(0)?.shape.dims().last().copied().unwrap_or(0);
        let (values, vectors) = self.parts(&all, n)?;
        let (gl, mut gv) = self.parts(c.grad(), n)?;
        if vectors.elem_count() == 0 {
            return grads![vectors.zeros_like()?];
        }
        let dtype = vectors.dtype();
        if dtype.is_complex() {
            gv = with_phases(&vectors, &gv, &turns(&vectors, &gv)?)?;
        }
        let vh = adjoint(&vectors)?;
        let gaps = inverse_gaps(&real_part(&values)?)?.to_dtype(dtype)?;
        let inner = by_gaps(&vh.matmul(&gv)?, &gaps)?;
        let gl = real_part(&gl)?.to_dtype(dtype)?;
        let scaled = vectors.broadcast_mul(&gl.unsqueeze(gl.rank() - 1)?)?;
        let whole = (vectors.matmul(&inner)? + scaled)?.matmul(&vh)?;
        grads![half_lower(&(&whole + adjoint(&whole)?)?)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., values and vectors]")
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
        let op = |vectors| Op::Eigh(Self { vectors });
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
        // Zeros, of which the matrix is diagonal.
        all.push(Sample::new(op(true), any(0.0, 0.0)).no_grad());
        all.push(Sample::bad(op(true), x(&[3]), "expected a matrix"));
        all.push(Sample::bad(op(true), x(&[2, 3]), "expected square matrices"));
        all
    }
}
