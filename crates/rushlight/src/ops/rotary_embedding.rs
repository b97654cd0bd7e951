//! Rotary position embedding.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value, given,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// Rotates pairs of elements of the last dimension by the angles whose cosines and sines are `cos` and `sin` (Su et al.
/// 2021): `(a, b)` becomes `(a cos - b sin, a sin + b cos)`, where each operation is rounded. A pair consists of
/// elements at the same index of the first and second half; an interleaved pair of two adjacent elements. f16 and bf16
/// compute in f32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotaryEmbedding {
    /// Whether pairs are adjacent elements.
    pub interleaved: bool,
    /// Whether to rotate by the negative angles.
    pub inverse: bool,
}

impl RotaryEmbedding {
    /// Returns the first elements and the second elements of all pairs.
    fn pairs(&self, t: &Tensor) -> Result<[Tensor; 2]> {
        let dim = t.rank() - 1;
        let half = t.dims()[dim] / 2;
        Ok(match self.interleaved {
            true => [t.slice(dim, 0, half, 2)?, t.slice(dim, half.min(1), half, 2)?],
            false => [t.narrow(dim, 0, half)?, t.narrow(dim, half, half)?],
        })
    }
}

impl OpDef for RotaryEmbedding {
    fn name(&self) -> &'static str {
        "rotary_embedding"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::FLOAT), Input::same("cos", sets::FLOAT), Input::same("sin", sets::FLOAT)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let Some((&size, lead)) = ins[0].shape.dims().split_last() else {
            return Err(Error::invalid(self.name(), "needs at least 1 dimension, got a scalar"));
        };
        if size % 2 != 0 {
            return Err(Error::invalid(self.name(), format!("the last size must be even, got {size}")));
        }
        let expected = Shape::from(lead).extend(&[size / 2]);
        if let Some(m) = ins[1..].iter().find(|m| m.shape != expected) {
            return Err(Error::shapes(&m.shape, &expected, self.name()));
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(7)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs(if wanted == 0 { 6 } else { 1 })
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let back = Op::RotaryEmbedding(Self { inverse: !self.inverse, ..*self });
        let dx = c.when(0, || Tensor::run(back, &[g, &c.input(1)?, &c.input(2)?]))?;
        let parts = || Ok::<_, Error>((self.pairs(g)?, self.pairs(&c.input(0)?)?));
        let dcos = c.when(1, || {
            let ([g, h], [a, b]) = parts()?;
            (g * a)? + (h * b)?
        })?;
        let dsin = c.when(2, || {
            let ([g, h], [a, b]) = parts()?;
            if self.inverse { (g * b)? - (h * a)? } else { (h * a)? - (g * b)? }
        })?;
        let mut all = Grads::new();
        all.extend([dx, dcos, dsin]);
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::flag("interleaved", "Whether the elements of a pair are neighbours."),
                AttributeSpec::flag("inverse", "Whether to rotate by the negative angles."),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Bool(self.interleaved), Value::Bool(self.inverse)]
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
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::ELEMENTWISE
    }

    fn samples() -> Vec<Sample> {
        let make = |op: Self, x: &[usize], angles: &[usize]| {
            let range = Domain::Range(-2.0, 2.0);
            let specs = [x, angles, angles].map(|s| Spec::new(s, range));
            (Op::RotaryEmbedding(op), specs.to_vec())
        };
        let base = Self { interleaved: false, inverse: false };
        let next = Self { interleaved: true, ..base };
        let back = Self { inverse: true, ..base };
        Sample::table(
            |(op, x, angles): (Self, &[usize], &[usize])| make(op, x, angles),
            [
                (base, &[3, 6][..], &[3, 3][..]),
                (next, &[2, 3, 4], &[2, 3, 2]),
                (back, &[2, 1, 3, 2], &[2, 1, 3, 1]),
                (Self { inverse: true, ..next }, &[5, 4], &[5, 2]),
                (base, &[4], &[2]),
                (base, &[0, 4], &[0, 2]),
                (next, &[3, 0], &[3, 0]),
            ],
            [
                ((base, &[3, 5][..], &[3, 2][..]), "must be even"),
                ((base, &[], &[]), "at least 1 dimension"),
                ((base, &[3, 4], &[2, 2]), "shape mismatch in"),
            ],
        )
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("x", "Input, of a floating-point dtype."),
            TensorArgument::new("cos", "Cosines of the angles, which are broadcast."),
            TensorArgument::new("sin", "Sines of the angles, which are broadcast."),
        ];
        vec![
            signature!(
                AsGiven,
                "Rotates pairs of elements of the last axis.",
                [],
                (interleaved: Bool) => Op::RotaryEmbedding(Self { interleaved, inverse: false })
            )
            .named("_rotary_embedding")
            .calling(TENSORS, rotated)
            .without_method(),
        ]
    }
}

/// Rotates by angles that are broadcast.
fn rotated(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let [x, cos, sin] = given(&op, tensors)?;
    let mut dims = x.dims().to_vec();
    if let Some(last) = dims.last_mut() {
        *last /= 2;
    }
    let angles = |t: &Tensor| match (t.rank(), x.rank()) {
        (3, 4) => t.unsqueeze(1)?.broadcast_as(dims.clone()),
        _ => t.broadcast_as(dims.clone()),
    };
    Tensor::run(op, &[x, &angles(cos)?, &angles(sin)?])
}

impl Tensor {
    /// Rotates pairs of elements of the last dimension: `(a, b)` becomes `(a cos - b sin, a sin + b cos)`. A pair
    /// consists of elements at the same index of the first and second half or, if `interleaved`, of two adjacent
    /// elements. FLOAT dtypes; all have the same one.
    ///
    /// For a tensor `[.., L, D]`, `cos` and `sin` have shape `[L, D / 2]`, or any shape that broadcasts to
    /// `[.., L, D / 2]`. For `[B, H, L, D]` they may also have shape `[B, L, D / 2]`, as in candle's `rope`.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[1f32, 2., 3., 4.]], &Device::Cpu)?;
    /// let (cos, sin) = (Tensor::new(&[[0f32, 1.]], &Device::Cpu)?, Tensor::new(&[[1f32, 0.]], &Device::Cpu)?);
    /// assert_eq!(x.rotary_embedding(&cos, &sin, false)?.to_vec2::<f32>()?, [[-3., 2., 1., 4.]]);
    /// assert_eq!(x.rotary_embedding(&cos, &sin, true)?.to_vec2::<f32>()?, [[-2., 1., 3., 4.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn rotary_embedding(&self, cos: &Self, sin: &Self, interleaved: bool) -> Result<Self> {
        let op = RotaryEmbedding { interleaved, inverse: false };
        rotated(Op::RotaryEmbedding(op), &[Some(self), Some(cos), Some(sin)])
    }
}
