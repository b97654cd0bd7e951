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
        /// Address of the table of coordinates.
        taps: u64,
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices or offsets in a plane need 64 bits.
        index64: u32,
        /// Bilinear: 1: corner pixels keep their positions.
        align_corners: u32,
        /// 1: the result is aligned to 16 bytes.
        aligned: u32,
    }
}

/// Names of the kernels that write tables of coordinates.
const NEAREST: &str = "upsample_nearest";
const BILINEAR: &str = "upsample_bilinear";

/// Bytes of an entry of the table of coordinates: a coordinate, and for linear interpolation two weights of at most 8 bytes.
const TAP: usize = 24;

/// Launches the op's kernel for `t` over the elements of `out`, after the kernel `taps` that writes the table of coordinates;
/// `old` is the shape before resizing.
fn launch<R: Runtime>(
    c: &Call<'_, R>,
    (t, taps): (DType, &'static str),
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
    let input = SpatialTensor::new(x);
    let coordinates = new_size.iter().sum::<u64>();
    let table = c.dev.storage(DType::U64, coordinates as usize * (TAP / 8))?;
    let p = ResizeParams {
        input,
        out: out.ptr,
        count: n,
        channels: old[1] as u64,
        old_size,
        new_size,
        factor: resize.factor(),
        taps: table.address(),
        blocks: c.blocks(coordinates),
        index64: index64(&[n, x.count() as u64, input.plane(last3(old)), input.plane(resize.size())]) as u32,
        align_corners: u32::from(align),
        aligned: u32::from(out.ptr.is_multiple_of(16)),
    };
    let kernel = |name, variant| Kernel::new(Unit::Upsample, t, name, variant);
    c.launch(kernel(taps, Variant::Taps), [p.blocks, 1, 1], BLOCK, &p)?;
    let p = ResizeParams { blocks: c.blocks(n), ..p };
    c.launch(kernel(c.op.definition(), Variant::Strided), [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn nearest<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleNearest(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    launch(c, (word(x.dtype), NEAREST), &op.resize, false, x.layout.shape(), (&x, &out))
}

pub(super) fn nearest_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleNearestBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    launch(c, (g.dtype, NEAREST), &op.resize, false, out.layout.shape(), (&g, &out))
}

pub(super) fn bilinear<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleBilinear(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    launch(c, (x.dtype, BILINEAR), &op.resize, op.align_corners, x.layout.shape(), (&x, &out))
}

pub(super) fn bilinear_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::UpsampleBilinearBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let f = &op.forward;
    launch(c, (g.dtype, BILINEAR), &f.resize, f.align_corners, out.layout.shape(), (&g, &out))
}
