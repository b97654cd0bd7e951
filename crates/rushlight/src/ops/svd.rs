//! The singular value decomposition.
use super::adjoint::{adjoint, real_part, turns, unit, with_phases};
use super::cholesky::{dominant, part, too_few};
use super::eigh::{by_gaps, inverse_gaps, unless_zero};
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// The factors that a singular value decomposition of matrices `[m, n]` returns beside the values; k is the smaller of m and n.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SvdMode {
    /// U of shape `[m, k]` and V^H of shape `[k, n]`.
    Reduced,
    /// U of shape `[m, m]` and V^H of shape `[n, n]`.
    Full,
    /// None.
    Values,
}

impl SvdMode {
    const WORDS: &'static [&'static str] = &["reduced", "full", "values"];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Reduced => "reduced",
            Self::Full => "full",
            Self::Values => "values",
        }
    }

    /// Returns the number of columns of U and of rows of V^H.
    pub(crate) const fn sizes(self, m: usize, n: usize) -> (usize, usize) {
        let k = if m < n { m } else { n };
        match self {
            Self::Reduced => (k, k),
            Self::Full => (m, n),
            Self::Values => (0, 0),
        }
    }
}

/// The singular values, in descending order, and the orthonormal factors of `x = U diag(S) V^H`. The first of the largest elements
/// of a column of U is positive, but for columns past the number of values. The last dimension of the result holds S, U and V^H,
/// row-major; S of a complex matrix has imaginary parts, which are 0. A matrix with infinities or NaN gives NaN.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Svd {
    /// The factors that are returned.
    pub mode: SvdMode,
}

impl Svd {
    /// Returns U, S and V^H from the result for matrices `[m, n]`.
    pub(crate) fn parts(self, all: &Tensor, m: usize, n: usize) -> Result<(Tensor, Tensor, Tensor)> {
        let (columns, rows) = self.mode.sizes(m, n);
        let (last, k) = (all.rank() - 1, m.min(n));
        let u = part(all, k, m, columns)?;
        Ok((u, all.narrow(last, 0, k)?, part(all, k + m * columns, rows, n)?))
    }
}

impl OpDef for Svd {
    fn name(&self) -> &'static str {
        "svd"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS.or(sets::COMPLEX))] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let [lead @ .., m, n] = ins[0].shape.dims() else { return Err(too_few(self.name(), &ins[0].shape)) };
        let (columns, rows) = self.mode.sizes(*m, *n);
        let all = m.min(n) + m * columns + rows * n;
        Ok(Meta::new(Shape::from(lead).extend(&[all]), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    /// Townsend 2016, "Differentiating the singular value decomposition".
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if self.mode == SvdMode::Values {
            let why = "it needs the factors; use the mode `reduced`";
            return Err(Error::gradient(c.op_name(), why));
        }
        let meta = c.meta(0)?;
        let dims = meta.shape.dims();
        let (m, n) = (dims[dims.len() - 2], dims[dims.len() - 1]);
        // Vectors beyond the values are any basis of what is left, so the loss must not depend on them; as in PyTorch their gradients
        // are not read.
        let reduced = |all: &Tensor| -> Result<(Tensor, Tensor, Tensor)> {
            let (u, s, vh) = self.parts(all, m, n)?;
            let (rows, k) = (u.rank() - 2, m.min(n));
            Ok((u.narrow(rows + 1, 0, k)?, s, vh.narrow(rows, 0, k)?))
        };
        let (u, s, vh) = reduced(&c.output()?)?;
        let (mut gu, gs, gvh) = reduced(c.grad())?;
        if u.elem_count() == 0 || vh.elem_count() == 0 {
            return grads![Tensor::zeros(&meta.shape, s.dtype(), s.device())?];
        }
        let (last, dtype) = (s.rank() - 1, s.dtype());
        let (row, column) = (s.unsqueeze(last)?, s.unsqueeze(last + 1)?);
        let (v, gv, uh) = (adjoint(&vh)?, adjoint(&gvh)?, adjoint(&u)?);
        if dtype.is_complex() {
            gu = with_phases(&u, &gu, &(turns(&u, &gu)? + turns(&v, &gv)?)?)?;
        }
        // Element [i, j] is 1 / (s_j^2 - s_i^2).
        let f = inverse_gaps(&real_part(&s)?.sqr()?)?.to_dtype(dtype)?;
        let antisymmetric = |x: Tensor| &x - adjoint(&x)?;
        let of_u = antisymmetric(uh.matmul(&gu)?)?;
        let of_v = by_gaps(&antisymmetric(vh.matmul(&gv)?)?, &f)?.broadcast_mul(&column)?;
        let eye = unit(m.min(n), &s)?;
        let gs = real_part(&gs)?.to_dtype(dtype)?.unsqueeze(last)?;
        let mut inner = ((by_gaps(&of_u, &f)?.broadcast_mul(&row)? + of_v)? + eye.broadcast_mul(&gs)?)?;
        if dtype.is_complex() {
            // The phases of a value's two vectors depend on each other alone.
            let own = of_u.broadcast_mul(&eye)?;
            inner = (inner + unless_zero(&own, own.broadcast_div(&(&row * 2.0)?)?)?)?;
        }
        let mut all = u.matmul(&inner)?.matmul(&vh)?;
        if m > n {
            let rest = (&gu - u.matmul(&uh.matmul(&gu)?)?)?;
            all = (all + unless_zero(&rest, rest.broadcast_div(&row)?)?.matmul(&vh)?)?;
        }
        if n > m {
            let rest = (&gvh - gvh.matmul(&v)?.matmul(&vh)?)?;
            all = (all + u.matmul(&unless_zero(&rest, rest.broadcast_div(&column)?)?)?)?;
        }
        grads![all]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., values and elements of U and V^H]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new(
                "mode",
                Kind::Choice(SvdMode::WORDS),
                Allowed::Any,
                "The factors: `reduced`, `full` or `values`, none.",
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
        let op = |mode| Op::Svd(Self { mode });
        let x = |shape: &[usize]| dominant(shape, 1);
        let mut all = Vec::new();
        let shapes: [&[usize]; 8] =
            [&[5, 3], &[4, 4], &[2, 3, 5], &[2, 4, 3], &[1, 1], &[0, 3], &[3, 0], &[0, 2, 2]];
        for shape in shapes {
            all.push(Sample::new(op(SvdMode::Reduced), x(shape)));
        }
        for shape in [&[5usize, 3][..], &[2, 3, 4], &[3, 0], &[0, 2]] {
            all.push(Sample::new(op(SvdMode::Full), x(shape)).no_grad());
            all.push(Sample::new(op(SvdMode::Values), x(shape)).no_grad());
        }
        // Values that lie close together, which a gradient would magnify.
        all.push(Sample::new(op(SvdMode::Reduced), x(&[12, 10])).no_grad());
        let any = |a: f64, b: f64| vec![Spec::new([2, 5, 4], Domain::Range(a, b))];
        all.push(Sample::new(op(SvdMode::Reduced), any(-2.0, 2.0)).no_grad());
        // Of rank 1 and 0.
        all.push(Sample::new(op(SvdMode::Reduced), any(1.0, 1.0)).no_grad());
        all.push(Sample::new(op(SvdMode::Full), any(0.0, 0.0)).no_grad());
        all.push(Sample::bad(op(SvdMode::Reduced), x(&[3]), "expected a matrix"));
        all
    }
}
