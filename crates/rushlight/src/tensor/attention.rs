//! Attention as a method, and composed of products and a softmax: with the weights in memory, for gradients of gradients and of
//! a bias.
use crate::ops::attention::Attention;
use crate::ops::dropout::Dropout;
use crate::ops::norm::wide;
use crate::ops::{Meta, Op};
use crate::{DType, Error, Result, Tensor};

/// Returns the gradient of the bias of `ins`, queries, keys, values and masks: that of the products before they are scaled.
pub(crate) fn bias_grad(op: &Attention, g: &Tensor, ins: &[&Tensor], stats: &Tensor) -> Result<Tensor> {
    let [q, k, v] = [ins[0], ins[1], ins[2]].map(|t| t.to_dtype(stats.dtype()));
    let (q, heads) = (q?, g.dims()[1]);
    let (k, v) = (shared(&k?, heads)?, shared(&v?, heads)?);
    let [mask, bias] = op.masks(3).map(|i| i.map(|i| ins[i]));
    let scores = scores(op, &q, &k, mask, bias)?;
    let row = |i| stats.narrow(0, i, 1)?.squeeze(0)?.unsqueeze(3);
    let (lse, dot): (Tensor, Tensor) = (row(0)?, row(1)?);
    let empty = lse.eq(f64::NEG_INFINITY)?;
    let lse = empty.where_cond(&lse.zeros_like()?, &lse)?;
    let weights = scores.broadcast_sub(&lse)?.exp()?;
    let mut products = g.to_dtype(stats.dtype())?.matmul(&v.transpose(2, 3)?)?;
    if let Some(factors) = factors(op, &products)? {
        products = (products * factors)?;
    }
    (weights * products.broadcast_sub(&dot)?)?.to_dtype(g.dtype())
}

/// Returns the result of attention of `ins`, its inputs, by ops that have second derivatives. Its gradient, unlike that of
/// attention itself, needs excluded keys and values to be finite.
pub(crate) fn composed(op: &Attention, ins: &[Tensor]) -> Result<Tensor> {
    let (dtype, heads) = (ins[0].dtype(), ins[0].dims()[1]);
    let [q, k, v] = [0, 1, 2].map(|i| ins[i].to_dtype(wide(dtype)));
    let (q, k, v) = (q?, shared(&k?, heads)?, shared(&v?, heads)?);
    let [mask, bias] = op.masks(3).map(|i| i.map(|i| &ins[i]));
    let sequences = op.offsets(3).map(|[a, b]| Sequences::new(&ins[a], &ins[b], &q, &k)).transpose()?;
    let within = sequences.as_ref().map(|s| s.mask(op.causal)).transpose()?;
    // In a packed batch the diagonal is that of a sequence.
    let whole = Attention { causal: op.causal && !op.packed, ..*op };
    let s = scores(&whole, &q, &k, mask.or(within.as_ref()), bias)?;
    let mut weights = softmax(&s)?;
    if let Some(mut factors) = factors(op, &weights)? {
        if let Some(sequences) = &sequences {
            factors = factors.index_select(&sequences.key, 3)?;
        }
        weights = (weights * factors)?;
    }
    weights.matmul(&v)?.to_dtype(dtype)
}

/// The factors of weights of this shape by dropout, if there is any; in a packed batch by the index of a key in its sequence.
fn factors(op: &Attention, weights: &Tensor) -> Result<Option<Tensor>> {
    if op.dropout.p == 0.0 {
        return Ok(None);
    }
    let mut dims = weights.dims().to_vec();
    let keys = dims[3];
    dims[3] = keys.next_multiple_of(4);
    let ones = Tensor::ones(dims, weights.dtype(), weights.device())?;
    Ok(Some(Tensor::run(Op::Dropout(op.dropout), &[&ones])?.narrow(3, 0, keys)?))
}

/// The softmax of scores; 0 for queries without keys.
fn softmax(s: &Tensor) -> Result<Tensor> {
    if s.dims()[3] == 0 {
        return Ok(s.clone());
    }
    let peak = s.detach().max_keepdim(3)?;
    let empty = peak.eq(f64::NEG_INFINITY)?.broadcast_as(s.shape().clone())?;
    let zero = s.zeros_like()?;
    // A row of negative infinities would give NaN, and NaN in gradients: its scores are replaced first.
    empty.where_cond(&zero, &empty.where_cond(&zero, s)?.softmax(3)?)
}

/// The sequences of a packed batch, for each query `[T, 1]` and each key `[1, T]`.
struct Sequences {
    /// Number of the sequence; N or the one after for those of none.
    numbers: [Tensor; 2],
    /// Elements up to the end of the sequence.
    left: [Tensor; 2],
    /// For each key its index in the sequence.
    key: Tensor,
}

impl Sequences {
    fn new(queries: &Tensor, keys: &Tensor, q: &Tensor, k: &Tensor) -> Result<Self> {
        let part = |offsets: &Tensor, rows: usize, none: i64| -> Result<[Tensor; 3]> {
            let n = offsets.dims()[0] as i64 - 1;
            let at = Tensor::arange(0, rows as i64, offsets.device())?;
            // Offsets up to a row: one more than the number of its sequence.
            let up_to = offsets.unsqueeze(0)?.broadcast_le(&at.unsqueeze(1)?)?;
            let number = (up_to.to_dtype(DType::I64)?.sum(1)? - 1.0)?;
            let end = offsets.index_select(&(&number + 1.0)?.minimum(n)?, 0)?;
            let begin = offsets.index_select(&number, 0)?;
            let numbers = number.eq(n)?.where_cond(&number.constant_like(none as f64)?, &number)?;
            Ok([numbers, (end - &at)?, (at - begin)?])
        };
        let count = keys.dims()[0] as i64 - 1;
        let [a, left_a, _] = part(queries, q.dims()[2], count)?;
        let [b, left_b, key] = part(keys, k.dims()[2], count + 1)?;
        let key_rows = [b.unsqueeze(0)?, left_b.unsqueeze(0)?];
        let [b, left_b] = key_rows;
        Ok(Self { numbers: [a.unsqueeze(1)?, b], left: [left_a.unsqueeze(1)?, left_b], key })
    }

    /// Which keys a query may attend to, `[1, 1, T, T]`.
    fn mask(&self, causal: bool) -> Result<Tensor> {
        let [a, b] = &self.numbers;
        let mut keep = a.broadcast_eq(b)?;
        if causal {
            let [a, b] = &self.left;
            keep = (keep * b.broadcast_ge(a)?)?;
        }
        keep.to_dtype(DType::Bool)?.unsqueeze(0)?.unsqueeze(0)
    }
}

/// Each head of keys as often as heads of queries share it.
fn shared(t: &Tensor, heads: usize) -> Result<Tensor> {
    let &[b, g, n, d] = t.dims() else { return Ok(t.clone()) };
    if g == heads || g == 0 {
        return Ok(t.clone());
    }
    let to = [b, g, heads / g, n, d];
    t.unsqueeze(2)?.broadcast_as(to.as_slice())?.reshape([b, heads, n, d].as_slice())
}

/// The scaled products of queries and keys, with the bias, and negative infinity for excluded keys.
fn scores(
    op: &Attention,
    q: &Tensor,
    k: &Tensor,
    mask: Option<&Tensor>,
    bias: Option<&Tensor>,
) -> Result<Tensor> {
    let mut s = q.matmul(&k.transpose(2, 3)?)?.affine(op.scale, 0.0)?;
    if let Some(bias) = bias {
        s = (s + bias.to_dtype(q.dtype())?)?;
    }
    let without = |s: &Tensor, keep: &Tensor| -> Result<Tensor> {
        let least = s.constant_like(f64::NEG_INFINITY)?;
        keep.broadcast_as(s.shape().clone())?.where_cond(s, &least)
    };
    if let Some(mask) = mask {
        s = without(&s, mask)?;
    }
    if op.causal {
        let (n, m) = (s.dims()[2], s.dims()[3]);
        let ones = Tensor::ones((n, m), DType::U8, s.device())?.tril(0)?.to_dtype(DType::Bool)?;
        s = without(&s, &ones)?;
    }
    Ok(s)
}

/// A tensor of up to 4 dimensions with 4.
fn four(t: &Tensor) -> Result<Tensor> {
    match t.rank() {
        2 => t.unsqueeze(0)?.unsqueeze(0),
        3 => t.unsqueeze(1),
        4 => Ok(t.clone()),
        n => {
            let d = t.dims();
            let tail = &d[n.saturating_sub(3)..];
            match tail {
                &[h, l, e] => t.reshape([d[..n - 3].iter().product(), h, l, e].as_slice()),
                _ => Err(Error::invalid("attention", format!("needs at least 2 dimensions, got {d:?}"))),
            }
        }
    }
}

impl Tensor {
    /// Attention of the queries `self` `[.., H, Lq, D]` to `k` `[.., G, Lk, D]` and `v` `[.., G, Lk, E]`:
    /// `softmax(self k^T scale + mask) v`, of shape `[.., H, Lq, E]`, without the weights `[.., H, Lq, Lk]` in memory. FLOAT
    /// dtypes, one for all; two to any number of dimensions.
    ///
    /// `mask` is broadcast to the weights: bools exclude the keys where they are false, numbers are added to the scaled
    /// products and have a gradient. With `causal` query i attends to the keys 0 to i. `scale` is `1 / sqrt(D)` where it is not
    /// given. H may be a multiple of G. A query without keys gives 0. Weights are dropped with probability `dropout_p`, the others
    /// divided by `1 - dropout_p`; the gradients draw them again. A gradient that is recorded (`create_graph`) has the weights
    /// in memory.
    ///
    /// Errors: other shapes than these, other dtypes, a mask that does not broadcast, a probability outside of 0 to 1.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let q = Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?;
    /// let v = Tensor::new(&[[1f32], [3.]], &Device::Cpu)?;
    /// let y = q.scaled_dot_product_attention(&q, &v, None, 0.0, true, Some(0.0))?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[1.], [2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn scaled_dot_product_attention(
        &self,
        k: &Self,
        v: &Self,
        mask: Option<&Self>,
        dropout_p: f64,
        causal: bool,
        scale: Option<f64>,
    ) -> Result<Self> {
        let (op, q, k, mask) = self.attending(k, mask, causal, scale)?;
        let op = Attention { dropout: self.drawn(dropout_p), ..op };
        let v = four(v)?;
        let ins: Vec<&Tensor> = [&q, &k, &v].into_iter().chain(&mask).collect();
        let out = Tensor::run(Op::Attention(op), &ins)?;
        if self.rank() == 4 {
            return Ok(out);
        }
        let mut dims = self.dims().to_vec();
        if let Some(last) = dims.last_mut() {
            *last = v.dims()[3];
        }
        out.reshape(dims)
    }

    /// Attention of packed sequences: the queries `self` `[T, H, D]` of N sequences one after the other, of which `offsets[0]`,
    /// `[N + 1]` of an INT dtype, are the first rows and the end, to keys `k` `[S, G, D]` and values `v` `[S, G, E]` with
    /// `offsets[1]`. Each sequence attends to its own keys, as by [`Tensor::scaled_dot_product_attention`]; a sequence may be
    /// empty. The result, `[T, H, E]`, is 0 for queries without keys, and for those after the last offset.
    ///
    /// With `causal` the last query of a sequence attends to all its keys, the one before to all but the last, and so on.
    /// Dropout, scale and heads are as there.
    ///
    /// Errors: other shapes than these, other dtypes, offsets that do not ascend from 0 to at most T and S.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let (q, v) = (Tensor::ones((3, 1, 2), rushlight::DType::F32, &Device::Cpu)?, [[[1f32]], [[3.]], [[5.]]]);
    /// let (v, offsets) = (Tensor::new(&v, &Device::Cpu)?, Tensor::new(&[0i64, 2, 3], &Device::Cpu)?);
    /// let y = q.packed_attention(&q, &v, [&offsets, &offsets], 0.0, false, None)?;
    /// assert_eq!(y.flatten_all()?.to_vec1::<f32>()?, [2., 2., 5.]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn packed_attention(
        &self,
        k: &Self,
        v: &Self,
        offsets: [&Self; 2],
        dropout_p: f64,
        causal: bool,
        scale: Option<f64>,
    ) -> Result<Self> {
        let mut ins = [self, k, v].map(Self::clone);
        for t in &mut ins {
            if t.rank() != 3 {
                let text = format!("expected packed sequences [length, heads, size], got {:?}", t.shape());
                return Err(Error::invalid("attention", text));
            }
            *t = t.transpose(0, 1)?.unsqueeze(0)?;
        }
        let [q, k, v] = &ins;
        let size = q.dims()[3].max(1) as f64;
        let op = Attention {
            scale: scale.unwrap_or_else(|| 1.0 / size.sqrt()),
            causal,
            masked: false,
            biased: false,
            packed: true,
            dropout: self.drawn(dropout_p),
        };
        let [a, b] = offsets.map(|t| t.to_dtype(DType::I64));
        Tensor::run(Op::Attention(op), &[q, k, v, &a?, &b?])?.squeeze(0)?.transpose(0, 1)
    }

    /// Dropout by the next draw, if there is any.
    fn drawn(&self, p: f64) -> Dropout {
        Dropout { p, key: if p == 0.0 { (0, 0) } else { self.device().next_draw() } }
    }

    /// The weights of [`Tensor::scaled_dot_product_attention`], `softmax(self k^T scale + mask)`, of shape `[.., H, Lq, Lk]`.
    /// The weights of a query without keys are 0. FLOAT dtypes; f16 and bf16 round the products.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let q = Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?;
    /// assert_eq!(q.attention_weights(&q, None, true, Some(0.0))?.to_vec2::<f32>()?, [[1., 0.], [0.5, 0.5]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn attention_weights(
        &self,
        k: &Self,
        mask: Option<&Self>,
        causal: bool,
        scale: Option<f64>,
    ) -> Result<Self> {
        let keys = k.dims().iter().rev().nth(1).copied().unwrap_or(0);
        let (op, q, k, mask) = self.attending(k, mask, causal, scale)?;
        let (bools, numbers) = if op.masked { (mask.as_ref(), None) } else { (None, mask.as_ref()) };
        let masks: Vec<Meta> = mask.iter().map(|m| Meta::new(m.shape().clone(), m.dtype())).collect();
        op.check("attention", q.shape(), k.shape(), None, &masks)?;
        let s = scores(&op, &q, &shared(&k, q.dims()[1])?, bools, numbers)?;
        let weights = softmax(&s)?;
        let mut dims = self.dims().to_vec();
        if let Some(last) = dims.last_mut() {
            *last = keys;
        }
        weights.reshape(dims)
    }

    /// The op, and queries, keys and mask of 4 dimensions.
    fn attending(
        &self,
        k: &Self,
        mask: Option<&Self>,
        causal: bool,
        scale: Option<f64>,
    ) -> Result<(Attention, Self, Self, Option<Self>)> {
        let (q, k4) = (four(self)?, four(k)?);
        let size = q.dims()[3].max(1) as f64;
        let mask = mask
            .map(|m| {
                let mut dims = self.dims().to_vec();
                if let Some(last) = dims.last_mut() {
                    *last = k4.dims()[2];
                }
                four(&m.broadcast_as(dims)?)
            })
            .transpose()?;
        let bools = mask.as_ref().is_some_and(|m| m.dtype() == DType::Bool);
        let op = Attention {
            scale: scale.unwrap_or_else(|| 1.0 / size.sqrt()),
            causal,
            masked: bools,
            biased: mask.is_some() && !bools,
            packed: false,
            dropout: Dropout { p: 0.0, key: (0, 0) },
        };
        Ok((op, q, k4, mask))
    }
}
