//! Conversions between f16 and f32 with the instructions of F16C, whose bits are those of the plain functions.
#![allow(unsafe_code)]
use super::simd_isa::{SimdLevel, simd_level};
use crate::dtype::{f16_from_f32, f16_to_f32};
use half::f16;

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
    if simd_level() >= SimdLevel::V3 {
        // SAFETY: the level is set only if the processor has its instructions.
        return unsafe { f16c::widen(from, to) };
    }
    widen_each(from, to);
}

/// Same as [`round`], for elements in native byte order.
pub fn round_bytes(from: &[u8], to: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if simd_level() >= SimdLevel::V3 {
        // SAFETY: as in `widen_bytes`.
        return unsafe { f16c::round(from, to) };
    }
    round_each(from, to);
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
    use super::{round_each, widen_each};
    use std::arch::x86_64::{
        _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps, _mm256_cvtps_ph,
        _mm256_loadu_ps, _mm256_storeu_ps,
    };

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
}

#[cfg(test)]
mod tests {
    use super::*;

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
