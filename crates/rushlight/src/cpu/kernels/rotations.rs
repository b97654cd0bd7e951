//! Givens rotations, and the columns of factors that they change.
use super::linalg::Number;
use super::scalar::Scalar;
use crate::Result;
use crate::cpu::driver::{per_thread, try_chunks};
use crate::cpu::scratch;
use crate::cpu::simd_isa::{self, Work};
use num_traits::Float;

/// Columns that are rotated together, by type: four vectors of AVX2.
const WIDE: usize = 32;
const NARROW: usize = 16;
/// Rotations that are kept before they are applied.
const KEPT: usize = 1 << 16;

/// Returns c, s and r for which `c x + s z = r` and `c z - s x = 0`.
#[inline(always)]
pub(super) fn rotation<T: Number>(x: T, z: T) -> (T, T, T) {
    if z == T::zero() {
        return (T::one(), T::zero(), x);
    }
    if Float::abs(x) > Float::abs(z) {
        let t = z / x;
        let root = Float::sqrt(t.mul_add(t, T::one()));
        let c = T::one() / root;
        (c, t * c, x * root)
    } else {
        let t = x / z;
        let root = Float::sqrt(t.mul_add(t, T::one()));
        let s = T::one() / root;
        (t * s, s, z * root)
    }
}

/// Sweeps of rotations of adjacent columns, which are applied later: first column, and number of rotations.
pub(super) struct Rotations<T> {
    sweeps: Vec<(usize, usize)>,
    pairs: Vec<(T, T)>,
}

impl<T: Number> Rotations<T> {
    pub const fn new() -> Self {
        Self { sweeps: Vec::new(), pairs: Vec::new() }
    }

    /// Begins a sweep of rotations from a column on.
    pub fn begin(&mut self, column: usize) -> Result<()> {
        scratch::push(&mut self.sweeps, (column, 0))
    }

    /// Adds a rotation of the next two columns: x and z become `c x + s z` and `c z - s x`.
    pub fn add(&mut self, c: T, s: T) -> Result<()> {
        if let Some(last) = self.sweeps.last_mut() {
            last.1 += 1;
        }
        scratch::push(&mut self.pairs, (c, s))
    }

    /// Whether they should be applied before there are more.
    pub fn full(&self) -> bool {
        self.pairs.len() >= KEPT
    }

    /// Rotates the first `n` columns of a matrix, row-major, with rows of `width` elements, and forgets the rotations.
    pub fn apply<S: Scalar<Part = T>>(&mut self, matrix: &mut [S], n: usize, width: usize) -> Result<()> {
        if size_of::<T>() == 4 {
            self.panels::<S, WIDE>(matrix, n, width)?;
        } else {
            self.panels::<S, NARROW>(matrix, n, width)?;
        }
        self.sweeps.clear();
        self.pairs.clear();
        Ok(())
    }

    /// (Both parts of a complex number are rotated alike.)
    fn panels<S: Scalar<Part = T>, const W: usize>(
        &self,
        matrix: &mut [S],
        n: usize,
        width: usize,
    ) -> Result<()> {
        if self.pairs.is_empty() || width == 0 {
            return Ok(());
        }
        let rows = matrix.len() / width;
        let per = per_thread(rows, S::PARTS * self.pairs.len()).next_multiple_of(W);
        let half = W / S::PARTS;
        try_chunks(matrix, per * width, &|_, part: &mut [S]| {
            let mut columns = scratch::filled(n, [T::zero(); W])?;
            for part in part.chunks_mut(half * width) {
                for (c, row) in part.chunks(width).enumerate() {
                    for (to, x) in columns.iter_mut().zip(row) {
                        to[c] = x.re();
                        if S::PARTS == 2 {
                            to[half + c] = x.im();
                        }
                    }
                }
                simd_isa::run(Rotate { columns: &mut columns, all: self });
                for (c, row) in part.chunks_mut(width).enumerate() {
                    for (to, x) in row.iter_mut().zip(&columns) {
                        *to = S::new(x[c], x[(W - half + c) % W]);
                    }
                }
            }
            Ok(())
        })
    }
}

/// Applies rotations to some elements of each column.
struct Rotate<'a, T, const W: usize> {
    columns: &'a mut [[T; W]],
    all: &'a Rotations<T>,
}

impl<T: Number, const W: usize> Work for Rotate<'_, T, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut pairs = &self.all.pairs[..];
        for &(first, count) in &self.all.sweeps {
            let (sweep, rest) = pairs.split_at(count);
            pairs = rest;
            let columns = &mut self.columns[first..=first + count];
            let mut x = columns[0];
            for (i, &(c, s)) in sweep.iter().enumerate() {
                let z = columns[i + 1];
                for l in 0..W {
                    columns[i][l] = c.mul_add(x[l], s * z[l]);
                    x[l] = (-s).mul_add(x[l], c * z[l]);
                }
            }
            columns[count] = x;
        }
    }
}

/// Returns the order in which numbers ascend (descend); equal ones keep theirs.
pub(super) fn order<T: Number>(values: &[T], descending: bool) -> Result<Vec<usize>> {
    let mut order = scratch::filled(values.len(), 0)?;
    order.iter_mut().enumerate().for_each(|(i, to)| *to = i);
    order.sort_by(|&i, &j| {
        let (a, b) = if descending { (values[j], values[i]) } else { (values[i], values[j]) };
        a.partial_cmp(&b).unwrap_or(std::cmp::Ordering::Equal)
    });
    Ok(order)
}

/// Returns, for each of the first `n` columns of a matrix, the number by which the first of its largest elements becomes positive.
pub(super) fn signs<S: Scalar>(matrix: &[S], n: usize, width: usize) -> Result<Vec<S>> {
    let mut most = scratch::filled(n, S::zero())?;
    for row in matrix.chunks(width.max(1)) {
        for (most, &x) in most.iter_mut().zip(row) {
            *most = if x.size() > most.size() { x } else { *most };
        }
    }
    most.iter_mut().for_each(|x| *x = x.to_positive());
    Ok(most)
}
