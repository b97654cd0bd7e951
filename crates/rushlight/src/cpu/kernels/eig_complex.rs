//! Eigenvalues and eigenvectors of complex matrices: Householder's reflections give Hessenberg's form, and the QR algorithm with
//! Wilkinson's shift the Schur form (Golub and Van Loan, Matrix Computations, 7.5; Wilkinson, The Algebraic Eigenvalue Problem, 8.36).
use super::complex::sqrt;
use super::eig::{STEPS, STUCK, Schur, hessenberg, quotient, size};
use super::elementwise::{Dst, Src};
use super::linalg::{Number, each, last_two, written};
use super::reflections::{NARROW, Reflections, scale};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::Result;
use crate::cpu::scratch;
use crate::ops::eig::Eig;
use num_complex::Complex;
use num_traits::Float;

struct Room<T>
where
    Complex<T>: Scalar,
{
    rows: Vec<<Complex<T> as Scalar>::Row<NARROW>>,
    reflections: Reflections<Complex<T>>,
    sums: Vec<Complex<T>>,
    h: Vec<Complex<T>>,
    schur: Schur<T>,
}

/// A rotation, which makes x and z to `c x + s z` and `c z - conj(s) x`.
#[derive(Clone, Copy)]
struct Rotation<T> {
    c: T,
    s: Complex<T>,
}

impl<T: Number> Rotation<T> {
    /// Returns the rotation that makes z zero, and what x becomes.
    fn new(x: Complex<T>, z: Complex<T>) -> (Self, Complex<T>) {
        let (a, b) = (size(x), size(z));
        if b == T::zero() {
            return (Self { c: T::one(), s: z }, x);
        }
        if a == T::zero() {
            return (Self { c: T::zero(), s: z.conj().unscale(b) }, Complex::new(b, T::zero()));
        }
        let all = size(Complex::new(a, b));
        let direction = x.unscale(a);
        (Self { c: a / all, s: direction * z.conj().unscale(all) }, direction.scale(all))
    }

    fn rows(self, upper: &mut [Complex<T>], lower: &mut [Complex<T>]) {
        for (x, z) in upper.iter_mut().zip(lower) {
            (*x, *z) = (x.scale(self.c) + self.s * *z, z.scale(self.c) - self.s.conj() * *x);
        }
    }

    /// Changes columns k and k + 1 by the inverse.
    fn columns(self, rows: &mut [Complex<T>], n: usize, k: usize) {
        for row in rows.chunks_mut(n) {
            let (x, z) = (row[k], row[k + 1]);
            row[k] = x.scale(self.c) + self.s.conj() * z;
            row[k + 1] = z.scale(self.c) - self.s * x;
        }
    }
}

/// The sum of the magnitudes of both parts.
fn sum<T: Number>(z: Complex<T>) -> T {
    Float::abs(z.re) + Float::abs(z.im)
}

impl<T: Number + super::complex::Part> Room<T>
where
    Complex<T>: Scalar<Part = T>,
{
    fn new(n: usize, vectors: bool) -> Result<Self> {
        let zero = Complex::new(T::zero(), T::zero());
        let rows = if vectors { n } else { 0 };
        Ok(Self {
            rows: scratch::filled(rows, <Complex<T> as Scalar>::row(|_| zero))?,
            reflections: Reflections::new(n, n.saturating_sub(2), 1)?,
            sums: scratch::filled(n, zero)?,
            h: scratch::filled(n * n, zero)?,
            schur: Schur::new(n, vectors)?,
        })
    }

    /// Returns the eigenvalue of the last two rows of a block that lies nearer to its last element.
    fn shift(&self, n: usize, high: usize) -> Complex<T> {
        let h = |i: usize, j: usize| self.h[(high - 1 + i) * n + high - 1 + j];
        let (a, d, product) = (h(0, 0), h(1, 1), h(0, 1) * h(1, 0));
        let half = (a - d).scale(T::of(0.5));
        let root = sqrt(half * half + product);
        let same = half.re * root.re + half.im * root.im >= T::zero();
        let sum = if same { half + root } else { half - root };
        if size(sum) == T::zero() { d } else { d - quotient(product, sum) }
    }

    /// A step of the QR algorithm for rows `low..=high`.
    fn step(&mut self, n: usize, (low, high): (usize, usize), unusual: bool) {
        let last = self.h[high * n + high];
        let shift = if unusual {
            last + Complex::new(T::of(0.75) * sum(self.h[high * n + high - 1]), T::zero())
        } else {
            self.shift(n, high)
        };
        let (mut x, mut z) = (self.h[low * n + low] - shift, self.h[(low + 1) * n + low]);
        for k in low..high {
            let (rotation, r) = Rotation::new(x, z);
            let (upper, lower) = self.h[k * n..(k + 2) * n].split_at_mut(n);
            if k > low {
                upper[k - 1] = r;
                lower[k - 1] = Complex::new(T::zero(), T::zero());
            }
            rotation.rows(&mut upper[k..], &mut lower[k..]);
            rotation.columns(&mut self.h[..(k + 3).min(high + 1) * n], n, k);
            rotation.columns(&mut self.schur.z, n, k);
            if k + 1 < high {
                (x, z) = (self.h[(k + 1) * n + k], self.h[(k + 2) * n + k]);
            }
        }
    }

    /// Makes the matrix triangular. Returns whether that succeeded.
    fn iterate(&mut self, n: usize) -> bool {
        let (mut high, mut steps, mut here) = (n - 1, 0, 0);
        while high > 0 {
            let mut low = high;
            while low > 0 {
                let beside = sum(self.h[(low - 1) * (n + 1)]) + sum(self.h[low * (n + 1)]);
                let under = &mut self.h[low * n + low - 1];
                if sum(*under) <= Schur::small(beside) {
                    *under = Complex::new(T::zero(), T::zero());
                    break;
                }
                low -= 1;
            }
            if low == high {
                (high, here) = (high - 1, 0);
                continue;
            }
            steps += 1;
            here += 1;
            if steps > STEPS * n {
                return false;
            }
            self.step(n, (low, high), here % STUCK == 0);
        }
        true
    }

    /// Writes the eigenvalues, and below them the eigenvectors if there is space.
    fn solve(&mut self, a: &[Complex<T>], n: usize, out: &mut [Complex<T>]) -> Result<()> {
        self.h.copy_from_slice(a);
        let Some(scale) = scale(&mut self.h) else {
            out.fill(Scalar::undefined());
            return Ok(());
        };
        hessenberg(&mut self.h, n, &mut self.reflections, &mut self.sums);
        let (values, vectors) = out.split_at_mut(n);
        if !vectors.is_empty() {
            self.reflections.product(&mut self.rows, n, &mut self.schur.z);
        }
        if !self.iterate(n) {
            values.fill(Scalar::undefined());
            vectors.fill(Scalar::undefined());
            return Ok(());
        }
        for (k, to) in values.iter_mut().enumerate() {
            self.schur.values[k] = self.h[k * (n + 1)];
            *to = self.schur.values[k].scale(scale);
        }
        if vectors.is_empty() {
            return Ok(());
        }
        self.schur.t.copy_from_slice(&self.h);
        let most = self.h.iter().fold(T::zero(), |most, x| if sum(*x) > most { sum(*x) } else { most });
        let small = Schur::small(most);
        let mut x = scratch::filled(n, Complex::new(T::zero(), T::zero()))?;
        for k in 0..n {
            self.schur.vector(n, k, small, &mut x, |i, y| vectors[i * n + k] = y)?;
        }
        Ok(())
    }
}

/// Writes the eigenvalues and eigenvectors of each matrix.
pub(super) fn eig<T: Number + super::complex::Part>(c: &Eig, x: Src<'_>, mut out: Dst<'_>) -> Result<()>
where
    Complex<T>: Scalar<Part = T>,
{
    let (n, _) = last_two(&x);
    let all = if c.vectors { n + n * n } else { n };
    let mut hold = None;
    let a: &[Complex<T>] = row_major(x, &mut hold)?;
    let out = written::<Complex<T>>(&mut out)?;
    each(
        (a, n * n),
        (out, all),
        16 * n,
        || Room::<T>::new(n, c.vectors),
        |room, a, out| room.solve(a, n, out),
    )
}
