//! Whether this process may call a GPU runtime: not in a child that was forked from a user of it, not while the process ends.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// What does not survive a fork is told so; the runtime's name goes before.
pub const FORKED: &str = "does not survive a fork, and this process was forked from one that uses it: \
    start processes with spawn (Python: multiprocessing.set_start_method(\"spawn\"))";

/// How often the process and those before it were forked, since the first runtime was loaded; or that it ends.
static STATE: AtomicU32 = AtomicU32::new(0);
#[cfg(target_os = "linux")]
const ENDS: u32 = u32::MAX - 1;
const NOT_LOADED: u32 = u32::MAX;

/// Why a runtime must not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was loaded by the process that this one was forked from.
    Forked,
    /// The process is ending.
    Exiting,
}

impl Stop {
    /// The words for a call of a runtime that users call so.
    ///
    /// ```
    /// use rushlight_load::process::Stop;
    /// assert_eq!(Stop::Exiting.of("hipMalloc", "HIP"), "hipMalloc: the process is ending");
    /// assert!(Stop::Forked.of("hipMalloc", "HIP").starts_with("hipMalloc: HIP does not survive a fork"));
    /// ```
    pub fn of(self, call: &str, runtime: &str) -> String {
        match self {
            Self::Forked => format!("{call}: {runtime} {FORKED}"),
            Self::Exiting => format!("{call}: the process is ending"),
        }
    }
}

/// Watches over one runtime.
///
/// ```
/// use rushlight_load::process::Guard;
/// static RUNTIME: Guard = Guard::new();
/// assert_eq!(RUNTIME.check(), Ok(()));
/// RUNTIME.watch(); // it was loaded now
/// assert!(RUNTIME.fine() && !RUNTIME.forked());
/// ```
#[derive(Debug)]
pub struct Guard {
    /// The state when the runtime was loaded.
    loaded: AtomicU32,
}

impl Guard {
    /// Of a runtime that is not loaded.
    pub const fn new() -> Self {
        Self { loaded: AtomicU32::new(NOT_LOADED) }
    }

    /// Watches for forks and for the end of the process. Called right after the runtime is loaded, so that the handler of
    /// the end runs before the runtime's own.
    pub fn watch(&self) {
        #[cfg(target_os = "linux")]
        {
            static FORKS: std::sync::Once = std::sync::Once::new();
            extern "C" fn child() {
                STATE.fetch_add(1, Relaxed);
            }
            extern "C" fn end() {
                STATE.store(ENDS, Relaxed);
            }
            // SAFETY: both handlers only change an atomic, which is allowed after a fork and at the end.
            unsafe {
                FORKS.call_once(|| {
                    libc::pthread_atfork(None, None, Some(child));
                });
                libc::atexit(end);
            }
        }
        let _ = self.loaded.compare_exchange(NOT_LOADED, STATE.load(Relaxed), Relaxed, Relaxed);
    }

    /// Whether the runtime may be called.
    #[inline]
    pub fn check(&self) -> Result<(), Stop> {
        let (now, loaded) = (STATE.load(Relaxed), self.loaded.load(Relaxed));
        if now == loaded { Ok(()) } else { slow(now, loaded) }
    }

    /// Whether the runtime may be called; what a drop asks.
    pub fn fine(&self) -> bool {
        self.check().is_ok()
    }

    /// Whether this process was forked from one that had loaded the runtime.
    pub fn forked(&self) -> bool {
        self.check() == Err(Stop::Forked)
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self::new()
    }
}

#[cold]
fn slow(now: u32, loaded: u32) -> Result<(), Stop> {
    #[cfg(target_os = "linux")]
    if now == ENDS {
        return Err(Stop::Exiting);
    }
    if loaded == NOT_LOADED || now == loaded { Ok(()) } else { Err(Stop::Forked) }
}
