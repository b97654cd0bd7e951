//! Softmax, log_softmax and their gradients (hip/softmax.hip).
use super::elementwise::mismatch;
use super::reduce::{CHUNK, FirstPass, LANES, ReduceParams, acc_bytes, reduce_passes};
use crate::gpu::GpuStorage;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter, WIDE_BLOCK, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Result};

kernel_params! {
    /// Parameters of softmax and log_softmax and of their gradients.
    pub(crate) struct SoftmaxParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the input; for gradients of the output's gradient.
        input: u64,
        /// Gradients: address of the forward result.
        forward: u64,
        /// Variant element: address of each line's largest element.
        peak: u64,
        /// Variant element: address of each line's sum.
        total: u64,
        /// Lines.
        lines: u64,
        /// Elements of a line.
        length: u64,
        /// Elements of the output from one element of a line to the next.
        inner: u64,
        /// Strides between the elements of a line, in `input` and `forward`.
        step: [u64; 2],
        /// 1: log_softmax.
        log: u64,
        /// Variant block: groups of 32 threads for each line.
        width: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the lines in `input` and `forward`.
        line_starts: StridedIter<2>,
    }
}

/// Groups of 32 threads of a block.
const GROUPS: u64 = BLOCK as u64 / LANES;

/// The division of lines among threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinePlan {
    /// A group of 32 threads for each line.
    Group,
    /// This number of groups, a power of two, for each line.
    Block(u64),
    /// A block of 1,024 threads for each line.
    Wide,
    /// Reductions of all lines, then one thread for each element.
    Passes,
}

/// Blocks, threads of a block, and the kernel's variant.
pub(super) type Grid = (u32, u32, Variant);

impl LinePlan {
    /// Chooses the plan for lines of `n` elements with stride `step`; `kept` iterates over the other dimensions. `wide`:
    /// there is a kernel of variant wide.
    pub fn of<R: Runtime, const N: usize>(
        c: &Call<'_, R>,
        n: u64,
        kept: &StridedIter<N>,
        step: u64,
        wide: bool,
    ) -> Self {
        let last = kept.rank as usize - 1;
        let beside = kept.dims[last] >= 16 && kept.strides[0][last] < step;
        // One unit of the device has a whole line, so that few long lines are faster in parts. The sums of chunks are
        // reduced like one chunk.
        let enough = n <= 64 * CHUNK || kept.count >= u64::from(c.dev.info().units) / 4;
        match n.div_ceil(CHUNK) {
            _ if beside => Self::Passes,
            0 | 1 => Self::Group,
            chunks if chunks <= GROUPS => Self::Block(chunks.next_power_of_two()),
            chunks if wide && enough && chunks <= CHUNK => Self::Wide,
            _ => Self::Passes,
        }
    }

    /// Returns the groups of a line of variant block.
    pub fn width(self) -> u64 {
        if let Self::Block(groups) = self { groups } else { 1 }
    }

    /// Returns the grid.
    pub fn grid<R: Runtime>(self, c: &Call<'_, R>, lines: u64, elements: u64) -> Grid {
        match self {
            Self::Group => (c.blocks(lines * LANES), BLOCK, Variant::Group),
            Self::Block(groups) => (c.blocks(lines * groups * LANES), BLOCK, Variant::Block),
            Self::Wide => (c.blocks(lines * u64::from(BLOCK)), WIDE_BLOCK, Variant::Wide),
            Self::Passes => (c.blocks(elements), BLOCK, Variant::Element),
        }
    }
}

/// Whether softmax and cross entropy have kernels of variant wide: in f64 a line's elements would take too many registers.
pub(super) fn is_wide(dtype: DType) -> bool {
    acc_bytes(dtype) == 4
}

/// Returns the iteration over the first elements of the lines along `dim`, in operands of one shape.
pub(super) fn starts<const N: usize>(dims: &[usize], strides: [&[usize]; N], dim: usize) -> StridedIter<N> {
    iter_of(dims, strides, |d| d != dim)
}

/// Allocates scratch memory for one number of the accumulation type for each of `n` lines.
pub(super) fn numbers<R: Runtime>(c: &Call<'_, R>, dtype: DType, n: u64) -> Result<GpuStorage<R>> {
    c.dev.storage(DType::U8, n as usize * acc_bytes(dtype))
}

/// Computes the largest element of each line, and the sum of `e^(x - largest)`.
pub(super) fn peaks<R: Runtime>(
    c: &Call<'_, R>,
    x: Operand<'_>,
    dim: usize,
) -> Result<(GpuStorage<R>, GpuStorage<R>)> {
    let bytes = acc_bytes(x.dtype);
    let mut p = ReduceParams::new([x.ptr], [x.layout], 0, |d| d == dim);
    let (peak, total) = (numbers(c, x.dtype, p.outputs)?, numbers(c, x.dtype, p.outputs)?);
    p.out = peak.address();
    let reduction = |name| Kernel::new(Unit::Softmax, x.dtype, name, Variant::Row);
    reduce_passes(c, reduction("peak"), FirstPass::Any, p, bytes)?;
    (p.out, p.aux[0]) = (total.address(), peak.address());
    reduce_passes(c, reduction("exps"), FirstPass::Any, p, bytes)?;
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
    let line_starts = starts(dims, strides, dim);
    let n = dims[dim] as u64;
    let step = strides.map(|s| s[dim] as u64);
    let plan = LinePlan::of(c, n, &line_starts, step[0], is_wide(x.dtype));
    let (mut peak, mut total) = (None, None);
    if plan == LinePlan::Passes {
        if name == "softmax" {
            let (p, t) = peaks(c, x, dim)?;
            (peak, total) = (Some(p), Some(t));
        } else {
            let t = numbers(c, x.dtype, line_starts.count)?;
            let p = ReduceParams::new([x.ptr, y.ptr], [x.layout, y.layout], t.address(), |d| d == dim);
            let sum = Kernel::new(Unit::Softmax, x.dtype, if log { "grads" } else { "dot" }, Variant::Row);
            reduce_passes(c, sum, FirstPass::Any, p, acc_bytes(x.dtype))?;
            total = Some(t);
        }
    }
    let (blocks, threads, variant) = plan.grid(c, line_starts.count, x.count() as u64);
    let p = SoftmaxParams {
        out: out.ptr,
        input: x.ptr,
        forward: y.ptr,
        peak: peak.as_ref().map_or(0, |s| s.address()),
        total: total.as_ref().map_or(0, |s| s.address()),
        lines: line_starts.count,
        length: n,
        inner: dims[dim + 1..].iter().product::<usize>() as u64,
        step,
        log: u64::from(log),
        width: plan.width(),
        blocks: u64::from(blocks),
        line_starts,
    };
    let kernel = Kernel::new(Unit::Softmax, x.dtype, name, variant);
    c.launch(kernel, [blocks, 1, 1], threads, &p)
}
