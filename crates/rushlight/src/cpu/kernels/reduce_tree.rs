//! The reduction tree of sums, means and products (docs/NUMERICS.md): its chunks, lanes and order.
use super::num::Arith;
use crate::cpu::simd_isa::{self, Work};

/// Number of elements of a chunk, a leaf of the tree.
pub(super) const CHUNK: usize = 1024;
/// Number of lanes of a chunk: lane l takes the elements l, l + 32, l + 64, ..
pub(in crate::cpu) const LANES: usize = 32;

/// A type of values of the tree.
pub trait TreeValue: Copy + Sync {
    /// Whether the operations on these values give the same results in any order, as those on integers do: sums and products
    /// wrap. Loops over them need no lanes.
    const ANY_ORDER: bool = false;
}
macro_rules! tree_value {
    ($any_order:literal: $($t:ty),*) => {$(
        impl TreeValue for $t {
            const ANY_ORDER: bool = $any_order;
        }
    )*};
}
tree_value!(true: u8, i8, u16, i16, u32, i32, u64, i64);
tree_value!(false: f32, f64, crate::C64, crate::C128);
impl<A: TreeValue, const K: usize> TreeValue for [A; K] {}

/// An operation of the tree on values of one type.
pub(super) trait TreeOp<C: Copy>: Sync {
    fn identity(&self) -> C;
    /// Reduces runs of `n` values, at most a chunk each, that follow one another: first into lanes, then by folding the
    /// lanes. `out` gets a value for each run.
    fn chunks(&self, values: &[C], n: usize, out: &mut [C]);
    /// Reduces at most a chunk of values.
    fn chunk(&self, values: &[C]) -> C {
        let mut out = [self.identity()];
        self.chunks(values, values.len(), &mut out);
        out[0]
    }
    /// Combines `n` rows of `width` adjacent columns, `step` elements apart, with the lanes: row `i` with lane
    /// `lane + i`.
    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize);
    /// Folds the lanes of all columns into lane 0.
    fn fold_columns(&self, lanes: &mut Lanes<C>);
    /// Combines `n` rows, `step` elements apart, one after the other with `sums`, which has their width.
    fn rows(&self, sums: &mut [C], rows: &[C], n: usize, step: usize);
    /// Whether results do not depend on the order ([`TreeValue::ANY_ORDER`]), so that no lanes are needed.
    fn any_order(&self) -> bool {
        false
    }
}

pub(super) type Lanes<C> = [[C; COLUMNS]; LANES];

/// Number of columns reduced together if the elements of adjacent outputs are adjacent in memory.
pub(super) const COLUMNS: usize = 32;

/// A [`TreeOp`] defined by its identity and a function that combines two values.
pub(super) struct Combine<C, F> {
    pub(super) identity: C,
    pub(super) combine: F,
}

impl<C: TreeValue, F: Fn(C, C) -> C + Sync> TreeOp<C> for Combine<C, F> {
    fn identity(&self) -> C {
        self.identity
    }

    fn chunks(&self, values: &[C], n: usize, out: &mut [C]) {
        // (With AVX-512 the compiler shuffles the lanes, and is slower.)
        simd_isa::run_small(Chunks { op: self, values, n, out });
    }

    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize) {
        simd_isa::run(Columns { op: self, lanes, lane, rows, n, step, width });
    }

    fn fold_columns(&self, lanes: &mut Lanes<C>) {
        simd_isa::run_small(FoldColumns { op: self, lanes });
    }

    fn rows(&self, sums: &mut [C], rows: &[C], n: usize, step: usize) {
        simd_isa::run(Rows { op: self, sums, rows, n, step });
    }

    fn any_order(&self) -> bool {
        C::ANY_ORDER
    }
}

/// The arguments of [`TreeOp::chunks`].
struct Chunks<'a, C, F> {
    op: &'a Combine<C, F>,
    values: &'a [C],
    n: usize,
    out: &'a mut [C],
}

impl<C: TreeValue, F: Fn(C, C) -> C> Work for Chunks<'_, C, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Chunks { op: Combine { identity, combine }, values, n, out } = self;
        if n == 1 {
            // The other lanes have the identity, which `fold` combines with the value.
            for (out, v) in out.iter_mut().zip(values) {
                let mut value = combine(*identity, *v);
                for _ in 0..LANES.ilog2() {
                    value = combine(value, *identity);
                }
                *out = value;
            }
        } else if C::ANY_ORDER {
            for (i, out) in out.iter_mut().enumerate() {
                *out = values[i * n..][..n].iter().fold(*identity, |all, v| combine(all, *v));
            }
        } else if out.len() >= FOLDED / 4 && n >= FOLDED_FROM {
            for (i, out) in out.chunks_mut(FOLDED).enumerate() {
                fold_many(
                    #[inline(always)]
                    |k| lanes(*identity, &values[(i * FOLDED + k) * n..][..n], combine),
                    out,
                    combine,
                );
            }
        } else if n >= FOLDED_FROM {
            for (i, out) in out.iter_mut().enumerate() {
                *out = fold(in_memory(lanes(*identity, &values[i * n..][..n], combine)), combine);
            }
        } else {
            for (i, out) in out.iter_mut().enumerate() {
                *out = fold(lanes(*identity, &values[i * n..][..n], combine), combine);
            }
        }
    }
}

/// Returns the lanes of a long run, stored: else the compiler may keep them in the small parts of vectors in which they are folded.
#[inline(always)]
fn in_memory<C: Copy>(lanes: [C; LANES]) -> [C; LANES] {
    *std::hint::black_box(&lanes)
}

/// Reduces at most a chunk of values into lanes.
#[inline(always)]
pub(super) fn lanes<C: Copy, V: Copy>(identity: C, values: &[V], combine: impl Fn(C, V) -> C) -> [C; LANES] {
    let mut lanes = [identity; LANES];
    let groups = values.chunks_exact(LANES);
    let rest = groups.remainder();
    for group in groups {
        for l in 0..LANES {
            lanes[l] = combine(lanes[l], group[l]);
        }
    }
    for (lane, &v) in lanes.iter_mut().zip(rest) {
        *lane = combine(*lane, v);
    }
    lanes
}

/// Number of chunks whose lanes are folded together, and the least number of their values. (Short chunks cost less alone.)
const FOLDED: usize = 16;
const FOLDED_FROM: usize = 128;
/// Lanes of a chunk that stay together: 4 f64 fill a vector of AVX2.
const PART: usize = 4;
const PARTS: usize = LANES / PART;

/// Folds the lanes of chunks 0, 1, .. into one value each, as [`fold`] does. (The compiler does not vectorize `fold` itself, whose
/// steps get short; here each step is a loop over the same lanes of all chunks.)
#[inline(always)]
fn fold_many<C: Copy>(lanes: impl Fn(usize) -> [C; LANES], out: &mut [C], combine: impl Fn(C, C) -> C) {
    let Some(&value) = out.first() else { return };
    let mut parts = [[value; FOLDED * PART]; PARTS];
    for k in 0..out.len() {
        let lanes = lanes(k);
        for (part, lanes) in parts.iter_mut().zip(lanes.as_chunks::<PART>().0) {
            part[k * PART..][..PART].copy_from_slice(lanes);
        }
    }
    let n = out.len() * PART;
    let mut half = PARTS / 2;
    while half > 0 {
        let (low, high) = parts.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(high) {
            for (low, high) in low[..n].iter_mut().zip(&high[..n]) {
                *low = combine(*low, *high);
            }
        }
        half /= 2;
    }
    for (out, [a, b, c, d]) in out.iter_mut().zip(parts[0].as_chunks::<PART>().0) {
        *out = combine(combine(*a, *c), combine(*b, *d));
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

impl<C: TreeValue, F: Fn(C, C) -> C> Work for Columns<'_, C, F> {
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
                // (Hiding the pointer keeps the compiler from masked stores of extremes, which are slow on AMD's processors.)
                *std::hint::black_box(lane) = sums;
            } else {
                for (acc, &v) in lane.iter_mut().zip(row) {
                    *acc = (self.op.combine)(*acc, v);
                }
            }
        }
    }
}

/// The arguments of [`TreeOp::rows`].
struct Rows<'a, C, F> {
    op: &'a Combine<C, F>,
    sums: &'a mut [C],
    rows: &'a [C],
    n: usize,
    step: usize,
}

impl<C: TreeValue, F: Fn(C, C) -> C> Work for Rows<'_, C, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        /// Rows that are combined while their sums are in registers.
        const TOGETHER: usize = 4;
        let Rows { op: Combine { combine, .. }, sums, rows, n, step } = self;
        let width = sums.len();
        let row = |i: usize| &rows[i * step..][..width];
        let whole = n - n % TOGETHER;
        for i in (0..whole).step_by(TOGETHER) {
            let (a, b, c, d) = (row(i), row(i + 1), row(i + 2), row(i + 3));
            for w in 0..width {
                sums[w] = combine(combine(combine(combine(sums[w], a[w]), b[w]), c[w]), d[w]);
            }
        }
        for i in whole..n {
            for (sum, v) in sums.iter_mut().zip(row(i)) {
                *sum = combine(*sum, *v);
            }
        }
    }
}

/// The arguments of [`TreeOp::fold_columns`].
struct FoldColumns<'a, C, F> {
    op: &'a Combine<C, F>,
    lanes: &'a mut Lanes<C>,
}

impl<C: TreeValue, F: Fn(C, C) -> C> Work for FoldColumns<'_, C, F> {
    type Output = ();
    /// Does what [`fold`] does, for all columns at once.
    #[inline(always)]
    fn run(self) {
        let mut half = LANES / 2;
        while half > 0 {
            let (low, high) = self.lanes.split_at_mut(half);
            for (low, high) in low.iter_mut().zip(high) {
                let mut all = *low;
                for c in 0..COLUMNS {
                    all[c] = (self.op.combine)(all[c], high[c]);
                }
                *low = all;
            }
            half /= 2;
        }
    }
}

/// Folds lanes to one value: combines lanes that are 16, 8, 4, 2 and 1 apart.
#[inline(always)]
pub(in crate::cpu) fn fold<C: Copy>(mut lanes: [C; LANES], combine: impl Fn(C, C) -> C) -> C {
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

/// Reduces values that follow one another.
pub(super) fn tree_values<C: Copy>(values: &[C], op: &dyn TreeOp<C>) -> C {
    let count = values.len().div_ceil(CHUNK);
    let (mut few, mut many);
    let room: &mut [C] = match count {
        0 | 1 => return op.chunk(values),
        _ if count <= LANES => {
            few = [op.identity(); LANES];
            &mut few
        }
        _ if count <= CHUNK => {
            many = [op.identity(); CHUNK];
            &mut many
        }
        _ => {
            let groups: Vec<C> = values.chunks(CHUNK * CHUNK).map(|group| tree_values(group, op)).collect();
            return tree_values(&groups, op);
        }
    };
    chunk_values(values, op, &mut room[..count]);
    op.chunk(&room[..count])
}

/// Reduces each chunk of values that follow one another.
pub(super) fn chunk_values<C: Copy>(values: &[C], op: &dyn TreeOp<C>, out: &mut [C]) {
    let whole = values.len() / CHUNK;
    op.chunks(values, CHUNK, &mut out[..whole]);
    if let Some(last) = out.get_mut(whole) {
        *last = op.chunk(&values[whole * CHUNK..]);
    }
}

/// Returns the sum of a slice by the tree, for kernels that sum computed values.
pub(super) fn sum<A: Arith>(values: &[A]) -> A {
    tree_values(values, &Combine { identity: A::ZERO, combine: A::add })
}

/// Returns the sum of products of two slices of one length by the tree.
pub(super) fn sum_of_products<A: Arith>(a: &[A], b: &[A]) -> A {
    let op = Combine { identity: A::ZERO, combine: A::add };
    tree(a.len(), &op, &mut |k| {
        let range = k * CHUNK..a.len().min((k + 1) * CHUNK);
        simd_isa::run_small(Products(&a[range.clone()], &b[range]))
    })
}

/// The sum of the products of two chunks.
struct Products<'a, A>(&'a [A], &'a [A]);

impl<A: Arith> Work for Products<'_, A> {
    type Output = A;
    #[inline(always)]
    fn run(self) -> A {
        // (The compiler keeps the lanes in registers for this form of the loops, and not for some others.)
        let n = self.0.len().min(self.1.len());
        let (a, b) = (&self.0[..n], &self.1[..n]);
        let mut lanes = [A::ZERO; LANES];
        let (groups_a, groups_b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
        let (rest_a, rest_b) = (groups_a.remainder(), groups_b.remainder());
        for (a, b) in groups_a.zip(groups_b) {
            for l in 0..LANES {
                lanes[l] = lanes[l].add(a[l].mul(b[l]));
            }
        }
        for ((lane, a), b) in lanes.iter_mut().zip(rest_a).zip(rest_b) {
            *lane = lane.add(a.mul(*b));
        }
        fold(lanes, A::add)
    }
}

/// Computes the sums of runs of `n` elements, at most a chunk each, that follow one another. `add` adds an element to a sum.
pub(super) fn sums_of_runs<A: Arith, V: Copy>(
    values: &[V],
    n: usize,
    add: impl Fn(A, V) -> A,
    out: &mut [A],
) {
    simd_isa::run(SumsOfRuns { values, n, add, out });
}

/// The arguments of [`sums_of_runs`].
struct SumsOfRuns<'a, A, V, F> {
    values: &'a [V],
    n: usize,
    add: F,
    out: &'a mut [A],
}

impl<A: Arith, V: Copy, F: Fn(A, V) -> A> Work for SumsOfRuns<'_, A, V, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for (k, out) in self.out.iter_mut().enumerate() {
            let lanes = lanes(A::ZERO, &self.values[k * self.n..][..self.n], &self.add);
            *out = fold(in_memory(lanes), A::add);
        }
    }
}

/// Returns the sums of the differences from a number and of their squares, each by the tree.
pub(super) fn moments<A: Arith>(values: &[A], mean: A) -> [A; 2] {
    pair_sums([values; 3], move |[v, _, _]| {
        let d = v.sub(mean);
        [d, d.mul(d)]
    })
}

/// Returns the sums of the two numbers that `f` computes from the elements of slices of one length, each by the tree.
pub(super) fn pair_sums<A: Arith>(values: [&[A]; 3], f: impl Fn([A; 3]) -> [A; 2] + Copy) -> [A; 2] {
    let n = values[0].len();
    let one = |at: usize| simd_isa::run_small(PairSums(values.map(|v| &v[at..n.min(at + CHUNK)]), f));
    if n <= CHUNK {
        return one(0);
    }
    let (first, second): (Vec<A>, Vec<A>) = (0..n).step_by(CHUNK).map(one).map(|[s, q]| (s, q)).unzip();
    [sum(&first), sum(&second)]
}

/// The two sums of a chunk.
struct PairSums<'a, A, F>([&'a [A]; 3], F);

impl<A: Arith, F: Fn([A; 3]) -> [A; 2]> Work for PairSums<'_, A, F> {
    type Output = [A; 2];
    #[inline(always)]
    fn run(self) -> [A; 2] {
        let mut lanes = [[A::ZERO; LANES]; 2];
        AddPairs { lanes: &mut lanes, at: 0, values: self.0, f: self.1 }.run();
        [fold(lanes[0], A::add), fold(lanes[1], A::add)]
    }
}

/// Adds the two numbers that `f` computes from the elements of slices of one length to the lanes of a chunk. The first element is
/// number `at` of the chunk.
pub(super) fn add_pairs<A: Arith>(
    lanes: &mut [[A; LANES]; 2],
    at: usize,
    values: [&[A]; 3],
    f: impl Fn([A; 3]) -> [A; 2],
) {
    simd_isa::run_small(AddPairs { lanes, at, values, f });
}

/// The arguments of [`add_pairs`].
struct AddPairs<'a, A, F> {
    lanes: &'a mut [[A; LANES]; 2],
    at: usize,
    values: [&'a [A]; 3],
    f: F,
}

impl<A: Arith, F: Fn([A; 3]) -> [A; 2]> Work for AddPairs<'_, A, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        // (The compiler keeps the lanes in registers for this form of the loops, and not for some others.)
        let n = self.values.iter().map(|v| v.len()).fold(usize::MAX, usize::min);
        let [mut first, mut second] = *self.lanes;
        // The elements before the next one of lane 0.
        let head = (self.at.wrapping_neg() % LANES).min(n);
        for i in 0..head {
            let [x, y] = (self.f)(self.values.map(|v| v[i]));
            let l = (self.at + i) % LANES;
            (first[l], second[l]) = (first[l].add(x), second[l].add(y));
        }
        let [a, b, c] = self.values.map(|v| v[head..n].chunks_exact(LANES));
        let rest = [a.remainder(), b.remainder(), c.remainder()];
        for ((a, b), c) in a.zip(b).zip(c) {
            for l in 0..LANES {
                let [x, y] = (self.f)([a[l], b[l], c[l]]);
                first[l] = first[l].add(x);
                second[l] = second[l].add(y);
            }
        }
        let [a, b, c] = rest;
        for (l, ((a, b), c)) in a.iter().zip(b).zip(c).enumerate() {
            let [x, y] = (self.f)([*a, *b, *c]);
            (first[l % LANES], second[l % LANES]) = (first[l % LANES].add(x), second[l % LANES].add(y));
        }
        *self.lanes = [first, second];
    }
}
