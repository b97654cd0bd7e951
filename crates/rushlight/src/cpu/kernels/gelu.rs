//! GELU and its slope in f64, within a few units in the last place down to the ends of the range.

use crate::cpu::elementary;

/// For x below minus this limit, e^-x is close to overflow.
const EXP_LIMIT: f64 = 700.0;

/// `sqrt(1/2)`, with its rounding error.
const ROOT: (f64, f64) = (std::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17);
const INV_SQRT_2PI: f64 = 0.3989422804014327;

/// Splits a number into its upper bits and the rest, so that products of the parts are exact.
fn split(v: f64) -> (f64, f64) {
    let high = f64::from_bits(v.to_bits() & (!0 << 27));
    (high, v - high)
}

/// Returns a product and its rounding error.
fn product(a: f64, b: f64) -> (f64, f64) {
    let (p, (ah, al), (bh, bl)) = (a * b, split(a), split(b));
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

/// Returns `v = 2 sqrt(2/pi) (x + 0.044715 x^3)`, its rounding error, and its derivative.
fn exponent(x: f64) -> (f64, f64, f64) {
    // The factors of x and x^3 in `v`: 2 sqrt(2/pi), and 0.044715 times that. Each with its rounding error.
    const LINEAR: (f64, f64) = (1.5957691216057308, -9.96930880911092e-17);
    const CUBIC: (f64, f64) = (0.07135481627260025, -6.175149918155315e-19);
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
pub(super) fn gelu_tanh(x: f64) -> f64 {
    if x > 30.0 {
        return x;
    }
    if x < -30.0 {
        // (NaN for x = -infinity.)
        return x * 0.0;
    }
    let (v, v_low, _) = exponent(x);
    if v > -EXP_LIMIT {
        let e = (-v).exp();
        x / (1.0 + (e - e * v_low))
    } else {
        let half = (v * 0.5).exp();
        (x * half * (1.0 + v_low)) * half
    }
}

/// Returns `1 - 1 / x^2 + 3 / x^4 - ..` for the square of x.
fn tail_series(square: f64) -> f64 {
    let y = 1.0 / square;
    [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0].iter().fold(1.0, |sum, k| 1.0 - k * y * sum)
}

/// Computes `x Phi(x)`. Uses `erfc` for negative x, where `1 + erf` would cancel.
pub(super) fn gelu_erf(x: f64) -> f64 {
    if x >= -1.0 || x.is_nan() {
        return 0.5 * x * libm::erfc(-x * ROOT.0);
    }
    if x < -40.0 {
        return x * 0.0;
    }
    if x >= -30.0 {
        let (z, z_low) = product(-x, ROOT.0);
        let (z_low, q) = (z_low - x * ROOT.1, libm::erfc(z));
        // The logarithmic derivative of erfc is close to -(z + sqrt(z^2 + 1.6)), which corrects the rounding error of
        // z.
        return 0.5 * x * (q - q * z_low * (z + (z * z + 1.6).sqrt()));
    }
    // The asymptotic series -phi(x) (1 - 1 / x^2 + 3 / x^4 - ..), arranged so that no factor is subnormal.
    let (s, s_low) = product(x, x);
    let half = (s * -0.25).exp();
    -(half * (INV_SQRT_2PI * tail_series(s) * (1.0 - s_low * 0.5))) * half
}

/// Returns the error of a product `p`, which is finite.
#[inline(always)]
pub(super) fn product_error_f32(a: f32, b: f32, p: f32) -> f32 {
    (f64::from(a) * f64::from(b) - f64::from(p)) as f32
}

#[inline(always)]
pub(super) fn product_error_f64(a: f64, b: f64, _: f64) -> f64 {
    product(a, b).1
}

/// Returns `g` times the slope of [`gelu_tanh`], `s (1 + x (1 - s) v')` with the sigmoid `s` of `v`. No factor is subnormal.
#[inline(always)]
pub(super) fn gelu_tanh_grad_f64(x: f64, g: f64) -> f64 {
    let limited = x.clamp(-30.0, 30.0);
    let (v, v_low, dv) = exponent(limited);
    let half = (v.abs() * -0.5).exp();
    let corrected = half - half * if v > 0.0 { v_low } else { -v_low };
    let d = 1.0 / (1.0 + half * corrected);
    let (first, second, rest) = if v > 0.0 { (1.0, 1.0, half * corrected * d) } else { (half, corrected, d) };
    (g * first) * (second * d * (1.0 + limited * rest * dv))
}

/// Same as [`gelu_tanh_grad_f64`]. The exponent alone is computed in f64.
#[inline(always)]
pub(super) fn gelu_tanh_grad_f32(x: f32, g: f32) -> f32 {
    const LINEAR: f64 = 1.5957691216057308;
    const CUBIC: f64 = 0.07135481627260025;
    let limited = x.clamp(-30.0, 30.0);
    let wide = f64::from(limited);
    let cubic = CUBIC * (wide * wide);
    let exact = wide * (LINEAR + cubic);
    let (v, dv) = (exact as f32, (LINEAR + 3.0 * cubic) as f32);
    let v_low = (exact - f64::from(v)) as f32;
    let half = elementary::exp(v.abs() * -0.5);
    let corrected = half - half * if v > 0.0 { v_low } else { -v_low };
    let d = 1.0 / (1.0 + half * corrected);
    let (first, second, rest) = if v > 0.0 { (1.0, 1.0, half * corrected * d) } else { (half, corrected, d) };
    (g * first) * (second * d * (1.0 + limited * rest * dv))
}

/// Returns the slope of [`gelu_erf`] as two factors, of which none is subnormal: `Phi(x) + x phi(x)`.
fn gelu_erf_slope(x: f64) -> (f64, f64) {
    if x.abs() > 40.0 {
        return (f64::from(x > 0.0), 1.0);
    }
    if x >= -1.0 || x.is_nan() {
        return (0.5 * libm::erfc(-x * ROOT.0) + x * ((x * x * -0.5).exp() * INV_SQRT_2PI), 1.0);
    }
    let (s, s_low) = product(x, x);
    let half = (s * -0.25).exp();
    let density = half * INV_SQRT_2PI * (1.0 - s_low * 0.5);
    if x >= -30.0 {
        return (gelu_erf(x) / x + x * (half * density), 1.0);
    }
    // Phi is the density, divided by -x and multiplied by the series.
    (half, density * (x - tail_series(s) / x))
}

/// Returns `g` times the slope of [`gelu_erf`].
#[inline(always)]
pub(super) fn gelu_erf_grad_f64(x: f64, g: f64) -> f64 {
    let (first, second) = gelu_erf_slope(x);
    (g * first) * second
}
