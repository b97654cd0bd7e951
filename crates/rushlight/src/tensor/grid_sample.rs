//! `grid_sample` and the gradient of its input, composed of ops that have second derivatives.
use crate::ops::grid_sample::{GridSample, SampleMode, SamplePadding, SampleUnit};
use crate::ops::norm::wide;
use crate::{DType, Error, Result, Tensor};

/// The elements that the positions of a grid read along one dimension, each of shape `[N, positions]`.
struct Tap {
    /// Indices, as whole numbers in F64; 0 outside of the image.
    at: Tensor,
    /// 1 where the index is inside the image, else 0.
    inside: Tensor,
    /// Weights in F64, which are recorded.
    weight: Tensor,
}

/// The same for all dimensions together, of shape `[N, channels, positions]`.
struct Read {
    /// Indices in the plane.
    ids: Tensor,
    inside: Tensor,
    /// Weights, of the dtype of the terms.
    weight: Tensor,
}

/// Returns the result of `grid_sample` of `ins`, image and grid.
pub(crate) fn composed(op: &GridSample, ins: &[Tensor]) -> Result<Tensor> {
    let [x, grid] = ins else { return Err(missing()) };
    let (batch, channels, sizes) = geometry(x)?;
    let acc = wide(x.dtype());
    let flat = x.to_dtype(acc)?.reshape((batch, channels, sizes.iter().product::<usize>()))?;
    let mut sum: Option<Tensor> = None;
    for read in reads(op, sizes, grid, channels, acc)? {
        let found = flat.gather(&read.ids, 2)?;
        // (A product would let NaN and infinity through.)
        let term = (read.inside.where_cond(&found, &found.zeros_like()?)? * read.weight)?;
        sum = Some(match sum {
            None => term,
            Some(sum) => (sum + term)?,
        });
    }
    let shape = [&[batch, channels], &grid.dims()[1..grid.rank() - 1]].concat();
    sum.ok_or_else(missing)?.to_dtype(x.dtype())?.reshape(shape)
}

/// Returns the gradient of the image, of spatial sizes `sizes`, of `ins`, the gradient of the samples and the grid.
pub(crate) fn composed_input_grad(op: &GridSample, sizes: &[usize], ins: &[Tensor]) -> Result<Tensor> {
    let [g, grid] = ins else { return Err(missing()) };
    let (batch, channels, to) = geometry(g)?;
    let acc = wide(g.dtype());
    let flat = g.to_dtype(acc)?.reshape((batch, channels, to.iter().product::<usize>()))?;
    let mut sum = Tensor::zeros((batch, channels, sizes.iter().product::<usize>()), acc, g.device())?;
    for read in reads(op, sizes, grid, channels, acc)? {
        let term = (&flat * read.weight)?;
        let term = read.inside.where_cond(&term, &term.zeros_like()?)?;
        sum = sum.scatter_add(&read.ids, &term, 2)?;
    }
    sum.reshape([&[batch, channels], sizes].concat())
}

fn missing() -> Error {
    Error::invalid("grid_sample", "an operand is missing")
}

/// Returns batch, channels and spatial sizes.
fn geometry(x: &Tensor) -> Result<(usize, usize, &[usize])> {
    match x.dims() {
        [batch, channels, sizes @ ..] => Ok((*batch, *channels, sizes)),
        _ => Err(missing()),
    }
}

/// Returns the elements that each position reads, in row-major order.
fn reads(op: &GridSample, sizes: &[usize], grid: &Tensor, channels: usize, acc: DType) -> Result<Vec<Read>> {
    let n = sizes.len();
    let dims = grid.dims();
    let (batch, positions) = (dims[0], dims[1..=n].iter().product::<usize>());
    let all = grid.to_dtype(DType::F64)?.reshape((batch, positions, n))?;
    let mut each: Vec<Vec<Tap>> = Vec::new();
    for (d, &size) in sizes.iter().enumerate() {
        let column = if op.unit == SampleUnit::Pixels { d } else { n - 1 - d };
        each.push(taps(op, size, &all.narrow(2, column, 1)?.squeeze(2)?)?);
    }
    let count = op.taps();
    let shape = (batch, channels, positions);
    let mut found = Vec::new();
    for k in 0..count.pow(n as u32) {
        let tap = |d: usize| &each[d][k / count.pow((n - 1 - d) as u32) % count];
        let (mut at, mut inside, mut weight) =
            (tap(0).at.clone(), tap(0).inside.clone(), tap(0).weight.clone());
        for (d, &size) in sizes.iter().enumerate().skip(1) {
            at = (at.affine(size as f64, 0.0)? + &tap(d).at)?;
            inside = (inside * &tap(d).inside)?;
            weight = (weight * &tap(d).weight)?;
        }
        found.push(Read {
            ids: at.to_dtype(DType::I64)?.unsqueeze(1)?.broadcast_as(shape)?.contiguous()?,
            inside: inside.unsqueeze(1)?.broadcast_as(shape)?,
            weight: weight.to_dtype(acc)?.unsqueeze(1)?.broadcast_as(shape)?,
        });
    }
    Ok(found)
}

/// Returns the elements that a coordinate reads along a dimension of `size` elements.
fn taps(op: &GridSample, size: usize, coordinate: &Tensor) -> Result<Vec<Tap>> {
    let n = size as f64;
    let raw = match op.unit {
        SampleUnit::Edges => coordinate.affine(1.0, 1.0)?.affine(n, -1.0)?.affine(0.5, 0.0)?,
        SampleUnit::Centers => coordinate.affine(1.0, 1.0)?.affine(0.5, 0.0)?.affine(n - 1.0, 0.0)?,
        SampleUnit::Pixels => coordinate.clone(),
    };
    // Coordinates beyond this limit, and NaN, are outside of every image.
    let near = raw.detach().abs()?.lt(1073741824f64)?;
    let raw = near.where_cond(&raw, &raw.constant_like(-100.0)?)?;
    let tap = |at: Tensor, weight: Tensor| -> Result<Tap> {
        let inside = (at.ge(0f64)? * at.lt(n)?)?;
        Ok(Tap { at: inside.where_cond(&at, &at.zeros_like()?)?, inside, weight })
    };
    match op.mode {
        SampleMode::Nearest => {
            let at = padded(op, n, &raw.detach())?.round()?;
            let one = at.ones_like()?;
            Ok(vec![tap(at, one)?])
        }
        SampleMode::Bilinear => {
            let at = padded(op, n, &raw)?;
            let low = at.detach().floor()?;
            let t = (at - &low)?;
            Ok(vec![tap(low.clone(), t.affine(-1.0, 1.0)?)?, tap(low.affine(1.0, 1.0)?, t)?])
        }
        SampleMode::Bicubic => {
            let low = raw.detach().floor()?;
            let t = (raw - &low)?;
            let mut all = Vec::new();
            for (k, weight) in cubic(&t)?.into_iter().enumerate() {
                all.push(tap(padded(op, n, &low.affine(1.0, k as f64 - 1.0)?)?, weight)?);
            }
            Ok(all)
        }
    }
}

/// Returns the weights of cubic convolution of four neighbours; `t` is the distance from the second.
fn cubic(t: &Tensor) -> Result<[Tensor; 4]> {
    const A: f64 = -0.75;
    let near = |x: &Tensor| (x.affine(A + 2.0, -A - 3.0)? * x)?.mul(x)?.affine(1.0, 1.0);
    let far = |x: &Tensor| {
        let inner = (x.affine(A, -5.0 * A)? * x)?.affine(1.0, 8.0 * A)?;
        (inner * x)?.affine(1.0, -4.0 * A)
    };
    let u = t.affine(-1.0, 1.0)?;
    Ok([far(&t.affine(1.0, 1.0)?)?, near(t)?, near(&u)?, far(&u.affine(1.0, 1.0)?)?])
}

/// Applies the padding mode to a coordinate in a dimension of `n` elements. It is linear between its kinks, where the gradient
/// is 0 as in the kernels.
fn padded(op: &GridSample, n: f64, at: &Tensor) -> Result<Tensor> {
    let last = n - 1.0;
    let clipped = |v: &Tensor| -> Result<Tensor> {
        let v0 = v.detach();
        let inside = (v0.gt(0f64)? * v0.lt(last)?)?;
        let end = v0.ge(last)?.where_cond(&v0.constant_like(last)?, &v0.zeros_like()?)?;
        inside.where_cond(v, &end)
    };
    match op.padding {
        SamplePadding::Zeros => Ok(at.clone()),
        SamplePadding::Border => clipped(at),
        SamplePadding::Reflection => {
            // The coordinates of the mirrors: the centres of the first and last element, or their outer edges.
            let (low, span) = if op.unit == SampleUnit::Edges { (-0.5, n) } else { (0.0, last) };
            if span == 0.0 {
                return at.detach().zeros_like();
            }
            let ahead = at.affine(1.0, -low)?;
            let off = at.detach().lt(low)?.where_cond(&ahead.neg()?, &ahead)?;
            let flips = (off.detach() / span)?.floor()?;
            let rest = (off - flips.affine(span, 0.0)?)?;
            let odd = (&flips - (&flips / 2.0)?.floor()?.affine(2.0, 0.0)?)?;
            clipped(&odd.gt(0f64)?.where_cond(&rest.affine(-1.0, span + low)?, &rest.affine(1.0, low)?)?)
        }
    }
}
