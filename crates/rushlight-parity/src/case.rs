//! The cases of the suite: those of the sweeps, their gradients and errors, and further cases with shapes and values that
//! the samples do not have.
use super::bound::{Class, class};
use super::hard::hard_numbers;
use crate::sweep::{self, Form, Rng, draw, fill_storage, hash};
use rushlight::cpu::CpuStorage;
use rushlight::ops::{ConvPass, Differentiable, Domain, Fill, Meta, Op, Pattern, Sample};
use rushlight::{DType, Device, Result, Shape, Tensor, sets};
use std::collections::HashMap;

/// The part of an op that a case runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Pass {
    /// The op.
    Forward,
    /// The op's gradients, for a cotangent of ones.
    Gradient,
    /// A bad use, which must fail with the same text on every device.
    Error,
}

impl Pass {
    /// Name, as in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Forward => "forward",
            Self::Gradient => "gradient",
            Self::Error => "error",
        }
    }
}

/// One case: an op with attributes, inputs of known shapes, dtypes, layouts and values, and a pass.
#[derive(Debug, Clone)]
pub struct Case {
    /// Unique name: op, number of the sample, dtypes of the inputs, special sizes or values, layout, and pass.
    pub name: String,
    /// The part of the op that is run.
    pub pass: Pass,
    pub(super) used: sweep::Case,
    values: Values,
    seed: u64,
}

/// The numbers in a case's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    /// The sample's numbers.
    Usual,
    /// Infinities, NaN and numbers at the ends of the range.
    Hard,
    /// The sample's numbers with a few much larger ones among them, so that the maximum of one part of a row is not that
    /// of the row.
    Peaks,
    /// The sample's numbers, with one NaN in every 64.
    Nan,
    /// The sample's numbers, with one negative infinity in every 64, as in masked attention scores.
    Inf,
    /// Numbers whose extreme is 0, which occurs with both signs after other elements. Both zeros are equal, so the op's
    /// order of elements decides the sign of the result, which is not always that of the first element.
    Zeros,
}

impl Values {
    /// Returns the value that is not finite, for the kinds that hold only one such value.
    const fn odd(self) -> Option<f64> {
        match self {
            Self::Nan => Some(f64::NAN),
            Self::Inf => Some(f64::NEG_INFINITY),
            _ => None,
        }
    }
}

/// Numbers much larger than those of samples. In cases of `Values::Peaks` one element in `PEAK_EVERY` is one of them.
const PEAKS: &[f64] = &[88.0, 200.0, 3000.0, -3000.0];
const PEAK_EVERY: u64 = 800;
/// In cases of `Values::Nan` and `Values::Inf` one element in `ODD_EVERY` is NaN or infinite.
const ODD_EVERY: usize = 64;
/// Dtypes of the cases with further sizes: one for each element size.
const SIZED: &[DType] = &[DType::U8, DType::F16, DType::F32, DType::I64];
/// The number of an op's samples that are run with further sizes, and the number that are run with hard numbers.
const GROWN: usize = 3;
const HARD: usize = 4;
/// The largest number of multiplications of a case with further sizes, and of a case with long lines.
const WORK: usize = 40_000;
const LONG_WORK: usize = 4 * 65_537;

impl Case {
    /// Returns every case. The seed (0 by default) changes the values of the inputs; each case draws its own.
    pub fn all(seed: u64) -> Vec<Self> {
        let samples = Op::all_samples();
        let mut all = Vec::new();
        for used in sweep::Case::of(&samples) {
            let made = |pass, end: &str| Self {
                name: format!("{}{end}", used.name),
                pass,
                used: used.clone(),
                values: Values::Usual,
                seed,
            };
            if used.error.is_some() {
                all.push(made(Pass::Error, "/error"));
                continue;
            }
            if has_gradient(&used) && matches!(used.form, Form::Contiguous | Form::Stepped) {
                all.push(made(Pass::Gradient, "/grad"));
            }
            all.push(made(Pass::Forward, ""));
        }
        for (n, s) in good(&samples) {
            grow(s, n, seed, &mut all);
            if n <= GROWN && !pointwise(&s.op) && s.op.special_values().peaks {
                peak(s, n, seed, &mut all);
            }
        }
        let mut with_hard: HashMap<&str, Vec<String>> = HashMap::new();
        for (n, s) in good(&samples) {
            let name = s.op.name();
            let drawn = s.inputs.iter().any(|i| takes_hard(&i.domain, i.fill));
            let done = with_hard.entry(name).or_default();
            let op = format!("{:?}", s.op);
            let many = if pointwise(&s.op) { usize::MAX } else { HARD };
            let some = s.inputs.iter().all(|i| i.shape.elem_count() > 1);
            if drawn && some && !done.contains(&op) && done.len() < many {
                done.push(op);
                harden(s, n, seed, Values::Hard, &mut all);
                if !pointwise(&s.op) {
                    harden(s, n, seed, Values::Nan, &mut all);
                    harden(s, n, seed, Values::Inf, &mut all);
                    // Lines so short that one thread reduces each.
                    let short = s.op.thresholds().all.below.first().copied().unwrap_or(1);
                    let made = mapped(s, |d| if d > 1 { short } else { d });
                    let row = made.dtype_rows().into_iter().next().unwrap_or_default();
                    let small = fits(&made, &row) && work(&made, &row) <= WORK;
                    harden(if small { &made } else { s }, n, seed, Values::Zeros, &mut all);
                }
            }
        }
        all
    }

    /// The op's name.
    pub fn op(&self) -> &'static str {
        self.used.op.name()
    }

    /// The name of the op's definition: the family in reports.
    pub fn family(&self) -> &'static str {
        self.used.op.definition()
    }

    /// The op with its attributes.
    pub fn what(&self) -> &Op {
        &self.used.op
    }

    /// The dtypes of the inputs.
    pub fn dtypes(&self) -> &[DType] {
        &self.used.dtypes
    }

    /// Returns the dtype under which reports count the case: that of the first input.
    pub fn dtype(&self) -> DType {
        self.used.dtypes.first().copied().unwrap_or(DType::F32)
    }

    /// The shapes of the inputs.
    pub fn shapes(&self) -> Vec<Shape> {
        self.used.specs.iter().map(|s| s.shape.clone()).collect()
    }

    /// Returns the bound on a result of a dtype.
    pub fn class(&self, dtype: DType) -> Class {
        class(&self.used.op, dtype)
    }

    /// Returns whether the inputs hold infinities, NaN, numbers at the ends of the range, or a few numbers much larger than
    /// the others.
    pub fn is_hard(&self) -> bool {
        self.values != Values::Usual
    }

    /// Returns whether sums of the inputs may overflow the dtype, and not f64.
    pub(super) fn overflows(&self) -> bool {
        matches!(self.values, Values::Hard | Values::Peaks)
    }

    /// The case's own seed.
    pub fn seed(&self) -> u64 {
        self.used.seed ^ self.seed.wrapping_mul(0xA076_1D64_78BD_642F)
    }

    /// Makes the inputs on a device, in the case's layout.
    pub fn tensors(&self, device: &Device) -> Result<Vec<Tensor>> {
        (0..self.used.specs.len()).map(|i| self.used.input(i, self.values(i)?, device)).collect()
    }

    /// Returns the values of input `i`, row-major.
    pub fn values(&self, i: usize) -> Result<CpuStorage> {
        let seeded = sweep::Case { seed: self.seed(), ..self.used.clone() };
        let (Some(spec), Some(&dtype)) = (self.used.specs.get(i), self.used.dtypes.get(i)) else {
            return seeded.values(i);
        };
        if !self.is_hard() || !takes_hard(&spec.domain, spec.fill) {
            return seeded.values(i);
        }
        // Overflow of sums of products depends on their order.
        let large = self.class(dtype) != Class::Products && self.used.op.special_values().large;
        let hard = hard_numbers(dtype, large);
        let n = spec.shape.elem_count();
        let mut rng = Rng(self.seed() ^ (i as u64 + 1).wrapping_mul(0xE703_7ED1_A0B4_28DB));
        let count = hard.len();
        if self.values == Values::Peaks {
            let one = |v: f64| match rng.next() % PEAK_EVERY {
                0 => PEAKS[(rng.next() % PEAKS.len() as u64) as usize],
                _ => v,
            };
            let easy = draw(&spec.domain, &mut Rng(self.seed() ^ i as u64), n, i);
            return fill_storage(dtype, &easy.into_iter().map(one).collect::<Vec<_>>());
        }
        if self.values == Values::Zeros {
            let other = self.used.op.special_values().beside_zeros;
            let one = |_| [0.0, -0.0, other][(rng.next() % 3) as usize];
            return fill_storage(dtype, &(0..n).map(one).collect::<Vec<_>>());
        }
        if let Some(odd) = self.values.odd() {
            let mut v = draw(&spec.domain, &mut Rng(self.seed() ^ i as u64), n, i);
            if dtype.is_float() && self.used.op.special_values().finite_input != Some(i) {
                v.chunks_mut(ODD_EVERY).for_each(|part| {
                    let at = (rng.next() % part.len() as u64) as usize;
                    part[at] = odd;
                });
            }
            return fill_storage(dtype, &v);
        }
        let values: Vec<f64> = match (pointwise(&self.used.op), self.used.specs.len()) {
            // Each hard number for one input, each pair of them for two.
            (true, 1) => (0..n).map(|k| hard[k % count]).collect(),
            (true, 2) => (0..n).map(|k| hard[if i == 0 { k / count } else { k } % count]).collect(),
            (true, _) => (0..n).map(|_| hard[(rng.next() % count as u64) as usize]).collect(),
            // Every sixth element is a hard number, so that not every sum is NaN.
            _ => {
                let easy = draw(&spec.domain, &mut rng, n, i);
                let one = |v: &f64| match rng.next() % 6 {
                    0 => hard[(rng.next() % count as u64) as usize],
                    _ => *v,
                };
                easy.iter().map(one).collect()
            }
        };
        fill_storage(dtype, &values)
    }
}

/// Iterates over the valid samples with their index among all samples of the op, which case names contain.
fn good(samples: &[Sample]) -> impl Iterator<Item = (usize, &Sample)> {
    let mut count: HashMap<&'static str, usize> = HashMap::new();
    let numbered = samples.iter().map(move |s| {
        let n = count.entry(s.op.name()).or_default();
        *n += 1;
        (*n, s)
    });
    numbered.filter(|(_, s)| s.error.is_none())
}

/// Returns whether the suite can compute a case's gradient.
fn has_gradient(used: &sweep::Case) -> bool {
    used.grad
        && used.op.targets() == 0
        && used.op.differentiable() == Differentiable::Yes
        && used.dtypes.iter().any(|d| d.is_inexact())
        && used.dtypes.iter().all(|d| !d.is_inexact() || sets::INEXACT.contains(*d))
}

/// Returns whether an input may hold hard numbers.
fn takes_hard(domain: &Domain, fill: Fill) -> bool {
    let any = matches!(domain, Domain::Range(..) | Domain::Away(..) | Domain::Distinct | Domain::Truth);
    any && fill == Fill::T
}

/// Returns whether an op accepts inputs of any shape, as long as it is the same for all.
pub(super) fn pointwise(op: &Op) -> bool {
    op.pattern().is_elementwise()
}

/// Returns whether the op takes inputs of these shapes, and every index has an element to point to.
fn fits(s: &Sample, row: &[DType]) -> bool {
    let metas: Vec<Meta> = s.inputs.iter().zip(row).map(|(i, d)| Meta::new(i.shape.clone(), *d)).collect();
    let first = row.first().copied().unwrap_or(DType::F32);
    let points = s.inputs.iter().all(|i| match i.domain {
        Domain::Index(0) | Domain::FromEnd(0) => i.shape.elem_count() == 0,
        Domain::Permutation(n) => i.shape.elem_count() <= n,
        _ => true,
    });
    points && s.op.with_dtype(first).infer(&metas).is_ok()
}

/// Returns the sample with another size in place of one of its sizes, and with indices for it.
fn resized(s: &Sample, from: usize, to: usize) -> Sample {
    mapped(s, |d| if d == from { to } else { d })
}

/// Returns the sample with other sizes.
fn mapped(s: &Sample, to: impl Fn(usize) -> usize) -> Sample {
    let mut made = s.clone();
    for spec in &mut made.inputs {
        spec.shape = Shape::from(spec.shape.dims().iter().map(|d| to(*d)).collect::<Vec<_>>());
        spec.domain = match spec.domain {
            Domain::Index(n) => Domain::Index(to(n)),
            Domain::FromEnd(n) => Domain::FromEnd(to(n)),
            Domain::OrMax(n) => Domain::OrMax(to(n)),
            Domain::Permutation(n) => Domain::Permutation(to(n)),
            Domain::Offsets(n) => Domain::Offsets(to(n)),
            Domain::Dominant(n, first) => Domain::Dominant(to(n), first),
            same => same,
        };
    }
    made
}

/// Estimates the number of operations of a case.
fn work(s: &Sample, row: &[DType]) -> usize {
    let counts: Vec<usize> = s.inputs.iter().map(|i| i.shape.elem_count()).collect();
    let metas: Vec<Meta> = s.inputs.iter().zip(row).map(|(i, d)| Meta::new(i.shape.clone(), *d)).collect();
    let out = s.op.infer(&metas).map_or(0, |m| m.shape.elem_count());
    let sum = counts.iter().fold(out, |sum, n| sum.saturating_add(*n));
    let size = |i: usize, d: usize| s.inputs.get(i).and_then(|i| i.shape.dims().get(d)).copied().unwrap_or(1);
    let last = |i: usize| s.inputs.get(i).and_then(|i| i.shape.dims().last()).copied().unwrap_or(1);
    let weights = || counts.get(1).copied().unwrap_or(0) / size(1, 0).max(1);
    sum.max(match s.op.pattern() {
        Pattern::Product { lhs } => out.saturating_mul(last(lhs)),
        Pattern::Matrix => out.saturating_mul(last(0)),
        Pattern::Convolution(ConvPass::Forward) => out.saturating_mul(weights()),
        Pattern::Convolution(ConvPass::Transposed) => {
            counts.first().copied().unwrap_or(0).saturating_mul(weights())
        }
        Pattern::Convolution(ConvPass::Weights) => {
            out.saturating_mul(counts.get(1).copied().unwrap_or(0) / size(1, 1).max(1))
        }
        Pattern::Attention { queries } => {
            let rows = counts.get(queries).copied().unwrap_or(0);
            rows.saturating_mul(size(queries + 1, 2))
        }
        Pattern::Elementwise { .. }
        | Pattern::Lines
        | Pattern::Windows
        | Pattern::Indexed
        | Pattern::Filled => 0,
    })
}

/// Adds the cases of an op's `n`th sample with sizes on both sides of the op's thresholds.
fn grow(s: &Sample, n: usize, seed: u64, all: &mut Vec<Case>) {
    let lines = s.op.pattern() == Pattern::Lines;
    let planes = s.op.pattern().is_spatial();
    let mut add = |made: &Sample, size: &str, dtypes: &[DType], forms: &[Form], most: usize| {
        for used in sweep::Case::of(std::slice::from_ref(made)) {
            let first = used.dtypes.first().copied().unwrap_or(DType::F32);
            let wanted = dtypes.contains(&first) && forms.contains(&used.form);
            if !wanted || !fits(made, &used.dtypes) || work(made, &used.dtypes) > most {
                continue;
            }
            let parts: Vec<&str> = used.name.split('/').collect();
            let [_, dtypes, form] = parts[..] else { continue };
            let name = format!("{}#{n}/{dtypes}/{size}/{form}", s.op.name());
            let own = hash(&format!("{}#{n}/{size}", s.op.name()));
            let used = sweep::Case { name: name.clone(), seed: own, grad: false, ..used };
            all.push(Case { name, pass: Pass::Forward, used, values: Values::Usual, seed });
        }
    };
    let both = [Form::Contiguous, Form::Offset];
    let rest: Vec<DType> = DType::ALL.iter().copied().filter(|d| !SIZED.contains(d)).collect();
    let thresholds = s.op.thresholds();
    let long = thresholds.line.map(|t| (t.below, t.above));
    if n > GROWN {
        // Some losses have samples of lines on the lower side only after their first samples.
        for (&from, &to) in long.iter().flat_map(|(below, above)| below.iter().zip(*above)) {
            if sizes(s).contains(&from) {
                add(&resized(s, from, to), &format!("{from}:{to}"), DType::ALL, &both[..1], LONG_WORK);
            }
        }
        return;
    }
    for from in sizes(s) {
        for to in thresholds.sizes() {
            add(&resized(s, from, to), &format!("{from}:{to}"), SIZED, &both, WORK);
        }
        // The other dtypes are run above each further threshold. The least size, beyond the number of lanes, is the same for
        // all dtypes.
        let mut above: Vec<usize> = thresholds.dimension.iter().flat_map(|t| t.above).copied().collect();
        above.sort_unstable();
        above.dedup();
        for &to in above.iter().skip(1).filter(|_| n == 1 || lines) {
            add(&resized(s, from, to), &format!("{from}:{to}"), &rest, &both, WORK);
        }
        let last = s.inputs.first().is_some_and(|i| i.shape.dims().last() == Some(&from));
        let strided = [Form::Offset, Form::Stepped];
        if (n == 1 && !planes) || (planes && last) {
            for &to in thresholds.launch.iter().flat_map(|t| t.above) {
                let (forms, most): (&[Form], _) =
                    if lines { (&both[1..], LONG_WORK) } else { (&strided, 16 * to) };
                add(&resized(s, from, to), &format!("{from}:{to}"), &[DType::F32], forms, most);
            }
        }
        for &to in long.iter().flat_map(|(_, above)| *above) {
            add(&resized(s, from, to), &format!("{from}:{to}"), DType::ALL, &both[..1], LONG_WORK);
        }
    }
    let plain = s.inputs.iter().map(|i| i.shape.dims()).find(|d| d.len() == 2);
    let plain = plain.filter(|d| d[0] > 1 && d[1] > 1 && d[0] != d[1]);
    if let (Some(&[a, b]), Some((many, each))) = (plain, thresholds.many_lines) {
        let made = mapped(s, |d| {
            if d == a {
                many
            } else if d == b {
                each
            } else {
                d
            }
        });
        add(&made, &format!("{a}:{many},{b}:{each}"), &[DType::F32], &both[..1], 2 * many * each);
    }
    for &to in thresholds.all.below.iter().chain(thresholds.all.above) {
        let made = mapped(s, |d| if d > 1 { to } else { d });
        add(&made, &format!("all:{to}"), if lines { DType::ALL } else { SIZED }, &both, WORK);
    }
}

/// Returns a sample's sizes beyond 1.
fn sizes(s: &Sample) -> Vec<usize> {
    let mut sizes: Vec<usize> =
        s.inputs.iter().flat_map(|i| i.shape.dims().to_vec()).filter(|d| *d > 1).collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Adds the cases of a sample with long lines in which a few numbers are much larger than the others.
fn peak(s: &Sample, n: usize, seed: u64, all: &mut Vec<Case>) {
    let long = s.op.thresholds().chunks;
    for from in sizes(s) {
        let made = resized(s, from, long);
        for used in sweep::Case::of(std::slice::from_ref(&made)) {
            let float = used.dtypes.first() == Some(&DType::F32);
            let drawn = used.specs.iter().any(|i| takes_hard(&i.domain, i.fill));
            if !float || !drawn || used.form != Form::Contiguous || !fits(&made, &used.dtypes) {
                continue;
            }
            let parts: Vec<&str> = used.name.split('/').collect();
            let [_, dtypes, _] = parts[..] else { continue };
            if work(&made, &used.dtypes) <= WORK {
                let name = format!("{}#{n}/{dtypes}/{from}:{long}/peaks", s.op.name());
                let used = sweep::Case { name: name.clone(), seed: hash(&name), grad: false, ..used };
                all.push(Case { name, pass: Pass::Forward, used, values: Values::Peaks, seed });
            }
        }
    }
}

/// Adds the cases of a sample with hard numbers: every number or every pair of numbers if the op accepts any shape; for
/// floats also with single NaNs or infinities, or with zeros.
fn harden(s: &Sample, n: usize, seed: u64, values: Values, all: &mut Vec<Case>) {
    let end = match values {
        Values::Nan => "nan",
        Values::Inf => "inf",
        Values::Zeros => "zeros",
        _ => "hard",
    };
    for used in sweep::Case::of(std::slice::from_ref(s)) {
        let float = used.dtypes.iter().any(|d| d.is_float());
        if !matches!(used.form, Form::Contiguous) || (values != Values::Hard && !float) {
            continue;
        }
        let parts: Vec<&str> = used.name.split('/').collect();
        let [_, dtypes, _] = parts[..] else { continue };
        let name = format!("{}#{n}/{dtypes}/{end}", s.op.name());
        let gradient = has_gradient(&used) && (values == Values::Hard || s.op.special_values().gradients);
        let mut used = sweep::Case { name: name.clone(), grad: false, ..used.clone() };
        used.seed = hash(&format!("{}#{n}/{end}", s.op.name()));
        if pointwise(&used.op) {
            let count = hard_numbers(used.dtypes.first().copied().unwrap_or(DType::F32), true).len();
            let len = match used.specs.len() {
                1 => count,
                2 => count * count,
                _ => 2048,
            };
            used.specs.iter_mut().for_each(|i| i.shape = Shape::from(len));
        }
        if gradient {
            let (name, used) = (format!("{name}/grad"), used.clone());
            all.push(Case { name, pass: Pass::Gradient, used, values, seed });
        }
        all.push(Case { name, pass: Pass::Forward, used, values, seed });
    }
}

/// Returns the indices of cases in an order whose every prefix has about as many cases of each op.
///
/// ```
/// use rushlight_parity::{Case, interleave};
/// let all = Case::all(0);
/// let some = &interleave(&all, 1)[..1000];
/// let of = |op: &str| some.iter().filter(|i| all[**i].op() == op).count();
/// assert!(of("add") >= 2 && of("adam_step") >= 2);
/// ```
pub fn interleave(cases: &[Case], seed: u64) -> Vec<usize> {
    let mut keyed: Vec<(u64, usize)> =
        cases.iter().enumerate().map(|(i, c)| (Rng(hash(&c.name) ^ seed).next(), i)).collect();
    keyed.sort_unstable();
    let mut seen: HashMap<&'static str, usize> = HashMap::new();
    let mut ranked: Vec<(usize, usize)> = Vec::with_capacity(keyed.len());
    for (_, i) in keyed {
        let rank = cases.get(i).map(|c| seen.entry(c.op()).or_default());
        let Some(rank) = rank else { continue };
        *rank += 1;
        ranked.push((*rank, i));
    }
    // The sort is stable, so the order among equal ranks stays random.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, i)| i).collect()
}
