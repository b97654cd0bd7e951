//! Softmax, log_softmax and their gradients (hip/softmax.hip).
use super::elementwise::mismatch;
use super::reduce::{CHUNK, FORMS, Fold, acc_bytes, fold};
use crate::gpu::GpuStorage;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand, Walk, part};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Result};

/// Parameters of the kernels of lines (rl::Lines).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    out: u64,
    x: u64,
    y: u64,
    peak: u64,
    total: u64,
    lines: u64,
    n: u64,
    inner: u64,
    step: [u64; 2],
    log: u64,
    blocks: u64,
    kept: Walk<2>,
}

/// How a kernel of lines goes through them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A line a group of 32 threads.
    Group,
    /// A line a block.
    Block,
    /// Reductions of all lines, then element by element.
    Passes,
}

impl Way {
    /// The way for lines of `n` elements that are `step` apart, where the last of the other dimensions is as in `kept`.
    pub fn of<const N: usize>(dtype: DType, n: u64, kept: &Walk<N>, step: u64) -> Self {
        let each = if acc_bytes(dtype) == 4 { 992 } else { 480 }; // rl::Kept
        let last = kept.rank as usize - 1;
        let beside = kept.dims[last] >= 16 && kept.strides[0][last] < step;
        // Of a block's groups each has a chunk, in what the groups keep together.
        match n {
            _ if beside => Self::Passes,
            _ if n <= each => Self::Group,
            _ if n.next_multiple_of(CHUNK) <= 8 * each => Self::Block,
            _ => Self::Passes,
        }
    }

    /// Blocks for `lines`, and the kernel's form.
    pub fn grid<R: Runtime>(self, c: &Call<'_, R>, lines: u64, elements: u64) -> (u32, &'static str) {
        match self {
            Self::Group => (c.blocks(lines * 32), "g"),
            Self::Block => (c.blocks(lines * u64::from(BLOCK)), "b"),
            Self::Passes => (c.blocks(elements), "e"),
        }
    }
}

/// First elements of the lines along `dim` in operands of one shape.
pub(super) fn starts<const N: usize>(dims: &[usize], strides: [&[usize]; N], dim: usize) -> Walk<N> {
    part(dims, strides, |d| d != dim)
}

/// Scratch memory for a number computed in for each of `n` lines.
pub(super) fn numbers<R: Runtime>(c: &Call<'_, R>, dtype: DType, n: u64) -> Result<GpuStorage<R>> {
    c.dev.storage(DType::U8, n as usize * acc_bytes(dtype))
}

/// The largest element of each line, and the sum of `e^(x - largest)`.
pub(super) fn peaks<R: Runtime>(
    c: &Call<'_, R>,
    x: Operand<'_>,
    dim: usize,
) -> Result<(GpuStorage<R>, GpuStorage<R>)> {
    let bytes = acc_bytes(x.dtype);
    let mut p = Fold::new([x.ptr], [x.layout], 0, |d| d == dim);
    let (peak, total) = (numbers(c, x.dtype, p.outs)?, numbers(c, x.dtype, p.outs)?);
    p.out = peak.address();
    fold(c, Kernel::new(Unit::Softmax, x.dtype, "peak"), &FORMS, p, bytes, false)?;
    (p.out, p.aux[0]) = (total.address(), peak.address());
    fold(c, Kernel::new(Unit::Softmax, x.dtype, "exps"), &FORMS, p, bytes, false)?;
    Ok((peak, total))
}

pub(super) fn softmax<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Softmax(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    run(c, "softmax", op.dim, op.log, [x, x], out)
}

pub(super) fn softmax_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::SoftmaxBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, y, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    run(c, "softmax_backward", op.dim, op.log, [g, y], out)
}

fn run<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    dim: usize,
    log: bool,
    [x, y]: [Operand<'_>; 2],
    out: Operand<'_>,
) -> Result<()> {
    if x.count() == 0 {
        return Ok(());
    }
    let (dims, strides) = (x.layout.dims(), [x.layout.stride(), y.layout.stride()]);
    let kept = starts(dims, strides, dim);
    let n = dims[dim] as u64;
    let step = strides.map(|s| s[dim] as u64);
    let way = Way::of(x.dtype, n, &kept, step[0]);
    let (mut peak, mut total) = (None, None);
    if way == Way::Passes {
        if name == "softmax" {
            let (p, t) = peaks(c, x, dim)?;
            (peak, total) = (Some(p), Some(t));
        } else {
            let t = numbers(c, x.dtype, kept.n)?;
            let p = Fold::new([x.ptr, y.ptr], [x.layout, y.layout], t.address(), |d| d == dim);
            let sum = Kernel::new(Unit::Softmax, x.dtype, if log { "grads" } else { "dot" });
            fold(c, sum, &FORMS, p, acc_bytes(x.dtype), false)?;
            total = Some(t);
        }
    }
    let (blocks, form) = way.grid(c, kept.n, x.count() as u64);
    let p = Lines {
        out: out.ptr,
        x: x.ptr,
        y: y.ptr,
        peak: peak.as_ref().map_or(0, |s| s.address()),
        total: total.as_ref().map_or(0, |s| s.address()),
        lines: kept.n,
        n,
        inner: dims[dim + 1..].iter().product::<usize>() as u64,
        step,
        log: u64::from(log),
        blocks: u64::from(blocks),
        kept,
    };
    let kernel = Kernel { form, ..Kernel::new(Unit::Softmax, x.dtype, name) };
    c.launch(kernel, [blocks, 1, 1], BLOCK, &p)
}
