//! When two numbers are the same.

/// Same value, same sign of zero, or both NaN.
pub fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
}
