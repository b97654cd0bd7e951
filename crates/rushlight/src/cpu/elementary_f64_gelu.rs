//! GELU and its slope in f64 without branches, as the functions of `elementary_f64`, within a few units in the last place down to
//! the ends of the range.
use super::elementary::clamp;
use super::elementary_f64::{LN2, ROUND, SMALL, exp, exp_factors, exp_m1_short, long_polynomial};

const INV_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// Truncates to 26 bits, so that products are exact.
#[inline(always)]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x7ff_ffff)
}

/// Returns a product and its rounding error.
#[inline(always)]
fn product(a: f64, b: f64) -> (f64, f64) {
    let (p, a_high, b_high) = (a * b, upper(a), upper(b));
    let (a_low, b_low) = (a - a_high, b - b_high);
    (p, ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low)
}

/// Returns the error of a product, which is finite.
#[inline(always)]
pub fn product_error(a: f64, b: f64, _: f64) -> f64 {
    product(a, b).1
}

/// Returns (m, p) with `e^(-a^2 / 2) 2^shift = (1 + m) p`, where `p` is a power of 2, which must be a normal number. The shift is
/// whole.
#[inline(always)]
fn bell(a: f64, shift: f64) -> (f64, f64) {
    // The exponent has two parts, as its rounding error would show.
    let h = upper(a);
    let square = h * h;
    let rounding = ROUND + 1023.0 + shift;
    let t = square * (-0.5 * std::f64::consts::LOG2_E) + rounding;
    let power = f64::from_bits(t.to_bits() << 52);
    let t = t - rounding;
    // r = -2 (exponent - k ln 2)
    let r = ((square + t * (2.0 * LN2.0)) + t * (2.0 * LN2.1)) + (a - h) * (a + h);
    (exp_m1_short(-0.5 * r), power)
}

/// C of [`scaled_tail`].
const C: f64 = 4.25;

/// Returns `Phi(-a) e^(a^2 / 2) (a + C)`, with Phi the normal distribution function, for `w = a / (a + C)` and a up to 40, and its
/// rounding error.
#[inline(always)]
fn scaled_tail(w: f64) -> (f64, f64) {
    // A polynomial of `u = (a - C) / (a + C) / 2`, to 2^-56.7.
    const LAST: [f64; 3] = [0.759_554_208_267_207_1, -1.250_259_554_166_897, 1.672_910_103_290_126_6];
    let u = w - 0.5;
    let c = [
        -0.003_885_175_672_470_352_7,
        -0.008_752_435_489_468_278,
        8.101_052_974_526_759e-4,
        0.017_229_625_138_900_938,
        0.008_304_912_606_825_345,
        -0.020_778_313_908_125_59,
        -0.019_447_787_404_023_097,
        0.022_155_945_329_829_094,
        0.032_825_851_206_955_935,
        -0.026_181_747_855_783_91,
        -0.051_689_649_343_514_596,
        0.042_288_684_609_755_434,
        0.079_877_503_845_101_62,
        -0.098_366_944_354_715_64,
        -0.103_540_796_513_842_79,
        0.275_120_983_217_199_7,
        -0.047_701_628_302_748_08,
        -0.619_466_370_474_126,
        1.364_353_218_329_001_2,
        -1.764_128_139_622_411_3,
    ];
    let s = ((long_polynomial(u, c) * u + LAST[2]) * u + LAST[1]) * u;
    let p = LAST[0] + s;
    (p, s - (p - LAST[0]))
}

/// `x Phi(x)`, as `max(x, 0) - |x| Phi(-|x|)`.
#[inline(always)]
pub fn gelu_erf(x: f64) -> f64 {
    let a = x.abs();
    let a = if a > 39.0 { 39.0 } else { a };
    let (m, power) = bell(a, 512.0);
    let w = a / (a + C);
    let (p, p_low) = scaled_tail(w);
    let t = w * p;
    // Only the last factor makes results subnormal.
    let tail = (t + (t * m + p_low * w)) * power * SMALL;
    // (-0 for a negative number, and NaN for minus infinity.)
    (if x < 0.0 { x * 0.0 } else { x }) - tail
}

/// Returns `g` times the slope of [`gelu_erf`], `Phi(x) + x phi(x)`; for a positive x it is 1 minus the slope at -x.
#[inline(always)]
pub fn gelu_erf_grad(x: f64, g: f64) -> f64 {
    // Beyond these limits the result does not change. Below -37 the power of 2 is multiplied in parts, so that no factor is
    // subnormal.
    let given = x;
    let x = clamp(x, -40.0, 12.0);
    // (2^1200 in both cases.)
    const PART: f64 = 2.409_919_865_102_884e-181;
    let (shift, part) = if x < -37.0 { (1200.0, PART) } else { (0.0, 1.0) };
    let a = x.abs();
    let (m, power) = bell(a, shift);
    let inverse = 1.0 / (a + C);
    let (p, _) = scaled_tail(a * inverse);
    let density = p * inverse - a * INV_SQRT_2PI;
    let low = (density + density * m) * power;
    let slope = if x < 0.0 { low } else { 1.0 - low };
    // (So far below 0 the slope is 0 on every device, and 0 times infinity NaN.)
    if given < -40.0 { g * 0.0 } else { ((g * part) * slope) * part }
}

/// Returns `v = 2 sqrt(2/pi) (x + 0.044715 x^3)`, its rounding error, and its derivative.
#[inline(always)]
fn exponent(x: f64) -> (f64, f64, f64) {
    // The factors of x and x^3 in `v`: 2 sqrt(2/pi), and 0.044715 times that. Each with its rounding error.
    const LINEAR: (f64, f64) = (1.595_769_121_605_730_8, -9.969_308_809_110_92e-17);
    const CUBIC: (f64, f64) = (0.071_354_816_272_600_25, -6.175_149_918_155_315e-19);
    let (s, s_low) = product(x, x);
    let (t, t_low) = product(CUBIC.0, s);
    let t_low = t_low + (CUBIC.0 * s_low + CUBIC.1 * s);
    let w = LINEAR.0 + t;
    let b = w - LINEAR.0;
    let w_low = ((LINEAR.0 - (w - b)) + (t - b)) + (t_low + LINEAR.1);
    let (v, v_low) = product(x, w);
    let v_low = v_low + x * w_low;
    (v, v_low, LINEAR.0 + 3.0 * t)
}

/// `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` (Hendrycks and Gimpel 2016), as `x / (1 + e^-v)` with
/// `v = 2 sqrt(2/pi) (x + 0.044715 x^3)`: `1 + tanh` would cancel below 0. The rounding error of `v`, an exponent, is corrected.
#[inline(always)]
pub fn gelu_tanh(x: f64) -> f64 {
    // (For a positive x the exponent is that of -x.)
    let a = x.abs();
    let (v, v_low, _) = exponent(-if a > 30.0 { 30.0 } else { a });
    let (e, last) = exp_factors(if v < -800.0 { -800.0 } else { v }, v_low);
    let negative = x < 0.0;
    let least = if x < -30.0 { -30.0 } else { x };
    // The power of 2 is multiplied last, as no other factor is subnormal.
    let r = least * (if negative { e } else { 1.0 }) / (1.0 + e * last) * (if negative { last } else { 1.0 });
    if x == f64::NEG_INFINITY { f64::NAN } else { r }
}

/// Returns `g` times the slope of [`gelu_tanh`], `s (1 + x (1 - s) v')` with the sigmoid `s` of `v`. No factor is subnormal.
#[inline(always)]
pub fn gelu_tanh_grad(x: f64, g: f64) -> f64 {
    let limited = clamp(x, -30.0, 30.0);
    let (v, v_low, dv) = exponent(limited);
    let half = exp(v.abs() * -0.5);
    let corrected = half - half * if v > 0.0 { v_low } else { -v_low };
    let d = 1.0 / (1.0 + half * corrected);
    let positive = v > 0.0;
    let first = if positive { 1.0 } else { half };
    let second = if positive { 1.0 } else { corrected };
    let rest = if positive { half * corrected * d } else { d };
    (g * first) * (second * d * (1.0 + limited * rest * dv))
}
