//! The activation family: activation functions of one tensor that have numbers or are not in the unary family.
use super::activation_backward::Slope;
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Error, Result, Scalar, Tensor};

macro_rules! family {
    ($($(#[$doc:meta])* $v:ident $name:literal;)*) => {
        /// An op of the activation family.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ActivationOp { $($(#[$doc])* $v),* }

        impl ActivationOp {
            /// Every op of the family.
            pub const ALL: &'static [Self] = &[$(Self::$v),*];

            /// Name, as in Python.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$v => $name),* }
            }

            /// Name of the op's gradient.
            pub(super) const fn backward(self) -> &'static str {
                match self { $(Self::$v => concat!($name, "_backward")),* }
            }
        }
    };
}

family! {
    /// `min(max(x, 0), 6)`.
    Relu6 "relu6";
    /// `x` where it is positive, else `negative_slope x`.
    LeakyRelu "leaky_relu";
    /// `x` where it is positive, else `alpha (e^(x / alpha) - 1)` (Barron 2017).
    Celu "celu";
    /// ELU with the factor and the limit that keep mean 0 and variance 1 (Klambauer et al. 2017).
    Selu "selu";
    /// `x tanh(ln(1 + e^x))` (Misra 2019).
    Mish "mish";
    /// `x relu6(x + 3) / 6` (Howard et al. 2019).
    Hardswish "hardswish";
    /// `relu6(x + 3) / 6`.
    Hardsigmoid "hardsigmoid";
    /// `min(max(x, min_val), max_val)`.
    Hardtanh "hardtanh";
    /// `x` where it exceeds a threshold, else a value.
    Threshold "threshold";
    /// `x` moved towards 0 by `lambd`, but not beyond.
    Softshrink "softshrink";
    /// 0 from `-lambd` to `lambd`, else `x`.
    Hardshrink "hardshrink";
    /// `x - tanh(x)`.
    Tanhshrink "tanhshrink";
    /// `x / (1 + |x|)`.
    Softsign "softsign";
    /// `ln(1 / (1 + e^-x))`.
    Logsigmoid "logsigmoid";
}

use ActivationOp as A;

impl ActivationOp {
    /// Declares the numbers of the op.
    pub(super) const fn attributes(self) -> &'static [AttributeSpec] {
        const fn number(name: &'static str, default: Option<f64>, doc: &'static str) -> AttributeSpec {
            let spec = AttributeSpec::new(name, Kind::Float, Allowed::Any, doc);
            match default {
                Some(v) => spec.or(Value::Float(v)),
                None => spec,
            }
        }
        match self {
            A::LeakyRelu => {
                const { &[number("negative_slope", Some(0.01), "Factor of elements that are not positive.")] }
            }
            A::Celu => {
                const { &[number("alpha", Some(1.0), "The negative of the limit for small ``x``; not 0.")] }
            }
            A::Hardtanh => {
                const {
                    &[
                        number("min_val", Some(-1.0), "Lower bound."),
                        number("max_val", Some(1.0), "Upper bound, not below the lower one."),
                    ]
                }
            }
            A::Threshold => {
                const {
                    &[
                        number("threshold", None, "Bound that an element must exceed to stay."),
                        number("value", None, "Result for other elements."),
                    ]
                }
            }
            A::Softshrink => {
                const { &[number("lambd", Some(0.5), "Distance by which elements move; not negative.")] }
            }
            A::Hardshrink => {
                const { &[number("lambd", Some(0.5), "Largest magnitude of elements that become 0.")] }
            }
            _ => &[],
        }
    }

    /// Returns the numbers as a kernel of a dtype takes them. Bounds that elements are compared with, and values that
    /// replace elements, are rounded to the dtype; factors stay.
    pub(super) fn rounded(self, numbers: [f64; 2], dtype: DType) -> [f64; 2] {
        match self {
            A::Relu6 => [0.0, 6.0],
            A::Hardtanh | A::Threshold | A::Hardshrink => {
                numbers.map(|v| Scalar::from_f64(v, dtype).to_f64())
            }
            _ => numbers,
        }
    }

    /// Numbers and domains of the samples. The domains stay away from kinks and jumps; every dtype has the numbers.
    pub(super) fn sampled(self) -> Vec<([f64; 2], Domain)> {
        let away = |far: f64| Domain::Away(-far, far, 0.5);
        match self {
            A::Relu6 => vec![([0.0; 2], away(8.0))],
            A::LeakyRelu => vec![([0.25, 0.0], away(3.0)), ([-2.0, 0.0], away(3.0))],
            A::Celu => vec![([1.0, 0.0], away(3.0)), ([0.5, 0.0], away(3.0)), ([-2.0, 0.0], away(3.0))],
            A::Hardswish | A::Hardsigmoid => vec![([0.0; 2], away(5.0))],
            A::Hardtanh => vec![([-1.0, 1.0], away(3.0)), ([0.5, 2.0], away(3.0))],
            A::Threshold => vec![([0.5, 2.0], away(3.0)), ([-1.0, 0.25], away(3.0))],
            A::Softshrink | A::Hardshrink => vec![([0.5, 0.0], away(3.0)), ([1.5, 0.0], away(3.0))],
            A::Selu | A::Softsign => vec![([0.0; 2], away(3.0))],
            A::Mish | A::Tanhshrink | A::Logsigmoid => vec![([0.0; 2], Domain::Range(-3.0, 3.0))],
        }
    }
}

/// An activation function, with its numbers. The output has the shape and dtype of the input. f16 and bf16 compute in
/// f32 and are rounded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Activation {
    /// The function.
    pub op: ActivationOp,
    /// Its numbers, in the order of the attributes; the others are 0.
    pub numbers: [f64; 2],
}

impl Activation {
    /// Returns the numbers as a kernel of a dtype takes them.
    pub(crate) fn numbers(&self, dtype: DType) -> [f64; 2] {
        self.op.rounded(self.numbers, dtype)
    }
}

impl OpDef for Activation {
    fn name(&self) -> &'static str {
        self.op.as_str()
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let [a, b] = self.numbers;
        match self.op {
            A::Celu if a == 0.0 => return Err(Error::invalid("celu", "alpha is 0; give another number")),
            A::Hardtanh if a > b => {
                return Err(Error::invalid("hardtanh", format_args!("min_val {a:?} exceeds max_val {b:?}")));
            }
            A::Softshrink if a < 0.0 => {
                return Err(Error::invalid("softshrink", format_args!("lambd {a:?} is negative")));
            }
            _ => {}
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Slope::Of(self.op).gradient(self.numbers, &c.input(0)?, c.grad())?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        self.op.attributes()
    }

    fn values(&self) -> Vec<Value> {
        self.numbers.map(Value::Float)[..self.attributes().len()].to_vec()
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE
    }

    fn accuracy(&self) -> Accuracy {
        match self.op {
            A::Relu6 | A::Hardtanh | A::Threshold | A::Hardshrink => Accuracy::Rounded,
            A::LeakyRelu | A::Hardswish | A::Hardsigmoid | A::Softshrink | A::Softsign => {
                Accuracy::Accumulated
            }
            A::Celu | A::Selu | A::Mish | A::Tanhshrink | A::Logsigmoid => Accuracy::ulps(4.0),
        }
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
        for &op in A::ALL {
            let make = |numbers, shape: &[usize], domain| {
                (Op::Activation(Self { op, numbers }), vec![Spec::new(shape, domain)])
            };
            let sampled = op.sampled();
            let mut good: Vec<_> =
                sampled.iter().map(|(numbers, domain)| (*numbers, &[2usize, 3][..], *domain)).collect();
            let (numbers, domain) = sampled[0];
            good.extend([(numbers, &[][..], domain), (numbers, &[0, 4], domain)]);
            let bad = match op {
                A::Celu => Some(([0.0; 2], "alpha is 0")),
                A::Hardtanh => Some(([1.0, -1.0], "exceeds max_val")),
                A::Softshrink => Some(([-0.5, 0.0], "is negative")),
                _ => None,
            };
            let bad = bad.map(|(numbers, error)| ((numbers, &[2, 3][..], domain), error));
            all.extend(Sample::table(|(numbers, shape, domain)| make(numbers, shape, domain), good, bad));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        macro_rules! function {
            ($op:ident, $name:literal, $doc:literal, ($($number:ident $(= $default:expr)?),*)) => {
                signature!(
                    Promoted,
                    $doc,
                    [],
                    ($($number: Float $(= $default)?),*) => activation(A::$op, &[$($number),*])
                )
                .named($name)
                .without_method()
            };
        }
        vec![
            function!(Relu6, "_relu6", "Limits ``x`` to the numbers from 0 to 6.", ()),
            function!(
                LeakyRelu,
                "_leaky_relu",
                "Multiplies elements that are not positive by a number.",
                (negative_slope = 0.01)
            ),
            function!(
                Celu,
                "_celu",
                "Computes ``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``.",
                (alpha = 1.0)
            ),
            function!(Selu, "_selu", "Computes ELU with the numbers that keep mean 0 and variance 1.", ()),
            function!(Mish, "_mish", "Computes ``x * tanh(log(1 + exp(x)))``.", ()),
            function!(Hardswish, "_hardswish", "Computes ``x * relu6(x + 3) / 6``.", ()),
            function!(Hardsigmoid, "_hardsigmoid", "Computes ``relu6(x + 3) / 6``.", ()),
            function!(
                Hardtanh,
                "_hardtanh",
                "Limits ``x`` to an interval; its gradient at the bounds is 0.",
                (min_val = -1.0, max_val = 1.0)
            ),
            function!(
                Threshold,
                "_threshold",
                "Replaces elements that do not exceed a threshold.",
                (threshold, value)
            ),
            function!(Softshrink, "_softshrink", "Moves ``x`` towards 0, but not beyond.", (lambd = 0.5)),
            function!(Hardshrink, "_hardshrink", "Replaces small elements by 0.", (lambd = 0.5)),
            function!(Tanhshrink, "_tanhshrink", "Computes ``x - tanh(x)``.", ()),
            function!(Softsign, "_softsign", "Computes ``x / (1 + |x|)``.", ()),
            function!(Logsigmoid, "_logsigmoid", "Computes ``log(1 / (1 + exp(-x)))``.", ()),
        ]
    }
}

/// Returns an op of the family with the numbers that it has.
fn activation(op: ActivationOp, given: &[f64]) -> Op {
    let mut numbers = [0.0; 2];
    numbers.iter_mut().zip(given).for_each(|(to, v)| *to = *v);
    Op::Activation(Activation { op, numbers })
}

macro_rules! methods {
    ($($(#[$doc:meta])* $op:ident $method:ident($($number:ident),*);)*) => {
        impl Tensor {
            $($(#[$doc])*
            pub fn $method(&self $(, $number: f64)*) -> Result<Self> {
                Tensor::run(activation(A::$op, &[$($number),*]), &[self])
            })*
        }
    };
}

methods! {
    /// Computes `min(max(x, 0), 6)`; the gradient at 0 and 6 is 0. FLOAT dtypes.
    Relu6 relu6();
    /// Returns `x` where it is positive, else `negative_slope x`. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let y = Tensor::new(&[-2f32, 3.], &Device::Cpu)?.leaky_relu(0.25)?;
    /// assert_eq!(y.to_vec1::<f32>()?, [-0.5, 3.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    LeakyRelu leaky_relu(negative_slope);
    /// Returns `x` where it is positive, else `alpha (e^(x / alpha) - 1)` (Barron 2017). FLOAT dtypes. Fails if `alpha`
    /// is 0.
    Celu celu(alpha);
    /// Computes ELU with the factor and the limit that keep mean 0 and variance 1 (Klambauer et al. 2017). FLOAT dtypes.
    Selu selu();
    /// Computes `x tanh(ln(1 + e^x))` (Misra 2019). FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let y = Tensor::new(&[0f32, 100.], &Device::Cpu)?.mish()?;
    /// assert_eq!(y.to_vec1::<f32>()?, [0., 100.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    Mish mish();
    /// Computes `x min(max(x + 3, 0), 6) / 6` (Howard et al. 2019). FLOAT dtypes.
    Hardswish hardswish();
    /// Computes `min(max(x + 3, 0), 6) / 6`; the gradient at -3 and 3 is 0. FLOAT dtypes.
    Hardsigmoid hardsigmoid();
    /// Computes `min(max(x, min_val), max_val)`; the gradient at the bounds is 0. FLOAT dtypes. Fails if `min_val` exceeds
    /// `max_val`.
    Hardtanh hardtanh(min_val, max_val);
    /// Returns `x` where it exceeds `threshold`, else `value`. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let y = Tensor::new(&[-1f32, 2.], &Device::Cpu)?.threshold(0.5, 9.)?;
    /// assert_eq!(y.to_vec1::<f32>()?, [9., 2.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    Threshold threshold(threshold, value);
    /// Moves elements towards 0 by `lambd`, but not beyond. FLOAT dtypes. Fails if `lambd` is negative.
    Softshrink softshrink(lambd);
    /// Returns 0 from `-lambd` to `lambd`, else `x`. FLOAT dtypes.
    Hardshrink hardshrink(lambd);
    /// Computes `x - tanh(x)`, also accurately near 0. FLOAT dtypes.
    Tanhshrink tanhshrink();
    /// Computes `x / (1 + |x|)`. FLOAT dtypes.
    Softsign softsign();
    /// Computes `ln(1 / (1 + e^-x))`, without overflow or underflow. FLOAT dtypes.
    Logsigmoid logsigmoid();
}
