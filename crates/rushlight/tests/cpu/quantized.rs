//! Quantized tensors: numbers of blocks against the files of the package gguf (`tests/golden/make_ggml.py`), products
//! against f64, and files.
use super::simd_levels::at_levels;
use rushlight::cpu::{num_threads, set_num_threads};
use rushlight::quantized::gguf_file::{Content, Value, write};
use rushlight::quantized::{
    ALL, Activations, GgmlDType, QMatMul, QTensor, ggml_file, limit_scales, set_activations,
};
use rushlight::{DType, Device, Module, Result, Tensor};
use rushlight_parity::sweep::{Form, lay};
use std::fs::File;
use std::io::Cursor;

const CPU: &Device = &Device::Cpu;

fn golden() -> Result<(File, Content)> {
    let mut file = File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/ggml.gguf"))?;
    let content = Content::read(&mut file)?;
    Ok((file, content))
}

/// A matrix of random blocks, of `rows` rows of `k` elements.
fn random(format: GgmlDType, rows: usize, k: usize) -> Result<QTensor> {
    QTensor::quantize(&Tensor::randn(0f32, 1., (rows, k), CPU)?, format)
}

/// A matrix of blocks of any bytes, whose scales are of a usual size.
fn any_bytes(format: GgmlDType, rows: usize, k: usize) -> Result<QTensor> {
    let bytes = rows * k / format.block_size() * format.type_size();
    let mut blocks: Vec<u8> =
        (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    limit_scales(format, &mut blocks);
    ggml_file::qtensor_from_ggml(format, &blocks, vec![rows, k], CPU)
}

/// The product of two rows in the order of docs/NUMERICS.md: lane l of 32 takes products l, l + 32, .., by `fma`, and the lanes
/// are folded in halves.
fn in_lanes(x: &[f32], w: &[f32]) -> f32 {
    let mut lanes = [0f32; 32];
    for (i, (x, w)) in x.iter().zip(w).enumerate() {
        lanes[i % 32] = w.mul_add(*x, lanes[i % 32]);
    }
    for half in [16, 8, 4, 2, 1] {
        (0..half).for_each(|l| lanes[l] += lanes[l + half]);
    }
    lanes[0]
}

/// Compares products, whose bits are those of [`in_lanes`], for each level of instructions.
fn products_are_in_lanes(x: &Tensor, blocks: &QTensor) -> Result<()> {
    let weights = blocks.dequantize(CPU)?.to_vec2::<f32>()?;
    let rows = x.to_vec2::<f32>()?;
    at_levels(|level| {
        let y = blocks.matmul_t_with(x, Activations::Float32)?.to_vec2::<f32>()?;
        for (r, (x, y)) in rows.iter().zip(&y).enumerate() {
            for (c, (w, y)) in weights.iter().zip(y).enumerate() {
                let expected = in_lanes(x, w);
                let same = y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan();
                assert!(same, "{} {level:?} {r} of {}, {c}: {y}, {expected}", blocks.dtype(), rows.len());
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[test]
fn products_have_the_bits_of_the_documented_order() -> Result<()> {
    for format in ALL {
        // Whole groups of 256 elements, some blocks beside them, and some blocks alone; odd numbers of rows of blocks.
        for (k, n) in [(32, 1), (96, 2), (288, 13), (1280, 5), (736, 3)] {
            let k = k.max(format.block_size()) / format.block_size() * format.block_size();
            let blocks = any_bytes(format, n, k)?;
            for m in [1, 2, 3, 4, 5, 8, 17] {
                products_are_in_lanes(&Tensor::randn(0f32, 1., (m, k), CPU)?, &blocks)?;
            }
        }
    }
    Ok(())
}

#[test]
fn products_of_any_rows_and_special_numbers_have_the_bits_of_the_documented_order() -> Result<()> {
    let k = 512;
    for format in [GgmlDType::Q5_1, GgmlDType::Q3K, GgmlDType::F16] {
        let blocks = any_bytes(format, 14, k)?;
        for m in 1..=17 {
            products_are_in_lanes(&Tensor::randn(0f32, 1., (m, k), CPU)?, &blocks)?;
        }
        for special in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, -0.0] {
            for m in [1, 5] {
                let mut x = Tensor::randn(0f32, 1., (m, k), CPU)?.flatten_all()?.to_vec1::<f32>()?;
                x.iter_mut().skip(7).step_by(101).for_each(|x| *x = special);
                products_are_in_lanes(&Tensor::from_vec(x, (m, k), CPU)?, &blocks)?;
            }
        }
    }
    Ok(())
}

#[test]
fn products_without_elements_are_empty_or_zero() -> Result<()> {
    for (m, n, k) in [(0, 3, 64), (3, 0, 64), (1, 3, 0), (0, 0, 0), (1, 0, 256)] {
        let blocks = Tensor::zeros((n, k / 32 * 18), DType::U8, CPU)?;
        let y = Tensor::ones((m, k), DType::F32, CPU)?.qmatmul(&blocks, GgmlDType::Q4_0)?;
        assert_eq!(y.dims(), [m, n]);
        assert!(y.flatten_all()?.to_vec1::<f32>()?.iter().all(|y| *y == 0.0));
    }
    Ok(())
}

#[test]
fn numbers_of_blocks_equal_those_of_the_package_gguf() -> Result<()> {
    let (mut file, content) = golden()?;
    let mut count = 0;
    for name in content.tensor_infos.keys().filter_map(|n| n.strip_prefix("dequantized.")) {
        let blocks = content.tensor(&mut file, &format!("blocks.{name}"), CPU)?;
        let numbers = content.tensor(&mut file, &format!("dequantized.{name}"), CPU)?;
        let (ours, theirs) = (blocks.dequantize(CPU)?, numbers.dequantize(CPU)?);
        assert_eq!(ours.dims(), [1, 256], "{name}");
        assert_eq!(ours.flatten_all()?.to_vec1::<f32>()?, theirs.flatten_all()?.to_vec1::<f32>()?, "{name}");
        let half = blocks.dequantize_f16(CPU)?.flatten_all()?.to_vec1::<half::f16>()?;
        assert_eq!(half, ours.to_dtype(DType::F16)?.flatten_all()?.to_vec1::<half::f16>()?, "{name}");
        count += 1;
    }
    assert_eq!(count, 12);
    Ok(())
}

#[test]
fn quantize_gives_the_blocks_of_the_package_gguf() -> Result<()> {
    let (mut file, content) = golden()?;
    let input = content.tensor(&mut file, "input", CPU)?.dequantize(CPU)?;
    for name in content.tensor_infos.keys().filter_map(|n| n.strip_prefix("quantized.")) {
        let theirs = content.tensor(&mut file, &format!("quantized.{name}"), CPU)?;
        let ours = QTensor::quantize(&input, theirs.dtype())?;
        assert_eq!(ours.shape(), theirs.shape());
        assert_eq!(ours.data()?, theirs.data()?, "{name}");
    }
    Ok(())
}

#[test]
fn products_are_those_of_the_numbers_in_f64() -> Result<()> {
    for (format, m) in ALL.into_iter().flat_map(|f| [(f, 7), (f, 1)]) {
        let (blocks, x) = (random(format, 9, 512)?, Tensor::randn(0f32, 1., (m, 512), CPU)?);
        let weights = blocks.dequantize(CPU)?.to_dtype(DType::F64)?.t()?;
        let truth = x.to_dtype(DType::F64)?.matmul(&weights)?;
        let size = x.to_dtype(DType::F64)?.abs()?.matmul(&weights.abs()?)?;
        for (dtype, eps) in [(DType::F32, 1e-5), (DType::BF16, 0.01), (DType::F64, 1e-13)] {
            // bf16 numbers are other numbers, of which the product is not the same.
            let y = blocks.matmul_t_with(&x.to_dtype(dtype)?, Activations::Float32)?;
            assert_eq!(y.dtype(), dtype);
            let error =
                ((y.to_dtype(DType::F64)? - &truth)?.abs()? / &size)?.max_all()?.to_scalar::<f64>()?;
            assert!(error < eps, "{format} {dtype:?}: {error:e}");
        }
    }
    Ok(())
}

#[test]
fn products_have_the_same_bits_for_threads_layouts_and_rows() -> Result<()> {
    let before = num_threads();
    let formats = [GgmlDType::Q4_0, GgmlDType::Q6K, GgmlDType::F16];
    for (format, m) in formats.into_iter().flat_map(|f| [(f, 50), (f, 1)]) {
        let (blocks, x) = (random(format, 37, 768)?, Tensor::randn(0f32, 1., (m, 768), CPU)?);
        set_num_threads(1);
        let expected = blocks.matmul_t_with(&x, Activations::Float32)?.to_vec2::<f32>()?;
        for threads in [2, 5] {
            set_num_threads(threads);
            assert_eq!(
                blocks.matmul_t_with(&x, Activations::Float32)?.to_vec2::<f32>()?,
                expected,
                "{format} {threads}"
            );
        }
        for form in [Form::Transposed, Form::Stepped, Form::Offset] {
            let y = lay(&x, form)?.qmatmul(&lay(blocks.blocks(), form)?, format)?;
            assert_eq!(y.to_vec2::<f32>()?, expected, "{format} {form:?}");
        }
        // A row alone has the bits that it has among others.
        let row = blocks.matmul_t_with(&x.narrow(0, m * 2 / 5, 1)?, Activations::Float32)?;
        assert_eq!(row.to_vec2::<f32>()?[0], expected[m * 2 / 5], "{format}");
    }
    set_num_threads(before);
    Ok(())
}

#[test]
fn blocks_on_another_device_are_multiplied_there() -> Result<()> {
    set_activations(Activations::Float32);
    let device = Device::new_testdev(31);
    let x = Tensor::randn(0f32, 1., (3, 64), CPU)?;
    let (there, here) = (
        QTensor::quantize(&x.to_device(&device)?, GgmlDType::Q5_0)?,
        QTensor::quantize(&x, GgmlDType::Q5_0)?,
    );
    assert!(there.device().same_device(&device));
    assert_eq!(there.data()?, here.data()?);
    assert!(there.dequantize(&device)?.device().same_device(&device));
    assert_eq!(
        there.to_device(CPU)?.dequantize(CPU)?.to_vec2::<f32>()?,
        here.dequantize(CPU)?.to_vec2::<f32>()?
    );
    let y = QMatMul::from_qtensor(there)?.forward(&x.to_device(&device)?)?;
    assert_eq!(y.to_vec2::<f32>()?, here.matmul_t_with(&x, Activations::Float32)?.to_vec2::<f32>()?);
    Ok(())
}

#[test]
fn any_number_of_dimensions_is_multiplied() -> Result<()> {
    set_activations(Activations::Float32);
    let product = QMatMul::from_qtensor(random(GgmlDType::Q8_0, 5, 64)?)?;
    let x = Tensor::randn(0f32, 1., (2, 3, 64), CPU)?;
    let y = product.forward(&x)?;
    assert_eq!(y.dims(), [2, 3, 5]);
    let flat = product.forward(&x.reshape((6, 64))?)?;
    let off = (y.reshape((6, 5))? - flat)?.abs()?.max_all()?.to_scalar::<f32>()?;
    assert!(off < 1e-4, "{off}");
    assert!(product.forward(&Tensor::zeros((2, 32), DType::F32, CPU)?).is_err());
    assert!(product.forward(&Tensor::zeros((2, 64), DType::I64, CPU)?).is_err());
    Ok(())
}

#[test]
fn numbers_that_are_not_quantized_are_multiplied_as_numbers() -> Result<()> {
    let x = Tensor::randn(0f32, 1., (2, 4, 6), CPU)?;
    let w = Tensor::randn(0f32, 1., (3, 6), CPU)?;
    let product = QMatMul::from_qtensor(QTensor::quantize(&w, GgmlDType::F32)?)?;
    assert!(matches!(product, QMatMul::Tensor(_)));
    let expected = x.broadcast_matmul(&w.t()?)?;
    let (y, half) = (product.forward(&x)?, product.forward_via_f16(&x)?);
    assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, expected.flatten_all()?.to_vec1::<f32>()?);
    assert!((half - expected)?.abs()?.max_all()?.to_scalar::<f32>()? < 0.05);
    Ok(())
}

#[test]
fn embedding_takes_rows() -> Result<()> {
    let blocks = random(GgmlDType::Q4K, 6, 256)?;
    let ids = Tensor::new(&[[5u32, 0], [2, 5]], CPU)?;
    let rows = blocks.embedding(&ids)?;
    assert_eq!(rows.dims(), [2, 2, 256]);
    let all = blocks.dequantize(CPU)?;
    assert_eq!(rows.get(1)?.get(0)?.to_vec1::<f32>()?, all.get(2)?.to_vec1::<f32>()?);
    Ok(())
}

#[test]
fn gradient_is_that_of_the_product_with_the_numbers() -> Result<()> {
    let blocks = random(GgmlDType::Q5_1, 4, 64)?;
    let x = rushlight::Var::from_tensor(&Tensor::randn(0f32, 1., (3, 64), CPU)?)?;
    let g = Tensor::randn(0f32, 1., (3, 4), CPU)?;
    let grads = (blocks.matmul_t_with(&x, Activations::Float32)? * &g)?.sum_all()?.backward()?;
    let expected = g.matmul(&blocks.dequantize(CPU)?)?;
    let off = (grads.get(&x).unwrap() - expected)?.abs()?.max_all()?.to_scalar::<f32>()?;
    assert!(off < 1e-4, "{off}");
    Ok(())
}

#[test]
fn tensors_of_raw_blocks_need_as_many_bytes() -> Result<()> {
    let blocks = random(GgmlDType::Q8_0, 2, 64)?;
    let data = blocks.data()?;
    let same = ggml_file::qtensor_from_ggml(GgmlDType::Q8_0, &data, vec![2, 64], CPU)?;
    assert_eq!(same.data()?, data);
    let error = ggml_file::qtensor_from_ggml(GgmlDType::Q8_0, &data[1..], vec![2, 64], CPU).unwrap_err();
    assert_eq!(error.to_string(), "qtensor_from_ggml: [2, 64] of Q8_0 needs 136 bytes, got 135");
    Ok(())
}

#[test]
fn gguf_files_keep_tensors_and_metadata() -> Result<()> {
    let (q, f) = (
        random(GgmlDType::Q6K, 2, 256)?,
        QTensor::quantize(&Tensor::ones(3, DType::F32, CPU)?, GgmlDType::F16)?,
    );
    let (name, numbers) = (Value::String("test".into()), Value::Array(vec![Value::U32(1), Value::U32(2)]));
    let mut file = Cursor::new(Vec::new());
    write(&mut file, &[("general.name", &name), ("numbers", &numbers)], &[("q", &q), ("f", &f)])?;
    file.set_position(0);
    let content = Content::read(&mut file)?;
    assert_eq!(content.metadata["general.name"].to_string()?, "test");
    assert_eq!(content.metadata["numbers"].to_vec()?[1].to_u64()?, 2);
    assert!(content.metadata["numbers"].to_f32().is_err());
    let read = content.tensor(&mut file, "q", CPU)?;
    assert_eq!((read.dtype(), read.shape().dims()), (GgmlDType::Q6K, &[2, 256][..]));
    assert_eq!(read.data()?, q.data()?);
    assert_eq!(content.tensor(&mut file, "f", CPU)?.dequantize(CPU)?.to_vec1::<f32>()?, [1.; 3]);
    let missing = content.tensor(&mut file, "x", CPU).unwrap_err();
    assert_eq!(missing.to_string(), "cannot find tensor x");
    Ok(())
}

#[test]
fn shapes_without_whole_blocks_are_errors() -> Result<()> {
    let text = |x: Tensor| QTensor::quantize(&x, GgmlDType::Q4_0).unwrap_err().to_string();
    let expected = "quantize: Q4_0: the last dimension of (32, 3) is not a multiple of the block size 32";
    assert_eq!(text(Tensor::zeros((32, 3), DType::F32, CPU)?), expected);
    assert_eq!(text(Tensor::new(1f32, CPU)?), "quantize: a scalar cannot be quantized");
    let x = Tensor::zeros((2, 256), DType::F32, CPU)?;
    let error = QTensor::quantize_imatrix(&x, &[1.0; 512], GgmlDType::Q4K).unwrap_err().to_string();
    assert!(error.contains("expected 256 weights"), "{error}");
    Ok(())
}

/// The product of each row with the matrix of its index, in f64.
fn chosen(weights: &Tensor, x: &Tensor, ids: &[[u32; 3]]) -> Result<Tensor> {
    let shared = x.dim(1)? == 1;
    let row = |b: usize, t: usize| -> Result<Tensor> {
        let x = x.get(b)?.narrow(0, if shared { 0 } else { t }, 1)?.to_dtype(DType::F64)?;
        x.matmul(&weights.get(ids[b][t] as usize)?.t()?)
    };
    let rows = (0..ids.len()).flat_map(|b| (0..3).map(move |t| (b, t)));
    Tensor::cat(&rows.map(|(b, t)| row(b, t)).collect::<Result<Vec<_>>>()?, 0)?.reshape((ids.len(), 3, ()))
}

#[test]
fn products_with_chosen_matrices_are_those_in_f64() -> Result<()> {
    set_activations(Activations::Float32);
    // A matrix that no row chooses, and one that all do.
    let ids = [[4u32, 0, 2], [4, 4, 0], [2, 4, 0], [4, 3, 2]];
    let device = Device::new_testdev(32);
    for format in [GgmlDType::Q4_0, GgmlDType::Q8_0, GgmlDType::Q4K, GgmlDType::Q6K, GgmlDType::F32] {
        let experts = Tensor::randn(0f32, 1., (5, 7, 256), CPU)?;
        let blocks = QTensor::quantize(&experts, format)?;
        let weights = blocks.dequantize(CPU)?.to_dtype(DType::F64)?;
        for rows in [1, 3] {
            let x = Tensor::randn(0f32, 1., (4, rows, 256), CPU)?;
            let truth = chosen(&weights, &x, &ids)?;
            let size = chosen(&weights.abs()?, &x.abs()?, &ids)?;
            for place in [CPU, &device] {
                let (x, indices) = (x.to_device(place)?, Tensor::new(&ids, place)?);
                let blocks = blocks.to_device(place)?;
                let whole = QMatMul::from_qtensor(blocks.clone())?;
                for y in [
                    blocks.indexed_moe_forward(&x, &indices)?,
                    whole.indexed_moe_forward(&x, &indices.to_dtype(DType::I64)?)?,
                ] {
                    assert!(y.device().same_device(place));
                    assert_eq!((y.dims(), y.dtype()), (&[4, 3, 7][..], DType::F32));
                    let error = (y.to_device(CPU)?.to_dtype(DType::F64)? - &truth)?.abs()?;
                    let error = (error / &size)?.max_all()?.to_scalar::<f64>()?;
                    assert!(error < 1e-5, "{format} {rows}: {error:e}");
                }
                let half = QMatMul::TensorF16(blocks.dequantize_f16(place)?);
                let y = half.indexed_moe_forward(&x, &indices)?.to_device(CPU)?.to_dtype(DType::F64)?;
                let error = ((y - &truth)?.abs()? / &size)?.max_all()?.to_scalar::<f64>()?;
                assert!(error < 2e-3, "{format} {rows} in f16: {error:e}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_gradient_of_a_product_with_chosen_matrices_is_that_of_its_rows() -> Result<()> {
    let blocks = QTensor::quantize(&Tensor::randn(0f32, 1., (3, 4, 32), CPU)?, GgmlDType::Q8_0)?;
    let x = rushlight::Var::randn(0f32, 1., (2, 1, 32), CPU)?;
    let ids = Tensor::new(&[[0u32, 2], [1, 1]], CPU)?;
    let grads = blocks.indexed_moe_forward(&x, &ids)?.sum_all()?.backward()?;
    let sums = blocks.dequantize(CPU)?.sum(1)?;
    let expected = Tensor::stack(&[(sums.get(0)? + sums.get(2)?)?, (sums.get(1)? * 2.0)?], 0)?;
    let found = grads.get(&x).expect("a gradient").squeeze(1)?;
    assert!((found - expected)?.abs()?.max_all()?.to_scalar::<f32>()? < 1e-4);
    Ok(())
}

#[test]
fn wrong_uses_of_chosen_matrices_are_errors() -> Result<()> {
    let blocks = QTensor::quantize(&Tensor::zeros((3, 4, 32), DType::F32, CPU)?, GgmlDType::Q4_0)?;
    let x = |dims: [usize; 3]| Tensor::zeros(dims.as_slice(), DType::F32, CPU);
    let ids = Tensor::new(&[[0u32, 2], [1, 1]], CPU)?;
    let far = Tensor::new(&[[0u32, 3], [1, 1]], CPU)?;
    let error = |x: &Tensor, ids: &Tensor| blocks.indexed_moe_forward(x, ids).unwrap_err().to_string();
    for (found, text) in [
        (error(&x([2, 1, 64])?, &ids), "[3, 4, 32], [2, 1, 64] and [2, 2]"),
        (error(&x([2, 3, 32])?, &ids), "[2, 3, 32]"),
        (error(&x([1, 1, 32])?, &ids), "[1, 1, 32]"),
        (error(&x([2, 1, 32])?, &far), "index 3 of 3 matrices"),
        (error(&x([2, 1, 32])?, &ids.to_dtype(DType::F32)?), "got F32 and F32"),
    ] {
        assert!(found.contains("indexed_moe_forward") && found.contains(text), "{found}");
    }
    let none = blocks.indexed_moe_forward(&x([0, 1, 32])?, &Tensor::zeros((0, 2), DType::U32, CPU)?)?;
    assert_eq!(none.dims(), [0, 2, 4]);
    let there = Device::new_testdev(33);
    assert!(blocks.indexed_moe_forward(&x([2, 1, 32])?.to_device(&there)?, &ids).is_err());
    Ok(())
}
