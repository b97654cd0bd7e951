//! The largest and smallest float numbers of chunks, in fewer instructions than [`Combine`] with `Arith::max` or `min` takes.
use super::reduce_tree::{Combine, LANES, Lanes, TreeOp, TreeValue, fold, lanes};
use crate::cpu::simd_isa::{self, Work};

/// A float type whose extremes [`Extreme`] finds.
pub(super) trait Ordered: TreeValue + PartialOrd + Default {
    /// Returns the largest number (with `MAX`) or the smallest, and whether one is NaN. In that case the number is any, and of zeros
    /// with both signs it is either.
    fn extreme<const MAX: bool>(values: &[Self]) -> (Self, bool);
}

impl Ordered for f32 {
    #[inline(always)]
    fn extreme<const MAX: bool>(values: &[Self]) -> (Self, bool) {
        // Numbers have the order of these integers, between the NaNs with and without a sign.
        let key = |bits: i32| bits ^ (bits >> 31 & 0x7fff_ffff);
        let bits = values.iter().map(|v| v.to_bits() as i32);
        // The other extreme is that of the bits, where the NaNs that do not show in the first are found.
        let (found, other) = if MAX {
            let both = |(m, o), b| (Ord::max(m, key(b)), Ord::max(o, b as u32));
            bits.fold((i32::MIN, 0), both)
        } else {
            let both = |(m, o), b| (Ord::min(m, key(b)), Ord::max(o, b));
            let (m, o) = bits.fold((i32::MAX, i32::MIN), both);
            (m, o as u32)
        };
        let found = f32::from_bits(key(found) as u32);
        (found, found.is_nan() || f32::from_bits(other).is_nan())
    }
}

impl Ordered for f64 {
    #[inline(always)]
    fn extreme<const MAX: bool>(values: &[Self]) -> (Self, bool) {
        // (AVX2 does not compare integers of 64 bits in one instruction.)
        const WIDTH: usize = 16;
        let better = |a: f64, b: f64| if (MAX && b > a) || (!MAX && b < a) { b } else { a };
        let least = if MAX { f64::NEG_INFINITY } else { f64::INFINITY };
        let (groups, rest) = values.as_chunks::<WIDTH>();
        let (mut best, mut nan) = ([least; WIDTH], [0u64; WIDTH]);
        for group in groups {
            for l in 0..WIDTH {
                best[l] = better(best[l], group[l]);
                nan[l] |= if group[l].is_nan() { u64::MAX } else { 0 };
            }
        }
        let found = best.iter().chain(rest).fold(least, |a, b| better(a, *b));
        let nan = nan.iter().fold(0, |any, lane| any | lane) != 0;
        (found, rest.iter().fold(nan, |any, v| any | v.is_nan()))
    }
}

/// The largest number (`MAX`) or the smallest, NaN if one is. Results have the bits of `exact`, which decides between several NaNs
/// and between zeros with both signs.
pub(super) struct Extreme<C, F, const MAX: bool> {
    pub(super) exact: Combine<C, F>,
}

impl<C: Ordered, F: Fn(C, C) -> C + Sync, const MAX: bool> TreeOp<C> for Extreme<C, F, MAX> {
    fn identity(&self) -> C {
        self.exact.identity
    }

    fn chunks(&self, values: &[C], n: usize, out: &mut [C]) {
        // Of short runs, several are reduced together.
        if n < 2 * LANES {
            return self.exact.chunks(values, n, out);
        }
        simd_isa::run_small(Chunks::<_, _, MAX> { exact: &self.exact, values, n, out });
    }

    fn columns(&self, lanes: &mut Lanes<C>, lane: usize, rows: &[C], n: usize, step: usize, width: usize) {
        self.exact.columns(lanes, lane, rows, n, step, width);
    }

    fn fold_columns(&self, lanes: &mut Lanes<C>) {
        self.exact.fold_columns(lanes);
    }

    fn rows(&self, sums: &mut [C], rows: &[C], n: usize, step: usize) {
        self.exact.rows(sums, rows, n, step);
    }
}

/// The arguments of [`TreeOp::chunks`].
struct Chunks<'a, C, F, const MAX: bool> {
    exact: &'a Combine<C, F>,
    values: &'a [C],
    n: usize,
    out: &'a mut [C],
}

impl<C: Ordered, F: Fn(C, C) -> C, const MAX: bool> Work for Chunks<'_, C, F, MAX> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Combine { identity, combine } = self.exact;
        for (out, values) in self.out.iter_mut().zip(self.values.chunks_exact(self.n)) {
            let (found, nan) = C::extreme::<MAX>(values);
            *out = if nan || found == C::default() {
                fold(lanes(*identity, values, combine), combine)
            } else {
                found
            };
        }
    }
}
