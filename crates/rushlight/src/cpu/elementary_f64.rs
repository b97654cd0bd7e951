//! Elementary functions of f64 without branches and calls, as those of f32 in `elementary`: loops over them vectorize.
//!
//! Integers are shifted as unsigned numbers, as AVX2 has no signed shift of 64 bits.
use super::elementary::clamp;

/// 1.5 * 2^52. Adding it rounds to a whole number, ties to even, whose value is then in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts; products of the first with exponents are exact.
const LN2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);
/// Exponents are offset by twice this number, so that they are positive.
const OFFSET: u64 = 1024;

/// Computes a polynomial, coefficients from the highest order on.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, c: [f64; N]) -> f64 {
    let mut p = c[0];
    let mut i = 1;
    while i < N {
        p = p * x + c[i];
        i += 1;
    }
    p
}

/// Returns 2^k for a normal result, given `k + OFFSET`.
#[inline(always)]
fn power_of_two(k: u64) -> f64 {
    f64::from_bits(k.wrapping_sub(OFFSET - 1023) << 52)
}

/// Returns e^r - 1 for `|r| < 0.35`.
#[inline(always)]
fn exp_m1_short(r: f64) -> f64 {
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
    polynomial(r, c) * (r * r) + r
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

/// Returns e^x - 1 for x from -746 to 710.
#[inline(always)]
fn exp_m1_clamped(x: f64) -> f64 {
    let (p, a, b, inverse) = reduced(x);
    // 2^k (p + 1) - 1
    (p * a + (a - inverse)) * b
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
const SMALL: f64 = 7.458_340_731_200_207e-155;

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
fn split_any(x: f64) -> (f64, f64) {
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
