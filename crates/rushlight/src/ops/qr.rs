//! The QR factorization.
use super::adjoint::{adjoint, solve_by};
use super::cholesky::{dominant, part, too_few};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// The factors that a QR factorization of matrices `[m, n]` returns; k is the smaller of m and n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QrMode {
    /// Q of shape `[m, k]` and R of shape `[k, n]`.
    Reduced,
    /// Q of shape `[m, m]` and R of shape `[m, n]`.
    Complete,
    /// R of shape `[k, n]` alone.
    R,
}

impl QrMode {
    const WORDS: &'static [&'static str] = &["reduced", "complete", "r"];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Reduced => "reduced",
            Self::Complete => "complete",
            Self::R => "r",
        }
    }

    /// Returns the number of columns of Q and of rows of R.
    pub(crate) const fn sizes(self, m: usize, n: usize) -> (usize, usize) {
        let k = if m < n { m } else { n };
        match self {
            Self::Reduced => (k, k),
            Self::Complete => (m, m),
            Self::R => (0, k),
        }
    }
}

/// The factors of `x = Q R`: Q with orthonormal columns, and R, an upper triangular matrix, by Householder's reflections. The
/// diagonal of R is real and has LAPACK's signs. The last dimension of the result holds the elements of Q, row-major, and then those of R.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Qr {
    /// The factors that are returned.
    pub mode: QrMode,
}

impl Qr {
    /// Returns Q and R from the result for matrices `[m, n]`.
    pub(crate) fn parts(self, all: &Tensor, m: usize, n: usize) -> Result<(Tensor, Tensor)> {
        let (columns, rows) = self.mode.sizes(m, n);
        Ok((part(all, 0, m, columns)?, part(all, m * columns, rows, n)?))
    }

    /// Returns the gradient of square matrices, or of more rows than columns.
    fn gradient(q: &Tensor, r: &Tensor, gq: &Tensor, gr: &Tensor) -> Result<Tensor> {
        let inner = (gr.matmul(&adjoint(r)?)? - adjoint(q)?.matmul(gq)?)?.triu(0)?;
        let above = inner.triu(1)?;
        // The diagonal of R is real.
        let inner = if inner.dtype().is_complex() {
            (&above + (&inner - &above)?.real()?.to_dtype(inner.dtype())?)?
        } else {
            inner
        };
        let symmetric = (&inner + adjoint(&above)?)?;
        // X R^H = G is R X^H = G^H.
        let right = adjoint(&(gq + q.matmul(&symmetric)?)?)?;
        adjoint(&solve_by(r, &right, Tensor::solve_upper)?)
    }
}

impl OpDef for Qr {
    fn name(&self) -> &'static str {
        "qr"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS.or(sets::COMPLEX))] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let [lead @ .., m, n] = ins[0].shape.dims() else { return Err(too_few(self.name(), &ins[0].shape)) };
        let (columns, rows) = self.mode.sizes(*m, *n);
        Ok(Meta::new(Shape::from(lead).extend(&[m * columns + rows * n]), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1).or(Reads::OUTPUT)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if self.mode == QrMode::R {
            return Err(Error::gradient(c.op_name(), "it needs Q; use the mode `reduced`"));
        }
        let x = c.input(0)?;
        let (rows, columns) = (x.rank() - 2, x.rank() - 1);
        let (m, n) = (x.dims()[rows], x.dims()[columns]);
        if self.mode == QrMode::Complete && m > n {
            let why = "Q is not unique in the mode `complete` for more rows than columns; use `reduced`";
            return Err(Error::gradient(c.op_name(), why));
        }
        if x.elem_count() == 0 {
            return grads![x.zeros_like()?];
        }
        let (q, r) = self.parts(&c.output()?, m, n)?;
        let (gq, gr) = self.parts(c.grad(), m, n)?;
        if m >= n {
            return grads![Self::gradient(&q, &r, &gq, &gr)?];
        }
        // The further columns of R are Q^H times those of x.
        let (first, rest) = (|t: &Tensor| t.narrow(columns, 0, m), |t: &Tensor| t.narrow(columns, m, n - m));
        let gq = (gq + rest(&x)?.matmul(&adjoint(&rest(&gr)?)?)?)?;
        let square = Self::gradient(&q, &first(&r)?, &gq, &first(&gr)?)?;
        grads![Tensor::cat(&[square, q.matmul(&rest(&gr)?)?], columns)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., elements of Q and R]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new(
                "mode",
                Kind::Choice(QrMode::WORDS),
                Allowed::Any,
                "The factors: `reduced`, `complete` or `r`, R alone.",
            )
            .or(Value::Choice("reduced"))]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.mode.as_str())]
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
        let op = |mode| Op::Qr(Self { mode });
        let x = |shape: &[usize]| dominant(shape, 1);
        let mut all = Vec::new();
        let shapes: [&[usize]; 9] =
            [&[5, 3], &[4, 4], &[2, 3, 5], &[2, 4, 3], &[1, 1], &[12, 10], &[0, 3], &[3, 0], &[0, 2, 2]];
        for shape in shapes {
            all.push(Sample::new(op(QrMode::Reduced), x(shape)));
        }
        for shape in [&[5usize, 3][..], &[2, 3, 4], &[3, 0]] {
            let complete = Sample::new(op(QrMode::Complete), x(shape));
            all.push(if shape[0] == 2 { complete } else { complete.no_grad() });
            all.push(Sample::new(op(QrMode::R), x(shape)).no_grad());
        }
        // Numbers at the ends of the range.
        all.push(
            Sample::new(op(QrMode::Reduced), vec![Spec::new([5, 4], Domain::Range(-2.0, 2.0))]).no_grad(),
        );
        all.push(Sample::bad(op(QrMode::Reduced), x(&[3]), "expected a matrix"));
        all
    }
}
