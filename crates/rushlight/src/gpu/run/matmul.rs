//! Matrix products.
use super::blas;
use super::elementwise::mismatch;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand, Walk, walk};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::shape::DimVec;
use crate::{DType, Layout, Result};

/// A matrix, by the strides of its rows and columns.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Strides {
    pub row: u64,
    pub column: u64,
}

/// Parameters of hip/matmul.hip.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatMulParams {
    ptr: [u64; 4],
    batch: Walk<3>,
    of: [Strides; 3],
    m: u64,
    n: u64,
    k: u64,
    batches: u64,
    alpha: u64,
    beta: u64,
    falpha: f64,
    fbeta: f64,
    unit_alpha: u32,
    kind_beta: u32,
}

/// Rows and columns of results that a block makes (TILE of hip/gemm.h).
pub(super) const TILE: usize = 64;

/// Most blocks in the grid's second and third dimensions.
pub(super) const MOST: u64 = 65_535;

/// A layout's leading dimensions, without the last two.
pub(super) fn batch(l: &Layout) -> Layout {
    let n = l.dims().len() - 2;
    Layout::new(DimVec::from_slice(&l.dims()[..n]).into(), DimVec::from_slice(&l.stride()[..n]), 0)
}

pub(super) fn last_two(l: &Layout) -> Strides {
    let n = l.stride().len();
    Strides { row: l.stride()[n - 2] as u64, column: l.stride()[n - 1] as u64 }
}

/// The parameters of a plain product.
fn product(a: &Operand<'_>, b: &Operand<'_>, out: &Operand<'_>) -> MatMulParams {
    let (al, bl) = (a.layout, b.layout);
    let r = al.dims().len();
    let batch = walk(&[&batch(out.layout), &batch(al), &batch(bl)]);
    MatMulParams {
        ptr: [out.ptr, a.ptr, b.ptr, 0],
        of: [last_two(al), last_two(bl), Strides::default()],
        m: al.dims()[r - 2] as u64,
        n: bl.dims()[r - 1] as u64,
        k: al.dims()[r - 1] as u64,
        batches: batch.n.clamp(1, MOST),
        batch,
        alpha: 1,
        beta: 0,
        falpha: 1.0,
        fbeta: 0.0,
        unit_alpha: 1,
        kind_beta: 0,
    }
}

fn launch<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, p: &MatMulParams) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    let tile = TILE as u64;
    let tiles = p.m.div_ceil(tile) * p.n.div_ceil(tile);
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::MatMul, out.dtype, c.name) };
    c.launch(kernel, [tiles as u32, p.batches as u32, 1], BLOCK, p)
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
    p.ptr[3] = x.ptr;
    p.of[2] = last_two(x.layout);
    (p.alpha, p.beta) = (whole(x.dtype, op.alpha), whole(x.dtype, op.beta));
    (p.falpha, p.fbeta) = (op.alpha, op.beta);
    p.unit_alpha = u32::from(op.alpha == 1.0);
    p.kind_beta = match op.beta {
        0.0 => 0,
        1.0 => 1,
        _ => 2,
    };
    launch(c, &out, &p)
}

/// A factor for an integer dtype: its size saturates, a negative one wraps.
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
