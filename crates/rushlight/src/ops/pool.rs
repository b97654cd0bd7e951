//! The windows of pooling.
use super::attribute;
use super::window::{Each, MAX_SPATIAL, Window, each, last3, shape_of, sizes, spread_out, wide};
use super::{AttributeSpec, Kind, Meta, Sample, Value};
use crate::{Error, Result, Shape};

/// The windows of a pooling op: of one size in regular steps, or as many as the output has elements (adaptive pooling).
///
/// ```
/// use rushlight::ops::pool::Pool;
/// let pool = Pool::new("max_pool", &[3, 3], &[2], &[1])?.dilated("max_pool", &[1])?.ceil_mode(true);
/// assert_eq!((pool.kernel(), pool.window().stride()), ([1, 3, 3], [1, 2, 2]));
/// # Ok::<(), rushlight::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pool {
    /// Sizes of a window; sizes of the output where `adaptive`.
    kernel: Each,
    window: Window,
    ceil_mode: bool,
    adaptive: bool,
}

/// Whether the last window may reach beyond the padded input.
const CEIL_MODE: AttributeSpec =
    AttributeSpec::flag("ceil_mode", "Whether a last window that reaches beyond the padding counts.");
/// The sizes of the output of adaptive pooling.
const OUTPUT_SIZE: AttributeSpec = AttributeSpec::new(
    "output_size",
    Kind::Sizes,
    super::Allowed::ByShape,
    "Number of windows along each spatial dimension.",
);
/// The attributes of windows of one size.
pub(super) const REGULAR: [AttributeSpec; 5] =
    [attribute::KERNEL_SIZE, attribute::STRIDE, attribute::PADDING, attribute::DILATION, CEIL_MODE];
/// As [`REGULAR`], without dilation.
pub(super) const UNDILATED: [AttributeSpec; 4] =
    [attribute::KERNEL_SIZE, attribute::STRIDE, attribute::PADDING, CEIL_MODE];
/// The attribute of adaptive windows.
pub(super) const ADAPTIVE: [AttributeSpec; 1] = [OUTPUT_SIZE];

impl Pool {
    /// Windows of the kernel's sizes, one for each spatial dimension; `stride` and `padding` have one number for all of
    /// them or one for each. Errors: no or more than three sizes, lists of another length.
    pub fn new(op: &'static str, kernel: &[usize], stride: &[usize], padding: &[usize]) -> Result<Self> {
        let window = Window::new(op, kernel.len(), stride, padding, &[1])?;
        let kernel = each(op, "kernel-size", kernel, kernel.len(), 1)?;
        Ok(Self { kernel, window, ceil_mode: false, adaptive: false })
    }

    /// As many windows as `output` says, one number for each spatial dimension: window `o` of `n` over `size` elements
    /// goes from `floor(o * size / n)` to `ceil((o + 1) * size / n)`, without padding. Errors: no or more than three
    /// numbers.
    pub fn adaptive(op: &'static str, output: &[usize]) -> Result<Self> {
        let pool = Self::new(op, output, &[1], &[0])?;
        Ok(Self { adaptive: true, ..pool })
    }

    /// The windows with steps of `dilation` between their elements.
    pub fn dilated(self, op: &'static str, dilation: &[usize]) -> Result<Self> {
        let w = &self.window;
        let skip = MAX_SPATIAL - w.spatial();
        let window = Window::new(op, w.spatial(), &w.stride()[skip..], &w.padding()[skip..], dilation)?;
        Ok(Self { window, ..self })
    }

    /// The windows, whose last one may reach beyond the padded input if it starts before the end of the input.
    pub fn ceil_mode(self, on: bool) -> Self {
        Self { ceil_mode: on, ..self }
    }

    /// Windows for a sample.
    pub(crate) fn sample(kernel: &[u32], [stride, padding, dilation]: [&[u32]; 3]) -> Self {
        let n = kernel.len();
        Self {
            kernel: spread_out(kernel, n, 1),
            window: Window::sample(n, [stride, padding, dilation]),
            ceil_mode: false,
            adaptive: false,
        }
    }

    /// Adaptive windows for a sample.
    pub(crate) fn adaptive_sample(output: &[u32]) -> Self {
        Self { adaptive: true, ..Self::sample(output, [&[1], &[0], &[1]]) }
    }

    /// Sizes of a window, or those of the output if the windows are adaptive; 1 for the leading dimensions.
    pub fn kernel(&self) -> [usize; MAX_SPATIAL] {
        wide(self.kernel)
    }

    /// Stride, padding and dilation.
    pub fn window(&self) -> &Window {
        &self.window
    }

    /// Whether the windows follow from the sizes of the output.
    pub fn is_adaptive(&self) -> bool {
        self.adaptive
    }

    /// Whether the windows have one size, no dilation, and none reaches beyond the padded input: the windows of
    /// cuDNN and MIOpen.
    pub fn is_plain(&self) -> bool {
        !self.adaptive && !self.ceil_mode && self.window.dilation() == [1; MAX_SPATIAL]
    }

    /// The name for one, two or three dimensions: of regular windows, then of adaptive ones.
    pub(super) fn named(&self, names: [[&'static str; MAX_SPATIAL]; 2]) -> &'static str {
        self.window.named(names[usize::from(self.adaptive)])
    }

    /// The values of [`REGULAR`] or [`ADAPTIVE`].
    pub(super) fn values(&self) -> Vec<Value> {
        let (n, w) = (self.window.spatial(), &self.window);
        let kernel = Value::sizes(n, self.kernel());
        if self.adaptive {
            return vec![kernel];
        }
        let steps = [w.stride(), w.padding(), w.dilation()].map(|v| Value::sizes(n, v));
        [vec![kernel], steps.into(), vec![Value::Bool(self.ceil_mode)]].concat()
    }

    /// Checks the sizes of the output. Every window holds at least one element of the input.
    fn slide(&self, op: &'static str, input: &Shape) -> Result<[usize; MAX_SPATIAL]> {
        let (k, p) = (self.kernel(), self.window.padding());
        let size = last3(sizes(input, self.window.spatial())?);
        let empty = || Error::EmptyTensor { op, shape: input.clone() }.bt();
        if self.adaptive {
            return if size.contains(&0) && !k.contains(&0) { Err(empty()) } else { Ok(k) };
        }
        let mut out = self.window.slide(op, input, k)?;
        if (0..MAX_SPATIAL).any(|d| p[d] * 2 > k[d]) {
            return Err(Error::invalid(
                op,
                format!("padding must be at most half of the kernel-size: {}", self.window.about(input, k)),
            ));
        }
        if size.contains(&0) {
            return Err(empty());
        }
        let (stride, dilation) = (self.window.stride(), self.window.dilation());
        for d in 0..MAX_SPATIAL {
            let span = dilation[d] * (k[d] - 1) + 1;
            let rest = (size[d] + 2 * p[d] - span) % stride[d];
            // The next window starts inside the input or in the padding before it.
            if self.ceil_mode && rest > 0 && out[d] * stride[d] < size[d] + p[d] {
                out[d] += 1;
            }
            // A window of large steps may step over a short input.
            let skips = |o: usize| {
                let outside = p[d].saturating_sub(o * stride[d]);
                outside.div_ceil(dilation[d]) * dilation[d] >= outside + size[d]
            };
            if dilation[d] > size[d] && (0..out[d]).any(skips) {
                let about = self.window.about(input, k);
                return Err(Error::invalid(op, format!("a window holds only padding: {about}")));
            }
        }
        Ok(out)
    }

    /// The output of pooling `x`: its sizes, in the dtype of `x`.
    pub(super) fn output(&self, op: &'static str, x: &Meta) -> Result<Meta> {
        let out = self.slide(op, &x.shape)?;
        let dims = x.shape.dims();
        Ok(Meta::new(shape_of(dims[0], dims[1], out, self.window.spatial()), x.dtype))
    }
}

/// Samples of a pooling op: good and bad uses, with the shape of the input and that of the output. `dilated`: with steps
/// between the elements of a window, too.
pub(super) fn samples(
    dilated: bool,
    make: impl Fn(Pool, &[usize], Option<&[usize]>) -> Sample,
) -> Vec<Sample> {
    // Input, kernel, stride, padding, output.
    type Case<'a> = (&'a [usize], &'a [u32], &'a [u32], &'a [u32], &'a [usize]);
    let good: [Case<'_>; 9] = [
        (&[2, 2, 6], &[2], &[2], &[0], &[2, 2, 3]),
        (&[1, 2, 7], &[3], &[2], &[1], &[1, 2, 4]),
        (&[1, 2, 5], &[2], &[3], &[0], &[1, 2, 2]),
        (&[0, 2, 5], &[2], &[1], &[0], &[0, 2, 4]),
        (&[2, 2, 4, 4], &[2, 2], &[2], &[0], &[2, 2, 2, 2]),
        (&[1, 2, 5, 4], &[3, 2], &[2, 1], &[1, 0], &[1, 2, 3, 3]),
        (&[1, 2, 4, 5], &[3, 3], &[1], &[1], &[1, 2, 4, 5]),
        (&[1, 1, 3, 3], &[1, 1], &[1], &[0], &[1, 1, 3, 3]),
        (&[1, 2, 3, 3, 4], &[2, 1, 2], &[1, 2, 2], &[0], &[1, 2, 2, 2, 2]),
    ];
    let bad: [(Case<'_>, &'static str); 7] = [
        ((&[2, 2, 3], &[4], &[1], &[0], &[]), "larger than the input size"),
        ((&[2, 2, 5, 3], &[4, 4], &[1], &[0], &[]), "larger than the input size"),
        ((&[2, 2, 4], &[2], &[0], &[0], &[]), "stride must be positive"),
        ((&[2, 2, 4], &[0], &[1], &[0], &[]), "kernel is empty"),
        ((&[2, 2, 4], &[3], &[1], &[2], &[]), "at most half"),
        ((&[2, 2, 4, 4], &[2], &[1], &[0], &[]), "unexpected rank"),
        ((&[2, 2, 0, 4], &[2, 2], &[1], &[1], &[]), "empty tensor"),
    ];
    let pool = |k, s, p| Pool::sample(k, [s, p, &[1]]);
    let mut all: Vec<Sample> =
        good.into_iter().map(|(x, k, s, p, out)| make(pool(k, s, p), x, Some(out))).collect();
    // The last windows reach beyond the padding; the second of the 2-d case would start behind the input, and is none.
    all.push(make(pool(&[3], &[2], &[1]).ceil_mode(true), &[1, 2, 6], Some(&[1, 2, 4])));
    all.push(make(pool(&[3, 2], &[2, 3], &[0, 1]).ceil_mode(true), &[2, 1, 6, 4], Some(&[2, 1, 3, 2])));
    let mut refused = |pool: Pool, x: &[usize], text| {
        let mut sample = make(pool, x, None);
        (sample.error, sample.grad) = (Some(text), false);
        all.push(sample);
    };
    for ((x, k, s, p, _), text) in bad {
        refused(pool(k, s, p), x, text);
    }
    if dilated {
        refused(Pool::sample(&[2], [&[1], &[1], &[2]]), &[1, 1, 1], "holds only padding");
        refused(Pool::sample(&[2], [&[1], &[0], &[0]]), &[1, 1, 4], "dilation must be positive");
        let d = Pool::sample(&[2, 3], [&[1, 2], &[1, 1], &[3, 2]]);
        all.push(make(d, &[1, 2, 5, 6], Some(&[1, 2, 4, 2])));
    }
    all
}

/// As [`samples`], of adaptive windows.
pub(super) fn adaptive_samples(make: impl Fn(Pool, &[usize], Option<&[usize]>) -> Sample) -> Vec<Sample> {
    // Input and output: windows that overlap, that lie side by side, and more windows than elements.
    let good: [(&[usize], &[u32], &[usize]); 5] = [
        (&[2, 2, 7], &[3], &[2, 2, 3]),
        (&[1, 2, 6, 5], &[3, 2], &[1, 2, 3, 2]),
        (&[2, 1, 2, 3], &[5, 1], &[2, 1, 5, 1]),
        (&[0, 2, 3, 4], &[2, 2], &[0, 2, 2, 2]),
        (&[1, 2, 3, 4, 5], &[2, 3, 2], &[1, 2, 2, 3, 2]),
    ];
    let mut all: Vec<Sample> =
        good.into_iter().map(|(x, n, out)| make(Pool::adaptive_sample(n), x, Some(out))).collect();
    let bad: [(&[usize], &[u32], &'static str); 2] =
        [(&[2, 2, 4], &[2, 2], "unexpected rank"), (&[2, 2, 0, 4], &[2, 2], "empty tensor")];
    for (x, n, text) in bad {
        let mut sample = make(Pool::adaptive_sample(n), x, None);
        (sample.error, sample.grad) = (Some(text), false);
        all.push(sample);
    }
    all
}
