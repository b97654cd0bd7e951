//! Casts between all dtypes.
//!
//! Only the commonest pairs of dtypes have a loop for themselves. The others go through blocks of i64 (bools and integers), u64
//! (U64) or f64 (floats, and the real parts of complex numbers), which represent every element of theirs exactly.
use super::elementwise::{Dst, Src};
use crate::cpu::driver::rows_of_bytes;
use crate::cpu::map::map1;
use crate::cpu::{dispatch, dispatch_all};
use crate::dtype::C64;
use crate::{DType, Element, Result};
use float8::F8E4M3;
use half::{bf16, f16};
use std::mem::size_of;

/// Elements of a block.
const BLOCK: usize = 256;

/// Converts one element: integers exactly, floats through f64 (which holds every narrower one), rounded once.
#[inline(always)]
fn convert<A: Element, B: Element>(v: A) -> B {
    match v.to_i128() {
        None => B::from_f64(v.to_f64()),
        // The same numbers by a machine's own instruction.
        Some(i) if matches!(B::DTYPE, DType::F32 | DType::F64 | DType::C64) => {
            let single = B::DTYPE != DType::F64;
            B::from_f64(match (A::DTYPE, single) {
                (DType::U64, true) => i as u64 as f32 as f64,
                (DType::U64, false) => i as u64 as f64,
                (_, true) => i as i64 as f32 as f64,
                (_, false) => i as i64 as f64,
            })
        }
        Some(i) => B::from_i128(i),
    }
}

/// A dtype's elements from and to bytes in native order.
trait Bytes: Element {
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
}

macro_rules! bytes {
    ($($t:ty: $bits:ty, $from:expr, $to:expr);* $(;)?) => {$(
        impl Bytes for $t {
            #[inline(always)]
            fn load(bytes: &[u8]) -> Self {
                let mut b = [0; size_of::<$bits>()];
                b.copy_from_slice(bytes);
                ($from)(<$bits>::from_ne_bytes(b))
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&<$bits>::to_ne_bytes(($to)(self)));
            }
        }
    )*};
}
macro_rules! plain_bytes {
    ($($t:ty),*) => { bytes!($($t: $t, |v| v, |v| v);*); };
}
plain_bytes!(u8, i8, u16, i16, u32, i32, u64, i64, f32, f64);
bytes!(
    bool: u8, |v| v != 0, u8::from;
    F8E4M3: u8, F8E4M3::from_bits, |v: F8E4M3| v.to_bits();
    bf16: u16, bf16::from_bits, bf16::to_bits;
    f16: u16, f16::from_bits, f16::to_bits;
);

impl Bytes for C64 {
    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Self::new(f32::load(&bytes[..4]), f32::load(&bytes[4..]))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        self.re.store(&mut bytes[..4]);
        self.im.store(&mut bytes[4..]);
    }
}

/// Converts a block of elements, given as bytes, to `M`.
fn load<A: Bytes, M: Element>(from: &[u8], to: &mut [M]) {
    to.iter_mut().zip(from.chunks_exact(size_of::<A>())).for_each(|(o, b)| *o = convert(A::load(b)));
}

/// Converts a block of `M` to elements, given as bytes.
fn store<M: Element, B: Bytes>(from: &[M], to: &mut [u8]) {
    from.iter().zip(to.chunks_exact_mut(size_of::<B>())).for_each(|(v, b)| convert::<M, B>(*v).store(b));
}

/// Casts through blocks of `M`.
fn through<M: Element>(x: Src<'_>, out: Dst<'_>, load: fn(&[u8], &mut [M])) -> Result<()> {
    let (from, to) = (x.0.dtype().size_in_bytes(), out.0.dtype());
    let store = dispatch_all!(to, "to_dtype", B => { Ok(store::<M, B> as fn(&[M], &mut [u8])) })?;
    rows_of_bytes(x, out, &|x, o| {
        let mut block = [M::default(); BLOCK];
        for (x, o) in x.chunks(BLOCK * from).zip(o.chunks_mut(BLOCK * to.size_in_bytes())) {
            let block = &mut block[..x.len() / from];
            load(x, block);
            store(block, o);
        }
    })
}

/// Casts by a loop for the pair of dtypes; `None` where it has none.
fn direct<'a>(x: Src<'a>, out: Dst<'a>) -> std::result::Result<Result<()>, Dst<'a>> {
    macro_rules! pairs {
        ($($A:ident => $($B:ident),*;)*) => {
            match (x.0.dtype(), out.0.dtype()) {
                $($((DType::$A, DType::$B) => {
                    type A = crate::cpu::kernels::types::$A;
                    type B = crate::cpu::kernels::types::$B;
                    Ok(map1(x, out, convert::<A, B>))
                })*)*
                _ => Err(out),
            }
        };
    }
    pairs! {
        F32 => BF16, F16, F64, I64, I32, U8;
        F64 => F32;
        BF16 => F32;
        F16 => F32;
        I64 => F32, I32;
        I32 => F32, I64;
        U32 => I64;
        U8 => F32, I64;
        Bool => F32, I64;
    }
}

pub fn cast(x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let from = x.0.dtype();
    if from == out.0.dtype() {
        return super::copy::copy(x.0, x.1, out.0, out.1);
    }
    let out = match direct(x, out) {
        Ok(done) => return done,
        Err(out) => out,
    };
    match from {
        DType::U64 => through::<u64>(x, out, load::<u64, u64>),
        _ if from.is_int() || from == DType::Bool => {
            let load = dispatch!(from, "to_dtype", (Bool, U8, I8, U16, I16, U32, I32, I64) => A {
                Ok(load::<A, i64> as fn(&[u8], &mut [i64]))
            })?;
            through(x, out, load)
        }
        _ => {
            let load = dispatch!(from, "to_dtype", (F8E4M3, BF16, F16, F32, F64, C64) => A {
                Ok(load::<A, f64> as fn(&[u8], &mut [f64]))
            })?;
            through(x, out, load)
        }
    }
}
