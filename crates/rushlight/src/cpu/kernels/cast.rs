//! Casts between all dtypes.
//!
//! Loops are compiled for casts to and from F32 and F64 and between integers of different sizes. Other casts go through
//! blocks of F32 or F64, which represent each element exactly or, where they cannot, are rounded to odd.
use super::elementwise::{Dst, Src};
use crate::cpu::dispatch_all;
use crate::cpu::driver::rows_of_bytes;
use crate::cpu::simd_isa::{self, Work};
use crate::dtype::{C64, bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32, i128_to_f64_odd};
use crate::{DType, Element, Result};
use float8::F8E4M3;
use half::{bf16, f16};
use std::marker::PhantomData;
use std::mem::size_of;

/// Number of elements of a block.
const BLOCK: usize = 256;

/// Converts one element. Integers are converted exactly; floats go through a float of higher precision and are rounded
/// once.
#[inline(always)]
fn convert<A: Bytes, B: Bytes>(v: A) -> B {
    match v.to_i128() {
        None if A::SINGLE => B::of_single(v.single()),
        None => B::from_f64(v.to_f64()),
        // Same results, with the CPU's conversion instruction.
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

/// An element type that is loaded from and stored to bytes in native order.
trait Bytes: Element {
    fn load(bytes: &[u8]) -> Self;
    fn store(self, bytes: &mut [u8]);
    /// Whether the type is a float type whose values f32 represents exactly (C64: its real part).
    const SINGLE: bool =
        matches!(Self::DTYPE, DType::F8E4M3 | DType::BF16 | DType::F16 | DType::F32 | DType::C64);
    /// Converts to f32. (Loops over this vectorize; loops over `to_f64` do not.)
    #[inline(always)]
    fn single(self) -> f32 {
        self.to_f64() as f32
    }
    /// Converts from f32.
    #[inline(always)]
    fn of_single(v: f32) -> Self {
        Self::from_f64(f64::from(v))
    }
}

macro_rules! bytes {
    ($($t:ty: $bits:ty, $from:expr, $to:expr $(, $single:expr, $of:expr)?);* $(;)?) => {$(
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
            $(#[inline(always)]
            fn single(self) -> f32 {
                ($single)(self)
            }
            #[inline(always)]
            fn of_single(v: f32) -> Self {
                ($of)(v)
            })?
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
    bf16: u16, bf16::from_bits, bf16::to_bits, bf16_to_f32, bf16_from_f32;
    f16: u16, f16::from_bits, f16::to_bits, f16_to_f32, f16_from_f32;
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

/// A loop that converts elements, given as bytes.
type Loop = fn(&[u8], &mut [u8]);

/// The arguments of [`loaded`].
struct Loaded<'a, A, B, F> {
    from: &'a [u8],
    to: &'a mut [u8],
    f: F,
    types: PhantomData<fn(A) -> B>,
}

impl<A: Bytes, B: Bytes, F: Fn(A) -> B> Work for Loaded<'_, A, B, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (a, b) = (size_of::<A>(), size_of::<B>());
        for (to, from) in self.to.chunks_exact_mut(b).zip(self.from.chunks_exact(a)) {
            (self.f)(A::load(from)).store(to);
        }
    }
}

/// Converts elements from `A` to `B`.
fn each<A: Bytes, B: Bytes>(from: &[u8], to: &mut [u8]) {
    loaded(from, to, convert::<A, B>);
}

/// Writes `f(element)` for each element.
#[inline(always)]
fn loaded<A: Bytes, B: Bytes>(from: &[u8], to: &mut [u8], f: impl Fn(A) -> B) {
    let work = Loaded { from, to, f, types: PhantomData };
    // AVX-512 narrows to 16 bits, and makes floats 64-bit integers, in one instruction.
    let whole = matches!((A::DTYPE, B::DTYPE), (DType::F32 | DType::F64, DType::I64));
    if whole || matches!(B::DTYPE, DType::F16 | DType::BF16) {
        simd_isa::run(work)
    } else {
        simd_isa::run_small(work)
    }
}

/// Copies elements whose bits do not change.
fn same_bits(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Converts 64-bit integers to F64, rounding to odd: a second rounding to fewer bits then gives the correctly rounded
/// result.
fn to_odd<A: Bytes>(from: &[u8], to: &mut [u8]) {
    loaded(from, to, |v: A| i128_to_f64_odd(v.to_i128().unwrap_or(0)));
}

/// Writes 1 for each element that is not zero, else 0. The elements have the bits of `W`; if `FLOAT`, the sign bit is
/// ignored (-0 is zero).
fn truth<W: Bytes, const FLOAT: bool>(from: &[u8], to: &mut [u8]) {
    let ignored = if FLOAT { 1 << (8 * size_of::<W>() - 1) } else { 0 };
    loaded(from, to, move |v: W| u8::from(v.to_i128().unwrap_or(0) & !ignored != 0));
}

/// Returns the loop that converts integers or bools to integers: it truncates the bits, or extends them by zeros or the
/// sign.
fn between_integers(from: DType, to: DType) -> Loop {
    let (a, b) = (from.size_in_bytes(), to.size_in_bytes());
    // The sign matters only if bits are added.
    match (a, b, a < b && from.is_signed_int()) {
        (1, 2, false) => each::<u8, u16>,
        (1, 4, false) => each::<u8, u32>,
        (1, 8, false) => each::<u8, u64>,
        (1, 2, true) => each::<i8, i16>,
        (1, 4, true) => each::<i8, i32>,
        (1, 8, true) => each::<i8, i64>,
        (2, 1, _) => each::<u16, u8>,
        (2, 4, false) => each::<u16, u32>,
        (2, 8, false) => each::<u16, u64>,
        (2, 4, true) => each::<i16, i32>,
        (2, 8, true) => each::<i16, i64>,
        (4, 1, _) => each::<u32, u8>,
        (4, 2, _) => each::<u32, u16>,
        (4, 8, false) => each::<u32, u64>,
        (4, 8, true) => each::<i32, i64>,
        (8, 1, _) => each::<u64, u8>,
        (8, 2, _) => each::<u64, u16>,
        (8, 4, _) => each::<u64, u32>,
        _ => same_bits,
    }
}

/// Returns the loop that converts directly between two dtypes, or `None` if there is none.
fn direct(from: DType, to: DType) -> Result<Option<Loop>> {
    let whole = |d: DType| d.is_int() || d == DType::Bool;
    Ok(Some(match (from, to) {
        (DType::C64, DType::Bool) => return Ok(None),
        (_, DType::Bool) => match (from.size_in_bytes(), from.is_float()) {
            (1, false) => truth::<u8, false>,
            (2, false) => truth::<u16, false>,
            (4, false) => truth::<u32, false>,
            (_, false) => truth::<u64, false>,
            (1, true) => truth::<u8, true>,
            (2, true) => truth::<u16, true>,
            (4, true) => truth::<u32, true>,
            (_, true) => truth::<u64, true>,
        },
        _ if whole(from) && whole(to) => between_integers(from, to),
        (DType::Bool, DType::F32) => each::<u8, f32>,
        (DType::Bool, DType::F64) => each::<u8, f64>,
        (_, DType::F32) => dispatch_all!(from, "to_dtype", A => { Ok(each::<A, f32> as Loop) })?,
        (_, DType::F64) => dispatch_all!(from, "to_dtype", A => { Ok(each::<A, f64> as Loop) })?,
        (DType::F32, _) => dispatch_all!(to, "to_dtype", B => { Ok(each::<f32, B> as Loop) })?,
        (DType::F64, _) => dispatch_all!(to, "to_dtype", B => { Ok(each::<f64, B> as Loop) })?,
        _ => return Ok(None),
    }))
}

pub fn cast(x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let (from, to) = (x.0.dtype(), out.0.dtype());
    if from == to {
        return super::copy::copy(x.0, x.1, out.0, out.1);
    }
    if let Some(f) = direct(from, to)? {
        return rows_of_bytes(x, out, &f);
    }
    // Integers of 32 and 64 bits go through F64 to floats of less precision. (The parts of C64 are F32.)
    let wide = from.is_int() && from.size_in_bytes() >= 4 && to != DType::C64;
    let middle = if wide { DType::F64 } else { DType::F32 };
    let load = match from {
        DType::I64 if wide => Some(to_odd::<i64> as Loop),
        DType::U64 if wide => Some(to_odd::<u64> as Loop),
        _ => direct(from, middle)?,
    };
    let (Some(load), Some(store)) = (load, direct(middle, to)?) else {
        return Err(crate::Error::UnsupportedDTypeForOp(to, "to_dtype").bt());
    };
    let [a, m, b] = [from, middle, to].map(DType::size_in_bytes);
    rows_of_bytes(x, out, &|x, o| {
        let mut block = [0u8; BLOCK * size_of::<f64>()];
        for (x, o) in x.chunks(BLOCK * a).zip(o.chunks_mut(BLOCK * b)) {
            let block = &mut block[..x.len() / a * m];
            load(x, block);
            store(block, o);
        }
    })
}
