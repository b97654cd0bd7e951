//! The reduction tree of sums, means and products (docs/NUMERICS.md): its chunks, lanes and order.
use super::num::Arith;

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
        let mut lanes = [self.identity; LANES];
        let groups = values.chunks_exact(LANES);
        let rest = groups.remainder();
        for group in groups {
            for l in 0..LANES {
                lanes[l] = (self.combine)(lanes[l], group[l]);
            }
        }
        for (lane, &v) in lanes.iter_mut().zip(rest) {
            *lane = (self.combine)(*lane, v);
        }
        fold(lanes, &self.combine)
    }

    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize) {
        for i in 0..n {
            let lane = &mut lanes[(lane + i) % LANES];
            for (acc, &v) in lane.iter_mut().zip(&rows[i * step..][..width]) {
                *acc = (self.combine)(*acc, v);
            }
        }
    }

    fn column(&self, lanes: &Lanes<C>, column: usize) -> C {
        fold(std::array::from_fn(|l| lanes[l][column]), &self.combine)
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

/// Returns the sum of `value(0..n)` by the tree.
pub(super) fn sum_of<A: Arith>(n: usize, value: impl Fn(usize) -> A) -> A {
    let op = Combine { identity: A::ZERO, combine: A::add };
    tree(n, &op, &mut |k| {
        let mut values = [A::ZERO; CHUNK];
        let range = k * CHUNK..n.min((k + 1) * CHUNK);
        let values = &mut values[..range.len()];
        values.iter_mut().zip(range).for_each(|(v, i)| *v = value(i));
        op.chunk(values)
    })
}
