//! Pooling (hip/pooling.hip).
use super::dnn;
use super::elementwise::mismatch;
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Pool, last3, sizes};
use crate::{DType, Result, Shape};

kernel_params! {
    /// Parameters of pooling and of its gradients.
    pub(crate) struct PoolParams {
        /// The input of pooling.
        input: SpatialTensor,
        /// The gradient of the output of pooling.
        grad: SpatialTensor,
        /// Address of the result, which is row-major.
        out: u64,
        /// max_pool_backward: address of each window's maximum, as its row-major index in the input's plane.
        positions: u64,
        /// Elements of the result.
        count: u64,
        /// Channels.
        channels: u64,
        /// Spatial sizes of the input of pooling.
        input_size: [u64; 3],
        /// Spatial sizes of the output of pooling.
        output_size: [u64; 3],
        /// Sizes of a window.
        kernel_size: [u64; 3],
        /// Stride of the windows.
        stride: [u64; 3],
        /// Padding before the input.
        padding: [u64; 3],
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices need 64 bits.
        index64: u32,
        /// avg_pool: 1: padding counts as elements.
        count_padding: u32,
        /// Padding.
        unused: u32,
    }
}

/// The shapes of a pooling, and the operands of its kernel.
struct Pooling<'a> {
    pool: &'a Pool,
    input: &'a Shape,
    output: &'a Shape,
    x: Option<&'a Operand<'a>>,
    g: Option<&'a Operand<'a>>,
    /// For max_pool_backward: address of the positions of the windows' maxima.
    positions: u64,
    count_padding: bool,
}

impl Pooling<'_> {
    /// Launches a kernel that writes `n` elements at `out`.
    fn launch<R: Runtime>(&self, c: &Call<'_, R>, kernel: Kernel, out: u64, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let (w, spatial) = (self.pool.window(), self.pool.window().spatial());
        let (i, o) = (sizes(self.input, spatial)?, sizes(self.output, spatial)?);
        let tensor = |x: Option<&Operand<'_>>| x.map_or_else(SpatialTensor::default, SpatialTensor::new);
        let n = n as u64;
        let p = PoolParams {
            input: tensor(self.x),
            grad: tensor(self.g),
            out,
            positions: self.positions,
            count: n,
            channels: i[1] as u64,
            input_size: three(last3(i)),
            output_size: three(last3(o)),
            kernel_size: three(self.pool.kernel()),
            stride: three(w.stride()),
            padding: three(w.padding()),
            blocks: c.blocks(n),
            index64: index64(&[n]) as u32,
            count_padding: u32::from(self.count_padding),
            unused: 0,
        };
        c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
    }
}

fn kernel<R: Runtime>(c: &Call<'_, R>, t: DType) -> Kernel {
    Kernel::new(Unit::Pooling, t, c.op.definition(), Variant::Strided)
}

pub(super) fn max_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let (input, output) = (x.layout.shape(), out.layout.shape());
    let p =
        Pooling { pool: &op.pool, input, output, x: Some(&x), g: None, positions: 0, count_padding: false };
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn max_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let (input, output) = (x.layout.shape(), g.layout.shape());
    let mut p = Pooling {
        pool: &op.pool,
        input,
        output,
        x: Some(&x),
        g: Some(&g),
        positions: 0,
        count_padding: false,
    };
    let positions = c.dev.storage(DType::U64, g.count())?;
    let find = Kernel::new(Unit::Pooling, x.dtype, "max_pool", Variant::Positions);
    p.launch(c, find, positions.address(), g.count())?;
    p.positions = positions.address();
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn avg_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let (input, output, count_padding) = (x.layout.shape(), out.layout.shape(), op.count_include_pad);
    let p = Pooling { pool: &op.pool, input, output, x: Some(&x), g: None, positions: 0, count_padding };
    let native = |to: u64| p.launch(c, kernel(c, x.dtype), to, out.count());
    if dnn::average(c, op, false, &x, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}

pub(super) fn avg_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let (input, output, count_padding) = (out.layout.shape(), g.layout.shape(), op.avg.count_include_pad);
    let p = Pooling { pool: &op.avg.pool, input, output, x: None, g: Some(&g), positions: 0, count_padding };
    let native = |to: u64| p.launch(c, kernel(c, g.dtype), to, out.count());
    if dnn::average(c, &op.avg, true, &g, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}
