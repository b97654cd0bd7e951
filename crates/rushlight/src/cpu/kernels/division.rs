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
