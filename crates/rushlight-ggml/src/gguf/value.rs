//! Values of metadata.

/// The type of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// An unsigned integer of 8 bits.
    U8,
    /// An integer of 8 bits.
    I8,
    /// An unsigned integer of 16 bits.
    U16,
    /// An integer of 16 bits.
    I16,
    /// An unsigned integer of 32 bits.
    U32,
    /// An integer of 32 bits.
    I32,
    /// An unsigned integer of 64 bits.
    U64,
    /// An integer of 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
    /// A bool.
    Bool,
    /// Text.
    String,
    /// Values of one type.
    Array,
}

/// The types by their numbers in files.
const NUMBERED: [ValueType; 13] = [
    ValueType::U8,
    ValueType::I8,
    ValueType::U16,
    ValueType::I16,
    ValueType::U32,
    ValueType::I32,
    ValueType::F32,
    ValueType::Bool,
    ValueType::String,
    ValueType::Array,
    ValueType::U64,
    ValueType::I64,
    ValueType::F64,
];

impl ValueType {
    /// Returns the type of a number in a file.
    pub fn from_u32(number: u32) -> Option<Self> {
        NUMBERED.get(usize::try_from(number).ok()?).copied()
    }

    /// Returns the number that stands for the type in files.
    pub fn to_u32(self) -> u32 {
        NUMBERED.iter().position(|t| *t == self).map_or(0, |n| n as u32)
    }

    /// Returns the number of bytes of a value; a string and an array have at least their lengths.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::U8 | Self::I8 | Self::Bool => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 | Self::String | Self::Array => 8,
        }
    }
}

/// A value of metadata.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// An unsigned integer of 8 bits.
    U8(u8),
    /// An integer of 8 bits.
    I8(i8),
    /// An unsigned integer of 16 bits.
    U16(u16),
    /// An integer of 16 bits.
    I16(i16),
    /// An unsigned integer of 32 bits.
    U32(u32),
    /// An integer of 32 bits.
    I32(i32),
    /// An unsigned integer of 64 bits.
    U64(u64),
    /// An integer of 64 bits.
    I64(i64),
    /// A float of 32 bits.
    F32(f32),
    /// A float of 64 bits.
    F64(f64),
    /// A bool.
    Bool(bool),
    /// Text.
    String(String),
    /// Values of one type.
    Array(Vec<Value>),
}

impl Value {
    /// Returns the type.
    pub fn value_type(&self) -> ValueType {
        match self {
            Self::U8(_) => ValueType::U8,
            Self::I8(_) => ValueType::I8,
            Self::U16(_) => ValueType::U16,
            Self::I16(_) => ValueType::I16,
            Self::U32(_) => ValueType::U32,
            Self::I32(_) => ValueType::I32,
            Self::U64(_) => ValueType::U64,
            Self::I64(_) => ValueType::I64,
            Self::F32(_) => ValueType::F32,
            Self::F64(_) => ValueType::F64,
            Self::Bool(_) => ValueType::Bool,
            Self::String(_) => ValueType::String,
            Self::Array(_) => ValueType::Array,
        }
    }
}
