//! Reductions: passes of the tree of docs/NUMERICS.md (hip/reduce.h). The first pass reads the input once, in its own
//! layout; outputs of more than 1024 elements leave the values of their chunks in scratch memory for the next.
use crate::gpu::kernels::{Kernel, Unit};
use crate::gpu::launch::{BLOCK, Call, Walk, collapse, part};
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::shape::MAX_RANK;
use crate::{DType, Error, Layout, Result};

/// Elements of a chunk, the tree's leaf.
pub(super) const CHUNK: u64 = 1024;
/// Threads of a chunk, and outputs that are reduced side by side.
const LANES: u64 = 32;

/// Parameters of a pass over N operands (rl::Fold of hip/reduce.h).
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fold<const N: usize> {
    pub input: [u64; N],
    pub out: u64,
    pub aux: [u64; 4],
    pub outs: u64,
    pub n: u64,
    pub chunks: u64,
    pub total: u64,
    pub flag: u64,
    pub blocks: u32,
    pub last: u32,
    pub kept: Walk<N>,
    pub red: Walk<N>,
}

/// Names of a reducer's kernels: by threads, rows, columns, and values of a pass. None: it has only those for rows.
pub(super) struct Forms {
    thread: Option<&'static str>,
    row: &'static str,
    column: Option<&'static str>,
    value: &'static str,
}

pub(super) const FORMS: Forms = Forms { thread: Some("t"), row: "r", column: Some("c"), value: "v" };
const WIDE: Forms = Forms { thread: Some("wt"), row: "wr", column: Some("wc"), value: "wv" };
/// Of a reducer for one long row.
pub(super) const ROWS: Forms = Forms { thread: None, row: "r", column: None, value: "v" };

impl<const N: usize> Fold<N> {
    /// A fold of the dimensions for which `reduces` is true; the operands have one shape.
    pub fn new(input: [u64; N], layouts: [&Layout; N], out: u64, reduces: impl Fn(usize) -> bool) -> Self {
        let side =
            |reduced: bool| part(layouts[0].dims(), layouts.map(Layout::stride), |d| reduces(d) == reduced);
        Self::of(input, out, side(false), side(true))
    }

    /// A fold over walks of the outputs and of the elements of each.
    pub fn of(input: [u64; N], out: u64, kept: Walk<N>, red: Walk<N>) -> Self {
        let (outs, n) = (kept.n, red.n);
        Self {
            input,
            out,
            aux: [0; 4],
            outs,
            n,
            chunks: n.div_ceil(CHUNK).max(1),
            total: n,
            flag: 0,
            blocks: 0,
            last: 0,
            kept,
            red,
        }
    }

    /// Outputs are neighbours and the elements of one are not.
    pub fn columns(&self) -> bool {
        let last = |w: &Walk<N>| w.strides[0][w.rank as usize - 1];
        self.kept.dims[self.kept.rank as usize - 1] >= LANES / 2 && last(&self.kept) < last(&self.red)
    }

    /// The fold of `n` values for each of `outs` outputs, one after the other in memory.
    pub fn values(input: u64, out: u64, outs: u64, n: u64) -> Self {
        let row = |dim: u64, stride: u64| {
            let mut s = [[0; MAX_RANK]; N];
            s.iter_mut().for_each(|s| s[0] = stride);
            collapse(&[dim as usize], &s)
        };
        Self::of([input; N], out, row(outs, n), row(n, 1))
    }
}

/// Runs the passes of a fold; the values between them have `bytes` each. From `form` on, if the first is given.
pub(super) fn fold<R: Runtime, const N: usize>(
    c: &Call<'_, R>,
    kernel: Kernel,
    forms: &Forms,
    mut p: Fold<N>,
    bytes: usize,
    values: bool,
) -> Result<()> {
    let mut form = if values {
        forms.value
    } else {
        match (forms.thread, forms.column) {
            (Some(t), _) if p.n <= LANES && p.red.rank == 1 => t,
            (_, Some(col)) if p.columns() => col,
            _ => forms.row,
        }
    };
    let (out, outs) = (p.out, p.outs);
    if outs == 0 {
        return Ok(());
    }
    // What the pass before left: it is read by this one, so it goes only after the launch, and this one's values get other
    // memory.
    let mut read = None;
    loop {
        p.last = u32::from(p.chunks == 1);
        let scratch = match p.last {
            1 => None,
            _ => Some(c.dev.storage(DType::U8, (outs * p.chunks) as usize * bytes)?),
        };
        p.out = scratch.as_ref().map_or(out, |s| s.address());
        let threads = if Some(form) == forms.thread {
            outs
        } else if Some(form) == forms.column {
            outs.div_ceil(LANES) * p.chunks * u64::from(BLOCK)
        } else {
            outs * p.chunks * LANES
        };
        p.blocks = c.blocks(threads);
        c.launch(Kernel { form, ..kernel }, [p.blocks, 1, 1], BLOCK, &p)?;
        drop(read);
        let Some(scratch) = scratch else { return Ok(()) };
        let next = Fold::values(scratch.address(), out, outs, p.chunks);
        read = Some(scratch);
        p = Fold { aux: p.aux, total: p.total, flag: p.flag, ..next };
        form = forms.value;
    }
}

/// Bytes of the type that a float dtype is computed in.
pub(super) fn acc_bytes(dtype: DType) -> usize {
    dtype.size_in_bytes().max(4)
}

pub(super) fn reduce<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Reduce(op) = c.op else { return Err(super::elementwise::mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    let mut p = Fold::new([x.ptr], [x.layout], out.ptr, |d| op.reduces(d));
    p.flag = u64::from(op.dtype == DType::I64);
    let (unit, forms, bytes) = plan(op, x.dtype, c.name)?;
    fold(c, Kernel::new(unit, x.dtype, c.name), forms, p, bytes, false)
}

/// Which kernels, and the bytes of their values.
fn plan(op: &Reduce, from: DType, name: &'static str) -> Result<(Unit, &'static Forms, usize)> {
    let size = from.size_in_bytes();
    Ok(match op.op {
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod if op.dtype == from => {
            (Unit::Reduce, &FORMS, if from.is_float() { acc_bytes(from) } else { size })
        }
        ReduceOp::Sum | ReduceOp::Prod if matches!(op.dtype, DType::I64 | DType::U64) && from.is_int() => {
            (Unit::Reduce, &WIDE, 8)
        }
        ReduceOp::Sum | ReduceOp::Mean | ReduceOp::Prod => {
            return Err(Error::UnsupportedDTypeForOp(op.dtype, name).bt());
        }
        ReduceOp::Min | ReduceOp::Max => (Unit::Extreme, &FORMS, size),
        ReduceOp::ArgMin | ReduceOp::ArgMax => (Unit::Extreme, &FORMS, 16),
        ReduceOp::Any | ReduceOp::All => (Unit::Extreme, &FORMS, 1),
    })
}
