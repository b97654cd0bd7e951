//! The source indices and weights of resized images, for the upsampling ops.
use super::window::{Each, MAX_SPATIAL, each, last3, shape_of, sizes, wide};
use super::{Meta, Sample, TensorArgument};
use crate::{Error, Result, Shape};

/// New sizes of the last dimensions, and the scale factors from which they were computed, if factors were given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resize {
    spatial: u8,
    size: Each,
    /// Scale factors; 0 if only a size was given.
    factor: [f64; MAX_SPATIAL],
}

/// The tensor argument of a resizing function.
pub(super) const IMAGE: &[TensorArgument] =
    &[TensorArgument::new("x", "Input of shape (n, c, ..), whose further axes are resized.")];

/// The source elements of one output element of linear interpolation: `(1 - weight) * near + weight * far`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tap {
    /// Index of the element before the position.
    pub near: usize,
    /// Index of the element after the position.
    pub far: usize,
    /// Weight of the element after the position.
    pub weight: f64,
}

impl Resize {
    /// Resizes to these sizes, one for each spatial dimension.
    pub fn to(op: &'static str, size: &[usize]) -> Result<Self> {
        let n = size.len();
        if n == 0 || n > MAX_SPATIAL {
            return Err(Error::invalid(
                op,
                format!("works on 1 to {MAX_SPATIAL} spatial dimensions, got {n}"),
            ));
        }
        Ok(Self { spatial: n as u8, size: each(op, "size", size, n, 1)?, factor: [0.0; MAX_SPATIAL] })
    }

    /// Resizes by these factors, one for each spatial dimension. The sizes are rounded down.
    pub fn by(op: &'static str, input: &Shape, factor: &[f64]) -> Result<Self> {
        let n = factor.len();
        let i = last3(sizes(input, n.clamp(1, MAX_SPATIAL))?);
        let mut size = Vec::with_capacity(n);
        for (f, i) in factor.iter().zip(&i[MAX_SPATIAL - n.min(MAX_SPATIAL)..]) {
            let new = *i as f64 * f;
            if !(*f > 0.0 && new < u32::MAX as f64) {
                return Err(Error::invalid(op, format!("cannot scale {input:?} by {factor:?}")));
            }
            size.push(new as usize);
        }
        let mut out = Self::to(op, &size)?;
        out.factor[MAX_SPATIAL - n..].copy_from_slice(factor);
        Ok(out)
    }

    /// Resizes to sizes or by factors; a call passes one of the two. [`Resize::of`] computes the sizes from factors.
    pub(super) fn either(op: &'static str, size: &[usize], factor: &[f64]) -> Result<Self> {
        // An op that resizes to given sizes has factors of 0.
        let factor = if factor.iter().all(|f| *f == 0.0) && !size.is_empty() { &[] } else { factor };
        if size.is_empty() == factor.is_empty() {
            return Err(Error::invalid(op, "either sizes or factors are needed, not both"));
        }
        if !size.is_empty() {
            return Self::to(op, size);
        }
        let n = factor.len().min(MAX_SPATIAL);
        let mut by = Self::to(op, &[0; MAX_SPATIAL][..n])?;
        by.factor[MAX_SPATIAL - n..].copy_from_slice(&factor[..n]);
        Ok(by)
    }

    /// Returns the resize for an input shape: computes the sizes if factors were given.
    pub(super) fn of(self, op: &'static str, input: &Shape) -> Result<Self> {
        let n = self.spatial();
        let given = &self.factor[MAX_SPATIAL - n..];
        if self.size[MAX_SPATIAL - n..].iter().all(|s| *s == 0) && given.iter().any(|f| *f != 0.0) {
            return Self::by(op, input, given);
        }
        Ok(self)
    }

    /// Number of spatial dimensions.
    pub fn spatial(&self) -> usize {
        usize::from(self.spatial).clamp(1, MAX_SPATIAL)
    }

    /// Returns the new sizes, with leading 1s for missing dimensions.
    pub fn size(&self) -> [usize; MAX_SPATIAL] {
        wide(self.size)
    }

    /// Returns the scale factors; 0 if only sizes were given.
    pub(crate) fn factor(&self) -> [f64; MAX_SPATIAL] {
        self.factor
    }

    /// Whether the sizes stay the same.
    pub(crate) fn keeps(&self, shape: &Shape) -> bool {
        sizes(shape, self.spatial()).is_ok_and(|s| last3(s) == self.size())
    }

    /// Returns shape and dtype of the resized input.
    pub(crate) fn resized(&self, op: &'static str, x: &Meta) -> Result<Meta> {
        let (n, [batch, channels, rest @ ..]) = (self.spatial(), sizes(&x.shape, self.spatial())?);
        if self.size().contains(&0) || rest.contains(&0) {
            let to = &self.size()[MAX_SPATIAL - n..];
            return Err(Error::invalid(
                op,
                format!("sizes must be positive: {:?} to {:?}", x.shape, crate::Shape::from(to)),
            ));
        }
        Ok(Meta::new(shape_of(batch, channels, self.size(), n), x.dtype))
    }

    /// Returns the shape of the forward op's input, checked against the gradient of its output.
    pub(crate) fn original(&self, op: &'static str, g: &Meta, size: Each) -> Result<Meta> {
        let [batch, channels, ..] = sizes(&g.shape, self.spatial())?;
        let x = Meta::new(shape_of(batch, channels, wide(size), self.spatial()), g.dtype);
        let out = self.resized(op, &x)?;
        if out.shape != g.shape {
            return Err(Error::ShapeMismatchBinaryOp { lhs: out.shape, rhs: g.shape.clone(), op }.bt());
        }
        Ok(x)
    }

    /// Returns the nearest source index for each index of dimension `d`: `floor(o n / size)`, computed exactly, or
    /// `floor(o / factor)`.
    pub fn nearest(&self, d: usize, n: usize) -> Vec<usize> {
        let (size, factor) = (self.size()[d], self.factor[d]);
        let source = |o: usize| {
            if factor > 0.0 {
                (o as f64 / factor) as usize
            } else {
                (o as u128 * n as u128 / size.max(1) as u128) as usize
            }
        };
        (0..size).map(|o| source(o).min(n.saturating_sub(1))).collect()
    }

    /// Returns the two source indices around each index of dimension `d`. The position is `o (n - 1) / (size - 1)` with
    /// aligned corners, else the centre of the element, `(o + 1/2) n / size - 1/2` (or `/ factor`), and at least 0.
    /// These are PyTorch's coordinates.
    pub fn linear(&self, d: usize, n: usize, align_corners: bool) -> Vec<Tap> {
        let (size, factor) = (self.size()[d], self.factor[d]);
        let last = n.saturating_sub(1);
        let source = |o: usize| {
            if align_corners {
                if size > 1 { o as f64 * last as f64 / (size - 1) as f64 } else { 0.0 }
            } else if factor > 0.0 {
                (o as f64 + 0.5) / factor - 0.5
            } else {
                (o as f64 + 0.5) * n as f64 / size as f64 - 0.5
            }
        };
        let tap = |o: usize| {
            let at = source(o).clamp(0.0, last as f64);
            let near = at as usize;
            Tap { near, far: (near + 1).min(last), weight: at - near as f64 }
        };
        (0..size).map(tap).collect()
    }
}

/// Returns samples of an upsampling op: `make(resize, shape of the input, shape of the output)`.
pub(crate) fn resize_samples(
    spatial: &[usize],
    make: impl Fn(Resize, &[usize], &[usize]) -> Sample,
) -> Vec<Sample> {
    // Input, output, factors.
    type Case<'a> = (&'a [usize], &'a [usize], &'a [f64]);
    let good: [Case<'_>; 12] = [
        (&[2, 2, 3], &[2, 2, 6], &[]),
        (&[1, 2, 3], &[1, 2, 5], &[]),
        (&[1, 2, 5], &[1, 2, 3], &[]),
        (&[1, 2, 4], &[1, 2, 6], &[1.5]),
        (&[0, 2, 3], &[0, 2, 6], &[]),
        (&[2, 2, 2, 3], &[2, 2, 4, 6], &[]),
        (&[1, 2, 3, 4], &[1, 2, 5, 3], &[]),
        (&[1, 1, 1, 3], &[1, 1, 2, 1], &[]),
        (&[1, 2, 3, 3], &[1, 2, 7, 4], &[2.4, 1.5]),
        (&[1, 1, 2, 2], &[1, 1, 2, 2], &[]),
        (&[1, 2, 2, 3, 2], &[1, 2, 3, 5, 4], &[]),
        (&[1, 1, 3, 2, 3], &[1, 1, 2, 3, 4], &[0.75, 1.5, 1.5]),
    ];
    let bad: [(Case<'_>, &'static str); 4] = [
        ((&[2, 2, 3], &[2, 2, 0], &[]), "sizes must be positive"),
        ((&[2, 2, 3, 3], &[2, 2, 0, 4], &[]), "sizes must be positive"),
        ((&[2, 2, 3, 3, 3], &[2, 2, 4], &[]), "unexpected rank"),
        ((&[2, 3, 3], &[2, 2, 4, 4], &[]), "unexpected rank"),
    ];
    let sample = |(x, out, factors): Case<'_>| {
        let (n, mut factor) = (out.len() - 2, [0.0; MAX_SPATIAL]);
        let size: Vec<u32> = out[2..].iter().map(|v| *v as u32).collect();
        factor[MAX_SPATIAL - factors.len()..].copy_from_slice(factors);
        let size = super::window::spread_out(&size, n, 1);
        make(Resize { spatial: n as u8, size, factor }, x, out)
    };
    let wanted = |c: &Case<'_>| spatial.contains(&(c.1.len() - 2));
    let mut all: Vec<Sample> = good.into_iter().filter(wanted).map(sample).collect();
    all.extend(bad.into_iter().filter(|c| wanted(&c.0)).map(|(case, text)| {
        let mut s = sample(case);
        (s.error, s.grad) = (Some(text), false);
        s
    }));
    all
}
