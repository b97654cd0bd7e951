//! Adds a tensor's part of a joint norm to a scalar, in place.
use super::batch_norm::WIDE;
use super::norm::wide;
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef,
    Pattern, PythonSignature, Reference, Role, Sample, ShapeRule, Spec, SpecialValues, TensorArgument,
    TermOrder, Thresholds, Value, given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// A part of the joint norm of several tensors: `total += sum(|x|^order)`, or `total = max(total, max(|x|))` for the order
/// infinity, in f32 (f64 for F64). The sum follows the reduction tree over the elements of `x` in row-major order. `total` is a
/// scalar, F64 for F64, else F32; a tensor without elements leaves it as it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccumulateNorm {
    /// The order of the norm.
    pub order: f64,
}

impl OpDef for AccumulateNorm {
    fn name(&self) -> &'static str {
        "accumulate_norm"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("total", WIDE), Input::new("x", sets::FLOAT)] }
    }

    fn role(&self) -> Role {
        Role::InOut(1)
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (total, x) = (&ins[0], &ins[1]);
        if self.order.is_nan() || self.order <= 0.0 {
            return Err(Error::invalid(self.name(), format!("order must be positive, got {}", self.order)));
        }
        if total.shape.rank() != 0 {
            let text = format!("total must be a scalar, got shape {:?}", total.shape.dims());
            return Err(Error::invalid(self.name(), text));
        }
        if total.dtype != wide(x.dtype) {
            return Err(Error::dtype("the dtype of total", wide(x.dtype), total.dtype));
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, total.dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::No("it changes a tensor in place")
    }

    fn vjp(&self, _: &Vjp<'_>) -> Result<Grads> {
        grads![None, None]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new(
                "order",
                Kind::Float,
                Allowed::ByShape,
                "Order of the norm, above 0; infinity takes the largest magnitude.",
            )]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.order)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        // Devices differ in the bits of a power.
        if [1.0, 2.0, f64::INFINITY].contains(&self.order) {
            Accuracy::Accumulated
        } else {
            Accuracy::ulps(24.0)
        }
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        Reference::None("it changes a tensor in place; tests/python compares clip_grad_norm_ with PyTorch")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        let make = |shape: &[usize]| {
            let total = Spec { fill: Fill::Wide, ..Spec::new(&[] as &[usize], Domain::Range(0.5, 2.0)) };
            vec![total, Spec::new(shape, Domain::Range(-2.0, 2.0))]
        };
        let op = |order| Op::AccumulateNorm(Self { order });
        let mut all = Vec::new();
        for order in [2.0, 1.0, f64::INFINITY, 3.0, 0.5] {
            for shape in [&[2usize, 5][..], &[], &[0, 4]] {
                all.push(Sample::new(op(order), make(shape)).no_grad());
            }
        }
        // Several chunks, also of views that are not contiguous.
        for order in [2.0, f64::INFINITY] {
            all.push(Sample::new(op(order), make(&[3, 401])).no_grad());
        }
        for order in [0.0, -1.0, f64::NAN] {
            all.push(Sample::bad(op(order), make(&[2]), "order must be positive"));
        }
        let mut wrong = make(&[2]);
        wrong[0].shape = 1.into();
        all.push(Sample::bad(op(2.0), wrong, "total must be a scalar"));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("total", "Scalar to add to; float64 for float64, else float32."),
            TensorArgument::new("x", "Tensor, such as a gradient."),
        ];
        vec![
            signature!(
                AsGiven,
                "Adds the sum of ``abs(x) ** order`` to a scalar, in place; the joint norm of tensors is its root.",
                [
                    ">>> total = rl.tensor(0.0)",
                    ">>> for g in (rl.tensor([3.0, -4.0]), rl.tensor([12.0])):",
                    "...     rl.accumulate_norm(total, g, 2.0)",
                    ">>> float(total) ** 0.5",
                    "13.0",
                ],
                (order: Float) => Op::AccumulateNorm(Self { order })
            )
            .calling(TENSORS, |op, tensors| {
                let [total, x] = given(&op, tensors)?;
                let total = total.detach();
                Tensor::run_inplace(op, &[&total], &[x])?;
                Ok(total)
            })
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Adds the sum of `|x|^order` over the elements of `x` (a FLOAT dtype) to this scalar, in place; the order infinity takes the
    /// larger of this scalar and of the magnitudes. The scalar is F64 for F64, else F32.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let total = Tensor::new(0f32, &Device::Cpu)?;
    /// for x in [&[3f32, -4.][..], &[12.]] {
    ///     total.accumulate_norm(&Tensor::new(x, &Device::Cpu)?, 2.0)?;
    /// }
    /// assert_eq!(total.to_scalar::<f32>()?.sqrt(), 13.0);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The order is not positive, `self` is not a scalar or has another dtype, or a tensor is on another device.
    pub fn accumulate_norm(&self, x: &Self, order: f64) -> Result<()> {
        Self::run_inplace(Op::AccumulateNorm(AccumulateNorm { order }), &[self], &[x])
    }
}
