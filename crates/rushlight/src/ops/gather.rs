//! The op gather: selects an element along a dimension for each element of an index tensor.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, IndexMode, Input, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, index_mode,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::scatter::{Scatter, ScatterMode};
use crate::{Dim, Result, Tensor};

/// Computes `out[i, j, k] = x[i, ids[i, j, k], k]` along a dimension (here 1). The output has the shape of `ids`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gather {
    /// The dimension.
    pub dim: usize,
    /// Meaning of indices outside the dimension.
    pub rule: IndexMode,
}

impl OpDef for Gather {
    fn name(&self) -> &'static str {
        "gather"
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
        let definition = Scatter { dim: self.dim, mode: ScatterMode::Add, in_place: true, rule: self.rule };
        if c.records() {
            let definition = Scatter { in_place: false, ..definition };
            return grads![Tensor::run(Op::Scatter(definition), &[&zeros, &c.input(1)?, c.grad()])?, None];
        }
        Tensor::run_inplace(Op::Scatter(definition), &[&zeros], &[&c.input(1)?, c.grad()])?;
        grads![zeros, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Gathered { dim: self.dim }
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
        let op = |dim| Op::Gather(Gather { dim, rule: IndexMode::Within });
        let ruled = |rule| {
            let ins = vec![Spec::new([2, 4], d), Spec::ruled([2, 9], 4, rule)];
            Sample::new(Op::Gather(Gather { dim: 1, rule }), ins)
        };
        vec![
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index([2, 3], 4)]),
            Sample::new(op(1), vec![Spec::new([2, 4, 3], d), Spec::index([2, 5, 3], 4)]),
            Sample::new(op(1), vec![Spec::new([3, 4, 3], d), Spec::index([2, 3, 2], 4)]),
            Sample::new(op(2), vec![Spec::new([2, 2, 4], d), Spec::index([2, 2, 1], 4)]),
            Sample::new(op(0), vec![Spec::new([4, 3], d), Spec::index([0, 3], 4)]),
            Sample::new(op(0), vec![Spec::new(5, d), Spec::index(7, 5)]),
            ruled(IndexMode::FromEnd),
            ruled(IndexMode::MaxSkips),
            Sample::bad(
                op(0),
                vec![Spec::new([4, 3], d), Spec::index([2, 4], 4)],
                "shape mismatch in gather",
            ),
            Sample::bad(op(0), vec![Spec::new([4, 3], d), Spec::index(2, 4)], "shape mismatch in gather"),
            Sample::bad(op(2), vec![Spec::new([4, 3], d), Spec::index([4, 3], 4)], "out of range"),
        ]
    }
}

impl Tensor {
    /// Selects an element along a dimension for each element of `indexes`: for dimension 0,
    /// `out[i][j] = self[indexes[i][j]][j]`. The output has the shape of `indexes`, which may be smaller than this
    /// tensor in the other dimensions. All dtypes; `indexes`: INDEX dtypes. An index equal to its dtype's largest value
    /// gives 0, as in candle; any other index out of range is an error.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let ids = Tensor::new(&[[1u32], [0]], &Device::Cpu)?;
    /// assert_eq!(t.gather(&ids, 1)?.to_vec2::<f32>()?, [[2.], [3.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn gather<D: Dim>(&self, indexes: &Self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "gather")?;
        Tensor::run(Op::Gather(Gather { dim, rule: IndexMode::MaxSkips }), &[self, indexes])
    }
}
