//! Comparison of results with the CPU's and with the true ones.
use super::bound::{Class, Sizes, apart, class_of, eps, scale, truth, ulp};
use super::judge::Output;
use half::{bf16, f16};
use rushlight::cpu::CpuStorage;
use rushlight::ops::{Accuracy, Op};
use rushlight::{DType, Device, Result, Tensor};
use std::borrow::Cow;

/// The number of wrong elements that a comparison lists.
const SHOWN: usize = 5;

/// A wrong element.
#[derive(Debug, Clone, PartialEq)]
pub struct Mismatch {
    /// Index of the output (or gradient).
    pub output: usize,
    /// The element's index in each dimension.
    pub position: Vec<usize>,
    /// The element, as text.
    pub got: String,
    /// The element it is compared with: the CPU's or the true one.
    pub want: String,
    /// The error of `got`, in units in the last place of the true value.
    pub ulp: f64,
    /// The error of the CPU's element.
    pub cpu_ulp: f64,
    /// The error that is allowed.
    pub may: f64,
}

/// The outcome of a comparison.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// Elements compared.
    pub elements: usize,
    /// Wrong elements.
    pub wrong: usize,
    /// The largest error, in units in the last place; 0 where the bits are the same.
    pub max_ulp: f64,
    /// The largest absolute error.
    pub max_abs: f64,
    /// The CPU's largest error, in units in the last place.
    pub cpu_ulp: f64,
    /// The first wrong elements.
    pub mismatches: Vec<Mismatch>,
    /// A difference that is not in the elements, such as the shape or the dtype, as text.
    pub words: Option<String>,
}

impl Comparison {
    /// Returns whether no difference was found.
    pub fn good(&self) -> bool {
        self.wrong == 0 && self.words.is_none()
    }

    /// Returns the difference as text; empty where nothing is wrong.
    pub fn reason(&self) -> String {
        if let Some(words) = &self.words {
            return words.clone();
        }
        let Some(m) = self.mismatches.first() else { return String::new() };
        format!(
            "{} of {} elements: {:?} is {}, on the CPU {} ({:.2} ulp off, the CPU {:.2}, may {:.2})",
            self.wrong, self.elements, m.position, m.got, m.want, m.ulp, m.cpu_ulp, m.may
        )
    }

    fn differ(&mut self, words: String) {
        self.words.get_or_insert(words);
    }

    fn off(&mut self, abs: f64, ulps: f64) {
        if abs.is_finite() {
            self.max_abs = self.max_abs.max(abs);
            self.max_ulp = self.max_ulp.max(ulps);
        }
    }

    /// Records that element `i` of output `output` is wrong.
    fn wrong(&mut self, output: usize, got: &Host, i: usize, want: impl FnOnce() -> String, far: &Distance) {
        self.wrong += 1;
        if self.mismatches.len() < SHOWN {
            self.mismatches.push(Mismatch {
                output,
                position: got.position(i),
                got: got.text(i),
                want: want(),
                ulp: far.off / far.unit,
                cpu_ulp: far.cpu / far.unit,
                may: far.may / far.unit,
            });
        }
    }
}

/// The error of an element, the error of the CPU's element, the allowed error, and one unit in the last place.
struct Distance {
    off: f64,
    cpu: f64,
    may: f64,
    unit: f64,
}

/// A result in host memory: elements as bits and as numbers.
pub(super) struct Host {
    pub(super) dtype: DType,
    pub(super) dims: Vec<usize>,
    pub(super) storage: CpuStorage,
    pub(super) numbers: Vec<f64>,
}

impl Host {
    pub(super) fn of(t: &Tensor) -> Result<Self> {
        let storage = t.to_cpu_storage()?;
        Self::over(t.dtype(), t.dims().to_vec(), storage)
    }

    pub(super) fn over(dtype: DType, dims: Vec<usize>, storage: CpuStorage) -> Result<Self> {
        let t = Tensor::from_cpu_storage(storage.clone(), dims.clone(), &Device::Cpu)?;
        Ok(Self { dtype, dims, storage, numbers: numbers(&t)? })
    }

    pub(super) fn output(self) -> Output {
        Output { dtype: self.dtype, dims: self.dims, storage: self.storage }
    }

    /// Returns the numbers that are compared with true values (of complex elements the real and the imaginary part, one
    /// after the other), their dtype, and the count of numbers in an element.
    pub(super) fn parts(&self) -> (DType, Cow<'_, [f64]>, usize) {
        match &self.storage {
            CpuStorage::C64(s) => {
                let parts = s.iter().flat_map(|v| [f64::from(v.re), f64::from(v.im)]).collect();
                (DType::F32, Cow::Owned(parts), 2)
            }
            CpuStorage::C128(s) => (DType::F64, Cow::Owned(s.iter().flat_map(|v| [v.re, v.im]).collect()), 2),
            _ => (self.dtype, Cow::Borrowed(&self.numbers), 1),
        }
    }

    fn element(&self, i: usize) -> &[u8] {
        let size = self.dtype.size_in_bytes();
        self.storage.as_bytes().get(i * size..(i + 1) * size).unwrap_or(&[])
    }

    fn position(&self, i: usize) -> Vec<usize> {
        let mut left = i;
        let mut at: Vec<usize> = self
            .dims
            .iter()
            .rev()
            .map(|d| {
                let here = left % d.max(&1);
                left /= d.max(&1);
                here
            })
            .collect();
        at.reverse();
        at
    }

    fn text(&self, i: usize) -> String {
        if self.dtype.is_float() || self.dtype == DType::Bool {
            return self.numbers.get(i).map_or_else(String::new, |v| format!("{v:e}"));
        }
        if self.dtype.is_complex() {
            let (_, parts, _) = self.parts();
            return parts
                .get(2 * i..2 * i + 2)
                .map_or_else(String::new, |v| format!("{:e}{:+e}i", v[0], v[1]));
        }
        let bytes = self.element(i);
        let mut wide =
            [if self.dtype.is_signed_int() && bytes.last().is_some_and(|b| *b > 127) { 255 } else { 0 }; 16];
        wide[..bytes.len()].copy_from_slice(bytes);
        i128::from_le_bytes(wide).to_string()
    }

    fn nan(&self, i: usize) -> bool {
        self.dtype.is_float() && self.numbers.get(i).is_some_and(|v| v.is_nan())
    }

    /// Returns whether an element has the other's bits, or both are NaN.
    fn same(&self, other: &Self, i: usize) -> bool {
        if self.dtype.is_complex() {
            let (a, b) = (self.parts().1, other.parts().1);
            // (f64 keeps the sign of a zero, and every bit of an f32.)
            let alike = |k: usize| {
                a.get(k)
                    .zip(b.get(k))
                    .is_some_and(|(a, b)| a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()))
            };
            return alike(2 * i) && alike(2 * i + 1);
        }
        self.element(i) == other.element(i) || (self.nan(i) && other.nan(i))
    }

    fn check(&self, other: &Self, what: &str, c: &mut Comparison) -> bool {
        let fits = self.dims == other.dims && self.dtype == other.dtype;
        if !fits {
            let (d, e) = (self.dtype.as_str(), other.dtype.as_str());
            c.differ(format!("{:?} {d}, {what} {:?} {e}", self.dims, other.dims));
        }
        fits
    }

    /// Returns the FNV-1a hash of dtype, shape and elements. Every NaN has the same hash.
    pub(super) fn hash(&self, start: u64) -> u64 {
        let mut h = start;
        let mut put = |bytes: &[u8]| {
            for b in bytes {
                h = (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01B3);
            }
        };
        put(self.dtype.as_str().as_bytes());
        self.dims.iter().for_each(|d| put(&(*d as u64).to_le_bytes()));
        if self.dtype.is_complex() {
            for v in self.parts().1.iter() {
                put(if v.is_nan() { b"NaN".to_vec() } else { v.to_le_bytes().to_vec() }.as_slice());
            }
        } else if self.dtype.is_float() {
            (0..self.numbers.len()).for_each(|i| put(if self.nan(i) { b"NaN" } else { self.element(i) }));
        } else {
            put(self.storage.as_bytes());
        }
        h
    }
}

/// Returns the elements as numbers; of complex ones the real and the imaginary part, one after the other.
pub(super) fn parts(t: &Tensor) -> Result<Vec<f64>> {
    Ok(Host::of(t)?.parts().1.into_owned())
}

/// Returns the elements as numbers; of complex ones the real part.
fn numbers(t: &Tensor) -> Result<Vec<f64>> {
    t.to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()
}

/// Rounds once to a dtype.
fn rounded(v: f64, dtype: DType) -> f64 {
    match dtype {
        DType::F32 => f64::from(v as f32),
        DType::F16 => f16::from_f64(v).to_f64(),
        DType::BF16 => bf16::from_f64(v).to_f64(),
        _ => v,
    }
}

/// Compares bit by bit, with any NaN equal to any NaN.
pub(super) fn bits(k: usize, got: &Host, want: &Host, what: &str, c: &mut Comparison) {
    c.elements += want.numbers.len();
    if !got.check(want, what, c) || got.storage.as_bytes() == want.storage.as_bytes() {
        return;
    }
    for i in 0..want.numbers.len() {
        if got.same(want, i) {
            continue;
        }
        let (g, w) = (got.numbers[i], want.numbers[i]);
        let far = Distance { off: (g - w).abs(), cpu: 0.0, may: 0.0, unit: ulp(want.dtype, w) };
        c.off(far.off, far.off / far.unit);
        c.wrong(k, got, i, || want.text(i), &far);
    }
}

/// Compares a device's results of an op with the CPU's. `ins` are the inputs on the CPU. With `anchor` the true results are
/// computed in f64; without it the CPU's results count as true.
pub(super) fn device(
    op: &Op,
    ins: &[Tensor],
    got: &[Host],
    want: &[Host],
    anchor: bool,
) -> Result<Comparison> {
    let mut c = Comparison::default();
    if got.len() != want.len() {
        c.differ(format!("{} outputs, on the CPU {}", got.len(), want.len()));
        return Ok(c);
    }
    let mut all_true: Option<Vec<Vec<f64>>> = None;
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        let class = class_of(op, w.dtype, ins);
        let fits = g.dims == w.dims && g.dtype == w.dtype;
        if class == Class::Exact || !fits || g.storage.as_bytes() == w.storage.as_bytes() {
            bits(k, g, w, "on the CPU", &mut c);
            continue;
        }
        if all_true.is_none() {
            let found: Result<Vec<Vec<f64>>> = match anchor {
                true => truth(op, ins)?.iter().map(parts).collect(),
                false => Ok(want.iter().map(|w| w.parts().1.into_owned()).collect()),
            };
            all_true = Some(found?);
        }
        let Some(t) = all_true.as_ref().and_then(|a| a.get(k)).filter(|t| t.len() == w.parts().1.len())
        else {
            c.differ("in f64 the op gives another shape".to_string());
            continue;
        };
        let sizes = Sizes::of(class, op, ins, t)?;
        near(k, class, &sizes, (g, w, t), anchor, &mut c);
    }
    Ok(c)
}

/// Compares elements with the true ones, within the bound of the class.
fn near(
    k: usize,
    class: Class,
    sizes: &Sizes,
    (g, w, t): (&Host, &Host, &[f64]),
    anchor: bool,
    c: &mut Comparison,
) {
    let ((dtype, got, each), want) = (g.parts(), w.parts().1);
    c.elements += w.numbers.len();
    for i in 0..t.len() {
        let (gv, wv, t) = (got[i], want[i], t[i]);
        let element = i / each;
        // If the CPU's result counts as true and is infinite, the unit in the last place is that of the number compared
        // with it.
        let known = dtype != DType::F64 && anchor;
        let t = if !known && t.is_infinite() { gv } else { t };
        let unit = ulp(dtype, t);
        let bound = sizes.bound(class, dtype, i, t);
        // In f64 the true result is the CPU's own, so each side may be off by the bound.
        let (off, cpu, bound) = match dtype {
            DType::F64 => (apart(dtype, gv, wv), 0.0, 2.0 * bound),
            _ if !anchor => (apart(dtype, gv, wv), 0.0, bound),
            _ => (apart(dtype, gv, t), apart(dtype, wv, t), bound),
        };
        if cpu.is_finite() && wv.is_finite() {
            c.cpu_ulp = c.cpu_ulp.max(cpu / unit);
            if g.same(w, element) {
                c.off(cpu, cpu / unit);
            }
        }
        if g.same(w, element) {
            continue;
        }
        c.off(off, off / unit);
        // A NaN on one side only is always wrong. An infinity may be right, at the end of the range.
        // (Twice an error within the bound would be a looser bound for devices.)
        let may = if wv.is_finite() && cpu > bound { 2.0 * cpu } else { bound };
        let fine = off.is_finite() && cpu <= may && off <= may;
        if !fine {
            c.wrong(k, g, element, || w.text(element), &Distance { off, cpu, may, unit });
        }
    }
}

/// Compares results with true ones: each may be off by the bound of the op's class, or by the rounding errors of its dtype.
pub(super) fn true_ones(
    op: &Op,
    ins: &[Tensor],
    got: &[Host],
    truth: &[Vec<f64>],
    easy: bool,
) -> Result<Comparison> {
    let mut c = Comparison::default();
    if got.len() != truth.len() {
        c.differ(format!("{} outputs, true ones of {}", got.len(), truth.len()));
    }
    for (k, (g, t)) in got.iter().zip(truth).enumerate() {
        let (dtype, numbers, each) = g.parts();
        if t.len() != numbers.len() {
            c.differ(format!("{} numbers, of the true ones {}", numbers.len(), t.len()));
            continue;
        }
        c.elements += g.numbers.len();
        let class = class_of(op, g.dtype, ins);
        let sizes = Sizes::of(class, op, ins, t)?;
        let accuracy = op.accuracy();
        if accuracy == Accuracy::Drawn {
            continue;
        }
        // Sums of hard numbers overflow in the dtype and not in f64, so the true value is only known for results that are
        // rounded once.
        let rounded_once = class == Class::Exact && accuracy == Accuracy::Rounded;
        if !easy && !rounded_once {
            continue;
        }
        let sums = if class == Class::Exact && !rounded_once { scale(op, ins, t) } else { 0.0 };
        let mut reported = None;
        for (i, (&t, &v)) in t.iter().zip(numbers.iter()).enumerate() {
            let nearest = rounded(t, dtype);
            if v == nearest || (v.is_nan() && nearest.is_nan()) {
                continue;
            }
            let off = if class == Class::Exact { (v - t).abs() } else { apart(dtype, v, t) };
            let unit = ulp(dtype, t);
            c.off(off, off / unit);
            let sum = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
            let may = match class {
                Class::Exact if rounded_once => 0.0,
                Class::Exact => {
                    unit + 64.0 * eps(sum) * sums + 4.0 * eps(dtype) * sums.min(t.abs().max(sums))
                }
                _ => unit + 2.0 * sizes.bound(class, dtype, i, t),
            };
            // A complex element that is wrong in both parts counts once.
            if (off.is_nan() || off > may) && reported.replace(i / each) != Some(i / each) {
                let part = if each == 1 { "" } else { ["real part ", "imaginary part "][i % 2] };
                c.wrong(k, g, i / each, || format!("{part}{t:e}"), &Distance { off, cpu: 0.0, may, unit });
            }
        }
    }
    Ok(c)
}

/// Returns the allowed error of gradients, relative to their norm.
const fn gradient_bound(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 1e-13,
        DType::F32 => 1e-5,
        // Two rounding errors of the dtype.
        DType::F16 => 1.0 / 1024.0,
        _ => 1.0 / 128.0,
    }
}

/// Compares gradients: the CPU's bits, or an error of at most twice the CPU's or a part of the norm.
pub(super) fn gradients(got: &[Host], want: &[Host], truth: Option<&[Vec<f64>]>) -> Comparison {
    let mut c = Comparison::default();
    if got.len() != want.len() {
        c.differ(format!("{} gradients, on the CPU {}", got.len(), want.len()));
        return c;
    }
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        if !g.check(w, "on the CPU", &mut c) {
            continue;
        }
        c.elements += w.numbers.len();
        let ((dtype, got, each), want) = (g.parts(), w.parts().1);
        let t = truth.and_then(|t| t.get(k)).filter(|_| dtype != DType::F64).map_or(&*want, Vec::as_slice);
        if t.len() != want.len() {
            c.differ(format!("gradient {k} has {} numbers, in f64 {}", want.len(), t.len()));
            continue;
        }
        let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
        let apart = |v: &[f64]| v.iter().zip(t).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt();
        let (off, cpu) = (apart(&got), apart(&want));
        let size = norm(t).max(1e-30);
        let unit = eps(dtype) * size;
        c.off(off, off / unit);
        c.cpu_ulp = c.cpu_ulp.max(cpu / unit);
        if g.storage.as_bytes() == w.storage.as_bytes() {
            continue;
        }
        let may = (gradient_bound(dtype) * size).max(2.0 * cpu);
        if off.is_nan() || off > may {
            let worst =
                (0..t.len()).max_by(|a, b| (got[*a] - t[*a]).abs().total_cmp(&(got[*b] - t[*b]).abs()));
            let i = worst.unwrap_or(0) / each;
            c.wrong(k, g, i, || w.text(i), &Distance { off, cpu, may, unit });
        }
    }
    c
}

/// Compares gradients of hard numbers element by element. If the op is exact, they must have the CPU's bits. Otherwise an
/// element must be NaN if the CPU's is NaN, and may else differ by at most 64 rounding errors: of the element itself for
/// elementwise ops (`alone`), of the largest element for others. An infinity counts as one unit past the largest number.
pub(super) fn hard_gradients(got: &[Host], want: &[Host], exact: bool, alone: bool) -> Comparison {
    let mut c = Comparison::default();
    if got.len() != want.len() {
        c.differ(format!("{} gradients, on the CPU {}", got.len(), want.len()));
        return c;
    }
    for (k, (g, w)) in got.iter().zip(want).enumerate() {
        if exact {
            bits(k, g, w, "on the CPU", &mut c);
            continue;
        }
        if !g.check(w, "on the CPU", &mut c) {
            continue;
        }
        c.elements += w.numbers.len();
        let largest = w.numbers.iter().filter(|v| v.is_finite()).fold(1f64, |m, v| m.max(v.abs()));
        for (i, (&gv, &wv)) in g.numbers.iter().zip(&w.numbers).enumerate() {
            if g.same(w, i) {
                continue;
            }
            // The cotangent is 1, so a gradient near 0 is a difference of numbers near 1, with their rounding errors.
            let at = if wv.is_finite() { wv } else { gv };
            let size = if alone { at.abs().max(1.0) } else { largest };
            let far = Distance {
                off: apart(w.dtype, gv, wv),
                cpu: 0.0,
                may: 64.0 * eps(w.dtype) * size,
                unit: ulp(w.dtype, at),
            };
            c.off(far.off, far.off / far.unit);
            if !far.off.is_finite() || far.off > far.may {
                c.wrong(k, g, i, || w.text(i), &far);
            }
        }
    }
    c
}

/// Checks the CPU's own gradients of hard numbers: they must be finite or NaN exactly where the true gradients are. Ops
/// whose gradient rule has intermediate values that overflow although the true gradient does not are left out.
pub(super) fn own_hard_gradients(op: &Op, want: &[Host], truth: &[Vec<f64>], c: &mut Comparison) {
    if !op.special_values().gradient_in_range {
        return;
    }
    for (k, (w, t)) in want.iter().zip(truth).enumerate() {
        let (dtype, numbers, each) = w.parts();
        for (i, (&wv, &t)) in numbers.iter().zip(t).enumerate().filter(|_| dtype != DType::F64) {
            let nearest = rounded(t, dtype);
            if wv.is_nan() != nearest.is_nan() || wv.is_infinite() != nearest.is_infinite() {
                let far = Distance { off: f64::NAN, cpu: 0.0, may: 0.0, unit: 1.0 };
                c.wrong(k, w, i / each, || format!("{t:e}"), &far);
            }
        }
    }
}

/// Compares a device's result of an op with the CPU's, by the bound of the op's class.
///
/// # Errors
/// A text that names the first wrong element, or what could not be run.
///
/// ```
/// use rushlight::{Tensor, Device, ops::{Op, unary::{Unary, UnaryOp}}};
/// use rushlight_parity::agrees;
/// let x = Tensor::new(&[1f32, 2.], &Device::Cpu)?;
/// let op = Op::Unary(Unary(UnaryOp::Exp));
/// let y = x.exp()?;
/// assert!(agrees(&op, &[x.clone()], &y, &y).is_ok());
/// assert!(agrees(&op, &[x], &y.affine(1.00001, 0.0)?, &y).is_err());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn agrees(op: &Op, ins: &[Tensor], got: &Tensor, want: &Tensor) -> std::result::Result<(), String> {
    let found = Host::of(got).and_then(|g| device(op, ins, &[g], &[Host::of(want)?], true));
    match found {
        Ok(c) if c.good() => Ok(()),
        Ok(c) => Err(c.reason()),
        Err(e) => Err(e.to_string()),
    }
}

/// Compares two results bit by bit, with any NaN equal to any NaN.
///
/// # Errors
/// A text that names the first element that differs, or what could not be read.
///
/// ```
/// use rushlight::{Device, Tensor};
/// use rushlight_parity::same_bits;
/// let (a, b) = (Tensor::new(&[0f32], &Device::Cpu)?, Tensor::new(&[-0f32], &Device::Cpu)?);
/// assert!(same_bits(&a, &a).is_ok() && same_bits(&a, &b).is_err());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn same_bits(got: &Tensor, want: &Tensor) -> std::result::Result<(), String> {
    let mut c = Comparison::default();
    let found = Host::of(got).and_then(|g| Ok((g, Host::of(want)?)));
    let (g, w) = found.map_err(|e| e.to_string())?;
    bits(0, &g, &w, "on the CPU", &mut c);
    if c.good() { Ok(()) } else { Err(c.reason()) }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
