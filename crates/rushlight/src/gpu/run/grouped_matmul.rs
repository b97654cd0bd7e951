//! Grouped matrix products (hip/grouped_matmul.hip).
use super::matmul::{MOST_BLOCKS_Y, MatrixStrides, TILE, last_two};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::{Error, Result};

kernel_params! {
    /// Parameters of grouped_matmul.
    pub(crate) struct GroupedParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the left matrix.
        left: u64,
        /// Address of the right matrix or matrices.
        right: u64,
        /// Address of the ends of the groups, i32.
        ends: u64,
        /// Stride of the ends.
        ends_step: u64,
        /// Strides of the left matrix.
        left_strides: MatrixStrides,
        /// Strides of a right matrix.
        right_strides: MatrixStrides,
        /// Groups of rows: from one right matrix to the next.
        right_step: u64,
        /// Number of groups.
        groups: u64,
        /// Rows of the left matrix.
        rows: u64,
        /// Columns of the output.
        columns: u64,
        /// Size of the inner dimension.
        depth: u64,
        /// Blocks of the grid's second dimension, which share tiles of rows or groups.
        shared_blocks: u32,
        /// 1: groups of rows, 0: of the inner dimension.
        by_rows: u32,
    }
}

pub(super) fn grouped_matmul<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let (a, b, offs, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output(0)?);
    if out.count() == 0 {
        return Ok(());
    }
    let by_rows = b.layout.dims().len() == 3;
    let (rows, depth) = (a.layout.dims()[0] as u64, a.layout.dims()[1] as u64);
    let columns = b.layout.dims()[b.layout.dims().len() - 1] as u64;
    let (groups, tile) = (offs.count() as u64, TILE as u64);
    let across = columns.div_ceil(tile);
    // Each group, and the rows after the last group, has at most one incomplete tile of rows.
    let (tiles, shared) = if by_rows {
        (across, rows.div_ceil(tile) + groups + 1)
    } else {
        (across * rows.div_ceil(tile), groups)
    };
    let p = GroupedParams {
        out: out.ptr,
        left: a.ptr,
        right: b.ptr,
        ends: offs.ptr,
        ends_step: offs.layout.stride()[0] as u64,
        left_strides: last_two(a.layout),
        right_strides: last_two(b.layout),
        right_step: if by_rows { b.layout.stride()[0] as u64 } else { 0 },
        groups,
        rows,
        columns,
        depth,
        shared_blocks: shared.clamp(1, MOST_BLOCKS_Y) as u32,
        by_rows: u32::from(by_rows),
    };
    let tiles = u32::try_from(tiles).map_err(|_| Error::invalid(c.name, "the product has too many tiles"))?;
    let kernel = Kernel::new(Unit::GroupedMatMul, out.dtype, c.name, Variant::Tile);
    c.launch(kernel, [tiles, p.shared_blocks, 1], BLOCK, &p)
}
