//! The pointwise parts of the steps of recurrent networks, and their gradients.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num, Real};
use super::softmax::row_major;
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::elementary::Elementary;
use crate::cpu::simd_isa::{self, Work};

/// Calls `f(row, output row)` for rows of `width` elements.
fn rows<T: Send>(out: &mut [T], width: usize, f: impl Fn(usize, &mut [T]) + Sync) {
    if width == 0 {
        return;
    }
    let per = per_task(out.len() / width, 16 * width);
    chunks(out, per * width, &|t: usize, part: &mut [T]| {
        part.chunks_mut(width).enumerate().for_each(|(i, row)| f(t * per + i, row));
    });
}

/// A cell: a function of `I` numbers that gives `O` numbers. `of` must be `#[inline(always)]`.
trait Cell<const I: usize, const O: usize> {
    fn of<T: Num<Acc: Real>>(&self, v: [T::Acc; I]) -> [T::Acc; O];
}

/// Elements that are computed at a time.
const BLOCK: usize = 64;

/// Cells whose numbers and results are elements of slices of one length.
struct Cells<'a, C, T, const I: usize, const O: usize> {
    cell: C,
    ins: [&'a [T]; I],
    outs: [&'a mut [T]; O],
}

impl<C: Cell<I, O>, T: Num<Acc: Real>, const I: usize, const O: usize> Work for Cells<'_, C, T, I, O> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let n = self.outs[0].len();
        for first in (0..n).step_by(BLOCK) {
            let count = BLOCK.min(n - first);
            // The compiler knows that local arrays do not overlap, so it vectorizes the loop between them.
            let (mut x, mut y) = ([[T::Acc::ZERO; BLOCK]; I], [[T::Acc::ZERO; BLOCK]; O]);
            for (x, from) in x.iter_mut().zip(&self.ins) {
                x.iter_mut().zip(&from[first..first + count]).for_each(|(x, v)| *x = v.acc());
            }
            for j in 0..count.next_multiple_of(8) {
                let mut numbers = [T::Acc::ZERO; I];
                for i in 0..I {
                    numbers[i] = x[i][j];
                }
                let all = self.cell.of::<T>(numbers);
                (0..O).for_each(|o| y[o][j] = all[o]);
            }
            for (y, to) in y.iter().zip(&mut self.outs) {
                to[first..first + count].iter_mut().zip(y).for_each(|(o, y)| *o = T::from_acc(*y));
            }
        }
    }
}

/// Runs cells with the instructions of the SIMD level in use.
fn cells<C: Cell<I, O>, T: Num<Acc: Real>, const I: usize, const O: usize>(
    cell: C,
    ins: [&[T]; I],
    outs: [&mut [T]; O],
) {
    simd_isa::run(Cells { cell, ins, outs });
}

/// Returns the first `N` parts of `len` elements.
fn parts<const N: usize, T>(all: &[T], len: usize) -> [&[T]; N] {
    std::array::from_fn(|k| &all[k * len..][..len])
}

/// Same as [`parts`], for writing.
fn parts_mut<const N: usize, T>(all: &mut [T], len: usize) -> [&mut [T]; N] {
    let mut rest = all.chunks_exact_mut(len.max(1));
    std::array::from_fn(|_| rest.next().unwrap_or_default())
}

/// Rounds a value to the dtype of the stored state.
#[inline(always)]
fn rounded<T: Num>(v: T::Acc) -> T::Acc {
    T::from_acc(v).acc()
}

/// The new state of an LSTM, given three pre-activations and the state.
struct LstmState;
impl Cell<4, 1> for LstmState {
    #[inline(always)]
    fn of<T: Num<Acc: Real>>(&self, [i, f, g, c]: [T::Acc; 4]) -> [T::Acc; 1] {
        [f.sigmoid() * c + i.sigmoid() * Elementary::tanh(g)]
    }
}

/// The output of an LSTM, given the last pre-activation and the new state.
struct LstmOutput;
impl Cell<2, 1> for LstmOutput {
    #[inline(always)]
    fn of<T: Num<Acc: Real>>(&self, [o, c]: [T::Acc; 2]) -> [T::Acc; 1] {
        [o.sigmoid() * Elementary::tanh(c)]
    }
}

pub fn lstm_cell(gates: Src<'_>, c: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let hidden = c.1.dims().last().copied().unwrap_or(0);
    dispatch!(c.0.dtype(), "lstm_cell", FLOAT => T {
        let (mut hold_gates, mut hold_c) = (None, None);
        let (gates, c) = (row_major::<T>(gates, &mut hold_gates)?, row_major::<T>(c, &mut hold_c)?);
        let (h, new) = dst::<T>(&mut out)?.0.split_at_mut(c.len());
        let row = |r: usize| parts::<4, T>(&gates[r * 4 * hidden..], hidden);
        rows(new, hidden, |r, new| {
            let [i, f, g, _] = row(r);
            cells(LstmState, [i, f, g, &c[r * hidden..][..hidden]], [new]);
        });
        let new = &*new;
        rows(h, hidden, |r, h| cells(LstmOutput, [row(r)[3], &new[r * hidden..][..hidden]], [h]));
        Ok(())
    })
}

/// The gradients of the four pre-activations of an LSTM and of the state, given those of the results.
struct LstmGradients;
impl Cell<7, 5> for LstmGradients {
    #[inline(always)]
    fn of<T: Num<Acc: Real>>(&self, [i, f, g, o, dh, dc, c]: [T::Acc; 7]) -> [T::Acc; 5] {
        let one = T::Acc::ONE;
        let (i, f, g, o) = (i.sigmoid(), f.sigmoid(), Elementary::tanh(g), o.sigmoid());
        let t = Elementary::tanh(rounded::<T>(f * c + i * g));
        let s = dc + dh * o * (one - t * t);
        [
            s * g * (i * (one - i)),
            s * c * (f * (one - f)),
            s * i * (one - g * g),
            dh * t * (o * (one - o)),
            s * f,
        ]
    }
}

pub fn lstm_cell_backward(
    [dh, dc]: [Src<'_>; 2],
    gates: Src<'_>,
    c: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let hidden = c.1.dims().last().copied().unwrap_or(0);
    dispatch!(c.0.dtype(), "lstm_cell_backward", FLOAT => T {
        let mut hold = [const { None }; 4];
        let [hold_dh, hold_dc, hold_gates, hold_c] = &mut hold;
        let (dh, dc) = (row_major::<T>(dh, hold_dh)?, row_major::<T>(dc, hold_dc)?);
        let (gates, c) = (row_major::<T>(gates, hold_gates)?, row_major::<T>(c, hold_c)?);
        rows(dst::<T>(&mut out)?.0, 5 * hidden, |r, out| {
            let [i, f, g, o] = parts(&gates[r * 4 * hidden..], hidden);
            let [dh, dc, c] = [dh, dc, c].map(|all| &all[r * hidden..][..hidden]);
            cells(LstmGradients, [i, f, g, o, dh, dc, c], parts_mut(out, hidden));
        });
        Ok(())
    })
}

/// Returns the gates of a GRU after their activations, from their pre-activations from the input and the hidden state.
#[inline(always)]
fn gru_gates<F: Real>([xr, xz, xn, yr, yz, yn]: [F; 6]) -> [F; 3] {
    let (r, z) = ((xr + yr).sigmoid(), (xz + yz).sigmoid());
    [r, z, Elementary::tanh(xn + r * yn)]
}

/// The new state of a GRU, given the six pre-activations and the state.
struct GruState;
impl Cell<7, 1> for GruState {
    #[inline(always)]
    fn of<T: Num<Acc: Real>>(&self, [a, b, c, d, e, f, h]: [T::Acc; 7]) -> [T::Acc; 1] {
        let [_, z, n] = gru_gates([a, b, c, d, e, f]);
        [n + z * (h - n)]
    }
}

/// The gradients of the six pre-activations of a GRU and of the state, given also that of the new state.
struct GruGradients;
impl Cell<8, 7> for GruGradients {
    #[inline(always)]
    fn of<T: Num<Acc: Real>>(&self, [a, b, c, d, e, behind, dh, h]: [T::Acc; 8]) -> [T::Acc; 7] {
        let one = T::Acc::ONE;
        let [r, z, n] = gru_gates([a, b, c, d, e, behind]);
        let dn = dh * (one - z) * (one - n * n);
        let dr = dn * behind * (r * (one - r));
        let dz = dh * (h - n) * (z * (one - z));
        [dr, dz, dn, dr, dz, dn * r, dh * z]
    }
}

pub fn gru_cell([x, y]: [Src<'_>; 2], h: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let hidden = h.1.dims().last().copied().unwrap_or(0);
    dispatch!(h.0.dtype(), "gru_cell", FLOAT => T {
        let mut hold = [const { None }; 3];
        let [hold_x, hold_y, hold_h] = &mut hold;
        let (x, y, h) = (row_major::<T>(x, hold_x)?, row_major::<T>(y, hold_y)?, row_major::<T>(h, hold_h)?);
        rows(dst::<T>(&mut out)?.0, hidden, |r, out| {
            let [[a, b, c], [d, e, f]] = [x, y].map(|all| parts(&all[r * 3 * hidden..], hidden));
            cells(GruState, [a, b, c, d, e, f, &h[r * hidden..][..hidden]], [out]);
        });
        Ok(())
    })
}

pub fn gru_cell_backward(dh: Src<'_>, [x, y]: [Src<'_>; 2], h: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let hidden = h.1.dims().last().copied().unwrap_or(0);
    dispatch!(h.0.dtype(), "gru_cell_backward", FLOAT => T {
        let mut hold = [const { None }; 4];
        let [hold_dh, hold_x, hold_y, hold_h] = &mut hold;
        let (dh, h) = (row_major::<T>(dh, hold_dh)?, row_major::<T>(h, hold_h)?);
        let (x, y) = (row_major::<T>(x, hold_x)?, row_major::<T>(y, hold_y)?);
        rows(dst::<T>(&mut out)?.0, 7 * hidden, |r, out| {
            let [[a, b, c], [d, e, f]] = [x, y].map(|all| parts(&all[r * 3 * hidden..], hidden));
            let [dh, h] = [dh, h].map(|all| &all[r * hidden..][..hidden]);
            cells(GruGradients, [a, b, c, d, e, f, dh, h], parts_mut(out, hidden));
        });
        Ok(())
    })
}
