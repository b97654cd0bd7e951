//! Shared by tests of a GPU against the CPU: the device under test, and bounds for results.
use super::report::{Check, as_f64, bits, text};
use rushlight::gpu::{Choice, Family, GpuCounters, GpuMemoryStats};
use rushlight::{CudaDevice, DType, Device, RocmDevice, Tensor};
use std::cell::RefCell;
use std::sync::{Mutex, MutexGuard, PoisonError};

thread_local! {
    static TURN: RefCell<Option<MutexGuard<'static, ()>>> = const { RefCell::new(None) };
}

/// A GPU of either vendor.
#[derive(Debug)]
pub enum Gpu {
    Rocm(RocmDevice),
    Cuda(CudaDevice),
}

macro_rules! forward {
    ($($name:ident($($arg:ident: $ty:ty),*) -> $ret:ty;)*) => { $(
        pub fn $name(&self, $($arg: $ty),*) -> $ret {
            match self {
                Self::Rocm(d) => d.$name($($arg),*),
                Self::Cuda(d) => d.$name($($arg),*),
            }
        }
    )* };
}
#[allow(dead_code, reason = "each test file calls some")]
impl Gpu {
    forward! {
        counters() -> GpuCounters;
        memory_stats() -> GpuMemoryStats;
        reset_peak() -> ();
        empty_cache() -> rushlight::Result<()>;
        choice(family: Family) -> Choice;
        choose(family: Family, choice: Choice) -> ();
    }

    /// Whether this is the virtual GPU, whose libraries fail where a setting says so.
    pub fn is_virtual(&self) -> bool {
        let name = match self {
            Self::Rocm(d) => &d.info().name,
            Self::Cuda(d) => &d.info().name,
        };
        name.to_lowercase().contains("virtual")
    }
}

/// Returns the GPU under test: the first AMD GPU, or the first NVIDIA GPU if `RUSHLIGHT_TEST_DEVICE=cuda` is set. The
/// calling test has the GPU to itself until its thread ends, because an index error is reported by whichever call comes
/// next.
pub fn gpu() -> (Device, Gpu) {
    static ONE: Mutex<()> = Mutex::new(());
    TURN.with_borrow_mut(|t| {
        t.get_or_insert_with(|| ONE.lock().unwrap_or_else(PoisonError::into_inner));
    });
    let device = match std::env::var("RUSHLIGHT_TEST_DEVICE").as_deref() {
        Err(_) | Ok("rocm") => {
            Device::new_rocm(0).expect("these tests need an AMD GPU, or the virtual one (make test-rocm)")
        }
        Ok("cuda") => Device::new_cuda(0).expect("these tests need an NVIDIA GPU"),
        Ok(other) => panic!("RUSHLIGHT_TEST_DEVICE={other}: expected rocm or cuda"),
    };
    let handle = match &device {
        Device::Rocm(d) => Gpu::Rocm(d.clone()),
        Device::Cuda(d) => Gpu::Cuda(d.clone()),
        _ => panic!("no GPU"),
    };
    (device, handle)
}

/// Same as [`gpu`], for tests that need an AMD GPU.
#[allow(dead_code, reason = "for the tests of what only they have")]
pub fn rocm() -> (Device, RocmDevice) {
    let (device, handle) = gpu();
    let Gpu::Rocm(handle) = handle else { panic!("these tests are of AMD GPUs") };
    (device, handle)
}

/// Bound of the difference between a GPU's result and the CPU's.
pub enum Bound {
    /// The same bits, except that any NaN matches a NaN.
    Exact,
    /// This number of rounding errors of the dtype, relative to the largest element: for sums in another order.
    Scaled(f64),
}

/// Returns the rounding error of a dtype.
fn eps(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => f64::EPSILON,
        DType::F32 => f64::from(f32::EPSILON),
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        _ => 0.125,
    }
}

/// Compares a device's result with the CPU's.
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
