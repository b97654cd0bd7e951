//! Reductions: each launch is a pass of the reduction tree of docs/NUMERICS.md (hip/reduce.h). The first pass reads the
//! input once, in its own layout. If outputs have more than 1024 elements each, a pass writes a partial value for each
//! chunk to scratch memory, and the next pass reduces these.
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, StridedIter, collapse, iter_of};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::shape::MAX_RANK;
use crate::{DType, Error, Layout, Result};

/// Number of elements of a chunk, a leaf of the tree.
pub(super) const CHUNK: u64 = 1024;
/// Number of threads of a chunk, and of outputs that are reduced side by side.
pub(super) const LANES: u64 = 32;

kernel_params! {
    /// Parameters of one pass of a reduction over N operands of one shape.
    pub(crate) struct ReduceParams<const N> {
        /// Addresses of the operands.
        pub input: [u64; N],
        /// Address of the results, or of the chunks' partial values: [outputs][chunks].
        pub out: u64,
        /// Addresses that only some ops use.
        pub aux: [u64; 4],
        /// Outputs.
        pub outputs: u64,
        /// Elements of each output in this pass.
        pub count: u64,
        /// Chunks of each output, at least 1.
        pub chunks: u64,
        /// Elements of each output in the first pass.
        pub total: u64,
        /// A number that only some ops use.
        pub flag: u64,
        /// Blocks of the grid.
        pub blocks: u32,
        /// 1: this pass writes the results.
        pub last: u32,
        /// Over the outputs.
        pub kept: StridedIter<N>,
        /// Over the elements of an output.
        pub reduced: StridedIter<N>,
    }
}

/// The variants that a reduction's first pass may use. Later passes always use [`Variant::Partials`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstPass {
    /// Thread, row or column, depending on layout and size.
    Any,
    /// Row, since the rows are long.
    Row,
    /// Partials, since the input already holds partial values.
    Partials,
}

impl<const N: usize> ReduceParams<N> {
    /// Makes a reduction over the dimensions for which `reduces` is true. The operands have one shape.
    pub fn new(input: [u64; N], layouts: [&Layout; N], out: u64, reduces: impl Fn(usize) -> bool) -> Self {
        let side = |reduced: bool| {
            iter_of(layouts[0].dims(), layouts.map(Layout::stride), |d| reduces(d) == reduced)
        };
        Self::of(input, out, side(false), side(true))
    }

    /// Makes a reduction from an iteration over the outputs and one over the elements of an output.
    pub fn of(input: [u64; N], out: u64, kept: StridedIter<N>, reduced: StridedIter<N>) -> Self {
        let (outputs, count) = (kept.count, reduced.count);
        Self {
            input,
            out,
            aux: [0; 4],
            outputs,
            count,
            chunks: count.div_ceil(CHUNK).max(1),
            total: count,
            flag: 0,
            blocks: 0,
            last: 0,
            kept,
            reduced,
        }
    }

    /// Whether adjacent outputs are closer in memory than adjacent elements of an output.
    pub fn columns(&self) -> bool {
        let last = |w: &StridedIter<N>| w.strides[0][w.rank as usize - 1];
        self.kept.dims[self.kept.rank as usize - 1] >= LANES / 2 && last(&self.kept) < last(&self.reduced)
    }

    /// Makes a reduction of `n` partial values for each of `outs` outputs. The partial values are contiguous.
    pub fn values(input: u64, out: u64, outs: u64, n: u64) -> Self {
        let row = |dim: u64, stride: u64| {
            let mut s = [[0; MAX_RANK]; N];
            s.iter_mut().for_each(|s| s[0] = stride);
            collapse(&[dim as usize], &s)
        };
        Self::of([input; N], out, row(outs, n), row(n, 1))
    }
}

/// Runs the passes of a reduction, and chooses the variant of the first one. Partial values have `bytes` bytes each.
pub(super) fn reduce_passes<R: Runtime, const N: usize>(
    c: &Call<'_, R>,
    kernel: Kernel,
    first: FirstPass,
    mut p: ReduceParams<N>,
    bytes: usize,
) -> Result<()> {
    let mut variant = match first {
        FirstPass::Any if p.count <= LANES && p.reduced.rank == 1 => Variant::Thread,
        FirstPass::Any if p.columns() => Variant::Column,
        FirstPass::Any | FirstPass::Row => Variant::Row,
        FirstPass::Partials => Variant::Partials,
    };
    let (out, outs) = (p.out, p.outputs);
    if outs == 0 {
        return Ok(());
    }
    // Partial values of the previous pass. They are freed after the launch of the pass that reads them.
    let mut read = None;
    loop {
        p.last = u32::from(p.chunks == 1);
        let scratch = match p.last {
            1 => None,
            _ => Some(c.dev.storage(DType::U8, (outs * p.chunks) as usize * bytes)?),
        };
        p.out = scratch.as_ref().map_or(out, |s| s.address());
        let threads = match variant {
            Variant::Thread => outs,
            Variant::Column => outs.div_ceil(LANES) * p.chunks * u64::from(BLOCK),
            _ => outs * p.chunks * LANES,
        };
        p.blocks = c.blocks(threads);
        c.launch(Kernel { variant, ..kernel }, [p.blocks, 1, 1], BLOCK, &p)?;
        drop(read);
        let Some(scratch) = scratch else { return Ok(()) };
        let next = ReduceParams::values(scratch.address(), out, outs, p.chunks);
        read = Some(scratch);
        p = ReduceParams { aux: p.aux, total: p.total, flag: p.flag, ..next };
        variant = Variant::Partials;
    }
}

/// Returns the size in bytes of the accumulation type of a float dtype.
pub(super) fn acc_bytes(dtype: DType) -> usize {
    dtype.size_in_bytes().max(4)
}

pub(super) fn reduce<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Reduce(op) = c.op else { return Err(super::elementwise::mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let mut p = ReduceParams::new([x.ptr], [x.layout], out.ptr, |d| op.reduces(d));
    p.flag = u64::from(op.dtype == DType::I64);
    let (unit, name, bytes) = plan(op, x.dtype, c.name)?;
    reduce_passes(c, Kernel::new(unit, x.dtype, name, Variant::Row), FirstPass::Any, p, bytes)
}

/// Returns the unit, the kernel's name and the size of its partial values in bytes.
fn plan(op: &Reduce, from: DType, name: &'static str) -> Result<(Unit, &'static str, usize)> {
    let size = from.size_in_bytes();
    Ok(match op.op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod if op.dtype == from => {
            (Unit::Reduce, name, if from.is_float() { acc_bytes(from) } else { size })
        }
        ReduceOp::Sum | ReduceOp::Prod if matches!(op.dtype, DType::I64 | DType::U64) && from.is_int() => {
            (Unit::Reduce, if op.op == ReduceOp::Sum { "sum64" } else { "prod64" }, 8)
        }
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => {
            return Err(Error::UnsupportedDTypeForOp(op.dtype, name).bt());
        }
        ReduceOp::Min | ReduceOp::Max => (Unit::Extreme, name, size),
        ReduceOp::ArgMin | ReduceOp::ArgMax => (Unit::Extreme, name, 16),
        ReduceOp::Any | ReduceOp::All => (Unit::Extreme, name, 1),
    })
}
