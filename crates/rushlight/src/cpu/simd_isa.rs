//! Levels of x86-64 instruction sets, chosen at run time: row loops are compiled once for each level.
//!
//! A row loop is plain Rust in [`Work::run`], which is inlined, with everything that it calls, into a function of each
//! level; the compiler vectorizes it there. Rust never contracts `a * b + c`, so all levels give the same bits.
#![allow(unsafe_code)]
use crate::{Error, Result};
use rushlight_load::settings::{CPU_ISA, Invalid};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// A level of instruction sets. Other architectures than x86-64 have only the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum SimdLevel {
    /// The instructions that every processor of the architecture has (x86-64: SSE2).
    Base = 1,
    /// AVX2, BMI1, BMI2, F16C, FMA, LZCNT, MOVBE and POPCNT: x86-64-v3.
    V3 = 2,
    /// Also AVX-512 F, BW, CD, DQ and VL: x86-64-v4.
    V4 = 3,
}

impl SimdLevel {
    /// All levels, the lowest first.
    pub const ALL: [Self; 3] = [Self::Base, Self::V3, Self::V4];

    /// Returns the level's name, a value of `RUSHLIGHT_CPU_ISA`.
    ///
    /// ```
    /// assert_eq!(rushlight::cpu::SimdLevel::V3.name(), "v3");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::V3 => "v3",
            Self::V4 => "v4",
        }
    }
}

/// The level in use; 0 until it is first asked for.
static LEVEL: AtomicU8 = AtomicU8::new(0);

/// Returns the highest level that the processor has.
///
/// ```
/// use rushlight::cpu::{highest_simd_level, simd_level};
/// assert!(simd_level() <= highest_simd_level());
/// ```
pub fn highest_simd_level() -> SimdLevel {
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! has { ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* } }
        if has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe" "popcnt") {
            if has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
                return SimdLevel::V4;
            }
            return SimdLevel::V3;
        }
    }
    SimdLevel::Base
}

/// Returns the level in use: as set by `set_simd_level` or `RUSHLIGHT_CPU_ISA`, else the highest.
#[inline]
pub fn simd_level() -> SimdLevel {
    match LEVEL.load(Relaxed) {
        0 => first(),
        1 => SimdLevel::Base,
        2 => SimdLevel::V3,
        _ => SimdLevel::V4,
    }
}

#[cold]
fn first() -> SimdLevel {
    // An invalid setting is reported by every op, so it is ignored here.
    let level = set().ok().flatten().unwrap_or_else(highest_simd_level);
    LEVEL.store(level as u8, Relaxed);
    level
}

/// Sets the level of the ops that start after this call; `None` selects the highest. Results do not depend on it, except those
/// of Fourier transforms.
///
/// # Errors
/// If the processor does not have the level.
///
/// ```
/// use rushlight::cpu::{SimdLevel, set_simd_level, simd_level};
/// set_simd_level(Some(SimdLevel::Base))?;
/// assert_eq!(simd_level(), SimdLevel::Base);
/// set_simd_level(None)?;
/// # Ok::<(), rushlight::Error>(())
/// ```
pub fn set_simd_level(level: Option<SimdLevel>) -> Result<()> {
    let highest = highest_simd_level();
    let level = level.unwrap_or(highest);
    if level > highest {
        let (got, most) = (level.name(), highest.name());
        let text =
            format!("set_simd_level: expected a level up to {most}, which this processor has, got {got}");
        return Err(Error::Msg(text).bt());
    }
    LEVEL.store(level as u8, Relaxed);
    Ok(())
}

/// Returns the level that `RUSHLIGHT_CPU_ISA` names, if it names one.
fn set() -> std::result::Result<Option<SimdLevel>, Invalid> {
    named(CPU_ISA.choice()?, highest_simd_level())
}

/// Returns the level of a name on a processor with the levels up to `highest`; `None` for `auto`.
fn named(name: Option<&str>, highest: SimdLevel) -> std::result::Result<Option<SimdLevel>, Invalid> {
    let level = SimdLevel::ALL.into_iter().find(|l| Some(l.name()) == name);
    if level.is_some_and(|l| l > highest) {
        let mut error = CPU_ISA.invalid(name.unwrap_or_default());
        error.expected = format!("auto, or at most {}, the highest level of this processor", highest.name());
        return Err(error);
    }
    Ok(level)
}

/// Checks `RUSHLIGHT_CPU_ISA`.
pub(crate) fn check() -> std::result::Result<(), Invalid> {
    set().map(drop)
}

/// Work that is compiled once for each level. `run` must be `#[inline(always)]`.
pub trait Work {
    /// The result.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Does the work with the instructions of the level in use.
#[inline]
pub(crate) fn run<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    match simd_level() {
        // SAFETY: `LEVEL` is set only to levels that the processor has.
        SimdLevel::V4 => return unsafe { v4(work) },
        // SAFETY: as above.
        SimdLevel::V3 => return unsafe { v3(work) },
        SimdLevel::Base => {}
    }
    base(work)
}

/// Same as [`run`] without AVX-512, for the many loops that would gain little by it: each level of a loop has its size.
#[inline]
pub(crate) fn run_small<W: Work>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if simd_level() >= SimdLevel::V3 {
        // SAFETY: as in `run`; each level has the instructions of those below.
        return unsafe { v3(work) };
    }
    base(work)
}

/// Does the work with AVX-512, or returns it if the level in use has none: for work whose sizes fit its vectors.
#[inline]
pub(crate) fn run_large<W: Work>(work: W) -> std::result::Result<W::Output, W> {
    #[cfg(target_arch = "x86_64")]
    if simd_level() == SimdLevel::V4 {
        // SAFETY: as in `run`.
        return Ok(unsafe { v4(work) });
    }
    Err(work)
}

#[inline(never)]
fn base<W: Work>(work: W) -> W::Output {
    work.run()
}

/// # Safety
/// The processor has [`SimdLevel::V3`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
unsafe fn v3<W: Work>(work: W) -> W::Output {
    work.run()
}

/// # Safety
/// The processor has [`SimdLevel::V4`].
#[cfg(target_arch = "x86_64")]
#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2,f16c,fma,lzcnt,movbe,popcnt")]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl")]
unsafe fn v4<W: Work>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_the_processor_lacks_is_an_error() {
        let text = |name, highest| named(Some(name), highest).map_err(|e| e.to_string());
        let expected =
            "RUSHLIGHT_CPU_ISA=v4: expected auto, or at most v3, the highest level of this processor";
        assert_eq!(text("v4", SimdLevel::V3), Err(expected.into()));
        assert!(text("v3", SimdLevel::Base).is_err());
        assert_eq!(text("v3", SimdLevel::V4), Ok(Some(SimdLevel::V3)));
        assert_eq!(text("base", SimdLevel::Base), Ok(Some(SimdLevel::Base)));
        assert_eq!(text("auto", SimdLevel::V3), Ok(None));
        assert_eq!(named(None, SimdLevel::V3).ok(), Some(None));
    }
}
