//! Convolutions of floats, their transposes and the gradients of their kernels, as products of tiles.
//!
//! The elements that a block of results reads are copied with their padding to memory that stays in the cache. Tiles read
//! windows there through lists of offsets, so that no window is copied to a row of a matrix. Channels of results are the
//! columns of tiles, which are vectors. If there are few, vectors are parts of rows of the image instead (strips).
use super::conv::{Float, Geo, Source};
use super::conv_reads::{Axis, Plan, SOURCE, Taps, blocks, positions};
use super::num::Arith;
use super::spatial::runs;
use crate::cpu::driver::try_chunks;
use crate::cpu::simd_panel::{Panel, panels, transpose};
use crate::cpu::simd_tile::{self, Block, Dots, Row, Strip, Tile};
use crate::cpu::{Buffer, num_threads, scratch};
use crate::{Element, Error, Result};
use std::ops::Range;

/// Terms of a block, whose factors then stay in the L1 cache.
const TERMS: usize = 256;
/// Channels of results whose strips are computed together.
const PAIR: usize = 2;
/// Parts of the batch of which the gradients of small kernels are computed.
const PARTS: usize = 8;

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
struct Packed<A: Element> {
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

/// Returns whether results are computed as strips: there are too few channels to fill vectors, or so few terms that
/// transposing the results of tiles would cost more. `row` is the number of results of a row.
fn narrow<A: Tile>(channels: usize, terms: usize, row: usize) -> bool {
    2 * channels <= A::lanes() || (terms <= 32 && row >= 12)
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
    let (sources, results, strides) = match transposed {
        true => (g.co, g.ci, [group, g.ci * kp, kp]),
        false => (g.ci, g.co, [group, kp, g.ci * kp]),
    };
    let classes = Taps::all(&axes, g.k);
    let size: [usize; 3] = std::array::from_fn(|a| axes[a].results);
    let lines = narrow::<T::Acc>(results, sources * kp, size[2]);
    let columns = Columns::new::<T::Acc>(results);
    let packed =
        if lines { None } else { Some(Packed::new(w, &classes, g.groups, sources, columns, strides)?) };
    let per = positions(&axes, sources, g.n * g.groups);
    let work = results * sources * kp / 8 / if transposed { g.s.iter().product() } else { 1 };
    let plan = |block| Plan::new(&axes, &classes, sources, block, lines);
    // Most blocks are alike.
    let usual = usual(size, per, &plan)?;
    panels(out, (results, size.iter().product()), per, work + sources, &|plane, first, panel| {
        let (batch, group, len) = (plane / g.groups, plane % g.groups, panel.cols());
        T::panel(panel, &mut |p| {
            blocks(size, first, len, |at, block| {
                let own = if usual.block == block { None } else { Some(plan(block)?) };
                let plan = own.as_ref().unwrap_or(&usual);
                let data = plan.copy(&axes, x, (batch, group * sources..(group + 1) * sources))?;
                match &packed {
                    Some(packed) => tiles_of(packed, &data, group, plan, at, p),
                    None => strips_of((w, strides), &classes, &data, group, plan, at, p),
                }
            })
        })
    })
}

/// Makes the plan of the first block of `per` positions.
fn usual(size: [usize; 3], per: usize, plan: &dyn Fn([Range<usize>; 3]) -> Result<Plan>) -> Result<Plan> {
    let mut first = None;
    blocks(size, 0, per.min(size.iter().product()), |_, block| {
        first.get_or_insert(block);
        Ok(())
    })?;
    plan(first.unwrap_or_default())
}

/// Computes a block of results by tiles, and writes it to the columns of a panel from `at` on.
fn tiles_of<A: Tile + Element>(
    packed: &Packed<A>,
    data: &[A],
    group: usize,
    plan: &Plan,
    at: usize,
    out: &mut Panel<'_, A>,
) -> Result<()> {
    let count: usize = plan.block.iter().map(Range::len).product();
    // Where the stride is larger than the kernel, some results have no terms.
    let with_terms = plan.lists.iter().filter(|l| !l.steps.is_empty()).map(|l| l.rows.len());
    let whole = with_terms.sum::<usize>() == count;
    let mut sums = Buffer::uninit(count * 2 * packed.columns.lanes)?;
    for panel in 0..packed.columns.panels() {
        let (channels, width) = packed.columns.of(panel);
        let sums = &mut sums[..count * width];
        if !whole {
            sums.fill(A::default());
        }
        let mut first = 0;
        for list in &plan.lists {
            for (n, steps) in list.steps.chunks(TERMS).enumerate() {
                let from = packed.panel(group, panel, first);
                let rows = &list.rows;
                let part = Block { data, rows, steps, panel: from, pitch: width, width, apart: width };
                checked(simd_tile::block(part, sums, n > 0))?;
                first += steps.len();
            }
        }
        checked(out.put_transposed(channels, at, count, sums, width))?;
    }
    Ok(())
}

/// Same as [`tiles_of`], by strips. In the kernel `w`, groups, channels of the source and channels of the results are
/// `strides` apart.
fn strips_of<A: Tile + Element>(
    (w, strides): (&[A], [usize; 3]),
    classes: &[Taps],
    data: &[A],
    group: usize,
    plan: &Plan,
    at: usize,
    out: &mut Panel<'_, A>,
) -> Result<()> {
    let mut first = 0;
    while first < out.rows() {
        let rest = (w, strides);
        if first + PAIR <= out.rows() {
            some_strips::<A, PAIR>(rest, classes, data, group, plan, at, (first, out))?;
            first += PAIR;
        } else {
            some_strips::<A, 1>(rest, classes, data, group, plan, at, (first, out))?;
            first += 1;
        }
    }
    Ok(())
}

/// Computes `C` channels of [`strips_of`], from channel `first` on.
fn some_strips<A: Tile + Element, const C: usize>(
    (w, strides): (&[A], [usize; 3]),
    classes: &[Taps],
    data: &[A],
    group: usize,
    plan: &Plan,
    at: usize,
    (first, out): (usize, &mut Panel<'_, A>),
) -> Result<()> {
    let count: usize = plan.block.iter().map(Range::len).product();
    // Where the stride is larger than the kernel, some results have no terms.
    let with_terms = plan.lists.iter().filter(|l| !l.steps.is_empty());
    let whole = with_terms.map(|l| l.rows.len() * l.len).sum::<usize>() == count;
    let mut sums = out.rows_from::<C>(first).map(|row| &mut row[at..at + count]);
    if !whole {
        sums.iter_mut().for_each(|s| s.fill(A::default()));
    }
    for (class, list) in classes.iter().zip(&plan.lists) {
        let terms = list.steps.len();
        if terms == 0 {
            continue;
        }
        let mut factors = scratch::room(C * terms)?;
        for r in first..first + C {
            for source in 0..terms / class.taps.len().max(1) {
                let start = group * strides[0] + source * strides[1] + r * strides[2];
                factors.extend(class.taps.iter().map(|(tap, _)| w[start + tap]));
            }
        }
        let factors: [&[A]; C] = std::array::from_fn(|c| &factors[c * terms..][..terms]);
        let part = Strip { data, rows: &list.rows, steps: &list.steps, len: list.len, apart: plan.apart };
        checked(simd_tile::strips(part, factors, sums.each_mut().map(|s| &mut **s)))?;
    }
    Ok(())
}

/// Computes the gradient of the kernel: sums over batch and windows of an output's gradient times an input.
pub(super) fn weight<T: Float>(g: &Geo, x: &Source<'_, T>, y: &[T::Acc], out: &mut [T]) -> Result<()>
where
    T::Acc: Float<Acc = T::Acc>,
{
    let size = out.len();
    if g.n < PARTS || size == 0 || size > SOURCE / PARTS {
        return weight_of::<T, T>(g, 0..g.n, x, y, out);
    }
    // Small kernels have few channels to split over the threads, so parts of the batch are.
    let mut parts = Buffer::uninit(PARTS * size)?;
    try_chunks(&mut parts, size, &|i: usize, part: &mut [T::Acc]| {
        weight_of::<T, T::Acc>(g, i * g.n / PARTS..(i + 1) * g.n / PARTS, x, y, part)
    })?;
    for (i, o) in out.iter_mut().enumerate() {
        let terms = parts[i..].iter().step_by(size);
        *o = T::from_acc(terms.fold(T::Acc::default(), |sum, v| Arith::add(sum, *v)));
    }
    Ok(())
}

/// Computes the gradient of the kernel for a part of the batch.
fn weight_of<T: Float, O: Float<Acc = T::Acc>>(
    g: &Geo,
    batches: Range<usize>,
    x: &Source<'_, T>,
    y: &[T::Acc],
    out: &mut [O],
) -> Result<()> {
    let axes = Axis::all(g, false);
    let classes = Taps::all(&axes, g.k);
    let (kp, windows) = (g.kp(), g.op());
    let columns = Columns::new::<T::Acc>(g.co);
    let wide = columns.panels() * 2 * columns.lanes;
    let lines = 2 * g.co <= columns.lanes;
    // Channels of a task: their sums stay in the cache, and there is a task for each thread.
    let most = if lines { g.ci } else { SOURCE / (wide * kp).max(1) };
    let shares = num_threads().div_ceil(g.groups).max(g.ci.div_ceil(most.max(1)));
    let per = g.ci.div_ceil(shares).max(1);
    let count = positions(&axes, if lines { per } else { per + g.co }, usize::MAX);
    let plan = |block| Plan::new(&axes, &classes, per, block, lines);
    let usual = usual(g.o, count, &plan)?;
    panels(
        out,
        (g.co, g.ci * kp),
        per * kp,
        batches.len() * windows * (g.co / 8 + 1),
        &|group, first, panel| {
            let (first, channels) = (group * g.ci + first / kp, panel.cols() / kp);
            let terms = channels * kp;
            O::panel(panel, &mut |p| {
                let mut sums = Buffer::<T::Acc>::zeros(terms * if lines { g.co } else { wide })?;
                let mut turned = Buffer::uninit(if lines { 0 } else { count * 2 * columns.lanes })?;
                for batch in batches.clone() {
                    let y = &y[(batch * g.groups + group) * g.co * windows..][..g.co * windows];
                    for start in (0..windows).step_by(count) {
                        blocks(g.o, start, count.min(windows - start), |at, block| {
                            let own = if usual.block == block { None } else { Some(plan(block)?) };
                            let plan = own.as_ref().unwrap_or(&usual);
                            let data = plan.copy(&axes, x, (batch, first..first + channels))?;
                            let Some(list) = plan.lists.first() else { return Ok(()) };
                            let y = &y[start + at..];
                            if lines {
                                for (r, sums) in sums.chunks_exact_mut(terms).enumerate() {
                                    let (other, rows, len) = (&y[r * windows..], &list.rows, list.len);
                                    let steps = &list.steps[..terms];
                                    checked(simd_tile::dots(
                                        Dots { data: &data, other, rows, steps, len },
                                        sums,
                                    ))?;
                                }
                                return Ok(());
                            }
                            let rows = list.steps[..terms].iter().enumerate();
                            let rows = rows.map(|(to, from)| Ok::<_, Error>(Row { from: *from, to }));
                            let rows: Vec<Row> = scratch::collected(terms, rows)?;
                            let steps = list.rows.iter().map(|r| Ok::<_, Error>(r.from));
                            let steps: Vec<usize> = scratch::collected(list.rows.len(), steps)?;
                            for panel in 0..columns.panels() {
                                let (co, width) = columns.of(panel);
                                let turned = &mut turned[..steps.len() * width];
                                if co.len() < width {
                                    turned.fill(T::Acc::default());
                                }
                                let from = &y[co.start * windows..];
                                checked(transpose(from, windows, turned, width, steps.len(), co.len()))?;
                                let sums = &mut sums[terms * 2 * columns.lanes * panel..][..terms * width];
                                for (n, steps) in steps.chunks(TERMS).enumerate() {
                                    let (panel, rows) = (&turned[n * TERMS * width..], &rows);
                                    let part = Block {
                                        data: &data,
                                        rows,
                                        steps,
                                        panel,
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
                if lines {
                    sums.chunks_exact(terms.max(1))
                        .enumerate()
                        .for_each(|(r, sums)| p.row(r).copy_from_slice(sums));
                    return Ok(());
                }
                for panel in 0..columns.panels() {
                    let (co, width) = columns.of(panel);
                    let sums = &sums[terms * 2 * columns.lanes * panel..][..terms * width];
                    checked(p.put_transposed(co, 0, terms, sums, width))?;
                }
                Ok(())
            })
        },
    )
}
