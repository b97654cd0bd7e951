//! Attention with the functions of candle-flash-attn 0.11.1, by Rushlight's kernels, on the CPU and on GPUs.
//!
//! With one more entry in a program's `Cargo.toml` it is used instead of candle-flash-attn, beside `crates/candle-core`:
//!
//! ```toml
//! [patch.crates-io]
//! candle-core = { git = "https://your.copy/rushlight" }
//! candle-flash-attn = { git = "https://your.copy/rushlight" }
//! ```
//!
//! # Shapes
//! Queries are `[batch, n, heads, size]`, keys and values `[batch, m, groups, size]`, or in functions with `varlen` `[rows, heads, size]`:
//! sequences one after the other, with the first row of each, and the end, in `seqlens_q` and `seqlens_k`, `[sequences + 1]` of an
//! INT dtype. `groups` divides `heads`. Results have the shape of the queries. A FLOAT dtype, the same for all three (candle: f16 and
//! bf16), any size of heads, and any layout; gradients as in [`Tensor::scaled_dot_product_attention`].
//!
//! # Scores
//! `s = softmax_scale * q k^T`, then with a softcap other than 0 `softcap * tanh(s / softcap)`, then with slopes (`alibi_slopes`, `[heads]` in F32)
//! `s - slope * |p - j|`. Key j has the position j, and query i of n the position `p = i + m - n`: the last query is at the last
//! key. `window_size_left` and `window_size_right` are how many keys before and after its position a query attends to, all of
//! them for `None`; `causal` is a right window of 0. A query without keys gives 0.
//!
//! Plain and causal attention have no scores in memory, windows a mask of bools `[n, m]`, slopes a bias `[heads, n, m]`, and softcaps
//! all scores. Sequences with slopes, softcaps or windows run one after the other. `max_seqlen_q` and `max_seqlen_k` are not needed.
use candle_core::{Result, Tensor};

mod attend;

use attend::{Form, Source, batch, packed};

/// The right window of causal attention.
fn right(causal: bool) -> Option<usize> {
    causal.then_some(0)
}

/// A softcap of 0 is none.
fn cap(softcap: Option<f32>) -> Option<f32> {
    softcap.filter(|&cap| cap != 0.0)
}

const PLAIN: Form<'static> =
    Form { op: "flash_attn", scale: 1.0, slopes: None, left: None, right: None, softcap: None, ranges: None };

/// Attention of a batch; with `causal` queries attend to the keys up to their positions.
pub fn flash_attn(q: &Tensor, k: &Tensor, v: &Tensor, softmax_scale: f32, causal: bool) -> Result<Tensor> {
    batch(&Form { scale: softmax_scale, right: right(causal), ..PLAIN }, q, k, v)
}

/// Attention of a batch with a window around each query's position.
pub fn flash_attn_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let (left, right) = (window_size_left, window_size_right);
    batch(&Form { op: "flash_attn_windowed", scale: softmax_scale, left, right, ..PLAIN }, q, k, v)
}

/// Attention of a batch with linear biases.
pub fn flash_attn_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let (slopes, right) = (Some(alibi_slopes), right(causal));
    batch(&Form { op: "flash_attn_alibi", scale: softmax_scale, slopes, right, ..PLAIN }, q, k, v)
}

/// Attention of a batch with linear biases and a window.
pub fn flash_attn_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = "flash_attn_alibi_windowed";
    let (slopes, left, right) = (Some(alibi_slopes), window_size_left, window_size_right);
    batch(&Form { op, scale: softmax_scale, slopes, left, right, ..PLAIN }, q, k, v)
}

/// Attention of a batch with a softcap, a window, and linear biases if there are slopes.
pub fn flash_attn_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let op = "flash_attn_alibi_windowed_softcap";
    let (left, right, softcap) = (window_size_left, window_size_right, cap(Some(softcap)));
    batch(
        &Form { op, scale: softmax_scale, slopes: alibi_slopes, left, right, softcap, ranges: None },
        q,
        k,
        v,
    )
}

/// Attention of packed sequences, of each to its own keys.
pub fn flash_attn_varlen(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let form = Form { op: "flash_attn_varlen", scale: softmax_scale, right: right(causal), ..PLAIN };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &Source::Rows)
}

/// Attention of packed sequences with a window.
pub fn flash_attn_varlen_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let (left, right) = (window_size_left, window_size_right);
    let form = Form { op: "flash_attn_varlen_windowed", scale: softmax_scale, left, right, ..PLAIN };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &Source::Rows)
}

/// Attention of packed sequences with a window, to keys and values in blocks: `[blocks, page_block_size, groups, size]`. `block_table`,
/// `[sequences, most blocks of one]` of an INT dtype, has the numbers of each sequence's blocks in order; `seqlens_k` has, as without blocks,
/// the sums of lengths. The queries of a range of `mm_prefix_ranges`, `[sequences, ranges, 2]` of positions, the first and the end,
/// attend to all keys of the range, whatever the window.
pub fn flash_attn_varlen_paged_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    block_table: &Tensor,
    mm_prefix_ranges: Option<&Tensor>,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    page_block_size: usize,
    softcap: Option<f32>,
) -> Result<Tensor> {
    let op = "flash_attn_varlen_paged_windowed";
    let (left, right) = (window_size_left, window_size_right);
    let softcap = cap(softcap);
    let form = Form { op, scale: softmax_scale, slopes: None, left, right, softcap, ranges: None };
    let sequences = seqlens_q.elem_count().saturating_sub(1);
    let table = block_table.dims();
    if table.len() != 2 || table[0] != sequences || !block_table.dtype().is_int() {
        let dtype = block_table.dtype();
        return Err(
            form.error(format!("expected block_table [{sequences}, blocks], got {table:?} in {dtype:?}"))
        );
    }
    if k.dims().get(1) != Some(&page_block_size) {
        return Err(form.error(format!("k {:?} does not have blocks of {page_block_size} rows", k.dims())));
    }
    if let Some(ranges) = mm_prefix_ranges {
        let fits = matches!(*ranges.dims(), [n, _, 2] if n == sequences);
        if !fits || !ranges.dtype().is_int() {
            let (dims, dtype) = (ranges.dims(), ranges.dtype());
            let text =
                format!("expected mm_prefix_ranges [{sequences}, ranges, 2], got {dims:?} in {dtype:?}");
            return Err(form.error(text));
        }
    }
    let source = Source::Blocks { table: block_table, ranges: mm_prefix_ranges };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &source)
}

/// Attention of packed sequences with linear biases.
pub fn flash_attn_varlen_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let (slopes, right) = (Some(alibi_slopes), right(causal));
    let form = Form { op: "flash_attn_varlen_alibi", scale: softmax_scale, slopes, right, ..PLAIN };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &Source::Rows)
}

/// Attention of packed sequences with linear biases and a window.
pub fn flash_attn_varlen_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = "flash_attn_varlen_alibi_windowed";
    let (slopes, left, right) = (Some(alibi_slopes), window_size_left, window_size_right);
    let form = Form { op, scale: softmax_scale, slopes, left, right, ..PLAIN };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &Source::Rows)
}

/// Attention of packed sequences with a softcap, a window, and linear biases if there are slopes.
pub fn flash_attn_varlen_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    _max_seqlen_q: usize,
    _max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let op = "flash_attn_varlen_alibi_windowed_softcap";
    let (left, right, softcap) = (window_size_left, window_size_right, cap(Some(softcap)));
    let form = Form { op, scale: softmax_scale, slopes: alibi_slopes, left, right, softcap, ranges: None };
    packed(&form, q, k, v, [seqlens_q, seqlens_k], &Source::Rows)
}
