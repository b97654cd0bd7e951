//! Evenly spaced numbers.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef,
    Pattern, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Device, Error, Result, Scalar, Tensor};

/// Writes `start + i * step` to element i of a vector. Integers are exact; floats are computed in f64 and rounded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arange {
    /// First value.
    pub start: Scalar,
    /// Difference between adjacent values.
    pub step: Scalar,
}

impl OpDef for Arange {
    fn name(&self) -> &'static str {
        "arange"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC.or(crate::DTypeSet::of(&[DType::F8E4M3])))] }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if ins[0].shape.rank() != 1 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 1,
                got: ins[0].shape.rank(),
                shape: ins[0].shape.clone(),
            }
            .bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("its output depends on no tensor")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("start", Kind::Scalar, Allowed::Any, "First value."),
                AttributeSpec::new("step", Kind::Scalar, Allowed::Any, "Difference."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Scalar(self.start), Value::Scalar(self.step)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Filled
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
        Reference::None("it has no input to compare")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::FILLED
    }

    fn samples() -> Vec<Sample> {
        let x = |n: usize| Spec { shape: n.into(), domain: Domain::Mask, fill: Fill::T };
        let definition = |a: i64, b: i64| Op::Arange(Arange { start: Scalar::I64(a), step: Scalar::I64(b) });
        vec![
            Sample::new(definition(0, 1), vec![x(7)]).no_grad(),
            Sample::new(definition(3, 2), vec![x(5)]).no_grad(),
            Sample::new(definition(0, 1), vec![x(0)]).no_grad(),
            Sample::bad(
                definition(0, 1),
                vec![Spec { shape: (2, 3).into(), domain: Domain::Mask, fill: Fill::T }],
                "unexpected rank, expected: 1",
            ),
        ]
    }
}

impl Tensor {
    /// Returns `start, start + step, ..` up to `end`, exclusive. The three scalars must have one dtype.
    pub fn arange_scalar(start: Scalar, end: Scalar, step: Scalar, device: &Device) -> Result<Self> {
        let exact = |s: &Scalar| match s {
            Scalar::I64(v) => Some(*v as i128),
            Scalar::U64(v) => Some(*v as i128),
            s if s.dtype().is_int() => Some(s.to_f64() as i128),
            _ => None,
        };
        let count = match (exact(&start), exact(&end), exact(&step)) {
            (Some(a), Some(b), Some(s)) if s != 0 => {
                let span = if s > 0 { b - a } else { a - b };
                usize::try_from((span.max(0) + s.abs() - 1) / s.abs()).ok()
            }
            (None, None, None) => {
                let n = ((end.to_f64() - start.to_f64()) / step.to_f64()).ceil();
                (n.is_finite() && n < usize::MAX as f64).then(|| n.max(0.0) as usize)
            }
            _ => None,
        };
        let Some(count) = count else {
            return Err(Error::invalid(
                "arange",
                format!(
                    "no such range: start {:?}, end {:?}, step {:?}",
                    start.to_f64(),
                    end.to_f64(),
                    step.to_f64()
                ),
            ));
        };
        let t = Tensor::alloc(&count.into(), start.dtype(), device)?;
        Tensor::run_inplace(Op::Arange(Arange { start, step }), &[&t], &[])?;
        Ok(t)
    }
}
