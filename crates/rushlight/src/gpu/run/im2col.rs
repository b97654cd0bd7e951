//! Windows of images as columns, and the sum of columns in images (hip/im2col.hip).
use super::elementwise::{mismatch, word};
use super::spatial::index64;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::im2col::Im2Col;
use crate::ops::window::sizes;
use crate::{DType, Result, Shape};

kernel_params! {
    /// Parameters of im2col and col2im.
    pub(crate) struct ColumnParams {
        /// Address of the first element of the kernel's input.
        input: u64,
        /// Address of the result, which is row-major.
        out: u64,
        /// Elements of the result.
        count: u64,
        /// Channels of an image.
        channels: u64,
        /// Strides of the input: four of images, three of columns.
        input_stride: [u64; 4],
        /// Height and width of an image.
        size: [u64; 2],
        /// Number of windows along each dimension.
        windows: [u64; 2],
        /// Sizes of a window.
        kernel_size: [u64; 2],
        /// Steps from one window to the next.
        stride: [u64; 2],
        /// Zeros on both sides of an image.
        padding: [u64; 2],
        /// Steps between the elements of a window.
        dilation: [u64; 2],
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices need 64 bits.
        index64: u32,
    }
}

fn launch<R: Runtime>(
    c: &Call<'_, R>,
    t: DType,
    windows: &Im2Col,
    images: &Shape,
    (input, out): (&Operand<'_>, &Operand<'_>),
) -> Result<()> {
    let n = out.count() as u64;
    if n == 0 {
        return Ok(());
    }
    let two = |v: [usize; 2]| v.map(|v| v as u64);
    let [_, channels, _, height, width] = sizes(images, 2)?;
    let mut input_stride = [0; 4];
    input_stride.iter_mut().zip(input.layout.stride()).for_each(|(to, from)| *to = *from as u64);
    let (size, padding) = (two([height, width]), two(windows.padding()));
    let p = ColumnParams {
        input: input.ptr,
        out: out.ptr,
        count: n,
        channels: channels as u64,
        input_stride,
        size,
        windows: two(windows.windows(c.name, images)?),
        kernel_size: two(windows.kernel()),
        stride: two(windows.stride()),
        padding,
        dilation: two(windows.dilation()),
        blocks: c.blocks(n),
        index64: index64(&[n, size[0] + 2 * padding[0], size[1] + 2 * padding[1]]) as u32,
    };
    c.launch(Kernel::new(Unit::Im2Col, t, c.name, Variant::Strided), [p.blocks, 1, 1], BLOCK, &p)
}

pub(super) fn im2col<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Im2Col(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    launch(c, word(x.dtype), op, x.layout.shape(), (&x, &out))
}

pub(super) fn col2im<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Col2Im(op) = c.op else { return Err(mismatch(c)) };
    let (columns, out) = (c.input(0)?, c.output(0)?);
    launch(c, columns.dtype, &op.windows, out.layout.shape(), (&columns, &out))
}
