//! Tests of elements by their bits: logical operations, `isnan` and the like.
use super::elementwise::{Dst, Src, by_size, fill};
use crate::cpu::driver::Bits;
use crate::cpu::map::{map1, map2};
use crate::ops::predicate::{Predicate, PredicateOp};
use crate::{DType, Error, Result};

/// Returns a mask of the bits that decide whether an element is zero: all bits, without the sign of a float.
pub(super) fn magnitude(dtype: DType) -> u64 {
    let bits = 8 * dtype.size_in_bytes() as u32;
    let all = u64::MAX >> (64 - bits);
    if dtype.is_float() { all >> 1 } else { all }
}

pub fn predicate(c: Predicate, x: Src<'_>, y: Option<Src<'_>>, out: Dst<'_>) -> Result<()> {
    use PredicateOp as P;
    let (dtype, name) = (x.0.dtype(), crate::ops::OpDef::name(&c));
    if dtype.is_complex() {
        return match y {
            Some(y) => super::complex::logical(c.0, name, x, y, out),
            None => super::complex::predicate(c.0, name, x, out),
        };
    }
    let mask = magnitude(dtype);
    if let Some(y) = y {
        if y.0.dtype() != dtype {
            return Err(Error::dtype("unexpected dtype", dtype, y.0.dtype()));
        }
        macro_rules! both {
            ($op:tt) => {
                by_size!(dtype, W => {
                    let mask = mask as W;
                    map2(Bits(x), Bits(y), Bits(out), move |x: W, y: W| {
                        u8::from((x & mask != 0) $op (y & mask != 0))
                    })
                })
            };
        }
        return match c.0 {
            P::And => both!(&),
            P::Or => both!(|),
            _ => both!(^),
        };
    }
    if c.0 == P::Not {
        return by_size!(dtype, W => {
            let mask = mask as W;
            map1(Bits(x), Bits(out), move |v: W| u8::from(v & mask == 0))
        });
    }
    if !dtype.is_float() {
        return fill(crate::Scalar::Bool(c.0 == P::IsFinite), out);
    }
    // The bits of infinity. NaN has a greater magnitude.
    let infinity = match dtype {
        DType::BF16 => 0x7f80,
        DType::F16 => 0x7c00,
        DType::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000u64,
    };
    // The results (0 or 1) for magnitudes below, equal to and above that of infinity.
    let [below, at, above] = match c.0 {
        P::IsNan => [0, 0, 1],
        P::IsInf => [0, 1, 0],
        _ => [1, 0, 0],
    };
    by_size!(dtype, W => {
        let (mask, bound) = (mask as W, infinity as W);
        map1(Bits(x), Bits(out), move |v: W| {
            let v = v & mask;
            (below & u8::from(v < bound)) | (at & u8::from(v == bound)) | (above & u8::from(v > bound))
        })
    })
}
