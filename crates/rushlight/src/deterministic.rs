//! Whether ops may give other bits from run to run where that is faster.
use rushlight_load::settings::DETERMINISTIC;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

/// 0: not asked yet; else 1 + the setting.
static SETTING: AtomicU8 = AtomicU8::new(0);

/// Asks for the same bits in every run, on every device: a vendor's library is not used, and nothing is added by atomics
/// in the order of arrival (docs/NUMERICS.md says which ops that concerns). `RUSHLIGHT_DETERMINISTIC=1` is the setting at
/// the start; without it, it is off.
///
/// ```
/// rushlight::set_deterministic(true);
/// assert!(rushlight::deterministic());
/// ```
pub fn set_deterministic(on: bool) {
    SETTING.store(1 + u8::from(on), Relaxed);
}

/// Whether [`set_deterministic`] or the environment asks for the same bits in every run.
pub fn deterministic() -> bool {
    match SETTING.load(Relaxed) {
        0 => {
            // An invalid value is the error of every op on the CPU, and of opening a GPU.
            let on = DETERMINISTIC.flag().unwrap_or(false);
            // A setting made meanwhile stays.
            let _ = SETTING.compare_exchange(0, 1 + u8::from(on), Relaxed, Relaxed);
            SETTING.load(Relaxed) == 2
        }
        set => set == 2,
    }
}
