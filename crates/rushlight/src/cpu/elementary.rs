//! Elementary functions of f32 (`elementary_f64` has those of f64), whose loops vectorize.
//!
//! They are plain arithmetic without branches, calls and fma, so loops over them vectorize at every SIMD
//! level and give the same bits. Special values are selected. Polynomials are minimax (found by Remez's exchange); comments
//! state their errors in exact arithmetic. `tests/cpu/elementary.rs` measures the errors of results, over all f32 numbers.
use super::elementary_f64;
use super::elementary_inverse::{acos, acosh, asin, asinh, atan, atan2, atanh, cosh, erfinv, sinh};
use super::map::F32Function;
use super::map_half::Tables;

/// Elementary functions of the types that ops compute in.
pub trait Elementary: Copy {
    fn exp(self) -> Self;
    fn exp_m1(self) -> Self;
    fn ln(self) -> Self;
    fn ln_1p(self) -> Self;
    fn tanh(self) -> Self;
    /// Returns the angle of the point (x, self).
    fn atan2(self, x: Self) -> Self;
}

macro_rules! elementary {
    ($($f:ident)*) => {
        impl Elementary for f32 {
            $(#[inline(always)]
            fn $f(self) -> Self {
                $f(self)
            })*
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                atan2(self, x)
            }
        }
        impl Elementary for f64 {
            $(#[inline(always)]
            fn $f(self) -> Self {
                elementary_f64::$f(self)
            })*
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                elementary_f64::atan2(self, x)
            }
        }
    };
}
elementary!(exp exp_m1 ln ln_1p tanh);

/// Declares types for the row loops of f32 functions.
macro_rules! functions {
    ($($name:ident $f:ident;)*) => {$(
        #[doc = concat!("The function `", stringify!($f), "`.")]
        #[derive(Clone, Copy)]
        pub struct $name;
        impl F32Function for $name {
            #[inline(always)]
            fn of(&self, v: f32) -> f32 {
                $f(v)
            }
            fn tables(&self) -> Option<&'static Tables> {
                static TABLES: Tables = Tables::new();
                Some(&TABLES)
            }
        }
    )*};
}
functions! {
    Exp exp; ExpM1 exp_m1; Ln ln; Ln1p ln_1p; Log2 log2; Log10 log10; Tanh tanh; Erf erf;
    Sigmoid sigmoid; Silu silu; GeluTanh gelu_tanh; GeluErf gelu_erf;
    Sinh sinh; Cosh cosh; Asinh asinh; Acosh acosh; Atanh atanh; Asin asin; Acos acos; Atan atan; Erfinv erfinv;
}

/// Declares types for the row loops of f32 functions whose large arguments take another function.
macro_rules! periodic {
    ($($name:ident $near:ident $far:path;)*) => {$(
        #[doc = concat!("The function `", stringify!($far), "`.")]
        #[derive(Clone, Copy)]
        pub struct $name;
        impl F32Function for $name {
            const FAR: f32 = FAR;
            #[inline(always)]
            fn of(&self, v: f32) -> f32 {
                $near(v)
            }
            fn far(&self, v: f32) -> f32 {
                $far(v)
            }
            fn tables(&self) -> Option<&'static Tables> {
                static TABLES: Tables = Tables::new();
                Some(&TABLES)
            }
        }
    )*};
}
periodic! { Sin sin_near f32::sin; Cos cos_near f32::cos; Tan tan_near f32::tan; }

/// 1.5 * 2^23. Adding it rounds to a whole number, ties to even, whose value is then in the low bits.
const ROUND: f32 = 12_582_912.0;
/// ln 2 in two parts; products of the first with exponents are exact.
const LN2: (f32, f32) = (0.693_359_4, -2.121_944_4e-4);

/// Returns 2^k for a normal result.
#[inline(always)]
fn power_of_two(k: i32) -> f32 {
    f32::from_bits((k.wrapping_add(127) << 23) as u32)
}

/// Clamps, keeping NaN.
#[inline(always)]
pub fn clamp<F: PartialOrd>(x: F, least: F, most: F) -> F {
    let x = if x < least { least } else { x };
    if x > most { most } else { x }
}

/// Computes a polynomial, coefficients from the highest order on.
#[inline(always)]
pub fn polynomial<const N: usize>(x: f32, c: [f32; N]) -> f32 {
    let mut p = c[0];
    let mut i = 1;
    while i < N {
        p = p * x + c[i];
        i += 1;
    }
    p
}

/// Splits `x + low`, with `low` tiny (-0 for none: adding it changes nothing), into `k ln 2 + r`; returns (r, k).
#[inline(always)]
fn reduce(x: f32, low: f32) -> (f32, i32) {
    let t = x * std::f32::consts::LOG2_E + ROUND;
    let k = (t.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let t = t - ROUND;
    (((x - t * LN2.0) - t * LN2.1) + low, k)
}

/// Returns e^r - 1 for `|r| < 0.35`, with an error of 2^-28 for e^r.
#[inline(always)]
fn exp_m1_short(r: f32) -> f32 {
    let c = [0.001_384_091_6, 0.008_369_369, 0.041_668_084, 0.166_665_15, 0.499_999_94];
    polynomial(r, c) * (r * r) + r
}

/// Same as [`exp_m1_short`], with an error of 2^-31 of the result.
#[inline(always)]
fn exp_m1_reduced(r: f32) -> f32 {
    let c = [1.966_781_9e-4, 0.001_393_498_6, 0.008_333_642, 0.041_666_467, 0.166_666_66, 0.5];
    polynomial(r, c) * (r * r) + r
}

/// Returns e^(x + low) for x from -104 to 89 as a product of two factors, of which only the second, a power of 2, leaves the
/// range of normal numbers.
#[inline(always)]
pub fn exp_factors(x: f32, low: f32) -> (f32, f32) {
    let ([a, _], b) = exp_parts(x, low);
    (a, b)
}

/// Same as [`exp_factors`], with the first factor's rounding error.
#[inline(always)]
fn exp_parts(x: f32, low: f32) -> ([f32; 2], f32) {
    let (r, k) = reduce(x, low);
    let half = k >> 1;
    let (p, power) = (exp_m1_short(r), power_of_two(half));
    let a = p + 1.0;
    ([a * power, (p - (a - 1.0)) * power], power_of_two(k.wrapping_sub(half)))
}

/// e^x.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    let (a, b) = exp_factors(clamp(x, -104.0, 89.0), -0.0);
    a * b
}

/// Returns e^x - 1 for x from -104 to 89; zero is 0.
#[inline(always)]
pub fn exp_m1_clamped(x: f32) -> f32 {
    let (r, k) = reduce(x, -0.0);
    let half = k >> 1;
    let rest = k.wrapping_sub(half);
    let (a, b) = (power_of_two(half), power_of_two(rest));
    // 2^k (p + 1) - 1
    (exp_m1_reduced(r) * a + (a - power_of_two(rest.wrapping_neg()))) * b
}

/// e^x - 1.
#[inline(always)]
pub fn exp_m1(x: f32) -> f32 {
    exp_m1_clamped(clamp(x, -104.0, 89.0)).copysign(x)
}

/// The hyperbolic tangent, as `e / (e + 2)` with `e = e^2|x| - 1`.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 10.0 { 10.0 } else { a };
    let e = exp_m1_clamped(a + a);
    (e / (e + 2.0)).copysign(x)
}

/// 2^-64, which keeps powers of e from overflowing.
const SMALL: f32 = 5.421_011e-20;

/// Returns e^x times `2^shift` if that is a normal number, else a number near 0. The shift is whole.
#[inline(always)]
fn exp_shifted(x: f32, shift: f32) -> f32 {
    let t = x * std::f32::consts::LOG2_E + (ROUND + shift);
    let exponent = t.to_bits() << 23;
    let t = t - (ROUND + shift);
    let r = (x - t * LN2.0) - t * LN2.1;
    f32::from_bits((exp_m1_short(r) + 1.0).to_bits().wrapping_add(exponent))
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let r = SMALL / (SMALL + exp_shifted(clamp(-x, -40.0, 105.0), -64.0));
    if x.is_nan() { x } else { r }
}

/// `x / (1 + e^-x)`. (Only the last factor makes results subnormal.)
#[inline(always)]
pub fn silu(x: f32) -> f32 {
    let (one, shift) = if x < 0.0 { (SMALL, -64.0) } else { (1.0, 0.0) };
    let least = if x < -120.0 { -120.0 } else { x };
    let r = least / (one + exp_shifted(clamp(-x, -80.0, 125.0), shift)) * one;
    not_minus_infinity(x, r)
}

/// Returns `x` times the sigmoid of v, given the factors of e^-|v| for a v with the sign of x. The power of 2 is multiplied
/// last, as no other factor is subnormal.
#[inline(always)]
fn scaled_sigmoid(x: f32, (a, b): (f32, f32)) -> f32 {
    let z = a * b;
    let negative = x < 0.0;
    x * (if negative { a } else { 1.0 }) / (1.0 + z) * (if negative { b } else { 1.0 })
}

/// Returns `r`, or NaN for minus infinity: `-infinity * 0`.
#[inline(always)]
fn not_minus_infinity(x: f32, r: f32) -> f32 {
    if x == f32::NEG_INFINITY { f32::NAN } else { r }
}

/// Splits a positive normal number into m in [sqrt 1/2, sqrt 2) and the exponent of 2.
#[inline(always)]
fn split(x: f32) -> (f32, i32) {
    let b = x.to_bits() as i32;
    let e = b.wrapping_sub(std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32) >> 23;
    (f32::from_bits(b.wrapping_sub(e << 23) as u32), e)
}

/// Returns the parts (h, t) of `ln(1 + f) = f - (h - t)` for `1 + f` in [sqrt 1/2, sqrt 2), with `h = f^2 / 2`, as FreeBSD's
/// `logf` computes them: `ln(1 + f)` is `2 s + s^3 p(s^2)` with `s = f / (2 + f)`, to 2^-35.
#[inline(always)]
fn ln_parts(f: f32) -> (f32, f32) {
    let s = f / (2.0 + f);
    let z = s * s;
    let c = [0.242_790_94, 0.284_987_9, 0.400_009_72, 0.666_666_6];
    let h = 0.5 * f * f;
    (h, s * (h + z * polynomial(z, c)))
}

/// Same as [`split`], also for subnormal numbers.
#[inline(always)]
fn split_any(x: f32) -> (f32, f32) {
    let tiny = x < f32::MIN_POSITIVE;
    let (m, e) = split(if tiny { x * 8_388_608.0 } else { x });
    (m, e as f32 - if tiny { 23.0 } else { 0.0 })
}

/// Returns a logarithm of x, given the result for positive finite x.
#[inline(always)]
fn ln_special(x: f32, usual: f32) -> f32 {
    let r = if x < f32::INFINITY { usual } else { x };
    let r = if x == 0.0 { f32::NEG_INFINITY } else { r };
    if x < 0.0 { f32::NAN } else { r }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    ln_special(x, e * LN2.0 - ((h - (t + e * LN2.1)) - f))
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    ln_special(x, (f - (h - t)) * std::f32::consts::LOG2_E + e)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10(x: f32) -> f32 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    // log10 2 in two parts, the first exact in products with exponents.
    let low = (f - (h - t)) * std::f32::consts::LOG10_E + e * 7.903_415e-7;
    ln_special(x, e * 0.301_029_2 + low)
}

/// `ln(1 + x)`.
#[inline(always)]
pub fn ln_1p(x: f32) -> f32 {
    ln_1p_of_sum(x, 0.0)
}

/// `ln(1 + (x + low))` with `low` below a unit of x.
#[inline(always)]
fn ln_1p_of_sum(x: f32, low: f32) -> f32 {
    let u = 1.0 + x;
    let (m, k) = split(u);
    let e = k as f32;
    // The rounding error of 1 + x, and `low`, relative to the sum.
    let lost = if k > 0 { 1.0 - (u - x) } else { x - (u - 1.0) };
    let (f, lost) = if k == 0 { (x, 0.0) } else { (m - 1.0, lost) };
    let lost = (lost + low) / u;
    let (h, t) = ln_parts(f);
    let r = e * LN2.0 - ((h - (t + (e * LN2.1 + lost))) - f);
    let r = if x < f32::INFINITY { r } else { x };
    let r = if x == -1.0 { f32::NEG_INFINITY } else { r };
    let r = if x < -1.0 { f32::NAN } else { r };
    // (The sign of zero.)
    if x.abs() < 1e-20 { x } else { r }
}

/// `ln(1 + e^(beta x)) / beta`; x itself where `beta x` is above the threshold.
#[derive(Clone, Copy)]
pub struct Softplus {
    pub beta: f32,
    pub threshold: f32,
}

impl Softplus {
    /// Returns whether [`Softplus`] computes the function for this beta.
    pub fn fits(beta: f32) -> bool {
        (1e-20..=1e20).contains(&beta)
    }
}

impl F32Function for Softplus {
    #[inline(always)]
    fn of(&self, x: f32) -> f32 {
        let beta = self.beta;
        let z = x * beta;
        // z is an exponent, so its rounding error is corrected. (The result does not depend on that of a large z.)
        let low = (f64::from(x) * f64::from(beta) - f64::from(z)) as f32;
        let low = if z.abs() < 200.0 { low } else { 0.0 };
        let positive = z > 0.0;
        let ([a, a_low], b) = exp_parts(clamp(-z.abs(), -174.0, 0.0), if positive { -low } else { low });
        let e = a * b;
        // The logarithm of 1 + e is e where e is small; its power of 2 is then multiplied last, as e may be subnormal.
        let tiny = e < 1e-9;
        let part = (if tiny { a } else { ln_1p_of_sum(e, a_low * b) }) / beta * (if tiny { b } else { 1.0 });
        let r = if positive { x + part } else { part };
        if z > self.threshold { x } else { r }
    }
}

/// x where it is positive, else `alpha (e^x - 1)`.
#[derive(Clone, Copy)]
pub struct Elu(pub f32);

impl F32Function for Elu {
    #[inline(always)]
    fn of(&self, x: f32) -> f32 {
        let negative = exp_m1(x) * self.0;
        if x > 0.0 { x } else { negative }
    }
}

/// Truncates to 12 bits, so that the square is exact.
#[inline(always)]
fn upper(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xffff_f000)
}

/// Returns (m, p) with `e^(-a^2 / 2) 2^shift = (1 + m) p`, where `p` is a power of 2, which must be a normal number. The shift is
/// whole.
#[inline(always)]
fn bell(a: f32, shift: f32) -> (f32, f32) {
    // The exponent has two parts, as its rounding error would show.
    let h = upper(a);
    let square = h * h;
    let rounding = ROUND + 127.0 + shift;
    let t = square * (-0.5 * std::f32::consts::LOG2_E) + rounding;
    let power = f32::from_bits(t.to_bits() << 23);
    let t = t - rounding;
    // r = -2 (exponent - k ln 2), and the coefficients of `exp_m1_short` for it.
    let r = (square + t * (2.0 * LN2.0)) + (t * (2.0 * LN2.1) + (a - h) * (a + h));
    let c = [
        0.001_384_091_6 / 64.0,
        -0.008_369_369 / 32.0,
        0.041_668_084 / 16.0,
        -0.166_665_15 / 8.0,
        0.499_999_94 / 4.0,
        -0.5,
    ];
    // (In parts, as a long sum would wait for each of its steps.)
    let z = r * r;
    let high = (c[0] * z + c[2]) * z + (c[1] * z + c[3]) * r;
    (c[5] * r + z * (c[4] + high), power)
}

/// `x Phi(x)`, with Phi the normal distribution function, as `max(x, 0) - |x| Phi(-|x|)`.
#[inline(always)]
pub fn gelu_erf(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 15.0 { 15.0 } else { a };
    let (m, power) = bell(a, 64.0);
    // `Phi(-a) e^(a^2 / 2) (a + C)` is a polynomial of `u = (a - C) / (a + C) / 2`, to 2^-25.9.
    const C: f32 = 2.375;
    let w = a / (a + C);
    let u = w - 0.5;
    let c = [
        -0.063_166_87,
        -0.118_364_01,
        -0.016_201_038,
        0.146_440_45,
        0.119_984_4,
        -0.123_554_885,
        -0.226_204_7,
        0.156_755_95,
        0.424_585_84,
        -0.821_862_1,
        0.699_456_8,
    ];
    // (In parts, as in `bell`.)
    let z = u * u;
    let high =
        ((c[0] * u + c[1]) * z + (c[2] * u + c[3])) * (z * z) + ((c[4] * u + c[5]) * z + (c[6] * u + c[7]));
    let p = ((high * u + c[8]) * u + c[9]) * u + c[10];
    let t = w * p;
    // Only the last factor makes results subnormal.
    let tail = (t + t * m) * power * SMALL;
    // (-0 for a negative number, and NaN for minus infinity.)
    (if x < 0.0 { x * 0.0 } else { x }) - tail
}

/// Returns `g` times the slope of [`gelu_erf`], `Phi(x) + x phi(x)`; for a positive x it is 1 minus the slope at -x.
#[inline(always)]
pub fn gelu_erf_grad(x: f32, g: f32) -> f32 {
    // Beyond these limits the result does not change. Below -12 the power of 2 is multiplied in parts, so that no factor is
    // subnormal.
    let given = x;
    let x = clamp(x, -19.7, 12.0);
    let far = x < -12.0;
    let (shift, first, last) = if far { (160.0, 8.673_617_4e-19, 7.888_609e-31) } else { (0.0, 1.0, 1.0) };
    let a = x.abs();
    let (m, power) = bell(a, shift);
    // The slope at -a, times e^(a^2 / 2), is 0 at ZERO. Divided by `ZERO - a` it is a polynomial of (a - 4) / (a + 4), to 2^-23.7.
    const ZERO: f32 = 0.751_791_54;
    let w = a / (a + 4.0);
    let c = [
        1.607_030_6e-4,
        -1.745_611_2e-4,
        -0.001_775_819_2,
        0.009_512_596,
        -0.028_085_78,
        0.060_462_01,
        -0.103_365_78,
        0.462_211_25,
    ];
    let p = (ZERO - a) * polynomial(w + (w - 1.0), c);
    let low = (p + p * m) * power;
    let slope = if x < 0.0 { low } else { 1.0 - low };
    // (So far below 0 the slope is 0 on every device, and 0 times infinity NaN.)
    if given < -40.0 { g * 0.0 } else { ((g * first) * slope) * last }
}

/// The error function: an odd polynomial, or 1 - erfc with a polynomial for ln erfc.
#[inline(always)]
pub fn erf(x: f32) -> f32 {
    let (a, z) = (x.abs(), x * x);
    let c = [
        8.002_884e-5,
        -8.050_818_6e-4,
        0.005_192_461,
        -0.026_855_74,
        0.112_836_26,
        -0.376_126_3,
        0.128_379_17,
    ];
    let small = x + x * polynomial(z, c);
    let b = if a > 4.0 { 4.0 } else { a };
    let c = [
        -1.947_706_9e-4,
        0.003_031_758_4,
        -0.022_181_172,
        0.103_836_53,
        0.637_290_8,
        1.127_611,
        2.113_428_2e-4,
    ];
    let (e, power) = exp_factors(-polynomial(b, c), -0.0);
    let large = (1.0 - e * power).copysign(x);
    if a < 0.95 { small } else { large }
}

/// `x / (1 + e^-v)` with `v = 2 sqrt(2/pi) (x + 0.044715 x^3)`, which equals `x (1 + tanh(v / 2)) / 2`.
#[inline(always)]
pub fn gelu_tanh(x: f32) -> f32 {
    // The exponent in f64, as its rounding error would show.
    let d = f64::from(clamp(x, -12.0, 12.0)).abs();
    let v = -d * (1.595_769_121_605_730_8 + 0.071_354_816_272_600_25 * (d * d));
    let v = if v < -130.0 { -130.0 } else { v };
    let high = v as f32;
    let least = if x < -12.0 { -12.0 } else { x };
    not_minus_infinity(x, scaled_sigmoid(least, exp_factors(high, (v - f64::from(high)) as f32)))
}

/// Returns `g` times the slope of [`gelu_tanh`], as `elementary_f64` does. The exponent alone is computed in f64.
#[inline(always)]
pub fn gelu_tanh_grad(x: f32, g: f32) -> f32 {
    const LINEAR: f64 = 1.595_769_121_605_730_8;
    const CUBIC: f64 = 0.071_354_816_272_600_25;
    let limited = x.clamp(-30.0, 30.0);
    let wide = f64::from(limited);
    let cubic = CUBIC * (wide * wide);
    let exact = wide * (LINEAR + cubic);
    let (v, dv) = (exact as f32, (LINEAR + 3.0 * cubic) as f32);
    let v_low = (exact - f64::from(v)) as f32;
    let half = exp(v.abs() * -0.5);
    let corrected = half - half * if v > 0.0 { v_low } else { -v_low };
    let d = 1.0 / (1.0 + half * corrected);
    let (first, second, rest) = if v > 0.0 { (1.0, 1.0, half * corrected * d) } else { (half, corrected, d) };
    (g * first) * (second * d * (1.0 + limited * rest * dv))
}

/// Returns the error of a product `p`, which is finite.
#[inline(always)]
pub fn product_error(a: f32, b: f32, p: f32) -> f32 {
    (f64::from(a) * f64::from(b) - f64::from(p)) as f32
}

/// Largest argument of [`sin_near`], [`cos_near`] and [`tan_near`].
const FAR: f32 = 1e8;

/// Returns the sine and the cosine of r, and q, for `x = q pi / 2 + r`. They are computed in f64, to 2^-33.
#[inline(always)]
fn circle(x: f32) -> (f64, f64, i64) {
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let d = f64::from(x);
    let t = d * std::f64::consts::FRAC_2_PI + ROUND;
    let q = t.to_bits() as i64;
    let t = t - ROUND;
    // pi / 2 in two parts; products of the first are exact.
    let r = (d - t * 1.570_796_310_901_641_8) - t * 1.589_325_477_352_819_7e-8;
    let z = r * r;
    let s = ((2.718_083_700_492_243_5e-6 * z - 1.983_930_831_775_677e-4) * z + 0.008_333_329_292_630_755) * z
        - 0.166_666_666_406_918_96;
    let c = ((2.438_314_773_4e-5 * z - 0.001_388_667_719_355_379_8) * z + 0.041_666_620_216_446_61) * z
        - 0.499_999_996_932_410_93;
    (r + r * (z * s), 1.0 + z * c, q)
}

/// Rounds v to f32, with the other sign if bit 1 of q is set.
#[inline(always)]
fn quadrant(v: f64, q: i64) -> f32 {
    f64::from_bits(v.to_bits() ^ (((q & 2) as u64) << 62)) as f32
}

/// The sine.
#[inline(always)]
fn sin_near(x: f32) -> f32 {
    let (s, c, q) = circle(x);
    let r = quadrant(if q & 1 == 0 { s } else { c }, q);
    if x == 0.0 { x } else { r }
}

/// The cosine.
#[inline(always)]
fn cos_near(x: f32) -> f32 {
    let (s, c, q) = circle(x);
    quadrant(if q & 1 == 0 { c } else { s }, q + (q & 1))
}

/// The tangent.
#[inline(always)]
fn tan_near(x: f32) -> f32 {
    let (s, c, q) = circle(x);
    let odd = q & 1 != 0;
    let r = (if odd { -c } else { s } / if odd { s } else { c }) as f32;
    if x == 0.0 { x } else { r }
}
