//! Block types and their sizes.
use crate::{Error, Result};

/// The type of a block: how many elements it holds, in how many bytes, in which layout. The names are candle's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GgmlDType {
    /// Single precision, one element a block.
    F32,
    /// Half precision, one element a block.
    F16,
    /// bfloat16, one element a block.
    BF16,
    /// 4 bits and a scale for 32 elements.
    Q4_0,
    /// 4 bits, a scale and a minimum for 32 elements.
    Q4_1,
    /// 5 bits and a scale for 32 elements.
    Q5_0,
    /// 5 bits, a scale and a minimum for 32 elements.
    Q5_1,
    /// 8 bits and a scale for 32 elements.
    Q8_0,
    /// 8 bits, a scale and the sum of 32 elements.
    Q8_1,
    /// 2 bits for 256 elements; a scale and a minimum of 4 bits for 16 of them.
    Q2K,
    /// 3 bits for 256 elements; a scale of 6 bits for 16 of them.
    Q3K,
    /// 4 bits for 256 elements; a scale and a minimum of 6 bits for 32 of them.
    Q4K,
    /// 5 bits for 256 elements; a scale and a minimum of 6 bits for 32 of them.
    Q5K,
    /// 6 bits for 256 elements; a scale of 8 bits for 16 of them.
    Q6K,
    /// 8 bits, a scale in f32, and the sums of 16 elements each, for 256 elements.
    Q8K,
}

/// Every block type.
pub const ALL: [GgmlDType; 15] = [
    GgmlDType::F32,
    GgmlDType::F16,
    GgmlDType::BF16,
    GgmlDType::Q4_0,
    GgmlDType::Q4_1,
    GgmlDType::Q5_0,
    GgmlDType::Q5_1,
    GgmlDType::Q8_0,
    GgmlDType::Q8_1,
    GgmlDType::Q2K,
    GgmlDType::Q3K,
    GgmlDType::Q4K,
    GgmlDType::Q5K,
    GgmlDType::Q6K,
    GgmlDType::Q8K,
];

/// Names of ggml's types that have a number but are not supported, for errors.
const OTHERS: [(u32, &str); 24] = [
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (28, "F64"),
    (29, "IQ1_M"),
    (31, "Q4_0_4_4"),
    (32, "Q4_0_4_8"),
    (33, "Q4_0_8_8"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (36, "IQ4_NL_4_4"),
    (37, "IQ4_NL_4_8"),
    (38, "IQ4_NL_8_8"),
    (39, "MXFP4"),
    (40, "NVFP4"),
];

impl GgmlDType {
    /// Returns the number of elements of a block.
    pub const fn block_size(&self) -> usize {
        match self {
            Self::F32 | Self::F16 | Self::BF16 => 1,
            Self::Q4_0 | Self::Q4_1 | Self::Q5_0 | Self::Q5_1 | Self::Q8_0 | Self::Q8_1 => 32,
            Self::Q2K | Self::Q3K | Self::Q4K | Self::Q5K | Self::Q6K | Self::Q8K => 256,
        }
    }

    /// Returns the number of bytes of a block.
    pub const fn type_size(&self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 | Self::BF16 => 2,
            Self::Q4_0 => 18,
            Self::Q4_1 => 20,
            Self::Q5_0 => 22,
            Self::Q5_1 => 24,
            Self::Q8_0 => 34,
            Self::Q8_1 => 36,
            Self::Q2K => 84,
            Self::Q3K => 110,
            Self::Q4K => 144,
            Self::Q5K => 176,
            Self::Q6K => 210,
            Self::Q8K => 292,
        }
    }

    /// Returns the number of bytes of `count` elements. Fails if they are not whole blocks.
    pub fn bytes_of(&self, count: usize) -> Result<usize> {
        if !count.is_multiple_of(self.block_size()) {
            return Err(Error::Blocks { dtype: *self, count });
        }
        (count / self.block_size()).checked_mul(self.type_size()).ok_or(Error::Blocks { dtype: *self, count })
    }

    /// Returns the number that stands for the type in files.
    pub const fn to_u32(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::F16 => 1,
            Self::Q4_0 => 2,
            Self::Q4_1 => 3,
            Self::Q5_0 => 6,
            Self::Q5_1 => 7,
            Self::Q8_0 => 8,
            Self::Q8_1 => 9,
            Self::Q2K => 10,
            Self::Q3K => 11,
            Self::Q4K => 12,
            Self::Q5K => 13,
            Self::Q6K => 14,
            Self::Q8K => 15,
            Self::BF16 => 30,
        }
    }

    /// Returns the type of a number in a file, or a description of the number.
    pub fn from_u32(number: u32) -> std::result::Result<Self, String> {
        if let Some(dtype) = ALL.into_iter().find(|t| t.to_u32() == number) {
            return Ok(dtype);
        }
        Err(match OTHERS.iter().find(|o| o.0 == number) {
            Some((_, name)) => format!("the block type {name} ({number}) is not supported"),
            None => format!("expected a block type, got {number}"),
        })
    }

    /// Returns the name, as in `Q4_0` and `Q4K`.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::F32 => "F32",
            Self::F16 => "F16",
            Self::BF16 => "BF16",
            Self::Q4_0 => "Q4_0",
            Self::Q4_1 => "Q4_1",
            Self::Q5_0 => "Q5_0",
            Self::Q5_1 => "Q5_1",
            Self::Q8_0 => "Q8_0",
            Self::Q8_1 => "Q8_1",
            Self::Q2K => "Q2K",
            Self::Q3K => "Q3K",
            Self::Q4K => "Q4K",
            Self::Q5K => "Q5K",
            Self::Q6K => "Q6K",
            Self::Q8K => "Q8K",
        }
    }

    /// Returns the type of a name, in any case. `Q4_K`, as llama.cpp writes it, is `Q4K`.
    ///
    /// ```
    /// # use rushlight_ggml::GgmlDType;
    /// assert_eq!(GgmlDType::from_name("q4_k"), Some(GgmlDType::Q4K));
    /// assert_eq!(GgmlDType::from_name("q4"), None);
    /// ```
    pub fn from_name(name: &str) -> Option<Self> {
        let name = name.to_uppercase().replace("_K", "K");
        ALL.into_iter().find(|t| t.as_str() == name)
    }
}

impl std::fmt::Display for GgmlDType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
