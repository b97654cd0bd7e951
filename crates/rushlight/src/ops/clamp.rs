//! Elements limited to an interval whose ends are numbers, and the gradient.
use super::{
    Accuracy, Allowed, AttributeSpec, Differentiable, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{DType, Result, Scalar, Tensor, TensorOrScalar, TensorScalar};

/// The ends of an interval. They are converted to the dtype of the elements; an infinite end does not limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bounds {
    /// Lower end.
    pub min: Scalar,
    /// Upper end.
    pub max: Scalar,
}

impl Bounds {
    /// Both ends in a dtype.
    pub(crate) fn ends(&self, dtype: DType) -> [Scalar; 2] {
        [self.min, self.max].map(|end| end.to_dtype(dtype))
    }
}

/// Computes `min(max(x, min), max)`. NaN stays, and a bound that is NaN makes every result NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clamp(pub Bounds);

/// Computes the gradient of `clamp`: `grad` where `x` is in the interval or at one of its ends, else 0, as in PyTorch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClampBackward(pub Bounds);

const ATTRIBUTES: &[AttributeSpec] = &[
    AttributeSpec::new("min", Kind::Scalar, Allowed::Any, "Lower bound."),
    AttributeSpec::new("max", Kind::Scalar, Allowed::Any, "Upper bound."),
];

/// Returns samples of bounds, with ends that every dtype holds exactly. `n` is the number of inputs.
fn samples(n: usize, op: fn(Bounds) -> Op) -> Vec<Sample> {
    let inf = f64::INFINITY;
    let mut all = Vec::new();
    for (min, max) in [(-1.0, 2.0), (1.0, inf), (-inf, 1.0), (2.0, -1.0)] {
        for shape in [&[2usize, 3][..], &[], &[0, 4]] {
            let bounds = Bounds { min: Scalar::F64(min), max: Scalar::F64(max) };
            let mut ins = vec![Spec::new(shape, Domain::Away(-3.0, 3.0, 0.5)); n];
            ins.iter_mut().skip(1).for_each(|g| g.domain = Domain::Range(-3.0, 3.0));
            all.push(Sample::new(op(bounds), ins));
        }
    }
    all
}

macro_rules! common {
    ($op:ident, $n:literal) => {
        fn infer(&self, ins: &[Meta]) -> Result<Meta> {
            Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
        }

        fn attributes(&self) -> &'static [AttributeSpec] {
            ATTRIBUTES
        }

        fn values(&self) -> Vec<Value> {
            vec![Value::Scalar(self.0.min), Value::Scalar(self.0.max)]
        }

        fn reads(&self) -> Reads {
            Reads::inputs(1)
        }

        fn pattern(&self) -> Pattern {
            Pattern::ELEMENTWISE
        }

        fn accuracy(&self) -> Accuracy {
            Accuracy::Rounded
        }

        fn term_order(&self) -> TermOrder {
            TermOrder::Fixed
        }

        fn special_values(&self) -> SpecialValues {
            SpecialValues::ALL
        }

        fn thresholds(&self) -> Thresholds {
            Thresholds::ELEMENTWISE
        }

        fn samples() -> Vec<Sample> {
            samples($n, |bounds| Op::$op(Self(bounds)))
        }
    };
}

impl OpDef for Clamp {
    common!(Clamp, 1);

    fn name(&self) -> &'static str {
        "clamp"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::ClampBackward(ClampBackward(self.0)), &[&c.input(0)?, c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }
}

impl OpDef for ClampBackward {
    common!(ClampBackward, 2);

    fn name(&self) -> &'static str {
        "clamp_backward"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("grad", sets::FLOAT)] }
    }

    fn differentiable(&self) -> Differentiable {
        Differentiable::Again
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let again = || Tensor::run(Op::ClampBackward(*self), &[&c.input(0)?, c.grad()]);
        grads![c.when(0, || c.grad().constant_like(0.0))?, c.when(1, again)?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn reference(&self) -> Reference {
        Reference::GRADIENT
    }
}

impl Tensor {
    /// Limits elements to the numbers from `min` to `max`; a missing bound does not limit. NaN stays. NUMERIC dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Scalar, Tensor};
    /// let x = Tensor::new(&[-2i64, 1, 5], &Device::Cpu)?;
    /// assert_eq!(x.clamp_between(Some(Scalar::I64(0)), Some(Scalar::I64(3)))?.to_vec1::<i64>()?, [0, 1, 3]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn clamp_between(&self, min: Option<Scalar>, max: Option<Scalar>) -> Result<Tensor> {
        let infinity = |sign: f64| Scalar::F64(sign * f64::INFINITY);
        let bounds = Bounds { min: min.unwrap_or(infinity(-1.0)), max: max.unwrap_or(infinity(1.0)) };
        Tensor::run(Op::Clamp(Clamp(bounds)), &[self])
    }

    /// Limits elements to the interval between two bounds, each a tensor of the same shape or a scalar. NaN stays. NUMERIC
    /// dtypes.
    pub fn clamp<A: TensorOrScalar, B: TensorOrScalar>(&self, min: A, max: B) -> Result<Tensor> {
        match (min.to_tensor_scalar()?, max.to_tensor_scalar()?) {
            (TensorScalar::Scalar(min), TensorScalar::Scalar(max)) => {
                let first = |t: Tensor| Ok::<_, crate::Error>(Scalar::first(&t.to_cpu_storage()?));
                self.clamp_between(first(min)?, first(max)?)
            }
            (min, max) => {
                let tensor = |bound| match bound {
                    TensorScalar::Tensor(t) => Ok(t),
                    TensorScalar::Scalar(t) => self.scalar_operand(&t),
                };
                self.clamp_tensor(Some(&tensor(min)?), Some(&tensor(max)?))
            }
        }
    }
}
