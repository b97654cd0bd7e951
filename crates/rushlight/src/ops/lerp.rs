//! Linear interpolation between two tensors, by a number or by a tensor.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Computes `x + weight (end - x)` for a weight whose magnitude is below 0.5, else `end - (end - x) (1 - weight)`, so that
/// the weight 1 gives `end`, as in PyTorch. The weight is a number or, without one, a third input. f16 and bf16 compute
/// in f32 and are rounded once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lerp {
    /// The weight, if it is a number.
    pub weight: Option<f64>,
}

impl OpDef for Lerp {
    fn name(&self) -> &'static str {
        if self.weight.is_some() { "lerp_scalar" } else { "lerp" }
    }

    fn inputs(&self) -> &'static [Input] {
        const ALL: &[Input] = &[
            Input::new("x", sets::FLOAT),
            Input::same("end", sets::FLOAT),
            Input::same("weight", sets::FLOAT),
        ];
        if self.weight.is_some() { ALL.split_at(2).0 } else { ALL }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        if self.weight.is_some() { Reads::NONE } else { Reads::inputs(7) }
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        match (self.weight, wanted) {
            (Some(_), _) => Reads::NONE,
            (None, 2) => Reads::inputs(3),
            (None, _) => Reads::inputs(4),
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        match self.weight {
            Some(w) => grads![c.when(0, || g.affine(1.0 - w, 0.0))?, c.when(1, || g.affine(w, 0.0))?],
            None => grads![
                c.when(0, || g * c.input(2)?.affine(-1.0, 1.0)?)?,
                c.when(1, || g * c.input(2)?)?,
                c.when(2, || g * (c.input(1)? - c.input(0)?)?)?
            ],
        }
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const WEIGHT: AttributeSpec =
            AttributeSpec::new("weight", Kind::Float, Allowed::Any, "Part of the way from ``x`` to ``end``.");
        if self.weight.is_some() { const { &[WEIGHT] } } else { &[] }
    }

    fn values(&self) -> Vec<Value> {
        self.weight.map(Value::Float).into_iter().collect()
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
        for weight in [None, Some(0.25), Some(0.75), Some(-1.5)] {
            let make = |x: &[usize], end: &[usize]| {
                let mut ins =
                    vec![Spec::new(x, Domain::Range(-3.0, 3.0)), Spec::new(end, Domain::Range(-3.0, 3.0))];
                if weight.is_none() {
                    ins.push(Spec::new(x, Domain::Range(-1.0, 2.0)));
                }
                (Op::Lerp(Self { weight }), ins)
            };
            let bad = [((&[2, 3][..], &[3, 2][..]), "shape mismatch in lerp")];
            let shapes = [&[2usize, 3][..], &[], &[0, 4]];
            let good: Vec<_> = shapes.iter().map(|s| (*s, *s)).collect();
            all.extend(Sample::table(|(x, end)| make(x, end), good, bad));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(Promoted, "Interpolates between two tensors by a tensor.", [], () => Op::Lerp(Lerp { weight: None }))
                .named("_lerp")
                .without_method(),
            signature!(
                Promoted,
                "Interpolates between two tensors by a number.",
                [],
                (weight: Float) => Op::Lerp(Lerp { weight: Some(weight) })
            )
            .named("_lerp_scalar")
            .without_method(),
        ]
    }
}

impl Tensor {
    /// Interpolates linearly: `self + weight (end - self)` by a number; `end` has the shape of the tensor. FLOAT dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (x, end) = (Tensor::new(&[0f32, 2.], &Device::Cpu)?, Tensor::new(&[4f32, 4.], &Device::Cpu)?);
    /// assert_eq!(x.lerp(&end, 0.25)?.to_vec1::<f32>()?, [1., 2.5]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn lerp(&self, end: &Self, weight: f64) -> Result<Self> {
        Tensor::run(Op::Lerp(Lerp { weight: Some(weight) }), &[self, end])
    }
}
