//! Normalizations: PyTorch's answers (golden files), variances far from 0, and the gradient of batch_norm in training.
use crate::golden;

use rushlight::{DType, Device, Result, Tensor};

const CPU: &Device = &Device::Cpu;

fn number(case: &golden::Case, key: &str, default: f64) -> f64 {
    case.kwargs.get(key).map_or(default, |v| v.as_f64().unwrap())
}

/// A list of numbers among the arguments, as a tensor.
fn list(case: &golden::Case, key: &str) -> Option<Tensor> {
    let all: Vec<f64> = case.kwargs.get(key)?.as_array()?.iter().map(|v| v.as_f64().unwrap()).collect();
    Some(Tensor::new(all.as_slice(), CPU).unwrap().to_dtype(case.dtype).unwrap())
}

#[test]
fn golden() {
    let cases = golden::cases("norm");
    assert!(cases.len() > 55, "{}", cases.len());
    for case in &cases {
        // Outputs beside the first are the running statistics after the call.
        let after = std::cell::RefCell::new(Vec::new());
        golden::check(case, |case, ins| {
            let named = |name: &str| case.inputs.iter().position(|(n, _)| n == name).map(|i| &ins[i]);
            let (w, b) = (named("weight"), named("bias"));
            let rounding = if case.dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
            let eps = number(case, "eps", if case.op == "rms_norm" { rounding } else { 1e-5 });
            let x = &ins[0];
            let dims = case.kwargs.get("normalized_shape").map_or(0, |v| v.as_array().unwrap().len());
            let running = list(case, "running_mean").zip(list(case, "running_var"));
            let both = running.as_ref().map(|(m, v)| (m, v));
            let momentum = number(case, "momentum", 0.1);
            let y = match case.op.as_str() {
                "layer_norm" => x.layer_norm(dims, w, b, eps),
                "rms_norm" => x.rms_norm(dims, w, eps),
                "group_norm" => x.group_norm(case.sizes("num_groups", &[1])[0], w, b, eps),
                "batch_norm" => x.batch_norm_running(both, w, b, case.flag("training", false), momentum, eps),
                _ if !case.flag("use_input_stats", true) => x.batch_norm_running(both, w, b, false, 0.0, eps),
                _ => match both {
                    Some(both) => x.instance_norm_running(both, w, b, momentum, eps),
                    None => x.group_norm(x.dims()[1], w, b, eps),
                },
            }?;
            *after.borrow_mut() = running.into_iter().flat_map(|(m, v)| [m, v]).collect();
            Ok(y)
        });
        let tol = if case.dtype == DType::F64 { 1e-12 } else { 2e-5 };
        let after = after.into_inner();
        assert_eq!(after.len(), case.outputs.len() - 1, "{}", case.name);
        for (got, want) in after.iter().zip(&case.outputs[1..]) {
            golden::close(&case.name, got, want, tol);
        }
    }
}

/// Numbers about `offset`, nearly normal.
fn noise(n: usize, offset: f64, dtype: DType) -> Result<Tensor> {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let all: Vec<f64> = (0..n).map(|_| offset + (0..12).map(|_| next()).sum::<f64>() - 6.0).collect();
    Tensor::new(all.as_slice(), CPU)?.to_dtype(dtype)
}

/// The mean and the variance of the numbers that a tensor holds, computed about the first of them.
fn moments(x: &Tensor) -> Result<(f64, f64)> {
    let v = x.to_dtype(DType::F64)?.to_vec1::<f64>()?;
    let (n, first) = (v.len() as f64, v[0]);
    let mean = v.iter().map(|v| v - first).sum::<f64>() / n;
    let var = v.iter().map(|v| (v - first - mean) * (v - first - mean)).sum::<f64>() / n;
    Ok((first + mean, var))
}

#[test]
fn variances_far_from_zero_keep_their_digits() -> Result<()> {
    let n = 5000;
    // (In f32 the spacing of numbers near 1e8 is 8, near 1e6 it is 1/16.)
    for (dtype, offset, tol) in [
        (DType::F64, 1e8, 1e-6),
        (DType::F32, 1e8, 1e-4),
        (DType::F32, 1e6, 1e-4),
        (DType::F32, -3e4, 1e-5),
        (DType::BF16, 100.0, 1e-5),
    ] {
        let scale = if offset == 1e8 && dtype == DType::F32 { 16.0 } else { 1.0 };
        let x = (noise(n, 0.0, DType::F64)?.affine(scale, offset)?).to_dtype(dtype)?;
        let (mean, var) = moments(&x)?;
        assert!(var > 0.5, "{dtype:?} {offset}: {var}");
        let (m, v) = x.reshape((n, 1))?.batch_norm_stats()?;
        let (m, v) = (golden::values(&m)[0], golden::values(&v)[0]);
        assert!((v - var).abs() <= tol * var, "{dtype:?} {offset}: {v} is not {var}");
        let eps = if dtype == DType::F64 { 1e-15 } else { 1e-7 };
        assert!((m - mean).abs() <= eps * offset.abs(), "{dtype:?} {offset}: {m} is not {mean}");
        let y = golden::values(&x.reshape((1, n))?.layer_norm(1, None, None, 0.0)?);
        let rounding = if dtype == DType::BF16 { 0.01 } else { 4.0 * tol };
        for (y, x) in y.iter().zip(golden::values(&x)) {
            let want = (x - mean) / var.sqrt();
            assert!(
                (y - want).abs() <= rounding * want.abs().max(1.0),
                "{dtype:?} {offset}: {y} is not {want}"
            );
        }
    }
    // Equal elements have variance 0.
    for n in [3, 7, 1000, 4099] {
        let x = Tensor::full(0.1f32, (n, 1), CPU)?;
        let (mean, var) = x.batch_norm_stats()?;
        assert_eq!((mean.to_vec1::<f32>()?[0], var.to_vec1::<f32>()?[0]), (0.1, 0.0), "{n}");
        let y = x.reshape((1, n))?.layer_norm(1, None, None, 1e-5)?;
        assert!(y.flatten_all()?.to_vec1::<f32>()?.iter().all(|v| *v == 0.0), "{n}");
    }
    Ok(())
}

#[test]
fn the_gradient_of_batch_norm_in_training_is_that_of_differences() -> Result<()> {
    for (shape, weighted) in [(vec![4usize, 3], true), (vec![3, 2, 5], true), (vec![2, 3, 2, 2], false)] {
        let (n, c): (usize, usize) = (shape.iter().product(), shape[1]);
        let x = noise(n, 0.5, DType::F64)?.reshape(shape.as_slice())?;
        let w = weighted.then(|| noise(c, 1.5, DType::F64)).transpose()?;
        let g = noise(n + 1, 0.0, DType::F64)?.narrow(0, 1, n)?.reshape(shape.as_slice())?;
        let loss = |x: &Tensor| -> Result<Tensor> {
            (x.batch_norm_running(None, w.as_ref(), None, true, 0.0, 0.1)? * &g)?.sum_all()
        };
        let leaf = x.leaf();
        let grads = loss(&leaf)?.backward()?;
        let got = golden::values(grads.get(&leaf).unwrap());
        let at = golden::values(&x);
        let h = 1e-5;
        for (i, got) in got.iter().enumerate() {
            let moved = |by: f64| -> Result<f64> {
                let mut v = at.clone();
                v[i] += by;
                loss(&Tensor::new(v.as_slice(), CPU)?.reshape(shape.as_slice())?)?.to_scalar::<f64>()
            };
            let want = (moved(h)? - moved(-h)?) / (2.0 * h);
            assert!((got - want).abs() <= 1e-8 * want.abs().max(1.0), "{shape:?} {i}: {got} is not {want}");
        }
    }
    Ok(())
}

#[test]
fn running_statistics_move_by_the_momentum() -> Result<()> {
    let x = Tensor::new(&[[1f32, 10.], [3., 30.]], CPU)?;
    for dtype in [DType::F32, DType::BF16] {
        let (mean, var) = (Tensor::zeros(2, dtype, CPU)?, Tensor::ones(2, dtype, CPU)?);
        let x = x.to_dtype(dtype)?;
        x.batch_norm_running(Some((&mean, &var)), None, None, true, 0.25, 1e-5)?;
        // The mean of 2 and 20; the variances over n - 1 are 2 and 200.
        assert_eq!(golden::values(&mean), [0.5, 5.0]);
        assert_eq!(golden::values(&var), [1.25, 50.75]);
        let y = x.batch_norm_running(Some((&mean, &var)), None, None, false, 0.25, 0.0)?;
        assert_eq!(golden::values(&mean), [0.5, 5.0], "evaluation moves nothing");
        assert_eq!(y.dtype(), dtype);
    }
    let error = x.batch_norm_running(None, None, None, false, 0.1, 1e-5).unwrap_err().to_string();
    assert!(error.contains("needs running statistics"), "{error}");
    Ok(())
}

/// Long lines are cut into chunks and spread over threads: their number does not change a bit.
#[test]
fn results_do_not_depend_on_threads() -> Result<()> {
    let x = noise(6 * 3000, 0.3, DType::F32)?;
    let all = || -> Result<Vec<f32>> {
        let mut out = Vec::new();
        for shape in [[6usize, 3000, 1], [3000, 6, 1], [6, 3, 1000]] {
            let x = x.reshape(&shape[..])?.leaf();
            let w = noise(shape[1], 1.0, DType::F32)?.leaf();
            for y in [
                x.batch_norm_running(None, Some(&w), None, true, 0.0, 1e-5)?,
                x.layer_norm(2, None, None, 1e-5)?,
                x.group_norm(3, Some(&w), None, 1e-5)?,
            ] {
                let grads = y.sqr()?.sum_all()?.backward()?;
                out.extend(y.flatten_all()?.to_vec1::<f32>()?);
                out.extend(grads.get(&x).unwrap().flatten_all()?.to_vec1::<f32>()?);
                if let Some(g) = grads.get(&w) {
                    out.extend(g.to_vec1::<f32>()?);
                }
            }
        }
        Ok(out)
    };
    rushlight::cpu::set_num_threads(1);
    let one = all()?;
    rushlight::cpu::set_num_threads(4);
    let four = all()?;
    rushlight::cpu::set_num_threads(0);
    assert!(one.iter().zip(&four).all(|(a, b)| a.to_bits() == b.to_bits()) && one.len() == four.len());
    Ok(())
}
