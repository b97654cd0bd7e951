//! Settings, targets, error codes and the small tools that every other module uses.
pub(crate) mod arch;
pub(crate) mod config;
pub(crate) mod elf;
pub(crate) mod error;
pub(crate) mod out;
pub(crate) mod pages;
pub(crate) mod written;
