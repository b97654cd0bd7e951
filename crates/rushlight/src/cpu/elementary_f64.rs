//! Elementary functions of f64 without branches and calls, as those of f32 in `elementary`: loops over them vectorize.
//!
//! Integers are shifted as unsigned numbers, as AVX2 has no signed shift of 64 bits.
use super::elementary::clamp;
pub use super::elementary_f64_gelu::{gelu_erf, gelu_erf_grad, gelu_tanh, gelu_tanh_grad, product_error};
pub use super::elementary_f64_inverse::{acos, acosh, asin, asinh, atan, atan2, atanh, cosh, erfinv, sinh};
use super::map::Function;

/// 1.5 * 2^52. Adding it rounds to a whole number, ties to even, whose value is then in the low bits.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; products of the first with exponents are exact.
pub(super) const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
/// Exponents are offset by twice this number, so that they are positive.
const OFFSET: u64 = 1024;

/// Computes a polynomial, coefficients from the highest order on.
#[inline(always)]
pub fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut p = c[0];
    let mut i = 1;
    while i < N {
        p = p * x + c[i];
        i += 1;
    }
    p
}

/// Same as [`polynomial`] for a multiple of four coefficients, in four parts: a long sum would wait for each of its steps.
#[inline(always)]
pub(super) fn long_polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let z = x * x;
    let y = z * z;
    let mut p = [c[0], c[1], c[2], c[3]];
    let mut i = 4;
    while i + 3 < N {
        p = [p[0] * y + c[i], p[1] * y + c[i + 1], p[2] * y + c[i + 2], p[3] * y + c[i + 3]];
        i += 4;
    }
    (p[0] * x + p[1]) * z + (p[2] * x + p[3])
}

/// Returns 2^k for a normal result, given `k + OFFSET`.
#[inline(always)]
fn power_of_two(k: u64) -> f64 {
    f64::from_bits(k.wrapping_sub(OFFSET - 1023) << 52)
}

/// Returns e^r - 1 for `|r| < 0.35`.
#[inline(always)]
pub(super) fn exp_m1_short(r: f64) -> f64 {
    // To 2^-61 of the result.
    let c = [
        2.087_890_394_573_411_5e-9,
        2.510_873_174_668_085e-8,
        2.755_738_718_461_079_7e-7,
        2.755_724_517_607_909e-6,
        2.480_158_719_793_911e-5,
        1.984_126_988_504_696_5e-4,
        0.001_388_888_888_894_285_2,
        0.008_333_333_333_322_123,
        0.041_666_666_666_666_574,
        0.166_666_666_666_666_77,
        0.5,
    ];
    // (In parts, as a long sum would wait for each of its steps.)
    let z = r * r;
    let y = z * z;
    let high = (c[0] * z + (c[1] * r + c[2])) * y + ((c[3] * r + c[4]) * z + (c[5] * r + c[6]));
    (high * y + ((c[7] * r + c[8]) * z + (c[9] * r + c[10]))) * z + r
}

/// Returns e^r - 1 and the factors A and B of 2^k, for `x = k ln 2 + r`. A is normal, and B is if x is between -1400 and 1400.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64, f64, f64) {
    let t = x * std::f64::consts::LOG2_E + ROUND;
    let k = t.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(2 * OFFSET);
    let t = t - ROUND;
    let r = (x - t * LN2.0) - t * LN2.1;
    let p = exp_m1_short(r);
    let half = k >> 1;
    let rest = k.wrapping_sub(half);
    (p, power_of_two(half), power_of_two(rest), power_of_two((2 * OFFSET).wrapping_sub(rest)))
}

/// e^x.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    let (p, a, b, _) = reduced(clamp(x, -746.0, 710.0));
    // (Only the second factor makes the result subnormal.)
    ((p + 1.0) * a) * b
}

/// Returns e^(x + low) for x from -1400 to 1400 and a tiny `low` as a product of two factors, of which only the second, a power of 2,
/// leaves the range of normal numbers.
#[inline(always)]
pub(super) fn exp_factors(x: f64, low: f64) -> (f64, f64) {
    let (p, a, b, _) = reduced(x);
    let p = p + (low + p * low);
    ((p + 1.0) * a, b)
}

/// Returns 2^(t + low) for t from -1400 to 1400 and a tiny `low`.
#[inline(always)]
pub fn exp_scaled(t: f64, low: f64) -> f64 {
    let n = t + ROUND;
    let k = n.to_bits().wrapping_sub(ROUND.to_bits()).wrapping_add(2 * OFFSET);
    let r = (t - (n - ROUND)) + low;
    let p = exp_m1_short(r * std::f64::consts::LN_2);
    let half = k >> 1;
    ((p + 1.0) * power_of_two(half)) * power_of_two(k.wrapping_sub(half))
}

/// Returns e^x - 1 for x from -746 to 710.
#[inline(always)]
fn exp_m1_clamped(x: f64) -> f64 {
    let (p, a, b, inverse) = reduced(x);
    // 2^k (p + 1) - 1
    (p * a + (a - inverse)) * b
}

/// Returns e^x - 1 and e^x / 2 for x from 0 to 720.
#[inline(always)]
pub fn exp_m1_and_half(x: f64) -> (f64, f64) {
    let (p, a, b, inverse) = reduced(x);
    ((p * a + (a - inverse)) * b, (0.5 * (p + 1.0) * a) * b)
}

/// e^x - 1.
#[inline(always)]
pub fn exp_m1(x: f64) -> f64 {
    exp_m1_clamped(clamp(x, -746.0, 710.0)).copysign(x)
}

/// The hyperbolic tangent, as `e / (e + 2)` with `e = e^2|x| - 1`.
#[inline(always)]
pub fn tanh(x: f64) -> f64 {
    let a = x.abs();
    let a = if a > 20.0 { 20.0 } else { a };
    let e = exp_m1_clamped(a + a);
    (e / (e + 2.0)).copysign(x)
}

/// 2^-512, which keeps powers of e from overflowing.
pub(super) const SMALL: f64 = 7.458_340_731_200_207e-155;

/// Returns e^x times `2^shift` if that is a normal number, else a number near 0. The shift is whole.
#[inline(always)]
fn exp_shifted(x: f64, shift: f64) -> f64 {
    let t = x * std::f64::consts::LOG2_E + (ROUND + shift);
    let exponent = t.to_bits() << 52;
    let t = t - (ROUND + shift);
    let r = (x - t * LN2.0) - t * LN2.1;
    f64::from_bits((exp_m1_short(r) + 1.0).to_bits().wrapping_add(exponent))
}

/// `1 / (1 + e^-x)`.
#[inline(always)]
pub fn sigmoid(x: f64) -> f64 {
    let r = SMALL / (SMALL + exp_shifted(clamp(-x, -300.0, 750.0), -512.0));
    if x.is_nan() { x } else { r }
}

/// `x / (1 + e^-x)`. (Only the last factor makes results subnormal.)
#[inline(always)]
pub fn silu(x: f64) -> f64 {
    let (one, shift) = if x < 0.0 { (SMALL, -512.0) } else { (1.0, 0.0) };
    let least = if x < -800.0 { -800.0 } else { x };
    let r = least / (one + exp_shifted(clamp(-x, -700.0, 800.0), shift)) * one;
    if x == f64::NEG_INFINITY { f64::NAN } else { r }
}

/// Splits a positive normal number into m in [sqrt 1/2, sqrt 2) and the exponent of 2.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    const ONE: u64 = 1023 << 52;
    let e = x.to_bits().wrapping_add(ONE - std::f64::consts::FRAC_1_SQRT_2.to_bits()) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_add(ONE).wrapping_sub(e << 52));
    // The digits of 2^52 + e.
    (m, f64::from_bits(e | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1023.0))
}

/// Same as [`split`], also for subnormal numbers.
#[inline(always)]
pub fn split_any(x: f64) -> (f64, f64) {
    let tiny = x < f64::MIN_POSITIVE;
    let (m, e) = split(if tiny { x * 18_014_398_509_481_984.0 } else { x });
    (m, e - if tiny { 54.0 } else { 0.0 })
}

/// Returns the parts (h, t) of `ln(1 + f) = f - (h - t)`, as `elementary` does for f32. The polynomial's error is 2^-59.
#[inline(always)]
fn ln_parts(f: f64) -> (f64, f64) {
    let s = f / (2.0 + f);
    let z = s * s;
    let c = [
        0.147_967_236_506_140_3,
        0.153_139_773_471_093_67,
        0.181_835_670_181_882_49,
        0.222_221_985_248_111,
        0.285_714_287_428_234_85,
        0.399_999_999_994_128_94,
        0.666_666_666_666_673_5,
    ];
    let h = 0.5 * f * f;
    (h, s * (h + z * polynomial(z, c)))
}

/// Returns a logarithm of x, given the result for positive finite x.
#[inline(always)]
fn ln_special(x: f64, usual: f64) -> f64 {
    let r = if x < f64::INFINITY { usual } else { x };
    let r = if x == 0.0 { f64::NEG_INFINITY } else { r };
    if x < 0.0 { f64::NAN } else { r }
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    ln_special(x, e * LN2.0 - ((h - (t + e * LN2.1)) - f))
}

/// The logarithm to base 2.
#[inline(always)]
pub fn log2(x: f64) -> f64 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    ln_special(x, (f - (h - t)) * std::f64::consts::LOG2_E + e)
}

/// The logarithm to base 10.
#[inline(always)]
pub fn log10(x: f64) -> f64 {
    let (m, e) = split_any(x);
    let f = m - 1.0;
    let (h, t) = ln_parts(f);
    // log10 2 in two parts, the first exact in products with exponents.
    let low = (f - (h - t)) * std::f64::consts::LOG10_E + e * 3.694_239_077_158_931e-13;
    ln_special(x, e * 0.301_029_995_663_611_77 + low)
}

/// `ln(1 + x)`.
#[inline(always)]
pub fn ln_1p(x: f64) -> f64 {
    let u = 1.0 + x;
    let (m, e) = split(u);
    // The rounding error of 1 + x, relative to the sum.
    let lost = (if e > 0.0 { 1.0 - (u - x) } else { x - (u - 1.0) }) / u;
    let (f, lost) = if e == 0.0 { (x, 0.0) } else { (m - 1.0, lost) };
    let (h, t) = ln_parts(f);
    let r = e * LN2.0 - ((h - (t + (e * LN2.1 + lost))) - f);
    let r = if x < f64::INFINITY { r } else { x };
    let r = if x == -1.0 { f64::NEG_INFINITY } else { r };
    let r = if x < -1.0 { f64::NAN } else { r };
    // (The sign of zero.)
    if x.abs() < 1e-200 { x } else { r }
}

/// The error function: an odd polynomial, or 1 - erfc with a polynomial for -ln erfc.
#[inline(always)]
pub fn erf(x: f64) -> f64 {
    let (a, z) = (x.abs(), x * x);
    // To 2^-57 of the result.
    let c = [
        -7.801_182_742_825_681e-10,
        1.372_297_151_533_074_3e-8,
        -1.620_917_442_405_059_7e-7,
        1.644_751_742_508_041_7e-6,
        -1.492_474_463_738_959e-5,
        1.205_529_531_881_888_7e-4,
        -8.548_325_989_628_574e-4,
        0.005_223_977_607_421_778,
        -0.026_866_170_643_275_983,
        0.112_837_916_709_452_52,
        -0.376_126_389_031_835_5,
        0.128_379_167_095_512_56,
    ];
    let small = x + x * long_polynomial(z, c);
    let b = if a > 6.0 { 6.0 } else { a };
    // To 2^-57.8 of erf.
    let c = [
        1.737_621_565_664_563_6e-13,
        -8.798_661_990_263_352e-12,
        2.094_183_305_252_995e-10,
        -3.114_669_140_670_935e-9,
        3.243_993_529_024_617_6e-8,
        -2.510_019_382_613_038_4e-7,
        1.490_490_462_260_128_4e-6,
        -6.891_514_931_810_379e-6,
        2.469_721_103_111_275_5e-5,
        -6.601_310_705_976_45e-5,
        1.137_341_681_873_759_4e-4,
        -2.750_227_631_791_121_5e-5,
        -5.442_731_099_671_351e-4,
        0.001_665_605_945_045_300_6,
        -1.938_938_628_318_969_6e-4,
        -0.019_133_791_282_101_246,
        0.102_773_698_493_658_21,
        0.636_619_733_533_706_4,
        1.128_379_130_335_526_4,
        6.384_719_587_213_097e-9,
    ];
    let large = (1.0 - exp(-long_polynomial(b, c))).copysign(x);
    if a < 1.0 { small } else { large }
}

/// Largest argument of [`sin`], [`cos`] and [`tan`].
const FAR: f64 = 1e6;

/// The sine and cosine of r, and q, for `x = q pi / 2 + r`.
#[inline(always)]
fn circle(x: f64) -> (f64, f64, u64) {
    // pi / 2 in parts; products of the first three with q are exact.
    const PARTS: [f64; 4] = [
        1.570_796_326_734_125_6,
        6.077_100_506_303_966e-11,
        2.022_266_248_711_166_5e-21,
        8.478_427_660_368_9e-32,
    ];
    let t = x * std::f64::consts::FRAC_2_PI + ROUND;
    let q = t.to_bits();
    let t = t - ROUND;
    let a = x - t * PARTS[0];
    let b = t * PARTS[1];
    // Each difference with its rounding error: where x is next to a multiple of pi / 2, all of these digits are needed.
    let d = a - b;
    let d_low = (a - d) - b;
    let c = t * PARTS[2];
    let r = d - c;
    let r_low = (d - r) - c;
    let r = r - (t * PARTS[3] - (d_low + r_low));
    let z = r * r;
    // To 2^-58 and 2^-64.
    let s = [
        1.589_650_452_061_743_8e-10,
        -2.505_075_325_461_091_5e-8,
        2.755_731_366_197_175e-6,
        -1.984_126_982_972_486_3e-4,
        0.008_333_333_333_322_314,
        -0.166_666_666_666_666_32,
    ];
    let c = [
        -1.135_944_903_704_102_2e-11,
        2.087_571_956_579_775_8e-9,
        -2.755_731_432_608_544e-7,
        2.480_158_728_939_513_3e-5,
        -0.001_388_888_888_887_399,
        0.041_666_666_666_666_6,
    ];
    let sin = r + r * (z * polynomial(z, s));
    let cos = 1.0 + z * (z * polynomial(z, c) - 0.5);
    (sin, cos, q)
}

/// Returns v, with the other sign if bit 1 of q is set.
#[inline(always)]
fn quadrant(v: f64, q: u64) -> f64 {
    f64::from_bits(v.to_bits() ^ ((q & 2) << 62))
}

/// The sine.
#[inline(always)]
fn sin(x: f64) -> f64 {
    let (s, c, q) = circle(x);
    let r = quadrant(if q & 1 == 0 { s } else { c }, q);
    if x == 0.0 { x } else { r }
}

/// The cosine.
#[inline(always)]
fn cos(x: f64) -> f64 {
    let (s, c, q) = circle(x);
    quadrant(if q & 1 == 0 { c } else { s }, q.wrapping_add(q & 1))
}

/// The tangent.
#[inline(always)]
fn tan(x: f64) -> f64 {
    let (s, c, q) = circle(x);
    let odd = q & 1 != 0;
    let r = if odd { -c } else { s } / if odd { s } else { c };
    if x == 0.0 { x } else { r }
}

/// The sine and the cosine of any number.
pub fn sin_cos(x: f64) -> (f64, f64) {
    if x.abs() <= FAR { (sin(x), cos(x)) } else { x.sin_cos() }
}

/// Declares types for the row loops of functions whose large arguments take another function.
macro_rules! periodic {
    ($($name:ident $near:ident $far:path;)*) => {$(
        #[doc = concat!("The function `", stringify!($near), "`.")]
        #[derive(Clone, Copy)]
        pub struct $name;
        impl Function<f64> for $name {
            type Value = f64;
            #[inline(always)]
            fn is_near(&self, x: f64) -> bool {
                x.abs() <= FAR
            }
            #[inline(always)]
            fn near(&self, x: f64) -> f64 {
                $near(x)
            }
            fn far(&self, x: f64) -> f64 {
                $far(x)
            }
        }
    )*};
}
periodic! { Sin sin f64::sin; Cos cos f64::cos; Tan tan f64::tan; }
