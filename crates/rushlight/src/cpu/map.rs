//! Elementwise loops over the rows of a walk, and f32 loops for f16 and bf16.
use super::driver::{Dst, Sink, Source, Src, rows1, rows2, rows3};
use super::kernels::num::Num;
use crate::{DType, Result};
use half::{bf16, f16};

/// Computes `out = f(a)`, elementwise.
pub fn map1<'a, A: Copy, R>(
    a: impl Source<'a, A>,
    out: impl Sink<'a, R>,
    f: impl Fn(A) -> R + Sync,
) -> Result<()> {
    rows1(a, out, &|a: &[A], o: &mut [R]| o.iter_mut().zip(a).for_each(|(o, a)| *o = f(*a)))
}

/// Computes `out = f(a, b)`, elementwise.
pub fn map2<'a, A: Copy, B: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B) -> R + Sync,
) -> Result<()> {
    rows2(
        a,
        b,
        out,
        &|a: &[A], b: &[B], o: &mut [R]| o.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o = f(*a, *b)),
        &|a: &[A], b: B, o: &mut [R]| o.iter_mut().zip(a).for_each(|(o, a)| *o = f(*a, b)),
    )
}

/// Computes `out = f(a, b, c)`, elementwise.
pub fn map3<'a, A: Copy, B: Copy, C: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    c: impl Source<'a, C>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B, C) -> R + Sync,
) -> Result<()> {
    rows3(a, b, c, out, &|a: &[A], b: &[B], c: &[C], o: &mut [R]| {
        o.iter_mut().zip(a).zip(b).zip(c).for_each(|(((o, a), b), c)| *o = f(*a, *b, *c));
    })
}

/// Computes `out = f(a)` for bf16 elements, in f32. (A separate loop, for functions that cost less than widening
/// blocks.)
pub fn map1_bf16(a: Src<'_>, out: Dst<'_>, f: impl Fn(f32) -> f32 + Sync) -> Result<()> {
    map1(a, out, |v: bf16| bf16::from_acc(f(v.acc())))
}

/// Same as [`map1_bf16`], for two inputs.
pub fn map2_bf16(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: impl Fn(f32, f32) -> f32 + Sync) -> Result<()> {
    map2(a, b, out, |v: bf16, w: bf16| bf16::from_acc(f(v.acc(), w.acc())))
}

/// Number of elements that are widened at a time.
const WIDENED: usize = 64;

/// A row kernel in f32 with one input. (A trait and not a `dyn Fn`, see `driver::Row`.)
trait F32Row1: Sync {
    fn run(&self, a: &[f32], out: &mut [f32]);
}

impl<F: Fn(&[f32], &mut [f32]) + Sync> F32Row1 for F {
    fn run(&self, a: &[f32], out: &mut [f32]) {
        self(a, out);
    }
}

/// A row kernel in f32 with two inputs.
trait F32Row2: Sync {
    fn run(&self, a: &[f32], b: &[f32], out: &mut [f32]);
    /// Runs with one element of the second input.
    fn run_scalar(&self, a: &[f32], b: f32, out: &mut [f32]);
}

/// A function of two numbers as a row kernel.
struct Each<F>(F);

impl<F: Fn(f32, f32) -> f32 + Sync> F32Row2 for Each<F> {
    fn run(&self, a: &[f32], b: &[f32], out: &mut [f32]) {
        out.iter_mut().zip(a).zip(b).for_each(|((o, a), b)| *o = (self.0)(*a, *b));
    }
    fn run_scalar(&self, a: &[f32], b: f32, out: &mut [f32]) {
        out.iter_mut().zip(a).for_each(|(o, a)| *o = (self.0)(*a, b));
    }
}

/// Runs a kernel in f32 over f32, f16 or bf16 elements. f16 and bf16 are widened before it and rounded after it.
pub fn f32_rows1(a: Src<'_>, out: Dst<'_>, f: &(impl Fn(&[f32], &mut [f32]) + Sync)) -> Result<()> {
    any_rows1(a, out, f)
}

fn any_rows1(a: Src<'_>, out: Dst<'_>, f: &dyn F32Row1) -> Result<()> {
    match a.0.dtype() {
        DType::F16 => narrow_rows1::<f16>(a, out, f),
        DType::BF16 => narrow_rows1::<bf16>(a, out, f),
        _ => rows1(a, out, &|a: &[f32], o: &mut [f32]| f.run(a, o)),
    }
}

fn narrow_rows1<T: Num<Acc = f32>>(a: Src<'_>, out: Dst<'_>, f: &dyn F32Row1) -> Result<()> {
    rows1(a, out, &|a: &[T], o: &mut [T]| {
        let (mut x, mut y) = ([0f32; WIDENED], [0f32; WIDENED]);
        for (a, o) in a.chunks(WIDENED).zip(o.chunks_mut(WIDENED)) {
            let (x, y) = (&mut x[..a.len()], &mut y[..a.len()]);
            T::widen(a, x);
            f.run(x, y);
            T::round_all(y, o);
        }
    })
}

/// Computes `out = f(a, b)`, elementwise and in f32, for f32, f16 or bf16 elements.
pub fn map2_f32(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: impl Fn(f32, f32) -> f32 + Sync) -> Result<()> {
    any_rows2(a, b, out, &Each(f))
}

fn any_rows2(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: &dyn F32Row2) -> Result<()> {
    match a.0.dtype() {
        DType::F16 => narrow_rows2::<f16>(a, b, out, f),
        DType::BF16 => narrow_rows2::<bf16>(a, b, out, f),
        _ => rows2(
            a,
            b,
            out,
            &|a: &[f32], b: &[f32], o: &mut [f32]| f.run(a, b, o),
            &|a: &[f32], b: f32, o: &mut [f32]| f.run_scalar(a, b, o),
        ),
    }
}

fn narrow_rows2<T: Num<Acc = f32>>(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: &dyn F32Row2) -> Result<()> {
    rows2(
        a,
        b,
        out,
        &|a: &[T], b: &[T], o: &mut [T]| {
            let (mut x, mut y, mut z) = ([0f32; WIDENED], [0f32; WIDENED], [0f32; WIDENED]);
            for ((a, b), o) in a.chunks(WIDENED).zip(b.chunks(WIDENED)).zip(o.chunks_mut(WIDENED)) {
                let (x, y, z) = (&mut x[..a.len()], &mut y[..a.len()], &mut z[..a.len()]);
                T::widen(a, x);
                T::widen(b, y);
                f.run(x, y, z);
                T::round_all(z, o);
            }
        },
        &|a: &[T], b: T, o: &mut [T]| {
            let (mut x, mut z) = ([0f32; WIDENED], [0f32; WIDENED]);
            for (a, o) in a.chunks(WIDENED).zip(o.chunks_mut(WIDENED)) {
                let (x, z) = (&mut x[..a.len()], &mut z[..a.len()]);
                T::widen(a, x);
                f.run_scalar(x, b.acc(), z);
                T::round_all(z, o);
            }
        },
    )
}
