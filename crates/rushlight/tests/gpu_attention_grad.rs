//! The gradients of attention in f16 and bf16 at the sizes of the kernels on matrix units, compared with plain sums in f64. Ignored
//! by default, see `gpu.rs`.
mod common;
use common::device::gpu;
use common::report::{Check, Report, as_f64, text};
use rushlight::ops::Op;
use rushlight::ops::attention::Attention;
use rushlight::ops::attention_key_grad::AttentionKeyGrad;
use rushlight::ops::attention_query_grad::AttentionQueryGrad;
use rushlight::ops::attention_stats::AttentionStats;
use rushlight::ops::dropout::Dropout;
use rushlight::{DType, Device, Result, Tensor};

const PLAIN: Attention = Attention {
    scale: 0.25,
    causal: false,
    masked: false,
    biased: false,
    packed: false,
    dropout: Dropout { p: 0.0, key: (0, 0) },
};
const CAUSAL: Attention = Attention { causal: true, ..PLAIN };

/// Batch, heads, groups, queries, keys, the sizes of a key and of a value.
type Sizes = [usize; 7];
/// First query, end of the queries, first key and end of the keys that belong together.
type Sequence = [usize; 4];

/// Numbers of `[-2, 2]`.
fn numbers(n: usize, seed: u64) -> Vec<f32> {
    let number = |i: u64| {
        let h = (i + 1)
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(seed.wrapping_mul(0x2545_F491_4F6C_DD1D));
        let h = (h ^ (h >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((h >> 40) as f32 / 16_777_216.0 - 0.5) * 4.0
    };
    (0..n as u64).map(number).collect()
}

fn tensor(values: Vec<f32>, shape: &[usize], dtype: DType) -> Result<Tensor> {
    Tensor::from_vec::<_, f32>(values, shape, &Device::Cpu)?.to_dtype(dtype)
}

/// A use of the ops, and its numbers: the inputs as tensors of the dtype, and rounded so in f64.
struct Case {
    op: Attention,
    sizes: Sizes,
    dtype: DType,
    sequences: Vec<Sequence>,
    /// Gradient, queries, keys, values.
    parts: [Tensor; 4],
    /// The mask, the bias and the offsets.
    masks: Vec<Tensor>,
    offsets: Vec<Tensor>,
}

impl Case {
    /// `grad` is the factor of the gradient.
    fn new(op: Attention, sizes: Sizes, dtype: DType, grad: f32) -> Result<Case> {
        let [batch, heads, groups, queries, keys, depth, width] = sizes;
        let shapes = [
            [batch, heads, queries, width],
            [batch, heads, queries, depth],
            [batch, groups, keys, depth],
            [batch, groups, keys, width],
        ];
        let part = |i: usize| {
            let factor = if i == 0 { grad } else { 1.0 };
            let values = numbers(shapes[i].iter().product(), i as u64).into_iter().map(|v| v * factor);
            tensor(values.collect(), &shapes[i], dtype)
        };
        let parts = [part(0)?, part(1)?, part(2)?, part(3)?];
        let weights = [batch, heads, queries, keys];
        let n = weights.iter().product();
        let mut masks = Vec::new();
        if op.masked {
            let kept = numbers(n, 4).into_iter().map(|v| f32::from(u8::from(v > -0.5)));
            masks.push(tensor(kept.collect(), &weights, DType::Bool)?);
        }
        if op.biased {
            masks.push(tensor(numbers(n, 5), &weights, dtype)?);
        }
        let sequences = vec![[0, queries, 0, keys]];
        Ok(Case { op, sizes, dtype, sequences, parts, masks, offsets: Vec::new() })
    }

    fn packed(mut self, query_offsets: &[i64], key_offsets: &[i64]) -> Result<Case> {
        self.op.packed = true;
        self.sequences = query_offsets
            .windows(2)
            .zip(key_offsets.windows(2))
            .map(|(q, k)| [q[0], q[1], k[0], k[1]].map(|n| n as usize))
            .collect();
        self.offsets =
            vec![Tensor::new(query_offsets, &Device::Cpu)?, Tensor::new(key_offsets, &Device::Cpu)?];
        Ok(self)
    }

    /// Replaces row `row` of a part by numbers `bad`.
    fn spoil(&mut self, part: usize, row: usize, bad: f64) -> Result<()> {
        let (t, n) = (&self.parts[part], self.parts[part].dims()[2]);
        let odd = t.narrow(2, row, 1)?.affine(0.0, bad)?;
        self.parts[part] =
            Tensor::cat(&[&t.narrow(2, 0, row)?, &odd, &t.narrow(2, row + 1, n - row - 1)?], 2)?;
        Ok(())
    }
}

/// A result in f64, and how far from it a kernel's may be.
struct Expected {
    value: Vec<f64>,
    bound: Vec<f64>,
}

impl Expected {
    fn new(n: usize) -> Expected {
        Expected { value: vec![0.0; n], bound: vec![0.0; n] }
    }
    fn add(&mut self, at: usize, value: f64, bound: f64) {
        self.value[at] += value;
        self.bound[at] += bound;
    }
    fn compare(&self, what: &str, got: &[f64], half_unit: f64) -> Check {
        if got.len() != self.value.len() {
            return Err(format!("{what}: {} elements", got.len()));
        }
        for (i, (&g, (&w, &b))) in got.iter().zip(self.value.iter().zip(&self.bound)).enumerate() {
            // Half a unit of numbers below 2^-14 of f16.
            let bound = half_unit * 1.01 * w.abs() + 1.05 * b + 2f64.powi(-25);
            if !(g == w || (g.is_nan() && w.is_nan()) || (g - w).abs() <= bound) {
                return Err(format!("{what}: element {i} is {g:e} instead of {w:e}, bound {bound:e}"));
            }
        }
        Ok(())
    }
}

/// The statistics in f64, the result, and the gradients given the statistics in f32.
struct Truth {
    stats: Expected,
    rounded: Vec<f32>,
    result: Vec<f64>,
    queries: Expected,
    keys: Expected,
}

/// The sum of magnitudes of products, and of those of them with a subnormal number of f16, which units of CDNA2 take as 0.
fn sizes_of(a: &[f64], b: &[f64], dtype: DType) -> (f64, f64) {
    let lost = |x: f64| dtype == DType::F16 && x.abs() < 2f64.powi(-14);
    a.iter().zip(b).fold((0.0, 0.0), |(all, some), (&x, &y)| {
        let size = (x * y).abs();
        (all + size, if lost(x) || lost(y) { some + size } else { some })
    })
}

/// Plain sums over the pairs of queries and keys. A weight of 0 excludes a key, whatever its numbers.
fn truth(case: &Case) -> std::result::Result<Truth, String> {
    let [batch, heads, groups, queries, keys, depth, width] = case.sizes;
    let half_unit = 2f64.powi(if case.dtype == DType::F16 { -11 } else { -8 });
    let mut parts = Vec::new();
    for t in &case.parts {
        parts.push(as_f64(t)?);
    }
    let mut masks = Vec::new();
    for t in &case.masks {
        masks.push(as_f64(t)?);
    }
    let (n, scale) = (batch * heads * queries, case.op.scale);
    let mut all = Truth {
        stats: Expected::new(2 * n),
        rounded: vec![f32::NEG_INFINITY; 2 * n],
        result: vec![0.0; n * width],
        queries: Expected::new(n * depth),
        keys: Expected::new(batch * groups * keys * (depth + width)),
    };
    all.stats.value[..n].fill(f64::NEG_INFINITY);
    all.rounded[n..].fill(0.0);
    for bh in 0..batch * heads {
        let group = bh / heads * groups + bh % heads / (heads / groups);
        for &[q0, q1, k0, k1] in &case.sequences {
            for i in q0..q1 {
                let query = bh * queries + i;
                let row = |part: usize, r: usize, size: usize| &parts[part][r * size..][..size];
                let (g, q) = (row(0, query, width), row(1, query, depth));
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
                let sizes_of = |a: &[f64], b: &[f64]| sizes_of(a, b, case.dtype);
                // Scores, and the error of their weights.
                let (mut scores, mut errors) = (Vec::new(), Vec::new());
                for j in k0..k1 {
                    let diagonal = if case.op.packed { (k1 - k0) as i64 - (q1 - q0) as i64 } else { 0 };
                    let key = row(2, group * keys + j, depth);
                    let mut score = dot(q, key) * scale;
                    let (size, lost) = sizes_of(q, key);
                    let mut error = (2f64.powi(-20) * (size + 4.0) + lost) * scale + 2f64.powi(-19);
                    let at = query * keys + j;
                    if case.op.biased {
                        score += masks[usize::from(case.op.masked)][at];
                    }
                    let late = case.op.causal && (j - k0) as i64 > (i - q0) as i64 + diagonal;
                    if late || (case.op.masked && masks[0][at] == 0.0) {
                        score = f64::NEG_INFINITY;
                        error = 0.0;
                    }
                    scores.push(score);
                    errors.push(error);
                }
                let odd = scores.iter().any(|s| s.is_nan());
                let peak = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let sum: f64 =
                    scores.iter().map(|s| if *s == f64::NEG_INFINITY { 0.0 } else { (s - peak).exp() }).sum();
                let log = if odd {
                    f64::NAN
                } else if sum == 0.0 {
                    f64::NEG_INFINITY
                } else {
                    peak + sum.ln()
                };
                let largest = errors.iter().copied().fold(0.0, f64::max);
                let weight = |j: usize, log: f64| {
                    if scores[j] == f64::NEG_INFINITY { 0.0 } else { (scores[j] - log).exp() }
                };
                let out = &mut all.result[query * width..][..width];
                for j in 0..k1 - k0 {
                    let w = weight(j, log);
                    if w == 0.0 {
                        continue;
                    }
                    for (o, v) in out.iter_mut().zip(row(3, group * keys + k0 + j, width)) {
                        *o += w * v;
                    }
                }
                let (product, product_size) = (dot(g, out), sizes_of(g, out).0);
                all.stats.value[query] = log;
                all.stats.bound[query] = largest + 2f64.powi(-20) * (log.abs() + 1.0);
                all.stats.value[n + query] = product;
                // The result is rounded to the dtype before.
                all.stats.bound[n + query] =
                    (half_unit + 2f64.powi(-20)) * product_size + 2f64.powi(-24) * width as f64;
                let (log, product) = (log as f32, product as f32);
                (all.rounded[query], all.rounded[n + query]) = (log, product);
                let (log, product) = (f64::from(log), f64::from(product));
                // The gradients of scores.
                let mut pairs = Vec::new();
                for (j, error) in errors.into_iter().enumerate() {
                    let w = weight(j, log);
                    if w == 0.0 {
                        continue;
                    }
                    let value = row(3, group * keys + k0 + j, width);
                    let ds = w * (dot(g, value) - product);
                    let of_weight = error + 2f64.powi(-20) * (log.abs() + 1.0);
                    let (size, lost) = sizes_of(g, value);
                    let of_product = 2f64.powi(-19) * (size + product.abs()) + lost;
                    pairs.push((j, w, ds, of_weight, of_product));
                }
                let most = pairs.iter().map(|p| p.2.abs()).fold(0.0, f64::max);
                for (j, w, ds, of_weight, of_product) in pairs {
                    let key = group * keys + k0 + j;
                    // Rounding, also of numbers far below the largest; errors of the weight and of the product.
                    let far =
                        half_unit * ds.abs() + of_weight * ds.abs() + w * of_product + 2f64.powi(-20) * most;
                    let near = (half_unit + of_weight) * w + 2f64.powi(-28);
                    let (k, size) = (row(2, key, depth), depth + width);
                    // Subnormal numbers may count as 0.
                    let lost = |a: f64, b: f64| sizes_of(&[1.0], &[b]).1 * a.abs();
                    for d in 0..depth {
                        let (of_query, of_key) = (far * k[d].abs(), far * q[d].abs());
                        let i = query * depth + d;
                        all.queries.add(i, ds * k[d] * scale, (of_query + lost(ds, k[d])) * scale);
                        let i = key * size + d;
                        all.keys.add(i, ds * q[d] * scale, (of_key + lost(ds, q[d])) * scale);
                    }
                    for (e, &g) in g.iter().enumerate() {
                        all.keys.add(key * size + depth + e, w * g, near * g.abs() + lost(w, g));
                    }
                }
            }
        }
    }
    Ok(all)
}

/// Compares the three ops with the truth.
fn check(case: &Case, device: &Device) -> Check {
    let truth = truth(case)?;
    let half_unit = 2f64.powi(if case.dtype == DType::F16 { -11 } else { -8 });
    let [batch, heads, _, queries, _, _, width] = case.sizes;
    let moved = |t: &Tensor| text(t.to_device(device));
    let [grad, q, k, v] = &case.parts;
    let (grad, q, k, v) = (moved(grad)?, moved(q)?, moved(k)?, moved(v)?);
    let result = truth.result.iter().map(|&v| v as f32).collect();
    let result = moved(&text(tensor(result, &[batch, heads, queries, width], case.dtype))?)?;
    let stats = moved(&text(tensor(truth.rounded.clone(), &[2, batch, heads, queries], DType::F32))?)?;
    let mut more = Vec::new();
    for t in case.masks.iter().chain(&case.offsets) {
        more.push(moved(t)?);
    }
    let run = |op: Op, mut ins: Vec<Tensor>| {
        ins.extend(more.iter().cloned());
        let out = text(op.run(&ins).and_then(|all| all[0].to_device(&Device::Cpu)))?;
        as_f64(&out)
    };
    let with = |op: Op| run(op, vec![grad.clone(), q.clone(), k.clone(), v.clone(), stats.clone()]);
    let got =
        run(Op::AttentionStats(AttentionStats(case.op)), vec![grad.clone(), result, q.clone(), k.clone()])?;
    truth.stats.compare("statistics", &got, 0.0)?;
    let got = with(Op::AttentionQueryGrad(AttentionQueryGrad(case.op)))?;
    truth.queries.compare("queries", &got, half_unit)?;
    let got = with(Op::AttentionKeyGrad(AttentionKeyGrad(case.op)))?;
    truth.keys.compare("keys and values", &got, half_unit)
}

/// All sizes of heads, tiles that are not whole, heads that share keys, masks and biases.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn gradients_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    let masked = Attention { masked: true, ..PLAIN };
    let biased = Attention { biased: true, ..PLAIN };
    let all = Attention { masked: true, biased: true, causal: true, ..PLAIN };
    let cases: [(Attention, Sizes); 13] = [
        (PLAIN, [1, 1, 1, 1, 1, 8, 8]),
        (PLAIN, [2, 2, 1, 33, 70, 32, 32]),
        (CAUSAL, [1, 2, 1, 150, 200, 32, 24]),
        (PLAIN, [1, 2, 2, 128, 128, 64, 64]),
        (CAUSAL, [2, 4, 2, 131, 131, 64, 64]),
        (CAUSAL, [1, 1, 1, 260, 90, 64, 40]),
        (masked, [1, 2, 1, 100, 140, 48, 64]),
        (PLAIN, [1, 2, 1, 130, 129, 128, 128]),
        (CAUSAL, [1, 2, 1, 200, 213, 128, 128]),
        (biased, [2, 1, 1, 70, 65, 96, 112]),
        (all, [1, 4, 2, 90, 150, 104, 72]),
        (all, [1, 4, 2, 150, 90, 24, 64]),
        (CAUSAL, [1, 2, 1, 40, 65, 160, 256]),
    ];
    for dtype in [DType::F16, DType::BF16] {
        for (op, sizes) in cases {
            r.case(&format!("{dtype:?} {sizes:?} {op:?}"), || {
                check(&text(Case::new(op, sizes, dtype, 1.0))?, &device)
            });
        }
    }
    r.finish(26);
}

/// Packed sequences, some of which are empty, and rows after the last one.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn gradients_of_packed_sequences_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F16, DType::BF16] {
        for (causal, depth, width) in [(false, 64, 64), (true, 64, 32), (true, 128, 128)] {
            r.case(&format!("{dtype:?} {causal} {depth} {width}"), || {
                let op = Attention { causal, ..PLAIN };
                let case = text(Case::new(op, [1, 2, 1, 310, 400, depth, width], dtype, 1.0))?;
                let case = text(case.packed(&[0, 3, 3, 140, 300, 305], &[0, 70, 90, 90, 390, 393]))?;
                check(&case, &device)
            });
        }
    }
    r.finish(6);
}

/// Gradients of f16 that are small or large: times weights they are beyond the ends of its range.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn small_and_large_gradients_keep_their_digits() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for (op, factor, row) in [(PLAIN, 1e-4, 500.0), (CAUSAL, 1e-4, 500.0), (CAUSAL, 8000.0, 0.01)] {
        r.case(&format!("{op:?} {factor}"), || {
            let sizes = [1, 2, 1, 200, 300, 64, 64];
            let mut case = text(Case::new(op, sizes, DType::F16, 1.0))?;
            // No gradient is subnormal: units of CDNA2 would take it as 0.
            let grad = numbers(2 * 200 * 64, 7).into_iter().map(|v| (v.signum() + v / 2.0) * factor);
            case.parts[0] = text(tensor(grad.collect(), &[1, 2, 200, 64], DType::F16))?;
            // Queries and keys whose weights are nearly equal, and a column of large keys, which meet zeros of queries.
            let column = |t: &Tensor, first: f64, others: f64| {
                let parts =
                    [t.narrow(3, 0, 1)?.affine(first, 0.0)?, t.narrow(3, 1, 63)?.affine(others, 0.0)?];
                Tensor::cat(&[&parts[0], &parts[1]], 3)
            };
            case.parts[1] = text(column(&case.parts[1], 0.0, 0.01))?;
            case.parts[2] = text(column(&case.parts[2], row, 0.01))?;
            check(&case, &device)
        });
    }
    r.finish(3);
}

/// NaN and infinities: those of excluded keys and values change nothing, others give what f64 gives.
#[test]
#[ignore = "needs an AMD GPU or the virtual one: make test-rocm"]
fn gradients_that_are_not_finite_are_those_in_f64() {
    let (device, _) = gpu();
    let mut r = Report::new();
    for dtype in [DType::F16, DType::BF16] {
        for bad in [f64::NAN, f64::INFINITY] {
            // Rows of gradient, queries, keys or values that no early row sees.
            for (op, part) in [(CAUSAL, 0), (CAUSAL, 1), (CAUSAL, 2), (CAUSAL, 3), (PLAIN, 3)] {
                if bad == f64::INFINITY && part != 3 {
                    continue;
                }
                r.case(&format!("{dtype:?} {bad} of part {part} {op:?}"), || {
                    let mut case = text(Case::new(op, [1, 2, 1, 140, 150, 64, 72], dtype, 1.0))?;
                    text(case.spoil(part, 100, bad))?;
                    check(&case, &device)
                });
            }
        }
    }
    r.finish(14);
}
