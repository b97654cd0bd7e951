//! Resizing by linear interpolation, in one to three dimensions.
use super::resize::{IMAGE, Resize, resize_samples};
use super::upsample_bilinear_backward::UpsampleBilinearBackward;
use super::window::{last3, sizes};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Tensor};

/// Each output element interpolates the input elements around its position, two in each dimension, at PyTorch's
/// coordinates (see `Resize::linear`).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct UpsampleBilinear {
    /// The new sizes.
    pub resize: Resize,
    /// Whether the centres of the corner elements are mapped to each other.
    pub align_corners: bool,
}

const NAMES: [&str; 3] = ["upsample_linear1d", "upsample_bilinear2d", "upsample_trilinear3d"];

impl OpDef for UpsampleBilinear {
    fn name(&self) -> &'static str {
        NAMES[self.resize.spatial() - 1]
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::NUMERIC)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        self.resize.resized(self.name(), &ins[0])
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let size = last3(sizes(&c.meta(0)?.shape, self.resize.spatial())?).map(|v| v as u32);
        let op = Op::UpsampleBilinearBackward(UpsampleBilinearBackward { forward: *self, size });
        grads![Tensor::run(op, &[c.grad()])?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels, size ..]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        const {
            &[
                attribute::SIZE,
                attribute::SCALE,
                AttributeSpec::flag(
                    "align_corners",
                    "Whether the centres of the corner elements keep their positions.",
                ),
            ]
        }
    }

    fn values(&self) -> Vec<Value> {
        vec![
            Value::sizes(self.resize.spatial(), self.resize.size()),
            Value::Factors { spatial: self.resize.spatial(), factors: self.resize.factor() },
            Value::Bool(self.align_corners),
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
        let make = |align_corners, spatial: &[usize]| {
            resize_samples(spatial, move |resize, x, _| {
                Sample::new(Op::UpsampleBilinear(Self { resize, align_corners }), vec![Spec::new(x, d)])
            })
        };
        let mut all = make(false, &[1, 2, 3]);
        all.extend(make(true, &[2, 3]).into_iter().filter(|s| s.error.is_none()));
        all
    }

    fn python_signatures() -> Vec<PythonSignature> {
        let of_rank = |spatial, doc, example| {
            PythonSignature {
            doc,
            example,
            ..signature!(
                AsGiven,
                "",
                [],
                (size: Sizes [none], scale_factor: Factors [none], align_corners: Bool = false) =>
                Resize::either(NAMES[size.len().max(scale_factor.len()).clamp(1, 3) - 1], &size, &scale_factor)
                    .map(|resize| Op::UpsampleBilinear(Self { resize, align_corners }))
            )
            .spatial(spatial)
            .calling(IMAGE, resized)
            .returns("Resized tensor.")
            .without_method()
        }
        };
        vec![
            of_rank(1, "Resizes the last axis by linear interpolation.", &[]).named("_upsample_linear1d"),
            of_rank(
                2,
                "Resizes the last two axes by linear interpolation along both.",
                &[
                    ">>> rl.upsample_bilinear2d(rl.ones((1, 1, 2, 2)), (3, 3), None, True).shape",
                    "(1, 1, 3, 3)",
                ],
            ),
            of_rank(3, "Resizes the last three axes by linear interpolation along each.", &[])
                .named("_upsample_trilinear3d"),
        ]
    }
}

/// Resizes a tensor to sizes that may be computed from factors and the tensor's sizes.
fn resized(op: Op, tensors: &[Option<&Tensor>]) -> Result<Tensor> {
    let (Op::UpsampleBilinear(linear), &[Some(x)]) = (&op, tensors) else {
        return Err(Error::invalid(op.name(), "needs one tensor"));
    };
    let resize = linear.resize.of(op.name(), x.shape())?;
    if resize != linear.resize && resize.keeps(x.shape()) {
        return Ok(x.clone());
    }
    Tensor::run(Op::UpsampleBilinear(UpsampleBilinear { resize, ..*linear }), &[x])
}

impl Tensor {
    /// Resizes the last dimensions of `[batch, channels, ..]` by linear interpolation; `size` has one number for each
    /// of these 1 to 3 dimensions. See [`Tensor::upsample_bilinear2d`].
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[1f32, 2.]]], &Device::Cpu)?;
    /// assert_eq!(x.upsample_linear_nd(&[3], true)?.to_vec3::<f32>()?, [[[1., 1.5, 2.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn upsample_linear_nd(&self, size: &[usize], align_corners: bool) -> Result<Self> {
        let resize = Resize::to("upsample_linear", size)?;
        Tensor::run(Op::UpsampleBilinear(UpsampleBilinear { resize, align_corners }), &[self])
    }

    /// Same as [`Tensor::upsample_linear_nd`], by factors: see [`Tensor::upsample_bilinear2d_with_scale`].
    pub fn upsample_linear_nd_with_scale(&self, scale: &[f64], align_corners: bool) -> Result<Self> {
        let resize = Resize::by("upsample_linear", self.shape(), scale)?;
        Tensor::run(Op::UpsampleBilinear(UpsampleBilinear { resize, align_corners }), &[self])
    }

    /// Resizes height and width of `[batch, channels, h, w]` by bilinear interpolation. Output element o has the
    /// position `o (h - 1) / (target_h - 1)` with `align_corners` (corners keep their positions), else
    /// `(o + 1/2) h / target_h - 1/2` (elements are areas). NUMERIC dtypes; f16 and bf16 compute in f32, integers in
    /// f64 and round half to even. Fails for another rank or a size of 0.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let x = Tensor::new(&[[[[1f32, 2.], [3., 4.]]]], &Device::Cpu)?;
    /// assert_eq!(x.upsample_bilinear2d(1, 3, true)?.flatten_all()?.to_vec1::<f32>()?, [1., 1.5, 2.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn upsample_bilinear2d(&self, target_h: usize, target_w: usize, align_corners: bool) -> Result<Self> {
        let resize = Resize::to("upsample_bilinear2d", &[target_h, target_w])?;
        Tensor::run(Op::UpsampleBilinear(UpsampleBilinear { resize, align_corners }), &[self])
    }

    /// Same as [`Tensor::upsample_bilinear2d`], by factors. The new sizes are rounded down. Without `align_corners`,
    /// positions are computed from the factors: `(o + 1/2) / scale - 1/2`. Returns the tensor itself if no size
    /// changes.
    pub fn upsample_bilinear2d_with_scale(
        &self,
        scale_h: f64,
        scale_w: f64,
        align_corners: bool,
    ) -> Result<Self> {
        let resize = Resize::by("upsample_bilinear2d", self.shape(), &[scale_h, scale_w])?;
        if resize.keeps(self.shape()) {
            return Ok(self.clone());
        }
        Tensor::run(Op::UpsampleBilinear(UpsampleBilinear { resize, align_corners }), &[self])
    }
}
