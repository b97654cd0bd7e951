//! Random numbers: known answers, distributions, and independence of device, layout and threads. The literal numbers
//! were computed by a NumPy program that was written from docs/NUMERICS.md alone.
use rushlight::ops::Op;
use rushlight::ops::dropout::Dropout;
use rushlight::ops::random::{Dist, Random};
use rushlight::rng::{self, philox4x32};
use rushlight::{DType, Device, Result, Tensor, cpu};
use std::sync::{Mutex, MutexGuard, PoisonError};

const CPU: &Device = &Device::Cpu;
const FLOATS: [DType; 5] = [DType::F8E4M3, DType::BF16, DType::F16, DType::F32, DType::F64];

/// Seeds the CPU's generator. The CPU has only one, so tests that seed it run one after the other.
fn seeded(seed: u64) -> MutexGuard<'static, ()> {
    static LOCK: Mutex<()> = Mutex::new(());
    let guard = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    CPU.set_seed(seed).unwrap();
    guard
}

fn draw(dist: Dist, n: usize, dtype: DType, key: (u64, u64)) -> Result<Tensor> {
    let t = Tensor::empty(n, dtype, CPU)?;
    Tensor::run_inplace(Op::Random(Random { dist, key }), &[&t], &[])?;
    Ok(t)
}

fn values(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

#[test]
fn philox_known_answers() {
    // The three test vectors of the paper's implementation.
    let pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
    for (c, k, want) in [
        ([0; 4], [0; 2], [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]),
        ([u32::MAX; 4], [u32::MAX; 2], [0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd]),
        (pi, [0xa4093822, 0x299f31d0], [0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]),
    ] {
        assert_eq!(philox4x32(c, k), want);
    }
}

#[test]
fn numbers_are_those_of_the_document() -> Result<()> {
    let key = (42, 0);
    let f32s = |d| draw(d, 8, DType::F32, key)?.to_vec1::<f32>();
    let unit = Dist::Uniform { lo: 0., up: 1. };
    assert_eq!(f32s(unit)?[..4], [0.61295986, 0.4685865, 0.0732317, 0.3408615]);
    assert_eq!(draw(unit, 2, DType::F64, key)?.to_vec1::<f64>()?, [0.4685865183391049, 0.34086154938517876]);
    let normal = Dist::Normal { mean: 0., std: 1. };
    let bits: Vec<u32> = f32s(normal)?.iter().map(|v| v.to_bits()).collect();
    let want =
        [0xbf785e5c, 0x3e46ace8, 0xbf9e28d3, 0x3ff6433c, 0xbd95e033, 0x3e0e7a13, 0xbf8da734, 0x3ea742fe_u32];
    assert_eq!(bits, want);
    let bits = draw(normal, 4, DType::F64, key)?.to_vec1::<f64>()?.into_iter().map(f64::to_bits);
    let want = [0xbfe54ac03c1a032c, 0x3ff0938db380d762, 0xbff6f135c80fefcc, 0x3fdb16fd5e6389c2_u64];
    assert_eq!(bits.collect::<Vec<_>>(), want);
    let ints = |lo, hi, n| draw(Dist::Integers { lo, hi }, n, DType::I64, key)?.to_vec1::<i64>();
    assert_eq!(ints(-3, 97, 4)?, [43, 31, 29, 42]);
    assert_eq!(ints(0, 1_000_000_000_000_000, 3)?, [340861549385178, 454315601734888, 773584684730214]);
    let all = ints(i64::MIN as i128, i64::MAX as i128 + 1, 2)?;
    assert_eq!(all, [-2935586270778273619, -842728402957936018]);
    let coins = draw(Dist::Bernoulli { p: 0.3 }, 8, DType::U8, key)?.to_vec1::<u8>()?;
    assert_eq!(coins, [0, 0, 1, 0, 0, 0, 0, 0]);
    Ok(())
}

#[test]
fn seeds_make_numbers_repeat() -> Result<()> {
    let _turn = seeded(5);
    let two = || -> Result<_> {
        Ok((
            Tensor::rand(0f32, 1., 9, CPU)?.to_vec1::<f32>()?,
            Tensor::randn(0f32, 1., 9, CPU)?.to_vec1::<f32>()?,
            Tensor::rand(0f32, 1., 9, CPU)?.to_vec1::<f32>()?,
        ))
    };
    let first = two()?;
    assert_ne!(first.0, first.2);
    CPU.set_seed(5)?;
    assert_eq!(CPU.get_current_seed()?, 5);
    assert_eq!(two()?, first);
    CPU.set_seed(6)?;
    assert_ne!(two()?.0, first.0);
    Ok(())
}

#[test]
fn devices_layouts_and_threads_do_not_matter() -> Result<()> {
    let n = 300_001;
    let dists: [(Dist, DType); 7] = [
        (Dist::Uniform { lo: -2., up: 3. }, DType::F32),
        (Dist::Uniform { lo: -2., up: 3. }, DType::F64),
        (Dist::Normal { mean: 1., std: 2. }, DType::F32),
        (Dist::Normal { mean: 1., std: 2. }, DType::F64),
        (Dist::Integers { lo: 0, hi: 77 }, DType::U8),
        (Dist::Integers { lo: 0, hi: 1 << 40 }, DType::I64),
        (Dist::Bernoulli { p: 0.25 }, DType::F16),
    ];
    let _turn = seeded(0);
    let threads = cpu::num_threads();
    for (dist, dtype) in dists {
        let op = || Op::Random(Random { dist, key: (9, 4) });
        cpu::set_num_threads(1);
        let one = values(&draw(dist, n, dtype, (9, 4))?)?;
        cpu::set_num_threads(3);
        assert_eq!(values(&draw(dist, n, dtype, (9, 4))?)?, one);
        // A draw equals the start of a longer draw, that of another device, and that into a strided tensor.
        assert_eq!(values(&draw(dist, 1001, dtype, (9, 4))?)?, one[..1001]);
        let device = Device::new_testdev(1);
        let t = Tensor::empty(n, dtype, &device)?;
        Tensor::run_inplace(op(), &[&t], &[])?;
        assert_eq!(values(&t)?, one);
        let wide = Tensor::zeros((40, 3, 50), dtype, CPU)?;
        let part = wide.permute((2, 0, 1))?.slice(0, 1, 7, 3)?.narrow(1, 2, 30)?;
        Tensor::run_inplace(op(), &[&part], &[])?;
        assert_eq!(values(&part)?, one[..7 * 30 * 3]);
        let untouched: f64 = values(&wide.narrow(0, 0, 2)?)?.iter().sum();
        assert_eq!(untouched, 0.);
    }
    cpu::set_num_threads(threads);
    // Whole tensors on two devices, through the public functions.
    let device = Device::new_testdev(2);
    device.set_seed(11)?;
    CPU.set_seed(11)?;
    for _ in 0..2 {
        let (a, b) = (Tensor::randn(0f64, 1., (3, 4), CPU)?, Tensor::randn(0f64, 1., (3, 4), &device)?);
        assert_eq!(a.to_vec2::<f64>()?, b.to_vec2::<f64>()?);
    }
    Ok(())
}

#[test]
fn uniforms_stay_in_their_range() -> Result<()> {
    let ranges = [
        (0., 1.),
        (-1., 1.),
        (0., 3.),
        (-5., -4.),
        (0.1, 0.3),
        (-0.7, 0.05),
        (100., 107.),
        (-240., 448.),
        (0., 1e-3),
        (1., 1.5),
    ];
    for dtype in FLOATS {
        for (i, (lo, up)) in ranges.into_iter().enumerate() {
            let v = values(&draw(Dist::Uniform { lo, up }, 200_000, dtype, (1, i as u64))?)?;
            let (least, greatest) = v.iter().fold((up, lo), |(a, b), &v| (v.min(a), v.max(b)));
            assert!(lo <= least && greatest < up, "{dtype:?} [{lo}, {up}): {least} to {greatest}");
            // F8E4M3's numbers close to 0 are 2^-9 apart.
            let finest = if dtype == DType::F8E4M3 { 2e-3 } else { 0. };
            // Both ends of the range are approached, as closely as the dtype and 200,000 draws allow.
            let step = match dtype {
                DType::F8E4M3 => 0.13,
                DType::BF16 => 8e-3,
                DType::F16 => 2e-3,
                _ => 1e-6,
            } * lo.abs().max(up.abs())
                + (up - lo) * 1e-4
                + finest;
            assert!(
                least < lo + step && greatest > up - step,
                "{dtype:?} [{lo}, {up}): {least} to {greatest}"
            );
        }
    }
    // A range beyond the dtype's largest numbers is cut to them.
    let v = values(&draw(Dist::Uniform { lo: -1000., up: 1000. }, 1000, DType::F8E4M3, (1, 1))?)?;
    assert!(v.iter().all(|v| v.abs() <= 448.), "{v:?}");
    // Ranges that contain one or two numbers, where rounding could reach the upper end.
    let next = 1f32.next_up() as f64;
    assert!(
        values(&draw(Dist::Uniform { lo: 1., up: next }, 1000, DType::F32, (1, 1))?)?
            .iter()
            .all(|v| *v == 1.)
    );
    let two = values(&draw(Dist::Uniform { lo: 1., up: 1.015625 }, 1000, DType::BF16, (1, 1))?)?;
    assert!(two.iter().all(|v| *v == 1. || *v == 1.0078125) && two.contains(&1.) && two.contains(&1.0078125));
    let big = values(&draw(Dist::Uniform { lo: 16777216., up: 16777220. }, 1000, DType::F32, (1, 1))?)?;
    assert!(big.iter().all(|v| *v == 16777216. || *v == 16777218.));
    assert_eq!(values(&draw(Dist::Uniform { lo: 2., up: 2. }, 3, DType::F32, (1, 1))?)?, [2.; 3]);
    for (dtype, lo, up) in [
        (DType::F32, 1., 0.),
        (DType::F32, f64::NAN, 1.),
        (DType::F32, 0., f64::INFINITY),
        (DType::F32, -3e38, 3e38),
        (DType::F64, -1e308, 1e308),
        (DType::BF16, 1.001, 1.002),
    ] {
        let e = draw(Dist::Uniform { lo, up }, 3, dtype, (1, 1)).unwrap_err().to_string();
        assert!(e.contains("rand"), "{e}");
    }
    Ok(())
}

/// Returns the Kolmogorov-Smirnov distance from a distribution function, times the square root of n. It exceeds 1.95
/// with a probability of one in a thousand.
fn distance(mut v: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
    v.sort_by(f64::total_cmp);
    let n = v.len() as f64;
    let d = v
        .iter()
        .enumerate()
        .map(|(i, &x)| (cdf(x) - i as f64 / n).abs().max((cdf(x) - (i + 1) as f64 / n).abs()));
    d.fold(0.0, f64::max) * n.sqrt()
}

/// Returns the mean, and the central moments of order 2 to 4.
fn moments(v: &[f64]) -> [f64; 4] {
    let n = v.len() as f64;
    let mean = v.iter().sum::<f64>() / n;
    let central = |k| v.iter().map(|x| (x - mean).powi(k)).sum::<f64>() / n;
    [mean, central(2), central(3), central(4)]
}

#[test]
fn uniforms_and_normals_have_their_distribution() -> Result<()> {
    let n = 1_000_000;
    let close = |got: [f64; 4], want: [f64; 4], dtype| {
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).abs() < 0.01, "{dtype:?}: {got:?} is not {want:?}");
        }
    };
    for (dtype, round) in [(DType::F32, 0.), (DType::F64, 0.), (DType::F16, 3e-4), (DType::BF16, 3e-3)] {
        let u = values(&draw(Dist::Uniform { lo: 0., up: 1. }, n, dtype, (3, 0))?)?;
        close(moments(&u), [0.5, 1. / 12., 0., 1. / 80.], dtype);
        let z = values(&draw(Dist::Normal { mean: 0., std: 1. }, n, dtype, (3, 1))?)?;
        close(moments(&z), [0., 1., 0., 3.], dtype);
        if round == 0. {
            let d = distance(u, |x| x);
            assert!(d < 1.95, "uniform {dtype:?}: {d}");
            let d = distance(z.clone(), |x| 0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2));
            assert!(d < 1.95, "normal {dtype:?}: {d}");
            // Adjacent numbers are not correlated, nor are those 2 apart (the Box-Muller method makes pairs).
            for lag in [1, 2, 4] {
                let c = z.iter().zip(&z[lag..]).map(|(a, b)| a * b).sum::<f64>() / n as f64;
                assert!(c.abs() < 4e-3, "{dtype:?}, {lag} apart: {c}");
            }
            assert!(z.iter().any(|x| *x > 4.) && z.iter().any(|x| *x < -4.));
        }
        let s = values(&draw(Dist::Normal { mean: -3., std: 0.5 }, n, dtype, (3, 2))?)?;
        let [mean, var, ..] = moments(&s);
        assert!(
            (mean + 3.).abs() < 2e-3 + round && (var - 0.25).abs() < 2e-3 + round,
            "{dtype:?}: {mean} {var}"
        );
    }
    assert!(values(&draw(Dist::Normal { mean: 2., std: 0. }, 5, DType::F32, (0, 0))?)? == [2.; 5]);
    for (mean, std) in [(0., -1.), (f64::NAN, 1.), (0., f64::INFINITY)] {
        assert!(Tensor::randn_f64(mean, std, 3, DType::F32, CPU).is_err());
    }
    Ok(())
}

#[test]
fn our_polynomials_are_accurate() {
    let mut w = 0x9e3779b97f4a7c15u64;
    for i in 0..200_000u64 {
        w = w.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        // All magnitudes of the first word, which cover the whole range of the logarithm.
        let (a, b) = (w >> (i % 64), w.rotate_left(29));
        let exact = |u: f64, turn: f64| {
            let r = (-2. * u.ln()).sqrt();
            let angle = turn * 2. * std::f64::consts::PI;
            [r * angle.cos(), r * angle.sin()]
        };
        let got = rng::normals_f64(a, b);
        let want = exact((a as f64 + 1.) / 2f64.powi(64), b as f64 / 2f64.powi(64));
        for (g, w) in got.iter().zip(want) {
            assert!((g - w).abs() < 4e-14, "{a:x} {b:x}: {g} {w}");
        }
        let (a, b) = ((w >> 32) as u32 >> (i % 32), (b >> 32) as u32);
        let got = rng::normals_f32(a, b);
        let want = exact((a as f32 + 1.) as f64 / 2f64.powi(32), b as f64 / 2f64.powi(32));
        for (g, w) in got.iter().zip(want) {
            assert!((*g as f64 - w).abs() < 2e-6, "{a:x} {b:x}: {g} {w}");
        }
    }
    assert_eq!(rng::ln_f32(1.), 0.);
    assert_eq!(rng::ln_f64(1.), 0.);
    assert_eq!(rng::turn_f32(0), (1., 0.));
    assert_eq!(rng::turn_f32(1 << 30), (0., 1.));
    assert_eq!(rng::turn_f64(1 << 63), (-1., 0.));
    // The extreme words give finite numbers.
    for (a, b) in [(0, 0), (u32::MAX, u32::MAX), (0, 1 << 31), (0, 1 << 29)] {
        assert!(rng::normals_f32(a, b).iter().all(|z| z.is_finite() && z.abs() < 6.67));
    }
}

#[test]
fn integers_are_even() -> Result<()> {
    let _turn = seeded(17);
    for dtype in
        [DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32, DType::U64, DType::I64]
    {
        let n = 140_000;
        let lo = if dtype.is_int() && matches!(dtype, DType::U8 | DType::U16 | DType::U32 | DType::U64) {
            0
        } else {
            -3
        };
        let v = values(&Tensor::randint(lo, lo + 7, n, dtype, CPU)?)?;
        let mut counts = [0f64; 7];
        v.iter().for_each(|x| counts[(x - lo as f64) as usize] += 1.);
        // Pearson's statistic for 6 degrees of freedom exceeds 22.5 with a probability of one in a thousand.
        let e = n as f64 / 7.;
        let chi: f64 = counts.iter().map(|c| (c - e) * (c - e) / e).sum();
        assert!(chi < 22.5, "{dtype:?}: {counts:?}");
    }
    // Whole ranges: every number of a byte, and both halves of the 64-bit numbers.
    let bytes = Tensor::randint(0, 256, 20_000, DType::U8, CPU)?.to_vec1::<u8>()?;
    assert!((0..=255).all(|b| bytes.contains(&b)));
    let wide = Tensor::randint(0u64, u64::MAX as i128 + 1, 4000, DType::U64, CPU)?.to_vec1::<u64>()?;
    let set = |bit: u32| wide.iter().filter(|w| *w >> bit & 1 == 1).count() as f64;
    assert!((0..64).all(|b| (set(b) - 2000.).abs() < 160.));
    let v = Tensor::randint(-5i64, i64::MAX, 1000, DType::I64, CPU)?.to_vec1::<i64>()?;
    assert!(v.iter().all(|x| *x >= -5) && v.iter().any(|x| *x > i64::MAX / 4 * 3));
    assert_eq!(Tensor::randint(4, 5, 3, DType::I32, CPU)?.to_vec1::<i32>()?, [4; 3]);
    for (lo, hi, dtype) in [(0, 0, DType::I64), (5, 3, DType::I64), (0, 257, DType::U8), (-1, 3, DType::U32)]
    {
        let e = Tensor::randint(lo, hi, 3, dtype, CPU).unwrap_err().to_string();
        assert!(e.contains("randint: cannot draw"), "{e}");
    }
    assert!(
        Tensor::randint(0, 3, 3, DType::F32, CPU).unwrap_err().to_string().contains("unsupported dtype F32")
    );
    Ok(())
}

#[test]
fn coins_and_dropout() -> Result<()> {
    let _turn = seeded(23);
    let n = 200_000;
    for p in [0., 1e-4, 0.3, 0.5, 0.99, 1.] {
        for dtype in [DType::Bool, DType::U8, DType::F16, DType::F64] {
            let v = values(&Tensor::bernoulli(p, n, dtype, CPU)?)?;
            assert!(v.iter().all(|x| *x == 0. || *x == 1.));
            let mean = v.iter().sum::<f64>() / n as f64;
            assert!((mean - p).abs() <= 4.5 * (p * (1. - p) / n as f64).sqrt(), "{p}: {mean}");
        }
    }
    assert!(Tensor::bernoulli(-0.1, 3, DType::U8, CPU).is_err());
    // The mask equals the draw with the same key; the gradient uses it, too; the layout does not matter.
    let x = Tensor::rand(1f32, 2., (30, 50), CPU)?.leaf();
    let (p, key) = (0.4, (8, 1));
    let drop = |x: &Tensor| Tensor::run(Op::Dropout(Dropout { p, key }), &[x]);
    let mask = draw(Dist::Bernoulli { p: 1. - p }, 1500, DType::F32, key)?.reshape((30, 50))?;
    let scaled = mask.affine(1. / (1. - p), 0.)?;
    let y = drop(&x)?;
    assert_eq!(values(&y)?, values(&(&x * &scaled)?)?);
    assert_eq!(values(y.backward()?.get(&x).unwrap())?, values(&scaled)?);
    assert_eq!(values(&drop(&x.t()?.contiguous()?.t()?)?)?, values(&y)?);
    // Through the method: the mean is preserved, evaluation changes nothing, and probability 1 drops all elements.
    let ones = Tensor::ones(n, DType::F64, CPU)?;
    let y = values(&ones.dropout(0.2, true)?)?;
    assert!(y.iter().all(|v| *v == 0. || *v == 1.25));
    assert!((y.iter().sum::<f64>() / n as f64 - 1.).abs() < 6e-3);
    assert_ne!(values(&ones.dropout(0.2, true)?)?, y);
    assert_eq!(x.dropout(0.9, false)?.id(), x.id());
    assert_eq!(values(&ones.dropout(1., true)?)?, vec![0.; n]);
    for p in [-0.5, 2., f64::NAN] {
        assert!(ones.dropout(p, true).is_err() && ones.dropout(p, false).is_err());
    }
    Ok(())
}
