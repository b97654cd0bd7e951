//! The virtual device: its memory, modules, streams and launches, behind one lock.
pub(crate) mod capture;
pub(crate) mod gpu;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;
mod queue;
pub(crate) mod record;
pub(crate) mod startup;
pub(crate) mod stream;
