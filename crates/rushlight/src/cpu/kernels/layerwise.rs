//! LARS and LAMB: a pass for the norms of whole tensors, then a pass that updates.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use super::optim::{Running, missing, narrowed, prepared};
use super::reduce_tree::{CHUNK, Combine, LANES, fold, tree_values};
use super::softmax::row_major;
use crate::cpu::driver::{chunks, per_task, update};
use crate::cpu::simd_isa::{self, Work};
use crate::cpu::{dispatch, scratch};
use crate::ops::optimizer_step::{OptimizerStep, StepOp};
use crate::{CpuStorage, Result};
use num_traits::Float;

/// The sums of the squares of two numbers for each element of a chunk; `f` computes them from the elements of the operands.
struct Squares<'a, T, F, const N: usize> {
    x: [&'a [T]; N],
    f: F,
}

impl<T: Num, F: Fn([T; N]) -> [T::Acc; 2], const N: usize> Work for Squares<'_, T, F, N> {
    type Output = [T::Acc; 2];
    #[inline(always)]
    fn run(self) -> [T::Acc; 2] {
        let [mut a, mut b] = [[T::Acc::ZERO; LANES]; 2];
        let n = self.x[0].len();
        let whole = n / LANES * LANES;
        for first in (0..whole).step_by(LANES) {
            for l in 0..LANES {
                let [x, y] = (self.f)(elements(&self.x, first + l));
                a[l] = a[l].add(x.mul(x));
                b[l] = b[l].add(y.mul(y));
            }
        }
        for l in 0..n - whole {
            let [x, y] = (self.f)(elements(&self.x, whole + l));
            a[l] = a[l].add(x.mul(x));
            b[l] = b[l].add(y.mul(y));
        }
        [fold(a, Arith::add), fold(b, Arith::add)]
    }
}

/// The elements at one position of all operands. (`array::map` would call a function compiled without the level's instructions.)
#[inline(always)]
fn elements<T: Num, const N: usize>(x: &[&[T]; N], i: usize) -> [T; N] {
    let mut all = [T::default(); N];
    for k in 0..N {
        all[k] = x[k][i];
    }
    all
}

/// Returns the Euclidean norms of two numbers for each element, which `f` computes from the elements of the operands.
fn norms<T: Num<Acc: Float>, const N: usize>(
    operands: [Src<'_>; N],
    f: impl Fn([T; N]) -> [T::Acc; 2] + Copy + Sync,
) -> Result<[T::Acc; 2]> {
    let mut holds: [Option<CpuStorage>; N] = [const { None }; N];
    let mut rows: [&[T]; N] = [&[]; N];
    for ((row, operand), hold) in rows.iter_mut().zip(operands).zip(&mut holds) {
        *row = row_major(operand, hold)?;
    }
    let n = rows[0].len();
    let chunk = |k: usize| {
        let x = rows.map(|row| &row[k * CHUNK..n.min((k + 1) * CHUNK)]);
        simd_isa::run_small(Squares { x, f })
    };
    if n <= CHUNK {
        return Ok(chunk(0).map(Float::sqrt));
    }
    let mut values = scratch::filled(n.div_ceil(CHUNK), [T::Acc::ZERO; 2])?;
    let per = per_task(values.len(), N * CHUNK);
    chunks(&mut values, per, &|task, part: &mut [[T::Acc; 2]]| {
        part.iter_mut().enumerate().for_each(|(i, value)| *value = chunk(task * per + i));
    });
    let both = |a: [T::Acc; 2], b: [T::Acc; 2]| [a[0].add(b[0]), a[1].add(b[1])];
    Ok(tree_values(&values, &Combine { identity: [T::Acc::ZERO; 2], combine: both }).map(Float::sqrt))
}

pub fn layerwise_step(c: &OptimizerStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), c.op.as_str(), FLOAT => T {
        type A = <T as Num>::Acc;
        let (decay, decays) = (A::of(c.weight_decay), c.weight_decay != 0.0);
        let [n0, n1, n2, n3, n4, n5] = c.numbers.map(A::of);
        // The ratio of LARS, from the norms of parameter and gradient.
        let trusted = |[p, g]: [A; 2], trust: A, eps: A| {
            if !(p > A::ZERO && g > A::ZERO) {
                return A::ONE;
            }
            let sum = if decays { Arith::add(g, Arith::mul(decay, p)) } else { g };
            Arith::div(Arith::mul(p, trust), Arith::add(sum, eps))
        };
        match (c.op, targets) {
            (StepOp::Lars, [(p, p_l)]) => {
                let (start, lr) = (prepared::<T>(c), n2);
                let both = norms::<T, 2>([(p, p_l), grad], #[inline(always)] |[p, g]| [p.acc(), g.acc()])?;
                let ratio = trusted(both, n0, n1);
                update::<T, 1, 2>([(p, p_l)], grad, #[inline(always)] move |[p], g| {
                    let (p, g) = start(p, g);
                    [T::from_acc(Arith::sub(p, Arith::mul(lr, Arith::mul(g, ratio))))]
                })
            }
            (StepOp::LarsMomentum, [(p, p_l), (b, b_l)]) => {
                let (start, momentum, lr) = (prepared::<T>(c), n0, n3);
                let (first, nesterov) = (c.numbers[4] != 0.0, c.numbers[5] != 0.0);
                let both = norms::<T, 2>([(p, p_l), grad], #[inline(always)] |[p, g]| [p.acc(), g.acc()])?;
                let ratio = trusted(both, n1, n2);
                update::<T, 2, 3>([(p, p_l), (b, b_l)], grad, #[inline(always)] move |[p, b], g| {
                    let (p, g) = start(p, g);
                    let d = Arith::mul(g, ratio);
                    let b = if first { d } else { Arith::add(Arith::mul(momentum, b.acc()), d) };
                    let d = if nesterov { Arith::add(d, Arith::mul(momentum, b)) } else { b };
                    narrowed([Arith::sub(p, Arith::mul(lr, d)), b])
                })
            }
            (StepOp::Lamb, [(p, p_l), (m, m_l), (v, v_l)]) => {
                let start = prepared::<T>(&OptimizerStep { weight_decay: 0.0, ..*c });
                let (first, second) = (Running::<A>::new(c.numbers[0]), Running::<A>::new(c.numbers[1]));
                let (eps, root, rate) = (n2, n3, n4);
                // The new parameter before the change, the new means and the change.
                let changed = move |[p, m, v]: [T; 3], g: T| {
                    let old = p.acc();
                    let (p, g) = start(p, g);
                    let (m, v) = (first.mean(m.acc(), g), second.squares(v.acc(), g));
                    let d = Arith::add(Arith::div(Float::sqrt(v), root), eps);
                    let d = Arith::div(Arith::mul(rate, m), d);
                    (p, m, v, if decays { Arith::add(d, Arith::mul(decay, old)) } else { d })
                };
                let operands = [(&**p, *p_l), (&**m, *m_l), (&**v, *v_l), grad];
                let [length, change] = norms::<T, 4>(operands, #[inline(always)] move |[p, m, v, g]| {
                    [p.acc(), changed([p, m, v], g).3]
                })?;
                let ratio = if length > A::ZERO && change > A::ZERO { Arith::div(length, change) } else { A::ONE };
                let rate = Arith::mul(n5, ratio);
                update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, #[inline(always)] move |old, g| {
                    let (p, m, v, d) = changed(old, g);
                    narrowed([Arith::sub(p, Arith::mul(rate, d)), m, v])
                })
            }
            _ => Err(missing(c.op.as_str())),
        }
    })
}
