//! Writes tests/golden/ggml_candle.gguf: candle's blocks of the numbers in tests/golden/ggml.gguf, and candle's numbers of the
//! blocks there.
use candle_core::quantized::{GgmlDType, QTensor, gguf_file};
use candle_core::{Device, Result, Tensor};
use std::fs::File;

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

fn main() -> Result<()> {
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
