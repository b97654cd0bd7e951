//! Ranges of numbers (`arange`).
use super::elementwise::{Dst, dst};
use crate::cpu::dispatch;
use crate::ops::arange::Arange;
use crate::{Element, Result, Scalar};

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
            for (i, offset) in l.strided_index().enumerate() {
                o[offset] = T::from_i128(start + i as i128 * step);
            }
            Ok(())
        });
    }
    let (start, step) = (c.start.to_f64(), c.step.to_f64());
    dispatch!(dtype, "arange", (F8E4M3, BF16, F16, F32, F64) => T {
        let (o, l) = dst::<T>(&mut out)?;
        for (i, offset) in l.strided_index().enumerate() {
            o[offset] = T::from_f64(start + i as f64 * step);
        }
        Ok(())
    })
}
