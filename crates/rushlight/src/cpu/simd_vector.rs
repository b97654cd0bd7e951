//! Vectors of elements with the instructions of each SIMD level, for loops whose sums must stay in registers.
#![allow(unsafe_code)]
use super::kernels::num::Arith;

/// A vector of elements. Its functions may be called if the processor has its instructions, and pointers have its elements.
#[allow(clippy::missing_safety_doc)]
pub(super) trait Vector: Copy {
    type Element: Copy;
    const LANES: usize;
    unsafe fn zero() -> Self;
    unsafe fn splat(v: Self::Element) -> Self;
    unsafe fn load(p: *const Self::Element) -> Self;
    /// Loads the first `n` elements, and zeros.
    unsafe fn load_some(p: *const Self::Element, n: usize) -> Self;
    unsafe fn store(self, p: *mut Self::Element);
    /// Adds two elements.
    fn plus(a: Self::Element, b: Self::Element) -> Self::Element;
    /// Returns `a * b + self`.
    unsafe fn plus_product(self, a: Self, b: Self) -> Self;
}

macro_rules! vector {
    ($($vector:ty, $element:ty, $lanes:literal, $zero:ident, $splat:ident, $load:ident, $store:ident,
        |$s:ident, $a:ident, $b:ident| $product:expr, |$p:ident, $n:ident| $some:expr);*) => {$(
        impl Vector for $vector {
            type Element = $element;
            const LANES: usize = $lanes;
            #[inline(always)]
            unsafe fn zero() -> Self {
                // SAFETY: the caller's condition, as below.
                unsafe { $zero() }
            }
            #[inline(always)]
            fn plus(a: $element, b: $element) -> $element {
                Arith::add(a, b)
            }
            #[inline(always)]
            unsafe fn splat(v: $element) -> Self {
                // SAFETY: the caller's condition, as below.
                unsafe { $splat(v) }
            }
            #[inline(always)]
            unsafe fn load(p: *const $element) -> Self {
                // SAFETY: as above.
                unsafe { $load(p.cast()) }
            }
            #[inline(always)]
            unsafe fn load_some(p: *const $element, n: usize) -> Self {
                let $n = n;
                let $p = p;
                // SAFETY: as above.
                unsafe { $some }
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $element) {
                // SAFETY: as above.
                unsafe { $store(p.cast(), self) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, $a: Self, $b: Self) -> Self {
                let $s = self;
                // SAFETY: as above.
                unsafe { $product }
            }
        }
    )*};
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Arith, Vector};
    use std::arch::x86_64::*;

    /// Returns a mask of the first `n < 8` elements of 32 bits.
    #[inline(always)]
    unsafe fn mask32(n: usize) -> __m256i {
        const MASKS: [[i32; 8]; 2] = [[-1; 8], [0; 8]];
        // SAFETY: the vector lies inside the array, as `n` is at most 8.
        unsafe { _mm256_loadu_si256(MASKS.as_ptr().cast::<i32>().add(8 - n).cast()) }
    }

    /// Returns a mask of the first `n < 4` elements of 64 bits.
    #[inline(always)]
    unsafe fn mask64(n: usize) -> __m256i {
        // SAFETY: as for `mask32`.
        unsafe { mask32(2 * n) }
    }

    vector!(
        __m256, f32, 8, _mm256_setzero_ps, _mm256_set1_ps, _mm256_loadu_ps, _mm256_storeu_ps, |s, a, b| _mm256_fmadd_ps(a, b, s),
            |p, n| _mm256_maskload_ps(p, mask32(n));
        __m256d, f64, 4, _mm256_setzero_pd, _mm256_set1_pd, _mm256_loadu_pd, _mm256_storeu_pd, |s, a, b| _mm256_fmadd_pd(a, b, s),
            |p, n| _mm256_maskload_pd(p, mask64(n));
        __m256i, i32, 8, _mm256_setzero_si256, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256,
            |s, a, b| _mm256_add_epi32(s, _mm256_mullo_epi32(a, b)),
            |p, n| _mm256_maskload_epi32(p, mask32(n));
        __m512, f32, 16, _mm512_setzero_ps, _mm512_set1_ps, _mm512_loadu_ps, _mm512_storeu_ps, |s, a, b| _mm512_fmadd_ps(a, b, s),
            |p, n| _mm512_maskz_loadu_ps((1u16 << n).wrapping_sub(1), p);
        __m512d, f64, 8, _mm512_setzero_pd, _mm512_set1_pd, _mm512_loadu_pd, _mm512_storeu_pd, |s, a, b| _mm512_fmadd_pd(a, b, s),
            |p, n| _mm512_maskz_loadu_pd((1u8 << n).wrapping_sub(1), p);
        __m512i, i32, 16, _mm512_setzero_si512, _mm512_set1_epi32, _mm512_loadu_si512, _mm512_storeu_si512,
            |s, a, b| _mm512_add_epi32(s, _mm512_mullo_epi32(a, b)),
            |p, n| _mm512_maskz_loadu_epi32((1u16 << n).wrapping_sub(1), p)
    );
}

/// Lanes of a vector without instructions of a level.
pub(super) const PLAIN: usize = 4;

/// A vector of plain code.
#[derive(Clone, Copy)]
pub(super) struct Plain<T>([T; PLAIN]);

macro_rules! plain {
    ($($t:ty, |$s:ident, $a:ident, $b:ident| $product:expr);*) => {$(
        impl Vector for Plain<$t> {
            type Element = $t;
            const LANES: usize = PLAIN;
            #[inline(always)]
            unsafe fn zero() -> Self {
                Self([<$t>::default(); PLAIN])
            }
            #[inline(always)]
            fn plus(a: $t, b: $t) -> $t {
                Arith::add(a, b)
            }
            #[inline(always)]
            unsafe fn splat(v: $t) -> Self {
                Self([v; PLAIN])
            }
            #[inline(always)]
            unsafe fn load(p: *const $t) -> Self {
                // SAFETY: the caller's condition.
                Self(unsafe { p.cast::<[$t; PLAIN]>().read_unaligned() })
            }
            #[inline(always)]
            unsafe fn load_some(p: *const $t, n: usize) -> Self {
                // SAFETY: the caller's condition.
                Self(std::array::from_fn(|i| if i < n { unsafe { *p.add(i) } } else { <$t>::default() }))
            }
            #[inline(always)]
            unsafe fn store(self, p: *mut $t) {
                // SAFETY: the caller's condition.
                unsafe { p.cast::<[$t; PLAIN]>().write_unaligned(self.0) }
            }
            #[inline(always)]
            unsafe fn plus_product(self, x: Self, y: Self) -> Self {
                Self(std::array::from_fn(|i| {
                    let ($s, $a, $b) = (self.0[i], x.0[i], y.0[i]);
                    $product
                }))
            }
        }
    )*};
}
plain!(
    f32, |s, a, b| s + a * b;
    f64, |s, a, b| s + a * b;
    i32, |s, a, b| s.wrapping_add(a.wrapping_mul(b))
);
