//! Convolutions: products in tiles that read windows as they lie (hip/conv.hip).
use super::dnn;
use super::elementwise::mismatch;
use super::matmul::{MOST, TILE};
use super::planes::{Planes, three, wide};
use crate::gpu::dnn::Direction;
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::window::{Window, last3, sizes};
use crate::{DType, Result, Shape};

/// Parameters of hip/conv.hip.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct ConvParams {
    a: Planes,
    b: Planes,
    out: u64,
    batch: u64,
    groups: u64,
    ci: u64,
    co: u64,
    i: [u64; 3],
    o: [u64; 3],
    k: [u64; 3],
    s: [u64; 3],
    p: [u64; 3],
    d: [u64; 3],
    phases: [u64; 3],
    sums: u64,
    slices: u64,
    grid_y: u64,
    grid_z: u64,
    wide: u64,
}

fn volume(v: &[u64; 3]) -> u64 {
    v.iter().product()
}

/// A convolution's geometry: windows slide over `input`, `output` has a place for each.
struct Shapes<'a> {
    window: &'a Window,
    groups: u32,
    input: &'a Shape,
    kernel: &'a Shape,
    output: &'a Shape,
}

impl Shapes<'_> {
    fn params(&self, a: &Operand<'_>, b: &Operand<'_>, out: &Operand<'_>) -> Result<ConvParams> {
        let (w, n) = (self.window, self.window.spatial());
        let (x, y) = (sizes(self.input, n)?, sizes(self.output, n)?);
        let k = three(last3(sizes(self.kernel, n)?));
        let groups = u64::from(self.groups).max(1);
        let (i, o, s) = (three(last3(x)), three(last3(y)), three(w.stride()));
        let (ci, co, batch) = (x[1] as u64 / groups, y[1] as u64 / groups, x[0] as u64);
        let phases = std::array::from_fn(|d| s[d].min(i[d]).max(1));
        let most = [batch * volume(&i), batch * volume(&o), ci * volume(&k), co * volume(&k)];
        Ok(ConvParams {
            a: Planes::new(a),
            b: Planes::new(b),
            out: out.ptr,
            batch,
            groups,
            ci,
            co,
            i,
            o,
            k,
            s,
            p: three(w.padding()),
            d: three(w.dilation()),
            phases,
            sums: 0,
            slices: 1,
            grid_y: groups.min(MOST),
            grid_z: 1,
            wide: wide(&most) | wide(&i) | wide(&o) | wide(&k),
        })
    }
}

/// Groups of at most this many channels leave tiles empty.
const FEW: u64 = 4;

/// Launches blocks for the tiles of an `m x n` product of each group; of few channels, threads for the elements.
fn products<R: Runtime>(
    c: &Call<'_, R>,
    out: &Operand<'_>,
    (m, n): (u64, u64),
    p: &mut ConvParams,
) -> Result<()> {
    if p.groups == 1 || m > FEW || out.count() == 0 {
        return launch(c, out, (m, n), p);
    }
    let elements = out.count() as u64;
    let blocks = c.blocks(elements);
    (p.grid_z, p.wide) = (u64::from(blocks), p.wide | wide(&[elements]));
    let kernel = Kernel { form: "d", ..Kernel::new(Unit::Conv, out.dtype, c.op.card()) };
    c.launch(kernel, [blocks, 1, 1], BLOCK, p)
}

/// Launches blocks for the tiles of an `m x n` product of each group.
fn launch<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, (m, n): (u64, u64), p: &ConvParams) -> Result<()> {
    if out.count() == 0 {
        return Ok(());
    }
    let tile = TILE as u64;
    let tiles = m.div_ceil(tile) * n.div_ceil(tile);
    let kernel = Kernel { form: "s", ..Kernel::new(Unit::Conv, out.dtype, c.op.card()) };
    c.launch(kernel, [tiles as u32, p.grid_y as u32, p.grid_z as u32], BLOCK, p)
}

pub(super) fn conv<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Conv(op) = c.op else { return Err(mismatch(c)) };
    let (x, kernel, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: x.layout.shape(),
        kernel: kernel.layout.shape(),
        output: out.layout.shape(),
    };
    let native = |out: &Operand<'_>| {
        let mut p = shapes.params(&kernel, &x, out)?;
        products(c, out, (p.co, p.batch * volume(&p.o)), &mut p)
    };
    let operands = [&x, &kernel, &out];
    if dnn::conv(c, Direction::Forward, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

pub(super) fn conv_transpose<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ConvTranspose(op) = c.op else { return Err(mismatch(c)) };
    let (y, kernel, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: out.layout.shape(),
        kernel: kernel.layout.shape(),
        output: y.layout.shape(),
    };
    let native = |out: &Operand<'_>| {
        let mut p = shapes.params(&kernel, &y, out)?;
        p.grid_z = volume(&p.phases).min(MOST);
        // The first phase has the most places.
        let places: u64 = (0..3).map(|d| p.i[d].div_ceil(p.s[d])).product();
        products(c, out, (p.ci, p.batch * places), &mut p)
    };
    let operands = [&out, &kernel, &y];
    if dnn::conv(c, Direction::BackwardData, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

pub(super) fn conv_weight_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::ConvWeightGrad(op) = c.op else { return Err(mismatch(c)) };
    let (x, g, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let shapes = Shapes {
        window: &op.window,
        groups: op.groups,
        input: x.layout.shape(),
        kernel: out.layout.shape(),
        output: g.layout.shape(),
    };
    let native = |out: &Operand<'_>| weight_grad(c, out, shapes.params(&g, &x, out)?);
    let operands = [&x, &out, &g];
    if dnn::conv(c, Direction::BackwardWeights, (&op.window, op.groups), operands, &native)? {
        return Ok(());
    }
    native(&out)
}

fn weight_grad<R: Runtime>(c: &Call<'_, R>, out: &Operand<'_>, mut p: ConvParams) -> Result<()> {
    let (m, n) = (p.co, p.ci * volume(&p.k));
    p.slices = slices(m, n * p.groups, p.batch * volume(&p.o));
    if p.slices == 1 {
        return launch(c, out, (m, n), &p);
    }
    let t = if out.dtype == DType::F64 { DType::F64 } else { DType::F32 };
    let sums = c.dev.storage(t, p.slices as usize * out.count())?;
    (p.sums, p.grid_z) = (sums.address(), p.slices);
    launch(c, out, (m, n), &p)?;
    let blocks = c.blocks(out.count() as u64);
    p.grid_z = u64::from(blocks);
    let end = Kernel { form: "end", ..Kernel::new(Unit::Conv, out.dtype, "conv_weight_grad") };
    c.launch(end, [blocks, 1, 1], BLOCK, &p)
}

/// Slices of an inner dimension of `k`, so that an `m x n` result keeps a device busy. They follow from the shape alone,
/// and with them the result's bits.
fn slices(m: u64, n: u64, k: u64) -> u64 {
    const BUSY: u64 = 512;
    const LEAST: u64 = 256;
    let tile = TILE as u64;
    let blocks = (m.div_ceil(tile) * n.div_ceil(tile)).max(1);
    (BUSY / blocks).min(k / LEAST).max(1)
}
