//! Modules: shared objects for this machine made by the virtual GPU's hiprtc, with a table of their kernels, and AMD
//! code objects.
use crate::engine::isa::engine::{KernelCode, Loaded, Machine};
use crate::engine::types::Thunk;
use crate::support::config;
use crate::support::elf::{self, Elf};
use crate::support::error::{self, Code};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Arc;

/// The section with the target and the wave size.
pub(crate) const NOTE: &str = ".rushlight.vgpu";
const X86_64: usize = 62;
pub(crate) const AMDGPU: usize = 224;

/// The prelude's `__rlv_record`.
#[repr(C)]
struct Record {
    name: *const c_char,
    address: *mut c_void,
    thunk: Option<Thunk>,
    args: u32,
    max_threads: u32,
    sizes: *const u32,
    pointers: *const u8,
    object: u64,
}

/// The code of a kernel.
#[derive(Debug)]
pub(crate) enum Body {
    /// Host code.
    Host(Thunk),
    /// AMD machine code.
    Machine(Machine),
}

#[derive(Debug)]
pub(crate) struct Kernel {
    pub name: String,
    pub body: Body,
    /// Size and alignment of each parameter.
    pub sizes: Vec<(usize, usize)>,
    /// Which parameters are pointers.
    pub pointers: Vec<bool>,
    pub max_threads: u32,
    /// Bytes of LDS that the kernel declares.
    pub lds: usize,
    /// The module's code, kept if launches are recorded.
    pub image: Option<Arc<[u8]>>,
}

/// Returns a copy of a module's code if launches are recorded.
fn kept(image: &[u8]) -> Option<Arc<[u8]>> {
    config::get().record.as_ref().map(|_| image.into())
}

pub(crate) struct Variable {
    pub at: usize,
    pub size: usize,
}

pub(crate) struct Module {
    handle: *mut c_void,
    file: i32,
    pub kernels: HashMap<String, Arc<Kernel>>,
    pub variables: HashMap<String, Variable>,
    /// Name expressions as the program gave them, with the symbols of the code.
    pub lowered: Vec<(String, String)>,
    pub device: usize,
    /// The address range of machine code.
    pub image: Option<(usize, usize)>,
}

// SAFETY: a loader's handle may be used from any thread.
unsafe impl Send for Module {}

/// Returns the offsets of parameters with natural alignment, and their total size.
pub(crate) fn offsets(sizes: &[(usize, usize)]) -> (Vec<usize>, usize) {
    let mut end = 0usize;
    let at = sizes.iter().map(|(size, align)| {
        let at = end.next_multiple_of((*align).max(1));
        end = at + size;
        at
    });
    (at.collect(), end)
}

/// Copies an image; its header contains its length.
///
/// # Safety
/// `image` points to a complete image, or to at least 64 other bytes.
pub(crate) unsafe fn copy_image(image: *const c_void) -> Result<Vec<u8>, Code> {
    // SAFETY: the caller promises that much.
    let header = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), 64) };
    if header.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") || header.starts_with(b"CCOB") {
        eprintln!(
            "rushlight-vgpu: the module is a bundle of AMD machine code; the host engine cannot run it"
        );
        return Err(error::NO_BINARY);
    }
    let len = elf::image_len(header).ok_or(error::INVALID_IMAGE)?;
    // SAFETY: the header of a complete image contains its length.
    Ok(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), len) }.to_vec())
}

/// Returns the target and wave size that an image was made for.
fn made_for(elf: &Elf<'_>) -> Option<(String, u32)> {
    let note = std::str::from_utf8(elf.section(NOTE)?).ok()?;
    let mut words = note.split(' ');
    Some((words.next()?.to_string(), words.next()?.parse().ok()?))
}

/// Loads an image for a device, or returns why it cannot be loaded.
pub(crate) fn load(image: &[u8], device: usize, arch: &str, wave: u32) -> Result<Module, (String, Code)> {
    match elf::machine(image) {
        // With the isa engine every result must come from machine code.
        Some(X86_64) if config::get().isa => {
            let why = "the module is host code, and RUSHLIGHT_VGPU_ENGINE=isa runs only AMD machine code";
            return Err((why.into(), error::NO_BINARY));
        }
        Some(X86_64) => {}
        Some(AMDGPU) => return load_machine(image, device, arch, wave, None),
        _ => return Err(("the module is for another machine".into(), error::NO_BINARY)),
    }
    let other = || ("the module was not made by the virtual GPU's hiprtc".into(), error::INVALID_IMAGE);
    let elf = Elf::parse(image).ok_or_else(other)?;
    let (made, made_wave) = made_for(&elf).ok_or_else(other)?;
    if made != arch || made_wave != wave {
        let why =
            format!("the module is for {made} with waves of {made_wave}, the device is {arch} with {wave}");
        return Err((why, error::NO_BINARY));
    }
    let (handle, file) =
        open(image).map_err(|e| (format!("the module cannot be loaded: {e}"), error::INVALID_IMAGE))?;
    let mut module = Module {
        handle,
        file,
        kernels: HashMap::new(),
        variables: HashMap::new(),
        lowered: Vec::new(),
        device,
        image: None,
    };
    // SAFETY: a handle that dlopen gave, and a name that ends in NUL.
    let table = unsafe { libc::dlsym(handle, c"__rlv_kernels".as_ptr()) }.cast::<Record>();
    if table.is_null() {
        return Err(other());
    }
    let symbols = elf.symbols();
    let code = kept(image);
    for i in 0.. {
        // SAFETY: the compiler wrote the table with a record whose name is null at its end.
        let record = unsafe { &*table.add(i) };
        if record.name.is_null() {
            break;
        }
        // SAFETY: a literal of the module.
        let name = unsafe { CStr::from_ptr(record.name) }.to_string_lossy().into_owned();
        let symbol = symbol_of(record.address).unwrap_or_else(|| name.clone());
        module.lowered.push((name, symbol.clone()));
        let Some(thunk) = record.thunk else { continue };
        let args = record.args as usize;
        // SAFETY: the prelude made arrays of one element more than there are parameters.
        let (sizes, pointers) = unsafe {
            (
                std::slice::from_raw_parts(record.sizes, args),
                std::slice::from_raw_parts(record.pointers, args),
            )
        };
        let own = format!(
            "_ZZ{}E",
            symbol.strip_prefix("_Z").map_or(format!("{}{symbol}", symbol.len()), str::to_string)
        );
        let lds =
            symbols.iter().filter(|s| s.kind == elf::TLS && s.name.starts_with(&own)).map(|s| s.size).sum();
        let kernel = Kernel {
            name: symbol.clone(),
            body: Body::Host(thunk),
            sizes: sizes.iter().map(|s| ((s & 0xff_ffff) as usize, (s >> 24) as usize)).collect(),
            pointers: pointers.iter().map(|p| *p != 0).collect(),
            max_threads: record.max_threads.clamp(1, 1024),
            lds,
            image: code.clone(),
        };
        module.kernels.insert(symbol, Arc::new(kernel));
    }
    for s in symbols
        .iter()
        .filter(|s| s.kind == elf::OBJECT && s.defined && s.size > 0 && !s.name.contains("__rlv_"))
    {
        let Ok(name) = CString::new(s.name) else { continue };
        // SAFETY: as above.
        let at = unsafe { libc::dlsym(handle, name.as_ptr()) } as usize;
        if at != 0 {
            module.variables.insert(s.name.to_string(), Variable { at, size: s.size });
        }
    }
    Ok(module)
}

/// Loads AMD machine code, at an address if one is given, or returns why it cannot be loaded.
pub(crate) fn load_machine(
    image: &[u8],
    device: usize,
    arch: &str,
    wave: u32,
    at: Option<usize>,
) -> Result<Module, (String, Code)> {
    let loaded = Loaded::new(image, arch, wave, at).map_err(|why| {
        (format!("the module holds AMD machine code that cannot be loaded: {why}"), error::NO_BINARY)
    })?;
    let loaded = Arc::new(loaded);
    let mut module = Module {
        handle: std::ptr::null_mut(),
        file: -1,
        kernels: HashMap::new(),
        variables: HashMap::new(),
        lowered: Vec::new(),
        device,
        image: Some(loaded.range()).map(|(from, to)| (from as usize, to as usize)),
    };
    for (name, at, size) in loaded.variables() {
        module.variables.insert(name, Variable { at, size });
    }
    let kept = kept(image);
    for n in 0..loaded.object.kernels.len() {
        let machine = Machine::new(loaded.clone(), n);
        let code = machine.code();
        let name = code.name.clone();
        if let Some(why) = beyond(code) {
            return Err((format!("kernel `{name}` {why}"), error::INVALID_IMAGE));
        }
        let mut sizes = Vec::new();
        let mut pointers = Vec::new();
        let mut end = 0usize;
        for a in code.args.iter().filter(|a| !a.hidden()) {
            // The alignment that leads to this offset.
            let fits = |align: &usize| end.next_multiple_of(*align) == a.offset && *align <= a.size.max(1);
            let align = [16, 8, 4, 2, 1].into_iter().find(fits).ok_or_else(|| {
                let why = format!("an argument of kernel `{name}` has the invalid offset {}", a.offset);
                (why, error::INVALID_IMAGE)
            })?;
            sizes.push((a.size, align));
            pointers.push(a.kind == "global_buffer");
            end = a.offset + a.size;
        }
        let (max_threads, lds) = (code.max_threads.clamp(1, 1024), code.lds);
        module.lowered.push((name.clone(), name.clone()));
        let body = Body::Machine(machine);
        let image = kept.clone();
        let kernel = Kernel { name: name.clone(), body, sizes, pointers, max_threads, lds, image };
        module.kernels.insert(name, Arc::new(kernel));
    }
    Ok(module)
}

/// Returns which of a kernel's sizes exceeds all that compilers produce; other code relies on these limits.
fn beyond(code: &KernelCode) -> Option<String> {
    const MOST: usize = 1 << 20;
    let asked =
        [("of arguments", code.kernarg), ("of LDS", code.lds), ("of scratch memory per lane", code.scratch)];
    let hidden =
        code.args.iter().find(|a| a.hidden() && a.size > 8).map(|a| ("of a hidden argument", a.size));
    let over = asked.into_iter().find(|a| a.1 > MOST).or(hidden);
    over.map(|(what, n)| format!("asks for {n} bytes {what}"))
}

/// Returns the name expressions of an image with their symbols.
pub(crate) fn names(image: &[u8]) -> Option<Vec<(String, String)>> {
    if elf::machine(image) == Some(AMDGPU) {
        return Some(
            load_machine(image, 0, config::get().arch.name, config::get().wave, None).ok()?.lowered.clone(),
        );
    }
    let (arch, wave) = made_for(&Elf::parse(image)?)?;
    Some(load(image, 0, &arch, wave).ok()?.lowered.clone())
}

/// Loads an image from memory.
fn open(image: &[u8]) -> Result<(*mut c_void, i32), String> {
    // SAFETY: a name that ends in NUL.
    let file = unsafe { libc::memfd_create(c"rushlight-vgpu".as_ptr(), libc::MFD_CLOEXEC) };
    if file < 0 {
        return Err(std::io::Error::last_os_error().to_string());
    }
    let mut done = 0;
    while done < image.len() {
        // SAFETY: the rest of the image.
        let n = unsafe { libc::write(file, image[done..].as_ptr().cast(), image.len() - done) };
        if n <= 0 {
            return Err(std::io::Error::last_os_error().to_string());
        }
        done += n as usize;
    }
    // The file stays open while the module lives, so that no other module has the same name.
    let path = CString::new(format!("/proc/self/fd/{file}")).map_err(|e| e.to_string())?;
    // SAFETY: an image that our compiler made: it has no constructors. The error text is copied at once.
    unsafe {
        let handle = libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL);
        if handle.is_null() {
            let why = libc::dlerror();
            libc::close(file);
            return Err(if why.is_null() {
                "unknown".into()
            } else {
                CStr::from_ptr(why).to_string_lossy().into_owned()
            });
        }
        Ok((handle, file))
    }
}

/// Returns the symbol at an address.
fn symbol_of(at: *mut c_void) -> Option<String> {
    // SAFETY: dladdr accepts any address; the name it gives lives as long as the module.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        let found = libc::dladdr(at, &mut info) != 0 && info.dli_saddr == at && !info.dli_sname.is_null();
        found.then(|| CStr::from_ptr(info.dli_sname).to_string_lossy().into_owned())
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: no kernel of the module runs: it is dropped when the device is idle.
        unsafe {
            libc::dlclose(self.handle);
            libc::close(self.file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::offsets;

    #[test]
    fn parameters_follow_with_natural_alignment() {
        assert_eq!(offsets(&[(4, 4), (8, 8), (1, 1), (2, 2), (16, 16)]), (vec![0, 8, 16, 18, 32], 48));
        assert_eq!(offsets(&[]), (vec![], 0));
    }
}
