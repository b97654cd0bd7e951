//! GGUF files. [`rushlight_ggml::gguf`] reads them; here tensors become [`QTensor`]s on a device.
use super::{GgmlDType, QStorage, QTensor};
use crate::{Device, Error, Result, Shape};
use rushlight_ggml::gguf as format;
use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{Read, Seek, Write};

pub use format::{DEFAULT_ALIGNMENT, ValueType, VersionedMagic};

/// The type, shape and position of a tensor.
#[derive(Clone, Debug)]
pub struct TensorInfo {
    /// The type of the blocks.
    pub ggml_dtype: GgmlDType,
    /// The shape, in elements.
    pub shape: Shape,
    /// Position of the data in bytes from the start of all data.
    pub offset: u64,
}

impl TensorInfo {
    /// Reads the tensor to a device.
    pub fn read<R: Seek + Read>(
        &self,
        reader: &mut R,
        tensor_data_offset: u64,
        device: &Device,
    ) -> Result<QTensor> {
        self.read_named("", reader, tensor_data_offset, device)
    }

    fn read_named<R: Seek + Read>(
        &self,
        name: &str,
        reader: &mut R,
        tensor_data_offset: u64,
        device: &Device,
    ) -> Result<QTensor> {
        let info = format::TensorInfo {
            name: name.to_string(),
            ggml_dtype: self.ggml_dtype,
            shape: self.shape.dims().to_vec(),
            offset: self.offset,
        };
        let data = info.read(reader, tensor_data_offset)?;
        let storage = QStorage::from_data(Cow::Owned(data), device, self.ggml_dtype)?;
        // A tensor without dimensions has one number.
        let shape = if self.shape.rank() == 0 { Shape::from(1usize) } else { self.shape.clone() };
        QTensor::new(storage, shape)
    }
}

/// The contents of a file without the tensors' data.
#[derive(Debug)]
pub struct Content {
    /// The version.
    pub magic: VersionedMagic,
    /// Values by their keys.
    pub metadata: HashMap<String, Value>,
    /// Tensors by their names.
    pub tensor_infos: HashMap<String, TensorInfo>,
    /// Position of the first tensor's data in bytes from the start of the file.
    pub tensor_data_offset: u64,
}

impl Content {
    /// Reads everything but the tensors' data.
    pub fn read<R: Seek + Read>(reader: &mut R) -> Result<Self> {
        let content = format::Content::read(reader)?;
        let info = |t: format::TensorInfo| {
            let info = TensorInfo { ggml_dtype: t.ggml_dtype, shape: t.shape.into(), offset: t.offset };
            (t.name, info)
        };
        Ok(Self {
            magic: content.magic,
            metadata: content.metadata.into_iter().map(|(k, v)| (k, v.into())).collect(),
            tensor_infos: content.tensor_infos.into_iter().map(info).collect(),
            tensor_data_offset: content.tensor_data_offset,
        })
    }

    /// Reads a tensor to a device.
    pub fn tensor<R: Seek + Read>(&self, reader: &mut R, name: &str, device: &Device) -> Result<QTensor> {
        let info = self.tensor_infos.get(name);
        let info = info.ok_or_else(|| Error::CannotFindTensor { path: name.to_string() }.bt())?;
        info.read_named(name, reader, self.tensor_data_offset, device)
    }
}

/// Writes a file of version 3. The data is aligned as the metadata's `general.alignment` says, or to 32 bytes.
pub fn write<W: Seek + Write>(
    w: &mut W,
    metadata: &[(&str, &Value)],
    tensors: &[(&str, &QTensor)],
) -> Result<()> {
    let values: Vec<_> = metadata.iter().map(|(k, v)| (*k, format::Value::from((*v).clone()))).collect();
    let values: Vec<_> = values.iter().map(|(k, v)| (*k, v)).collect();
    let data = tensors.iter().map(|(_, t)| t.data()).collect::<Result<Vec<_>>>()?;
    let mut all = Vec::new();
    for ((name, t), data) in tensors.iter().zip(&data) {
        all.push(format::TensorData { name, ggml_dtype: t.dtype(), shape: t.shape().dims(), data });
    }
    Ok(format::write(w, &values, &all)?)
}

macro_rules! values {
    ($($variant:ident $t:ty, $method:ident, $what:literal;)*) => {
        /// A value of metadata.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(missing_docs)] // the variants are the types of values
        pub enum Value { $($variant($t),)* String(String), Array(Vec<Value>) }

        impl Value {
            /// Returns the type.
            pub fn value_type(&self) -> ValueType {
                match self {
                    $(Self::$variant(_) => ValueType::$variant,)*
                    Self::String(_) => ValueType::String,
                    Self::Array(_) => ValueType::Array,
                }
            }
            $(
                /// Returns the value of this type, or an error for another type.
                pub fn $method(&self) -> Result<$t> {
                    match self { Self::$variant(v) => Ok(*v), other => Err(other.is_not($what)) }
                }
            )*
        }
        impl From<format::Value> for Value {
            fn from(value: format::Value) -> Self {
                match value {
                    $(format::Value::$variant(v) => Self::$variant(v),)*
                    format::Value::String(v) => Self::String(v),
                    format::Value::Array(v) => Self::Array(v.into_iter().map(Self::from).collect()),
                }
            }
        }
        impl From<Value> for format::Value {
            fn from(value: Value) -> Self {
                match value {
                    $(Value::$variant(v) => Self::$variant(v),)*
                    Value::String(v) => Self::String(v),
                    Value::Array(v) => Self::Array(v.into_iter().map(Self::from).collect()),
                }
            }
        }
    };
}

values! {
    U8 u8, to_u8, "a u8";
    I8 i8, to_i8, "an i8";
    U16 u16, to_u16, "a u16";
    I16 i16, to_i16, "an i16";
    U32 u32, to_u32, "a u32";
    I32 i32, to_i32, "an i32";
    U64 u64, to_exact_u64, "a u64";
    I64 i64, to_i64, "an i64";
    F32 f32, to_f32, "an f32";
    F64 f64, to_f64, "an f64";
    Bool bool, to_bool, "a bool";
}

impl Value {
    fn is_not(&self, expected: &str) -> Error {
        Error::msg(format_args!("gguf: expected {expected}, got {self:?}"))
    }

    /// Returns an unsigned integer of any size, or a bool, as u64.
    pub fn to_u64(&self) -> Result<u64> {
        match self {
            Self::U8(v) => Ok(u64::from(*v)),
            Self::U16(v) => Ok(u64::from(*v)),
            Self::U32(v) => Ok(u64::from(*v)),
            Self::Bool(v) => Ok(u64::from(*v)),
            other => other.to_exact_u64(),
        }
    }

    /// Returns the values of an array.
    pub fn to_vec(&self) -> Result<&Vec<Value>> {
        match self {
            Self::Array(v) => Ok(v),
            other => Err(other.is_not("an array")),
        }
    }

    /// Returns the text of a string.
    pub fn to_string(&self) -> Result<&String> {
        match self {
            Self::String(v) => Ok(v),
            other => Err(other.is_not("a string")),
        }
    }
}
