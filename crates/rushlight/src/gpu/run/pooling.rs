//! Pooling (hip/pooling.hip).
use super::dnn;
use super::elementwise::mismatch;
use super::spatial::{SpatialTensor, index64, three};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::avg_pool::AvgPool;
use crate::ops::pool::Pool;
use crate::ops::window::{last3, sizes};
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
        /// max_pool_backward: address of the row-major index of each window's maximum in the input's plane.
        indices: u64,
        /// Elements of the result.
        count: u64,
        /// Channels.
        channels: u64,
        /// Spatial sizes of the input of pooling.
        input_size: [u64; 3],
        /// Spatial sizes of the output of pooling.
        output_size: [u64; 3],
        /// Sizes of a window, where they are regular.
        kernel_size: [u64; 3],
        /// Stride of the windows.
        stride: [u64; 3],
        /// Padding before the input.
        padding: [u64; 3],
        /// Steps between the elements of a window.
        dilation: [u64; 3],
        /// avg_pool: divisor of the sums; 0: the elements of the window.
        divisor: i64,
        /// Blocks of the grid.
        blocks: u32,
        /// 1: indices, coordinates or offsets in a plane need 64 bits.
        index64: u32,
        /// avg_pool: 1: padding counts as elements.
        count_padding: u32,
        /// 1: the windows follow from the sizes of the output.
        adaptive: u32,
    }
}

/// The shapes of a pooling, and the operands of its kernel.
struct Pooling<'a> {
    pool: &'a Pool,
    input: &'a Shape,
    output: &'a Shape,
    x: Option<&'a Operand<'a>>,
    g: Option<&'a Operand<'a>>,
    /// Address of the indices of the windows' maxima, for max_pool_backward.
    indices: u64,
    count_padding: bool,
    divisor: i64,
}

impl<'a> Pooling<'a> {
    fn max(pool: &'a Pool, input: &'a Shape, output: &'a Shape) -> Self {
        Self { pool, input, output, x: None, g: None, indices: 0, count_padding: false, divisor: 0 }
    }

    fn avg(op: &'a AvgPool, input: &'a Shape, output: &'a Shape) -> Self {
        let of = Self::max(&op.pool, input, output);
        Self { count_padding: op.count_include_pad, divisor: op.divisor, ..of }
    }

    /// Launches a kernel that writes `n` elements at `out`.
    fn launch<R: Runtime>(&self, c: &Call<'_, R>, kernel: Kernel, out: u64, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let (w, spatial) = (self.pool.window(), self.pool.window().spatial());
        let (i, o) = (sizes(self.input, spatial)?, sizes(self.output, spatial)?);
        let tensor = |x: Option<&Operand<'_>>| x.map_or_else(SpatialTensor::default, SpatialTensor::new);
        let n = n as u64;
        let (input, grad) = (tensor(self.x), tensor(self.g));
        let (i3, o3) = (last3(i), last3(o));
        let narrow = (0..3).all(|d| {
            let (step, before) = (w.stride()[d], w.padding()[d]);
            let span = self.pool.kernel()[d].saturating_mul(w.dilation()[d]);
            // No coordinate or size that the kernel computes is larger than these.
            let far = i3[d].saturating_add(span).saturating_add(before.saturating_mul(2));
            let products = (i3[d] + 1).saturating_mul(o3[d] + 1).max((o3[d] + 1).saturating_mul(step));
            far.max(products).max(w.dilation()[d]) < 1 << 31
        });
        let planes = [input.plane(i3), grad.plane(o3), i3.iter().product::<usize>() as u64];
        let p = PoolParams {
            input,
            grad,
            out,
            indices: self.indices,
            count: n,
            channels: i[1] as u64,
            input_size: three(i3),
            output_size: three(o3),
            kernel_size: three(self.pool.kernel()),
            stride: three(w.stride()),
            padding: three(w.padding()),
            dilation: three(w.dilation()),
            divisor: self.divisor,
            blocks: c.blocks(n),
            index64: u32::from(!narrow || index64(&[n, planes[0], planes[1], planes[2]]) == 1),
            count_padding: u32::from(self.count_padding),
            adaptive: u32::from(self.pool.is_adaptive()),
        };
        c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)
    }
}

fn kernel<R: Runtime>(c: &Call<'_, R>, t: DType) -> Kernel {
    Kernel::new(Unit::Pooling, t, c.op.definition(), Variant::Strided)
}

pub(super) fn max_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPool(op) = c.op else { return Err(mismatch(c)) };
    largest(c, &op.pool)
}

pub(super) fn max_pool_indices<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPoolIndices(op) = c.op else { return Err(mismatch(c)) };
    largest(c, &op.pool)
}

/// Computes the maximum of each window, or its index.
fn largest<R: Runtime>(c: &Call<'_, R>, pool: &Pool) -> Result<()> {
    let (x, out) = (c.input(0)?, c.output(0)?);
    let p = Pooling { x: Some(&x), ..Pooling::max(pool, x.layout.shape(), out.layout.shape()) };
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn max_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::MaxPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let of = Pooling::max(&op.pool, x.layout.shape(), g.layout.shape());
    let mut p = Pooling { x: Some(&x), g: Some(&g), ..of };
    let indices = c.dev.storage(DType::I64, g.count())?;
    let find = Kernel::new(Unit::Pooling, x.dtype, "max_pool_indices", Variant::Strided);
    p.launch(c, find, indices.address(), g.count())?;
    p.indices = indices.address();
    p.launch(c, kernel(c, x.dtype), out.ptr, out.count())
}

pub(super) fn avg_pool<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPool(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let p = Pooling { x: Some(&x), ..Pooling::avg(op, x.layout.shape(), out.layout.shape()) };
    let native = |to: u64| p.launch(c, kernel(c, x.dtype), to, out.count());
    if dnn::average(c, op, false, &x, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}

pub(super) fn avg_pool_backward<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AvgPoolBackward(op) = c.op else { return Err(mismatch(c)) };
    let (g, out) = (c.input(0)?, c.output(0)?);
    let p = Pooling { g: Some(&g), ..Pooling::avg(&op.avg, out.layout.shape(), g.layout.shape()) };
    let native = |to: u64| p.launch(c, kernel(c, g.dtype), to, out.count());
    if dnn::average(c, &op.avg, true, &g, &out, &native)? {
        return Ok(());
    }
    native(out.ptr)
}
