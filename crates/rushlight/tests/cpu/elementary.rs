//! Elementary functions of f32 are within 4 units in the last place of f64 references, over all numbers.
use rushlight::ops::Op;
use rushlight::ops::powf::Powf;
use rushlight::ops::softplus::Softplus;
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::{DType, Device, Result, Tensor};
use std::f64::consts::FRAC_1_SQRT_2;

/// Name, op and reference of each function.
type Row = (&'static str, Op, fn(f64) -> f64);

fn sigmoid(x: f64) -> f64 {
    if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }
}

/// `x Phi(x)`; for minus infinity `-infinity * 0`.
fn gelu_erf(x: f64) -> f64 {
    0.5 * x * libm::erfc(-x * FRAC_1_SQRT_2)
}

fn gelu_tanh(x: f64) -> f64 {
    x * sigmoid((8.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x * x * x))
}

fn rows() -> Vec<Row> {
    let unary = |op| Op::Unary(Unary(op));
    vec![
        ("exp", unary(UnaryOp::Exp), f64::exp),
        ("expm1", unary(UnaryOp::Expm1), f64::exp_m1),
        ("log", unary(UnaryOp::Log), f64::ln),
        ("log1p", unary(UnaryOp::Log1p), f64::ln_1p),
        ("log2", unary(UnaryOp::Log2), f64::log2),
        ("log10", unary(UnaryOp::Log10), f64::log10),
        ("tanh", unary(UnaryOp::Tanh), f64::tanh),
        ("sigmoid", unary(UnaryOp::Sigmoid), sigmoid),
        ("silu", unary(UnaryOp::Silu), |x| x * sigmoid(x)),
        ("erf", unary(UnaryOp::Erf), libm::erf),
        ("gelu_erf", unary(UnaryOp::GeluErf), gelu_erf),
        ("gelu", unary(UnaryOp::Gelu), gelu_tanh),
        ("sin", unary(UnaryOp::Sin), f64::sin),
        ("cos", unary(UnaryOp::Cos), f64::cos),
        ("tan", unary(UnaryOp::Tan), f64::tan),
        ("sinh", unary(UnaryOp::Sinh), f64::sinh),
        ("cosh", unary(UnaryOp::Cosh), f64::cosh),
        ("asinh", unary(UnaryOp::Asinh), libm::asinh),
        ("acosh", unary(UnaryOp::Acosh), |x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }),
        ("atanh", unary(UnaryOp::Atanh), libm::atanh),
        ("asin", unary(UnaryOp::Asin), f64::asin),
        ("acos", unary(UnaryOp::Acos), f64::acos),
        ("atan", unary(UnaryOp::Atan), f64::atan),
        ("x^1.7", Op::Powf(Powf(1.7)), |x| x.powf(f64::from(1.7f32))),
        ("x^-3", Op::Powf(Powf(-3.0)), |x| x.powi(-3)),
        ("softplus", softplus(1.0, 20.0), |x| if x > 20.0 { x } else { x.exp().ln_1p() }),
        ("softplus of 0.7 x", softplus(0.7, 30.0), |x| {
            let beta = f64::from(0.7f32);
            if x as f32 * 0.7f32 > 30.0 { x } else { (beta * x).exp().ln_1p() / beta }
        }),
    ]
}

fn softplus(beta: f64, threshold: f64) -> Op {
    Op::Softplus(Softplus { beta, threshold })
}

/// The distance of two adjacent f32 numbers at the magnitude of a number.
fn unit(x: f64) -> f64 {
    let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
    2f64.powi(exponent.clamp(-126, 127) - 23)
}

/// The largest error of a function, in units in the last place, and its argument. Fails if one of the result and the true
/// value is NaN, or infinite where the other is a number, or if a zero has the wrong sign.
fn worst((name, op, f): &Row, x: &[f32]) -> Result<(f64, f32)> {
    let got = Tensor::run(op.clone(), &[&Tensor::from_slice(x, x.len(), &Device::Cpu)?])?.to_vec1::<f32>()?;
    let mut worst = (0.0, 0.0);
    for (&x, got) in x.iter().zip(got) {
        let want = f(f64::from(x));
        if want.is_nan() || got.is_nan() {
            assert!(want.is_nan() && got.is_nan(), "{name}({x:e}) is {got:e}, not {want:e}");
            continue;
        }
        let near = want as f32;
        if near.is_infinite() || got.is_infinite() {
            // The largest number is one unit from where rounding gives infinity.
            let close = got == near || (want.abs() >= f64::from(f32::MAX) && got.abs() == f32::MAX);
            assert!(close, "{name}({x:e}) is {got:e}, not {want:e}");
            continue;
        }
        if near == 0.0 && got == 0.0 && want == 0.0 {
            assert!(near.to_bits() == got.to_bits(), "{name}({x:e}) has the wrong sign of zero");
        }
        let error = (f64::from(got) - want).abs() / unit(want);
        if error > worst.0 {
            worst = (error, x);
        }
    }
    Ok(worst)
}

/// Special numbers, those about them, the ends of the ranges of results, and a dense sample of all.
fn numbers() -> Vec<f32> {
    let ends = [
        0.0,
        1.0,
        0.5,
        2.0,
        88.722_84,
        -87.336_55,
        -103.972_08,
        -103.278_93,
        104.0,
        10.0,
        9.01,
        16.6,
        20.0,
        28.571_43,
        0.95,
        4.0,
        12.0,
        14.6,
        15.0,
        30.0,
        0.707_106_77,
        std::f32::consts::SQRT_2,
        0.346_573_6,
        1e8,
        1e-20,
        1.570_796_4,
        std::f32::consts::PI,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
    ];
    let mut all: Vec<f32> = vec![f32::NAN, -f32::NAN, f32::from_bits(0x7f80_0001)];
    for end in ends {
        let bits = end.to_bits();
        let about = bits.saturating_sub(40)..=bits.saturating_add(40);
        all.extend(about.flat_map(|b| [f32::from_bits(b), -f32::from_bits(b)]));
    }
    all.extend((0..=u32::MAX).step_by(9973).map(f32::from_bits));
    all
}

#[test]
fn functions_are_within_four_units_of_the_true_value() -> Result<()> {
    let x = numbers();
    for row in rows() {
        let (error, at) = worst(&row, &x)?;
        assert!(error <= 4.0, "{}({at:e}): {error} units", row.0);
    }
    Ok(())
}

/// Powers of numbers of all magnitudes and signs, whole, odd and other exponents, and special values.
#[test]
fn powers_are_within_a_unit_of_the_true_value() -> Result<()> {
    let mut bases: Vec<f32> = (0..=u32::MAX).step_by(30_000_001).map(f32::from_bits).collect();
    bases.extend([
        0.0,
        1.0,
        2.0,
        0.5,
        1.0 + f32::EPSILON,
        1.0 - f32::EPSILON,
        1e-45,
        f32::MAX,
        f32::INFINITY,
    ]);
    bases.extend([
        f32::MIN_POSITIVE,
        10.0,
        std::f32::consts::SQRT_2,
        std::f32::consts::FRAC_1_SQRT_2,
        f32::NAN,
    ]);
    let mut exponents: Vec<f32> = (0..=u32::MAX).step_by(20_000_003).map(f32::from_bits).collect();
    exponents.extend((-40..=40).map(|i| i as f32 / 2.0));
    exponents.extend([
        8_388_607.5,
        8_388_608.0,
        8_388_609.0,
        16_777_215.0,
        16_777_216.0,
        1e9,
        f32::INFINITY,
        1e-30,
    ]);
    let pairs = bases.iter().flat_map(|b| [*b, -*b]).flat_map(|b| exponents.iter().map(move |e| (b, *e)));
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.flat_map(|(b, e)| [(b, e), (b, -e)]).unzip();
    let tensor = |v: &[f32]| Tensor::from_slice(v, v.len(), &Device::Cpu);
    let got = tensor(&x)?.pow(&tensor(&y)?)?.to_vec1::<f32>()?;
    for ((&x, &y), got) in x.iter().zip(&y).zip(got) {
        let want = f64::from(x).powf(f64::from(y));
        let near = want as f32;
        if near.is_nan() || near.is_infinite() || near == 0.0 || got == 0.0 || !got.is_finite() {
            // (Beside the ends of the range both neighbours are within a unit.)
            let close = (f64::from(got) - want).abs() <= unit(want)
                || got == near
                || near.is_infinite() && got == f32::MAX.copysign(near);
            let sign = got.is_sign_negative() == near.is_sign_negative();
            assert!(near.is_nan() && got.is_nan() || close && sign, "{x:e}^{y:e} is {got:e}, not {want:e}");
            continue;
        }
        assert!((f64::from(got) - want).abs() <= unit(want), "{x:e}^{y:e} is {got:e}, not {want:e}");
    }
    Ok(())
}

/// Angles of points of all magnitudes and signs, on the diagonals and axes, and special values.
#[test]
fn angles_are_within_two_units_of_the_true_value() -> Result<()> {
    let mut sides: Vec<f32> = (0..=u32::MAX >> 1).step_by(9_000_001).map(f32::from_bits).collect();
    sides.extend([0.0, 1.0, 0.414_213_57, 0.414_213_6, 2.414_213_7, 3.0, 1e-45, f32::MIN_POSITIVE, f32::MAX]);
    sides.extend([f32::INFINITY, f32::NAN]);
    let pairs = sides.iter().flat_map(|y| sides.iter().map(move |x| (*y, *x)));
    let (y, x): (Vec<f32>, Vec<f32>) = pairs.flat_map(|(y, x)| [(y, x), (y, -x), (-y, x), (-y, -x)]).unzip();
    let tensor = |v: &[f32]| Tensor::from_slice(v, v.len(), &Device::Cpu);
    let got = tensor(&y)?.atan2(&tensor(&x)?)?.to_vec1::<f32>()?;
    for ((&y, &x), got) in y.iter().zip(&x).zip(got) {
        let want = f64::from(y).atan2(f64::from(x));
        let close = (f64::from(got) - want).abs() <= 2.0 * unit(want);
        let sign = got.is_sign_negative() == want.is_sign_negative();
        assert!(
            want.is_nan() && got.is_nan() || close && sign,
            "atan2({y:e}, {x:e}) is {got:e}, not {want:e}"
        );
    }
    Ok(())
}

/// An argument of a function gives the same result in a vector, in the rest of a row, and beside large arguments.
#[test]
fn results_do_not_depend_on_neighbours() -> Result<()> {
    let x: Vec<f32> = (0..61).map(|i| (i as f32 - 30.0) * 0.37).collect();
    for (name, op, _) in rows() {
        let run = |x: &[f32]| {
            Tensor::run(op.clone(), &[&Tensor::from_slice(x, x.len(), &Device::Cpu)?])?.to_vec1::<f32>()
        };
        let together = run(&x)?;
        for (i, &v) in x.iter().enumerate() {
            for alone in [run(&[v])?[0], run(&[v, 1e30, -3e9])?[0]] {
                assert!(alone.to_bits() == together[i].to_bits() || alone.is_nan(), "{name}({v})");
            }
        }
    }
    Ok(())
}

/// The f32 gradient of GELU, times factors from the ends of the range, beside that of f64 (which is compared with numbers of 50
/// digits elsewhere).
#[test]
fn the_gradient_of_gelu_is_within_16_units() -> Result<()> {
    let x: Vec<f32> = numbers().into_iter().filter(|x| x.is_finite()).collect();
    let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
    for factor in [1.0f32, -0.37, 3e38, 1e-38] {
        let gradient = |x: Tensor| -> Result<Vec<f64>> {
            let x = x.leaf();
            x.gelu_erf()?.affine(f64::from(factor), 0.0)?.backward_accumulate(None)?;
            x.grad().expect("a gradient").to_dtype(DType::F64)?.to_vec1::<f64>()
        };
        let got = gradient(Tensor::from_slice(&x, x.len(), &Device::Cpu)?)?;
        let want = gradient(Tensor::from_slice(&wide, x.len(), &Device::Cpu)?)?;
        for ((x, got), want) in x.iter().zip(got).zip(want) {
            let scale = if *x < -1.0 { want } else { want.abs().max(f64::from(factor.abs())) };
            // (The slope is slightly larger than 1 above 0.76.)
            let overflows = got.is_infinite() && want.abs() > f64::from(f32::MAX);
            let error = (got - want).abs() / unit(scale);
            assert!(error <= 16.0 || overflows, "slope at {x:e} times {factor:e}: {got:e}, not {want:e}");
        }
    }
    Ok(())
}

/// Every f32 number (minutes a function; `make test-full` runs it).
#[test]
#[ignore = "takes minutes a function in the release profile"]
fn functions_are_within_four_units_for_every_number() -> Result<()> {
    const BLOCK: u32 = 1 << 16;
    let mut failed = Vec::new();
    for row in rows() {
        let mut all = (0.0, 0.0);
        for block in 0..=u32::MAX / BLOCK {
            let x: Vec<f32> = (0..BLOCK).map(|i| f32::from_bits(block * BLOCK + i)).collect();
            let one = worst(&row, &x)?;
            all = if one.0 > all.0 { one } else { all };
        }
        println!("{}: {:.3} units at {:e}", row.0, all.0, all.1);
        if all.0 > 4.0 {
            failed.push((row.0, all));
        }
    }
    assert_eq!(failed, []);
    Ok(())
}
