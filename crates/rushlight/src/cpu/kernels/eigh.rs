//! Eigenvalues and eigenvectors of symmetric and Hermitian matrices: Householder's reflections make the matrix tridiagonal, and the implicit QR
//! algorithm with Wilkinson's shift makes that diagonal (Golub and Van Loan, Matrix Computations, 8.3).
use super::elementwise::{Dst, Src};
use super::linalg::{Number, each, last_two, written};
use super::num::Arith;
use super::reflections::{Dot, NARROW, Reflections, WIDE, scale, wide};
use super::rotations::{Rotations, order, rotation, signs};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::Result;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{dispatch, scratch};
use crate::ops::eigh::Eigh;
use num_traits::{Float, Zero};

/// Steps of the iteration for each eigenvalue, after which it has failed. It needs about two.
const STEPS: usize = 50;
/// Rows of a matrix that are changed at a time.
const ROWS: usize = 4;

/// Changes rows by `row -= v[i] w + w[i] v` of the last reflection, with conjugates of v and w, and adds the products of the next one:
/// `p += next[i] row`, with the conjugate of next.
struct Update<'a, S> {
    rows: &'a mut [S],
    pitch: usize,
    /// The first column that counts.
    from: usize,
    last: (&'a [S], &'a [S]),
    next: &'a [S],
    p: &'a mut [S],
}

impl<S: Scalar> Update<'_, S> {
    #[inline(always)]
    fn some<const R: usize>(rows: [&mut [S]; R], at: usize, s: &mut Self) {
        let n = s.p.len();
        let mut parts = rows;
        for part in &mut parts {
            *part = &mut std::mem::take(part)[s.from..][..n];
        }
        let mut factors = [(S::zero(), S::zero(), S::zero()); R];
        for (r, factors) in factors.iter_mut().enumerate() {
            *factors = (-s.last.0[at + r], -s.last.1[at + r], s.next[at + r].conj());
        }
        let (v, w) = (&s.last.0[..n], &s.last.1[..n]);
        for j in 0..n {
            let (v, w) = (v[j].conj(), w[j].conj());
            let mut sum = s.p[j];
            for r in 0..R {
                let x = factors[r].1.fma(v, factors[r].0.fma(w, parts[r][j]));
                parts[r][j] = x;
                sum = factors[r].2.fma(x, sum);
            }
            s.p[j] = sum;
        }
    }
}

impl<S: Scalar> Work for Update<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let rows = std::mem::take(&mut self.rows);
        let pitch = self.pitch;
        let mut at = 0;
        for rows in rows.chunks_mut(ROWS * pitch) {
            if rows.len() == ROWS * pitch {
                let (first, last) = rows.split_at_mut(2 * pitch);
                let ((a, b), (c, d)) = (first.split_at_mut(pitch), last.split_at_mut(pitch));
                Self::some([a, b, c, d], at, &mut self);
            } else {
                for (r, row) in rows.chunks_mut(pitch).enumerate() {
                    Self::some([row], at + r, &mut self);
                }
            }
            at += ROWS;
        }
    }
}

/// A symmetric tridiagonal matrix: its diagonal and the elements beside it.
struct Tridiagonal<T> {
    d: Vec<T>,
    e: Vec<T>,
}

impl<T: Number> Tridiagonal<T> {
    /// Whether the element beside the diagonal in row `k` is a rounding error.
    fn negligible(&self, k: usize) -> bool {
        let bound = T::epsilon() * (Float::abs(self.d[k]) + Float::abs(self.d[k + 1]));
        Float::abs(self.e[k]) <= bound + T::min_positive_value() / T::epsilon()
    }

    /// A step of the QR algorithm for rows `low..=high`.
    fn step(&mut self, (low, high): (usize, usize), rotations: Option<&mut Rotations<T>>) -> Result<()> {
        let (d, e) = (&mut self.d, &mut self.e);
        let two = T::of(2.0);
        let beside = e[high - 1];
        let g = (d[high - 1] - d[high]) / (two * beside);
        let root = Float::sqrt(g.mul_add(g, T::one()));
        let shift = d[high] - beside / (g + Float::copysign(root, g));
        let (mut x, mut z) = (d[low] - shift, e[low]);
        let mut kept = rotations;
        if let Some(kept) = &mut kept {
            kept.begin(low)?;
        }
        for k in low..high {
            let (c, s, r) = rotation(x, z);
            if let Some(kept) = &mut kept {
                kept.add(c, s)?;
            }
            if k > low {
                e[k - 1] = r;
            }
            let t = (d[k + 1] - d[k]) * s + two * c * e[k];
            d[k] = d[k] + s * t;
            d[k + 1] = d[k + 1] - s * t;
            e[k] = c * t - e[k];
            x = e[k];
            if k + 1 < high {
                z = s * e[k + 1];
                e[k + 1] = c * e[k + 1];
            }
        }
        Ok(())
    }
}

struct Room<S: Scalar, const W: usize> {
    a: Vec<S>,
    rows: Vec<S::Row<W>>,
    reflections: Reflections<S>,
    /// w of the last reflection, and the products of the next one.
    w: Vec<S>,
    p: Vec<S>,
    t: Tridiagonal<S::Part>,
    rotations: Rotations<S::Part>,
}

impl<S: Scalar, const W: usize> Room<S, W> {
    fn new(n: usize, vectors: bool) -> Result<Self> {
        let zeros = |n| scratch::filled(n, S::zero());
        let parts = |n| scratch::filled(n, S::Part::zero());
        Ok(Self {
            a: zeros(n * n)?,
            rows: scratch::filled(if vectors { n } else { 0 }, S::row(|_| S::zero()))?,
            reflections: Reflections::new(n, n - 1, 1)?,
            w: zeros(n)?,
            p: zeros(n)?,
            t: Tridiagonal { d: parts(n)?, e: parts(n)? },
            rotations: Rotations::new(),
        })
    }

    /// Makes the matrix tridiagonal.
    fn reduce(&mut self, n: usize) {
        self.w.fill(S::zero());
        let Self { a, reflections, w, p, t, .. } = self;
        for k in 0..n {
            // Of the last reflection row k is changed first.
            let last = if k > 0 { reflections.vector(k - 1) } else { &w[..] };
            let (x, z) = (-last[0], -w[k]);
            for ((a, &v), &w) in a[k * n + k..(k + 1) * n].iter_mut().zip(last).zip(&w[k..]) {
                *a = z.fma(v.conj(), x.fma(w.conj(), *a));
            }
            t.d[k] = a[k * n + k].re();
            if k + 1 == n {
                break;
            }
            // The conjugate of the row is the column.
            t.e[k] = reflections.make(k, a[k * n + k + 1..(k + 1) * n].iter().map(|x| x.conj()));
            let zeros = &w[..];
            let last = if k > 0 { &reflections.vector(k - 1)[1..] } else { &zeros[1..] };
            let p = &mut p[..n - k - 1];
            p.fill(S::zero());
            let next = reflections.vector(k);
            let rows = &mut a[(k + 1) * n..];
            simd_isa::run(Update { rows, pitch: n, from: k + 1, last: (last, &w[k + 1..]), next, p });
            let tau = reflections.tau[k];
            p.iter_mut().for_each(|p| *p = tau * p.conj());
            let by = -tau.conj().scaled(S::Part::of(0.5)) * simd_isa::run(Dot(next, p));
            for ((w, &p), &v) in w[k + 1..].iter_mut().zip(&*p).zip(next) {
                *w = by.fma(v, p);
            }
        }
    }

    /// Writes the eigenvalues, and below them the eigenvectors if there is space; NaN if the iteration fails.
    fn solve(&mut self, a: &[S], n: usize, out: &mut [S]) -> Result<()> {
        let (values, q) = out.split_at_mut(n);
        self.a.copy_from_slice(a);
        // The lower triangle counts.
        for i in 0..n {
            self.a[i * n + i] = S::real(self.a[i * n + i].re());
            for j in i + 1..n {
                self.a[i * n + j] = self.a[j * n + i].conj();
            }
        }
        let Some(scale) = scale(&mut self.a) else {
            values.fill(S::undefined());
            q.fill(S::undefined());
            return Ok(());
        };
        self.reduce(n);
        let vectors = !q.is_empty();
        if vectors {
            self.reflections.product(&mut self.rows, n, q);
        }
        let (mut high, mut steps) = (n - 1, 0);
        while high > 0 {
            let mut low = high;
            while low > 0 && !self.t.negligible(low - 1) {
                low -= 1;
            }
            if low == high {
                high -= 1;
                continue;
            }
            steps += 1;
            if steps > STEPS * n {
                values.fill(S::undefined());
                q.fill(S::undefined());
                return Ok(());
            }
            self.t.step((low, high), vectors.then_some(&mut self.rotations))?;
            if self.rotations.full() {
                self.rotations.apply(q, n, n)?;
            }
        }
        let order = order(&self.t.d, false)?;
        values.iter_mut().zip(&order).for_each(|(to, &i)| *to = S::real(self.t.d[i] * scale));
        if vectors {
            self.rotations.apply(q, n, n)?;
            let signs = signs(q, n, n)?;
            for row in q.chunks_mut(n) {
                self.w.copy_from_slice(row);
                row.iter_mut().zip(&order).for_each(|(to, &i)| *to = self.w[i] * signs[i]);
            }
        }
        Ok(())
    }
}

/// Writes the eigenvalues and eigenvectors of each matrix.
pub fn eigh(c: &Eigh, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, _) = last_two(&x);
    let all = if c.vectors { n + n * n } else { n };
    dispatch!(x.0.dtype(), "eigh", (F32, F64, C64, C128) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        if wide::<T>(n) {
            each((a, n * n), (out, all), 4 * n, || Room::<T, WIDE>::new(n, c.vectors),
                |room, a, out| room.solve(a, n, out))
        } else {
            each((a, n * n), (out, all), 4 * n, || Room::<T, NARROW>::new(n, c.vectors),
                |room, a, out| room.solve(a, n, out))
        }
    })
}
