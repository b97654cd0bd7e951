//! Random numbers and dropout (hip/random.hip).
use super::elementwise::mismatch;
use crate::Result;
use crate::cpu::kernels::random::range;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{Call, Extra};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::random::Dist;
use crate::rng::threshold;

/// What a draw is made of (rl::Draw).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Draw {
    seed: u64,
    draw: u64,
    first: f64,
    second: f64,
    least: f64,
    greatest: f64,
    low: u64,
    span: u64,
    below: u64,
}
impl Extra for Draw {}

pub(super) fn random<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Random(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let mut d = Draw { seed: op.key.0, draw: op.key.1, ..Draw::default() };
    let mut name = c.name;
    match op.dist {
        Dist::Uniform { lo, up } => {
            (d.first, d.second) = (lo, up - lo);
            (d.least, d.greatest) = range(out.dtype, lo, up)?;
        }
        Dist::Normal { mean, std } => (d.first, d.second) = (mean, std),
        Dist::Integers { lo, hi } => {
            // Sums wrap, so the low 64 bits will do; a span of 2^64 is 0.
            (d.low, d.span) = (lo as u64, (hi - lo) as u64);
            if hi - lo > 1 << 32 {
                name = "randint_large";
            }
        }
        Dist::Bernoulli { p } => d.below = threshold(p),
    }
    // Form `s` serves contiguous tensors too: the kernel sees that they are.
    c.elementwise(Kernel { form: "s", ..Kernel::new(Unit::Random, out.dtype, name) }, [out], d)
}

pub(super) fn dropout<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Dropout(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let keep = if op.p < 1.0 { 1.0 / (1.0 - op.p) } else { 0.0 };
    let below = threshold(1.0 - op.p);
    let d = Draw { seed: op.key.0, draw: op.key.1, first: keep, below, ..Draw::default() };
    c.elementwise(Kernel { form: "s", ..Kernel::new(Unit::Random, x.dtype, "dropout") }, [out, x], d)
}
