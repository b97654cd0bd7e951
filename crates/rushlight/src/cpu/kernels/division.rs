//! `remainder` and `floor_divide` of floats, whose loops vectorize where quotients are small.
//!
//! With n the whole number next to `x / y`, `r = x - n y` is exact: it is a multiple of the last place of x or y and smaller
//! than y. All of Python's results follow from n and r by one more rounding. Large quotients, infinities and NaN take the
//! functions of `num`.
use super::num::Arith;
use crate::cpu::map::Function;

/// A float type whose small quotients are found by one division.
pub trait Division: Arith + num_traits::Float {
    /// Returns whether [`Division::nearest`] is exact.
    fn is_near(self, o: Self) -> bool;
    /// Returns a whole number next to `self / o`, within the unit that it is rounded from, and `self - n o`.
    fn nearest(self, o: Self) -> (Self, Self);
    /// Whether a remainder is not zero and does not have the divisor's sign.
    #[inline(always)]
    fn has_other_sign(self, o: Self) -> bool {
        (self != Self::ZERO) & ((self < Self::ZERO) != (o < Self::ZERO))
    }
}

impl Division for f32 {
    #[inline(always)]
    fn is_near(self, o: f32) -> bool {
        ((self / o).abs() < 1_048_576.0) & (o.abs() < f32::INFINITY)
    }
    #[inline(always)]
    fn nearest(self, o: f32) -> (f32, f32) {
        let n = (self / o).round_ties_even();
        // A product of 24 and 20 bits.
        (n, (f64::from(self) - f64::from(n) * f64::from(o)) as f32)
    }
}

impl Division for f64 {
    #[inline(always)]
    fn is_near(self, o: f64) -> bool {
        // (The products below stay finite.)
        ((self / o).abs() < 16_777_216.0) & (self.abs() < 1e300) & (o.abs() < 1e300)
    }
    #[inline(always)]
    fn nearest(self, o: f64) -> (f64, f64) {
        let n = (self / o).round_ties_even();
        // The divisor in parts of 26 and 27 bits, whose products with n are exact.
        let upper = f64::from_bits(o.to_bits() & !0x7ff_ffff);
        (n, (self - n * upper) - n * (o - upper))
    }
}

/// The remainder, with the divisor's sign.
#[derive(Clone, Copy)]
pub struct Remainder;

impl<A: Division> Function<(A, A)> for Remainder {
    type Value = A;
    #[inline(always)]
    fn is_near(&self, (x, y): (A, A)) -> bool {
        x.is_near(y)
    }
    #[inline(always)]
    fn near(&self, (x, y): (A, A)) -> A {
        let (_, r) = x.nearest(y);
        let r = if r.has_other_sign(y) { r + y } else { r };
        if r == A::ZERO { A::ZERO.copysign(y) } else { r }
    }
    fn far(&self, (x, y): (A, A)) -> A {
        Arith::rem(x, y)
    }
}

/// The quotient, rounded down.
#[derive(Clone, Copy)]
pub struct FloorDivide;

impl<A: Division> Function<(A, A)> for FloorDivide {
    type Value = A;
    #[inline(always)]
    fn is_near(&self, (x, y): (A, A)) -> bool {
        x.is_near(y)
    }
    #[inline(always)]
    fn near(&self, (x, y): (A, A)) -> A {
        let (n, r) = x.nearest(y);
        let n = if r.has_other_sign(y) { n - A::ONE } else { n };
        if n == A::ZERO { A::ZERO.copysign(x / y) } else { n }
    }
    fn far(&self, (x, y): (A, A)) -> A {
        x.floor_div(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pairs whose quotients are whole, next to whole or arbitrary numbers, of all magnitudes.
    fn pairs() -> Vec<(f64, f64)> {
        let mut state = 1u64;
        let mut draw = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state >> 11
        };
        let mut found = Vec::new();
        for _ in 0..20_000 {
            let bits = |draw: u64, exponent: u64| {
                f64::from_bits((draw << 63) | ((823 + exponent % 400) << 52) | (draw >> 1))
            };
            let (y, any) = (bits(draw(), draw()), bits(draw(), draw()));
            let n = (draw() % 3_000_000) as f64 * 0.5;
            let x = y * n;
            let next = f64::from_bits(x.to_bits() ^ 1);
            found.extend([
                (any, y),
                (x, y),
                (next, y),
                (-x, y),
                (-next, y),
                (y, y * 1e9),
                (draw() as f64, n),
            ]);
        }
        found.extend([
            (0.0, 1.0),
            (-0.0, 1.0),
            (0.0, -1.0),
            (1.0, f64::INFINITY),
            (1.0, 0.0),
            (f64::NAN, 1.0),
        ]);
        found
    }

    fn compare<A: Division>(pairs: impl Iterator<Item = (A, A)>, bits: fn(A) -> u64) {
        let mut near = 0;
        for (x, y) in pairs.filter(|(x, y)| x.is_near(*y)) {
            near += 1;
            let pair = (x, y);
            let what = |of: &str| {
                format!("{of} of {:e} and {:e}", x.to_f64().unwrap_or(0.0), y.to_f64().unwrap_or(0.0))
            };
            assert_eq!(bits(Remainder.near(pair)), bits(Remainder.far(pair)), "{}", what("remainder"));
            assert_eq!(bits(FloorDivide.near(pair)), bits(FloorDivide.far(pair)), "{}", what("quotient"));
        }
        assert!(near > 20_000);
    }

    #[test]
    fn small_quotients_have_the_bits_of_the_exact_functions() {
        compare(pairs().into_iter(), f64::to_bits);
        compare(pairs().into_iter().map(|(x, y)| (x as f32, y as f32)), |v| u64::from(v.to_bits()));
    }
}
