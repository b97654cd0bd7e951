//! Conversions of floats to integers with the results of Rust's `as`, whose loops vectorize.
//!
//! `as` itself is compiled to a comparison and a conversion of each element. Here a number is first clamped to what the
//! integer type holds, so that the conversion needs no checks.
#![allow(unsafe_code)]

/// An integer type that floats are converted to: truncated, then saturated; NaN gives 0.
pub trait Truncate: Sized {
    /// Converts f32.
    fn of_f32(v: f32) -> Self;
    /// Converts f64.
    fn of_f64(v: f64) -> Self;
}

/// Converts `$v`, clamped between the integers `$least` and `$most`, which the float type represents, to `$wide`.
macro_rules! clamped {
    ($v:ident, $least:expr, $most:expr, $wide:ty) => {{
        let v = if $v.is_nan() { 0.0 } else { $v };
        let v = if v < $least { $least } else { v };
        let v = if v > $most { $most } else { v };
        // SAFETY: v is a number between two integers of the type.
        unsafe { v.to_int_unchecked::<$wide>() }
    }};
}

macro_rules! truncate {
    // Integers of up to 16 bits, all of which both float types represent.
    (short $($t:ty),*) => {
        truncate!($($t:
            |v| clamped!(v, <$t>::MIN as f32, <$t>::MAX as f32, i32) as $t,
            |v| clamped!(v, <$t>::MIN as f64, <$t>::MAX as f64, i32) as $t;)*);
    };
    ($($t:ty: |$v:ident| $of_f32:expr, |$w:ident| $of_f64:expr;)*) => {$(
        impl Truncate for $t {
            #[inline(always)]
            fn of_f32($v: f32) -> Self {
                $of_f32
            }
            #[inline(always)]
            fn of_f64($w: f64) -> Self {
                $of_f64
            }
        }
    )*};
}
truncate!(short i8, u8, i16, u16);

/// The largest f32 number below 2^31, and those of f32 and f64 below 2^63.
const BELOW_31: f32 = 2_147_483_520.0;
const BELOW_63: (f32, f64) = (9_223_371_487_098_961_920.0, 9_223_372_036_854_774_784.0);

truncate! {
    i32:
        |v| {
            let r = clamped!(v, i32::MIN as f32, BELOW_31, i32);
            if v > BELOW_31 { i32::MAX } else { r }
        },
        |v| clamped!(v, f64::from(i32::MIN), f64::from(i32::MAX), i32);
    u32: |v| Self::of_f64(f64::from(v)), |v| clamped!(v, 0.0, f64::from(u32::MAX), i64) as u32;
    i64:
        |v| {
            let r = clamped!(v, i64::MIN as f32, BELOW_63.0, i64);
            if v > BELOW_63.0 { i64::MAX } else { r }
        },
        |v| {
            let r = clamped!(v, i64::MIN as f64, BELOW_63.1, i64);
            if v > BELOW_63.1 { i64::MAX } else { r }
        };
    u64: |v| v as u64, |v| v as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All exponents, and the numbers about the ends of all ranges.
    #[test]
    fn conversions_have_the_results_of_as() {
        let ends = [7, 8, 15, 16, 31, 32, 63, 64].map(|k| 2f64.powi(k));
        let mut wide = vec![0.0, 0.5, 1.5, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE];
        wide.extend(
            ends.iter().flat_map(|e| (-3..=3).map(move |d| f64::from_bits((e.to_bits() as i64 + d) as u64))),
        );
        wide.extend(ends.iter().flat_map(|e| (-3..=3).map(move |d| e + 0.5 * f64::from(d))));
        wide.extend((0..=u64::MAX).step_by(1 << 49).map(f64::from_bits));
        let mut narrow: Vec<f32> = (0..=u32::MAX).step_by(9973).map(f32::from_bits).collect();
        narrow.extend(
            ends.iter().flat_map(|e| {
                (-3..=3).map(move |d| f32::from_bits(((*e as f32).to_bits() as i32 + d) as u32))
            }),
        );
        narrow.extend(wide.iter().map(|v| *v as f32));
        macro_rules! check {
            ($($t:ty),*) => {$(
                for v in narrow.iter().flat_map(|v| [*v, -*v]) {
                    assert_eq!(<$t>::of_f32(v), v as $t, "{v:e}");
                }
                for v in wide.iter().flat_map(|v| [*v, -*v]) {
                    assert_eq!(<$t>::of_f64(v), v as $t, "{v:e}");
                }
            )*};
        }
        check!(i8, u8, i16, u16, i32, u32, i64, u64);
    }
}
