//! Stacks, and the switch between them. Each stack is aligned to its size and holds the context of its thread in the
//! uppermost bytes, where kernels find it from their stack pointer.
use std::arch::naked_asm;
use std::ffi::c_void;

/// Bytes of a stack; the prelude gets the same number.
pub(crate) const STACK: usize = 256 << 10;
/// Bytes at the top of a stack for the context.
pub(crate) const TOP: usize = 256;

/// Saves the running stack's pointer to `save` and continues on the stack whose pointer is `to`.
///
/// # Safety
/// `to` was saved by this function, or made by [`fresh`], and is resumed once.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn switch(save: *mut usize, to: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "mov [rdi], rsp",
        "mov rsp, rsi",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        // Not `ret`: the CPU predicts its target from the calls on this stack.
        "pop rcx",
        "jmp rcx",
    )
}

/// The second half of [`switch`]: a signal handler continues here with a saved stack pointer.
///
/// # Safety
/// Enter it only with such a stack pointer; never call it.
#[unsafe(naked)]
pub(crate) unsafe extern "C" fn resume() {
    naked_asm!("cld", "pop r15", "pop r14", "pop r13", "pop r12", "pop rbx", "pop rbp", "ret")
}

/// The stacks of one worker, mapped on demand.
#[derive(Default)]
pub(crate) struct Stacks {
    chunks: Vec<(usize, usize)>,
    all: Vec<usize>,
    free: Vec<usize>,
}

impl Stacks {
    /// Takes a free stack and returns its lowest address.
    pub fn take(&mut self) -> Option<usize> {
        if self.free.is_empty() {
            self.grow()?;
        }
        self.free.pop()
    }

    pub fn give(&mut self, stack: usize) {
        self.free.push(stack);
    }

    /// Frees all stacks, even those in use.
    pub fn reclaim(&mut self) {
        self.free.clone_from(&self.all);
        self.free.reverse();
    }

    /// Returns whether an address is in a guard page: a thread needed more than its stack.
    pub fn overflown(&self, at: usize) -> bool {
        self.all.iter().any(|s| (*s..s + 4096).contains(&at))
    }

    fn grow(&mut self) -> Option<()> {
        let count = self.all.len().clamp(1, 64);
        let len = (count + 1) * STACK;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let prot = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let at = unsafe { libc::mmap(std::ptr::null_mut(), len, prot, flags, -1, 0) };
        if at == libc::MAP_FAILED {
            return None;
        }
        self.chunks.push((at as usize, len));
        let first = (at as usize).next_multiple_of(STACK);
        for i in 0..count {
            let stack = first + i * STACK;
            // SAFETY: the lowest page of a stack inside the mapping just made.
            unsafe { libc::mprotect(stack as *mut c_void, 4096, libc::PROT_NONE) };
            self.all.push(stack);
        }
        self.free.extend(self.all[self.all.len() - count..].iter().rev());
        Some(())
    }
}

impl Drop for Stacks {
    fn drop(&mut self) {
        for (at, len) in &self.chunks {
            // SAFETY: mapped by `grow`; no thread runs on a worker's stacks when the worker goes.
            unsafe { libc::munmap(*at as *mut c_void, *len) };
        }
    }
}

/// Prepares a stack so that switching to the result calls `entry`.
///
/// # Safety
/// `stack` is a free stack of [`Stacks`]; `entry` never returns.
pub(crate) unsafe fn fresh(stack: usize, entry: extern "C" fn() -> !) -> usize {
    // Six registers, the entry, and a word instead of the return address: aligned as at a call. Stacks start at
    // multiples of their size; different offsets keep them from competing for the same cache lines.
    let sp = stack + STACK - TOP - 8 * 8 - stack / STACK % 61 * 320;
    let frame = sp as *mut usize;
    for i in 0..8 {
        // SAFETY: inside the stack, below the context.
        unsafe { frame.add(i).write(if i == 6 { entry as usize } else { 0 }) };
    }
    sp
}
