//! `remainder` and `floor_divide` of floats, whose loops vectorize where quotients are small, and of I64 by way of F64.
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

/// 1.5 * 2^52. The sum with a whole number below 2^51 has that number in its low bits.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// Whether the quotient of two integers is found by a division in f64: both have fewer digits, so that a quotient that is not
/// whole is not rounded to a whole number.
#[inline(always)]
fn fits(x: i64, y: i64) -> bool {
    const LIMIT: i64 = 1 << 50;
    (x < LIMIT) & (x > -LIMIT) & (y < LIMIT) & (y > -LIMIT) & (y != 0)
}

/// Converts a whole number below 2^51. (AVX2 has no instruction for this.)
#[inline(always)]
fn to_f64(x: i64) -> f64 {
    f64::from_bits((x as u64).wrapping_add(WHOLE.to_bits())) - WHOLE
}

/// The inverse of [`to_f64`].
#[inline(always)]
fn to_i64(x: f64) -> i64 {
    (x + WHOLE).to_bits().wrapping_sub(WHOLE.to_bits()) as i64
}

impl Function<(i64, i64)> for Remainder {
    type Value = i64;
    #[inline(always)]
    fn is_near(&self, (x, y): (i64, i64)) -> bool {
        fits(x, y)
    }
    #[inline(always)]
    fn near(&self, (x, y): (i64, i64)) -> i64 {
        let (x, y) = (to_f64(x), to_f64(y));
        to_i64(x - (x / y).floor() * y)
    }
    fn far(&self, (x, y): (i64, i64)) -> i64 {
        Arith::rem(x, y)
    }
}

impl Function<(i64, i64)> for FloorDivide {
    type Value = i64;
    #[inline(always)]
    fn is_near(&self, (x, y): (i64, i64)) -> bool {
        fits(x, y)
    }
    #[inline(always)]
    fn near(&self, (x, y): (i64, i64)) -> i64 {
        to_i64((to_f64(x) / to_f64(y)).floor())
    }
    fn far(&self, (x, y): (i64, i64)) -> i64 {
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
    fn quotients_of_integers_have_the_results_of_integer_division() {
        let ends =
            [0, 1, 2, 3, 7, 10, 1 << 25, (1 << 25) + 1, (1 << 49) + 1, (1 << 50) - 1, 1 << 50, i64::MAX];
        let near = |v: i64| (-2..=2).map(move |d| v.wrapping_add(d));
        let all: Vec<i64> = ends.into_iter().flat_map(near).flat_map(|v| [v, v.wrapping_neg()]).collect();
        let products = all.iter().flat_map(|x| all.iter().map(|y| x.wrapping_mul(*y))).flat_map(near);
        let numbers: Vec<i64> = products.collect();
        for pair in numbers.iter().flat_map(|x| all.iter().map(move |y| (*x, *y))) {
            if Remainder.is_near(pair) {
                assert_eq!(Remainder.near(pair), Remainder.far(pair), "{pair:?}");
                assert_eq!(FloorDivide.near(pair), FloorDivide.far(pair), "{pair:?}");
            }
        }
    }

    #[test]
    fn small_quotients_have_the_bits_of_the_exact_functions() {
        compare(pairs().into_iter(), f64::to_bits);
        compare(pairs().into_iter().map(|(x, y)| (x as f32, y as f32)), |v| u64::from(v.to_bits()));
    }
}
