//! Settings of GPUs from the environment, read once for each device.
use super::{alloc::Mode, kernels};
use crate::{Error, Result};
use std::path::PathBuf;

/// How a device behaves.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// How blocks of memory are made (`RUSHLIGHT_GPU_GUARD`, `RUSHLIGHT_GPU_POOL`).
    pub pool: Mode,
    /// No block is kept for reuse (`RUSHLIGHT_GPU_POOL=0`, which also makes each block a device allocation).
    pub apart: bool,
    /// `RUSHLIGHT_SYNC=1`: synchronizes after every op, so that its errors are returned by its own call.
    pub sync: bool,
    /// `RUSHLIGHT_FALLBACK=cpu`: ops that the device does not support run on the CPU.
    pub fallback: bool,
    /// Where compiled kernels are kept.
    pub cache: Option<PathBuf>,
    /// `RUSHLIGHT_KERNEL_SOURCES`: a folder whose kernels are compiled instead of the built-in ones, for work on
    /// kernels and for tests of wrong ones.
    pub sources: Option<PathBuf>,
}

impl Settings {
    /// Reads the environment.
    pub fn of_environment() -> Result<Self> {
        let fallback = match std::env::var_os("RUSHLIGHT_FALLBACK") {
            None => false,
            Some(v) if v.is_empty() => false,
            Some(v) if v == "cpu" => true,
            Some(v) => {
                return Err(Error::Device(format!("RUSHLIGHT_FALLBACK={}: expected cpu", v.display())).bt());
            }
        };
        let on = |name| std::env::var(name).is_ok_and(|v| v != "0" && !v.is_empty());
        let pool = std::env::var("RUSHLIGHT_GPU_POOL").unwrap_or_default();
        let apart = pool == "0";
        let pool = match pool.as_str() {
            _ if on("RUSHLIGHT_GPU_GUARD") => Mode::Guards,
            "exact" | "0" => Mode::Exact,
            _ => Mode::Slabs,
        };
        Ok(Self {
            pool,
            apart,
            sync: on("RUSHLIGHT_SYNC"),
            fallback,
            cache: kernels::cache_dir(),
            sources: std::env::var_os("RUSHLIGHT_KERNEL_SOURCES")
                .filter(|d| !d.is_empty())
                .map(PathBuf::from),
        })
    }
}
