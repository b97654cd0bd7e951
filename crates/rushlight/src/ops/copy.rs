//! Copies between layouts: `contiguous`, `cat`, `slice_set`, assignment.
use super::{
    Accuracy, AttributeSpec, Differentiable, Domain, Grads, Input, Meta, Op, OpDef, Pattern, Reference, Role,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, grads,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Result, Tensor};

/// Copies the input to a new row-major tensor (`New`), or the second input's elements into the first input, which has
/// the same shape (`Into`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Copy {
    /// Copies to a new tensor.
    New,
    /// Copies into an existing tensor.
    Into,
}

impl OpDef for Copy {
    fn name(&self) -> &'static str {
        match self {
            Self::New => "copy",
            Self::Into => "assign",
        }
    }

    fn inputs(&self) -> &'static [Input] {
        match self {
            Self::New => const { &[Input::new("x", sets::ALL)] },
            Self::Into => const { &[Input::new("dst", sets::ALL), Input::same("src", sets::ALL)] },
        }
    }

    fn role(&self) -> Role {
        match self {
            Self::New => Role::Out,
            Self::Into => Role::InOut(1),
        }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.shape_rule().infer(self.name(), ins)?, ins[0].dtype))
    }

    fn differentiable(&self) -> Differentiable {
        match self {
            Self::New => Differentiable::Yes,
            Self::Into => Differentiable::No("it changes a tensor in place; use slice_scatter or cat"),
        }
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        grads![c.grad().clone()]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Equal
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &[]
    }

    fn values(&self) -> Vec<Value> {
        Vec::new()
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

    fn reference(&self) -> Reference {
        match self {
            Self::New => Reference::EXPRESSION,
            Self::Into => Reference::None("it changes a tensor in place"),
        }
    }

    fn thresholds(&self) -> Thresholds {
        Thresholds::COPIED
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        let mut all = Vec::new();
        for shape in [&[2usize, 3][..], &[], &[0, 4], &[2, 1, 3, 1, 2, 2]] {
            all.push(Sample::new(Op::Copy(Self::New), vec![Spec::new(shape, d)]));
            all.push(
                Sample::new(Op::Copy(Self::Into), vec![Spec::new(shape, d), Spec::new(shape, d)]).no_grad(),
            );
        }
        let bad = vec![Spec::new([2, 3], d), Spec::new([3, 2], d)];
        all.push(Sample::bad(Op::Copy(Self::Into), bad, "shape mismatch in assign"));
        all
    }
}

impl Tensor {
    /// Returns the tensor itself if it is row-major, else a row-major copy. All dtypes.
    pub fn contiguous(&self) -> Result<Self> {
        if self.is_contiguous() { Ok(self.clone()) } else { self.force_contiguous() }
    }

    /// Returns a row-major copy, even if the tensor is row-major already. All dtypes.
    pub fn force_contiguous(&self) -> Result<Self> {
        Tensor::run(Op::Copy(Copy::New), &[self])
    }

    /// Returns a copy with its own storage. All dtypes.
    pub fn copy(&self) -> Result<Self> {
        self.force_contiguous()
    }

    /// Writes `src`'s elements into this tensor's storage, in place: every tensor that shares it sees the change. Both
    /// must have one shape and dtype. Fails if this tensor or `src` is part of a gradient graph.
    ///
    /// ```
    /// use rushlight::{DType, Device, Tensor};
    /// let t = Tensor::zeros((2, 2), DType::F32, &Device::Cpu)?;
    /// t.get(0)?.assign(&Tensor::new(&[1f32, 2.], &Device::Cpu)?)?;
    /// assert_eq!(t.to_vec2::<f32>()?, [[1., 2.], [0., 0.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn assign(&self, src: &Tensor) -> Result<()> {
        src.check_lost("assign")?;
        self.write(src)
    }

    /// Same as [`Tensor::assign`], for callers that record the gradient of `src` themselves or do not need it.
    pub(crate) fn write(&self, src: &Tensor) -> Result<()> {
        Tensor::run_inplace(Op::Copy(Copy::Into), &[self], &[src])
    }
}
