//! Files of the GGML format, which GGUF replaced. [`rushlight_ggml::ggml`] reads them.
use super::{GgmlDType, QStorage, QTensor};
use crate::{Device, Error, Result};
use rushlight_ggml::ggml as format;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Read, Seek};

pub use format::{HParams, VersionedMagic, Vocab};

/// Makes a tensor of blocks. Bytes after the last block are ignored.
pub fn qtensor_from_ggml(
    ggml_dtype: GgmlDType,
    raw_data: &[u8],
    dims: Vec<usize>,
    device: &Device,
) -> Result<QTensor> {
    let count = dims.iter().try_fold(1usize, |n, d| n.checked_mul(*d));
    let count = count.ok_or_else(|| Error::invalid("qtensor_from_ggml", format!("{dims:?} is too large")))?;
    let len = ggml_dtype.bytes_of(count)?;
    let data = raw_data.get(..len).ok_or_else(|| {
        let text = format!("{dims:?} of {ggml_dtype} needs {len} bytes, got {}", raw_data.len());
        Error::invalid("qtensor_from_ggml", text)
    })?;
    QTensor::new(QStorage::from_data(Cow::Borrowed(data), device, ggml_dtype)?, dims)
}

/// The contents of a file.
#[derive(Debug)]
pub struct Content {
    /// The version.
    pub magic: VersionedMagic,
    /// The sizes.
    pub hparams: HParams,
    /// The tokens.
    pub vocab: Vocab,
    /// Tensors by their names.
    pub tensors: HashMap<String, QTensor>,
    /// The device that has the tensors.
    pub device: Device,
}

impl Content {
    /// Reads a file, with its tensors, to a device.
    pub fn read<R: Seek + Read>(reader: &mut R, device: &Device) -> Result<Content> {
        let content = format::Content::read(reader)?;
        let mut tensors = HashMap::new();
        for info in content.tensor_infos {
            let data = info.read(reader)?;
            let storage = QStorage::from_data(Cow::Owned(data), device, info.ggml_dtype)?;
            tensors.insert(info.name, QTensor::new(storage, info.shape)?);
        }
        let (magic, hparams, vocab) = (content.magic, content.hparams, content.vocab);
        Ok(Self { magic, hparams, vocab, tensors, device: device.clone() })
    }

    /// Takes a tensor out.
    pub fn remove(&mut self, name: &str) -> Result<QTensor> {
        let tensor = self.tensors.remove(name);
        tensor.ok_or_else(|| Error::CannotFindTensor { path: name.to_string() }.bt())
    }
}
