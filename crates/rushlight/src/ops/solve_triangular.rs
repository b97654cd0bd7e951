//! The solution of triangular systems.
use super::cholesky::check_square;
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// The solution X of `A X = B` for a triangular matrix A, of which the other triangle is not read; it is not finite where a
/// diagonal element is 0. Shapes are `[.., n, n]` and `[.., n, k]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveTriangular {
    /// A is upper triangular.
    pub upper: bool,
    /// The diagonal of A is not read and counts as ones.
    pub unit: bool,
}

impl OpDef for SolveTriangular {
    fn name(&self) -> &'static str {
        "solve_triangular"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("a", sets::PARTS), Input::same("b", sets::PARTS)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (a, b) = (&ins[0].shape, &ins[1].shape);
        check_square(self.name(), a)?;
        let last = a.rank() - 1;
        if b.rank() != a.rank() || b.dims()[..last] != a.dims()[..last] {
            return Err(Error::shapes(a, b, self.name()));
        }
        Ok(ins[1].clone())
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1).or(Reads::OUTPUT)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        if wanted == 1 { Reads::inputs(1) } else { self.reads() }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let back = Op::SolveTriangular(Self { upper: !self.upper, ..*self });
        let of_b = Tensor::run(back, &[&c.input(0)?.t()?, c.grad()])?;
        let of_a = c.when(0, || {
            let all = of_b.matmul(&c.output()?.t()?)?.neg()?;
            let skip = i64::from(self.unit);
            if self.upper { all.triu(skip) } else { all.tril(-skip) }
        })?;
        grads![of_a, c.when(1, || Ok(of_b))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(1)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::flag("upper", "Whether the matrix is upper triangular."),
                AttributeSpec::flag("unit", "Whether the diagonal is not read and counts as ones."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Bool(self.upper), Value::Bool(self.unit)]
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
        const VARIANTS: [(bool, bool); 4] = [(false, false), (true, false), (false, true), (true, true)];
        let make = |a: &[usize], b: &[usize]| {
            let size = |s: &[usize]| s.last().copied().unwrap_or(0);
            vec![Spec::new(a, Domain::Dominant(size(a), 0)), Spec::new(b, Domain::Dominant(size(b), 1))]
        };
        let op = |(upper, unit)| Op::SolveTriangular(Self { upper, unit });
        let shapes: [(&[usize], &[usize]); 7] = [
            (&[4, 4], &[4, 3]),
            (&[2, 3, 3], &[2, 3, 1]),
            (&[9, 9], &[9, 5]),
            (&[1, 1], &[1, 2]),
            (&[0, 0], &[0, 2]),
            (&[3, 3], &[3, 0]),
            (&[0, 3, 3], &[0, 3, 2]),
        ];
        let mut all = Vec::new();
        for (a, b) in shapes {
            all.extend(VARIANTS.map(|v| Sample::new(op(v), make(a, b))));
        }
        for v in VARIANTS {
            let mut any = make(&[4, 4], &[4, 3]);
            any[1].domain = Domain::Range(-2.0, 2.0);
            all.push(Sample::new(op(v), any).no_grad());
        }
        let bad: [(&[usize], &[usize], &str); 5] = [
            (&[3], &[3], "expected a matrix"),
            (&[2, 3], &[2, 3], "expected square matrices"),
            (&[3, 3], &[2, 3], "shape mismatch"),
            (&[3, 3], &[3], "shape mismatch"),
            (&[2, 3, 3], &[3, 3, 1], "shape mismatch"),
        ];
        all.extend(bad.map(|(a, b, text)| Sample::bad(op(VARIANTS[0]), make(a, b), text)));
        all
    }
}

impl Tensor {
    /// Solves `self X = b` for an upper triangular matrix.
    pub(crate) fn solve_upper(&self, b: &Self) -> Result<Self> {
        Tensor::run(Op::SolveTriangular(SolveTriangular { upper: true, unit: false }), &[self, b])
    }

    /// Solves `self X = b` for an upper triangular matrix whose diagonal counts as ones.
    pub(crate) fn solve_unit_upper(&self, b: &Self) -> Result<Self> {
        Tensor::run(Op::SolveTriangular(SolveTriangular { upper: true, unit: true }), &[self, b])
    }
}
