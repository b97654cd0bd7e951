//! Times a Llama model with candle-transformers' own code: prints the number of tokens a second for prompts and for single tokens.
//!
//! ```text
//! tokens PATH
//! ```
//!
//! PATH is a folder with `config.json` and `model.safetensors`, or a GGUF file. The program names candle alone. `cargo xtask
//! candle-benches --tokens FOLDER` builds it with candle-core and with Rushlight, and runs both alternately.
use candle_core::quantized::gguf_file;
use candle_core::{DType, Device, Error, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::{llama, quantized_llama};
use std::path::Path;
use std::time::Instant;

/// The numbers of tokens of the prompts.
const PROMPTS: [usize; 2] = [64, 256];
/// The number of single tokens in a run. They follow the shorter prompt.
const SINGLE: usize = 16;
/// A measurement is repeated until this many seconds are over, and at least twice.
const SECONDS: f64 = 2.0;

/// A model with the weights' numbers, or one with their blocks.
enum Model {
    Plain { model: llama::Llama, config: llama::Config, cache: Box<llama::Cache> },
    Quantized(Box<quantized_llama::ModelWeights>),
}

impl Model {
    fn load(path: &Path) -> Result<Self> {
        if !path.is_dir() {
            let mut file = std::fs::File::open(path)?;
            let content = gguf_file::Content::read(&mut file)?;
            let model = quantized_llama::ModelWeights::from_gguf(content, &mut file, &Device::Cpu)?;
            return Ok(Self::Quantized(Box::new(model)));
        }
        let text = std::fs::read_to_string(path.join("config.json"))?;
        let config: llama::LlamaConfig = serde_json::from_str(&text).map_err(Error::wrap)?;
        let config = config.into_config(false);
        let tensors = candle_core::safetensors::load(path.join("model.safetensors"), &Device::Cpu)?;
        let weights = VarBuilder::from_tensors(tensors, DType::F32, &Device::Cpu);
        let model = llama::Llama::load(weights, &config)?;
        let cache = Box::new(llama::Cache::new(true, DType::F32, &config, &Device::Cpu)?);
        Ok(Self::Plain { model, config, cache })
    }

    /// Computes the logits that follow further tokens; `seen` came before them.
    fn logits(&mut self, tokens: &[u32], seen: usize) -> Result<Vec<f32>> {
        let ids = Tensor::new(tokens, &Device::Cpu)?.unsqueeze(0)?;
        let logits = match self {
            Self::Plain { model, config, cache } => {
                if seen == 0 {
                    **cache = llama::Cache::new(true, DType::F32, config, &Device::Cpu)?;
                }
                model.forward(&ids, seen, cache)?
            }
            Self::Quantized(model) => model.forward(&ids, seen)?,
        };
        logits.squeeze(0)?.to_vec1()
    }

    /// Computes the logits after a prompt, and returns the seconds that it takes.
    fn prompt(&mut self, length: usize) -> Result<f64> {
        let prompt: Vec<u32> = (0..length as u32).map(|i| 1 + i * 7 % 251).collect();
        let start = Instant::now();
        self.logits(&prompt, 0)?;
        Ok(start.elapsed().as_secs_f64())
    }

    /// Computes single tokens after a prompt, and returns the seconds that they take.
    fn single(&mut self, seen: usize) -> Result<f64> {
        let start = Instant::now();
        for i in 0..SINGLE {
            self.logits(&[1 + i as u32], seen + i)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }
}

/// Repeats a measurement, and returns the least of its times.
fn least(mut run: impl FnMut() -> Result<f64>) -> Result<f64> {
    let (start, mut least) = (Instant::now(), run()?);
    while {
        least = run()?.min(least);
        start.elapsed().as_secs_f64() < SECONDS
    } {}
    Ok(least)
}

fn main() -> Result<()> {
    let path = std::env::args().nth(1).ok_or_else(|| Error::Msg("usage: tokens PATH".to_string()))?;
    let mut model = Model::load(Path::new(&path))?;
    model.prompt(8)?;
    model.single(8)?;
    for length in PROMPTS {
        println!("prompt of {length}: {}", length as f64 / least(|| model.prompt(length))?);
    }
    let time = least(|| {
        model.prompt(PROMPTS[0])?;
        model.single(PROMPTS[0])
    })?;
    println!("single tokens: {}", SINGLE as f64 / time);
    Ok(())
}
