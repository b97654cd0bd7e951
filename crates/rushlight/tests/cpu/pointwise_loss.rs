//! Losses of each element. The tables have the values and gradients of PyTorch 2.15, in f64. Where PyTorch 2.13 differs, at
//! the kinks of hinges, its values are those of its rule: the slope of the line.
use rushlight::ops::Reduction;
use rushlight::ops::pointwise_loss::PointwiseKind as K;
use rushlight::{DType, Device, Result, Tensor};

const CPU: &Device = &Device::Cpu;
const I: f64 = f64::INFINITY;
const N: f64 = f64::NAN;

/// Kind, parameter, inputs, targets, losses, gradients of the inputs and of the targets (none: not checked).
type Row = (K, f64, &'static [f64], &'static [f64], &'static [f64], &'static [f64], &'static [f64]);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    (K::Mse, 1.0, &[0.5, 3.0, I, N], &[-1.25, 3.0, 1.0, 0.0], &[3.0625, 0.0, I, N], &[3.5, 0.0, I, N], &[-3.5, 0.0, -I, N]),
    (K::L1, 1.0, &[0.5, 3.0, 1.0], &[-1.25, 3.0, I], &[1.75, 0.0, I], &[1.0, 0.0, -1.0], &[-1.0, 0.0, 1.0]),
    (K::SmoothL1, 0.5, &[0.25, 0.5, -2.0, 3.0, I, N], &[0.0, 0.0, 0.5, 3.0, 0.0, 0.0], &[0.0625, 0.25, 2.25, 0.0, I, N], &[0.5, 1.0, -1.0, 0.0, 1.0, N], &[-0.5, -1.0, 1.0, 0.0, -1.0, N]),
    (K::Huber, 0.5, &[0.25, 0.5, -2.0, 3.0, I, N], &[0.0, 0.0, 0.5, 3.0, 0.0, 0.0], &[0.03125, 0.125, 1.125, 0.0, I, N], &[0.25, 0.5, -0.5, 0.0, 0.5, N], &[-0.25, -0.5, 0.5, 0.0, -0.5, N]),
    (K::Bce, 1.0, &[0.25, 0.0, 0.0, 1.0, 1.0, 0.0], &[0.75, 0.0, 1.0, 0.0, 1.0, 0.25], &[1.111641288952863, 0.0, 100.0, 100.0, 0.0, 25.0], &[-2.6666666666666665, 0.0, -1e12, 1e12, 0.0, -2.5e11], &[1.0986122886681098, I, I, -I, -I, I]),
    (K::BceWithLogits, 1.0, &[0.5, -3.0, 0.0, -200.0, 200.0, 40.0, I, I, -I, N], &[0.25, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0], &[0.8490769841801067, 3.048587351573742, std::f64::consts::LN_2, 200.0, 200.0, 4.248354255291589e-18, I, N, N, N], &[0.3724593312018546, -0.9525741268224333, 0.5, -1.0, 1.0, -4.248354255291589e-18, 1.0, 0.0, 0.0, N], &[-0.5, 3.0, 0.0, 200.0, -200.0, -40.0, -I, -I, I, N]),
    (K::KlDiv, 1.0, &[-0.5, 2.0, 1.0], &[0.25, 1.0, -1.0], &[-0.22157359027997264, -2.0, N], &[-0.25, -1.0, 1.0], &[0.11370563888010943, -1.0, N]),
    (K::KlDivLog, 1.0, &[-0.5, 2.0, 0.0], &[-1.25, 1.0, -I], &[-0.21487859764514256, -std::f64::consts::E, N], &[-0.2865047968601901, -std::f64::consts::E, 0.0], &[0.07162619921504754, 0.0, N]),
    (K::PoissonNll, 0.0625, &[0.5, 0.0, -1.0], &[2.0, 1.0, 1.0], &[1.6507282898071236, 2.772588722239781, N], &[-2.5555555555555554, -15.0, 2.0666666666666664], &[0.5753641449035618, 2.772588722239781, N]),
    (K::PoissonNllLog, 1.0, &[0.5, -I, I], &[2.0, 1.0, 1.0], &[0.6487212707001282, I, N], &[-0.3512787292998718, -1.0, I], &[-0.5, I, -I]),
    (K::PoissonNllFull, 0.0625, &[0.5, 0.5, 2.0], &[2.0, 1.0, 7.5], &[2.3025347744116598, 1.0753641449035618, 6.108771403342549], &[-2.5555555555555554, -0.7777777777777777, -2.6363636363636362], &[1.518511325463507, 0.5753641449035618, 1.3576508479822325]),
    (K::PoissonNllLogFull, 1.0, &[0.5, 0.5, 2.0], &[2.0, 1.0, 7.5], &[1.3005277553046641, 1.1487212707001282, 1.9272187964734417], &[-0.3512787292998718, 0.6487212707001282, -0.11094390106934959], &[0.4431471805599453, -0.5, 0.08156968720893154]),
    (K::SoftMargin, 1.0, &[0.5, -3.0, 2.0, 30.0, -500.0], &[1.0, 1.0, -1.0, 1.0, 1.0], &[0.4740769841801067, 3.048587351573742, 2.1269280110429727, 9.357622968839737e-14, 500.0], &[-0.37754066879814546, -0.9525741268224333, 0.8807970779778824, -9.3576229688393e-14, -1.0], &[]),
    (K::HingeEmbedding, 0.5, &[0.25, 0.25, 0.5, 2.0, 0.25, N], &[1.0, -1.0, -1.0, -1.0, 0.0, -1.0], &[0.25, 0.25, 0.0, 0.0, 0.5, N], &[1.0, -1.0, -1.0, 0.0, 0.0, 0.0], &[]),
    (K::MarginRanking, 0.5, &[0.25, 0.25, 0.5, 2.0], &[1.0, -1.0, 1.0, 1.0], &[0.25, 0.75, 0.0, 0.0], &[-1.0, 1.0, -1.0, 0.0], &[-0.25, -0.25, -0.5, 0.0]),
];

#[track_caller]
fn close(kind: K, what: &str, t: &Tensor, want: &[f64], tol: f64) {
    let got = t.to_dtype(DType::F64).and_then(|t| t.flatten_all()?.to_vec1::<f64>()).expect("numbers");
    assert_eq!(got.len(), want.len());
    for (i, (g, w)) in got.iter().zip(want).enumerate() {
        let same = g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= tol * w.abs();
        assert!(same, "{kind:?}, {what} {i}: {g} is not {w}");
    }
}

#[test]
fn values_and_gradients_are_pytorchs() -> Result<()> {
    for &(kind, parameter, x, t, losses, dx, dt) in ROWS {
        for (dtype, tol) in [(DType::F64, 2e-15), (DType::F32, 1e-6)] {
            let leaf =
                |v: &[f64]| Tensor::from_slice(v, v.len(), CPU)?.to_dtype(dtype)?.copy().map(|t| t.leaf());
            let (x, t) = (leaf(x)?, leaf(t)?);
            let y = x.pointwise_loss(&t, kind, parameter, Reduction::None)?;
            close(kind, "loss", &y, losses, tol);
            y.backward_accumulate(Some(&y.ones_like()?))?;
            close(kind, "gradient", &x.grad().expect("a gradient"), dx, tol);
            if !dt.is_empty() {
                close(kind, "gradient of target", &t.grad().expect("a gradient"), dt, tol);
            }
        }
    }
    Ok(())
}

#[test]
fn a_mean_by_bytes_is_refused() -> Result<()> {
    let x = Tensor::new(&[1f32], CPU)?;
    let e = x.pointwise_loss(&x, K::Mse, 1.0, Reduction::ByteMean).expect_err("no bytes").to_string();
    assert!(e.contains("pointwise_loss: the reduction is none, mean or sum, got byte_mean"), "{e}");
    Ok(())
}

#[test]
fn losses_are_accurate_far_from_0() -> Result<()> {
    // ln(1 + e^-x) and its derivative, of f32 numbers; from mpmath, with 30 digits.
    let x = Tensor::new(&[1e-3f32, 0.75, 10.0, 50.0, 87.0, 100.0, 103.0], CPU)?.leaf();
    let want = [
        0.6926473055362032,
        0.3868710061148999,
        4.539889921686465e-5,
        1.928749847963918e-22,
        1.645811431082274e-38,
        3.720075976020836e-44,
        1.852116769517975e-45,
    ];
    let y = x.pointwise_loss(&x.ones_like()?, K::BceWithLogits, 1.0, Reduction::None)?;
    let got = y.to_vec1::<f32>()?;
    for (g, w) in got.iter().zip(want) {
        // 4 units in the last place, also of a subnormal number.
        let unit = (w * f64::from(f32::EPSILON)).max(1.5e-45);
        assert!((f64::from(*g) - w).abs() <= 4.0 * unit, "{g:e} {w:e}");
    }
    Ok(())
}

#[test]
fn sums_are_those_of_the_tree_and_are_rounded_once() -> Result<()> {
    for n in [0usize, 1, 1000, 1025, 70_000, 1_050_000] {
        let at = |mul: f64, add: f64| {
            let i = Tensor::arange(0f64, n as f64, CPU)?;
            i.affine(mul, add)?.sin()?.affine(0.45, 0.5)?.to_dtype(DType::BF16)
        };
        let (x, t) = (at(0.37, 0.1)?, at(0.73, 2.0)?);
        let wide = [x.to_dtype(DType::F32)?, t.to_dtype(DType::F32)?];
        for kind in [K::Mse, K::Bce, K::PoissonNllLog] {
            let losses = wide[0].pointwise_loss(&wide[1], kind, 1.0, Reduction::None)?;
            let sum = wide[0].pointwise_loss(&wide[1], kind, 1.0, Reduction::Sum)?.to_scalar::<f32>()?;
            assert_eq!(sum.to_bits(), losses.sum_all()?.to_scalar::<f32>()?.to_bits(), "{kind:?} {n}");
            let mean = wide[0].pointwise_loss(&wide[1], kind, 1.0, Reduction::Mean)?;
            let want = losses.sum_all()?.to_scalar::<f32>()? / n as f32;
            let got = mean.to_scalar::<f32>()?;
            assert!(
                got.to_bits() == want.to_bits() || (n == 0 && got.is_nan()),
                "{kind:?} {n}: {got} {want}"
            );
            let half = x.pointwise_loss(&t, kind, 1.0, Reduction::Mean)?;
            let once = mean.to_dtype(DType::BF16)?;
            assert_eq!(half.to_string(), once.to_string(), "{kind:?} {n}");
        }
    }
    Ok(())
}
