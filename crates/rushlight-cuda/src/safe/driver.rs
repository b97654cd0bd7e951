//! The loaded driver.
use crate::result::driver::Calls;
use crate::result::{cublas, cudnn, cufft, cusolver, nvrtc};
use crate::sys::*;
use crate::{Error, Result, process, search};
use rushlight_load::{Library, LoadError};
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The CUDA driver of this process. At most one exists; it is never unloaded.
#[derive(Debug)]
pub struct Cuda {
    calls: Calls,
    version: i32,
}

static LOADED: OnceLock<Cuda> = OnceLock::new();
/// Held while loading. The last failure, and the setting that it belongs to.
static FAILED: Mutex<Option<(Option<std::ffi::OsString>, Error)>> = Mutex::new(None);

/// The oldest supported driver: that of CUDA 11.4.
const OLDEST: i32 = 11_040;

impl Cuda {
    /// Returns the driver, loading and starting it at the first call. A failure is cached until the environment
    /// changes.
    ///
    /// # Errors
    /// Every path that was tried, and what to install. In a process forked from one that uses CUDA: an error that
    /// says to start processes with spawn.
    ///
    /// ```
    /// use rushlight_cuda::Cuda;
    /// match Cuda::get() {
    ///     Ok(cuda) => println!("a driver of CUDA {}", cuda.version()),
    ///     Err(e) => println!("{e}"),
    /// }
    /// ```
    pub fn get() -> Result<&'static Cuda> {
        if process::forked() {
            return Err(LoadError::in_fork("libcuda", "CUDA").into());
        }
        if let Some(cuda) = LOADED.get() {
            return Ok(cuda);
        }
        let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cuda) = LOADED.get() {
            return Ok(cuda);
        }
        let setting = rushlight_load::settings::CUDA_PATH.os();
        if let Some((with, error)) = &*failed
            && *with == setting
        {
            return Err(error.clone());
        }
        match Self::open() {
            Ok(cuda) => {
                *failed = None;
                Ok(LOADED.get_or_init(|| cuda))
            }
            Err(e) => {
                *failed = Some((setting, e.clone()));
                Err(e)
            }
        }
    }

    /// Returns the driver if it is loaded, without searching for it.
    pub fn loaded() -> Option<&'static Cuda> {
        LOADED.get()
    }

    fn open() -> Result<Cuda> {
        const HINT: &str = "install NVIDIA's driver (Debian: libcuda1; Ubuntu: libnvidia-compute-NNN; Fedora: \
            xorg-x11-drv-nvidia-cuda; in a container: start it with --gpus all)";
        // Folders of drivers that the linker may not search: WSL's and those of containers.
        const LAST: [&str; 4] =
            ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64"];
        let (calls, version) = search::open("libcuda", &[".so.1", ".so"], &LAST, HINT, accept)?;
        process::watch();
        // SAFETY: takes a number that must be 0.
        unsafe { calls.cuInit(0) }.map_err(|e| match e {
            Error::Cuda { code, .. } if NO_DEVICE.contains(&code) => {
                Error::NoDevice { ordinal: 0, count: 0, why: why_none(Some(&e)) }
            }
            e => e,
        })?;
        Ok(Cuda { calls, version })
    }

    /// Returns the CUDA version that the driver supports: 1000 × major + 10 × minor.
    pub fn version(&self) -> i32 {
        self.version
    }

    /// Returns the driver's file.
    pub fn path(&self) -> &Path {
        self.calls.symbols().library().path()
    }

    /// Returns the files of CUDA's libraries that are open so far.
    pub fn library_paths(&self) -> Vec<PathBuf> {
        let mut all = vec![self.path().to_path_buf()];
        all.extend(nvrtc::path());
        all.extend(cublas::path());
        all.extend(cusolver::path());
        all.extend(cudnn::path());
        all.extend(cufft::path());
        all
    }

    /// Returns the layer below: C's functions with errors instead of codes.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    /// Returns the number of devices.
    ///
    /// # Errors
    /// A failure of the driver other than "no device".
    pub fn device_count(&self) -> Result<usize> {
        process::check("cuDeviceGetCount")?;
        let mut count: c_int = 0;
        // SAFETY: the pointer is that of a local.
        match unsafe { self.calls.cuDeviceGetCount(&mut count) } {
            Ok(()) => Ok(usize::try_from(count).unwrap_or(0)),
            Err(Error::Cuda { code, .. }) if NO_DEVICE.contains(&code) => Ok(0),
            Err(e) => Err(e),
        }
    }
}

/// Codes that CUDA returns on a machine without a (usable) GPU.
const NO_DEVICE: [CUresult; 2] = [CUDA_ERROR_NO_DEVICE, CUDA_ERROR_INVALID_DEVICE];

/// Returns why the driver sees no GPU.
pub(crate) fn why_none(said: Option<&Error>) -> String {
    let hidden = std::env::var("CUDA_VISIBLE_DEVICES");
    match (hidden, said) {
        (Ok(v), _) => format!("CUDA_VISIBLE_DEVICES={v} may hide the devices"),
        (Err(_), Some(e)) => e.to_string(),
        (Err(_), None) => String::new(),
    }
}

/// Returns the calls and the version of a library, or why it is not a usable driver.
fn accept(library: &Library) -> std::result::Result<(Calls, i32), String> {
    for name in [c"cuInit", c"cuDriverGetVersion", c"cuDeviceGetCount", c"cuLaunchKernel"] {
        if library.symbol(name).is_none() {
            return Err(format!("has no {}", name.to_string_lossy()));
        }
    }
    let calls = Calls::new(CudaSymbols::new(library.clone()));
    let mut version: c_int = 0;
    // SAFETY: the pointer is that of a local; the function may be called before the driver is started.
    unsafe { calls.cuDriverGetVersion(&mut version) }.map_err(|e| match e {
        Error::Cuda { code: CUDA_ERROR_STUB_LIBRARY, .. } => {
            "is a stub for linking, not a driver".to_string()
        }
        e => e.to_string(),
    })?;
    if version < OLDEST {
        let (major, minor) = (version / 1000, version / 10 % 100);
        return Err(format!(
            "is a driver of CUDA {major}.{minor}; CUDA 11.4 is the oldest supported version"
        ));
    }
    Ok((calls, version))
}
