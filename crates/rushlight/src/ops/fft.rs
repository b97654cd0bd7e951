//! Fourier transforms of complex numbers along a dimension.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef, Pattern,
    PythonSignature, Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
    signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `out[k] = scale * (x[0] w^0 + x[1] w^k + .. + x[n - 1] w^((n - 1) k))` with `w = exp(-2 pi i / n)` along a dimension,
/// or with `w = exp(2 pi i / n)`. The length n is any but 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fft {
    /// The dimension.
    pub dim: usize,
    /// Whether the exponents are positive, as in inverse transforms.
    pub inverse: bool,
    /// Factor of the result.
    pub scale: f64,
}

impl OpDef for Fft {
    fn name(&self) -> &'static str {
        "fft"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::COMPLEX)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let shape = self.shape_rule().infer(self.name(), ins)?;
        if shape.dims()[self.dim] == 0 {
            let text = format!("dimension {} of {shape:?} has no elements to transform", self.dim);
            return Err(Error::invalid(self.name(), text));
        }
        Ok(Meta::new(shape, ins[0].dtype))
    }

    /// The matrix of the transform is symmetric, so its adjoint is the transform with the other sign.
    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![Tensor::run(Op::Fft(Fft { inverse: !self.inverse, ..*self }), &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Along { dim: self.dim }
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::dim("Dimension to transform."),
                AttributeSpec::flag("inverse", "Whether the exponents are positive."),
                AttributeSpec::new("scale", Kind::Float, Allowed::Finite, "Factor of the result.")
                    .or(Value::Float(1.0)),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Axis(self.dim), Value::Bool(self.inverse), Value::Float(self.scale)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Lines
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::FFT
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
        Thresholds::FFT
    }

    /// (`Fill::Own`: with infinities among the terms, the order of a sum decides whether it is NaN.)
    fn samples() -> Vec<Sample> {
        let spec =
            |shape: &[usize]| vec![Spec { fill: Fill::Own, ..Spec::new(shape, Domain::Range(-3.0, 3.0)) }];
        let op = |dim, inverse, scale| Op::Fft(Fft { dim, inverse, scale });
        let mut all = Vec::new();
        for (shape, dim, inverse, scale) in [
            (&[3usize, 8][..], 1, false, 1.0),
            (&[3, 4], 0, true, 0.5),
            (&[2, 5, 3], 1, false, 1.0),
            (&[1], 0, false, 0.5),
            (&[2], 0, true, 1.0),
            (&[4, 7], 1, true, 1.0),
            (&[12], 0, false, 1.0),
            (&[16, 2], 0, false, 1.0),
            (&[2, 17], 1, true, 0.25),
            (&[31], 0, false, 1.0),
            (&[2, 31, 2], 1, true, 1.0),
            (&[64], 0, false, 1.0),
            (&[97], 0, true, 1.0),
            (&[100], 0, true, 0.5),
            (&[0, 4], 1, false, 1.0),
        ] {
            all.push(Sample::new(op(dim, inverse, scale), spec(shape)));
        }
        for (shape, dim, inverse, scale) in [
            (&[2usize, 1000][..], 1, false, 1.0),
            (&[1009], 0, true, 1.0),
            (&[1024, 3], 0, false, 1.0),
            (&[4096], 0, true, 0.5),
        ] {
            all.push(Sample::new(op(dim, inverse, scale), spec(shape)).no_grad());
        }
        all.push(Sample::bad(op(2, false, 1.0), spec(&[3, 4]), "out of range"));
        all.push(Sample::bad(op(0, false, 1.0), spec(&[]), "out of range"));
        all.push(Sample::bad(op(1, true, 1.0), spec(&[3, 0]), "no elements"));
        all.push(Sample::bad(op(0, false, f64::INFINITY), spec(&[3]), "scale must be finite"));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Transforms complex numbers along a dimension.",
                [],
                (dim: Axis, inverse: Bool = false, scale: Float = 1.0) => Op::Fft(Self { dim, inverse, scale })
            )
            .named("_fft")
            .without_method(),
        ]
    }
}
