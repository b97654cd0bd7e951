//! The reduction tree of sums, means and products (docs/NUMERICS.md): its chunks, lanes and order.
use super::num::Arith;
use crate::cpu::map::slice_combine;
use crate::cpu::simd_isa::{self, Work};

/// Number of elements of a chunk, a leaf of the tree.
pub(super) const CHUNK: usize = 1024;
/// Number of lanes of a chunk: lane l takes the elements l, l + 32, l + 64, ..
pub(super) const LANES: usize = 32;

/// An operation of the tree on values of one type.
pub(super) trait TreeOp<C>: Sync {
    fn identity(&self) -> C;
    /// Reduces at most a chunk of values: first into lanes, then by folding the lanes.
    fn chunk(&self, values: &[C]) -> C;
    /// Combines `n` rows of `width` adjacent columns, `step` elements apart, with the lanes: row `i` with lane
    /// `lane + i`.
    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize);
    /// Folds the lanes of a column.
    fn column(&self, lanes: &Lanes<C>, column: usize) -> C;
}

pub(super) type Lanes<C> = [[C; COLUMNS]; LANES];

/// Number of columns reduced together if the elements of adjacent outputs are adjacent in memory.
pub(super) const COLUMNS: usize = 32;

/// A [`TreeOp`] defined by its identity and a function that combines two values.
pub(super) struct Combine<C, F> {
    pub(super) identity: C,
    pub(super) combine: F,
}

impl<C: Copy + Sync, F: Fn(C, C) -> C + Sync> TreeOp<C> for Combine<C, F> {
    fn identity(&self) -> C {
        self.identity
    }

    fn chunk(&self, values: &[C]) -> C {
        simd_isa::run(Chunk { op: self, values })
    }

    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize) {
        simd_isa::run(Columns { op: self, lanes, lane, rows, n, step, width });
    }

    fn column(&self, lanes: &Lanes<C>, column: usize) -> C {
        fold(std::array::from_fn(|l| lanes[l][column]), &self.combine)
    }
}

/// The arguments of [`TreeOp::chunk`].
struct Chunk<'a, C, F> {
    op: &'a Combine<C, F>,
    values: &'a [C],
}

impl<C: Copy, F: Fn(C, C) -> C> Work for Chunk<'_, C, F> {
    type Output = C;
    #[inline(always)]
    fn run(self) -> C {
        let combine = &self.op.combine;
        let mut lanes = [self.op.identity; LANES];
        let groups = self.values.chunks_exact(LANES);
        let rest = groups.remainder();
        for group in groups {
            for l in 0..LANES {
                lanes[l] = combine(lanes[l], group[l]);
            }
        }
        for (lane, &v) in lanes.iter_mut().zip(rest) {
            *lane = combine(*lane, v);
        }
        fold(lanes, combine)
    }
}

/// The arguments of [`TreeOp::columns`].
struct Columns<'a, C, F> {
    op: &'a Combine<C, F>,
    lanes: &'a mut Lanes<C>,
    lane: usize,
    rows: &'a [C],
    n: usize,
    step: usize,
    width: usize,
}

impl<C: Copy, F: Fn(C, C) -> C> Work for Columns<'_, C, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for i in 0..self.n {
            let lane = &mut self.lanes[(self.lane + i) % LANES];
            let row = &self.rows[i * self.step..][..self.width];
            if let Ok(row) = <&[C; COLUMNS]>::try_from(row) {
                // A constant width, and a copy that does not overlap the rows, for the compiler.
                let mut sums = *lane;
                for c in 0..COLUMNS {
                    sums[c] = (self.op.combine)(sums[c], row[c]);
                }
                *lane = sums;
            } else {
                for (acc, &v) in lane.iter_mut().zip(row) {
                    *acc = (self.op.combine)(*acc, v);
                }
            }
        }
    }
}

/// Folds lanes to one value: combines lanes that are 16, 8, 4, 2 and 1 apart.
#[inline(always)]
pub(super) fn fold<C: Copy>(mut lanes: [C; LANES], combine: impl Fn(C, C) -> C) -> C {
    let mut half = LANES / 2;
    while half > 0 {
        for l in 0..half {
            lanes[l] = combine(lanes[l], lanes[l + half]);
        }
        half /= 2;
    }
    lanes[0]
}

/// Reduces a sequence of `n` values, whose chunks `chunk(k)` reduces. The chunks' values are reduced in chunks in turn,
/// until one value is left.
pub(super) fn tree<C: Copy>(n: usize, op: &dyn TreeOp<C>, chunk: &mut dyn FnMut(usize) -> C) -> C {
    let count = n.div_ceil(CHUNK);
    match count {
        0 => op.identity(),
        1 => chunk(0),
        _ if count <= CHUNK => group(0, count, op, chunk),
        _ => {
            // For a long sequence, only one value for each chunk of chunks is stored.
            let values: Vec<C> = (0..count.div_ceil(CHUNK)).map(|g| group(g, count, op, chunk)).collect();
            tree_values(&values, op)
        }
    }
}

/// Reduces group `g` of the values of `count` chunks; a group has as many values as a chunk.
pub(super) fn group<C: Copy>(
    g: usize,
    count: usize,
    op: &dyn TreeOp<C>,
    chunk: &mut dyn FnMut(usize) -> C,
) -> C {
    let mut values = [op.identity(); CHUNK];
    let range = g * CHUNK..count.min((g + 1) * CHUNK);
    let values = &mut values[..range.len()];
    values.iter_mut().zip(range).for_each(|(v, k)| *v = chunk(k));
    op.chunk(values)
}

/// Reduces `n` copies of one value in O(log n) steps: on each level of the tree, all chunks but the last have the same
/// value.
pub(super) fn repeated<C: Copy>(n: usize, value: C, op: &dyn TreeOp<C>) -> C {
    // The sequence consists of `n` copies of `value`, followed by `last`.
    let (mut n, mut value, mut last) = (n, value, None);
    let chunk = |n: usize, value: C, last: Option<C>| {
        let mut values = [value; CHUNK];
        if let Some(last) = last {
            values[n] = last;
        }
        op.chunk(&values[..n + usize::from(last.is_some())])
    };
    while n + usize::from(last.is_some()) > CHUNK {
        let rest = n % CHUNK;
        last = (rest > 0 || last.is_some()).then(|| chunk(rest, value, last));
        (n, value) = (n / CHUNK, chunk(CHUNK, value, None));
    }
    chunk(n, value, last)
}

pub(super) fn tree_values<C: Copy>(values: &[C], op: &dyn TreeOp<C>) -> C {
    tree(values.len(), op, &mut |k| op.chunk(&values[k * CHUNK..values.len().min((k + 1) * CHUNK)]))
}

/// Returns the sum of a slice by the tree, for kernels that sum computed values.
pub(super) fn sum<A: Arith>(values: &[A]) -> A {
    tree_values(values, &Combine { identity: A::ZERO, combine: A::add })
}

/// Returns the sum of products of two slices by the tree.
pub(super) fn sum_of_products<A: Arith>(a: &[A], b: &[A]) -> A {
    let op = Combine { identity: A::ZERO, combine: A::add };
    tree(a.len(), &op, &mut |k| {
        let mut values = [A::ZERO; CHUNK];
        let range = k * CHUNK..a.len().min((k + 1) * CHUNK);
        let values = &mut values[..range.len()];
        values.copy_from_slice(&a[range.clone()]);
        slice_combine(values, &b[range], A::mul);
        op.chunk(values)
    })
}
