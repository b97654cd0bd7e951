//! Fourier transforms, computed by the crate rustfft. With AVX2 it takes a fourth of the time that it takes without, and its
//! results have other bits; so those of this op alone depend on the level of instructions.
use super::elementwise::{Dst, Src, dst, unsupported};
use super::index::flat;
use crate::cpu::driver::{per_task, try_chunks};
use crate::cpu::scratch;
use crate::cpu::simd_isa::{SimdLevel, simd_level};
use crate::cpu::simd_panel::panels;
use crate::ops::fft::Fft;
use crate::{DType, Element, Result};
use num_complex::Complex;
use rustfft::{Fft as Plan, FftDirection, FftNum, FftPlannerAvx, FftPlannerScalar};
use std::sync::{Arc, Mutex, PoisonError};

/// Lines that are transformed together where elements of a line are not neighbours.
const COLUMNS: usize = 16;
/// Elements between two of these lines.
const GAP: usize = 8;
/// Plans that are kept, and the sum of their lengths.
const KEPT: (usize, usize) = (32, 4 << 20);

/// The length and the direction of a plan, and whether it is for AVX2.
type Key = (usize, FftDirection, bool);

/// The plans that were used last, the newest first.
pub(super) struct Plans<R>(Mutex<Vec<(Key, Arc<dyn Plan<R>>)>>);

/// The type of the parts of a complex number.
pub(super) trait Part: FftNum {
    fn plans() -> &'static Plans<Self>;
    fn rounded(v: f64) -> Self;
}
macro_rules! parts {
    ($($t:ty),*) => {$(
        impl Part for $t {
            fn plans() -> &'static Plans<Self> {
                static PLANS: Plans<$t> = Plans(Mutex::new(Vec::new()));
                &PLANS
            }
            fn rounded(v: f64) -> Self {
                v as Self
            }
        }
    )*};
}
parts!(f32, f64);

impl<R: Part> Plans<R> {
    /// Returns the plan for a length. Making one takes longer than a transform, so the last ones are kept.
    fn get(&self, n: usize, direction: FftDirection) -> Arc<dyn Plan<R>> {
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (n, direction, simd_level() >= SimdLevel::V3);
        let mut all = lock();
        if let Some(i) = all.iter().position(|(k, _)| *k == key) {
            all[..=i].rotate_right(1);
            return all[0].1.clone();
        }
        drop(all);
        let avx = if key.2 { FftPlannerAvx::new().ok() } else { None };
        let plan = match avx {
            Some(mut planner) => planner.plan_fft(n, direction),
            None => FftPlannerScalar::new().plan_fft(n, direction),
        };
        let mut all = lock();
        all.insert(0, (key, plan.clone()));
        let mut sum = 0;
        let fits = all.iter().take(KEPT.0).position(|((len, ..), _)| {
            sum += len;
            sum > KEPT.1
        });
        all.truncate(fits.unwrap_or(KEPT.0).max(1));
        plan
    }
}

pub fn fft(c: &Fft, x: Src<'_>, out: Dst<'_>) -> Result<()> {
    match x.0.dtype() {
        DType::C64 => transforms::<f32>(c, x, out),
        DType::C128 => transforms::<f64>(c, x, out),
        other => unsupported(other, "fft"),
    }
}

fn transforms<R: Part>(c: &Fft, x: Src<'_>, mut out: Dst<'_>) -> Result<()>
where
    Complex<R>: Element,
{
    let dims = x.1.dims();
    let (n, inner): (usize, usize) = (dims[c.dim], dims[c.dim + 1..].iter().product());
    if x.1.shape().elem_count() == 0 {
        return Ok(());
    }
    let direction = if c.inverse { FftDirection::Inverse } else { FftDirection::Forward };
    let plan = R::plans().get(n, direction);
    let scale = R::rounded(c.scale);
    let scaled = |line: &mut [Complex<R>]| {
        if c.scale != 1.0 {
            line.iter_mut().for_each(|v| *v = Complex::new(v.re * scale, v.im * scale));
        }
    };
    let zero = Complex::new(R::zero(), R::zero());
    // A transform costs about as much as this number of copies of its line.
    let cost = n.ilog2() as usize + 1;
    let (x, range) = flat(x)?;
    let x = &x.as_slice::<Complex<R>>()?[range];
    let o = dst::<Complex<R>>(&mut out)?.0;
    if inner == 1 {
        let per = per_task(o.len() / n, n * cost) * n;
        return try_chunks(o, per, &|task, o| {
            let mut room = scratch::filled(plan.get_immutable_scratch_len(), zero)?;
            for (i, o) in o.chunks_exact_mut(n).enumerate() {
                plan.process_immutable_with_scratch(&x[task * per + i * n..][..n], o, &mut room);
                scaled(o);
            }
            Ok(())
        });
    }
    panels(o, (n, inner), COLUMNS, n * cost, &|matrix, first, mut o| {
        let cols = o.cols();
        // Lines of a power of two elements would lie in the same sets of the cache.
        let pitch = n + GAP;
        let mut lines = scratch::filled(cols * pitch, zero)?;
        let mut room = scratch::filled(plan.get_inplace_scratch_len(), zero)?;
        for k in 0..n {
            let row = &x[(matrix * n + k) * inner + first..][..cols];
            for (line, v) in lines.chunks_exact_mut(pitch).zip(row) {
                line[k] = *v;
            }
        }
        for line in lines.chunks_exact_mut(pitch) {
            plan.process_with_scratch(&mut line[..n], &mut room);
            scaled(&mut line[..n]);
        }
        for k in 0..n {
            for (o, line) in o.row(k).iter_mut().zip(lines.chunks_exact(pitch)) {
                *o = line[k];
            }
        }
        Ok(())
    })
}
