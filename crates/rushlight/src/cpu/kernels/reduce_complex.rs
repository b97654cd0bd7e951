//! Sums, means and products of complex numbers, by the tree of [`super::reduce`].
use super::complex::{Part, add, mul};
use super::elementwise::{Dst, Src, dst, src};
use super::reduce::{Plan, Values, reduce_tree};
use super::reduce_tree::{Combine, TreeValue};
use crate::ops::reduce::{Reduce, ReduceOp};
use crate::{Element, Error, Result};
use num_complex::Complex;

/// Reduces complex numbers whose parts are of type `F`. The parts of a mean are divided by the number of elements.
pub(super) fn reduce<F: Part + Element>(
    c: &Reduce,
    name: &'static str,
    p: &Plan,
    x: Src<'_>,
    mut out: Dst<'_>,
) -> Result<()>
where
    Complex<F>: Element + TreeValue,
{
    let (x, out) = (Values::Own(src::<Complex<F>>(x)?.0), dst::<Complex<F>>(&mut out)?.0);
    let real = |re: F| Complex { re, im: F::zero() };
    match c.op {
        ReduceOp::Prod => reduce_tree(p, x, out, &Combine { identity: real(F::one()), combine: mul::<F> }),
        ReduceOp::Sum | ReduceOp::Mean => {
            reduce_tree(p, x, out, &Combine { identity: real(F::zero()), combine: add::<F> })?;
            if c.op == ReduceOp::Mean {
                let n = <F as Element>::from_f64(p.n as f64);
                out.iter_mut().for_each(|o| *o = Complex { re: o.re / n, im: o.im / n });
            }
            Ok(())
        }
        _ => Err(Error::UnsupportedDTypeForOp(<Complex<F> as Element>::DTYPE, name).bt()),
    }
}
