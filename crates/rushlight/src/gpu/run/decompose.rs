//! Decompositions of matrices (hip/decompose.hip).
use super::elementwise::mismatch;
use super::linalg::starts;
use super::matmul::{MatrixStrides, last_two};
use super::solver;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, StridedIter};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Result};

kernel_params! {
    /// Parameters of qr, eigh and svd. Outputs are row-major.
    pub(crate) struct DecomposeParams {
        /// Address of the output.
        out: u64,
        /// Address of the input.
        a: u64,
        /// Address of scratch memory.
        scratch: u64,
        /// Bytes of scratch memory for each block.
        room: u64,
        /// Strides of a matrix.
        a_strides: MatrixStrides,
        /// Matrices.
        matrices: u64,
        /// Rows of a matrix.
        rows: u64,
        /// Columns of a matrix.
        columns: u64,
        /// Columns of Q, of eigenvectors or of U.
        left: u64,
        /// Rows of R or of V^T.
        right: u64,
        /// Steps after which an iteration has failed.
        most: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the matrices.
        a_starts: StridedIter<1>,
    }
}

/// Steps of an iteration for each value, as on the CPU.
const EIGENVALUE_STEPS: usize = 50;
const SINGULAR_VALUE_SWEEPS: usize = 60;

/// qr, eigh and svd.
pub(super) fn decompose<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (a, out) = (c.input(0)?, c.output(0)?);
    if out.count() == 0 {
        return Ok(());
    }
    if solver::decompose(c)? {
        return Ok(());
    }
    let dims = &a.layout.dims()[a.layout.dims().len() - 2..];
    let (m, n) = (dims[0], dims[1]);
    let (short, long) = (m.min(n), m.max(n));
    // A reflection is a vector and a number.
    let reflections = |count: usize, height: usize| count.saturating_mul(height + 1);
    let (left, right, order, elements, most) = match c.op {
        Op::Qr(op) => {
            let (left, right) = op.mode.sizes(m, n);
            (left, right, 0, m * n + reflections(short, m), 0)
        }
        Op::Eigh(op) => {
            let elements = n * n + reflections(n.saturating_sub(1), n) + 6 * n;
            (if op.vectors { n } else { 0 }, 0, n, elements, EIGENVALUE_STEPS * n)
        }
        Op::Svd(op) => {
            let (left, right) = op.mode.sizes(m, n);
            let width = if m < n { right } else { left };
            let factors = if width > 0 { 2 * long * width + short * short } else { 0 };
            let of_both = reflections(short, long) + reflections(short.saturating_sub(1), short);
            let elements = m * n + of_both + 8 * short + long + factors;
            (left, right, short, elements, SINGULAR_VALUE_SWEEPS * short)
        }
        _ => return Err(mismatch(c)),
    };
    let a_starts = starts(a.layout, 2);
    let blocks = c.blocks(a_starts.count.saturating_mul(u64::from(BLOCK)));
    let bytes = elements.saturating_mul(a.dtype.size_in_bytes()).saturating_add(order * size_of::<u64>());
    let room = bytes.next_multiple_of(16);
    let scratch = c.dev.storage(DType::U8, room.saturating_mul(blocks as usize))?;
    let p = DecomposeParams {
        out: out.ptr,
        a: a.ptr,
        scratch: scratch.address(),
        room: room as u64,
        a_strides: last_two(a.layout),
        matrices: a_starts.count,
        rows: m as u64,
        columns: n as u64,
        left: left as u64,
        right: right as u64,
        most: most as u64,
        blocks: u64::from(blocks),
        a_starts,
    };
    c.launch(Kernel::new(Unit::Decompose, a.dtype, c.name, Variant::Block), [blocks, 1, 1], BLOCK, &p)
}
