//! Reductions whose adjacent outputs have adjacent elements: several are reduced at once, each by its tree.
use super::reduce::{Convert, Plan, Values};
use super::reduce_tree::{CHUNK, COLUMNS, LANES, TreeOp, tree_values};
use crate::Result;
use crate::cpu::driver::try_chunks;
use crate::cpu::scratch;

/// Blocks of [`COLUMNS`] adjacent outputs that are reduced together: of converted elements more, because each row of them is
/// converted by a call.
const BLOCKS: usize = 4;
const CONVERTED_BLOCKS: usize = 8;
/// Number of their rows that are read at a time. (64 rows of f64 fill a first-level cache.)
const ROWS: usize = 32;

/// Converts rows of `width` elements, `step` apart.
fn converted_rows<C>(x: &dyn Convert<C>, offset: usize, step: usize, room: &mut [C], width: usize) {
    for (i, row) in room.chunks_mut(width).enumerate() {
        x.read(offset + i * step, 1, row);
    }
}

/// Reduces adjacent outputs at once, in any order.
fn columns_in_any_order<C: Copy>(
    x: Values<'_, C>,
    p: &Plan,
    base: usize,
    op: &dyn TreeOp<C>,
    room: &mut [C],
    out: &mut [C],
) {
    let width = out.len();
    out.fill(op.identity());
    p.runs(base, 0, p.n, &mut |offset, step, n| match x {
        Values::Own(x) => op.rows(out, &x[offset..], n, step),
        Values::Converted(x) => {
            let most = room.len() / width;
            for first in (0..n).step_by(most) {
                let count = (n - first).min(most);
                converted_rows(x, offset + first * step, step, &mut room[..count * width], width);
                op.rows(out, room, count, width);
            }
        }
    });
}

/// Reduces `width` adjacent outputs at once, of at most `B` blocks, each by the same tree.
fn columns<C: Copy, const B: usize>(
    x: Values<'_, C>,
    p: &Plan,
    base: usize,
    width: usize,
    op: &dyn TreeOp<C>,
    room: &mut [C],
    out: &mut [C],
) -> Result<()> {
    let count = p.n.div_ceil(CHUNK);
    let mut chunk = |k: usize, put: &mut dyn FnMut(usize, C)| {
        let mut lanes = [[[op.identity(); COLUMNS]; LANES]; B];
        let mut lane = 0;
        p.runs(base, k * CHUNK, p.n.min((k + 1) * CHUNK), &mut |offset, step, n| {
            let mut combine = |lane: usize, count: usize, rows: &[C], step: usize| {
                for (b, lanes) in lanes.iter_mut().enumerate().take(width.div_ceil(COLUMNS)) {
                    let width = COLUMNS.min(width - b * COLUMNS);
                    op.columns(lanes, lane, &rows[b * COLUMNS..], count, step, width);
                }
            };
            match x {
                Values::Own(x) => {
                    for first in (0..n).step_by(ROWS) {
                        combine(lane + first, (n - first).min(ROWS), &x[offset + first * step..], step);
                    }
                }
                Values::Converted(x) => {
                    let most = room.len() / width;
                    if n < 4 * LANES {
                        for first in (0..n).step_by(most) {
                            let count = (n - first).min(most);
                            converted_rows(x, offset + first * step, step, &mut room[..count * width], width);
                            combine(lane + first, count, room, width);
                        }
                    } else {
                        // The rows of one lane together, so that its sums stay in registers.
                        for l in 0..LANES {
                            let rows = (n - l).div_ceil(LANES);
                            let lane = (lane + l) % LANES;
                            let mut sums = [[op.identity(); COLUMNS]; B];
                            sums.iter_mut().zip(&lanes).for_each(|(sums, lanes)| *sums = lanes[lane]);
                            let row = &mut sums.as_flattened_mut()[..width];
                            if x.rows(row, offset + l * step, rows, LANES * step) {
                                lanes.iter_mut().zip(&sums).for_each(|(lanes, sums)| lanes[lane] = *sums);
                                continue;
                            }
                            for first in (0..rows).step_by(most) {
                                let count = (rows - first).min(most);
                                let at = offset + (l + first * LANES) * step;
                                converted_rows(x, at, LANES * step, &mut room[..count * width], width);
                                for (b, lanes) in lanes.iter_mut().enumerate().take(width.div_ceil(COLUMNS)) {
                                    let sums = &mut lanes[lane][..COLUMNS.min(width - b * COLUMNS)];
                                    op.rows(sums, &room[b * COLUMNS..], count, width);
                                }
                            }
                        }
                    }
                }
            }
            lane += n;
        });
        lanes[..width.div_ceil(COLUMNS)].iter_mut().for_each(|lanes| op.fold_columns(lanes));
        (0..width).for_each(|w| put(w, lanes[w / COLUMNS][0][w % COLUMNS]));
    };
    if count == 1 {
        chunk(0, &mut |w, v| out[w] = v);
        return Ok(());
    }
    let mut values = scratch::filled(count * width, op.identity())?;
    for k in 0..count {
        chunk(k, &mut |w, v| values[w * count + k] = v);
    }
    for (w, o) in out.iter_mut().enumerate() {
        *o = tree_values(&values[w * count..(w + 1) * count], op);
    }
    Ok(())
}

/// The signature of [`columns`].
type Reduced<C> = fn(Values<'_, C>, &Plan, usize, usize, &dyn TreeOp<C>, &mut [C], &mut [C]) -> Result<()>;

/// Reduces outputs in tasks of about `per`.
pub(super) fn reduce_columns<C: Copy + Send + Sync>(
    p: &Plan,
    x: Values<'_, C>,
    out: &mut [C],
    per: usize,
    op: &dyn TreeOp<C>,
) -> Result<()> {
    let run = p.kept_dims.last().copied().unwrap_or(1);
    try_chunks(out, per.next_multiple_of(COLUMNS), &|t, part| {
        let first = t * per.next_multiple_of(COLUMNS);
        let mut all = |blocks: usize, reduced: Reduced<C>, room: &mut [C]| {
            let mut i = 0;
            while i < part.len() {
                let o = first + i;
                let width = (blocks * COLUMNS).min(part.len() - i).min(run - o % run);
                reduced(x, p, p.base(o), width, op, room, &mut part[i..i + width])?;
                i += width;
            }
            Ok(())
        };
        if op.any_order() {
            let any_order: Reduced<C> = |x, p, base, _, op, room, out| {
                columns_in_any_order(x, p, base, op, room, out);
                Ok(())
            };
            // (The outputs stay in a first-level cache.)
            let blocks = 4096 / (COLUMNS * size_of::<C>());
            return match x {
                Values::Own(_) => all(blocks, any_order, &mut []),
                Values::Converted(_) => all(blocks, any_order, &mut [op.identity(); 4 * CHUNK]),
            };
        }
        match x {
            Values::Own(_) => all(BLOCKS, columns::<C, BLOCKS>, &mut []),
            Values::Converted(_) => {
                let room = &mut [op.identity(); 4 * CHUNK];
                all(CONVERTED_BLOCKS, columns::<C, CONVERTED_BLOCKS>, room)
            }
        }
    })
}
