//! Running sums along a dimension.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Dim, Result, Tensor};

/// Computes `out[k] = x[0] + .. + x[k]` along a dimension, or the sums from the other end. Elements are added one after
/// the other in the accumulation type (f32 for f16 and bf16), and each output is rounded. Integers wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CumSum {
    /// The dimension.
    pub dim: usize,
    /// Whether to sum from the end: `out[k] = x[k] + .. + x[n - 1]`.
    pub reverse: bool,
}

impl OpDef for CumSum {
    fn name(&self) -> &'static str {
        "cumsum"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let back = Op::CumSum(CumSum { dim: self.dim, reverse: !self.reverse });
        grads![Tensor::run(back, &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Along { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::dim("Dimension to sum along."),
                AttributeSpec::flag("reverse", "Whether sums start from the end."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim), Value::Bool(self.reverse)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
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
        Thresholds::SCAN
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let mut all = Vec::new();
        for reverse in [false, true] {
            let op = |dim| Op::CumSum(CumSum { dim, reverse });
            for (shape, dim) in
                [(&[5usize][..], 0), (&[3, 4], 0), (&[3, 4], 1), (&[2, 3, 2], 1), (&[0, 4], 0), (&[4, 0], 1)]
            {
                all.push(Sample::new(op(dim), vec![Spec::new(shape, d)]));
            }
            all.push(Sample::bad(op(2), vec![Spec::new([3, 4], d)], "out of range"));
        }
        all
    }
}

impl Tensor {
    /// Computes running sums along a dimension: element k is the sum of elements 0 to k. Elements are added in order,
    /// f16 and bf16 in f32; integers wrap in their own dtype. NUMERIC dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = Tensor::new(&[[3f32, 1., 4.], [1., 5., 9.]], &Device::Cpu)?;
    /// assert_eq!(t.cumsum(1)?.to_vec2::<f32>()?, [[3., 4., 8.], [1., 6., 15.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn cumsum<D: Dim>(&self, dim: D) -> Result<Self> {
        let dim = dim.to_index(self.shape(), "cumsum")?;
        Tensor::run(Op::CumSum(CumSum { dim, reverse: false }), &[self])
    }
}
