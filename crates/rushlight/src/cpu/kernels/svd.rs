//! Singular values and vectors: Householder's reflections make the matrix bidiagonal, and the implicit QR algorithm makes that
//! diagonal (Golub and Van Loan, Matrix Computations, 8.6; Demmel and Kahan, Accurate singular values of bidiagonal matrices, 1990,
//! for the sweep without a shift).
use super::elementwise::{Dst, Src};
use super::linalg::{Number, each, last_two, written};
use super::num::Arith;
use super::qr::unit_matrices;
use super::reflections::{Dot, NARROW, Reflections, WIDE, scale, wide};
use super::rotations::{Rotations, order, rotation, signs};
use super::scalar::Scalar;
use super::softmax::row_major;
use crate::Result;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{dispatch, scratch};
use crate::ops::svd::{Svd, SvdMode};
use num_traits::{Float, Zero};

/// Sweeps of the iteration for each singular value, after which it has failed. It needs about two.
const SWEEPS: usize = 60;
/// Rows of a matrix that are added at a time.
const ROWS: usize = 4;

/// Adds rows times numbers: `sums += v[i] row`, with the conjugate of v.
struct Products<'a, S> {
    rows: &'a [S],
    pitch: usize,
    from: usize,
    v: &'a [S],
    sums: &'a mut [S],
}

impl<S: Scalar> Products<'_, S> {
    #[inline(always)]
    fn some<const R: usize>(rows: &[S], pitch: usize, from: usize, v: &[S], sums: &mut [S]) {
        let n = sums.len();
        // (`array::from_fn` would call a function compiled without the level's instructions.)
        let mut parts: [&[S]; R] = [&[]; R];
        for r in 0..R {
            parts[r] = &rows[r * pitch + from..][..n];
        }
        for j in 0..n {
            let mut sum = sums[j];
            for r in 0..R {
                sum = v[r].conj().fma(parts[r][j], sum);
            }
            sums[j] = sum;
        }
    }
}

impl<S: Scalar> Work for Products<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let pitch = self.pitch;
        for (rows, v) in self.rows.chunks(ROWS * pitch).zip(self.v.chunks(ROWS)) {
            if v.len() == ROWS {
                Self::some::<ROWS>(rows, pitch, self.from, v, self.sums);
            } else {
                for (row, v) in rows.chunks(pitch).zip(v.chunks(1)) {
                    Self::some::<1>(row, pitch, self.from, v, self.sums);
                }
            }
        }
    }
}

/// Changes rows by a reflection from the left, whose factors are `v` and `t`, and then by one from the right, of
/// which `right` is the conjugate of the vector.
struct FromBothSides<'a, S> {
    rows: &'a mut [S],
    pitch: usize,
    from: usize,
    v: &'a [S],
    t: &'a [S],
    right: &'a [S],
    tau: S,
}

impl<S: Scalar> Work for FromBothSides<'_, S> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (row, &v) in self.rows.chunks_mut(self.pitch).zip(self.v) {
            let row = &mut row[self.from..];
            for (x, &t) in row.iter_mut().zip(self.t) {
                *x = (-v).fma(t, *x);
            }
            let by = -(self.tau * Dot(self.right, row).run());
            for (x, &u) in row.iter_mut().zip(self.right) {
                *x = by.fma(u, *x);
            }
        }
    }
}

/// Returns the smaller singular value of the upper triangular matrix with the diagonal `f`, `h` and `g` above it (LAPACK's `las2`).
fn smaller<T: Number>(f: T, g: T, h: T) -> T {
    let (f, g, h) = (Float::abs(f), Float::abs(g), Float::abs(h));
    let (low, high) = if f < h { (f, h) } else { (h, f) };
    if low == T::zero() {
        return T::zero();
    }
    let (one, two) = (T::one(), T::of(2.0));
    let (sum, difference) = (one + low / high, (high - low) / high);
    if g < high {
        let u = (g / high) * (g / high);
        return low * (two / (Float::sqrt(sum * sum + u) + Float::sqrt(difference * difference + u)));
    }
    let u = high / g;
    if u == T::zero() {
        return low * high / g;
    }
    let (a, b) = (sum * u, difference * u);
    two * (low * (one / (Float::sqrt(one + a * a) + Float::sqrt(one + b * b)))) * u
}

/// Rotations of the columns of both factors.
struct Kept<T> {
    left: Rotations<T>,
    right: Rotations<T>,
}

/// A bidiagonal matrix: its diagonal and the elements right of it.
struct Bidiagonal<T> {
    d: Vec<T>,
    e: Vec<T>,
}

impl<T: Number> Bidiagonal<T> {
    /// Whether the element right of the diagonal in row `k` is a rounding error.
    fn negligible(&self, k: usize) -> bool {
        let bound = T::epsilon() * (Float::abs(self.d[k]) + Float::abs(self.d[k + 1]));
        Float::abs(self.e[k]) <= bound + T::min_positive_value() / T::epsilon()
    }

    /// A sweep for rows `low..=high`.
    fn sweep(&mut self, (low, high): (usize, usize), tiny: T, kept: &mut Option<Kept<T>>) -> Result<()> {
        if let Some(kept) = kept {
            kept.left.begin(low)?;
            kept.right.begin(low)?;
        }
        let (d, e) = (&mut self.d, &mut self.e);
        let singular = d[low..=high].iter().any(|d| Float::abs(*d) <= tiny);
        let shift = if singular { T::zero() } else { smaller(d[high - 1], e[high - 1], d[high]) };
        let ratio = if singular { T::zero() } else { shift / d[low] };
        let mut note = |right: (T, T), left: (T, T)| -> Result<()> {
            let Some(kept) = kept else { return Ok(()) };
            kept.right.add(right.0, right.1)?;
            kept.left.add(left.0, left.1)
        };
        if ratio * ratio <= T::epsilon() {
            let (mut c, mut old_c, mut old_s) = (T::one(), T::one(), T::zero());
            for k in low..high {
                let (s, r);
                (c, s, r) = rotation(d[k] * c, e[k]);
                if k > low {
                    e[k - 1] = old_s * r;
                }
                (old_c, old_s, d[k]) = rotation(old_c * r, d[k + 1] * s);
                note((c, s), (old_c, old_s))?;
            }
            let h = d[high] * c;
            d[high] = h * old_c;
            e[high - 1] = h * old_s;
            return Ok(());
        }
        let size = Float::abs(d[low]);
        let mut f = (size - shift) * (Float::copysign(T::one(), d[low]) + shift / d[low]);
        let mut g = e[low];
        for k in low..high {
            let (c, s, r) = rotation(f, g);
            if k > low {
                e[k - 1] = r;
            }
            f = c * d[k] + s * e[k];
            e[k] = c * e[k] - s * d[k];
            g = s * d[k + 1];
            d[k + 1] = c * d[k + 1];
            let right = (c, s);
            let (c, s, r) = rotation(f, g);
            d[k] = r;
            f = c * e[k] + s * d[k + 1];
            d[k + 1] = c * d[k + 1] - s * e[k];
            if k + 1 < high {
                g = s * e[k + 1];
                e[k + 1] = c * e[k + 1];
            }
            note(right, (c, s))?;
        }
        e[high - 1] = f;
        Ok(())
    }
}

/// Buffers for matrices of `m` rows and `n` columns, of which there are not more.
struct Room<S: Scalar, const W: usize> {
    a: Vec<S>,
    rows: Vec<S::Row<W>>,
    left: Reflections<S>,
    right: Reflections<S>,
    /// Products with a vector, and the conjugate of the other one.
    sums: (Vec<S>, Vec<S>),
    b: Bidiagonal<S::Part>,
    /// The factors of A = left B right^T.
    factors: (Vec<S>, Vec<S>),
    columns: usize,
}

impl<S: Scalar, const W: usize> Room<S, W> {
    fn new((m, n): (usize, usize), mode: SvdMode) -> Result<Self> {
        let zeros = |n| scratch::filled(n, S::zero());
        let parts = |n| scratch::filled(n, S::Part::zero());
        let columns = match mode {
            SvdMode::Values => 0,
            SvdMode::Reduced => n,
            SvdMode::Full => m,
        };
        let square = if columns > 0 { n * n } else { 0 };
        Ok(Self {
            a: zeros(m * n)?,
            rows: scratch::filled(if columns > 0 { m } else { 0 }, S::row(|_| S::zero()))?,
            left: Reflections::new(m, n, 0)?,
            right: Reflections::new(n, n - 1, 1)?,
            sums: (zeros(n)?, zeros(n)?),
            b: Bidiagonal { d: parts(n)?, e: parts(n)? },
            factors: (zeros(m * columns)?, zeros(square)?),
            columns,
        })
    }

    /// Makes the matrix bidiagonal.
    fn reduce(&mut self, (m, n): (usize, usize)) {
        let Self { a, left, right, sums, b, .. } = self;
        for k in 0..n {
            b.d[k] = left.make(k, (k..m).map(|i| a[i * n + k]));
            if k + 1 == n {
                break;
            }
            let (v, tau, from) = (left.vector(k), left.tau[k], k + 1);
            let (sums, turned) = (&mut sums.0[..n - from], &mut sums.1[..n - from]);
            sums.fill(S::zero());
            simd_isa::run(Products { rows: &a[k * n..], pitch: n, from, v, sums });
            sums.iter_mut().for_each(|sum| *sum = tau.conj() * *sum);
            let (top, rows) = a[k * n..].split_at_mut(n);
            top[from..].iter_mut().zip(&*sums).for_each(|(x, &t)| *x = *x - t);
            b.e[k] = right.make(k, top[from..].iter().map(|x| x.conj()));
            let tau = right.tau[k];
            turned.iter_mut().zip(right.vector(k)).for_each(|(to, u)| *to = u.conj());
            simd_isa::run(FromBothSides { rows, pitch: n, from, v: &v[1..], t: sums, right: turned, tau });
        }
    }

    /// Makes the bidiagonal matrix diagonal. Returns whether that succeeded.
    fn iterate(&mut self, (m, n): (usize, usize)) -> Result<bool> {
        let vectors = self.columns > 0;
        let mut kept = vectors.then(|| Kept { left: Rotations::new(), right: Rotations::new() });
        let width = self.columns;
        let (left, right) = (&mut self.factors.0, &mut self.factors.1);
        let mut apply = |kept: &mut Option<Kept<S::Part>>, all: bool| -> Result<()> {
            let Some(kept) = kept else { return Ok(()) };
            if all || kept.left.full() {
                kept.left.apply(left, n, width)?;
                kept.right.apply(right, n, n)?;
            }
            Ok(())
        };
        let size = self.b.d.iter().chain(&self.b.e).fold(S::Part::zero(), |most, &x| {
            let size = Float::abs(x);
            if size > most { size } else { most }
        });
        let tiny = size * S::Part::epsilon() * S::Part::of(0.125);
        let (mut high, mut sweeps) = (n - 1, 0);
        while high > 0 {
            let mut low = high;
            while low > 0 && !self.b.negligible(low - 1) {
                low -= 1;
            }
            if low == high {
                high -= 1;
                continue;
            }
            sweeps += 1;
            if sweeps > SWEEPS * m.min(n) {
                return Ok(false);
            }
            self.b.sweep((low, high), tiny, &mut kept)?;
            apply(&mut kept, false)?;
        }
        apply(&mut kept, true)?;
        Ok(true)
    }

    /// Writes singular values, and then U and V^T if there is space; NaN if the iteration fails. `(m, n)` are the sizes of the
    /// matrix, which is transposed and conjugated if it has more columns than rows.
    fn solve(&mut self, a: &[S], (m, n): (usize, usize), out: &mut [S]) -> Result<()> {
        let turned = m < n;
        let (long, short) = if turned { (n, m) } else { (m, n) };
        if turned {
            for (i, row) in a.chunks(n).enumerate() {
                row.iter().enumerate().for_each(|(j, &x)| self.a[j * m + i] = x.conj());
            }
        } else {
            self.a.copy_from_slice(a);
        }
        let Some(scale) = scale(&mut self.a) else {
            out.fill(S::undefined());
            return Ok(());
        };
        self.reduce((long, short));
        if self.columns > 0 {
            self.left.product(&mut self.rows, self.columns, &mut self.factors.0);
            self.right.product(&mut self.rows[..short], short, &mut self.factors.1);
        }
        if !self.iterate((long, short))? {
            out.fill(S::undefined());
            return Ok(());
        }
        let d = &self.b.d;
        let mut sizes = scratch::copied(d)?;
        sizes.iter_mut().for_each(|d| *d = Float::abs(*d));
        let order = order(&sizes, true)?;
        let (values, out) = out.split_at_mut(short);
        values.iter_mut().zip(&order).for_each(|(to, &i)| *to = S::real(sizes[i] * scale));
        if self.columns == 0 {
            return Ok(());
        }
        let wide = self.columns;
        let (u, v) = (&self.factors.0, &self.factors.1);
        let signs = if turned { signs(v, short, short)? } else { signs(u, short, wide)? };
        // The factor whose largest elements are positive is U; the other one has the signs of the values, too.
        let other = |i: usize| if d[i] < S::Part::zero() { -signs[i] } else { signs[i] };
        let own = |i: usize| signs[i];
        let (long_out, short_out);
        if turned {
            (short_out, long_out) = out.split_at_mut(short * short);
            columns(v, short, short, &order, own, short_out);
            rows(u, long, wide, &order, other, long_out);
        } else {
            (long_out, short_out) = out.split_at_mut(long * wide);
            columns(u, long, wide, &order, own, long_out);
            rows(v, short, short, &order, other, short_out);
        }
        Ok(())
    }
}

/// Writes a matrix `[m, width]` with its first columns in another order, times their signs.
fn columns<S: Scalar>(
    from: &[S],
    m: usize,
    width: usize,
    order: &[usize],
    sign: impl Fn(usize) -> S,
    out: &mut [S],
) {
    for (to, row) in out.chunks_mut(width).zip(from.chunks(width)).take(m) {
        to.iter_mut().zip(order).for_each(|(to, &i)| *to = row[i] * sign(i));
        to[order.len()..].copy_from_slice(&row[order.len()..]);
    }
}

/// Same as `columns`, transposed and conjugated.
fn rows<S: Scalar>(
    from: &[S],
    m: usize,
    width: usize,
    order: &[usize],
    sign: impl Fn(usize) -> S,
    out: &mut [S],
) {
    for (k, to) in out.chunks_mut(m).enumerate() {
        let (i, sign) = order.get(k).map_or((k, S::one()), |&i| (i, sign(i)));
        to.iter_mut().enumerate().for_each(|(j, to)| *to = (from[j * width + i] * sign).conj());
    }
}

/// Writes the singular values and vectors of each matrix.
pub fn svd(c: &Svd, x: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    let (m, n) = last_two(&x);
    let (columns, rows) = c.mode.sizes(m, n);
    let all = m.min(n) + m * columns + rows * n;
    let sizes = (m.max(n), m.min(n));
    dispatch!(x.0.dtype(), "svd", (F32, F64, C64, C128) => T {
        let mut hold = None;
        let a: &[T] = row_major(x, &mut hold)?;
        let out = written::<T>(&mut out)?;
        if sizes.1 == 0 {
            unit_matrices(out, columns.max(rows));
            return Ok(());
        }
        let cost = 4 * sizes.0;
        if wide::<T>(sizes.1) {
            each((a, m * n), (out, all), cost, || Room::<T, WIDE>::new(sizes, c.mode),
                |room, a, out| room.solve(a, (m, n), out))
        } else {
            each((a, m * n), (out, all), cost, || Room::<T, NARROW>::new(sizes, c.mode),
                |room, a, out| room.solve(a, (m, n), out))
        }
    })
}
