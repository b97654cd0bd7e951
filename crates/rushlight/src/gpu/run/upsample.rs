//! Resizing of planes (hip/upsample.hip).
use super::elementwise::{mismatch, word};
use super::planes::{Planes, three, wide};
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::resize::Resize;
use crate::ops::window::{last3, sizes};
use crate::{DType, Result, Shape};

/// Parameters of hip/upsample.hip.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResizeParams {
    x: Planes,
    out: u64,
    n: u64,
    channels: u64,
    i: [u64; 3],
    o: [u64; 3],
    factor: [f64; 3],
    blocks: u32,
    wide: u32,
    align: u32,
    unused: u32,
}

/// Launches the op's kernel for `t` over the elements of `out`; `old` is the shape before resizing.
fn launch<R: Runtime>(
    c: &Call<'_, R>,
    t: DType,
    resize: &Resize,
    align: bool,
    old: &Shape,
    (x, out): (&Operand<'_>, &Operand<'_>),
) -> Result<()> {
    let n = out.count() as u64;
    if n == 0 {
        return Ok(());
    }
    let old = sizes(old, resize.spatial())?;
    let (i, o) = (three(last3(old)), three(resize.size()));
    let p = ResizeParams {
        x: Planes::new(x),
        out: out.ptr,
        n,
        channels: old[1] as u64,
        i,
        o,
        factor: resize.factor(),
        blocks: c.blocks(n),
        wide: wide(&[n]) as u32,
        align: u32::from(align),
        unused: 0,
    };
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Upsample, t, c.op.card()) };
    c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn nearest<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleNearest(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    launch(c, word(x.dtype), &op.resize, false, x.layout.shape(), (&x, &out))
}

pub(super) fn nearest_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleNearestBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    launch(c, g.dtype, &op.resize, false, out.layout.shape(), (&g, &out))
}

pub(super) fn bilinear<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleBilinear(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    launch(c, x.dtype, &op.resize, op.align_corners, x.layout.shape(), (&x, &out))
}

pub(super) fn bilinear_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleBilinearBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let f = &op.forward;
    launch(c, g.dtype, &f.resize, f.align_corners, out.layout.shape(), (&g, &out))
}
