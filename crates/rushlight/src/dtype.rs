//! Dtypes: the table of dtypes, the sets that op definitions use, and the traits of host elements.
use crate::cpu::{Buffer, CpuStorage, VecOps, scratch};
use crate::{Result, Scalar};
use float8::F8E4M3;
use half::{bf16, f16};
use num_complex::Complex;

/// A complex number of two f32, 64 bits in all. (Its name in NumPy is complex64.)
pub type C64 = Complex<f32>;

/// A complex number of two f64, 128 bits in all. (Its name in NumPy is complex128.)
pub type C128 = Complex<f64>;

/// Calls a macro with every row of the dtype table: `(Variant, RustType, "name", kind)`.
/// A new dtype is one row here.
macro_rules! with_dtypes {
    ($m:ident) => {
        $m! {
            (Bool, bool, "bool", Bool),
            (U8, u8, "u8", UInt),
            (I8, i8, "i8", Int),
            (U16, u16, "u16", UInt),
            (I16, i16, "i16", Int),
            (U32, u32, "u32", UInt),
            (I32, i32, "i32", Int),
            (U64, u64, "u64", UInt),
            (I64, i64, "i64", Int),
            (F8E4M3, F8E4M3, "f8e4m3", Float),
            (BF16, bf16, "bf16", Float),
            (F16, f16, "f16", Float),
            (F32, f32, "f32", Float),
            (F64, f64, "f64", Float),
            (C64, C64, "c64", Complex),
            (C128, C128, "c128", Complex),
        }
    };
}
pub(crate) use with_dtypes;

/// The kind of number that a dtype holds.
#[derive(Debug, Copy, Clone, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Kind {
    Bool,
    UInt,
    Int,
    Float,
    Complex,
}

macro_rules! define_dtype {
    ($(($v:ident, $t:ty, $name:literal, $kind:ident)),* $(,)?) => {
        /// The type of a tensor's elements.
        ///
        /// ```
        /// use rushlight::DType;
        /// assert_eq!(DType::BF16.size_in_bytes(), 2);
        /// assert_eq!("f32".parse::<DType>()?, DType::F32);
        /// # Ok::<(), rushlight::DTypeParseError>(())
        /// ```
        #[derive(Debug, Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(usize)] // a struct that contains a dtype is then moved as whole words
        #[allow(missing_docs)]
        pub enum DType { $($v),* }

        impl DType {
            /// Every dtype, in the order of the table.
            pub const ALL: &'static [DType] = &[$(DType::$v),*];

            /// Short name: `"f32"`, `"bf16"`, `"u8"` ...
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$v => $name),* }
            }

            /// Size of one element in bytes.
            pub const fn size_in_bytes(self) -> usize {
                match self { $(Self::$v => std::mem::size_of::<$t>()),* }
            }

            /// Kind of number.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$v => Kind::$kind),* }
            }
        }
    };
}
with_dtypes!(define_dtype);

impl DType {
    /// Returns the dtype's name in the array API, NumPy and PyTorch.
    ///
    /// ```
    /// use rushlight::DType;
    /// assert_eq!(DType::BF16.long_name(), "bfloat16");
    /// assert_eq!(DType::from_long_name("int64"), Some(DType::I64));
    /// ```
    pub const fn long_name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::U8 => "uint8",
            Self::I8 => "int8",
            Self::U16 => "uint16",
            Self::I16 => "int16",
            Self::U32 => "uint32",
            Self::I32 => "int32",
            Self::U64 => "uint64",
            Self::I64 => "int64",
            Self::F8E4M3 => "float8_e4m3fn",
            Self::BF16 => "bfloat16",
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
            Self::C64 => "complex64",
            Self::C128 => "complex128",
        }
    }

    /// Returns the dtype with this [`DType::long_name`].
    pub fn from_long_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|d| d.long_name() == name)
    }

    /// True for the integer dtypes (not for bool).
    pub const fn is_int(self) -> bool {
        matches!(self.kind(), Kind::Int | Kind::UInt)
    }

    /// True for the signed integer dtypes.
    pub const fn is_signed_int(self) -> bool {
        matches!(self.kind(), Kind::Int)
    }

    /// True for the floating-point dtypes.
    pub const fn is_float(self) -> bool {
        matches!(self.kind(), Kind::Float)
    }

    /// True for the complex dtypes.
    pub const fn is_complex(self) -> bool {
        matches!(self.kind(), Kind::Complex)
    }

    /// True for the floating-point and the complex dtypes, whose tensors may have gradients.
    pub const fn is_inexact(self) -> bool {
        self.is_float() || self.is_complex()
    }

    /// Returns the dtype of the parts of a complex dtype, and every other dtype itself.
    ///
    /// ```
    /// use rushlight::DType;
    /// assert_eq!(DType::C128.real_part(), DType::F64);
    /// assert_eq!(DType::F32.complex_of(), Some(DType::C64));
    /// ```
    pub const fn real_part(self) -> Self {
        match self {
            Self::C64 => Self::F32,
            Self::C128 => Self::F64,
            other => other,
        }
    }

    /// Returns the complex dtype whose parts have this dtype.
    pub const fn complex_of(self) -> Option<Self> {
        match self {
            Self::F32 => Some(Self::C64),
            Self::F64 => Some(Self::C128),
            _ => None,
        }
    }
}

/// Declares names of dtypes that only candle has.
macro_rules! absent_dtypes {
    ($($name:ident)*) => {
        /// Names of candle's dtypes that do not exist here, so that the arms of a `match` which refuse them compile. The value is that
        /// of a dtype that candle does not have and such code refuses.
        impl DType {
            $(
                #[deprecated(note = "does not exist here: its name is for the arms of a `match`")]
                #[doc(hidden)]
                pub const $name: Self = Self::U64;
            )*
        }
    };
}
absent_dtypes!(F6E2M3 F6E3M2 F4 F8E8M0);

/// The error for a text that is not the name of a dtype.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DTypeParseError(String);

impl std::fmt::Display for DTypeParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot parse '{}' as a dtype", self.0)
    }
}

impl std::error::Error for DTypeParseError {}

impl std::str::FromStr for DType {
    type Err = DTypeParseError;
    fn from_str(s: &str) -> std::result::Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|d| d.as_str() == s).ok_or_else(|| DTypeParseError(s.to_string()))
    }
}

/// A set of dtypes, in which op definitions declare the dtypes of their inputs.
#[derive(Debug, Copy, Clone, PartialEq, Eq)]
pub struct DTypeSet(u32);

impl DTypeSet {
    /// The set of the given dtypes.
    pub const fn of(dtypes: &[DType]) -> Self {
        let (mut bits, mut i) = (0, 0);
        while i < dtypes.len() {
            bits |= 1 << dtypes[i] as u32;
            i += 1;
        }
        Self(bits)
    }

    /// Returns the union of two sets.
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the set holds a dtype.
    pub const fn contains(self, dtype: DType) -> bool {
        self.0 & (1 << dtype as u32) != 0
    }

    /// The members, in table order.
    pub fn iter(self) -> impl Iterator<Item = DType> {
        DType::ALL.iter().copied().filter(move |d| self.contains(*d))
    }
}

/// The sets that op definitions use.
pub mod sets {
    use super::{DType as D, DTypeSet};
    /// Floats that ops compute with. (F8E4M3 is for storage, casts and copies only.)
    pub const FLOAT: DTypeSet = DTypeSet::of(&[D::BF16, D::F16, D::F32, D::F64]);
    /// Integers of all sizes.
    pub const INT: DTypeSet = DTypeSet::of(&[D::U8, D::I8, D::U16, D::I16, D::U32, D::I32, D::U64, D::I64]);
    /// Signed integers.
    pub const SIGNED: DTypeSet = DTypeSet::of(&[D::I8, D::I16, D::I32, D::I64]);
    /// Booleans.
    pub const BOOL: DTypeSet = DTypeSet::of(&[D::Bool]);
    /// Integers and floats.
    pub const NUMERIC: DTypeSet = FLOAT.or(INT);
    /// Complex numbers.
    pub const COMPLEX: DTypeSet = DTypeSet::of(&[D::C64, D::C128]);
    /// Dtypes of the parts of complex numbers.
    pub const PARTS: DTypeSet = DTypeSet::of(&[D::F32, D::F64]);
    /// Floats and complex numbers.
    pub const INEXACT: DTypeSet = FLOAT.or(COMPLEX);
    /// Integers, floats and complex numbers.
    pub const NUMBER: DTypeSet = NUMERIC.or(COMPLEX);
    /// All dtypes but F8E4M3: those whose values can be compared for equality.
    pub const EQUATABLE: DTypeSet = NUMBER.or(BOOL);
    /// Integers and booleans.
    pub const BITS: DTypeSet = INT.or(BOOL);
    /// All dtypes whose values are ordered.
    pub const ORDERED: DTypeSet = NUMERIC.or(BOOL);
    /// Dtypes of index tensors.
    pub const INDEX: DTypeSet = DTypeSet::of(&[D::U8, D::U32, D::I64, D::I32, D::I16]);
    /// All dtypes, for copies and casts.
    pub const ALL: DTypeSet = EQUATABLE.or(DTypeSet::of(&[D::F8E4M3]));
}

/// A host type that can be an element of a tensor.
pub trait Element:
    Copy + Default + PartialEq + std::fmt::Debug + std::fmt::Display + Send + Sync + 'static
{
    /// The dtype of tensors of this type.
    const DTYPE: DType;

    /// Converts from f64, rounded or saturated like Rust's `as`.
    fn from_f64(v: f64) -> Self;
    /// Converts to f64. Of a complex number, this is the real part.
    fn to_f64(self) -> f64;
    /// Converts from an integer of any size, rounded once.
    fn from_i128(v: i128) -> Self;
    /// Converts to an integer, saturated, if the type holds integers or bools; `None` for floats.
    fn to_i128(self) -> Option<i128>;
    /// Converts to a [`Scalar`] of the same dtype.
    fn to_scalar(self) -> Scalar;
    /// Wraps a buffer of this type in a storage.
    fn into_storage(buffer: Buffer<Self>) -> CpuStorage;
    /// Returns the typed buffer of a storage, if the storage has this dtype.
    fn buffer(storage: &CpuStorage) -> Option<&Buffer<Self>>;
    /// Returns the typed buffer of a storage for writing, if the storage has this dtype.
    fn buffer_mut(storage: &mut CpuStorage) -> Option<&mut Buffer<Self>>;
}

/// A numeric host element: every type except bool and complex. Candle has a trait of the same name.
pub trait WithDType:
    Element + VecOps + num_traits::NumAssign + PartialOrd + std::any::Any + Into<Scalar>
{
    /// Returns the elements of a storage, or an error that names both dtypes if it has another dtype.
    fn cpu_storage_as_slice(storage: &CpuStorage) -> Result<&[Self]> {
        storage.as_slice()
    }

    /// Returns the elements of a storage, or an error that names both dtypes if it has another dtype.
    fn cpu_storage_data(storage: CpuStorage) -> Result<Vec<Self>> {
        scratch::copied(storage.as_slice()?)
    }

    /// Returns a storage with a copy of the elements.
    fn to_cpu_storage(data: &[Self]) -> CpuStorage {
        Self::into_storage(Buffer::from_slice(data))
    }

    /// Returns a storage that takes over the elements.
    fn to_cpu_storage_owned(data: Vec<Self>) -> CpuStorage {
        data.into()
    }
}

/// Floating-point elements.
pub trait FloatDType: WithDType {}

/// Integer elements.
pub trait IntDType: WithDType + num_traits::Bounded {
    /// Whether the value is not 0.
    fn is_true(&self) -> bool;
    /// Converts to an index.
    fn as_usize(&self) -> usize;
}

/// Converts i128 to f64, rounding to odd, so that a second rounding to a float of fewer bits gives the correctly
/// rounded result.
pub(crate) fn i128_to_f64_odd(v: i128) -> f64 {
    let mag = v.unsigned_abs();
    let bits = 128 - mag.leading_zeros();
    if bits <= 53 {
        return v as f64;
    }
    let shift = bits - 53;
    let sticky = u128::from(mag & ((1 << shift) - 1) != 0);
    let m = ((mag >> shift) | sticky) as f64 * f64::powi(2.0, shift as i32);
    if v < 0 { -m } else { m }
}

/// Converts f64 to f32, rounding to odd, so that a second rounding to f16 or bf16 gives the correctly rounded result.
/// (`half`'s own conversions from f64 ignore the low bits, which matter close to a tie.)
#[inline(always)]
pub(crate) fn f64_to_f32_odd(v: f64) -> f32 {
    let near = v as f32;
    let back = near as f64;
    // The adjacent number towards 0, with its last bit set. (Without branches, so that loops vectorize; NaN stays NaN.)
    let down = near.to_bits().wrapping_sub(u32::from(back.abs() > v.abs()));
    f32::from_bits(down | u32::from(back != v))
}

/// Converts to f32, exactly and without a branch. Signaling NaNs become quiet.
#[inline(always)]
pub(crate) fn bf16_to_f32(v: bf16) -> f32 {
    let b = u32::from(v.to_bits()) << 16;
    f32::from_bits(b | u32::from(b & 0x7fff_ffff > 0x7f80_0000) << 22)
}

/// Rounds to the nearest bf16, ties to even, without a branch. Signaling NaNs become quiet.
#[inline(always)]
pub(crate) fn bf16_from_f32(v: f32) -> bf16 {
    let b = v.to_bits();
    // Half a unit of the last place, minus one if the truncated result is even.
    let up = 0x7fff + (b >> 16 & 1);
    let (up, quiet) = if v.is_nan() { (0, 0x40_0000) } else { (up, 0) };
    // (The shift is signed, because SSE2 narrows signed numbers in one instruction.)
    bf16::from_bits((((b | quiet).wrapping_add(up) as i32) >> 16) as u16)
}

/// Converts to f32, exactly and without a branch or a special instruction. Signaling NaNs become quiet.
#[inline(always)]
pub(crate) fn f16_to_f32(v: f16) -> f32 {
    let h = u32::from(v.to_bits());
    // The exponent and the digits, moved to their positions in an f32; times 2^112, subnormal numbers become right, too.
    let moved = (h & 0x7fff) << 13;
    let finite = (f32::from_bits(moved) * f32::from_bits(0x7780_0000)).to_bits();
    let magnitude = if moved >= 0x0f80_0000 { 0x7f80_0000 | moved } else { finite };
    let quiet = u32::from(moved > 0x0f80_0000) << 22;
    f32::from_bits(magnitude | quiet | (h & 0x8000) << 16)
}

/// Rounds to the nearest f16, ties to even, without a branch or a special instruction. Signaling NaNs become quiet.
#[inline(always)]
pub(crate) fn f16_from_f32(v: f32) -> f16 {
    let (sign, a) = (v.to_bits() >> 16 & 0x8000, v.to_bits() & 0x7fff_ffff);
    // Half a unit of the last place, minus one if the truncated result is even, and 112 less in the exponent.
    let normal = a.wrapping_add(0xc800_0fff + (a >> 13 & 1)) >> 13;
    // The sum's last place is the last place of a subnormal f16, so that the addition rounds.
    let subnormal = (f32::from_bits(a) + 0.5).to_bits().wrapping_sub(0x3f00_0000);
    let finite = if a < 0x3880_0000 { subnormal } else { normal };
    let number = if a >= 0x4780_0000 { 0x7c00 } else { finite };
    let magnitude = if a > 0x7f80_0000 { 0x7e00 | (a >> 13 & 0x3ff) } else { number };
    f16::from_bits((magnitude | sign) as u16)
}

macro_rules! element {
    ($v:ident, $t:ty, $from:expr, $to:expr, $from_i:expr, $to_i:expr) => {
        impl Element for $t {
            const DTYPE: DType = DType::$v;
            #[inline(always)]
            fn from_f64(v: f64) -> Self {
                ($from)(v)
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                ($to)(self)
            }
            #[inline(always)]
            fn from_i128(v: i128) -> Self {
                ($from_i)(v)
            }
            #[inline(always)]
            fn to_i128(self) -> Option<i128> {
                ($to_i)(self)
            }
            fn to_scalar(self) -> Scalar {
                Scalar::$v(self)
            }
            fn into_storage(buffer: Buffer<Self>) -> CpuStorage {
                CpuStorage::$v(buffer)
            }
            #[inline(always)]
            fn buffer(storage: &CpuStorage) -> Option<&Buffer<Self>> {
                match storage {
                    CpuStorage::$v(b) => Some(b),
                    _ => None,
                }
            }
            #[inline(always)]
            fn buffer_mut(storage: &mut CpuStorage) -> Option<&mut Buffer<Self>> {
                match storage {
                    CpuStorage::$v(b) => Some(b),
                    _ => None,
                }
            }
        }
        impl From<$t> for Scalar {
            fn from(v: $t) -> Self {
                Scalar::$v(v)
            }
        }
    };
}

macro_rules! int_element {
    ($($v:ident $t:ty),*) => {$(
        element!($v, $t, |v: f64| v as $t, |v: $t| v as f64,
            |v: i128| v as $t, |v: $t| Some(v as i128));
        impl WithDType for $t {}
        impl IntDType for $t {
            fn is_true(&self) -> bool {
                *self != 0
            }
            fn as_usize(&self) -> usize {
                *self as usize
            }
        }
    )*};
}
int_element!(U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64);

element!(Bool, bool, |v: f64| v != 0.0, |v: bool| v as u8 as f64, |v: i128| v != 0, |v: bool| Some(
    v as i128
));
element!(
    F8E4M3,
    F8E4M3,
    F8E4M3::from_f64,
    |v: F8E4M3| F8E4M3::to_f64(&v), // `v.to_f64()` would call this trait method again
    |v| F8E4M3::from_f64(i128_to_f64_odd(v)),
    |_| None
);
element!(
    BF16,
    bf16,
    |v| bf16_from_f32(f64_to_f32_odd(v)),
    bf16::to_f64,
    |v| bf16_from_f32(f64_to_f32_odd(i128_to_f64_odd(v))),
    |_| None
);
element!(
    F16,
    f16,
    |v| f16_from_f32(f64_to_f32_odd(v)),
    f16::to_f64,
    |v| f16_from_f32(f64_to_f32_odd(i128_to_f64_odd(v))),
    |_| None
);
element!(F32, f32, |v: f64| v as f32, |v: f32| v as f64, |v: i128| v as f32, |_| None);
element!(F64, f64, |v: f64| v, |v: f64| v, |v: i128| v as f64, |_| None);
element!(
    C64,
    C64,
    |v: f64| C64::new(v as f32, 0.0),
    |v: C64| v.re as f64,
    |v: i128| C64::new(v as f32, 0.0),
    |_| None
);
element!(C128, C128, |v: f64| C128::new(v, 0.0), |v: C128| v.re, |v: i128| C128::new(v as f64, 0.0), |_| {
    None
});

macro_rules! float_element {
    ($($t:ty),*) => {$(
        impl WithDType for $t {}
        impl FloatDType for $t {}
    )*};
}
float_element!(F8E4M3, bf16, f16, f32, f64);
