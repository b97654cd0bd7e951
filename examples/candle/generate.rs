//! Continues a text with a language model, by candle-transformers' own code on Rushlight.
//!
//! ```text
//! generate MODEL --prompt TEXT [--temperature 0.8] [--top-k N] [--top-p P] [--repeat-penalty 1.1] [--repeat-last-n 128]
//!     [--seed N] [--sample-len 100] [--device cpu|rocm:0|cuda:0] [--dtype f32|f16|bf16] [--tokenizer FILE]
//! generate MODEL --tokens 1,2,3 ..
//! ```
//!
//! MODEL is a folder as on a model hub, of the type `llama`, `mistral` or `qwen2`, or a GGUF file of the architecture `llama` with
//! `tokenizer.json` beside it. The text is printed as its tokens come; what is loaded and how fast tokens came are messages on
//! stderr. With `--tokens` the prompt is tokens' numbers, and the logits that follow it and the new numbers are
//! printed.
//!
//! The program names candle alone: it depends on candle-core, candle-nn and candle-transformers 0.11.1, on anyhow 1, clap 4, serde_json
//! 1 and tokenizers 0.23, and its workspace has the entries of docs/guide/candle-on-amd.md. `cargo xtask candle-ecosystem` builds it so.
use anyhow::{bail, Context, Result};
use candle_core::quantized::gguf_file;
use candle_core::{DType, Device, IndexOp, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::generation::{LogitsProcessor, Sampling};
use candle_transformers::models::{llama, mistral, quantized_llama, qwen2};
use candle_transformers::utils::apply_repeat_penalty;
use clap::Parser;
use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;
use tokenizers::Tokenizer;

#[derive(Parser)]
#[command(about = "Continues a text with a language model")]
struct Arguments {
    /// A folder with config.json, tokenizer.json and safetensors, or a GGUF file.
    model: PathBuf,
    /// The text to continue.
    #[arg(long, default_value = "The virtual GPU")]
    prompt: String,
    /// Numbers of tokens to continue instead, with commas; prints logits and numbers.
    #[arg(long, value_delimiter = ',')]
    tokens: Option<Vec<u32>>,
    /// The most tokens to generate.
    #[arg(short = 'n', long, default_value_t = 100)]
    sample_len: usize,
    /// Divides the logits; 0 takes the greatest.
    #[arg(long, default_value_t = 0.8, value_parser = temperature)]
    temperature: f64,
    /// Draws from this many of the most probable tokens; 0 for all.
    #[arg(long)]
    top_k: Option<usize>,
    /// Draws from the most probable tokens that together have this probability.
    #[arg(long, value_parser = share)]
    top_p: Option<f64>,
    /// Divides positive logits, and multiplies negative ones, of recent tokens; 1 for none.
    #[arg(long, default_value_t = 1.1, value_parser = positive)]
    repeat_penalty: f32,
    /// How many tokens are recent.
    #[arg(long, default_value_t = 128)]
    repeat_last_n: usize,
    /// The start of the random numbers.
    #[arg(long, default_value_t = 299_792_458)]
    seed: u64,
    /// cpu, rocm:0 or cuda:0.
    #[arg(long, default_value = "cpu", value_parser = device)]
    device: Device,
    /// f32, f16 or bf16, of a folder's weights.
    #[arg(long, default_value = "f32", value_parser = dtype)]
    dtype: DType,
    /// The tokenizer's file, if it is not tokenizer.json beside the weights.
    #[arg(long)]
    tokenizer: Option<PathBuf>,
    /// Computes attention by candle-flash-attn's functions (llama and mistral).
    #[arg(long)]
    use_flash_attn: bool,
}

fn temperature(text: &str) -> Result<f64> {
    match text.parse() {
        Ok(t) if t == 0.0 || (1e-6..f64::INFINITY).contains(&t) => Ok(t),
        _ => bail!("expected 0, or a number from 1e-6 on"),
    }
}

fn positive(text: &str) -> Result<f32> {
    match text.parse() {
        Ok(p) if p > 0.0 && p < f32::INFINITY => Ok(p),
        _ => bail!("expected a number above 0"),
    }
}

fn share(text: &str) -> Result<f64> {
    match text.parse() {
        Ok(p) if p > 0.0 && p <= 1.0 => Ok(p),
        _ => bail!("expected a number above 0, 1 at most"),
    }
}

fn device(name: &str) -> Result<Device> {
    let (kind, number) = name.split_once(':').unwrap_or((name, "0"));
    let number = number.parse().context("expected the number of a device after the colon")?;
    Ok(match kind {
        "cpu" => Device::Cpu,
        "rocm" => Device::new_rocm(number)?,
        "cuda" => Device::new_cuda(number)?,
        _ => bail!("expected cpu, rocm:0 or cuda:0"),
    })
}

fn dtype(name: &str) -> Result<DType> {
    Ok(match name {
        "f32" => DType::F32,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        _ => bail!("expected f32, f16 or bf16"),
    })
}

/// A model, and with it the keys and values of the tokens so far.
enum Model {
    Llama { model: llama::Llama, cache: Box<llama::Cache> },
    Mistral(Box<mistral::Model>),
    Qwen2(Box<qwen2::ModelForCausalLM>),
    Quantized(Box<quantized_llama::ModelWeights>),
}

impl Model {
    /// Computes the logits that follow further tokens; `seen` came before them.
    fn logits(&mut self, tokens: &[u32], seen: usize, device: &Device) -> Result<Tensor> {
        let ids = Tensor::new(tokens, device)?.unsqueeze(0)?;
        let logits = match self {
            Self::Llama { model, cache } => model.forward(&ids, seen, cache)?.squeeze(0)?,
            Self::Mistral(model) => model.forward(&ids, seen)?.i((0, 0))?,
            Self::Qwen2(model) => model.forward(&ids, seen)?.i((0, 0))?,
            Self::Quantized(model) => model.forward(&ids, seen)?.squeeze(0)?,
        };
        Ok(logits.to_dtype(DType::F32)?)
    }
}

/// A model, and the limits that its files give.
struct Loaded {
    model: Model,
    /// Tokens that end a text.
    ends: Vec<u32>,
    /// The most tokens of a text.
    context: usize,
}

fn json(path: &Path) -> Result<serde_json::Value> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    serde_json::from_str(&text).with_context(|| path.display().to_string())
}

/// Reads the weights of a folder, to a device and in a dtype.
fn weights(folder: &Path, dtype: DType, device: &Device) -> Result<HashMap<String, Tensor>> {
    let index = folder.join("model.safetensors.index.json");
    let files: BTreeSet<String> = if index.exists() {
        let index = json(&index)?;
        let map = index["weight_map"].as_object().context("the index has no weight_map")?;
        map.values().filter_map(|file| Some(file.as_str()?.to_string())).collect()
    } else {
        ["model.safetensors".to_string()].into()
    };
    let mut tensors = HashMap::new();
    for (i, file) in files.iter().enumerate() {
        eprintln!("loading {file}, {} of {}", i + 1, files.len());
        let path = folder.join(file);
        let part =
            candle_core::safetensors::load(&path, device).with_context(|| path.display().to_string())?;
        for (name, tensor) in part {
            tensors.insert(name, tensor.to_dtype(dtype)?);
        }
    }
    Ok(tensors)
}

fn load_folder(folder: &Path, arguments: &Arguments) -> Result<Loaded> {
    let (device, dtype) = (&arguments.device, arguments.dtype);
    let mut keys = json(&folder.join("config.json"))?;
    let kind = keys["model_type"].as_str().unwrap_or("llama").to_string();
    keys["use_flash_attn"] = arguments.use_flash_attn.into();
    let ends = match &keys["eos_token_id"] {
        serde_json::Value::Array(all) => all.iter().filter_map(|id| id.as_u64()).collect(),
        id => id.as_u64().into_iter().collect::<Vec<_>>(),
    };
    let ends = ends.into_iter().map(|id| id as u32).collect();
    let context = keys["max_position_embeddings"].as_u64().map_or(usize::MAX, |n| n as usize);
    let tensors = VarBuilder::from_tensors(weights(folder, dtype, device)?, dtype, device);
    let model = match kind.as_str() {
        "llama" => {
            let config: llama::LlamaConfig = serde_json::from_value(keys)?;
            let config = config.into_config(arguments.use_flash_attn);
            let cache = Box::new(llama::Cache::new(true, dtype, &config, device)?);
            Model::Llama { model: llama::Llama::load(tensors, &config)?, cache }
        }
        "mistral" => Model::Mistral(Box::new(mistral::Model::new(&serde_json::from_value(keys)?, tensors)?)),
        "qwen2" => {
            Model::Qwen2(Box::new(qwen2::ModelForCausalLM::new(&serde_json::from_value(keys)?, tensors)?))
        }
        _ => bail!("config.json: no code for the model type {kind} (llama, mistral and qwen2 have)"),
    };
    Ok(Loaded { model, ends, context })
}

fn load_gguf(path: &Path, device: &Device) -> Result<Loaded> {
    eprintln!("loading {}", path.display());
    let mut file = std::fs::File::open(path).with_context(|| path.display().to_string())?;
    let content = gguf_file::Content::read(&mut file).with_context(|| path.display().to_string())?;
    let number = |key: &str| content.metadata.get(key).and_then(|value| value.to_u32().ok());
    let name = |key: &str| content.metadata.get(key).and_then(|value| value.to_string().ok());
    let kind = name("general.architecture").map_or("none", String::as_str);
    if kind != "llama" {
        bail!("{}: expected the architecture llama, got {kind}", path.display());
    }
    if let Some(scaling) = name("llama.rope.scaling.type").filter(|scaling| *scaling != "none") {
        bail!("{}: no code for the scaling {scaling} of the positions", path.display());
    }
    let ends = number("tokenizer.ggml.eos_token_id").into_iter().collect();
    // The model computes the angles of this many positions.
    let context = number("llama.context_length").map_or(usize::MAX, |n| n as usize);
    let context = context.min(quantized_llama::MAX_SEQ_LEN);
    let model = quantized_llama::ModelWeights::from_gguf(content, &mut file, device)?;
    Ok(Loaded { model: Model::Quantized(Box::new(model)), ends, context })
}

/// The rule by which tokens are drawn.
fn sampling(arguments: &Arguments) -> Sampling {
    let temperature = arguments.temperature;
    let top_k = arguments.top_k.filter(|k| *k > 0);
    if temperature == 0.0 {
        return Sampling::ArgMax;
    }
    match (top_k, arguments.top_p) {
        (None, None) => Sampling::All { temperature },
        (Some(k), None) => Sampling::TopK { k, temperature },
        (None, Some(p)) => Sampling::TopP { p, temperature },
        (Some(k), Some(p)) => Sampling::TopKThenTopP { k, p, temperature },
    }
}

/// Draws tokens that continue `text`, and gives each to `take`. Returns how fast they came.
fn generate(
    loaded: &mut Loaded,
    text: &mut Vec<u32>,
    arguments: &Arguments,
    mut take: impl FnMut(u32) -> Result<()>,
) -> Result<String> {
    let mut draw = LogitsProcessor::from_sampling(arguments.seed, sampling(arguments));
    let room = loaded.context.saturating_sub(text.len());
    if room == 0 {
        bail!("a prompt of {} tokens leaves no room in a context of {}", text.len(), loaded.context);
    }
    let (mut seen, mut start, mut first, prompt) = (0, Instant::now(), 0.0, text.len());
    for drawn in 0..arguments.sample_len.min(room) {
        let mut logits = loaded.model.logits(&text[seen..], seen, &arguments.device)?;
        if seen == 0 && arguments.tokens.is_some() {
            let numbers: Vec<String> = logits.to_vec1::<f32>()?.iter().map(f32::to_string).collect();
            println!("logits {}", numbers.join(" "));
        }
        seen = text.len();
        if arguments.repeat_penalty != 1.0 {
            let recent = text.len().saturating_sub(arguments.repeat_last_n);
            logits = apply_repeat_penalty(&logits, arguments.repeat_penalty, &text[recent..])?;
        }
        let token = draw.sample(&logits)?;
        if drawn == 0 {
            first = start.elapsed().as_secs_f64();
            start = Instant::now();
        }
        text.push(token);
        take(token)?;
        if loaded.ends.contains(&token) {
            break;
        }
    }
    if text.len() - prompt == room && room < arguments.sample_len {
        eprintln!("\nthe context of {} tokens is full", loaded.context);
    }
    let (steps, seconds) = ((text.len() - prompt).saturating_sub(1), start.elapsed().as_secs_f64());
    let rate =
        if steps > 0 { format!(", then {:.1} tokens/s", steps as f64 / seconds) } else { String::new() };
    Ok(format!("prompt of {prompt} tokens: {first:.3} s{rate}"))
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let start = Instant::now();
    let mut loaded = if arguments.model.is_dir() {
        load_folder(&arguments.model, &arguments)?
    } else {
        load_gguf(&arguments.model, &arguments.device)?
    };
    eprintln!("loaded in {:.2} s", start.elapsed().as_secs_f64());
    let speed = if let Some(tokens) = &arguments.tokens {
        let mut text = tokens.clone();
        let speed = generate(&mut loaded, &mut text, &arguments, |_| Ok(()))?;
        let new: Vec<String> = text[tokens.len()..].iter().map(u32::to_string).collect();
        println!("tokens {}", new.join(" "));
        speed
    } else {
        let folder =
            if arguments.model.is_dir() { Some(arguments.model.as_path()) } else { arguments.model.parent() };
        let beside = folder.unwrap_or(Path::new(".")).join("tokenizer.json");
        let path = arguments.tokenizer.as_ref().unwrap_or(&beside);
        let tokenizer = Tokenizer::from_file(path).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
        let encoded = tokenizer.encode(arguments.prompt.as_str(), true).map_err(anyhow::Error::msg)?;
        let mut text = encoded.get_ids().to_vec();
        if text.is_empty() {
            bail!("the prompt has no tokens");
        }
        let prompt = text.len();
        // Holds the bytes of a character until the last of them has come.
        let (mut stream, mut printed) = (tokenizer.decode_stream(true), String::new());
        let mut out = std::io::stdout();
        write!(out, "{}", arguments.prompt)?;
        out.flush()?;
        let speed = generate(&mut loaded, &mut text, &arguments, |token| {
            if let Some(part) = stream.step(token).map_err(anyhow::Error::msg)? {
                write!(out, "{part}")?;
                out.flush()?;
                printed += &part;
            }
            Ok(())
        })?;
        // A character whose last byte did not come.
        let whole = tokenizer.decode(&text[prompt..], true).map_err(anyhow::Error::msg)?;
        println!("{}", whole.strip_prefix(&printed).unwrap_or_default());
        speed
    };
    eprintln!("{speed}");
    Ok(())
}
