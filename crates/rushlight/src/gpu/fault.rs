//! The fault record: where a kernel notes an index out of range, and what the host makes of it.
#![allow(unsafe_code)]
use super::runtime::Shared;
use crate::Error;

/// Launches whose op is remembered.
const RING: usize = 4096;

/// What kernels that check indexes get (hip/fault.h): the page of host memory, a word of device memory that is not 0
/// once a fault was noted, and the launch's number.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checker {
    pub page: u64,
    pub flag: u64,
    pub launch: u64,
}

/// The record as kernels write it: 64-bit words, of which the first is 2 once the others are complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    pub launch: u64,
    pub operand: u64,
    pub position: u64,
    pub value: i64,
    pub size: u64,
}

/// Words of the record in shared memory.
pub(crate) const WORDS: usize = 8;

/// The ops of the last launches, by launch number.
#[derive(Debug)]
pub(crate) struct Ring {
    names: Vec<(u64, &'static str)>,
}

impl Default for Ring {
    fn default() -> Self {
        Self { names: vec![(u64::MAX, "a kernel"); RING] }
    }
}

impl Ring {
    pub fn note(&mut self, launch: u64, op: &'static str) {
        self.names[launch as usize % RING] = (launch, op);
    }

    pub fn name(&self, launch: u64) -> &'static str {
        match self.names[launch as usize % RING] {
            (n, op) if n == launch => op,
            _ => "an op more than 4,096 launches ago",
        }
    }
}

impl Fault {
    /// The error that every backend gives for such an index.
    pub fn error(&self, op: &'static str) -> Error {
        Error::InvalidIndex { op, index: self.value, size: self.size as usize }.bt()
    }
}

/// The record, if a kernel has written one; it is emptied.
pub(crate) fn take(shared: &Shared) -> Option<Fault> {
    let host = shared.host as *mut u64;
    let word = |i: usize| {
        // SAFETY: `host` points to at least WORDS words that live as long as the process (Runtime::shared); kernels
        // may write them meanwhile, hence volatile.
        unsafe { host.add(i).read_volatile() }
    };
    if word(0) != 2 {
        return None;
    }
    let f =
        Fault { launch: word(1), operand: word(2), position: word(3), value: word(4) as i64, size: word(5) };
    // SAFETY: as above; the device is idle (the caller has synchronised).
    unsafe { host.write_volatile(0) };
    Some(f)
}
