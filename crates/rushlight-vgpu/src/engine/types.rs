//! Types that both engines and the device share: sizes of grids and blocks, failures, and the launch of a host kernel.
use std::ffi::c_void;

/// The prelude's `__rlv_dim`.
#[repr(C)]
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub(crate) struct Dim {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl Dim {
    /// Returns the number of elements, at most `u64::MAX`.
    pub fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }
    /// Returns the coordinates of a linear index.
    pub fn at(self, i: u64) -> Dim {
        let (x, y) = (self.x.max(1) as u64, self.y.max(1) as u64);
        Dim { x: (i % x) as u32, y: (i / x % y) as u32, z: (i / x / y) as u32 }
    }
}

impl std::fmt::Display for Dim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{},{})", self.x, self.y, self.z)
    }
}

/// The reason why a kernel was stopped.
#[derive(Clone, Debug)]
pub(crate) enum Cause {
    /// A signal: its number, the address, whether it was a write.
    Fault {
        signal: i32,
        at: usize,
        write: bool,
        stack: bool,
    },
    /// An assertion of the kernel that failed.
    Assert(String),
    Trap(String),
    /// Threads wait at different barriers, or for threads that never arrive.
    Barrier(String),
    /// Machine code accessed invalid memory; `instruction` describes the instruction.
    Access {
        at: usize,
        bytes: usize,
        write: bool,
        instruction: String,
    },
    Memory,
}

#[derive(Clone, Debug)]
pub(crate) struct Failure {
    pub block: Dim,
    pub thread: Dim,
    pub cause: Cause,
}

impl Failure {
    /// Creates the failure of machine code that the engine cannot interpret.
    pub fn unknown(block: Dim) -> Failure {
        let why = "its code has an instruction with invalid registers or operands";
        Failure { block, thread: Dim::default(), cause: Cause::Trap(why.into()) }
    }
}

/// The entry point of a host kernel; it reads its arguments through an array of pointers.
pub(crate) type Thunk = unsafe extern "C" fn(*mut *mut c_void);

/// A grid as the host engine runs it.
pub(crate) struct HostGrid {
    pub thunk: Thunk,
    /// A pointer to each argument.
    pub params: Vec<*mut c_void>,
    pub grid: Dim,
    pub block: Dim,
    /// Threads of a block.
    pub threads: u32,
    pub wave: u32,
    /// Bytes of dynamic LDS, rounded up to 16.
    pub lds: usize,
    pub strict: bool,
    pub reverse: bool,
}
