//! Defects of candle 0.11 in indexing, sorting and running sums. Each test shows that this library gives the right
//! result.
use rushlight::{DType, Device, Result, Tensor, Var};

fn flat(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// In candle on CUDA, indices with stride 2 select the wrong elements.
#[test]
fn index_ops_take_non_contiguous_indices() -> Result<()> {
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

/// Candle cannot sort rows of more than 8,192 elements on CUDA, and other layouts than row-major on any device.
#[test]
fn long_rows_and_any_layout_are_sorted() -> Result<()> {
    let n = 20_000i64;
    // This is a permutation, since 7,919 is coprime to n.
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

/// In candle, sort is not stable, and a NaN makes the order arbitrary.
#[test]
fn sort_is_stable_and_knows_nan() -> Result<()> {
    let x: Vec<f32> = (0..5_000).map(|i| if i % 7 == 3 { f32::NAN } else { (i % 3) as f32 }).collect();
    let places = Tensor::new(x.as_slice(), &Device::Cpu)?.arg_sort_last_dim(true)?.to_vec1::<u32>()?;
    let rank = |p: u32| if x[p as usize].is_nan() { 3. } else { x[p as usize] };
    assert!(places.windows(2).all(|w| (rank(w[0]), w[0]) < (rank(w[1]), w[1])));
    Ok(())
}

/// In candle, cumsum multiplies by an n x n matrix of ones, so a long vector runs out of memory.
#[test]
fn cumsum_of_a_long_vector() -> Result<()> {
    let n = 1 << 20;
    let sums = Tensor::ones(n, DType::F64, &Device::Cpu)?.cumsum(0)?.to_vec1::<f64>()?;
    assert!(sums.iter().enumerate().all(|(i, &s)| s == (i + 1) as f64));
    Ok(())
}

/// In candle, a gather with fewer indices than the tensor has in another dimension fails in its gradient, and every
/// source element that a scatter has overwritten gets a gradient.
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
