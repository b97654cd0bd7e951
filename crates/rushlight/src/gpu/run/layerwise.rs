//! LARS and LAMB, in place (hip/layerwise.hip): a launch adds the squares of the chunks of up to 64 contiguous tensors, or of one
//! strided tensor; if tensors have several chunks, the kernels of accumulate_norm reduce the chunks' sums; then a launch updates
//! as many tensors from their sums.
use super::accumulate_norm::{GROUPS, Source, reduce_sources};
use super::optim::{FLOATS, PER_THREAD, StepParams, TABLE, TableParams, operands};
use super::reduce::CHUNK;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, ElementwiseParams, Operand, iter_of};
use crate::gpu::runtime::Runtime;
use crate::ops::norm::wide;
use crate::shape::MAX_RANK;
use crate::{DType, Result};

/// Bytes of a sum, of whichever type.
const SUM: u64 = 8;

/// A parameter with elements, its states and its gradient.
struct Tensor<'a, const N: usize> {
    operands: [Operand<'a>; N],
    count: u64,
    /// Address of the chunks' sums: those of the first number, then those of the second one.
    chunks: u64,
    /// Address of the two sums; the chunks' address if there is one chunk.
    sums: u64,
}

/// Runs steps of one op, which has the same numbers for all.
pub(super) fn steps<R: Runtime>(calls: &[Call<'_, R>], extra: StepParams) -> Result<()> {
    match calls.first().map(|c| c.op.targets()) {
        None => Ok(()),
        Some(1) => run::<R, 2, 3>(calls, extra),
        Some(2) => run::<R, 3, 4>(calls, extra),
        Some(_) => run::<R, 4, 5>(calls, extra),
    }
}

/// M is N + 1: the operands of a kernel are followed by the sums.
fn run<R: Runtime, const N: usize, const M: usize>(calls: &[Call<'_, R>], extra: StepParams) -> Result<()> {
    let mut tensors = Vec::with_capacity(calls.len());
    for c in calls {
        let operands = operands::<R, N>(c)?;
        let count = operands[0].count() as u64;
        if count > 0 {
            tensors.push(Tensor { operands, count, chunks: 0, sums: 0 });
        }
    }
    let (Some(c), false) = (calls.first(), tensors.is_empty()) else { return Ok(()) };
    let several = |t: &Tensor<'_, N>| if t.count > CHUNK { t.count.div_ceil(CHUNK) } else { 0 };
    let values = tensors.len() as u64 + tensors.iter().map(several).sum::<u64>();
    let scratch = c.dev.storage(DType::F64, 2 * values as usize)?;
    let mut at = scratch.address();
    let mut sources = Vec::new();
    for t in &mut tensors {
        (t.chunks, t.sums) = (at, at);
        at += 2 * SUM;
        let count = several(t);
        if count > 0 {
            let dtype = wide(t.operands[0].dtype);
            let bytes = dtype.size_in_bytes() as u64;
            t.chunks = at;
            at += 2 * SUM * count;
            for i in [0, 1] {
                let (ptr, value) = (t.chunks + i * count * bytes, t.sums + i * bytes);
                sources.push(Source { dtype, ptr, count, value });
            }
        }
    }
    let (table, single) = (Variant::Norms, Variant::Row);
    let groups = |n: u64| n.div_ceil(CHUNK).div_ceil(GROUPS);
    launch::<R, N, M>(c, &tensors, extra, [table, single], |t| t.chunks, |n| groups(n) as u32)?;
    reduce_sources(c, "accumulate_norm", 1.0, sources)?;
    let (table, single) = (Variant::Table, Variant::Strided);
    launch::<R, N, M>(c, &tensors, extra, [table, single], |t| t.sums, |n| c.blocks(n.div_ceil(PER_THREAD)))
}

/// Launches a pass: one kernel for each [`TABLE`] contiguous tensors, another one for each other tensor.
fn launch<R: Runtime, const N: usize, const M: usize>(
    c: &Call<'_, R>,
    tensors: &[Tensor<'_, N>],
    extra: StepParams,
    [table, single]: [Variant; 2],
    sums: impl Fn(&Tensor<'_, N>) -> u64,
    blocks: impl Fn(u64) -> u32,
) -> Result<()> {
    const { assert!(M == N + 1) };
    for dtype in FLOATS {
        let of = |variant| Kernel::new(Unit::Layerwise, dtype, c.name, variant);
        let ptr = |t: &Tensor<'_, N>| {
            let mut ptr = [sums(t); M];
            ptr.iter_mut().zip(t.operands).for_each(|(to, o)| *to = o.ptr);
            ptr
        };
        let (dense, strided): (Vec<&Tensor<'_, N>>, Vec<_>) = tensors
            .iter()
            .filter(|t| t.operands[0].dtype == dtype)
            .partition(|t| t.operands.iter().all(|o| o.layout.is_contiguous()));
        for some in dense.chunks(TABLE) {
            let mut p = TableParams::new(extra);
            some.iter().for_each(|t| p.push(ptr(t), t.count, blocks(t.count)));
            c.launch(of(table), [p.blocks, 1, 1], BLOCK, &p)?;
        }
        for t in strided {
            let mut strides: [&[usize]; M] = [&[0; MAX_RANK]; M];
            strides.iter_mut().zip(&t.operands).for_each(|(to, o)| *to = o.layout.stride());
            let mut iter = iter_of(t.operands[0].layout.dims(), strides, |_| true);
            iter.blocks = blocks(t.count);
            let grid = [iter.blocks, 1, 1];
            c.launch(of(single), grid, BLOCK, &ElementwiseParams { ptr: ptr(t), iter, extra })?;
        }
    }
    Ok(())
}
