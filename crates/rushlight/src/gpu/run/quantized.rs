//! ggml's blocks: their numbers, and products with them (hip/quantized.hip, hip/quantized_int8.hip).
use super::elementwise::{copy_to, mismatch};
use super::matmul::{MatrixStrides, TILE, last_two};
use crate::gpu::GpuStorage;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::qmatmul::Weights;
use crate::ops::quantize_int8;
use crate::quantized::GgmlDType;
use crate::{DType, Error, Layout, Result};

kernel_enum! {
    /// The type of blocks, by its number in files.
    pub(crate) enum BlockFormat {
        /// Single precision.
        F32 = 0,
        /// Half precision.
        F16 = 1,
        /// bfloat16.
        BF16 = 30,
        /// 4 bits and a scale.
        Q4_0 = 2,
        /// 4 bits, a scale and a minimum.
        Q4_1 = 3,
        /// 5 bits and a scale.
        Q5_0 = 6,
        /// 5 bits, a scale and a minimum.
        Q5_1 = 7,
        /// 8 bits and a scale.
        Q8_0 = 8,
        /// 8 bits, a scale and a sum.
        Q8_1 = 9,
        /// 2 bits, in groups of 16.
        Q2K = 10,
        /// 3 bits, in groups of 16.
        Q3K = 11,
        /// 4 bits, in groups of 32.
        Q4K = 12,
        /// 5 bits, in groups of 32.
        Q5K = 13,
        /// 6 bits, in groups of 16.
        Q6K = 14,
        /// 8 bits and a scale in f32.
        Q8K = 15,
    }
}

impl From<GgmlDType> for BlockFormat {
    fn from(format: GgmlDType) -> Self {
        match format {
            GgmlDType::F32 => Self::F32,
            GgmlDType::F16 => Self::F16,
            GgmlDType::BF16 => Self::BF16,
            GgmlDType::Q4_0 => Self::Q4_0,
            GgmlDType::Q4_1 => Self::Q4_1,
            GgmlDType::Q5_0 => Self::Q5_0,
            GgmlDType::Q5_1 => Self::Q5_1,
            GgmlDType::Q8_0 => Self::Q8_0,
            GgmlDType::Q8_1 => Self::Q8_1,
            GgmlDType::Q2K => Self::Q2K,
            GgmlDType::Q3K => Self::Q3K,
            GgmlDType::Q4K => Self::Q4K,
            GgmlDType::Q5K => Self::Q5K,
            GgmlDType::Q6K => Self::Q6K,
            GgmlDType::Q8K => Self::Q8K,
        }
    }
}

kernel_params! {
    /// Parameters of dequantize, qmatmul, quantize_int8 and qmatmul_int8.
    pub(crate) struct QuantizedParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the left factor of a product.
        x: u64,
        /// Address of the blocks.
        blocks: u64,
        /// Strides of the left factor.
        x_strides: MatrixStrides,
        /// Strides of the matrix of blocks, in bytes.
        block_strides: MatrixStrides,
        /// Rows of the left factor.
        rows: u64,
        /// Rows of blocks.
        columns: u64,
        /// Elements of a row of blocks.
        depth: u64,
        /// The type of the blocks.
        format: BlockFormat,
        /// Blocks of the grid.
        grid: u32,
    }
}

/// Threads that multiply rows of the left factor by a row of blocks (THREADS), and how many rows they take (ROWS).
const THREADS: u64 = 8;
const ROWS: u64 = 8;

/// Rows and columns of a tile of products of integers (TILE_SIDE).
const INT_TILE: u64 = 32;

/// An operand in place of `o`, and the copy that it may be, which must live until the launch.
type Held<'a, R> = (Operand<'a>, Option<GpuStorage<R>>);

/// Returns the operand, or a copy whose elements are contiguous.
fn held<'a, R: Runtime>(
    c: &Call<'_, R>,
    o: Operand<'a>,
    ready: bool,
    layout: &'a Layout,
) -> Result<Held<'a, R>> {
    if ready {
        return Ok((o, None));
    }
    let copy = c.dev.storage(o.dtype, o.count())?;
    let to = Operand { ptr: copy.address(), layout, ..o };
    copy_to(c, o, to)?;
    Ok((to, Some(copy)))
}

/// Returns whether the elements of rows are contiguous, and the rows' addresses multiples of a number of bytes.
fn rows_at(o: &Operand<'_>, bytes: u64) -> bool {
    let strides = last_two(o.layout);
    let row = strides.row.wrapping_mul(o.dtype.size_in_bytes() as u64);
    strides.column == 1
        && o.ptr.is_multiple_of(bytes)
        && (row.is_multiple_of(bytes) || o.layout.dims()[0] == 1)
}

pub(super) fn dequantize<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Dequantize(op) = *c.op else { return Err(mismatch(c)) };
    let (blocks, out) = (c.input(0)?, c.output(0)?);
    let &[columns, depth] = out.layout.dims() else { return Err(mismatch(c)) };
    let sizes = [0, columns as u64, depth as u64];
    let threads = sizes[1] * sizes[2].div_ceil(4);
    let kernel = Kernel::new(Unit::Quantized, out.dtype, c.name, Variant::Element);
    run(c, kernel, None, blocks, op.format, sizes, Grid::Threads(threads))
}

pub(super) fn qmatmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::QMatMul(op) = *c.op else { return Err(mismatch(c)) };
    if op.weights != Weights::Numbers {
        return Err(Error::invalid(c.name, "error bounds are computed on the CPU"));
    }
    let (x, blocks, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (&[rows, columns], &[_, depth]) = (out.layout.dims(), x.layout.dims()) else {
        return Err(mismatch(c));
    };
    let sizes = [rows, columns, depth].map(|n| n as u64);
    if sizes[0] > ROWS && out.dtype != DType::F64 {
        let tiles = sizes[0].div_ceil(TILE as u64) * sizes[1].div_ceil(TILE as u64);
        let kernel = Kernel::new(Unit::Quantized, out.dtype, c.name, Variant::Large);
        return run(c, kernel, Some(x), blocks, op.format, sizes, Grid::Blocks(tiles));
    }
    // Rows of x are read in packs of 4 elements.
    let packs = op.format.block_size() == 1 || rows_at(&x, 4 * x.dtype.size_in_bytes().min(4) as u64);
    let layout = Layout::contiguous(x.layout.shape().clone());
    let (x, _copy) = if out.count() == 0 { (x, None) } else { held(c, x, packs, &layout)? };
    let (variant, grid) = few_rows(c, sizes)?;
    let kernel = Kernel::new(Unit::Quantized, out.dtype, c.name, variant);
    run(c, kernel, Some(x), blocks, op.format, sizes, grid)
}

/// Returns the variant for one row or few, and its threads.
fn few_rows<R: Runtime>(c: &Call<'_, R>, [rows, columns, _]: [u64; 3]) -> Result<(Variant, Grid)> {
    let (variant, each) = if rows == 1 { (Variant::Row, 1) } else { (Variant::Tile, ROWS) };
    let threads = (rows.div_ceil(each) * columns).checked_mul(THREADS);
    let threads = threads.ok_or_else(|| Error::invalid(c.name, "the result is too large"))?;
    Ok((variant, Grid::Threads(threads)))
}

pub(super) fn quantize_int8<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    let &[rows, depth] = x.layout.dims() else { return Err(mismatch(c)) };
    if out.count() == 0 {
        return Ok(());
    }
    // Rows are read in packs of 4 elements.
    let packs = rows_at(&x, 4 * x.dtype.size_in_bytes().min(4) as u64);
    let layout = Layout::contiguous(x.layout.shape().clone());
    let (x, _copy) = held(c, x, packs, &layout)?;
    let [rows, blocks, depth] = [rows, depth / quantize_int8::ELEMENTS, depth].map(|n| n as u64);
    let grid = c.blocks(rows * blocks * THREADS);
    let p = QuantizedParams {
        out: out.ptr,
        x: x.ptr,
        blocks: 0,
        x_strides: last_two(x.layout),
        block_strides: MatrixStrides::default(),
        rows,
        columns: blocks,
        depth,
        format: BlockFormat::F32,
        grid,
    };
    let kernel = Kernel::new(Unit::QuantizedInt8, x.dtype, c.name, Variant::Element);
    c.launch(kernel, [grid, 1, 1], BLOCK, &p)
}

pub(super) fn qmatmul_int8<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::QMatMulInt8(op) = *c.op else { return Err(mismatch(c)) };
    let (x, blocks, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (&[rows, columns], &[_, bytes]) = (out.layout.dims(), x.layout.dims()) else {
        return Err(mismatch(c));
    };
    let depth = bytes / quantize_int8::BYTES * quantize_int8::ELEMENTS;
    let sizes = [rows, columns, depth].map(|n| n as u64);
    // Blocks of x are read in packs of 8 bytes.
    let packs = rows_at(&x, 8);
    let layout = Layout::contiguous(x.layout.shape().clone());
    let (x, _copy) = if out.count() == 0 { (x, None) } else { held(c, x, packs, &layout)? };
    let (variant, grid) = if sizes[0] > ROWS {
        (Variant::Large, Grid::Blocks(sizes[0].div_ceil(INT_TILE) * sizes[1].div_ceil(INT_TILE)))
    } else {
        few_rows(c, sizes)?
    };
    let kernel = Kernel::new(Unit::QuantizedInt8, out.dtype, c.name, variant);
    run(c, kernel, Some(x), blocks, op.format, sizes, grid)
}

/// The size of a grid.
#[derive(Clone, Copy)]
enum Grid {
    /// Blocks that take these threads' work.
    Threads(u64),
    /// A block for each tile.
    Blocks(u64),
}

fn run<R: Runtime>(
    c: &Call<'_, R>,
    kernel: Kernel,
    x: Option<Operand<'_>>,
    blocks: Operand<'_>,
    format: GgmlDType,
    [rows, columns, depth]: [u64; 3],
    grid: Grid,
) -> Result<()> {
    let out = c.output(0)?;
    if out.count() == 0 {
        return Ok(());
    }
    let grid = match grid {
        Grid::Threads(n) => c.blocks(n),
        Grid::Blocks(n) => u32::try_from(n).map_err(|_| Error::invalid(c.name, "the result is too large"))?,
    };
    // The bytes of a row of blocks are read in words.
    let layout = Layout::contiguous(blocks.layout.shape().clone());
    let (blocks, _copy) = held(c, blocks, rows_at(&blocks, 1), &layout)?;
    let p = QuantizedParams {
        out: out.ptr,
        x: x.map_or(0, |x| x.ptr),
        blocks: blocks.ptr,
        x_strides: x.map(|x| last_two(x.layout)).unwrap_or_default(),
        block_strides: last_two(blocks.layout),
        rows,
        columns,
        depth,
        format: format.into(),
        grid,
    };
    c.launch(kernel, [grid, 1, 1], BLOCK, &p)
}
