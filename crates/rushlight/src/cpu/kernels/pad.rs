//! Padding: computes a table of source indices for each dimension, and splits rows over the threads.
use super::elementwise::{Dst, Src, dst, fill};
use super::num::Arith;
use super::spatial::{Plain, runs};
use crate::cpu::driver::{Words, WordsMut, chunks, per_task, words, words_mut};
use crate::cpu::simd_panel::FirstError;
use crate::cpu::{CpuStorage, dispatch};
use crate::ops::pad::{Pad, PadMode, Side};
use crate::ops::pad_backward::PadBackward;
use crate::{Error, Layout, Result};

/// Returns the source index of each output index along a dimension, `None` for elements that are filled with the
/// constant.
fn table(mode: PadMode, s: &Side, behind: i64) -> Vec<Option<usize>> {
    let n = s.size as i64;
    // Circular padding repeats the elements that negative padding does not remove.
    let (first, last) = (Ord::max(-s.before, 0), n - Ord::max(-behind, 0));
    let source = |o: i64| {
        let at = o - s.before;
        match mode {
            _ if s.before == 0 && behind == 0 => Some(o),
            PadMode::Constant => (0..n).contains(&at).then_some(at),
            PadMode::Reflect => Some(if at < 0 {
                -at
            } else if at >= n {
                2 * (n - 1) - at
            } else {
                at
            }),
            PadMode::Replicate => Some(at.clamp(0, n - 1)),
            PadMode::Circular => Some(first + (at - first).rem_euclid(last - first)),
        }
    };
    (0..s.out as i64).map(|o| source(o).map(|at| at as usize)).collect()
}

fn tables(mode: PadMode, sides: &[Side]) -> Vec<Vec<Option<usize>>> {
    let behind = |s: &Side| s.out as i64 - s.size as i64 - s.before;
    sides.iter().map(|s| table(mode, s, behind(s))).collect()
}

pub fn pad(c: &Pad, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let from = tables(c.mode, &c.pads.sides("pad", c.mode, x.1.shape())?);
    let mut value = CpuStorage::uninit(out.0.dtype(), 1)?;
    fill(c.value, (&mut value, &Layout::contiguous(1)))?;
    macro_rules! pick {
        ($($w:ident),*) => {
            match (words(x.0), words(&value), words_mut(out.0)?) {
                $((Words::$w(x_data), Words::$w(value), WordsMut::$w(o)) => {
                    rows(&from, x_data, x.1, value[0], o);
                    Ok(())
                })*
                _ => Err(Error::invalid("pad", "operands of different dtypes")),
            }
        };
    }
    pick!(W1, W2, W4, W8, W16)
}

/// Returns the longest range of output indices whose source indices are consecutive.
fn longest_run(from: &[Option<usize>]) -> (usize, usize) {
    let (mut best, mut start) = ((0, 0), 0);
    for k in 0..from.len() {
        let next = from[k].map(|i| i + 1);
        let goes_on = next.is_some() && from.get(k + 1).is_some_and(|i| *i == next);
        if !goes_on {
            if from[k].is_some() && k + 1 - start > best.1 - best.0 {
                best = (start, k + 1);
            }
            start = k + 1;
        }
    }
    best
}

/// Length from which a run is copied by a call.
const SHORT: usize = 16;
/// Elements that are filled at once.
const FILLED: usize = 2048;

fn rows<W: Copy + Send + Sync>(from: &[Vec<Option<usize>>], x: &[W], l: &Layout, value: W, out: &mut [W]) {
    let Some((columns, outer)) = from.split_last() else {
        out.iter_mut().for_each(|o| *o = x[l.start_offset()]);
        return;
    };
    let (steps, step) = l.stride().split_at(outer.len());
    let (step, len) = (step[0], columns.len());
    if out.is_empty() || len == 0 {
        return;
    }
    let (lo, hi) = longest_run(columns);
    let one = |at: usize, i: Option<usize>| i.map_or(value, |i| x[at + i * step]);
    let put = |at: usize, line: &mut [W], from: &[Option<usize>]| {
        line.iter_mut().zip(from).for_each(|(o, i)| *o = one(at, *i));
    };
    let row = |at: usize, line: &mut [W]| {
        if step != 1 || lo == hi {
            return put(at, line, columns);
        }
        let start = at + columns[lo].unwrap_or(0);
        put(at, &mut line[..lo], &columns[..lo]);
        let (middle, source) = (&mut line[lo..hi], &x[start..start + (hi - lo)]);
        if middle.len() < SHORT {
            middle.iter_mut().zip(source).for_each(|(o, x)| *o = *x);
        } else {
            middle.copy_from_slice(source);
        }
        put(at, &mut line[hi..], &columns[hi..]);
    };
    // Rows are numbered along the last of the outer dimensions, so that few need divisions.
    let single = [Some(0)];
    let (rows, row_step, outer) = match outer.split_last() {
        Some((last, outer)) => (&last[..], steps[outer.len()], outer),
        None => (&single[..], 0, outer),
    };
    let first_of = |mut group: usize| {
        let mut at = Some(l.start_offset());
        for (table, step) in outer.iter().zip(steps).rev() {
            let source = table[group % table.len()];
            group /= table.len();
            at = at.zip(source).map(|(at, i)| at + i * step);
        }
        at
    };
    let per = per_task(out.len() / len, len);
    // Short rows beside constants: many rows are filled at once, and then the elements are copied.
    let fills = step == 1 && hi - lo < SHORT && columns.iter().flatten().count() == hi - lo;
    let block = (FILLED / len).max(1) * len;
    chunks(out, per * len, &|task, part| {
        let (mut group, mut k) = (task * per / rows.len(), task * per % rows.len());
        let mut first = first_of(group);
        for block in part.chunks_mut(block) {
            if fills {
                block.fill(value);
            }
            for line in block.chunks_mut(len) {
                if k == rows.len() {
                    (group, k) = (group + 1, 0);
                    first = first_of(group);
                }
                match first.zip(rows[k]) {
                    Some((at, i)) if fills => {
                        let source = &x[at + i * row_step + columns[lo].unwrap_or(0)..][..hi - lo];
                        line[lo..hi].iter_mut().zip(source).for_each(|(o, x)| *o = *x);
                    }
                    Some((at, i)) => row(at + i * row_step, line),
                    None => line.fill(value),
                }
                k += 1;
            }
        }
    });
}

pub fn pad_backward(c: &PadBackward, g: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let sides = c.pads.sides("pad_backward", c.mode, out.1.shape())?;
    // The dimensions before the first padded one are treated as a batch.
    let batch = sides.iter().take_while(|s| s.before == 0 && s.out == s.size).count();
    let to = tables(c.mode, &sides[batch..]);
    let part: usize = sides[batch..].iter().map(|s| s.size).product();
    let whole: usize = to.iter().map(Vec::len).product();
    dispatch!(g.0.dtype(), "pad_backward", FLOAT => T {
        let g = T::wide(g)?;
        let error = FirstError::default();
        runs(dst::<T>(&mut out)?.0, part, whole / part.max(1) + 1, &|k, sums| {
            let g = &g[k * whole..][..whole];
            error.note(T::sums(sums, &mut |sums| {
                let (Some((columns, outer)), Some((last, sizes))) = (to.split_last(), sides[batch..].split_last())
                else {
                    sums.copy_from_slice(g);
                    return Ok(());
                };
                for (row, line) in g.chunks(columns.len().max(1)).enumerate() {
                    let (mut rest, mut at, mut step) = (row, 0, last.size);
                    for (table, side) in outer.iter().zip(sizes).rev() {
                        at += table[rest % table.len()].unwrap_or(0) * step;
                        rest /= table.len();
                        step *= side.size;
                    }
                    let sums = &mut sums[at..at + last.size];
                    for (g, i) in line.iter().zip(columns) {
                        let sum = &mut sums[i.unwrap_or(0)];
                        *sum = sum.add(*g);
                    }
                }
                Ok(())
            }));
        });
        error.result()
    })
}
