//! The gradient of `bias_activation`.
use super::activation_backward::Slope;
use super::bias_activation::{ACTIVATION, Activation, samples};
use super::{
    Accuracy, AttributeSpec, Differentiable, Input, Meta, Op, OpDef, Pattern, Reference, Sample, ShapeRule,
    SpecialValues, TermOrder, Thresholds, Value,
};
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `grad f'(x + bias)`: the gradient of `x`, and that of the bias before it is summed over the broadcast
/// dimensions. The derivative of relu at 0 is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BiasActivationBackward(pub Activation);

impl OpDef for BiasActivationBackward {
    fn name(&self) -> &'static str {
        "bias_activation_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("grad", sets::FLOAT),
                Input::same("x", sets::FLOAT),
                Input::same("bias", sets::FLOAT),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Refused("take it with create_graph=True, which records other ops instead")
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[ACTIVATION] }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Choice(self.0.as_str())]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::LOSS
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
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let all = samples(3, |f| Op::BiasActivationBackward(BiasActivationBackward(f)));
        all.into_iter().map(Sample::no_grad).collect()
    }
}

/// Computes the result of the op with ops that have gradients.
pub(super) fn composed(f: Activation, g: &Tensor, x: &Tensor, bias: &Tensor) -> Result<Tensor> {
    let z = (x + bias)?;
    let (slope, v) = match f {
        Activation::Relu => (Slope::Relu, z),
        Activation::Gelu => (Slope::GeluErf, z),
        Activation::GeluTanh => (Slope::Gelu, z),
        Activation::Silu => (Slope::Silu, z),
        Activation::Sigmoid => (Slope::Sigmoid, z.sigmoid()?),
        Activation::Tanh => (Slope::Tanh, z.tanh()?),
    };
    slope.gradient([0.0; 2], &v, g)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Device;

    #[test]
    fn composed_gradients_are_those_of_the_kernel() -> Result<()> {
        let z = Tensor::arange_step(-8f64, 8., 0.37, &Device::Cpu)?;
        let (g, bias) = (z.affine(0.3, 1.0)?, z.affine(0.25, -0.1)?);
        for f in Activation::ALL {
            let op = Op::BiasActivationBackward(BiasActivationBackward(f));
            let worst = (Tensor::run(op, &[&g, &z, &bias])? - composed(f, &g, &z, &bias)?)?;
            let worst = worst.abs()?.max_all()?.to_scalar::<f64>()?;
            // The tanh approximation of GELU multiplies numbers near 100 before they cancel, hence the bound.
            assert!(worst < 1e-13, "{f:?} {worst}");
        }
        Ok(())
    }
}
