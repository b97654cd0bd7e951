//! Eigenvalues and eigenvectors of general matrices: Householder's reflections give Hessenberg's form, and Francis's QR algorithm with
//! two shifts the real Schur form (Golub and Van Loan, Matrix Computations, 7.5), whose 2 x 2 blocks complex rotations make triangular.
use super::bulges::{PANEL, Reflection, Sweeps};
use super::eig_complex;
use super::elementwise::{Dst, Src};
use super::linalg::{Number, each, last_two, written};
use super::reflections::{NARROW, Reflections, scale};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{dispatch, scratch};
use crate::ops::eig::Eig;
use crate::{DType, Result};
use num_complex::Complex;
use num_traits::Float;
use std::ops::Range;

/// Steps of the iteration for each eigenvalue, after which it has failed. It needs about three.
pub(super) const STEPS: usize = 60;
/// Steps after which unusual shifts are tried.
pub(super) const STUCK: usize = 10;

struct Room<T> {
    h: Vec<T>,
    /// The orthonormal factor, if there are vectors.
    q: Vec<T>,
    rows: Vec<[T; NARROW]>,
    reflections: Reflections<T>,
    sums: Vec<T>,
    schur: Schur<T>,
    sweep: Sweeps<T>,
    /// Sweeps that are not applied to the factor yet.
    kept: Sweeps<T>,
    panel: Vec<[T; PANEL]>,
}

/// The complex Schur form: eigenvalues, and, if there are vectors, the triangular matrix and the orthonormal factor.
pub(super) struct Schur<T> {
    pub values: Vec<Complex<T>>,
    pub t: Vec<Complex<T>>,
    pub z: Vec<Complex<T>>,
}

/// The absolute value of a complex number.
pub(super) fn size<T: Number>(z: Complex<T>) -> T {
    let (a, b) = (Float::abs(z.re), Float::abs(z.im));
    let (most, least) = if a > b { (a, b) } else { (b, a) };
    if most == T::zero() {
        return most;
    }
    let t = least / most;
    most * Float::sqrt(t.mul_add(t, T::one()))
}

/// A quotient of complex numbers, by Smith's method.
pub(super) fn quotient<T: Number>(x: Complex<T>, y: Complex<T>) -> Complex<T> {
    if Float::abs(y.re) >= Float::abs(y.im) {
        let r = y.im / y.re;
        let t = y.re + y.im * r;
        return Complex::new((x.re + x.im * r) / t, (x.im - x.re * r) / t);
    }
    let r = y.re / y.im;
    let t = y.re * r + y.im;
    Complex::new((x.re * r + x.im) / t, (x.im * r - x.re) / t)
}

/// Makes a matrix zero below the elements under the diagonal, of which each is real then.
pub(super) struct Hessenberg<'a, S> {
    pub h: &'a mut [S],
    pub n: usize,
    pub reflections: &'a mut Reflections<S>,
    pub sums: &'a mut [S],
}

impl<S: Scalar> Work for Hessenberg<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { h, n, reflections, sums } = self;
        for k in 0..n.saturating_sub(2) {
            let beta = reflections.make(k, (k + 1..n).map(|i| h[i * n + k]));
            let (v, tau) = (reflections.vector(k), reflections.tau[k]);
            h[(k + 1) * n + k] = S::real(beta);
            for i in k + 2..n {
                h[i * n + k] = S::zero();
            }
            if tau == S::zero() {
                continue;
            }
            let sums = &mut sums[k + 1..];
            sums.fill(S::zero());
            for (row, &v) in h[(k + 1) * n..].chunks(n).zip(v) {
                sums.iter_mut().zip(&row[k + 1..]).for_each(|(sum, &x)| *sum = v.conj().fma(x, *sum));
            }
            sums.iter_mut().for_each(|sum| *sum = tau.conj() * *sum);
            for (row, &v) in h[(k + 1) * n..].chunks_mut(n).zip(v) {
                row[k + 1..].iter_mut().zip(&*sums).for_each(|(x, &sum)| *x = (-v).fma(sum, *x));
            }
            for row in h.chunks_mut(n) {
                let part = &mut row[k + 1..];
                let sum = tau * part.iter().zip(v).fold(S::zero(), |sum, (&x, &v)| v.fma(x, sum));
                part.iter_mut().zip(v).for_each(|(x, &v)| *x = (-v.conj()).fma(sum, *x));
            }
        }
    }
}

impl<T: Number> Schur<T> {
    pub fn new(n: usize, vectors: bool) -> Result<Self> {
        let zeros = |n| scratch::filled(n, Complex::new(T::zero(), T::zero()));
        let square = if vectors { n * n } else { 0 };
        Ok(Self { values: zeros(n)?, t: zeros(square)?, z: zeros(square)? })
    }

    /// Returns the number that counts as 0 beside numbers up to a size.
    pub fn small(most: T) -> T {
        T::epsilon() * most + T::min_positive_value() / T::epsilon()
    }

    /// Gives the elements of the eigenvector of value `k`, of norm 1, whose first largest element is positive.
    pub fn vector(
        &self,
        n: usize,
        k: usize,
        small: T,
        x: &mut [Complex<T>],
        mut put: impl FnMut(usize, Complex<T>),
    ) -> Result<()> {
        let (zero, one) = (Complex::new(T::zero(), T::zero()), Complex::new(T::one(), T::zero()));
        x.fill(zero);
        x[k] = one;
        let limit = T::one() / T::epsilon();
        for i in (0..k).rev() {
            let row = &self.t[i * n..(i + 1) * n];
            let sum = (i + 1..=k).fold(zero, |sum, j| sum + row[j] * x[j]);
            let mut gap = self.values[k] - row[i];
            if size(gap) < small {
                gap = Complex::new(small, T::zero());
            }
            x[i] = quotient(sum, gap);
            if size(x[i]) > limit {
                let by = T::one() / size(x[i]);
                x[i..=k].iter_mut().for_each(|x| *x = x.scale(by));
            }
        }
        let product = |i: usize| (0..=k).fold(zero, |sum, j| sum + self.z[i * n + j] * x[j]);
        let mut most = zero;
        let mut squares = T::zero();
        let all = scratch::collected(n, (0..n).map(|i| Result::Ok(product(i))))?;
        let largest = all.iter().fold(T::zero(), |most, y| if size(*y) > most { size(*y) } else { most });
        for y in &all {
            if size(*y) > size(most) {
                most = *y;
            }
            let y = y.unscale(largest);
            squares = squares + y.re * y.re + y.im * y.im;
        }
        let turn = most.conj().unscale(size(most)).unscale(largest * Float::sqrt(squares));
        all.iter().enumerate().for_each(|(i, y)| put(i, *y * turn));
        Ok(())
    }
}

impl<T: Number> Room<T> {
    fn new(n: usize, vectors: bool) -> Result<Self> {
        let zeros = |n| scratch::filled(n, T::zero());
        let square = if vectors { n * n } else { 0 };
        Ok(Self {
            h: zeros(n * n)?,
            q: zeros(square)?,
            rows: scratch::filled(if vectors { n } else { 0 }, [T::zero(); NARROW])?,
            reflections: Reflections::new(n, n.saturating_sub(2), 1)?,
            sums: zeros(n)?,
            schur: Schur::new(n, vectors)?,
            sweep: Sweeps::new(),
            kept: Sweeps::new(),
            panel: scratch::filled(n, [T::zero(); PANEL])?,
        })
    }

    /// Changes the rows of the matrix, and the columns of those rows that later reflections of the sweep read, by the reflection
    /// that makes `N` elements a multiple of a unit vector.
    fn reflect<const N: usize>(
        &mut self,
        n: usize,
        k: usize,
        v: [T; 3],
        columns: Range<usize>,
        end: usize,
    ) -> Result<()> {
        let reflection = Reflection::new(v, N);
        reflection.apply::<N>(&mut self.h, n, k, columns, k / PANEL * PANEL..end);
        if !self.q.is_empty() {
            self.kept.add(reflection)?;
        }
        self.sweep.add(reflection)
    }

    /// A step of the QR algorithm for rows `low..=high`, of which there are three at least. Without vectors the other rows and
    /// columns do not count.
    fn step(&mut self, n: usize, (low, high): (usize, usize), unusual: bool) -> Result<()> {
        let h = |i: usize, j: usize| self.h[i * n + j];
        let (a, b, c, d) = (h(high - 1, high - 1), h(high - 1, high), h(high, high - 1), h(high, high));
        let (first, beside, under) = (h(low, low), h(low, low + 1), h(low + 1, low));
        // The first column of the matrix minus both shifts, divided by a size, so that no product leaves the range.
        let (sum, by, top) = if unusual {
            let size = Float::abs(c) + Float::abs(h(high - 1, high - 2));
            let sum = T::of(1.5) * size;
            let by = Float::abs(first - sum) + size + Float::abs(under);
            (sum, by, first * ((first - sum) / by) + size * (size / by))
        } else {
            let by = Float::abs(first - d) + Float::abs(c) + Float::abs(under);
            (a + d, by, (first - a) * ((first - d) / by) - b * (c / by))
        };
        let under = under / by;
        let mut v =
            [top + beside * under, under * (first + h(low + 1, low + 1) - sum), under * h(low + 2, low + 1)];
        let vectors = !self.q.is_empty();
        let (top, right) = if vectors { (0, n) } else { (low, high + 1) };
        self.sweep.clear();
        self.sweep.begin(low)?;
        if vectors {
            self.kept.begin(low)?;
        }
        for k in low..high - 1 {
            let from = k.max(low + 1) - 1;
            self.reflect::<3>(n, k, v, from..right, (k + 4).min(high + 1))?;
            if k > low {
                self.h[(k + 1) * n + k - 1] = T::zero();
                self.h[(k + 2) * n + k - 1] = T::zero();
            }
            let under = |i: usize| if i <= high { self.h[i * n + k] } else { T::zero() };
            v = [under(k + 1), under(k + 2), under(k + 3)];
        }
        let k = high - 1;
        self.reflect::<2>(n, k, v, k - 1..right, high + 1)?;
        self.h[high * n + k - 1] = T::zero();
        self.sweep.apply_above(&mut self.h, n, top, &mut self.panel);
        if self.kept.full() {
            self.kept.apply(&mut self.q, n, &mut self.panel);
        }
        Ok(())
    }

    /// Finds the eigenvalues of the block of rows k and k + 1; makes it triangular if they are real.
    fn block(&mut self, n: usize, k: usize) {
        let h = |i: usize, j: usize| self.h[(k + i) * n + k + j];
        let (a, b, c, d) = (h(0, 0), h(0, 1), h(1, 0), h(1, 1));
        let half = (a - d) * T::of(0.5);
        let discriminant = half * half + b * c;
        let root = Float::sqrt(Float::abs(discriminant));
        if discriminant < T::zero() {
            let middle = d + half;
            self.schur.values[k] = Complex::new(middle, root);
            self.schur.values[k + 1] = Complex::new(middle, -root);
            return;
        }
        let z = half + Float::copysign(root, half);
        let one = d + z;
        let two = if z == T::zero() { d } else { d - b * c / z };
        // The rotation whose first column is the vector (z, c) of the value d + z.
        let size = size(Complex::new(z, c));
        if c != T::zero() && size != T::zero() {
            let (cos, sin) = (z / size, c / size);
            let turn = |x: &mut T, y: &mut T| (*x, *y) = (cos * *x + sin * *y, cos * *y - sin * *x);
            let (top, rest) = self.h[k * n..].split_at_mut(n);
            top.iter_mut().zip(rest).for_each(|(x, y)| turn(x, y));
            self.kept.apply(&mut self.q, n, &mut self.panel);
            let columns = |rows: &mut [T]| {
                for row in rows.chunks_mut(n) {
                    let (x, y) = row[k..].split_at_mut(1);
                    turn(&mut x[0], &mut y[0]);
                }
            };
            columns(&mut self.h[..(k + 2) * n]);
            columns(&mut self.q);
        }
        self.h[(k + 1) * n + k] = T::zero();
        self.schur.values[k] = Complex::new(one, T::zero());
        self.schur.values[k + 1] = Complex::new(two, T::zero());
    }

    /// Makes the matrix triangular but for 2 x 2 blocks of complex eigenvalues. Returns whether that succeeded.
    fn iterate(&mut self, n: usize) -> Result<bool> {
        self.kept.clear();
        let (mut end, mut steps, mut here) = (n, 0, 0);
        while end > 0 {
            let high = end - 1;
            let mut low = high;
            while low > 0 {
                let size = Float::abs(self.h[(low - 1) * (n + 1)]) + Float::abs(self.h[low * (n + 1)]);
                let under = &mut self.h[low * n + low - 1];
                if Float::abs(*under) <= T::epsilon() * size + T::min_positive_value() / T::epsilon() {
                    *under = T::zero();
                    break;
                }
                low -= 1;
            }
            if low == high {
                self.schur.values[high] = Complex::new(self.h[high * (n + 1)], T::zero());
                (end, here) = (high, 0);
            } else if low + 1 == high {
                self.block(n, low);
                (end, here) = (low, 0);
            } else {
                steps += 1;
                here += 1;
                if steps > STEPS * n {
                    return Ok(false);
                }
                self.step(n, (low, high), here % STUCK == 0)?;
            }
        }
        self.kept.apply(&mut self.q, n, &mut self.panel);
        Ok(true)
    }

    /// Makes the matrix triangular by complex rotations.
    fn triangular(&mut self, n: usize) {
        let complex = |x: &T| Complex::new(*x, T::zero());
        let Schur { values, t, z } = &mut self.schur;
        t.iter_mut().zip(&self.h).for_each(|(t, h)| *t = complex(h));
        z.iter_mut().zip(&self.q).for_each(|(z, q)| *z = complex(q));
        for k in 0..n.saturating_sub(1) {
            let under = t[(k + 1) * n + k];
            if values[k].im <= T::zero() || under.re == T::zero() {
                continue;
            }
            let mu = values[k] - t[(k + 1) * (n + 1)];
            let size = size(Complex::new(size(mu), under.re));
            let (c, s) = (mu.unscale(size), under.re / size);
            let (top, rest) = t[k * n..].split_at_mut(n);
            for (x, y) in top.iter_mut().zip(rest) {
                (*x, *y) = (c.conj() * *x + y.scale(s), c * *y - x.scale(s));
            }
            let columns = |rows: &mut [Complex<T>]| {
                for row in rows.chunks_mut(n) {
                    let (x, y) = (row[k], row[k + 1]);
                    (row[k], row[k + 1]) = (c * x + y.scale(s), c.conj() * y - x.scale(s));
                }
            };
            columns(&mut t[..(k + 2) * n]);
            columns(z);
            t[(k + 1) * n + k] = Complex::new(T::zero(), T::zero());
        }
    }

    /// Writes the eigenvalues, and below them the eigenvectors if there is space, as pairs of real and imaginary parts.
    fn solve(&mut self, a: &[T], n: usize, out: &mut [T]) -> Result<()> {
        self.h.copy_from_slice(a);
        let Some(scale) = scale(&mut self.h) else {
            out.fill(T::nan());
            return Ok(());
        };
        let Self { h, reflections, sums, .. } = self;
        simd_isa::run(Hessenberg { h, n, reflections, sums });
        if !self.q.is_empty() {
            self.reflections.product(&mut self.rows, n, &mut self.q);
        }
        if !self.iterate(n)? {
            out.fill(T::nan());
            return Ok(());
        }
        let (values, vectors) = out.split_at_mut(2 * n);
        for (to, value) in values.chunks_mut(2).zip(&self.schur.values) {
            to[0] = value.re * scale;
            to[1] = value.im * scale;
        }
        if vectors.is_empty() {
            return Ok(());
        }
        self.triangular(n);
        let most = self
            .h
            .iter()
            .fold(T::zero(), |most, x| if Float::abs(*x) > most { Float::abs(*x) } else { most });
        let small = Schur::small(most);
        let mut x = scratch::filled(n, Complex::new(T::zero(), T::zero()))?;
        for k in 0..n {
            if self.schur.values[k].im < T::zero() {
                // The conjugate of the last one.
                for i in 0..n {
                    let at = 2 * (i * n + k);
                    vectors[at] = vectors[at - 2];
                    vectors[at + 1] = -vectors[at - 1];
                }
            } else {
                let real = self.schur.values[k].im == T::zero();
                self.schur.vector(n, k, small, &mut x, |i, y| {
                    let at = 2 * (i * n + k);
                    vectors[at] = y.re;
                    vectors[at + 1] = if real { T::zero() } else { y.im };
                })?;
            }
        }
        Ok(())
    }
}

/// Writes the eigenvalues and eigenvectors of each matrix.
pub fn eig(c: &Eig, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    match x.0.dtype() {
        DType::C64 => eig_complex::eig::<f32>(c, x, out),
        DType::C128 => eig_complex::eig::<f64>(c, x, out),
        _ => of_real(c, x, out),
    }
}

fn of_real(c: &Eig, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (n, _) = last_two(&x);
    let all = if c.vectors { 2 * n + 2 * n * n } else { 2 * n };
    dispatch!(x.0.dtype(), "eig", (F32, F64) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        each((a, n * n), (out, all), 16 * n, || Room::<T>::new(n, c.vectors), |room, a, out| room.solve(a, n, out))
    })
}
