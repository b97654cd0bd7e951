//! Attention and its gradients (hip/attention.hip).
use super::elementwise::mismatch;
use super::matmul::MOST_BLOCKS_Y;
use super::norm::dense;
use super::random::threshold;
use crate::gpu::fault::Checker;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::{BLOCK, Call, Operand};
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::attention::{Attention, Sizes};
use crate::ops::dropout::Dropout;
use crate::{DType, Result};

kernel_params! {
    /// Parameters of attention and its gradients. Each operand is `[batch, heads, rows, columns]`.
    pub(crate) struct AttentionParams {
        /// Address of the output, which is row-major.
        out: u64,
        /// Address of the queries.
        q: u64,
        /// Address of the keys.
        k: u64,
        /// Address of the values.
        v: u64,
        /// Address of the mask, or 0.
        mask: u64,
        /// Address of the bias, or 0.
        bias: u64,
        /// Gradients: address of the result's gradient.
        grad: u64,
        /// Statistics: address of the result.
        result: u64,
        /// Gradients: address of the statistics, which are row-major.
        stats: u64,
        /// Packed sequences: address of the first queries of each and their end, in I64; or 0.
        query_offsets: u64,
        /// Address of the first keys.
        key_offsets: u64,
        /// Strides of the queries.
        q_strides: [u64; 4],
        /// Strides of the keys.
        k_strides: [u64; 4],
        /// Strides of the values.
        v_strides: [u64; 4],
        /// Strides of the mask.
        mask_strides: [u64; 4],
        /// Strides of the bias.
        bias_strides: [u64; 4],
        /// Strides of the result's gradient.
        grad_strides: [u64; 4],
        /// Strides of the result.
        result_strides: [u64; 4],
        /// Size of the batch.
        batch: u64,
        /// Heads of queries.
        heads: u64,
        /// Heads of keys and values.
        groups: u64,
        /// Queries of a head.
        queries: u64,
        /// Keys of a head.
        keys: u64,
        /// Elements of a query and of a key.
        depth: u64,
        /// Elements of a value.
        width: u64,
        /// Factor of the products.
        scale: f64,
        /// 1: query i attends to the keys up to i.
        causal: u64,
        /// Number of packed sequences.
        sequences: u64,
        /// 1: weights are dropped.
        dropping: u64,
        /// First half of the key of the generator.
        seed: u64,
        /// Second half: number of the draw.
        draw: u64,
        /// 32-bit words below this keep a weight.
        threshold: u64,
        /// Factor of weights that are kept.
        keep: f64,
        /// Where offsets that do not ascend are reported.
        check: Checker,
        /// Number of the first offsets among the op's inputs.
        offsets_operand: u64,
        /// Blocks of the grid's second dimension, which share the heads.
        blocks: u64,
    }
}

fn strides(o: Option<Operand<'_>>) -> [u64; 4] {
    o.map_or([0; 4], |o| std::array::from_fn(|d| o.layout.stride()[d] as u64))
}

/// Operands of a call that not every kernel has.
#[derive(Default, Clone, Copy)]
struct More<'a> {
    v: Option<Operand<'a>>,
    grad: Option<Operand<'a>>,
    result: Option<Operand<'a>>,
    /// Address of the statistics, which are row-major.
    stats: u64,
}

/// Elements that a load of the kernels on matrix units takes: 16 bytes.
const PACK: usize = 8;

/// Strides of rows, and of keys in masks, from which on offsets in a tile may not take 32 bits.
const FAR: usize = 1 << 20;

/// Whether those kernels can read a matrix: rows of whole packs, whose offsets in a tile take 32 bits.
fn in_packs(o: Operand<'_>) -> bool {
    let (dims, stride) = (o.layout.dims(), o.layout.stride());
    let apart = |d: usize| dims[d] <= 1 || stride[d].is_multiple_of(PACK);
    let near = dims[2] <= 1 || stride[2] < FAR;
    (1..=256).contains(&dims[3])
        && dims[3].is_multiple_of(PACK)
        && stride[3] == 1
        && near
        && (0..3).all(apart)
        && o.ptr.is_multiple_of(16)
}

/// The variant of a kernel that computes on matrix units, where there are any, they may be used, and the operands suit it: queries,
/// keys and others, a mask and a bias.
fn on_units<R: Runtime>(
    c: &Call<'_, R>,
    op: &Attention,
    name: &str,
    [q, k]: [Operand<'_>; 2],
    more: &More<'_>,
    masks: [Option<Operand<'_>>; 2],
) -> Option<Variant> {
    let half = matches!(q.dtype, DType::F16 | DType::BF16);
    // The largest score is searched for before the scale.
    let scale = op.scale > 0.0 && op.scale.is_finite();
    let near = masks.into_iter().flatten().all(|o| o.layout.stride()[2..].iter().all(|&s| s < FAR));
    let others = [more.v, more.grad, more.result].into_iter().flatten();
    let all = || [q, k].into_iter().chain(others.clone());
    let suits = half && scale && near && op.dropout.p == 0.0 && all().all(in_packs);
    if !suits || crate::deterministic() || !c.dev.info().matrix_units() {
        return None;
    }
    let size = |o: Operand<'_>| o.layout.dims()[3];
    // Statistics take scores alone from the units.
    let most = if name == "attention_stats" { size(q) } else { all().map(size).max()? };
    Some(match most {
        0..=32 => Variant::Matrix32,
        33..=64 => Variant::Matrix64,
        65..=128 => Variant::Matrix128,
        // This kernel reads queries in steps of 32 elements.
        _ if matches!(name, "attention" | "attention_stats") && size(q).is_multiple_of(32) => {
            Variant::Matrix256
        }
        _ => return None,
    })
}

/// Launches a kernel: a block for each tile of the output, and each head or several.
fn run<R: Runtime>(
    c: &Call<'_, R>,
    op: &Attention,
    name: &'static str,
    [q, k]: [Operand<'_>; 2],
    more: More<'_>,
    first: usize,
) -> Result<()> {
    let out = c.output(0)?;
    if out.count() == 0 {
        return Ok(());
    }
    let [mask, bias] = op.masks(first).map(|at| at.map(|i| c.input(i)).transpose());
    let (mask, bias) = (mask?, bias?);
    let offsets = op.offsets(first);
    let (query_offsets, _copy) = dense(c, offsets.map(|[i, _]| c.input(i)).transpose()?)?;
    let (key_offsets, _copy) = dense(c, offsets.map(|[_, i]| c.input(i)).transpose()?)?;
    let sequences = offsets.map_or(Ok(0), |[i, _]| c.input(i).map(|o| o.count() - 1))?;
    let like = more.v.or(more.grad).unwrap_or(k);
    let s = Sizes::of(q.layout.dims(), k.layout.dims(), like.layout.dims());
    let units = on_units(c, op, name, [q, k], &more, [mask, bias]);
    // Rows of a tile (TILE of hip/attention.h, ROWS of hip/attention_lanes.h).
    let tile = match q.dtype {
        _ if units.is_some() => 128,
        DType::F64 => 32,
        _ => 64,
    };
    let across = |n: usize| n.div_ceil(tile) as u64;
    let (rows, columns, heads) = match name {
        "attention" | "attention_query_grad" if units.is_some() => (s.queries, 1, s.heads),
        // One of two blocks for the keys, the other for the values.
        "attention_key_grad" if units.is_some() => (s.keys, 2, s.groups),
        "attention" => (s.queries, across(s.width), s.heads),
        "attention_query_grad" => (s.queries, across(s.depth), s.heads),
        "attention_stats" => (s.queries, 1, s.heads),
        _ => (s.keys, across(s.depth) + across(s.width), s.groups),
    };
    // A sequence has its own tiles: one more for each, and for what follows them.
    let row_tiles = if op.packed { (rows / tile + sequences + 1) as u64 } else { across(rows) };
    let Dropout { p, key } = op.dropout;
    let blocks = ((s.batch * heads) as u64).min(MOST_BLOCKS_Y);
    let at = |o: Option<Operand<'_>>| o.map_or(0, |o| o.ptr);
    let p = AttentionParams {
        out: out.ptr,
        q: q.ptr,
        k: k.ptr,
        v: at(more.v),
        mask: at(mask),
        bias: at(bias),
        grad: at(more.grad),
        result: at(more.result),
        stats: more.stats,
        q_strides: strides(Some(q)),
        k_strides: strides(Some(k)),
        v_strides: strides(more.v),
        mask_strides: strides(mask),
        bias_strides: strides(bias),
        grad_strides: strides(more.grad),
        result_strides: strides(more.result),
        batch: s.batch as u64,
        heads: s.heads as u64,
        groups: s.groups as u64,
        queries: s.queries as u64,
        keys: s.keys as u64,
        depth: s.depth as u64,
        width: s.width as u64,
        scale: op.scale,
        causal: u64::from(op.causal),
        query_offsets,
        key_offsets,
        sequences: sequences as u64,
        dropping: u64::from(p > 0.0),
        seed: key.0,
        draw: key.1,
        threshold: threshold(1.0 - p),
        keep: if p < 1.0 { 1.0 / (1.0 - p) } else { 0.0 },
        check: if op.packed { c.dev.checker(c.name)? } else { Checker { page: 0, flag: 0, launch: 0 } },
        offsets_operand: first as u64,
        blocks,
    };
    let kernel = Kernel::new(Unit::Attention, q.dtype, name, units.unwrap_or(Variant::Tile));
    c.launch(kernel, [(row_tiles * columns) as u32, blocks as u32, 1], BLOCK, &p)
}

pub(super) fn attention<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Attention(op) = c.op else { return Err(mismatch(c)) };
    let more = More { v: Some(c.input(2)?), ..More::default() };
    run(c, op, "attention", [c.input(0)?, c.input(1)?], more, 3)
}

pub(super) fn attention_stats<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AttentionStats(op) = c.op else { return Err(mismatch(c)) };
    let more = More { grad: Some(c.input(0)?), result: Some(c.input(1)?), ..More::default() };
    run(c, &op.0, "attention_stats", [c.input(2)?, c.input(3)?], more, 4)
}

pub(super) fn attention_query_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AttentionQueryGrad(op) = c.op else { return Err(mismatch(c)) };
    gradient(c, &op.0, "attention_query_grad")
}

pub(super) fn attention_key_grad<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::AttentionKeyGrad(op) = c.op else { return Err(mismatch(c)) };
    gradient(c, &op.0, "attention_key_grad")
}

fn gradient<R: Runtime>(c: &Call<'_, R>, op: &Attention, name: &'static str) -> Result<()> {
    let (stats, _copy) = dense(c, Some(c.input(4)?))?;
    let more = More { v: Some(c.input(3)?), grad: Some(c.input(0)?), result: None, stats };
    run(c, op, name, [c.input(1)?, c.input(2)?], more, 5)
}
