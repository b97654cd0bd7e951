//! The deterministic setting: whether ops may use faster code whose results have different bits from run to run.
use rushlight_load::settings::DETERMINISTIC;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// 0 if not initialized, else 1 + the setting.
static SETTING: AtomicU8 = AtomicU8::new(0);

/// Requires the same bits in every run, on every device: vendor libraries are not used, and atomics never add floats in
/// the order of arrival (docs/NUMERICS.md lists the ops concerned). Off at the start, unless
/// `RUSHLIGHT_DETERMINISTIC=1` is set.
///
/// ```
/// rushlight::set_deterministic(true);
/// assert!(rushlight::deterministic());
/// ```
pub fn set_deterministic(on: bool) {
    SETTING.store(1 + u8::from(on), Relaxed);
}

/// Whether [`set_deterministic`] or the environment requires the same bits in every run.
pub fn deterministic() -> bool {
    match SETTING.load(Relaxed) {
        0 => {
            // An invalid value is reported by every op on the CPU and when a GPU is opened, so it is ignored here.
            let on = DETERMINISTIC.flag().unwrap_or(false);
            // If another thread has set it in the meantime, its setting is kept.
            let _ = SETTING.compare_exchange(0, 1 + u8::from(on), Relaxed, Relaxed);
            SETTING.load(Relaxed) == 2
        }
        set => set == 2,
    }
}
