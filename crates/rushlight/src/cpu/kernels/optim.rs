//! Optimizer steps: one pass over parameter, state and gradient.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use crate::cpu::dispatch;
use crate::cpu::driver::{change, change_rows, update};
use crate::cpu::map::{slice_any, slice1};
use crate::ops::adagrad_step::AdagradStep;
use crate::ops::adam_step::AdamStep;
use crate::ops::clip_value::ClipValue;
use crate::ops::rmsprop_step::RmspropStep;
use crate::ops::sgd_step::SgdStep;
use crate::{CpuStorage, Error, Result};
use num_traits::Float;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

fn missing(op: &'static str) -> Error {
    Error::invalid(op, "an operand is missing")
}

/// A gradient, or its negative where a step goes uphill.
fn signed<A: Float>(g: A, maximize: bool) -> A {
    if maximize { -g } else { g }
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
            [(p, l)] => update::<T, 1, 2>([(p, l)], grad, move |[p], g| {
                let p = p.acc();
                [T::from_acc(Arith::sub(p, Arith::mul(lr, decayed(p, g))))]
            }),
            [(p, l), (buf, buf_l)] => update::<T, 2, 3>([(p, l), (buf, buf_l)], grad, move |[p, b], g| {
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
        let (keep, w1, w2, root, rate) = (A::of(k.keep), A::of(k.w1), A::of(k.w2), A::of(k.root), A::of(k.rate));
        let (beta1, beta2) = (A::of(c.beta1), A::of(c.beta2));
        let (eps, decay) = (A::of(c.eps), A::of(c.weight_decay));
        let (maximize, decays, decoupled) = (c.maximize, c.weight_decay != 0.0, c.decoupled);
        let near = k.w1 < 0.5;
        update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, move |[p, m, v], g| {
            let (mut p, m, v, mut g) = (p.acc(), m.acc(), v.acc(), signed(g.acc(), maximize));
            if decays && decoupled {
                p = Arith::mul(p, keep);
            } else if decays {
                g = Arith::add(g, Arith::mul(decay, p));
            }
            let apart = Arith::sub(g, m);
            let m = if near { Arith::add(m, Arith::mul(w1, apart)) } else { Arith::sub(g, Arith::mul(apart, beta1)) };
            let v = Arith::add(Arith::mul(v, beta2), Arith::mul(Arith::mul(w2, g), g));
            let d = Arith::add(Arith::div(Float::sqrt(v), root), eps);
            let p = Arith::add(p, Arith::div(Arith::mul(rate, m), d));
            [T::from_acc(p), T::from_acc(m), T::from_acc(v)]
        })
    })
}

pub fn rmsprop_step(c: &RmspropStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), "rmsprop_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let (lr, alpha, rest) = (A::of(c.lr), A::of(c.alpha), A::of(1.0 - c.alpha));
        let (eps, decay, momentum) = (A::of(c.eps), A::of(c.weight_decay), A::of(c.momentum));
        let near = 1.0 - c.alpha < 0.5;
        let (maximize, decays) = (c.maximize, c.weight_decay != 0.0);
        let decayed = move |p: A, g: T| {
            let g = signed(g.acc(), maximize);
            if !decays { g } else { Arith::add(g, Arith::mul(decay, p)) }
        };
        let squares = move |s: T, g: A| Arith::add(Arith::mul(s.acc(), alpha), Arith::mul(Arith::mul(rest, g), g));
        let mean = move |m: T, g: A| {
            let (m, apart) = (m.acc(), Arith::sub(g, m.acc()));
            if near { Arith::add(m, Arith::mul(rest, apart)) } else { Arith::sub(g, Arith::mul(apart, alpha)) }
        };
        let root = move |s: A| Arith::add(Float::sqrt(s), eps);
        let variance = |s: A, m: A| Arith::sub(s, Arith::mul(m, m));
        let plain = move |p: A, g: A, d: A| Arith::add(p, Arith::div(Arith::mul(-lr, g), d));
        let heavy = move |b: T, g: A, d: A| Arith::add(Arith::mul(b.acc(), momentum), Arith::div(g, d));
        match targets {
            [(p, p_l), (s, s_l)] => update::<T, 2, 3>([(p, p_l), (s, s_l)], grad, move |[p, s], g| {
                let g = decayed(p.acc(), g);
                let s = squares(s, g);
                [T::from_acc(plain(p.acc(), g, root(s))), T::from_acc(s)]
            }),
            [(p, p_l), (s, s_l), (m, m_l)] if c.centered => {
                update::<T, 3, 4>([(p, p_l), (s, s_l), (m, m_l)], grad, move |[p, s, m], g| {
                    let g = decayed(p.acc(), g);
                    let (s, m) = (squares(s, g), mean(m, g));
                    let p = plain(p.acc(), g, root(variance(s, m)));
                    [T::from_acc(p), T::from_acc(s), T::from_acc(m)]
                })
            }
            [(p, p_l), (s, s_l), (b, b_l)] => {
                update::<T, 3, 4>([(p, p_l), (s, s_l), (b, b_l)], grad, move |[p, s, b], g| {
                    let g = decayed(p.acc(), g);
                    let s = squares(s, g);
                    let b = heavy(b, g, root(s));
                    let p = Arith::sub(p.acc(), Arith::mul(lr, b));
                    [T::from_acc(p), T::from_acc(s), T::from_acc(b)]
                })
            }
            [(p, p_l), (s, s_l), (m, m_l), (b, b_l)] => {
                update::<T, 4, 5>([(p, p_l), (s, s_l), (m, m_l), (b, b_l)], grad, move |[p, s, m, b], g| {
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
        update::<T, 2, 3>([(p, p_l), (sum, sum_l)], grad, move |[p, sum], g| {
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
