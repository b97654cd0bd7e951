//! Random numbers and dropout (hip/random.hip).
use super::elementwise::mismatch;
use crate::gpu::kernels::{Kernel, Unit, Variant};
use crate::gpu::launch::Call;
use crate::gpu::params::kernel_params;
use crate::gpu::runtime::Runtime;
use crate::ops::Op;
use crate::ops::dropout::Dropout;
use crate::ops::random::Dist;
use crate::{DType, Error, Result};

kernel_params! {
    /// Numbers of random kernels and of dropout.
    #[derive(Default)]
    pub(crate) struct RandomParams {
        /// First half of the generator's key.
        seed: u64,
        /// Second half: number of the draw.
        draw: u64,
        /// Added to what is drawn: lower end (uniform), mean (normal).
        shift: f64,
        /// Factor of what is drawn: width (uniform), standard deviation (normal); dropout: factor of kept elements.
        scale: f64,
        /// Least number of the dtype in the range.
        least: f64,
        /// Greatest number of the dtype in the range.
        greatest: f64,
        /// Integers: the least one.
        int_low: u64,
        /// Integers: how many; 0 means 2^64.
        int_span: u64,
        /// Bernoulli and dropout: 32-bit words below this are a success.
        threshold: u64,
    }
}
/// The finite numbers of a float dtype in increasing order. A key `k >= 0` stands for the number with bit pattern `k`,
/// a key `-k` for its negative. Written independently of the CPU's code (cpu/kernels/random.rs), so that tests can
/// compare the two.
struct Numbers {
    dtype: DType,
    /// Bit pattern of the largest finite number.
    most: i64,
    /// Number of fraction bits (`fraction`), and the exponent of subnormal numbers (`lowest`).
    fraction: u32,
    lowest: i32,
}

impl Numbers {
    fn of(dtype: DType) -> Result<Self> {
        let (most, fraction, lowest) = match dtype {
            DType::F64 => (0x7FEF_FFFF_FFFF_FFFF, 52, -1022),
            DType::F32 => (0x7F7F_FFFF, 23, -126),
            DType::BF16 => (0x7F7F, 7, -126),
            DType::F16 => (0x7BFF, 10, -14),
            DType::F8E4M3 => (0x7E, 3, -6),
            other => return Err(Error::UnsupportedDTypeForOp(other, "rand").bt()),
        };
        Ok(Self { dtype, most, fraction, lowest })
    }

    fn at(&self, key: i64) -> f64 {
        let bits = key.unsigned_abs();
        if self.dtype == DType::F64 {
            return f64::from_bits(bits) * key.signum() as f64;
        }
        let (exponent, fraction) = ((bits >> self.fraction) as i32, bits & ((1 << self.fraction) - 1));
        let implied = if exponent == 0 { 0 } else { 1 << self.fraction };
        let scale = self.lowest + exponent.max(1) - 1 - self.fraction as i32;
        (fraction + implied) as f64 * 2f64.powi(scale) * key.signum() as f64
    }

    /// Returns the first key whose number is not `less`, or one past the largest key.
    fn first(&self, less: impl Fn(f64) -> bool) -> i64 {
        let (mut low, mut high) = (-self.most, self.most + 1);
        while low < high {
            let middle = ((i128::from(low) + i128::from(high)) >> 1) as i64;
            if less(self.at(middle)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Returns the number nearest to `v`, ties to even. Beyond the largest number this is infinity or, if the dtype has
    /// none, the largest number.
    fn nearest(&self, v: f64) -> f64 {
        let above = self.first(|x| x < v);
        if above <= self.most && self.at(above) == v || above == -self.most {
            return self.at(above);
        }
        let (down, up) = (v - self.at(above - 1), self.at(above) - v);
        let key = if down < up || (down == up && above % 2 != 0) { above - 1 } else { above };
        match (key > self.most, self.dtype) {
            (false, _) => self.at(key),
            (true, DType::F8E4M3) => self.at(self.most),
            (true, _) => f64::INFINITY,
        }
    }
}

/// Returns the least and the greatest number of a float dtype in `[lo, up)`. If `lo` equals `up`, both are the number
/// nearest to it.
fn range(dtype: DType, lo: f64, up: f64) -> Result<(f64, f64)> {
    let numbers = Numbers::of(dtype)?;
    if lo == up {
        // Rounding the magnitude is enough by symmetry, and leaves only one end of the range to handle.
        let v = numbers.nearest(lo.abs()).copysign(lo);
        return Ok((v, v));
    }
    let (least, behind) = (numbers.first(|x| x < lo), numbers.first(|x| x < up));
    if least >= behind {
        return Err(Error::invalid("rand", format!("{dtype:?} has no number in [{lo}, {up})")));
    }
    Ok((numbers.at(least), numbers.at(behind - 1)))
}

/// The 32-bit words below which are `p` of all: `p 2^32`, the even one of two that are as near.
pub(super) fn threshold(p: f64) -> u64 {
    let exact = p * 2f64.powi(32);
    let (whole, rest) = (exact as u64, exact.fract());
    whole + u64::from(rest > 0.5 || rest == 0.5 && whole % 2 == 1)
}

pub(super) fn random<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Random(op) = c.op else { return Err(mismatch(c)) };
    let out = c.output(0)?;
    let mut d = RandomParams { seed: op.key.0, draw: op.key.1, ..RandomParams::default() };
    let mut name = c.name;
    match op.dist {
        Dist::Uniform { lo, up } => {
            (d.shift, d.scale) = (lo, up - lo);
            (d.least, d.greatest) = range(out.dtype, lo, up)?;
        }
        Dist::Normal { mean, std } => (d.shift, d.scale) = (mean, std),
        Dist::Integers { lo, hi } => {
            // Sums wrap, so the low 64 bits are enough. A span of 2^64 becomes 0.
            (d.int_low, d.int_span) = (lo as u64, (hi - lo) as u64);
            if hi - lo > 1 << 32 {
                name = "randint_large";
            }
        }
        Dist::Bernoulli { p } => d.threshold = threshold(p),
    }
    // The variant strided also serves contiguous tensors: the kernel detects them.
    c.elementwise(Kernel::new(Unit::Random, out.dtype, name, Variant::Strided), [out], d)
}

pub(super) fn dropout<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::Dropout(op) = c.op else { return Err(mismatch(c)) };
    let (x, out) = (c.input(0)?, c.output(0)?);
    c.elementwise(
        Kernel::new(Unit::Random, x.dtype, "dropout", Variant::Strided),
        [out, x],
        dropout_params(op),
    )
}

pub(super) fn bias_dropout<R: Runtime>(c: &Call<'_, R>) -> Result<()> {
    let Op::BiasDropout(op) = c.op else { return Err(mismatch(c)) };
    let (x, bias, out) = (c.input(0)?, c.input(1)?, c.output(0)?);
    let kernel = Kernel::new(Unit::Random, x.dtype, "bias_dropout", Variant::Strided);
    c.elementwise(kernel, [out, x, bias], dropout_params(&op.0))
}

fn dropout_params(op: &Dropout) -> RandomParams {
    let keep = if op.p < 1.0 { 1.0 / (1.0 - op.p) } else { 0.0 };
    let threshold = threshold(1.0 - op.p);
    RandomParams { seed: op.key.0, draw: op.key.1, scale: keep, threshold, ..RandomParams::default() }
}

#[cfg(test)]
mod tests {
    use super::{range, threshold};
    use crate::{DType, cpu::kernels::random, rng};

    const FLOATS: [DType; 5] = [DType::F8E4M3, DType::BF16, DType::F16, DType::F32, DType::F64];

    /// Returns numbers of all magnitudes, equal to, near and between those of the dtypes with few bits.
    fn ends() -> Vec<f64> {
        let mut all = vec![
            0.0,
            1e-320,
            2f64.powi(-149),
            2f64.powi(-150),
            2f64.powi(-133),
            2f64.powi(-24),
            2f64.powi(-9),
        ];
        all.extend([
            2f64.powi(-10),
            0.1,
            0.5,
            1.0,
            1.0 + 2f64.powi(-9),
            1.0 + 2f64.powi(-11),
            1.0 + 3.0 * 2f64.powi(-11),
        ]);
        all.extend([
            17.3, 240.0, 447.9, 448.0, 463.9, 464.0, 464.1, 480.0, 500.0, 65_504.0, 65_519.9, 65_520.0, 1e6,
        ]);
        all.extend([f32::MAX as f64, f32::MAX as f64 * (1.0 - 1e-9), 3.39e38, 1e300]);
        let negative: Vec<f64> = all.iter().map(|v| -v).collect();
        all.extend(negative);
        all
    }

    #[test]
    fn ends_of_ranges_are_the_cpus() {
        let mut compared = 0;
        for dtype in FLOATS {
            for lo in ends() {
                for up in ends().into_iter().filter(|up| lo <= *up) {
                    let (ours, cpus) = (range(dtype, lo, up), random::range(dtype, lo, up));
                    match (ours, cpus) {
                        (Ok(a), Ok(b)) => assert_eq!(a, b, "{dtype:?} [{lo}, {up})"),
                        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
                        (a, b) => panic!("{dtype:?} [{lo}, {up}): {a:?}, on the CPU {b:?}"),
                    }
                    compared += 1;
                }
            }
        }
        assert!(compared > 5000, "{compared}");
    }

    #[test]
    fn thresholds_are_the_cpus() {
        let half = 2f64.powi(-33);
        let odd = (0..2000).map(|i| f64::from(i) * half);
        for p in odd.chain((0..=1000).map(|i| f64::from(i) / 1000.0)).chain([1e-300, 1.0 - f64::EPSILON]) {
            assert_eq!(threshold(p), rng::threshold(p), "{p}");
        }
    }
}
