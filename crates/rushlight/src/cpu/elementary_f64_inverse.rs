//! Hyperbolic and inverse functions of f64, built from those of `elementary_f64` in the same way. (Those of f32 in
//! `elementary_inverse` have the same forms.)
use super::elementary_f64::{exp_m1_and_half, ln, ln_1p, polynomial};
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, FRAC_PI_4, LN_2};

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

/// The inverse of the error function, after Wichura's algorithm AS 241 (1988) for quantiles of the normal distribution: rational
/// functions of `x` to 0.85, and beyond of `sqrt(-ln((1 - |x|) / 2))`.
#[inline(always)]
pub fn erfinv(x: f64) -> f64 {
    let a = x.abs();
    let q = 0.5 * x;
    let r = 0.180_625 - q * q;
    let above = [
        2_509.080_928_730_122_7,
        33_430.575_583_588_13,
        67_265.770_927_008_7,
        45_921.953_931_549_87,
        13_731.693_765_509_46,
        1_971.590_950_306_551_3,
        133.141_667_891_784_38,
        3.387_132_872_796_366_5,
    ];
    let below = [
        5_226.495_278_852_854,
        28_729.085_735_721_943,
        39_307.895_800_092_71,
        21_213.794_301_586_597,
        5_394.196_021_424_751,
        687.187_007_492_057_9,
        42.313_330_701_600_91,
        1.0,
    ];
    let middle = q * FRAC_1_SQRT_2 * (polynomial(r, above) / polynomial(r, below));
    // (1 - a is exact here.)
    let r = (-ln(0.5 * (1.0 - a))).sqrt();
    let above = [
        0.000_774_545_014_278_341_4,
        0.022_723_844_989_269_184,
        0.241_780_725_177_450_6,
        1.270_458_252_452_368_4,
        3.647_848_324_763_204_5,
        5.769_497_221_460_691,
        4.630_337_846_156_546,
        1.423_437_110_749_683_5,
    ];
    let below = [
        1.050_750_071_644_416_9e-9,
        0.000_547_593_808_499_534_5,
        0.015_198_666_563_616_457,
        0.148_103_976_427_480_08,
        0.689_767_334_985_1,
        1.676_384_830_183_803_8,
        2.053_191_626_637_759,
        1.0,
    ];
    let tail = polynomial(r - 1.6, above) / polynomial(r - 1.6, below);
    let above = [
        2.010_334_399_292_288_1e-7,
        2.711_555_568_743_487_6e-5,
        0.001_242_660_947_388_078_4,
        0.026_532_189_526_576_124,
        0.296_560_571_828_504_87,
        1.784_826_539_917_291_3,
        5.463_784_911_164_114,
        6.657_904_643_501_103,
    ];
    let below = [
        2.044_263_103_389_939_7e-15,
        1.421_511_758_316_446e-7,
        1.846_318_317_510_054_8e-5,
        0.000_786_869_131_145_613_3,
        0.014_875_361_290_850_615,
        0.136_929_880_922_735_8,
        0.599_832_206_555_888,
        1.0,
    ];
    let far = polynomial(r - 5.0, above) / polynomial(r - 5.0, below);
    let tail = if r > 5.0 { far } else { tail };
    let tail = if a == 1.0 { f64::INFINITY } else { tail * FRAC_1_SQRT_2 };
    if a <= 0.85 { middle } else { tail.copysign(x) }
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
