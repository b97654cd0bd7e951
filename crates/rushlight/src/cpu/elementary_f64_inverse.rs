//! Hyperbolic and inverse functions of f64, built from those of `elementary_f64` in the same way. (Those of f32 in
//! `elementary_inverse` have the same forms.)
use super::elementary_f64::{exp_m1_and_half, ln_1p, polynomial};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, LN_2};

/// The rounding error of the f64 number closest to pi / 2.
const PI_2_LOW: f64 = 6.123_233_995_736_766e-17;
/// pi / 4 in two parts; products of the first with numbers up to 4 are exact.
const PI_4: (f64, f64) = (FRAC_PI_4, 3.061_616_997_868_383e-17);

/// The hyperbolic sine: `(e + e / (e + 1)) / 2` with `e = e^|x| - 1`.
#[inline(always)]
pub fn sinh(x: f64) -> f64 {
    let a = x.abs();
    let (e, half) = exp_m1_and_half(if a > 720.0 { 720.0 } else { a });
    let near = 0.5 * (e + e / (e + 1.0));
    (if a > 40.0 { half } else { near }).copysign(x)
}

/// The hyperbolic cosine.
#[inline(always)]
pub fn cosh(x: f64) -> f64 {
    let a = x.abs();
    let (_, half) = exp_m1_and_half(if a > 720.0 { 720.0 } else { a });
    half + 0.25 / half
}

/// The inverse of the hyperbolic sine: `ln(1 + a + a^2 / (1 + sqrt(1 + a^2)))`, `ln(2 a)` for large ones.
#[inline(always)]
pub fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 1e18;
    let square = a * a;
    let near = a + square / (1.0 + (1.0 + square).sqrt());
    let r = ln_1p(if large { a } else { near });
    (if large { r + LN_2 } else { r }).copysign(x)
}

/// The inverse of the hyperbolic cosine, with `t = x - 1`: `ln(1 + t + sqrt(t (t + 2)))`, `ln(2 x)` for large ones.
#[inline(always)]
pub fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    let large = x > 1e18;
    let r = ln_1p(if large { x } else { t + (t * (t + 2.0)).sqrt() });
    let r = if large { r + LN_2 } else { r };
    if x < 1.0 { f64::NAN } else { r }
}

/// The inverse of the hyperbolic tangent: `ln(1 + 2 a / (1 - a)) / 2`.
#[inline(always)]
pub fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * ln_1p(2.0 * a / (1.0 - a))).copysign(x)
}

/// Returns `asin(s) - s` for s up to 1/2, given its square, to 2^-55.9 of asin(s).
#[inline(always)]
fn asin_rest(s: f64, z: f64) -> f64 {
    let c = [
        0.031_981_953_760_679_11,
        -0.016_327_103_583_323_21,
        0.019_594_618_575_113_2,
        0.006_503_413_796_120_623,
        0.012_174_967_832_388_663,
        0.013_884_346_494_804_798,
        0.017_359_796_036_864_397,
        0.022_371_751_914_188_557,
        0.030_381_959_396_152_9,
        0.044_642_856_821_977_1,
        0.075_000_000_003_447_57,
        0.166_666_666_666_653_75,
    ];
    s * (z * polynomial(z, c))
}

/// The inverse of the sine. For large arguments it is computed from `sqrt((1 - a) / 2)`, the sine of half the other angle.
#[inline(always)]
pub fn asin(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    let z = if large { 0.5 * (1.0 - a) } else { a * a };
    let s = if large { z.sqrt() } else { a };
    let rest = asin_rest(s, z);
    let far = FRAC_PI_2 - (2.0 * (s + rest) - PI_2_LOW);
    let r = if large { far } else { s + rest };
    (if a > 1.0 { f64::NAN } else { r }).copysign(x)
}

/// The inverse of the cosine.
#[inline(always)]
pub fn acos(x: f64) -> f64 {
    let a = x.abs();
    let large = a > 0.5;
    let z = if large { 0.5 * (1.0 - a) } else { a * a };
    let s = if large { z.sqrt() } else { x };
    let rest = asin_rest(s, z);
    let near = FRAC_PI_2 - (s - (PI_2_LOW - rest));
    let half = s + rest;
    let far = if x < 0.0 { 2.0 * (FRAC_PI_2 - (half - PI_2_LOW)) } else { 2.0 * half };
    let r = if large { far } else { near };
    if a > 1.0 { f64::NAN } else { r }
}

/// Returns `atan(t) - t` for `|t| < tan(pi / 8)`, to 2^-59.5 of atan(t).
#[inline(always)]
fn atan_rest(t: f64) -> f64 {
    let z = t * t;
    let c = [
        -0.017_907_472_365_605_193,
        0.038_065_070_612_264_905,
        -0.050_393_353_040_658_97,
        0.058_478_983_654_109_286,
        -0.066_631_055_863_620_18,
        0.076_920_603_729_878_1,
        -0.090_908_977_676_905_02,
        0.111_111_107_838_350_04,
        -0.142_857_142_802_044_15,
        0.199_999_999_999_536_66,
        -0.333_333_333_333_332,
    ];
    t * (z * polynomial(z, c))
}

/// The inverse of the tangent: that of a, of (a - 1) / (a + 1) and pi / 4, or of -1 / a and pi / 2.
#[inline(always)]
pub fn atan(x: f64) -> f64 {
    let a = x.abs();
    let (small, large) = (a < 0.414_213_562_373_095_03, a > 2.414_213_562_373_095);
    let over = if large { -1.0 } else { a - 1.0 };
    let under = if large { a } else { a + 1.0 };
    let t = (if small { a } else { over }) / (if small { 1.0 } else { under });
    let rest = atan_rest(t);
    let k = if large { 2.0 } else { 1.0 };
    let r = if small { t + rest } else { k * PI_4.0 + ((rest + k * PI_4.1) + t) };
    r.copysign(x)
}

/// The angle of the point (x, y), as `elementary_inverse` computes that of f32 numbers.
#[inline(always)]
pub fn atan2(y: f64, x: f64) -> f64 {
    let (a, b) = (y.abs(), x.abs());
    let steep = a > b;
    let (over, under) = if steep { (b, a) } else { (a, b) };
    // (The sum below stays finite.)
    let scale = if under > 1e300 { 0.25 } else { 1.0 };
    let (n, d) = (over * scale, under * scale);
    let far = (n > 0.414_213_562_373_095_03 * d) | (n == f64::INFINITY);
    let t = (if far { n - d } else { n }) / (if far { n + d } else { d });
    let t = if n == d { 0.0 } else { t };
    let rest = atan_rest(t);
    let (k, t, rest) =
        if steep { (if far { 1.0 } else { 2.0 }, -t, -rest) } else { (if far { 1.0 } else { 0.0 }, t, rest) };
    let (k, t, rest) = if x.is_sign_negative() { (4.0 - k, -t, -rest) } else { (k, t, rest) };
    (k * PI_4.0 + ((rest + k * PI_4.1) + t)).copysign(y)
}
