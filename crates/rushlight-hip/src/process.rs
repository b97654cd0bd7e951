//! Whether this process may call HIP: not in a child that was forked from a user of HIP, not while the process ends.
use crate::Error;
use std::sync::Once;
use std::sync::atomic::{AtomicU8, Ordering};

const FINE: u8 = 0;
const FORKED: u8 = 1;
#[cfg(target_os = "linux")]
const EXITING: u8 = 2;
static STATE: AtomicU8 = AtomicU8::new(FINE);

/// Watches for forks and for the end of the process. Called right after the runtime is loaded, so that the handler of
/// the end runs before the runtime's own.
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        #[cfg(target_os = "linux")]
        {
            extern "C" fn child() {
                STATE.store(FORKED, Ordering::Relaxed);
            }
            extern "C" fn end() {
                STATE.store(EXITING, Ordering::Relaxed);
            }
            // SAFETY: both handlers only store to an atomic, which is allowed after a fork and at the end.
            unsafe {
                libc::pthread_atfork(None, None, Some(child));
                libc::atexit(end);
            }
        }
    });
}

/// Whether this process was forked from one that had loaded HIP.
pub(crate) fn forked() -> bool {
    STATE.load(Ordering::Relaxed) == FORKED
}

/// Whether HIP may be called at all; what a drop asks.
pub(crate) fn fine() -> bool {
    STATE.load(Ordering::Relaxed) == FINE
}

/// An error where HIP must not be called.
#[inline]
pub(crate) fn check(call: &'static str) -> Result<(), Error> {
    match STATE.load(Ordering::Relaxed) {
        FINE => Ok(()),
        FORKED => Err(Error::Forked { call }),
        _ => Err(Error::Exiting { call }),
    }
}
