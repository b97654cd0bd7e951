//! Scaled dot-product attention by tiles: the weights of queries and keys are never in memory.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Threshold, Thresholds, Value,
};
use crate::autograd::Vjp;
use crate::dtype::sets;
use crate::ops::attention_key_grad::AttentionKeyGrad;
use crate::ops::attention_query_grad::AttentionQueryGrad;
use crate::ops::attention_stats::AttentionStats;
use crate::ops::norm::wide;
use crate::{DType, Error, Result, Shape, Tensor};

/// `softmax(q k^T scale + bias) v`, for each of the batch's heads: queries `[B, H, Lq, D]`, keys `[B, G, Lk, D]`, values
/// `[B, G, Lk, E]` give `[B, H, Lq, E]`. H is a multiple of G, and H / G neighbouring heads of queries share a head of keys
/// and values. Keys that the mask excludes have weight 0, whatever they hold; a query without keys gives 0. (Online softmax by
/// tiles: Milakov and Gimelshein 2018, Dao 2023.) f16 and bf16 compute in f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Attention {
    /// Factor of the products of queries and keys.
    pub scale: f64,
    /// Query i attends to the keys 0 to i only.
    pub causal: bool,
    /// A mask of bools `[B, H, Lq, Lk]` is a further input: keys where it is false are excluded.
    pub masked: bool,
    /// Numbers `[B, H, Lq, Lk]` that are added to the scaled products are a further input.
    pub biased: bool,
}

/// Sizes of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub batch: usize,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values.
    pub groups: usize,
    pub queries: usize,
    pub keys: usize,
    /// Elements of a query and of a key.
    pub depth: usize,
    /// Elements of a value.
    pub width: usize,
}

impl Sizes {
    /// Sizes of checked queries, keys and values.
    pub fn of(q: &[usize], k: &[usize], v: &[usize]) -> Self {
        let [batch, heads, queries, depth] = [q[0], q[1], q[2], q[3]];
        Self { batch, heads, groups: k[1], queries, keys: k[2], depth, width: v[3] }
    }
}

const SCALE: AttributeSpec =
    AttributeSpec::new("scale", Kind::Float, Allowed::Any, "Factor of the products of queries and keys.");
const CAUSAL: AttributeSpec =
    AttributeSpec::flag("causal", "Whether a query attends only to keys up to its own index.");
const MASKED: AttributeSpec = AttributeSpec::flag("masked", "Whether a mask of bools is a further input.");
const BIASED: AttributeSpec =
    AttributeSpec::flag("biased", "Whether numbers added to the products are a further input.");

/// Inputs whose first `N - 2` are given, then a mask and a bias.
macro_rules! inputs {
    ($self:expr, $n:literal: $first:literal, $($name:literal),+) => {{
        const BOTH: [Input; $n + 2] = [
            Input::new($first, sets::FLOAT),
            $(Input::same($name, sets::FLOAT)),+,
            Input::new("mask", sets::BOOL),
            Input::same("bias", sets::FLOAT),
        ];
        const BIASED: [Input; $n + 1] =
            [Input::new($first, sets::FLOAT), $(Input::same($name, sets::FLOAT)),+, BOTH[$n + 1]];
        match ($self.masked, $self.biased) {
            (true, true) => &BOTH,
            (true, false) => const { BOTH.split_at($n + 1).0 },
            (false, true) => &BIASED,
            (false, false) => const { BOTH.split_at($n).0 },
        }
    }};
}
pub(super) use inputs;

/// Inputs of the gradients.
macro_rules! gradient_inputs {
    ($self:expr) => {{
        const BOTH: [Input; 7] = [
            Input::new("grad", sets::FLOAT),
            Input::same("q", sets::FLOAT),
            Input::same("k", sets::FLOAT),
            Input::same("v", sets::FLOAT),
            Input::new("stats", crate::ops::batch_norm::WIDE),
            Input::new("mask", sets::BOOL),
            Input::same("bias", sets::FLOAT),
        ];
        const BIASED: [Input; 6] = [BOTH[0], BOTH[1], BOTH[2], BOTH[3], BOTH[4], BOTH[6]];
        match ($self.masked, $self.biased) {
            (true, true) => &BOTH,
            (true, false) => const { BOTH.split_at(6).0 },
            (false, true) => &BIASED,
            (false, false) => const { BOTH.split_at(5).0 },
        }
    }};
}
pub(super) use gradient_inputs;

impl Attention {
    /// The attributes, also of the gradients.
    pub(super) const SPECS: &'static [AttributeSpec] = &[SCALE, CAUSAL, MASKED, BIASED];

    /// The values of the attributes.
    pub(super) fn all_values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.scale),
            Value::Bool(self.causal),
            Value::Bool(self.masked),
            Value::Bool(self.biased),
        ]
    }

    /// Indices of the mask and the bias among inputs of which they follow the first `n`.
    pub(crate) fn masks(&self, n: usize) -> [Option<usize>; 2] {
        [self.masked.then_some(n), self.biased.then_some(n + usize::from(self.masked))]
    }

    /// Checks queries, keys, values (where there are), and the masks that follow.
    pub(super) fn check(
        op: &'static str,
        q: &Shape,
        k: &Shape,
        v: Option<&Shape>,
        masks: &[Meta],
    ) -> Result<Sizes> {
        let bad = |text: &str| {
            let v = v.map(|v| format!(" and values {v:?}")).unwrap_or_default();
            Err(Error::invalid(op, format!("{text}, got queries {q:?}, keys {k:?}{v}")))
        };
        let (qd, kd, vd) = (q.dims(), k.dims(), v.unwrap_or(k).dims());
        if [qd, kd, vd].iter().any(|d| d.len() != 4) {
            return bad("expected 4 dimensions, [batch, heads, length, size]");
        }
        if qd[0] != kd[0] || kd[0] != vd[0] {
            return bad("expected one size of the batch");
        }
        if kd[1] != vd[1] || kd[2] != vd[2] {
            return bad("expected as many values as keys");
        }
        if kd[1] == 0 && qd[1] != 0 || kd[1] != 0 && !qd[1].is_multiple_of(kd[1]) {
            return bad("the heads of queries must be a multiple of the heads of keys");
        }
        if qd[3] != kd[3] {
            return bad("expected queries and keys of one size");
        }
        let expected = Shape::from([qd[0], qd[1], qd[2], kd[2]].as_slice());
        if let Some(m) = masks.iter().find(|m| m.shape != expected) {
            return Err(Error::UnexpectedShape {
                msg: format!("{op}: a mask has the shape of the weights"),
                expected,
                got: m.shape.clone(),
            }
            .bt());
        }
        Ok(Sizes::of(qd, kd, vd))
    }

    /// Checks the inputs of a gradient: the result's gradient, queries, keys, values, statistics and masks.
    pub(super) fn check_gradient(op: &'static str, ins: &[Meta]) -> Result<Sizes> {
        let [g, q, k, v, stats] = [0, 1, 2, 3, 4].map(|i| &ins[i]);
        let s = Self::check(op, &q.shape, &k.shape, Some(&v.shape), &ins[5..])?;
        let expected = [
            (g, Shape::from([s.batch, s.heads, s.queries, s.width].as_slice())),
            (stats, Shape::from([2, s.batch, s.heads, s.queries].as_slice())),
        ];
        if let Some((m, expected)) = expected.iter().find(|(m, expected)| m.shape != *expected) {
            return Err(Error::shapes(&m.shape, expected, op));
        }
        if stats.dtype != wide(g.dtype) {
            return Err(Error::dtype("the dtype of the statistics", wide(g.dtype), stats.dtype));
        }
        Ok(s)
    }

    /// The gradient of the bias: that of the products before they are scaled.
    fn bias_grad(&self, c: &Vjp<'_>, ins: &[&Tensor], stats: &Tensor) -> Result<Tensor> {
        let [q, k, v] = [ins[0], ins[1], ins[2]].map(|t| t.to_dtype(stats.dtype()));
        let (k, v) = (shared(&k?, q.as_ref().map_or(1, |q| q.dims()[1]))?, shared(&v?, c.grad().dims()[1])?);
        let [mask, bias] = self.masks(3).map(|i| i.map(|i| ins[i]));
        let scores = scores(self, &q?, &k, mask, bias)?;
        let row = |i| stats.narrow(0, i, 1)?.squeeze(0)?.unsqueeze(3);
        let (lse, dot): (Tensor, Tensor) = (row(0)?, row(1)?);
        let empty = lse.eq(f64::NEG_INFINITY)?;
        let lse = empty.where_cond(&lse.zeros_like()?, &lse)?;
        let weights = scores.broadcast_sub(&lse)?.exp()?;
        let products = c.grad().to_dtype(stats.dtype())?.matmul(&v.transpose(2, 3)?)?;
        (weights * products.broadcast_sub(&dot)?)?.to_dtype(c.grad().dtype())
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

impl OpDef for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn inputs(&self) -> &'static [Input] {
        inputs!(self, 3: "q", "k", "v")
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let s = Self::check(self.name(), &ins[0].shape, &ins[1].shape, Some(&ins[2].shape), &ins[3..])?;
        Ok(Meta::new([s.batch, s.heads, s.queries, s.width].as_slice().into(), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        let masks = self.masks(3).into_iter().flatten().fold(0, |all, i| all | 1 << i);
        Reads::inputs(7 | masks).or(Reads::OUTPUT)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        let g = c.grad();
        let (q, k, v, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output()?);
        let masks = self.masks(3).into_iter().flatten().map(|i| c.input(i)).collect::<Result<Vec<_>>>()?;
        let with = |first: &[&Tensor], op: Op| -> Result<Tensor> {
            let all: Vec<&Tensor> = first.iter().copied().chain(&masks).collect();
            Tensor::run(op, &all)
        };
        let stats = with(&[g, &out, &q, &k], Op::AttentionStats(AttentionStats(*self)))?;
        let ins = [g, &q, &k, &v, &stats];
        let dq = c.when(0, || with(&ins, Op::AttentionQueryGrad(AttentionQueryGrad(*self))))?;
        let (mut dk, mut dv) = (None, None);
        if c.needs(1) || c.needs(2) {
            let both = with(&ins, Op::AttentionKeyGrad(AttentionKeyGrad(*self)))?;
            let (depth, width) = (k.dims()[3], v.dims()[3]);
            dk = c.when(1, || both.narrow(3, 0, depth)?.contiguous())?;
            dv = c.when(2, || both.narrow(3, depth, width)?.contiguous())?;
        }
        let mut all = Grads::new();
        all.extend([dq, dk, dv]);
        if self.masked {
            all.push(None);
        }
        if let [_, Some(bias)] = self.masks(3) {
            let ins: Vec<&Tensor> = [&q, &k, &v].into_iter().chain(&masks).collect();
            all.push(c.when(bias, || self.bias_grad(c, &ins, &stats))?);
        }
        Ok(all)
    }

    fn shape_rule(&self) -> ShapeRule {
        ShapeRule::Computed(
            "queries [B, H, Lq, D], keys [B, G, Lk, D] and values [B, G, Lk, E] give [B, H, Lq, E]",
        )
    }

    fn attributes(&self) -> &'static [AttributeSpec] {
        Self::SPECS
    }

    fn values(&self) -> Vec<Value> {
        self.all_values()
    }

    fn pattern(&self) -> Pattern {
        Pattern::Attention { queries: 0 }
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::ATTENTION
    }

    fn term_order(&self) -> TermOrder {
        TermOrder::Fixed
    }

    fn special_values(&self) -> SpecialValues {
        SpecialValues::OF_SCORES
    }

    fn reference(&self) -> Reference {
        Reference::UNWRITTEN
    }

    fn thresholds(&self) -> Thresholds {
        Self::THRESHOLDS
    }

    fn samples() -> Vec<Sample> {
        samples(|op, q, k, v, masks| {
            let range = Domain::Range(-2.0, 2.0);
            let mut ins = vec![Spec::new(q, range), Spec::new(k, range), Spec::new(v, range)];
            ins.extend(masks);
            (Op::Attention(op), ins)
        })
    }
}

impl Attention {
    /// Rows and columns of a tile: 64, of f64 32.
    pub(super) const THRESHOLDS: Thresholds = Thresholds {
        dimension: &[
            Threshold { what: "a tile of f64", at: 32, below: &[1], above: &[33] },
            Threshold { what: "a tile", at: 64, below: &[64], above: &[65, 130] },
        ],
        all: Threshold { what: "steps of a product", at: 16, below: &[7], above: &[17] },
        launch: None,
        line: None,
        many_lines: None,
        chunks: 300,
    };
}

/// Uses with every attribute. `make(op, shapes of queries, keys and values, masks)` gives an op and its inputs.
pub(super) fn samples(
    make: impl Fn(Attention, Shape, Shape, Shape, Vec<Spec>) -> (Op, Vec<Spec>),
) -> Vec<Sample> {
    let base = Attention { scale: 0.5, causal: false, masked: false, biased: false };
    let one = |op: Attention, q: [usize; 4], k: [usize; 4], v: [usize; 4]| {
        let weights = [q[0], q[1], q[2], k[2]];
        let mut masks = Vec::new();
        if op.masked {
            let fill = Fill::Fixed(DType::Bool);
            masks.push(Spec { shape: weights.as_slice().into(), domain: Domain::Mask, fill });
        }
        if op.biased {
            masks.push(Spec::new(weights.as_slice(), Domain::Range(-1.0, 1.0)));
        }
        make(op, q.as_slice().into(), k.as_slice().into(), v.as_slice().into(), masks)
    };
    let causal = Attention { causal: true, ..base };
    let (masked, biased) = (Attention { masked: true, ..base }, Attention { biased: true, ..base });
    let good = [
        (base, [1, 1, 3, 4], [1, 1, 5, 4], [1, 1, 5, 2]),
        (
            Attention { causal: true, masked: true, biased: true, ..base },
            [2, 4, 3, 5],
            [2, 2, 6, 5],
            [2, 2, 6, 7],
        ),
        (causal, [1, 2, 5, 3], [1, 1, 5, 3], [1, 1, 5, 3]),
        (causal, [1, 1, 7, 3], [1, 1, 4, 3], [1, 1, 4, 3]),
        (causal, [1, 1, 4, 3], [1, 1, 7, 3], [1, 1, 7, 3]),
        (masked, [1, 2, 3, 4], [1, 2, 5, 4], [1, 2, 5, 4]),
        (biased, [2, 2, 3, 4], [2, 2, 5, 4], [2, 2, 5, 4]),
        (base, [0, 1, 3, 4], [0, 1, 5, 4], [0, 1, 5, 4]),
        (base, [1, 1, 0, 4], [1, 1, 5, 4], [1, 1, 5, 4]),
        (base, [1, 1, 3, 4], [1, 1, 0, 4], [1, 1, 0, 4]),
        (base, [1, 1, 3, 4], [1, 1, 5, 4], [1, 1, 5, 0]),
    ];
    let mut all = Vec::new();
    for (op, q, k, v) in good {
        let (op, ins) = one(op, q, k, v);
        all.push(Sample::new(op, ins));
    }
    let shapes = [[1, 3, 3, 4], [1, 2, 5, 4], [1, 1, 5, 4], [2, 3, 5, 4], [1, 3, 5, 3]];
    for (k, v, words) in [
        (1, 1, "must be a multiple of the heads of keys"),
        (2, 1, "as many values as keys"),
        (3, 3, "one size of the batch"),
        (4, 4, "queries and keys of one size"),
    ] {
        let (op, ins) = one(base, shapes[0], shapes[k], shapes[v]);
        all.push(Sample::bad(op, ins, words));
    }
    let (op, mut ins) = one(biased, [1, 1, 3, 4], [1, 1, 5, 4], [1, 1, 5, 4]);
    if let Some(last) = ins.last_mut() {
        last.shape = Shape::from([1, 1, 3, 4].as_slice());
    }
    all.push(Sample::bad(op, ins, "the shape of the weights"));
    let (op, mut ins) = one(base, [1, 1, 3, 4], [1, 1, 5, 4], [1, 1, 5, 4]);
    ins.iter_mut().for_each(|i| i.shape = Shape::from((3, 4)));
    all.push(Sample::bad(op, ins, ""));
    all
}

/// Uses of a gradient.
pub(super) fn gradient_samples(make: impl Fn(Attention) -> Op) -> Vec<Sample> {
    let mut all = samples(|op, q, k, v, masks| {
        let range = Domain::Range(-2.0, 2.0);
        let (d, e) = (q.dims().to_vec(), v.dims().to_vec());
        let (out, stats) = match (&d[..], &e[..]) {
            (&[b, h, n, _], &[.., w]) => (vec![b, h, n, w], vec![2, b, h, n]),
            _ => (d.clone(), d),
        };
        // Weights are e^(score - stats): not larger than those of a softmax, if these are not less than the scores.
        let stats = Spec { shape: stats.into(), domain: Domain::Away(4.0, 8.0, 20.0), fill: Fill::Wide };
        let mut ins = vec![Spec::new(out, range)];
        ins.extend([Spec::new(q, range), Spec::new(k, range), Spec::new(v, range), stats]);
        ins.extend(masks);
        (make(op), ins)
    });
    all.iter_mut().for_each(|s| s.grad = false);
    all
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
    /// given. H may be a multiple of G. A query without keys gives 0.
    ///
    /// Errors: other shapes than these, other dtypes, a mask that does not broadcast.
    ///
    /// ```
    /// use rushlight::{Device, Tensor};
    /// let q = Tensor::new(&[[1f32, 0.], [0., 1.]], &Device::Cpu)?;
    /// let v = Tensor::new(&[[1f32], [3.]], &Device::Cpu)?;
    /// let y = q.scaled_dot_product_attention(&q, &v, None, true, Some(0.0))?;
    /// assert_eq!(y.to_vec2::<f32>()?, [[1.], [2.]]);
    /// # Ok::<(), rushlight::Error>(())
    /// ```
    pub fn scaled_dot_product_attention(
        &self,
        k: &Self,
        v: &Self,
        mask: Option<&Self>,
        causal: bool,
        scale: Option<f64>,
    ) -> Result<Self> {
        let (op, q, k, mask) = self.attending(k, mask, causal, scale)?;
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
        Self::check_weights(&q, &k, mask.as_ref())?;
        let s = scores(&op, &q, &shared(&k, q.dims()[1])?, bools, numbers)?;
        let weights = if keys == 0 {
            s
        } else {
            let peak = s.detach().max_keepdim(3)?;
            let empty = peak.eq(f64::NEG_INFINITY)?.broadcast_as(s.shape().clone())?;
            let zero = s.zeros_like()?;
            // A row of negative infinities would give NaN, and NaN in gradients: its scores are replaced first.
            empty.where_cond(&zero, &empty.where_cond(&zero, &s)?.softmax(3)?)?
        };
        let mut dims = self.dims().to_vec();
        if let Some(last) = dims.last_mut() {
            *last = keys;
        }
        weights.reshape(dims)
    }

    fn check_weights(q: &Self, k: &Self, mask: Option<&Self>) -> Result<Sizes> {
        let masks: Vec<Meta> = mask.iter().map(|m| Meta::new(m.shape().clone(), m.dtype())).collect();
        Attention::check("attention", q.shape(), k.shape(), None, &masks)
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
        };
        Ok((op, q, k4, mask))
    }
}
