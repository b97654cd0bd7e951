//! Runs a grid: distributes its blocks over host threads.
use crate::device::module::{Body, Kernel};
use crate::engine::host::block::Worker;
use crate::engine::host::fault::{AltStack, Handlers};
use crate::engine::isa::engine::Grid;
use crate::engine::types::{Dim, Failure, HostGrid, Thunk};
use crate::support::config;
use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::*};
use std::sync::{Arc, Condvar, Mutex, OnceLock};

/// One launch of a kernel.
pub(crate) struct Job {
    /// The grid of the host engine; its `params` point into `arguments`.
    pub host: HostGrid,
    /// The grid of machine code, which replaces `host`.
    pub machine: Option<Grid>,
    /// The arguments, aligned, and their size in bytes.
    arguments: Vec<u128>,
    packed: usize,
    /// Bytes of dynamic LDS as requested.
    pub dynamic: usize,
    next: AtomicU64,
    stop: AtomicBool,
    failure: Mutex<Option<Failure>>,
    helpers: AtomicUsize,
}

// SAFETY: the pointers lead into `arguments`, which do not change after the launch; kernels get copies.
unsafe impl Send for Job {}
// SAFETY: as above.
unsafe impl Sync for Job {}

impl Job {
    pub fn new(kernel: &Kernel, packed: &[u8], grid: Dim, block: Dim, lds: usize) -> Job {
        let c = config::get();
        let mut arguments = vec![0u128; packed.len().div_ceil(16) + 1];
        let base = arguments.as_mut_ptr().cast::<u8>();
        // SAFETY: the buffer has room for `packed`.
        unsafe { base.copy_from_nonoverlapping(packed.as_ptr(), packed.len()) };
        let params = crate::device::module::offsets(&kernel.sizes)
            .0
            .into_iter()
            .map(|o| base.wrapping_add(o).cast())
            .collect();
        let (thunk, machine): (Thunk, _) = match &kernel.body {
            Body::Host(thunk) => (*thunk, None),
            Body::Machine(m) => (nothing, Some(Grid::new(m, packed, grid, block, lds))),
        };
        Job {
            host: HostGrid {
                thunk,
                params,
                grid,
                block,
                threads: block.count() as u32,
                wave: c.wave,
                lds: lds.next_multiple_of(16),
                strict: c.strict,
                reverse: c.order == config::Order::Reverse,
            },
            machine,
            arguments,
            packed: packed.len(),
            dynamic: lds,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            failure: Mutex::new(None),
            helpers: AtomicUsize::new(0),
        }
    }

    /// Returns the same launch, to run it once more.
    pub fn again(&self, kernel: &Kernel) -> Job {
        Job::new(kernel, self.arguments(), self.host.grid, self.host.block, self.dynamic)
    }

    /// Returns the bytes of the arguments as the caller gave them.
    pub fn arguments(&self) -> &[u8] {
        // SAFETY: the buffer was allocated for `packed` bytes.
        unsafe { std::slice::from_raw_parts(self.arguments.as_ptr().cast(), self.packed) }
    }

    /// Runs blocks until none is left.
    fn work(&self) {
        if let Some(grid) = &self.machine {
            let control = set_control(0x1f80);
            // An instruction that encodes an invalid register panics: it ends the kernel, not this thread.
            let run = |at| std::panic::catch_unwind(AssertUnwindSafe(|| grid.run(at)));
            self.share(|at| run(at).unwrap_or_else(|_| Err(Failure::unknown(at))));
            set_control(control);
            return;
        }
        thread_local! {
            static OWN: RefCell<Option<(Box<Worker>, AltStack)>> = const { RefCell::new(None) };
        }
        OWN.with_borrow_mut(|own| {
            if own.is_none() {
                *own = Worker::new().map(|w| (Box::new(w), AltStack::new()));
            }
            let Some((worker, alt)) = own else { return };
            let worker: *mut Worker = &mut **worker;
            let _guard = alt.enter(worker);
            let control = set_control(0x1f80);
            // SAFETY: the worker is this thread's own, and `run` keeps handlers installed.
            self.share(|at| unsafe { Worker::run(worker, &self.host, at) });
            set_control(control);
        });
    }

    /// Takes blocks and runs them until none is left.
    fn share(&self, mut run: impl FnMut(Dim) -> Result<(), Failure>) {
        let blocks = self.host.grid.count();
        let chunk = (blocks / (config::get().threads as u64 * 16)).clamp(1, 1024);
        while !self.stop.load(Relaxed) {
            let from = self.next.fetch_add(chunk, Relaxed);
            if from >= blocks {
                break;
            }
            for i in from..(from + chunk).min(blocks) {
                let i = if self.host.reverse { blocks - 1 - i } else { i };
                if let Err(failure) = run(self.host.grid.at(i)) {
                    self.failure.lock().unwrap_or_else(|e| e.into_inner()).get_or_insert(failure);
                    self.stop.store(true, Relaxed);
                    return;
                }
                if self.stop.load(Relaxed) {
                    return;
                }
            }
        }
    }

    /// Runs the grid and returns when all its blocks have ended.
    pub fn run(self) -> Result<(), Failure> {
        let _handlers = Handlers::install();
        let job = Arc::new(self);
        let small = job.host.grid.count() == 1 || job.host.grid.count() * job.host.threads as u64 <= 4096;
        let helpers = if small { 0 } else { config::get().threads - 1 };
        if helpers == 0 {
            job.work();
        } else {
            let pool = Pool::get(helpers);
            pool.post(Some(job.clone()));
            job.work();
            pool.post(None);
            let mut state = pool.state.lock().unwrap_or_else(|e| e.into_inner());
            while job.helpers.load(SeqCst) > 0 {
                state = pool.done.wait(state).unwrap_or_else(|e| e.into_inner());
            }
        }
        if let Some(grid) = job.machine.as_ref().filter(|_| config::get().count) {
            eprintln!("rushlight-vgpu: {}", grid.count());
        }
        let failure = job.failure.lock().unwrap_or_else(|e| e.into_inner()).take();
        failure.map_or(Ok(()), Err)
    }
}

/// The entry point of machine code, which the host never calls.
unsafe extern "C" fn nothing(_: *mut *mut c_void) {}

/// Sets the floating-point control register and returns its old value.
fn set_control(to: u32) -> u32 {
    let mut was = 0u32;
    // SAFETY: a valid control word: the ABI's own, or one that was in force.
    unsafe { std::arch::asm!("stmxcsr [{0}]", "ldmxcsr [{1}]", in(reg) &raw mut was, in(reg) &raw const to) };
    was
}

/// Host threads that help with grids. Only one grid runs at a time.
struct Pool {
    state: Mutex<(u64, Option<Arc<Job>>)>,
    posted: Condvar,
    done: Condvar,
}

impl Pool {
    fn get(helpers: usize) -> &'static Pool {
        static POOL: OnceLock<&'static Pool> = OnceLock::new();
        POOL.get_or_init(|| {
            let pool: &'static Pool = Box::leak(Box::new(Pool {
                state: Mutex::new((0, None)),
                posted: Condvar::new(),
                done: Condvar::new(),
            }));
            for i in 0..helpers {
                let name = format!("rlv-{i}");
                // Without a helper the other threads run all blocks.
                let _ = std::thread::Builder::new().name(name).spawn(|| pool.serve());
            }
            pool
        })
    }

    fn post(&self, job: Option<Arc<Job>>) {
        let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
        *state = (state.0 + 1, job);
        drop(state);
        self.posted.notify_all();
    }

    fn serve(&self) {
        let mut seen = 0;
        loop {
            let mut state = self.state.lock().unwrap_or_else(|e| e.into_inner());
            while state.0 == seen {
                state = self.posted.wait(state).unwrap_or_else(|e| e.into_inner());
            }
            seen = state.0;
            let Some(job) = state.1.clone() else { continue };
            job.helpers.fetch_add(1, SeqCst);
            drop(state);
            job.work();
            let state = self.state.lock().unwrap_or_else(|e| e.into_inner());
            job.helpers.fetch_sub(1, SeqCst);
            drop(state);
            self.done.notify_all();
        }
    }
}
