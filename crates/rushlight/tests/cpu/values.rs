//! Reference results from simple loops over f64 and i128, which share no code with the library.

use crate::common::numbers::same;
use half::{bf16, f16};
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::cmp::CmpOp;
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{Op, Sample};
use rushlight::{DType, Device, Element, Result, Tensor};
use rushlight_parity::hard_numbers;

const CPU: &Device = &Device::Cpu;

fn vec1<T: Element>(v: &[T]) -> Result<Tensor> {
    Tensor::from_slice(v, v.len(), CPU)
}

/// Returns every pair of a list's elements, as two vectors.
fn pairs<T: Copy>(v: &[T]) -> (Vec<T>, Vec<T>) {
    let all = v.iter().flat_map(|a| v.iter().map(move |b| (*a, *b)));
    all.unzip()
}

fn run2<T: Element>(op: BinaryOp, a: &[T], b: &[T]) -> Result<Vec<T>> {
    Tensor::run(Op::Binary(Binary(op)), &[&vec1(a)?, &vec1(b)?])?.to_vec1()
}

fn run1<T: Element>(op: UnaryOp, a: &[T]) -> Result<Vec<T>> {
    Tensor::run(Op::Unary(Unary(op)), &[&vec1(a)?])?.to_vec1()
}

/// Returns integers at the ends of a type's range, and some in the middle.
macro_rules! edges {
    ($t:ty) => {
        [
            <$t>::MIN,
            <$t>::MIN + 1,
            0,
            1,
            2,
            3,
            5,
            7,
            8,
            31,
            63,
            64 as $t,
            <$t>::MAX - 1,
            <$t>::MAX,
            (0 as $t).wrapping_sub(1),
            (0 as $t).wrapping_sub(2),
            (0 as $t).wrapping_sub(7),
        ]
    };
}

macro_rules! integers {
    ($($name:ident $t:ty;)*) => {$(
        #[test]
        fn $name() -> Result<()> {
            let wrap = |v: i128| v as $t;
            let (a, b) = pairs(&edges!($t));
            let check = |op: BinaryOp, f: &dyn Fn(i128, i128) -> $t| -> Result<()> {
                for (i, got) in run2(op, &a, &b)?.into_iter().enumerate() {
                    assert_eq!(got, f(a[i] as i128, b[i] as i128), "{op:?} {} {}", a[i], b[i]);
                }
                Ok(())
            };
            check(BinaryOp::Add, &|x, y| wrap(x + y))?;
            check(BinaryOp::Sub, &|x, y| wrap(x - y))?;
            check(BinaryOp::Mul, &|x, y| wrap(x.wrapping_mul(y)))?;
            check(BinaryOp::Div, &|x, y| if y == 0 { 0 } else { wrap(x / y) })?;
            check(BinaryOp::FloorDivide, &|x, y| {
                if y == 0 { 0 } else { wrap(x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0)) }
            })?;
            check(BinaryOp::Remainder, &|x, y| {
                if y == 0 { return 0 }
                let r = x % y;
                wrap(if r != 0 && (r < 0) != (y < 0) { r + y } else { r })
            })?;
            check(BinaryOp::Maximum, &|x, y| wrap(x.max(y)))?;
            check(BinaryOp::Minimum, &|x, y| wrap(x.min(y)))?;
            check(BinaryOp::BitwiseAnd, &|x, y| wrap(x & y))?;
            check(BinaryOp::BitwiseOr, &|x, y| wrap(x | y))?;
            check(BinaryOp::BitwiseXor, &|x, y| wrap(x ^ y))?;
            let bits = <$t>::BITS as i128;
            check(BinaryOp::LeftShift, &|x, y| if y < 0 || y >= bits { 0 } else { wrap(x << y) })?;
            check(BinaryOp::RightShift, &|x, y| if y < 0 || y >= bits { wrap(x >> 127) } else { wrap(x >> y) })?;
            check(BinaryOp::Pow, &|x, y| {
                if y < 0 {
                    return match x { 1 => 1, -1 => if y % 2 == 0 { 1 } else { wrap(-1) }, _ => 0 };
                }
                // Square and multiply modulo 2^64, from the high bit down.
                let mut acc: u64 = 1;
                for bit in (0..64).rev() {
                    acc = acc.wrapping_mul(acc);
                    if y >> bit & 1 == 1 { acc = acc.wrapping_mul(x as u64); }
                }
                acc as $t
            })?;
            let v = edges!($t);
            let one = |op: UnaryOp, f: &dyn Fn(i128) -> i128| -> Result<()> {
                for (x, got) in v.iter().zip(run1(op, &v)?) {
                    assert_eq!(got, wrap(f(*x as i128)), "{op:?} {x}");
                }
                Ok(())
            };
            one(UnaryOp::Neg, &|x| -x)?;
            one(UnaryOp::Abs, &|x| x.abs())?;
            one(UnaryOp::Sign, &|x| x.signum())?;
            one(UnaryOp::Square, &|x| x.wrapping_mul(x))?;
            one(UnaryOp::Relu, &|x| x.max(0))?;
            one(UnaryOp::BitwiseNot, &|x| !x)?;
            for op in [UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Round, UnaryOp::Trunc] {
                one(op, &|x| x)?;
            }
            let (ta, tb) = (vec1(&a)?, vec1(&b)?);
            for (op, f) in [
                (CmpOp::Eq, (|x, y| x == y) as fn(i128, i128) -> bool),
                (CmpOp::Ne, |x, y| x != y),
                (CmpOp::Le, |x, y| x <= y),
                (CmpOp::Ge, |x, y| x >= y),
                (CmpOp::Lt, |x, y| x < y),
                (CmpOp::Gt, |x, y| x > y),
            ] {
                let got = ta.compare(&tb, op, DType::Bool)?.to_vec1::<bool>()?;
                for (i, g) in got.into_iter().enumerate() {
                    assert_eq!(g, f(a[i] as i128, b[i] as i128), "{op:?} {} {}", a[i], b[i]);
                }
            }
            Ok(())
        }
    )*};
}
integers! {
    u8_arithmetic_wraps u8; i8_arithmetic_wraps i8; u16_arithmetic_wraps u16; i16_arithmetic_wraps i16;
    u32_arithmetic_wraps u32; i32_arithmetic_wraps i32; u64_arithmetic_wraps u64; i64_arithmetic_wraps i64;
}

/// f16, bf16 and f32 results of + - * / sqrt equal those of f64, rounded once. (f64 has more than twice their bits, so
/// rounding twice does no harm.)
#[test]
fn float_arithmetic_is_rounded_once() -> Result<()> {
    fn check<T: Element>(wide: fn(f64) -> T) -> Result<()> {
        let v: Vec<T> = hard_numbers(T::DTYPE, true).into_iter().map(wide).collect();
        let (a, b) = pairs(&v);
        for (op, f) in [
            (BinaryOp::Add, (|x, y| x + y) as fn(f64, f64) -> f64),
            (BinaryOp::Sub, |x, y| x - y),
            (BinaryOp::Mul, |x, y| x * y),
            (BinaryOp::Div, |x, y| x / y),
        ] {
            for (i, got) in run2(op, &a, &b)?.into_iter().enumerate() {
                let want = wide(f(a[i].to_f64(), b[i].to_f64()));
                assert!(
                    same(got.to_f64(), want.to_f64()),
                    "{:?} {op:?} {} {}: {got} {want}",
                    T::DTYPE,
                    a[i],
                    b[i]
                );
            }
        }
        for (op, f) in [
            (UnaryOp::Sqrt, f64::sqrt as fn(f64) -> f64),
            (UnaryOp::Reciprocal, f64::recip),
            (UnaryOp::Square, |x| x * x),
            (UnaryOp::Abs, f64::abs),
            (UnaryOp::Neg, |x| -x),
            (UnaryOp::Floor, f64::floor),
            (UnaryOp::Ceil, f64::ceil),
            (UnaryOp::Trunc, f64::trunc),
            (UnaryOp::Round, f64::round_ties_even),
            (UnaryOp::Sign, |x| {
                if x.is_nan() {
                    x
                } else if x == 0.0 {
                    0.0
                } else {
                    x.signum()
                }
            }),
        ] {
            for (x, got) in v.iter().zip(run1(op, &v)?) {
                let want = wide(f(x.to_f64()));
                assert!(same(got.to_f64(), want.to_f64()), "{:?} {op:?} {x}: {got} {want}", T::DTYPE);
            }
        }
        Ok(())
    }
    check::<f16>(f16::from_f64)?;
    check::<bf16>(bf16::from_f64)?;
    check::<f32>(|v| v as f32)?;
    check::<f64>(|v| v)
}

#[test]
fn functions_agree_with_f64() -> Result<()> {
    let v: Vec<f64> = (-40..=40).map(|i| i as f64 * 0.07 + 0.013).collect();
    let f32s: Vec<f32> = v.iter().map(|v| *v as f32).collect();
    let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
    type Row = (UnaryOp, Box<dyn Fn(f64) -> f64>);
    let rows: Vec<Row> = vec![
        (UnaryOp::Exp, Box::new(f64::exp)),
        (UnaryOp::Log, Box::new(f64::ln)),
        (UnaryOp::Log1p, Box::new(f64::ln_1p)),
        (UnaryOp::Expm1, Box::new(f64::exp_m1)),
        (UnaryOp::Log2, Box::new(f64::log2)),
        (UnaryOp::Log10, Box::new(f64::log10)),
        (UnaryOp::Sin, Box::new(f64::sin)),
        (UnaryOp::Cos, Box::new(f64::cos)),
        (UnaryOp::Tan, Box::new(f64::tan)),
        (UnaryOp::Asin, Box::new(f64::asin)),
        (UnaryOp::Acos, Box::new(f64::acos)),
        (UnaryOp::Atan, Box::new(f64::atan)),
        (UnaryOp::Sinh, Box::new(f64::sinh)),
        (UnaryOp::Cosh, Box::new(f64::cosh)),
        (UnaryOp::Tanh, Box::new(f64::tanh)),
        (UnaryOp::Asinh, Box::new(f64::asinh)),
        (UnaryOp::Acosh, Box::new(f64::acosh)),
        (UnaryOp::Atanh, Box::new(f64::atanh)),
        (UnaryOp::Rsqrt, Box::new(|x| 1.0 / x.sqrt())),
        (UnaryOp::Frac, Box::new(f64::fract)),
        (UnaryOp::Sigmoid, Box::new(sigmoid)),
        (UnaryOp::Silu, Box::new(move |x| x * sigmoid(x))),
        (UnaryOp::Erf, Box::new(erf)),
        (UnaryOp::GeluErf, Box::new(|x| 0.5 * x * (1.0 + erf(x / 2f64.sqrt())))),
        (
            UnaryOp::Gelu,
            Box::new(|x| {
                0.5 * x * (1.0 + ((2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3))).tanh())
            }),
        ),
    ];
    for (op, f) in &rows {
        for (x, got) in v.iter().zip(run1(*op, &v)?) {
            let want = f(*x);
            let ok = (got - want).abs() <= 1e-13 * want.abs().max(1.0) || (got.is_nan() && want.is_nan());
            assert!(ok, "{op:?}({x}) = {got}, {want}");
        }
        for (x, got) in f32s.iter().zip(run1(*op, &f32s)?) {
            let want = f(*x as f64);
            let ok =
                (got as f64 - want).abs() <= 6e-7 * want.abs().max(1.0) || (got.is_nan() && want.is_nan());
            assert!(ok, "{op:?}({x}) = {got}, {want} (f32)");
        }
    }
    Ok(())
}

/// x Phi(x) is accurate where Phi, the normal distribution function, is small.
#[test]
fn gelu_keeps_its_digits_far_below_zero() -> Result<()> {
    let phi = [
        (-1.0, 0.158_655_253_931_457_05),
        (-3.0, 0.001_349_898_031_630_094_6),
        (-5.0, 2.866_515_718_791_939e-7),
        (-8.0, 6.220_960_574_271_785e-16),
        (-10.0, 7.619_853_024_160_527e-24),
        (3.0, 0.998_650_101_968_369_9),
    ];
    let x: Vec<f64> = phi.iter().map(|r| r.0).collect();
    for ((x, p), got) in phi.iter().zip(run1(UnaryOp::GeluErf, &x)?) {
        let want = x * p;
        assert!((got - want).abs() <= 3e-14 * want.abs(), "gelu_erf({x}) = {got}, not {want}");
    }
    let x: Vec<f32> = phi.iter().map(|r| r.0 as f32).collect();
    for ((x, p), got) in phi.iter().zip(run1(UnaryOp::GeluErf, &x)?) {
        let want = x * p;
        assert!((got as f64 - want).abs() <= 1e-5 * want.abs(), "gelu_erf({x}) = {got}, not {want} (f32)");
    }
    Ok(())
}

/// The gradient of x Phi(x) is accurate where it is small. Expected values were computed with mpmath.
#[test]
fn the_gradient_of_gelu_keeps_its_digits_far_below_zero() -> Result<()> {
    let slopes = [
        (-1.5, -0.127_469_192_229_979_53),
        (-4.0, -0.000_503_649_661_226_421_5),
        (-6.0, -3.546_870_945_390_201_5e-8),
        (-8.25, -5.388_191_138_027_795e-15),
        (-10.0, -7.618_400_096_464_814e-22),
        (-12.5, -5.831_668_554_480_155e-34),
        (-20.0, -1.101_436_048_313_346_4e-86),
        (-37.0, -7.838_298_669_418_516e-297),
    ];
    let all: Vec<f64> = slopes.iter().map(|r| r.0).collect();
    let gradient = |x: Tensor| {
        let x = x.leaf();
        x.gelu_erf()?.backward_accumulate(None)?;
        x.grad().expect("a gradient").to_dtype(DType::F64)?.to_vec1::<f64>()
    };
    for ((x, want), got) in slopes.iter().zip(gradient(vec1(&all)?)?) {
        assert!((got - want).abs() <= 16.0 * f64::EPSILON * want.abs(), "at {x} {got}, not {want}");
    }
    // (For F32, normal numbers only.)
    let single: Vec<f32> = all[..6].iter().map(|x| *x as f32).collect();
    for ((x, want), got) in slopes.iter().zip(gradient(vec1(&single)?)?) {
        let may = 16.0 * f64::from(f32::EPSILON) * want.abs();
        assert!((got - want).abs() <= may, "at {x} {got}, not {want} (f32)");
    }
    Ok(())
}

/// Computes erf by its series until the sum stops changing. Accurate enough below 3.
fn erf(x: f64) -> f64 {
    let (mut term, mut sum, mut n) = (x, x, 0.0);
    while n < 200.0 {
        n += 1.0;
        term *= -x * x / n;
        sum += term / (2.0 * n + 1.0);
    }
    sum * 2.0 / std::f64::consts::PI.sqrt()
}

/// Compares Python's `%` and `//` on floats with results computed by hand. By an infinity `//` is a zero, as in the array API.
#[test]
fn remainder_and_floor_divide_are_pythons() -> Result<()> {
    let inf = f64::INFINITY;
    let rows = [
        (5.5, 2.0, 1.5, 2.0),
        (-5.5, 2.0, 0.5, -3.0),
        (5.5, -2.0, -0.5, -3.0),
        (-5.5, -2.0, -1.5, 2.0),
        (1.0, 0.1, 0.09999999999999995, 9.0),
        (4.0, -2.0, -0.0, -2.0),
        (-0.0, 3.0, 0.0, -0.0),
        (3.0, inf, 3.0, 0.0),
        (-3.0, inf, inf, -0.0),
        (3.0, -inf, -inf, -0.0),
        (-inf, 3.0, f64::NAN, -inf),
        (1.0, 0.0, f64::NAN, inf),
    ];
    let a: Vec<f64> = rows.iter().map(|r| r.0).collect();
    let b: Vec<f64> = rows.iter().map(|r| r.1).collect();
    for (r, got) in rows.iter().zip(run2(BinaryOp::Remainder, &a, &b)?) {
        assert!(same(got, r.2), "{} % {} = {got}, not {}", r.0, r.1, r.2);
    }
    for (r, got) in rows.iter().zip(run2(BinaryOp::FloorDivide, &a, &b)?) {
        assert!(same(got, r.3), "{} // {} = {got}, not {}", r.0, r.1, r.3);
    }
    Ok(())
}

#[test]
fn nan_wins_in_maximum_minimum_max_and_min() -> Result<()> {
    let v = [1.0f32, f32::NAN, -2.0, f32::INFINITY];
    let (a, b) = pairs(&v);
    for (i, (mx, mn)) in
        run2(BinaryOp::Maximum, &a, &b)?.into_iter().zip(run2(BinaryOp::Minimum, &a, &b)?).enumerate()
    {
        let nan = a[i].is_nan() || b[i].is_nan();
        assert_eq!(mx.is_nan(), nan);
        assert_eq!(mn.is_nan(), nan);
        if !nan {
            assert_eq!((mx, mn), (a[i].max(b[i]), a[i].min(b[i])));
        }
    }
    for place in 0..5 {
        let mut v = vec![0.0f32, 5.0, -7.0, 5.0, -7.0];
        let t = vec1(&v)?;
        assert_eq!(
            (t.argmax(0)?.to_scalar::<u32>()?, t.argmin(0)?.to_scalar::<u32>()?),
            (1, 2),
            "first of ties"
        );
        v[place] = f32::NAN;
        let t = vec1(&v)?;
        assert!(t.max(0)?.to_scalar::<f32>()?.is_nan() && t.min(0)?.to_scalar::<f32>()?.is_nan());
        assert_eq!(t.argmax(0)?.to_scalar::<u32>()?, place as u32);
        assert_eq!(t.argmin(0)?.to_scalar::<u32>()?, place as u32);
        assert!(!vec1(&v)?.compare(&t, CmpOp::Eq, DType::Bool)?.to_vec1::<bool>()?[place]);
    }
    // Long lines, too: the first of several equal elements, across borders of chunks.
    let mut v = vec![0i32; 5000];
    (v[2047], v[2048], v[4000]) = (9, 9, 9);
    assert_eq!(vec1(&v)?.argmax(0)?.to_scalar::<u32>()?, 2047);
    Ok(())
}

/// The samples of op definitions are small, so that sweeps over them are fast. Those of ops on lines have one that takes a block of
/// 1,024 threads on a GPU, products in 8 bits one of more rows, columns and elements than a tile has, and attention heads of 200 numbers.
#[test]
fn samples_are_small() {
    let most = |s: &Sample| match s.op.name() {
        "softmax" | "log_softmax" | "softmax_backward" | "log_softmax_backward" => 18_000,
        "cross_entropy" | "cross_entropy_backward" | "quantize_int8" => 18_000,
        "qmatmul_int8" => 60_000,
        "attention" | "attention_stats" | "attention_query_grad" | "attention_key_grad" => 9_000,
        _ => 4096,
    };
    let large = |s: &Sample| s.inputs.iter().any(|i| i.shape.elem_count() > most(s));
    let names: Vec<_> = Op::all_samples().iter().filter(|s| large(s)).map(|s| s.op.name()).collect();
    assert!(names.is_empty(), "{names:?}");
}
