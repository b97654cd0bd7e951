//! A device with one stream, its memory, modules and launches.
use super::driver::{Cuda, why_none};
use crate::result::driver::Calls;
use crate::sys::*;
use crate::{Error, Result, process};
use std::ffi::{CString, c_int, c_void};
use std::fmt;
use std::sync::Arc;

/// The properties of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Props {
    /// Its name.
    pub name: String,
    /// Its compute capability, as 80 for 8.0.
    pub target: i32,
    /// Lanes of a warp.
    pub warp: u32,
    /// Multiprocessors.
    pub multiprocessors: u32,
    /// Most threads of a block.
    pub max_threads: u32,
    /// Bytes of shared memory of a block.
    pub shared: usize,
    /// Bytes of memory.
    pub memory: usize,
}

/// One GPU with a stream; clones are the same. All methods may be called from any thread.
#[derive(Clone)]
pub struct Device(Arc<Inner>);

struct Inner {
    cuda: &'static Cuda,
    ordinal: usize,
    props: Props,
    /// The primary context, which the CUDA runtime and other libraries of the process share. It is never released.
    context: CUcontext,
    stream: CUstream,
}

// SAFETY: the driver's functions on contexts and streams may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Inner {
    /// Begins a call: checks that the process may call CUDA, and makes the context current in this thread.
    #[inline]
    fn enter(&self, call: &'static str) -> Result<&'static Calls> {
        process::check(call)?;
        // Other code of the thread may have made another context current.
        // SAFETY: the context lives as long as the process.
        unsafe { self.cuda.calls().cuCtxSetCurrent(self.context)? };
        Ok(self.cuda.calls())
    }
}

impl Device {
    /// Returns a device by its number, counted from 0 in the order of `CUDA_VISIBLE_DEVICES`, with a new stream.
    ///
    /// # Errors
    /// [`Error::Load`] without a driver, [`Error::NoDevice`] if the device does not exist.
    ///
    /// ```no_run
    /// let device = rushlight_cuda::Device::new(0)?;
    /// println!("{} ({})", device.props().name, device.arch());
    /// # Ok::<(), rushlight_cuda::Error>(())
    /// ```
    pub fn new(ordinal: usize) -> Result<Self> {
        let cuda = Cuda::get().map_err(|e| match e {
            Error::NoDevice { count, why, .. } => Error::NoDevice { ordinal, count, why },
            e => e,
        })?;
        let count = cuda.device_count()?;
        let none = || Error::NoDevice {
            ordinal,
            count,
            why: if count == 0 { why_none(None) } else { String::new() },
        };
        let number = c_int::try_from(ordinal).ok().filter(|_| ordinal < count).ok_or_else(none)?;
        let calls = cuda.calls();
        let (mut device, mut context, mut stream) = (0, std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: the pointers are those of locals, and the context is current when the stream is made.
        unsafe {
            calls.cuDeviceGet(&mut device, number)?;
            calls.cuDevicePrimaryCtxRetain(&mut context, device)?;
            calls.cuCtxSetCurrent(context)?;
            calls.cuStreamCreate(&mut stream, CU_STREAM_NON_BLOCKING as u32)?;
        }
        Ok(Self(Arc::new(Inner { cuda, ordinal, props: props(calls, device)?, context, stream })))
    }

    /// Returns the device's number.
    pub fn ordinal(&self) -> usize {
        self.0.ordinal
    }

    /// Returns the driver.
    pub fn cuda(&self) -> &'static Cuda {
        self.0.cuda
    }

    /// Returns the device's properties.
    pub fn props(&self) -> &Props {
        &self.0.props
    }

    /// Returns the target, as `sm_80`.
    pub fn arch(&self) -> String {
        format!("sm_{}", self.0.props.target)
    }

    /// Returns the stream's handle, for libraries that take one.
    pub fn stream(&self) -> CUstream {
        self.0.stream
    }

    /// Begins a call and returns the driver's functions.
    pub(super) fn calls(&self, call: &'static str) -> Result<&'static Calls> {
        self.0.enter(call)
    }

    /// Begins a call of another library.
    pub(crate) fn enter(&self, call: &'static str) -> Result<()> {
        self.0.enter(call).map(|_| ())
    }

    /// Returns free and total bytes of memory.
    pub fn mem_info(&self) -> Result<(usize, usize)> {
        let calls = self.0.enter("cuMemGetInfo_v2")?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: the pointers are those of locals.
        unsafe { calls.cuMemGetInfo_v2(&mut free, &mut total)? };
        Ok((free, total))
    }

    /// Allocates device memory.
    pub fn alloc(&self, bytes: usize) -> Result<u64> {
        let calls = self.0.enter("cuMemAlloc_v2")?;
        let mut ptr = 0;
        // SAFETY: the pointer is that of a local.
        unsafe { calls.cuMemAlloc_v2(&mut ptr, bytes)? };
        Ok(ptr)
    }

    /// Frees device memory after the work that was issued.
    pub fn free(&self, ptr: u64) -> Result<()> {
        let calls = self.0.enter("cuMemFree_v2")?;
        // SAFETY: the stream lives; the driver returns an error for an address that was not allocated.
        unsafe {
            let rest = calls.cuStreamSynchronize(self.0.stream);
            calls.cuMemFree_v2(ptr).and(rest)
        }
    }

    /// Copies bytes to the device; when it returns they may change.
    pub fn upload(&self, to: u64, from: &[u8]) -> Result<()> {
        let calls = self.0.enter("cuMemcpyHtoDAsync_v2")?;
        // SAFETY: the source is a slice, which lives until the copy is done; the driver knows the target's extent.
        unsafe {
            calls.cuMemcpyHtoDAsync_v2(to, from.as_ptr().cast(), from.len(), self.0.stream)?;
            // The source may be memory that others have pinned, for which the copy is not done yet.
            calls.cuStreamSynchronize(self.0.stream)
        }
    }

    /// Copies bytes from the device after the work that was issued.
    pub fn download(&self, to: &mut [u8], from: u64) -> Result<()> {
        let calls = self.0.enter("cuMemcpyDtoHAsync_v2")?;
        // SAFETY: the target is a slice, which lives until the copy is done.
        unsafe {
            let copied = calls.cuMemcpyDtoHAsync_v2(to.as_mut_ptr().cast(), from, to.len(), self.0.stream);
            let done = calls.cuStreamSynchronize(self.0.stream);
            copied.and(done)
        }
    }

    /// Issues a fill with a byte.
    pub fn fill(&self, to: u64, byte: u8, bytes: usize) -> Result<()> {
        let calls = self.0.enter("cuMemsetD8Async")?;
        // SAFETY: the stream lives; the driver knows the target's extent.
        unsafe { calls.cuMemsetD8Async(to, byte, bytes, self.0.stream) }
    }

    /// Allocates pinned, zeroed host memory that kernels can address. It is never freed.
    pub fn page(&self, bytes: usize) -> Result<Page> {
        let calls = self.0.enter("cuMemHostAlloc")?;
        let (mut host, mut device) = (std::ptr::null_mut(), 0);
        let flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the pointers are those of locals; the new memory is `bytes` that nothing else uses.
        unsafe {
            calls.cuMemHostAlloc(&mut host, bytes.max(1), flags)?;
            std::ptr::write_bytes(host.cast::<u8>(), 0, bytes.max(1));
            calls.cuMemHostGetDevicePointer_v2(&mut device, host, 0)?;
        }
        Ok(Page { host: host.cast(), device })
    }

    /// Allocates pinned host memory for [`Device::upload_pinned`]. It is never freed.
    pub fn pinned(&self, bytes: usize) -> Result<Pinned> {
        let page = self.page(bytes)?;
        Ok(Pinned { host: page.host as usize, bytes })
    }

    /// Writes bytes to pinned memory at an offset and issues their copy to the device. When it returns, the bytes may
    /// change, but not yet that part of the pinned memory.
    ///
    /// # Errors
    /// A range outside the pinned memory.
    pub fn upload_pinned(&self, to: u64, from: &[u8], pinned: &Pinned, offset: usize) -> Result<()> {
        let calls = self.0.enter("cuMemcpyHtoDAsync_v2")?;
        if offset.checked_add(from.len()).is_none_or(|end| end > pinned.bytes) {
            let text = format!("{} bytes at {offset} are outside {} pinned bytes", from.len(), pinned.bytes);
            return Err(Error::argument("upload_pinned", text));
        }
        let host = (pinned.host as *mut u8).wrapping_add(offset);
        // SAFETY: the range is inside memory that lives as long as the process, and Rust has no reference to it; the
        // driver knows the target's extent.
        unsafe {
            std::ptr::copy_nonoverlapping(from.as_ptr(), host, from.len());
            calls.cuMemcpyHtoDAsync_v2(to, host.cast(), from.len(), self.0.stream)
        }
    }

    /// Waits for the work of the stream.
    ///
    /// # Errors
    /// Also errors of kernels that ran before.
    pub fn synchronize(&self) -> Result<()> {
        let calls = self.0.enter("cuStreamSynchronize")?;
        // SAFETY: the stream lives.
        unsafe { calls.cuStreamSynchronize(self.0.stream) }
    }

    /// Waits for all work that was issued to the device, also by other libraries.
    pub fn synchronize_all(&self) -> Result<()> {
        let calls = self.0.enter("cuCtxSynchronize")?;
        // SAFETY: takes nothing.
        unsafe { calls.cuCtxSynchronize() }
    }

    /// Loads a CUBIN, or PTX that ends with NUL.
    ///
    /// # Errors
    /// Bytes that are neither, or for another target.
    pub fn load_module(&self, image: &[u8]) -> Result<Module> {
        let whole = match image.starts_with(b"\x7fELF") {
            true => rushlight_load::elf::check_image(image),
            false if image.last() == Some(&0) => Ok(()),
            false => Err("neither a CUBIN nor PTX that ends with NUL".to_string()),
        };
        // The driver takes no length and would read past the end.
        whole.map_err(|why| Error::argument("cuModuleLoadData", format!("the code is {why}")))?;
        let calls = self.0.enter("cuModuleLoadData")?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the image is whole, and the driver copies it.
        unsafe { calls.cuModuleLoadData(&mut raw, image.as_ptr().cast())? };
        Ok(Module(Arc::new(Loaded { device: self.clone(), raw })))
    }
}

fn props(calls: &Calls, device: CUdevice) -> Result<Props> {
    let number = |attribute| -> Result<i32> {
        let mut value = 0;
        // SAFETY: the pointer is that of a local.
        unsafe { calls.cuDeviceGetAttribute(&mut value, attribute, device)? };
        Ok(value)
    };
    let mut name = [0u8; 256];
    let mut memory = 0;
    // SAFETY: the buffer is one byte longer than the length that is passed; the other pointer is that of a local.
    unsafe {
        calls.cuDeviceGetName(name.as_mut_ptr().cast(), 255, device)?;
        calls.cuDeviceTotalMem_v2(&mut memory, device)?;
    }
    let end = name.iter().position(|b| *b == 0).unwrap_or(255);
    let positive = |v: i32| u32::try_from(v).unwrap_or(0);
    Ok(Props {
        name: String::from_utf8_lossy(&name[..end]).into_owned(),
        target: 10 * number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + number(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        warp: positive(number(CU_DEVICE_ATTRIBUTE_WARP_SIZE)?),
        multiprocessors: positive(number(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?),
        max_threads: positive(number(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?),
        shared: positive(number(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?) as usize,
        memory,
    })
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({}, {}, {})", self.0.ordinal, self.0.props.name, self.arch())
    }
}

/// Pinned host memory for uploads, valid as long as the process lives.
#[derive(Debug)]
pub struct Pinned {
    host: usize,
    bytes: usize,
}

/// Pinned host memory that kernels can address, valid as long as the process lives.
#[derive(Clone, Copy, Debug)]
pub struct Page {
    /// The address for the host.
    pub host: *mut u8,
    /// The address for kernels.
    pub device: u64,
}

/// Code loaded for a device; clones are the same. The last clone and the last function unload it.
#[derive(Clone, Debug)]
pub struct Module(Arc<Loaded>);

#[derive(Debug)]
struct Loaded {
    device: Device,
    raw: CUmodule,
}

// SAFETY: the driver's functions on modules may be called from any thread.
unsafe impl Send for Loaded {}
// SAFETY: as above.
unsafe impl Sync for Loaded {}

impl Drop for Loaded {
    fn drop(&mut self) {
        if !process::fine() {
            return;
        }
        let Ok(calls) = self.device.0.enter("cuModuleUnload") else { return };
        // SAFETY: this is the last use of the handle, after the work that was issued. A GPU that fails here fails in the
        // next call, too.
        let _ =
            unsafe { calls.cuStreamSynchronize(self.device.0.stream).and(calls.cuModuleUnload(self.raw)) };
    }
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub struct Function {
    module: Module,
    raw: CUfunction,
}

// SAFETY: as for modules.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Module {
    /// Returns the kernel of a name (declared `extern "C"`).
    ///
    /// # Errors
    /// The module has no such kernel.
    pub fn function(&self, name: &str) -> Result<Function> {
        let call = "cuModuleGetFunction";
        let c = CString::new(name).map_err(|_| Error::argument(call, "the name holds a NUL byte"))?;
        let calls = self.0.device.0.enter(call)?;
        let mut raw = std::ptr::null_mut();
        // SAFETY: the module lives, the name ends with NUL, the pointer is that of a local.
        let found = unsafe { calls.cuModuleGetFunction(&mut raw, self.0.raw, c.as_ptr()) };
        match found {
            Ok(()) => Ok(Function { module: self.clone(), raw }),
            Err(Error::Cuda { code: CUDA_ERROR_NOT_FOUND, .. }) => {
                Err(Error::argument(call, format!("the module has no kernel {name}")))
            }
            Err(e) => Err(e),
        }
    }
}

impl Function {
    /// Issues a launch on the device's stream: blocks, threads of a block, bytes of dynamic shared memory, and a
    /// pointer to each argument.
    ///
    /// # Safety
    /// The arguments match the kernel's types and number, and the kernel accesses only valid memory.
    pub unsafe fn launch(
        &self,
        grid: [u32; 3],
        block: [u32; 3],
        shared: u32,
        args: &mut [*mut c_void],
    ) -> Result<()> {
        let device = &self.module.0.device.0;
        let calls = device.enter("cuLaunchKernel")?;
        let [x, y, z] = grid;
        let [bx, by, bz] = block;
        let none = std::ptr::null_mut();
        // SAFETY: function and stream live; the caller vouches for the arguments, which the driver copies.
        unsafe {
            calls.cuLaunchKernel(
                self.raw,
                x,
                y,
                z,
                bx,
                by,
                bz,
                shared,
                device.stream,
                args.as_mut_ptr(),
                none,
            )
        }
    }
}
