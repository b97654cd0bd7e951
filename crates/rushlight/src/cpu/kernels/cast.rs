//! Casts between all dtypes.
//!
//! Loops are compiled for casts to and from F32 and F64 and between integers of different sizes. Other casts go through
//! blocks of F32 or F64, which represent each element exactly or, where they cannot, are rounded to odd.
use super::elementwise::{Dst, Src, by_size};
use super::predicate::magnitude;
use crate::cpu::driver::{Bits, rows_of_bytes};
use crate::cpu::map::map1;
use crate::cpu::simd_convert::Truncate;
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{dispatch, dispatch_all, simd_half};
use crate::dtype::{C64, C128, bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};
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
        None => B::of_double(v.to_f64()),
        // Same results, in a form that vectorizes.
        Some(i) if matches!(B::DTYPE.real_part(), DType::F32 | DType::F64) => {
            let wide = matches!(A::DTYPE, DType::U64 | DType::I64);
            match (wide, B::DTYPE.real_part()) {
                (true, DType::F64) => B::of_double(sum(parts::<A>(i))),
                (true, _) => B::of_double(odd_sum(parts::<A>(i))),
                (false, DType::F64) => B::of_double(i as i64 as f64),
                (false, _) => B::of_single(i as i64 as f32),
            }
        }
        Some(i) => B::from_i128(i),
    }
}

/// Returns the upper and the lower half of an integer of 64 bits, as f64 numbers. (AVX2 has no conversion of such integers, so
/// the bits of each half are put into a number of 84 or 52 bits.)
#[inline(always)]
fn parts<A: Bytes>(i: i128) -> (f64, f64) {
    const UPPER: u64 = 0x4530_0000_0000_0000;
    const LOWER: u64 = 0x4330_0000_0000_0000;
    let sign = if A::DTYPE == DType::I64 { 1 << 31 } else { 0 };
    let bits = i as u64;
    let upper = f64::from_bits((bits >> 32) ^ (UPPER | sign)) - f64::from_bits(UPPER | sign);
    let lower = f64::from_bits((bits & 0xffff_ffff) | LOWER) - f64::from_bits(LOWER);
    (upper, lower)
}

/// Returns the nearest f64 number.
#[inline(always)]
fn sum((upper, lower): (f64, f64)) -> f64 {
    upper + lower
}

/// Returns the f64 number rounded to odd: a second rounding to fewer bits then gives the correctly rounded result.
#[inline(always)]
fn odd_sum((upper, lower): (f64, f64)) -> f64 {
    let near = upper + lower;
    // (Exact, as the upper part is 0 or the larger one.)
    let error = lower - (near - upper);
    let inexact = u64::from(error != 0.0);
    // The adjacent number towards 0, with its last bit set.
    let down = inexact & u64::from((error < 0.0) != (near < 0.0));
    f64::from_bits(near.to_bits().wrapping_sub(down) | inexact)
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
    /// Converts from f64.
    #[inline(always)]
    fn of_double(v: f64) -> Self {
        Self::from_f64(v)
    }
}

macro_rules! bytes {
    ($($t:ty: $bits:ty, $from:expr, $to:expr $(, single $single:expr)? $(, of $of:expr)? $(, of_double $of_double:expr)?);*
        $(;)?) => {$(
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
            })?
            $(#[inline(always)]
            fn of_single(v: f32) -> Self {
                ($of)(v)
            })?
            $(#[inline(always)]
            fn of_double(v: f64) -> Self {
                ($of_double)(v)
            })?
        }
    )*};
}
macro_rules! integer_bytes {
    ($($t:ty),*) => {
        bytes!($($t: $t, |v| v, |v| v, of <$t as Truncate>::of_f32, of_double <$t as Truncate>::of_f64);*);
    };
}
integer_bytes!(u8, i8, u16, i16, u32, i32, u64, i64);
bytes!(
    f32: f32, |v| v, |v| v, single |v| v, of |v| v;
    f64: f64, |v| v, |v| v;
    bool: u8, |v| v != 0, u8::from;
    F8E4M3: u8, F8E4M3::from_bits, |v: F8E4M3| v.to_bits();
    bf16: u16, bf16::from_bits, bf16::to_bits, single bf16_to_f32, of bf16_from_f32;
    f16: u16, f16::from_bits, f16::to_bits, single f16_to_f32, of f16_from_f32;
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

impl Bytes for C128 {
    #[inline(always)]
    fn load(bytes: &[u8]) -> Self {
        Self::new(f64::load(&bytes[..8]), f64::load(&bytes[8..]))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8]) {
        self.re.store(&mut bytes[..8]);
        self.im.store(&mut bytes[8..]);
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
    // AVX-512 narrows, and makes floats 64-bit integers, in one instruction.
    let narrows = size_of::<B>() < size_of::<A>() || matches!(B::DTYPE, DType::F16 | DType::BF16);
    let whole = matches!((A::DTYPE, B::DTYPE), (DType::F32 | DType::F64, DType::I64));
    if narrows || whole || (A::DTYPE == DType::BF16 && B::DTYPE.is_int()) {
        simd_isa::run(work)
    } else {
        simd_isa::run_small(work)
    }
}

/// Copies elements whose bits do not change.
fn same_bits(from: &[u8], to: &mut [u8]) {
    to.copy_from_slice(from);
}

/// Converts a number of up to 64 bits to f64, rounding to odd.
#[inline(always)]
fn double_odd<A: Bytes>(v: A) -> f64 {
    match v.to_i128() {
        None => v.to_f64(),
        Some(i) if size_of::<A>() == 8 => odd_sum(parts::<A>(i)),
        Some(i) => i as i64 as f64,
    }
}

/// Converts to F64, rounding to odd.
fn to_double_odd<A: Bytes>(from: &[u8], to: &mut [u8]) {
    loaded(from, to, double_odd::<A>);
}

/// Converts an integer of 32 bits to f32 so that a second rounding to bf16 rounds correctly: of large numbers the lowest 8 bits
/// count as one, which is set if any of them is.
#[inline(always)]
fn single_of_32_bits(v: u32) -> f32 {
    let large = v >= 1 << 24;
    let short = v >> 8 | u32::from(v & 0xff != 0);
    // (Signed, because AVX2 converts signed numbers in one instruction.)
    (if large { short } else { v }) as i32 as f32 * if large { 256.0 } else { 1.0 }
}

/// Converts an integer of 32 bits to BF16. Of large numbers the lowest 8 bits count as one, as F32 has no more digits.
#[inline(always)]
fn bf16_of_i32(v: i32) -> bf16 {
    let large = v.wrapping_add(1 << 24) as u32 > 2 << 24;
    let short = v & !0xff | if v & 0xff != 0 { 0x80 } else { 0 };
    bf16_from_f32(if large { short } else { v } as f32)
}

/// Binary digits after the first that are kept of a number which is rounded to odd and then to F16, or to BF16: at least two more
/// than the dtype has. For BF16 they are so few that F32 holds them also where BF16 is subnormal.
const F16_DIGITS: u32 = 12;
const BF16_DIGITS: u32 = 10;

/// Converts a number of more than 24 bits to f32, so that a second rounding to F16 (`DIGITS` is [`F16_DIGITS`]) or BF16 is correct.
#[inline(always)]
fn single_odd<A: Bytes, const DIGITS: u32>(v: A) -> f32 {
    /// An integer that is infinite in F16.
    const MANY: i32 = 100_000;
    match v.to_i128() {
        Some(i) if DIGITS == F16_DIGITS => match A::DTYPE.is_signed_int() {
            true => (i as i64).clamp(-i64::from(MANY), i64::from(MANY)) as i32 as f32,
            false => (i as u64).min(MANY as u64) as i32 as f32,
        },
        Some(i) if A::DTYPE == DType::U32 => single_of_32_bits(i as u32),
        _ => {
            let bits = double_odd(v).to_bits();
            let low = (1u64 << (52 - DIGITS)) - 1;
            let odd = u64::from(bits & low != 0) << (52 - DIGITS);
            f64::from_bits((bits & !low) | odd) as f32
        }
    }
}

/// Returns the loop over [`single_odd`].
fn to_single_odd<A: Bytes>(to: DType) -> Loop {
    match to {
        DType::F16 => |x, o| loaded(x, o, single_odd::<A, F16_DIGITS>),
        _ => |x, o| loaded(x, o, single_odd::<A, BF16_DIGITS>),
    }
}

/// Writes 1 for each F32 element that is not zero, else 0.
fn truth(from: &[u8], to: &mut [u8]) {
    loaded(from, to, |v: f32| u8::from(v != 0.0));
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
        (DType::F32, DType::Bool) => truth,
        (DType::C64, DType::Bool) => |x, o| loaded(x, o, |v: C64| u8::from(v.re != 0.0 || v.im != 0.0)),
        (DType::C128, DType::Bool) => |x, o| loaded(x, o, |v: C128| u8::from(v.re != 0.0 || v.im != 0.0)),
        (DType::C64, DType::C128) => |x, o| loaded(x, o, |v: C64| C128::new(v.re.into(), v.im.into())),
        (DType::C128, DType::C64) => |x, o| loaded(x, o, |v: C128| C64::new(v.re as f32, v.im as f32)),
        (_, DType::Bool) => return Ok(None),
        (DType::F16, DType::F32) => simd_half::widen_bytes,
        (DType::F32, DType::F16) => simd_half::round_bytes,
        _ if whole(from) && whole(to) => between_integers(from, to),
        (DType::Bool, DType::F32) => each::<u8, f32>,
        (DType::Bool, DType::F64) => each::<u8, f64>,
        (_, DType::F32) => dispatch_all!(from, "to_dtype", A => { Ok(each::<A, f32> as Loop) })?,
        (_, DType::F64) => dispatch_all!(from, "to_dtype", A => { Ok(each::<A, f64> as Loop) })?,
        (DType::F32, _) => dispatch_all!(to, "to_dtype", B => { Ok(each::<f32, B> as Loop) })?,
        (DType::I32, DType::BF16) => |x, o| loaded(x, o, bf16_of_i32),
        (DType::BF16, DType::I8) => each::<bf16, i8>,
        (DType::BF16, DType::I16) => each::<bf16, i16>,
        (DType::BF16, DType::I32) => each::<bf16, i32>,
        (DType::F64, DType::F16 | DType::BF16) => return Ok(None),
        (DType::F64, _) => dispatch_all!(to, "to_dtype", B => { Ok(each::<f64, B> as Loop) })?,
        _ => return Ok(None),
    }))
}

pub fn cast(x: Src<'_>, out: Dst<'_>) -> Result<()> {
    let (from, to) = (x.0.dtype(), out.0.dtype());
    if from == to {
        return super::copy::copy(x.0, x.1, out.0, out.1);
    }
    if to == DType::Bool && !from.is_complex() {
        let mask = magnitude(from);
        return by_size!(from, W => {
            let mask = mask as W;
            map1(Bits(x), Bits(out), move |v: W| u8::from(v & mask != 0))
        });
    }
    if let Some(f) = direct(from, to)? {
        return rows_of_bytes(x, out, &f);
    }
    // Integers of 32 and 64 bits, and F64, have more digits than F32, so that they are rounded to odd on the way to floats of less
    // precision: through F32, which has enough digits for 16 bits, or F64. Complex numbers are made of the dtype of their parts.
    let long = from.real_part() == DType::F64 || (from.is_int() && from.size_in_bytes() >= 4);
    let wide = !to.is_complex() && long;
    let short = matches!(to, DType::F16 | DType::BF16);
    let middle = match to.is_complex() {
        true => to.real_part(),
        false if wide && !short => DType::F64,
        false => DType::F32,
    };
    let load = if wide {
        dispatch!(from, "to_dtype", (U32, I32, U64, I64, F64, C128) => A {
            Ok(Some(if short { to_single_odd::<A>(to) } else { to_double_odd::<A> }))
        })?
    } else {
        direct(from, middle)?
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
