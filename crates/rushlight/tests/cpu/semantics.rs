//! A test for each row of docs/SEMANTICS.md that no other file tests.
use rushlight::ops::index_select::IndexSelect;
use rushlight::ops::reduce::ReduceOp;
use rushlight::ops::{IndexMode, Op, cmp::CmpOp};
use rushlight::{DType, Device, Result, Tensor, Var};

const CPU: &Device = &Device::Cpu;

fn error<T>(r: Result<T>) -> String {
    r.err().map_or_else(String::new, |e| e.to_string())
}

#[test]
fn an_id_equal_to_its_types_max() -> Result<()> {
    let x = Tensor::new(&[5f32, 6.], CPU)?;
    let ids = Tensor::new(&[1u32, u32::MAX], CPU)?;
    assert_eq!(x.index_select(&ids, 0)?.to_vec1::<f32>()?, [6., 0.]);
    let strict = Op::IndexSelect(IndexSelect { dim: 0, rule: IndexMode::Within });
    assert!(error(Tensor::run(strict, &[&x, &ids])).contains("4294967295"));
    Ok(())
}

#[test]
fn negative_indices_count_from_the_end_by_mode() -> Result<()> {
    let x = Tensor::new(&[5f32, 6., 7.], CPU)?;
    let select = |rule, ids: &[i32]| {
        Tensor::run(Op::IndexSelect(IndexSelect { dim: 0, rule }), &[&x, &Tensor::new(ids, CPU)?])
    };
    assert_eq!(select(IndexMode::FromEnd, &[0, -1, -3, 2])?.to_vec1::<f32>()?, [5., 7., 5., 7.]);
    // The error shows the index as the caller passed it.
    for bad in [-4, 3, i32::MIN, i32::MAX] {
        assert_eq!(
            error(select(IndexMode::FromEnd, &[0, bad])),
            format!("index_select invalid index {bad} with dim size 3")
        );
    }
    for rule in [IndexMode::Within, IndexMode::MaxSkips] {
        assert!(error(select(rule, &[-1])).contains("invalid index -1"));
    }
    Ok(())
}

#[test]
fn comparisons_give_u8_or_bool() -> Result<()> {
    let (a, b) = (Tensor::new(&[1f32, 2.], CPU)?, Tensor::new(&[2f32, 2.], CPU)?);
    assert_eq!(a.lt(&b)?.to_vec1::<u8>()?, [1, 0]);
    assert_eq!(a.compare(&b, CmpOp::Lt, DType::Bool)?.to_vec1::<bool>()?, [true, false]);
    Ok(())
}

#[test]
fn argmax_indices_are_u32_or_i64() -> Result<()> {
    let a = Tensor::new(&[1f32, 3., 3.], CPU)?;
    assert_eq!(a.argmax(0)?.to_scalar::<u32>()?, 1);
    assert_eq!(a.reduce(ReduceOp::ArgMax, 1, false, DType::I64)?.to_scalar::<i64>()?, 1);
    assert_eq!(a.arg_sort_last_dim(false)?.to_vec1::<u32>()?, [1, 2, 0]);
    assert_eq!(a.argsort(0, true, DType::I64)?.to_vec1::<i64>()?, [1, 2, 0]);
    Ok(())
}

#[test]
fn sums_of_integers_wrap_or_widen() -> Result<()> {
    let a = Tensor::new(&[200u8, 100], CPU)?;
    assert_eq!(a.sum(0)?.to_scalar::<u8>()?, 44);
    assert_eq!(a.reduce(ReduceOp::Sum, 1, false, DType::U64)?.to_scalar::<u64>()?, 300);
    Ok(())
}

#[test]
fn mixed_dtypes_are_refused() -> Result<()> {
    let (a, b) = (Tensor::new(&[1f32], CPU)?, Tensor::new(&[1f64], CPU)?);
    assert!(error(a.add(&b)).contains("dtype mismatch in add"), "{}", error(a.add(&b)));
    Ok(())
}

#[test]
fn gradients_at_kinks_and_ties() -> Result<()> {
    let x = Var::new(&[0f32, 2., 2., -1.], CPU)?;
    let of = |y: Tensor| y.sum_all()?.backward()?.get(&x).map_or(Ok(vec![]), |g| g.to_vec1::<f32>());
    assert_eq!(of(x.relu()?)?, [0., 1., 1., 0.]);
    assert_eq!(of(x.abs()?)?, [0., 1., 1., -1.]);
    assert_eq!(of(x.max(0)?)?, [0., 0.5, 0.5, 0.]);
    assert_eq!(of(x.maximum(0f32)?)?, [0.5, 1., 1., 0.]);
    Ok(())
}

#[test]
fn rounding_is_half_to_even() -> Result<()> {
    let x = Tensor::new(&[0.5f32, 1.5, 2.5, -0.5, -1.5], CPU)?;
    assert_eq!(x.round()?.to_vec1::<f32>()?, [0., 2., 2., -0., -2.]);
    Ok(())
}

#[test]
fn nan_wins_and_ties_give_the_first() -> Result<()> {
    let x = Tensor::new(&[1f32, f32::NAN, 3., f32::NAN], CPU)?;
    assert!(x.max(0)?.to_scalar::<f32>()?.is_nan() && x.min(0)?.to_scalar::<f32>()?.is_nan());
    assert_eq!((x.argmax(0)?.to_scalar::<u32>()?, x.argmin(0)?.to_scalar::<u32>()?), (1, 1));
    assert_eq!(Tensor::new(&[1i32, 7, 7], CPU)?.argmax(0)?.to_scalar::<u32>()?, 1);
    Ok(())
}

#[test]
fn casts_saturate() -> Result<()> {
    let x = Tensor::new(&[300f32, -1., f32::NAN, f32::INFINITY, 2.9], CPU)?;
    assert_eq!(x.to_dtype(DType::U8)?.to_vec1::<u8>()?, [255, 0, 0, 255, 2]);
    assert_eq!(x.to_dtype(DType::I32)?.to_vec1::<i32>()?, [300, -1, 0, i32::MAX, 2]);
    Ok(())
}

#[test]
fn integer_division() -> Result<()> {
    let (a, b) = (Tensor::new(&[-7i32, 7, 5], CPU)?, Tensor::new(&[2i32, -2, 0], CPU)?);
    assert_eq!(a.div(&b)?.to_vec1::<i32>()?, [-3, -3, 0]);
    assert_eq!(a.floor_divide(&b)?.to_vec1::<i32>()?, [-4, -4, 0]);
    assert_eq!(a.remainder(&b)?.to_vec1::<i32>()?, [1, -1, 0]);
    assert_eq!((&a / 2.0)?.to_vec1::<i32>()?, [-3, 3, 2]);
    Ok(())
}

#[test]
fn reductions_of_nothing() -> Result<()> {
    let x = Tensor::zeros((0, 2), DType::F32, CPU)?;
    assert_eq!(x.sum(0)?.to_vec1::<f32>()?, [0., 0.]);
    assert_eq!(x.prod(0)?.to_vec1::<f32>()?, [1., 1.]);
    assert!(x.mean(0)?.to_vec1::<f32>()?.iter().all(|v| v.is_nan()));
    assert!(error(x.max(0)).contains("empty tensor for max"));
    Ok(())
}

#[test]
fn overlapping_assignment_reads_first() -> Result<()> {
    let a = Tensor::new(&[1f32, 2., 3., 4.], CPU)?;
    a.narrow(0, 1, 3)?.assign(&a.narrow(0, 0, 3)?)?;
    assert_eq!(a.to_vec1::<f32>()?, [1., 1., 2., 3.]);
    Ok(())
}

#[test]
fn change_after_use_is_an_error() -> Result<()> {
    let x = Var::new(&[1f32, 2.], CPU)?;
    let y = x.sqr()?.sum_all()?;
    x.set(&Tensor::new(&[5f32, 6.], CPU)?)?;
    assert!(error(y.backward().map(|_| ())).contains("in place"), "{}", error(y.backward().map(|_| ())));
    Ok(())
}

#[test]
fn the_cpu_takes_a_seed() -> Result<()> {
    // A device other than the CPU, whose generator is shared by tests. The code is the same.
    let device = Device::new_testdev(7);
    let draw = || Tensor::randn(0f32, 1., 5, &device)?.to_vec1::<f32>();
    device.set_seed(3)?;
    let first = draw()?;
    assert_ne!(first, draw()?);
    device.set_seed(3)?;
    assert_eq!(first, draw()?);
    Ok(())
}

#[test]
fn gpus_are_an_error_that_says_so() {
    for (name, r) in [("ROCm", Device::new_rocm(0)), ("CUDA", Device::new_cuda(0))] {
        assert!(error(r.map(|_| ())).to_lowercase().contains(&name.to_lowercase()));
    }
}

#[test]
fn factors_that_an_integer_dtype_lacks() -> Result<()> {
    let x = Tensor::new(&[0u8, 1, 5, 200], CPU)?;
    let affine = |mul: f64, add: f64| x.affine(mul, add)?.to_vec1::<u8>();
    assert_eq!(affine(-1.0, 0.0)?, [0, 255, 251, 56]);
    assert_eq!(affine(-2.0, 10.0)?, [10, 8, 0, 122]);
    assert_eq!(affine(1.0, -1.0)?, [255, 0, 4, 199]);
    assert_eq!(affine(2.5, 0.5)?, [0, 3, 13, 255]);
    assert_eq!(affine(-0.5, 1.0)?, [1, 0, 0, 0]);
    let x = x.to_dtype(DType::U32)?;
    assert_eq!(x.affine(-1.0, 0.0)?.to_vec1::<u32>()?, [0, u32::MAX, u32::MAX - 4, u32::MAX - 199]);
    assert_eq!(x.affine(2.5, 0.5)?.to_vec1::<u32>()?, [0, 3, 13, 500]);
    Ok(())
}

#[test]
fn products_of_a_batch_without_matrices() -> Result<()> {
    // Each takes another path: an outer product, tiles, and few columns.
    for (dtype, m, k, n) in [
        (DType::F32, 4, 1, 4),
        (DType::F32, 8, 16, 64),
        (DType::F64, 64, 64, 2),
        (DType::F16, 8, 64, 64),
        (DType::I32, 8, 16, 64),
    ] {
        let a = Tensor::zeros((0, m, k), dtype, CPU)?;
        let b = Tensor::zeros((0, k, n), dtype, CPU)?;
        assert_eq!(a.matmul(&b)?.dims(), [0, m, n]);
    }
    Ok(())
}
