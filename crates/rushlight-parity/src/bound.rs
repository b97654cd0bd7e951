//! How far a result may be from the true one.
//!
//! Each op's definition states its accuracy ([`rushlight::ops::Accuracy`]). If the definition promises bits, every device
//! must return the CPU's bits. Otherwise a device's error may be the bound of the op's class, or twice the CPU's where that is
//! beyond the bound. The true result is that of the op in f64.
use rushlight::ops::{Accuracy, Op, TermOrder};
use rushlight::{DType, Result, Tensor};

/// The bound on an op's result in one dtype.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Class {
    /// The bits of the CPU's result; any NaN equals any other NaN.
    Exact,
    /// A number of units in the last place; of complex results of the absolute value.
    Ulps(f64),
    /// A number of rounding errors of the largest result.
    Scaled(f64),
    /// `2 sqrt(terms)` rounding errors of the accumulation type, times the sum of the products' magnitudes; for F16 and BF16
    /// half a unit more.
    Products,
}

impl Class {
    /// Name, as in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Ulps(_) => "ulps",
            Self::Scaled(_) => "scaled",
            Self::Products => "products",
        }
    }
}

const fn narrow(dtype: DType) -> bool {
    matches!(dtype, DType::F16 | DType::BF16)
}

/// Returns the class of an op's results in a dtype.
///
/// ```
/// use rushlight::{DType, ops::Op, ops::unary::{Unary, UnaryOp}};
/// use rushlight_parity::{Class, class};
/// assert_eq!(class(&Op::Unary(Unary(UnaryOp::Exp)), DType::F32), Class::Ulps(4.0));
/// assert_eq!(class(&Op::Unary(Unary(UnaryOp::Neg)), DType::F32), Class::Exact);
/// ```
pub fn class(op: &Op, dtype: DType) -> Class {
    if dtype.is_complex() {
        // A complex function combines a few real ones.
        return match op.accuracy() {
            Accuracy::Ulps { single, .. } => Class::Ulps(4.0 * single),
            Accuracy::Scaled { single, .. } => Class::Scaled(single),
            _ => Class::Exact,
        };
    }
    if !dtype.is_float() {
        return Class::Exact;
    }
    let of = |single, half| if narrow(dtype) { half } else { single };
    match op.accuracy() {
        Accuracy::Rounded | Accuracy::Accumulated | Accuracy::Drawn => Class::Exact,
        Accuracy::Ulps { single, half } => Class::Ulps(of(single, half)),
        Accuracy::Scaled { single, half } => Class::Scaled(of(single, half)),
        Accuracy::Products => Class::Products,
    }
}

/// Returns the class for these inputs. An op that adds many terms in the order of their arrival gets a bound in place of
/// exact bits.
pub(super) fn class_of(op: &Op, dtype: DType, ins: &[Tensor]) -> Class {
    let any_order = op.term_order() == TermOrder::Arrival;
    let many = ins.last().is_some_and(|t| t.elem_count() > 64);
    if any_order && many && dtype.is_float() && !rushlight::deterministic() {
        Class::Products
    } else {
        class(op, dtype)
    }
}

/// Returns the number of significand bits and the exponent of the smallest normal number.
const fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F64 => (53, -1022),
        DType::F32 => (24, -126),
        DType::F16 => (11, -14),
        DType::BF16 => (8, -126),
        _ => (4, -6),
    }
}

/// Returns the relative rounding error of a dtype.
pub(super) fn eps(dtype: DType) -> f64 {
    2f64.powi(1 - format(dtype).0)
}

/// Returns one unit in the last place of `v` rounded to the dtype.
pub(super) fn ulp(dtype: DType, v: f64) -> f64 {
    if !dtype.is_float() {
        return 1.0;
    }
    let (bits, least) = format(dtype);
    // The exponent is taken from the bits, because `log2` of the largest numbers is rounded up.
    let exponent = if v.is_finite() { ((v.abs().to_bits() >> 52) as i32 - 1023).max(least) } else { least };
    // `powi` would divide by 2^1074, which is infinite.
    f64::from(exponent - bits + 1).exp2()
}

/// Returns the distance of two results of a dtype. An infinity counts as one unit past the largest finite number of its
/// sign, since a rounding error of that number gives infinity. The distance of NaN from anything is NaN.
pub(super) fn apart(dtype: DType, a: f64, b: f64) -> f64 {
    let (infinite, finite) = if a.is_infinite() { (a, b) } else { (b, a) };
    if !infinite.is_infinite() || !finite.is_finite() || infinite.signum() != finite.signum() {
        return if a == b { 0.0 } else { (a - b).abs() };
    }
    let largest = (2.0 - eps(dtype)) * f64::from(1 - format(dtype).1).exp2();
    // A true result in f64 may lie beyond the largest number of the dtype.
    (largest - finite.abs() + ulp(dtype, largest)).max(0.0)
}

/// Returns the op for f64 inputs: attributes that name the inputs' dtype become f64.
fn in_f64(op: &Op, first: Option<&Tensor>) -> Op {
    match first {
        Some(t) if t.dtype().is_float() => op.with_dtype(DType::F64),
        Some(t) if t.dtype().is_complex() => op.with_dtype(DType::C128),
        _ => op.clone(),
    }
}

/// Maps the float inputs in f64, widens the complex ones and copies the others.
fn in_wide(ins: &[Tensor], f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let one = |t: &Tensor| match t.dtype() {
        d if d.is_float() => f(&t.to_dtype(DType::F64)?),
        d if d.is_complex() => t.to_dtype(DType::C128)?.copy(),
        _ => t.copy(),
    };
    ins.iter().map(one).collect()
}

/// Returns the true results: those of the op in f64, on the CPU. The inputs are on the CPU.
pub(super) fn truth(op: &Op, ins: &[Tensor]) -> Result<Vec<Tensor>> {
    in_f64(op, ins.first()).run(&in_wide(ins, Tensor::copy)?)
}

/// Returns the op for f64 and its inputs in f64 as leaves, to compute true gradients.
pub(super) fn in_f64_tracked(op: &Op, ins: &[Tensor]) -> Result<(Op, Vec<Tensor>)> {
    Ok((in_f64(op, ins.first()), in_wide(ins, Tensor::copy)?))
}

/// The magnitudes that bounds are relative to.
pub(super) struct Sizes {
    /// For each output element the sum of the products' magnitudes, and the number of products.
    products: Option<(Vec<f64>, Vec<f64>)>,
    /// The largest finite true result.
    largest: f64,
}

impl Sizes {
    pub(super) fn of(class: Class, op: &Op, ins: &[Tensor], truth: &[f64]) -> Result<Self> {
        let products = (class == Class::Products).then(|| products(op, ins)).transpose()?;
        let largest = truth.iter().filter(|v| v.is_finite()).fold(0f64, |m, v| m.max(v.abs()));
        Ok(Self { products, largest })
    }

    /// Returns the bound for element `i`, whose true value is `t`; for complex elements t is its absolute value.
    pub(super) fn bound(&self, class: Class, dtype: DType, i: usize, t: f64) -> f64 {
        match (class, &self.products) {
            (Class::Exact, _) => 0.0,
            (Class::Ulps(k), _) => k * ulp(dtype, t),
            (Class::Scaled(k), _) => k * eps(dtype) * self.largest,
            (Class::Products, None) => 0.0,
            (Class::Products, Some((size, terms))) => {
                let sum = if dtype == DType::F64 { DType::F64 } else { DType::F32 };
                let (size, terms) =
                    (size.get(i).copied().unwrap_or(0.0), terms.get(i).copied().unwrap_or(0.0));
                let narrow = if narrow(dtype) { 0.5 * ulp(dtype, t) } else { 0.0 };
                2.0 * terms.max(0.0).sqrt() * eps(sum) * size + narrow
            }
        }
    }
}

/// Returns the largest magnitude among an op's true results and its results for the inputs' magnitudes.
pub(super) fn scale(op: &Op, ins: &[Tensor], truth: &[f64]) -> f64 {
    let mut all = truth.to_vec();
    let sizes = in_wide(ins, Tensor::abs).and_then(|ins| in_f64(op, ins.first()).run(&ins));
    // An op that rejects the inputs' magnitudes is judged by its results alone.
    for t in sizes.iter().flatten() {
        all.extend(
            t.to_dtype(DType::F64).and_then(|t| t.flatten_all()?.to_vec1::<f64>()).unwrap_or_default(),
        );
    }
    all.iter().filter(|v| v.is_finite()).fold(0f64, |m, v| m.max(v.abs()))
}

/// Returns, for each output element, the sum of the products' magnitudes and the number of products.
fn products(op: &Op, ins: &[Tensor]) -> Result<(Vec<f64>, Vec<f64>)> {
    let run = |factor: fn(f64) -> f64, ins: Vec<Tensor>| {
        let op = op.map_factors(factor).unwrap_or_else(|| op.clone());
        op.run(&ins)?[0].to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()
    };
    let counted = |v| f64::from(v != 0.0);
    Ok((run(f64::abs, in_wide(ins, Tensor::abs)?)?, run(counted, in_wide(ins, Tensor::ones_like)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_of_subnormal_numbers_is_not_zero() {
        assert_eq!(ulp(DType::F64, 1e-310), f64::from_bits(1));
        assert_eq!(ulp(DType::F16, 0.0), 2f64.powi(-24));
        assert_eq!(ulp(DType::F64, f64::MAX), 2f64.powi(971));
        assert_eq!(ulp(DType::F64, 1.0 - f64::EPSILON / 2.0), f64::EPSILON / 2.0);
        assert_eq!(ulp(DType::F32, -1.5), f64::from(f32::EPSILON));
    }

    #[test]
    fn an_infinity_is_a_unit_past_the_largest_number() {
        let inf = f64::INFINITY;
        let all = [
            (DType::F64, f64::MAX, 2f64.powi(971)),
            (DType::F32, f64::from(f32::MAX), 2f64.powi(104)),
            (DType::F16, 65504.0, 32.0),
            (DType::BF16, half::bf16::MAX.to_f64(), 2f64.powi(120)),
        ];
        for (dtype, max, unit) in all {
            assert_eq!(apart(dtype, inf, max), unit, "{dtype:?}");
            assert_eq!(apart(dtype, -max, -inf), unit, "{dtype:?}");
            assert_eq!(apart(dtype, inf, max - 3.0 * unit), 4.0 * unit, "{dtype:?}");
            assert_eq!(apart(dtype, inf, -max), inf, "{dtype:?}");
            assert_eq!(apart(dtype, inf, -inf), inf, "{dtype:?}");
            assert_eq!(apart(dtype, inf, inf), 0.0, "{dtype:?}");
            assert!(apart(dtype, inf, f64::NAN).is_nan(), "{dtype:?}");
        }
        assert_eq!(apart(DType::F16, 65520.0, inf), 16.0);
        assert_eq!(apart(DType::F16, 1e300, inf), 0.0);
    }
}
