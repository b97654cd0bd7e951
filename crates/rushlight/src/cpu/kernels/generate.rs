//! Tensors from nothing: ranges and random numbers.
use super::elementwise::{Dst, dst};
use crate::cpu::dispatch;
use crate::ops::arange::Arange;
use crate::ops::random::{Dist, Random};
use crate::rng::block;
use crate::{DType, Element, Result, Scalar};

pub fn arange(c: &Arange, mut out: Dst<'_>) -> Result<()> {
    let as_int = |s: &Scalar| match s {
        Scalar::U64(v) => *v as i128,
        Scalar::I64(v) => *v as i128,
        s => s.to_f64() as i128,
    };
    let dtype = out.0.dtype();
    if dtype.is_int() {
        let (start, step) = (as_int(&c.start), as_int(&c.step));
        return dispatch!(dtype, "arange", INT => T {
            let (o, l) = dst::<T>(&mut out)?;
            for (i, place) in l.strided_index().enumerate() {
                o[place] = T::from_i128(start + i as i128 * step);
            }
            Ok(())
        });
    }
    let (start, step) = (c.start.to_f64(), c.step.to_f64());
    dispatch!(dtype, "arange", (F8E4M3, BF16, F16, F32, F64) => T {
        let (o, l) = dst::<T>(&mut out)?;
        for (i, place) in l.strided_index().enumerate() {
            o[place] = T::from_f64(start + i as f64 * step);
        }
        Ok(())
    })
}

pub fn random(c: &Random, mut out: Dst<'_>) -> Result<()> {
    dispatch!(out.0.dtype(), "rand", FLOAT => T {
        let (o, l) = dst::<T>(&mut out)?;
        let wide = T::DTYPE == DType::F64;
        for (i, place) in l.strided_index().enumerate() {
            let v = sample(c, i as u64, wide);
            o[place] = T::from_f64(v);
        }
        Ok(())
    })
}

fn sample(c: &Random, i: u64, wide: bool) -> f64 {
    let words = block(c.key, i / 2);
    let (a, b) = if i.is_multiple_of(2) { (words[0], words[1]) } else { (words[2], words[3]) };
    let bits = if wide { ((a as u64) << 21) ^ (b as u64 >> 11) } else { (a >> 8) as u64 };
    let unit = bits as f64 * if wide { f64::powi(2.0, -53) } else { f64::powi(2.0, -24) };
    match c.dist {
        Dist::Uniform { lo, up } => lo + (up - lo) * unit,
        Dist::Normal { mean, std } => {
            let u1 = (a as f64 + 0.5) * f64::powi(2.0, -32);
            let u2 = b as f64 * f64::powi(2.0, -32);
            mean + std * (-2.0 * u1.ln()).sqrt() * (2.0 * std::f64::consts::PI * u2).cos()
        }
    }
}
