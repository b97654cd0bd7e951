//! Whether this process may call HIP: not in a child that was forked from a user of HIP, not while the process ends.
use crate::Error;
use rushlight_load::process::{Guard, Stop};

static HIP: Guard = Guard::new();

/// Watches for forks and for the end of the process. Called right after the runtime is loaded.
pub(crate) fn watch() {
    HIP.watch();
}

/// Whether this process was forked from one that had loaded HIP.
pub(crate) fn forked() -> bool {
    HIP.forked()
}

/// Whether HIP may be called at all; what a drop asks.
pub(crate) fn fine() -> bool {
    HIP.fine()
}

/// An error where HIP must not be called.
#[inline]
pub(crate) fn check(call: &'static str) -> Result<(), Error> {
    HIP.check().map_err(|stop| match stop {
        Stop::Forked => Error::Forked { call },
        Stop::Exiting => Error::Exiting { call },
    })
}
