//! Windows of images as columns, and the sum of columns in images: rows of columns and planes are split over the threads.
use super::elementwise::{Dst, Src, dst};
use super::num::Arith;
use super::spatial::{Plain, runs};
use crate::cpu::dispatch;
use crate::cpu::driver::{Words, WordsMut, words, words_mut};
use crate::cpu::simd_panel::FirstError;
use crate::ops::im2col::Im2Col;
use crate::ops::window::sizes;
use crate::{Error, Layout, Result};
use std::ops::Range;

/// The windows along one dimension.
struct Axis {
    /// Number of windows.
    windows: usize,
    /// Size of the images.
    size: usize,
    /// Size of a window.
    kernel: usize,
    stride: usize,
    padding: usize,
    dilation: usize,
}

impl Axis {
    /// Returns both axes for images of a shape.
    fn both(c: &Im2Col, op: &'static str, images: &crate::Shape) -> Result<[Self; 2]> {
        let (windows, size) = (c.windows(op, images)?, sizes(images, 2)?);
        Ok(std::array::from_fn(|d| Self {
            windows: windows[d],
            size: size[3 + d],
            kernel: c.kernel()[d],
            stride: c.stride()[d],
            padding: c.padding()[d],
            dilation: c.dilation()[d],
        }))
    }

    /// Returns the windows whose element `k` is inside the image, and the index of the first of these elements.
    fn inside(&self, k: usize) -> (Range<usize>, usize) {
        let at = k * self.dilation;
        let first = self.padding.saturating_sub(at).div_ceil(self.stride).min(self.windows);
        let end = (self.size + self.padding).saturating_sub(at).div_ceil(self.stride).min(self.windows);
        (first..end.max(first), (first * self.stride + at).saturating_sub(self.padding))
    }

    /// Returns the index of element `k` of window `o`, if it is inside the image.
    fn index(&self, o: usize, k: usize) -> Option<usize> {
        (o * self.stride + k * self.dilation).checked_sub(self.padding).filter(|at| *at < self.size)
    }
}

pub fn im2col(c: &Im2Col, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let axes = Axis::both(c, "im2col", x.1.shape())?;
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(x.0), words_mut(out.0)?) {
                $((Words::$w(x_data), WordsMut::$w(o)) => {
                    columns(&axes, x_data, x.1, o);
                    Ok(())
                })*
                _ => Err(Error::invalid("im2col", "operands of different dtypes")),
            }
        };
    }
    pick!(W1, W2, W4, W8, W16)
}

/// Writes the rows of the columns: row `(n, c, i, j)` has element `(i, j)` of all windows of an image's channel. Zero has
/// the same bits in every dtype.
fn columns<W: Copy + Default + Send + Sync>([rows, line]: &[Axis; 2], x: &[W], l: &Layout, out: &mut [W]) {
    let (dims, steps) = (l.dims(), l.stride());
    runs(out, rows.windows * line.windows, 1, &|row, out| {
        let (j, rest) = (row % line.kernel, row / line.kernel);
        let (i, plane) = (rest % rows.kernel, rest / rows.kernel);
        let start = l.start_offset() + plane / dims[1] * steps[0] + plane % dims[1] * steps[1];
        let (inside, first) = line.inside(j);
        for (o, out) in out.chunks_mut(line.windows).enumerate() {
            let Some(y) = rows.index(o, i) else {
                out.fill(W::default());
                continue;
            };
            out[..inside.start].fill(W::default());
            out[inside.end..].fill(W::default());
            if inside.is_empty() {
                continue;
            }
            let (from, step) = (start + y * steps[2] + first * steps[3], line.stride * steps[3]);
            let out = &mut out[inside.clone()];
            if step == 1 {
                out.copy_from_slice(&x[from..from + out.len()]);
            } else {
                out.iter_mut().enumerate().for_each(|(n, o)| *o = x[from + n * step]);
            }
        }
    });
}

pub fn col2im(c: &Im2Col, columns: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let [rows, line] = Axis::both(c, "col2im", out.1.shape())?;
    let windows = rows.windows * line.windows;
    let (plane, elements) = (rows.size * line.size, rows.kernel * line.kernel * windows);
    dispatch!(columns.0.dtype(), "col2im", NUMERIC => T {
        let columns = T::wide(columns)?;
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, plane, elements / plane.max(1) + 1, &|p, part| {
            let columns = &columns[p * elements..][..elements];
            error.note(T::sums(part, &mut |sums| {
                // An element of the image is in a window at most once, so each element (i, j) of the windows adds at most one
                // column to it.
                for (at, columns) in columns.chunks(windows.max(1)).enumerate() {
                    let (inside, first) = line.inside(at % line.kernel);
                    for (o, terms) in columns.chunks(line.windows).enumerate() {
                        let Some(y) = rows.index(o, at / line.kernel) else { continue };
                        let terms = &terms[inside.clone()];
                        if terms.is_empty() {
                            continue;
                        }
                        let sums = &mut sums[y * line.size..][..line.size][first..];
                        if line.stride == 1 {
                            sums.iter_mut().zip(terms).for_each(|(s, v)| *s = s.add(*v));
                        } else {
                            let sums = sums.iter_mut().step_by(line.stride);
                            sums.zip(terms).for_each(|(s, v)| *s = s.add(*v));
                        }
                    }
                }
                Ok(())
            }));
        });
        error.result()
    })
}
