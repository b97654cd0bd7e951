//! The op im2col: the windows of images as columns.
use super::col2im::Col2Im;
use super::window::{Each, ToUsize2, Window, each, sizes, spread_out, wide};
use super::{
    Accuracy, AttributeSpec, Domain, Grads, Input, Meta, Op, OpDef, Pattern, PythonSignature, Reference,
    Sample, ShapeRule, Spec, SpecialValues, TermOrder, Thresholds, Value, attribute, grads, signature,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::{Error, Result, Shape, Tensor};

/// Number of spatial dimensions.
const SPATIAL: usize = 2;

/// Copies the windows of images `[N, C, H, W]` to columns `[N, C * kernel height * kernel width, windows]`. Windows and the
/// elements of a window are in row-major order; elements of the padding are 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Im2Col {
    kernel: Each,
    window: Window,
}

impl Im2Col {
    /// The attributes.
    pub(super) const SPECS: [AttributeSpec; 4] =
        [attribute::KERNEL_SIZE, attribute::DILATION, attribute::PADDING, attribute::STRIDE];

    /// Makes the op. Each argument has one number for both dimensions or one for each.
    ///
    /// # Errors
    /// A list has another length, or a number does not fit in 32 bits.
    pub fn new(kernel: &[usize], dilation: &[usize], padding: &[usize], stride: &[usize]) -> Result<Self> {
        let window = Window::new("im2col", SPATIAL, stride, padding, dilation)?;
        Ok(Self { kernel: each("im2col", "kernel-size", kernel, SPATIAL, 1)?, window })
    }

    /// The op for a sample.
    fn sample(kernel: &[u32], [dilation, padding, stride]: [&[u32]; 3]) -> Self {
        let window = Window::sample(SPATIAL, [stride, padding, dilation]);
        Self { kernel: spread_out(kernel, SPATIAL, 1), window }
    }

    /// Returns the last two of three numbers.
    fn two<T: Copy>([_, a, b]: [T; 3]) -> [T; SPATIAL] {
        [a, b]
    }

    /// Sizes of a window.
    pub fn kernel(&self) -> [usize; SPATIAL] {
        Self::two(wide(self.kernel))
    }

    /// Steps between the elements of a window.
    pub fn dilation(&self) -> [usize; SPATIAL] {
        Self::two(self.window.dilation())
    }

    /// Zeros on both sides of an image.
    pub fn padding(&self) -> [usize; SPATIAL] {
        Self::two(self.window.padding())
    }

    /// Steps from one window to the next.
    pub fn stride(&self) -> [usize; SPATIAL] {
        Self::two(self.window.stride())
    }

    /// Returns the number of windows along both dimensions of images of this shape, or an error if none fits.
    pub(crate) fn windows(&self, op: &'static str, images: &Shape) -> Result<[usize; SPATIAL]> {
        Ok(Self::two(self.window.slide(op, images, wide(self.kernel))?))
    }

    /// Returns the shape of the columns of images of this shape.
    pub(super) fn columns(&self, op: &'static str, images: &Shape) -> Result<Shape> {
        let [height, width] = self.windows(op, images)?;
        let [batch, channels, ..] = sizes(images, SPATIAL)?;
        let count = || {
            let rows = self.elements()?.checked_mul(channels)?;
            Some([batch, rows, height.checked_mul(width)?])
        };
        let too_large = || {
            let about = self.window.about(images, wide(self.kernel));
            Error::invalid(op, format!("sizes are too large: {about}"))
        };
        Ok(Shape::from(&count().ok_or_else(too_large)?[..]))
    }

    /// Number of elements of a window.
    pub(super) fn elements(&self) -> Option<usize> {
        let [height, width] = self.kernel();
        height.checked_mul(width)
    }

    /// The values of [`Self::SPECS`].
    pub(super) fn attribute_values(&self) -> Vec<Value> {
        let w = &self.window;
        [wide(self.kernel), w.dilation(), w.padding(), w.stride()].map(|v| Value::sizes(SPATIAL, v)).into()
    }
}

impl OpDef for Im2Col {
    fn name(&self) -> &'static str {
        "im2col"
    }

    fn inputs(&self) -> &'static [Input] {
        const { &[Input::new("x", sets::ALL)] }
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        Ok(Meta::new(self.columns(self.name(), &ins[0].shape)?, ins[0].dtype))
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let [_, _, _, height, width] = sizes(&c.meta(0)?.shape, SPATIAL)?;
        grads![c.grad().map_parts(|g| g.col2im((height, width), self))?]
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed("[batch, channels * elements of a window, windows]")
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        &Self::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.attribute_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Windows
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
        Thresholds::SPATIAL
    }

    fn samples() -> Vec<Sample> {
        samples(|op, images, _| (Op::Im2Col(op), images.into()))
    }

    fn python_signatures() -> Vec<PythonSignature> {
        vec![
            signature!(
                AsGiven,
                "Copies the windows of (n, c, h, w) to columns.",
                [],
                (kernel_size: Sizes, dilation: Sizes, padding: Sizes, stride: Sizes) =>
                Self::new(&kernel_size, &dilation, &padding, &stride).map(Op::Im2Col)
            )
            .named("_im2col")
            .spatial(SPATIAL)
            .without_method(),
        ]
    }
}

/// Returns samples of im2col or col2im: `make(op, shape of the images, shape of their columns)`, where the last one is that
/// of the images if the windows do not fit.
pub(super) fn samples(make: impl Fn(Im2Col, &[usize], &[usize]) -> (Op, Shape)) -> Vec<Sample> {
    // Images, kernel, and dilation, padding and stride.
    type Case<'a> = (&'a [usize], &'a [u32], [&'a [u32]; 3]);
    let good: [Case<'_>; 11] = [
        (&[2, 3, 5, 4], &[2, 3], [&[1], &[0], &[1]]),
        (&[1, 2, 6, 7], &[2, 3], [&[2, 1], &[1, 2], &[2, 1]]),
        (&[2, 2, 3, 5], &[1], [&[1], &[0], &[1]]),
        (&[1, 2, 5, 5], &[2], [&[1], &[0], &[3]]),
        (&[1, 1, 4, 6], &[3], [&[1], &[1], &[1]]),
        (&[1, 2, 4, 3], &[2], [&[3], &[2], &[1, 2]]),
        (&[2, 1, 2, 3], &[1, 2], [&[1], &[3], &[2]]),
        // One window, whose first row is in the padding.
        (&[1, 2, 1, 3], &[5, 1], [&[1], &[2, 0], &[1]]),
        (&[0, 2, 3, 4], &[2], [&[1], &[0], &[1]]),
        (&[2, 0, 3, 4], &[2], [&[1], &[0], &[1]]),
        (&[1, 2, 0, 3], &[2], [&[1], &[1], &[1]]),
    ];
    let bad: [(Case<'_>, &'static str); 5] = [
        ((&[1, 2, 3, 4], &[4, 1], [&[1], &[0], &[1]]), "larger than the input size"),
        ((&[1, 2, 3, 4], &[0], [&[1], &[0], &[1]]), "kernel is empty"),
        ((&[1, 2, 3, 4], &[2], [&[1], &[0], &[0]]), "stride must be positive"),
        ((&[1, 2, 3, 4], &[2], [&[0], &[0], &[1]]), "dilation must be positive"),
        ((&[2, 3, 4], &[2], [&[1], &[0], &[1]]), "unexpected rank"),
    ];
    let all = |(images, kernel, steps): Case<'_>| {
        let op = Im2Col::sample(kernel, steps);
        let columns = op.columns("im2col", &images.into());
        let (op, shape) = make(op, images, columns.as_ref().map_or(images, Shape::dims));
        (op, vec![Spec::new(shape, Domain::Range(-2.0, 2.0))])
    };
    Sample::table(all, good, bad)
}

impl Tensor {
    /// Returns the windows of images `[N, C, H, W]` as columns `[N, C * kernel height * kernel width, windows]` (PyTorch's
    /// `unfold`). Elements of the padding are 0. Every dtype.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::im2col::Im2Col};
    /// let x = Tensor::new(&[[[[1f32, 2., 3.]]]], &Device::Cpu)?;
    /// let columns = x.im2col(&Im2Col::new(&[1, 2], &[1], &[0], &[1])?)?;
    /// assert_eq!(columns.to_vec3::<f32>()?, [[[1., 2.], [2., 3.]]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The rank is not 4, a number of the windows is 0, or a window is larger than the padded images.
    pub fn im2col(&self, windows: &Im2Col) -> Result<Self> {
        Tensor::run(Op::Im2Col(*windows), &[self])
    }

    /// Adds the columns of windows to images (PyTorch's `fold`): the gradient of [`Tensor::im2col`]. `self` has the shape
    /// `[N, C * kernel height * kernel width, windows]`, the result `[N, C, height, width]` with the sizes given. Where windows
    /// overlap, columns are added in row-major order of the elements of a window. NUMERIC dtypes.
    ///
    /// ```
    /// use rushlight::{Device, Tensor, ops::im2col::Im2Col};
    /// let columns = Tensor::new(&[[[1f32, 2.], [2., 3.]]], &Device::Cpu)?;
    /// let x = columns.col2im((1, 3), &Im2Col::new(&[1, 2], &[1], &[0], &[1])?)?;
    /// assert_eq!(x.flatten_all()?.to_vec1::<f32>()?, [1., 4., 3.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    ///
    /// # Errors
    /// The rank is not 3, the columns are not those of such images, or the windows do not fit.
    pub fn col2im(&self, size: impl ToUsize2, windows: &Im2Col) -> Result<Self> {
        let (height, width) = size.to_usize2();
        Tensor::run(Op::Col2Im(Col2Im::new(*windows, [height, width])?), &[self])
    }
}
