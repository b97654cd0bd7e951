//! The state of the virtual GPUs behind one lock: devices, memory, streams, events, modules.
use crate::device::launch::Job;
use crate::device::memory::{Block, Kind, Memory};
use crate::device::module::{Kernel, Module};
use crate::device::record::Recording;
use crate::device::startup;
use crate::device::stream::{Event, Stream, Work};
use crate::engine::host::asan;
use crate::engine::types::{Cause, Dim, Failure};
use crate::support::config;
use crate::support::error::{self, Code};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

pub(crate) struct Function {
    pub kernel: Arc<Kernel>,
    pub device: usize,
    pub module: usize,
}

pub(crate) struct Gpu {
    pub memory: Memory,
    pub streams: HashMap<usize, Stream>,
    pub events: HashMap<usize, Event>,
    pub modules: HashMap<usize, Module>,
    pub functions: HashMap<usize, Function>,
    /// Graphs, and those that can be launched.
    pub graphs: HashMap<usize, Arc<[Work]>>,
    pub execs: HashMap<usize, Arc<[Work]>>,
    /// Pairs (from, to) of devices with peer access.
    pub peers: HashSet<(usize, usize)>,
    /// Handles of destroyed objects.
    pub gone: HashSet<usize>,
    /// The error of a kernel that failed; every later call returns it.
    pub lost: Option<Code>,
    pub launches: u64,
    pub allocations: u64,
    pub sequence: u64,
    next_handle: usize,
    pid: u32,
}

thread_local! {
    static DEVICE: Cell<usize> = const { Cell::new(0) };
    static LAST: Cell<Code> = const { Cell::new(0) };
}

/// Returns the calling thread's device.
pub(crate) fn current() -> usize {
    DEVICE.get()
}

pub(crate) fn set_current(device: usize) {
    DEVICE.set(device);
}

pub(crate) fn last_error(clear: bool) -> Code {
    let code = LAST.get();
    if clear {
        LAST.set(0);
    }
    code
}

/// Returns the state, which the first call creates.
pub(crate) fn gpu() -> Result<MutexGuard<'static, Gpu>, Code> {
    static GPU: OnceLock<Option<Mutex<Gpu>>> = OnceLock::new();
    if startup::problem().is_some() || config::get().devices == 0 {
        return Err(error::NO_DEVICE);
    }
    let gpu = GPU.get_or_init(|| Memory::new().map(|m| Mutex::new(Gpu::new(m))));
    let gpu = gpu.as_ref().ok_or(error::NOT_INITIALIZED)?;
    let gpu = gpu.lock().unwrap_or_else(|e| e.into_inner());
    if gpu.pid != std::process::id() {
        // As in the real runtime, nothing works in a forked child; here it is an error.
        return Err(error::NOT_INITIALIZED);
    }
    Ok(gpu)
}

/// Runs one call of the API and sets the thread's last error as the HIP version defines it.
pub(crate) fn call(name: &str, f: impl FnOnce() -> Result<(), Code>) -> Code {
    let code = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
    let code = code.unwrap_or(Err(error::UNKNOWN)).err().unwrap_or(0);
    if config::get().trace {
        eprintln!("rushlight-vgpu: {name} -> {code} {}", error::name(code).to_string_lossy());
    }
    // HIP 7 keeps the last real error; in older versions every call replaces it.
    if config::major() < 7 || (code != 0 && code != error::NOT_READY) {
        LAST.set(code);
    }
    code
}

/// Runs a call of a library as [`call`] does. It returns the library's own status, and `failure` after a panic.
pub(crate) fn library_call(name: &str, failure: i32, f: impl FnOnce() -> Result<(), i32>) -> i32 {
    let mut status = failure;
    call(name, || {
        status = f().err().unwrap_or(0);
        Ok(())
    });
    status
}

/// Runs a call as [`call`] does, with the state; on a lost device the call fails.
pub(crate) fn with(name: &str, f: impl FnOnce(&mut Gpu) -> Result<(), Code>) -> Code {
    call(name, || {
        let mut gpu = gpu()?;
        match gpu.lost {
            Some(code) => Err(code),
            None => f(&mut gpu),
        }
    })
}

impl Gpu {
    fn new(memory: Memory) -> Gpu {
        let mut gpu = Gpu {
            memory,
            streams: HashMap::new(),
            events: HashMap::new(),
            modules: HashMap::new(),
            functions: HashMap::new(),
            graphs: HashMap::new(),
            execs: HashMap::new(),
            peers: HashSet::new(),
            gone: HashSet::new(),
            lost: None,
            launches: 0,
            allocations: 0,
            sequence: 0,
            next_handle: 0x7660_0000_0000,
            pid: std::process::id(),
        };
        for device in 0..config::get().devices {
            gpu.streams.insert(device, Stream::new(device, false, 0));
        }
        gpu
    }

    /// Returns a handle that no other object has had. Handles below 16 are the devices' null streams.
    pub fn handle(&mut self) -> usize {
        self.next_handle += 64;
        self.next_handle
    }

    pub fn device(&self, device: i32) -> Result<usize, Code> {
        usize::try_from(device).ok().filter(|d| *d < config::get().devices).ok_or(error::INVALID_DEVICE)
    }

    pub fn alloc(&mut self, size: usize, kind: Kind, flags: u32) -> Result<usize, Code> {
        let c = config::get();
        let nth = self.allocations;
        self.allocations += 1;
        let device = current();
        let room = c.memory.saturating_sub(self.memory.used(device));
        if c.faults.oom_after.is_some_and(|n| nth >= n) || (kind == Kind::Device && size > room) {
            return Err(error::OUT_OF_MEMORY);
        }
        self.memory.alloc(size, kind, device, flags)
    }

    /// Runs a kernel whose launch was accepted. A failure is printed to stderr and loses the device.
    pub fn execute(&mut self, kernel: &Kernel, job: Job, device: usize) {
        if let Err((why, code)) = self.attempt(kernel, job, device) {
            eprintln!("rushlight-vgpu: {why}");
            self.lose(code);
        }
    }

    /// Runs a kernel whose launch was accepted, or returns its failure.
    pub fn attempt(&mut self, kernel: &Kernel, mut job: Job, device: usize) -> Result<(), (String, Code)> {
        if let Some(n) = config::get().faults.lost_after
            && self.launches >= n
        {
            let why = format!("device lost at launch {} (RUSHLIGHT_VGPU_FAULT)", self.launches);
            return Err((why, error::LAUNCH_FAILURE));
        }
        self.launches += 1;
        let words: Vec<usize> = self.pointer_words(kernel, &job);
        if let Some((why, code)) = words.iter().find_map(|w| self.bad_pointer(*w, device)) {
            return Err((format!("kernel `{}`: {why}", kernel.name), code));
        }
        if let Some(grid) = &mut job.machine {
            // The image of the kernel's module is one range, which contains its variables.
            let image = grid.image();
            let part = |b: &Block, (from, to): (u64, u64)| {
                b.kind == Kind::Global && b.base as u64 >= from && (b.base + b.size) as u64 <= to
            };
            let others = self.memory.blocks().filter(|b| !part(b, image));
            grid.set_accessible(others.map(|b| (b.base as u64, (b.base + b.size) as u64)));
        }
        let recording = match &config::get().record {
            None => None,
            Some(root) => {
                let own =
                    self.modules.values().find(|m| m.kernels.values().any(|k| std::ptr::eq(&**k, kernel)));
                let variables = own.into_iter().flat_map(|m| &m.variables);
                let variables: Vec<_> = variables.map(|(name, v)| (name.clone(), v.at)).collect();
                let begun = Recording::begin(root, &self.memory, kernel, &job, device, &variables);
                Some(begun.map_err(|why| (why, error::OPERATING_SYSTEM))?)
            }
        };
        let done = self.run(kernel, job, &words);
        if let Some(recording) = recording {
            let failure = done.as_ref().err().map(|e| e.0.as_str());
            if let Err(why) = recording.end(failure) {
                return done.and(Err((why, error::OPERATING_SYSTEM)));
            }
        }
        done
    }

    /// Runs a kernel, and checks the memory around the allocations that it was given.
    fn run(&self, kernel: &Kernel, job: Job, words: &[usize]) -> Result<(), (String, Code)> {
        let (grid, block) = (job.host.grid, job.host.block);
        asan::starts(&kernel.name);
        job.run().map_err(|failure| {
            let (why, code) = self.explain(&failure);
            let Failure { block: at, thread, .. } = failure;
            let name = &kernel.name;
            (format!("kernel `{name}`, grid {grid} of {block}: block {at}, thread {thread}: {why}"), code)
        })?;
        for w in words.iter().copied() {
            if let Some(b) = self.memory.find(w)
                && let Some(at) = Memory::overwritten(b)
            {
                let location = self.memory.describe(at);
                let why = format!("kernel `{}` wrote to {at:#x}, {location}", kernel.name);
                return Err((why, error::ILLEGAL_ADDRESS));
            }
        }
        Ok(())
    }

    /// Returns the arguments that are pointers; with RUSHLIGHT_VGPU_STRICT=1 also every word of a struct.
    fn pointer_words(&self, kernel: &Kernel, job: &Job) -> Vec<usize> {
        let mut words = Vec::new();
        for (i, (size, align)) in kernel.sizes.iter().enumerate() {
            if !kernel.pointers[i] && (!job.host.strict || *align < 8) {
                continue;
            }
            for at in (0..size / 8).map(|w| w * 8) {
                // SAFETY: the launch copied `size` bytes of this argument.
                words.push(unsafe {
                    job.host.params[i].cast::<u8>().add(at).cast::<usize>().read_unaligned()
                });
            }
        }
        words
    }

    /// Returns why a kernel on a device must not get this pointer.
    fn bad_pointer(&self, at: usize, device: usize) -> Option<(String, Code)> {
        if let Some(b) = self.memory.find(at) {
            let far =
                b.kind == Kind::Device && b.device != device && !self.peers.contains(&(device, b.device));
            let why = format!(
                "its argument {at:#x} is memory of device {} and no peer access is enabled",
                b.device
            );
            return far.then_some((why, error::ILLEGAL_ADDRESS));
        }
        if self.memory.freed(at).is_some() {
            let location = self.memory.describe(at);
            return Some((format!("its argument {at:#x} lies {location}"), error::ILLEGAL_ADDRESS));
        }
        let host = !self.memory.in_range(at) && at > 0xffff_ffff && at < 1 << 47 && mapped(at);
        host.then(|| (format!("its argument {at:#x} is a host pointer"), error::ILLEGAL_ADDRESS))
    }

    fn explain(&self, failure: &Failure) -> (String, Code) {
        match &failure.cause {
            Cause::Fault { signal: libc::SIGFPE, .. } => {
                ("integer division by zero".into(), error::LAUNCH_FAILURE)
            }
            Cause::Fault { signal: libc::SIGILL, .. } => {
                ("trap: undefined behaviour".into(), error::LAUNCH_FAILURE)
            }
            Cause::Fault { stack: true, .. } => {
                ("stack overflow: too many local variables".into(), error::LAUNCH_FAILURE)
            }
            Cause::Fault { at, write, .. } => {
                let what = if *write { "write to" } else { "read of" };
                (format!("{what} {at:#x}, {}", self.memory.describe(*at)), error::ILLEGAL_ADDRESS)
            }
            Cause::Access { at, bytes, write, instruction } => {
                let what = if *write { "write to" } else { "read of" };
                let target = match at >> 48 {
                    1 => format!("byte {} of LDS, past its end", *at as u32),
                    2 => format!("byte {} of a lane's scratch memory, past its end", *at as u32),
                    _ => format!("{at:#x}, {}", self.memory.describe(*at)),
                };
                (format!("{what} {target}: {bytes} bytes by {instruction}"), error::ILLEGAL_ADDRESS)
            }
            Cause::Assert(what) => (format!("assertion failed: {what}"), error::ASSERT),
            Cause::Trap(what) => (what.clone(), error::LAUNCH_FAILURE),
            Cause::Barrier(what) => (what.clone(), error::LAUNCH_FAILURE),
            Cause::Memory => {
                ("out of memory for the stacks of its threads".into(), error::LAUNCH_OUT_OF_RESOURCES)
            }
        }
    }

    pub(super) fn lose(&mut self, code: Code) {
        self.lost = Some(code);
        if config::major() < 7 {
            // HIP's behaviour before version 7.
            eprintln!("rushlight-vgpu: HIP {} ends the process on an error of a kernel", config::major());
            std::process::abort();
        }
    }
}

/// Returns whether an address is mapped.
fn mapped(at: usize) -> bool {
    let mut seen = 0u8;
    // SAFETY: mincore writes one byte for one page and fails for addresses that are not mapped.
    unsafe { libc::mincore((at & !4095) as *mut _, 1, &mut seen) == 0 }
}

/// Checks the sizes of a launch as HIP does.
pub(crate) fn check_launch(kernel: &Kernel, grid: Dim, block: Dim, lds: usize) -> Result<(), Code> {
    let c = config::get();
    let zero = grid.count() == 0 || block.count() == 0;
    if zero {
        return Err(if config::major() == 6 { error::INVALID_CONFIGURATION } else { error::INVALID_VALUE });
    }
    let sides = [(grid.x, block.x), (grid.y, block.y), (grid.z, block.z)];
    // NVIDIA's GPUs have no such limit.
    if !config::cuda() && sides.iter().any(|(g, b)| *g as u64 * *b as u64 > u32::MAX as u64) {
        // The real runtime of some versions truncates these silently.
        return Err(if config::major() < 7 { error::INVALID_CONFIGURATION } else { error::INVALID_VALUE });
    }
    if grid.x > i32::MAX as u32 || grid.y > 65535 || grid.z > 65535 {
        return Err(error::INVALID_VALUE);
    }
    let too_large = block.x > 1024 || block.y > 1024 || block.z > 1024 || block.count() > 1024;
    if too_large || lds > c.arch.lds {
        return Err(error::INVALID_VALUE);
    }
    if block.count() > kernel.max_threads as u64 {
        return Err(if config::cuda() { error::LAUNCH_OUT_OF_RESOURCES } else { error::LAUNCH_FAILURE });
    }
    if lds + kernel.lds > c.arch.lds {
        return Err(error::INVALID_VALUE);
    }
    Ok(())
}
