//! The host engine: every GPU thread is a fiber that runs a kernel compiled for this machine.
pub(crate) mod asan;
pub(crate) mod block;
pub(crate) mod fault;
pub(crate) mod fiber;
