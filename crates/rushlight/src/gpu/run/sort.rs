//! Sorting and running sums along a dimension (hip/sort.hip, hip/cumsum.hip).
use super::elementwise::mismatch;
use super::softmax::starts;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Walk};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::{DType, Result};

/// Parameters of running sums (rl::Scan).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan {
    out: u64,
    x: u64,
    lines: u64,
    n: u64,
    inner: u64,
    step: u64,
    reverse: u64,
    blocks: u64,
    kept: Walk<1>,
}

/// Parameters of sorting (rl::Order).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order {
    out: u64,
    x: u64,
    keys: u64,
    places: u64,
    new_keys: u64,
    new_places: u64,
    lines: u64,
    n: u64,
    inner: u64,
    step: u64,
    tiles: u64,
    run: u64,
    last: u64,
    descending: u64,
    wide: u64,
    blocks: u64,
    kept: Walk<1>,
}

pub(super) fn cumsum<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::CumSum(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.count() == 0 {
        return Ok(());
    }
    let dims = x.layout.dims();
    let kept = starts(dims, [x.layout.stride()], op.dim);
    let step = x.layout.stride()[op.dim] as u64;
    let last = kept.rank as usize - 1;
    let beside = kept.dims[last] >= 16 && kept.strides[0][last] < step;
    let (lines, threads) = (kept.n, u64::from(BLOCK));
    let (blocks, form) = if beside {
        (c.blocks(lines), "t")
    } else if lines >= 8 {
        (c.blocks(lines.div_ceil(32) * threads), "l")
    } else {
        (c.blocks(lines * threads), "o")
    };
    let p = Scan {
        out: out.ptr,
        x: x.ptr,
        lines,
        n: dims[op.dim] as u64,
        inner: dims[op.dim + 1..].iter().product::<usize>() as u64,
        step,
        reverse: u64::from(op.reverse),
        blocks: u64::from(blocks),
        kept,
    };
    c.launch(Kernel { form, ..Kernel::new(Unit::CumSum, x.dtype, "cumsum") }, [blocks, 1, 1], BLOCK, &p)
}

/// Elements that a block sorts (rl::TILE), and that a thread merges (rl::SEGMENT).
const TILE: u64 = 2048;
const SEGMENT: u64 = 8;

pub(super) fn argsort<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ArgSort(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    if x.count() == 0 {
        return Ok(());
    }
    let dims = x.layout.dims();
    let kept = starts(dims, [x.layout.stride()], op.dim);
    let (lines, n) = (kept.n, dims[op.dim] as u64);
    let tiles = n.div_ceil(TILE);
    let mut p = Order {
        out: out.ptr,
        x: x.ptr,
        keys: 0,
        places: 0,
        new_keys: 0,
        new_places: 0,
        lines,
        n,
        inner: dims[op.dim + 1..].iter().product::<usize>() as u64,
        step: x.layout.stride()[op.dim] as u64,
        tiles,
        run: TILE,
        last: u64::from(tiles == 1),
        descending: u64::from(op.descending),
        wide: u64::from(op.dtype == DType::I64),
        blocks: 0,
        kept,
    };
    let launch = |p: &mut Order, form: &'static str, threads: u64| {
        let blocks = c.blocks(threads);
        p.blocks = u64::from(blocks);
        c.launch(Kernel { form, ..Kernel::new(Unit::Sort, x.dtype, "argsort") }, [blocks, 1, 1], BLOCK, p)
    };
    if n <= 32 {
        return launch(&mut p, "g", lines * 32);
    }
    let wide = n > 1 << 32;
    let tile = (if wide { "bw" } else { "b" }, lines * tiles * u64::from(BLOCK));
    if tiles == 1 {
        return launch(&mut p, tile.0, tile.1);
    }
    let total = x.count();
    let (key, place) = (x.dtype.size_in_bytes().max(4), if wide { 8 } else { 4 });
    let memory = |bytes: usize| c.dev.storage(DType::U8, total * bytes);
    let sorted = (memory(key)?, memory(place)?);
    // A single merge writes the result at once.
    let merged = if tiles > 2 { Some((memory(key)?, memory(place)?)) } else { None };
    let mut from = (sorted.0.address(), sorted.1.address());
    let mut to = merged.as_ref().map_or((0, 0), |m| (m.0.address(), m.1.address()));
    (p.new_keys, p.new_places) = from;
    launch(&mut p, tile.0, tile.1)?;
    while p.last == 0 {
        (p.keys, p.places) = from;
        (p.new_keys, p.new_places) = to;
        p.last = u64::from(2 * p.run >= n);
        launch(&mut p, if wide { "mw" } else { "m" }, lines * n.div_ceil(SEGMENT))?;
        p.run *= 2;
        std::mem::swap(&mut from, &mut to);
    }
    Ok(())
}
