//! The CUDA driver's functions. Error codes are the same as HIP's. In contrast to HIP, the driver must be started,
//! and a thread needs a context.
use super::nvrtc::unwrap_ptx;
use crate::api::hip::{self, Ptr};
use crate::device::gpu::{call, gpu, set_current, with};
use crate::device::startup;
use crate::support::config;
use crate::support::error::{self, Code};
use crate::support::out::{Out, put_text, text};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_uchar, c_uint, c_ulonglong, c_void};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};

const INVALID_CONTEXT: Code = 201;
const INVALID_PTX: Code = 218;
/// CUDA 12.9.
const VERSION: c_int = 12_090;

static STARTED: AtomicBool = AtomicBool::new(false);
/// One bit for each device whose primary context was retained.
static RETAINED: AtomicU32 = AtomicU32::new(0);
/// The handle of the first device's context; others follow.
const CONTEXTS: usize = 0x7ac0_0000_0000;

thread_local! {
    /// The device of the thread's context.
    static CONTEXT: Cell<Option<usize>> = const { Cell::new(None) };
}

/// Returns the device of the calling thread's context, and makes it the current device.
pub(super) fn context() -> Option<usize> {
    let device = CONTEXT.get().filter(|_| STARTED.load(Relaxed))?;
    set_current(device);
    Some(device)
}

/// Runs a call that requires a started driver.
fn started(name: &str, f: impl FnOnce() -> Result<(), Code>) -> Code {
    call(name, || if STARTED.load(Relaxed) { f() } else { Err(error::NOT_INITIALIZED) })
}

/// Runs a call in the thread's context, with a HIP function.
fn inside(name: &str, f: impl FnOnce() -> Code) -> Code {
    started(name, || {
        context().ok_or(INVALID_CONTEXT)?;
        match f() {
            0 => Ok(()),
            code => Err(code),
        }
    })
}

pub extern "C" fn cuInit(flags: c_uint) -> Code {
    call("cuInit", || {
        if flags != 0 {
            return Err(error::INVALID_VALUE);
        }
        gpu()?.alive()?;
        STARTED.store(true, Relaxed);
        Ok(())
    })
}

/// May be called before the driver is started.
pub extern "C" fn cuDriverGetVersion(to: Out<c_int>) -> Code {
    call("cuDriverGetVersion", || to.set(VERSION))
}

pub extern "C" fn cuGetErrorString(code: Code, to: Out<*const c_char>) -> Code {
    call("cuGetErrorString", || {
        let words = match code {
            error::NO_DEVICE => startup::no_device().unwrap_or(c"no CUDA-capable device is detected"),
            INVALID_PTX => c"a PTX JIT compilation failed",
            code if error::known(code) => error::text(code),
            _ => {
                to.set(std::ptr::null())?;
                return Err(error::INVALID_VALUE);
            }
        };
        to.set(words.as_ptr())
    })
}

pub extern "C" fn cuDeviceGetCount(to: Out<c_int>) -> Code {
    started("cuDeviceGetCount", || to.set(config::get().devices as c_int))
}

/// Runs a call with a device argument.
fn of(name: &str, device: c_int, f: impl FnOnce(usize) -> Result<(), Code>) -> Code {
    started(name, || {
        let device = gpu()?.device(device)?;
        f(device)
    })
}

pub extern "C" fn cuDeviceGet(to: Out<c_int>, ordinal: c_int) -> Code {
    of("cuDeviceGet", ordinal, |device| to.set(device as c_int))
}

pub extern "C" fn cuDeviceGetName(to: *mut c_char, len: c_int, device: c_int) -> Code {
    of("cuDeviceGetName", device, |_| put_text(to, len, &config::get().title()))
}

pub extern "C" fn cuDeviceTotalMem_v2(to: Out<usize>, device: c_int) -> Code {
    of("cuDeviceTotalMem_v2", device, |_| to.set(config::get().memory))
}

pub extern "C" fn cuDeviceGetAttribute(to: Out<c_int>, attribute: c_int, device: c_int) -> Code {
    of("cuDeviceGetAttribute", device, |_| {
        let c = config::get();
        to.set(match attribute {
            // Threads of a block, and its sizes in x and y.
            1..=3 => 1024,
            4 => 64,
            5 => c_int::MAX,
            6 | 7 => 65_535,
            8 => c.arch.lds as c_int,
            10 => c.wave as c_int,
            16 => c.arch.units,
            // One address space for host and device.
            41 => 1,
            75 => c.arch.major,
            76 => c.arch.minor,
            _ => return Err(error::INVALID_VALUE),
        })
    })
}

pub extern "C" fn cuDevicePrimaryCtxRetain(to: Out<Ptr>, device: c_int) -> Code {
    of("cuDevicePrimaryCtxRetain", device, |device| {
        RETAINED.fetch_or(1 << device, Relaxed);
        to.set((CONTEXTS + 64 * device) as Ptr)
    })
}

pub extern "C" fn cuCtxSetCurrent(context: Ptr) -> Code {
    started("cuCtxSetCurrent", || {
        let device = (context as usize).checked_sub(CONTEXTS).map(|n| n / 64);
        let known = device.filter(|d| *d < 32 && RETAINED.load(Relaxed) & 1 << d != 0);
        if known.is_none() && !context.is_null() {
            return Err(INVALID_CONTEXT);
        }
        CONTEXT.set(known);
        Ok(())
    })
}

pub extern "C" fn cuCtxSynchronize() -> Code {
    inside("cuCtxSynchronize", || hip::hipDeviceSynchronize())
}

pub extern "C" fn cuMemGetInfo_v2(free: Out<usize>, total: Out<usize>) -> Code {
    inside("cuMemGetInfo_v2", || hip::hipMemGetInfo(free, total))
}

pub extern "C" fn cuMemAlloc_v2(to: Out<u64>, bytes: usize) -> Code {
    inside("cuMemAlloc_v2", || {
        // HIP returns NULL for 0 bytes.
        if bytes == 0 || to.is_null() {
            return error::INVALID_VALUE;
        }
        let mut at = std::ptr::null_mut();
        let code = hip::hipMalloc(Out::to(&mut at), bytes);
        if code == 0 { to.set(at as u64).err().unwrap_or(0) } else { code }
    })
}

pub extern "C" fn cuMemFree_v2(at: u64) -> Code {
    inside("cuMemFree_v2", || hip::hipFree(at as Ptr))
}

pub extern "C" fn cuMemHostAlloc(to: Out<Ptr>, bytes: usize, flags: c_uint) -> Code {
    inside("cuMemHostAlloc", || {
        // Portable, mapped, write-combined.
        if bytes == 0 || flags > 7 { error::INVALID_VALUE } else { hip::hipHostMalloc(to, bytes, flags) }
    })
}

pub extern "C" fn cuMemHostGetDevicePointer_v2(to: Out<u64>, host: Ptr, flags: c_uint) -> Code {
    inside("cuMemHostGetDevicePointer_v2", || {
        let mut at = std::ptr::null_mut();
        let code = hip::hipHostGetDevicePointer(Out::to(&mut at), host, flags);
        if code == 0 { to.set(at as u64).err().unwrap_or(0) } else { code }
    })
}

pub extern "C" fn cuMemcpyHtoDAsync_v2(to: u64, from: *const c_void, bytes: usize, stream: Ptr) -> Code {
    inside("cuMemcpyHtoDAsync_v2", || hip::hipMemcpyHtoDAsync(to as Ptr, from, bytes, stream))
}

pub extern "C" fn cuMemcpyDtoHAsync_v2(to: Ptr, from: u64, bytes: usize, stream: Ptr) -> Code {
    inside("cuMemcpyDtoHAsync_v2", || hip::hipMemcpyDtoHAsync(to, from as Ptr, bytes, stream))
}

pub extern "C" fn cuMemsetD8Async(to: u64, value: c_uchar, bytes: usize, stream: Ptr) -> Code {
    inside("cuMemsetD8Async", || hip::hipMemsetD8Async(to as Ptr, value, bytes, stream))
}

pub extern "C" fn cuStreamCreate(to: Out<Ptr>, flags: c_uint) -> Code {
    inside("cuStreamCreate", || hip::hipStreamCreateWithFlags(to, flags))
}

pub extern "C" fn cuStreamSynchronize(stream: Ptr) -> Code {
    inside("cuStreamSynchronize", || hip::hipStreamSynchronize(stream))
}

pub extern "C" fn cuEventCreate(to: Out<Ptr>, flags: c_uint) -> Code {
    inside("cuEventCreate", || hip::hipEventCreateWithFlags(to, flags))
}

pub extern "C" fn cuEventRecord(event: Ptr, stream: Ptr) -> Code {
    inside("cuEventRecord", || hip::hipEventRecord(event, stream))
}

pub extern "C" fn cuEventElapsedTime(to: Out<f32>, start: Ptr, stop: Ptr) -> Code {
    inside("cuEventElapsedTime", || hip::hipEventElapsedTime(to, start, stop))
}

pub extern "C" fn cuEventDestroy_v2(event: Ptr) -> Code {
    inside("cuEventDestroy_v2", || hip::hipEventDestroy(event))
}

pub extern "C" fn cuStreamBeginCapture_v2(stream: Ptr, mode: c_int) -> Code {
    inside("cuStreamBeginCapture_v2", || hip::hipStreamBeginCapture(stream, mode))
}

pub extern "C" fn cuStreamEndCapture(stream: Ptr, to: Out<Ptr>) -> Code {
    inside("cuStreamEndCapture", || hip::hipStreamEndCapture(stream, to))
}

pub extern "C" fn cuStreamIsCapturing(stream: Ptr, to: Out<c_int>) -> Code {
    inside("cuStreamIsCapturing", || hip::hipStreamIsCapturing(stream, to))
}

pub extern "C" fn cuThreadExchangeStreamCaptureMode(mode: Out<c_int>) -> Code {
    started("cuThreadExchangeStreamCaptureMode", || match hip::hipThreadExchangeStreamCaptureMode(mode) {
        0 => Ok(()),
        code => Err(code),
    })
}

pub extern "C" fn cuGraphInstantiateWithFlags(to: Out<Ptr>, graph: Ptr, flags: c_ulonglong) -> Code {
    inside("cuGraphInstantiateWithFlags", || hip::hipGraphInstantiateWithFlags(to, graph, flags))
}

pub extern "C" fn cuGraphLaunch(exec: Ptr, stream: Ptr) -> Code {
    inside("cuGraphLaunch", || hip::hipGraphLaunch(exec, stream))
}

pub extern "C" fn cuGraphExecDestroy(exec: Ptr) -> Code {
    inside("cuGraphExecDestroy", || hip::hipGraphExecDestroy(exec))
}

pub extern "C" fn cuGraphDestroy(graph: Ptr) -> Code {
    inside("cuGraphDestroy", || hip::hipGraphDestroy(graph))
}

/// Loads a CUBIN, which contains code of this machine, or PTX, which contains the same as text.
pub extern "C" fn cuModuleLoadData(to: Out<Ptr>, image: *const c_void) -> Code {
    inside("cuModuleLoadData", || {
        if image.is_null() {
            return error::INVALID_VALUE;
        }
        // SAFETY: CUDA's contract: a whole image, or text that ends with NUL; both have four bytes.
        let elf = unsafe { image.cast::<[u8; 4]>().read_unaligned() } == *b"\x7fELF";
        if elf {
            return hip::hipModuleLoadData(to, image);
        }
        let Some((target, code)) = text(image.cast()).and_then(|t| unwrap_ptx(&t)) else {
            return INVALID_PTX;
        };
        if target > config::get().arch.number() {
            return error::NO_BINARY;
        }
        with("cuModuleLoadData", |gpu| hip::module::load_as(gpu, to, &code, &format!("sm_{target}")))
    })
}

pub extern "C" fn cuModuleUnload(module: Ptr) -> Code {
    inside("cuModuleUnload", || hip::hipModuleUnload(module))
}

pub extern "C" fn cuModuleGetFunction(to: Out<Ptr>, module: Ptr, name: *const c_char) -> Code {
    inside("cuModuleGetFunction", || hip::hipModuleGetFunction(to, module, name))
}

pub extern "C" fn cuLaunchKernel(
    f: Ptr,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: Ptr,
    params: Out<Ptr>,
    extra: Out<Ptr>,
) -> Code {
    inside("cuLaunchKernel", || {
        hip::hipModuleLaunchKernel(f, gx, gy, gz, bx, by, bz, shared, stream, params, extra)
    })
}
