//! Resizing of planes: computes a table of source indices per dimension, and splits rows or planes over the threads.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use super::spatial::{Plain, runs};
use crate::cpu::driver::{Words, WordsMut, words, words_mut};
use crate::cpu::simd_panel::FirstError;
use crate::cpu::{dispatch, scratch};
use crate::ops::resize::{Resize, Tap};
use crate::ops::upsample_bilinear::UpsampleBilinear;
use crate::ops::window::{last3, sizes};
use crate::{DType, Element, Error, Layout, Result};
use std::borrow::Cow;

pub fn nearest(resize: &Resize, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let i = last3(sizes(x.1.shape(), resize.spatial())?);
    let from: [Vec<usize>; 3] = std::array::from_fn(|d| resize.nearest(d, i[d]));
    // Elements are only moved, so a row-major copy is made unless the input is row-major already.
    let (flat, start) = match x.1.contiguous_offsets() {
        Some((start, _)) => (Cow::Borrowed(x.0), start),
        None => (Cow::Owned(x.0.to_contiguous(x.1)?), 0),
    };
    let (plane, h, d) = (i[0] * i[1] * i[2], from[1].len(), from[0].len());
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(&flat), words_mut(out.0)?) {
                $((Words::$w(x), WordsMut::$w(o)) => {
                    runs(o, from[2].len(), 1, &|row, line| {
                        let (a, b) = (from[0][row / h % d], from[1][row % h]);
                        let x = &x[start + row / (h * d) * plane + (a * i[1] + b) * i[2]..][..i[2]];
                        line.iter_mut().zip(&from[2]).for_each(|(o, &at)| *o = x[at]);
                    });
                    Ok(())
                })*
                _ => Err(Error::invalid("upsample_nearest", "operands of different dtypes")),
            }
        };
    }
    let _: &Layout = out.1;
    pick!(W1, W2, W4, W8, W16)
}

pub fn nearest_backward(resize: &Resize, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let i = last3(sizes(out.1.shape(), resize.spatial())?);
    let to: [Vec<usize>; 3] = std::array::from_fn(|d| resize.nearest(d, i[d]));
    let (plane, positions) = (i.iter().product(), to.iter().map(Vec::len).product::<usize>());
    dispatch!(g.0.dtype(), "upsample_nearest_backward", FLOAT => T {
        let g = T::wide(g)?;
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, plane, positions / plane.max(1) + 1, &|p, part| {
            let mut g = g[p * positions..][..positions].iter();
            error.note(T::sums(part, &mut |sums| {
                for a in &to[0] {
                    for b in &to[1] {
                        let row = &mut sums[(a * i[1] + b) * i[2]..][..i[2]];
                        to[2].iter().zip(&mut g).for_each(|(&c, g)| row[c] = row[c].add(*g));
                    }
                }
                Ok(())
            }));
        });
        error.result()
    })
}

/// The source indices and weights of an output index along a dimension, in the accumulation type.
#[derive(Clone, Copy)]
struct Mix<A> {
    near: usize,
    far: usize,
    /// Weights of the near and the far element.
    shares: (A, A),
    /// Whether the far element has weight 0.
    whole: bool,
}

fn mixes<A: Arith>(taps: Vec<Tap>) -> Vec<Mix<A>> {
    let mix = |t: Tap| Mix {
        near: t.near,
        far: t.far,
        shares: (A::of(1.0 - t.weight), A::of(t.weight)),
        whole: t.weight == 0.0,
    };
    taps.into_iter().map(mix).collect()
}

impl<A: Arith> Mix<A> {
    /// Interpolates. A far element with weight 0 is ignored, even if it is infinite.
    #[inline(always)]
    fn of(&self, near: A, far: A) -> A {
        if self.whole { near } else { near.mul(self.shares.0).add(far.mul(self.shares.1)) }
    }
}

/// Interpolates volumes of `d x h x w` values. `load` and `store` convert to and from the accumulation type.
fn interpolate<T: Element, A: Arith>(
    definition: &UpsampleBilinear,
    [d, h, w]: [usize; 3],
    x: &[T],
    out: &mut [T],
    load: impl Fn(T) -> A + Sync,
    store: impl Fn(A) -> T + Sync,
) {
    let mix = |dim, n| mixes::<A>(definition.resize.linear(dim, n, definition.align_corners));
    let (images, rows, columns) = (mix(0, d), mix(1, h), mix(2, w));
    runs(out, columns.len(), 8 * images.len().min(2), &|row, line| {
        let (r, rest) = (&rows[row % rows.len()], row / rows.len());
        let (s, volume) = (&images[rest % images.len()], rest / images.len());
        let x = &x[volume * d * h * w..][..d * h * w];
        let row = |image: usize, row: usize| &x[(image * h + row) * w..][..w];
        let corners = [[row(s.near, r.near), row(s.near, r.far)], [row(s.far, r.near), row(s.far, r.far)]];
        for (o, c) in line.iter_mut().zip(&columns) {
            let image = |[near, far]: [&[T]; 2]| {
                let top = c.of(load(near[c.near]), load(near[c.far]));
                if r.whole { top } else { r.of(top, c.of(load(far[c.near]), load(far[c.far]))) }
            };
            let first = image(corners[0]);
            *o = store(if s.whole { first } else { s.of(first, image(corners[1])) });
        }
    });
}

/// Returns the elements in row-major order.
fn row_major<'a, T: Element>(x: Src<'a>) -> Result<Cow<'a, [T]>> {
    let (data, layout) = src::<T>(x)?;
    if let Some(own) = layout.contiguous_offsets().and_then(|(a, b)| data.get(a..b)) {
        return Ok(Cow::Borrowed(own));
    }
    let copy = x.0.to_contiguous(layout)?;
    Ok(Cow::Owned(scratch::copied(copy.as_slice::<T>()?)?))
}

pub fn bilinear(definition: &UpsampleBilinear, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let op = "upsample_bilinear";
    let size = last3(sizes(x.1.shape(), definition.resize.spatial())?);
    match x.0.dtype() {
        DType::BF16 | DType::F16 | DType::F32 | DType::F64 => {
            dispatch!(x.0.dtype(), op, FLOAT => T {
                let x = row_major::<T>(x)?;
                interpolate(definition, size, &x, dst::<T>(&mut out)?.0, |v: T| v.acc(), T::from_acc);
                Ok(())
            })
        }
        dtype => dispatch!(dtype, op, INT => T {
            let x = row_major::<T>(x)?;
            let store = |v: f64| <T as Element>::from_f64(v.round_ties_even());
            interpolate(definition, size, &x, dst::<T>(&mut out)?.0, |v: T| v.to_f64(), store);
            Ok(())
        }),
    }
}

pub fn bilinear_backward(definition: &UpsampleBilinear, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let [d, h, w] = last3(sizes(out.1.shape(), definition.resize.spatial())?);
    dispatch!(g.0.dtype(), "upsample_bilinear_backward", FLOAT => T {
        type A = <T as Num>::Acc;
        let g = T::wide(g)?;
        let mix = |dim, n| mixes::<A>(definition.resize.linear(dim, n, definition.align_corners));
        let (images, rows, columns) = (mix(0, d), mix(1, h), mix(2, w));
        let (volume, positions) = (d * h * w, images.len() * rows.len() * columns.len());
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, volume, 8 * (positions / volume.max(1) + 1), &|p, part| {
            let mut g = g[p * positions..][..positions].chunks(columns.len());
            error.note(T::sums(part, &mut |sums| {
                for (s, r) in images.iter().flat_map(|s| rows.iter().map(move |r| (s, r))) {
                    let Some(line) = g.next() else { break };
                    for (c, g) in columns.iter().zip(line) {
                        let mut add = |row: usize, g: A| {
                            let near = &mut sums[row * w + c.near];
                            *near = near.add(if c.whole { g } else { g.mul(c.shares.0) });
                            if !c.whole {
                                let far = &mut sums[row * w + c.far];
                                *far = far.add(g.mul(c.shares.1));
                            }
                        };
                        let mut image = |image: usize, g: A| {
                            add(image * h + r.near, g.mul(r.shares.0));
                            if !r.whole {
                                add(image * h + r.far, g.mul(r.shares.1));
                            }
                        };
                        image(s.near, g.mul(s.shares.0));
                        if !s.whole {
                            image(s.far, g.mul(s.shares.1));
                        }
                    }
                }
                Ok(())
            }));
        });
        error.result()
    })
}
