//! Casts between all dtypes and matrix products of all dtypes, compared with exact integers and with rounding
//! implemented here.

use crate::common::numbers::same;
use half::{bf16, f16};
use rushlight::{DType, Device, Element, Result, Tensor};
use rushlight_parity::hard_numbers;

const CPU: &Device = &Device::Cpu;

fn vec1<T: Element>(v: &[T]) -> Result<Tensor> {
    Tensor::from_slice(v, v.len(), CPU)
}

/// A number before a cast: an exact integer, a real number, or a complex number.
#[derive(Clone, Copy, Debug)]
enum Number {
    Int(i128),
    Real(f64),
}

/// Rounds an exact integer to a float of `bits` significand bits: to nearest, ties to even.
fn round_int(v: i128, bits: u32) -> f64 {
    let mag = v.unsigned_abs();
    let len = 128 - mag.leading_zeros();
    let rounded = if len <= bits {
        mag
    } else {
        let shift = len - bits;
        let (q, rest, half) = (mag >> shift, mag & ((1 << shift) - 1), 1u128 << (shift - 1));
        (q + u128::from(rest > half || (rest == half && q & 1 == 1))) << shift
    };
    // At most `bits` significant bits remain, so this is exact.
    let f = rounded as f64;
    if v < 0 { -f } else { f }
}

fn cast_want(n: Number, to: DType) -> f64 {
    let clamp = |lo: i128, hi: i128| match n {
        Number::Int(v) => {
            // Integers wrap, like Rust's `as`.
            let span = hi - lo + 1;
            ((v - lo).rem_euclid(span) + lo) as f64
        }
        Number::Real(v) if v.is_nan() => 0.0,
        Number::Real(v) => v.trunc().clamp(lo as f64, hi as f64),
    };
    let float = |bits: u32, max: f64, f: fn(f64) -> f64| match n {
        Number::Int(v) => {
            let r = round_int(v, bits);
            if r.abs() > max { f64::INFINITY.copysign(r) } else { r }
        }
        Number::Real(v) => f(v),
    };
    match to {
        DType::Bool => match n {
            Number::Int(v) => (v != 0) as u8 as f64,
            Number::Real(v) => (v != 0.0) as u8 as f64,
        },
        DType::U8 => clamp(0, u8::MAX as i128),
        DType::I8 => clamp(i8::MIN as i128, i8::MAX as i128),
        DType::U16 => clamp(0, u16::MAX as i128),
        DType::I16 => clamp(i16::MIN as i128, i16::MAX as i128),
        DType::U32 => clamp(0, u32::MAX as i128),
        DType::I32 => clamp(i32::MIN as i128, i32::MAX as i128),
        DType::U64 => clamp(0, u64::MAX as i128),
        DType::I64 => clamp(i64::MIN as i128, i64::MAX as i128),
        DType::BF16 => float(8, f32::MAX as f64, |v| by_hand(v, 8, -126, 127)),
        DType::F16 => float(11, 65504.0, |v| by_hand(v, 11, -14, 15)),
        DType::F32 | DType::C64 => float(24, f32::MAX as f64, |v| by_hand(v, 24, -126, 127)),
        DType::F64 | DType::C128 => float(53, f64::MAX, |v| v),
        DType::F8E4M3 => f8(match n {
            Number::Int(v) => v as f64,
            Number::Real(v) => v,
        }),
        other => panic!("no oracle for {other:?}"),
    }
}

/// Rounds f64 to a float of `bits` significand bits and exponents `lo..=hi`: to nearest, ties to even, with subnormals
/// and infinities.
fn by_hand(v: f64, bits: i32, lo: i32, hi: i32) -> f64 {
    if v == 0.0 || !v.is_finite() {
        return v;
    }
    let exp = v.abs().log2().floor() as i32;
    // log2 may be off by one at a power of two.
    let exp = if 2f64.powi(exp + 1) <= v.abs() {
        exp + 1
    } else if 2f64.powi(exp) > v.abs() {
        exp - 1
    } else {
        exp
    };
    let ulp_exp = exp.max(lo) - bits + 1;
    // Scaled in two steps, so that the scale itself does not overflow.
    let scaled = v * 2f64.powi(-ulp_exp / 2) * 2f64.powi(-ulp_exp - (-ulp_exp / 2));
    let r = scaled.round_ties_even() * 2f64.powi(ulp_exp / 2) * 2f64.powi(ulp_exp - ulp_exp / 2);
    let max = (2.0 - 2f64.powi(1 - bits)) * 2f64.powi(hi);
    if r.abs() > max { f64::INFINITY.copysign(v) } else { r }
}

/// Rounds to E4M3 (OCP 8-bit), which has no infinity: larger numbers become the largest number.
fn f8(v: f64) -> f64 {
    if v.is_nan() { v } else { by_hand(v, 4, -6, 8).clamp(-448.0, 448.0) }
}

#[test]
fn all_casts_are_those_of_exact_numbers() -> Result<()> {
    let ints: Vec<i128> = {
        let mut v =
            vec![0, 1, -1, 2, 100, 127, 128, -128, -129, 255, 256, 2047, 2049, 2051, 4097, 65503, 65519];
        v.extend([
            65520,
            -65520,
            65535,
            65536,
            (1 << 24) + 1,
            (1 << 24) + 3,
            i32::MIN as i128,
            u32::MAX as i128,
        ]);
        v.extend([(1 << 53) + 1, (1 << 53) + 3, i64::MAX as i128, i64::MIN as i128, u64::MAX as i128]);
        // Just above and below a tie: rounding twice would give a wrong result.
        v.extend([
            (1 << 40) + (1 << 29) + 1,
            (1 << 40) + (1 << 29) - 1,
            (1 << 40) + (1 << 32) + 1,
            (1 << 61) + (1 << 53) + 1,
        ]);
        for tie in [257 << 20, 259 << 20, 257 << 17, 515 << 16, (1 << 24) + (1 << 16), 4097 << 3] {
            v.extend([-128, -1, 0, 1, 128].iter().flat_map(|d| [tie + d, -tie - d]));
        }
        v
    };
    let mut reals = hard_numbers(DType::F64, true);
    reals.extend([
        255.5, 256.0, -0.9, 1e19, -1e19, 3e38, 1e39, 65519.9, 65520.0, 5.9e-8, 2.9e-8, 1e-45, 7e-46,
    ]);
    reals.extend([
        1.0 + 2f64.powi(-11) + 2f64.powi(-40),
        1.0 + 2f64.powi(-9) + 2f64.powi(-30),
        2.0 - 2f64.powi(-30),
    ]);
    // About ties of normal and subnormal numbers of F16 and BF16, and between them and the next dtype.
    for tie in [
        2f64.powi(-25),
        3.0 * 2f64.powi(-25),
        2f64.powi(-134),
        3.0 * 2f64.powi(-134),
        129.0 * 2f64.powi(-134),
        257.0 * 2f64.powi(-8),
    ] {
        for d in [
            -2f64.powi(-50),
            -2f64.powi(-30),
            -2f64.powi(-12),
            0.0,
            2f64.powi(-12),
            2f64.powi(-30),
            2f64.powi(-50),
        ] {
            reals.extend([tie * (1.0 + d), -tie * (1.0 + d)]);
        }
    }
    for &from in DType::ALL {
        // The numbers that the source dtype represents, after a first conversion that is checked, too.
        let (source, numbers) = source(from, &ints, &reals)?;
        for &to in DType::ALL {
            let got = source.to_dtype(to)?;
            assert_eq!(got.dtype(), to);
            let got = exact(&got)?;
            for (n, g) in numbers.iter().zip(got) {
                let g = match g {
                    Number::Int(v) => v,
                    Number::Real(g) => {
                        let want = cast_want(*n, to);
                        assert!(same(g, want), "{from:?} {n:?} to {to:?}: {g:e}, not {want:e}");
                        continue;
                    }
                };
                // Integers are compared exactly if f64 represents them, else with the wrapped or saturated value.
                let want = want_int(*n, to);
                assert_eq!(g, want, "{from:?} {n:?} to {to:?}");
            }
        }
    }
    Ok(())
}

fn want_int(n: Number, to: DType) -> i128 {
    let (lo, hi) = match to {
        DType::Bool => {
            return match n {
                Number::Int(v) => (v != 0) as i128,
                Number::Real(v) => (v != 0.0) as i128,
            };
        }
        DType::U64 => (0, u64::MAX as i128),
        DType::I64 => (i64::MIN as i128, i64::MAX as i128),
        other => return cast_want(n, other) as i128,
    };
    match n {
        Number::Int(v) => (v - lo).rem_euclid(hi - lo + 1) + lo,
        Number::Real(v) if v.is_nan() => 0,
        Number::Real(v) if v >= hi as f64 => hi,
        Number::Real(v) if v <= lo as f64 => lo,
        Number::Real(v) => v as i128,
    }
}

/// Returns a tensor of a dtype, and the numbers that it holds.
fn source(dtype: DType, ints: &[i128], reals: &[f64]) -> Result<(Tensor, Vec<Number>)> {
    macro_rules! int {
        ($t:ty) => {{
            let v: Vec<$t> = ints.iter().map(|v| *v as $t).collect();
            let n = v.iter().map(|v| Number::Int(*v as i128)).collect();
            Ok((vec1(&v)?, n))
        }};
    }
    macro_rules! float {
        ($t:ty, $f:expr) => {{
            let v: Vec<$t> = reals.iter().map(|v| ($f)(*v)).collect();
            let n = v.iter().map(|v| Number::Real(v.to_f64())).collect();
            Ok((vec1(&v)?, n))
        }};
    }
    match dtype {
        DType::Bool => Ok((vec1(&[false, true])?, vec![Number::Int(0), Number::Int(1)])),
        DType::U8 => int!(u8),
        DType::I8 => int!(i8),
        DType::U16 => int!(u16),
        DType::I16 => int!(i16),
        DType::U32 => int!(u32),
        DType::I32 => int!(i32),
        DType::U64 => int!(u64),
        DType::I64 => int!(i64),
        DType::F8E4M3 => float!(float8::F8E4M3, float8::F8E4M3::from_f64),
        DType::BF16 => float!(bf16, bf16::from_f64),
        DType::F16 => float!(f16, f16::from_f64),
        DType::F32 => float!(f32, |v| v as f32),
        DType::F64 => float!(f64, |v| v),
        DType::C64 => float!(rushlight::C64, |v| rushlight::C64::new(v as f32, 0.0)),
        DType::C128 => float!(rushlight::C128, |v| rushlight::C128::new(v, 0.0)),
        other => panic!("no numbers of {other:?}"),
    }
}

/// Returns the numbers that a tensor holds.
fn exact(t: &Tensor) -> Result<Vec<Number>> {
    macro_rules! read {
        ($t:ty) => {
            t.to_vec1::<$t>()?
                .into_iter()
                .map(|v| v.to_i128().map_or(Number::Real(v.to_f64()), Number::Int))
                .collect()
        };
    }
    Ok(match t.dtype() {
        DType::Bool => read!(bool),
        DType::U8 => read!(u8),
        DType::I8 => read!(i8),
        DType::U16 => read!(u16),
        DType::I16 => read!(i16),
        DType::U32 => read!(u32),
        DType::I32 => read!(i32),
        DType::U64 => read!(u64),
        DType::I64 => read!(i64),
        DType::F8E4M3 => read!(float8::F8E4M3),
        DType::BF16 => read!(bf16),
        DType::F16 => read!(f16),
        DType::F32 => read!(f32),
        DType::F64 => read!(f64),
        DType::C64 => read!(rushlight::C64),
        DType::C128 => read!(rushlight::C128),
        other => panic!("no numbers of {other:?}"),
    })
}

/// Compares products of every numeric dtype with sums of integers or f64, for unusual strides and a broadcast batch.
#[test]
fn matmul_of_every_dtype_and_stride() -> Result<()> {
    for dtype in rushlight::sets::NUMERIC.iter() {
        for (m, k, n) in [(1, 1, 1), (3, 5, 2), (17, 33, 9), (2, 700, 3), (1, 75, 6), (4, 0, 3)] {
            let a: Vec<f64> = (0..2 * m * k).map(|i| ((i * 7 + 3) % 11) as f64 - 5.0).collect();
            let b: Vec<f64> = (0..k * n).map(|i| ((i * 5 + 1) % 13) as f64 - 6.0).collect();
            let mut want = vec![0i128; 2 * m * n];
            for (z, w) in want.iter_mut().enumerate() {
                let (batch, r, c) = (z / (m * n), z / n % m, z % n);
                *w = (0..k).map(|i| (a[(batch * m + r) * k + i] * b[i * n + c]) as i128).sum();
            }
            // The left matrix is stored transposed with gaps; the right one is broadcast over the batch.
            let ta = Tensor::from_vec(a, (2, m, k), CPU)?.to_dtype(DType::I64)?.to_dtype(dtype)?;
            let gaps = Tensor::zeros((2, 2 * k + 1, m), dtype, CPU)?.slice(1, 1, k, 2)?.t()?;
            gaps.assign(&ta)?;
            let tb = Tensor::from_vec(b, (k, n), CPU)?.to_dtype(DType::I64)?.to_dtype(dtype)?;
            // The columns of a linear layer's matrix are adjacent in memory.
            let columns = tb.t()?.contiguous()?.t()?;
            for (left, right) in [(&ta, &tb), (&gaps, &tb), (&ta, &columns), (&gaps, &columns)] {
                let got = left.broadcast_matmul(right)?.flatten_all()?;
                let wide = exact(&got)?;
                for (g, w) in wide.into_iter().zip(&want) {
                    match g {
                        Number::Int(g) => assert_eq!(g, want_int(Number::Int(*w), dtype), "{dtype:?}"),
                        // All sums are exact in f32; f16 and bf16 round once at the end.
                        Number::Real(g) => assert!(
                            same(g + 0.0, cast_want(Number::Int(*w), dtype)),
                            "{dtype:?} {m} {k} {n}: {g} {w}"
                        ),
                    }
                }
            }
        }
    }
    Ok(())
}
