//! Conversion between dtypes.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};

/// Converts to another dtype. Floats are rounded to nearest, ties to even. Float to int truncates and saturates, and
/// NaN gives 0 (Rust's `as`). To bool, every value other than 0 gives true. Complex to other real dtypes keeps the real part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cast(pub DType);

impl OpDef for Cast {
    fn name(&self) -> &'static str {
        "to_dtype"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, self.0))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![c.grad().to_dtype(c.meta(0)?.dtype)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[AttributeSpec::new("dtype", Kind::DType, Allowed::Any, "Dtype of the output.")] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::DType(self.0)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
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
        Reference::None(
            "its rules are the subject of docs/NUMERICS.md, which NumPy and PyTorch do not follow",
        )
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for &to in DType::ALL {
            for shape in [&[2usize, 3][..], &[0, 4]] {
                let s = Sample::new(Op::Cast(Cast(to)), vec![Spec::new(shape, Domain::Range(-3.0, 3.0))]);
                all.push(if to == DType::F64 { s } else { s.no_grad() });
            }
        }
        all
    }
}

impl Tensor {
    /// Converts the tensor to another dtype. Returns the tensor itself if it has that dtype. All dtypes.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let t = Tensor::new(&[1.7f32, -3e9, f32::NAN], &Device::Cpu)?.to_dtype(DType::I32)?;
    /// assert_eq!(t.to_vec1::<i32>()?, [1, i32::MIN, 0]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn to_dtype(&self, dtype: DType) -> Result<Self> {
        if self.dtype() == dtype {
            return Ok(self.clone());
        }
        Tensor::run(Op::Cast(Cast(dtype)), &[self])
    }
}
