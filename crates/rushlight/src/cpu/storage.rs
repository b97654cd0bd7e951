//! Typed CPU storage, and the dtype dispatch macros.
use super::Buffer;
use crate::dtype::{C64, C128, with_dtypes};
use crate::{DType, Element, Layout, Result};
use float8::F8E4M3;
use half::{bf16, f16};

macro_rules! define_cpu_storage {
    ($(($v:ident, $t:ty, $name:literal, $kind:ident)),* $(,)?) => {
        /// The elements of a CPU tensor, by dtype. Candle's variant names.
        #[derive(Debug, Clone, PartialEq)]
        #[repr(usize)] // moved in whole words
        #[allow(missing_docs)]
        pub enum CpuStorage { $($v(Buffer<$t>)),* }

        impl CpuStorage {
            /// The dtype.
            pub fn dtype(&self) -> DType {
                match self { $(Self::$v(_) => DType::$v),* }
            }

            /// Number of elements.
            pub fn len(&self) -> usize {
                match self { $(Self::$v(b) => b.len()),* }
            }

            /// Whether there are no elements.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// A storage of unspecified (but valid) elements.
            #[inline(always)]
            pub fn uninit(dtype: DType, len: usize) -> Result<Self> {
                Ok(match dtype { $(DType::$v => Self::$v(Buffer::uninit(len)?)),* })
            }

            /// A storage of zeros.
            pub fn zeros(dtype: DType, len: usize) -> Result<Self> {
                Ok(match dtype { $(DType::$v => Self::$v(Buffer::zeros(len)?)),* })
            }

            /// Address of the first element.
            pub fn as_ptr(&self) -> *const u8 {
                match self { $(Self::$v(b) => b.as_ptr().cast()),* }
            }

            /// Whether a write copies foreign memory first.
            pub fn is_read_only(&self) -> bool {
                match self { $(Self::$v(b) => b.is_read_only()),* }
            }

            /// Returns the owner of foreign memory.
            pub fn owner(&self) -> Option<std::sync::Arc<dyn std::any::Any + Send + Sync>> {
                match self { $(Self::$v(b) => b.owner()),* }
            }

            /// Copies read-only foreign memory, so that a write does not change memory of another owner.
            pub fn make_writable(&mut self) -> Result<()> {
                match self { $(Self::$v(b) => b.make_writable()),* }
            }
        }
    };
}
with_dtypes!(define_cpu_storage);

impl<T: Element> From<Vec<T>> for CpuStorage {
    /// Takes over the elements.
    fn from(data: Vec<T>) -> Self {
        T::into_storage(data.into())
    }
}

impl CpuStorage {
    /// Returns the elements' bytes, in native byte order.
    pub fn as_bytes(&self) -> &[u8] {
        super::driver::bytes(self)
    }

    /// Returns a storage with a copy of bytes in native byte order. Bytes of bools must be 0 or 1.
    pub fn from_bytes(dtype: DType, bytes: &[u8]) -> Result<Self> {
        let size = dtype.size_in_bytes();
        if !bytes.len().is_multiple_of(size) {
            return Err(crate::Error::invalid(
                "from_bytes",
                format!("expected a multiple of {size} bytes for {dtype:?}, got {}", bytes.len()),
            ));
        }
        Self::filled(dtype, bytes.len() / size, |to| {
            to.copy_from_slice(bytes);
            Ok(())
        })
    }

    /// Returns a storage whose bytes `fill` writes. It must write 0 or 1 for bools.
    pub(crate) fn filled(
        dtype: DType,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<()>,
    ) -> Result<Self> {
        let mut out = Self::uninit(dtype, len)?;
        let bytes = super::driver::bytes_mut(&mut out)?;
        fill(bytes)?;
        if dtype == DType::Bool && bytes.iter().any(|b| *b > 1) {
            return Err(crate::Error::invalid("from_bytes", "a bool byte is neither 0 nor 1"));
        }
        Ok(out)
    }

    /// Returns the elements as a slice, or an error that names both dtypes if `T` is another type.
    #[inline(always)]
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        match T::buffer(self) {
            Some(b) => Ok(b),
            None => Err(crate::Error::dtype("unexpected dtype", T::DTYPE, self.dtype())),
        }
    }

    /// Returns the elements of a layout, row-major.
    pub fn to_contiguous(&self, layout: &Layout) -> Result<Self> {
        let mut out = Self::uninit(self.dtype(), layout.shape().elem_count())?;
        let to = Layout::contiguous(layout.shape().clone());
        super::kernels::copy::copy(self, layout, &mut out, &to)?;
        Ok(out)
    }
}

/// `dispatch!(dtype, op, (A, B, ..) => T { body })` evaluates the body with `T` set to the Rust type of `dtype`, if
/// `dtype` is in the list. Otherwise it returns an error that names dtype and op.
macro_rules! dispatch {
    ($dtype:expr, $op:expr, ($($v:ident),*) => $T:ident $body:block) => {
        match $dtype {
            $($crate::DType::$v => {
                type $T = $crate::cpu::kernels::types::$v;
                $body
            })*
            #[allow(unreachable_patterns)]
            other => Err($crate::Error::UnsupportedDTypeForOp(other, $op).bt()),
        }
    };
    ($dtype:expr, $op:expr, FLOAT => $T:ident $body:block) => {
        $crate::cpu::dispatch!($dtype, $op, (BF16, F16, F32, F64) => $T $body)
    };
    ($dtype:expr, $op:expr, INT => $T:ident $body:block) => {
        $crate::cpu::dispatch!($dtype, $op, (U8, I8, U16, I16, U32, I32, U64, I64) => $T $body)
    };
    ($dtype:expr, $op:expr, NUMERIC => $T:ident $body:block) => {
        $crate::cpu::dispatch!($dtype, $op,
            (U8, I8, U16, I16, U32, I32, U64, I64, BF16, F16, F32, F64) => $T $body)
    };
    ($dtype:expr, $op:expr, ORDERED => $T:ident $body:block) => {
        $crate::cpu::dispatch!($dtype, $op,
            (Bool, U8, I8, U16, I16, U32, I32, U64, I64, BF16, F16, F32, F64) => $T $body)
    };
    ($dtype:expr, $op:expr, INDEX => $T:ident $body:block) => {
        $crate::cpu::dispatch!($dtype, $op, (U8, U32, I64, I32, I16) => $T $body)
    };
}
pub(crate) use dispatch;

/// Evaluates the body with `T` set to the Rust type of any dtype.
macro_rules! dispatch_all {
    ($dtype:expr, $op:expr, $T:ident => $body:block) => {
        $crate::cpu::dispatch!($dtype, $op,
            (Bool, U8, I8, U16, I16, U32, I32, U64, I64, F8E4M3, BF16, F16, F32, F64, C64, C128)
            => $T $body)
    };
}
pub(crate) use dispatch_all;

/// `map_dtype!("name", storage, |slice| expr, (F32, F64))` applies an expression to the typed buffer, and stores the
/// `Vec` (or buffer) that it returns in a storage of the same dtype. Candle's macro, for custom ops.
#[macro_export]
macro_rules! map_dtype {
    ($name:expr, $storage:ident, $fn:expr, ($($dtypes:ident),+)) => {
        match $storage {
            $($crate::CpuStorage::$dtypes(__e) => $crate::CpuStorage::$dtypes(($fn)(__e).into()),)*
            s => return Err($crate::Error::UnsupportedDTypeForOp(s.dtype(), $name).bt()),
        }
    };
}
