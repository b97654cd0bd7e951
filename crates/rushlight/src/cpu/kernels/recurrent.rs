//! The pointwise parts of the steps of recurrent networks, and their gradients.
use super::elementwise::{Dst, Src, dst};
use super::num::{Num, Real};
use super::softmax::row_major;
use crate::Result;
use crate::cpu::dispatch;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::elementary::Elementary;

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

/// The gates of an LSTM after their activations.
struct Lstm<F> {
    i: F,
    f: F,
    g: F,
    o: F,
}

impl<F: Real> Lstm<F> {
    /// Computes the gates of element `j` from a row of pre-activations.
    fn of<T: Num<Acc = F>>(row: &[T], hidden: usize, j: usize) -> Self {
        let at = |k: usize| row[k * hidden + j].acc();
        Self { i: at(0).sigmoid(), f: at(1).sigmoid(), g: Elementary::tanh(at(2)), o: at(3).sigmoid() }
    }
    fn state(&self, c: F) -> F {
        self.f * c + self.i * self.g
    }
}

/// Rounds a value to the dtype of the stored state.
fn rounded<T: Num>(v: T::Acc) -> T::Acc {
    T::from_acc(v).acc()
}

pub fn lstm_cell(gates: Src<'_>, c: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let hidden = c.1.dims().last().copied().unwrap_or(0);
    dispatch!(c.0.dtype(), "lstm_cell", FLOAT => T {
        let (mut hold_gates, mut hold_c) = (None, None);
        let (gates, c) = (row_major::<T>(gates, &mut hold_gates)?, row_major::<T>(c, &mut hold_c)?);
        let (h, new) = dst::<T>(&mut out)?.0.split_at_mut(c.len());
        let row = |r: usize| &gates[r * 4 * hidden..][..4 * hidden];
        rows(new, hidden, |r, new| {
            let (gates, c) = (row(r), &c[r * hidden..][..hidden]);
            for (j, (new, c)) in new.iter_mut().zip(c).enumerate() {
                *new = T::from_acc(Lstm::of(gates, hidden, j).state(c.acc()));
            }
        });
        let new = &*new;
        rows(h, hidden, |r, h| {
            let (out, new) = (&row(r)[3 * hidden..], &new[r * hidden..][..hidden]);
            for ((h, o), new) in h.iter_mut().zip(out).zip(new) {
                *h = T::from_acc(Real::sigmoid(o.acc()) * new.acc().tanh());
            }
        });
        Ok(())
    })
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
            let gates = &gates[r * 4 * hidden..][..4 * hidden];
            for j in 0..hidden {
                let at = r * hidden + j;
                let all = lstm_gradients::<T, _>(
                    &Lstm::of(gates, hidden, j), [dh[at], dc[at], c[at]].map(Num::acc)
                );
                all.iter().enumerate().for_each(|(k, v)| out[k * hidden + j] = T::from_acc(*v));
            }
        });
        Ok(())
    })
}

/// Returns the gradients of the four pre-activations and of the cell state.
fn lstm_gradients<T: Num<Acc = F>, F: Real>(x: &Lstm<F>, [dh, dc, c]: [F; 3]) -> [F; 5] {
    let one = F::of(1.0);
    let t = Elementary::tanh(rounded::<T>(x.state(c)));
    let s = dc + dh * x.o * (one - t * t);
    [
        s * x.g * (x.i * (one - x.i)),
        s * c * (x.f * (one - x.f)),
        s * x.i * (one - x.g * x.g),
        dh * t * (x.o * (one - x.o)),
        s * x.f,
    ]
}

/// The gates of a GRU after their activations, and `hidden`, the term of `n` that the reset gate multiplies.
struct Gru<F> {
    r: F,
    z: F,
    n: F,
    hidden: F,
}

impl<F: Real> Gru<F> {
    /// Computes the gates of element `j` from the rows of input and hidden pre-activations.
    fn of<T: Num<Acc = F>>(x: &[T], y: &[T], hidden: usize, j: usize) -> Self {
        let at = |row: &[T], k: usize| row[k * hidden + j].acc();
        let (r, z) = ((at(x, 0) + at(y, 0)).sigmoid(), (at(x, 1) + at(y, 1)).sigmoid());
        let behind = at(y, 2);
        Self { r, z, n: Elementary::tanh(at(x, 2) + r * behind), hidden: behind }
    }
    fn state(&self, h: F) -> F {
        self.n + self.z * (h - self.n)
    }
    /// Returns the gradients of the six pre-activations and of the state.
    fn gradients(&self, dh: F, h: F) -> [F; 7] {
        let (one, Self { r, z, n, hidden }) = (F::of(1.0), self);
        let dn = dh * (one - *z) * (one - *n * *n);
        let dr = dn * *hidden * (*r * (one - *r));
        let dz = dh * (h - *n) * (*z * (one - *z));
        [dr, dz, dn, dr, dz, dn * *r, dh * *z]
    }
}

pub fn gru_cell([x, y]: [Src<'_>; 2], h: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let hidden = h.1.dims().last().copied().unwrap_or(0);
    dispatch!(h.0.dtype(), "gru_cell", FLOAT => T {
        let mut hold = [const { None }; 3];
        let [hold_x, hold_y, hold_h] = &mut hold;
        let (x, y, h) = (row_major::<T>(x, hold_x)?, row_major::<T>(y, hold_y)?, row_major::<T>(h, hold_h)?);
        rows(dst::<T>(&mut out)?.0, hidden, |r, out| {
            let (x, y) = (&x[r * 3 * hidden..][..3 * hidden], &y[r * 3 * hidden..][..3 * hidden]);
            for (j, (out, h)) in out.iter_mut().zip(&h[r * hidden..][..hidden]).enumerate() {
                *out = T::from_acc(Gru::of(x, y, hidden, j).state(h.acc()));
            }
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
            let (x, y) = (&x[r * 3 * hidden..][..3 * hidden], &y[r * 3 * hidden..][..3 * hidden]);
            for j in 0..hidden {
                let at = r * hidden + j;
                let all = Gru::of(x, y, hidden, j).gradients(dh[at].acc(), h[at].acc());
                all.iter().enumerate().for_each(|(k, v)| out[k * hidden + j] = T::from_acc(*v));
            }
        });
        Ok(())
    })
}
