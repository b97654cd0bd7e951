//! Lower and upper triangles of the last two dimensions.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Keeps a triangle of each matrix and sets the other elements to zero. With `d = column - row`, the lower triangle has
/// `d <= diagonal`, the upper one `d >= diagonal`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Triangle {
    /// Whether to keep the upper triangle.
    pub upper: bool,
    /// The diagonal that bounds the triangle: 0 is the main diagonal, positive numbers are to the right of it.
    pub diagonal: i64,
}

impl OpDef for Triangle {
    fn name(&self) -> &'static str {
        if self.upper { "triu" } else { "tril" }
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let x = &ins[0];
        if x.shape.rank() < 2 {
            return Err(Error::UnexpectedNumberOfDims {
                expected: 2,
                got: x.shape.rank(),
                shape: x.shape.clone(),
            }
            .bt());
        }
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, x.dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::Triangle(*self), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[AttributeSpec::new(
                "diagonal",
                Kind::Int,
                Allowed::Any,
                "Diagonal that bounds the triangle: 0 is the main one, positive ones lie above it.",
            )
            .or(Value::Int(0))]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Int(self.diagonal)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
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
        Thresholds::LINES
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let mut all = Vec::new();
        for upper in [false, true] {
            let op = |diagonal| Op::Triangle(Triangle { upper, diagonal });
            for diagonal in [0, 1, -1, 4, -4] {
                all.push(Sample::new(op(diagonal), vec![Spec::new([3, 4], d)]));
            }
            for shape in [&[4usize, 3][..], &[2, 3, 3], &[2, 1, 3, 2], &[0, 3], &[3, 0]] {
                all.push(Sample::new(op(0), vec![Spec::new(shape, d)]));
            }
            all.push(Sample::bad(op(0), vec![Spec::new(3, d)], "unexpected rank"));
        }
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Returns the lower triangle of the last two dimensions, with zeros above a diagonal.",
                [
                    ">>> rl.tril(rl.ones((2, 3)))",
                    "tensor([[1., 0., 0.],",
                    "        [1., 1., 0.]], dtype=float32, device='cpu')",
                ],
                (diagonal: Int = 0) => Op::Triangle(Self { upper: false, diagonal })
            ),
            signature!(
                AsGiven,
                "Returns the upper triangle of the last two dimensions, with zeros below a diagonal.",
                [
                    ">>> rl.triu(rl.ones((2, 3)))",
                    "tensor([[1., 1., 1.],",
                    "        [0., 1., 1.]], dtype=float32, device='cpu')",
                ],
                (diagonal: Int = 0) => Op::Triangle(Self { upper: true, diagonal })
            ),
        ]
    }
}

impl Tensor {
    /// Returns the lower triangle of the last two dimensions (`column - row <= diagonal`), with zeros elsewhere. All
    /// dtypes.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let t = Tensor::ones((2, 3), DType::U8, &Device::Cpu)?;
    /// assert_eq!(t.tril(0)?.to_vec2::<u8>()?, [[1, 0, 0], [1, 1, 0]]);
    /// assert_eq!(t.triu(1)?.to_vec2::<u8>()?, [[0, 1, 1], [0, 0, 1]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn tril(&self, diagonal: i64) -> Result<Tensor> {
        Tensor::run(Op::Triangle(Triangle { upper: false, diagonal }), &[self])
    }

    /// Returns the upper triangle of the last two dimensions (`column - row >= diagonal`), with zeros elsewhere. All
    /// dtypes.
    pub fn triu(&self, diagonal: i64) -> Result<Tensor> {
        Tensor::run(Op::Triangle(Triangle { upper: true, diagonal }), &[self])
    }
}
