//! Faults of kernels: a signal that a running kernel raises stops the kernel, not the process. Other signals go to
//! the previous handlers, which are restored when no kernel runs.
use crate::engine::host::block::Worker;
use crate::engine::host::fiber;
use crate::engine::types::Cause;
use std::cell::Cell;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::sync::Mutex;

const SIGNALS: [i32; 4] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL];

thread_local! {
    static CURRENT: Cell<*mut Worker> = const { Cell::new(std::ptr::null_mut()) };
}

/// Returns the worker of this host thread; null if it runs no blocks.
pub(crate) fn running() -> *mut Worker {
    CURRENT.get()
}

struct Installed {
    users: usize,
    before: [MaybeUninit<libc::sigaction>; 4],
}
static INSTALLED: Mutex<Installed> = Mutex::new(Installed { users: 0, before: [MaybeUninit::uninit(); 4] });
/// The previous handlers, which the handler reads without a lock.
static mut BEFORE: [MaybeUninit<libc::sigaction>; 4] = [MaybeUninit::uninit(); 4];

/// Keeps the handlers installed while it lives.
pub(crate) struct Handlers;

impl Handlers {
    pub fn install() -> Handlers {
        let mut state = INSTALLED.lock().unwrap_or_else(|e| e.into_inner());
        state.users += 1;
        if state.users == 1 {
            for (i, signal) in SIGNALS.into_iter().enumerate() {
                // SAFETY: a zeroed sigaction is a valid one; the handler has the signature that SA_SIGINFO asks for.
                unsafe {
                    let mut action: libc::sigaction = std::mem::zeroed();
                    action.sa_sigaction = handler as *const () as usize;
                    action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
                    libc::sigaction(signal, &action, state.before[i].as_mut_ptr());
                    BEFORE[i] = state.before[i];
                }
            }
        }
        Handlers
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        let mut state = INSTALLED.lock().unwrap_or_else(|e| e.into_inner());
        state.users -= 1;
        if state.users == 0 {
            for (i, signal) in SIGNALS.into_iter().enumerate() {
                // SAFETY: `install` filled the entry.
                unsafe { libc::sigaction(signal, state.before[i].as_ptr(), std::ptr::null_mut()) };
            }
        }
    }
}

/// Keeps a signal stack installed on this host thread while it lives.
pub(crate) struct Guarded {
    before: libc::stack_t,
}

/// The memory of a signal stack.
pub(crate) struct AltStack(Vec<u8>);

impl AltStack {
    pub fn new() -> AltStack {
        AltStack(vec![0; 64 << 10])
    }

    pub fn enter(&mut self, worker: *mut Worker) -> Guarded {
        CURRENT.set(worker);
        let stack = libc::stack_t { ss_sp: self.0.as_mut_ptr().cast(), ss_flags: 0, ss_size: self.0.len() };
        // SAFETY: the memory lives as long as this host thread's worker, and `Guarded` puts the old stack back.
        unsafe {
            let mut before: libc::stack_t = std::mem::zeroed();
            libc::sigaltstack(&stack, &mut before);
            Guarded { before }
        }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        CURRENT.set(std::ptr::null_mut());
        // SAFETY: what `enter` found.
        unsafe { libc::sigaltstack(&self.before, std::ptr::null_mut()) };
    }
}

extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let worker = CURRENT.get();
    // SAFETY: the worker is this host thread's own; `in_kernel` says that one of its fibers was interrupted, so the
    // scheduler's stack pointer is valid and the interrupted fiber is given up.
    unsafe {
        if !worker.is_null() && (*worker).in_kernel {
            let uc = &mut *context.cast::<libc::ucontext_t>();
            let regs = &mut uc.uc_mcontext.gregs;
            let at = (*info).si_addr() as usize;
            let write = regs[libc::REG_ERR as usize] & 2 != 0;
            (*worker).in_kernel = false;
            (*worker).cause = Some(Cause::Fault { signal, at, write, stack: (*worker).overflown(at) });
            regs[libc::REG_RSP as usize] = (*worker).scheduler as i64;
            regs[libc::REG_RIP as usize] = fiber::resume as *const () as i64;
            return;
        }
        pass_on(signal, info, context);
    }
}

/// # Safety
/// Called by the handler with its own arguments.
unsafe fn pass_on(signal: i32, info: *mut libc::siginfo_t, context: *mut c_void) {
    let Some(i) = SIGNALS.iter().position(|s| *s == signal) else { return };
    // SAFETY: `install` filled the entry before it installed the handler; what it says of its signature is true.
    unsafe {
        let before = (&raw const BEFORE).read()[i].assume_init();
        match before.sa_sigaction {
            // Returning repeats the instruction, now with the default action.
            libc::SIG_DFL | libc::SIG_IGN => {
                libc::signal(signal, libc::SIG_DFL);
            }
            f if before.sa_flags & libc::SA_SIGINFO != 0 => {
                let f: extern "C" fn(i32, *mut libc::siginfo_t, *mut c_void) = std::mem::transmute(f);
                f(signal, info, context);
            }
            f => {
                let f: extern "C" fn(i32) = std::mem::transmute(f);
                f(signal);
            }
        }
    }
}
