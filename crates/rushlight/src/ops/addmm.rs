//! The op addmm: a matrix product added to a matrix.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Grads, Input, Kind, Meta, Op, OpDef, Pattern, PythonSignature,
    Reads, Reference, Sample, ShapeRule, Spec, SpecialValues, TensorArgument, TermOrder, Thresholds, Value,
    given, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Computes `beta * x + alpha * (mat1 mat2)`. If `beta` is 0, the values of `x` are not read, so its NaNs have no
/// effect. f16 and bf16 keep the product in f32 and are rounded once. Integers wrap and need integral factors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AddMm {
    /// Factor of `x`.
    pub beta: f64,
    /// Factor of the product.
    pub alpha: f64,
}

impl OpDef for AddMm {
    fn name(&self) -> &'static str {
        "addmm"
    }

    fn inputs(&self) -> &'static [Input] {
        const {
            &[
                Input::new("x", sets::NUMERIC),
                Input::same("mat1", sets::NUMERIC),
                Input::same("mat2", sets::NUMERIC),
            ]
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let (a, b) = (ins[1].shape.dims(), ins[2].shape.dims());
        if a.len() != 2 || b.len() != 2 || a[1] != b[0] {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: ins[1].shape.clone(),
                rhs: ins[2].shape.clone(),
                op: "addmm",
            }
            .bt());
        }
        if ins[0].shape.dims() != [a[0], b[1]] {
            return Err(Error::UnexpectedShape {
                msg: "addmm: the matrix added must have the product's shape".to_string(),
                expected: (a[0], b[1]).into(),
                got: ins[0].shape.clone(),
            }
            .bt());
        }
        whole_for_ints("addmm", ins[0].dtype, &[("beta", self.beta), ("alpha", self.alpha)])?;
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(6)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::inputs([0, 4, 2][wanted.min(2)])
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let scaled = |f: f64| if f == 1.0 { Ok(g.clone()) } else { g.affine(f, 0.0) };
        grads![
            c.when(0, || scaled(self.beta))?,
            c.when(1, || scaled(self.alpha)?.matmul(&c.input(2)?.t()?))?,
            c.when(2, || c.input(1)?.t()?.matmul(&scaled(self.alpha)?))?
        ]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Input(0)
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                AttributeSpec::new("beta", Kind::Float, Allowed::Any, "Factor of the matrix that is added.")
                    .or(Value::Float(1.0)),
                AttributeSpec::new("alpha", Kind::Float, Allowed::Any, "Factor of the product.")
                    .or(Value::Float(1.0)),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![Value::Float(self.beta), Value::Float(self.alpha)]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Product { lhs: 1 }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Products
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
        Thresholds::PRODUCT
    }

    fn map_factors(&self, f: fn(f64) -> f64) -> Option<Self> {
        Some(Self { beta: f(self.beta), alpha: f(self.alpha) })
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make =
            |x: &[usize], a: &[usize], b: &[usize]| vec![Spec::new(x, d), Spec::new(a, d), Spec::new(b, d)];
        let op = |beta, alpha| Op::AddMm(AddMm { beta, alpha });
        let mut all = Vec::new();
        for (beta, alpha) in [(1.0, 1.0), (2.0, -3.0), (0.0, 2.0)] {
            for (x, a, b) in [
                (&[2usize, 4][..], &[2usize, 3][..], &[3usize, 4][..]),
                (&[1, 1], &[1, 1], &[1, 1]),
                (&[2, 3], &[2, 0], &[0, 3]),
                (&[0, 3], &[0, 2], &[2, 3]),
            ] {
                all.push(Sample::new(op(beta, alpha), make(x, a, b)));
            }
        }
        all.push(Sample::bad(op(1.0, 1.0), make(&[2, 4], &[2, 3], &[4, 4]), "shape mismatch in addmm"));
        all.push(Sample::bad(op(1.0, 1.0), make(&[2, 4], &[1, 2, 3], &[3, 4]), "shape mismatch in addmm"));
        all.push(Sample::bad(op(1.0, 1.0), make(&[2, 3], &[2, 3], &[3, 4]), "the product's shape"));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        const TENSORS: &[TensorArgument] = &[
            TensorArgument::new("x", "Input, of an integer or floating-point dtype."),
            TensorArgument::new("mat1", "Left factor, of shape (n, k)."),
            TensorArgument::new("mat2", "Right factor, of shape (k, m)."),
        ];
        vec![
            signature!(
                AsGiven,
                "Computes ``beta * x + alpha * (mat1 @ mat2)`` in one pass; ``x`` is broadcast to the shape of the product.",
                [
                    ">>> rl.addmm(rl.tensor([1.0, 2.0]), rl.ones((1, 3)), rl.ones((3, 2)))",
                    "tensor([[4., 5.]], dtype=float32, device='cpu')",
                ],
                (beta: Float = 1.0, alpha: Float = 1.0) => Op::AddMm(Self { beta, alpha })
            )
            .calling(TENSORS, |op, tensors| {
                let [x, mat1, mat2] = given(&op, tensors)?;
                x.added_product(op, mat1, mat2)
            })
            .returns("Result of shape (n, m).")
            .keyword_only(),
        ]
    }
}

/// Returns an error if a factor for an integer dtype is not an integer.
pub(super) fn whole_for_ints(op: &'static str, dtype: crate::DType, factors: &[(&str, f64)]) -> Result<()> {
    for (name, f) in factors {
        if dtype.is_int() && *f != f.trunc() {
            return Err(Error::invalid(op, format!("{name} must be a whole number for {dtype:?}, got {f}")));
        }
    }
    Ok(())
}

impl Tensor {
    /// Returns `beta * self + alpha * (mat1 mat2)`, with `self` broadcast to the product's shape. NUMERIC and COMPLEX
    /// dtypes; the result of complex numbers is made of several ops.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let bias = Tensor::new(&[10f32, 20.], &Device::Cpu)?;
    /// let a = Tensor::new(&[[1f32, 2.]], &Device::Cpu)?;
    /// let b = Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?;
    /// assert_eq!(bias.addmm(&a, &b, 1.0, 2.0)?.to_vec2::<f32>()?, [[12., 24.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn addmm(&self, mat1: &Self, mat2: &Self, beta: f64, alpha: f64) -> Result<Self> {
        self.added_product(Op::AddMm(AddMm { beta, alpha }), mat1, mat2)
    }

    fn added_product(&self, op: Op, mat1: &Self, mat2: &Self) -> Result<Self> {
        if let Op::AddMm(AddMm { beta, alpha }) = op
            && [self, mat1, mat2].iter().all(|t| t.dtype().is_complex())
        {
            return self.complex_added(mat1.matmul(mat2)?, beta, alpha);
        }
        let x = match (mat1.dims(), mat2.dims()) {
            (&[m, k], &[k2, n]) if k == k2 => self.broadcast_as((m, n))?,
            // Invalid shapes are passed on, since the op returns the error.
            _ => self.clone(),
        };
        Tensor::run(op, &[&x, mat1, mat2])
    }
}
