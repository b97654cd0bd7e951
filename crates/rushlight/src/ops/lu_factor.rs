//! The LU factorization with exchanges of rows.
use super::cholesky::{dominant, too_few};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Error, Result, Shape, Tensor};

/// The factors of `x` of shape `[.., m, n]`, of which rows are exchanged: a lower triangular matrix with ones on its diagonal,
/// which are left out, and an upper triangular one, in one matrix; and a further row with the number of the row (from 0) that
/// each of the first `min(m, n)` rows is exchanged with, one after the other. The pivot is the first of the largest elements of a
/// column. A column of zeros is not divided by its pivot, which is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LuFactor;

/// Returns the factors without the row of pivots.
pub(crate) fn factors(all: &Tensor) -> Result<Tensor> {
    let dim = all.rank() - 2;
    all.narrow(dim, 0, all.dims()[dim] - 1)
}

/// Returns the pivots, from 1 on, as I32.
pub(crate) fn pivots(all: &Tensor) -> Result<Tensor> {
    let (all, dim) = (all.detach(), all.rank() - 2);
    let (m, n) = (all.dims()[dim] - 1, all.dims()[dim + 1]);
    all.narrow(dim, m, 1)?.squeeze(dim)?.narrow(dim, 0, m.min(n))?.affine(1.0, 1.0)?.to_dtype(DType::I32)
}

/// Returns `x` with its rows in another order, which each batch element has.
pub(crate) fn rows_in_order(x: &Tensor, order: &Tensor) -> Result<Tensor> {
    let dim = x.rank() - 2;
    x.gather(&order.unsqueeze(dim + 1)?.broadcast_as(x.shape())?, dim)
}

impl LuFactor {
    /// Returns the gradient of the input, whose rows are those of the factors, from the factors and their gradient.
    fn gradient(lu: &Tensor, g: &Tensor) -> Result<Tensor> {
        let (rows, columns) = (lu.rank() - 2, lu.rank() - 1);
        let (m, n) = (lu.dims()[rows], lu.dims()[columns]);
        let k = m.min(n);
        let square = |t: &Tensor| t.narrow(rows, 0, k)?.narrow(columns, 0, k);
        let (f, d) = (square(lu)?, square(g)?);
        let (upper, lower_t) = (f.triu(0)?, f.tril(-1)?.t()?);
        let low = d.tril(-1)?;
        let mut left = (lower_t.matmul(&low)? + &low)?;
        let mut right = d.triu(0)?.matmul(&upper.t()?)?;
        let (more_columns, more_rows) = (n - k, m - k);
        if more_columns > 0 {
            let part = |t: &Tensor| t.narrow(columns, k, more_columns);
            left = (left - part(g)?.matmul(&part(lu)?.t()?)?)?;
        }
        if more_rows > 0 {
            let part = |t: &Tensor| t.narrow(rows, k, more_rows);
            right = (right - part(lu)?.t()?.matmul(&part(g)?)?)?;
        }
        let inner = (left.tril(-1)? + right.triu(0)?)?;
        // L^-T inner U^-T
        let lower_t = f.t()?;
        let by_lower = |x: &Tensor| lower_t.solve_unit_upper(x);
        let by_upper = |x: &Tensor| f.solve_upper(&x.t()?)?.t();
        let first = by_upper(&by_lower(&inner)?)?;
        if more_columns > 0 {
            return Tensor::cat(&[first, by_lower(&g.narrow(columns, k, more_columns)?)?], columns);
        }
        if more_rows > 0 {
            return Tensor::cat(&[first, by_upper(&g.narrow(rows, k, more_rows)?)?], rows);
        }
        Ok(first)
    }
}

impl OpDef for LuFactor {
    fn name(&self) -> &'static str {
        "lu_factor"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::PARTS)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let [lead @ .., m, n] = ins[0].shape.dims() else { return Err(too_few(self.name(), &ins[0].shape)) };
        // An F32 holds the number of a row exactly.
        if *m >= 1 << 24 {
            return Err(Error::invalid(self.name(), format!("{m} rows are too many")));
        }
        Ok(Meta::new(Shape::from(lead).extend(&[m + 1, *n]), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::OUTPUT
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let all = c.output()?;
        let lu = factors(&all)?;
        if lu.elem_count() == 0 {
            return grads![lu.zeros_like()?];
        }
        let order = pivots(&all)?.pivots_to_permutation(lu.dims()[lu.rank() - 2])?;
        let grad = Self::gradient(&lu, &factors(c.grad())?)?;
        let back = order.argsort(order.rank() - 1, false, DType::I64)?;
        grads![rows_in_order(&grad, &back)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., m + 1, n] of an input of shape [.., m, n]")
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
        let op = || Op::LuFactor(Self);
        // The largest elements are not on the diagonal.
        let x = |shape: &[usize]| dominant(shape, 1);
        let shapes: [&[usize]; 10] = [
            &[4, 4],
            &[2, 3, 5],
            &[5, 3],
            &[2, 3, 3],
            &[1, 1],
            &[9, 9],
            &[12, 10],
            &[0, 3],
            &[3, 0],
            &[0, 2, 2],
        ];
        let mut all: Vec<Sample> = shapes.iter().map(|shape| Sample::new(op(), x(shape))).collect();
        all.push(Sample::new(op(), vec![Spec::new([2, 5, 5], Domain::Range(-2.0, 2.0))]).no_grad());
        all.push(Sample::bad(op(), x(&[3]), "expected a matrix"));
        all
    }
}
