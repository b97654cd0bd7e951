//! Undoes the scaling of a gradient and looks for overflow, in place.
use super::batch_norm::WIDE;
use super::norm::wide;
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Fill, Grads, Input, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder,
    Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Mixed precision's step before an optimizer's: `grad = grad * factor`, in f32 (f64 for F64), and `found = 1` where an
/// element of `grad` was infinite or NaN; otherwise `found` keeps its value. `found` and `factor` are scalars, F64 for F64,
/// else F32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnscaleAndCheckFinite;

impl OpDef for UnscaleAndCheckFinite {
    fn name(&self) -> &'static str {
        "unscale_and_check_finite"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("grad", sets::FLOAT),
                Input::new("found", WIDE),
                Input { name: "factor", dtypes: WIDE, same_as: Some(1) },
            ]
        }
    }

    fn role(&self) -> Role {
        Role::InOut(2)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        for (name, meta) in [("found", &ins[1]), ("factor", &ins[2])] {
            if meta.shape.rank() != 0 {
                let text = format!("{name} must be a scalar, got shape {:?}", meta.shape.dims());
                return Err(Error::invalid(self.name(), text));
            }
            if meta.dtype != wide(ins[0].dtype) {
                return Err(Error::dtype("the dtype of found and factor", wide(ins[0].dtype), meta.dtype));
            }
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes tensors in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
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
        Reference::None("it changes tensors in place; tests/python compares the gradient scaler with PyTorch")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let make = |shape: &[usize]| {
            let scalar =
                |low, high| Spec { fill: Fill::Wide, ..Spec::new(&[] as &[usize], Domain::Range(low, high)) };
            vec![Spec::new(shape, Domain::Range(-2.0, 2.0)), scalar(0.0, 1.0), scalar(0.1, 0.9)]
        };
        let op = || Op::UnscaleAndCheckFinite(Self);
        let mut all: Vec<Sample> = [&[2usize, 3][..], &[], &[0, 4], &[3, 1365]]
            .map(|shape| Sample::new(op(), make(shape)).no_grad())
            .into();
        for i in [1, 2] {
            let mut wrong = make(&[2]);
            wrong[i].shape = 1.into();
            all.push(Sample::bad(op(), wrong, "must be a scalar"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("grad", "Gradient to multiply."),
            TensorArgument::new(
                "found",
                "Scalar, set to 1 if an element is infinite or NaN; float64 for float64, else float32.",
            ),
            TensorArgument::new("factor", "Factor, a scalar of the dtype of `found`."),
        ];
        vec![
            signature!(
                AsGiven,
                "Multiplies a gradient by a number, in place, and notes whether it held an infinity or NaN.",
                [
                    ">>> g, found = rl.tensor([2.0, float(\"inf\")]), rl.tensor(0.0)",
                    ">>> rl.unscale_and_check_finite(g, found, rl.tensor(0.5))",
                    ">>> g.tolist(), found.item()",
                    "([1.0, inf], 1.0)",
                ],
                () => Op::UnscaleAndCheckFinite(Self)
            )
            .calling(TENSORS, |op, tensors| {
                let [grad, found, factor] = given(&op, tensors)?;
                let grad = grad.detach();
                grad.unscale_and_check_finite(found, factor)?;
                Ok(grad)
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Multiplies this gradient (a FLOAT dtype) by `factor` in place; sets `found` to 1 if an element was infinite or NaN,
    /// and leaves it otherwise. Both are scalars of F64 for F64, else F32.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let g = Tensor::new(&[2f32, f32::INFINITY], &Device::Cpu)?;
    /// let (found, factor) = (Tensor::new(0f32, &Device::Cpu)?, Tensor::new(0.5f32, &Device::Cpu)?);
    /// g.unscale_and_check_finite(&found, &factor)?;
    /// assert_eq!((g.to_vec1::<f32>()?[0], found.to_scalar::<f32>()?), (1.0, 1.0));
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// `found` or `factor` has another dtype or is not a scalar, or a tensor is on another device.
    pub fn unscale_and_check_finite(&self, found: &Self, factor: &Self) -> Result<()> {
        Self::run_inplace(Op::UnscaleAndCheckFinite(UnscaleAndCheckFinite), &[self, found], &[factor])
    }
}
