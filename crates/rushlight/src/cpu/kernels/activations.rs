//! Sigmoid, SiLU and GELU in f64, within a few units in the last place down to the ends of the range.

/// For x below minus this limit, e^-x is close to overflow.
const EXP_LIMIT: f64 = 700.0;

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

/// `0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))` (Hendrycks and Gimpel 2016), as `x / (1 + e^-v)` with
/// `v = 2 sqrt(2/pi) (x + 0.044715 x^3)`: `1 + tanh` would cancel below 0. The rounding error of `v`, an exponent, is corrected.
pub(super) fn gelu_tanh(x: f64) -> f64 {
    // The factors of x and x^3 in `v`: 2 sqrt(2/pi), and 0.044715 times that. Each with its rounding error.
    const LINEAR: (f64, f64) = (1.5957691216057308, -9.96930880911092e-17);
    const CUBIC: (f64, f64) = (0.07135481627260025, -6.175149918155315e-19);
    if x > 30.0 {
        return x;
    }
    if x < -30.0 {
        // (NaN for x = -infinity.)
        return x * 0.0;
    }
    let (s, s_low) = product(x, x);
    let (t, t_low) = product(CUBIC.0, s);
    let t_low = t_low + (CUBIC.0 * s_low + CUBIC.1 * s);
    let w = LINEAR.0 + t;
    let b = w - LINEAR.0;
    let w_low = ((LINEAR.0 - (w - b)) + (t - b)) + (t_low + LINEAR.1);
    let (v, v_low) = product(x, w);
    let v_low = v_low + x * w_low;
    if v > -EXP_LIMIT {
        let e = (-v).exp();
        x / (1.0 + (e - e * v_low))
    } else {
        let half = (v * 0.5).exp();
        (x * half * (1.0 + v_low)) * half
    }
}

/// Computes `x Phi(x)`. Uses `erfc` for negative x, where `1 + erf` would cancel.
pub(super) fn gelu_erf(x: f64) -> f64 {
    // sqrt(1/2), with its rounding error.
    const ROOT: (f64, f64) = (std::f64::consts::FRAC_1_SQRT_2, -4.833646656726457e-17);
    const INV_SQRT_2PI: f64 = 0.3989422804014327;
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
    let (y, half) = (1.0 / s, (s * -0.25).exp());
    let series = [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0].iter().fold(1.0, |sum, k| 1.0 - k * y * sum);
    -(half * (INV_SQRT_2PI * series * (1.0 - s_low * 0.5))) * half
}
