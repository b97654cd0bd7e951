//! Writes GGUF files of version 3.
use super::{DEFAULT_ALIGNMENT, MAGIC, Value, ValueType, alignment};
use crate::{Error, GgmlDType, Result};
use std::io::Write;

/// A tensor to be written.
#[derive(Clone, Copy, Debug)]
pub struct TensorData<'a> {
    /// The name.
    pub name: &'a str,
    /// The block type.
    pub ggml_dtype: GgmlDType,
    /// The dimensions, the one of adjacent elements last.
    pub shape: &'a [usize],
    /// The blocks.
    pub data: &'a [u8],
}

/// Writes a file. The alignment is the metadata's `general.alignment`, or 32. Fails if a tensor's data does not fit its
/// shape, or if an array has values of several types.
pub fn write<W: Write>(w: &mut W, metadata: &[(&str, &Value)], tensors: &[TensorData<'_>]) -> Result<()> {
    let align = match metadata.iter().find(|(key, _)| *key == "general.alignment") {
        Some((_, value)) => alignment(value).map_err(Error::Unwritable)?,
        None => DEFAULT_ALIGNMENT,
    };
    let mut head = Vec::new();
    head.extend(MAGIC.to_le_bytes());
    head.extend(3u32.to_le_bytes());
    head.extend((tensors.len() as u64).to_le_bytes());
    head.extend((metadata.len() as u64).to_le_bytes());
    for (key, value) in metadata {
        put_string(&mut head, key);
        head.extend(value.value_type().to_u32().to_le_bytes());
        put(&mut head, key, value)?;
    }
    let mut offset = 0;
    for tensor in tensors {
        let dtype = tensor.ggml_dtype;
        let (count, got) = (tensor.shape.iter().product(), tensor.data.len());
        let expected = dtype.bytes_of(count)?;
        if expected != got {
            return Err(Error::Length { op: "write", dtype, unit: "bytes", count, expected, got });
        }
        put_string(&mut head, tensor.name);
        head.extend((tensor.shape.len() as u32).to_le_bytes());
        tensor.shape.iter().rev().for_each(|d| head.extend((*d as u64).to_le_bytes()));
        head.extend(dtype.to_u32().to_le_bytes());
        head.extend(u64::to_le_bytes(offset));
        offset += padded(got, align);
    }
    head.resize(padded(head.len(), align) as usize, 0);
    w.write_all(&head)?;
    for tensor in tensors {
        w.write_all(tensor.data)?;
        let padding = padded(tensor.data.len(), align) - tensor.data.len() as u64;
        std::io::copy(&mut std::io::Read::take(std::io::repeat(0), padding), w)?;
    }
    Ok(())
}

fn padded(len: usize, align: u64) -> u64 {
    (len as u64).next_multiple_of(align)
}

fn put_string(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

fn put(out: &mut Vec<u8>, key: &str, value: &Value) -> Result<()> {
    match value {
        Value::U8(v) => out.push(*v),
        Value::I8(v) => out.extend(v.to_le_bytes()),
        Value::U16(v) => out.extend(v.to_le_bytes()),
        Value::I16(v) => out.extend(v.to_le_bytes()),
        Value::U32(v) => out.extend(v.to_le_bytes()),
        Value::I32(v) => out.extend(v.to_le_bytes()),
        Value::U64(v) => out.extend(v.to_le_bytes()),
        Value::I64(v) => out.extend(v.to_le_bytes()),
        Value::F32(v) => out.extend(v.to_le_bytes()),
        Value::F64(v) => out.extend(v.to_le_bytes()),
        Value::Bool(v) => out.push(u8::from(*v)),
        Value::String(v) => put_string(out, v),
        Value::Array(values) => {
            // The type of an empty array does not matter.
            let kind = values.first().map_or(ValueType::U32, Value::value_type);
            if let Some(other) = values.iter().find(|v| v.value_type() != kind) {
                let other = other.value_type();
                return Err(Error::Unwritable(format!(
                    "{key}: expected an array with values of one type, got {kind:?} and {other:?}"
                )));
            }
            out.extend(kind.to_u32().to_le_bytes());
            out.extend((values.len() as u64).to_le_bytes());
            values.iter().try_for_each(|v| put(out, key, v))?;
        }
    }
    Ok(())
}
