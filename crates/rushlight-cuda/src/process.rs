//! Whether this process may call CUDA: not in a child forked from a process that uses CUDA, and not while the process
//! ends.
use crate::{Error, Result};
use rushlight_load::process::{Guard, Stop};

static CUDA: Guard = Guard::new();

/// Watches for forks and for the end of the process. Called right after the driver is loaded.
pub(crate) fn watch() {
    CUDA.watch();
}

/// Returns whether this process was forked from one that had loaded CUDA.
pub(crate) fn forked() -> bool {
    CUDA.forked()
}

/// Returns whether CUDA may still be called; destructors check this.
pub(crate) fn fine() -> bool {
    CUDA.fine()
}

/// Returns an error if CUDA must not be called.
#[inline]
pub(crate) fn check(call: &'static str) -> Result<()> {
    CUDA.check().map_err(|stop| match stop {
        Stop::Forked => Error::Forked { call },
        Stop::Exiting => Error::Exiting { call },
    })
}
