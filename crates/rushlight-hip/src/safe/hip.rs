//! The loaded runtime.
use super::device::{Device, Inner};
use crate::error::{LoadError, NO_DEVICE};
use crate::load::{self, Library, Search};
use crate::result::{hip::Calls, hiprtc, miopen, rocblas, rocfft, rocsolver};
use crate::sys::hip::{HipSymbols, hipErrorInvalidValue, hipPointerAttribute_t};
use crate::sys::hiprtc::HiprtcSymbols;
use crate::sys::miopen::MiopenSymbols;
use crate::sys::rocblas::RocblasSymbols;
use crate::sys::rocfft::RocfftSymbols;
use crate::sys::rocsolver::RocsolverSymbols;
use crate::{Error, Result, process};
use std::ffi::{CStr, c_int, c_void};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The HIP runtime of this process. At most one exists; it is never unloaded.
#[derive(Debug)]
pub struct Hip {
    calls: Calls,
    version: i32,
    rtc: OnceLock<std::result::Result<hiprtc::Calls, LoadError>>,
    blas: OnceLock<std::result::Result<rocblas::Calls, LoadError>>,
    solver: OnceLock<std::result::Result<rocsolver::Calls, LoadError>>,
    miopen: OnceLock<std::result::Result<miopen::Calls, LoadError>>,
    fft: OnceLock<std::result::Result<rocfft::Calls, LoadError>>,
    devices: Mutex<Vec<Arc<Inner>>>,
}

static LOADED: OnceLock<&'static Hip> = OnceLock::new();
/// Held while loading. The last failure, and the search that it belongs to.
static FAILED: Mutex<Option<(Search, LoadError)>> = Mutex::new(None);
static ADDED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// The oldest supported HIP.
const OLDEST: i32 = 5;
const NEWEST: i32 = 7;

impl Hip {
    /// Returns the runtime, loading it at the first call. A failure is cached until the environment changes.
    ///
    /// # Errors
    /// Every path that was tried, and what to install. In a process forked from one that uses HIP: an error that says
    /// to start processes with spawn.
    ///
    /// ```
    /// use rushlight_hip::Hip;
    /// match Hip::get() {
    ///     Ok(hip) => println!("HIP {}", hip.runtime_version()),
    ///     Err(e) => println!("{e}"),
    /// }
    /// ```
    pub fn get() -> std::result::Result<&'static Hip, LoadError> {
        if process::forked() {
            return Err(LoadError::in_fork("libamdhip64", "HIP"));
        }
        if let Some(hip) = LOADED.get() {
            return Ok(hip);
        }
        let added = ADDED.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self::load(added.into_iter().fold(Search::from_env(), Search::folder))
    }

    /// Returns the runtime if it is loaded, without searching for it.
    pub fn loaded() -> Option<&'static Hip> {
        LOADED.get().copied()
    }

    /// Returns the runtime, loading it with `search` if it is not loaded yet.
    pub fn load(search: Search) -> std::result::Result<&'static Hip, LoadError> {
        if process::forked() {
            return Err(LoadError::in_fork("libamdhip64", "HIP"));
        }
        let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(hip) = LOADED.get() {
            return Ok(hip);
        }
        if let Some((with, error)) = &*failed
            && *with == search
        {
            return Err(error.clone());
        }
        match Self::open(&search) {
            Ok(hip) => {
                process::watch();
                *failed = None;
                Ok(LOADED.get_or_init(|| Box::leak(Box::new(hip))))
            }
            Err(error) => {
                *failed = Some((search, error.clone()));
                Err(error)
            }
        }
    }

    /// Adds a folder that [`Hip::get`] searches, if the runtime is not loaded yet. Use it if a package manager such
    /// as pip reports where ROCm is.
    pub fn search_also(folder: impl Into<PathBuf>) {
        let folder = folder.into();
        let mut added = ADDED.lock().unwrap_or_else(PoisonError::into_inner);
        if !added.contains(&folder) {
            added.push(folder);
        }
    }

    fn open(search: &Search) -> std::result::Result<Hip, LoadError> {
        let (calls, version) = load::open_hip(search, accept)?;
        Ok(Hip {
            calls,
            version,
            rtc: OnceLock::new(),
            blas: OnceLock::new(),
            solver: OnceLock::new(),
            miopen: OnceLock::new(),
            fft: OnceLock::new(),
            devices: Mutex::new(Vec::new()),
        })
    }

    /// Returns HIP's version: major × 10^7 + minor × 10^5 + patch. It differs from ROCm's version.
    pub fn runtime_version(&self) -> i32 {
        self.version
    }

    /// Returns HIP's major version: 5, 6 or 7.
    pub fn major(&self) -> i32 {
        self.version / 10_000_000
    }

    /// Returns the libraries loaded so far and their files.
    pub fn library_paths(&self) -> Vec<(&'static str, PathBuf)> {
        let mut all = vec![("libamdhip64", self.library().path().to_path_buf())];
        if let Some(Ok(rtc)) = self.rtc.get() {
            all.push(("libhiprtc", rtc.symbols().library().path().to_path_buf()));
        }
        if let Some(Ok(blas)) = self.blas.get() {
            all.push(("librocblas", blas.symbols().library().path().to_path_buf()));
        }
        if let Some(Ok(solver)) = self.solver.get() {
            all.push(("librocsolver", solver.symbols().library().path().to_path_buf()));
        }
        if let Some(Ok(miopen)) = self.miopen.get() {
            all.push(("libMIOpen", miopen.symbols().library().path().to_path_buf()));
        }
        if let Some(Ok(fft)) = self.fft.get() {
            all.push(("librocfft", fft.symbols().library().path().to_path_buf()));
        }
        all
    }

    /// Returns warnings about the loaded libraries: two runtimes in one process, or a version newer than the tested
    /// ones.
    pub fn warnings(&self) -> Vec<String> {
        let own = self.library().path().display();
        let mut all: Vec<String> = load::other_runtimes(self.library())
            .iter()
            .map(|other| {
                format!(
                    "two HIP runtimes are in this process, {own} and {}: pointers and streams of one are invalid in the other",
                    other.display()
                )
            })
            .collect();
        if self.major() > NEWEST {
            all.push(format!(
                "{own} is HIP {}, newer than HIP {NEWEST}, the newest tested version",
                self.major()
            ));
        }
        all
    }

    /// Returns the layer below: C's functions with errors instead of codes.
    pub fn calls(&self) -> &Calls {
        &self.calls
    }

    pub(crate) fn library(&self) -> &Library {
        self.calls.symbols().library()
    }

    /// Returns hiprtc of the same installation as the runtime. Up to HIP 6 the runtime itself contains its functions.
    pub(crate) fn rtc(&self) -> Result<&hiprtc::Calls> {
        let loaded = self.rtc.get_or_init(|| {
            let own = format!(".so.{}", self.major());
            let hint = "hiprtc compiles kernels at run time: install it (Debian and Ubuntu: libhiprtc-builtins5, libhiprtc6 or \
                        libhiprtc7; Fedora: rocm-hip), or load code objects that were compiled before";
            let create = c"hiprtcCreateProgram";
            let found = load::open_sibling(self.library(), "libhiprtc", &[&own, ".so"], create, hint);
            let library = match found {
                Err(_) if self.library().symbol(create).is_some() => self.library().clone(),
                other => other?,
            };
            Ok(hiprtc::Calls::new(HiprtcSymbols::new(library)))
        });
        loaded.as_ref().map_err(|e| Error::Load(e.clone()))
    }

    /// Returns rocBLAS of the same installation as the runtime.
    pub(super) fn blas(&self) -> Result<&rocblas::Calls> {
        process::check("rocblas_create_handle")?;
        let loaded = self.blas.get_or_init(|| {
            let hint = "rocBLAS multiplies matrices: install it (Debian and Ubuntu: librocblas0, -4 or -5; Fedora and Arch: rocblas)";
            let names = [".so.5", ".so.4", ".so.3", ".so.0", ".so"];
            let library = load::open_sibling(self.library(), "librocblas", &names, c"rocblas_gemm_strided_batched_ex", hint)?;
            Ok(rocblas::Calls::new(RocblasSymbols::new(library)))
        });
        loaded.as_ref().map_err(|e| Error::Load(e.clone()))
    }

    /// Returns rocSOLVER of the same installation as the runtime.
    pub(super) fn solver(&self) -> Result<&rocsolver::Calls> {
        process::check("rocblas_create_handle")?;
        let loaded = self.solver.get_or_init(|| {
            let hint = "rocSOLVER decomposes matrices: install it (Debian and Ubuntu: librocsolver0; Fedora and Arch: rocsolver)";
            let required = c"rocsolver_sgetrf_strided_batched";
            let library = load::open_sibling(self.library(), "librocsolver", &[".so.0", ".so.1", ".so"], required, hint)?;
            Ok(rocsolver::Calls::new(RocsolverSymbols::new(library)))
        });
        loaded.as_ref().map_err(|e| Error::Load(e.clone()))
    }

    /// Returns MIOpen of the same installation as the runtime.
    pub(super) fn miopen(&self) -> Result<&miopen::Calls> {
        process::check("miopenCreateWithStream")?;
        let loaded = self.miopen.get_or_init(|| {
            let hint = "MIOpen computes convolutions: install it (Debian and Ubuntu: libmiopen1; Fedora: miopen; Arch: miopen-hip)";
            let library = load::open_sibling(self.library(), "libMIOpen", &[".so.1", ".so"], c"miopenCreateWithStream", hint)?;
            Ok(miopen::Calls::new(MiopenSymbols::new(library)))
        });
        loaded.as_ref().map_err(|e| Error::Load(e.clone()))
    }

    /// Returns rocFFT of the same installation as the runtime.
    pub(super) fn fft(&self) -> Result<&rocfft::Calls> {
        process::check("rocfft_setup")?;
        let loaded = self.fft.get_or_init(|| {
            let hint = "rocFFT computes Fourier transforms: install it (Debian and Ubuntu: librocfft0; Fedora and Arch: rocfft)";
            let library = load::open_sibling(self.library(), "librocfft", &[".so.0", ".so"], c"rocfft_plan_create", hint)?;
            Ok(rocfft::Calls::new(RocfftSymbols::new(library)))
        });
        loaded.as_ref().map_err(|e| Error::Load(e.clone()))
    }

    /// Returns the number of devices: 0 without a driver or without a GPU.
    ///
    /// # Errors
    /// A failure of the runtime other than "no device".
    pub fn device_count(&self) -> Result<usize> {
        process::check("hipGetDeviceCount")?;
        let mut count: c_int = 0;
        // SAFETY: the pointer is that of a local.
        match unsafe { self.calls.hipGetDeviceCount(&mut count) } {
            Ok(()) => Ok(usize::try_from(count).unwrap_or(0)),
            Err(Error::Hip { code, .. }) if NO_DEVICE.contains(&code) => Ok(0),
            Err(e) => Err(e),
        }
    }

    /// Returns whether a device in use has this target; its compiler then supports it.
    pub(super) fn has_target(&self, target: &str) -> bool {
        let devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        devices.iter().any(|d| d.props.arch == target)
    }

    /// Returns the device's shared state, created at the first call.
    pub(super) fn device(&'static self, ordinal: usize) -> Result<Device> {
        let mut devices = self.devices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = devices.iter().find(|d| d.ordinal == ordinal) {
            return Ok(Device(Arc::clone(found)));
        }
        let inner = Arc::new(Inner::new(self, ordinal)?);
        devices.push(Arc::clone(&inner));
        Ok(Device(inner))
    }

    /// Returns the attributes of an address: whose memory it is.
    ///
    /// # Errors
    /// A failure of the runtime. An unknown address is [`MemoryKind::Unknown`].
    pub fn pointer(&self, ptr: u64) -> Result<PointerInfo> {
        process::check("hipPointerGetAttributes")?;
        // SAFETY: an all-zero value is valid for these integers and raw pointers.
        let mut a: hipPointerAttribute_t = unsafe { std::mem::zeroed() };
        // SAFETY: the runtime looks the address up and does not follow it.
        let known = unsafe { self.calls.hipPointerGetAttributes(&mut a, ptr as usize as *const c_void) };
        let kind = match known {
            Ok(()) => MemoryKind::of(a.kind, self.major()),
            Err(Error::Hip { code: hipErrorInvalidValue, .. }) => MemoryKind::Unknown,
            Err(e) => return Err(e),
        };
        let device = usize::try_from(a.device).unwrap_or(0);
        Ok(PointerInfo {
            kind,
            device,
            managed: a.isManaged != 0,
            device_ptr: a.devicePointer as usize as u64,
        })
    }
}

/// Returns the calls and the version of a library, or why it is not a usable HIP runtime.
fn accept(library: &Library) -> std::result::Result<(Calls, i32), String> {
    for name in [c"hipRuntimeGetVersion", c"hipGetDeviceCount", c"hipModuleLaunchKernel"] {
        if library.symbol(name).is_none() {
            return Err(format!("has no {}", name.to_string_lossy()));
        }
    }
    let calls = Calls::new(HipSymbols::new(library.clone()));
    let mut version: c_int = 0;
    // SAFETY: the pointer is that of a local.
    let asked = unsafe { calls.hipRuntimeGetVersion(&mut version) };
    if asked.is_err() || version <= 0 {
        version = 10_000_000 * guess_major(library);
    }
    if version / 10_000_000 < OLDEST {
        return Err(format!("is HIP {}; HIP {OLDEST} is the oldest supported version", version / 10_000_000));
    }
    Ok((calls, version))
}

/// Guesses the major version if the runtime does not report it: from the file's name, else from its exports.
fn guess_major(library: &Library) -> i32 {
    let path = library.path();
    let real = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let named = [path.to_path_buf(), real].iter().find_map(|p| {
        let name = p.file_name()?.to_str()?;
        name.split_once(".so.")?.1.split('.').next()?.parse().ok()
    });
    let newer: &CStr = c"hipGetDevicePropertiesR0600";
    named.unwrap_or(if library.symbol(newer).is_some() { 6 } else { OLDEST })
}

/// The kind of memory that an address belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MemoryKind {
    /// Unknown to the runtime: ordinary host memory.
    Unknown,
    /// Pinned or registered host memory.
    Host,
    /// Device memory.
    Device,
    /// Memory that migrates between host and device.
    Managed,
    /// An image.
    Array,
}

impl MemoryKind {
    /// Translates `hipMemoryType`, whose numbers changed with HIP 6.
    ///
    /// ```
    /// use rushlight_hip::MemoryKind;
    /// assert_eq!(MemoryKind::of(1, 5), MemoryKind::Device);
    /// assert_eq!(MemoryKind::of(1, 6), MemoryKind::Host);
    /// ```
    pub fn of(raw: u32, hip_major: i32) -> Self {
        match (hip_major < 6, raw) {
            (true, 0) | (false, 1) => MemoryKind::Host,
            (true, 1) | (false, 2) => MemoryKind::Device,
            (true, 2) | (false, 10) => MemoryKind::Array,
            (true, 3 | 4) | (false, 3 | 11) => MemoryKind::Managed,
            _ => MemoryKind::Unknown,
        }
    }
}

/// The attributes of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointerInfo {
    /// The kind of memory.
    pub kind: MemoryKind,
    /// The device of the allocation.
    pub device: usize,
    /// Whether it migrates between host and device.
    pub managed: bool,
    /// The address for kernels.
    pub device_ptr: u64,
}
