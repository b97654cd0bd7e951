//! Defects known of candle 0.11 in indexing, sorting, unary ops, division and windows: ours must not have them.
use rushlight::{DType, Device, Result, Tensor, Var};

const INTS: [DType; 8] =
    [DType::U8, DType::I8, DType::U16, DType::I16, DType::U32, DType::I32, DType::U64, DType::I64];

fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// Ids that are every second element of their storage picked wrong entries on CUDA.
#[test]
fn non_contiguous_ids() -> Result<()> {
    let x = Tensor::arange(0f32, 12., &Device::Cpu)?.reshape((4, 3))?;
    for dtype in [DType::U8, DType::I16, DType::I32, DType::U32, DType::I64] {
        let ids = Tensor::new(&[[3u32, 0], [1, 0], [2, 0]], &Device::Cpu)?.to_dtype(dtype)?;
        let ids = ids.narrow(1, 0, 1)?.squeeze(1)?;
        assert!(!ids.is_contiguous());
        assert_eq!(flat(&x.index_select(&ids, 0)?)?, [9., 10., 11., 3., 4., 5., 6., 7., 8.]);
        let rows = Tensor::new(&[[1f32], [10.], [100.]], &Device::Cpu)?.broadcast_as((3, 3))?;
        let sum = x.zeros_like()?.index_add(&ids, &rows, 0)?;
        assert_eq!(flat(&sum)?, [0., 0., 0., 10., 10., 10., 100., 100., 100., 1., 1., 1.]);
        let wide = ids.unsqueeze(1)?.broadcast_as((3, 3))?;
        assert_eq!(flat(&x.gather(&wide, 0)?)?, [9., 10., 11., 3., 4., 5., 6., 7., 8.]);
        assert_eq!(flat(&x.zeros_like()?.scatter_add(&wide, &rows, 0)?)?, flat(&sum)?);
    }
    Ok(())
}

/// Rows of more than 8,192 elements could not be sorted on CUDA; other layouts than row-major nowhere.
#[test]
fn long_rows_and_any_layout_are_sorted() -> Result<()> {
    let n = 20_000i64;
    // A permutation: 7,919 is prime to n.
    let data: Vec<i64> = (0..2 * n).map(|i| (i % n) * 7_919 % n).collect();
    let x = Tensor::from_vec(data.clone(), (2, n as usize), &Device::Cpu)?;
    let ascending: Vec<i64> = (0..n).collect();
    let descending: Vec<i64> = ascending.iter().rev().copied().collect();
    for x in [x.clone(), x.t()?.contiguous()?.t()?] {
        for (asc, want) in [(true, &ascending), (false, &descending)] {
            let (sorted, places) = x.sort_last_dim(asc)?;
            assert_eq!(&sorted.get(0)?.to_vec1::<i64>()?, want);
            assert_eq!(&sorted.get(1)?.to_vec1::<i64>()?, want);
            let found: Vec<i64> =
                places.get(1)?.to_vec1::<u32>()?.iter().map(|&p| data[p as usize]).collect();
            assert_eq!(&found, want);
        }
    }
    Ok(())
}

/// Candle's sort is not stable, and a NaN makes the order arbitrary.
#[test]
fn sort_is_stable_and_knows_nan() -> Result<()> {
    let x: Vec<f32> = (0..5_000).map(|i| if i % 7 == 3 { f32::NAN } else { (i % 3) as f32 }).collect();
    let places = Tensor::new(x.as_slice(), &Device::Cpu)?.arg_sort_last_dim(true)?.to_vec1::<u32>()?;
    let rank = |p: u32| if x[p as usize].is_nan() { 3. } else { x[p as usize] };
    assert!(places.windows(2).all(|w| (rank(w[0]), w[0]) < (rank(w[1]), w[1])));
    Ok(())
}

/// Unary ops on integers panicked, or gave 0 for ops that have no integer result.
#[test]
fn unary_ops_on_integers() -> Result<()> {
    for dtype in INTS {
        let x = Tensor::new(&[0u8, 1, 2, 5], &Device::Cpu)?.to_dtype(dtype)?;
        assert_eq!(flat(&x.sqr()?)?, [0., 1., 4., 25.]);
        for same in [x.abs()?, x.relu()?, x.floor()?, x.ceil()?, x.round()?, x.trunc()?] {
            assert_eq!((flat(&same)?, same.dtype()), (flat(&x)?, dtype));
        }
        assert_eq!(flat(&x.sign()?)?, [0., 1., 1., 1.]);
        // Two's complement, as Rust's wrapping_neg.
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

/// An integer tensor divided by a number was multiplied by the truncated inverse: always 0.
#[test]
fn integers_divided_by_a_number() -> Result<()> {
    for dtype in INTS {
        let x = Tensor::new(&[0u8, 1, 7, 100], &Device::Cpu)?.to_dtype(dtype)?;
        assert_eq!(flat(&(&x / 2.0)?)?, [0., 0., 3., 50.]);
        assert_eq!(flat(&(&x / 1.0)?)?, [0., 1., 7., 100.]);
        assert_eq!(flat(&(&x / 0.5)?.narrow(0, 0, 3)?)?, [0., 2., 14.]);
        assert_eq!(flat(&(&x / 2.5)?)?, [0., 0., 2., 40.]);
        if dtype.is_signed_int() {
            assert_eq!(flat(&(x.neg()? / 2.0)?)?, [0., 0., -3., -50.]);
        }
    }
    // Exact beyond what a multiplication in f64 can hold.
    let x = Tensor::new(&[i64::MAX, i64::MIN], &Device::Cpu)?;
    assert_eq!((x / 3.0)?.to_vec1::<i64>()?, [i64::MAX / 3, i64::MIN / 3]);
    Ok(())
}

/// Ties in rows of more than 1,024 elements could give a later place on CUDA.
#[test]
fn argmax_gives_the_first_of_ties() -> Result<()> {
    for n in [1_025usize, 5_000, 70_000] {
        for first in [0, 31, 1_024] {
            let data: Vec<f32> =
                (0..n).map(|i| if i >= first && (i - first) % 500 == 0 { 1. } else { 0. }).collect();
            let x = Tensor::from_vec(data, n, &Device::Cpu)?;
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

/// The CPU refused a seed.
#[test]
fn the_cpu_takes_a_seed() -> Result<()> {
    let device = Device::Cpu;
    let draw = || -> Result<(Vec<f32>, Vec<f32>)> {
        Ok((
            Tensor::rand(0f32, 1., 100, &device)?.to_vec1()?,
            Tensor::randn(0f32, 1., 100, &device)?.to_vec1()?,
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

/// `unfold` was recorded as a reshape, so that its gradient had the wrong shape and values.
#[test]
fn gradient_of_unfold() -> Result<()> {
    let x = Var::from_tensor(&Tensor::arange(0f64, 10., &Device::Cpu)?)?;
    let windows = x.unfold(0, 4, 2)?;
    assert_eq!(windows.to_vec2::<f64>()?[3], [6., 7., 8., 9.]);
    let weight = Tensor::arange(1f64, 17., &Device::Cpu)?.reshape((4, 4))?;
    let g = (windows * weight)?.backward()?.remove(&x).expect("a gradient");
    // PyTorch: Tensor.unfold(0, 4, 2).
    assert_eq!(g.to_vec1::<f64>()?, [1., 2., 8., 10., 16., 18., 24., 26., 15., 16.]);
    // Windows that do not touch, along the first of two dimensions.
    let x = Var::zeros((5, 2), DType::F64, &Device::Cpu)?;
    let windows = x.unfold(0, 2, 3)?;
    assert_eq!(windows.dims(), &[2, 2, 2]);
    let weight = Tensor::arange(1f64, 9., &Device::Cpu)?.reshape((2, 2, 2))?;
    let g = (windows * weight)?.backward()?.remove(&x).expect("a gradient");
    assert_eq!(g.to_vec2::<f64>()?, [[1., 3.], [2., 4.], [0., 0.], [5., 7.], [6., 8.]]);
    Ok(())
}

/// Running sums multiplied by a matrix of n x n ones: a long vector ran out of memory.
#[test]
fn cumsum_of_a_long_vector() -> Result<()> {
    let n = 1 << 20;
    let sums = Tensor::ones(n, DType::F64, &Device::Cpu)?.cumsum(0)?.to_vec1::<f64>()?;
    assert!(sums.iter().enumerate().all(|(i, &s)| s == (i + 1) as f64));
    Ok(())
}

/// The gradient of a gather with fewer ids than the tensor has in another dimension was a shape error, and every
/// entry that a scatter overwrote got a gradient.
#[test]
fn gradients_of_gather_and_scatter() -> Result<()> {
    let x = Var::zeros((3, 2), DType::F32, &Device::Cpu)?;
    let ids = Tensor::new(&[[1u32], [0]], &Device::Cpu)?;
    let g = x.gather(&ids, 1)?.backward()?.remove(&x).expect("a gradient");
    assert_eq!(g.to_vec2::<f32>()?, [[0., 1.], [1., 0.], [0., 0.]]);
    let src = Var::zeros((1, 3), DType::F32, &Device::Cpu)?;
    let ids = Tensor::new(&[[1u32, 1, 0]], &Device::Cpu)?;
    let out = Tensor::zeros((1, 2), DType::F32, &Device::Cpu)?.scatter(&ids, &src, 1)?;
    let g = out.backward()?.remove(&src).expect("a gradient");
    assert_eq!(g.to_vec2::<f32>()?, [[0., 1., 1.]]);
    Ok(())
}
