//! The op bias_dropout: dropout of the sum of two tensors.
use super::dropout::{ATTRIBUTES, Dropout, check};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes [`Dropout`] of `x + bias`. The sum is not rounded. Both inputs have one shape; a bias is broadcast to it
/// with strides of 0. The dropped elements are the same as those of `Dropout` with the same key.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BiasDropout(pub Dropout);

impl OpDef for BiasDropout {
    fn name(&self) -> &'static str {
        "bias_dropout"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("bias", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = Tensor::run(Op::Dropout(self.0), &[c.grad()])?;
        grads![g.clone(), g]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        ATTRIBUTES
    }

    fn values(&self) -> Vec<Value> {
        self.0.values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Drawn
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::ALL
    }

    fn reference(&self) -> Reference {
        self.0.reference()
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let op = |p| Op::BiasDropout(Self(Dropout { p, key: (42, 7) }));
        let x = |shape: &[usize]| vec![Spec::new(shape, Domain::Range(-2.0, 2.0)); 2];
        let mut all: Vec<Sample> =
            [0.0, 0.4, 1.0].into_iter().map(|p| Sample::new(op(p), x(&[3, 5]))).collect();
        all.extend([&[][..], &[0, 4]].map(|shape| Sample::new(op(0.4), x(shape))));
        all.push(Sample::bad(op(1.1), x(&[3]), "between 0 and 1"));
        let mut other = x(&[2, 3]);
        other[1] = Spec::new(3, Domain::Range(-2.0, 2.0));
        all.push(Sample::bad(op(0.4), other, "shape mismatch in"));
        all
    }
}

impl Tensor {
    /// Computes [`Tensor::dropout`] of `x + bias` in one pass, or just the sum if `train` is false. `bias` is broadcast
    /// to the shape of the tensor. FLOAT dtypes; both have the same one.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// let bias = Tensor::new(&[1f32, 2.], &Device::Cpu)?;
    /// assert_eq!(x.bias_dropout(&bias, 0.5, false)?.to_vec2::<f32>()?, [[2., 4.], [4., 6.]]);
    /// assert_eq!(x.bias_dropout(&bias, 1.0, true)?.to_vec2::<f32>()?, [[0., 0.], [0., 0.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn bias_dropout(&self, bias: &Self, p: f64, train: bool) -> Result<Self> {
        check(p)?;
        let bias = bias.broadcast_as(self.shape())?;
        if !train || p == 0.0 {
            return self.add(&bias);
        }
        let op = BiasDropout(Dropout { p, key: self.device().next_draw() });
        Tensor::run(Op::BiasDropout(op), &[self, &bias])
    }
}
