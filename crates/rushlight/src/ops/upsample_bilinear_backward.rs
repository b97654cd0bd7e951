//! Gradient of linear interpolation.
use super::resize::{Resize, resize_samples};
use super::upsample_bilinear::UpsampleBilinear;
use super::window::{Each, last3, sizes, wide};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Adds the gradient of each output element, times the weights, to the input elements that it interpolates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpsampleBilinearBackward {
    /// The forward op.
    pub forward: UpsampleBilinear,
    /// Spatial sizes of the forward op's input.
    pub size: Each,
}

impl OpDef for UpsampleBilinearBackward {
    fn name(&self) -> &'static str {
        ["upsample_linear1d_backward", "upsample_bilinear2d_backward", "upsample_trilinear3d_backward"]
            [self.forward.resize.spatial() - 1]
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.forward.resize.original(self.name(), &ins[0], self.size)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::UpsampleBilinear(self.forward), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, input_size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                attribute::SIZE,
                attribute::SCALE,
                AttributeSpec::flag(
                    "align_corners",
                    "Whether the centres of the corner elements keep their positions.",
                ),
                attribute::INPUT_SIZE,
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.forward.resize.spatial(), self.forward.resize.size()),
            Value::Factors { spatial: self.forward.resize.spatial(), factors: self.forward.resize.factor() },
            Value::Bool(self.forward.align_corners),
            Value::sizes(self.forward.resize.spatial(), wide(self.size)),
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
        let make = |align_corners, spatial: &[usize]| {
            resize_samples(spatial, move |resize: Resize, x, out| {
                let size = sizes(&x.into(), resize.spatial()).map_or([1; 3], |v| last3(v).map(|v| v as u32));
                let forward = UpsampleBilinear { resize, align_corners };
                Sample::new(Op::UpsampleBilinearBackward(Self { forward, size }), vec![Spec::new(out, d)])
            })
        };
        let mut all: Vec<_> = make(false, &[1, 2, 3]).into_iter().chain(make(true, &[2, 3])).collect();
        all.retain(|s| s.error.is_none());
        if let Some(op) = all.first().map(|s| s.op.clone()) {
            all.push(Sample::bad(op, vec![Spec::new([2, 2, 5], d)], "shape mismatch"));
        }
        all
    }
}
