//! Pooling and resizing compared with PyTorch (golden files), and cases that the files do not contain.
use crate::golden;

use rushlight::{DType, Device, Result, Tensor};

#[test]
fn pool_golden() {
    let cases = golden::cases("pool");
    assert!(cases.len() > 70);
    for case in &cases {
        golden::check(case, |case, ins| {
            let n = ins[0].rank() - 2;
            let k = case.sizes("kernel_size", &[]);
            let kernel = if k.len() == n { k } else { vec![k[0]; n] };
            let (stride, padding) = (case.sizes("stride", &kernel), case.sizes("padding", &[0]));
            if case.op.starts_with("max") {
                ins[0].max_pool_nd(&kernel, &stride, &padding)
            } else {
                ins[0].avg_pool_nd(&kernel, &stride, &padding, case.flag("count_include_pad", true))
            }
        });
    }
}

#[test]
fn upsample_golden() {
    let cases = golden::cases("upsample");
    assert!(cases.len() > 80);
    for case in &cases {
        golden::check(case, |case, ins| {
            let x = &ins[0];
            let factor = case.kwargs.get("scale_factor").map(|f| f.as_f64().unwrap());
            let size = case.sizes("size", &[]);
            let corners = case.flag("align_corners", false);
            match (case.op.as_str(), factor) {
                ("upsample_nearest1d", None) => x.upsample_nearest1d(size[0]),
                ("upsample_nearest1d", Some(f)) => x.upsample_nearest1d_with_scale(f),
                ("upsample_nearest2d", None) => x.upsample_nearest2d(size[0], size[1]),
                ("upsample_nearest2d", Some(f)) => x.upsample_nearest2d_with_scale(f, f),
                (_, None) => x.upsample_bilinear2d(size[0], size[1], corners),
                (_, Some(f)) => x.upsample_bilinear2d_with_scale(f, f, corners),
            }
        });
    }
}

fn arange(shape: &[usize], dtype: DType) -> Result<Tensor> {
    let n: usize = shape.iter().product();
    Tensor::from_iter((0..n).map(|i| (i * 7 % 11) as f32 - 5.0), &Device::Cpu)?
        .reshape(shape)?
        .to_dtype(dtype)
}

#[test]
fn the_first_maximum_gets_the_gradient() -> Result<()> {
    let x = Tensor::new(&[[[2f64, 5., 5., 5., 1., 1.]]], &Device::Cpu)?.leaf();
    let g = Tensor::new(&[[[1f64, 10., 100.]]], &Device::Cpu)?;
    let y = x.max_pool1d_with_stride(2, 2)?;
    assert_eq!(y.to_vec3::<f64>()?, [[[5., 5., 1.]]]);
    let grads = y.mul(&g)?.sum_all()?.backward()?;
    assert_eq!(grads.get(&x).unwrap().to_vec3::<f64>()?, [[[0., 1., 10., 0., 100., 0.]]]);
    // NaN is the maximum of its windows, and the first NaN gets the gradient.
    let x = Tensor::new(&[[[1f32, f32::NAN, 9., f32::NAN, -4., 0.]]], &Device::Cpu)?.leaf();
    let y = x.max_pool1d_with_stride(3, 1)?;
    let values = y.flatten_all()?.to_vec1::<f32>()?;
    assert!(values.iter().all(|v| v.is_nan()), "{values:?}");
    let grads = y.sum_all()?.backward()?;
    assert_eq!(grads.get(&x).unwrap().to_vec3::<f32>()?, [[[0., 2., 0., 2., 0., 0.]]]);
    Ok(())
}

#[test]
fn max_pool_never_returns_padding() -> Result<()> {
    let x = Tensor::full(-3f32, (1, 1, 3, 3), &Device::Cpu)?;
    let y = x.max_pool_nd(&[2, 2], &[2, 2], &[1, 1])?;
    assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [-3.0; 4]);
    let y = x.avg_pool_nd(&[2, 2], &[2, 2], &[1, 1], true)?;
    assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [-0.75, -1.5, -1.5, -3.]);
    let y = x.avg_pool_nd(&[2, 2], &[2, 2], &[1, 1], false)?;
    assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [-3.0; 4]);
    Ok(())
}

#[test]
fn dtypes() -> Result<()> {
    let want = arange(&[2, 3, 5, 6], DType::F32)?.max_pool2d_with_stride(3, 2)?;
    for dtype in [DType::F16, DType::BF16, DType::I8, DType::I16, DType::I32, DType::I64] {
        let got = arange(&[2, 3, 5, 6], dtype)?.max_pool2d_with_stride(3, 2)?;
        assert_eq!(got.dtype(), dtype);
        assert_eq!(golden::values(&got), golden::values(&want));
    }
    let bytes = Tensor::new(&[[[3u8, 200, 7, 1]]], &Device::Cpu)?;
    assert_eq!(bytes.max_pool1d(2)?.to_vec3::<u8>()?, [[[200, 7]]]);
    // f16 accumulates in f32: in f16, 2048 + 1 + 1 + 1 would stay 2048.
    let x = Tensor::new(&[[[2048f32, 1., 1., 1.]]], &Device::Cpu)?.to_dtype(DType::F16)?;
    assert_eq!(golden::values(&x.avg_pool1d(4)?), [513.0]);
    // Integers are interpolated in f64 and rounded to nearest.
    let bytes = Tensor::new(&[[[[0u8, 255]]]], &Device::Cpu)?;
    assert_eq!(bytes.upsample_bilinear2d(1, 4, false)?.flatten_all()?.to_vec1::<u8>()?, [0, 64, 191, 255]);
    // Resizing to the nearest element supports every dtype.
    for dtype in
        [DType::Bool, DType::U8, DType::F8E4M3, DType::BF16, DType::C64, DType::C128, DType::F64, DType::I64]
    {
        let x = Tensor::new(&[[[0f32, 1., 1., 0.]]], &Device::Cpu)?.to_dtype(dtype)?;
        let y = x.upsample_nearest1d(6)?;
        assert_eq!(y.dtype(), dtype);
        assert_eq!(golden::values(&y), [0., 0., 1., 1., 1., 0.]);
    }
    Ok(())
}

#[test]
fn upsample_nearest_computes_source_indices_exactly() -> Result<()> {
    // In floating point, 49 * (2 / 98) is less than 1.
    let x = Tensor::new(&[[[0f32, 1.]]], &Device::Cpu)?;
    let y = x.upsample_nearest1d(98)?.flatten_all()?.to_vec1::<f32>()?;
    assert_eq!(y.iter().filter(|v| **v == 0.0).count(), 49);
    Ok(())
}

#[test]
fn bilinear_keeps_what_it_need_not_mix() -> Result<()> {
    let x = Tensor::new(&[[[[1f32, f32::INFINITY], [f32::NAN, 4.]]]], &Device::Cpu)?;
    let y = x.upsample_bilinear2d(2, 2, false)?.flatten_all()?.to_vec1::<f32>()?;
    assert!(y[0] == 1.0 && y[1] == f32::INFINITY && y[2].is_nan() && y[3] == 4.0, "{y:?}");
    let y = x.upsample_bilinear2d(3, 3, true)?.flatten_all()?.to_vec1::<f32>()?;
    assert!(y[0] == 1.0 && y[2] == f32::INFINITY && y[8] == 4.0, "{y:?}");
    Ok(())
}

#[test]
fn threads_do_not_change_results() -> Result<()> {
    let run = || -> Result<Vec<Vec<f64>>> {
        let x = arange(&[3, 7, 61, 53], DType::F32)?.leaf();
        let all = [
            x.max_pool_nd(&[3, 3], &[2, 2], &[1, 1])?,
            x.avg_pool_nd(&[3, 2], &[1, 2], &[1, 0], false)?,
            x.upsample_nearest2d(100, 30)?,
            x.upsample_bilinear2d(100, 90, false)?,
        ];
        let mut out = Vec::new();
        for y in all {
            let grads = y.sqr()?.sum_all()?.backward()?;
            out.push(golden::values(&y));
            out.push(golden::values(grads.get(&x).unwrap()));
        }
        Ok(out)
    };
    rushlight::cpu::set_num_threads(1);
    let one = run()?;
    rushlight::cpu::set_num_threads(3);
    let three = run()?;
    rushlight::cpu::set_num_threads(0);
    assert_eq!(one, three);
    Ok(())
}

#[test]
fn empty_batches_work() -> Result<()> {
    let x = Tensor::zeros((0, 3, 4, 4), DType::F32, &Device::Cpu)?.leaf();
    for y in
        [x.max_pool2d(2)?, x.avg_pool2d(2)?, x.upsample_nearest2d(2, 2)?, x.upsample_bilinear2d(2, 2, true)?]
    {
        assert_eq!(y.dims(), [0, 3, 2, 2]);
        let grads = y.sum_all()?.backward()?;
        assert_eq!(grads.get(&x).unwrap().dims(), [0, 3, 4, 4]);
    }
    Ok(())
}

#[test]
fn errors_say_what_is_wrong() -> Result<()> {
    let x = Tensor::zeros((2, 3, 4, 5), DType::F32, &Device::Cpu)?;
    let text = |r: Result<Tensor>| r.unwrap_err().to_string();
    assert!(
        text(x.max_pool2d((5, 2))).starts_with(
            "max_pool2d: kernel-size (5, 2) is larger than the input size 4,5: input (2, 3, 4, 5)"
        )
    );
    assert!(text(x.avg_pool2d(6)).contains("kernel-size (6, 6) is larger than the input size 4,5"));
    assert_eq!(text(x.max_pool2d_with_stride(2, 0)), "max_pool2d: stride must be positive, got (0, 0)");
    assert!(text(x.avg_pool2d(0)).contains("kernel is empty") || text(x.avg_pool2d(0)).contains("stride"));
    assert!(text(x.max_pool_nd(&[3, 3], &[1], &[2])).contains("padding must be at most half"));
    assert_eq!(text(x.max_pool1d(2)), "unexpected rank, expected: 3, got: 4, shape: (2, 3, 4, 5)");
    assert!(text(x.max_pool_nd(&[], &[1], &[0])).contains("1 to 3 spatial dimensions"));
    assert!(text(x.max_pool_nd(&[2, 2], &[1, 1, 1], &[0])).contains("stride takes 1 or 2 numbers"));
    assert!(text(x.max_pool2d(usize::MAX)).contains("too large"));
    let ints = x.to_dtype(DType::I32)?;
    assert_eq!(text(ints.avg_pool2d(2)), "unsupported dtype I32 for op avg_pool2d");
    assert_eq!(
        text(x.upsample_nearest2d(0, 4)),
        "upsample_nearest2d: sizes must be positive: (2, 3, 4, 5) to (0, 4)"
    );
    assert!(text(x.upsample_nearest1d(3)).starts_with("unexpected rank"));
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300, 0.1] {
        let error = text(x.upsample_bilinear2d_with_scale(scale, 1.0, false));
        assert!(error.starts_with("upsample_bilinear2d: "), "{error}");
    }
    assert!(text(x.upsample_nearest2d(1 << 31, 1 << 31)).contains("more elements or bytes"));
    Ok(())
}

/// Long rows of windows, with and without padding: the first of the largest elements, or the first NaN.
#[test]
fn long_rows_have_the_maxima_of_plain_loops() -> Result<()> {
    let n = 150;
    let x: Vec<f32> = (0..2 * n).map(|i| if i % 41 == 7 { f32::NAN } else { (i * 29 % 13) as f32 }).collect();
    for (k, s, p) in [(2, 2, 0), (3, 2, 1), (3, 1, 1), (3, 3, 0), (2, 4, 1), (5, 3, 2), (4, 1, 0)] {
        let t = Tensor::from_slice(&x, (1, 2, n), &Device::Cpu)?.leaf();
        let y = t.max_pool_nd(&[k], &[s], &[p])?;
        let count = y.dims()[2];
        let g: Vec<f32> = (0..2 * count).map(|i| (i + 1) as f32).collect();
        let (mut want, mut grad) = (vec![0f32; 2 * count], vec![0f32; 2 * n]);
        for plane in 0..2 {
            for c in 0..count {
                let window = (c * s).saturating_sub(p)..(c * s + k - p).min(n);
                let at = |i: usize| x[plane * n + i];
                let nan = window.clone().find(|i| at(*i).is_nan());
                let best = nan.unwrap_or_else(|| {
                    window.reduce(|best, i| if at(i) > at(best) { i } else { best }).unwrap()
                });
                want[plane * count + c] = at(best);
                grad[plane * n + best] += g[plane * count + c];
            }
        }
        let got = y.flatten_all()?.to_vec1::<f32>()?;
        let same = got.iter().zip(&want).all(|(a, b)| a == b || a.is_nan() && b.is_nan());
        assert!(same, "kernel {k}, stride {s}, padding {p}: {got:?} {want:?}");
        let g = Tensor::from_slice(&g, (1, 2, count), &Device::Cpu)?;
        let grads = y.mul(&g)?.sum_all()?.backward()?;
        let got = grads.get(&t).unwrap().flatten_all()?.to_vec1::<f32>()?;
        assert_eq!(got, grad, "kernel {k}, stride {s}, padding {p}");
    }
    Ok(())
}
