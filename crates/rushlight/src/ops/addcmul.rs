//! The ops addcmul and addcdiv: a product or quotient of two tensors, scaled and added to a third.
use super::addmm::whole_for_ints;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `x + (value * a) * b`, or `x + (value * a) / b`, in this order of operations. f16 and bf16 compute in f32
/// and are rounded once. Integers (products only) wrap and need an integral `value`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AddCMul {
    /// The factor.
    pub value: f64,
    /// Whether to divide by `b`.
    pub div: bool,
}

impl OpDef for AddCMul {
    fn name(&self) -> &'static str {
        if self.div { "addcdiv" } else { "addcmul" }
    }

    fn inputs(&self) -> &'static [Input] {
        if self.div {
            const { &[Input::new("x", sets::FLOAT), Input::same("a", sets::FLOAT), Input::same("b", sets::FLOAT)] }
        } else {
            const {
                &[
                    Input::new("x", sets::NUMERIC),
                    Input::same("a", sets::NUMERIC),
                    Input::same("b", sets::NUMERIC),
                ]
            }
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        whole_for_ints(self.name(), ins[0].dtype, &[("value", self.value)])?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(6)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs([0, 4, if self.div { 6 } else { 2 }][wanted.min(2)])
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let scaled = || g.affine(self.value, 0.0);
        let (a, b) = (|| c.input(1), || c.input(2));
        if self.div {
            let over = || scaled()?.div(&b()?);
            return grads![
                g.clone(),
                c.when(1, over)?,
                // The gradient -(a / b) / b, without b * b or 1 / b, which could overflow.
                c.when(2, || scaled()?.mul(&a()?.div(&b()?)?.div(&b()?)?.neg()?))?
            ];
        }
        grads![g.clone(), c.when(1, || scaled()?.mul(&b()?))?, c.when(2, || scaled()?.mul(&a()?))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new("value", Kind::Float, Allowed::Any, "Factor of the product or quotient.")
                .or(Value::Float(1.0))]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.value)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
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
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        for div in [false, true] {
            let (d, b) = (
                Domain::Range(-2.0, 2.0),
                if div { Domain::Range(0.5, 2.0) } else { Domain::Range(-2.0, 2.0) },
            );
            let make = |x: &[usize], y: &[usize]| vec![Spec::new(x, d), Spec::new(x, d), Spec::new(y, b)];
            for value in [1.0, -2.0] {
                for shape in [&[2usize, 3][..], &[], &[0, 4]] {
                    all.push(Sample::new(Op::AddCMul(AddCMul { value, div }), make(shape, shape)));
                }
            }
            let op = Op::AddCMul(AddCMul { value: 1.0, div });
            all.push(Sample::bad(op, make(&[2, 3], &[3, 2]), "shape mismatch in addc"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                Promoted,
                "Computes ``x + value * a * b`` in one pass; shapes are broadcast.",
                [
                    ">>> rl.addcmul(rl.tensor([1, 2]), rl.tensor([3, 4]), 10, value=2.0)",
                    "tensor([61, 82], dtype=int64, device='cpu')",
                ],
                (value: Float = 1.0) => Op::AddCMul(AddCMul { value, div: false })
            ),
            signature!(
                Promoted,
                "Computes ``x + value * a / b`` in one pass; shapes are broadcast.",
                [
                    ">>> rl.addcdiv(rl.tensor([1.0, 2.0]), rl.tensor([3.0, 4.0]), 2.0)",
                    "tensor([2.5000, 4.0000], dtype=float32, device='cpu')",
                ],
                (value: Float = 1.0) => Op::AddCMul(AddCMul { value, div: true })
            ),
        ]
    }
}

impl Tensor {
    /// Returns `self + value * tensor1 * tensor2`, broadcast to one shape. NUMERIC dtypes.
    pub fn addcmul(&self, tensor1: &Self, tensor2: &Self, value: f64) -> Result<Self> {
        self.addc(tensor1, tensor2, AddCMul { value, div: false })
    }

    /// Returns `self + value * tensor1 / tensor2`, broadcast to one shape. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let t = |v: f32| Tensor::new(v, &Device::Cpu);
    /// assert_eq!(t(1.)?.addcdiv(&t(3.)?, &t(4.)?, 2.)?.to_scalar::<f32>()?, 2.5);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn addcdiv(&self, tensor1: &Self, tensor2: &Self, value: f64) -> Result<Self> {
        self.addc(tensor1, tensor2, AddCMul { value, div: true })
    }

    fn addc(&self, a: &Self, b: &Self, op: AddCMul) -> Result<Self> {
        let name = op.name();
        let shape = self.shape().broadcast_shape_binary_op(a.shape(), name)?;
        let shape = shape.broadcast_shape_binary_op(b.shape(), name)?;
        let [x, a, b] = [self, a, b].map(|t| t.broadcast_as(shape.clone()));
        Tensor::run(Op::AddCMul(op), &[&x?, &a?, &b?])
    }
}
