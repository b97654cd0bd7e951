//! Householder's reflections `x - tau v (v . x)`, which the factorizations of matrices consist of. Of complex numbers the sums
//! have the conjugate of v, and a factorization applies the conjugate of tau.
//!
//! Columns do not depend on each other: each element is changed by one fused multiply-add for each reflection, and its sums run
//! in the order of the rows, so that blocks of columns and threads do not change the bits.
use super::num::Arith;
use super::reduce_tree::{LANES, fold};
use super::scalar::Scalar;
use crate::Result;
use crate::cpu::scratch;
use crate::cpu::simd_isa::{self, Work};
use num_traits::{Float, One, Zero};

/// The largest factor by which the elements of a matrix may be larger or smaller than 1 without being scaled: 2^40.
const SAFE: f64 = 1_099_511_627_776.0;

/// Divides a matrix by its largest part if squares of such elements may leave the range. Returns the divisor, or `None` if an
/// element is infinite or NaN.
pub(super) fn scale<S: Scalar>(a: &mut [S]) -> Option<S::Part> {
    let (zero, one) = (S::Part::zero(), S::Part::one());
    let finite = a.iter().fold(true, |all, x| all & Float::is_finite(x.re()) & Float::is_finite(x.im()));
    let most = largest(a);
    let safe = S::Part::of(SAFE);
    let scale = if most == zero || (most <= safe && most * safe >= one) { one } else { most };
    a.iter_mut().for_each(|x| *x = x.over(scale));
    finite.then_some(scale)
}

/// Returns the largest magnitude of a part; those that are NaN are passed over.
fn largest<S: Scalar>(x: &[S]) -> S::Part {
    let mut most = S::Part::zero();
    for x in x {
        for size in [Float::abs(x.re()), Float::abs(x.im())] {
            most = if size > most { size } else { most };
        }
    }
    most
}

/// The sum of products of the first vector's conjugate and the second vector, in lanes as those of the reduction tree.
pub(super) struct Dot<'a, S>(pub &'a [S], pub &'a [S]);

impl<S: Scalar> Work for Dot<'_, S> {
    type Output = S;
    #[inline(always)]
    fn run(self) -> S {
        let mut lanes = [S::zero(); LANES];
        let (x, y) = (self.0.chunks_exact(LANES), self.1.chunks_exact(LANES));
        let rest = x.remainder().iter().zip(y.remainder());
        for (x, y) in x.zip(y) {
            for l in 0..LANES {
                lanes[l] = x[l].conj().fma(y[l], lanes[l]);
            }
        }
        for (lane, (x, y)) in lanes.iter_mut().zip(rest) {
            *lane = x.conj().fma(*y, *lane);
        }
        fold(lanes, |a, b| a + b)
    }
}

/// Replaces a vector x by the vector v, with first element 1, of the reflection that changes x to `beta`, a real number, times the
/// first unit vector. Returns tau, which is 0 where nothing changes, and beta. `room` has the length of x.
pub(super) fn make<S: Scalar>(x: &mut [S], room: &mut [S]) -> (S, S::Part) {
    let zero = S::Part::zero();
    let Some((&first, _)) = x.split_first() else { return (S::zero(), zero) };
    let scale = largest(x);
    let (mut tau, mut beta) = (S::zero(), first.re());
    if scale != zero {
        room.iter_mut().zip(&*x).for_each(|(to, &x)| *to = x.over(scale));
        let tail = simd_isa::run(Dot(&room[1..], &room[1..])).re();
        let y = room[0];
        if tail != zero || y.im() != zero {
            let tail = if S::PARTS == 1 { tail } else { y.im().mul_add(y.im(), tail) };
            let norm = Float::sqrt(y.re().mul_add(y.re(), tail));
            let signed = if y.re().is_sign_negative() { norm } else { -norm };
            tau = S::new((signed - y.re()) / signed, -y.im() / signed);
            beta = signed * scale;
            let divide = (y - S::real(signed)).divides();
            x.iter_mut().zip(&*room).for_each(|(x, &y)| *x = divide(y));
        }
    }
    if tau == S::zero() {
        x.fill(S::zero());
    }
    x[0] = S::one();
    (tau, beta)
}

/// Reflections: their vectors one after the other, each of `height` elements; that of reflection k begins at row `k + offset`.
pub(super) struct Reflections<S> {
    pub v: Vec<S>,
    pub tau: Vec<S>,
    pub height: usize,
    pub offset: usize,
    room: Vec<S>,
}

impl<S: Scalar> Reflections<S> {
    pub fn new(height: usize, count: usize, offset: usize) -> Result<Self> {
        Ok(Self {
            v: scratch::filled(height * count, S::zero())?,
            tau: scratch::filled(count, S::zero())?,
            height,
            offset,
            room: scratch::filled(height, S::zero())?,
        })
    }

    /// The vector of reflection `k`, from its first row on.
    pub fn vector(&self, k: usize) -> &[S] {
        &self.v[k * self.height + k + self.offset..(k + 1) * self.height]
    }

    /// Makes reflection `k` from a vector, the elements from its first row on, and returns beta.
    pub fn make(&mut self, k: usize, x: impl Iterator<Item = S>) -> S::Part {
        let v = &mut self.v[k * self.height + k + self.offset..(k + 1) * self.height];
        v.iter_mut().zip(x).for_each(|(to, x)| *to = x);
        let (tau, beta) = make(v, &mut self.room[..v.len()]);
        self.tau[k] = tau;
        beta
    }

    /// Changes a block of columns, `rows`, by the reflections `which`, in descending order, or by their inverses in ascending order.
    pub fn apply<const W: usize>(
        &self,
        rows: &mut [S::Row<W>],
        which: std::ops::Range<usize>,
        descending: bool,
    ) {
        simd_isa::run(Chain { rows, all: self, which, descending });
    }

    /// Writes the first `columns` columns of the product of all reflections, row-major.
    pub fn product<const W: usize>(&self, rows: &mut [S::Row<W>], columns: usize, out: &mut [S]) {
        for first in (0..columns).step_by(W) {
            let used = W.min(columns - first);
            for (i, row) in rows.iter_mut().enumerate() {
                *row = S::row(|c| if first + c == i { S::one() } else { S::zero() });
            }
            // Those that begin below the diagonal change nothing.
            self.apply(rows, 0..self.tau.len().min(first + used), true);
            for (row, to) in rows.iter().zip(out.chunks_mut(columns)) {
                to[first..first + used].iter_mut().enumerate().for_each(|(c, to)| *to = S::get(row, c));
            }
        }
    }
}

/// Applies reflections one after the other, each in the same pass that computes the sums of the next one.
struct Chain<'a, S: Scalar, const W: usize> {
    rows: &'a mut [S::Row<W>],
    all: &'a Reflections<S>,
    which: std::ops::Range<usize>,
    descending: bool,
}

impl<S: Scalar, const W: usize> Work for Chain<'_, S, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { rows, all, which, descending } = self;
        let (height, n) = (all.height, which.len());
        let mut last: Option<(usize, S::Row<W>)> = None;
        for i in 0..=n {
            // After the last reflection there is none whose sums are computed.
            let next = (i < n).then(|| if descending { which.end - 1 - i } else { which.start + i });
            if next.is_some_and(|k| all.tau[k] == S::zero()) {
                continue;
            }
            let mut sums = S::row(|_| S::zero());
            let next_at = next.map_or(height, |k| k + all.offset);
            let next_v = next.map_or(&[][..], |k| &all.v[k * height..][..height]);
            if let Some((k, changes)) = last {
                let at = k + all.offset;
                let v = &all.v[k * height..][..height];
                if next_at < at {
                    for (row, &v) in rows[next_at..at].iter().zip(&next_v[next_at..]) {
                        S::add_row(&mut sums, v.conj(), row);
                    }
                }
                for (row, &v) in rows[at..next_at.max(at)].iter_mut().zip(&v[at..]) {
                    S::add_row(row, -v, &changes);
                }
                if next.is_some() {
                    let from = next_at.max(at);
                    let both = v[from..].iter().zip(&next_v[from..]);
                    for (row, (&v, &next)) in rows[from..].iter_mut().zip(both) {
                        S::add_row(row, -v, &changes);
                        S::add_row(&mut sums, next.conj(), row);
                    }
                }
            } else if next.is_some() {
                for (row, &v) in rows[next_at..].iter().zip(&next_v[next_at..]) {
                    S::add_row(&mut sums, v.conj(), row);
                }
            }
            last = None;
            if let Some(k) = next {
                let tau = if descending { all.tau[k] } else { all.tau[k].conj() };
                last = Some((k, S::times_row(tau, &sums)));
            }
        }
    }
}

/// Columns of a block: four vectors of AVX2, so that the additions of a block of sums do not wait for each other.
pub(super) const WIDE: usize = 32;
pub(super) const NARROW: usize = 16;

/// Whether blocks of columns have the width `WIDE`.
pub(super) const fn wide<T>(columns: usize) -> bool {
    size_of::<T>() == 4 && columns > NARROW
}
