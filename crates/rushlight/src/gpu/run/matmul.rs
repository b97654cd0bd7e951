//! Matrix products.
use super::blas;
use super::elementwise::mismatch;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter, iter};
use crate::gpu::params::{kernel_enum, kernel_params};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::shape::DimVec;
use crate::{DType, Layout, Result};

kernel_params! {
    /// Strides of a matrix.
    #[derive(Default)]
    pub(crate) struct MatrixStrides {
        /// From one row to the next.
        pub row: u64,
        /// From one column to the next.
        pub column: u64,
    }
}

kernel_enum! {
    /// The factor beta of addmm.
    pub(crate) enum BetaKind {
        /// 0: the summand is not read.
        Zero = 0,
        /// 1: the summand is not multiplied.
        One = 1,
        /// Another number.
        Other = 2,
    }
}

kernel_params! {
    /// Parameters of matmul, out = left right, and of addmm, out = beta addend + alpha left right.
    pub(crate) struct MatMulParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the left matrices.
        left: u64,
        /// Address of the right matrices.
        right: u64,
        /// addmm: address of the summand.
        addend: u64,
        /// Over the batch dimensions of out, left, right.
        batch: StridedIter<3>,
        /// Strides of a left matrix.
        left_strides: MatrixStrides,
        /// Strides of a right matrix.
        right_strides: MatrixStrides,
        /// Strides of the summand.
        addend_strides: MatrixStrides,
        /// Rows of the output.
        rows: u64,
        /// Columns of the output.
        columns: u64,
        /// Size of the inner dimension.
        depth: u64,
        /// Blocks of the grid's second dimension, which share the batch.
        batch_blocks: u64,
        /// alpha for integers, as an integer of the dtype.
        int_alpha: u64,
        /// beta for integers.
        int_beta: u64,
        /// alpha for floats.
        float_alpha: f64,
        /// beta for floats.
        float_beta: f64,
        /// 1: alpha is 1.
        unit_alpha: u32,
        /// Whether beta is 0, 1 or another number.
        beta_kind: BetaKind,
    }
}

/// Number of rows and of columns of a tile of the result, which a block computes (TILE of hip/gemm.h).
pub(super) const TILE: usize = 64;
/// The same for variant Large (hip/matmul.hip).
const LARGE: u64 = 128;

/// Largest number of blocks in the grid's second and third dimensions.
pub(super) const MOST_BLOCKS_Y: u64 = 65_535;

/// Returns the batch dimensions of a layout: all but the last two.
pub(super) fn batch(l: &Layout) -> Layout {
    let n = l.dims().len() - 2;
    Layout::new(DimVec::from_slice(&l.dims()[..n]).into(), DimVec::from_slice(&l.stride()[..n]), 0)
}

pub(super) fn last_two(l: &Layout) -> MatrixStrides {
    let n = l.stride().len();
    MatrixStrides { row: l.stride()[n - 2] as u64, column: l.stride()[n - 1] as u64 }
}

/// Returns the parameters of a product without addend.
fn product(a: &Operand<'_>, b: &Operand<'_>, out: &Operand<'_>) -> MatMulParams {
    let (al, bl) = (a.layout, b.layout);
    let r = al.dims().len();
    let batch = iter(&[&batch(out.layout), &batch(al), &batch(bl)]);
    MatMulParams {
        out: out.ptr,
        left: a.ptr,
        right: b.ptr,
        addend: 0,
        batch_blocks: batch.count.clamp(1, MOST_BLOCKS_Y),
        batch,
        left_strides: last_two(al),
        right_strides: last_two(bl),
        addend_strides: MatrixStrides::default(),
        rows: al.dims()[r - 2] as u64,
        columns: bl.dims()[r - 1] as u64,
        depth: al.dims()[r - 1] as u64,
        int_alpha: 1,
        int_beta: 0,
        float_alpha: 1.0,
        float_beta: 0.0,
        unit_alpha: 1,
        beta_kind: BetaKind::Zero,
    }
}

fn launch<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, p: &MatMulParams) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    let blocks = |tile: u64| p.rows.div_ceil(tile) * p.columns.div_ceil(tile);
    // Large tiles read less, small ones make blocks for every compute unit.
    let many = blocks(LARGE) * p.batch.count >= u64::from(c.dev.info().units);
    let half = matches!(out.dtype, DType::F16 | DType::BF16);
    let (variant, tile) = match (out.dtype, many) {
        // Matrix units of f16 and bf16 round in their own way.
        _ if half && crate::deterministic() => (Variant::Tile, TILE as u64),
        (DType::F32 | DType::F16 | DType::BF16, true) => (Variant::Large, LARGE),
        _ if half => (Variant::Matrix, TILE as u64),
        _ => (Variant::Tile, TILE as u64),
    };
    let kernel = Kernel::new(Unit::MatMul, out.dtype, c.name, variant);
    c.launch(kernel, [blocks(tile) as u32, p.batch_blocks as u32, 1], BLOCK, p)
}

pub(super) fn matmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (a, b, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    if blas::product(c, &a, &b, &out, None)? {
        return Ok(());
    }
    launch(c, &out, &product(&a, &b, &out))
}

pub(super) fn addmm<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AddMm(op) = c.op else { return Err(mismatch(c)) };
    let (x, a, b, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    if blas::product(c, &a, &b, &out, Some((x, op.alpha, op.beta)))? {
        return Ok(());
    }
    let mut p = product(&a, &b, &out);
    p.addend = x.ptr;
    p.addend_strides = last_two(x.layout);
    (p.int_alpha, p.int_beta) = (whole(x.dtype, op.alpha), whole(x.dtype, op.beta));
    (p.float_alpha, p.float_beta) = (op.alpha, op.beta);
    p.unit_alpha = u32::from(op.alpha == 1.0);
    p.beta_kind = match op.beta {
        0.0 => BetaKind::Zero,
        1.0 => BetaKind::One,
        _ => BetaKind::Other,
    };
    launch(c, &out, &p)
}

/// Converts a factor to an integer dtype. Its absolute value saturates; a negative factor wraps.
fn whole(dtype: DType, f: f64) -> u64 {
    let most = match dtype {
        DType::I8 => i8::MAX as u64,
        DType::U8 => u8::MAX as u64,
        DType::I16 => i16::MAX as u64,
        DType::U16 => u16::MAX as u64,
        DType::I32 => i32::MAX as u64,
        DType::U32 => u32::MAX as u64,
        DType::I64 => i64::MAX as u64,
        _ => u64::MAX,
    };
    let size = (f.abs() as u64).min(most);
    if f < 0.0 { size.wrapping_neg() } else { size }
}
