//! MIOpen's functions: convolutions (immediate mode and Find) and pooling. Arguments are checked as the documentation
//! and its source state, or more strictly. Failures are printed to stderr in the real library's format.
#![allow(missing_docs, non_snake_case, clippy::not_unsafe_ptr_arg_deref)]
mod conv;
pub(crate) mod conv_compute;
mod find;
mod immediate;
pub(crate) mod pooling;
pub(crate) mod pooling_compute;
pub(crate) mod problem;
pub(crate) mod tensor;

pub use conv::*;
pub use find::*;
pub use immediate::*;
pub use pooling::*;
pub use tensor::*;

use crate::api::hip::Ptr;
use crate::device::gpu::{Gpu, current, gpu, library_call};
use crate::device::stream::Work;
use crate::support::config;
use crate::support::out::Out;
use problem::Problem;
use std::collections::{HashMap, HashSet};
use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Duration;

/// miopenStatus_t.
pub type Status = i32;
pub(crate) const INVALID_VALUE: Status = 2;
pub(crate) const BAD_PARM: Status = 3;
pub(crate) const NOT_IMPLEMENTED: Status = 6;
pub(crate) const UNKNOWN: Status = 7;

/// The reason why a call is rejected.
pub(crate) struct Refused(Status, String);
pub(crate) type Done<T = ()> = Result<T, Refused>;

pub(crate) fn refuse<T>(status: Status, why: impl Into<String>) -> Done<T> {
    Err(Refused(status, why.into()))
}

/// Converts a failure of HIP; MIOpen does not return its number.
pub(crate) fn hip(code: crate::Code) -> Refused {
    Refused(UNKNOWN, format!("HIP error {code}: {}", crate::support::error::text(code).to_string_lossy()))
}

struct Handle {
    device: usize,
    stream: usize,
    /// The problems and kernel families that Find prepared.
    found: HashSet<(Problem, i32)>,
    /// The compiled kernels.
    compiled: HashSet<(Problem, u64)>,
}

/// All live objects.
#[derive(Default)]
struct All {
    handles: HashMap<usize, Handle>,
    tensors: HashMap<usize, Option<tensor::Tensor>>,
    convs: HashMap<usize, Option<conv::Descriptor>>,
    pools: HashMap<usize, pooling::Descriptor>,
    /// The user's find-db: problems that Find measured.
    measured: HashSet<Problem>,
    next: usize,
}

impl All {
    /// Returns a handle that no other object has had.
    fn key(&mut self) -> usize {
        self.next += 64;
        0x7550_0000_0000 + self.next
    }

    fn tensor(&self, name: &str, at: Ptr) -> Done<&tensor::Tensor> {
        if at.is_null() {
            return refuse(BAD_PARM, format!("the descriptor of {name} is NULL"));
        }
        match self.tensors.get(&(at as usize)) {
            Some(Some(t)) => Ok(t),
            Some(None) => refuse(BAD_PARM, format!("the descriptor of {name} was not set")),
            None => refuse(BAD_PARM, format!("the descriptor of {name} was destroyed or is invalid")),
        }
    }

    fn conv(&self, at: Ptr) -> Done<&conv::Descriptor> {
        match self.convs.get(&(at as usize)) {
            Some(Some(c)) => Ok(c),
            Some(None) => refuse(BAD_PARM, "the convolution descriptor was not initialized"),
            None => refuse(BAD_PARM, "the convolution descriptor is NULL, destroyed, or invalid"),
        }
    }
}

fn all() -> MutexGuard<'static, All> {
    static ALL: OnceLock<Mutex<All>> = OnceLock::new();
    ALL.get_or_init(Mutex::default).lock().unwrap_or_else(|e| e.into_inner())
}

/// Runs a function of the API. Panics and traces are handled as in HIP's calls.
fn entry(name: &str, f: impl FnOnce(&mut All) -> Done) -> Status {
    library_call(name, UNKNOWN, || {
        f(&mut all()).map_err(|Refused(status, why)| {
            eprintln!("MIOpen Error: rushlight-vgpu: {name}: {why}");
            status
        })
    })
}

/// The context of a call with a handle.
struct Ctx<'a> {
    all: &'a mut All,
    gpu: MutexGuard<'static, Gpu>,
    handle: usize,
}

/// Runs a function with a handle as [`entry`] does. The handle must be live, belong to the current device, and be used by
/// one thread at a time.
fn with(name: &str, handle: Ptr, f: impl FnOnce(&mut Ctx<'_>) -> Done) -> Status {
    static BUSY: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let busy = || BUSY.lock().unwrap_or_else(|e| e.into_inner());
    let handle = handle as usize;
    {
        let mut busy = busy();
        if busy.contains(&handle) {
            eprintln!("MIOpen Error: rushlight-vgpu: {name}: two threads use the handle at once");
            return BAD_PARM;
        }
        busy.push(handle);
    }
    let status = entry(name, |all| {
        let Some(h) = all.handles.get(&handle) else {
            return refuse(BAD_PARM, "the handle is NULL, destroyed, or invalid");
        };
        if h.device != current() {
            let why =
                format!("the handle belongs to device {}, the current device is {}", h.device, current());
            return refuse(BAD_PARM, why);
        }
        let gpu = gpu().map_err(hip)?;
        gpu.alive().map_err(hip)?;
        f(&mut Ctx { all, gpu, handle })
    });
    busy().retain(|h| *h != handle);
    status
}

impl Ctx<'_> {
    fn handle(&mut self) -> Done<&mut Handle> {
        let found = self.all.handles.get_mut(&self.handle);
        found.ok_or_else(|| Refused(BAD_PARM, "the handle was destroyed".into()))
    }

    /// Checks an operand in device memory: aligned, and inside one live allocation of the handle's device. Returns
    /// its first and last byte.
    fn range(&mut self, name: &str, at: Ptr, bytes: usize, align: usize) -> Done<(usize, usize)> {
        let device = self.handle()?.device;
        let at = at as usize;
        if at == 0 {
            return refuse(BAD_PARM, format!("{name} is NULL"));
        }
        match self.gpu.memory.range(at, bytes) {
            Ok(Some(b)) if b.on_device() && b.device == device && at.is_multiple_of(align) => {
                Ok((at, at + bytes))
            }
            Ok(Some(b)) if b.on_device() && b.device != device => {
                refuse(BAD_PARM, format!("{name} is memory of device {}", b.device))
            }
            _ => {
                let location = self.gpu.memory.describe(at);
                let why = format!(
                    "{name} ({bytes} bytes at {at:#x}, {location}) is not inside one allocation of the device"
                );
                refuse(BAD_PARM, why)
            }
        }
    }

    /// Checks that written ranges do not overlap other ranges.
    fn apart(&self, written: &[(&str, (usize, usize))], read: &[(&str, (usize, usize))]) -> Done {
        for (i, (a, x)) in written.iter().enumerate() {
            for (b, y) in written[i + 1..].iter().chain(read) {
                if x.0 < y.1 && y.0 < x.1 {
                    return refuse(BAD_PARM, format!("{a} overlaps {b}"));
                }
            }
        }
        Ok(())
    }

    /// Issues work on the handle's stream.
    fn push(&mut self, job: impl Fn() + Send + Sync + 'static) -> Done {
        let stream = self.handle()?.stream;
        let key = self.gpu.stream(stream as Ptr).map_err(hip)?;
        self.gpu.push(key, Work::Native(std::sync::Arc::new(job)), Vec::new()).map(drop).map_err(hip)
    }
}

/// Compiles a kernel, with the injected delay or failure.
fn compile(what: &str) -> Done {
    let faults = &config::get().faults;
    if let Some(ms) = faults.dnn_slow {
        std::thread::sleep(Duration::from_millis(ms));
    }
    if faults.dnn_compile_fail {
        return refuse(
            UNKNOWN,
            format!("Code object build failed. Source: {what}.cpp (RUSHLIGHT_VGPU_FAULT)"),
        );
    }
    Ok(())
}

pub extern "C" fn miopenGetVersion(major: Out<usize>, minor: Out<usize>, patch: Out<usize>) -> Status {
    let version = match config::major() {
        5 => (2, 20, 0),
        6 => (3, 3, 0),
        _ => (3, 5, 1),
    };
    for (to, value) in [(major, version.0), (minor, version.1), (patch, version.2)] {
        if !to.is_null() && to.set(value).is_err() {
            return BAD_PARM;
        }
    }
    0
}

pub extern "C" fn miopenGetErrorString(status: Status) -> *const c_char {
    const NAMES: [&std::ffi::CStr; 11] = [
        c"miopenStatusSuccess",
        c"miopenStatusNotInitialized",
        c"miopenStatusInvalidValue",
        c"miopenStatusBadParm",
        c"miopenStatusAllocFailed",
        c"miopenStatusInternalError",
        c"miopenStatusNotImplemented",
        c"miopenStatusUnknownError",
        c"miopenStatusUnsupportedOp",
        c"miopenStatusGpuOperationsSkipped",
        c"miopenStatusVersionMismatch",
    ];
    let name = usize::try_from(status).ok().and_then(|i| NAMES.get(i));
    name.map_or(c"Unknown error status".as_ptr(), |n| n.as_ptr())
}

pub extern "C" fn miopenCreate(to: Out<Ptr>) -> Status {
    create("miopenCreate", to, std::ptr::null_mut())
}

pub extern "C" fn miopenCreateWithStream(to: Out<Ptr>, stream: Ptr) -> Status {
    create("miopenCreateWithStream", to, stream)
}

fn create(name: &str, to: Out<Ptr>, stream: Ptr) -> Status {
    entry(name, |all| {
        if to.is_null() {
            return refuse(BAD_PARM, "the pointer for the handle is NULL");
        }
        let gpu = gpu().map_err(hip)?;
        gpu.alive().map_err(hip)?;
        let key = gpu.stream(stream).map_err(hip)?;
        if gpu.streams.get(&key).is_some_and(|s| s.device != current()) {
            return refuse(BAD_PARM, "the stream belongs to another device");
        }
        drop(gpu);
        if config::get().faults.dnn_no_db {
            static PRINTED: OnceLock<()> = OnceLock::new();
            PRINTED.get_or_init(|| {
                eprintln!(
                    "MIOpen(HIP): Warning [SQLiteBase] Missing system database file: {}.kdb Performance may degrade. (RUSHLIGHT_VGPU_FAULT)",
                    config::get().arch.name
                );
            });
        }
        let key = all.key();
        all.handles.insert(
            key,
            Handle {
                device: current(),
                stream: stream as usize,
                found: HashSet::new(),
                compiled: HashSet::new(),
            },
        );
        to.set(key as Ptr).map_err(hip)
    })
}

pub extern "C" fn miopenSetStream(handle: Ptr, stream: Ptr) -> Status {
    with("miopenSetStream", handle, |c| {
        let old = c.handle()?.stream;
        if stream as usize == old {
            return Ok(());
        }
        c.gpu.stream(stream).map_err(hip)?;
        // Both streams would share the workspace of the handle's internal rocBLAS handle.
        if old != 0 && !stream.is_null() && c.gpu.pending(old) {
            return refuse(BAD_PARM, "the stream is changed while the old one has unfinished work");
        }
        c.handle()?.stream = stream as usize;
        Ok(())
    })
}

pub extern "C" fn miopenGetStream(handle: Ptr, to: Out<Ptr>) -> Status {
    with("miopenGetStream", handle, |c| {
        let stream = c.handle()?.stream;
        to.set(stream as Ptr).map_err(hip)
    })
}

pub extern "C" fn miopenDestroy(handle: Ptr) -> Status {
    entry("miopenDestroy", |all| match all.handles.remove(&(handle as usize)) {
        Some(_) => Ok(()),
        None => refuse(BAD_PARM, "the handle is NULL, destroyed, or invalid"),
    })
}
