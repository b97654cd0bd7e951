//! The gradient of padding in the modes that copy elements of the input.
use super::pad::{self, MODE, PADS, Pad, PadMode, Pads};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Scalar, Tensor};

/// Adds the gradient of each output element to the input element from which it was copied, in row-major order. (Padding
/// with a constant has another gradient: padding by the negated numbers.)
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PadBackward {
    /// The mode of the forward op, which must not be Constant.
    pub mode: PadMode,
    /// The padding of the forward op.
    pub pads: Pads,
}

impl OpDef for PadBackward {
    fn name(&self) -> &'static str {
        "pad_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("g", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if self.mode == PadMode::Constant {
            return Err(Error::invalid(self.name(), "mode 'constant' has no elements of the input"));
        }
        let x = self.pads.original(self.name(), &ins[0].shape)?;
        self.pads.sides(self.name(), self.mode, &x)?;
        Ok(Meta::new(x, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let value = Scalar::from_f64(0.0, c.grad().dtype());
        grads![Tensor::run(Op::Pad(Pad { mode: self.mode, pads: self.pads, value }), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("that of the padded input")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[MODE, PADS] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.mode.name()), Value::Pads(self.pads.all())]
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
        let modes = [PadMode::Reflect, PadMode::Replicate, PadMode::Circular];
        let mut all = pad::samples(&modes, |mode, pads, _, out| {
            (Op::PadBackward(Self { mode, pads }), vec![Spec::new(out, Domain::Range(-2.0, 2.0))])
        });
        // Calls that are invalid for the input's shape are valid for the gradient's, so other invalid calls follow.
        all.retain(|s| s.error.is_none());
        let mut bad = |mode, pads: [i64; 2], size: usize, words| {
            if let Ok(pads) = Pads::new(&[pads]) {
                let ins = vec![Spec::new(size, Domain::Range(-2.0, 2.0))];
                all.push(Sample::bad(Op::PadBackward(Self { mode, pads }), ins, words));
            }
        };
        bad(PadMode::Constant, [1, 1], 4, "has no elements of the input");
        bad(PadMode::Replicate, [3, 2], 4, "does not come from");
        bad(PadMode::Reflect, [2, 0], 4, "adds fewer than 2");
        all
    }
}
