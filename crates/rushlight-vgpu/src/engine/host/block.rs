//! Runs one block: each thread is a fiber; at barriers and wave operations fibers meet.
//!
//! The first thread starts on a stack. If it ends without waiting, the next one runs on the same stack, so that a
//! kernel without barriers and wave operations is a plain loop. A thread that waits keeps its stack, and the others
//! continue.
//!
//! A wave operation runs when every live lane of the wave waits, for the operation or at a barrier. If lanes wait at
//! several instructions, the one with the lowest address runs first, which is the order in which diverged lanes
//! reconverge on hardware.
use crate::engine::host::fiber::{self, STACK, Stacks, TOP};
use crate::engine::types::{Cause, Dim, Failure, HostGrid};
use std::collections::VecDeque;
use std::ffi::{CStr, c_char, c_void};

/// The prelude's `__rlv_api`.
#[repr(C)]
struct Api {
    wave: extern "C" fn(*mut Ctx, u32, u64, u32, usize) -> u64,
    barrier: extern "C" fn(*mut Ctx, u32, u32, usize) -> u32,
    fail: extern "C" fn(*mut Ctx, u32, *const c_char, *const c_char, i32),
}
static API: Api = Api { wave: wave_operation, barrier, fail: kernel_failed };

/// The prelude's `__rlv_ctx`, followed by fields that only the runtime reads.
#[repr(C)]
struct Ctx {
    tid: Dim,
    bid: Dim,
    bdim: Dim,
    gdim: Dim,
    lane: u32,
    wave: u32,
    lds: usize,
    api: &'static Api,
    worker: *mut Worker,
    thread: u32,
}
const _: () = assert!(size_of::<Ctx>() <= TOP);

#[derive(Clone, Copy, PartialEq, Debug)]
enum Status {
    Running,
    Wave { op: u32, value: u64, src: u32 },
    Barrier { value: u32 },
    Done,
}

#[derive(Clone, Copy)]
struct Thread {
    status: Status,
    sp: usize,
    site: usize,
    result: u64,
}

#[derive(Clone, Copy, Default)]
struct Wave {
    live: u32,
    waiting: u32,
    at_barrier: u32,
}

/// The state of one host thread that runs blocks.
pub(crate) struct Worker {
    stacks: Stacks,
    /// The scheduler's stack pointer while a fiber runs.
    pub(crate) scheduler: usize,
    pub(crate) in_kernel: bool,
    threads: Vec<Thread>,
    waves: Vec<Wave>,
    ready: VecDeque<u32>,
    started: u32,
    live: u32,
    at_barrier: u32,
    current: u32,
    block: Dim,
    job: *const HostGrid,
    lds: usize,
    pub(crate) cause: Option<Cause>,
}

/// Largest dynamic LDS of any target.
const LDS: usize = 512 << 10;

impl Worker {
    pub fn new() -> Option<Worker> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping; its last page is the guard behind dynamic LDS, which the next call makes untouchable.
        let lds = unsafe {
            libc::mmap(std::ptr::null_mut(), LDS + 4096, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
        };
        if lds == libc::MAP_FAILED {
            return None;
        }
        // SAFETY: the last page of the mapping just made.
        unsafe { libc::mprotect((lds as usize + LDS) as *mut c_void, 4096, libc::PROT_NONE) };
        Some(Worker {
            stacks: Stacks::default(),
            scheduler: 0,
            in_kernel: false,
            threads: Vec::new(),
            waves: Vec::new(),
            ready: VecDeque::new(),
            started: 0,
            live: 0,
            at_barrier: 0,
            current: 0,
            block: Dim::default(),
            job: std::ptr::null(),
            lds: lds as usize,
            cause: None,
        })
    }

    fn job(&self) -> &HostGrid {
        // SAFETY: `run` set the pointer from a reference that outlives it.
        unsafe { &*self.job }
    }

    /// Runs one block.
    ///
    /// # Safety
    /// `this` is this host thread's worker, and fault handlers are installed.
    pub unsafe fn run(this: *mut Worker, job: &HostGrid, block: Dim) -> Result<(), Failure> {
        // SAFETY: the worker is this thread's own; fibers use it only while this function waits in `switch`.
        let w = unsafe { &mut *this };
        let total = job.threads;
        w.job = job;
        w.block = block;
        w.threads.clear();
        w.threads.resize(total as usize, Thread { status: Status::Running, sp: 0, site: 0, result: 0 });
        w.waves.clear();
        for first in (0..total).step_by(job.wave as usize) {
            w.waves.push(Wave { live: job.wave.min(total - first), ..Wave::default() });
        }
        w.ready.clear();
        (w.started, w.live, w.at_barrier, w.cause) = (0, total, 0, None);
        if job.lds > 0 {
            // SAFETY: the mapping of `new`; LDS on hardware holds what the last block left, here NaN.
            unsafe { std::ptr::write_bytes((w.lds + LDS - job.lds) as *mut u8, 0xff, job.lds) };
        }
        while w.live > 0 {
            let to = match w.ready.pop_front() {
                Some(t) => {
                    w.current = t;
                    w.threads[t as usize].sp
                }
                None if w.started < total => match w.stacks.take() {
                    Some(stack) => w.enter(this, stack),
                    None => {
                        w.cause = Some(Cause::Memory);
                        break;
                    }
                },
                None => {
                    let waits = w.threads.iter().filter(|t| t.status != Status::Done).count();
                    w.cause =
                        Some(Cause::Barrier(format!("{waits} threads wait for threads that never arrive")));
                    break;
                }
            };
            w.in_kernel = true;
            // SAFETY: `to` was saved by a fiber of this worker that has not been resumed since, or made by `fresh`.
            unsafe { fiber::switch(&raw mut (*this).scheduler, to) };
            w.in_kernel = false;
            if w.cause.is_some() {
                break;
            }
        }
        match w.cause.take() {
            None => Ok(()),
            Some(cause) => {
                w.stacks.reclaim();
                let thread = job.block.at(w.current as u64);
                Err(Failure { block, thread, cause })
            }
        }
    }

    /// Returns the current block and thread.
    pub fn current_thread(&self) -> (Dim, Dim) {
        (self.block, self.job().block.at(self.current as u64))
    }

    /// Prepares a stack for threads that have not started.
    fn enter(&self, this: *mut Worker, stack: usize) -> usize {
        let job = self.job();
        let ctx = Ctx {
            tid: Dim::default(),
            bid: self.block,
            bdim: job.block,
            gdim: job.grid,
            lane: 0,
            wave: job.wave,
            lds: self.lds + LDS - job.lds,
            api: &API,
            worker: this,
            thread: 0,
        };
        // SAFETY: the uppermost bytes of a free stack, aligned; `start` does not return.
        unsafe {
            ((stack + STACK - TOP) as *mut Ctx).write(ctx);
            fiber::fresh(stack, start)
        }
    }

    /// Returns whether an address is in the guard page of a stack.
    pub fn overflown(&self, at: usize) -> bool {
        self.stacks.overflown(at)
    }

    fn wave_of(&self, t: u32) -> usize {
        (t / self.job().wave) as usize
    }

    /// Runs a wave operation if all live lanes of the wave wait.
    fn run_wave_operation(&mut self, wave: usize) {
        let state = self.waves[wave];
        if state.waiting == 0 || state.waiting + state.at_barrier < state.live {
            return;
        }
        let width = self.job().wave as usize;
        let first = wave * width;
        let lanes = first..(first + width).min(self.threads.len());
        let operation = |t: &Thread| match t.status {
            Status::Wave { op, .. } => Some((t.site, op)),
            _ => None,
        };
        let Some(chosen) = self.threads[lanes.clone()].iter().filter_map(operation).min() else { return };
        let (mut active, mut ballot) = (0u64, 0u64);
        let mut values = [0u64; 64];
        for (lane, t) in self.threads[lanes.clone()].iter().enumerate() {
            if let Status::Wave { value, .. } = t.status
                && operation(t) == Some(chosen)
            {
                active |= 1 << lane;
                values[lane] = value;
                ballot |= u64::from(value != 0) << lane;
            }
        }
        let strict = self.job().strict;
        for i in lanes {
            let lane = i - first;
            if active >> lane & 1 == 0 {
                continue;
            }
            let Status::Wave { op, src, .. } = self.threads[i].status else { continue };
            let src = src as usize;
            let there = src < 64 && active >> src & 1 == 1;
            if op == 0 && !there && strict {
                self.current = i as u32;
                self.cause = Some(Cause::Barrier(format!("a shuffle reads lane {src}, which is inactive")));
            }
            // Inactive and diverged lanes give 0.
            self.threads[i].result = match op {
                0 if there => values[src],
                0 => 0,
                _ => ballot,
            };
            self.threads[i].status = Status::Running;
            self.waves[wave].waiting -= 1;
            self.ready.push_back(i as u32);
        }
    }

    /// Opens the barrier if all live threads wait there.
    fn open_barrier(&mut self) {
        if self.at_barrier < self.live || self.live == 0 {
            return;
        }
        let waits = |t: &Thread| matches!(t.status, Status::Barrier { .. });
        let Some(first) = self.threads.iter().position(waits) else { return };
        let site = self.threads[first].site;
        let job = self.job();
        let name = |i: usize| format!("thread {}", job.block.at(i as u64));
        if let Some(other) = self.threads.iter().position(|t| waits(t) && t.site != site) {
            self.cause = Some(Cause::Barrier(format!(
                "{} waits at one barrier, {} at another",
                name(first),
                name(other)
            )));
            return;
        }
        if job.strict
            && let Some(gone) = self.threads.iter().position(|t| t.status == Status::Done)
        {
            self.cause = Some(Cause::Barrier(format!("{} never arrives: it has returned", name(gone))));
            return;
        }
        let mut sum = 0;
        for t in &self.threads {
            if let Status::Barrier { value } = t.status {
                sum += value;
            }
        }
        for i in 0..self.threads.len() {
            if waits(&self.threads[i]) {
                self.threads[i].status = Status::Running;
                self.threads[i].result = sum as u64;
                self.ready.push_back(i as u32);
            }
        }
        self.at_barrier = 0;
        self.waves.iter_mut().for_each(|w| w.at_barrier = 0);
    }

    /// Ends a thread that returned from the kernel.
    fn finish(&mut self, t: u32) {
        self.threads[t as usize].status = Status::Done;
        let wave = self.wave_of(t);
        self.live -= 1;
        self.waves[wave].live -= 1;
        self.run_wave_operation(wave);
        self.open_barrier();
    }

    /// Waits, or continues at once if this thread was the last one to arrive.
    ///
    /// # Safety
    /// `this` is the worker on one of whose fibers the caller runs.
    unsafe fn wait(this: *mut Worker, t: u32) -> u64 {
        // SAFETY: the scheduler, which also uses the worker, waits in `switch` while a fiber runs.
        let w = unsafe { &mut *this };
        let last = w.threads[t as usize].status == Status::Running && w.cause.is_none();
        if last {
            w.ready.retain(|r| *r != t);
        } else {
            let save = &raw mut w.threads[t as usize].sp;
            let next = if w.cause.is_none() { w.ready.pop_front() } else { None };
            let to = next.map_or(w.scheduler, |n| w.threads[n as usize].sp);
            w.current = next.unwrap_or(t);
            // SAFETY: a thread that is ready saved its pointer here, the scheduler when it switched to a fiber.
            unsafe { fiber::switch(save, to) };
        }
        // SAFETY: as above; the scheduler switched back to this fiber.
        let w = unsafe { &mut *this };
        w.current = t;
        w.threads[t as usize].result
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // SAFETY: mapped in `new`, unused now.
        unsafe { libc::munmap(self.lds as *mut c_void, LDS + 4096) };
    }
}

/// The entry point of a stack: runs threads that have not started, one after the other, then returns to the
/// scheduler.
extern "C" fn start() -> ! {
    let here = 0u8;
    let stack = &raw const here as usize & !(STACK - 1);
    let ctx = (stack + STACK - TOP) as *mut Ctx;
    // SAFETY: `enter` wrote the context of this stack, and the worker and its job outlive the block.
    let this = unsafe { (*ctx).worker };
    loop {
        // SAFETY: see `Worker::wait`; the reference ends before the kernel runs.
        let next = unsafe {
            let w = &mut *this;
            let job = &*w.job;
            (w.started < job.threads).then(|| {
                let t = if job.reverse { job.threads - 1 - w.started } else { w.started };
                w.started += 1;
                w.current = t;
                (t, job.block.at(t as u64), t % job.wave, job.thunk, job.params.as_ptr())
            })
        };
        let Some((t, tid, lane, thunk, params)) = next else { break };
        // SAFETY: the context is this stack's own; the thunk belongs to a loaded module and gets what its kernel takes.
        unsafe {
            ((*ctx).tid, (*ctx).lane, (*ctx).thread) = (tid, lane, t);
            thunk(params.cast_mut());
            (*this).finish(t);
            if (*this).cause.is_some() {
                break;
            }
        }
    }
    let mut never = 0;
    // SAFETY: the scheduler waits; this stack is not resumed, it is made fresh before it is used again.
    unsafe {
        (*this).stacks.give(stack);
        fiber::switch(&raw mut never, (*this).scheduler);
    }
    std::process::abort()
}

extern "C" fn wave_operation(ctx: *mut Ctx, op: u32, value: u64, src: u32, site: usize) -> u64 {
    // SAFETY: kernels pass the context of their stack, and the scheduler waits meanwhile.
    unsafe {
        let (this, t) = ((*ctx).worker, (*ctx).thread);
        let w = &mut *this;
        let thread = &mut w.threads[t as usize];
        (thread.status, thread.site) = (Status::Wave { op, value, src }, site);
        let wave = w.wave_of(t);
        w.waves[wave].waiting += 1;
        w.run_wave_operation(wave);
        Worker::wait(this, t)
    }
}

extern "C" fn barrier(ctx: *mut Ctx, _op: u32, value: u32, site: usize) -> u32 {
    // SAFETY: as in `wave_operation`.
    unsafe {
        let (this, t) = ((*ctx).worker, (*ctx).thread);
        let w = &mut *this;
        let thread = &mut w.threads[t as usize];
        (thread.status, thread.site) = (Status::Barrier { value }, site);
        let wave = w.wave_of(t);
        w.at_barrier += 1;
        w.waves[wave].at_barrier += 1;
        w.run_wave_operation(wave);
        w.open_barrier();
        Worker::wait(this, t) as u32
    }
}

extern "C" fn kernel_failed(ctx: *mut Ctx, kind: u32, text: *const c_char, file: *const c_char, line: i32) {
    // SAFETY: as in `wave_operation`; the texts are literals of the kernel. The fiber is never resumed.
    unsafe {
        let (text, file) = (CStr::from_ptr(text).to_string_lossy(), CStr::from_ptr(file).to_string_lossy());
        let what = format!("{text} at {file}:{line}");
        let this = (*ctx).worker;
        (*this).current = (*ctx).thread;
        (*this).cause = Some(if kind == 1 { Cause::Assert(what) } else { Cause::Trap(what) });
        let mut never = 0;
        fiber::switch(&raw mut never, (*this).scheduler);
    }
}
