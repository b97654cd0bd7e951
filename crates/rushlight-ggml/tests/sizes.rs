//! Sizes, names and errors of block types.
use rushlight_ggml::{ALL, GgmlDType, dequantize, quantize, quantize_imatrix};

#[test]
fn numbers_and_names_lead_back_to_types() {
    for dtype in ALL {
        assert_eq!(GgmlDType::from_u32(dtype.to_u32()), Ok(dtype));
        assert_eq!(GgmlDType::from_name(dtype.as_str()), Some(dtype));
        assert_eq!(dtype.bytes_of(512).unwrap() * dtype.block_size(), 512 * dtype.type_size());
    }
}

#[test]
fn lengths_that_do_not_fit_are_errors() {
    let mut blocks = [0; 18];
    let error = quantize(GgmlDType::Q4_0, &[0.0; 31], &mut blocks).unwrap_err();
    assert_eq!(error.to_string(), "Q4_0: expected a multiple of the block size 32, got 31 elements");
    let error = quantize(GgmlDType::Q4_0, &[0.0; 64], &mut blocks).unwrap_err();
    assert_eq!(error.to_string(), "quantize: Q4_0: expected 36 bytes for 64 elements, got 18");
    let error = dequantize(GgmlDType::Q4_0, &blocks, &mut [0.0; 64]).unwrap_err();
    assert_eq!(error.to_string(), "dequantize: Q4_0: expected 36 bytes for 64 elements, got 18");
}

#[test]
fn importance_weights_are_for_rows_of_k_types() {
    let x = [1.0; 512];
    let mut blocks = [0; 288];
    let error = quantize_imatrix(GgmlDType::Q8_0, &x, &x, &mut [0; 544]).unwrap_err();
    assert!(error.to_string().contains("expected Q2K, Q3K, Q4K, Q5K or Q6K, got Q8_0"));
    quantize_imatrix(GgmlDType::Q4K, &x, &x[..256], &mut blocks).unwrap();
    let error = quantize_imatrix(GgmlDType::Q4K, &x, &x[..255], &mut blocks).unwrap_err();
    assert_eq!(error.to_string(), "Q4K: expected a multiple of the block size 256, got 255 elements");
    let error = quantize_imatrix(GgmlDType::Q4K, &x, &[1.0; 768], &mut blocks).unwrap_err();
    let message = "quantize_imatrix: Q4K: expected 768 weights in a row for 512 elements, got 512";
    assert_eq!(error.to_string(), message);
}

#[test]
fn numbers_that_are_not_finite_do_not_panic() {
    for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45] {
        for dtype in ALL {
            let mut x = [0.5; 256];
            x[3] = special;
            let mut blocks = vec![0; dtype.bytes_of(256).unwrap()];
            quantize(dtype, &x, &mut blocks).unwrap();
            quantize(dtype, &[special; 256], &mut blocks).unwrap();
            let _ = quantize_imatrix(dtype, &x, &[1.0; 256], &mut blocks);
            dequantize(dtype, &blocks, &mut x).unwrap();
        }
    }
}
