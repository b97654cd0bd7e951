//! Files of the GGML format, which GGUF replaced: `ggml`, `ggmf` version 1 and `ggjt` versions 1 to 3.
use crate::source::Source;
use crate::{Error, GgmlDType, Result};
use std::io::{Read, Seek, SeekFrom};

const FORMAT: &str = "ggml";
/// Most dimensions of a tensor, as in ggml.
const DIMENSIONS: u32 = 4;

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionedMagic {
    /// `ggml`, without a version.
    GgmlUnversioned,
    /// `ggmf`, version 1.
    GgmfV1,
    /// `ggjt`, version 1: data is aligned to 32 bytes.
    GgjtV1,
    /// `ggjt`, version 2.
    GgjtV2,
    /// `ggjt`, version 3.
    GgjtV3,
}

impl VersionedMagic {
    /// Returns whether the data of a tensor starts at a multiple of 32 bytes.
    fn is_aligned(self) -> bool {
        matches!(self, Self::GgjtV1 | Self::GgjtV2 | Self::GgjtV3)
    }
}

/// The sizes of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HParams {
    /// Number of tokens.
    pub n_vocab: u32,
    /// Width of an embedding.
    pub n_embd: u32,
    /// The number that the width of the feed-forward layer is a multiple of.
    pub n_mult: u32,
    /// Number of heads of attention.
    pub n_head: u32,
    /// Number of layers.
    pub n_layer: u32,
    /// Number of elements of a head that are rotated.
    pub n_rot: u32,
    /// Number of the type of most tensors.
    pub ftype: u32,
}

/// The tokens of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Vocab {
    /// The bytes of each token, and its score.
    pub token_score_pairs: Vec<(Vec<u8>, f32)>,
}

/// The name, type, shape and position of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorInfo {
    /// The name.
    pub name: String,
    /// The block type.
    pub ggml_dtype: GgmlDType,
    /// The dimensions, the one of adjacent elements last. (Files have it first.)
    pub shape: Vec<usize>,
    /// Position of the data in bytes from the start of the file.
    pub offset: u64,
    /// Number of bytes of the data.
    pub size_in_bytes: usize,
}

impl TensorInfo {
    /// Reads the data.
    pub fn read<R: Read + Seek>(&self, reader: &mut R) -> Result<Vec<u8>> {
        let remaining = reader.seek(SeekFrom::End(0))?.saturating_sub(self.offset);
        let needed = self.size_in_bytes as u64;
        if needed > remaining {
            let what = format!("tensor {:?}", self.name);
            return Err(Error::TooShort { format: FORMAT, at: self.offset, what, needed, remaining });
        }
        let mut data = vec![0; self.size_in_bytes];
        reader.seek(SeekFrom::Start(self.offset))?;
        reader.read_exact(&mut data)?;
        Ok(data)
    }
}

/// The contents of a file without the tensors' data.
#[derive(Clone, Debug)]
pub struct Content {
    /// The version.
    pub magic: VersionedMagic,
    /// The sizes.
    pub hparams: HParams,
    /// The tokens.
    pub vocab: Vocab,
    /// The tensors in the file's order.
    pub tensor_infos: Vec<TensorInfo>,
}

impl Content {
    /// Reads a file from its start.
    pub fn read<R: Read + Seek>(reader: &mut R) -> Result<Self> {
        let mut source = Source::new(reader, FORMAT, 0)?;
        let magic = magic(&mut source)?;
        let mut sizes = [0; 7];
        for size in &mut sizes {
            *size = source.u32("a size of the model")?;
        }
        let [n_vocab, n_embd, n_mult, n_head, n_layer, n_rot, ftype] = sizes;
        let hparams = HParams { n_vocab, n_embd, n_mult, n_head, n_layer, n_rot, ftype };
        // A token has its length and its score at least.
        source.needs(u64::from(n_vocab) * 8, format!("a vocabulary of {n_vocab} tokens"))?;
        let mut token_score_pairs = Vec::new();
        for _ in 0..n_vocab {
            let len = source.u32("the length of a token")?;
            let word = source.bytes(u64::from(len), format!("a token of {len} bytes"))?;
            token_score_pairs.push((word, f32::from_le_bytes(source.array("the score of a token")?)));
        }
        let mut tensor_infos = Vec::new();
        while source.remaining() > 0 {
            tensor_infos.push(tensor(&mut source, magic)?);
        }
        Ok(Self { magic, hparams, vocab: Vocab { token_score_pairs }, tensor_infos })
    }
}

fn magic<R: Read + Seek>(source: &mut Source<R>) -> Result<VersionedMagic> {
    // The magic numbers are the letters in the order of a big-endian number.
    let name = source.u32("the magic number")?.to_be_bytes();
    if &name == b"ggml" {
        return Ok(VersionedMagic::GgmlUnversioned);
    }
    if ![b"ggmf", b"ggjt"].contains(&&name) {
        let got = name.escape_ascii().to_string();
        return Err(source.invalid(0, format!("unknown magic: expected ggml, ggmf or ggjt, got {got:?}")));
    }
    match (&name, source.u32("the version")?) {
        (b"ggmf", 1) => Ok(VersionedMagic::GgmfV1),
        (b"ggjt", 1) => Ok(VersionedMagic::GgjtV1),
        (b"ggjt", 2) => Ok(VersionedMagic::GgjtV2),
        (b"ggjt", 3) => Ok(VersionedMagic::GgjtV3),
        (name, version) => {
            let name = name.escape_ascii();
            Err(source.invalid(4, format!("unsupported magic/version: {name} version {version}")))
        }
    }
}

fn tensor<R: Read + Seek>(source: &mut Source<R>, magic: VersionedMagic) -> Result<TensorInfo> {
    let at = source.at();
    let dimensions = source.u32("the number of dimensions")?;
    if dimensions > DIMENSIONS {
        return Err(source.invalid(at, format!("expected at most {DIMENSIONS} dimensions, got {dimensions}")));
    }
    let len = source.u32("the length of a name")?;
    let type_at = source.at();
    let number = source.u32("the type of a tensor")?;
    let ggml_dtype = GgmlDType::from_u32(number).map_err(|e| source.invalid(type_at, e))?;
    let mut shape = Vec::new();
    for _ in 0..dimensions {
        shape.push(source.u32("a dimension")? as usize);
    }
    shape.reverse();
    let name = source.bytes(u64::from(len), format!("a name of {len} bytes"))?;
    let name = String::from_utf8_lossy(&name).into_owned();
    if magic.is_aligned() {
        source.skip(source.at().next_multiple_of(32) - source.at(), "the padding of a tensor")?;
    }
    let count = shape.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let bytes = count.ok_or_else(|| format!("{shape:?}: too many elements"));
    let bytes = bytes.and_then(|n| ggml_dtype.bytes_of(n).map_err(|e| e.to_string()));
    let size_in_bytes = bytes.map_err(|e| source.invalid(type_at, format!("tensor {name:?}: {e}")))?;
    let offset = source.at();
    source.skip(size_in_bytes as u64, format!("tensor {name:?}"))?;
    Ok(TensorInfo { name, ggml_dtype, shape, offset, size_in_bytes })
}
