//! Defects of candle 0.11 in elementwise ops, reductions, seeds, views, devices and products. Each test shows that this
//! library gives the right result.
use half::bf16;
use rushlight::{DType, Device, Result, Tensor, Var};

const CPU: &Device = &Device::Cpu;
const INTS: [DType; 8] =
    [DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32, DType::U64, DType::I64];

fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// In candle, unary ops on integers panic, or give 0 for ops without an integer result.
#[test]
fn unary_ops_on_integers() -> Result<()> {
    for dtype in INTS {
        let x = Tensor::new(&[0u8, 1, 2, 5], CPU)?.to_dtype(dtype)?;
        assert_eq!(flat(&x.sqr()?)?, [0., 1., 4., 25.]);
        for same in [x.abs()?, x.relu()?, x.floor()?, x.ceil()?, x.round()?, x.trunc()?] {
            assert_eq!((flat(&same)?, same.dtype()), (flat(&x)?, dtype));
        }
        assert_eq!(flat(&x.sign()?)?, [0., 1., 1., 1.]);
        // Two's complement, like Rust's wrapping_neg.
        let back = x.neg()?.add(&x)?;
        assert_eq!(flat(&back)?, [0.; 4]);
        if dtype.is_signed_int() {
            assert_eq!(flat(&x.neg()?)?, [0., -1., -2., -5.]);
            assert_eq!(flat(&x.neg()?.abs()?)?, flat(&x)?);
            assert_eq!(flat(&x.neg()?.relu()?)?, [0.; 4]);
            assert_eq!(flat(&x.neg()?.sign()?)?, [0., -1., -1., -1.]);
        }
        let floats: [fn(&Tensor) -> Result<Tensor>; 12] = [
            Tensor::gelu,
            Tensor::gelu_erf,
            Tensor::silu,
            Tensor::erf,
            Tensor::exp,
            Tensor::log,
            Tensor::sin,
            Tensor::cos,
            Tensor::tanh,
            Tensor::sqrt,
            Tensor::recip,
            Tensor::sigmoid,
        ];
        for f in floats {
            let text = f(&x).expect_err("no integer result").to_string();
            assert!(text.starts_with(&format!("unsupported dtype {dtype:?} for op ")), "{text}");
        }
    }
    Ok(())
}

/// In candle, an integer tensor divided by a number is multiplied by the truncated inverse, which gives 0.
#[test]
fn integers_divided_by_a_number() -> Result<()> {
    for dtype in INTS {
        let x = Tensor::new(&[0u8, 1, 7, 100], CPU)?.to_dtype(dtype)?;
        assert_eq!(flat(&(&x / 2.0)?)?, [0., 0., 3., 50.]);
        assert_eq!(flat(&(&x / 1.0)?)?, [0., 1., 7., 100.]);
        assert_eq!(flat(&(&x / 0.5)?.narrow(0, 0, 3)?)?, [0., 2., 14.]);
        assert_eq!(flat(&(&x / 2.5)?)?, [0., 0., 2., 40.]);
        if dtype.is_signed_int() {
            assert_eq!(flat(&(x.neg()? / 2.0)?)?, [0., 0., -3., -50.]);
        }
    }
    // The quotient is exact, unlike a multiplication in f64.
    let x = Tensor::new(&[i64::MAX, i64::MIN], CPU)?;
    assert_eq!((x / 3.0)?.to_vec1::<i64>()?, [i64::MAX / 3, i64::MIN / 3]);
    Ok(())
}

/// In candle on CUDA, ties in rows of more than 1,024 elements can give the index of a later element.
#[test]
fn argmax_gives_the_first_of_ties() -> Result<()> {
    for n in [1_025usize, 5_000, 70_000] {
        for first in [0, 31, 1_024] {
            let data: Vec<f32> =
                (0..n).map(|i| if i >= first && (i - first) % 500 == 0 { 1. } else { 0. }).collect();
            let x = Tensor::from_vec(data, n, CPU)?;
            for dtype in [DType::F32, DType::F16, DType::BF16, DType::U8, DType::I64] {
                let x = x.to_dtype(dtype)?;
                assert_eq!(x.argmax(0)?.to_scalar::<u32>()?, first as u32);
                let column = x.unsqueeze(1)?.broadcast_as((n, 3))?;
                assert_eq!(column.argmax(0)?.to_vec1::<u32>()?, [first as u32; 3]);
            }
            let low = x.affine(-1.0, 0.0)?;
            assert_eq!(low.argmin(0)?.to_scalar::<u32>()?, first as u32);
        }
    }
    Ok(())
}

/// In candle, the CPU rejects a seed.
#[test]
fn the_cpu_takes_a_seed() -> Result<()> {
    let device = CPU;
    let draw = || -> Result<(Vec<f32>, Vec<f32>)> {
        Ok((
            Tensor::rand(0f32, 1., 100, device)?.to_vec1()?,
            Tensor::randn(0f32, 1., 100, device)?.to_vec1()?,
        ))
    };
    device.set_seed(299_792_458)?;
    assert_eq!(device.get_current_seed()?, 299_792_458);
    let first = draw()?;
    assert_ne!(draw()?, first);
    device.set_seed(299_792_458)?;
    assert_eq!(draw()?, first);
    device.set_seed(1)?;
    assert_ne!(draw()?, first);
    Ok(())
}

/// In candle, `unfold` is recorded as a reshape, so its gradient has the wrong shape and values.
#[test]
fn gradient_of_unfold() -> Result<()> {
    let x = Var::from_tensor(&Tensor::arange(0f64, 10., CPU)?)?;
    let windows = x.unfold(0, 4, 2)?;
    assert_eq!(windows.to_vec2::<f64>()?[3], [6., 7., 8., 9.]);
    let weight = Tensor::arange(1f64, 17., CPU)?.reshape((4, 4))?;
    let g = (windows * weight)?.backward()?.remove(&x).expect("a gradient");
    // PyTorch: Tensor.unfold(0, 4, 2).
    assert_eq!(g.to_vec1::<f64>()?, [1., 2., 8., 10., 16., 18., 24., 26., 15., 16.]);
    // Windows with gaps between them, along the first of two dimensions.
    let x = Var::zeros((5, 2), DType::F64, CPU)?;
    let windows = x.unfold(0, 2, 3)?;
    assert_eq!(windows.dims(), &[2, 2, 2]);
    let weight = Tensor::arange(1f64, 9., CPU)?.reshape((2, 2, 2))?;
    let g = (windows * weight)?.backward()?.remove(&x).expect("a gradient");
    assert_eq!(g.to_vec2::<f64>()?, [[1., 3.], [2., 4.], [0., 0.], [5., 7.], [6., 8.]]);
    Ok(())
}

/// In candle, copies between two devices other than the CPU fail for some pairs.
#[test]
fn tensors_move_between_any_two_devices() -> Result<()> {
    let (one, two) = (Device::new_testdev(1), Device::new_testdev(2));
    let x = Var::new(&[[1f32, 2.0], [3.0, 4.0]], CPU)?;
    let y = x.to_device(&one)?.t()?.to_device(&two)?;
    assert!(y.device().same_device(&two) && !y.device().same_device(&one));
    assert_eq!(y.to_vec2::<f32>()?, [[1.0, 3.0], [2.0, 4.0]]);
    let grads = y.sqr()?.backward()?;
    let g = grads.get(&x).expect("a gradient");
    assert!(g.device().is_cpu());
    assert_eq!(g.to_vec2::<f32>()?, [[2.0, 4.0], [6.0, 8.0]]);
    let e = x.to_device(&one)?.add(&y).unwrap_err().to_string();
    assert!(e.contains("device mismatch in add"), "{e}");
    Ok(())
}

/// In candle, bf16 matmul on the CPU is an UnsupportedDTypeForOp error.
#[test]
fn bf16_matmul_works_on_the_cpu_and_sums_in_f32() -> Result<()> {
    let a = Tensor::ones((2, 1000), DType::BF16, CPU)?;
    let out = a.matmul(&a.t()?)?;
    // A sum in bf16 would stop at 256.
    assert_eq!(out.to_vec2::<bf16>()?, vec![vec![bf16::from_f32(1000.0); 2]; 2]);
    assert!(CPU.supports_bf16());
    // The same for f16, with a sum that is longer than a block of the product.
    let a = Tensor::full(half::f16::from_f32(0.1), (1, 20_000), CPU)?;
    let one = Tensor::ones((20_000, 1), DType::F16, CPU)?;
    let want = half::f16::from_f32(half::f16::from_f32(0.1).to_f32() * 20_000.0);
    assert_eq!(a.matmul(&one)?.to_vec2::<half::f16>()?, [[want]]);
    Ok(())
}

/// In candle-nn, the fused softmax silently drops the gradient of a contiguous tensor.
#[test]
fn softmax_of_a_contiguous_tensor_has_a_gradient() -> Result<()> {
    let x = Var::new(&[[0f64, 3f64.ln()]], CPU)?;
    // Softmax is (1/4, 3/4); d y0 / dx = (y0 (1 - y0), -y0 y1) = (3/16, -3/16).
    for (y, want) in [(x.softmax(1)?, [3. / 16., -3. / 16.]), (x.log_softmax(1)?, [0.75, -0.75])] {
        assert!(x.is_contiguous());
        let grads = y.narrow(1, 0, 1)?.sum_all()?.backward()?;
        let g = flat(grads.get(&x).expect("a gradient"))?;
        assert!((g[0] - want[0]).abs() < 1e-15 && (g[1] - want[1]).abs() < 1e-15, "{g:?}, want {want:?}");
    }
    Ok(())
}

/// In candle, F8E4M3 kernels are not found on CUDA. Here each backend has them: casts, copies, fills and views.
#[test]
fn f8e4m3_is_cast_copied_and_viewed() -> Result<()> {
    // 1/512 is the smallest positive number, 448 the largest. 17 is halfway between 16 and 18, and rounds to the even
    // mantissa.
    let x = Tensor::new(&[[0f32, -1.5, 448.0], [0.001_953_125, 17.0, 0.3]], CPU)?;
    for device in [Device::Cpu, Device::new_testdev(3)] {
        let y = x.to_device(&device)?.to_dtype(DType::F8E4M3)?;
        assert_eq!(flat(&y.t()?.contiguous()?)?, [0., 0.001_953_125, -1.5, 16., 448., 0.3125]);
        assert_eq!(
            flat(&Tensor::cat(&[&y, &y.zeros_like()?], 0)?)?[2..8],
            [448., 0.001_953_125, 16., 0.3125, 0., 0.]
        );
    }
    Ok(())
}
