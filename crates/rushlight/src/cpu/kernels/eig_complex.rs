//! Eigenvalues and eigenvectors of complex matrices: Householder's reflections give Hessenberg's form, and the QR algorithm with
//! Wilkinson's shift the Schur form (Golub and Van Loan, Matrix Computations, 7.5; Wilkinson, The Algebraic Eigenvalue Problem, 8.36).
use super::complex::sqrt;
use super::eig::{Hessenberg, STEPS, STUCK, Schur, quotient, size};
use super::elementwise::{Dst, Src};
use super::linalg::{Number, each, last_two, written};
use super::reflections::{NARROW, Reflections, scale};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::Result;
use crate::cpu::scratch;
use crate::cpu::simd_isa::{self, Work};
use crate::ops::eig::Eig;
use num_complex::Complex;
use num_traits::Float;

/// Rows of a matrix whose columns are rotated together.
const PANEL: usize = 16;
/// Rotations that are kept before they are applied to the orthonormal factor.
const KEPT: usize = 1 << 15;

struct Room<T>
where
    Complex<T>: Scalar,
{
    rows: Vec<<Complex<T> as Scalar>::Row<NARROW>>,
    reflections: Reflections<Complex<T>>,
    sums: Vec<Complex<T>>,
    h: Vec<Complex<T>>,
    schur: Schur<T>,
    sweep: Sweeps<T>,
    /// Sweeps that are not applied to the factor yet.
    kept: Sweeps<T>,
    panel: Vec<[[T; PANEL]; 2]>,
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
}

/// Rotates two rows.
struct Rows<'a, T>(&'a mut [Complex<T>], &'a mut [Complex<T>], Rotation<T>);

impl<T: Number> Work for Rows<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Rotation { c, s } = self.2;
        for (x, z) in self.0.iter_mut().zip(self.1) {
            let re = c.mul_add(x.re, s.re.mul_add(z.re, -(s.im * z.im)));
            let im = c.mul_add(x.im, s.re.mul_add(z.im, s.im * z.re));
            z.re = c.mul_add(z.re, -s.re.mul_add(x.re, s.im * x.im));
            z.im = c.mul_add(z.im, -s.re.mul_add(x.im, -(s.im * x.re)));
            (x.re, x.im) = (re, im);
        }
    }
}

/// Sweeps of rotations of adjacent columns by the inverses: first column, and number of rotations.
struct Sweeps<T> {
    sweeps: Vec<(usize, usize)>,
    all: Vec<Rotation<T>>,
}

impl<T: Number> Sweeps<T> {
    const fn new() -> Self {
        Self { sweeps: Vec::new(), all: Vec::new() }
    }

    fn clear(&mut self) {
        self.sweeps.clear();
        self.all.clear();
    }

    /// Rotates the columns of a matrix with rows of `n` elements, and forgets the rotations.
    fn apply(&mut self, matrix: &mut [Complex<T>], n: usize, panel: &mut [[[T; PANEL]; 2]]) {
        let first = self.sweeps.iter().map(|s| s.0).min().unwrap_or(0);
        let end = self.sweeps.iter().map(|s| s.0 + s.1 + 1).max().unwrap_or(0);
        for part in matrix.chunks_mut(PANEL * n) {
            let columns = &mut panel[first..end];
            for (c, row) in part.chunks(n).enumerate() {
                for (to, x) in columns.iter_mut().zip(&row[first..end]) {
                    (to[0][c], to[1][c]) = (x.re, x.im);
                }
            }
            simd_isa::run(Columns { columns, first, all: self });
            for (c, row) in part.chunks_mut(n).enumerate() {
                for (to, x) in row[first..end].iter_mut().zip(&*columns) {
                    (to.re, to.im) = (x[0][c], x[1][c]);
                }
            }
        }
        self.clear();
    }
}

/// Rotates some elements of each column, from column `first` on.
struct Columns<'a, T> {
    columns: &'a mut [[[T; PANEL]; 2]],
    first: usize,
    all: &'a Sweeps<T>,
}

impl<T: Number> Work for Columns<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut all = &self.all.all[..];
        for &(first, count) in &self.all.sweeps {
            let (sweep, rest) = all.split_at(count);
            all = rest;
            let columns = &mut self.columns[first - self.first..][..=count];
            let [mut re, mut im] = columns[0];
            for (i, &Rotation { c, s }) in sweep.iter().enumerate() {
                let z = columns[i + 1];
                for l in 0..PANEL {
                    let (x, y, zr, zi) = (re[l], im[l], z[0][l], z[1][l]);
                    columns[i][0][l] = c.mul_add(x, s.re.mul_add(zr, s.im * zi));
                    columns[i][1][l] = c.mul_add(y, s.re.mul_add(zi, -(s.im * zr)));
                    re[l] = c.mul_add(zr, -s.re.mul_add(x, -(s.im * y)));
                    im[l] = c.mul_add(zi, -s.re.mul_add(y, s.im * x));
                }
            }
            columns[count] = [re, im];
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
            sweep: Sweeps::new(),
            kept: Sweeps::new(),
            panel: scratch::filled(n, [[T::zero(); PANEL]; 2])?,
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

    /// A step of the QR algorithm for rows `low..=high`. Without vectors the other rows and columns do not count.
    fn step(&mut self, n: usize, (low, high): (usize, usize), unusual: bool) -> Result<()> {
        let last = self.h[high * n + high];
        let shift = if unusual {
            last + Complex::new(T::of(0.75) * sum(self.h[high * n + high - 1]), T::zero())
        } else {
            self.shift(n, high)
        };
        let vectors = !self.schur.z.is_empty();
        let (top, right) = if vectors { (0, n) } else { (low, high + 1) };
        for k in low..=high {
            self.h[k * n + k] = self.h[k * n + k] - shift;
        }
        scratch::push(&mut self.sweep.sweeps, (low, high - low))?;
        for k in low..high {
            let (upper, lower) = self.h[k * n..(k + 2) * n].split_at_mut(n);
            let (rotation, r) = Rotation::new(upper[k], lower[k]);
            upper[k] = r;
            lower[k] = Complex::new(T::zero(), T::zero());
            simd_isa::run(Rows(&mut upper[k + 1..right], &mut lower[k + 1..right], rotation));
            scratch::push(&mut self.sweep.all, rotation)?;
        }
        if vectors {
            scratch::push(&mut self.kept.sweeps, (low, high - low))?;
            for rotation in &self.sweep.all {
                scratch::push(&mut self.kept.all, *rotation)?;
            }
            if self.kept.all.len() >= KEPT {
                self.kept.apply(&mut self.schur.z, n, &mut self.panel);
            }
        }
        self.sweep.apply(&mut self.h[top * n..(high + 1) * n], n, &mut self.panel);
        for k in low..=high {
            self.h[k * n + k] = self.h[k * n + k] + shift;
        }
        Ok(())
    }

    /// Makes the matrix triangular. Returns whether that succeeded.
    fn iterate(&mut self, n: usize) -> Result<bool> {
        let (mut high, mut steps, mut here) = (n - 1, 0, 0);
        self.kept.clear();
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
                return Ok(false);
            }
            self.step(n, (low, high), here % STUCK == 0)?;
        }
        self.kept.apply(&mut self.schur.z, n, &mut self.panel);
        Ok(true)
    }

    /// Writes the eigenvalues, and below them the eigenvectors if there is space.
    fn solve(&mut self, a: &[Complex<T>], n: usize, out: &mut [Complex<T>]) -> Result<()> {
        self.h.copy_from_slice(a);
        let Some(scale) = scale(&mut self.h) else {
            out.fill(Scalar::undefined());
            return Ok(());
        };
        let Self { h, reflections, sums, .. } = self;
        simd_isa::run(Hessenberg { h, n, reflections, sums });
        let (values, vectors) = out.split_at_mut(n);
        if !vectors.is_empty() {
            self.reflections.product(&mut self.rows, n, &mut self.schur.z);
        }
        if !self.iterate(n)? {
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
