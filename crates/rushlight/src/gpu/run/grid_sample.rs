//! Sampling at given positions and its gradients (hip/grid_sample.hip).
use super::elementwise::mismatch;
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::grid_sample::{GridSample, SamplePadding, SampleUnit};
use crate::ops::window::{last3, sizes};
use crate::{Error, Result};

kernel_enum! {
    /// Values outside of an image that is sampled.
    pub(crate) enum SampleEdge {
        /// Zeros.
        Zeros = 0,
        /// The elements at the border.
        Border = 1,
        /// The image mirrored at its border.
        Reflection = 2,
    }
}
kernel_enum! {
    /// Meaning of the numbers of a grid.
    pub(crate) enum SampleScale {
        /// -1 and 1 are the outer borders of the first and the last element.
        Edges = 0,
        /// -1 and 1 are the centres of the first and the last element.
        Centers = 1,
        /// Indices of elements.
        Pixels = 2,
    }
}
kernel_params! {
    /// Parameters of grid_sample and its gradients.
    pub(crate) struct GridSampleParams {
        /// The image; not read by grid_sample_input_grad.
        input: SpatialTensor,
        /// The gradient of the samples; not read by grid_sample.
        grad: SpatialTensor,
        /// Address of the grid.
        grid: u64,
        /// Strides of the grid: batch, three dimensions of positions, coordinates.
        grid_stride: [u64; 5],
        /// Address of the result, which is row-major.
        out: u64,
        /// Threads with work.
        count: u64,
        /// Channels.
        channels: u64,
        /// Spatial sizes of the image.
        size: [u64; 3],
        /// Spatial sizes of the samples.
        sampled: [u64; 3],
        /// Spatial dimensions: 2 or 3.
        dims: u32,
        /// Elements read in a dimension: 1 (nearest), 2 (linear) or 4 (cubic).
        taps: u32,
        /// Values outside of the image.
        padding: SampleEdge,
        /// Meaning of the grid's numbers.
        unit: SampleScale,
        /// Blocks of the grid of threads.
        blocks: u32,
        /// 1: indices need 64 bits.
        index64: u32,
    }
}

/// Number of channels that a thread or a block processes (RL_CHANNELS).
const CHANNELS: usize = 4;

struct Sizes {
    batch: usize,
    parts: usize,
    positions: usize,
}

fn params<R: Runtime>(
    c: &Call<'_, R>,
    op: &GridSample,
    [x, samples, grid, out]: [&Operand<'_>; 4],
) -> Result<(GridSampleParams, Sizes)> {
    let n = x.layout.shape().rank() - 2;
    let (old, new) = (sizes(x.layout.shape(), n)?, sizes(samples.layout.shape(), n)?);
    let [batch, strides @ .., last] = grid.layout.stride() else {
        return Err(Error::invalid(c.name, "the grid has no dimensions"));
    };
    let mut grid_stride = [*batch as u64, 0, 0, 0, *last as u64];
    strides.iter().enumerate().for_each(|(d, s)| grid_stride[4 - n + d] = *s as u64);
    let p = GridSampleParams {
        input: SpatialTensor::new(x),
        grad: SpatialTensor::new(samples),
        grid: grid.ptr,
        grid_stride,
        out: out.ptr,
        count: 0,
        channels: old[1] as u64,
        size: three(last3(old)),
        sampled: three(last3(new)),
        dims: n as u32,
        taps: op.taps() as u32,
        padding: match op.padding {
            SamplePadding::Zeros => SampleEdge::Zeros,
            SamplePadding::Border => SampleEdge::Border,
            SamplePadding::Reflection => SampleEdge::Reflection,
        },
        unit: match op.unit {
            SampleUnit::Edges => SampleScale::Edges,
            SampleUnit::Centers => SampleScale::Centers,
            SampleUnit::Pixels => SampleScale::Pixels,
        },
        blocks: 1,
        index64: 0,
    };
    let [batch, channels, ..] = old;
    let positions = last3(new).iter().product();
    Ok((p, Sizes { batch, parts: channels.div_ceil(CHANNELS), positions }))
}

/// Launches a kernel with a thread for each of `count` items.
fn launch<R: Runtime>(c: &Call<'_, R>, x: &Operand<'_>, p: GridSampleParams, count: usize) -> Result<()> {
    let n = count as u64;
    if n == 0 {
        return Ok(());
    }
    let p = GridSampleParams { count: n, blocks: c.blocks(n), index64: index64(&[n]) as u32, ..p };
    let kernel = Kernel::new(Unit::GridSample, x.dtype, c.name, Variant::Strided);
    c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn grid_sample<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::GridSample(op) = c.op else { return Err(mismatch(c)) };
    let (x, grid, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (p, s) = params(c, op, [&x, &out, &grid, &out])?;
    launch(c, &x, p, s.batch * s.parts * s.positions)
}

pub(super) fn input_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::GridSampleInputGrad(op) = c.op else { return Err(mismatch(c)) };
    let (g, grid, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (p, s) = params(c, &op.forward, [&out, &g, &grid, &out])?;
    if out.count() == 0 {
        return Ok(());
    }
    let lines = u32::try_from(s.batch * s.parts).ok().filter(|n| *n < 1 << 31);
    let lines = lines.ok_or_else(|| Error::invalid(c.name, "more than 2^31 samples and channels"))?;
    let kernel = Kernel::new(Unit::GridSample, g.dtype, c.name, Variant::Block);
    c.launch(kernel, [lines, 1, 1], BLOCK, &p)
}

pub(super) fn grid_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::GridSampleGridGrad(op) = c.op else { return Err(mismatch(c)) };
    let (g, x, grid, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    let (p, s) = params(c, &op.0, [&x, &g, &grid, &out])?;
    // Without channels the gradient is 0, and the kernel reads no element.
    launch(c, &x, p, s.batch * s.positions)
}
