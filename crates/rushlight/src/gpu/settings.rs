//! The settings of GPUs, read from the environment when a device is opened.
use super::{alloc::Mode, archive, kernel_files};
use crate::Result;
use crate::settings::of_device;
use rushlight_load::settings as env;
use std::path::PathBuf;

/// The settings of a device.
#[derive(Debug, Clone, Default)]
pub(crate) struct Settings {
    /// How blocks of memory are allocated (`RUSHLIGHT_GPU_GUARD`, `RUSHLIGHT_GPU_POOL`).
    pub pool: Mode,
    /// Whether no block is kept for reuse (`RUSHLIGHT_GPU_POOL=0`, which also makes each block a separate allocation).
    pub apart: bool,
    /// Whether each op waits for the device, so that its own call returns its error (`RUSHLIGHT_SYNC`).
    pub sync: bool,
    /// Whether ops that the device does not support run on the CPU (`RUSHLIGHT_FALLBACK`).
    pub fallback: bool,
    /// The folder of compiled kernels, if there is one.
    pub cache: Option<PathBuf>,
    /// A folder of kernel sources to compile instead of the built-in ones, for work on kernels and for tests with
    /// deliberate errors (`RUSHLIGHT_KERNEL_SOURCES`).
    pub sources: Option<PathBuf>,
    /// The folders with archives of compiled kernels (`RUSHLIGHT_KERNEL_ARCHIVES`).
    pub archives: Vec<PathBuf>,
}

impl Settings {
    /// Reads the settings from the environment.
    ///
    /// # Errors
    /// If a variable has an invalid value. The error names the first one.
    pub fn of_environment() -> Result<Self> {
        env::warn_unknown();
        env::DETERMINISTIC.check().map_err(of_device)?;
        env::ACTIVATIONS.check().map_err(of_device)?;
        let pool = env::GPU_POOL.choice().map_err(of_device)?;
        let apart = pool == Some("0");
        let pool = match pool {
            _ if env::GPU_GUARD.flag().map_err(of_device)? => Mode::Guards,
            Some("exact" | "0") => Mode::Exact,
            _ => Mode::Slabs,
        };
        Ok(Self {
            pool,
            apart,
            sync: env::SYNC.flag().map_err(of_device)?,
            fallback: env::FALLBACK.choice().map_err(of_device)?.is_some(),
            cache: kernel_files::cache_dir(),
            sources: env::KERNEL_SOURCES.path(),
            archives: archive::folders(),
        })
    }
}
