//! Convolutions. Floats run as products of tiles (`conv_tiles`), integers in plain loops.
//!
//! Three kernels work on one geometry (`Geo`): the forward one, its transpose (also the gradient of the input) and the
//! gradient of the kernel. "Input" is always the side the windows slide over, "output" the side with one position per window.
use super::conv_tiles;
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use super::spatial::Plain;
use crate::cpu::driver::{chunks, per_thread};
use crate::cpu::simd_panel::{FirstError, Panel};
use crate::cpu::simd_tile::Tile;
use crate::cpu::{Buffer, dispatch};
use crate::ops::window::{Window, last3, sizes};
use crate::{DType, Error, Layout, Result};
use half::{bf16, f16};
use std::ops::Range;

/// Sizes of a convolution: k, i, o are those of kernel, input and output; s, p, d are stride, padding and dilation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Geo {
    /// Batch size.
    pub(super) n: usize,
    pub(super) groups: usize,
    /// Input channels of a group (`ci`) and output channels of a group (`co`).
    pub(super) ci: usize,
    pub(super) co: usize,
    /// Sizes of the three spatial dimensions.
    pub(super) k: [usize; 3],
    pub(super) i: [usize; 3],
    pub(super) o: [usize; 3],
    pub(super) s: [usize; 3],
    pub(super) p: [usize; 3],
    pub(super) d: [usize; 3],
}

/// Returns the input index that window `o` reads at kernel offset `off`, or `None` in the padding. `s` is the stride,
/// `p` the padding, `n` the size.
#[inline(always)]
fn input_index(o: usize, s: usize, off: usize, p: usize, n: usize) -> Option<usize> {
    (o * s + off).checked_sub(p).filter(|i| *i < n)
}

/// Returns the range of those of `windows` windows whose element at kernel offset `off` lies inside the input of size
/// `n`.
fn valid(windows: usize, s: usize, off: usize, p: usize, n: usize) -> Range<usize> {
    let end = (p + n).saturating_sub(off).div_ceil(s).min(windows);
    p.saturating_sub(off).div_ceil(s).min(end)..end
}

impl Geo {
    fn new(w: &Window, groups: u32, input: &Layout, kernel: [usize; 3], output: &Layout) -> Result<Self> {
        let (x, y) = (sizes(input.shape(), w.spatial())?, sizes(output.shape(), w.spatial())?);
        let groups = (groups as usize).max(1);
        Ok(Self {
            n: x[0],
            groups,
            ci: x[1] / groups,
            co: y[1] / groups,
            k: kernel,
            i: last3(x),
            o: last3(y),
            s: w.stride(),
            p: w.padding(),
            d: w.dilation(),
        })
    }

    /// Number of elements of a kernel (`kp`), of an input plane (`ip`) and of an output plane (`op`).
    pub(super) fn kp(&self) -> usize {
        self.k.iter().product()
    }
    fn ip(&self) -> usize {
        self.i.iter().product()
    }
    pub(super) fn op(&self) -> usize {
        self.o.iter().product()
    }

    /// Calls `f(tap, offsets)` for each element of the kernel: its row-major index, and its offsets in the input.
    fn taps(&self, mut f: impl FnMut(usize, [usize; 3])) {
        let mut tap = 0;
        for a in 0..self.k[0] {
            for b in 0..self.k[1] {
                for c in 0..self.k[2] {
                    f(tap, [a * self.d[0], b * self.d[1], c * self.d[2]]);
                    tap += 1;
                }
            }
        }
    }

    /// For the output elements `first..first + len` of a plane, row by row: calls
    /// `f(start in the run, output columns, input (plane, row))` for kernel offsets `off`. The last argument is `None`
    /// if that input row lies in the padding.
    fn rows(
        &self,
        first: usize,
        len: usize,
        off: [usize; 3],
        mut f: impl FnMut(usize, Range<usize>, Option<(usize, usize)>),
    ) {
        let [_, oh, ow] = self.o;
        let (mut o0, mut o1, mut o2) = (first / (oh * ow), first / ow % oh, first % ow);
        let mut at = 0;
        while at < len {
            let n = (ow - o2).min(len - at);
            let row = input_index(o0, self.s[0], off[0], self.p[0], self.i[0])
                .zip(input_index(o1, self.s[1], off[1], self.p[1], self.i[1]));
            f(at, o2..o2 + n, row);
            at += n;
            o2 = 0;
            o1 += 1;
            if o1 == oh {
                (o0, o1) = (o0 + 1, 0);
            }
        }
    }

    /// Returns the part of `columns` whose element at offset `off` in the last dimension lies inside the input, and the
    /// first such input index.
    fn inside(&self, columns: &Range<usize>, off: usize) -> (Range<usize>, usize) {
        let all = valid(self.o[2], self.s[2], off, self.p[2], self.i[2]);
        let start = all.start.clamp(columns.start, columns.end);
        let end = all.end.clamp(start, columns.end);
        let position = if start < end { start * self.s[2] + off - self.p[2] } else { 0 };
        (start..end, position)
    }
}

/// Float types.
pub(super) trait Float: Plain<Acc: Tile> {
    /// Runs `f` on a panel of the accumulation type (with unspecified values), and rounds the result into `panel`.
    fn panel(
        panel: Panel<'_, Self>,
        f: &mut dyn FnMut(&mut Panel<'_, Self::Acc>) -> Result<()>,
    ) -> Result<()>;
}

macro_rules! widened {
    ($($t:ty),*) => {$(
        impl Float for $t {
            fn panel(
                mut panel: Panel<'_, Self>,
                f: &mut dyn FnMut(&mut Panel<'_, f32>) -> Result<()>,
            ) -> Result<()> {
                let cols = panel.cols();
                let mut sums = Buffer::uninit(panel.rows() * cols)?;
                f(&mut Panel::whole(&mut sums, cols))?;
                for (r, sums) in sums.chunks(cols.max(1)).enumerate() {
                    panel.row(r).iter_mut().zip(sums).for_each(|(o, s)| *o = Self::from_acc(*s));
                }
                Ok(())
            }
        }
    )*};
}
widened!(f16, bf16);

macro_rules! direct_panel {
    ($($t:ty),*) => {$(
        impl Float for $t {
            fn panel(
                mut panel: Panel<'_, Self>,
                f: &mut dyn FnMut(&mut Panel<'_, Self>) -> Result<()>,
            ) -> Result<()> {
                f(&mut panel)
            }
        }
    )*};
}
direct_panel!(f32, f64);

/// An input: the index of element (0, 0, ..), and the strides of batch, channel, plane, row and column.
pub(super) struct Source<'a, T> {
    data: &'a [T],
    start: usize,
    batch: usize,
    channel: usize,
    pub(super) step: [usize; 3],
}

impl<'a, T: Plain> Source<'a, T> {
    fn new(x: Src<'a>) -> Result<Self> {
        let (data, layout) = src::<T>(x)?;
        let inside = layout.shape().elem_count() == 0 || layout.end().is_some_and(|e| e <= data.len());
        let strides = layout.stride();
        if !inside || strides.len() < 3 {
            return Err(Error::invalid("conv", "a layout reaches outside its storage"));
        }
        let mut step = [0; 3];
        step[5 - strides.len()..].copy_from_slice(&strides[2..]);
        Ok(Self { data, start: layout.start_offset(), batch: strides[0], channel: strides[1], step })
    }

    /// Index of the first element of a channel.
    pub(super) fn at(&self, batch: usize, channel: usize) -> usize {
        self.start + batch * self.batch + channel * self.channel
    }

    /// Copies elements of a row, the first of which has the index `from`.
    pub(super) fn read(&self, from: usize, out: &mut [T::Acc]) {
        if self.step[2] != 1 {
            return (0..).zip(out).for_each(|(i, o)| *o = self.data[from + i * self.step[2]].acc());
        }
        let data = &self.data[from..from + out.len()];
        match T::same(data) {
            Some(same) => out.copy_from_slice(same),
            None => T::widen(data, out),
        }
    }
}

/// Splits the channels of an output over the threads. Calls `f(batch, group, first channel of the group, planes)` with
/// at most `most` planes at a time.
fn by_channels<T: Send>(
    out: &mut [T],
    (groups, channels, plane): (usize, usize, usize),
    most: usize,
    work: usize,
    f: &(dyn Fn(usize, usize, usize, &mut [T]) -> Result<()> + Sync),
) -> Result<()> {
    if out.is_empty() {
        return Ok(());
    }
    let rows = out.len() / plane;
    let per = per_thread(rows, plane.saturating_mul(work)).next_multiple_of(most).min(rows);
    let error = FirstError::default();
    chunks(out, per * plane, &|task, mut part| {
        let mut row = task * per;
        while !part.is_empty() {
            let (bg, first) = (row / channels, row % channels);
            let count = (channels - first).min(part.len() / plane).min(most);
            let (head, tail) = part.split_at_mut(count * plane);
            error.note(f(bg / groups, bg % groups, first, head));
            part = tail;
            row += count;
        }
    });
    error.result()
}

/// Calls `f(output index, input index, columns)` for each run of a row that kernel offset `off` maps inside the input.
fn runs(g: &Geo, off: [usize; 3], mut f: impl FnMut(usize, usize, usize)) {
    g.rows(0, g.op(), off, |at, columns, line| {
        let Some((plane, line)) = line else { return };
        let (inside, position) = g.inside(&columns, off[2]);
        if !inside.is_empty() {
            f(at + inside.start, (plane * g.i[1] + line) * g.i[2] + position, inside.len());
        }
    });
}

/// Forward pass in plain loops: for each kernel element, adds a row of products at a time.
fn plain<T: Plain>(g: &Geo, x: Src<'_>, w: Src<'_>, out: &mut [T]) -> Result<()> {
    let (w, x) = (T::wide(w)?, T::wide(x)?);
    let (kp, positions, plane) = (g.kp(), g.op(), g.ip());
    by_channels(out, (g.groups, g.co, positions), 1, g.ci * kp / 4 + 1, &|batch, group, r, part| {
        T::sums(part, &mut |sums| {
            for c in 0..g.ci {
                let x = &x[((batch * g.groups + group) * g.ci + c) * plane..][..plane];
                let kernel = &w[((group * g.co + r) * g.ci + c) * kp..][..kp];
                g.taps(|tap, off| {
                    let k = kernel[tap];
                    runs(g, off, |to, from, n| {
                        let sums = sums[to..to + n].iter_mut();
                        if g.s[2] == 1 {
                            sums.zip(&x[from..]).for_each(|(s, v)| *s = s.add(v.mul(k)));
                        } else {
                            let x = x[from..].iter().step_by(g.s[2]);
                            sums.zip(x).for_each(|(s, v)| *s = s.add(v.mul(k)));
                        }
                    });
                });
            }
            Ok(())
        })
    })
}

/// Transposed convolution in plain loops, see [`plain`].
fn plain_transpose<T: Plain>(g: &Geo, y: Src<'_>, w: Src<'_>, out: &mut [T]) -> Result<()> {
    let (w, y) = (T::wide(w)?, T::wide(y)?);
    let (kp, positions, plane) = (g.kp(), g.op(), g.ip());
    let work = (g.co * kp * positions / plane.max(1)) / 4 + 1;
    by_channels(out, (g.groups, g.ci, plane), 1, work, &|batch, group, c, part| {
        T::sums(part, &mut |sums| {
            for r in 0..g.co {
                let y = &y[((batch * g.groups + group) * g.co + r) * positions..][..positions];
                let kernel = &w[((group * g.co + r) * g.ci + c) * kp..][..kp];
                g.taps(|tap, off| {
                    let k = kernel[tap];
                    runs(g, off, |from, to, n| {
                        let sums = sums[to..].iter_mut().step_by(g.s[2]);
                        sums.zip(&y[from..from + n]).for_each(|(s, v)| *s = s.add(v.mul(k)));
                    });
                });
            }
            Ok(())
        })
    })
}

pub fn conv(w: &Window, groups: u32, x: Src<'_>, kernel: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let op = "conv";
    let g = Geo::new(w, groups, x.1, last3(sizes(kernel.1.shape(), w.spatial())?), out.1)?;
    match x.0.dtype() {
        DType::F32 | DType::F64 | DType::F16 | DType::BF16 => {
            dispatch!(x.0.dtype(), op, FLOAT => T {
                conv_tiles::convolve::<T>(&g, false, &Source::new(x)?, &T::wide(kernel)?, dst::<T>(&mut out)?.0)
            })
        }
        dtype => dispatch!(dtype, op, INT => T { plain::<T>(&g, x, kernel, dst::<T>(&mut out)?.0) }),
    }
}

pub fn conv_transpose(w: &Window, groups: u32, x: Src<'_>, kernel: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let op = "conv_transpose";
    let g = Geo::new(w, groups, out.1, last3(sizes(kernel.1.shape(), w.spatial())?), x.1)?;
    match x.0.dtype() {
        DType::F32 | DType::F64 | DType::F16 | DType::BF16 => {
            dispatch!(x.0.dtype(), op, FLOAT => T {
                let wide = T::wide(kernel)?;
                // Tiles multiply the kernel by zeros beyond the input.
                if wide.iter().any(|v| Arith::is_nan(v.sub(*v))) {
                    return plain_transpose::<T>(&g, x, kernel, dst::<T>(&mut out)?.0);
                }
                conv_tiles::convolve::<T>(&g, true, &Source::new(x)?, &wide, dst::<T>(&mut out)?.0)
            })
        }
        dtype => {
            dispatch!(dtype, op, INT => T { plain_transpose::<T>(&g, x, kernel, dst::<T>(&mut out)?.0) })
        }
    }
}

pub fn conv_weight_grad(w: &Window, groups: u32, x: Src<'_>, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let op = "conv_weight_grad";
    let geo = Geo::new(w, groups, x.1, last3(sizes(out.1.shape(), w.spatial())?), g.1)?;
    dispatch!(x.0.dtype(), op, FLOAT => T {
        conv_tiles::weight::<T>(&geo, &Source::new(x)?, &T::wide(g)?, dst::<T>(&mut out)?.0)
    })
}
