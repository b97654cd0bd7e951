//! Saves tensors to a safetensors file and loads them again, all of them and one of them.
//!
//! `cargo run --example safetensors`
use rushlight::{DType, Device, Result, Tensor, safetensors};
use std::collections::HashMap;

fn main() -> Result<()> {
    let device = Device::Cpu;
    let path = std::env::temp_dir().join(format!("rushlight-example-{}.safetensors", std::process::id()));
    let weight = Tensor::arange(0f32, 12.0, &device)?.reshape((3, 4))?;
    let bias = Tensor::new(&[0.5f32, -1.0, 2.0], &device)?.to_dtype(DType::BF16)?;

    let tensors = HashMap::from([("weight", weight.clone()), ("bias", bias.clone())]);
    let about = HashMap::from([("made by".to_string(), "an example".to_string())]);
    safetensors::save_with_metadata(&tensors, &about, &path)?;

    let all = safetensors::load(&path, &device)?;
    let mut names: Vec<_> =
        all.iter().map(|(name, t)| format!("{name}: {:?} {:?}", t.dtype(), t.dims())).collect();
    names.sort();
    println!("{}", names.join("\n"));
    assert_eq!(all["weight"].to_vec2::<f32>()?, weight.to_vec2::<f32>()?);
    assert_eq!(all["bias"].dtype(), DType::BF16);

    // One tensor of a file in memory. (`MmapedSafetensors` reads from a memory map, which is unsafe: the file must not change.)
    let file = safetensors::BufferedSafetensors::new(std::fs::read(&path)?)?;
    let values = file.load("bias", &device)?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
    println!("bias: {values:?}, metadata: {:?}", file.metadata());
    assert_eq!(values, [0.5, -1.0, 2.0]);
    assert_eq!(file.metadata()["made by"], "an example");
    std::fs::remove_file(&path)?;
    Ok(())
}
