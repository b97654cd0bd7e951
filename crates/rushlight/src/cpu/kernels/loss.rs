//! Classification losses and their gradients.
use super::elementwise::{Dst, Src, dst};
use super::num::{Arith, Num};
use super::reduce_tree::sum;
use super::softmax::{exponents, row_major};
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::elementary::Elementary;
use crate::cpu::map::slice1;
use crate::cpu::{dispatch, scratch};
use crate::ops::loss::{ClassLoss, Reduction, class_dim};
use crate::{Element, Error, Layout, Result};

/// The converted value of a target that is ignored.
const IGNORED: i64 = -1;

/// Returns the targets, row-major; each is a class or [`IGNORED`].
fn targets(op: &'static str, t: Src<'_>, classes: usize, ignore: i64) -> Result<Vec<i64>> {
    dispatch!(t.0.dtype(), op, INDEX => T {
        let data = super::elementwise::src::<T>(t)?.0;
        let ids = t.1.strided_index().map(|i| match data[i].to_i128() {
            Some(v) if v == ignore as i128 => Ok(IGNORED),
            Some(v) if v >= 0 && v < classes as i128 => Ok(v as i64),
            v => {
                let index = v.unwrap_or_default() as i64;
                Err(Error::InvalidIndex { op, index, size: classes }.bt())
            }
        });
        scratch::collected(t.1.shape().elem_count(), ids)
    })
}

/// Scores of shape `[outer, classes, inner]`. Target p belongs to `(p / inner, .., p % inner)`.
struct Scores<'a, T> {
    x: &'a [T],
    classes: usize,
    inner: usize,
}

impl<'a, T: Num> Scores<'a, T> {
    fn new(x: &'a [T], l: &Layout) -> Self {
        let dim = class_dim(l.dims().len());
        Self { x, classes: l.dims()[dim], inner: l.dims()[dim + 1..].iter().product() }
    }

    /// Index of the first score of target p; its scores are `inner` elements apart.
    fn start(&self, p: usize) -> usize {
        (p / self.inner) * self.classes * self.inner + p % self.inner
    }

    /// Returns the scores of target p: themselves, or copied to `room`.
    fn line<'b>(&'b self, p: usize, room: &'b mut [T::Acc]) -> &'b [T::Acc] {
        let start = self.start(p);
        if self.inner == 1 {
            return T::widened(&self.x[start..][..self.classes], room);
        }
        for (c, v) in room.iter_mut().enumerate() {
            *v = self.x[start + c * self.inner].acc();
        }
        room
    }
}

/// Returns the divisor of a mean: the number or the weight of the targets that are not ignored.
fn divisor<A: Arith>(ids: &[i64], w: Option<&[A]>) -> A {
    let weights: Vec<A> = match w {
        None => return A::of(ids.iter().filter(|t| **t != IGNORED).count() as f64),
        Some(w) => ids.iter().map(|&t| if t == IGNORED { A::ZERO } else { w[t as usize] }).collect(),
    };
    sum(&weights)
}

/// Reduces the losses of the targets into `out`.
fn reduce<T: Num>(c: &ClassLoss, ids: &[i64], w: Option<&[T::Acc]>, losses: &[T::Acc], out: &mut [T]) {
    if c.reduction == Reduction::None {
        out.iter_mut().zip(losses).for_each(|(o, l)| *o = T::from_acc(*l));
        return;
    }
    let total = sum(losses);
    out[0] = T::from_acc(match c.reduction {
        Reduction::Sum | Reduction::None => total,
        Reduction::Mean => total.div(divisor(ids, w)),
        Reduction::ByteMean => {
            let d = divisor(ids, w);
            if d == T::Acc::ZERO { d } else { total.div(d) }
        }
    });
}

/// Returns the class weights in the accumulation type.
fn weights<T: Num>(w: Option<Src<'_>>) -> Result<Option<Vec<T::Acc>>> {
    w.map(|w| {
        let mut hold = None;
        let w = row_major::<T>(w, &mut hold)?;
        scratch::collected(w.len(), w.iter().map(|v| Ok(v.acc())))
    })
    .transpose()
}

pub fn nll_loss(c: &ClassLoss, x: Src<'_>, t: Src<'_>, w: Option<Src<'_>>, mut out: Dst<'_>) -> Result<()> {
    dispatch!(x.0.dtype(), "nll_loss", FLOAT => T {
        let mut hold = None;
        let s = Scores::new(row_major::<T>(x, &mut hold)?, x.1);
        let ids = targets("nll_loss", t, s.classes, c.ignore_index)?;
        let w = weights::<T>(w)?;
        let w = w.as_deref();
        let losses: Vec<<T as Num>::Acc> = ids
            .iter()
            .enumerate()
            .map(|(p, &t)| {
                if t == IGNORED {
                    return Arith::ZERO;
                }
                let v = Arith::neg(s.x[s.start(p) + t as usize * s.inner].acc());
                w.map_or(v, |w| Arith::mul(v, w[t as usize]))
            })
            .collect();
        reduce(c, &ids, w, &losses, dst::<T>(&mut out)?.0);
        Ok(())
    })
}

pub fn cross_entropy(
    c: &ClassLoss,
    x: Src<'_>,
    t: Src<'_>,
    w: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    dispatch!(x.0.dtype(), "cross_entropy", FLOAT => T {
        type A = <T as Num>::Acc;
        let mut hold = None;
        let s = Scores::new(row_major::<T>(x, &mut hold)?, x.1);
        let ids = targets("cross_entropy", t, s.classes, c.ignore_index)?;
        let w = weights::<T>(w)?;
        let w = w.as_deref();
        let smooth = c.label_smoothing;
        let mut losses = scratch::filled(ids.len(), A::ZERO)?;
        let per = per_task(ids.len(), 8 * s.classes);
        try_chunks(&mut losses, per, &|task, part| {
            let mut line = scratch::filled(s.classes, A::ZERO)?;
            let mut e = scratch::filled(s.classes, A::ZERO)?;
            for (i, loss) in part.iter_mut().enumerate() {
                let p = task * per + i;
                if ids[p] == IGNORED {
                    continue;
                }
                let t = ids[p] as usize;
                let x = s.line(p, &mut line);
                let (m, total) = exponents(x, &mut e);
                let log = Elementary::ln(total);
                let nll = |c: usize| {
                    let v = Arith::neg(Arith::sub(Arith::sub(x[c], m), log));
                    w.map_or(v, |w| Arith::mul(v, w[c]))
                };
                *loss = nll(t);
                if smooth != 0.0 {
                    e.iter_mut().enumerate().for_each(|(c, v)| *v = nll(c));
                    let even = Arith::mul(sum(&e), Arith::of(smooth / s.classes as f64));
                    *loss = Arith::add(Arith::mul(*loss, Arith::of(1.0 - smooth)), even);
                }
            }
            Ok(())
        })?;
        reduce(c, &ids, w, &losses, dst::<T>(&mut out)?.0);
        Ok(())
    })
}

/// Returns the gradient of each target's loss: the output's gradient, divided by the divisor for means.
fn coefficients<T: Num>(c: &ClassLoss, g: &[T], ids: &[i64], w: Option<&[T::Acc]>) -> Result<Vec<T::Acc>> {
    match c.reduction {
        Reduction::None => scratch::collected(g.len(), g.iter().map(|v| Ok(v.acc()))),
        Reduction::Sum => scratch::filled(ids.len(), g[0].acc()),
        Reduction::Mean | Reduction::ByteMean => {
            let d = divisor(ids, w);
            let none = c.reduction == Reduction::ByteMean && d == T::Acc::ZERO;
            scratch::filled(ids.len(), if none { d } else { g[0].acc().div(d) })
        }
    }
}

pub fn nll_loss_backward(
    c: &ClassLoss,
    g: Src<'_>,
    x: &Layout,
    t: Src<'_>,
    w: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    dispatch!(g.0.dtype(), "nll_loss_backward", FLOAT => T {
        let mut hold = None;
        let s = Scores::<T>::new(&[], x);
        let ids = targets("nll_loss_backward", t, s.classes, c.ignore_index)?;
        let w = weights::<T>(w)?;
        let w = w.as_deref();
        let k = coefficients(c, row_major::<T>(g, &mut hold)?, &ids, w)?;
        let out = dst::<T>(&mut out)?.0;
        out.fill(T::default());
        for (p, &t) in ids.iter().enumerate() {
            if t != IGNORED {
                let v = Arith::neg(k[p]);
                let v = w.map_or(v, |w| Arith::mul(v, w[t as usize]));
                out[s.start(p) + t as usize * s.inner] = T::from_acc(v);
            }
        }
        Ok(())
    })
}

pub fn cross_entropy_backward(
    c: &ClassLoss,
    g: Src<'_>,
    x: Src<'_>,
    t: Src<'_>,
    w: Option<Src<'_>>,
    mut out: Dst<'_>,
) -> Result<()> {
    dispatch!(x.0.dtype(), "cross_entropy_backward", FLOAT => T {
        type A = <T as Num>::Acc;
        let (mut hold_x, mut hold_g) = (None, None);
        let s = Scores::new(row_major::<T>(x, &mut hold_x)?, x.1);
        let ids = targets("cross_entropy_backward", t, s.classes, c.ignore_index)?;
        let w = weights::<T>(w)?;
        let w = w.as_deref();
        let k = coefficients(c, row_major::<T>(g, &mut hold_g)?, &ids, w)?;
        let block = s.classes * s.inner;
        let out = dst::<T>(&mut out)?.0;
        if block == 0 {
            return Ok(());
        }
        let rest: A = Arith::of(1.0 - c.label_smoothing);
        let all = w.map_or(A::of(s.classes as f64), sum);
        let even: A = Arith::of(c.label_smoothing / s.classes as f64);
        let per = per_task(out.len() / block, 8 * block);
        try_chunks(out, per * block, &|task, part| {
            let mut line = scratch::filled(s.classes, A::ZERO)?;
            let mut e = scratch::filled(s.classes, A::ZERO)?;
            for (i, out) in part.chunks_mut(block).enumerate() {
                for col in 0..s.inner {
                    let p = (task * per + i) * s.inner + col;
                    if ids[p] == IGNORED {
                        out.iter_mut().skip(col).step_by(s.inner).for_each(|o| *o = T::default());
                        continue;
                    }
                    let t = ids[p] as usize;
                    let (_, total) = exponents(s.line(p, &mut line), &mut e);
                    let k = k[p];
                    if s.inner == 1 && w.is_none() && c.label_smoothing == 0.0 {
                        slice1(&e, out, move |e| T::from_acc(Arith::mul(Arith::div(e, total), k)));
                        out[t] = T::from_acc(Arith::mul(Arith::sub(Arith::div(e[t], total), Arith::ONE), k));
                        continue;
                    }
                    let elements = out.iter_mut().skip(col).step_by(s.inner);
                    for (class, (o, e)) in elements.zip(&e).enumerate() {
                        let q = Arith::div(*e, total);
                        let mut v = if class == t { Arith::sub(q, Arith::ONE) } else { q };
                        if let Some(w) = w {
                            v = Arith::mul(v, w[t]);
                        }
                        if c.label_smoothing != 0.0 {
                            let u = w.map_or(Arith::ONE, |w| w[class]);
                            v = Arith::add(Arith::mul(v, rest), Arith::mul(Arith::sub(Arith::mul(q, all), u), even));
                        }
                        *o = T::from_acc(Arith::mul(v, k));
                    }
                }
            }
            Ok(())
        })
    })
}
