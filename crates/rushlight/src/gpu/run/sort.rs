//! Sorting and running sums along a dimension (hip/sort.hip, hip/cumsum.hip).
use super::elementwise::mismatch;
use super::softmax::starts;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, StridedIter};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Result};

kernel_params! {
    /// Parameters of cumsum.
    pub(crate) struct CumSumParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the input.
        input: u64,
        /// Lines.
        lines: u64,
        /// Elements of a line.
        length: u64,
        /// Elements of the output from one element of a line to the next.
        inner: u64,
        /// Stride between the elements of a line of the input.
        step: u64,
        /// 1: from the last element on.
        reverse: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the lines in the input.
        line_starts: StridedIter<1>,
    }
}

kernel_params! {
    /// Parameters of argsort.
    pub(crate) struct SortParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the input.
        input: u64,
        /// Address of the keys of the runs to merge: [lines][length].
        keys: u64,
        /// Address of the positions of the runs to merge.
        positions: u64,
        /// Address of the keys that are sorted or merged.
        new_keys: u64,
        /// Address of the positions that are sorted or merged.
        new_positions: u64,
        /// Lines.
        lines: u64,
        /// Elements of a line.
        length: u64,
        /// Positions of the order that are left out at its beginning.
        start: u64,
        /// Elements of a line of the output.
        count: u64,
        /// Elements of the output from one element of a line to the next.
        inner: u64,
        /// Stride between the elements of a line of the input.
        step: u64,
        /// Tiles of a line.
        tiles: u64,
        /// Elements of a sorted run.
        run: u64,
        /// 1: this launch writes the result.
        last: u64,
        /// 1: in descending order.
        descending: u64,
        /// 1: the output is I64, 0: U32.
        output64: u64,
        /// Blocks of the grid.
        blocks: u64,
        /// First elements of the lines in the input.
        line_starts: StridedIter<1>,
    }
}

pub(super) fn cumsum<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CumSum(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.count() == 0 {
        return Ok(());
    }
    let dims = x.layout.dims();
    let line_starts = starts(dims, [x.layout.stride()], op.dim);
    let step = x.layout.stride()[op.dim] as u64;
    let last = line_starts.rank as usize - 1;
    let beside = line_starts.dims[last] >= 16 && line_starts.strides[0][last] < step;
    let (lines, threads) = (line_starts.count, u64::from(BLOCK));
    let (blocks, variant) = if beside {
        (c.blocks(lines), Variant::Thread)
    } else if lines >= 8 {
        (c.blocks(lines.div_ceil(32) * threads), Variant::Tile)
    } else {
        (c.blocks(lines * threads), Variant::Block)
    };
    let p = CumSumParams {
        out: out.ptr,
        input: x.ptr,
        lines,
        length: dims[op.dim] as u64,
        inner: dims[op.dim + 1..].iter().product::<usize>() as u64,
        step,
        reverse: u64::from(op.reverse),
        blocks: u64::from(blocks),
        line_starts,
    };
    c.launch(Kernel::new(Unit::CumSum, x.dtype, "cumsum", variant), [blocks, 1, 1], BLOCK, &p)
}

/// Number of elements that a block sorts (rl::TILE), and that a thread merges (rl::SEGMENT).
const TILE: u64 = 2048;
const SEGMENT: u64 = 8;

pub(super) fn argsort<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ArgSort(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if out.count() == 0 {
        return Ok(());
    }
    let dims = x.layout.dims();
    let ranks = op.ranks(dims[op.dim]);
    let line_starts = starts(dims, [x.layout.stride()], op.dim);
    let (lines, n) = (line_starts.count, dims[op.dim] as u64);
    let tiles = n.div_ceil(TILE);
    let mut p = SortParams {
        out: out.ptr,
        input: x.ptr,
        keys: 0,
        positions: 0,
        new_keys: 0,
        new_positions: 0,
        lines,
        length: n,
        start: ranks.start as u64,
        count: ranks.len() as u64,
        inner: dims[op.dim + 1..].iter().product::<usize>() as u64,
        step: x.layout.stride()[op.dim] as u64,
        tiles,
        run: TILE,
        last: u64::from(tiles == 1),
        descending: u64::from(op.descending),
        output64: u64::from(op.dtype == DType::I64),
        blocks: 0,
        line_starts,
    };
    let launch = |p: &mut SortParams, variant: Variant, threads: u64| {
        let blocks = c.blocks(threads);
        p.blocks = u64::from(blocks);
        c.launch(Kernel::new(Unit::Sort, x.dtype, "argsort", variant), [blocks, 1, 1], BLOCK, p)
    };
    if n <= 32 {
        return launch(&mut p, Variant::Group, lines * 32);
    }
    let position64 = n > 1 << 32;
    let tile = (if position64 { Variant::Tile64 } else { Variant::Tile }, lines * tiles * u64::from(BLOCK));
    if tiles == 1 {
        return launch(&mut p, tile.0, tile.1);
    }
    let total = x.count();
    let (key, position) = (x.dtype.size_in_bytes().max(4), if position64 { 8 } else { 4 });
    let memory = |bytes: usize| c.dev.storage(DType::U8, total * bytes);
    let sorted = (memory(key)?, memory(position)?);
    // A single merge pass writes the result directly.
    let merged = if tiles > 2 { Some((memory(key)?, memory(position)?)) } else { None };
    let mut from = (sorted.0.address(), sorted.1.address());
    let mut to = merged.as_ref().map_or((0, 0), |m| (m.0.address(), m.1.address()));
    (p.new_keys, p.new_positions) = from;
    launch(&mut p, tile.0, tile.1)?;
    while p.last == 0 {
        (p.keys, p.positions) = from;
        (p.new_keys, p.new_positions) = to;
        p.last = u64::from(2 * p.run >= n);
        launch(
            &mut p,
            if position64 { Variant::Merge64 } else { Variant::Merge },
            lines * n.div_ceil(SEGMENT),
        )?;
        p.run *= 2;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(())
}
