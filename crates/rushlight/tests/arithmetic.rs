//! Results of float arithmetic that are no whole numbers.
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
