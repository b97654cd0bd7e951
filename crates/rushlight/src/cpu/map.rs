//! Elementwise loops over the rows of a walk, compiled for each SIMD level, and f32 loops for f16 and bf16.
//!
//! Closures should own the numbers that they use (`move`): a number behind a reference could overlap the output, so that it is
//! read for each element, and not in vectors. A function of elements must be small, or `#[inline(always)]` with all that it calls (a [`F32Function`] can be): a call
//! that is left in a loop keeps it from being vectorized.
use super::driver::{Dst, Sink, Source, Src, rows1, rows2, rows3};
use super::kernels::num::{Arith, Num};
use super::map_half::{Tables, rows_of_one, rows_of_two};
use super::simd_isa::{self, Work};
use crate::{DType, Element, Result};
use half::{bf16, f16};

/// A row of `out = f(a)`.
struct Row1<'a, A, R, F> {
    a: &'a [A],
    out: &'a mut [R],
    f: F,
}

impl<A: Copy, R, F: Fn(A) -> R> Work for Row1<'_, A, R, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let a = &self.a[..self.out.len()];
        for (out, a) in self.out.iter_mut().zip(a) {
            *out = (self.f)(*a);
        }
    }
}

/// A row of `out = f(a, b)`.
struct Row2<'a, A, B, R, F> {
    a: &'a [A],
    b: &'a [B],
    out: &'a mut [R],
    f: F,
}

impl<A: Copy, B: Copy, R, F: Fn(A, B) -> R> Work for Row2<'_, A, B, R, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let (a, b) = (&self.a[..self.out.len()], &self.b[..self.out.len()]);
        for i in 0..a.len() {
            self.out[i] = (self.f)(a[i], b[i]);
        }
    }
}

/// A row of `out = f(a, b)` with one element of `b`.
struct RowScalar<'a, A, B, R, F> {
    a: &'a [A],
    b: B,
    out: &'a mut [R],
    f: F,
}

impl<A: Copy, B: Copy, R, F: Fn(A, B) -> R> Work for RowScalar<'_, A, B, R, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let a = &self.a[..self.out.len()];
        for (out, a) in self.out.iter_mut().zip(a) {
            *out = (self.f)(*a, self.b);
        }
    }
}

/// A row of `out = f(a, b, c)`.
struct Row3<'a, A, B, C, R, F> {
    a: &'a [A],
    b: &'a [B],
    c: &'a [C],
    out: &'a mut [R],
    f: F,
}

impl<A: Copy, B: Copy, C: Copy, R, F: Fn(A, B, C) -> R> Work for Row3<'_, A, B, C, R, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.out.len();
        let (a, b, c) = (&self.a[..n], &self.b[..n], &self.c[..n]);
        for i in 0..n {
            self.out[i] = (self.f)(a[i], b[i], c[i]);
        }
    }
}

/// Computes `out = f(a)` for the elements of slices of one length.
pub fn slice1<A: Copy, R>(a: &[A], out: &mut [R], f: impl Fn(A) -> R) {
    simd_isa::run(Row1 { a, out, f });
}

/// Computes `out = f(a, b)` for the elements of slices of one length.
pub fn slice2<A: Copy, B: Copy, R>(a: &[A], b: &[B], out: &mut [R], f: impl Fn(A, B) -> R) {
    simd_isa::run(Row2 { a, b, out, f });
}

/// Computes `out = f(a, b, c)` for the elements of slices of one length.
pub fn slice3<A: Copy, B: Copy, C: Copy, R>(
    a: &[A],
    b: &[B],
    c: &[C],
    out: &mut [R],
    f: impl Fn(A, B, C) -> R,
) {
    simd_isa::run(Row3 { a, b, c, out, f });
}

/// Changes the elements of a slice: `a = f(a)`.
pub fn slice_change<A: Copy>(a: &mut [A], f: impl Fn(A) -> A) {
    simd_isa::run(Change { a, f });
}

/// A change of a slice.
struct Change<'a, A, F> {
    a: &'a mut [A],
    f: F,
}

impl<A: Copy, F: Fn(A) -> A> Work for Change<'_, A, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for a in self.a {
            *a = (self.f)(*a);
        }
    }
}

/// Changes the elements of a slice by those of another: `a = f(a, b)`. A rest of the longer slice is left out.
pub fn slice_combine<A: Copy, B: Copy>(a: &mut [A], b: &[B], f: impl Fn(A, B) -> A) {
    simd_isa::run(Combine { a, b, f });
}

/// A change of a slice by another.
struct Combine<'a, A, B, F> {
    a: &'a mut [A],
    b: &'a [B],
    f: F,
}

impl<A: Copy, B: Copy, F: Fn(A, B) -> A> Work for Combine<'_, A, B, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.a.len().min(self.b.len());
        let (a, b) = (&mut self.a[..n], &self.b[..n]);
        for i in 0..n {
            a[i] = (self.f)(a[i], b[i]);
        }
    }
}

/// Adds the two numbers that `f` computes from the elements of two slices to those of two others, all of one length.
pub fn slice_add_pairs<A: Arith>(sums: [&mut [A]; 2], a: &[A], b: &[A], f: impl Fn(A, A) -> [A; 2]) {
    simd_isa::run(AddPairs { sums, a, b, f });
}

/// The arguments of [`slice_add_pairs`].
struct AddPairs<'a, A, F> {
    sums: [&'a mut [A]; 2],
    a: &'a [A],
    b: &'a [A],
    f: F,
}

impl<A: Arith, F: Fn(A, A) -> [A; 2]> Work for AddPairs<'_, A, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.a.len();
        let [first, second] = self.sums;
        let (first, second, a, b) = (&mut first[..n], &mut second[..n], &self.a[..n], &self.b[..n]);
        for i in 0..n {
            let [x, y] = (self.f)(a[i], b[i]);
            first[i] = first[i].add(x);
            second[i] = second[i].add(y);
        }
    }
}

/// Same as [`slice_add_pairs`] for two pairs of slices, one after the other: sums are read and written once.
pub fn slice_add_two_pairs<A: Arith, F: Fn(A, A) -> [A; 2]>(
    sums: [&mut [A]; 2],
    pairs: [[&[A]; 2]; 2],
    f: [F; 2],
) {
    simd_isa::run(AddTwoPairs { sums, pairs, f });
}

/// The arguments of [`slice_add_two_pairs`].
struct AddTwoPairs<'a, A, F> {
    sums: [&'a mut [A]; 2],
    pairs: [[&'a [A]; 2]; 2],
    f: [F; 2],
}

impl<A: Arith, F: Fn(A, A) -> [A; 2]> Work for AddTwoPairs<'_, A, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let ([first, second], [[a, b], [c, d]], [f, g]) = (self.sums, self.pairs, self.f);
        let n = a.len();
        let (first, second) = (&mut first[..n], &mut second[..n]);
        let (b, c, d) = (&b[..n], &c[..n], &d[..n]);
        for i in 0..n {
            let ([x, y], [z, w]) = (f(a[i], b[i]), g(c[i], d[i]));
            first[i] = first[i].add(x).add(z);
            second[i] = second[i].add(y).add(w);
        }
    }
}

/// A search of a slice.
struct Any<'a, A, F> {
    a: &'a [A],
    f: F,
}

impl<A: Copy, F: Fn(A) -> bool> Work for Any<'_, A, F> {
    type Output = bool;
    #[inline(always)]
    fn run(self) -> bool {
        // (Without an early end, so that it vectorizes.)
        let mut any = false;
        for a in self.a {
            any |= (self.f)(*a);
        }
        any
    }
}

/// Returns whether `f` holds for an element of a short slice.
pub fn slice_any<A: Copy>(a: &[A], f: impl Fn(A) -> bool) -> bool {
    simd_isa::run_small(Any { a, f })
}

/// Computes `out = f(a)`, elementwise.
pub fn map1<'a, A: Copy, R>(
    a: impl Source<'a, A>,
    out: impl Sink<'a, R>,
    f: impl Fn(A) -> R + Copy + Sync,
) -> Result<()> {
    rows1(a, out, &|a: &[A], out: &mut [R]| simd_isa::run_small(Row1 { a, out, f }))
}

/// Same as [`map1`], also with AVX-512: for functions that cost more than loading and storing.
pub fn map1_costly<'a, A: Copy, R>(
    a: impl Source<'a, A>,
    out: impl Sink<'a, R>,
    f: impl Fn(A) -> R + Copy + Sync,
) -> Result<()> {
    rows1(a, out, &|a: &[A], out: &mut [R]| simd_isa::run(Row1 { a, out, f }))
}

/// Computes `out = f(a, b)`, elementwise.
pub fn map2<'a, A: Copy, B: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B) -> R + Copy + Sync,
) -> Result<()> {
    rows2(
        a,
        b,
        out,
        &|a: &[A], b: &[B], out: &mut [R]| simd_isa::run_small(Row2 { a, b, out, f }),
        &|a: &[A], b: B, out: &mut [R]| simd_isa::run_small(RowScalar { a, b, out, f }),
    )
}

/// Same as [`map2`], also with AVX-512: for functions that cost more than loading and storing.
pub fn map2_costly<'a, A: Copy, B: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B) -> R + Copy + Sync,
) -> Result<()> {
    rows2(
        a,
        b,
        out,
        &|a: &[A], b: &[B], out: &mut [R]| simd_isa::run(Row2 { a, b, out, f }),
        &|a: &[A], b: B, out: &mut [R]| simd_isa::run(RowScalar { a, b, out, f }),
    )
}

/// Computes `out = f(a, b, c)`, elementwise.
pub fn map3<'a, A: Copy, B: Copy, C: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    c: impl Source<'a, C>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B, C) -> R + Copy + Sync,
) -> Result<()> {
    rows3(a, b, c, out, &|a: &[A], b: &[B], c: &[C], out: &mut [R]| {
        simd_isa::run_small(Row3 { a, b, c, out, f });
    })
}

/// Same as [`map3`], also with AVX-512.
pub fn map3_costly<'a, A: Copy, B: Copy, C: Copy, R>(
    a: impl Source<'a, A>,
    b: impl Source<'a, B>,
    c: impl Source<'a, C>,
    out: impl Sink<'a, R>,
    f: impl Fn(A, B, C) -> R + Copy + Sync,
) -> Result<()> {
    rows3(a, b, c, out, &|a: &[A], b: &[B], c: &[C], out: &mut [R]| {
        simd_isa::run(Row3 { a, b, c, out, f });
    })
}

/// Computes `out = f(a)` for bf16 elements, in f32. (A separate loop, for functions that cost less than widening
/// blocks.)
pub fn map1_bf16(a: Src<'_>, out: Dst<'_>, f: impl Fn(f32) -> f32 + Copy + Sync) -> Result<()> {
    let f = move |v: bf16| bf16::from_acc(f(v.acc()));
    rows1(a, out, &|a: &[bf16], out: &mut [bf16]| simd_isa::run(Row1 { a, out, f }))
}

/// Same as [`map1_bf16`], for two inputs.
pub fn map2_bf16(
    a: Src<'_>,
    b: Src<'_>,
    out: Dst<'_>,
    f: impl Fn(f32, f32) -> f32 + Copy + Sync,
) -> Result<()> {
    let f = move |v: bf16, w: bf16| bf16::from_acc(f(v.acc(), w.acc()));
    rows2(
        a,
        b,
        out,
        &|a: &[bf16], b: &[bf16], out: &mut [bf16]| simd_isa::run(Row2 { a, b, out, f }),
        &|a: &[bf16], b: bf16, out: &mut [bf16]| simd_isa::run(RowScalar { a, b, out, f }),
    )
}

/// Number of elements after which a [`FunctionRow`] computes far arguments.
const BLOCK: usize = 256;

/// A function of f32 elements: a closure, or a type whose `of` is `#[inline(always)]`, which a closure cannot be.
pub trait F32Function: Copy + Sync {
    /// Larger arguments take `far`, which need not vectorize.
    const FAR: f32 = f32::INFINITY;
    /// Returns the function's value.
    fn of(&self, v: f32) -> f32;
    /// Same as `of`, for arguments whose magnitude is larger than `FAR`.
    fn far(&self, v: f32) -> f32 {
        self.of(v)
    }
    /// The tables of the results for f16 and bf16 numbers, for functions without parameters.
    fn tables(&self) -> Option<&'static Tables> {
        None
    }
}

impl<F: Fn(f32) -> f32 + Copy + Sync> F32Function for F {
    #[inline(always)]
    fn of(&self, v: f32) -> f32 {
        self(v)
    }
}

/// A row of an [`F32Function`].
struct F32Row<'a, F> {
    a: &'a [f32],
    out: &'a mut [f32],
    f: F,
}

impl<F: F32Function> Work for F32Row<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let a = &self.a[..self.out.len()];
        let mut far = false;
        for (out, a) in self.out.iter_mut().zip(a) {
            *out = self.f.of(*a);
            far |= a.abs() > F::FAR;
        }
        if far {
            let all = self.out.iter_mut().zip(a).filter(|(_, a)| a.abs() > F::FAR);
            all.for_each(|(out, a)| *out = self.f.far(*a));
        }
    }
}

/// A function of an element, or of several, that is computed in another way where a fast one does not hold. `near` and `is_near`
/// must be `#[inline(always)]`.
pub trait Function<X>: Copy + Sync {
    /// The result.
    type Value;
    /// Returns whether `near` gives the value.
    fn is_near(&self, x: X) -> bool;
    /// Returns the value, or anything where `is_near` is false.
    fn near(&self, x: X) -> Self::Value;
    /// Returns the value for other arguments; this need not vectorize.
    fn far(&self, x: X) -> Self::Value;
}

/// A row of a [`Function`], whose arguments `at` returns.
struct FunctionRow<'a, I, R, F> {
    at: I,
    out: &'a mut [R],
    f: F,
}

impl<X: Copy, I: Fn(usize) -> X, F: Function<X>> Work for FunctionRow<'_, I, F::Value, F> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let n = self.out.len();
        // (In blocks, as far arguments may be rare.)
        for first in (0..n).step_by(BLOCK) {
            let block = first..n.min(first + BLOCK);
            let mut far = false;
            for i in block.clone() {
                let x = (self.at)(i);
                self.out[i] = self.f.near(x);
                far |= !self.f.is_near(x);
            }
            if far {
                for i in block {
                    let x = (self.at)(i);
                    if !self.f.is_near(x) {
                        self.out[i] = self.f.far(x);
                    }
                }
            }
        }
    }
}

/// Computes `out = f(a)` for f64 elements.
pub fn map1_function(a: Src<'_>, out: Dst<'_>, f: impl Function<f64, Value = f64>) -> Result<()> {
    rows1(a, out, &|a: &[f64], out: &mut [f64]| {
        let a = &a[..out.len()];
        simd_isa::run(FunctionRow { at: |i| a[i], out, f });
    })
}

/// A [`Function`] of two elements as a row kernel.
struct Pairs<F>(F);

impl<F> Pairs<F> {
    fn row<A: Copy>(&self, a: &[A], b: &[A], out: &mut [A])
    where
        F: Function<(A, A), Value = A>,
    {
        let (a, b) = (&a[..out.len()], &b[..out.len()]);
        simd_isa::run(FunctionRow { at: |i| (a[i], b[i]), out, f: self.0 });
    }
    fn row_scalar<A: Copy>(&self, a: &[A], b: A, out: &mut [A])
    where
        F: Function<(A, A), Value = A>,
    {
        let a = &a[..out.len()];
        simd_isa::run(FunctionRow { at: |i| (a[i], b), out, f: self.0 });
    }
}

impl<F: Function<(f32, f32), Value = f32>> F32Row2 for Pairs<F> {
    fn run(&self, a: &[f32], b: &[f32], out: &mut [f32]) {
        self.row(a, b, out);
    }
    fn run_scalar(&self, a: &[f32], b: f32, out: &mut [f32]) {
        self.row_scalar(a, b, out);
    }
}

/// Computes `out = f(a, b)`, elementwise, for float elements: in f64 for f64, else in f32.
pub fn map2_function<F>(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: F) -> Result<()>
where
    F: Function<(f32, f32), Value = f32> + Function<(f64, f64), Value = f64>,
{
    if a.0.dtype() == DType::F64 { map2_own::<f64>(a, b, out, f) } else { any_rows2(a, b, out, &Pairs(f)) }
}

/// Computes `out = f(a, b)`, elementwise, for elements of one type.
pub fn map2_own<A: Element>(
    a: Src<'_>,
    b: Src<'_>,
    out: Dst<'_>,
    f: impl Function<(A, A), Value = A>,
) -> Result<()> {
    let f = Pairs(f);
    rows2(a, b, out, &|a: &[A], b: &[A], out: &mut [A]| f.row(a, b, out), &|a: &[A], b: A, out: &mut [A]| {
        f.row_scalar(a, b, out)
    })
}

/// A row kernel in f32 with one input. (A trait and not a `dyn Fn`, see `driver::Row`.)
pub(super) trait F32Row1: Sync {
    fn run(&self, a: &[f32], out: &mut [f32]);
    /// The tables of the results of the function for f16 and bf16 numbers, if it has some.
    fn tables(&self) -> Option<&'static Tables>;
}

/// A row kernel in f32 with two inputs.
pub(super) trait F32Row2: Sync {
    fn run(&self, a: &[f32], b: &[f32], out: &mut [f32]);
    /// Runs with one element of the second input.
    fn run_scalar(&self, a: &[f32], b: f32, out: &mut [f32]);
}

/// A function of elements as a row kernel.
struct Each<F>(F);

impl<F: F32Function> F32Row1 for Each<F> {
    fn run(&self, a: &[f32], out: &mut [f32]) {
        simd_isa::run(F32Row { a, out, f: self.0 });
    }
    fn tables(&self) -> Option<&'static Tables> {
        self.0.tables()
    }
}

impl<F: Fn(f32, f32) -> f32 + Copy + Sync> F32Row2 for Each<F> {
    fn run(&self, a: &[f32], b: &[f32], out: &mut [f32]) {
        simd_isa::run(Row2 { a, b, out, f: self.0 });
    }
    fn run_scalar(&self, a: &[f32], b: f32, out: &mut [f32]) {
        simd_isa::run(RowScalar { a, b, out, f: self.0 });
    }
}

/// Computes `out = f(a)`, elementwise and in f32, for f32, f16 or bf16 elements. f16 and bf16 are widened before it and
/// rounded after it.
pub fn map1_f32(a: Src<'_>, out: Dst<'_>, f: impl F32Function) -> Result<()> {
    any_rows1(a, out, &Each(f))
}

fn any_rows1(a: Src<'_>, out: Dst<'_>, f: &dyn F32Row1) -> Result<()> {
    match a.0.dtype() {
        DType::F16 => rows_of_one::<f16>(a, out, f),
        DType::BF16 => rows_of_one::<bf16>(a, out, f),
        _ => rows1(a, out, &|a: &[f32], o: &mut [f32]| f.run(a, o)),
    }
}

/// Computes `out = f(a, b)`, elementwise and in f32, for f32, f16 or bf16 elements.
pub fn map2_f32(
    a: Src<'_>,
    b: Src<'_>,
    out: Dst<'_>,
    f: impl Fn(f32, f32) -> f32 + Copy + Sync,
) -> Result<()> {
    any_rows2(a, b, out, &Each(f))
}

fn any_rows2(a: Src<'_>, b: Src<'_>, out: Dst<'_>, f: &dyn F32Row2) -> Result<()> {
    match a.0.dtype() {
        DType::F16 => rows_of_two::<f16>(a, b, out, f),
        DType::BF16 => rows_of_two::<bf16>(a, b, out, f),
        _ => rows2(
            a,
            b,
            out,
            &|a: &[f32], b: &[f32], o: &mut [f32]| f.run(a, b, o),
            &|a: &[f32], b: f32, o: &mut [f32]| f.run_scalar(a, b, o),
        ),
    }
}
