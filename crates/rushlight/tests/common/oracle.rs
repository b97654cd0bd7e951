//! How near to the true result a device's must be, where NUMERICS.md does not ask for the CPU's bits: the true result is
//! the op in f64, and a device may err twice as much as the CPU does, or by the bound of the op's class, whichever is more.
use super::device::{Bound, compare};
use super::report::{Check, as_f64, bits, text};
use rushlight::ops::Op;
use rushlight::ops::addmm::AddMm;
use rushlight::sweep::run_op;
use rushlight::{DType, Device, Tensor};

/// What is asked of an op's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    /// The CPU's bits; any NaN for a NaN.
    Exact,
    /// So many units in the last place.
    Ulps(f64),
    /// Rounding errors of the largest result times this: differences of sums.
    Scaled(f64),
    /// Sums of products: `2 sqrt(terms)` rounding errors of the sum's type times the sum of the products' sizes, and, of
    /// narrow floats, half a unit more.
    Products,
}

/// The class of an op for results of a dtype.
pub fn class(op: &Op, dtype: DType) -> Class {
    let narrow = matches!(dtype, DType::F16 | DType::BF16);
    let ulps = |wide: f64| Class::Ulps(if narrow { 1.0 } else { wide });
    match (op.card(), op.name()) {
        _ if !dtype.is_float() => Class::Exact,
        (
            "unary",
            "exp" | "log" | "log1p" | "expm1" | "log2" | "log10" | "sin" | "cos" | "tan" | "asin" | "acos",
        )
        | ("unary", "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "erf")
        | ("unary", "sigmoid" | "silu" | "gelu" | "gelu_erf")
        | ("elu", _)
        | ("binary", "atan2") => ulps(4.0),
        ("binary", "pow") | ("powf", _) => ulps(16.0),
        ("matmul" | "addmm", _) => Class::Products,
        (card, _) if card.starts_with("conv") => Class::Products,
        ("softmax", "softmax") => Class::Ulps(if narrow { 2.0 } else { 8.0 }),
        (card, _)
            if card.starts_with("softmax") || card.contains("loss") || card.contains("cross_entropy") =>
        {
            Class::Scaled(if narrow { 2.0 } else { 8.0 })
        }
        _ => Class::Exact,
    }
}

/// Significand bits and the exponent of the smallest normal number.
fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F64 => (53, -1022),
        DType::F32 => (24, -126),
        DType::F16 => (11, -14),
        DType::BF16 => (8, -126),
        _ => (4, -6),
    }
}

/// One unit in the last place of a number of the dtype's size.
pub fn ulp(dtype: DType, v: f64) -> f64 {
    let (bits, least) = format(dtype);
    let exponent = if v == 0.0 { least } else { (v.abs().log2().floor() as i32).max(least) };
    2f64.powi(exponent - bits + 1)
}

fn wide(ins: &[Tensor], f: impl Fn(&Tensor) -> rushlight::Result<Tensor>) -> Result<Vec<Tensor>, String> {
    let one = |t: &Tensor| if t.dtype().is_float() { f(&t.to_dtype(DType::F64)?) } else { Ok(t.clone()) };
    ins.iter().map(|t| text(one(t))).collect()
}

/// The op's sum of the sizes of products, and how many there are.
fn products(op: &Op, ins: &[Tensor]) -> Result<(Vec<f64>, Vec<f64>), String> {
    let positive = |one: bool| match op {
        Op::AddMm(a) if one => {
            Op::AddMm(AddMm { beta: f64::from(a.beta != 0.0), alpha: f64::from(a.alpha != 0.0) })
        }
        Op::AddMm(a) => Op::AddMm(AddMm { beta: a.beta.abs(), alpha: a.alpha.abs() }),
        op => op.clone(),
    };
    let run = |one: bool, ins: Vec<Tensor>| as_f64(&text(run_op(&positive(one), &ins))?[0]);
    Ok((run(false, wide(ins, |t| t.abs())?)?, run(true, wide(ins, |t| t.ones_like())?)?))
}

/// A device's result of an op against the CPU's, whose inputs are given too.
pub fn agrees(op: &Op, ins: &[Tensor], got: &Tensor, want: &Tensor) -> Check {
    let dtype = want.dtype();
    let class = class(op, dtype);
    let same = got.shape() == want.shape() && got.dtype() == dtype;
    if class == Class::Exact || !same || bits(got)? == bits(want)? {
        return compare(&Bound::Exact, got, want);
    }
    let host = text(got.to_device(&Device::Cpu))?;
    let (g, w) = (as_f64(&host)?, as_f64(want)?);
    let truth = as_f64(&text(run_op(op, &wide(ins, |t| Ok(t.clone()))?))?[0])?;
    let largest = truth.iter().filter(|v| v.is_finite()).fold(0f64, |m, v| m.max(v.abs()));
    let sums = if class == Class::Products { Some(products(op, ins)?) } else { None };
    let rounding = |bits: i32| 2f64.powi(1 - bits);
    for (i, (&g, &w)) in g.iter().zip(&w).enumerate() {
        if g.to_bits() == w.to_bits() || (g.is_nan() && w.is_nan()) {
            continue;
        }
        let t = truth[i];
        let may = match (class, &sums) {
            (Class::Ulps(k), _) => k * ulp(dtype, t),
            (Class::Scaled(k), _) => k * rounding(format(dtype).0) * largest,
            (_, Some((size, terms))) => {
                let sum = if dtype == DType::F64 { 53 } else { 24 };
                let narrow = sum != format(dtype).0 && dtype != DType::F64;
                2.0 * terms[i].sqrt() * rounding(sum) * size[i]
                    + if narrow { 0.5 * ulp(dtype, t) } else { 0.0 }
            }
            _ => 0.0,
        };
        // In f64 the true result is not known better than the CPU knows it: each side may be off by the bound.
        let (off, cpu, may) = match dtype {
            DType::F64 => ((g - w).abs(), 0.0, 2.0 * may),
            _ => ((g - t).abs(), (w - t).abs(), may),
        };
        // (A NaN or infinity on one side only is never fine.)
        let fine = g.is_finite() && w.is_finite() && off <= may.max(2.0 * cpu);
        if !fine {
            return Err(format!(
                "element {i} is {g:e}, on the CPU {w:e}, in f64 {t:e}: off by {:.2} ulp, the CPU by {:.2}",
                off / ulp(dtype, t),
                cpu / ulp(dtype, t)
            ));
        }
    }
    Ok(())
}
