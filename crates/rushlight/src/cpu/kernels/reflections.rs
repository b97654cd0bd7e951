//! Householder's reflections `x - tau v (v . x)`, which the factorizations of matrices consist of.
//!
//! Columns do not depend on each other: each element is changed by one fused multiply-add for each reflection, and its sums run
//! in the order of the rows, so that blocks of columns and threads do not change the bits.
use super::linalg::Number;
use super::reduce_tree::{LANES, fold};
use crate::Result;
use crate::cpu::scratch;
use crate::cpu::simd_isa::{self, Work};
use num_traits::Float;

/// The largest factor by which the elements of a matrix may be larger or smaller than 1 without being scaled: 2^40.
const SAFE: f64 = 1_099_511_627_776.0;

/// Divides a matrix by its largest magnitude if squares of such elements may leave the range. Returns the divisor, or `None` if an
/// element is infinite or NaN.
pub(super) fn scale<T: Number>(a: &mut [T]) -> Option<T> {
    let mut most = T::zero();
    let mut finite = true;
    for &x in &*a {
        let size = Float::abs(x);
        most = if size > most { size } else { most };
        finite &= Float::is_finite(x);
    }
    let safe = T::of(SAFE);
    let scale = if most == T::zero() || (most <= safe && most * safe >= T::one()) { T::one() } else { most };
    a.iter_mut().for_each(|x| *x = *x / scale);
    finite.then_some(scale)
}

/// The sum of products of two vectors, in lanes as those of the reduction tree.
pub(super) struct Dot<'a, T>(pub &'a [T], pub &'a [T]);

impl<T: Number> Work for Dot<'_, T> {
    type Output = T;
    #[inline(always)]
    fn run(self) -> T {
        let mut lanes = [T::zero(); LANES];
        let (x, y) = (self.0.chunks_exact(LANES), self.1.chunks_exact(LANES));
        let rest = x.remainder().iter().zip(y.remainder());
        for (x, y) in x.zip(y) {
            for l in 0..LANES {
                lanes[l] = x[l].mul_add(y[l], lanes[l]);
            }
        }
        for (lane, (x, y)) in lanes.iter_mut().zip(rest) {
            *lane = x.mul_add(*y, *lane);
        }
        fold(lanes, |a, b| a + b)
    }
}

/// Replaces a vector x by the vector v, with first element 1, of the reflection that changes x to `beta` times the first unit
/// vector. Returns tau, which is 0 where nothing changes, and beta. `room` has the length of x.
pub(super) fn make<T: Number>(x: &mut [T], room: &mut [T]) -> (T, T) {
    let Some((&first, _)) = x.split_first() else { return (T::zero(), T::zero()) };
    let mut scale = T::zero();
    for x in &*x {
        let size = Float::abs(*x);
        scale = if size > scale { size } else { scale };
    }
    let (mut tau, mut beta) = (T::zero(), first);
    if scale != T::zero() {
        room.iter_mut().zip(&*x).for_each(|(to, &x)| *to = x / scale);
        let tail = simd_isa::run(Dot(&room[1..], &room[1..]));
        if tail != T::zero() {
            let y = room[0];
            let norm = Float::sqrt(y.mul_add(y, tail));
            let signed = if y.is_sign_negative() { norm } else { -norm };
            tau = (signed - y) / signed;
            beta = signed * scale;
            let divisor = y - signed;
            x.iter_mut().zip(&*room).for_each(|(x, &y)| *x = y / divisor);
        }
    }
    if tau == T::zero() {
        x.fill(T::zero());
    }
    x[0] = T::one();
    (tau, beta)
}

/// Reflections: their vectors one after the other, each of `height` elements; that of reflection k begins at row `k + offset`.
pub(super) struct Reflections<T> {
    pub v: Vec<T>,
    pub tau: Vec<T>,
    pub height: usize,
    pub offset: usize,
    room: Vec<T>,
}

impl<T: Number> Reflections<T> {
    pub fn new(height: usize, count: usize, offset: usize) -> Result<Self> {
        Ok(Self {
            v: scratch::filled(height * count, T::zero())?,
            tau: scratch::filled(count, T::zero())?,
            height,
            offset,
            room: scratch::filled(height, T::zero())?,
        })
    }

    /// The vector of reflection `k`, from its first row on.
    pub fn vector(&self, k: usize) -> &[T] {
        &self.v[k * self.height + k + self.offset..(k + 1) * self.height]
    }

    /// Makes reflection `k` from a vector, the elements from its first row on, and returns beta.
    pub fn make(&mut self, k: usize, x: impl Iterator<Item = T>) -> T {
        let v = &mut self.v[k * self.height + k + self.offset..(k + 1) * self.height];
        v.iter_mut().zip(x).for_each(|(to, x)| *to = x);
        let (tau, beta) = make(v, &mut self.room[..v.len()]);
        self.tau[k] = tau;
        beta
    }

    /// Changes a block of columns, `rows`, by the reflections `which`, in ascending or descending order.
    pub fn apply<const W: usize>(
        &self,
        rows: &mut [[T; W]],
        which: std::ops::Range<usize>,
        descending: bool,
    ) {
        simd_isa::run(Chain { rows, all: self, which, descending });
    }

    /// Writes the first `columns` columns of the product of all reflections, row-major.
    pub fn product<const W: usize>(&self, rows: &mut [[T; W]], columns: usize, out: &mut [T]) {
        for first in (0..columns).step_by(W) {
            let used = W.min(columns - first);
            for (i, row) in rows.iter_mut().enumerate() {
                *row = std::array::from_fn(|c| if first + c == i { T::one() } else { T::zero() });
            }
            // Those that begin below the diagonal change nothing.
            self.apply(rows, 0..self.tau.len().min(first + used), true);
            for (row, to) in rows.iter().zip(out.chunks_mut(columns)) {
                to[first..first + used].copy_from_slice(&row[..used]);
            }
        }
    }
}

/// Applies reflections one after the other, each in the same pass that computes the sums of the next one.
struct Chain<'a, T, const W: usize> {
    rows: &'a mut [[T; W]],
    all: &'a Reflections<T>,
    which: std::ops::Range<usize>,
    descending: bool,
}

/// Adds a row times an element of v to sums.
#[inline(always)]
fn add<T: Number, const W: usize>(sums: &mut [T; W], v: T, row: &[T; W]) {
    for c in 0..W {
        sums[c] = v.mul_add(row[c], sums[c]);
    }
}

impl<T: Number, const W: usize> Work for Chain<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { rows, all, which, descending } = self;
        let (height, n) = (all.height, which.len());
        let mut last: Option<(usize, [T; W])> = None;
        for i in 0..=n {
            // After the last reflection there is none whose sums are computed.
            let next = (i < n).then(|| if descending { which.end - 1 - i } else { which.start + i });
            if next.is_some_and(|k| all.tau[k] == T::zero()) {
                continue;
            }
            let mut sums = [T::zero(); W];
            let next_at = next.map_or(height, |k| k + all.offset);
            let next_v = next.map_or(&[][..], |k| &all.v[k * height..][..height]);
            if let Some((k, changes)) = last {
                let at = k + all.offset;
                let v = &all.v[k * height..][..height];
                if next_at < at {
                    for (row, &v) in rows[next_at..at].iter().zip(&next_v[next_at..]) {
                        add(&mut sums, v, row);
                    }
                }
                for (row, &v) in rows[at..next_at.max(at)].iter_mut().zip(&v[at..]) {
                    add(row, -v, &changes);
                }
                if next.is_some() {
                    let from = next_at.max(at);
                    let both = v[from..].iter().zip(&next_v[from..]);
                    for (row, (&v, &next)) in rows[from..].iter_mut().zip(both) {
                        add(row, -v, &changes);
                        add(&mut sums, next, row);
                    }
                }
            } else if next.is_some() {
                for (row, &v) in rows[next_at..].iter().zip(&next_v[next_at..]) {
                    add(&mut sums, v, row);
                }
            }
            last = next.map(|k| (k, sums.map(|sum| all.tau[k] * sum)));
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
