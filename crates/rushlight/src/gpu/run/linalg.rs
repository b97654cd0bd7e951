//! Factorizations of matrices and solutions of triangular systems (hip/linalg.hip).
use super::elementwise::mismatch;
use super::matmul::{MatrixStrides, last_two};
use super::solver;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand, StridedIter, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{Layout, Result};

kernel_params! {
    /// Parameters of factorizations, whose input is `a`, and of solutions of `a` for `b`. Outputs are row-major.
    pub(crate) struct LinalgParams {
        /// Address of the output.
        out: u64,
        /// Address of the first operand.
        a: u64,
        /// Address of the second operand.
        b: u64,
        /// Strides of a matrix of the first operand.
        a_strides: MatrixStrides,
        /// Strides of a matrix of the second operand.
        b_strides: MatrixStrides,
        /// Matrices.
        matrices: u64,
        /// Rows of a matrix.
        rows: u64,
        /// Columns of a matrix; of a solution; exchanges of rows.
        columns: u64,
        /// Columns that a block solves for: a power of two, at most 32.
        width: u64,
        /// 1: the triangular matrix is an upper one.
        upper: u64,
        /// 1: its diagonal counts as ones.
        unit: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the matrices of the first operand.
        a_starts: StridedIter<1>,
        /// First elements of the matrices of the second operand.
        b_starts: StridedIter<1>,
    }
}

/// Returns the iteration over a layout without its last `inner` dimensions.
pub(super) fn starts(l: &Layout, inner: usize) -> StridedIter<1> {
    let outer = l.dims().len() - inner;
    iter_of(l.dims(), [l.stride()], |d| d < outer)
}

/// Returns the parameters of an op of matrices of one operand.
fn params(a: &Operand<'_>, out: &Operand<'_>) -> LinalgParams {
    let a_starts = starts(a.layout, 2);
    let dims = &a.layout.dims()[a.layout.dims().len() - 2..];
    LinalgParams {
        out: out.ptr,
        a: a.ptr,
        b: 0,
        a_strides: last_two(a.layout),
        b_strides: MatrixStrides::default(),
        matrices: a_starts.count,
        rows: dims[0] as u64,
        columns: dims[1] as u64,
        width: 0,
        upper: 0,
        unit: 0,
        blocks: 0,
        a_starts,
        b_starts: a_starts,
    }
}

/// Launches a kernel with a block for each of `items`, limited to a number that fills the device.
fn launch<R: Runtime>(c: &Call<'_, R>, a: &Operand<'_>, items: u64, mut p: LinalgParams) -> Result<()> {
    let blocks = c.blocks(items.saturating_mul(u64::from(BLOCK)));
    p.blocks = u64::from(blocks);
    c.launch(Kernel::new(Unit::Linalg, a.dtype, c.name, Variant::Block), [blocks, 1, 1], BLOCK, &p)
}

/// cholesky and lu_factor.
pub(super) fn factor<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (a, out) = (c.input(0)?, c.output(0)?);
    if out.count() == 0 || solver::decompose(c)? {
        return Ok(());
    }
    let p = params(&a, &out);
    launch(c, &a, p.matrices, p)
}

pub(super) fn solve_triangular<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::SolveTriangular(op) = c.op else { return Err(mismatch(c)) };
    let (a, b, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    if out.count() == 0 {
        return Ok(());
    }
    let columns = b.layout.dims()[b.layout.dims().len() - 1] as u64;
    let width = columns.next_power_of_two().min(32);
    let p = LinalgParams {
        b: b.ptr,
        b_strides: last_two(b.layout),
        columns,
        width,
        upper: u64::from(op.upper),
        unit: u64::from(op.unit),
        b_starts: starts(b.layout, 2),
        ..params(&a, &out)
    };
    launch(c, &a, p.matrices * columns.div_ceil(width), p)
}

pub(super) fn pivots_to_permutation<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::PivotsToPermutation(op) = c.op else { return Err(mismatch(c)) };
    let (pivots, out) = (c.input(0)?, c.output(0)?);
    if out.count() == 0 {
        return Ok(());
    }
    let last = pivots.layout.dims().len() - 1;
    let a_starts = starts(pivots.layout, 1);
    let blocks = c.blocks(a_starts.count);
    let p = LinalgParams {
        out: out.ptr,
        a: pivots.ptr,
        b: 0,
        a_strides: MatrixStrides { row: 0, column: pivots.layout.stride()[last] as u64 },
        b_strides: MatrixStrides::default(),
        matrices: a_starts.count,
        rows: op.rows as u64,
        columns: pivots.layout.dims()[last] as u64,
        width: 0,
        upper: 0,
        unit: 0,
        blocks: u64::from(blocks),
        a_starts,
        b_starts: a_starts,
    };
    c.launch(Kernel::new(Unit::Linalg, pivots.dtype, c.name, Variant::Thread), [blocks, 1, 1], BLOCK, &p)
}
