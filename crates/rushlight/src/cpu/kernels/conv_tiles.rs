//! Convolutions of floats, their transposes and the gradients of their kernels, as products of tiles.
//!
//! The elements that a block of results reads are copied with their padding to memory that stays in the cache. Tiles read
//! windows there through lists of offsets, so that no window is copied to a row of a matrix. Channels of results are the
//! columns of tiles, which are vectors. If there are few, vectors are parts of rows of the image instead (strips).
use super::conv::{Float, Geo, Source};
use super::conv_reads::{Axis, Copied, SOURCE, Taps, blocks, positions};
use super::spatial::runs;
use crate::cpu::simd_panel::{Panel, panels, transpose};
use crate::cpu::simd_tile::{self, Block, Row, Strip, Tile};
use crate::cpu::{Buffer, num_threads, scratch};
use crate::{Element, Error, Result};
use std::ops::Range;

/// Terms of a block, whose factors then stay in the L1 cache.
const TERMS: usize = 256;

/// Columns of panels: all have two vectors, but the last may have one.
#[derive(Debug, Clone, Copy)]
struct Columns {
    channels: usize,
    lanes: usize,
}

impl Columns {
    fn new<A: Tile>(channels: usize) -> Self {
        Self { channels, lanes: A::lanes() }
    }
    /// Returns the number of panels.
    fn panels(&self) -> usize {
        self.channels.div_ceil(2 * self.lanes)
    }
    /// Returns the channels of a panel, and its width.
    fn of(&self, panel: usize) -> (Range<usize>, usize) {
        let first = panel * 2 * self.lanes;
        let count = (self.channels - first).min(2 * self.lanes);
        (first..first + count, if count > self.lanes { 2 * self.lanes } else { self.lanes })
    }
}

/// Returns an error if a block has been rejected.
fn checked(ok: bool) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::invalid("conv", "a layout reaches outside its storage")) }
}

/// A kernel as panels: for each group and panel of channels, for each class, a row of the channels for each term.
struct Packed<A> {
    data: Buffer<A>,
    columns: Columns,
    /// Terms of all classes.
    terms: usize,
}

impl<A: Tile + Element> Packed<A> {
    /// Packs the kernel `w`. In `w` the channels of the source are `source` elements apart, those of the results `result`,
    /// and groups `group`.
    fn new(
        w: &[A],
        classes: &[Taps],
        groups: usize,
        sources: usize,
        columns: Columns,
        [group, source, result]: [usize; 3],
    ) -> Result<Self> {
        let taps: usize = classes.iter().map(|c| c.taps.len()).sum();
        let (terms, panels) = (sources * taps, columns.panels());
        let size = terms * 2 * columns.lanes;
        let mut data = Buffer::uninit(groups * panels * size)?;
        runs(&mut data, size, 1, &|i, out| {
            let (channels, width) = columns.of(i % panels);
            let start = i / panels * group + channels.start * result;
            let mut rows = out.chunks_exact_mut(width);
            if let [one] = classes
                && source == taps
            {
                // The terms are contiguous.
                debug_assert_eq!(one.taps.len(), taps);
                if channels.len() < width {
                    out.fill(A::default());
                }
                let ok = transpose(&w[start..], result, out, width, terms, channels.len());
                debug_assert!(ok);
                return;
            }
            for class in classes {
                for s in 0..sources {
                    for (tap, _) in &class.taps {
                        let Some(row) = rows.next() else { return };
                        let (head, rest) = row.split_at_mut(channels.len());
                        let from = w[start + s * source + tap..].iter().step_by(result);
                        head.iter_mut().zip(from).for_each(|(o, v)| *o = *v);
                        rest.fill(A::default());
                    }
                }
            }
        });
        Ok(Self { data, columns, terms })
    }

    /// Returns the rows of a panel from a term on.
    fn panel(&self, group: usize, panel: usize, first: usize) -> &[A] {
        let size = self.terms * 2 * self.columns.lanes;
        &self.data[(group * self.columns.panels() + panel) * size + first * self.columns.of(panel).1..]
    }
}

/// Computes a convolution of `x`, or its transpose, in which `x` is the side with one position per window.
pub(super) fn convolve<T: Float>(
    g: &Geo,
    transposed: bool,
    x: &Source<'_, T>,
    w: &[T::Acc],
    out: &mut [T],
) -> Result<()> {
    let axes = Axis::all(g, transposed);
    let (kp, group) = (g.kp(), g.co * g.ci * g.kp());
    let (sources, results, strides) =
        if transposed { (g.co, g.ci, [group, g.ci * kp, kp]) } else { (g.ci, g.co, [group, kp, g.ci * kp]) };
    let classes = Taps::all(&axes, g.k);
    let size: [usize; 3] = std::array::from_fn(|a| axes[a].results);
    let per = positions(&axes, sources, g.n * g.groups);
    let work = results * sources * kp / 8 / if transposed { g.s.iter().product() } else { 1 };
    if 2 * results <= T::Acc::lanes() {
        let [of_group, of_source, of_result] = strides;
        // The factors of a result through a class.
        let factors = |group: usize, result: usize, class: &Taps| -> Result<Vec<T::Acc>> {
            let mut all = scratch::room(sources * class.taps.len())?;
            for source in 0..sources {
                let start = group * of_group + source * of_source + result * of_result;
                all.extend(class.taps.iter().map(|(tap, _)| w[start + tap]));
            }
            Ok(all)
        };
        let (split, apart) = if transposed { (1, axes[2].stride) } else { (axes[2].stride, 1) };
        return panels(out, (results, size.iter().product()), per, work + sources, &|plane, first, panel| {
            let (batch, group, len) = (plane / g.groups, plane % g.groups, panel.cols());
            let channels = group * sources..(group + 1) * sources;
            T::panel(panel, &mut |p| {
                blocks(size, first, len, |at, block| {
                    let copied = Copied::new(&axes, x, (batch, channels.clone()), &block, split)?;
                    let count: usize = block.iter().map(Range::len).product();
                    // Where the stride is larger than the kernel, some results have no terms.
                    (0..p.rows()).for_each(|r| p.row(r)[at..at + count].fill(T::Acc::default()));
                    for class in &classes {
                        let rows = copied.rows(&axes, class.class, &block, true)?;
                        let steps = copied.steps(sources, &class.taps)?;
                        let len = copied.len_of(&axes, class.class, &block);
                        for r in 0..p.rows() {
                            let factors = factors(group, r, class)?;
                            let part = Strip {
                                data: &copied.data,
                                rows: &rows,
                                steps: &steps,
                                factors: &factors,
                                len,
                                apart,
                            };
                            checked(simd_tile::strip(part, &mut p.row(r)[at..at + count]))?;
                        }
                    }
                    Ok(())
                })
            })
        });
    }
    let packed = Packed::new(w, &classes, g.groups, sources, Columns::new::<T::Acc>(results), strides)?;
    panels(out, (results, size.iter().product()), per, work + sources, &|plane, first, panel| {
        let (batch, group, len) = (plane / g.groups, plane % g.groups, panel.cols());
        let channels = group * sources..(group + 1) * sources;
        T::panel(panel, &mut |p| {
            blocks(size, first, len, |at, block| {
                let copied = Copied::new(&axes, x, (batch, channels.clone()), &block, 1)?;
                results_of(&axes, &classes, &packed, &copied, (group, sources), &block, at, p)
            })
        })
    })
}

/// Computes a block of results, and writes it to the columns of a panel from `at` on.
fn results_of<A: Tile + Element>(
    axes: &[Axis; 3],
    classes: &[Taps],
    packed: &Packed<A>,
    copied: &Copied<A>,
    (group, sources): (usize, usize),
    block: &[Range<usize>; 3],
    at: usize,
    out: &mut Panel<'_, A>,
) -> Result<()> {
    let count: usize = block.iter().map(Range::len).product();
    let mut lists = scratch::room(classes.len())?;
    for class in classes {
        lists.push((copied.rows(axes, class.class, block, false)?, copied.steps(sources, &class.taps)?));
    }
    // Where the stride is larger than the kernel, some results have no terms.
    let whole = sources > 0 && lists.iter().map(|l| l.0.len()).sum::<usize>() == count;
    let mut sums = Buffer::uninit(count * 2 * packed.columns.lanes)?;
    for panel in 0..packed.columns.panels() {
        let (channels, width) = packed.columns.of(panel);
        let sums = &mut sums[..count * width];
        if !whole {
            sums.fill(A::default());
        }
        let mut first = 0;
        for (rows, steps) in &lists {
            for (n, steps) in steps.chunks(TERMS).enumerate() {
                let from = packed.panel(group, panel, first);
                let part =
                    Block { data: &copied.data, rows, steps, panel: from, pitch: width, width, apart: width };
                checked(simd_tile::block(part, sums, n > 0))?;
                first += steps.len();
            }
        }
        checked(out.put_transposed(channels, at, count, sums, width))?;
    }
    Ok(())
}

/// Computes the gradient of the kernel: sums over batch and windows of an output's gradient times an input.
pub(super) fn weight<T: Float>(g: &Geo, x: &Source<'_, T>, y: &[T::Acc], out: &mut [T]) -> Result<()> {
    let axes = Axis::all(g, false);
    let classes = Taps::all(&axes, g.k);
    let taps = classes.first().map_or(&[][..], |c| &c.taps[..]);
    let (kp, windows) = (g.kp(), g.op());
    let columns = Columns::new::<T::Acc>(g.co);
    let wide = columns.panels() * 2 * columns.lanes;
    // Channels of a task: their sums stay in the cache, and there is a task for each thread.
    let most = (SOURCE / (wide * kp).max(1)).clamp(1, g.ci.max(1));
    let shares = num_threads().div_ceil(g.groups).max(g.ci.div_ceil(most));
    let per = g.ci.div_ceil(shares).max(1);
    let count = positions(&axes, per + g.co, usize::MAX);
    panels(out, (g.co, g.ci * kp), per * kp, g.n * windows * (g.co / 8 + 1), &|group, first, panel| {
        let (first, channels) = (first / kp, panel.cols() / kp);
        let of_x = group * g.ci + first..group * g.ci + first + channels;
        T::panel(panel, &mut |p| {
            let rows_of = channels * kp;
            let mut sums = Buffer::<T::Acc>::zeros(rows_of * wide)?;
            let mut turned = Buffer::<T::Acc>::zeros(count * 2 * columns.lanes)?;
            for batch in 0..g.n {
                let y = &y[(batch * g.groups + group) * g.co * windows..][..g.co * windows];
                for start in (0..windows).step_by(count) {
                    blocks(g.o, start, count.min(windows - start), |at, block| {
                        let copied = Copied::new(&axes, x, (batch, of_x.clone()), &block, 1)?;
                        let rows = copied.steps(channels, taps)?;
                        let rows =
                            rows.into_iter().enumerate().map(|(to, from)| Ok::<_, Error>(Row { from, to }));
                        let rows: Vec<Row> = scratch::collected(rows_of, rows)?;
                        let steps = copied.rows(&axes, [0; 3], &block, false)?;
                        let steps: Vec<usize> =
                            scratch::collected(steps.len(), steps.iter().map(|r| Ok::<_, Error>(r.from)))?;
                        for panel in 0..columns.panels() {
                            let (co, width) = columns.of(panel);
                            let turned = &mut turned[..steps.len() * width];
                            if co.len() < width {
                                turned.fill(T::Acc::default());
                            }
                            let from = &y[co.start * windows + start + at..];
                            checked(transpose(from, windows, turned, width, steps.len(), co.len()))?;
                            let sums = &mut sums[rows_of * 2 * columns.lanes * panel..][..rows_of * width];
                            for (n, steps) in steps.chunks(TERMS).enumerate() {
                                let from = &turned[n * TERMS * width..];
                                let part = Block {
                                    data: &copied.data,
                                    rows: &rows,
                                    steps,
                                    panel: from,
                                    pitch: width,
                                    width,
                                    apart: width,
                                };
                                checked(simd_tile::block(part, sums, true))?;
                            }
                        }
                        Ok(())
                    })?;
                }
            }
            for panel in 0..columns.panels() {
                let (co, width) = columns.of(panel);
                let sums = &sums[rows_of * 2 * columns.lanes * panel..][..rows_of * width];
                checked(p.put_transposed(co, 0, rows_of, sums, width))?;
            }
            Ok(())
        })
    })
}
