//! AddressSanitizer's runtime, if it was preloaded (`RUSHLIGHT_VGPU_SANITIZE=2`): the bytes around allocations are
//! poisoned, and a report, which ends the process, is followed by the kernel's name, block and thread.
use crate::engine::host::fault;
use crate::support::config;
use std::ffi::{CStr, c_char, c_void};
use std::sync::{Mutex, OnceLock, PoisonError};

type Region = unsafe extern "C" fn(*const c_void, usize);
type OnReport = unsafe extern "C" fn(extern "C" fn(*const c_char));

struct Runtime {
    poison: Region,
    unpoison: Region,
}

static KERNEL: Mutex<String> = Mutex::new(String::new());

fn symbol(name: &CStr) -> *mut c_void {
    // SAFETY: a name that ends in NUL.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

/// Returns whether the runtime was preloaded.
pub(crate) fn present() -> bool {
    !symbol(c"__asan_poison_memory_region").is_null()
}

fn runtime() -> Option<&'static Runtime> {
    static RUNTIME: OnceLock<Option<Runtime>> = OnceLock::new();
    let found = RUNTIME.get_or_init(|| {
        if !config::get().address || !present() {
            return None;
        }
        // SAFETY: functions of the runtime with the signatures of sanitizer/asan_interface.h.
        unsafe {
            let on_report: OnReport = std::mem::transmute(symbol(c"__asan_set_error_report_callback"));
            on_report(print_thread);
            Some(Runtime {
                poison: std::mem::transmute::<*mut c_void, Region>(symbol(c"__asan_poison_memory_region")),
                unpoison: std::mem::transmute::<*mut c_void, Region>(symbol(
                    c"__asan_unpoison_memory_region",
                )),
            })
        }
    });
    found.as_ref()
}

/// Poisons bytes.
pub(crate) fn forbid(at: usize, len: usize) {
    if let Some(r) = runtime() {
        // SAFETY: the range is mapped, and shadow memory exists for every address.
        unsafe { (r.poison)(at as *const c_void, len) };
    }
}

/// Unpoisons bytes.
pub(crate) fn allow(at: usize, len: usize) {
    if let Some(r) = runtime() {
        // SAFETY: as above.
        unsafe { (r.unpoison)(at as *const c_void, len) };
    }
}

/// Stores the name of the kernel that starts.
pub(crate) fn starts(kernel: &str) {
    if runtime().is_some() {
        kernel.clone_into(&mut KERNEL.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

extern "C" fn print_thread(_: *const c_char) {
    let worker = fault::running();
    if !worker.is_null() {
        // SAFETY: this host thread's own worker; the fiber that made the error runs on it.
        let (block, thread) = unsafe { (*worker).current_thread() };
        let kernel = KERNEL.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!(
            "rushlight-vgpu: kernel `{kernel}`: block {block}, thread {thread}: AddressSanitizer's report is above"
        );
    }
}
