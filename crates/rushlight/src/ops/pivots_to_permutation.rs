//! The order of rows that exchanges of rows make.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::DTypeSet;
use crate::{DType, Error, Result, Shape, Tensor};

/// The order of `rows` rows after exchanges: row k with row `pivots[k]` (from 1 on), one after the other. Row i of the result is
/// row `out[i]` (from 0 on, I64). Exchanges with rows that do not exist are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PivotsToPermutation {
    /// Number of rows.
    pub rows: usize,
}

impl OpDef for PivotsToPermutation {
    fn name(&self) -> &'static str {
        "pivots_to_permutation"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("pivots", DTypeSet::of(&[DType::I32, DType::I64]))] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let Some((count, lead)) = ins[0].shape.dims().split_last() else {
            return Err(Error::invalid(self.name(), "needs at least 1 dimension, got a scalar"));
        };
        if *count > self.rows {
            return Err(Error::invalid(self.name(), format!("{count} pivots for {} rows", self.rows)));
        }
        Ok(Meta::new(Shape::from(lead).extend(&[self.rows]), DType::I64))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output is an index")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[.., rows] of pivots of shape [.., k]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("rows", Kind::Int, Allowed::ByShape, "Number of rows.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Int(i64::try_from(self.rows).unwrap_or(i64::MAX))]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Matrix
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
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let op = |rows| Op::PivotsToPermutation(Self { rows });
        // Some pivots do not exist.
        let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-1.0, 8.0))];
        vec![
            Sample::new(op(6), x(&[5])),
            Sample::new(op(6), x(&[3, 6])),
            Sample::new(op(7), x(&[2, 3, 2])),
            Sample::new(op(0), x(&[2, 0])),
            Sample::new(op(4), x(&[3, 0])),
            Sample::new(op(4), x(&[0, 3])),
            Sample::bad(op(4), x(&[5]), "5 pivots for 4 rows"),
            Sample::bad(op(4), x(&[]), "a scalar"),
        ]
    }
}

impl Tensor {
    /// Returns the order of `rows` rows after exchanges: row k with row `self[k]` (from 1 on), one after the other. Row i of the
    /// result is row `out[i]`, an I64 from 0 on. Exchanges with rows that do not exist are left out. I32 and I64.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let order = Tensor::new(&[3i32, 3], &Device::Cpu)?.pivots_to_permutation(3)?;
    /// assert_eq!(order.to_vec1::<i64>()?, [2, 0, 1]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// There are more exchanges than rows.
    pub fn pivots_to_permutation(&self, rows: usize) -> Result<Self> {
        Tensor::run(Op::PivotsToPermutation(PivotsToPermutation { rows }), &[self])
    }
}
