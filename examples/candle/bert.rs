//! Runs a BERT model with candle-transformers' own code, on Rushlight.
//!
//! ```text
//! bert FOLDER TOKENS [DEVICE]
//! ```
//!
//! FOLDER is one as on a model hub, of a `BertModel` or a `BertForMaskedLM`, such as `examples/python/encoders/train_bert.py` writes.
//! TOKENS are those of a text, with commas between them; several texts have `/` between them. Prints for each text the mean of the
//! last layer's vectors (`embedding`), and, if the model has a head, the logits at each token that is `[MASK]` (`logits`).
//! DEVICE is `cpu`, which is the default, or `rocm:0`.
//!
//! The program names candle alone: it depends on candle-core, candle-nn and candle-transformers 0.11.1 and on serde_json 1, and its
//! workspace has the entries of docs/guide/candle-on-amd.md. `cargo xtask candle-ecosystem` builds it so.
use candle_core::{DType, Device, Error, IndexOp, Result, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const HEAD: &str = "cls.predictions";

/// Names the file of an error.
fn in_file(path: &Path) -> impl Fn(std::io::Error) -> Error + '_ {
    move |e| Error::Msg(format!("{}: {e}", path.display()))
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(in_file(path))
}

/// The encoder, with a head or without.
enum Model {
    Plain(bert::BertModel),
    Masked { encoder: bert::BertModel, head: bert::BertOnlyMLMHead },
}

impl Model {
    /// Loads the weights of a folder.
    fn load(folder: &Path, config: &bert::Config, device: &Device) -> Result<Self> {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder).map_err(in_file(folder))?.flatten().map(|e| e.path()).collect();
        files.retain(|file| file.extension().is_some_and(|e| e == "safetensors"));
        let mut tensors = HashMap::new();
        for file in files {
            tensors.extend(candle_core::safetensors::load(file, device)?);
        }
        // Files leave out what is shared: the head's matrix is the table of tokens.
        for (name, source) in [
            ("decoder.weight", "bert.embeddings.word_embeddings.weight".to_string()),
            ("decoder.bias", format!("{HEAD}.bias")),
        ] {
            if let Some(x) = tensors.get(&source).cloned() {
                tensors.entry(format!("{HEAD}.{name}")).or_insert(x);
            }
        }
        let masked = tensors.contains_key(&format!("{HEAD}.transform.dense.weight"));
        let weights = VarBuilder::from_tensors(tensors, DType::F32, device);
        // (It finds the names with and without `bert.` before them.)
        let encoder = bert::BertModel::load(weights.clone(), config)?;
        if !masked {
            return Ok(Self::Plain(encoder));
        }
        Ok(Self::Masked { encoder, head: bert::BertOnlyMLMHead::load(weights.pp("cls"), config)? })
    }

    fn encoder(&self) -> &bert::BertModel {
        match self {
            Self::Plain(encoder) | Self::Masked { encoder, .. } => encoder,
        }
    }
}

/// Returns the number of the token `[MASK]`.
fn mask_token(folder: &Path) -> Result<u32> {
    let text = read(&folder.join("tokenizer.json"))?;
    let keys: serde_json::Value = serde_json::from_str(&text).map_err(Error::wrap)?;
    let number = keys["model"]["vocab"]["[MASK]"].as_u64();
    Ok(number.ok_or_else(|| Error::Msg("tokenizer.json has no token [MASK]".to_string()))? as u32)
}

fn print(name: &str, x: &Tensor) -> Result<()> {
    let texts: Vec<String> = x.to_vec1::<f32>()?.iter().map(f32::to_string).collect();
    println!("{name} {}", texts.join(" "));
    Ok(())
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
    let (folder, tokens) = match arguments.as_slice() {
        [folder, tokens, ..] => (Path::new(folder), tokens),
        _ => return Err(Error::Msg("usage: bert FOLDER TOKENS [DEVICE]".to_string())),
    };
    let device = match arguments.get(2).map(String::as_str) {
        None | Some("cpu") => Device::Cpu,
        Some("rocm" | "rocm:0") => Device::new_rocm(0)?,
        Some(other) => return Err(Error::Msg(format!("expected the device cpu or rocm:0, got {other}"))),
    };
    let config = read(&folder.join("config.json"))?;
    let config: bert::Config = serde_json::from_str(&config).map_err(Error::wrap)?;
    let model = Model::load(folder, &config, &device)?;
    let texts: Vec<Vec<u32>> = tokens
        .split('/')
        .map(|text| text.split(',').map(str::parse).collect::<std::result::Result<_, _>>())
        .collect::<std::result::Result<_, _>>()
        .map_err(Error::wrap)?;
    // Shorter texts are padded, and the mask keeps attention away from the padding.
    let longest = texts.iter().map(Vec::len).max().unwrap_or(0);
    let padded: Vec<Vec<u32>> = texts
        .iter()
        .map(|text| {
            (0..longest).map(|i| text.get(i).copied().unwrap_or(config.pad_token_id as u32)).collect()
        })
        .collect();
    let seen: Vec<Vec<u32>> =
        texts.iter().map(|text| (0..longest).map(|i| u32::from(i < text.len())).collect()).collect();
    let (ids, seen) = (Tensor::new(padded, &device)?, Tensor::new(seen, &device)?);
    let hidden = model.encoder().forward(&ids, &ids.zeros_like()?, Some(&seen))?;
    let mask = mask_token(folder)?;
    for (row, text) in texts.iter().enumerate() {
        print("embedding", &hidden.i((row, ..text.len()))?.mean(0)?)?;
        if let Model::Masked { head, .. } = &model {
            for at in (0..text.len()).filter(|&at| text[at] == mask) {
                print("logits", &hidden.i((row, at..at + 1))?.apply(head)?.squeeze(0)?)?;
            }
        }
    }
    Ok(())
}
