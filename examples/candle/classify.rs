//! Classifies images with candle-transformers' own code, on Rushlight: ViT and ResNet.
//!
//! ```text
//! classify FOLDER IMAGES [DEVICE]
//! ```
//!
//! FOLDER is one as on a model hub, such as `examples/python/encoders/train_vision.py` writes: of a `ViTForImageClassification`, or of
//! timm's `resnet18`, `resnet34`, `resnet50`, `resnet101` or `resnet152`. IMAGES is a safetensors file with the tensor `pixels`,
//! of the dtype float32 and the shape (images, channels, height, width). Prints a line with the logits of each image.
//! DEVICE is `cpu`, which is the default, or `rocm:0`.
//!
//! The program names candle alone: it depends on candle-core, candle-nn and candle-transformers 0.11.1 and on serde_json 1, and its
//! workspace has the entries of docs/guide/candle-on-amd.md. `cargo xtask candle-ecosystem` builds it so.
use candle_core::{DType, Device, Error, Module, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{resnet, vit};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Names the file of an error.
fn in_file(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |e| Error::Msg(format!("{}: {e}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(in_file(path))
}

/// Loads the model that `config.json` describes.
fn load(folder: &Path, device: &Device) -> Result<Box<dyn Fn(&Tensor) -> Result<Tensor>>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).map_err(in_file(folder))?.flatten().map(|e| e.path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "safetensors"));
    let mut tensors = HashMap::new();
    for file in files {
        tensors.extend(candle_core::safetensors::load(file, device)?);
    }
    let weights = VarBuilder::from_tensors(tensors, DType::F32, device);
    let text = read(&folder.join("config.json"))?;
    let config: serde_json::Value = serde_json::from_str(&text).map_err(Error::wrap)?;
    if config["model_type"] == "vit" {
        // A hub's file names the classes; two are the default.
        let classes = config["id2label"].as_object().map_or(2, serde_json::Map::len);
        let config: vit::Config = serde_json::from_value(config).map_err(Error::wrap)?;
        let model = vit::Model::new(&config, classes, weights)?;
        return Ok(Box::new(move |pixels| model.forward(pixels)));
    }
    let classes = config["num_classes"].as_u64().unwrap_or(1000) as usize;
    // timm's names may have a training recipe behind a dot.
    let name = config["architecture"].as_str().unwrap_or_default();
    let model = match name.split('.').next().unwrap_or_default() {
        "resnet18" => resnet::resnet18(classes, weights)?,
        "resnet34" => resnet::resnet34(classes, weights)?,
        "resnet50" => resnet::resnet50(classes, weights)?,
        "resnet101" => resnet::resnet101(classes, weights)?,
        "resnet152" => resnet::resnet152(classes, weights)?,
        _ => {
            return Err(Error::Msg(format!(
                "expected model_type vit or a ResNet as architecture, got {name:?}"
            )))
        }
    };
    Ok(Box::new(move |pixels| model.forward(pixels)))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{e}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, images) = match arguments.as_slice() {
        [folder, images, ..] => (Path::new(folder), Path::new(images)),
        _ => return Err(Error::Msg("usage: classify FOLDER IMAGES [DEVICE]".to_string())),
    };
    let device = match arguments.get(2).map(String::as_str) {
        None | Some("cpu") => Device::Cpu,
        Some("rocm" | "rocm:0") => Device::new_rocm(0)?,
        Some(other) => return Err(Error::Msg(format!("expected the device cpu or rocm:0, got {other}"))),
    };
    let model = load(folder, &device)?;
    let pixels = candle_core::safetensors::load(images, &device)?
        .remove("pixels")
        .ok_or_else(|| Error::Msg(format!("{}: no tensor `pixels`", images.display())))?;
    for logits in model(&pixels)?.to_vec2::<f32>()? {
        let texts: Vec<String> = logits.iter().map(f32::to_string).collect();
        println!("logits {}", texts.join(" "));
    }
    Ok(())
}
