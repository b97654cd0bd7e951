//! Code objects, kernels and launches.
use super::{Device, Stream};
use crate::load::elf;
use crate::sys::hip::*;
use crate::{Error, Result};
use std::ffi::{CString, c_int, c_void};
use std::sync::{Arc, Mutex, PoisonError};

/// A code object loaded for a device; clones are the same. The last clone and the last function unload it.
#[derive(Clone, Debug)]
pub struct Module(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    device: Device,
    raw: hipModule_t,
    /// Variables that memory copies may use.
    globals: Mutex<Vec<(u64, u64)>>,
    /// Some runtimes read the image again when a kernel is first used.
    _image: Vec<Page>,
}

// SAFETY: HIP's functions on modules may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

/// A page with the alignment that a bundle's parts have in its file.
#[derive(Clone, Debug)]
#[repr(align(4096))]
struct Page([u8; 4096]);

fn pages(image: &[u8]) -> Vec<Page> {
    let page = |chunk: &[u8]| {
        let mut page = Page([0; 4096]);
        page.0[..chunk.len()].copy_from_slice(chunk);
        page
    };
    image.chunks(4096).map(page).collect()
}

/// Checks that an image is complete: HIP takes no length and would read past its end.
fn check_image(image: &[u8]) -> std::result::Result<(), String> {
    const BUNDLE: &[u8] = b"__CLANG_OFFLOAD_BUNDLE__";
    let word = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(image.get(at..at.checked_add(8)?)?.try_into().ok()?))
    };
    if let Some(header) = image.strip_prefix(b"CCOB") {
        // Compressed: version and method, then the total size (4 bytes in version 2, 8 in version 3), ...
        let version = header.first_chunk::<2>().map(|v| u16::from_le_bytes(*v));
        let size = match version {
            Some(2) => {
                image.get(8..12).and_then(|b| b.try_into().ok()).map(|b| u64::from(u32::from_le_bytes(b)))
            }
            Some(3) => word(8),
            _ => return Err("a compressed bundle of a version that stores no size".into()),
        };
        return match size {
            Some(size) if size <= image.len() as u64 => Ok(()),
            _ => Err(format!("a truncated compressed bundle of {} bytes", image.len())),
        };
    }
    if !image.starts_with(BUNDLE) {
        return elf::check_image(image);
    }
    let cut = || format!("a truncated bundle of {} bytes", image.len());
    let mut at = BUNDLE.len();
    let count = word(at).ok_or_else(cut)?;
    at += 8;
    for _ in 0..count {
        let (offset, size, id) = (word(at), word(at + 8), word(at + 16));
        let (Some(offset), Some(size), Some(id)) = (offset, size, id) else { return Err(cut()) };
        if offset.checked_add(size).is_none_or(|end| end > image.len() as u64) {
            return Err(cut());
        }
        at = usize::try_from(id).ok().and_then(|id| (at + 24).checked_add(id)).ok_or_else(cut)?;
    }
    if at > image.len() { Err(cut()) } else { Ok(()) }
}

impl Module {
    pub(super) fn new(device: &Device, image: &[u8]) -> Result<Self> {
        let refuse = |why| Error::argument("hipModuleLoadData", format!("the code object is {why}"));
        check_image(image).map_err(refuse)?;
        let calls = device.0.enter("hipModuleLoadData")?;
        let image = pages(image);
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image is whole, as its headers say, and lives as long as the module.
        unsafe { calls.hipModuleLoadData(&mut raw, image.as_ptr().cast())? };
        let globals = Mutex::new(Vec::new());
        Ok(Self(Arc::new(Inner { device: device.clone(), raw, globals, _image: image })))
    }

    /// Returns the device that the module was loaded for.
    pub fn device(&self) -> &Device {
        &self.0.device
    }

    /// Returns a kernel by its name in the code object: an `extern "C"` name, or a mangled one.
    ///
    /// # Errors
    /// A name that the module does not define.
    pub fn function(&self, name: &str) -> Result<Function> {
        let c = CString::new(name)
            .map_err(|_| Error::argument("hipModuleGetFunction", "the kernel's name holds a NUL byte"))?;
        let calls = self.0.device.0.enter("hipModuleGetFunction")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the pointer is that of a local, the name ends with NUL, the module lives.
        match unsafe { calls.hipModuleGetFunction(&mut raw, self.0.raw, c.as_ptr()) } {
            Ok(()) => {}
            Err(Error::Hip { code: code @ hipErrorNotFound, name: error, .. }) => {
                let text = format!("the module has no kernel {name}");
                return Err(Error::Hip { call: "hipModuleGetFunction", code, name: error, text });
            }
            Err(e) => return Err(e),
        }
        let props = self.0.device.props();
        let mut function = Function {
            module: self.clone(),
            raw,
            name: name.into(),
            most_threads: props.max_threads_per_block,
            static_lds: 0,
        };
        // If the runtime cannot report the limit, the device's limits apply.
        if let Ok(n @ 1..) = function.attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) {
            function.most_threads = function.most_threads.min(n);
        }
        function.static_lds = function.attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES).unwrap_or(0);
        Ok(function)
    }

    /// Returns the address and the size of a `__device__` or `__constant__` variable; copies may use it while the
    /// module lives.
    ///
    /// # Errors
    /// A name that the module does not define.
    pub fn global(&self, name: &str) -> Result<(u64, u64)> {
        let c = CString::new(name)
            .map_err(|_| Error::argument("hipModuleGetGlobal", "the variable's name holds a NUL byte"))?;
        let device = &self.0.device;
        let calls = device.0.enter("hipModuleGetGlobal")?;
        let (mut ptr, mut bytes) = (std::ptr::null_mut(), 0usize);
        // SAFETY: the pointers are those of locals, the name ends with NUL, the module lives.
        unsafe { calls.hipModuleGetGlobal(&mut ptr, &mut bytes, self.0.raw, c.as_ptr())? };
        let ptr = ptr as usize as u64;
        let mut globals = self.0.globals.lock().unwrap_or_else(PoisonError::into_inner);
        if !globals.contains(&(ptr, bytes as u64)) {
            globals.push((ptr, bytes as u64));
            // SAFETY: the variable is the device's memory until the module is unloaded, which disowns it.
            unsafe { device.adopt(ptr, bytes as u64) };
        }
        Ok((ptr, bytes as u64))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let raw = self.raw;
        for (ptr, bytes) in self.globals.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            self.device.disown(ptr, bytes);
        }
        // SAFETY: no function of the module is left, and after the wait none runs.
        self.device.0.on_drop(|calls| unsafe {
            let rest = calls.hipDeviceSynchronize();
            calls.hipModuleUnload(raw).and(rest)
        });
    }
}

/// Blocks, threads of a block, and bytes of dynamic LDS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks in x, y, z.
    pub grid: (u32, u32, u32),
    /// Threads of a block in x, y, z.
    pub block: (u32, u32, u32),
    /// Bytes of LDS beyond what the kernel declares.
    pub lds: u32,
}

impl LaunchConfig {
    /// Creates a launch with enough blocks of `block` threads in x to cover `n` threads.
    ///
    /// ```
    /// use rushlight_hip::LaunchConfig;
    /// assert_eq!(LaunchConfig::cover(1000, 256).grid, (4, 1, 1));
    /// ```
    pub fn cover(n: u32, block: u32) -> Self {
        Self { grid: (n.div_ceil(block.max(1)).max(1), 1, 1), block: (block, 1, 1), lds: 0 }
    }
}

/// A kernel; clones are the same. It keeps its module loaded.
#[derive(Clone, Debug)]
pub struct Function {
    module: Module,
    raw: hipFunction_t,
    name: Arc<str>,
    most_threads: u32,
    static_lds: u32,
}

// SAFETY: HIP's functions on kernels may be called from any thread.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

/// The resources of a kernel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FunctionInfo {
    /// Most threads of a block: the kernel's launch bounds.
    pub max_threads_per_block: u32,
    /// Bytes of LDS that the kernel declares.
    pub lds: u32,
    /// Bytes of private memory of a thread, for values that do not fit into registers.
    pub private: u32,
    /// Vector registers.
    pub registers: u32,
    /// Bytes of constant memory.
    pub constants: u32,
}

impl Function {
    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the module that holds the kernel.
    pub fn module(&self) -> &Module {
        &self.module
    }

    fn attribute(&self, attribute: hipFunction_attribute) -> Result<u32> {
        let calls = self.module.0.device.0.enter("hipFuncGetAttribute")?;
        let mut value: c_int = 0;
        // SAFETY: the pointer is that of a local, the kernel's module lives.
        unsafe { calls.hipFuncGetAttribute(&mut value, attribute, self.raw)? };
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Returns the resources that the compiler assigned to the kernel.
    pub fn info(&self) -> Result<FunctionInfo> {
        Ok(FunctionInfo {
            max_threads_per_block: self.attribute(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            lds: self.attribute(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)?,
            private: self.attribute(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)?,
            registers: self.attribute(HIP_FUNC_ATTRIBUTE_NUM_REGS)?,
            constants: self.attribute(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES)?,
        })
    }

    /// Returns how many blocks of `threads` threads run at once on a compute unit.
    pub fn blocks_per_multiprocessor(&self, threads: u32, lds: u32) -> Result<u32> {
        let call = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor";
        let calls = self.module.0.device.0.enter(call)?;
        let mut blocks: c_int = 0;
        let threads = c_int::try_from(threads).unwrap_or(c_int::MAX);
        // SAFETY: the pointer is that of a local, the kernel's module lives.
        unsafe {
            calls.hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut blocks,
                self.raw,
                threads,
                lds as usize,
            )?;
        }
        Ok(u32::try_from(blocks).unwrap_or(0))
    }

    /// Issues the kernel. Nothing is allocated.
    ///
    /// # Errors
    /// Sizes that hardware cannot run or that some version of HIP truncates silently: a size of 0, 2^32 threads or
    /// more in x, more than 65,535 blocks in y or z, more threads or LDS than the device or the kernel allows. Errors
    /// of the kernel itself are returned by a later synchronization.
    ///
    /// # Safety
    /// `args` holds one pointer for each parameter, to a value of the parameter's type, valid during the call. The
    /// kernel must be memory-safe with these values: addresses are valid as long as it runs.
    #[inline]
    pub unsafe fn launch(
        &self,
        config: LaunchConfig,
        stream: &Stream,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        let device = &self.module.0.device;
        if !self.allows(&config) || !(Arc::ptr_eq(&stream.device().0, &device.0)) {
            return Err(self.refusal(&config, stream));
        }
        let calls = device.0.enter("hipModuleLaunchKernel")?;
        let LaunchConfig { grid, block, lds } = config;
        let (raw, params) = (self.raw, args.as_mut_ptr());
        // SAFETY: the caller vouches for the arguments; kernel and stream live; `extra` is not used.
        unsafe {
            calls.hipModuleLaunchKernel(
                raw,
                grid.0,
                grid.1,
                grid.2,
                block.0,
                block.1,
                block.2,
                lds,
                stream.raw(),
                params,
                std::ptr::null_mut(),
            )
        }
    }

    #[inline]
    fn allows(&self, config: &LaunchConfig) -> bool {
        let LaunchConfig { grid: (gx, gy, gz), block: (bx, by, bz), lds } = *config;
        let threads = u64::from(bx).saturating_mul(u64::from(by)).saturating_mul(u64::from(bz));
        gx != 0
            && threads != 0
            && (1..=MAX_GRID_YZ).contains(&gy)
            && (1..=MAX_GRID_YZ).contains(&gz)
            && u64::from(gx) * u64::from(bx) <= u64::from(u32::MAX)
            && threads <= u64::from(self.most_threads)
            && u64::from(lds) + u64::from(self.static_lds)
                <= u64::from(self.module.0.device.props().lds_per_block)
    }

    #[cold]
    fn refusal(&self, config: &LaunchConfig, stream: &Stream) -> Error {
        let LaunchConfig { grid: (gx, gy, gz), block: (bx, by, bz), lds } = *config;
        let device = &self.module.0.device;
        let threads = u64::from(bx).saturating_mul(u64::from(by)).saturating_mul(u64::from(bz));
        let sizes = format!("grid {:?}, block {:?}", config.grid, config.block);
        let most = device.props().lds_per_block;
        let why = if stream.device() != device {
            format!("the stream belongs to {:?}, the kernel is loaded for {device:?}", stream.device())
        } else if gx == 0 || gy == 0 || gz == 0 || threads == 0 {
            format!("{sizes}: a size is 0")
        } else if gy > MAX_GRID_YZ || gz > MAX_GRID_YZ {
            format!("{sizes}: more than {MAX_GRID_YZ} blocks in y or z")
        } else if u64::from(gx) * u64::from(bx) > u64::from(u32::MAX) {
            format!("{sizes}: 2^32 threads or more in x")
        } else if threads > u64::from(self.most_threads) {
            format!("{sizes}: {threads} threads, the kernel allows {}", self.most_threads)
        } else {
            format!("{} + {lds} bytes of LDS, the device has {most}", self.static_lds)
        };
        Error::Launch { kernel: self.name.to_string(), why }
    }
}

/// Larger values fail or are silently misread in some versions, for y and z.
const MAX_GRID_YZ: u32 = 65_535;
