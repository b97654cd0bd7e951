//! Access to the dynamic linker.
pub(super) use imp::{Handle, mapped, open, open_loaded, path, symbol};

#[cfg(target_os = "linux")]
mod imp {
    use std::ffi::{CStr, CString, OsStr, c_char, c_int, c_void};
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    /// A handle from `dlopen`. It is never closed.
    #[derive(Clone, Copy, Debug)]
    pub struct Handle(*mut c_void);
    // SAFETY: dlsym and dlinfo may be called from any thread.
    unsafe impl Send for Handle {}
    // SAFETY: as above.
    unsafe impl Sync for Handle {}

    fn dlopen(name: &OsStr, flags: c_int) -> Result<Handle, String> {
        let name = CString::new(name.as_bytes()).map_err(|_| "its name holds a NUL byte".to_string())?;
        // SAFETY: the name ends with NUL. Constructors of the library run; that is what loading means.
        let handle = unsafe { libc::dlopen(name.as_ptr(), flags) };
        if !handle.is_null() {
            return Ok(Handle(handle));
        }
        // SAFETY: dlerror returns null or a string that lives until this thread's next call of the linker.
        let why = unsafe {
            let why = libc::dlerror();
            if why.is_null() { String::new() } else { CStr::from_ptr(why).to_string_lossy().into_owned() }
        };
        Err(why)
    }

    /// Opens a file (a path with a slash) or a name that the linker looks up.
    pub fn open(path: &Path) -> Result<Handle, String> {
        dlopen(path.as_os_str(), libc::RTLD_NOW | libc::RTLD_LOCAL)
    }

    /// Returns a library that the process has already loaded, by its name.
    pub fn open_loaded(name: &str) -> Option<Handle> {
        // NOLOAD alone is an invalid mode.
        dlopen(OsStr::new(name), libc::RTLD_LAZY | libc::RTLD_NOLOAD).ok()
    }

    pub fn symbol(handle: Handle, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: the handle is open, as none is ever closed; the name ends with NUL.
        let at = unsafe { libc::dlsym(handle.0, name.as_ptr()) };
        (!at.is_null()).then_some(at)
    }

    /// Returns the file of an open library.
    pub fn path(handle: Handle) -> Option<PathBuf> {
        /// The first fields of the linker's `struct link_map`.
        #[repr(C)]
        struct LinkMap {
            addr: usize,
            name: *const c_char,
        }
        let mut map: *const LinkMap = std::ptr::null();
        // SAFETY: RTLD_DI_LINKMAP writes a pointer to a link_map, which lives as long as the library.
        unsafe {
            if libc::dlinfo(handle.0, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) != 0 || map.is_null() {
                return None;
            }
            let name = (*map).name;
            (!name.is_null()).then(|| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())))
        }
    }

    /// Returns the files mapped in this process whose names start with `prefix`.
    pub fn mapped(prefix: &str) -> Vec<PathBuf> {
        unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
            // SAFETY: the linker passes a valid record and the pointer that `mapped` gave it.
            unsafe {
                let found = &mut *found.cast::<Vec<PathBuf>>();
                let name = (*info).dlpi_name;
                if !name.is_null() {
                    found.push(PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())));
                }
            }
            0
        }
        let mut found: Vec<PathBuf> = Vec::new();
        // SAFETY: `visit` treats its last argument as the vector that is passed here.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
        let fits =
            |p: &PathBuf| p.file_name().and_then(|n| n.to_str()).is_some_and(|n| n.starts_with(prefix));
        found.retain(fits);
        found
    }
}

/// The libraries are opened on Linux only.
#[cfg(not(target_os = "linux"))]
mod imp {
    use std::ffi::{CStr, c_void};
    use std::path::{Path, PathBuf};

    #[derive(Clone, Copy, Debug)]
    pub struct Handle;

    pub fn open(_: &Path) -> Result<Handle, String> {
        Err("GPU libraries are opened on Linux only".into())
    }

    pub fn open_loaded(_: &str) -> Option<Handle> {
        None
    }

    pub fn symbol(_: Handle, _: &CStr) -> Option<*mut c_void> {
        None
    }

    pub fn path(_: Handle) -> Option<PathBuf> {
        None
    }

    pub fn mapped(_: &str) -> Vec<PathBuf> {
        Vec::new()
    }
}
