//! GGUF files: metadata, and tensors of blocks.
//!
//! [`Content::read`] reads everything but the tensors' data, of versions 1 to 3 in little-endian order;
//! [`TensorInfo::read`] reads the data of one tensor. [`write()`] writes version 3.
mod value;
mod write;

pub use value::{Value, ValueType};
pub use write::{TensorData, write};

use crate::source::Source;
use crate::{Error, GgmlDType, Result};
use std::collections::HashSet;
use std::io::{Read, Seek, SeekFrom};

/// The alignment in bytes of a tensor's data in files that do not state another one.
pub const DEFAULT_ALIGNMENT: u64 = 32;

const FORMAT: &str = "gguf";
const MAGIC: u32 = u32::from_le_bytes(*b"GGUF");
/// Largest length of a string in bytes, and of an array and of the lists in elements, as in llama.cpp.
const MOST: u64 = 1 << 30;
/// Most dimensions of a tensor, as in ggml.
const DIMENSIONS: u32 = 4;
/// Most arrays that contain each other.
const DEPTH: usize = 64;

/// The version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionedMagic {
    /// Version 1, with lengths of 32 bits.
    GgufV1,
    /// Version 2, with lengths of 64 bits.
    GgufV2,
    /// Version 3, as version 2 in little-endian order.
    GgufV3,
}

impl VersionedMagic {
    /// Returns the number of bytes of a length.
    fn length_size(self) -> u64 {
        if self == Self::GgufV1 { 4 } else { 8 }
    }
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
    /// Position of the data in bytes from [`Content::tensor_data_offset`].
    pub offset: u64,
}

impl TensorInfo {
    /// Returns the number of bytes of the data. Fails if rows are not whole blocks, and on overflow.
    pub fn size_in_bytes(&self) -> Result<usize> {
        let (dtype, row) = (self.ggml_dtype, self.shape.last().copied().unwrap_or(1));
        let rows = self.shape.iter().rev().skip(1).try_fold(1usize, |n, d| n.checked_mul(*d));
        let bytes = rows.and_then(|rows| rows.checked_mul(dtype.bytes_of(row).ok()?));
        bytes.ok_or(Error::Blocks { dtype, count: row })
    }

    /// Reads the data, of a file whose data starts at `tensor_data_offset`.
    pub fn read<R: Read + Seek>(&self, reader: &mut R, tensor_data_offset: u64) -> Result<Vec<u8>> {
        let len = self.size_in_bytes()? as u64;
        let start = tensor_data_offset.saturating_add(self.offset);
        let remaining = reader.seek(SeekFrom::End(0))?.saturating_sub(start);
        if len > remaining {
            let what = format!("tensor {:?}", self.name);
            return Err(Error::TooShort { format: FORMAT, at: start, what, needed: len, remaining });
        }
        let mut data = vec![0; len as usize];
        reader.seek(SeekFrom::Start(start))?;
        reader.read_exact(&mut data)?;
        Ok(data)
    }
}

/// The contents of a file without the tensors' data.
#[derive(Clone, Debug)]
pub struct Content {
    /// The version.
    pub magic: VersionedMagic,
    /// Keys and values in the file's order.
    pub metadata: Vec<(String, Value)>,
    /// The tensors in the file's order.
    pub tensor_infos: Vec<TensorInfo>,
    /// Position of the first tensor's data in bytes from the start of the file.
    pub tensor_data_offset: u64,
}

impl Content {
    /// Reads a file from the reader's position on. The reader is left at the tensors' data.
    pub fn read<R: Read + Seek>(reader: &mut R) -> Result<Self> {
        let start = reader.stream_position()?;
        let mut file = File { source: Source::new(&mut *reader, FORMAT, start)?, version: None };
        let content = file.content()?;
        drop(file);
        reader.seek(SeekFrom::Start(content.tensor_data_offset))?;
        Ok(content)
    }

    /// Returns the value of a key.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.metadata.iter().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Returns a tensor's description.
    pub fn info(&self, name: &str) -> Result<&TensorInfo> {
        let info = self.tensor_infos.iter().find(|t| t.name == name);
        info.ok_or_else(|| Error::NoTensor(name.to_string()))
    }
}

/// A file that is being read.
struct File<R: Read + Seek> {
    source: Source<R>,
    version: Option<VersionedMagic>,
}

impl<R: Read + Seek> File<R> {
    fn content(&mut self) -> Result<Content> {
        let magic = self.magic()?;
        self.version = Some(magic);
        let tensors = self.count("tensor_count")?;
        let entries = self.count("metadata_kv_count")?;
        // A key's length, its value's type and one byte; a name's length, the number of dimensions, type and offset.
        let length = magic.length_size();
        let needed = entries.saturating_mul(length + 5).saturating_add(tensors.saturating_mul(length + 16));
        self.source.needs(needed, format!("{tensors} tensors and {entries} metadata entries, which"))?;
        let mut seen = HashSet::new();
        let mut metadata = Vec::new();
        for _ in 0..entries {
            let at = self.source.at();
            let key = self.string()?;
            if !seen.insert(key.clone()) {
                return Err(self.source.invalid(at, format!("the key {key:?} appears twice")));
            }
            let kind = self.value_type()?;
            metadata.push((key, self.value(kind, 0)?));
        }
        seen.clear();
        let mut tensor_infos = Vec::new();
        for _ in 0..tensors {
            let at = self.source.at();
            let info = self.info()?;
            if !seen.insert(info.name.clone()) {
                return Err(self.source.invalid(at, format!("the tensor {:?} appears twice", info.name)));
            }
            tensor_infos.push(info);
        }
        let alignment = match metadata.iter().find(|(key, _)| key == "general.alignment") {
            Some((_, value)) => alignment(value).map_err(|e| self.source.invalid(0, e))?,
            None => DEFAULT_ALIGNMENT,
        };
        let at = self.source.at();
        let tensor_data_offset = at.checked_next_multiple_of(alignment).unwrap_or(at);
        Ok(Content { magic, metadata, tensor_infos, tensor_data_offset })
    }

    fn magic(&mut self) -> Result<VersionedMagic> {
        let at = self.source.at();
        let magic = self.source.u32("the magic number")?;
        if magic != MAGIC {
            let got = magic.to_le_bytes().escape_ascii().to_string();
            return Err(self.source.invalid(at, format!("unknown magic: expected GGUF, got {got:?}")));
        }
        let version = self.source.u32("the version")?;
        match version {
            1 => Ok(VersionedMagic::GgufV1),
            2 => Ok(VersionedMagic::GgufV2),
            3 => Ok(VersionedMagic::GgufV3),
            v if v.swap_bytes() < 16 => {
                Err(self.source.invalid(at + 4, "files in big-endian order are not supported"))
            }
            v => Err(self.source.invalid(at + 4, format!("expected version 1, 2 or 3, got {v}"))),
        }
    }

    fn length(&mut self, what: &str) -> Result<u64> {
        match self.version {
            Some(VersionedMagic::GgufV1) => Ok(u64::from(self.source.u32(what)?)),
            _ => self.source.u64(what),
        }
    }

    fn count(&mut self, what: &'static str) -> Result<u64> {
        let at = self.source.at();
        let count = self.length(what)?;
        if count > MOST {
            return Err(self.source.invalid(at, format!("{what}: expected at most {MOST}, got {count}")));
        }
        Ok(count)
    }

    /// Reads a string. Zeros at its end are removed, and bytes that are not UTF-8 replaced: real files have both.
    fn string(&mut self) -> Result<String> {
        let len = self.count("string length")?;
        let mut bytes = self.source.bytes(len, format!("a string with string length {len}"))?;
        while bytes.last() == Some(&0) {
            bytes.pop();
        }
        Ok(match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
        })
    }

    fn value_type(&mut self) -> Result<ValueType> {
        let at = self.source.at();
        let number = self.source.u32("the type of a value")?;
        ValueType::from_u32(number).ok_or_else(|| {
            self.source.invalid(at, format!("expected the type of a value, 0 to 12, got {number}"))
        })
    }

    fn value(&mut self, kind: ValueType, depth: usize) -> Result<Value> {
        const WHAT: &str = "a value";
        let at = self.source.at();
        if depth > DEPTH {
            let message = format!("nesting depth of arrays: expected at most {DEPTH}");
            return Err(self.source.invalid(at, message));
        }
        let source = &mut self.source;
        Ok(match kind {
            ValueType::U8 => Value::U8(u8::from_le_bytes(source.array(WHAT)?)),
            ValueType::I8 => Value::I8(i8::from_le_bytes(source.array(WHAT)?)),
            ValueType::U16 => Value::U16(u16::from_le_bytes(source.array(WHAT)?)),
            ValueType::I16 => Value::I16(i16::from_le_bytes(source.array(WHAT)?)),
            ValueType::U32 => Value::U32(u32::from_le_bytes(source.array(WHAT)?)),
            ValueType::I32 => Value::I32(i32::from_le_bytes(source.array(WHAT)?)),
            ValueType::U64 => Value::U64(u64::from_le_bytes(source.array(WHAT)?)),
            ValueType::I64 => Value::I64(i64::from_le_bytes(source.array(WHAT)?)),
            ValueType::F32 => Value::F32(f32::from_le_bytes(source.array(WHAT)?)),
            ValueType::F64 => Value::F64(f64::from_le_bytes(source.array(WHAT)?)),
            ValueType::Bool => match source.array::<1>(WHAT)? {
                [0] => Value::Bool(false),
                [1] => Value::Bool(true),
                [b] => return Err(source.invalid(at, format!("expected a bool, 0 or 1, got {b}"))),
            },
            ValueType::String => Value::String(self.string()?),
            ValueType::Array => {
                let kind = self.value_type()?;
                let len = self.count("array length")?;
                let least = match kind {
                    ValueType::String => self.version.map_or(8, VersionedMagic::length_size),
                    ValueType::Array => 4 + self.version.map_or(8, VersionedMagic::length_size),
                    kind => kind.size(),
                };
                self.source.needs(len.saturating_mul(least), format!("an array of {len} elements"))?;
                // The vector grows with the elements that were read.
                let mut values = Vec::new();
                for _ in 0..len {
                    values.push(self.value(kind, depth + 1)?);
                }
                Value::Array(values)
            }
        })
    }

    fn info(&mut self) -> Result<TensorInfo> {
        let name = self.string()?;
        let at = self.source.at();
        let dimensions = self.source.u32("the number of dimensions")?;
        if dimensions > DIMENSIONS {
            let message = format!(
                "tensor {name:?}: expected at most {DIMENSIONS} dimensions, got {dimensions} dimensions"
            );
            return Err(self.source.invalid(at, message));
        }
        let mut shape = Vec::new();
        for _ in 0..dimensions {
            let at = self.source.at();
            let size = self.length("a dimension")?;
            let size = usize::try_from(size);
            shape
                .push(size.map_err(|_| self.source.invalid(at, format!("tensor {name:?}: size too large")))?);
        }
        shape.reverse();
        let at = self.source.at();
        let number = self.source.u32("the type of a tensor")?;
        let ggml_dtype = GgmlDType::from_u32(number)
            .map_err(|e| self.source.invalid(at, format!("tensor {name:?}: {e}")))?;
        let offset = self.source.u64("the offset of a tensor")?;
        let info = TensorInfo { name, ggml_dtype, shape, offset };
        info.size_in_bytes()
            .map_err(|e| self.source.invalid(at, format!("tensor {:?}: {:?}: {e}", info.name, info.shape)))?;
        Ok(info)
    }
}

/// Returns the alignment of the tensors' data.
fn alignment(value: &Value) -> std::result::Result<u64, String> {
    let number = match value {
        Value::U8(v) => Some(u64::from(*v)),
        Value::U16(v) => Some(u64::from(*v)),
        Value::U32(v) => Some(u64::from(*v)),
        Value::U64(v) => Some(*v),
        Value::I8(v) => u64::try_from(*v).ok(),
        Value::I16(v) => u64::try_from(*v).ok(),
        Value::I32(v) => u64::try_from(*v).ok(),
        Value::I64(v) => u64::try_from(*v).ok(),
        _ => None,
    };
    number
        .filter(|n| n.is_power_of_two() && *n <= MOST)
        .ok_or_else(|| format!("general.alignment: expected a power of two up to {MOST}, got {value:?}"))
}
