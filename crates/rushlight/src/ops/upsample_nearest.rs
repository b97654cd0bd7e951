//! Resizing by the nearest element.
use super::resize::{IMAGE, Resize, resize_samples};
use super::upsample_nearest_backward::UpsampleNearestBackward;
use super::window::{last3, sizes};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Output element `o` of a dimension is a copy of input element `floor(o n / size)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpsampleNearest {
    /// The new sizes.
    pub resize: Resize,
}

impl OpDef for UpsampleNearest {
    fn name(&self) -> &'static str {
        ["upsample_nearest1d", "upsample_nearest2d", "upsample_nearest3d"][self.resize.spatial() - 1]
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.resize.resized(self.name(), &ins[0])
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let size = last3(sizes(&c.meta(0)?.shape, self.resize.spatial())?).map(|v| v as u32);
        let op = Op::UpsampleNearestBackward(UpsampleNearestBackward { resize: self.resize, size });
        grads![c.grad().map_parts(|g| Tensor::run(op.clone(), &[g]))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const { &[attribute::SIZE, attribute::SCALE] }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.resize.spatial(), self.resize.size()),
            Value::Factors { spatial: self.resize.spatial(), factors: self.resize.factor() },
        ]
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
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
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        let d = Domain::Range(-3.0, 3.0);
        resize_samples(&[1, 2, 3], |resize, x, _| {
            Sample::new(Op::UpsampleNearest(Self { resize }), vec![Spec::new(x, d)])
        })
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, doc, example| PythonSignature {
            doc,
            example,
            ..signature!(
                AsGiven,
                "",
                [],
                (size: Sizes [none], scale_factor: Factors [none]) =>
                Resize::either("upsample_nearest", &size, &scale_factor)
                    .map(|resize| Op::UpsampleNearest(Self { resize }))
            )
            .spatial(spatial)
            .calling(IMAGE, resized)
            .returns("Resized tensor.")
            .without_method()
        };
        vec![
            of_rank(
                1,
                "Resizes the last axis; each new element copies the nearest old one.",
                &[
                    ">>> rl.upsample_nearest1d(rl.tensor([[[1.0, 2.0]]]), (4,), None)",
                    "tensor([[[1., 1., 2., 2.]]], dtype=float32, device='cpu')",
                ],
            ),
            of_rank(
                2,
                "Resizes the last two axes; each new element copies the nearest old one.",
                &[">>> rl.upsample_nearest2d(rl.ones((1, 1, 2, 2)), None, (2.0, 2.0)).shape", "(1, 1, 4, 4)"],
            ),
            of_rank(3, "Resizes the last three axes; each new element copies the nearest old one.", &[])
                .named("_upsample_nearest3d"),
        ]
    }
}

/// Resizes a tensor to sizes that may be computed from factors and the tensor's sizes.
fn resized(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let (Op::UpsampleNearest(nearest), &[Some(x)]) = (&op, tensors) else {
        return Err(Error::invalid(op.name(), "needs one tensor"));
    };
    x.upsample_nearest(nearest.resize.of(op.name(), x.shape())?)
}

impl Tensor {
    fn upsample_nearest(&self, resize: Resize) -> Result<Self> {
        Tensor::run(Op::UpsampleNearest(UpsampleNearest { resize }), &[self])
    }

    /// Resizes the last dimensions of `[batch, channels, ..]` by the nearest element; `size` has one number for each of
    /// these 1 to 3 dimensions. See [`Tensor::upsample_nearest1d`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::arange(0f32, 4., &Device::Cpu)?.reshape((1, 1, 1, 2, 2))?;
    /// assert_eq!(x.upsample_nearest_nd(&[2, 1, 3])?.flatten_all()?.to_vec1::<f32>()?, [0., 0., 1., 0., 0., 1.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn upsample_nearest_nd(&self, size: &[usize]) -> Result<Self> {
        self.upsample_nearest(Resize::to("upsample_nearest", size)?)
    }

    /// Same as [`Tensor::upsample_nearest_nd`], by factors: see [`Tensor::upsample_nearest1d_with_scale`].
    pub fn upsample_nearest_nd_with_scale(&self, scale: &[f64]) -> Result<Self> {
        self.upsample_nearest(Resize::by("upsample_nearest", self.shape(), scale)?)
    }

    /// Resizes the length of `[batch, channels, length]` by the nearest element: output element o is a copy of element
    /// `floor(o length / new)`. All dtypes. Fails for another rank or a length of 0.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 2., 3.]]], &Device::Cpu)?;
    /// assert_eq!(x.upsample_nearest1d(5)?.to_vec3::<f32>()?, [[[1., 1., 2., 2., 3.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn upsample_nearest1d(&self, target_size: usize) -> Result<Self> {
        self.upsample_nearest(Resize::to("upsample_nearest1d", &[target_size])?)
    }

    /// Candle's other name for [`Tensor::upsample_nearest1d`].
    pub fn interpolate1d(&self, target_size: usize) -> Result<Self> {
        self.upsample_nearest1d(target_size)
    }

    /// Same as [`Tensor::upsample_nearest1d`], by a factor. The new length is rounded down, and output element o is a
    /// copy of element `floor(o / scale)`.
    pub fn upsample_nearest1d_with_scale(&self, scale: f64) -> Result<Self> {
        self.upsample_nearest(Resize::by("upsample_nearest1d", self.shape(), &[scale])?)
    }

    /// Resizes height and width of `[batch, channels, h, w]` by the nearest element: see
    /// [`Tensor::upsample_nearest1d`].
    pub fn upsample_nearest2d(&self, target_h: usize, target_w: usize) -> Result<Self> {
        self.upsample_nearest(Resize::to("upsample_nearest2d", &[target_h, target_w])?)
    }

    /// Candle's other name for [`Tensor::upsample_nearest2d`].
    pub fn interpolate2d(&self, target_h: usize, target_w: usize) -> Result<Self> {
        self.upsample_nearest2d(target_h, target_w)
    }

    /// Same as [`Tensor::upsample_nearest2d`], by factors. The new sizes are rounded down, and output element o is a
    /// copy of element `floor(o / scale)`.
    pub fn upsample_nearest2d_with_scale(&self, scale_h: f64, scale_w: f64) -> Result<Self> {
        self.upsample_nearest(Resize::by("upsample_nearest2d", self.shape(), &[scale_h, scale_w])?)
    }
}
