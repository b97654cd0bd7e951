//! Float arithmetic whose results are not integers.
use rushlight::{DType, Device, Result, Tensor};

#[test]
fn fractions_survive_every_binary_op() -> Result<()> {
    for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
        let a = Tensor::new(&[0.25f64, 1.5, -3.5], &Device::Cpu)?.to_dtype(dtype)?;
        let b = Tensor::new(&[0.5f64, 0.5, 0.5], &Device::Cpu)?.to_dtype(dtype)?;
        let values = |t: Tensor| t.to_dtype(DType::F64)?.to_vec1::<f64>();
        assert_eq!(values(a.add(&b)?)?, [0.75, 2.0, -3.0], "{dtype:?}");
        assert_eq!(values(a.sub(&b)?)?, [-0.25, 1.0, -4.0], "{dtype:?}");
        assert_eq!(values(a.mul(&b)?)?, [0.125, 0.75, -1.75], "{dtype:?}");
        assert_eq!(values(b.div(&a)?)?[..1], [2.0], "{dtype:?}");
        assert_eq!(values(a.div(&b)?)?, [0.5, 3.0, -7.0], "{dtype:?}");
    }
    Ok(())
}

#[test]
fn f8e4m3_elements_convert_to_numbers() -> Result<()> {
    use rushlight::Element;
    assert_eq!(float8::F8E4M3::from_f32(1.5).to_f64(), 1.5);
    let t = Tensor::new(&[0.5f32, -448.0], &Device::Cpu)?.to_dtype(DType::F8E4M3)?;
    assert_eq!(t.to_dtype(DType::F64)?.to_vec1::<f64>()?, [0.5, -448.0]);
    assert_eq!(format!("{t:?}"), "Tensor[0.5, -448; f8e4m3]");
    Ok(())
}

/// Sums of 1 + (k - 1) / 4096 are exact in f32 and rounded once. With an accumulator of f16 or bf16, such a sum would
/// stay 1. Partial sums beyond f16's range must not make the result infinite.
#[test]
fn products_of_narrow_floats_are_added_in_f32() -> Result<()> {
    for dtype in [DType::F16, DType::BF16] {
        for m in [1, 17, 33] {
            for k in [2, 33, 1025] {
                for n in [1, 16, 33, 65] {
                    let left = Tensor::ones((m, k), dtype, &Device::Cpu)?;
                    let mut column = vec![1f64 / 4096.0; k * n];
                    column[..n].fill(1.0);
                    let right = Tensor::from_vec(column, (k, n), &Device::Cpu)?.to_dtype(dtype)?;
                    let sum = Tensor::new(1.0 + (k - 1) as f64 / 4096.0, &Device::Cpu)?.to_dtype(dtype)?;
                    let want = sum.to_dtype(DType::F64)?.to_scalar::<f64>()?;
                    let got = left.matmul(&right)?.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()?;
                    assert!(got.iter().all(|g| *g == want), "{dtype:?} {m} {k} {n}: {want}, {got:?}");
                }
            }
        }
    }
    let left = (Tensor::ones((17, 2), DType::F16, &Device::Cpu)? * 1000.0)?;
    let rows = [Tensor::full(70f32, (1, 16), &Device::Cpu)?, Tensor::full(-69f32, (1, 16), &Device::Cpu)?];
    let right = Tensor::cat(&rows, 0)?.to_dtype(DType::F16)?;
    let got = left.matmul(&right)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
    assert!(got.iter().all(|g| *g == 1000.0), "{got:?}");
    Ok(())
}
