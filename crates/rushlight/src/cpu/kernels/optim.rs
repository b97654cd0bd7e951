//! Optimizer steps: one pass over parameter, state and gradient.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use crate::cpu::dispatch;
use crate::cpu::driver::{change, change_rows, update};
use crate::cpu::map::{slice_any, slice1};
use crate::ops::adagrad_step::AdagradStep;
use crate::ops::adam_step::AdamStep;
use crate::ops::clip_value::ClipValue;
use crate::ops::optimizer_step::{OptimizerStep, StepOp};
use crate::ops::rmsprop_step::RmspropStep;
use crate::ops::sgd_step::SgdStep;
use crate::{CpuStorage, Error, Result};
use num_traits::Float;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

pub(super) fn missing(op: &'static str) -> Error {
    Error::invalid(op, "an operand is missing")
}

/// Rounds each number to the tensors' type. (`array::map` would call a function compiled without the level's instructions.)
#[inline(always)]
pub(super) fn narrowed<T: Num, const N: usize>(values: [T::Acc; N]) -> [T; N] {
    let mut out = [T::default(); N];
    for k in 0..N {
        out[k] = T::from_acc(values[k]);
    }
    out
}

/// A gradient, or its negative where a step goes uphill.
#[inline(always)]
fn signed<A: Float>(g: A, maximize: bool) -> A {
    if maximize { -g } else { g }
}

/// A running mean, of which each value replaces a part.
#[derive(Clone, Copy)]
pub(super) struct Running<A> {
    keep: A,
    rest: A,
    /// Whether the new mean is nearer to the old one than to the value: it is computed from the nearer one.
    near: bool,
}

impl<A: Arith + Float> Running<A> {
    pub(super) fn new(keep: f64) -> Self {
        Self { keep: A::of(keep), rest: A::of(1.0 - keep), near: 1.0 - keep < 0.5 }
    }

    #[inline(always)]
    pub(super) fn mean(self, m: A, g: A) -> A {
        let apart = Arith::sub(g, m);
        if self.near {
            Arith::add(m, Arith::mul(self.rest, apart))
        } else {
            Arith::sub(g, Arith::mul(apart, self.keep))
        }
    }

    #[inline(always)]
    pub(super) fn squares(self, s: A, g: A) -> A {
        Arith::add(Arith::mul(s, self.keep), Arith::mul(Arith::mul(self.rest, g), g))
    }

    /// The sum of both parts.
    #[inline(always)]
    fn mixed(self, m: A, g: A) -> A {
        Arith::add(Arith::mul(m, self.keep), Arith::mul(g, self.rest))
    }
}

pub fn sgd_step(c: &SgdStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), "sgd_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let (lr, momentum, decay) = (A::of(c.lr), A::of(c.momentum), A::of(c.weight_decay));
        let rest = A::of(1.0 - c.dampening);
        let (maximize, decays, first, nesterov) = (c.maximize, c.weight_decay != 0.0, c.first, c.nesterov);
        let decayed = move |p: A, g: T| {
            let g = signed(g.acc(), maximize);
            if !decays { g } else { Arith::add(g, Arith::mul(decay, p)) }
        };
        match targets {
            [(p, l)] => update::<T, 1, 2>([(p, l)], grad, #[inline(always)] move |[p], g| {
                let p = p.acc();
                [T::from_acc(Arith::sub(p, Arith::mul(lr, decayed(p, g))))]
            }),
            [(p, l), (buf, buf_l)] => update::<T, 2, 3>([(p, l), (buf, buf_l)], grad, #[inline(always)] move |[p, b], g| {
                let (p, b) = (p.acc(), b.acc());
                let d = decayed(p, g);
                let b = if first { d } else { Arith::add(Arith::mul(momentum, b), Arith::mul(rest, d)) };
                let d = if nesterov { Arith::add(d, Arith::mul(momentum, b)) } else { b };
                [T::from_acc(Arith::sub(p, Arith::mul(lr, d))), T::from_acc(b)]
            }),
            _ => Err(missing("sgd_step")),
        }
    })
}

pub fn adam_step(c: &AdamStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    let [(p, p_l), (m, m_l), (v, v_l)] = targets else {
        return Err(missing("adam_step"));
    };
    let k = c.constants();
    dispatch!(grad.0.dtype(), "adam_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let (keep, root, rate) = (A::of(k.keep), A::of(k.root), A::of(k.rate));
        let (first, second) = (Running::<A>::new(c.beta1), Running::<A>::new(c.beta2));
        let (eps, decay) = (A::of(c.eps), A::of(c.weight_decay));
        let (maximize, decays, decoupled) = (c.maximize, c.weight_decay != 0.0, c.decoupled);
        update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, #[inline(always)] move |[p, m, v], g| {
            let (mut p, m, v, mut g) = (p.acc(), m.acc(), v.acc(), signed(g.acc(), maximize));
            if decays && decoupled {
                p = Arith::mul(p, keep);
            } else if decays {
                g = Arith::add(g, Arith::mul(decay, p));
            }
            let (m, v) = (first.mean(m, g), second.squares(v, g));
            let d = Arith::add(Arith::div(Float::sqrt(v), root), eps);
            let p = Arith::add(p, Arith::div(Arith::mul(rate, m), d));
            [T::from_acc(p), T::from_acc(m), T::from_acc(v)]
        })
    })
}

pub fn rmsprop_step(c: &RmspropStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), "rmsprop_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let (lr, running) = (A::of(c.lr), Running::<A>::new(c.alpha));
        let (eps, decay, momentum) = (A::of(c.eps), A::of(c.weight_decay), A::of(c.momentum));
        let (maximize, decays) = (c.maximize, c.weight_decay != 0.0);
        let decayed = move |p: A, g: T| {
            let g = signed(g.acc(), maximize);
            if !decays { g } else { Arith::add(g, Arith::mul(decay, p)) }
        };
        let squares = move |s: T, g: A| running.squares(s.acc(), g);
        let mean = move |m: T, g: A| running.mean(m.acc(), g);
        let root = move |s: A| Arith::add(Float::sqrt(s), eps);
        let variance = |s: A, m: A| Arith::sub(s, Arith::mul(m, m));
        let plain = move |p: A, g: A, d: A| Arith::add(p, Arith::div(Arith::mul(-lr, g), d));
        let heavy = move |b: T, g: A, d: A| Arith::add(Arith::mul(b.acc(), momentum), Arith::div(g, d));
        match targets {
            [(p, p_l), (s, s_l)] => update::<T, 2, 3>([(p, p_l), (s, s_l)], grad, #[inline(always)] move |[p, s], g| {
                let g = decayed(p.acc(), g);
                let s = squares(s, g);
                [T::from_acc(plain(p.acc(), g, root(s))), T::from_acc(s)]
            }),
            [(p, p_l), (s, s_l), (m, m_l)] if c.centered => {
                update::<T, 3, 4>([(p, p_l), (s, s_l), (m, m_l)], grad, #[inline(always)] move |[p, s, m], g| {
                    let g = decayed(p.acc(), g);
                    let (s, m) = (squares(s, g), mean(m, g));
                    let p = plain(p.acc(), g, root(variance(s, m)));
                    [T::from_acc(p), T::from_acc(s), T::from_acc(m)]
                })
            }
            [(p, p_l), (s, s_l), (b, b_l)] => {
                update::<T, 3, 4>([(p, p_l), (s, s_l), (b, b_l)], grad, #[inline(always)] move |[p, s, b], g| {
                    let g = decayed(p.acc(), g);
                    let s = squares(s, g);
                    let b = heavy(b, g, root(s));
                    let p = Arith::sub(p.acc(), Arith::mul(lr, b));
                    [T::from_acc(p), T::from_acc(s), T::from_acc(b)]
                })
            }
            [(p, p_l), (s, s_l), (m, m_l), (b, b_l)] => {
                update::<T, 4, 5>([(p, p_l), (s, s_l), (m, m_l), (b, b_l)], grad, #[inline(always)] move |[p, s, m, b], g| {
                    let g = decayed(p.acc(), g);
                    let (s, m) = (squares(s, g), mean(m, g));
                    let b = heavy(b, g, root(variance(s, m)));
                    let p = Arith::sub(p.acc(), Arith::mul(lr, b));
                    [T::from_acc(p), T::from_acc(s), T::from_acc(m), T::from_acc(b)]
                })
            }
            _ => Err(missing("rmsprop_step")),
        }
    })
}

pub fn adagrad_step(c: &AdagradStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    let [(p, p_l), (sum, sum_l)] = targets else {
        return Err(missing("adagrad_step"));
    };
    dispatch!(grad.0.dtype(), "adagrad_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let rate = A::of(-c.lr / (1.0 + (c.step - 1) as f64 * c.lr_decay));
        let (eps, decay) = (A::of(c.eps), A::of(c.weight_decay));
        let (maximize, decays) = (c.maximize, c.weight_decay != 0.0);
        update::<T, 2, 3>([(p, p_l), (sum, sum_l)], grad, #[inline(always)] move |[p, sum], g| {
            let (p, mut g) = (p.acc(), signed(g.acc(), maximize));
            if decays {
                g = Arith::add(g, Arith::mul(decay, p));
            }
            let sum = Arith::add(sum.acc(), Arith::mul(g, g));
            let d = Arith::add(Float::sqrt(sum), eps);
            [T::from_acc(Arith::add(p, Arith::div(Arith::mul(rate, g), d))), T::from_acc(sum)]
        })
    })
}

/// Returns the function that prepares parameter and gradient for a step of the family.
pub(super) fn prepared<T: Num<Acc: Float>>(
    c: &OptimizerStep,
) -> impl Fn(T, T) -> (T::Acc, T::Acc) + Copy + Sync + use<T> {
    let (keep, decay) = (T::Acc::of(c.keep), T::Acc::of(c.weight_decay));
    let (maximize, decays) = (c.maximize, c.weight_decay != 0.0);
    #[inline(always)]
    move |p: T, g: T| {
        let (p, g) = (p.acc(), signed(g.acc(), maximize));
        (Arith::mul(p, keep), if decays { Arith::add(g, Arith::mul(decay, p)) } else { g })
    }
}

pub fn optimizer_step(c: &OptimizerStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), c.op.as_str(), FLOAT => T {
        type A = <T as Num>::Acc;
        let start = prepared::<T>(c);
        let [n0, n1, n2, n3, n4, n5] = c.numbers.map(A::of);
        let (first, second) = (Running::<A>::new(c.numbers[0]), Running::<A>::new(c.numbers[1]));
        let along = |p: A, rate: A, m: A, d: A| Arith::add(p, Arith::div(Arith::mul(rate, m), d));
        match (c.op, targets) {
            (StepOp::Amsgrad, [(p, p_l), (m, m_l), (v, v_l), (top, top_l)]) => {
                let (eps, root, rate) = (n2, n3, n4);
                update::<T, 4, 5>([(p, p_l), (m, m_l), (v, v_l), (top, top_l)], grad, #[inline(always)] move |[p, m, v, top], g| {
                    let (p, g) = start(p, g);
                    let (m, v) = (first.mean(m.acc(), g), second.squares(v.acc(), g));
                    let top = Arith::max(top.acc(), v);
                    let d = Arith::add(Arith::div(Float::sqrt(top), root), eps);
                    narrowed([along(p, rate, m, d), m, v, top])
                })
            }
            (StepOp::Adamax, [(p, p_l), (m, m_l), (top, top_l)]) => {
                let (beta2, eps, rate) = (n1, n2, n3);
                update::<T, 3, 4>([(p, p_l), (m, m_l), (top, top_l)], grad, #[inline(always)] move |[p, m, top], g| {
                    let (p, g) = start(p, g);
                    let m = first.mean(m.acc(), g);
                    let top = Arith::max(Arith::mul(top.acc(), beta2), Arith::add(Arith::abs(g), eps));
                    narrowed([along(p, rate, m, top), m, top])
                })
            }
            (StepOp::Nadam, [(p, p_l), (m, m_l), (v, v_l)]) => {
                let (eps, correction, gradient_rate, mean_rate) = (n2, n3, n4, n5);
                update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, #[inline(always)] move |[p, m, v], g| {
                    let (p, g) = start(p, g);
                    let (m, v) = (first.mean(m.acc(), g), second.squares(v.acc(), g));
                    let d = Arith::add(Float::sqrt(Arith::div(v, correction)), eps);
                    narrowed([along(along(p, gradient_rate, g, d), mean_rate, m, d), m, v])
                })
            }
            (StepOp::Radam, [(p, p_l), (m, m_l), (v, v_l)]) => {
                let (eps, rate, rectified) = (n2, n3, c.numbers[4] != 0.0);
                update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, #[inline(always)] move |[p, m, v], g| {
                    let (p, g) = start(p, g);
                    let (m, v) = (first.mean(m.acc(), g), second.squares(v.acc(), g));
                    let p = if rectified {
                        along(p, rate, m, Arith::add(Float::sqrt(v), eps))
                    } else {
                        Arith::add(p, Arith::mul(rate, m))
                    };
                    narrowed([p, m, v])
                })
            }
            (StepOp::Adadelta, [(p, p_l), (v, v_l), (a, a_l)]) => {
                let (eps, lr) = (n1, n2);
                update::<T, 3, 4>([(p, p_l), (v, v_l), (a, a_l)], grad, #[inline(always)] move |[p, v, a], g| {
                    let (p, g) = start(p, g);
                    let (v, a) = (first.squares(v.acc(), g), a.acc());
                    let ratio = Arith::div(Float::sqrt(Arith::add(a, eps)), Float::sqrt(Arith::add(v, eps)));
                    let d = Arith::mul(ratio, g);
                    narrowed([Arith::sub(p, Arith::mul(lr, d)), v, first.squares(a, d)])
                })
            }
            (StepOp::Rprop, [(p, p_l), (last, last_l), (size, size_l)]) => {
                let (less, more, smallest, largest) = (n0, n1, n2, n3);
                let (zero, one) = (A::of(0.0), A::of(1.0));
                update::<T, 3, 4>([(p, p_l), (last, last_l), (size, size_l)], grad, #[inline(always)] move |[p, last, size], g| {
                    let (p, g) = start(p, g);
                    let agreement = Arith::mul(g, last.acc());
                    let factor = if agreement > zero { more } else if agreement < zero { less } else { one };
                    let size = Arith::min(Arith::max(Arith::mul(size.acc(), factor), smallest), largest);
                    let g = if agreement < zero { zero } else { g };
                    narrowed([Arith::sub(p, Arith::mul(Arith::sign(g), size)), g, size])
                })
            }
            (StepOp::Asgd, [(p, p_l), (mean, mean_l)]) => {
                let (eta, mu, first) = (n0, n1, c.numbers[1] == 1.0);
                update::<T, 2, 3>([(p, p_l), (mean, mean_l)], grad, #[inline(always)] move |[p, mean], g| {
                    let (p, g) = start(p, g);
                    let (p, mean) = (Arith::sub(p, Arith::mul(eta, g)), mean.acc());
                    let mean = if first { p } else { Arith::add(mean, Arith::mul(Arith::sub(p, mean), mu)) };
                    narrowed([p, mean])
                })
            }
            (StepOp::Lion, [(p, p_l), (m, m_l)]) => {
                let lr = n2;
                update::<T, 2, 3>([(p, p_l), (m, m_l)], grad, #[inline(always)] move |[p, m], g| {
                    let ((p, g), m) = (start(p, g), m.acc());
                    let p = Arith::sub(p, Arith::mul(lr, Arith::sign(first.mixed(m, g))));
                    narrowed([p, second.mixed(m, g)])
                })
            }
            _ => Err(missing(c.op.as_str())),
        }
    })
}

pub fn clip_value(c: &ClipValue, grad: Dst<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), "clip_value", FLOAT => T {
        type A = <T as Num>::Acc;
        let (min, max) = (A::of(c.min), A::of(c.max));
        change::<T>(grad, |g| T::from_acc(Arith::min(Arith::max(g.acc(), min), max)))
    })
}

pub fn unscale_and_check_finite(grad: Dst<'_>, found: Dst<'_>, factor: Src<'_>) -> Result<()> {
    let at = factor.1.start_offset();
    let factor = match factor.0 {
        CpuStorage::F32(v) => v.get(at).map(|v| f64::from(*v)),
        CpuStorage::F64(v) => v.get(at).copied(),
        _ => None,
    };
    let factor = factor.ok_or_else(|| missing("unscale_and_check_finite"))?;
    let infinite = AtomicBool::new(false);
    dispatch!(grad.0.dtype(), "unscale_and_check_finite", FLOAT => T {
        type A = <T as Num>::Acc;
        let factor = A::of(factor);
        change_rows(grad, &|old: &[T], new: &mut [T]| {
            if slice_any(old, |g: T| !Float::is_finite(g.acc())) {
                infinite.store(true, Relaxed);
            }
            slice1(old, new, move |g: T| T::from_acc(Arith::mul(g.acc(), factor)));
        })
    })?;
    if !infinite.into_inner() {
        return Ok(());
    }
    dispatch!(found.0.dtype(), "unscale_and_check_finite", FLOAT => T {
        type A = <T as Num>::Acc;
        change::<T>(found, |_| T::from_acc(A::of(1.0)))
    })
}
