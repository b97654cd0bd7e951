//! Whether this process may call HIP: not in a child forked from a process that uses HIP, and not while the process
//! ends.
use crate::Error;
use rushlight_load::process::{Guard, Stop};

static HIP: Guard = Guard::new();

/// Watches for forks and for the end of the process. Called right after the runtime is loaded.
pub(crate) fn watch() {
    HIP.watch();
}

/// Returns whether this process was forked from one that had loaded HIP.
pub(crate) fn forked() -> bool {
    HIP.forked()
}

/// Returns whether HIP may still be called; destructors check this.
pub(crate) fn fine() -> bool {
    HIP.fine()
}

/// Returns an error if HIP must not be called.
#[inline]
pub(crate) fn check(call: &'static str) -> Result<(), Error> {
    HIP.check().map_err(|stop| match stop {
        Stop::Forked => Error::Forked { call },
        Stop::Exiting => Error::Exiting { call },
    })
}
