//! Pooling (hip/pool.hip).
use super::elementwise::mismatch;
use super::planes::{Planes, three, wide};
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Pool, last3, sizes};
use crate::{Result, Shape};

/// Parameters of hip/pool.hip.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolParams {
    x: Planes,
    g: Planes,
    out: u64,
    n: u64,
    channels: u64,
    i: [u64; 3],
    o: [u64; 3],
    k: [u64; 3],
    s: [u64; 3],
    p: [u64; 3],
    blocks: u32,
    wide: u32,
    pad: u32,
    unused: u32,
}

/// What a pool reads: its input, the gradient of its output, or both.
struct Reads<'a> {
    x: Option<&'a Operand<'a>>,
    g: Option<&'a Operand<'a>>,
    pad: bool,
}

/// Launches the op's kernel over the elements of `out`; `input` and `output` are the shapes of pooling itself.
fn launch<R: Runtime>(
    c: &Call<'_, R>,
    pool: &Pool,
    (input, output): (&Shape, &Shape),
    reads: &Reads<'_>,
    out: &Operand<'_>,
) -> Result<()> {
    let n = out.count() as u64;
    if n == 0 {
        return Ok(());
    }
    let (w, spatial) = (pool.window(), pool.window().spatial());
    let (i, o) = (sizes(input, spatial)?, sizes(output, spatial)?);
    let planes = |x: Option<&Operand<'_>>| x.map_or_else(Planes::default, Planes::new);
    let p = PoolParams {
        x: planes(reads.x),
        g: planes(reads.g),
        out: out.ptr,
        n,
        channels: i[1] as u64,
        i: three(last3(i)),
        o: three(last3(o)),
        k: three(pool.kernel()),
        s: three(w.stride()),
        p: three(w.padding()),
        blocks: c.blocks(n),
        wide: wide(&[n]) as u32,
        pad: u32::from(reads.pad),
        unused: 0,
    };
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Pool, out.dtype, c.op.card()) };
    c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn max_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let reads = Reads { x: Some(&x), g: None, pad: false };
    launch(c, &op.pool, (x.layout.shape(), out.layout.shape()), &reads, &out)
}

pub(super) fn max_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let reads = Reads { x: Some(&x), g: Some(&g), pad: false };
    launch(c, &op.pool, (x.layout.shape(), g.layout.shape()), &reads, &out)
}

pub(super) fn avg_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let reads = Reads { x: Some(&x), g: None, pad: op.count_include_pad };
    launch(c, &op.pool, (x.layout.shape(), out.layout.shape()), &reads, &out)
}

pub(super) fn avg_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let reads = Reads { x: None, g: Some(&g), pad: op.avg.count_include_pad };
    launch(c, &op.avg.pool, (out.layout.shape(), g.layout.shape()), &reads, &out)
}
