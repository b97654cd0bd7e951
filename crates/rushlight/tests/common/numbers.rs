//! Numbers that are hard to get right, and when two are the same.

/// Same value, same sign of zero, or both NaN.
pub fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
}

/// Zeros, tiny and huge numbers, infinities, NaN.
pub const FLOATS: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    3.0,
    -3.25,
    0.1,
    1e-3,
    100.0,
    -1e4,
    6e-8,
    1e-40,
    -1e-310,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    65504.0,
];
