//! Rotary position embedding.
use super::elementwise::{Dst, Src, dst, src};
use super::num::{Arith, Num};
use super::softmax::row_major;
use crate::cpu::dispatch;
use crate::cpu::driver::{chunks, per_task};
use crate::ops::rotary_embedding::RotaryEmbedding;
use crate::{Layout, Result};

/// Returns the offset of the first element of a row. Rows are numbered over all dimensions but the last.
fn start(l: &Layout, mut row: usize) -> usize {
    let mut at = l.start_offset();
    for (d, s) in l.dims().iter().zip(l.stride()).rev().skip(1) {
        at = at.wrapping_add((row % d).wrapping_mul(*s));
        row /= d;
    }
    at
}

pub fn rotary_embedding(
    c: &RotaryEmbedding,
    x: Src<'_>,
    cos: Src<'_>,
    sin: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()> {
    let size = x.1.dims().last().copied().unwrap_or(0);
    let half = size / 2;
    let steps = [cos.1, sin.1].map(|l| l.stride().last().copied().unwrap_or(0));
    dispatch!(x.0.dtype(), "rotary_embedding", FLOAT => T {
        let mut hold = None;
        let x = row_major::<T>(x, &mut hold)?;
        let ((cos, cos_layout), (sin, sin_layout)) = (src::<T>(cos)?, src::<T>(sin)?);
        let out = dst::<T>(&mut out)?.0;
        if out.is_empty() {
            return Ok(());
        }
        let per = per_task(out.len() / size, size);
        chunks(out, per * size, &|t, part| {
            for (i, (out, x)) in part.chunks_mut(size).zip(x[t * per * size..].chunks(size)).enumerate() {
                let row = t * per + i;
                let at = [start(cos_layout, row), start(sin_layout, row)];
                for j in 0..half {
                    let [first, second] = if c.interleaved { [2 * j, 2 * j + 1] } else { [j, half + j] };
                    let (a, b) = (x[first].acc(), x[second].acc());
                    let angle = |v: &[T], k: usize| v[at[k].wrapping_add(j.wrapping_mul(steps[k]))].acc();
                    let (cos, sin) = (angle(cos, 0), angle(sin, 1));
                    let sin = if c.inverse { Arith::neg(sin) } else { sin };
                    out[first] = T::from_acc(Arith::sub(Arith::mul(a, cos), Arith::mul(b, sin)));
                    out[second] = T::from_acc(Arith::add(Arith::mul(a, sin), Arith::mul(b, cos)));
                }
            }
        });
        Ok(())
    })
}
