//! The op index_select: selects elements of a dimension by a vector of indices.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, index_mode,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::index_add::IndexAdd;
use crate::{Dim, Result, Tensor};

/// Computes `out[.., j, ..] = x[.., ids[j], ..]` along a dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSelect {
    /// The dimension.
    pub dim: usize,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for IndexSelect {
    fn name(&self) -> &'static str {
        "index_select"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL), Input::new("ids", sets::INDEX)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(2)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let x = c.meta(0)?;
        let zeros = Tensor::zeros(x.shape, x.dtype, c.grad().device())?;
        let add = Op::IndexAdd(IndexAdd { dim: self.dim, rule: self.rule });
        grads![Tensor::run(add, &[&zeros, &c.input(1)?, c.grad()])?, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Selected { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::dim("Dimension that the indices are of."), index_mode::MODE] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim), self.rule.value()]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Indexed
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
        Thresholds::INDEXED
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let op = |dim| Op::IndexSelect(IndexSelect { dim, rule: IndexMode::Within });
        let ruled = |rule| {
            let ins = vec![Spec::new([4, 3], d), Spec::ruled(9, 4, rule)];
            Sample::new(Op::IndexSelect(IndexSelect { dim: 0, rule }), ins)
        };
        vec![
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(5, 4)]),
            Sample::new(op(1), vec![Spec::new([2, 4, 3], d), Spec::index(2, 4)]),
            Sample::new(op(2), vec![Spec::new([2, 3, 4], d), Spec::index(6, 4)]),
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index(0, 4)]),
            ruled(IndexMode::FromEnd),
            ruled(IndexMode::MaxSkips),
            Sample::bad(op(0), vec![Spec::new([4, 3], d), Spec::index([2, 2], 4)], "unexpected rank"),
            Sample::bad(op(2), vec![Spec::new([4, 3], d), Spec::index(2, 4)], "out of range"),
        ]
    }
}

impl Tensor {
    /// Selects elements of a dimension by a vector of indices. All dtypes; indices: INDEX dtypes. An index equal to its
    /// dtype's largest value gives zeros, as in candle; any other index out of range is an error.
    pub fn index_select<D: Dim>(&self, ids: &Self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "index_select")?;
        Tensor::run(Op::IndexSelect(IndexSelect { dim, rule: IndexMode::MaxSkips }), &[self, ids])
    }
}
