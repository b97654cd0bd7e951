//! Whether this process may call a GPU runtime: not in a child forked from a process that uses it, and not while the
//! process ends.
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The end of the error for a runtime that is used after a fork; the runtime's name comes first.
pub const FORKED: &str = "does not survive a fork, and this process was forked from one that uses it: \
    start processes with spawn (Python: multiprocessing.set_start_method(\"spawn\"))";

/// The number of forks since the first runtime was loaded, or a marker that the process ends.
static STATE: AtomicU32 = AtomicU32::new(0);
#[cfg(target_os = "linux")]
const ENDS: u32 = u32::MAX - 1;
const NOT_LOADED: u32 = u32::MAX;

/// The reason why a runtime must not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// It was loaded before this process was forked.
    Forked,
    /// The process is ending.
    Exiting,
}

impl Stop {
    /// Formats the error of a call into `runtime`.
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

/// Tracks whether one runtime may be called.
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
    /// Creates the guard of a runtime that is not loaded yet.
    pub const fn new() -> Self {
        Self { loaded: AtomicU32::new(NOT_LOADED) }
    }

    /// Starts watching for forks and for the end of the process. Call it right after loading the runtime, so that
    /// this exit handler runs before the runtime's own.
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

    /// Returns why the runtime must not be called, if it must not.
    #[inline]
    pub fn check(&self) -> Result<(), Stop> {
        let (now, loaded) = (STATE.load(Relaxed), self.loaded.load(Relaxed));
        if now == loaded { Ok(()) } else { slow(now, loaded) }
    }

    /// Returns whether the runtime may be called. Destructors check this.
    pub fn fine(&self) -> bool {
        self.check().is_ok()
    }

    /// Returns whether this process was forked after the runtime had been loaded.
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
