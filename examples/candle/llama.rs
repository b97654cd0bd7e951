//! Runs a Llama model with candle-transformers' own code, on Rushlight.
//!
//! ```text
//! llama PATH TOKENS [COUNT] [DEVICE]
//! ```
//!
//! PATH is a folder as on a model hub or a GGUF file, such as `examples/python/language_model/train.py` writes. TOKENS are those
//! of the prompt, with commas between them. Prints the logits that follow the prompt, and then COUNT tokens (20 by default), each
//! the one with the greatest logit. DEVICE is `cpu` or `rocm`.
//!
//! The program names candle alone: it depends on candle-core, candle-nn and candle-transformers 0.11.1 and on serde_json 1, and
//! its workspace has the entries of docs/guide/candle-on-amd.md. `cargo xtask candle-ecosystem` builds it so.
use candle_core::quantized::gguf_file;
use candle_core::{DType, Device, Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{llama, quantized_llama};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A model with the weights' numbers, or one with their blocks.
enum Model {
    Plain { model: llama::Llama, cache: Box<llama::Cache> },
    Quantized(Box<quantized_llama::ModelWeights>),
}

impl Model {
    /// Loads a folder or a GGUF file.
    fn load(path: &Path, device: &Device) -> Result<Self> {
        if !path.is_dir() {
            let mut file = std::fs::File::open(path)?;
            let content = gguf_file::Content::read(&mut file)?;
            let model = quantized_llama::ModelWeights::from_gguf(content, &mut file, device)?;
            return Ok(Self::Quantized(Box::new(model)));
        }
        let text = std::fs::read_to_string(path.join("config.json"))?;
        let config: llama::LlamaConfig = serde_json::from_str(&text).map_err(Error::wrap)?;
        let config = config.into_config(false);
        let mut files: Vec<PathBuf> = std::fs::read_dir(path)?.flatten().map(|e| e.path()).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "safetensors"));
        let mut tensors = HashMap::new();
        for file in files {
            tensors.extend(candle_core::safetensors::load(file, device)?);
        }
        let weights = VarBuilder::from_tensors(tensors, DType::F32, device);
        let cache = Box::new(llama::Cache::new(true, DType::F32, &config, device)?);
        Ok(Self::Plain { model: llama::Llama::load(weights, &config)?, cache })
    }

    /// Computes the logits that follow further tokens; `seen` came before them.
    fn logits(&mut self, tokens: &[u32], seen: usize, device: &Device) -> Result<Vec<f32>> {
        let ids = Tensor::new(tokens, device)?.unsqueeze(0)?;
        let logits = match self {
            Self::Plain { model, cache } => model.forward(&ids, seen, cache)?,
            Self::Quantized(model) => model.forward(&ids, seen)?,
        };
        logits.squeeze(0)?.to_vec1()
    }
}

/// Returns the first token with the greatest logit.
fn greatest(logits: &[f32]) -> u32 {
    let better = |best: usize, i: usize| if logits[i] > logits[best] { i } else { best };
    (1..logits.len()).fold(0, better) as u32
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, ids) = match arguments.as_slice() {
        [path, ids, ..] => (Path::new(path), ids),
        _ => return Err(Error::Msg("usage: llama PATH TOKENS [COUNT] [DEVICE]".to_string())),
    };
    let prompt: Vec<u32> =
        ids.split(',').map(str::parse).collect::<std::result::Result<_, _>>().map_err(Error::wrap)?;
    let count: usize = arguments.get(2).map_or(Ok(20), |n| n.parse()).map_err(Error::wrap)?;
    let device = match arguments.get(3).map(String::as_str) {
        None | Some("cpu") => Device::Cpu,
        Some("rocm") => Device::new_rocm(0)?,
        Some(other) => return Err(Error::Msg(format!("expected cpu or rocm, got {other}"))),
    };
    let mut model = Model::load(path, &device)?;
    let mut logits = model.logits(&prompt, 0, &device)?;
    let texts: Vec<String> = logits.iter().map(f32::to_string).collect();
    println!("logits {}", texts.join(" "));
    let (mut tokens, start) = (Vec::new(), Instant::now());
    for at in 0..count {
        let token = greatest(&logits);
        tokens.push(token.to_string());
        if at + 1 < count {
            logits = model.logits(&[token], prompt.len() + at, &device)?;
        }
    }
    println!("tokens {}", tokens.join(" "));
    let steps = count.saturating_sub(1) as f64;
    println!("{:.1} tokens/s", steps / start.elapsed().as_secs_f64());
    Ok(())
}
