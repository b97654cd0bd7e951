//! Candle's functions of vectors, which custom ops written for candle call.
#![allow(unsafe_code)]
use super::kernels::num::Arith;
use super::kernels::reduce_tree::{LANES, fold};
use super::map::{slice1, slice2};
use super::simd_isa::{self, Work};
use crate::dtype::{bf16_from_f32, bf16_to_f32, f16_from_f32, f16_to_f32};
use float8::F8E4M3;
use half::{bf16, f16};

/// The fold of a slice.
struct Fold<'a, T, A, S, J> {
    xs: &'a [T],
    first: A,
    step: S,
    join: J,
}

impl<T: Copy, A: Copy, S: Fn(A, T) -> A, J: Fn(A, A) -> A> Work for Fold<'_, T, A, S, J> {
    type Output = A;
    #[inline(always)]
    fn run(self) -> A {
        let mut lanes = [self.first; LANES];
        let chunks = self.xs.chunks_exact(LANES);
        let rest = chunks.remainder();
        for chunk in chunks {
            for (lane, x) in lanes.iter_mut().zip(chunk) {
                *lane = (self.step)(*lane, *x);
            }
        }
        for (lane, x) in lanes.iter_mut().zip(rest) {
            *lane = (self.step)(*lane, *x);
        }
        fold(lanes, self.join)
    }
}

/// The sum of the products of two slices.
struct Dot<'a, T, F> {
    a: &'a [T],
    b: &'a [T],
    wide: F,
}

impl<T: Copy, A: Arith + Default, F: Fn(T) -> A> Work for Dot<'_, T, F> {
    type Output = A;
    #[inline(always)]
    fn run(self) -> A {
        let mut lanes = [A::default(); LANES];
        let wide = self.wide;
        let ((a, rest_a), (b, rest_b)) = (self.a.as_chunks::<LANES>(), self.b.as_chunks::<LANES>());
        for (a, b) in a.iter().zip(b) {
            // A copy: sums in `lanes` itself become single numbers in registers, not vectors.
            let mut sums = lanes;
            for l in 0..LANES {
                sums[l] = sums[l].add(wide(a[l]).mul(wide(b[l])));
            }
            lanes = sums;
        }
        for ((lane, a), b) in lanes.iter_mut().zip(rest_a).zip(rest_b) {
            *lane = lane.add(wide(*a).mul(wide(*b)));
        }
        fold(lanes, Arith::add)
    }
}

/// Returns the dot product of two slices of one length.
fn dot_f32(a: &[f32], b: &[f32]) -> f32 {
    #[cfg(target_arch = "x86_64")]
    match simd_isa::simd_level() {
        // SAFETY: the processor has the level in use.
        simd_isa::SimdLevel::V4 => return unsafe { dot_f32_v4(a, b) },
        // SAFETY: as above.
        simd_isa::SimdLevel::V3 => return unsafe { dot_f32_v3(a, b) },
        _ => {}
    }
    simd_isa::run(Dot { a, b, wide: std::convert::identity::<f32> })
}

/// Same as [`Dot`], with the lanes in two vectors to the end: the compiler folds the lanes of short slices one by one.
///
/// # Safety
/// The processor has [`simd_isa::SimdLevel::V4`], and the slices have one length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f")]
unsafe fn dot_f32_v4(a: &[f32], b: &[f32]) -> f32 {
    use std::arch::x86_64::*;
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [_mm512_setzero_ps(); LANES / 16];
    for (a, b) in a.iter().zip(b) {
        for (p, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a part has 16 of the chunk's elements.
            let (x, y) =
                unsafe { (_mm512_loadu_ps(a.as_ptr().add(16 * p)), _mm512_loadu_ps(b.as_ptr().add(16 * p))) };
            *sum = _mm512_add_ps(*sum, _mm512_mul_ps(x, y));
        }
    }
    if !rest_a.is_empty() {
        let mut lanes = [0f32; LANES];
        for (p, sum) in sums.iter().enumerate() {
            // SAFETY: a part has 16 of the lanes.
            unsafe { _mm512_storeu_ps(lanes.as_mut_ptr().add(16 * p), *sum) };
        }
        return with_rest(lanes, rest_a, rest_b);
    }
    let all = _mm512_add_ps(sums[0], sums[1]);
    let high = _mm256_castpd_ps(_mm512_extractf64x4_pd::<1>(_mm512_castps_pd(all)));
    // SAFETY: the caller's condition.
    unsafe { fold_eight(_mm256_add_ps(_mm512_castps512_ps256(all), high)) }
}

/// Adds the products of fewer than `LANES` elements to the lanes, and folds them.
fn with_rest(mut lanes: [f32; LANES], a: &[f32], b: &[f32]) -> f32 {
    for ((lane, x), y) in lanes.iter_mut().zip(a).zip(b) {
        *lane += x * y;
    }
    fold(lanes, |x, y| x + y)
}

/// Adds lanes that are 4, 2 and 1 apart, as [`fold`] does in the end.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn fold_eight(eight: std::arch::x86_64::__m256) -> f32 {
    use std::arch::x86_64::*;
    let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    _mm_cvtss_f32(_mm_add_ss(two, _mm_shuffle_ps::<1>(two, two)))
}

/// Same as [`dot_f32_v4`], with four vectors.
///
/// # Safety
/// The processor has [`simd_isa::SimdLevel::V3`], and the slices have one length.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn dot_f32_v3(a: &[f32], b: &[f32]) -> f32 {
    use std::arch::x86_64::*;
    const PARTS: usize = LANES / 8;
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    let mut sums = [_mm256_setzero_ps(); PARTS];
    for (a, b) in a.iter().zip(b) {
        for (p, sum) in sums.iter_mut().enumerate() {
            // SAFETY: a part has 8 of the chunk's elements.
            let (x, y) =
                unsafe { (_mm256_loadu_ps(a.as_ptr().add(8 * p)), _mm256_loadu_ps(b.as_ptr().add(8 * p))) };
            *sum = _mm256_add_ps(*sum, _mm256_mul_ps(x, y));
        }
    }
    if !rest_a.is_empty() {
        let mut lanes = [0f32; LANES];
        for (p, sum) in sums.iter().enumerate() {
            // SAFETY: a part has 8 of the lanes.
            unsafe { _mm256_storeu_ps(lanes.as_mut_ptr().add(8 * p), *sum) };
        }
        return with_rest(lanes, rest_a, rest_b);
    }
    // Lanes that are 16 and 8 apart, as in `fold`.
    let eight = _mm256_add_ps(_mm256_add_ps(sums[0], sums[2]), _mm256_add_ps(sums[1], sums[3]));
    // SAFETY: the caller's condition.
    unsafe { fold_eight(eight) }
}

/// Functions of vectors of numbers. Candle's trait (`candle_core::cpu::kernels::VecOps`): functions of two vectors handle as many
/// elements as the shortest of all slices has.
///
/// Sums and products of f8e4m3, f16 and bf16 are summed in f32 and rounded once.
///
/// ```
/// use rushlight::cpu::VecOps;
/// let mut sum = [0f32; 2];
/// f32::vec_add(&[1., 2.], &[3., 4.], &mut sum);
/// assert_eq!(sum, [4., 6.]);
/// ```
pub trait VecOps: num_traits::NumAssign + Copy {
    /// Returns the smaller number.
    fn min(self, rhs: Self) -> Self;
    /// Returns the larger number.
    fn max(self, rhs: Self) -> Self;

    /// `res = lhs + rhs`
    fn vec_add(lhs: &[Self], rhs: &[Self], res: &mut [Self]) {
        zip(lhs, rhs, res, |a, b| a + b);
    }
    /// `res = lhs * rhs`
    fn vec_mul(lhs: &[Self], rhs: &[Self], res: &mut [Self]) {
        zip(lhs, rhs, res, |a, b| a * b);
    }
    /// `ys = xs * scalar`
    fn scalar_mul(scalar: Self, xs: &[Self], ys: &mut [Self]) {
        let n = xs.len().min(ys.len());
        slice1(&xs[..n], &mut ys[..n], move |x| x * scalar);
    }
    /// `ys = xs + scalar`
    fn scalar_add(scalar: Self, xs: &[Self], ys: &mut [Self]) {
        let n = xs.len().min(ys.len());
        slice1(&xs[..n], &mut ys[..n], move |x| x + scalar);
    }

    /// Writes the dot product.
    ///
    /// # Safety
    /// `lhs` and `rhs` point to `len` elements, and `res` to one.
    unsafe fn vec_dot(lhs: *const Self, rhs: *const Self, res: *mut Self, len: usize);
    /// Writes the sum.
    ///
    /// # Safety
    /// `xs` points to `len` elements, and `res` to one.
    unsafe fn vec_reduce_sum(xs: *const Self, res: *mut Self, len: usize);
    /// Writes the largest element.
    ///
    /// # Safety
    /// `xs` points to `len` elements, at least one, and `res` to one.
    unsafe fn vec_reduce_max(xs: *const Self, res: *mut Self, len: usize) {
        // SAFETY: the caller's condition.
        let (first, xs) = unsafe { (*xs, slice(xs, len)) };
        let most = simd_isa::run(Fold { xs, first, step: Self::max, join: Self::max });
        // SAFETY: the caller's condition.
        unsafe { res.write(most) }
    }
    /// Writes the smallest element.
    ///
    /// # Safety
    /// `xs` points to `len` elements, at least one, and `res` to one.
    unsafe fn vec_reduce_min(xs: *const Self, res: *mut Self, len: usize) {
        // SAFETY: the caller's condition.
        let (first, xs) = unsafe { (*xs, slice(xs, len)) };
        let least = simd_isa::run(Fold { xs, first, step: Self::min, join: Self::min });
        // SAFETY: the caller's condition.
        unsafe { res.write(least) }
    }
}

/// Returns a slice; an empty one needs no memory.
///
/// # Safety
/// The pointer has `len` elements.
unsafe fn slice<'a, T>(p: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller's condition.
    if len == 0 { &[] } else { unsafe { std::slice::from_raw_parts(p, len) } }
}

fn zip<T: Copy>(lhs: &[T], rhs: &[T], res: &mut [T], f: impl Fn(T, T) -> T) {
    let n = lhs.len().min(rhs.len()).min(res.len());
    slice2(&lhs[..n], &rhs[..n], &mut res[..n], f);
}

/// `type, functions of minimum and maximum, type of sums, conversions to that type and from it, dot product`
macro_rules! vec_ops {
    ($($t:ty, $min:path, $max:path, $acc:ty, $wide:expr, $narrow:expr, $dot:expr;)*) => {$(
        impl VecOps for $t {
            #[inline(always)]
            fn min(self, rhs: Self) -> Self {
                $min(self, rhs)
            }
            #[inline(always)]
            fn max(self, rhs: Self) -> Self {
                $max(self, rhs)
            }
            unsafe fn vec_dot(lhs: *const Self, rhs: *const Self, res: *mut Self, len: usize) {
                // SAFETY: the caller's condition.
                let (a, b) = unsafe { (slice(lhs, len), slice(rhs, len)) };
                let sum: $acc = $dot(a, b);
                // SAFETY: the caller's condition.
                unsafe { res.write($narrow(sum)) }
            }
            unsafe fn vec_reduce_sum(xs: *const Self, res: *mut Self, len: usize) {
                // SAFETY: the caller's condition.
                let xs = unsafe { slice(xs, len) };
                let step = |a: $acc, x: $t| a.add($wide(x));
                let sum = simd_isa::run(Fold { xs, first: <$acc>::default(), step, join: Arith::add });
                // SAFETY: the caller's condition.
                unsafe { res.write($narrow(sum)) }
            }
        }
    )*};
}

macro_rules! own_sums {
    ($($t:ty)*) => { vec_ops! {$($t, Ord::min, Ord::max, $t, std::convert::identity, std::convert::identity,
        |a, b| simd_isa::run(Dot::<$t, _> { a, b, wide: std::convert::identity });)*} };
}
own_sums!(u8 i8 u16 i16 u32 i32 u64 i64);
vec_ops! {
    f32, f32::min, f32::max, f32, std::convert::identity, std::convert::identity, dot_f32;
    f64, f64::min, f64::max, f64, std::convert::identity, std::convert::identity,
        |a, b| simd_isa::run(Dot { a, b, wide: std::convert::identity::<f64> });
    f16, f16::min, f16::max, f32, f16_to_f32, f16_from_f32, |a, b| simd_isa::run(Dot { a, b, wide: f16_to_f32 });
    bf16, bf16::min, bf16::max, f32, bf16_to_f32, bf16_from_f32, |a, b| simd_isa::run(Dot { a, b, wide: bf16_to_f32 });
    F8E4M3, F8E4M3::min, F8E4M3::max, f32, |v: F8E4M3| v.to_f32(), F8E4M3::from_f32,
        |a, b| simd_isa::run(Dot { a, b, wide: |v: F8E4M3| v.to_f32() });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot<T: VecOps>(a: &[T], b: &[T]) -> T {
        let mut out = T::zero();
        // SAFETY: both slices have that many elements.
        unsafe { T::vec_dot(a.as_ptr(), b.as_ptr(), &mut out, a.len()) };
        out
    }

    fn reduced<T: VecOps>(f: unsafe fn(*const T, *mut T, usize), xs: &[T]) -> T {
        let mut out = T::zero();
        // SAFETY: the slice has that many elements.
        unsafe { f(xs.as_ptr(), &mut out, xs.len()) };
        out
    }

    /// Whole numbers, whose sums are exact, of lengths around those of the loops.
    #[test]
    fn reductions_of_every_length() {
        for n in [0usize, 1, 2, 31, 32, 33, 64, 95, 200] {
            let xs: Vec<f32> = (0..n).map(|i| (i * 7 % 11) as f32 - 5.0).collect();
            let ints: Vec<i32> = xs.iter().map(|x| *x as i32).collect();
            let wide: Vec<f64> = xs.iter().map(|x| f64::from(*x)).collect();
            let half: Vec<bf16> = xs.iter().map(|x| bf16::from_f32(*x)).collect();
            let sum: i32 = ints.iter().sum();
            let squares: i32 = ints.iter().map(|x| x * x).sum();
            assert_eq!((reduced(f32::vec_reduce_sum, &xs), dot(&xs, &xs)), (sum as f32, squares as f32));
            assert_eq!((reduced(i32::vec_reduce_sum, &ints), dot(&ints, &ints)), (sum, squares));
            assert_eq!(dot(&wide, &wide), f64::from(squares));
            assert_eq!(dot(&half, &half), bf16::from_f32(squares as f32));
            if let (Some(least), Some(most)) = (ints.iter().min(), ints.iter().max()) {
                assert_eq!(reduced(f32::vec_reduce_max, &xs), *most as f32);
                assert_eq!(reduced(i32::vec_reduce_min, &ints), *least);
            }
        }
    }

    /// The product of f32 with vectors has the bits of the plain loop, and of `fold`'s order.
    #[test]
    fn dot_of_f32_has_the_same_bits_on_every_level() {
        let numbers = |seed: u32| {
            let next =
                move |i: u32| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 8) as f32 / 1e3 - 8e3;
            (0..300).map(next).collect::<Vec<f32>>()
        };
        let (a, b) = (numbers(1), numbers(77));
        for n in (0..100).chain([128, 256, 257, 300]) {
            let (a, b) = (&a[..n], &b[..n]);
            let plain = Work::run(Dot { a, b, wide: std::convert::identity::<f32> });
            assert_eq!(dot_f32(a, b).to_bits(), plain.to_bits(), "{n} elements");
            #[cfg(target_arch = "x86_64")]
            if simd_isa::simd_level() >= simd_isa::SimdLevel::V3 {
                // SAFETY: the processor has the level in use.
                assert_eq!(unsafe { dot_f32_v3(a, b) }.to_bits(), plain.to_bits(), "{n} elements, AVX2");
            }
        }
    }

    #[test]
    fn maps_handle_the_shortest_length() {
        let (mut out, mut short) = ([0f64; 3], [0f64; 1]);
        f64::vec_mul(&[1., 2., 3., 4.], &[5., 6.], &mut out);
        f64::scalar_add(0.5, &[1., 2.], &mut short);
        assert_eq!((out, short), ([5., 12., 0.], [1.5]));
        f64::scalar_mul(2., &[1., 2.], &mut out);
        assert_eq!(out, [2., 4., 0.]);
    }
}
