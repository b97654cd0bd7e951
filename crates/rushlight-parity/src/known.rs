//! True values of functions at some f64 arguments, computed with 50 digits and kept with more digits than f64 has.
//!
//! `true_values.tsv` is written by `tests/python/true_table.py`. A line has the op, the bits of its arguments, the bits of
//! the f64 number nearest to the true result, and the difference from that number in units in its last place.
use super::bound::{Class, class, ulp};
use super::judge::gradients;
use rushlight::ops::activation::{Activation, ActivationOp};
use rushlight::ops::binary::{Binary, BinaryOp};
use rushlight::ops::unary::{Unary, UnaryOp};
use rushlight::ops::{Accuracy, Op};
use rushlight::{DType, Device, Result, Tensor};

const TABLE: &str = include_str!("true_values.tsv");

/// A function of f64, or its gradient, with true values at some points.
#[derive(Debug, Clone)]
pub struct Known {
    /// Name: the op, and `/grad` for its gradient.
    pub name: &'static str,
    op: Op,
    arguments: Vec<Vec<f64>>,
    /// The f64 number nearest to each true value, and the difference from it in units in its last place.
    values: Vec<(f64, f64)>,
}

/// Returns the functions that the table has.
///
/// ```
/// use rushlight::Device;
/// let exp = rushlight_parity::known().into_iter().find(|k| k.name == "exp").expect("a function");
/// assert!(exp.worst(&Device::Cpu)? <= exp.units());
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn known() -> Vec<Known> {
    let mut all: Vec<Known> = Vec::new();
    for line in TABLE.lines() {
        let mut words = line.split('\t');
        let name = words.next().unwrap_or_default();
        let mut words: Vec<&str> = words.collect();
        let rest = words.pop().and_then(|w| w.parse().ok()).unwrap_or(f64::NAN);
        let mut numbers: Vec<f64> =
            words.iter().map(|w| u64::from_str_radix(w, 16).map_or(f64::NAN, f64::from_bits)).collect();
        let nearest = numbers.pop().unwrap_or(f64::NAN);
        if all.last().is_none_or(|k| k.name != name) {
            let Some(op) = op(name) else { continue };
            all.push(Known { name, op, arguments: vec![Vec::new(); numbers.len()], values: Vec::new() });
        }
        if let Some(last) = all.last_mut() {
            last.arguments.iter_mut().zip(numbers).for_each(|(a, v)| a.push(v));
            last.values.push((nearest, rest));
        }
    }
    all
}

/// Returns the op of a name in the table.
fn op(name: &str) -> Option<Op> {
    let name = name.trim_end_matches("/grad");
    let unary = UnaryOp::ALL.iter().map(|u| Op::Unary(Unary(*u)));
    let binary = BinaryOp::ALL.iter().map(|b| Op::Binary(Binary(*b)));
    // The only number with a default that a function in the table has is the alpha of `celu`, 1.
    let activations =
        ActivationOp::ALL.iter().map(|a| Op::Activation(Activation { op: *a, numbers: [1.0, 0.0] }));
    unary.chain(binary).chain(activations).find(|op| op.name() == name)
}

impl Known {
    /// Returns the largest allowed error in units in the last place of the true value (docs/NUMERICS.md).
    pub fn units(&self) -> f64 {
        match (self.name.ends_with("/grad"), class(&self.op, DType::F64)) {
            (true, _) => 16.0,
            (_, Class::Ulps(k) | Class::Scaled(k)) => k,
            _ if self.op.accuracy() == Accuracy::Rounded => 0.5,
            // `rsqrt` rounds twice.
            _ => 1.5,
        }
    }

    /// Returns the number of points.
    pub fn points(&self) -> usize {
        self.values.len()
    }

    /// Returns the largest error of a device's results, in units in the last place; infinity if exactly one of the result
    /// and the true value is NaN. A gradient that changes its sign counts in units of 1 around its root.
    ///
    /// # Errors
    /// The op's on that device.
    pub fn worst(&self, device: &Device) -> Result<f64> {
        let n = self.points();
        let ins = self.arguments.iter().map(|a| Tensor::from_slice(a, n, device));
        let ins = ins.collect::<Result<Vec<_>>>()?;
        let gradient = self.name.ends_with("/grad");
        // The argument above which the gradient counts in units of 1.
        let root = match self.name {
            "gelu/grad" | "gelu_erf/grad" => -1.0,
            "mish/grad" | "silu/grad" => -2.0,
            _ => f64::INFINITY,
        };
        let out = if gradient { gradients(&self.op, &ins)? } else { self.op.run(&ins)? };
        let Some(out) = out.first() else { return Ok(f64::INFINITY) };
        let got = out.to_device(&Device::Cpu)?.to_vec1::<f64>()?;
        let found = got.iter().zip(&self.values).enumerate().map(|(i, (g, (near, rest)))| {
            let off = off(*g, *near, *rest);
            let scaled = self.arguments[0][i] > root;
            if scaled && off.is_finite() {
                off * ulp(DType::F64, *near) / ulp(DType::F64, near.abs().max(1.0))
            } else {
                off
            }
        });
        Ok(found.fold(0.0, f64::max))
    }
}

/// Returns how far a result is off, in units in the last place of the true value. An infinity is a unit past the largest number.
fn off(got: f64, near: f64, rest: f64) -> f64 {
    if got.is_nan() || near.is_nan() {
        return if got.is_nan() && near.is_nan() { 0.0 } else { f64::INFINITY };
    }
    let unit = ulp(DType::F64, near);
    // Below a power of two the unit is half of that above.
    let below = rest < 0.0 && near.is_normal() && near.to_bits() << 12 == 0;
    let apart = if got.is_infinite() {
        if got.signum() != near.signum() {
            return f64::INFINITY;
        }
        ((f64::MAX - near.abs()) / unit + ulp(DType::F64, f64::MAX) / unit) * got.signum()
    } else {
        (got - near) / unit
    };
    (apart - rest).abs() * if below { 2.0 } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_a_part_below_the_last_place() {
        assert_eq!(off(1.5, 1.5, 0.25), 0.25);
        assert_eq!(off(1.5 + f64::EPSILON, 1.5, -0.25), 1.25);
        assert_eq!(off(1.0, 1.0, -0.25), 0.5);
        assert_eq!(off(f64::INFINITY, f64::MAX, 0.5), 0.5);
        assert_eq!(off(f64::from_bits(2), f64::from_bits(1), 0.5), 0.5);
        assert_eq!(off(f64::NAN, f64::NAN, 0.0), 0.0);
        assert_eq!(off(f64::NAN, 1.0, 0.0), f64::INFINITY);
    }

    #[test]
    fn every_elementary_function_has_true_values() {
        let all = known();
        for u in UnaryOp::ALL {
            let op = Op::Unary(Unary(*u));
            let has = all.iter().any(|k| k.name == op.name() && k.points() > 50);
            assert!(
                has || matches!(class(&op, DType::F64), Class::Exact),
                "{} has no true values",
                op.name()
            );
        }
        assert!(all.iter().any(|k| k.name == "pow") && all.iter().any(|k| k.name == "atan2"));
    }
}
