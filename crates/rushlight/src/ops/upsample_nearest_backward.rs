//! The gradient of resizing by the nearest element.
use super::resize::{Resize, resize_samples};
use super::upsample_nearest::UpsampleNearest;
use super::window::{Each, last3, sizes, wide};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Adds the gradient of each output element to the input element from which it was copied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpsampleNearestBackward {
    /// The new sizes.
    pub resize: Resize,
    /// Spatial sizes of the forward op's input.
    pub size: Each,
}

impl OpDef for UpsampleNearestBackward {
    fn name(&self) -> &'static str {
        ["upsample_nearest1d_backward", "upsample_nearest2d_backward", "upsample_nearest3d_backward"]
            [self.resize.spatial() - 1]
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.resize.original(self.name(), &ins[0], self.size)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::UpsampleNearest(UpsampleNearest { resize: self.resize }), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, input_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[attribute::SIZE, attribute::SCALE, attribute::INPUT_SIZE] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.resize.spatial(), self.resize.size()),
            Value::Factors { spatial: self.resize.spatial(), factors: self.resize.factor() },
            Value::sizes(self.resize.spatial(), wide(self.size)),
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
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
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make = |resize: Resize, x: &[usize], out: &[usize]| {
            let size = sizes(&x.into(), resize.spatial()).map_or([1; 3], |v| last3(v).map(|v| v as u32));
            Sample::new(Op::UpsampleNearestBackward(Self { resize, size }), vec![Spec::new(out, d)])
        };
        let mut all = resize_samples(&[1, 2, 3], make);
        all.retain(|s| s.error.is_none());
        if let Some(op) = all.first().map(|s| s.op.clone()) {
            all.push(Sample::bad(op, vec![Spec::new([2, 2, 5], d)], "shape mismatch"));
        }
        all
    }
}
