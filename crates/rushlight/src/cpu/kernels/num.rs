//! Arithmetic of element types: what an op computes in, and how it rounds back.
use super::reduce_tree::TreeValue;
use crate::Element;
use crate::cpu::elementary::{self, Elementary};
use crate::cpu::elementary_f64;
use crate::cpu::map::slice1;
use crate::cpu::simd_half;
use crate::cpu::{elementary_f64_pow, elementary_inverse};
use crate::dtype::{bf16_from_f32, f16_from_f32, f16_to_f32};
use half::{bf16, f16};

/// A type arithmetic is done in: integers (wrapping), f32 and f64.
pub trait Arith: TreeValue + PartialOrd + Send + Default + 'static {
    const ZERO: Self;
    const ONE: Self;
    fn add(self, o: Self) -> Self;
    fn sub(self, o: Self) -> Self;
    fn mul(self, o: Self) -> Self;
    /// Integers: truncated, 0 when dividing by 0.
    fn div(self, o: Self) -> Self;
    /// Remainder with the divisor's sign (Python's `%`); integers: 0 when dividing by 0.
    fn rem(self, o: Self) -> Self;
    /// Quotient rounded down (Python's `//`); integers: 0 when dividing by 0.
    fn floor_div(self, o: Self) -> Self;
    fn pow(self, o: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    fn is_nan(self) -> bool;
    /// Whether the number is negative, or -0.
    fn sign_bit(self) -> bool;
    /// A constant.
    fn of(v: f64) -> Self;
    /// The larger; NaN if either is.
    #[inline(always)]
    fn max(self, o: Self) -> Self {
        if (self < o) | o.is_nan() { o } else { self }
    }
    /// The smaller; NaN if either is.
    #[inline(always)]
    fn min(self, o: Self) -> Self {
        if (self > o) | o.is_nan() { o } else { self }
    }
}

macro_rules! int_arith {
    ($signed:literal: $($t:ty),*) => {$(
        #[allow(unused_comparisons)]
        impl Arith for $t {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            #[inline(always)]
            fn add(self, o: Self) -> Self { self.wrapping_add(o) }
            #[inline(always)]
            fn sub(self, o: Self) -> Self { self.wrapping_sub(o) }
            #[inline(always)]
            fn mul(self, o: Self) -> Self { self.wrapping_mul(o) }
            #[inline(always)]
            fn div(self, o: Self) -> Self { if o == 0 { 0 } else { self.wrapping_div(o) } }
            #[inline(always)]
            fn rem(self, o: Self) -> Self {
                if o == 0 { return 0; }
                let r = self.wrapping_rem(o);
                // (Without a branch, which would depend on the data.)
                let other_sign = (r != 0) & ((r < 0) != (o < 0));
                r.wrapping_add(if other_sign { o } else { 0 })
            }
            #[inline(always)]
            fn floor_div(self, o: Self) -> Self {
                if o == 0 { return 0; }
                let q = self.wrapping_div(o);
                let inexact = q.wrapping_mul(o) != self;
                q - <$t>::from(inexact & ((self < 0) != (o < 0)))
            }
            fn pow(self, o: Self) -> Self {
                // A negative exponent gives the truncated fraction: 0, or +-1 for a base of +-1.
                if o < 0 {
                    return match self {
                        1 => 1,
                        b if $signed && b.wrapping_add(1) == 0 => if o % 2 == 0 { 1 } else { b },
                        _ => 0,
                    };
                }
                let (mut base, mut e, mut acc) = (self, o, 1 as $t);
                while e > 0 {
                    if e & 1 == 1 { acc = acc.wrapping_mul(base); }
                    base = base.wrapping_mul(base);
                    e >>= 1;
                }
                acc
            }
            #[inline(always)]
            fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)]
            fn abs(self) -> Self { if self < 0 { self.wrapping_neg() } else { self } }
            #[inline(always)]
            fn sign(self) -> Self { if self > 0 { 1 } else if self < 0 { (0 as $t).wrapping_sub(1) } else { 0 } }
            #[inline(always)]
            fn is_nan(self) -> bool { false }
            #[inline(always)]
            fn sign_bit(self) -> bool { self < 0 }
            #[inline(always)]
            fn of(v: f64) -> Self { v as $t }
        }
    )*};
}
int_arith!(false: u8, u16, u32, u64);
int_arith!(true: i8, i16, i32, i64);

macro_rules! float_arith {
    ($($t:ty, $pow:path, $fmod:path);*) => {$(
        impl Arith for $t {
            const ZERO: Self = 0.0;
            const ONE: Self = 1.0;
            #[inline(always)]
            fn add(self, o: Self) -> Self { self + o }
            #[inline(always)]
            fn sub(self, o: Self) -> Self { self - o }
            #[inline(always)]
            fn mul(self, o: Self) -> Self { self * o }
            #[inline(always)]
            fn div(self, o: Self) -> Self { self / o }
            #[inline(always)]
            fn rem(self, o: Self) -> Self {
                let r = $fmod(self, o);
                if r != 0.0 {
                    if (r < 0.0) != (o < 0.0) { r + o } else { r }
                } else {
                    // A zero takes the divisor's sign, as Python's and NumPy's do; NaN passes.
                    if r.is_nan() { r } else { (0.0 as $t).copysign(o) }
                }
            }
            #[inline(always)]
            fn floor_div(self, o: Self) -> Self {
                // (A finite number divided by an infinity is a zero of the quotient's sign.)
                if o == 0.0 || self.is_infinite() || o.is_infinite() { return (self / o).floor(); }
                // CPython's float divmod: exact where self / o would round up to the next integer.
                let m = $fmod(self, o);
                let mut div = (self - m) / o;
                if m != 0.0 && (m < 0.0) != (o < 0.0) { div -= 1.0; }
                if div == 0.0 { return (0.0 as $t).copysign(self / o); }
                let f = div.floor();
                if div - f > 0.5 { f + 1.0 } else { f }
            }
            #[inline(always)]
            fn pow(self, o: Self) -> Self { $pow(self, o) }
            #[inline(always)]
            fn neg(self) -> Self { -self }
            #[inline(always)]
            fn abs(self) -> Self { <$t>::abs(self) }
            #[inline(always)]
            fn sign(self) -> Self { if self > 0.0 { 1.0 } else if self < 0.0 { -1.0 } else if self.is_nan() { self } else { 0.0 } }
            #[inline(always)]
            fn is_nan(self) -> bool { <$t>::is_nan(self) }
            #[inline(always)]
            fn sign_bit(self) -> bool { self.is_sign_negative() }
            #[inline(always)]
            fn of(v: f64) -> Self { v as $t }
        }
    )*};
}
float_arith!(f32, elementary_inverse::pow, libm::fmodf; f64, elementary_f64_pow::pow, libm::fmod);

/// An element type with arithmetic: `Acc` is what ops compute and accumulate in.
pub trait Num: Element + PartialOrd {
    type Acc: Arith;
    fn acc(self) -> Self::Acc;
    /// Rounds a result to the element type. (A name that no number type has as an inherent method: `T::round` on a
    /// concrete `f32` would be `f32::round`, to whole numbers.)
    fn from_acc(a: Self::Acc) -> Self;
    /// Widens elements, exactly.
    fn widen(from: &[Self], to: &mut [Self::Acc]) {
        slice1(from, to, Self::acc);
    }
    /// Returns elements in the type that is computed in: themselves, or widened into `room`, which has the same length.
    fn widened<'a>(from: &'a [Self], room: &'a mut [Self::Acc]) -> &'a [Self::Acc] {
        Self::widen(from, room);
        room
    }
    /// Rounds elements.
    fn round_all(from: &[Self::Acc], to: &mut [Self]) {
        slice1(from, to, Self::from_acc);
    }
    /// Calls `f` with a slice for results in the type that is computed in: `to` itself, or `room`, which has the same
    /// length and is then rounded into `to`.
    fn rounded(to: &mut [Self], room: &mut [Self::Acc], f: impl FnOnce(&mut [Self::Acc])) {
        f(room);
        Self::round_all(room, to);
    }
}

macro_rules! num_same {
    ($($t:ty),*) => {$(
        impl Num for $t {
            type Acc = Self;
            #[inline(always)]
            fn acc(self) -> Self { self }
            #[inline(always)]
            fn from_acc(a: Self) -> Self { a }
            #[inline(always)]
            fn widened<'a>(from: &'a [Self], _room: &'a mut [Self]) -> &'a [Self] { from }
            #[inline(always)]
            fn rounded(to: &mut [Self], _room: &mut [Self], f: impl FnOnce(&mut [Self])) { f(to) }
        }
    )*};
}
num_same!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);

macro_rules! num_half {
    ($($t:ty, $to:path, $from:path, $widen:expr, $round:expr);*) => {$(
        impl Num for $t {
            type Acc = f32;
            #[inline(always)]
            fn acc(self) -> f32 { $to(self) }
            #[inline(always)]
            fn from_acc(a: f32) -> Self { $from(a) }
            fn widen(from: &[Self], to: &mut [f32]) { $widen(from, to) }
            fn round_all(from: &[f32], to: &mut [Self]) { $round(from, to) }
        }
    )*};
}
num_half!(
    bf16, bf16_widened, bf16_from_f32, |from, to| slice1(from, to, bf16_widened),
        |from, to| slice1(from, to, bf16_from_f32);
    f16, f16_to_f32, f16_from_f32, simd_half::widen, simd_half::round
);

/// Converts to f32. Unlike `bf16_to_f32` it keeps signaling NaNs, which arithmetic and rounding make quiet.
#[inline(always)]
fn bf16_widened(v: bf16) -> f32 {
    f32::from_bits(u32::from(v.to_bits()) << 16)
}

/// The types float ops compute in.
pub trait Real: Arith + num_traits::Float + Elementary {
    /// Below minus this, e^-x comes near the end of the range.
    const EXP_LIMIT: Self;
    fn sigmoid(self) -> Self;
    fn round_even(self) -> Self;
    fn gelu_tanh(self) -> Self;
    fn gelu_erf(self) -> Self;
    /// Returns `g` times the slope of `gelu_tanh`.
    fn gelu_tanh_grad(self, g: Self) -> Self;
    /// Returns `g` times the slope of `gelu_erf`.
    fn gelu_erf_grad(self, g: Self) -> Self;
    fn silu(self) -> Self;
    /// Returns `self * o - p`, the error of a product `p`.
    fn product_error(self, o: Self, p: Self) -> Self;
    fn inverse(self) -> Self;
    fn inverse_sqrt(self) -> Self;
    fn fraction(self) -> Self;
}

macro_rules! real {
    ($($t:ty, $special:ident);*) => {$(
        impl Real for $t {
            const EXP_LIMIT: Self = if size_of::<$t>() == 4 { 80.0 } else { 700.0 };
            #[inline(always)]
            fn sigmoid(self) -> Self { $special::sigmoid(self) }
            #[inline(always)]
            fn round_even(self) -> Self { self.round_ties_even() }
            #[inline(always)]
            fn gelu_tanh(self) -> Self { $special::gelu_tanh(self) }
            #[inline(always)]
            fn gelu_erf(self) -> Self { $special::gelu_erf(self) }
            #[inline(always)]
            fn gelu_tanh_grad(self, g: Self) -> Self { $special::gelu_tanh_grad(self, g) }
            #[inline(always)]
            fn product_error(self, o: Self, p: Self) -> Self { $special::product_error(self, o, p) }
            #[inline(always)]
            fn gelu_erf_grad(self, g: Self) -> Self { $special::gelu_erf_grad(self, g) }
            #[inline(always)]
            fn silu(self) -> Self { $special::silu(self) }
            #[inline(always)]
            fn inverse(self) -> Self { 1.0 / self }
            #[inline(always)]
            fn inverse_sqrt(self) -> Self { 1.0 / <$t>::sqrt(self) }
            #[inline(always)]
            fn fraction(self) -> Self { self - <$t>::trunc(self) }
        }
    )*};
}
real!(f32, elementary; f64, elementary_f64);
