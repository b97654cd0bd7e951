//! Convolutions as tiled matrix products whose right side is read from the windows without im2col (hip/conv.hip).
use super::dnn;
use super::elementwise::mismatch;
use super::matmul::{MOST_BLOCKS_Y, TILE};
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::dnn::Direction;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Window, last3, sizes};
use crate::{DType, Result, Shape};

kernel_params! {
    /// Parameters of convolutions. "Input" is the side that windows slide over, "output" the side with an element for each
    /// window, whatever of them the kernel computes.
    pub(crate) struct ConvParams {
        /// Left side of the product: the convolution's kernel; conv_weight_grad: the output's gradient.
        left: SpatialTensor,
        /// Right side of the product: the input; conv_transpose: the output.
        right: SpatialTensor,
        /// Address of the result, which is row-major.
        out: u64,
        /// Size of the batch.
        batch: u64,
        /// Groups of channels.
        groups: u64,
        /// Input channels of a group.
        channels_in: u64,
        /// Output channels of a group.
        channels_out: u64,
        /// Spatial sizes of the input.
        input_size: [u64; 3],
        /// Spatial sizes of the output.
        output_size: [u64; 3],
        /// Spatial sizes of the convolution's kernel.
        kernel_size: [u64; 3],
        /// Stride of the windows.
        stride: [u64; 3],
        /// Padding before the input.
        padding: [u64; 3],
        /// Dilation of the convolution's kernel.
        dilation: [u64; 3],
        /// conv_transpose: phases in each dimension, the strides or the sizes where these are less.
        phases: [u64; 3],
        /// conv_weight_grad: address of the slices' sums, where there are several slices.
        partial_sums: u64,
        /// conv_weight_grad: slices of the inner dimension.
        slices: u64,
        /// Blocks of the grid's second dimension, which share the groups (variant tile).
        group_blocks: u64,
        /// Blocks of the grid's third dimension, which share the phases (conv_transpose, variant tile).
        phase_blocks: u64,
        /// Blocks of the grid, which share the elements (variants direct and finish).
        element_blocks: u64,
        /// 1: indices need 64 bits.
        index64: u64,
    }
}

fn volume(v: &[u64; 3]) -> u64 {
    v.iter().product()
}

/// The geometry of a convolution. Windows slide over `input`; `output` has an element for each window.
struct Shapes<'a> {
    window: &'a Window,
    groups: u32,
    input: &'a Shape,
    kernel: &'a Shape,
    output: &'a Shape,
}

impl Shapes<'_> {
    fn params(&self, left: &Operand<'_>, right: &Operand<'_>, out: &Operand<'_>) -> Result<ConvParams> {
        let (w, n) = (self.window, self.window.spatial());
        let (x, y) = (sizes(self.input, n)?, sizes(self.output, n)?);
        let kernel_size = three(last3(sizes(self.kernel, n)?));
        let groups = u64::from(self.groups).max(1);
        let (input_size, output_size) = (three(last3(x)), three(last3(y)));
        let stride = three(w.stride());
        let (channels_in, channels_out, batch) = (x[1] as u64 / groups, y[1] as u64 / groups, x[0] as u64);
        let most = [
            batch * volume(&input_size),
            batch * volume(&output_size),
            channels_in * volume(&kernel_size),
            channels_out * volume(&kernel_size),
        ];
        Ok(ConvParams {
            left: SpatialTensor::new(left),
            right: SpatialTensor::new(right),
            out: out.ptr,
            batch,
            groups,
            channels_in,
            channels_out,
            input_size,
            output_size,
            kernel_size,
            stride,
            padding: three(w.padding()),
            dilation: three(w.dilation()),
            phases: std::array::from_fn(|d| stride[d].min(input_size[d]).max(1)),
            partial_sums: 0,
            slices: 1,
            group_blocks: groups.min(MOST_BLOCKS_Y),
            phase_blocks: 1,
            element_blocks: 0,
            index64: index64(&most) | index64(&input_size) | index64(&output_size) | index64(&kernel_size),
        })
    }
}

/// Groups of at most this many channels run without tiles, which would be nearly empty.
const FEW_CHANNELS: u64 = 4;

/// Launches an `m x n` product for each group: a block for each tile or, for groups of few channels, a thread for each
/// element.
fn products<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    (m, n): (u64, u64),
    p: &mut ConvParams,
) -> Result<()> {
    if p.groups == 1 || m > FEW_CHANNELS || out.count() == 0 {
        return launch_tiles(c, out, (m, n), p.phase_blocks, p);
    }
    let elements = out.count() as u64;
    let blocks = c.blocks(elements);
    (p.element_blocks, p.index64) = (u64::from(blocks), p.index64 | index64(&[elements]));
    let kernel = Kernel::new(Unit::Conv, out.dtype, c.op.definition(), Variant::Direct);
    c.launch(kernel, [blocks, 1, 1], BLOCK, p)
}

/// Launches a block for each tile of an `m x n` product of each group. The grid has size `grid_z` in its third
/// dimension.
fn launch_tiles<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    (m, n): (u64, u64),
    grid_z: u64,
    p: &ConvParams,
) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    let tile = TILE as u64;
    let tiles = m.div_ceil(tile) * n.div_ceil(tile);
    let kernel = Kernel::new(Unit::Conv, out.dtype, c.op.definition(), Variant::Tile);
    c.launch(kernel, [tiles as u32, p.group_blocks as u32, grid_z as u32], BLOCK, p)
}

pub(super) fn conv<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Conv(op) = c.op else { return Err(mismatch(c)) };
    let (x, kernel, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: x.layout.shape(),
        kernel: kernel.layout.shape(),
        output: out.layout.shape(),
    };
    let native = |out: &Operand<'_>| {
        let mut p = shapes.params(&kernel, &x, out)?;
        products(c, out, (p.channels_out, p.batch * volume(&p.output_size)), &mut p)
    };
    let operands = [&x, &kernel, &out];
    if dnn::conv(c, Direction::Forward, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

pub(super) fn conv_transpose<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ConvTranspose(op) = c.op else { return Err(mismatch(c)) };
    let (y, kernel, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: out.layout.shape(),
        kernel: kernel.layout.shape(),
        output: y.layout.shape(),
    };
    let native = |out: &Operand<'_>| {
        let mut p = shapes.params(&kernel, &y, out)?;
        p.phase_blocks = volume(&p.phases).min(MOST_BLOCKS_Y);
        // The first phase has the largest number of elements.
        let positions: u64 = (0..3).map(|d| p.input_size[d].div_ceil(p.stride[d])).product();
        products(c, out, (p.channels_in, p.batch * positions), &mut p)
    };
    let operands = [&out, &kernel, &y];
    if dnn::conv(c, Direction::BackwardData, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

pub(super) fn conv_weight_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ConvWeightGrad(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: x.layout.shape(),
        kernel: out.layout.shape(),
        output: g.layout.shape(),
    };
    let native = |out: &Operand<'_>| weight_grad(c, out, shapes.params(&g, &x, out)?);
    let operands = [&x, &out, &g];
    if dnn::conv(c, Direction::BackwardWeights, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

fn weight_grad<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, mut p: ConvParams) -> Result<()> {
    let (m, n) = (p.channels_out, p.channels_in * volume(&p.kernel_size));
    p.slices = slices(m, n * p.groups, p.batch * volume(&p.output_size));
    if p.slices == 1 {
        return launch_tiles(c, out, (m, n), 1, &p);
    }
    let t = if out.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let sums = c.dev.storage(t, p.slices as usize * out.count())?;
    p.partial_sums = sums.address();
    launch_tiles(c, out, (m, n), p.slices, &p)?;
    let blocks = c.blocks(out.count() as u64);
    p.element_blocks = u64::from(blocks);
    let end = Kernel::new(Unit::Conv, out.dtype, "conv_weight_grad", Variant::Finish);
    c.launch(end, [blocks, 1, 1], BLOCK, &p)
}

/// Returns the number of slices of an inner dimension of size `k`, such that an `m x n` result keeps a device busy. It
/// depends on the shape alone, so the result has the same bits on every device.
fn slices(m: u64, n: u64, k: u64) -> u64 {
    const BUSY: u64 = 512;
    const LEAST: u64 = 256;
    let tile = TILE as u64;
    let blocks = (m.div_ceil(tile) * n.div_ceil(tile)).max(1);
    (BUSY / blocks).min(k / LEAST).max(1)
}
