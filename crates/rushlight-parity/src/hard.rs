//! Numbers that are hard to get right: zeros of both signs, subnormals, the smallest and largest numbers, infinities, NaN,
//! sums that cancel, halves between integers; of integers, the ends of the range.
use rushlight::DType;

/// Hard numbers for every float dtype.
const FLOATS: &[f64] = &[
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
    6e-8,
    1e-40,
    -1e-310,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

/// Numbers whose exponentials or squares overflow, and the largest numbers of narrower dtypes.
const LARGE: &[f64] = &[-1e4, 65504.0, 88.0, -88.0, 700.0, -700.0, 1e10, -1e10, 7.0, -7.0];

/// Returns the hard numbers of a dtype. Elements are made of them by rounding; integers saturate. With `large` there are
/// numbers whose sums overflow, which makes the order of a sum visible.
///
/// ```
/// use rushlight::DType;
/// use rushlight_parity::hard_numbers;
/// let v = hard_numbers(DType::F16, true);
/// assert!(v.contains(&65504.0) && v.contains(&f64::INFINITY) && v.iter().any(|v| v.is_nan()));
/// assert!(hard_numbers(DType::I8, true).contains(&-128.0));
/// ```
pub fn hard_numbers(dtype: DType, large: bool) -> Vec<f64> {
    if dtype == DType::Bool {
        return vec![0.0, 1.0];
    }
    let bits = 8 * dtype.size_in_bytes() as i32;
    if dtype.is_int() {
        let small = [0.0, 1.0, 2.0, 3.0, 7.0, 8.0, 31.0, 63.0, 64.0, 100.0, 127.0];
        let mut v: Vec<f64> = small.iter().flat_map(|n| [*n, -n]).collect();
        let top = 2f64.powi(bits - i32::from(dtype.is_signed_int()));
        // Numbers at the end of the range and at half of it. `top` is one beyond the range and is saturated to its end.
        v.extend([top, top - 1.0, top / 2.0, top / 2.0 - 1.0]);
        if dtype.is_signed_int() {
            v.extend([-top, 1.0 - top, -top / 2.0]);
        }
        return v;
    }
    let (tiny, least, most) = match dtype {
        DType::F64 | DType::C128 => (5e-324, f64::MIN_POSITIVE, f64::MAX),
        DType::F16 => (6e-8, 6.103515625e-5, 65504.0),
        DType::BF16 => (9.2e-41, f64::from(f32::MIN_POSITIVE), 3.3895313892515355e38),
        DType::F8E4M3 => (0.001953125, 0.015625, 448.0),
        _ => (1e-45, f64::from(f32::MIN_POSITIVE), f64::from(f32::MAX)),
    };
    let mut v = FLOATS.to_vec();
    v.extend([tiny, 3.0 * tiny, least, least - tiny, 1.001].iter().flat_map(|n| [*n, -n]));
    if large {
        v.extend_from_slice(LARGE);
        v.extend([most, -most, most / 2.0, -most / 2.0]);
    }
    v
}
