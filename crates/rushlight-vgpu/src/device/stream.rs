//! Streams, events and the commands that streams hold.
use crate::device::launch::Job;
use crate::device::module::Kernel;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

/// Work that must run first: a stream, up to a number.
pub(super) type After = (usize, u64);

pub(crate) enum Work {
    Kernel(Arc<Kernel>, Box<Job>),
    /// Destination, source, bytes.
    Copy(usize, usize, usize),
    /// Rows: destination, its pitch, source, its pitch, width, height.
    Copy2d([usize; 6]),
    /// Destination, pattern, bytes of the pattern, count.
    Fill(usize, u32, usize, usize),
    Record(usize, u64),
    Call(usize, usize),
    /// A computation of a library on the host.
    Native(Box<dyn FnOnce() + Send>),
    Nothing,
}

pub(super) struct Command {
    pub number: u64,
    pub after: Vec<After>,
    pub work: Work,
}

pub(crate) struct Stream {
    pub device: usize,
    /// Whether it does not synchronize with the null stream.
    pub independent: bool,
    pub flags: u32,
    pub(super) queue: VecDeque<Command>,
    /// The number of the last command.
    pub(super) last: u64,
}

impl Stream {
    pub fn new(device: usize, independent: bool, flags: u32) -> Stream {
        Stream { device, independent, flags, queue: VecDeque::new(), last: 0 }
    }
}

#[derive(Clone)]
pub(crate) struct Event {
    pub device: usize,
    pub timed: bool,
    /// The latest record: its stream and number.
    pub recorded: Option<After>,
    pub at: Option<Instant>,
}
