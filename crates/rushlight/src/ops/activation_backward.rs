//! The gradients of activation functions.
use super::activation::ActivationOp;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Tensor};
use std::f64::consts::PI;

/// The factor of `selu`, and the negative of its limit before that factor (Klambauer et al. 2017).
pub(crate) const SELU: (f64, f64) = (1.050_700_987_355_480_5, 1.673_263_242_354_377_2);

/// The derivative of an activation function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Slope {
    /// Of `relu`.
    Relu,
    /// Of `relu_squared`.
    ReluSquared,
    /// Of `sigmoid`, from its result.
    Sigmoid,
    /// Of `tanh`, from its result.
    Tanh,
    /// Of `silu`.
    Silu,
    /// Of `gelu`, the tanh variant.
    Gelu,
    /// Of `gelu_erf`.
    GeluErf,
    /// Of `elu`; the number is `alpha`.
    Elu,
    /// Of `softplus`; the numbers are `beta` and `threshold`.
    Softplus,
    /// Of an op of the activation family, with its numbers.
    Of(ActivationOp),
}

use ActivationOp as A;
use Slope as S;

impl Slope {
    /// Every slope.
    pub fn all() -> impl Iterator<Item = Self> {
        let unary = [S::Relu, S::ReluSquared, S::Sigmoid, S::Tanh, S::Silu, S::Gelu, S::GeluErf];
        let rest = A::ALL.iter().map(|op| S::Of(*op));
        unary.into_iter().chain([S::Elu, S::Softplus]).chain(rest)
    }

    /// Name of the gradient op.
    pub const fn as_str(self) -> &'static str {
        match self {
            S::Relu => "relu_backward",
            S::ReluSquared => "relu_squared_backward",
            S::Sigmoid => "sigmoid_backward",
            S::Tanh => "tanh_backward",
            S::Silu => "silu_backward",
            S::Gelu => "gelu_backward",
            S::GeluErf => "gelu_erf_backward",
            S::Elu => "elu_backward",
            S::Softplus => "softplus_backward",
            S::Of(op) => op.backward(),
        }
    }

    /// Returns `grad f'(x)`, the gradient of `f(x)`; for `sigmoid` and `tanh`, `x` is the result.
    pub(super) fn gradient(self, numbers: [f64; 2], x: &Tensor, grad: &Tensor) -> Result<Tensor> {
        Tensor::run(Op::ActivationBackward(ActivationBackward { slope: self, numbers }), &[x, grad])
    }
}

/// Computes `grad f'(x)` for an activation function `f`. f16 and bf16 compute in f32 and are rounded once. At a kink the
/// derivative is the one that PyTorch takes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ActivationBackward {
    /// The derivative.
    pub slope: Slope,
    /// The function's numbers, in the order of its attributes; the others are 0.
    pub numbers: [f64; 2],
}

impl ActivationBackward {
    /// Returns the numbers as a kernel of a dtype takes them.
    pub(crate) fn numbers(&self, dtype: DType) -> [f64; 2] {
        match self.slope {
            S::Of(op) => op.rounded(self.numbers, dtype),
            _ => self.numbers,
        }
    }
}

impl OpDef for ActivationBackward {
    fn name(&self) -> &'static str {
        self.slope.as_str()
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("grad", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> super::Differentiable {
        super::Differentiable::Again
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 3 } else { 1 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (x, g) = (c.input(0)?, c.grad());
        let curved = || curvature(self.slope, self.numbers, &x, &(g * c.input(1)?)?);
        grads![c.when(0, curved)?, c.when(1, || self.slope.gradient(self.numbers, &x, g))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const ALPHA: AttributeSpec =
            AttributeSpec::new("alpha", Kind::Float, Allowed::Any, "Factor of the exponential part.");
        const BETA: AttributeSpec =
            AttributeSpec::new("beta", Kind::Float, Allowed::Any, "Sharpness of the bend at 0.");
        const THRESHOLD: AttributeSpec = AttributeSpec::new(
            "threshold",
            Kind::Float,
            Allowed::Any,
            "The value of ``beta * x`` above which the slope is 1.",
        );
        match self.slope {
            S::Elu => const { &[ALPHA] },
            S::Softplus => const { &[BETA, THRESHOLD] },
            S::Of(op) => op.attributes(),
            _ => &[],
        }
    }

    fn values(&self) -> Vec<Value> {
        self.numbers.map(Value::Float)[..self.attributes().len()].to_vec()
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        match self.slope {
            S::Relu | S::Of(A::Relu6 | A::Hardtanh | A::Threshold | A::Softshrink | A::Hardshrink) => {
                Accuracy::Rounded
            }
            S::ReluSquared | S::Sigmoid | S::Tanh => Accuracy::Accumulated,
            S::Of(A::LeakyRelu | A::Hardswish | A::Hardsigmoid | A::Softsign) => Accuracy::Accumulated,
            S::Elu | S::Softplus | S::Of(A::Celu | A::Selu | A::Tanhshrink | A::Logsigmoid) => {
                Accuracy::ulps(8.0)
            }
            // These slopes change their sign, and are accurate relative to 1 there.
            S::Silu | S::Gelu | S::GeluErf | S::Of(A::Mish) => Accuracy::Scaled { single: 16.0, half: 2.0 },
        }
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues { gradient_in_range: false, ..SpecialValues::ALL }
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let mut all = Vec::new();
        let range = Domain::Range(-3.0, 3.0);
        for slope in S::all() {
            let sampled = match slope {
                S::Elu => vec![
                    ([1.0, 0.0], Domain::Away(-3.0, 3.0, 0.5)),
                    ([2.0, 0.0], Domain::Away(-3.0, 3.0, 0.5)),
                ],
                S::Softplus => vec![
                    ([1.0, 20.0], range),
                    ([2.0, 1.0], Domain::Away(-3.0, 3.0, 0.5)),
                    ([0.5, f64::INFINITY], range),
                    ([-1.0, 20.0], range),
                ],
                S::Relu | S::ReluSquared => vec![([0.0; 2], Domain::Away(-3.0, 3.0, 0.5))],
                // Results of the function.
                S::Sigmoid => vec![([0.0; 2], Domain::Range(0.05, 0.95))],
                S::Tanh => vec![([0.0; 2], Domain::Range(-0.95, 0.95))],
                S::Silu | S::Gelu | S::GeluErf => vec![([0.0; 2], range)],
                S::Of(op) => op.sampled(),
            };
            let (first, domain) = sampled[0];
            let mut cases: Vec<_> =
                sampled.iter().map(|(n, domain)| (*n, [2usize, 3].to_vec(), *domain)).collect();
            cases.extend([(first, vec![], domain), (first, vec![0, 4], domain)]);
            for (numbers, shape, domain) in cases {
                let op = Op::ActivationBackward(Self { slope, numbers });
                let shape = &shape[..];
                all.push(Sample::new(op, vec![Spec::new(shape, domain), Spec::new(shape, range)]));
            }
            let op = Op::ActivationBackward(Self { slope, numbers: first });
            let ins = vec![Spec::new([2, 3], domain), Spec::new([3, 2], range)];
            all.push(Sample::bad(op, ins, "shape mismatch in"));
        }
        all
    }
}

/// Returns `g f''(x)`, by ops that have gradients; for `sigmoid` and `tanh`, the derivative of the slope by the result.
fn curvature(slope: Slope, [a, b]: [f64; 2], x: &Tensor, g: &Tensor) -> Result<Tensor> {
    let above = |bound: f64| x.gt(&x.constant_like(bound)?);
    // Beyond +-800 all exponentials are 0 in every dtype; an infinite x would make NaN of them.
    let within = || x.clamp(-800.0, 800.0);
    // s (1 - s), the slope of the sigmoid.
    let bell = |z: &Tensor| {
        let s = z.sigmoid()?;
        &s * s.affine(-1.0, 1.0)?
    };
    let below = |value: Tensor| above(0.0)?.where_cond(&g.constant_like(0.0)?, &(g * value)?);
    // Positive elements are replaced first, whose exponential could be infinite.
    let exponential = |alpha: f64| {
        let low = x.minimum(0.0)?;
        if alpha == 1.0 { low.exp() } else { low.affine(1.0 / alpha, 0.0)?.exp() }
    };
    match slope {
        S::Relu
        | S::Of(
            A::Relu6
            | A::LeakyRelu
            | A::Hardsigmoid
            | A::Hardtanh
            | A::Threshold
            | A::Softshrink
            | A::Hardshrink,
        ) => g.constant_like(0.0),
        S::ReluSquared => above(0.0)?.where_cond(&g.affine(2.0, 0.0)?, &g.constant_like(0.0)?),
        S::Sigmoid => g * x.affine(-2.0, 1.0)?,
        S::Tanh => g * x.affine(-2.0, 0.0)?,
        S::Silu => {
            let x = within()?;
            let s = x.sigmoid()?;
            g * (bell(&x)? * (x * s.affine(-2.0, 1.0)?)?.affine(1.0, 2.0)?)?
        }
        S::Gelu => {
            // The function is x s(v) with the sigmoid s and v = c x + d x^3, hence s' (2 v' + x ((1 - 2 s) v'^2 + v'')).
            let x = &x.clamp(-30.0, 30.0)?;
            let (c, d) = (2.0 * (2.0 / PI).sqrt(), 2.0 * (2.0 / PI).sqrt() * 0.044715);
            let x2 = x.sqr()?;
            let v = (x * x2.affine(d, c)?)?;
            let dv = x2.affine(3.0 * d, c)?;
            let inner = ((v.sigmoid()?.affine(-2.0, 1.0)? * dv.sqr()?)? + x.affine(6.0 * d, 0.0)?)?;
            g * (bell(&v)? * (dv.affine(2.0, 0.0)? + (x * inner)?)?)?
        }
        S::GeluErf => {
            // phi(x) (2 - x^2).
            let x = x.clamp(-40.0, 40.0)?;
            let x2 = x.sqr()?;
            g * (x2.affine(-0.5, 0.0)?.exp()?.affine(1.0 / (2.0 * PI).sqrt(), 0.0)?
                * x2.affine(-1.0, 2.0)?)?
        }
        S::Elu => below(exponential(1.0)?.affine(a, 0.0)?),
        S::Of(A::Selu) => below(exponential(1.0)?.affine(SELU.0 * SELU.1, 0.0)?),
        S::Of(A::Celu) => below(exponential(a)?.affine(1.0 / a, 0.0)?),
        S::Softplus => {
            let z = x.affine(a, 0.0)?;
            let bent = (g * bell(&z)?.affine(a, 0.0)?)?;
            z.gt(&z.constant_like(b)?)?.where_cond(&g.constant_like(0.0)?, &bent)
        }
        S::Of(A::Hardswish) => {
            let inside = (x.gt(&x.constant_like(-3.0)?)?.to_dtype(g.dtype())?
                * x.lt(&x.constant_like(3.0)?)?.to_dtype(g.dtype())?)?;
            (g * inside)?.affine(1.0 / 3.0, 0.0)
        }
        S::Of(A::Mish) => {
            // With t = tanh(softplus(x)) and the sigmoid s: s (1 - t^2) (2 + x (1 - s) - 2 x s t).
            let x = &within()?;
            let (s, t) = (x.sigmoid()?, x.softplus(1.0, f64::INFINITY)?.tanh()?);
            let inner = ((x * s.affine(-1.0, 1.0)?)? - ((x * &s)? * &t)?.affine(2.0, 0.0)?)?;
            g * ((s * t.sqr()?.affine(-1.0, 1.0)?)? * inner.affine(1.0, 2.0)?)?
        }
        S::Of(A::Tanhshrink) => {
            let t = x.tanh()?;
            g * (&t * t.sqr()?.affine(-2.0, 2.0)?)?
        }
        S::Of(A::Softsign) => {
            let d = x.abs()?.affine(1.0, 1.0)?;
            (((g * x.sign()?)?.affine(-2.0, 0.0)? / &d)? / &d)? / &d
        }
        S::Of(A::Logsigmoid) => (g * bell(x)?)?.affine(-1.0, 0.0),
    }
}
