//! Optimizer steps: one pass over parameter, state and gradient.
use super::elementwise::{Dst, Src};
use super::num::{Arith, Num};
use crate::cpu::dispatch;
use crate::cpu::driver::update;
use crate::ops::adam_step::AdamStep;
use crate::ops::sgd_step::SgdStep;
use crate::{Error, Result};
use num_traits::Float;

fn missing(op: &'static str) -> Error {
    Error::invalid(op, "an operand is missing")
}

pub fn sgd_step(c: &SgdStep, targets: &mut [Dst<'_>], grad: Src<'_>) -> Result<()> {
    dispatch!(grad.0.dtype(), "sgd_step", FLOAT => T {
        type A = <T as Num>::Acc;
        let (lr, momentum, decay) = (A::of(c.lr), A::of(c.momentum), A::of(c.weight_decay));
        let rest = A::of(1.0 - c.dampening);
        let decayed = |p: A, g: T| {
            let g = g.acc();
            if c.weight_decay == 0.0 { g } else { Arith::add(g, Arith::mul(decay, p)) }
        };
        match targets {
            [(p, l)] => update::<T, 1, 2>([(p, l)], grad, |[p], g| {
                let p = p.acc();
                [T::from_acc(Arith::sub(p, Arith::mul(lr, decayed(p, g))))]
            }),
            [(p, l), (buf, buf_l)] => update::<T, 2, 3>([(p, l), (buf, buf_l)], grad, |[p, b], g| {
                let (p, b) = (p.acc(), b.acc());
                let d = decayed(p, g);
                let b = if c.first { d } else { Arith::add(Arith::mul(momentum, b), Arith::mul(rest, d)) };
                let d = if c.nesterov { Arith::add(d, Arith::mul(momentum, b)) } else { b };
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
        let decays = c.weight_decay != 0.0;
        let near = k.w1 < 0.5;
        update::<T, 3, 4>([(p, p_l), (m, m_l), (v, v_l)], grad, |[p, m, v], g| {
            let (mut p, m, v, mut g) = (p.acc(), m.acc(), v.acc(), g.acc());
            if decays && c.decoupled {
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
