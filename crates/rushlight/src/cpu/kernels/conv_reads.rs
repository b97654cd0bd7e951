//! Which elements of the source the results of a convolution, or of its transpose, read; and copies of them.
use super::conv::{Float, Geo, Source};
use crate::Result;
use crate::cpu::simd_tile::{Row, slack};
use crate::cpu::{Buffer, num_threads, scratch};
use std::ops::Range;

/// Elements that a block of results reads: they stay in the L2 cache.
pub(super) const SOURCE: usize = 64 * 1024;
/// Positions of a block of results.
const POSITIONS: usize = 1024;
/// Fewest positions for which a block is split to occupy all threads.
const LEAST: usize = 96;

/// Results along one dimension that read through the same elements of the kernel.
#[derive(Debug)]
struct Class {
    /// Elements of the kernel, and how far each is from the first element that is read.
    taps: Vec<(usize, usize)>,
    /// The largest of these distances.
    reach: usize,
    /// The largest offset of the kernel's elements in a window.
    most: usize,
}

/// One dimension of a convolution or of its transpose: result `i` reads the source from `first(i)` on.
#[derive(Debug)]
pub(super) struct Axis {
    pub(super) results: usize,
    source: usize,
    pub(super) stride: usize,
    padding: usize,
    transposed: bool,
    classes: Vec<Class>,
}

impl Axis {
    /// Makes the three axes of a convolution, or of its transpose.
    pub(super) fn all(g: &Geo, transposed: bool) -> [Self; 3] {
        std::array::from_fn(|a| {
            let (stride, offsets) = (g.s[a], (0..g.k[a]).map(|k| (k, k * g.d[a])));
            let (results, source) = if transposed { (g.i[a], g.o[a]) } else { (g.o[a], g.i[a]) };
            let mut classes: Vec<Class> = Vec::new();
            for (k, off) in offsets {
                let fits = |c: &&mut Class| !transposed || c.most % stride == off % stride;
                match classes.iter_mut().find(fits) {
                    Some(class) => {
                        class.taps.push((k, off));
                        class.most = off;
                    }
                    None => classes.push(Class { taps: vec![(k, off)], reach: 0, most: off }),
                }
            }
            for class in &mut classes {
                for (_, shift) in &mut class.taps {
                    *shift = if transposed { (class.most - *shift) / stride } else { *shift };
                }
                class.reach = class.taps.iter().map(|t| t.1).max().unwrap_or(0);
            }
            Self { results, source, stride, padding: g.p[a], transposed, classes }
        })
    }

    /// Returns the class of a result, and the first source element that it reads (in the padding, if it is negative).
    fn first(&self, i: usize) -> Option<(usize, isize)> {
        if !self.transposed {
            return (!self.classes.is_empty())
                .then(|| (0, (i * self.stride) as isize - self.padding as isize));
        }
        let at = i + self.padding;
        let class = self.classes.iter().position(|c| c.most % self.stride == at % self.stride)?;
        // Both numbers have the same remainder, so the division is exact.
        Some((class, (at as isize - self.classes[class].most as isize) / self.stride as isize))
    }

    /// Returns the first source element that results read, and the number from it to the last.
    fn span(&self, results: Range<usize>) -> (isize, usize) {
        let all = results.filter_map(|i| self.first(i));
        let ends = all.map(|(c, first)| (first, first + self.classes[c].reach as isize + 1));
        let ends = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 1));
        (ends.0, (ends.1 - ends.0) as usize)
    }
}

/// How a block of results reads the source: where a copy with the padding has its elements, and the lists of offsets in it.
pub(super) struct Plan {
    pub(super) block: [Range<usize>; 3],
    /// First index of each dimension.
    start: [isize; 3],
    size: [usize; 3],
    /// Distances of channels and of the first two spatial dimensions.
    pitch: [usize; 3],
    /// Rows are stored as `split` parts of `part` elements; part i has the elements i, i + split ..
    split: usize,
    part: usize,
    /// Distance of the results of a class in a row.
    pub(super) apart: usize,
    pub(super) lists: Vec<List>,
}

/// The offsets of the results of one class in each dimension.
pub(super) struct List {
    /// Where results begin to read, and their number in the block. In a plan of lines: the first of each row.
    pub(super) rows: Vec<Row>,
    /// The offsets of the terms.
    pub(super) steps: Vec<usize>,
    /// Number of results of a row.
    pub(super) len: usize,
}

impl Plan {
    /// Makes the plan of a block that reads some channels. `lines` has rows for each row of results instead of each result,
    /// and then elements that are read for adjacent results are adjacent.
    pub(super) fn new(
        axes: &[Axis; 3],
        classes: &[Taps],
        channels: usize,
        block: [Range<usize>; 3],
        lines: bool,
    ) -> Result<Self> {
        let spans: [(isize, usize); 3] = std::array::from_fn(|a| axes[a].span(block[a].clone()));
        let (start, size) = (spans.map(|s| s.0), spans.map(|s| s.1));
        let split = if lines && !axes[2].transposed { axes[2].stride } else { 1 };
        let part = size[2].div_ceil(split);
        let row = part * split;
        let plane = size[0] * size[1] * row;
        // An odd number of cache lines, so that channels do not share the few lines that the cache has for one address.
        let channel = if plane < 64 { plane } else { plane.next_multiple_of(32) + 16 };
        let pitch = [channel, size[1] * row, row];
        let apart = if axes[2].transposed { axes[2].stride } else { 1 };
        let lists = scratch::room(classes.len())?;
        let mut plan = Self { block, start, size, pitch, split, part, apart, lists };
        for class in classes {
            let mut steps = scratch::room(channels * class.taps.len())?;
            (0..channels).for_each(|c| steps.extend(class.taps.iter().map(|t| plan.offset(c, t.1))));
            let rows = plan.rows(axes, class.class, lines)?;
            let len = plan.of_class(&axes[2], 2, class.class[2]).count();
            plan.lists.push(List { rows, steps, len });
        }
        Ok(plan)
    }

    /// Returns the index of a column in its row.
    fn column(&self, at: usize) -> usize {
        if self.split == 1 { at } else { at % self.split * self.part + at / self.split }
    }

    /// Returns the offset of an element relative to the first element.
    fn offset(&self, channel: usize, at: [usize; 3]) -> usize {
        channel * self.pitch[0] + at[0] * self.pitch[1] + at[1] * self.pitch[2] + self.column(at[2])
    }

    /// Returns the results along a dimension that have a class: their number in the block, and where they begin to read.
    fn of_class<'b>(
        &'b self,
        axis: &'b Axis,
        d: usize,
        class: usize,
    ) -> impl Iterator<Item = (usize, usize)> + 'b {
        self.block[d].clone().enumerate().filter_map(move |(n, i)| {
            let (c, first) = axis.first(i)?;
            (c == class).then_some((n, (first - self.start[d]) as usize))
        })
    }

    fn rows(&self, axes: &[Axis; 3], class: [usize; 3], lines: bool) -> Result<Vec<Row>> {
        let of = |d: usize| self.of_class(&axes[d], d, class[d]);
        let size: [usize; 3] = std::array::from_fn(|a| self.block[a].len());
        let columns = if lines { 1 } else { size[2] };
        let mut rows = scratch::room(size[0] * size[1] * columns)?;
        for (n0, at0) in of(0) {
            for (n1, at1) in of(1) {
                let row = self.offset(0, [at0, at1, 0]);
                let to = (n0 * size[1] + n1) * size[2];
                let all = of(2).take(columns);
                rows.extend(all.map(|(n, at)| Row { from: row + self.column(at), to: to + n }));
            }
        }
        Ok(rows)
    }

    /// Copies the source of the block, with the padding.
    pub(super) fn copy<T: Float>(
        &self,
        axes: &[Axis; 3],
        x: &Source<'_, T>,
        (batch, channels): (usize, Range<usize>),
    ) -> Result<Buffer<T::Acc>> {
        let (start, size, [channel, _, pitch]) = (self.start, self.size, self.pitch);
        let zero = T::Acc::default();
        let mut data = Buffer::uninit(channels.len() * channel + slack::<T::Acc>())?;
        let mut line = Buffer::uninit(if self.split > 1 { size[2] } else { 0 })?;
        let inside = |a: usize, i: usize| {
            let at = start[a] + i as isize;
            (0..axes[a].source as isize).contains(&at).then_some(at as usize)
        };
        let left = (-start[2]).clamp(0, size[2] as isize) as usize;
        let right = (axes[2].source as isize - start[2]).clamp(left as isize, size[2] as isize) as usize;
        let column = (start[2] + left as isize).max(0) as usize * x.step[2];
        for (channel, out) in channels.zip(data.chunks_exact_mut(channel.max(1))) {
            let from = x.at(batch, channel) + column;
            let mut rows = out.chunks_exact_mut(pitch);
            for p in 0..size[0] {
                let plane = inside(0, p).map(|p| from + p * x.step[0]);
                for (r, out) in rows.by_ref().take(size[1]).enumerate() {
                    let Some((plane, r)) = plane.zip(inside(1, r)) else {
                        out.fill(zero);
                        continue;
                    };
                    let to = if self.split > 1 { &mut line[..] } else { &mut *out };
                    to[..left].iter_mut().for_each(|o| *o = zero);
                    to[right..].iter_mut().for_each(|o| *o = zero);
                    if left < right {
                        x.read(plane + r * x.step[1], &mut to[left..right]);
                    }
                    if self.split > 1 {
                        for (i, out) in out.chunks_exact_mut(self.part).enumerate() {
                            let from = line.iter().skip(i).step_by(self.split);
                            out.iter_mut().zip(from).for_each(|(o, v)| *o = *v);
                        }
                    }
                }
            }
        }
        Ok(data)
    }
}

/// Elements of the kernel, row-major, through which results of one class in each dimension read, with their offsets.
pub(super) struct Taps {
    pub(super) class: [usize; 3],
    pub(super) taps: Vec<(usize, [usize; 3])>,
}

impl Taps {
    pub(super) fn all(axes: &[Axis; 3], k: [usize; 3]) -> Vec<Self> {
        let mut all = Vec::new();
        for (a, x) in axes[0].classes.iter().enumerate() {
            for (b, y) in axes[1].classes.iter().enumerate() {
                for (c, z) in axes[2].classes.iter().enumerate() {
                    let mut taps = Vec::new();
                    for (i, p) in &x.taps {
                        for (j, q) in &y.taps {
                            taps.extend(
                                z.taps.iter().map(|(l, r)| ((i * k[1] + j) * k[2] + l, [*p, *q, *r])),
                            );
                        }
                    }
                    all.push(Self { class: [a, b, c], taps });
                }
            }
        }
        all
    }
}

/// Splits positions `first..first + count` of a space of three dimensions in blocks, each a range of every dimension.
pub(super) fn blocks(
    size: [usize; 3],
    first: usize,
    count: usize,
    mut f: impl FnMut(usize, [Range<usize>; 3]) -> Result<()>,
) -> Result<()> {
    let (plane, row) = (size[1] * size[2], size[2]);
    let (mut at, end) = (first, first + count);
    while at < end {
        let (p, r, c) = (at / plane, at / row % size[1], at % row);
        let left = end - at;
        let block = if r == 0 && c == 0 && left >= plane {
            [p..p + left / plane, 0..size[1], 0..row]
        } else if c == 0 && left >= row {
            [p..p + 1, r..r + (left / row).min(size[1] - r), 0..row]
        } else {
            [p..p + 1, r..r + 1, c..c + left.min(row - c)]
        };
        let n: usize = block.iter().map(Range::len).product();
        f(at - first, block)?;
        at += n;
    }
    Ok(())
}

/// Returns the number of positions of a block: whole planes, whole rows or a part of a row. `tasks` is the number of results
/// that are split alike.
pub(super) fn positions(axes: &[Axis; 3], channels: usize, tasks: usize) -> usize {
    let size: [usize; 3] = std::array::from_fn(|a| axes[a].results);
    let all: usize = size.iter().product();
    let wanted = if num_threads() > 1 { (4 * num_threads()).div_ceil(tasks.max(1)) } else { 1 };
    let most = POSITIONS.min(all.div_ceil(wanted).max(LEAST));
    let mut unit = 1;
    for a in (0..3).rev() {
        // Elements that `n` results of this dimension read, with all of the later ones.
        let reads = |n: usize| {
            let of = |d: usize| axes[d].span(0..if d == a { n } else { axes[d].results }).1;
            (a..3).map(of).product::<usize>()
                * channels
                * axes[..a].iter().map(|x| x.span(0..1).1).product::<usize>()
        };
        if unit * size[a] <= most && reads(size[a]) <= SOURCE {
            unit *= size[a];
            continue;
        }
        let least = if a == 2 { size[a].min(64) } else { 1 };
        let mut n = size[a];
        while n > least && (unit * n > most || reads(n) > SOURCE) {
            n = (n * 3 / 4).max(least);
        }
        // Blocks of about one size.
        return unit * size[a].div_ceil(size[a].div_ceil(n));
    }
    all.max(1)
}
