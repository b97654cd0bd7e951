//! Parts of a joint norm (hip/accumulate_norm.hip). A launch reduces the chunks of up to 64 contiguous tensors, the next one
//! the chunks' values of tensors that have several chunks, until each tensor has one value. A last launch adds these to the
//! scalar, in the order of the calls.
use super::elementwise::{ScalarParams, mismatch};
use super::optim::{FLOATS, TABLE, TableParams};
use super::reduce::{CHUNK, FirstPass, ReduceParams, reduce_passes};
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::norm::wide;
use crate::{DType, Result};

/// Chunks that a block reduces.
pub(super) const GROUPS: u64 = BLOCK as u64 / 32;

kernel_params! {
    /// Parameters of the last launch of accumulate_norm.
    pub(crate) struct NormTotalParams {
        /// Address of the scalar, of the type computed in.
        total: u64,
        /// Address of the tensors' values, of the same type.
        values: u64,
        /// Number of values.
        count: u64,
    }
}

/// Contiguous elements that are reduced to one value.
pub(super) struct Source {
    pub dtype: DType,
    pub ptr: u64,
    pub count: u64,
    /// Address of the value, of the type computed in.
    pub value: u64,
}

pub(super) fn accumulate_norm<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    accumulate_norms(std::slice::from_ref(c), c.output(0)?)
}

/// Accumulates the norms of several tensors in one scalar.
pub(crate) fn accumulate_norms<R: Runtime>(calls: &[Call<'_, R>], total: Operand<'_>) -> Result<()> {
    let Some(c) = calls.first() else { return Ok(()) };
    let Op::AccumulateNorm(op) = c.op else { return Err(mismatch(c)) };
    let name = if op.order == f64::INFINITY { "accumulate_peak" } else { "accumulate_norm" };
    let kernel = |dtype, variant| Kernel::new(Unit::AccumulateNorm, dtype, name, variant);
    let mut inputs: Vec<Operand<'_>> = calls.iter().map(|c| c.input(0)).collect::<Result<_>>()?;
    inputs.retain(|x| x.count() > 0);
    if inputs.is_empty() {
        return Ok(());
    }
    let bytes = total.dtype.size_in_bytes();
    let values = c.dev.storage(total.dtype, inputs.len())?;
    let mut sources = Vec::with_capacity(inputs.len());
    for (i, x) in inputs.iter().enumerate() {
        let value = values.address() + (i * bytes) as u64;
        if x.layout.is_contiguous() {
            sources.push(Source { dtype: x.dtype, ptr: x.ptr, count: x.count() as u64, value });
        } else {
            let p = ReduceParams::new([x.ptr], [x.layout], value, |_| true);
            let p = ReduceParams { flag: op.order.to_bits(), ..p };
            reduce_passes(c, kernel(x.dtype, Variant::Row), FirstPass::Row, p, bytes)?;
        }
    }
    reduce_sources(c, name, op.order, sources)?;
    let p = NormTotalParams { total: total.ptr, values: values.address(), count: inputs.len() as u64 };
    c.launch(kernel(total.dtype, Variant::Finish), [1, 1, 1], BLOCK, &p)
}

/// Reduces each source by the tree. `name` is the kernel, which adds powers of `order`, or takes the largest magnitude.
pub(super) fn reduce_sources<R: Runtime>(
    c: &Call<'_, R>,
    name: &'static str,
    mut order: f64,
    mut sources: Vec<Source>,
) -> Result<()> {
    // The chunks' values of the previous pass. They are freed after the launches that read them.
    let mut read = None;
    while !sources.is_empty() {
        let chunks = |s: &Source| s.count.div_ceil(CHUNK);
        let several: u64 = sources.iter().map(chunks).filter(|n| *n > 1).sum();
        // (Room for values of any type.)
        let scratch = if several > 0 { Some(c.dev.storage(DType::F64, several as usize)?) } else { None };
        let mut at = scratch.as_ref().map_or(0, |s| s.address());
        let mut next = Vec::new();
        for s in &mut sources {
            let count = chunks(s);
            if count > 1 {
                let value = std::mem::replace(&mut s.value, at);
                next.push(Source { dtype: wide(s.dtype), ptr: at, count, value });
                at += count * DType::F64.size_in_bytes() as u64;
            }
        }
        for dtype in FLOATS {
            let mine: Vec<&Source> = sources.iter().filter(|s| s.dtype == dtype).collect();
            for some in mine.chunks(TABLE) {
                let mut p = TableParams::new(ScalarParams { value: order });
                some.iter()
                    .for_each(|s| p.push([s.ptr, s.value], s.count, chunks(s).div_ceil(GROUPS) as u32));
                let kernel = Kernel::new(Unit::AccumulateNorm, dtype, name, Variant::Table);
                c.launch(kernel, [p.blocks, 1, 1], BLOCK, &p)?;
            }
        }
        // The values are magnitudes already.
        order = 1.0;
        (sources, read) = (next, scratch);
    }
    drop(read);
    Ok(())
}
