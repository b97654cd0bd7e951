//! Hyperbolic, inverse and power functions of f32, built from those of `elementary` in the same way.
use super::elementary::{exp_factors, exp_m1_clamped, ln, ln_1p, polynomial};
use std::f32::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, LN_2};

/// The rounding error of the f32 number closest to pi / 2.
const PI_2_LOW: f32 = -4.371_139e-8;

/// pi / 4 in two parts; products of the first with numbers up to 4 are exact.
#[expect(clippy::approx_constant, reason = "the last bits of the first part are 0")]
const PI_4: (f32, f32) = (0.785_398, 1.569_582_4e-7);

/// The hyperbolic sine: `(e + e / (e + 1)) / 2` with `e = e^|x| - 1`.
#[inline(always)]
pub fn sinh(x: f32) -> f32 {
    let a = x.abs();
    let a = if a > 90.0 { 90.0 } else { a };
    let e = exp_m1_clamped(a);
    let near = 0.5 * (e + e / (e + 1.0));
    let (far, power) = exp_factors(a, -0.0);
    let r = if a > 20.0 { 0.5 * far * power } else { near };
    r.copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f32) -> f32 {
    let a = x.abs();
    let (far, power) = exp_factors(if a > 90.0 { 90.0 } else { a }, -0.0);
    0.5 * far * power + 0.5 / (far * power)
}

/// The inverse of the hyperbolic sine: `ln(1 + a + a^2 / (1 + sqrt(1 + a^2)))`, `ln(2 a)` for large ones.
#[inline(always)]
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 1e9;
    let square = a * a;
    let near = a + square / (1.0 + (1.0 + square).sqrt());
    let r = ln_1p(if large { a } else { near });
    (if large { r + LN_2 } else { r }).copysign(x)
}

/// The inverse of the hyperbolic cosine, with `t = x - 1`: `ln(1 + t + sqrt(t (t + 2)))`, `ln(2 x)` for large ones.
#[inline(always)]
pub fn acosh(x: f32) -> f32 {
    let t = x - 1.0;
    let large = x > 1e9;
    let r = ln_1p(if large { x } else { t + (t * (t + 2.0)).sqrt() });
    let r = if large { r + LN_2 } else { r };
    if x < 1.0 { f32::NAN } else { r }
}

/// The inverse of the hyperbolic tangent: `ln(1 + 2 a / (1 - a)) / 2`.
#[inline(always)]
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    (0.5 * ln_1p(2.0 * a / (1.0 - a))).copysign(x)
}

/// The inverse of the error function, after Wichura's algorithm AS 241 (1988) for quantiles of the normal distribution: rational
/// functions of `x` to 0.85, and beyond of `sqrt(-ln((1 - |x|) / 2))`.
#[inline(always)]
pub fn erfinv(x: f32) -> f32 {
    let a = x.abs();
    let q = 0.5 * x;
    let r = 0.180_625 - q * q;
    let above =
        [2_509.080_8, 33_430.574, 67_265.77, 45_921.953, 13_731.693, 1_971.591, 133.141_66, 3.387_133];
    let below = [5_226.495, 28_729.086, 39_307.895, 21_213.795, 5_394.196, 687.187, 42.313_33, 1.0];
    let middle = q * FRAC_1_SQRT_2 * (polynomial(r, above) / polynomial(r, below));
    // (1 - a is exact here.)
    let r = (-ln(0.5 * (1.0 - a))).sqrt();
    let above = [
        0.000_774_545,
        0.022_723_844,
        0.241_780_73,
        1.270_458_2,
        3.647_848_4,
        5.769_497_4,
        4.630_337_7,
        1.423_437_1,
    ];
    let below = [
        1.050_75e-9,
        0.000_547_593_8,
        0.015_198_667,
        0.148_103_98,
        0.689_767_36,
        1.676_384_8,
        2.053_191_7,
        1.0,
    ];
    let tail = polynomial(r - 1.6, above) / polynomial(r - 1.6, below);
    let tail = if a == 1.0 { f32::INFINITY } else { tail * FRAC_1_SQRT_2 };
    if a <= 0.85 { middle } else { tail.copysign(x) }
}

/// Returns `asin(s) - s` for s up to 1/2, given its square, to 2^-31 of asin(s).
#[inline(always)]
fn asin_rest(s: f32, z: f32) -> f32 {
    let c = [0.037_578_06, 0.014_393_876, 0.031_819_8, 0.044_515_472, 0.075_005_12, 0.166_666_6];
    s * (z * polynomial(z, c))
}

/// The inverse of the sine. For large arguments it is computed from `sqrt((1 - a) / 2)`, the sine of half the other angle.
#[inline(always)]
pub fn asin(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.5;
    let z = if large { 0.5 * (1.0 - a) } else { a * a };
    let s = if large { z.sqrt() } else { a };
    let rest = asin_rest(s, z);
    let far = FRAC_PI_2 - (2.0 * (s + rest) - PI_2_LOW);
    let r = if large { far } else { s + rest };
    (if a > 1.0 { f32::NAN } else { r }).copysign(x)
}

/// The inverse of the cosine.
#[inline(always)]
pub fn acos(x: f32) -> f32 {
    let a = x.abs();
    let large = a > 0.5;
    let z = if large { 0.5 * (1.0 - a) } else { a * a };
    let s = if large { z.sqrt() } else { x };
    let rest = asin_rest(s, z);
    let near = FRAC_PI_2 - (s - (PI_2_LOW - rest));
    let half = s + rest;
    let far = if x < 0.0 { 2.0 * (FRAC_PI_2 - (half - PI_2_LOW)) } else { 2.0 * half };
    let r = if large { far } else { near };
    if a > 1.0 { f32::NAN } else { r }
}

/// Returns `atan(t) - t` for `|t| < tan(pi / 8)`, to 2^-30 of atan(t).
#[inline(always)]
fn atan_rest(t: f32) -> f32 {
    let z = t * t;
    let c = [-0.060_811_54, 0.105_951_39, -0.142_437_38, 0.199_984_83, -0.333_333_16];
    t * (z * polynomial(z, c))
}

/// The inverse of the tangent: that of a, of (a - 1) / (a + 1) and pi / 4, or of -1 / a and pi / 2.
#[inline(always)]
pub fn atan(x: f32) -> f32 {
    let a = x.abs();
    let (small, large) = (a < 0.414_213_57, a > 2.414_213_7);
    let over = if large { -1.0 } else { a - 1.0 };
    let under = if large { a } else { a + 1.0 };
    let t = (if small { a } else { over }) / (if small { 1.0 } else { under });
    let rest = atan_rest(t);
    let (angle, low) = if large { (FRAC_PI_2, PI_2_LOW) } else { (FRAC_PI_4, 0.5 * PI_2_LOW) };
    let r = if small { t + rest } else { angle + ((rest + low) + t) };
    r.copysign(x)
}

/// The angle of the point (x, y): that of the smaller coordinate over the larger one, by `atan(t)` for small t or that of
/// `(t - 1) / (t + 1)` and pi / 4; then it is taken from pi / 2 and from pi. Signs of zeros, infinities and NaN are as in C.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (over, under) = if steep { (b, a) } else { (a, b) };
    // (The sum below stays finite.)
    let scale = if under > 1e38 { 0.25 } else { 1.0 };
    let (n, d) = (over * scale, under * scale);
    let far = (n > 0.414_213_57 * d) | (n == f32::INFINITY);
    let t = (if far { n - d } else { n }) / (if far { n + d } else { d });
    let t = if n == d { 0.0 } else { t };
    let rest = atan_rest(t);
    let (k, t, rest) =
        if steep { (if far { 1.0 } else { 2.0 }, -t, -rest) } else { (if far { 1.0 } else { 0.0 }, t, rest) };
    let (k, t, rest) = if x.is_sign_negative() { (4.0 - k, -t, -rest) } else { (k, t, rest) };
    (k * PI_4.0 + ((rest + k * PI_4.1) + t)).copysign(y)
}

/// x^y, as `2^(y log2 x)` in f64.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    let a = x.abs();
    let whole = power(f64::from(a), f64::from(y));
    // Whole exponents, and odd ones: from 2^23 on all are whole, from 2^24 on all are even.
    const WHOLE: f32 = 8_388_608.0;
    let size = y.abs();
    let sum = size + WHOLE;
    let is_whole = size >= WHOLE || sum - WHOLE == size;
    let last = (if size >= WHOLE { size } else { sum }).to_bits() & 1 == 1;
    let odd = is_whole && last && size < 2.0 * WHOLE;
    let negative = x.is_sign_negative();
    let r = if negative && odd { -whole } else { whole };
    let r = if x < 0.0 && a < f32::INFINITY && !is_whole { f32::NAN } else { r };
    let r = if x.is_nan() || y.is_nan() { f32::NAN } else { r };
    if x == 1.0 || y == 0.0 { 1.0 } else { r }
}

/// Returns a^y, rounded, for numbers that f32 represents, a not negative. The result for NaN is unspecified.
#[inline(always)]
fn power(a: f64, y: f64) -> f32 {
    const ONE: u64 = 1023 << 52;
    const ROUND: f64 = 6_755_399_441_055_744.0;
    // a = m 2^e with m in [sqrt 1/2, sqrt 2); (f32 numbers are normal in f64).
    let e = a.to_bits().wrapping_add(ONE - std::f64::consts::FRAC_1_SQRT_2.to_bits()) >> 52;
    let m = f64::from_bits(a.to_bits().wrapping_add(ONE).wrapping_sub(e << 52));
    let e = f64::from_bits(e | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0);
    // log2 m is s p(s^2) with s = (m - 1) / (m + 1), to 2^-45.
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    let p = 0.282_910_125_739_818_83 * z + 0.319_905_036_413_707_04;
    let p = ((p * z + 0.412_209_267_519_030_6) * z + 0.577_077_942_225_235_5) * z + 0.961_796_694_113_784_7;
    let log = e + s * (p * z + 2.885_390_081_777_85);
    let log = if a == 0.0 { f64::NEG_INFINITY } else { log };
    let log = if a == f64::INFINITY { a } else { log };
    let t = if a == 1.0 { 0.0 } else { y * log };
    let t = if t < -200.0 { -200.0 } else { t };
    let t = if t > 200.0 { 200.0 } else { t };
    // 2^t, to 2^-28.
    let n = t + ROUND;
    let scale = f64::from_bits(n.to_bits().wrapping_add(1023) << 52);
    let r = t - (n - ROUND);
    let q = 1.559_508_312_943_335_6e-4 * r + 0.001_340_679_763_075_107_9;
    let q =
        ((q * r + 0.009_617_691_136_063_637) * r + 0.055_503_101_278_514_11) * r + 0.240_226_527_960_121_6;
    ((1.0 + r * (q * r + 0.693_147_215_186_249_4)) * scale) as f32
}
