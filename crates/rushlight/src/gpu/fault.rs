//! The fault record, in which kernels report indices out of range. The host turns it into an error.
#![allow(unsafe_code)]
use super::params::kernel_params;
use super::runtime::Shared;
use crate::Error;

/// Number of last launches whose op names are kept.
const RING: usize = 4096;

kernel_params! {
    /// Where a kernel reports an index out of range.
    pub(crate) struct Checker {
        /// Address of 8 words in host memory: state (2: complete), launch, operand, position, value, size.
        pub page: u64,
        /// Address of a word in device memory: not 0 once a fault was reported.
        pub flag: u64,
        /// Number of this launch.
        pub launch: u64,
    }
}

/// The fault record in the layout that kernels write: 64-bit words. The first word becomes 2 once the others are
/// complete.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Fault {
    pub launch: u64,
    pub operand: u64,
    pub position: u64,
    pub value: i64,
    pub size: u64,
}

/// Number of words of the record.
pub(crate) const WORDS: usize = 8;

/// The ops of the last launches, by launch number.
#[derive(Debug)]
pub(crate) struct Ring {
    names: Vec<(u64, &'static str)>,
    /// The launches of graphs, which report under the number that they were recorded with.
    recorded: Vec<(u64, &'static str)>,
}

impl Default for Ring {
    fn default() -> Self {
        Self { names: vec![(u64::MAX, "a kernel"); RING], recorded: Vec::new() }
    }
}

impl Ring {
    pub fn note(&mut self, launch: u64, op: &'static str) {
        self.names[launch as usize % RING] = (launch, op);
    }

    pub fn name(&self, launch: u64) -> &'static str {
        match self.names[launch as usize % RING] {
            (n, op) if n == launch => op,
            _ => {
                let recorded = self.recorded.iter().find(|(n, _)| *n == launch);
                recorded.map_or("an op more than 4,096 launches ago", |(_, op)| op)
            }
        }
    }

    /// Keeps the names of a graph's launches.
    pub fn keep(&mut self, names: &[(u64, &'static str)]) {
        self.recorded.extend_from_slice(names);
    }

    /// Drops the names of a graph's launches.
    pub fn forget(&mut self, names: &[(u64, &'static str)]) {
        self.recorded.retain(|(n, _)| names.binary_search_by_key(n, |(m, _)| *m).is_err());
    }
}

impl Fault {
    /// Returns the error for the index, which is the same on every backend.
    pub fn error(&self, op: &'static str) -> Error {
        Error::InvalidIndex { op, index: self.value, size: self.size as usize }.bt()
    }
}

/// Reads and clears the record, if a kernel has written one.
pub(crate) fn take(shared: &Shared) -> Option<Fault> {
    let host = shared.host as *mut u64;
    let word = |i: usize| {
        // SAFETY: `host` points to at least WORDS words that live as long as the process (Runtime::shared). Kernels may
        // write them at the same time, hence volatile.
        unsafe { host.add(i).read_volatile() }
    };
    if word(0) != 2 {
        return None;
    }
    let f =
        Fault { launch: word(1), operand: word(2), position: word(3), value: word(4) as i64, size: word(5) };
    // SAFETY: as above; the device is idle (the caller has synchronized).
    unsafe { host.write_volatile(0) };
    Some(f)
}
