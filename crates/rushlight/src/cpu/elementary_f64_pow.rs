//! Powers of f64 without branches, as the functions of `elementary_f64`.
use super::elementary::clamp;
use super::elementary_f64::{exp_scaled, polynomial, split_any};

/// Truncates to 26 bits, so that products are exact.
#[inline(always)]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !0x7ff_ffff)
}

/// Returns log2 x of a positive finite number in two parts, to 2^-63 of it: `e + C (s + s^3 / 3 + ..)` for
/// `x = 2^e (1 + s) / (1 - s)`, with C = 2 / ln 2.
#[inline(always)]
fn log2_parts(x: f64) -> (f64, f64) {
    const C: (f64, f64) = (2.885_390_043_258_667, 3.851_925_982_253_235e-8);
    /// The first coefficient after C, in two parts.
    const CUBE: (f64, f64) = (0.961_796_686_053_276_1, 7.872_699_542_894_897e-9);
    let (m, e) = split_any(x);
    let f = m - 1.0;
    // s = f / (2 + f) in parts of 26 and 53 bits.
    let d = 2.0 + f;
    let inverse = 1.0 / d;
    let s = upper(f * inverse);
    let d_upper = upper(d);
    let s_low = ((f - s * d_upper) - s * (f - (d_upper - 2.0))) * inverse;
    // The square and the cube, and the products with C.
    let z = s * s;
    let z_upper = upper(z);
    let z_low = (z - z_upper) + s_low * (s + s + s_low);
    let (s_near, z_near) = (s + s_low, z + s_low * (s + s));
    let cube = z_upper * s;
    let cube_low = z_upper * s_low + z_low * s_near;
    let first = C.0 * s;
    let first_low = C.0 * s_low + C.1 * s_near;
    let cube_upper = upper(cube);
    let second = CUBE.0 * cube_upper;
    let second_low = CUBE.0 * ((cube - cube_upper) + cube_low) + CUBE.1 * (cube + cube_low);
    let c = [
        0.190_403_067_477_450_95,
        0.191_253_329_439_356_66,
        0.221_984_073_245_192_8,
        0.262_307_699_560_295,
        0.320_598_902_290_552_7,
        0.412_198_583_091_850_15,
        0.577_078_016_355_618_2,
    ];
    let rest = s_near * z_near * (z_near * polynomial(z_near, c));
    let sum = first + second;
    let low = (((first - sum) + second) + rest) + (first_low + second_low);
    let high = e + sum;
    let low = ((e - high) + sum) + low;
    let total = high + low;
    (total, low - (total - high))
}

/// x^y, as `2^(y log2 x)`.
#[inline(always)]
pub fn pow(x: f64, y: f64) -> f64 {
    let a = x.abs();
    let (log, log_low) = log2_parts(a);
    // Larger exponents have the same results.
    let exponent = clamp(y, -1e20, 1e20);
    let t = exponent * log;
    let (y_upper, log_upper) = (upper(exponent), upper(log));
    let (y_lower, log_lower) = (exponent - y_upper, log - log_upper);
    let error = ((y_upper * log_upper - t) + y_upper * log_lower + y_lower * log_upper) + y_lower * log_lower;
    let t_low = error + exponent * log_low;
    let end = if a == 0.0 { -y } else { y };
    let at_end = (a == 0.0) | (a == f64::INFINITY);
    let t = clamp(if at_end { end * f64::INFINITY } else { t }, -1100.0, 1100.0);
    let t_low = if at_end | (t.abs() == 1100.0) { 0.0 } else { t_low };
    let whole = exp_scaled(t, t_low);
    // Whole exponents, and odd ones: from 2^52 on all are whole, from 2^53 on all are even.
    const WHOLE: f64 = 4_503_599_627_370_496.0;
    let size = y.abs();
    let sum = size + WHOLE;
    let is_whole = (size >= WHOLE) | (sum - WHOLE == size);
    let last = (if size >= WHOLE { size } else { sum }).to_bits() & 1 == 1;
    let odd = is_whole & last & (size < 2.0 * WHOLE);
    let r = if x.is_sign_negative() & odd { -whole } else { whole };
    let r = if (x < 0.0) & (a < f64::INFINITY) & !is_whole { f64::NAN } else { r };
    let r = if x.is_nan() | y.is_nan() { f64::NAN } else { r };
    if (x == 1.0) | (y == 0.0) { 1.0 } else { r }
}
