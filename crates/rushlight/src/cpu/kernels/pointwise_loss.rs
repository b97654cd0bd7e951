//! Losses of each element on the CPU, and their gradients.
use super::elementwise::{Dst, Src, dst, unsupported};
use super::num::{Arith, Num, Real};
use super::reduce_tree::{CHUNK, Combine, TreeOp, tree_values};
use super::softmax::row_major;
use crate::cpu::driver::{chunks, per_task};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::{map2, map2_f32, map3, slice2};
use crate::cpu::{dispatch, scratch};
use crate::ops::loss::Reduction;
use crate::ops::pointwise_loss::{PointwiseKind, PointwiseLoss};
use crate::ops::pointwise_loss_backward::PointwiseLossBackward;
use crate::{DType, Result};

/// The least logarithm of a probability, and the least `x (1 - x)` that the gradient of `bce` is divided by, as in PyTorch.
const LEAST_LOG: f64 = -100.0;
const LEAST_PRODUCT: f64 = 1e-12;
const LOG_2PI: f64 = 1.837_877_066_409_345_3;

/// Returns `e^-|x|`.
#[inline(always)]
fn decay<F: Real>(x: F) -> F {
    Elementary::exp(-Arith::abs(x))
}

/// Returns `ln(1 - x)`: the logarithm of the rounded difference, and its rounding error. (Faster than `ln_1p`.)
#[inline(always)]
fn log_complement<F: Real>(x: F) -> F {
    let rest = F::ONE - x;
    let error = (F::ONE - rest) - x;
    // At x = 1 the error is 0, and the logarithm infinite.
    Elementary::ln(rest) + error / Arith::max(rest, F::min_positive_value())
}

/// Returns the loss of an input and a target. `p` is the parameter.
#[inline(always)]
fn value<F: Real>(kind: PointwiseKind, p: F, x: F, t: F) -> F {
    use PointwiseKind as K;
    let (zero, one, half) = (F::ZERO, F::ONE, F::of(0.5));
    match kind {
        K::Mse => (x - t) * (x - t),
        K::L1 => Arith::abs(x - t),
        K::SmoothL1 | K::Huber => {
            // The smaller one of |d| and p; |d| - m / 2 is then |d| / 2 or |d| - p / 2.
            let size = Arith::abs(x - t);
            let m = if size < p { size } else { p };
            (if matches!(kind, K::Huber) { m } else { m / p }) * (size - half * m)
        }
        K::Bce => {
            let least = F::of(LEAST_LOG);
            (t - one) * Arith::max(log_complement(x), least) - t * Arith::max(Elementary::ln(x), least)
        }
        // (1 - t) x - ln(sigmoid(x)), in PyTorch's order.
        K::BceWithLogits => (one - t) * x - ((if x < zero { x } else { zero }) - Elementary::ln_1p(decay(x))),
        K::KlDiv => (if t == zero { zero } else { t * Elementary::ln(t) }) - t * x,
        K::KlDivLog => Elementary::exp(t) * (t - x),
        K::PoissonNll => x - t * Elementary::ln(x + p),
        K::PoissonNllLog => Elementary::exp(x) - t * x,
        K::PoissonNllFull => x - t * Elementary::ln(x + p) + stirling(t),
        K::PoissonNllLogFull => Elementary::exp(x) - t * x + stirling(t),
        K::SoftMargin => {
            let z = t * x;
            (if z < zero { -z } else { zero }) + Elementary::ln_1p(decay(z))
        }
        K::HingeEmbedding => {
            let far = if p - x < zero { zero } else { p - x };
            (if t == one { zero } else { far }) + (if t == -one { zero } else { x })
        }
        K::MarginRanking => {
            let u = p - t * x;
            if u < zero { zero } else { u }
        }
    }
}

/// Returns Stirling's approximation of `ln(t!)`, and 0 for t up to 1.
#[inline(always)]
fn stirling<F: Real>(t: F) -> F {
    let log = Elementary::ln(t);
    if t <= F::ONE { F::ZERO } else { t * log - t + F::of(0.5) * (F::of(LOG_2PI) + log) }
}

/// Returns the derivative of the loss by the input, or by the target.
#[inline(always)]
fn slope<F: Real>(kind: PointwiseKind, of_target: bool, p: F, x: F, t: F) -> F {
    use PointwiseKind as K;
    let (zero, one) = (F::ZERO, F::ONE);
    // The losses of a difference have opposite derivatives.
    let d = if of_target { t - x } else { x - t };
    match kind {
        K::Mse => d + d,
        K::L1 => Arith::sign(d),
        K::SmoothL1 | K::Huber => {
            let m = if d > p {
                p
            } else if d < -p {
                -p
            } else {
                d
            };
            if matches!(kind, K::Huber) { m } else { m / p }
        }
        K::Bce if of_target => log_complement(x) - Elementary::ln(x),
        K::Bce => d / Arith::max((one - x) * x, F::of(LEAST_PRODUCT)),
        K::BceWithLogits if of_target => -x,
        K::BceWithLogits => {
            let e = decay(x);
            let tail = e / (one + e);
            if x >= zero { (one - t) - tail } else { tail - t }
        }
        K::KlDiv if of_target => (if t == zero { zero } else { Elementary::ln(t) + one }) - x,
        K::KlDiv => -t,
        K::KlDivLog if of_target => Elementary::exp(t) * (t - x + one),
        K::KlDivLog => -Elementary::exp(t),
        K::PoissonNll if of_target => -Elementary::ln(x + p),
        K::PoissonNllFull if of_target => stirling_slope(t) - Elementary::ln(x + p),
        K::PoissonNll | K::PoissonNllFull => one - t / (x + p),
        K::PoissonNllLog if of_target => -x,
        K::PoissonNllLogFull if of_target => stirling_slope(t) - x,
        K::PoissonNllLog | K::PoissonNllLogFull => Elementary::exp(x) - t,
        K::SoftMargin => {
            // The sigmoid of -t x.
            let z = t * x;
            let e = decay(z);
            let share = (if z > zero { e } else { one }) / (one + e);
            -(if of_target { x } else { t }) * share
        }
        K::HingeEmbedding if of_target => zero,
        K::HingeEmbedding => {
            let far = if p - x >= zero { one } else { zero };
            (if t == -one { zero } else { one }) - (if t == one { zero } else { far })
        }
        K::MarginRanking => {
            if p - t * x >= zero {
                -(if of_target { x } else { t })
            } else {
                zero
            }
        }
    }
}

/// Returns the derivative of Stirling's approximation.
#[inline(always)]
fn stirling_slope<F: Real>(t: F) -> F {
    if t <= F::ONE { F::ZERO } else { Elementary::ln(t) + F::of(0.5) / t }
}

/// Runs an expression with each kind as a constant, so that each gets its own loop.
macro_rules! each {
    ($kind:expr, $name:ident => $run:expr) => {
        each!(@ $kind, $name => $run; Mse L1 SmoothL1 Huber Bce BceWithLogits KlDiv KlDivLog PoissonNll PoissonNllLog
            PoissonNllFull PoissonNllLogFull SoftMargin HingeEmbedding MarginRanking)
    };
    (@ $kind:expr, $name:ident => $run:expr; $($each:ident)*) => {
        match $kind {
            $(PointwiseKind::$each => {
                const $name: PointwiseKind = PointwiseKind::$each;
                $run
            })*
        }
    };
}

pub fn pointwise_loss(c: &PointwiseLoss, x: Src<'_>, target: Src<'_>, out: Dst<'_>) -> Result<()> {
    if c.reduction != Reduction::None {
        return reduced(c, x, target, out);
    }
    each!(c.kind, KIND => match x.0.dtype() {
        DType::F64 => map2(x, target, out, losses::<f64, { KIND as u8 }>(c.parameter)),
        DType::F32 | DType::F16 | DType::BF16 => {
            map2_f32(x, target, out, losses::<f32, { KIND as u8 }>(c.parameter))
        }
        other => unsupported(other, "pointwise_loss"),
    })
}

/// Returns the function of a kind, given as its number: one type for all callers, so that they share its loops.
fn losses<F: Real, const KIND: u8>(parameter: f64) -> impl Fn(F, F) -> F + Copy + Sync {
    const { assert!(PointwiseKind::ALL[KIND as usize] as u8 == KIND) };
    let p = F::of(parameter);
    #[inline(always)]
    move |x, t| value(const { PointwiseKind::ALL[KIND as usize] }, p, x, t)
}

/// Computes the sum or the mean of the losses, by the reduction tree.
fn reduced(c: &PointwiseLoss, x: Src<'_>, target: Src<'_>, mut out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "pointwise_loss", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold_x, mut hold_t) = (None, None);
        let (x, t) = (row_major::<T>(x, &mut hold_x)?, row_major::<T>(target, &mut hold_t)?);
        let total = each!(c.kind, KIND => {
            let f = losses::<A, { KIND as u8 }>(c.parameter);
            total_of(x, t, &|x: &[A], t: &[A], losses: &mut [A]| slice2(x, t, losses, f))
        })?;
        let total = match c.reduction {
            Reduction::Mean => Arith::div(total, Arith::of(x.len() as f64)),
            _ => total,
        };
        dst::<T>(&mut out)?.0[0] = T::from_acc(total);
        Ok(())
    })
}

/// A function that computes the losses of a chunk.
type Losses<'a, A> = &'a (dyn Fn(&[A], &[A], &mut [A]) + Sync);

/// Returns the sum of the losses.
fn total_of<T: Num>(x: &[T], t: &[T], losses: Losses<'_, T::Acc>) -> Result<T::Acc> {
    let op = Combine { identity: T::Acc::ZERO, combine: Arith::add };
    let mut sums = scratch::filled(x.len().div_ceil(CHUNK), T::Acc::ZERO)?;
    let per = per_task(sums.len(), 2 * CHUNK);
    chunks(&mut sums, per, &|task, part: &mut [T::Acc]| {
        let [mut wide_x, mut wide_t, mut room] = [[T::Acc::ZERO; CHUNK]; 3];
        for (i, sum) in part.iter_mut().enumerate() {
            let first = (task * per + i) * CHUNK;
            let range = first..x.len().min(first + CHUNK);
            let n = range.len();
            let x = T::widened(&x[range.clone()], &mut wide_x[..n]);
            let t = T::widened(&t[range], &mut wide_t[..n]);
            losses(x, t, &mut room[..n]);
            *sum = op.chunk(&room[..n]);
        }
    });
    Ok(tree_values(&sums, &op))
}

pub fn pointwise_loss_backward(
    c: &PointwiseLossBackward,
    g: Src<'_>,
    x: Src<'_>,
    target: Src<'_>,
    out: Dst<'_>,
) -> Result<()> {
    let scale = c.scale(x.1.shape().elem_count());
    dispatch!(x.0.dtype(), "pointwise_loss_backward", FLOAT => T {
        let (p, scale) = (Arith::of(c.parameter), Arith::of(scale));
        each!(c.kind, KIND => if c.of_target {
            map3(g, x, target, out, #[inline(always)] |g: T, x: T, t: T| {
                T::from_acc(Arith::mul(Arith::mul(g.acc(), scale), slope(KIND, true, p, x.acc(), t.acc())))
            })
        } else {
            map3(g, x, target, out, #[inline(always)] |g: T, x: T, t: T| {
                T::from_acc(Arith::mul(Arith::mul(g.acc(), scale), slope(KIND, false, p, x.acc(), t.acc())))
            })
        })
    })
}
