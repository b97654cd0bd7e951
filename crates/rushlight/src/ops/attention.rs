//! Scaled dot-product attention by tiles: the weights of queries and keys are never in memory.
use super::{
    Accuracy, Allowed, AttributeSpec, Domain, Fill, Grads, Input, Kind, Meta, Op, OpDef, Pattern, Reads,
    Reference, Sample, ShapeRule, Spec, SpecialValues, TermOrder, Threshold, Thresholds, Value, attribute,
};
use crate::autograd::Vjp;
use crate::dtype::{DTypeSet, sets};
use crate::ops::attention_key_grad::AttentionKeyGrad;
use crate::ops::attention_query_grad::AttentionQueryGrad;
use crate::ops::attention_stats::AttentionStats;
use crate::ops::dropout::{self, Dropout};
use crate::ops::norm::wide;
use crate::tensor::attention::{bias_grad, composed};
use crate::{DType, Error, Result, Shape, Tensor};

/// `softmax(q k^T scale + bias) v`, for each of the batch's heads: queries `[B, H, Lq, D]`, keys `[B, G, Lk, D]`, values
/// `[B, G, Lk, E]` give `[B, H, Lq, E]`. H is a multiple of G, and H / G neighbouring heads of queries share a head of keys
/// and values. Keys that the mask excludes have weight 0, whatever they hold; a query without keys gives 0. (Online softmax by
/// tiles: Milakov and Gimelshein 2018, Dao 2023.) f16 and bf16 compute in f32.
///
/// The weight of query i and key j of a head is dropped where element `[b, h, i, j]` of [`Dropout`] of the weights is, if these
/// had a multiple of 4 keys: a block of the generator draws for 4 neighbouring keys. Gradients draw the same.
///
/// Packed sequences are one batch, `[1, H, T, D]`, with two further inputs of N + 1 offsets in I64, from 0 on and ascending:
/// the queries `a[n]` to `a[n + 1]` attend to the keys `b[n]` to `b[n + 1]`, `causal` so that the last query attends to the last
/// key. Queries and keys after the last offset belong to no sequence. Dropout draws for keys by their index in the sequence.
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
    /// The sequences of a packed batch are given by two further inputs: offsets of queries and of keys `[N + 1]`.
    pub packed: bool,
    /// Which weights are dropped; none with probability 0.
    pub dropout: Dropout,
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
const PACKED: AttributeSpec =
    AttributeSpec::flag("packed", "Whether offsets of sequences of queries and of keys are further inputs.");
const P: AttributeSpec =
    AttributeSpec::new("p", Kind::Float, Allowed::Probability, "Probability of dropping a weight.")
        .or(Value::Float(0.0));

/// The offsets of packed sequences.
const QUERY_OFFSETS: Input = Input::new("query_offsets", DTypeSet::of(&[DType::I64]));
const KEY_OFFSETS: Input = Input::new("key_offsets", DTypeSet::of(&[DType::I64]));

/// The first inputs, and then a mask and a bias, or offsets.
const fn followed<const N: usize, const M: usize>(first: [Input; N], rest: [Input; M]) -> [Input; 7] {
    let mut all = [first[0]; 7];
    let mut i = 0;
    while i < N + M {
        all[i] = if i < N { first[i] } else { rest[i - N] };
        i += 1;
    }
    all
}

impl Attention {
    /// The inputs of which the first `N` are given.
    const fn all_inputs<const N: usize>(first: [Input; N]) -> [[Input; 7]; 3] {
        let (mask, bias) = (Input::new("mask", sets::BOOL), Input::same("bias", sets::FLOAT));
        [
            followed(first, [mask, bias]),
            followed(first, [bias]),
            followed(first, [QUERY_OFFSETS, KEY_OFFSETS]),
        ]
    }

    /// Those of this call.
    fn inputs_of(&self, all: &'static [[Input; 7]; 3], n: usize) -> &'static [Input] {
        let which = if self.packed { 2 } else { usize::from(!self.masked && self.biased) };
        all[which].split_at(n + self.extras()).0
    }

    /// Queries, keys and values, and what follows.
    fn forward_inputs(&self) -> &'static [Input] {
        const ALL: [[Input; 7]; 3] = Attention::all_inputs([
            Input::new("q", sets::FLOAT),
            Input::same("k", sets::FLOAT),
            Input::same("v", sets::FLOAT),
        ]);
        self.inputs_of(&ALL, 3)
    }

    /// Inputs of the statistics.
    pub(super) fn stats_inputs(&self) -> &'static [Input] {
        const ALL: [[Input; 7]; 3] = Attention::all_inputs([
            Input::new("grad", sets::FLOAT),
            Input::same("out", sets::FLOAT),
            Input::same("q", sets::FLOAT),
            Input::same("k", sets::FLOAT),
        ]);
        self.inputs_of(&ALL, 4)
    }

    /// Inputs of the gradients.
    pub(super) fn gradient_inputs(&self) -> &'static [Input] {
        const ALL: [[Input; 7]; 3] = Attention::all_inputs([
            Input::new("grad", sets::FLOAT),
            Input::same("q", sets::FLOAT),
            Input::same("k", sets::FLOAT),
            Input::same("v", sets::FLOAT),
            Input::new("stats", crate::ops::batch_norm::WIDE),
        ]);
        self.inputs_of(&ALL, 5)
    }
}

impl Attention {
    /// The attributes, also of the gradients.
    pub(super) const SPECS: &'static [AttributeSpec] =
        &[SCALE, CAUSAL, MASKED, BIASED, PACKED, P, attribute::KEY];

    /// The values of the attributes.
    pub(super) fn all_values(&self) -> Vec<Value> {
        vec![
            Value::Float(self.scale),
            Value::Bool(self.causal),
            Value::Bool(self.masked),
            Value::Bool(self.biased),
            Value::Bool(self.packed),
            Value::Float(self.dropout.p),
            Value::Key(self.dropout.key.0, self.dropout.key.1),
        ]
    }

    /// Number of inputs after queries, keys and values.
    fn extras(&self) -> usize {
        if self.packed { 2 } else { usize::from(self.masked) + usize::from(self.biased) }
    }

    /// Indices of the offsets of packed sequences among inputs of which they follow the first `n`.
    pub(crate) fn offsets(&self, n: usize) -> Option<[usize; 2]> {
        self.packed.then_some([n, n + 1])
    }

    /// Indices of the mask and the bias among inputs of which they follow the first `n`.
    pub(crate) fn masks(&self, n: usize) -> [Option<usize>; 2] {
        [self.masked.then_some(n), self.biased.then_some(n + usize::from(self.masked))]
    }

    /// Checks queries, keys, values (where there are), and the masks or offsets that follow.
    pub(crate) fn check(
        &self,
        op: &'static str,
        q: &Shape,
        k: &Shape,
        v: Option<&Shape>,
        more: &[Meta],
    ) -> Result<Sizes> {
        dropout::check(self.dropout.p)?;
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
        if let (true, [a, b]) = (self.packed, more) {
            if self.masked || self.biased || qd[0] != 1 {
                return bad("packed sequences are one batch, without masks");
            }
            if a.shape.rank() != 1 || a.shape != b.shape || a.shape.dims()[0] == 0 {
                return Err(Error::invalid(
                    op,
                    format!(
                        "expected as many offsets of queries as of keys, [N + 1], got {:?} and {:?}",
                        a.shape, b.shape
                    ),
                ));
            }
            return Ok(Sizes::of(qd, kd, vd));
        }
        let expected = Shape::from([qd[0], qd[1], qd[2], kd[2]].as_slice());
        if let Some(m) = more.iter().find(|m| m.shape != expected) {
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
    pub(super) fn check_gradient(&self, op: &'static str, ins: &[Meta]) -> Result<Sizes> {
        let [g, q, k, v, stats] = [0, 1, 2, 3, 4].map(|i| &ins[i]);
        let s = self.check(op, &q.shape, &k.shape, Some(&v.shape), &ins[5..])?;
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
}

impl OpDef for Attention {
    fn name(&self) -> &'static str {
        "attention"
    }

    fn inputs(&self) -> &'static [Input] {
        self.forward_inputs()
    }

    fn infer(&self, ins: &[Meta]) -> Result<Meta> {
        let s = self.check(self.name(), &ins[0].shape, &ins[1].shape, Some(&ins[2].shape), &ins[3..])?;
        Ok(Meta::new([s.batch, s.heads, s.queries, s.width].as_slice().into(), ins[0].dtype))
    }

    fn reads(&self) -> Reads {
        Reads::inputs((1 << (3 + self.extras())) - 1).or(Reads::OUTPUT)
    }

    fn vjp(&self, c: &Vjp<'_>) -> Result<Grads> {
        if c.records() {
            // Of products and a softmax, which have second derivatives, with the weights in memory.
            return c.composed(|ins| composed(self, ins));
        }
        let g = c.grad();
        let (q, k, v, out) = (c.input(0)?, c.input(1)?, c.input(2)?, c.output()?);
        let more = (3..3 + self.extras()).map(|i| c.input(i)).collect::<Result<Vec<_>>>()?;
        let with = |first: &[&Tensor], op: Op| -> Result<Tensor> {
            let all: Vec<&Tensor> = first.iter().copied().chain(&more).collect();
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
        all.extend((0..self.extras()).map(|_| None));
        if let [_, Some(bias)] = self.masks(3) {
            let ins: Vec<&Tensor> = [&q, &k, &v].into_iter().chain(&more).collect();
            all[bias] = c.when(bias, || bias_grad(self, g, &ins, &stats))?;
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
    let none = Dropout { p: 0.0, key: (0, 0) };
    let base =
        Attention { scale: 0.5, causal: false, masked: false, biased: false, packed: false, dropout: none };
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
        if op.packed {
            let offsets = |total| Spec {
                shape: Shape::from(8),
                domain: Domain::Offsets(total),
                fill: Fill::Fixed(DType::I64),
            };
            masks.extend([offsets(q[2]), offsets(k[2])]);
        }
        make(op, q.as_slice().into(), k.as_slice().into(), v.as_slice().into(), masks)
    };
    let causal = Attention { causal: true, ..base };
    let (masked, biased) = (Attention { masked: true, ..base }, Attention { biased: true, ..base });
    let packed = Attention { packed: true, ..base };
    let dropout = Dropout { p: 0.4, key: (42, 7) };
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
        (
            Attention { dropout, causal: true, masked: true, biased: true, ..base },
            [2, 2, 9, 4],
            [2, 1, 7, 4],
            [2, 1, 7, 3],
        ),
        (packed, [1, 2, 9, 4], [1, 1, 12, 4], [1, 1, 12, 3]),
        (Attention { dropout, causal: true, ..packed }, [1, 4, 13, 3], [1, 2, 11, 3], [1, 2, 11, 5]),
        (packed, [1, 1, 0, 4], [1, 1, 5, 4], [1, 1, 5, 4]),
    ];
    let mut all = Vec::new();
    for (op, q, k, v) in good {
        let (op, ins) = one(op, q, k, v);
        all.push(Sample::new(op, ins));
    }
    // Several tiles of a sequence.
    let many = Attention { dropout, causal: true, ..packed };
    let (op, ins) = one(many, [1, 2, 220, 5], [1, 1, 400, 5], [1, 1, 400, 9]);
    all.push(Sample::new(op, ins).no_grad());
    // Whole packs of 8, which matrix units take: one sample for each kernel.
    let every = Attention { causal: true, masked: true, biased: true, ..base };
    for (op, q, k, v) in [
        (base, [1, 2, 9, 8], [1, 1, 70, 8], [1, 1, 70, 16]),
        (every, [1, 2, 20, 64], [1, 1, 70, 64], [1, 1, 70, 40]),
        (causal, [1, 1, 17, 128], [1, 1, 66, 128], [1, 1, 66, 128]),
        (base, [1, 1, 5, 160], [1, 1, 33, 160], [1, 1, 33, 200]),
        (Attention { causal: true, ..packed }, [1, 2, 150, 16], [1, 1, 200, 16], [1, 1, 200, 24]),
    ] {
        let (op, ins) = one(Attention { scale: 1.0 / (q[3] as f64).sqrt(), ..op }, q, k, v);
        all.push(Sample::new(op, ins).no_grad());
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
    let (op, ins) = one(packed, [2, 1, 9, 4], [2, 1, 9, 4], [2, 1, 9, 4]);
    all.push(Sample::bad(op, ins, "one batch, without masks"));
    let (op, mut ins) = one(packed, [1, 1, 9, 4], [1, 1, 9, 4], [1, 1, 9, 4]);
    if let Some(last) = ins.last_mut() {
        last.shape = Shape::from(7);
    }
    all.push(Sample::bad(op, ins, "as many offsets of queries as of keys"));
    let improper = Attention { dropout: Dropout { p: 1.5, key: (0, 0) }, ..base };
    let (op, ins) = one(improper, [1, 1, 3, 4], [1, 1, 5, 4], [1, 1, 5, 4]);
    all.push(Sample::bad(op, ins, "between 0 and 1"));
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
