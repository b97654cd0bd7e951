//! Random numbers and dropout. A block of the generator fills the same elements whatever the layout or number of
//! threads.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::softmax::row_major;
use crate::cpu::dispatch;
use crate::cpu::driver::{chunks, per_task};
use crate::ops::bias_dropout::BiasDropout;
use crate::ops::dropout::Dropout;
use crate::ops::random::{Dist, Random};
use crate::rng;
use crate::{DType, Element, Error, Layout, Result};
use float8::F8E4M3;
use half::{bf16, f16};

/// Cost of one random number, in the units of `per_task`.
const COST: usize = 16;

/// Writes the `N` values of `block(0)`, then of `block(1)` and so on to the elements of a layout, in row-major order.
fn fill<T: Element, const N: usize>(o: &mut [T], l: &Layout, block: impl Fn(u64) -> [T; N] + Sync) {
    if let Some((start, end)) = l.contiguous_offsets()
        && let Some(o) = o.get_mut(start..end)
    {
        let per = per_task(o.len(), COST).next_multiple_of(N);
        chunks(o, per, &|t, part| {
            let first = (t * per / N) as u64;
            for (b, some) in part.chunks_mut(N).enumerate() {
                some.copy_from_slice(&block(first + b as u64)[..some.len()]);
            }
        });
        return;
    }
    let mut values = [T::default(); N];
    for (i, offset) in l.strided_index().enumerate() {
        if i % N == 0 {
            values = block((i / N) as u64);
        }
        o[offset] = values[i % N];
    }
}

/// Float types with `next_up` and `next_down`, and rounding from f64 in given directions.
trait Grid: Element {
    fn next_up(self) -> Self;
    fn next_down(self) -> Self;
    /// Returns the largest finite number.
    fn most() -> Self;
    /// Returns the nearest number, ties to even.
    fn nearest(v: f64) -> Self;

    /// Returns the least number that is at least `v`.
    fn least_from(v: f64) -> Self {
        let t = Self::nearest(v);
        if t.to_f64() < v { t.next_up() } else { t }
    }

    /// Returns the greatest number below `v`.
    fn below(v: f64) -> Self {
        let t = Self::nearest(v);
        // F8E4M3 has no infinity: numbers beyond its range become NaN.
        let t = if t.to_f64().is_nan() { Self::most() } else { t };
        if t.to_f64() >= v { t.next_down() } else { t }
    }

    /// Returns the greatest number that is at most `v`.
    fn floor(v: f64) -> Self {
        let t = Self::nearest(v);
        let t = if t.to_f64().is_nan() { Self::most() } else { t };
        if t.to_f64() > v { t.next_down() } else { t }
    }
}

macro_rules! grid {
    ($($t:ty, $most:expr, $up:expr, $down:expr);*) => {$(
        impl Grid for $t {
            fn next_up(self) -> Self { ($up)(self) }
            fn next_down(self) -> Self { ($down)(self) }
            fn most() -> Self { $most }
            fn nearest(v: f64) -> Self { <$t as Element>::from_f64(v) }
        }
    )*};
}

/// Returns the next bit pattern of a sign-magnitude number: towards +infinity (`up`) or towards -infinity.
macro_rules! step {
    ($t:ty, $bits:ty, up) => {
        |v: $t| {
            let b = v.to_bits();
            let sign: $bits = 1 << (<$bits>::BITS - 1);
            <$t>::from_bits(if b == sign {
                1
            } else if b & sign == 0 {
                b + 1
            } else {
                b - 1
            })
        }
    };
    ($t:ty, $bits:ty, down) => {
        |v: $t| {
            let b = v.to_bits();
            let sign: $bits = 1 << (<$bits>::BITS - 1);
            <$t>::from_bits(if b == 0 {
                sign | 1
            } else if b & sign == 0 {
                b - 1
            } else {
                b + 1
            })
        }
    };
}
grid!(
    f64, f64::MAX, f64::next_up, f64::next_down;
    f32, f32::MAX, f32::next_up, f32::next_down;
    f16, f16::MAX, step!(f16, u16, up), step!(f16, u16, down);
    bf16, bf16::MAX, step!(bf16, u16, up), step!(bf16, u16, down);
    F8E4M3, F8E4M3::MAX, step!(F8E4M3, u8, up), step!(F8E4M3, u8, down)
);

/// Returns the least and the greatest number of a type in `[lo, up)`.
fn bounds<T: Grid>(lo: f64, up: f64) -> Result<(f64, f64)> {
    if lo == up {
        let v = T::nearest(lo).to_f64();
        return Ok((v, v));
    }
    let (least, greatest) = (T::least_from(lo).to_f64(), T::below(up).to_f64());
    // False if a bound is NaN: both are beyond the largest number of F8E4M3.
    let some = least <= greatest;
    if !some {
        return Err(Error::invalid("rand", format!("{:?} has no number in [{lo}, {up})", T::DTYPE)));
    }
    Ok((least, greatest))
}

/// Returns the least and the greatest number of a float dtype in `[lo, up)`, for the tests of the GPU's bounds.
#[cfg(test)]
pub(crate) fn range(dtype: DType, lo: f64, up: f64) -> Result<(f64, f64)> {
    dispatch!(dtype, "rand", (F8E4M3, BF16, F16, F32, F64) => T { bounds::<T>(lo, up) })
}

pub fn random(c: &Random, mut out: Dst<'_>) -> Result<()> {
    let key = c.key;
    let name = c.dist.name();
    let dtype = out.0.dtype();
    match c.dist {
        Dist::Uniform { lo, up } if dtype == DType::F64 => {
            let (least, greatest) = bounds::<f64>(lo, up)?;
            let (o, l) = dst::<f64>(&mut out)?;
            let width = up - lo;
            fill(o, l, |b| {
                let w = rng::block(key, b);
                [0, 1].map(|j| (lo + width * rng::unit_f64(rng::word64(&w, j))).clamp(least, greatest))
            });
            Ok(())
        }
        Dist::Uniform { lo, up } if dtype == DType::F32 => {
            let (least, greatest) = bounds::<f32>(lo, up)?;
            let (least, greatest) = (least as f32, greatest as f32);
            let (lo, width) = (lo as f32, (up - lo) as f32);
            let (o, l) = dst::<f32>(&mut out)?;
            fill(o, l, |b| {
                rng::block(key, b).map(|w| {
                    let v = lo + width * rng::unit_f32(w);
                    let v = if v < least { least } else { v };
                    let v = if v > greatest { greatest } else { v };
                    // NaN if the width is infinite.
                    if v.is_nan() { f32::MAX } else { v }
                })
            });
            Ok(())
        }
        Dist::Uniform { lo, up } => dispatch!(dtype, name, (F8E4M3, BF16, F16) => T {
            let (least, greatest) = bounds::<T>(lo, up)?;
            let (lo, width) = (lo as f32, (up - lo) as f32);
            let (o, l) = dst::<T>(&mut out)?;
            fill(o, l, |b| {
                rng::block(key, b).map(|w| {
                    let v = ((lo + width * rng::unit_f32(w)) as f64).clamp(least, greatest);
                    // Round down, so that no number is rounded up to `up`. Clamp first, because
                    // F8E4M3 has no number below its least.
                    <T as Grid>::floor(v)
                })
            });
            Ok(())
        }),
        Dist::Normal { mean, std } if dtype == DType::F64 => {
            let (o, l) = dst::<f64>(&mut out)?;
            fill(o, l, |b| {
                let w = rng::block(key, b);
                rng::normals_f64(rng::word64(&w, 0), rng::word64(&w, 1)).map(|z| mean + std * z)
            });
            Ok(())
        }
        Dist::Normal { mean, std } => dispatch!(dtype, name, (F8E4M3, BF16, F16, F32) => T {
            let (mean, std) = (mean as f32, std as f32);
            let (o, l) = dst::<T>(&mut out)?;
            fill(o, l, |b| {
                let w = rng::block(key, b);
                let ([a, b], [c, d]) = (rng::normals_f32(w[0], w[1]), rng::normals_f32(w[2], w[3]));
                [a, b, c, d].map(|z| T::nearest((mean + std * z) as f64))
            });
            Ok(())
        }),
        Dist::Integers { lo, hi } => dispatch!(dtype, name, INT => T {
            let (o, l) = dst::<T>(&mut out)?;
            let span = (hi - lo) as u128;
            if span <= 1 << 32 {
                fill(o, l, |b| {
                    let w = rng::block(key, b);
                    [0, 1].map(|j| T::from_i128(lo + rng::below_small(rng::word64(&w, j), span as u64) as i128))
                });
            } else {
                fill(o, l, |b| [T::from_i128(lo + rng::below_large(&rng::block(key, b), span) as i128)]);
            }
            Ok(())
        }),
        Dist::Bernoulli { p } => dispatch!(dtype, name, ORDERED => T {
            let (o, l) = dst::<T>(&mut out)?;
            let t = rng::threshold(p);
            let values = [T::from_i128(0), T::from_i128(1)];
            fill(o, l, |b| rng::block(key, b).map(|w| values[usize::from((w as u64) < t)]));
            Ok(())
        }),
    }
}

pub fn dropout(c: &Dropout, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    drop_some(c, x, None, out)
}

pub fn bias_dropout(c: &BiasDropout, x: Src<'_>, bias: Src<'_>, out: Dst<'_>) -> Result<()> {
    drop_some(&c.0, x, Some(bias), out)
}

fn drop_some(c: &Dropout, x: Src<'_>, bias: Option<Src<'_>>, mut out: Dst<'_>) -> Result<()> {
    let t = rng::threshold(1.0 - c.p);
    let key = c.key;
    dispatch!(x.0.dtype(), "dropout", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold, mut hold_bias) = (None, None);
        let x = row_major::<T>(x, &mut hold)?;
        let bias = bias.map(|b| row_major::<T>(b, &mut hold_bias)).transpose()?;
        let factors = [A::ZERO, if c.p < 1.0 { A::of(1.0 / (1.0 - c.p)) } else { A::ZERO }];
        let o = dst::<T>(&mut out)?.0;
        let per = per_task(o.len(), COST).next_multiple_of(4);
        chunks(o, per, &|task, part| {
            let x = &x[task * per..][..part.len()];
            let bias = bias.map(|b| &b[task * per..][..part.len()]);
            for (b, (o, x)) in part.chunks_mut(4).zip(x.chunks(4)).enumerate() {
                let words = rng::block(key, (task * per / 4 + b) as u64);
                for (j, ((o, x), w)) in o.iter_mut().zip(x).zip(words).enumerate() {
                    let v = bias.map_or_else(|| x.acc(), |bias| Arith::add(x.acc(), bias[4 * b + j].acc()));
                    *o = T::from_acc(Arith::mul(v, factors[usize::from((w as u64) < t)]));
                }
            }
        });
        Ok(())
    })
}
