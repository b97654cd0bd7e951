//! Products of sparse and dense matrices (hip/sparse.hip).
use super::elementwise::mismatch;
use super::index::IndexTensor;
use super::matmul::{MatrixStrides, last_two};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::csr_matmul::CsrMatMul;
use crate::ops::sampled_matmul::SampledMatMul;
use crate::ops::{IndexMode, Op};
use crate::{Error, Result};

kernel_params! {
    /// Parameters of csr_matmul, with the entries in `a` and the dense matrix in `b`, and of sampled_matmul.
    pub(crate) struct SparseParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the first operand.
        a: u64,
        /// Address of the second operand.
        b: u64,
        /// Strides of the first operand; entries have that of columns.
        a_strides: MatrixStrides,
        /// Strides of the second operand.
        b_strides: MatrixStrides,
        /// Starts of the rows, or the row of each element.
        first: IndexTensor,
        /// Column of each entry.
        second: IndexTensor,
        /// Stride of `first`.
        first_step: u64,
        /// Stride of `second`.
        second_step: u64,
        /// Elements of the output.
        count: u64,
        /// Elements of `first` and of `second`, all of which csr_matmul checks.
        starts: u64,
        /// See `starts`.
        entries: u64,
        /// Columns of the output of csr_matmul; terms of an element of sampled_matmul.
        width: u64,
        /// Blocks of the grid.
        blocks: u64,
    }
}

/// Lanes that compute an element of sampled_matmul.
const LANES: u64 = 32;

pub(super) fn csr_matmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CsrMatMul(CsrMatMul { rule }) = *c.op else { return Err(mismatch(c)) };
    let (values, dense) = (c.input(0)?, c.input(1)?);
    let &[inner, columns] = dense.layout.dims() else { return Err(mismatch(c)) };
    let a_strides = MatrixStrides { row: 0, column: values.layout.stride()[0] as u64 };
    let entries = values.count();
    run(c, a_strides, [(entries + 1, IndexMode::Within), (inner, rule)], columns, 1)
}

pub(super) fn sampled_matmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::SampledMatMul(SampledMatMul { rule }) = *c.op else { return Err(mismatch(c)) };
    let (a, b) = (c.input(0)?, c.input(1)?);
    let (&[rows, depth], &[columns, _]) = (a.layout.dims(), b.layout.dims()) else { return Err(mismatch(c)) };
    run(c, last_two(a.layout), [(rows, rule), (columns, rule)], depth, LANES)
}

/// Launches a kernel; `indices` are the sizes and rules of the index tensors, and `lanes` threads compute an element.
fn run<R: Runtime>(
    c: &Call<'_, R>,
    a_strides: MatrixStrides,
    indices: [(usize, IndexMode); 2],
    width: usize,
    lanes: u64,
) -> Result<()> {
    let (a, b, first, second, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.input(3)?, c.output(0)?);
    let count = out.count() as u64;
    let tensor = |o: &Operand<'_>, (size, rule)| IndexTensor::new(c, o, size, rule);
    let step = |o: &Operand<'_>| o.layout.stride()[0] as u64;
    let threads =
        count.checked_mul(lanes).ok_or_else(|| Error::invalid(c.name, "the result is too large"))?;
    let (starts, entries) = (first.count() as u64, second.count() as u64);
    let threads = threads.max(starts).max(entries);
    if threads == 0 {
        return Ok(());
    }
    let blocks = c.blocks(threads);
    let p = SparseParams {
        out: out.ptr,
        a: a.ptr,
        b: b.ptr,
        a_strides,
        b_strides: last_two(b.layout),
        first: tensor(&first, indices[0])?,
        second: tensor(&second, indices[1])?,
        first_step: step(&first),
        second_step: step(&second),
        count,
        starts,
        entries,
        width: width as u64,
        blocks: u64::from(blocks),
    };
    c.launch(Kernel::new(Unit::Sparse, out.dtype, c.name, Variant::Row), [blocks, 1, 1], BLOCK, &p)
}
