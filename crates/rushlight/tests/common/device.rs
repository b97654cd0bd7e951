//! What the tests of a GPU against the CPU use: the device, and how near the results must be.
use super::report::{Check, as_f64, bits, text};
use rushlight::{DType, Device, RocmDevice, Tensor};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    static TURN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// The first AMD GPU, for this test alone until its thread ends: an index error shows in whichever call comes next.
pub fn rocm() -> (Device, RocmDevice) {
    static ONE: Mutex<()> = Mutex::new(());
    TURN.with_borrow_mut(|t| {
        t.get_or_insert_with(|| ONE.lock().unwrap_or_else(PoisonError::into_inner));
    });
    let device =
        Device::new_rocm(0).expect("these tests need an AMD GPU, or the virtual one (make test-rocm)");
    let Device::Rocm(d) = &device else { panic!("not a ROCm device") };
    let handle = d.clone();
    (device, handle)
}

/// How near to the CPU's result an op's must be.
pub enum Bound {
    /// The same bits; any NaN for a NaN.
    Exact,
    /// A rounding error of the dtype times this, relative to the largest element: sums in another order.
    Scaled(f64),
}

/// A rounding error of a dtype.
fn eps(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => 0.125,
    }
}

/// A device's result against the CPU's.
pub fn compare(bound: &Bound, got: &Tensor, want: &Tensor) -> Check {
    if got.shape() != want.shape() || got.dtype() != want.dtype() {
        return Err(format!(
            "{:?} {:?}, on the CPU {:?} {:?}",
            got.shape(),
            got.dtype(),
            want.shape(),
            want.dtype()
        ));
    }
    let (raw, raw_want) = (bits(got)?, bits(want)?);
    if raw == raw_want {
        return Ok(());
    }
    let size = got.dtype().size_in_bytes();
    let host = text(got.to_device(&Device::Cpu))?;
    let (g, w) = (as_f64(&host)?, as_f64(want)?);
    let largest = w.iter().filter(|v| v.is_finite()).fold(0f64, |m, v| m.max(v.abs()));
    for (i, (&g, &w)) in g.iter().zip(&w).enumerate() {
        let same = raw[i * size..][..size] == raw_want[i * size..][..size];
        if same || (g.is_nan() && w.is_nan()) {
            continue;
        }
        let unit = eps(got.dtype()) * w.abs().max(f64::MIN_POSITIVE);
        let fine = match bound {
            Bound::Exact => false,
            Bound::Scaled(k) => (g - w).abs() <= k * eps(got.dtype()) * largest,
        };
        if !fine {
            return Err(format!("element {i} is {g:e}, on the CPU {w:e} ({:.1} ulp)", (g - w).abs() / unit));
        }
    }
    Ok(())
}
