//! Attention of one batch, and of packed sequences, by Rushlight's ops.
use candle_core::{D, DType, Error, Result, Tensor};

/// Changes of the scores, and the keys that a query attends to.
#[derive(Clone, Copy)]
pub(crate) struct Form<'a> {
    pub op: &'static str,
    pub scale: f32,
    /// Slopes of linear biases, one for each head.
    pub slopes: Option<&'a Tensor>,
    /// Keys before a query's own position that it attends to; all without it.
    pub left: Option<usize>,
    /// Keys after a query's own position that it attends to; all without it.
    pub right: Option<usize>,
    /// Scores are `cap * tanh(score / cap)`.
    pub softcap: Option<f32>,
    /// First positions and ends of ranges, `[n, 2]`, whose queries attend to all keys of the same range.
    pub ranges: Option<&'a Tensor>,
}

impl Form<'_> {
    pub(crate) fn error(&self, text: impl std::fmt::Display) -> Error {
        Error::invalid(self.op, text)
    }

    /// Whether the scores are what packed attention computes: without a bias, a cap and a window other than a causal one.
    fn is_plain(&self) -> bool {
        self.slopes.is_none()
            && self.softcap.is_none()
            && self.ranges.is_none()
            && matches!((self.left, self.right), (None, None | Some(0)))
    }
}

/// Fails unless queries, keys and values, with heads and sizes last, go together.
pub(crate) fn check(form: &Form<'_>, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<()> {
    for other in [k, v] {
        if !q.device().same_device(other.device()) {
            let (lhs, rhs) = (q.device().location(), other.device().location());
            return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op: form.op }.bt());
        }
        if q.dtype() != other.dtype() {
            let (lhs, rhs) = (q.dtype(), other.dtype());
            return Err(Error::DTypeMismatchBinaryOp { lhs, rhs, op: form.op }.bt());
        }
    }
    if !q.dtype().is_float() {
        return Err(form.error(format!("expected floats, got {:?}", q.dtype())));
    }
    let ([.., heads, size], [.., groups, depth]) = (q.dims(), k.dims()) else {
        return Err(form.error(format!("q {:?} and k {:?} lack dimensions", q.dims(), k.dims())));
    };
    if k.dims() != v.dims() || size != depth || *groups == 0 || heads % groups != 0 {
        return Err(form.error(format!(
            "q {:?}, k {:?} and v {:?}: keys and values have one shape, their size is that of the queries, and their heads divide those of the queries",
            q.dims(),
            k.dims(),
            v.dims()
        )));
    }
    if let Some(slopes) = form.slopes {
        if slopes.dims() != [*heads] || slopes.dtype() != DType::F32 {
            let (dtype, dims) = (slopes.dtype(), slopes.dims());
            return Err(
                form.error(format!("expected alibi_slopes [{heads}] in F32, got {dims:?} in {dtype:?}"))
            );
        }
        if !slopes.device().same_device(q.device()) {
            let (lhs, rhs) = (q.device().location(), slopes.device().location());
            return Err(Error::DeviceMismatchBinaryOp { lhs, rhs, op: form.op }.bt());
        }
    }
    if form.softcap.is_some_and(|cap| cap.is_nan() || cap < 0.0) {
        return Err(form.error(format!("expected a softcap of at least 0, got {:?}", form.softcap)));
    }
    Ok(())
}

/// Attention of `[batch, length, heads, size]`.
pub(crate) fn batch(form: &Form<'_>, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    check(form, q, k, v)?;
    let (&[b, n, h, d], &[batches, m, g, _]) = (q.dims(), k.dims()) else {
        let text = format!("expected [batch, length, heads, size], got {:?} and {:?}", q.dims(), k.dims());
        return Err(form.error(text));
    };
    if b != batches {
        return Err(form.error(format!("q has a batch of {b}, k of {batches}")));
    }
    // Packed sequences are aligned at their ends, as these are.
    if form.is_plain() && form.right == Some(0) && n != m && n > 1 {
        let rows = |t: &Tensor, len: usize, heads: usize| t.reshape((b * len, heads, d));
        let offsets = |len: usize| {
            Tensor::from_vec((0..=b).map(|i| (i * len) as i64).collect::<Vec<_>>(), b + 1, q.device())
        };
        let (q, k, v) = (rows(q, n, h)?, rows(k, m, g)?, rows(v, m, g)?);
        let y =
            q.packed_attention(&k, &v, [&offsets(n)?, &offsets(m)?], 0.0, true, Some(form.scale.into()))?;
        return y.reshape((b, n, h, d));
    }
    one(form, q, k, v)
}

/// Attention of `[batch, length, heads, size]` of checked shapes, without packing.
fn one(form: &Form<'_>, q: &Tensor, k: &Tensor, v: &Tensor) -> Result<Tensor> {
    let (n, all) = (q.dim(1)?, k.dim(1)?);
    // Keys that no query attends to.
    let unseen = match form.left {
        Some(left) if form.ranges.is_none() => all.saturating_sub(n.saturating_add(left)),
        _ => 0,
    };
    let m = all - unseen;
    let heads_first = |t: &Tensor| t.transpose(1, 2);
    let (q, k) = (heads_first(q)?, heads_first(&k.narrow(1, unseen, m)?)?);
    let v = heads_first(&v.narrow(1, unseen, m)?)?;
    // A window that excludes no key of no query is none.
    let left = form.left.filter(|left| left.saturating_add(1) < m);
    let right = form.right.filter(|right| right.saturating_add(1) < n);
    let form = Form { left, right, ..*form };
    let scale = Some(f64::from(form.scale));
    let y = if form.is_plain() && (right.is_none() || n == m) {
        q.scaled_dot_product_attention(&k, &v, None, 0.0, right.is_some(), scale)?
    } else {
        let keep = keep(&form, n, m, &q)?;
        match (form.slopes, form.softcap) {
            (None, None) => q.scaled_dot_product_attention(&k, &v, keep.as_ref(), 0.0, false, scale)?,
            _ => scored(&form, &q, &k, &v, keep.as_ref())?,
        }
    };
    y.transpose(1, 2)
}

/// Positions of `n` queries `[n, 1]`, the last of which is that of the last key, and of `m` keys `[1, m]`.
fn positions(n: usize, m: usize, like: &Tensor) -> Result<(Tensor, Tensor)> {
    let (n, m) = (n as i64, m as i64);
    let queries = Tensor::arange(m - n, m, like.device())?.unsqueeze(1)?;
    Ok((queries, Tensor::arange(0, m, like.device())?.unsqueeze(0)?))
}

/// The keys that queries attend to, `[n, m]`, if it is not all.
fn keep(form: &Form<'_>, n: usize, m: usize, like: &Tensor) -> Result<Option<Tensor>> {
    if form.left.is_none() && form.right.is_none() {
        return Ok(None);
    }
    let (queries, keys) = positions(n, m, like)?;
    let mut keep = Tensor::ones((n, m), DType::U8, like.device())?;
    if let Some(left) = form.left {
        keep = (keep * keys.broadcast_ge(&(&queries - left as f64)?)?)?;
    }
    if let Some(right) = form.right {
        keep = (keep * keys.broadcast_le(&(&queries + right as f64)?)?)?;
    }
    if let Some(ranges) = form.ranges {
        for i in 0..ranges.dim(0)? {
            let end = |j: usize| ranges.narrow(0, i, 1)?.narrow(1, j, 1)?.to_dtype(DType::I64);
            let (first, end) = (end(0)?, end(1)?);
            let within = |at: &Tensor| at.broadcast_ge(&first)? * at.broadcast_lt(&end)?;
            keep = keep.maximum(&within(&queries)?.broadcast_mul(&within(&keys)?)?)?;
        }
    }
    keep.to_dtype(DType::Bool).map(Some)
}

/// Attention with biases or a cap, of `[batch, heads, length, size]`. Scores are computed in f32 or f64.
fn scored(form: &Form<'_>, q: &Tensor, k: &Tensor, v: &Tensor, keep: Option<&Tensor>) -> Result<Tensor> {
    let (b, h, n, d) = q.dims4()?;
    let (g, m) = (k.dim(1)?, k.dim(2)?);
    let dtype = if q.dtype() == DType::F64 { DType::F64 } else { DType::F32 };
    let bias = match form.slopes {
        Some(slopes) => {
            let (queries, keys) = positions(n, m, q)?;
            let distance = queries.broadcast_sub(&keys)?.abs()?.to_dtype(dtype)?;
            let slopes = slopes.to_dtype(dtype)?.reshape((1, h, 1, 1))?;
            Some(slopes.broadcast_mul(&distance)?.neg()?)
        }
        None => None,
    };
    let without = |scores: Tensor| match keep {
        Some(keep) => {
            let none = Tensor::full(f64::NEG_INFINITY, (), q.device())?.to_dtype(dtype)?;
            let dims = scores.shape().clone();
            keep.broadcast_as(dims.clone())?.where_cond(&scores, &none.broadcast_as(dims)?)
        }
        None => Ok(scores),
    };
    let scale = f64::from(form.scale);
    let (wide_q, wide_k, wide_v) = (q.to_dtype(dtype)?, k.to_dtype(dtype)?, v.to_dtype(dtype)?);
    let Some(cap) = form.softcap.map(f64::from) else {
        let bias = bias.map(|bias| without(bias.broadcast_as((1, h, n, m))?)).transpose()?;
        let y =
            wide_q.scaled_dot_product_attention(&wide_k, &wide_v, bias.as_ref(), 0.0, false, Some(scale))?;
        return y.to_dtype(q.dtype());
    };
    // The queries of the heads that share keys are rows of one product.
    let rows = wide_q.reshape((b, g, h / g * n, d))?;
    let products = rows.matmul(&wide_k.transpose(2, 3)?)?.reshape((b, h, n, m))?;
    let mut scores = (products.affine(scale / cap, 0.0)?.tanh()? * cap)?;
    if let Some(bias) = bias {
        scores = scores.broadcast_add(&bias)?;
    }
    let scores = without(scores)?;
    if m == 0 {
        return q.zeros_like();
    }
    // A query without keys has only negative infinities: its weights are 0.
    let peak = scores.max_keepdim(D::Minus1)?;
    let peak = peak.eq(f64::NEG_INFINITY)?.where_cond(&peak.zeros_like()?, &peak)?.detach();
    let weights = scores.broadcast_sub(&peak)?.exp()?;
    let sums = weights.sum_keepdim(D::Minus1)?;
    let sums = sums.eq(0f64)?.where_cond(&sums.ones_like()?, &sums)?;
    let weights = weights.broadcast_div(&sums)?.reshape((b, g, h / g * n, m))?;
    weights.matmul(&wide_v)?.reshape((b, h, n, d))?.to_dtype(q.dtype())
}

/// Reads the offsets of sequences: they ascend from 0 to at most `rows`.
fn ends(form: &Form<'_>, name: &str, offsets: &Tensor, rows: usize) -> Result<Vec<usize>> {
    if offsets.rank() != 1 || !offsets.dtype().is_int() || offsets.elem_count() < 2 {
        let (dims, dtype) = (offsets.dims(), offsets.dtype());
        return Err(form.error(format!("{name}: expected at least two integers, got {dims:?} in {dtype:?}")));
    }
    let ends: Vec<i64> = offsets.to_dtype(DType::I64)?.to_vec1()?;
    let ascend = ends.windows(2).all(|w| w[0] <= w[1]);
    if ends[0] != 0 || !ascend || *ends.last().unwrap_or(&0) > rows as i64 {
        return Err(form.error(format!("{name}: {ends:?} do not ascend from 0 to at most {rows}")));
    }
    Ok(ends.into_iter().map(|e| e as usize).collect())
}

/// Keys and values of packed sequences.
pub(crate) enum Source<'a> {
    /// One sequence after the other.
    Rows,
    /// Blocks of rows, `[blocks, rows, heads, size]`, whose numbers a table has, `[sequences, blocks of one]`, and ranges of each
    /// sequence.
    Blocks { table: &'a Tensor, ranges: Option<&'a Tensor> },
}

/// Attention of packed sequences `[rows, heads, size]`. Rows of no sequence are 0.
pub(crate) fn packed(
    form: &Form<'_>,
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    offsets: [&Tensor; 2],
    source: &Source<'_>,
) -> Result<Tensor> {
    check(form, q, k, v)?;
    let rank = if matches!(source, Source::Rows) { 3 } else { 4 };
    if q.rank() != 3 || k.rank() != rank {
        let text =
            format!("expected q of 3 dimensions and k of {rank}, got {:?} and {:?}", q.dims(), k.dims());
        return Err(form.error(text));
    }
    if let (true, Source::Rows) = (form.is_plain(), source) {
        let causal = form.right.is_some();
        return q.packed_attention(k, v, offsets, 0.0, causal, Some(form.scale.into()));
    }
    let keys = match source {
        Source::Rows => k.dim(0)?,
        Source::Blocks { .. } => usize::MAX >> 1,
    };
    let queries = ends(form, "seqlens_q", offsets[0], q.dim(0)?)?;
    let keys = ends(form, "seqlens_k", offsets[1], keys)?;
    if queries.len() != keys.len() {
        let (a, b) = (queries.len(), keys.len());
        return Err(form.error(format!("seqlens_q has {a} elements, seqlens_k {b}")));
    }
    let mut parts = Vec::new();
    for (i, (rows, span)) in queries.windows(2).zip(keys.windows(2)).enumerate() {
        let (n, m) = (rows[1] - rows[0], span[1] - span[0]);
        if n == 0 {
            continue;
        }
        let part = |t: &Tensor| match source {
            Source::Rows => t.narrow(0, span[0], m)?.unsqueeze(0),
            Source::Blocks { table, .. } => blocks(form, t, table, i, m)?.unsqueeze(0),
        };
        let q = q.narrow(0, rows[0], n)?.unsqueeze(0)?;
        let own = match source {
            Source::Blocks { ranges: Some(ranges), .. } => Some(ranges.get(i)?),
            _ => None,
        };
        parts.push(batch(&Form { ranges: own.as_ref(), ..*form }, &q, &part(k)?, &part(v)?)?.squeeze(0)?);
    }
    let end = queries.last().copied().unwrap_or(0);
    if parts.is_empty() || end < q.dim(0)? {
        parts.push(q.narrow(0, end, q.dim(0)? - end)?.zeros_like()?);
    }
    Tensor::cat(&parts, 0)
}

/// The first `m` rows of a sequence in blocks.
fn blocks(form: &Form<'_>, pool: &Tensor, table: &Tensor, sequence: usize, m: usize) -> Result<Tensor> {
    let (_, size, heads, d) = pool.dims4()?;
    let count = m.div_ceil(size.max(1));
    if count > table.dim(1)? {
        let text = format!(
            "sequence {sequence} has {m} keys in blocks of {size}, more than block_table {:?}",
            table.dims()
        );
        return Err(form.error(text));
    }
    let ids = table.get(sequence)?.narrow(0, 0, count)?.contiguous()?;
    pool.index_select(&ids, 0)?.reshape((count * size, heads, d))?.narrow(0, 0, m)
}
