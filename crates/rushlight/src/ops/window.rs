//! Windows that slide over the last dimensions of a tensor, shared by convolutions and pools.
use crate::shape::DimVec;
use crate::{Error, Result, Shape};

/// The largest number of spatial dimensions of a window.
pub const MAX_SPATIAL: usize = 3;

/// One number for each spatial dimension, at the trailing indices; the leading ones are neutral (0 or 1).
pub type Each = [u32; MAX_SPATIAL];

/// Stride, padding and dilation of a window over 1 to 3 spatial dimensions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    spatial: u8,
    stride: Each,
    padding: Each,
    dilation: Each,
}

/// Expands one number for all spatial dimensions, or one for each, to [`MAX_SPATIAL`] numbers. Missing dimensions get
/// `neutral`.
pub(crate) fn each(
    op: &'static str,
    what: &str,
    values: &[usize],
    spatial: usize,
    neutral: u32,
) -> Result<Each> {
    if values.len() != 1 && values.len() != spatial {
        return Err(Error::invalid(
            op,
            format!("{what} takes 1 or {spatial} numbers, got {}: {values:?}", values.len()),
        ));
    }
    let mut out = [neutral; MAX_SPATIAL];
    for (i, o) in out[MAX_SPATIAL - spatial..].iter_mut().enumerate() {
        let v = values[if values.len() == 1 { 0 } else { i }];
        *o = u32::try_from(v).map_err(|_| Error::invalid(op, format!("{what} {v} is too large")))?;
    }
    Ok(out)
}

/// As [`each`], without checks: for the numbers of samples.
pub(crate) fn spread_out(values: &[u32], spatial: usize, neutral: u32) -> Each {
    let mut out = [neutral; MAX_SPATIAL];
    for (i, o) in out[MAX_SPATIAL - spatial.clamp(1, MAX_SPATIAL)..].iter_mut().enumerate() {
        *o = values.get(i).or(values.last()).copied().unwrap_or(neutral);
    }
    out
}

/// Converts to `usize`.
pub(crate) fn wide(v: Each) -> [usize; MAX_SPATIAL] {
    v.map(|v| v as usize)
}

/// Formats sizes as `(2, 3)`, or as `2` for one dimension.
fn tuple(v: &[usize]) -> String {
    match v {
        [one] => one.to_string(),
        _ => format!("({})", v.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")),
    }
}

/// Returns batch, channels and three spatial sizes (leading 1s where the tensor has fewer), or an error for another
/// rank.
pub(crate) fn sizes(shape: &Shape, spatial: usize) -> Result<[usize; 5]> {
    let dims = shape.dims();
    if dims.len() != spatial + 2 {
        return Err(Error::UnexpectedNumberOfDims {
            expected: spatial + 2,
            got: dims.len(),
            shape: shape.clone(),
        }
        .bt());
    }
    let mut out = [1; 5];
    out[..2].copy_from_slice(&dims[..2]);
    out[5 - spatial..].copy_from_slice(&dims[2..]);
    Ok(out)
}

/// Returns the shape `[a, b, ..]` with the last `spatial` of three sizes.
pub(crate) fn shape_of(a: usize, b: usize, three: [usize; 3], spatial: usize) -> Shape {
    let mut dims = DimVec::from_slice(&[a, b]);
    dims.extend_from_slice(&three[MAX_SPATIAL - spatial..]);
    dims.into()
}

/// The last three of five sizes.
pub(crate) fn last3(v: [usize; 5]) -> [usize; 3] {
    [v[2], v[3], v[4]]
}

impl Window {
    /// A window over `spatial` dimensions; each slice has one number for all of them or one for each.
    pub fn new(
        op: &'static str,
        spatial: usize,
        stride: &[usize],
        padding: &[usize],
        dilation: &[usize],
    ) -> Result<Self> {
        if spatial == 0 || spatial > MAX_SPATIAL {
            return Err(Error::invalid(
                op,
                format!("works on 1 to {MAX_SPATIAL} spatial dimensions, got {spatial}"),
            ));
        }
        Ok(Self {
            spatial: spatial as u8,
            stride: each(op, "stride", stride, spatial, 1)?,
            padding: each(op, "padding", padding, spatial, 0)?,
            dilation: each(op, "dilation", dilation, spatial, 1)?,
        })
    }

    /// A window for a sample: `[stride, padding, dilation]`.
    pub(crate) fn sample(spatial: usize, [stride, padding, dilation]: [&[u32]; 3]) -> Self {
        Self {
            spatial: spatial as u8,
            stride: spread_out(stride, spatial, 1),
            padding: spread_out(padding, spatial, 0),
            dilation: spread_out(dilation, spatial, 1),
        }
    }

    /// Number of spatial dimensions.
    pub fn spatial(&self) -> usize {
        usize::from(self.spatial).clamp(1, MAX_SPATIAL)
    }

    /// Steps from one window to the next; 1 for the leading dimensions.
    pub fn stride(&self) -> [usize; MAX_SPATIAL] {
        wide(self.stride)
    }

    /// Elements added on both sides; 0 for the leading dimensions.
    pub fn padding(&self) -> [usize; MAX_SPATIAL] {
        wide(self.padding)
    }

    /// Steps from one element of a window to the next; 1 for the leading dimensions.
    pub fn dilation(&self) -> [usize; MAX_SPATIAL] {
        wide(self.dilation)
    }

    /// Returns the name for the window's number of spatial dimensions: of one, two or three.
    pub(crate) fn named(&self, names: [&'static str; MAX_SPATIAL]) -> &'static str {
        names[self.spatial() - 1]
    }

    fn check_steps(&self, op: &'static str) -> Result<()> {
        for (what, v) in [("stride", self.stride()), ("dilation", self.dilation())] {
            if v.contains(&0) {
                let v = tuple(&v[MAX_SPATIAL - self.spatial()..]);
                return Err(Error::invalid(op, format!("{what} must be positive, got {v}")));
            }
        }
        Ok(())
    }

    /// Describes the window in an error about sizes.
    pub(crate) fn about(&self, input: &Shape, kernel: [usize; 3]) -> String {
        let t = |v: [usize; 3]| tuple(&v[MAX_SPATIAL - self.spatial()..]);
        format!(
            "input {input:?}, kernel-size {}, padding {}, stride {}, dilation {}",
            t(kernel),
            t(self.padding()),
            t(self.stride()),
            t(self.dilation())
        )
    }

    /// Elements that a window of `k` spans in dimension `d`.
    pub(crate) fn span(&self, d: usize, k: usize) -> Option<usize> {
        self.dilation()[d].checked_mul(k.checked_sub(1)?)?.checked_add(1)
    }

    /// Returns the number of windows that fit, per dimension: `(i + 2 p - d (k - 1) - 1) / s + 1`.
    pub(crate) fn slide(&self, op: &'static str, input: &Shape, kernel: [usize; 3]) -> Result<[usize; 3]> {
        let i = last3(sizes(input, self.spatial())?);
        // This check comes first: a pool's stride defaults to its kernel size, so the error must name the kernel.
        if kernel.contains(&0) {
            return Err(Error::invalid(op, format!("the kernel is empty: {}", self.about(input, kernel))));
        }
        self.check_steps(op)?;
        let mut out = [1; 3];
        for d in 0..3 {
            let padded = self.padding()[d].checked_mul(2).and_then(|p| p.checked_add(i[d]));
            let (Some(padded), Some(span)) = (padded, self.span(d, kernel[d])) else {
                return Err(Error::invalid(
                    op,
                    format!("sizes are too large: {}", self.about(input, kernel)),
                ));
            };
            if padded < span {
                return Err(Error::invalid(
                    op,
                    format!(
                        "kernel-size {} is larger than the input size {}: {}",
                        tuple(&kernel[MAX_SPATIAL - self.spatial()..]),
                        i[MAX_SPATIAL - self.spatial()..]
                            .iter()
                            .map(|v| v.to_string())
                            .collect::<Vec<_>>()
                            .join(","),
                        self.about(input, kernel)
                    ),
                ));
            }
            out[d] = (padded - span) / self.stride()[d] + 1;
        }
        Ok(out)
    }

    /// Returns the input sizes for which [`Self::slide`] gives these window counts:
    /// `(o - 1) s + d (k - 1) + 1 + extra - 2 p`.
    pub(crate) fn spread(
        &self,
        op: &'static str,
        input: &Shape,
        kernel: [usize; 3],
        extra: [usize; 3],
    ) -> Result<[usize; 3]> {
        self.check_steps(op)?;
        let o = last3(sizes(input, self.spatial())?);
        let mut out = [1; 3];
        for d in 0..3 {
            let whole = || {
                let reach = o[d].checked_sub(1)?.checked_mul(self.stride()[d])?;
                reach.checked_add(self.span(d, kernel[d])?)?.checked_add(extra[d])
            };
            let (Some(whole), Some(cut)) = (whole(), self.padding()[d].checked_mul(2)) else {
                return Err(Error::invalid(
                    op,
                    format!(
                        "a spatial size or the kernel is empty or too large: {}",
                        self.about(input, kernel)
                    ),
                ));
            };
            if whole <= cut {
                return Err(Error::invalid(
                    op,
                    format!("the padding leaves no output: {}", self.about(input, kernel)),
                ));
            }
            out[d] = whole - cut;
        }
        Ok(out)
    }

    /// Returns the output padding (`extra`) for which [`Self::spread`] of `windows` gives `size`.
    pub(crate) fn remainder(
        &self,
        op: &'static str,
        size: [usize; 3],
        windows: [usize; 3],
        kernel: [usize; 3],
    ) -> Result<Each> {
        let mut out = [0; MAX_SPATIAL];
        for d in 0..3 {
            let rest = || {
                let reach = windows[d].checked_sub(1)?.checked_mul(self.stride()[d])?;
                let used = reach.checked_add(self.span(d, kernel[d])?)?;
                let padded = self.padding()[d].checked_mul(2)?.checked_add(size[d])?;
                u32::try_from(padded.checked_sub(used)?).ok()
            };
            out[d] = rest().ok_or_else(|| {
                Error::invalid(op, format!("{windows:?} windows do not fit in sizes {size:?}"))
            })?;
        }
        Ok(out)
    }
}

/// Two sizes, or one for both: candle's trait of the same name.
pub trait ToUsize2 {
    /// Height and width.
    fn to_usize2(self) -> (usize, usize);
}

impl ToUsize2 for usize {
    fn to_usize2(self) -> (usize, usize) {
        (self, self)
    }
}

impl ToUsize2 for (usize, usize) {
    fn to_usize2(self) -> (usize, usize) {
        self
    }
}
