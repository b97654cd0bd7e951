//! Writes tests/golden/ggml_candle.gguf: candle's blocks of the numbers in tests/golden/ggml.gguf, and candle's numbers of the
//! blocks there. With `--time`, compares the times of dequantization and of products with candle's, in one thread.
use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{Device, Module, Result, Tensor};
use rushlight::quantized as ours;
use std::fs::File;
use std::time::Instant;

const TYPES: [(GgmlDType, &str); 14] = [
    (GgmlDType::F16, "F16"),
    (GgmlDType::BF16, "BF16"),
    (GgmlDType::Q4_0, "Q4_0"),
    (GgmlDType::Q4_1, "Q4_1"),
    (GgmlDType::Q5_0, "Q5_0"),
    (GgmlDType::Q5_1, "Q5_1"),
    (GgmlDType::Q8_0, "Q8_0"),
    (GgmlDType::Q8_1, "Q8_1"),
    (GgmlDType::Q2K, "Q2_K"),
    (GgmlDType::Q3K, "Q3_K"),
    (GgmlDType::Q4K, "Q4_K"),
    (GgmlDType::Q5K, "Q5_K"),
    (GgmlDType::Q6K, "Q6_K"),
    (GgmlDType::Q8K, "Q8_K"),
];

/// Returns the median times in milliseconds of two functions that are called alternately.
fn times(mut a: impl FnMut(), mut b: impl FnMut()) -> (f64, f64) {
    fn time(f: &mut impl FnMut()) -> f64 {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64() * 1e3
    }
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        first.push(time(&mut a));
        second.push(time(&mut b));
    }
    first.sort_by(f64::total_cmp);
    second.sort_by(f64::total_cmp);
    (first[7], second[7])
}

/// Prints the times of Rushlight and of candle, and their ratios.
fn compare() -> Result<()> {
    if std::env::var("RAYON_NUM_THREADS").as_deref() != Ok("1") {
        candle_core::bail!("set RAYON_NUM_THREADS=1, so that candle has one thread, too");
    }
    rushlight::cpu::set_num_threads(1);
    const SIZE: usize = 4096;
    let ok = "Rushlight's call";
    for (dtype, name) in TYPES.into_iter().filter(|(_, n)| ["Q4_0", "Q8_0", "Q4_K", "Q6_K"].contains(n)) {
        let w = Tensor::randn(0f32, 1., (SIZE, SIZE), &Device::Cpu)?;
        let theirs = QTensor::quantize(&w, dtype)?;
        let format = ours::GgmlDType::from_name(name).expect("a type");
        let device = rushlight::Device::Cpu;
        let blocks =
            ours::ggml_file::qtensor_from_ggml(format, &theirs.data()?, vec![SIZE, SIZE], &device).expect(ok);
        let (a, b) =
            times(|| drop(blocks.dequantize(&device).expect(ok)), || drop(theirs.dequantize(&Device::Cpu)));
        println!("{name:5} dequantize     {a:8.2} ms, candle {b:8.2} ms: {:.2}", a / b);
        let product = candle_core::quantized::QMatMul::from_qtensor(theirs)?;
        for m in [1, 32] {
            let x = Tensor::randn(0f32, 1., (m, SIZE), &Device::Cpu)?;
            let values = x.flatten_all()?.to_vec1::<f32>()?;
            let mine = rushlight::Tensor::from_vec(values, (m, SIZE), &device).expect(ok);
            let (a, b) = times(
                || drop(blocks.matmul_t(&mine).expect(ok)),
                || drop(product.forward(&x).expect("candle's call")),
            );
            println!("{name:5} product of {m:3} {a:8.2} ms, candle {b:8.2} ms: {:.2}", a / b);
        }
    }
    Ok(())
}

fn main() -> Result<()> {
    if std::env::args().any(|a| a == "--time") {
        return compare();
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden");
    let mut file = File::open(format!("{folder}/ggml.gguf"))?;
    let content = gguf_file::Content::read(&mut file)?;
    let mut read = |name: &str| -> Result<Tensor> {
        let device = Device::Cpu;
        let tensor = content.tensor(&mut file, name, &device)?;
        tensor.dequantize(&device)
    };
    let (input, importance) = (read("input")?, read("importance")?.flatten_all()?.to_vec1::<f32>()?);
    let mut made = Vec::new();
    for (dtype, name) in TYPES {
        made.push((format!("quantized.{name}"), QTensor::quantize(&input, dtype)?));
        if ["Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K"].contains(&name) {
            made.push((format!("imatrix.{name}"), QTensor::quantize_imatrix(&input, &importance, dtype)?));
        }
        // candle does not read the other two from files.
        if !["Q8_1", "Q8_K"].contains(&name) {
            let numbers = QTensor::quantize(&read(&format!("blocks.{name}"))?, GgmlDType::F32)?;
            made.push((format!("dequantized.{name}"), numbers));
        } else {
            let numbers = QTensor::quantize(&input, dtype)?.dequantize(&Device::Cpu)?;
            made.push((
                format!("dequantized.quantized.{name}"),
                QTensor::quantize(&numbers, GgmlDType::F32)?,
            ));
        }
    }
    let made: Vec<(&str, &QTensor)> = made.iter().map(|(name, t)| (name.as_str(), t)).collect();
    gguf_file::write(&mut File::create(format!("{folder}/ggml_candle.gguf"))?, &[], &made)
}
