//! Pooling (hip/pool.hip).
use super::dnn;
use super::elementwise::mismatch;
use super::planes::{Planes, three, wide};
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Pool, last3, sizes};
use crate::{DType, Result, Shape};

/// Parameters of hip/pool.hip.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct PoolParams {
    x: Planes,
    g: Planes,
    out: u64,
    first: u64,
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

/// What a kernel of pooling does: the shapes of pooling itself, and what the kernel reads.
struct Pooling<'a> {
    pool: &'a Pool,
    input: &'a Shape,
    output: &'a Shape,
    x: Option<&'a Operand<'a>>,
    g: Option<&'a Operand<'a>>,
    /// Address of the places noted for max_pool_backward.
    first: u64,
    pad: bool,
}

impl Pooling<'_> {
    /// Launches a kernel over `n` elements at `out`.
    fn launch<R: Runtime>(&self, c: &Call<'_, R>, kernel: Kernel, out: u64, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let (w, spatial) = (self.pool.window(), self.pool.window().spatial());
        let (i, o) = (sizes(self.input, spatial)?, sizes(self.output, spatial)?);
        let planes = |x: Option<&Operand<'_>>| x.map_or_else(Planes::default, Planes::new);
        let n = n as u64;
        let p = PoolParams {
            x: planes(self.x),
            g: planes(self.g),
            out,
            first: self.first,
            n,
            channels: i[1] as u64,
            i: three(last3(i)),
            o: three(last3(o)),
            k: three(self.pool.kernel()),
            s: three(w.stride()),
            p: three(w.padding()),
            blocks: c.blocks(n),
            wide: wide(&[n]) as u32,
            pad: u32::from(self.pad),
            unused: 0,
        };
        c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
    }
}

fn kernel<R: Runtime>(c: &Call<'_, R>, t: DType) -> Kernel {
    Kernel { form: "s", ..Kernel::new(Unit::Pool, t, c.op.card()) }
}

pub(super) fn max_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let (input, output) = (x.layout.shape(), out.layout.shape());
    let p = Pooling { pool: &op.pool, input, output, x: Some(&x), g: None, first: 0, pad: false };
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn max_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (input, output) = (x.layout.shape(), g.layout.shape());
    let mut p = Pooling { pool: &op.pool, input, output, x: Some(&x), g: Some(&g), first: 0, pad: false };
    let first = c.dev.storage(DType::U64, g.count())?;
    let note = Kernel { form: "f", ..Kernel::new(Unit::Pool, x.dtype, "max_pool") };
    p.launch(c, note, first.address(), g.count())?;
    p.first = first.address();
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn avg_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let (input, output, pad) = (x.layout.shape(), out.layout.shape(), op.count_include_pad);
    let p = Pooling { pool: &op.pool, input, output, x: Some(&x), g: None, first: 0, pad };
    let native = |to: u64| p.launch(c, kernel(c, x.dtype), to, out.count());
    if dnn::average(c, op, false, &x, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}

pub(super) fn avg_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let (input, output, pad) = (out.layout.shape(), g.layout.shape(), op.avg.count_include_pad);
    let p = Pooling { pool: &op.avg.pool, input, output, x: None, g: Some(&g), first: 0, pad };
    let native = |to: u64| p.launch(c, kernel(c, g.dtype), to, out.count());
    if dnn::average(c, &op.avg, true, &g, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}
