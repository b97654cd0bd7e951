//! Products of quantized blocks with a factor in 8 bits: against plain loops in the documented order, and against f64.
use super::simd_levels::at_levels;
use rushlight::cpu::{num_threads, set_num_threads};
use rushlight::quantized::{
    ALL, Activations, GgmlDType, QMatMul, QTensor, activations, ggml_file, limit_scales, set_activations,
};
use rushlight::{DType, Device, Module, Result, Tensor, Var};
use rushlight_ggml::levels::{Leveled, Levels, Visitor, unpack_some, visit};
use rushlight_parity::sweep::{Form, lay};
use std::process::Command;

const CPU: &Device = &Device::Cpu;

fn leveled() -> impl Iterator<Item = GgmlDType> {
    ALL.into_iter().filter(|f| f.block_size() > 1)
}

/// A matrix of blocks of any bytes, whose scales are of a usual size.
fn any_bytes(format: GgmlDType, rows: usize, k: usize) -> Result<QTensor> {
    let bytes = rows * k / format.block_size() * format.type_size();
    let mut blocks: Vec<u8> =
        (0..bytes as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    limit_scales(format, &mut blocks);
    ggml_file::qtensor_from_ggml(format, &blocks, vec![rows, k], CPU)
}

/// A block of 8 bits, read from its bytes.
struct Block {
    scale: f32,
    sum: i32,
    levels: Vec<i8>,
}

fn blocks(bytes: &[u8]) -> Vec<Block> {
    let word = |b: &[u8]| [b[0], b[1], b[2], b[3]];
    let read = |b: &[u8]| Block {
        scale: f32::from_le_bytes(word(b)),
        sum: i32::from_le_bytes(word(&b[4..])),
        levels: b[8..].iter().map(|b| *b as i8).collect(),
    };
    bytes.chunks(40).map(read).collect()
}

/// The levels and factors of a row of blocks, from which `dequantize` computes numbers, and the number of elements with a factor.
struct Weights<'a>(&'a [u8]);

impl Visitor for Weights<'_> {
    type Output = (Vec<Levels>, usize, bool);
    fn visit<L: Leveled>(self) -> Self::Output {
        let one = |bytes: &[u8]| {
            let mut levels = Levels::ZERO;
            unpack_some::<L>(bytes, &mut levels);
            levels
        };
        (self.0.chunks(L::BYTES).map(one).collect(), L::SHARED, L::MINIMA)
    }
}

fn weights(format: GgmlDType, row: &[u8]) -> (Vec<Levels>, usize, bool) {
    visit(format, Weights(row)).unwrap_or_else(|_| panic!("{format} has levels"))
}

/// The product of two rows in the order of docs/NUMERICS.md.
fn documented(x: &[Block], (levels, shared, minima): &(Vec<Levels>, usize, bool)) -> f32 {
    let mut parts = [0f32; 8];
    for (b, x) in x.iter().enumerate() {
        let (w, in_group) = (&levels[b / 8], b % 8);
        for g in 0..32 / shared {
            let (at, share) = (in_group * 32 + g * 16, in_group * 2 + g);
            let (mut product, mut sum) = (0i32, 0i32);
            for i in 0..*shared {
                let q = i32::from(x.levels[g * 16 + i]);
                product += i32::from(w.levels[at + i]) * q;
                sum += q;
            }
            assert!(*shared == 16 || sum == x.sum);
            let part = &mut parts[b % 8];
            *part = (w.scales[share] * x.scale).mul_add(product as f32, *part);
            if *minima {
                *part = (w.minima[share] * x.scale).mul_add(sum as f32, *part);
            }
        }
    }
    for half in [4, 2, 1] {
        (0..half).for_each(|i| parts[i] += parts[i + half]);
    }
    parts[0]
}

/// Compares products, whose bits are those of [`documented`], for each level of instructions.
fn products_are_as_documented(x: &Tensor, format: GgmlDType, matrix: &Tensor) -> Result<()> {
    let x = x.quantize_int8()?;
    let rows: Vec<Vec<Block>> = x.to_vec2::<u8>()?.iter().map(|row| blocks(row)).collect();
    let columns: Vec<_> = matrix.to_vec2::<u8>()?.iter().map(|row| weights(format, row)).collect();
    at_levels(|level| {
        let y = x.qmatmul_int8(matrix, format, DType::F32)?.to_vec2::<f32>()?;
        for (r, (x, y)) in rows.iter().zip(&y).enumerate() {
            for (c, (w, y)) in columns.iter().zip(y).enumerate() {
                let expected = documented(x, w);
                let same = y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan();
                assert!(same, "{format} {level:?} {r} of {}, {c}: {y}, {expected}", rows.len());
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[test]
fn integer_products_have_the_bits_of_the_documented_order() -> Result<()> {
    for format in leveled() {
        // Whole groups of 256 elements, some blocks beside them, and some blocks alone; odd numbers of rows of blocks.
        for (k, n) in [(32, 1), (96, 2), (288, 34), (1280, 5), (2336, 17)] {
            let k = k.max(format.block_size()) / format.block_size() * format.block_size();
            let matrix = any_bytes(format, n, k)?;
            for m in [1, 2, 3, 4, 5, 7, 9] {
                let x = Tensor::randn(0f32, 1., (m, k), CPU)?;
                products_are_as_documented(&x, format, matrix.blocks())?;
            }
        }
    }
    Ok(())
}

#[test]
fn integer_products_with_special_numbers_have_the_bits_of_the_documented_order() -> Result<()> {
    for format in [GgmlDType::Q5_1, GgmlDType::Q3K, GgmlDType::Q4K] {
        let matrix = any_bytes(format, 14, 512)?;
        for special in [f32::NAN, f32::INFINITY, f32::MAX, 1e-45, 1e-37, -0.0] {
            for m in [1, 5] {
                let mut x = Tensor::randn(0f32, 1., (m, 512), CPU)?.flatten_all()?.to_vec1::<f32>()?;
                x.iter_mut().skip(7).step_by(101).for_each(|x| *x = special);
                products_are_as_documented(&Tensor::from_vec(x, (m, 512), CPU)?, format, matrix.blocks())?;
            }
        }
        // Any scale of a block: infinities, NaN and negative numbers.
        let bytes = matrix.data()?.iter().map(|b| if b % 7 == 0 { 255 } else { *b }).collect::<Vec<_>>();
        let odd = ggml_file::qtensor_from_ggml(format, &bytes, vec![14, 512], CPU)?;
        for m in [1, 5] {
            products_are_as_documented(&Tensor::randn(0f32, 1., (m, 512), CPU)?, format, odd.blocks())?;
        }
    }
    Ok(())
}

/// The integers, scale and sum of 32 elements, by the words of docs/NUMERICS.md.
fn rounded(x: &[f32]) -> (f32, i32, Vec<i8>) {
    if x.iter().any(|x| !x.is_finite()) {
        return (f32::NAN, 0, vec![0; 32]);
    }
    let scale = x.iter().fold(0f32, |m, x| m.max(x.abs())) / 127.0;
    if scale < f32::MIN_POSITIVE {
        return (0.0, 0, vec![0; 32]);
    }
    let level = |x: &f32| (x * (1.0 / scale)).round_ties_even().clamp(-127.0, 127.0) as i8;
    let levels: Vec<i8> = x.iter().map(level).collect();
    (scale, levels.iter().map(|q| i32::from(*q)).sum(), levels)
}

#[test]
fn rows_are_rounded_as_documented() -> Result<()> {
    let mut rows = Tensor::randn(0f32, 3., (12, 96), CPU)?.to_vec2::<f32>()?;
    let specials = [f32::NAN, f32::NEG_INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45, 1.4e-36, 1.6e-36, 0.0];
    for (row, special) in rows.iter_mut().zip(specials) {
        row[40] = special;
        if special.abs() < 1e-30 {
            row[32..40].fill(-special);
            row[41..64].fill(special / 2.0);
        }
    }
    // Ties: the scale is 1.
    rows[8] = (0..96).map(|i| if i % 32 == 0 { 127.0 } else { (i as f32) - 47.5 }).collect();
    rows[9] = rows[8].iter().map(|x| -x * 0.25).collect();
    let x = Tensor::new(rows.clone(), CPU)?;
    at_levels(|level| {
        for dtype in [DType::F32, DType::F64, DType::F16, DType::BF16] {
            let x = x.to_dtype(dtype)?;
            let wide = x.to_dtype(DType::F32)?.to_vec2::<f32>()?;
            for form in [Form::Contiguous, Form::Transposed, Form::Stepped] {
                let bytes = lay(&x, form)?.quantize_int8()?.to_vec2::<u8>()?;
                for (r, (row, bytes)) in wide.iter().zip(&bytes).enumerate() {
                    for (x, block) in row.chunks(32).zip(blocks(bytes)) {
                        let (scale, sum, levels) = rounded(x);
                        let same = scale.to_bits() == block.scale.to_bits()
                            || block.scale.is_nan() && scale.is_nan();
                        assert!(same, "{level:?} {dtype:?} {r}: {scale:e}, {:e}", block.scale);
                        assert_eq!((sum, &levels), (block.sum, &block.levels), "{level:?} {dtype:?} {r}");
                        // (Not where the scale is 0 instead of a subnormal number.)
                        for (x, q) in x.iter().zip(levels).filter(|_| scale > 0.0) {
                            let off = (f64::from(*x) - f64::from(scale) * f64::from(q)).abs();
                            assert!(off <= 0.50001 * f64::from(scale), "{x} {q} {scale}");
                        }
                    }
                }
            }
        }
        Ok(())
    })?;
    let large = Tensor::new(&[[1e300f64; 32]], CPU)?.quantize_int8()?.to_vec2::<u8>()?;
    assert!(blocks(&large[0])[0].scale.is_nan());
    Ok(())
}

#[test]
fn integer_products_are_those_of_the_rounded_factor_in_f64() -> Result<()> {
    for (format, m) in leveled().flat_map(|f| [(f, 7), (f, 1)]) {
        let (k, n) = (768, 37);
        let (matrix, x) = (any_bytes(format, n, k)?, Tensor::randn(0f32, 1., (m, k), CPU)?);
        let bytes = x.quantize_int8()?;
        let numbers = |row: &Vec<u8>| {
            let one =
                |b: Block| b.levels.iter().map(|q| f64::from(b.scale) * f64::from(*q)).collect::<Vec<_>>();
            blocks(row).into_iter().flat_map(one).collect::<Vec<_>>()
        };
        let rounded = Tensor::new(bytes.to_vec2::<u8>()?.iter().map(numbers).collect::<Vec<_>>(), CPU)?;
        let numbers = matrix.dequantize(CPU)?.to_dtype(DType::F64)?.t()?;
        let truth = rounded.matmul(&numbers)?;
        // The magnitudes of what is added: of products with levels, and of those with minima.
        let mut sizes = Vec::new();
        for row in matrix.blocks().to_vec2::<u8>()? {
            let (levels, _, minima) = weights(format, &row);
            let size = |i: usize| {
                let (w, at) = (&levels[i / 256], i % 256);
                let least = if minima { w.minima[at / 16].abs() } else { 0.0 };
                f64::from((f32::from(w.levels[at]) * w.scales[at / 16]).abs() + least)
            };
            sizes.push((0..k).map(size).collect::<Vec<_>>());
        }
        let size = rounded.abs()?.matmul(&Tensor::new(sizes, CPU)?.t()?)?;
        for (dtype, eps) in [(DType::F32, 2e-7), (DType::F64, 2e-7), (DType::F16, 1e-3), (DType::BF16, 8e-3)]
        {
            let y = bytes.qmatmul_int8(matrix.blocks(), format, dtype)?;
            assert_eq!(y.dtype(), dtype);
            // (Narrow results are rounded once more, and those beyond f16 are infinite.)
            let off =
                ((y.to_dtype(DType::F64)? - &truth)?.abs()? / &size)?.flatten_all()?.to_vec1::<f64>()?;
            let truth = truth.flatten_all()?.to_vec1::<f64>()?;
            let fits = |t: f64| dtype != DType::F16 || t.abs() < 65504.0;
            let compared = off.into_iter().zip(truth).filter(|(_, t)| fits(*t)).map(|(off, _)| off);
            let error = compared.fold(0f64, |most, off| if off <= most { most } else { off });
            assert!(error < eps, "{format} {dtype:?}: {error:e}");
        }
    }
    Ok(())
}

#[test]
fn integer_products_have_the_same_bits_for_threads_layouts_and_rows() -> Result<()> {
    let before = num_threads();
    for (format, m) in leveled().flat_map(|f| [(f, 50), (f, 1)]) {
        let (matrix, x) = (any_bytes(format, 133, 1024)?, Tensor::randn(0f32, 1., (m, 1024), CPU)?);
        let bytes = x.quantize_int8()?;
        let product = |x: &Tensor, w: &Tensor| x.qmatmul_int8(w, format, DType::F32)?.to_vec2::<f32>();
        set_num_threads(1);
        let expected = product(&bytes, matrix.blocks())?;
        for threads in [2, 5] {
            set_num_threads(threads);
            assert_eq!(product(&bytes, matrix.blocks())?, expected, "{format} {threads}");
        }
        for form in [Form::Transposed, Form::Stepped, Form::Offset] {
            let y = product(&lay(&bytes, form)?, &lay(matrix.blocks(), form)?)?;
            assert_eq!(y, expected, "{format} {form:?}");
        }
        // A row alone has the bits that it has among others.
        let row = product(&bytes.narrow(0, m * 2 / 5, 1)?, matrix.blocks())?;
        assert_eq!(row[0], expected[m * 2 / 5], "{format}");
    }
    set_num_threads(before);
    Ok(())
}

#[test]
fn the_precision_of_the_other_factor_is_chosen() -> Result<()> {
    let weights = Tensor::randn(0f32, 1., (5, 256), CPU)?;
    let blocks = QTensor::quantize(&weights, GgmlDType::Q4K)?;
    let x = Tensor::randn(0f32, 1., (2, 3, 256), CPU)?;
    let flat = |y: &Tensor| y.flatten_all()?.to_vec1::<f32>();
    let rows = x.reshape((6, 256))?.quantize_int8()?;
    let int8 = flat(&rows.qmatmul_int8(blocks.blocks(), GgmlDType::Q4K, DType::F32)?)?;
    let exact = flat(&x.qmatmul(blocks.blocks(), GgmlDType::Q4K)?)?;
    assert_ne!(int8, exact);
    let y = blocks.matmul_t_with(&x, Activations::Int8)?;
    assert_eq!((y.dims(), flat(&y)?), (&[2, 3, 5][..], int8.clone()));
    assert_eq!(flat(&blocks.matmul_t_with(&x, Activations::Float32)?)?, exact);
    // An x that is recorded, and blocks of single numbers, are multiplied as numbers.
    let v = Var::from_tensor(&x)?;
    let y = blocks.matmul_t_with(&v, Activations::Int8)?;
    assert_eq!(flat(&y)?, exact);
    assert!(y.sum_all()?.backward()?.get(&v).is_some());
    let half = QTensor::quantize(&weights, GgmlDType::F16)?;
    let (a, b) = (half.matmul_t_with(&x, Activations::Int8)?, half.matmul_t_with(&x, Activations::Float32)?);
    assert_eq!(flat(&a)?, flat(&b)?);
    // Narrow and wide dtypes are kept.
    for dtype in [DType::F16, DType::BF16, DType::F64] {
        assert_eq!(blocks.matmul_t_with(&x.to_dtype(dtype)?, Activations::Int8)?.dtype(), dtype);
    }
    let error =
        blocks.matmul_t_with(&Tensor::zeros((2, 32), DType::F32, CPU)?, Activations::Int8).unwrap_err();
    assert!(error.to_string().contains("shape mismatch in qmatmul"), "{error}");
    Ok(())
}

/// The setting belongs to the process, so it is tested in another one.
#[test]
fn modules_use_the_setting_of_the_process() -> Result<()> {
    const CHILD: &str = "RUSHLIGHT_TEST_CHILD";
    if std::env::var(CHILD).is_err() {
        let name = "quantized_int8::modules_use_the_setting_of_the_process";
        // One of them is not the default.
        for setting in Activations::ALL.map(Activations::as_str) {
            let mut test = Command::new(std::env::current_exe().expect("this program"));
            test.args(["--exact", name]).env(CHILD, setting).env("RUSHLIGHT_ACTIVATIONS", setting);
            let out = test.output().expect("a child process");
            let text = String::from_utf8_lossy(&out.stdout);
            assert!(out.status.success() && text.contains("1 passed"), "{setting}: {text}");
        }
        return Ok(());
    }
    assert_eq!(Ok(activations().as_str()), std::env::var(CHILD).as_deref());
    let blocks = QTensor::quantize(&Tensor::randn(0f32, 1., (5, 256), CPU)?, GgmlDType::Q4K)?;
    let (x, module) = (Tensor::randn(0f32, 1., (3, 256), CPU)?, QMatMul::from_qtensor(blocks.clone())?);
    for setting in [Activations::Int8, Activations::Float32] {
        set_activations(setting);
        assert_eq!(activations(), setting);
        let expected = blocks.matmul_t_with(&x, setting)?.to_vec2::<f32>()?;
        assert_eq!(module.forward(&x)?.to_vec2::<f32>()?, expected, "{setting:?}");
    }
    Ok(())
}
