//! Elements limited to intervals whose ends are the elements of tensors.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `min(max(x, min), max)`, elementwise; either bound may be missing. NaN stays, and a bound that is NaN gives NaN.
/// The gradient goes to the number that is the result, to `x` where it equals a bound, as in PyTorch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClampTensor {
    /// Whether there is a lower bound.
    pub lower: bool,
    /// Whether there is an upper bound.
    pub upper: bool,
}

impl ClampTensor {
    /// The tensors of a call: `x`, the lower and the upper bound.
    fn given(self, c: &Vjp<'_>) -> Result<(Tensor, Option<Tensor>, Option<Tensor>)> {
        let min = if self.lower { Some(c.input(1)?) } else { None };
        let max = if self.upper { Some(c.input(1 + usize::from(self.lower))?) } else { None };
        Ok((c.input(0)?, min, max))
    }
}

impl OpDef for ClampTensor {
    fn name(&self) -> &'static str {
        "clamp_tensor"
    }

    fn inputs(&self) -> &'static [Input] {
        const X: Input = Input::new("x", sets::NUMERIC);
        const MIN: Input = Input::same("min", sets::NUMERIC);
        const MAX: Input = Input::same("max", sets::NUMERIC);
        match (self.lower, self.upper) {
            (true, true) => const { &[X, MIN, MAX] },
            (true, false) => const { &[X, MIN] },
            (false, true) => const { &[X, MAX] },
            (false, false) => const { &[X] },
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        if !self.lower && !self.upper {
            return Err(Error::invalid("clamp_tensor", "has no bound; give one or two"));
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs((1 << self.inputs().len()) - 1)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let (g, (x, min, max)) = (c.grad(), self.given(c)?);
        let zero = g.constant_like(0.0)?;
        let kept = |mask: Tensor| mask.where_cond(g, &zero);
        let within = || match (&min, &max) {
            (Some(min), Some(max)) => kept((x.ge(min)? * x.le(max)?)?),
            (Some(min), None) => kept(x.ge(min)?),
            (None, Some(max)) => kept(x.le(max)?),
            (None, None) => Ok(g.clone()),
        };
        let mut all = Grads::new();
        all.push(c.when(0, within)?);
        if let Some(min) = &min {
            let below = || match &max {
                Some(max) => kept((x.lt(min)? * min.lt(max)?)?),
                None => kept(x.lt(min)?),
            };
            all.push(c.when(1, below)?);
        }
        if let Some(max) = &max {
            let above = || match &min {
                Some(min) => kept(x.gt(max)?.maximum(&max.lt(min)?)?),
                None => kept(x.gt(max)?),
            };
            all.push(c.when(all.len(), above)?);
        }
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::flag("lower", "Whether there is a lower bound."),
                AttributeSpec::flag("upper", "Whether there is an upper bound."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Bool(self.lower), Value::Bool(self.upper)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::ELEMENTWISE_AS_SAMPLED
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

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let make = |(lower, upper, x, bound): (bool, bool, &[usize], &[usize])| {
            let mut ins = vec![Spec::new(x, Domain::Away(-3.0, 3.0, 0.5))];
            // Numbers within 0.015 of 0, from which those of x stay away.
            ins.extend(
                (0..usize::from(lower) + usize::from(upper))
                    .map(|_| Spec::new(bound, Domain::Range(-0.015, 0.015))),
            );
            (Op::ClampTensor(Self { lower, upper }), ins)
        };
        let shapes = [&[2usize, 3][..], &[], &[0, 4]];
        let kinds = [(true, true), (true, false), (false, true)];
        let good = kinds.iter().flat_map(|(l, u)| shapes.iter().map(move |s| (*l, *u, *s, *s)));
        let bad = [
            ((true, true, &[2usize, 3][..], &[3usize, 2][..]), "shape mismatch in"),
            ((false, false, &[2, 3], &[2, 3]), "has no bound"),
        ];
        Sample::table(make, good, bad)
    }
}

impl Tensor {
    /// Limits elements to intervals whose ends are the elements of tensors of the same shape and dtype; one may be missing. NaN
    /// stays. NUMERIC dtypes. Fails if both are missing.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[-2i64, 1, 5], &Device::Cpu)?;
    /// let min = Tensor::new(&[0i64, 2, 0], &Device::Cpu)?;
    /// assert_eq!(x.clamp_tensor(Some(&min), None)?.to_vec1::<i64>()?, [0, 2, 5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn clamp_tensor(&self, min: Option<&Self>, max: Option<&Self>) -> Result<Self> {
        let op = ClampTensor { lower: min.is_some(), upper: max.is_some() };
        let ins: Vec<&Self> = [Some(self), min, max].into_iter().flatten().collect();
        Tensor::run(Op::ClampTensor(op), &ins)
    }
}
