//! Conversions between f16 and f32 with the instructions of F16C, whose bits are those of the plain functions, and dot products
//! of f32 with f16 and bf16.
#![allow(unsafe_code)]
use super::kernels::reduce_tree::LANES;
use super::simd_isa::{SimdLevel, highest_simd_level, simd_level};
use crate::dtype::{f16_from_f32, f16_to_f32};
use half::{bf16, f16};

/// A dtype of 16 bits whose elements are widened to f32 where they are multiplied.
pub trait Half: Sized {
    /// Returns the dot product of slices of one length, added by `fma` in f32, or `None` if the processor has no instructions for
    /// it. As for matrix products, the level in use does not matter.
    fn dot(w: &[Self], x: &[f32]) -> Option<f32>;
}

macro_rules! half {
    ($($t:ty, $is_bf16:literal);*) => {$(
        impl Half for $t {
            #[cfg(target_arch = "x86_64")]
            fn dot(w: &[Self], x: &[f32]) -> Option<f32> {
                // SAFETY: the processor has the instructions.
                (highest_simd_level() >= SimdLevel::V3).then(|| unsafe { f16c::dot::<$is_bf16>(bytes(w), x) })
            }
            #[cfg(not(target_arch = "x86_64"))]
            fn dot(_: &[Self], _: &[f32]) -> Option<f32> {
                None
            }
        }
    )*};
}
half!(f16, false; bf16, true);

/// Widens elements of slices of one length, exactly.
pub fn widen(from: &[f16], to: &mut [f32]) {
    widen_bytes(bytes(from), bytes_mut(to));
}

/// Rounds elements of slices of one length to the nearest f16, ties to even.
pub fn round(from: &[f32], to: &mut [f16]) {
    round_bytes(bytes(from), bytes_mut(to));
}

/// Same as [`widen`], for elements in native byte order.
pub fn widen_bytes(from: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    match simd_level() {
        // SAFETY: the level is set only if the processor has its instructions.
        SimdLevel::V4 => return unsafe { f16c::widen_16(from, to) },
        // SAFETY: as above.
        SimdLevel::V3 => return unsafe { f16c::widen(from, to) },
        SimdLevel::Base => {}
    }
    widen_each(from, to);
}

/// Same as [`round`], for elements in native byte order.
pub fn round_bytes(from: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    match simd_level() {
        // SAFETY: as in `widen_bytes`.
        SimdLevel::V4 => return unsafe { f16c::round_16(from, to) },
        // SAFETY: as in `widen_bytes`.
        SimdLevel::V3 => return unsafe { f16c::round(from, to) },
        SimdLevel::Base => {}
    }
    round_each(from, to);
}

/// Returns whether the processor adds f16 by [`lanes`] and [`add_rows`], with the instructions in use.
pub fn adds() -> bool {
    simd_level() >= SimdLevel::V3
}

/// Adds at most a chunk of elements in f32 into the lanes of the tree of sums: element i to lane i mod 32.
pub fn lanes(v: &[f16]) -> [f32; LANES] {
    let mut sums = [0.0; LANES];
    add_rows(&mut sums, v, v.len() / LANES, LANES);
    add_each(&mut sums, v.as_chunks::<LANES>().1);
    sums
}

/// Adds `n` rows, `step` elements apart, one after the other in f32 to `sums`, which has their width.
pub fn add_rows(sums: &mut [f32], rows: &[f16], n: usize, step: usize) {
    let (blocks, rest) = sums.as_chunks_mut::<LANES>();
    let at = blocks.len() * LANES;
    for (i, sums) in blocks.iter_mut().enumerate() {
        let rows = &rows[i * LANES..];
        #[cfg(target_arch = "x86_64")]
        if adds() {
            // SAFETY: as in `widen_bytes`.
            unsafe { f16c::add_rows(sums, rows, n, step) };
            continue;
        }
        (0..n).for_each(|i| add_each(sums, &rows[i * step..]));
    }
    if !rest.is_empty() {
        (0..n).for_each(|i| add_each(rest, &rows[i * step + at..]));
    }
}

/// Adds elements to sums in f32.
fn add_each(sums: &mut [f32], row: &[f16]) {
    sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += f16_to_f32(*v));
}

fn widen_each(from: &[u8], to: &mut [u8]) {
    for (from, to) in from.as_chunks::<2>().0.iter().zip(to.as_chunks_mut::<4>().0) {
        *to = f16_to_f32(f16::from_ne_bytes(*from)).to_ne_bytes();
    }
}

fn round_each(from: &[u8], to: &mut [u8]) {
    for (from, to) in from.as_chunks::<4>().0.iter().zip(to.as_chunks_mut::<2>().0) {
        *to = f16_from_f32(f32::from_ne_bytes(*from)).to_ne_bytes();
    }
}

/// A type whose values are all bits of its size.
trait Plain {}
impl Plain for f16 {}
impl Plain for bf16 {}
impl Plain for f32 {}

fn bytes<T: Plain>(v: &[T]) -> &[u8] {
    // SAFETY: the elements have no padding.
    unsafe { std::slice::from_raw_parts(v.as_ptr().cast(), size_of_val(v)) }
}

fn bytes_mut<T: Plain>(v: &mut [T]) -> &mut [u8] {
    // SAFETY: as in `bytes`, and all bits are values.
    unsafe { std::slice::from_raw_parts_mut(v.as_mut_ptr().cast(), size_of_val(v)) }
}

#[cfg(target_arch = "x86_64")]
mod f16c {
    use super::{LANES, f16, round_each, widen_each};
    use std::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_add_ps, _mm256_castsi256_ps,
        _mm256_cvtepu16_epi32, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_fmadd_ps, _mm256_loadu_ps,
        _mm256_loadu_si256, _mm256_setzero_ps, _mm256_slli_epi32, _mm256_storeu_ps, _mm256_storeu_si256,
        _mm512_cvtph_ps, _mm512_cvtps_ph, _mm512_loadu_ps, _mm512_storeu_ps,
    };

    /// Returns the dot product of f16, or bf16, and f32.
    ///
    /// # Safety
    /// The processor has AVX2, F16C and FMA.
    #[target_feature(enable = "avx2,f16c,fma")]
    pub(super) unsafe fn dot<const BF16: bool>(w: &[u8], x: &[f32]) -> f32 {
        /// Vectors of 8 sums: enough that no sum waits for its previous one.
        const SUMS: usize = 8;
        let mut sums = [_mm256_setzero_ps(); SUMS];
        let ((w, w_rest), (x, x_rest)) = (w.as_chunks::<16>(), x.as_chunks::<8>());
        let mut add = |i: usize, w: &[u8; 16], x: &[f32; 8]| {
            // SAFETY: each array has the size of the vector that is read; no alignment is needed.
            unsafe {
                let w = _mm_loadu_si128(w.as_ptr().cast());
                let w = match BF16 {
                    true => _mm256_castsi256_ps(_mm256_slli_epi32::<16>(_mm256_cvtepu16_epi32(w))),
                    false => _mm256_cvtph_ps(w),
                };
                sums[i] = _mm256_fmadd_ps(w, _mm256_loadu_ps(x.as_ptr()), sums[i]);
            }
        };
        let ((w, w_last), (x, x_last)) = (w.as_chunks::<SUMS>(), x.as_chunks::<SUMS>());
        for (w, x) in w.iter().zip(x) {
            for i in 0..SUMS {
                add(i, &w[i], &x[i]);
            }
        }
        for (i, (w, x)) in w_last.iter().zip(x_last).enumerate() {
            add(i, w, x);
        }
        if !x_rest.is_empty() {
            let (mut w, mut x) = ([0; 16], [0.0; 8]);
            w[..w_rest.len()].copy_from_slice(w_rest);
            x[..x_rest.len()].copy_from_slice(x_rest);
            add(SUMS - 1, &w, &x);
        }
        let mut all = [0.0; 8 * SUMS];
        for (sums, to) in sums.iter().zip(all.as_chunks_mut::<8>().0) {
            // SAFETY: the array has the size of the vector that is written.
            unsafe { _mm256_storeu_ps(to.as_mut_ptr(), *sums) };
        }
        let mut half = all.len() / 2;
        while half > 0 {
            for i in 0..half {
                all[i] += all[i + half];
            }
            half /= 2;
        }
        all[0]
    }

    /// Adds `n` rows, `step` elements apart, to sums that stay in registers.
    ///
    /// # Safety
    /// The processor has F16C and AVX.
    #[target_feature(enable = "avx,f16c")]
    pub(super) unsafe fn add_rows(sums: &mut [f32; LANES], rows: &[f16], n: usize, step: usize) {
        let mut all = [_mm256_setzero_ps(); LANES / 8];
        for (v, sums) in all.iter_mut().zip(sums.as_chunks::<8>().0) {
            // SAFETY: each array has the size of the vector that is read or written, here and below; no alignment is needed.
            *v = unsafe { _mm256_loadu_ps(sums.as_ptr()) };
        }
        for i in 0..n {
            let row = &rows[i * step..][..LANES];
            for (v, row) in all.iter_mut().zip(row.as_chunks::<8>().0) {
                // SAFETY: as above.
                *v = _mm256_add_ps(*v, _mm256_cvtph_ps(unsafe { _mm_loadu_si128(row.as_ptr().cast()) }));
            }
        }
        for (v, sums) in all.iter().zip(sums.as_chunks_mut::<8>().0) {
            // SAFETY: as above.
            unsafe { _mm256_storeu_ps(sums.as_mut_ptr(), *v) };
        }
    }

    /// # Safety
    /// The processor has F16C and AVX.
    #[target_feature(enable = "avx,f16c")]
    pub(super) unsafe fn widen(from: &[u8], to: &mut [u8]) {
        let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<16>(), to.as_chunks_mut::<32>());
        for (from, to) in from.iter().zip(to) {
            // SAFETY: each array has the size of the vector that is read or written; no alignment is needed.
            unsafe {
                let v = _mm256_cvtph_ps(_mm_loadu_si128(from.as_ptr().cast()));
                _mm256_storeu_ps(to.as_mut_ptr().cast(), v);
            }
        }
        widen_each(from_rest, to_rest);
    }

    /// # Safety
    /// The processor has F16C and AVX.
    #[target_feature(enable = "avx,f16c")]
    pub(super) unsafe fn round(from: &[u8], to: &mut [u8]) {
        let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<32>(), to.as_chunks_mut::<16>());
        for (from, to) in from.iter().zip(to) {
            // SAFETY: as in `widen`.
            unsafe {
                let v = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(from.as_ptr().cast()));
                _mm_storeu_si128(to.as_mut_ptr().cast(), v);
            }
        }
        round_each(from_rest, to_rest);
    }

    /// Same as [`widen`], 16 elements at a time.
    ///
    /// # Safety
    /// The processor has [`super::SimdLevel::V4`].
    #[target_feature(enable = "avx512f,f16c")]
    pub(super) unsafe fn widen_16(from: &[u8], to: &mut [u8]) {
        let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<32>(), to.as_chunks_mut::<64>());
        for (from, to) in from.iter().zip(to) {
            // SAFETY: as in `widen`.
            unsafe {
                let v = _mm512_cvtph_ps(_mm256_loadu_si256(from.as_ptr().cast()));
                _mm512_storeu_ps(to.as_mut_ptr().cast(), v);
            }
        }
        // SAFETY: the level has the instructions of those below.
        unsafe { widen(from_rest, to_rest) };
    }

    /// Same as [`round`], 16 elements at a time.
    ///
    /// # Safety
    /// The processor has [`super::SimdLevel::V4`].
    #[target_feature(enable = "avx512f,f16c")]
    pub(super) unsafe fn round_16(from: &[u8], to: &mut [u8]) {
        let ((from, from_rest), (to, to_rest)) = (from.as_chunks::<64>(), to.as_chunks_mut::<32>());
        for (from, to) in from.iter().zip(to) {
            // SAFETY: as in `widen`.
            unsafe {
                let v = _mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm512_loadu_ps(from.as_ptr().cast()));
                _mm256_storeu_si256(to.as_mut_ptr().cast(), v);
            }
        }
        // SAFETY: as in `widen_16`.
        unsafe { round(from_rest, to_rest) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All numbers are whole and small, so that they are exact.
    #[test]
    fn dot_products_are_those_of_plain_loops() {
        for n in (0..70).chain([128, 1000, 1029]) {
            let w: Vec<f32> = (0..n).map(|i| ((i * 7) % 23) as f32 - 11.0).collect();
            let x: Vec<f32> = (0..n).map(|i| ((i * 5) % 19) as f32 - 9.0).collect();
            let expected = w.iter().zip(&x).map(|(w, x)| w * x).sum::<f32>();
            let halves: Vec<f16> = w.iter().map(|w| f16::from_f32(*w)).collect();
            let brains: Vec<bf16> = w.iter().map(|w| bf16::from_f32(*w)).collect();
            let has = cfg!(target_arch = "x86_64") && highest_simd_level() >= SimdLevel::V3;
            assert_eq!(f16::dot(&halves, &x), has.then_some(expected), "{n}");
            assert_eq!(bf16::dot(&brains, &x), has.then_some(expected), "{n}");
        }
    }

    #[test]
    fn sums_have_the_bits_of_the_plain_functions() {
        for (n, step, width) in [(0, 40, 40), (1, 32, 32), (7, 100, 97), (33, 70, 31), (32, 64, 64)] {
            let rows: Vec<f16> =
                (0..n * step + width).map(|i| f16::from_f32((i * 37 % 101) as f32 * 0.37)).collect();
            let mut sums: Vec<f32> = (0..width).map(|i| i as f32 / 3.0).collect();
            let mut expected = sums.clone();
            add_rows(&mut sums, &rows, n, step);
            (0..n).for_each(|i| add_each(&mut expected, &rows[i * step..]));
            assert_eq!(sums, expected, "{n} {step} {width}");
            let mut expected = [0f32; LANES];
            rows.iter().enumerate().for_each(|(i, v)| expected[i % LANES] += v.to_f32());
            assert_eq!(lanes(&rows), expected, "{n} {step} {width}");
        }
    }

    /// Every f16, and f32 numbers of all exponents about and between the f16 numbers, signaling NaNs among them.
    #[test]
    fn conversions_have_the_bits_of_the_plain_functions() {
        let halves: Vec<f16> = (0..=u16::MAX).map(f16::from_bits).collect();
        let mut wide = vec![0f32; halves.len()];
        widen(&halves, &mut wide);
        for (h, w) in halves.iter().zip(&wide) {
            assert_eq!(w.to_bits(), f16_to_f32(*h).to_bits(), "{:x}", h.to_bits());
        }
        let about = wide
            .iter()
            .flat_map(|w| (0..5).map(|d| w.to_bits().wrapping_add(d * 0xfff).wrapping_sub(0x1001)));
        let floats: Vec<f32> = about.chain((0..=u32::MAX).step_by(9973)).map(f32::from_bits).collect();
        let mut narrow = vec![f16::ZERO; floats.len()];
        round(&floats, &mut narrow);
        for (f, n) in floats.iter().zip(&narrow) {
            assert_eq!(n.to_bits(), f16_from_f32(*f).to_bits(), "{:x}", f.to_bits());
        }
    }
}
