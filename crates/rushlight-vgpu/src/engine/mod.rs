//! The two engines that run blocks of a grid: `host` runs kernels compiled for this machine, `isa` executes AMD machine code.
pub(crate) mod host;
pub(crate) mod isa;
pub(crate) mod types;
