//! The QR factorization by Householder's reflections, a block of columns at a time.
use super::elementwise::{Dst, Src};
use super::linalg::{each, last_two, written};
use super::reflections::{NARROW, Reflections, WIDE, scale, wide};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::Result;
use crate::cpu::{dispatch, scratch};
use crate::ops::qr::Qr;

struct Room<S: Scalar, const W: usize> {
    a: Vec<S>,
    rows: Vec<S::Row<W>>,
    reflections: Reflections<S>,
}

impl<S: Scalar, const W: usize> Room<S, W> {
    fn new((m, n): (usize, usize)) -> Result<Self> {
        Ok(Self {
            a: scratch::filled(m * n, S::zero())?,
            rows: scratch::filled(m, S::row(|_| S::zero()))?,
            reflections: Reflections::new(m, m.min(n), 0)?,
        })
    }

    /// Writes Q, if it has columns, and R.
    fn factor(&mut self, c: &Qr, a: &[S], (m, n): (usize, usize), out: &mut [S]) -> Result<()> {
        let (columns, _) = c.mode.sizes(m, n);
        self.a.copy_from_slice(a);
        let Some(scale) = scale(&mut self.a) else {
            out.fill(S::undefined());
            return Ok(());
        };
        let (q, r) = out.split_at_mut(m * columns);
        for first in (0..n).step_by(W) {
            let used = W.min(n - first);
            for (row, a) in self.rows.iter_mut().zip(self.a.chunks(n)) {
                let a = &a[first..first + used];
                *row = S::row(|c| a.get(c).copied().unwrap_or(S::zero()));
            }
            let done = first.min(m);
            self.reflections.apply(&mut self.rows, 0..done, false);
            let mut diagonal = [S::zero(); W];
            for (column, beta) in diagonal.iter_mut().enumerate().take(used.min(m - done)) {
                let k = done + column;
                // (What this changes in the block's earlier columns lies below their diagonal.)
                let made = self.reflections.make(k, self.rows[k..].iter().map(|row| S::get(row, column)));
                *beta = S::real(made);
                self.reflections.apply(&mut self.rows, k..k + 1, false);
            }
            for (i, (row, to)) in self.rows.iter().zip(r.chunks_mut(n)).enumerate() {
                for (column, to) in to[first..first + used].iter_mut().enumerate() {
                    let x = if first + column == i { diagonal[column] } else { S::get(row, column) };
                    *to = if first + column >= i { x.scaled(scale) } else { S::zero() };
                }
            }
        }
        if columns > 0 {
            self.reflections.product(&mut self.rows, columns, q);
        }
        Ok(())
    }
}

/// Writes Q and R of each matrix.
pub fn qr(c: &Qr, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (m, n) = last_two(&x);
    let (columns, rows) = c.mode.sizes(m, n);
    let all = m * columns + rows * n;
    dispatch!(x.0.dtype(), "qr", (F32, F64, C64, C128) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        if n == 0 && columns > 0 {
            unit_matrices(out, columns);
            return Ok(());
        }
        if wide::<T>(n) {
            each((a, m * n), (out, all), m + columns, || Room::<T, WIDE>::new((m, n)),
                |room, a, out| room.factor(c, a, (m, n), out))
        } else {
            each((a, m * n), (out, all), m + columns, || Room::<T, NARROW>::new((m, n)),
                |room, a, out| room.factor(c, a, (m, n), out))
        }
    })
}

/// Writes unit matrices: what factors of matrices without columns or rows are.
pub(super) fn unit_matrices<T: Scalar>(out: &mut [T], n: usize) {
    for (i, to) in out.iter_mut().enumerate() {
        let at = i % (n * n);
        *to = if at / n == at % n { T::one() } else { T::zero() };
    }
}
