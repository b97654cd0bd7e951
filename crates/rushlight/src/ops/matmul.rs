//! Matrix product, batched.
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reads, Reference, Sample,
    ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// `[.., m, k] x [.., k, n] -> [.., m, n]` with equal batch dimensions and any strides. f16 and bf16 accumulate in f32,
/// integers wrap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatMul;

impl OpDef for MatMul {
    fn name(&self) -> &'static str {
        "matmul"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("lhs", sets::NUMERIC), Input::same("rhs", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs(3)
    }

    fn reads_for(&self, wanted: usize) -> Reads {
        Reads::other_factor(wanted)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        grads![c.when(0, || g.matmul(&c.input(1)?.t()?))?, c.when(1, || c.input(0)?.t()?.matmul(g))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Product
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Product { lhs: 0 }
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
        Reference::same("matmul")
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::PRODUCT
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-2.0, 2.0);
        let make = |a: &[usize], b: &[usize]| vec![Spec::new(a, d), Spec::new(b, d)];
        let op = || Op::MatMul(MatMul);
        let mut all: Vec<_> = [
            (&[2usize, 3][..], &[3usize, 4][..]),
            (&[1, 3], &[3, 4]),
            (&[5, 3], &[3, 1]),
            (&[1, 1], &[1, 1]),
            (&[5, 7], &[7, 3]),
            (&[2, 3, 4], &[2, 4, 2]),
            (&[2, 2, 3, 1], &[2, 2, 1, 3]),
            (&[2, 0], &[0, 3]),
            (&[0, 2], &[2, 3]),
        ]
        .into_iter()
        .map(|(a, b)| Sample::new(op(), make(a, b)))
        .collect();
        for (a, b) in [
            (&[2usize, 3][..], &[2usize, 3][..]),
            (&[3], &[3]),
            (&[2, 2, 3], &[3, 3, 2]),
            (&[2, 3], &[1, 3, 2]),
        ] {
            all.push(Sample::bad(op(), make(a, b), "shape mismatch in matmul"));
        }
        all
    }
}

impl Tensor {
    /// Matrix product over the last two dimensions. The batch dimensions must be equal. NUMBER dtypes; complex products are made
    /// of four real ones.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let a = Tensor::new(&[[1f32, 2.], [3., 4.]], &Device::Cpu)?;
    /// assert_eq!(a.matmul(&a.t()?)?.to_vec2::<f32>()?, [[5., 11.], [11., 25.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn matmul(&self, rhs: &Self) -> Result<Self> {
        if self.dtype().is_complex() && self.dtype() == rhs.dtype() {
            return self.complex_matmul(rhs);
        }
        Tensor::run(Op::MatMul(MatMul), &[self, rhs])
    }

    /// Matrix product after broadcasting the batch dimensions to one shape (NumPy's rule), without copies.
    pub fn broadcast_matmul(&self, rhs: &Self) -> Result<Self> {
        let (l, r) = (self.dims(), rhs.dims());
        let mismatch = || {
            Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: rhs.shape().clone(),
                op: "broadcast_matmul",
            }
            .bt()
        };
        if l.len() < 2 || r.len() < 2 || l[l.len() - 1] != r[r.len() - 2] {
            return Err(mismatch());
        }
        let (lb, lm) = l.split_at(l.len() - 2);
        let (rb, rm) = r.split_at(r.len() - 2);
        let batch = Shape::from(lb)
            .broadcast_shape_binary_op(&Shape::from(rb), "broadcast_matmul")
            .map_err(|_| mismatch())?;
        let left = self.broadcast_as(batch.clone().extend(lm))?;
        let right = rhs.broadcast_as(batch.extend(rm))?;
        left.matmul(&right)
    }

    /// Dot product of two vectors, as a tensor of rank 0.
    pub fn dot(&self, rhs: &Self) -> Result<Self> {
        if self.rank() != 1 || self.dims() != rhs.dims() {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: rhs.shape().clone(),
                op: "dot",
            }
            .bt());
        }
        (self * rhs)?.sum_all()
    }

    /// Product of a matrix and a vector.
    pub fn mv(&self, rhs: &Self) -> Result<Self> {
        if self.rank() != 2 || rhs.rank() != 1 || self.dims()[1] != rhs.dims()[0] {
            return Err(Error::ShapeMismatchBinaryOp {
                lhs: self.shape().clone(),
                rhs: rhs.shape().clone(),
                op: "mv",
            }
            .bt());
        }
        self.matmul(&rhs.unsqueeze(1)?)?.squeeze(1)
    }
}
