//! Bounds at the end of the range, and for complex numbers.
use super::*;
use rushlight::C64;
use rushlight::ops::binary::{Binary, BinaryOp};

const FLOATS: [DType; 4] = [DType::F64, DType::F32, DType::F16, DType::BF16];

fn one(v: f64, dtype: DType) -> Tensor {
    Tensor::new(&[v], &Device::Cpu).unwrap().to_dtype(dtype).unwrap()
}

fn largest(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::MAX,
        DType::F32 => f64::from(f32::MAX),
        DType::F16 => f16::MAX.to_f64(),
        _ => bf16::MAX.to_f64(),
    }
}

/// Returns whether `got` is as good as the CPU's result `want` of an op whose true result is `truth`.
fn passes(op: BinaryOp, dtype: DType, truth: f64, got: f64, want: f64, anchor: bool) -> bool {
    let neutral = if op == BinaryOp::Pow { 1.0 } else { 0.0 };
    let host = |v: f64| [Host::of(&one(v, dtype)).unwrap()];
    let ins = [one(truth, dtype), one(neutral, dtype)];
    device(&Op::Binary(Binary(op)), &ins, &host(got), &host(want), anchor).unwrap().good()
}

#[test]
fn an_overflow_at_the_end_of_the_range_is_a_rounding_error() {
    let inf = f64::INFINITY;
    for dtype in FLOATS {
        let max = largest(dtype);
        for anchor in [true, false] {
            let pow =
                |truth: f64, got: f64, want: f64| passes(BinaryOp::Pow, dtype, truth, got, want, anchor);
            assert!(pow(max, inf, max), "{dtype:?} {anchor}");
            assert!(!pow(max, -inf, max) && !pow(max, f64::NAN, max), "{dtype:?} {anchor}");
            assert!(!pow(max / 2.0, inf, max / 2.0) && !pow(1.0, inf, 1.0), "{dtype:?} {anchor}");
            assert!(!pow(1.0, 1.0, inf) && !pow(1.0, 2.0, inf) && !pow(inf, 1.0, inf), "{dtype:?} {anchor}");
            assert!(!passes(BinaryOp::Add, dtype, max, inf, max, anchor), "{dtype:?} {anchor}");
            assert!(!passes(BinaryOp::Add, dtype, inf, max, inf, anchor), "{dtype:?} {anchor}");
        }
        // For dtypes narrower than f64 the true result, which is computed in f64, shows that the largest number is wrong.
        let known = dtype != DType::F64;
        assert_eq!(passes(BinaryOp::Pow, dtype, inf, max, inf, true), !known, "{dtype:?}");
        assert!(passes(BinaryOp::Pow, dtype, inf, max, inf, false), "{dtype:?}");
    }
}

#[test]
fn so_it_is_in_gradients_of_hard_numbers() {
    let inf = f64::INFINITY;
    for (dtype, alone) in FLOATS.into_iter().flat_map(|d| [(d, true), (d, false)]) {
        let max = largest(dtype);
        let good = |got: f64, want: f64, exact: bool| {
            let host = |v: f64| [Host::of(&one(v, dtype)).unwrap()];
            hard_gradients(&host(got), &host(want), exact, alone).good()
        };
        assert!(good(inf, max, false) && good(-inf, -max, false), "{dtype:?} {alone}");
        assert!(!good(inf, max, true) && !good(max, inf, true), "{dtype:?} {alone}");
        assert!(!good(-inf, max, false) && !good(inf, f64::NAN, false), "{dtype:?} {alone}");
        assert!(!good(inf, 1.0, false) && !good(1.0, inf, false), "{dtype:?} {alone}");
        assert_eq!(good(max, inf, false), alone, "{dtype:?} {alone}");
    }
}

#[test]
fn a_true_result_at_the_end_of_the_range_may_overflow_too() {
    let pow = Op::Binary(Binary(BinaryOp::Pow));
    let add = Op::Binary(Binary(BinaryOp::Add));
    for dtype in [DType::F32, DType::F16, DType::BF16] {
        let max = largest(dtype);
        let good = |op: &Op, got: f64, truth: f64| {
            let host = [Host::of(&one(got, dtype)).unwrap()];
            let ins = [one(truth, dtype), one(if op.name() == "pow" { 1.0 } else { 0.0 }, dtype)];
            true_ones(op, &ins, &host, &[vec![truth]], true).unwrap().good()
        };
        assert!(good(&pow, f64::INFINITY, max), "{dtype:?}");
        assert!(!good(&pow, f64::NEG_INFINITY, max) && !good(&pow, f64::INFINITY, max / 4.0), "{dtype:?}");
        assert!(!good(&add, f64::INFINITY, max), "{dtype:?}");
    }
}

#[test]
fn both_parts_of_complex_numbers_are_held_against_true_ones() {
    let x = Tensor::new(&[C64::new(1.0, -2.0), C64::new(f32::NAN, 4.0)], &Device::Cpu).unwrap();
    let ins = [x.contiguous().unwrap()];
    let op = Op::Copy(rushlight::ops::copy::Copy::New);
    let judge =
        |truth: &[f64]| true_ones(&op, &ins, &[Host::of(&x).unwrap()], &[truth.to_vec()], true).unwrap();
    let good = judge(&[1.0, -2.0, f64::NAN, 4.0]);
    assert!(good.good() && good.elements == 2, "{good:?}");
    for (at, part) in [(0, "real part"), (1, "imaginary part"), (3, "imaginary part")] {
        let mut truth = [1.0, -2.0, f64::NAN, 4.0];
        truth[at] += 0.5;
        let c = judge(&truth);
        assert_eq!((c.wrong, c.mismatches.len()), (1, 1), "{c:?}");
        assert_eq!(c.mismatches[0].position, [at / 2]);
        assert!(c.mismatches[0].want.starts_with(part), "{c:?}");
    }
    // A complex element whose parts are both wrong counts once. True values without imaginary parts are rejected.
    assert_eq!(judge(&[7.0, 7.0, f64::NAN, 4.0]).wrong, 1);
    assert!(!judge(&[1.0, f64::NAN]).good());
}
