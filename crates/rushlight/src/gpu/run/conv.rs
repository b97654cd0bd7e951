//! Convolutions as tiled matrix products whose right side is read from the windows without im2col (hip/conv.hip).
use super::dnn;
use super::elementwise::{copy_to, mismatch};
use super::matmul::{MOST_BLOCKS_Y, TILE};
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::dnn::Direction;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Window, last3, sizes};
use crate::{DType, Layout, Result, Shape};

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
/// Channels in a pack of the variants Matrix and Large.
const PACK: u64 = 8;
/// Rows and columns of a tile of variant Large.
const LARGE: u64 = 128;

/// Launches an `m x n` product for each group: a block for each tile or, for groups of few channels, a thread for each
/// element. `kernel` is the convolution's kernel, and `channels` are those of a group that each sum runs over.
fn products<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    kernel: &Operand<'_>,
    (m, n, channels): (u64, u64, u64),
    p: &mut ConvParams,
) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    if p.groups > 1 && m <= FEW_CHANNELS {
        let elements = out.count() as u64;
        let blocks = c.blocks(elements);
        (p.element_blocks, p.index64) = (u64::from(blocks), p.index64 | index64(&[elements]));
        let kernel = Kernel::new(Unit::Conv, out.dtype, c.op.definition(), Variant::Direct);
        return c.launch(kernel, [blocks, 1, 1], BLOCK, p);
    }
    let grid_z = p.phase_blocks;
    let forward = matches!(c.op, Op::Conv(_));
    if !by_atoms(c.op, p, out.dtype) || !(forward || channels.is_multiple_of(PACK)) {
        return launch_tiles(c, out, Variant::Tile, (m, n), grid_z, p);
    }
    if !channels.is_multiple_of(PACK) {
        return launch_tiles(c, out, Variant::Gather, (m, n), grid_z, p);
    }
    // Large tiles read less, small ones make blocks for every compute unit.
    let blocks = m.div_ceil(LARGE) * n.div_ceil(LARGE) * p.groups * grid_z;
    let full = (1..=LARGE / 2).contains(&(m % LARGE));
    let many = !full && blocks >= u64::from(c.dev.info().units);
    let variant = if many { Variant::Large } else { Variant::Matrix };
    let taps = volume(&p.kernel_size);
    let strides = kernel.layout.stride();
    let rows = strides[0] as u64;
    let packed =
        forward && taps == 1 && strides[1] == 1 && rows.is_multiple_of(PACK) && kernel.ptr.is_multiple_of(16);
    if packed {
        return launch_tiles(c, out, variant, (m, n), grid_z, p);
    }
    // A copy of the kernel whose channels lie side by side: [groups, out, taps, in], for the transposed convolution
    // [groups, in, taps, out].
    let layout = kernel.layout;
    let rank = layout.dims().len();
    let mut dims = vec![p.groups as usize, p.channels_out as usize];
    dims.extend(&layout.dims()[1..]);
    let mut apart = vec![strides[0] * p.channels_out as usize];
    apart.extend(strides);
    let (row, column) = if forward { (1, 2) } else { (2, 1) };
    let order: Vec<usize> = [0, row].into_iter().chain(3..=rank).chain([column]).collect();
    let by = |v: &[usize]| -> Vec<usize> { order.iter().map(|&d| v[d]).collect() };
    let shape = Shape::from(by(&dims));
    let to_layout = Layout::contiguous(shape.clone());
    let from_layout = Layout::new(shape, by(&apart), 0);
    let copy = c.dev.storage(kernel.dtype, kernel.count())?;
    copy_to(
        c,
        Operand { layout: &from_layout, ..*kernel },
        Operand { ptr: copy.address(), dtype: kernel.dtype, layout: &to_layout },
    )?;
    let [depth, height, width] = p.kernel_size;
    let rows = taps * channels;
    let (across, down) = if forward { (rows, 1) } else { (1, rows) };
    let taps = [height * width * channels, width * channels, channels];
    debug_assert_eq!(depth * taps[0], rows);
    p.left = SpatialTensor { ptr: copy.address(), stride: [across, down, taps[0], taps[1], taps[2]] };
    launch_tiles(c, out, variant, (m, n), grid_z, p)
}

/// Whether the variants Matrix, Large and Gather can compute a product (hip/conv_matrix.h): their offsets in bytes, and their
/// coordinates, take 32 bits, and each tap of the kernel has one of 30 bits.
fn by_atoms(op: &Op, p: &ConvParams, dtype: DType) -> bool {
    let half = matches!(dtype, DType::F16 | DType::BF16);
    // Matrix units of f16 and bf16 round in their own way.
    if !(dtype == DType::F32 || half && !crate::deterministic()) || p.index64 != 0 {
        return false;
    }
    let near = |t: &SpatialTensor, sizes: [u64; 5]| {
        let bytes = t
            .stride
            .iter()
            .zip(sizes)
            .try_fold(1u64, |sum, (stride, n)| sum.checked_add(stride.checked_mul(n.saturating_sub(1))?));
        bytes.and_then(|n| n.checked_mul(dtype.size_in_bytes() as u64)).is_some_and(|n| n < 1 << 31)
    };
    let five = |a, b, [x, y, z]: [u64; 3]| [a, b, x, y, z];
    let (co, ci) = (p.channels_out * p.groups, p.channels_in * p.groups);
    let (input, output) = (five(p.batch, ci, p.input_size), five(p.batch, co, p.output_size));
    let kernel = five(co, p.channels_in, p.kernel_size);
    let (left, right) = match op {
        Op::Conv(_) => (kernel, input),
        Op::ConvTranspose(_) => (kernel, output),
        _ => (output, input),
    };
    let reach = |d: usize| {
        let all =
            [p.input_size[d], 2 * p.padding[d], p.dilation[d].saturating_mul(p.kernel_size[d]), p.stride[d]];
        all.into_iter().fold(0, u64::saturating_add) < 1 << 31
    };
    let counts = [
        p.batch * volume(&p.input_size),
        p.batch * volume(&p.output_size),
        p.channels_in * volume(&p.kernel_size),
        p.channels_out * volume(&p.kernel_size),
    ];
    p.kernel_size.iter().sum::<u64>() <= 30
        && (0..3).all(reach)
        && counts.into_iter().all(|n| n < 1 << 31)
        && near(&p.left, left)
        && near(&p.right, right)
}

/// Launches a block for each tile of an `m x n` product of each group. The grid has size `grid_z` in its third
/// dimension.
fn launch_tiles<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    variant: Variant,
    (m, n): (u64, u64),
    grid_z: u64,
    p: &ConvParams,
) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    let tile = if variant == Variant::Large { LARGE } else { TILE as u64 };
    let tiles = m.div_ceil(tile) * n.div_ceil(tile);
    let kernel = Kernel::new(Unit::Conv, out.dtype, c.op.definition(), variant);
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
        products(c, out, &kernel, (p.channels_out, p.batch * volume(&p.output_size), p.channels_in), &mut p)
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
        products(c, out, &kernel, (p.channels_in, p.batch * positions, p.channels_out), &mut p)
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
    let variant = if by_atoms(c.op, &p, out.dtype) { Variant::Gather } else { Variant::Tile };
    if p.slices == 1 {
        return launch_tiles(c, out, variant, (m, n), 1, &p);
    }
    let t = if out.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let sums = c.dev.storage(t, p.slices as usize * out.count())?;
    p.partial_sums = sums.address();
    launch_tiles(c, out, variant, (m, n), p.slices, &p)?;
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
