//! Comparison of numbers.

/// Whether two numbers have the same value and sign of zero, or are both NaN.
pub fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
}
