//! How near to the true result a result must be. On every device the bits are the CPU's where docs/NUMERICS.md says so;
//! elsewhere a device may err twice as much as the CPU does, or by the bound of the op's class, whichever is more. The true
//! result is the op in f64.
use rushlight::ops::Op;
use rushlight::ops::addmm::AddMm;
use rushlight::sweep::{for_dtype, run_op};
use rushlight::{DType, Result, Tensor};

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

/// The class of an op for results of a dtype.
///
/// ```
/// use rushlight::{DType, ops::Op, ops::unary::{Unary, UnaryOp}, parity::{Class, class}};
/// assert_eq!(class(&Op::Unary(Unary(UnaryOp::Exp)), DType::F32), Class::Ulps(4.0));
/// assert_eq!(class(&Op::Unary(Unary(UnaryOp::Neg)), DType::F32), Class::Exact);
/// ```
pub fn class(op: &Op, dtype: DType) -> Class {
    let narrow = narrow(dtype);
    let ulps = |wide: f64| Class::Ulps(if narrow { 1.0 } else { wide });
    match (op.card(), op.name()) {
        _ if !dtype.is_float() => Class::Exact,
        (
            "unary",
            "exp" | "log" | "log1p" | "expm1" | "log2" | "log10" | "sin" | "cos" | "tan" | "asin" | "acos",
        )
        | ("unary", "atan" | "sinh" | "cosh" | "tanh" | "asinh" | "acosh" | "atanh" | "erf")
        | ("unary", "sigmoid" | "silu")
        | ("elu", _)
        | ("binary", "atan2") => ulps(4.0),
        ("binary", "pow") | ("powf", _) => ulps(16.0),
        // Left of 0 one is a difference, 1 + tanh(x), and one has the rounding of x^2 in an exponent: 10 units at -3 in f32.
        ("unary", "gelu" | "gelu_erf") => Class::Scaled(if narrow { 1.0 } else { 4.0 }),
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

/// The class for these inputs: many terms of `index_add` and `scatter_add` may be added in any order
/// (docs/NUMERICS.md, "The same bits in every run").
pub(super) fn class_of(op: &Op, dtype: DType, ins: &[Tensor]) -> Class {
    let adds = op.card() == "index_add" || op.name() == "scatter_add";
    let many = ins.last().is_some_and(|t| t.elem_count() > 64);
    if adds && many && dtype.is_float() && !rushlight::deterministic() {
        Class::Products
    } else {
        class(op, dtype)
    }
}

/// How near the CPU's own results of an exact class must be to the true ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Own {
    /// The true result, rounded once.
    Rounded,
    /// Some rounding errors of the largest sum of sizes.
    Sums,
    /// There is no one in f64: random numbers are others there.
    None,
}

/// Which ops round once at most, so that the dtype's result is the rounded true one. An op that is not named may round on
/// its way.
pub(super) fn own(op: &Op) -> Own {
    match (op.card(), op.name()) {
        ("random" | "fill" | "dropout", _) => Own::None,
        ("unary", "sqrt" | "reciprocal" | "square" | "abs" | "neg" | "sign" | "relu" | "bitwise_not")
        | ("unary", "floor" | "ceil" | "round" | "trunc" | "frac")
        | ("binary", "add" | "sub" | "mul" | "div" | "maximum" | "minimum")
        | ("binary", "bitwise_and" | "bitwise_or" | "bitwise_xor" | "left_shift" | "right_shift")
        | ("cmp" | "predicate" | "where_cond" | "copy", _)
        | ("index_select" | "gather" | "flip" | "triangle" | "max_pool" | "arg_sort", _)
        | ("reduce", "min" | "max" | "argmin" | "argmax" | "any" | "all") => Own::Rounded,
        ("scatter", name) if !name.contains("add") => Own::Rounded,
        _ => Own::Sums,
    }
}

/// Significand bits and the exponent of the smallest normal number.
const fn format(dtype: DType) -> (i32, i32) {
    match dtype {
        DType::F64 => (53, -1022),
        DType::F32 => (24, -126),
        DType::F16 => (11, -14),
        DType::BF16 => (8, -126),
        _ => (4, -6),
    }
}

/// A rounding error of a dtype, relative.
pub(super) fn eps(dtype: DType) -> f64 {
    2f64.powi(1 - format(dtype).0)
}

/// One unit in the last place of a number of the dtype's size.
pub(super) fn ulp(dtype: DType, v: f64) -> f64 {
    if !dtype.is_float() {
        return 1.0;
    }
    let (bits, least) = format(dtype);
    // Of the bits: the logarithm of the largest numbers is rounded up.
    let exponent = if v.is_finite() { ((v.abs().to_bits() >> 52) as i32 - 1023).max(least) } else { least };
    // Not powi: that divides by 2^1074, which is infinite.
    f64::from(exponent - bits + 1).exp2()
}

/// How far two results of a dtype are apart. An infinity is the number one unit past the largest finite one, which a rounding
/// error there makes of it; of the other sign it is infinitely far, and NaN is from everything.
pub(super) fn apart(dtype: DType, a: f64, b: f64) -> f64 {
    let (infinite, finite) = if a.is_infinite() { (a, b) } else { (b, a) };
    if !infinite.is_infinite() || !finite.is_finite() || infinite.signum() != finite.signum() {
        return if a == b { 0.0 } else { (a - b).abs() };
    }
    let largest = (2.0 - eps(dtype)) * f64::from(1 - format(dtype).1).exp2();
    // (A true result in f64 may be beyond.)
    (largest - finite.abs() + ulp(dtype, largest)).max(0.0)
}

/// The op as it is in f64: attributes that follow the dtype do.
fn in_f64(op: &Op, first: Option<&Tensor>) -> Op {
    match first {
        Some(t) if t.dtype().is_float() => for_dtype(op, DType::F64),
        _ => op.clone(),
    }
}

fn wide(ins: &[Tensor], f: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let one = |t: &Tensor| if t.dtype().is_float() { f(&t.to_dtype(DType::F64)?) } else { t.copy() };
    ins.iter().map(one).collect()
}

/// The true results: the op in f64, on the CPU, of inputs on the CPU.
pub(super) fn truth(op: &Op, ins: &[Tensor]) -> Result<Vec<Tensor>> {
    run_op(&in_f64(op, ins.first()), &wide(ins, Tensor::copy)?)
}

/// The inputs in f64 as leaves of a gradient, and the op for them.
pub(super) fn in_f64_tracked(op: &Op, ins: &[Tensor]) -> Result<(Op, Vec<Tensor>)> {
    Ok((in_f64(op, ins.first()), wide(ins, Tensor::copy)?))
}

/// What the bound of a class needs of the inputs.
pub(super) struct Sizes {
    /// Sums of the sizes of products, and how many there are.
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

    /// The bound of element `i`, whose true value is `t`.
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

/// Of an op of sums, the largest of its true results and of those of the inputs' sizes.
pub(super) fn scale(op: &Op, ins: &[Tensor], truth: &[f64]) -> f64 {
    let mut all = truth.to_vec();
    let sizes = wide(ins, Tensor::abs).and_then(|ins| run_op(&in_f64(op, ins.first()), &ins));
    // An op that refuses the inputs' sizes is judged by its results alone.
    for t in sizes.iter().flatten() {
        all.extend(
            t.to_dtype(DType::F64).and_then(|t| t.flatten_all()?.to_vec1::<f64>()).unwrap_or_default(),
        );
    }
    all.iter().filter(|v| v.is_finite()).fold(0f64, |m, v| m.max(v.abs()))
}

/// The op's sum of the sizes of products, and how many there are.
fn products(op: &Op, ins: &[Tensor]) -> Result<(Vec<f64>, Vec<f64>)> {
    let positive = |one: bool| match op {
        Op::AddMm(a) if one => {
            Op::AddMm(AddMm { beta: f64::from(a.beta != 0.0), alpha: f64::from(a.alpha != 0.0) })
        }
        Op::AddMm(a) => Op::AddMm(AddMm { beta: a.beta.abs(), alpha: a.alpha.abs() }),
        op => op.clone(),
    };
    let run = |one: bool, ins: Vec<Tensor>| {
        run_op(&positive(one), &ins)?[0].to_dtype(DType::F64)?.flatten_all()?.to_vec1::<f64>()
    };
    Ok((run(false, wide(ins, Tensor::abs)?)?, run(true, wide(ins, Tensor::ones_like)?)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_of_the_least_numbers_is_no_zero() {
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
