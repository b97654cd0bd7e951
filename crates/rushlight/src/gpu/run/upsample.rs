//! Upsampling and its gradients (hip/upsample.hip).
use super::elementwise::{mismatch, word};
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::resize::Resize;
use crate::ops::window::{last3, sizes};
use crate::{DType, Result, Shape};

kernel_params! {
    /// Parameters of upsampling and of its gradients.
    pub(crate) struct ResizeParams {
        /// The image, or the gradient of the resized image.
        input: SpatialTensor,
        /// Address of the result, which is row-major.
        out: u64,
        /// Elements of the result.
        count: u64,
        /// Channels.
        channels: u64,
        /// Spatial sizes of the image.
        old_size: [u64; 3],
        /// Spatial sizes of the resized image.
        new_size: [u64; 3],
        /// Scale factors; 0 where only sizes were given.
        factor: [f64; 3],
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices need 64 bits.
        index64: u32,
        /// Bilinear: 1: corner pixels keep their positions.
        align_corners: u32,
        /// Padding.
        unused: u32,
    }
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
    let (old_size, new_size) = (three(last3(old)), three(resize.size()));
    let p = ResizeParams {
        input: SpatialTensor::new(x),
        out: out.ptr,
        count: n,
        channels: old[1] as u64,
        old_size,
        new_size,
        factor: resize.factor(),
        blocks: c.blocks(n),
        index64: index64(&[n]) as u32,
        align_corners: u32::from(align),
        unused: 0,
    };
    let kernel = Kernel::new(Unit::Upsample, t, c.op.definition(), Variant::Strided);
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
