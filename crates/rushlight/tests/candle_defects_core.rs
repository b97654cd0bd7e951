//! Defects of candle (0.11) in what the core does, each as a test that ours is right.
use half::bf16;
use rushlight::{DType, Device, Result, Tensor, Var};

const CPU: &Device = &Device::Cpu;

/// Unary ops on integers panic in candle, or give 0 (gelu, silu, erf). Here they are right, or an error that says so.
#[test]
fn unary_ops_on_integers_are_right_or_an_error() -> Result<()> {
    let t = Tensor::new(&[-3i64, 0, 4], CPU)?;
    assert_eq!(t.neg()?.to_vec1::<i64>()?, [3, 0, -4]);
    assert_eq!(t.sqr()?.to_vec1::<i64>()?, [9, 0, 16]);
    assert_eq!(t.abs()?.to_vec1::<i64>()?, [3, 0, 4]);
    assert_eq!(t.relu()?.to_vec1::<i64>()?, [0, 0, 4]);
    assert_eq!(Tensor::new(&[3u8, 0], CPU)?.neg()?.to_vec1::<u8>()?, [253, 0]);
    for r in [t.gelu(), t.silu(), t.erf(), t.exp(), t.sqrt(), t.recip(), t.gelu_erf(), t.tanh()] {
        let e = r.unwrap_err().to_string();
        assert!(e.starts_with("unsupported dtype I64 for op "), "{e}");
    }
    Ok(())
}

/// An integer tensor divided by a number becomes a product with the truncated reciprocal in candle: all zeros.
#[test]
fn integers_divided_by_a_number_divide() -> Result<()> {
    let t = Tensor::new(&[10i64, 21, -7], CPU)?;
    assert_eq!((&t / 3.0)?.to_vec1::<i64>()?, [3, 7, -2]);
    assert_eq!((&t / 1.0)?.to_vec1::<i64>()?, [10, 21, -7]);
    assert_eq!((&t / 2.5)?.to_vec1::<i64>()?, [4, 8, -2]);
    let big = Tensor::new(&[i64::MAX, i64::MIN], CPU)?;
    assert_eq!((&big / 2.0)?.to_vec1::<i64>()?, [i64::MAX / 2, i64::MIN / 2], "exact beyond 2^53");
    assert_eq!((Tensor::new(&[200u8, 7], CPU)? / 7.0)?.to_vec1::<u8>()?, [28, 1]);
    Ok(())
}

/// The first of equal maxima, however long the row.
#[test]
fn ties_give_the_first_index() -> Result<()> {
    let mut v = vec![1f32; 4096];
    assert_eq!(Tensor::from_slice(&v, 4096, CPU)?.argmax(0)?.to_scalar::<u32>()?, 0);
    (v[1500], v[1501], v[3000]) = (2.0, 2.0, 2.0);
    let t = Tensor::from_slice(&v, (1, 4096), CPU)?;
    assert_eq!(t.argmax(1)?.to_vec1::<u32>()?, [1500]);
    assert_eq!(t.neg()?.argmin(1)?.to_vec1::<u32>()?, [1500]);
    Ok(())
}

/// `Device::Cpu.set_seed` is refused by candle.
#[test]
fn the_cpu_can_be_seeded() -> Result<()> {
    let draw = || -> Result<Vec<f32>> {
        CPU.set_seed(299_792_458)?;
        assert_eq!(CPU.get_current_seed()?, 299_792_458);
        let a = Tensor::randn(0f32, 1.0, 7, CPU)?.to_vec1::<f32>()?;
        let b = Tensor::rand(0f32, 1.0, 7, CPU)?.to_vec1::<f32>()?;
        Ok([a, b].concat())
    };
    // Other tests of this file draw no random numbers, so that the two runs see the same state.
    let first = draw()?;
    assert_eq!(first, draw()?);
    assert!(first.windows(2).any(|w| w[0] != w[1]));
    Ok(())
}

/// Candle records unfold as a reshape, so that its gradient has the wrong shape, or misses where windows overlap.
#[test]
fn the_gradient_of_unfold_counts_each_use() -> Result<()> {
    let x = Var::new(&[1f64, 2.0, 3.0, 4.0, 5.0], CPU)?;
    let windows = x.unfold(0, 3, 1)?;
    assert_eq!(windows.to_vec2::<f64>()?, [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0]]);
    let grads = windows.backward()?;
    assert_eq!(grads.get(&x).expect("a gradient").to_vec1::<f64>()?, [1.0, 2.0, 3.0, 2.0, 1.0]);
    // Steps that leave gaps: what no window holds has gradient 0.
    let grads = x.unfold(0, 1, 2)?.sqr()?.backward()?;
    assert_eq!(grads.get(&x).expect("a gradient").to_vec1::<f64>()?, [2.0, 0.0, 6.0, 0.0, 10.0]);
    Ok(())
}

/// Moves between two devices, neither of them the CPU, bail in candle for some pairs.
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

/// bf16 matmul is UnsupportedDTypeForOp on candle's CPU.
#[test]
fn bf16_matmul_works_on_the_cpu_and_sums_in_f32() -> Result<()> {
    let a = Tensor::ones((2, 1000), DType::BF16, CPU)?;
    let out = a.matmul(&a.t()?)?;
    // Summed in bf16, 1000 ones end at 256.
    assert_eq!(out.to_vec2::<bf16>()?, vec![vec![bf16::from_f32(1000.0); 2]; 2]);
    assert!(CPU.supports_bf16());
    // The same of f16, where a long sum passes several blocks of the product.
    let a = Tensor::full(half::f16::from_f32(0.1), (1, 20_000), CPU)?;
    let one = Tensor::ones((20_000, 1), DType::F16, CPU)?;
    let want = half::f16::from_f32(half::f16::from_f32(0.1).to_f32() * 20_000.0);
    assert_eq!(a.matmul(&one)?.to_vec2::<half::f16>()?, [[want]]);
    Ok(())
}
